// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The header as a user has it: constants, and random requests as a trace with the wavefronts of the header, which 'smembank trace'
// compares with its own.
#include "sim/binding/layout.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace smembank;

constexpr tile plain{64, 64, 2}, padded{64, 64, 2, 8}, swizzled{64, 64, 2, 0, {3, 3, 3}};
static_assert(wavefronts(plain, ldmatrix(4)) == 32 && excess(plain, ldmatrix(4)) == 28);
static_assert(excess(padded, ldmatrix(4)) == 0 && excess(swizzled, ldmatrix(4)) == 0);
static_assert(excess(swizzled, ldmatrix(4), 16, 32) == 0);
static_assert(excess(swizzled, row(op::store, 8)) == 0);
constexpr tile floats{32, 32, 4}, floats33{32, 32, 4, 1};
static_assert(wavefronts(floats, column()) == 32 && excess(floats33, column()) == 0);

static std::uint32_t state = 2026;

static unsigned
draw(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

static void
print(const request &asked) {
  static const char *const matrices[] = {"", "ldmatrix.x1", "ldmatrix.x2", "", "ldmatrix.x4"};
  std::printf("%s %u ffffffff",
              asked.what == op::matrix  ? matrices[asked.lanes / 8]
              : asked.what == op::store ? "st"
                                        : "ld",
              asked.width);
  for (unsigned lane = 0; lane < 32; lane++)
    std::printf(" %u", lane < asked.lanes ? asked.offset[lane] : 0u);
  std::printf(" = %u\n", wavefronts(asked));
}

// A tile whose rows are padded by whole vectors, and whose swizzle leaves these together; and an access to it.
struct drawn {
  tile of;
  access by;
};

static drawn
draw_tile() {
  const unsigned bytes = 1u << draw(3), log_vec = draw(5 - (bytes == 1 ? 0 : bytes / 2));
  const unsigned vec = 1u << log_vec, b = draw(4), s = b + draw(3), columns = 16u << draw(4);
  const op what = draw(2) ? op::load : op::store;
  const bool along_row = draw(2);
  const tile of{64, columns, bytes, draw(5) * (16 / bytes), {b, log_vec + draw(3), int(s)}};
  return {of, along_row ? row(what, vec) : column(what, vec)};
}

// The same in the words of 'smembank layout', unless it is padded and swizzled: LAYOUT, ACCESS and its wavefronts.
static void
print_tile(const drawn &made) {
  static const char *const types[] = {"", "u8", "f16", "", "f32"};
  const tile &of = made.of;
  if (of.pad && of.xored.bits)
    return;
  if (of.xored.bits)
    std::printf("Swizzle<%u,%u,%d> o ", of.xored.bits, of.xored.base, of.xored.shift);
  std::printf("(64,%u):(%u,1) x%s|%s %s vec=%u|%u\n", of.columns, of.columns + of.pad,
              types[of.element_bytes], made.by.what == op::store ? "store" : "load",
              made.by.along == access::pattern::row ? "row" : "column", made.by.n,
              wavefronts(of, made.by));
}

// Any addresses; often those of partners are the same, which loads merge.
static request
draw_request() {
  request asked;
  asked.what = draw(3) ? (draw(2) ? op::load : op::store) : op::matrix;
  asked.width = asked.what == op::matrix ? 16 : 1u << draw(5);
  asked.lanes = asked.what == op::matrix ? 8u << draw(3) : 32;
  const unsigned partner = draw(3), range = 1u << (1 + draw(8));
  for (unsigned lane = 0; lane < 32; lane++)
    asked.offset[lane] = partner && lane & partner && draw(20) ? asked.offset[lane ^ partner]
                                                               : draw(range) * asked.width;
  return asked;
}

// "tiles": tiles and accesses; else as many requests as the argument says, which are always the same.
int
main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "tiles") == 0) {
    for (int i = 0; i < 60; i++)
      print_tile(draw_tile());
    return 0;
  }
  const long n = argc > 1 ? std::atol(argv[1]) : 0;
  for (long i = 0; i < n; i++) {
    const drawn made = draw_tile();
    print(i % 2 ? draw_request() : ask(made.of, made.by));
  }
}
