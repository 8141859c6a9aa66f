// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A text, run as a kernel, and what the tests want to know of that.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/machine/block.h"

// How a text is run; zeros stand for one block of one thread, sm_90 and the default limits.
typedef struct {
  const char *entry;
  const char *arch;
  const char *const *defines;
  const char *const *arguments;
  const char *const *buffers;
  guint block[3];
  guint grid[3];
  gsize dynamic_bytes;
  SmbProgramLimits limits;
  guint threads;
  gboolean forgets; // global memory is not kept, so that blocks may run in several threads
  gboolean keeps_requests;
  gboolean skips_unknown;
} KernelSetup;

typedef struct {
  SmbProgram *kernel;
  SmbGlobal *global;
  SmbAnalysis *analysis;
  GError *error; // then there is no analysis
} KernelRun;

// The architecture of that name: "wide" is sm_90 with warps of 64 lanes, made up; NULL is sm_90 (transfer full).
SmbArch *kernel_run_arch(const char *name);

void kernel_run(KernelRun *run, const char *name, const char *text, const KernelSetup *setup);
void kernel_run_clear(KernelRun *run);

// Elements of a parameter's buffer after the run: written, or as they were (element i reads as i).
void kernel_run_read(const KernelRun *run, const char *parameter, guint64 first, gpointer elements,
                     gsize n, gsize element_size);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(KernelRun, kernel_run_clear)
