#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// zlib, loaded with dlopen on first use. Its header is not needed to build: the declarations are in CZlib.c.

/// Loads the library; 0, or why it cannot be loaded. Not to be called from two threads at once.
const char *bb_zlib_load(void);

/// A decompression in progress.
typedef struct bb_inflate bb_inflate;

/// Begins to decompress raw deflate data (RFC 1951); 0 when memory is exhausted.
bb_inflate *bb_inflate_begin(void);

/// Begins to decompress a member of a gzip file (RFC 1952), whose checksum is verified; 0 when memory is exhausted.
bb_inflate *bb_gunzip_begin(void);

/// Begins the next member, after one that is done.
void bb_inflate_again(bb_inflate *inflate);

/// The outcome of a step.
typedef enum { bb_inflate_more, bb_inflate_done, bb_inflate_damaged } bb_inflate_result;

/// Decompresses as much as the input and the room allow; sets how many bytes were taken and made.
bb_inflate_result bb_inflate_step(
    bb_inflate *inflate, const uint8_t *input, size_t count, size_t *taken, void *output, size_t room, size_t *made);

/// Releases it.
void bb_inflate_end(bb_inflate *inflate);

/// A compressor, for one thread at a time.
typedef struct bb_deflate bb_deflate;

/// Creates a compressor of members of a gzip file, of a level from 1 to 9; 0 when memory is exhausted.
bb_deflate *bb_gzip_begin(int level);

/// Creates a compressor of raw deflate data, as `bb_gzip_begin`.
bb_deflate *bb_deflate_begin(int level);

/// Begins other data, after some that has ended.
void bb_deflate_again(bb_deflate *deflate);

/// Compresses as much as the room allows; sets how many bytes were taken and made.
/// - Returns: whether everything was taken and, after the last bytes, everything was made.
bool bb_deflate_step(
    bb_deflate *deflate, const uint8_t *input, size_t count, bool is_last, size_t *taken, void *output, size_t room,
    size_t *made);

/// The size of the buffer that holds the compressed form of any `count` bytes.
size_t bb_gzip_bound(bb_deflate *deflate, size_t count);

/// Compresses at most 1 GiB into one member; the number of bytes written, 0 on failure.
size_t bb_gzip_member(bb_deflate *deflate, const void *input, size_t count, void *output, size_t room);

/// Releases it.
void bb_deflate_end(bb_deflate *deflate);

/// The CRC-32 of what gave `crc` followed by these bytes; that of nothing is 0.
uint32_t bb_zlib_crc32(uint32_t crc, const uint8_t *bytes, size_t count);
