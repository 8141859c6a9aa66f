// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that use shared memory and make no request of it that is counted: copies in bulk (TMA), asynchronous
// stores, operands of matrix products.
#include <stdio.h>
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  COPY_QUANTUM = 16,    // bytes: of copies in bulk (PTX ISA, "cp.async.bulk")
  FILL_QUANTUM = 8,     // of st.bulk
  RESPONSE_BYTES = 16,  // of clusterlaunchcontrol.try_cancel
  ALLOCATION_BYTES = 4, // of tcgen05.alloc: an address
  FRAGMENT_BYTES = 4,   // that a lane asks for at least
  WARPGROUP = 4,        // warps
  PRODUCT_ROWS = 64,    // of wgmma
};

static PtxResult
refuse(PtxDecoder *decoder, const char *expected) {
  smb_ptx_refuse(decoder, "expected %s", expected);
  return PTX_FAILED;
}

static Bulk *
begin(PtxDecoder *decoder, Step *step, SmbTraffic kind, SmbOpClass op_class, guint quantum) {
  Bulk *bulk = smb_code_new_bulk(decoder->code, kind, quantum);
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  *step = smb_ptx_step(decoder, STEP_BULK);
  step->transfer = transfer;
  step->bulk = bulk;
  transfer->move = (Move){.place = decoder->instruction->offset,
                          .op_class = op_class,
                          .width = quantum,
                          .align = quantum,
                          .reads = op_class == SMB_OP_CLASS_LOAD,
                          .site = smb_ptx_add_site(decoder, op_class, quantum)};
  return bulk;
}

// One end of a step, or its mbarrier, at the site that the step has.
static gboolean
set_end(PtxDecoder *decoder, const Step *step, const Transfer **end, guint operand, PtxArea area,
        SmbOpClass op_class) {
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->move = step->transfer->move;
  transfer->move.op_class = op_class;
  transfer->move.reads = op_class == SMB_OP_CLASS_LOAD;
  if (op_class == SMB_OP_CLASS_ATOMIC)
    transfer->move.width = transfer->move.align = 8;
  *end = transfer;
  return smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, operand), area);
}

static PtxResult
finish(PtxDecoder *decoder, Step *step) {
  smb_code_add(decoder->code, step);
  return PTX_DECODED;
}

// The mbarrier of a step is the last address.
static gboolean
set_barrier(PtxDecoder *decoder, const Step *step, Bulk *bulk) {
  guint i = decoder->instruction->n_operands;
  if (!smb_ptx_has_prefix(decoder, "mbarrier::complete_tx"))
    return TRUE;
  while (i > 1 && smb_ptx_operand(decoder, i - 1)->kind != PTX_OPERAND_ADDRESS)
    i--;
  return set_end(decoder, step, &bulk->barrier, i - 1, AREA_SHARED, SMB_OP_CLASS_ATOMIC);
}

// The space that is named first: where it goes.
static PtxArea
find_destination(const PtxDecoder *decoder) {
  for (guint i = 1; decoder->parts[i]; i++) {
    if (g_str_has_prefix(decoder->parts[i], "shared"))
      return AREA_SHARED;
    if (strcmp(decoder->parts[i], "global") == 0)
      return AREA_GLOBAL;
  }
  return AREA_GENERIC;
}

