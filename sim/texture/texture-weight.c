// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/texture/texture.h"

enum {
  ONE = SMB_TEXTURE_ONE,
};

// @a times @b, of which both are at most ONE, ties upwards.
static unsigned
multiply(unsigned a, unsigned b) {
  return (a * b + ONE / 2) / ONE;
}

// Splits what the texels of a row weigh by the fraction along x, and each part by that along y. Ties go away from the middle.
static void
weigh_square(unsigned total, unsigned x, unsigned y, unsigned *weights) {
  unsigned right = multiply(total, x), left = total - right;
  weights[3] = multiply(right, y);
  weights[1] = right - weights[3];
  weights[0] = multiply(left, ONE - y);
  weights[2] = left - weights[0];
}

void
smb_texture_weights(unsigned total, unsigned n_axes, const unsigned *fractions, unsigned *weights) {
  unsigned above = n_axes == 3 ? multiply(total, fractions[2]) : 0;
  weigh_square(total - above, fractions[0], fractions[1], weights);
  if (n_axes == 3)
    weigh_square(above, fractions[0], fractions[1], weights + 4);
}
