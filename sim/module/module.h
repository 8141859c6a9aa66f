// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A module as a driver loads it: of a bundle of device code the image that runs on a chip, with its kernels and variables.
// Where there is no machine code for it, PTX is run as it is: of a kernel no registers are known then.
#pragma once

#include <glib.h>

#include "sim/base/source.h"

G_BEGIN_DECLS

/** SmbModuleParameter: where a parameter lies, in bytes from the first one. */
typedef struct {
  guint64 offset;
  guint64 bytes;
} SmbModuleParameter;

/**
 * SmbModuleKernel:
 * @symbol: its mangled name
 * @address: what a pointer to it is in its code
 * @registers: of a thread
 * @local_bytes: of a thread
 * @shared_bytes: static shared memory that the kernel declares, without the part that the system reserves
 * @max_threads: of a block; 0: it does not say
 * @names_references: whether its code names textures or surfaces
 * @cluster: blocks of the cluster that it requires (__cluster_dims__); zeros: none
 * @parameter_bytes: of all parameters
 * @parameters: (element-type SmbModuleParameter): in their order
 */
typedef struct {
  char *symbol;
  guint64 address;
  guint registers;
  guint local_bytes;
  guint shared_bytes;
  guint64 max_threads;
  gboolean names_references;
  guint cluster[3];
  guint parameter_bytes;
  GArray *parameters;
} SmbModuleKernel;

/**
 * SmbModulePointer: the address of a variable in what another one holds at first.
 * @offset: where it is put, 8 bytes
 * @variable: whose address, by its index in SmbModule.variables
 * @addend: is added to it
 */
typedef struct {
  guint64 offset;
  guint variable;
  guint64 addend;
} SmbModulePointer;

/**
 * SmbModuleVariable: a variable in global or constant memory.
 * @initial: (nullable) (array length=bytes): what it holds when the module is loaded; %NULL: zeros
 * @pointers: (element-type SmbModulePointer): what has to be put into that
 */
typedef struct {
  char *name;
  guint64 bytes;
  gboolean is_constant;
  guint8 *initial;
  GArray *pointers;
} SmbModuleVariable;

/** SmbModuleReference: a texture or surface that code names: what the program binds to it is there when a kernel is launched. */
typedef struct {
  char *name;
  gboolean is_surface;
} SmbModuleReference;

/**
 * SmbModule:
 * @image: the cubin, or the PTX
 * @code: the same, as programs are read from it
 * @is_ptx: whether the image is PTX
 * @chip: that the image is for: 90 of sm_90a
 * @kernels: (element-type SmbModuleKernel)
 * @variables: (element-type SmbModuleVariable)
 * @references: (element-type SmbModuleReference)
 * @allocates: whether its code calls malloc, or cudaMalloc on the device, and so needs a heap
 */
typedef struct {
  GBytes *image;
  SmbSource *code;
  gboolean is_ptx;
  guint chip;
  GPtrArray *kernels;
  GArray *variables;
  GArray *references;
  gboolean allocates;
} SmbModule;

/**
 * smb_module_new:
 * @file: (transfer none): a fatbin, or a cubin
 * @name: of the program that has it, for messages
 * @chip: the architecture that is to run it: 90 of sm_90
 * @error: SMB_ERROR_INPUT: it is damaged, or has no machine code
 *
 * Takes the machine code that a driver would take on that chip, or the PTX that it would compile (also of a bundle that has both, if that is
 * run as it is: smb_direct_ptx_is()); if there is neither, the latest
 * machine code.
 *
 * Returns: (transfer full)
 */
SmbModule *smb_module_new(GBytes *file, const char *name, guint chip, GError **error);
void smb_module_free(SmbModule *module);

/** smb_module_kernel: Returns: (transfer none) (nullable): the kernel of that symbol */
const SmbModuleKernel *smb_module_kernel(const SmbModule *module, const char *symbol);

/** smb_module_kernel_at: Returns: (transfer none) (nullable): the kernel of that address */
const SmbModuleKernel *smb_module_kernel_at(const SmbModule *module, guint64 address);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbModule, smb_module_free)

G_END_DECLS
