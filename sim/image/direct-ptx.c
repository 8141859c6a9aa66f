// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/image/direct-ptx.h"

#include "sim/image/images.h"

gboolean
smb_direct_ptx_is(GBytes *ptx) {
  static const char name[] = "tcgen05.";
  gsize n;
  const char *text = g_bytes_get_data(ptx, &n);
  return g_strstr_len(text, (gssize)n, name) != NULL;
}

gboolean
smb_direct_ptx_is_for(guint chip) {
  enum {
    FIRST_TENSOR_CHIP = 100, // with tensor memory
    LAST_TENSOR_CHIP = 119,
  };
  return chip >= FIRST_TENSOR_CHIP && chip <= LAST_TENSOR_CHIP;
}

GPtrArray *
smb_direct_ptx_choose(const GPtrArray *images, guint chip, const char *name) {
  GPtrArray *chosen = g_ptr_array_new();
  for (guint i = 0; i < images->len && smb_direct_ptx_is_for(chip); i++) {
    SmbImage *image = g_ptr_array_index(images, i);
    if (image->kind != SMB_IMAGE_PTX || image->chip > chip || !smb_direct_ptx_is_for(image->chip) ||
        (image->feature == 'a' && image->chip != chip))
      continue;
    g_autoptr(GBytes) text = smb_image_load(image, name, NULL);
    if (text && smb_direct_ptx_is(text))
      g_ptr_array_add(chosen, image);
  }
  return chosen;
}
