// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The machine that runs a program, block by block, without a GPU; every access to shared and global
// memory is reported to a sink. It knows nothing of the language that the program was read from. Not
// modelled: time, caches, and what a compiler would have merged or removed.
#pragma once

#include "sim/base/error.h"
#include "sim/launch/launch.h"
#include "sim/program/placement.h"
#include "sim/program/program.h"
#include "sim/texture/descriptor.h"

G_BEGIN_DECLS

/** What is suspicious and yet runs. */
typedef enum {
  SMB_WARNING_RACE,    /* two warps access a location, one of them writes, no barrier between */
  SMB_WARNING_PENDING, /* what a copy writes is accessed before its thread has waited for it */
  SMB_WARNING_UNSET,   /* shared memory is read that no thread wrote */
  SMB_WARNING_RESERVED, /* what the system has of shared memory is accessed, below the kernel's own */
  SMB_WARNING_DESCRIPTOR, /* an operand of a matrix product is read otherwise than it was copied */
  SMB_WARNING_LOOP, /* an atomic is a loop, of which a lower bound is counted (said by an analysis) */
  SMB_WARNING_MERGE, /* SmbSite.may_merge: an upper bound is counted (as above) */
  SMB_WARNING_DATA,  /* requests depend on contents that the launch does not give (as above) */
  SMB_WARNING_ORDER, /* requests depend on the order in which threads execute atomics, poll memory, or race */
  SMB_WARNING_MEETING, /* the count depends on where an assembler lets lanes reconverge (as above) */
  SMB_WARNING_TIMING,  /* how often a request is made depends on time */
  SMB_WARNING_UNCOUNTED, /* SmbSink.uncounted, in its words */
} SmbWarning;

/** "race", "unset", …, as JSON names it (transfer none). */
const char *smb_warning_name(SmbWarning warning);

/** What uses shared memory and makes no request of the kind that is counted. */
typedef enum {
  SMB_TRAFFIC_BULK,      /* a copy of consecutive bytes */
  SMB_TRAFFIC_TENSOR,    /* a copy of a box of a tensor */
  SMB_TRAFFIC_REDUCTION, /* a copy in bulk that is combined with what is there */
  SMB_TRAFFIC_STORE,     /* an asynchronous store of registers */
  SMB_TRAFFIC_MATRIX,    /* operands of matrix products that are read from shared memory */
  SMB_TRAFFIC_CLUSTER,   /* shared memory of other blocks of the cluster */
  SMB_TRAFFIC_BARRIER,   /* a barrier in shared memory (mbarrier) */
  SMB_TRAFFIC_WAIT, /* a test of such a barrier, which is repeated until it succeeds: as often as at least */
  SMB_TRAFFIC_SHUFFLE, /* a shuffle, which takes a slot of the pipe of shared memory and moves none of its bytes */
  SMB_N_TRAFFIC,
} SmbTraffic;

/** "bulk", "tensor", …, as JSON names it (transfer none). */
const char *smb_traffic_name(SmbTraffic traffic);

/** What a warp does at a barrier. */
typedef enum {
  SMB_PHASE_ARRIVES = 1 << 0,
  SMB_PHASE_WAITS = 1 << 1,    /* both: it arrives, and waits */
  SMB_PHASE_ANNOUNCES = 1 << 2 /* that bytes will be copied (mbarrier) */
} SmbPhaseAction;

/**
 * SmbPhase: of a barrier: what happens from one completion of it to the next
 * @barrier: SMB_BARRIER_CLUSTER, SMB_BARRIER_SHARED + a byte offset in shared memory (mbarrier), or the number of one of the block
 * @number: from 0
 */
typedef struct {
  guint64 barrier;
  guint32 number;
} SmbPhase;

enum {
  SMB_BARRIER_CLUSTER = 1 << 8,
  SMB_BARRIER_SHARED = 1 << 9,
};

/** Where boxes of tensors are taken to be (SmbSink.bulk). */
#define SMB_BOX_START (G_GUINT64_CONSTANT(1) << 60)

/** For traffic of unknown size. */
#define SMB_BYTES_UNKNOWN G_MAXUINT64

