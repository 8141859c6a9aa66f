// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compile/read.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/text/host.h"
#include "sim/image/direct-ptx.h"
#include "sim/program/entry.h"
#include "sim/program/symbol.h"
#include "src/compile/compile.h"
#include "src/compile/flags.h"
#include "src/compile/naming.h"

enum {
  FIRST_CHIP = 50,    // that a compiler of CUDA 12 makes code for
  FIRST_MACHINE = 75, // whose machine code is run
};

static guint
pick_chip(const SmbArch *arch) {
  const SmbArchInfo *info = smb_arch_info(arch);
  return info->capability_major * 10 + info->capability_minor;
}

gboolean
smb_compile_is_for(const SmbArch *arch) {
  return pick_chip(arch) >= FIRST_CHIP;
}

static gboolean
is_source_text(SmbSource *source) {
  return g_strcmp0(smb_program_recognize(source), "text") == 0;
}

// The kernels of an image that the text has itself, or what it includes between quotes: not those of libraries (transfer full)
// (element-type utf8). NULL: all are
static GPtrArray *
find_own_kernels(SmbSource *source, const SmbEntries *entries, const char *const *folders) {
  g_autoptr(SmbHost) host = smb_host_new();
  g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func(g_free);
  if (!smb_host_read(host, source, folders, NULL))
    return NULL;
  for (guint i = 0; i < host->kernels->len; i++)
    g_hash_table_add(names, ((const SmbHostKernel *)host->kernels->pdata[i])->name);
  for (guint i = 0; i < entries->entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    g_autofree char *plain = g_strndup(entry->name, strcspn(entry->name, "<("));
    if (g_hash_table_contains(names, plain))
      g_ptr_array_add(own, g_strdup(entry->symbol));
  }
  return own->len > 0 && own->len < entries->entries->len ? g_steal_pointer(&own) : NULL;
}

// Which kernel is meant if none is named: of those that libraries have besides, none is (transfer full) (nullable). FALSE: several are
static gboolean
choose_own_kernel(SmbSource *source, SmbSource *image, const char *const *folders, char **entry,
                  GError **error) {
  g_autoptr(SmbEntries) entries = smb_entries_read(image, NULL);
  g_autoptr(GPtrArray) own =
      entries && entries->entries->len > 1 ? find_own_kernels(source, entries, folders) : NULL;
  gint chosen = own ? smb_symbol_choose(own, NULL, smb_source_name(source), error) : 0;
  *entry = own && chosen >= 0 ? g_strdup(own->pdata[chosen]) : NULL;
  return chosen >= 0;
}

static SmbProgram *
read_compiled(SmbSource *source, const SmbCompiled *compiled, const SmbProgramOptions *reading,
              GError **error) {
  SmbProgramOptions adapted = *reading;
  g_autofree char *own = NULL;
  adapted.entry = compiled->instance ? compiled->instance : reading->entry;
  adapted.defines = adapted.folders = NULL;
  adapted.compiled_from = compiled->path;
  g_autoptr(SmbSource) image = smb_source_new_any(smb_source_name(source), compiled->image, error);
  if (!image ||
      (!adapted.entry && !choose_own_kernel(source, image, reading->folders, &own, error)))
    return NULL;
  adapted.entry = own ? own : adapted.entry;
  return smb_program_read(image, &adapted, error);
}

// The names of templates in the text that "a::k" may be short for, with all their namespaces, each once (transfer full).
static GPtrArray *
find_templates(const SmbHost *host, const char *name) {
  GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *behind = g_strconcat("::", name, NULL);
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *kernel = g_ptr_array_index(host->kernels, i);
    g_autofree char *whole = g_strconcat(kernel->space, kernel->name, NULL);
    if (kernel->is_template && (strcmp(whole, name) == 0 || g_str_has_suffix(whole, behind)) &&
        !g_ptr_array_find_with_equal_func(found, whole, g_str_equal, NULL))
      g_ptr_array_add(found, g_steal_pointer(&whole));
  }
  return found;
}

// The name that a word of the arguments of an instance is short for: that of a structure in a namespace, or a constant, which no other
// one is called like; NULL: none (transfer full)
static char *
find_qualified(const SmbHost *host, const char *word) {
  g_autofree char *behind = g_strconcat("::", word, NULL);
  const char *found = NULL, *name;
  GHashTableIter iter;
  g_hash_table_iter_init(&iter, host->structures);
  if (g_hash_table_contains(host->structures, word))
    return NULL;
  while (g_hash_table_iter_next(&iter, (gpointer *)&name, NULL)) {
    if (!g_str_has_suffix(name, behind))
      continue;
    if (found)
      return NULL;
    found = name;
  }
  return g_strdup(found);
}

