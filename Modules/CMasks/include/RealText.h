#pragma once
// The number that a literal represents, rounded once.
#include <stddef.h>
#include <stdint.h>

/// Puts the nearest double of the `count` bytes of a literal: an optional minus, digits with at most one point between
/// them, and an optional exponent. 0 if the text is another one, or has more than 19 digits after its zeros, or a power
/// of ten beyond 27 that they are multiplied with or divided by.
int bb_nearest_double(const uint8_t *text, size_t count, double *value);
