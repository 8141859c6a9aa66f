// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/run/running.h"

#include <unistd.h>

#include "gpu/driver/protocol.h"
#include "gpu/inject/payload.h"
#include "sim/base/error.h"
#include "src/capture/frames.h"
#include "src/run/device.h"
#include "src/run/engine.h"
#include "src/run/device-link.h"
#include "src/run/launching.h"
#include "src/run/module-answer.h"
#include "src/run/ptx-compile.h"

typedef struct {
  SmbRunProcess base;
  GByteArray *in; // read, and not yet understood
  guint64 pid;
  GHashTable *stopped; // guint64 → SmbLaunching: by the number that the process knows
  guint64 last_stopped;
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
  guint chip = process->base.running->chip;
  gboolean is_ours = smb_payload_number(request) == RUN_PROTOCOL;
  process->pid = smb_payload_number(request);
  SmbEngineMemory memory = {.pid = process->pid};
  memory.fd = smb_payload_number(request);
  memory.base = smb_payload_number(request);
  memory.bytes = smb_payload_number(request);
  g_autoptr(GError) error = NULL;
  if (!is_ours || process->base.engine || request->failed)
    return FALSE;
  process->base.engine = smb_engine_new(&memory, process->base.running->counts_as, &error);
  if (!process->base.engine)
    return FALSE;
  smb_payload_add_number(answer, RUN_DONE);
  gboolean is_known = smb_run_device_add(process->base.running->arch, chip, answer, &error);
  smb_payload_add_number(answer, process->base.running->device_bytes);
  smb_payload_add_number(answer, process->base.running->checked != NULL);
  smb_payload_add_number(answer, process->base.running->skips);
  return is_known;
}

