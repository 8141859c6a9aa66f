// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/random-ptx.h"

#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "tests/compute-run.h"

// Inputs by the bytes of their registers; predicates are bits of the last one.
enum {
  INPUTS_16 = 6,
  INPUTS_32 = 9,
  INPUTS_64 = 7,
  INPUT_PREDICATES = 4,
  N_INPUTS = INPUTS_16 + INPUTS_32 + INPUTS_64 + 1,
};

#define NOT_A_RESULT G_MAXUINT
#define NAME_BYTES   sizeof((RandomResult *)NULL)->name

// A register that an instruction can read.
typedef struct {
  char name[NAME_BYTES];
  guint bytes;  // 0: a predicate
  guint result; // or NOT_A_RESULT: an input
} Source;

typedef struct {
  const RandomOpcodes *opcodes;
  GRand *random;
  RandomPtx *ptx;
  GString *body;
  GArray *sources; // Source
  guint carry;     // the result that set the carry flag, or NOT_A_RESULT
  guint n_threads;
  guint n_registers;
  gboolean is_prepared; // the second operand of the instruction is in %z32 or %z64
  gboolean is_probe;    // of opcodes: plain operands, and one line for each instruction
} Writer;

static gboolean
flip(Writer *writer, guint percent) {
  return !writer->is_probe && (guint)g_rand_int_range(writer->random, 0, 100) < percent;
}

static char
letter_of(guint bytes) {
  return bytes == 0 ? 'p' : bytes == 2 ? 'h' : bytes == 4 ? 'r' : 'd';
}

// --- operands

// What a result depends on.
static void
depend(RandomResult *result, guint on) {
  if (on == NOT_A_RESULT)
    return;
  g_assert(result->n_sources < RANDOM_MAX_SOURCES);
  result->sources[result->n_sources++] = on;
}

// A register of so many bytes: results as often as inputs, if there are any.
static const Source *
choose_source(Writer *writer, guint bytes) {
  gboolean computed = flip(writer, 50);
  for (guint tries = 0;; tries++) {
    guint i = (guint)g_rand_int_range(writer->random, 0, (gint)writer->sources->len);
    const Source *source = &g_array_index(writer->sources, Source, i);
    if (source->bytes == bytes && (tries > 50 || (source->result != NOT_A_RESULT) == computed))
      return source;
  }
}

static void
write_constant(Writer *writer, const FormOperand *operand) {
  guint64 bits = runner_number(writer->random);
  if (operand->is_real && operand->bytes == 4)
    g_string_append_printf(writer->body, "0f%08x", (guint32)bits);
  else if (operand->is_real)
    g_string_append_printf(writer->body, "0d%016" G_GINT64_MODIFIER "x", bits);
  else if (operand->bytes == 8)
    g_string_append_printf(writer->body, "0x%" G_GINT64_MODIFIER "x", bits >> 1);
  else if (operand->bytes == 1 || flip(writer, 30))
    g_string_append_printf(writer->body, "%u", (guint)bits % 70);
  else
    g_string_append_printf(writer->body, "0x%x",
                           (guint32)bits & (operand->bytes == 2 ? 0x7fff : 0x7fffffff));
}

// Operands that may be constants: of arithmetic, not the first one; of 16 bits and pairs reals have none.
static gboolean
can_be_constant(const char *opcode, const FormOperand *operand) {
  gboolean half = strstr(opcode, "f16") || strstr(opcode, "x2");
  return operand->slot > 0 && !half && !g_str_has_prefix(opcode, "cvt") &&
         !(operand->is_real && operand->bytes == 2);
}

// Bytes of a register that an operand can be: an amount's has 4, a conversion's source at least those of its type.
static guint
source_bytes(Writer *writer, const char *opcode, const FormOperand *operand) {
  gboolean converts = g_str_has_prefix(opcode, "cvt.") && !g_str_has_prefix(opcode, "cvt.pack");
  if (!converts || strstr(opcode, "x2"))
    return operand->bytes == 1 ? 4 : operand->bytes;
  const char *type = strrchr(opcode, '.') + 1;
  guint bytes = strstr(type, "8") ? 1 : strstr(type, "16") ? 2 : strstr(type, "32") ? 4 : 8;
  gboolean widens = !strchr(type, 'f') && !strstr(opcode, "bf16");
  guint wider = widens ? (guint)g_rand_int_range(writer->random, 0, 3) : 0;
  return MIN(MAX(bytes, 2) << (writer->is_probe ? 0 : wider), 8);
}

