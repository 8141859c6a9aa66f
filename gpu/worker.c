// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/worker.h"

#include <string.h>

#include "gpu/error.h"
#include "gpu/message.h"
#include "gpu/worker-impl.h"

// What of the machine is missing, or NULL.
static const SmbGpuPart *
find_missing(const SmbGpuInventory *inventory) {
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    if (!part->usable && strcmp(part->name, "CUPTI") != 0)
      return part;
  }
  return NULL;
}

static gboolean
find_device(SmbWorker *worker, int index, GError **error) {
  if (worker->device)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE,
                    "device %d is in use by this process; another device needs another process",
                    worker->device->index);
  worker->inventory = smb_gpu_inventory(worker->cuda);
  const SmbGpuPart *missing = find_missing(worker->inventory);
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
find_profiler(SmbWorker *worker) {
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
describe_machine(const SmbWorker *worker, GVariantDict *result) {
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
take_device(SmbWorker *worker, GVariant *job, GVariantDict *result, GError **error) {
  gint32 index = 0;
  g_variant_lookup(job, "device", "i", &index);
  if (!find_device(worker, index, error))
    return FALSE;
  find_profiler(worker);
  describe_machine(worker, result);
  return TRUE;
}

static SmbProbe *
find_probe(SmbWorker *worker, GVariant *job, GError **error) {
  guint32 index = 0;
  g_variant_lookup(job, "instruction", "u", &index);
  if (index >= smb_instruction_count()) {
    g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH, "there is no instruction %u", index);
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
measure_requests(SmbWorker *worker, GVariant *job, gboolean count, GVariantDict *result,
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
do_job(SmbWorker *worker, GVariant *job, GVariantDict *result, GError **error) {
  const char *name = "";
  g_variant_lookup(job, "job", "&s", &name);
  if (strcmp(name, "device") == 0)
    return take_device(worker, job, result, error);
  if (!worker->device)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "no device was chosen");
  if (strcmp(name, "kernel") == 0)
    return smb_worker_kernel(worker, job, result, error);
  return measure_requests(worker, job, strcmp(name, "count") == 0, result, error);
}

static void
clear_worker(SmbWorker *worker) {
  for (guint i = 0; i < smb_instruction_count(); i++)
    smb_probe_free(worker->probes[i]);
  g_free(worker->probes);
  g_free(worker->architecture);
  g_free(worker->refusal);
  smb_gpu_inventory_free(worker->inventory);
}

int
smb_worker_run(const SmbCuda *cuda, int in, int out) {
  SmbWorker worker = {.cuda = cuda, .probes = g_new0(SmbProbe *, smb_instruction_count())};
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
