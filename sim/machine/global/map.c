// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/machine/global/map.h"

#include <string.h>

#include "sim/launch/field.h"
#include "sim/machine/machine.h"

// A piece of memory, and what was there before the launch.
typedef struct {
  guint64 address;
  guint64 end;
  gboolean begins; // an allocation
  SmbContents contents;
  guchar *written; // SmbMemoryPiece.written
} MapPiece;

struct _MemoryMap {
  GArray *pieces;    // MapPiece; those that are variables of the program hold nothing
  GArray *variables; // MapVariable
  GArray *stretches; // MapStretch
  guint last_piece;  // that was read; memory is mostly read one piece at a time
  guint last_stretch;
};

#define piece_at(map, i)    (&g_array_index((map)->pieces, MapPiece, i))
#define variable_at(map, i) (&g_array_index((map)->variables, MapVariable, i))
#define stretch_at(map, i)  (&g_array_index((map)->stretches, MapStretch, i))

// --- what it is made of

// The region of a variable, if the program has one that none has yet; 0: it has none.
static guint
find_variable_region(const MemoryMap *map, const SmbProgram *program, const char *name) {
  for (guint i = 1; name && i < program->regions->len; i++) {
    const Region *region = &g_array_index(program->regions, Region, i);
    if ((region->space == SPACE_GLOBAL || region->space == SPACE_CONSTANT) &&
        strcmp(region->name, name) == 0 && !smb_map_region(map, i))
      return i;
  }
  return 0;
}

static void
add_map_piece(MemoryMap *map, const SmbProgram *program, const SmbLaunch *launch,
              const SmbMemoryPiece *piece) {
  const char *name = piece->variable;
  const SmbBuffer *given = name ? smb_launch_buffer(launch, name, G_MAXUINT) : NULL;
  SmbContents contents = given && !given->is_default ? given->contents : piece->contents;
  guint region = find_variable_region(map, program, name);
  guint64 bytes = piece->bytes;
  if (region) {
    const MapVariable variable = {piece->address,
                                  MIN(bytes, g_array_index(program->regions, Region, region).size),
                                  region, contents};
    g_array_append_val(map->variables, variable);
    contents = (SmbContents){.fill = SMB_FILL_UNKNOWN};
  }
  const MapPiece plain = {piece->address, piece->address + bytes, region || piece->begins, contents,
                          piece->written};
  g_array_append_val(map->pieces, plain);
}

static void
add_stretch(MemoryMap *map, guint64 end, guint64 last, gboolean is_blank) {
  guint n = map->stretches->len;
  guint64 start = n ? stretch_at(map, n - 1)->address + stretch_at(map, n - 1)->bytes : 0;
  if (start == end)
    return;
  const MapStretch stretch = {
      .address = start, .bytes = end - start, .end = last, .is_null = n == 0, .is_blank = is_blank};
  g_array_append_val(map->stretches, stretch);
}

// Whether a piece is of the stretch of the one ahead of it, which ends at @end: they are in the same MAP_STRETCH_BYTES,
// or are of one allocation.
static gboolean
continues_stretch(const MapPiece *piece, guint64 end) {
  return piece[0].address < end || (!piece->begins && piece[0].address == piece[-1].end);
}

static void
add_stretches(MemoryMap *map) {
  const guint64 mask = ~(guint64)(MAP_STRETCH_BYTES - 1);
  const guint64 beyond = G_GUINT64_CONSTANT(1) << SMB_MEMORY_ADDRESS_BITS;
  add_stretch(map, SMB_MEMORY_LOWEST, SMB_MEMORY_LOWEST, TRUE);
  for (guint i = 0; i < map->pieces->len;) {
    guint64 end = piece_at(map, i)->address & mask, last;
    gboolean is_blank = TRUE;
    add_stretch(map, end, end, TRUE);
    do {
      last = piece_at(map, i)->end;
      end = (last + MAP_STRETCH_BYTES - 1) & mask;
      is_blank = is_blank && piece_at(map, i)->contents.fill == SMB_FILL_UNKNOWN;
    } while (++i < map->pieces->len && continues_stretch(piece_at(map, i), end));
    add_stretch(map, end, last, is_blank);
  }
  add_stretch(map, beyond, beyond, TRUE);
  for (guint i = 0; i < map->variables->len; i++) {
    guint64 first = variable_at(map, i)->address, last = first + variable_at(map, i)->bytes - 1;
    for (guint s = smb_map_find(map, first); s <= smb_map_find(map, last); s++)
      stretch_at(map, s)->has_variables = TRUE;
  }
}

