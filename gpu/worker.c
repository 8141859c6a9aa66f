// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The measuring process: owns the device, answers one job after another.
#include "gpu/worker.h"
#include "sim/base/error.h"

#include <string.h>

#include "gpu/compile.h"
#include "gpu/device.h"
#include "gpu/error.h"
#include "gpu/device-memory.h"
#include "gpu/message.h"
#include "gpu/probe.h"
#include "gpu/replay.h"
#include "gpu/sass-count.h"
#include "sim/measured/metric.h"

// The device of this process; nothing is measured before it is known.
typedef struct {
  const SmbCuda *cuda;
  SmbGpuInventory *inventory;
  const SmbGpuDevice *device;  // or NULL
  char *architecture;          // of it, for the compiler
  const SmbProfiler *profiler; // how counters are read; NULL if they are refused
  char *refusal;               // why, or NULL
  // by SmbMetric: the hardware metric that is read for it, or NULL
  const char *counters[SMB_N_METRICS];
  const char *added[SMB_N_METRICS]; // and one that is added to it, or NULL
  gboolean counters_known;          // whether they were looked up
  SmbProbe **probes;                // by index of smb_instruction(): those compiled so far
} Worker;

// What of the machine is missing, or NULL.
static const SmbGpuPart *
find_missing_part(const SmbGpuInventory *inventory) {
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    if (!part->usable && strcmp(part->name, "CUPTI") != 0)
      return part;
  }
  return NULL;
}

static gboolean
find_device(Worker *worker, int index, GError **error) {
  if (worker->device)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE,
                    "device %d is in use by this process; another device needs another process",
                    worker->device->index);
  worker->inventory = smb_gpu_inventory(worker->cuda);
  const SmbGpuPart *missing = find_missing_part(worker->inventory);
  if (missing)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "no usable GPU (%s)",
                    missing->detail);
  if (index < 0 || (guint)index >= worker->inventory->devices->len)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE,
                    "there is no device %d: this machine has %u", index,
                    worker->inventory->devices->len);
  int result = worker->cuda->bind(index);
  if (result != SMB_CUDA_SUCCESS)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "device %d cannot be used: %s",
                    index, worker->cuda->error_text(result));
  worker->device = g_ptr_array_index(worker->inventory->devices, (guint)index);
  worker->architecture = g_strdup_printf("sm_%u%u", worker->device->capability_major,
                                         worker->device->capability_minor);
  return TRUE;
}

// The first way to read counters that works here. Otherwise the reason: what a profiler that is there said,
// rather than that another one is missing.
static void
find_profiler(Worker *worker) {
  static const char *const counter[] = {SMB_REQUEST_COUNTER};
  const SmbProfiler *profiler;
  gboolean missing = FALSE; // the reason so far is that one is not there
  for (guint i = 0; (profiler = worker->cuda->profiler(i)) && !worker->profiler; i++) {
    g_autoptr(GError) error = NULL;
    SmbProfilerSession *session =
        profiler->open(worker->device->index, counter, G_N_ELEMENTS(counter), 1, &error);
    if (session) {
      worker->profiler = profiler;
      profiler->close(session);
    } else if (!worker->refusal || (missing && error->code != SMB_GPU_ERROR_NO_PROFILER)) {
      g_free(worker->refusal);
      worker->refusal = g_strdup(error->message);
      missing = error->code == SMB_GPU_ERROR_NO_PROFILER;
    }
  }
}

static void
add_version(GVariantDict *result, const char *key, int version) {
  if (version > 0)
    g_variant_dict_insert_value(
        result, key,
        g_variant_new_take_string(g_strdup_printf("%d.%d", version / 1000, version % 1000 / 10)));
}

