// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/stand-in.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/base/error.h"
#include "sim/base/room.h"
#include "sim/base/text.h"
#include "src/compile/compile.h"
#include "src/rank/rank.h"
#include "src/run/start-program.h"

enum {
  FIRST_CHIP = 75, // whose machine code is run
  CAPTURE_MIB = 4096,
  MEMORY_MIB = 256,
};

// --- whether a file is run

// Whether something says how a kernel is launched. --entry says which one is meant.
static gboolean
says_launch(const SmbTargetOptions *options) {
  return options->block || options->grid || options->cluster || options->dynamic_bytes ||
         options->args || options->buffers || options->instance || options->kernel ||
         options->triton || options->arrays || options->captured;
}

gboolean
smb_stand_in_has_main(const char *text) {
  return g_regex_match_simple("^[^/\n\"]*\\bmain\\s*\\(", text,
                              (GRegexCompileFlags)(G_REGEX_MULTILINE | G_REGEX_RAW), 0);
}

static gboolean
has_main(const char *file) {
  g_autoptr(SmbSource) source = smb_source_load_any(file, NULL);
  return source && g_strcmp0(smb_program_recognize(source), "text") == 0 &&
         smb_stand_in_has_main(smb_source_text(source));
}

gboolean
smb_stand_in_is_program(const char *file, const SmbArch *arch) {
  g_autofree char *nvcc = NULL;
  if (g_strcmp0(g_getenv(SMB_STAND_IN_VARIABLE), SMB_STAND_IN_FORBIDDEN) == 0 ||
      !g_str_has_suffix(file, ".cu") || smb_arch_info(arch)->vendor != SMB_VENDOR_NVIDIA ||
      smb_program_cuda_arch(arch) / 10 < FIRST_CHIP || !has_main(file))
    return FALSE;
  return (nvcc = smb_compile_find_nvcc()) != NULL;
}

// A file that a project file names is run only if that is trusted.
gboolean
smb_stand_in_is_run(const SmbCli *cli, guint argument) {
  const SmbTargetOptions *options = smb_target_options();
  return cli->n_arguments > argument && !says_launch(options) && !options->text &&
         (!cli->case_project || options->trusts) &&
         smb_stand_in_is_program(cli->arguments[argument], cli->arch);
}

// --- the run

static void
add_folders(GString *flags, const char *const *folders) {
  for (guint i = 0; folders && folders[i]; i++) {
    g_autofree char *word = g_shell_quote(folders[i]);
    g_string_append_printf(flags, " -I%s", word);
  }
}

// The options of the compiler: those that were given, macros and folders.
static char *
make_flags(const SmbTargetOptions *options, const char *const *folders) {
  GString *flags = g_string_new(options->nvcc);
  for (guint i = 0; options->defines && options->defines[i]; i++) {
    g_autofree char *word = g_shell_quote(options->defines[i]);
    g_string_append_printf(flags, " -D%s", word);
  }
  add_folders(flags, (const char *const *)options->folders);
  add_folders(flags, folders);
  return g_string_free(flags, FALSE);
}

static gboolean
parse_stand_in_options(const SmbCli *cli, const SmbArch *arch, SmbRunning *running,
                       GError **error) {
  const SmbTargetOptions *options = smb_target_options();
  guint unknown = 0;
  *running = (SmbRunning){.arch = arch,
                          .counts_as = cli->arch_given ? cli->arch : NULL,
                          .chip = smb_program_cuda_arch(arch) / 10,
                          .device_bytes = smb_room_available(),
                          .memory_bytes = (guint64)MEMORY_MIB << 20,
                          .first = 1,
                          .last = G_MAXUINT32,
                          .every = 1};
  if (!smb_cli_choice("--unknown", options->unknown, SMB_TARGET_UNKNOWN, &unknown, error) ||
      !smb_cli_number("--threads", options->threads, 1, SMB_ANALYSIS_MAX_THREADS, &running->threads,
                      error) ||
      !smb_cli_number64("--launch", options->captured_launch, 1, G_MAXUINT32, &running->first,
                        error))
    return FALSE;
  running->last = options->captured_launch ? running->first : running->last;
  running->skips_unknown = unknown == 1;
  return TRUE;
}

// What a linker says of a function that a program calls and does not have: "undefined reference to `go(int)'". NULL: nothing
static const char *
find_missing_function(const char *reason) {
  return strstr(reason, "undefined reference");
}

