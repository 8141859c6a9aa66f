// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where the variables of a kernel, and of the functions that it calls, lie: in shared memory one behind the other, each
// aligned; in the memory of a thread likewise; in global and constant memory each for itself.
#include <string.h>

#include "sim/program/symbol.h"
#include "sim/ptx/decode/decode.h"

// Of local memory at most, for all functions: offsets in it are signed numbers of 32 bits.
#define MAX_LOCAL_BYTES (1u << 31)

// Most bytes of a variable, up to the last that its initialiser gives, that are kept: of more nothing is known.
#define MAX_INITIAL_BYTES (G_GUINT64_CONSTANT(64) << 20)

enum {
  DYNAMIC_ALIGN = 16,          // of dynamic shared memory, at least
  LOCAL_ALIGN = 16,            // of frames
  MAX_PARAMETER_BYTES = 32764, // of a kernel (PTX ISA 8.1, ".param" of entry functions)
};

static guint64
align_ptx_offset(guint64 offset, guint64 align) {
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

// A variable in shared memory, as an array of the program, for results.
static guint64
add_shared_variable(PtxDecoder *decoder, const PtxVariable *variable) {
  SmbProgram *program = decoder->program;
  guint element = MAX(smb_ptx_type_bytes(variable->type), 1) * MAX(variable->vector, 1);
  g_autofree char *plain = smb_symbol_demangle(variable->name, TRUE);
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
    program->dynamic_start =
        align_ptx_offset(program->static_shared, MAX(variable->align, DYNAMIC_ALIGN));
    array.base = (guint32)program->dynamic_start;
  } else {
    // More than a block can have is refused when it is launched; where such arrays lie does not matter.
    guint64 base = align_ptx_offset(program->static_shared, variable->align);
    array.base = (guint32)base;
    program->static_shared = base + variable->bytes;
  }
  g_array_append_val(program->arrays, array);
  return array.base;
}

// The names of what the module declares, when one is asked for.
gboolean
smb_ptx_find_symbol(PtxDecoder *decoder, const char *name, PtxWhere *where, guint32 *index) {
  const PtxModule *module = decoder->module;
  guint32 n = module->variables->len;
  if (!decoder->symbols) {
    decoder->symbols = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint32 i = 0; i < n; i++)
      g_hash_table_insert(decoder->symbols,
                          (gpointer)g_array_index(module->variables, PtxVariable, i).name,
                          GUINT_TO_POINTER(i));
    for (guint32 i = 0; i < module->functions->len; i++)
      g_hash_table_insert(decoder->symbols,
                          (gpointer)((PtxFunction *)g_ptr_array_index(module->functions, i))->name,
                          GUINT_TO_POINTER(n + i));
  }
  gpointer found;
  if (!g_hash_table_lookup_extended(decoder->symbols, name, NULL, &found))
    return FALSE;
  *where = GPOINTER_TO_UINT(found) < n ? PTX_WHERE_MODULE : PTX_WHERE_FUNCTION;
  *index = GPOINTER_TO_UINT(found) - (*where == PTX_WHERE_FUNCTION ? n : 0);
  return TRUE;
}

guint64
smb_ptx_variable_address(const PtxDecoder *decoder, guint32 index) {
  const PtxVariable *variable = &g_array_index(decoder->module->variables, PtxVariable, index);
  const guint64 *known =
      decoder->addresses ? g_hash_table_lookup(decoder->addresses, variable->name) : NULL;
  return known ? *known : make_pointer(decoder->regions[index], 0);
}

// The address that a piece of an initialiser is; of shared memory there is none before a block runs. FALSE: not known.
static gboolean
find_initial_address(PtxDecoder *decoder, const PtxInitial *initial, guint64 *bits) {
  PtxWhere where;
  guint32 index;
  if (!smb_ptx_find_symbol(decoder, initial->symbol, &where, &index))
    return FALSE;
  if (where == PTX_WHERE_FUNCTION)
    *bits = smb_ptx_function_address(index);
  else if (decoder->regions[index])
    *bits = smb_ptx_variable_address(decoder, index);
  else
    return FALSE;
  *bits += initial->bits;
  if (initial->mask)
    *bits = (*bits & initial->mask) >> __builtin_ctzll(initial->mask);
  return TRUE;
}

