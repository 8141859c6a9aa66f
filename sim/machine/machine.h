// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The machine that runs a block: its threads, its memory, its races, its limits. A front end takes the
// threads through the kernel (sim/machine/front-end.h) and calls this for everything that they do to memory and to
// each other. The machine knows no language: an access is a Move, a place is an offset into the program.
// Private to the machine and to front ends.
#pragma once

#include "sim/machine/front-end.h"
#include "sim/machine/global/map.h"
#include "sim/machine/access/place.h"
#include "sim/machine/device/runtime.h"
#include "sim/machine/signature.h"

#define FOR_LANES(lanes, lane)                                                                     \
  for (SmbLanes rest_of_##lane = (lanes), lane = 0;                                                \
       rest_of_##lane && (lane = smb_lanes_first(rest_of_##lane), TRUE);                           \
       rest_of_##lane &= rest_of_##lane - 1)

// Which threads of the block, one word a warp.
typedef struct {
  SmbLanes warp[SMB_MAX_WARPS];
} Mask;

// What a pointer points into: a region of the program, the buffer of a parameter, or a stretch of memory at addresses.
typedef struct {
  const char *name;
  Space space;
  gsize base;           // in shared memory
  gsize size;           // bytes; for a buffer: as far as offsets go
  gsize start;          // for a buffer: where its pointer points, in bytes
  guint step;           // for a buffer: bytes of what its pointer points at; of a variable 0
  SmbContents contents; // for global and constant memory: its initial values
  const guchar *marks;  // (nullable): for constant memory: which bytes of that are known
  guint buffer;         // for global memory: its number, that of the parameter or after those
  guint64 address;      // for global memory: where it begins, for who counts segments
  guint64 key;          // for global memory: of its first chunk (global.c)
  MemoryMap *map;       // a stretch: has its contents; else NULL
  guchar *bytes;        // private: [warp][word][lane][4], allocated when first accessed
  guchar *set;          // private: the marks of each byte; 0: it was not written
  gsize reach;          // private: bytes, from the first on, that any thread accessed
  gboolean written;     // a buffer: since smb_overlay_clear()
  gboolean deferred;    // the same: smb_overlay_defer()
  // a variable: atomics find what it is loaded with, if the launch does not say what it holds
  gboolean is_loaded;
} Object;

// The name of a stretch that no parameter points into.
#define MEMORY_NAME "memory"

// In a program that tracks what is known of memory, the first object is all of shared memory.
#define SHARED_OBJECT 0

// A pointer is the number of its object, from 1, above a byte offset that may go astray both ways; or, without a
// number, an address (SmbLaunch.memory).
#define POINTER_OFFSET_BITS 48
#define POINTER_BIAS        (G_GUINT64_CONSTANT(1) << (POINTER_OFFSET_BITS - 1))

static inline guint64
make_pointer(guint object, gint64 offset) {
  return ((guint64)(object + 1) << POINTER_OFFSET_BITS) + POINTER_BIAS + (guint64)offset;
}

// Shared memory of other blocks of the cluster: the rank of the block, xor that of this one, is above a byte offset.
enum {
  CLUSTER_SHIFT = 24,
  CLUSTER_BELOW =
      1 << 16, // bytes ahead of a block's memory that are its own, too: more than the system has
};

typedef struct _Shadow Shadow;             // race.c
typedef struct _Pending Pending;           // pending.c
typedef struct _Chunks Chunks;             // chunk.c
typedef struct _TensorMemory TensorMemory; // tensor-memory.h
typedef struct _Overlay Overlay;           // global.c
typedef struct _Inspection Inspection;     // check/checking.h

// Whether it shows what earlier blocks left.
gboolean smb_overlay_reads_through(const Overlay *overlay);

/**
 * SmbCluster:
 * @blocks: by rank; those that have ended keep their shared memory
 * @n: that joined; all of them do before the first one starts
 * @n_started: of these
 * @n_ended: of these
 * @idle: turns of these, one after the other, in which no thread could do anything
 * @changes: counts what blocks did to each other
 */
struct _SmbCluster {
  SmbBlock *blocks[SMB_MAX_CLUSTER_BLOCKS];
  guint n, n_started, n_ended;
  guint idle;
  guint64 *changes;
  gboolean is_alike;   // all of its blocks are one that stands for them (smb_block_set_guesses())
  guint64 own_changes; // then
};

struct _SmbBlock {
  const SmbProgram *program;
  const SmbArch *arch;
  const SmbSink *sink;
  gpointer user;
  SmbProgramLimits limits;
  guint dims[3]; // of the block
  guint grid[3];
  guint cluster[3];      // blocks of a cluster, which the launch or the kernel says; else 1
  gboolean has_clusters; // whether either says it
  SmbCluster *peers;     // (nullable): the blocks of its cluster are here
  guint lanes;           // for a warp: a multiple of LANE_ROW
  SmbLanes all_lanes;    // of a warp
  const PlaceLoops *place_loops;
  guint n_threads;
  guint n_warps;

  Mask launched;
  guint32 *thread[3];  // threadIdx, by thread: n_warps * lanes of them
  guint32 *uniform[3]; // blockIdx, by thread
  guint32 *sizes[6];   // blockDim, gridDim, by thread
  // the program's regions, then a buffer for each parameter, then stretches of memory
  Object *objects;
  guint n_objects;
  guint n_numbered;      // objects that are not stretches: pointers have their numbers
  MemoryMap *map;        // (nullable): memory at addresses
  GPtrArray *structures; // GBytes: of parameters that are objects
  gsize shared_bytes;    // the program's own
  // offset of what the system has of it, which lies after the program's own here
  gsize reserved_start;
  gsize reserved_bytes; // of that; 0: it cannot be accessed
  guchar *shared;
  guchar *shared_marks; // of each byte, if the program tracks them
  Shadow *shadow;
  Pending *pending;     // NULL: no block made a copy yet
  Chunks *chunks;       // NULL: no block copied a box yet, or nobody wants to know
  TensorMemory *tensor; // NULL: no block asked for it yet
  Overlay *overlay;
  Inspection *check;                       // (nullable): the launch is checked
  const guint8 *races;                     // smb_block_set_races(), or NULL
  gboolean (*is_cancelled)(gpointer user); // (nullable): smb_block_set_cancel()
  gpointer cancel_user;
  guint64 memory_used;
  char *idle;         // the first condition that turned all threads away, in words, or NULL
  guint32 idle_place; // where it is
  gboolean skips_unknown;
  gboolean defers;         // smb_block_set_defers()
  guint64 guesses;         // smb_block_set_guesses(); 0: not
  guint64 earlier;         // smb_block_set_earlier()
  SmbRuntime *runtime;     // SmbLaunch.runtime
  const GArray *textures;  // SmbLaunch.textures
  gpointer state;          // the front end's
  gsize state_bytes;       // of that, if it is much
  gboolean diverged;       // smb_block_diverged(); the front end says so
  gboolean misses_others;  // smb_block_misses_others(); the same
  gboolean is_cooperative; // smb_block_is_cooperative(); the same

  // of the running block
  guint rank; // in its cluster
  gboolean has_ended;
  gboolean may_wait; // for other blocks
  gboolean waits;    // the front end says so, and its turn ends
  Mask exited;       // threads that left the kernel; the front end says so
  guint8 *unplaced;  // by site: whether it was said why; the same
  guint64 steps;
  guint64 work;         // what accesses to memory took besides, as plain steps: WORK_OF_ACCESS, …
  guint64 instructions; // smb_block_instructions()
  GError **error;
  SmbSignature *signature; // or NULL: not wanted
};

// Whether its turn may end before it does, since others can be waited for.
gboolean smb_block_can_wait(const SmbBlock *block);

// Whether there are no other blocks.
static inline gboolean
block_is_alone(const SmbBlock *block) {
  return block->grid[0] == 1 && block->grid[1] == 1 && block->grid[2] == 1;
}

// Whether other blocks run at the same time: not if they run one after the other.
static inline gboolean
block_has_others(const SmbBlock *block) {
  return !block_is_alone(block) && !smb_overlay_reads_through(block->overlay);
}

// Whether these may change global memory meanwhile.
static inline gboolean
block_has_company(const SmbBlock *block) {
  return block_has_others(block) && !block->guesses;
}

// Before a block does what others see at once, such as printing: whether it must not, since it runs at the same time as they do.
// What it leaves is dropped then, and the launch is run in order (smb_execute_launch()): the block may go on, or fail.
static inline gboolean
block_needs_order(SmbBlock *block) {
  gboolean needs = block_has_others(block);
  block->misses_others = block->misses_others || needs;
  return needs;
}

// What accesses to memory take, as plain steps of compiled code of about 12 ns (an AMD EPYC, 2026-11-27): one to shared
// memory at a known place, and one to an address that may be anywhere, with counting them; a lane of an access whose
// lanes are looked at one by one; and as many bytes that are compared or copied take one.
enum {
  WORK_OF_SHARED = 18,
  WORK_OF_ACCESS = 20,
  WORK_OF_LANE = 2,
  WORK_BYTES = 128,
};

static inline gboolean
mask_any(const SmbBlock *block, const Mask *mask) {
  SmbLanes any = 0;
  for (guint w = 0; w < block->n_warps; w++)
    any |= mask->warp[w];
  return any != 0;
}

// The threads of its warps.
static inline gsize
block_padded_threads(const SmbBlock *block) {
  return (gsize)block->n_warps * block->lanes;
}

// A number that is the same for all of them.
static inline void
block_set_uniform(const SmbBlock *block, guint32 *values, guint32 value) {
  for (gsize i = 0; i < block_padded_threads(block); i++)
    values[i] = value;
}

#define FOR_WARPS(block, mask, w)                                                                  \
  for (guint w = 0; w < (block)->n_warps; w++)                                                     \
    if ((mask)->warp[w])

// --- the block (block.c)

// Sets the error to a message at a place: an offset into the program's text, or what its sites have for one.
// Always FALSE.
G_GNUC_PRINTF(3, 4)
gboolean smb_block_fail(SmbBlock *block, guint32 place, const char *format, ...);

// Result of smb_block_find() for a pointer that is an address.
guint smb_block_find_address(const SmbBlock *block, guint64 address);

// The number of the object that a pointer names: meaningless of one that points at nothing.
static inline guint
smb_block_find(const SmbBlock *block, guint64 pointer) {
  guint64 number = pointer >> POINTER_OFFSET_BITS;
  return G_LIKELY(number) ? (guint)number - 1 : smb_block_find_address(block, pointer);
}

// The same of lanes: the object of the first one, and which of @lanes are in it, besides perhaps others that are not told.
SmbLanes smb_block_find_lanes(const SmbBlock *block, SmbLanes lanes, const guint64 *pointers,
                              guint *object);

// The address that a pointer into global memory has for who counts segments, or lines.
guint64 smb_block_address(const SmbBlock *block, guint64 pointer);

// Stretches to which parameters point have their names.
void smb_block_name_memory(SmbBlock *block, guint64 address, const char *name);

// What messages call a piece of memory: a buffer as its parameter, a variable by its name in quotes, others in words
// (transfer full).
char *smb_object_describe(const SmbBlock *block, const Object *object);

// What a hint calls a buffer or a variable (SMB_HINT_BUFFER, transfer full).
char *smb_object_key(const SmbBlock *block, const Object *object);

// "thread (3,0,0)", with its block if there are several (transfer full).
char *smb_block_thread(const SmbBlock *block, guint warp, guint lane);

// The address of the buffer that a pointer parameter is bound to.
guint64 smb_block_buffer(const SmbBlock *block, guint parameter);

// All threads of @arrived are at a barrier, called @name by the program: fails unless these are all threads
// that have not exited. What was done before it and after it does not race.
gboolean smb_block_barrier(SmbBlock *block, guint32 place, const char *name, const Mask *arrived);

// The lanes of @mask make a request of shared memory at @site, or may make it, and which of the two is unknown: @reason
// says why. Fails, with the site and the reason, unless the launch skips what is not known.
gboolean smb_block_unknown(SmbBlock *block, guint site, guint warp, SmbLanes mask,
                           const char *reason);

// Counts one step of the block, at @place or in the loop there; fails beyond the limit.
gboolean smb_block_step(SmbBlock *block, guint32 place);

// --- memory (memory.c, atomic.c)

typedef enum {
  ATOMIC_ADD,
  ATOMIC_SUB,
  ATOMIC_EXCHANGE,
  ATOMIC_MIN,
  ATOMIC_MAX,
  ATOMIC_AND,
  ATOMIC_OR,
  ATOMIC_XOR,
  ATOMIC_INCREMENT, // to 0 again after the operand
  ATOMIC_DECREMENT, // to the operand again below 0
  ATOMIC_CAS,       // compares with the first operand, and puts the second in its place
} Atomic;

// For a lane that copies nothing from global memory, and writes zeros.
#define MOVE_NO_SOURCE G_MAXUINT64

// One memory instruction, as far as the machine is concerned.
typedef struct {
  guint32 place;       // where it is, for messages
  guint site;          // what its requests are counted for
  SmbOpClass op_class; // load, store or atomic
  SmbOp op;            // which instruction it is
  Atomic atomic;       // for an atomic: what it does
  SmbScalar kind;      // of a component
  guint components;    // that lie one after the other: 1 to 4
  guint width;         // bytes of all of them
  guint align;         // bytes; at most @width
  guint16 padding; // for a load: a bit for each byte that belongs to nothing, and need not be set
  gboolean reads;  // whether what it finds is used; an exchange whose result is dropped does not
  guint
      constant_bytes;  // for a load: most that a request of constant memory (LDC) asks for; 0: what
                       // is there is at a fixed place, an operand of instructions
  gboolean is_bulk;    // of a copy in bulk
  gboolean is_late;    // and it is complete when an mbarrier says so
  gboolean is_surface; // it is a store to a surface: no request of global memory
  const guint64 *sources; // (nullable): for a copy from global memory: where each lane's bytes are,
                          // or MOVE_NO_SOURCE
} Move;

// What a request of constant memory asks for at most, of a load that computes where: nvcc 13.0 makes
// LDC.64 of a scalar of 8 bytes, and of a vector as many LDC of 4 bytes as it has words.
guint smb_constant_bytes(guint element_bytes, guint n_elements);

// What a warp does: @lanes are those that take part; @addresses and values are arrays of all its lanes. A
// value's components lie @stride bytes apart; a lane of each takes 4 bytes, or 8 if the kind is wide. What
// other lanes hold is not touched. FALSE with the block's error.
gboolean smb_memory_load(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                         const guint64 *addresses, void *values, gsize stride);
gboolean smb_memory_store(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                          const guint64 *addresses, const void *values, gsize stride);
// Lanes take their turns in rising order. @values: what was there before. @swap: of a compare-and-swap.
gboolean smb_memory_atomic(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                           const guint64 *addresses, const void *operand, const void *swap,
                           void *values);

// --- memory as words, of a program that tracks what is known of it (words.c)

// What is known of a byte of memory; 0: nothing.
enum {
  MARK_KNOWN = 1,
  MARK_BLOCK = 2, // it depends on blockIdx, or whether it is known does
  MARK_SHARED =
      4, // for global memory: other blocks change it, too, by atomics; a load does not know what it finds
};

// Longest access of one lane that is not of shared memory, in bytes (PTX ISA 8.8, ld and st: .v8.b32).
#define MAX_MOVE_BYTES 32

// What a warp moves at once: words of 4 bytes, each with the marks of its bytes, lowest first. Of a width below 4
// the other bytes are zeros, and known.
typedef struct {
  guint32 values[MAX_MOVE_BYTES / 4][SMB_MAX_LANES];
  guint32 marks[MAX_MOVE_BYTES / 4][SMB_MAX_LANES];
} MarkedWords;

// As smb_memory_load() and the others, but nothing fails because it was never set: it is not known.
gboolean smb_words_load(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                        const guint64 *addresses, MarkedWords *words);
gboolean smb_words_store(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                         const guint64 *addresses, const MarkedWords *words);
// As smb_words_store(), of a copy that ends later: its bytes are there at once, and pending (pending.c).
gboolean smb_words_copy(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                        const guint64 *addresses, const MarkedWords *words);
// The same as loads and stores at @base, a number for each lane, + @offset in shared memory: fast. @is_known: (out):
// all that was loaded is known, and depends on nothing; then no marks are set.
gboolean smb_words_load_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                               const guint32 *base, guint32 offset, MarkedWords *words,
                               gboolean *is_known);
