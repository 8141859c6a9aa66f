// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Runs the kernels of a process for their results: on its memory, which is mapped here, every block one after another.
#pragma once

#include "sim/arch/arch.h"
#include "sim/capture/launch.h"
#include "sim/machine/runtime.h"
#include "sim/module/module.h"

typedef struct _SmbEngine SmbEngine;

/**
 * smb_engine_new:
 * @pid, @fd: the process, and the descriptor of its memory there
 * @base, @bytes: where that is mapped in the process
 * @error: a file error
 *
 * Returns: (transfer full): no modules are loaded
 */
SmbEngine *smb_engine_new(guint64 pid, guint64 fd, guint64 base, guint64 bytes, GError **error);
void smb_engine_free(SmbEngine *engine);

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

/** smb_engine_memory: Returns: (transfer none) (nullable): the memory of the process at an address, if all @bytes are in its range */
guchar *smb_engine_memory(const SmbEngine *engine, guint64 address, guint64 bytes);

/**
 * SmbEngineRun: what a kernel did that is to be said.
 * @n_unknown: bytes that it wrote of which the value is not known: what is in memory there is not what a device would leave
 * @runtime: (nullable): what it printed, and its fault
 */
typedef struct {
  guint64 n_unknown;
  SmbRuntime *runtime;
} SmbEngineRun;

void smb_engine_run_clear(SmbEngineRun *run);

/**
 * smb_engine_set_heap: The memory of the process that kernels allocate of; only the first one counts.
 */
void smb_engine_set_heap(SmbEngine *engine, guint64 address, guint64 bytes);

/**
 * smb_engine_run:
 * @launch: what is launched; of its memory and variables only where they lie
 * @run: (out caller-allocates): what is to be said of it; smb_engine_run_clear()
 * @error: the kernel could not be run, or not to its end
 *
 * Runs a launch. What it has written is in the memory of the process then.
 */
gboolean smb_engine_run(SmbEngine *engine, guint64 module, const SmbCaptureLaunch *launch,
                        SmbEngineRun *run, GError **error);
