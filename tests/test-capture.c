// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Captures: what is written is read, cut at any byte; nothing that a file says is believed.
#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/capture/capture.h"
#include "sim/capture/writer.h"
#include "sim/image/cubin.h"
#include "sim/program/buffer.h"
#include "sim/program/memory.h"
#include "tests/suite.h"

// Where the process of these tests had its memory.
#define ADDRESS  G_GUINT64_CONSTANT(0x7f3a40000000)
#define VARIABLE G_GUINT64_CONSTANT(0x7f3a60000000)

static char *folder;

static void
make_folder(void) {
  folder = g_dir_make_tmp("smembank-capture-XXXXXX", NULL);
  ck_assert_ptr_nonnull(folder);
}

static void
remove_folder(void) {
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
  }
  g_dir_close(dir);
  g_rmdir(folder);
  g_clear_pointer(&folder, g_free);
}

static char *
in_folder(const char *name) {
  return g_build_filename(folder, name, NULL);
}

static char *command[] = {(char *)"./app", (char *)"two\nlines", NULL};
static const SmbCaptureHeader header = {(char *)"smembank 0.1.0", command,
                                        (char *)"2026-11-25T12:00:00Z", 64u << 20};

static GBytes *
load_cubin(void) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/sass/parameters.sm_90a.cubin", srcdir ? srcdir : ".");
  GBytes *bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, NULL);
  ck_assert_ptr_nonnull(bytes);
  return bytes;
}

// A launch that needs nothing but its image.
static SmbCaptureLaunch *
make_launch(guint64 number, const char *kernel, const char *image) {
  SmbCaptureLaunch *launch = smb_capture_launch_new();
  launch->number = number;
  launch->launch = 100 + number;
  launch->process = 4711;
  launch->stream = g_strdup("0x5581");
  launch->kernel = g_strdup(kernel);
  launch->image = g_strdup(image);
  launch->arch = g_strdup("sm_90");
  launch->device_name = g_strdup("NVIDIA H100");
  launch->driver = g_strdup("13000");
  for (guint i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = 1;
  launch->block[0] = 32;
  launch->time = 0.25;
  return launch;
}

static SmbCaptureWriter *
start(const char *path) {
  GError *error = NULL;
  SmbCaptureWriter *writer = smb_capture_writer_new(path, &header, &error);
  ck_assert_msg(writer, "%s", error ? error->message : "");
  return writer;
}

static char *
store(SmbCaptureWriter *writer, const guchar *data, gsize n) {
  GError *error = NULL;
  char *hash = NULL;
  ck_assert_msg(smb_capture_writer_memory(writer, data, n, &hash, &error), "%s",
                error ? error->message : "");
  return hash;
}

static char *
store_image(SmbCaptureWriter *writer, GBytes *image) {
  GError *error = NULL;
  char *hash = NULL;
  ck_assert_msg(smb_capture_writer_image(writer, image, &hash, &error), "%s",
                error ? error->message : "");
  return hash;
}

static void
write_launch(SmbCaptureWriter *writer, const SmbCaptureLaunch *launch) {
  GError *error = NULL;
  ck_assert_msg(smb_capture_writer_launch(writer, launch, &error), "%s",
                error ? error->message : "");
}

static void
finish(SmbCaptureWriter *writer) {
  GError *error = NULL;
  g_autoptr(SmbCaptureEnd) end = smb_capture_end_new("it exited with status 0");
  smb_capture_end_add(end, "plain", 40, 2, 1500);
  smb_capture_end_add(end, "other", 3, 0, -1);
  ck_assert_msg(smb_capture_writer_finish(writer, end, &error), "%s", error ? error->message : "");
  smb_capture_writer_free(writer);
}

static SmbCapture *
open_whole(const char *path) {
  GError *error = NULL;
  SmbCapture *capture = smb_capture_open(path, &error);
  ck_assert_msg(capture, "%s", error ? error->message : "");
  return capture;
}

// The first kernel of the cubin with parameters, and how many bytes they have.
static char *find_kernel(GBytes *image, guint *bytes);

#include "sim/image/cubin.h"

static char *
find_kernel(GBytes *image, guint *bytes) {
  g_autoptr(SmbCubin) cubin = smb_cubin_read(image, "test", NULL);
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = cubin->functions->pdata[i];
    *bytes = function->parameter_bytes;
    if (function->is_kernel && function->parameters->len > 1)
      return g_strdup(function->name);
  }
  ck_abort();
}

