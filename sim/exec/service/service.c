// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The step of a call of the device runtime. Of a launch that is only counted it does nothing: calls are taken to succeed, and what they
// answer is not known.
#include "sim/exec/service/service.h"

#include <string.h>

static const ServiceHandler handlers[] = {
#define PROVIDED(name, opcode, passed, returned) NULL,
#define SERVICE(name, handler, passed, returned) smb_service_##handler,
#include "sim/exec/runtime-function.def"
#undef PROVIDED
#undef SERVICE
};

// --- for handlers

// As programs call it (transfer full).
static char *
name_function(const Provided *provided) {
  const char *prefix = "__cudaCDP2", *name = provided->name;
  return g_str_has_prefix(name, prefix) ? g_strconcat("cuda", name + strlen(prefix), NULL)
                                        : g_strdup(name);
}

gboolean
smb_service_return(Service *service, guint error) {
  service->result = error;
  if (error)
    smb_children_set_error(service->children, service->thread, error);
  return TRUE;
}

gboolean
smb_service_fail(Service *service, SmbFault fault, const char *what, guint64 pointer) {
  g_autofree char *function = name_function(service->provided);
  g_autofree char *text =
      g_strdup_printf("%s %s 0x%" G_GINT64_MODIFIER "x", function, what, pointer);
  service->outcome =
      smb_step_fault(service->exec, service->step, (SmbLanes)1 << service->lane, fault, text);
  return FALSE;
}

gboolean
smb_service_put(Service *service, guint64 pointer, gconstpointer bytes, gsize length) {
  const Exec *exec = service->exec;
  return smb_block_poke(exec->block, exec->w, service->lane, pointer, bytes, length) ||
         smb_service_fail(service, SMB_FAULT_ADDRESS, "writes where no memory is: at", pointer);
}

gboolean
smb_service_take(Service *service, guint64 pointer, gpointer bytes, gsize length,
                 const char *what) {
  const Exec *exec = service->exec;
  if (!smb_block_has(exec->block, pointer))
    return smb_service_fail(service, SMB_FAULT_ADDRESS, "reads where no memory is: at", pointer);
  if (smb_block_peek(exec->block, exec->w, service->lane, pointer, bytes, length))
    return TRUE;
  service->outcome = smb_block_fail(exec->block, service->step->place,
                                    "%s is not known: %u bytes at 0x%" G_GINT64_MODIFIER "x", what,
                                    (guint)length, pointer);
  return FALSE;
}

guint
smb_service_question(const Service *service, const char *function, guint kernel,
                     GByteArray *answer) {
  const SmbQuestion question = {.function = function,
                                .kernel = kernel == G_MAXUINT ? NULL : &service->values[kernel],
                                .numbers = service->values,
                                .n = service->n};
  return smb_children_ask(service->children, &question, answer);
}

// The process answers, with bytes for the pointer that is there for them, if any is.
gboolean
smb_service_ask(Service *service) {
  const char *passed = service->provided->passed;
  const char *kernel = strchr(passed, 'K'), *out = strpbrk(passed, "oOA");
  g_autoptr(GByteArray) answer = g_byte_array_new();
  g_autofree char *function = name_function(service->provided);
  guint error = smb_service_question(service, function,
                                     kernel ? (guint)(kernel - passed) : G_MAXUINT, answer);
  if (!error && out && answer->len > 0 &&
      !smb_service_put(service, service->values[out - passed], answer->data, answer->len))
    return FALSE;
  return smb_service_return(service, error);
}

gboolean
smb_service_ask_quietly(Service *service) {
  guint last = smb_children_error(service->children, service->thread);
  gboolean goes_on = smb_service_ask(service);
  smb_children_set_error(service->children, service->thread, last);
  return goes_on;
}

// --- the step

static guint64
read_words(const Exec *exec, Row row, guint n, guint lane) {
  const Registers *registers = exec->warp->registers;
  guint64 low = row_values(registers, row)[lane];
  return n == 1 ? low : low | (guint64)row_values(registers, row + 1)[lane] << 32;
}

// Compute.s[1] is the row of the stack pointer; NO_ROW: all arguments are in rows from Compute.s[0] on.
static Passing
begin_passing(const Step *step) {
  return (Passing){.most = step->compute.s[1] == NO_ROW ? PASSED_ROWS : PASSED_REGISTERS};
}

// A word, or two, of an argument: at a row or, on the stack, at an offset.
static guint64
read_passed(const Service *service, gboolean is_row, guint place, guint n_words) {
  const Exec *exec = service->exec;
  const Step *step = service->step;
  guint64 value = 0;
  if (is_row)
    return read_words(exec, step->compute.s[0] + place, n_words, service->lane);
  gint64 at = (gint64)row_values(exec->warp->registers, step->compute.s[1])[service->lane] + place;
  smb_block_peek(exec->block, exec->w, service->lane, make_pointer(REGION_LOCAL, at), &value,
                 4 * n_words);
  return value;
}

static void
take_service_values(Service *service) {
  Passing passing = begin_passing(service->step);
  guint place;
  service->n = 0;
  for (const char *letter = service->provided->passed; *letter; letter++) {
    gboolean is_row = smb_provided_pass(&passing, *letter, &place);
    guint bytes = smb_provided_bytes(*letter), size = bytes % 8 ? 1 : 2;
    for (guint i = 0; i < bytes / 4 && service->n < SERVICE_VALUES; i += size)
      service->values[service->n++] =
          read_passed(service, is_row, place + (is_row ? i : 4 * i), size);
  }
}

