// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Templates of functions: the values and types that an instance is given, or that follow from the arguments of a
// call. Each instance is read as a function of its own.
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/cuda/text/macro-impl.h"
#include "sim/cuda/parse/parse.h"

static void
make_key(Parser *parser, TemplateArguments *arguments) {
  g_autoptr(GString) key = g_string_new("<");
  for (guint i = 0; i < arguments->n; i++) {
    const TemplateArgument *argument = &arguments->items[i];
    g_string_append(key, i > 0 ? ", " : "");
    if (argument->type)
      g_string_append(key, smb_type_describe(parser->pool, argument->type));
    else if (argument->value)
      g_string_append_printf(key, "%" G_GINT64_FORMAT, argument->value->integer);
  }
  g_string_append_c(key, '>');
  arguments->key = smb_kernel_pool_text(parser->pool, key->str, key->len);
}

// template-arguments = "<" ((type-name | constant) ("," …)*)? ">"; a constant has no comparison or shift
gboolean
smb_parse_template_arguments(Parser *parser, TemplateArguments *arguments) {
  memset(arguments, 0, sizeof *arguments);
  if (!smb_parser_expect(parser, "<"))
    return FALSE;
  while (!smb_parser_is(parser, ">")) {
    if (arguments->n == MAX_TEMPLATE_ARGUMENTS)
      return smb_parser_refuse(parser, parser->at->start, "a template has at most %d parameters",
                               MAX_TEMPLATE_ARGUMENTS);
    if (arguments->n > 0 && !smb_parser_expect(parser, ","))
      return FALSE;
    TemplateArgument *argument = &arguments->items[arguments->n++];
    argument->start = parser->at->start;
    if (smb_parse_starts_type(parser)) {
      if (!(argument->type = smb_parse_type_name(parser)))
        return FALSE;
      continue;
    }
    if (!(argument->value = smb_parse_sum(parser)))
      return FALSE;
    if (argument->value->kind != NODE_CONSTANT || !smb_type_is_integer(argument->value->type))
      return smb_parser_refuse(
          parser, argument->start,
          "expected a type, or an integer that is known before the kernel runs");
  }
  smb_parser_advance(parser);
  make_key(parser, arguments);
  return TRUE;
}

// The "," or @close behind the rest of a parameter. A "<" or ">" within brackets compares.
static Token *
find_parameter_end(Token *token, const char *close) {
  gint brackets = 0, angles = 0;
  for (; token->kind != TOKEN_END; token = token->next) {
    if (brackets == 0 && angles == 0 && (smb_token_is(token, ",") || smb_token_is(token, close)))
      return token;
    brackets += smb_token_is(token, "(") + smb_token_is(token, "[");
    brackets -= smb_token_is(token, ")") + smb_token_is(token, "]");
    if (brackets == 0)
      angles += smb_token_is(token, "<") - smb_token_is(token, ">");
  }
  return token;
}

// The parameters of a template by their names, in the order of the text.
typedef struct {
  guint n;
  const Token *names[MAX_TEMPLATE_ARGUMENTS];
  gboolean has_default[MAX_TEMPLATE_ARGUMENTS];
} TemplateNames;

static TemplateNames
list_names(const Item *item) {
  TemplateNames list = {0};
  const Token *before = item->parameters;
  gboolean in_default = FALSE;
  for (const Token *token = before->next; token != item->first && list.n < MAX_TEMPLATE_ARGUMENTS;
       before = token, token = token->next) {
    gboolean begins = smb_token_is(token, "=");
    gboolean ends = begins || smb_token_is(token, ",") || smb_token_is(token, ">");
    if (ends && !in_default && before->kind == TOKEN_NAME) {
      list.has_default[list.n] = begins;
      list.names[list.n++] = before;
    }
    in_default = begins || (in_default && !smb_token_is(token, ","));
  }
  return list;
}

// Says which instance to ask for.
static gboolean
refuse_missing(Parser *parser, const Item *item, guint32 start) {
  g_autoptr(GString) names = g_string_new(NULL);
  const TemplateNames list = list_names(item);
  for (guint i = 0; i < list.n; i++)
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", list.names[i]->text);
  if (item->is_kernel) {
    g_autofree char *form = g_strdup_printf("%s<%s>", item->name, names->str);
    return smb_parser_refuse(parser, start, "'%s' is a template: expected one of its instances",
                             item->name) ||
           smb_hint(parser->error, SMB_HINT_INSTANCE, form, NULL);
  }
  return smb_parser_refuse(parser, start,
                           "the arguments of this call do not determine the instance of the "
                           "template '%s': call %s<%s>(...)",
                           item->name, item->name, names->str);
}

