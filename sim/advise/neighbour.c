// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise/neighbour.h"
#include "sim/arch/arch.h"

enum {
  MIN_LAST_PAD = 4,   // elements: the paddings that people try
  SUB_WORD_WORDS = 2, // of elements smaller than a word: as many words of padding
};

// Requests that the search for the best padding may count: some seconds.
static const guint64 max_counts = G_GUINT64_CONSTANT(1) << 26;

static void
neighbour_free(gpointer data) {
  SmbNeighbour *neighbour = data;
  smb_candidate_free(neighbour->candidate);
  g_free(neighbour);
}

void
smb_neighbours_free(SmbNeighbours *neighbours) {
  if (!neighbours)
    return;
  g_ptr_array_unref(neighbours->all);
  g_free(neighbours);
}

static SmbRoom
find_shared_room(const SmbArch *arch, guint64 shared_bytes) {
  const SmbArchInfo *info = smb_arch_info(arch);
  if (shared_bytes > info->max_shared_bytes)
    return SMB_ROOM_TOO_SMALL;
  return shared_bytes > info->static_shared_bytes ? SMB_ROOM_OPT_IN : SMB_ROOM_ENOUGH;
}

static SmbNeighbour *
add_neighbour(SmbNeighbours *neighbours, const SmbArch *arch, guint64 pad) {
  const SmbArrayUse *use = neighbours->use;
  SmbNeighbour *neighbour = g_new0(SmbNeighbour, 1);
  SmbLayout layout = neighbours->layout;
  layout.pad = pad;
  neighbour->candidate = smb_advise_try(arch, use, &neighbours->layout, &layout);
  neighbour->present = pad == neighbours->layout.pad;
  if (neighbour->present)
    neighbour->candidate->bytes = use->bytes;
  neighbour->shared_bytes = use->analysis->shared_bytes - use->bytes + neighbour->candidate->bytes;
  neighbour->room = find_shared_room(arch, neighbour->shared_bytes);
  g_ptr_array_add(neighbours->all, neighbour);
  return neighbour;
}

// Whether a padding stands in the table.
static gboolean
is_near(const SmbNeighbours *neighbours, const SmbArch *arch, guint64 pad) {
  guint64 word = MAX(1, smb_arch_info(arch)->bank_bytes / neighbours->use->array->element_bytes);
  guint64 last = MAX(MIN_LAST_PAD, word > 1 ? SUB_WORD_WORDS * word : 0);
  guint64 present = neighbours->layout.pad;
  return pad <= last || (pad + 1 >= present && pad <= present + 1);
}

SmbNeighbours *
smb_neighbours_new(const SmbArch *arch, const SmbArrayUse *use, guint64 row,
                   const SmbLayout *present) {
  SmbAdviseOptions options = {
      .kinds = SMB_ADVISE_PAD, .row = row, .present = present, .keep = 1, .max_counts = max_counts};
  g_autoptr(SmbAdvice) advice = smb_advise_array(arch, use, &options);
  const SmbCandidate *best = advice->best->len ? g_ptr_array_index(advice->best, 0) : NULL;
  if (best && best->total.wavefronts >= advice->original->total.wavefronts)
    best = NULL;
  SmbNeighbours *neighbours = g_new0(SmbNeighbours, 1);
  neighbours->use = use;
  neighbours->all = g_ptr_array_new_with_free_func(neighbour_free);
  neighbours->layout = advice->original->layout;
  neighbours->wavefronts = advice->original->total.wavefronts;
  neighbours->searched = advice->given_up ? 0 : advice->searched;
  if (use->tile)
    neighbours->rows = SMB_ROWS_UNKNOWN; // hardware has its own idea of them
  else if (use->array->n_dimensions > 1)
    neighbours->rows = SMB_ROWS_DIMENSION;
  else if (row || present)
    neighbours->rows = SMB_ROWS_GIVEN;
  else if (best && best->layout.pad)
    neighbours->rows = SMB_ROWS_SEARCHED;
  if (neighbours->rows == SMB_ROWS_UNKNOWN)
    return neighbours;
  if (neighbours->rows == SMB_ROWS_SEARCHED)
    neighbours->layout.columns = best->layout.columns;
  guint64 end = MAX(neighbours->layout.pad, best ? best->layout.pad : 0);
  for (guint64 pad = 0; pad <= end + 1 || is_near(neighbours, arch, pad); pad++) {
    gboolean is_best = best && pad == best->layout.pad;
    if (!is_best && !is_near(neighbours, arch, pad))
      continue;
    const SmbNeighbour *neighbour = add_neighbour(neighbours, arch, pad);
    if (is_best)
      neighbours->best = neighbour;
  }
  return neighbours;
}
