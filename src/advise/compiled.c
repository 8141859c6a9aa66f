// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/compiled.h"

#include "sim/arch/arch.h"
#include "sim/base/order.h"
#include "src/analyze/report.h"
#include "src/compile/compile.h"
#include "src/compile/read.h"

enum {
  MAX_COMPILERS = 2, // that run at once: each may take hundreds of megabytes
  SCHEDULERS = 4,    // of a multiprocessor; each issues an instruction a cycle
  // Percent of the wavefronts that a form has to save: on an H200, one with 2 % fewer and 1 % fewer instructions took 2 %
  // longer (doc/compiled.md, "flat"), for nvcc scheduled the rest otherwise.
  LEAST_GAIN = 3,
};

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
  g_free(compiled);
}

static gboolean
is_compilable(const SmbTarget *target, const SmbArch *arch) {
  return !target->shape && !target->tile && !target->compiled && smb_compile_is_for(arch) &&
         g_strcmp0(smb_program_level(target->kernel), "text") == 0;
}

gboolean
smb_advise_can_compile(const SmbTarget *target, const SmbArch *arch) {
  g_autofree char *nvcc = is_compilable(target, arch) ? smb_compile_find_nvcc() : NULL;
  return nvcc != NULL;
}

gboolean
smb_advise_lacks_compiler(const SmbTarget *target, const SmbArch *arch) {
  return is_compilable(target, arch) && !smb_advise_can_compile(target, arch);
}

void
smb_advise_compiled_count(SmbAdviseCompiled *compiled, const SmbAnalysis *analysis) {
  compiled->total = smb_analysis_total(analysis);
  compiled->instructions = analysis->instructions;
  compiled->shared_bytes = analysis->shared_bytes;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->site->op_class == SMB_OP_CLASS_LOAD)
      compiled->loads[smb_width_index(access->site->width)] += access->total.requests;
  }
}

typedef struct {
  const SmbTarget *target;
  const SmbArch *arch;
} Kernel;

static void
compile_form(gpointer data, gpointer user) {
  SmbAdviseCompiled *compiled = data;
  const Kernel *kernel = user;
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbTarget) target =
      kernel->target->compiled ? smb_target_with_text(kernel->target, compiled->text,
                                                      compiled->dynamic_bytes, kernel->arch, &error)
                               : smb_target_compile(kernel->target, compiled->text,
                                                    compiled->dynamic_bytes, kernel->arch, &error);
  if (target) {
    compiled->command = g_strdup(target->compiled);
    target->options.progress = NULL;
  }
  g_autoptr(SmbAnalysis) analysis =
      target ? smb_target_analyze(target, kernel->arch, &error) : NULL;
  if (analysis)
    smb_advise_compiled_count(compiled, analysis);
  else
    compiled->failure = g_strdup(error->message);
  if (analysis && smb_analyze_uncounted(analysis) > 0)
    compiled->failure = g_strdup("not all of its requests can be counted");
  smb_progress_add(kernel->target->options.progress, 1);
}

void
smb_advise_compile(const SmbTarget *target, const SmbArch *arch, const GPtrArray *forms) {
  Kernel kernel = {target, arch};
  smb_progress_begin(target->options.progress, "forms compiled", forms->len);
  GThreadPool *pool = g_thread_pool_new(compile_form, &kernel, MAX_COMPILERS, FALSE, NULL);
  for (guint i = 0; i < forms->len; i++)
    g_thread_pool_push(pool, g_ptr_array_index(forms, i), NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  smb_progress_begin(target->options.progress, NULL, 0);
}

int
smb_advise_compiled_order(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b) {
  gboolean knows_a = a && !a->failure, knows_b = b && !b->failure;
  if (!knows_a || !knows_b)
    return knows_b - knows_a;
  return smb_order(a->total.wavefronts, b->total.wavefronts)
             ?: smb_order(a->instructions, b->instructions)
             ?: smb_order(a->shared_bytes, b->shared_bytes);
}

guint64
smb_advise_compiled_bound(const SmbAdviseCompiled *compiled) {
  return MAX(compiled->total.wavefronts, compiled->instructions / SCHEDULERS);
}

gboolean
smb_advise_compiled_is_slight(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  guint64 before = now->total.wavefronts, after = then->total.wavefronts;
  return after < before && (before - after) * 100 < before * LEAST_GAIN;
}

gboolean
smb_advise_compiled_gains(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  return smb_advise_compiled_order(then, now) < 0 && !smb_advise_compiled_is_slight(now, then) &&
         smb_advise_compiled_bound(then) <= smb_advise_compiled_bound(now);
}

guint
smb_advise_compiled_lost_width(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then) {
  guint widest = SMB_N_WIDTHS;
  while (widest > 0 && now->loads[widest - 1] == 0)
    widest--;
  return widest > 0 && then->loads[widest - 1] < now->loads[widest - 1] ? smb_width(widest - 1) : 0;
}
