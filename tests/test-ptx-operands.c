// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands that are not there. How many each instruction has is checked once (sim/ptx/decode/dispatch.c); handlers are safe without
// that: here each gets its instructions with fewer operands than they have.
#include <check.h>
#include <string.h>

#include "sim/ptx/decode/decode.h"
#include "tests/suite.h"

// One of each form; none is decoded but here, since only the other kernel is.
static const char text[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k() { ret; }\n"
    ".visible .entry forms(.param .u64 p) {\n"
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>;\n"
    ".shared .align 16 .b8 s[256];\n"
    "L:\n"
    "bra L; brx.idx %r1, T; nanosleep %r1; alloca.u64 %d1, %d2, 16; stacksave.u64 %d1; "
    "stackrestore.u64 %d1;\n"
    "bar.warp.sync %r1; bar.sync 0, 64; bar.arrive 0, 64; bar.red.popc.u32 %r1, 0, %p1; "
    "bar.red.and.pred %p2, 0, 64, %p1;\n"
    "barrier.cluster.arrive; fence.acq_rel.gpu; membar.gl;\n"
    "mbarrier.init.shared.b64 [s], 4; mbarrier.arrive.shared.b64 %d1, [s], 1; "
    "mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;\n"
    "mbarrier.test_wait.shared.b64 %p1, [s], %d1; mbarrier.try_wait.parity.shared.b64 %p1, [s], 0, "
    "9; "
    "mbarrier.pending_count.b64 %r1, %d1; mbarrier.inval.shared.b64 [s];\n"
    "mov.u32 %r1, %r2; mov.b64 %d1, {%r1, %r2}; mov.b64 {%r1, %r2}, %d1; cvta.shared.u64 %d1, %d2; "
    "isspacep.shared %p1, %d1;\n"
    "mapa.shared::cluster.u32 %r1, %r2, 1; getctarank.shared::cluster.u32 %r1, %r2;\n"
    "ld.shared.u32 %r1, [s]; ld.global.v2.u32 {%r1, %r2}, [%d1]; st.shared.u32 [s], %r1; "
    "st.global.v2.u32 [%d1], {%r1, %r2};\n"
    "atom.shared.add.u32 %r1, [s], %r2; atom.shared.cas.b32 %r1, [s], %r2, %r3; red.shared.add.u32 "
    "[s], %r1;\n"
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [s]; "
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [s], {%r1};\n"
    "cp.async.ca.shared.global [s], [%d1], 4, %r1; cp.async.cg.shared.global [s], [%d1], 16; "
    "cp.async.wait_group 1;\n"
    "cp.async.mbarrier.arrive.shared.b64 [s];\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 16, [s]; "
    "cp.async.bulk.global.shared::cta.bulk_group [%d1], [s], 16; st.bulk.shared::cta [s], 16, 0;\n"
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [s], 16;\n"
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [s], %r1, [s];\n"
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, "
    "[s], %r1;\n"
    "add.u32 %r1, %r2, %r3; mad.lo.u32 %r1, %r2, %r3, %r4; lop3.b32 %r1, %r2, %r3, %r4, 128; "
    "setp.lt.and.u32 %p1|%p2, %r1, %r2, %p3;\n"
    "selp.u32 %r1, %r2, %r3, %p1; add.rn.f32x2 %d1, %d2, %d3; setp.lt.f16x2 %p1|%p2, %r1, %r2; "
    "min.f32 %f1, %f2, %f3;\n"
    "vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1; vmad.u32.u32.u32 %r1, %r2, %r3, %r4; shfl.sync.idx.b32 "
    "%r1|%p1, %r2, 1, 31, %r3;\n"
    "vote.sync.ballot.b32 %r1, %p1, %r2; match.any.sync.b32 %r1, %r2, %r3; prmt.b32 %r1, %r2, %r3, "
    "%r4; cvt.u16.u32 %h1, %r1;\n"
    "T: .branchtargets L;\n"
    "ret; }\n";

static SmbProgram *
read_program(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("t.ptx", bytes, &error);
  const SmbProgramOptions options = {.entry = "k"};
  SmbProgram *program = smb_program_read(source, &options, &error);
  ck_assert_msg(program != NULL, "%s", error ? error->message : "");
  return program;
}

// A decoder in the kernel that is not decoded, with rows for its registers.
static void
begin(PtxDecoder *decoder, PtxDecoded *current, Code *code, GError **error) {
  const PtxModule *module = code->module;
  const PtxFunction *function = g_ptr_array_index(module->functions, 1);
  *current = (PtxDecoded){.function = function, .is_kernel = TRUE};
  current->rows = g_new0(guint32, function->registers->len + 1);
  current->reads = g_new0(guint8, function->registers->len + 1);
  current->locals = g_new0(guint64, function->variables->len + 1);
  current->parameters = g_new0(guint64, function->parameters->len + 1);
  *decoder = (PtxDecoder){.module = module,
                          .code = code,
                          .program = &code->program,
                          .current = current,
                          .error = error};
  decoder->specials = g_hash_table_new(g_str_hash, g_str_equal);
  decoder->shared = g_new0(guint64, module->variables->len + 1);
  decoder->regions = g_new0(guint32, module->variables->len + 1);
  decoder->stack = smb_code_new_rows(code, 2);
  current->carry = smb_code_new_predicate(code);
  for (guint i = 0; i < function->registers->len; i++) {
    const PtxRegister *named = &g_array_index(function->registers, PtxRegister, i);
    current->rows[i] = smb_ptx_type_bytes(named->type) == 0 ? smb_code_new_predicate(code)
                                                            : smb_code_new_rows(code, 2);
  }
}

static void
end(PtxDecoder *decoder, PtxDecoded *current) {
  g_hash_table_unref(decoder->specials);
  g_free(decoder->shared);
  g_free(decoder->regions);
  g_free(current->rows);
  g_free(current->reads);
  g_free(current->locals);
  g_free(current->parameters);
}

// What does not end is lost: nothing of it is asked for but that it ends.
START_TEST(fewer_than_there_are) {
  g_autoptr(SmbProgram) program = read_program();
  GError *error = NULL;
  PtxDecoder decoder;
  PtxDecoded current;
  guint n_decoded = 0;
  begin(&decoder, &current, (Code *)program, &error);
  const GArray *instructions = current.function->instructions;
  for (guint i = 0; i < instructions->len; i++) {
    PtxInstruction instruction = g_array_index(instructions, PtxInstruction, i);
    for (guint all = instruction.n_operands;; instruction.n_operands--) {
      smb_ptx_go_to(&decoder, &instruction);
      n_decoded += smb_ptx_handle(&decoder) == PTX_DECODED && instruction.n_operands == all;
      g_clear_error(&error);
      if (instruction.n_operands == 0)
        break;
    }
  }
  ck_assert_uint_gt(n_decoded, 40); // with all of them
  end(&decoder, &current);
}
END_TEST

START_TEST(beyond_any) {
  g_autoptr(SmbProgram) program = read_program();
  GError *error = NULL;
  PtxDecoder decoder;
  PtxDecoded current;
  begin(&decoder, &current, (Code *)program, &error);
  const GArray *instructions = current.function->instructions;
  smb_ptx_go_to(&decoder, &g_array_index(instructions, PtxInstruction, 0));
  static const guint beyond[] = {1, 2, 100, 1u << 20, G_MAXUINT};
  for (guint i = 0; i < G_N_ELEMENTS(beyond); i++) {
    const PtxOperand *operand = smb_ptx_operand(&decoder, beyond[i]);
    ck_assert_int_eq(operand->kind, PTX_OPERAND_NONE);
    ck_assert_ptr_null(smb_ptx_register(&decoder, operand));
    ck_assert_int_eq(smb_ptx_element(&decoder, operand, beyond[i])->kind, PTX_OPERAND_NONE);
    ck_assert_uint_eq(smb_ptx_register_bytes(&decoder, operand), 0);
    ck_assert_uint_eq(smb_ptx_row(&decoder, operand, 4, FALSE), NO_ROW);
    ck_assert(!smb_ptx_is_predicate(&decoder, operand));
    ck_assert_uint_eq(smb_ptx_predicate(&decoder, operand), PREDICATE_TRUE);
  }
  const PtxOperand astray = {.kind = PTX_OPERAND_REGISTER, .index = G_MAXUINT32};
  ck_assert_ptr_null(smb_ptx_register(&decoder, &astray));
  ck_assert_uint_eq(smb_ptx_row(&decoder, &astray, 4, FALSE), NO_ROW);
  end(&decoder, &current);
}
END_TEST

Suite *
suite_ptx_operands(void) {
  Suite *suite = suite_create("ptx-operands");
  TCase *tcase = tcase_create("ptx-operands");
  tcase_add_test(tcase, fewer_than_there_are);
  tcase_add_test(tcase, beyond_any);
  suite_add_tcase(suite, tcase);
  return suite;
}
