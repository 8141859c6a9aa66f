// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// capture: records what an application launches.
#define _GNU_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/inject/protocol.h"
#include "sim/base/error.h"
#include "src/capture/application.h"
#include "src/capture/capture.h"
#include "src/capture/process.h"
#include "src/cli/companion.h"
#include "src/cli/watch.h"
#include "src/commands.h"

#define DEFAULT_PATH       "smembank.capture"
#define DEFAULT_MEMORY_MIB 256u
#define DEFAULT_FILE_MIB   4096u
#define MAX_MIB            (G_GUINT64_CONSTANT(1) << 20)
#define MAX_WORDS          G_MAXINT

static char *option_kernel, *option_launches, *option_every, *option_memory, *option_path,
    *option_file, *option_seconds;

static const GOptionEntry options[] = {
    {"kernel", 0, 0, G_OPTION_ARG_STRING, &option_kernel,
     "only kernels whose name, mangled or demangled, matches", "REGEX"},
    {"launches", 0, 0, G_OPTION_ARG_STRING, &option_launches,
     "of the launches that match, only those with these numbers, from 1, in each process",
     "FIRST..LAST"},
    {"every", 0, 0, G_OPTION_ARG_STRING, &option_every, "of those, only every N-th", "N"},
    {"memory", 0, 0, G_OPTION_ARG_STRING, &option_memory,
     "the most memory to record of a launch (default 256 MiB)", "MIB|none"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_path, "the file (default " DEFAULT_PATH ")",
     SMB_CLI_FILE},
    {"max-file", 0, 0, G_OPTION_ARG_STRING, &option_file,
     "stop recording once the file is larger (default 4096 MiB)", "MIB"},
    {"max-seconds", 0, 0, G_OPTION_ARG_STRING, &option_seconds, "stop recording after N seconds",
     "N"},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliUsage usage = {
    .arguments = "-- COMMAND…",
    .description =
        "Runs a command and records the kernels that it and its processes launch: machine code, "
        "launch, parameters, and the contents of the memory that they point to. This needs a GPU, "
        "but no permission to profile. 'smembank analyze FILE' then counts the launches on any "
        "machine.\nThe file holds the application's data; --memory none leaves memory out.",
    .min_arguments = 1,
    .max_arguments = MAX_WORDS,
    .example = "smembank capture --kernel sgemm --launches 1..3 -o app.capture -- ./app --size 512",
};

// --- what is recorded

// What the library in the application is told.
typedef struct {
  const char *const *words;
  guint64 memory_bytes;       // most memory that is recorded of a launch
  guint64 first, last, every; // which of the launches that match are recorded, in each process
} Wish;

static gboolean
parse_launch_range(Wish *wish, GError **error) {
  wish->first = wish->every = 1;
  wish->last = G_MAXUINT32;
  if (option_launches) {
    g_auto(GStrv) ends = g_strsplit(option_launches, "..", 2);
    const char *last = ends[0] && ends[1] && *ends[1] ? ends[1] : NULL;
    if (!ends[0] || !*ends[0] || (strstr(option_launches, "..") && !last && *ends[1]))
      return smb_cli_usage_error(error, "--launches '%s': expected FIRST..LAST", option_launches);
    if (!strstr(option_launches, ".."))
      last = ends[0];
    if (!smb_cli_number64("--launches", ends[0], 1, G_MAXUINT32, &wish->first, error) ||
        !smb_cli_number64("--launches", last, 1, G_MAXUINT32, &wish->last, error))
      return FALSE;
    if (wish->last < wish->first)
      return smb_cli_usage_error(error, "--launches '%s': the last comes before the first",
                                 option_launches);
  }
  return smb_cli_number64("--every", option_every, 1, G_MAXUINT32, &wish->every, error);
}

static gboolean
parse_capture_options(Wish *wish, SmbRecorderOptions *recording, GError **error) {
  guint64 memory = DEFAULT_MEMORY_MIB, file = DEFAULT_FILE_MIB;
  gboolean has_memory = g_strcmp0(option_memory, "none") != 0;
  if (!parse_launch_range(wish, error) ||
      (has_memory && !smb_cli_number64("--memory", option_memory, 1, MAX_MIB, &memory, error)) ||
      !smb_cli_number64("--max-file", option_file, 1, MAX_MIB, &file, error) ||
      !smb_cli_number("--max-seconds", option_seconds, 1, G_MAXINT, &recording->seconds, error))
    return FALSE;
  wish->memory_bytes = recording->memory_bytes = has_memory ? memory << 20 : 0;
  recording->file_bytes = file << 20;
  recording->path = option_path ? option_path : DEFAULT_PATH;
  g_autoptr(GError) failure = NULL;
  if (option_kernel && !(recording->kernel = g_regex_new(option_kernel, 0, 0, &failure)))
    return smb_cli_usage_error(error, "--kernel '%s': %s", option_kernel, failure->message);
  return TRUE;
}

// --- what is needed

static char *
find_recorder(GError **error) {
  char *found = smb_companion_find(&smb_companion_recorder);
  g_autofree char *missing = found ? NULL : smb_companion_missing(&smb_companion_recorder);
  if (missing)
    smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "%s", missing);
  return found;
}

