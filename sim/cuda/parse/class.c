// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Classes, for their layout alone: what a head says of its parameters, and of variables in shared memory. Functions, constructors, static
// members and access labels are skipped; base classes come first. A union is one whose members are all at
// its start. What lays out a class otherwise (virtual functions, bit fields) is refused: its fields are not known then.
#include <string.h>

#include "sim/cuda/parse/parse.h"

enum {
  MAX_INSTANCES = 256 // of one template
};

// A class as far as it was read. Whether it is plain decides if a class that is derived of it uses the padding at its end (Itanium C++
// ABI, "POD"; as gcc and nvcc lay classes out).
typedef struct {
  Type *type;
  GArray *members;
  gboolean has_empty_base;
} Class;

static void
note_plainness(Class *class, Plainness plainness) {
  class->type->plainness = MAX(class->type->plainness, plainness);
}

static gboolean
is_empty_class(const Type *type) {
  while (type->kind == KIND_ARRAY)
    type = type->of;
  return type->kind == KIND_STRUCT && type->count == 0;
}

// Halves are classes with constructors.
static Plainness
find_plainness(const Type *type) {
  const Type *leaf = smb_type_leaf(type);
  while (type->kind == KIND_ARRAY)
    type = type->of;
  if (type->kind == KIND_STRUCT)
    return type->plainness;
  return type->kind != KIND_POINTER && leaf && smb_type_is_half(leaf) ? PLAIN_NOT : PLAIN_SO_FAR;
}

typedef struct _Instance {
  const char *key;
  const Type *type;
  struct _Instance *next;
} Instance;

static const char *const bracketed[] = {"alignas", "__align__", "__attribute__", "decltype", NULL};

// Behind the bracket that closes the one at @token, or the end.
static const Token *
find_group_end(const Token *token, const char *open, const char *close) {
  gint depth = 0;
  do {
    depth += smb_token_is(token, open) - smb_token_is(token, close);
    token = token->next;
  } while (depth > 0 && token->kind != TOKEN_END);
  return token;
}

static const Token *
find_angles_end(const Token *token) {
  gint depth = 0;
  while (token->kind != TOKEN_END) {
    depth += smb_token_is(token, "<") - smb_token_is(token, ">") - 2 * smb_token_is(token, ">>");
    token = token->next;
    if (depth <= 0 || smb_token_is(token, ";"))
      break;
  }
  return token;
}

// The "(" of the parameters, if a function is declared here; else NULL.
static const Token *
find_method(const Token *token) {
  static const char *const ends[] = {";", "=", "{", "}", ":", ",", NULL};
  while (token->kind != TOKEN_END && !smb_token_is_any(token, ends)) {
    const Token *next = token->next;
    if (smb_token_is_any(token, bracketed) && smb_token_is(next, "(")) {
      token = find_group_end(next, "(", ")");
    } else if (smb_token_is(token, "operator")) {
      token = smb_token_is(next, "(") ? next->next : next; // of "operator()", the second bracket
      while (token->kind != TOKEN_END && !smb_token_is(token, "("))
        token = token->next;
      return token->kind == TOKEN_END ? NULL : token;
    } else if (smb_token_is(token, "(")) {
      return smb_token_is(next, "*") ? NULL : token;
    } else {
      token = smb_token_is(token, "[")   ? find_group_end(token, "[", "]")
              : smb_token_is(token, "<") ? find_angles_end(token)
                                         : next;
    }
  }
  return NULL;
}

static void
move_before(Parser *parser, const Token *token) {
  while (parser->at != token && parser->at->kind != TOKEN_END) {
    parser->last = parser->at;
    parser->at = parser->at->next;
  }
}

// To behind the next ";".
static gboolean
skip_to_end(Parser *parser) {
  while (parser->at->kind != TOKEN_END && !smb_parser_is(parser, ";")) {
    const char *close = smb_parser_is(parser, "{") ? "}" : smb_parser_is(parser, "(") ? ")" : NULL;
    const char *open = close && *close == '}' ? "{" : "(";
    if (!close)
      smb_parser_advance(parser);
    else if (!smb_parser_skip_group(parser, open, close))
      return FALSE;
  }
  return smb_parser_expect(parser, ";");
}

