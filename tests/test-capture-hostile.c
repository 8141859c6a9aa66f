// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Captures: nothing that a file says is believed.
#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/capture/member.h"
#include "tests/capture-folder.h"
#include "tests/suite.h"

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
  char *path = capture_in_folder("packed");
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
    {{{"other", "x", 0, FALSE, 0}}, "'other': not a member of a capture"},
    {{{"../end.json", "x", 0, FALSE, 0}}, "'../end.json': not a member of a capture"},
    {{{"memory/short.zst", "x", 0, FALSE, 0}}, "'memory/short.zst': not a member of a capture"},
    {{{"memory/" HASH ".zst", "x", 0, FALSE, AE_IFLNK}},
     "'memory/" HASH ".zst': expected a plain file"},
    {{{"memory/" HASH ".zst", "x", 0, FALSE, 0}, {"memory/" HASH ".zst", "x", 0, FALSE, 0}},
     "'memory/" HASH ".zst' is a duplicate"},
    {{{"smembank-capture.json", "x", 0, FALSE, 0}}, "'smembank-capture.json' is a duplicate"},
    {{{"launches/1.json", "x", 0, FALSE, 0}}, "'launches/1.json': not a member of a capture"},
    {{{"launches/000000.json", "x", 0, FALSE, 0}},
     "'launches/000000.json': not a member of a capture"},
    {{{"launches/0000001.json", "x", 0, FALSE, 0}},
     "'launches/0000001.json': not a member of a capture"},
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
    {"\"number\":1", "\"number\":2", "number: 2: expected the number in its name"},
    {"\"number\":1", "\"number\":-1", "number: -1: expected a whole number from 0"},
    {"\"number\":1", "\"number\":1.5", "number: 1.5: expected a whole number from 0"},
    {"\"kernel\":\"k\",", "", "kernel: missing"},
    {"\"kernel\":\"k\"", "\"kernel\":7", "kernel: 7: expected a text"},
    {"\"kernel\":\"k\"", "\"kernel\":\"k\",\"more\":1", "more: no such member"},
    {"\"graph\":null", "\"graph\":[]", "graph: []: expected an object"},
    {"\"graph\":null", "\"graph\":{\"launch\":1}", "graph.node: missing"},
    {"\"image\":\"0", "\"image\":\"", "image: its hash is not a SHA-256"},
    {"\"image\":\"0", "\"image\":\"A", "image: its hash is not a SHA-256"},
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
    {"\"00ff\"", "5", "parameters: 5: expected a text"},
    {"\"0x20000\"", "5", "variables[0].address: 5: expected a text"},
    {"[null]", "1", "variables[0].memory: 1: expected an array of hashes"},
    {"\"offset\":0,\"bytes\":16,\"memory\":\"0", "\"offset\":0,\"bytes\":16,\"memory\":\"",
     "memory at 0x30000, the piece at offset 0: its hash is not a SHA-256"},
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
    {"[null]", "[\"x\"]", "variable 'v': its hash is not a SHA-256"},
    {"[null]", "[1]", "variables[0].memory[0]: 1: expected a text"},
    {"\"device\",", "\"far\",", "memory[0].kind: \"far\": expected one of device, managed, host"},
    {"\"offset\":0", "\"offset\":1",
     "memory at 0x30000, the piece at offset 16: it overlaps the piece before it, or is out of "
     "order"},
    {"\"offset\":16", "\"offset\":57",
     "memory at 0x30000, the piece at offset 57: it ends beyond the allocation"},
    {"\"offset\":16", "\"offset\":9223372036854775807",
     "memory at 0x30000, the piece at offset 9223372036854775807: it ends beyond the allocation"},
    {"\"bytes\":8", "\"bytes\":0",
     "memory at 0x30000, the piece at offset 16: expected a size from 1 byte to 1 MiB"},
    {"\"bytes\":8", "\"bytes\":9223372036854775807",
     "memory at 0x30000, the piece at offset 16: it ends beyond the allocation"},
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
     "images/" ABCD ".cubin.zst: expected zstd data of at most 536870912 bytes"},
    {ABCD, "\x28\xb5\x2f\xfd\x20\x04\x21", 0, FALSE,
     "images/" ABCD ".cubin.zst is damaged: it does not decompress to 4 bytes"},
    // 2^40 bytes of content, as its frame says
    {ABCD, "\x28\xb5\x2f\xfd\xe0\x01\x01\x01\x01\x01\x01\x01\x01", 0, FALSE,
     "images/" ABCD ".cubin.zst: expected zstd data of at most 536870912 bytes"},
};

