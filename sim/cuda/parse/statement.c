// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Statements. Above each function stands the production that it reads.
#include <string.h>

#include "sim/base/error.h"
#include "sim/cuda/parse/parse.h"

// Statements that cannot be read, and are told at once.
enum {
  MAX_OBSTACLES = 10
};

static Statement *parse_statement(Parser *parser);

Statement *
smb_statement_make(Parser *parser, StatementKind kind, guint32 start) {
  Statement *statement = kernel_pool_new_struct(parser->pool, Statement);
  statement->kind = kind;
  statement->start = start;
  return statement;
}

Statement *
smb_statement_append(Parser *parser, Statement ***last, StatementKind kind, guint32 start) {
  Statement *statement = smb_statement_make(parser, kind, start);
  **last = statement;
  *last = &statement->next;
  return statement;
}

static void
open_scope(Parser *parser) {
  g_ptr_array_add(parser->scopes, g_hash_table_new(g_str_hash, g_str_equal));
}

static void
close_scope(Parser *parser) {
  g_ptr_array_remove_index(parser->scopes, parser->scopes->len - 1);
}

// "(" expression ")", as a condition
static Node *
parse_condition(Parser *parser) {
  if (!smb_parser_expect(parser, "("))
    return NULL;
  Node *condition = smb_node_condition(parser, smb_parse_expression(parser));
  return condition && smb_parser_expect(parser, ")") ? condition : NULL;
}

// A branch, or the body of a loop: what it declares is its own.
static Statement *
parse_part(Parser *parser) {
  open_scope(parser);
  Statement *statement = parse_statement(parser);
  close_scope(parser);
  return statement;
}

// A branch of an if; one that is never taken, of an if constexpr, is not read.
static gboolean
parse_branch(Parser *parser, gboolean is_taken, Statement **branch) {
  if (!is_taken) {
    *branch = smb_statement_make(parser, STATEMENT_BLOCK, parser->at->start);
    smb_parser_skip_statement(parser);
    return !*parser->error;
  }
  *branch = parse_part(parser);
  return *branch != NULL;
}

// if = "if" "constexpr"? "(" expression ")" statement ("else" statement)?
static Statement *
parse_if(Parser *parser, guint32 start) {
  Statement *statement = smb_statement_make(parser, STATEMENT_IF, start);
  gboolean is_constant = smb_parser_take(parser, "constexpr");
  if (!(statement->value = parse_condition(parser)))
    return NULL;
  if (is_constant && statement->value->kind != NODE_CONSTANT)
    return smb_parser_fail(parser, statement->value->start,
                           "expected a condition that is known before the kernel runs");
  gboolean takes_then = !is_constant || statement->value->integer;
  gboolean takes_otherwise = !is_constant || !statement->value->integer;
  guint before = parser->n_touches;
  if (!parse_branch(parser, takes_then, &statement->then))
    return NULL;
  statement->guards = parser->n_touches != before;
  if (smb_parser_take(parser, "else") &&
      !parse_branch(parser, takes_otherwise, &statement->otherwise))
    return NULL;
  return statement;
}

static gboolean
parse_loop_body(Parser *parser, Statement *loop, gboolean is_rolled) {
  guint before = parser->n_touches;
  parser->loops++;
  loop->is_rolled = is_rolled;
  loop->then = parse_part(parser);
  parser->loops--;
  loop->guards = parser->n_touches != before;
  return loop->then != NULL;
}

// while = "while" "(" expression ")" statement
static Statement *
parse_while(Parser *parser, guint32 start) {
  gboolean is_rolled = parser->is_rolled;
  Statement *loop = smb_statement_make(parser, STATEMENT_LOOP, start);
  loop->tests_first = TRUE;
  loop->value = parse_condition(parser);
  return loop->value && parse_loop_body(parser, loop, is_rolled) ? loop : NULL;
}

