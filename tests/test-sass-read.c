// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Machine code, read and written as text, beside what the toolkit's disassembler writes of it. tests/data/sass has up to
// two examples of every form (opcode, parts and kinds of operands) that occurs in our own kernels and in random PTX,
// assembled for each chip with ptxas 13, as tests/sass-examples.py writes them. The bits that schedule (105 to 121) are
// not in the text, and 0 here.
#include <check.h>
#include <glib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/exec/code.h"
#include "sim/image/cubin.h"
#include "sim/program/program.h"
#include "sim/sass/instruction.h"
#include "tests/effort.h"
#include "tests/sass-data.h"
#include "tests/step-text.h"
#include "tests/suite.h"

static const guint chips[] = {75, 80, 86, 89, 90, 100, 120};

// The lines of the chip's file.
static GStrv
read_examples(guint chip) {
  g_autofree char *name = g_strdup_printf("sm_%u.txt", chip);
  g_autoptr(GBytes) text = sass_data_read(name);
  g_autofree char *lines = g_strndup(g_bytes_get_data(text, NULL), g_bytes_get_size(text));
  return g_strsplit(g_strchomp(lines), "\n", -1);
}

// The instruction of a line; where its text begins is in @text.
static void
parse_example(const char *line, guint8 *bytes, guint32 *offset, const char **text) {
  char *end;
  for (guint half = 0; half < 2; half++) {
    guint64 word = GUINT64_TO_LE(g_ascii_strtoull(line, &end, 16));
    memcpy(bytes + 8 * half, &word, 8);
    line = end;
  }
  *offset = (guint32)g_ascii_strtoull(line, &end, 16);
  *text = end + 1;
}

START_TEST(test_texts) {
  guint chip = chips[_i], n = 0, n_wrong = 0;
  g_auto(GStrv) lines = read_examples(chip);
  g_autoptr(GString) wrong = g_string_new(NULL);
  for (; lines[n]; n++) {
    guint8 bytes[SASS_BYTES];
    guint32 offset;
    const char *text;
    parse_example(lines[n], bytes, &offset, &text);
    SassInstruction instruction;
    gboolean is_known = smb_sass_read(chip, bytes, offset, &instruction);
    g_autofree char *ours = smb_sass_text(&instruction);
    if (is_known && instruction.is_complete && strcmp(ours, text) == 0)
      continue;
    if (n_wrong++ < 10)
      g_string_append_printf(wrong, "\n%s\nread as %s%s", lines[n], ours,
                             instruction.is_complete ? "" : " (not complete)");
  }
  ck_assert_uint_gt(n, 2000);
  ck_assert_msg(n_wrong == 0, "sm_%u: %u of %u examples:%s", chip, n_wrong, n, wrong->str);
}
END_TEST

// --- what becomes of them

// Chips of which tests/data/sass has machine code to put an instruction into.
static const guint coded[] = {75, 80, 90, 100, 120};

// The names of what is refused, each once.
static void
note_refused(GString *names, const char *name) {
  g_autofree char *word = g_strdup_printf(" %s ", name);
  g_autofree char *all = g_strdup_printf(" %s ", names->str);
  if (!strstr(all, word))
    g_string_append_printf(names, "%s%s", names->len > 0 ? " " : "", name);
}

// Whether a kernel with that instruction becomes steps; if not, it is refused with its place.
static gboolean
is_taken(const SassKernel *kernel, const guint8 *bytes) {
  g_autoptr(GError) error = NULL;
  SmbProgram *program = sass_kernel_read(kernel, bytes, &error);
  ck_assert((program != NULL) == (error == NULL));
  ck_assert_msg(!error || (g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT) &&
                           strstr(error->message, "reads+0x20: ")),
                "%s", error ? error->message : "");
  smb_program_free(program);
  return !error;
}

// All become steps but branches and calls, whose targets this kernel has not.
START_TEST(test_fates) {
  if (is_left_out(_i, 3))
    return;
  guint chip = coded[_i];
  SassKernel kernel = sass_kernel_open(chip);
  g_auto(GStrv) lines = read_examples(chip);
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; lines[i]; i++) {
    guint8 bytes[SASS_BYTES];
    guint32 offset;
    const char *text;
    SassInstruction instruction;
    parse_example(lines[i], bytes, &offset, &text);
    smb_sass_read(chip, bytes, SASS_PLACE, &instruction);
    if (!is_taken(&kernel, bytes))
      note_refused(names, instruction.name);
  }
  ck_assert_str_eq(names->str, chip < 100 ? "BRA CALL" : "BRA");
  sass_kernel_clear(&kernel);
}
END_TEST

