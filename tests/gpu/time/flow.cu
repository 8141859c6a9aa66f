// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures what it costs that a warp goes elsewhere, in whole or in part: calls and returns, branches that all lanes take and those that
// some do, loops that lanes leave one after the other, switches; and what fences cost, and what is loaded after them. Cycles are those of clock64().
//
//   flow [--only NAME] [--cubins FOLDER]    writes lines 'name value unit how'
//   flow --ptx FOLDER                       writes what it would compile; needs no device
//
// A text stands FEW times in the loop of one kernel and three times as often in that of another: the difference of their times has
// neither loop nor start.
#include <cstring>
#include <vector>

#include "few-more.h"

static const int multiprocessors = 132, most_blocks = 16 * multiprocessors;
static const size_t part_bytes = 128 << 10; // of global memory, for each block

struct Row {
  std::string name, text; // '@' is the number of the copy in the loop, '~' stands for "@"
  int threads, few;
  std::string how;
  int blocks = 1;
};

// What is called.
static const char *functions = ".func (.reg .f32 %o) add_one(.reg .f32 %i) { add.rn.f32 %o, %i, 0f3F800000; ret; }\n"
                               ".func (.reg .f32 %o) add_three(.reg .f32 %i) { .reg .f32 %f; call.uni (%f), add_one, (%i); add.rn.f32 %o, %f, 0f40000000; ret; }\n";

// Registers: %lane, %w the warp; %leader: its first lane; %odd: an odd lane, %all, %none: of all lanes and of none, which the compiler does not
// know; %k: zero, which the compiler does not know; %g, %o: global memory to read, which holds zeros, and to write; %s: words of shared memory; %f0 to %f7, %r0 to %r7: results.
static std::string kernel_of(const Row &r, const char *name, int copies) {
  std::string k = std::string(".visible .entry ") + name + "(.param .u64 out, .param .u64 in, .param .u64 to, .param .u32 n)\n.maxntid " + std::to_string(r.threads) +
                  "\n{\n  .reg .b32 %r<8>, %x<8>, %n, %t, %w, %lane, %s, %u, %v, %k; .reg .b64 %g, %o, %out, %t0, %t1, %q; .reg .f32 %f<8>; .reg .b64 %to;\n"
                  "  .reg .pred %p, %leader, %odd, %all, %none, %half, %again;\n"
                  "  .shared .align 128 .b8 memory[4096];\n"
                  "  ld.param.u64 %out, [out]; ld.param.u64 %g, [in]; ld.param.u64 %o, [to]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; and.b32 %lane, %t, 31;\n"
                  "  setp.eq.u32 %leader, %lane, 0; and.b32 %u, %lane, 1; setp.ne.u32 %odd, %u, 0; setp.lt.u32 %half, %lane, 16; add.u32 %u, %n, %lane; setp.gt.u32 %all, %u, 0; setp.eq.u32 %none, %u, 1000000;\n"
                  "  and.b32 %k, %n, 0x40000000;\n"
                  "  mov.u32 %v, %ctaid.x; mul.wide.u32 %q, %v, " + std::to_string(part_bytes) + "; add.u64 %g, %g, %q; add.u64 %o, %o, %q;\n"
                  "  mov.u32 %s, memory; mul.lo.u32 %u, %lane, 4; add.u32 %s, %s, %u; st.shared.u32 [%s], 0; cvt.u64.u32 %q, %u; add.u64 %to, %o, %q;\n";
  for (int i = 0; i < 8; i++) k += "  cvt.rn.f32.u32 %f" + std::to_string(i) + ", %t; add.u32 %r" + std::to_string(i) + ", %t, " + std::to_string(i) + "; ld.volatile.shared.u32 %x" + std::to_string(i) + ", [%s];\n";
  k += "  bar.sync 0;\n  mov.u64 %t0, %clock64;\nLOOP:\n";
  for (int c = 0; c < copies; c++) {
    std::string one = with(r.text, '@', c);
    std::replace(one.begin(), one.end(), '~', '@');
    k += "  { " + one + " }\n";
  }
  k += "  add.s32 %n, %n, -1; setp.gt.s32 %again, %n, 0;\n  @%again bra.uni LOOP;\n  mov.u64 %t1, %clock64;\n  mov.b32 %u, %f0;\n";
  for (int i = 1; i < 8; i++) k += "  mov.b32 %v, %f" + std::to_string(i) + "; xor.b32 %u, %u, %v;\n";
  for (int i = 0; i < 8; i++) k += "  xor.b32 %u, %u, %r" + std::to_string(i) + "; xor.b32 %u, %u, %x" + std::to_string(i) + ";\n";
  k += "  mov.u32 %v, %ctaid.x; mad.lo.u32 %v, %v, " + std::to_string(r.threads) + ", %t; mul.wide.u32 %q, %v, 24; add.u64 %out, %out, %q;\n"
       "  st.global.u64 [%out], %t0; st.global.u64 [%out+8], %t1; st.global.u32 [%out+16], %u;\n  ret;\n}\n";
  return k;
}