// From the parameters of a function to behind its body, or ";". @is_own: set if it is neither defaulted nor deleted
static gboolean
skip_method(Parser *parser, const Token *parameters, gboolean *is_own) {
  gboolean in_list = FALSE;
  *is_own = TRUE;
  move_before(parser, parameters);
  while (parser->at->kind != TOKEN_END && !smb_parser_is(parser, ";")) {
    if (smb_parser_is(parser, "{")) {
      gboolean is_value =
          in_list && (parser->last->kind == TOKEN_NAME || smb_token_is(parser->last, ">"));
      if (!smb_parser_skip_group(parser, "{", "}"))
        return FALSE;
      if (!is_value)
        return TRUE;
    } else if (smb_parser_is(parser, "(")) {
      if (!smb_parser_skip_group(parser, "(", ")"))
        return FALSE;
    } else {
      in_list = in_list || smb_parser_is(parser, ":");
      *is_own = *is_own && !smb_parser_is(parser, "default") && !smb_parser_is(parser, "delete");
      smb_parser_advance(parser);
    }
  }
  return smb_parser_expect(parser, ";");
}

static gboolean
parse_method(Parser *parser, Class *class, const Token *parameters) {
  const Token *first = parser->at, *before = first;
  gboolean is_own;
  for (const Token *token = first; token != parameters; token = token->next) {
    if (smb_token_is(token, "virtual"))
      return smb_parser_refuse(parser, token->start, "it has virtual functions");
    before = token;
  }
  gboolean is_constructor = class->type->name && smb_token_is(before, class->type->name);
  if (!skip_method(parser, parameters, &is_own))
    return FALSE;
  if (is_constructor)
    note_plainness(class, is_own ? PLAIN_NOT : PLAIN_OR_NOT);
  return TRUE;
}

// "static" was seen: a constant may be the number of elements of an array.
static void
declare_constant(const Parser *parser) {
  GError *ignored = NULL;
  Specifiers specifiers;
  const Token *name;
  Parser quiet = *parser;
  quiet.error = &ignored;
  if (smb_parse_typed_specifiers(&quiet, &specifiers) && smb_type_is_integer(specifiers.type) &&
      smb_parse_declared(&quiet, specifiers.type, &name) && name && smb_parser_take(&quiet, "=")) {
    Node *value = smb_node_convert(&quiet, smb_parse_assignment(&quiet), specifiers.type);
    Variable *variable = value && value->kind == NODE_CONSTANT
                             ? smb_parser_declare(&quiet, name, specifiers.type, STORAGE_LOCAL)
                             : NULL;
    if (variable) {
      variable->is_constant = variable->is_const = TRUE;
      variable->constant = value;
    }
  }
  g_clear_error(&ignored);
}

// A pointer to what is not known: "std::pair<int, int> *NAME", before one of @ends. Returns: its name; NULL: it is not one
static const Token *
find_pointer(const Token *token, const char *const *ends) {
  const Token *name = NULL;
  gboolean points = FALSE;
  while (token->kind != TOKEN_END && !smb_token_is_any(token, ends)) {
    points = points || smb_token_is(token, "*");
    name = token->kind == TOKEN_NAME ? token : NULL;
    token = smb_token_is(token, "<") ? find_angles_end(token) : token->next;
  }
  return points ? name : NULL;
}

static const Type *
parse_foreign_pointer(Parser *parser, const char *const *ends, const Token **name) {
  const Token *found = find_pointer(parser->at, ends);
  if (!found)
    return NULL;
  g_clear_error(parser->error);
  move_before(parser, found->next);
  // To a function: "int (*NAME)(int)"
  if (smb_token_is(found->next, ")") && smb_token_is(found->next->next, "("))
    move_before(parser, find_group_end(found->next->next, "(", ")"));
  *name = found;
  return smb_type_pointer(parser->pool, smb_type_scalar(KIND_UCHAR));
}

// What an error says, without the place and the line.
const char *
smb_parser_keep_reason(Parser *parser) {
  static const char mark[] = "error: ";
  const char *message = (*parser->error)->message, *behind = strstr(message, mark);
  message = behind ? behind + strlen(mark) : message;
  return smb_kernel_pool_text(parser->pool, message, strcspn(message, "\n"));
}

