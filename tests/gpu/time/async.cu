// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measures what Hopper's asynchronous parts cost: barriers of a part of a block, barriers in shared memory (mbarrier), products of
// warpgroups (wgmma), copies in bulk and of tensors (TMA), barriers of a cluster. Cycles are those of clock64() on one SM.
//
//   async [--only NAME] [--cubins FOLDER]    writes lines 'name value unit how'
//   async --ptx FOLDER                       writes what it would compile; needs no device
//
// A text stands FEW times in the loop of one kernel and three times as often in that of another: the difference of their times has
// neither loop nor start.
#include <cstring>
#include <vector>

#include "few-more.h"

static const int shared_bytes = 200 << 10, most_blocks = 132, rows_of_tensor = 1024;
static const size_t part_bytes = 128 << 10; // of global memory, for each block

struct Row {
  std::string name, text; // '@' is the number of the copy in the loop, '?' its parity
  int threads, few;
  std::string how;
  std::string before = "", after = "", setup = ""; // of each turn of the loop; of the kernel
  int count = 1;                                   // of arrivals, of each barrier
  int blocks = 1, cluster = 1;
  std::string other = ""; // what warps from the fifth on do instead
  int box = 0;            // of a tensor: numbers of 16 bits in a row of its box, of 64 rows
  std::string asked = ""; // what blocks of a cluster do instead but its first one; "-": nothing
};

// Registers: %b0 to %b7 barriers, %s shared memory behind them, %g and %o global memory to read and to write, %w the warp, %lane;
// %leader: the first lane of it, %even: an even warp, %first: the first thread; %m the tensor; %da, %db matrices for wgmma.
static std::string prologue(const Row &r) {
  std::string k =
      "  .reg .b32 %r<64>, %a<8>, %x<8>, %n, %t, %w, %lane, %s, %u, %v, %pair, %b<8>, %bytes, %rank, %c0;\n"
      "  .reg .b64 %g, %o, %m, %out, %t0, %t1, %q, %da, %db, %state; .reg .pred %p, %leader, %even, %odd, %first, %again, %late; .reg .b32 %threads; .reg .f32 %f<128>; .reg .f64 %q0, %q1;\n"
      "  ld.param.u64 %out, [out]; ld.param.u64 %g, [in]; ld.param.u64 %o, [to]; ld.param.u32 %n, [n];\n"
      "  mov.u32 %threads, %ntid.x; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; and.b32 %lane, %t, 31; setp.eq.u32 %leader, %lane, 0; setp.eq.u32 %first, %t, 0;\n"
      "  and.b32 %u, %w, 1; setp.eq.u32 %even, %u, 0; setp.ne.u32 %odd, %u, 0; shr.u32 %pair, %w, 1; add.u32 %pair, %pair, 1; setp.ge.u32 %late, %w, 4;\n"
      "  mov.u32 %v, %ctaid.x; mul.wide.u32 %q, %v, " + std::to_string(part_bytes) + "; add.u64 %g, %g, %q; add.u64 %o, %o, %q;\n"
      "  mov.u32 %rank, %cluster_ctarank;\n" +
      std::string(r.box ? "  mov.b64 %m, map; cvta.param.u64 %m, %m;\n" : "") +
      "  mov.u32 %s, memory;\n";
  for (int b = 0; b < 8; b++)
    k += "  add.u32 %b" + std::to_string(b) + ", %s, " + std::to_string(b * 8) + "; @%first mbarrier.init.shared.b64 [%b" +
         std::to_string(b) + "], " + std::to_string(r.count) + ";\n";
  k += "  add.u32 %s, %s, 1024;\n  mov.u32 %u, %t;\n"
       // Words of shared memory hold zero, and matrices begin there.
       "FILL: shl.b32 %v, %u, 2; add.u32 %v, %v, %s; st.shared.u32 [%v], 0; add.u32 %u, %u, %threads; setp.lt.u32 %again, %u, 32768; @%again bra FILL;\n"
       "  shr.u32 %u, %s, 4; and.b32 %u, %u, 0x3fff; cvt.u64.u32 %da, %u; or.b64 %da, %da, 0x0000004000010000;\n"
       "  add.u32 %u, %u, 2048; cvt.u64.u32 %db, %u; or.b64 %db, %db, 0x0000004000010000;\n"
       "  fence.proxy.async; fence.mbarrier_init.release.cluster;\n";
  for (int i = 0; i < 128; i++) k += "  mov.f32 %f" + std::to_string(i) + ", 0f00000000;" + (i % 4 == 3 ? "\n" : "");
  for (int i = 0; i < 8; i++) k += "  mov.b32 %a" + std::to_string(i) + ", 0;";
  for (int i = 0; i < 64; i++) k += "  mov.b32 %r" + std::to_string(i) + ", 0;" + (i % 4 ? "" : "\n");
  k += "\n  add.u32 %bytes, %lane, %s;\n" + r.setup + "  bar.sync 0;\n";
  if (r.cluster > 1) k += "  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
  return k;
}

