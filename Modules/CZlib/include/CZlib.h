#pragma once
#include <stddef.h>
#include <stdint.h>

// zlib, loaded with dlopen on first use. Its header is not needed to build: the declarations are in CZlib.c.

/// Loads the library; 0, or why it cannot be loaded. Not to be called from two threads at once.
const char *bb_zlib_load(void);

/// A decompression in progress.
typedef struct bb_inflate bb_inflate;

/// Begins to decompress raw deflate data (RFC 1951); 0 when memory is exhausted.
bb_inflate *bb_inflate_begin(void);

/// The outcome of a step.
typedef enum { bb_inflate_more, bb_inflate_done, bb_inflate_damaged } bb_inflate_result;

/// Decompresses as much as the input and the room allow; sets how many bytes were taken and made.
bb_inflate_result bb_inflate_step(
    bb_inflate *inflate, const uint8_t *input, size_t count, size_t *taken, void *output, size_t room, size_t *made);

/// Releases it.
void bb_inflate_end(bb_inflate *inflate);

/// The CRC-32 of what gave `crc` followed by these bytes; that of nothing is 0.
uint32_t bb_zlib_crc32(uint32_t crc, const uint8_t *bytes, size_t count);
