// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Architectures: all that come with the library load, and a file that breaks a rule is refused with the
// file, the group, the key and the reason.
#include "sim/arch/arch.h"

#include <check.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/arch/rule.h"
#include "sim/base/error.h"
#include "sim/count/wavefront.h"
#include "tests/suite.h"

// The number of a name: that of its chips, AMD's behind NVIDIA's.
static gulong
read_number(const char *name) {
  return g_str_has_prefix(name, "gfx") ? 0x100000 + strtoul(name + strlen("gfx"), NULL, 16)
                                       : strtoul(name + strlen("sm_"), NULL, 10);
}

START_TEST(test_all_load) {
  g_auto(GStrv) names = smb_arch_list();
  // By vendor and age, not by letters.
  ck_assert_uint_gt(g_strv_length(names), 0);
  for (guint i = 1; names[i]; i++)
    ck_assert_uint_le(read_number(names[i - 1]), read_number(names[i]));
  for (guint i = 0; names[i]; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbArch) arch = smb_arch_load(names[i], &error);
    ck_assert_msg(arch != NULL, "%s", error ? error->message : "");
    const SmbArchInfo *info = smb_arch_info(arch);
    ck_assert_str_eq(info->name, names[i]);
    ck_assert(info->title && info->source);
    gulong number = read_number(names[i]);
    gboolean amd = info->vendor == SMB_VENDOR_AMD;
    ck_assert_uint_eq(info->capability_major * 10 + info->capability_minor, amd ? 0 : number);
    for (guint op = 0; op < SMB_N_OPS; op++) {
      for (guint w = 0; w < SMB_N_WIDTHS; w++) {
        guint width = smb_width(w);
        const SmbRule *rule = smb_arch_rule(arch, (SmbOp)op, width);
        if (!rule->defined)
          continue;
        ck_assert(smb_op_has_width((SmbOp)op, width));
        ck_assert_ptr_nonnull(rule->source);
        ck_assert(rule->evidence != SMB_EVIDENCE_MEASURED || number == 90 || amd);
        ck_assert(!rule->lower_bound || *rule->lower_bound);
        ck_assert(!rule->disputed || rule->evidence == SMB_EVIDENCE_ASSUMED);
        ck_assert(amd == (rule->plan.counts_empty != 0));
        ck_assert(amd ||
                  (1u << rule->plan.bank_bits) << (5 - rule->plan.group_shift) <= SMB_NVIDIA_LANES);
      }
    }
  }
}
END_TEST

START_TEST(test_default) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  const SmbArchInfo *info = smb_arch_info(arch);
  ck_assert_uint_eq(info->banks, 32);
  ck_assert_uint_eq(info->bank_bytes, 4);
  ck_assert_uint_eq(info->row_bytes, 128);
  ck_assert_uint_eq(info->static_shared_bytes, 49152);
  ck_assert_uint_eq(info->max_shared_bytes, 232448);
  ck_assert_uint_eq(info->evidence, SMB_EVIDENCE_MEASURED);
  ck_assert_str_eq(smb_evidence_name(SMB_EVIDENCE_MEASURED), "measured");
  ck_assert_str_eq(smb_evidence_name(SMB_EVIDENCE_DOCUMENTED), "documented");
  ck_assert_str_eq(smb_evidence_name(SMB_EVIDENCE_ASSUMED), "assumed");
  const SmbRule *rule = smb_arch_rule(arch, SMB_OP_STMATRIX_X1, 16);
  ck_assert_str_eq(rule->since, "sm_90");
  ck_assert_ptr_null(smb_arch_rule(arch, SMB_OP_LD, 4)->since);

  SmbArch *again = smb_arch_ref(arch);
  smb_arch_unref(again);
  smb_arch_unref(NULL);
  ck_assert_str_eq(smb_arch_info(arch)->name, SMB_DEFAULT_ARCH);
}
END_TEST