static std::string copies_of(const Row &r, const std::string &text, int copies) {
  std::string body;
  for (int c = 0; c < copies; c++) {
    std::string one = with(text, '@', c);
    for (size_t at; (at = one.find('?')) != std::string::npos;) one.replace(at, 1, std::to_string(c & 1));
    std::replace(one.begin(), one.end(), '~', '@');
    body += "  { " + one + " }\n";
  }
  return body;
}

static std::string kernel_of(const Row &r, const char *name, int copies) {
  std::string k = std::string(".visible .entry ") + name +
                  "(.param .u64 out, .param .u64 in, .param .u64 to, .param .u32 n" + (r.box ? ", .param .align 64 .b8 map[128]" : "") + ")\n.maxntid " +
                  std::to_string(r.threads) + "\n" + (r.cluster > 1 ? ".explicitcluster\n.reqnctapercluster " + std::to_string(r.cluster) + "\n" : "") +
                  "{\n" + prologue(r);
  k += "  mov.u64 %t0, %clock64;\n";
  if (!r.other.empty()) k += "  @%late bra OTHER;\n";
  std::string turn = "  add.s32 %n, %n, -1; setp.gt.s32 %again, %n, 0;\n  @%again bra ";
  if (!r.asked.empty()) k += "  setp.ne.u32 %p, %rank, 0;\n  @%p bra ASKED;\n";
  k += "LOOP:\n" + r.before + copies_of(r, r.text, copies) + r.after + turn + "LOOP;\n";
  if (!r.other.empty()) k += "  bra END;\nOTHER:\n" + copies_of(r, r.other, copies) + turn + "OTHER;\nEND:\n";
  if (!r.asked.empty()) k += "  bra DONE_ASKING;\nASKED:\n" + (r.asked == "-" ? "" : copies_of(r, r.asked, copies) + turn + "ASKED;\n") + "DONE_ASKING:\n";
  k += "  mov.u64 %t1, %clock64;\n";
  if (r.cluster > 1) k += "  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
  k += "  mov.b32 %u, %f0;\n";
  for (int i = 1; i < 128; i++) k += "  mov.b32 %v, %f" + std::to_string(i) + "; xor.b32 %u, %u, %v;" + (i % 4 ? "" : "\n");
  for (int i = 0; i < 8; i++) k += "  xor.b32 %u, %u, %a" + std::to_string(i) + ";";
  for (int i = 0; i < 64; i++) k += "  xor.b32 %u, %u, %r" + std::to_string(i) + ";" + (i % 4 ? "" : "\n");
  k += "\n  mov.u32 %v, %ctaid.x; mad.lo.u32 %v, %v, %threads, %t; mul.wide.u32 %q, %v, 24; add.u64 %out, %out, %q;\n"
       "  st.global.u64 [%out], %t0; st.global.u64 [%out+8], %t1; st.global.u32 [%out+16], %u;\n  ret;\n}\n";
  return k;
}

// --- what is measured

static const std::string wait = "W: mbarrier.try_wait.parity.shared.b64 %p, [%b0], ?; ~!%p bra W;";

