#pragma once
// Scanning of JSON with vector registers. A function may read up to 32 bytes, of a block 64, past the given ones.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define BB_INLINE static inline __attribute__((always_inline))

/// Masks of the quotes, backslashes and brackets of a block of 64 bytes: bit i for byte i. The brackets include `|` and
/// `\`, which occur only in strings of JSON.
typedef struct {
  uint64_t quotes, backslashes, brackets;
} bb_json_block;

/// Which bytes of a block of 64 are `[` or `{`, which are `]` or `}`.
typedef struct {
  uint64_t openers, closers;
} bb_json_brackets;

#if defined(__x86_64__)
BB_INLINE uint32_t bb_json_mask16(const void *s) {
  __m128i v = _mm_loadu_si128((const __m128i *)s);
  // With the quote (0x22) and the space (0x20) in each other's place, the quote is next to the control characters.
  __m128i swapped = _mm_xor_si128(v, _mm_set1_epi8(2));
  __m128i special = _mm_cmpeq_epi8(_mm_min_epu8(swapped, _mm_set1_epi8(0x20)), swapped);
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}

BB_INLINE bb_json_block bb_read_json_block(const void *s) {
  bb_json_block b = {0, 0, 0};
  __m128i slashes[4], some = _mm_setzero_si128();
  for (int i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)((const char *)s + 16 * i));
    slashes[i] = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    some = _mm_or_si128(some, slashes[i]);
    // `{` `|` `}` follow one another, and so do `[` `\` `]`, which lack the same bit.
    __m128i offset = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('{'));
    __m128i bracket = _mm_cmpeq_epi8(_mm_max_epu8(offset, _mm_set1_epi8(2)), _mm_set1_epi8(2));
    b.quotes |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"'))) << 16 * i;
    b.brackets |= (uint64_t)(uint32_t)_mm_movemask_epi8(bracket) << 16 * i;
  }
  if (_mm_movemask_epi8(some))
    for (int i = 0; i < 4; i++) b.backslashes |= (uint64_t)(uint32_t)_mm_movemask_epi8(slashes[i]) << 16 * i;
  return b;
}

BB_INLINE bb_json_brackets bb_read_json_brackets(const void *s) {
  bb_json_brackets b = {0, 0};
  for (int i = 0; i < 4; i++) {
    __m128i lower = _mm_or_si128(_mm_loadu_si128((const __m128i *)((const char *)s + 16 * i)), _mm_set1_epi8(0x20));
    b.openers |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(lower, _mm_set1_epi8('{'))) << 16 * i;
    b.closers |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(lower, _mm_set1_epi8('}'))) << 16 * i;
  }
  return b;
}

/// The number of `count` bytes that are line feeds.
static inline size_t bb_count_lines(const void *bytes, size_t count) {
  const char *s = (const char *)bytes;
  size_t lines = 0, i = 0;
  while (i + 16 <= count) {
    __m128i sum = _mm_setzero_si128();
    for (int round = 0; round < 255 && i + 16 <= count; round++, i += 16)
      sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(s + i)), _mm_set1_epi8('\n')));
    __m128i halves = _mm_sad_epu8(sum, _mm_setzero_si128());
    lines += (size_t)_mm_cvtsi128_si64(halves) + (size_t)_mm_cvtsi128_si64(_mm_srli_si128(halves, 8));
  }
  for (; i < count; i++) lines += s[i] == '\n';
  return lines;
}

/// The number of ASCII bytes at the beginning of `bytes`, in steps of 16 except at the end.
BB_INLINE size_t bb_skip_ascii(const uint8_t *bytes, size_t count) {
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __m128i *block = (const __m128i *)(bytes + i);
    __m128i low = _mm_or_si128(_mm_loadu_si128(block), _mm_loadu_si128(block + 1));
    __m128i high = _mm_or_si128(_mm_loadu_si128(block + 2), _mm_loadu_si128(block + 3));
    if (_mm_movemask_epi8(_mm_or_si128(low, high))) break;
  }
  while (i + 16 <= count) {
    int mask = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(bytes + i)));
    if (mask) return i + (size_t)__builtin_ctz((unsigned)mask);
    i += 16;
  }
  while (i < count && bytes[i] < 0x80) i++;
  return i;
}

