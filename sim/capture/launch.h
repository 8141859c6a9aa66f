// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a capture says of an application: how it was started, each launch of a kernel that was recorded, how it ended.
// doc/capture.md documents the file.
#pragma once

#include <glib.h>

#include "sim/launch/memory-piece.h"

G_BEGIN_DECLS

/** Most bytes of a piece of memory that is stored as one. Pieces of zeros are not stored, and may have any size. */
#define SMB_CAPTURE_PIECE_BYTES (1u << 20)

/** Most bytes of an image, of the parameters of a kernel, of the JSON of a launch. */
#define SMB_CAPTURE_MAX_IMAGE_BYTES     (512u << 20)
#define SMB_CAPTURE_MAX_PARAMETER_BYTES 65536u
#define SMB_CAPTURE_MAX_JSON_BYTES      (256u << 20)

/** Addresses of a process are below this; what is below the lower one is a null pointer's. In bytes. */
#define SMB_CAPTURE_ADDRESS_END   (G_GUINT64_CONSTANT(1) << 48)
#define SMB_CAPTURE_ADDRESS_FIRST 65536u

/**
 * SmbCaptureHeader:
 * @program: what wrote the file: "smembank 0.1.0"
 * @command: the application, and its arguments
 * @started: when, in UTC: "2026-11-25T12:00:00Z"
 * @memory_limit: most bytes of memory that were recorded of a launch; 0: no limit
 */
typedef struct {
  char *program;
  GStrv command;
  char *started;
  guint64 memory_limit;
} SmbCaptureHeader;

/**
 * SmbCapturePiece:
 * @offset: in the allocation, in bytes
 * @bytes: how many
 * @hash: (nullable): SHA-256 of its contents, 64 hexadecimal digits; %NULL: zeros
 */
typedef struct {
  guint64 offset;
  guint64 bytes;
  char *hash;
} SmbCapturePiece;

/**
 * SmbCaptureMemory: an allocation.
 * @bytes: of all of it
 * @pieces: (element-type SmbCapturePiece): sorted by offset, none overlaps another. What none of them covers was left
 *   out
 */
typedef struct {
  guint64 address;
  guint64 bytes;
  SmbMemoryKind kind;
  GArray *pieces;
} SmbCaptureMemory;

/**
 * SmbCaptureVariable: a variable of the image.
 * @name: its symbol
 * @hashes: (nullable) (element-type utf8): of its contents, a hash for each SMB_CAPTURE_PIECE_BYTES of it, the last of
 *   what is left; a hash that is %NULL: zeros. %NULL: its contents were left out
 */
typedef struct {
  char *name;
  guint64 address;
  guint64 bytes;
  GPtrArray *hashes;
} SmbCaptureVariable;

/**
 * SmbCaptureLaunch:
 * @number: in the file, from 1
 * @launch: among the launches of its process that were recorded, from 1
 * @process: its number
 * @stream: as the driver calls it, "0x5581…", or "0"
 * @is_in_graph: whether it is a node of a graph: of launch @graph_launch of graphs in its process, node @graph_node
 * @kernel: its symbol
 * @image: SHA-256 of the image that has it
 * @arch: that of the device: "sm_90"
 * @device: index of the device; @device_name: "NVIDIA H100"
 * @driver: its version
 * @cluster: blocks of a cluster; zeros: none
 * @dynamic_bytes: dynamic shared memory
 * @time: when, in seconds since SmbCaptureHeader.started
 * @nanoseconds: how long it ran on the device; less than 0: not known
 * @parameters: (nullable): all of them, from the first one's offset 0; %NULL: the kernel has none
 * @variables: (element-type SmbCaptureVariable)
 * @memory: (element-type SmbCaptureMemory)
 * @notes: (array zero-terminated=1): what keeps a replay from being the same
 */
typedef struct {
  guint64 number;
  guint64 launch;
  guint64 process;
  char *stream;
  gboolean is_in_graph;
  guint64 graph_launch;
  guint64 graph_node;
  char *kernel;
  char *image;
  char *arch;
  guint64 device;
  char *device_name;
  char *driver;
  guint grid[3];
  guint block[3];
  guint cluster[3];
  guint64 dynamic_bytes;
  gboolean is_cooperative;
  double time;
  double nanoseconds;
  GBytes *parameters;
  GArray *variables;
  GArray *memory;
  GStrv notes;
} SmbCaptureLaunch;

/**
 * SmbCaptureKernel: of all launches of a kernel, in all processes.
 * @launches: how many there were
 * @recorded: how many of them are in the file
 * @nanoseconds: of those that are in the file; less than 0: not known
 */
typedef struct {
  char *kernel;
  guint64 launches;
  guint64 recorded;
  double nanoseconds;
} SmbCaptureKernel;

/**
 * SmbCaptureEnd:
 * @status: how the application ended, in words
 * @kernels: (element-type SmbCaptureKernel)
 */
typedef struct {
  char *status;
  GArray *kernels;
} SmbCaptureEnd;

/** smb_capture_launch_new: Returns: (transfer full): a launch with empty arrays and no duration, to be filled in */
SmbCaptureLaunch *smb_capture_launch_new(void);
void smb_capture_launch_free(SmbCaptureLaunch *launch);

/** Adds a variable of that name. Its contents count as left out until it has @hashes: (transfer none) of the launch. */
SmbCaptureVariable *smb_capture_launch_add_variable(SmbCaptureLaunch *launch, const char *name,
                                                    guint64 address, guint64 bytes);

/** Adds an allocation without pieces: (transfer none) of the launch, until the next one is added. */
SmbCaptureMemory *smb_capture_launch_add_memory(SmbCaptureLaunch *launch, SmbMemoryKind kind,
                                                guint64 address, guint64 bytes);

/** Adds a piece behind the others; @hash: (nullable) (transfer none). */
void smb_capture_memory_add(SmbCaptureMemory *memory, guint64 offset, guint64 bytes,
                            const char *hash);

/** smb_capture_end_new: Returns: (transfer full): an end without kernels */
SmbCaptureEnd *smb_capture_end_new(const char *status);
void smb_capture_end_add(SmbCaptureEnd *end, const char *kernel, guint64 launches, guint64 recorded,
                         double nanoseconds);
void smb_capture_end_free(SmbCaptureEnd *end);

void smb_capture_header_free(SmbCaptureHeader *header);

/** An empty array (transfer full): for SmbCaptureVariable.hashes. */
GPtrArray *smb_capture_variable_new_hashes(void);

/** Frees what an SmbCapturePiece has, for an array of them. */
void smb_capture_piece_clear(gpointer piece);

/**
 * smb_capture_launch_check:
 * @name: what messages call it
 * @error: SMB_ERROR_INPUT
 *
 * Whether what it says of addresses, sizes and hashes can be: nothing overlaps, each piece lies in its allocation.
 */
gboolean smb_capture_launch_check(const SmbCaptureLaunch *launch, const char *name, GError **error);

/** Whether it is 64 lower-case hexadecimal digits. */
gboolean smb_capture_is_hash(const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCaptureLaunch, smb_capture_launch_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCaptureEnd, smb_capture_end_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCaptureHeader, smb_capture_header_free)

G_END_DECLS
