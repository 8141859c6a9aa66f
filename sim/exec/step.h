// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A step: what a warp executes at once. Decoders of PTX and of machine code make steps (build.h), each row of steps.def
// describes one kind, and the handlers are in warp/, memory/ and sync/. exec.h describes the life of a step.
// Private to sim/exec and the front ends that make steps.
#pragma once

#include "sim/exec/compute/compute.h"
#include "sim/exec/product/tensor.h"
#include "sim/tensor/map.h"

typedef struct _Exec Exec; // sim/exec/exec.h
typedef struct _Step Step;
typedef struct _Code Code; // sim/exec/code.h

// Executes a step in @lanes of the running split: active, and with a true guard; none, if the guard is false
// everywhere. The split's pc is that of the next step. FALSE after smb_block_fail().
typedef gboolean (*StepHandler)(Exec *exec, const Step *step, SmbLanes lanes);

// @lanes may execute a step or not: whatever it changes is unknown afterwards. @origin: why, for Registers.origin.
typedef void (*StepDoubt)(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);

typedef enum {
#define STEP(name, handler, doubt, kind, flags) STEP_##name,
#include "sim/exec/steps.def"
#undef STEP
  N_STEPS,
} StepOpcode;

// Steps by what it means that a guard, or an address, is not known.
typedef enum {
  KIND_COMPUTE,
  KIND_TRANSFER, // Step.transfer makes a request
  KIND_BRANCH,   // Step.target; where the lanes go depends on the guard
  KIND_EXIT,     // the same: they end
  KIND_MEETING,  // where lanes of a warp reconverge: arms a barrier, waits at it, leaves it
  KIND_FRAME,    // keeps the stack of calls: whatever is skipped leaves it as it was
  KIND_HARMLESS, // changes nothing that is counted
  KIND_CONTROL,  // a barrier, a call, and whatever else has to be executed by known lanes
  KIND_OPAQUE,   // what it does is not modelled: Step.writes are not known afterwards
  KIND_APART,    // it uses shared memory, and makes no request of it; Step.transfer has its site
} StepKind;

enum {
  STEP_PLAIN =
      1, // all that it can change is registers and memory, which a search for endless loops watches
  STEP_SKIPPED = 1 << 1,        // may be left out where it is not known who executes it
  STEP_LEAVES = 1 << 2,         // may lead out of the function, or to where its graph does not show
  STEP_CALLS = 1 << 3,          // calls the function at Step.target
  STEP_CALLS_ANY = 1 << 4,      // calls it is not known which function
  STEP_CALLS_PROVIDED = 1 << 5, // the same, unless the code makes no addresses of its own functions
  STEP_IN_WARP = 1 << 6,        // waits for lanes of the warp only
  STEP_IDLE = 1 << 7,           // is taken not to be executed where that is not known
  // A request at a 32-bit address in the block's own shared memory, which no other thread changes meanwhile
  // (smb_code_finish()).
  STEP_DIRECT = 1 << 8,
  STEP_OF_BLOCK = 1 << 9, // all warps of a block execute it at once (lockstep.h)
  STEP_COPIES = 1 << 10,  // what it copies is noted (smb_copied_mark())
};

// Where a plain address lies.
typedef enum {
  WINDOW_GENERIC, // it says so itself: a pointer of the machine
  WINDOW_SHARED,  // a byte offset
  WINDOW_LOCAL,   // the same
} Window;

enum {
  TRANSFER_COMPONENTS = 8, // for a vector: of 16 bits each
};

// How a load, or an atomic, takes part in what threads of other blocks do (PTX ISA, "Memory Consistency Model").
typedef enum {
  ORDER_WEAK,    // nothing changes meanwhile what it finds, or else the program has a race
  ORDER_BLOCK,   // threads of the block may change it
  ORDER_STRONG,  // other blocks may, too
  ORDER_ACQUIRE, // and what they did before is seen from then on
} MemoryOrder;

// A variable among others in a bank of constant memory, by byte offsets in that.
typedef struct {
  guint64 first;
  guint64 bytes;
  guint32 region;
} BankPiece;

