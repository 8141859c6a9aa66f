// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What happens where something that decides is not known: the guard of an instruction, the address of an access. No
// side is picked, and nothing is taken to be 0: what such an instruction writes is not known afterwards, and a request
// of shared memory that cannot be counted ends the run, or is listed as not counted.
#include "sim/exec/unknown/unknown.h"

#include <string.h>

Unknown *
smb_unknown_new(const Code *code, gsize parameter_bytes, gboolean skips) {
  Unknown *unknown = g_new0(Unknown, 1);
  unknown->causes = g_new0(Cause, code->steps->len + parameter_bytes / 4 + 1);
  unknown->stored = g_new0(Stored, code->steps->len);
  unknown->storing = g_array_new(FALSE, FALSE, sizeof(guint32));
  unknown->skips = skips;
  return unknown;
}

void
smb_unknown_free(Unknown *unknown) {
  g_free(unknown->causes);
  g_free(unknown->stored);
  g_array_unref(unknown->storing);
  g_free(unknown->refusal);
  g_clear_pointer(&unknown->missing, g_array_unref);
  g_clear_pointer(&unknown->stretches, g_hash_table_unref);
  g_free(unknown);
}

guint32
smb_unknown_note_parameter(Exec *exec, gsize byte) {
  guint32 cause = exec->code->steps->len + (guint32)byte / 4;
  exec->unknown->causes[cause] = (Cause){.kind = CAUSE_CONTENTS,
                                         .object = REGION_PARAMETERS,
                                         .address = make_pointer(REGION_PARAMETERS, (gint64)byte)};
  return cause + 1;
}

// --- refusals

static gboolean
has_hint(const GArray *hints, const SmbHint *hint) {
  for (guint i = 0; i < hints->len; i++) {
    const SmbHint *other = &g_array_index(hints, SmbHint, i);
    if (other->kind == hint->kind && strcmp(other->name, hint->name) == 0)
      return TRUE;
  }
  return FALSE;
}

// What is not counted ends the run; first, the rest of it is seen, in which contents of other buffers may be missing.
static void
refuse_later(Exec *exec, const Step *step, const char *reason, const SmbHint *hint) {
  const SmbProgram *program = &exec->code->program;
  Unknown *unknown = exec->unknown;
  if (!unknown->refusal) {
    const char *text =
        step->transfer ? smb_program_site(program, step->transfer->move.site)->expression : NULL;
    unknown->refusal = g_strconcat(text ? text : "", text ? ": " : "", reason, NULL);
    unknown->refused = step->place;
    if (hint->kind != SMB_HINT_NONE)
      unknown->missing = smb_hints_new();
  }
  // A run that no contents can complete asks for none.
  if (hint->kind == SMB_HINT_NONE || !unknown->missing || has_hint(unknown->missing, hint))
    return;
  SmbHint copy = smb_hint_copy(hint);
  g_array_append_val(unknown->missing, copy);
}

gboolean
smb_unknown_refuse(Exec *exec) {
  const Unknown *unknown = exec->unknown;
  GError **error = exec->block->error;
  if (!unknown->refusal)
    return TRUE;
  g_clear_error(error);
  smb_block_fail(exec->block, unknown->refused, "%s", unknown->refusal);
  for (guint i = 0; unknown->missing && i < unknown->missing->len; i++) {
    const SmbHint *hint = &g_array_index(unknown->missing, SmbHint, i);
    smb_hint(error, hint->kind, hint->name, hint->value);
  }
  return smb_hint(error, SMB_HINT_UNKNOWN, NULL, NULL);
}

// "the address depends on in[] (parameter 2), loaded at scan.cu:30" (transfer full)
static char *
explain_dependence(const Exec *exec, const char *what, guint32 origin, SmbHint *hint) {
  g_autofree char *why = smb_unknown_explain(exec, origin, hint);
  return g_strdup_printf("%s depends on %s", what, why);
}

void
smb_unknown_unplaced(Exec *exec, const Transfer *transfer, SmbLanes lanes, const char *what,
                     guint32 origin) {
  SmbBlock *block = exec->block;
  guint site = transfer->move.site;
  if (!block->sink->unplaced)
    return;
  if (block->unplaced[site]) {
    block->sink->unplaced(block->user, site, exec->w, lanes, NULL, NULL);
    return;
  }
  block->unplaced[site] = TRUE;
  g_auto(SmbHint) hint = {.kind = SMB_HINT_NONE};
  g_autofree char *reason = explain_dependence(exec, what, origin, &hint);
  block->sink->unplaced(block->user, site, exec->w, lanes, reason, &hint);
}

