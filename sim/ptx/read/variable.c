// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Declarations of variables and parameters (PTX ISA 9.0, sections 5.4 and 11): .shared .align 16 .b8 tile[4096];
// .param .u64 .ptr .global .align 4 in.
#include <stdio.h>
#include <string.h>

#include "sim/ptx/read/read-impl.h"

// What is before the name of a variable.
typedef struct {
  const char *space;
  const PtxType *type;
  const char *points_to;
  guint vector;
  guint align; // 0: that of its type
} Head;

static const char *
find_variable_space(const PtxReader *reader) {
  static const char *const spaces[] = {".shared", ".global", ".const",   ".local", ".param",
                                       ".reg",    ".tex",    ".sampler", ".surf"};
  for (guint i = 0; i < G_N_ELEMENTS(spaces); i++) {
    if (smb_ptx_is_directive(reader, spaces[i]))
      return spaces[i] + 1;
  }
  return NULL;
}

gboolean
smb_ptx_at_space(const PtxReader *reader) {
  return find_variable_space(reader) != NULL;
}

static gboolean
read_align(PtxReader *reader, guint *align) {
  guint32 start = reader->lexer.token.start;
  if (!smb_ptx_read_count(reader, align))
    return FALSE;
  return (*align > 0 && (*align & (*align - 1)) == 0) ||
         smb_ptx_fail(reader, start, "an alignment of %u: expected a power of two", *align);
}

// Behind .ptr: the space that it points into and the alignment there, if it says them.
static gboolean
read_pointer(PtxReader *reader, Head *head) {
  const char *space = find_variable_space(reader);
  guint align;
  if (space)
    smb_ptx_lex(&reader->lexer);
  head->points_to = space ? space : "generic";
  if (!smb_ptx_is_directive(reader, ".align"))
    return TRUE;
  smb_ptx_lex(&reader->lexer);
  return read_align(reader, &align);
}

// One directive, of which head notes what it says.
static gboolean
read_head_directive(PtxReader *reader, Head *head) {
  guint vector = smb_ptx_find_vector(reader);
  const PtxType *type = smb_ptx_find_type(reader);
  const char *space = find_variable_space(reader);
  gboolean is_align = smb_ptx_is_directive(reader, ".align");
  gboolean is_pointer = smb_ptx_is_directive(reader, ".ptr");
  gboolean is_attribute = smb_ptx_is_directive(reader, ".attribute");
  if (!vector && !type && !space && !is_align && !is_pointer && !is_attribute)
    return smb_ptx_fail_expected(reader, "the type and the name of a variable");
  smb_ptx_lex(&reader->lexer);
  if (vector)
    head->vector = vector;
  else if (type)
    head->type = type;
  else if (space)
    head->space = space;
  else if (is_align)
    return read_align(reader, &head->align);
  else if (is_pointer)
    return read_pointer(reader, head);
  return !is_attribute || (smb_ptx_expect(reader, '(') && smb_ptx_skip_to(reader, ')'));
}

static gboolean
read_head(PtxReader *reader, Head *head) {
  *head = (Head){.space = "param", .vector = 1};
  while (reader->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
    if (!read_head_directive(reader, head))
      return FALSE;
  }
  if (!head->type || (head->type->bytes == 0 && strcmp(head->space, "reg") != 0))
    return smb_ptx_fail_expected(reader, "the type of a variable");
  return TRUE;
}

static gboolean
read_dimensions(PtxReader *reader, PtxVariable *variable) {
  while (smb_ptx_accept(reader, '[')) {
    guint n = variable->n_dimensions;
    guint64 dimension = 0;
    if (!smb_ptx_within(reader, n + 1, PTX_MAX_DIMENSIONS, "dimensions"))
      return FALSE;
    if (!(n == 0 && smb_ptx_is(reader, ']')) && !smb_ptx_read_integer(reader, &dimension))
      return FALSE;
    if (!smb_ptx_expect(reader, ']'))
      return FALSE;
    variable->dimension[n] = dimension;
    variable->n_dimensions++;
  }
  return TRUE;
}

static gboolean
find_variable_size(PtxReader *reader, PtxVariable *variable, const PtxType *type) {
  variable->bytes = type->bytes * variable->vector;
  for (guint i = 0; i < variable->n_dimensions; i++) {
    if (__builtin_mul_overflow(variable->bytes, variable->dimension[i], &variable->bytes) ||
        variable->bytes > PTX_MAX_VARIABLE_BYTES)
      return smb_ptx_fail(reader, variable->offset,
                          "'%s' has more than %" G_GUINT64_FORMAT " bytes", variable->name,
                          PTX_MAX_VARIABLE_BYTES);
  }
  return TRUE;
}

// A variable that is declared again: one that is extern stands for another of the same name.
static PtxVariable *
find_extern(PtxReader *reader, const PtxVariable *variable, GArray *variables) {
  PtxMeaning meaning = smb_ptx_names_find(reader->names, variable->name, strlen(variable->name));
  if (meaning.kind != PTX_MEANS_SYMBOL || meaning.where != PTX_WHERE_MODULE ||
      meaning.depth != smb_ptx_names_depth(reader->names))
    return NULL;
  PtxVariable *other = &g_array_index(variables, PtxVariable, meaning.index);
  return other->is_extern || variable->is_extern ? other : NULL;
}

