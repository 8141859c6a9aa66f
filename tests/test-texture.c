// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The model of a texture unit: against a slow one that follows the rules word by word, and against what an H100 gave (2026-11-27).
#include "sim/texture/texture.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/effort.h"
#include "tests/suite.h"

enum {
  WIDTH = 13,
  HEIGHT = 7,
  DEPTH = 5,
  ROUNDS = 20000,
};

static float texels[DEPTH][HEIGHT][WIDTH];

static bool
read_texels(void *user, uint64_t address, void *bytes, unsigned n_bytes) {
  (void)user;
  memcpy(bytes, (const void *)(uintptr_t)address, n_bytes);
  return true;
}

static SmbTexture
describe_texels(SmbTextureShape shape, int mode, bool is_linear, bool is_normalized) {
  SmbTexture texture = {.shape = shape,
                        .channel = SMB_CHANNEL_FLOAT,
                        .bits = 32,
                        .n_components = 1,
                        .n_levels = 1,
                        .modes = {(uint32_t)mode, (uint32_t)mode, (uint32_t)mode},
                        .is_linear = is_linear,
                        .is_normalized = is_normalized,
                        .border = {0.25f, 0, 0, 0}};
  texture.levels[0] = (SmbTextureLevel){.address = (uintptr_t)texels,
                                        .row_bytes = sizeof texels[0][0],
                                        .slice_bytes = sizeof texels[0],
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .depth = DEPTH};
  return texture;
}

// --- the slow model

// One step at a time until it is inside; -1: the border.
static int
walk_inside(int mode, int index, int extent) {
  while (index < 0 || index >= extent) {
    if (mode == SMB_ADDRESS_BORDER)
      return -1;
    if (mode == SMB_ADDRESS_CLAMP)
      index += index < 0 ? 1 : -1;
    else if (mode == SMB_ADDRESS_WRAP)
      index += index < 0 ? extent : -extent;
    else
      index = index < 0 ? -1 - index : 2 * extent - 1 - index;
  }
  return index;
}

static double
take_texel(int mode, int x, int y, int z) {
  int i = walk_inside(mode, x, WIDTH), j = walk_inside(mode, y, HEIGHT);
  int k = walk_inside(mode, z, DEPTH);
  return i < 0 || j < 0 || k < 0 ? 0.25 : (double)texels[k][j][i];
}

// In 256ths of a texel, from the middle of the first one; where it clamps, between the middles of the first and the last.
static int
slow_place(int mode, double x, int extent, bool is_normalized) {
  double texel = is_normalized ? floor(x * 2097152) * extent / 2097152 : x;
  int place = (int)floor(texel * 256 + 0.5) - 128;
  if (mode == SMB_ADDRESS_CLAMP && place < 0)
    place = 0;
  if (mode == SMB_ADDRESS_CLAMP && place > (extent - 1) * 256)
    place = (extent - 1) * 256;
  return place;
}

// Halves of what is divided go to the part that is farther from the first texel, or, of the left part, to the nearer one.
static double
slow_linear(int mode, const int *places, bool is_flat) {
  int at[3], part[3];
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    at[i] = (int)floor(places[i] / 256.0);
    part[i] = places[i] - 256 * at[i];
  }
  for (int z = 0; z < (is_flat ? 1 : 2); z++) {
    int slice = is_flat ? 256 : z ? part[2] : 256 - part[2];
    int right = (int)floor(slice * part[0] / 256.0 + 0.5), left = slice - right;
    int upper_right = (int)floor(right * part[1] / 256.0 + 0.5);
    int lower_left = (int)floor(left * (256 - part[1]) / 256.0 + 0.5);
    sum += lower_left * take_texel(mode, at[0], at[1], at[2] + z);
    sum += (right - upper_right) * take_texel(mode, at[0] + 1, at[1], at[2] + z);
    sum += (left - lower_left) * take_texel(mode, at[0], at[1] + 1, at[2] + z);
    sum += upper_right * take_texel(mode, at[0] + 1, at[1] + 1, at[2] + z);
  }
  return sum / 256;
}

