// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies of boxes of tensors (TMA), as their descriptors say (sim/tensor): the bytes go where a device puts them. As of other copies in
// bulk, no request is counted.
#include <string.h>

#include "sim/exec/memory/memory.h"
#include "sim/base/text.h"
#include "sim/machine/access/chunk.h"
#include "sim/machine/check/checking.h"

enum {
  BOX_ALIGN = 128
}; // bytes

// A copy that goes on.
typedef struct {
  Exec *exec;
  const Step *step;
  guint lane;
  const Box *box;
  const guint64 *shared;
  guint n_shared;
  guint32 number; // smb_chunk_begin(); 0: nobody wants to know
  CopyShape shape;
  gboolean is_ok;
} BoxCopy;

static SmbScalar
find_tensor_scalar(guint32 type) {
  static const SmbScalar numbers[SMB_TENSOR_TYPES] = {
      [SMB_TENSOR_U8] = SMB_SCALAR_U8,       [SMB_TENSOR_U16] = SMB_SCALAR_U16,
      [SMB_TENSOR_U32] = SMB_SCALAR_U32,     [SMB_TENSOR_S32] = SMB_SCALAR_I32,
      [SMB_TENSOR_U64] = SMB_SCALAR_U64,     [SMB_TENSOR_S64] = SMB_SCALAR_I64,
      [SMB_TENSOR_F16] = SMB_SCALAR_F16,     [SMB_TENSOR_F32] = SMB_SCALAR_F32,
      [SMB_TENSOR_F64] = SMB_SCALAR_F64,     [SMB_TENSOR_BF16] = SMB_SCALAR_BF16,
      [SMB_TENSOR_F32_FTZ] = SMB_SCALAR_F32, [SMB_TENSOR_TF32] = SMB_SCALAR_F32,
      [SMB_TENSOR_TF32_FTZ] = SMB_SCALAR_F32};
  return numbers[type];
}

// --- what is copied

static gboolean
read_box_row(Exec *exec, Row row, guint lane, guint *flags, guint32 *value) {
  const Registers *registers = exec->warp->registers;
  SmbLanes one = (SmbLanes)1 << lane;
  if (row == NO_ROW)
    return TRUE;
  *flags |= row_flags_in(registers, row, one);
  *value = row_values(registers, row)[lane];
  return smb_row_known(registers, row, one) == one;
}

// What is wrong with a map, of a launch that is checked.
static void
tell_map(Exec *exec, const Step *step, guint lane, const char *problem) {
  const CheckFound found = {.kind = SMB_DEFECT_DESCRIPTOR,
                            .site = step->transfer->move.site,
                            .other = G_MAXUINT,
                            .warp = exec->w,
                            .lane = lane,
                            .other_thread = G_MAXUINT};
  if (exec->block->check)
    smb_inspect_note(exec->block, &found, problem);
}

// A map is a parameter of the kernel, or in constant or global memory (PTX ISA, "Tensor-map"). A parameter that is not __grid_constant__ is copied.
static void
check_map_place(Exec *exec, const Step *step, guint lane, guint64 address) {
  guint number = smb_block_find(exec->block, address);
  if (!exec->block->check || number >= exec->block->n_objects)
    return;
  Space space = exec->block->objects[number].space;
  if (space == SPACE_PRIVATE)
    tell_map(exec, step, lane,
             "the tensor map is in local memory, where a copy does not look for it: a parameter of "
             "the kernel that is one has to be const __grid_constant__");
  else if (space == SPACE_SHARED)
    tell_map(exec, step, lane,
             "the tensor map is in shared memory, where a copy does not look for it");
}