static std::string list(const char *kind, int first, int n) {
  std::string text = "{";
  for (int i = 0; i < n; i++) text += (i ? ",%" : "%") + std::string(kind) + std::to_string(first + i);
  return text + "}";
}

// A product of a warpgroup. @from_registers: of A
static std::string product(const std::string &types, int n, int k, bool from_registers) {
  bool is_half = types.rfind("f16.", 0) == 0, is_whole = types.rfind("s32", 0) == 0;
  std::string sums = is_half ? list("r", 0, n / 4) : is_whole ? list("r", 0, n / 2) : list("f", 0, n / 2);
  std::string shape = ".m64n" + std::to_string(n) + "k" + std::to_string(k), tail = is_whole ? "" : ", 1, 1";
  if (types.find("16.") != std::string::npos && types.find("e4m3") == std::string::npos) tail += from_registers ? ", 0" : ", 0, 0";
  return "wgmma.mma_async.sync.aligned" + shape + "." + types + " " + sums + ", " + (from_registers ? list("a", 0, 4) : "%da") + ", %db, 1" + tail + ";";
}

static void add_products(std::vector<Row> &rows) {
  static const struct {
    const char *name, *types;
    int k;
    std::vector<int> widths;
  } kinds[] = {{"f16", "f32.f16.f16", 16, {8, 16, 32, 64, 128, 192, 256}}, {"e4m3", "f32.e4m3.e4m3", 32, {8, 64, 256}}, {"tf32", "f32.tf32.tf32", 8, {8, 64, 256}},
               {"s8", "s32.s8.s8", 32, {8, 64, 96}}, {"f16_f16", "f16.f16.f16", 16, {64, 256}}};
  const std::string begin = "  wgmma.fence.sync.aligned;\n", end = "  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
  for (auto &kind : kinds)
    for (int n : kind.widths)
      for (bool from_registers : {false, true}) {
        std::string name = std::string(kind.name) + (from_registers ? "_a_in_registers." : ".") + std::to_string(n), text = product(kind.types, n, kind.k, from_registers);
        rows.push_back({"wgmma." + name, text, 128, 8, "one behind the other, a warpgroup", begin, end});
        rows.push_back({"wgmma_two." + name, text, 256, 8, "the same, two warpgroups", begin, end});
        rows.push_back({"wgmma_wait." + name, begin + text + end, 128, 4, "each waited for"});
      }
  std::string text = product("f32.f16.f16", 256, 16, false), narrow = product("f32.f16.f16", 64, 16, false);
  auto beside = [&](const char *name, const std::string &product, const std::string &other, const char *how) {
    Row row = {name, product, 256, 8, how, begin, end};
    row.other = other;
    row.setup = "  shl.b32 %c0, %lane, 2; add.u32 %c0, %c0, %s;\n";
    rows.push_back(row);
  };
  std::string loads, stores;
  for (int i = 0; i < 32; i++) loads += "ld.volatile.shared.u32 %x" + std::to_string(i % 8) + ", [%c0+" + std::to_string(i * 128) + "]; xor.b32 %a0, %a0, %x" + std::to_string(i % 8) + "; ";
  beside("wgmma_beside_lds.256", text, loads, "beside another warpgroup that loads 128 times 32 lanes of shared memory meanwhile");
  beside("wgmma_beside_lds.64", narrow, loads, "the same");
  beside("wgmma_beside_none", "", loads, "the loads alone");
}

static Row with_count(Row row, int count) {
  row.count = count;
  return row;
}
static Row with_setup(Row row, const std::string &setup) {
  row.setup = setup;
  return row;
}
static Row with_blocks(Row row, int blocks, int cluster = 1) {
  row.blocks = blocks, row.cluster = cluster;
  return row;
}
static Row with_box(Row row, int box) {
  row.box = box;
  return row;
}