// Why a file is taken as it is: the first line of it, or the one that says which function is missing.
static void
tell_reason(SmbCli *cli, const char *const *files, const char *reason) {
  const char *missing = find_missing_function(reason);
  const char *told = missing ? missing : reason;
  g_autofree char *line = g_strndup(told, strcspn(told, "\n"));
  smb_spool_printf(cli->messages, "smembank %s: %s was not run to find its launches: %s\n",
                   cli->command, files[0], line);
  g_autofree char *quoted = g_shell_quote(files[0]);
  if (missing && !files[1])
    smb_spool_printf(cli->messages,
                     "smembank %s: a program of several files is run by 'smembank run %s "
                     "OTHER.cu'\n",
                     cli->command, strchr(files[0], ' ') ? quoted : files[0]);
}

static gboolean
run_recorded(SmbCli *cli, SmbRunning *running, const char *const *words, const char *path,
             const char *file, GError **error) {
  const char *const command[] = {file, NULL};
  const SmbRecorderOptions recording = {.path = path,
                                        .command = command,
                                        .memory_bytes = running->memory_bytes,
                                        .file_bytes = (guint64)CAPTURE_MIB << 20};
  g_autoptr(SmbRecorder) recorder = smb_recorder_new(&recording, error);
  g_autoptr(GHashTable) matching = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) firsts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *summary = NULL;
  int wait_status;
  if (!recorder)
    return FALSE;
  running->recorder = recorder;
  running->matching = matching;
  running->firsts = firsts;
  running->watch = smb_watch_start(cli->command, cli->columns, FALSE);
  gboolean ran = smb_run_start(running, words, SMB_RUN_OUTPUT_ERROR, &wait_status, error);
  g_clear_pointer(&running->watch, smb_watch_stop);
  g_autofree char *end = ran ? smb_application_describe_end(wait_status, file) : NULL;
  if (ran && running->first > MAX(running->n_matching, 1))
    return smb_cli_usage_error(error, "--launch %" G_GUINT64_FORMAT ": %s launches %s",
                               running->first, file, smb_count(running->n_matching, "kernel").text);
  if (!ran || !smb_recorder_finish(recorder, end, &summary, error))
    return FALSE;
  if (wait_status != 0)
    smb_spool_printf(cli->messages, "smembank %s: %s\n", cli->command, end);
  smb_ranking_end(running->ranking, end);
  return TRUE;
}

// Kernels of the name, with or without namespaces, arguments of a template and parameters (transfer full).
static GRegex *
match_entry(const char *entry) {
  g_autofree char *name = g_regex_escape_string(entry, -1);
  g_autofree char *pattern = g_strdup_printf("(^|[^A-Za-z0-9_])%s($|[^A-Za-z0-9_])", name);
  return g_regex_new(pattern, 0, 0, NULL);
}

// Compiles files together, and runs the program. NULL with @error: it could not be.
static SmbStandIn *
run_program_files(SmbCli *cli, const char *const *files, const char *const *folders,
                  SmbRunning *running, GError **error) {
  const SmbTargetOptions *options = smb_target_options();
  g_autofree char *flags = make_flags(options, folders);
  const SmbRunText text = {.arguments = files,
                           .arch = running->arch,
                           .features = cli->arch_features,
                           .nvcc = flags,
                           .keeps = !options->compiles_anew};
  g_autoptr(SmbStandIn) stand_in = g_new0(SmbStandIn, 1);
  stand_in->n_files = g_strv_length((char **)files);
  stand_in->workshop = smb_workshop_new("run", error);
  if (!stand_in->workshop)
    return NULL;
  stand_in->ranking = running->ranking = smb_ranking_begin(files);
  g_autoptr(GPtrArray) words = smb_run_words(&text, stand_in->workshop, error);
  stand_in->path =
      g_build_filename(smb_workshop_folder(stand_in->workshop), "launches.capture", NULL);
  if (!words || !run_recorded(cli, running, (const char *const *)words->pdata, stand_in->path,
                              files[0], error))
    return NULL;
  return g_steal_pointer(&stand_in);
}

// The same of the first one alone, and of all of them if that calls functions that it does not have.
static SmbStandIn *
run_alone_first(SmbCli *cli, const char *const *files, const char *const *folders,
                SmbRunning *running, GError **error) {
  const char *const alone[] = {files[0], NULL};
  g_autoptr(GError) failure = NULL;
  SmbStandIn *stand_in = run_program_files(cli, alone, folders, running, &failure);
  if (failure && files[1] && find_missing_function(failure->message))
    return run_program_files(cli, files, folders, running, error);
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  return stand_in;
}

