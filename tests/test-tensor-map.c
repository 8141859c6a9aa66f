// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor maps: their bytes and their errors against what an H200's driver made of the same arguments (tests/gpu/tensor-maps.c); what a box
// has against each element by itself.
#include "sim/tensor/map.h"

#include <check.h>
#include <glib.h>
#include <string.h>

#include "tests/effort.h"
#include "tests/suite.h"

enum {
  BLOCK_BYTES = 232448, // of shared memory, on sm_90
  LEAST_LINES = 1000,
  SECTIONS = 5, // of the arguments of a line, between slashes
  ROUNDS = 3000,
  MOST_BYTES = 1 << 16,
};

// --- what a driver made

// The numbers of a section of a line.
static guint
read_numbers(const char *text, gint64 *numbers, guint most) {
  guint n = 0;
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  for (guint i = 0; words[i] && n < most; i++)
    if (*words[i])
      numbers[n++] = g_ascii_strtoll(words[i], NULL, 10);
  return n;
}

static void
read_box(SmbTensorMap *map, const char *text) {
  gint64 numbers[2 * SMB_TENSOR_SPATIAL + 2];
  guint n = read_numbers(text, numbers, G_N_ELEMENTS(numbers));
  for (guint i = 0; i < n && !map->is_im2col; i++)
    map->box[i] = (guint32)numbers[i];
  if (!map->is_im2col)
    return;
  guint spatial = (n - 2) / 2;
  for (guint i = 0; i < spatial; i++) {
    map->lower[i] = (gint32)numbers[i];
    map->upper[i] = (gint32)numbers[spatial + i];
  }
  map->channels = (guint32)numbers[n - 2];
  map->pixels = (guint32)numbers[n - 1];
}

static SmbTensorMap
read_arguments(char *const *sections) {
  gint64 head[3 + SMB_TENSOR_RANK], strides[SMB_TENSOR_RANK], steps[SMB_TENSOR_RANK], modes[4];
  SmbTensorMap map = {.is_im2col = sections[0][0] == 'I'};
  g_auto(GStrv) words = g_strsplit(sections[0], " ", -1);
  guint n = read_numbers(sections[0] + 1, head, G_N_ELEMENTS(head));
  map.type = (guint32)head[0];
  map.rank = (guint32)head[1];
  map.address = g_ascii_strtoull(words[3], NULL, 16);
  for (guint i = 3; i < n; i++)
    map.dimensions[i - 3] = (guint64)head[i];
  n = read_numbers(sections[1], strides, G_N_ELEMENTS(strides));
  for (guint i = 0; i < n && i < SMB_TENSOR_RANK - 1; i++)
    map.strides[i] = (guint64)strides[i];
  read_box(&map, sections[2]);
  n = read_numbers(sections[3], steps, G_N_ELEMENTS(steps));
  for (guint i = 0; i < n; i++)
    map.steps[i] = (guint32)steps[i];
  ck_assert_uint_eq(read_numbers(sections[4], modes, 4), 4);
  map.interleave = (guint32)modes[0];
  map.swizzle = (guint32)modes[1];
  map.promotion = (guint32)modes[2];
  map.fill = (guint32)modes[3];
  return map;
}

static void
check_line(const char *line) {
  g_auto(GStrv) sides = g_strsplit(line, " = ", 2);
  g_auto(GStrv) sections = g_strsplit(sides[0], " /", -1);
  g_auto(GStrv) given = g_strsplit(sides[1], " ", 2);
  guint8 bytes[SMB_TENSOR_MAP_BYTES];
  ck_assert_uint_eq(g_strv_length(sections), SECTIONS);
  SmbTensorMap map = read_arguments(sections), again;
  gboolean is_made = strcmp(given[0], "0") == 0;
  if (map.type < SMB_TENSOR_U4) // packed ones are of later chips
    ck_assert_msg(smb_tensor_map_check(&map, BLOCK_BYTES) == is_made, "%s", line);
  if (!is_made)
    return;
  smb_tensor_map_encode(&map, bytes);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < sizeof bytes; i++)
    g_string_append_printf(text, "%02x", bytes[i]);
  ck_assert_msg(strcmp(text->str, given[1]) == 0, "%s\nis %s", line, text->str);
  if (map.is_im2col && map.interleave) {
    ck_assert(!smb_tensor_map_decode(bytes, &again));
    return;
  }
  ck_assert_msg(smb_tensor_map_decode(bytes, &again), "%s", line);
  ck_assert_msg(memcmp(&map, &again, sizeof map) == 0, "%s", line);
}