// Whether a map is one for this copy.
static gboolean
check_map(Exec *exec, const Step *step, guint lane, const guint8 *bytes, SmbTensorMap *map) {
  const Tensor *tensor = &step->bulk->tensor;
  gboolean is_known = smb_tensor_map_decode(bytes, map);
  g_autofree char *problem = NULL;
  if (!smb_tensor_map_recognize(bytes))
    problem = g_strdup_printf("these %d bytes are no tensor map", SMB_TENSOR_MAP_BYTES);
  else if (is_known && map->rank != tensor->rank)
    problem = g_strdup_printf("the tensor map has %u dimension%s, the copy %u", map->rank,
                              smb_plural(map->rank), tensor->rank);
  else if (is_known && map->is_im2col != !!tensor->is_im2col)
    problem = g_strdup_printf("the tensor map is %s, the copy %s",
                              map->is_im2col ? "of pixels (im2col)" : "of tiles",
                              map->is_im2col ? "of tiles" : "of pixels (im2col)");
  else if (is_known && tensor->picks_rows && !smb_tensor_map_pick_rows(map))
    problem =
        g_strdup_printf("the box of the tensor map has %u rows, that of a copy which names its "
                        "rows is to have one",
                        map->box[1]);
  if (problem)
    tell_map(exec, step, lane, problem);
  return is_known && !problem;
}

static gboolean
read_map(Exec *exec, const Step *step, guint lane, Box *box) {
  guint64 addresses[SMB_MAX_LANES];
  guint32 origin;
  guint8 bytes[SMB_TENSOR_MAP_BYTES];
  SmbLanes one = (SmbLanes)1 << lane;
  SmbLanes known =
      smb_transfer_addresses(exec, step->bulk->tensor.map, one, addresses, &box->flags, &origin);
  exec_watch(exec, box->flags);
  if (known != one)
    return FALSE;
  check_map_place(exec, step, lane, addresses[lane]);
  return smb_block_peek(exec->block, exec->w, lane, addresses[lane], bytes, sizeof bytes) &&
         check_map(exec, step, lane, bytes, &box->map);
}

gboolean
smb_box_find(Exec *exec, const Step *step, guint lane, Box *box) {
  const Tensor *tensor = &step->bulk->tensor;
  if (!read_map(exec, step, lane, box))
    return FALSE;
  box->box = (SmbTensorBox){.leaves = !step->bulk->to, .picks_rows = tensor->picks_rows};
  for (guint i = 0; i < tensor_coordinates(tensor); i++) {
    guint32 value = 0;
    if (!read_box_row(exec, tensor->coordinates[i], lane, &box->flags, &value))
      return FALSE;
    box->box.coordinates[i] = (gint32)value;
  }
  for (guint i = 0; i + 2 < tensor->rank && tensor->is_im2col; i++)
    if (!read_box_row(exec, tensor->offsets[i], lane, &box->flags, &box->box.offsets[i]))
      return FALSE;
  return TRUE;
}

// --- shared memory

static Move
make_box_move(const Transfer *end, gsize bytes) {
  Move move = end->move;
  move.width = (guint)bytes;
  move.align = 1;
  move.is_bulk = TRUE;
  return move;
}

// Boxes begin at multiples of 128 bytes of shared memory, whatever their swizzle: others are misaligned addresses (PTX ISA; an H200, loads and
// stores at 13 offsets).
static gboolean
is_box_aligned(const BoxCopy *copy) {
  const Bulk *bulk = copy->step->bulk;
  Move move = make_box_move(copy->box->box.leaves ? bulk->from : bulk->to, 1);
  move.align = BOX_ALIGN;
  for (guint i = 0; i < copy->n_shared; i++)
    if (!smb_bulk_align(copy->exec->block, &move, copy->exec->w, copy->lane, copy->shared[i]))
      return FALSE;
  return TRUE;
}

