// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What happens where something that decides is not known: the guard of an instruction, the address of an access. No side
// is picked, and nothing is taken to be 0: what such an instruction writes is not known afterwards, and a request of
// shared memory that cannot be counted ends the run, or is listed as not counted.
#include <string.h>

#include "sim/compiled/run/run.h"

enum {
  MAX_CHAIN = 8, // links of an explanation
};

void
smb_runner_forget(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin) {
  Registers *registers = runner->warp->registers;
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    for (guint row = 0; row < written->n; row++)
      smb_row_forget(registers, written->row + row, lanes, 0, origin);
    if (written->n == 0)
      smb_predicate_set(registers, written->predicate, lanes, 0, lanes, 0, origin);
  }
}

// What gives a buffer its contents: "--buffer 2=SPEC".
static char *
describe_option(const Runner *runner, const Object *buffer) {
  if (buffer->buffer < runner->code->program.parameters->len)
    return g_strdup_printf("--buffer %u=SPEC", buffer->buffer);
  return g_strdup_printf("--buffer %s=SPEC", buffer->name);
}

// Where a step stands: a line of the program that was compiled, or of the compiled text.
static char *
describe_place(const Runner *runner, guint32 number) {
  const Step *step = &runner->steps[number];
  if (step->transfer && step->transfer->move.site < smb_program_n_sites(&runner->code->program))
    return smb_site_place(smb_program_site(&runner->code->program, step->transfer->move.site));
  guint line = 0, column = 0;
  if (!runner->code->program.source)
    return g_strdup_printf("0x%x", step->place);
  smb_source_locate(runner->code->program.source, step->place, &line, &column);
  return g_strdup_printf("line %u", line);
}

// The parameter that points to an address of memory at or below @address, the next to it, behind @first; in words (transfer
// full).
static char *
describe_pointer(const Runner *runner, guint64 first, guint64 address) {
  const guint8 *bytes = runner->parameters.bytes;
  guint64 best = 0;
  guint parameter = 0;
  for (guint p = 0; p < runner->code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(runner->code->places, ParameterPlace, p);
    for (gsize at = 0; at + sizeof best <= place->bytes; at += sizeof best) {
      guint64 pointer;
      memcpy(&pointer, bytes + place->offset + at, sizeof pointer);
      if (pointer < first || pointer > address || pointer <= best)
        continue;
      best = pointer;
      parameter = p;
    }
  }
  return best ? g_strdup_printf(" (parameter %u points into it)", parameter) : g_strdup("");
}

// The field whose buffer has an address, or NULL.
static const SmbField *
find_field(const Runner *runner, guint64 address) {
  const GArray *fields = runner->parameters.fields;
  for (guint i = 0; i < fields->len; i++) {
    const SmbField *field = &g_array_index(fields, SmbField, i);
    if (field->address && address - field->address < SMB_FIELD_BUFFER_BYTES)
      return field;
  }
  return NULL;
}

// Of memory at addresses: "the contents of memory at 0x7f3a40000040 that was not recorded (parameter 2 points into it), loaded
// at scan.cu:30"; of the buffer of a field what gives it contents.
static char *
explain_memory(const Runner *runner, const Cause *cause, const char *place, char **option) {
  guint64 first = 0, end = 0;
  gboolean known = smb_map_piece(runner->block->map, cause->address, &first, &end);
  const SmbField *field = find_field(runner, cause->address);
  g_autofree char *pointer = field ? g_strdup("") : describe_pointer(runner, first, cause->address);
  g_autofree char *memory =
      field ? g_strdup_printf("the buffer of %s", field->name)
            : g_strdup_printf("memory at 0x%" G_GINT64_MODIFIER "x%s%s", cause->address,
                              known ? "" : " that was not recorded", pointer);
  if (known)
    return g_strdup_printf("what is stored to %s while the kernel runs, loaded at %s", memory,
                           place);
  if (!field)
    return g_strdup_printf("the contents of %s, loaded at %s", memory, place);
  *option = g_strdup_printf("--buffer %s=SPEC", field->name);
  return g_strdup_printf("the contents of %s, loaded at %s: give %s", memory, place, *option);
}

// "byte 24 of parameter 0, which has no value: give --arg 0+24=VALUE".
static char *
explain_parameter(const Runner *runner, const Cause *cause, char **option) {
  gsize at = (gsize)(cause->address - make_pointer(REGION_PARAMETERS, 0));
  for (guint p = 0; p < runner->code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(runner->code->places, ParameterPlace, p);
    if (at - place->offset >= place->bytes)
      continue;
    *option = g_strdup_printf("--arg %u+%" G_GSIZE_FORMAT "=VALUE", p, at - place->offset);
    return g_strdup_printf("byte %" G_GSIZE_FORMAT " of parameter %u, which has no value: give %s",
                           at - place->offset, p, *option);
  }
  return g_strdup("bytes between parameters");
}

