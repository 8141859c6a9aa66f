// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The format of bundles is not published; what is read of it was found in what nvcc makes, and in the toolkit's
// libraries.
#include "sim/image/images.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "sim/base/error.h"
#include "sim/image/cubin.h"

// A bundle: magic, u16 version, u16 size of this header, u64 bytes of the entries after it.
static const guint8 bundle_magic[4] = {0x50, 0xed, 0x55, 0xba};
enum {
  BUNDLE_VERSION = 1,
  BUNDLE_HEADER = 16,
};

// An entry: its header, and then its payload.
enum {
  ENTRY_KIND = 0,        // u16
  ENTRY_HEADER = 4,      // u32: bytes
  ENTRY_PAYLOAD = 8,     // u64: bytes, with padding
  ENTRY_COMPRESSED = 16, // u32: bytes of the payload that are in use; 0: it is not compressed
  ENTRY_CHIP = 28,       // u32
  ENTRY_FLAGS = 40,      // u64
  ENTRY_SIZE = 56,       // u64: bytes when decompressed
  ENTRY_MIN_HEADER = 64,
};

enum {
  KIND_PTX = 1,
  KIND_CUBIN = 2,
};

enum {
  FLAG_LZ4 = 0x2000,
  FLAG_ZSTD = 0x8000,
  FLAG_THIS_CHIP = 0x100000, // sm_90a
  FLAG_FAMILY = 0x200000,    // sm_100f
};

// What all images of a file may have, decompressed: this, or that many times the file, whichever is more. The toolkit's
// libraries have up to 12 times.
enum {
  MAX_GROWTH = 64
};
// How much a block of LZ4 may grow: a byte stands for 255 at most.
enum {
  LZ4_GROWTH = 255
};

// The file, and what was found in it so far.
typedef struct {
  const char *name;
  GBytes *file;
  const guint8 *data;
  gsize size;
  GPtrArray *images;
  guint n_bundles;
  guint n_others; // images that are neither PTX nor machine code
  guint64 total;  // bytes of the images when decompressed
  GError **error;
} Reader;

static void
free_image(gpointer data) {
  SmbImage *image = data;
  g_bytes_unref(image->stored);
  g_free(image);
}

static guint64
read_image_number(const guint8 *data, guint n) {
  guint64 number = 0;
  for (guint i = n; i-- > 0;)
    number = number << 8 | data[i];
  return number;
}