static void
describe_machine(const Worker *worker, GVariantDict *result) {
  const SmbCuda *cuda = worker->cuda;
  const SmbGpuDevice *device = worker->device;
  g_autofree char *driver = cuda->driver_release ? cuda->driver_release() : NULL;
  g_autofree char *reason = NULL;
  int runtime = 0, driver_version = 0;
  gpointer nvrtc = cuda->open(SMB_CUDA_NVRTC, &reason);
  cuda->versions(&runtime, &driver_version);
  g_variant_dict_insert(result, "name", "s", device->name);
  g_variant_dict_insert(result, "capability", "(uu)", device->capability_major,
                        device->capability_minor);
  g_variant_dict_insert(result, "multiprocessors", "u", device->multiprocessors);
  g_variant_dict_insert(result, "shared-bytes", "t", (guint64)device->shared_per_block);
  if (driver)
    g_variant_dict_insert(result, "driver", "s", driver);
  add_version(result, "cuda-driver", driver_version);
  add_version(result, "toolkit", nvrtc ? cuda->library_version(SMB_CUDA_NVRTC, nvrtc) : 0);
  if (worker->profiler)
    g_variant_dict_insert(result, "profiler", "s", worker->profiler->name);
  else
    g_variant_dict_insert(result, "refusal", "s",
                          worker->refusal ? worker->refusal : "no profiler was found");
}

static gboolean
select_device(Worker *worker, GVariant *job, GVariantDict *result, GError **error) {
  gint32 index = 0;
  g_variant_lookup(job, "device", "i", &index);
  if (!find_device(worker, index, error))
    return FALSE;
  find_profiler(worker);
  describe_machine(worker, result);
  return TRUE;
}

