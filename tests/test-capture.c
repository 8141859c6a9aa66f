// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Captures: what is written is read, cut at any byte; the file itself.
#include <check.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/base/parallel.h"
#include "sim/base/source.h"
#include "sim/capture/writer.h"
#include "sim/image/cubin.h"
#include "sim/launch/buffer.h"
#include "sim/launch/memory-piece.h"
#include "tests/capture-folder.h"
#include "tests/suite.h"

// Where the process of these tests had its memory.
#define ADDRESS  G_GUINT64_CONSTANT(0x7f3a40000000)
#define VARIABLE G_GUINT64_CONSTANT(0x7f3a60000000)

// All that a launch may have. Its memory: 3 MiB and 7 bytes, of which the second MiB is zeros, and the third left out.
static void
write_all(const char *path) {
  g_autoptr(GBytes) image = capture_load_cubin();
  guint n;
  g_autofree char *kernel = capture_find_kernel(image, &n);
  SmbCaptureWriter *writer = capture_start(path);
  g_autofree char *hash = capture_store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(1, kernel, hash);
  g_autofree guchar *data = g_malloc0(SMB_CAPTURE_PIECE_BYTES);
  SmbCaptureMemory *memory = smb_capture_launch_add_memory(launch, SMB_MEMORY_MANAGED, ADDRESS,
                                                           3 * SMB_CAPTURE_PIECE_BYTES + 7);
  ck_assert_ptr_null(capture_store(writer, data, SMB_CAPTURE_PIECE_BYTES));
  data[5] = 1;
  g_autofree char *first = capture_store(writer, data, SMB_CAPTURE_PIECE_BYTES);
  g_autofree char *last = capture_store(writer, (const guchar *)"1234567", 7);
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
  capture_write_launch(writer, launch);
  capture_finish(writer);
}

