// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/run/device.h"

#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/base/key-file.h"

#define FOLDER  "devices"
#define DEFAULT "h100"
#define GROUP   "device"

static const char *const fact_keys[] = {
#define FACT(field, key) key,
#include "gpu/driver/device/facts.def"
#undef FACT
};

static GKeyFile *
load_run_device(const char *name, GError **error) {
  g_autofree char *path = g_strconcat(FOLDER "/", name, ".ini", NULL);
  g_autoptr(GBytes) text = smb_data_load(path, error);
  gsize length = 0;
  const char *data = text ? g_bytes_get_data(text, &length) : NULL;
  return text ? smb_key_file_load(path, data, length, error) : NULL;
}

// The first device of an architecture; else the default (transfer full). @is_other: (out): it is of another.
static GKeyFile *
find_run_device(const char *arch, gboolean *is_other, GError **error) {
  g_auto(GStrv) names = smb_data_list(FOLDER, ".ini");
  *is_other = FALSE;
  for (guint i = 0; names && names[i]; i++) {
    g_autoptr(GKeyFile) device = load_run_device(names[i], error);
    if (!device)
      return NULL;
    g_autofree char *its = g_key_file_get_string(device, GROUP, "arch", NULL);
    if (g_strcmp0(its, arch) == 0)
      return g_steal_pointer(&device);
  }
  *is_other = TRUE;
  return load_run_device(DEFAULT, error);
}

static gboolean
add_facts(GKeyFile *device, SmbPayload *answer, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(fact_keys); i++) {
    g_autoptr(GError) failure = NULL;
    guint64 fact = g_key_file_get_uint64(device, GROUP, fact_keys[i], &failure);
    if (failure || fact > G_MAXINT)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: expected a number for '%s'", FOLDER,
                      fact_keys[i]);
    smb_payload_add_number(answer, fact);
  }
  return TRUE;
}

gboolean
smb_run_device_add(const SmbArch *arch, guint chip, SmbPayload *answer, GError **error) {
  const SmbArchInfo *info = smb_arch_info(arch);
  gboolean is_other;
  g_autofree char *chip_name = g_strdup_printf("sm_%u", chip);
  g_autoptr(GKeyFile) device = find_run_device(chip_name, &is_other, error);
  if (!device)
    return FALSE;
  const guint64 parts[] = {chip / 10,
                           chip % 10,
                           info->static_shared_bytes,
                           info->max_shared_bytes,
                           info->sm_shared_bytes,
                           info->sm_warps,
                           info->sm_blocks,
                           info->block_reserved_bytes,
                           info->shared_unit_bytes};
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    smb_payload_add_number(answer, parts[i]);
  if (!add_facts(device, answer, error))
    return FALSE;
  g_autofree char *known = g_key_file_get_string(device, GROUP, "name", NULL);
  g_autofree char *other = g_strdup_printf("smembank, as %s", chip_name);
  smb_payload_add_text(answer, is_other || !known ? other : known);
  return TRUE;
}
