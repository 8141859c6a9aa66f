// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/compile/kept.h"

#include <string.h>

#include "src/compile/cache.h"
#include "src/compile/inputs.h"

// What is kept: key, path, instance, folder that the image names or "", SmbInputs, image.
#define KEPT_TYPE "(ssmss(asasass)ay)"

// A change of what is kept, or of what is done with it, is another version.
static const char version[] = "smembank compilation 1";
static const char program_version[] = "smembank program 1";

struct _SmbKept {
  char *folder;
  char *key;
  char *command;
  const char *text; // "" of a program, whose texts are files that are read
  gsize length;
  GStrv host;
};

void
smb_kept_free(SmbKept *kept) {
  if (!kept)
    return;
  g_free(kept->folder);
  g_free(kept->key);
  g_free(kept->command);
  g_strfreev(kept->host);
  g_free(kept);
}

// Of the environment, what nvcc and the host compiler go by.
static const char *const variables[] = {"NVCC_PREPEND_FLAGS",
                                        "NVCC_APPEND_FLAGS",
                                        "NVCC_CCBIN",
                                        "CPATH",
                                        "C_INCLUDE_PATH",
                                        "CPLUS_INCLUDE_PATH",
                                        "GCC_EXEC_PREFIX",
                                        "COMPILER_PATH",
                                        "PATH",
                                        "LD_LIBRARY_PATH",
                                        "LD_PRELOAD",
                                        "CUDA_HOME",
                                        "CUDA_PATH",
                                        "SOURCE_DATE_EPOCH",
                                        "CUDA_NVCC_EXECUTABLE",
                                        NULL};

static void
add_kept(GChecksum *sum, const char *name, gconstpointer bytes, gsize length) {
  g_autofree char *head = g_strdup_printf("%s %" G_GSIZE_FORMAT "\n", name, length);
  g_checksum_update(sum, (const guchar *)head, (gssize)strlen(head));
  g_checksum_update(sum, bytes, (gssize)length);
}

static void
add_kept_text(GChecksum *sum, const char *name, const char *text) {
  add_kept(sum, name, text ? text : "", text ? strlen(text) : 0);
}

static void
add_kept_words(GChecksum *sum, const char *name, GStrv words) {
  for (guint i = 0; words[i]; i++)
    add_kept_text(sum, name, words[i]);
}

static void
add_program(GChecksum *sum, const char *name) {
  g_autofree char *found = g_find_program_in_path(name);
  g_autofree char *sign = found ? smb_inputs_sign(found) : NULL;
  add_kept_text(sum, name, sign);
}

// The compilers, and what they go by.
static void
add_compilers(GChecksum *sum, const char *nvcc) {
  add_program(sum, nvcc);
  add_program(sum, "gcc");
  add_program(sum, "g++");
  if (g_getenv("NVCC_CCBIN"))
    add_program(sum, g_getenv("NVCC_CCBIN"));
  for (guint i = 0; variables[i]; i++)
    add_kept_text(sum, variables[i], g_getenv(variables[i]));
}

static char *
make_kept_key(const char *nvcc, const SmbCompilation *compilation, const SmbCall *call) {
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  add_kept_text(sum, version, G_BYTE_ORDER == G_LITTLE_ENDIAN ? "little" : "big");
  add_kept(sum, "text", compilation->text, compilation->length);
  add_kept_text(sum, "instance", compilation->instance);
  add_kept_words(sum, "nvcc", call->nvcc);
  add_kept_words(sum, "host", call->host);
  add_kept_text(sum, "macros", call->defines_late ? "late" : "early");
  add_compilers(sum, nvcc);
  return g_strdup(g_checksum_get_string(sum));
}

static char *
make_program_key(const char *nvcc, const char *const *words) {
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  add_kept_text(sum, program_version, PACKAGE_VERSION);
  add_kept_words(sum, "word", (GStrv)words);
  add_compilers(sum, nvcc);
  add_program(sum, "ld");
  return g_strdup(g_checksum_get_string(sum));
}

// Whether what flags do is known: whoever gives them.
static gboolean
are_understood(const SmbFlags *flags) {
  for (guint i = 0; flags->typed[i]; i++) {
    if (strstr(flags->typed[i], "native")) // of this machine
      return FALSE;
  }
  return !flags->foreign;
}

