// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that use shared memory and make no request of it that is counted: copies in bulk (TMA; PTX ISA, section
// 9.7.9.25), asynchronous stores, operands of matrix products (9.7.14 to 9.7.16). Each is listed at one site, and has
// up to two ends and an mbarrier.
#include <stdio.h>
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  COPY_QUANTUM = 16,  // bytes: of copies in bulk (PTX ISA, "cp.async.bulk")
  FILL_QUANTUM = 8,   // of st.bulk
  FRAGMENT_BYTES = 4, // that a lane asks for at least
  WARPGROUP = 4,      // warps
  GROUP_ROWS = 64,    // of wgmma
};

// An instruction whose operands are being read.
typedef struct {
  Transfer *site;
  Bulk *bulk;
} Traffic;

static Traffic
begin_traffic(PtxDecoder *decoder, SmbTraffic kind, SmbOpClass op_class, guint quantum) {
  return (Traffic){smb_build_apart(&decoder->build, op_class, quantum),
                   smb_code_new_bulk(decoder->code, kind, quantum)};
}

// One end of a copy, or its mbarrier (SMB_OP_CLASS_ATOMIC). What it writes may be in another block.
static gboolean
set_end(PtxDecoder *decoder, const Traffic *traffic, const Transfer **end, guint operand,
        PtxArea area, SmbOpClass op_class) {
  Transfer *transfer = smb_build_end(&decoder->build, traffic->site, op_class);
  *end = transfer;
  if (area == AREA_SHARED && op_class != SMB_OP_CLASS_LOAD &&
      smb_ptx_has_part(decoder, "shared::cluster"))
    area = AREA_CLUSTER;
  return smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, operand), area);
}

