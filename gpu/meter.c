// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The client of the measuring process: starts it, gives it jobs, and replaces it after a crash or a time-out.
#include "gpu/meter.h"
#include "sim/base/error.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/message.h"
#include "gpu/sass-count.h"
#include "gpu/worker.h"

struct _SmbMeter {
  GStrv command;
  guint timeout_ms;
  SmbMeterDevice device;
  GPid process; // 0 if there is none now
  int in, out;  // of it: the ends of pipes
  char *counters[SMB_N_METRICS];
  gboolean no_instructions; // they could not be counted one by one
};

// Opening CUDA, the compiler and the counters takes a second or two; a machine that was idle takes longer.
#define START_TIMEOUT_MS 120000

static void
clear_device(SmbMeterDevice *device) {
  g_free(device->name);
  g_free(device->driver);
  g_free(device->cuda_driver);
  g_free(device->toolkit);
  g_free(device->profiler);
  g_free(device->refusal);
}

// Ends the process, if there is one; returns how it ended, as waitpid() says.
static int
stop_process(SmbMeter *meter) {
  int status = 0;
  if (!meter->process)
    return status;
  kill(meter->process, SIGKILL);
  while (waitpid(meter->process, &status, 0) < 0 && errno == EINTR)
    continue;
  close(meter->in);
  close(meter->out);
  meter->process = 0;
  return status;
}

void
smb_meter_free(SmbMeter *meter) {
  if (!meter)
    return;
  stop_process(meter);
  clear_device(&meter->device);
  for (guint i = 0; i < SMB_N_METRICS; i++)
    g_free(meter->counters[i]);
  g_strfreev(meter->command);
  g_free(meter);
}

// A process that closed its pipe is about to end by itself, and how it does is worth telling; one that
// writes something that is not a message is killed.
enum {
  END_CHECKS = 100,
  END_CHECK_US = 10000,
};

// How a process ended that gave no answer.
static void
tell_end(SmbMeter *meter, GError **error) {
  siginfo_t ended = {.si_pid = 0};
  for (guint i = 0; i < END_CHECKS && ended.si_pid == 0; i++) {
    if (waitid(P_PID, (id_t)meter->process, &ended, WEXITED | WNOHANG | WNOWAIT) != 0)
      break;
    if (ended.si_pid == 0)
      g_usleep(END_CHECK_US);
  }
  int status = stop_process(meter);
  if (WIFSIGNALED(status))
    smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH,
             "the measuring process was killed by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else
    g_set_error_literal(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH,
                        "the measuring process ended without an answer");
}

// Writes without the signal that a pipe without a reader raises: the program keeps its own way with
// signals.
static gboolean
write_job(int fd, GVariant *job) {
  sigset_t pipe, before, pending;
  const struct timespec at_once = {0, 0};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  gboolean written = smb_message_write(fd, job);
  sigpending(&pending);
  if (!written && sigismember(&pending, SIGPIPE))
    sigtimedwait(&pipe, NULL, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return written;
}

// Gives the process a job and waits for the result. A failure that leaves the process unusable ends it.
static GVariant *
ask_worker(SmbMeter *meter, GVariant *job, guint timeout_ms, GError **error) {
  g_autoptr(GVariant) held = g_variant_ref_sink(job);
  g_autoptr(GVariant) result = NULL;
  SmbMessageStatus status = SMB_MESSAGE_CLOSED;
  if (write_job(meter->in, held))
    status = smb_message_read(meter->out, (gint64)timeout_ms, &result);
  if (status == SMB_MESSAGE_LATE) {
    guint seconds = (timeout_ms + 999) / 1000;
    stop_process(meter);
    smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_TIMEOUT, "timed out after %u second%s", seconds,
             seconds == 1 ? "" : "s");
    return NULL;
  }
  if (status == SMB_MESSAGE_CLOSED) {
    tell_end(meter, error);
    return NULL;
  }
  const char *message = NULL;
  guint32 code = 0;
  if (!g_variant_lookup(result, "error", "&s", &message))
    return g_steal_pointer(&result);
  g_variant_lookup(result, "code", "u", &code);
  g_set_error_literal(error, SMB_GPU_ERROR, (int)code, message);
  if (code != SMB_GPU_ERROR_COMPILE && code != SMB_GPU_ERROR_COUNTERS)
    stop_process(meter);
  return NULL;
}