START_TEST(test_driver) {
  g_autofree char *path = g_build_filename(g_getenv("srcdir"), "tests", "data", "tensor-maps.txt",
                                           NULL),
                  *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint n = 0;
  for (guint i = 0; lines[i]; i++) {
    if (!*lines[i] || *lines[i] == '#')
      continue;
    check_line(lines[i]);
    n++;
  }
  ck_assert_uint_gt(n, LEAST_LINES);
}
END_TEST

// --- element by element

typedef struct {
  guint64 address[MOST_BYTES]; // of each byte of the box as it lies in shared memory
  guint8 known[MOST_BYTES];    // 1: of the tensor, 2: beside it
} Image;

static bool
note_run(void *user, const SmbTensorRun *run) {
  Image *image = user;
  for (guint i = 0; i < run->bytes; i++) {
    ck_assert_uint_lt(run->at + i, MOST_BYTES);
    ck_assert_uint_eq(image->known[run->at + i], 0);
    image->known[run->at + i] = run->is_outside ? 2 : 1;
    image->address[run->at + i] = run->is_outside ? 0 : run->address + i;
  }
  return true;
}

// Where an element of the box is in the tensor; 0: beside it.
static guint64
find_element(const SmbTensorMap *map, const SmbTensorBox *box, const guint64 *index) {
  guint64 size = smb_tensor_type_unit(map->type).bytes, address = map->address;
  for (guint i = 0; i < map->rank; i++) {
    gint64 at = box->coordinates[i] + (gint64)(index[i] * (i ? map->steps[i] : 1));
    guint64 within = map->dimensions[i];
    if (i == 0 && box->leaves)
      within = (within * size + 15) / 16 * 16 / size;
    if (at < 0 || (guint64)at >= within)
      return 0;
    address += (guint64)at * (i ? map->strides[i - 1] : size);
  }
  return address;
}

static void
check_box(const SmbTensorMap *map, const SmbTensorBox *box) {
  g_autofree Image *image = g_new0(Image, 1);
  guint64 size = smb_tensor_type_unit(map->type).bytes, index[SMB_TENSOR_RANK] = {0}, n = 0,
          row = 0;
  guint64 inner = map->box[0] * size, pitch = map->swizzle ? 16u << map->swizzle : inner;
  smb_tensor_box_walk(map, box, note_run, image);
  for (guint i = 0; i < map->rank;) {
    guint64 address = find_element(map, box, index), at = row * pitch + index[0] * size;
    for (guint b = 0; b < size; b++) {
      ck_assert_uint_eq(image->known[at + b], address ? 1 : 2);
      ck_assert_uint_eq(image->address[at + b], address ? address + b : 0);
    }
    n += size;
    for (i = 0; i < map->rank; i++) {
      guint64 count = i ? (map->box[i] + map->steps[i] - 1) / map->steps[i] : map->box[0];
      if (++index[i] < count)
        break;
      index[i] = 0;
    }
    row += i > 0;
  }
  ck_assert_uint_eq(n, smb_tensor_box_bytes(map));
}