START_TEST(test_unknown) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_arch_load("sm_91", &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
  // As smb_arch_list() has them: by age, not by name.
  ck_assert_msg(
      g_str_has_prefix(error->message, "no architecture 'sm_91': expected one of sm_10, sm_20, "),
      "%s", error->message);
  ck_assert_msg(strstr(error->message, ", sm_90, sm_100, ") != NULL, "%s", error->message);
  ck_assert_msg(strstr(error->message, ", gfx950, gfx1100, gfx1100_wave64, gfx1201, ") != NULL,
                "%s", error->message);
  g_auto(GStrv) names = smb_arch_list();
  g_autofree char *list = g_strjoinv(", ", names);
  g_autofree char *whole =
      g_strdup_printf("no architecture 'sm_91': expected one of %s; the nearest is 'sm_90', Hopper "
                      "(H100, H200, GH200), whose rules may not be those of 'sm_91'",
                      list);
  ck_assert_str_eq(error->message, whole);
  ck_assert_ptr_null(smb_arch_load("../archs/sm_90", NULL));
}
END_TEST

// Names of chips, in any case; and which waves there are.
START_TEST(test_aliases) {
  static const struct {
    const char *name;
    guint lanes;
    const char *arch; // NULL: refused, with the message
    const char *message;
  } cases[] = {
      {"hopper", 0, "sm_90", NULL},
      {"Blackwell", 32, "sm_100", NULL},
      {"ada", 0, "sm_89", NULL},
      {"kepler", 0, "sm_30_4B", NULL},
      {"RTX30", 0, "sm_86", NULL},
      {"pascal", 0, "sm_60", NULL},
      {"mi250", 0, "gfx90a", NULL},
      {"MI300", 0, "gfx942", NULL},
      {"mi300x", 64, "gfx942", NULL},
      {"mi325x", 0, "gfx942", NULL},
      {"mi350", 0, "gfx950", NULL},
      {"mi355x", 0, "gfx950", NULL},
      {"gfx1100", 0, "gfx1100", NULL},
      {"rdna3", 64, "gfx1100_wave64", NULL},
      {"gfx1201", 64, "gfx1201_wave64", NULL},
      {"gfx1201_wave64", 64, "gfx1201_wave64", NULL},
      {"gfx950", 32, NULL, "gfx950 has no waves of 32 lanes, only of 64"},
      {"sm_90", 64, NULL, "sm_90 has no waves of 64 lanes, only of 32"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbArch) arch = smb_arch_load_wave(cases[i].name, cases[i].lanes, &error);
    ck_assert_msg(!arch == !cases[i].arch, "%s: %s", cases[i].name, error ? error->message : "");
    if (arch)
      ck_assert_str_eq(smb_arch_info(arch)->name, cases[i].arch);
    else
      ck_assert_str_eq(error->message, cases[i].message);
    ck_assert(!arch || !cases[i].lanes || smb_arch_info(arch)->lanes == cases[i].lanes);
    ck_assert(!error || g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
  }
}
END_TEST

// No name of chips is that of two architectures, or is an architecture's own.
START_TEST(test_aliases_unique) {
  g_auto(GStrv) names = smb_arch_list();
  guint n_aliases = 0;
  for (guint i = 0; names[i]; i++) {
    g_autoptr(SmbArch) arch = smb_arch_load(names[i], NULL);
    const char *list = smb_arch_info(arch)->aliases;
    g_auto(GStrv) aliases = g_strsplit(list ? list : "", " ", -1);
    for (guint j = 0; aliases[j]; j++, n_aliases++) {
      g_autoptr(SmbArch) found = smb_arch_load(aliases[j], NULL);
      ck_assert_ptr_nonnull(found);
      ck_assert_str_eq(smb_arch_info(found)->name, names[i]);
      ck_assert(!g_strv_contains((const char *const *)names, aliases[j]));
    }
  }
  ck_assert_uint_gt(n_aliases, 40);
}
END_TEST

START_TEST(test_check_request) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_10", NULL);
  g_autoptr(GError) error = NULL;
  SmbRequest request = {.op = SMB_OP_LD, .width = 4};
  ck_assert(smb_arch_check_request(arch, &request, &error));
  request.op = SMB_OP_ATOM;
  ck_assert(!smb_arch_check_request(arch, &request, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, "sm_10 has no rule for atom of 4 bytes");
}
END_TEST

#define SIZES "static-shared-bytes=1024\nmax-shared-bytes=2048\nmax-threads=64\n"
#define FACTS                                                                                      \
  "title=T\ncompute-capability=1.2\nglobal-segment-bytes=32\nevidence=assumed\nsource=s\n"
#define SM    "sm-shared-bytes=2048\nsm-warps=2\nsm-blocks=2\nshared-unit-bytes=128\nsm-source=s\n"
#define BANKS "banks=32\nbank-bytes=4\nrow-bytes=128\n"
#define ARCH  "[arch]\n" FACTS SIZES BANKS
#define RULE  ARCH "[ld 4]\nevidence=assumed\nsource=r\n"

typedef struct {
  const char *text;
  const char *message; // NULL: fine
} Case;

static const Case cases[] = {
    {ARCH, NULL},
    {RULE "group=warp\nconflict=words\n", NULL},
    {"[arch]\nlike=sm_90\n" FACTS, NULL},
    {"nonsense",
     "x.ini:1: Key file contains line “nonsense” which is not a key-value pair, group, or "
     "comment"},
    {"", "x.ini: [arch] title: missing"},
    {"[arch]\ntitle=T\n", "x.ini: [arch] compute-capability: expected MAJOR.MINOR"},
    {"[arch]\ntitle=T\ncompute-capability=9\n",
     "x.ini: [arch] compute-capability: expected MAJOR.MINOR"},
    {"[arch]\ntitle=T\ncompute-capability=9.0.1\n",
     "x.ini: [arch] compute-capability: expected MAJOR.MINOR"},
    {"[arch]\ntitle=T\ncompute-capability=9.x\n",
     "x.ini: [arch] compute-capability: expected MAJOR.MINOR"},
    {"[arch]\n" FACTS "banks=1025\n", "x.ini: [arch] banks: '1025' is not a number from 1 to 1024"},
    {"[arch]\n" FACTS "banks=many\n", "x.ini: [arch] banks: 'many' is not a number from 1 to 1024"},
    {"[arch]\n" FACTS "bank-bytes=0\n",
     "x.ini: [arch] bank-bytes: '0' is not a number from 1 to 1024"},
    {ARCH "lanes=48\n", "x.ini: [arch] lanes: 48: expected 32 or 64"},
    {ARCH "lanes=64\n", NULL},
    {"[arch]\n" FACTS SIZES "banks=64\nbank-bytes=4\n", NULL},
    {"[arch]\n" FACTS SIZES "banks=1\nbank-bytes=4\n[ld 4]\nevidence=assumed\nsource=r\n"
     "conflict=words\ngroup=0x10 0x8 0x14 1\n",
     NULL},
    {"[arch]\n" FACTS SIZES "banks=128\nbank-bytes=4\n",
     "x.ini: [arch] banks: 128: expected a power of two from 1 to 64: bits of the address choose "
     "the "
     "bank"},
    {"[arch]\n" FACTS BANKS, "x.ini: [arch] max-threads: missing"},
    {ARCH "banks=31\n", "x.ini: [arch] banks: 31: expected a power of two from 1 to 64: bits of "
                        "the address choose the "
                        "bank"},
    {"[arch]\n" FACTS SIZES,
     "x.ini: [arch] banks: 0: expected a power of two from 1 to 64: bits of the "
     "address choose the bank"},
    {ARCH "bank-bytes=2\n", "x.ini: [arch] bank-bytes: 2: expected 4 or 8"},
    {ARCH "row-bytes=64\n", "x.ini: [arch] row-bytes: 64: expected a power of two of at least 128"},
    {ARCH "row-bytes=192\n",
     "x.ini: [arch] row-bytes: 192: expected a power of two of at least 128"},
    {ARCH "global-segment-bytes=96\n",
     "x.ini: [arch] global-segment-bytes: 96: expected 32, 64 or 128"},
    {ARCH "vendor=intel\n", "x.ini: [arch] vendor: 'intel' is none of: nvidia, amd"},
    {ARCH "active-counter=X\n", "x.ini: [arch] active-counter: goes with conflict-counter"},
    {ARCH "vendor=amd\n", "x.ini: [arch] compute-capability: goes with vendor=nvidia"},
    {ARCH "max-shared-bytes=512\n",
     "x.ini: [arch] max-shared-bytes: smaller than static-shared-bytes"},
    {"[arch]\ntitle=T\ncompute-capability=1.2\nglobal-segment-bytes=32\nevidence=assumed\n" SIZES
         BANKS,
     "x.ini: [arch] source: missing: every rule says where it comes from"},
    {"[arch]\ntitle=T\ncompute-capability=1.2\nglobal-segment-bytes=32\nsource=s\n" SIZES BANKS,
     "x.ini: [arch] evidence: missing: expected measured, documented or assumed"},
    {ARCH "evidence=guessed\n",
     "x.ini: [arch] evidence: 'guessed' is none of: measured, documented, assumed, user"},
    {"[arch]\nlike=sm_90\ntitle=T\ncompute-capability=9.9\n",
     "x.ini: [arch] evidence: missing: expected measured, documented or assumed"},
    {"[arch]\nlike=sm_90\nevidence=assumed\nsource=s\n", "x.ini: [arch] title: missing"},
    {ARCH "[ldx 4]\n", "x.ini: [ldx 4] : unknown operation"},
    {ARCH "[ld]\n", "x.ini: [ld] : no width: expected such as [ld 4]"},
    {ARCH "[ld four]\n", "x.ini: [ld four] : 'four' is not a width of ld"},
    {ARCH "[ld 3]\n", "x.ini: [ld 3] : '3' is not a width of ld"},
    {ARCH "[ld 32]\n", "x.ini: [ld 32] : '32' is not a width of ld"},
    {ARCH "[atom 2]\n", "x.ini: [atom 2] : '2' is not a width of atom"},
    {RULE, "x.ini: [ld 4] group: a rule needs 'group' and 'conflict'"},
    {RULE "group=warp\n", "x.ini: [ld 4] group: a rule needs 'group' and 'conflict'"},
    {RULE "conflict=words\n", "x.ini: [ld 4] group: a rule needs 'group' and 'conflict'"},
    {RULE "conflict=words\ngroup=third\n", "x.ini: [ld 4] group: 'third' is not a lane group: "
                                           "expected warp, half, quarter, or masks from 1 to "
                                           "0x3f"},
    {RULE "conflict=words\ngroup=half\nmerged-group=all\n",
     "x.ini: [ld 4] merged-group: 'all' is not a lane group: expected warp, half, quarter, or "
     "masks from 1 "
     "to 0x3f"},
    {RULE "conflict=words\ngroup=0x40\n", "x.ini: [ld 4] group: '0x40' is not a lane group: "
                                          "expected warp, half, quarter, or masks from 1 to "
                                          "0x3f"},
    {RULE "conflict=words\ngroup=0x20\n", "x.ini: [ld 4] group: mask 0x20: a warp has 32 lanes"},
    {RULE "conflict=words\ngroup=1 2 3\n",
     "x.ini: [ld 4] group: a mask splits nothing that the others do not split"},
    {RULE "conflict=words\ngroup=1 2 4 8 16\n", "x.ini: [ld 4] group: more than 4 masks"},
    {RULE "conflict=words\ngroup=\n", "x.ini: [ld 4] group: empty: expected a lane group"},
    {RULE "conflict=words\ngroup=warp\nbanks=6\n",
     "x.ini: [ld 4] banks: 6: expected a power of two from 1 to 64"},
    {RULE "conflict=words\ngroup=warp\nempty-groups=maybe\n",
     "x.ini: [ld 4] empty-groups: 'maybe' is none of: free, count"},
    {RULE "conflict=loop\ngroup=warp\nempty-groups=count\n",
     "x.ini: [ld 4] empty-groups: the groups of a loop cost nothing when they are empty"},
    {RULE "conflict=loop\ngroup=warp\npasses=0\n",
     "x.ini: [ld 4] passes: 0: the swaps of a loop take wavefronts"},
    {ARCH "row-bytes=256\n[ld 4]\nevidence=assumed\nsource=r\nconflict=one-broadcast\ngroup=half\n",
     "x.ini: [ld 4] conflict: one word is broadcast: row-bytes is more than one row"},
    {ARCH "[ld 8]\nevidence=assumed\nsource=r\nconflict=one-broadcast\ngroup=half\n",
     "x.ini: [ld 8] unit-bytes: 8: one word of 4 bytes is broadcast"},
    {ARCH "[ld 16]\nevidence=assumed\nsource=r\nconflict=words\ngroup=half\nbanks=2\n",
     "x.ini: [ld 16] banks: 2: 16 bytes of a lane need as many words, each in its own bank"},
    {ARCH "[ld 12]\nevidence=assumed\nsource=r\nconflict=words\nunit-bytes=8\ngroup=half\n",
     "x.ini: [ld 12] unit-bytes: 8: expected 12"},
    {ARCH "[ld 12]\nevidence=assumed\nsource=r\nconflict=words\ngroup=half\n", NULL},
    {ARCH "[ldmatrix.x2 16]\nevidence=assumed\nsource=r\nconflict=words\ngroup=quarter\n"
          "empty-groups=count\n",
     "x.ini: [ldmatrix.x2 16] empty-groups: only 16 lanes give an address"},
    {RULE "conflict=never\ngroup=warp\n",
     "x.ini: [ld 4] conflict: 'never' is none of: words, lanes, addresses, one-broadcast, loop"},
    {RULE "conflict=words\ngroup=warp\npasses=0\nlower-bound=x\n", NULL},
    {RULE "conflict=words\ngroup=warp\npasses=17\n",
     "x.ini: [ld 4] passes: '17' is not a number from 0 to 16"},
    {RULE "conflict=words\ngroup=warp\nfloor=0\n",
     "x.ini: [ld 4] floor: '0' is not a number from 1 to 64"},
    {RULE "conflict=words\ngroup=warp\nmerged-floor=65\n",
     "x.ini: [ld 4] merged-floor: '65' is not a number from 1 to 64"},
    {RULE "conflict=words\ngroup=warp\ncycles-per-wavefront=-1\n",
     "x.ini: [ld 4] cycles-per-wavefront: '-1' is not a number from 1 to 16"},
    {RULE "conflict=words\ngroup=warp\nunit-bytes=2\n", "x.ini: [ld 4] unit-bytes: 2: expected 4"},
    {RULE "conflict=words\ngroup=warp\nunit-bytes=12\n",
     "x.ini: [ld 4] unit-bytes: 12: expected 4"},
    {RULE "conflict=words\ngroup=warp\nunit-bytes=256\n",
     "x.ini: [ld 4] unit-bytes: 256: expected 4"},
    {RULE "conflict=words\ngroup=half\n", NULL},
    {RULE "conflict=words\ngroup=warp\nmerged-group=half\n",
     "x.ini: [ld 4] merged-group: 2 groups: expected fewer than those of 'group', 1"},
    {RULE "conflict=words\ngroup=half\nmerged-group=warp\nmerged-floor=2\n", NULL},
    {RULE "conflict=words\ngroup=warp\nmerged-floor=2\n",
     "x.ini: [ld 4] merged-floor: goes with 'merged-group', which is missing"},
    {RULE "conflict=words\ngroup=half\nmerged-group=half\n",
     "x.ini: [ld 4] merged-group: 2 groups: expected fewer than those of 'group', 2"},
    {RULE "conflict=loop\ngroup=half\nmerged-group=warp\n", NULL},
    {RULE "conflict=loop\ngroup=half\nmerged-group=warp\nmerged-floor=2\n",
     "x.ini: [ld 4] merged-floor: a loop has one floor"},
    {ARCH "[ldmatrix.x2 16]\nevidence=assumed\nsource=r\nconflict=words\ngroup=quarter\n"
          "merged-group=half\n",
     "x.ini: [ldmatrix.x2 16] merged-group: lanes have no partners: only 16 give an address"},
    {RULE "conflict=words\ngroup=warp\nsince=sm_80\n", NULL},
    {RULE "conflict=words\ngroup=warp\nsince=sm_81\n",
     "x.ini: [ld 4] since: no architecture 'sm_81'"},
    {ARCH SM, NULL},
    {ARCH SM "block-reserved-bytes=1024\n",
     "x.ini: [arch] sm-shared-bytes: 2048: the largest block "
     "takes 3072"},
    {ARCH "sm-warps=2\n", "x.ini: [arch] sm-shared-bytes: goes with sm-warps, sm-blocks and "
                          "shared-unit-bytes: not all are there"},
    {ARCH SM "sm-warps=1\n", "x.ini: [arch] sm-warps: 1: the largest block has 64 threads"},
    {ARCH SM "sm-blocks=0\n", "x.ini: [arch] sm-blocks: '0' is not a number from 1 to 1024"},
    {ARCH "sm-shared-bytes=2048\nsm-warps=2\nsm-blocks=2\nshared-unit-bytes=128\n",
     "x.ini: [arch] sm-source: missing: every rule says where it comes from"},
    {ARCH "counts-instructions-apart=yes\n",
     "x.ini: [arch] instruction-source: missing: every rule says where it comes from"},
    {ARCH "counts-instructions-apart=yes\ninstruction-source=r\n", NULL},
    {ARCH "bank-byte=4\n",
     "x.ini: [arch] bank-byte: unknown key: expected one of like, vendor, title, aliases, "
     "compute-capability, "
     "lanes, banks, "
     "bank-bytes, row-bytes, static-shared-bytes, max-shared-bytes, max-threads, "
     "global-segment-bytes, single-atomics, counts-increments, counts-instructions-apart, "
     "instruction-source, "
     "active-counter, conflict-counter, counter-note, evidence, source, sm-shared-bytes, sm-warps, "
     "sm-blocks, block-reserved-bytes, shared-unit-bytes, sm-source"},
    {"[arch]\nlike=sm_90\n" FACTS "group=warp\n",
     "x.ini: [arch] group: unknown key: expected one of like, vendor, title, aliases, "
     "compute-capability, lanes, "
     "banks, "
     "bank-bytes, row-bytes, static-shared-bytes, max-shared-bytes, max-threads, "
     "global-segment-bytes, single-atomics, counts-increments, counts-instructions-apart, "
     "instruction-source, "
     "active-counter, conflict-counter, counter-note, evidence, source, sm-shared-bytes, sm-warps, "
     "sm-blocks, block-reserved-bytes, shared-unit-bytes, sm-source"},
    {RULE "conflict=words\ngroup=warp\nflor=2\n",
     "x.ini: [ld 4] flor: unknown key: expected one of group, empty-groups, conflict, "
     "source-lines, banks, "
     "unit-bytes, merged-group, "
     "merged-floor, passes, floor, cycles-per-wavefront, evidence, source, disputed, since, "
     "lower-bound, "
     "cycles-lower-bound"},
    {RULE "conflict=words\ngroup=warp\n[ld 1 4]\nevidence=assumed\nsource=r\nconflict=words\n"
          "group=warp\n",
     "x.ini: [ld 1 4] : a second rule for ld of 4 bytes"},
    {ARCH "[ld 4 4]\nevidence=assumed\nsource=r\nconflict=words\ngroup=warp\n",
     "x.ini: [ld 4 4] : a second rule for ld of 4 bytes"},
    {ARCH "[ld 4]\ngroup=warp\nconflict=words\nevidence=assumed\n",
     "x.ini: [ld 4] source: missing: every rule says where it comes from"},
    {ARCH "[ld 4]\ngroup=warp\nconflict=words\nsource=r\n",
     "x.ini: [ld 4] evidence: missing: expected measured, documented or assumed"},
};

START_TEST(test_rules) {
  const Case *c = &cases[_i];
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_new_from_data("x", c->text, &error);
  if (!c->message) {
    ck_assert_msg(arch != NULL, "%s", error ? error->message : "");
    return;
  }
  ck_assert_msg(!arch, "%s", c->message);
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, c->message);
}
END_TEST

