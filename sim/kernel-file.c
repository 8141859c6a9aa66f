// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A whole file: functions, and what stands between them. Host functions are looked past, and so are
// the bodies of kernels that were not asked for.
#include "sim/kernel-parse.h"

#include <string.h>

// parameter = specifiers "*"* name? dimensions
static gboolean
parse_parameter(Parser *parser, GPtrArray *parameters) {
  Specifiers specifiers;
  if (!parse_specifiers(parser, &specifiers))
    return FALSE;
  const Token *name;
  const Type *type = parse_declared(parser, specifiers.type, &name);
  if (!type)
    return FALSE;
  if (type->kind == KIND_ARRAY)
    type = type_pointer(parser->pool, type->of);
  if (parser_is(parser, "=")) {
    parser_fail(parser, parser->at->start, "default arguments are outside the subset");
    return FALSE;
  }
  if (parameters->len == MAX_ARGUMENTS) {
    parser_fail(parser, parser->last->start, "a function has at most %d parameters", MAX_ARGUMENTS);
    return FALSE;
  }
  // A parameter without a name still takes its argument.
  Token unnamed = *parser->last;
  g_autofree char *made_up = g_strdup_printf("(parameter %u)", parameters->len + 1);
  if (!name) {
    unnamed.text = made_up;
    unnamed.length = (guint32)strlen(made_up);
    name = &unnamed;
  }
  Variable *variable = parser_declare(parser, name, type, STORAGE_LOCAL);
  if (!variable)
    return FALSE;
  variable->is_const = specifiers.is_const && type->kind != KIND_POINTER;
  g_ptr_array_add(parameters, variable);
  return TRUE;
}

// parameters = "(" ("void" | parameter ("," parameter)*)? ")"
static gboolean
parse_parameters(Parser *parser, Function *function) {
  g_autoptr(GPtrArray) parameters = g_ptr_array_new();
  if (!parser_expect(parser, "("))
    return FALSE;
  if (parser_is(parser, "void") && token_is(parser->at->next, ")"))
    parser_advance(parser);
  while (!parser_is(parser, ")")) {
    if (parameters->len > 0 && !parser_expect(parser, ","))
      return FALSE;
    if (!parse_parameter(parser, parameters))
      return FALSE;
  }
  parser_advance(parser);
  function->n_parameters = parameters->len;
  gsize bytes = parameters->len * sizeof *function->parameters;
  function->parameters = kernel_pool_alloc(parser->pool, MAX(bytes, 1));
  if (bytes)
    memcpy(function->parameters, parameters->pdata, bytes);
  return TRUE;
}

static gboolean
check_function(Parser *parser, const Specifiers *specifiers, const Type *type, const Token *name) {
  if (specifiers->is_global && type->kind != KIND_VOID) {
    parser_fail(parser, name->start, "a kernel returns void");
    return FALSE;
  }
  for (guint i = 0; i < parser->kernel->functions->len; i++) {
    const Function *other = g_ptr_array_index(parser->kernel->functions, i);
    if (token_is(name, other->name) && other->is_complete) {
      parser_fail(parser, name->start, "'%s' is defined twice", other->name);
      return FALSE;
    }
  }
  return TRUE;
}

void
postponed_body_free(PostponedBody *body) {
  g_hash_table_unref(body->variables);
  g_free(body);
}

static void
hide_function(Parser *parser, const Token *name, const char *why) {
  g_hash_table_insert(parser->hidden, (gpointer)token_text(parser->pool, name), (gpointer)why);
}

// Takes the body, or the ";" of a declaration that leaves it to later. A kernel's waits.
static gboolean
parse_body(Parser *parser, Function *function, const Token *name) {
  if (parser_take(parser, ";")) {
    hide_function(parser, name, "is called before its body: define it above");
    return TRUE;
  }
  g_hash_table_remove(parser->hidden, function->name);
  g_ptr_array_add(parser->kernel->functions, function);
  if (!function->is_kernel) {
    function->body = parse_block(parser);
    function->is_complete = function->body != NULL;
    return function->is_complete;
  }
  PostponedBody *body = g_new0(PostponedBody, 1);
  body->function = function;
  body->at = parser->at;
  body->variables = g_hash_table_ref(g_ptr_array_index(parser->scopes, parser->scopes->len - 1));
  g_ptr_array_add(parser->bodies, body);
  function->is_complete = TRUE;
  return parser_skip_group(parser, "{", "}");
}

