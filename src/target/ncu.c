// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/ncu.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "src/cli/input.h"
#include "src/compile/workshop.h"

enum {
  NCU_SECONDS = 300,      // that ncu may take for one page of a report
  MAX_OUTPUT = 256 << 20, // bytes of a page
  MAX_SAID = 300          // bytes of what it says of a failure
};

// How a report begins.
static const char magic[] = "NVR";

void
smb_ncu_file_free(SmbNcuFile *file) {
  if (!file)
    return;
  g_clear_pointer(&file->profile, smb_profile_free);
  g_clear_pointer(&file->metrics, smb_kernel_metrics_free);
  g_free(file->name);
  g_free(file);
}

gboolean
smb_ncu_is_report(const char *path) {
  char bytes[sizeof magic];
  gsize n = 0;
  if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  g_autoptr(GInputStream) stream = smb_input_open(path, NULL);
  return stream && g_input_stream_read_all(stream, bytes, sizeof bytes, &n, NULL, NULL) &&
         n == sizeof bytes && memcmp(bytes, magic, sizeof bytes) == 0;
}

static char *
find_ncu(void) {
  static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
  char *found = g_find_program_in_path("ncu");
  for (guint i = 0; !found && i <= G_N_ELEMENTS(homes); i++) {
    const char *home = i < G_N_ELEMENTS(homes) ? g_getenv(homes[i]) : "/usr/local/cuda";
    g_autofree char *path = home && *home ? g_build_filename(home, "bin", "ncu", NULL) : NULL;
    if (path && g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
      found = g_steal_pointer(&path);
  }
  return found;
}

#define SOURCE_PAGE "--page", "source", "--csv", "--print-source", "sass"

static gboolean
refuse_report(const char *path, GError **error) {
  g_autofree char *quoted = g_shell_quote(path);
  return smb_fail(
      error, SMB_ERROR, SMB_ERROR_INPUT,
      "%s: a report of Nsight Compute, which only ncu can read, and there is no ncu in $PATH, "
      "$CUDA_HOME or /usr/local/cuda: on a machine with ncu, 'ncu --import %s --page source --csv "
      "--print-source sass >profile.csv' makes a table that can be read here",
      path, quoted);
}

// One page of a report as text; NULL with an error.
static SmbSource *
import(const char *ncu, const char *path, const char *const *page, GError **error) {
  g_autoptr(SmbWorkshop) workshop = smb_workshop_new("ncu", error);
  g_autofree char *whole = g_canonicalize_filename(path, NULL);
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_strv_builder_add_many(words, ncu, "--import", whole, NULL);
  g_strv_builder_addv(words, (const char **)page);
  g_auto(GStrv) all = g_strv_builder_end(words);
  g_auto(SmbWorkshopRun) run = {.max_output = MAX_OUTPUT};
  if (!workshop || !smb_workshop_run(workshop, (const char *const *)all, NCU_SECONDS, &run, error))
    return NULL;
  if (run.is_late || run.status != 0 || run.output->len >= MAX_OUTPUT) {
    g_autofree char *said = g_strndup(run.output->str, MAX_SAID);
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: ncu does not read it: %s", path,
             run.is_late       ? "it took more than 300 seconds"
             : run.status == 0 ? "its table is too large"
             : *said           ? g_strstrip(said)
                               : "it failed and said nothing");
    return NULL;
  }
  g_autoptr(GBytes) bytes = g_bytes_new(run.output->str, run.output->len);
  return smb_source_new(path, bytes, error);
}

// The tables of instructions if the report has them, else its metrics.
static SmbNcuFile *
open_report(const char *path, GError **error) {
  static const char *const source_page[] = {SOURCE_PAGE, NULL}, *const raw_page[] = {
                                                                    "--page", "raw", "--csv", NULL};
  g_autofree char *ncu = find_ncu();
  g_autoptr(SmbNcuFile) file = g_new0(SmbNcuFile, 1);
  file->name = g_strdup(path);
  if (!ncu) {
    refuse_report(path, error);
    return NULL;
  }
  g_autoptr(SmbSource) table = import(ncu, path, source_page, error);
  if (!table)
    return NULL;
  file->profile = smb_profile_read(table, NULL);
  if (file->profile)
    return g_steal_pointer(&file);
  g_autoptr(SmbSource) metrics = import(ncu, path, raw_page, error);
  file->metrics = metrics ? smb_kernel_metrics_read(metrics, error) : NULL;
  return file->metrics ? g_steal_pointer(&file) : NULL;
}

SmbNcuFile *
smb_ncu_open(const char *path, GError **error) {
  if (strcmp(path, "-") != 0 && smb_ncu_is_report(path))
    return open_report(path, error);
  g_autoptr(SmbSource) source = smb_input_source(path, error);
  if (!source)
    return NULL;
  g_autoptr(SmbNcuFile) file = g_new0(SmbNcuFile, 1);
  file->name = g_strdup(smb_source_name(source));
  if (smb_kernel_metrics_recognize(source))
    file->metrics = smb_kernel_metrics_read(source, error);
  else
    file->profile = smb_profile_read(source, error);
  return file->metrics || file->profile ? g_steal_pointer(&file) : NULL;
}