// All that a launch may have. Its memory: 3 MiB and 7 bytes, of which the second MiB is zeros, and the third left out.
static void
write_all(const char *path) {
  g_autoptr(GBytes) image = load_cubin();
  guint n;
  g_autofree char *kernel = find_kernel(image, &n);
  SmbCaptureWriter *writer = start(path);
  g_autofree char *hash = store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = make_launch(1, kernel, hash);
  g_autofree guchar *data = g_malloc0(SMB_CAPTURE_PIECE_BYTES);
  SmbCaptureMemory *memory = smb_capture_launch_add_memory(launch, SMB_CAPTURE_MANAGED, ADDRESS,
                                                           3 * SMB_CAPTURE_PIECE_BYTES + 7);
  ck_assert_ptr_null(store(writer, data, SMB_CAPTURE_PIECE_BYTES));
  data[5] = 1;
  g_autofree char *first = store(writer, data, SMB_CAPTURE_PIECE_BYTES);
  g_autofree char *last = store(writer, (const guchar *)"1234567", 7);
  smb_capture_memory_add(memory, 0, SMB_CAPTURE_PIECE_BYTES, first);
  smb_capture_memory_add(memory, SMB_CAPTURE_PIECE_BYTES, SMB_CAPTURE_PIECE_BYTES, NULL);
  smb_capture_memory_add(memory, 3 * SMB_CAPTURE_PIECE_BYTES, 7, last);
  smb_capture_launch_add_variable(launch, "absent", VARIABLE, 4);
  SmbCaptureVariable *variable =
      smb_capture_launch_add_variable(launch, "table", VARIABLE + 16, SMB_CAPTURE_PIECE_BYTES + 7);
  variable->hashes = smb_capture_variable_new_hashes();
  g_ptr_array_add(variable->hashes, NULL);
  g_ptr_array_add(variable->hashes, g_strdup(last));
  launch->parameters = g_bytes_new(data, n);
  launch->cluster[0] = launch->cluster[1] = launch->cluster[2] = 1;
  launch->is_in_graph = TRUE;
  launch->graph_launch = 7;
  launch->graph_node = 3;
  launch->is_cooperative = TRUE;
  launch->dynamic_bytes = 12345;
  launch->nanoseconds = 1234.5;
  g_strfreev(launch->notes);
  launch->notes = g_strsplit("memory may have been changed|another", "|", 0);
  write_launch(writer, launch);
  finish(writer);
}

START_TEST(round_trip) {
  g_autofree char *path = in_folder("all");
  write_all(path);
  g_autoptr(SmbCapture) capture = open_whole(path);
  const SmbCaptureHeader *own = smb_capture_header(capture);
  ck_assert_str_eq(own->program, header.program);
  ck_assert_str_eq(own->command[1], "two\nlines");
  ck_assert_str_eq(own->started, header.started);
  ck_assert_uint_eq(own->memory_limit, 64u << 20);
  ck_assert_uint_eq(smb_capture_n_launches(capture), 1);
  const SmbCaptureLaunch *launch = smb_capture_launch(capture, 0);
  ck_assert_uint_eq(launch->launch, 101);
  ck_assert_uint_eq(launch->process, 4711);
  ck_assert_str_eq(launch->stream, "0x5581");
  ck_assert(launch->is_in_graph && launch->is_cooperative);
  ck_assert_uint_eq(launch->graph_launch, 7);
  ck_assert_uint_eq(launch->graph_node, 3);
  ck_assert_str_eq(launch->arch, "sm_90");
  ck_assert_str_eq(launch->device_name, "NVIDIA H100");
  ck_assert_str_eq(launch->driver, "13000");
  ck_assert_uint_eq(launch->block[0], 32);
  ck_assert_uint_eq(launch->cluster[2], 1);
  ck_assert_uint_eq(launch->dynamic_bytes, 12345);
  ck_assert_double_eq(launch->time, 0.25);
  ck_assert_double_eq(launch->nanoseconds, 1234.5);
  ck_assert_str_eq(launch->notes[1], "another");
  ck_assert_int_eq(g_array_index(launch->memory, SmbCaptureMemory, 0).kind, SMB_CAPTURE_MANAGED);
  ck_assert_uint_eq(smb_capture_held(launch), 3 * SMB_CAPTURE_PIECE_BYTES + 14);
  ck_assert_uint_eq(smb_capture_left_out(launch), SMB_CAPTURE_PIECE_BYTES + 4);
  ck_assert_str_eq(smb_capture_end(capture)->status, "it exited with status 0");
  ck_assert_double_lt(
      g_array_index(smb_capture_end(capture)->kernels, SmbCaptureKernel, 1).nanoseconds, 0);
  ck_assert_uint_eq(smb_capture_seen(capture, launch->kernel), 1);
}
END_TEST

// A piece of memory in words.
static char *
describe(const SmbMemoryPiece *piece) {
  static const char *const fills[] = {"zeros", "iota", "random", "bytes", "unknown"};
  return g_strdup_printf("%" G_GINT64_MODIFIER "x+%" G_GUINT64_FORMAT " %s %s", piece->address,
                         piece->bytes, fills[piece->contents.fill],
                         piece->variable ? piece->variable : "-");
}