static PtxResult
finish_traffic(PtxDecoder *decoder, const Traffic *traffic) {
  Step step = smb_build_bulk(&decoder->build, STEP_BULK, traffic->site, traffic->bulk);
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// The mbarrier that bytes complete on is the last address.
static gboolean
set_barrier(PtxDecoder *decoder, const Traffic *traffic) {
  guint i = decoder->instruction->n_operands;
  if (!smb_ptx_has_prefix(decoder, "mbarrier::complete_tx"))
    return TRUE;
  while (i > 1 && smb_ptx_operand(decoder, i - 1)->kind != PTX_OPERAND_ADDRESS)
    i--;
  return set_end(decoder, traffic, &traffic->bulk->barrier, i - 1, AREA_SHARED,
                 SMB_OP_CLASS_ATOMIC);
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

// The first operand is written, with bytes that no operand provides.
static gboolean
set_written(PtxDecoder *decoder, const Traffic *traffic) {
  PtxArea area = smb_ptx_has_prefix(decoder, "shared") ? AREA_SHARED : AREA_GENERIC;
  return set_end(decoder, traffic, &traffic->bulk->to, 0, area, SMB_OP_CLASS_STORE);
}

// How a reduction combines. FALSE: it does not, or compares.
static gboolean
set_combination(const PtxDecoder *decoder, Bulk *bulk) {
  bulk->atomic = smb_ptx_named_atomic(decoder, ATOMIC_EXCHANGE);
  return bulk->atomic != ATOMIC_EXCHANGE && bulk->atomic != ATOMIC_CAS;
}

// What cp.reduce.async.bulk makes of what it copies and of what is there (PTX ISA, "cp.reduce.async.bulk").
static gboolean
set_bulk_reduction(PtxDecoder *decoder, Bulk *bulk) {
  const PtxType *type = smb_ptx_type_named(smb_ptx_last_part(decoder));
  if (!type || type->bits < 16 || type->bits > 64 || !set_combination(decoder, bulk))
    return FALSE;
  bulk->number = (SmbScalar)type->scalar;
  return TRUE;
}

// cp.async.bulk, cp.reduce.async.bulk [to], [from], bytes{, ...}{, [mbarrier]}{, ...}
PtxResult
smb_ptx_decode_copy_bulk(PtxDecoder *decoder) {
  PtxArea to = find_destination(decoder);
  gboolean enters = to == AREA_SHARED, within = enters && !smb_ptx_has_part(decoder, "global");
  gboolean reduces = smb_ptx_has_part(decoder, "reduce");
  Traffic traffic = begin_traffic(decoder, reduces ? SMB_TRAFFIC_REDUCTION : SMB_TRAFFIC_BULK,
                                  enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  Bulk *bulk = traffic.bulk;
  bulk->is_lost = smb_ptx_has_part(decoder, "ignore_oob") || smb_ptx_has_part(decoder, "cp_mask");
  if (reduces && !set_bulk_reduction(decoder, bulk))
    return smb_ptx_wants(decoder, "a reduction, and a type of 16 to 64 bits");
  bulk->size = smb_ptx_row(decoder, smb_ptx_operand(decoder, 2), 4, FALSE);
  if (bulk->size == NO_ROW)
    return smb_ptx_wants(decoder, "the number of bytes to copy");
  if (smb_ptx_has_prefix(decoder, "multicast"))
    bulk->blocks = smb_ptx_row(decoder, smb_ptx_operand(decoder, 4), 2, FALSE);
  gboolean ok = set_end(decoder, &traffic, &bulk->to, 0, to, SMB_OP_CLASS_STORE) &&
                set_end(decoder, &traffic, &bulk->from, 1,
                        enters && !within ? AREA_GLOBAL : AREA_SHARED, SMB_OP_CLASS_LOAD) &&
                set_barrier(decoder, &traffic);
  return ok ? finish_traffic(decoder, &traffic) : PTX_FAILED;
}

// [map, {coordinates}]. In other forms nothing is known of what is copied. FALSE with an error.
static gboolean
set_tensor_place(PtxDecoder *decoder, const Traffic *traffic, const PtxOperand *operand) {
  Tensor *tensor = &traffic->bulk->tensor;
  const PtxOperand *at = operand->n == 2 ? smb_ptx_element(decoder, operand, 1) : NULL;
  if (operand->kind != PTX_OPERAND_ADDRESS || !at || at->kind != PTX_OPERAND_VECTOR ||
      at->n > SMB_TENSOR_RANK || smb_ptx_has_prefix(decoder, "im2col::"))
    return TRUE;
  tensor->picks_rows = smb_ptx_has_prefix(decoder, "tile::");
  if (tensor->picks_rows && at->n != 1 + SMB_TENSOR_PICKED)
    return TRUE;
  for (guint i = 0; i < at->n; i++) {
    tensor->coordinates[i] = smb_ptx_row(decoder, smb_ptx_element(decoder, at, i), 4, FALSE);
    if (tensor->coordinates[i] == NO_ROW)
      return TRUE;
  }
  Transfer *map = smb_build_end(&decoder->build, traffic->site, SMB_OP_CLASS_LOAD);
  PtxOperand base = *operand;
  base.n = 1;
  tensor->map = map;
  if (!smb_ptx_set_address(decoder, map, &base, AREA_GENERIC))
    return FALSE;
  tensor->rank = tensor->picks_rows ? 2 : at->n;
  return TRUE;
}

// {offsets of pixels}, and which blocks of the cluster get it: what follows the mbarrier.
static void
set_text_extras(PtxDecoder *decoder, const Traffic *traffic) {
  Tensor *tensor = &traffic->bulk->tensor;
  guint n = decoder->instruction->n_operands, next = 3;
  const PtxOperand *offsets = next < n ? smb_ptx_operand(decoder, next) : NULL;
  if (offsets && offsets->kind == PTX_OPERAND_VECTOR) {
    for (guint i = 0; i < MIN(offsets->n, (guint)SMB_TENSOR_SPATIAL); i++)
      tensor->offsets[i] = smb_ptx_row(decoder, smb_ptx_element(decoder, offsets, i), 2, FALSE);
    next++;
  }
  traffic->bulk->is_paired = smb_ptx_has_part(decoder, "cta_group::2");
  if (smb_ptx_has_prefix(decoder, "multicast") && next < n)
    traffic->bulk->blocks = smb_ptx_row(decoder, smb_ptx_operand(decoder, next), 2, FALSE);
}

// cp.async.bulk.tensor [to], [map, {coordinates}], [mbarrier]{, {offsets}}{, blocks}; cp{.reduce}.async.bulk.tensor [map, {coordinates}],
// [from]. Of im2col::w and the like nothing is known.
PtxResult
smb_ptx_decode_copy_tensor(PtxDecoder *decoder) {
  gboolean enters = find_destination(decoder) == AREA_SHARED;
  Traffic traffic = begin_traffic(decoder, SMB_TRAFFIC_TENSOR,
                                  enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  Bulk *bulk = traffic.bulk;
  bulk->tensor.is_im2col = smb_ptx_has_prefix(decoder, "im2col");
  if (smb_ptx_has_part(decoder, "reduce") && !set_combination(decoder, bulk))
    return smb_ptx_wants(decoder, "a reduction");
  if (!set_tensor_place(decoder, &traffic, smb_ptx_operand(decoder, enters ? 1 : 0)))
    return PTX_FAILED;
  if (enters)
    set_text_extras(decoder, &traffic);
  gboolean ok = enters
                    ? set_end(decoder, &traffic, &bulk->to, 0, AREA_SHARED, SMB_OP_CLASS_STORE) &&
                          set_barrier(decoder, &traffic)
                    : set_end(decoder, &traffic, &bulk->from, 1, AREA_SHARED, SMB_OP_CLASS_LOAD);
  return ok ? finish_traffic(decoder, &traffic) : PTX_FAILED;
}

// Some bytes are written at the first operand, which no operand provides.
static Traffic
begin_response(PtxDecoder *decoder, guint bytes) {
  Traffic traffic = begin_traffic(decoder, SMB_TRAFFIC_STORE, SMB_OP_CLASS_STORE, bytes);
  traffic.bulk->size = smb_ptx_constant(decoder, bytes, 4);
  return traffic;
}

static PtxResult
finish_response(PtxDecoder *decoder, const Traffic *traffic) {
  return set_written(decoder, traffic) && set_barrier(decoder, traffic)
             ? finish_traffic(decoder, traffic)
             : PTX_FAILED;
}

// tcgen05.alloc [response], columns: where these are in tensor memory, which the warp is told once.
PtxResult
smb_ptx_decode_tensor_allocate(PtxDecoder *decoder) {
  enum {
    ADDRESS_BYTES = 4,
  };
  Row columns = smb_ptx_row(decoder, smb_ptx_operand(decoder, 1), 4, FALSE);
  if (columns == NO_ROW)
    return smb_ptx_wants(decoder, "a number of columns");
  Transfer *address = smb_code_new_transfer(decoder->code);
  address->bytes = ADDRESS_BYTES;
  address->n_components = address->rows = 1;
  address->data[0] = smb_build_tensor_allocate(&decoder->build, columns, 1);
  Traffic traffic = begin_response(decoder, ADDRESS_BYTES);
  traffic.bulk->value = address;
  if (!set_written(decoder, &traffic))
    return PTX_FAILED;
  Step step = smb_build_bulk(&decoder->build, STEP_BULK_ONCE, traffic.site, traffic.bulk);
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// The blocks of the cluster, as bits.
static Row
add_cluster_mask(PtxDecoder *decoder) {
  const PtxOperand blocks = {.kind = PTX_OPERAND_SPECIAL, .text = "%cluster_nctarank"};
  Compute mask = {.operation = OPERATION_BMSK_CLAMP,
                  .d = smb_code_new_rows(decoder->code, 1),
                  .s = {smb_ptx_constant(decoder, 0, 4), smb_ptx_row(decoder, &blocks, 4, FALSE)}};
  smb_ptx_add_compute(decoder, &mask);
  return mask.d;
}

// clusterlaunchcontrol.try_cancel [response], [mbarrier]: the request is declined, as a device may do (PTX ISA,
// "clusterlaunchcontrol.try_cancel"), so that all blocks run. A response of zeros says so; its form is ours.
PtxResult
smb_ptx_decode_cancel(PtxDecoder *decoder) {
  enum {
    RESPONSE_BYTES = 16,
  };
  Traffic traffic = begin_response(decoder, RESPONSE_BYTES);
  traffic.bulk->is_zeros = traffic.bulk->is_race = TRUE;
  if (smb_ptx_has_prefix(decoder, "multicast"))
    traffic.bulk->blocks = add_cluster_mask(decoder);
  return finish_response(decoder, &traffic);
}

// clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response
PtxResult
smb_ptx_decode_is_canceled(PtxDecoder *decoder) {
  const PtxOperand *p = smb_ptx_operand(decoder, 0), *response = smb_ptx_operand(decoder, 1);
  Row row =
      response->kind == PTX_OPERAND_REGISTER ? smb_ptx_register_row(decoder, response) : NO_ROW;
  if (row == NO_ROW || smb_ptx_register_bytes(decoder, response) != 16)
    return smb_ptx_wants(decoder, "a register of 128 bits");
  Compute compare = {.operation = OPERATION_EQ_32,
                     .modifiers = MODIFIER_NOT,
                     .p = smb_ptx_predicate(decoder, p),
                     .s = {row, smb_ptx_constant(decoder, 0, 4)}};
  smb_ptx_add_compute(decoder, &compare);
  return PTX_DECODED;
}

// st.async and red.async [to], value, [mbarrier]
PtxResult
smb_ptx_decode_async_store(PtxDecoder *decoder) {
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  guint n = smb_ptx_has_part(decoder, "v2") ? 2 : smb_ptx_has_part(decoder, "v4") ? 4 : 1;
  if (bytes < 4)
    return smb_ptx_wants(decoder, "a type of 4 or 8 bytes");
  Traffic traffic = begin_traffic(decoder, SMB_TRAFFIC_STORE, SMB_OP_CLASS_STORE, bytes * n);
  traffic.bulk->size = smb_ptx_constant(decoder, (guint64)bytes * n, 4);
  return smb_ptx_set_async_value(decoder, &traffic.bulk->value) && set_written(decoder, &traffic) &&
                 set_barrier(decoder, &traffic)
             ? finish_traffic(decoder, &traffic)
             : PTX_FAILED;
}

// st.bulk [to], bytes, 0
PtxResult
smb_ptx_decode_fill(PtxDecoder *decoder) {
  Traffic traffic = begin_traffic(decoder, SMB_TRAFFIC_BULK, SMB_OP_CLASS_STORE, FILL_QUANTUM);
  traffic.bulk->size = smb_ptx_row(decoder, smb_ptx_operand(decoder, 1), 4, FALSE);
  traffic.bulk->is_zeros = TRUE;
  if (traffic.bulk->size == NO_ROW)
    return smb_ptx_wants(decoder, "the number of bytes to fill");
  return set_written(decoder, &traffic) ? finish_traffic(decoder, &traffic) : PTX_FAILED;
}

// --- operands of matrix products

// 0: no type.
static guint
find_type_bits(const char *type) {
  const PtxType *known = smb_ptx_type_named(type);
  return known ? known->bits : 0;
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
  guint a_bits = n_parts > 3 ? find_type_bits(decoder->parts[n_parts - 2]) : 0;
  guint b_bits = n_parts > 3 ? find_type_bits(decoder->parts[n_parts - 1]) : 0;
  if (n == 0 || a_bits == 0 || b_bits == 0 || a->kind == PTX_OPERAND_NONE)
    return SMB_BYTES_UNKNOWN;
  guint64 a_bytes = (guint64)GROUP_ROWS * k * a_bits / 8;
  a_bytes = a->kind == PTX_OPERAND_VECTOR     ? 0
            : smb_ptx_has_part(decoder, "sp") ? a_bytes / 2
                                              : a_bytes;
  return (a_bytes + (guint64)n * k * b_bits / 8) / WARPGROUP;
}

// A step that lists the operands, and one that makes the product.
PtxResult
smb_ptx_decode_product(PtxDecoder *decoder) {
  guint32 listed = decoder->code->steps->len;
  Traffic traffic = begin_traffic(decoder, SMB_TRAFFIC_MATRIX, SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  traffic.bulk->bytes = find_product_bytes(decoder);
  finish_traffic(decoder, &traffic);
  if (!smb_ptx_add_group_product(decoder, traffic.site->move.site))
    smb_ptx_writes_result(decoder, smb_code_step(decoder->code, listed),
                          smb_ptx_operand(decoder, 0));
  return PTX_DECODED;
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
  guint bits = find_type_bits(type);
  guint64 numbers = smb_ptx_has_part(decoder, "a")   ? (guint64)m * k
                    : smb_ptx_has_part(decoder, "b") ? (guint64)k * n
                                                     : (guint64)m * n;
  return numbers * bits / 8;
}

// The PTX ISA leaves open which lane accesses which bytes ("wmma"), so nothing is counted.
PtxResult
smb_ptx_decode_fragment(PtxDecoder *decoder) {
  gboolean loads = decoder->argument;
  PtxArea area = smb_ptx_has_prefix(decoder, "shared") ? AREA_SHARED
                 : smb_ptx_has_part(decoder, "global") ? AREA_GLOBAL
                                                       : AREA_GENERIC;
  Traffic traffic = begin_traffic(decoder, SMB_TRAFFIC_MATRIX,
                                  loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE, FRAGMENT_BYTES);
  traffic.bulk->bytes = find_matrix_bytes(decoder);
  if (traffic.bulk->bytes == 0)
    return smb_ptx_wants(decoder, "the shape of a matrix and a type");
  g_array_index(decoder->program->sites, SmbSite, traffic.site->move.site).no_rule = TRUE;
  if (!smb_ptx_set_address(decoder, traffic.site, smb_ptx_operand(decoder, loads ? 1 : 0), area))
    return PTX_FAILED;
  Step step = smb_build_bulk(&decoder->build, STEP_FRAGMENT, traffic.site, traffic.bulk);
  if (loads)
    smb_ptx_writes_result(decoder, &step, smb_ptx_operand(decoder, 0));
  step.fragment = smb_ptx_fragment(decoder, loads);
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}