static gboolean
put_initial(PtxDecoder *decoder, GByteArray *bytes, const PtxInitial *initial) {
  guint64 bits = initial->bits;
  if (initial->symbol && !find_initial_address(decoder, initial, &bits))
    return FALSE;
  for (guint i = 0; i < initial->bytes && initial->at + i < bytes->len; i++)
    bytes->data[initial->at + i] = (guchar)(bits >> (8 * i));
  return TRUE;
}

// Where the last byte that an initialiser gives ends.
static guint64
measure_initial(const PtxVariable *variable) {
  guint64 end = 0;
  for (guint i = 0; i < variable->initial->len; i++) {
    const PtxInitial *initial = &g_array_index(variable->initial, PtxInitial, i);
    end = MAX(end, MIN(initial->at + initial->bytes, variable->bytes));
  }
  return end;
}

// What a variable holds at first. Without an initialiser the host says so, or nobody. Contents end where the
// initialiser does: what is after it is zero.
static SmbContents
find_variable_contents(PtxDecoder *decoder, const PtxVariable *variable) {
  guint64 n = variable->initial ? measure_initial(variable) : 0;
  if (n == 0 || n > MAX_INITIAL_BYTES)
    return (SmbContents){.fill = variable->initial && n == 0 ? SMB_FILL_ZEROS : SMB_FILL_UNKNOWN};
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_set_size(bytes, (guint)n);
  memset(bytes->data, 0, bytes->len);
  g_ptr_array_add(decoder->code->bytes, bytes);
  for (guint i = 0; i < variable->initial->len; i++) {
    if (!put_initial(decoder, bytes, &g_array_index(variable->initial, PtxInitial, i)))
      return (SmbContents){.fill = SMB_FILL_UNKNOWN};
  }
  return (SmbContents){.fill = SMB_FILL_BYTES, .bytes = bytes->data, .length = bytes->len};
}

static void
fill_region(PtxDecoder *decoder, const PtxVariable *variable, guint64 region) {
  SmbContents contents = find_variable_contents(decoder, variable);
  g_array_index(decoder->program->regions, Region, region).contents = contents;
}

static guint32
add_region(PtxDecoder *decoder, const PtxVariable *variable) {
  Region region = {.name = variable->name,
                   .space = is_in(variable, "const") ? SPACE_CONSTANT : SPACE_GLOBAL,
                   .size = variable->bytes ? variable->bytes : SMB_ENDLESS_BYTES};
  g_array_append_val(decoder->program->regions, region);
  return decoder->program->regions->len - 1;
}

static gboolean
is_outside(const PtxVariable *variable) {
  return is_in(variable, "global") || is_in(variable, "const");
}

// Addresses of variables may be in what others hold.
static void
fill_regions(PtxDecoder *decoder) {
  for (guint i = 0; i < decoder->module->variables->len; i++) {
    if (decoder->regions[i])
      fill_region(decoder, &g_array_index(decoder->module->variables, PtxVariable, i),
                  decoder->regions[i]);
  }
  for (guint f = 0; f < decoder->functions->len; f++) {
    const PtxDecoded *decoded = g_ptr_array_index(decoder->functions, f);
    for (guint i = 0; i < decoded->function->variables->len; i++) {
      const PtxVariable *variable = &g_array_index(decoded->function->variables, PtxVariable, i);
      if (is_outside(variable))
        fill_region(decoder, variable, decoded->locals[i]);
    }
  }
}

// What is passed or returned, from an offset in the frame on.
static guint64
lay_out_slots(PtxDecoded *decoded, const GArray *variables, guint64 *places, guint64 at) {
  for (guint i = 0; i < variables->len; i++) {
    guint64 bytes = smb_ptx_slot_bytes(g_array_index(variables, PtxVariable, i).bytes);
    places[i] = at;
    at += bytes;
    decoded->shape = smb_ptx_shape(decoded->shape, bytes);
  }
  return at;
}

