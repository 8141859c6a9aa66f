// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The files of the course: lessons in the order of their names, and the kernels that only they use.
#include <string.h>

#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/records/lesson.h"

static SmbSource *
load_source(const char *path, const char *name, GError **error) {
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  return bytes ? smb_source_new(name, bytes, error) : NULL;
}

GPtrArray *
smb_lesson_load_course(GError **error) {
  g_autoptr(GPtrArray) course = g_ptr_array_new_with_free_func((GDestroyNotify)smb_lesson_free);
  g_auto(GStrv) names = smb_data_list("lessons", ".lesson");
  for (guint i = 0; names[i]; i++) {
    g_autofree char *path = g_strdup_printf("lessons/%s.lesson", names[i]);
    g_autofree char *name = g_strconcat("data/", path, NULL);
    g_autoptr(SmbSource) source = load_source(path, name, error);
    SmbLesson *lesson = source ? smb_lesson_new(source, error) : NULL;
    if (!lesson)
      return NULL;
    g_ptr_array_add(course, lesson);
  }
  return g_steal_pointer(&course);
}

SmbSource *
smb_lesson_kernel(const char *name, GError **error) {
  g_auto(GStrv) names = smb_data_list("lessons", ".cu");
  g_autofree char *stem = g_strndup(name, strlen(name) - (g_str_has_suffix(name, ".cu") ? 3 : 0));
  if (!g_str_has_suffix(name, ".cu") || !g_strv_contains((const char *const *)names, stem)) {
    g_autofree char *list = g_strjoinv(".cu, ", names);
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE,
                "no kernel '%s' in the course: expected one of %s.cu", name, list);
    return NULL;
  }
  g_autofree char *path = g_strconcat("lessons/", name, NULL);
  return load_source(path, name, error);
}
