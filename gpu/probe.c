// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Fills in the text of probe.cu for one instruction, compiles it, and launches it with a request.
#include "gpu/probe.h"

#include <string.h>

#include <gio/gio.h>

#include "gpu/compile.h"
#include "gpu/device-memory.h"
#include "gpu/smb-gpu-resources.h"

enum {
  UNROLL = 16,       // requests of one round
  CLOCK_ROUNDS = 16, // so each warp issues 256
  CLOCK_WARPS = 16,
  SINK_BYTES = 1 << 16,
};

struct _SmbProbe {
  SmbProbeDevice device;
  SmbCudaFunction *clock;
  SmbCudaFunction *count;
};

static SmbCudaFunction *
compile_entry(const SmbProbeDevice *device, const char *text, const char *entry, GError **error) {
  g_autofree char *architecture = g_strdup_printf("--gpu-architecture=%s", device->architecture);
  const char *options[] = {architecture, NULL};
  SmbCudaSource source = {text, "probe.cu", entry, options};
  return smb_compile_source(device->cuda, &source, device->shared_bytes,
                            "the probe does not compile", "load the probe", error);
}

SmbProbe *
smb_probe_new(const SmbProbeDevice *device, const char *text, gboolean whole_warp, GError **error) {
  SmbProbe *probe = g_new0(SmbProbe, 1);
  probe->device = *device;
  g_autoptr(GBytes) bytes = g_resource_lookup_data(smb_gpu_get_resource(), "/smembank/gpu/probe.cu",
                                                   G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  if (bytes) {
    g_autofree char *source =
        g_strdup_printf("#define UNROLL %d\n#define CONSTANT_BYTES %d\n#define WHOLE_WARP %d\n"
                        "#define ACCESS(a, l, v, g) %s\n#line 1\n%s",
                        UNROLL, SMB_CONSTANT_PROBE_BYTES, whole_warp ? 1 : 0, text,
                        (const char *)g_bytes_get_data(bytes, NULL));
    probe->clock = compile_entry(&probe->device, source, "probe_clock", error);
    if (probe->clock)
      probe->count = compile_entry(&probe->device, source, "probe_count", error);
  }
  if (probe->count)
    return probe;
  smb_probe_free(probe);
  return NULL;
}

void
smb_probe_free(SmbProbe *probe) {
  if (!probe)
    return;
  if (probe->clock)
    probe->device.cuda->unload(probe->clock);
  if (probe->count)
    probe->device.cuda->unload(probe->count);
  g_free(probe);
}

// Puts requests into the device's memory, as the probe reads them.
static gboolean
upload_requests(SmbGpuMemory *memory, const SmbRequest *requests, gsize n, GError **error) {
  g_autofree SmbProbeRequest *given = g_new0(SmbProbeRequest, n);
  for (gsize i = 0; i < n; i++) {
    memcpy(given[i].offset, requests[i].offset, sizeof given[i].offset);
    given[i].mask = (guint32)requests[i].mask;
  }
  return smb_gpu_memory_upload(memory, given, n * sizeof *given, error);
}

gboolean
smb_probe_clock(SmbProbe *probe, const SmbRequest *requests, gsize n, double *cycles,
                GError **error) {
  const SmbCuda *cuda = probe->device.cuda;
  g_auto(SmbGpuMemory) input = {cuda}, output = {cuda}, sink = {cuda};
  if (!upload_requests(&input, requests, n, error) ||
      !smb_gpu_memory_allocate(&output, n * sizeof(guint32), error) ||
      !smb_gpu_memory_allocate(&sink, SINK_BYTES, error))
    return FALSE;
  guint32 count = (guint32)n, zero = 0, rounds = CLOCK_ROUNDS;
  void *parameters[] = {&input.address, &count, &zero, &rounds, &output.address, &sink.address};
  SmbCudaLaunch launch = {{(guint)MIN(n, probe->device.multiprocessors), 1, 1},
                          {CLOCK_WARPS * SMB_NVIDIA_LANES, 1, 1},
                          probe->device.shared_bytes,
                          parameters};
  g_autofree guint32 *clocks = g_new(guint32, n);
  if (!smb_gpu_check(cuda, cuda->launch(probe->clock, &launch), "launch the probe", error) ||
      !smb_gpu_memory_download(&output, clocks, n * sizeof *clocks, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    cycles[i] = (double)clocks[i] / (double)(UNROLL * CLOCK_ROUNDS * CLOCK_WARPS);
  return TRUE;
}

// What a counted launch gets in addition to the requests.
typedef struct {
  guint32 which;
  guint32 rounds;
} CountParameters;

// One pass of the profiler. The first range issues the first request twice as often: a launch has wavefronts
// of its own (one on an H200), which belong to no request, and the difference gives them. Then each request
// has a range.
static gboolean
count_pass(SmbProbe *probe, const SmbProfiler *profiler, SmbProfilerSession *session,
           const SmbCudaLaunch *launch, CountParameters *parameters, gsize n, gboolean *more,
           GError **error) {
  const SmbCuda *cuda = probe->device.cuda;
  if (!profiler->begin_pass(session, error))
    return FALSE;
  for (gsize range = 0; range <= n; range++) {
    char name[16];
    g_snprintf(name, sizeof name, "%" G_GSIZE_FORMAT, range);
    parameters->which = range == 0 ? 0 : (guint32)range - 1;
    parameters->rounds = SMB_PROBE_COUNTED / UNROLL * (range == 0 ? 2 : 1);
    if (!profiler->push(session, name, error) ||
        !smb_gpu_check(cuda, cuda->launch(probe->count, launch), "launch the probe", error) ||
        !profiler->pop(session, error))
      return FALSE;
  }
  return smb_gpu_check(cuda, cuda->synchronize(), "run the probe", error) &&
         profiler->end_pass(session, more, error);
}

static gboolean
count_ranges(SmbProbe *probe, const SmbProfiler *profiler, SmbProfilerSession *session,
             guint n_metrics, const SmbRequest *requests, gsize n, double *values, GError **error) {
  const SmbCuda *cuda = probe->device.cuda;
  g_auto(SmbGpuMemory) input = {cuda}, sink = {cuda};
  if (!upload_requests(&input, requests, n, error) ||
      !smb_gpu_memory_allocate(&sink, SINK_BYTES, error))
    return FALSE;
  CountParameters told = {0, 0};
  guint32 zero = 0;
  void *parameters[] = {&input.address, &told.which, &zero, &told.rounds, &sink.address};
  SmbCudaLaunch launch = {
      {1, 1, 1}, {SMB_NVIDIA_LANES, 1, 1}, probe->device.shared_bytes, parameters};
  gboolean more = TRUE;
  while (more) {
    if (!count_pass(probe, profiler, session, &launch, &told, n, &more, error))
      return FALSE;
  }
  g_autofree double *twice = g_new0(double, n_metrics + 1), *once = g_new0(double, n_metrics + 1);
  if (!profiler->read(session, 0, twice, error) || !profiler->read(session, 1, once, error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    double *counted = values + i * n_metrics;
    if (!profiler->read(session, (guint)i + 1, counted, error))
      return FALSE;
    for (guint m = 0; m < n_metrics; m++)
      counted[m] = (counted[m] - (2 * once[m] - twice[m])) / SMB_PROBE_COUNTED;
  }
  return TRUE;
}

gboolean
smb_probe_count(SmbProbe *probe, const SmbProfiler *profiler, const char *const *metrics,
                guint n_metrics, const SmbRequest *requests, gsize n, double *values,
                GError **error) {
  g_return_val_if_fail(n > 0 && n <= SMB_PROBE_MAX_RANGES, FALSE);
  SmbProfilerSession *session =
      profiler->open(probe->device.device, metrics, n_metrics, (guint)n + 1, error);
  if (!session)
    return FALSE;
  gboolean ok = count_ranges(probe, profiler, session, n_metrics, requests, n, values, error);
  profiler->close(session);
  return ok;
}
