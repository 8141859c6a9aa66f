// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// --arch as people type it: the name of an architecture, as a compiler writes it, or the GPU that is here.
#include "src/cli/cli.h"
#include "sim/base/error.h"

#include <string.h>

#include "gpu/device.h"
#include "gpu/error.h"
#include "sim/arch/arch.h"

// "sm_90" of "90", "90a", "sm_90a" or "compute_90"; NULL for what is written otherwise. Behind the number, compilers
// write 'a' or 'f' for what only one chip or family has.
static char *
read_capability(const char *name) {
  g_autoptr(GRegex) form =
      g_regex_new("^(?:sm_|compute_)?([0-9]{2,})[af]?\\z", G_REGEX_RAW, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  if (!g_regex_match(form, name, 0, &match))
    return NULL;
  g_autofree char *number = g_match_info_fetch(match, 1);
  return g_strconcat("sm_", number, NULL);
}

static char *
find_native(const SmbCli *cli, GError **error) {
  g_autoptr(SmbGpuInventory) inventory = cli->cuda ? smb_gpu_inventory(cli->cuda) : NULL;
  if (inventory && inventory->devices->len > 0) {
    const SmbGpuDevice *device = g_ptr_array_index(inventory->devices, 0);
    return g_strdup_printf("sm_%u%u", device->capability_major, device->capability_minor);
  }
  const char *reason = "no device was found";
  for (guint i = 0; inventory && i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    if (part->usable)
      continue;
    reason = part->detail;
    break;
  }
  smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "--arch native: no usable GPU (%s)",
           reason);
  return NULL;
}

// "gfx942" of "gfx942:sramecc+:xnack-", as hipcc is told; NULL for what is written otherwise.
static char *
read_target(const char *name) {
  const char *features = strchr(name, ':');
  return g_str_has_prefix(name, "gfx") && features ? g_strndup(name, (gsize)(features - name))
                                                   : NULL;
}

SmbArch *
smb_cli_load_arch(const SmbCli *cli, const char *name, guint lanes, GError **error) {
  g_auto(GStrv) known = smb_arch_list();
  if (g_strv_contains((const char *const *)known, name))
    return smb_arch_load_wave(name, lanes, error);
  gboolean native = strcmp(name, "native") == 0;
  g_autofree char *other = native ? find_native(cli, error) : read_capability(name);
  other = other || native ? other : read_target(name);
  if (native && !other)
    return NULL;
  gboolean found = other && g_strv_contains((const char *const *)known, other);
  return smb_arch_load_wave(found || native ? other : name, lanes, error);
}
