// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/compile/compile.h"

#include <string.h>
#include <sys/wait.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/base/text.h"
#include "src/compile/call.h"
#include "src/compile/flags.h"
#include "src/compile/inputs.h"
#include "src/compile/instance.h"
#include "src/compile/kept.h"
#include "src/compile/workshop.h"

// Of what a compiler says, what an error shows.
enum {
  MAX_LINES = 24,
  MAX_LINE_CHARACTERS = 200
};

// Names of files in the workshop.
static const char text_name[] = "kernel.cu", image_name[] = "kernel.out", inputs_name[] = "inputs";

void
smb_compiled_free(SmbCompiled *compiled) {
  if (!compiled)
    return;
  g_clear_pointer(&compiled->image, g_bytes_unref);
  g_free(compiled->command);
  g_free(compiled->path);
  g_free(compiled->instance);
  g_strfreev(compiled->files);
  g_free(compiled);
}

char *
smb_compile_find_nvcc(void) {
  static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
  const char *named = g_getenv(SMB_COMPILE_VARIABLE);
  if (named && *named)
    return strcmp(named, "no") == 0 ? NULL : g_strdup(named);
  char *found = g_find_program_in_path("nvcc");
  for (guint i = 0; !found && i <= G_N_ELEMENTS(homes); i++) {
    const char *home = i < G_N_ELEMENTS(homes) ? g_getenv(homes[i]) : "/usr/local/cuda";
    g_autofree char *path = home ? g_build_filename(home, "bin", "nvcc", NULL) : NULL;
    if (path && g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
      found = g_steal_pointer(&path);
  }
  return found;
}

static gboolean
write_source_text(const SmbCompilation *compilation, const char *path, GError **error) {
  g_autoptr(GString) text = g_string_new_len(compilation->text, (gssize)compilation->length);
  g_autofree char *tail = smb_instance_text(compilation->instance);
  g_string_append(text, tail);
  return g_file_set_contents(path, text->str, (gssize)text->len, error);
}

// Places as all messages have them: "FILE(12): error: …" is "FILE:12:1: error: …"; and the user's names.
static char *
rewrite_places(const char *output, const char *path, const char *name) {
  g_autofree char *valid = g_utf8_make_valid(output, -1);
  g_autoptr(GString) text = g_string_new(valid);
  g_string_replace(text, path, name, 0);
  g_autoptr(GRegex) place = g_regex_new("^([^\\n(]+)\\((\\d+)\\): ", G_REGEX_MULTILINE, 0, NULL);
  return g_regex_replace(place, text->str, -1, 0, "\\1:\\2:1: ", 0, NULL);
}

static gboolean
is_error(const char *line) {
  return strstr(line, "error") != NULL || g_str_has_prefix(line, "nvcc fatal") ||
         g_str_has_prefix(line, "ptxas fatal");
}

// Lines of a text may be long, and compilers quote them whole.
static void
append_compiler_line(GString *text, const char *line) {
  gboolean is_long = g_utf8_strlen(line, -1) > MAX_LINE_CHARACTERS;
  const char *end = is_long ? g_utf8_offset_to_pointer(line, MAX_LINE_CHARACTERS) : strchr(line, 0);
  g_string_append_len(text, line, end - line);
  g_string_append(text, is_long ? "…" : "");
}

// What the compiler says, from its first error on.
static char *
choose_lines(const char *said) {
  g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
  GString *text = g_string_new(NULL);
  guint first = 0, shown = 0;
  while (lines[first] && !is_error(lines[first]))
    first++;
  for (guint i = lines[first] ? first : 0; lines[i] && shown < MAX_LINES; i++) {
    if (!*lines[i] || strstr(lines[i], " detected in the compilation of "))
      continue;
    g_string_append(text, shown++ ? "\n" : "");
    append_compiler_line(text, lines[i]);
  }
  return g_string_free(text, FALSE);
}

static gboolean
fail_compilation(const SmbCompilation *compilation, const SmbWorkshopRun *run, const char *path,
                 const char *command, GError **error) {
  if (run->is_late)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: nvcc was stopped: it took more than %s (--max-compile)", compilation->name,
                    smb_count(compilation->seconds, "second").text);
  g_autofree char *said = rewrite_places(run->output->str, path, compilation->name);
  g_autofree char *chosen = choose_lines(said);
  g_autofree char *lines = smb_text_quote_source(chosen, TRUE);
  if (*lines)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%-s\n%s: failed: %s", lines,
                    compilation->name, command);
  return WIFSIGNALED(run->status)
             ? smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: killed by signal %d: %s",
                        compilation->name, WTERMSIG(run->status), command)
             : smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: failed with status %d: %s",
                        compilation->name, WEXITSTATUS(run->status), command);
}