// What says of each lane of a copy whether it copies, or writes zeros. Past the first-level cache, Nsight Compute is
// wrong about P0: it takes it to be false in all lanes.
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
 * @pieces: (element-type BankPiece) (nullable): the address is an offset in a bank of constant memory that these make
 *   up
 * @bytes: of a component
 * @rows: for a component's register: 1, 2 or 4; wider than @bytes, it is extended
 * @is_signed: by its sign
 * @data: the first row of each component, or NO_ROW for one that is dropped, or a constant row
 * @operands: for an atomic: the first row of each component; of a compare-and-swap what is compared
 * @swap: of a compare-and-swap
 */
typedef struct {
  Move move;
  Window window;
  gboolean is_generic; // its space is not written: it may be shared
  gboolean is_cluster; // it may lie in the shared memory of another block
  // generic: bytes that the code's addresses of shared memory have ahead of the program's own
  guint32 reserved;
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
  gboolean increments; // for an atomic: it adds the constant 1, and nothing reads its result
  Copying copying;     // of a copy from global memory
  gboolean is_by_p0;   // whose guard is P0 or !P0
  gboolean
      is_bank; // of a load: of a bank of constant memory, beyond the end of which a device finds zeros
  gboolean is_shortened; // ZFILL: what its address has in excess of its width is left out
  MemoryOrder order;
} Transfer;

#define NO_ROW G_MAXUINT32

// What else a step may do whose effect is not modelled (Step.argument).
enum {
  OPAQUE_SHARED = 1, // write anywhere in shared memory
  OPAQUE_GLOBAL = 2, // write anywhere in global and local memory
  OPAQUE_FENCE = 4,  // make visible what other blocks wrote
};

// What a fence puts in order (Step.argument).
enum {
  FENCE_BLOCK,               // what the warp did is before what it does
  FENCE_ASYNC,               // what threads stored, before what products read
  FENCE_GRID,                // what the kernel before has done, before what this one does
  FENCE_TRIGGER,             // the kernel behind may begin
  FENCE_PERMIT,              // the block asks for no more columns of tensor memory
  FENCE_TENSOR_LOADS,        // what the warp loads of tensor memory has been read
  FENCE_TENSOR_STORES,       // what it stores there has been written
  FENCE_COMMIT,              // products of four warps since the last one are a group
  FENCE_COMMIT_SENDS,        // copies in bulk from shared memory are
  FENCE_AWAIT,               // plus how many groups of products may go on
  FENCE_AWAIT_SENDS = 1 << 8 // the same of such copies
};

// Of setmaxnreg (Step.argument), plus the registers of a thread: they are asked for, and not given up.
enum {
  RESIZE_MORE = 1 << 16
};

/**
 * Tensor: the box of a tensor that is copied
 * @rank: dimensions; 0: it is none
 * @map: where its descriptor is (sim/tensor)
 * @coordinates, @offsets: rows: of its first element, and of pixels, or NO_ROW
 * @picks_rows: @coordinates are those of SmbTensorBox.picks_rows
 */
typedef struct {
  guint rank;
  gboolean is_im2col;
  gboolean picks_rows;
  const Transfer *map;
  Row coordinates[SMB_TENSOR_RANK];
  Row offsets[SMB_TENSOR_SPATIAL];
} Tensor;

// How many coordinates say where the box is.
static inline guint
tensor_coordinates(const Tensor *tensor) {
  return tensor->picks_rows ? 1 + SMB_TENSOR_PICKED : tensor->rank;
}

