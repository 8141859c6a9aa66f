// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures what an instruction takes of a sub-partition's issue slots beside its pipe: IMAD.WIDE and IMAD.HI, registers that are read for the queue to memory, and
// HFMA2 with its two pipes. Cycles are those of clock64(), for one sequence of instructions.
//
//   dispatch [--only NAME] [--cubins FOLDER]    writes lines 'name value unit how'
//
// The compiler puts as many FFMA into the loop as a sequence has instructions. They become the sequence in the machine code. Of instructions that use
// memory, or exchange registers, one stands in front of the loop, and is copied with the registers of its addresses.
#include "few-more.h"

static const int sums = 24; // registers that FFMA of the compiler add to: those that are free for others

struct Row {
  std::string name;
  std::string sequence; // words, see letters below; "N*3": N three times
  std::string how;
  int few = 8, threads = 512, blocks = 1; // so few are enough for the predicate of the loop, as no instruction waits
};

// A sequence of instructions as single letters.
static std::string letters_of(const std::string &sequence) {
  std::string letters;
  for (size_t at = 0; at < sequence.size(); at++) {
    if (sequence[at] == '*') letters.append(std::stoi(sequence.substr(at + 1)) - 1, letters.back());
    else if (!isdigit(sequence[at])) letters += sequence[at];
  }
  return letters;
}

static const std::string *wanted;

// Registers: %f0 …: sums; %p: a line of global memory for a warp; %s: a word of shared memory for each lane.
static std::string kernel_of(const Row &r, const char *name, int copies) {
  std::string k = std::string(".visible .entry ") + name + "(.param .u64 out, .param .u64 in, .param .u64 to, .param .u32 n)\n.maxntid " + std::to_string(r.threads) +
                  "\n{\n  .reg .b32 %n, %t, %s, %u, %v, %x, %y, %z; .reg .b64 %out, %p, %t0, %t1, %w; .reg .f32 %f<" + std::to_string(sums) + ">; .reg .pred %again;\n"
                  "  .shared .align 128 .b8 memory[4096];\n"
                  "  ld.param.u64 %out, [out]; ld.param.u64 %p, [in]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %s, memory; and.b32 %u, %t, 31;\n"
                  "  mul.lo.u32 %u, %u, 4; add.u32 %s, %s, %u; mul.wide.u32 %w, %u, 1; add.u64 %p, %p, %w;\n"
                  "  st.volatile.shared.u32 [%s], %t; bar.sync 0;\n"
                  "  ld.volatile.shared.u32 %x, [%s]; ld.weak.global.u32 %y, [%p]; shfl.sync.bfly.b32 %z, %t, 1, 31, 0xffffffff;\n"
                  "  add.u32 %u, %x, %y; add.u32 %u, %u, %z;\n";
  for (int i = 0; i < sums; i++) k += "  cvt.rn.f32.u32 %f" + std::to_string(i) + ", %u; add.u32 %u, %u, %t;\n";
  k += "  bar.sync 0;\n  mov.u64 %t0, %clock64;\nLOOP:\n";
  const size_t length = letters_of(r.sequence).size();
  for (size_t at = 0; at < copies * length; at++)
    k += with(with(with("  fma.rn.f32 %f@, %f#, %f$, %f@;\n", '@', (int)(at % sums)), '#', (int)((at * 7 + 3) % sums)), '$', (int)((at * 5 + 1) % sums));
  k += "  add.s32 %n, %n, -1; setp.gt.s32 %again, %n, 0;\n  @%again bra.uni LOOP;\n  mov.u64 %t1, %clock64;\n"
       "  st.volatile.shared.u32 [%s], %t; ld.volatile.shared.u32 %u, [%s]; st.global.u32 [%p], %t;\n"; // their addresses are kept until here
  for (int i = 0; i < sums; i++) k += "  mov.b32 %v, %f" + std::to_string(i) + "; xor.b32 %u, %u, %v;\n";
  k += "  mul.wide.u32 %w, %t, 24; add.u64 %out, %out, %w;\n"
       "  st.global.u64 [%out], %t0; st.global.u64 [%out+8], %t1; st.global.u32 [%out+16], %u;\n  ret;\n}\n";
  return k;
}