static gboolean
is_stack_known(const Exec *exec, const Step *step, guint place, guint bytes, SmbLanes lanes) {
  guchar value[64];
  FOR_LANES(lanes, lane) {
    gint64 at = (gint64)row_values(exec->warp->registers, step->compute.s[1])[lane] + place;
    if (!smb_block_peek(exec->block, exec->w, (guint)lane, make_pointer(REGION_LOCAL, at), value,
                        bytes))
      return FALSE;
  }
  return TRUE;
}

static gboolean
are_passed_known(Exec *exec, const Step *step, const Provided *provided, SmbLanes lanes) {
  g_autofree char *function = name_function(provided);
  g_autofree char *what = g_strdup_printf("what is passed to %s", function);
  Passing passing = begin_passing(step);
  guint place;
  for (const char *letter = provided->passed; *letter; letter++) {
    guint bytes = smb_provided_bytes(*letter);
    if (smb_provided_pass(&passing, *letter, &place)) {
      if (!smb_unknown_check(exec, step, step->compute.s[0] + place, bytes / 4, lanes, what))
        return FALSE;
    } else if (!is_stack_known(exec, step, place, bytes, lanes))
      return smb_block_fail(exec->block, step->place, "%s is not known", what);
  }
  return TRUE;
}

static void
set_service_results(const Exec *exec, const Step *step, guint n, SmbLanes lanes,
                    const guint64 *results) {
  guint32 words[SMB_MAX_LANES] = {0};
  for (guint i = 0; i < n; i++) {
    FOR_LANES(lanes, lane) {
      words[lane] = (guint32)(results[lane] >> (32 * i));
    }
    smb_row_set(exec->warp->registers, step->compute.d + i, lanes, words, NULL, 0, 0);
  }
}

// Whether the pointer that is answered to, the first argument, is NULL.
static gboolean
answers_nowhere(const Service *service) {
  char first = service->provided->passed[0];
  return first && strchr("oOA", first) && service->values[0] == 0;
}

static guint64
number_thread(const Exec *exec, guint lane) {
  const SmbBlock *block = exec->block;
  guint64 number = block->uniform[2][0];
  number = number * block->grid[1] + block->uniform[1][0];
  number = number * block->grid[0] + block->uniform[0][0];
  return number * block->n_threads + exec->w * block->lanes + lane;
}

// What a call that is not made leaves where it answers.
static void
forget_answers(Exec *exec, const Step *step, const Provided *provided, SmbLanes lanes) {
  static const guint sizes[] = {['o'] = 4, ['O'] = 8, ['A'] = 256};
  Passing passing = begin_passing(step);
  guint place;
  for (const char *letter = provided->passed; *letter; letter++) {
    if (!smb_provided_pass(&passing, *letter, &place) || !strchr("oOA", *letter))
      continue;
    Row row = step->compute.s[0] + place;
    FOR_LANES(lanes, lane) {
      gboolean is_known = smb_row_known(exec->warp->registers, row, lanes) >> lane & 1 &&
                          smb_row_known(exec->warp->registers, row + 1, lanes) >> lane & 1;
      if (is_known)
        smb_block_poke(exec->block, exec->w, lane, read_words(exec, row, 2, lane), NULL,
                       sizes[(guchar)*letter]);
      else
        exec_forget_local(exec, (SmbLanes)1 << lane);
    }
  }
}

static gboolean
count_service(Exec *exec, const Step *step, const Provided *provided, SmbLanes lanes) {
  guint64 results[SMB_MAX_LANES] = {0};
  forget_answers(exec, step, provided, lanes);
  FOR_LANES(provided->gives ? lanes : 0, lane) {
    results[lane] = smb_exec_give_piece(exec, FALSE, 0);
  }
  set_service_results(exec, step, provided->returned, lanes, results);
  return TRUE;
}

gboolean
smb_step_service(Exec *exec, const Step *step, SmbLanes lanes) {
  const Provided *provided = smb_provided_row(step->argument);
  SmbRuntime *runtime = exec->block->runtime;
  guint64 results[SMB_MAX_LANES] = {0};
  if (!runtime || !lanes)
    return count_service(exec, step, provided, lanes);
  if (!smb_runtime_children(runtime))
    return smb_block_fail(exec->block, step->place, "'%s' is not supported", provided->name);
  if (smb_runtime_call_waits(exec, lanes) || !are_passed_known(exec, step, provided, lanes))
    return FALSE;
  FOR_LANES(lanes, lane) {
    Service service = {.exec = exec,
                       .step = step,
                       .provided = provided,
                       .children = smb_runtime_children(runtime),
                       .lane = (guint)lane,
                       .thread = number_thread(exec, (guint)lane)};
    take_service_values(&service);
    if (answers_nowhere(&service))
      smb_service_return(&service, SERVICE_INVALID_VALUE);
    else if (!handlers[step->argument](&service))
      return service.outcome;
    results[lane] = service.result;
  }
  set_service_results(exec, step, provided->returned, lanes, results);
  return TRUE;
}