// The arguments of an instance, with the namespaces of what they name (transfer full).
static char *
qualify_arguments(const SmbHost *host, const char *arguments) {
  GString *text = g_string_new(NULL);
  for (const char *at = arguments; *at;) {
    gsize length = strspn(at, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
    gboolean is_part = at - arguments > 1 && at[-1] == ':';
    g_autofree char *word = g_strndup(at, length);
    g_autofree char *whole = length && !is_part ? find_qualified(host, word) : NULL;
    g_string_append(text, whole ? whole : word);
    if (!length)
      g_string_append_c(text, *at);
    at += MAX(length, 1);
  }
  return g_string_free(text, FALSE);
}

// An instance by its whole name (transfer full): namespaces may be left out as long as that tells which is meant. What the text
// does not have, an included file may. NULL with an error: several are meant.
static char *
qualify_instance(SmbSource *source, const char *instance, const char *const *folders,
                 GError **error) {
  g_autoptr(SmbHost) host = smb_host_new();
  g_auto(GStrv) parts = g_strsplit(instance, "<", 2);
  if (!smb_host_read(host, source, folders, NULL))
    return g_strdup(instance);
  g_autoptr(GPtrArray) found = find_templates(host, g_strstrip(parts[0]));
  g_autofree char *arguments = qualify_arguments(host, parts[1] ? parts[1] : "");
  gboolean is_whole =
      found->len == 0 || g_ptr_array_find_with_equal_func(found, parts[0], g_str_equal, NULL);
  if (is_whole || found->len == 1)
    return g_strconcat(is_whole ? parts[0] : g_ptr_array_index(found, 0), "<", arguments, NULL);
  g_ptr_array_add(found, NULL);
  g_autofree char *all = g_strjoinv(", ", (char **)found->pdata);
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "--instance '%s' is ambiguous in %s: %s", instance,
           smb_source_name(source), all);
  return NULL;
}

static SmbCompiled *
call_nvcc(const char *nvcc, const SmbCompilation *compilation, const SmbCompileOptions *options,
          SmbBatch *batch, const char *entry, GError **error) {
  smb_progress_begin(options->progress, "compiling", SMB_PROGRESS_UNCOUNTED);
  SmbCompiled *compiled =
      batch ? smb_batch_compile(batch, options->form, nvcc, compilation, entry, error)
            : smb_compile(nvcc, compilation, error);
  smb_progress_begin(options->progress, NULL, 0);
  return compiled;
}

// PTX of a text whose machine code is refused, if it is run as it is; NULL: it is not.
static SmbCompiled *
compile_as_ptx(const char *nvcc, SmbCompilation *compilation, const SmbCompileOptions *options) {
  compilation->makes_ptx = TRUE;
  g_autoptr(SmbCompiled) compiled = call_nvcc(nvcc, compilation, options, NULL, NULL, NULL);
  return compiled && smb_direct_ptx_is(compiled->image) ? g_steal_pointer(&compiled) : NULL;
}

// @command: (out): also if what was compiled is refused
static SmbProgram *
build(const char *nvcc, SmbSource *source, const SmbArch *arch, const SmbCompileOptions *options,
      const SmbProgramOptions *reading, char **command, GError **error) {
  guint chip = pick_chip(arch);
  g_autofree char *architecture = g_strdup_printf("sm_%u", chip);
  g_autofree char *folder = g_path_get_dirname(smb_source_name(source));
  g_autofree char *instance =
      options->instance ? qualify_instance(source, options->instance, reading->folders, error)
                        : NULL;
  if (options->instance && !instance)
    return NULL;
  SmbCompilation compilation = {
      .name = smb_source_name(source),
      .text = smb_source_text(source),
      .length = smb_source_length(source),
      .folder = folder,
      .defines = reading->defines,
      .folders = reading->folders,
      .flags = options->flags,
      .instance = instance,
      .architecture = architecture,
      .makes_ptx = chip < FIRST_MACHINE,
      .seconds = options->seconds ? options->seconds : SMB_COMPILE_SECONDS,
      .inputs = options->inputs,
      .keeps = !options->compiles_anew,
  };
  g_autoptr(GError) refused = NULL;
  g_autoptr(SmbCompiled) compiled =
      call_nvcc(nvcc, &compilation, options, options->batch, reading->entry, &refused);
  SmbProgram *program = compiled ? read_compiled(source, compiled, reading, &refused) : NULL;
  g_autoptr(SmbCompiled) text = compiled && !program && smb_direct_ptx_is_for(chip)
                                    ? compile_as_ptx(nvcc, &compilation, options)
                                    : NULL;
  if (text) {
    g_clear_error(&refused);
    program = read_compiled(source, text, reading, &refused);
  }
  if (compiled)
    *command = g_strdup(text ? text->command : compiled->command);
  if (!program) {
    g_propagate_error(error, g_steal_pointer(&refused));
    return NULL;
  }
  GArray *shared, *prototype = smb_naming_read(source, program, reading, &shared);
  if (prototype)
    smb_program_set_prototype(program, prototype);
  if (shared)
    smb_program_set_shared(program, shared);
  return program;
}

