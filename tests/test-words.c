// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What vendors call things.
#include "sim/arch/words.h"

#include <check.h>

#include "tests/suite.h"

static const struct {
  const char *text;
  const char *amd;
} cases[] = {
    {"", ""},
    {"%u wavefronts of a warp", "%u cycles of a wave"},
    {"Warps of the block; Wavefronts", "Waves of the workgroup; Cycles"},
    {"all shared accesses, shared-memory pipe, Shared memory", "all LDS accesses, LDS pipe, LDS"},
    {"half-warps, blocks/SM, multiprocessors", "half-waves, workgroups/CU, compute units"},
    {"a lane group, lane groups, group>", "a phase, phases, phase>"},
    {"as CUDA C:", "as HIP:"},
    // Options, longer words and what stands in a tag are none of them.
    {"--block and --warp, __block, warpSize, blockIdx, subblock",
     "--block and --warp, __block, warpSize, blockIdx, subblock"},
    {"<div class=\"warp\" id=block>warp</div>", "<div class=\"warp\" id=block>wave</div>"},
    {"<p class=\"warp\" aria-label=\"lanes of a warp\" id=\"warp\">",
     "<p class=\"warp\" aria-label=\"lanes of a wave\" id=\"warp\">"},
    {"wavefronts>|excess>", "cycles>|excess>"},
};

START_TEST(test_say) {
  ck_assert_str_eq(smb_vendor_say(SMB_VENDOR_AMD, cases[_i].text), cases[_i].amd);
  ck_assert_ptr_eq(smb_vendor_say(SMB_VENDOR_NVIDIA, cases[_i].text), cases[_i].text);
  ck_assert_ptr_eq(smb_arch_say(NULL, cases[_i].text), cases[_i].text);
}
END_TEST

START_TEST(test_archs) {
  g_autoptr(SmbArch) nvidia = smb_arch_load("sm_90", NULL);
  g_autoptr(SmbArch) amd = smb_arch_load("gfx950", NULL);
  ck_assert_str_eq(smb_arch_say(nvidia, "warp"), "warp");
  ck_assert_str_eq(smb_arch_say(amd, "warp"), "wave");
}
END_TEST

Suite *
suite_words(void) {
  Suite *suite = suite_create("words");
  TCase *tcase = tcase_create("words");
  tcase_add_loop_test(tcase, test_say, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_archs);
  suite_add_tcase(suite, tcase);
  return suite;
}
