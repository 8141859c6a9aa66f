// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where the variables of a kernel, and of the functions that it calls, lie: in shared memory one behind the other, each
// aligned; in the memory of a thread likewise; in global and constant memory each for itself.
#include <string.h>

#include "sim/ptx/decode/decode.h"

// Where an array without an end ends.
#define ENDLESS_BYTES (G_GUINT64_CONSTANT(1) << 40)

// Most bytes of a variable, up to the last that its initialiser gives, that are kept: of more nothing is known.
#define MAX_INITIAL_BYTES (G_GUINT64_CONSTANT(64) << 20)

enum {
  DYNAMIC_ALIGN = 16, // of dynamic shared memory, at least
};

static guint64
align_to(guint64 offset, guint64 align) {
  align = MAX(align, 1);
  return (offset + align - 1) / align * align;
}

static gboolean
is_in(const PtxVariable *variable, const char *space) {
  return strcmp(variable->space, space) == 0;
}

// "double" and the like, as C calls what a variable's elements are.
static const char *
name_element(const PtxVariable *variable) {
  static const struct {
    const char *type, *name;
  } names[] = {{"f32", "float"}, {"f64", "double"},         {"u32", "unsigned"}, {"s32", "int"},
               {"b32", "int"},   {"u64", "unsigned long"},  {"s64", "long"},     {"b64", "long"},
               {"f16", "half"},  {"u16", "unsigned short"}, {"s16", "short"},    {"b16", "short"}};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (strcmp(variable->type, names[i].type) == 0)
      return names[i].name;
  }
  return "char";
}

static guint64
add_shared(PtxDecoder *decoder, const PtxVariable *variable) {
  SmbProgram *program = decoder->program;
  guint element = MAX(smb_ptx_type_bytes(variable->type), 1) * MAX(variable->vector, 1);
  g_autofree char *plain = smb_ptx_demangle(variable->name, TRUE);
  SmbArray array = {.name = g_string_chunk_insert_const(decoder->module->strings, plain),
                    .element = name_element(variable),
                    .element_bytes = element,
                    .bytes = variable->bytes,
                    .is_dynamic = variable->bytes == 0};
  smb_source_locate(decoder->module->source, variable->offset, &array.line, &array.column);
  array.n_dimensions = 1;
  array.dimension[0] = variable->bytes / element;
  if (!array.is_dynamic && variable->n_dimensions <= SMB_ARRAY_MAX_DIMENSIONS) {
    array.n_dimensions = variable->n_dimensions;
    for (guint i = 0; i < variable->n_dimensions; i++)
      array.dimension[i] = variable->dimension[i];
  }
  if (array.is_dynamic) {
    program->dynamic_start = align_to(program->static_shared, MAX(variable->align, DYNAMIC_ALIGN));
    array.base = (guint32)program->dynamic_start;
  } else {
    array.base = (guint32)align_to(program->static_shared, variable->align);
    program->static_shared = array.base + variable->bytes;
  }
  g_array_append_val(program->arrays, array);
  return array.base;
}

static void
put_initial(GByteArray *bytes, const PtxInitial *initial) {
  for (guint i = 0; i < initial->bytes && initial->at + i < bytes->len; i++)
    bytes->data[initial->at + i] = (guchar)(initial->bits >> (8 * i));
}

// Where the last byte that an initialiser gives ends; 0: it has addresses, which are not known.
static guint64
measure_initial(const PtxVariable *variable) {
  guint64 end = 1;
  for (guint i = 0; i < variable->initial->len; i++) {
    const PtxInitial *initial = &g_array_index(variable->initial, PtxInitial, i);
    if (initial->symbol)
      return 0;
    end = MAX(end, MIN(initial->at + initial->bytes, variable->bytes));
  }
  return end;
}

// What a variable holds at first. Without an initialiser the host says so, or nobody. Contents end where the
// initialiser does: what is behind it is zero.
static SmbContents
find_contents(PtxDecoder *decoder, const PtxVariable *variable) {
  guint64 n = variable->initial ? measure_initial(variable) : 0;
  if (n == 0 || n > MAX_INITIAL_BYTES)
    return (SmbContents){.fill = SMB_FILL_UNKNOWN};
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_set_size(bytes, (guint)n);
  memset(bytes->data, 0, bytes->len);
  g_ptr_array_add(decoder->code->bytes, bytes);
  for (guint i = 0; i < variable->initial->len; i++)
    put_initial(bytes, &g_array_index(variable->initial, PtxInitial, i));
  return (SmbContents){.fill = SMB_FILL_BYTES, .bytes = bytes->data, .length = bytes->len};
}

