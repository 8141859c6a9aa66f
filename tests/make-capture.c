// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Writes a capture for the tests of what reads one, by the writer that captures: no application ran. Its launches are of
// tests/data/sass/transpose.sm_90.cubin and tests/data/memory/memory.sm_90.cubin, with memory at addresses made up here.
//
//   make-capture FILE SRCDIR [early]     early: as if the recorder had been killed
//   make-capture FILE SRCDIR many N      for make bench: N different launches of the kernels of one image of 8 MiB
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/source.h"
#include "sim/capture/writer.h"

#define OUT   G_GUINT64_CONSTANT(0x7f3a40000000)
#define IN    G_GUINT64_CONSTANT(0x7f3a50000000)
#define TABLE G_GUINT64_CONSTANT(0x7f3a60000000)

enum {
  N = 64,                // a matrix has N x N floats
  LARGE_BYTES = 8 << 20, // of an image with much in it
};

static SmbCaptureWriter *writer;
static char *cubins[2];
static guint64 n_launches;

static void
check(gboolean done, GError *error) {
  if (done)
    return;
  fprintf(stderr, "make-capture: %s\n", error->message);
  exit(1);
}

static void
add_cubin(guint i, const char *srcdir, const char *name) {
  GError *error = NULL;
  g_autofree char *path = g_build_filename(srcdir, "tests/data", name, NULL);
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, &error);
  check(bytes != NULL, error);
  check(smb_capture_writer_image(writer, bytes, &cubins[i], &error), error);
}

// The same with bytes behind it that do not compress.
static void
add_large_cubin(guint i, const char *srcdir, const char *name) {
  GError *error = NULL;
  g_autofree char *path = g_build_filename(srcdir, "tests/data", name, NULL);
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, &error);
  check(bytes != NULL, error);
  gsize n;
  const guchar *data = g_bytes_get_data(bytes, &n);
  guchar *large = g_malloc(LARGE_BYTES);
  guint32 random = 1;
  memcpy(large, data, n);
  for (gsize at = n; at < LARGE_BYTES; at++) {
    random = random * 1664525 + 1013904223;
    large[at] = (guchar)(random >> 24);
  }
  g_autoptr(GBytes) all = g_bytes_new_take(large, LARGE_BYTES);
  check(smb_capture_writer_image(writer, all, &cubins[i], &error), error);
}

static void
set_extent(guint to[3], guint x, guint y, guint z) {
  to[0] = x;
  to[1] = y;
  to[2] = z;
}

// The next launch, of one block of one warp.
static SmbCaptureLaunch *
begin(guint cubin, const char *kernel) {
  SmbCaptureLaunch *launch = smb_capture_launch_new();
  launch->number = ++n_launches;
  launch->launch = 10 + n_launches;
  launch->process = 4711;
  launch->stream = g_strdup("0x5581aa00");
  launch->kernel = g_strdup(kernel);
  launch->image = g_strdup(cubins[cubin]);
  launch->arch = g_strdup("sm_90");
  launch->device_name = g_strdup("NVIDIA H100");
  launch->driver = g_strdup("13000");
  launch->time = 0.001 * (double)n_launches;
  launch->nanoseconds = 1000 * (double)n_launches;
  set_extent(launch->grid, 1, 1, 1);
  set_extent(launch->block, 32, 1, 1);
  return launch;
}

static void
end(SmbCaptureLaunch *launch) {
  GError *error = NULL;
  check(smb_capture_writer_launch(writer, launch, &error), error);
  smb_capture_launch_free(launch);
}

// Memory with contents; NULL: they were left out.
static void
add_memory(SmbCaptureLaunch *launch, guint64 address, guint64 bytes, const void *data, gsize n) {
  GError *error = NULL;
  g_autofree char *hash = NULL;
  SmbCaptureMemory *memory =
      smb_capture_launch_add_memory(launch, SMB_MEMORY_DEVICE, address, bytes);
  if (!data)
    return;
  check(smb_capture_writer_memory(writer, data, n, &hash, &error), error);
  smb_capture_memory_add(memory, 0, n, hash);
}

static void
set_pointers(SmbCaptureLaunch *launch, guint64 first, guint64 second) {
  const guint64 pointers[] = {first, second};
  launch->parameters = g_bytes_new(pointers, sizeof pointers);
}