void
smb_unknown_uncounted(Exec *exec, const Step *step, SmbLanes lanes, const char *what,
                      guint32 origin) {
  SmbBlock *block = exec->block;
  g_auto(SmbHint) hint = {.kind = SMB_HINT_NONE};
  g_autofree char *reason = explain_dependence(exec, what, origin, &hint);
  if (!exec->unknown->skips && !block->guesses)
    refuse_later(exec, step, reason, &hint);
  else if (block->sink->uncounted)
    block->sink->uncounted(block->user, step->transfer->move.site, exec->w, lanes, reason, &hint);
}

static gboolean
fail_unknown(Exec *exec, const Step *step, const char *what, guint32 origin) {
  g_auto(SmbHint) hint = {.kind = SMB_HINT_NONE};
  g_autofree char *why = smb_unknown_explain(exec, origin, &hint);
  smb_block_fail(exec->block, step->place, "%s depends on %s", what, why);
  return hint.kind != SMB_HINT_NONE && smb_hint(exec->block->error, hint.kind, hint.name, NULL);
}

gboolean
smb_unknown_cannot_tell(Exec *exec, const Step *step, guint32 origin) {
  return fail_unknown(exec, step, "whether threads reach this point", origin);
}

gboolean
smb_unknown_check(Exec *exec, const Step *step, Row row, guint n_rows, SmbLanes lanes,
                  const char *what) {
  const Registers *registers = exec->warp->registers;
  for (guint i = 0; i < n_rows; i++) {
    if (smb_row_known(registers, row + i, lanes) != lanes)
      return fail_unknown(exec, step, what, row_origin(registers, row + i));
  }
  return TRUE;
}

// --- doubts

void
smb_unknown_forget_shared(Exec *exec, const Step *step) {
  SmbBlock *block = exec->block;
  smb_shared_forget(block);
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  if (!exec->unknown->forgotten_origin)
    exec->unknown->forgotten_origin = step_origin(exec, step);
}

void
smb_doubt_writes(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  Registers *registers = exec->warp->registers;
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    for (guint row = 0; row < written->n; row++)
      smb_row_forget(registers, written->row + row, lanes, 0, origin);
    if (written->n == 0)
      smb_predicate_set(registers, written->predicate, lanes, 0, lanes, 0, origin);
  }
}

void
smb_doubt_compute(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  const Compute *compute = &step->compute;
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  Registers *registers = exec->warp->registers;
  if (compute->is_uniform)
    lanes = registers->lanes;
  // What a comparison finds goes to predicates, or (set) to a row.
  gboolean has_row = info->result == SHAPE_PREDICATE ? compute->bytes > 0 : TRUE;
  for (guint row = 0; has_row && row < compute->n_rows[0]; row++)
    smb_row_forget(registers, compute->d + row, lanes, 0, origin);
  smb_predicate_set(registers, compute->p, lanes, 0, lanes, 0, origin);
  smb_predicate_set(registers, compute->q, lanes, 0, lanes, 0, origin);
}

// --- the policy

gboolean
smb_unknown_guard(Exec *exec, const Step *step, SmbLanes lanes, SmbLanes unknown) {
  guint32 origin = exec->warp->registers->predicate_origin[step->guard];
  StepDoubt doubt = smb_step_info(step->opcode)->doubt;
  switch ((StepKind)step->kind) {
  case KIND_COMPUTE:
    // What lanes exchange depends on who takes part.
    if (smb_compute_is_exchange(&step->compute))
      unknown |= lanes;
    else if (!step->run(exec, step, lanes))
      return FALSE;
    doubt(exec, step, unknown, origin);
    return TRUE;
  case KIND_TRANSFER:
    // A request that some lanes would take part in is not that of the others.
    if (exec_may_be_shared(exec, step->transfer)) {
      unknown |= lanes;
      smb_unknown_uncounted(exec, step, unknown, "whether it is executed", origin);
    } else if (!step->run(exec, step, lanes))
      return FALSE;
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
    doubt(exec, step, unknown, origin);
    return TRUE;
  case KIND_OPAQUE:
    doubt(exec, step, lanes | unknown, origin);
    smb_doubt_writes(exec, step, lanes | unknown, origin);
    return TRUE;
  case KIND_APART:
    smb_unknown_uncounted(exec, step, unknown, "whether it is executed", origin);
    doubt(exec, step, lanes | unknown, origin);
    return TRUE;
  case KIND_HARMLESS:
    doubt(exec, step, unknown, origin);
    return step->run(exec, step, lanes);
  case KIND_BRANCH:
  case KIND_EXIT:
    return smb_unknown_skip(exec, step, origin);
  case KIND_MEETING: // the branch after it is not known either
    return TRUE;
  case KIND_FRAME:
    return smb_unknown_cannot_tell(exec, step, origin);
  case KIND_CONTROL:
    return step->flags & STEP_IDLE || smb_unknown_cannot_tell(exec, step, origin);
  }
  g_assert_not_reached();
}