static guint32
add_region(PtxDecoder *decoder, const PtxVariable *variable) {
  Region region = {.name = variable->name,
                   .space = is_in(variable, "const") ? SPACE_CONSTANT : SPACE_GLOBAL,
                   .size = variable->bytes ? variable->bytes : ENDLESS_BYTES,
                   .contents = find_contents(decoder, variable)};
  g_array_append_val(decoder->program->regions, region);
  return decoder->program->regions->len - 1;
}

static guint64
add_local(PtxDecoder *decoder, const PtxVariable *variable) {
  guint64 at = align_to(decoder->local_bytes, MAX(variable->align, 4));
  decoder->local_bytes = at + variable->bytes;
  return at;
}

static void
note_use(const PtxDecoder *decoder, gboolean *used, const PtxFunction *function) {
  for (guint i = 0; i < function->operands->len; i++) {
    const PtxOperand *operand = &g_array_index(function->operands, PtxOperand, i);
    if (operand->kind == PTX_OPERAND_SYMBOL && operand->where == PTX_WHERE_MODULE &&
        operand->index < decoder->module->variables->len)
      used[operand->index] = TRUE;
  }
}

// Of shared memory only what the kernel and its functions name takes room.
gboolean
smb_ptx_lay_out(PtxDecoder *decoder) {
  const GArray *variables = decoder->module->variables;
  g_autofree gboolean *used = g_new0(gboolean, variables->len + 1);
  for (guint i = 0; i < decoder->functions->len; i++)
    note_use(decoder, used, ((PtxDecoded *)g_ptr_array_index(decoder->functions, i))->function);
  decoder->shared = g_new0(guint64, variables->len + 1);
  decoder->regions = g_new0(guint32, variables->len + 1);
  // Dynamic memory lies behind the static.
  for (guint dynamic = 0; dynamic < 2; dynamic++) {
    for (guint i = 0; i < variables->len; i++) {
      const PtxVariable *variable = &g_array_index(variables, PtxVariable, i);
      if (used[i] && is_in(variable, "shared") && (variable->bytes == 0) == (dynamic == 1))
        decoder->shared[i] = add_shared(decoder, variable);
      else if (used[i] && dynamic == 0 && (is_in(variable, "const") || is_in(variable, "global")))
        decoder->regions[i] = add_region(decoder, variable);
    }
    for (guint i = 0; dynamic == 0 && i < decoder->functions->len; i++) {
      if (!smb_ptx_lay_out_function(decoder, g_ptr_array_index(decoder->functions, i)))
        return FALSE;
    }
  }
  SmbProgram *program = decoder->program;
  program->dynamic_start =
      MAX(program->dynamic_start, align_to(program->static_shared, DYNAMIC_ALIGN));
  Region *shared = &g_array_index(program->regions, Region, REGION_SHARED);
  shared->size = program->dynamic_start;
  g_array_index(program->regions, Region, REGION_LOCAL).size = align_to(decoder->local_bytes, 16);
  return TRUE;
}

gboolean
smb_ptx_lay_out_function(PtxDecoder *decoder, PtxDecoded *decoded) {
  const PtxFunction *function = decoded->function;
  decoded->locals = g_new0(guint64, function->variables->len + 1);
  decoded->parameters = g_new0(guint64, function->parameters->len + 1);
  decoded->returns = g_new0(guint64, function->returns->len + 1);
  for (guint i = 0; i < function->variables->len; i++) {
    const PtxVariable *variable = &g_array_index(function->variables, PtxVariable, i);
    decoded->locals[i] = is_in(variable, "shared") ? add_shared(decoder, variable)
                         : is_in(variable, "local") || is_in(variable, "param")
                             ? add_local(decoder, variable)
                             : add_region(decoder, variable);
  }
  guint64 offset = 0;
  for (guint i = 0; i < function->parameters->len; i++) {
    const PtxVariable *variable = &g_array_index(function->parameters, PtxVariable, i);
    offset = align_to(offset, variable->align);
    decoded->parameters[i] = decoded->is_kernel ? offset : add_local(decoder, variable);
    offset += variable->bytes;
  }
  for (guint i = 0; i < function->returns->len; i++)
    decoded->returns[i] = add_local(decoder, &g_array_index(function->returns, PtxVariable, i));
  return TRUE;
}