// Some instructions that the compiler does not make conditional: a chain of them, of one register.
static std::string work(int reg, int n) {
  std::string text, r = "%r" + std::to_string(reg);
  for (int i = 0; i < n; i++) text += "xor.b32 " + r + ", " + r + ", " + std::to_string(0x1234567 + i * 77) + "; mul.lo.u32 " + r + ", " + r + ", 3; ";
  return text;
}

static void add_flow(std::vector<Row> &rows) {
  auto add = [&](const std::string &name, const std::string &text, const char *how, int few = 4) {
    for (int warps : {1, 4, 16, 32}) rows.push_back({name + "." + std::to_string(warps), text, warps * 32, few, how});
  };
  const std::string some = work(0, 8), other = work(1, 8);
  add("flow_none", some, "the instructions that the others have in their branches");
  add("flow_two", some + other, "two such groups");
  add("flow_call", "call.uni (%f0), add_one, (%f0);", "a call of a function, in all lanes");
  for (int mask : {0, 1, 3}) // warps of all sub-partitions, of two, of one
    rows.push_back({"flow_call_of." + std::to_string(mask), "and.b32 %u, %w, " + std::to_string(mask) + "; setp.eq.u32 %p, %u, 0; ~!%p bra L; call.uni (%f0), add_one, (%f0); L:", 512, 4, "a call, of those of 16 warps whose numbers have none of these bits"});
  add("flow_call_call", "call.uni (%f0), add_three, (%f0);", "a function that calls another one");
  for (const char *lanes : {"all", "none", "odd", "half", "leader"}) {
    std::string p = std::string("%") + lanes;
    add(std::string("flow_if_") + lanes, "~!" + p + " bra L; " + some + "L:", "a branch around instructions, which these lanes execute");
    add(std::string("flow_else_") + lanes, "~!" + p + " bra M; " + some + " bra L; M: " + other + "L:", "these lanes one way, the rest the other");
  }
  add("flow_uni_all", "~!%all bra.uni L; " + some + "L:", "the same, and the compiler knows that all lanes go the same way");
  add("flow_uni_none", "~!%none bra.uni L; " + some + "L:", "the same");
  add("flow_call_odd", "~!%odd bra L; call (%f0), add_one, (%f0); L:", "a call, of odd lanes");
  add("flow_nested", "~!%half bra L; " + some + "~!%odd bra M; " + other + " M: " + some + "L:", "a branch of odd lanes in one of half of them");
  add("flow_loop_all", "add.u32 %u, %x0, 8; .pragma \"nounroll\"; L: " + work(0, 2) + "add.s32 %u, %u, -1; setp.gt.s32 %p, %u, 0; ~%p bra L;", "eight rounds, all lanes alike", 2);
  add("flow_loop_lanes", "add.u32 %u, %lane, 1; .pragma \"nounroll\"; L: " + work(0, 2) + "add.s32 %u, %u, -1; setp.gt.s32 %p, %u, 0; ~%p bra L;", "32 rounds, of which each lane leaves another one", 1);
  std::string table, cases;
  for (int i = 0; i < 4; i++) table += (i ? ", C" : "C") + std::to_string(i), cases += " C" + std::to_string(i) + ": " + work(i, 4 + i) + "bra L;";
  add("flow_switch_four", "T: .branchtargets " + table + "; and.b32 %u, %lane, 3; brx.idx %u, T;" + cases + " L:", "a switch, lanes go four ways", 2);
  add("flow_switch_one", "T: .branchtargets " + table + "; and.b32 %u, %x0, 3; brx.idx %u, T;" + cases + " L:", "a switch, all lanes go one way", 2);
  add("flow_vote", "vote.sync.ballot.b32 %r0, %p, 0xffffffff; setp.ne.u32 %p, %r0, 0;", "a vote");
  add("flow_warpsync", "bar.warp.sync 0xffffffff;", "all lanes meet");
  add("flow_shuffle_if", "~!%odd bra L; " + some + "L: shfl.sync.bfly.b32 %r0, %r0, 1, 31, 0xffffffff;", "a branch of odd lanes, then a shuffle of all");
}