gboolean smb_words_store_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                                const guint32 *base, guint32 offset, const MarkedWords *words);
gboolean smb_words_atomic(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                          const guint64 *addresses, const MarkedWords *operand,
                          const MarkedWords *swap, MarkedWords *before);
// Of a block that guesses: other blocks add to global memory what these lanes have just added, each as often; or have done so before, and
// then these lanes have found it.
void smb_words_repeat_add(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                          const guint64 *addresses, const MarkedWords *operand,
                          MarkedWords *before);
// One that compares nothing, and whose result nothing uses.
gboolean smb_words_atomic_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                                 const guint32 *base, guint32 offset, const MarkedWords *operand);

// The turn of a lane that found @before (update.c). The result in memory is known if all operands are.
// @flushes: subnormal numbers of 32 bits count as 0. @swap: of a compare-and-swap, or NULL.
void smb_words_update(const Move *move, guint lane, gboolean flushes, const MarkedWords *operand,
                      const MarkedWords *swap, const MarkedWords *before, MarkedWords *after);

// What an atomic leaves in one component in memory, from the bits of what was there and of its operand; not of a
// compare-and-swap. @flushes: subnormal numbers of 32 bits count as 0. FALSE: which of two it is is not defined.
gboolean smb_atomic_combine(const Move *move, guint64 old, guint64 value, gboolean flushes,
                            guint64 *result);

