// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From coordinates to texels.
#include "sim/texture/texture.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  AXES = 3,
  COMPONENTS = SMB_TEXTURE_COMPONENTS,
  ONE = SMB_TEXTURE_ONE,
  FRACTION_BITS = 8,    // of a place between two texels
  COORDINATE_BITS = 21, // of a normalized coordinate, after the point
  TEXEL_BYTES = 16,
};

// A place along one axis.
typedef struct {
  int64_t index;     // of the texel
  unsigned fraction; // towards the next one
} Place;

// A level with what is looked for in it.
typedef struct {
  const SmbTexture *texture;
  const SmbTextureLevel *level;
  SmbAddressMode modes[AXES];
  unsigned n_axes;
  Place places[AXES];
  uint32_t slice; // that the first of places of two axes are in
  SmbTextureRead read;
  void *user;
  unsigned flags; // what is to be said of its texels
} Search;

static uint32_t
extent_of(const SmbTextureLevel *level, unsigned axis) {
  return axis == 0 ? level->width : axis == 1 ? level->height : level->depth;
}

// --- coordinates

static bool
apply_mode(SmbAddressMode mode, int64_t index, uint32_t extent, uint32_t *inside) {
  int64_t n = extent, period = mode == SMB_ADDRESS_MIRROR ? 2 * n : n;
  int64_t rest = (index % period + period) % period;
  bool is_inside = index >= 0 && index < n;
  switch (mode) {
  case SMB_ADDRESS_WRAP:
    *inside = (uint32_t)rest;
    return true;
  case SMB_ADDRESS_MIRROR:
    *inside = (uint32_t)(rest < n ? rest : period - 1 - rest);
    return true;
  case SMB_ADDRESS_CLAMP:
    *inside = index < 0 ? 0 : is_inside ? (uint32_t)index : extent - 1;
    return true;
  case SMB_ADDRESS_BORDER:
    break;
  }
  *inside = is_inside ? (uint32_t)index : 0;
  return is_inside;
}

// A coordinate in units of 2^-@bits texels, rounded down; of @bits 0 to a texel, else to the nearest.
static int64_t
scale_coordinate(double x, uint32_t extent, bool is_normalized, SmbAddressMode mode,
                 unsigned bits) {
  const double limit = is_normalized ? 0x1p20 : 0x1p30; // beyond all that there is
  bool repeats = mode == SMB_ADDRESS_WRAP || mode == SMB_ADDRESS_MIRROR;
  if (!(fabs(x) >= FLT_MIN) || (repeats && isinf(x)))
    x = 0;
  if (repeats)
    x = fmod(x, 2);
  x = x < -limit ? -limit : x > limit ? limit : x;
  double half = bits > 0 ? 0.5 : 0;
  if (!is_normalized)
    return (int64_t)floor(ldexp(x, (int)bits) + half);
  int64_t fixed = (int64_t)floor(ldexp(x, COORDINATE_BITS)) * extent;
  unsigned excess = COORDINATE_BITS - bits;
  return (fixed + (bits > 0 ? INT64_C(1) << (excess - 1) : 0)) >> excess;
}

static Place
find_place(double x, uint32_t extent, bool is_normalized, SmbAddressMode mode, bool is_linear) {
  if (!is_linear)
    return (Place){scale_coordinate(x, extent, is_normalized, mode, 0), 0};
  int64_t fixed =
      scale_coordinate(x, extent, is_normalized, mode, FRACTION_BITS) - (1 << (FRACTION_BITS - 1));
  return (Place){fixed >> FRACTION_BITS, (unsigned)fixed & ((1 << FRACTION_BITS) - 1)};
}

// It is a texel, at the ends.
static void
clamp_place(Place *place, uint32_t extent) {
  if (place->index < 0)
    *place = (Place){0, 0};
  if (place->index >= (int64_t)extent - 1)
    *place = (Place){extent - 1, 0};
}

// --- texels

