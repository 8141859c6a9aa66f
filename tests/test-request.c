// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations and their names, and which requests are refused with what message.
#include "sim/base/request.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "tests/suite.h"

typedef struct {
  SmbOp op;
  const char *name;
  SmbOpClass op_class;
  const char *widths;
  guint lanes;
} Op;

static const Op ops[] = {
    {SMB_OP_LD, "ld", SMB_OP_CLASS_LOAD, "1 2 4 8 12 16", SMB_MAX_LANES},
    {SMB_OP_ST, "st", SMB_OP_CLASS_STORE, "1 2 4 8 12 16", SMB_MAX_LANES},
    {SMB_OP_LD_GENERIC, "ld.generic", SMB_OP_CLASS_LOAD, "1 2 4 8 12 16", SMB_MAX_LANES},
    {SMB_OP_ST_GENERIC, "st.generic", SMB_OP_CLASS_STORE, "1 2 4 8 12 16", SMB_MAX_LANES},
    {SMB_OP_CP_ASYNC_CA, "cp.async.ca", SMB_OP_CLASS_STORE, "4 8 16", SMB_MAX_LANES},
    {SMB_OP_CP_ASYNC_CG, "cp.async.cg", SMB_OP_CLASS_STORE, "16", SMB_MAX_LANES},
    {SMB_OP_ATOM, "atom", SMB_OP_CLASS_ATOMIC, "4 8", SMB_MAX_LANES},
    {SMB_OP_RED_UNIFORM, "red.uniform", SMB_OP_CLASS_ATOMIC, "4", SMB_MAX_LANES},
    {SMB_OP_CAS, "cas", SMB_OP_CLASS_ATOMIC, "4 8", SMB_MAX_LANES},
    {SMB_OP_ATOM_LOOP, "atom.loop", SMB_OP_CLASS_ATOMIC, "4 8", SMB_MAX_LANES},
    {SMB_OP_LD_CONST, "ld.const", SMB_OP_CLASS_LOAD, "1 2 4 8", SMB_MAX_LANES},
    {SMB_OP_LDMATRIX_X1, "ldmatrix.x1", SMB_OP_CLASS_LOAD, "16", 8},
    {SMB_OP_LDMATRIX_X2, "ldmatrix.x2", SMB_OP_CLASS_LOAD, "16", 16},
    {SMB_OP_LDMATRIX_X4, "ldmatrix.x4", SMB_OP_CLASS_LOAD, "16", 32},
    {SMB_OP_STMATRIX_X1, "stmatrix.x1", SMB_OP_CLASS_STORE, "16", 8},
    {SMB_OP_STMATRIX_X2, "stmatrix.x2", SMB_OP_CLASS_STORE, "16", 16},
    {SMB_OP_STMATRIX_X4, "stmatrix.x4", SMB_OP_CLASS_STORE, "16", 32},
};

START_TEST(test_ops) {
  ck_assert_uint_eq(G_N_ELEMENTS(ops), SMB_N_OPS);
  const Op *op = &ops[_i];
  SmbOp parsed;
  ck_assert_str_eq(smb_op_name(op->op), op->name);
  ck_assert_uint_eq(smb_op_class(op->op), op->op_class);
  g_autoptr(GString) widths = g_string_new(NULL);
  for (guint width = 0; width < 300; width++) {
    if (smb_op_has_width(op->op, width))
      g_string_append_printf(widths, "%s%u", widths->len ? " " : "", width);
  }
  ck_assert_str_eq(widths->str, op->widths);
  ck_assert_uint_eq(smb_op_address_lanes(op->op), op->lanes);
  ck_assert(smb_op_parse(op->name, strlen(op->name), &parsed));
  ck_assert_uint_eq(parsed, op->op);
}
END_TEST

START_TEST(test_parse) {
  static const char *const wrong[] = {"", "l", "ldx", "LD", "ldmatrix", "ldmatrix.x3", "red"};
  SmbOp op;
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++)
    ck_assert_msg(!smb_op_parse(wrong[i], strlen(wrong[i]), &op), "%s", wrong[i]);
  ck_assert(smb_op_parse("stop", 2, &op));
  ck_assert_uint_eq(op, SMB_OP_ST);
  ck_assert_str_eq(smb_op_class_name(SMB_OP_CLASS_LOAD), "load");
  ck_assert_str_eq(smb_op_class_name(SMB_OP_CLASS_STORE), "store");
  ck_assert_str_eq(smb_op_class_name(SMB_OP_CLASS_ATOMIC), "atomic");
}
END_TEST

START_TEST(test_widths) {
  for (guint i = 0; i < SMB_N_WIDTHS; i++)
    ck_assert_uint_eq(smb_width_index(smb_width(i)), i);
  ck_assert_uint_eq(smb_width(SMB_N_WIDTHS - 1), SMB_MAX_WIDTH);
  ck_assert_uint_eq(smb_width_alignment(12), 4);
  ck_assert_uint_eq(smb_width_alignment(16), 16);
}
END_TEST

