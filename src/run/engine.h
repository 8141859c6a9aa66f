// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Runs the kernels of a process for their results, on its memory, which is mapped here, and counts them in the same run.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/capture/launch.h"
#include "sim/check/defect.h"
#include "sim/machine/device/runtime.h"
#include "sim/module/module.h"
#include "src/run/prediction.h"

typedef struct _SmbEngine SmbEngine;

/**
 * SmbEngineMemory: the memory of a process, as it said it.
 * @pid, @fd: the process, and the descriptor of its memory there
 * @base, @bytes: where that is mapped in the process
 */
typedef struct {
  guint64 pid;
  guint64 fd;
  guint64 base;
  guint64 bytes;
} SmbEngineMemory;

/**
 * smb_engine_share: Memory of another process lies in that of the engine's from now on, or its own again: whole pages.
 * @place, @bytes: where
 * @pid, @fd, @from: the process, its descriptor of its memory, and where in that
 *
 * Returns: whether it is there
 */
gboolean smb_engine_share(SmbEngine *engine, guint64 place, guint64 pid, guint64 fd, guint64 from,
                          guint64 bytes);

/**
 * smb_engine_new:
 * @arch: (nullable) (transfer none): what kernels are counted for; %NULL: that of the code
 * @error: a file error
 *
 * Returns: (transfer full): no modules are loaded
 */
SmbEngine *smb_engine_new(const SmbEngineMemory *memory, const SmbArch *arch, GError **error);
void smb_engine_free(SmbEngine *engine);

/**
 * smb_engine_set_written:
 * @fd: the descriptor in the process of a file with a bit for each byte of the memory: whether anything was written there
 * @error: a file error
 */
gboolean smb_engine_set_written(SmbEngine *engine, guint64 pid, guint64 fd, GError **error);

/**
 * smb_engine_load:
 * @number: what the process calls the module
 * @chip: that is to run it
 * @error: as smb_module_new()
 *
 * Returns: (transfer none): the module
 */
const SmbModule *smb_engine_load(SmbEngine *engine, guint64 number, GBytes *file, guint chip,
                                 GError **error);
const SmbModule *smb_engine_module(const SmbEngine *engine, guint64 number);

/** smb_engine_unload: Forgets a module, and what was decoded of it. */
void smb_engine_unload(SmbEngine *engine, guint64 number);

/**
 * smb_engine_add_moved:
 * @address, @bytes: memory of the process outside of the range
 * @place: where in the range it was moved to
 */
void smb_engine_add_moved(SmbEngine *engine, guint64 address, guint64 place, guint64 bytes);
void smb_engine_clear_moved(SmbEngine *engine);

/** smb_engine_memory: Returns: (transfer none) (nullable): the memory of the process at an address, if all @bytes are in its range, or moved there */
guchar *smb_engine_memory(const SmbEngine *engine, guint64 address, guint64 bytes);

/**
 * SmbEngineOptions:
 * @counts: whether its requests are counted
 * @checks: whether what it does wrong is looked for
 * @overlaps: with it: whether the launch may begin before the one that was run before has ended
 * @skips_unknown: whether what is not known ends the launch only if nothing else is possible
 * @threads: SmbAnalysisOptions.threads
 * @is_cancelled: (nullable): SmbAnalysisOptions.is_cancelled, with @user
 * @outsider: (nullable): SmbOutsider, with @outsider_user; of launches that smb_engine_may_wait()
 * @progress: (nullable)
 * @predictions: (nullable): how long the launch takes is predicted when it has run, on the memory that it found; with @counts
 */
typedef struct {
  gboolean counts;
  gboolean checks;
  gboolean overlaps;
  gboolean skips_unknown;
  guint threads;
  gboolean (*is_cancelled)(gpointer user);
  gpointer user;
  SmbOutsider outsider;
  gpointer outsider_user;
  SmbProgress *progress;
  SmbPredictions *predictions;
} SmbEngineOptions;

/**
 * SmbEngineRun: what a kernel did.
 * @program, @arch: (nullable) (transfer none): what was run, once it was decoded, and on which architecture
 * @analysis: (nullable): what was counted
 * @n_unknown: bytes that it wrote of which the value is not known: what is in memory there is not what a device would leave
 * @is_blurred: it wrote where it is not known
 * @runtime: (nullable): what it printed, and its fault
 * @defects: (nullable): what it did wrong, if that was looked for
 * @work: (nullable) (element-type SmbWork): what it has asked the device runtime for
 * @prediction: (nullable) (transfer none): how long it takes, if that was predicted; belongs to SmbEngineOptions.predictions
 */
typedef struct {
  const SmbProgram *program;
  const SmbArch *arch;
  SmbAnalysis *analysis;
  guint64 n_unknown;
  gboolean is_blurred;
  SmbRuntime *runtime;
  SmbDefects *defects;
  GArray *work;
  const SmbPrediction *prediction;
} SmbEngineRun;

/** smb_engine_forget_trail: No launch that follows may begin before those so far have ended. */
void smb_engine_forget_trail(SmbEngine *engine);

/** smb_engine_set_graph: Which graph of the process the launches that follow are part of (smb_runtime_set_graph()). */
void smb_engine_set_graph(SmbEngine *engine, guint64 graph);

/**
 * smb_engine_set_heap: The memory of the process that kernels allocate of; only the first one counts.
 */
void smb_engine_set_heap(SmbEngine *engine, guint64 address, guint64 bytes);

/** smb_engine_heap: Returns: (transfer none) (nullable) */
SmbHeap *smb_engine_heap(const SmbEngine *engine);

/** smb_engine_set_ask: Who answers what kernels ask of their process, from now on. %NULL: nobody */
void smb_engine_set_ask(SmbEngine *engine, SmbAsk ask, gpointer user);

/** smb_engine_note_written: Something was written to memory that smb_engine_memory() has found. */
void smb_engine_note_written(SmbEngine *engine, const guchar *memory, guint64 bytes);

/**
 * smb_engine_add_texture: A texture or surface of the process, for the launches that follow; smb_engine_clear_textures(): none.
 * @bytes: an SmbTexture
 *
 * Returns: whether it is one
 */
gboolean smb_engine_add_texture(SmbEngine *engine, const guchar *bytes, gsize length);

/** smb_engine_add_reference: What code names so is a texture or surface of that number; as long as textures are there. */
void smb_engine_add_reference(SmbEngine *engine, const char *name, guint64 number);
void smb_engine_clear_textures(SmbEngine *engine);

/** smb_engine_may_wait: Returns: whether a launch may wait for what somebody else writes: FALSE also if it cannot be run */
gboolean smb_engine_may_wait(SmbEngine *engine, guint64 module, const SmbCaptureLaunch *launch);

/**
 * smb_engine_run:
 * @launch: what is launched; of its memory and variables only where they lie
 * @run: (out caller-allocates): what is to be said of it; smb_engine_run_clear()
 * @error: the kernel could not be run, or not to its end
 *
 * Runs a launch. What it has written is in the memory of the process then.
 */
gboolean smb_engine_run(SmbEngine *engine, guint64 module, const SmbCaptureLaunch *launch,
                        const SmbEngineOptions *options, SmbEngineRun *run, GError **error);
void smb_engine_run_clear(SmbEngineRun *run);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbEngineRun, smb_engine_run_clear)