// cp.async.bulk, cp.reduce.async.bulk [to], [from], bytes{, ...}{, [mbarrier]}{, ...}
static PtxResult
decode_copy(PtxDecoder *decoder, gboolean reduces) {
  PtxArea to = find_destination(decoder);
  gboolean enters = to == AREA_SHARED, within = enters && !smb_ptx_has_part(decoder, "global");
  const PtxOperand *size = smb_ptx_operand(decoder, 2);
  Step step;
  Bulk *bulk = begin(decoder, &step, reduces ? SMB_TRAFFIC_REDUCTION : SMB_TRAFFIC_BULK,
                     enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  bulk->is_lost =
      reduces || smb_ptx_has_part(decoder, "ignore_oob") || smb_ptx_has_part(decoder, "cp_mask");
  bulk->size = smb_ptx_row(decoder, size, 4, FALSE);
  if (bulk->size == NO_ROW)
    return refuse(decoder, "how many bytes are copied");
  if (!set_end(decoder, &step, &bulk->to, 0, to, SMB_OP_CLASS_STORE) ||
      !set_end(decoder, &step, &bulk->from, 1, enters && !within ? AREA_GLOBAL : AREA_SHARED,
               SMB_OP_CLASS_LOAD) ||
      !set_barrier(decoder, &step, bulk))
    return PTX_FAILED;
  return finish(decoder, &step);
}

// Of a box of a tensor, the size stands in a descriptor that is not read.
static PtxResult
decode_tensor(PtxDecoder *decoder) {
  gboolean enters = find_destination(decoder) == AREA_SHARED;
  Step step;
  Bulk *bulk = begin(decoder, &step, SMB_TRAFFIC_TENSOR,
                     enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  gboolean ok = enters ? set_end(decoder, &step, &bulk->to, 0, AREA_SHARED, SMB_OP_CLASS_STORE) &&
                             set_barrier(decoder, &step, bulk)
                       : set_end(decoder, &step, &bulk->from, 1, AREA_SHARED, SMB_OP_CLASS_LOAD);
  return ok ? finish(decoder, &step) : PTX_FAILED;
}

// What writes some bytes that are not known, such as the response to a request.
static PtxResult
decode_response(PtxDecoder *decoder, SmbTraffic kind, guint bytes, guint quantum) {
  Step step;
  Bulk *bulk = begin(decoder, &step, kind, SMB_OP_CLASS_STORE, quantum);
  bulk->size = smb_ptx_constant(decoder, bytes, 4);
  bulk->is_lost = TRUE;
  if (!set_end(decoder, &step, &bulk->to, 0,
               smb_ptx_has_prefix(decoder, "shared") ? AREA_SHARED : AREA_GENERIC,
               SMB_OP_CLASS_STORE) ||
      !set_barrier(decoder, &step, bulk))
    return PTX_FAILED;
  return finish(decoder, &step);
}

// st.async and red.async [to], value, [mbarrier]: what they leave is not modelled.
static PtxResult
decode_store(PtxDecoder *decoder) {
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  guint n = smb_ptx_has_part(decoder, "v2") ? 2 : smb_ptx_has_part(decoder, "v4") ? 4 : 1;
  if (bytes == 0)
    return refuse(decoder, "a type");
  return decode_response(decoder, SMB_TRAFFIC_STORE, bytes * n, bytes * n);
}

// st.bulk [to], bytes, 0
static PtxResult
decode_fill(PtxDecoder *decoder) {
  const PtxOperand *size = smb_ptx_operand(decoder, 1);
  Step step;
  Bulk *bulk = begin(decoder, &step, SMB_TRAFFIC_BULK, SMB_OP_CLASS_STORE, FILL_QUANTUM);
  bulk->size = smb_ptx_row(decoder, size, 4, FALSE);
  bulk->is_zeros = TRUE;
  if (bulk->size == NO_ROW)
    return refuse(decoder, "how many bytes are filled");
  if (!set_end(decoder, &step, &bulk->to, 0,
               smb_ptx_has_prefix(decoder, "shared") ? AREA_SHARED : AREA_GENERIC,
               SMB_OP_CLASS_STORE))
    return PTX_FAILED;
  return finish(decoder, &step);
}

// --- operands of matrix products

static guint
find_bits(const char *type) {
  static const struct {
    const char *name;
    guint bits;
  } types[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"e4m3", 8},
               {"e5m2", 8}, {"s8", 8},    {"u8", 8},    {"b1", 1}};
  for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
    if (strcmp(type, types[i].name) == 0)
      return types[i].bits;
  }
  return 0;
}

// wgmma.mma_async{.sp}.sync.aligned.m64nNkK.d.a.b d, a, b, ...: a lies in shared memory, unless it is a list of
// registers, and b does; of a sparse product half of a is stored. Each warp of a warpgroup reads a quarter.
static guint64
find_product_bytes(const PtxDecoder *decoder) {
  guint n = 0, k = 0, n_parts = g_strv_length((char **)decoder->parts);
  const PtxOperand *a = smb_ptx_operand(decoder, 1);
  for (guint i = 1; i < n_parts && n == 0; i++) {
    if (sscanf(decoder->parts[i], "m64n%3uk%3u", &n, &k) != 2)
      n = k = 0;
  }
  guint a_bits = n_parts > 3 ? find_bits(decoder->parts[n_parts - 2]) : 0;
  guint b_bits = n_parts > 3 ? find_bits(decoder->parts[n_parts - 1]) : 0;
  if (n == 0 || a_bits == 0 || b_bits == 0 || a->kind == PTX_OPERAND_NONE)
    return SMB_BYTES_UNKNOWN;
  guint64 a_bytes = (guint64)PRODUCT_ROWS * k * a_bits / 8;
  a_bytes = a->kind == PTX_OPERAND_VECTOR     ? 0
            : smb_ptx_has_part(decoder, "sp") ? a_bytes / 2
                                              : a_bytes;
  return (a_bytes + (guint64)n * k * b_bits / 8) / WARPGROUP;
}

// tcgen05.cp.….ROWSxBITSb: as many bytes as it writes, unless it expands them.
static guint64
find_rows_bytes(const PtxDecoder *decoder) {
  for (guint i = 2; decoder->parts[i]; i++) {
    guint rows, bits;
    if (sscanf(decoder->parts[i], "%3ux%3ub", &rows, &bits) == 2 &&
        !smb_ptx_has_prefix(decoder, "b8x16") && !smb_ptx_has_part(decoder, "cta_group::2"))
      return (guint64)rows * bits / 8;
  }
  return SMB_BYTES_UNKNOWN;
}

