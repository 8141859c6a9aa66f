// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/run/launching.h"

#include <poll.h>

#include "gpu/driver/protocol.h"
#include "sim/program/symbol.h"
#include "src/cli/hint.h"
#include "src/rank/rank.h"
#include "src/run/family.h"

// --- what is kept of a launch

// Keeps what memory and variables hold before the kernel runs, as far as the limit goes.
static void
keep_memory(const SmbRunProcess *process, SmbCaptureLaunch *launch) {
  guint64 left = process->running->memory_bytes;
  SmbRecorder *recorder = process->running->recorder;
  for (guint i = 0; i < launch->variables->len; i++) {
    SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    const guchar *bytes = smb_engine_memory(process->engine, variable->address, variable->bytes);
    if (!bytes || variable->bytes > left)
      continue;
    left -= variable->bytes;
    variable->hashes = smb_capture_variable_new_hashes();
    for (guint64 at = 0; at < variable->bytes; at += SMB_CAPTURE_PIECE_BYTES)
      g_ptr_array_add(variable->hashes,
                      smb_recorder_memory(recorder, bytes + at,
                                          MIN(variable->bytes - at, SMB_CAPTURE_PIECE_BYTES)));
  }
  for (guint i = 0; i < launch->memory->len; i++) {
    SmbCaptureMemory *memory = &g_array_index(launch->memory, SmbCaptureMemory, i);
    const guchar *bytes = smb_engine_memory(process->engine, memory->address, memory->bytes);
    if (!bytes || memory->bytes > left)
      continue;
    left -= memory->bytes;
    for (guint64 at = 0; at < memory->bytes; at += SMB_CAPTURE_PIECE_BYTES) {
      guint64 n = MIN(memory->bytes - at, SMB_CAPTURE_PIECE_BYTES);
      g_autofree char *hash = smb_recorder_memory(recorder, bytes + at, n);
      smb_capture_memory_add(memory, at, n, hash);
    }
  }
}

// Whether a kernel is one of those that are wanted.
static gboolean
matches(SmbRunning *running, const char *symbol) {
  gpointer known;
  if (!running->kernel)
    return TRUE;
  if (g_hash_table_lookup_extended(running->matching, symbol, NULL, &known))
    return known != NULL;
  g_autofree char *name = smb_symbol_demangle(symbol, FALSE);
  gboolean does = g_regex_match(running->kernel, name, 0, NULL) ||
                  g_regex_match(running->kernel, symbol, 0, NULL);
  g_hash_table_insert(running->matching, g_strdup(symbol), GINT_TO_POINTER(does));
  return does;
}

// Whether a launch is one of those that are wanted.
static gboolean
is_wanted_launch(SmbRunning *running, const char *symbol) {
  if (!matches(running, symbol))
    return FALSE;
  guint64 number = ++running->n_matching;
  return number >= running->first && number <= running->last &&
         (number - running->first) % running->every == 0;
}

static void
record_run(const SmbRunProcess *process, SmbCaptureLaunch *launch, const SmbModule *module) {
  SmbRecorder *recorder = process->running->recorder;
  if (smb_recorder_is_full(recorder))
    return;
  launch->launch = process->running->n_matching;
  launch->arch = g_strdup_printf("sm_%u", module->chip);
  launch->time = smb_recorder_time(recorder);
  keep_memory(process, launch);
  smb_recorder_launch(recorder, launch, module->image);
}

// Whether a launch is recorded, one that is wanted.
static gboolean
is_recorded(const SmbRunning *running, const SmbCaptureLaunch *launch) {
  if (!running->recorder || !running->only_firsts)
    return running->recorder != NULL;
  GString *key = g_string_new(launch->kernel);
  g_string_append_printf(key, " %" G_GUINT64_FORMAT, launch->dynamic_bytes);
  for (guint i = 0; i < 3; i++)
    g_string_append_printf(key, " %u %u %u", launch->grid[i], launch->block[i], launch->cluster[i]);
  if (launch->parameters) {
    g_autofree char *sum = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, launch->parameters);
    g_string_append_printf(key, " %s", sum);
  }
  return g_hash_table_add(running->firsts, g_string_free(key, FALSE));
}