const Type *
smb_parse_foreign_parameter(Parser *parser, const Token **name) {
  static const char *const ends[] = {",", ")", NULL};
  const Token *first = parser->at, *last = NULL, *token = first;
  const Type *pointer = *parser->error ? parse_foreign_pointer(parser, ends, name) : NULL;
  if (pointer)
    return pointer;
  g_autoptr(GString) words = g_string_new(NULL);
  while (token->kind != TOKEN_END && !smb_token_is_any(token, ends)) {
    const Token *next = smb_token_is(token, "<") ? find_angles_end(token) : token->next;
    for (; token != next && !smb_token_is_any(next, ends); token = token->next)
      g_string_append(words, token->text);
    last = token;
    token = next;
  }
  if (!last || last->kind != TOKEN_NAME || !*parser->error)
    return NULL;
  Type *type =
      smb_type_structure(parser->pool, smb_kernel_pool_text(parser->pool, words->str, words->len));
  type->unknown = smb_parser_keep_reason(parser);
  g_clear_error(parser->error);
  move_before(parser, token);
  *name = last;
  return type;
}

static gboolean
add_class_field(Parser *parser, Class *class, const Token *name, const Type *of, guint align) {
  if (of->size == 0)
    return smb_parser_refuse(parser, name->start, "the size of '%s' is not known", name->text);
  // Two objects of one empty class are never in one place.
  if (class->has_empty_base && is_empty_class(of))
    return smb_parser_refuse(parser, name->start, "it has an empty base and an empty member");
  note_plainness(class, find_plainness(of));
  return smb_structure_add(parser, class->type, class->members, name, of, align);
}

// What is behind a member: its first value does not change the layout.
static gboolean
skip_value(Parser *parser, Class *class) {
  static const char *const ends[] = {",", ";", NULL};
  gboolean has_value = smb_parser_is(parser, "{") || smb_parser_is(parser, "=");
  if (has_value)
    note_plainness(class, PLAIN_OR_NOT);
  while (has_value && parser->at->kind != TOKEN_END && !smb_token_is_any(parser->at, ends)) {
    gboolean is_list = smb_parser_is(parser, "{"), is_call = smb_parser_is(parser, "(");
    if (!is_list && !is_call)
      smb_parser_advance(parser);
    else if (!smb_parser_skip_group(parser, is_list ? "{" : "(", is_list ? "}" : ")"))
      return FALSE;
  }
  return TRUE;
}

static gboolean
parse_class_field(Parser *parser, Class *class, const Specifiers *specifiers) {
  const Token *name, *first = parser->at;
  if (smb_parser_is(parser, "(") && smb_token_is(first->next, "*")) { // to a function
    name = first->next->next;
    if (name->kind != TOKEN_NAME)
      return smb_parser_refuse(parser, first->start, "expected the name of a member");
    move_before(parser, find_group_end(first, "(", ")"));
    const Type *pointer = smb_type_pointer(parser->pool, smb_type_scalar(KIND_UCHAR));
    return (!smb_parser_is(parser, "(") || smb_parser_skip_group(parser, "(", ")")) &&
           add_class_field(parser, class, name, pointer, specifiers->align);
  }
  parser->may_refer = TRUE;
  parser->is_reference = FALSE;
  const Type *of = smb_parse_declared(parser, specifiers->type, &name);
  parser->may_refer = FALSE;
  if (!of)
    return FALSE;
  if (smb_parser_is(parser, ":"))
    return smb_parser_refuse(parser, first->start, "it has bit fields");
  if (!name)
    return smb_parser_refuse(parser, first->start, "expected the name of a member");
  if (parser->is_reference)
    note_plainness(class, PLAIN_NOT);
  return add_class_field(parser, class, name,
                         parser->is_reference ? smb_type_pointer(parser->pool, of) : of,
                         specifiers->align);
}

// Members of a structure or union without a name are members of this one.
static gboolean
add_nameless(Parser *parser, Class *class, const Type *of) {
  Token nameless = *parser->last;
  nameless.text = "";
  return of->count == 0 || add_class_field(parser, class, &nameless, of, 0);
}