static gboolean
divides(const char *opcode) {
  return g_str_has_prefix(opcode, "rem.") || g_str_has_prefix(opcode, "div.u") ||
         g_str_has_prefix(opcode, "div.s");
}

// What is divided by 0 is machine-specific (PTX ISA, div): no divisor is 0. Of what is added and subtracted, some is shifted:
// ptxas makes one instruction (LEA) of both.
static gboolean
write_prepared(Writer *writer, const char *opcode, const ComputeForm *form, RandomResult *result) {
  guint bytes = form->operands[0].bytes;
  gboolean adds = g_str_has_prefix(opcode, "add.") || g_str_has_prefix(opcode, "sub.");
  gboolean shifts = adds && bytes >= 4 && !form->operands[0].is_real && !strstr(opcode, "x2") &&
                    !strstr(opcode, "sat") && !form->carries_out && flip(writer, 40);
  if (!divides(opcode) && !shifts)
    return FALSE;
  const Source *source = choose_source(writer, bytes);
  depend(result, source->result);
  g_string_append_printf(writer->body, "%s.b%u %%z%u, %s, %d; ", shifts ? "shl" : "or", 8 * bytes,
                         8 * bytes, source->name,
                         shifts ? g_rand_int_range(writer->random, 1, 32) : 1);
  return TRUE;
}

// Positions and lengths of fields of bits: as constants, at most 255 (ptxas of CUDA 13.0).
static gboolean
is_position(const char *opcode, const FormOperand *operand) {
  return (g_str_has_prefix(opcode, "bfe.") && operand->slot >= 1) ||
         (g_str_has_prefix(opcode, "bfi.") && operand->slot >= 2);
}

static void
write_source(Writer *writer, const char *opcode, const FormOperand *operand, RandomResult *result) {
  // The bit from which fns counts is one of 32.
  if (g_str_has_prefix(opcode, "fns") && operand->slot == 1)
    g_string_append_printf(writer->body, "%d", g_rand_int_range(writer->random, 0, 32));
  else if (writer->is_prepared && operand->slot == 1)
    g_string_append_printf(writer->body, "%%z%u", 8u * operand->bytes);
  else if (can_be_constant(opcode, operand) && flip(writer, 15)) {
    FormOperand constant = *operand;
    if (is_position(opcode, operand))
      constant.bytes = 1;
    write_constant(writer, &constant);
  } else {
    const Source *source = choose_source(writer, source_bytes(writer, opcode, operand));
    g_string_append(writer->body, source->name);
    depend(result, source->result);
  }
}

// A predicate, negated where the instruction can have it so.
static void
write_predicate(Writer *writer, const char *opcode, RandomResult *result) {
  const Source *source = choose_source(writer, 0);
  gboolean negates = g_str_has_prefix(opcode, "set") || g_str_has_prefix(opcode, "vote");
  g_string_append_printf(writer->body, "%s%s", negates && flip(writer, 40) ? "!" : "",
                         source->name);
  depend(result, source->result);
}

// --- instructions

static void
add_source(Writer *writer, const char *name, guint bytes, guint result) {
  Source source = {.bytes = bytes, .result = result};
  g_strlcpy(source.name, name, sizeof source.name);
  g_array_append_val(writer->sources, source);
}

static void
name_register(Writer *writer, guint bytes, char *name) {
  g_snprintf(name, NAME_BYTES, "%%%c%u", letter_of(bytes), writer->n_registers++);
}

// A new register for a result; what it is of is filled in when the instruction is complete.
static void
write_register(Writer *writer, guint bytes, char letter, gboolean beside) {
  RandomResult result = {.bytes = bytes};
  name_register(writer, bytes, result.name);
  g_string_append_printf(writer->body, "%s%%%c%s", beside ? "|" : "", letter, result.name + 2);
  g_array_append_val(writer->ptx->results, result);
}

// ptxas converts a number that an instruction left in an untyped register as another type (seen with CUDA 13.0): floating-point
// results have registers of their own, of a type, and are moved from there as compilers do. 0: it is none.
static char
real_letter(const char *opcode) {
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  guint n = g_strv_length(parts);
  gboolean two_types =
      g_str_equal(parts[0], "cvt") || g_str_equal(parts[0], "set") || g_str_equal(parts[0], "slct");
  const char *type = parts[n - (two_types ? 2 : 1)];
  return g_str_equal(type, "f32")   ? 'f'
         : g_str_equal(type, "f64") ? 'g'
         : g_str_equal(type, "f16") ? 'e'
                                    : 0;
}