static double run(CUfunction function, const Row &r) {
  return least_span(function, r.blocks, r.threads);
}

// --- instructions

enum {
  OPCODE_LDG = 0x981,
  OPCODE_LDG_75 = 0x381, // without a descriptor
  OPCODE_STS = 0x388,
  OPCODE_STS_UNIFORM = 0x988, // with a uniform register in its address
  OPCODE_SHFL = 0xf89,
  OPCODE_NOP = 0x918,
  OPCODE_HFMA2 = 0x231,
  OPCODE_HFMA2_MMA = 0x235,
  OPCODE_WIDE = 0x825, // IMAD.WIDE with a number in the place of B
  OPCODE_HIGH = 0x227,
  SIGNED_PRODUCT = 0x078e0200, // and predicates that are not there
  NO_REGISTER = 255,
  LOAD_BOARD = 0, // a scoreboard that loads open: the next time around the loop waits for them
};

// One that the compiler has put in front of the loop.
struct Copied {
  Encoded global, shared, store, exchange;
};

static unsigned field(const Encoded &e, int bit) {
  return (unsigned)((bit < 64 ? e.low >> bit : e.high >> (bit - 64)) & 255);
}

static void put(Encoded &e, int bit, unsigned number) {
  unsigned long long &word = bit < 64 ? e.low : e.high;
  word = (word & ~(255ull << bit % 64)) | (unsigned long long)number << bit % 64;
}

// Of a pipe of the sub-partition: registers in the places of A, B and C.
static Encoded compute(unsigned opcode, unsigned a, unsigned b, unsigned c) {
  Encoded e = {opcode | GUARD_NONE << OPCODE_BITS, 0};
  put(e, 24, a), put(e, 32, b), put(e, 64, c);
  return e;
}

// IMAD.WIDE or IMAD.HI: C has 64 bits.
static Encoded multiply(unsigned opcode, unsigned a, unsigned b, unsigned c) {
  Encoded e = compute(opcode, a, b, c);
  e.high |= SIGNED_PRODUCT;
  return e;
}

// Registers that are free.
struct Free {
  std::vector<unsigned> banks[2], all, pairs; // even and odd ones; the first ones of two that are side by side
};

// @letter:
//   N  NOP                                            F  FFMA that reads no register
//   e, o, b, O  FFMA that reads an even register, an odd one, one of each, three odd ones
//   A, B, C  FFMA that reads an odd register in that place alone
//   W, w, X  IMAD.WIDE that reads two odd registers and an even one, the other way round, none; H  IMAD.HI that reads none
//   G, L, S, T  LDG of a line, LDS and STS of a word a lane, SHFL
//   d, a, t, l  FFMA that reads the bank of what STS sends, of the address that it sends, of what SHFL sends, of the lower half of LDG's address
//   h, m  HFMA2, HFMA2.MMA
static Encoded encode(char letter, const Copied &copied, const Free &free) {
  const unsigned none = NO_REGISTER;
  auto read = [&](unsigned a, unsigned b, unsigned c) { return compute(OPCODE_FFMA, a, b, c); };
  auto bank_of = [&](const Encoded &e, int bit) { return read(free.banks[field(e, bit) % 2][0], none, none); };
  const std::vector<unsigned> &even = free.banks[0], &odd = free.banks[1];
  switch (letter) {
  case 'F': return read(none, none, none);
  case 'e': return read(even[0], none, none);
  case 'o': case 'A': return read(odd[0], none, none);
  case 'b': return read(odd[0], odd[0], even[0]);
  case 'O': return read(odd[0], odd[1], odd[2]);
  case 'B': return read(none, odd[0], none);
  case 'C': return read(none, none, odd[0]);
  case 'W': return multiply(OPCODE_WIDE, odd[0], 4, free.pairs[0]);
  case 'w': return multiply(OPCODE_WIDE, even[0], 4, free.pairs[0]);
  case 'X': return multiply(OPCODE_WIDE, none, 4, none);
  case 'H': return multiply(OPCODE_HIGH, none, none, none);
  case 'G': return copied.global;
  case 'L': return copied.shared;
  case 'S': return copied.store;
  case 'T': return copied.exchange;
  case 'd': return bank_of(copied.store, 32);
  case 'a': return bank_of(copied.store, 24);
  case 't': return bank_of(copied.exchange, 24);
  case 'l': return bank_of(copied.global, 24);
  case 'h': return compute(OPCODE_HFMA2, none, none, none);
  case 'm': return compute(OPCODE_HFMA2_MMA, none, none, none);
  default: return {OPCODE_NOP | GUARD_NONE << OPCODE_BITS, 0};
  }
}

