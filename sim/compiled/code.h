// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel as steps that a warp executes: what a decoder of PTX, or of machine code, makes. Steps compute (compute.h),
// move data between registers and memory, and say where a warp goes on. A new instruction is a new handler.
// Private to sim/compiled and its front ends.
#pragma once

#include "sim/compiled/compute/compute.h"
#include "sim/compiled/flow/converge.h"
#include "sim/compiled/flow/split.h"
#include "sim/machine/front-end.h"

typedef struct _Runner Runner; // sim/compiled/run/run.h
typedef struct _Step Step;

// Executes a step in @lanes of the running split: active, and with a true guard; none, if the guard is false everywhere.
// The split's pc is that of the next step. FALSE after smb_block_fail().
typedef gboolean (*StepHandler)(Runner *runner, const Step *step, SmbLanes lanes);

// Steps by what else of them is read.
typedef enum {
  STEP_COMPUTE,
  STEP_TRANSFER,
  STEP_BRANCH,  // Step.target; where the lanes go depends on the guard
  STEP_MEETING, // where lanes of a warp meet again: arms a barrier, waits at it, leaves it
  STEP_FRAME,   // keeps the stack of calls: whatever is skipped leaves it as it was
  STEP_OTHER,
  STEP_OPAQUE, // what it does is not modelled: Step.writes are not known afterwards
  STEP_APART,  // it uses shared memory, and makes no request of it; Step.transfer has its site
} StepKind;

// Where a plain address lies.
typedef enum {
  WINDOW_GENERIC, // it says so itself: a pointer of the machine
  WINDOW_SHARED,  // a byte offset
  WINDOW_LOCAL,   // likewise
} Window;

enum {
  TRANSFER_COMPONENTS = 8, // of a vector: of 16 bits each
};

// How a load, or an atomic, takes part in what threads of other blocks do (PTX ISA, "Memory Consistency Model").
typedef enum {
  ORDER_WEAK,    // nothing changes meanwhile what it finds, or else the program has a race
  ORDER_BLOCK,   // threads of the block may change it
  ORDER_STRONG,  // other blocks may, too
  ORDER_ACQUIRE, // and what they did before is seen from then on
} Order;

// A variable among others in a bank of constant memory, by byte offsets in that.
typedef struct {
  guint64 first;
  guint64 bytes;
  guint32 region;
} BankPiece;

// What says of each lane of a copy whether it copies, or writes zeros. Past the first-level cache, Nsight Compute is wrong about P0: it
// takes it to be false in all lanes.
typedef enum {
  COPYING_SAID,   // LDGSTS … P1, or nothing: it is as it is said
  COPYING_P0,     // LDGSTS … P0: counted as if all lanes wrote zeros
  COPYING_NOT_P0, // LDGSTS … !P0: counted as if all lanes copied
  COPYING_EITHER, // one of these: an assembler has it to decide
} Copying;

/**
 * Transfer: a memory instruction
 * @move: what the machine is told
 * @address: the first row of the base
 * @address_rows: rows of the base: 0 if there is none, 1 or 2
 * @offset: is added to the base
 * @pieces: (element-type BankPiece) (nullable): the address is an offset in a bank of constant memory that these make up
 * @bytes: of a component
 * @rows: of a component's register: 1, 2 or 4; wider than @bytes, it is extended
 * @is_signed: by its sign
 * @data: the first row of each component, or NO_ROW for one that is dropped, or a constant row
 * @operands: of an atomic: the first row of each component; of a compare-and-swap what is compared
 * @swap: of a compare-and-swap
 */
typedef struct {
  Move move;
  Window window;
  gboolean is_generic; // its space is not written: it may be shared
  gboolean is_cluster; // it may lie in the shared memory of another block
  guint32
      reserved; // generic: bytes that the code's addresses of shared memory have ahead of the program's own
  Row address;
  guint address_rows;
  guint64 offset;
  const GArray *pieces;
  guint bytes;
  guint rows;
  gboolean is_signed;
  guint n_components;
  Row data[TRANSFER_COMPONENTS];
  Row operands[TRANSFER_COMPONENTS];
  Row swap;
  gboolean increments;   // of an atomic: it adds the constant 1, and nothing reads its result
  Copying copying;       // of a copy from global memory
  gboolean is_by_p0;     // whose guard is P0 or !P0
  gboolean is_shortened; // ZFILL: what its address has in excess of its width is left out
  Order order;
} Transfer;

#define NO_ROW G_MAXUINT32

// What a step whose effect is not modelled may do beside (Step.argument).
enum {
  OPAQUE_SHARED = 1, // write anywhere in shared memory
  OPAQUE_GLOBAL = 2, // write anywhere in global and local memory
  OPAQUE_FENCE = 4,  // make visible what other blocks wrote
};

