// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory at addresses (SmbLaunch.memory; buffers of fields), as the machine divides it. All addresses are in stretches,
// one after the other: what is next to null; what pieces of one allocation cover that touch each other, and what lies
// between. A stretch begins and ends at a multiple of MAP_STRETCH_BYTES, so that no access goes across, and offsets in
// it are aligned as addresses are; bytes of it that no piece has are not known. Each variable of the program has its
// own: an address in it is one in the variable's region; anything next to it is unknown. Private to the machine.
#pragma once

#include "sim/launch/launch.h"
#include "sim/program/program.h"

enum {
  MAP_STRETCH_BYTES = 128
};

typedef struct _MemoryMap MemoryMap;

// Returns NULL if the launch has no memory, or if smb_memory_check() or smb_launch_fields() rejects it. What the
// pieces' contents point at has to live as long.
MemoryMap *smb_map_new(const SmbProgram *program, const SmbLaunch *launch);
void smb_map_free(MemoryMap *map);

// A stretch, by its number.
typedef struct {
  guint64 address;
  guint64 bytes;
  guint64 end;            // of the last piece in it
  gboolean is_null;       // next to null
  gboolean is_blank;      // nothing is known of it
  gboolean has_variables; // of which its addresses may be
} MapStretch;

guint smb_map_n_stretches(const MemoryMap *map);
const MapStretch *smb_map_stretch(const MemoryMap *map, guint number);
// The number of the stretch that has an address of 48 bits.
guint smb_map_find(MemoryMap *map, guint64 address);

// A variable that has a region of the program, and its memory.
typedef struct {
  guint64 address;
  guint64 bytes;
  guint region;
  SmbContents contents; // before the launch
} MapVariable;

// The variable that has an address, or NULL.
const MapVariable *smb_map_variable(MemoryMap *map, guint64 address);
// That of a region, or NULL: it is not known where it lies.
const MapVariable *smb_map_region(const MemoryMap *map, guint region);

// How many bytes from @address on, at most @length, lie in one variable, or in one stretch and in no variable.
gsize smb_map_span(MemoryMap *map, guint64 address, gsize length);

// What was there before the launch; @marks: (nullable): MARK_KNOWN, or 0 of what is not known, as bytes of variables
// are not. @formerly: as atomics find it (SmbContents.former)
void smb_map_read(MemoryMap *map, guint64 address, gboolean formerly, guchar *bytes, guchar *marks,
                  gsize length);

// Which bytes of the piece that has an address were written (SmbMemoryPiece.written); NULL: all. @first: where it begins
guchar *smb_map_written(MemoryMap *map, guint64 address, guint64 *first);

// Whether a piece has an address.
gboolean smb_map_has(MemoryMap *map, guint64 address);

// The piece, or the place between pieces, that has an address: its ends. Returns whether what it holds is known.
gboolean smb_map_piece(MemoryMap *map, guint64 address, guint64 *first, guint64 *end);

// The bytes of the piece that has an address, and its ends; NULL: it has none, or not all of them.
const guchar *smb_map_bytes(MemoryMap *map, guint64 address, guint64 *first, guint64 *end);
