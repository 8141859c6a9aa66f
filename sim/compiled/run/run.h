// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The state of a block of compiled code that runs. Private to sim/compiled and its front ends.
#pragma once

#include "sim/compiled/code.h"
#include "sim/compiled/flow/split.h"
#include "sim/launch/field.h"

enum {
  BARRIER_OF_CLUSTER = 16, // behind those of a block, which have numbers (bar.sync)
  RUNNER_BARRIERS,
  // What lanes wait for beside these: a barrier in shared memory, that others run first (poll.c), or what other blocks
  // leave in global memory (wait.c).
  HELD_BY_MBARRIER = RUNNER_BARRIERS,
  HELD_BEFORE_LOOK,
  HELD_BY_OTHERS,
  RUNNER_MAX_CALLS = 1024,            // nested
  RUNNER_MAX_CALL_BARRIERS = 1 << 16, // of convergence, of nested calls
  RUNNER_MAX_TIMEOUTS =
      256, // waits for mbarriers that end without success, one after the other, while nothing happens
};

// Shared memory of other blocks of the cluster: the rank of the block, xor that of this one, stands above a byte offset. So
// it does in pointers.
enum {
  CLUSTER_SHIFT = 24,
  CLUSTER_MAX_BLOCKS = 16,
};

// Why bits that a step produced are not known.
typedef struct {
  enum {
    CAUSE_NONE,
    CAUSE_CONTENTS,
    CAUSE_ADDRESS,
    CAUSE_MEMORY,
    CAUSE_OPAQUE
  } kind;
  guint32 object;  // CAUSE_CONTENTS: of the machine: nothing is known of what it holds
  guint64 address; // CAUSE_CONTENTS: the pointer
  guint32 origin;  // CAUSE_ADDRESS, CAUSE_MEMORY: the step, + 1, behind it; 0: not known
} Cause;

typedef struct {
  Registers *registers;
  SmbSplits *splits;
  GArray *calls; // guint32: [depth][lane]: where each lane goes on after its calls
  guint16 depth[SMB_MAX_LANES];
  SmbLanes answers;   // of bar.red: what the lanes that wait contributed
  SmbLanes unsure;    // where that is not known
  SmbLanes timed_out; // their wait for an mbarrier ends, whatever its phase
  SmbLanes looks;     // what others change is loaded now: they have run
  gboolean
      has_unknown_members; // the lanes of one set run alone now (WARPSYNC.EXCLUSIVE), and it is not known which
  guint32 members_origin; // why not
} Warp;

// The parameters of a launch.
typedef struct {
  guint8 *bytes;
  guint8 *marks; // MARK_KNOWN of each byte, or 0
  gsize length;
  GArray *fields; // SmbField
} Parameters;

typedef struct _Watch Watch; // recur.c

// Where a step stored what is not known.
typedef struct {
  guint64 low, high; // pointers of the machine: from the first place to behind the last one
  guint32 origin;    // of the first such value; 0: it stored none
} Stored;

// What a block whose signature is wanted, or that others follow, did to a global object.
enum {
  OBJECT_WRITTEN = 1,
  OBJECT_STREWN = 2, // written at places that depend on blockIdx
  OBJECT_ORDERED =
      4, // what it holds depends on the order of threads; also where no signature is wanted
};

// What a barrier does (Step.argument).
enum {
  BARRIER_SYNC,
  BARRIER_ARRIVE,
  BARRIER_POPC, // from here on: answers all that wait
  BARRIER_AND,
  BARRIER_OR,
};

// What is said of a number of threads that is none of whole warps, of which barriers are (PTX ISA, "bar, barrier").
#define BARRIER_THREADS_ERROR "a barrier of %u threads: expected a multiple of %u, whole warps"

// A barrier of the block.
typedef struct {
  guint arrived;    // threads that have announced themselves and went on (bar.arrive)
  guint expected;   // threads; 0: all of the block
  const Step *step; // that somebody executed last
  guint flags;      // ROW_TAINT, of what the threads contributed to its answer
  guint32 origin;   // of what is not known of that
} BlockBarrier;

