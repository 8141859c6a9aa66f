// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// PTX that is decoded and run: the bytes are a module, or else choose one with labels, branches, barriers, calls and
// instructions of all kinds, of which some have operands that do not fit. It runs with little memory, for a few
// steps. A crash, a leak, undefined behaviour or a run that takes long is a bug; a refusal is not. With FUZZ_SHOW in
// the environment the module is printed, and how it ends.
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/machine/block.h"
#include "sim/ptx/isa/computation.h"
#include "sim/ptx/read/module.h"
#include "tests/fuzz/targets.h"

static const SmbProgramLimits limits = {20000, 60, 3000, 1 << 20};

// What the input has not been asked for yet; an end without end of zeros.
typedef struct {
  const guint8 *data;
  gsize size;
} Choices;

static guint
choose(Choices *choices, guint n) {
  guint chosen = 0;
  for (guint most = n - 1; choices->size > 0; most >>= 8) {
    choices->size--;
    chosen = chosen << 8 | *choices->data++;
    if (most < 256)
      break;
  }
  return chosen % n;
}

// --- instructions

// The parts of each line of the table of computing instructions.
static const char *const computing[] = {
#define COMPUTATION(words, ...) words,
#include "sim/ptx/isa/instructions.def"
};

// Others. $ and a letter is an operand that the input chooses (append_operand()); @ stands for one of several words
// that | separates.
static const char *const others[] = {
    "setp.@lt|eq|ne|ge@.@u32|s32|b32@ $p|$p, $r, $o",
    "setp.@lt|ltu|num@.@and|or|xor@.f32 $p, $f, $f, $p",
    "setp.@lo|gt@.@u64|s64@ $p, $d, $d",
    "set.@lt|ne@.@u32|s32|f32@.@u32|s32|f32@ $r, $r, $r",
    "cvt.@u8|s8|u16|s16|u32|s32|u64|s64@.@u8|s8|u16|s16|u32|s32|u64|s64@ $o, $o",
    "cvt.@rn|rz|rzi|rni.ftz@.@f16|f32|f64|u32|s64@.@f16|f32|f64|s32|u64@ $o, $o",
    "bra $l",
    "bra.uni $l",
    "brx.idx $o, T",
    "bar.sync $i",
    "barrier.sync $r",
    "bar.@sync|arrive@ $o, $o",
    "bar.red.@popc.u32|and.pred|or.pred@ $o, $i, $p",
    "bar.warp.sync $o",
    "barrier.cluster.@arrive|wait@",
    "exit",
    "ret",
    "trap",
    "call f",
    "call (w), f, (v, s)",
    "call (w), f, ($o, $o)",
    "call ($o), f, (v, s)",
    "call (w), vprintf, (v, s)",
    "call (w), h, (v)",
    "ld.@shared|global|local|param|const|@.@v2.|v4.|v8.|@@u8|s16|b32|f32|u64|b128@ $o, $a",
    "ld.shared.@u8|s8|u16|b32|f32@ $r, $a",
    "ld.shared.v2.@b32|f32|u16@ {$r, $r}, $a",
    "ld.shared.v4.b32 {$r, $r, $r, _}, $a",
    "ld.@param|shared|local|global@.b64 $d, $a",
    "st.@shared|global|local|@.@v2.|v4.|@@u8|s16|b32|f32|u64|b128@ $a, $o",
    "st.shared.@b8|b16|b32@ $a, $r",
    "st.shared.v2.b32 $a, {$r, $i}",
    "st.param.b32 $a, $r",
    "atom.@shared|global|@.@add|min|exch|inc|xor@.@u32|s32|b32|u64|f32@ $r, $a, $r",
    "atom.shared.cas.@b16|b32|b64|b128@ $o, $a, $o, $o",
    "atom.shared.add.@f16x2|noftz.f16|noftz.bf16x2|f64@ $o, $a, $o",
    "red.shared.@add|or|dec@.@u32|b32|f32@ $a, $r",
    "ldmatrix.sync.aligned.m8n8.@x1|x2|x4@.@trans.|@shared.b16 {$r, $r, $r, $r}, $a",
    "ldmatrix.sync.aligned.m8n8.@x1|x2@.shared.b16 $v, $a",
    "stmatrix.sync.aligned.m8n8.x4.shared.b16 $a, {$r, $r, $r, $r}",
    "cp.async.@ca|cg@.shared.global $a, $a, @4|8|16|3@",
    "cp.async.ca.shared.global $a, $a, 8, $o",
    "cp.async.@commit_group|wait_all|wait_group 1|bulk.commit_group|mbarrier.arrive.shared.b64 $a@",
    "mbarrier.init.shared.b64 $a, $r",
    "mbarrier.try_wait.shared.b64 $p, $a, $d",
    "mov.b64 {$r, $r}, $d",
    "mov.b64 $d, {$r, $i}",
    "mov.b32 {$h, $h}, $r",
    "mov.b32 $r, {$h, $h}",
    "mov.@b16|b32|b64|b128@ $v, $o",
    "mov.@b16|b32|b64|b128@ $o, $v",
    "mov.@u32|u64|b32|pred|f32@ $o, $o",
    "mov.u64 $d, $s",
    "cvta.@to.shared|shared|to.global|local|@.@u64|u32@ $o, $o",
    "isspacep.@shared|local|global|const@ $p, $d",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {$r, $r, $r, $r}, {$r, $r}, {$r}, $v",
    "tex.2d.v4.f32.f32 $v, [t, $v]",
    "frobnicate.@shared|global|b32@ $o, $o, $a",
    "activemask.b32 $r",
    "elect.sync $r|$p, $o",
    "shfl.sync.@up|down|bfly|idx@.b32 $r|$p, $o, $o, $o, $o",
    "vote.sync.@all|any|uni@.pred $p, $p, $o",
    "vote.sync.ballot.b32 $r, !$p, $o",
    "match.@any|all@.sync.@b32|b64@ $r|$p, $o, $o",
    "redux.sync.@add|min|max|and@.@u32|s32|b32@ $r, $o, $o",
    "nanosleep.u32 $o",
    "membar.cta",
    "alloca.u32 $r, $r",
    "stacksave.u32 $r",
};

