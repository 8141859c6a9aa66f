// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions: .entry and .func with their parameters and what they require (PTX ISA 9.0, sections 11.3 and 11.4),
// and .alias. A prototype and a definition of one name are one function.
#include <string.h>

#include "sim/ptx/read/read-impl.h"

static void
clear_table(gpointer data) {
  PtxTable *table = data;
  g_ptr_array_unref(table->targets);
  g_array_unref(table->indices);
}

static PtxFunction *
make_function(gboolean is_entry) {
  PtxFunction *function = g_new0(PtxFunction, 1);
  function->is_entry = is_entry;
  function->is_prototype = TRUE;
  function->alias = PTX_NONE;
  function->returns = smb_ptx_variables_new();
  function->parameters = smb_ptx_variables_new();
  function->registers = g_array_new(FALSE, FALSE, sizeof(PtxRegister));
  function->variables = smb_ptx_variables_new();
  function->instructions = g_array_new(FALSE, FALSE, sizeof(PtxInstruction));
  function->operands = g_array_new(FALSE, FALSE, sizeof(PtxOperand));
  function->labels = g_array_new(FALSE, FALSE, sizeof(PtxLabel));
  function->tables = g_array_new(FALSE, FALSE, sizeof(PtxTable));
  g_array_set_clear_func(function->tables, clear_table);
  return function;
}

void
smb_ptx_function_free(PtxFunction *function) {
  g_array_unref(function->returns);
  g_array_unref(function->parameters);
  g_array_unref(function->registers);
  g_array_unref(function->variables);
  g_array_unref(function->instructions);
  g_array_unref(function->operands);
  g_array_unref(function->labels);
  g_array_unref(function->tables);
  g_free(function);
}

gboolean
smb_ptx_read_pragma(PtxReader *reader) {
  do {
    if (!smb_ptx_expect_kind(reader, PTX_TOKEN_STRING, "a string"))
      return FALSE;
  } while (smb_ptx_accept(reader, ','));
  return smb_ptx_expect(reader, ';');
}

// Up to three numbers; those that are not said are 1.
static gboolean
read_directive_extent(PtxReader *reader, guint32 extent[3]) {
  extent[0] = extent[1] = extent[2] = 1;
  for (guint i = 0; i < 3; i++) {
    if (!smb_ptx_read_count(reader, &extent[i]))
      return FALSE;
    if (i < 2 && !smb_ptx_accept(reader, ','))
      break;
  }
  return TRUE;
}

// What a directive says that does not concern us: numbers, or a list in parentheses.
static gboolean
skip_arguments(PtxReader *reader) {
  if (smb_ptx_accept(reader, '('))
    return smb_ptx_skip_to(reader, ')');
  while (reader->lexer.token.kind == PTX_TOKEN_INTEGER || smb_ptx_is(reader, ','))
    smb_ptx_lex(&reader->lexer);
  return TRUE;
}

// Directives before the name, and between the parameters and the body.
static gboolean
read_function_directives(PtxReader *reader, PtxFunction *function) {
  while (reader->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
    gboolean read;
    if (smb_ptx_accept_directive(reader, ".reqntid"))
      read = read_directive_extent(reader, function->required);
    else if (smb_ptx_accept_directive(reader, ".maxntid"))
      read = read_directive_extent(reader, function->maximum);
    else if (smb_ptx_accept_directive(reader, ".maxnreg"))
      read = smb_ptx_read_count(reader, &function->most_registers);
    else if (smb_ptx_accept_directive(reader, ".minnctapersm"))
      read = smb_ptx_read_count(reader, &function->least_blocks);
    else if (smb_ptx_accept_directive(reader, ".reqnctapercluster"))
      read = read_directive_extent(reader, function->cluster);
    else if (smb_ptx_accept_directive(reader, ".pragma"))
      read = smb_ptx_read_pragma(reader);
    else {
      smb_ptx_lex(&reader->lexer);
      read = skip_arguments(reader);
    }
    if (!read)
      return FALSE;
  }
  return TRUE;
}

