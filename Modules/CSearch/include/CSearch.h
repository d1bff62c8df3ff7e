#pragma once
// Search in text without folding it first, short decimals, and prefetching: static inline functions without state or
// memory.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Bytes after the text that may be read: the caller's buffers have at least this much slack.
enum { bb_find_slack = 128, bb_find_longest = 64 };

static inline __attribute__((always_inline)) void bb_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

static inline __attribute__((always_inline)) uint8_t bb_lower(uint8_t c) { return (uint8_t)(c - 'A') < 26 ? c | 32 : c; }
static inline __attribute__((always_inline)) int bb_is_word(uint8_t c) {
  return (uint8_t)((c | 32) - 'a') < 26 || (uint8_t)(c - '0') < 10;
}

static inline __attribute__((always_inline)) int bb_matches_folded(const uint8_t *text, const uint8_t *needle, size_t count) {
  for (size_t i = 0; i < count; i++) if (bb_lower(text[i]) != needle[i]) return 0;
  return 1;
}

// Whether a text has a byte above 0x7f.
static inline int bb_has_high_byte(const uint8_t *text, size_t n) {
  size_t at = 0;
  uint8_t high = 0;
#if defined(__SSE2__)
  for (; at + 16 <= n; at += 16) if (_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(text + at)))) return 1;
#endif
  for (; at < n; at++) high |= text[at];
  return high >> 7;
}

// Whether the folded text contains a needle of folded ASCII, 1 to bb_find_longest bytes; with `at_word`, only where a
// word begins. 1: yes; 0: no; 2: not certain, because the text is not all ASCII. Folding maps ASCII to ASCII byte by
// byte, so a match in ASCII bytes is one in the folded text as well.
static inline int bb_find_folded(const uint8_t *text, size_t n, const uint8_t *needle, size_t m, int at_word) {
  if (n < m) return bb_has_high_byte(text, n) ? 2 : 0;
  size_t last = n - m;  // the last place where the needle may begin
#if defined(__SSE2__)
  const __m128i fold = _mm_set1_epi8(0x20);
  const __m128i first = _mm_or_si128(_mm_set1_epi8((char)needle[0]), fold);
  const __m128i end = _mm_or_si128(_mm_set1_epi8((char)needle[m - 1]), fold);
  for (size_t at = 0; at <= last; at += 16) {
    __m128i a = _mm_loadu_si128((const __m128i *)(text + at));
    __m128i b = _mm_loadu_si128((const __m128i *)(text + at + m - 1));
    __m128i same = _mm_and_si128(_mm_cmpeq_epi8(_mm_or_si128(a, fold), first), _mm_cmpeq_epi8(_mm_or_si128(b, fold), end));
    uint32_t mask = (uint32_t)_mm_movemask_epi8(same);
    while (mask) {
      size_t place = at + (size_t)__builtin_ctz(mask);
      mask &= mask - 1;
      if (place > last) break;
      if (!bb_matches_folded(text + place, needle, m)) continue;
      if (at_word && place > 0 && (bb_is_word(text[place - 1]) || text[place - 1] > 0x7f)) continue;
      return 1;
    }
  }
#else
  for (size_t place = 0; place <= last; place++) {
    if (!bb_matches_folded(text + place, needle, m)) continue;
    if (at_word && place > 0 && (bb_is_word(text[place - 1]) || text[place - 1] > 0x7f)) continue;
    return 1;
  }
#endif
  return bb_has_high_byte(text, n) ? 2 : 0;
}

