// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernels of gpu/probe.cu on the made-up GPU: the instruction is found by its text, and each request
// costs what the model says of that instruction, whatever operation the request names. As on
// hardware, an address that is misaligned or outside of shared memory ends the launch.
#include "tests/fake-impl.h"

#include <string.h>

#include "gpu/instruction.h"
#include "gpu/probe.h"
#include "sim/count/wavefront.h"

struct _FakeProbe {
  const SmbInstruction *instruction;
  gboolean is_clock;
  guint unroll;
};

static const char first_line[] = "#define UNROLL ";

gboolean
fake_is_probe(const char *text) {
  return g_str_has_prefix(text, first_line);
}

FakeProbe *
fake_probe_new(const char *text, const char *entry, char **log) {
  guint64 unroll = g_ascii_strtoull(text + strlen(first_line), NULL, 10);
  gboolean is_clock = strcmp(entry, "probe_clock") == 0;
  if (!is_clock && strcmp(entry, "probe_count") != 0) {
    *log = g_strdup_printf("probe.cu has no kernel '%s'", entry);
    return NULL;
  }
  for (guint i = 0; i < smb_instruction_count(); i++) {
    const SmbInstruction *instruction = smb_instruction(i);
    g_autofree char *lines =
        g_strdup_printf("\n#define WHOLE_WARP %d\n#define ACCESS(a, l, v, g) %s\n",
                        instruction->whole_warp, instruction->text);
    if (!strstr(text, lines))
      continue;
    FakeProbe *probe = g_new0(FakeProbe, 1);
    *probe = (FakeProbe){instruction, is_clock, (guint)unroll};
    return probe;
  }
  *log = g_strdup("gpu/instructions.def has no such instruction");
  return NULL;
}

void
fake_probe_free(FakeProbe *probe) {
  g_free(probe);
}

// The request as the hardware sees it: addresses and active lanes.
static int
take_request(const FakeProbe *probe, const SmbCudaLaunch *launch, const SmbProbeRequest *given,
             SmbRequest *request) {
  *request = (SmbRequest){.mask = given->mask, .op = (guint8)probe->instruction->op};
  memcpy(request->offset, given->offset, sizeof given->offset);
  request->width = (guint8)probe->instruction->width;
  if (probe->instruction->whole_warp)
    request->mask = G_MAXUINT32;
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint64 offset = request->offset[smb_lanes_first(lanes)];
    if (offset % request->width)
      return FAKE_MISALIGNED_ADDRESS;
    if (offset + request->width > launch->dynamic_bytes)
      return FAKE_ILLEGAL_ADDRESS;
  }
  return SMB_CUDA_SUCCESS;
}

// Whether the clock is off this time: for some requests, but for none a second time.
static gboolean
is_noisy(const SmbRequest *request) {
  guint64 hash = request->mask;
  for (guint i = 0; i < SMB_NVIDIA_LANES; i++)
    hash = (hash ^ request->offset[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  if (!fake_spoils(FAKE_NOISY_CLOCK, "probe_clock") || hash >> 60)
    return FALSE;
  return g_hash_table_add(fake_machine()->noted, g_memdup2(&hash, sizeof hash));
}

// The parameter at @index: a number, or the memory that it is the address of.
static guint32
take_number(const SmbCudaLaunch *launch, guint index) {
  return *(const guint32 *)launch->parameters[index];
}

static gpointer
take_memory(const SmbCudaLaunch *launch, guint index, gsize wanted) {
  gsize bytes;
  gpointer memory = fake_memory(*(const guint64 *)launch->parameters[index], &bytes);
  return memory && bytes >= wanted ? memory : NULL;
}

// probe_clock(requests, n, zero, rounds, cycles, sink)
static int
run_clock(const FakeProbe *probe, const SmbCudaLaunch *launch, const SmbArch *arch) {
  guint32 n = take_number(launch, 1), rounds = take_number(launch, 3);
  const SmbProbeRequest *requests = take_memory(launch, 0, n * sizeof *requests);
  guint32 *cycles = take_memory(launch, 4, n * sizeof *cycles);
  double issued = (double)rounds * probe->unroll * launch->block[0] / SMB_NVIDIA_LANES;
  if (!requests || !cycles)
    return FAKE_ILLEGAL_ADDRESS;
  for (guint32 i = 0; i < n; i++) {
    SmbRequest request;
    int error = take_request(probe, launch, &requests[i], &request);
    if (error != SMB_CUDA_SUCCESS)
      return error;
    double each = smb_wavefronts_count(arch, &request).cycles + FAKE_CLOCK_OFFSET;
    each += fake_spoils(FAKE_MORE_CYCLES, "probe_clock") ? 1 : 0;
    each += is_noisy(&request) ? 1.5 : 0;
    cycles[i] = (guint32)(each * issued);
  }
  return SMB_CUDA_SUCCESS;
}

// probe_count(requests, which, zero, rounds, sink)
static int
run_count(const FakeProbe *probe, const SmbCudaLaunch *launch, const SmbArch *arch,
          FakeCounts *counts) {
  guint32 which = take_number(launch, 1), rounds = take_number(launch, 3);
  const SmbProbeRequest *requests = take_memory(launch, 0, (which + 1) * sizeof *requests);
  SmbRequest request;
  int error =
      requests ? take_request(probe, launch, &requests[which], &request) : FAKE_ILLEGAL_ADDRESS;
  if (error != SMB_CUDA_SUCCESS)
    return error;
  SmbWavefronts cost = smb_wavefronts_count(arch, &request);
  SmbOpClass op_class = smb_op_class(probe->instruction->op);
  guint64 issued = (guint64)rounds * probe->unroll * launch->block[0] / SMB_NVIDIA_LANES;
  guint64 more = fake_spoils(FAKE_MORE_WAVEFRONTS, "probe_count") ? issued : 0;
  counts->of[FAKE_INSTRUCTIONS][op_class] = issued;
  counts->of[FAKE_WAVEFRONTS][op_class] = issued * cost.wavefronts + more;
  counts->of[FAKE_EXCESS][op_class] = issued * cost.excess + more;
  return SMB_CUDA_SUCCESS;
}

int
fake_probe_run(const FakeProbe *probe, const SmbCudaLaunch *launch, const SmbArch *arch,
               FakeCounts *counts) {
  return probe->is_clock ? run_clock(probe, launch, arch) : run_count(probe, launch, arch, counts);
}
