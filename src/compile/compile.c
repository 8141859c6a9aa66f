// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/compile/compile.h"

#include <string.h>
#include <sys/wait.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/base/text.h"
#include "sim/program/symbol.h"
#include "src/compile/depend.h"
#include "src/compile/workshop.h"

// Of what a compiler says, what an error shows.
enum {
  MAX_LINES = 24,
  MAX_LINE_CHARACTERS = 200
};

// Names of files in the workshop.
static const char text_name[] = "kernel.cu", image_name[] = "kernel.out",
                  inputs_name[] = "kernel.d";

void
smb_compiled_free(SmbCompiled *compiled) {
  if (!compiled)
    return;
  g_clear_pointer(&compiled->image, g_bytes_unref);
  g_free(compiled->command);
  g_free(compiled->path);
  g_free(compiled->instance);
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

// The instance of a template is made by using its address, as an argument of another template: what is asked for is as
// short as the user writes it, and needs no types of parameters. Behind the text, so that its lines stay. The name of
// the variable that this makes tells which kernel it is.
static const char instance_format[] =
    "\ntemplate <typename F, F *kernel> __device__ char smembank_instance;\n"
    "template __device__ char smembank_instance<decltype(%s), %s>;\n";

static gboolean
write_text(const SmbCompilation *compilation, const char *path, GError **error) {
  g_autoptr(GString) text = g_string_new_len(compilation->text, (gssize)compilation->length);
  if (compilation->instance)
    g_string_append_printf(text, instance_format, compilation->instance, compilation->instance);
  return g_file_set_contents(path, text->str, (gssize)text->len, error);
}

// Whether one of the flags begins so.
static gboolean
has_flag(GStrv flags, const char *const *beginnings) {
  for (guint i = 0; flags && flags[i]; i++) {
    for (guint j = 0; beginnings[j]; j++) {
      if (g_str_has_prefix(flags[i], beginnings[j]))
        return TRUE;
    }
  }
  return FALSE;
}

static gboolean
names_architecture(GStrv flags) {
  static const char *const options[] = {"-arch", "--gpu-architecture", "-gencode",
                                        "--generate-code", NULL};
  return has_flag(flags, options);
}

// Whether there are architectures of several -gencode options, of a list "code=[sm_90,compute_90]", or all that there are.
static gboolean
names_architectures(GStrv flags) {
  static const char *const all[] = {"-arch=all", "--gpu-architecture=all", NULL};
  guint n = 0;
  for (guint i = 0; flags && flags[i]; i++) {
    const char *list = g_strrstr(flags[i], "code=");
    gboolean is_own = list && (list == flags[i] || strchr("-=,", list[-1]));
    const char *comma = is_own ? strchr(list, ',') : NULL;
    n += g_str_has_prefix(flags[i], "-gencode") || g_str_has_prefix(flags[i], "--generate-code");
    if (comma && !g_str_has_prefix(comma, ",arch="))
      return TRUE;
  }
  return n > 1 || has_flag(flags, all);
}

static gboolean
names_result(GStrv flags) {
  static const char *const options[] = {"-ptx", "--ptx", "-cubin", "--cubin", NULL};
  return has_flag(flags, options);
}

// nvcc takes values of options apart at commas.
static void
add_value(GStrvBuilder *words, const char *option, const char *value) {
  g_autoptr(GString) word = g_string_new(value);
  g_string_replace(word, ",", "\\,", 0);
  g_string_prepend(word, option);
  g_strv_builder_add(words, word->str);
}

// Where #include "…" looks first, but not #include <…>: an option of the host compiler, which nvcc calls through a shell,
// after it has taken a backslash of each two.
static void
add_quote_folder(GStrvBuilder *words, const char *folder) {
  g_autofree char *quoted = g_shell_quote(folder);
  g_autoptr(GString) text = g_string_new(quoted);
  g_string_replace(text, "\\", "\\\\", 0);
  add_value(words, "-Xcompiler=-iquote", text->str);
}

// The options that a user would recognize, without files.
static GStrv
make_options(const SmbCompilation *compilation, GStrv flags, const char *suffix) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_autofree char *arch = g_strconcat("-arch=", compilation->architecture, suffix, NULL);
  if (!names_result(flags))
    g_strv_builder_add(words, compilation->makes_ptx ? "-ptx" : "-cubin");
  g_strv_builder_add(words, "-lineinfo");
  if (!names_architecture(flags))
    g_strv_builder_add(words, arch);
  for (guint i = 0; compilation->defines && compilation->defines[i]; i++)
    add_value(words, "-D", compilation->defines[i]);
  for (guint i = 0; compilation->folders && compilation->folders[i]; i++)
    add_value(words, "-I", compilation->folders[i]);
  if (flags)
    g_strv_builder_addv(words, (const char **)flags);
  return g_strv_builder_end(words);
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
append_line(GString *text, const char *line) {
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
    append_line(text, lines[i]);
  }
  return g_string_free(text, FALSE);
}

static gboolean
fail(const SmbCompilation *compilation, const SmbWorkshopRun *run, const char *path,
     const char *command, GError **error) {
  if (run->is_late)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: nvcc was ended: it took more than %s (--max-compile)", compilation->name,
                    smb_count(compilation->seconds, "second").text);
  g_autofree char *said = rewrite_places(run->output->str, path, compilation->name);
  g_autofree char *chosen = choose_lines(said);
  g_autofree char *lines = smb_text_quote_source(chosen);
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
                      "-D %s: %s defines %s, too, which wins in a compiled text: put '#ifndef %s' "
                      "around that",
                      compilation->defines[i], place, parts[0], parts[0]);
    }
  }
  return TRUE;
}

