// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Bundles of images, made here and by a compiler: what is found in them, what runs where, and what is said of wrong ones.
#include <check.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/image/images.h"
#include "sim/program/entry.h"
#include "tests/suite.h"

// An entry of a bundle.
typedef struct {
  guint kind; // 1: PTX, 2: a cubin, 8: neither
  guint chip;
  guint64 flags;
  const char *text;
  guint64 claimed; // bytes when decompressed; 0: the truth
} Entry;

enum {
  LZ4 = 0x2000,
  ZSTD = 0x8000,
  THIS_CHIP = 0x100000,
  FAMILY = 0x200000,
};

static void
put(GByteArray *out, guint64 value, guint n) {
  for (guint i = 0; i < n; i++, value >>= 8)
    g_byte_array_append(out, (const guint8[]){value & 0xff}, 1);
}

// What is stored of a text: as its flags say (transfer full).
static GByteArray *
compress(const Entry *entry) {
  gsize size = strlen(entry->text);
  GByteArray *out = g_byte_array_sized_new(2 * (guint)size + 100);
  g_byte_array_set_size(out, 2 * (guint)size + 100);
  if (entry->flags & ZSTD)
    size = ZSTD_compress(out->data, out->len, entry->text, size, 3);
  else if (entry->flags & LZ4)
    size = (gsize)LZ4_compress_default(entry->text, (char *)out->data, (int)size, (int)out->len);
  else
    memcpy(out->data, entry->text, size);
  return g_byte_array_set_size(out, (guint)size);
}

static void
put_entry(GByteArray *out, const Entry *entry) {
  g_autoptr(GByteArray) stored = compress(entry);
  gboolean is_compressed = (entry->flags & (LZ4 | ZSTD)) != 0;
  guint padding = -stored->len & 7;
  put(out, entry->kind, 2);
  put(out, 0x101, 2);
  put(out, 72, 4);
  put(out, stored->len + padding, 8);
  put(out, is_compressed ? stored->len : 0, 4);
  put(out, 0, 8);
  put(out, entry->chip, 4);
  put(out, 0, 8);
  put(out, entry->flags, 8);
  put(out, 0, 8);
  guint64 size = entry->claimed ? entry->claimed : strlen(entry->text);
  put(out, is_compressed ? size : 0, 8);
  put(out, 0, 8); // options
  g_byte_array_append(out, stored->data, stored->len);
  put(out, 0, padding);
}

static void
put_bundle(GByteArray *out, const Entry *entries, guint n) {
  g_autoptr(GByteArray) inside = g_byte_array_new();
  for (guint i = 0; i < n; i++)
    put_entry(inside, &entries[i]);
  put(out, 0xba55ed50, 4);
  put(out, 1, 2);
  put(out, 16, 2);
  put(out, inside->len, 8);
  g_byte_array_append(out, inside->data, inside->len);
}

static const Entry several[] = {
    {2, 75, 0x11, "machine code of 75", 0},
    {2, 80, 0x11 | ZSTD, "code code code code code code code code 80", 0},
    {2, 86, 0x11 | LZ4, "code code code code code code code code 86", 0},
    {8, 86, 0x11, "neither", 0},
    {2, 90, 0x11, "plain 90", 0},
    {2, 90, 0x11 | THIS_CHIP, "90a", 0},
    {1, 90, 0x11 | THIS_CHIP, "PTX of 90a", 0},
    {2, 100, 0x11 | FAMILY, "100f", 0},
    {1, 80, 0x11 | ZSTD, "PTX PTX PTX PTX PTX PTX PTX PTX of 80", 0},
    {1, 89, 0x11 | LZ4, "PTX PTX PTX PTX PTX PTX PTX PTX of 89", 0},
    {1, 100, 0x11 | FAMILY, "PTX of 100f", 0},
};

// Bytes in front, a bundle, bytes that only begin as one, and another bundle.
static GBytes *
make_file(const char *front) {
  GByteArray *out = g_byte_array_new();
  g_byte_array_append(out, (const guint8 *)front, (guint)strlen(front));
  put_bundle(out, several, G_N_ELEMENTS(several));
  put(out, 0xba55ed50, 4);
  put(out, 7, 1);
  put_bundle(out, &(const Entry){2, 80, 0x11, "of another unit", 0}, 1);
  put(out, 0xba55ed50, 4);
  return g_byte_array_free_to_bytes(out);
}

