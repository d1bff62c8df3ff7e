#pragma once
#include <stddef.h>
#include <stdint.h>

/// Adds whole blocks of 64 bytes to a SHA-256 state with instructions of the processor. Returns 0 if it has none.
int bb_sha256_blocks(uint32_t state[8], const void *data, size_t blocks);
