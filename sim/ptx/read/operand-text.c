// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The operands of an instruction: one grammar for all of them (PTX ISA 9.0, section 6).
#include <string.h>

#include "sim/ptx/read/read-impl.h"

// What the opcode says of how its operands read.
typedef struct {
  gboolean is_call;    // (a, b) is a list, not a constant in parentheses
  gboolean is_branch;  // names are labels
  gboolean is_move;    // tile[4] is an address, not what is there
  gboolean is_texture; // a predicate can be beside a vector
} Style;

static gboolean read_ptx_operand(PtxReader *reader, const Style *style);

// Operands are collected on a stack, since a vector's elements must be stored next to each other.
static void
push(PtxReader *reader, PtxOperand operand) {
  g_array_append_val(reader->stack, operand);
}

static PtxOperand
pop(PtxReader *reader) {
  PtxOperand operand = g_array_index(reader->stack, PtxOperand, reader->stack->len - 1);
  g_array_set_size(reader->stack, reader->stack->len - 1);
  return operand;
}

// Moves what was pushed since @from to the operands of the function, as one range. A name that may be a label is noted
// as pending: it should be a @what.
static gboolean
store_operands(PtxReader *reader, guint from, const char *what, guint32 *first, guint32 *n) {
  GArray *operands = reader->function->operands;
  *first = operands->len;
  *n = reader->stack->len - from;
  if (!smb_ptx_within(reader, *n, PTX_MAX_ELEMENTS, "operands in a list"))
    return FALSE;
  for (guint i = from; i < reader->stack->len; i++) {
    const PtxOperand *operand = &g_array_index(reader->stack, PtxOperand, i);
    PtxPending pending = {PTX_NONE, *first + i - from, operand->offset, what};
    if (operand->kind == PTX_OPERAND_LABEL)
      g_array_append_val(reader->pending, pending);
  }
  if (*n > 0)
    g_array_append_vals(operands, &g_array_index(reader->stack, PtxOperand, from), *n);
  g_array_set_size(reader->stack, from);
  return TRUE;
}

// Reads operands separated by commas, and leaves them on the stack.
static gboolean
read_several(PtxReader *reader, const Style *style) {
  if (!smb_ptx_enter(reader))
    return FALSE;
  do {
    if (!read_ptx_operand(reader, style))
      return FALSE;
  } while (smb_ptx_accept(reader, ','));
  smb_ptx_leave(reader);
  return TRUE;
}

// Makes what was pushed since @from the elements of @operand.
static gboolean
store_elements(PtxReader *reader, guint from, PtxOperand *operand) {
  guint32 n;
  gboolean stored = store_operands(reader, from, "name", &operand->index, &n);
  operand->n = (guint8)n;
  return stored;
}

// .h10 or .b3210 after a register: several parts of it (video instructions).
static gboolean
is_selection(const char *text, gsize length) {
  gsize digits = length > 2 ? strspn(text + 2, "01234567") : 0;
  return (g_str_has_prefix(text, ".b") || g_str_has_prefix(text, ".h")) && digits >= 2 &&
         digits <= 4 && digits + 2 == length;
}

// .x after a register: the number of a component, or of a byte or half; 0 if there is none.
static guint8
accept_component(PtxReader *reader) {
  static const struct {
    const char *name;
    guint8 component;
  } components[] = {{".x", 1},  {".y", 2},  {".z", 3},  {".w", 4},  {".r", 1},
                    {".g", 2},  {".b", 3},  {".a", 4},  {".b0", 5}, {".b1", 6},
                    {".b2", 7}, {".b3", 8}, {".h0", 9}, {".h1", 10}};
  for (guint i = 0; i < G_N_ELEMENTS(components); i++) {
    if (smb_ptx_is_directive(reader, components[i].name)) {
      smb_ptx_lex(&reader->lexer);
      return components[i].component;
    }
  }
  if (is_selection(smb_ptx_text(reader), reader->lexer.token.length)) {
    smb_ptx_lex(&reader->lexer);
    return PTX_OTHER_PARTS;
  }
  return 0;
}