// Integers that stay integers: rounded to the nearest, and only near if that was needed.
START_TEST(test_integers) {
  static const uint8_t bytes[4] = {64, 68, 255, 0};
  static const struct {
    float x;
    uint32_t expected;
    unsigned flags;
  } places[] = {{1, 66, 0}, {1.25f, 67, 0}, {0.5f, 64, 0}, {0.625f, 65, SMB_SAMPLED_NEAR}};
  SmbTexture texture = describe_texels(SMB_SHAPE_1D, SMB_ADDRESS_CLAMP, true, false);
  texture.channel = SMB_CHANNEL_UNSIGNED;
  texture.bits = 8;
  texture.levels[0] = (SmbTextureLevel){
      .address = (uintptr_t)bytes, .row_bytes = 4, .width = 4, .height = 1, .depth = 1};
  for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
    const SmbSample sample = {.at = {places[i].x}};
    uint32_t components[SMB_TEXTURE_COMPONENTS];
    ck_assert_uint_eq(smb_texture_sample(&texture, &sample, read_texels, NULL, components),
                      places[i].flags);
    ck_assert_uint_eq(components[0], places[i].expected);
    ck_assert_uint_eq(components[1], 0);
  }
}
END_TEST

// Of two or three dimensions; texels are small integers in 64ths, so that nothing is rounded.
START_TEST(test_slow) {
  int mode = _i / 8;
  bool is_linear = _i & 1, is_normalized = _i & 2, is_flat = _i & 4;
  guint32 state = 1 + (guint32)_i;
  for (guint i = 0; i < sizeof texels / sizeof(float); i++)
    (&texels[0][0][0])[i] = (float)(i * 37 % 251) / 64;
  SmbTexture texture =
      describe_texels(is_flat ? SMB_SHAPE_2D : SMB_SHAPE_3D, mode, is_linear, is_normalized);
  if (!is_normalized && (mode == SMB_ADDRESS_WRAP || mode == SMB_ADDRESS_MIRROR))
    mode = SMB_ADDRESS_CLAMP;
  for (guint round = 0; round < effort(ROUNDS); round++) {
    static const int extents[3] = {WIDTH, HEIGHT, DEPTH};
    SmbSample sample = {.how = SMB_SAMPLE_FILTERED};
    int places[3] = {0};
    uint32_t found[SMB_TEXTURE_COMPONENTS];
    float value;
    for (int axis = 0; axis < (is_flat ? 2 : 3); axis++) {
      state = state * 1664525 + 1013904223;
      sample.at[axis] = (float)(int)(state >> 8 & 0xffff) / 1024 - 20;
      if (is_normalized)
        sample.at[axis] /= (float)extents[axis];
      places[axis] =
          slow_place(is_linear ? mode : -1, sample.at[axis], extents[axis], is_normalized);
      if (!is_linear)
        places[axis] =
            (int)floor(is_normalized ? floor(sample.at[axis] * 2097152.0) * extents[axis] / 2097152
                                     : (double)sample.at[axis]);
    }
    double expected = is_linear ? slow_linear(mode, places, is_flat)
                                : take_texel(mode, places[0], places[1], places[2]);
    ck_assert_uint_eq(smb_texture_sample(&texture, &sample, read_texels, NULL, found), 0);
    memcpy(&value, &found[0], sizeof value);
    ck_assert_msg((double)value == expected, "%a %a %a: %a, not %a", (double)sample.at[0],
                  (double)sample.at[1], (double)sample.at[2], (double)value, expected);
  }
}
END_TEST

// --- what a device gave

