// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the recorder needs of an image: its kernels' parameters and its variables.
#include "sim/capture/image.h"

#include "sim/image/cubin.h"

static void
free_kernel(gpointer data) {
  SmbCaptureImageKernel *kernel = data;
  g_array_unref(kernel->parameters);
  g_free(kernel);
}

static void
add_image_kernel(SmbCaptureImage *image, const SmbCubinFunction *function) {
  SmbCaptureImageKernel *kernel = g_new0(SmbCaptureImageKernel, 1);
  kernel->registers = function->registers;
  kernel->parameters = g_array_new(FALSE, FALSE, sizeof(SmbCaptureParameter));
  for (guint i = 0; i < function->parameters->len; i++) {
    const SmbCubinParameter *place = &g_array_index(function->parameters, SmbCubinParameter, i);
    const SmbCaptureParameter parameter = {place->offset, place->bytes};
    g_array_append_val(kernel->parameters, parameter);
  }
  g_hash_table_insert(image->kernels, g_strdup(function->name), kernel);
}

static void
clear_image_variable(gpointer data) {
  g_free(((SmbCaptureImageVariable *)data)->name);
}

static void
add_image_variables(SmbCaptureImage *image, const SmbCubin *cubin) {
  for (guint i = 0; i < cubin->symbols->len; i++) {
    const SmbCubinSymbol *symbol = &g_array_index(cubin->symbols, SmbCubinSymbol, i);
    const SmbCubinSection *section =
        &g_array_index(cubin->sections, SmbCubinSection, symbol->section);
    gboolean is_constant = g_str_has_prefix(section->name, ".nv.constant3");
    if (symbol->kind != SMB_CUBIN_VARIABLE || symbol->section == 0 || symbol->bytes == 0 ||
        (!is_constant && !g_str_has_prefix(section->name, ".nv.global")))
      continue;
    const SmbCaptureImageVariable variable = {g_strdup(symbol->name), is_constant};
    g_array_append_val(image->variables, variable);
  }
}

SmbCaptureImage *
smb_capture_image_new(GBytes *bytes) {
  SmbCaptureImage *image = g_new0(SmbCaptureImage, 1);
  image->bytes = g_bytes_ref(bytes);
  image->kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_kernel);
  image->variables = g_array_new(FALSE, FALSE, sizeof(SmbCaptureImageVariable));
  g_array_set_clear_func(image->variables, clear_image_variable);
  g_autoptr(SmbCubin) cubin =
      smb_cubin_recognize(bytes) ? smb_cubin_read(bytes, "image", NULL) : NULL;
  for (guint i = 0; cubin && i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    if (function->is_kernel)
      add_image_kernel(image, function);
  }
  if (cubin)
    add_image_variables(image, cubin);
  return image;
}

void
smb_capture_image_free(SmbCaptureImage *image) {
  if (!image)
    return;
  g_bytes_unref(image->bytes);
  g_hash_table_unref(image->kernels);
  g_array_unref(image->variables);
  g_free(image);
}

const SmbCaptureImageKernel *
smb_capture_image_kernel(const SmbCaptureImage *image, const char *symbol) {
  return g_hash_table_lookup(image->kernels, symbol);
}