// A name that nothing declares: a special register, or perhaps a label.
static gboolean
read_undeclared(PtxReader *reader, PtxOperand *operand, gsize length) {
  const char *name = reader->lexer.text + operand->offset;
  gboolean has_components;
  if (name[0] != '%') {
    operand->kind = PTX_OPERAND_LABEL;
    return TRUE;
  }
  if (!smb_ptx_is_special(name, length, &has_components))
    return smb_ptx_fail(reader, operand->offset, "unknown register '%.*s'", (int)length, name);
  operand->kind = PTX_OPERAND_SPECIAL;
  operand->text = smb_ptx_intern(reader, name, length);
  if (has_components && reader->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
    guint8 component = accept_component(reader);
    if (component == 0 || component > 4)
      return smb_ptx_fail_expected(reader, "'.x', '.y', '.z' or '.w'");
    char text[64];
    gsize total =
        (gsize)g_snprintf(text, sizeof text, "%s.%c", operand->text, "xyzw"[component - 1]);
    operand->text = smb_ptx_intern(reader, text, total);
  }
  return TRUE;
}

// A name, without what may be added to it.
static gboolean
read_name(PtxReader *reader, const Style *style, PtxOperand *operand) {
  const char *name = smb_ptx_text(reader);
  gsize length = reader->lexer.token.length;
  operand->offset = reader->lexer.token.start;
  smb_ptx_lex(&reader->lexer);
  if (length == 1 && *name == '_') {
    operand->kind = PTX_OPERAND_SINK;
    return TRUE;
  }
  PtxMeaning meaning = smb_ptx_names_find(reader->names, name, length);
  operand->index = meaning.index;
  if (meaning.kind == PTX_MEANS_REGISTER) {
    operand->kind = PTX_OPERAND_REGISTER;
    if (reader->lexer.token.kind == PTX_TOKEN_DIRECTIVE)
      operand->component = accept_component(reader);
    return TRUE;
  }
  if (meaning.kind != PTX_MEANS_SYMBOL || style->is_branch)
    return read_undeclared(reader, operand, length);
  operand->kind = PTX_OPERAND_SYMBOL;
  operand->where = meaning.where;
  operand->text = smb_ptx_intern(reader, name, length);
  return TRUE;
}

// What is added to an address or a symbol, if anything is.
static gboolean
read_offset(PtxReader *reader, guint64 *bits) {
  if (smb_ptx_accept(reader, '+') || smb_ptx_is(reader, '-'))
    return smb_ptx_read_integer(reader, bits);
  return TRUE;
}

// The declaration of a symbol; NULL if it is a function.
static const PtxVariable *
find_symbol_variable(const PtxReader *reader, const PtxOperand *symbol) {
  const PtxFunction *function = reader->function;
  switch ((PtxWhere)symbol->where) {
  case PTX_WHERE_MODULE:
    return &g_array_index(reader->module->variables, PtxVariable, symbol->index);
  case PTX_WHERE_LOCAL:
    return &g_array_index(function->variables, PtxVariable, symbol->index);
  case PTX_WHERE_PARAMETER:
    return &g_array_index(function->parameters, PtxVariable, symbol->index);
  case PTX_WHERE_RETURN:
    return &g_array_index(function->returns, PtxVariable, symbol->index);
  case PTX_WHERE_FUNCTION:
    return NULL;
  }
  return NULL;
}