static gboolean
parse_class_fields(Parser *parser, Class *class) {
  static const char *const ends[] = {";", "=", "{", ",", NULL};
  Specifiers specifiers;
  const Token *first = parser->at, *name;
  Parser before = *parser;
  if (!smb_parse_typed_specifiers(parser, &specifiers)) {
    Parser again = before;
    const Type *pointer = parse_foreign_pointer(&again, ends, &name);
    if (!pointer)
      return FALSE;
    *parser = again;
    return add_class_field(parser, class, name, pointer, 0) && skip_value(parser, class) &&
           smb_parser_expect(parser, ";");
  }
  for (; first != parser->at && first->kind != TOKEN_END; first = first->next) {
    if (smb_token_is(first, "__attribute__") || smb_token_is(first, "no_unique_address"))
      return smb_parser_refuse(parser, first->start, "it has attributes");
  }
  if (smb_parser_is(parser, ";")) {
    const Type *of = specifiers.type;
    gboolean is_nameless = specifiers.declares_type && of->kind == KIND_STRUCT && !of->name;
    if (is_nameless && specifiers.align)
      return smb_parser_refuse(parser, specifiers.start, "a structure without a name is aligned");
    return (!is_nameless || add_nameless(parser, class, of)) && smb_parser_expect(parser, ";");
  }
  do {
    if (!parse_class_field(parser, class, &specifiers) || !skip_value(parser, class))
      return FALSE;
  } while (smb_parser_take(parser, ","));
  return smb_parser_expect(parser, ";");
}

// "template" "<" … ">" of a member: a function, a class, a name for a type. None of these has a place.
static gboolean
skip_member_template(Parser *parser) {
  gboolean ignored;
  move_before(parser, find_angles_end(parser->at->next));
  const Token *parameters = find_method(parser->at);
  return parameters ? skip_method(parser, parameters, &ignored) : skip_to_end(parser);
}

static gboolean
skip_alias(Parser *parser) {
  GError *ignored = NULL;
  Parser quiet = *parser;
  quiet.error = &ignored;
  if (smb_parse_starts_alias(&quiet))
    (void)smb_parse_alias(&quiet); // its name may be a member's type
  g_clear_error(&ignored);
  return skip_to_end(parser);
}

static gboolean
parse_class_member(Parser *parser, Class *class) {
  static const char *const hidden[] = {"private", "protected", NULL};
  static const char *const skipped[] = {"friend", "static_assert", "_Static_assert", NULL};
  const Token *at = parser->at;
  gboolean ignored;
  if (smb_parser_take(parser, ";"))
    return TRUE;
  if (smb_token_is(at->next, ":") &&
      (smb_token_is_any(at, hidden) || smb_parser_is(parser, "public"))) {
    if (smb_token_is_any(at, hidden))
      note_plainness(class, PLAIN_NOT);
    smb_parser_advance(parser);
    smb_parser_advance(parser);
    return TRUE;
  }
  while (smb_parser_is(parser, "mutable") || smb_parser_is(parser, "typename"))
    smb_parser_advance(parser);
  if (smb_parser_is(parser, "template"))
    return skip_member_template(parser);
  if (smb_parser_is(parser, "using") || smb_parser_is(parser, "typedef"))
    return skip_alias(parser);
  const Token *parameters = find_method(parser->at);
  if (smb_token_is_any(parser->at, skipped))
    return parameters ? skip_method(parser, parameters, &ignored) : skip_to_end(parser);
  if (parameters)
    return parse_method(parser, class, parameters);
  for (const Token *token = parser->at; smb_parse_is_specifier(token); token = token->next) {
    if (smb_token_is(token, "static")) {
      declare_constant(parser);
      return skip_to_end(parser);
    }
  }
  return parse_class_fields(parser, class);
}

// bases = ":" ("public" | "protected" | "private")? type-name ("," …)*
static gboolean
parse_bases(Parser *parser, Class *class) {
  static const char *const access[] = {"public", "protected", "private", NULL};
  Specifiers specifiers;
  do {
    smb_parser_advance(parser);
    if (smb_parser_is(parser, "virtual"))
      return smb_parser_refuse(parser, parser->at->start, "it has a virtual base class");
    if (smb_token_is_any(parser->at, access))
      smb_parser_advance(parser);
    const Token *name = parser->at;
    if (!smb_parse_typed_specifiers(parser, &specifiers))
      return FALSE;
    const Type *base = specifiers.type;
    note_plainness(class, PLAIN_NOT);
    if (base->size == 0)
      return smb_parser_refuse(parser, name->start, "the size of its base '%s' is not known",
                               name->text);
    if (base->kind != KIND_STRUCT || (base->count > 0 && base->used == 0))
      return smb_parser_refuse(parser, name->start,
                               "it is not known whether it uses the padding of its base '%s'",
                               name->text);
    class->has_empty_base = class->has_empty_base || base->count == 0;
    if (!add_nameless(parser, class, base))
      return FALSE;
    class->type->size -= base->count > 0 ? base->size - base->used : 0;
  } while (smb_parser_is(parser, ","));
  return TRUE;
}