START_TEST(what_is_loaded) {
  g_autofree char *path = in_folder("all");
  write_all(path);
  g_autoptr(SmbCapture) capture = open_whole(path);
  const SmbCaptureLaunch *launch = smb_capture_launch(capture, 0);
  GError *error = NULL;
  g_autoptr(GBytes) image = smb_capture_image(capture, launch, &error);
  ck_assert_msg(image, "%s", error ? error->message : "");
  g_autoptr(SmbCaptureLoaded) loaded = smb_capture_load(capture, launch, image, &error);
  ck_assert_msg(loaded, "%s", error ? error->message : "");
  static const char *const expected[] = {
      "7f3a40000000+1048576 bytes -",   "7f3a40100000+1048576 zeros -",
      "7f3a40200000+1048576 unknown -", "7f3a40300000+7 bytes -",
      "7f3a60000000+4 unknown absent",  "7f3a60000010+1048583 bytes table"};
  ck_assert_uint_eq(loaded->memory->len, G_N_ELEMENTS(expected));
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_autofree char *text = describe(&g_array_index(loaded->memory, SmbMemoryPiece, i));
    ck_assert_str_eq(text, expected[i]);
  }
  const SmbBuffer *table = loaded->buffers->pdata[1];
  ck_assert_str_eq(table->name, "table");
  ck_assert_mem_eq(table->contents.bytes + SMB_CAPTURE_PIECE_BYTES, "1234567", 7);
  ck_assert_int_eq(table->contents.bytes[0], 0);
  ck_assert(g_str_has_prefix(loaded->arguments[0], "0=raw:000000000001"));
}
END_TEST

// --- cut files

static gsize
write_two(const char *path, gsize ends[2]) {
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  SmbCaptureWriter *writer = start(path);
  g_autofree char *hash = store_image(writer, image);
  g_autofree char *memory = store(writer, (const guchar *)"abcd", 4);
  for (guint i = 0; i < 2; i++) {
    g_autoptr(SmbCaptureLaunch) launch = make_launch(i + 1, "plain", hash);
    smb_capture_memory_add(smb_capture_launch_add_memory(launch, SMB_CAPTURE_DEVICE, ADDRESS, 4), 0,
                           4, memory);
    write_launch(writer, launch);
    ends[i] = smb_capture_writer_bytes(writer);
  }
  finish(writer);
  struct stat status;
  ck_assert_int_eq(stat(path, &status), 0);
  return (gsize)status.st_size;
}

START_TEST(cut_anywhere) {
  g_autofree char *path = in_folder("whole"), *cut = in_folder("cut");
  gsize ends[2], n, size = write_two(path, ends);
  g_autofree char *bytes = NULL;
  ck_assert(g_file_get_contents(path, &bytes, &n, NULL));
  ck_assert_uint_eq(n, size);
  guint refused = 0, early = 0;
  for (gsize at = 0; at <= n; at++) {
    g_autoptr(GError) error = NULL;
    ck_assert(
        g_file_set_contents_full(cut, bytes, (gssize)at, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    g_autoptr(SmbCapture) capture = smb_capture_open(cut, &error);
    refused += capture == NULL;
    if (!capture) {
      ck_assert_msg(at < 1024 &&
                        g_str_has_suffix(error->message, "smembank-capture.json is missing"),
                    "%zu: %s", at, error->message);
      continue;
    }
    early += smb_capture_end(capture) == NULL;
    ck_assert_uint_eq(smb_capture_n_launches(capture), (guint)(at >= ends[0]) + (at >= ends[1]));
  }
  ck_assert_uint_eq(refused, 1024);
  // What follows the end's member are the blocks that end an archive.
  ck_assert_uint_eq(early, n - 1024 - 1024);
}
END_TEST

// The writer is gone without a word.
START_TEST(killed) {
  g_autofree char *path = in_folder("killed");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  SmbCaptureWriter *writer = start(path);
  g_autofree char *hash = store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = make_launch(1, "plain", hash);
  write_launch(writer, launch);
  g_autoptr(SmbCapture) capture = open_whole(path); // while it is being written
  ck_assert_uint_eq(smb_capture_n_launches(capture), 1);
  ck_assert_ptr_null(smb_capture_end(capture));
  smb_capture_writer_free(writer);
  g_autoptr(SmbCapture) again = open_whole(path);
  ck_assert_uint_eq(smb_capture_n_launches(again), 1);
}
END_TEST

// --- the file

START_TEST(stored_once) {
  g_autofree char *path = in_folder("once");
  g_autoptr(GBytes) image = load_cubin();
  g_autofree guchar *data = g_malloc(SMB_CAPTURE_PIECE_BYTES);
  for (guint i = 0; i < SMB_CAPTURE_PIECE_BYTES; i++)
    data[i] = (guchar)g_random_int();
  SmbCaptureWriter *writer = start(path);
  g_autofree char *one = store_image(writer, image),
                  *first = store(writer, data, SMB_CAPTURE_PIECE_BYTES);
  guint64 bytes = smb_capture_writer_bytes(writer);
  g_autofree char *same = store_image(writer, image),
                  *again = store(writer, data, SMB_CAPTURE_PIECE_BYTES);
  ck_assert_str_eq(one, same);
  ck_assert_str_eq(first, again);
  ck_assert_uint_eq(smb_capture_writer_bytes(writer), bytes);
  smb_capture_writer_free(writer);
}
END_TEST

START_TEST(mode) {
  g_autofree char *path = in_folder("mode"), *link = in_folder("link");
  struct stat status;
  mode_t mask = umask(0);
  smb_capture_writer_free(start(path));
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0600);
  // What is there may have another mode; a link stays one.
  ck_assert_int_eq(chmod(path, 0644), 0);
  ck_assert_int_eq(symlink("mode", link), 0);
  smb_capture_writer_free(start(link));
  umask(mask);
  ck_assert_int_eq(lstat(link, &status), 0);
  ck_assert(S_ISLNK(status.st_mode));
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0600);
}
END_TEST