// do = "do" statement "while" "(" expression ")" ";"
static Statement *
parse_do(Parser *parser, guint32 start) {
  gboolean is_rolled = parser->is_rolled;
  Statement *loop = smb_statement_make(parser, STATEMENT_LOOP, start);
  if (!parse_loop_body(parser, loop, is_rolled) || !smb_parser_expect(parser, "while"))
    return NULL;
  loop->value = parse_condition(parser);
  return loop->value && smb_parser_expect(parser, ";") ? loop : NULL;
}

static Node *
parse_discarded(Parser *parser) {
  Node *node = smb_node_value(parser, smb_parse_expression(parser));
  if (node)
    node->result_unused = TRUE;
  return node;
}

// for = "for" "(" (declaration | expression? ";") expression? ";" expression? ")" statement
static Statement *
parse_for(Parser *parser, guint32 start) {
  gboolean is_rolled = parser->is_rolled;
  Statement *block = smb_statement_make(parser, STATEMENT_BLOCK, start);
  Statement *loop = smb_statement_make(parser, STATEMENT_LOOP, start);
  loop->tests_first = TRUE;
  if (!smb_parser_expect(parser, "("))
    return NULL;
  if (smb_parse_starts_type(parser)) {
    Specifiers specifiers;
    if (!smb_parse_specifiers(parser, &specifiers) ||
        !(block->first = smb_parse_declaration(parser, &specifiers)))
      return NULL;
  } else if (!smb_parser_take(parser, ";")) {
    block->first = smb_statement_make(parser, STATEMENT_EXPRESSION, parser->at->start);
    block->first->value = parse_discarded(parser);
    if (!block->first->value || !smb_parser_expect(parser, ";"))
      return NULL;
  }
  if (!smb_parser_take(parser, ";")) {
    loop->value = smb_node_condition(parser, smb_parse_expression(parser));
    if (!loop->value || !smb_parser_expect(parser, ";"))
      return NULL;
  }
  if (!smb_parser_take(parser, ")")) {
    loop->step = parse_discarded(parser);
    if (!loop->step || !smb_parser_expect(parser, ")"))
      return NULL;
  }
  if (!parse_loop_body(parser, loop, is_rolled))
    return NULL;
  if (block->first)
    block->first->next = loop;
  else
    block->first = loop;
  return block;
}

// The copy of a structure to where the caller wants it, and the return.
static Statement *
return_structure(Parser *parser, Statement *statement, Node *value) {
  Statement *block = smb_statement_make(parser, STATEMENT_BLOCK, statement->start);
  Node *result = smb_node_variable(parser, parser->function->result, value->start, value->end);
  block->first = smb_statement_make(parser, STATEMENT_EXPRESSION, statement->start);
  block->first->value = smb_node_copy(parser, result, value, value->start, value->end);
  block->first->next = statement;
  return block->first->value ? block : NULL;
}

// return = "return" (expression | list)? ";"
static Statement *
parse_return(Parser *parser, guint32 start) {
  Statement *statement = smb_statement_make(parser, STATEMENT_RETURN, start);
  const Type *type = parser->function->type;
  if (smb_parser_take(parser, ";")) {
    if (type->kind != KIND_VOID)
      return smb_parser_fail(parser, start, "'%s' returns %s", parser->function->name,
                             smb_type_phrase(parser->pool, type));
    return statement;
  }
  if (type->kind == KIND_VOID)
    return smb_parser_fail(parser, start, "'%s' returns nothing", parser->function->name);
  Node *value = smb_parser_is(parser, "{") ? smb_parse_braces(parser, type, start)
                                           : smb_parse_expression(parser);
  value = smb_node_convert(parser, value, type);
  if (!value || !smb_parser_expect(parser, ";"))
    return NULL;
  if (type->kind == KIND_STRUCT)
    return return_structure(parser, statement, value);
  statement->value = value;
  statement->variable = parser->function->result;
  return statement;
}

