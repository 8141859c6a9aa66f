// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A block of compiled code from its start to its end. Each warp runs until all its lanes wait or have exited, or until it
// has had its share of steps, since it may wait for what another warp does.
#include "sim/compiled/run/run.h"

#include <math.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "sim/machine/lanes.h"

enum {
  SHARE_STEPS = 1 << 16, // of a warp, before the next one has its turn
  LOOK_STEPS = 1 << 22,  // of a block, a multiple of that, before it is asked whether it can end
};

// A word of the parameters, and the bits of it that are not known; what is behind the last one is 0.
static guint32
read_parameter(const Runner *runner, gsize offset, guint32 *unknown) {
  const Parameters *parameters = &runner->parameters;
  guint32 value = 0;
  *unknown = 0;
  for (guint i = 0; i < 4 && offset + i < parameters->length; i++) {
    value |= (guint32)parameters->bytes[offset + i] << (8 * i);
    *unknown |= parameters->marks[offset + i] ? 0 : 0xffu << (8 * i);
  }
  return value;
}

// 1 / @n as a float. One that is smaller would make a block of the next cluster one of this one, since code multiplies in place
// of dividing.
static guint32
find_inverse(guint n) {
  float inverse = 1.0F / (float)n;
  if ((double)inverse * n < 1)
    inverse = nextafterf(inverse, 1);
  guint32 bits;
  memcpy(&bits, &inverse, sizeof bits);
  return bits;
}

// Of the specials that have three components: that along an axis. Clusters divide the grid.
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

static guint32
find_rank(const SmbBlock *block) {
  guint32 rank = 0;
  for (guint axis = 3; axis-- > 0;)
    rank = rank * block->cluster[axis] + read_component(block, SPECIAL_CLUSTER_CTAID + axis, axis);
  return rank;
}

// What all lanes of a warp have.
static guint32
read_preset(const Runner *runner, guint w, Special special, guint32 argument) {
  const SmbBlock *block = runner->block;
  if (special < SPECIAL_LANE)
    return read_component(block, special, special % 3);
  if (special == SPECIAL_WARP)
    return w;
  if (special == SPECIAL_CLUSTER_RANK)
    return find_rank(block);
  if (special == SPECIAL_CLUSTER_BLOCKS)
    return block->cluster[0] * block->cluster[1] * block->cluster[2];
  if (special == SPECIAL_IS_CLUSTER)
    return block->has_clusters;
  if (special == SPECIAL_NUMBER)
    return argument;
  if (special == SPECIAL_DYNAMIC_BYTES)
    return (guint32)(block->shared_bytes - runner->code->program.dynamic_start);
  // As a device gives it: 40064 of 40000 bytes on an H200.
  gsize unit = MAX(smb_arch_info(block->arch)->shared_unit_bytes, 1);
  return (guint32)((block->shared_bytes + unit - 1) / unit * unit) + argument;
}