static void
assert_refused(const char *path, const char *reason) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCaptureWriter) writer = smb_capture_writer_new(path, &header, &error);
  ck_assert_ptr_null(writer);
  ck_assert_msg(strstr(error->message, reason), "%s", error->message);
}

START_TEST(not_there) {
  g_autofree char *text = in_folder("text"), *link = in_folder("link"),
                  *none = in_folder("no/file");
  ck_assert(g_file_set_contents(text, "int main;", -1, NULL));
  assert_refused(text, "is there, and is no capture");
  ck_assert_int_eq(symlink("nothing", link), 0);
  assert_refused(link, "is a link that leads to no file");
  assert_refused(folder, "is no regular file");
  assert_refused("/dev/full", "is no regular file");
  assert_refused(none, "No such file or directory");
  g_autofree char *whole = NULL;
  ck_assert(g_file_get_contents(text, &whole, NULL, NULL));
  ck_assert_str_eq(whole, "int main;");
}
END_TEST

START_TEST(two_writers) {
  g_autofree char *path = in_folder("two");
  SmbCaptureWriter *writer = start(path);
  assert_refused(path, "is being written by another capture");
  smb_capture_writer_free(writer);
  smb_capture_writer_free(start(path));
}
END_TEST

// Where the file may not grow any more, a member is taken back; a smaller one may still fit.
START_TEST(disk_full) {
  g_autofree char *path = in_folder("full");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  g_autoptr(GError) error = NULL;
  g_autofree guchar *data = g_malloc(SMB_CAPTURE_PIECE_BYTES);
  for (guint i = 0; i < SMB_CAPTURE_PIECE_BYTES; i++)
    data[i] = (guchar)g_random_int();
  SmbCaptureWriter *writer = start(path);
  g_autofree char *hash = store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = make_launch(1, "plain", hash);
  write_launch(writer, launch);
  guint64 bytes = smb_capture_writer_bytes(writer);
  struct rlimit old;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes + 40000, old.rlim_max});
  char *memory = NULL;
  ck_assert(!smb_capture_writer_memory(writer, data, SMB_CAPTURE_PIECE_BYTES, &memory, &error));
  ck_assert_ptr_null(memory);
  ck_assert_msg(strstr(error->message, "cannot write"), "%s", error->message);
  struct stat status;
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_uint_eq((guint64)status.st_size, bytes);
  launch->number = 2;
  write_launch(writer, launch);
  finish(writer);
  setrlimit(RLIMIT_FSIZE, &old);
  g_autoptr(SmbCapture) capture = open_whole(path);
  ck_assert_uint_eq(smb_capture_n_launches(capture), 2);
  ck_assert_ptr_nonnull(smb_capture_end(capture));
}
END_TEST

START_TEST(writer_checks) {
  g_autofree char *path = in_folder("checks");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCaptureWriter) writer = start(path);
  g_autofree char *hash = store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = make_launch(1, "plain", hash);
  smb_capture_launch_add_memory(launch, SMB_CAPTURE_DEVICE, ADDRESS, 100);
  SmbCaptureMemory *memory =
      smb_capture_launch_add_memory(launch, SMB_CAPTURE_DEVICE, ADDRESS + 99, 100);
  ck_assert(!smb_capture_writer_launch(writer, launch, &error));
  ck_assert_str_eq(
      error->message,
      "launches/000001.json: memory at 0x7f3a40000063 overlaps memory at 0x7f3a40000000");
  g_clear_error(&error);
  memory->address++;
  smb_capture_memory_add(memory, 0, 100, hash); // of an image, not of memory
  ck_assert(!smb_capture_writer_launch(writer, launch, &error));
  ck_assert_msg(strstr(error->message, "is not in"), "%s", error->message);
  ck_assert_uint_eq(smb_capture_writer_launches(writer), 0);
}
END_TEST

// --- archives of others

// A member: what is stored, or, if @packs, that as zstd compresses it.
typedef struct {
  const char *name;
  const char *text;
  gsize bytes; // 0: of @text
  gboolean packs;
  int type; // 0: AE_IFREG
} Item;

