// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One image of machine code (a cubin: an ELF file of machine 190): its functions, what their kernels are launched with,
// symbols, relocations, and the sections that hold constants and variables. No instruction is looked at.
//
// Nothing of the format is published. What is read was found by compiling kernels with known parameters and limits for
// all architectures from sm_75 to sm_120, with the toolkits 12 and 13.
#pragma once

#include <glib.h>

#include "sim/base/source.h"

G_BEGIN_DECLS

/**
 * SmbCubinSection:
 * @name: ".nv.constant3"
 * @data: (nullable): its bytes; %NULL if it has none in the file, and is zeros
 * @bytes: its size
 */
typedef struct {
  const char *name;
  const guint8 *data;
  gsize bytes;
} SmbCubinSection;

typedef enum {
  SMB_CUBIN_NONE, // without a type, or a file's or section's name
  SMB_CUBIN_FUNCTION,
  SMB_CUBIN_VARIABLE,
  SMB_CUBIN_TEXTURE, // references: what PTX declares as .texref and .surfref
  SMB_CUBIN_SURFACE,
} SmbCubinSymbolKind;

/**
 * SmbCubinSymbol:
 * @section: index in SmbCubin.sections; 0: it is defined elsewhere
 * @value: byte offset in its section
 */
typedef struct {
  const char *name;
  SmbCubinSymbolKind kind;
  guint section;
  guint64 value;
  guint64 bytes;
} SmbCubinSymbol;

enum {
  SMB_CUBIN_RELOCATE_64 = 2,         // 8 bytes: the symbol's address
  SMB_CUBIN_RELOCATE_GENERIC_64 = 4, // the same, as a generic address
  // behind the parameters of a kernel, 4 bytes: the number of a texture or surface
  SMB_CUBIN_RELOCATE_TEXTURE = 6,
  SMB_CUBIN_RELOCATE_SURFACE = 52,
  // in code: of the instruction's immediate of 32 bits
  SMB_CUBIN_RELOCATE_LOW_32 = 56,
  SMB_CUBIN_RELOCATE_HIGH_32 = 57,
  SMB_CUBIN_RELOCATE_CALL = 58,    // the target of CALL.ABS, before sm_90
  SMB_CUBIN_RELOCATE_CALL_90 = 75, // and since then
  // What names a kernel that code launches: in a variable, and its two halves in code
  SMB_CUBIN_RELOCATE_LAUNCH_64 = 35,
  SMB_CUBIN_RELOCATE_LAUNCH_LOW_32 = 62,
  SMB_CUBIN_RELOCATE_LAUNCH_HIGH_32 = 63,
};

/**
 * SmbCubinRelocation: what is to be put into a section once addresses are known. A linked cubin has them in the
 *   constants that hold addresses (.nv.constant4), in variables, and in code that was compiled for debuggers (nvcc -G)
 *   or in several pieces (-rdc=true).
 * @section: the index of the section that is changed
 * @offset: a byte offset in it
 * @type: SMB_CUBIN_RELOCATE_64 and so on, or another one, of cubins that are not linked
 * @symbol: index in SmbCubin.symbols
 * @addend: to the symbol's address
 */
typedef struct {
  guint section;
  guint64 offset;
  guint type;
  guint symbol;
  gint64 addend;
} SmbCubinRelocation;

/** SmbCubinParameter: @offset: in bytes behind SmbCubinFunction.parameter_base */
typedef struct {
  guint offset;
  guint bytes;
} SmbCubinParameter;