// One request: @offset in lane @lane, 0 in the others.
typedef struct {
  SmbOp op;
  guint width;
  guint32 mask;
  guint lane;
  guint32 offset;
  const char *message; // NULL: fine
} Case;

static const Case cases[] = {
    {SMB_OP_LD, 4, 0xffffffffu, 5, 12, NULL},
    {SMB_OP_LD, 1, 0xffffffffu, 5, 0xffffffffu, NULL},
    {SMB_OP_LD, 16, 0xffffffffu, 31, 0xfffffff0u, NULL},
    {SMB_OP_LD, 0, 1, 0, 0, "'ld' cannot be 0 bytes wide: expected 1, 2, 4, 8, 12 or 16"},
    {SMB_OP_LD, 3, 1, 0, 0, "'ld' cannot be 3 bytes wide: expected 1, 2, 4, 8, 12 or 16"},
    {SMB_OP_ST, 32, 1, 0, 0, "'st' cannot be 32 bytes wide: expected 1, 2, 4, 8, 12 or 16"},
    {SMB_OP_ATOM, 2, 1, 0, 0, "'atom' cannot be 2 bytes wide: expected 4 or 8"},
    {SMB_OP_CP_ASYNC_CG, 4, 1, 0, 0, "'cp.async.cg' cannot be 4 bytes wide: expected 16"},
    {SMB_OP_CP_ASYNC_CA, 2, 1, 0, 0, "'cp.async.ca' cannot be 2 bytes wide: expected 4, 8 or 16"},
    {SMB_OP_ATOM, 12, 1, 0, 0, "'atom' cannot be 12 bytes wide: expected 4 or 8"},
    {SMB_OP_RED_UNIFORM, 8, 1, 0, 0, "'red.uniform' cannot be 8 bytes wide: expected 4"},
    {SMB_OP_LDMATRIX_X1, 4, 1, 0, 0, "'ldmatrix.x1' cannot be 4 bytes wide: expected 16"},
    {SMB_OP_LD, 2, 1, 0, 1, "offset 1 of lane 0 is misaligned: expected a multiple of 2"},
    {SMB_OP_LD, 4, 0x80000000u, 31, 0xfffffffeu,
     "offset 4294967294 of lane 31 is misaligned: expected a multiple of 4"},
    {SMB_OP_ST, 8, 0xffffffffu, 7, 4, "offset 4 of lane 7 is misaligned: expected a multiple of 8"},
    {SMB_OP_STMATRIX_X2, 16, 0xffffffffu, 15, 8,
     "offset 8 of lane 15 is misaligned: expected a multiple of 16"},
    {SMB_OP_LD, 12, 0xffffffffu, 7, 4, NULL},
    {SMB_OP_LD, 12, 0xffffffffu, 7, 6,
     "offset 6 of lane 7 is misaligned: expected a multiple of 4"},
    {SMB_OP_ST, 12, 0xffffffffu, 7, 0xfffffff4u, NULL},
    {SMB_OP_ST, 12, 0xffffffffu, 7, 0xfffffff8u,
     "offset 4294967288 of lane 7 is too large: 12 bytes from there reach 4 GiB"},
    // nobody asks there
    {SMB_OP_LD, 4, 0xffffffdfu, 5, 13, NULL},
    {SMB_OP_LD, 4, 0, 5, 13, NULL},
    {SMB_OP_LDMATRIX_X1, 16, 0xffffffffu, 8, 1, NULL},
    {SMB_OP_STMATRIX_X2, 16, 0xffffffffu, 16, 1, NULL},
};

START_TEST(test_check) {
  const Case *c = &cases[_i];
  SmbRequest request = {.op = (guint8)c->op, .width = (guint8)c->width, .mask = c->mask};
  g_autoptr(GError) error = NULL;
  request.offset[c->lane] = c->offset;
  gboolean fine = smb_request_check(&request, &error);
  ck_assert_int_eq(fine, c->message == NULL);
  if (c->message) {
    ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
    ck_assert_str_eq(error->message, c->message);
  }
}
END_TEST

START_TEST(test_lanes) {
  SmbRequest request = {.op = SMB_OP_LD, .width = 16, .mask = 0xfffffff1u};
  ck_assert_uint_eq(smb_request_lanes(&request), 0xfffffff1u);
  request.op = SMB_OP_LDMATRIX_X1;
  ck_assert_uint_eq(smb_request_lanes(&request), 0xf1);
  request.op = SMB_OP_STMATRIX_X2;
  ck_assert_uint_eq(smb_request_lanes(&request), 0xfff1);
}
END_TEST

Suite *
suite_request(void) {
  Suite *suite = suite_create("request");
  TCase *tcase = tcase_create("request");
  tcase_add_loop_test(tcase, test_ops, 0, G_N_ELEMENTS(ops));
  tcase_add_test(tcase, test_parse);
  tcase_add_test(tcase, test_widths);
  tcase_add_loop_test(tcase, test_check, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_lanes);
  suite_add_tcase(suite, tcase);
  return suite;
}