/** How an instruction asks for texels. */
typedef enum {
  SMB_TEXELS_SAMPLED,     /* of the level that it names */
  SMB_TEXELS_FIRST_LEVEL, /* of the first level */
  SMB_TEXELS_GATHERED,    /* a component of four of them */
  SMB_TEXELS_GRADIENTS,   /* of the level that follows from gradients */
  SMB_TEXELS_ELEMENT,     /* by the number of an element of memory */
  SMB_TEXELS_LOADED,      /* bytes of a surface */
  SMB_TEXELS_STORED,      /* the same */
  SMB_TEXELS_NONE,        /* for the extent of a texture */
} SmbTexelWay;

/**
 * SmbTexels: what an instruction asks of textures, or of surfaces
 * @mask: lanes that ask
 * @width: bytes of a texel, or of an access to a surface
 * @is_array: they are of an array; otherwise of memory
 * @is_linear: several texels are weighed, @has_depth: also along z
 * @n: of each lane, how many texels of memory
 * @places: of each lane, where they lie on a device (smb_texture_device_place()), the first one along x, y and z first
 */
typedef struct {
  SmbTexelWay way;
  SmbLanes mask;
  guint width;
  gboolean is_array, is_linear, has_depth;
  guint8 n[SMB_MAX_LANES];
  guint64 places[SMB_MAX_LANES][SMB_TEXTURE_TAPS];
} SmbTexels;

/**
 * SmbSink: what a running block reports; a member that is %NULL is not wanted, and nothing is computed for it.
 * @shared: @request was made at @site, by warp @warp of the block, to the __shared__ variable @array
 * @global: the lanes of @mask access @width bytes each at the given @addresses of global memory
 *   (buffers are far apart and aligned to 256 bytes)
 * @warn: something suspicious at @site, in words; @other is the site that it collides with, or @site
 * @uncounted: the lanes of @mask made a request at @site, or may have made it, that cannot be counted, and @reason says
 *   why: "the address depends on in[] (parameter 2), loaded at scan.cu:30"; @hint (nullable) what would make it known.
 *   Only of a launch that skips what is not known
 * @unplaced: as @uncounted, of a request of global memory; @reason (nullable) and @hint: %NULL once the block has said them of @site
 * @constant: @request was made of constant memory at @site, at offsets in it, by a load that computes where; of the
 *   variable @name. %NULL: it was made, or may have been, and it is not known where
 * @traffic: a warp executed @site, which moved @bytes of shared memory, or SMB_BYTES_UNKNOWN, and made no request
 * @executed: warp @warp executes @n instructions of machine code, one behind the other, the last of which is at @place (a
 *   byte address in its code) and is executed by @lanes, of which there may be none, of the @active ones that come to it;
 *   told ahead of its requests
 * @called: warp @warp calls @function of the device's run-time system
 * @idle: warp @warp executed @site, an access of machine code to shared memory, without an active lane: no request
 * @phase: warp @warp, or a copy that it has begun, does @what, SmbPhaseAction, at a barrier of which @phase has not ended; of a wait that is
 *   over at once, it has: it does not wait at all. @bytes: that are announced, or that a copy brings
 * @bulk: a lane of warp @warp copies @bytes of global memory, or SMB_BYTES_UNKNOWN, in bulk, to or (@stores) from shared memory. @address:
 *   where; 0: not known; of a box of a tensor SMB_BOX_START, if its place in that is not known, or more, which the same box of the same
 *   tensor has alone
 * @peer: the lanes of @mask access @width bytes each of the shared memory of other blocks of the cluster, or copy as many there in bulk;
 *   @addresses tell these blocks apart
 * @tile: where a box of a tensor that @site copies (@name: '-'), or operand 'A' or 'B' of the product that it is, lies in shared memory; eight rows of
 *   it also as a request that moved them, 16 bytes a lane: lanes 0 to 7 the first 16 bytes of each row, 8 to 15 the next ones, up to 64
 * @texels: warp @warp asks textures or surfaces for @texels: of a launch that has them (SmbLaunch.textures)
 * @local: the lanes of @mask access @width bytes each of their own memory (of machine code: local memory), at @offsets in it
 */
