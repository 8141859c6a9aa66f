// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// run: runs a CUDA program without a GPU, and ranks what it has launched.
#include "config.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/driver/protocol.h"
#include "sim/base/error.h"
#include "src/commands.h"
#include "src/compile/compile.h"
#include "src/compile/workshop.h"
#include "src/rank/rank.h"
#include "src/run/running.h"
#include "src/target/captured.h"

#define FOLDER_VARIABLE "SMEMBANK_RUN_LIBRARIES"
#define LIBRARY_NAME    "libcudart.so.13"
#define REDIRECT_NAME   "smembank-redirect.so"
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-,@%="

enum {
  MAX_WORDS = G_MAXINT,
  CAPTURE_MIB = 4096,
  MEMORY_MIB = 256,
  SIGNALLED = 128, // a shell's status of what a signal ended
};

static char *option_kernel, *option_launches, *option_every, *option_capture, *option_nvcc,
    *option_kernels;

static const GOptionEntry options[] = {
    {"kernel", 0, 0, G_OPTION_ARG_STRING, &option_kernel,
     "only rank kernels whose name, mangled or demangled, matches", "REGEX"},
    {"launches", 0, 0, G_OPTION_ARG_STRING, &option_launches,
     "of the launches that match, only those with these numbers, from 1", "FIRST..LAST"},
    {"every", 0, 0, G_OPTION_ARG_STRING, &option_every, "of those, only every N-th", "N"},
    {"kernels", 0, 0, G_OPTION_ARG_STRING, &option_kernels,
     "skip: do not run kernels, so that results are wrong (default count)", "count|skip"},
    {"capture", 'o', 0, G_OPTION_ARG_FILENAME, &option_capture,
     "also keep the launches, as 'smembank capture' does", SMB_CLI_FILE},
    {"nvcc", 0, 0, G_OPTION_ARG_STRING, &option_nvcc, "more options for nvcc", "FLAGS"},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliUsage usage = {
    .arguments = "FILE.cu… [-- ARGUMENTS] | -- COMMAND…",
    .description = "Runs a CUDA program without a GPU: compiles FILE.cu with nvcc, or takes a "
                   "COMMAND that is linked "
                   "with the shared runtime (nvcc -cudart shared). The program's input, output and "
                   "exit status are its "
                   "own. When it has ended, its launches are listed by their excess wavefronts.",
    .min_arguments = 1,
    .max_arguments = MAX_WORDS,
    .has_arch = TRUE,
    .formats = smb_rank_formats,
    .example = "smembank run app.cu -- --size 512",
};

// --- options

static gboolean
parse_range(SmbRunning *running, GError **error) {
  running->first = running->every = 1;
  running->last = G_MAXUINT32;
  if (option_launches) {
    const char *dots = strstr(option_launches, "..");
    g_autofree char *first = dots ? g_strndup(option_launches, (gsize)(dots - option_launches))
                                  : g_strdup(option_launches);
    const char *last = !dots ? first : dots[2] ? dots + 2 : NULL;
    if (!smb_cli_number64("--launches", first, 1, G_MAXUINT32, &running->first, error) ||
        !smb_cli_number64("--launches", last, 1, G_MAXUINT32, &running->last, error))
      return FALSE;
    if (running->last < running->first)
      return smb_cli_usage_error(error, "--launches '%s': the last comes before the first",
                                 option_launches);
  }
  return smb_cli_number64("--every", option_every, 1, G_MAXUINT32, &running->every, error);
}

static gboolean
parse_options(const SmbCli *cli, SmbRunning *running, SmbRecorderOptions *recording,
              GError **error) {
  guint skips = 0;
  g_autoptr(GError) failure = NULL;
  running->arch = cli->arch;
  running->chip = smb_program_cuda_arch(cli->arch) / 10;
  running->memory_bytes = recording->memory_bytes = (guint64)MEMORY_MIB << 20;
  recording->file_bytes = (guint64)CAPTURE_MIB << 20;
  if (!parse_range(running, error) ||
      !smb_cli_choice("--kernels", option_kernels, "count|skip", &skips, error))
    return FALSE;
  running->skips = skips == 1;
  if (option_kernel && !(recording->kernel = g_regex_new(option_kernel, 0, 0, &failure)))
    return smb_cli_usage_error(error, "--kernel '%s': %s", option_kernel, failure->message);
  return TRUE;
}

// --- the program

// In the build tree it lies beside the program, once installed in a folder of its own (transfer full).
static char *
find_libraries(GError **error) {
  const char *given = g_getenv(FOLDER_VARIABLE);
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : g_strdup(".");
  char *candidates[] = {
      given ? g_strdup(given) : NULL,
      g_build_filename(folder, "gpu", "driver", NULL),
      g_build_filename(folder, "..", "gpu", "driver", NULL),
      g_build_filename(PKGLIBDIR, "run", NULL),
      g_build_filename(folder, "..", "lib", "smembank", "run", NULL),
  };
  char *found = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(candidates); i++) {
    g_autofree char *file =
        candidates[i] ? g_build_filename(candidates[i], LIBRARY_NAME, NULL) : NULL;
    if (!found && file && access(file, R_OK) == 0)
      found = g_canonicalize_filename(candidates[i], NULL);
    g_free(candidates[i]);
  }
  if (!found)
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "the library %s is neither next to the program nor in %s/run", LIBRARY_NAME,
             PKGLIBDIR);
  return found;
}