START_TEST(hostile_images) {
  for (guint i = 0; i < G_N_ELEMENTS(images); i++) {
    g_autofree char *text = replace(LAUNCH_TEXT, HASH, images[i].hash);
    g_autofree char *name = g_strdup_printf("images/%s.cubin.zst", images[i].hash);
    const Item items[] = {first_item,
                          {"launches/000001.json", text, 0, FALSE, 0},
                          {name, images[i].text, images[i].bytes, images[i].packs, 0}};
    g_autofree char *path = pack(items, images[i].text ? 3 : 2);
    g_autoptr(SmbCapture) capture = capture_open_whole(path);
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
    {ZEROS, "", 2u << 20, "memory/" ZEROS ".zst: expected zstd data of at most 1048576 bytes"},
};

START_TEST(hostile_memory) {
  g_autoptr(GBytes) cubin = capture_load_cubin();
  g_autoptr(SmbSource) code = smb_source_new_any("x.cubin", cubin, NULL);
  guint n;
  g_autofree char *kernel = capture_find_kernel(cubin, &n);
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
    g_autoptr(SmbCapture) capture = capture_open_whole(path);
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbCaptureLoaded) loaded =
        smb_capture_load(capture, smb_capture_launch(capture, 0), code, &error);
    ck_assert_ptr_null(loaded);
    ck_assert_str_eq(error->message + strlen(path) + 2, pieces[i].message);
  }
  // Too few bytes of parameters; no such kernel.
  g_autofree char *text = replace(whole, digits, "00");
  const Item items[] = {first_item, {"launches/000001.json", text, 0, FALSE, 0}};
  g_autofree char *path = pack(items, 2);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_capture_load(capture, smb_capture_launch(capture, 0), code, &error));
  ck_assert_msg(strstr(error->message, "1 bytes of parameters"), "%s", error->message);
}
END_TEST

// Of code that is asked for: it is missing, or none.
START_TEST(hostile_code) {
  static const char *const messages[] = {
      "images/" ABCD ".cubin.zst is missing",
      "launch 1: images/" ABCD ".cubin.zst is neither a cubin nor PTX",
  };
  g_autofree char *text = replace(LAUNCH_TEXT, HASH, ABCD);
  const Item items[] = {first_item,
                        {"launches/000001.json", text, 0, FALSE, 0},
                        {"images/" ABCD ".cubin.zst", "abcd", 0, TRUE, 0}};
  g_autofree char *path = pack(items, 2 + (guint)_i);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_capture_code(capture, smb_capture_launch(capture, 0), &error));
  ck_assert_str_eq(error->message + strlen(path) + 2, messages[_i]);
}
END_TEST

// A variable of which a piece is missing, and code that is no cubin.
START_TEST(hostile_variable) {
  g_autoptr(GBytes) cubin = capture_load_cubin();
  g_autoptr(GBytes) plain = g_bytes_new_static("\177ELF", 4);
  g_autoptr(SmbSource) code = smb_source_new_any("x.cubin", cubin, NULL);
  g_autoptr(SmbSource) no_code = smb_source_new_any("y.cubin", plain, NULL);
  guint n;
  g_autofree char *kernel = capture_find_kernel(cubin, &n);
  g_autofree char *digits = g_strnfill(2 * n, '0');
  g_autofree char *named = replace(LAUNCH_TEXT, "\"k\"", "\"KERNEL\"");
  g_autofree char *with_kernel = replace(named, "KERNEL", kernel);
  g_autofree char *with_digits = replace(with_kernel, "00ff", digits);
  g_autofree char *without = replace(with_digits, "\"memory\":\"" HASH "\"", "\"memory\":null");
  g_autofree char *text = replace(without, "[null]", "[\"" HASH "\"]");
  const Item items[] = {first_item, {"launches/000001.json", text, 0, FALSE, 0}};
  g_autofree char *path = pack(items, 2);
  g_autoptr(SmbCapture) capture = capture_open_whole(path);
  const SmbCaptureLaunch *launch = smb_capture_launch(capture, 0);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_capture_load(capture, launch, code, &error));
  ck_assert_str_eq(error->message + strlen(path) + 2, "memory/" HASH ".zst is missing");
  g_clear_error(&error);
  ck_assert_ptr_null(smb_capture_load(capture, launch, no_code, &error));
  ck_assert_msg(g_str_has_prefix(error->message, "y.cubin: not a cubin: "), "%s", error->message);
}
END_TEST

// A file that is no capture, a member that has more bytes than it may, and a file that was cut after it was opened.
START_TEST(hostile_files) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_capture_open("/dev/zero", &error));
  ck_assert_str_eq(error->message, "/dev/zero: expected a regular file");
  g_clear_error(&error);
  const Item items[] = {first_item, {"end.json", "{}", 0, FALSE, 0}};
  g_autofree char *path = pack(items, G_N_ELEMENTS(items));
  g_autoptr(SmbCaptureMembers) members = smb_capture_members_open(path, &error);
  ck_assert_ptr_nonnull(members);
  ck_assert_ptr_null(smb_capture_members_read(members, "end.json", 1, &error));
  g_autofree char *large = g_strdup_printf("%s: end.json has 2 bytes: expected at most 1", path);
  ck_assert_str_eq(error->message, large);
  g_clear_error(&error);
  ck_assert_int_eq(truncate(path, 512), 0);
  ck_assert_ptr_null(smb_capture_members_read(members, "end.json", 2, &error));
  ck_assert_msg(strstr(error->message, ": a damaged capture: "), "%s", error->message);
}
END_TEST

Suite *
suite_capture_hostile(void) {
  Suite *suite = suite_create("capture-hostile");
  TCase *tcase = tcase_create("capture-hostile");
  tcase_add_checked_fixture(tcase, capture_folder_make, capture_folder_remove);
  tcase_add_test(tcase, hostile_archives);
  tcase_add_test(tcase, hostile_headers);
  tcase_add_test(tcase, hostile_launches);
  tcase_add_test(tcase, hostile_images);
  tcase_add_test(tcase, hostile_memory);
  tcase_add_loop_test(tcase, hostile_code, 0, 2);
  tcase_add_test(tcase, hostile_variable);
  tcase_add_test(tcase, hostile_files);
  suite_add_tcase(suite, tcase);
  return suite;
}
