// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What CUPTI's two profilers share: the library, its results as errors, and what it tells of a device.
// The library stays open.
#pragma once

#include "gpu/symbols.h"

G_BEGIN_DECLS

/** A function of CUPTI: takes a pointer to its parameters and returns a CUptiResult. */
typedef int (*SmbCuptiFunction)(void *parameters);

/** SmbCupti: the functions that any profiler needs. */
typedef struct {
  gpointer handle;
  SmbCuptiFunction initialize, chip_name, counter_availability;
  int (*result_text)(int result, const char **text);
} SmbCupti;

/**
 * SmbCuptiInterface: the functions that one profiler needs beside.
 * @name: the interface: "Range Profiler"
 * @toolkit: which toolkit has it: "CUDA 12.6 or later has it"
 */
typedef struct {
  const char *name;
  const char *toolkit;
  const SmbSymbol *symbols;
  guint n_symbols;
} SmbCuptiInterface;

/**
 * smb_cupti_start:
 * @cupti: is filled in
 * @interface: what the profiler needs
 * @functions: is filled in with the symbols of @interface
 *
 * Opens CUPTI, finds the functions, and starts its profilers.
 */
gboolean smb_cupti_start(SmbCupti *cupti, const SmbCuptiInterface *interface, gpointer functions,
                         GError **error);

/**
 * smb_cupti_check:
 * @result: what a function of CUPTI returned
 * @what: what was tried: "end a pass"
 * @error: SMB_GPU_ERROR_COUNTERS
 *
 * Returns: whether the function succeeded
 */
gboolean smb_cupti_check(const SmbCupti *cupti, int result, const char *what, GError **error);

/** The name of a device's chip, such as "GH100" (transfer none); SMB_GPU_ERROR_COUNTERS. */
const char *smb_cupti_chip_name(const SmbCupti *cupti, int device, GError **error);

/**
 * Which counters the current context has, as an image that metrics are chosen by (transfer full);
 * SMB_GPU_ERROR_COUNTERS.
 */
guint8 *smb_cupti_availability(const SmbCupti *cupti, GError **error);

G_END_DECLS