// With a bit that is another one, they are other instructions, or none.
START_TEST(test_changed) {
  if (is_left_out(_i, 3))
    return;
  guint chip = coded[_i], n_refused = 0;
  SassKernel kernel = sass_kernel_open(chip);
  g_auto(GStrv) lines = read_examples(chip);
  for (guint i = 0; lines[i]; i++) {
    guint8 bytes[SASS_BYTES];
    guint32 offset;
    const char *text;
    parse_example(lines[i], bytes, &offset, &text);
    guint bit = i * 7 % 105;
    bytes[bit / 8] ^= (guint8)(1u << bit % 8);
    n_refused += !is_taken(&kernel, bytes);
  }
  ck_assert_uint_gt(n_refused, 0);
  sass_kernel_clear(&kernel);
}
END_TEST

static const struct {
  guint chip;
  guint64 low, high;
  const char *text, *steps;
} stepped[] = {
#define STEPS(chip, low, high, text, steps) {chip, low, high, text, steps},
#include "tests/sass-steps.def"
};

// The steps of the instruction, or what the kernel with it is refused for.
static char *
describe_steps(const SassKernel *kernel, const guint8 *bytes) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbProgram) program = sass_kernel_read(kernel, bytes, &error);
  if (!program)
    return g_strdup(error->message);
  const Code *code = (const Code *)program;
  GString *lines = g_string_new(NULL);
  for (guint i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    g_autofree char *line = step->place == SASS_PLACE ? step_text(code, step) : NULL;
    if (line)
      g_string_append_printf(lines, "%s%s", lines->len > 0 ? "; " : "", line);
  }
  return g_string_free(lines, FALSE);
}

static gboolean
is_coded(guint chip) {
  for (guint i = 0; i < G_N_ELEMENTS(coded); i++) {
    if (coded[i] == chip)
      return TRUE;
  }
  return FALSE;
}

START_TEST(test_steps) {
  SassKernel kernel = sass_kernel_open(coded[_i]);
  guint n_wrong = 0;
  g_autoptr(GString) wrong = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(stepped); i++) {
    ck_assert(is_coded(stepped[i].chip));
    if (stepped[i].chip != kernel.chip)
      continue;
    guint64 words[2] = {GUINT64_TO_LE(stepped[i].low), GUINT64_TO_LE(stepped[i].high)};
    SassInstruction instruction;
    smb_sass_read(kernel.chip, (const guint8 *)words, SASS_PLACE, &instruction);
    g_autofree char *text = smb_sass_text(&instruction);
    g_autofree char *steps = describe_steps(&kernel, (const guint8 *)words);
    gboolean is_wrong = strcmp(text, stepped[i].text) != 0 || strcmp(steps, stepped[i].steps) != 0;
    if (is_wrong && n_wrong++ < 10)
      g_string_append_printf(wrong,
                             "\nSTEPS(%u, 0x%016" G_GINT64_MODIFIER "x, 0x%016" G_GINT64_MODIFIER
                             "x, \"%s\", \"%s\")",
                             kernel.chip, stepped[i].low, stepped[i].high, text, steps);
  }
  ck_assert_msg(n_wrong == 0, "%u others; found:%s", n_wrong, wrong->str);
  sass_kernel_clear(&kernel);
}
END_TEST

