// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/compiled.h"

#include <math.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/occupancy.h"
#include "sim/base/order.h"
#include "sim/base/parallel.h"
#include "src/analysis/verdict.h"
#include "src/cli/hint.h"

enum {
  MAX_COMPILERS = 2,   // that run at once: each may take hundreds of megabytes
  FORMS_OF_BATCH = 32, // that are compiled by one call
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

// Times that differ from the shortest by less are alike: where DRAM or the second-level cache limits, the order in which loads come changes a
// prediction by as much.
static const double step_of_times = 1 + LEAST_GAIN / 100.0;

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
  g_clear_pointer(&compiled->shares, g_array_unref);
  smb_launch_time_free(compiled->time);
  g_clear_pointer(&compiled->own_machine, smb_target_free);
  g_clear_pointer(&compiled->batch, smb_batch_unref);
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
  return like && like->time ? smb_launch_time_like(target, arch, like, NULL)
                            : smb_launch_time_total(target, arch, NULL);
}

static void
count_form(SmbAdviseCompiled *compiled, const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbTarget *target = compiled->machine;
  compiled->total = smb_analysis_total(analysis);
  compiled->sample = analysis->is_sampled ? analysis->n_blocks_run : 0;
  if (analysis->shares)
    compiled->shares = g_array_ref(analysis->shares);
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

// A form that is to be compiled.
typedef struct {
  SmbAdviseCompiled *compiled;
  SmbBatch *batch; // together with these; NULL: alone
  guint form;      // which of these it is
} Job;

typedef struct {
  const SmbTarget *target;
  const SmbArch *arch;
  SmbAdviseCompiled *now;
  GArray *jobs;        // Job
  GPtrArray *batches;  // SmbBatch; its first form is the text as it is
  GPtrArray *controls; // SmbAdviseCompiled: what that takes, of each batch
} Kernel;

static void
kernel_clear(Kernel *kernel) {
  g_array_unref(kernel->jobs);
  g_ptr_array_unref(kernel->controls); // whose machine code may need the batches
  g_ptr_array_unref(kernel->batches);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kernel, kernel_clear)

static SmbTarget *
make_form(const Kernel *kernel, const Job *job, GError **error) {
  const SmbTarget *target = kernel->target;
  const SmbAdviseCompiled *compiled = job->compiled;
  if (job->batch)
    return smb_target_compile_form(target, job->batch, job->form, compiled->dynamic_bytes,
                                   kernel->arch, error);
  return (target->compiled ? smb_target_with_text : smb_target_compile)(
      target, compiled->text, compiled->dynamic_bytes, kernel->arch, error);
}

static void
compile_form(gpointer user, guint item) {
  const Kernel *kernel = user;
  const Job *job = &g_array_index(kernel->jobs, Job, item);
  SmbAdviseCompiled *compiled = job->compiled;
  g_autoptr(GError) error = NULL;
  SmbTarget *target = make_form(kernel, job, &error);
  compiled->machine = compiled->own_machine = target;
  if (target) {
    compiled->batch = smb_batch_ref(job->batch);
    compiled->form = job->form;
    compiled->command = g_strdup(target->compiled);
    target->options.progress = NULL;
  } else {
    compiled->failure = smb_cli_error_text(error);
  }
}

// Runs a form. Of one that is not the kernel as it is, those blocks that are run of that: where these stand for others, all blocks access the same
// elements of arrays, wherever a layout has them.
static void
run_compiled(const Kernel *kernel, SmbAdviseCompiled *compiled) {
  SmbTarget *target = compiled->own_machine;
  if (!target)
    return;
  if (compiled != kernel->now && !kernel->now->failure) {
    target->options.shares = kernel->now->shares;
    target->options.every_block = !kernel->now->shares;
  }
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, kernel->arch, &error);
  if (analysis)
    count_form(compiled, kernel->arch, analysis);
  else
    compiled->failure = smb_cli_error_text(error);
  if (analysis && smb_analyze_uncounted(analysis) > 0)
    compiled->failure = g_strdup("not all of its requests can be counted");
}

static void
count_job(gpointer user, guint item) {
  const Kernel *kernel = user;
  SmbAdviseCompiled *compiled = g_array_index(kernel->jobs, Job, item).compiled;
  if (compiled != kernel->now)
    run_compiled(kernel, compiled);
  else if (!compiled->failure)
    compiled->time = predict_form(compiled->machine, kernel->arch, NULL);
  smb_progress_add(kernel->target->options.progress, 1);
}

static void
compile_jobs(Kernel *kernel) {
  smb_progress_begin(kernel->target->options.progress, "forms compiled", kernel->jobs->len);
  smb_parallel_run(kernel->jobs->len, MAX_COMPILERS, compile_form, kernel);
  if (kernel->jobs->len > 0 && g_array_index(kernel->jobs, Job, 0).compiled == kernel->now)
    run_compiled(kernel, kernel->now);
  smb_parallel_run(kernel->jobs->len, MAX_COMPILERS, count_job, kernel);
}

static void
add_job(Kernel *kernel, SmbAdviseCompiled *compiled, SmbBatch *batch, guint form) {
  const Job job = {compiled, batch, form};
  g_array_append_val(kernel->jobs, job);
}

// The forms, divided into batches, each with the text as it is.
static void
add_batches(Kernel *kernel, const SmbSource *source, const GPtrArray *forms) {
  guint n = (forms->len + FORMS_OF_BATCH - 1) / FORMS_OF_BATCH;
  for (guint i = 0; i < n; i++) {
    SmbBatch *batch = smb_batch_new();
    SmbAdviseCompiled *control =
        smb_advise_compiled_new(NULL, kernel->target->launch.dynamic_bytes);
    g_ptr_array_add(kernel->batches, batch);
    g_ptr_array_add(kernel->controls, control);
    add_job(kernel, control, batch, smb_batch_add(batch, smb_source_text(source)));
  }
  for (guint i = 0; i < forms->len; i++) {
    SmbBatch *batch = g_ptr_array_index(kernel->batches, i % n);
    SmbAdviseCompiled *form = g_ptr_array_index(forms, i);
    add_job(kernel, form, batch, smb_batch_add(batch, form->text));
  }
}

