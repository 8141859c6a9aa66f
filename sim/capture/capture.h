// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A capture: launches of kernels that an application made, with the code that ran and the memory that it read, as
// doc/capture.md documents the file. Nothing in it is trusted: what it says is checked before it is used.
#pragma once

#include "sim/capture/launch.h"
#include "sim/program/program.h"

G_BEGIN_DECLS

typedef struct _SmbCapture SmbCapture;

/** Whether a file that begins with these bytes is a capture. */
gboolean smb_capture_recognize_bytes(const void *data, gsize length);

/** Whether there is a file of that name that is a capture. Nothing but a regular file is opened. */
gboolean smb_capture_recognize(const char *path);

/**
 * smb_capture_open:
 * @error: a file error; SMB_ERROR_INPUT: it is damaged, with the byte, or with the member and what is wrong in it
 *
 * Reads what all launches say. Images and memory are read when they are asked for.
 *
 * Returns: (transfer full): constant from then on, for any thread
 */
SmbCapture *smb_capture_open(const char *path, GError **error);

/** Another reference to it, and the end of one: the last of them frees it. */
SmbCapture *smb_capture_ref(SmbCapture *capture);
void smb_capture_free(SmbCapture *capture);

const char *smb_capture_path(const SmbCapture *capture);

/** smb_capture_rename: @name takes the place of the path in all that is said of it */
void smb_capture_rename(SmbCapture *capture, const char *name);
const SmbCaptureHeader *smb_capture_header(const SmbCapture *capture);

/**
 * smb_capture_end: Returns: (transfer none) (nullable): how it ended; %NULL: it ends early, since whatever wrote it was
 * killed, * or the disk was full, or the file is cut. What it has is whole
 */
const SmbCaptureEnd *smb_capture_end(const SmbCapture *capture);

guint smb_capture_n_launches(const SmbCapture *capture);

/** smb_capture_launch: Returns: (transfer none): the launch of index @i, whose number is @i + 1 */
const SmbCaptureLaunch *smb_capture_launch(const SmbCapture *capture, guint i);

/** smb_capture_seen: how many launches of a kernel there were; if that is not known, how many are in the file */
guint64 smb_capture_seen(const SmbCapture *capture, const char *kernel);

/** Bytes of memory that the file holds of a launch: variables and allocations, zeros included. */
guint64 smb_capture_held(const SmbCaptureLaunch *launch);

/** Bytes of memory of a launch that were left out. */
guint64 smb_capture_left_out(const SmbCaptureLaunch *launch);

/**
 * smb_capture_image:
 * @error: SMB_ERROR_INPUT: it is missing or damaged
 *
 * Returns: (transfer full): the code that ran, a cubin or, of a program under "smembank run" that had no machine code, PTX; as the file has it
 */
GBytes *smb_capture_image(const SmbCapture *capture, const SmbCaptureLaunch *launch,
                          GError **error);

/**
 * smb_capture_code:
 * @error: as smb_capture_image(), or SMB_ERROR_INPUT: it is neither a cubin nor PTX, or is damaged
 *
 * Launches of one image, one after the other, have the same: it is unpacked and read once.
 *
 * Returns: (transfer full): the code that ran
 */
SmbSource *smb_capture_code(const SmbCapture *capture, const SmbCaptureLaunch *launch,
                            GError **error);

/** SmbCaptureNaming: names what the machine code of a kernel, read with @options, has no names of */
typedef void (*SmbCaptureNaming)(SmbProgram *program, const SmbProgramOptions *options,
                                 gpointer user);

/**
 * smb_capture_program:
 * @code: (transfer none): of smb_capture_code()
 * @options: how it is read; the kernel is that of @launch
 * @naming: (nullable): called once for each kernel that is read, by one thread; @user: for it
 * @error: as smb_program_read()
 *
 * Launches of one kernel, one after the other, have the same: it is decoded once for a chip.
 *
 * Returns: (transfer full): the kernel
 */
SmbProgram *smb_capture_program(const SmbCapture *capture, const SmbCaptureLaunch *launch,
                                SmbSource *code, const SmbProgramOptions *options,
                                SmbCaptureNaming naming, gpointer user, GError **error);

/**
 * SmbCaptureLoaded: what a launch was given, as SmbLaunch takes it. Names in it are those of the capture.
 * @memory: (element-type SmbMemoryPiece): what was left out is there as unknown
 * @buffers: (element-type SmbBuffer): of the variables
 * @arguments: (array zero-terminated=1): "INDEX=raw:…" for each parameter
 */
typedef struct {
  GArray *memory;
  GPtrArray *buffers;
  GStrv arguments;
  /*< private >*/
  GPtrArray *held; // GBytes: what contents are of
} SmbCaptureLoaded;

/**
 * smb_capture_load:
 * @code: of smb_capture_code()
 * @error: SMB_ERROR_INPUT: memory is missing or damaged; the image has no such kernel, or its parameters have another
 *   size
 *
 * Returns: (transfer full): what @launch was given; @capture must outlive it
 */
SmbCaptureLoaded *smb_capture_load(const SmbCapture *capture, const SmbCaptureLaunch *launch,
                                   SmbSource *code, GError **error);
void smb_capture_loaded_free(SmbCaptureLoaded *loaded);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCapture, smb_capture_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCaptureLoaded, smb_capture_loaded_free)

G_END_DECLS