// An architecture that is like another one takes over its rules and says its own evidence for them.
START_TEST(test_like) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch =
      smb_arch_new_from_data("x",
                             "[arch]\nlike=sm_90\n" FACTS "[st 4]\ngroup=warp\nconflict=lanes\n"
                             "evidence=documented\nsource=r\n",
                             &error);
  ck_assert_msg(arch != NULL, "%s", error ? error->message : "");
  const SmbRule *inherited = smb_arch_rule(arch, SMB_OP_LDMATRIX_X4, 16);
  ck_assert(inherited->defined);
  ck_assert_uint_eq(inherited->evidence, SMB_EVIDENCE_ASSUMED);
  ck_assert_str_eq(inherited->source, "s");
  ck_assert_str_eq(inherited->since, "sm_75");
  ck_assert_ptr_null(inherited->lower_bound);
  const SmbRule *loop = smb_arch_rule(arch, SMB_OP_ATOM_LOOP, 8);
  ck_assert_str_eq(loop->lower_bound, "swaps that fail because of other warps");
  const SmbRule *own = smb_arch_rule(arch, SMB_OP_ST, 4);
  ck_assert_uint_eq(own->plan.conflict, SMB_CONFLICT_LANES);
  ck_assert_uint_eq(own->evidence, SMB_EVIDENCE_DOCUMENTED);
  ck_assert_str_eq(own->source, "r");
  ck_assert_uint_eq(smb_arch_info(arch)->banks, 32);
  ck_assert_uint_eq(smb_arch_info(arch)->capability_minor, 2);
}
END_TEST