static char *
load_text(const SmbImage *image) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = smb_image_load(image, "f", &error);
  if (!bytes)
    return g_strdup(error->message);
  ck_assert_uint_le(g_bytes_get_size(bytes), image->bytes);
  return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static char *
list(const GPtrArray *images) {
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < images->len; i++) {
    const SmbImage *image = g_ptr_array_index(images, i);
    g_autofree char *what = smb_image_describe(image), *text = load_text(image);
    g_string_append_printf(out, "%u %s: %.20s\n", image->bundle, what, text);
  }
  return g_string_free(out, FALSE);
}

START_TEST(all_images) {
  g_autoptr(GBytes) file = make_file("some bytes in front");
  g_autoptr(GPtrArray) images = smb_images_read(file, "f", NULL);
  g_autofree char *found = list(images);
  ck_assert_str_eq(found, "0 sm_75: machine code of 75\n"
                          "0 sm_80: code code code code \n"
                          "0 sm_86: code code code code \n"
                          "0 sm_90: plain 90\n"
                          "0 sm_90a: 90a\n"
                          "0 PTX for sm_90a: PTX of 90a\n"
                          "0 sm_100f: 100f\n"
                          "0 PTX for sm_80: PTX PTX PTX PTX PTX \n"
                          "0 PTX for sm_89: PTX PTX PTX PTX PTX \n"
                          "0 PTX for sm_100f: PTX of 100f\n"
                          "1 sm_80: of another unit\n");
}
END_TEST

static const struct {
  guint chip;
  const char *chosen;
} choices[] = {
    {75, "0 sm_75: machine code of 75\n"},
    {80, "0 sm_80: code code code code \n1 sm_80: of another unit\n"},
    {86, "0 sm_86: code code code code \n1 sm_80: of another unit\n"},
    {89, "0 sm_86: code code code code \n1 sm_80: of another unit\n"},
    {90, "0 sm_90a: 90a\n"},
    {103, "0 sm_100f: 100f\n"},
    {120, "0 PTX for sm_89: PTX PTX PTX PTX PTX \n"},
    {70, "f: nothing in it runs on sm_70: it has sm_75, sm_80, sm_86, sm_90, sm_90a, PTX for "
         "sm_90a, sm_100f, PTX for "
         "sm_80, PTX for sm_89, PTX for sm_100f"},
    {0, "0 sm_100f: 100f\n1 sm_80: of another unit\n"},
};

START_TEST(what_runs_where) {
  g_autoptr(GBytes) file = make_file("");
  g_autoptr(GPtrArray) images = smb_images_read(file, "f", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) chosen = smb_images_choose(images, choices[_i].chip, "f", &error);
  g_autofree char *text = chosen ? list(chosen) : g_strdup(error->message);
  ck_assert_str_eq(text, choices[_i].chosen);
}
END_TEST

static const struct {
  Entry entry;
  const char *message;
} damaged[] = {
    {{1, 80, ZSTD, "some text", 8},
     "f: byte 0x58: a damaged image: it does not decompress to 8 bytes"},
    {{1, 80, ZSTD, "some text", 10},
     "f: byte 0x58: a damaged image: it does not decompress to 10 bytes"},
    {{1, 80, LZ4, "some text", 8},
     "f: byte 0x58: a damaged image: it does not decompress to 8 bytes"},
    {{1, 80, LZ4, "some text", 10},
     "f: byte 0x58: a damaged image: it does not decompress to 10 bytes"},
    {{1, 80, LZ4, "some text", 500u << 20},
     "f: byte 0x58: a damaged image: it does not decompress to 524288000 bytes"},
    {{1, 80, ZSTD, "", 0}, "f: byte 0x58: a damaged image: it does not decompress to 0 bytes"},
};

START_TEST(damaged_images) {
  GByteArray *out = g_byte_array_new();
  put_bundle(out, &damaged[_i].entry, 1);
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(out);
  g_autoptr(GPtrArray) images = smb_images_read(file, "f", NULL);
  g_autofree char *text = load_text(g_ptr_array_index(images, 0));
  ck_assert_str_eq(text, damaged[_i].message);
}
END_TEST

