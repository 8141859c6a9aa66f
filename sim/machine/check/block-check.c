// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The defects of a block: where they are, and how often.
#include "sim/machine/check/checking.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/machine/front-end.h"

enum {
  LAST_TIME = G_MAXUINT32 / 2, // of the clock, before it begins again
};

Inspection *
smb_inspect_new(const SmbBlock *block, const SmbLaunch *launch) {
  if (!launch->defects)
    return NULL;
  Inspection *check = g_new0(Inspection, 1);
  const SmbProgram *program = block->program;
  check->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  check->lane_shift = (guint)__builtin_ctz(block->lanes);
  check->shared.shift = 2;
  for (guint i = 0; i < program->sites->len; i++) {
    guint width = g_array_index(program->sites, SmbSite, i).width;
    check->shared.shift = MIN(check->shared.shift, width ? (guint)__builtin_ctz(width) : 0);
  }
  gsize end = MAX(block->shared_bytes, block->reserved_start + block->reserved_bytes);
  check->shared.n = (end >> check->shared.shift) + 1;
  check->shared.cells = g_new0(CheckCell, check->shared.n);
  check->n_columns = smb_inspect_columns(block->n_warps);
  check->seen = g_new0(guint32, (gsize)block->n_warps * check->n_columns);
  check->lane_seen = g_new0(guint32, (gsize)block->n_warps * block->lanes * block->lanes);
  check->fenced = g_new0(guint32, block->n_warps);
  for (guint i = 0; i < N_CHECK_AGENTS; i++)
    check->groups[i] = g_new0(CheckGroups, block->n_warps);
  check->posts = smb_inspect_posts_new();
  check->polls = g_new0(guint8, program->sites->len + 1);
  check->races = g_new0(guint8, program->sites->len + 1);
  check->trail = launch->trail;
  check->ahead = launch->ahead;
  check->waited = g_new0(SmbLanes, block->n_warps);
  check->waited_at = g_new0(guint32, block->n_warps);
  return check;
}

void
smb_inspect_free(Inspection *check) {
  if (!check)
    return;
  smb_defects_free(check->defects);
  g_hash_table_unref(check->known);
  g_clear_pointer(&check->code, g_ptr_array_unref);
  g_free(check->failed_text);
  g_free(check->shared.cells);
  g_free(check->tensor.cells);
  g_free(check->seen);
  g_free(check->lane_seen);
  g_free(check->fenced);
  for (guint i = 0; i < N_CHECK_AGENTS; i++)
    g_free(check->groups[i]);
  g_hash_table_unref(check->posts);
  g_free(check->polls);
  g_free(check->races);
  g_free(check->waited);
  g_free(check->waited_at);
  g_free(check);
}

// What earlier blocks did is before the start; only a clock that has run for long begins again.
void
smb_inspect_start_block(SmbBlock *block) {
  Inspection *check = block->check;
  if (!check)
    return;
  g_clear_pointer(&check->defects, smb_defects_free);
  g_hash_table_remove_all(check->known);
  g_hash_table_remove_all(check->posts);
  if (check->now > LAST_TIME) {
    memset(check->shared.cells, 0, check->shared.n * sizeof(CheckCell));
    if (check->tensor.cells)
      memset(check->tensor.cells, 0, check->tensor.n * sizeof(CheckCell));
    memset(check->seen, 0, (gsize)block->n_warps * check->n_columns * sizeof *check->seen);
    memset(check->lane_seen, 0,
           (gsize)block->n_warps * block->lanes * block->lanes * sizeof *check->lane_seen);
    memset(check->fenced, 0, block->n_warps * sizeof *check->fenced);
    for (guint i = 0; i < N_CHECK_AGENTS; i++)
      memset(check->groups[i], 0, block->n_warps * sizeof *check->groups[i]);
    check->now = 0;
  }
  check->has_fences = FALSE;
  check->start = check->floor = ++check->now;
  check->is_polling = FALSE;
  check->has_waited = check->has_triggered = FALSE;
  memset(check->waited, 0, block->n_warps * sizeof *check->waited);
  check->pending = 0;
  check->fault = SMB_FAULT_NONE;
  memset(check->races, 0, block->program->sites->len);
}

