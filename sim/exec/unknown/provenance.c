// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Why loaded data is unknown: which step stored it. For each step only the range of addresses is kept where it stored
// unknown data, and why the first time. If two steps store alternately, either may be named.
#include "sim/exec/unknown/unknown.h"

#include <string.h>

static void
note_stored_origin(Exec *exec, const Step *step, guint64 low, guint64 high, guint32 origin) {
  guint32 number = step_number(exec, step);
  Stored *stored = &exec->unknown->stored[number];
  if (!stored->origin) {
    *stored = (Stored){.low = low, .high = high, .origin = origin};
    g_array_append_val(exec->unknown->storing, number);
    return;
  }
  stored->low = MIN(stored->low, low);
  stored->high = MAX(stored->high, high);
}

void
smb_provenance_note(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses,
                    gsize bytes, guint32 origin) {
  guint64 low = G_MAXUINT64, high = 0;
  if (!origin || !lanes)
    return;
  if (lanes == exec->block->all_lanes) {
    EACH_LANE(exec->block->lanes, {
      low = MIN(low, addresses[lane]);
      high = MAX(high, addresses[lane]);
    })
  } else {
    FOR_LANES(lanes, lane) {
      low = MIN(low, addresses[lane]);
      high = MAX(high, addresses[lane]);
    }
  }
  note_stored_origin(exec, step, low, high + bytes, origin);
}

void
smb_provenance_note_shared(Exec *exec, const Step *step, SmbLanes lanes, const guint32 *base,
                           guint32 offset, guint32 origin) {
  guint32 low = G_MAXUINT32, high = 0;
  if (!origin || !lanes)
    return;
  if (lanes == exec->block->all_lanes) {
    EACH_LANE(exec->block->lanes, {
      guint32 at = base[lane] + offset;
      low = MIN(low, at);
      high = MAX(high, at);
    })
  } else {
    FOR_LANES(lanes, lane) {
      low = MIN(low, base[lane] + offset);
      high = MAX(high, base[lane] + offset);
    }
  }
  note_stored_origin(exec, step, make_pointer(REGION_SHARED, low),
                     make_pointer(REGION_SHARED, high) + step->transfer->move.width, origin);
}

void
smb_provenance_forget(Exec *exec) {
  for (guint i = 0; i < exec->unknown->storing->len; i++)
    exec->unknown->stored[g_array_index(exec->unknown->storing, guint32, i)] = (Stored){0};
  g_array_set_size(exec->unknown->storing, 0);
}

// What is behind an unknown value at an address: a step, + 1; 0: nothing that was stored.
static guint32
find_byte_origin(const Exec *exec, guint64 address) {
  for (guint i = 0; i < exec->unknown->storing->len; i++) {
    const Stored *stored =
        &exec->unknown->stored[g_array_index(exec->unknown->storing, guint32, i)];
    if (stored->low <= address && address < stored->high)
      return stored->origin;
  }
  return exec->unknown->forgotten_origin;
}

// The first lane of which a byte from @first to @end is not known, and that byte; FALSE: all are.
static gboolean
find_unknown_lane(const MarkedWords *words, gsize first, gsize end, SmbLanes lanes, guint *found,
                  gsize *at) {
  FOR_LANES(lanes, lane) {
    for (gsize byte = first; byte < end; byte++) {
      if (words->marks[byte / 4][lane] >> (8 * (byte % 4)) & MARK_KNOWN)
        continue;
      *at = byte;
      *found = (guint)lane;
      return TRUE;
    }
  }
  return FALSE;
}

// The first of @lanes that loads something that is not known, of @bytes each; @at: which byte of it is the first.
static guint
find_lane(const MarkedWords *words, gsize bytes, SmbLanes lanes, gsize *at) {
  guint lane = smb_lanes_first(lanes);
  *at = 0;
  find_unknown_lane(words, 0, bytes, lanes, &lane, at);
  return lane;
}

static gboolean
is_explained(const Exec *exec, const Step *step) {
  return exec->unknown->causes[step_number(exec, step)].kind != CAUSE_NONE;
}

void
smb_provenance_explain_lanes(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses,
                             gsize bytes, const MarkedWords *words) {
  gsize at;
  if (is_explained(exec, step))
    return;
  guint lane = find_lane(words, bytes, lanes, &at);
  smb_provenance_explain(exec, step, addresses[lane] + at);
}

void
smb_provenance_explain_shared(Exec *exec, const Step *step, SmbLanes lanes, const guint32 *base,
                              guint32 offset, const MarkedWords *words) {
  gsize at;
  if (is_explained(exec, step))
    return;
  guint lane = find_lane(words, step->transfer->move.width, lanes, &at);
  smb_provenance_explain(exec, step,
                         make_pointer(REGION_SHARED, base[lane] + offset + (guint32)at));
}

void
smb_provenance_explain_components(Exec *exec, const Step *step, SmbLanes lanes,
                                  const guint64 *addresses, const MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  Registers *registers = exec->warp->registers;
  const guint64 start = make_pointer(REGION_PARAMETERS, 0);
  if (addresses[smb_lanes_first(lanes)] - start >= exec->parameters.length)
    return;
  for (guint c = 0; c < transfer->n_components; c++) {
    guint lane;
    gsize at, first = (gsize)c * transfer->bytes;
    if (transfer->data[c] == NO_ROW ||
        !find_unknown_lane(words, first, first + transfer->bytes, lanes, &lane, &at))
      continue;
    guint64 address = addresses[lane] + at;
    if (address - start >= exec->parameters.length)
      continue;
    guint32 origin = smb_unknown_note_parameter(exec, (gsize)(address - start));
    for (guint row = 0; row < transfer->rows; row++)
      registers->origin[transfer->data[c] + row] = origin;
  }
}

void
smb_provenance_explain(Exec *exec, const Step *step, guint64 address) {
  guint object = smb_block_find(exec->block, address);
  gboolean outside = (object >= N_FIXED_REGIONS || object == REGION_PARAMETERS) &&
                     object < exec->block->n_objects && object != exec->code->heap &&
                     exec->block->objects[object].space != SPACE_PRIVATE;
  if (outside && strcmp(exec->block->objects[object].name, CODE_DRIVER_REGION) == 0)
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  smb_unknown_note(exec, step,
                   outside
                       ? (Cause){.kind = CAUSE_CONTENTS, .object = object, .address = address}
                       : (Cause){.kind = CAUSE_MEMORY, .origin = find_byte_origin(exec, address)});
}
