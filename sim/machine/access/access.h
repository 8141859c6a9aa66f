// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One warp's access to memory: what loads, stores and atomics share. Private to the machine.
#pragma once

#include "sim/machine/machine.h"

// How the places of the lanes are arranged, if all access one object.
typedef enum {
  PATTERN_ANY,
  PATTERN_SAME,  // one place for all
  PATTERN_DENSE, // all lanes of the warp, each right after the previous one
} Pattern;

// Split by the memory it goes to.
typedef struct {
  guint warp;
  Pattern pattern;
  SmbLanes lanes[4]; // by Space
  guint32 low;    // in shared memory, of all lanes; those that are off are where the first one is
  guint32 high;   // the same; below @low: both are not known
  Object *common; // that all lanes access, or NULL: then each has its own
  guint object[SMB_MAX_LANES];  // its number
  gint64 offset[SMB_MAX_LANES]; // into the object
  SmbRequest request;           // of the lanes in shared memory
} Access;

static inline Object *
access_object(const SmbBlock *block, const Access *access, guint lane) {
  return access->common ? access->common : &block->objects[access->object[lane]];
}

// --- where it goes (access.c)

// Finds the object and offset of each lane and checks bounds and alignment.
gboolean smb_access_resolve(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                            const guint64 *addresses, Access *access);

// The same at @base + @offset in shared memory, of a program that tracks; FALSE, without an error, if some must not be
// accessed. Access.offset is not set.
gboolean smb_access_resolve_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                                   const guint32 *base, guint32 offset, Access *access);

// Reports the access as the requests that the warp makes of shared and of global memory.
gboolean smb_access_report(SmbBlock *block, const Move *move, Access *access);

// Says what is wrong with it, for one lane. Always FALSE.
gboolean smb_access_fail(SmbBlock *block, const Move *move, guint warp, guint lane,
                         const char *problem);

// Of a launch that is run for its results: the error is one of the device.
void smb_access_fault(SmbBlock *block, SmbFault fault);
// The access of a lane is misaligned: smb_access_fail(). @of: (nullable): what @byte is of; NULL: it is an address
gboolean smb_access_misalign(SmbBlock *block, const Move *move, guint warp, guint lane,
                             guint64 byte, const char *of);

// Takes it to the signature of the block (signature.c).
void smb_signature_access(SmbBlock *block, const Move *move, const Access *access);

// What the variable is called that has the byte @offset of shared memory, which the access of @lane accesses.
const char *smb_access_array(const SmbBlock *block, const Access *access, guint lane,
                             guint32 offset);

// --- races (race.c)
void smb_shadow_access(SmbBlock *block, const Move *move, const Access *access);

// --- copies that end later (pending.c)
// It is one: what it writes is pending from here on.
void smb_pending_begin(SmbBlock *block, const Move *move, const Access *access);
// Says where it touches what is. Block.pending is there.
void smb_pending_check(SmbBlock *block, const Move *move, const Access *access);

// --- memory of each thread (private.c)
// Where the word of a lane that begins @at bytes into its access lies: its bytes, and their marks.
gboolean smb_private_find(SmbBlock *block, const Move *move, const Access *access, guint lane,
                          gsize at, guchar **bytes, guchar **marks);
// A byte of a lane's own. FALSE: no thread has any.
gboolean smb_private_peek(const SmbBlock *block, const Object *object, guint warp, guint lane,
                          guint64 offset, guchar *byte, guchar *mark);
// The same: leaves it there. FALSE: it takes more memory than there may be.
gboolean smb_private_poke(SmbBlock *block, Object *object, guint warp, guint lane, guint64 offset,
                          guchar byte, guchar mark);
gboolean smb_private_read_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                               guchar *bytes);
gboolean smb_private_write_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                                const guchar *bytes);
// For lanes that all access a 32-bit word of one object.
gboolean smb_private_load_words(SmbBlock *block, const Move *move, const Access *access,
                                SmbLanes lanes, guint32 *words);
gboolean smb_private_store_words(SmbBlock *block, const Move *move, const Access *access,
                                 SmbLanes lanes, const guint32 *words);
// The same of one or more such words, with their marks.
gboolean smb_private_read_words(SmbBlock *block, const Move *move, const Access *access,
                                SmbLanes lanes, MarkedWords *words);
gboolean smb_private_write_words(SmbBlock *block, const Move *move, const Access *access,
                                 SmbLanes lanes, const MarkedWords *words);

// --- words of global memory that all lanes of an access have in one object (outside.c)
// Access.pattern is PATTERN_DENSE.
void smb_outside_read_dense(const SmbBlock *block, const Move *move, const Access *access,
                            MarkedWords *words);
void smb_outside_write_dense(const SmbBlock *block, const Move *move, const Access *access,
                             const MarkedWords *words);
// FALSE: they have to be read lane by lane. Lanes that are off read what the first one does.
gboolean smb_outside_read(const SmbBlock *block, const Move *move, const Access *access,
                          MarkedWords *words);
// Bytes that a load finds are not known if other blocks have added to them.
void smb_outside_hide_changed(guchar *marks, gsize length);

// --- atomics on words (update.c)
// The result of an integer atomic that does not compare. FALSE: it is another kind of atomic.
gboolean smb_words_combine(const Move *move, guint32 old, guint32 value, guint64 *result);
// An atomic on words of shared memory, lane by lane in rising order, as long as all is known of them and of their
// operands, and on nothing more depends. @swap: (nullable): of one that compares. Fills @before. Returns the lanes that are left.
SmbLanes smb_words_update_known(const SmbBlock *block, const Move *move, const Access *access,
                                SmbLanes lanes, const MarkedWords *operand, const MarkedWords *swap,
                                MarkedWords *before);

// --- the bytes of one lane (memory.c)
gboolean smb_memory_read_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                              guchar *bytes);
gboolean smb_memory_write_lane(SmbBlock *block, const Move *move, const Access *access, guint lane,
                               const guchar *bytes);
// After a warp has written: whether what is kept of global memory is within the limit.
gboolean smb_memory_check_kept(SmbBlock *block, const Move *move, const Access *access);
// Bytes of memory as the value of one lane.
void smb_memory_decode(SmbScalar kind, const guchar *bytes, void *values, guint lane);