// How boxes of a map lie.
static CopyShape
find_copy_shape(const Step *step, const Box *box) {
  const SmbTensorMap *map = &box->map;
  guint64 stride;
  CopyShape shape;
  memset(&shape, 0, sizeof shape);
  shape.flat_rows = (guint32)smb_tensor_box_flat_rows(map, &stride);
  if (box->box.picks_rows)
    shape.flat_rows = 0;
  shape.has_slices = shape.flat_rows > 0 && shape.flat_rows < smb_tensor_box_rows(map);
  shape.site = step->transfer->move.site;
  shape.swizzle = map->swizzle ? SMB_TENSOR_CHUNK << map->swizzle : 0;
  shape.unit = shape.swizzle ? smb_tensor_swizzle_unit(map) : 0;
  shape.row_bytes = (guint32)smb_tensor_row_bytes(map);
  shape.pitch = (guint32)smb_tensor_row_pitch(map);
  shape.rows_of_width = (guint32)smb_tensor_box_rows_of_width(map);
  shape.is_packed = stride == shape.row_bytes && !box->box.picks_rows;
  return shape;
}

// @at: its place in the box.
static void
note_chunk(const BoxCopy *copy, gsize n, guint64 shared, guint64 at) {
  const Exec *exec = copy->exec;
  Move move = make_box_move(copy->step->bulk->to, n);
  PeerPlace place = {.block = exec->block};
  if (copy->number && (smb_transfer_elsewhere(1, &shared)
                           ? smb_peer_find(exec->block, &move, exec->w, copy->lane, shared, &place)
                           : smb_shared_find(exec->block, shared, n, &place.offset)))
    smb_chunk_note(place.block, place.offset, n, copy->number, &copy->shape, (guint32)at);
}

// Bytes at a place of the box, which a swizzle leaves side by side up to the end of a chunk.
static gboolean
put_chunk(const BoxCopy *copy, guint64 shared, gsize n, const guchar *bytes, const guchar *marks) {
  Exec *exec = copy->exec;
  const Bulk *bulk = copy->step->bulk;
  SmbLanes one = (SmbLanes)1 << copy->lane;
  Move move = make_box_move(bulk->to, n);
  guint64 addresses[SMB_MAX_LANES] = {0};
  move.is_late = TRUE;
  addresses[copy->lane] = shared;
  if (smb_transfer_elsewhere(one, addresses))
    return smb_peer_write(exec->block, &move, exec->w, copy->lane, shared, bytes, marks);
  if (!smb_bulk_write(exec->block, &move, exec->w, copy->lane, shared, bytes, marks))
    return FALSE;
  smb_provenance_note(exec, copy->step, one, addresses, n, step_origin(exec, copy->step));
  return TRUE;
}

static gboolean
take_chunk(const BoxCopy *copy, guint64 shared, gsize n, guchar *bytes, guchar *marks) {
  Move move = make_box_move(copy->step->bulk->from, n);
  return smb_bulk_read(copy->exec->block, &move, copy->exec->w, copy->lane, shared, bytes, marks);
}

// All of a run, chunk by chunk if they are swizzled.
static gboolean
pass_run(const BoxCopy *copy, guint64 start, const SmbTensorRun *run, guchar *bytes,
         guchar *marks) {
  const SmbTensorMap *map = &copy->box->map;
  const gsize together = MIN(SMB_TENSOR_CHUNK, smb_tensor_swizzle_unit(map));
  for (gsize done = 0, n; done < run->bytes; done += n) {
    guint64 at = start + run->at + done;
    n = map->swizzle ? MIN(run->bytes - done, together - at % together) : run->bytes - done;
    guint64 shared = smb_tensor_swizzle(map, at);
    if (copy->box->box.leaves ? !take_chunk(copy, shared, n, bytes + done, marks + done)
                              : !put_chunk(copy, shared, n, bytes + done, marks + done))
      return FALSE;
    if (!copy->box->box.leaves)
      note_chunk(copy, n, shared, run->at + done);
  }
  return TRUE;
}

// --- the tensor