struct _Runner {
  SmbBlock *block;
  const Code *code;
  const Step *steps;
  Warp *warps;
  guint w; // the running warp
  Warp *warp;
  guint64 budget; // steps that may still be executed
  BlockBarrier barriers[RUNNER_BARRIERS];
  guint32 awaited;     // the barriers, as bits, that threads may wait at
  Cause *causes;       // by step; behind those of the words of parameters
  guint8 *written;     // by object of the machine, if it is global: OBJECT_WRITTEN, …
  gboolean ordered;    // something of the block depends on the order of threads
  gboolean follows;    // blocks see what earlier ones left
  gboolean wrote;      // that one, since lanes that poll looked last
  GHashTable *found;   // what a warp found at a step that may poll: a hash
  guint64 waits_as;    // a hash of its state, when smb_runner_is_stuck() was asked last
  char *pointers;      // what to say of parameters that are taken as pointers
  Stored *stored;      // by step
  GArray *storing;     // guint32: those that have one, in the order of their first
  guint32 lost_origin; // why contents of memory were lost, nobody knows where: of the first time
  gboolean skips;      // accesses at unknown addresses are reported, and do not end the run
  GString *refusal;    // why the run is refused when it has ended; NULL: it is not
  guint32 refused;     // where
  GPtrArray *missing;  // options that give the contents which the refusal asks for
  Parameters parameters;
  guint32 *launch_words; // those of the code
  guint32
      own_rank; // of the block in its cluster, where it stands in addresses (CLUSTER_SHIFT); else 0
  guint64 allocated;       // bytes that smb_step_allocate() has given away
  GHashTable *stretches;   // by branch: what it decides, where that was asked (skip.c); or NULL
  GHashTable *mbarriers;   // by byte offset in shared memory: MBarrier
  gboolean lost_mbarriers; // nothing is known of those that are not in the table
  guint32 mbarrier_origin; // why not
  guint timeouts;          // since anything happened to an mbarrier
  guint n_looks; // how often warps that look at what others change were let go on, up to a limit
  GHashTable
      *arrivals; // byte offsets in shared memory, + 1, of barriers of chips before sm_90 (arrive.c)
  GHashTable *polls; // steps that wait for mbarriers, whose loops have been looked at
  gboolean doubts;   // whether the block ends is asked in the next round
  Watch *watch;      // in this one; or NULL
};

static inline guint32
step_number(const Runner *runner, const Step *step) {
  return (guint32)(step - runner->steps);
}

// Where bits that a step makes unknown come from: for Registers.origin.
static inline guint32
step_origin(const Runner *runner, const Step *step) {
  return step_number(runner, step) + 1;
}

// Why what a step produces is not known; the first cause is kept.
static inline void
smb_runner_note(Runner *runner, const Step *step, Cause cause) {
  Cause *noted = &runner->causes[step_number(runner, step)];
  if (noted->kind == CAUSE_NONE)
    *noted = cause;
}

// The running warp takes a step; as in run.c, but slower.
gboolean smb_runner_step(Runner *runner);

