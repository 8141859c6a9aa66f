// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The body of a function: declarations, labels, instructions, blocks. A block has names of its own; a label is seen
// in its block and in those inside it, above the label as well as below.
#include <string.h>

#include "sim/ptx/isa/instruction.h"
#include "sim/ptx/read/read-impl.h"

static const char *const *
split_opcode(PtxReader *reader, const char *text) {
  g_auto(GStrv) words = g_strsplit(text, ".", -1);
  gsize bytes = (g_strv_length(words) + 1) * sizeof(char *);
  const char **parts = g_malloc(bytes);
  for (guint i = 0; words[i]; i++)
    parts[i] = smb_ptx_intern(reader, words[i], strlen(words[i]));
  parts[g_strv_length(words)] = NULL;
  return parts;
}

// The number of an opcode. Its line in instructions.def is looked up once.
static guint32
find_opcode(PtxReader *reader, const char *text, gsize length) {
  PtxMeaning meaning = smb_ptx_names_find(reader->opcodes, text, length);
  if (meaning.kind != PTX_MEANS_NOTHING)
    return meaning.index;
  GArray *opcodes = reader->module->opcodes;
  PtxOpcode opcode = {.text = smb_ptx_intern(reader, text, length)};
  opcode.parts = split_opcode(reader, opcode.text);
  opcode.line = smb_ptx_find_line(opcode.parts);
  meaning = (PtxMeaning){.kind = PTX_MEANS_TEXT, .index = opcodes->len};
  smb_ptx_names_add(reader->opcodes, opcode.text, length, meaning);
  g_array_append_val(opcodes, opcode);
  return meaning.index;
}

// The opcode whose name is the token @name, with its modifiers, which may stand apart from it.
static guint32
read_opcode(PtxReader *reader, const PtxToken *name) {
  if (reader->lexer.token.kind != PTX_TOKEN_DIRECTIVE)
    return find_opcode(reader, reader->lexer.text + name->start, name->length);
  g_autoptr(GString) text = g_string_new_len(reader->lexer.text + name->start, name->length);
  for (; reader->lexer.token.kind == PTX_TOKEN_DIRECTIVE; smb_ptx_lex(&reader->lexer))
    g_string_append_len(text, smb_ptx_text(reader), reader->lexer.token.length);
  return find_opcode(reader, text->str, text->len);
}

static gboolean
read_ptx_instruction(PtxReader *reader, const PtxToken *name, PtxInstruction *instruction) {
  const char *text = reader->lexer.text + name->start;
  if (!g_ascii_isalpha(*text))
    return smb_ptx_fail(reader, name->start, "expected an instruction, not '%.*s'",
                        (int)name->length, text);
  instruction->opcode = read_opcode(reader, name);
  instruction->loc = reader->loc;
  if (!smb_ptx_read_operands(reader, instruction))
    return FALSE;
  g_array_append_val(reader->function->instructions, *instruction);
  return TRUE;
}

// @p or @!p
static gboolean
read_guard(PtxReader *reader, PtxInstruction *instruction) {
  instruction->guard_negated = smb_ptx_accept(reader, '!');
  const PtxToken token = reader->lexer.token;
  const char *name = smb_ptx_text(reader);
  if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "a register"))
    return FALSE;
  PtxMeaning meaning = smb_ptx_names_find(reader->names, name, token.length);
  instruction->guard = meaning.index;
  return meaning.kind == PTX_MEANS_REGISTER ||
         smb_ptx_fail(reader, token.start, "unknown register '%.*s'", (int)token.length, name);
}

static gboolean
add_label(PtxReader *reader, const PtxToken *name) {
  PtxFunction *function = reader->function;
  const char *text = smb_ptx_intern(reader, reader->lexer.text + name->start, name->length);
  PtxMeaning meaning = {.kind = PTX_MEANS_LABEL, .index = function->labels->len};
  PtxLabel label = {text, function->instructions->len, name->start};
  if (!smb_ptx_within(reader, ++reader->n_labels, PTX_MAX_LABELS, "labels") ||
      !smb_ptx_declare(reader, name->start, text, name->length, meaning))
    return FALSE;
  g_array_append_val(function->labels, label);
  return TRUE;
}

// Targets of the label before it, up to the semicolon.
static gboolean
read_table(PtxReader *reader, gboolean is_calls) {
  PtxFunction *function = reader->function;
  if (function->labels->len == 0)
    return smb_ptx_fail_expected(reader, "a label before this directive");
  guint32 label = function->labels->len - 1;
  PtxTable table = {g_array_index(function->labels, PtxLabel, label).name, label, g_ptr_array_new(),
                    g_array_new(FALSE, FALSE, sizeof(guint32)), is_calls};
  guint32 index = function->tables->len;
  g_array_append_val(function->tables, table);
  do {
    const PtxToken token = reader->lexer.token;
    PtxPending pending = {index, table.targets->len, token.start, is_calls ? "function" : "label"};
    const char *name = smb_ptx_intern(reader, smb_ptx_text(reader), token.length);
    if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, is_calls ? "a function" : "a label"))
      return FALSE;
    guint32 none = PTX_NONE;
    g_ptr_array_add(table.targets, (gpointer)name);
    g_array_append_val(table.indices, none);
    g_array_append_val(reader->pending, pending);
  } while (smb_ptx_accept(reader, ','));
  return smb_ptx_expect(reader, ';');
}