/**
 * Bulk: what an instruction does to shared memory apart from requests
 * @kind: what it is listed as
 * @to, @from: for a copy: its ends; NULL: it is not modelled
 * @barrier: (nullable): the mbarrier that it completes on
 * @size: bytes that each lane moves, of one row; NO_ROW: not known
 * @quantum: what divides the bytes, and the addresses
 * @bytes: of operands, which have no address here: what a warp moves; SMB_BYTES_UNKNOWN
 * @is_zeros: zeros are written
 * @is_race: what is written depends on when other blocks run, and with it all that the block does
 * @is_lost: what is written is not known
 * @value: (nullable): in the place of @from: the registers that are stored (Transfer.data), or, of a reduction
 *   (Move.atomic), combined with what is there (Transfer.operands)
 * @tensor: of a copy of a box of a tensor, which is its other end, and says how many bytes it has
 * @atomic: how what is copied is combined with what is there; ATOMIC_EXCHANGE: it is not
 * @number: of a reduction without a tensor: of what
 * @blocks: row of the blocks of the cluster that get what is loaded, as bits; NO_ROW: the one that @to names
 * @is_paired: it is completed in the block of each pair that @barrier names one in (.cta_group::2)
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
  gboolean is_race;
  gboolean is_lost;
  const Transfer *value;
  Tensor tensor;
  Atomic atomic;
  SmbScalar number;
  Row blocks;
  gboolean is_paired;
} Bulk;

// STEP_SAMPLE, STEP_SURFACE: what is asked of a texture or a surface.
typedef enum {
  SAMPLING_FILTERED, // at coordinates
  SAMPLING_TEXEL,    // an element of memory
  SAMPLING_GATHERED, // a component of four texels
  SAMPLING_SIZE,     // an extent of a level, in elements
  SAMPLING_LOAD,     // bytes of a surface
  SAMPLING_STORE,
} SamplingKind;

// What becomes of an access outside of a surface.
typedef enum {
  BOUNDARY_ZERO, // loads find zeros, stores do nothing
  BOUNDARY_CLAMP,
  BOUNDARY_TRAP,
} Boundary;

/**
 * Sampling: rows are NO_ROW if there is none
 * @handle: of the texture or surface
 * @coordinates: numbers of 32 bits, or of a surface integers: the byte in a row, the row
 * @layer: also the slice of a surface of three dimensions
 * @level: NO_ROW: the first
 * @gradients: of each coordinate, along x and y of the picture
 * @component: of SAMPLING_GATHERED; of SAMPLING_SIZE which extent
 * @data: of each component, or word of a surface
 * @resident, @missing: predicates that say whether all texels had memory, and whether one had none (PREDICATE_TRUE: nowhere)
 * @width: bytes of an access to a surface
 */
typedef struct {
  SamplingKind kind;
  Row handle;
  Row coordinates[3];
  Row layer, level;
  Row gradients[3][2];
  guint component;
  Row data[4];
  Predicate resident, missing;
  guint width;
  Boundary boundary;
} Sampling;

// What a step writes of the registers.
typedef struct {
  Row row;
  guint n; // rows; 0: a predicate
  Predicate predicate;
} Written;

// --- Step.argument, and other numbers that decoders and handlers share

// Barriers of a block have numbers (bar.sync).
enum {
  N_BLOCK_BARRIERS = 16,
};

// STEP_BARRIER: what it does. From BARRIER_POPC on it answers all that wait.
enum {
  BARRIER_SYNC,
  BARRIER_ARRIVE,
  BARRIER_POPC,
  BARRIER_AND,
  BARRIER_OR,
};

// The message for a number of threads that is not a multiple of the warp size, as a barrier's must be (PTX ISA, "bar,
// barrier").
#define BARRIER_THREADS_ERROR "a barrier of %u threads: expected a multiple of %u (whole warps)"

// STEP_MBARRIER. Compute.s[0] is the row of its operand, Compute.d that of its result; NO_ROW: it has none.
typedef enum {
  MBARRIER_INIT,
  MBARRIER_INVALIDATE,
  MBARRIER_ARRIVE,
  MBARRIER_DROP,
  MBARRIER_ARRIVE_EXPECT,
  MBARRIER_DROP_EXPECT,
  MBARRIER_EXPECT,
  MBARRIER_COMPLETE,
  MBARRIER_COMMIT, // tcgen05.commit: it arrives when what the warp has given to tensor cores is complete
  MBARRIER_TOUCH, // cp.async.mbarrier.arrive: the thread's copies are complete, so it arrives once more than it expects
} MBarrierAction;

// STEP_MBARRIER, added to its action: its result has the form that it has in machine code (mbarrier.c).
enum {
  MBARRIER_ACTION = 15, // which bits are the action
  MBARRIER_WORDS = 16,
  MBARRIER_LANES =
      32, // with the lanes that arrive at the same object as the low word; the high one is the first lane's
  MBARRIER_OF_WARP = 64, // of STEP_MBARRIER_EACH: the first lane executes it for its warp
};