// Whether the program has ended, or hung up: nobody waits for the kernel. Asked while it runs; signals are passed on meanwhile.
static gboolean
has_hung_up(gpointer user) {
  const SmbRunProcess *process = user;
  struct pollfd end = {process->fd, POLLRDHUP, 0};
  if (process->running->stage)
    smb_application_pass_signals(process->running->stage);
  return poll(&end, 1, 0) > 0 && end.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

// What a device of the architecture does that is not known for sure; NULL: nothing was.
static const char *
name_approximate(guint approximated) {
  return approximated & SMB_APPROXIMATE_FUNCTIONS  ? "computes functions such as tanh"
         : approximated & SMB_APPROXIMATE_PRODUCTS ? "adds products of matrices"
         : approximated & SMB_APPROXIMATE_FILTERS  ? "filters such textures"
         : approximated & SMB_APPROXIMATE_LEVELS   ? "chooses levels of textures"
                                                   : NULL;
}

// What a person reads of a launch (transfer full).
static char *
describe_run(const char *kernel, const SmbEngineRun *run, SmbFault fault, const char *reason) {
  g_autofree char *name = smb_symbol_demangle(kernel, FALSE);
  if (reason && fault != SMB_FAULT_ASSERT)
    return g_strdup_printf("smembank run: %s: %s", name, reason);
  const char *approximate = run->runtime && !run->n_unknown
                                ? name_approximate(smb_runtime_approximated(run->runtime))
                                : NULL;
  if (approximate)
    return g_strdup_printf("smembank run: warning: %s: how %s %s is not known to the last digit: "
                           "a device may have others",
                           name, smb_arch_info(run->arch)->name, approximate);
  if (run->n_unknown)
    return g_strdup_printf(
        "smembank run: warning: %s: %" G_GUINT64_FORMAT " of the bytes that it wrote %s: results "
        "that depend on them are wrong",
        name, run->n_unknown, run->n_unknown == 1 ? "has an unknown value" : "have unknown values");
  if (run->is_blurred)
    return g_strdup_printf("smembank run: warning: %s: it wrote to memory at an address, or bytes "
                           "of a number, that is not "
                           "known: what is in memory may be wrong",
                           name);
  return g_strdup("");
}

// --- running a launch, and what it launches

struct _SmbLaunching {
  SmbRunProcess *process;
  guint64 number; // of the module
  SmbCaptureLaunch *launch;
  SmbCoroutine *coroutine; // (nullable): it may stop
  gboolean has_begun, has_ended, moved, nobody;
  gboolean overlaps;
  // what the process is told
  RunStatus status;
  GString *message, *output, *complaints;
};

static void
add_message(GString *text, const char *line) {
  if (text->len > 0 && *line)
    g_string_append_c(text, '\n');
  g_string_append(text, line);
}

// Whether it has run to its end.
static gboolean
note_run(SmbLaunching *launching, const char *kernel, const SmbEngineRun *run,
         const char *failure) {
  static const RunStatus statuses[] = {[SMB_FAULT_NONE] = RUN_DONE,
                                       [SMB_FAULT_ADDRESS] = RUN_ADDRESS,
                                       [SMB_FAULT_MISALIGNED] = RUN_MISALIGNED,
                                       [SMB_FAULT_ASSERT] = RUN_ASSERT,
                                       [SMB_FAULT_INSTRUCTION] = RUN_INSTRUCTION,
                                       [SMB_FAULT_TRAP] = RUN_FAILED};
  const char *reason = NULL;
  SmbFault fault = run->runtime ? smb_runtime_fault(run->runtime, &reason) : SMB_FAULT_NONE;
  g_autofree char *message =
      describe_run(kernel, run, failure ? SMB_FAULT_NONE : fault, failure ? failure : reason);
  add_message(launching->message, message);
  launching->status = failure && fault == SMB_FAULT_NONE ? RUN_FAILED : statuses[fault];
  if (run->runtime) {
    const GString *output = smb_runtime_output(run->runtime);
    g_string_append_len(launching->output, output->str, (gssize)output->len);
    g_string_append(launching->complaints, smb_runtime_complaints(run->runtime)->str);
  }
  return launching->status == RUN_DONE;
}

// All threads wait: whether to look again.
static gboolean
wait_for_host(gpointer user, gboolean moved) {
  SmbLaunching *launching = user;
  launching->moved = moved;
  smb_watch_pause(launching->process->running->watch);
  return smb_coroutine_stop(launching->coroutine) && !launching->nobody;
}

// Runs one, and keeps what is counted of it.
static gboolean
run_one_launch(SmbLaunching *launching, SmbCaptureLaunch *launch, gboolean is_wanted,
               GArray **work) {
  SmbRunProcess *process = launching->process;
  SmbRunning *running = process->running;
  const gboolean is_own = launch == launching->launch; // and none that a kernel has launched
  const SmbEngineOptions options = {.counts = is_wanted && running->ranking,
                                    .checks = running->checked != NULL,
                                    .overlaps = launching->overlaps && is_own,
                                    .skips_unknown = running->skips_unknown,
                                    .threads = running->threads,
                                    .is_cancelled = has_hung_up,
                                    .user = process,
                                    .outsider = launching->coroutine ? wait_for_host : NULL,
                                    .outsider_user = launching,
                                    .progress = smb_watch_progress(running->watch),
                                    .predictions = is_wanted ? running->predictions : NULL};
  g_auto(SmbEngineRun) run = {.program = NULL};
  g_autoptr(GError) error = NULL;
  gboolean ran = smb_engine_run(process->engine, launching->number, launch, &options, &run, &error);
  g_autofree char *failure = ran ? NULL : smb_cli_error_text(error);
  smb_watch_pause(running->watch);
  if (!is_own)
    smb_engine_forget_trail(process->engine);
  if (running->checked)
    smb_checked_add_launch(running->checked, g_steal_pointer(&run.defects));
  if (options.counts) {
    SmbRankRow *row = smb_ranking_add(running->ranking, launch, run.program, run.arch, run.analysis,
                                      smb_rank_note, failure, smb_prediction_words(run.prediction));
    smb_prediction_give(run.prediction, row);
  }
  *work = g_steal_pointer(&run.work);
  return note_run(launching, launch->kernel, &run, failure);
}

static gboolean
take_family_member(gpointer user, SmbCaptureLaunch *launch, GArray **work) {
  SmbLaunching *launching = user;
  SmbRunning *running = launching->process->running;
  gboolean is_wanted = is_wanted_launch(running, launch->kernel);
  running->n_launches++;
  if (running->recorder)
    smb_recorder_count(running->recorder, launch->kernel, 1);
  if (is_wanted && is_recorded(running, launch))
    record_run(launching->process, launch,
               smb_engine_module(launching->process->engine, launching->number));
  return running->skips || run_one_launch(launching, launch, is_wanted, work);
}

static void
fail_family(gpointer user, const char *why) {
  SmbLaunching *launching = user;
  g_autofree char *line = g_strdup_printf("smembank run: %s", why);
  add_message(launching->message, line);
  launching->status = RUN_ADDRESS;
}

// --- from its request to its answer

static void
run_family(gpointer user) {
  SmbLaunching *launching = user;
  SmbRunProcess *process = launching->process;
  SmbFamily family = {process->fd,        process->engine, launching->number,
                      take_family_member, fail_family,     launching};
  smb_family_run(&family, launching->launch);
}

SmbLaunching *
smb_launching_new(SmbRunProcess *process, guint64 module, SmbCaptureLaunch *launch,
                  gboolean may_stop, gboolean overlaps) {
  SmbLaunching *launching = g_new0(SmbLaunching, 1);
  *launching = (SmbLaunching){.process = process,
                              .number = module,
                              .launch = launch,
                              .overlaps = overlaps,
                              .status = RUN_DONE,
                              .message = g_string_new(NULL),
                              .output = g_string_new(NULL),
                              .complaints = g_string_new(NULL)};
  if (may_stop)
    launching->coroutine = process->idle ? g_steal_pointer(&process->idle) : smb_coroutine_new();
  return launching;
}

void
smb_launching_free(SmbLaunching *launching) {
  if (!launching)
    return;
  if (launching->coroutine) {
    smb_coroutine_free(launching->process->idle);
    launching->process->idle = launching->coroutine;
  }
  smb_capture_launch_free(launching->launch);
  g_string_free(launching->message, TRUE);
  g_string_free(launching->output, TRUE);
  g_string_free(launching->complaints, TRUE);
  g_free(launching);
}

gboolean
smb_launching_go(SmbLaunching *launching, gboolean nobody) {
  gboolean begins = !launching->has_begun;
  launching->has_begun = TRUE;
  launching->nobody = nobody;
  if (!launching->coroutine) {
    run_family(launching);
    return launching->has_ended = TRUE;
  }
  return launching->has_ended =
             begins ? smb_coroutine_start(launching->coroutine, run_family, launching)
                    : smb_coroutine_continue(launching->coroutine);
}

gboolean
smb_launching_has_ended(const SmbLaunching *launching) {
  return launching->has_ended;
}

gboolean
smb_launching_moved(const SmbLaunching *launching) {
  return launching->moved;
}

guint64
smb_launching_module(const SmbLaunching *launching) {
  return launching->number;
}

void
smb_launching_answer(const SmbLaunching *launching, SmbPayload *answer) {
  smb_payload_add_number(answer, launching->status);
  smb_payload_add_text(answer, launching->message->str);
  smb_payload_add_bytes(answer, launching->output->str, launching->output->len);
  smb_payload_add_text(answer, launching->complaints->str);
}