// -D means another thing to a compiler: a definition in the text wins. To count what was not asked for would be wrong.
static gboolean
check_defines(const SmbCompilation *compilation, const SmbWorkshopRun *run, const char *path,
              GError **error) {
  g_autofree char *said = rewrite_places(run->output->str, path, compilation->name);
  for (guint i = 0; compilation->defines && compilation->defines[i]; i++) {
    g_auto(GStrv) parts = g_strsplit(compilation->defines[i], "=", 2);
    g_autofree char *name = g_regex_escape_string(parts[0], -1);
    g_autofree char *pattern =
        g_strdup_printf("^(.+:\\d+):(?:\\d+:)? warning: \"%s\" redefined", name);
    g_autoptr(GRegex) redefined = g_regex_new(pattern, G_REGEX_MULTILINE, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    if (redefined && g_regex_match(redefined, said, 0, &match)) {
      g_autofree char *place = g_match_info_fetch(match, 1);
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "-D %s: %s also defines %s, and that definition wins in a compiled text: put "
                      "'#ifndef %s' around it",
                      compilation->defines[i], place, parts[0], parts[0]);
    }
  }
  return TRUE;
}

// A way to compile a text, and where the result of that is kept.
typedef struct {
  const char *nvcc;
  const SmbCompilation *compilation;
  SmbCall *call;
  SmbKept *kept; // NULL: nowhere
} Try;

static void
try_clear(Try *one) {
  g_clear_pointer(&one->call, smb_call_free);
  g_clear_pointer(&one->kept, smb_kept_free);
}

static gboolean
try_init(Try *one, const char *nvcc, const SmbCompilation *compilation, const SmbFlags *flags,
         const char *suffix, gboolean late, GError **error) {
  *one = (Try){nvcc, compilation, smb_call_new(compilation, flags, suffix, error), NULL};
  if (!one->call)
    return FALSE;
  one->call->defines_late = late;
  one->kept = smb_kept_new(nvcc, compilation, flags, one->call);
  return TRUE;
}

static void
note_inputs(const SmbCompilation *compilation, const SmbCompiled *compiled) {
  for (guint i = 0; compilation->inputs && compiled->files && compiled->files[i]; i++)
    g_ptr_array_add(compilation->inputs, g_strdup(compiled->files[i]));
}

// One call of the compiler.
static SmbCompiled *
run_try(const Try *one, SmbWorkshop *workshop, GError **error) {
  const SmbCompilation *compilation = one->compilation;
  const char *folder = smb_workshop_folder(workshop);
  g_autofree char *path = g_build_filename(folder, text_name, NULL);
  g_autofree char *result = g_build_filename(folder, image_name, NULL);
  g_autofree char *inputs = g_build_filename(folder, inputs_name, NULL);
  g_autoptr(SmbCompiled) compiled = g_new0(SmbCompiled, 1);
  g_auto(GStrv) words = smb_call_write(one->call, one->nvcc, folder, inputs, path, result, error);
  gint64 since = smb_inputs_now();
  g_auto(SmbWorkshopRun) run = {0};
  if (!words ||
      !smb_workshop_run(workshop, (const char *const *)words, compilation->seconds, &run, error))
    return NULL;
  compiled->files = smb_inputs_read_rule(inputs, folder);
  note_inputs(compilation, compiled);
  if (run.is_late || run.status != 0) {
    fail_compilation(compilation, &run, path, one->call->command, error);
    return NULL;
  }
  if (!check_defines(compilation, &run, path, error) ||
      !(compiled->image = smb_source_read_bytes(result, SMB_SOURCE_MAX_OBJECT_BYTES, error)))
    return NULL;
  compiled->command = g_strdup(one->call->command);
  compiled->path = g_steal_pointer(&path);
  if (compilation->instance)
    compiled->instance = smb_instance_find(compiled->image, NULL);
  if (one->kept)
    smb_kept_add(one->kept, compiled, (const char *const *)compiled->files, since);
  return g_steal_pointer(&compiled);
}

// What an architecture alone has, and none that follows it, is compiled for "sm_90a" only: asynchronous products of
// matrices since sm_90.
static gboolean
has_own_features(const char *architecture) {
  guint64 chip = 0;
  return g_str_has_prefix(architecture, "sm_") &&
         g_ascii_string_to_unsigned(architecture + 3, 10, 90, G_MAXUINT, &chip, NULL);
}