static const struct {
  gsize at; // what is changed in a bundle of two images of 16 bytes
  guint8 value;
  const char *message;
} wrong[] = {
    {4, 2, "f: byte 0x0: a fatbin of an unknown version"},
    {6, 24, "f: byte 0x0: a fatbin of an unknown version"},
    {8, 255, "f: byte 0x0: a truncated fatbin: it is larger than the file"},
    {8, 80, "f: byte 0x10: an image is larger than its bundle"},
    {16 + 4, 63, "f: byte 0x10: an image is larger than its bundle"},
    {16 + 6, 1, "f: byte 0x10: an image is larger than its bundle"},
    {16 + 15, 128, "f: byte 0x10: an image is larger than its bundle"},
    {16 + 8, 56, "f: byte 0x90: an image header is truncated"},
    {16 + 19, 1, "f: byte 0x10: a compressed image is larger than its entry"},
    {16 + 60, 1, "f: byte 0x10: an image is larger than 512 MiB"},
    {16, 9, NULL},
};

START_TEST(wrong_bundles) {
  const Entry two[] = {{1, 80, LZ4, "some text that is long", 0}, {1, 80, 0, "0123456789", 0}};
  GByteArray *out = g_byte_array_new();
  put_bundle(out, two, 2);
  out->data[wrong[_i].at] = wrong[_i].value;
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(out);
  GError *error = NULL;
  g_autoptr(GPtrArray) images = smb_images_read(file, "f", &error);
  ck_assert_str_eq(error ? error->message : "", wrong[_i].message ? wrong[_i].message : "");
  ck_assert(!images || images->len == 1);
  g_clear_error(&error);
}
END_TEST

// What is small in the file and large in truth: the PTX is longer than any that is read, the cubin is none, and of neither more
// is made than it says.
START_TEST(bombs) {
  static const guint64 flags[] = {ZSTD, LZ4};
  const gsize size = SMB_SOURCE_MAX_BYTES + 1;
  g_autofree char *text = g_strnfill(size, ' ');
  const Entry entries[] = {{1, 80, flags[_i], text, 0}, {2, 80, flags[_i], text, 0}};
  GByteArray *out = g_byte_array_new();
  put_bundle(out, entries, 2);
  ck_assert_uint_lt(out->len, size / 100);
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(out);
  g_autoptr(SmbSource) source = smb_source_new_any("f", file, NULL);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_entries_read(source, &error));
  ck_assert_str_eq(error->message, "f (PTX for sm_80): 67108865 bytes: a kernel file is at most "
                                   "67108864 bytes");
  g_clear_error(&error);
  const SmbProgramOptions options = {.cuda_arch = 800};
  ck_assert_ptr_null(smb_program_read(source, &options, &error));
  ck_assert_str_eq(error->message, "f (sm_80): expected a cubin");
}
END_TEST

// What claims to become far more than the file could say.
START_TEST(many_large_images) {
  GByteArray *out = g_byte_array_new();
  const Entry large = {1, 80, ZSTD, "x", 300u << 20};
  const Entry two[] = {large, large};
  put_bundle(out, two, 2);
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(out);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_images_read(file, "f", &error));
  ck_assert(g_str_has_suffix(error->message, "its images are too large for the size of the file"));
}
END_TEST

static GBytes *
load_file(const char *name) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path = g_strdup_printf("%s/tests/data/sass/%s", folder ? folder : ".", name);
  GBytes *bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, NULL);
  ck_assert_ptr_nonnull(bytes);
  return bytes;
}

// What nvcc makes: zstd, LZ4, and a cubin alone.
static const struct {
  const char *file;
  const char *images;
} made[] = {
    {"bundle.zstd.fatbin", "0 sm_75\n0 sm_90a\n0 PTX for sm_90\n"},
    {"bundle.lz4.fatbin", "0 PTX for sm_80\n"},
    {"bundle.object", "0 sm_90\n"},
    {"parameters.sm_90a.cubin", "0 sm_90a\n"},
    {"parameters.sm_120.cubin", "0 sm_120\n"},
};