static void
add_item(struct archive *archive, const Item *item) {
  gsize n = item->bytes ? item->bytes : strlen(item->text);
  g_autofree char *raw = g_malloc0(n + 1);
  memcpy(raw, item->text, MIN(n, strlen(item->text)));
  gsize bound = ZSTD_compressBound(n);
  g_autofree char *packed = g_malloc(bound);
  gsize stored = item->packs ? ZSTD_compress(packed, bound, raw, n, 1) : n;
  struct archive_entry *entry = archive_entry_new();
  archive_entry_set_pathname(entry, item->name);
  archive_entry_set_filetype(entry, item->type ? (guint)item->type : AE_IFREG);
  if (item->type == AE_IFLNK)
    archive_entry_set_symlink(entry, "/etc/passwd");
  archive_entry_set_perm(entry, 0600);
  archive_entry_set_size(entry, item->type ? 0 : (gint64)stored);
  ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
  if (!item->type)
    archive_write_data(archive, item->packs ? packed : raw, stored);
  archive_entry_free(entry);
}

#define HEADER_TEXT                                                                                \
  "{\"format\":\"smembank capture\",\"version\":1,\"program\":\"p\",\"command\":[\"a\"],"          \
  "\"started\":\"s\",\"memory_limit\":0}"
static const Item first_item = {"smembank-capture.json", HEADER_TEXT, 0, FALSE, 0};

static char *
pack(const Item *items, guint n) {
  char *path = in_folder("packed");
  struct archive *archive = archive_write_new();
  archive_write_set_format_pax_restricted(archive);
  ck_assert_int_eq(archive_write_open_filename(archive, path), ARCHIVE_OK);
  for (guint i = 0; i < n; i++)
    add_item(archive, &items[i]);
  archive_write_free(archive);
  return path;
}

// What is said of a capture; "" if nothing is wrong.
static char *
say(const Item *items, guint n) {
  g_autofree char *path = pack(items, n);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCapture) capture = smb_capture_open(path, &error);
  ck_assert((capture == NULL) == (error != NULL));
  gboolean is_named = !error || g_str_has_prefix(error->message, path);
  ck_assert(is_named);
  return g_strdup(error ? error->message + strlen(path) + 2 : "");
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
  Item items[3];
  const char *message;
} archives[] = {
    {{{"images/", "", 0, FALSE, AE_IFDIR}}, ""},
    {{{"images/" HASH ".cubin.zst", "x", 0, FALSE, 0}, {"memory/" HASH ".zst", "x", 0, FALSE, 0}},
     ""},
    {{{"other", "x", 0, FALSE, 0}}, "'other': no capture has such a member"},
    {{{"../end.json", "x", 0, FALSE, 0}}, "'../end.json': no capture has such a member"},
    {{{"memory/short.zst", "x", 0, FALSE, 0}}, "'memory/short.zst': no capture has such a member"},
    {{{"memory/" HASH ".zst", "x", 0, FALSE, AE_IFLNK}},
     "'memory/" HASH ".zst': expected a plain file"},
    {{{"memory/" HASH ".zst", "x", 0, FALSE, 0}, {"memory/" HASH ".zst", "x", 0, FALSE, 0}},
     "'memory/" HASH ".zst' is there twice"},
    {{{"smembank-capture.json", "x", 0, FALSE, 0}}, "'smembank-capture.json' is there twice"},
    {{{"launches/1.json", "x", 0, FALSE, 0}}, "'launches/1.json': no capture has such a member"},
    {{{"launches/000000.json", "x", 0, FALSE, 0}},
     "'launches/000000.json': no capture has such a member"},
    {{{"launches/0000001.json", "x", 0, FALSE, 0}},
     "'launches/0000001.json': no capture has such a member"},
    {{{"launches/000002.json", "x", 0, FALSE, 0}}, "launches/000001.json is missing"},
    {{{"end.json", "{\"status\":1}", 0, FALSE, 0}}, "end.json: status: 1: expected a text"},
    {{{"end.json", "{\"status\":\"s\"}", 0, FALSE, 0}}, "end.json: kernels: missing"},
    {{{"end.json", "{\"status\":\"s\",\"kernels\":[{}]}", 0, FALSE, 0}},
     "end.json: kernels[0].kernel: missing"},
    {{{"end.json", "[[[[[[[[[[[[[[[[[[[[", 0, FALSE, 0}}, "end.json: nested more than 16 deep"},
    {{{"end.json", "{}", 30, FALSE, 0}}, "end.json: expected JSON, in UTF-8"},
    {{{"end.json", "\377", 0, FALSE, 0}}, "end.json: expected JSON, in UTF-8"},
};

START_TEST(hostile_archives) {
  for (guint i = 0; i < G_N_ELEMENTS(archives); i++) {
    Item items[4] = {first_item};
    guint n = 1;
    for (guint k = 0; k < 3 && archives[i].items[k].name; k++)
      items[n++] = archives[i].items[k];
    g_autofree char *message = say(items, n);
    ck_assert_str_eq(message, archives[i].message);
  }
}
END_TEST

