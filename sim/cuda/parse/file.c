// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A file as far as the kernel reaches it: each function and each declaration is read when it is first
// named.
#include "sim/cuda/parse/parse.h"

#include <string.h>

// Whether a declaration stands above the one that is being read.
static gboolean
is_visible(const Parser *parser, const Item *item) {
  return item->number <= parser->item->number;
}

static Parser
enter_item(const Parser *parser, Item *item) {
  Parser inner = *parser;
  inner.last = item->begin;
  inner.item = item;
  inner.function = NULL;
  inner.n_sites = 0;
  inner.in_report = FALSE;
  inner.loops = inner.switches = inner.labels_in = 0;
  inner.base = parser->depth;
  smb_parser_move(&inner, item->first);
  inner.scopes = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
  g_ptr_array_add(inner.scopes, g_hash_table_ref(g_ptr_array_index(parser->scopes, 0)));
  return inner;
}

static void
leave_item(Parser *parser, Parser *inner) {
  g_ptr_array_unref(inner->scopes);
  parser->is_over = inner->is_over;
}

// declarations = alias | declaration
static gboolean
parse_item(Parser *parser) {
  Specifiers specifiers;
  if (smb_parse_starts_alias(parser))
    return smb_parse_alias(parser);
  return smb_parse_specifiers(parser, &specifiers) &&
         smb_parse_declaration(parser, &specifiers) != NULL;
}

gboolean
smb_parser_read_name(Parser *parser, const Token *name) {
  const GPtrArray *items = smb_outline_find(parser->outline, name);
  for (guint i = 0; items && i < items->len; i++) {
    Item *item = g_ptr_array_index(items, i);
    if ((item->kind != ITEM_VARIABLE && item->kind != ITEM_TYPE) || item->state != ITEM_UNREAD ||
        !is_visible(parser, item))
      continue;
    if (item->parameters)
      return smb_parser_refuse(parser, item->begin->start,
                               "'%s' is a template of a type, which is outside the subset",
                               name->text);
    Parser inner = enter_item(parser, item);
    item->state = ITEM_READING;
    gboolean ok = parse_item(&inner);
    item->state = ITEM_READ;
    leave_item(parser, &inner);
    return ok;
  }
  return FALSE;
}

static const Type *
parse_known_type(Parser *parser, Specifiers *specifiers, const Token **name) {
  if (!smb_parse_typed_specifiers(parser, specifiers))
    return NULL;
  parser->may_refer = TRUE;
  parser->is_reference = FALSE;
  const Type *type = smb_parse_declared(parser, specifiers->type, name);
  parser->may_refer = FALSE;
  return type;
}

// Of a head, a type that cannot be read does no harm.
static const Type *
parse_parameter_type(Parser *parser, Specifiers *specifiers, const Token **name) {
  Parser before = *parser;
  const Type *type = parse_known_type(parser, specifiers, name);
  if (type || !parser->is_head)
    return type;
  *parser = before;
  *specifiers = (Specifiers){0};
  return smb_parse_foreign_parameter(parser, name);
}

