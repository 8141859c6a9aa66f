// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/ptx-compile.h"

#include <string.h>

#include "src/compile/compile.h"
#include "src/compile/workshop.h"
#include "sim/image/direct-ptx.h"
#include "src/run/device-link.h"

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

// The assembler's errors, of which a text for a chip that it does not know has none.
static char *
find_assembler_error(const char *output) {
  const char *line = strstr(output, "; error");
  if (!line)
    return NULL;
  g_autofree char *first = g_strndup(line + 2, strcspn(line + 2, "\n"));
  return g_strconcat("PTX that a program loads is wrong: ", first, NULL);
}

// With functions of the device runtime, or with none that is missing.
static GBytes *
link_alone(GBytes *ptx, guint chip, char **wrong) {
  g_autoptr(GArray) inputs = g_array_new(FALSE, FALSE, sizeof(SmbRunLinkInput));
  const SmbRunLinkInput input = {SMB_RUN_LINK_PTX, ptx};
  gboolean has_compiler;
  g_array_append_val(inputs, input);
  g_autofree char *message = NULL;
  GBytes *code = smb_run_link(inputs, chip, &has_compiler, &message);
  if (!code && message)
    *wrong = g_strdup_printf("PTX that a program loads cannot be linked: %s", message);
  return code;
}

GBytes *
smb_run_compile_ptx(GBytes *ptx, guint chip, char **wrong) {
  gsize n = 0;
  const char *bytes = g_bytes_get_data(ptx, &n);
  *wrong = NULL;
  g_autofree char *text = g_strndup(bytes, n);
  gboolean is_compiled = strstr(text, ".target") && !smb_direct_ptx_is(ptx);
  g_autofree char *nvcc = is_compiled ? smb_compile_find_nvcc() : NULL;
  g_autoptr(SmbWorkshop) workshop = nvcc ? smb_workshop_new("ptx", NULL) : NULL;
  if (!workshop)
    return NULL;
  g_autofree char *architecture = name_architecture(text, chip);
  g_autofree char *source = g_build_filename(smb_workshop_folder(workshop), TEXT_NAME, NULL);
  g_autofree char *code = g_build_filename(smb_workshop_folder(workshop), CODE_NAME, NULL);
  const char *const words[] = {nvcc, "-cubin", "-lineinfo", architecture, "-o", code, source, NULL};
  g_auto(SmbWorkshopRun) run = {0};
  if (!g_file_set_contents(source, text, -1, NULL) ||
      !smb_workshop_run(workshop, words, SMB_COMPILE_SECONDS, &run, NULL) || run.is_late)
    return NULL;
  if (run.status == 0)
    return smb_run_read_cubin(code);
  *wrong = find_assembler_error(run.output->str);
  return !*wrong && strstr(run.output->str, "Unresolved extern") ? link_alone(ptx, chip, wrong)
                                                                 : NULL;
}
