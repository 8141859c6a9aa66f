// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/run/running.h"

#include <poll.h>
#include <unistd.h>

#include "gpu/driver/protocol.h"
#include "gpu/inject/payload.h"
#include "sim/base/error.h"
#include "sim/program/symbol.h"
#include "src/capture/frames.h"
#include "src/run/device.h"
#include "src/cli/hint.h"
#include "src/rank/rank.h"
#include "src/run/engine.h"
#include "src/run/device-link.h"
#include "src/run/family.h"
#include "src/run/module-answer.h"
#include "src/run/ptx-compile.h"

typedef struct {
  int fd;
  SmbRunning *running;
  GByteArray *in; // read, and not yet understood
  guint64 pid;
  SmbEngine *engine; // since it said hello
} Process;

// --- what payloads hold

// An answer that begins with @status and says why.
static void
answer_status(SmbPayload *answer, RunStatus status, const char *message) {
  smb_payload_add_number(answer, status);
  smb_payload_add_text(answer, message);
}

// --- requests

static gboolean
answer_hello(Process *process, SmbPayload *request, SmbPayload *answer) {
  guint chip = process->running->chip;
  gboolean is_ours = smb_payload_number(request) == RUN_PROTOCOL;
  process->pid = smb_payload_number(request);
  SmbEngineMemory memory = {.pid = process->pid};
  memory.fd = smb_payload_number(request);
  memory.base = smb_payload_number(request);
  memory.bytes = smb_payload_number(request);
  g_autoptr(GError) error = NULL;
  if (!is_ours || process->engine || request->failed)
    return FALSE;
  process->engine = smb_engine_new(&memory, process->running->counts_as, &error);
  if (!process->engine)
    return FALSE;
  smb_payload_add_number(answer, RUN_DONE);
  gboolean is_known = smb_run_device_add(process->running->arch, chip, answer, &error);
  smb_payload_add_number(answer, process->running->device_bytes);
  smb_payload_add_number(answer, process->running->checked != NULL);
  smb_payload_add_number(answer, process->running->skips);
  return is_known;
}

// Loads a module. PTX is run as machine code where it can be compiled, as a driver does, and else as it is.
static const SmbModule *
load_run_module(const Process *process, guint64 number, GBytes *file, GError **error) {
  guint chip = process->running->chip;
  const SmbModule *module = smb_engine_load(process->engine, number, file, chip, error);
  if (module && !module->is_ptx)
    return module;
  g_autofree char *wrong = NULL;
  g_autoptr(GBytes) code = smb_run_compile_ptx(module ? module->image : file, chip, &wrong);
  if (wrong) {
    g_clear_error(error);
    smb_engine_unload(process->engine, number);
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s", wrong);
    return NULL;
  }
  const SmbModule *compiled =
      code ? smb_engine_load(process->engine, number, code, chip, NULL) : NULL;
  if (compiled && !module)
    g_clear_error(error);
  return compiled ? compiled : module;
}

static gboolean
answer_module(Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 number = smb_payload_number(request);
  g_autoptr(GBytes) file = smb_frames_bytes(request);
  g_autoptr(GError) error = NULL;
  const SmbModule *module = load_run_module(process, number, file, &error);
  if (!module) {
    g_autofree char *message = g_strdup_printf("smembank run: %s", error->message);
    answer_status(answer, RUN_NO_IMAGE, message);
    return TRUE;
  }
  answer_status(answer, RUN_DONE, "");
  smb_module_answer(answer, module);
  return TRUE;
}

static gboolean
answer_unload(Process *process, SmbPayload *request, SmbPayload *answer) {
  smb_engine_unload(process->engine, smb_payload_number(request));
  answer_status(answer, RUN_DONE, "");
  return !request->failed;
}

// --- what is checked

static gboolean
answer_written(Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 fd = smb_payload_number(request);
  g_autoptr(GError) error = NULL;
  gboolean is_there = !request->failed && process->running->checked &&
                      smb_engine_set_written(process->engine, process->pid, fd, &error);
  answer_status(answer, is_there ? RUN_DONE : RUN_INVALID, "");
  return !request->failed;
}