static void add_barriers(std::vector<Row> &rows) {
  for (int warps : {2, 4, 8, 16})
    rows.push_back({"named." + std::to_string(warps), "bar.sync %pair, 64;", warps * 32, 8, "each pair of that many warps at a barrier of its own"});
  rows.push_back({"named_turns", "~%even bar.arrive 1, 64; ~%even bar.sync 2, 64; ~%odd bar.sync 1, 64; ~%odd bar.arrive 2, 64;", 64, 8, "a warp sets off another one, and that one the first"});
  rows.push_back({"named_fixed", "bar.sync 1, 64;", 64, 8, "two warps at a barrier whose number is fixed"});
  for (int warps : {1, 8}) {
    rows.push_back({"division_slow." + std::to_string(warps), "div.rn.f32 %f0, %f0, %f1;", warps * 32, 4, "of 0 by 0, which calls a function"});
    rows.push_back({"division_of_doubles." + std::to_string(warps), "cvt.f64.f32 %q0, %f0; cvt.f64.f32 %q1, %f1; div.rn.f64 %q0, %q0, %q1; cvt.rn.f32.f64 %f0, %q0;", warps * 32, 4, "the same in double precision"});
  }
  rows.push_back({"fence_gpu", "fence.acq_rel.gpu;", 32, 8, "nothing to wait for"});
  rows.push_back({"fence_block", "fence.acq_rel.cta;", 32, 8, "the same"});
  rows.push_back({"warpsync", "bar.warp.sync %r0;", 32, 8, "a mask that is not known", "", "", "  mov.u32 %r0, 0xffffffff;\n"});
  const std::string only = "  @!%leader ret;\n";
  // The barrier ahead of the loop is then of whoever is left.
  auto alone = [&](const char *name, const std::string &text, int threads, const char *how, int count = 1) {
    rows.push_back(with_count(with_setup({name, text, threads, 8, how}, "  bar.sync 0;\n" + only), count));
  };
  const std::string arrive = "mbarrier.arrive.shared.b64 %state, [%b0]; ";
  alone("mbarrier_alone", arrive + wait, 32, "a thread arrives, and waits");
  alone("mbarrier_arrive", arrive, 32, "a thread arrives; others are awaited", 1 << 19);
  alone("mbarrier_done", "W: mbarrier.try_wait.parity.shared.b64 %p, [%b0], 1; ~!%p bra W;", 32, "a thread waits for a phase that is complete");
  alone("mbarrier_turns", "~%even mbarrier.arrive.shared.b64 %state, [%b0]; ~%odd bra ODD; W: mbarrier.try_wait.parity.shared.b64 %p, [%b1], ?; ~!%p bra W; bra DONE; ODD: V: mbarrier.try_wait.parity.shared.b64 %p, [%b0], ?; ~!%p bra V; mbarrier.arrive.shared.b64 %state, [%b1]; DONE:", 64, "a warp sets off another one, and that one the first");
  Row pair = {"mbarrier_pair", arrive + "W: mbarrier.try_wait.parity.shared.b64 %p, [%b1], ?; ~!%p bra W;", 160, 8, "the same, each in a loop of its own, by 32 threads"};
  pair.other = wait + " mbarrier.arrive.shared.b64 %state, [%b1];";
  pair.setup = "  setp.ne.u32 %p, %w, 0;\n  @%late bra STAYS;\n  @%p ret;\nSTAYS:\n";
  pair.count = 32;
  rows.push_back(pair);
  for (int warps : {1, 4, 16}) {
    rows.push_back(with_count({"mbarrier_all." + std::to_string(warps), arrive + wait, warps * 32, 8, "all threads of that many warps arrive and wait"}, warps * 32));
    rows.push_back(with_count({"mbarrier_first." + std::to_string(warps), "~%leader " + arrive + wait, warps * 32, 8, "a thread of each of that many warps arrives, and all wait"}, warps));
  }
  rows.push_back(with_count({"mbarrier_lanes", arrive, 32, 8, "32 threads of a warp arrive"}, 1 << 19));
  for (int threads : {32, 256}) {
    rows.push_back(with_blocks({"cluster." + std::to_string(threads), "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", threads, 8, "two blocks of that many threads meet"}, 2, 2));
    rows.push_back(with_blocks({"cluster_relaxed." + std::to_string(threads), "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;", threads, 8, "the same, with no fence"}, 2, 2));
  }
}

