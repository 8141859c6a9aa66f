// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/device-link.h"

#include <string.h>

#include "src/compile/compile.h"
#include "src/compile/workshop.h"
#include "src/run/ptx-compile.h"

#define CODE_NAME "linked.cubin"

static const char *const endings[] = {
    [SMB_RUN_LINK_CUBIN] = "cubin", [SMB_RUN_LINK_PTX] = "ptx",   [SMB_RUN_LINK_FATBIN] = "fatbin",
    [SMB_RUN_LINK_OBJECT] = "o",    [SMB_RUN_LINK_LIBRARY] = "a",
};

// Of PTX, without the zero bytes behind it, which the compiler does not take.
static gboolean
write_link_input(const SmbRunLinkInput *input, const char *path) {
  gsize n = 0;
  const char *bytes = g_bytes_get_data(input->bytes, &n);
  if (input->kind == SMB_RUN_LINK_PTX)
    n = strnlen(bytes, n);
  return g_file_set_contents(path, bytes, (gssize)n, NULL);
}

// The architecture is that of the device, with the letter that PTX among the inputs has.
static char *
find_link_architecture(const GArray *inputs, guint chip) {
  for (guint i = 0; i < inputs->len; i++) {
    const SmbRunLinkInput *input = &g_array_index(inputs, SmbRunLinkInput, i);
    if (input->kind == SMB_RUN_LINK_PTX)
      return smb_run_ptx_architecture(input->bytes, chip);
  }
  return g_strdup_printf("-arch=sm_%u", chip);
}

GBytes *
smb_run_link(const GArray *inputs, guint chip, gboolean *has_compiler, char **message) {
  g_autofree char *nvcc = smb_compile_find_nvcc();
  g_autoptr(SmbWorkshop) workshop = nvcc ? smb_workshop_new("link", NULL) : NULL;
  *has_compiler = workshop != NULL;
  *message = NULL;
  if (!workshop)
    return NULL;
  const char *folder = smb_workshop_folder(workshop);
  g_autofree char *code = g_build_filename(folder, CODE_NAME, NULL);
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(words, g_strdup(nvcc));
  g_ptr_array_add(words, find_link_architecture(inputs, chip));
  const char *const options[] = {"-dlink", "-cubin", "-lineinfo", "-o", code};
  for (guint i = 0; i < G_N_ELEMENTS(options); i++)
    g_ptr_array_add(words, g_strdup(options[i]));
  gboolean is_written = TRUE;
  for (guint i = 0; i < inputs->len; i++) {
    const SmbRunLinkInput *input = &g_array_index(inputs, SmbRunLinkInput, i);
    g_autofree char *name = g_strdup_printf("input%u.%s", i + 1, endings[input->kind]);
    char *path = g_build_filename(folder, name, NULL);
    is_written = is_written && write_link_input(input, path);
    g_ptr_array_add(words, path);
  }
  g_ptr_array_add(words, NULL);
  g_auto(SmbWorkshopRun) run = {0};
  if (!is_written || !smb_workshop_run(workshop, (const char *const *)words->pdata,
                                       SMB_COMPILE_SECONDS, &run, NULL))
    return NULL;
  if (run.status == 0 && !run.is_late)
    return smb_run_read_cubin(code);
  *message = g_strchomp(g_strdup(run.output->str));
  return NULL;
}
