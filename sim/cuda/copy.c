// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies of structures, in the pieces that nvcc makes of them (doc/kernel-language.md; seen in the PTX of
// nvcc 13.0 for structures in static shared memory, and checked by tests/nvcc-copies.sh).
#include <string.h>

#include "sim/cuda/parse.h"

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

static const Type *
find_piece_type(guint width) {
  return width == 1   ? smb_type_scalar(KIND_UCHAR)
         : width == 2 ? smb_type_scalar(KIND_USHORT)
         : width == 4 ? smb_type_scalar(KIND_UINT)
                      : smb_type_by_name(width == 8 ? "uint2" : "uint4", 5);
}

// One piece of a place, which is no deeper than that. Pieces of one width are counted together.
static Node *
make_piece(Parser *parser, const Node *place, guint width, gsize offset, SmbOpClass op_class,
           Node **others, guint n) {
  Node *piece = smb_node_new(parser, NODE_DEREFERENCE, find_piece_type(width), place->start,
                             place->end, NULL, NULL, NULL);
  gint *site = op_class == SMB_OP_CLASS_LOAD ? &piece->load_site : &piece->store_site;
  piece->integer = (gint64)offset;
  for (guint i = 0; i < n; i += 2) {
    if (others[i]->type == piece->type) {
      *site = op_class == SMB_OP_CLASS_LOAD ? others[i]->load_site : others[i]->store_site;
      return piece;
    }
  }
  smb_node_add_site(parser, piece, op_class, site);
  // nvcc makes wider pieces where it knows more of the address than the alignment of the type.
  const Variable *root = smb_node_root(place->a);
  gsize known = MIN(place->type->align, 16),
        possible = MIN(place->type->size & -place->type->size, 16);
  g_array_index(parser->kernel->program.sites, SmbSite, *site).may_merge =
      possible > known && !(root && root->storage == STORAGE_SHARED);
  return piece;
}

Node *
smb_node_copy(Parser *parser, const Node *to, const Node *from, guint32 start, guint32 end) {
  const Type *type = to->type;
  if (type->size > MAX_COPY_BYTES)
    return smb_parser_fail(parser, start,
                           "a %s is %" G_GSIZE_FORMAT
                           " bytes: structures of more than %d are not copied; copy its members",
                           smb_type_describe(parser->pool, type), type->size, MAX_COPY_BYTES);
  guint8 sizes[MAX_COPY_BYTES] = {0};
  note_sizes(type, sizes);
  gboolean whole = is_copied_whole(type, sizes);
  guint limit = MIN(type->align, 16), n = 0;
  Node *copy = smb_node_new(parser, NODE_COPY, smb_type_pointer(parser->pool, type), start, end,
                            to->a, from->a, NULL);
  copy->arguments = smb_kernel_pool_alloc(parser->pool, 2 * type->size * sizeof *copy->arguments);
  for (gsize at = 0; at < type->size;) {
    guint width = whole ? limit : measure_piece(sizes, at, type->size, limit);
    Node **pieces = copy->arguments;
    pieces[n] = make_piece(parser, from, width, at, SMB_OP_CLASS_LOAD, pieces, n);
    pieces[n + 1] = make_piece(parser, to, width, at, SMB_OP_CLASS_STORE, pieces + 1, n);
    for (guint i = 0; i < width; i++)
      pieces[n]->padding |= (guint16)((sizes[at + i] == 0) << i);
    n += 2;
    at += width;
  }
  copy->n_arguments = n;
  return smb_node_dereference(parser, copy, start, end);
}

Node *
smb_node_temporary(Parser *parser, const Type *type, guint32 start, guint32 end) {
  Token name = *parser->last;
  name.text = smb_kernel_pool_printf(parser->pool, "(temporary %u)",
                                     parser->kernel->objects->len + parser->kernel->locals->len);
  name.length = (guint32)strlen(name.text);
  const Variable *variable = smb_parser_declare(
      parser, &name, type, smb_type_is_aggregate(type) ? STORAGE_PRIVATE : STORAGE_LOCAL);
  return variable ? smb_node_variable(parser, variable, start, end) : NULL;
}
