// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long an instruction of textures takes, and which sectors it asks for, beside what an H200 did (tests/gpu/time/texture.cu, 2026-11-28): cycles of
// a multiprocessor for each, rounded, and l1tex__m_xbar2l1tex_read_sectors of one warp, since all others ask for the same.
#include <check.h>
#include <string.h>

#include "sim/texture/texture.h"
#include "sim/time/replay/texture-unit.h"
#include "tests/suite.h"

enum {
  EXTENT = 1024, // of arrays, in texels
  ADDRESS = 1 << 20,
};

typedef struct {
  const char *name;
  SmbTexelWay way;
  guint width; // bytes of a texel
  gboolean is_linear;
  guint columns; // lanes side by side; the others are below them
  float across, down;
  guint turns, sectors;
} Case;

#define POINT(name, width, columns, across, down, turns, sectors)                                  \
  { name, SMB_TEXELS_SAMPLED, width, FALSE, columns, across, down, turns, sectors }
#define LINEAR(name, width, columns, across, down, turns, sectors)                                 \
  { name, SMB_TEXELS_SAMPLED, width, TRUE, columns, across, down, turns, sectors }
#define ELEMENT(name, width, across, turns, sectors)                                               \
  { name, SMB_TEXELS_ELEMENT, width, FALSE, 32, across, 0, turns, sectors }

static const Case cases[] = {
    POINT("words side by side", 4, 32, 1, 0, 8, 8),
    LINEAR("words side by side, weighed", 4, 32, 1, 0, 8, 9),
    POINT("8 bytes", 8, 32, 1, 0, 8, 16),
    LINEAR("8 bytes, weighed", 8, 32, 1, 0, 16, 17),
    POINT("16 bytes", 16, 32, 1, 0, 16, 32),
    LINEAR("16 bytes, weighed", 16, 32, 1, 0, 32, 33),
    POINT("2 bytes", 2, 32, 1, 0, 8, 4),
    LINEAR("2 bytes, weighed", 2, 32, 1, 0, 8, 5),
    POINT("bytes", 1, 32, 1, 0, 8, 2),
    LINEAR("bytes, weighed", 1, 32, 1, 0, 8, 3),
    POINT("one texel", 4, 32, 0, 0, 8, 1),
    LINEAR("one place", 4, 32, 0, 0, 8, 1),
    POINT("a quarter of a texel apart", 4, 32, 0.25f, 0, 8, 3),
    LINEAR("a quarter of a texel apart, weighed", 4, 32, 0.25f, 0, 8, 3),
    POINT("every second word", 4, 32, 2, 0, 8, 16),
    LINEAR("every second word, weighed", 4, 32, 2, 0, 8, 16),
    POINT("every fourth word", 4, 32, 4, 0, 16, 32),
    LINEAR("every fourth word, weighed", 4, 32, 4, 0, 16, 32),
    POINT("every eighth word", 4, 32, 8, 0, 32, 32),
    LINEAR("every eighth word, weighed", 4, 32, 8, 0, 32, 32),
    POINT("every 16th word", 4, 32, 16, 0, 32, 32),
    POINT("below each other", 4, 1, 0, 1, 8, 16),
    LINEAR("below each other, weighed", 4, 1, 0, 1, 8, 17),
    POINT("every second row", 4, 1, 0, 2, 8, 32),
    LINEAR("every second row, weighed", 4, 1, 0, 2, 8, 32),
    POINT("every eighth row", 4, 1, 0, 8, 32, 32),
    POINT("2 x 16", 4, 2, 1, 1, 8, 8),
    LINEAR("2 x 16, weighed", 4, 2, 1, 1, 8, 9),
    POINT("8 x 4", 4, 8, 1, 1, 8, 4),
    LINEAR("8 x 4, weighed", 4, 8, 1, 1, 8, 9),
    POINT("16 x 2", 4, 16, 1, 1, 8, 4),
    LINEAR("16 x 2, weighed", 4, 16, 1, 1, 8, 10),
    POINT("4 x 8, far apart", 4, 4, 8, 8, 32, 32),
    POINT("one texel of 16 bytes", 16, 32, 0, 0, 16, 1),
    LINEAR("one place of 16 bytes", 16, 32, 0, 0, 32, 2),
    POINT("every second of 16 bytes", 16, 32, 2, 0, 16, 32),
    LINEAR("every second of 16 bytes, weighed", 16, 32, 2, 0, 32, 64),
    POINT("every eighth of 16 bytes", 16, 32, 8, 0, 32, 32),
    LINEAR("every eighth of 16 bytes, weighed", 16, 32, 8, 0, 64, 64),
    POINT("16 bytes below each other", 16, 1, 0, 1, 16, 16),
    LINEAR("16 bytes below each other, weighed", 16, 1, 0, 1, 32, 34),
    POINT("8 x 4 of 16 bytes", 16, 8, 1, 1, 16, 16),
    LINEAR("8 x 4 of 16 bytes, weighed", 16, 8, 1, 1, 32, 27),
    LINEAR("4 x 8 of 16 bytes, far apart, weighed", 16, 4, 8, 8, 64, 64),
    ELEMENT("one element", 4, 0, 4, 1),
    ELEMENT("elements", 4, 1, 4, 4),
    ELEMENT("every second element", 4, 2, 4, 8),
    ELEMENT("every fourth element", 4, 4, 8, 16),
    ELEMENT("every eighth element", 4, 8, 8, 32),
    ELEMENT("every 32nd element", 4, 32, 32, 32),
    ELEMENT("elements of 8 bytes", 8, 1, 4, 8),
    ELEMENT("elements of 16 bytes", 16, 1, 8, 16),
    {"by gradients", SMB_TEXELS_GRADIENTS, 4, FALSE, 32, 1, 0, 32, 8},
    {"by gradients, weighed", SMB_TEXELS_GRADIENTS, 4, TRUE, 32, 1, 0, 32, 9},
    {"gathered", SMB_TEXELS_GATHERED, 4, FALSE, 32, 1, 0, 16, 9},
    {"of the first level", SMB_TEXELS_FIRST_LEVEL, 4, FALSE, 32, 1, 0, 4, 8},
    {"of the first level, weighed", SMB_TEXELS_FIRST_LEVEL, 4, TRUE, 32, 1, 0, 8, 9},
    {"of a surface", SMB_TEXELS_LOADED, 4, FALSE, 32, 1, 0, 4, 8},
    {"16 bytes of a surface", SMB_TEXELS_LOADED, 16, FALSE, 32, 1, 0, 16, 32},
};

