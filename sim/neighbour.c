// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/neighbour.h"

#include "sim/affine.h"

enum {
  MIN_LAST_PAD = 4,   // elements: the paddings that people try
  SUB_WORD_WORDS = 2, // of elements smaller than a word: as many words of padding
};

// Whether a request asks for @array, and for nothing else.
typedef enum {
  TOUCHES_NOTHING,
  TOUCHES_ARRAY,
  TOUCHES_MORE,
} Touch;

static Touch
find_touch(const SmbProgram *kernel, const SmbArray *array, const SmbRequest *request) {
  gboolean in = FALSE, out = FALSE;
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint32 offset = request->offset[smb_lanes_first(lanes)];
    gboolean inside = smb_program_array_at(kernel, offset) == array;
    in |= inside;
    out |= !inside;
  }
  return !in ? TOUCHES_NOTHING : out ? TOUCHES_MORE : TOUCHES_ARRAY;
}

const SmbArray *
smb_neighbour_array(const SmbProgram *kernel, const SmbAnalysis *analysis, guint access) {
  const SmbRequest *worst = &g_array_index(analysis->accesses, SmbAccess, access).worst;
  SmbLanes lanes = smb_request_lanes(worst);
  if (!lanes)
    return NULL;
  const SmbArray *array = smb_program_array_at(kernel, worst->offset[smb_lanes_first(lanes)]);
  return array && find_touch(kernel, array, worst) == TOUCHES_ARRAY ? array : NULL;
}

gsize
smb_neighbour_bytes(const SmbProgram *kernel, const SmbAnalysis *analysis, const SmbArray *array) {
  return array->is_dynamic ? analysis->shared_bytes - smb_program_static_shared(kernel)
                           : array->bytes;
}

// Elements of a row as the costliest request of an access goes through them: the larger of its strides, if
// that leaves something out. 0: it has none.
static guint64
find_stride_row(const SmbArray *array, gsize array_bytes, const SmbRequest *request) {
  SmbAffine affine = smb_affine_find(request, request->mask);
  guint64 bytes = 0;
  if (affine.kind != SMB_AFFINE_IRREGULAR)
    bytes = (guint64)MAX(ABS(affine.stride), ABS(affine.run_stride));
  gboolean goes_on = bytes > MAX(request->width, array->element_bytes);
  if (!goes_on || bytes % array->element_bytes != 0 || bytes >= array_bytes)
    return 0;
  return bytes / array->element_bytes;
}

SmbRows
smb_neighbour_rows(const SmbProgram *kernel, const SmbAnalysis *analysis, guint access,
                   const SmbArray *array, guint64 row, SmbLayout *layout) {
  gsize bytes = smb_neighbour_bytes(kernel, analysis, array);
  SmbRows rows = array->n_dimensions > 1 ? SMB_ROWS_DIMENSION : SMB_ROWS_UNKNOWN;
  if (rows == SMB_ROWS_UNKNOWN && row)
    rows = SMB_ROWS_GIVEN;
  if (rows == SMB_ROWS_UNKNOWN) {
    row =
        find_stride_row(array, bytes, &g_array_index(analysis->accesses, SmbAccess, access).worst);
    rows = row ? SMB_ROWS_STRIDE : SMB_ROWS_UNKNOWN;
  }
  if (rows == SMB_ROWS_UNKNOWN)
    return rows;
  *layout =
      smb_layout_original(kernel, array, bytes, rows == SMB_ROWS_DIMENSION ? 0 : row, analysis);
  return rows;
}

static void
add_cost(SmbTally *tally, const SmbWavefronts *cost, guint64 count) {
  tally->requests += count;
  tally->wavefronts += count * cost->wavefronts;
  tally->ideal += count * cost->ideal;
  tally->excess += count * cost->excess;
  tally->cycles += count * cost->cycles;
  tally->max_degree = MAX(tally->max_degree, cost->degree);
}

// What every neighbour of one array shares.
typedef struct {
  const SmbProgram *kernel;
  const SmbArch *arch;
  const SmbAnalysis *analysis;
  const SmbArray *array;
  const SmbLayout *present;
  guint access;
} Task;

