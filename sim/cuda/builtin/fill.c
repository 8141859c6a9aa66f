// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// memset() of a local array, as one assignment for each element: nothing of it is counted. Of shared memory it is
// refused, since the compiler chooses the accesses (nvcc 13.0: bytes, words or vectors, by size and alignment).
#include "sim/cuda/parse/parse.h"

// It is written out.
enum {
  MAX_FILLED_ELEMENTS = 4096
};

gboolean
smb_fill_is_name(const Token *name) {
  return smb_token_is(name, "memset");
}

// Whether an address is of a local array, and nothing happens when it is computed once more.
static gboolean
is_plain_local(const Node *address) {
  const Variable *root = smb_node_root(address);
  for (; address->kind == NODE_CAST || address->kind == NODE_POINTER_ADD; address = address->a) {
    if (address->kind == NODE_POINTER_ADD && address->b->kind != NODE_CONSTANT)
      return FALSE;
  }
  return address->kind == NODE_OBJECT && root && root->storage == STORAGE_PRIVATE;
}

// Assignments to the elements from @first to before @end, one after the other.
static Node *
fill(Parser *parser, Node *pointer, Node *value, guint64 first, guint64 end, guint32 stop) {
  guint32 start = pointer->start;
  if (end - first > 1) {
    guint64 middle = first + (end - first) / 2;
    Node *low = fill(parser, pointer, value, first, middle, stop);
    Node *high = fill(parser, pointer, value, middle, end, stop);
    return high ? smb_node_new(parser, NODE_COMMA, high->type, start, stop, low, high, NULL) : NULL;
  }
  Node *index = smb_node_integer(parser, smb_type_scalar(KIND_INT), (gint64)first, start, stop);
  Node *address = smb_node_pointer_add(parser, pointer, index, FALSE, start, stop);
  Node *element = smb_node_dereference(parser, address, start, stop);
  return smb_node_set(parser, element, value, start, stop);
}

Node *
smb_fill_call(Parser *parser, const Token *name, Node **arguments, guint n) {
  if (!smb_parser_check_count(parser, name, 3, n) || !smb_parser_evaluate(parser, arguments, n))
    return NULL;
  Node *to = arguments[0];
  const Node *value = arguments[1], *count = arguments[2];
  if (to->type->kind != KIND_POINTER || !is_plain_local(to) || value->kind != NODE_CONSTANT ||
      count->kind != NODE_CONSTANT || count->integer <= 0)
    return smb_parser_fail(parser, name->start,
                           "'memset' is evaluated for local arrays, with constants: otherwise its "
                           "accesses are the compiler's choice; write a loop");
  // Elements of the size that the array has, if these are numbers: no more stores than need be.
  static const TypeKind kinds[] = {
      [1] = KIND_UCHAR, [2] = KIND_USHORT, [4] = KIND_UINT, [8] = KIND_ULONG};
  gsize unit = to->type->of->size;
  if (!smb_type_is_arithmetic(to->type->of) || count->integer % (gint64)unit != 0)
    unit = 1;
  guint64 elements = (guint64)count->integer / unit;
  if (elements > MAX_FILLED_ELEMENTS)
    return smb_parser_fail(parser, name->start,
                           "'memset' of %" G_GUINT64_FORMAT " elements: at most %d are written out",
                           elements, MAX_FILLED_ELEMENTS);
  const Type *type = smb_type_scalar(kinds[unit]);
  guint64 bits = (guint8)value->integer * (~G_GUINT64_CONSTANT(0) / 255);
  bits = unit < 8 ? bits & ((G_GUINT64_CONSTANT(1) << 8 * unit) - 1) : bits;
  Node *pointer = smb_node_cast(parser, to, smb_type_pointer(parser->pool, type), to->start);
  Node *filled = smb_node_integer(parser, type, (gint64)bits, to->start, to->end);
  return pointer ? fill(parser, pointer, filled, 0, elements, parser->last->end) : NULL;
}