// Buffers of fields, each an allocation.
static void
add_fields(MemoryMap *map, const GArray *fields) {
  for (guint i = 0; i < fields->len; i++) {
    const SmbField *field = &g_array_index(fields, SmbField, i);
    const SmbBuffer *buffer = field->buffer;
    MapPiece piece = {field->address,
                      field->address + SMB_FIELD_BUFFER_BYTES,
                      TRUE,
                      {.fill = SMB_FILL_UNKNOWN},
                      NULL};
    if (!field->address)
      continue;
    if (buffer && !buffer->is_default)
      piece.contents = buffer->contents;
    if (piece.contents.fill == SMB_FILL_BYTES)
      piece.end = field->address + piece.contents.length;
    g_array_append_val(map->pieces, piece);
  }
}

static gboolean
has_pointers(const GArray *fields) {
  for (guint i = 0; i < fields->len; i++) {
    if (g_array_index(fields, SmbField, i).address)
      return TRUE;
  }
  return FALSE;
}

MemoryMap *
smb_map_new(const SmbProgram *program, const SmbLaunch *launch) {
  g_autoptr(GArray) fields = smb_launch_fields(launch, program, NULL);
  if (!fields || (!launch->memory && !has_pointers(fields)) ||
      (launch->memory && !smb_memory_check(launch->memory, NULL)))
    return NULL;
  MemoryMap *map = g_new0(MemoryMap, 1);
  map->pieces = g_array_new(FALSE, FALSE, sizeof(MapPiece));
  map->variables = g_array_new(FALSE, FALSE, sizeof(MapVariable));
  map->stretches = g_array_new(FALSE, FALSE, sizeof(MapStretch));
  for (guint i = 0; launch->memory && i < launch->memory->len; i++)
    add_map_piece(map, program, launch, &g_array_index(launch->memory, SmbMemoryPiece, i));
  add_fields(map, fields);
  add_stretches(map);
  return map;
}

void
smb_map_free(MemoryMap *map) {
  if (!map)
    return;
  g_array_unref(map->pieces);
  g_array_unref(map->variables);
  g_array_unref(map->stretches);
  g_free(map);
}

// --- what is where

guint
smb_map_n_stretches(const MemoryMap *map) {
  return map->stretches->len;
}

const MapStretch *
smb_map_stretch(const MemoryMap *map, guint number) {
  return stretch_at(map, number);
}

guint
smb_map_find(MemoryMap *map, guint64 address) {
  const MapStretch *last = stretch_at(map, map->last_stretch);
  if (address - last->address < last->bytes)
    return map->last_stretch;
  guint low = 0, high = map->stretches->len;
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (stretch_at(map, middle)->address <= address)
      low = middle;
    else
      high = middle;
  }
  return map->last_stretch = low;
}