// Copies a few bytes without a call.
static inline __attribute__((always_inline)) void bb_copy_short(void *to, const void *from, size_t n) {
  uint8_t *target = (uint8_t *)to;
  const uint8_t *source = (const uint8_t *)from;
  if (n > 32) {
    memcpy(target, source, n);
  } else if (n >= 16) {
    uint64_t a[2], b[2];
    memcpy(a, source, 16);
    memcpy(b, source + n - 16, 16);
    memcpy(target, a, 16);
    memcpy(target + n - 16, b, 16);
  } else if (n >= 8) {
    uint64_t a, b;
    memcpy(&a, source, 8);
    memcpy(&b, source + n - 8, 8);
    memcpy(target, &a, 8);
    memcpy(target + n - 8, &b, 8);
  } else if (n >= 4) {
    uint32_t a, b;
    memcpy(&a, source, 4);
    memcpy(&b, source + n - 4, 4);
    memcpy(target, &a, 4);
    memcpy(target + n - 4, &b, 4);
  } else if (n > 0) {
    uint8_t a = source[0], b = source[n / 2], c = source[n - 1];
    target[0] = a;
    target[n / 2] = b;
    target[n - 1] = c;
  }
}

// The value of the 8 digits in a word, the first one lowest; all ones if they are not digits.
static inline __attribute__((always_inline)) uint64_t bb_eight_digits(uint64_t word) {
  uint64_t high = word & 0xf0f0f0f0f0f0f0f0, more = ((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4;
  if ((high | more) != 0x3333333333333333) return UINT64_MAX;
  word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
  word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  return (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

// Whether a literal has an optional minus, at most 15 digits, and at most one point with digits on both sides of it.
// Then `value` is its nearest double, which no other such number has.
static inline __attribute__((always_inline)) int bb_short_decimal(const uint8_t *text, size_t n, double *value) {
  static const double powers[16] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (n == 0 || n > 17) return 0;
  size_t negative = text[0] == '-';
  text += negative;
  n -= negative;
  uint64_t whole = 0, part = 0;
  size_t before = n, after = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t zeros = 0x3030303030303030;
  uint64_t head, tail;
  if (n >= 8) {
    memcpy(&head, text, 8);
    memcpy(&tail, text + n - 8, 8);
  } else if (n >= 4) {
    uint32_t a, b;
    memcpy(&a, text, 4);
    memcpy(&b, text + n - 4, 4);
    head = a | (uint64_t)b << 8 * (n - 4);
    tail = head << 8 * (8 - n);
  } else if (n > 0) {
    head = text[0] | (uint64_t)text[n / 2] << 8 * (n / 2) | (uint64_t)text[n - 1] << 8 * (n - 1);
    tail = head << 8 * (8 - n);
  } else {
    return 0;
  }
  uint64_t dots = head ^ 0x2e2e2e2e2e2e2e2e;
  dots = (dots - 0x0101010101010101) & ~dots & 0x8080808080808080;
  if (dots) before = (size_t)__builtin_ctzll(dots) >> 3;
  else if (n > 8 && text[8] == '.') before = 8;
  if (before < n) {
    after = n - before - 1;
    if (after == 0) return 0;
  }
  if (before - 1 < 8 && after <= 8 && before + after <= 15) {
    whole = bb_eight_digits(head << 8 * (8 - before) | (before == 8 ? 0 : zeros >> 8 * before));
    if (after) part = bb_eight_digits((tail & ~(uint64_t)0 << 8 * (8 - after)) | (after == 8 ? 0 : zeros >> 8 * after));
    if (whole == UINT64_MAX || part == UINT64_MAX) return 0;
  } else
#endif
  {
    size_t digits = 0, point = n;
    for (size_t i = 0; i < n; i++) {
      if (text[i] == '.' && point == n && i > 0 && i + 1 < n) {
        point = i;
      } else if ((uint8_t)(text[i] - '0') < 10 && digits < 15) {
        whole = whole * 10 + (uint64_t)(text[i] - '0');
        digits++;
      } else {
        return 0;
      }
    }
    if (digits == 0) return 0;
    after = point < n ? n - point - 1 : 0;
    *value = (double)whole / powers[after];
    if (negative) *value = -*value;
    return 1;
  }
  *value = (double)(whole * (uint64_t)powers[after] + part) / powers[after];
  if (negative) *value = -*value;
  return 1;
}

// The high half of the product, mixed with the low half: the step of the hash of keys.
static inline __attribute__((always_inline)) uint64_t bb_mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}