// parameter = specifiers declared
static gboolean
parse_parameter(Parser *parser, Function *function, GPtrArray *parameters) {
  Specifiers specifiers;
  const Token *name;
  const Type *type = parse_parameter_type(parser, &specifiers, &name);
  if (!type)
    return FALSE;
  gboolean is_reference = parser->is_reference;
  if (type->kind == KIND_ARRAY && !is_reference)
    type = smb_type_pointer(parser->pool, type->of);
  if (smb_parser_is(parser, "="))
    return smb_parser_refuse(parser, parser->at->start, "default arguments are outside the subset");
  if (function->n_formals == MAX_ARGUMENTS)
    return smb_parser_refuse(parser, parser->last->start, "a function has at most %d parameters",
                             MAX_ARGUMENTS);
  // A parameter without a name still takes its argument.
  Token unnamed = *parser->last;
  if (!name) {
    unnamed.text = smb_kernel_pool_printf(parser->pool, "(parameter %u)", function->n_formals + 1);
    name = &unnamed;
  }
  gboolean is_copied = type->kind == KIND_STRUCT && !is_reference;
  Formal *formal = &function->formals[function->n_formals++];
  *formal = (Formal){is_copied ? BIND_ADDRESS : BIND_VALUE, is_reference, specifiers.is_const, type,
                     NULL};
  if (is_reference && function->n_formals > parser->n_arguments)
    return smb_parser_refuse(parser, name->start, "a reference parameter needs an argument");
  if (is_reference) {
    formal->alias = parser->arguments[function->n_formals - 1];
    if (!smb_reference_classify(parser, formal->alias, type, formal->is_const, &formal->kind))
      return FALSE;
  }
  Variable *variable = smb_reference_declare(parser, name, type, formal->kind, formal->alias);
  if (!variable)
    return FALSE;
  variable->is_volatile = specifiers.is_volatile;
  variable->is_const = specifiers.is_const && variable->type->kind != KIND_POINTER;
  if (formal->kind != BIND_ALIAS)
    g_ptr_array_add(parameters, variable);
  return TRUE;
}

// parameters = "(" ("void" | parameter ("," parameter)*)? ")"
static gboolean
parse_parameters(Parser *parser, Function *function) {
  g_autoptr(GPtrArray) parameters = g_ptr_array_new();
  if (!smb_parser_expect(parser, "("))
    return FALSE;
  if (smb_parser_is(parser, "void") && smb_token_is(parser->at->next, ")"))
    smb_parser_advance(parser);
  while (!smb_parser_is(parser, ")")) {
    if (function->n_formals > 0 && !smb_parser_expect(parser, ","))
      return FALSE;
    if (!parse_parameter(parser, function, parameters))
      return FALSE;
  }
  smb_parser_advance(parser);
  if (function->type->kind == KIND_STRUCT)
    g_ptr_array_add(parameters, function->result);
  function->n_parameters = parameters->len;
  gsize bytes = parameters->len * sizeof *function->parameters;
  function->parameters = smb_kernel_pool_alloc(parser->pool, MAX(bytes, 1));
  if (bytes)
    memcpy(function->parameters, parameters->pdata, bytes);
  return TRUE;
}

static gboolean
check_function(Parser *parser, const Item *item, const Specifiers *specifiers, const Type *type,
               const Token *name) {
  const char *problem = NULL;
  if (specifiers->is_global && type->kind != KIND_VOID)
    problem = "a kernel returns void";
  else if (name->kind != TOKEN_NAME || !smb_token_is(name->next, "("))
    problem = specifiers->is_global ? "expected the name of a kernel and '('"
                                    : "expected the name of a function and '('";
  if (problem)
    smb_parser_fail(parser, name->start, "%s", problem);
  const GPtrArray *items = smb_outline_find(parser->outline, name);
  if (!problem && !items) { // a word that the outline has not taken for one
    problem = "";
    smb_parser_fail(parser, name->start, "'%s' is not the name of a function here", name->text);
  }
  for (guint i = 0; !problem && i < items->len; i++) {
    const Item *other = g_ptr_array_index(items, i);
    if (other == item || other->kind != ITEM_FUNCTION || !other->is_device)
      continue;
    problem = "";
    smb_parser_fail(parser, (other->number > item->number ? other : item)->name_at->start,
                    "'%s' is defined twice", item->name);
  }
  return problem == NULL;
}

static gboolean
parse_result(Parser *parser, Function *function, const Token *name) {
  if (function->type->kind == KIND_VOID)
    return TRUE;
  Token result = *name;
  result.text = "(result)";
  BindKind kind = function->type->kind == KIND_STRUCT ? BIND_ADDRESS : BIND_VALUE;
  function->result = smb_reference_declare(parser, &result, function->type, kind, NULL);
  return function->result != NULL;
}