static void append_operand(GString *text, Choices *choices, char letter);

static void
append_vector(GString *text, Choices *choices) {
  guint n = 1 + choose(choices, 18);
  for (guint i = 0; i < n; i++) {
    g_string_append(text, i ? ", " : "{");
    append_operand(text, choices, 'o');
  }
  g_string_append_c(text, '}');
}

static void
append_number(GString *text, Choices *choices) {
  static const char *const numbers[] = {
      "0",          "1",           "4",          "31",          "32",
      "-1",         "0x80000000",  "0xffffffff", "16",          "7",
      "0f3f800000", "0f7fc00000",  "64",         "0x123456789", "0d3ff0000000000000",
      "1.5",        "0x7fffffff7", "255",        "0xf0",        "-9223372036854775808",
  };
  g_string_append(text, numbers[choose(choices, G_N_ELEMENTS(numbers))]);
}

static const char *const symbols[] = {"a", "l", "dynamic", "g", "c", "n", "out", "by_value",
                                      "v", "w", "s",       "b", "t", "f", "k",   "dynamic+12"};

static void
append_address(GString *text, Choices *choices) {
  g_string_append_c(text, '[');
  switch (choose(choices, 5)) {
  case 0:
    append_operand(text, choices, 's');
    break;
  case 1:
    append_operand(text, choices, 'o');
    break;
  case 2:
    append_operand(text, choices, 'd');
    break;
  default:
    g_string_append_printf(text, "%%r%u", choose(choices, 8));
  }
  static const char *const offsets[] = {"", "+4", "+16", "+-4", "+1", "+4096", "+0x7fffffff"};
  g_string_append(text, offsets[choose(choices, G_N_ELEMENTS(offsets))]);
  g_string_append_c(text, ']');
}

static void
append_any(GString *text, Choices *choices) {
  static const char *const odd[] = {
      "_",          "%tid.x",
      "%clock64",   "%lanemask_lt",
      "%envreg3",   "WARP_SZ",
      "-%r1",       "%v1.y",
      "!%p1",       "T",
      "L1",         "P",
      "%q1",        "%r1.b2",
      "%ntid.y",    "%v1",
      "%b1",        "%laneid",
      "%smid",      "%warpid",
      "{%r1, %r2}", "%cluster_ctarank",
  };
  static const char letters[] = "rrddhpfgiisvax";
  char letter = letters[choose(choices, sizeof letters - 1)];
  if (letter == 'x')
    g_string_append(text, odd[choose(choices, G_N_ELEMENTS(odd))]);
  else
    append_operand(text, choices, letter);
}