// --- control (control.c)
gboolean smb_step_compute(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_opaque(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_branch(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_exit(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_arm(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_enter(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_sync(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_break(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_switch(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_trap(Runner *runner, const Step *step, SmbLanes lanes);
// --- who tells others what (exchange.c)
// Lanes that name the same members, the row Compute.s[0], wait for them. With Step.argument, one such set goes on at a time.
gboolean smb_step_gather(Runner *runner, const Step *step, SmbLanes lanes);
// A computation of lanes that name the same members, the row Step.argument; NO_ROW: of those that run.
gboolean smb_step_exchange(Runner *runner, const Step *step, SmbLanes lanes);
// Those of @lanes that name what the first one names.
SmbLanes smb_runner_same_members(const guint32 *members, SmbLanes lanes);
// Lists a shuffle, which another step computes; of STEP_OPAQUE.
gboolean smb_step_shuffle(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_nothing(Runner *runner, const Step *step, SmbLanes lanes);
// The same for barriers with BARRIER_OF_CALL.
gboolean smb_step_arm_own(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_enter_own(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_sync_own(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_break_own(Runner *runner, const Step *step, SmbLanes lanes);
// Which barrier a lane means by Step.argument.
guint smb_runner_barrier(const Runner *runner, guint32 argument, guint lane);

// --- machine code's own (jump.c)
// To the address of code that the pair of rows Compute.s[0] holds, plus Step.argument: a branch, a call, a return.
gboolean smb_step_jump(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_call_address(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_return_to(Runner *runner, const Step *step, SmbLanes lanes);
// Behind the last instruction of a function: fails.
gboolean smb_step_end(Runner *runner, const Step *step, SmbLanes lanes);
// To a function at Step.target, which finds in registers where it returns to.
gboolean smb_step_call_code(Runner *runner, const Step *step, SmbLanes lanes);
// A branch if the lanes are all of those of the mask Compute.s[0] that live, or if they are not.
enum {
  BRANCH_IF_WHOLE,
  BRANCH_IF_DIVIDED,
};
gboolean smb_step_branch_divided(Runner *runner, const Step *step, SmbLanes lanes);
// All lanes branch if one has a true guard.
gboolean smb_step_branch_any(Runner *runner, const Step *step, SmbLanes lanes);
// What lanes recorded at the barrier of convergence Step.argument goes to the row Compute.d, unless that is NO_ROW, or is
// forgotten, or comes from Compute.s[0].
gboolean smb_step_save_barrier(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_clear_barrier(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_restore_barrier(Runner *runner, const Step *step, SmbLanes lanes);

// --- calls (call.c)
gboolean smb_step_call(Runner *runner, const Step *step, SmbLanes lanes);
// Calls what the function pointer in Compute.s[0] points at; Step.argument: the shape of what is passed.
gboolean smb_step_call_pointer(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_return(Runner *runner, const Step *step, SmbLanes lanes);
// Step.argument bytes, or as many as the pair of rows Compute.s[1] says, unless that is NO_ROW, are used of each thread's
// stack, from Compute.s[0] on, an offset in REGION_LOCAL: fails if there are not as many. They hold nothing yet.
gboolean smb_step_reserve(Runner *runner, const Step *step, SmbLanes lanes);
// A function without a body here is called, or an assertion has failed.
gboolean smb_step_missing(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_assert(Runner *runner, const Step *step, SmbLanes lanes);
// Compute.d: the address of as many bytes as the pair of rows Compute.s[0] says, of Code.heap, that no
// thread of the block was given before.
gboolean smb_step_allocate(Runner *runner, const Step *step, SmbLanes lanes);

// --- barriers of the block (barrier.c)
gboolean smb_step_barrier(Runner *runner, const Step *step, SmbLanes lanes);
// Lets the threads go on whose barriers are complete; FALSE: there are none.
gboolean smb_runner_release(Runner *runner);
// Nobody can go on: fails, and says who is missing at the first barrier that somebody waits at.
gboolean smb_runner_fail_stopped(Runner *runner);

// --- blocks that wait for others (wait.c)
// A step found @words at @addresses of memory: lanes that found the same before wait.
void smb_runner_look(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses,
                     const MarkedWords *words);
// Nobody can go on: lets those that poll look again, if the block has written anything meanwhile.
gboolean smb_runner_look_again(Runner *runner);
// Nobody can go on: whether some poll, so that the block waits for others. Its turn ends.
gboolean smb_runner_waits(Runner *runner);
// Lets those that poll look again.
void smb_runner_release_polls(Runner *runner);
// What earlier blocks, and others while the block waited, have left depends on the order of blocks.
void smb_runner_see_others(Runner *runner);
// What the block leaves is seen by others.
void smb_runner_leave(Runner *runner);

// --- barriers in shared memory (mbarrier.c)

// What a step does to an mbarrier (Step.argument). Compute.s[0] is the number that it takes, or NO_ROW; Compute.d what
// becomes of it, or NO_ROW.
typedef enum {
  MBARRIER_INIT,
  MBARRIER_INVALIDATE,
  MBARRIER_ARRIVE,
  MBARRIER_DROP,
  MBARRIER_ARRIVE_EXPECT,
  MBARRIER_DROP_EXPECT,
  MBARRIER_EXPECT,
  MBARRIER_COMPLETE,
  MBARRIER_TOUCH, // of copies by each thread, which are complete: it arrives once more than it expects
} MBarrierAction;

// Of a wait: Compute.s[0] is a parity, or the two rows of a state; Compute.p the result.
enum {
  MBARRIER_STATE,
  MBARRIER_PARITY,
};

gboolean smb_step_mbarrier(Runner *runner, const Step *step, SmbLanes lanes);
// The same, of the first lane only: of the uniform datapath.
// Arrives at a barrier of chips before sm_90 (arrive.c).
gboolean smb_step_arrive(Runner *runner, const Step *step, SmbLanes lanes);
// Such barriers of a block; NULL, if the code has none.
GHashTable *smb_arrivals_new(const Code *code);
// Whether a load tests such a barrier: how often it does is a matter of time.
gboolean smb_runner_tests_arrivals(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_mbarrier_once(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_mbarrier_wait(Runner *runner, const Step *step, SmbLanes lanes);
void smb_mbarriers_reset(Runner *runner);
// A hash of what they are.
guint64 smb_mbarriers_hash(const Runner *runner);
// Bytes that @lanes have copied, or SMB_BYTES_UNKNOWN, complete on the mbarriers that @barrier names.
gboolean smb_mbarriers_complete(Runner *runner, const Step *step, const Transfer *barrier,
                                SmbLanes lanes, const guint64 *bytes);
// Nothing is known of any mbarrier from here on. @origin: why.
void smb_mbarriers_lose(Runner *runner, guint32 origin);
// Where nothing else can run: copies of unknown size are complete; then waits time out. FALSE: there are none.
gboolean smb_mbarriers_release(Runner *runner);
// Says which wait never ends; TRUE: there is none.
gboolean smb_mbarriers_check(Runner *runner);

// --- what makes no request (bulk.c)
gboolean smb_step_bulk(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_bulk_once(Runner *runner, const Step *step, SmbLanes lanes); // likewise
// Loads or stores a matrix of Bulk.bytes, of which only an assembler knows which lane moves what.
gboolean smb_step_fragment(Runner *runner, const Step *step, SmbLanes lanes);
// Lists what a step did in the shared memory of this block.
void smb_runner_traffic(const Runner *runner, const Step *step, SmbTraffic kind, guint64 bytes);
// Of @lanes, those whose addresses lie in the shared memory of another block.
SmbLanes smb_transfer_elsewhere(SmbLanes lanes, const guint64 *addresses);
// Nothing is known any more of what shared memory holds, since what a step does to it is not.
void smb_runner_forget_shared(Runner *runner, const Step *step);
// A step of this kind is not executed, or may not be: nothing is known of what it could have written.
void smb_runner_lose(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin);

// --- parameters (argument.c)
// Pointers are those of the machine.
gboolean smb_parameters_set(Parameters *parameters, const Code *code, const SmbBlock *block,
                            const SmbLaunch *launch, GError **error);
void smb_parameters_clear(Parameters *parameters);

// --- memory (transfer.c, matrix.c, copy.c)
gboolean smb_step_load(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_store(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_atomic(Runner *runner, const Step *step, SmbLanes lanes);
// A compare-and-swap of words that is tried again by lanes that lose: of lanes that name one word one takes part. Whether
// it swapped goes to the row Compute.d, unless that is NO_ROW, and to the predicate Compute.p. Costs as much as one of all
// lanes that named words of their own (executed on an H200: 2 wavefronts a request where all lanes name one word).
gboolean smb_step_cast(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_copy(Runner *runner, const Step *step, SmbLanes lanes);
// The copies of a thread since the last such step are a group.
gboolean smb_step_commit(Runner *runner, const Step *step, SmbLanes lanes);
// Waits until Step.argument groups are pending at most; PENDING_NONE: for all copies of the thread.
gboolean smb_step_await(Runner *runner, const Step *step, SmbLanes lanes);
// Whether a step changes nothing that is counted: it waits for copies, or does nothing at all.
gboolean smb_step_is_harmless(const Step *step);
// A harmless step is executed, or is not: what it waits for, or commits, is not told to be pending.
void smb_runner_forget_copies(Runner *runner, const Step *step, SmbLanes lanes);
// Step.argument of those that move matrices: how their values lie in registers.
typedef enum {
  MATRIX_PLAIN,
  MATRIX_TRANSPOSED,
  MATRIX_UNKNOWN, // only the requests are modelled
} MatrixValues;
gboolean smb_step_load_matrix(Runner *runner, const Step *step, SmbLanes lanes);
gboolean smb_step_store_matrix(Runner *runner, const Step *step, SmbLanes lanes);

// Of @lanes, those whose address is known. @addresses: pointers of the machine; @flags: of the rows that they come from;
// @origin: of the address of the first one that is not known.
SmbLanes smb_transfer_addresses(Runner *runner, const Transfer *transfer, SmbLanes lanes,
                                guint64 *addresses, guint *flags, guint32 *origin);
// The signature of a block says nothing of addresses that depend on blockIdx and are not affine, nor of whether they are known.
void smb_transfer_watch(const Runner *runner, guint flags);
// ROW_BLOCK, if what was loaded at @addresses depends on blockIdx though memory is not marked so. @flags: of the address.
guint smb_transfer_taint(const Runner *runner, guint flags, SmbLanes lanes,
                         const guint64 *addresses);
// A step stored at @addresses. @flags: of them.
void smb_transfer_note_store(Runner *runner, guint flags, SmbLanes lanes, const guint64 *addresses);
// The data of a step's registers as words of memory, and back.
void smb_transfer_gather(Runner *runner, const Transfer *transfer, MarkedWords *words);
// TRUE: all that is delivered is known.
gboolean smb_transfer_deliver(Runner *runner, const Step *step, SmbLanes lanes, guint flags,
                              const MarkedWords *words);

// --- what is not known (unsure.c)
// A step whose guard is not known in @unsure; it is true in @lanes.
gboolean smb_step_unsure(Runner *runner, const Step *step, SmbLanes lanes, SmbLanes unsure);
// Lanes ask for memory, maybe shared, and it is not known where, or whether. The run goes on, and is refused when it has
// ended unless it may leave such accesses out.
void smb_runner_uncounted(Runner *runner, const Step *step, SmbLanes lanes, const char *what,
                          guint32 origin);
// At the end of a run, however it ended: whether all was counted that has to be; else fails, with all contents that are missing.
gboolean smb_runner_refuse(Runner *runner);
// Whether threads execute a step that is not only skipped is not known: fails.
gboolean smb_runner_cannot_tell(Runner *runner, const Step *step, guint32 origin);
// Nothing is known any more of what a step writes.
void smb_runner_forget(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin);
// Whether it may ask for shared memory.
gboolean smb_transfer_may_be_shared(const Runner *runner, const Transfer *transfer);
// An access that may ask for global memory, or for constant memory, is not made, since it is not known where, or whether.
void smb_runner_lose_global(Runner *runner, const Step *step);
// A step writes to memory, or does not, or it is not known where. @origin: why.
void smb_runner_blur(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin);
// A branch, or an exit, whose guard is not known: jumps over the steps that depend on it, if that changes no count.
gboolean smb_runner_skip(Runner *runner, const Step *step, guint32 origin);
// Nothing is known any more of what a computation writes.
void smb_runner_forget_results(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin);
// Why bits of a row are not known, in words (transfer full).
char *smb_runner_explain(const Runner *runner, guint32 origin);

// --- why what is loaded is not known (stored.c)
// A step stores @bytes at each address, and something of them is not known. @origin: why; 0: all is known.
void smb_stored_note(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses,
                     gsize bytes, guint32 origin);
// The same, of a step that stores to shared memory at @base + @offset.
void smb_stored_note_shared(Runner *runner, const Step *step, SmbLanes lanes, const guint32 *base,
                            guint32 offset, guint32 origin);
// Another block begins.
void smb_stored_forget(Runner *runner);
// Why what a step loads at an address is not known.
void smb_stored_explain(Runner *runner, const Step *step, guint64 address);
// The same of the first of @lanes that loads something that is not known, of @bytes each, unless it was said already.
void smb_stored_explain_lanes(Runner *runner, const Step *step, SmbLanes lanes,
                              const guint64 *addresses, gsize bytes, const MarkedWords *words);
// Of what a step loads from parameters, each component has a cause of its own: which byte has no value.
void smb_stored_explain_components(Runner *runner, const Step *step, SmbLanes lanes,
                                   const guint64 *addresses, const MarkedWords *words);
// The first lane of @lanes that loads something that is not known, of @bytes each; @at: which byte of it is the first.
guint smb_stored_find_lane(const MarkedWords *words, gsize bytes, SmbLanes lanes, gsize *at);

// --- what depends on the order of threads (order.c)
// Whether something uses what an atomic finds, or of a swap whether it was made.
gboolean smb_order_has_result(const Transfer *transfer);
// Whether nothing uses what an atomic finds, and what it leaves is the same in any order.
gboolean smb_order_is_free(const Transfer *transfer);
// The flags of what a load or an atomic finds: ROW_ORDER, if it does. After its access was made.
guint smb_order_found(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses);
// Before @step stores words: where it races with other stores, and leaves something else than they did.
void smb_order_disputes(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses,
                        const MarkedWords *words);
// @step stored, by a load's or an atomic's opposite, registers and at an address of @flags.
void smb_order_stored(Runner *runner, const Step *step, guint flags, SmbLanes lanes,
                      const guint64 *addresses);
// Requests of @transfer are not exact, since @what of them ("the address") depends on it.
void smb_order_decides(Runner *runner, const Transfer *transfer, const char *what);
// Which requests are made depends on it, of all.
void smb_order_decides_all(Runner *runner);
// A step whose guard, or a branch whose target depends on it.
void smb_order_guards(Runner *runner, const Step *step);
// What is between a branch and where its ways meet is not exact, if the branch depends on it.
void smb_order_branches(Runner *runner, const Step *step);

// --- the control flow of functions (skip.c, poll.c)
// The graph that a step is in, and its block.
const CodeGraph *smb_code_graph(const Code *code, guint32 step, guint32 *block);
// The blocks that a branch may lead to without passing @but, in an array by block; whether it can end the function.
gboolean smb_graph_reach(const CodeGraph *graph, guint32 branch, guint32 but, gboolean *seen,
                         guint *n_seen);
// Whether @lanes load now what others may change: not before nobody else can go on. FALSE: they wait, ahead of @step.
gboolean smb_runner_may_look(Runner *runner, const Step *step, SmbLanes lanes);
// Lets those go on that wait for it. FALSE: there are none.
gboolean smb_looks_release(Runner *runner);
// The access that the loop around a step repeats, if that is all that it does; else NULL.
const SmbSite *smb_runner_polled(const Runner *runner, const Step *step);
// Whether the lanes that run can never leave the loop that they are in, since no way leads out of it.
gboolean smb_runner_is_endless(const Runner *runner);
// --- whether everything recurs (recur.c)
// A round begins: Runner.watch.
void smb_recur_start(Runner *runner);
void smb_recur_free(Watch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Watch, smb_recur_free)
// Takes steps of the running warp, at most as many as are @left, until what becomes of it is known.
gboolean smb_recur_warp(Runner *runner, guint *left);
// The round is over: fails if everything recurs.
gboolean smb_recur_end(Runner *runner);

// How often the loop around a wait polls is a matter of time: warns of the requests in it, once.
void smb_runner_warn_polling(Runner *runner, const Step *step);
