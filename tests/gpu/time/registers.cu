// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures what the banks of registers cost: FFMA whose registers are in this bank or that, kept for the next one or not; and results of shared
// memory, which have to be written beside those of FFMA. Cycles are those of clock64().
//
//   registers [--only NAME] [--cubins FOLDER]    writes lines 'name value unit how'
//
// The compiler puts as many FFMA into the loop as are wanted. Their registers are changed in the machine code.
#include "few-more.h"

static const int sums = 64;  // registers that FFMA of the compiler add to: those that are free for others
static const int groups = 4; // registers that are loaded, or groups of them

// An FFMA: number of the register that it adds to, of its factors, in the lists of even and odd registers; which it keeps.
struct Multiply {
  int sum, a, b;
  unsigned keeps;
};

struct Row {
  std::string name, load; // PTX; '@': which of four registers, or groups of them; it takes the place of the last FFMA
  std::vector<Multiply> multiplies;
  int threads, few;
  std::string how;
  int blocks = 1;
};

// Registers: %f0 to %f63, sums; %s: shared memory, %l: 16 bytes of it for each lane; %p0 to %p3, %q0 …, %o0 …, %r0 …: what copies load.
static std::string kernel_of(const Row &r, const char *name, int copies) {
  std::string k = std::string(".visible .entry ") + name + "(.param .u64 out, .param .u64 in, .param .u64 to, .param .u32 n)\n.maxntid " + std::to_string(r.threads) +
                  "\n{\n  .reg .b32 %p<4>, %q<4>, %o<4>, %r<4>, %n, %t, %s, %l, %u, %v; .reg .b64 %out, %t0, %t1, %w; .reg .f32 %f<" + std::to_string(sums) + ">; .reg .pred %again;\n"
                  "  .shared .align 128 .b8 memory[16384];\n"
                  "  ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %s, memory; mul.lo.u32 %u, %t, 16; add.u32 %l, %s, %u;\n"
                  "  st.shared.v4.u32 [%l], {%t, %t, %t, %t}; st.shared.u32 [%s], %t;\n";
  for (int i = 0; i < sums; i++) k += "  cvt.rn.f32.u32 %f" + std::to_string(i) + ", %u; add.u32 %u, %u, %t;\n";
  for (int i = 0; i < groups; i++) k += with("  mov.u32 %p@, %t; mov.u32 %q@, %t; mov.u32 %o@, %t; mov.u32 %r@, %t;\n", '@', i);
  k += "  bar.sync 0;\n";
  for (int i = 0; i < groups; i++) k += "  " + with(r.load, '@', i) + "\n";
  k += "  mov.u64 %t0, %clock64;\nLOOP:\n";
  int at = 0;
  for (int c = 0; c < copies; c++)
    for (size_t i = 0; i < r.multiplies.size() + !r.load.empty(); i++, at++)
      k += with(with(with("  fma.rn.f32 %f@, %f#, %f$, %f@;\n", '@', at % sums), '#', (at * 7 + 3) % sums), '$', (at * 5 + 1) % sums);
  k += "  add.s32 %n, %n, -1; setp.gt.s32 %again, %n, 0;\n  @%again bra.uni LOOP;\n  mov.u64 %t1, %clock64;\n  mov.u32 %u, 0;\n";
  if (!r.load.empty()) k += "  ld.volatile.shared.u32 %u, [%s]; ld.volatile.shared.u32 %v, [%l]; xor.b32 %u, %u, %v;\n"; // their addresses are kept until here
  for (int i = 0; i < sums; i++) k += "  mov.b32 %v, %f" + std::to_string(i) + "; xor.b32 %u, %u, %v;\n";
  for (int i = 0; i < groups; i++) k += with("  xor.b32 %u, %u, %p@; xor.b32 %u, %u, %q@; xor.b32 %u, %u, %o@; xor.b32 %u, %u, %r@;\n", '@', i);
  k += "  mul.wide.u32 %w, %t, 24; add.u64 %out, %out, %w;\n"
       "  st.global.u64 [%out], %t0; st.global.u64 [%out+8], %t1; st.global.u32 [%out+16], %u;\n  ret;\n}\n";
  return k;
}

static double run(CUfunction function, const Row &r) {
  return least_span(function, r.blocks, r.threads);
}

static const std::vector<Multiply> *wanted;

static bool is_multiply(unsigned opcode, unsigned guard) {
  return opcode == OPCODE_FFMA && guard == GUARD_NONE;
}

// The next instruction may follow in the next cycle, and it waits for none.
static Encoded without_stall(Encoded e) {
  e.high = (e.high & ~(0x1full << CONTROL_BIT | 0x3full << WAIT_BIT)) | 0x11ull << CONTROL_BIT;
  return e;
}