static PtxResult
decode_operands(PtxDecoder *decoder, guint64 bytes) {
  Step step;
  Bulk *bulk = begin(decoder, &step, SMB_TRAFFIC_MATRIX, SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  bulk->bytes = bytes;
  smb_ptx_writes_result(decoder, &step, smb_ptx_operand(decoder, 0));
  return finish(decoder, &step);
}

// wmma.load.{a, b, c}….mMnNkK{.shared}.type d, [from]{, stride}; wmma.store.d….mMnNkK{.shared}.type [to], d{, stride}
static guint64
find_matrix_bytes(const PtxDecoder *decoder) {
  guint m = 0, n = 0, k = 0;
  const char *type = smb_ptx_last_part(decoder);
  for (guint i = 1; decoder->parts[i] && m == 0; i++) {
    if (sscanf(decoder->parts[i], "m%3un%3uk%3u", &m, &n, &k) != 3)
      m = n = k = 0;
  }
  guint bits = strcmp(type, "f32") == 0 || strcmp(type, "s32") == 0 ? 32
               : strcmp(type, "f64") == 0                           ? 64
               : strcmp(type, "s4") == 0 || strcmp(type, "u4") == 0 ? 4
                                                                    : find_bits(type);
  guint64 numbers = smb_ptx_has_part(decoder, "a")   ? (guint64)m * k
                    : smb_ptx_has_part(decoder, "b") ? (guint64)k * n
                                                     : (guint64)m * n;
  return numbers * bits / 8;
}

static PtxResult
decode_fragment(PtxDecoder *decoder, gboolean loads) {
  Step step;
  gboolean shared = smb_ptx_has_prefix(decoder, "shared");
  gboolean global = smb_ptx_has_part(decoder, "global");
  Bulk *bulk = begin(decoder, &step, SMB_TRAFFIC_MATRIX,
                     loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE, FRAGMENT_BYTES);
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->move = step.transfer->move;
  step.transfer = transfer;
  smb_step_bind(&step, STEP_FRAGMENT);
  bulk->bytes = find_matrix_bytes(decoder);
  if (bulk->bytes == 0)
    return refuse(decoder, "the shape of a matrix and a type");
  g_array_index(decoder->program->sites, SmbSite, transfer->move.site).no_rule = TRUE;
  if (!smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, loads ? 1 : 0),
                           shared   ? AREA_SHARED
                           : global ? AREA_GLOBAL
                                    : AREA_GENERIC))
    return PTX_FAILED;
  if (loads)
    smb_ptx_writes_result(decoder, &step, smb_ptx_operand(decoder, 0));
  return finish(decoder, &step);
}

static PtxResult
decode_cp(PtxDecoder *decoder) {
  gboolean tensor = smb_ptx_has_part(decoder, "tensor");
  gboolean groups =
      smb_ptx_has_part(decoder, "commit_group") || smb_ptx_has_part(decoder, "wait_group");
  if (!smb_ptx_has_part(decoder, "bulk") || groups)
    return PTX_UNKNOWN;
  if (smb_ptx_has_part(decoder, "prefetch")) {
    Step step = smb_ptx_step(decoder, STEP_NOTHING);
    return finish(decoder, &step);
  }
  return tensor ? decode_tensor(decoder)
                : decode_copy(decoder, smb_ptx_has_part(decoder, "reduce"));
}

PtxResult
smb_ptx_decode_bulk(PtxDecoder *decoder) {
  const char *name = decoder->parts[0];
  gboolean stores = strcmp(name, "st") == 0, reduces = strcmp(name, "red") == 0;
  if (strcmp(name, "cp") == 0)
    return decode_cp(decoder);
  if (stores && smb_ptx_has_part(decoder, "bulk"))
    return decode_fill(decoder);
  if ((stores || reduces) && smb_ptx_has_part(decoder, "async") &&
      smb_ptx_has_prefix(decoder, "mbarrier::complete_tx"))
    return decode_store(decoder);
  if (strcmp(name, "clusterlaunchcontrol") == 0 && smb_ptx_has_part(decoder, "try_cancel"))
    return decode_response(decoder, SMB_TRAFFIC_STORE, RESPONSE_BYTES, RESPONSE_BYTES);
  if (strcmp(name, "wgmma") == 0 && smb_ptx_has_part(decoder, "mma_async"))
    return decode_operands(decoder, find_product_bytes(decoder));
  if (strcmp(name, "wmma") == 0 &&
      (smb_ptx_has_part(decoder, "load") || smb_ptx_has_part(decoder, "store")))
    return decode_fragment(decoder, smb_ptx_has_part(decoder, "load"));
  if (strcmp(name, "tcgen05") != 0)
    return PTX_UNKNOWN;
  if (smb_ptx_has_part(decoder, "alloc"))
    return decode_response(decoder, SMB_TRAFFIC_STORE, ALLOCATION_BYTES, ALLOCATION_BYTES);
  if (smb_ptx_has_part(decoder, "cp"))
    return decode_operands(decoder, find_rows_bytes(decoder));
  return smb_ptx_has_part(decoder, "mma") ? decode_operands(decoder, SMB_BYTES_UNKNOWN)
                                          : PTX_UNKNOWN;
}