// "p|q": also the opposite.
static gboolean
writes_opposite(const char *opcode) {
  return g_str_has_prefix(opcode, "setp") && !strstr(opcode, "f16");
}

// The results that a form begins with; returns how many of its operands they are.
static guint
write_results(Writer *writer, const char *opcode, const ComputeForm *form) {
  guint at = 0;
  char real = real_letter(opcode);
  if (form->operands[0].role == ROLE_RESULT) {
    guint bytes = MAX(form->operands[0].bytes, 2);
    write_register(writer, bytes, real ? real : letter_of(bytes), FALSE);
    at++;
  }
  if (at < form->n_operands && form->operands[at].role == ROLE_P) {
    write_register(writer, 0, 'p', at > 0);
    at++;
  }
  if (writes_opposite(opcode) && flip(writer, 50))
    write_register(writer, 0, 'p', TRUE);
  return at;
}

static void
write_operand(Writer *writer, const char *opcode, const FormOperand *operand,
              RandomResult *result) {
  g_string_append(writer->body, ", ");
  switch ((FormRole)operand->role) {
  case ROLE_SOURCE:
    write_source(writer, opcode, operand, result);
    break;
  case ROLE_IN:
    write_predicate(writer, opcode, result);
    break;
  case ROLE_TABLE:
    g_string_append_printf(writer->body, "%d", g_rand_int_range(writer->random, 0, 256));
    break;
  case ROLE_MEMBERS:
    g_string_append(writer->body, "0xffffffff");
    break;
  case ROLE_RESULT:
  case ROLE_P:
    g_assert_not_reached();
  }
}

// All lanes have to execute it.
static gboolean
is_between_lanes(const char *opcode) {
  return strstr(opcode, ".sync") || g_str_has_prefix(opcode, "shfl") ||
         g_str_has_prefix(opcode, "vote") || g_str_has_prefix(opcode, "activemask");
}

// Under a guard the result is what it was: that of an input. (What is left of a guarded set, ptxas converts.)
static void
write_guard(Writer *writer, const char *opcode, const ComputeForm *form, RandomResult *result) {
  guint bytes = MAX(form->operands[0].bytes, 2);
  if (form->operands[0].role != ROLE_RESULT || form->operands[1].role == ROLE_P ||
      is_between_lanes(opcode) || form->carries_in || form->carries_out ||
      g_str_has_prefix(opcode, "set.") || !flip(writer, 10))
    return;
  char real = real_letter(opcode);
  const Source *before = choose_source(writer, bytes), *guard = choose_source(writer, 0);
  depend(result, before->result);
  depend(result, guard->result);
  g_string_append_printf(writer->body, "mov.b%u %%%c%u, %s; @%s%s ", 8 * bytes,
                         real ? real : letter_of(bytes), writer->n_registers, before->name,
                         flip(writer, 50) ? "!" : "", guard->name);
}

// The results of an instruction, whose text begins at @at. Others can read them unless they are approximate.
static void
finish_results(Writer *writer, guint first, gsize at, const RandomResult *result) {
  for (guint i = first; i < writer->ptx->results->len; i++) {
    RandomResult *one = &g_array_index(writer->ptx->results, RandomResult, i);
    RandomResult finished = *result;
    memcpy(finished.name, one->name, sizeof one->name);
    finished.bytes = one->bytes;
    finished.text = g_strndup(writer->body->str + at, writer->body->len - at - 1);
    *one = finished;
    if (!result->is_approximate)
      add_source(writer, one->name, one->bytes, i);
  }
}

// The form of an opcode. A conversion to an integer may have a register that is wider than its type.
static ComputeForm
find_form(Writer *writer, const char *opcode) {
  static const guint wider[] = {0, 4, 8};
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  guint n = g_strv_length(parts);
  gboolean converts = g_str_equal(parts[0], "cvt") && n > 2 && strchr("us", parts[n - 2][0]) &&
                      !strstr(opcode, "bf16");
  ComputeForm form;
  if (converts && flip(writer, 40) &&
      smb_ptx_find_compute((const char *const *)parts,
                           wider[g_rand_int_range(writer->random, 0, G_N_ELEMENTS(wider))], &form))
    return form;
  gboolean found = smb_ptx_find_compute((const char *const *)parts, 0, &form);
  g_assert(found);
  return form;
}

