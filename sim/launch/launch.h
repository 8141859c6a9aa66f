// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch: how many threads in how many blocks, and what they are given.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"
#include "sim/launch/buffer.h"
#include "sim/launch/memory-piece.h"
#include "sim/launch/shape.h"
#include "sim/program/program.h"

G_BEGIN_DECLS

/**
 * SmbLaunch:
 * @block: threads in x, y, z
 * @grid: blocks in x, y, z
 * @dynamic_bytes: dynamic shared memory
 * @arguments: (nullable) (array zero-terminated=1): "NAME=VALUE" for each scalar parameter
 * @buffers: (nullable) (element-type SmbBuffer): of several for one pointer the last one counts. A pointer has a
 *   buffer in any case: element i (of its scalar type) reads as i, and the pointer is its start
 * @shapes: (nullable) (element-type SmbShape): arrays that lie in what the program has as bytes only
 * @skips_unknown: whether requests at addresses, or under conditions, that are not known are left out and reported
 *   (SmbSink.uncounted); %FALSE: they are errors
 * @memory: (nullable) (element-type SmbMemoryPiece): for a launch of compiled code that was recorded: what lies at the
 *   addresses that its arguments (INDEX=raw:HEXBYTES) hold. Of memory outside of all pieces nothing is known; it may be
 *   touched, as the kernel did. Must live as long as what runs the launch. %NULL: there are no addresses
 * @cluster: blocks of a cluster in x, y, z; zeros: as the kernel says, or there are none
 * @parameters: (nullable) (transfer none): for compiled code: the bytes of all parameters, from the first one on, in the place of
 *   @arguments; what they do not reach is zeros
 * @runtime: (nullable) (transfer none): SmbRuntime (sim/machine/device/runtime.h): of a launch that is run for its results, with
 *   @memory, which is all that is allocated
 * @textures: (nullable) (transfer none) (element-type SmbTexture): textures and surfaces that there are (sim/texture/descriptor.h); %NULL:
 *   nothing is known of them
 * @lengths: (nullable) (transfer none) (element-type guint32): how many instructions of machine code each block executes, if a run has
 *   shown it
 * @has_printed: a run has shown that some of its blocks print
 * @left: (nullable) (transfer none) (element-type SmbMemoryPiece): @memory as the launch has left it, if it has run, with what was there before
 *   in SmbContents.former
 * @defects: (nullable) (transfer none): SmbDefects (sim/check/defect.h): takes what the kernel does wrong, of a launch with @runtime
 * @trail: (nullable) (transfer none): SmbTrail (sim/check/trail.h): with @defects: takes what it accesses
 * @ahead: (nullable) (transfer none): with @defects: that of the launch before, of one that may begin before that has ended
 */
typedef struct {
  guint block[3];
  guint grid[3];
  gsize dynamic_bytes;
  const char *const *arguments;
  GPtrArray *buffers;
  GArray *shapes;
  gboolean skips_unknown;
  GArray *memory;
  guint cluster[3];
  GBytes *parameters;
  struct _SmbRuntime *runtime;
  struct _SmbDefects *defects;
  struct _SmbTrail *trail;
  const struct _SmbTrail *ahead;
  const GArray *textures;
  const GArray *lengths;
  gboolean has_printed;
  GArray *left;
} SmbLaunch;