// Where the numbers come from, the best first. The metrics of smsp__sass_ are computed from what the
// instructions of the kernel do: their wavefronts are free of lost arbitration, and their instructions are
// those with an active lane, where smsp__inst_executed_ has those of which every lane is predicated off as
// well (seen on an H200: an interleaved reduction of 256 threads reads 95 and 129).
// @added: for the first counter: it leaves out the loads and stores of matrices, which the second one counts.
static const struct {
  SmbMetric metric;
  const char *counters[3];
  const char *added;
} candidates[] = {
    {SMB_METRIC_WAVEFRONTS_LD,
     {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum"},
    {SMB_METRIC_WAVEFRONTS_ST,
     {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum"},
    {SMB_METRIC_WAVEFRONTS_ATOM,
     {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
     NULL},
    {SMB_METRIC_INSTRUCTIONS_LD,
     {"smsp__sass_inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_ld.sum"},
     "smsp__sass_inst_executed_op_ldsm.sum"},
    {SMB_METRIC_INSTRUCTIONS_ST,
     {"smsp__sass_inst_executed_op_shared_st.sum", "smsp__inst_executed_op_shared_st.sum"},
     "smsp__sass_inst_executed_op_stsm.sum"},
    {SMB_METRIC_INSTRUCTIONS_ATOM,
     {"smsp__sass_inst_executed_op_shared_atom.sum", "smsp__inst_executed_op_shared_atom.sum"},
     NULL},
    {SMB_METRIC_SECTORS_LD, {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}, NULL},
    {SMB_METRIC_SECTORS_ST, {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}, NULL},
};

// The first of the counters that this chip has, or NULL.
static const char *
choose_counter(const Worker *worker, const char *const *counters) {
  for (guint i = 0; counters[i]; i++) {
    SmbProfilerSession *session =
        worker->profiler->open(worker->device->index, &counters[i], 1, 1, NULL);
    if (session) {
      worker->profiler->close(session);
      return counters[i];
    }
  }
  return NULL;
}

static void
choose_counters(Worker *worker) {
  if (worker->counters_known)
    return;
  worker->counters_known = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(candidates); i++) {
    const char *counter = choose_counter(worker, candidates[i].counters);
    const char *const added[] = {candidates[i].added, NULL};
    worker->counters[candidates[i].metric] = counter;
    if (counter == candidates[i].counters[0])
      worker->added[candidates[i].metric] = choose_counter(worker, added);
  }
}

// The kernel of a job on the device.
typedef struct {
  const SmbCuda *cuda;
  SmbCudaFunction *function;
  SmbCudaLaunch launch;
  guint n_arguments;
  GBytes **initial;     // by argument
  SmbGpuMemory *memory; // by argument: of a buffer
  guint64 *pointers;    // by argument: into its buffer
  void **parameters;
  SmbReplay *replay; // of a captured launch, or NULL
} Run;

static void
measured_run_clear(Run *run) {
  for (guint i = 0; i < run->n_arguments; i++) {
    smb_gpu_memory_clear(&run->memory[i]);
    g_bytes_unref(run->initial[i]);
  }
  g_free(run->memory);
  g_free(run->pointers);
  g_free(run->initial);
  g_free(run->parameters);
  smb_replay_free(run->replay);
  if (run->function)
    run->cuda->unload(run->function);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, measured_run_clear)

// Memory of a captured launch, if it is one.
static gboolean
take_captured_memory(Run *run, GVariant *job, GError **error) {
  g_autoptr(GVariant) pieces = g_variant_lookup_value(job, "memory", G_VARIANT_TYPE("a(tsay)"));
  if (!pieces)
    return TRUE;
  run->replay = smb_replay_new(run->cuda);
  for (gsize i = 0; i < g_variant_n_children(pieces); i++) {
    guint64 address;
    const char *variable;
    g_autoptr(GVariant) contents = NULL;
    g_variant_get_child(pieces, i, "(t&s@ay)", &address, &variable, &contents);
    g_autoptr(GBytes) bytes = g_variant_get_data_as_bytes(contents);
    if (!smb_replay_add(run->replay, address, bytes, run->function, *variable ? variable : NULL,
                        error))
      return FALSE;
  }
  return smb_replay_upload(run->replay, error);
}

// The bytes of a scalar. It is copied: where it is in a message, it is not aligned.
static GBytes *
take_scalar(const Run *run, GVariant *value) {
  GBytes *bytes = g_bytes_new(g_variant_get_data(value), g_variant_get_size(value));
  if (!run->replay)
    return bytes;
  GBytes *moved = smb_replay_move(run->replay, bytes);
  g_bytes_unref(bytes);
  return moved;
}

static gboolean
take_arguments(Run *run, GVariant *job, GError **error) {
  g_autoptr(GVariant) arguments =
      g_variant_lookup_value(job, "arguments", G_VARIANT_TYPE("a(btay)"));
  gsize n = arguments ? g_variant_n_children(arguments) : 0;
  run->memory = g_new0(SmbGpuMemory, n + 1);
  run->pointers = g_new0(guint64, n + 1);
  run->initial = g_new0(GBytes *, n + 1);
  run->parameters = g_new0(void *, n + 1);
  for (gsize i = 0; i < n; i++) {
    gboolean is_pointer;
    g_autoptr(GVariant) value = NULL;
    guint64 start;
    g_variant_get_child(arguments, i, "(bt@ay)", &is_pointer, &start, &value);
    run->initial[i] = is_pointer ? g_variant_get_data_as_bytes(value) : take_scalar(run, value);
    run->memory[i].cuda = run->cuda;
    run->n_arguments++;
    gsize length;
    gconstpointer bytes = g_bytes_get_data(run->initial[i], &length);
    run->parameters[i] = is_pointer ? (void *)&run->pointers[i] : (void *)bytes;
    if (is_pointer && !smb_gpu_memory_upload(&run->memory[i], bytes, length, error))
      return FALSE;
    run->pointers[i] = run->memory[i].address + start;
  }
  return TRUE;
}

static gboolean
reset_buffers(const Run *run, GError **error) {
  if (run->replay && !smb_replay_upload(run->replay, error))
    return FALSE;
  for (guint i = 0; i < run->n_arguments; i++) {
    const SmbGpuMemory *memory = &run->memory[i];
    if (memory->bytes &&
        !smb_gpu_check(run->cuda,
                       run->cuda->upload(memory->address, g_bytes_get_data(run->initial[i], NULL),
                                         memory->bytes),
                       "copy data to the GPU", error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
launch_once(const Run *run, GError **error) {
  return smb_gpu_check(run->cuda, run->cuda->launch(run->function, &run->launch),
                       "launch the kernel", error);
}

// The contents of the buffers, as a(ay).
static gboolean
take_values(const Run *run, GVariantDict *result, GError **error) {
  GVariantBuilder contents;
  g_variant_builder_init(&contents, G_VARIANT_TYPE("aay"));
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < run->n_arguments; i++) {
    gsize n = run->memory[i].bytes;
    guchar *bytes = g_malloc(MAX(n, 1));
    ok = n == 0 || smb_gpu_memory_download(&run->memory[i], bytes, n, error);
    g_autoptr(GBytes) taken = g_bytes_new_take(bytes, n);
    g_variant_builder_add_value(&contents, smb_message_bytes(taken));
  }
  if (ok)
    g_variant_dict_insert_value(result, "contents", g_variant_builder_end(&contents));
  else
    g_variant_builder_clear(&contents);
  return ok;
}

enum {
  UNTIMED_PAIRS = 1, // the first launches are slower
  FLUSH_FACTOR = 2,  // times the L2 cache: what is overwritten to drive all else out of it
};

// The times with warm caches, and with cold ones where there is memory to flush them with.
static gboolean
measure_times(const Worker *worker, const Run *run, guint n, GVariantDict *result, GError **error) {
  guint pairs = n + UNTIMED_PAIRS;
  g_auto(SmbGpuMemory) flush = {.cuda = run->cuda};
  g_autofree double *cold = g_new0(double, pairs), *warm = g_new0(double, pairs);
  gsize flush_bytes = FLUSH_FACTOR * worker->device->l2_bytes;
  if (flush_bytes > 0)
    smb_gpu_memory_allocate(&flush, flush_bytes, NULL);
  SmbCudaTiming timing = {flush.address, flush_bytes, pairs, cold, warm};
  if (!smb_gpu_check(run->cuda, run->cuda->time_launches(run->function, &run->launch, &timing),
                     "run the kernel", error))
    return FALSE;
  g_variant_dict_insert_value(result, "times", smb_message_numbers(warm + UNTIMED_PAIRS, n));
  if (flush.address)
    g_variant_dict_insert_value(result, "cold-times", smb_message_numbers(cold + UNTIMED_PAIRS, n));
  return TRUE;
}

static gboolean
count_in_passes(const Worker *worker, SmbProfilerSession *session, const Run *run, GError **error) {
  const SmbProfiler *profiler = worker->profiler;
  gboolean more = TRUE;
  while (more) {
    if (!reset_buffers(run, error) || !profiler->begin_pass(session, error) ||
        !profiler->push(session, "kernel", error) || !launch_once(run, error) ||
        !profiler->pop(session, error) ||
        !smb_gpu_check(run->cuda, run->cuda->synchronize(), "run the kernel", error) ||
        !profiler->end_pass(session, &more, error))
      return FALSE;
  }
  return TRUE;
}

// The hardware metrics that are read, in the order of the metrics, each with what is added to it.
static guint
list_counters(const Worker *worker, const char **names) {
  guint n = 0;
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    if (worker->counters[i])
      names[n++] = worker->counters[i];
    if (worker->added[i])
      names[n++] = worker->added[i];
  }
  return n;
}

// @values: of the hardware metrics, or NULL.
static void
add_measured_counts(const Worker *worker, const double *values, GVariantDict *result) {
  double measured[SMB_N_METRICS];
  GVariantBuilder used;
  g_variant_builder_init(&used, G_VARIANT_TYPE("as"));
  for (guint i = 0, at = 0; i < SMB_N_METRICS; i++) {
    const char *counter = worker->counters[i], *added = worker->added[i];
    g_autofree char *both = added ? g_strdup_printf("%s + %s", counter, added) : NULL;
    measured[i] = counter && values ? values[at++] : -1;
    if (added && values)
      measured[i] += values[at++];
    g_variant_builder_add(&used, "s", both ? both : counter ? counter : "");
  }
  g_variant_dict_insert_value(result, "counters", g_variant_builder_end(&used));
  g_variant_dict_insert_value(result, "measured", smb_message_numbers(measured, SMB_N_METRICS));
}

static gboolean
measure_counts(Worker *worker, const Run *run, GVariantDict *result, GError **error) {
  const char *names[2 * SMB_N_METRICS];
  double values[2 * SMB_N_METRICS];
  choose_counters(worker);
  guint n = list_counters(worker, names);
  if (n == 0)
    return TRUE;
  SmbProfilerSession *session = worker->profiler->open(worker->device->index, names, n, 1, error);
  if (!session)
    return FALSE;
  gboolean ok = count_in_passes(worker, session, run, error) &&
                worker->profiler->read(session, 0, values, error);
  worker->profiler->close(session);
  add_measured_counts(worker, ok ? values : NULL, result);
  return ok;
}

static SmbCudaFunction *
compile_job(const Worker *worker, GVariant *job, gsize dynamic_bytes, GError **error) {
  const char *file = "", *text = "", *entry = "", *symbol = NULL;
  g_autofree const char **defines = NULL;
  g_variant_lookup(job, "file", "&s", &file);
  g_variant_lookup(job, "text", "&s", &text);
  g_variant_lookup(job, "entry", "&s", &entry);
  g_variant_lookup(job, "defines", "^a&s", &defines);
  if (g_variant_lookup(job, "symbol", "&s", &symbol)) {
    g_autoptr(GBytes) image = smb_message_get_bytes(job, "image");
    return smb_load_image(worker->cuda, file, image, symbol, dynamic_bytes, error);
  }
  return smb_compile_kernel(worker->cuda, worker->architecture, file, text, entry, defines,
                            dynamic_bytes, error);
}

// Compiles the kernel of a job, and brings what it is launched with to the device.
static gboolean
prepare_run(const Worker *worker, GVariant *job, Run *run, GError **error) {
  guint64 dynamic_bytes = 0;
  guint *grid = run->launch.grid, *block = run->launch.block, *cluster = run->launch.cluster;
  g_variant_lookup(job, "grid", "(uuu)", &grid[0], &grid[1], &grid[2]);
  g_variant_lookup(job, "block", "(uuu)", &block[0], &block[1], &block[2]);
  g_variant_lookup(job, "cluster", "(uuu)", &cluster[0], &cluster[1], &cluster[2]);
  g_variant_lookup(job, "dynamic-bytes", "t", &dynamic_bytes);
  g_variant_lookup(job, "cooperative", "b", &run->launch.is_cooperative);
  run->launch.dynamic_bytes = dynamic_bytes;
  run->function = compile_job(worker, job, dynamic_bytes, error);
  if (!run->function || !take_captured_memory(run, job, error) || !take_arguments(run, job, error))
    return FALSE;
  run->launch.parameters = run->parameters;
  return TRUE;
}

// The job "kernel": compile, run once for the values, run for the times with cold and warm caches, run again for each
// pass of the counters from the same initial contents.
static gboolean
measure_kernel(Worker *worker, GVariant *job, GVariantDict *result, GError **error) {
  g_auto(Run) run = {.cuda = worker->cuda};
  guint n_times = 0;
  g_variant_lookup(job, "times", "u", &n_times);
  return prepare_run(worker, job, &run, error) && launch_once(&run, error) &&
         take_values(&run, result, error) && measure_times(worker, &run, n_times, result, error) &&
         (!worker->profiler || measure_counts(worker, &run, result, error));
}

static gboolean
launch_and_wait(gpointer run, GError **error) {
  const SmbCuda *cuda = ((const Run *)run)->cuda;
  return reset_buffers(run, error) && launch_once(run, error) &&
         smb_gpu_check(cuda, cuda->synchronize(), "run the kernel", error);
}

// The job "instructions": what each instruction of machine code counts.
static gboolean
measure_instructions(Worker *worker, GVariant *job, GVariantDict *result, GError **error) {
  g_auto(Run) run = {.cuda = worker->cuda};
  const SmbProfilerLaunch launch = {launch_and_wait, &run};
  const char *symbol = "";
  g_variant_lookup(job, "symbol", "&s", &symbol);
  if (!worker->profiler || !worker->profiler->instructions)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "%s",
                    worker->refusal ? worker->refusal : "this profiler does not count them");
  return prepare_run(worker, job, &run, error) &&
         smb_sass_count(worker->profiler, worker->device->index, symbol, &launch, result, error);
}

static SmbProbe *
find_probe(Worker *worker, GVariant *job, GError **error) {
  guint32 index = 0;
  g_variant_lookup(job, "instruction", "u", &index);
  if (index >= smb_instruction_count()) {
    smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH, "there is no instruction %u", index);
    return NULL;
  }
  const SmbInstruction *instruction = smb_instruction(index);
  SmbProbeDevice device = {worker->cuda, worker->device->index, worker->architecture,
                           worker->device->multiprocessors, worker->device->shared_per_block};
  if (!worker->probes[index])
    worker->probes[index] =
        smb_probe_new(&device, instruction->text, instruction->whole_warp, error);
  return worker->probes[index];
}

// The jobs "clock" and "count": requests of one instruction, as the bytes of an array of SmbRequest.
static gboolean
run_requests_job(Worker *worker, GVariant *job, gboolean count, GVariantDict *result,
                 GError **error) {
  static const char *const counter[] = {SMB_REQUEST_COUNTER};
  g_autoptr(GBytes) bytes = smb_message_get_bytes(job, "requests");
  gsize length, n;
  const SmbRequest *requests = g_bytes_get_data(bytes, &length);
  n = length / sizeof *requests;
  SmbProbe *probe = find_probe(worker, job, error);
  if (!probe)
    return FALSE;
  if (count && !worker->profiler)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "%s", worker->refusal);
  g_autofree double *values = g_new0(double, n + 1);
  for (gsize done = 0; count && done < n; done += SMB_PROBE_MAX_RANGES) {
    gsize some = MIN(n - done, SMB_PROBE_MAX_RANGES);
    if (!smb_probe_count(probe, worker->profiler, counter, 1, requests + done, some, values + done,
                         error))
      return FALSE;
  }
  if (!count && n > 0 && !smb_probe_clock(probe, requests, n, values, error))
    return FALSE;
  g_variant_dict_insert_value(result, "values", smb_message_numbers(values, n));
  return TRUE;
}

static gboolean
do_job(Worker *worker, GVariant *job, GVariantDict *result, GError **error) {
  const char *name = "";
  g_variant_lookup(job, "job", "&s", &name);
  if (strcmp(name, "device") == 0)
    return select_device(worker, job, result, error);
  if (!worker->device)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "no device was chosen");
  if (strcmp(name, "kernel") == 0)
    return measure_kernel(worker, job, result, error);
  if (strcmp(name, "instructions") == 0)
    return measure_instructions(worker, job, result, error);
  return run_requests_job(worker, job, strcmp(name, "count") == 0, result, error);
}

static void
clear_worker(Worker *worker) {
  for (guint i = 0; i < smb_instruction_count(); i++)
    smb_probe_free(worker->probes[i]);
  g_free(worker->probes);
  g_free(worker->architecture);
  g_free(worker->refusal);
  smb_gpu_inventory_free(worker->inventory);
}

int
smb_worker_run(const SmbCuda *cuda, int in, int out) {
  Worker worker = {.cuda = cuda, .probes = g_new0(SmbProbe *, smb_instruction_count())};
  GVariant *job;
  gboolean goes_on = TRUE;
  while (goes_on && smb_message_read(in, -1, &job) == SMB_MESSAGE_READ) {
    g_autoptr(GError) error = NULL;
    g_auto(GVariantDict) result;
    g_variant_dict_init(&result, NULL);
    if (!do_job(&worker, job, &result, &error)) {
      g_variant_dict_clear(&result);
      g_variant_dict_init(&result, NULL);
      g_variant_dict_insert(&result, "error", "s", error->message);
      g_variant_dict_insert(&result, "code", "u",
                            error->domain == SMB_GPU_ERROR ? (guint32)error->code
                                                           : (guint32)SMB_GPU_ERROR_LAUNCH);
      // A context in which a launch failed is of no more use.
      goes_on = error->code == SMB_GPU_ERROR_COMPILE || error->code == SMB_GPU_ERROR_COUNTERS;
    }
    goes_on = smb_message_write(out, g_variant_dict_end(&result)) && goes_on;
    g_variant_unref(job);
  }
  clear_worker(&worker);
  return 0;
}