// What is tried, one after the other: the architecture; that with the features that it has alone; and both with macros that are
// defined after CUDA's own headers, which some names break.
enum {
  WITH_OWN = 1,
  LATE = 2,
  N_TRIES = 4
};

typedef struct {
  Try tries[N_TRIES];
  gboolean has_own, has_late;
} Tries;

static void
tries_clear(Tries *tries) {
  for (guint i = 0; i < N_TRIES; i++)
    try_clear(&tries->tries[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tries, tries_clear)

static gboolean
tries_init(Tries *tries, const char *nvcc, const SmbCompilation *compilation, const SmbFlags *flags,
           GError **error) {
  tries->has_own =
      has_own_features(compilation->architecture) && !smb_flags_name_architecture(flags);
  for (guint i = 0; i < N_TRIES; i++) {
    gboolean own = (i & WITH_OWN) != 0, late = (i & LATE) != 0;
    if (i > 0)
      tries->has_late = smb_call_has_macros(tries->tries[0].call);
    if ((!own || tries->has_own) && (!late || tries->has_late) &&
        !try_init(&tries->tries[i], nvcc, compilation, flags, own ? "a" : NULL, late, error))
      return FALSE;
  }
  return TRUE;
}

// What was compiled before; NULL: nothing.
static SmbCompiled *
find_kept(const Tries *tries) {
  SmbCompiled *compiled = NULL;
  for (guint i = 0; i < N_TRIES && !compiled; i++)
    compiled = tries->tries[i].kept ? smb_kept_find(tries->tries[i].kept) : NULL;
  return compiled;
}

// Whether a compiler complains of another text than that which is compiled.
static gboolean
is_other_folder(const SmbCompilation *compilation, const GError *failure) {
  g_autofree char *own = g_strconcat(compilation->name, ":", NULL);
  return g_error_matches(failure, SMB_ERROR, SMB_ERROR_INPUT) &&
         !g_str_has_prefix(failure->message, own);
}

// For the architecture, or that with the features that it has alone.
static SmbCompiled *
run_both(const Tries *tries, guint first, SmbWorkshop *workshop, GError **error) {
  g_autoptr(GError) failure = NULL;
  SmbCompiled *compiled = run_try(&tries->tries[first], workshop, &failure);
  if (!compiled && tries->has_own && g_error_matches(failure, SMB_ERROR, SMB_ERROR_INPUT) &&
      strstr(failure->message, "sm_") != NULL)
    compiled = run_try(&tries->tries[first | WITH_OWN], workshop, NULL);
  if (!compiled)
    g_propagate_error(error, g_steal_pointer(&failure));
  return compiled;
}

static SmbCompiled *
run_tries(const Tries *tries, const SmbCompilation *compilation, GError **error) {
  g_autoptr(GError) failure = NULL;
  g_autoptr(SmbWorkshop) workshop = smb_workshop_new("compile", error);
  g_autofree char *path =
      workshop ? g_build_filename(smb_workshop_folder(workshop), text_name, NULL) : NULL;
  if (!workshop || !write_source_text(compilation, path, error))
    return NULL;
  g_autoptr(GError) late_failure = NULL;
  SmbCompiled *compiled = run_both(tries, 0, workshop, &failure);
  if (!compiled && tries->has_late && is_other_folder(compilation, failure))
    compiled = run_both(tries, LATE, workshop, &late_failure);
  // What is wrong in the text itself is said first.
  GError **told =
      late_failure && !is_other_folder(compilation, late_failure) ? &late_failure : &failure;
  if (!compiled)
    g_propagate_error(error, g_steal_pointer(told));
  return compiled;
}

SmbCompiled *
smb_compile(const char *nvcc, const SmbCompilation *compilation, GError **error) {
  g_autoptr(SmbFlags) flags = smb_flags_parse(compilation->flags, error);
  if (!flags)
    return NULL;
  if (smb_flags_name_several(flags)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
             "--nvcc '%s' names several architectures: expected one, or none for that of --arch, "
             "%s",
             compilation->flags, compilation->architecture);
    return NULL;
  }
  g_auto(Tries) tries = {.has_own = FALSE};
  if (!tries_init(&tries, nvcc, compilation, flags, error))
    return NULL;
  SmbCompiled *compiled = find_kept(&tries);
  if (compiled)
    note_inputs(compilation, compiled);
  return compiled ? compiled : run_tries(&tries, compilation, error);
}