static const struct {
  const char *text, *message;
} headers[] = {
    {"{}", "smembank-capture.json: format: missing"},
    {"[]", "smembank-capture.json: []: expected an object"},
    {"{\"format\":\"x\",\"version\":1}",
     "smembank-capture.json: format: \"x\": expected \"smembank capture\""},
    {"{\"format\":\"smembank capture\",\"version\":2,\"more\":1}",
     "smembank-capture.json: a capture of version 2: this program reads version 1"},
    {"{\"format\":\"smembank capture\",\"version\":\"1\"}",
     "smembank-capture.json: version: \"1\": expected a whole number from 0"},
};

START_TEST(hostile_headers) {
  for (guint i = 0; i < G_N_ELEMENTS(headers); i++) {
    const Item item = {"smembank-capture.json", headers[i].text, 0, FALSE, 0};
    g_autofree char *message = say(&item, 1);
    ck_assert_str_eq(message, headers[i].message);
  }
}
END_TEST

// The JSON of a launch, of which one text is replaced.
#define LAUNCH_TEXT                                                                                \
  "{\"number\":1,\"launch\":1,\"process\":1,\"stream\":\"0\",\"graph\":null,\"kernel\":\"k\","     \
  "\"image\":\"" HASH "\",\"arch\":\"sm_90\",\"device\":{\"index\":0,\"name\":\"d\"},"             \
  "\"driver\":\"1\",\"grid\":[1,1,1],\"block\":[32,1,1],\"cluster\":null,\"dynamic_bytes\":0,"     \
  "\"cooperative\":false,\"time\":0,\"nanoseconds\":null,\"parameters\":\"00ff\","                 \
  "\"variables\":[{\"name\":\"v\",\"address\":\"0x20000\",\"bytes\":4,\"memory\":[null]}],"        \
  "\"memory\":[{\"address\":\"0x30000\",\"bytes\":64,\"kind\":\"device\",\"pieces\":["             \
  "{\"offset\":0,\"bytes\":16,\"memory\":\"" HASH                                                  \
  "\"},{\"offset\":16,\"bytes\":8,\"memory\":null}]}],"                                            \
  "\"notes\":[\"n\"]}"

static const struct {
  const char *from, *to, *message;
} launches[] = {
    {"\"n\"", "\"n\"", ""},
    {"\"number\":1", "\"number\":2", "number: 2: expected that of its name"},
    {"\"number\":1", "\"number\":-1", "number: -1: expected a whole number from 0"},
    {"\"number\":1", "\"number\":1.5", "number: 1.5: expected a whole number from 0"},
    {"\"kernel\":\"k\",", "", "kernel: missing"},
    {"\"kernel\":\"k\"", "\"kernel\":7", "kernel: 7: expected a text"},
    {"\"kernel\":\"k\"", "\"kernel\":\"k\",\"more\":1", "more: no such member"},
    {"\"graph\":null", "\"graph\":[]", "graph: []: expected an object"},
    {"\"graph\":null", "\"graph\":{\"launch\":1}", "graph.node: missing"},
    {"\"image\":\"0", "\"image\":\"", "image: its hash is none of SHA-256"},
    {"\"image\":\"0", "\"image\":\"A", "image: its hash is none of SHA-256"},
    {"\"grid\":[1,1,1]", "\"grid\":[1,0,1]", "grid[1]: 0: expected a whole number from 1 to 65535"},
    {"\"grid\":[1,1,1]", "\"grid\":[1,1]", "grid: [1,1]: expected an array of 3 whole numbers"},
    {"\"block\":[32,1,1]", "\"block\":[2048,1,1]",
     "block[0]: 2048: expected a whole number from 1 to 1024"},
    {"\"cooperative\":false", "\"cooperative\":0", "cooperative: 0: expected true or false"},
    {"\"time\":0", "\"time\":-1", "time: -1: expected a number of at least 0"},
    {"00ff", "00f",
     "parameters: \"00f\": expected two hexadecimal digits for each byte, of 64 KiB at most"},
    {"00ff", "00fg",
     "parameters: \"00fg\": expected two hexadecimal digits for each byte, of 64 KiB at most"},
    {"0x20000", "20000",
     "variables[0].address: \"20000\": expected an address, 0x and hexadecimal digits"},
    {"0x20000", "0x-2",
     "variables[0].address: \"0x-2\": expected an address, 0x and hexadecimal digits"},
    {"0x20000", "0x1fffffffffffffffff",
     "variables[0].address: \"0x1fffffffffffffffff\": expected an address, 0x and hexadecimal "
     "digits"},
    {"0x20000", "0x2000",
     "memory of 4 bytes at 0x2000: expected at least one byte, at addresses from 64 KiB to below "
     "2^48"},
    {"0x20000", "0xfffffffffffe",
     "memory of 4 bytes at 0xfffffffffffe: expected at least one byte, at addresses from 64 KiB to "
     "below 2^48"},
    {"\"bytes\":64", "\"bytes\":9223372036854775807",
     "memory of 9223372036854775807 bytes at 0x30000: expected at least one byte, at addresses "
     "from 64 KiB to below "
     "2^48"},
    {"0x20000", "0x2fffd", "memory at 0x30000 overlaps memory at 0x2fffd"},
    {"[null]", "[null,null]", "variable 'v' of 4 bytes has 2 pieces: expected one for each MiB, 1"},
    {"[null]", "[\"x\"]", "variable 'v': its hash is none of SHA-256"},
    {"[null]", "[1]", "variables[0].memory[0]: 1: expected a text"},
    {"\"device\",", "\"far\",", "memory[0].kind: \"far\": expected device, managed or host"},
    {"\"offset\":0", "\"offset\":1",
     "memory at 0x30000, the piece at offset 16: it overlaps the piece in front of it, or is out "
     "of order"},
    {"\"offset\":16", "\"offset\":57",
     "memory at 0x30000, the piece at offset 57: it ends behind the allocation"},
    {"\"offset\":16", "\"offset\":9223372036854775807",
     "memory at 0x30000, the piece at offset 9223372036854775807: it ends behind the allocation"},
    {"\"bytes\":8", "\"bytes\":0",
     "memory at 0x30000, the piece at offset 16: expected a size from 1 byte to 1 MiB"},
    {"\"bytes\":8", "\"bytes\":9223372036854775807",
     "memory at 0x30000, the piece at offset 16: it ends behind the allocation"},
    {"[\"n\"]", "null", "notes: missing"},
    {"[\"n\"]", "[3]", "notes[0]: 3: expected a text"},
};

