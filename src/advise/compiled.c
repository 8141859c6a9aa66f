// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/compiled.h"

#include <math.h>

#include "sim/arch/arch.h"
#include "sim/arch/occupancy.h"
#include "sim/base/order.h"
#include "sim/base/parallel.h"
#include "src/analysis/verdict.h"
#include "src/cli/hint.h"

enum {
  MAX_COMPILERS = 2, // that run at once: each may take hundreds of megabytes
  // Percent that a form has to save: on an H200, one with 2 % fewer wavefronts and 1 % fewer instructions
  // took 2 % longer (doc/compiled.md, "flat"), for nvcc scheduled the rest otherwise.
  LEAST_GAIN = 3,
  // Registers of a multiprocessor, and in which pieces and by how many warps they are given away (CUDA C++ Programming
  // Guide, Compute Capabilities; cuda_occupancy.h): of every chip since sm_50.
  SM_REGISTERS = 1 << 16,
  WARP_REGISTERS = 256,
  PARTITIONS = 4,
  // Warps that hide what each waits for. A form that kept 8 of 16, with 168 registers a thread in place of 96, took 28 %
  // longer on an H200, with 48 % fewer wavefronts.
  ENOUGH_WARPS = 16,
  SCHEDULERS = 4, // each issues an instruction a cycle
};

// Times that differ by less are alike.
static const double step_of_times = 1.01;

SmbAdviseCompiled *
smb_advise_compiled_new(const char *text, gsize dynamic_bytes) {
  SmbAdviseCompiled *compiled = g_new0(SmbAdviseCompiled, 1);
  compiled->text = g_strdup(text);
  compiled->dynamic_bytes = dynamic_bytes;
  return compiled;
}

void
smb_advise_compiled_free(SmbAdviseCompiled *compiled) {
  if (!compiled)
    return;
  g_free(compiled->text);
  g_free(compiled->failure);
  g_free(compiled->command);
  smb_launch_time_free(compiled->time);
  g_clear_pointer(&compiled->own_machine, smb_target_free);
  g_free(compiled);
}

// Warps that are resident, by shared memory, threads and registers.
static guint
count_resident(const SmbTarget *target, const SmbArch *arch, guint registers,
               const SmbAnalysis *analysis) {
  const guint *block = target->launch.block;
  guint threads = block[0] * block[1] * block[2], warps = smb_arch_warps(arch, threads);
  SmbOccupancy occupancy = smb_occupancy(arch, threads, analysis->shared_bytes);
  guint of_warp =
      (registers * SMB_NVIDIA_LANES + WARP_REGISTERS - 1) / WARP_REGISTERS * WARP_REGISTERS;
  if (!occupancy.known || registers == 0)
    return 0;
  guint most = SM_REGISTERS / of_warp / PARTITIONS * PARTITIONS;
  return MIN(occupancy.blocks, most / MAX(warps, 1)) * warps;
}

// How long the launch takes; @like: (nullable): the kernel as it is.
static SmbLaunchTime *
predict_form(const SmbTarget *target, const SmbArch *arch, const SmbLaunchTime *like) {
  const guint *grid = target->launch.grid;
  if (!smb_program_is_machine_code(target->kernel) || (guint64)grid[0] * grid[1] * grid[2] == 1)
    return NULL;
  return like && like->time ? smb_launch_time_like(target, arch, like)
                            : smb_launch_time_total(target, arch, NULL);
}

static void
count_form(SmbAdviseCompiled *compiled, const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbTarget *target = compiled->machine;
  compiled->total = smb_analysis_total(analysis);
  compiled->sample = analysis->is_sampled ? analysis->n_blocks_run : 0;
  compiled->instructions = analysis->instructions;
  compiled->shared_bytes = analysis->shared_bytes;
  compiled->registers = smb_program_registers(target->kernel);
  compiled->warps = count_resident(target, arch, compiled->registers, analysis);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->site->op_class == SMB_OP_CLASS_LOAD)
      compiled->loads[smb_width_index(access->site->width)] += access->total.requests;
  }
}

SmbAdviseCompiled *
smb_advise_compiled_now(const SmbTarget *machine, const SmbArch *arch,
                        const SmbAnalysis *analysis) {
  SmbAdviseCompiled *now = smb_advise_compiled_new(NULL, machine->launch.dynamic_bytes);
  now->machine = machine;
  count_form(now, arch, analysis);
  now->time = predict_form(machine, arch, NULL);
  return now;
}

typedef struct {
  const SmbTarget *target;
  const SmbArch *arch;
  SmbAdviseCompiled *now;
  const GPtrArray *forms; // SmbAdviseCompiled
} Kernel;