gboolean
smb_stand_in_run(SmbCli *cli, const char *const *files, const SmbArch *arch,
                 const char *const *folders, gboolean keeps_all, SmbStandIn **stand_in,
                 GError **error) {
  SmbRunning running;
  g_autoptr(GError) failure = NULL;
  *stand_in = NULL;
  if (!parse_stand_in_options(cli, arch, &running, error))
    return FALSE;
  const char *entry = smb_target_options()->entry;
  g_autoptr(GRegex) wanted = running.kernel = entry ? match_entry(entry) : NULL;
  running.only_firsts = !keeps_all && !smb_target_options()->captured_launch;
  *stand_in = run_alone_first(cli, files, folders, &running, &failure);
  if (*stand_in && wanted && running.n_matching == 0) {
    g_clear_pointer(stand_in, smb_stand_in_free);
    g_set_error(&failure, SMB_ERROR, SMB_ERROR_INPUT, "it launches no kernel '%s'", entry);
  }
  if (*stand_in)
    return TRUE;
  if (g_error_matches(failure, SMB_ERROR, SMB_ERROR_USAGE)) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  }
  tell_reason(cli, files, failure->message);
  return TRUE;
}

void
smb_stand_in_take(SmbCli *cli, guint argument, const SmbStandIn *stand_in) {
  smb_target_take_capture(cli->arguments[argument]);
  g_free(cli->arguments[argument]);
  cli->arguments[argument] = g_strdup(stand_in->path);
}

gboolean
smb_stand_in_open(SmbCli *cli, guint argument, gboolean keeps_all, SmbStandIn **stand_in,
                  GError **error) {
  *stand_in = NULL;
  if (!smb_stand_in_is_run(cli, argument))
    return TRUE;
  const char *const files[] = {cli->arguments[argument], NULL};
  if (!smb_stand_in_run(cli, files, cli->arch, NULL, keeps_all, stand_in, error))
    return FALSE;
  if (*stand_in)
    smb_stand_in_take(cli, argument, *stand_in);
  return TRUE;
}

// --- which launch is meant

static gboolean
is_same_shape(const SmbCaptureLaunch *a, const SmbCaptureLaunch *b) {
  return strcmp(a->kernel, b->kernel) == 0 && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
         memcmp(a->block, b->block, sizeof a->block) == 0 &&
         memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
         a->dynamic_bytes == b->dynamic_bytes;
}

guint64
smb_stand_in_find(const SmbCapture *capture, const SmbRankRow *row) {
  guint64 found = 1;
  for (guint i = smb_capture_n_launches(capture); i-- > 0;) {
    const SmbCaptureLaunch *launch = smb_capture_launch(capture, i);
    if (!is_same_shape(launch, row->launch))
      continue;
    found = launch->number;
    if (launch->launch == row->launch->number)
      break;
  }
  return found;
}

gboolean
smb_stand_in_choose(SmbCli *cli, const SmbStandIn *stand_in, GError **error) {
  if (smb_target_options()->captured_launch) { // the only one that was recorded
    smb_target_choose_launch(1);
    return TRUE;
  }
  const SmbRankRow *worst = smb_ranking_worst(stand_in->ranking, error);
  g_autoptr(SmbCapture) capture = worst ? smb_capture_open(stand_in->path, error) : NULL;
  if (!capture)
    return FALSE;
  if (stand_in->ranking->rows->len > 1)
    smb_spool_printf(cli->messages,
                     "smembank %s: launch %" G_GUINT64_FORMAT
                     " has the most excess wavefronts, %" G_GUINT64_FORMAT ": %s\n",
                     cli->command, worst->launch->number, worst->total.excess, worst->name);
  smb_target_choose_launch(smb_stand_in_find(capture, worst));
  return TRUE;
}

gboolean
smb_stand_in_settle(SmbCli *cli, guint argument, SmbStandIn **stand_in, GError **error) {
  return smb_stand_in_open(cli, argument, FALSE, stand_in, error) &&
         (!*stand_in || smb_stand_in_choose(cli, *stand_in, error));
}

void
smb_stand_in_free(SmbStandIn *stand_in) {
  if (!stand_in)
    return;
  smb_ranking_free(stand_in->ranking);
  smb_capture_loaded_free(stand_in->loaded);
  smb_capture_free(stand_in->capture);
  g_clear_pointer(&stand_in->workshop, smb_workshop_free);
  g_free(stand_in->path);
  g_free(stand_in);
}
