// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One warp request: what the 32 lanes of a warp ask of shared memory in one execution of one
// instruction. Values are not part of it, only addresses.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Lanes of a warp, on every device since compute capability 1.0. */
#define SMB_WARP_LANES 32

/** Longest access of one lane, in bytes (LDS.128, and a row of ldmatrix). */
#define SMB_MAX_WIDTH 16

/** Number of access widths: 1, 2, 4, 8 and 16 bytes. Index of a width: its binary logarithm. */
#define SMB_N_WIDTHS 5

/** The operations, in the order of ops.def. */
typedef enum {
#define SMB_OP(id, name, class, widths, lanes) SMB_OP_##id,
#include "sim/ops.def"
#undef SMB_OP
  SMB_N_OPS
} SmbOp;

/** What totals are kept for. */
typedef enum {
  SMB_OP_CLASS_LOAD,
  SMB_OP_CLASS_STORE,
  SMB_OP_CLASS_ATOMIC,
  SMB_N_OP_CLASSES
} SmbOpClass;

/**
 * SmbRequest:
 * @offset: byte offset of each lane into shared memory; read only where the lane is active
 * @mask: bit i set: lane i is active
 * @op: an SmbOp
 * @width: bytes that one lane asks for: 1, 2, 4, 8 or 16
 *
 * A plain value; smb_request_check() says whether it is a request that hardware could execute.
 */
typedef struct {
  guint32 offset[SMB_WARP_LANES];
  guint32 mask;
  guint8 op;
  guint8 width;
} SmbRequest;

/** Name of an operation as traces write it, such as "ldmatrix.x4" (transfer none). */
const char *smb_op_name(SmbOp op);

/** Class of an operation: the total that it is counted in. */
SmbOpClass smb_op_class(SmbOp op);

/** Name of a class: "load", "store" or "atomic" (transfer none). */
const char *smb_op_class_name(SmbOpClass op_class);

/** Widths in bytes that an operation has, as a bit set: 4 | 8 for an atomic. */
guint smb_op_widths(SmbOp op);

/** Number of lanes whose addresses count, from lane 0: 32, or 8 per matrix of ldmatrix and stmatrix. */
guint smb_op_address_lanes(SmbOp op);

/**
 * smb_op_parse:
 * @name: text, not necessarily terminated
 * @length: its length in bytes
 * @op: (out): the operation
 *
 * Returns: whether @name is the name of an operation.
 */
gboolean smb_op_parse(const char *name, gsize length, SmbOp *op);

/** Binary logarithm of a width that smb_request_check() accepts: the index of per-width tables. */
static inline guint
smb_width_index(guint width) {
  return (guint)__builtin_ctz(width);
}

/** Lanes that ask for something: active, and of those whose addresses the operation reads. */
static inline guint32
smb_request_lanes(const SmbRequest *request) {
  guint lanes = smb_op_address_lanes((SmbOp)request->op);
  return request->mask & (lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u);
}

/**
 * smb_request_check:
 * @request: a request
 * @error: return location for an SMB_ERROR_INPUT
 *
 * Checks that the operation has that width and that every lane that asks is aligned to it and stays
 * below 4 GiB: hardware faults on anything else. All other functions expect a request that passed.
 *
 * Returns: %TRUE if the request can be executed.
 */
gboolean smb_request_check(const SmbRequest *request, GError **error);

G_END_DECLS