/**
 * Bulk: what an instruction does to shared memory apart from requests
 * @kind: what it is listed as
 * @to, @from: of a copy: its ends; NULL: it is not modelled
 * @barrier: (nullable): the mbarrier that it completes on
 * @size: bytes that each lane moves, of one row; NO_ROW: not known
 * @quantum: what divides the bytes, and the addresses
 * @bytes: of operands, which have no address here: what a warp moves; SMB_BYTES_UNKNOWN
 * @is_zeros: zeros are written
 * @is_lost: what is written is not known
 */
typedef struct {
  SmbTraffic kind;
  const Transfer *to;
  const Transfer *from;
  const Transfer *barrier;
  Row size;
  guint quantum;
  guint64 bytes;
  gboolean is_zeros;
  gboolean is_lost;
} Bulk;

// What a step writes of the registers.
typedef struct {
  Row row;
  guint n; // rows; 0: a predicate
  Predicate predicate;
} Written;

// Where an array without an end ends.
#define CODE_ENDLESS_BYTES (G_GUINT64_CONSTANT(1) << 40)

// Steps of warps that a block executes, unless the user says otherwise: some seconds.
#define CODE_MAX_STEPS (G_GUINT64_CONSTANT(1) << 28)
// What they and their accesses to memory may take, as plain steps (WORK_OF_ACCESS): eight seconds. Where a user allows more
// steps, as many times as much.
#define CODE_MAX_WORK (CODE_MAX_STEPS / 2 * 5)

// The stack of a thread, for calls, in bytes: 32 times what the driver gives at first (cudaLimitStackSize).
#define CODE_STACK_BYTES (32u << 10)

// What a function pointer points at: entry i has the address i * CODE_ADDRESS_STEP.
typedef struct {
  guint32 step;     // NO_STEP: no function, or no instruction, begins there, or it has no body here
  guint32 shape;    // of what is passed: a call that passes something else is refused
  const char *name; // NULL: no function
} CodeEntry;

#define NO_STEP           G_MAXUINT32
#define CODE_ADDRESS_STEP 16u

// Barriers of convergence of functions that can be called again before they return have this bit, beside a number among
// themselves: each nested call has its own.
#define BARRIER_OF_CALL 0x80000000u

// Where a branch by a table goes to.
typedef struct {
  guint32 step;
  guint64 leave; // barriers of convergence, from Step.argument on, that are left on the way
} SwitchTarget;

struct _Step {
  StepHandler run;
  guint32 place;   // in the source, for messages
  Predicate guard; // PREDICATE_TRUE: none
  gboolean unless; // the guard is negated
  guint32 begins;  // instructions of machine code, this one and those before it that have no step
  StepKind kind;
  guint32 target;   // of a branch, or a call: a step
  guint32 argument; // of other steps: a number (of a barrier, bytes of a stack, …)
  Compute compute;
  const Transfer *transfer; // or NULL
  const Transfer *source;   // of a copy: where it comes from
  const Bulk *bulk;         // of what makes no request, but for mbarriers: what it does
  GArray *targets; // SwitchTarget, of a branch by a table: the row of the index is Compute.s[0]
  GArray *writes;  // Written: of a step that is not a computation; NULL: nothing
  gconstpointer callee; // of a call, while it is decoded; of a function without a body: its name
};

// The control flow of a function: blocks of steps.
typedef struct {
  GArray *blocks;   // SmbFlowBlock
  GPtrArray *lists; // what their successors are in
} CodeGraph;

// A register that holds something when a warp starts.
typedef enum {
  SPECIAL_TID, // + 0, 1, 2 for x, y, z
  SPECIAL_NTID = SPECIAL_TID + 3,
  SPECIAL_CTAID = SPECIAL_NTID + 3,
  SPECIAL_NCTAID = SPECIAL_CTAID + 3,
  SPECIAL_CLUSTERID = SPECIAL_NCTAID + 3, // of the cluster in the grid
  SPECIAL_NCLUSTERID = SPECIAL_CLUSTERID + 3,
  SPECIAL_CLUSTER_CTAID = SPECIAL_NCLUSTERID + 3, // of the block in its cluster
  SPECIAL_CLUSTER_NCTAID = SPECIAL_CLUSTER_CTAID + 3,
  SPECIAL_CLUSTER_INVERSE = SPECIAL_CLUSTER_NCTAID + 3, // 1 / that, as a float that is no smaller
  SPECIAL_LANE = SPECIAL_CLUSTER_INVERSE + 3,
  SPECIAL_WARP,
  SPECIAL_CLUSTER_RANK,
  SPECIAL_CLUSTER_BLOCKS,
  SPECIAL_IS_CLUSTER, // 1: the launch or the kernel says what a cluster is
  SPECIAL_DYNAMIC_BYTES,
  SPECIAL_SHARED_BYTES, // static and dynamic, as a block gets them, + Preset.argument
  SPECIAL_PARAMETER,    // the word at Preset.argument of the parameters
  SPECIAL_NUMBER,       // Preset.argument itself
} Special;

