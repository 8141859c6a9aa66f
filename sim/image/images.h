// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What compiled files hold: images of PTX and of machine code (cubins). A cubin is one image; all other files (objects,
// libraries, executables, archives) hold bundles of images (fatbins), each with the code of one translation unit for
// several architectures. Bundles are found by how they begin, wherever they are: no section needs to name them.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Largest image that is decompressed, in bytes. */
#define SMB_IMAGE_MAX_BYTES (512u << 20)

typedef enum {
  SMB_IMAGE_PTX,
  SMB_IMAGE_CUBIN,
} SmbImageKind;

typedef enum {
  SMB_IMAGE_PLAIN,
  SMB_IMAGE_LZ4, // a block
  SMB_IMAGE_ZSTD,
} SmbImageForm;

/**
 * SmbImage:
 * @chip: the architecture that it is for: 90 of sm_90a
 * @feature: 'a': runs on that chip only; 'f': on that chip and those of its family; 0: on all later ones
 * @bundle: index of its bundle in the file
 * @offset: where in the file it begins, in bytes
 * @stored: its bytes, in @form
 * @bytes: their size once they are decompressed, as the file says; it is checked
 */
typedef struct {
  SmbImageKind kind;
  guint chip;
  char feature;
  guint bundle;
  gsize offset;
  SmbImageForm form;
  GBytes *stored;
  gsize bytes;
} SmbImage;

/**
 * smb_images_read:
 * @file: (transfer none): an object file
 * @name: what messages call it
 * @error: SMB_ERROR_INPUT: a bundle is wrong, at which byte; or there is no image
 *
 * Nothing is decompressed. Images of other kinds than PTX and cubins (LTO-IR) are left out.
 *
 * Returns: (transfer full) (element-type SmbImage): in the order of the file
 */
GPtrArray *smb_images_read(GBytes *file, const char *name, GError **error);

/**
 * smb_images_choose:
 * @images: of smb_images_read()
 * @chip: the architecture that is to run them; 0: any: the latest machine code
 * @error: SMB_ERROR_INPUT: none runs there; those that there are are listed
 *
 * Of each bundle the cubin that a driver takes: the nearest of the same major architecture that is not later; else the
 * PTX of the latest architecture that is not later; else none.
 *
 * Returns: (transfer container) (element-type SmbImage)
 */
GPtrArray *smb_images_choose(const GPtrArray *images, guint chip, const char *name, GError **error);

/**
 * smb_image_load:
 * @name: what messages call the file
 * @error: SMB_ERROR_INPUT: what is compressed is damaged, or is not as large as it says
 *
 * Returns: (transfer full): the PTX, without the zeros after it, or the cubin
 */
GBytes *smb_image_load(const SmbImage *image, const char *name, GError **error);

/** "sm_90a", "PTX for sm_120" (transfer full). */
char *smb_image_describe(const SmbImage *image);

G_END_DECLS