// Along x between two texels, of other formats.
static const struct {
  uint32_t channel, bits;
  uint8_t texels[4]; // of one component
  float x;
  uint32_t found;
} cases[] = {
    {SMB_CHANNEL_UNSIGNED, 8, {147, 0}, 0.5f, 0x3f139394},         // 147 / 255
    {SMB_CHANNEL_SIGNED, 8, {0xe8, 0}, 0.25f, 0xbe418306},         // -24 / 127
    {SMB_CHANNEL_SIGNED, 8, {0x80, 0x80}, 1, 0xbf800000},          // ends at -1
    {SMB_CHANNEL_FLOAT, 16, {0xba, 0x5f, 0, 0}, 0.5f, 0x43f74000}, // a half
};

START_TEST(test_format) {
  SmbTexture texture = describe_texels(SMB_SHAPE_1D, SMB_ADDRESS_CLAMP, FALSE, FALSE);
  SmbSample sample = {.how = SMB_SAMPLE_FILTERED, .at = {cases[_i].x}};
  uint32_t found[SMB_TEXTURE_COMPONENTS];
  texture.channel = cases[_i].channel;
  texture.bits = cases[_i].bits;
  texture.reads_float = cases[_i].channel != SMB_CHANNEL_FLOAT;
  texture.levels[0] = (SmbTextureLevel){
      .address = (uintptr_t)cases[_i].texels, .width = 2, .height = 1, .depth = 1};
  smb_texture_sample(&texture, &sample, read_texels, NULL, found);
  ck_assert_uint_eq(found[0], cases[_i].found);
  ck_assert_uint_eq(found[1] | found[2] | found[3], 0);
}
END_TEST

// Weights of eight texels, as an H100 had them (a fraction of 1/2 is where rules differ).
START_TEST(test_weights) {
  static const unsigned given[][3] = {{81, 128, 0}, {31, 128, 242}, {0, 67, 128}};
  static const unsigned slice[] = {0, 1, 1};
  static const unsigned expected[][4] = {{88, 40, 87, 41}, {107, 14, 106, 15}, {95, 0, 33, 0}};
  unsigned weights[8], sum = 0;
  smb_texture_weights(SMB_TEXTURE_ONE, 3, given[_i], weights);
  for (unsigned i = 0; i < 4; i++)
    ck_assert_uint_eq(weights[4 * slice[_i] + i], expected[_i][i]);
  for (unsigned i = 0; i < 8; i++)
    sum += weights[i];
  ck_assert_uint_eq(sum, SMB_TEXTURE_ONE);
}
END_TEST

// --- surfaces

START_TEST(test_surface) {
  static const struct {
    int32_t at[3];
    unsigned width;
    bool clamps, is_inside;
    uint64_t place;
  } places[] = {{{4, 1, 0}, 4, FALSE, TRUE, 16}, {{12, 0, 0}, 4, FALSE, FALSE, 0},
                {{12, 0, 0}, 4, TRUE, TRUE, 8},  {{-4, 5, 0}, 4, TRUE, TRUE, 24},
                {{8, 0, 0}, 8, TRUE, TRUE, 0},   {{0, 0, -1}, 4, TRUE, TRUE, 36},
                {{0, 0, 1}, 16, TRUE, FALSE, 0}};
  SmbTexture surface = {.shape = SMB_SHAPE_2D_LAYERED, .bits = 8, .n_components = 4, .n_levels = 1};
  surface.levels[0] =
      (SmbTextureLevel){.row_bytes = 12, .slice_bytes = 36, .width = 3, .height = 3, .depth = 2};
  for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
    uint64_t address = 0;
    SmbPlace place = smb_surface_find(&surface, places[i].at, places[i].width, places[i].clamps,
                                      NULL, NULL, &address);
    ck_assert_int_eq(place, places[i].is_inside ? SMB_PLACE_MEMORY : SMB_PLACE_OUTSIDE);
    ck_assert(place == SMB_PLACE_OUTSIDE || address == places[i].place);
  }
}
END_TEST