static void add_fences(std::vector<Row> &rows) {
  auto add = [&](const std::string &name, const std::string &text, const char *how, std::vector<int> warps = {1, 16}) {
    for (int w : warps) rows.push_back({name + "." + std::to_string(w), text, w * 32, 4, how});
  };
  const std::string next = "and.b32 %u, %x0, %k; cvt.u64.u32 %q, %u; add.u64 %g, %g, %q; ";
  const std::string load = "ld.global.u32 %x0, [%g]; " + next;
  const std::string store = "st.global.u32 [%to], %r0; ";
  add("flow_fence_load", load, "a load whose address is of the one before, of a word");
  for (const char *what : {"acq_rel.cta", "acq_rel.gpu", "acq_rel.sys", "sc.gpu", "sc.sys"}) {
    std::string fence = std::string("fence.") + what + "; ", name = what;
    std::replace(name.begin(), name.end(), '.', '_');
    add("flow_fence_" + name, fence, "a fence, with nothing to wait for");
    add("flow_fence_" + name + "_store", store + fence, "a store of a warp, and a fence");
    add("flow_fence_" + name + "_load", load + fence, "a load, and a fence");
  }
  auto chain = [&](const std::string &what) { return what + next; };
  add("flow_fence_acquire", chain("ld.acquire.gpu.global.u32 %x0, [%g]; "), "a load that acquires");
  add("flow_fence_acquire_load", chain("ld.acquire.gpu.global.u32 %x0, [%g]; ") + load, "the same, and a load");
  add("flow_fence_acquire_cta_load", chain("ld.acquire.cta.global.u32 %x0, [%g]; ") + load, "the same, of the block's scope");
  add("flow_fence_relaxed", chain("ld.relaxed.gpu.global.u32 %x0, [%g]; "), "a load of the device's scope");
  add("flow_fence_volatile", chain("ld.volatile.global.u32 %x0, [%g]; "), "a volatile load");
  add("flow_fence_volatile_load", chain("ld.volatile.global.u32 %x0, [%g]; ") + load, "a volatile load, and another one");
  for (const char *what : {"volatile", "relaxed.gpu"})
    add(std::string("flow_fence_") + (what[0] == 'v' ? what : "relaxed") + "_other", chain(std::string("ld.") + what + ".global.u32 %x0, [%g+1024]; ") + load, "the same, and a load from another line", {1});
  add("flow_fence_relaxed_load", chain("ld.relaxed.gpu.global.u32 %x0, [%g]; ") + load, "a load of the device's scope, and another one", {1});
  add("flow_fence_release", "st.release.gpu.global.u32 [%to], %r0; ", "a store that releases");
  add("flow_fence_atomic", "~%leader atom.global.add.u32 %x1, [%o], 0; xor.b32 %r0, %r0, %x1; ", "an atomic of a lane");
  const std::string atomic_chain = "~%leader atom.global.add.u32 %x0, [%o], 0; and.b32 %u, %x0, %k; cvt.u64.u32 %q, %u; add.u64 %o, %o, %q; ";
  add("flow_fence_atomic_chain", atomic_chain, "the same, each after the one before", {1});
  add("flow_fence_atomic_acq_rel", "~%leader atom.acq_rel.gpu.global.add.u32 %x1, [%o], 0; xor.b32 %r0, %r0, %x1; ", "an atomic that acquires and releases");
  add("flow_fence_atomic_load", "~%leader atom.global.add.u32 %x1, [%o], 0; xor.b32 %r0, %r0, %x1; " + load, "a relaxed atomic, and a load");
  add("flow_fence_red_release", "~%leader red.release.gpu.global.add.u32 [%o], 1; ", "an atomic that releases, and returns nothing");
  add("flow_fence_barrier_load", "bar.sync 0; " + load, "a barrier of the block, and a load");
  for (int blocks : {132, 264})
    for (const char *what : {"acq_rel.gpu", "sc.gpu"})
      for (int w : {1, 16}) {
        std::string name = std::string("flow_fence_all_") + (what[0] == 's' ? "sc" : "acq_rel") + "." + std::to_string(blocks) + "." + std::to_string(w);
        rows.push_back({name, std::string("fence.") + what + "; ", w * 32, 4, "a fence in all blocks", blocks});
        rows.push_back({name + ".store", store + std::string("fence.") + what + "; ", w * 32, 4, "a store and a fence in all blocks", blocks});
        if (blocks == 132) rows.push_back({name + ".load", load + std::string("fence.") + what + "; ", w * 32, 4, "a load and a fence in all blocks", blocks});
      }
  for (int w : {2, 4, 8, 32}) {
    rows.push_back({"flow_fence_acq_rel_cta." + std::to_string(w), "fence.acq_rel.cta; ", w * 32, 4, "a fence of the block's scope"});
    rows.push_back({"flow_fence_acq_rel_cta_shared." + std::to_string(w), "st.volatile.shared.u32 [%s], %r0; fence.acq_rel.cta; ", w * 32, 4, "a store to shared memory, and such a fence"});
  }
  rows.push_back({"flow_fence_all_relaxed.132.1", chain("ld.relaxed.gpu.global.u32 %x0, [%g]; "), 32, 4, "a load of the device's scope, in all blocks", 132});
  rows.push_back({"flow_fence_all_atomic_chain.132.1", atomic_chain, 32, 4, "an atomic of a lane after the other, in all blocks", 132});
}