static gboolean
answer_found(const Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 kind = smb_payload_number(request);
  g_autofree char *function = smb_frames_text(request);
  g_autofree char *text = smb_frames_text(request);
  guint64 number = smb_payload_number(request), bytes = smb_payload_number(request);
  answer_status(answer, RUN_DONE, "");
  if (request->failed || !process->running->checked || kind > RUN_FOUND_LEAK)
    return FALSE;
  const SmbHostFound found = {(RunFound)kind, function, text, number, bytes};
  smb_checked_add_host(process->running->checked, &found);
  return TRUE;
}

// --- launches

static void
take_run_variables(SmbCaptureLaunch *launch, SmbPayload *request) {
  guint64 n = smb_payload_number(request);
  for (guint64 i = 0; i < n && !request->failed; i++) {
    g_autofree char *name = smb_frames_text(request);
    guint64 address = smb_payload_number(request), bytes = smb_payload_number(request);
    smb_capture_launch_add_variable(launch, name, address, bytes);
  }
}

static void
take_run_memory(SmbCaptureLaunch *launch, SmbPayload *request) {
  static const SmbCaptureKind kinds[] = {[INJECT_DEVICE] = SMB_CAPTURE_DEVICE,
                                         [INJECT_MANAGED] = SMB_CAPTURE_MANAGED,
                                         [INJECT_HOST] = SMB_CAPTURE_HOST};
  guint64 n = smb_payload_number(request);
  for (guint64 i = 0; i < n && !request->failed; i++) {
    guint64 address = smb_payload_number(request), bytes = smb_payload_number(request);
    guint64 kind = smb_payload_number(request);
    request->failed = request->failed || kind >= G_N_ELEMENTS(kinds);
    if (!request->failed)
      smb_capture_launch_add_memory(launch, kinds[kind], address, bytes);
  }
}

// Memory of the host that is registered: at its addresses it is found where its pages were moved to.
static void
take_run_registered(const Process *process, SmbCaptureLaunch *launch, SmbPayload *request) {
  take_run_memory(launch, request);
  smb_engine_clear_moved(process->engine);
  guint64 n = smb_payload_number(request);
  for (guint64 i = 0; i < n && !request->failed; i++) {
    guint64 address = smb_payload_number(request), place = smb_payload_number(request);
    smb_engine_add_moved(process->engine, address, place, smb_payload_number(request));
  }
}

static void
take_run_textures(const Process *process, SmbPayload *request) {
  smb_engine_clear_textures(process->engine);
  guint64 n = smb_payload_number(request);
  for (guint64 i = 0; i < n && !request->failed; i++) {
    gsize length = 0;
    const guchar *bytes = smb_payload_bytes(request, &length);
    request->failed = request->failed || !smb_engine_add_texture(process->engine, bytes, length);
  }
  guint64 n_references = smb_payload_number(request);
  for (guint64 i = 0; i < n_references && !request->failed; i++) {
    g_autofree char *name = smb_frames_text(request);
    smb_engine_add_reference(process->engine, name, smb_payload_number(request));
  }
}

static SmbCaptureLaunch *
take_run_launch(const Process *process, SmbPayload *request) {
  SmbCaptureLaunch *launch = smb_capture_launch_new();
  launch->kernel = smb_frames_text(request);
  smb_frames_configuration(request, launch);
  GBytes *parameters = smb_frames_bytes(request);
  launch->parameters = g_bytes_get_size(parameters) > 0 ? g_bytes_ref(parameters) : NULL;
  g_bytes_unref(parameters);
  take_run_variables(launch, request);
  take_run_memory(launch, request);
  take_run_registered(process, launch, request);
  guint64 heap = smb_payload_number(request);
  smb_engine_set_heap(process->engine, heap, smb_payload_number(request));
  take_run_textures(process, request);
  smb_engine_set_graph(process->engine, smb_payload_number(request));
  launch->process = process->pid;
  launch->driver = g_strdup("0");
  launch->device_name = g_strdup_printf("smembank, as sm_%u", process->running->chip);
  launch->nanoseconds = -1;
  return launch;
}

