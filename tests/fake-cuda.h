// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A made-up GPU: what the GPU side needs of a machine, without one. Its memory is the host's, its
// compiler is the parser of the kernel language, and what it measures is what the model says: so all
// that measures can be tested anywhere, and with every fault (tests/fake-faults.def).
//
// It runs two sorts of kernels: the two of gpu/probe.cu, with an instruction of gpu/instructions.def; and
// kernels that the model evaluates, from buffers whose elements are their numbers. Not modelled: what
// a compiler merges, caches, and time, which is made up.
#pragma once

#include "gpu/cuda.h"

G_BEGIN_DECLS

/** Shared memory of a block of the made-up GPU, in bytes: that of sm_90. */
#define FAKE_SHARED_BYTES 232448

/** Its L2 cache, in bytes, and what a launch takes longer when that was overwritten, in microseconds. */
#define FAKE_L2_BYTES (1 << 20)
#define FAKE_COLD_US  1.5

/** Cycles that a clock reading lies above the model's, for each request: about what an H200 shows. */
#define FAKE_CLOCK_OFFSET 0.1

/**
 * fake_cuda_new:
 * @fault: "FAULT", "FAULT:ENTRY", "FAULT@LAUNCH" or "FAULT:ENTRY@LAUNCH": what is wrong; with the kernel
 *   ENTRY only; at that launch (of ENTRY), or that allocation, counted from 1. A fault of neither has
 *   neither.
 *
 * A process has one such machine, since the functions of SmbCuda have no argument for it: a new one
 * takes the place of the last. A device that is lost stays so for other processes if
 * $SMEMBANK_FAKE_LOST names a file: it is made when the device is lost.
 *
 * Returns: (transfer none) (nullable): the machine, or %NULL if there is no such fault
 */
const SmbCuda *fake_cuda_new(const char *fault);

/** fake_cuda_faults: Returns: (transfer full): the names of the faults, with ", " between them */
char *fake_cuda_faults(void);

/** How often the machine was asked to launch something. */
guint fake_cuda_launches(void);

/** Bytes of device memory that are allocated. */
gsize fake_cuda_allocated(void);

G_END_DECLS