// Memory by pages, of which every second one is mapped.
static bool
read_page(void *user, uint64_t address, void *bytes, unsigned n_bytes) {
  const uint64_t page = address / n_bytes % 2 ? (uint64_t)1 << 32 | address << 16 : 0;
  ck_assert_uint_eq(n_bytes, sizeof page);
  ck_assert_ptr_null(user);
  memcpy(bytes, &page, sizeof page);
  return true;
}

// Elements lie as on an H200, which was asked for each of a tile.
START_TEST(test_pages) {
  static const struct {
    uint64_t x, y, z, place;
  } places[] = {{15, 0, 0, 15},     {16, 0, 0, 32},     {32, 0, 0, 256},    {0, 1, 0, 16},
                {0, 2, 0, 64},      {0, 8, 0, 512},     {0, 0, 1, 2048},    {64, 0, 0, 32768},
                {128, 0, 0, 65536}, {0, 32, 0, 131072}, {0, 0, 16, 262144}, {127, 31, 15, 65535}};
  SmbTextureLevel level = {.row_bytes = 128,
                           .width = 64,
                           .height = 64,
                           .depth = 40,
                           .reads_zeros = TRUE,
                           .pages = 8 * 1000,
                           .tile_height = 32,
                           .tile_depth = 16,
                           .n_across = 2,
                           .n_down = 2};
  uint64_t address = 0;
  for (guint i = 0; i < G_N_ELEMENTS(places); i++)
    ck_assert_uint_eq(smb_texture_place(&level, places[i].x, places[i].y, places[i].z),
                      places[i].place);
  ck_assert_int_eq(smb_texture_find(&level, 16, 0, 0, read_page, NULL, &address), SMB_PLACE_EMPTY);
  ck_assert_int_eq(smb_texture_find(&level, 128, 1, 0, read_page, NULL, &address),
                   SMB_PLACE_MEMORY);
  ck_assert_uint_eq(address, ((uint64_t)1 << 32 | (uint64_t)(8 * 1001) << 16) + 16);
  level.reads_zeros = FALSE; // what is not mapped is an error: no memory is there
  ck_assert_int_eq(smb_texture_find(&level, 16, 0, 0, read_page, NULL, &address), SMB_PLACE_MEMORY);
  ck_assert_uint_eq(address, 32);
  level.slice_bytes = 5 * SMB_TEXTURE_PAGE; // layers
  level.tile_depth = 1;
  ck_assert_uint_eq(smb_texture_place(&level, 0, 1, 3), 15 * SMB_TEXTURE_PAGE + 16);
}
END_TEST

// Of a sparse array texels that are not mapped are zeros, and stores to them go nowhere.
START_TEST(test_empty_places) {
  SmbTexture texture = describe_texels(SMB_SHAPE_2D, SMB_ADDRESS_CLAMP, FALSE, FALSE);
  SmbSample sample = {.at = {3.5f, 2.5f}};
  const int32_t at[3] = {4, 0, 0};
  uint32_t components[4] = {1, 1, 1, 1};
  uint64_t address;
  texture.levels[0] = (SmbTextureLevel){.row_bytes = 512,
                                        .width = 128,
                                        .height = 128,
                                        .depth = 1,
                                        .reads_zeros = TRUE,
                                        .pages = 8 * 1000,
                                        .tile_height = 128,
                                        .tile_depth = 1,
                                        .n_across = 1,
                                        .n_down = 1};
  ck_assert_uint_eq(smb_texture_sample(&texture, &sample, read_page, NULL, components),
                    SMB_SAMPLED_EMPTY);
  ck_assert_uint_eq(components[0], 0);
  ck_assert_int_eq(smb_surface_find(&texture, at, 4, FALSE, read_page, NULL, &address),
                   SMB_PLACE_EMPTY);
}
END_TEST

