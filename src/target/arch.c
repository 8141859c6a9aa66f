// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// --arch as people type it: the name of an architecture, as a compiler writes it, or the GPU that is here.
#include "sim/base/error.h"
#include "src/cli/cli.h"

#include <string.h>

#include "gpu/device.h"
#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"

// Of "90", "90a", "sm_90a" or "compute_90": 1: the number; 2: what compilers write behind it for what only one chip or family has, 'a' or
// 'f' (transfer full). NULL for what is written otherwise.
static char *
read_arch_part(const char *name, int part) {
  g_autoptr(GRegex) form =
      g_regex_new("^(?:sm_|compute_)?([0-9]{2,})([af]?)\\z", G_REGEX_RAW, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  return g_regex_match(form, name, 0, &match) ? g_match_info_fetch(match, part) : NULL;
}

// "sm_90" of these; NULL of others.
static char *
read_arch_capability(const char *name) {
  g_autofree char *number = read_arch_part(name, 1);
  return number ? g_strconcat("sm_", number, NULL) : NULL;
}

char
smb_cli_arch_features(const char *name) {
  g_autofree char *features = read_arch_part(name, 2);
  return features ? *features : '\0';
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
read_arch_of_target(const char *name) {
  const char *features = strchr(name, ':');
  return g_str_has_prefix(name, "gfx") && features ? g_strndup(name, (gsize)(features - name))
                                                   : NULL;
}

// A file of the user's, in place of a name.
static SmbArch *
load_arch_file(const char *path, guint lanes, GError **error) {
  SmbArch *arch = smb_arch_load_file(path, error);
  if (arch && lanes && lanes != smb_arch_info(arch)->lanes) {
    smb_cli_usage_error(error, "--wave '%u': %s says that a wave has %u lanes", lanes, path,
                        smb_arch_info(arch)->lanes);
    g_clear_pointer(&arch, smb_arch_unref);
  }
  return arch;
}

// What is not known can be said.
static SmbArch *
load_name(const char *name, guint lanes, GError **error) {
  g_autoptr(GError) failure = NULL;
  SmbArch *arch = smb_arch_load_wave(name, lanes, &failure);
  if (!arch && g_error_matches(failure, SMB_ERROR, SMB_ERROR_USAGE) &&
      g_str_has_prefix(failure->message, "no architecture"))
    smb_cli_usage_error(error, "%s; --arch FILE.ini adds one of your own", failure->message);
  else if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  return arch;
}

SmbArch *
smb_cli_load_arch(const SmbCli *cli, const char *name, guint lanes, GError **error) {
  if (g_str_has_suffix(name, ".ini"))
    return load_arch_file(name, lanes, error);
  g_auto(GStrv) known = smb_arch_list();
  if (g_strv_contains((const char *const *)known, name))
    return load_name(name, lanes, error);
  gboolean native = strcmp(name, "native") == 0;
  g_autofree char *other = native ? find_native(cli, error) : read_arch_capability(name);
  other = other || native ? other : read_arch_of_target(name);
  if (native && !other)
    return NULL;
  g_autoptr(SmbArch) found = other ? smb_arch_load(other, NULL) : NULL;
  return load_name(found || native ? other : name, lanes, error);
}
