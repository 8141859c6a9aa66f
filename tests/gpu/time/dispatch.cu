// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures what an instruction takes of a sub-partition's issue slots beside its pipe: IMAD.WIDE and IMAD.HI, registers that are read for the queue to memory, and
// HFMA2 with its two pipes; and what loads and copies take of the pipe of shared memory and L1, and of L1's look-up of lines, if L1 has what they ask for and if it has not.
// Cycles are those of clock64(), for one sequence of instructions.
//
//   dispatch [--only NAME] [--cubins FOLDER]    writes lines 'name value unit how'
//
// The compiler puts as many FFMA into the loop as a sequence has instructions. They become the sequence in the machine code. Of instructions that use
// memory, or exchange registers, one stands in front of the loop, and is copied with the registers of its addresses.
#include "few-more.h"

static const int sums = 24; // registers that FFMA of the compiler add to: those that are free for others

// Loads and copies of global memory, one of which at most copies. Each has PART bytes of memory for itself, by which it is found again in front of the loop. Those that are
// strong pass L1, which then never has their lines.
static const int part = 65536; // 4 KiB for each of 16 warps
struct Load {
  char letter;
  int words;    // of 32 bits, that a lane loads
  int lanes;    // side by side in one line; the next ones are in the next line
  bool strong, copies;
};
static const Load loads[] = {
    {'G', 1, 32, false, false}, {'g', 1, 4, false, false}, {'v', 1, 1, false, false}, {'M', 1, 32, true, false},
    {'P', 2, 16, true, false},  {'Q', 4, 8, true, false},  {'E', 1, 4, true, false},  {'V', 1, 1, true, false},
    {'c', 1, 32, false, true},  {'i', 2, 16, false, true}, {'j', 4, 8, false, true},  {'k', 4, 8, true, true},
};
static const int n_loads = sizeof loads / sizeof *loads;

static const Load *find_load(char letter) {
  for (const Load &l : loads)
    if (l.letter == letter) return &l;
  return nullptr;
}

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

// Of a row: those of its sequence that do not stand in every kernel.
static std::vector<int> more_loads(const Row &r) {
  std::vector<int> found;
  for (int i = 0; i < n_loads; i++)
    if (loads[i].letter != 'G' && r.sequence.find(loads[i].letter) != std::string::npos) found.push_back(i);
  return found;
}

// Makes its address %aI of the lane in %u and the thread in %t. It comes out of shared memory, so that the compiler cannot make it anew behind the loop, and keeps it.
static std::string address_text(int i) {
  const Load &l = loads[i];
  const std::string a = "%a" + std::to_string(i), line_bytes = l.words * l.lanes == 32 ? "0" : "128";
  return "  div.u32 %x, %u, " + std::to_string(l.lanes) + "; mul.lo.u32 %x, %x, " + line_bytes + "; mad.lo.u32 %x, %u, " + std::to_string(4 * l.words) +
         ", %x; shr.u32 %y, %t, 5; mad.lo.u32 %x, %y, 4096, %x; add.u32 %x, %x, " + std::to_string(l.copies ? i * part : 0) + "; mad.wide.u32 " + a + ", %x, 1, %b; st.volatile.shared.u64 [%c+4096], " + a + "; ld.volatile.shared.u64 " + a + ", [%c+4096];\n";
}
static std::string load_text(int i) {
  static const char *const kinds[] = {"", ".u32 %y", ".v2.u32 {%y, %x}", "", ".v4.u32 {%y, %x, %z, %c}"};
  const Load &l = loads[i];
  const std::string a = "%a" + std::to_string(i), way = l.strong ? "cg" : "ca";
  if (l.copies) return "  cp.async." + way + ".shared.global [%q], [" + a + "], " + std::to_string(4 * l.words) + ";\n";
  return "  ld.global." + way + kinds[l.words] + ", [" + a + "+" + std::to_string(i * part) + "]; add.u32 %v, %v, %y;" + (l.words > 1 ? " add.u32 %v, %v, %x;" : "") + (l.words > 2 ? " add.u32 %z, %z, %c; add.u32 %v, %v, %z;\n" : "\n");
}