static gboolean
refuse_kind(Parser *parser, const TemplateArgument *argument, const Token *name,
            const char *wanted) {
  return smb_parser_refuse(parser, argument->start, "template parameter '%s' takes a %s",
                           name->text, wanted);
}

// ("typename" | "class") name? ("=" type-name)?
static gboolean
bind_type(Parser *parser, const Item *item, const TemplateArgument *argument) {
  const Token *name = parser->at;
  if (smb_parser_is(parser, "..."))
    return smb_parser_refuse(parser, name->start,
                             "templates of any number of parameters are outside the subset");
  gboolean named = name->kind == TOKEN_NAME;
  if (named)
    smb_parser_advance(parser);
  const Type *type = argument ? argument->type : NULL;
  gboolean has_default = smb_parser_take(parser, "=");
  if (argument && !type)
    return refuse_kind(parser, argument, name, "type");
  if (!argument && !has_default)
    return refuse_missing(parser, item, item->begin->start);
  if (!argument && !(type = smb_parse_type_name(parser)))
    return FALSE;
  smb_parser_move(parser, find_parameter_end(parser->at, ">"));
  return !named || smb_parser_declare(parser, name, type, STORAGE_TYPE);
}

// specifiers declared ("=" constant)?; a macro may have put a value in place of the name
static gboolean
bind_value(Parser *parser, const Item *item, const TemplateArgument *argument) {
  Specifiers specifiers;
  if (!smb_parse_typed_specifiers(parser, &specifiers))
    return FALSE;
  const Token *name = parser->at;
  if (!smb_type_is_integer(specifiers.type))
    return smb_parser_refuse(parser, name->start,
                             "a template parameter must be an integer or a type here");
  gboolean named = name->kind == TOKEN_NAME;
  if (named)
    smb_parser_advance(parser);
  gboolean has_default = smb_parser_take(parser, "=");
  if (argument && !argument->value)
    return refuse_kind(parser, argument, name, "value");
  if (named && !argument && !has_default)
    return refuse_missing(parser, item, item->begin->start);
  Node *value = argument ? argument->value : NULL;
  if (named && !argument && !(value = smb_parse_sum(parser)))
    return FALSE;
  smb_parser_move(parser, find_parameter_end(parser->at, ">"));
  if (!named)
    return TRUE;
  Variable *variable = smb_parser_declare(parser, name, specifiers.type, STORAGE_LOCAL);
  value = variable ? smb_node_convert(parser, value, specifiers.type) : NULL;
  if (value && value->kind != NODE_CONSTANT)
    value =
        smb_parser_fail(parser, name->start, "the default of '%s' is not known here", name->text);
  if (!value)
    return FALSE;
  variable->is_constant = variable->is_const = TRUE;
  variable->constant = value;
  return TRUE;
}

// template = "template" "<" (type or value parameter ("," …)*)? ">"
gboolean
smb_parser_bind_template(Parser *parser, const Item *item, const TemplateArguments *arguments) {
  guint i = 0;
  smb_parser_move(parser, item->parameters);
  smb_parser_advance(parser);
  for (; !smb_parser_is(parser, ">"); i++) {
    const TemplateArgument *argument = arguments && i < arguments->n ? &arguments->items[i] : NULL;
    if (argument && !argument->type && !argument->value)
      argument = NULL; // left to its default
    gboolean is_type = smb_parser_take(parser, "typename") || smb_parser_take(parser, "class");
    if (!(is_type ? bind_type : bind_value)(parser, item, argument))
      return FALSE;
    if (!smb_parser_take(parser, ",") && !smb_parser_is(parser, ">"))
      return smb_parser_expect(parser, ">");
  }
  if (arguments && arguments->n > i)
    return smb_parser_refuse(parser, arguments->items[i].start,
                             "'%s' has %u template parameter%s, not %u", item->name, i,
                             smb_plural(i), arguments->n);
  smb_parser_move(parser, item->first);
  return TRUE;
}