gboolean
smb_parse_class(Parser *parser, Type *type) {
  g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(Member));
  Type made = *type; // it has no size until it ends
  Class class = {.type = &made, .members = members};
  g_ptr_array_add(parser->scopes, g_hash_table_new(g_str_hash, g_str_equal));
  gboolean ok = (!smb_parser_is(parser, ":") || parse_bases(parser, &class)) &&
                smb_parser_expect(parser, "{");
  while (ok && !smb_parser_is(parser, "}")) {
    ok = parser->at->kind != TOKEN_END && parse_class_member(parser, &class);
  }
  g_ptr_array_remove_index(parser->scopes, parser->scopes->len - 1);
  if (!ok)
    return smb_parser_refuse(parser, parser->at->start, "expected a member");
  smb_parser_advance(parser);
  if (smb_parser_is(parser, "__attribute__"))
    return smb_parser_refuse(parser, parser->at->start, "it has attributes");
  if (!smb_parse_alignments(parser, &made.align))
    return FALSE;
  gsize filled = MAX(made.size, 1);
  made.size = (filled + made.align - 1) / made.align * made.align;
  made.used = made.plainness == PLAIN_NOT                             ? filled
              : made.plainness == PLAIN_SO_FAR || filled == made.size ? made.size
                                                                      : 0;
  made.count = members->len;
  made.members = smb_kernel_pool_alloc(parser->pool, MAX(members->len, 1) * sizeof(Member));
  if (members->len > 0)
    memcpy((gpointer)made.members, members->data, members->len * sizeof(Member));
  *type = made;
  return TRUE;
}

// --- instances of templates

static Item *
find_class_template(const Parser *parser, const Token *name) {
  const GPtrArray *items = smb_outline_find(parser->outline, name);
  for (guint i = 0; items && i < items->len; i++) {
    Item *item = g_ptr_array_index(items, i);
    if (item->kind == ITEM_TYPE && item->parameters && !item->is_specialization)
      return item;
  }
  return NULL;
}

// Whether "struct NAME<" follows a template somewhere: another layout for some arguments.
static gboolean
is_class_specialized(const Parser *parser, const Token *name) {
  for (guint i = 0; i < parser->outline->items->len; i++) {
    const Item *item = g_ptr_array_index(parser->outline->items, i);
    const Token *second = item->parameters ? item->first->next : NULL;
    if (second && smb_token_is(second, name->text) && smb_token_is(second->next, "<"))
      return TRUE;
  }
  return FALSE;
}

static const Type *
find_class_instance(Parser *parser, Item *item, const Token *name,
                    const TemplateArguments *arguments) {
  guint n = 0;
  for (const Instance *known = item->instances; known; known = known->next, n++) {
    if (strcmp(known->key, arguments->key) == 0)
      return known->type;
  }
  if (n == MAX_INSTANCES || is_class_specialized(parser, name))
    return smb_parser_fail(parser, name->start, "'%s' has %s", name->text,
                           n == MAX_INSTANCES ? "too many instances" : "specializations");
  Instance *instance = kernel_pool_new_struct(parser->pool, Instance);
  const char *whole = smb_kernel_pool_printf(parser->pool, "%s%s", name->text, arguments->key);
  // A pointer to itself is to what is not known yet.
  *instance = (Instance){arguments->key, smb_type_structure(parser->pool, whole), item->instances};
  item->instances = instance;
  const Type *type = smb_parser_read_class(parser, item, arguments);
  if (!type)
    return NULL;
  Type *named = smb_type_structure(parser->pool, whole);
  *named = *type;
  named->name = whole;
  return instance->type = named;
}

gboolean
smb_parse_starts_class_instance(const Parser *parser) {
  return parser->is_head && parser->at->kind == TOKEN_NAME && smb_token_is(parser->at->next, "<") &&
         find_class_template(parser, parser->at) != NULL;
}

const Type *
smb_parse_class_instance(Parser *parser) {
  const Token *name = parser->at;
  TemplateArguments arguments;
  if (!smb_parse_starts_class_instance(parser))
    return NULL;
  smb_parser_advance(parser);
  return smb_parse_template_arguments(parser, &arguments)
             ? find_class_instance(parser, find_class_template(parser, name), name, &arguments)
             : NULL;
}