// function = specifiers "*"* name parameters block
static Function *
parse_function(Parser *parser, const Item *item, const TemplateArguments *arguments) {
  Specifiers specifiers;
  Function *function = kernel_pool_new_struct(parser->pool, Function);
  g_ptr_array_add(parser->scopes, g_hash_table_new(g_str_hash, g_str_equal));
  if (item->parameters && !smb_parser_bind_template(parser, item, arguments))
    return NULL;
  if (!smb_parse_typed_specifiers(parser, &specifiers))
    return NULL;
  function->type = smb_parse_pointers(parser, specifiers.type);
  const Token *name = parser->at;
  if (!function->type || !check_function(parser, item, &specifiers, function->type, name))
    return NULL;
  smb_parser_advance(parser);
  function->key = arguments ? arguments->key : "";
  function->name = smb_kernel_pool_printf(parser->pool, "%s%s", item->name, function->key);
  function->is_kernel = specifiers.is_global;
  function->max_threads = specifiers.max_threads;
  function->start = name->start;
  parser->function = function;
  g_ptr_array_add(parser->scopes, g_hash_table_new(g_str_hash, g_str_equal));
  if (!parse_result(parser, function, name) || !parse_parameters(parser, function) ||
      (!parser->is_head && !(function->body = smb_parse_block(parser))))
    return NULL;
  if (parser->is_head)
    smb_shared_look(parser);
  function->text = (Stretch){item->begin->start, parser->last->end};
  return function;
}

// Whether a function was read for references to what these arguments are.
static gboolean
is_bound_alike(Parser *parser, const Function *function, Node **values, guint n) {
  for (guint i = 0; i < function->n_formals && i < n; i++) {
    const Formal *formal = &function->formals[i];
    BindKind kind;
    GError *ignored = NULL;
    Parser quiet = *parser;
    quiet.error = &ignored;
    if (!formal->is_reference)
      continue;
    gboolean fits =
        smb_reference_classify(&quiet, values[i], formal->type, formal->is_const, &kind);
    g_clear_error(&ignored);
    const Node *a = formal->alias, *b = values[i];
    if (!fits || kind != formal->kind)
      return FALSE;
    if (kind == BIND_ALIAS && (a->kind != b->kind || a->component != b->component ||
                               (a->kind == NODE_COMPONENT ? a->a->variable != b->a->variable
                                                          : a->variable != b->variable)))
      return FALSE;
  }
  return TRUE;
}

Function *
smb_parser_read_function(Parser *parser, Item *item, const TemplateArguments *arguments,
                         Node **values, guint n) {
  for (Function *function = item->functions; function; function = function->next) {
    if (strcmp(function->key, arguments ? arguments->key : "") == 0 &&
        is_bound_alike(parser, function, values, n))
      return function;
  }
  if (arguments && !item->parameters)
    return smb_parser_fail(parser, parser->last->start, "'%s' is not a template", item->name);
  if (item->is_specialized)
    return smb_parser_fail(parser, parser->last->start,
                           "'%s' has specializations, which are outside the subset", item->name);
  Parser inner = enter_item(parser, item);
  inner.arguments = values;
  inner.n_arguments = n;
  ItemState before = item->state;
  item->state = ITEM_READING;
  Function *function = parse_function(&inner, item, arguments);
  item->state = function ? ITEM_READ : before;
  leave_item(parser, &inner);
  if (function) {
    function->next = item->functions;
    item->functions = function;
  }
  return function;
}

const Type *
smb_parser_read_class(Parser *parser, Item *item, const TemplateArguments *arguments) {
  Specifiers specifiers = {0};
  Parser inner = enter_item(parser, item);
  g_ptr_array_add(inner.scopes, g_hash_table_new(g_str_hash, g_str_equal));
  gboolean ok = smb_parser_bind_template(&inner, item, arguments) &&
                smb_parse_typed_specifiers(&inner, &specifiers);
  leave_item(parser, &inner);
  return ok ? specifiers.type : NULL;
}

void
smb_parser_look_within(const Parser *parser, Item *item) {
  Parser inner = enter_item(parser, item);
  item->state = ITEM_READ;
  while (!smb_parser_is(&inner, "{") && inner.at != item->last)
    smb_parser_advance(&inner);
  smb_shared_look(&inner);
  leave_item(&inner, &inner);
}

