// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Forms of a kernel through a compiler: what each costs as machine code, which is what runs. A compiler may merge accesses of
// one form that it cannot merge in another, so that what is best in the text need not be best.
#pragma once

#include "src/analysis/launch-time.h"
#include "src/compile/batch.h"

/**
 * SmbAdviseCompiled: a form of a kernel, compiled.
 * @text: (nullable): the form; %NULL: the kernel as it is
 * @dynamic_bytes: dynamic shared memory of its launch
 * @failure: (nullable): why nothing is known: what the compiler said, or why its code cannot be run
 * @command: (nullable): how it was compiled
 * @total: of all accesses to shared memory
 * @loads: requests of loads, by smb_width_index()
 * @sample: blocks that were taken for all (SmbAnalysis.is_sampled), or 0
 * @shares: (nullable) (element-type SmbShare): of the kernel as it is: the blocks that were run; %NULL: all
 * @instructions: that warps execute; 0 if it is not machine code (of chips before sm_75 PTX is counted)
 * @shared_bytes: of a block
 * @registers: of a thread; 0: not known
 * @warps: that are resident on a multiprocessor at most, by their registers, too; 0: not known
 * @time: (nullable): as of smb_advise_compiled_now(); %NULL, too, of a form that takes no fewer wavefronts and no fewer instructions than the
 *   kernel as it is
 * @least_cycles: the shortest time of the forms that it was compiled with; 0: it is none of these
 * @machine: (nullable): the machine code, of the kernel as it is
 * @own_machine: (nullable): the same, if it is released with this
 * @batch: (nullable): what it was compiled in, together with others; @form: which of them it is
 */
typedef struct {
  char *text;
  gsize dynamic_bytes;
  char *failure;
  char *command;
  SmbTally total;
  guint64 loads[SMB_N_WIDTHS];
  guint64 sample;
  GArray *shares;
  guint64 instructions;
  gsize shared_bytes;
  guint registers;
  guint warps;
  SmbLaunchTime *time;
  double least_cycles;
  const SmbTarget *machine;
  SmbTarget *own_machine;
  SmbBatch *batch;
  guint form;
} SmbAdviseCompiled;

/** smb_advise_compiled_new: Returns: (transfer full): a form that is to be compiled */
SmbAdviseCompiled *smb_advise_compiled_new(const char *text, gsize dynamic_bytes);
void smb_advise_compiled_free(SmbAdviseCompiled *compiled);

/**
 * smb_advise_compiled_now:
 * @machine: (transfer none): the kernel as it is, as machine code or PTX; must outlive the result, or be given to it (@own_machine)
 * @analysis: of it
 *
 * Its time is how long the launch takes, or why that is not known; %NULL: it is not machine code, or one block: that is what a launch is
 * whose grid nobody gave, and where its time goes is not where that of one that fills the device does.
 *
 * Returns: (transfer full): what it takes
 */
SmbAdviseCompiled *smb_advise_compiled_now(const SmbTarget *machine, const SmbArch *arch,
                                           const SmbAnalysis *analysis);

/**
 * smb_advise_compile:
 * @target: in the kernel language, or compiled from a file of CUDA C
 * @source: its text
 * @now: the kernel as it is; compiled as well if it was not yet
 * @forms: (element-type SmbAdviseCompiled): what was not compiled yet
 *
 * Compiles all forms, counts them, and predicts the times of those that may be better than @now. What fails says so in the form.
 *
 * Several forms are compiled by one call of the compiler (src/compile/batch.h), together with the text as it is. If that takes there what
 * @now takes, registers and instructions included, so do they; if not, each form is compiled alone, two at a time.
 */
void smb_advise_compile(const SmbTarget *target, const SmbArch *arch, const SmbSource *source,
                        SmbAdviseCompiled *now, const GPtrArray *forms);

/** smb_advise_compiled_has_times: @a, @b: (nullable). Returns: whether the times of both are predicted */
gboolean smb_advise_compiled_has_times(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b);

/**
 * smb_advise_compiled_order:
 * @a, @b: (nullable)
 *
 * Returns: below 0 if @a is better: less predicted time, by steps of 1 %, then fewer wavefronts, then fewer instructions, then less
 *   shared memory; above 0 if @b is. What is not known is the worst
 */
int smb_advise_compiled_order(const SmbAdviseCompiled *a, const SmbAdviseCompiled *b);

/** smb_advise_compiled_crowds: Returns: whether half of the resident warps, or fewer, remain in @then, and too few to wait for each other */
gboolean smb_advise_compiled_crowds(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then);

/** smb_advise_compiled_is_slight: Returns: whether @then gains, but less than how nvcc schedules the rest may cost */
gboolean smb_advise_compiled_is_slight(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then);

/** smb_advise_time_gains: Returns: whether so many cycles of a launch, @then, are few enough to recommend what makes them of @now */
gboolean smb_advise_time_gains(double now, double then);

/**
 * smb_advise_compiled_gains:
 *
 * By predicted times, if both are known: 3 % or more. Else by 3 % of the wavefronts, if these are more cycles than four schedulers need
 * to issue the instructions that @then has more, and if not smb_advise_compiled_crowds().
 *
 * Returns: whether @then is better than @now
 */
gboolean smb_advise_compiled_gains(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then);

/** smb_advise_compiled_lost_width: Returns: bytes of the widest loads of @now, if @then makes fewer of them; else 0 */
guint smb_advise_compiled_lost_width(const SmbAdviseCompiled *now, const SmbAdviseCompiled *then);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdviseCompiled, smb_advise_compiled_free)
