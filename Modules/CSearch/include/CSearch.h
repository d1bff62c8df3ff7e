#pragma once
// Search in text without folding it first, hashing, prefetching and trimming memory: static inline functions without
// state or memory of their own.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Bytes after the text that may be read: the caller's buffers have at least this much slack.
enum { bb_find_slack = 128, bb_find_longest = 64 };

// Returns freed memory to the system, also between blocks that are in use.
static inline void bb_trim_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

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

// The high half of the product, mixed with the low half: the step of the hash of keys.
static inline __attribute__((always_inline)) uint64_t bb_mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}