// Says why a function that the file names cannot be called.
static gpointer
refuse_function(Parser *parser, const Token *name, const Item *item) {
  if (item->kind == ITEM_FUNCTION && item->state == ITEM_READING)
    return smb_parser_fail(parser, name->start,
                           item == parser->item
                               ? "'%s' calls itself: recursion is outside the subset"
                               : "'%s' is called by what it calls: recursion is outside the subset",
                           item->name);
  if (item->kind == ITEM_FUNCTION && item->is_kernel)
    return smb_parser_fail(parser, name->start,
                           "'%s' is a kernel: kernels are launched, not called", item->name);
  if (!item->is_device)
    return smb_parser_fail(parser, name->start,
                           "'%s' is a host function: a kernel calls __device__ functions only",
                           item->name);
  if (item->kind == ITEM_FUNCTION)
    return smb_parser_fail(parser, name->start,
                           "'%s' is called before it is declared: declare it above", item->name);
  return smb_parser_fail(parser, name->start, "'%s' has no body in this file", item->name);
}

gboolean
smb_parser_find_function(Parser *parser, const Token *name, Item **found, gboolean is_builtin) {
  const GPtrArray *items = smb_outline_find(parser->outline, name);
  Item *chosen = NULL, *refused = NULL;
  gboolean visible = FALSE;
  for (guint i = 0; items && i < items->len; i++) {
    Item *item = g_ptr_array_index(items, i);
    if (item->kind != ITEM_FUNCTION && item->kind != ITEM_PROTOTYPE)
      continue;
    visible = visible || is_visible(parser, item);
    gboolean callable = item->kind == ITEM_FUNCTION && item->is_device && !item->is_kernel;
    chosen = !chosen && callable ? item : chosen;
    if (!refused || item->kind == ITEM_FUNCTION)
      refused = item;
  }
  *found = chosen;
  if (chosen && visible && chosen->state != ITEM_READING)
    return TRUE;
  if (!refused || (!chosen && is_builtin))
    return TRUE;
  refuse_function(parser, name, chosen ? chosen : refused);
  return FALSE;
}

gboolean
smb_parse_starts_assertion(const Parser *parser) {
  return smb_parser_is(parser, "static_assert") || smb_parser_is(parser, "_Static_assert");
}

// assertion = ("static_assert" | "_Static_assert") "(" constant ("," string+)? ")" ";"
static gboolean
read_assertion(Parser *parser, gboolean *holds) {
  gint64 value;
  smb_parser_advance(parser);
  if (!smb_parser_expect(parser, "(") || !smb_parse_constant(parser, &value))
    return FALSE;
  *holds = value != 0;
  if (smb_parser_take(parser, ",")) {
    while (parser->at->kind == TOKEN_STRING)
      smb_parser_advance(parser);
  }
  return smb_parser_expect(parser, ")") && smb_parser_expect(parser, ";");
}

// The text is in the line that is shown.
static gboolean
refuse_assertion(const Parser *parser, const Token *first) {
  smb_source_error(parser->kernel->program.source, first->start, parser->error,
                   "the condition of this static_assert is false");
  return FALSE;
}

gboolean
smb_parse_assertion(Parser *parser) {
  gboolean holds;
  const Token *first = parser->at;
  return read_assertion(parser, &holds) && (holds || refuse_assertion(parser, first));
}

gboolean
smb_parser_check_assertions(const Parser *parser) {
  for (guint i = 0; i < parser->outline->items->len; i++) {
    Item *item = g_ptr_array_index(parser->outline->items, i);
    g_autoptr(GError) unknown = NULL;
    gboolean holds;
    if (item->kind != ITEM_ASSERTION)
      continue;
    Parser inner = enter_item(parser, item);
    inner.error = &unknown;
    gboolean known = read_assertion(&inner, &holds);
    g_ptr_array_unref(inner.scopes);
    if (known && !holds)
      return refuse_assertion(parser, item->first);
  }
  return TRUE;
}