// A tile of 32 x 32 with blocks of 32 x 8: its addresses depend on the parameters only.
static void
transpose(const char *kernel, double nanoseconds, guint64 dynamic_bytes) {
  static const float zeros[N * N];
  SmbCaptureLaunch *launch = begin(0, kernel);
  struct {
    guint64 out, in;
    gint32 n, padding;
  } parameters = {OUT, IN, N, 0};
  launch->parameters = g_bytes_new(&parameters, 20);
  launch->nanoseconds = nanoseconds;
  launch->dynamic_bytes = dynamic_bytes;
  set_extent(launch->grid, N / 32, N / 32, 1);
  set_extent(launch->block, 32, 8, 1);
  add_memory(launch, OUT, sizeof zeros, zeros, sizeof zeros);
  add_memory(launch, IN, sizeof zeros, zeros, sizeof zeros);
  end(launch);
}

// gather: which banks are asked for is what in[] says: lane i reads s[s[i] & 31], so that s[] = 0, 0, … is a broadcast, and
// the numbers decide nothing else.
static void
gather(gboolean has_contents) {
  gint32 in[32];
  SmbCaptureLaunch *launch = begin(1, "gather");
  for (guint i = 0; i < G_N_ELEMENTS(in); i++)
    in[i] = (gint32)(31 - i);
  set_pointers(launch, OUT, IN);
  add_memory(launch, OUT, sizeof in, NULL, 0);
  add_memory(launch, IN, sizeof in, has_contents ? in : NULL, sizeof in);
  end(launch);
}

// A list of nodes in memory, each of which has a stride: 32 floats apart, all lanes meet in one bank.
static void
list(void) {
  struct {
    guint64 next;
    gint32 stride, padding;
  } nodes[] = {{IN + 16, 1, 0}, {IN + 32, 2, 0}, {0, 32, 0}};
  SmbCaptureLaunch *launch = begin(1, "list");
  set_pointers(launch, IN, OUT);
  add_memory(launch, IN, sizeof nodes, nodes, sizeof nodes);
  add_memory(launch, OUT, 128, NULL, 0);
  g_strfreev(launch->notes);
  launch->notes = g_strsplit(
      "memory at 0x7f3a50000000 may have been changed by earlier nodes of the graph", "|", 0);
  launch->is_in_graph = TRUE;
  launch->graph_launch = 1;
  launch->graph_node = 2;
  launch->nanoseconds = -1;
  set_extent(launch->cluster, 2, 1, 1);
  set_extent(launch->grid, 2, 1, 1);
  end(launch);
}

// A kernel that its image does not have.
static void
unknown(void) {
  SmbCaptureLaunch *launch = begin(1, "gone");
  end(launch);
}

static void
write_few(const char *srcdir) {
  add_cubin(0, srcdir, "sass/transpose.sm_90.cubin");
  add_cubin(1, srcdir, "memory/memory.sm_90.cubin");
  transpose("_Z9transposeILi1EEvPfPKfi", 5000, 0); // 1: padded
  transpose("_Z9transposeILi0EEvPfPKfi", 9000, 0); // 2: conflicts
  gather(TRUE);                                    // 3
  gather(FALSE);                                   // 4: its input was left out
  list();                                          // 5
  unknown();                                       // 6
  transpose("_Z9transposeILi0EEvPfPKfi", 9100, 0); // 7: as 2
}

static void
write_many(const char *srcdir, guint64 n) {
  add_large_cubin(0, srcdir, "sass/transpose.sm_90.cubin");
  for (guint64 i = 0; i < n; i++)
    transpose(i % 2 ? "_Z9transposeILi1EEvPfPKfi" : "_Z9transposeILi0EEvPfPKfi", 5000, i);
}

int
main(int argc, char **argv) {
  static const char *const command[] = {"./app", "--size", "64", NULL};
  const SmbCaptureHeader header = {(char *)"smembank 0.1.0", (GStrv)command,
                                   (char *)"2026-11-25T12:00:00Z", 0};
  GError *error = NULL;
  if (argc < 3)
    return 2;
  writer = smb_capture_writer_new(argv[1], &header, &error);
  check(writer != NULL, error);
  if (argc == 5)
    write_many(argv[2], g_ascii_strtoull(argv[4], NULL, 10));
  else
    write_few(argv[2]);
  if (argc != 4) {
    g_autoptr(SmbCaptureEnd) ended = smb_capture_end_new("it exited with status 0");
    smb_capture_end_add(ended, "_Z9transposeILi0EEvPfPKfi", 40, 2, 18100);
    smb_capture_end_add(ended, "gather", 2, 2, 7000);
    check(smb_capture_writer_finish(writer, ended, &error), error);
  }
  smb_capture_writer_free(writer);
  g_free(cubins[0]);
  g_free(cubins[1]);
  return 0;
}