// NAME[3], after the "[": the address of that element in a mov, its contents in other instructions (section 6.4.2).
static gboolean
read_ptx_index(PtxReader *reader, const Style *style, PtxOperand *symbol) {
  const PtxVariable *variable = find_symbol_variable(reader, symbol);
  guint64 index;
  if (!variable || variable->n_dimensions != 1)
    return smb_ptx_fail(reader, symbol->offset, "'%s' is not a one-dimensional array",
                        symbol->text);
  if (!smb_ptx_read_integer(reader, &index) || !smb_ptx_expect(reader, ']'))
    return FALSE;
  symbol->bits = index * smb_ptx_type_named(variable->type)->bytes * variable->vector;
  if (style->is_move)
    return TRUE;
  PtxOperand address = {
      .kind = PTX_OPERAND_ADDRESS, .bits = symbol->bits, .offset = symbol->offset};
  guint from = reader->stack->len;
  symbol->bits = 0;
  push(reader, *symbol);
  *symbol = address;
  return store_elements(reader, from, symbol);
}

// [base+offset, …], after the "[" (section 6.4.1).
static gboolean
read_ptx_address(PtxReader *reader, const Style *style, PtxOperand *address) {
  guint from = reader->stack->len;
  PtxOperand base = {.kind = PTX_OPERAND_INTEGER, .offset = reader->lexer.token.start};
  gboolean is_name = reader->lexer.token.kind == PTX_TOKEN_NAME && !smb_ptx_at_constant(reader);
  if (!(is_name ? read_name(reader, style, &base) && read_offset(reader, &address->bits)
                : smb_ptx_read_integer(reader, &base.bits)))
    return FALSE;
  push(reader, base);
  if ((smb_ptx_accept(reader, ',') && !read_several(reader, style)) || !smb_ptx_expect(reader, ']'))
    return FALSE;
  smb_ptx_accept_directive(reader, ".unified"); // a promise that nothing depends on
  return store_elements(reader, from, address);
}

// A literal, or a constant expression.
static gboolean
read_operand_number(PtxReader *reader, PtxOperand *operand) {
  PtxConstant constant = {PTX_CONSTANT_DOUBLE, reader->lexer.token.bits};
  gboolean is_single = reader->lexer.token.kind == PTX_TOKEN_SINGLE;
  if (is_single)
    smb_ptx_lex(&reader->lexer);
  else if (!smb_ptx_at_constant(reader))
    return smb_ptx_fail_expected(reader, "an operand");
  else if (!smb_ptx_read_constant(reader, &constant))
    return FALSE;
  operand->kind = is_single                              ? PTX_OPERAND_SINGLE
                  : constant.kind == PTX_CONSTANT_DOUBLE ? PTX_OPERAND_DOUBLE
                                                         : PTX_OPERAND_INTEGER;
  operand->bits = constant.bits;
  return TRUE;
}

// !%p or -%r: whether a name follows, not a constant.
static gboolean
is_negated_name(const PtxReader *reader) {
  if (!smb_ptx_is(reader, '!') && !smb_ptx_is(reader, '-'))
    return FALSE;
  PtxLexer next = reader->lexer;
  smb_ptx_lex(&next);
  return next.token.kind == PTX_TOKEN_NAME && !smb_ptx_is_warp_size(&next);
}

// A register, a variable or a label, possibly negated or with an offset.
static gboolean
read_symbol_or_register(PtxReader *reader, const Style *style, PtxOperand *operand) {
  if (is_negated_name(reader)) {
    smb_ptx_lex(&reader->lexer);
    operand->is_negated = TRUE;
  }
  if (!read_name(reader, style, operand))
    return FALSE;
  if (operand->is_negated && operand->kind != PTX_OPERAND_REGISTER)
    return smb_ptx_fail(reader, operand->offset, "expected a register");
  if (operand->kind == PTX_OPERAND_SYMBOL && smb_ptx_accept(reader, '['))
    return read_ptx_index(reader, style, operand);
  if (operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_REGISTER)
    return read_offset(reader, &operand->bits);
  return TRUE;
}

// {a, b}, or a list of call (a, b), which may be empty; after the bracket.
static gboolean
read_vector(PtxReader *reader, const Style *style, PtxOperand *operand) {
  gboolean is_list = operand->kind == PTX_OPERAND_LIST;
  guint16 close = is_list ? ')' : '}';
  guint from = reader->stack->len;
  if (is_list && smb_ptx_accept(reader, close))
    return TRUE;
  return read_several(reader, style) && smb_ptx_expect(reader, close) &&
         store_elements(reader, from, operand);
}

