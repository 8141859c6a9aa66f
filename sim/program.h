// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernel language: a subset of CUDA C, read and evaluated without a compiler or a GPU
// (doc/kernel-language.md has the grammar). A kernel is parsed once and run block by block; every
// access to shared and global memory is reported to a sink. Not modelled: what a compiler merges,
// removes or keeps in registers; time; caches.
#pragma once

#include <glib.h>

#include "sim/arch.h"
#include "sim/request.h"
#include "sim/source.h"

G_BEGIN_DECLS

/**
 * SmbProgramLimits: what a kernel may use before it is refused; 0 stands for the default.
 * @max_tokens: tokens after the expansion of macros
 * @max_depth: nesting of statements and expressions
 * @max_steps: statements that one block executes, each counted once however many lanes it has
 * @max_memory: bytes of local arrays, and bytes of written global memory, that are kept
 */
typedef struct {
  guint max_tokens;
  guint max_depth;
  guint64 max_steps;
  guint64 max_memory;
} SmbProgramLimits;

#define SMB_PROGRAM_MAX_TOKENS 1000000u
#define SMB_PROGRAM_MAX_DEPTH  200u
/** What max_depth may be at most: nesting takes stack. */
#define SMB_PROGRAM_LARGEST_DEPTH 2000u
#define SMB_PROGRAM_MAX_STEPS     G_GUINT64_CONSTANT(1000000)
#define SMB_PROGRAM_MAX_MEMORY    (G_GUINT64_CONSTANT(512) << 20)

/** Where a kernel touches memory: one access in the text, in one direction. */
typedef struct {
  guint line;             /* from 1 */
  guint column;           /* from 1, in bytes */
  guint32 offset;         /* byte offset into the source */
  const char *expression; /* the text of the access, such as "tile[threadIdx.y][x]" */
  SmbOpClass op_class;    /* load, store or atomic */
  guint width;            /* bytes that one lane asks for */
} SmbSite;

/** A parameter of the kernel. */
typedef struct {
  const char *name;
  const char *type; /* as C writes it: "const float *" says "float *" */
  gboolean is_pointer;
} SmbParameter;

typedef struct _SmbKernel SmbProgram;

/**
 * smb_program_read:
 * @source: (transfer none): the text
 * @entry: (nullable): which __global__ function; %NULL if there is one only
 * @defines: (nullable) (array zero-terminated=1): "NAME=VALUE" or "NAME", which win over the file's
 * @cuda_arch: value of __CUDA_ARCH__, such as 900
 * @limits: (nullable): %NULL for the defaults
 * @error: SMB_ERROR_INPUT with the place, the line and a caret; SMB_ERROR_USAGE for @entry and @defines
 *
 * Returns: (transfer full): the kernel, immutable; any thread may run it
 */
SmbProgram *smb_program_read(SmbSource *source, const char *entry, const char *const *defines,
                             guint cuda_arch, const SmbProgramLimits *limits, GError **error);
void smb_program_free(SmbProgram *kernel);

/** Name of the __global__ function (transfer none). */
const char *smb_program_name(const SmbProgram *kernel);

/** Where it was read from (transfer none). */
SmbSource *smb_program_source(const SmbProgram *kernel);

guint smb_program_n_sites(const SmbProgram *kernel);
const SmbSite *smb_program_site(const SmbProgram *kernel, guint index);

guint smb_program_n_parameters(const SmbProgram *kernel);
SmbParameter smb_program_parameter(const SmbProgram *kernel, guint index);

/** Most dimensions of a __shared__ array. */
#define SMB_ARRAY_MAX_DIMENSIONS 3

/**
 * SmbArray: a __shared__ variable that the kernel uses.
 * @name: its name
 * @element: type of an element, as C writes it: "float4"
 * @element_bytes: its size
 * @n_dimensions: 0 for a variable that is no array; of more than there may be, the outer ones are one
 * @dimension: elements, outermost first; of a dynamic array 0: the launch says how many
 * @base: byte offset in shared memory
 * @bytes: size of a static array; 0 of a dynamic one
 * @is_dynamic: whether it is extern: it has all dynamic shared memory, as every other such array has
 * @line: where it is declared, from 1
 * @column: from 1, in bytes
 */