// Inherited rules are made anew for the banks of the architecture that takes them.
START_TEST(test_like_geometry) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) half = smb_arch_new_from_data(
      "half", "[arch]\nlike=sm_90\n" FACTS "banks=16\nrow-bytes=64\n", &error);
  ck_assert_msg(half != NULL, "%s", error ? error->message : "");
  const SmbPlan *plan = &smb_arch_rule(half, SMB_OP_LD, 4)->plan;
  ck_assert_uint_eq(plan->banks, 16);
  ck_assert_uint_eq(plan->row_shift, 6);
  SmbRequest request = {.op = SMB_OP_LD, .width = 4, .mask = 0xffffffffu};
  for (guint lane = 0; lane < 32; lane++)
    request.offset[lane] = lane * 4;
  ck_assert_uint_eq(smb_wavefronts_count(half, &request).wavefronts, 2);

  // Rows follow the banks if nothing is said of them.
  g_autoptr(SmbArch) wide =
      smb_arch_new_from_data("wide", "[arch]\nlike=sm_90\n" FACTS "banks=64\nlanes=64\n", &error);
  ck_assert_msg(wide != NULL, "%s", error ? error->message : "");
  ck_assert_uint_eq(smb_arch_info(wide)->row_bytes, 256);
  plan = &smb_arch_rule(wide, SMB_OP_ST, 16)->plan;
  ck_assert_uint_eq(plan->n_groups, 4);
  ck_assert_uint_eq(plan->groups[1], 0xffff0000u);

  g_autoptr(SmbArch) tiny =
      smb_arch_new_from_data("tiny", "[arch]\nlike=sm_90\n" FACTS "banks=2\nrow-bytes=8\n", &error);
  ck_assert_ptr_null(tiny);
  ck_assert_str_eq(error->message,
                   "tiny.ini: [arch] like: the rule [ld 16] of sm_90 does not fit: banks: 2: 16 "
                   "bytes of a lane need as many words, each in its own bank");
}
END_TEST