// A vector register without a component is the vector of its components (section 6.4.3).
static gboolean
spread_register(PtxReader *reader, PtxOperand *operand) {
  guint from = reader->stack->len;
  guint n = g_array_index(reader->function->registers, PtxRegister, operand->index).vector;
  if (n == 1 || operand->component)
    return TRUE;
  for (guint i = 0; i < n; i++) {
    PtxOperand element = *operand;
    element.component = (guint8)(i + 1);
    push(reader, element);
  }
  operand->kind = PTX_OPERAND_VECTOR;
  return store_elements(reader, from, operand);
}

// Any operand. What it is follows from its first token alone, not from the instruction.
static gboolean
read_ptx_operand(PtxReader *reader, const Style *style) {
  PtxOperand operand = {.offset = reader->lexer.token.start};
  gboolean is_list = style->is_call && smb_ptx_is(reader, '(');
  gboolean is_name = reader->lexer.token.kind == PTX_TOKEN_NAME && !smb_ptx_at_constant(reader);
  gboolean read;
  if (is_name || is_negated_name(reader)) {
    read = read_symbol_or_register(reader, style, &operand);
  } else if (smb_ptx_accept(reader, '[')) {
    operand.kind = PTX_OPERAND_ADDRESS;
    read = read_ptx_address(reader, style, &operand);
  } else if (is_list || smb_ptx_is(reader, '{')) {
    operand.kind = is_list ? PTX_OPERAND_LIST : PTX_OPERAND_VECTOR;
    smb_ptx_lex(&reader->lexer);
    read = read_vector(reader, style, &operand);
  } else {
    read = read_operand_number(reader, &operand);
  }
  if (read && operand.kind == PTX_OPERAND_REGISTER)
    read = spread_register(reader, &operand);
  if (read)
    push(reader, operand);
  return read;
}

// "|q" after the first operand: the second predicate of setp, or the predicate of shfl, vote, match and lop3; of tex and tld4, whose
// result is a vector, as well.
static gboolean
read_partner(PtxReader *reader, const Style *style, PtxInstruction *instruction) {
  PtxOperand first = pop(reader);
  guint from = reader->stack->len;
  guint32 n;
  if (first.kind != PTX_OPERAND_REGISTER && first.kind != PTX_OPERAND_SINK &&
      !(style->is_texture && first.kind == PTX_OPERAND_VECTOR))
    return smb_ptx_fail_expected(reader, "','");
  smb_ptx_lex(&reader->lexer);
  if (!read_ptx_operand(reader, style) ||
      !store_operands(reader, from, "name", &instruction->partner, &n))
    return FALSE;
  push(reader, first);
  return TRUE;
}

gboolean
smb_ptx_read_operands(PtxReader *reader, PtxInstruction *instruction) {
  const char *name =
      g_array_index(reader->module->opcodes, PtxOpcode, instruction->opcode).parts[0];
  Style style = {strcmp(name, "call") == 0, strcmp(name, "bra") == 0, strcmp(name, "mov") == 0,
                 strcmp(name, "tex") == 0 || strcmp(name, "tld4") == 0};
  const char *what = style.is_call                      ? "function"
                     : name[0] == 'b' && name[1] == 'r' ? "label"
                                                        : "name";
  instruction->partner = PTX_NONE;
  if (!smb_ptx_is(reader, ';')) {
    do {
      if (!read_ptx_operand(reader, &style))
        return FALSE;
      if (reader->stack->len == 1 && smb_ptx_is(reader, '|') &&
          !read_partner(reader, &style, instruction))
        return FALSE;
    } while (smb_ptx_accept(reader, ','));
  }
  return smb_ptx_expect(reader, ';') &&
         store_operands(reader, 0, what, &instruction->operand, &instruction->n_operands);
}