// Atomics of global memory whose result nothing uses, and whose operands are known: whether they are done when the block has ended;
// and puts them off (reduce.c).
enum {
  DEFERRED_BYTES = 16, // the widest
};
gboolean smb_words_defers(const SmbBlock *block, const Move *move, SmbLanes lanes,
                          const guint64 *addresses, const MarkedWords *operand);
gboolean smb_words_defer(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                         const guint64 *addresses, const MarkedWords *operand);

// Something was stored at an address in global memory that is not known, or other blocks may have stored something:
// from here on none of it is known.
void smb_words_mark_unknown(SmbBlock *block);

// The signature of the block records where in global memory lanes copy from: which of them share a line.
void smb_signature_sources(SmbBlock *block, SmbLanes lanes, const guint64 *sources);

// Whether @bytes at a pointer all lie in shared memory, the system's part of it included, and where the machine keeps
// them.
gboolean smb_shared_find(const SmbBlock *block, guint64 address, gsize bytes, guint32 *offset);

// What a lane finds at a pointer, without an access (peek.c): FALSE: not all of it is known, or there (zeros).
gboolean smb_block_peek(const SmbBlock *block, guint warp, guint lane, guint64 pointer,
                        gpointer bytes, gsize length);
// The same: leaves bytes there; NULL: of which nothing is known. FALSE: not all of it is there, or can be written.
gboolean smb_block_poke(SmbBlock *block, guint warp, guint lane, guint64 pointer,
                        gconstpointer bytes, gsize length);
