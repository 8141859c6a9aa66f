// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch/rule.h"
#include "sim/count/affine-offsets.h"

enum {
  MIN_STRIDE_LANES = 3, // or two neighbours
  MIN_RUN_LANES = 4,
};

// The lanes that are looked at, in order, with their offsets.
typedef struct {
  guint n;
  guint lane[SMB_MAX_LANES];
  gint64 offset[SMB_MAX_LANES];
} Lanes;

static Lanes
list_lanes(const SmbRequest *request, SmbLanes lanes) {
  Lanes list = {0};
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    list.lane[list.n] = lane;
    list.offset[list.n++] = request->offset[lane];
  }
  return list;
}

// Number and place in its run of a lane.
static inline gint64
find_lane_run(const SmbAffine *affine, guint lane) {
  return (lane + affine->phase) / affine->run;
}

static inline gint64
find_place_in_run(const SmbAffine *affine, guint lane) {
  return (lane + affine->phase) % affine->run;
}

gint64
smb_affine_offset(const SmbAffine *affine, guint lane) {
  if (affine->kind == SMB_AFFINE_RUNS)
    return affine->base + affine->stride * find_place_in_run(affine, lane) +
           affine->run_stride * find_lane_run(affine, lane);
  return affine->base + affine->stride * lane;
}

static gboolean
fits_offsets(const SmbAffine *affine, const Lanes *list) {
  for (guint i = 0; i < list->n; i++) {
    if (smb_affine_offset(affine, list->lane[i]) != list->offset[i])
      return FALSE;
  }
  return TRUE;
}

static gboolean
find_stride(const Lanes *list, SmbAffine *affine) {
  if (list->n < 2 || (list->n < MIN_STRIDE_LANES && list->lane[1] != list->lane[0] + 1))
    return FALSE;
  gint64 lanes = list->lane[1] - list->lane[0], bytes = list->offset[1] - list->offset[0];
  affine->kind = SMB_AFFINE_STRIDE;
  affine->stride = bytes / lanes;
  affine->base = list->offset[0] - affine->stride * list->lane[0];
  return bytes % lanes == 0 && fits_offsets(affine, list);
}

// The stride within runs, from two lanes of one run; and whether two runs have two lanes each.
static gboolean
find_inner(const Lanes *list, SmbAffine *affine) {
  gint64 last_full = -1;
  guint full = 0;
  for (guint i = 1; i < list->n; i++) {
    gint64 run = find_lane_run(affine, list->lane[i]);
    if (find_lane_run(affine, list->lane[i - 1]) != run || run == last_full)
      continue;
    last_full = run;
    full++;
    gint64 lanes = list->lane[i] - list->lane[i - 1];
    gint64 bytes = list->offset[i] - list->offset[i - 1];
    if (bytes % lanes != 0 || (full > 1 && bytes / lanes != affine->stride))
      return FALSE;
    affine->stride = bytes / lanes;
  }
  return full > 1;
}

// Whether runs of affine->run lanes, the first of them cut by affine->phase, make the offsets.
static gboolean
try_runs(const Lanes *list, SmbAffine *affine) {
  if (!find_inner(list, affine))
    return FALSE;
  guint last = list->n - 1;
  gint64 runs = find_lane_run(affine, list->lane[last]) - find_lane_run(affine, list->lane[0]);
  gint64 places =
      find_place_in_run(affine, list->lane[last]) - find_place_in_run(affine, list->lane[0]);
  gint64 bytes = list->offset[last] - list->offset[0] - affine->stride * places;
  affine->run_stride = bytes / runs;
  affine->base = list->offset[0] - affine->stride * find_place_in_run(affine, list->lane[0]) -
                 affine->run_stride * find_lane_run(affine, list->lane[0]);
  return bytes % runs == 0 && fits_offsets(affine, list);
}

static gboolean
find_offset_runs(const Lanes *list, SmbAffine *affine) {
  if (list->n < MIN_RUN_LANES)
    return FALSE;
  affine->kind = SMB_AFFINE_RUNS;
  for (affine->run = 2; affine->run < list->lane[list->n - 1] + 1; affine->run++) {
    for (affine->phase = 0; affine->phase < affine->run; affine->phase++) {
      if (try_runs(list, affine))
        return TRUE;
    }
  }
  return FALSE;
}

SmbAffine
smb_affine_find(const SmbRequest *request, SmbLanes lanes) {
  SmbLanes active = lanes & smb_request_lanes(request);
  Lanes list = list_lanes(request, active);
  SmbAffine affine = {.lanes = active};
  if (find_stride(&list, &affine) || find_offset_runs(&list, &affine))
    return affine;
  return (SmbAffine){.kind = SMB_AFFINE_IRREGULAR, .lanes = active};
}

guint
smb_affine_runs(const SmbAffine *affine, SmbLanes runs[SMB_MAX_LANES]) {
  guint n = 0;
  gint64 last = -1;
  for (SmbLanes rest = affine->lanes; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    gint64 run = affine->kind == SMB_AFFINE_RUNS ? find_lane_run(affine, lane) : 0;
    if (run != last)
      runs[n++] = 0;
    runs[n - 1] |= (SmbLanes)1 << lane;
    last = run;
  }
  return n;
}

guint
smb_affine_run_span(const SmbAffine *affine) {
  if (affine->kind != SMB_AFFINE_RUNS || !affine->lanes)
    return affine->lanes ? 1 : 0;
  gint64 first = find_lane_run(affine, smb_lanes_first(affine->lanes));
  gint64 last = find_lane_run(affine, smb_lanes_last(affine->lanes));
  return (guint)(last - first) + 1;
}

static guint
find_gcd(guint64 a, guint64 b) {
  while (b) {
    guint64 rest = a % b;
    a = b;
    b = rest;
  }
  return (guint)a;
}

gboolean
smb_affine_stride(const SmbPlan *plan, gint64 stride, SmbStride *result) {
  gint64 unit = plan->unit_bytes, row = plan->banks * plan->bank_bytes;
  if (stride % unit != 0 || row % unit != 0)
    return FALSE;
  result->units = stride / unit;
  result->banks = (guint)(row / unit);
  result->gcd = find_gcd((guint64)ABS(result->units), result->banks);
  result->reach = result->banks / result->gcd;
  return TRUE;
}