static guint
count_texts(const char *const *words) {
  guint n = 0;
  while (words[n] && g_str_has_suffix(words[n], ".cu"))
    n++;
  return n;
}

// The compiler hands names of files to a shell.
static gboolean
check_names(const SmbCli *cli, guint n, GError **error) {
  for (guint i = 0; i < n; i++) {
    const char *file = cli->arguments[i];
    if (file[strspn(file, NAME_CHARACTERS)] || *file == '-')
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s: nvcc hands names of files to a shell: expected letters, digits and "
                      "._/+-,@%%=",
                      file);
  }
  return TRUE;
}

// The words of the compiler (transfer full).
static GPtrArray *
make_compiler_call(const SmbCli *cli, const char *nvcc, guint n, const char *program,
                   GError **error) {
  g_autoptr(GPtrArray) call = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) flags = NULL;
  g_autoptr(GError) failure = NULL;
  if (option_nvcc && *option_nvcc && !g_shell_parse_argv(option_nvcc, NULL, &flags, &failure)) {
    smb_cli_usage_error(error, "--nvcc '%s': %s", option_nvcc, failure->message);
    return NULL;
  }
  const char *const first[] = {nvcc, "-cudart", "shared", "-lineinfo", "-o", program};
  for (guint i = 0; i < G_N_ELEMENTS(first); i++)
    g_ptr_array_add(call, g_strdup(first[i]));
  g_ptr_array_add(call, g_strdup_printf("-arch=sm_%u", smb_program_cuda_arch(cli->arch) / 10));
  for (guint i = 0; flags && flags[i]; i++)
    g_ptr_array_add(call, g_strdup(flags[i]));
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(call, g_strdup(cli->arguments[i]));
  g_ptr_array_add(call, NULL);
  return g_steal_pointer(&call);
}

static gboolean
compile(const SmbCli *cli, SmbWorkshop *workshop, guint n, const char *program, GError **error) {
  if (!check_names(cli, n, error))
    return FALSE;
  g_autofree char *nvcc = smb_compile_find_nvcc();
  if (!nvcc)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: no nvcc on this machine, which compiles it (SMEMBANK_NVCC)",
                    cli->arguments[0]);
  g_autoptr(GPtrArray) call = make_compiler_call(cli, nvcc, n, program, error);
  g_auto(SmbWorkshopRun) run = {0};
  if (!call || !smb_workshop_run(workshop, (const char *const *)call->pdata, SMB_COMPILE_SECONDS,
                                 &run, error))
    return FALSE;
  if (run.is_late)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: nvcc took longer than %d seconds",
                    cli->arguments[0], SMB_COMPILE_SECONDS);
  return run.status == 0 || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%-s", run.output->str);
}

// The words that start the program (transfer full): what is compiled of texts, or the command.
static GPtrArray *
make_words(const SmbCli *cli, SmbWorkshop *workshop, GError **error) {
  const char *const *arguments = (const char *const *)cli->arguments;
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  guint n = count_texts(arguments);
  if (n > 0) {
    char *program = g_build_filename(smb_workshop_folder(workshop), "program", NULL);
    g_ptr_array_add(words, program);
    if (!compile(cli, workshop, n, program, error))
      return NULL;
  }
  for (guint i = n; arguments[i]; i++)
    if (i > n || !g_str_equal(arguments[i], "--"))
      g_ptr_array_add(words, g_strdup(arguments[i]));
  g_ptr_array_add(words, NULL);
  return g_steal_pointer(&words);
}