// Of a buffer or a variable, which --buffer gives contents unless the launch was recorded.
static char *
explain_buffer(const Runner *runner, const Object *buffer, const char *place, char **option) {
  g_autofree char *object = smb_object_describe(runner->block, buffer);
  if (buffer->contents.fill != SMB_FILL_UNKNOWN)
    return g_strdup_printf("what is stored to %s while the kernel runs, loaded at %s", object,
                           place);
  if (runner->block->map && runner->parameters.fields->len == 0)
    return g_strdup_printf("the contents of %s, which were not recorded, loaded at %s", object,
                           place);
  *option = describe_option(runner, buffer);
  return g_strdup_printf("the contents of %s, loaded at %s: give %s", object, place, *option);
}

// "the contents of parameter 2 ('in'), loaded at scan.cu:30: give --buffer 2=SPEC". @option: (out): what it asks for, or NULL
static char *
explain(const Runner *runner, guint32 origin, char **option) {
  *option = NULL;
  for (guint link = 0; link < MAX_CHAIN && origin > 0; link++) {
    const Cause *cause = &runner->causes[origin - 1];
    if (cause->kind == CAUSE_CONTENTS && cause->object == REGION_PARAMETERS)
      return explain_parameter(runner, cause, option);
    g_autofree char *place = describe_place(runner, origin - 1);
    if (cause->kind == CAUSE_OPAQUE)
      return g_strdup_printf("the result of an instruction that is not modelled (%s)", place);
    if (cause->kind == CAUSE_CONTENTS) {
      const Object *object = &runner->block->objects[cause->object];
      return object->map ? explain_memory(runner, cause, place, option)
                         : explain_buffer(runner, object, place, option);
    }
    if (cause->kind == CAUSE_NONE)
      return g_strdup_printf("a value that is not known (%s)", place);
    if (cause->origin == 0)
      return g_strdup_printf("memory that no thread wrote, loaded at %s", place);
    origin = cause->origin;
  }
  return g_strdup("a register that nothing sets, such as that of a clock");
}

char *
smb_runner_explain(const Runner *runner, guint32 origin) {
  g_autofree char *option = NULL;
  return explain(runner, origin, &option);
}

// What is not counted ends the run; first, the rest of it is seen, in which contents of other buffers may be missing.
static void
refuse_later(Runner *runner, const Step *step, const char *reason, const char *option) {
  const SmbProgram *program = &runner->code->program;
  gboolean is_first = !runner->refusal;
  if (is_first) {
    const char *text =
        step->transfer ? smb_program_site(program, step->transfer->move.site)->expression : NULL;
    runner->refusal = g_string_new(NULL);
    runner->refused = step->place;
    runner->missing = option ? g_ptr_array_new_with_free_func(g_free) : NULL;
    g_string_printf(runner->refusal, "%s%s%s", text ? text : "", text ? ": " : "", reason);
  }
  // A run that no contents can complete asks for none.
  if (!option || !runner->missing ||
      g_ptr_array_find_with_equal_func(runner->missing, option, g_str_equal, NULL))
    return;
  if (!is_first)
    g_string_append_printf(runner->refusal, " %s", option);
  g_ptr_array_add(runner->missing, g_strdup(option));
}

gboolean
smb_runner_refuse(Runner *runner) {
  if (!runner->refusal)
    return TRUE;
  g_clear_error(runner->block->error);
  return smb_block_fail(runner->block, runner->refused,
                        "%s (--unknown skip leaves it out of the count)", runner->refusal->str);
}

void
smb_runner_uncounted(Runner *runner, const Step *step, SmbLanes lanes, const char *what,
                     guint32 origin) {
  SmbBlock *block = runner->block;
  g_autofree char *option = NULL;
  g_autofree char *why = explain(runner, origin, &option);
  g_autofree char *reason = g_strdup_printf("%s depends on %s", what, why);
  if (!runner->skips)
    refuse_later(runner, step, reason, option);
  else if (block->sink->uncounted)
    block->sink->uncounted(block->user, step->transfer->move.site, runner->w, lanes, reason);
}

void
smb_runner_lose_global(Runner *runner, const Step *step) {
  SmbBlock *block = runner->block;
  if (step->kind != STEP_TRANSFER || step->transfer->window != WINDOW_GENERIC)
    return;
  const Move *move = &step->transfer->move;
  if (move->constant_bytes == 0)
    block->lost_globals[move->op_class] = TRUE;
  else if (block->sink->constant)
    block->sink->constant(block->user, move->site, NULL, NULL);
}

gboolean
smb_runner_cannot_tell(Runner *runner, const Step *step, guint32 origin) {
  g_autofree char *why = smb_runner_explain(runner, origin);
  return smb_block_fail(runner->block, step->place, "whether threads come here depends on %s", why);
}

gboolean
smb_transfer_may_be_shared(const Runner *runner, const Transfer *transfer) {
  return transfer->window == WINDOW_SHARED ||
         (transfer->window == WINDOW_GENERIC && transfer->is_generic &&
          runner->block->shared_bytes > 0);
}

