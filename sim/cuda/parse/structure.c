// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Structures: their definitions, laid out as the C ABI says, and their members. Members are variables; what
// C++ adds (functions, base classes, access) is refused, and so is what packs members together.
#include <string.h>

#include "sim/cuda/parse/parse.h"

static gpointer
refuse(Parser *parser, guint32 start, const char *what) {
  return smb_parser_fail(parser, start, "%s outside the subset: a structure has variables only",
                         what);
}

// Attributes may lay it out differently, and are not read.
static gpointer
refuse_attribute(Parser *parser, const Token *attribute) {
  return smb_parser_fail(parser, attribute->start,
                         "attributes of structures are outside the subset: only __align__(BYTES) "
                         "and alignas(BYTES) change the layout");
}

// Why a member cannot be declared like that, or NULL.
static const char *
find_problem(const Parser *parser, const Specifiers *specifiers, const Type *type,
             const Token *name) {
  if (smb_parser_is(parser, "("))
    return "functions of structures are";
  if (specifiers->is_static || specifiers->is_extern || specifiers->is_shared)
    return "a static member is";
  if (smb_parser_is(parser, ":"))
    return "bit fields are";
  if (smb_parser_is(parser, "=") || smb_parser_is(parser, "{"))
    return "the initializer of a member is";
  if (!name)
    return "a member without a name is";
  return type->size == 0 ? "a member without a size is" : NULL;
}

static gsize
align_up(gsize offset, guint align) {
  return (offset + align - 1) & ~(gsize)(align - 1);
}

// Members of a structure, of which others may be a part many times: unions do not grow.
static gboolean
note_part_count(Parser *parser, Type *type, const Token *name, const Type *of) {
  enum {
    MAX_STRUCTURE_PARTS = 1 << 16
  };
  while (of->kind == KIND_ARRAY)
    of = of->of;
  type->n_parts += of->kind == KIND_STRUCT ? MAX(of->n_parts, 1) : 1;
  return type->n_parts <= MAX_STRUCTURE_PARTS ||
         smb_parser_refuse(parser, name->start, "this structure has more than %d members",
                           MAX_STRUCTURE_PARTS);
}

gboolean
smb_structure_add(Parser *parser, Type *type, GArray *members, const Token *name, const Type *of,
                  guint align) {
  Member member = {.name = name->text, .type = of, .start = name->start};
  for (guint i = 0; i < members->len; i++) {
    if (*member.name && strcmp(g_array_index(members, Member, i).name, member.name) == 0)
      return smb_parser_refuse(parser, name->start, "'%s' is declared twice", member.name);
  }
  if (!note_part_count(parser, type, name, of))
    return FALSE;
  align = MAX(align, of->align);
  type->align = MAX(type->align, align);
  member.offset = type->is_union ? 0 : align_up(type->size, align);
  type->size = MAX(type->size, member.offset + of->size);
  if (type->size > MAX_OBJECT_BYTES)
    return smb_parser_refuse(parser, name->start, "this structure is larger than %u MiB",
                             (guint)(MAX_OBJECT_BYTES >> 20));
  const Type *leaf = smb_type_leaf(of);
  type->leaf = members->len == 0 || type->leaf == leaf ? leaf : NULL;
  g_array_append_val(members, member);
  return TRUE;
}

// member = specifiers declared ("," declared)* ";"
static gboolean
parse_member(Parser *parser, Type *type, GArray *members) {
  Specifiers specifiers;
  const Token *attribute = parser->at;
  if (!smb_parse_typed_specifiers(parser, &specifiers))
    return FALSE;
  for (; attribute != parser->at; attribute = attribute->next) {
    if (smb_token_is(attribute, "__attribute__"))
      return refuse_attribute(parser, attribute) != NULL;
  }
  do {
    const Token *name, *first = parser->at;
    const Type *of = smb_parse_declared(parser, specifiers.type, &name);
    if (!of)
      return FALSE;
    const char *problem = find_problem(parser, &specifiers, of, name);
    if (problem)
      return refuse(parser, first->start, problem) != NULL;
    if (!smb_structure_add(parser, type, members, name, of, specifiers.align))
      return FALSE;
  } while (smb_parser_take(parser, ","));
  return smb_parser_expect(parser, ";");
}