// STEP_TENSOR_COPY, STEP_TENSOR_SHIFT, STEP_TENSOR_PRODUCT: whether each lane executes it, or the first one for its warp.
enum {
  TENSOR_OF_LANES,
  TENSOR_OF_WARP,
};

// STEP_MBARRIER_WAIT: Compute.s[0] is a parity, or the two rows of a state; Compute.p the result.
enum {
  MBARRIER_STATE,
  MBARRIER_PARITY,
};

// STEP_LOAD_MATRIX, STEP_STORE_MATRIX: how their values lie in registers, and whether the numbers of a row, which have 8
// bits in registers, have fewer in memory.
typedef enum {
  MATRIX_PLAIN,
  MATRIX_TRANSPOSED, // of numbers of 16 bits
  MATRIX_BYTES,      // of numbers of 8 bits, transposed
  MATRIX_LAYOUT = 3, // which bits say that

  MATRIX_OF_4 = 4,
  MATRIX_OF_6 = 8,
} MatrixValues;

// STEP_BRANCH_DIVIDED: a branch if the lanes are all of those of the mask Compute.s[0] that live, or if they are not.
enum {
  BRANCH_IF_WHOLE,
  BRANCH_IF_DIVIDED,
};

#define NO_STEP G_MAXUINT32

// Convergence barriers of recursive functions have this bit and a number of their own: each nested call has its own
// set.
#define BARRIER_OF_CALL 0x80000000u

// Where a branch by a table goes to.
typedef struct {
  guint32 step;
  guint64 leave; // barriers of convergence, from Step.argument on, that are left on the way
} SwitchTarget;

/**
 * Step: an instruction, or a part of one
 * @run, @kind, @flags: as the row of @opcode says (smb_step_bind()); of steps that keep a stack, the kind is KIND_FRAME
 */
struct _Step {
  StepHandler run;
  guint8 opcode; // StepOpcode
  guint8 kind;   // StepKind
  guint16 flags; // STEP_PLAIN, …
  // How many steps from this one on, this one among them, only compute, in all lanes that run (smb_code_finish()).
  guint16 n_computing;
  guint32 place;    // in the source, for messages
  Predicate guard;  // PREDICATE_TRUE: none
  gboolean unless;  // the guard is negated
  guint32 begins;   // instructions of machine code, this one and those before it that have no step
  guint32 target;   // of a branch, or a call: a step
  guint32 argument; // of other steps: a number (of a barrier, bytes of a stack, …)
  Compute compute;
  const Transfer *transfer; // or NULL
  const Transfer *source;   // for a copy: where it comes from
  const Sampling *sampling; // of a texture or a surface
  const Bulk *bulk;         // of what makes no request, but for mbarriers: what it does
  const Product *product;   // of matrices, or NULL
  const TensorStep *tensor; // of tensor memory
  const Fragment *fragment; // of STEP_FRAGMENT; NULL: its values are not known
  // SwitchTarget: of a branch by a table: the row of the index is Compute.s[0]; or one STEP_LOOK, of a branch whose
  // condition somebody asks about.
  GArray *targets;
  GArray *writes; // Written: of a step that is not a computation; NULL: nothing
  gconstpointer
      callee; // of a call, while it is decoded; for a function without a body: its name; of STEP_TRAP (nullable): what it tells
};

typedef struct {
  const char *name;
  StepHandler run;
  StepDoubt doubt;
  guint8 kind;
  guint16 flags;
} StepInfo;

// The row of steps.def.
const StepInfo *smb_step_info(StepOpcode opcode);

// Makes a step what its opcode says.
void smb_step_bind(Step *step, StepOpcode opcode);

// Whether it writes to memory by a request: a store, an atomic, a copy.
static inline gboolean
step_stores(const Step *step) {
  return step->kind == KIND_TRANSFER && step->transfer->move.op_class != SMB_OP_CLASS_LOAD;
}

// Whether something uses what an atomic finds, or of a swap whether it was made.
gboolean smb_transfer_has_result(const Transfer *transfer);
// Whether an atomic leaves the same in any order of threads: sums of integers, extremes and bits do.
gboolean smb_atomic_is_commutative(const Move *move);