// Barriers of several blocks of a multiprocessor, which share its unit.
static void add_barriers(std::vector<Row> &rows) {
  auto add = [&](const std::string &name, const std::string &text, int w, int n, const char *how) {
    rows.push_back({name + "." + std::to_string(w) + "." + std::to_string(n), text + "bar.sync 0; ", w * 32, 4, how, n * multiprocessors});
  };
  for (int w : {1, 2, 4, 8})
    for (int n : {1, 4}) {
      add("flow_barrier", "", w, n, "a barrier of the block, in so many blocks of each multiprocessor");
      add("flow_barrier_store", "st.volatile.shared.u32 [%s], %r0; ", w, n, "the same, and a store to shared memory before");
      add("flow_barrier_load", "ld.volatile.shared.u32 %x0, [%s]; ", w, n, "the same, and a load");
    }
  add("flow_barrier", "", 1, 16, "a barrier of a warp");
}

// --- measuring

static double run(CUfunction function, const Row &r) {
  return least_span(function, r.blocks, r.threads);
}

static void measure(const Row &r, const char *target) {
  measure_copies(r, std::string(".version 8.0\n.target ") + target + "\n.address_size 64\n" + functions, "");
}

int main(int count, char **words) {
  const char *only = read_words("flow", count, words);
  std::string target = open_device(most_blocks, part_bytes);
  std::vector<Row> rows;
  add_flow(rows);
  add_fences(rows);
  add_barriers(rows);
  for (const Row &r : rows)
    if (!only || r.name.find(only) != std::string::npos) measure(r, target.c_str());
  return 0;
}