typedef struct {
  const char *name;
  const char *element;
  guint element_bytes;
  guint n_dimensions;
  guint64 dimension[SMB_ARRAY_MAX_DIMENSIONS];
  guint32 base;
  gsize bytes;
  gboolean is_dynamic;
  guint line;
  guint column;
} SmbArray;

/** Number of __shared__ variables that the kernel and what it calls use. */
guint smb_program_n_arrays(const SmbProgram *kernel);

/** One of them, in the order of the text (transfer none). */
const SmbArray *smb_program_array(const SmbProgram *kernel, guint index);

/**
 * smb_program_array_at:
 * @offset: byte offset in shared memory
 *
 * Returns: (nullable) (transfer none): the array that holds the byte: of several dynamic ones the first
 */
const SmbArray *smb_program_array_at(const SmbProgram *kernel, guint32 offset);

/** Bytes of the static __shared__ variables, each aligned to its type. */
gsize smb_program_static_shared(const SmbProgram *kernel);

/** Whether it declares an extern __shared__ array. */
gboolean smb_program_has_dynamic_shared(const SmbProgram *kernel);

/** Whether blocks must run one after another, because they meet in atomics on global memory. */
gboolean smb_program_is_serial(const SmbProgram *kernel);

/**
 * smb_program_evaluate:
 * @expression: integer expression over the kernel's macros, such as "(32 + IPAD) * 4"
 * @error: SMB_ERROR_USAGE
 *
 * May be called from several threads.
 */
gboolean smb_program_evaluate(const SmbProgram *kernel, const char *expression, gint64 *value,
                              GError **error);

/**
 * smb_cuda_element_size:
 * @type: a type by its name, such as "float4"
 *
 * Returns: its bytes if one access moves it (1, 2, 4, 8 or 16), else 0; 0 for no type at all
 */
gsize smb_cuda_element_size(const char *type);

/**
 * smb_program_device_text:
 *
 * What a compiler is to be given, together with the same @defines, so that it compiles what is evaluated
 * here: functions of the host, kernels that were not chosen, and the definitions that @defines win over
 * are blanks. Lines and columns stay.
 *
 * Returns: (transfer full): the text
 */
char *smb_program_device_text(const SmbProgram *kernel);

/**
 * smb_program_argument:
 * @parameter: index of a scalar parameter
 * @arguments: (nullable) (array zero-terminated=1): as SmbLaunch.arguments
 * @error: SMB_ERROR_USAGE
 *
 * Returns: (transfer full): the bytes of the parameter's value
 */
GBytes *smb_program_argument(const SmbProgram *kernel, guint parameter,
                             const char *const *arguments, GError **error);

/** Bytes of a scalar of what a pointer parameter points at: of an element of its buffer. */
gsize smb_program_buffer_element(const SmbProgram *kernel, guint parameter);

/**
 * smb_program_canonical_values:
 * @parameter: index of a pointer parameter
 * @bytes: (inout) (array length=length): contents of its buffer, whole elements
 *
 * Makes every NaN the one that a device makes (0x7fffffff, 0x7ff8...): which NaN an operation gives is
 * not promised, and the host's have a sign. Other values stay.
 */
void smb_program_canonical_values(const SmbProgram *kernel, guint parameter, gpointer bytes,
                                  gsize length);

/** Names of @defines that neither the text nor another macro mentions (transfer full). */
GStrv smb_program_unused_defines(const SmbProgram *kernel);

/**
 * SmbLaunch:
 * @block: threads in x, y, z
 * @grid: blocks in x, y, z
 * @dynamic_bytes: dynamic shared memory
 * @arguments: (nullable) (array zero-terminated=1): "NAME=VALUE" for each scalar parameter; a pointer
 *   is bound to a buffer by itself, whose element i (of its scalar type) reads as i
 */
typedef struct {
  guint block[3];
  guint grid[3];
  gsize dynamic_bytes;
  const char *const *arguments;
} SmbLaunch;