// The FFMA become the sequence, again and again. What it writes goes to one free register after the other.
static void change_instructions(char *cubin, size_t bytes) {
  std::vector<Free> kernels; // a SHFL stands in front of each loop
  edit_instructions(cubin, bytes, [&](Encoded &e, unsigned opcode, unsigned guard) {
    if (opcode == OPCODE_SHFL && guard == GUARD_NONE) kernels.push_back({});
    if (opcode == OPCODE_FFMA && guard == GUARD_NONE) kernels.back().all.push_back(field(e, 16));
  });
  for (Free &free : kernels) {
    std::sort(free.all.begin(), free.all.end());
    free.all.erase(std::unique(free.all.begin(), free.all.end()), free.all.end());
    for (unsigned r : free.all) {
      free.banks[r % 2].push_back(r);
      if (r % 2 && std::count(free.all.begin(), free.all.end(), r - 1)) free.pairs.push_back(r - 1);
    }
  }
  Copied copied = {};
  size_t kernel = 0, at = 0, written = 0;
  edit_instructions(cubin, bytes, [&](Encoded &e, unsigned opcode, unsigned guard) {
    if (guard != GUARD_NONE) return;
    if (opcode == OPCODE_SHFL) copied.exchange = e, at = 0, kernel++;
    if (opcode == OPCODE_LDG || opcode == OPCODE_LDG_75) copied.global = e;
    if (opcode == OPCODE_LDS) copied.shared = e;
    if (opcode == OPCODE_STS || opcode == OPCODE_STS_UNIFORM) copied.store = e;
    if (opcode != OPCODE_FFMA) return;
    const char letter = (*wanted)[at % wanted->size()];
    const bool loads = strchr("GLT", letter);
    const unsigned long long waits = (e.high >> WAIT_BIT & 63) | (at ? 0 : 1ull << LOAD_BOARD);
    const Free &free = kernels[kernel - 1];
    e = encode(letter, copied, free);
    if (strchr("WwX", letter)) put(e, 16, free.pairs[written++ % free.pairs.size()]);
    else if (!strchr("NS", letter)) put(e, 16, free.all[written++ % free.all.size()]);
    e.high = (e.high & ((1ull << CONTROL_BIT) - 1)) | (0x711ull | (loads ? LOAD_BOARD : 7ull) << 5) << CONTROL_BIT | waits << WAIT_BIT;
    at++;
  });
}

static void measure(const Row &r, const std::string &target) {
  const std::string letters = letters_of(r.sequence);
  wanted = &letters;
  measure_copies(r, ".version 8.0\n.target " + target + "\n.address_size 64\n", "", change_instructions);
}