/// Whether the first `count` bytes are the same.
BB_INLINE int bb_same(const uint8_t *a, const uint8_t *b, size_t count) {
  while (count > 16) {
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)a), _mm_loadu_si128((const __m128i *)b))) != 0xFFFF)
      return 0;
    a += 16, b += 16, count -= 16;
  }
  unsigned mask = (unsigned)_mm_movemask_epi8(
      _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)a), _mm_loadu_si128((const __m128i *)b)));
  return (~mask & ((1u << count) - 1)) == 0;
}
#else
BB_INLINE uint32_t bb_json_mask16(const void *s) {
  uint32_t mask = 0;
  for (int i = 0; i < 16; i++) {
    uint8_t c = ((const uint8_t *)s)[i];
    mask |= (uint32_t)(c == '"' || c == '\\' || c < 0x20) << i;
  }
  return mask;
}

BB_INLINE bb_json_block bb_read_json_block(const void *s) {
  bb_json_block b = {0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint8_t c = ((const uint8_t *)s)[i];
    b.quotes |= (uint64_t)(c == '"') << i;
    b.backslashes |= (uint64_t)(c == '\\') << i;
    b.brackets |= (uint64_t)((uint8_t)((c | 0x20) - '{') <= 2) << i;
  }
  return b;
}

BB_INLINE bb_json_brackets bb_read_json_brackets(const void *s) {
  bb_json_brackets b = {0, 0};
  for (int i = 0; i < 64; i++) {
    uint8_t c = ((const uint8_t *)s)[i] | 0x20;
    b.openers |= (uint64_t)(c == '{') << i;
    b.closers |= (uint64_t)(c == '}') << i;
  }
  return b;
}

static inline size_t bb_count_lines(const void *bytes, size_t count) {
  size_t lines = 0;
  for (size_t i = 0; i < count; i++) lines += ((const char *)bytes)[i] == '\n';
  return lines;
}

BB_INLINE size_t bb_skip_ascii(const uint8_t *bytes, size_t count) {
  size_t i = 0;
  uint64_t word;
  while (i + 8 <= count && (memcpy(&word, bytes + i, 8), (word & 0x8080808080808080u) == 0)) i += 8;
  while (i < count && bytes[i] < 0x80) i++;
  return i;
}

BB_INLINE int bb_same(const uint8_t *a, const uint8_t *b, size_t count) { return memcmp(a, b, count) == 0; }
#endif

/// Which of 32 bytes must be escaped in a string: `"`, `\`, below 0x20.
BB_INLINE uint32_t bb_json_mask32(const void *s) { return bb_json_mask16(s) | bb_json_mask16((const char *)s + 16) << 16; }

/// All ones when an odd number of bits is set, else 0.
BB_INLINE uint64_t bb_parity(uint64_t bits) { return (uint64_t)0 - (uint64_t)__builtin_parityll(bits); }

/// The position of the first byte that is not UTF-8 (overlong forms, surrogates and values above U+10FFFF are not);
/// `count` if there is none. Three bytes of any content may be read after the given ones.
static inline size_t bb_first_not_utf8(const uint8_t *s, size_t count) {
  size_t i = 0, start;
  while (1) {
    i += bb_skip_ascii(s + i, count - i);
    if (i == count) return count;
    do {
      start = i;
      uint8_t c = s[i], a = s[i + 1];
      if (c < 0xC2 || c > 0xF4) return i;
      if (c < 0xE0) {
        if ((a & 0xC0) != 0x80) return i;
        i += 2;
      } else if (c < 0xF0) {
        if ((a & 0xC0) != 0x80 || (s[i + 2] & 0xC0) != 0x80 || (c == 0xE0 && a < 0xA0) || (c == 0xED && a > 0x9F)) return i;
        i += 3;
      } else {
        if ((a & 0xC0) != 0x80 || (s[i + 2] & 0xC0) != 0x80 || (s[i + 3] & 0xC0) != 0x80 || (c == 0xF0 && a < 0x90) ||
            (c == 0xF4 && a > 0x8F))
          return i;
        i += 4;
      }
    } while (i < count && s[i] >= 0x80);
    if (i > count) return start;
  }
}
