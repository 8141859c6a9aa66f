// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One warp request: what the lanes of a warp ask of shared memory in one execution of one instruction.
// Values are not part of it, only addresses.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Lanes of a warp on every NVIDIA device since compute capability 1.0. */
#define SMB_NVIDIA_LANES 32

/** Lanes of the widest warp (a wavefront of AMD's GCN and CDNA). */
#define SMB_MAX_LANES 64

/** Longest access of one lane, in bytes (LDS.128, ds_read_b128, and a row of ldmatrix). */
#define SMB_MAX_WIDTH 16

/** Number of access widths: 1, 2, 4, 8, 12 and 16 bytes (smb_width()). */
#define SMB_N_WIDTHS 6

/** A set of lanes: bit i is lane i. */
typedef guint64 SmbLanes;

/** The bits of lanes 0 to 31: a compiler makes vectors of a loop that finds them in a table. */
#define SMB_LANE_BITS                                                                              \
  SMB_LANE_BITS_4(0), SMB_LANE_BITS_4(4), SMB_LANE_BITS_4(8), SMB_LANE_BITS_4(12),                 \
      SMB_LANE_BITS_4(16), SMB_LANE_BITS_4(20), SMB_LANE_BITS_4(24), SMB_LANE_BITS_4(28)
#define SMB_LANE_BITS_4(lane) 1u << (lane), 2u << (lane), 4u << (lane), 8u << (lane)

/** Number of lanes in a set. */
static inline guint
smb_lanes_count(SmbLanes lanes) {
  return (guint)__builtin_popcountll(lanes);
}

/** Lowest lane of a set that is not empty. */
static inline guint
smb_lanes_first(SmbLanes lanes) {
  return (guint)__builtin_ctzll(lanes);
}

/** Highest lane of a set that is not empty. */
static inline guint
smb_lanes_last(SmbLanes lanes) {
  return 63 - (guint)__builtin_clzll(lanes);
}

/** The set of the lanes from 0 to @n − 1; @n is at most 64. */
static inline SmbLanes
smb_lanes_below(guint n) {
  return n ? ~(SmbLanes)0 >> (SMB_MAX_LANES - n) : 0;
}

/** The operations, in the order of ops.def. */
typedef enum {
#define SMB_OP(id, name, class, widths, lanes) SMB_OP_##id,
#include "sim/base/ops.def"
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
 * @mask: the active lanes
 * @op: an SmbOp
 * @width: bytes that one lane accesses: 1, 2, 4, 8, 12 or 16
 * @has_source: for a copy from global memory: whether @source says where its bytes come from
 * @offset: byte offset of each lane into shared memory; read only where the lane is active
 * @source: where a lane copies from, in words of 4 bytes: that of its line, one of %SMB_SOURCE_LINE_BYTES, plus
 *   %SMB_SOURCE_LINE_WORDS times the number of the line; the lines of a request have numbers from 0, in the order of
 *   its lanes. %SMB_SOURCE_NONE of a lane that reads nothing, and writes zeros. Read only where the lane is active, of
 *   a request that has it
 *
 * A plain value; smb_request_check() says whether it is a request that hardware could execute. The offsets come
 * after them, so that a request of 32 lanes takes three cache lines; they begin at byte 16, where fewer loads of 64
 * bytes cross one.
 */
typedef struct {
  SmbLanes mask;
  guint8 op;
  guint8 width;
  guint8 has_source;
  guint32 offset[SMB_MAX_LANES] __attribute__((aligned(8)));
  guint16 source[SMB_MAX_LANES];
} SmbRequest;

/** What global memory is copied by: lines of the first-level cache, of four sectors. */
#define SMB_SOURCE_LINE_BYTES   128
#define SMB_SOURCE_LINE_WORDS   32
#define SMB_SOURCE_SECTOR_BYTES 32
#define SMB_SOURCE_NONE         G_MAXUINT16

/** The active lanes that copy nothing, and write zeros. */
SmbLanes smb_request_zeros(const SmbRequest *request);

/** Lines that a request copies from; 0 if it does not say. */
guint smb_request_source_lines(const SmbRequest *request);

/** Whether two requests of the same active lanes copy from the same words of their lines, or both do not say. */
gboolean smb_request_same_source(const SmbRequest *a, const SmbRequest *b);

/** Name of an operation as traces write it, such as "ldmatrix.x4" (transfer none). */
const char *smb_op_name(SmbOp op);

/** Class of an operation: the total that it is counted in. */
SmbOpClass smb_op_class(SmbOp op);

/** Whether an operation is of shared memory; else of constant memory. */
static inline gboolean
smb_op_is_shared(SmbOp op) {
  return op != SMB_OP_LD_CONST;
}

/** Bytes of constant memory that loads are spread over where they are measured: the first-level cache keeps them. */
#define SMB_CONSTANT_PROBE_BYTES 2048

/** Name of a class: "load", "store" or "atomic" (transfer none). */
const char *smb_op_class_name(SmbOpClass op_class);

/** A width by its index in per-width tables, from 0: 1, 2, 4, 8, 12 and 16 bytes. */
guint smb_width(guint index);

/** Index of a width, which is one of smb_width(). */
static inline guint
smb_width_index(guint width) {
  return width < 8 ? width / 2 : width / 4 + 1;
}

/** What an access of a width is aligned to, in bytes: the width; of 12 bytes 4, its words. */
static inline guint
smb_width_alignment(guint width) {
  return width & -width;
}

/** Whether an operation has a width; any number may be asked for. */
gboolean smb_op_has_width(SmbOp op, guint width);

/** Number of lanes whose addresses count, from lane 0: SMB_MAX_LANES stands for all of the warp; or 8 per matrix of
 * ldmatrix and stmatrix. */
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

/** Lanes that ask for something: active, and of those whose addresses the operation reads. */
static inline SmbLanes
smb_request_lanes(const SmbRequest *request) {
  return request->mask & smb_lanes_below(smb_op_address_lanes((SmbOp)request->op));
}

/** Number of lanes, from lane 0, that hold all active ones: 32 or 64. The offsets of the others were never set. */
static inline guint
smb_request_span(const SmbRequest *request) {
  return request->mask >> 32 ? 64 : 32;
}

/** Lowest of the lanes that ask and are not aligned, or go beyond 4 GiB; SMB_MAX_LANES: none. The width is known. */
guint smb_request_bad_lane(const SmbRequest *request);

/**
 * smb_request_check:
 * @request: a request
 * @error: return location for an SMB_ERROR_INPUT
 *
 * Checks that the operation has that width and that every lane that asks is aligned to it
 * (smb_width_alignment()) and stays below 4 GiB: hardware faults on anything else. All other functions expect a request
 * that passed.
 *
 * Returns: %TRUE if the request can be executed.
 */
gboolean smb_request_check(const SmbRequest *request, GError **error);

/**
 * smb_request_hash, smb_request_equal: for a table of requests: of the same operation, width, active lanes and offsets
 */
guint smb_request_hash(gconstpointer request);
gboolean smb_request_equal(gconstpointer a, gconstpointer b);

G_END_DECLS