/** smb_launch_n_blocks: Returns: blocks of the grid */
static inline guint64
smb_launch_n_blocks(const SmbLaunch *launch) {
  return (guint64)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/**
 * Limits of CUDA's launches, in x, y and z (CUDA C++ Programming Guide, Technical Specifications per
 * Compute Capability); an architecture may have fewer threads. The extents initialise a guint[3].
 */
#define SMB_MAX_BLOCK_THREADS 1024
#define SMB_MAX_BLOCK_EXTENT                                                                       \
  { 1024, 1024, 64 }
#define SMB_MAX_GRID_EXTENT                                                                        \
  { 2147483647, 65535, 65535 }
#define SMB_MAX_CLUSTER_BLOCKS 16

/**
 * smb_launch_cluster:
 * @cluster: (out): blocks of a cluster: as @launch says, else as the kernel does (.reqnctapercluster,
 *   __cluster_dims__), else 1
 *
 * Returns: whether either says it
 */
gboolean smb_launch_cluster(const SmbLaunch *launch, const SmbProgram *program, guint cluster[3]);

/** smb_launch_meets: Returns: how many blocks run together, since they wait for each other, or share memory: those of a cluster, or 1 */
guint smb_launch_meets(const SmbLaunch *launch, const SmbProgram *program);

/**
 * smb_program_carved_arrays:
 *
 * Returns: (nullable) (transfer full) (element-type SmbArray): if pointers divide the dynamic shared memory of a
 *   launch among them, what each of them names, in the order of memory: from where it points to where the next
 *   one does. %NULL: they do not, or it is not known how. Names live as long as the program
 */
GArray *smb_program_carved_arrays(const SmbProgram *program, const SmbLaunch *launch);

/**
 * smb_launch_check:
 * @arch: (nullable): whose limit of threads holds; %NULL for what any architecture can launch
 * @error: SMB_ERROR_USAGE
 *
 * Whether blocks, grids and clusters of that size can be launched; clusters divide a grid.
 */
gboolean smb_launch_check(const SmbLaunch *launch, const SmbArch *arch, GError **error);

/**
 * smb_launch_check_block:
 * @error: SMB_ERROR_USAGE
 *
 * Whether the kernel can be launched with that block: .reqntid names one (PTX ISA, "Performance-Tuning Directives"),
 * and __launch_bounds__ (.maxntid) the most threads. The driver refuses others. The same with that cluster, if the
 * launch says one, and that grid, which the clusters that a kernel requires divide, on chips that have clusters.
 */
gboolean smb_launch_check_block(const SmbLaunch *launch, const SmbProgram *program,
                                const SmbArch *arch, GError **error);

/**
 * smb_launch_check_arguments:
 * @needs_block: whether the block is missing, too: that is reported together with what else is
 * @error: SMB_ERROR_USAGE
 *
 * Whether each argument is of a parameter, and each parameter that must have a value has one: all that have none are
 * told at once, with their types.
 */
gboolean smb_launch_check_arguments(const SmbLaunch *launch, const SmbProgram *program,
                                    gboolean needs_block, GError **error);

/**
 * smb_launch_buffer:
 * @index: of the parameter; G_MAXUINT for a variable
 *
 * Returns: (nullable) (transfer none): what the launch says of the buffer of a pointer parameter, or of a variable
 */
const SmbBuffer *smb_launch_buffer(const SmbLaunch *launch, const char *name, guint index);

/**
 * smb_launch_array_of: Returns: (nullable) (transfer none): as smb_program_array_of(), or the array that @launch says
 * has the byte (SmbLaunch.shapes)
 */
const SmbArray *smb_launch_array_of(const SmbLaunch *launch, const SmbProgram *program,
                                    guint32 offset, guint width, const char *opcode);

/** Whether a parameter is a pointer to a buffer in this launch: none that may be a value, and is given one. */
gboolean smb_launch_is_pointer(const SmbLaunch *launch, const SmbProgram *program, guint parameter);

/**
 * smb_launch_data_source:
 *
 * @address: (out): whether they decide at which addresses; else which lanes ask, or how often
 *
 * Returns: (nullable) (transfer none): the pointer parameter or variable whose contents, which @launch does not give,
 *   decide what a site asks of shared memory: what is counted there holds for what was put in their place only
 */
const char *smb_launch_data_source(const SmbLaunch *launch, const SmbProgram *program, guint site,
                                   gboolean *address);

/** Bytes of the buffer of a pointer parameter that lie before what the pointer points at. */
guint64 smb_launch_start(const SmbLaunch *launch, const SmbProgram *program, guint parameter);

/** What the buffer of a pointer parameter holds; it has no end but that of %SMB_FILL_BYTES. */
SmbContents smb_launch_contents(const SmbLaunch *launch, const SmbProgram *program,
                                guint parameter);

/** Warps of the largest block, where they have the fewest lanes. */
#define SMB_MAX_WARPS (SMB_MAX_BLOCK_THREADS / SMB_NVIDIA_LANES)

G_END_DECLS
