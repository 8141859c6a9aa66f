// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Declarations of registers: .reg .b32 %r<12>, x; .reg .v4 .f32 v; (PTX ISA 9.0, sections 5.1.1 and 5.4.5).
#include <stdio.h>
#include <string.h>

#include "sim/ptx/read/read-impl.h"

static gboolean
check_limits(PtxReader *reader, guint32 more) {
  guint64 registers = (guint64)reader->function->registers->len + more;
  guint64 all = (guint64)reader->n_registers + more;
  if (!smb_ptx_within(reader, registers, PTX_MAX_REGISTERS, "registers in a function") ||
      !smb_ptx_within(reader, all, PTX_MAX_MODULE_REGISTERS, "registers in a file"))
    return FALSE;
  reader->n_registers = (guint)all;
  return TRUE;
}

gboolean
smb_ptx_declare_register(PtxReader *reader, guint32 offset, const char *name, const char *type,
                         guint vector) {
  GArray *registers = reader->function->registers;
  PtxMeaning meaning = {.kind = PTX_MEANS_REGISTER, .index = registers->len};
  PtxRegister new = {name, type, (guint8)vector};
  if (!check_limits(reader, 1) || !smb_ptx_declare(reader, offset, name, strlen(name), meaning))
    return FALSE;
  g_array_append_val(registers, new);
  return TRUE;
}

// NAME0, NAME1, …; each is looked for, since the block may have it by another declaration.
static gboolean
declare_register_range(PtxReader *reader, guint32 offset, gsize length, const char *type,
                       guint vector, guint32 count) {
  const char *prefix = reader->lexer.text + offset;
  GArray *registers = reader->function->registers;
  PtxMeaning meaning = {.kind = PTX_MEANS_REGISTER, .index = registers->len};
  guint depth = smb_ptx_names_depth(reader->names);
  if (!check_limits(reader, count))
    return FALSE;
  g_autofree char *name = g_malloc(length + 16);
  memcpy(name, prefix, length);
  for (guint32 i = 0; i < count; i++) {
    gsize digits = (gsize)sprintf(name + length, "%u", i);
    PtxMeaning other = smb_ptx_names_find(reader->names, name, length + digits);
    if (other.kind != PTX_MEANS_NOTHING && other.depth == depth)
      return smb_ptx_fail(reader, offset, "'%s' is declared twice", name);
    PtxRegister new = {
        g_string_chunk_insert_len(reader->module->strings, name, (gssize)(length + digits)), type,
        (guint8)vector};
    g_array_append_val(registers, new);
  }
  smb_ptx_names_add_range(reader->names, prefix, length, meaning, count);
  return TRUE;
}

static gboolean
read_ptx_register(PtxReader *reader, const char *type, guint vector) {
  guint32 offset = reader->lexer.token.start;
  gsize length = reader->lexer.token.length;
  if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "the name of a register"))
    return FALSE;
  if (!smb_ptx_accept(reader, '<')) {
    const char *name = g_string_chunk_insert_len(reader->module->strings,
                                                 reader->lexer.text + offset, (gssize)length);
    return smb_ptx_declare_register(reader, offset, name, type, vector);
  }
  guint32 count;
  return smb_ptx_read_count(reader, &count) && smb_ptx_expect(reader, '>') &&
         declare_register_range(reader, offset, length, type, vector, count);
}

gboolean
smb_ptx_read_registers(PtxReader *reader) {
  guint vector = smb_ptx_find_vector(reader);
  if (vector)
    smb_ptx_lex(&reader->lexer);
  const PtxType *type = smb_ptx_find_type(reader);
  if (!type || type->is_opaque)
    return smb_ptx_fail_expected(reader, "the type of a register");
  smb_ptx_lex(&reader->lexer);
  do {
    if (!read_ptx_register(reader, type->name, MAX(vector, 1)))
      return FALSE;
  } while (smb_ptx_accept(reader, ','));
  return smb_ptx_expect(reader, ';');
}
