// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Templates of functions: the values and types that an instance is given. Each instance is read as a
// function of its own; arguments are not deduced.
#include <string.h>

#include "sim/base/text.h"
#include "sim/cuda/macro-impl.h"
#include "sim/cuda/parse.h"

// template-arguments = "<" ((type-name | constant) ("," …)*)? ">"; a constant has no comparison or shift
gboolean
smb_parse_template_arguments(Parser *parser, TemplateArguments *arguments) {
  g_autoptr(GString) key = g_string_new("<");
  memset(arguments, 0, sizeof *arguments);
  if (!smb_parser_expect(parser, "<"))
    return FALSE;
  while (!smb_parser_is(parser, ">")) {
    if (arguments->n == MAX_TEMPLATE_ARGUMENTS) {
      smb_parser_fail(parser, parser->at->start, "a template has at most %d parameters",
                      MAX_TEMPLATE_ARGUMENTS);
      return FALSE;
    }
    if (arguments->n > 0 && !smb_parser_expect(parser, ","))
      return FALSE;
    TemplateArgument *argument = &arguments->items[arguments->n++];
    argument->start = parser->at->start;
    g_string_append(key, arguments->n > 1 ? ", " : "");
    if (smb_parse_starts_type(parser)) {
      if (!(argument->type = smb_parse_type_name(parser)))
        return FALSE;
      g_string_append(key, smb_type_describe(parser->pool, argument->type));
      continue;
    }
    if (!(argument->value = smb_parse_sum(parser)))
      return FALSE;
    if (argument->value->kind != NODE_CONSTANT || !smb_type_is_integer(argument->value->type)) {
      smb_parser_fail(parser, argument->start,
                      "expected a type, or an integer that is known before the kernel runs");
      return FALSE;
    }
    g_string_append_printf(key, "%" G_GINT64_FORMAT, argument->value->integer);
  }
  smb_parser_advance(parser);
  g_string_append_c(key, '>');
  arguments->key = smb_kernel_pool_text(parser->pool, key->str, key->len);
  return TRUE;
}

// To the "," or ">" behind a part of the parameters that is not read.
static void
skip_parameter(Parser *parser) {
  gint brackets = 0, angles = 0;
  for (; parser->at->kind != TOKEN_END; smb_parser_advance(parser)) {
    if (brackets == 0 && angles == 0 && (smb_parser_is(parser, ",") || smb_parser_is(parser, ">")))
      return;
    brackets += smb_parser_is(parser, "(") - smb_parser_is(parser, ")");
    angles += smb_parser_is(parser, "<") - smb_parser_is(parser, ">");
  }
}

// Says which instance to ask for.
static gpointer
refuse_missing(Parser *parser, const Item *item) {
  g_autoptr(GString) names = g_string_new(NULL);
  const Token *before = item->parameters;
  gboolean in_default = FALSE;
  for (const Token *token = before->next; token != item->first;
       before = token, token = token->next) {
    gboolean ends =
        smb_token_is(token, ",") || smb_token_is(token, "=") || smb_token_is(token, ">");
    if (ends && !in_default && before->kind == TOKEN_NAME)
      g_string_append_printf(names, "%s%.*s", names->len ? ", " : "", (int)before->length,
                             before->text);
    in_default = smb_token_is(token, "=") || (in_default && !smb_token_is(token, ","));
  }
  if (item->is_kernel)
    return smb_parser_fail(
        parser, item->begin->start,
        "'%s' is a template: choose an instance with --instance '%s<%s>', or give "
        "its parameters values with -D",
        item->name, item->name, names->str);
  return smb_parser_fail(parser, item->begin->start,
                         "'%s' is a template: it is called as %s<%s>(...)", item->name, item->name,
                         names->str);
}

static gpointer
refuse_kind(Parser *parser, const TemplateArgument *argument, const Token *name,
            const char *wanted) {
  return smb_parser_fail(parser, argument->start, "template parameter '%.*s' takes a %s",
                         (int)name->length, name->text, wanted);
}

// ("typename" | "class") name? ("=" type-name)?
static gboolean
bind_type(Parser *parser, const Item *item, const TemplateArgument *argument) {
  const Token *name = parser->at;
  if (smb_parser_is(parser, "...")) {
    smb_parser_fail(parser, name->start,
                    "templates of any number of parameters are outside the subset");
    return FALSE;
  }
  gboolean named = name->kind == TOKEN_NAME;
  if (named)
    smb_parser_advance(parser);
  const Type *type = argument ? argument->type : NULL;
  gboolean has_default = smb_parser_take(parser, "=");
  if (argument && !type)
    return refuse_kind(parser, argument, name, "type") != NULL;
  if (!argument && !has_default)
    return refuse_missing(parser, item) != NULL;
  if (!argument && !(type = smb_parse_type_name(parser)))
    return FALSE;
  skip_parameter(parser);
  return !named || smb_parser_declare(parser, name, type, STORAGE_TYPE);
}

// specifiers declared ("=" constant)?; a macro may have put a value in place of the name
static gboolean
bind_value(Parser *parser, const Item *item, const TemplateArgument *argument) {
  Specifiers specifiers;
  if (!smb_parse_typed_specifiers(parser, &specifiers))
    return FALSE;
  const Token *name = parser->at;
  if (!smb_type_is_integer(specifiers.type)) {
    smb_parser_fail(parser, name->start, "a template parameter is an integer or a type here");
    return FALSE;
  }
  gboolean named = name->kind == TOKEN_NAME;
  if (named)
    smb_parser_advance(parser);
  gboolean has_default = smb_parser_take(parser, "=");
  if (argument && !argument->value)
    return refuse_kind(parser, argument, name, "value") != NULL;
  if (named && !argument && !has_default)
    return refuse_missing(parser, item) != NULL;
  Node *value = argument ? argument->value : NULL;
  if (named && !argument && !(value = smb_parse_sum(parser)))
    return FALSE;
  skip_parameter(parser);
  if (!named)
    return TRUE;
  Variable *variable = smb_parser_declare(parser, name, specifiers.type, STORAGE_LOCAL);
  value = variable ? smb_node_convert(parser, value, specifiers.type) : NULL;
  if (value && value->kind != NODE_CONSTANT)
    value = smb_parser_fail(parser, name->start, "the default of '%.*s' is not known here",
                            (int)name->length, name->text);
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
    gboolean is_type = smb_parser_take(parser, "typename") || smb_parser_take(parser, "class");
    if (!(is_type ? bind_type : bind_value)(parser, item, argument))
      return FALSE;
    if (!smb_parser_take(parser, ",") && !smb_parser_is(parser, ">"))
      return smb_parser_expect(parser, ">");
  }
  if (arguments && arguments->n > i) {
    smb_parser_fail(parser, arguments->items[i].start, "'%s' has %u template parameter%s, not %u",
                    item->name, i, smb_plural(i), arguments->n);
    return FALSE;
  }
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
    smb_parser_fail(&inner, item->begin->start, "'%s%s' has something behind the '>'", item->name,
                    text);
  return inner.at->kind == TOKEN_END;
}
