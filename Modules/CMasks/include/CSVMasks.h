#pragma once
// What reading CSV asks of registers. A block is 64 bytes, all of which may be read.
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/// Which bytes of a block are quotes, delimiters, line feeds, carriage returns: bit i for byte i.
typedef struct {
  uint64_t quotes, delimiters, feeds, returns;
} bb_csv_block;

#if defined(__x86_64__)
static inline __attribute__((always_inline)) bb_csv_block bb_read_csv_block(const void *s, uint8_t delimiter) {
  bb_csv_block b = {0, 0, 0, 0};
  __m128i d = _mm_set1_epi8((char)delimiter);
  for (int i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)((const char *)s + 16 * i));
    b.quotes |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"'))) << 16 * i;
    b.delimiters |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, d)) << 16 * i;
    b.feeds |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))) << 16 * i;
    b.returns |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r'))) << 16 * i;
  }
  return b;
}

/// The number of `count` bytes that are `byte`.
static inline size_t bb_count_byte(const void *bytes, size_t count, uint8_t byte) {
  const char *s = (const char *)bytes;
  __m128i wanted = _mm_set1_epi8((char)byte);
  size_t found = 0, i = 0;
  while (i + 16 <= count) {
    __m128i sum = _mm_setzero_si128();
    for (int round = 0; round < 255 && i + 16 <= count; round++, i += 16)
      sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(s + i)), wanted));
    __m128i halves = _mm_sad_epu8(sum, _mm_setzero_si128());
    found += (size_t)_mm_cvtsi128_si64(halves) + (size_t)_mm_cvtsi128_si64(_mm_srli_si128(halves, 8));
  }
  for (; i < count; i++) found += (uint8_t)s[i] == byte;
  return found;
}
#else
static inline bb_csv_block bb_read_csv_block(const void *s, uint8_t delimiter) {
  bb_csv_block b = {0, 0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint8_t c = ((const uint8_t *)s)[i];
    b.quotes |= (uint64_t)(c == '"') << i;
    b.delimiters |= (uint64_t)(c == delimiter) << i;
    b.feeds |= (uint64_t)(c == '\n') << i;
    b.returns |= (uint64_t)(c == '\r') << i;
  }
  return b;
}
static inline size_t bb_count_byte(const void *bytes, size_t count, uint8_t byte) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) found += ((const uint8_t *)bytes)[i] == byte;
  return found;
}
#endif

/// Bit i is set when an odd number of bits up to and including i is: which bytes lie inside quotes.
static inline __attribute__((always_inline)) uint64_t bb_prefix_xor(uint64_t x) {
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  x ^= x << 32;
  return x;
}

/// Whether a quote opens elsewhere than at the beginning of a field; the bytes begin with a record, and 64 may be read after them.
static inline int bb_has_stray_quote(const uint8_t *s, size_t count, uint8_t delimiter) {
  uint64_t inside = 0;
  for (size_t i = 0; i < count; i += 64) {
    uint64_t quotes = bb_read_csv_block(s + i, delimiter).quotes;
    if (count - i < 64) quotes &= (1ull << (count - i)) - 1;
    if (!quotes) continue;
    uint64_t quoted = bb_prefix_xor(quotes) ^ inside;
    inside = (uint64_t)((int64_t)quoted >> 63);
    for (uint64_t opening = quotes & quoted; opening; opening &= opening - 1) {
      size_t at = i + (size_t)__builtin_ctzll(opening);
      uint8_t before = at ? s[at - 1] : '\n';
      if (before != delimiter && before != '\n' && before != '"') return 1;
    }
  }
  return 0;
}

#include <string.h>
/// Whether `byte` is among `count` bytes.
static inline int bb_has_byte(const void *bytes, size_t count, uint8_t byte) { return memchr(bytes, byte, count) != 0; }

/// The position of the first `byte` among `count` bytes; `count` when there is none.
static inline size_t bb_find_byte(const uint8_t *bytes, size_t count, uint8_t byte) {
  const uint8_t *found = (const uint8_t *)memchr(bytes, byte, count);
  return found ? (size_t)(found - bytes) : count;
}
