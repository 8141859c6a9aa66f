// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies of structures, in the pieces that nvcc makes of them (doc/kernel-language.md; seen in the PTX of
// nvcc 13.0 for structures in static shared memory, and checked by tests/nvcc-copies.sh).
#include <string.h>

#include "sim/cuda/parse/parse.h"

// A copy is written out: larger structures are not copied.
enum {
  MAX_COPY_BYTES = 4096
};

// Writes for each byte the size of the scalar that it is part of; 0 remains in padding.
static void
note_sizes(const Type *type, guint8 *sizes) {
  if (type->kind == KIND_STRUCT) {
    for (gsize i = 0; i < type->count; i++)
      note_sizes(type->members[i].type, sizes + type->members[i].offset);
  } else if (type->kind == KIND_ARRAY || type->kind == KIND_VECTOR) {
    for (gsize i = 0; i < type->count; i++)
      note_sizes(type->of, sizes + i * type->of->size);
  } else {
    memset(sizes, (int)type->size, type->size);
  }
}

// Whether it is copied as bytes, in pieces of its alignment: if that is more than its scalars need, or if
// there is padding within.
static gboolean
is_copied_whole(const Type *type, const guint8 *sizes) {
  gsize end = type->size, largest = 0;
  while (sizes[end - 1] == 0)
    end--;
  for (gsize i = 0; i < type->size; i++)
    largest = MAX(largest, sizes[i]);
  return type->align > largest || memchr(sizes, 0, end) != NULL;
}

// Bytes of the piece that begins at @offset. Neighbours of one size, and bytes of padding at the end, are one
// piece as far as the alignment allows.
static guint
measure_piece(const guint8 *sizes, gsize offset, gsize size, guint limit) {
  guint8 unit = MAX(sizes[offset], 1);
  guint width = unit;
  while (2 * width <= limit && offset % (2 * width) == 0 && offset + 2 * width <= size) {
    for (guint i = width; i < 2 * width; i++) {
      if (MAX(sizes[offset + i], 1) != unit)
        return width;
    }
    width *= 2;
  }
  return width;
}

// The alignment that nvcc knows of an address: what the steps from a variable keep of that variable's. 0: what it
// starts from is not known here.
static gsize
find_alignment(const Node *address) {
  gsize kept = SMB_MAX_WIDTH;
  for (; address->kind == NODE_CAST || address->kind == NODE_POINTER_ADD ||
         address->kind == NODE_COPY;
       address = address->a) {
    if (address->kind != NODE_POINTER_ADD)
      continue;
    guint64 step = (guint64)address->integer;
    if (address->b->kind == NODE_CONSTANT)
      step *= (guint64)address->b->integer;
    kept = step ? MIN(kept, step & -step) : kept;
  }
  if (address->kind != NODE_OBJECT)
    return 0;
  // The alignment that was asked for stands in place of a shared variable's address until the layout is made.
  const Variable *variable = address->variable;
  gsize own = variable->storage == STORAGE_DYNAMIC  ? SMB_MAX_WIDTH
              : variable->storage == STORAGE_SHARED ? MAX(variable->type->align, variable->address)
                                                    : variable->type->align;
  return MIN(kept, own);
}

// One side of a copy.
typedef struct {
  const Node *place;
  SmbOpClass op_class;
  guint limit;        // bytes that its alignment lets an access have
  gboolean may_merge; // or more: what nvcc knows of the address is not known here
} Side;

static Side
make_side(const Node *place, SmbOpClass op_class) {
  gsize size = place->type->size, align = place->type->align, known = find_alignment(place->a);
  gsize largest = MIN(size & -size, SMB_MAX_WIDTH);
  return (Side){place, op_class, (guint)MIN(MAX(align, known), SMB_MAX_WIDTH),
                known == 0 && largest > align};
}

// Bytes that one access of a side moves at @offset.
static guint
find_width(const Side *side, const guint8 *sizes, gboolean whole, gsize offset) {
  gsize size = side->place->type->size;
  return whole ? (guint)MIN(side->limit, size & -size)
               : measure_piece(sizes, offset, size, side->limit);
}

