#pragma once
#include <stddef.h>
#include <stdint.h>

// Zstandard, LZ4 and Brotli, loaded with dlopen on first use. Their headers are not needed to build: the declarations
// are in CCompression.c. The functions may be called when the library is loaded.

/// Loads the library; 0, or why it cannot be loaded. Not to be called from two threads at once.
const char *bb_zstd_load(void);
const char *bb_lz4_load(void);
const char *bb_brotli_load(void);

/// The size of the buffer that holds the compressed form of any `count` bytes.
size_t bb_zstd_bound(size_t count);
size_t bb_lz4_bound(size_t count);

/// A compression context, reused for many pieces by one thread at a time; 0 when memory is exhausted.
void *bb_zstd_begin(int level, int has_checksums);
void bb_zstd_end(void *context);

/// Compresses into one frame; the number of bytes written, 0 on failure.
size_t bb_zstd_compress(void *context, const void *input, size_t count, void *output, size_t room);

/// Compresses into one block without a frame, at most 2,113,929,216 bytes; the number of bytes written, 0 on failure.
size_t bb_lz4_compress(const void *input, size_t count, void *output, size_t room);

/// A decompression context, reused for many pieces by one thread at a time; 0 when memory is exhausted.
void *bb_unzstd_begin(void);
void bb_unzstd_end(void *context);

/// The outcome of a step. Done: a frame or stream has ended, and all of it was written.
typedef enum { bb_step_more, bb_step_done, bb_step_damaged } bb_step_result;

/// Decompresses as much as the input and the room allow; sets how many bytes were taken and made, and the error.
bb_step_result bb_unzstd_step(
    void *context, const void *input, size_t count, size_t *taken, void *output, size_t room, size_t *made,
    const char **why);

/// The same for one stream of Brotli.
void *bb_unbrotli_begin(void);
void bb_unbrotli_end(void *state);
bb_step_result bb_unbrotli_step(
    void *state, const void *input, size_t count, size_t *taken, void *output, size_t room, size_t *made,
    const char **why);