static SmbProgram *
compile_as_asked(SmbSource *source, const SmbArch *arch, const SmbCompileOptions *options,
                 const SmbProgramOptions *reading, char **command, GError **error) {
  g_autofree char *nvcc = smb_compile_find_nvcc();
  const char *file = smb_source_name(source);
  if (!is_source_text(source))
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "--nvcc is for CUDA C: %s is compiled", file);
  else if (!smb_compile_is_for(arch))
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "--nvcc: no compiler makes code for %s",
             smb_arch_info(arch)->name);
  else if (!nvcc)
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: no nvcc in $PATH, $CUDA_HOME or /usr/local/cuda to compile it", file);
  else
    return build(nvcc, source, arch, options, reading, command, error);
  return NULL;
}

// Whether what was refused may be CUDA C that a compiler takes: a text, or a name in a namespace.
static gboolean
may_compile(SmbSource *source, const SmbArch *arch, const char *entry, const GError *refused) {
  gboolean is_qualified = entry && strstr(entry, "::");
  // nvcc has none of HIP's headers.
  if (is_source_text(source) && strstr(smb_source_text(source), "hip/hip_runtime.h"))
    return FALSE;
  return (g_error_matches(refused, SMB_ERROR, SMB_ERROR_INPUT) || is_qualified) &&
         is_source_text(source) && smb_compile_is_for(arch) &&
         strstr(smb_source_text(source), "__global__") != NULL;
}

static SmbProgram *
compile_refused(SmbSource *source, const SmbArch *arch, const SmbCompileOptions *options,
                const SmbProgramOptions *reading, char **command, const GError *refused,
                GError **error) {
  g_autofree char *nvcc = smb_compile_find_nvcc();
  if (!nvcc) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%-s\nWith nvcc (none was found) it would be compiled. You can also give PTX: "
             "'clang++ --cuda-device-only --cuda-gpu-arch=sm_%u -O3 -S FILE.cu' writes it",
             refused->message, pick_chip(arch));
    smb_error_add_hints(error ? *error : NULL, refused, 0);
    return NULL;
  }
  g_autoptr(GError) failure = NULL;
  SmbProgram *program = build(nvcc, source, arch, options, reading, command, &failure);
  if (failure && g_error_matches(failure, SMB_ERROR, SMB_ERROR_INPUT)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%-s\n%s:\n%-s", refused->message,
             *command ? "What nvcc makes of it is refused, too" : "nvcc does not compile it either",
             failure->message);
    smb_error_add_hints(error ? *error : NULL, refused, 0);
  } else if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  return program;
}

SmbProgram *
smb_compile_read(SmbSource *source, const SmbArch *arch, const SmbCompileOptions *options,
                 const SmbProgramOptions *reading, char **command, GError **error) {
  g_autoptr(GError) refused = NULL;
  *command = NULL;
  g_autoptr(SmbFlags) flags = smb_flags_parse(options->flags, error);
  if (!flags)
    return NULL;
  gboolean reads = !options->flags || (options->as_text && !smb_flags_set_macros(flags));
  SmbProgram *program = reads ? smb_program_read(source, reading, &refused) : NULL;
  if (program)
    return program;
  if (options->flags)
    return compile_as_asked(source, arch, options, reading, command, error);
  if (!options->never && may_compile(source, arch, reading->entry, refused))
    return compile_refused(source, arch, options, reading, command, refused, error);
  g_propagate_error(error, g_steal_pointer(&refused));
  return NULL;
}