static char *
replace(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  ck_assert_msg(at, "%s", from);
  return g_strdup_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

START_TEST(hostile_launches) {
  for (guint i = 0; i < G_N_ELEMENTS(launches); i++) {
    g_autofree char *text = replace(LAUNCH_TEXT, launches[i].from, launches[i].to);
    const Item items[] = {first_item, {"launches/000001.json", text, 0, FALSE, 0}};
    g_autofree char *message = say(items, 2);
    static const char place[] = "launches/000001.json: ";
    gboolean is_placed = g_str_has_prefix(message, place);
    ck_assert(is_placed || !*message);
    ck_assert_str_eq(message + (is_placed ? strlen(place) : 0), launches[i].message);
  }
}
END_TEST

// SHA-256 of "abcd" and of 2 MiB of zeros.
#define ABCD  "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"
#define ZEROS "5647f05ec18958947d32874eeb788fa396a05d0bab7c1b71f112ceb7e9b31eee"

// What an image is said to be: it is missing, no image, damaged, too large, or that of something else.
static const struct {
  const char *hash, *text;
  gsize bytes;
  gboolean packs;
  const char *message;
} images[] = {
    {HASH, NULL, 0, TRUE, "images/" HASH ".cubin.zst is missing"},
    {HASH, "abcd", 0, TRUE, "images/" HASH ".cubin.zst is damaged: its SHA-256 is " ABCD},
    {ABCD, "abcd", 0, FALSE,
     "images/" ABCD ".cubin.zst: expected what zstd compressed, of at most 536870912 bytes"},
    {ABCD, "\x28\xb5\x2f\xfd\x20\x04\x21", 0, FALSE,
     "images/" ABCD ".cubin.zst is damaged: it does not decompress to 4 bytes"},
    // 2^40 bytes of content, as its frame says
    {ABCD, "\x28\xb5\x2f\xfd\xe0\x01\x01\x01\x01\x01\x01\x01\x01", 0, FALSE,
     "images/" ABCD ".cubin.zst: expected what zstd compressed, of at most 536870912 bytes"},
};

START_TEST(hostile_images) {
  for (guint i = 0; i < G_N_ELEMENTS(images); i++) {
    g_autofree char *text = replace(LAUNCH_TEXT, HASH, images[i].hash);
    g_autofree char *name = g_strdup_printf("images/%s.cubin.zst", images[i].hash);
    const Item items[] = {first_item,
                          {"launches/000001.json", text, 0, FALSE, 0},
                          {name, images[i].text, images[i].bytes, images[i].packs, 0}};
    g_autofree char *path = pack(items, images[i].text ? 3 : 2);
    g_autoptr(SmbCapture) capture = open_whole(path);
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) image = smb_capture_image(capture, smb_capture_launch(capture, 0), &error);
    ck_assert_ptr_null(image);
    ck_assert_str_eq(error->message + strlen(path) + 2, images[i].message);
  }
}
END_TEST