// What an indirect call expects of a function, which its parameters say as well: nothing is kept of it.
static gboolean
skip_prototype(PtxReader *reader) {
  while (!smb_ptx_is(reader, ';')) {
    if (reader->lexer.token.kind == PTX_TOKEN_END || reader->lexer.token.kind == PTX_TOKEN_BAD)
      return smb_ptx_fail_expected(reader, "';'");
    smb_ptx_lex(&reader->lexer);
  }
  return smb_ptx_expect(reader, ';');
}

static gboolean
read_body_directive(PtxReader *reader) {
  if (smb_ptx_accept_directive(reader, ".loc"))
    return smb_ptx_read_loc(reader);
  if (smb_ptx_accept_directive(reader, ".reg"))
    return smb_ptx_read_registers(reader);
  if (smb_ptx_at_space(reader))
    return smb_ptx_read_variables(reader, reader->function->variables, PTX_WHERE_LOCAL, FALSE);
  if (smb_ptx_accept_directive(reader, ".pragma"))
    return smb_ptx_read_pragma(reader);
  if (smb_ptx_accept_directive(reader, ".branchtargets"))
    return read_table(reader, FALSE);
  if (smb_ptx_accept_directive(reader, ".calltargets"))
    return read_table(reader, TRUE);
  if (smb_ptx_accept_directive(reader, ".callprototype"))
    return skip_prototype(reader);
  if (smb_ptx_accept_directive(reader, ".file"))
    return smb_ptx_read_file(reader);
  return smb_ptx_fail_expected(reader, "an instruction or a declaration");
}

static gboolean
open_block(PtxReader *reader) {
  if (!smb_ptx_enter(reader))
    return FALSE;
  smb_ptx_names_enter(reader->names);
  g_array_append_val(reader->blocks, reader->pending->len);
  return TRUE;
}

// Gives a pending name its meaning.
static void
resolve_pending_name(PtxReader *reader, const PtxPending *pending, guint32 index) {
  PtxFunction *function = reader->function;
  if (pending->table != PTX_NONE) {
    const PtxTable *table = &g_array_index(function->tables, PtxTable, pending->table);
    g_array_index(table->indices, guint32, pending->index) = index;
    return;
  }
  PtxOperand *operand = &g_array_index(function->operands, PtxOperand, pending->index);
  operand->index = index;
  operand->text = g_array_index(function->labels, PtxLabel, index).name;
}

// Names that no label of the block explains are looked for in the block around it; at the end of the function
// they are unknown.
static gboolean
close_block(PtxReader *reader) {
  guint depth = smb_ptx_names_depth(reader->names);
  guint from = g_array_index(reader->blocks, guint, reader->blocks->len - 1), left = from;
  for (guint i = from; i < reader->pending->len; i++) {
    PtxPending pending = g_array_index(reader->pending, PtxPending, i);
    const char *name = reader->lexer.text + pending.offset;
    gsize length = smb_ptx_name_length(name);
    PtxMeaning meaning = smb_ptx_names_find(reader->names, name, length);
    gboolean is_calls = strcmp(pending.what, "function") == 0 && pending.table != PTX_NONE;
    if (is_calls ? meaning.kind == PTX_MEANS_SYMBOL && meaning.where == PTX_WHERE_FUNCTION
                 : meaning.kind == PTX_MEANS_LABEL && meaning.depth == depth)
      resolve_pending_name(reader, &pending, meaning.index);
    else if (reader->blocks->len == 1)
      return smb_ptx_fail(reader, pending.offset, "unknown %s '%.*s'", pending.what, (int)length,
                          name);
    else
      g_array_index(reader->pending, PtxPending, left++) = pending;
  }
  g_array_set_size(reader->pending, left);
  g_array_set_size(reader->blocks, reader->blocks->len - 1);
  smb_ptx_names_leave(reader->names);
  smb_ptx_leave(reader);
  return TRUE;
}

// Begins with a name or a guard.
static gboolean
read_labelled(PtxReader *reader) {
  PtxInstruction instruction = {
      .guard = PTX_NONE, .offset = reader->lexer.token.start, .line = reader->lexer.token.line};
  gboolean is_guarded = smb_ptx_accept(reader, '@');
  if (is_guarded && !read_guard(reader, &instruction))
    return FALSE;
  if (reader->lexer.token.kind != PTX_TOKEN_NAME)
    return smb_ptx_fail_expected(reader, "an instruction or a declaration");
  smb_ptx_lex_modifiers(&reader->lexer);
  const PtxToken name = reader->lexer.token;
  smb_ptx_lex(&reader->lexer);
  gboolean is_label =
      !is_guarded && smb_ptx_name_length(reader->lexer.text + name.start) == name.length;
  if (is_label && smb_ptx_accept(reader, ':'))
    return add_label(reader, &name);
  return read_ptx_instruction(reader, &name, &instruction);
}

gboolean
smb_ptx_read_body(PtxReader *reader) {
  g_array_set_size(reader->pending, 0);
  g_array_set_size(reader->blocks, 0);
  do {
    if (reader->lexer.token.kind == PTX_TOKEN_END)
      return smb_ptx_fail_expected(reader, "'}'");
    gboolean read = reader->lexer.token.kind == PTX_TOKEN_DIRECTIVE ? read_body_directive(reader)
                    : smb_ptx_accept(reader, '{')                   ? open_block(reader)
                    : smb_ptx_accept(reader, '}')                   ? close_block(reader)
                                                                    : read_labelled(reader);
    if (!read)
      return FALSE;
  } while (reader->blocks->len > 0);
  return TRUE;
}