static void
write_instruction(Writer *writer, guint number) {
  const char *opcode = g_ptr_array_index(writer->opcodes->names, number);
  guint first = writer->ptx->results->len;
  gsize at = writer->body->len;
  ComputeForm form = find_form(writer, opcode);
  if (form.carries_in && writer->carry == NOT_A_RESULT)
    return; // there is no flag
  RandomResult result = {.opcode = number,
                         .is_between_lanes = is_between_lanes(opcode),
                         .is_approximate = (form.modifiers & MODIFIER_APPROXIMATE) != 0};
  if (form.carries_in)
    depend(&result, writer->carry);
  writer->is_prepared = write_prepared(writer, opcode, &form, &result);
  write_guard(writer, opcode, &form, &result);
  g_string_append_printf(writer->body, "%s ", opcode);
  guint operand = write_results(writer, opcode, &form);
  for (; operand < form.n_operands; operand++)
    write_operand(writer, opcode, &form.operands[operand], &result);
  g_string_append_c(writer->body, ';');
  if (real_letter(opcode) && form.operands[0].role == ROLE_RESULT) {
    const RandomResult *real = &g_array_index(writer->ptx->results, RandomResult, first);
    g_string_append_printf(writer->body, " mov.b%u %s, %%%c%s;", 8 * real->bytes, real->name,
                           real_letter(opcode), real->name + 2);
  }
  g_string_append_c(writer->body, '\n');
  finish_results(writer, first, at, &result);
  // The flag is not preserved across calls (PTX ISA), which divisions can be: it is read at once, or not at all.
  if (!writer->is_probe)
    writer->carry = form.carries_out ? first : NOT_A_RESULT;
}

// One that sets the carry flag, and does not read it; the opcode itself if there is none.
static guint
find_carrier(const Writer *writer, guint number) {
  guint n = writer->opcodes->names->len;
  guint first = (guint)g_rand_int_range(writer->random, 0, (gint)n);
  for (guint i = 0; i < n; i++) {
    const char *opcode = g_ptr_array_index(writer->opcodes->names, (first + i) % n);
    gboolean reads = g_str_has_prefix(opcode, "addc") || g_str_has_prefix(opcode, "subc") ||
                     g_str_has_prefix(opcode, "madc");
    if (!reads && strstr(opcode, ".cc."))
      return (first + i) % n;
  }
  return number;
}

// Each line of the tables as often as another, or each opcode.
static guint
choose_opcode(Writer *writer) {
  const RandomOpcodes *opcodes = writer->opcodes;
  guint n = opcodes->names->len;
  guint i = (guint)g_rand_int_range(writer->random, 0, (gint)n);
  if (flip(writer, 50))
    return i;
  guint line = (guint)g_rand_int_range(writer->random, 0, (gint)opcodes->n_lines);
  for (guint j = 0; j < n; j++)
    if (g_array_index(opcodes->lines, guint, (i + j) % n) == line)
      return (i + j) % n;
  return i;
}

// What reads the carry flag comes behind what sets it.
static void
write_chosen(Writer *writer, guint number) {
  const char *opcode = g_ptr_array_index(writer->opcodes->names, number);
  ComputeForm form = find_form(writer, opcode);
  if (form.carries_in && writer->carry == NOT_A_RESULT)
    write_instruction(writer, find_carrier(writer, number));
  write_instruction(writer, number);
}

// --- the kernel around them

static void
write_input(Writer *writer, guint bytes, guint *n) {
  char name[NAME_BYTES];
  name_register(writer, bytes, name);
  g_string_append_printf(writer->body, "ld.global.b%u %s, [%%in+%u];\n", 8 * bytes, name,
                         8 * (*n)++ * writer->n_threads);
  add_source(writer, name, bytes, NOT_A_RESULT);
}

static void
write_inputs(Writer *writer) {
  static const struct {
    guint bytes, n;
  } kinds[] = {{2, INPUTS_16}, {4, INPUTS_32}, {8, INPUTS_64}};
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    for (guint j = 0; j < kinds[i].n; j++)
      write_input(writer, kinds[i].bytes, &n);
  g_string_append_printf(writer->body, "ld.global.b32 %%word, [%%in+%u];\n",
                         8 * n * writer->n_threads);
  for (guint i = 0; i < INPUT_PREDICATES; i++) {
    char name[NAME_BYTES];
    name_register(writer, 0, name);
    g_string_append_printf(writer->body, "and.b32 %%bit, %%word, %u;\nsetp.ne.u32 %s, %%bit, 0;\n",
                           1u << i, name);
    add_source(writer, name, 0, NOT_A_RESULT);
  }
  writer->ptx->n_inputs = n + 1;
}