static gboolean
load_run(const BoxCopy *copy, const SmbTensorRun *run, guchar *bytes, guchar *marks) {
  Exec *exec = copy->exec;
  SmbLanes one = (SmbLanes)1 << copy->lane;
  guint64 addresses[SMB_MAX_LANES] = {0};
  if (run->is_outside) {
    memset(marks, MARK_KNOWN, run->bytes);
    smb_tensor_fill(&copy->box->map, bytes, run->bytes);
    return TRUE;
  }
  Move move = make_box_move(copy->step->bulk->to, run->bytes);
  move.op_class = SMB_OP_CLASS_LOAD;
  if (!smb_bulk_read(exec->block, &move, exec->w, copy->lane, run->address, bytes, marks))
    return FALSE;
  addresses[copy->lane] = run->address;
  gboolean taints = smb_transfer_taint(exec, copy->box->flags, one, addresses);
  for (gsize i = 0; taints && i < run->bytes; i++)
    marks[i] |= MARK_BLOCK;
  smb_tensor_convert(&copy->box->map, bytes, run->bytes);
  return TRUE;
}

// What a reduction makes of elements of the tensor, and of the box.
static gboolean
combine_run(const BoxCopy *copy, const SmbTensorRun *run, guchar *bytes, guchar *marks) {
  guint32 type = copy->box->map.type;
  gsize n = smb_tensor_type_unit(type).bytes;
  Move move = make_box_move(copy->step->bulk->from, n);
  move.op_class = SMB_OP_CLASS_ATOMIC;
  move.atomic = copy->step->bulk->atomic;
  move.kind = find_tensor_scalar(type);
  for (gsize i = 0; move.atomic != ATOMIC_EXCHANGE && i < run->bytes; i += n)
    if (!smb_bulk_combine(copy->exec, &move, type == SMB_TENSOR_F32_FTZ, copy->lane,
                          run->address + i, bytes + i, marks + i))
      return FALSE;
  return TRUE;
}

static gboolean
store_run(const BoxCopy *copy, const SmbTensorRun *run, guchar *bytes, guchar *marks) {
  Exec *exec = copy->exec;
  SmbLanes one = (SmbLanes)1 << copy->lane;
  guint64 addresses[SMB_MAX_LANES] = {0};
  if (!combine_run(copy, run, bytes, marks))
    return FALSE;
  Move move = make_box_move(copy->step->bulk->from, run->bytes);
  move.op_class =
      copy->step->bulk->atomic == ATOMIC_EXCHANGE ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_ATOMIC;
  addresses[copy->lane] = run->address;
  if (!smb_bulk_write(exec->block, &move, exec->w, copy->lane, run->address, bytes, marks))
    return FALSE;
  smb_transfer_note_store(exec, copy->box->flags, one, addresses);
  return TRUE;
}

static bool
copy_tensor_run(void *user, const SmbTensorRun *run) {
  BoxCopy *copy = user;
  gboolean leaves = copy->box->box.leaves;
  if (leaves && run->is_outside)
    return true;
  g_autofree guchar *bytes = g_malloc0(run->bytes), *marks = g_malloc0(run->bytes);
  if (!leaves)
    copy->is_ok = load_run(copy, run, bytes, marks);
  for (guint i = 0; copy->is_ok && i < copy->n_shared; i++)
    copy->is_ok = pass_run(copy, copy->shared[i], run, bytes, marks);
  if (leaves)
    copy->is_ok = copy->is_ok && store_run(copy, run, bytes, marks);
  return copy->is_ok;
}

// What a device reduces (PTX ISA, "cp.reduce.async.bulk.tensor"; of S64, bits are an illegal instruction on an H200).
static gboolean
can_reduce(Atomic atomic, guint32 type) {
  gboolean is_32 = type == SMB_TENSOR_U32 || type == SMB_TENSOR_S32;
  gboolean is_integer = is_32 || type == SMB_TENSOR_U64 || type == SMB_TENSOR_S64;
  switch (atomic) {
  case ATOMIC_ADD:
    return type > SMB_TENSOR_U16 && !smb_tensor_type_is_packed(type);
  case ATOMIC_MIN:
  case ATOMIC_MAX:
    return is_integer || type == SMB_TENSOR_F16 || type == SMB_TENSOR_BF16;
  case ATOMIC_INCREMENT:
  case ATOMIC_DECREMENT:
    return type == SMB_TENSOR_U32;
  case ATOMIC_AND:
  case ATOMIC_OR:
  case ATOMIC_XOR:
    return is_integer && type != SMB_TENSOR_S64;
  case ATOMIC_SUB:
  case ATOMIC_EXCHANGE:
  case ATOMIC_CAS:
    return TRUE;
  }
  g_assert_not_reached();
}