// An opcode that no chip has, and one that later chips have only.
START_TEST(test_unknown) {
  static const struct {
    guint chip;
    guint64 low;
    const char *text;
  } cases[] = {
      {90, 0x0000000000001fffull, "@P1 0xfff"},
      {90, 0x0000000000009fffull, "@!P1 0xfff"},
      {90, 0x00007100ff0677acull, "0x7ac"},
      {100, 0x00007100ff0677acull, "LDCU.U8 UR6, c[0x0][0x388]"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint64 words[2] = {GUINT64_TO_LE(cases[i].low), 0};
    SassInstruction instruction;
    gboolean is_known = smb_sass_read(cases[i].chip, (const guint8 *)words, 0, &instruction);
    ck_assert_int_eq(is_known, cases[i].chip == 100);
    ck_assert_int_eq(instruction.name != NULL, is_known);
    ck_assert_int_eq(instruction.is_complete, is_known);
    g_autofree char *text = smb_sass_text(&instruction);
    ck_assert_str_eq(text, cases[i].text);
  }
}
END_TEST

// What is not in the examples: products of warpgroups, copies of tensors, small types and others, as ptxas makes them of PTX,
// written as published disassembly has them.
static const struct {
  guint chip;
  guint64 low, high;
  const char *text;
  gboolean is_complete;
} published[] = {
    {90, 0x0000040400007a02, 0x08000f00, "MOV R0, cx[UR4][0x10]", TRUE},
    {90, 0x00000000000079c5, 0, "WARPGROUP.ARRIVE", TRUE},
    {90, 0x00008000000079c5, 0x010100, "WARPGROUP.DEPBAR.LE gsb0, 0x1", TRUE},
    {90, 0x00000000041879f0, 0x0c0008ff, "HGMMA.64x8x16.F32 R24, gdesc[UR4], RZ, !UPT, gsb0", TRUE},
    {90, 0x00000000081879f0, 0x0b800818, "HGMMA.64x8x16.F32 R24, gdesc[UR8], R24, UP0, gsb0", TRUE},
    {90, 0x43e0000498187df0, 0x08701818,
     "HGMMA.64x256x16.F32.BF16 R24, R152, gdesc[UR4].tnspB, R24", TRUE},
    {90, 0x07e00000081879f0, 0x08002818, "HGMMA.64x256x8.F32.TF32 R24, gdesc[UR8], R24, gsb0",
     TRUE},
    {90, 0x000000003fff79f0, 0x0c0000ff, "HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0", TRUE},
    {90, 0x0821240420187df0, 0x08000a18,
     "HGMMA.SP.64x16x32.F32 R24, R32, gdesc[UR4], R24, R36, 0x1, gsb0", TRUE},
    {90, 0x0660000498187df1, 0x08000018, "IGMMA.64x256x32.U8.U8 R24, R152, gdesc[UR4], R24, gsb0",
     TRUE},
    {90, 0x00200000081879f2, 0x08014018, "BGMMA.64x16x256.AND.POPC R24, gdesc[UR8], R24, gsb0",
     TRUE},
    {90, 0x002000041c187df3, 0x08003118,
     "QGMMA.64x16x32.F16.E5M2.E5M2 R24, -R28, gdesc[UR4], R24, gsb0", TRUE},
    {90, 0x00000008040075b4, 0x08008000, "UTMALDG.2D [UR8], [UR4]", TRUE},
    {90, 0x00000008060073b4, 0x08050004, "UTMALDG.3D.IM2COL [UR8], [UR6], UR4", TRUE},
    {90, 0x00000008060073b4, 0x08008804, "UTMALDG.2D.MULTICAST [UR8], [UR6], UR4", TRUE},
    {90, 0x000000040a0073b5, 0x08050000, "UTMASTG.3D.IM2COL [UR4], [UR10]", TRUE},
    {100, 0x00000008060075b4, 0x08108000, "UTMALDG.2D.GATHER4 [UR8], [UR6]", TRUE},
    {100, 0x000000040a0073b4, 0x08108804, "UTMALDG.2D.GATHER4.MULTICAST [UR4], [UR10], UR4", TRUE},
    {100, 0x00000008060073b4, 0x080d0004, "UTMALDG.3D.IM2COL.W [UR8], [UR6], UR4", TRUE},
    {100, 0x00000008060073b4, 0x08090004, "UTMALDG.3D.IM2COL.W128 [UR8], [UR6], UR4", TRUE},
    {100, 0x00000008060073b5, 0x08088000, "UTMASTG.2D.SCATTER4 [UR8], [UR6]", TRUE},
    {90, 0x000000040a0073b6, 0x0b808000, "UTMAREDG.2D.XOR [UR4], [UR10]", TRUE},
    {90, 0x00000008060073b8, 0x08050004, "UTMAPF.L2.3D.IM2COL [UR8], [UR6], UR4", TRUE},
    {90, 0x00000008040075b8, 0x08018000, "UTMAPF.L2.4D [UR8], [UR4]", TRUE},
    {90, 0x00000000040079b9, 0x08040000, "UTMACCTL.PF [UR4]", TRUE},
    {90, 0x00000008040073bb, 0x08880406, "UBLKRED.G.S.MIN.F16.RN [UR8], [UR4], UR6", TRUE},
    {90, 0x0000000a040073bb, 0x08000608, "UBLKRED.S.S.ADD [UR10], [UR4], UR8", TRUE},
    {90, 0x00000600080073bc, 0x08001004, "UBLKPF.L2 [UR8], UR4, desc[UR6]", TRUE},
    {90, 0x000000060a0073ba, 0x08000a08, "UBLKCP.S.G.MULTICAST [UR6], [UR10], UR8", TRUE},
    {90, 0x0000000402007dbd, 0x0c000c3f, "STAS.128 [R2.64], R4", TRUE},
    {90, 0x0000000204007dbe, 0x0800053f, "REDAS.ADD.64 [R4.64], R2", TRUE},
    {90, 0x00000000000079c7, 0x08000000, "UCGABAR_ARV", TRUE},
    {90, 0x00000000000099c7, 0x08000000, "@!UP1 UCGABAR_ARV", TRUE},
    {90, 0x0000000000007dc7, 0x08000000, "UCGABAR_WAIT", TRUE},
    {90, 0x00000080000079c8, 0x080e0500, "USETMAXREG.DEALLOC.CTAPOOL 0x80", TRUE},
    {90, 0x000000f0000079c8, 0x08000600, "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0", TRUE},
    {90, 0x00000000000073c6, 0x00000100, "FENCE.VIEW.ASYNC.G", TRUE},
    {90, 0x000000000200798f, 0x05800100, "CCTL.E.RML2 [R2]", TRUE},
    {90, 0x0000000000007990, 0x00800000, "CCTLL.PF2 [R0]", TRUE},
    {90, 0x0000002000007801, 0x03800000, "PMTRIG 0x20", TRUE},
    {90, 0x00000002ff0679a7, 0x08500004, "SYNCS.ARRIVE.TRANS64.ART0 R6, [UR4], R2", TRUE},
    {90, 0x00000000ffff79a7, 0x08000006, "SYNCS.ARRIVE.TRANS64 RZ, [UR6], R0", TRUE},
    {90, 0x0000001610047237, 0x00405c04, "IMMA.16832.S8.S8 R4, R16.ROW, R22.COL, R4", TRUE},
    {80, 0x00000000000c7237, 0x00581c0c, "IMMA.16832.S4.U4 R12, R0.ROW, R0.COL, R12", TRUE},
    {90, 0x00010004080c7237, 0x00404d0c, "IMMA.SP.16832.U8.S8 R12, R8.ROW, R4.COL, R12, R0, 0x1",
     TRUE},
    {90, 0x000100040818723c, 0x00045a18, "HMMA.SP.16832.F32.BF16 R24, R8, R4, R24, R0, 0x1", TRUE},
    {75, 0x0000000b0a087237, 0x003c4408, "IMMA.8832.U4.S4.SAT R8, R10.ROW, R11.COL, R8", TRUE},
    {75, 0x0000000b0a08723d, 0x00010408, "BMMA.88128.XOR.POPC R8, R10.ROW, R11.COL, R8", TRUE},
    {90, 0x000000161004723d, 0x00015404, "BMMA.168256.AND.POPC R4, R16.ROW, R22.COL, R4", TRUE},
    {89, 0x0000000e0410727a, 0x00006c10, "QMMA.16832.F32.E5M2.E4M3 R16, R4, R14, R16", TRUE},
    {120, 0x0000000e0410727a, 0x0028ec10, "QMMA.16832.F32.E2M1.E2M1 R16, R4, R14, R16", TRUE},
    {75, 0x0000001208127236, 0x0000840a, "HMMA.884.F16.F16.STEP1 R18, R8.ROW, R18.COL, R10", TRUE},
    {90, 0x00000018ff18723e, 0x030006ff, "F2FP.F16.E4M3.UNPACK_B R24, R24.H1", TRUE},
};

START_TEST(test_published) {
  guint64 words[2] = {GUINT64_TO_LE(published[_i].low), GUINT64_TO_LE(published[_i].high)};
  SassInstruction instruction;
  ck_assert(smb_sass_read(published[_i].chip, (const guint8 *)words, 0, &instruction));
  g_autofree char *text = smb_sass_text(&instruction);
  ck_assert_str_eq(text, published[_i].text);
  ck_assert_int_eq(instruction.is_complete, published[_i].is_complete);
}
END_TEST

static const struct {
  guint chip;
  guint32 offset;
  guint64 low, high;
  gboolean is_complete;
  const char *text, *ptx;
} assembled[] = {
#define ASSEMBLED(chip, offset, low, high, is_complete, text, ptx)                                 \
  {chip, offset, low, high, is_complete, text, ptx},
#include "tests/sass-assembled.def"
};

START_TEST(test_assembled) {
  for (guint i = 0; i < G_N_ELEMENTS(assembled); i++) {
    guint64 words[2] = {GUINT64_TO_LE(assembled[i].low), GUINT64_TO_LE(assembled[i].high)};
    SassInstruction instruction;
    gboolean is_known =
        smb_sass_read(assembled[i].chip, (const guint8 *)words, assembled[i].offset, &instruction);
    ck_assert_msg(is_known, "sm_%u: %s", assembled[i].chip, assembled[i].ptx);
    g_autofree char *text = smb_sass_text(&instruction);
    ck_assert_str_eq(text, assembled[i].text);
    ck_assert_int_eq(instruction.is_complete, assembled[i].is_complete);
  }
}
END_TEST

// A bit that no field has: the text is the same, but not all there is.
START_TEST(test_incomplete) {
  guint64 words[2] = {GUINT64_TO_LE(0x0000000000007918ull), 0}; // NOP
  SassInstruction instruction;
  ck_assert(smb_sass_read(90, (const guint8 *)words, 0, &instruction));
  ck_assert(instruction.is_complete);
  words[0] |= GUINT64_TO_LE(1ull << 40);
  ck_assert(smb_sass_read(90, (const guint8 *)words, 0, &instruction));
  ck_assert(!instruction.is_complete);
  g_autofree char *text = smb_sass_text(&instruction);
  ck_assert_str_eq(text, "NOP");
}
END_TEST

START_TEST(test_parts) {
  guint64 words[2] = {GUINT64_TO_LE(0x0000000402187981ull), GUINT64_TO_LE(0x0c1e1d00ull)};
  SassInstruction instruction;
  ck_assert(smb_sass_read(90, (const guint8 *)words, 0, &instruction));
  g_autofree char *text = smb_sass_text(&instruction);
  ck_assert_str_eq(text, "LDG.E.128 R24, desc[UR4][R2.64]");
  ck_assert(sass_has(&instruction, PART_128));
  ck_assert(!sass_has(&instruction, PART_64));
}
END_TEST

// Of two lines that say how an opcode is read, the second one would never be asked.
START_TEST(test_overlaps) {
  guint n_known = 0;
  for (guint chip = 75; chip < 256; chip++) {
    for (guint opcode = 0; opcode < 1 << 12; opcode++) {
      guint n = smb_sass_n_lines(chip, opcode);
      ck_assert_msg(n < 2, "opcode 0x%03x of sm_%u: %u lines", opcode, chip, n);
      n_known += n;
    }
  }
  ck_assert_uint_gt(n_known, 0);
  // HFMA2.MMA up to sm_90 is IADD from sm_120 on.
  ck_assert_uint_eq(smb_sass_n_lines(90, 0x235), 1);
  ck_assert_uint_eq(smb_sass_n_lines(120, 0x235), 1);
}
END_TEST

// What ptxas makes of add.u64 for sm_120, with the opcode that is HFMA2.MMA's elsewhere.
START_TEST(test_reused) {
  guint64 words[2] = {GUINT64_TO_LE(0x0000000a08087235ull), GUINT64_TO_LE(0x003fde00078e0200ull)};
  SassInstruction instruction;
  ck_assert(smb_sass_read(120, (const guint8 *)words, 0, &instruction));
  ck_assert(instruction.is_complete);
  g_autofree char *text = smb_sass_text(&instruction);
  ck_assert_str_eq(text, "IADD.64 R8, R8, R10");
}
END_TEST

Suite *
suite_sass_read(void) {
  Suite *suite = suite_create("sass-read");
  TCase *tcase = tcase_create("sass-read");
  tcase_add_loop_test(tcase, test_texts, 0, G_N_ELEMENTS(chips));
  tcase_add_loop_test(tcase, test_fates, 0, G_N_ELEMENTS(coded));
  tcase_add_loop_test(tcase, test_changed, 0, G_N_ELEMENTS(coded));
  tcase_add_loop_test(tcase, test_steps, 0, G_N_ELEMENTS(coded));
  tcase_add_test(tcase, test_unknown);
  tcase_add_loop_test(tcase, test_published, 0, G_N_ELEMENTS(published));
  tcase_add_test(tcase, test_assembled);
  tcase_add_test(tcase, test_incomplete);
  tcase_add_test(tcase, test_parts);
  tcase_add_test(tcase, test_overlaps);
  tcase_add_test(tcase, test_reused);
  suite_add_tcase(suite, tcase);
  return suite;
}