// switch = "switch" "(" expression ")" "{" (("case" constant | "default") ":" | statement)* "}"
static Statement *
parse_switch(Parser *parser, guint32 start) {
  Statement *block = smb_statement_make(parser, STATEMENT_BLOCK, start);
  Token hidden = *parser->last;
  hidden.text = "(switch)";
  if (!smb_parser_expect(parser, "("))
    return NULL;
  Node *value = smb_node_value(parser, smb_parse_expression(parser));
  if (!value || !smb_parser_expect(parser, ")"))
    return NULL;
  const Type *type = smb_type_promote(value->type);
  if (!smb_type_is_integer(type))
    return smb_parser_fail(parser, value->start, "a switch takes an integer, not %s",
                           smb_type_phrase(parser->pool, type));
  const Variable *outer = parser->selector,
                 *variable = smb_parser_declare(parser, &hidden, type, STORAGE_LOCAL);
  Node *target = variable ? smb_node_variable(parser, variable, value->start, value->end) : NULL;
  block->first = smb_statement_make(parser, STATEMENT_EXPRESSION, start);
  block->first->value = smb_node_set(parser, target, value, value->start, value->end);
  if (!block->first->value)
    return NULL;
  guint outer_labels = parser->labels_in;
  parser->selector = variable;
  parser->labels_in = parser->scopes->len + 1;
  parser->switches++;
  Statement *body = smb_parse_block(parser);
  parser->switches--;
  parser->selector = outer;
  parser->labels_in = outer_labels;
  if (!body)
    return NULL;
  body->kind = STATEMENT_SWITCH;
  block->first->next = body;
  return block;
}

// ("case" constant | "default") ":", directly in the block of a switch
static Statement *
parse_label(Parser *parser) {
  guint32 start = parser->at->start;
  Statement *label = smb_statement_make(parser, STATEMENT_LABEL, start);
  gint64 value;
  if (smb_parser_take(parser, "default"))
    return smb_parser_expect(parser, ":") ? label : NULL;
  smb_parser_advance(parser);
  if (!smb_parse_constant(parser, &value))
    return NULL;
  const Variable *selector = parser->selector;
  Node *chosen = smb_node_variable(parser, selector, start, parser->last->end);
  Node *constant = smb_node_integer(parser, selector->type, value, start, parser->last->end);
  label->value = smb_node_binary(parser, OPERATOR_EQ, chosen, constant);
  return label->value && smb_parser_expect(parser, ":") ? label : NULL;
}

static Statement *
parse_jump(Parser *parser, guint32 start) {
  gboolean is_break = smb_token_is(parser->last, "break");
  if (parser->loops == 0 && !(is_break && parser->switches > 0))
    return smb_parser_fail(parser, start, "'%s' is not in a loop", is_break ? "break" : "continue");
  StatementKind kind = is_break ? STATEMENT_BREAK : STATEMENT_CONTINUE;
  return smb_parser_expect(parser, ";") ? smb_statement_make(parser, kind, start) : NULL;
}

// Another name for a type, or an assertion: nothing is left of them.
static Statement *
parse_nothing(Parser *parser, guint32 start, gboolean (*parse)(Parser *parser)) {
  return parse(parser) ? smb_statement_make(parser, STATEMENT_BLOCK, start) : NULL;
}

// Statements that begin with a word of their own; they have what is declared in their heads for themselves.
static const struct {
  const char *word;
  Statement *(*parse)(Parser *parser, guint32 start);
} worded[] = {
    {"if", parse_if},      {"while", parse_while},   {"do", parse_do},
    {"for", parse_for},    {"switch", parse_switch}, {"return", parse_return},
    {"break", parse_jump}, {"continue", parse_jump},
};

// Another name of a namespace; or names that are found anyway.
static Statement *
parse_namespace_name(Parser *parser, guint32 start) {
  if (smb_parser_take(parser, "namespace")) {
    g_hash_table_add(parser->outline->namespaces, (gpointer)parser->at->text);
    smb_parser_advance(parser);
  }
  while (parser->at->kind != TOKEN_END && !smb_parser_is(parser, ";") &&
         !smb_parser_is(parser, "}"))
    smb_parser_advance(parser);
  return smb_parser_expect(parser, ";") ? smb_statement_make(parser, STATEMENT_BLOCK, start) : NULL;
}