// r d h f g p: registers; i: a number; s: a variable; l: a label; v: a vector; a: an address; o: anything, most often a
// register.
static void
append_operand(GString *text, Choices *choices, char letter) {
  switch (letter) {
  case 'i':
    append_number(text, choices);
    return;
  case 's':
    g_string_append(text, symbols[choose(choices, G_N_ELEMENTS(symbols))]);
    return;
  case 'l':
    g_string_append_printf(text, "L%u", choose(choices, 6));
    return;
  case 'v':
    if (text->len < 1 << 14)
      append_vector(text, choices);
    return;
  case 'a':
    append_address(text, choices);
    return;
  case 'o':
    if (choose(choices, 5) == 0) {
      append_any(text, choices);
      return;
    }
    letter = "rrrrdhfg"[choose(choices, 8)];
    break;
  default:
    break;
  }
  g_string_append_printf(text, "%%%c%u", letter, choose(choices, 6));
}

// One of the words that | separates, up to @end.
static void
append_word(GString *text, Choices *choices, const char *words, const char *end) {
  guint n = 1;
  for (const char *at = words; at < end; at++)
    n += *at == '|';
  for (guint skip = choose(choices, n); skip > 0; words++)
    skip -= *words == '|';
  g_string_append_len(text, words, (gssize)MIN(strcspn(words, "|@"), (gsize)(end - words)));
}

static void
append_other(GString *text, Choices *choices) {
  const char *at = others[choose(choices, G_N_ELEMENTS(others))];
  while (*at) {
    gsize plain = strcspn(at, "$@");
    g_string_append_len(text, at, (gssize)plain);
    at += plain;
    if (*at == '$') {
      append_operand(text, choices, choose(choices, 40) ? at[1] : 'o');
      at += 2;
    } else if (*at == '@') {
      const char *end = strchr(at + 1, '@');
      append_word(text, choices, at + 1, end);
      at = end + 1;
    }
  }
}

static char
choose_register(Choices *choices, guint bytes) {
  return bytes == 8 ? "dg"[choose(choices, 2)] : bytes == 4 ? "rrf"[choose(choices, 3)] : 'h';
}

static char
choose_role(Choices *choices, const FormOperand *operand) {
  if (choose(choices, 24) == 0)
    return 'o';
  switch ((FormRole)operand->role) {
  case ROLE_P:
  case ROLE_IN:
    return 'p';
  case ROLE_TABLE:
    return 'i';
  case ROLE_RESULT:
    return choose_register(choices, operand->bytes);
  case ROLE_SOURCE:
  case ROLE_MEMBERS:
    break;
  }
  return choose(choices, 4) ? choose_register(choices, operand->bytes) : 'i';
}

static void
append_computing(GString *text, Choices *choices) {
  GString *opcode = g_string_new(NULL);
  for (const char *at = computing[choose(choices, G_N_ELEMENTS(computing))]; *at;) {
    gsize length = strcspn(at, " ");
    g_string_append(opcode, opcode->len ? "." : "");
    append_word(opcode, choices, at, at + length);
    at += length + (at[length] == ' ');
  }
  g_auto(GStrv) parts = g_strsplit(opcode->str, ".", -1);
  ComputeForm form;
  if (!smb_ptx_find_compute((const char *const *)parts, 0, &form))
    g_error("%s is in the table, and is not found", opcode->str);
  g_string_append_printf(text, "%s ", opcode->str);
  g_string_free(opcode, TRUE);
  for (guint i = 0; i < form.n_operands; i++) {
    g_string_append(text, i ? ", " : "");
    append_operand(text, choices, choose_role(choices, &form.operands[i]));
  }
}

// --- a module

static void
append_statements(GString *text, Choices *choices, guint n, guint n_labels) {
  guint label = 0;
  for (guint i = 0; i < n; i++) {
    if (label < n_labels && choose(choices, 4) == 0)
      g_string_append_printf(text, "L%u:\n", label++);
    g_string_append(text, "  ");
    guint guard = choose(choices, 8);
    if (guard < 3)
      g_string_append_printf(text, "@%s%%p%u ", guard == 1 ? "!" : "", choose(choices, 4));
    if (choose(choices, 3) == 0)
      append_computing(text, choices);
    else
      append_other(text, choices);
    g_string_append(text, ";\n");
  }
  while (label < n_labels)
    g_string_append_printf(text, "L%u:\n", label++);
}

static const char registers[] =
    "  .reg .b16 %h<6>; .reg .b32 %r<8>; .reg .b64 %d<6>; .reg .f32 %f<6>;\n"
    "  .reg .f64 %g<6>; .reg .pred %p<6>; .reg .b128 %q<2>;\n"
    "  .reg .b8 %b<2>; .reg .v4 .b32 %v<2>;\n"
    "  .shared .align 16 .b8 a[512];\n"
    "  .local .align 16 .b8 l[64];\n"
    "  .param .b32 v; .param .b32 w; .param .align 8 .b8 s[16];\n"
    "T: .branchtargets L0, L1, L2, L3;\n"
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n";