static gboolean
fail_at_image(Reader *reader, gsize offset, const char *what) {
  return smb_fail(reader->error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s: byte 0x%" G_GSIZE_MODIFIER "x: %s", reader->name, offset, what);
}

// How many bytes there are before the zeros at the end.
static gsize
cut_zeros(const guint8 *data, gsize n) {
  while (n > 0 && data[n - 1] == 0)
    n--;
  return n;
}

// An entry of a kind that is read. @payload: bytes of it, all in the file.
static gboolean
add_image(Reader *reader, gsize entry, gsize header, gsize payload) {
  const guint8 *data = reader->data + entry;
  guint64 flags = read_image_number(data + ENTRY_FLAGS, 8),
          chip = read_image_number(data + ENTRY_CHIP, 4);
  guint64 stored = read_image_number(data + ENTRY_COMPRESSED, 4);
  SmbImage image = {.kind = read_image_number(data + ENTRY_KIND, 2) == KIND_PTX ? SMB_IMAGE_PTX
                                                                                : SMB_IMAGE_CUBIN,
                    .chip = (guint)chip,
                    .feature = flags & FLAG_THIS_CHIP ? 'a' : (flags & FLAG_FAMILY ? 'f' : '\0'),
                    .bundle = reader->n_bundles,
                    .offset = entry + header,
                    .form = flags & FLAG_ZSTD  ? SMB_IMAGE_ZSTD
                            : flags & FLAG_LZ4 ? SMB_IMAGE_LZ4
                                               : SMB_IMAGE_PLAIN,
                    .bytes = read_image_number(data + ENTRY_SIZE, 8)};
  if (image.form == SMB_IMAGE_PLAIN)
    image.bytes = stored = payload;
  if (stored > payload)
    return fail_at_image(reader, entry, "a compressed image is larger than its entry");
  if (image.bytes > SMB_IMAGE_MAX_BYTES)
    return fail_at_image(reader, entry, "an image is larger than 512 MiB");
  reader->total += image.bytes;
  if (reader->total > MAX((guint64)SMB_IMAGE_MAX_BYTES, MAX_GROWTH * (guint64)reader->size))
    return fail_at_image(reader, entry, "its images are too large for the size of the file");
  image.stored = g_bytes_new_from_bytes(reader->file, image.offset, stored);
  g_ptr_array_add(reader->images, g_memdup2(&image, sizeof image));
  return TRUE;
}

// The entries from @at to @end, a bundle.
static gboolean
read_entries(Reader *reader, gsize at, gsize end) {
  while (at < end) {
    if (end - at < ENTRY_MIN_HEADER)
      return fail_at_image(reader, at, "an image header is truncated");
    const guint8 *data = reader->data + at;
    guint64 header = read_image_number(data + ENTRY_HEADER, 4);
    guint64 payload = read_image_number(data + ENTRY_PAYLOAD, 8);
    guint64 kind = read_image_number(data + ENTRY_KIND, 2);
    if (header < ENTRY_MIN_HEADER || header > end - at || payload > end - at - header)
      return fail_at_image(reader, at, "an image is larger than its bundle");
    gboolean is_known = kind == KIND_PTX || kind == KIND_CUBIN;
    reader->n_others += !is_known;
    if (is_known && !add_image(reader, at, header, payload))
      return FALSE;
    at += header + payload;
  }
  reader->n_bundles++;
  return TRUE;
}

// The next place where a bundle begins, from @at on; the end of the file: there is none.
static gsize
find_magic(const Reader *reader, gsize at) {
  while (reader->size - at >= BUNDLE_HEADER) {
    const guint8 *found =
        memchr(reader->data + at, bundle_magic[0], reader->size - at - (BUNDLE_HEADER - 1));
    if (!found)
      break;
    if (memcmp(found, bundle_magic, sizeof bundle_magic) == 0)
      return (gsize)(found - reader->data);
    at = (gsize)(found - reader->data) + 1;
  }
  return reader->size;
}

// The bundles of a file. Other data may have the same first bytes, but hardly what follows; the whole file if it begins
// so.
static gboolean
read_bundles(Reader *reader) {
  for (gsize at = find_magic(reader, 0); at < reader->size;) {
    const guint8 *data = reader->data + at;
    guint64 bytes = read_image_number(data + 8, 8);
    gboolean is_header = read_image_number(data + 4, 2) == BUNDLE_VERSION &&
                         read_image_number(data + 6, 2) == BUNDLE_HEADER;
    gboolean is_inside = bytes <= reader->size - at - BUNDLE_HEADER;
    if (at == 0 && !is_header)
      return fail_at_image(reader, at, "a fatbin of an unknown version");
    if (is_header && !is_inside)
      return fail_at_image(reader, at, "a truncated fatbin: it is larger than the file");
    gsize end = is_header ? at + BUNDLE_HEADER + bytes : at + 1;
    if (is_header && !read_entries(reader, at + BUNDLE_HEADER, end))
      return FALSE;
    at = find_magic(reader, end);
  }
  return reader->images->len > 0 ||
         smb_fail(reader->error, SMB_ERROR, SMB_ERROR_INPUT,
                  reader->n_others > 0 ? "%s: neither PTX nor machine code, only code for "
                                         "link-time optimization (nvcc -dlto): link it first"
                                       : "%s: an object file without GPU code",
                  reader->name);
}

// A cubin is its own image.
static gboolean
add_cubin(Reader *reader) {
  g_autoptr(SmbCubin) cubin = smb_cubin_read(reader->file, reader->name, reader->error);
  if (!cubin)
    return FALSE;
  const char *end = cubin->target + strcspn(cubin->target, "af");
  SmbImage image = {.kind = SMB_IMAGE_CUBIN,
                    .chip = cubin->chip,
                    .feature = *end,
                    .form = SMB_IMAGE_PLAIN,
                    .stored = g_bytes_ref(reader->file),
                    .bytes = reader->size};
  g_ptr_array_add(reader->images, g_memdup2(&image, sizeof image));
  return TRUE;
}

GPtrArray *
smb_images_read(GBytes *file, const char *name, GError **error) {
  g_autoptr(GPtrArray) images = g_ptr_array_new_with_free_func(free_image);
  Reader reader = {.name = name, .file = file, .images = images, .error = error};
  reader.data = g_bytes_get_data(file, &reader.size);
  gboolean is_read = smb_cubin_recognize(file) ? add_cubin(&reader) : read_bundles(&reader);
  return is_read ? g_steal_pointer(&images) : NULL;
}

char *
smb_image_describe(const SmbImage *image) {
  const char feature[] = {image->feature, '\0'};
  return g_strdup_printf("%ssm_%u%s", image->kind == SMB_IMAGE_PTX ? "PTX for " : "", image->chip,
                         feature);
}

// Whether an image runs on a chip. Machine code does on later ones of the same major architecture, PTX on all later
// ones.
static gboolean
runs_on(const SmbImage *image, guint chip) {
  gboolean same_major = image->chip / 10 == chip / 10;
  if (chip == 0)
    return TRUE;
  if (image->chip > chip)
    return FALSE;
  if (image->feature == 'a')
    return image->chip == chip;
  return same_major || (image->kind == SMB_IMAGE_PTX && image->feature == '\0');
}

// Whether an image is to be preferred to another one of its bundle.
static gboolean
is_better(const SmbImage *image, const SmbImage *other) {
  if (image->kind != other->kind)
    return image->kind == SMB_IMAGE_CUBIN;
  if (image->chip != other->chip)
    return image->chip > other->chip;
  return image->feature != '\0' && image->feature != other->feature && other->feature != 'a';
}

// "sm_75, sm_90a, PTX for sm_120", each once (transfer full).
static char *
list_images(const GPtrArray *images) {
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  GString *list = g_string_new(NULL);
  for (guint i = 0; i < images->len; i++) {
    char *text = smb_image_describe(g_ptr_array_index(images, i));
    if (!g_hash_table_contains(seen, text))
      g_string_append_printf(list, "%s%s", list->len > 0 ? ", " : "", text);
    g_hash_table_add(seen, text);
  }
  return g_string_free(list, FALSE);
}

GPtrArray *
smb_images_choose(const GPtrArray *images, guint chip, const char *name, GError **error) {
  g_autoptr(GPtrArray) chosen = g_ptr_array_new();
  for (guint i = 0; i < images->len; i++) {
    SmbImage *image = g_ptr_array_index(images, i);
    SmbImage *last = chosen->len > 0 ? g_ptr_array_index(chosen, chosen->len - 1) : NULL;
    if (!runs_on(image, chip))
      continue;
    if (!last || last->bundle != image->bundle)
      g_ptr_array_add(chosen, image);
    else if (is_better(image, last))
      g_ptr_array_index(chosen, chosen->len - 1) = image;
  }
  if (chosen->len > 0)
    return g_steal_pointer(&chosen);
  g_autofree char *list = list_images(images);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: nothing in it runs on sm_%u: it has %s", name,
           chip, list);
  return NULL;
}

