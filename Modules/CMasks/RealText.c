#include "RealText.h"
#include <string.h>

#define P4(x) x, x * 5, x * 25, x * 125
#define P16(x) P4(x), P4(x * 625), P4(x * 390625), P4(x * 244140625)
static const uint64_t powers_of_five[28] = {P16(1ull), P4(152587890625ull), P4(95367431640625ull), P4(59604644775390625ull)};

/// The double nearest to a number of 64 bits, the highest set, and `more` if something follows, times 2^exponent.
static double rounded(uint64_t bits, int more, int exponent) {
  uint64_t whole = bits >> 11, rest = bits & 0x7FF;
  if (rest > 0x400 || (rest == 0x400 && (more || (whole & 1)))) whole++;
  if (whole >> 53) {
    whole >>= 1;
    exponent++;
  }
  uint64_t pattern = (uint64_t)(exponent + 11 + 52 + 1023) << 52 | (whole & ~(1ull << 52));
  double value;
  memcpy(&value, &pattern, 8);
  return value;
}

int bb_nearest_double(const uint8_t *text, size_t count, double *value) {
  const uint8_t *at = text, *end = text + count, *point = 0;
  int negative = at < end && *at == '-', digits = 0, power = 0;
  at += negative;
  uint64_t mantissa = 0;
  const uint8_t *first = at;
  for (; at < end; at++) {
    uint8_t digit = *at - '0';
    if (digit < 10) {
      mantissa = mantissa * 10 + digit;
      digits += digits > 0 || digit > 0;
      if (digits > 19) return 0;
    } else if (*at == '.' && !point && at > first) {
      point = at;
    } else {
      break;
    }
  }
  if (at == first || point == at - 1) return 0;
  if (point) power = (int)(point + 1 - at);
  if (at < end) {
    if ((*at | 0x20) != 'e' || ++at == end) return 0;
    int down = *at == '-', exponent = 0;
    if (*at == '-' || *at == '+') at++;
    if (at == end || end - at > 4) return 0;
    for (; at < end; at++) {
      if ((uint8_t)(*at - '0') > 9) return 0;
      exponent = exponent * 10 + (*at - '0');
    }
    power += down ? -exponent : exponent;
  }
  if (mantissa == 0) {
    *value = negative ? -0.0 : 0.0;
    return 1;
  }
  if (power < -27 || power > 27) return 0;
  int shift = __builtin_clzll(mantissa);
  mantissa <<= shift;
  double magnitude;
  if (power >= 0) {
    unsigned __int128 product = (unsigned __int128)mantissa * powers_of_five[power];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    int lead = high ? __builtin_clzll(high) : 64;
    uint64_t bits = lead == 64 ? low : lead ? high << lead | low >> (64 - lead) : high;
    int more = lead < 64 && (lead ? low << lead : low) != 0;
    magnitude = rounded(bits, more, power - shift + 64 - lead);
  } else {
    uint64_t divisor = powers_of_five[-power];
    int lead = __builtin_clzll(divisor);
    divisor <<= lead;
    unsigned __int128 dividend = (unsigned __int128)mantissa << 63;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    uint64_t rest = (uint64_t)(dividend - (unsigned __int128)quotient * divisor);
    int up = __builtin_clzll(quotient);
    magnitude = rounded(quotient << up, rest != 0, power - shift + lead - 63 - up);
  }
  *value = negative ? -magnitude : magnitude;
  return 1;
}
