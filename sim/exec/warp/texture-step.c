// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Textures and surfaces of a launch that has them (sim/texture). They are no requests that are counted, and race with nothing: a
// device promises nothing of a texture that its kernel changes.
#include "sim/exec/warp/warp.h"

#include <string.h>

#include "sim/texture/texture.h"

enum {
  WORDS = 4,        // of a result
  BEFORE_ALL = -32, // a level that is the first one, whatever the bias is: what compilers ask for
};

// One lane's look at memory. @texels: (nullable): takes where it looks
typedef struct {
  const Exec *exec;
  guint lane;
  gboolean is_lost; // an address had no memory
  const SmbTexture *texture;
  SmbTexels *texels;
} Look;

// Where a lane looks, for who wants to know. What is no texel is an entry of a table of pages, which is no request of the device.
static void
note_texel(const Look *look, guint64 address, guint n_bytes) {
  SmbTexels *texels = look->texels;
  if (!texels || n_bytes != texels->width || texels->n[look->lane] == SMB_TEXTURE_TAPS)
    return;
  texels->places[look->lane][texels->n[look->lane]++] =
      smb_texture_device_place(look->texture, address);
}

static bool
read_memory(void *user, uint64_t address, void *bytes, unsigned n_bytes) {
  Look *look = user;
  const Exec *exec = look->exec;
  note_texel(look, address, n_bytes);
  bool is_known = smb_block_peek(exec->block, exec->w, look->lane, address, bytes, n_bytes);
  look->is_lost = look->is_lost || (!is_known && !smb_block_has(exec->block, address));
  return is_known;
}

// --- operands

static guint32
read_word(const Exec *exec, Row row, guint lane) {
  return row == NO_ROW ? 0 : row_values(exec->warp->registers, row)[lane];
}