// Whether any memory is at a pointer.
gboolean smb_block_has(const SmbBlock *block, guint64 pointer);
// The same of a text, up to its end.
gboolean smb_block_peek_text(const SmbBlock *block, guint warp, guint lane, guint64 pointer,
                             GString *text);

// --- what makes no request (bulk-copy.c)

// Byte offsets in shared memory of what @lanes name there: @move says how wide and how it is aligned. Fails if it is
// elsewhere.
gboolean smb_shared_locate(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                           const guint64 *addresses, guint32 *offsets);
// One lane reads or writes Move.width bytes of shared or global memory, each with its mark, aligned to Move.align,
// which divides them.
gboolean smb_bulk_read(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                       guchar *bytes, guchar *marks);
gboolean smb_bulk_write(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                        const guchar *bytes, const guchar *marks);
// One lane reads or @writes an unknown number of bytes, from a place in shared memory on: nothing is known of what is
// written.
gboolean smb_bulk_forget(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                         gboolean writes);

// Fails where a copy of one lane begins or ends at a byte of shared memory, of whatever block of the cluster, that is not a multiple of
// Move.align.
gboolean smb_bulk_align(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address);
// A device ends the launch at a copy that one lane makes: an illegal instruction. Returns FALSE.
gboolean smb_bulk_refuse(SmbBlock *block, const Move *move, guint warp, guint lane,
                         const char *problem);

