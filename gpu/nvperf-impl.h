// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Shared by gpu/nvperf.c and gpu/nvperf-library.c alone: the library and its functions.
#pragma once

#include "gpu/nvperf-abi.h"
#include "gpu/nvperf.h"

/** A function of the library: takes a pointer to its parameters and returns an NVPA_Status. */
typedef int (*NvperfFunction)(void *parameters);

typedef struct {
  NvperfFunction initialize;
  NvperfFunction scratch_size, evaluator_initialize, evaluator_destroy;
  NvperfFunction convert_name, raw_dependencies, set_device_attributes, evaluate;
  NvperfFunction config_create, config_destroy, config_set_availability;
  NvperfFunction config_begin_group, config_add, config_end_group, config_generate, config_image;
  NvperfFunction builder_create, builder_destroy, builder_add, builder_prefix;
} NvperfLibrary;

/** Opens the library beside @cupti (nullable), or by its name, and starts it. */
gboolean smb_nvperf_open(NvperfLibrary *library, gpointer cupti, GError **error);

/** Turns a status into an error that says what was tried. Returns: whether it is a success. */
gboolean smb_nvperf_check(int status, const char *what, GError **error);