gboolean
smb_parse_instance(Parser *parser, const Item *item, const char *text,
                   TemplateArguments *arguments) {
  KernelMacros *macros = parser->kernel->macros;
  Token *tokens = smb_macros_lex(macros, text, parser->error);
  tokens = tokens ? smb_macros_expand(macros, tokens, parser->error) : NULL;
  if (!tokens)
    return FALSE;
  // Errors in it are shown where the template stands.
  for (Token *token = tokens; token; token = token->next) {
    token->start = item->begin->start;
    token->end = item->begin->end;
  }
  Parser inner = *parser;
  smb_parser_move(&inner, tokens);
  if (!smb_parse_template_arguments(&inner, arguments))
    return FALSE;
  if (inner.at->kind != TOKEN_END)
    smb_parser_fail(&inner, item->begin->start, "'%s%s' has something after the '>'", item->name,
                    text);
  return inner.at->kind == TOKEN_END;
}

// A call, and what its arguments say of the parameters of a template.
typedef struct {
  Parser *parser;
  const Token *call;
  TemplateNames list;
  guint n_given; // that the call names itself
  TemplateArguments *arguments;
} Deduction;

static gboolean
deduce(Deduction *deduction, const Token *name, TemplateArgument found) {
  const TemplateNames *list = &deduction->list;
  Parser *parser = deduction->parser;
  guint i = 0;
  while (i < list->n && strcmp(list->names[i]->text, name->text) != 0)
    i++;
  if (i == list->n || i < deduction->n_given)
    return TRUE;
  TemplateArgument *argument = &deduction->arguments->items[i];
  gboolean differs =
      (argument->type && !(found.type && smb_type_equal(argument->type, found.type))) ||
      (argument->value && !(found.value && argument->value->integer == found.value->integer));
  if (differs)
    smb_parser_fail(parser, deduction->call->start,
                    "the arguments of this call conflict about the template parameter '%s'",
                    name->text);
  *argument = found;
  return !differs;
}

// One parameter of the function, up to @end, and the argument that it gets: "T", "T *", "T &", "T (&name)[N]",
// with any qualifiers. Where the type is no parameter of the template, only N is looked for.
static gboolean
match_parameter(Deduction *deduction, const Token *first, const Token *end, const Node *value) {
  Parser *parser = deduction->parser;
  const Type *type = value->type;
  gboolean is_reference = FALSE;
  while (first != end && smb_parse_is_specifier(first))
    first = first->next;
  for (const Token *token = first; token != end && token->kind != TOKEN_END && type;
       token = token->next) {
    gboolean points = smb_token_is(token, "*");
    is_reference = is_reference || smb_token_is(token, "&");
    if (!points && !smb_token_is(token, "["))
      continue;
    if (is_reference && type->kind == KIND_ARRAY && token->next->kind == TOKEN_NAME) {
      Node *count = smb_node_integer(parser, smb_type_scalar(KIND_ULONG), (gint64)type->count,
                                     value->start, value->end);
      TemplateArgument found = {value->start, NULL, count};
      if (!deduce(deduction, token->next, found))
        return FALSE;
    }
    type = type->kind == KIND_POINTER || type->kind == KIND_ARRAY ? type->of : NULL;
  }
  if (type && type->kind == KIND_ARRAY && !is_reference)
    type = smb_type_pointer(parser->pool, type->of);
  return !type || first == end ||
         deduce(deduction, first, (TemplateArgument){value->start, type, NULL});
}

gboolean
smb_parser_deduce(Parser *parser, const Token *call, const Item *item, Node **values, guint n,
                  TemplateArguments *arguments) {
  Deduction deduction = {parser, call, list_names(item), arguments->n, arguments};
  const Token *token = item->name_at->next;
  for (guint i = 0; i < n && smb_token_is(token, i == 0 ? "(" : ","); i++) {
    const Token *end = find_parameter_end(token->next, ")");
    if (!match_parameter(&deduction, token->next, end, values[i]))
      return FALSE;
    token = end;
  }
  arguments->n = MAX(arguments->n, deduction.list.n);
  for (guint i = 0; i < deduction.list.n; i++) {
    const TemplateArgument *argument = &arguments->items[i];
    if (!argument->type && !argument->value && !deduction.list.has_default[i])
      return refuse_missing(parser, item, call->start);
  }
  make_key(parser, arguments);
  return TRUE;
}