// Registers: %f0 …: sums; %p: a line of global memory for a warp; %s: a word of shared memory for each lane; %q: where a copy of a lane goes.
static std::string kernel_of(const Row &r, const char *name, int copies) {
  std::string k = std::string(".visible .entry ") + name + "(.param .u64 out, .param .u64 in, .param .u64 to, .param .u32 n)\n.maxntid " + std::to_string(r.threads) +
                  "\n{\n  .reg .b32 %n, %t, %s, %q, %c, %u, %v, %x, %y, %z; .reg .b64 %out, %p, %b, %t0, %t1, %w, %a<" + std::to_string(n_loads) + ">; .reg .f32 %f<" + std::to_string(sums) + ">; .reg .pred %again;\n"
                  "  .shared .align 128 .b8 memory[8192];\n"
                  "  ld.param.u64 %out, [out]; ld.param.u64 %p, [in]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %s, memory; and.b32 %u, %t, 31;\n"
                  "  mul.lo.u32 %u, %u, 4; add.u32 %s, %s, %u; mul.wide.u32 %w, %u, 1; add.u64 %p, %p, %w;\n"
                  "  mov.u32 %v, %t;\n";
  const std::vector<int> more = more_loads(r);
  if (!more.empty()) k += "  and.b32 %u, %t, 31; shr.u32 %c, %t, 5; mad.lo.u32 %c, %c, 256, %s; mad.lo.u32 %c, %u, 4, %c; mad.lo.u32 %q, %u, " + std::to_string(4 * loads[more.back()].words - 4) + ", %s; add.u32 %q, %q, 2048; st.volatile.shared.u32 [%s+1024], %q; ld.volatile.shared.u32 %q, [%s+1024]; ld.param.u64 %b, [in];\n";
  for (int i : more) k += address_text(i);
  for (int i : more) k += load_text(i);
  k += std::any_of(more.begin(), more.end(), [](int i) { return loads[i].copies; }) ? "  cp.async.wait_all;\n" : "";
  k += "  st.volatile.shared.u32 [%s], %t; bar.sync 0;\n"
                  "  ld.volatile.shared.u32 %x, [%s]; ld.weak.global.u32 %y, [%p]; shfl.sync.bfly.b32 %z, %t, 1, 31, 0xffffffff;\n"
                  "  add.u32 %u, %x, %y; add.u32 %u, %u, %z; add.u32 %u, %u, %v;\n";
  for (int i = 0; i < sums; i++) k += "  cvt.rn.f32.u32 %f" + std::to_string(i) + ", %u; add.u32 %u, %u, %t;\n";
  k += "  bar.sync 0;\n  mov.u64 %t0, %clock64;\nLOOP:\n";
  const size_t length = letters_of(r.sequence).size();
  for (size_t at = 0; at < copies * length; at++)
    k += with(with(with("  fma.rn.f32 %f@, %f#, %f$, %f@;\n", '@', (int)(at % sums)), '#', (int)((at * 7 + 3) % sums)), '$', (int)((at * 5 + 1) % sums));
  k += "  add.s32 %n, %n, -1; setp.gt.s32 %again, %n, 0;\n  @%again bra.uni LOOP;\n  mov.u64 %t1, %clock64;\n"
       "  st.volatile.shared.u32 [%s], %t; ld.volatile.shared.u32 %u, [%s]; st.global.u32 [%p], %t;\n"; // their addresses are kept until here
  for (int i : more) k += "  st.global.u32 [%a" + std::to_string(i) + "], %t;\n" + (loads[i].copies ? "  st.volatile.shared.u32 [%q], %t;\n" : "");
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
  OPCODE_LDGSTS = 0xfae,
  OPCODE_LDGDEPBAR = 0x9af,
  OPCODE_STS = 0x388,
  OPCODE_STS_UNIFORM = 0x988, // with a uniform register in its address
  OPCODE_SHFL = 0xf89,
  OPCODE_CS2R = 0x805, // reads the clock
  OPCODE_NOP = 0x918,
  OPCODE_HFMA2 = 0x231,
  OPCODE_HFMA2_MMA = 0x235,
  OPCODE_WIDE = 0x825, // IMAD.WIDE with a number in the place of B
  OPCODE_HIGH = 0x227,
  SIGNED_PRODUCT = 0x078e0200, // and predicates that are not there
  OFFSET_BIT = 40,             // of the address of global memory: 24 bits
  NO_REGISTER = 255,
  LOAD_BOARD = 0, // a scoreboard that loads open: the next time around the loop waits for them
};