// A block that guesses stands for all of its cluster: its peers are itself.
void smb_cluster_stand_for(SmbBlock *block);

// --- shared memory of another block of the cluster (peer.c), of a block whose peers are there; no request is reported

typedef struct {
  SmbBlock *block;
  guint32 offset; // in its shared memory
} PeerPlace;

// Where the Move.width bytes are that a lane names there. Fails if it is out of bounds, or misaligned.
gboolean smb_peer_find(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                       PeerPlace *place);
gboolean smb_peer_load(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                       const guint64 *addresses, MarkedWords *words);
gboolean smb_peer_store(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                        const guint64 *addresses, const MarkedWords *words);
// @swap: of a compare-and-swap, or NULL
gboolean smb_peer_atomic(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                         const guint64 *addresses, const MarkedWords *operand,
                         const MarkedWords *swap, MarkedWords *before);
// Copies in bulk of one lane: Move.width bytes.
gboolean smb_peer_read(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                       guchar *bytes, guchar *marks);
gboolean smb_peer_write(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
                        const guchar *bytes, const guchar *marks);
// Nothing is known any longer of their shared memory.
void smb_peer_forget(SmbBlock *block);
// The same of the program's own shared memory of this block (bulk-copy.c).
void smb_shared_forget(SmbBlock *block);

