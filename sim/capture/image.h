// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An image that a process has loaded, as far as its launches are recorded: where the parameters of its kernels lie, and
// which variables it has.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** SmbCaptureParameter: where a parameter lies, in bytes behind the first one. */
typedef struct {
  guint64 offset;
  guint64 bytes;
} SmbCaptureParameter;

/**
 * SmbCaptureImageKernel:
 * @registers: of a thread
 * @parameters: (element-type SmbCaptureParameter): in their order
 */
typedef struct {
  guint registers;
  GArray *parameters;
} SmbCaptureImageKernel;

/** SmbCaptureImageVariable: @name: its symbol; @is_constant: whether kernels only read it */
typedef struct {
  char *name;
  gboolean is_constant;
} SmbCaptureImageVariable;

/**
 * SmbCaptureImage:
 * @bytes: the image
 * @kernels: symbol to SmbCaptureImageKernel; empty if it is no machine code that can be read
 * @variables: (element-type SmbCaptureImageVariable): in global and constant memory
 */
typedef struct {
  GBytes *bytes;
  GHashTable *kernels;
  GArray *variables;
} SmbCaptureImage;

/** smb_capture_image_new: @bytes: (transfer none): as the driver loaded it. Returns: (transfer full) */
SmbCaptureImage *smb_capture_image_new(GBytes *bytes);
void smb_capture_image_free(SmbCaptureImage *image);

/** The kernel of that symbol (transfer none) (nullable). */
const SmbCaptureImageKernel *smb_capture_image_kernel(const SmbCaptureImage *image,
                                                      const char *symbol);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCaptureImage, smb_capture_image_free)

G_END_DECLS