// Lays one request out anew and adds what it costs. Returns FALSE if it cannot be made.
static gboolean
count_request(const Task *task, const SmbLayout *layout, const SmbAccessRequest *made,
              SmbNeighbour *neighbour) {
  Touch touch = find_touch(task->kernel, task->array, &made->request);
  SmbRequest moved;
  if (touch == TOUCHES_NOTHING)
    return TRUE;
  neighbour->fit = touch == TOUCHES_MORE ? SMB_LAYOUT_OUTSIDE
                                         : smb_layout_move(task->present, layout, task->array->base,
                                                           &made->request, &moved);
  if (neighbour->fit != SMB_LAYOUT_FITS) {
    neighbour->misfit_access = made->access;
    return FALSE;
  }
  SmbWavefronts cost = smb_wavefronts_count(task->arch, &moved);
  add_cost(&neighbour->array, &cost, made->count);
  if (made->access == task->access)
    add_cost(&neighbour->access, &cost, made->count);
  return TRUE;
}

// Shared memory of a block if the rows of the array lie as @layout says.
static guint64
measure_block(const Task *task, const SmbLayout *layout) {
  gsize bytes = smb_neighbour_bytes(task->kernel, task->analysis, task->array);
  guint64 elements = bytes / task->array->element_bytes;
  guint64 pitch = task->present->columns + task->present->pad;
  guint64 used =
      elements / pitch * task->present->columns + MIN(elements % pitch, task->present->columns);
  if (layout->pad == task->present->pad)
    return task->analysis->shared_bytes;
  return task->analysis->shared_bytes - bytes + smb_layout_bytes(layout, used);
}

static SmbRoom
find_room(const SmbArch *arch, guint64 shared_bytes) {
  const SmbArchInfo *info = smb_arch_info(arch);
  if (shared_bytes > info->max_shared_bytes)
    return SMB_ROOM_TOO_SMALL;
  return shared_bytes > info->static_shared_bytes ? SMB_ROOM_OPT_IN : SMB_ROOM_ENOUGH;
}

static SmbNeighbour
count_neighbour(const Task *task, guint64 pad) {
  SmbNeighbour neighbour = {.pad = pad, .present = pad == task->present->pad};
  SmbLayout layout = *task->present;
  layout.pad = pad;
  neighbour.shared_bytes = measure_block(task, &layout);
  neighbour.room = find_room(task->arch, neighbour.shared_bytes);
  for (guint i = 0; i < task->analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(task->analysis->requests, SmbAccessRequest, i);
    if (count_request(task, &layout, made, &neighbour))
      continue;
    neighbour.access = neighbour.array = (SmbTally){0};
    break;
  }
  return neighbour;
}

GArray *
smb_neighbours_count(const SmbProgram *kernel, const SmbArch *arch, const SmbAnalysis *analysis,
                     guint access, const SmbArray *array, const SmbLayout *present) {
  g_return_val_if_fail(analysis->requests && analysis->requests_dropped == 0, NULL);
  Task task = {kernel, arch, analysis, array, present, access};
  guint64 word = MAX(1, smb_arch_info(arch)->bank_bytes / array->element_bytes);
  guint64 last = MAX(MIN_LAST_PAD, word > 1 ? SUB_WORD_WORDS * word : 0);
  GArray *neighbours = g_array_new(FALSE, FALSE, sizeof(SmbNeighbour));
  guint64 first_near = present->pad > last ? MAX(last + 1, present->pad - 1) : last + 1;
  for (guint64 pad = 0; pad <= last; pad++) {
    SmbNeighbour neighbour = count_neighbour(&task, pad);
    g_array_append_val(neighbours, neighbour);
  }
  for (guint64 pad = first_near; pad <= present->pad + 1; pad++) {
    SmbNeighbour neighbour = count_neighbour(&task, pad);
    g_array_append_val(neighbours, neighbour);
  }
  return neighbours;
}