START_TEST(test_elements) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(20261128);
  for (guint round = 0; round < effort(ROUNDS); round++) {
    SmbTensorMap map = {.address = 1 << 20,
                        .rank = 1 + (guint)g_rand_int_range(rand, 0, 5),
                        .type = (guint)g_rand_int_range(rand, 0, SMB_TENSOR_U4),
                        .swizzle = (guint)g_rand_int_range(rand, 0, 4)};
    SmbTensorBox box = {.leaves = g_rand_boolean(rand)};
    guint64 size = smb_tensor_type_unit(map.type).bytes, stride = 4096;
    guint chunks = map.swizzle ? 1u << map.swizzle : 8;
    for (guint i = 0; i < map.rank; i++) {
      map.dimensions[i] = (guint64)g_rand_int_range(rand, 1, 20);
      map.steps[i] = (guint)g_rand_int_range(rand, 1, 4);
      map.box[i] = i ? (guint)g_rand_int_range(rand, 1, 5)
                     : 16 * (guint)g_rand_int_range(rand, 1, (gint32)chunks + 1) / (guint)size;
      box.coordinates[i] = g_rand_int_range(rand, -4, 22);
      if (i + 1 < map.rank)
        map.strides[i] = stride;
      stride *= 32;
    }
    check_box(&map, &box);
  }
}
END_TEST

// Packed elements, bit by bit: those of 4 bits as they are in the tensor; of the others, 16 lie in the first of 16 bytes.
static void
check_packed_box(const SmbTensorMap *map, const SmbTensorBox *box) {
  g_autofree Image *image = g_new0(Image, 1);
  const guint bits = map->type == SMB_TENSOR_U6_SPREAD ? 6 : 4;
  const gboolean is_spread = map->type != SMB_TENSOR_U4;
  const guint64 inner = is_spread ? map->box[0] : map->box[0] / 2;
  const guint64 pitch = map->swizzle ? 16u << map->swizzle : inner;
  smb_tensor_box_walk(map, box, note_run, image);
  for (guint row = 0; row < map->box[1]; row++)
    for (guint i = 0; i < map->box[0] * bits; i++) {
      guint element = i / bits;
      guint64 to = is_spread ? element / 16 * 128 + i % (16 * bits) : i;
      gint64 x = box->coordinates[0] + (gint64)element, y = box->coordinates[1] + (gint64)row;
      gboolean is_outside =
          x < 0 || x >= (gint64)map->dimensions[0] || y < 0 || y >= (gint64)map->dimensions[1];
      guint64 at = row * pitch + to / 8;
      ck_assert_uint_eq(image->known[at], is_outside ? 2 : 1);
      if (is_outside)
        continue;
      guint64 bit = (guint64)x * bits + i % bits;
      ck_assert_uint_eq(image->address[at], map->address + (guint64)y * map->strides[0] + bit / 8);
      ck_assert_uint_eq(to % 8, bit % 8);
    }
  ck_assert_uint_eq(smb_tensor_box_bytes(map), map->box[0] * bits / 8 * map->box[1]);
}

START_TEST(test_packed) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(20261129);
  for (guint round = 0; round < effort(ROUNDS); round++) {
    const guint type = SMB_TENSOR_U4 + (guint)g_rand_int_range(rand, 0, 3);
    const gboolean is_spread = type != SMB_TENSOR_U4;
    SmbTensorMap read, map = {.address = 1 << 20,
                              .rank = 2,
                              .type = type,
                              .swizzle = g_rand_boolean(rand) ? 3 : 0,
                              .dimensions = {128 * (guint64)g_rand_int_range(rand, 1, 4), 9},
                              .strides = {4096},
                              .steps = {1, 1}};
    SmbTensorBox box = {
        .coordinates = {128 * g_rand_int_range(rand, -1, 4), g_rand_int_range(rand, -3, 10)}};
    guint8 bytes[SMB_TENSOR_MAP_BYTES];
    if (!is_spread)
      map.dimensions[0] -= 2 * (guint64)g_rand_int_range(rand, 0, 60);
    map.box[0] = is_spread ? 128 : 32 * (guint)g_rand_int_range(rand, 1, 9);
    map.box[1] = (guint)g_rand_int_range(rand, 1, 9);
    ck_assert(smb_tensor_map_check(&map, BLOCK_BYTES));
    smb_tensor_map_encode(&map, bytes);
    ck_assert(smb_tensor_map_decode(bytes, &read));
    ck_assert(memcmp(&map, &read, sizeof map) == 0);
    ck_assert_ptr_null(smb_tensor_box_problem(&map, &box));
    check_packed_box(&map, &box);
    box.coordinates[0] += 16;
    ck_assert_ptr_nonnull(smb_tensor_box_problem(&map, &box));
    map.interleave = 1;
    ck_assert(!smb_tensor_map_check(&map, BLOCK_BYTES));
  }
}
END_TEST

