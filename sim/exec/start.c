// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What registers hold when a warp starts: where it is in the grid, and what the launch and the driver say.
#include <math.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/exec/unknown/unknown.h"

// A word of the parameters, and the bits of it that are not known; what is after the last one is 0.
static guint32
read_parameter_word(const Exec *exec, gsize offset, guint32 *unknown) {
  const Parameters *parameters = &exec->parameters;
  guint32 value = 0;
  *unknown = 0;
  for (guint i = 0; i < 4 && offset + i < parameters->length; i++) {
    value |= (guint32)parameters->bytes[offset + i] << (8 * i);
    *unknown |= parameters->marks[offset + i] ? 0 : 0xffu << (8 * i);
  }
  return value;
}

// 1 / @n as a float. One that is smaller would make a block of the next cluster one of this one, since code multiplies
// in place of dividing.
static guint32
find_inverse(guint n) {
  float inverse = 1.0F / (float)n;
  if ((double)inverse * n < 1)
    inverse = nextafterf(inverse, 1);
  guint32 bits;
  memcpy(&bits, &inverse, sizeof bits);
  return bits;
}

// For the specials that have three components: that along an axis. Clusters divide the grid.
static guint32
read_component(const SmbBlock *block, guint special, guint axis) {
  guint at = block->uniform[axis][0], in_cluster = block->cluster[axis];
  switch (special - axis) {
  case SPECIAL_NTID:
    return block->dims[axis];
  case SPECIAL_CTAID:
    return at;
  case SPECIAL_NCTAID:
    return block->grid[axis];
  case SPECIAL_CLUSTERID:
    return at / in_cluster;
  case SPECIAL_NCLUSTERID:
    return (block->grid[axis] + in_cluster - 1) / in_cluster;
  case SPECIAL_CLUSTER_CTAID:
    return at % in_cluster;
  case SPECIAL_CLUSTER_NCTAID:
    return in_cluster;
  default:
    return find_inverse(in_cluster);
  }
}

static gboolean
is_graph(Special special) {
  return special == SPECIAL_GRAPH || special == SPECIAL_GRAPH_HIGH;
}

// What all lanes of a warp have.
static guint32
read_preset(const Exec *exec, guint w, Special special, guint32 argument) {
  const SmbBlock *block = exec->block;
  if (special < SPECIAL_LANE)
    return read_component(block, special, special % 3);
  if (special == SPECIAL_WARP)
    return w;
  if (special == SPECIAL_CLUSTER_RANK)
    return block->rank;
  if (special == SPECIAL_OWN_SHARED)
    return exec->own_rank + argument;
  if (special == SPECIAL_CLUSTER_BLOCKS)
    return block->cluster[0] * block->cluster[1] * block->cluster[2];
  if (special == SPECIAL_IS_CLUSTER)
    return block->has_clusters;
  if (special == SPECIAL_NUMBER)
    return argument;
  if (is_graph(special)) {
    guint64 graph = block->runtime ? smb_runtime_graph(block->runtime) : 0;
    return (guint32)(graph >> (special == SPECIAL_GRAPH ? 0 : 32));
  }
  if (special == SPECIAL_DYNAMIC_BYTES)
    return (guint32)(block->shared_bytes - exec->code->program.dynamic_start);
  // As a device gives it: 40064 of 40000 bytes on an H200.
  gsize unit = MAX(smb_arch_info(block->arch)->shared_unit_bytes, 1);
  return (guint32)((block->shared_bytes + unit - 1) / unit * unit) + argument;
}

// A dependence on blockIdx matters only to a signature, and not along an axis with one block. The rank in the cluster
// is affine among the blocks of one cluster.
static guint
watch_preset(SmbBlock *block, Special special) {
  guint flags = 0;
  gboolean is_component = special < SPECIAL_LANE;
  guint of = is_component ? special - special % 3 : special;
  if (!block->signature ||
      (of != SPECIAL_CTAID && of != SPECIAL_CLUSTERID && of != SPECIAL_CLUSTER_CTAID &&
       of != SPECIAL_CLUSTER_RANK && of != SPECIAL_OWN_SHARED))
    return 0;
  for (guint axis = 0; axis < 3; axis++) {
    if ((is_component && axis != special % 3) || block->grid[axis] == 1)
      continue;
    gboolean is_divided = block->cluster[axis] > 1;
    if (of != SPECIAL_CTAID && is_divided)
      smb_signature_note(block, read_component(block, SPECIAL_CLUSTERID + axis, axis));
    if (of == SPECIAL_CTAID || (of == SPECIAL_CLUSTERID) != is_divided)
      flags = ROW_AFFINE;
  }
  return flags;
}

void
smb_exec_preset(Exec *exec, guint w, const Preset *preset) {
  SmbBlock *block = exec->block;
  guint n = block->lanes;
  guint32 values[SMB_MAX_LANES], unknown[SMB_MAX_LANES];
  guint32 missing = 0, origin = 0;
  gsize first = (gsize)w * n; // thread
  if (preset->special < SPECIAL_NTID) {
    const guint32 *ids = block->thread[preset->special - SPECIAL_TID];
    EACH_LANE(n, values[lane] = ids[first + lane];)
  } else if (preset->special == SPECIAL_LANE)
    EACH_LANE(n, values[lane] = lane;)
  else if (is_graph(preset->special) && !block->runtime)
    return; // not known
  else {
    guint32 value = preset->special == SPECIAL_PARAMETER
                        ? read_parameter_word(exec, preset->argument, &missing)
                        : read_preset(exec, w, preset->special, preset->argument);
    EACH_LANE(n, values[lane] = value;)
  }
  if (missing) {
    EACH_LANE(n, unknown[lane] = missing;)
    gsize byte = preset->argument + (gsize)__builtin_ctz(missing) / 8;
    origin = smb_unknown_note_parameter(exec, byte);
  }
  smb_row_set(exec->warps[w].registers, preset->row, block->launched.warp[w], values,
              missing ? unknown : NULL, watch_preset(block, preset->special), origin);
}

void
smb_exec_start_warp(Exec *exec, guint w) {
  Warp *warp = &exec->warps[w];
  SmbLanes lanes = exec->block->launched.warp[w];
  smb_registers_reset(warp->registers, lanes);
  memset(warp->found, 0, sizeof warp->found);
  smb_splits_start(warp->splits, lanes, 0);
  memset(warp->depth, 0, sizeof warp->depth);
  warp->arrived = warp->timed_out = warp->looks = warp->parted = 0;
  warp->clock_looks = 0;
  warp->has_unknown_members = FALSE;
  memset(warp->polled, 0, sizeof warp->polled);
  for (guint i = 0; i < exec->code->presets->len; i++)
    smb_exec_preset(exec, w, &g_array_index(exec->code->presets, Preset, i));
}

// Regions of words that are the same in all blocks.
void
smb_exec_set_launch_words(Exec *exec) {
  const GArray *words = exec->code->launch_words;
  exec->launch_words = g_new(guint32, words->len);
  for (guint i = 0; i < words->len; i++) {
    const LaunchWord *word = &g_array_index(words, LaunchWord, i);
    exec->launch_words[i] = read_preset(exec, 0, word->special, word->argument);
    exec->block->objects[word->region].contents =
        (SmbContents){.fill = SMB_FILL_BYTES,
                      .bytes = (const guint8 *)&exec->launch_words[i],
                      .length = sizeof(guint32)};
  }
}
