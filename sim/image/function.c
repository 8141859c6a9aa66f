// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads the attributes of functions (.nv.info) and what the sections of their code say.
#include "sim/image/function.h"

#include <string.h>

#include "sim/base/error.h"

enum {
  INSTRUCTION_BYTES = 16,
  OTHER_KERNEL = 0x10,  // in a symbol's st_other
  REGISTERS_SHIFT = 24, // of a code section's sh_info, before sm_90
  FIRST_CHIP_WITH_RESERVED = 90,
  RESERVED_SHARED = 1024, // bytes
};

// What .nv.info says, a list of attributes: a byte for the form, one for what it is, and two for a value, or for the
// length of what follows.
enum {
  FORM_BYTES = 4, // followed by as many as its value says
  MAX_THREADS = 0x05,
  PARAMETERS = 0x0a, // symbol of bank 0's section, u16 offset in it, u16 bytes
  REQUIRED_BLOCK = 0x10,
  FRAME_BYTES = 0x11, // symbol, bytes
  PARAMETER = 0x17,   // index, u16 ordinal, u16 offset, flags with the bytes in the upper 14 bits
  REGISTERS = 0x2f,   // symbol, number
  CLUSTER = 0x3d,
  LARGE_PARAMETER = 0x45, // index, u16 ordinal, u16 offset, u32 bytes
};

enum {
  PARAMETER_BYTES = 16, // of such an attribute, with its first 4 bytes
  PARAMETER_BYTES_SHIFT = 18
};

typedef struct {
  guint what;
  const guint8 *data;
  guint bytes;
} Attribute;

// What functions are filled from.
typedef struct {
  SmbCubin *cubin;
  GHashTable *sections;  // name to index
  GHashTable *functions; // index of the symbol to SmbCubinFunction
  GError **error;
} Maker;

static guint
read_u16(const guint8 *data) {
  return data[0] | (guint)data[1] << 8;
}

static guint32
read_u32(const guint8 *data) {
  return read_u16(data) | (guint32)read_u16(data + 2) << 16;
}

static gboolean
fail_at_function(Maker *maker, const char *name, const char *what) {
  g_autofree char *shown = g_utf8_make_valid(name, -1);
  return smb_fail(maker->error, SMB_ERROR, SMB_ERROR_INPUT, "%s: '%s': %s", maker->cubin->name,
                  shown, what);
}

// The next attribute of a section; FALSE at its end, and where one is cut: @at is not its end then.
static gboolean
next_attribute(const SmbCubinSection *section, gsize *at, Attribute *attribute) {
  if (section->bytes - *at < 4)
    return FALSE;
  const guint8 *data = section->data + *at;
  guint bytes = data[0] == FORM_BYTES ? read_u16(data + 2) : 0;
  if (section->bytes - *at - 4 < bytes)
    return FALSE;
  *attribute = (Attribute){data[1], data + 4, bytes};
  *at += 4 + bytes;
  return TRUE;
}

static void
read_three(const Attribute *attribute, guint three[3]) {
  for (guint i = 0; i < 3; i++)
    three[i] = read_u32(attribute->data + 4 * i);
}

// Most bytes that an attribute is read for; one that is shorter is not taken for what it says.
static gboolean
is_complete_attribute(const Attribute *attribute) {
  switch (attribute->what) {
  case PARAMETERS:
  case FRAME_BYTES:
  case REGISTERS:
    return attribute->bytes >= 8;
  case MAX_THREADS:
  case REQUIRED_BLOCK:
  case PARAMETER:
  case CLUSTER:
  case LARGE_PARAMETER:
    return attribute->bytes >= 12;
  default:
    return TRUE;
  }
}

// Whether an attribute is a parameter that a section of @bytes has no room for: each parameter takes an attribute of
// it.
static gboolean
is_beyond(const Attribute *attribute, gsize bytes) {
  gboolean is_parameter = attribute->what == PARAMETER || attribute->what == LARGE_PARAMETER;
  return is_parameter && read_u16(attribute->data + 4) >= bytes / PARAMETER_BYTES;
}