START_TEST(test_like_unknown) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_arch_new_from_data("x", "[arch]\nlike=sm_0\n" FACTS, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_msg(g_str_has_prefix(error->message,
                                 "x.ini: [arch] like: no architecture 'sm_0': expected one of "),
                "%s", error->message);
}
END_TEST

static void
write_like(const char *folder, const char *name, const char *like) {
  g_autofree char *file = g_strdup_printf("%s/archs/%s.ini", folder, name);
  g_autofree char *text = g_strdup_printf("[arch]\nlike=%s\n" FACTS, like);
  ck_assert(g_file_set_contents(file, text, -1, NULL));
}

static void
remove_like(const char *folder, const char *name) {
  g_autofree char *file = g_strdup_printf("%s/archs/%s.ini", folder, name);
  g_unlink(file);
}

// On another one, that one on a third, no further; also not in a circle.
START_TEST(test_like_depth) {
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  g_autofree char *archs = g_build_filename(folder, "archs", NULL);
  ck_assert_ptr_nonnull(folder);
  ck_assert_int_eq(g_mkdir(archs, 0700), 0);
  write_like(folder, "a", "b");
  write_like(folder, "b", "c");
  write_like(folder, "c", "sm_90");
  write_like(folder, "circle", "circle");
  g_setenv("SMEMBANK_DATADIR", folder, TRUE);

  g_autoptr(GError) error = NULL, circle_error = NULL;
  g_autoptr(SmbArch) deepest = smb_arch_load("b", NULL);
  SmbArch *too_deep = smb_arch_load("a", &error);
  SmbArch *circle = smb_arch_load("circle", &circle_error);
  g_unsetenv("SMEMBANK_DATADIR");
  remove_like(folder, "a");
  remove_like(folder, "b");
  remove_like(folder, "c");
  remove_like(folder, "circle");
  g_rmdir(archs);
  g_rmdir(folder);

  ck_assert_ptr_nonnull(deepest);
  ck_assert_ptr_null(too_deep);
  ck_assert_str_eq(error->message, "a.ini: [arch] like: b.ini: [arch] like: c.ini: [arch] like: "
                                   "'sm_90' is one architecture too many");
  ck_assert_ptr_null(circle);
  ck_assert(g_error_matches(circle_error, SMB_ERROR, SMB_ERROR_INPUT));
}
END_TEST

Suite *
suite_arch(void) {
  Suite *suite = suite_create("arch");
  TCase *tcase = tcase_create("arch");
  tcase_add_test(tcase, test_all_load);
  tcase_add_test(tcase, test_default);
  tcase_add_test(tcase, test_unknown);
  tcase_add_test(tcase, test_aliases);
  tcase_add_test(tcase, test_aliases_unique);
  tcase_add_test(tcase, test_check_request);
  tcase_add_loop_test(tcase, test_rules, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_like);
  tcase_add_test(tcase, test_like_geometry);
  tcase_add_test(tcase, test_like_unknown);
  tcase_add_test(tcase, test_like_depth);
  suite_add_tcase(suite, tcase);
  return suite;
}