static char *
take_text_answer(GVariant *result, const char *key) {
  char *text = NULL;
  g_variant_lookup(result, key, "s", &text);
  return text;
}

static void
take_device_answer(SmbMeter *meter, GVariant *result) {
  SmbMeterDevice *device = &meter->device;
  guint64 shared_bytes = 0;
  clear_device(device);
  device->name = take_text_answer(result, "name");
  device->driver = take_text_answer(result, "driver");
  device->cuda_driver = take_text_answer(result, "cuda-driver");
  device->toolkit = take_text_answer(result, "toolkit");
  device->profiler = take_text_answer(result, "profiler");
  device->refusal = take_text_answer(result, "refusal");
  g_variant_lookup(result, "capability", "(uu)", &device->capability_major,
                   &device->capability_minor);
  g_variant_lookup(result, "multiprocessors", "u", &device->multiprocessors);
  g_variant_lookup(result, "shared-bytes", "t", &shared_bytes);
  device->shared_bytes = shared_bytes;
}

static gboolean
start_process(SmbMeter *meter, GError **error) {
  g_autoptr(GError) local = NULL;
  if (meter->process)
    return TRUE;
  g_autoptr(GVariant) result = NULL;
  // Not by GSubprocess, which cannot do without a thread of its own.
  if (g_spawn_async_with_pipes(
          NULL, meter->command, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES, NULL, NULL,
          &meter->process, &meter->in, &meter->out, NULL, &local)) {
    GVariantDict job;
    g_variant_dict_init(&job, NULL);
    g_variant_dict_insert(&job, "job", "s", "device");
    g_variant_dict_insert(&job, "device", "i", (gint32)meter->device.index);
    result = ask_worker(meter, g_variant_dict_end(&job), START_TIMEOUT_MS, &local);
  }
  if (!result) {
    stop_process(meter);
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "%-s", local->message);
  }
  take_device_answer(meter, result);
  return TRUE;
}

SmbMeter *
smb_meter_new(const char *const *worker, int device, guint timeout_ms, GError **error) {
  g_autoptr(SmbMeter) meter = g_new0(SmbMeter, 1);
  meter->command = g_strdupv((char **)worker);
  meter->timeout_ms = timeout_ms;
  meter->device.index = device;
  return start_process(meter, error) ? g_steal_pointer(&meter) : NULL;
}

const SmbMeterDevice *
smb_meter_device(const SmbMeter *meter) {
  return &meter->device;
}

const char *
smb_meter_counter(const SmbMeter *meter, SmbMetric metric) {
  return meter->counters[metric];
}

const char *
smb_meter_request_counter(void) {
  return SMB_REQUEST_COUNTER;
}

// Adds a text of the user's. Messages hold UTF-8 only: what is none is replaced, which changes no program:
// such bytes are in comments and in names of files, but for a character constant of one, which is refused then.
static void
insert_text(GVariantDict *job, const char *key, const char *text) {
  g_variant_dict_insert_value(job, key, g_variant_new_take_string(g_utf8_make_valid(text, -1)));
}

static GVariant *
list_memory(const GArray *memory) {
  GVariantBuilder pieces;
  g_variant_builder_init(&pieces, G_VARIANT_TYPE("a(tsay)"));
  for (guint i = 0; i < memory->len; i++) {
    const SmbMeterMemory *piece = &g_array_index(memory, SmbMeterMemory, i);
    g_variant_builder_add(&pieces, "(ts@ay)", piece->address,
                          piece->variable ? piece->variable : "", smb_message_bytes(piece->bytes));
  }
  return g_variant_builder_end(&pieces);
}