// Of 32 bytes within 128: four units change places, as in CuTe's Swizzle<2,5,2>; the map says so. And of 64, or with halves of 16.
START_TEST(test_swizzle_by_32) {
  guint8 bytes[SMB_TENSOR_MAP_BYTES];
  SmbTensorMap map = {.rank = 1,
                      .type = SMB_TENSOR_F32,
                      .swizzle = 3,
                      .atomicity = 1,
                      .dimensions = {64},
                      .steps = {1},
                      .box = {32}},
               read;
  for (guint64 at = 0; at < 4096; at++) {
    guint64 row = at / 128, unit = at / 32 % 4;
    ck_assert_uint_eq(smb_tensor_swizzle(&map, at), row * 128 + (unit ^ row % 4) * 32 + at % 32);
  }
  ck_assert(smb_tensor_map_check(&map, 1 << 16));
  smb_tensor_map_encode(&map, bytes);
  ck_assert(smb_tensor_map_decode(bytes, &read));
  ck_assert_uint_eq(read.atomicity, 1);
  ck_assert_uint_eq(read.swizzle, 3);
  map.atomicity = 2;
  ck_assert(smb_tensor_map_check(&map, 1 << 16));
  for (guint64 at = 0; at < 4096; at++) {
    guint64 row = at / 128, unit = at / 32 % 4;
    ck_assert_uint_eq(smb_tensor_swizzle(&map, at),
                      row * 128 + (unit ^ row % 4) * 32 + (at % 32 ^ row % 2 * 8));
  }
  map.atomicity = 3;
  ck_assert(smb_tensor_map_check(&map, 1 << 16));
  for (guint64 at = 0; at < 4096; at++)
    ck_assert_uint_eq(smb_tensor_swizzle(&map, at),
                      at / 128 * 128 + (at % 128 ^ at / 128 % 2 * 64));
  map.atomicity = 4;
  ck_assert(!smb_tensor_map_check(&map, 1 << 16));
  map = (SmbTensorMap){.rank = 1,
                       .type = SMB_TENSOR_F32,
                       .swizzle = 2,
                       .atomicity = 1,
                       .dimensions = {64},
                       .steps = {1},
                       .box = {16}};
  ck_assert(!smb_tensor_map_check(&map, 1 << 16));
}
END_TEST

// Each chunk of 1024 bytes is only put in another order, within the span.
START_TEST(test_swizzle) {
  for (guint swizzle = 0; swizzle <= 3; swizzle++) {
    const SmbTensorMap map = {.swizzle = swizzle};
    guint64 span = 16u << swizzle;
    gboolean taken[1024] = {FALSE};
    for (guint64 at = 0; at < 1024; at++) {
      guint64 to = smb_tensor_swizzle(&map, at);
      ck_assert_uint_lt(to, 1024);
      ck_assert(!taken[to]);
      taken[to] = TRUE;
      ck_assert_uint_eq(to / span, at / span);
      ck_assert_uint_eq(to % 16, at % 16);
      ck_assert_uint_eq(smb_tensor_swizzle(&map, to), at);
    }
  }
}
END_TEST

// --- what ends a walk, and what no box may be

static bool
stop_at_third(void *user, const SmbTensorRun *run) {
  guint *n = user;
  ck_assert_uint_gt(run->bytes, 0);
  return ++*n < 3;
}