// A parameter, at the place that its ordinal says; the list grows to it.
static void
add_parameter(SmbCubinFunction *function, const Attribute *attribute) {
  guint ordinal = read_u16(attribute->data + 4);
  guint32 last = read_u32(attribute->data + 8);
  SmbCubinParameter parameter = {read_u16(attribute->data + 6), attribute->what == PARAMETER
                                                                    ? last >> PARAMETER_BYTES_SHIFT
                                                                    : last};
  if (ordinal >= function->parameters->len)
    g_array_set_size(function->parameters, ordinal + 1);
  g_array_index(function->parameters, SmbCubinParameter, ordinal) = parameter;
}

static void
apply_attribute(SmbCubinFunction *function, const Attribute *attribute) {
  switch (attribute->what) {
  case MAX_THREADS: {
    guint three[3];
    read_three(attribute, three);
    guint64 plane = (guint64)three[0] * three[1];
    function->max_threads =
        plane > G_MAXUINT32 ? G_MAXINT32 : MIN(plane * three[2], (guint64)G_MAXINT32);
    break;
  }
  case REQUIRED_BLOCK:
    read_three(attribute, function->required);
    break;
  case CLUSTER:
    read_three(attribute, function->cluster);
    break;
  case PARAMETERS:
    function->parameter_base = read_u16(attribute->data + 4);
    function->parameter_bytes = read_u16(attribute->data + 6);
    break;
  case PARAMETER:
  case LARGE_PARAMETER:
    add_parameter(function, attribute);
    break;
  default: // of no use here
    break;
  }
}

// The attributes of all functions, each of which names its own.
static gboolean
read_shared_attributes(Maker *maker, const SmbCubinSection *section) {
  Attribute attribute;
  gsize at = 0;
  while (next_attribute(section, &at, &attribute)) {
    if (attribute.what != REGISTERS && attribute.what != FRAME_BYTES)
      continue;
    if (!is_complete_attribute(&attribute))
      return fail_at_function(maker, section->name, "an attribute is too short");
    SmbCubinFunction *function =
        g_hash_table_lookup(maker->functions, GUINT_TO_POINTER(read_u32(attribute.data)));
    guint value = read_u32(attribute.data + 4);
    if (function && attribute.what == REGISTERS)
      function->registers = value;
    else if (function)
      function->local_bytes = value;
  }
  return at == section->bytes ||
         fail_at_function(maker, section->name, "an attribute is truncated");
}

static gboolean
read_function_attributes(Maker *maker, SmbCubinFunction *function, const SmbCubinSection *section) {
  Attribute attribute;
  gsize at = 0;
  while (next_attribute(section, &at, &attribute)) {
    if (!is_complete_attribute(&attribute))
      return fail_at_function(maker, section->name, "an attribute is too short");
    if (is_beyond(&attribute, section->bytes))
      return fail_at_function(maker, section->name, "a parameter is missing or out of range");
    apply_attribute(function, &attribute);
  }
  if (at != section->bytes)
    return fail_at_function(maker, section->name, "an attribute is truncated");
  for (guint i = 0; i < function->parameters->len; i++) {
    const SmbCubinParameter *parameter = &g_array_index(function->parameters, SmbCubinParameter, i);
    if (parameter->bytes == 0 || parameter->offset > function->parameter_bytes ||
        parameter->bytes > function->parameter_bytes - parameter->offset)
      return fail_at_function(maker, section->name, "a parameter is missing or out of range");
  }
  return TRUE;
}

// The index of section @prefix@name; 0: there is none.
static guint
find_section(const Maker *maker, const char *prefix, const char *name) {
  g_autofree char *whole = g_strconcat(prefix, name, NULL);
  return GPOINTER_TO_UINT(g_hash_table_lookup(maker->sections, whole));
}