int main(int count, char **words) {
  const char *only = read_words("dispatch", count, words);
  std::string target = open_device(1, 4096);
  const std::vector<Row> rows = {
      {"dispatch_wide.nop_3", "WN*3", "IMAD.WIDE and 3 NOP"},
      {"dispatch_wide.none_3", "XN*3", "IMAD.WIDE of no registers and 3 NOP"},
      {"dispatch_wide.high_3", "HN*3", "IMAD.HI of no registers and 3 NOP"},
      {"dispatch_wide.after_a", "AWN*4", "FFMA that reads an odd register in the place of A, IMAD.WIDE that reads one there and one in that of C, 4 NOP"},
      {"dispatch_wide.after_b", "BWN*4", "the same, in the place of B"},
      {"dispatch_wide.after_c", "CWN*4", "the same, in the place of C"},
      {"dispatch_wide.later_a", "ANWN*3", "as after_a, with a NOP between them"},
      {"dispatch_wide.other_a", "AwN*4", "as after_a, of an IMAD.WIDE that reads two even registers"},
      {"dispatch_wide.three", "WON*4", "IMAD.WIDE that reads two odd registers, FFMA that reads three, 4 NOP"},
      {"dispatch_wide.twice", "WWN*6", "two IMAD.WIDE and 6 NOP"},
      {"dispatch_wide.load", "GWN*4", "LDG, IMAD.WIDE that reads two odd registers, 4 NOP"},
      {"dispatch_wide.load_even", "GwN*4", "LDG, IMAD.WIDE that reads two even registers, 4 NOP"},
      {"dispatch_sent.load_1", "GllN*9", "LDG, two FFMA that read the bank of the lower half of its address, 9 NOP"},
      {"dispatch_sent.load_2", "GNllN*8", "the same, a cycle later"},
      {"dispatch_sent.load_3", "GNNllN*7", "the same, two cycles later"},
      {"dispatch_sent.data_1", "SddN*9", "STS, two FFMA that read the bank of what it stores, 9 NOP"},
      {"dispatch_sent.data_2", "SNddN*8", "the same, a cycle later"},
      {"dispatch_sent.address_2", "SNaaN*8", "STS, NOP, two FFMA that read the bank of its address, 8 NOP"},
      {"dispatch_sent.address_3", "SNNaaN*7", "the same, a cycle later"},
      {"dispatch_sent.address_4", "SNNNaaN*6", "the same, two cycles later"},
      {"dispatch_sent.exchange_1", "TttN*9", "SHFL, two FFMA that read the bank of what it sends, 9 NOP"},
      {"dispatch_sent.exchange_2", "TNttN*8", "the same, a cycle later"},
      {"dispatch_sent.shared_even", "Le*5N*6", "LDS, 5 FFMA that read an even register, 6 NOP"},
      {"dispatch_sent.shared_odd", "Lo*5N*6", "the same, an odd one"},
      {"dispatch_sent.all_loads", "Gb*5", "LDG and 5 FFMA that read a register of each bank"},
      {"dispatch_sent.all_stores", "Sb*7", "STS and 7 FFMA that read a register of each bank"},
      {"dispatch_sent.all_exchanges", "Tb*7", "SHFL and 7 FFMA that read a register of each bank"},
      {"dispatch_sent.three_loads", "GGGb*11", "3 LDG and 11 FFMA that read a register of each bank"},
      {"dispatch_half.alone", "h*6", "6 HFMA2"},
      {"dispatch_half.mma", "m*6", "6 HFMA2.MMA"},
      {"dispatch_half.both", "hmhm", "HFMA2 and HFMA2.MMA in turns, two of each"},
      {"dispatch_half.float", "FhFh", "FFMA and HFMA2 in turns, two of each"},
      {"dispatch_half.float_mma", "FmFm", "FFMA and HFMA2.MMA in turns, two of each"},
      {"dispatch_half.nop", "hNhN", "HFMA2 and NOP in turns, two of each"},
      {"dispatch_half.later_1", "mFNN", "HFMA2.MMA, FFMA in the next cycle, 2 NOP"},
      {"dispatch_half.later_2", "mNFN", "the same, FFMA two cycles later"},
      {"dispatch_half.later_3", "mNNF", "the same, three cycles later"},
  };
  const int arch = std::stoi(target.substr(strlen("sm_")));
  const bool has_mma = arch >= 75 && arch < 120; // HFMA2.MMA
  for (const Row &r : rows)
    if ((!only || r.name.find(only) != std::string::npos) && (has_mma || r.sequence.find('m') == std::string::npos)) measure(r, target);
  return 0;
}