typedef struct {
  void (*shared)(gpointer user, guint site, guint warp, const char *array,
                 const SmbRequest *request);
  void (*global)(gpointer user, guint site, guint warp, const char *buffer, SmbLanes mask,
                 guint width, const guint64 *addresses);
  void (*warn)(gpointer user, SmbWarning warning, guint site, guint other, const char *message);
  void (*uncounted)(gpointer user, guint site, guint warp, SmbLanes mask, const char *reason,
                    const SmbHint *hint);
  void (*unplaced)(gpointer user, guint site, guint warp, SmbLanes mask, const char *reason,
                   const SmbHint *hint);
  void (*traffic)(gpointer user, SmbTraffic kind, guint site, guint64 bytes);
  void (*constant)(gpointer user, guint site, const char *name, const SmbRequest *request);
  void (*executed)(gpointer user, guint warp, guint32 place, guint n, SmbLanes lanes,
                   SmbLanes active);
  void (*called)(gpointer user, guint warp, const char *function);
  void (*idle)(gpointer user, guint site, guint warp);
  void (*phase)(gpointer user, guint warp, guint what, const SmbPhase *phase, guint64 bytes);
  void (*bulk)(gpointer user, guint site, guint warp, gboolean stores, guint64 address,
               guint64 bytes);
  void (*peer)(gpointer user, guint site, guint warp, SmbLanes mask, guint64 width,
               const guint64 *addresses);
  void (*tile)(gpointer user, guint site, char name, const SmbPlacement *placement,
               const SmbRequest *request);
  void (*local)(gpointer user, guint site, guint warp, SmbLanes mask, guint width,
                const guint64 *offsets);
  void (*texels)(gpointer user, guint warp, const SmbTexels *texels);
} SmbSink;

/**
 * smb_peer_place:
 * @address: of SmbSink.peer
 * @above: (out): which block: its rank, or-ed exclusively with that of the block that asks
 * @offset: (out): the byte in its shared memory
 */
void smb_peer_place(guint64 address, guint *above, guint32 *offset);

typedef struct _SmbGlobal SmbGlobal;
typedef struct _SmbBlock SmbBlock;
typedef struct _SmbWritten SmbWritten;
typedef struct _SmbCluster SmbCluster;

/**
 * smb_global_new: the global memory that the blocks of a launch leave behind. Hand one to every
 * smb_block_new() of a launch to keep what they write; blocks then run in one thread. What it begins with is that
 * of @launch; another program with the same parameters may run on it.
 */
SmbGlobal *smb_global_new(const SmbProgram *program, const SmbLaunch *launch);

/**
 * smb_global_keep_order: blocks see what earlier ones left, of whatever program, as those of a serial one do. What
 * depends on it is not exact then: a device may run them in any order.
 */
void smb_global_keep_order(SmbGlobal *global);
void smb_global_free(SmbGlobal *global);

/**
 * smb_global_read:
 * @parameter: index of the pointer parameter
 * @offset: byte offset into its buffer
 * @bytes: (out caller-allocates): @length bytes: what the blocks wrote, elsewhere the initial values
 */
void smb_global_read(const SmbGlobal *global, guint parameter, guint64 offset, gpointer bytes,
                     gsize length);

/**
 * smb_global_mask:
 * @bytes: (inout): @length bytes of the buffer of a pointer parameter, from byte @offset on, whosever they are
 *
 * Sets to 0 those of which it is not known what the launch leaves there: of a program that knows what it does not know.
 *
 * Returns: how many are known
 */
gsize smb_global_mask(const SmbGlobal *global, guint parameter, guint64 offset, gpointer bytes,
                      gsize length);

/**
 * smb_global_read_memory, smb_global_mask_memory: the same of memory at addresses (SmbLaunch.memory), wherever it lies;
 * of what no piece has nothing is known, unless blocks wrote it
 */
void smb_global_read_memory(const SmbGlobal *global, guint64 address, gpointer bytes, gsize length);
gsize smb_global_mask_memory(const SmbGlobal *global, guint64 address, gpointer bytes,
                             gsize length);

/** SmbWrittenVisitor: @length bytes that blocks left at an address; @bytes: (array length=length); @n_unknown: of how many of them the
 * value is not known */
typedef void (*SmbWrittenVisitor)(gpointer user, guint64 address, const guchar *bytes, gsize length,
                                  gsize n_unknown);

/**
 * smb_global_each_written:
 *
 * Visits all memory at addresses (SmbLaunch.memory, variables in it included) that blocks have written, in no particular order, but
 * what went home (SmbMemoryPiece.home) and is known. Buffers of pointer parameters have no addresses and are left out.
 */