// The name of a function, which is declared outside of its own block: its index.
static gboolean
declare_function(PtxReader *reader, guint32 *index) {
  const PtxToken token = reader->lexer.token;
  const char *text = smb_ptx_text(reader);
  if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "the name of a function"))
    return FALSE;
  GPtrArray *functions = reader->module->functions;
  PtxMeaning meaning = smb_ptx_names_find(reader->names, text, token.length);
  *index = meaning.kind == PTX_MEANS_SYMBOL && meaning.where == PTX_WHERE_FUNCTION ? meaning.index
                                                                                   : functions->len;
  if (*index < functions->len)
    return TRUE;
  meaning = (PtxMeaning){.kind = PTX_MEANS_SYMBOL, .where = PTX_WHERE_FUNCTION, .index = *index};
  PtxFunction *function = make_function(FALSE);
  function->name = smb_ptx_intern(reader, text, token.length);
  function->offset = token.start;
  g_ptr_array_add(functions, function);
  return smb_ptx_within(reader, functions->len, PTX_MAX_FUNCTIONS, "functions") &&
         smb_ptx_declare(reader, token.start, function->name, token.length, meaning);
}

// (RETURNS) NAME (PARAMETERS). The name is declared before the returns, which belong to its block.
static gboolean
read_signature(PtxReader *reader, PtxFunction *function, guint32 *index) {
  const PtxLexer start = reader->lexer;
  if (smb_ptx_accept(reader, '(') && !smb_ptx_skip_to(reader, ')'))
    return FALSE;
  const PtxLexer name = reader->lexer;
  if (!declare_function(reader, index))
    return FALSE;
  const PtxFunction *declared = reader->module->functions->pdata[*index];
  function->name = declared->name;
  function->offset = name.token.start;
  const PtxLexer behind = reader->lexer;
  smb_ptx_names_enter(reader->names);
  reader->lexer = start;
  if (smb_ptx_accept(reader, '(') &&
      !smb_ptx_read_parameters(reader, function->returns, PTX_WHERE_RETURN))
    return FALSE;
  reader->lexer = behind;
  return !smb_ptx_accept(reader, '(') ||
         smb_ptx_read_parameters(reader, function->parameters, PTX_WHERE_PARAMETER);
}

gboolean
smb_ptx_read_function(PtxReader *reader, gboolean is_entry) {
  g_autoptr(PtxFunction) function = make_function(is_entry);
  guint32 index;
  reader->function = function;
  reader->loc = PTX_NONE;
  reader->first_loc = reader->module->locs->len;
  if (!read_function_directives(reader, function) || !read_signature(reader, function, &index) ||
      !read_function_directives(reader, function))
    return FALSE;
  function->is_prototype = !smb_ptx_is(reader, '{');
  if (!(function->is_prototype ? smb_ptx_expect(reader, ';') : smb_ptx_read_body(reader)))
    return FALSE;
  smb_ptx_names_leave(reader->names);
  reader->function = NULL;
  gpointer *place = &reader->module->functions->pdata[index];
  PtxFunction *other = *place;
  if (!other->is_prototype && !function->is_prototype)
    return smb_ptx_fail(reader, function->offset, "'%s' is declared twice", function->name);
  if (other->is_prototype) {
    *place = g_steal_pointer(&function);
    smb_ptx_function_free(other);
  }
  return TRUE;
}

static gboolean
read_function_name(PtxReader *reader, guint32 *index) {
  const PtxToken token = reader->lexer.token;
  const char *name = smb_ptx_text(reader);
  if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "the name of a function"))
    return FALSE;
  PtxMeaning meaning = smb_ptx_names_find(reader->names, name, token.length);
  *index = meaning.index;
  return (meaning.kind == PTX_MEANS_SYMBOL && meaning.where == PTX_WHERE_FUNCTION) ||
         smb_ptx_fail(reader, token.start, "unknown function '%.*s'", (int)token.length, name);
}

gboolean
smb_ptx_read_alias(PtxReader *reader) {
  guint32 alias, function;
  if (!read_function_name(reader, &alias) || !smb_ptx_expect(reader, ',') ||
      !read_function_name(reader, &function))
    return FALSE;
  PtxFunction *named = reader->module->functions->pdata[alias];
  named->alias = function;
  return smb_ptx_expect(reader, ';');
}
