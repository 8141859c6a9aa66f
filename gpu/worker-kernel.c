// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The job "kernel": compile, run once for the values, run for the times with cold and warm caches, run again
// for each pass of the counters from the same initial contents.

#include "gpu/compile.h"
#include "gpu/memory.h"
#include "gpu/message.h"
#include "gpu/worker-impl.h"

// Where the numbers come from, the best first. The metrics of smsp__sass_ are computed from what the
// instructions of the kernel do: their wavefronts are free of lost arbitration, and their instructions are
// those with an active lane, where smsp__inst_executed_ has those of which every lane is predicated off as
// well (seen on an H200: an interleaved reduction of 256 threads reads 95 and 129).
static const struct {
  SmbMetric metric;
  const char *counters[3];
} candidates[] = {
    {SMB_METRIC_WAVEFRONTS_LD,
     {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}},
    {SMB_METRIC_WAVEFRONTS_ST,
     {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}},
    {SMB_METRIC_WAVEFRONTS_ATOM,
     {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"}},
    {SMB_METRIC_INSTRUCTIONS_LD,
     {"smsp__sass_inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_ld.sum"}},
    {SMB_METRIC_INSTRUCTIONS_ST,
     {"smsp__sass_inst_executed_op_shared_st.sum", "smsp__inst_executed_op_shared_st.sum"}},
    {SMB_METRIC_INSTRUCTIONS_ATOM,
     {"smsp__sass_inst_executed_op_shared_atom.sum", "smsp__inst_executed_op_shared_atom.sum"}},
    {SMB_METRIC_SECTORS_LD, {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
    {SMB_METRIC_SECTORS_ST, {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
};

// The first of the counters that this chip has, or NULL.
static const char *
choose_counter(const SmbWorker *worker, const char *const *counters) {
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
choose_counters(SmbWorker *worker) {
  if (worker->counters_known)
    return;
  worker->counters_known = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(candidates); i++)
    worker->counters[candidates[i].metric] = choose_counter(worker, candidates[i].counters);
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
} Run;

static void
run_clear(Run *run) {
  for (guint i = 0; i < run->n_arguments; i++) {
    smb_gpu_memory_clear(&run->memory[i]);
    g_bytes_unref(run->initial[i]);
  }
  g_free(run->memory);
  g_free(run->pointers);
  g_free(run->initial);
  g_free(run->parameters);
  if (run->function)
    run->cuda->unload(run->function);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

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
    // A scalar is copied: where it lies in a message, it is not aligned.
    run->initial[i] = is_pointer
                          ? g_variant_get_data_as_bytes(value)
                          : g_bytes_new(g_variant_get_data(value), g_variant_get_size(value));
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
measure_times(const SmbWorker *worker, const Run *run, guint n, GVariantDict *result,
              GError **error) {
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
count_passes(const SmbWorker *worker, SmbProfilerSession *session, const Run *run, GError **error) {
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

static gboolean
measure_counts(SmbWorker *worker, const Run *run, GVariantDict *result, GError **error) {
  const char *names[SMB_N_METRICS];
  double values[SMB_N_METRICS], measured[SMB_N_METRICS];
  guint n = 0;
  choose_counters(worker);
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    if (worker->counters[i])
      names[n++] = worker->counters[i];
  }
  if (n == 0)
    return TRUE;
  SmbProfilerSession *session = worker->profiler->open(worker->device->index, names, n, 1, error);
  if (!session)
    return FALSE;
  gboolean ok = count_passes(worker, session, run, error) &&
                worker->profiler->read(session, 0, values, error);
  worker->profiler->close(session);
  GVariantBuilder used;
  g_variant_builder_init(&used, G_VARIANT_TYPE("as"));
  for (guint i = 0, at = 0; i < SMB_N_METRICS; i++) {
    measured[i] = worker->counters[i] && ok ? values[at++] : -1;
    g_variant_builder_add(&used, "s", worker->counters[i] ? worker->counters[i] : "");
  }
  g_variant_dict_insert_value(result, "counters", g_variant_builder_end(&used));
  g_variant_dict_insert_value(result, "measured", smb_message_numbers(measured, SMB_N_METRICS));
  return ok;
}

static SmbCudaFunction *
compile(const SmbWorker *worker, GVariant *job, gsize dynamic_bytes, GError **error) {
  const char *file = "", *text = "", *entry = "";
  g_autofree const char **defines = NULL;
  g_variant_lookup(job, "file", "&s", &file);
  g_variant_lookup(job, "text", "&s", &text);
  g_variant_lookup(job, "entry", "&s", &entry);
  g_variant_lookup(job, "defines", "^a&s", &defines);
  return smb_compile_kernel(worker->cuda, worker->architecture, file, text, entry, defines,
                            dynamic_bytes, error);
}

gboolean
smb_worker_kernel(SmbWorker *worker, GVariant *job, GVariantDict *result, GError **error) {
  g_auto(Run) run = {.cuda = worker->cuda};
  guint64 dynamic_bytes = 0;
  guint n_times = 0;
  g_variant_lookup(job, "grid", "(uuu)", &run.launch.grid[0], &run.launch.grid[1],
                   &run.launch.grid[2]);
  g_variant_lookup(job, "block", "(uuu)", &run.launch.block[0], &run.launch.block[1],
                   &run.launch.block[2]);
  g_variant_lookup(job, "dynamic-bytes", "t", &dynamic_bytes);
  g_variant_lookup(job, "times", "u", &n_times);
  run.launch.dynamic_bytes = dynamic_bytes;
  run.function = compile(worker, job, dynamic_bytes, error);
  if (!run.function || !take_arguments(&run, job, error))
    return FALSE;
  run.launch.parameters = run.parameters;
  return launch_once(&run, error) && take_values(&run, result, error) &&
         measure_times(worker, &run, n_times, result, error) &&
         (!worker->profiler || measure_counts(worker, &run, result, error));
}