// The parameters of a kernel lie one behind the other. Returns their bytes; 0 of another function.
static guint64
lay_out_parameters(PtxDecoded *decoded) {
  const PtxFunction *function = decoded->function;
  decoded->parameters = g_new0(guint64, function->parameters->len + 1);
  decoded->returns = g_new0(guint64, function->returns->len + 1);
  if (!decoded->is_kernel) {
    guint64 end = lay_out_slots(decoded, function->parameters, decoded->parameters, 0);
    decoded->shape = smb_ptx_shape(decoded->shape, 0);
    decoded->slot_bytes = lay_out_slots(decoded, function->returns, decoded->returns, end);
    return 0;
  }
  guint64 offset = 0;
  for (guint i = 0; i < function->parameters->len; i++) {
    const PtxVariable *variable = &g_array_index(function->parameters, PtxVariable, i);
    offset = align_ptx_offset(offset, variable->align);
    decoded->parameters[i] = offset;
    offset += variable->bytes;
  }
  return offset;
}

// The frame of a function: parameters and results, then its local and .param variables, each at a multiple of 4 bytes
// at least. Its shared variables become arrays of the program; constant and global ones, regions.
static gboolean
lay_out_function(PtxDecoder *decoder, PtxDecoded *decoded) {
  const PtxFunction *function = decoded->function;
  if (lay_out_parameters(decoded) > MAX_PARAMETER_BYTES) {
    smb_source_error(decoder->module->source, function->offset, decoder->error,
                     "'%s' has more than %u bytes of parameters", function->name,
                     (guint)MAX_PARAMETER_BYTES);
    return FALSE;
  }
  decoded->locals = g_new0(guint64, function->variables->len + 1);
  guint64 at = decoded->slot_bytes;
  for (guint i = 0; i < function->variables->len; i++) {
    const PtxVariable *variable = &g_array_index(function->variables, PtxVariable, i);
    if (is_in(variable, "shared"))
      decoded->locals[i] = add_shared_variable(decoder, variable);
    else if (is_in(variable, "local") || is_in(variable, "param")) {
      at = align_ptx_offset(at, MAX(variable->align, 4));
      decoded->locals[i] = at;
      at += variable->bytes;
    } else
      decoded->locals[i] = add_region(decoder, variable);
  }
  if (at > MAX_LOCAL_BYTES) {
    smb_source_error(decoder->module->source, function->offset, decoder->error,
                     "'%s' has more than %u bytes of local memory", function->name,
                     MAX_LOCAL_BYTES);
    return FALSE;
  }
  decoded->frame_bytes = align_ptx_offset(at, LOCAL_ALIGN);
  return TRUE;
}

// Local memory: the kernel's variables, and a stack: room for one frame of each function, and for recursion.
static gboolean
lay_out_local(PtxDecoder *decoder) {
  guint64 bytes = 0;
  gboolean recursive = FALSE;
  for (guint i = 0; i < decoder->functions->len; i++) {
    PtxDecoded *decoded = g_ptr_array_index(decoder->functions, i);
    if (!lay_out_function(decoder, decoded))
      return FALSE;
    bytes += decoded->frame_bytes;
    recursive = recursive || decoded->is_recursive;
    if (i == 0)
      decoder->local_bytes = bytes;
  }
  bytes += decoder->has_stack ? CODE_STACK_BYTES : 0;
  g_array_index(decoder->program->regions, Region, REGION_LOCAL).size = MIN(bytes, MAX_LOCAL_BYTES);
  return TRUE;
}

// Of shared memory only what the kernel and its functions name takes room; dynamic memory lies behind the static.
gboolean
smb_ptx_lay_out(PtxDecoder *decoder) {
  const GArray *variables = decoder->module->variables;
  decoder->shared = g_new0(guint64, variables->len + 1);
  decoder->regions = g_new0(guint32, variables->len + 1);
  for (guint dynamic = 0; dynamic < 2; dynamic++) {
    for (guint i = 0; i < variables->len; i++) {
      const PtxVariable *variable = &g_array_index(variables, PtxVariable, i);
      if (decoder->used[i] && is_in(variable, "shared") && (variable->bytes == 0) == (dynamic == 1))
        decoder->shared[i] = add_shared_variable(decoder, variable);
      else if (decoder->used[i] && dynamic == 0 && is_outside(variable))
        decoder->regions[i] = add_region(decoder, variable);
    }
    if (dynamic == 0 && !lay_out_local(decoder))
      return FALSE;
  }
  fill_regions(decoder);
  SmbProgram *program = decoder->program;
  program->dynamic_start =
      MAX(program->dynamic_start, align_ptx_offset(program->static_shared, DYNAMIC_ALIGN));
  g_array_index(program->regions, Region, REGION_SHARED).size = program->dynamic_start;
  return TRUE;
}