static void
forget_local(Runner *runner, SmbLanes lanes) {
  Mask mask = {{0}};
  mask.warp[runner->w] = lanes;
  smb_private_forget(runner->block, REGION_LOCAL, &mask);
}

// A variable of a thread, where its frame is. The frames of functions that are skipped are gone afterwards.
static void
blur_local(Runner *runner, const Transfer *transfer, SmbLanes lanes) {
  guint64 addresses[SMB_MAX_LANES];
  guint flags;
  guint32 origin;
  if (smb_transfer_addresses(runner, transfer, lanes, addresses, &flags, &origin) != lanes) {
    forget_local(runner, lanes);
    return;
  }
  FOR_LANES(lanes, lane) {
    smb_private_forget_bytes(runner->block, REGION_LOCAL, runner->w, lane,
                             (gsize)(addresses[lane] - make_pointer(REGION_LOCAL, 0)),
                             transfer->move.width);
  }
}

void
smb_runner_blur(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin) {
  const Transfer *transfer = step->transfer;
  SmbBlock *block = runner->block;
  if (!runner->lost_origin)
    runner->lost_origin = origin ? origin : step_origin(runner, step);
  if (smb_transfer_may_be_shared(runner, transfer))
    memset(block->shared_marks, 0, block->shared_bytes);
  if (transfer->window == WINDOW_GENERIC)
    smb_words_blur(block);
  if (transfer->window == WINDOW_LOCAL)
    blur_local(runner, transfer, lanes);
  else if (transfer->window == WINDOW_GENERIC)
    forget_local(runner, lanes);
}

void
smb_runner_forget_results(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin) {
  const Compute *compute = &step->compute;
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  Registers *registers = runner->warp->registers;
  if (compute->is_uniform)
    lanes = registers->lanes;
  // What a comparison finds goes to predicates, or (set) to a row.
  gboolean has_row = info->result == SHAPE_PREDICATE ? compute->bytes > 0 : TRUE;
  for (guint row = 0; has_row && row < compute->n_rows[0]; row++)
    smb_row_forget(registers, compute->d + row, lanes, 0, origin);
  smb_predicate_set(registers, compute->p, lanes, 0, lanes, 0, origin);
  smb_predicate_set(registers, compute->q, lanes, 0, lanes, 0, origin);
}

// An access that is made, or not, in @lanes; of requests of shared memory, these are all that would take part.
static void
lose_access(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin) {
  const Transfer *transfer = step->transfer;
  gboolean writes = transfer->move.op_class != SMB_OP_CLASS_LOAD;
  if (smb_transfer_may_be_shared(runner, transfer))
    smb_runner_uncounted(runner, step, lanes, "whether it is executed", origin);
  smb_runner_note(runner, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
  smb_runner_lose_global(runner, step);
  smb_runner_forget(runner, step, lanes, origin);
  if (writes)
    smb_runner_blur(runner, step, lanes, origin);
}

gboolean
smb_step_unsure(Runner *runner, const Step *step, SmbLanes lanes, SmbLanes unsure) {
  guint32 origin = runner->warp->registers->predicate_origin[step->guard];
  switch (step->kind) {
  case STEP_COMPUTE:
    // What lanes tell each other depends on who takes part.
    if (smb_compute_is_exchange(&step->compute)) {
      smb_runner_forget_results(runner, step, lanes | unsure, origin);
      return TRUE;
    }
    if (!step->run(runner, step, lanes))
      return FALSE;
    smb_runner_forget_results(runner, step, unsure, origin);
    return TRUE;
  case STEP_TRANSFER:
    // A request that some lanes would take part in is not that of the others.
    if (smb_transfer_may_be_shared(runner, step->transfer))
      unsure |= lanes;
    else if (!step->run(runner, step, lanes))
      return FALSE;
    lose_access(runner, step, unsure, origin);
    return TRUE;
  case STEP_OPAQUE:
    smb_runner_forget(runner, step, lanes | unsure, origin);
    return TRUE;
  case STEP_APART:
    smb_runner_uncounted(runner, step, unsure, "whether it is executed", origin);
    smb_runner_lose(runner, step, lanes | unsure, origin);
    return TRUE;
  case STEP_BRANCH:
    return smb_runner_skip(runner, step, origin);
  case STEP_MEETING: // the branch behind it is not known either
    return TRUE;
  case STEP_FRAME:
    return smb_runner_cannot_tell(runner, step, origin);
  case STEP_OTHER:
    if (step->run == smb_step_exit)
      return smb_runner_skip(runner, step, origin);
    if (smb_step_is_harmless(step)) {
      smb_runner_forget_copies(runner, step, unsure);
      return step->run(runner, step, lanes);
    }
    return step->run == smb_step_trap || smb_runner_cannot_tell(runner, step, origin);
  }
  g_assert_not_reached();
}