static void
compile_form(gpointer user, guint item) {
  const Kernel *kernel = user;
  SmbAdviseCompiled *compiled = g_ptr_array_index(kernel->forms, item);
  g_autoptr(GError) error = NULL;
  SmbTarget *target = kernel->target->compiled
                          ? smb_target_with_text(kernel->target, compiled->text,
                                                 compiled->dynamic_bytes, kernel->arch, &error)
                          : smb_target_compile(kernel->target, compiled->text,
                                               compiled->dynamic_bytes, kernel->arch, &error);
  compiled->machine = compiled->own_machine = target;
  if (target) {
    compiled->command = g_strdup(target->compiled);
    target->options.progress = NULL;
  }
  g_autoptr(SmbAnalysis) analysis =
      target ? smb_target_analyze(target, kernel->arch, &error) : NULL;
  if (analysis)
    count_form(compiled, kernel->arch, analysis);
  else
    compiled->failure = smb_cli_error_text(error);
  if (analysis && smb_analyze_uncounted(analysis) > 0)
    compiled->failure = g_strdup("not all of its requests can be counted");
  if (analysis && compiled == kernel->now)
    compiled->time = predict_form(target, kernel->arch, NULL);
  smb_progress_add(kernel->target->options.progress, 1);
}

// Whether what a form takes leaves it a chance to be faster.
static gboolean
may_gain(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  return then->instructions == 0 || then->total.wavefronts < now->total.wavefronts ||
         then->instructions < now->instructions;
}

static void
time_form(gpointer user, guint item) {
  const Kernel *kernel = user;
  SmbAdviseCompiled *compiled = g_ptr_array_index(kernel->forms, item);
  if (compiled == kernel->now)
    return;
  if (!compiled->failure && may_gain(kernel->now, compiled))
    compiled->time = predict_form(compiled->machine, kernel->arch, kernel->now->time);
  if (compiled->time)
    compiled->time->target = NULL;
  compiled->machine = NULL;
  g_clear_pointer(&compiled->own_machine, smb_target_free);
  smb_progress_add(kernel->target->options.progress, 1);
}

void
smb_advise_compile(const SmbTarget *target, const SmbArch *arch, SmbAdviseCompiled *now,
                   const GPtrArray *forms) {
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  Kernel kernel = {target, arch, now, all};
  if (!now->machine && !now->failure)
    g_ptr_array_add(all, now);
  g_ptr_array_extend(all, (GPtrArray *)forms, NULL, NULL);
  smb_progress_begin(target->options.progress, "forms compiled", all->len);
  smb_parallel_run(all->len, MAX_COMPILERS, compile_form, &kernel);
  smb_progress_begin(target->options.progress, "forms timed", all->len);
  smb_parallel_run(all->len, MAX_COMPILERS, time_form, &kernel);
  smb_progress_begin(target->options.progress, NULL, 0);
}

static gboolean
knows_time(const SmbAdviseCompiled *compiled) {
  return compiled && !compiled->failure && compiled->time && compiled->time->time;
}

gboolean
smb_advise_compiled_has_times(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b) {
  return knows_time(a) && knows_time(b);
}

static int
compare_predictions(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b) {
  if (!smb_advise_compiled_has_times(a, b))
    return 0;
  double step = log(step_of_times);
  return smb_order((guint64)(log(a->time->time->cycles) / step),
                   (guint64)(log(b->time->time->cycles) / step));
}

int
smb_advise_compiled_order(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b) {
  gboolean knows_a = a && !a->failure, knows_b = b && !b->failure;
  if (!knows_a || !knows_b)
    return knows_b - knows_a;
  return compare_predictions(a, b)
             ?: smb_order(a->total.wavefronts, b->total.wavefronts)
             ?: smb_order(a->instructions, b->instructions)
             ?: smb_order(a->shared_bytes, b->shared_bytes);
}

gboolean
smb_advise_compiled_crowds(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  return then->warps > 0 && then->warps < ENOUGH_WARPS && 2 * then->warps <= now->warps;
}

// How much a form saves, in percent: of the time, or of the wavefronts.
static double
find_gain(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  if (smb_advise_compiled_has_times(now, then))
    return 100 - 100 * then->time->time->cycles / now->time->time->cycles;
  double saved = (double)now->total.wavefronts - (double)then->total.wavefronts;
  double added = (double)then->instructions - (double)now->instructions;
  return saved * SCHEDULERS > added ? 100 * saved / (double)MAX(1, now->total.wavefronts) : 0;
}

gboolean
smb_advise_compiled_is_slight(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  double gain = find_gain(now, then);
  return gain > 0 && gain < LEAST_GAIN;
}

gboolean
smb_advise_time_gains(double now, double then) {
  return 100 * (now - then) >= LEAST_GAIN * now;
}

gboolean
smb_advise_compiled_gains(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  return !then->failure && find_gain(now, then) >= LEAST_GAIN &&
         (smb_advise_compiled_has_times(now, then) || !smb_advise_compiled_crowds(now, then));
}

guint
smb_advise_compiled_lost_width(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  guint widest = SMB_N_WIDTHS;
  while (widest > 0 && now->loads[widest - 1] == 0)
    widest--;
  return widest > 0 && then->loads[widest - 1] < now->loads[widest - 1] ? smb_width(widest - 1) : 0;
}