static gboolean
is_environment_understood(void) {
  for (guint i = 0; i < 2; i++) {
    const char *text = g_getenv(variables[i]);
    g_autoptr(SmbFlags) flags = smb_flags_parse(text, NULL);
    if (!flags || !are_understood(flags))
      return FALSE;
  }
  return TRUE;
}

// What is to be kept, whose key comes. NULL: it is not kept
static SmbKept *
begin_kept(const SmbFlags *flags, const char *const *host) {
  g_autofree char *folder =
      are_understood(flags) && is_environment_understood() ? smb_cache_folder() : NULL;
  if (!folder)
    return NULL;
  SmbKept *kept = g_new0(SmbKept, 1);
  kept->folder = g_steal_pointer(&folder);
  kept->text = "";
  kept->host = g_strdupv((GStrv)host);
  return kept;
}

SmbKept *
smb_kept_new(const char *nvcc, const SmbCompilation *compilation, const SmbFlags *flags,
             const SmbCall *call) {
  SmbKept *kept = compilation->keeps ? begin_kept(flags, (const char *const *)call->host) : NULL;
  if (!kept)
    return NULL;
  kept->key = make_kept_key(nvcc, compilation, call);
  kept->command = g_strdup(call->command);
  kept->text = compilation->text;
  kept->length = compilation->length;
  return kept;
}

SmbKept *
smb_kept_new_program(const char *nvcc, const char *const *words, const SmbFlags *flags) {
  SmbKept *kept = begin_kept(flags, (const char *const *)flags->host);
  if (kept)
    kept->key = make_program_key(nvcc, words);
  return kept;
}

// Takes strings out of what was kept.
static SmbCompiled *
read_kept_result(const SmbKept *kept, GVariant *result) {
  const char *key, *path, *instance, *here;
  g_autoptr(SmbInputs) inputs = g_new0(SmbInputs, 1);
  g_autoptr(GVariant) image = NULL;
  g_autofree char *folder = g_get_current_dir();
  g_variant_get(result, "(&s&sm&s&s(^as^as^ass)@ay)", &key, &path, &instance, &here, &inputs->files,
                &inputs->digests, &inputs->asked, &inputs->present, &image);
  if (strcmp(key, kept->key) != 0 || (*here && strcmp(here, folder) != 0) ||
      g_strv_length(inputs->files) != g_strv_length(inputs->digests) ||
      !smb_inputs_are_same(inputs, (const char *const *)kept->host))
    return NULL;
  SmbCompiled *compiled = g_new0(SmbCompiled, 1);
  compiled->image = g_bytes_new(g_variant_get_data(image), g_variant_get_size(image));
  compiled->command = g_strdup(kept->command);
  compiled->path = g_strdup(path);
  compiled->instance = g_strdup(instance);
  compiled->files = g_steal_pointer(&inputs->files);
  return compiled;
}

SmbCompiled *
smb_kept_find(const SmbKept *kept) {
  for (guint slot = 0; slot < SMB_CACHE_SLOTS; slot++) {
    g_autoptr(GVariant) result = smb_cache_load(kept->folder, kept->key, slot, KEPT_TYPE);
    SmbCompiled *compiled = result ? read_kept_result(kept, result) : NULL;
    if (!compiled)
      continue;
    smb_cache_touch(kept->folder, kept->key, slot);
    return compiled;
  }
  return NULL;
}

// The current folder, if the image names it: files in its lines are seen from there.
static char *
find_named_folder(GBytes *image) {
  g_autofree char *folder = g_get_current_dir();
  gsize length = 0;
  const char *bytes = g_bytes_get_data(image, &length);
  return memmem(bytes, length, folder, strlen(folder)) ? g_steal_pointer(&folder) : g_strdup("");
}

void
smb_kept_add(const SmbKept *kept, const SmbCompiled *compiled, const char *const *files,
             gint64 since) {
  gsize length = 0;
  gconstpointer bytes = g_bytes_get_data(compiled->image, &length);
  g_autoptr(SmbInputs) inputs = files ? smb_inputs_new(files, (const char *const *)kept->host,
                                                       kept->text, kept->length, since)
                                      : NULL;
  if (!inputs)
    return;
  g_autofree char *here = find_named_folder(compiled->image);
  g_autoptr(GVariant) result = g_variant_ref_sink(
      g_variant_new("(ssmss(^as^as^ass)@ay)", kept->key, compiled->path, compiled->instance, here,
                    inputs->files, inputs->digests, inputs->asked, inputs->present,
                    g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, length, 1)));
  smb_cache_save(kept->folder, kept->key, result);
}