// Which instruction a compiler makes of an atomic on shared memory. @increments: it adds the constant 1,
// and nothing uses its result.
SmbOp smb_atomic_op(const SmbArch *arch, Atomic atomic, SmbScalar kind, gboolean increments);

// The private memory of these threads has no values any longer; of one lane, @bytes of it from an offset on.
void smb_private_forget(const SmbBlock *block, guint object, const Mask *threads);
void smb_private_forget_bytes(const SmbBlock *block, guint object, guint warp, guint lane,
                              gsize from, gsize bytes);

// A hash of what all threads hold there.
guint64 smb_private_hash(const SmbBlock *block);

// --- global memory (global.c)
// The key of the first chunk of a buffer, by its number, and of what lies at an address.
guint64 smb_overlay_buffer_key(guint buffer);
guint64 smb_overlay_address_key(guint64 address);
Overlay *smb_overlay_new(SmbGlobal *global, const SmbProgram *program);
void smb_overlay_free(Overlay *overlay);
void smb_overlay_commit(Overlay *overlay); // what the block wrote becomes global memory
void smb_overlay_leave(Overlay *overlay);  // the same, of a block that failed: only what has a home
void smb_overlay_clear(Overlay *overlay);
SmbWritten *smb_overlay_take(
    Overlay *overlay); // what the block wrote (transfer full), which it then no longer has