static float
read_float(const Exec *exec, Row row, guint lane) {
  guint32 word = read_word(exec, row, lane);
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

// Of @lanes those in which a row is known, or is none.
static SmbLanes
known_lanes(const Exec *exec, Row row, SmbLanes lanes) {
  return row == NO_ROW ? lanes : smb_row_known(exec->warp->registers, row, lanes);
}

// Those in which all that says where is known.
static SmbLanes
find_known(const Exec *exec, const Sampling *sampling, SmbLanes lanes) {
  lanes = known_lanes(exec, sampling->layer, known_lanes(exec, sampling->level, lanes));
  for (guint i = 0; i < G_N_ELEMENTS(sampling->coordinates); i++) {
    lanes = known_lanes(exec, sampling->coordinates[i], lanes);
    for (guint direction = 0; direction < 2; direction++)
      lanes = known_lanes(exec, sampling->gradients[i][direction], lanes);
  }
  return lanes;
}

// What was found, of @lanes; in those that are not in @known nothing is known.
static void
set_found(Exec *exec, const Step *step, SmbLanes lanes, SmbLanes known,
          guint32 (*words)[SMB_MAX_LANES]) {
  guint32 unknown[SMB_MAX_LANES];
  const Row *data = step->sampling->data;
  smb_lanes_spread(~known, exec->block->lanes, unknown);
  if (known != lanes)
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  for (guint i = 0; i < WORDS; i++) {
    if (data[i] == NO_ROW)
      continue;
    FOR_LANES(lanes & ~known, lane) {
      words[i][lane] = 0;
    }
    smb_row_set(exec->warp->registers, data[i], lanes, words[i], known == lanes ? NULL : unknown, 0,
                known == lanes ? 0 : step_origin(exec, step));
  }
}

// Whether texels had memory, of @lanes; @empty: those in which one had none.
static void
set_residency(Exec *exec, const Step *step, SmbLanes lanes, SmbLanes known, SmbLanes empty) {
  Registers *registers = exec->warp->registers;
  guint32 origin = known == lanes ? 0 : step_origin(exec, step);
  smb_predicate_set(registers, step->sampling->resident, lanes, ~empty, lanes & ~known, 0, origin);
  smb_predicate_set(registers, step->sampling->missing, lanes, empty, lanes & ~known, 0, origin);
}

static void
note_approximate(const Exec *exec, SmbApproximate what) {
  if (exec->block->runtime)
    smb_runtime_approximate(exec->block->runtime, what);
}

// --- textures

static float
find_asked_level(const Exec *exec, const Sampling *sampling, const SmbTexture *texture,
                 guint lane) {
  float gradients[3][2];
  guint n = texture->shape == SMB_SHAPE_3D ? 3 : 2;
  if (sampling->gradients[0][0] == NO_ROW)
    return sampling->level == NO_ROW ? BEFORE_ALL : read_float(exec, sampling->level, lane);
  if (texture->n_levels == 1)
    return 0;
  for (guint i = 0; i < n; i++)
    for (guint direction = 0; direction < 2; direction++)
      gradients[i][direction] = read_float(exec, sampling->gradients[i][direction], lane);
  note_approximate(exec, SMB_APPROXIMATE_LEVELS);
  return smb_texture_level(texture, n, gradients);
}

// The extent of a level; memory that has no rows has a width only.
static guint32
find_texture_extent(const SmbTexture *texture, guint which, guint32 number) {
  const SmbTextureLevel *level = &texture->levels[MIN(number, texture->n_levels - 1)];
  if (which > 0 && texture->shape == SMB_SHAPE_BUFFER)
    return 0;
  return which == 0 ? level->width : which == 1 ? level->height : level->depth;
}

static unsigned
sample_lane(const Exec *exec, const Sampling *sampling, const SmbTexture *texture, Look *look,
            guint32 *words) {
  guint lane = look->lane;
  if (sampling->kind == SAMPLING_SIZE) {
    words[0] =
        find_texture_extent(texture, sampling->component, read_word(exec, sampling->level, lane));
    return 0;
  }
  SmbSample sample = {.how = sampling->kind == SAMPLING_TEXEL      ? SMB_SAMPLE_TEXEL
                             : sampling->kind == SAMPLING_GATHERED ? SMB_SAMPLE_GATHERED
                                                                   : SMB_SAMPLE_FILTERED,
                      .component = sampling->component,
                      .layer = read_word(exec, sampling->layer, lane),
                      .texel = (gint32)read_word(exec, sampling->coordinates[0], lane),
                      .level = find_asked_level(exec, sampling, texture, lane)};
  // Numbers of elements are for memory, and coordinates for the rest.
  gboolean is_fetch = texture->shape == SMB_SHAPE_BUFFER;
  if (is_fetch != (sampling->kind == SAMPLING_TEXEL)) {
    memset(words, 0, WORDS * sizeof *words);
    return 0;
  }
  for (guint i = 0; i < G_N_ELEMENTS(sample.at); i++)
    sample.at[i] = read_float(exec, sampling->coordinates[i], lane);
  return smb_texture_sample(texture, &sample, read_memory, look, words);
}

// The texture or surface of a lane, by its handle, of which only 32 bits reach the device. NULL: the handle is none; loads find zeros, as on a
// device, and stores do nothing.
static const SmbTexture *
find_texture(const Exec *exec, Row handle, guint lane) {
  const GArray *textures = exec->block->textures;
  guint32 number = read_word(exec, handle, lane);
  for (guint i = 0; i < textures->len; i++) {
    const SmbTexture *texture = &g_array_index(textures, SmbTexture, i);
    if ((guint32)texture->handle == number)
      return texture;
  }
  return NULL;
}

static const char *
mistaken(const SmbTexture *texture, gboolean is_surface) {
  return !texture || texture->is_surface == is_surface ? NULL
         : is_surface                                  ? "a texture is taken for a surface"
                                                       : "a surface is taken for a texture";
}

static SmbTexelWay
find_texel_way(const Sampling *sampling) {
  switch (sampling->kind) {
  case SAMPLING_FILTERED:
    return sampling->gradients[0][0] != NO_ROW ? SMB_TEXELS_GRADIENTS
           : sampling->level != NO_ROW         ? SMB_TEXELS_SAMPLED
                                               : SMB_TEXELS_FIRST_LEVEL;
  case SAMPLING_GATHERED:
    return SMB_TEXELS_GATHERED;
  case SAMPLING_TEXEL:
    return SMB_TEXELS_ELEMENT;
  case SAMPLING_LOAD:
    return SMB_TEXELS_LOADED;
  case SAMPLING_STORE:
    return SMB_TEXELS_STORED;
  case SAMPLING_SIZE:
    return SMB_TEXELS_NONE;
  }
  g_assert_not_reached();
}

// What lanes are about to ask for, if somebody wants to know; those of one instruction have textures of one kind.
static SmbTexels *
begin_texels(const Exec *exec, const Sampling *sampling, SmbLanes lanes, SmbTexels *texels) {
  if (!exec->block->sink->texels || !lanes)
    return NULL;
  const SmbTexture *texture = find_texture(exec, sampling->handle, smb_lanes_first(lanes));
  gboolean is_texture = texture && !texture->is_surface;
  texels->way = find_texel_way(sampling);
  texels->mask = lanes;
  texels->width = is_texture ? texture->n_components * texture->bits / 8 : sampling->width;
  texels->is_array = texture && texture->is_array;
  texels->is_linear = is_texture && texture->is_linear;
  texels->has_depth = is_texture && texture->shape == SMB_SHAPE_3D;
  memset(texels->n, 0, sizeof texels->n);
  return texels;
}

static void
tell_texels(const Exec *exec, const SmbTexels *texels) {
  if (texels)
    exec->block->sink->texels(exec->block->user, exec->w, texels);
}

gboolean
smb_step_sample(Exec *exec, const Step *step, SmbLanes lanes) {
  const Sampling *sampling = step->sampling;
  guint32 words[WORDS][SMB_MAX_LANES] = {{0}};
  SmbTexels asked;
  if (!exec->block->textures)
    return smb_step_opaque(exec, step, lanes);
  if (lanes && !smb_unknown_check(exec, step, sampling->handle, 1, lanes, "the texture"))
    return FALSE;
  SmbLanes known = find_known(exec, sampling, lanes), lost = 0, empty = 0;
  SmbTexels *texels = begin_texels(exec, sampling, lanes, &asked);
  FOR_LANES(known, lane) {
    const SmbTexture *texture = find_texture(exec, sampling->handle, lane);
    guint32 found[WORDS] = {0};
    Look look = {exec, lane, FALSE, texture, texels};
    const char *mistake = mistaken(texture, FALSE);
    if (mistake && sampling->kind != SAMPLING_SIZE)
      return smb_block_fail(exec->block, step->place, "%s", mistake);
    unsigned flags = texture ? sample_lane(exec, sampling, texture, &look, found) : 0;
    if (flags & SMB_SAMPLED_UNKNOWN)
      known &= ~((SmbLanes)1 << lane);
    if (flags & SMB_SAMPLED_EMPTY)
      empty |= (SmbLanes)1 << lane;
    if (flags & SMB_SAMPLED_NEAR)
      note_approximate(exec, SMB_APPROXIMATE_FILTERS);
    if (look.is_lost)
      lost |= (SmbLanes)1 << lane;
    for (guint i = 0; i < WORDS; i++)
      words[i][lane] = found[i];
  }
  tell_texels(exec, texels);
  set_found(exec, step, lanes, known, words);
  set_residency(exec, step, lanes, known, empty);
  return !lost || smb_step_fault(exec, step, lost, SMB_FAULT_ADDRESS,
                                 "a texture is sampled whose memory is not there");
}

// --- surfaces

// Where a lane's access goes; 0: nowhere. @fault: (out): what ends the lane.
static guint64
find_place_on_surface(const Exec *exec, const Sampling *sampling, guint lane, SmbFault *fault) {
  const SmbTexture *surface = find_texture(exec, sampling->handle, lane);
  gint32 at[3] = {(gint32)read_word(exec, sampling->coordinates[0], lane),
                  (gint32)read_word(exec, sampling->coordinates[1], lane),
                  (gint32)read_word(exec, sampling->layer, lane)};
  uint64_t address = 0;
  *fault = SMB_FAULT_NONE;
  if (!surface)
    return 0;
  if ((guint32)at[0] % sampling->width != 0) {
    *fault = SMB_FAULT_MISALIGNED;
    return 0;
  }
  Look look = {exec, lane, FALSE, surface, NULL};
  SmbPlace place =
      smb_surface_find(surface, at, sampling->width, sampling->boundary == BOUNDARY_CLAMP,
                       read_memory, &look, &address);
  gboolean is_lost = place == SMB_PLACE_MEMORY && !smb_block_has(exec->block, address);
  if (is_lost || (place == SMB_PLACE_OUTSIDE && sampling->boundary == BOUNDARY_TRAP))
    *fault = SMB_FAULT_ADDRESS;
  return place == SMB_PLACE_MEMORY && !is_lost ? address : 0;
}

// The lanes that a fault ends, of the kind of the first one, and where others go: @inside.
typedef struct {
  guint64 addresses[SMB_MAX_LANES];
  SmbLanes inside, faulty;
  SmbFault fault;
} Places;

static void
find_surface_places(const Exec *exec, const Sampling *sampling, SmbLanes lanes, Places *places) {
  *places = (Places){.inside = 0};
  FOR_LANES(lanes, lane) {
    SmbFault fault;
    places->addresses[lane] = find_place_on_surface(exec, sampling, lane, &fault);
    if (places->addresses[lane])
      places->inside |= (SmbLanes)1 << lane;
    if (fault == SMB_FAULT_NONE)
      continue;
    places->faulty |= (SmbLanes)1 << lane;
    places->fault = places->fault ? places->fault : fault;
  }
}

static void
tell_surface_places(const Exec *exec, const Sampling *sampling, SmbLanes lanes,
                    const Places *places) {
  SmbTexels asked, *texels = begin_texels(exec, sampling, lanes, &asked);
  if (!texels)
    return;
  FOR_LANES(places->inside, lane) {
    texels->places[lane][0] = smb_texture_device_place(find_texture(exec, sampling->handle, lane),
                                                       places->addresses[lane]);
    texels->n[lane] = 1;
  }
  tell_texels(exec, texels);
}

static void
load_surface(Exec *exec, const Step *step, SmbLanes lanes, const Places *places) {
  guint32 words[WORDS][SMB_MAX_LANES] = {{0}};
  SmbLanes known = find_known(exec, step->sampling, lanes);
  FOR_LANES(places->inside, lane) {
    guint32 found[WORDS] = {0};
    if (!smb_block_peek(exec->block, exec->w, lane, places->addresses[lane], found,
                        step->sampling->width))
      known &= ~((SmbLanes)1 << lane);
    for (guint i = 0; i < WORDS; i++)
      words[i][lane] = found[i];
  }
  set_found(exec, step, lanes, known, words);
}

static gboolean
store_surface(Exec *exec, const Step *step, const Places *places) {
  const Sampling *sampling = step->sampling;
  const Registers *registers = exec->warp->registers;
  guint n_words = MAX(sampling->width, 4) / 4;
  guint32 within = sampling->width < 4 ? (1u << (sampling->width * 8)) - 1 : G_MAXUINT32;
  const Move move = {.place = step->place,
                     .op_class = SMB_OP_CLASS_STORE,
                     .op = SMB_OP_ST,
                     .kind = sampling->width == 1   ? SMB_SCALAR_U8
                             : sampling->width == 2 ? SMB_SCALAR_U16
                                                    : SMB_SCALAR_U32,
                     .components = n_words,
                     .width = sampling->width,
                     .align = sampling->width,
                     .is_surface = TRUE};
  MarkedWords words = {.values = {{0}}};
  for (guint i = 0; i < n_words; i++) {
    const guint32 *values = row_values(registers, sampling->data[i]);
    FOR_LANES(places->inside, lane) {
      guint32 unknown = row_lane_unknown(registers, sampling->data[i], lane);
      words.values[i][lane] = values[lane] & within;
      for (guint byte = 0; byte < 4; byte++)
        if (!(unknown & within & 0xffu << (8 * byte)))
          words.marks[i][lane] |= (guint32)MARK_KNOWN << (8 * byte);
    }
  }
  return !places->inside ||
         smb_words_store(exec->block, &move, exec->w, places->inside, places->addresses, &words);
}

void
smb_doubt_surface(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  if (exec->block->textures && step->sampling->kind == SAMPLING_STORE)
    smb_words_mark_unknown(exec->block);
  smb_doubt_opaque(exec, step, lanes, origin);
}

gboolean
smb_step_surface(Exec *exec, const Step *step, SmbLanes lanes) {
  const Sampling *sampling = step->sampling;
  gboolean stores = sampling->kind == SAMPLING_STORE;
  Places places;
  if (!exec->block->textures)
    return smb_step_opaque(exec, step, lanes);
  if (lanes && !smb_unknown_check(exec, step, sampling->handle, 1, lanes, "the surface"))
    return FALSE;
  SmbLanes known = find_known(exec, sampling, lanes);
  if (stores && known != lanes)
    smb_words_mark_unknown(exec->block);
  FOR_LANES(known, lane) {
    const char *mistake = mistaken(find_texture(exec, sampling->handle, lane), TRUE);
    if (mistake)
      return smb_block_fail(exec->block, step->place, "%s", mistake);
  }
  find_surface_places(exec, sampling, known, &places);
  tell_surface_places(exec, sampling, lanes, &places);
  if (!stores)
    load_surface(exec, step, lanes, &places);
  else if (!store_surface(exec, step, &places))
    return FALSE;
  if (!places.faulty)
    return TRUE;
  return smb_step_fault(exec, step, places.faulty, places.fault,
                        places.fault == SMB_FAULT_MISALIGNED
                            ? "an access to a surface is not aligned to its width"
                            : "an access outside of a surface");
}
