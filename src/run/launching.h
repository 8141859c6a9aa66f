// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch of a process, with all that its kernels launch, from its request to its answer. It stops where its threads wait for what only
// somebody else can write, and is continued when that may have happened.
#pragma once

#include "gpu/inject/payload.h"
#include "sim/capture/launch.h"
#include "src/run/coroutine.h"
#include "src/run/engine.h"
#include "src/run/running.h"

/**
 * SmbRunProcess: a process of the program
 * @fd: the connection
 * @engine: (nullable): once it said hello
 * @idle: (nullable): what a launch ran in that has ended, for the next one
 */
typedef struct {
  int fd;
  SmbRunning *running;
  SmbEngine *engine;
  SmbCoroutine *idle;
} SmbRunProcess;

typedef struct _SmbLaunching SmbLaunching;

/**
 * smb_launching_new:
 * @process: (transfer none): outlives it
 * @module: the number of one that is loaded
 * @launch: (transfer full)
 * @may_stop: whether the process goes on while the launch waits; else a wait for what no thread writes ends it
 * @overlaps: it may begin before the launch before it has ended
 *
 * Returns: (transfer full): one that has not begun
 */
SmbLaunching *smb_launching_new(SmbRunProcess *process, guint64 module, SmbCaptureLaunch *launch,
                                gboolean may_stop, gboolean overlaps);

/** smb_launching_free: @launching: (transfer full) (nullable): it has ended, or not begun */
void smb_launching_free(SmbLaunching *launching);

/**
 * smb_launching_go: Begins, or continues.
 * @nobody: nobody will write what it waits for: it ends
 *
 * Returns: whether it has ended
 */
gboolean smb_launching_go(SmbLaunching *launching, gboolean nobody);

/** smb_launching_has_ended: Returns: whether it has */
gboolean smb_launching_has_ended(const SmbLaunching *launching);

/** smb_launching_moved: Returns: whether one that has stopped has changed memory since it stopped before */
gboolean smb_launching_moved(const SmbLaunching *launching);

/** smb_launching_module: Returns: the number of its module */
guint64 smb_launching_module(const SmbLaunching *launching);

/** smb_launching_answer: adds what the process is told of one that has ended: status, message, output, complaints */
void smb_launching_answer(const SmbLaunching *launching, SmbPayload *answer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLaunching, smb_launching_free)