// Decompresses into as many bytes as the image says; FALSE: it is damaged.
static gboolean
decompress(const SmbImage *image, guint8 *room) {
  gsize size;
  const void *data = g_bytes_get_data(image->stored, &size);
  if (image->form == SMB_IMAGE_LZ4)
    return LZ4_decompress_safe(data, (char *)room, (int)size, (int)image->bytes) ==
           (int)image->bytes;
  return ZSTD_decompress(room, image->bytes, data, size) == image->bytes;
}

// Whether the stored data can decompress to the stated size, checked before memory is allocated for it.
static gboolean
may_have_size(const SmbImage *image) {
  gsize size;
  const void *data = g_bytes_get_data(image->stored, &size);
  if (image->form == SMB_IMAGE_LZ4)
    return size <= G_MAXINT && image->bytes <= LZ4_GROWTH * (guint64)size;
  return ZSTD_getFrameContentSize(data, size) == image->bytes;
}

// PTX is padded with zeros.
static GBytes *
trim_zeros(const SmbImage *image, GBytes *bytes) {
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  g_autoptr(GBytes) whole = bytes;
  return image->kind == SMB_IMAGE_PTX ? g_bytes_new_from_bytes(whole, 0, cut_zeros(data, size))
                                      : g_steal_pointer(&whole);
}

GBytes *
smb_image_load(const SmbImage *image, const char *name, GError **error) {
  if (image->form == SMB_IMAGE_PLAIN)
    return trim_zeros(image, g_bytes_ref(image->stored));
  guint8 *room = may_have_size(image) ? g_try_malloc(image->bytes) : NULL;
  if (room && decompress(image, room))
    return trim_zeros(image, g_bytes_new_take(room, image->bytes));
  g_free(room);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
           "%s: byte 0x%" G_GSIZE_MODIFIER
           "x: a damaged image: it does not decompress to %" G_GSIZE_FORMAT " bytes",
           name, image->offset, image->bytes);
  return NULL;
}
