// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// run: runs a CUDA program without a GPU, and ranks what it has launched.
#include <string.h>
#include <sys/wait.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/room.h"
#include "src/analysis/launch-time.h"
#include "src/compile/flags.h"
#include "src/commands.h"
#include "src/rank/rank.h"
#include "src/run/start-program.h"
#include "src/target/captured.h"

enum {
  MAX_WORDS = G_MAXINT,
  CAPTURE_MIB = 4096,
  MEMORY_MIB = 256,
  SIGNALLED = 128, // a shell's status of what a signal ended
};

#define LEAST_DEVICE_BYTES (G_GUINT64_CONSTANT(1) << 20)

static char *option_kernel, *option_launches, *option_every, *option_capture, *option_nvcc,
    *option_json, *option_kernels, *option_unknown, *option_memory, *option_threads;
static gboolean option_check, option_anew;

static const GOptionEntry options[] = {
    {"kernel", 0, 0, G_OPTION_ARG_STRING, &option_kernel,
     "only rank kernels whose name, mangled or demangled, matches", "REGEX"},
    {"launches", 0, 0, G_OPTION_ARG_STRING, &option_launches,
     "of the launches that match, only those with these numbers, from 1", "FIRST..LAST"},
    {"every", 0, 0, G_OPTION_ARG_STRING, &option_every, "of those, only every N-th", "N"},
    {"kernels", 0, 0, G_OPTION_ARG_STRING, &option_kernels,
     "skip: do not run kernels, so that results are wrong (default count)", "count|skip"},
    {"check", 0, 0, G_OPTION_ARG_NONE, &option_check,
     "look for what kernels and calls do wrong: bounds, races, uninitialized memory, barriers",
     NULL},
    {"capture", 'o', 0, G_OPTION_ARG_FILENAME, &option_capture,
     "also keep the launches, as 'smembank capture' does", SMB_CLI_FILE},
    {"json", 0, 0, G_OPTION_ARG_FILENAME, &option_json, "also write the result to FILE, as JSON",
     SMB_CLI_FILE},
    {"device-memory", 0, 0, G_OPTION_ARG_STRING, &option_memory,
     "memory of the device (default: what this machine has free)", "BYTES"},
    {"unknown", 0, 0, G_OPTION_ARG_STRING, &option_unknown,
     "if a kernel needs what is not known: end its launch with an error, or skip the request "
     "(default error)",
     SMB_TARGET_UNKNOWN},
    {"threads", 0, 0, G_OPTION_ARG_STRING, &option_threads,
     "threads that run the blocks of a launch (default: one per processor)", "N"},
    {"nvcc", 0, 0, G_OPTION_ARG_STRING, &option_nvcc, "more options for nvcc", "FLAGS"},
    {SMB_NO_CACHE_OPTION, 0, 0, G_OPTION_ARG_NONE, &option_anew,
     "compile even if the result is cached, and do not keep it", NULL},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliGroup *const groups[] = {&smb_launch_time_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "FILE.cu… [-- ARGUMENTS] | -- COMMAND…",
    .description = "Runs a CUDA program without a GPU: compiles FILE.cu with nvcc, or takes a "
                   "COMMAND. The program's input, output and "
                   "exit status are its "
                   "own. When it has ended, its launches are listed by their excess wavefronts.",
    .min_arguments = 1,
    .max_arguments = MAX_WORDS,
    .has_arch = TRUE,
    .formats = smb_rank_formats,
    .groups = groups,
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

// "512", "512K", "512M" or "512G"
static gboolean
parse_memory(const char *text, guint64 *bytes, GError **error) {
  static const char units[] = "KMG";
  gsize length = text ? strlen(text) : 0;
  const char *unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
  g_autofree char *number = text ? g_strndup(text, length - (unit != NULL)) : NULL;
  guint shift = unit ? 10 * (guint)(unit - units + 1) : 0;
  *bytes = smb_room_available();
  if (!smb_cli_number64("--device-memory", number, 1, G_MAXINT64 >> shift, bytes, error))
    return FALSE;
  *bytes <<= shift;
  return *bytes >= LEAST_DEVICE_BYTES ||
         smb_cli_usage_error(error, "--device-memory '%s': expected at least 1M", text);
}

static gboolean
parse_options(const SmbCli *cli, SmbRunning *running, GError **error) {
  guint skips = 0, skips_unknown = 0;
  g_autoptr(GError) failure = NULL;
  running->arch = cli->arch;
  running->counts_as = cli->arch_given ? cli->arch : NULL;
  running->chip = smb_program_cuda_arch(cli->arch) / 10;
  running->memory_bytes = (guint64)MEMORY_MIB << 20;
  if (!parse_range(running, error) ||
      !smb_cli_choice("--kernels", option_kernels, "count|skip", &skips, error) ||
      !smb_cli_choice("--unknown", option_unknown, SMB_TARGET_UNKNOWN, &skips_unknown, error) ||
      !smb_cli_number("--threads", option_threads, 1, SMB_ANALYSIS_MAX_THREADS, &running->threads,
                      error) ||
      !parse_memory(option_memory, &running->device_bytes, error))
    return FALSE;
  running->skips = skips == 1;
  if (option_check && running->skips)
    return smb_cli_usage_error(error, "--check: expected kernels that run, not --kernels skip");
  running->skips_unknown = skips_unknown == 1;
  if (option_kernel && !(running->kernel = g_regex_new(option_kernel, 0, 0, &failure)))
    return smb_cli_usage_error(error, "--kernel '%s': %s", option_kernel, failure->message);
  return TRUE;
}

// --- what it has launched

static void
set_status(SmbCli *cli, int wait_status) {
  cli->status = (SmbExit)(WIFSIGNALED(wait_status) ? SIGNALLED + WTERMSIG(wait_status)
                                                   : WEXITSTATUS(wait_status));
}

// The launches of a program whose kernels were not run are counted afterwards, as those of a capture.
static SmbRanking *
rank_recorded(SmbCli *cli, const char *path, GError **error) {
  g_autoptr(SmbCapture) capture = smb_capture_open(path, error);
  const SmbTargetOptions none = {.captured = NULL};
  SmbRanking *ranking = capture ? smb_ranking_new(cli, &none, capture, smb_rank_note) : NULL;
  if (ranking)
    g_clear_pointer(&ranking->file, g_free);
  return ranking;
}

static void
write_checked_text(gconstpointer checked, SmbSpool *out) {
  smb_checked_write_text(checked, out);
}

static void
write_checked_markdown(gconstpointer checked, SmbSpool *out) {
  smb_checked_write_markdown(checked, out);
}

static void
write_checked_json(gconstpointer checked, JsonBuilder *json) {
  smb_checked_write_json(checked, json);
}

// --json
static gboolean
write_json_beside(SmbCli *cli, const SmbRanking *ranking, const SmbOutFile *file, GError **error) {
  g_autoptr(SmbSpool) document = smb_spool_new();
  SmbCli beside = *cli;
  beside.out = document;
  smb_rank_write_json(&beside, ranking);
  return smb_files_save(cli->files, file, document, NULL, error);
}

static gboolean
write_ranking(SmbCli *cli, SmbRanking *ranking, const SmbChecked *checked, const SmbOutFile *json,
              GError **error) {
  const SmbRankMore more = {checked, write_checked_text, write_checked_markdown,
                            write_checked_json};
  ranking->more = checked ? &more : NULL;
  if (option_capture)
    ranking->file = g_strdup(option_capture);
  cli->format->write(cli, ranking);
  gboolean is_written = !json || write_json_beside(cli, ranking, json, error);
  ranking->more = NULL;
  if (checked && cli->status == SMB_EXIT_DONE &&
      smb_defects_n(checked->defects) > smb_defects_n_doubts(checked->defects))
    cli->status = SMB_EXIT_DIFFERS;
  return is_written;
}

static gboolean
finish_run(SmbCli *cli, SmbRunning *running, const char *path, const char *end,
           const SmbOutFile *json, GError **error) {
  g_autofree char *summary = NULL;
  g_autoptr(GError) failure = NULL;
  gboolean is_kept = !running->recorder || running->n_launches == 0 ||
                     smb_recorder_finish(running->recorder, end, &summary, &failure);
  if (!is_kept)
    smb_spool_printf(cli->messages, "smembank run: %-s\n", failure->message);
  g_autoptr(SmbRanking) recorded =
      running->skips && is_kept && running->n_launches > 0 ? rank_recorded(cli, path, error) : NULL;
  if (running->skips)
    return recorded ? write_ranking(cli, recorded, NULL, json, error) : !error || !*error;
  smb_ranking_end(running->ranking, end);
  if (running->ranking->n_launches > 0 || running->checked)
    return write_ranking(cli, running->ranking, running->checked, json, error);
  if (cli->status != SMB_EXIT_INPUT) // of a program that says why, or that the redirection refuses
    smb_spool_printf(cli->messages, "smembank run: no launch was counted: %s\n", end);
  return TRUE;
}

// Runs the program to its end, and ranks what it has launched.
static gboolean
run_ranked(SmbCli *cli, SmbRunning *running, const char *path, const char *const *words,
           GError **error) {
  const char *const *command = (const char *const *)cli->arguments;
  const SmbRecorderOptions recording = {.path = path,
                                        .command = command,
                                        .memory_bytes = running->memory_bytes,
                                        .file_bytes = (guint64)CAPTURE_MIB << 20};
  gboolean records = running->skips || option_capture;
  g_autoptr(SmbRecorder) recorder = records ? smb_recorder_new(&recording, error) : NULL;
  g_autoptr(SmbRanking) ranking = running->skips ? NULL : smb_ranking_begin(command);
  g_autoptr(GHashTable) matching = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(SmbChecked) checked = option_check ? smb_checked_new() : NULL;
  g_autoptr(SmbPredictions) predictions =
      ranking && smb_launch_time_is_asked() ? smb_predictions_new() : NULL;
  running->predictions = predictions;
  running->checked = checked;
  running->recorder = recorder;
  running->ranking = ranking;
  running->matching = matching;
  if (records && !recorder)
    return FALSE;
  const SmbOutFile *json =
      option_json ? smb_files_open(cli->files, "--json", option_json, error) : NULL;
  if (option_json && !json)
    return FALSE;
  int wait_status;
  running->watch = smb_watch_start(cli->command, cli->columns, FALSE);
  gboolean ran = smb_run_start(running, words, SMB_RUN_OUTPUT_OWN, &wait_status, error);
  g_clear_pointer(&running->watch, smb_watch_stop);
  if (!ran)
    return FALSE;
  set_status(cli, wait_status);
  if (running->skips)
    smb_spool_puts(cli->messages,
                   "smembank run: kernels were not run: what the program computes is wrong\n");
  g_autofree char *end = smb_application_describe_end(wait_status, words[0]);
  return finish_run(cli, running, path, end, json, error);
}

// What the options of the compiler say stands for --arch, as in other commands.
static gboolean
take_compiled_arch(SmbCli *cli, GError **error) {
  g_autoptr(SmbFlags) flags = smb_flags_parse(option_nvcc, error);
  if (!flags)
    return FALSE;
  if (cli->arch_given || !flags->architecture)
    return TRUE;
  SmbArch *arch = smb_cli_load_arch(cli, flags->architecture, 0, error);
  if (!arch)
    return FALSE;
  smb_arch_unref(cli->arch);
  cli->arch = arch;
  cli->arch_given = TRUE;
  return TRUE;
}

gboolean
smb_cmd_run(SmbCli *cli, GError **error) {
  SmbRunning running = {.recorder = NULL};
  if (!smb_cli_parse(cli, &usage, options, error) || !take_compiled_arch(cli, error) ||
      !parse_options(cli, &running, error) || !smb_launch_time_check(cli->arch, error)) {
    g_clear_pointer(&running.kernel, g_regex_unref);
    return FALSE;
  }
  const SmbRunText text = {.arguments = (const char *const *)cli->arguments,
                           .arch = cli->arch,
                           .features = cli->arch_features,
                           .nvcc = option_nvcc,
                           .keeps = !option_anew};
  // A program that is there needs no folder, unless its launches are counted afterwards.
  gboolean makes_files = smb_run_is_text(cli->arguments[0]) || running.skips;
  g_autoptr(SmbWorkshop) workshop = makes_files ? smb_workshop_new("run", error) : NULL;
  g_autoptr(GPtrArray) words =
      workshop || !makes_files ? smb_run_words(&text, workshop, error) : NULL;
  g_autofree char *path =
      workshop ? g_build_filename(smb_workshop_folder(workshop), "launches.capture", NULL) : NULL;
  gboolean done = words && run_ranked(cli, &running, option_capture ? option_capture : path,
                                      (const char *const *)words->pdata, error);
  g_clear_pointer(&running.kernel, g_regex_unref);
  return done;
}