static guint64
make_found_key(const CheckFound *found) {
  guint32 here = found->site == G_MAXUINT ? found->at : found->site;
  guint32 there = found->other == G_MAXUINT ? 0 : found->other + 1;
  return ((guint64)found->kind << 58) ^ ((guint64)(found->site == G_MAXUINT) << 57) ^
         ((guint64)here << 28) ^ there;
}

// A thread that reads too early, as it races with the one that writes, finds what was not written: that is said once.
static void
drop_early_reads(const SmbBlock *block) {
  const Inspection *check = block->check;
  for (guint i = 0; i < block->program->sites->len; i++) {
    const CheckFound found = {.kind = SMB_DEFECT_UNSET_SHARED, .site = i, .other = G_MAXUINT};
    guint64 key = make_found_key(&found);
    SmbDefect *defect = check->races[i] ? g_hash_table_lookup(check->known, &key) : NULL;
    if (defect)
      smb_defects_remove(check->defects, defect);
  }
}

SmbDefects *
smb_block_take_defects(SmbBlock *block) {
  Inspection *check = block->check;
  if (!check || !check->defects)
    return NULL;
  drop_early_reads(block);
  g_hash_table_remove_all(check->known);
  return g_steal_pointer(&check->defects);
}

// --- where

static void
fill_place(const SmbSite *site, SmbDefectPlace *place) {
  place->file = g_strdup(site->file);
  place->line = site->line;
  place->text = smb_site_place(site);
  for (guint i = 0; i < site->n_frames; i++)
    smb_defect_place_add_call(place, site->frames[i].file, site->frames[i].line);
}

// In a text of compiled code that says what it was compiled from.
static gboolean
place_compiled(const SmbProgram *program, guint32 at, SmbDefectPlace *place) {
  g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(SmbFrame));
  if (program->front_end->locate)
    program->front_end->locate(program, at, frames);
  if (frames->len == 0)
    return FALSE;
  const SmbFrame *leaf = &g_array_index(frames, SmbFrame, 0);
  SmbSite site = {
      .file = leaf->file, .line = leaf->line, .frames = leaf + 1, .n_frames = frames->len - 1};
  smb_program_place_site(program, &site);
  fill_place(&site, place);
  return TRUE;
}

// An instruction that is no access: by its line in the source, if the code says it.
static void
place_instruction(SmbBlock *block, guint32 at, SmbDefectPlace *place) {
  Inspection *check = block->check;
  guint line = 0, column = 0;
  if (!check->has_code)
    check->code = smb_program_instructions(block->program);
  check->has_code = TRUE;
  for (guint i = 0; check->code && i < check->code->len; i++) {
    const SmbCodeLine *code = g_ptr_array_index(check->code, i);
    if (code->pc != at || !code->file)
      continue;
    place->file = g_strdup(code->file);
    place->line = code->line;
    place->text = g_strdup_printf("%s:%u", code->file, code->line);
    for (guint call = 0; code->frames && call < code->frames->len; call++) {
      const SmbFrame *frame = &g_array_index(code->frames, SmbFrame, call);
      smb_defect_place_add_call(place, frame->file, frame->line);
    }
    return;
  }
  if (place_compiled(block->program, at, place))
    return;
  if (!check->code && smb_program_source(block->program)) {
    smb_source_locate(smb_program_source(block->program), at, &line, &column);
    place->text = g_strdup_printf("line %u of %s", line, smb_program_file(block->program));
  } else
    place->text = g_strdup_printf("0x%x", at);
}

char *
smb_inspect_place(const SmbBlock *block, const char *name, guint32 offset) {
  gboolean is_named = block->program->tracks && smb_program_array_at(block->program, offset);
  return is_named ? g_strdup_printf("'%s' (byte %u of shared memory)", name, offset)
                  : g_strdup_printf("byte %u of shared memory", offset);
}

