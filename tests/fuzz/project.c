// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "sim/cuda/text/host.h"
#include "src/project/key.h"
#include "src/project/project.h"
#include "tests/fuzz/targets.h"

// Each word is an option that there is.
static void
check_case(const SmbProject *project, const SmbCase *one) {
  if (smb_project_find(project, one->name, NULL) != one)
    g_error("a case is not found by its name");
  for (guint i = 0; one->words[i]; i++) {
    gsize length = strcspn(one->words[i], "=");
    g_autofree char *name = length > 2 ? g_strndup(one->words[i] + 2, length - 2) : g_strdup("");
    if (!g_str_has_prefix(one->words[i], "--") || !smb_key_find(name))
      g_error("a word of a case is no option");
  }
}

void
fuzz_project(const guint8 *data, gsize size) {
  g_autofree char *text = g_strndup((const char *)data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbProject) project =
      smb_project_new_from_data("folder/fuzz.ini", text, strlen(text), &error);
  if ((project != NULL) != (error == NULL))
    g_error("a project file is read or refused with a reason");
  for (guint i = 0; project && i < project->cases->len; i++)
    check_case(project, project->cases->pdata[i]);
}

// Whatever a launch has is a number or none.
static void
evaluate(const SmbHost *host, const SmbHostLaunch *launch, const GPtrArray *texts) {
  guint64 number, extent[3];
  for (guint i = 0; i < texts->len; i++) {
    smb_host_number(host, launch, texts->pdata[i], &number);
    smb_host_extent(host, launch, texts->pdata[i], extent);
  }
}

void
fuzz_host(const guint8 *data, gsize size) {
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_new("fuzz.cu", bytes, &error);
  g_autoptr(SmbHost) host = smb_host_new();
  if ((source && smb_host_read(host, source, NULL, &error)) != (error == NULL))
    g_error("a text is read or refused with a reason");
  for (guint i = 0; i < host->launches->len; i++) {
    const SmbHostLaunch *launch = host->launches->pdata[i];
    evaluate(host, launch, launch->configuration);
    evaluate(host, launch, launch->arguments);
  }
}