/**
 * Limits of CUDA's launches, in x, y and z (CUDA C++ Programming Guide, Technical Specifications per
 * Compute Capability); an architecture may have fewer threads. The extents initialise a guint[3].
 */
#define SMB_MAX_BLOCK_THREADS 1024
#define SMB_MAX_BLOCK_EXTENT                                                                       \
  { 1024, 1024, 64 }
#define SMB_MAX_GRID_EXTENT                                                                        \
  { 2147483647, 65535, 65535 }

/** Warps of the largest block. */
#define SMB_MAX_WARPS (SMB_MAX_BLOCK_THREADS / SMB_WARP_LANES)

/** What is suspicious and yet runs. */
typedef enum {
  SMB_WARNING_RACE,  /* two warps touch a location, one of them writes, no barrier between */
  SMB_WARNING_UNSET, /* shared memory is read that no thread wrote */
  SMB_WARNING_LOOP, /* an atomic is a loop, of which a lower bound is counted (said by an analysis) */
} SmbWarning;

/**
 * SmbSink: what a running block reports.
 * @shared: @request was made at @site, by warp @warp of the block, to the __shared__ variable @array
 * @global: the lanes of @mask asked for @width bytes each at the given @addresses of global memory
 *   (buffers are far apart and aligned to 256 bytes)
 * @warn: something suspicious at @site, in words; @other is the site that it collides with, or @site
 */
typedef struct {
  void (*shared)(gpointer user, guint site, guint warp, const char *array,
                 const SmbRequest *request);
  void (*global)(gpointer user, guint site, guint warp, const char *buffer, guint32 mask,
                 guint width, const guint64 *addresses);
  void (*warn)(gpointer user, SmbWarning warning, guint site, guint other, const char *message);
} SmbSink;

typedef struct _SmbGlobal SmbGlobal;
typedef struct _SmbBlock SmbBlock;

/**
 * smb_global_new: the global memory that the blocks of a launch leave behind. Hand one to every
 * smb_block_new() of a launch to keep what they write; blocks then run in one thread.
 */
SmbGlobal *smb_global_new(void);
void smb_global_free(SmbGlobal *global);

/**
 * smb_global_read:
 * @parameter: index of the pointer parameter
 * @offset: byte offset into its buffer
 * @bytes: (out caller-allocates): @length bytes: what the blocks wrote, elsewhere the initial values
 */
void smb_global_read(const SmbGlobal *global, const SmbProgram *kernel, guint parameter,
                     guint64 offset, gpointer bytes, gsize length);

/** Bytes of the buffer of a pointer parameter that were touched: the end of the farthest access. */
guint64 smb_global_reach(const SmbGlobal *global, guint parameter);

/**
 * smb_block_new:
 * @kernel: (transfer none): must outlive the block
 * @arch: (transfer none): whose limits hold
 * @global: (nullable): keeps what the blocks write; needed if smb_program_is_serial()
 * @error: SMB_ERROR_USAGE for the launch, SMB_ERROR_INPUT if the kernel needs more than there is
 *
 * Returns: (transfer full): a machine that runs blocks of @kernel one after another; for one thread
 */
SmbBlock *smb_block_new(const SmbProgram *kernel, const SmbArch *arch, const SmbLaunch *launch,
                        const SmbProgramLimits *limits, const SmbSink *sink, gpointer user,
                        SmbGlobal *global, GError **error);
void smb_block_free(SmbBlock *block);

/**
 * smb_block_run:
 * @index: the block, x first: (z * grid.y + y) * grid.x + x
 * @error: SMB_ERROR_INPUT with the place, the line and a caret
 *
 * Runs one block in lockstep: each statement is executed for all its warps, under their masks, before
 * the next. Blocks are independent: they see the initial global memory and what they write themselves
 * (after @global of a serial kernel: what earlier blocks wrote as well).
 */
gboolean smb_block_run(SmbBlock *block, guint64 index, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbProgram, smb_program_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbGlobal, smb_global_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbBlock, smb_block_free)

G_END_DECLS