// "{" member+ "}" alignment*
static gboolean
parse_members(Parser *parser, Type *type) {
  g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(Member));
  Type made = *type; // it has no size until it ends
  const Token *opening = parser->at;
  smb_parser_advance(parser);
  while (!smb_parser_is(parser, "}")) {
    if (!parse_member(parser, &made, members))
      return FALSE;
  }
  smb_parser_advance(parser);
  if (members->len == 0)
    return smb_parser_refuse(parser, opening->start,
                             "a structure without members is outside the subset");
  if (smb_parser_is(parser, "__attribute__"))
    return refuse_attribute(parser, parser->at) != NULL;
  if (!smb_parse_alignments(parser, &made.align))
    return FALSE;
  made.size = align_up(made.size, made.align);
  made.count = members->len;
  made.members = memcpy(smb_kernel_pool_alloc(parser->pool, members->len * sizeof(Member)),
                        members->data, members->len * sizeof(Member));
  *type = made;
  return TRUE;
}

// struct = "struct" alignment* (name | name? "{" member+ "}" alignment*); of a head also "class" and "union"
const Type *
smb_parse_structure(Parser *parser, gboolean *is_defined) {
  guint align = 1;
  gboolean is_typedef = smb_token_is(parser->last, "typedef");
  gboolean is_union = smb_parser_is(parser, "union");
  smb_parser_advance(parser);
  if (!smb_parse_alignments(parser, &align))
    return NULL;
  const Token *name = parser->at->kind == TOKEN_NAME ? parser->at : NULL;
  if (smb_parser_is(parser, "__attribute__"))
    return refuse_attribute(parser, parser->at);
  if (name)
    smb_parser_advance(parser);
  if (parser->is_head)
    (void)smb_parser_take(parser, "final");
  if (smb_parser_is(parser, ":") && !parser->is_head)
    return refuse(parser, parser->at->start, "a base class is");
  if (!smb_parser_is(parser, "{") && !smb_parser_is(parser, ":")) {
    const Type *known = name ? smb_parser_find_type(parser, name) : NULL;
    if (known && known->kind == KIND_STRUCT)
      return known;
    return smb_parser_fail(parser, name ? name->start : parser->at->start,
                           "expected a structure that is defined above");
  }
  if (smb_kernel_macros_packs(parser->kernel->macros))
    return smb_parser_fail(parser, parser->at->start,
                           "structures are outside the subset in a file with #pragma pack, which "
                           "may change their layout");
  Type *type = smb_type_structure(parser->pool, name ? name->text : NULL);
  type->align = align;
  type->is_union = is_union;
  *is_defined = TRUE;
  if (name && !smb_parser_declare(parser, name, type, STORAGE_TYPE))
    return NULL;
  if (!smb_parser_enter(parser) ||
      !(parser->is_head ? smb_parse_class : parse_members)(parser, type)) {
    type->unknown = parser->is_head ? smb_parser_keep_reason(parser) : NULL;
    return NULL;
  }
  smb_parser_leave(parser);
  if (!name && is_typedef && parser->at->kind == TOKEN_NAME)
    type->name = parser->at->text;
  return type;
}

Node *
smb_node_part(Parser *parser, const Node *place, const Type *type, gsize offset, guint32 end) {
  const Type *bytes = smb_type_pointer(parser->pool, smb_type_scalar(KIND_UCHAR));
  guint32 start = place->start;
  Node *first = smb_node_new(parser, NODE_CAST, bytes, start, end, place->a, NULL, NULL);
  Node *by = smb_node_integer(parser, smb_type_scalar(KIND_LONG), (gint64)offset, start, end);
  Node *address = smb_node_pointer_add(parser, first, by, FALSE, start, end);
  address = smb_node_new(parser, NODE_CAST, smb_type_pointer(parser->pool, type), start, end,
                         address, NULL, NULL);
  return smb_node_dereference(parser, address, start, end);
}

Node *
smb_structure_member(Parser *parser, const Node *base, const Token *name) {
  const Type *type = base->type;
  const char *text = name->text;
  for (gsize i = 0; i < type->count; i++) {
    const Member *member = &type->members[i];
    if (strcmp(member->name, text) == 0)
      return smb_node_part(parser, base, member->type, member->offset, name->end);
  }
  return smb_parser_fail(parser, name->start, "%s has no member '%s'",
                         smb_type_phrase(parser->pool, type), text);
}
