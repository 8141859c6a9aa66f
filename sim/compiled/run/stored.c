// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Why what is loaded is not known: which step stored it. Of each step, only the range of places is kept where it stored what
// is not known, and why the first time; so where two steps store in turns, either may be named.
#include <string.h>

#include "sim/compiled/run/run.h"
#include "sim/machine/lanes.h"

static void
note(Runner *runner, const Step *step, guint64 low, guint64 high, guint32 origin) {
  guint32 number = step_number(runner, step);
  Stored *stored = &runner->stored[number];
  if (!stored->origin) {
    *stored = (Stored){.low = low, .high = high, .origin = origin};
    g_array_append_val(runner->storing, number);
    return;
  }
  stored->low = MIN(stored->low, low);
  stored->high = MAX(stored->high, high);
}

void
smb_stored_note(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses,
                gsize bytes, guint32 origin) {
  guint64 low = G_MAXUINT64, high = 0;
  if (!origin || !lanes)
    return;
  if (lanes == runner->block->all_lanes) {
    EACH_LANE(runner->block->lanes, {
      low = MIN(low, addresses[lane]);
      high = MAX(high, addresses[lane]);
    })
  } else {
    FOR_LANES(lanes, lane) {
      low = MIN(low, addresses[lane]);
      high = MAX(high, addresses[lane]);
    }
  }
  note(runner, step, low, high + bytes, origin);
}

void
smb_stored_note_shared(Runner *runner, const Step *step, SmbLanes lanes, const guint32 *base,
                       guint32 offset, guint32 origin) {
  guint32 low = G_MAXUINT32, high = 0;
  if (!origin || !lanes)
    return;
  if (lanes == runner->block->all_lanes) {
    EACH_LANE(runner->block->lanes, {
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
  note(runner, step, make_pointer(REGION_SHARED, low),
       make_pointer(REGION_SHARED, high) + step->transfer->move.width, origin);
}

void
smb_stored_forget(Runner *runner) {
  for (guint i = 0; i < runner->storing->len; i++)
    runner->stored[g_array_index(runner->storing, guint32, i)] = (Stored){0};
  g_array_set_size(runner->storing, 0);
}

// What is behind an unknown value at an address: a step, + 1; 0: nothing that was stored.
static guint32
find_origin(const Runner *runner, guint64 address) {
  for (guint i = 0; i < runner->storing->len; i++) {
    const Stored *stored = &runner->stored[g_array_index(runner->storing, guint32, i)];
    if (stored->low <= address && address < stored->high)
      return stored->origin;
  }
  return runner->lost_origin;
}

// The first lane of which a byte from @first to @end is not known, and that byte; FALSE: all are.
static gboolean
find_unknown(const MarkedWords *words, gsize first, gsize end, SmbLanes lanes, guint *found,
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

guint
smb_stored_find_lane(const MarkedWords *words, gsize bytes, SmbLanes lanes, gsize *at) {
  guint lane = smb_lanes_first(lanes);
  *at = 0;
  find_unknown(words, 0, bytes, lanes, &lane, at);
  return lane;
}

void
smb_stored_explain_lanes(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses,
                         gsize bytes, const MarkedWords *words) {
  gsize at;
  if (runner->causes[step_number(runner, step)].kind != CAUSE_NONE)
    return;
  guint lane = smb_stored_find_lane(words, bytes, lanes, &at);
  smb_stored_explain(runner, step, addresses[lane] + at);
}

void
smb_stored_explain_components(Runner *runner, const Step *step, SmbLanes lanes,
                              const guint64 *addresses, const MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  Registers *registers = runner->warp->registers;
  const guint64 start = make_pointer(REGION_PARAMETERS, 0);
  if (addresses[smb_lanes_first(lanes)] - start >= runner->parameters.length)
    return;
  for (guint c = 0; c < transfer->n_components; c++) {
    guint lane;
    gsize at, first = (gsize)c * transfer->bytes;
    if (transfer->data[c] == NO_ROW ||
        !find_unknown(words, first, first + transfer->bytes, lanes, &lane, &at))
      continue;
    guint64 address = addresses[lane] + at;
    if (address - start >= runner->parameters.length)
      continue;
    guint32 cause = runner->code->steps->len + (guint32)(address - start) / 4;
    runner->causes[cause] =
        (Cause){.kind = CAUSE_CONTENTS, .object = REGION_PARAMETERS, .address = address};
    for (guint row = 0; row < transfer->rows; row++)
      registers->origin[transfer->data[c] + row] = cause + 1;
  }
}

void
smb_stored_explain(Runner *runner, const Step *step, guint64 address) {
  guint object = smb_block_find(runner->block, address);
  gboolean outside = (object >= N_FIXED_REGIONS || object == REGION_PARAMETERS) &&
                     object < runner->block->n_objects && object != runner->code->heap &&
                     runner->block->objects[object].space != SPACE_PRIVATE;
  if (outside && strcmp(runner->block->objects[object].name, CODE_DRIVER_REGION) == 0)
    smb_runner_note(runner, step, (Cause){.kind = CAUSE_OPAQUE});
  smb_runner_note(runner, step,
                  outside ? (Cause){.kind = CAUSE_CONTENTS, .object = object, .address = address}
                          : (Cause){.kind = CAUSE_MEMORY, .origin = find_origin(runner, address)});
}