typedef struct {
  const SmbTexture *texture;
  SmbTexels *texels;
  guint lane;
} Looking;

static bool
note_look(void *user, uint64_t address, void *bytes, unsigned n_bytes) {
  Looking *looking = user;
  SmbTexels *texels = looking->texels;
  memset(bytes, 0, n_bytes);
  texels->places[looking->lane][texels->n[looking->lane]++] =
      smb_texture_device_place(looking->texture, address);
  return true;
}

// A texture of two dimensions, or memory.
static SmbTexture
make_texture(const Case *tried) {
  gboolean is_memory = tried->way == SMB_TEXELS_ELEMENT, is_real = tried->width > 2;
  SmbTexture texture = {.shape = is_memory ? SMB_SHAPE_BUFFER : SMB_SHAPE_2D,
                        .channel = is_real ? SMB_CHANNEL_FLOAT : SMB_CHANNEL_UNSIGNED,
                        .bits = is_real ? 32 : 8,
                        .n_components = is_real ? tried->width / 4 : tried->width,
                        .n_levels = 1,
                        .modes = {SMB_ADDRESS_CLAMP, SMB_ADDRESS_CLAMP, SMB_ADDRESS_CLAMP},
                        .is_linear = tried->is_linear,
                        .is_array = !is_memory,
                        .reads_float = true};
  texture.levels[0] = (SmbTextureLevel){.address = ADDRESS,
                                        .row_bytes = EXTENT * tried->width,
                                        .slice_bytes = EXTENT * EXTENT * tried->width,
                                        .width = EXTENT,
                                        .height = EXTENT,
                                        .depth = 1};
  return texture;
}

static void
ask_for_texels(const Case *tried, const SmbTexture *texture, SmbTexels *texels) {
  float first = tried->is_linear || tried->way == SMB_TEXELS_GATHERED ? 0.75f : 0.5f;
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
    Looking looking = {texture, texels, lane};
    uint32_t components[SMB_TEXTURE_COMPONENTS];
    float x = first + (float)(lane % tried->columns) * tried->across;
    float y = first + (float)(lane / tried->columns) * tried->down;
    SmbSample sample = {.how = tried->way == SMB_TEXELS_ELEMENT    ? SMB_SAMPLE_TEXEL
                               : tried->way == SMB_TEXELS_GATHERED ? SMB_SAMPLE_GATHERED
                                                                   : SMB_SAMPLE_FILTERED,
                        .at = {x, y},
                        .texel = (int32_t)x};
    smb_texture_sample(texture, &sample, note_look, &looking, components);
  }
}

START_TEST(takes_turns) {
  const Case *tried = &cases[_i];
  SmbTexture texture = make_texture(tried);
  SmbTexels texels = {.way = tried->way,
                      .mask = G_MAXUINT32,
                      .width = tried->width,
                      .is_array = texture.is_array,
                      .is_linear = tried->is_linear};
  ask_for_texels(tried, &texture, &texels);
  g_autoptr(GHashTable) sectors = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    for (guint i = 0; i < texels.n[lane]; i++)
      g_hash_table_add(sectors, GSIZE_TO_POINTER(texels.places[lane][i] / 32));
  ck_assert_msg(smb_texture_unit_count(&texels) == tried->turns, "%s: %u turns, not %u",
                tried->name, smb_texture_unit_count(&texels), tried->turns);
  ck_assert_msg(g_hash_table_size(sectors) == tried->sectors, "%s: %u sectors, not %u", tried->name,
                g_hash_table_size(sectors), tried->sectors);
}
END_TEST

// Lanes that are not active take their turns all the same: 1, 8 and 16 lanes as long as 32 (an H200).
START_TEST(counts_lanes_that_rest) {
  SmbTexels texels = {.way = SMB_TEXELS_SAMPLED, .mask = 1, .width = 4, .is_array = TRUE};
  texels.n[0] = 1;
  ck_assert_uint_eq(smb_texture_unit_count(&texels), 8);
  texels.way = SMB_TEXELS_ELEMENT;
  ck_assert_uint_eq(smb_texture_unit_count(&texels), 4);
}
END_TEST

Suite *
suite_texture_unit(void) {
  Suite *suite = suite_create("texture-unit");
  TCase *tcase = tcase_create("texture-unit");
  tcase_add_loop_test(tcase, takes_turns, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, counts_lanes_that_rest);
  suite_add_tcase(suite, tcase);
  return suite;
}