// A component of the border, which has the precision of the texels.
static uint32_t
border_component(const SmbTexture *texture, unsigned component) {
  uint32_t bits;
  memcpy(&bits, &texture->border[component], sizeof bits);
  if (component >= texture->n_components)
    return 0;
  if (texture->channel == SMB_CHANNEL_FLOAT || texture->bits == 32)
    return bits;
  uint8_t texel[TEXEL_BYTES] = {0};
  int32_t number = (int32_t)bits;
  if (texture->reads_float) {
    bool is_signed = texture->channel == SMB_CHANNEL_SIGNED;
    float least = is_signed ? -1 : 0, value = texture->border[component];
    value = value > least ? value : least;
    value = value < 1 ? value : 1;
    if (texture->is_srgb && texture->bits == 8) {
      memcpy(&bits, &value, sizeof bits);
      return bits;
    }
    number = (int32_t)floorf(value * (float)((1 << (texture->bits - is_signed)) - 1) + 0.5f);
  }
  memcpy(texel + component * texture->bits / 8, &number, texture->bits / 8);
  return smb_texture_decode(texture, texel, component);
}

// The components of one texel.
static void
read_texel(Search *search, const int64_t *indices, uint32_t *components) {
  const SmbTexture *texture = search->texture;
  const SmbTextureLevel *level = search->level;
  uint32_t inside[AXES] = {0, 0, search->slice};
  uint8_t texel[TEXEL_BYTES] = {0};
  unsigned n_bytes = texture->n_components * texture->bits / 8;
  uint64_t address;
  bool is_border = false;
  for (unsigned axis = 0; axis < search->n_axes; axis++)
    is_border =
        !apply_mode(search->modes[axis], indices[axis], extent_of(level, axis), &inside[axis]) ||
        is_border;
  SmbPlace place = is_border ? SMB_PLACE_OUTSIDE
                             : smb_texture_find(level, (uint64_t)inside[0] * n_bytes, inside[1],
                                                inside[2], search->read, search->user, &address);
  if (place == SMB_PLACE_EMPTY)
    search->flags |= SMB_SAMPLED_EMPTY;
  if (place == SMB_PLACE_MEMORY && !search->read(search->user, address, texel, n_bytes))
    search->flags |= SMB_SAMPLED_UNKNOWN;
  for (unsigned i = 0; i < COMPONENTS; i++)
    components[i] =
        is_border ? border_component(texture, i) : smb_texture_decode(texture, texel, i);
}

// The texels beside a place: along x, then y, then z.
static unsigned
read_neighbours(Search *search, uint32_t (*texels)[COMPONENTS]) {
  unsigned n = 1u << search->n_axes;
  for (unsigned i = 0; i < n; i++) {
    int64_t indices[AXES];
    for (unsigned axis = 0; axis < search->n_axes; axis++)
      indices[axis] = search->places[axis].index + (i >> axis & 1);
    read_texel(search, indices, texels[i]);
  }
  return n;
}

// Adds what weighs @total of the result.
static void
add_neighbours(Search *search, unsigned total, SmbTaps *taps) {
  unsigned fractions[AXES];
  for (unsigned axis = 0; axis < search->n_axes; axis++)
    fractions[axis] = search->places[axis].fraction;
  smb_texture_weights(total, search->n_axes, fractions, taps->weights + taps->n);
  taps->n += read_neighbours(search, taps->texels + taps->n);
}

// --- shapes

// The face of a cube that a direction goes to, and where, as normalized coordinates.
static unsigned
find_face(const float *direction, double *at) {
  double v[AXES], s, t;
  unsigned face;
  for (unsigned i = 0; i < AXES; i++)
    v[i] = isnan(direction[i]) ? 0 : direction[i];
  double x = v[0], y = v[1], z = v[2];
  if (fabs(z) >= fabs(x) && fabs(z) >= fabs(y)) {
    face = z < 0 ? 5 : 4;
    s = z < 0 ? -x : x;
    t = -y;
  } else if (fabs(y) >= fabs(x)) {
    face = y < 0 ? 3 : 2;
    s = x;
    t = y < 0 ? -z : z;
  } else {
    face = x < 0 ? 1 : 0;
    s = x < 0 ? z : -z;
    t = -y;
  }
  at[0] = (s + 1) / 2;
  at[1] = (t + 1) / 2;
  return face;
}