// Memory of other blocks of a cluster.
static void add_peers(std::vector<Row> &rows) {
  enum { HALVES = 8 };
  struct Pattern {
    const char *name;
    int stride, width; // bytes
  };
  static const Pattern patterns[] = {{"same", 0, 4}, {"words", 4, 4}, {"words_2", 8, 4}, {"words_4", 16, 4}, {"words_8", 32, 4}, {"words_32", 128, 4}, {"pairs", 8, 8}, {"fours", 16, 16}};
  auto address = [](int stride, const std::string &rank) {
    return "  mul.lo.u32 %c0, %lane, " + std::to_string(stride) + "; add.u32 %c0, %c0, %s; mov.u32 %v, %cluster_nctarank; " + rank + " mapa.shared::cluster.u32 %c0, %c0, %u;\n";
  };
  const std::string next = "add.u32 %u, %rank, 1; setp.ge.u32 %p, %u, %v; @%p mov.u32 %u, 0;", first = "mov.u32 %u, 0;", second = "mov.u32 %u, 1;";
  auto access = [](const std::string &what, int width, int at) {
    std::string place = "[%c0+" + std::to_string(at) + "]", type = width == 16 ? ".v4.u32" : width == 8 ? ".v2.u32" : ".u32";
    std::string data = width == 16 ? "{%x0,%x1,%x2,%x3}" : width == 8 ? "{%x0,%x1}" : "%x0";
    if (what == "ld") return "ld.volatile.shared::cluster" + type + " " + data + ", " + place + "; xor.b32 %a0, %a0, %x0;";
    if (what == "st") return "st.volatile.shared::cluster" + type + " " + place + ", " + data + ";";
    if (what == "atom") return "atom.shared::cluster.add.u32 %x0, " + place + ", %lane;";
    return "red.shared::cluster.add.u32 " + place + ", %lane;";
  };
  auto add = [&](const std::string &name, const std::string &text, int threads, const std::string &setup, int cluster, const char *how, const std::string &asked = "") {
    Row row = with_blocks(with_setup({name, text, threads, 8, how}, setup), cluster, cluster);
    row.asked = asked;
    rows.push_back(row);
  };
  for (const char *what : {"ld", "st", "red", "atom"})
    for (const Pattern &p : patterns) {
      if (*what != 'l' && *what != 's' && p.width > 4) continue;
      std::string name = std::string("peer_") + what + "." + p.name, text = access(what, p.width, 0);
      add(name, text, 512, address(p.stride, second), 2, "16 warps of the first of two blocks ask the other one", "-");
      add(name + ".both", text, 512, address(p.stride, next), 2, "two blocks ask each other");
      if (p.stride == 4 || p.stride == 32) {
        add(name + ".ring4", text, 512, address(p.stride, next), 4, "each of four blocks asks the next one");
        add(name + ".ring8", text, 512, address(p.stride, next), 8, "each of eight blocks asks the next one");
        for (int cluster : {2, 4, 8}) {
          add(name + ".all" + std::to_string(cluster), text, 512, address(p.stride, next), cluster, "the same on all multiprocessors, in clusters of as many");
          rows.back().blocks = most_blocks / 8 * 8;
        }
        add(name + ".first4", text, 512, address(p.stride, first), 4, "four blocks ask the first one, which asks itself");
        add(name + ".warp", text, 32, address(p.stride, second), 2, "one warp asks", "-");
        add(name + ".warp4", text, 128, address(p.stride, second), 2, "four warps ask", "-");
        std::string local = "ld.volatile.shared.u32 %x0, [%bytes]; xor.b32 %a0, %a0, %x0;";
        add(name + ".beside", text, 512, "  and.b32 %bytes, %bytes, 0xfffffff0;" + address(p.stride, second), 2, "the other one loads from its own", local);
      }
    }
  add("peer_beside.none", "", 512, "  and.b32 %bytes, %bytes, 0xfffffff0;" + address(4, second), 2, "the own loads alone", "ld.volatile.shared.u32 %x0, [%bytes]; xor.b32 %a0, %a0, %x0;");
  // The words hold zero.
  for (int width : {4, 8, 16}) add("peer_latency." + std::to_string(width), access("ld", width, 0) + " add.u32 %c0, %c0, %x0;", 32, address(0, second), 2, "a load whose address is of the one before", "-");
  add("peer_latency.words", access("ld", 4, 0) + " add.u32 %c0, %c0, %x0;", 32, address(4, second), 2, "the same, 32 words", "-");
  add("peer_latency.words_8", access("ld", 4, 0) + " add.u32 %c0, %c0, %x0;", 32, address(32, second), 2, "the same, 32 sectors", "-");
  add("peer_latency.atom", "atom.shared::cluster.add.u32 %x0, [%c0], %r0; add.u32 %c0, %c0, %x0;", 32, address(0, second), 2, "the same, an atomic of all lanes at a word", "-");
  add("peer_latency.atom_one", "~%leader atom.shared::cluster.add.u32 %x0, [%c0], %r0; ~%leader add.u32 %c0, %c0, %x0;", 32, "  mov.u32 %x0, 0;\n" + address(0, second), 2, "the same, of one lane", "-");
  add("peer_latency.cas_words", "atom.shared::cluster.cas.b32 %x0, [%c0], %r0, %r1; add.u32 %c0, %c0, %x0;", 32, address(4, second), 2, "the same, compare and swap of 32 words", "-");
  // Not in larger clusters: a block may be two phases ahead of the next one there, which waits for ever then.
  for (int cluster : {2}) {
    std::string half = "mapa.shared::cluster.u32 %c0, %b1, %u;", size = std::to_string(cluster);
    Row turns = {"peer_turns." + size, "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%c0]; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [%b1], ?; ~!%p bra W;", 32, 8, "each block arrives at the next one's barrier, and waits at its own, a thread"};
    turns.setup = address(0, next) + "  " + half + "\n  @!%leader bra STAYS;\n";
    turns.blocks = turns.cluster = cluster;
    turns.after = "";
    turns.text = "~!%leader bra DONE; " + turns.text + " DONE:";
    turns.setup = address(0, next) + "  " + half + "\n";
    rows.push_back(turns);
  }
  add("peer_arrive", "~%leader mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%c0];", 32, address(0, second) + "  mapa.shared::cluster.u32 %c0, %b1, 1;\n", 2, "arrivals at another block's barrier; others are awaited", "-");
  rows.back().count = 1 << 19;
  add("peer_arrive_relaxed", "~%leader mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%c0];", 32, address(0, second) + "  mapa.shared::cluster.u32 %c0, %b1, 1;\n", 2, "the same, relaxed", "-");
  rows.back().count = 1 << 19;
  add("peer_arrive_lanes", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%c0];", 32, address(0, second) + "  mapa.shared::cluster.u32 %c0, %b1, 1;\n", 2, "the same, of 32 lanes", "-");
  rows.back().count = 1 << 19;
  for (int bytes : {4, 8, 16}) {
    std::string type = bytes == 16 ? ".v4.b32" : bytes == 8 ? ".v2.b32" : ".b32", data = bytes == 16 ? "{%r0,%r1,%r2,%r3}" : bytes == 8 ? "{%r0,%r1}" : "%r0";
    for (bool both : {false, true})
      add("peer_st_async." + std::to_string(bytes) + (both ? ".both" : ""), "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" + type + " [%c0], " + data + ", [%r9];", 512,
          address(bytes, both ? next : second) + "  mapa.shared::cluster.u32 %r9, %b1, %u;\n", 2, "asynchronous stores side by side", both ? "" : "-");
  }
  auto copy = [](int at, int bytes) {
    std::string place = "+" + std::to_string(at);
    return "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%c0" + place + "], [%s" + place + "], " + std::to_string(bytes) + ", [%r9]; ";
  };
  const std::string only = "  @!%first mov.u32 %n, 0;\n";
  for (int bytes : {256, 4096, 16384})
    for (int n : {1, 8})
      for (int cluster : {2}) {
        std::string text = "mbarrier.arrive.expect_tx.shared.b64 %state, [%b1], " + std::to_string(bytes * n) + "; ";
        for (int i = 0; i < n; i++) text += copy(i * bytes, bytes);
        text = "~!%first bra DONE; " + text + "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [%b1], ?; ~!%p bra W; DONE:";
        Row row = {"peer_bulk_" + std::to_string(n) + "." + std::to_string(bytes) + "." + std::to_string(cluster), text, 32, 4, "each block copies as many of that many bytes at a time to the next one, and waits for what comes"};
        row.setup = address(0, next) + "  mapa.shared::cluster.u32 %r9, %b1, %u;\n";
        row.blocks = row.cluster = cluster;
        rows.push_back(row);
      }
  for (int cluster : {2, 4})
    for (int bytes : {1024, 4096, 16384})
      for (int blocks : {cluster, most_blocks / 4 * 4}) {
        // Each block copies to all of them what is its part: what arrives is as much as all copy.
        std::string text = "mbarrier.arrive.expect_tx.shared.b64 %state, [%b1], " + std::to_string(bytes * cluster * 2) + "; ";
        for (int i = 0; i < 2; i++)
          text += "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%c0+" + std::to_string(i * 65536) + "], [%g+" + std::to_string(i * bytes) + "], " + std::to_string(bytes) + ", [%b1], %h; ";
        text = "~!%first bra DONE; " + text + "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [%b1], ?; ~!%p bra W; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9]; V: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [%b2], ?; ~!%p bra V; DONE:";
        Row row = {"multicast_" + std::to_string(cluster) + "." + std::to_string(bytes) + "." + std::to_string(blocks), text, 32, 4, "each block copies two such parts to all of its cluster, waits for all, and for the next block"};
        row.setup = "  .reg .b16 %h; mov.u16 %h, " + std::to_string((1 << cluster) - 1) + ";\n" + address(0, next) + "  mapa.shared::cluster.u32 %r9, %b2, %u; mad.lo.u32 %c0, %rank, " + std::to_string(bytes) + ", %s;\n";
        row.blocks = blocks, row.cluster = cluster;
        rows.push_back(row);
      }
}

