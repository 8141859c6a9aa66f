// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/request.h"

#include <string.h>

#include "sim/base/error.h"

static const guint8 all_widths[SMB_N_WIDTHS] = {1, 2, 4, 8, 12, 16};

// Sets of widths, by their indices.
enum {
  W1 = 1 << 0,
  W2 = 1 << 1,
  W4 = 1 << 2,
  W8 = 1 << 3,
  W16 = 1 << 5,
  ANY = (1 << SMB_N_WIDTHS) - 1,
};

enum {
  ALL = SMB_MAX_LANES,
};

typedef struct {
  const char *name;
  SmbOpClass op_class;
  guint8 widths;
  guint8 address_lanes;
} Op;

static const Op ops[SMB_N_OPS] = {
#define SMB_OP(id, name, class, widths, lanes) {name, SMB_OP_CLASS_##class, widths, lanes},
#include "sim/base/ops.def"
#undef SMB_OP
};

guint
smb_width(guint index) {
  return all_widths[index];
}

gboolean
smb_op_has_width(SmbOp op, guint width) {
  for (guint i = 0; i < SMB_N_WIDTHS; i++) {
    if (all_widths[i] == width)
      return ops[op].widths >> i & 1;
  }
  return FALSE;
}

const char *
smb_op_name(SmbOp op) {
  return ops[op].name;
}

SmbOpClass
smb_op_class(SmbOp op) {
  return ops[op].op_class;
}

const char *
smb_op_class_name(SmbOpClass op_class) {
  static const char *const names[SMB_N_OP_CLASSES] = {"load", "store", "atomic"};
  return names[op_class];
}

guint
smb_op_address_lanes(SmbOp op) {
  return ops[op].address_lanes;
}

gboolean
smb_op_parse(const char *name, gsize length, SmbOp *op) {
  for (guint i = 0; i < SMB_N_OPS; i++) {
    if (strlen(ops[i].name) == length && memcmp(ops[i].name, name, length) == 0) {
      *op = (SmbOp)i;
      return TRUE;
    }
  }
  return FALSE;
}

// "4 or 8", "1, 2, 4, 8, 12 or 16": the widths of an operation in a sentence.
static char *
describe_widths(guint widths) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < SMB_N_WIDTHS; i++) {
    if (!(widths >> i & 1))
      continue;
    gboolean last = widths >> i == 1;
    g_string_append_printf(text, "%s%u", text->len == 0 ? "" : last ? " or " : ", ", all_widths[i]);
  }
  return g_string_free(text, FALSE);
}

guint
smb_request_bad_lane(const SmbRequest *request) {
  guint alignment = smb_width_alignment(request->width);
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint32 offset = request->offset[smb_lanes_first(lanes)];
    if (offset % alignment != 0 || offset > G_MAXUINT32 - request->width + 1)
      return smb_lanes_first(lanes);
  }
  return SMB_MAX_LANES;
}

gboolean
smb_request_check(const SmbRequest *request, GError **error) {
  g_return_val_if_fail(request->op < SMB_N_OPS, FALSE);
  const Op *op = &ops[request->op];
  guint width = request->width, alignment = smb_width_alignment(width);

  if (!smb_op_has_width((SmbOp)request->op, width)) {
    g_autofree char *widths = describe_widths(op->widths);
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "'%s' cannot be %u bytes wide: expected %s",
                    op->name, width, widths);
  }
  guint lane = smb_request_bad_lane(request);
  if (lane == SMB_MAX_LANES)
    return TRUE;
  guint32 offset = request->offset[lane];
  if (offset % alignment != 0)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "offset %u of lane %u is misaligned: expected a multiple of %u", offset, lane,
                    alignment);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "offset %u of lane %u is too large: %u bytes from there reach 4 GiB", offset,
                  lane, width);
}

guint
smb_request_hash(gconstpointer key) {
  const SmbRequest *request = key;
  guint64 hash = request->mask ^ (guint64)request->op << 8 ^ request->width;
  for (SmbLanes lanes = request->mask; lanes; lanes &= lanes - 1)
    hash = (hash ^ (hash >> 29) ^ request->offset[smb_lanes_first(lanes)]) *
           G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  return (guint)(hash >> 32);
}

gboolean
smb_request_equal(gconstpointer a, gconstpointer b) {
  const SmbRequest *x = a, *y = b;
  gboolean equal = x->mask == y->mask && x->op == y->op && x->width == y->width;
  for (SmbLanes lanes = x->mask; equal && lanes; lanes &= lanes - 1)
    equal = x->offset[smb_lanes_first(lanes)] == y->offset[smb_lanes_first(lanes)];
  return equal && smb_request_same_source(x, y);
}

SmbLanes
smb_request_zeros(const SmbRequest *request) {
  SmbLanes zeros = 0;
  for (SmbLanes lanes = request->mask; request->has_source && lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    zeros |= (SmbLanes)(request->source[lane] == SMB_SOURCE_NONE) << lane;
  }
  return zeros;
}

guint
smb_request_source_lines(const SmbRequest *request) {
  guint n = 0;
  for (SmbLanes lanes = request->mask; request->has_source && lanes; lanes &= lanes - 1) {
    guint source = request->source[smb_lanes_first(lanes)];
    n = MAX(n, source == SMB_SOURCE_NONE ? 0 : source / SMB_SOURCE_LINE_WORDS + 1u);
  }
  return n;
}

gboolean
smb_request_same_source(const SmbRequest *a, const SmbRequest *b) {
  gboolean same = !a->has_source == !b->has_source;
  for (SmbLanes lanes = a->mask; same && a->has_source && lanes; lanes &= lanes - 1)
    same = a->source[smb_lanes_first(lanes)] == b->source[smb_lanes_first(lanes)];
  return same;
}
