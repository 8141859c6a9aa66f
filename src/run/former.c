// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/run/former.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/launch/memory-piece.h"

// Most bytes that are kept of a launch, with where they were.
#define MAX_KEPT (G_GUINT64_CONSTANT(1) << 30)

typedef struct {
  guint64 place;
  guint64 from;
  guint64 bytes;
  int file;
} Mapped;

// What stands before bytes that are kept.
typedef struct {
  guint64 place;
  guint64 length;
} Kept;

struct _SmbFormer {
  const guchar *memory;
  guint64 bytes;
  GArray *files;     // of Mapped: later ones lie over earlier ones
  GByteArray *kept;  // bytes of memory, each followed by its Kept: read from the end
  gboolean is_whole; // all that was overwritten is there
  guchar *shown;     // (nullable): the private mapping
  gboolean is_shown; // it shows what was kept
};

static void
close_mapped(gpointer data) {
  close(((Mapped *)data)->file);
}

SmbFormer *
smb_former_new(const guchar *memory, guint64 bytes) {
  SmbFormer *former = g_new0(SmbFormer, 1);
  *former = (SmbFormer){.memory = memory,
                        .bytes = bytes,
                        .files = g_array_new(FALSE, FALSE, sizeof(Mapped)),
                        .kept = g_byte_array_new(),
                        .is_whole = TRUE};
  g_array_set_clear_func(former->files, close_mapped);
  return former;
}

static void
unmap_shown(SmbFormer *former) {
  if (former->shown)
    munmap(former->shown, former->bytes);
  former->shown = NULL;
}

void
smb_former_free(SmbFormer *former) {
  if (!former)
    return;
  unmap_shown(former);
  g_array_unref(former->files);
  g_byte_array_unref(former->kept);
  g_free(former);
}

void
smb_former_add_file(SmbFormer *former, guint64 place, int file, guint64 from, guint64 bytes) {
  const Mapped mapped = {place, from, bytes, fcntl(file, F_DUPFD_CLOEXEC, 0)};
  unmap_shown(former);
  g_array_append_val(former->files, mapped);
}

void
smb_former_begin(SmbFormer *former) {
  if (former->is_shown)
    madvise(former->shown, former->bytes, MADV_DONTNEED); // the files again
  former->is_shown = FALSE;
  former->is_whole = TRUE;
  g_byte_array_unref(former->kept);
  former->kept = g_byte_array_new();
}

void
smb_former_keep(gpointer user, const guchar *home, gsize length) {
  SmbFormer *former = user;
  const Kept kept = {(guint64)(home - former->memory), length};
  if (home < former->memory || kept.place >= former->bytes)
    return; // parameters of what kernels launch
  former->is_whole = former->is_whole && former->kept->len + length + sizeof kept <= MAX_KEPT;
  if (!former->is_whole)
    return;
  g_byte_array_append(former->kept, home, (guint)length);
  g_byte_array_append(former->kept, (const guint8 *)&kept, sizeof kept);
}

static gboolean
map_shown(SmbFormer *former) {
  const int flags = MAP_PRIVATE | MAP_NORESERVE, rights = PROT_READ | PROT_WRITE;
  for (guint i = 0; i < former->files->len; i++) {
    const Mapped *mapped = &g_array_index(former->files, Mapped, i);
    void *at = former->shown ? former->shown + mapped->place : NULL;
    void *got = mapped->file < 0 ? MAP_FAILED
                                 : mmap(at, mapped->bytes, rights, flags | (at ? MAP_FIXED : 0),
                                        mapped->file, (off_t)mapped->from);
    if (got == MAP_FAILED) {
      unmap_shown(former);
      return FALSE;
    }
    former->shown = at ? former->shown : got;
  }
  return former->shown != NULL;
}

const guchar *
smb_former_show(SmbFormer *former) {
  if (!former->is_whole || (!former->shown && !map_shown(former)))
    return NULL;
  // Of bytes that were overwritten several times those that were there first are the last ones that are put back.
  for (gsize end = former->is_shown ? 0 : former->kept->len; end > 0;) {
    Kept kept;
    memcpy(&kept, former->kept->data + end - sizeof kept, sizeof kept);
    end -= sizeof kept + kept.length;
    memcpy(former->shown + kept.place, former->kept->data + end, kept.length);
  }
  former->is_shown = TRUE;
  return former->shown;
}

GArray *
smb_former_pieces(SmbFormer *former, const GArray *memory, const guchar *apart, gboolean is_left) {
  const guchar *shown = smb_former_show(former);
  GArray *pieces = g_array_copy((GArray *)memory);
  for (guint i = 0; i < pieces->len; i++) {
    SmbMemoryPiece *piece = &g_array_index(pieces, SmbMemoryPiece, i);
    const guchar *before = shown && piece->home != apart ? shown + (piece->home - former->memory)
                                                         : piece->contents.bytes;
    if (is_left)
      piece->contents.former = before;
    else
      piece->contents.bytes = before;
    piece->home = NULL;
    piece->written = NULL;
  }
  return pieces;
}