static void add_copies(std::vector<Row> &rows) {
  const std::string only = "  bar.sync 0;\n  @!%first ret;\n";
  auto add = [&](const std::string &name, const std::string &text, const char *how, int blocks = 1) {
    rows.push_back(with_blocks(with_setup({name, text, 32, 4, how}, only), blocks));
  };
  auto expect = [](int bytes) { return "mbarrier.arrive.expect_tx.shared.b64 %state, [%b0], " + std::to_string(bytes) + "; "; };
  auto load = [](int at, int bytes) {
    std::string place = "+" + std::to_string(at);
    return "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s" + place + "], [%g" + place + "], " + std::to_string(bytes) + ", [%b0]; ";
  };
  auto store = [](int at, int bytes) {
    std::string place = "+" + std::to_string(at);
    return "cp.async.bulk.global.shared::cta.bulk_group [%o" + place + "], [%s" + place + "], " + std::to_string(bytes) + "; ";
  };
  auto several = [](auto copy, int n, int bytes) {
    std::string text;
    for (int i = 0; i < n; i++) text += copy(i * bytes, bytes);
    return text;
  };
  for (int bytes : {16, 256, 1024, 4096, 16384}) {
    std::string size = std::to_string(bytes);
    add("bulk." + size, expect(bytes) + load(0, bytes) + wait, "a copy of that many bytes from L2, waited for");
    add("bulk_8." + size, expect(bytes * 8) + several(load, 8, bytes) + wait, "8 of them at a time, waited for");
    add("bulk_out." + size, store(0, bytes) + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", "the same to global memory, until it is written");
    add("bulk_out_read." + size, store(0, bytes) + "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;", "the same, until it has been read");
    add("bulk_out_8." + size, several(store, 8, bytes) + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", "8 of them at a time, until they are written");
  }
  add("bulk_8_all.16384", expect(8 * 16384) + several(load, 8, 16384) + wait, "8 of 16 KiB at a time, on all SMs, from L2", most_blocks);
  add("bulk_out_8_all.16384", several(store, 8, 16384) + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", "the same to global memory", most_blocks);
  for (int box : {8, 32, 64}) {
    std::string size = std::to_string(box * 2);
    auto tensor = [](int at, int) { return "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s+" + std::to_string(at) + "], [%m, {%r0, %r1}], [%b0]; "; };
    auto tensor_out = [](int at, int) { return "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m, {%r0, %r1}], [%s+" + std::to_string(at) + "]; "; };
    int bytes = 64 * box * 2;
    const std::string zero = "  mov.u32 %r0, 0; mov.u32 %r1, 0;\n" + only;
    rows.push_back(with_box(with_setup({"tensor." + size, expect(bytes) + tensor(0, 0) + wait, 32, 4, "a box of 64 rows of that many bytes from L2, waited for"}, zero), box));
    rows.push_back(with_box(with_setup({"tensor_8." + size, expect(bytes * 8) + several(tensor, 8, bytes) + wait, 32, 4, "8 of them at a time"}, zero), box));
    rows.push_back(with_box(with_setup({"tensor_out." + size, tensor_out(0, 0) + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", 32, 4, "the same to global memory, until it is written"}, zero), box));
    rows.push_back(with_box(with_setup({"tensor_out_8." + size, several(tensor_out, 8, bytes) + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", 32, 4, "8 of them at a time"}, zero), box));
  }
  const std::string arrive = "cp.async.ca.shared.global [%bytes], [%g], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [%b0]; ";
  rows.push_back(with_count(with_setup({"ldgsts_mbarrier", arrive + wait, 32, 8, "a warp copies 16 bytes a lane, and waits for an mbarrier"}, "  mul.lo.u32 %bytes, %lane, 16; cvt.u64.u32 %q, %bytes; add.u64 %g, %g, %q; add.u32 %bytes, %bytes, %s;\n"), 32));
}

// --- measuring

// Rows of 64 numbers; a box of 64 rows.
static CUtensorMap make_map(int box) {
  CUtensorMap map;
  memset(&map, 0, sizeof map);
  if (!box) return map;
  cuuint64_t sizes[] = {64, (cuuint64_t)rows_of_tensor}, strides[] = {128};
  cuuint32_t boxes[] = {(cuuint32_t)box, 64}, steps[] = {1, 1};
  CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, (void *)to_memory, sizes, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               box == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

static double run(CUfunction function, const Row &r) {
  CUtensorMap map = make_map(r.box);
  int n = iterations;
  void *arguments[] = {&out_memory, &in_memory, &to_memory, &n, &map};
  double best = 1e30;
  CHECK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes));
  for (int turn = 0; turn < 4; turn++) {
    CHECK(cuMemsetD8(out_memory, 0, r.blocks * r.threads * sizeof(Stamps)));
    CHECK(cuLaunchKernel(function, r.blocks, 1, 1, r.threads, 1, 1, shared_bytes, nullptr, arguments, nullptr));
    CHECK(cuCtxSynchronize());
    int counted = r.asked == "-" ? 1 : r.blocks; // the others do nothing
    if (turn) best = std::min(best, average_span(r.blocks, r.threads, counted));
  }
  return best;
}

static void measure(const Row &r, const char *target) {
  std::string head = std::string(".version 9.0\n.target ") + target + "\n.address_size 64\n.extern .shared .align 1024 .b8 memory[];\n";
  measure_copies(r, head, r.asked.empty() ? "" : ", one of them asks");
}

int main(int count, char **words) {
  const char *only = read_words("async", count, words);
  if (!ptx_folder) {
    CHECK_RT(cudaFree(nullptr));
    CHECK(cuInit(0));
    int major;
    CHECK_RT(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major != 9) return 0; // others have other parts
    make_memories(most_blocks, part_bytes);
  }
  std::vector<Row> rows;
  add_barriers(rows);
  add_products(rows);
  add_copies(rows);
  add_peers(rows);
  for (const Row &r : rows)
    if (!only || r.name.find(only) != std::string::npos) measure(r, "sm_90a");
  return 0;
}