// CUPTI, which the application is to open: by the path under which this program found it.
static char *
find_cupti(const SmbCuda *cuda, GError **error) {
  g_autofree char *reason = NULL;
  const char *given = g_getenv(INJECT_CUPTI);
  struct link_map *map = NULL;
  if (!cuda->open(SMB_CUDA_DRIVER, &reason)) {
    smb_fail(
        error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE,
        "no driver: %s. 'smembank run -o FILE -- COMMAND' captures without a GPU what calls no "
        "closed library",
        reason);
    return NULL;
  }
  if (given)
    return g_strdup(given);
  gpointer handle = cuda->open(SMB_CUDA_CUPTI, &reason);
  if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name)
    return g_strdup(map->l_name);
  smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "no CUPTI: %s",
           reason ? reason : "its file is not known");
  return NULL;
}

// The file is none that the command is given.
static gboolean
check_application(const SmbRecorderOptions *recording, const char *const *words, GError **error) {
  // What keeps it from being written is told by who writes it.
  g_autoptr(SmbOutFile) file = smb_out_file_new("--output", recording->path, NULL);
  for (guint i = 0; file && words[i]; i++) {
    if (!smb_out_file_protect(file, words[i], error))
      return FALSE;
  }
  return TRUE;
}

static gpointer
start_captured(int fd, gpointer recorder) {
  return smb_process_new(fd, recorder);
}

static int
get_captured_fd(gconstpointer process) {
  return smb_process_fd(process);
}

static gboolean
read_captured(gpointer process) {
  return smb_process_read(process);
}

static void
end_captured(gpointer process) {
  smb_process_free(process);
}

static gboolean
run_application(const Wish *wish, const char *library, const char *cupti, SmbRecorder *recorder,
                char **status, GError **error) {
  static const SmbListener listener = {start_captured, get_captured_fd, read_captured,
                                       end_captured};
  g_autofree char *bytes = g_strdup_printf("%" G_GUINT64_FORMAT, wish->memory_bytes);
  g_autofree char *range =
      g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, wish->first,
                      wish->last, wish->every);
  const char *const environment[] = {"CUDA_INJECTION64_PATH",
                                     library,
                                     INJECT_CUPTI,
                                     cupti,
                                     INJECT_BYTES,
                                     bytes,
                                     INJECT_RANGE,
                                     range,
                                     NULL};
  const SmbApplication application = {wish->words, environment, INJECT_SOCKET, &listener, recorder};
  int wait_status;
  if (!smb_application_run(&application, &wait_status, error))
    return FALSE;
  *status = smb_application_describe_end(wait_status, wish->words[0]);
  return TRUE;
}

// Runs the command and records it, while a watch is shown.
static gboolean
record_watched(const Wish *wish, const SmbRecorderOptions *recording, const char *library,
               const char *cupti, char **summary, GError **error) {
  g_autofree char *status = NULL, *recorded = NULL;
  g_autoptr(SmbRecorder) recorder = smb_recorder_new(recording, error);
  if (!recorder || !run_application(wish, library, cupti, recorder, &status, error) ||
      !smb_recorder_finish(recorder, status, &recorded, error))
    return FALSE;
  *summary = g_strconcat(recorded, status, NULL);
  return TRUE;
}

// The same; says what was recorded.
static gboolean
record(SmbCli *cli, const Wish *wish, SmbRecorderOptions *recording, GError **error) {
  g_autofree char *summary = NULL;
  g_autofree char *library = find_recorder(error);
  g_autofree char *cupti = library ? find_cupti(cli->cuda, error) : NULL;
  if (!cupti)
    return FALSE;
  recording->command = wish->words;
  SmbWatch *watch = smb_watch_start(cli->command, cli->columns, FALSE);
  recording->progress = watch ? smb_watch_progress(watch) : NULL;
  gboolean done = record_watched(wish, recording, library, cupti, &summary, error);
  g_clear_pointer(&watch, smb_watch_stop);
  if (done)
    smb_spool_printf(cli->messages, "%-s\n", summary);
  return done;
}

gboolean
smb_capture_command(SmbCli *cli, const char *const *words, const char *path, GError **error) {
  const Wish wish = {.words = words,
                     .memory_bytes = (guint64)DEFAULT_MEMORY_MIB << 20,
                     .first = 1,
                     .last = G_MAXUINT32,
                     .every = 1};
  SmbRecorderOptions recording = {.path = path,
                                  .memory_bytes = wish.memory_bytes,
                                  .file_bytes = (guint64)DEFAULT_FILE_MIB << 20};
  return record(cli, &wish, &recording, error);
}

gboolean
smb_cmd_capture(SmbCli *cli, GError **error) {
  Wish wish = {.words = NULL};
  SmbRecorderOptions recording = {.path = NULL};
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !parse_capture_options(&wish, &recording, error))
    return FALSE;
  wish.words = (const char *const *)cli->arguments;
  gboolean done =
      check_application(&recording, wish.words, error) && record(cli, &wish, &recording, error);
  g_clear_pointer(&recording.kernel, g_regex_unref);
  return done;
}