// An FFMA in the place of what was at @e. @lists: the registers of each bank that are free for it
static Encoded multiply(const Encoded &e, const Multiply &m, const std::vector<unsigned> lists[2]) {
  auto name = [&](int number) { return (unsigned long long)lists[number % 2].at(number / 2); };
  const unsigned long long none = 0x7ffull << CONTROL_BIT & ~(0xeull << CONTROL_BIT); // one cycle, no scoreboard
  return {(unsigned long long)OPCODE_FFMA | (unsigned long long)GUARD_NONE << OPCODE_BITS | name(m.sum) << 16 | name(m.a) << 24 | name(m.b) << 32,
          (e.high & 0x3full << WAIT_BIT) | none | (unsigned long long)m.keeps << REUSE_BIT | name(m.sum)};
}

// The FFMA become those that are wanted, and the loads in front of the loop. Registers of an FFMA are those that the compiler's write.
static void change_registers(char *cubin, size_t bytes) {
  std::vector<unsigned> lists[2];
  std::vector<Encoded> loads; // since the last FFMA: the last ones are those in front of this loop
  edit_instructions(cubin, bytes, [&](Encoded &e, unsigned opcode, unsigned guard) {
    unsigned sum = e.low >> 16 & 255;
    if (is_multiply(opcode, guard)) lists[sum % 2].push_back(sum);
  });
  for (std::vector<unsigned> &list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  size_t at = 0, load = 0;
  edit_instructions(cubin, bytes, [&](Encoded &e, unsigned opcode, unsigned guard) {
    if (opcode == OPCODE_LDS && at) at = 0, loads.clear();
    if (opcode == OPCODE_LDS) loads.push_back(e);
    if (!is_multiply(opcode, guard)) return;
    const size_t place = at++ % (wanted->size() + !loads.empty());
    if (place < wanted->size()) e = multiply(e, (*wanted)[place], lists);
    else e = without_stall(loads[loads.size() - groups + load++ % groups]);
  });
}

static void measure(const Row &r, const std::string &target) {
  wanted = &r.multiplies;
  measure_copies(r, ".version 8.0\n.target " + target + "\n.address_size 64\n", "", change_registers);
}

// --- registers that are read

// Twelve FFMA with factors at random of six registers of each bank, some of them those of the FFMA before, and kept or not.
static void add_reads(std::vector<Row> &rows) {
  unsigned random = 1;
  auto below = [&](unsigned n) { return (int)((random = random * 1664525 + 1013904223) >> 16) % (int)n; };
  for (int row = 0; row < 24; row++) {
    bool keeps = row >= 8;
    std::vector<Multiply> multiplies;
    for (int i = 0; i < 12; i++) {
      Multiply m = {12 + i, below(12), below(12), 0};
      if (i && below(2)) m.a = multiplies[i - 1].a;
      if (i && below(2)) m.b = multiplies[i - 1].b;
      if (i && keeps) multiplies[i - 1].keeps = (multiplies[i - 1].a == m.a ? 1 : 0) | (multiplies[i - 1].b == m.b ? 2 : 0);
      multiplies.push_back(m);
    }
    rows.push_back({"registers_reads." + std::to_string(row), "", multiplies, 512, 16, keeps ? "12 FFMA, those that read a register again keep it" : "12 FFMA, nothing is kept"});
  }
}

// --- results of shared memory

// A load each N instructions, between FFMA that write to a register of each bank in turns, or of one bank, and read one of each.
static void add_results(std::vector<Row> &rows) {
  struct {
    const char *name, *load;
    int bank; // -1: both
    std::vector<int> turns;
  } kinds[] = {
      {"32_even", "ld.volatile.shared.u32 %p@, [%s];", 0, {32}},
      {"32_odd", "ld.volatile.shared.u32 %p@, [%s];", 1, {32}},
      {"32_same", "ld.volatile.shared.u32 %p@, [%s];", -1, {32}},
      {"64_same", "ld.volatile.shared.v2.u32 {%p@, %q@}, [%s];", -1, {16, 24, 26, 28, 30, 32, 48}},
      {"64_lanes", "ld.volatile.shared.v2.u32 {%p@, %q@}, [%l];", -1, {32}},
      {"128_same", "ld.volatile.shared.v4.u32 {%p@, %q@, %o@, %r@}, [%s];", -1, {12, 16, 24, 32, 48}},
      {"128_lanes", "ld.volatile.shared.v4.u32 {%p@, %q@, %o@, %r@}, [%l];", -1, {32}},
  };
  for (auto &kind : kinds)
    for (int turn : kind.turns) {
      std::vector<Multiply> multiplies;
      for (int i = 0; i < turn - 1; i++) multiplies.push_back(kind.bank < 0 ? Multiply{4 + i % 16, (i + 1) % 2, (i + 1) % 2, 0} : Multiply{4 + 2 * (i % 8) + kind.bank, 1 - kind.bank, 1 - kind.bank, 0});
      rows.push_back({"registers_results." + std::string(kind.name) + "." + std::to_string(turn), kind.load, multiplies, 512, 192 / turn, "a load and FFMA, one instruction after the other"});
    }
}

int main(int count, char **words) {
  const char *only = read_words("registers", count, words);
  std::string target = open_device(1, 4096);
  std::vector<Row> rows;
  add_reads(rows);
  add_results(rows);
  for (const Row &r : rows)
    if (!only || r.name.find(only) != std::string::npos) measure(r, target);
  return 0;
}
