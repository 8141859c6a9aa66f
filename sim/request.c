// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/request.h"

#include <string.h>

#include "sim/error.h"

typedef struct {
  const char *name;
  SmbOpClass op_class;
  guint8 widths;
  guint8 address_lanes;
} Op;

static const Op ops[SMB_N_OPS] = {
#define SMB_OP(id, name, class, widths, lanes) {name, SMB_OP_CLASS_##class, widths, lanes},
#include "sim/ops.def"
#undef SMB_OP
};

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
smb_op_widths(SmbOp op) {
  return ops[op].widths;
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

// "4 or 8", "1, 2, 4, 8 or 16": the widths of an operation in a sentence.
static char *
describe_widths(guint widths) {
  GString *text = g_string_new(NULL);
  for (guint width = 1; width <= SMB_MAX_WIDTH; width *= 2) {
    if (!(widths & width))
      continue;
    gboolean last = widths < 2 * width;
    g_string_append_printf(text, "%s%u", text->len == 0 ? "" : last ? " or " : ", ", width);
  }
  return g_string_free(text, FALSE);
}

gboolean
smb_request_check(const SmbRequest *request, GError **error) {
  g_return_val_if_fail(request->op < SMB_N_OPS, FALSE);
  const Op *op = &ops[request->op];
  guint width = request->width;

  if (width == 0 || (width & (width - 1)) || !(op->widths & width)) {
    g_autofree char *widths = describe_widths(op->widths);
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "width %u is not one of '%s': expected %s bytes",
                width, op->name, widths);
    return FALSE;
  }
  for (guint32 lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint lane = (guint)__builtin_ctz(lanes);
    guint32 offset = request->offset[lane];
    if (offset % width != 0) {
      g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "offset %u of lane %u is misaligned: expected a multiple of the width, %u bytes",
                  offset, lane, width);
      return FALSE;
    }
  }
  return TRUE;
}