START_TEST(files_of_a_compiler) {
  g_autoptr(GBytes) file = load_file(made[_i].file);
  g_autoptr(GPtrArray) images = smb_images_read(file, "f", NULL);
  GString *found = g_string_new(NULL);
  for (guint i = 0; i < images->len; i++) {
    const SmbImage *image = g_ptr_array_index(images, i);
    g_autofree char *what = smb_image_describe(image);
    g_autoptr(GBytes) bytes = smb_image_load(image, "f", NULL);
    gsize size;
    const char *data = g_bytes_get_data(bytes, &size);
    g_string_append_printf(found, "%u %s\n", image->bundle, what);
    if (image->kind == SMB_IMAGE_PTX)
      ck_assert_ptr_nonnull(g_strstr_len(data, (gssize)size, ".visible .entry _Z6rotatePi("));
    else
      ck_assert(memcmp(data, "\177ELF", 4) == 0);
  }
  ck_assert_str_eq(found->str, made[_i].images);
  g_string_free(found, TRUE);
}
END_TEST

START_TEST(cut_and_changed) {
  g_autoptr(GRand) random = g_rand_new_with_seed(11);
  g_autoptr(GBytes) whole = load_file("bundle.zstd.fatbin");
  gsize size;
  const guint8 *data = g_bytes_get_data(whole, &size);
  guint n_read = 0;
  for (guint i = 0; i < size + 3000; i++) {
    guint8 *copy = g_memdup2(data, size);
    if (i >= size)
      copy[g_rand_int_range(random, 0, i % 2 ? 100 : (gint32)size)] = (guint8)g_rand_int(random);
    g_autoptr(GBytes) bytes = g_bytes_new_take(copy, i < size ? i : size);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) images = smb_images_read(bytes, "f", &error);
    ck_assert(!images == !!error);
    ck_assert(i >= size || error);
    for (guint n = 0; images && n < images->len; n++)
      g_free(load_text(g_ptr_array_index(images, n)));
    n_read += images != NULL;
  }
  ck_assert_uint_gt(n_read, 1000);
  ck_assert_uint_lt(n_read, 3000);
}
END_TEST

// An archive whose members say sizes that cannot be: what is found is found all the same.
START_TEST(absurd_members) {
  static const char member[] = "endless.o/      0           0     0     644     9999999999`\n";
  static const char negative[] = "less.o/         0           0     0     644     -1        `\n";
  g_autofree char *front = g_strconcat("!<arch>\n", member, negative, NULL);
  g_autoptr(GBytes) file = make_file(front);
  g_autoptr(GPtrArray) images = smb_images_read(file, "f", NULL);
  ck_assert_uint_eq(images->len, 11);
  g_autoptr(GBytes) none = g_bytes_new(front, strlen(front));
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_images_read(none, "f", &error));
  ck_assert_str_eq(error->message, "f: an object file without GPU code");
}
END_TEST

// What "nvcc -dlto -c" leaves.
START_TEST(other_images) {
  GByteArray *out = g_byte_array_new();
  put_bundle(out, &(const Entry){8, 90, 0x11, "neither", 0}, 1);
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(out);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_images_read(file, "f", &error));
  ck_assert_str_eq(error->message, "f: neither PTX nor machine code, only code for link-time "
                                   "optimization (nvcc -dlto): link it first");
}
END_TEST

START_TEST(no_image) {
  g_autoptr(GBytes) file = g_bytes_new_static("\177ELF and nothing", 16);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_images_read(file, "f", &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, "f: an object file without GPU code");
}
END_TEST

Suite *
suite_images(void) {
  Suite *suite = suite_create("images");
  TCase *tests = tcase_create("images");
  tcase_add_test(tests, all_images);
  tcase_add_loop_test(tests, what_runs_where, 0, G_N_ELEMENTS(choices));
  tcase_add_loop_test(tests, damaged_images, 0, G_N_ELEMENTS(damaged));
  tcase_add_loop_test(tests, wrong_bundles, 0, G_N_ELEMENTS(wrong));
  tcase_add_loop_test(tests, bombs, 0, 2);
  tcase_add_test(tests, many_large_images);
  tcase_add_loop_test(tests, files_of_a_compiler, 0, G_N_ELEMENTS(made));
  tcase_add_test(tests, cut_and_changed);
  tcase_add_test(tests, absurd_members);
  tcase_add_test(tests, other_images);
  tcase_add_test(tests, no_image);
  suite_add_tcase(suite, tests);
  return suite;
}