// One that the compiler has put in front of the loop.
struct Copied {
  Encoded shared, store, exchange, copy, loads[n_loads];
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
  std::vector<unsigned> banks[2], all, pairs, fours; // even and odd ones; the first ones of two, and of four, that are side by side
};

// @letter:
//   N  NOP                                            F  FFMA that reads no register
//   e, o, b, O  FFMA that reads an even register, an odd one, one of each, three odd ones
//   A, B, C  FFMA that reads an odd register in that place alone
//   W, w, X  IMAD.WIDE that reads two odd registers and an even one, the other way round, none; H  IMAD.HI that reads none
//   G, L, S, T  LDG of a line, LDS and STS of a word a lane, SHFL
//   g, v  LDG of a word a lane from 8 lines and from 32;  M, P, Q, E, V  LDG that passes L1: of 4, 8, 16 bytes a lane in 1, 2, 4 lines, of a word a lane from 8 and from 32
//   c, i, j, k  LDGSTS of 4, 8 and 16 bytes, and of 16 past L1;  D  LDGDEPBAR, which commits them
//   d, a, t, l  FFMA that reads the bank of what STS sends, of the address that it sends, of what SHFL sends, of the lower half of LDG's address
//   h, m  HFMA2, HFMA2.MMA
static Encoded encode(char letter, const Copied &copied, const Free &free) {
  const unsigned none = NO_REGISTER;
  auto read = [&](unsigned a, unsigned b, unsigned c) { return compute(OPCODE_FFMA, a, b, c); };
  auto bank_of = [&](const Encoded &e, int bit) { return read(free.banks[field(e, bit) % 2][0], none, none); };
  const std::vector<unsigned> &even = free.banks[0], &odd = free.banks[1];
  if (const Load *load = find_load(letter)) return load->copies ? copied.copy : copied.loads[load - loads];
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
  case 'D': return {OPCODE_LDGDEPBAR | GUARD_NONE << OPCODE_BITS, 0};
  case 'L': return copied.shared;
  case 'S': return copied.store;
  case 'T': return copied.exchange;
  case 'd': return bank_of(copied.store, 32);
  case 'a': return bank_of(copied.store, 24);
  case 't': return bank_of(copied.exchange, 24);
  case 'l': return bank_of(copied.loads[0], 24);
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
      auto is_free = [&](unsigned other) { return std::count(free.all.begin(), free.all.end(), other); };
      if (r % 4 == 3 && is_free(r - 3) && is_free(r - 2) && is_free(r - 1)) free.fours.push_back(r - 3);
    }
  }
  Copied copied = {};
  size_t kernel = 0, at = 0, written = 0;
  edit_instructions(cubin, bytes, [&](Encoded &e, unsigned opcode, unsigned guard) {
    if (guard != GUARD_NONE) return;
    if (opcode == OPCODE_SHFL) copied.exchange = e, at = 0, kernel++;
    if (opcode == OPCODE_LDG || opcode == OPCODE_LDG_75) copied.loads[(e.low >> OFFSET_BIT) / part % n_loads] = e;
    if (opcode == OPCODE_LDGSTS) copied.copy = e;
    if (opcode == OPCODE_LDS) copied.shared = e;
    if (opcode == OPCODE_STS || opcode == OPCODE_STS_UNIFORM) copied.store = e;
    if (opcode == OPCODE_CS2R && at) e.high |= 1ull << LOAD_BOARD << WAIT_BIT; // behind the loop, where the compiler uses the registers again that loads write to
    if (opcode != OPCODE_FFMA) return;
    const char letter = (*wanted)[at % wanted->size()];
    const Load *load = find_load(letter);
    const bool opens = letter == 'L' || letter == 'T' || letter == 'D' || (load && !load->copies);
    const unsigned long long waits = (e.high >> WAIT_BIT & 63) | (at ? 0 : 1ull << LOAD_BOARD);
    const Free &free = kernels[kernel - 1];
    e = encode(letter, copied, free);
    if (strchr("WwX", letter)) put(e, 16, free.pairs[written++ % free.pairs.size()]);
    else if (load && load->words > 1 && !load->copies && free.fours.empty()) fprintf(stderr, "no four registers are free side by side\n"), exit(1);
    else if (load && load->words > 1 && !load->copies) put(e, 16, free.fours[written++ % free.fours.size()]);
    else if (!strchr("NSD", letter) && !(load && load->copies)) put(e, 16, free.all[written++ % free.all.size()]);
    e.high = (e.high & ((1ull << CONTROL_BIT) - 1)) | (0x711ull | (opens ? LOAD_BOARD : 7ull) << 5) << CONTROL_BIT | waits << WAIT_BIT;
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
  std::string target = open_device(1, n_loads * part);
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
      {"dispatch_pipe.hit_8_lds", "gL*15", "LDG from 8 lines that L1 has, 15 LDS"},
      {"dispatch_pipe.hit_8", "gG*15", "LDG from 8 lines that L1 has, 15 LDG of a line"},
      {"dispatch_pipe.hit_32_lds", "vL*15", "LDG from 32 lines that L1 has, 15 LDS"},
      {"dispatch_pipe.hit_32", "vG*15", "LDG from 32 lines that L1 has, 15 LDG of a line"},
      {"dispatch_pipe.miss_lds_7", "ML*7", "LDG of a line past L1, 7 LDS"},
      {"dispatch_pipe.miss_lds", "ML*15", "LDG of a line past L1, 15 LDS"},
      {"dispatch_pipe.miss", "MG*15", "LDG of a line past L1, 15 of one that it has"},
      {"dispatch_pipe.misses_lds", "MMMML*14", "4 LDG of a line past L1, 14 LDS"},
      {"dispatch_pipe.miss_64_lds", "PL*15", "LDG.64 of two lines past L1, 15 LDS"},
      {"dispatch_pipe.miss_64", "PG*15", "the same, 15 LDG of a line that it has"},
      {"dispatch_pipe.miss_128_lds", "QL*15", "LDG.128 of four lines past L1, 15 LDS"},
      {"dispatch_pipe.miss_128", "QG*15", "the same, 15 LDG of a line that it has"},
      {"dispatch_pipe.miss_8_lds", "EL*15", "LDG from 8 lines past L1, 15 LDS"},
      {"dispatch_pipe.miss_8", "EG*15", "the same, 15 LDG of a line that it has"},
      {"dispatch_pipe.miss_32_lds", "VL*31", "LDG from 32 lines past L1, 31 LDS"},
      {"dispatch_pipe.miss_32", "VG*31", "the same, 31 LDG of a line that it has"},
      {"dispatch_pipe.copy_32_lds", "cL*15", "LDGSTS of 4 bytes a lane that L1 has, 15 LDS"},
      {"dispatch_pipe.copy_32", "cG*15", "the same, 15 LDG of a line that it has"},
      {"dispatch_pipe.copy_64_lds", "iL*15", "LDGSTS of 8 bytes a lane that L1 has, 15 LDS"},
      {"dispatch_pipe.copy_128_lds", "jL*15", "LDGSTS of 16 bytes a lane that L1 has, 15 LDS"},
      {"dispatch_pipe.copy_128", "jG*15", "the same, 15 LDG of a line that it has"},
      {"dispatch_pipe.copy_past_lds", "kL*15", "LDGSTS of 16 bytes a lane past L1, 15 LDS"},
      {"dispatch_pipe.copy_past_more", "kL*31", "the same, 31 LDS"},
      {"dispatch_pipe.copy_past", "kG*15", "the same, 15 LDG of a line that L1 has"},
      {"dispatch_pipe.commit_lds", "DL*15", "LDGDEPBAR, 15 LDS"},
      {"dispatch_pipe.commit", "DG*15", "LDGDEPBAR, 15 LDG of a line that L1 has"},
      {"dispatch_pipe.copy_commit", "kDL*14", "LDGSTS of 16 bytes a lane past L1, LDGDEPBAR, 14 LDS"},
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
  const std::string absent = std::string(arch >= 75 && arch < 120 ? "" : "m") + (arch >= 80 ? "" : "cijkD"); // HFMA2.MMA; LDGSTS and LDGDEPBAR
  for (const Row &r : rows)
    if ((!only || r.name.find(only) != std::string::npos) && r.sequence.find_first_of(absent) == std::string::npos) measure(r, target);
  return 0;
}