// The same, but each section is found only once, so that repeated names do not make it read again.
static guint
take_section(Maker *maker, const char *prefix, const char *name) {
  g_autofree char *whole = g_strconcat(prefix, name, NULL);
  guint index = GPOINTER_TO_UINT(g_hash_table_lookup(maker->sections, whole));
  g_hash_table_remove(maker->sections, whole);
  return index;
}

static const SmbCubinSection *
get_maker_section(const Maker *maker, guint index) {
  return &g_array_index(maker->cubin->sections, SmbCubinSection, index);
}

// What a kernel has in sections that are called after it.
static gboolean
fill_kernel(Maker *maker, SmbCubinFunction *function) {
  guint shared = find_section(maker, ".nv.shared.", function->name);
  guint info = take_section(maker, ".nv.info.", function->name);
  function->is_kernel = TRUE;
  function->constants = find_section(maker, ".nv.constant0.", function->name);
  function->reserved_shared = maker->cubin->chip >= FIRST_CHIP_WITH_RESERVED ? RESERVED_SHARED : 0;
  function->shared_bytes =
      MAX(shared ? (guint)get_maker_section(maker, shared)->bytes : 0, function->reserved_shared);
  return !info || !get_maker_section(maker, info)->data ||
         read_function_attributes(maker, function, get_maker_section(maker, info));
}

// Adds a function that the file defines; TRUE for other symbols, too.
static gboolean
add_image_function(Maker *maker, guint index, guint32 info, guint8 other) {
  const SmbCubinSymbol *symbol = &g_array_index(maker->cubin->symbols, SmbCubinSymbol, index);
  const SmbCubinSection *section = get_maker_section(maker, symbol->section);
  if (symbol->kind != SMB_CUBIN_FUNCTION || !g_str_has_prefix(section->name, ".text."))
    return TRUE;
  SmbCubinFunction *function = g_new0(SmbCubinFunction, 1);
  function->parameters = g_array_new(FALSE, TRUE, sizeof(SmbCubinParameter));
  g_ptr_array_add(maker->cubin->functions, function);
  g_hash_table_insert(maker->functions, GUINT_TO_POINTER(index), function);
  function->name = symbol->name;
  function->section = symbol->section;
  function->offset = (guint)symbol->value;
  function->bytes = (guint)(symbol->bytes ? symbol->bytes : section->bytes - symbol->value);
  function->registers = info >> REGISTERS_SHIFT;
  if (!section->data)
    return fail_at_function(maker, symbol->name, "its code is outside the file");
  if (function->offset % INSTRUCTION_BYTES != 0 || function->bytes % INSTRUCTION_BYTES != 0)
    return fail_at_function(maker, symbol->name, "its code is not a whole number of instructions");
  function->code = section->data + function->offset;
  return !(other & OTHER_KERNEL) || fill_kernel(maker, function);
}

static gboolean
add_functions(Maker *maker, const GArray *infos, const GByteArray *others) {
  const SmbCubin *cubin = maker->cubin;
  for (guint i = cubin->sections->len; i-- > 1;) // the first of a name stays
    g_hash_table_insert(maker->sections, (gpointer)get_maker_section(maker, i)->name,
                        GUINT_TO_POINTER(i));
  for (guint i = 0; i < cubin->symbols->len; i++) {
    guint section = g_array_index(cubin->symbols, SmbCubinSymbol, i).section;
    if (!add_image_function(maker, i, g_array_index(infos, guint32, section), others->data[i]))
      return FALSE;
  }
  const SmbCubinSection *shared = get_maker_section(maker, find_section(maker, ".nv.info", ""));
  return !shared->data || read_shared_attributes(maker, shared);
}

gboolean
smb_cubin_add_functions(SmbCubin *cubin, const GArray *infos, const GByteArray *others,
                        GError **error) {
  Maker maker = {cubin, g_hash_table_new(g_str_hash, g_str_equal), g_hash_table_new(NULL, NULL),
                 error};
  gboolean is_done = add_functions(&maker, infos, others);
  g_hash_table_unref(maker.sections);
  g_hash_table_unref(maker.functions);
  return is_done;
}
