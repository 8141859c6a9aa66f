// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Each reason that a swizzle leaves conflicts has words of its own, with the bits that it is about.
#include "src/advise/check.h"

#include <check.h>
#include <string.h>

#include "tests/suite.h"

static const struct {
  SmbLayoutCheck check;
  const char *words[2]; // what the explanation has in it
} cases[] = {
    {{.fault = SMB_FAULT_NONE}, {"has no conflict"}},
    {{.fault = SMB_FAULT_NONE, .original.excess = 1}, {"free of conflicts"}},
    {{.fault = SMB_FAULT_MISFIT, .fit = SMB_LAYOUT_OUTSIDE}, {"more than this array"}},
    {{.fault = SMB_FAULT_MISFIT, .fit = SMB_LAYOUT_TORN, .width = 16, .needed_base = 2},
     {"16 bytes", "at least 2"}},
    {{.fault = SMB_FAULT_MISFIT, .fit = SMB_LAYOUT_MISALIGNED, .width = 8},
     {"8 bytes", "multiple of 8"}},
    {{.fault = SMB_FAULT_SAME}, {"one word"}},
    {{.fault = SMB_FAULT_UNSWIZZLED}, {"changes nothing"}},
    {{.fault = SMB_FAULT_NO_BITS}, {"no bits of the offset"}},
    {{.fault = SMB_FAULT_TARGET, .target_bits = 0x380, .bank_bits = 0x7c, .width = 4},
     {"bits 7-9", "bits 2-6"}},
    {{.fault = SMB_FAULT_SOURCE, .source_bits = 0x80, .lane_bits = 0x107c},
     {"bit 7", "bits 2-6 and 12"}},
    {{.fault = SMB_FAULT_TOO_FEW, .lane_bits = 0x294, .read = 0x80, .unread = 0x200},
     {"bits 2, 4, 7 and 9", "and not bit 9"}},
    {{.fault = SMB_FAULT_TOO_FEW, .lane_bits = 0x180, .read = 0},
     {"reads no bit", "not all of them"}},
    {{.fault = SMB_FAULT_CANCELS, .lane_bits = G_GUINT64_CONSTANT(0xc000000000000000)},
     {"bits 62-63", "cancels"}},
};

START_TEST(test_words) {
  g_autofree char *text = smb_advise_check_explain(&cases[_i].check);
  for (guint i = 0; i < G_N_ELEMENTS(cases[_i].words); i++) {
    const char *words = cases[_i].words[i];
    ck_assert_msg(!words || strstr(text, words), "'%s' is not in '%s'", words, text);
  }
}
END_TEST

Suite *
suite_check_words(void) {
  Suite *suite = suite_create("check-words");
  TCase *tcase = tcase_create("check-words");
  tcase_add_loop_test(tcase, test_words, 0, G_N_ELEMENTS(cases));
  suite_add_tcase(suite, tcase);
  return suite;
}