// attribute = "[" "[" … "]" "]" | "_Pragma" "(" … ")"
static gboolean
skip_attributes(Parser *parser) {
  guint8 after_unroll_1 = parser->at->after_unroll_1;
  for (;;) {
    if (smb_parser_is(parser, "[") && smb_token_is(parser->at->next, "[")) {
      if (!smb_parser_skip_group(parser, "[", "]"))
        return FALSE;
    } else if (smb_parser_take(parser, "_Pragma")) {
      const Token *text = parser->at->next;
      after_unroll_1 |= text->kind == TOKEN_STRING && (strcmp(text->text, "\"unroll 1\"") == 0 ||
                                                       strcmp(text->text, "\"nounroll\"") == 0);
      if (!smb_parser_skip_group(parser, "(", ")"))
        return FALSE;
    } else {
      parser->is_rolled = after_unroll_1;
      return TRUE;
    }
  }
}

// statement = attribute* (block | if | while | do | for | switch | return | "break" ";"
//           | "continue" ";" | alias | assertion | declaration | expression? ";")
static Statement *
choose_statement(Parser *parser) {
  if (!skip_attributes(parser))
    return NULL;
  guint32 start = parser->at->start;
  if (smb_parser_is(parser, "{"))
    return smb_parse_block(parser);
  if (smb_parser_take(parser, ";"))
    return smb_statement_make(parser, STATEMENT_BLOCK, start);
  for (guint i = 0; i < G_N_ELEMENTS(worded); i++) {
    if (!smb_parser_take(parser, worded[i].word))
      continue;
    open_scope(parser);
    Statement *statement = worded[i].parse(parser, start);
    close_scope(parser);
    return statement;
  }
  if (smb_parser_is(parser, "case") ||
      (smb_parser_is(parser, "default") && smb_token_is(parser->at->next, ":")))
    return smb_parser_fail(parser, start, "a label must be directly in the block of its switch");
  if (smb_parser_is(parser, "namespace") ||
      (smb_parser_is(parser, "using") && !smb_parse_starts_alias(parser)))
    return parse_namespace_name(parser, start);
  if (smb_parse_starts_alias(parser))
    return parse_nothing(parser, start, smb_parse_alias);
  if (smb_parse_starts_assertion(parser))
    return parse_nothing(parser, start, smb_parse_assertion);
  // int(x) is an expression; int (*row)[32] declares.
  gboolean converts =
      smb_token_is(parser->at->next, "(") && !smb_token_is(parser->at->next->next, "*") &&
      !smb_token_is(parser->at->next->next, "&") && !smb_parser_is(parser, "__align__") &&
      !smb_parser_is(parser, "alignas") && !smb_parser_is(parser, "__attribute__");
  if (smb_parse_starts_type(parser) && !converts) {
    Specifiers specifiers;
    if (!smb_parse_specifiers(parser, &specifiers))
      return NULL;
    return smb_parse_declaration(parser, &specifiers);
  }
  Statement *statement = smb_statement_make(parser, STATEMENT_EXPRESSION, start);
  statement->value = parse_discarded(parser);
  return statement->value && smb_parser_expect(parser, ";") ? statement : NULL;
}

static Statement *
parse_statement(Parser *parser) {
  if (!smb_parser_enter(parser))
    return NULL;
  Statement *statement = choose_statement(parser);
  smb_parser_leave(parser);
  return statement;
}

