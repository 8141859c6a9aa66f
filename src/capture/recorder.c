// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/capture/recorder.h"

#include <string.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/program/symbol.h"

// Of a kernel, in all processes.
typedef struct {
  guint64 launches;
  guint64 recorded;
  double nanoseconds; // of those that were recorded; less than 0: of one it is not known
} Seen;

struct _SmbRecorder {
  SmbCaptureWriter *writer;
  char *path;
  GRegex *kernel;
  guint64 file_bytes;
  guint seconds;
  gint64 start;     // microseconds
  GHashTable *seen; // symbol to Seen
  GHashTable *lost; // message to how often
  guint64 n_launches;
  guint64 n_cut;         // launches of which not all memory is recorded
  guint64 memory_bytes;  // most memory of a launch
  SmbProgress *progress; // or NULL
  char *full;            // why nothing more is recorded, or NULL
  GError *failure;       // of the file
};

SmbRecorder *
smb_recorder_new(const SmbRecorderOptions *options, GError **error) {
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  g_autofree char *started = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  SmbCaptureHeader header = {.program = (char *)PACKAGE_NAME " " PACKAGE_VERSION,
                             .command = (char **)options->command,
                             .started = started,
                             .memory_limit = options->memory_bytes};
  SmbCaptureWriter *writer = smb_capture_writer_new(options->path, &header, error);
  if (!writer)
    return NULL;
  SmbRecorder *recorder = g_new0(SmbRecorder, 1);
  recorder->writer = writer;
  recorder->path = g_strdup(options->path);
  recorder->kernel = options->kernel ? g_regex_ref(options->kernel) : NULL;
  recorder->file_bytes = options->file_bytes;
  recorder->seconds = options->seconds;
  recorder->memory_bytes = options->memory_bytes;
  recorder->progress = options->progress;
  smb_progress_begin(recorder->progress, "launches recorded", 0);
  recorder->start = g_get_monotonic_time();
  recorder->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  recorder->lost = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return recorder;
}

void
smb_recorder_free(SmbRecorder *recorder) {
  if (!recorder)
    return;
  if (recorder->n_launches == 0 && smb_capture_writer_is_in_place(recorder->writer))
    g_unlink(recorder->path);
  smb_capture_writer_free(recorder->writer);
  g_free(recorder->path);
  g_clear_pointer(&recorder->kernel, g_regex_unref);
  g_hash_table_unref(recorder->seen);
  g_hash_table_unref(recorder->lost);
  g_free(recorder->full);
  g_clear_error(&recorder->failure);
  g_free(recorder);
}

gboolean
smb_recorder_wants(const SmbRecorder *recorder, const char *symbol) {
  g_autofree char *name = smb_symbol_demangle(symbol, FALSE);
  return !recorder->kernel || g_regex_match(recorder->kernel, name, 0, NULL) ||
         g_regex_match(recorder->kernel, symbol, 0, NULL);
}

double
smb_recorder_time(const SmbRecorder *recorder) {
  return (double)(g_get_monotonic_time() - recorder->start) / G_USEC_PER_SEC;
}

gboolean
smb_recorder_is_full(const SmbRecorder *recorder) {
  return recorder->full || recorder->failure ||
         (recorder->seconds && smb_recorder_time(recorder) > recorder->seconds);
}

char *
smb_recorder_memory(SmbRecorder *recorder, const guchar *bytes, gsize length) {
  char *hash = NULL;
  if (!recorder->failure)
    smb_capture_writer_memory(recorder->writer, bytes, length, &hash, &recorder->failure);
  return hash;
}

static Seen *
find_seen(SmbRecorder *recorder, const char *symbol) {
  Seen *seen = g_hash_table_lookup(recorder->seen, symbol);
  if (!seen) {
    seen = g_new0(Seen, 1);
    g_hash_table_insert(recorder->seen, g_strdup(symbol), seen);
  }
  return seen;
}

static void
check_capture_size(SmbRecorder *recorder) {
  if (smb_capture_writer_bytes(recorder->writer) > recorder->file_bytes && !recorder->full)
    recorder->full =
        g_strdup_printf("the file is larger than %" G_GUINT64_FORMAT " MiB (--max-file)",
                        recorder->file_bytes >> 20);
}

// Whether it is the file that failed: all that is said of a launch may be nonsense, and costs this launch.
static gboolean
keep_failure(SmbRecorder *recorder, const char *symbol, GError *failure) {
  gboolean is_of_file = failure->domain != SMB_ERROR;
  if (is_of_file && !recorder->failure)
    recorder->failure = g_steal_pointer(&failure);
  else if (!is_of_file)
    smb_recorder_lose(recorder, symbol, failure->message);
  g_clear_error(&failure);
  return FALSE;
}

static gboolean
store_launch(SmbRecorder *recorder, SmbCaptureLaunch *launch, GBytes *image) {
  GError *failure = NULL;
  return (smb_capture_writer_image(recorder->writer, image, &launch->image, &failure) &&
          smb_capture_writer_launch(recorder->writer, launch, &failure)) ||
         keep_failure(recorder, launch->kernel, failure);
}

