// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compile/batch.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/cuda/rewrite/forms.h"
#include "src/compile/instance.h"

struct _SmbBatch {
  GPtrArray *texts; // utf8
  GMutex lock;      // of what follows
  gboolean is_done;
  SmbCompiled *compiled; // NULL: they do not compile together
};

SmbBatch *
smb_batch_new(void) {
  SmbBatch *batch = g_atomic_rc_box_new0(SmbBatch);
  batch->texts = g_ptr_array_new_with_free_func(g_free);
  g_mutex_init(&batch->lock);
  return batch;
}

static void
clear_batch(gpointer data) {
  SmbBatch *batch = data;
  g_ptr_array_unref(batch->texts);
  g_mutex_clear(&batch->lock);
  smb_compiled_free(batch->compiled);
}

SmbBatch *
smb_batch_ref(SmbBatch *batch) {
  return batch ? g_atomic_rc_box_acquire(batch) : NULL;
}

void
smb_batch_unref(SmbBatch *batch) {
  if (batch)
    g_atomic_rc_box_release_full(batch, clear_batch);
}

guint
smb_batch_add(SmbBatch *batch, const char *text) {
  g_ptr_array_add(batch->texts, g_strdup(text));
  return batch->texts->len - 1;
}

const char *
smb_batch_text(const SmbBatch *batch, guint form) {
  return g_ptr_array_index(batch->texts, form);
}

// The plain name of a kernel (transfer full); NULL: it has none.
static char *
find_plain_name(const char *kernel) {
  const char *end = kernel ? kernel + strcspn(kernel, "<( ") : NULL;
  const char *start = end;
  while (start > kernel && (g_ascii_isalnum(start[-1]) || start[-1] == '_'))
    start--;
  return start < end && !g_str_has_prefix(kernel, "_Z") ? g_strndup(start, (gsize)(end - start))
                                                        : NULL;
}

// All forms in one text (transfer full), or NULL.
static char *
write_batch(const SmbBatch *batch, const SmbCompilation *compilation, const char *entry) {
  g_autoptr(GPtrArray) forms = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  g_autofree char *tail = smb_instance_text(compilation->instance);
  for (guint i = 0; i < batch->texts->len; i++) {
    const char *text = smb_batch_text(batch, i);
    g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
    SmbSource *source = smb_source_new(compilation->name, bytes, NULL);
    if (!source)
      return NULL;
    g_ptr_array_add(forms, source);
  }
  g_autofree char *kernel = find_plain_name(compilation->instance ? compilation->instance : entry);
  return smb_forms_beside(forms, tail, kernel);
}

static SmbCompiled *
compile_together(const SmbBatch *batch, const char *nvcc, const SmbCompilation *compilation,
                 const char *entry) {
  g_autofree char *text = write_batch(batch, compilation, entry);
  SmbCompilation all = *compilation;
  all.text = text;
  all.length = text ? strlen(text) : 0;
  all.instance = NULL; // it is in the text
  return text ? smb_compile(nvcc, &all, NULL) : NULL;
}

// The kernel of a form (transfer full) (nullable).
static char *
name_member(const SmbBatch *batch, guint form, const char *instance, const char *entry) {
  g_autofree char *space = smb_forms_space(form);
  if (instance)
    return smb_instance_find(batch->compiled->image, space);
  return entry ? g_strdup_printf("%s::%s", space, entry) : NULL;
}

SmbCompiled *
smb_batch_compile(SmbBatch *batch, guint form, const char *nvcc, const SmbCompilation *compilation,
                  const char *entry, GError **error) {
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&batch->lock);
  if (!batch->is_done)
    batch->compiled = compile_together(batch, nvcc, compilation, entry);
  batch->is_done = TRUE;
  g_autofree char *kernel =
      batch->compiled ? name_member(batch, form, compilation->instance, entry) : NULL;
  if (!kernel) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: its forms do not compile together",
             compilation->name);
    return NULL;
  }
  SmbCompiled *compiled = g_new0(SmbCompiled, 1);
  compiled->image = g_bytes_ref(batch->compiled->image);
  compiled->command = g_strdup(batch->compiled->command);
  compiled->path = g_strdup(batch->compiled->path);
  compiled->files = g_strdupv(batch->compiled->files);
  compiled->instance = g_steal_pointer(&kernel);
  return compiled;
}