typedef struct {
  Special special;
  guint32 argument;
  Row row;
} Preset;

// A region of one word, which a launch decides.
typedef struct {
  Special special;
  guint32 argument; // as of a Preset
  guint region;
} LaunchWord;

// The parameters of a kernel, as bytes of a constant region.
typedef struct {
  gsize offset;
  gsize bytes;
  gboolean is_real;    // a number is a floating-point one
  gboolean is_untyped; // it is, if it is written as one
} ParameterPlace;

// Bytes of REGION_GRID; %envreg1 and %envreg2 are the high and the low word of a pointer to it.
#define CODE_GRID_BYTES 64u

// What the system has of each block's shared memory, since sm_80, as data/archs say: the code's addresses of it end where the
// program's own memory begins. It begins with what %reserved_smem_offset_1 names, as on an H200 (driver 580, 2026-11-23).
#define CODE_RESERVED_BYTES 1024u

// The region of what the driver gives a kernel beside its parameters: nobody else can say what it holds.
#define CODE_DRIVER_REGION "constants of the driver"

// Regions that every compiled program begins with; its own variables follow.
enum {
  REGION_SHARED = SHARED_OBJECT, // all of shared memory, from offset 0
  REGION_LOCAL,                  // each thread's own
  REGION_PARAMETERS,             // constant
  REGION_GRID,                   // global: where blocks of a cooperative launch wait for each other
  N_FIXED_REGIONS,
};

/**
 * Code: a program, with what it is decoded into
 * @steps: (element-type Step): the kernel begins at 0
 * @constants: complete
 * @presets: (element-type Preset)
 * @launch_words: (element-type LaunchWord)
 * @places: (element-type ParameterPlace): by parameter
 * @parameter_bytes: of all
 */
typedef struct {
  SmbProgram program;
  GArray *steps;
  GArray *entries; // CodeEntry
  SmbBarriers barriers;
  guint n_barriers;      // of convergence, but for
  guint n_call_barriers; // those of functions that can be called again before they return
  Constants *constants;
  guint32 n_rows;
  guint32 n_predicates;
  guint32 heap; // the region that malloc gives pieces of; 0: there is none
  GArray *presets;
  GArray *launch_words;
  GArray *places;
  gsize parameter_bytes;
  GPtrArray *transfers;
  GPtrArray *bulks;
  GPtrArray *owned;        // GArrays that others point into
  GPtrArray *bytes;        // GByteArrays that contents point into
  GPtrArray *graphs;       // CodeGraph
  gboolean points_at_code; // machine code: addresses of functions that have a body here are made
  gboolean maps_cluster;   // addresses in the shared memory of other blocks are made
  gboolean
      carries_rank; // machine code: the rank of a block stands in addresses of its own shared memory
  SmbMeeting meeting; // where lanes that diverge meet
  gpointer module;    // the decoder's
} Code;

// The functions of SmbFrontEnd that all compiled programs share (run.c, wait.c, argument.c).
gpointer smb_runner_new(SmbBlock *block, const SmbLaunch *launch, GError **error);
void smb_runner_free(gpointer runner);
gboolean smb_runner_run(gpointer runner);
gboolean smb_runner_resume(gpointer runner);
gboolean smb_runner_is_stuck(gpointer runner);
void smb_runner_fail_waiting(gpointer runner, const char *why);
GBytes *smb_code_argument(const SmbProgram *program, guint parameter, const char *const *arguments,
                          GError **error);
// Makes an empty program with the regions that all have; smb_program_init() has been called.
void smb_code_init(Code *code);
void smb_code_clear(Code *code);

// --- what decoders put together (code.c)

// New registers, which nothing is known of.
Row smb_code_new_rows(Code *code, guint n);
Predicate smb_code_new_predicate(Code *code);
// A transfer and a bulk of the code, which nothing is known of yet.
Transfer *smb_code_new_transfer(Code *code);
Bulk *smb_code_new_bulk(Code *code, SmbTraffic kind, guint quantum);
// The next step of the code.
void smb_code_add(Code *code, Step *step);
// What a step that is not a computation writes: @n rows from @row on; a predicate.
void smb_code_writes_row(Code *code, Step *step, Row row, guint n);
void smb_code_writes_predicate(Code *code, Step *step, Predicate predicate);
// Once all is decoded: says of the sites of loads, stores and atomics of shared memory that they are (SmbSite.is_shared).
void smb_code_mark_shared(Code *code);
// The region that malloc gives pieces of, unless there is one.
void smb_code_add_heap(Code *code);
// The next parameter: one that may be a pointer is one, unless --arg gives it a value. Compiled code has no names for
// them: @name and @type, for messages, outlive the code.
void smb_code_add_parameter(Code *code, const char *name, const char *type, ParameterPlace place,
                            gboolean is_pointer);