// So many components of so many bytes, which stand for bits.
static const Type *
find_bits(guint unit, guint n) {
  static const char *const names[] = {[1] = "uchar", [2] = "ushort", [4] = "uint"};
  char name[16];
  g_snprintf(name, sizeof name, n > 1 ? "%s%u" : "%s", names[unit], n);
  return smb_type_by_name(name);
}

// One piece of a side, no deeper than its place. Accesses of one width are counted together.
static Node *
make_piece(Parser *parser, const Side *side, const Type *type, guint width, gsize offset,
           Node **others, guint n) {
  Node *piece = smb_node_leaf(parser, NODE_DEREFERENCE, type, side->place->start, side->place->end);
  gboolean loads = side->op_class == SMB_OP_CLASS_LOAD;
  gint *site = loads ? &piece->load_site : &piece->store_site;
  piece->integer = (gint64)offset;
  piece->width = (guint8)width;
  for (guint i = 0; i < n; i += 2) {
    if (others[i]->width == width) {
      *site = loads ? others[i]->load_site : others[i]->store_site;
      return piece;
    }
  }
  smb_node_add_site(parser, piece, side->op_class, site);
  g_array_index(parser->kernel->program.sites, SmbSite, *site).may_merge = side->may_merge;
  return piece;
}

Node *
smb_node_copy(Parser *parser, const Node *to, const Node *from, guint32 start, guint32 end) {
  const Type *type = to->type;
  if (type->size > MAX_COPY_BYTES)
    return smb_parser_fail(parser, start,
                           "%s is %" G_GSIZE_FORMAT
                           " bytes: structures of more than %d are not copied; copy its members",
                           smb_type_phrase(parser->pool, type), type->size, MAX_COPY_BYTES);
  guint8 sizes[MAX_COPY_BYTES] = {0};
  note_sizes(type, sizes);
  gboolean whole = is_copied_whole(type, sizes);
  const Side source = make_side(from, SMB_OP_CLASS_LOAD),
             target = make_side(to, SMB_OP_CLASS_STORE);
  Node *copy = smb_node_new(parser, NODE_COPY, smb_type_pointer(parser->pool, type), start, end,
                            to->a, from->a, NULL);
  if (!copy)
    return NULL;
  Node **pieces = smb_kernel_pool_alloc(parser->pool, 2 * type->size * sizeof *pieces);
  guint n = 0;
  for (gsize at = 0; at < type->size; n += 2) {
    // A piece is one access of the side that moves more at once, as far as a vector of the other's holds it.
    guint load = find_width(&source, sizes, whole, at),
          store = find_width(&target, sizes, whole, at);
    guint unit = MIN(MIN(load, store), 4), width = MIN(MAX(load, store), 4 * unit);
    const Type *bits = find_bits(unit, width / unit);
    pieces[n] = make_piece(parser, &source, bits, MIN(load, width), at, pieces, n);
    pieces[n + 1] = make_piece(parser, &target, bits, MIN(store, width), at, pieces + 1, n);
    for (guint i = 0; i < width; i++)
      pieces[n]->padding |= (guint16)((sizes[at + i] == 0) << i);
    at += width;
  }
  copy->arguments = pieces;
  copy->n_arguments = n;
  return smb_node_dereference(parser, copy, to->start, to->end);
}

Node *
smb_node_temporary(Parser *parser, const Type *type, guint32 start, guint32 end) {
  Token name = *parser->last;
  name.text = smb_kernel_pool_printf(parser->pool, "(temporary %u)",
                                     parser->kernel->objects->len + parser->kernel->locals->len);
  const Variable *variable = smb_parser_declare(
      parser, &name, type, smb_type_is_aggregate(type) ? STORAGE_PRIVATE : STORAGE_LOCAL);
  return variable ? smb_node_variable(parser, variable, start, end) : NULL;
}