static bool
is_layered(const SmbTexture *texture) {
  return texture->shape == SMB_SHAPE_1D_LAYERED || texture->shape == SMB_SHAPE_2D_LAYERED ||
         texture->shape == SMB_SHAPE_CUBE_LAYERED;
}

static bool
is_cube(const SmbTexture *texture) {
  return texture->shape == SMB_SHAPE_CUBE || texture->shape == SMB_SHAPE_CUBE_LAYERED;
}

// What is looked for in one level.
static Search
begin_search(const SmbTexture *texture, unsigned which, const SmbSample *sample) {
  Search search = {.texture = texture, .level = &texture->levels[which]};
  bool cube = is_cube(texture), is_normalized = texture->is_normalized || cube;
  bool is_linear = texture->is_linear || sample->how == SMB_SAMPLE_GATHERED;
  uint32_t faces = cube ? 6 : 1, layers = search.level->depth / faces;
  double at[AXES] = {sample->at[0], sample->at[1], sample->at[2]};
  // What has no height has one of 1, and y is 0: half of a linear result is of the border, if y has that mode. Layers of lines
  // have no such mode.
  search.n_axes = texture->shape == SMB_SHAPE_3D ? 3 : 2;
  if (is_layered(texture))
    search.slice = (sample->layer < layers ? sample->layer : layers - 1) * faces;
  if (cube)
    search.slice += find_face(sample->at, at);
  for (unsigned axis = 0; axis < search.n_axes; axis++) {
    SmbAddressMode mode = (SmbAddressMode)texture->modes[axis];
    bool repeats = mode == SMB_ADDRESS_WRAP || mode == SMB_ADDRESS_MIRROR;
    if (axis == 1 && texture->shape == SMB_SHAPE_1D_LAYERED)
      mode = SMB_ADDRESS_CLAMP;
    search.modes[axis] = repeats && !is_normalized ? SMB_ADDRESS_CLAMP : mode;
    search.places[axis] = find_place(at[axis], extent_of(search.level, axis), is_normalized,
                                     search.modes[axis], is_linear);
    if (sample->how != SMB_SAMPLE_GATHERED && is_linear && search.modes[axis] == SMB_ADDRESS_CLAMP)
      clamp_place(&search.places[axis], extent_of(search.level, axis));
  }
  return search;
}

// Of one level, which weighs @total.
static unsigned
tap_level(const SmbTexture *texture, unsigned which, const SmbSample *sample, unsigned total,
          SmbTextureRead read, void *user, SmbTaps *taps) {
  Search search = begin_search(texture, which, sample);
  search.read = read;
  search.user = user;
  if (texture->is_linear) {
    add_neighbours(&search, total, taps);
  } else {
    const int64_t indices[AXES] = {search.places[0].index, search.places[1].index,
                                   search.places[2].index};
    read_texel(&search, indices, taps->texels[taps->n]);
    taps->weights[taps->n++] = total;
  }
  return search.flags;
}

// A component of the texels beside a place, from the lower left against the clock.
static unsigned
gather_texels(const SmbTexture *texture, const SmbSample *sample, SmbTextureRead read, void *user,
              uint32_t *components) {
  static const unsigned order[COMPONENTS] = {2, 3, 1, 0};
  uint32_t texels[SMB_TEXTURE_TAPS][COMPONENTS];
  Search search = begin_search(texture, 0, sample);
  search.read = read;
  search.user = user;
  read_neighbours(&search, texels);
  for (unsigned i = 0; i < COMPONENTS; i++)
    components[i] = texels[order[i]][sample->component];
  return search.flags;
}