// --- what it has launched

static gboolean
rank_run(SmbCli *cli, const char *path, GError **error) {
  g_autoptr(SmbCapture) capture = smb_capture_open(path, error);
  if (!capture)
    return FALSE;
  const SmbTargetOptions none = {.captured = NULL};
  g_autoptr(SmbRanking) ranking = smb_ranking_new(cli, &none, capture, smb_rank_note);
  ranking->is_passing = !option_capture;
  cli->format->write(cli, ranking);
  return TRUE;
}

static void
set_status(SmbCli *cli, int wait_status) {
  cli->status = (SmbExit)(WIFSIGNALED(wait_status) ? SIGNALLED + WTERMSIG(wait_status)
                                                   : WEXITSTATUS(wait_status));
}

// A list of the loader with one more in front (transfer full).
static char *
prepend_path(const char *first, const char *variable) {
  const char *before = g_getenv(variable);
  return before && *before ? g_strconcat(first, ":", before, NULL) : g_strdup(first);
}

// How the loader is told of the library that redirects the runtime inside a program (transfer full). The loader divides the list at
// spaces and colons: by its name alone the library is found in LD_LIBRARY_PATH.
static char *
name_redirection(const char *libraries) {
  return strpbrk(libraries, " :") ? g_strdup(REDIRECT_NAME)
                                  : g_build_filename(libraries, REDIRECT_NAME, NULL);
}

// Runs the program to its end, and ranks what it has launched.
static gboolean
run_ranked(SmbCli *cli, SmbRunning *running, SmbRecorderOptions *recording,
           const char *const *words, GError **error) {
  g_autofree char *libraries = find_libraries(error);
  g_autofree char *redirection = libraries ? name_redirection(libraries) : NULL;
  g_autofree char *path = libraries ? prepend_path(libraries, "LD_LIBRARY_PATH") : NULL;
  g_autofree char *preload = libraries ? prepend_path(redirection, "LD_PRELOAD") : NULL;
  const char *const environment[] = {"LD_LIBRARY_PATH", path, "LD_PRELOAD", preload, NULL};
  const SmbApplication application = {words, environment, RUN_SOCKET, &smb_run_listener, running};
  recording->command = (const char *const *)cli->arguments;
  g_autoptr(SmbRecorder) recorder = libraries ? smb_recorder_new(recording, error) : NULL;
  running->recorder = recorder;
  int wait_status;
  if (!recorder || !smb_application_run(&application, &wait_status, error))
    return FALSE;
  set_status(cli, wait_status);
  if (running->skips)
    smb_spool_puts(cli->messages,
                   "smembank run: kernels were not run: what the program computes is wrong\n");
  g_autofree char *end = smb_application_describe_end(wait_status, words[0]), *summary = NULL;
  g_autoptr(GError) nothing = NULL;
  if (smb_recorder_finish(recorder, end, &summary, &nothing))
    return rank_run(cli, recording->path, error);
  if (cli->status !=
      SMB_EXIT_INPUT) // else the program's own message, or that of gpu/driver/redirect.c
    smb_spool_printf(cli->messages, "smembank run: %-s\n", nothing->message);
  return TRUE;
}

gboolean
smb_cmd_run(SmbCli *cli, GError **error) {
  SmbRunning running = {.recorder = NULL};
  SmbRecorderOptions recording = {.path = NULL};
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !parse_options(cli, &running, &recording, error))
    return FALSE;
  g_autoptr(SmbWorkshop) workshop = smb_workshop_new("run", error);
  g_autoptr(GPtrArray) words = workshop ? make_words(cli, workshop, error) : NULL;
  g_autofree char *path =
      workshop ? g_build_filename(smb_workshop_folder(workshop), "launches.capture", NULL) : NULL;
  recording.path = option_capture ? option_capture : path;
  gboolean done =
      words && run_ranked(cli, &running, &recording, (const char *const *)words->pdata, error);
  g_clear_pointer(&recording.kernel, g_regex_unref);
  return done;
}