// A piece of memory that is not what it is said to be; the launch's image is a cubin.
static const struct {
  const char *hash, *text;
  gsize bytes;
  const char *message; // behind the file
} pieces[] = {
    {HASH, NULL, 0, "memory/" HASH ".zst is missing"},
    {HASH, "abcd", 0, "memory/" HASH ".zst is damaged: its SHA-256 is " ABCD},
    {ABCD, "abcd", 0, "launch 1: memory/" ABCD ".zst has 4 bytes: expected 16"},
    {ZEROS, "", 2u << 20,
     "memory/" ZEROS ".zst: expected what zstd compressed, of at most 1048576 bytes"},
};

START_TEST(hostile_memory) {
  g_autoptr(GBytes) cubin = load_cubin();
  guint n;
  g_autofree char *kernel = find_kernel(cubin, &n);
  g_autofree char *sum = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, cubin);
  g_autofree char *digits = g_strnfill(2 * n, '0');
  g_autofree char *named = replace(LAUNCH_TEXT, "\"k\"", "\"KERNEL\"");
  g_autofree char *with_kernel = replace(named, "KERNEL", kernel);
  g_autofree char *with_image = replace(with_kernel, HASH, sum);
  g_autofree char *whole = replace(with_image, "00ff", digits);
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    g_autofree char *text = replace(whole, HASH, pieces[i].hash);
    g_autofree char *name = g_strdup_printf("memory/%s.zst", pieces[i].hash);
    const Item items[] = {first_item,
                          {"launches/000001.json", text, 0, FALSE, 0},
                          {name, pieces[i].text, pieces[i].bytes, TRUE, 0}};
    g_autofree char *path = pack(items, pieces[i].text ? 3 : 2);
    g_autoptr(SmbCapture) capture = open_whole(path);
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbCaptureLoaded) loaded =
        smb_capture_load(capture, smb_capture_launch(capture, 0), cubin, &error);
    ck_assert_ptr_null(loaded);
    ck_assert_str_eq(error->message + strlen(path) + 2, pieces[i].message);
  }
  // Too few bytes of parameters; no such kernel.
  g_autofree char *text = replace(whole, digits, "00");
  const Item items[] = {first_item, {"launches/000001.json", text, 0, FALSE, 0}};
  g_autofree char *path = pack(items, 2);
  g_autoptr(SmbCapture) capture = open_whole(path);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_capture_load(capture, smb_capture_launch(capture, 0), cubin, &error));
  ck_assert_msg(strstr(error->message, "it has 1 bytes of parameters"), "%s", error->message);
}
END_TEST

START_TEST(damaged_header) {
  g_autofree char *path = in_folder("damaged");
  gsize ends[2], n;
  g_autofree char *bytes = NULL;
  write_two(path, ends);
  ck_assert(g_file_get_contents(path, &bytes, &n, NULL));
  bytes[ends[0] + 1] ^= 1; // in the name of the second launch, so that its checksum is wrong
  ck_assert(g_file_set_contents(path, bytes, (gssize)n, NULL));
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCapture) capture = smb_capture_open(path, &error);
  ck_assert_ptr_null(capture);
  g_autofree char *place = g_strdup_printf(": byte %zu: a damaged capture: ", ends[0]);
  ck_assert_msg(strstr(error->message, place), "%s", error->message);
}
END_TEST

START_TEST(recognized) {
  g_autofree char *path = in_folder("all"), *text = in_folder("text"), *pipe = in_folder("pipe");
  write_all(path);
  ck_assert(smb_capture_recognize(path));
  ck_assert(g_file_set_contents(text, "smembank-capture.json", -1, NULL));
  ck_assert(!smb_capture_recognize(text));
  ck_assert(!smb_capture_recognize(folder));
  ck_assert(!smb_capture_recognize("/dev/zero"));
  ck_assert_int_eq(mkfifo(pipe, 0600), 0);
  ck_assert(!smb_capture_recognize(pipe)); // and does not wait for a writer
  ck_assert(!smb_capture_recognize("nowhere"));
}
END_TEST

Suite *
suite_capture(void) {
  Suite *suite = suite_create("capture");
  TCase *tcase = tcase_create("capture");
  tcase_add_checked_fixture(tcase, make_folder, remove_folder);
  tcase_add_test(tcase, round_trip);
  tcase_add_test(tcase, what_is_loaded);
  tcase_add_test(tcase, cut_anywhere);
  tcase_add_test(tcase, killed);
  tcase_add_test(tcase, stored_once);
  tcase_add_test(tcase, mode);
  tcase_add_test(tcase, not_there);
  tcase_add_test(tcase, two_writers);
  tcase_add_test(tcase, disk_full);
  tcase_add_test(tcase, writer_checks);
  tcase_add_test(tcase, hostile_archives);
  tcase_add_test(tcase, hostile_headers);
  tcase_add_test(tcase, hostile_launches);
  tcase_add_test(tcase, hostile_images);
  tcase_add_test(tcase, hostile_memory);
  tcase_add_test(tcase, damaged_header);
  tcase_add_test(tcase, recognized);
  suite_add_tcase(suite, tcase);
  return suite;
}