// What an object of global memory holds depends on the order of threads, also for blocks that run later and see it. Of
// an overlay that reads through.
void smb_overlay_set_ordered(Overlay *overlay, const Object *object);
gboolean smb_overlay_is_ordered(const Overlay *overlay, const Object *object);
gsize smb_overlay_bytes(const Overlay *overlay);
// Stores of single lanes that are certain to be within a limit, wherever they go.
guint64 smb_overlay_capacity(guint64 max_memory);
// Whether nothing was ever written over the initial values of an object, as far as the block can see.
gboolean smb_overlay_is_bare(const Overlay *overlay, const Object *object);
// Whether the block has written a byte, or will have when it ends.
gboolean smb_overlay_has(const Overlay *overlay, const Object *object, guint64 offset);
// @changes: for an atomic, which finds what earlier blocks left; @marks: (nullable): of a program that tracks them
void smb_overlay_read(Overlay *overlay, const Object *object, guint64 offset, gboolean changes,
                      guchar *bytes, guchar *marks, gsize length);
void smb_overlay_write(Overlay *overlay, Object *object, guint64 offset, const guchar *bytes,
                       const guchar *marks, gsize length);
// The words of some lanes, of a program that tracks marks: those of later ones last.
void smb_overlay_write_words(Overlay *overlay, Object *object, SmbLanes lanes,
                             const gint64 *offsets, const guint32 *words, const guint32 *marks);
void smb_overlay_mark_unknown(Overlay *overlay);
void smb_overlay_set_guesses(Overlay *overlay); // smb_block_set_guesses()
// An atomic of one lane is put off: @values: words of its operand; @move must live as long as what was written.
void smb_overlay_defer(Overlay *overlay, Object *object, guint64 offset, const Move *move,
                       const guint32 *values);
// Whether memory was asked for, or stored to, behind that in the same object.
gboolean smb_overlay_conflicts(const Overlay *overlay);
// From now on it is noted whether a block's writes change anything; @watches: FALSE: no more.
void smb_overlay_watch(Overlay *overlay, gboolean watches);
gboolean smb_overlay_changed(const Overlay *overlay);

// --- races (race.c)
Shadow *smb_shadow_new(const SmbProgram *program, gsize shared_bytes, gsize reserved_bytes);
void smb_shadow_free(Shadow *shadow);
// What it takes at most.
gsize smb_shadow_bytes(const Shadow *shadow);
void smb_shadow_start_block(Shadow *shadow);
void smb_shadow_barrier(Shadow *shadow);
// How many barriers there were: another number than before the last one.
guint32 smb_shadow_phase(const Shadow *shadow);
// Whether this is not said of the block yet: a loop says it again and again.
gboolean smb_shadow_is_news(const SmbBlock *block, SmbWarning warning, guint site, guint other);
// From the next barrier on, smb_shadow_is_disputed() is known.
void smb_shadow_look_closely(Shadow *shadow);
// Whether another warp stored to any of @n bytes since the last barrier.
gboolean smb_shadow_is_disputed(const Shadow *shadow, guint warp, guint32 offset, guint n);
// Races at the 4 bytes at @offset are not news any longer in this block: they are a barrier's.
void smb_shadow_exempt(Shadow *shadow, guint32 offset);
// These bytes may have been written, by something that does not race.
void smb_shadow_fill(Shadow *shadow, guint32 offset, gsize bytes);

// --- copies that end later (pending.c)
enum {
  PENDING_NONE = G_MAXUINT32,
};

void smb_pending_free(Pending *pending);
void smb_pending_start_block(Pending *pending);
// The copies that @lanes made since they did this last are a group.
void smb_pending_commit(SmbBlock *block, guint warp, SmbLanes lanes);
// @lanes wait until at most @left of the groups that they committed are pending; PENDING_NONE: for all their copies.
void smb_pending_wait(SmbBlock *block, guint warp, SmbLanes lanes, guint32 left);
// Whether a copy that was not waited for may still write the word at @offset of shared memory.
gboolean smb_pending_is_at(const SmbBlock *block, guint32 offset);