START_TEST(round_trip) {
  g_autofree char *path = capture_in_folder("all");
  write_all(path);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  const SmbCaptureHeader *own = smb_capture_header(capture);
  ck_assert_str_eq(own->program, capture_header.program);
  ck_assert_str_eq(own->command[1], "two\nlines");
  ck_assert_str_eq(own->started, capture_header.started);
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
  ck_assert_int_eq(g_array_index(launch->memory, SmbCaptureMemory, 0).kind, SMB_MEMORY_MANAGED);
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
  g_autofree char *path = capture_in_folder("all");
  write_all(path);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  const SmbCaptureLaunch *launch = smb_capture_launch(capture, 0);
  GError *error = NULL;
  g_autoptr(SmbSource) code = smb_capture_code(capture, launch, &error);
  ck_assert_msg(code, "%s", error ? error->message : "");
  g_autoptr(SmbCaptureLoaded) loaded = smb_capture_load(capture, launch, code, &error);
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

// --- code that several launches ran

// Two launches of a kernel, one of another kernel of the same image, and one whose image has an end of its own.
static void
write_shared(const char *path) {
  g_autoptr(GBytes) image = capture_load_cubin();
  gsize length;
  const char *bytes = g_bytes_get_data(image, &length);
  g_autofree char *longer = g_malloc0(length + 1);
  memcpy(longer, bytes, length);
  g_autoptr(GBytes) other_image = g_bytes_new(longer, length + 1);
  g_autoptr(SmbCubin) cubin = smb_cubin_read(image, "test", NULL);
  const char *kernels[2] = {NULL, NULL};
  for (guint i = 0, n = 0; i < cubin->functions->len && n < 2; i++) {
    const SmbCubinFunction *function = cubin->functions->pdata[i];
    if (function->is_kernel)
      kernels[n++] = function->name;
  }
  ck_assert_ptr_nonnull(kernels[1]);
  SmbCaptureWriter *writer = capture_start(path);
  g_autofree char *hash = capture_store_image(writer, image),
                  *other = capture_store_image(writer, other_image);
  const struct {
    const char *kernel, *image;
  } launches[] = {{kernels[0], hash}, {kernels[0], hash}, {kernels[1], hash}, {kernels[0], other}};
  for (guint i = 0; i < G_N_ELEMENTS(launches); i++) {
    g_autoptr(SmbCaptureLaunch) launch =
        capture_make_launch(i + 1, launches[i].kernel, launches[i].image);
    capture_write_launch(writer, launch);
  }
  capture_finish(writer);
}

typedef struct {
  const SmbCapture *capture;
  guint cuda_arch;
  SmbSource *codes[4];
  SmbProgram *programs[4];
} Shared;

// May be run by several threads, each with a launch of its own.
static void
read_shared(gpointer data, guint i) {
  Shared *shared = data;
  const SmbCaptureLaunch *launch = smb_capture_launch(shared->capture, i);
  const SmbProgramOptions options = {.cuda_arch = shared->cuda_arch};
  shared->codes[i] = smb_capture_code(shared->capture, launch, NULL);
  if (shared->codes[i])
    shared->programs[i] =
        smb_capture_program(shared->capture, launch, shared->codes[i], &options, NULL, NULL, NULL);
}

static void
shared_clear(Shared *shared) {
  for (guint i = 0; i < G_N_ELEMENTS(shared->codes); i++) {
    smb_source_unref(shared->codes[i]);
    smb_program_free(shared->programs[i]);
  }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Shared, shared_clear)

// An image is unpacked and read once, and a kernel decoded once, however many launches have it, and whoever asks first.
START_TEST(code_is_read_once) {
  g_autofree char *path = capture_in_folder("shared");
  write_shared(path);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  g_auto(Shared) shared = {.capture = capture, .cuda_arch = 900};
  smb_parallel_run(G_N_ELEMENTS(shared.codes), _i ? 4 : 1, read_shared, &shared);
  for (guint i = 0; i < G_N_ELEMENTS(shared.codes); i++)
    ck_assert_ptr_nonnull(shared.programs[i]);
  ck_assert_ptr_eq(shared.codes[0], shared.codes[1]);
  ck_assert_ptr_eq(shared.codes[0], shared.codes[2]);
  ck_assert_ptr_ne(shared.codes[0], shared.codes[3]);
  ck_assert_ptr_eq(shared.programs[0], shared.programs[1]);
  ck_assert_ptr_ne(shared.programs[0], shared.programs[2]);
  ck_assert_ptr_ne(shared.programs[0], shared.programs[3]);
  ck_assert_str_eq(smb_program_symbol(shared.programs[2]), smb_capture_launch(capture, 2)->kernel);
  // It is another program if it is read otherwise.
  const SmbProgramOptions leaf = {.cuda_arch = 900, .frames = SMB_FRAMES_LEAF};
  g_autoptr(SmbProgram) other = smb_capture_program(capture, smb_capture_launch(capture, 0),
                                                    shared.codes[0], &leaf, NULL, NULL, NULL);
  ck_assert_ptr_nonnull(other);
  ck_assert_ptr_ne(other, shared.programs[0]);
}
END_TEST

// A program outlives the capture that it is of.
START_TEST(program_outlives_capture) {
  g_autofree char *path = capture_in_folder("shared");
  write_shared(path);
  SmbCapture *capture = capture_open_whole(path);
  g_auto(Shared) shared = {.capture = capture, .cuda_arch = 900};
  read_shared(&shared, 0);
  smb_capture_free(capture);
  g_clear_pointer(&shared.codes[0], smb_source_unref);
  ck_assert_uint_gt(strlen(smb_program_symbol(shared.programs[0])), 0);
  g_autoptr(GPtrArray) lines = smb_program_instructions(shared.programs[0]);
  ck_assert_ptr_nonnull(lines);
  ck_assert_uint_gt(lines->len, 0);
}
END_TEST

// --- cut files

static gsize
write_two(const char *path, gsize ends[2]) {
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  SmbCaptureWriter *writer = capture_start(path);
  g_autofree char *hash = capture_store_image(writer, image);
  g_autofree char *memory = capture_store(writer, (const guchar *)"abcd", 4);
  for (guint i = 0; i < 2; i++) {
    g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(i + 1, "plain", hash);
    smb_capture_memory_add(smb_capture_launch_add_memory(launch, SMB_MEMORY_DEVICE, ADDRESS, 4), 0,
                           4, memory);
    capture_write_launch(writer, launch);
    ends[i] = smb_capture_writer_bytes(writer);
  }
  capture_finish(writer);
  struct stat status;
  ck_assert_int_eq(stat(path, &status), 0);
  return (gsize)status.st_size;
}

START_TEST(cut_anywhere) {
  g_autofree char *path = capture_in_folder("whole"), *cut = capture_in_folder("cut");
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
  g_autofree char *path = capture_in_folder("killed");
  g_autoptr(GBytes) image = g_bytes_new("no cubin", 8);
  SmbCaptureWriter *writer = capture_start(path);
  g_autofree char *hash = capture_store_image(writer, image);
  g_autoptr(SmbCaptureLaunch) launch = capture_make_launch(1, "plain", hash);
  capture_write_launch(writer, launch);
  g_autoptr(SmbCapture) capture = capture_open_whole(path); // while it is being written
  ck_assert_uint_eq(smb_capture_n_launches(capture), 1);
  ck_assert_ptr_null(smb_capture_end(capture));
  smb_capture_writer_free(writer);
  g_autoptr(SmbCapture) again = capture_open_whole(path);
  ck_assert_uint_eq(smb_capture_n_launches(again), 1);
}
END_TEST

// --- what is no capture

START_TEST(damaged_header) {
  g_autofree char *path = capture_in_folder("damaged");
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
  g_autofree char *root = capture_in_folder(".");
  g_autofree char *path = capture_in_folder("all"), *text = capture_in_folder("text"),
                  *pipe = capture_in_folder("pipe");
  write_all(path);
  ck_assert(smb_capture_recognize(path));
  ck_assert(g_file_set_contents(text, "smembank-capture.json", -1, NULL));
  ck_assert(!smb_capture_recognize(text));
  ck_assert(!smb_capture_recognize(root));
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
  tcase_add_checked_fixture(tcase, capture_folder_make, capture_folder_remove);
  tcase_add_test(tcase, round_trip);
  tcase_add_test(tcase, what_is_loaded);
  tcase_add_loop_test(tcase, code_is_read_once, 0, 2);
  tcase_add_test(tcase, program_outlives_capture);
  tcase_add_test(tcase, cut_anywhere);
  tcase_add_test(tcase, killed);
  tcase_add_test(tcase, damaged_header);
  tcase_add_test(tcase, recognized);
  suite_add_tcase(suite, tcase);
  return suite;
}