// The instance that was made, by the name of the variable that instance_format has made: "smembank_instance<TYPE, &(KERNEL)>".
static char *
find_instance(GBytes *image) {
  static const char mark[] = "_Z17smembank_instanceI";
  gsize length;
  const char *bytes = g_bytes_get_data(image, &length);
  const char *start = bytes ? memmem(bytes, length, mark, strlen(mark)) : NULL;
  gsize end = 0, most = start ? length - (gsize)(start - bytes) : 0;
  while (end < most && (g_ascii_isalnum(start[end]) || strchr("_.$", start[end]) != NULL) &&
         start[end])
    end++;
  g_autofree char *symbol = g_strndup(start ? start : "", end);
  g_autofree char *demangled = smb_symbol_demangle(symbol, FALSE);
  const char *address = strstr(demangled, ", &(");
  const char *close = address ? g_strrstr(address, ")>") : NULL;
  return close ? g_strndup(address + 4, (gsize)(close - address - 4)) : NULL;
}

// Whether the user's options ask for a list of files, of which there can be one only.
static gboolean
lists_inputs(GStrv flags) {
  static const char *const options[] = {"-M", "--generate-dep", "--dependency", NULL};
  return has_flag(flags, options);
}

// Adds the files that the compiler read, as far as it says, without those of the workshop.
static void
take_inputs(const SmbCompilation *compilation, const char *folder, const char *list) {
  g_autoptr(GBytes) bytes = smb_source_read_bytes(list, SMB_SOURCE_MAX_BYTES, NULL);
  if (!bytes || !compilation->inputs)
    return;
  g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  g_autoptr(GPtrArray) names = smb_depend_parse(text);
  for (guint i = 0; i < names->len; i++) {
    if (!g_str_has_prefix(names->pdata[i], folder))
      g_ptr_array_add(compilation->inputs, g_strdup(names->pdata[i]));
  }
}

// One call of the compiler. @suffix: of the architecture. Returns NULL without an error if it may be tried with another.
static SmbCompiled *
compile_for(SmbWorkshop *workshop, const char *nvcc, const SmbCompilation *compilation, GStrv flags,
            const char *suffix, GError **error) {
  const char *folder = smb_workshop_folder(workshop);
  g_autofree char *path = g_build_filename(folder, text_name, NULL);
  g_autofree char *result = g_build_filename(folder, image_name, NULL);
  g_autofree char *list = g_build_filename(folder, inputs_name, NULL);
  g_auto(GStrv) options = make_options(compilation, flags, suffix);
  g_autofree char *joined = g_strjoinv(" ", options);
  g_autoptr(SmbCompiled) compiled = g_new0(SmbCompiled, 1);
  compiled->command = g_strconcat("nvcc ", joined, NULL);
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_strv_builder_add(words, nvcc);
  g_strv_builder_addv(words, (const char **)options);
  if (compilation->folder)
    add_quote_folder(words, compilation->folder);
  if (!lists_inputs(flags))
    g_strv_builder_add_many(words, "-MD", "-MF", list, NULL);
  g_strv_builder_add_many(words, "-o", result, path, NULL);
  g_auto(GStrv) all = g_strv_builder_end(words);
  g_auto(SmbWorkshopRun) run = {0};
  if (!smb_workshop_run(workshop, (const char *const *)all, compilation->seconds, &run, error))
    return NULL;
  take_inputs(compilation, folder, list);
  if (run.is_late || run.status != 0) {
    fail(compilation, &run, path, compiled->command, error);
    return NULL;
  }
  if (!check_defines(compilation, &run, path, error) ||
      !(compiled->image = smb_source_read_bytes(result, SMB_SOURCE_MAX_OBJECT_BYTES, error)))
    return NULL;
  compiled->path = g_steal_pointer(&path);
  if (compilation->instance)
    compiled->instance = find_instance(compiled->image);
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

// The user's options as words: none, or of one architecture.
static gboolean
split_flags(const SmbCompilation *compilation, GStrv *flags, GError **error) {
  g_autoptr(GError) failure = NULL;
  if (compilation->flags && !g_shell_parse_argv(compilation->flags, NULL, flags, &failure) &&
      !g_error_matches(failure, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "--nvcc '%s': %s", compilation->flags,
                    failure->message);
  return !names_architectures(*flags) ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                  "--nvcc '%s' names several architectures: expected one, or none for that of "
                  "--arch, %s",
                  compilation->flags, compilation->architecture);
}

SmbCompiled *
smb_compile(const char *nvcc, const SmbCompilation *compilation, GError **error) {
  g_auto(GStrv) flags = NULL;
  g_autoptr(GError) failure = NULL;
  if (!split_flags(compilation, &flags, error))
    return NULL;
  g_autoptr(SmbWorkshop) workshop = smb_workshop_new("compile", error);
  g_autofree char *path =
      workshop ? g_build_filename(smb_workshop_folder(workshop), text_name, NULL) : NULL;
  if (!workshop || !write_text(compilation, path, error))
    return NULL;
  SmbCompiled *compiled = compile_for(workshop, nvcc, compilation, flags, NULL, &failure);
  if (!compiled && g_error_matches(failure, SMB_ERROR, SMB_ERROR_INPUT) &&
      has_own_features(compilation->architecture) && !names_architecture(flags) &&
      strstr(failure->message, "sm_") != NULL)
    compiled = compile_for(workshop, nvcc, compilation, flags, "a", NULL);
  if (compiled)
    g_clear_error(&failure);
  else
    g_propagate_error(error, g_steal_pointer(&failure));
  return compiled;
}
