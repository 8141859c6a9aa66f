// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/room.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define GROUPS      "/proc/self/cgroup"
#define GROUPS_ROOT "/sys/fs/cgroup"
#define MEMORY_INFO "/proc/meminfo"

guint64
smb_room_address_space(void) {
  struct rlimit limit;
  gboolean is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? limit.rlim_cur : G_MAXUINT64;
}

// A number of bytes, or "max".
static guint64
read_group_limit(const char *root, const char *folder, const char *path, const char *file) {
  g_autofree char *name = g_build_filename(root, folder, path, file, NULL);
  g_autofree char *text = NULL;
  guint64 bytes = G_MAXUINT64;
  if (g_file_get_contents(name, &text, NULL, NULL))
    g_ascii_string_to_unsigned(g_strstrip(text), 10, 0, G_MAXUINT64, &bytes, NULL);
  return bytes;
}

// The limit of a group of processes, and of those that it is in. A container sees its own one as the outermost.
static guint64
find_group_limit(const char *root, const char *folder, const char *path, const char *file) {
  g_autofree char *group = g_strdup(path);
  guint64 bytes = read_group_limit(root, folder, group, file);
  for (char *end; (end = strrchr(group, '/'));) {
    *end = '\0';
    bytes = MIN(bytes, read_group_limit(root, folder, group, file));
  }
  return bytes;
}

guint64
smb_room_group_limit(const char *root, const char *groups) {
  g_auto(GStrv) lines = g_strsplit(groups, "\n", 0);
  guint64 bytes = find_group_limit(root, "", "", "memory.max");
  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) fields = g_strsplit(lines[i], ":", 3);
    if (g_strv_length(fields) < 3)
      continue;
    g_auto(GStrv) controllers = g_strsplit(fields[1], ",", 0);
    if (*fields[1] == '\0')
      bytes = MIN(bytes, find_group_limit(root, "", fields[2], "memory.max"));
    if (g_strv_contains((const char *const *)controllers, "memory"))
      bytes = MIN(bytes, find_group_limit(root, "memory", fields[2], "memory.limit_in_bytes"));
  }
  return bytes;
}

guint64
smb_room_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  g_autofree char *groups = NULL;
  g_file_get_contents(GROUPS, &groups, NULL, NULL);
  guint64 group = smb_room_group_limit(GROUPS_ROOT, groups ? groups : "");
  guint64 machine =
      pages > 0 && page_bytes > 0 ? (guint64)pages * (guint64)page_bytes : G_MAXUINT64;
  return MIN(MIN(machine, group), smb_room_address_space());
}

guint64
smb_room_available(void) {
  static const char name[] = "MemAvailable:";
  g_autofree char *text = NULL;
  guint64 bytes = smb_room_bytes();
  const char *line =
      g_file_get_contents(MEMORY_INFO, &text, NULL, NULL) ? strstr(text, name) : NULL;
  return line ? MIN(bytes, g_ascii_strtoull(line + strlen(name), NULL, 10) * 1024) : bytes;
}