// Loads a module. PTX is run as machine code where it can be compiled, as a driver does, and else as it is.
static const SmbModule *
load_run_module(const Process *process, guint64 number, GBytes *file, GError **error) {
  guint chip = process->base.running->chip;
  const SmbModule *module = smb_engine_load(process->base.engine, number, file, chip, error);
  if (module && !module->is_ptx)
    return module;
  g_autofree char *wrong = NULL;
  g_autoptr(GBytes) code = smb_run_compile_ptx(module ? module->image : file, chip, &wrong);
  if (wrong) {
    g_clear_error(error);
    smb_engine_unload(process->base.engine, number);
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s", wrong);
    return NULL;
  }
  const SmbModule *compiled =
      code ? smb_engine_load(process->base.engine, number, code, chip, NULL) : NULL;
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
is_of_module(gpointer number, gpointer launching, gpointer module) {
  (void)number;
  return smb_launching_module(launching) == *(const guint64 *)module;
}

static gboolean
answer_unload(Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 number = smb_payload_number(request);
  gboolean is_used = g_hash_table_find(process->stopped, is_of_module, &number) != NULL;
  if (!is_used)
    smb_engine_unload(process->base.engine, number);
  answer_status(answer, is_used ? RUN_INVALID : RUN_DONE, "");
  return !request->failed;
}

// --- what is checked

static gboolean
answer_written(Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 fd = smb_payload_number(request);
  g_autoptr(GError) error = NULL;
  gboolean is_there = !request->failed && process->base.running->checked &&
                      smb_engine_set_written(process->base.engine, process->pid, fd, &error);
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
  if (request->failed || !process->base.running->checked || kind > RUN_FOUND_LEAK)
    return FALSE;
  const SmbHostFound found = {(RunFound)kind, function, text, number, bytes};
  smb_checked_add_host(process->base.running->checked, &found);
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
  static const SmbMemoryKind kinds[] = {[INJECT_DEVICE] = SMB_MEMORY_DEVICE,
                                        [INJECT_MANAGED] = SMB_MEMORY_MANAGED,
                                        [INJECT_HOST] = SMB_MEMORY_HOST};
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
  smb_engine_clear_moved(process->base.engine);
  guint64 n = smb_payload_number(request);
  for (guint64 i = 0; i < n && !request->failed; i++) {
    guint64 address = smb_payload_number(request), place = smb_payload_number(request);
    smb_engine_add_moved(process->base.engine, address, place, smb_payload_number(request));
  }
}

static void
take_run_textures(const Process *process, SmbPayload *request) {
  smb_engine_clear_textures(process->base.engine);
  guint64 n = smb_payload_number(request);
  for (guint64 i = 0; i < n && !request->failed; i++) {
    gsize length = 0;
    const guchar *bytes = smb_payload_bytes(request, &length);
    request->failed =
        request->failed || !smb_engine_add_texture(process->base.engine, bytes, length);
  }
  guint64 n_references = smb_payload_number(request);
  for (guint64 i = 0; i < n_references && !request->failed; i++) {
    g_autofree char *name = smb_frames_text(request);
    smb_engine_add_reference(process->base.engine, name, smb_payload_number(request));
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
  smb_engine_set_heap(process->base.engine, heap, smb_payload_number(request));
  take_run_textures(process, request);
  smb_engine_set_graph(process->base.engine, smb_payload_number(request));
  launch->process = process->pid;
  launch->driver = g_strdup("0");
  launch->device_name = g_strdup_printf("smembank, as sm_%u", process->base.running->chip);
  launch->nanoseconds = -1;
  return launch;
}

// Begins or continues a launch, and answers: it has ended, or waits for what the process or another launch writes.
static void
answer_turn(Process *process, SmbLaunching *launching, guint64 number, gboolean nobody,
            SmbPayload *answer) {
  if (smb_launching_go(launching, nobody)) {
    smb_launching_answer(launching, answer);
    g_hash_table_remove(process->stopped, &number);
    return;
  }
  smb_payload_add_number(answer, RUN_WAITS);
  smb_payload_add_number(answer, number);
  smb_payload_add_number(answer, smb_launching_moved(launching));
}

static gboolean
answer_launch(Process *process, SmbPayload *request, SmbPayload *answer) {
  gboolean may_stop = smb_payload_number(request) != 0;
  gboolean overlaps = smb_payload_number(request) != 0;
  guint64 module = smb_payload_number(request), number = ++process->last_stopped;
  g_autoptr(SmbCaptureLaunch) launch = take_run_launch(process, request);
  if (request->failed || !smb_engine_module(process->base.engine, module))
    return FALSE;
  may_stop = may_stop && !process->base.running->skips &&
             smb_engine_may_wait(process->base.engine, module, launch);
  SmbLaunching *launching =
      smb_launching_new(&process->base, module, g_steal_pointer(&launch), may_stop, overlaps);
  g_hash_table_insert(process->stopped, g_memdup2(&number, sizeof number), launching);
  answer_turn(process, launching, number, FALSE, answer);
  return TRUE;
}

static gboolean
answer_resume(Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 number = smb_payload_number(request);
  gboolean nobody = smb_payload_number(request) != 0;
  SmbLaunching *launching = g_hash_table_lookup(process->stopped, &number);
  if (request->failed || !launching)
    return FALSE;
  answer_turn(process, launching, number, nobody, answer);
  return TRUE;
}

static gboolean
answer_share(const Process *process, SmbPayload *request, SmbPayload *answer) {
  guint64 place = smb_payload_number(request);
  const guint64 pid = smb_payload_number(request), fd = smb_payload_number(request);
  const guint64 from = smb_payload_number(request), bytes = smb_payload_number(request);
  gboolean is_there =
      !request->failed && smb_engine_share(process->base.engine, place, pid, fd, from, bytes);
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
  g_autoptr(GBytes) code =
      smb_run_link(inputs, process->base.running->chip, &has_compiler, &message);
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
  else if (kind == RUN_MODULE && process->base.engine)
    makes_sense = answer_module(process, request, &answer);
  else if (kind == RUN_UNLOAD && process->base.engine)
    makes_sense = answer_unload(process, request, &answer);
  else if (kind == RUN_LAUNCH && process->base.engine)
    makes_sense = answer_launch(process, request, &answer);
  else if (kind == RUN_RESUME && process->base.engine)
    makes_sense = answer_resume(process, request, &answer);
  else if (kind == RUN_WRITTEN && process->base.engine)
    makes_sense = answer_written(process, request, &answer);
  else if (kind == RUN_FOUND && process->base.engine)
    makes_sense = answer_found(process, request, &answer);
  else if (kind == RUN_SHARE && process->base.engine)
    makes_sense = answer_share(process, request, &answer);
  else if (kind == RUN_LINK && process->base.engine)
    makes_sense = answer_link(process, request, &answer);
  makes_sense = makes_sense && smb_frames_send(process->base.fd, kind, &answer);
  smb_payload_clear(&answer);
  return makes_sense;
}

// --- the listener

// One that still waits when its process has ended is ended.
static void
end_stopped(gpointer data) {
  SmbLaunching *launching = data;
  while (!smb_launching_has_ended(launching))
    smb_launching_go(launching, TRUE);
  smb_launching_free(launching);
}

static gpointer
start_running(int fd, gpointer user) {
  Process *process = g_new0(Process, 1);
  process->base.fd = fd;
  process->base.running = user;
  process->in = g_byte_array_new();
  process->stopped = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, end_stopped);
  return process;
}

static int
get_running_fd(gconstpointer data) {
  return ((const Process *)data)->base.fd;
}

static gboolean
read_running(gpointer data) {
  Process *process = data;
  return smb_frames_read(process->base.fd, process->in, take_request, process);
}

// What kernels allocated, and did not free.
static void
note_heap_left(const Process *process) {
  SmbHeap *heap = process->base.engine ? smb_engine_heap(process->base.engine) : NULL;
  guint64 address, bytes = heap ? smb_heap_left(heap, &address) : 0;
  if (bytes == 0)
    return;
  const SmbHostFound found = {RUN_FOUND_LEAK, "malloc", "", address, bytes};
  smb_checked_add_host(process->base.running->checked, &found);
}

static void
end_running(gpointer data) {
  Process *process = data;
  if (process->base.running->checked)
    note_heap_left(process);
  g_hash_table_unref(process->stopped);
  smb_coroutine_free(process->base.idle);
  close(process->base.fd);
  g_byte_array_unref(process->in);
  smb_engine_free(process->base.engine);
  g_free(process);
}

const SmbListener smb_run_listener = {start_running, get_running_fd, read_running, end_running};