// Keeps what memory and variables hold before the kernel runs, as far as the limit goes.
static void
keep_memory(const Process *process, SmbCaptureLaunch *launch) {
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
record_run(const Process *process, SmbCaptureLaunch *launch, const SmbModule *module) {
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
  const Process *process = user;
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
        "smembank run: warning: %s: of %" G_GUINT64_FORMAT
        " of the bytes that it wrote the value is not known: results that depend on "
        "them are wrong",
        name, run->n_unknown);
  if (run->is_blurred)
    return g_strdup_printf("smembank run: warning: %s: it wrote to memory at an address, or bytes "
                           "of a number, that is not "
                           "known: what is in memory may be wrong",
                           name);
  return g_strdup("");
}

// --- running a launch, and what it launches

typedef struct {
  Process *process;
  guint64 number; // of the module
  // what the process is told
  RunStatus status;
  GString *message, *output, *complaints;
} Launching;

static void
add_message(GString *text, const char *line) {
  if (text->len > 0 && *line)
    g_string_append_c(text, '\n');
  g_string_append(text, line);
}

// Whether it has run to its end.
static gboolean
note_run(Launching *launching, const char *kernel, const SmbEngineRun *run, const char *failure) {
  static const RunStatus statuses[] = {[SMB_FAULT_NONE] = RUN_DONE,
                                       [SMB_FAULT_ADDRESS] = RUN_ADDRESS,
                                       [SMB_FAULT_MISALIGNED] = RUN_MISALIGNED,
                                       [SMB_FAULT_ASSERT] = RUN_ASSERT,
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

// Runs one, and keeps what is counted of it.
static gboolean
run_one_launch(Launching *launching, SmbCaptureLaunch *launch, gboolean is_wanted, GArray **work) {
  Process *process = launching->process;
  SmbRunning *running = process->running;
  const SmbEngineOptions options = {.counts = is_wanted && running->ranking,
                                    .checks = running->checked != NULL,
                                    .skips_unknown = running->skips_unknown,
                                    .threads = running->threads,
                                    .is_cancelled = has_hung_up,
                                    .user = process,
                                    .progress = smb_watch_progress(running->watch),
                                    .predictions = is_wanted ? running->predictions : NULL};
  g_auto(SmbEngineRun) run = {.program = NULL};
  g_autoptr(GError) error = NULL;
  gboolean ran = smb_engine_run(process->engine, launching->number, launch, &options, &run, &error);
  g_autofree char *failure = ran ? NULL : smb_cli_error_text(error);
  smb_watch_pause(running->watch);
  if (running->checked)
    smb_checked_add_launch(running->checked, g_steal_pointer(&run.defects));
  if (options.counts)
    smb_predictions_give(running->predictions,
                         smb_ranking_add(running->ranking, launch, run.program, run.arch,
                                         run.analysis, smb_rank_note, failure));
  *work = g_steal_pointer(&run.work);
  return note_run(launching, launch->kernel, &run, failure);
}

static gboolean
take_family_member(gpointer user, SmbCaptureLaunch *launch, GArray **work) {
  Launching *launching = user;
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
  Launching *launching = user;
  g_autofree char *line = g_strdup_printf("smembank run: %s", why);
  add_message(launching->message, line);
  launching->status = RUN_ADDRESS;
}

static gboolean
answer_launch(Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 number = smb_payload_number(request);
  g_autoptr(SmbCaptureLaunch) launch = take_run_launch(process, request);
  if (request->failed || !smb_engine_module(process->engine, number))
    return FALSE;
  g_autoptr(GString) message = g_string_new(NULL), output = g_string_new(NULL),
                     complaints = g_string_new(NULL);
  Launching launching = {process, number, RUN_DONE, message, output, complaints};
  SmbFamily family = {process->fd,        process->engine, number,
                      take_family_member, fail_family,     &launching};
  smb_family_run(&family, launch);
  answer_status(answer, launching.status, message->str);
  smb_payload_add_bytes(answer, output->str, output->len);
  smb_payload_add_text(answer, complaints->str);
  return TRUE;
}

static gboolean
answer_share(const Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 place = smb_payload_number(request);
  const guint64 pid = smb_payload_number(request), fd = smb_payload_number(request);
  const guint64 from = smb_payload_number(request), bytes = smb_payload_number(request);
  gboolean is_there =
      !request->failed && smb_engine_share(process->engine, place, pid, fd, from, bytes);
  answer_status(answer, is_there ? RUN_DONE : RUN_INVALID, "");
  return !request->failed;
}

// --- linking

static void
clear_link_input(gpointer input) {
  g_bytes_unref(((SmbRunLinkInput *)input)->bytes);
}

static gboolean
answer_link(const Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 n = smb_payload_number(request);
  gboolean has_compiler = FALSE;
  g_autofree char *message = NULL;
  g_autoptr(GArray) inputs = g_array_new(FALSE, TRUE, sizeof(SmbRunLinkInput));
  g_array_set_clear_func(inputs, clear_link_input);
  for (guint64 i = 0; i < n && !request->failed; i++) {
    guint64 kind = smb_payload_number(request);
    const SmbRunLinkInput input = {(SmbRunLinkKind)kind, smb_frames_bytes(request)};
    g_array_append_val(inputs, input);
    request->failed = request->failed || kind >= SMB_RUN_LINK_KINDS;
  }
  if (request->failed)
    return FALSE;
  g_autoptr(GBytes) code = smb_run_link(inputs, process->running->chip, &has_compiler, &message);
  answer_status(answer,
                code           ? RUN_DONE
                : has_compiler ? RUN_FAILED
                               : RUN_NO_IMAGE,
                code           ? ""
                : has_compiler ? message ? message : "smembank run: nothing was linked"
                               : "smembank run: linking needs nvcc, which is not found");
  gsize n_bytes = 0;
  const void *bytes = code ? g_bytes_get_data(code, &n_bytes) : NULL;
  smb_payload_add_bytes(answer, bytes, n_bytes);
  return TRUE;
}

// --- frames

static gboolean
take_request(gpointer user, guint64 kind, SmbPayload *request) {
  Process *process = user;
  SmbPayload answer = {.bytes = NULL};
  gboolean makes_sense = FALSE;
  if (kind == RUN_HELLO)
    makes_sense = answer_hello(process, request, &answer);
  else if (kind == RUN_MODULE && process->engine)
    makes_sense = answer_module(process, request, &answer);
  else if (kind == RUN_UNLOAD && process->engine)
    makes_sense = answer_unload(process, request, &answer);
  else if (kind == RUN_LAUNCH && process->engine)
    makes_sense = answer_launch(process, request, &answer);
  else if (kind == RUN_WRITTEN && process->engine)
    makes_sense = answer_written(process, request, &answer);
  else if (kind == RUN_FOUND && process->engine)
    makes_sense = answer_found(process, request, &answer);
  else if (kind == RUN_SHARE && process->engine)
    makes_sense = answer_share(process, request, &answer);
  else if (kind == RUN_LINK && process->engine)
    makes_sense = answer_link(process, request, &answer);
  makes_sense = makes_sense && smb_frames_send(process->fd, kind, &answer);
  smb_payload_clear(&answer);
  return makes_sense;
}

// --- the listener

static gpointer
start_running(int fd, gpointer user) {
  Process *process = g_new0(Process, 1);
  process->fd = fd;
  process->running = user;
  process->in = g_byte_array_new();
  return process;
}

static int
get_running_fd(gconstpointer data) {
  return ((const Process *)data)->fd;
}

static gboolean
read_running(gpointer data) {
  Process *process = data;
  return smb_frames_read(process->fd, process->in, take_request, process);
}

// What kernels allocated, and did not free.
static void
note_heap_left(const Process *process) {
  SmbHeap *heap = process->engine ? smb_engine_heap(process->engine) : NULL;
  guint64 address, bytes = heap ? smb_heap_left(heap, &address) : 0;
  if (bytes == 0)
    return;
  const SmbHostFound found = {RUN_FOUND_LEAK, "malloc", "", address, bytes};
  smb_checked_add_host(process->running->checked, &found);
}

static void
end_running(gpointer data) {
  Process *process = data;
  if (process->running->checked)
    note_heap_left(process);
  close(process->fd);
  g_byte_array_unref(process->in);
  smb_engine_free(process->engine);
  g_free(process);
}

const SmbListener smb_run_listener = {start_running, get_running_fd, read_running, end_running};