// An element of memory, by its number; beyond it are zeros.
static bool
fetch_element(const SmbTexture *texture, const SmbSample *sample, SmbTextureRead read, void *user,
              uint32_t *components) {
  uint8_t texel[TEXEL_BYTES];
  unsigned n_bytes = texture->n_components * texture->bits / 8;
  bool is_inside = sample->texel >= 0 && (uint32_t)sample->texel < texture->levels[0].width;
  bool is_known =
      !is_inside ||
      read(user, texture->levels[0].address + (uint64_t)sample->texel * n_bytes, texel, n_bytes);
  for (unsigned i = 0; i < COMPONENTS; i++)
    components[i] = is_inside ? smb_texture_decode(texture, texel, i) : 0;
  return is_known;
}

// --- levels

// In units of 2^-8.
static unsigned
limit_level(const SmbTexture *texture, float level) {
  float most = (float)(texture->n_levels - 1);
  float low = texture->min_level, high = texture->max_level < most ? texture->max_level : most;
  level = isnan(level) ? 0 : level;
  level = (truncf(level * ONE) + truncf(texture->bias * ONE)) / ONE;
  level = level > low ? level : low;
  level = level < high ? level : high;
  return level > 0 ? (unsigned)floorf(level * ONE) : 0;
}

// Where the device's last bits are not known (texture.h).
static bool
has_near_sums(const SmbTexture *texture) {
  bool is_signed_byte = texture->channel == SMB_CHANNEL_SIGNED && texture->bits == 8;
  bool is_seamless = texture->is_seamless && is_cube(texture);
  bool has_levels =
      texture->is_mip_linear && texture->shape == SMB_SHAPE_3D && texture->n_levels > 1;
  return texture->is_linear && (texture->is_srgb || is_signed_byte || is_seamless || has_levels);
}

// @level: in units of 2^-8.
static unsigned
filter_levels(const SmbTexture *texture, unsigned level, const SmbSample *sample,
              SmbTextureRead read, void *user, uint32_t *components) {
  unsigned fraction = texture->is_mip_linear ? level % ONE : 0;
  unsigned which = texture->is_mip_linear ? level / ONE : (level + ONE / 2) / ONE;
  SmbTaps taps = {.n = 0};
  unsigned flags = tap_level(texture, which, sample, ONE - fraction, read, user, &taps);
  if (fraction > 0)
    flags |= tap_level(texture, which + 1, sample, fraction, read, user, &taps);
  if (taps.n == 1) {
    memcpy(components, taps.texels[0], sizeof taps.texels[0]);
    return flags;
  }
  bool is_exact = smb_texture_blend(texture, &taps, components) && !has_near_sums(texture);
  return is_exact ? flags : flags | SMB_SAMPLED_NEAR;
}

// Signed numbers end at -1.
static void
limit_components(uint32_t *components) {
  for (unsigned i = 0; i < COMPONENTS; i++) {
    float value;
    memcpy(&value, &components[i], sizeof value);
    if (!(value < -1))
      continue;
    value = -1;
    memcpy(&components[i], &value, sizeof value);
  }
}

unsigned
smb_texture_sample(const SmbTexture *texture, const SmbSample *sample, SmbTextureRead read,
                   void *user, uint32_t *components) {
  unsigned flags = 0;
  switch (sample->how) {
  case SMB_SAMPLE_TEXEL:
    flags = fetch_element(texture, sample, read, user, components) ? 0 : SMB_SAMPLED_UNKNOWN;
    break;
  case SMB_SAMPLE_GATHERED:
    flags = gather_texels(texture, sample, read, user, components);
    break;
  case SMB_SAMPLE_FILTERED:
    flags =
        filter_levels(texture, limit_level(texture, sample->level), sample, read, user, components);
    break;
  }
  if (texture->reads_float && texture->channel == SMB_CHANNEL_SIGNED && texture->bits < 32)
    limit_components(components);
  return flags;
}

float
smb_texture_level(const SmbTexture *texture, unsigned n_coordinates, float (*gradients)[2]) {
  float longest = 0;
  for (unsigned direction = 0; direction < 2; direction++) {
    float squares = 0;
    for (unsigned axis = 0; axis < n_coordinates; axis++) {
      float step = gradients[axis][direction] * (float)extent_of(&texture->levels[0], axis);
      squares += step * step;
    }
    longest = squares > longest ? squares : longest;
  }
  return log2f(longest) / 2;
}