// What depends on blockIdx is of interest to a signature only; along an axis of one block there is no other that could differ.
// What a block is in its cluster is affine among blocks of one cluster, in which the cluster is the same.
static guint
watch_preset(SmbBlock *block, Special special) {
  guint flags = 0;
  gboolean is_component = special < SPECIAL_LANE;
  guint of = is_component ? special - special % 3 : special;
  if (!block->signature || (of != SPECIAL_CTAID && of != SPECIAL_CLUSTERID &&
                            of != SPECIAL_CLUSTER_CTAID && of != SPECIAL_CLUSTER_RANK))
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

static void
preset_row(Runner *runner, guint w, const Preset *preset) {
  SmbBlock *block = runner->block;
  guint n = block->lanes;
  guint32 values[SMB_MAX_LANES], unknown[SMB_MAX_LANES];
  guint32 missing = 0, origin = 0;
  gsize first = (gsize)w * n; // thread
  if (preset->special < SPECIAL_NTID) {
    const guint32 *ids = block->thread[preset->special - SPECIAL_TID];
    EACH_LANE(n, values[lane] = ids[first + lane];)
  } else if (preset->special == SPECIAL_LANE)
    EACH_LANE(n, values[lane] = lane;)
  else {
    guint32 value = preset->special == SPECIAL_PARAMETER
                        ? read_parameter(runner, preset->argument, &missing)
                        : read_preset(runner, w, preset->special, preset->argument);
    EACH_LANE(n, values[lane] = value;)
  }
  if (missing) {
    EACH_LANE(n, unknown[lane] = missing;)
    guint32 cause = runner->code->steps->len + preset->argument / 4;
    gsize at = preset->argument + (gsize)__builtin_ctz(missing) / 8;
    runner->causes[cause] = (Cause){.kind = CAUSE_CONTENTS,
                                    .object = REGION_PARAMETERS,
                                    .address = make_pointer(REGION_PARAMETERS, (gint64)at)};
    origin = cause + 1;
  }
  smb_row_set(runner->warps[w].registers, preset->row, block->launched.warp[w], values,
              missing ? unknown : NULL, watch_preset(block, preset->special), origin);
}

static void
start_warp(Runner *runner, guint w) {
  Warp *warp = &runner->warps[w];
  SmbLanes lanes = runner->block->launched.warp[w];
  smb_registers_reset(warp->registers, lanes);
  smb_splits_start(warp->splits, lanes, 0);
  memset(warp->depth, 0, sizeof warp->depth);
  warp->timed_out = warp->looks = 0;
  warp->has_unknown_members = FALSE;
  for (guint i = 0; i < runner->code->presets->len; i++)
    preset_row(runner, w, &g_array_index(runner->code->presets, Preset, i));
}

// Where the last step stands. A meeting, which is no instruction, stands before the one that comes next.
static guint32
find_place(const Runner *runner, const Step *step) {
  const Step *end = &g_array_index(runner->code->steps, Step, runner->code->steps->len - 1);
  while (step->kind == STEP_MEETING && step < end)
    step++;
  return step->place;
}

// Says where the block is, every so many steps; the limit is told with the loop that it is in. Of a loop that cannot end that is
// told long before. @step: the last one; @before: steps of the block before those of this warp's share.
static gboolean
check_limit(Runner *runner, const Step *step, guint64 before) {
  SmbBlock *block = runner->block;
  const SmbSplits *splits = runner->warp->splits;
  gboolean looks = block->steps / LOOK_STEPS != before / LOOK_STEPS && splits->mask;
  if (looks && smb_runner_is_endless(runner))
    return smb_block_fail(block, find_place(runner, step),
                          "an endless loop: no way leads out of it");
  runner->doubts = runner->doubts || looks;
  guint64 max_work = MAX(CODE_MAX_WORK, block->limits.max_steps / 2 * 5);
  if (block->steps <= block->limits.max_steps && block->steps + block->work <= max_work)
    return TRUE;
  const SmbSite *polled = smb_runner_polled(runner, step);
  g_autofree char *place = polled ? smb_site_place(polled) : NULL;
  g_autofree char *loop = polled
                              ? g_strdup_printf(", in a loop that does nothing but load '%s' (%s)",
                                                polled->expression, place)
                              : g_strdup("");
  return smb_block_fail(
      block, find_place(runner, step),
      "still running after %" G_GUINT64_FORMAT
      " instructions of warps%s: an endless loop, one that waits for a value that no "
      "other thread writes, or a large trip count? (--max-steps)%s",
      MIN(block->steps, block->limits.max_steps), loop, runner->pointers);
}

// What the guard of a step says besides.
G_GNUC_NO_INLINE static void
watch_guard(Runner *runner, const Step *step, SmbLanes unsure) {
  guint flags =
      predicate_flags_in(runner->warp->registers, step->guard, runner->warp->splits->mask);
  smb_transfer_watch(runner, flags);
  if (flags & ROW_ORDER && !unsure)
    smb_order_guards(runner, step);
}

gboolean
smb_runner_step(Runner *runner) {
  const Registers *registers = runner->warp->registers;
  SmbSplits *splits = runner->warp->splits;
  const Step *step = &runner->steps[splits->pc++];
  SmbLanes truth = registers->predicates[step->guard] ^ (step->unless ? ~(SmbLanes)0 : 0);
  runner->block->instructions += step->begins;
  if (registers->predicate_flags[step->guard] & (ROW_BLOCK | ROW_ORDER))
    watch_guard(runner, step, 0);
  return step->run(runner, step,
                   step->guard == PREDICATE_TRUE ? splits->mask : splits->mask & truth);
}

static gboolean
run_warp(Runner *runner) {
  const Registers *registers = runner->warp->registers;
  SmbSplits *splits = runner->warp->splits;
  const Step *step = runner->steps;
  guint left = SHARE_STEPS;
  guint64 instructions = 0, before = runner->block->steps;
  if (G_UNLIKELY(runner->watch) && !smb_recur_warp(runner, &left))
    return FALSE;
  if (splits->mask)
    step = &runner->steps[splits->pc];
  for (; splits->mask && left > 0; left--) {
    step = &runner->steps[splits->pc++];
    SmbLanes lanes = splits->mask;
    instructions += step->begins;
    if (step->guard != PREDICATE_TRUE) {
      SmbLanes unsure = registers->unknown_predicates[step->guard] & lanes;
      lanes &= registers->predicates[step->guard] ^ (step->unless ? ~(SmbLanes)0 : 0);
      if (G_UNLIKELY(registers->predicate_flags[step->guard] & (ROW_BLOCK | ROW_ORDER)))
        watch_guard(runner, step, unsure);
      if (G_UNLIKELY(unsure)) {
        if (!smb_step_unsure(runner, step, lanes & ~unsure, unsure))
          return FALSE;
        continue;
      }
    }
    if (!step->run(runner, step, lanes))
      return FALSE;
  }
  runner->block->steps += SHARE_STEPS - left;
  runner->block->instructions += instructions;
  if (splits->mask)
    smb_splits_yield(splits);
  return check_limit(runner, step, before);
}

// What earlier blocks left, if they are seen, depends on the order of blocks.
static void
start_order(Runner *runner) {
  const SmbBlock *block = runner->block;
  runner->follows = !block_is_alone(block) && !block_has_company(block);
  runner->ordered = block->races != NULL;
  memset(runner->written, 0, block->n_objects);
  smb_runner_see_others(runner);
}

static void
start_block(Runner *runner) {
  SmbBlock *block = runner->block;
  memset(runner->barriers, 0, sizeof runner->barriers);
  runner->awaited = 0;
  runner->lost_origin = 0;
  smb_stored_forget(runner);
  runner->allocated = 0;
  runner->n_looks = 0;
  runner->wrote = FALSE;
  g_hash_table_remove_all(runner->found);
  if (runner->arrivals)
    g_hash_table_remove_all(runner->arrivals);
  runner->doubts = FALSE;
  g_clear_pointer(&runner->watch, smb_recur_free); // of a block that failed
  start_order(runner);
  runner->own_rank = runner->code->carries_rank ? find_rank(block) << CLUSTER_SHIFT : 0;
  smb_mbarriers_reset(runner);
  for (guint w = 0; w < block->n_warps; w++)
    start_warp(runner, w);
}

static gboolean
run_block(Runner *runner) {
  SmbBlock *block = runner->block;
  for (;;) {
    gboolean ran = FALSE, waits = FALSE;
    if (G_UNLIKELY(runner->doubts))
      smb_recur_start(runner);
    runner->doubts = FALSE;
    for (guint w = 0; w < block->n_warps; w++) {
      runner->w = w;
      runner->warp = &runner->warps[w];
      gboolean runs = runner->warp->splits->mask != 0;
      if (runs && !run_warp(runner))
        return FALSE;
      ran = ran || runs;
      waits = waits || runner->warp->splits->living;
    }
    if (G_UNLIKELY(runner->watch) && !smb_recur_end(runner))
      return FALSE;
    if (!waits)
      return TRUE;
    if (ran || smb_runner_release(runner) || smb_runner_look_again(runner))
      continue;
    return smb_runner_waits(runner) || smb_runner_fail_stopped(runner);
  }
}

// To its end, or to where it waits for other blocks.
static gboolean
run_turn(Runner *runner) {
  SmbBlock *block = runner->block;
  gboolean ran = run_block(runner);
  smb_runner_leave(runner);
  block->is_cooperative =
      block->is_cooperative || block->waits || block->objects[REGION_GRID].written;
  return (ran && block->waits) || (smb_runner_refuse(runner) && ran);
}

gboolean
smb_runner_run(gpointer data) {
  start_block(data);
  return run_turn(data);
}

gboolean
smb_runner_resume(gpointer data) {
  smb_runner_see_others(data);
  smb_runner_release_polls(data);
  return run_turn(data);
}

// Regions of words that are the same in all blocks.
static void
set_launch_words(Runner *runner) {
  const GArray *words = runner->code->launch_words;
  runner->launch_words = g_new(guint32, words->len);
  for (guint i = 0; i < words->len; i++) {
    const LaunchWord *word = &g_array_index(words, LaunchWord, i);
    runner->launch_words[i] = read_preset(runner, 0, word->special, word->argument);
    runner->block->objects[word->region].contents =
        (SmbContents){.fill = SMB_FILL_BYTES,
                      .bytes = (const guint8 *)&runner->launch_words[i],
                      .length = sizeof(guint32)};
  }
}

// Memory at addresses is called as the field or the parameter that points there.
static void
name_memory(const Runner *runner) {
  const Code *code = runner->code;
  const guint8 *bytes = runner->parameters.bytes;
  for (guint i = 0; i < runner->parameters.fields->len; i++) {
    const SmbField *field = &g_array_index(runner->parameters.fields, SmbField, i);
    smb_block_name_memory(runner->block, field->address, field->name);
  }
  for (guint p = 0; runner->block->map && p < code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(code->places, ParameterPlace, p);
    const char *name = g_array_index(code->program.parameters, SmbParameter, p).name;
    guint64 address;
    for (gsize at = 0; at + sizeof address <= place->bytes; at += sizeof address) {
      memcpy(&address, bytes + place->offset + at, sizeof address);
      smb_block_name_memory(runner->block, address, name);
    }
  }
}

// Of parameters of which the launch says nothing: a number of 8 bytes among them is taken as a pointer (transfer full).
static char *
describe_pointers(const SmbProgram *program, const SmbLaunch *launch) {
  g_autoptr(GString) list = g_string_new(NULL);
  guint n = 0;
  for (guint p = 0; p < smb_program_n_parameters(program); p++) {
    SmbParameter parameter = smb_program_parameter(program, p);
    if (smb_launch_is_pointer(launch, program, p) && parameter.may_be_value &&
        !smb_launch_buffer(launch, parameter.name, p))
      g_string_append_printf(list, "%s%u", n++ > 0 ? ", " : "", p);
  }
  return n == 0 ? g_strdup("")
                : g_strdup_printf("; taken as pointers, since no value is given: parameter%s %s",
                                  smb_plural(n), list->str);
}

gpointer
smb_runner_new(SmbBlock *block, const SmbLaunch *launch, GError **error) {
  const Code *code = (const Code *)block->program;
  Parameters parameters = {.bytes = NULL};
  if (!smb_parameters_set(&parameters, code, block, launch, error)) {
    smb_parameters_clear(&parameters);
    return NULL;
  }
  Runner *runner = g_new0(Runner, 1);
  runner->block = block;
  runner->code = code;
  runner->steps = &g_array_index(code->steps, Step, 0);
  runner->skips = launch->skips_unknown;
  runner->causes = g_new0(Cause, code->steps->len + parameters.length / 4 + 1);
  runner->pointers = describe_pointers(&code->program, launch);
  runner->stored = g_new0(Stored, code->steps->len);
  runner->storing = g_array_new(FALSE, FALSE, sizeof(guint32));
  runner->written = g_new0(guint8, block->n_objects);
  runner->mbarriers = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  runner->polls = g_hash_table_new(NULL, NULL);
  runner->found = g_hash_table_new(NULL, NULL);
  runner->arrivals = smb_arrivals_new(code);
  runner->parameters = parameters;
  Object *object = &block->objects[REGION_PARAMETERS];
  object->contents =
      (SmbContents){.fill = SMB_FILL_BYTES, .bytes = parameters.bytes, .length = parameters.length};
  object->marks = parameters.marks;
  set_launch_words(runner);
  name_memory(runner);
  runner->warps = g_new0(Warp, block->n_warps);
  block->state_bytes = 2 * sizeof(guint32) * code->n_rows * block->lanes * block->n_warps;
  for (guint w = 0; w < block->n_warps; w++) {
    Warp *warp = &runner->warps[w];
    warp->registers = smb_registers_new(code->constants, code->n_rows, code->n_predicates, block);
    warp->splits = smb_splits_new(code->barriers);
    warp->calls = g_array_new(FALSE, TRUE, sizeof(guint32));
  }
  return runner;
}

void
smb_runner_free(gpointer data) {
  Runner *runner = data;
  for (guint w = 0; w < runner->block->n_warps; w++) {
    smb_registers_free(runner->warps[w].registers);
    smb_splits_free(runner->warps[w].splits);
    g_array_unref(runner->warps[w].calls);
  }
  g_free(runner->warps);
  g_free(runner->launch_words);
  smb_recur_free(runner->watch);
  g_free(runner->causes);
  g_free(runner->stored);
  g_free(runner->pointers);
  g_array_unref(runner->storing);
  g_free(runner->written);
  smb_parameters_clear(&runner->parameters);
  if (runner->refusal)
    g_string_free(runner->refusal, TRUE);
  g_clear_pointer(&runner->missing, g_ptr_array_unref);
  g_clear_pointer(&runner->stretches, g_hash_table_unref);
  g_hash_table_unref(runner->mbarriers);
  g_hash_table_unref(runner->polls);
  g_hash_table_unref(runner->found);
  g_clear_pointer(&runner->arrivals, g_hash_table_unref);
  g_free(runner);
}