// Gives a variable its place in @variables, @slot; none if it is extern, and defined before.
static gboolean
declare(PtxReader *reader, const PtxVariable *variable, GArray *variables, PtxWhere where,
        PtxVariable **slot) {
  PtxMeaning meaning = {.kind = PTX_MEANS_SYMBOL, .where = (guint8)where, .index = variables->len};
  PtxVariable *other = find_extern(reader, variable, variables);
  if (other) {
    *slot = other->is_extern ? other : NULL;
    if (*slot)
      **slot = *variable;
    return TRUE;
  }
  if (!smb_ptx_within(reader, ++reader->n_variables, PTX_MAX_VARIABLES, "variables"))
    return FALSE;
  // A prototype calls what it does not name "_".
  if (strcmp(variable->name, "_") != 0 &&
      !smb_ptx_declare(reader, variable->offset, variable->name, strlen(variable->name), meaning))
    return FALSE;
  g_array_append_val(variables, *variable);
  *slot = &g_array_index(variables, PtxVariable, variables->len - 1);
  return TRUE;
}

// NAME<3> are NAME0, NAME1, NAME2.
static gboolean
declare_variable_range(PtxReader *reader, const PtxVariable *first, GArray *variables,
                       PtxWhere where, guint32 count) {
  for (guint32 i = 0; i < count; i++) {
    PtxVariable variable = *first, *slot;
    g_autofree char *name = g_strdup_printf("%s%u", first->name, i);
    variable.name = smb_ptx_intern(reader, name, strlen(name));
    if (!declare(reader, &variable, variables, where, &slot))
      return FALSE;
  }
  return TRUE;
}

// What follows the name of one variable. It is declared before its initialiser, which may mention it.
static gboolean
read_rest(PtxReader *reader, PtxVariable *variable, const PtxType *type, GArray *variables,
          PtxWhere where) {
  gboolean is_memory =
      strcmp(variable->space, "global") == 0 || strcmp(variable->space, "const") == 0;
  gboolean is_range = smb_ptx_accept(reader, '<');
  guint32 count = 0;
  PtxVariable *slot;
  if (is_range && (!smb_ptx_read_count(reader, &count) || !smb_ptx_expect(reader, '>')))
    return FALSE;
  if (!read_dimensions(reader, variable) || !find_variable_size(reader, variable, type))
    return FALSE;
  if (is_range)
    return declare_variable_range(reader, variable, variables, where, count);
  if (!declare(reader, variable, variables, where, &slot))
    return FALSE;
  if (!smb_ptx_is(reader, '='))
    return TRUE;
  gboolean is_half = type->is_float && type->bytes == 2; // as ptxas has it
  if (!slot || slot->is_extern || !is_memory || is_half)
    return smb_ptx_fail(reader, variable->offset, "'%s' cannot have an initialiser",
                        variable->name);
  smb_ptx_lex(&reader->lexer);
  return smb_ptx_read_initial(reader, slot, type) && find_variable_size(reader, slot, type);
}

static gboolean
read_ptx_variable(PtxReader *reader, const Head *head, gboolean is_extern, GArray *variables,
                  PtxWhere where) {
  const PtxToken token = reader->lexer.token;
  if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "the name of a variable"))
    return FALSE;
  PtxVariable variable = {
      .name = smb_ptx_intern(reader, reader->lexer.text + token.start, token.length),
      .space = head->space,
      .type = head->type->name,
      .vector = head->vector,
      .bytes = head->type->bytes * head->vector,
      .align = head->align ? head->align : MAX(1, head->type->bytes * head->vector),
      .is_extern = is_extern,
      .points_to = head->points_to,
      .offset = token.start,
  };
  if (strcmp(head->space, "reg") != 0)
    return read_rest(reader, &variable, head->type, variables, where);
  if (!reader->function)
    return smb_ptx_fail(reader, token.start, "registers are declared in functions only");
  g_array_append_val(variables, variable);
  return smb_ptx_declare_register(reader, token.start, variable.name, variable.type, head->vector);
}

gboolean
smb_ptx_read_variables(PtxReader *reader, GArray *variables, PtxWhere where, gboolean is_extern) {
  Head head;
  if (!read_head(reader, &head))
    return FALSE;
  do {
    if (!read_ptx_variable(reader, &head, is_extern, variables, where))
      return FALSE;
  } while (smb_ptx_accept(reader, ','));
  return smb_ptx_expect(reader, ';');
}

gboolean
smb_ptx_read_parameters(PtxReader *reader, GArray *variables, PtxWhere where) {
  if (smb_ptx_accept(reader, ')'))
    return TRUE;
  do {
    Head head;
    if (!read_head(reader, &head) || !read_ptx_variable(reader, &head, FALSE, variables, where))
      return FALSE;
  } while (smb_ptx_accept(reader, ','));
  return smb_ptx_expect(reader, ')');
}

static void
clear_ptx_variable(gpointer data) {
  PtxVariable *variable = data;
  g_clear_pointer(&variable->initial, g_array_unref);
}

GArray *
smb_ptx_variables_new(void) {
  GArray *variables = g_array_new(FALSE, TRUE, sizeof(PtxVariable));
  g_array_set_clear_func(variables, clear_ptx_variable);
  return variables;
}