static GVariant *
make_kernel_job(const char *name, const SmbMeterLaunch *launch) {
  GVariantDict job;
  GVariantBuilder arguments;
  g_variant_dict_init(&job, NULL);
  g_variant_dict_insert(&job, "job", "s", name);
  insert_text(&job, "file", launch->file);
  g_variant_dict_insert(&job, "entry", "s", launch->entry);
  if (launch->symbol) {
    g_variant_dict_insert(&job, "symbol", "s", launch->symbol);
    g_variant_dict_insert_value(&job, "image", smb_message_bytes(launch->code));
  } else {
    gsize length;
    const char *code = g_bytes_get_data(launch->code, &length);
    g_autofree char *text = g_strndup(code, length);
    insert_text(&job, "text", text);
  }
  g_variant_dict_insert(&job, "defines", "^as", launch->defines);
  g_variant_dict_insert(&job, "grid", "(uuu)", launch->grid[0], launch->grid[1], launch->grid[2]);
  g_variant_dict_insert(&job, "block", "(uuu)", launch->block[0], launch->block[1],
                        launch->block[2]);
  g_variant_dict_insert(&job, "dynamic-bytes", "t", (guint64)launch->dynamic_bytes);
  g_variant_dict_insert(&job, "times", "u", launch->n_times);
  g_variant_dict_insert(&job, "cooperative", "b", launch->is_cooperative);
  g_variant_builder_init(&arguments, G_VARIANT_TYPE("a(btay)"));
  for (guint i = 0; i < launch->arguments->len; i++) {
    const SmbMeterArgument *argument = g_ptr_array_index(launch->arguments, i);
    g_variant_builder_add(&arguments, "(bt@ay)", argument->is_pointer, argument->start,
                          smb_message_bytes(argument->bytes));
  }
  g_variant_dict_insert_value(&job, "arguments", g_variant_builder_end(&arguments));
  g_variant_dict_insert(&job, "cluster", "(uuu)", launch->cluster[0], launch->cluster[1],
                        launch->cluster[2]);
  if (launch->memory)
    g_variant_dict_insert_value(&job, "memory", list_memory(launch->memory));
  return g_variant_dict_end(&job);
}

void
smb_meter_result_clear(SmbMeterResult *result) {
  for (guint i = 0; i < SMB_N_CACHES; i++)
    g_clear_pointer(&result->times[i], g_array_unref);
  g_clear_pointer(&result->contents, g_ptr_array_unref);
}

static void
take_counts(SmbMeter *meter, GVariant *result, double *measured) {
  g_autoptr(GArray) counts = smb_message_get_numbers(result, "measured");
  g_autofree const char **names = NULL;
  for (guint i = 0; i < SMB_N_METRICS; i++)
    measured[i] = i < counts->len ? g_array_index(counts, double, i) : SMB_NOT_MEASURED;
  if (!g_variant_lookup(result, "counters", "^a&s", &names))
    return;
  for (guint i = 0; i < SMB_N_METRICS && names[i]; i++) {
    g_free(meter->counters[i]);
    meter->counters[i] = *names[i] ? g_strdup(names[i]) : NULL;
  }
}

static GPtrArray *
take_contents(GVariant *result, const GPtrArray *arguments) {
  g_autoptr(GVariant) contents = g_variant_lookup_value(result, "contents", G_VARIANT_TYPE("aay"));
  GPtrArray *taken = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < arguments->len; i++) {
    const SmbMeterArgument *argument = g_ptr_array_index(arguments, i);
    g_autoptr(GVariant) bytes = contents && i < g_variant_n_children(contents)
                                    ? g_variant_get_child_value(contents, i)
                                    : NULL;
    g_ptr_array_add(taken,
                    bytes && argument->is_pointer ? g_variant_get_data_as_bytes(bytes) : NULL);
  }
  return taken;
}

gboolean
smb_meter_kernel(SmbMeter *meter, const SmbMeterLaunch *launch, SmbMeterResult *result,
                 GError **error) {
  *result = (SmbMeterResult){.contents = NULL};
  if (!start_process(meter, error))
    return FALSE;
  g_autoptr(GVariant) answer =
      ask_worker(meter, make_kernel_job("kernel", launch), meter->timeout_ms, error);
  if (!answer)
    return FALSE;
  take_counts(meter, answer, result->measured);
  result->times[SMB_CACHE_WARM] = smb_message_get_numbers(answer, "times");
  result->times[SMB_CACHE_COLD] = smb_message_get_numbers(answer, "cold-times");
  result->contents = take_contents(answer, launch->arguments);
  return TRUE;
}

