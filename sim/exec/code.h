// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel as steps that a warp executes: what a decoder of PTX, or of machine code, makes.
// Private to sim/exec and the front ends that make steps.
#pragma once

#include "sim/exec/flow/converge.h"
#include "sim/exec/flow/split.h"
#include "sim/exec/step.h"
#include "sim/machine/front-end.h"

// Steps of warps that a block executes, unless the user says otherwise: some seconds.
#define CODE_MAX_STEPS (G_GUINT64_CONSTANT(1) << 28)
// What they and their accesses to memory may take, as plain steps (WORK_OF_ACCESS): eight seconds. Where a user allows
// more steps, as many times as much.
#define CODE_MAX_WORK (CODE_MAX_STEPS / 2 * 5)

// The stack of a thread, for calls, in bytes: 32 times what the driver gives at first (cudaLimitStackSize).
#define CODE_STACK_BYTES (32u << 10)

// What a function pointer points at: entry i has the address i * CODE_ADDRESS_STEP.
typedef struct {
  guint32 step;     // NO_STEP: no function, or no instruction, begins there, or it has no body here
  guint32 shape;    // of what is passed: a call that passes something else is refused
  const char *name; // NULL: no function
} CodeEntry;

#define CODE_ADDRESS_STEP 16u

// What else a function pointer may be, of a module that is run: the same in all of its kernels.
typedef struct {
  guint64 address;
  guint64 place; // the address of its entry
} CodeAlias;

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
  SPECIAL_OWN_SHARED, // the byte at Preset.argument of the block's own shared memory, with its rank (Code.carries_rank)
  SPECIAL_GRAPH, // the low word of the graph that the launch is part of; the high one is next
  SPECIAL_GRAPH_HIGH,
  SPECIAL_PARAMETER, // the word at Preset.argument of the parameters
  SPECIAL_NUMBER,    // Preset.argument itself
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

// What the system has of each block's shared memory, since sm_80, as data/archs say: the code's addresses of it end
// where the program's own memory begins. It begins with what %reserved_smem_offset_1 names, as on an H200 (driver 580,
// 2026-11-23).
#define CODE_RESERVED_BYTES 1024u

// The region of the constants that the driver adds to a kernel's parameters: no option can give their values.
#define CODE_DRIVER_REGION "constants of the driver"

// Regions that every compiled program begins with; its own variables follow.
enum {
  REGION_SHARED = SHARED_OBJECT, // all of shared memory, from offset 0
  REGION_LOCAL,                  // each thread's own
  REGION_PARAMETERS,             // constant
  REGION_GRID,                   // global: where blocks of a cooperative launch wait for each other
  REGION_VARIABLES, // constant: of machine code: its variables, which have regions of their own besides
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
struct _Code {
  SmbProgram program;
  GArray *steps;
  GArray *entries; // CodeEntry
  GArray *aliases; // CodeAlias
  SmbBarriers barriers;
  guint n_barriers;      // of convergence, but for
  guint n_call_barriers; // those of functions that can be called again before they return
  Constants *constants;
  guint32 n_rows;
  guint32 n_predicates;
  guint32 heap;            // the region that malloc gives pieces of; 0: there is none
  const GArray *variables; // BankPiece: what REGION_VARIABLES has; NULL: it has no addresses
  GArray *presets;
  GArray *launch_words;
  GArray *places;
  gsize parameter_bytes;
  GPtrArray *transfers;
  GPtrArray *bulks;
  GPtrArray *samplings;
  GPtrArray *products;
  GPtrArray *owned;        // GArrays that others point into
  GPtrArray *bytes;        // GByteArrays that contents point into
  GPtrArray *graphs;       // CodeGraph
  gboolean points_at_code; // machine code: addresses of functions that have a body here are made
  gboolean maps_cluster;   // addresses in the shared memory of other blocks are made
  gboolean carries_rank;   // the rank of a block is in addresses of its own shared memory
  gboolean
      has_operands;   // products read matrices in shared memory, or copies store boxes from there
  gboolean copies;    // what threads copy there is noted: STEP_COPIES
  SmbMeeting meeting; // where lanes that diverge meet
  gpointer module;    // the decoder's
  // Of text: what STEP_TEXT_… do; and that a condition, of the branch @step, was false (or true) in all threads of the
  // block.
  StepHandler text;
  void (*turned_away)(Exec *exec, const Step *step, gboolean verdict);
};

// The functions of SmbFrontEnd that all compiled programs share (run.c, wait.c, argument.c).
gpointer smb_exec_new(SmbBlock *block, const SmbLaunch *launch, GError **error);
void smb_exec_free(gpointer exec);
gboolean smb_exec_run(gpointer exec);
gboolean smb_exec_resume(gpointer exec);
gboolean smb_exec_is_stuck(gpointer exec);
void smb_exec_fail_waiting(gpointer exec, const char *why);
void smb_exec_prove(SmbProver *prover);
GBytes *smb_code_argument(const SmbProgram *program, guint parameter, const char *const *arguments,
                          GError **error);
// The entry of an address of code; NULL: there is none.
const CodeEntry *smb_code_entry(const Code *code, guint64 address);
// The graph that a step is in, and its block.
const CodeGraph *smb_code_graph(const Code *code, guint32 step, guint32 *block);
// The blocks that a branch may lead to without passing @but, in an array by block; whether it can end the function.
gboolean smb_graph_reach(const CodeGraph *graph, guint32 branch, guint32 but, gboolean *seen,
                         guint *n_seen);
// Marks steps with STEP_COPIES: stores to shared memory of what was loaded, and what such a value passes on its way there (memory/copied.c).
void smb_copied_mark(Code *code);

static inline const SmbFlowBlock *
graph_blocks(const CodeGraph *graph) {
  return (const SmbFlowBlock *)(gpointer)graph->blocks->data;
}