void smb_global_each_written(const SmbGlobal *global, SmbWrittenVisitor visit, gpointer user);

/**
 * smb_block_take_written:
 *
 * Returns: (transfer full): what a block that has ended wrote to global memory, of a block without an SmbGlobal: it saw
 *   what was there before the launch, and no other block sees what it wrote
 */
SmbWritten *smb_block_take_written(SmbBlock *block);
void smb_written_free(SmbWritten *written);

/** smb_block_take_defects: Returns: (transfer full) (nullable): what a block that has ended, or failed, did wrong
 * (SmbLaunch.defects); %NULL: nothing */
struct _SmbDefects *smb_block_take_defects(SmbBlock *block);

/** smb_written_bytes: Returns: about how much memory it takes */
guint64 smb_written_bytes(const SmbWritten *written);

/** smb_global_put: what a block wrote comes over what is there, at once if it has a home (SmbMemoryPiece.home). */
void smb_global_put(SmbGlobal *global, const SmbWritten *written);

/** SmbHomeWatch: @length bytes at @home, which are about to become others */
typedef void (*SmbHomeWatch)(gpointer user, const guchar *home, gsize length);

/** smb_global_watch_homes: @watch is told, with @user, before what blocks wrote changes memory of a process (SmbMemoryPiece.home). */
void smb_global_watch_homes(SmbGlobal *global, SmbHomeWatch watch, gpointer user);

/** smb_global_is_settled: Returns: whether all that blocks wrote has a home, and is known */
gboolean smb_global_is_settled(const SmbGlobal *global);
/** smb_global_is_blurred: Returns: whether something was written, and it is not known where */
gboolean smb_global_is_blurred(const SmbGlobal *global);

/** Bytes of the buffer of a pointer parameter that were accessed: the end of the farthest access. */
guint64 smb_global_reach(const SmbGlobal *global, guint parameter);

/**
 * smb_block_new:
 * @program: (transfer none): must outlive the block
 * @arch: (transfer none): whose limits hold, and whose warps the program was read for
 * @global: (nullable): keeps what the blocks write; needed if smb_program_is_serial()
 * @error: SMB_ERROR_USAGE for the launch, SMB_ERROR_INPUT if the kernel needs more than there is
 *
 * Returns: (transfer full): a machine that runs blocks of @program one after another; for one thread
 */
SmbBlock *smb_block_new(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                        const SmbProgramLimits *limits, const SmbSink *sink, gpointer user,
                        SmbGlobal *global, GError **error);
void smb_block_free(SmbBlock *block);

/**
 * smb_block_set_races:
 * @races: (nullable) (transfer none): by site: whether it races, as a load with stores or as a store with others, or
 *   accesses what a copy that is pending writes. Must live as long as blocks are run
 *
 * What those loads find, and what those stores leave, depends on the order of threads; it is marked in compiled code,
 * and so is what is computed of it (SMB_WARNING_ORDER). A race becomes known when it is too late for that: the block
 * has to be run again.
 */
void smb_block_set_races(SmbBlock *block, const guint8 *races);

/**
 * smb_block_set_defers: For a block without an SmbGlobal, whose launch is run for its results (smb_block_take_written()): atomics
 * on global memory whose result nothing uses are done when what it wrote is put there. Others make it miss what other blocks do.
 */
void smb_block_set_defers(SmbBlock *block);

/**
 * smb_block_set_guesses:
 * @n_blocks: that run at the same time
 *
 * For who wants a plausible course of a block rather than what is certain of it, such as a clock; nothing that it reports is exact then.
 * An atomic finds what is there, or 0 if the launch does not say what that is. What it adds, and finds out where it was added, other
 * blocks are taken to add as well, each as often: a queue of work is shared by all, and so are the places of a list. One that changes nothing,
 * or a load of what others may change, may poll: if it finds at the same places what it has found there before, that is not known. Otherwise other blocks leave global memory alone. A store changes nothing if it is not
 * known where. Other blocks of its cluster are taken to do the same at the same time: it stands for all of them, and what it does to
 * their shared memory happens to its own.
 */
void smb_block_set_guesses(SmbBlock *block, guint64 n_blocks);

/**
 * smb_block_set_earlier: Of a block that guesses (smb_block_set_guesses())
 * @n_blocks: others that have added before this one what it adds to global memory, and finds out where it was added; 0: none. So the
 * last one of those that count how many have come learns that it is. What others have left it finds if that is known: SmbLaunch.left.
 */