char *
smb_inspect_thread(const SmbBlock *block, guint thread) {
  return g_strdup_printf("thread (%u,%u,%u)", block->thread[0][thread], block->thread[1][thread],
                         block->thread[2][thread]);
}

static void
set_thread(const SmbBlock *block, guint thread, guint *extent) {
  for (guint i = 0; i < 3; i++)
    extent[i] = block->thread[i][thread];
}

// --- what

gboolean
smb_inspect_counts(SmbBlock *block, const CheckFound *found) {
  guint64 key = make_found_key(found);
  SmbDefect *known = g_hash_table_lookup(block->check->known, &key);
  if (known)
    known->count++;
  return known != NULL;
}

void
smb_inspect_tell(SmbBlock *block, const CheckFound *found, const char *format, ...) {
  Inspection *check = block->check;
  SmbDefect *defect = g_new0(SmbDefect, 1);
  guint64 key = make_found_key(found);
  va_list arguments;
  va_start(arguments, format);
  defect->text = smb_text_format(format, arguments);
  va_end(arguments);
  defect->kind = found->kind;
  defect->kernel = g_strdup(smb_program_symbol(block->program));
  defect->array = g_strdup(found->array);
  defect->address = found->address;
  defect->count = defect->launches = 1;
  if (found->site == G_MAXUINT)
    place_instruction(block, found->at, &defect->place);
  else
    fill_place(smb_program_site(block->program, found->site), &defect->place);
  if (found->other != G_MAXUINT)
    fill_place(smb_program_site(block->program, found->other), &defect->other);
  for (guint i = 0; i < 3; i++)
    defect->block[i] = block->uniform[i][0];
  defect->has_thread = found->lane != G_MAXUINT;
  if (defect->has_thread)
    set_thread(block, found->warp * block->lanes + found->lane, defect->thread);
  defect->has_other = found->other_thread < block->n_warps * block->lanes;
  if (defect->has_other)
    set_thread(block, found->other_thread, defect->other_thread);
  g_hash_table_insert(check->known, g_memdup2(&key, sizeof key), defect);
  if (!check->defects)
    check->defects = smb_defects_new();
  smb_defects_put(check->defects, defect);
}

void
smb_inspect_note(SmbBlock *block, const CheckFound *found, const char *text) {
  if (!smb_inspect_counts(block, found))
    smb_inspect_tell(block, found, "%s", text);
}

void
smb_inspect_fault(SmbBlock *block, const Move *move, guint warp, guint lane, const char *problem) {
  Inspection *check = block->check;
  const CheckFound found = {.kind = check->fault == SMB_FAULT_MISALIGNED    ? SMB_DEFECT_MISALIGNED
                                    : check->fault == SMB_FAULT_INSTRUCTION ? SMB_DEFECT_INSTRUCTION
                                                                            : SMB_DEFECT_ADDRESS,
                            .site = move->site,
                            .other = G_MAXUINT,
                            .warp = warp,
                            .lane = lane,
                            .other_thread = G_MAXUINT};
  g_autofree char *thread = smb_inspect_thread(block, warp * block->lanes + lane);
  const char *colon = strstr(problem, ": "); // ahead of it is what the kind says
  check->failed_lane = lane;
  if (!smb_inspect_counts(block, &found))
    smb_inspect_tell(block, &found, "%s, by %s", colon ? colon + 2 : problem, thread);
}

void
smb_inspect_remember(Inspection *check, guint32 place, const char *text) {
  if (!check)
    return;
  g_free(check->failed_text);
  check->failed_text = g_strdup(text);
  check->failed_place = place;
}

void
smb_inspect_note_failure(SmbBlock *block, SmbDefectKind kind, guint warp, guint lane) {
  const Inspection *check = block->check;
  if (!check || !check->failed_text)
    return;
  const CheckFound found = {.kind = kind,
                            .site = G_MAXUINT,
                            .at = check->failed_place,
                            .other = G_MAXUINT,
                            .warp = warp,
                            .lane = lane,
                            .other_thread = G_MAXUINT};
  smb_inspect_note(block, &found, check->failed_text);
}