// Beyond the edge a texture reads its border, as texels of its format would hold it: of numbers of 8 bits the nearest, within their range.
START_TEST(test_border) {
  static const struct {
    uint32_t channel, bits;
    bool reads_float, is_srgb;
    float border;
    uint32_t found;
  } borders[] = {
      {SMB_CHANNEL_FLOAT, 32, false, false, 0.3f, 0x3e99999a},
      {SMB_CHANNEL_UNSIGNED, 8, true, false, 0.5f, 0x3f008081},   // 128 / 255
      {SMB_CHANNEL_UNSIGNED, 8, true, false, 3, 0x3f800000},      // 1
      {SMB_CHANNEL_UNSIGNED, 8, true, false, -3, 0},              // 0
      {SMB_CHANNEL_SIGNED, 8, true, false, 0.5f, 0x3f010204},     // 64 / 127
      {SMB_CHANNEL_SIGNED, 8, true, false, -3, 0xbf800000},       // -1
      {SMB_CHANNEL_UNSIGNED, 16, true, false, 0.25f, 0x3e800080}, // 16384 / 65535
      {SMB_CHANNEL_UNSIGNED, 8, true, true, 0.3f, 0x3e99999a},
  };
  static const uint8_t memory[16] = {0};
  for (guint i = 0; i < G_N_ELEMENTS(borders); i++) {
    SmbTexture texture = describe_texels(SMB_SHAPE_1D, SMB_ADDRESS_BORDER, false, false);
    SmbSample sample = {.how = SMB_SAMPLE_FILTERED, .at = {7.5f}};
    uint32_t found[SMB_TEXTURE_COMPONENTS] = {1, 1, 1, 1};
    texture.channel = borders[i].channel;
    texture.bits = borders[i].bits;
    texture.reads_float = borders[i].reads_float;
    texture.is_srgb = borders[i].is_srgb;
    texture.border[0] = borders[i].border;
    texture.levels[0] = (SmbTextureLevel){
        .address = (uintptr_t)memory, .width = 2, .height = 1, .depth = 1, .row_bytes = 16};
    smb_texture_sample(&texture, &sample, read_texels, NULL, found);
    ck_assert_msg(found[0] == borders[i].found, "border %u: 0x%x", i, found[0]);
    ck_assert_uint_eq(found[1], 0);
  }
}
END_TEST

// The level in which the longer step is of one texel (CUDA C++ Programming Guide, "Texture Fetching").
START_TEST(test_levels) {
  SmbTexture texture = describe_texels(SMB_SHAPE_2D, SMB_ADDRESS_WRAP, true, true);
  texture.levels[0].width = 64;
  texture.levels[0].height = 16;
  for (int level = -2; level < 6; level++) {
    const float texel = exp2f((float)level);
    float steps[4][2][2] = {{{texel / 64, 0}, {0, 0}},
                            {{0, 0}, {0, texel / 16}},
                            {{0, texel / 64}, {texel / 32, 0}}, // half a texel down
                            {{0.6f * texel / 64, 0}, {0.8f * texel / 16, 0.5f * texel / 16}}};
    for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
      ck_assert_float_eq_tol(smb_texture_level(&texture, 2, steps[i]), (float)level, 1e-5f);
  }
}
END_TEST

Suite *
suite_texture(void) {
  Suite *suite = suite_create("texture");
  TCase *tcase = tcase_create("texture");
  tcase_add_loop_test(tcase, test_slow, 0, 4 * 8);
  tcase_add_loop_test(tcase, test_format, 0, G_N_ELEMENTS(cases));
  tcase_add_loop_test(tcase, test_weights, 0, 3);
  tcase_add_test(tcase, test_surface);
  tcase_add_test(tcase, test_pages);
  tcase_add_test(tcase, test_empty_places);
  tcase_add_test(tcase, test_integers);
  tcase_add_test(tcase, test_border);
  tcase_add_test(tcase, test_levels);
  suite_add_tcase(suite, tcase);
  return suite;
}