// The first variable that ends behind an address, or how many there are.
static guint
find_map_variable(const MemoryMap *map, guint64 address) {
  guint low = 0, high = map->variables->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (variable_at(map, middle)->address + variable_at(map, middle)->bytes <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const MapVariable *
smb_map_variable(MemoryMap *map, guint64 address) {
  guint i = find_map_variable(map, address);
  return i < map->variables->len && variable_at(map, i)->address <= address ? variable_at(map, i)
                                                                            : NULL;
}

const MapVariable *
smb_map_region(const MemoryMap *map, guint region) {
  for (guint i = 0; i < map->variables->len; i++) {
    if (variable_at(map, i)->region == region)
      return variable_at(map, i);
  }
  return NULL;
}

gsize
smb_map_span(MemoryMap *map, guint64 address, gsize length) {
  guint i = find_map_variable(map, address);
  const MapVariable *variable = i < map->variables->len ? variable_at(map, i) : NULL;
  if (variable && variable->address <= address)
    return MIN(length, variable->address + variable->bytes - address);
  const MapStretch *stretch = stretch_at(map, smb_map_find(map, address));
  guint64 end = stretch->address + stretch->bytes;
  if (variable)
    end = MIN(end, variable->address);
  return MIN(length, end - address);
}

// The first piece that ends behind an address, or how many there are.
static guint
find_map_piece(MemoryMap *map, guint64 address) {
  guint low = 0, high = map->pieces->len;
  if (map->last_piece < high &&
      address - piece_at(map, map->last_piece)->address <
          piece_at(map, map->last_piece)->end - piece_at(map, map->last_piece)->address)
    return map->last_piece;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (piece_at(map, middle)->end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return map->last_piece = low;
}

void
smb_map_read(MemoryMap *map, guint64 address, gboolean formerly, guchar *bytes, guchar *marks,
             gsize length) {
  while (length > 0) {
    guint i = find_map_piece(map, address);
    const MapPiece *piece = i < map->pieces->len ? piece_at(map, i) : NULL;
    gboolean within = piece && piece->address <= address;
    gsize n = !piece ? length : MIN(length, (within ? piece->end : piece->address) - address);
    gboolean is_known = within && piece->contents.fill != SMB_FILL_UNKNOWN;
    if (is_known && formerly)
      smb_contents_read_former(&piece->contents, address - piece->address, bytes, n);
    else if (is_known)
      smb_contents_read(&piece->contents, address - piece->address, bytes, n);
    else
      memset(bytes, 0, n);
    if (marks) {
      memset(marks, is_known ? MARK_KNOWN : 0, n);
      marks += n;
    }
    address += n;
    bytes += n;
    length -= n;
  }
}

gboolean
smb_map_has(MemoryMap *map, guint64 address) {
  guint i = find_map_piece(map, address);
  return i < map->pieces->len && piece_at(map, i)->address <= address;
}

gboolean
smb_map_piece(MemoryMap *map, guint64 address, guint64 *first, guint64 *end) {
  guint i = find_map_piece(map, address);
  if (i < map->pieces->len && piece_at(map, i)->address <= address) {
    *first = piece_at(map, i)->address;
    *end = piece_at(map, i)->end;
    return piece_at(map, i)->contents.fill != SMB_FILL_UNKNOWN;
  }
  *first = i > 0 ? piece_at(map, i - 1)->end : 0;
  *end = i < map->pieces->len ? piece_at(map, i)->address
                              : G_GUINT64_CONSTANT(1) << SMB_MEMORY_ADDRESS_BITS;
  return FALSE;
}

guchar *
smb_map_written(MemoryMap *map, guint64 address, guint64 *first) {
  guint i = map ? find_map_piece(map, address) : 0;
  if (!map || i == map->pieces->len || piece_at(map, i)->address > address)
    return NULL;
  *first = piece_at(map, i)->address;
  return piece_at(map, i)->written;
}

const guchar *
smb_map_bytes(MemoryMap *map, guint64 address, guint64 *first, guint64 *end) {
  guint i = find_map_piece(map, address);
  const MapPiece *piece = i < map->pieces->len ? piece_at(map, i) : NULL;
  if (!piece || piece->address > address || piece->contents.fill != SMB_FILL_BYTES ||
      piece->contents.length < piece->end - piece->address)
    return NULL;
  *first = piece->address;
  *end = piece->end;
  return piece->contents.bytes;
}
