// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/clock.h"

#include <math.h>

#include "sim/arch/arch.h"
#include "sim/machine/block.h"

// A request, and how often accesses of each class make it: the first load of an atomic that is a loop is the
// atomic's.
typedef struct {
  SmbRequest request;
  guint64 n[SMB_N_OP_CLASSES];
} Counted;

// The different requests of a kernel.
typedef struct {
  GHashTable *known; // &Counted.request → Counted
  GPtrArray *order;  // Counted, as they came
  const SmbProgram *kernel;
  guint row_bytes;
} Requests;

// The request as low in memory as whole rows of the banks allow; lanes that access nothing at 0.
static SmbRequest
normalize(const SmbRequest *request, guint row_bytes) {
  SmbRequest normal = {.op = request->op, .width = request->width, .mask = request->mask};
  guint32 lowest = G_MAXUINT32;
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1)
    lowest = MIN(lowest, request->offset[smb_lanes_first(lanes)]);
  for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    normal.offset[lane] = request->offset[lane] - lowest / row_bytes * row_bytes;
  }
  return normal;
}

static void
take_shared(gpointer user, guint site, G_GNUC_UNUSED guint warp, G_GNUC_UNUSED const char *array,
            const SmbRequest *request) {
  Requests *requests = user;
  SmbRequest normal = normalize(request, requests->row_bytes);
  Counted *counted = g_hash_table_lookup(requests->known, &normal);
  if (!counted) {
    counted = g_new0(Counted, 1);
    counted->request = normal;
    g_hash_table_insert(requests->known, &counted->request, counted);
    g_ptr_array_add(requests->order, counted);
  }
  counted->n[smb_program_site(requests->kernel, site)->op_class]++;
}

static gboolean
collect_readings(Requests *requests, const SmbTarget *target, const SmbArch *arch, GError **error) {
  static const SmbSink sink = {.shared = take_shared};
  const SmbLaunch *launch = &target->launch;
  g_autoptr(SmbGlobal) global = smb_global_new(target->kernel, launch);
  g_autoptr(SmbBlock) block = smb_block_new(target->kernel, arch, launch, &target->options.limits,
                                            &sink, requests, global, error);
  guint64 n = smb_launch_n_blocks(launch);
  for (guint64 i = 0; block && i < n; i++) {
    if (!smb_block_run(block, i, error))
      return FALSE;
  }
  return block != NULL;
}

// Adds up by class what a request takes each time; what was not measured makes no sum.
static void
add_cycles(const Counted *counted, double cycles, double *sums) {
  for (guint i = 0; i < SMB_N_OP_CLASSES; i++) {
    if (counted->n[i] == 0 || sums[i] == SMB_NOT_MEASURED)
      continue;
    sums[i] = cycles == SMB_NOT_MEASURED ? cycles : sums[i] + (double)counted->n[i] * round(cycles);
  }
}

// Times the requests of one instruction, and adds them up.
static gboolean
time_instruction(SmbMeter *meter, guint instruction, const GPtrArray *order, double *sums,
                 GError **error) {
  const SmbInstruction *known = smb_instruction(instruction);
  g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(SmbRequest));
  g_autoptr(GPtrArray) timed = g_ptr_array_new();
  for (guint i = 0; i < order->len; i++) {
    Counted *counted = g_ptr_array_index(order, i);
    if (counted->request.op != known->op || counted->request.width != known->width)
      continue;
    g_autofree char *reason = smb_meter_supports(meter, instruction, &counted->request);
    if (reason) {
      add_cycles(counted, SMB_NOT_MEASURED, sums);
      continue;
    }
    g_array_append_val(requests, counted->request);
    g_ptr_array_add(timed, counted);
  }
  if (requests->len == 0)
    return TRUE;
  g_autofree double *cycles = g_new(double, requests->len);
  if (!smb_meter_clock(meter, instruction, (const SmbRequest *)(gpointer)requests->data,
                       requests->len, cycles, error))
    return FALSE;
  for (guint i = 0; i < requests->len; i++)
    add_cycles(g_ptr_array_index(timed, i), cycles[i], sums);
  return TRUE;
}

gboolean
smb_measure_requests(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch, double *cycles,
                     GError **error) {
  g_autoptr(GHashTable) known = g_hash_table_new(smb_request_hash, smb_request_equal);
  g_autoptr(GPtrArray) order = g_ptr_array_new_with_free_func(g_free);
  Requests requests = {known, order, target->kernel, smb_arch_info(arch)->row_bytes};
  if (!collect_readings(&requests, target, arch, error))
    return FALSE;
  for (guint i = 0; i < SMB_N_OP_CLASSES; i++)
    cycles[i] = 0;
  for (guint i = 0; i < SMB_N_OPS; i++) {
    for (guint j = 0; j < SMB_N_WIDTHS; j++) {
      guint instruction, width = smb_width(j);
      if (!smb_op_has_width((SmbOp)i, width) || !smb_instruction_for((SmbOp)i, width, &instruction))
        continue;
      if (!time_instruction(meter, instruction, order, cycles, error))
        return FALSE;
    }
  }
  return TRUE;
}