static gboolean
take_same(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b) {
  return !a->failure && !b->failure && memcmp(&a->total, &b->total, sizeof a->total) == 0 &&
         memcmp(a->loads, b->loads, sizeof a->loads) == 0 && a->instructions == b->instructions &&
         a->registers == b->registers && a->shared_bytes == b->shared_bytes;
}

// What was found out of a form is forgotten.
static void
reset_form(SmbAdviseCompiled *form) {
  g_autofree char *text = g_steal_pointer(&form->text);
  gsize dynamic_bytes = form->dynamic_bytes;
  g_free(form->failure);
  g_free(form->command);
  g_clear_pointer(&form->own_machine, smb_target_free);
  g_clear_pointer(&form->batch, smb_batch_unref);
  g_clear_pointer(&form->shares, g_array_unref);
  *form = (SmbAdviseCompiled){.text = g_steal_pointer(&text), .dynamic_bytes = dynamic_bytes};
}

// Compiles alone what was not, or not as it would be alone, compiled together.
static void
compile_rest(Kernel *kernel) {
  guint n = 0;
  for (guint i = 0; i < kernel->jobs->len; i++) {
    Job job = g_array_index(kernel->jobs, Job, i);
    gint batch = -1;
    if (!job.batch || job.form == 0)
      continue;
    while (g_ptr_array_index(kernel->batches, ++batch) != job.batch)
      ;
    if (take_same(g_ptr_array_index(kernel->controls, batch), kernel->now) &&
        job.compiled->own_machine)
      continue; // if it cannot be run, it could not alone
    reset_form(job.compiled);
    job.batch = NULL;
    g_array_index(kernel->jobs, Job, n++) = job;
  }
  g_array_set_size(kernel->jobs, n);
  compile_jobs(kernel);
}

// Whether what a form takes leaves it a chance to be faster.
static gboolean
may_gain(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  return then->instructions == 0 || then->total.wavefronts < now->total.wavefronts ||
         then->instructions < now->instructions;
}

typedef struct {
  const Kernel *kernel;
  const GPtrArray *forms; // SmbAdviseCompiled
} Timed;

static void
time_form(gpointer user, guint item) {
  const Timed *timed = user;
  const Kernel *kernel = timed->kernel;
  SmbAdviseCompiled *compiled = g_ptr_array_index(timed->forms, item);
  if (!compiled->failure && may_gain(kernel->now, compiled))
    compiled->time = predict_form(compiled->machine, kernel->arch, kernel->now->time);
  if (compiled->time)
    compiled->time->target = NULL;
  compiled->machine = NULL;
  g_clear_pointer(&compiled->own_machine, smb_target_free);
  smb_progress_add(kernel->target->options.progress, 1);
}

// The shortest time of all forms, with which theirs are compared.
static void
note_least(const GPtrArray *forms) {
  double least = G_MAXDOUBLE;
  for (guint i = 0; i < forms->len; i++) {
    const SmbAdviseCompiled *form = g_ptr_array_index(forms, i);
    if (form->time && form->time->time)
      least = MIN(least, form->time->time->cycles);
  }
  for (guint i = 0; i < forms->len; i++)
    ((SmbAdviseCompiled *)g_ptr_array_index(forms, i))->least_cycles = least;
}

void
smb_advise_compile(const SmbTarget *target, const SmbArch *arch, const SmbSource *source,
                   SmbAdviseCompiled *now, const GPtrArray *forms) {
  g_auto(Kernel) kernel = {
      .target = target,
      .arch = arch,
      .now = now,
      .jobs = g_array_new(FALSE, FALSE, sizeof(Job)),
      .batches = g_ptr_array_new_with_free_func((GDestroyNotify)smb_batch_unref),
      .controls = g_ptr_array_new_with_free_func((GDestroyNotify)smb_advise_compiled_free)};
  if (!now->machine && !now->failure)
    add_job(&kernel, now, NULL, 0);
  if (forms->len > 1)
    add_batches(&kernel, source, forms);
  else if (forms->len > 0)
    add_job(&kernel, g_ptr_array_index(forms, 0), NULL, 0);
  compile_jobs(&kernel);
  if (forms->len > 1)
    compile_rest(&kernel);
  Timed timed = {&kernel, forms};
  smb_progress_begin(target->options.progress, "forms timed", forms->len);
  smb_parallel_run(forms->len, MAX_COMPILERS, time_form, &timed);
  smb_progress_begin(target->options.progress, NULL, 0);
  note_least(forms);
}

static gboolean
knows_time(const SmbAdviseCompiled *compiled) {
  return compiled && !compiled->failure && compiled->time && compiled->time->time;
}

gboolean
smb_advise_compiled_has_times(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b) {
  return knows_time(a) && knows_time(b);
}

static double
find_least(const SmbAdviseCompiled *compiled) {
  double cycles = compiled->time->time->cycles;
  return compiled->least_cycles > 0 ? MIN(cycles, compiled->least_cycles) : cycles;
}

static int
compare_predictions(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b) {
  if (!smb_advise_compiled_has_times(a, b))
    return 0;
  double step = log(step_of_times), least = MIN(find_least(a), find_least(b));
  return smb_order((guint64)(log(a->time->time->cycles / least) / step),
                   (guint64)(log(b->time->time->cycles / least) / step));
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
