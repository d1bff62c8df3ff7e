#include "CCompression.h"
#include <dlfcn.h>

// What zstd.h declares, unchanged since version 1.0.
typedef struct {
  const void *source;
  size_t size, position;
} input_buffer;
typedef struct {
  void *target;
  size_t size, position;
} output_buffer;

#define ZSTD_FUNCTIONS(F) \
  F(size_t, ZSTD_compressBound, (size_t)) \
  F(void *, ZSTD_createCCtx, (void)) \
  F(size_t, ZSTD_freeCCtx, (void *)) \
  F(size_t, ZSTD_CCtx_setParameter, (void *, int, int)) \
  F(size_t, ZSTD_compress2, (void *, void *, size_t, const void *, size_t)) \
  F(unsigned, ZSTD_isError, (size_t)) \
  F(const char *, ZSTD_getErrorName, (size_t)) \
  F(void *, ZSTD_createDCtx, (void)) \
  F(size_t, ZSTD_freeDCtx, (void *)) \
  F(size_t, ZSTD_decompressStream, (void *, output_buffer *, input_buffer *))

#define LZ4_FUNCTIONS(F) \
  F(int, LZ4_compressBound, (int)) \
  F(int, LZ4_compress_default, (const char *, char *, int, int))

#define BROTLI_FUNCTIONS(F) \
  F(void *, BrotliDecoderCreateInstance, (void *, void *, void *)) \
  F(void, BrotliDecoderDestroyInstance, (void *)) \
  F(int, BrotliDecoderDecompressStream, (void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *))

#define DECLARE(result, name, parameters) static result (*p_##name) parameters;
ZSTD_FUNCTIONS(DECLARE)
LZ4_FUNCTIONS(DECLARE)
BROTLI_FUNCTIONS(DECLARE)

#define RESOLVE(result, name, parameters) \
  if (!(p_##name = (result (*) parameters)dlsym(library, #name))) return "the library is too old: it has no " #name;

const char *bb_zstd_load(void) {
  void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  ZSTD_FUNCTIONS(RESOLVE)
  return 0;
}

const char *bb_lz4_load(void) {
  void *library = dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  LZ4_FUNCTIONS(RESOLVE)
  return 0;
}

const char *bb_brotli_load(void) {
  void *library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  BROTLI_FUNCTIONS(RESOLVE)
  return 0;
}

size_t bb_zstd_bound(size_t count) { return p_ZSTD_compressBound(count); }

// Of the enumeration ZSTD_cParameter.
enum { compression_level = 100, checksum_flag = 201 };

void *bb_zstd_begin(int level, int has_checksums) {
  void *context = p_ZSTD_createCCtx();
  if (!context) return 0;
  p_ZSTD_CCtx_setParameter(context, compression_level, level);
  p_ZSTD_CCtx_setParameter(context, checksum_flag, has_checksums);
  return context;
}
void bb_zstd_end(void *context) { p_ZSTD_freeCCtx(context); }

size_t bb_zstd_compress(void *context, const void *input, size_t count, void *output, size_t room) {
  size_t size = p_ZSTD_compress2(context, output, room, input, count);
  return p_ZSTD_isError(size) ? 0 : size;
}

static const size_t lz4_maximum = 0x7E000000;

size_t bb_lz4_bound(size_t count) { return count > lz4_maximum ? 0 : (size_t)p_LZ4_compressBound((int)count); }

size_t bb_lz4_compress(const void *input, size_t count, void *output, size_t room) {
  if (count > lz4_maximum) return 0;
  if (room > 0x7FFFFFFF) room = 0x7FFFFFFF;
  int size = p_LZ4_compress_default(input, output, (int)count, (int)room);
  return size > 0 ? (size_t)size : 0;
}

void *bb_unzstd_begin(void) { return p_ZSTD_createDCtx(); }
void bb_unzstd_end(void *context) { p_ZSTD_freeDCtx(context); }

bb_step_result bb_unzstd_step(
    void *context, const void *input, size_t count, size_t *taken, void *output, size_t room, size_t *made,
    const char **why) {
  input_buffer from = {input, count, 0};
  output_buffer to = {output, room, 0};
  size_t result = p_ZSTD_decompressStream(context, &to, &from);
  *taken = from.position;
  *made = to.position;
  if (p_ZSTD_isError(result)) {
    *why = p_ZSTD_getErrorName(result);
    return bb_step_damaged;
  }
  return result == 0 ? bb_step_done : bb_step_more;
}

void *bb_unbrotli_begin(void) { return p_BrotliDecoderCreateInstance(0, 0, 0); }
void bb_unbrotli_end(void *state) { p_BrotliDecoderDestroyInstance(state); }

bb_step_result bb_unbrotli_step(
    void *state, const void *input, size_t count, size_t *taken, void *output, size_t room, size_t *made,
    const char **why) {
  const uint8_t *from = input;
  uint8_t *to = output;
  // Of the enumeration BrotliDecoderResult: error, success, needs more input, needs more output.
  int result = p_BrotliDecoderDecompressStream(state, &count, &from, &room, &to, 0);
  *taken = (size_t)(from - (const uint8_t *)input);
  *made = (size_t)(to - (uint8_t *)output);
  *why = "the data is wrong";
  return result == 0 ? bb_step_damaged : result == 1 ? bb_step_done : bb_step_more;
}