// Of a box of eight rows at least, in memory of the block.
static void
tell_box(const BoxCopy *copy) {
  const SmbTensorMap *map = &copy->box->map;
  const guint32 unit = smb_tensor_swizzle_unit(map), pitch = (guint32)smb_tensor_row_pitch(map);
  SmbPlacement placement = {.lines = (guint32)smb_tensor_box_rows(map),
                            .line_bytes = (guint32)smb_tensor_row_bytes(map),
                            .width = pitch,
                            .pitch = pitch,
                            .group = SMB_PLACED_GROUP * pitch,
                            .span = map->swizzle ? pitch : 0,
                            .unit = unit};
  if (!map->interleave && unit >= SMB_PLACED_CHUNK && copy->n_shared > 0 &&
      !smb_transfer_elsewhere(1, copy->shared) &&
      smb_shared_find(copy->exec->block, copy->shared[0], SHARED_CHUNK, &placement.start))
    smb_tile_tell(copy->exec->block, copy->step->transfer->move.site, '-', &placement);
}

// Whether threads wrote the rows of a box that is stored as its map swizzles them.
static void
check_stored_rows(const BoxCopy *copy) {
  const SmbTensorMap *map = &copy->box->map;
  const guint32 pitch = (guint32)smb_tensor_row_pitch(map);
  guint64 stride;
  SharedMatrix matrix = {
      .block = copy->exec->block, .is_left = TRUE, .is_stored = TRUE, .bytes = 1};
  if (map->interleave || map->atomicity || smb_transfer_elsewhere(1, copy->shared) ||
      !smb_shared_find(copy->exec->block, copy->shared[0], 1, &matrix.place.start))
    return;
  matrix.place.width = pitch;
  matrix.place.mask = (1u << map->swizzle) - 1;
  matrix.place.group = 8;
  matrix.place.stride = matrix.place.group * pitch;
  matrix.place.unit = SHARED_CHUNK;
  smb_stored_box_check(copy->exec, &matrix, copy->step->transfer->move.site,
                       (guint)smb_tensor_box_flat_rows(map, &stride),
                       (guint)smb_tensor_row_bytes(map));
}

gboolean
smb_box_copy(Exec *exec, const Step *step, guint lane, const Box *box, const guint64 *shared,
             guint n_shared) {
  gboolean is_load = !box->box.leaves && !box->map.interleave;
  BoxCopy copy = {.exec = exec,
                  .step = step,
                  .lane = lane,
                  .box = box,
                  .shared = shared,
                  .n_shared = n_shared,
                  .number = is_load ? smb_chunk_begin(exec->block) : 0,
                  .is_ok = TRUE};
  const char *problem = can_reduce(step->bulk->atomic, box->map.type)
                            ? smb_tensor_box_problem(&box->map, &box->box)
                            : "the type of the tensor is not reduced in this way";
  if (problem) {
    Move move = make_box_move(box->box.leaves ? step->bulk->from : step->bulk->to, 1);
    return smb_bulk_refuse(exec->block, &move, exec->w, lane, problem);
  }
  if (!is_box_aligned(&copy))
    return FALSE;
  if (copy.number)
    copy.shape = find_copy_shape(step, box);
  if (exec->block->sink->tile)
    tell_box(&copy);
  if (box->box.leaves && n_shared > 0)
    check_stored_rows(&copy);
  smb_tensor_box_walk(&box->map, &box->box, copy_tensor_run, &copy);
  return copy.is_ok;
}