// Whether the limit left out a part of the memory of a launch.
static gboolean
is_cut(const SmbRecorder *recorder, const SmbCaptureLaunch *launch) {
  guint64 reached = 0, recorded = 0;
  for (guint i = 0; i < launch->memory->len; i++) {
    const SmbCaptureMemory *memory = &g_array_index(launch->memory, SmbCaptureMemory, i);
    reached += memory->bytes;
    for (guint j = 0; j < memory->pieces->len; j++)
      recorded += g_array_index(memory->pieces, SmbCapturePiece, j).bytes;
  }
  return recorder->memory_bytes > 0 && recorded < reached && reached > recorder->memory_bytes;
}

void
smb_recorder_launch(SmbRecorder *recorder, SmbCaptureLaunch *launch, GBytes *image) {
  g_clear_pointer(&launch->image, g_free);
  launch->number = recorder->n_launches + 1;
  if (smb_recorder_is_full(recorder) || !store_launch(recorder, launch, image))
    return;
  recorder->n_launches++;
  recorder->n_cut += is_cut(recorder, launch);
  smb_progress_add(recorder->progress, 1);
  smb_progress_set_bytes(recorder->progress, smb_capture_writer_bytes(recorder->writer));
  Seen *seen = find_seen(recorder, launch->kernel);
  seen->recorded++;
  seen->nanoseconds = seen->nanoseconds < 0 || launch->nanoseconds < 0
                          ? -1
                          : seen->nanoseconds + launch->nanoseconds;
  check_capture_size(recorder);
}

void
smb_recorder_count(SmbRecorder *recorder, const char *symbol, guint64 launches) {
  find_seen(recorder, symbol)->launches += launches;
}

void
smb_recorder_lose(SmbRecorder *recorder, const char *symbol, const char *why) {
  gboolean is_symbol = !strchr(symbol, ' ');
  g_autofree char *name = is_symbol ? smb_symbol_demangle(symbol, TRUE) : g_strdup(symbol);
  char *message = g_strdup_printf("%s was not recorded: %s", name, why);
  gpointer known = g_hash_table_lookup(recorder->lost, message);
  g_hash_table_insert(recorder->lost, message, GUINT_TO_POINTER(GPOINTER_TO_UINT(known) + 1));
}

static gint
compare_symbols(gconstpointer a, gconstpointer b) {
  return g_strcmp0(a, b);
}

static SmbCaptureEnd *
make_capture_end(SmbRecorder *recorder, const char *status, guint64 *launches) {
  SmbCaptureEnd *end = smb_capture_end_new(status);
  g_autoptr(GList) symbols = g_list_sort(g_hash_table_get_keys(recorder->seen), compare_symbols);
  for (GList *at = symbols; at; at = at->next) {
    const Seen *seen = g_hash_table_lookup(recorder->seen, at->data);
    // A process that was killed has not said how many there were.
    guint64 n = MAX(seen->launches, seen->recorded);
    smb_capture_end_add(end, at->data, n, seen->recorded,
                        seen->recorded > 0 ? seen->nanoseconds : -1);
    *launches += n;
  }
  return end;
}

static void
append_lost(GString *text, SmbRecorder *recorder) {
  g_autoptr(GList) messages = g_list_sort(g_hash_table_get_keys(recorder->lost), compare_symbols);
  for (GList *at = messages; at; at = at->next)
    g_string_append_printf(text, "%s%s (%u×)\n", "a launch of ", (const char *)at->data,
                           GPOINTER_TO_UINT(g_hash_table_lookup(recorder->lost, at->data)));
}

// What the user reads when the application has ended.
static char *
summarize(SmbRecorder *recorder, guint64 launches, guint n_kernels) {
  GString *text = g_string_new(NULL);
  g_autofree char *size =
      g_format_size_full(smb_capture_writer_bytes(recorder->writer), G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf(
      text, "recorded %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s of %s in %s (%s)\n",
      recorder->n_launches, launches, smb_noun(launches, "launch").text,
      smb_count(n_kernels, "kernel").text, recorder->path, size);
  if (recorder->full)
    g_string_append_printf(text, "not everything was recorded: %s\n", recorder->full);
  if (recorder->seconds && smb_recorder_time(recorder) > recorder->seconds)
    g_string_append_printf(text, "nothing was recorded after %u seconds (--max-seconds)\n",
                           recorder->seconds);
  if (recorder->n_cut > 0)
    g_string_append_printf(text,
                           "of %s the memory is not all recorded: more than %" G_GUINT64_FORMAT
                           " MiB (--memory)\n",
                           smb_count(recorder->n_cut, "launch").text, recorder->memory_bytes >> 20);
  append_lost(text, recorder);
  return g_string_free(text, FALSE);
}

gboolean
smb_recorder_finish(SmbRecorder *recorder, const char *status, char **summary, GError **error) {
  guint64 launches = 0;
  g_autoptr(SmbCaptureEnd) end = make_capture_end(recorder, status, &launches);
  if (recorder->failure) {
    g_propagate_error(error, g_steal_pointer(&recorder->failure));
    smb_prefix_error(error,
                     "%s recorded before this: ", smb_count(recorder->n_launches, "launch").text);
    return FALSE;
  }
  if (recorder->n_launches == 0) {
    g_autoptr(GString) lost = g_string_new(NULL);
    append_lost(lost, recorder);
    g_string_truncate(lost, lost->len > 0 ? lost->len - 1 : 0);
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "no launch was recorded: %s%s%s", status,
                    lost->len > 0 ? "; " : "", lost->str);
  }
  if (!smb_capture_writer_finish(recorder->writer, end, error))
    return FALSE;
  *summary = summarize(recorder, launches, g_hash_table_size(recorder->seen));
  return TRUE;
}