/**
 * SmbCubinFunction:
 * @name: as in the file, mangled
 * @section: index of the section that it lies in, its own or that of a kernel which it was made for
 * @offset: where it begins there, in bytes
 * @code: its instructions
 * @bytes: their size, a multiple of 16
 * @is_kernel: whether it can be launched. What follows is 0 of other functions, but for @registers and @local_bytes
 * @registers: of a thread
 * @local_bytes: of a thread, its own frame
 * @shared_bytes: static shared memory, with @reserved_shared
 * @reserved_shared: what the system has of it, from its start: 1024 bytes since sm_90
 * @max_threads: of a block; 0: it does not say
 * @required: the block that it must be launched with; zeros: it does not say
 * @cluster: blocks of a cluster; zeros: it does not say
 * @parameter_base: byte offset of its parameters in constant bank 0
 * @parameter_bytes: of all of them
 * @parameters: (element-type SmbCubinParameter): in their order
 * @constants: index of the section of its constant bank 0; 0: it has none
 */
typedef struct {
  const char *name;
  guint section;
  guint offset;
  const guint8 *code;
  guint bytes;
  gboolean is_kernel;
  guint registers;
  guint local_bytes;
  guint shared_bytes;
  guint reserved_shared;
  guint64 max_threads;
  guint required[3];
  guint cluster[3];
  guint parameter_base;
  guint parameter_bytes;
  GArray *parameters;
  guint constants;
} SmbCubinFunction;

/**
 * SmbCubin:
 * @name: what messages call it
 * @chip: 90 of sm_90a
 * @target: "sm_90a"; "sm_90" if the file does not say what it was compiled for but by its chip
 * @is_linked: %FALSE: what "nvcc -rdc=true" makes
 * @sections: (element-type SmbCubinSection): as in the file; the first is none
 * @symbols: (element-type SmbCubinSymbol): as in the file; the first is none
 * @relocations: (element-type SmbCubinRelocation): in the order of the file, without those of debugging sections
 * @line_relocations: (element-type SmbCubinRelocation): those of the line table (.debug_line)
 * @functions: (element-type SmbCubinFunction): in the order of the symbols
 * @bytes: the file, which data and code are parts of
 */
typedef struct {
  char *name;
  guint chip;
  char *target;
  gboolean is_linked;
  GArray *sections;
  GArray *symbols;
  GArray *relocations;
  GArray *line_relocations;
  GPtrArray *functions;
  GBytes *bytes;
  GStringChunk *strings;
} SmbCubin;

/** Whether a file begins as a cubin does. */
gboolean smb_cubin_recognize(GBytes *bytes);

/**
 * smb_cubin_read:
 * @bytes: (transfer none): the file; sizes, offsets and indices in it are checked
 * @name: what messages call it
 * @error: SMB_ERROR_INPUT: "NAME: …", with the section that is wrong
 *
 * Returns: (transfer full): what it holds; constant from then on, for any thread
 */
SmbCubin *smb_cubin_read(GBytes *bytes, const char *name, GError **error);
void smb_cubin_free(SmbCubin *cubin);

/**
 * smb_cubin_of:
 * @source: an object file
 * @name: (nullable): what messages call it; %NULL: as @source is called
 * @error: as smb_cubin_read()
 *
 * A file is read once, whoever asks.
 *
 * Returns: (transfer none) (nullable): what it holds; lives as long as @source
 */
const SmbCubin *smb_cubin_of(SmbSource *source, const char *name, GError **error);

/** smb_cubin_share: @name: what messages call it. Returns: (transfer full): the same for somebody who adds texts to
 * SmbCubin.strings; @cubin must outlive it */
SmbCubin *smb_cubin_share(const SmbCubin *cubin, const char *name);

/** The first section of that name (transfer none) (nullable). */
const SmbCubinSection *smb_cubin_section(const SmbCubin *cubin, const char *name);

/** The function of that name (transfer none) (nullable). */
const SmbCubinFunction *smb_cubin_function(const SmbCubin *cubin, const char *name);

/** smb_cubin_function_address: Returns: what a pointer to a function is, in all kernels of the module that is run; 0: there is no
 * function of that name */
guint64 smb_cubin_function_address(const SmbCubin *cubin, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCubin, smb_cubin_free)

G_END_DECLS