static void
write_outputs(Writer *writer) {
  for (guint i = 0; i < writer->ptx->results->len; i++) {
    const RandomResult *result = &g_array_index(writer->ptx->results, RandomResult, i);
    const char *name = result->bytes ? result->name : "%bit";
    if (!result->bytes)
      g_string_append_printf(writer->body, "selp.u32 %%bit, 1, 0, %s;\n", result->name);
    g_string_append_printf(writer->body, "st.global.b%u [%%out+%u], %s;\n",
                           result->bytes ? 8 * result->bytes : 32, 8 * i * writer->n_threads, name);
  }
}

static char *
wrap(const Writer *writer, const char *target) {
  guint n = writer->n_registers;
  return g_strdup_printf(".version 8.7\n.target %s\n.address_size 64\n"
                         ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
                         ".reg .pred %%p<%u>; .reg .b16 %%h<%u>; .reg .b32 %%r<%u>; "
                         ".reg .b64 %%d<%u>; .reg .f16 %%e<%u>; .reg .f32 %%f<%u>; "
                         ".reg .f64 %%g<%u>; .reg .b16 %%z16; .reg .b32 %%z32; "
                         ".reg .b64 %%z64; .reg .b32 %%word, %%bit, %%block; "
                         ".reg .b64 %%out, %%in, %%at;\n"
                         "ld.param.u64 %%out, [out]; ld.param.u64 %%in, [in]; "
                         "mov.u32 %%word, %%tid.x; mov.u32 %%block, %%ctaid.x; "
                         "mad.lo.u32 %%word, %%block, %u, %%word; mul.wide.u32 %%at, %%word, 8; "
                         "add.u64 %%out, %%out, %%at; add.u64 %%in, %%in, %%at; %sret;\n}\n",
                         target, n, n, n, n, n, n, n, (guint)RANDOM_THREADS, writer->body->str);
}

static void
clear_result(gpointer data) {
  RandomResult *result = data;
  g_free(result->text);
}

static Writer
begin_writer(const RandomOpcodes *opcodes, guint32 seed, guint n_threads) {
  Writer writer = {.opcodes = opcodes,
                   .random = g_rand_new_with_seed(seed),
                   .ptx = g_new0(RandomPtx, 1),
                   .body = g_string_new(NULL),
                   .sources = g_array_new(FALSE, TRUE, sizeof(Source)),
                   .carry = NOT_A_RESULT,
                   .n_threads = n_threads};
  writer.ptx->results = g_array_new(FALSE, TRUE, sizeof(RandomResult));
  g_array_set_clear_func(writer.ptx->results, clear_result);
  return writer;
}

static RandomPtx *
end_writer(Writer *writer) {
  g_rand_free(writer->random);
  g_string_free(writer->body, TRUE);
  g_array_unref(writer->sources);
  return writer->ptx;
}

RandomPtx *
random_ptx_new(const RandomOpcodes *opcodes, const char *target, guint32 seed, guint n_threads) {
  Writer writer = begin_writer(opcodes, seed, n_threads);
  write_inputs(&writer);
  for (guint i = 0; i < RANDOM_INSTRUCTIONS; i++)
    write_chosen(&writer, choose_opcode(&writer));
  write_outputs(&writer);
  writer.ptx->text = wrap(&writer, target);
  return end_writer(&writer);
}

void
random_ptx_free(RandomPtx *ptx) {
  g_array_unref(ptx->results);
  g_free(ptx->text);
  g_free(ptx);
}

// --- opcodes, for an assembler

char *
random_opcodes_probe(const RandomOpcodes *opcodes, const char *target) {
  Writer writer = begin_writer(opcodes, 1, RANDOM_THREADS);
  write_inputs(&writer);
  GString *text = writer.body;
  gsize length = text->len;
  for (gsize i = 0; i < length; i++)
    if (text->str[i] == '\n')
      text->str[i] = ' ';
  g_string_append_c(text, '\n');
  writer.carry = 0;
  writer.is_probe = TRUE;
  for (guint i = 0; i < opcodes->names->len; i++)
    write_instruction(&writer, i);
  char *probe = wrap(&writer, target);
  random_ptx_free(end_writer(&writer));
  return probe;
}
