// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/ptx-compile.h"

#include <string.h>

#include "src/compile/compile.h"
#include "src/compile/workshop.h"

#define TEXT_NAME "module.ptx"
#define CODE_NAME "module.cubin"

// The chip as the compiler calls it, with the letter that the text has: sm_90a (transfer full).
static char *
name_architecture(const char *text, guint chip) {
  const char *target = strstr(text, ".target");
  g_autofree char *name = g_strdup_printf("sm_%u", chip);
  const char *found = target ? strstr(target, name) : NULL;
  char letter = found ? found[strlen(name)] : '\0';
  return letter == 'a' || letter == 'f' ? g_strdup_printf("-arch=%s%c", name, letter)
                                        : g_strdup_printf("-arch=%s", name);
}

char *
smb_run_ptx_architecture(GBytes *ptx, guint chip) {
  gsize n = 0;
  const char *bytes = g_bytes_get_data(ptx, &n);
  g_autofree char *text = g_strndup(bytes, n);
  return name_architecture(text, chip);
}

GBytes *
smb_run_read_cubin(const char *path) {
  char *bytes = NULL;
  gsize n = 0;
  return g_file_get_contents(path, &bytes, &n, NULL) ? g_bytes_new_take(bytes, n) : NULL;
}

GBytes *
smb_run_compile_ptx(GBytes *ptx, guint chip) {
  gsize n = 0;
  const char *bytes = g_bytes_get_data(ptx, &n);
  g_autofree char *text = g_strndup(bytes, n);
  g_autofree char *nvcc = strstr(text, ".target") ? smb_compile_find_nvcc() : NULL;
  g_autoptr(SmbWorkshop) workshop = nvcc ? smb_workshop_new("ptx", NULL) : NULL;
  if (!workshop)
    return NULL;
  g_autofree char *architecture = name_architecture(text, chip);
  g_autofree char *source = g_build_filename(smb_workshop_folder(workshop), TEXT_NAME, NULL);
  g_autofree char *code = g_build_filename(smb_workshop_folder(workshop), CODE_NAME, NULL);
  const char *const words[] = {nvcc, "-cubin", "-lineinfo", architecture, "-o", code, source, NULL};
  g_auto(SmbWorkshopRun) run = {0};
  return g_file_set_contents(source, text, -1, NULL) &&
                 smb_workshop_run(workshop, words, SMB_COMPILE_SECONDS, &run, NULL) &&
                 run.status == 0 && !run.is_late
             ? smb_run_read_cubin(code)
             : NULL;
}
