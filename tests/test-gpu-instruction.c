// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The table of instructions: what it has to have for the probe, and for every rule of an architecture.
#include "gpu/instruction.h"

#include <check.h>
#include <string.h>

#include "sim/arch/rule.h"
#include "tests/suite.h"

START_TEST(test_instruction) {
  guint index = (guint)_i, found = G_MAXUINT;
  const SmbInstruction *instruction = smb_instruction(index);
  gboolean is_matrix = instruction->op >= SMB_OP_LDMATRIX_X1;
  ck_assert(smb_instruction_find(instruction->name, &found));
  ck_assert_msg(found == index, "%s: stands there twice", instruction->name);
  ck_assert_msg(smb_op_has_width(instruction->op, instruction->width), "%s: no such width",
                instruction->name);
  // The matrices are by the whole warp; all others follow the mask.
  ck_assert_int_eq(instruction->whole_warp, is_matrix);
  // One line: it is the value of a macro. And it asks for the address.
  ck_assert_ptr_null(strchr(instruction->text, '\n'));
  ck_assert_ptr_nonnull(strstr(instruction->text, "(a)"));
  ck_assert_uint_ge(instruction->capability, 50);
  ck_assert_uint_le(instruction->capability, 90);
}
END_TEST

// Every operation and width that sm_90 has a rule for is issued by an instruction that sm_90 has.
START_TEST(test_rules) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  guint rules = 0;
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint w = 0; w < SMB_N_WIDTHS; w++) {
      guint width = smb_width(w);
      guint index = 0;
      if (!(smb_op_has_width((SmbOp)op, width)) || !smb_arch_rule(arch, (SmbOp)op, width)->defined)
        continue;
      ck_assert_msg(smb_instruction_for((SmbOp)op, width, &index), "%s %u", smb_op_name((SmbOp)op),
                    width);
      ck_assert_uint_eq(smb_instruction(index)->op, op);
      ck_assert_uint_eq(smb_instruction(index)->width, width);
      ck_assert_uint_le(smb_instruction(index)->capability, 90);
      rules++;
    }
  }
  ck_assert_uint_ge(rules, 21);
}
END_TEST

// The first of an operation and width stands for it.
START_TEST(test_first) {
  static const struct {
    SmbOp op;
    guint width;
    const char *name; // NULL: nothing issues it
  } firsts[] = {
      {SMB_OP_LD, 4, "ld.u32"},
      {SMB_OP_LD, 8, "ld.v2.u32"},
      {SMB_OP_ST, 16, "st.v4.u32"},
      {SMB_OP_ATOM, 4, "atom.add.u32"},
      {SMB_OP_RED_UNIFORM, 4, "red.add.u32.constant-1"},
      {SMB_OP_CAS, 8, "atom.cas.b64"},
      {SMB_OP_LDMATRIX_X2, 16, "ldmatrix.x2"},
      {SMB_OP_STMATRIX_X4, 16, "stmatrix.x4"},
      {SMB_OP_ATOM, 16, NULL},
  };
  for (guint i = 0; i < G_N_ELEMENTS(firsts); i++) {
    guint index = 0;
    gboolean found = smb_instruction_for(firsts[i].op, firsts[i].width, &index);
    ck_assert_pstr_eq(found ? smb_instruction(index)->name : NULL, firsts[i].name);
  }
}
END_TEST

START_TEST(test_unknown) {
  static const char *const names[] = {"", "ld", "ld.u32 ", "LD.U32", "ld.u32.u32"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    guint index = 7;
    ck_assert(!smb_instruction_find(names[i], &index));
    ck_assert_uint_eq(index, 7);
  }
}
END_TEST

Suite *
suite_gpu_instruction(void) {
  Suite *suite = suite_create("gpu-instruction");
  TCase *group = tcase_create("instruction");
  tcase_add_loop_test(group, test_instruction, 0, (int)smb_instruction_count());
  tcase_add_test(group, test_rules);
  tcase_add_test(group, test_first);
  tcase_add_test(group, test_unknown);
  suite_add_tcase(suite, group);
  return suite;
}
