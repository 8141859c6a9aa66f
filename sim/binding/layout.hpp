// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Bank conflicts of a tile in shared memory as constant expressions, for static_assert. C++17, and nothing else is included but
// <cstdint>. The rules are those of NVIDIA's chips from compute capability 5.0 on (doc/model.md); smembank counts the same:
//
//     constexpr smembank::tile smem{64, 64, 2, 0, {3, 3, 3}}; // 64 x 64 of half, Swizzle<3,3,3>
//     static_assert(smembank::excess(smem, smembank::ldmatrix(4)) == 0);
//     static_assert(smembank::excess(smem, smembank::row(smembank::op::store, 8)) == 0);
//
// Not here: other architectures, atomics, and other notations: 'smembank layout' has them.
#ifndef SMEMBANK_LAYOUT_HPP
#define SMEMBANK_LAYOUT_HPP

#include <cstdint>

namespace smembank {

/** CuTe's Swizzle<B,M,S>, of numbers of elements. B = 0: none. */
struct swizzle {
  unsigned bits = 0;
  unsigned base = 0;
  int shift = 0;
};

/** Rows of elements, padded or swizzled or both: first the swizzle gives another number to an element, then that is placed. */
struct tile {
  unsigned rows;
  unsigned columns;
  unsigned element_bytes;
  unsigned pad = 0; // elements after each row
  swizzle xored = {};

  /** Byte offset of an element. */
  constexpr std::uint32_t
  offset(unsigned row, unsigned column) const {
    std::uint32_t n = row * columns + column;
    const std::uint32_t mask = (1u << xored.bits) - 1;
    const unsigned source = xored.base + (xored.shift > 0 ? unsigned(xored.shift) : 0u);
    const unsigned target = xored.base + (xored.shift < 0 ? unsigned(-xored.shift) : 0u);
    n ^= (n >> source & mask) << target;
    return (n / columns * (columns + pad) + n % columns) * element_bytes;
  }
};

enum class op {
  load,
  store,
  matrix
};

/** What one instruction of a full warp asks for: @width bytes of each lane; of op::matrix the first 8, 16 or 32 lanes give a row. */
struct request {
  op what = op::load;
  unsigned width = 4;
  unsigned lanes = 32;
  std::uint32_t offset[32] = {};
};

/** Lanes that are served together in the absence of conflicts. */
constexpr unsigned
group_lanes(const request &asked) {
  if (asked.what == op::matrix)
    return 8;
  unsigned lanes = asked.width <= 4 ? 32 : 128 / asked.width;
  bool pairs1 = true,
       pairs2 = true; // lanes with a partner at the same address are merged, in loads
  for (unsigned lane = 0; lane < 32; lane++) {
    pairs1 = pairs1 && asked.offset[lane] == asked.offset[lane ^ 1];
    pairs2 = pairs2 && asked.offset[lane] == asked.offset[lane ^ 2];
  }
  return asked.what == op::load && asked.width > 4 && (pairs1 || pairs2) ? 2 * lanes : lanes;
}

/** Wavefronts without conflicts: one for each group. */
constexpr unsigned
ideal(const request &asked) {
  return asked.lanes / group_lanes(asked);
}

/** Wavefronts: of each group the most distinct words that it asks of one bank; a wide access asks for neighbouring banks at once. */
constexpr unsigned
wavefronts(const request &asked) {
  const unsigned unit = asked.width < 4 ? 4 : asked.width, banks = 128 / unit;
  const unsigned group = group_lanes(asked);
  unsigned sum = 0;
  for (unsigned first = 0; first < asked.lanes; first += group) {
    unsigned most = 0;
    unsigned words[32] = {};
    for (unsigned lane = first; lane < first + group; lane++) {
      const std::uint32_t word = asked.offset[lane] / unit;
      bool is_new = true;
      for (unsigned before = first; before < lane; before++)
        is_new = is_new && asked.offset[before] / unit != word;
      words[word % banks] += is_new;
      most = words[word % banks] > most ? words[word % banks] : most;
    }
    sum += most;
  }
  return sum;
}

/** An access of a warp to a tile, as 'smembank layout' names it. */
struct access {
  enum class pattern {
    row,
    column,
    matrix
  } along;
  op what;
  unsigned n; // elements of a lane, or matrices
};

constexpr access
row(op what = op::load, unsigned vec = 1) {
  return {access::pattern::row, what, vec};
}
constexpr access
column(op what = op::load, unsigned vec = 1) {
  return {access::pattern::column, what, vec};
}
/** ldmatrix.x1, .x2 or .x4, with .trans or without; stmatrix is served alike. */
constexpr access
ldmatrix(unsigned matrices) {
  return {access::pattern::matrix, op::matrix, matrices};
}

/** The request of an access that begins at an element; all of it has to be in the tile, and a lane's elements adjacent and aligned. */
constexpr request
ask(const tile &of, const access &by, unsigned first_row = 0, unsigned first_column = 0) {
  request asked;
  asked.what = by.what;
  const bool is_matrix = by.along == access::pattern::matrix;
  asked.lanes = is_matrix ? 8 * by.n : 32;
  asked.width = is_matrix ? 16 : by.n * of.element_bytes;
  for (unsigned lane = 0; lane < asked.lanes; lane++) {
    unsigned r = first_row, c = first_column;
    if (is_matrix) {
      r += lane % 16;
      c += lane / 16 * (16 / of.element_bytes);
    } else if (by.along == access::pattern::row) {
      const unsigned n = r * of.columns + c + lane * by.n;
      r = n / of.columns;
      c = n % of.columns;
    } else {
      c += (r + lane) / of.rows * by.n;
      r = (r + lane) % of.rows;
    }
    asked.offset[lane] = of.offset(r, c);
  }
  return asked;
}

constexpr unsigned
wavefronts(const tile &of, const access &by, unsigned first_row = 0, unsigned first_column = 0) {
  return wavefronts(ask(of, by, first_row, first_column));
}

/** Wavefronts that are due to bank conflicts. */
constexpr unsigned
excess(const tile &of, const access &by, unsigned first_row = 0, unsigned first_column = 0) {
  const request asked = ask(of, by, first_row, first_column);
  return wavefronts(asked) - ideal(asked);
}

} // namespace smembank

#endif