gboolean
parse_postponed_body(Parser *parser, Function *function) {
  for (guint i = 0; i < parser->bodies->len; i++) {
    const PostponedBody *body = g_ptr_array_index(parser->bodies, i);
    if (body->function != function)
      continue;
    parser->function = function;
    parser->at = body->at;
    g_ptr_array_add(parser->scopes, g_hash_table_ref(body->variables));
    function->body = parse_block(parser);
    g_ptr_array_remove_index(parser->scopes, parser->scopes->len - 1);
  }
  return function->body != NULL;
}

// function = specifiers "*"* name parameters (block | ";")
static gboolean
parse_function(Parser *parser, const Token *first, const Specifiers *specifiers, const Type *type,
               const Token *name) {
  Function *function = kernel_pool_new_struct(parser->pool, Function);
  if (!check_function(parser, specifiers, type, name))
    return FALSE;
  function->name = token_text(parser->pool, name);
  function->type = type;
  function->is_kernel = specifiers->is_global;
  function->start = name->start;
  parser->function = function;
  g_ptr_array_add(parser->scopes, g_hash_table_new(g_str_hash, g_str_equal));
  gboolean ok = TRUE;
  if (type->kind != KIND_VOID) {
    Token result = *name;
    result.text = "(result)";
    result.length = 8;
    function->result = parser_declare(parser, &result, type, STORAGE_LOCAL);
    ok = function->result != NULL;
  }
  ok = ok && parse_parameters(parser, function) && parse_body(parser, function, name);
  g_ptr_array_remove_index(parser->scopes, parser->scopes->len - 1);
  parser->function = NULL;
  function->text = (Stretch){first->start, parser->last->end};
  return ok;
}

// A host function: its parameters and body are looked past.
static gboolean
skip_host_function(Parser *parser, const Token *first, const Token *name) {
  hide_function(parser, name, "is a host function: a kernel calls __device__ functions only");
  if (!parser_skip_group(parser, "(", ")"))
    return FALSE;
  if (!parser_take(parser, ";") && !parser_skip_group(parser, "{", "}"))
    return FALSE;
  Stretch text = {first->start, parser->last->end};
  g_array_append_val(parser->kernel->host, text);
  return TRUE;
}

// What the compiler is told and the evaluation has no use for.
static gboolean
skip_to_semicolon(Parser *parser) {
  while (parser->at->kind != TOKEN_END && !parser_is(parser, ";"))
    parser_advance(parser);
  return parser_expect(parser, ";");
}

// item = "extern" string ("{" | item) | "}" | ";" | alias | function | declaration
static gboolean
parse_item(Parser *parser, guint *open_linkages) {
  if (parser_take(parser, ";"))
    return TRUE;
  if (*open_linkages > 0 && parser_take(parser, "}")) {
    (*open_linkages)--;
    return TRUE;
  }
  if (parser_is(parser, "extern") && parser->at->next->kind == TOKEN_STRING) {
    parser_advance(parser);
    parser_advance(parser);
    *open_linkages += (guint)parser_take(parser, "{");
    return TRUE;
  }
  if (parser_is(parser, "using") && token_is(parser->at->next, "namespace"))
    return skip_to_semicolon(parser);
  if (parser_take(parser, "static_assert"))
    return parser_skip_group(parser, "(", ")");
  if (parse_starts_alias(parser))
    return parse_alias(parser);
  Token *first = parser->at;
  Specifiers specifiers;
  if (!parse_specifiers(parser, &specifiers))
    return FALSE;
  Token *after_specifiers = parser->at;
  const Type *type = parse_pointers(parser, specifiers.type);
  if (!type)
    return FALSE;
  const Token *name = parser->at;
  if (name->kind == TOKEN_NAME && token_is(name->next, "(")) {
    parser_advance(parser);
    if (!specifiers.is_global && !specifiers.is_device)
      return skip_host_function(parser, first, name);
    return parse_function(parser, first, &specifiers, type, name);
  }
  if (specifiers.is_global) {
    parser_fail(parser, name->start, "expected the name of a kernel and '('");
    return FALSE;
  }
  if (specifiers.is_device && !specifiers.is_shared && !specifiers.is_const) {
    parser_fail(parser, first->start, "__device__ variables are outside the subset");
    return FALSE;
  }
  parser->at = after_specifiers;
  return parse_declaration(parser, &specifiers) != NULL;
}

// file = item*
gboolean
parse_file(Parser *parser) {
  guint open_linkages = 0;
  while (parser->at->kind != TOKEN_END) {
    if (!parse_item(parser, &open_linkages))
      return FALSE;
  }
  return TRUE;
}