// Of tiles, of packed elements that leave bytes free, of slices, of pixels.
START_TEST(test_stopped) {
  const SmbTensorMap maps[] = {
      {.rank = 2, .dimensions = {64, 64}, .strides = {256}, .steps = {1, 1}, .box = {4, 8}},
      {.type = SMB_TENSOR_U4_SPREAD,
       .rank = 2,
       .dimensions = {256, 64},
       .strides = {256},
       .steps = {1, 1},
       .box = {128, 8}},
      {.rank = 3,
       .interleave = 1,
       .dimensions = {64, 64, 2},
       .strides = {2048, 1 << 17},
       .steps = {1, 1, 1},
       .box = {8, 8, 1}},
      {.rank = 3,
       .is_im2col = TRUE,
       .dimensions = {64, 64, 4},
       .strides = {256, 1 << 14},
       .steps = {1, 1, 1},
       .channels = 4,
       .pixels = 16},
  };
  for (guint i = 0; i < G_N_ELEMENTS(maps); i++) {
    SmbTensorMap map = maps[i];
    const SmbTensorBox box = {.leaves = FALSE};
    guint n = 0;
    map.address = 1 << 20;
    smb_tensor_box_walk(&map, &box, stop_at_third, &n);
    ck_assert_msg(n == 3, "map %u: %u runs", i, n);
  }
}
END_TEST

START_TEST(test_problems) {
  static const struct {
    gboolean is_im2col, leaves;
    gint32 coordinates[3], lower, upper;
    const char *problem;
  } boxes[] = {
      {FALSE, FALSE, {0, -5, 99}, 0, 0, NULL},
      {FALSE, TRUE, {0, 5, 0}, 0, 0, NULL},
      {FALSE, TRUE, {0, -1, 0}, 0, 0, "the box is stored, and a coordinate is negative"},
      {TRUE, FALSE, {0, -1, 0}, -1, 1, NULL},
      {TRUE, FALSE, {0, 8, 0}, -1, 1, NULL},
      {TRUE, FALSE, {0, -2, 0}, -1, 1, "the box begins outside of the map's box of pixels"},
      {TRUE, FALSE, {0, 9, 0}, -1, 1, "the box begins outside of the map's box of pixels"},
      {TRUE, TRUE, {0, 2, 0}, 0, 0, NULL},
      {TRUE,
       TRUE,
       {0, 2, 0},
       0,
       1,
       "the box is stored, and the map's box of pixels is not in the tensor"},
      {TRUE,
       TRUE,
       {0, 2, 0},
       -1,
       0,
       "the box is stored, and the map's box of pixels is not in the tensor"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(boxes); i++) {
    const SmbTensorMap map = {.rank = 3,
                              .is_im2col = boxes[i].is_im2col,
                              .dimensions = {64, 8, 4},
                              .lower = {boxes[i].lower},
                              .upper = {boxes[i].upper}};
    SmbTensorBox box = {.leaves = boxes[i].leaves};
    memcpy(box.coordinates, boxes[i].coordinates, sizeof boxes[i].coordinates);
    const char *problem = smb_tensor_box_problem(&map, &box);
    ck_assert_msg(g_strcmp0(problem, boxes[i].problem) == 0, "box %u: %s", i, problem);
  }
}
END_TEST

Suite *
suite_tensor_map(void) {
  Suite *suite = suite_create("tensor-map");
  TCase *tcase = tcase_create("tensor-map");
  tcase_add_test(tcase, test_driver);
  tcase_add_test(tcase, test_elements);
  tcase_add_test(tcase, test_packed);
  tcase_add_test(tcase, test_swizzle);
  tcase_add_test(tcase, test_swizzle_by_32);
  tcase_add_test(tcase, test_stopped);
  tcase_add_test(tcase, test_problems);
  suite_add_tcase(suite, tcase);
  return suite;
}
