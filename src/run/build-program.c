// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/build-program.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/file.h"
#include "sim/base/source.h"
#include "sim/image/direct-ptx.h"
#include "sim/program/program.h"
#include "src/compile/inputs.h"
#include "src/compile/kept.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-,@%="

enum {
  N_CHANGES = 3
};

// The compiler hands names of files to a shell.
static gboolean
check_names(const SmbRunText *text, GError **error) {
  for (guint i = 0; i < text->n_files; i++) {
    const char *file = text->arguments[i];
    if (file[strspn(file, NAME_CHARACTERS)] || *file == '-')
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s: nvcc hands names of files to a shell: expected letters, digits and "
                      "._/+-,@%%=",
                      file);
  }
  return TRUE;
}

// A program that is compiled.
typedef struct {
  const SmbRunText *text;
  SmbWorkshop *workshop;
  char *nvcc;
  SmbFlags *flags;
  GPtrArray *words; // of the compiler, but for what is made where
  const char *program;
  char features; // as SmbRunText's
  char *inputs;  // the rule that says what is read of a text
} Build;

static void
build_clear(Build *build) {
  g_free(build->nvcc);
  g_clear_pointer(&build->flags, smb_flags_free);
  g_clear_pointer(&build->words, g_ptr_array_unref);
  g_free(build->inputs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Build, build_clear)

// Without features of one chip alone, there is PTX for those that follow, too; and with them, where PTX may be run as it is.
static void
add_architecture(GPtrArray *words, const Build *build) {
  guint chip = smb_program_cuda_arch(build->text->arch) / 10;
  if (smb_flags_name_architecture(build->flags))
    return;
  if (!build->features) {
    g_ptr_array_add(words, g_strdup_printf("-arch=sm_%u", chip));
    return;
  }
  g_ptr_array_add(words, g_strdup("-gencode"));
  g_ptr_array_add(words, g_strdup_printf("arch=compute_%u%c,code=sm_%u%c", chip, build->features,
                                         chip, build->features));
  if (!smb_direct_ptx_is_for(chip))
    return;
  g_ptr_array_add(words, g_strdup("-gencode"));
  g_ptr_array_add(words, g_strdup_printf("arch=compute_%u%c,code=compute_%u%c", chip,
                                         build->features, chip, build->features));
}

// The words of the compiler for all texts, or for one of them alone (transfer full), with a NULL at the end. The architecture is given
// unless the flags of the user name one.
static GPtrArray *
make_words(const Build *build, const char *only) {
  static const char *const first[] = {"-cudart", "shared", "-lineinfo"};
  const SmbRunText *text = build->text;
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(words, g_strdup(build->nvcc));
  for (guint i = 0; i < G_N_ELEMENTS(first); i++)
    g_ptr_array_add(words, g_strdup(first[i]));
  add_architecture(words, build);
  for (guint i = 0; build->flags->typed[i]; i++)
    g_ptr_array_add(words, g_strdup(build->flags->typed[i]));
  for (guint i = 0; i < text->n_files && !only; i++)
    g_ptr_array_add(words, g_strdup(text->arguments[i]));
  if (only)
    g_ptr_array_add(words, g_strdup(only));
  g_ptr_array_add(words, NULL);
  return words;
}

// Adds words to a call that ends with a NULL.
static void
add_call_words(GPtrArray *call, const char *const *words) {
  g_ptr_array_set_size(call, (gint)call->len - 1);
  for (guint i = 0; words[i]; i++)
    g_ptr_array_add(call, g_strdup(words[i]));
  g_ptr_array_add(call, NULL);
}

// Of one text the compiler lists what it reads while it compiles.
static GPtrArray *
make_compiler_call(const Build *build) {
  GPtrArray *call = make_words(build, NULL);
  if (build->text->n_files == 1)
    add_call_words(call, (const char *const[]){"-MD", "-MF", build->inputs, NULL});
  add_call_words(call, (const char *const[]){"-o", build->program, NULL});
  return call;
}

// What names of functions begin with, and the library of the toolkit that has them.
static const struct {
  const char *prefix, *library;
} toolkit_libraries[] = {
    {"cublasLt", "-lcublasLt"}, {"cublas", "-lcublas"},       {"cudnn", "-lcudnn"},
    {"cufft", "-lcufft"},       {"curand", "-lcurand"},       {"cusolver", "-lcusolver"},
    {"cusparse", "-lcusparse"}, {"nvJitLink", "-lnvJitLink"}, {"nvrtc", "-lnvrtc"},
    {"cu", "-lcuda"},
};

// Adds the libraries of the toolkit whose functions the linker has not found, by what it says, in whatever language. Returns whether
// there are any.
static gboolean
add_libraries(GPtrArray *call, const char *output) {
  guint n = call->len;
  if (!strstr(output, "collect2") && !strstr(output, "undefined"))
    return FALSE;
  g_ptr_array_set_size(call, (gint)n - 1); // the NULL at its end
  for (guint i = 0; i < G_N_ELEMENTS(toolkit_libraries); i++) {
    g_autofree char *pattern = g_strdup_printf("\\b%s[A-Z]\\w*\\W?$", toolkit_libraries[i].prefix);
    if (g_regex_match_simple(pattern, output, G_REGEX_MULTILINE | G_REGEX_OPTIMIZE, 0))
      g_ptr_array_add(call, g_strdup(toolkit_libraries[i].library));
  }
  g_ptr_array_add(call, NULL);
  return call->len > n;
}

// Has macros of the command line defined behind CUDA's own headers, which nvcc includes first, and which a macro T breaks. FALSE: there
// is none
static gboolean
define_late(GPtrArray *call, SmbWorkshop *workshop) {
  g_autofree char *path = g_build_filename(smb_workshop_folder(workshop), "macros.h", NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; call->pdata[i];) {
    const char *word = call->pdata[i], *next = call->pdata[i + 1];
    gboolean is_macro = g_str_has_prefix(word, "-D"), is_split = is_macro && !word[2] && next;
    if (!is_macro) {
      i++;
      continue;
    }
    g_auto(GStrv) parts = g_strsplit(is_split ? next : word + 2, "=", 2);
    g_string_append_printf(text, "#define %s %s\n", parts[0] ? parts[0] : "",
                           parts[0] && parts[1] ? parts[1] : "1");
    g_ptr_array_remove_range(call, i, is_split ? 2 : 1);
  }
  if (text->len == 0 || !g_file_set_contents(path, text->str, (gssize)text->len, NULL))
    return FALSE;
  g_ptr_array_set_size(call, (gint)call->len - 1); // the NULL at its end
  g_ptr_array_add(call, g_strdup("-include"));
  g_ptr_array_add(call, g_strdup(path));
  g_ptr_array_add(call, NULL);
  return TRUE;
}

// Whether a text has instructions that only one chip has, as wgmma: the assembler refuses the target without an 'a'.
static gboolean
needs_features(const Build *build, const SmbWorkshopRun *run) {
  return !build->features && !smb_flags_name_architecture(build->flags) &&
         smb_program_cuda_arch(build->text->arch) >= 900 && strstr(run->output->str, ".target");
}

// Changes a call that has failed, by what the compiler or the linker says. FALSE: there is nothing else to try
static gboolean
change_call(Build *build, GPtrArray **call, const SmbWorkshopRun *run) {
  if (run->status == 0 || run->is_late)
    return FALSE;
  if (!needs_features(build, run))
    return add_libraries(*call, run->output->str) || define_late(*call, build->workshop);
  build->features = 'a';
  g_ptr_array_unref(*call);
  *call = make_compiler_call(build);
  return TRUE;
}

static guint
find_seconds(const Build *build) {
  return build->text->seconds ? build->text->seconds : SMB_COMPILE_SECONDS;
}

// What was read of all texts (transfer full). NULL: that is not known.
static GStrv
list_inputs(const Build *build) {
  g_autoptr(GStrvBuilder) all = g_strv_builder_new();
  for (guint i = 0; i < build->text->n_files; i++) {
    if (build->text->n_files > 1) {
      g_autoptr(GPtrArray) call = make_words(build, build->text->arguments[i]);
      g_auto(SmbWorkshopRun) run = {0};
      add_call_words(call, (const char *const[]){"-M", "-MF", build->inputs, NULL});
      if (!smb_workshop_run(build->workshop, (const char *const *)call->pdata, find_seconds(build),
                            &run, NULL) ||
          run.is_late || run.status != 0)
        return NULL;
    }
    g_auto(GStrv) files = smb_inputs_read_rule(build->inputs, smb_workshop_folder(build->workshop));
    if (!files)
      return NULL;
    g_strv_builder_addv(all, (const char **)files);
  }
  return g_strv_builder_end(all);
}

static void
keep_program(const Build *build, const SmbKept *kept, gint64 since) {
  gsize length = 0;
  g_autofree char *bytes =
      smb_file_read_regular(build->program, SMB_SOURCE_MAX_OBJECT_BYTES, &length);
  g_auto(GStrv) files = bytes ? list_inputs(build) : NULL;
  g_autoptr(GBytes) image = bytes ? g_bytes_new(bytes, length) : NULL;
  char nowhere[] = "";
  const SmbCompiled compiled = {.image = image, .path = nowhere};
  if (files)
    smb_kept_add(kept, &compiled, (const char *const *)files, since);
}

// Whether the program was made before: it is put where it is to be.
static gboolean
take_kept(const Build *build, const SmbKept *kept) {
  SmbCompiled *found = kept ? smb_kept_find(kept) : NULL;
  gsize length = 0;
  const char *bytes = found ? g_bytes_get_data(found->image, &length) : NULL;
  gboolean taken = found && g_file_set_contents_full(build->program, bytes, (gssize)length,
                                                     G_FILE_SET_CONTENTS_NONE, 0700, NULL);
  g_clear_pointer(&found, smb_compiled_free);
  return taken;
}

// As often as a call can be changed: for its architecture, for the libraries, and for macros.
static gboolean
run_compiler(Build *build, GError **error) {
  const char *file = build->text->arguments[0];
  guint seconds = find_seconds(build);
  g_autoptr(GPtrArray) call = make_compiler_call(build);
  g_auto(SmbWorkshopRun) run = {0};
  if (!smb_workshop_run(build->workshop, (const char *const *)call->pdata, seconds, &run, error))
    return FALSE;
  for (guint n = 0; n < N_CHANGES && change_call(build, &call, &run); n++) {
    smb_workshop_run_clear(&run);
    run = (SmbWorkshopRun){0};
    if (!smb_workshop_run(build->workshop, (const char *const *)call->pdata, seconds, &run, error))
      return FALSE;
  }
  if (run.is_late)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: nvcc took longer than %u seconds", file,
                    seconds);
  return run.status == 0 || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%-s", run.output->str);
}

gboolean
smb_run_build(const SmbRunText *text, SmbWorkshop *workshop, const char *program, GError **error) {
  g_auto(Build)
      build = {.text = text, .workshop = workshop, .program = program, .features = text->features};
  if (!check_names(text, error))
    return FALSE;
  build.nvcc = smb_compile_find_nvcc();
  if (!build.nvcc)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: needs nvcc, which was not found (SMEMBANK_NVCC)", text->arguments[0]);
  build.inputs = g_build_filename(smb_workshop_folder(workshop), "inputs", NULL);
  build.flags = smb_flags_parse(text->nvcc, error);
  if (!build.flags)
    return FALSE;
  build.words = make_words(&build, NULL);
  g_autoptr(SmbKept) kept =
      text->keeps
          ? smb_kept_new_program(build.nvcc, (const char *const *)build.words->pdata, build.flags)
          : NULL;
  gint64 since = smb_inputs_now();
  if (take_kept(&build, kept))
    return TRUE;
  if (!run_compiler(&build, error))
    return FALSE;
  if (kept)
    keep_program(&build, kept, since);
  return TRUE;
}