void smb_block_set_earlier(SmbBlock *block, guint64 n_blocks);

/** smb_block_set_cancel: @is_cancelled: (nullable): asked now and then, while a block runs, whether it is to fail */
void smb_block_set_cancel(SmbBlock *block, gboolean (*is_cancelled)(gpointer user), gpointer user);

/**
 * smb_block_run:
 * @index: the block, x first: (z * grid.y + y) * grid.x + x
 * @error: SMB_ERROR_INPUT with the place, the line and a caret
 *
 * Runs one block; CUDA C in lockstep: each statement is executed for all its warps, under their masks,
 * before the next. Blocks are independent: they see the initial global memory and what they write themselves
 * (after @global of a serial kernel: what earlier blocks wrote as well).
 */
gboolean smb_block_run(SmbBlock *block, guint64 index, GError **error);

/** How a turn of a block came out. */
typedef enum {
  SMB_TURN_FAILED,
  SMB_TURN_ENDED, /* the block has */
  SMB_TURN_WAITS, /* until other blocks have changed what it polls */
} SmbTurn;

/**
 * smb_block_start:
 * @error: as of smb_block_run()
 *
 * Runs a block until it ends or waits for others; what it has written by then is theirs to see. Of blocks that are not
 * alone and see what others left (smb_global_keep_order()); any other does not wait.
 */
SmbTurn smb_block_start(SmbBlock *block, guint64 index, GError **error);

/** smb_block_resume: Goes on with a block that waits, which sees what others have written since. */
SmbTurn smb_block_resume(SmbBlock *block, GError **error);

/**
 * smb_block_is_stuck:
 *
 * Returns: whether a block that waits is as it was when this was asked last, a turn before: it waits forever unless
 *   others change what it polls
 */
gboolean smb_block_is_stuck(SmbBlock *block);

/** smb_block_fail_waiting: Says of a block that waits where it does, and why that is in vain: @why, in words. */
void smb_block_fail_waiting(SmbBlock *block, const char *why, GError **error);

/**
 * smb_cluster_new:
 * @changes: (inout): is raised whenever one of its blocks does something to another one
 *
 * Returns: (transfer full): a cluster whose blocks reach the shared memory of each other, while they have turns
 *   (smb_block_start())
 */
SmbCluster *smb_cluster_new(guint64 *changes);
void smb_cluster_free(SmbCluster *cluster);

/**
 * smb_cluster_join: @block will be block @index of the grid, and is the next one of @cluster, by rank. All of them join before the
 * first one starts. It belongs to the cluster, also when it has ended, until that is freed.
 */
void smb_cluster_join(SmbCluster *cluster, SmbBlock *block, guint64 index);

/** smb_global_take: What @from holds goes to @global, which has the same initial contents, and the other way round. */
void smb_global_take(SmbGlobal *global, SmbGlobal *from);

/** smb_global_changes: Returns: how often a turn of a block left other bytes than there were. */
guint64 smb_global_changes(const SmbGlobal *global);

/**
 * smb_block_idle:
 * @place: (out): where it is, an offset into the program's text
 *
 * Returns: (nullable) (transfer none): the first condition that turned all threads of a block away from
 *   accesses to memory, of all blocks that ran: "'i < n' is false for all threads (n = 0)"
 */
const char *smb_block_idle(const SmbBlock *block, guint32 *place);

/** Bytes of memory that it takes, with its registers, when it has run. */
gsize smb_block_bytes(const SmbBlock *block);

/**
 * Whether lanes of one warp ever went different ways in a program that leaves it to an assembler where they reconverge.
 */
gboolean smb_block_diverged(const SmbBlock *block);

/** Instructions of machine code that the warps of the block that ran last executed; 0 of other programs. */
guint64 smb_block_instructions(const SmbBlock *block);

/**
 * Whether blocks need others to run at the same time: one waited for others, or came to the barrier of the grid that a
 * driver * provides.
 */
gboolean smb_block_is_cooperative(const SmbBlock *block);

/** Whether something was not known because other blocks may have changed it meanwhile. */
gboolean smb_block_misses_others(const SmbBlock *block);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbGlobal, smb_global_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbWritten, smb_written_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbBlock, smb_block_free)

G_END_DECLS
