#pragma once
// What writers look for, and digits, 16 bytes at a time: bit i of a mask is set when byte i is one of the bytes named.
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>

static inline __attribute__((always_inline)) __m128i bb_load16(const void *s) { return _mm_loadu_si128((const __m128i *)s); }
static inline __attribute__((always_inline)) __m128i bb_is(__m128i v, char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); }
// Bytes from `low` to `low + span`, without sign.
static inline __attribute__((always_inline)) __m128i bb_in(__m128i v, char low, char span) {
  __m128i offset = _mm_sub_epi8(v, _mm_set1_epi8(low)), limit = _mm_set1_epi8(span);
  return _mm_cmpeq_epi8(_mm_max_epu8(offset, limit), limit);
}
static inline __attribute__((always_inline)) uint32_t bb_bits(__m128i v) { return (uint32_t)_mm_movemask_epi8(v); }

// CSV fields: the quote, the delimiter, '\n', '\r'.
static inline __attribute__((always_inline)) uint32_t bb_write_csv_mask16(const void *s, uint8_t delimiter) {
  __m128i v = bb_load16(s);
  return bb_bits(_mm_or_si128(_mm_or_si128(bb_is(v, '"'), bb_is(v, (char)delimiter)), _mm_or_si128(bb_is(v, '\n'), bb_is(v, '\r'))));
}

// One byte.
static inline __attribute__((always_inline)) uint32_t bb_write_equal_mask16(const void *s, uint8_t byte) {
  return bb_bits(bb_is(bb_load16(s), (char)byte));
}

// Digits.
static inline __attribute__((always_inline)) uint32_t bb_digit_mask16(const void *s) { return bb_bits(bb_in(bb_load16(s), '0', 9)); }

// Outside printable ASCII: below 0x20, 0x7f and above.
static inline __attribute__((always_inline)) uint32_t bb_write_unprintable_mask16(const void *s) {
  return bb_bits(bb_in(bb_load16(s), 0x20, 0x5e)) ^ 0xffff;
}

// Markdown cells: \ ` * _ [ ] < > & ~ | @, control bytes, 0xc2 (which begins U+0080 to U+009F); '.' that may follow
// 'w'; ':' that may precede '/' or the name of an emoji (a letter, a sign, or a digit that is not the last but one: not
// that of 10:30:15). Neighbours outside the 16 bytes count as such. Sometimes a harmless ASCII neighbour ('^', '}') is
// reported as well.
static inline __attribute__((always_inline)) uint32_t bb_write_markdown_mask16(const void *s) {
  __m128i v = bb_load16(s), low = _mm_or_si128(v, _mm_set1_epi8(0x20));
  __m128i any = _mm_or_si128(_mm_or_si128(bb_in(v, 0, 0x1f), bb_in(v, 0x5b, 4)), _mm_or_si128(bb_is(low, 0x60), bb_is(v, '&')));
  any = _mm_or_si128(any, _mm_or_si128(bb_is(_mm_or_si128(v, _mm_set1_epi8(2)), 0x3e), bb_is(_mm_or_si128(v, _mm_set1_epi8(3)), 0x7f)));
  any = _mm_or_si128(any, _mm_or_si128(bb_is(v, '*'), bb_is(v, (char)0xc2)));
  uint32_t dots = bb_bits(bb_is(v, '.')) & (bb_bits(bb_is(low, 'w')) << 1 | 1);
  // From '+' to '9' there are signs and digits, and ',' and '.', which are harmless.
  uint32_t letters = bb_bits(bb_in(low, 'a', 25)), digits = bb_bits(bb_in(v, '0', 9));
  uint32_t names = letters | bb_bits(bb_in(v, '+', 4));
  uint32_t after = names >> 1 | (digits >> 1 & (letters >> 2 | digits >> 3 | 0x6000)) | 0x8000;
  uint32_t colons = bb_bits(bb_is(v, ':')) & after;
  return bb_bits(any) | dots | colons;
}

// Markup (HTML, XML): & < > ", control bytes, 0xc2 (which begins U+0080 to U+009F), 0xef (which begins U+FFFE and U+FFFF).
static inline __attribute__((always_inline)) uint32_t bb_write_markup_mask16(const void *s) {
  __m128i v = bb_load16(s);
  __m128i any = _mm_or_si128(_mm_or_si128(bb_in(v, 0, 0x1f), bb_is(v, 0x7f)), _mm_or_si128(bb_is(v, '&'), bb_is(v, '"')));
  any = _mm_or_si128(any, _mm_or_si128(bb_is(v, (char)0xc2), bb_is(v, (char)0xef)));
  return bb_bits(_mm_or_si128(any, bb_is(_mm_or_si128(v, _mm_set1_epi8(2)), 0x3e)));
}

#else

#define BB_MASK16(condition) \
  const uint8_t *bytes = (const uint8_t *)s; uint32_t mask = 0; \
  for (int i = 0; i < 16; i++) { uint8_t c = bytes[i]; mask |= (uint32_t)(condition) << i; } \
  return mask;

static inline uint32_t bb_write_csv_mask16(const void *s, uint8_t delimiter) { BB_MASK16(c == '"' || c == delimiter || c == '\n' || c == '\r') }
static inline uint32_t bb_write_equal_mask16(const void *s, uint8_t byte) { BB_MASK16(c == byte) }
static inline uint32_t bb_digit_mask16(const void *s) { BB_MASK16(c >= '0' && c <= '9') }
static inline uint32_t bb_write_unprintable_mask16(const void *s) { BB_MASK16(c < 0x20 || c > 0x7e) }
static inline uint32_t bb_write_markdown_mask16(const void *s) {
  BB_MASK16(c < 0x20 || c == 0x7f || (c >= 0x5b && c <= 0x60) || c == '*' || c == '&' || c == '<' || c == '>' || c == '~' || c == '|' || c == '@'
            || c == ':' || c == '.' || c == 0xc2)
}
static inline uint32_t bb_write_markup_mask16(const void *s) {
  BB_MASK16(c < 0x20 || c == 0x7f || c == '&' || c == '"' || c == '<' || c == '>' || c == 0xc2 || c == 0xef)
}
#undef BB_MASK16

#endif