static char *
make_module(Choices *choices) {
  GString *text =
      g_string_new(".version 8.7\n.target sm_90\n.address_size 64\n"
                   ".global .align 16 .b32 g[64];\n"
                   ".const .b32 c[4] = {1, 2, 3, 4};\n"
                   ".extern .shared .align 16 .b8 dynamic[];\n"
                   ".shared .b64 b;\n.global .texref t;\n"
                   ".extern .func (.param .b32 x) vprintf (.param .b32 y, .param .b32 z);\n"
                   ".extern .func (.param .b32 x) h (.param .b32 y);\n");
  static const char *const sizes[] = {"16", "1", "7", "0", "4000", "1000000000000", "70000"};
  g_string_append_printf(
      text, ".func (.param .b32 n) f (.param .b32 out, .param .align 8 .b8 by_value[%s]) {\n%s",
      sizes[choose(choices, 4) ? 0 : choose(choices, G_N_ELEMENTS(sizes))], registers);
  append_statements(text, choices, choose(choices, 4), 6);
  g_string_append(
      text, "}\n.entry k (.param .u64 out, .param .u32 n, .param .align 8 .b8 by_value[12]) {\n");
  g_string_append(text, registers);
  g_string_append(
      text,
      "  mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; shl.b32 %r3, %r1, 2; mov.u32 %r4, a;\n"
      "  add.s32 %r5, %r4, %r3; ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4;\n"
      "  add.s64 %d3, %d1, %d2; setp.lt.u32 %p1, %r1, 9; setp.eq.u32 %p2, %r2, 3;\n"
      "  mov.u32 %r6, %r3; ld.param.u32 %r7, [n]; mov.u32 %r0, 64; setp.ne.s32 %p3, %r7, 0;\n");
  append_statements(text, choices, 1 + choose(choices, 24), 6);
  g_string_append(text, "}\n");
  return g_string_free(text, FALSE);
}

// --- a run

// A value for every parameter that is no pointer.
static GStrv
make_arguments(const SmbProgram *program) {
  static const char by_value[] = "raw:010000000200000003000000"; // as make_module() declares it
  g_autoptr(GStrvBuilder) arguments = g_strv_builder_new();
  for (guint i = 0; i < smb_program_n_parameters(program); i++) {
    SmbParameter parameter = smb_program_parameter(program, i);
    if (parameter.is_pointer)
      continue;
    g_autofree char *argument =
        g_strdup_printf("%u=%s", i, g_str_equal(parameter.name, "by_value") ? by_value : "40");
    g_strv_builder_add(arguments, argument);
  }
  return g_strv_builder_end(arguments);
}

static void
run(SmbSource *source, gboolean skips, gboolean knows) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbProgram) program =
      smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900, .limits = limits}, &error);
  if ((program == NULL) == (error == NULL))
    g_error("a text is read or refused with a reason");
  if (g_getenv("FUZZ_SHOW") && error)
    g_printerr("ENDS %s\n", error->message);
  if (!program)
    return;
  g_auto(GStrv) arguments = make_arguments(program);
  static const char *const buffers[] = {"0=iota:i32", NULL};
  g_autoptr(GPtrArray) contents = smb_buffers_parse(buffers, NULL);
  SmbLaunch launch = {.block = {40, 2, 1},
                      .grid = {2, 1, 1},
                      .dynamic_bytes = 256,
                      .arguments = (const char *const *)arguments,
                      .buffers = knows ? contents : NULL,
                      .skips_unknown = skips};
  SmbAnalysisOptions options = {.limits = limits, .threads = 1};
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(program, arch, &launch, &options, &error);
  if ((analysis == NULL) == (error == NULL))
    g_error("a run gives a result or an error");
  if (g_getenv("FUZZ_SHOW"))
    g_printerr("ENDS %s\n", error ? error->message : "ran");
}

void
fuzz_compiled(const guint8 *data, gsize size) {
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(SmbSource) source = smb_source_new("fuzz.ptx", bytes, NULL);
  if (source && smb_ptx_recognize(source)) {
    run(source, size & 1, size & 2);
    return;
  }
  Choices choices = {data, size};
  guint how = choose(&choices, 4);
  g_autofree char *text = make_module(&choices);
  if (g_getenv("FUZZ_SHOW"))
    g_printerr("%s", text);
  g_autoptr(GBytes) made = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) module = smb_source_new("fuzz.ptx", made, NULL);
  run(module, how & 1, how & 2);
}