void
smb_parser_skip_statement(Parser *parser) {
  static const char *const heads[] = {"if",   "while", "for",       "switch",
                                      "else", "do",    "constexpr", NULL};
  guint dos = 0, ifs = 0;
  gboolean ended = FALSE;
  while (!ended && parser->at->kind != TOKEN_END && !smb_parser_is(parser, "}")) {
    gboolean is_head = smb_token_is_any(parser->at, heads);
    dos += smb_parser_is(parser, "do");
    ifs += smb_parser_is(parser, "if");
    if (is_head) {
      smb_parser_advance(parser);
      if (smb_parser_is(parser, "(") && !smb_parser_skip_group(parser, "(", ")"))
        return;
      continue;
    }
    gboolean is_block = smb_parser_is(parser, "{");
    if (is_block && !smb_parser_skip_group(parser, "{", "}"))
      return;
    while (!is_block && parser->at->kind != TOKEN_END && !smb_parser_is(parser, "}") &&
           !smb_parser_take(parser, ";")) {
      if (!smb_parser_is(parser, "{"))
        smb_parser_advance(parser);
      else if (!smb_parser_skip_group(parser, "{", "}"))
        return;
    }
    gboolean has_else = ifs > 0 && smb_parser_is(parser, "else");
    gboolean has_while = dos > 0 && smb_parser_is(parser, "while");
    ifs -= has_else;
    dos -= has_while;
    ended = !has_else && !has_while;
  }
}

// A statement that cannot be read is an obstacle: it is noted, and the next one is read. What its names
// mean is not known afterwards.
static gboolean
note_obstacle(Parser *parser, Token *start) {
  if (parser->is_over || !*parser->error || (*parser->error)->code != SMB_ERROR_INPUT)
    return FALSE;
  const char *message = (*parser->error)->message;
  gboolean known = message[0] == '\0'; // a consequence of another
  for (guint i = 0; i < parser->obstacles->len; i++) {
    const GError *other = g_ptr_array_index(parser->obstacles, i);
    known = known || strcmp(message, other->message) == 0;
  }
  if (!known && parser->obstacles->len + 1 == MAX_OBSTACLES) {
    parser->is_over = TRUE;
    return FALSE;
  }
  if (!known)
    g_ptr_array_add(parser->obstacles, g_steal_pointer(parser->error));
  g_clear_error(parser->error);
  parser->at = start;
  smb_parser_skip_statement(parser);
  // Brackets that do not match may lead out of the function.
  parser->is_over = *parser->error != NULL || parser->at == start;
  g_clear_error(parser->error);
  for (const Token *token = start; token != parser->at; token = token->next) {
    parser->is_over = parser->is_over || token == parser->item->last;
    if (token->kind == TOKEN_NAME)
      g_hash_table_add(parser->doubtful, (gpointer)token->text);
  }
  return !parser->is_over;
}

// block = "{" statement* "}"
Statement *
smb_parse_block(Parser *parser) {
  Statement *block = smb_statement_make(parser, STATEMENT_BLOCK, parser->at->start);
  Statement **last = &block->first;
  const Token *opening = parser->at;
  if (!smb_parser_expect(parser, "{"))
    return NULL;
  gboolean ok = TRUE;
  const Parser before = *parser;
  guint scopes = parser->scopes->len;
  open_scope(parser);
  while (ok && !smb_parser_take(parser, "}")) {
    Token *start = parser->at;
    gboolean is_label = parser->labels_in == parser->scopes->len &&
                        (smb_parser_is(parser, "case") || smb_parser_is(parser, "default"));
    if (parser->at->kind == TOKEN_END)
      *last = smb_parser_fail(parser, opening->start, "this '{' has no '}'");
    else if (is_label)
      *last = parse_label(parser);
    else
      *last = parse_statement(parser);
    if (*last) {
      last = &(*last)->next;
      continue;
    }
    ok = note_obstacle(parser, start);
    while (parser->scopes->len > scopes + 1)
      close_scope(parser);
    parser->depth = before.depth;
    parser->loops = before.loops;
    parser->switches = before.switches;
    parser->selector = before.selector;
    parser->labels_in = before.labels_in;
  }
  close_scope(parser);
  return ok ? block : NULL;
}
