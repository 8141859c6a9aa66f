// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/room.h"

#include <sys/resource.h>
#include <unistd.h>

// For a container, which sees its own group there (Linux, "Control Group v2", memory.max): a number, or "max".
#define GROUP_LIMIT "/sys/fs/cgroup/memory.max"

guint64
smb_room_address_space(void) {
  struct rlimit limit;
  gboolean is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? limit.rlim_cur : G_MAXUINT64;
}

static guint64
find_group_limit(void) {
  g_autofree char *text = NULL;
  guint64 bytes = G_MAXUINT64;
  if (g_file_get_contents(GROUP_LIMIT, &text, NULL, NULL))
    g_ascii_string_to_unsigned(g_strstrip(text), 10, 0, G_MAXUINT64, &bytes, NULL);
  return bytes;
}

guint64
smb_room_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  guint64 machine =
      pages > 0 && page_bytes > 0 ? (guint64)pages * (guint64)page_bytes : G_MAXUINT64;
  return MIN(MIN(machine, find_group_limit()), smb_room_address_space());
}
