#include "CZlib.h"
#include <dlfcn.h>
#include <stdlib.h>

// What zlib.h declares, unchanged since version 1.0: the size is checked by inflateInit2_.
typedef struct {
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*zalloc)(void *, unsigned, unsigned);
  void (*zfree)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
} stream;

enum { no_flush = 0, finish = 4, ok = 0, stream_end = 1, buffer_error = -5, raw_deflate = -15, gzip = 15 + 16, deflated = 8 };

#define FUNCTIONS(F) \
  F(int, inflateInit2_, (stream *, int, const char *, int)) \
  F(int, inflate, (stream *, int)) \
  F(int, inflateEnd, (stream *)) \
  F(int, inflateReset, (stream *)) \
  F(int, deflateInit2_, (stream *, int, int, int, int, int, const char *, int)) \
  F(int, deflate, (stream *, int)) \
  F(int, deflateReset, (stream *)) \
  F(int, deflateEnd, (stream *)) \
  F(unsigned long, deflateBound, (stream *, unsigned long)) \
  F(unsigned long, crc32, (unsigned long, const uint8_t *, unsigned))

#define DECLARE(result, name, parameters) static result (*p_##name) parameters;
FUNCTIONS(DECLARE)

const char *bb_zlib_load(void) {
  static int is_loaded;
  if (is_loaded) return 0;
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define RESOLVE(result, name, parameters) \
  if (!(p_##name = (result (*) parameters)dlsym(library, #name))) return "zlib is too old: it has no " #name;
  FUNCTIONS(RESOLVE)
  is_loaded = 1;
  return 0;
}

struct bb_inflate {
  stream stream;
};

static bb_inflate *begin(int format) {
  bb_inflate *inflate = calloc(1, sizeof *inflate);
  if (inflate && p_inflateInit2_(&inflate->stream, format, "1", sizeof(stream)) != ok) {
    free(inflate);
    return 0;
  }
  return inflate;
}

bb_inflate *bb_inflate_begin(void) { return begin(raw_deflate); }
bb_inflate *bb_gunzip_begin(void) { return begin(gzip); }
void bb_inflate_again(bb_inflate *inflate) { p_inflateReset(&inflate->stream); }

static unsigned bounded(size_t count) { return count > 1u << 30 ? 1u << 30 : (unsigned)count; }

bb_inflate_result bb_inflate_step(
    bb_inflate *inflate, const uint8_t *input, size_t count, size_t *taken, void *output, size_t room, size_t *made) {
  stream *s = &inflate->stream;
  s->next_in = input;
  s->avail_in = bounded(count);
  s->next_out = output;
  s->avail_out = bounded(room);
  int result = p_inflate(s, no_flush);
  *taken = (size_t)(s->next_in - input);
  *made = (size_t)(s->next_out - (uint8_t *)output);
  if (result == stream_end) return bb_inflate_done;
  return result == ok || result == buffer_error ? bb_inflate_more : bb_inflate_damaged;
}

void bb_inflate_end(bb_inflate *inflate) {
  p_inflateEnd(&inflate->stream);
  free(inflate);
}

struct bb_deflate {
  stream stream;
};

static bb_deflate *begin_deflate(int level, int format) {
  bb_deflate *deflate = calloc(1, sizeof *deflate);
  if (deflate && p_deflateInit2_(&deflate->stream, level, deflated, format, 8, 0, "1", sizeof(stream)) != ok) {
    free(deflate);
    return 0;
  }
  return deflate;
}

bb_deflate *bb_gzip_begin(int level) { return begin_deflate(level, gzip); }
bb_deflate *bb_deflate_begin(int level) { return begin_deflate(level, raw_deflate); }
void bb_deflate_again(bb_deflate *deflate) { p_deflateReset(&deflate->stream); }

// A finished stream has a smaller bound: it no longer counts the header and the trailer.
size_t bb_gzip_bound(bb_deflate *deflate, size_t count) {
  p_deflateReset(&deflate->stream);
  return p_deflateBound(&deflate->stream, count);
}

size_t bb_gzip_member(bb_deflate *deflate, const void *input, size_t count, void *output, size_t room) {
  stream *s = &deflate->stream;
  if (count > 1u << 30 || room > 0xFFFFFFFFu || p_deflateReset(s) != ok) return 0;
  s->next_in = input;
  s->avail_in = (unsigned)count;
  s->next_out = output;
  s->avail_out = (unsigned)room;
  if (p_deflate(s, finish) != stream_end) return 0;
  return (size_t)(s->next_out - (uint8_t *)output);
}

bool bb_deflate_step(
    bb_deflate *deflate, const uint8_t *input, size_t count, bool is_last, size_t *taken, void *output, size_t room,
    size_t *made) {
  stream *s = &deflate->stream;
  s->next_in = input;
  s->avail_in = bounded(count);
  s->next_out = output;
  s->avail_out = bounded(room);
  int result = p_deflate(s, is_last ? finish : no_flush);
  *taken = (size_t)(s->next_in - input);
  *made = (size_t)(s->next_out - (uint8_t *)output);
  return is_last ? result == stream_end : s->avail_out > 0;
}

void bb_deflate_end(bb_deflate *deflate) {
  p_deflateEnd(&deflate->stream);
  free(deflate);
}

uint32_t bb_zlib_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    unsigned piece = bounded(count);
    crc = (uint32_t)p_crc32(crc, bytes, piece);
    bytes += piece;
    count -= piece;
  }
  return crc;
}