static gint
compare_access_places(gconstpointer a, gconstpointer b) {
  const SmbProfileInstruction *one = a, *other = b;
  return (one->pc > other->pc) - (one->pc < other->pc);
}

GArray *
smb_meter_instructions(SmbMeter *meter, const SmbMeterLaunch *launch, GError **error) {
  if (meter->no_instructions || !start_process(meter, error))
    return NULL;
  g_autoptr(GVariant) answer =
      ask_worker(meter, make_kernel_job("instructions", launch), meter->timeout_ms, error);
  meter->no_instructions = !answer;
  if (!answer)
    return NULL;
  g_autoptr(GBytes) wavefronts = smb_message_get_bytes(answer, SMB_SASS_WAVEFRONTS);
  gsize length;
  const SmbInstructionCount *counts = g_bytes_get_data(wavefronts, &length);
  GArray *instructions = g_array_new(FALSE, TRUE, sizeof(SmbProfileInstruction));
  for (gsize i = 0; i < length / sizeof *counts; i++) {
    const SmbProfileInstruction instruction = {.pc = counts[i].pc,
                                               .text = "",
                                               .executed = SMB_PROFILE_NOT_COUNTED,
                                               .threads = SMB_PROFILE_NOT_COUNTED,
                                               .wavefronts = counts[i].value};
    g_array_append_val(instructions, instruction);
  }
  g_array_sort(instructions, compare_access_places);
  return instructions;
}

char *
smb_meter_supports(const SmbMeter *meter, guint instruction, const SmbRequest *request) {
  const SmbInstruction *known = smb_instruction(instruction);
  guint capability = meter->device.capability_major * 10 + meter->device.capability_minor;
  SmbLanes lanes = smb_request_lanes(request);
  if (capability < known->capability)
    return g_strdup_printf("%s is for compute capability %u.%u and later", known->name,
                           known->capability / 10, known->capability % 10);
  if (known->whole_warp && request->mask != smb_lanes_below(SMB_NVIDIA_LANES))
    return g_strdup_printf("%s needs all lanes of the warp", known->name);
  gboolean is_shared = smb_op_is_shared((SmbOp)request->op);
  gsize bytes = is_shared ? meter->device.shared_bytes : SMB_CONSTANT_PROBE_BYTES;
  for (; lanes; lanes &= lanes - 1) {
    guint64 end = (guint64)request->offset[smb_lanes_first(lanes)] + request->width;
    if (end > bytes)
      return g_strdup_printf("it reaches byte %" G_GUINT64_FORMAT ": %s %" G_GSIZE_FORMAT
                             " bytes of %s memory",
                             end - 1, is_shared ? "a block has" : "the probe has", bytes,
                             is_shared ? "shared" : "constant");
  }
  return NULL;
}

static gboolean
request_measurements(SmbMeter *meter, const char *name, guint instruction,
                     const SmbRequest *requests, gsize n, double *values, GError **error) {
  if (!start_process(meter, error))
    return FALSE;
  g_autoptr(GBytes) bytes = g_bytes_new_static(requests, n * sizeof *requests);
  GVariantDict job;
  g_variant_dict_init(&job, NULL);
  g_variant_dict_insert(&job, "job", "s", name);
  g_variant_dict_insert(&job, "instruction", "u", instruction);
  g_variant_dict_insert_value(&job, "requests", smb_message_bytes(bytes));
  g_autoptr(GVariant) result =
      ask_worker(meter, g_variant_dict_end(&job), meter->timeout_ms, error);
  if (!result)
    return FALSE;
  g_autoptr(GArray) measured = smb_message_get_numbers(result, "values");
  if (measured->len != n)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH,
                    "the measuring process returned too few numbers");
  if (n)
    memcpy(values, measured->data, n * sizeof *values);
  return TRUE;
}

gboolean
smb_meter_clock(SmbMeter *meter, guint instruction, const SmbRequest *requests, gsize n,
                double *cycles, GError **error) {
  return request_measurements(meter, "clock", instruction, requests, n, cycles, error);
}

gboolean
smb_meter_count(SmbMeter *meter, guint instruction, const SmbRequest *requests, gsize n,
                double *wavefronts, GError **error) {
  return request_measurements(meter, "count", instruction, requests, n, wavefronts, error);
}
