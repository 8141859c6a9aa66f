// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The walker of CUDA C: takes all warps of a block through the text in lockstep, one statement at a time,
// under masks. A value is one array of all threads for each component: 4 bytes a thread, or 8 for wide
// types. What it does to memory and to other threads is the machine's. Private to the walker.
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/machine/machine.h"

// Temporary values, stacked: what an operator needed on the way to its result is freed with it.
typedef struct {
  GPtrArray *segments;
  guint segment;
  gsize used;
} Scratch;

typedef struct {
  SmbBlock *block;
  const SmbKernel *kernel;
  void **locals;    // by slot; a vector's at its first slot
  Mask *locals_set; // by slot: one for each component
  Scratch scratch;

  // of the running block
  Mask returned; // from the function that runs
  Mask broken;   // out of the innermost loop
  Mask continued;
  guint calls;           // that surround this place
  const Statement *loop; // the innermost, or NULL
  const void *current;   // the old value of the assignment around
} Walker;

// --- its life (walk.c)
gpointer smb_walker_new(SmbBlock *block, const SmbLaunch *launch, GError **error);
void smb_walker_free(gpointer walker);
gboolean smb_walker_run(gpointer walker);

// --- values (value.c)
static inline gsize
lane_bytes(const Type *type) {
  return smb_type_is_wide(type) ? 8 : 4;
}
// From the values of one warp to those of the next.
static inline gsize
warp_bytes(const Walker *walker, const Type *type) {
  return walker->block->lanes * lane_bytes(type);
}
gsize smb_walk_stride(const Walker *walker, const Type *type); // bytes of one component
void *smb_walk_take(Walker *walker, const Type *type);         // room for a value
// Where the stack of temporaries ends; and back to there.
static inline Scratch
scratch_mark(const Walker *walker) {
  return walker->scratch;
}
static inline void
scratch_release(Walker *walker, Scratch mark) {
  walker->scratch = mark;
}
void smb_walk_blend(const Walker *walker, const Type *type, const Mask *mask, const void *from,
                    void *to);

static inline void
add_mask(const Walker *walker, Mask *to, const Mask *what) {
  for (guint w = 0; w < walker->block->n_warps; w++)
    to->warp[w] |= what->warp[w];
}

static inline void
remove_mask(const Walker *walker, Mask *from, const Mask *what) {
  for (guint w = 0; w < walker->block->n_warps; w++)
    from->warp[w] &= ~what->warp[w];
}

// --- expressions (evaluate.c)
// The value of a node for the threads of @mask, or NULL with an error. Valid until what is taken
// from the scratch before it is released.
const void *smb_walk_evaluate(Walker *walker, const Node *node, const Mask *mask);
// Threads of @mask for which a condition holds.
gboolean smb_walk_condition(Walker *walker, const Node *node, const Mask *mask, Mask *holds);

// --- assignments (assign.c)
const void *smb_walk_assign(Walker *walker, const Node *node, const Mask *mask);
const void *smb_walk_copy(Walker *walker, const Node *node, const Mask *mask);
// Reading a variable that a thread never set is an error: hardware would read what a register holds.
// @local: its node; @component: of a vector
gboolean smb_walk_check_set(Walker *walker, const Node *local, guint component, const Mask *mask);

// Notes that threads have set so much of a variable, from a component on.
void smb_walk_mark_set(Walker *walker, const Variable *variable, guint component, const Type *type,
                       const Mask *mask);

// --- what depends on blockIdx (watch.c)
// Takes an operation of @mask on integers or pointers to the signature of the block: @b may be NULL.
void smb_walk_watch(Walker *walker, const Node *node, const Mask *mask, const void *a,
                    const void *b, const void *out);
// The same of the lanes of a warp, from the first one of which the values begin.
void smb_walk_watch_warp(SmbBlock *block, const Node *node, SmbLanes lanes, const void *a,
                         const void *b, const void *out);
static inline gboolean
is_watched(const Walker *walker, const Node *node) {
  return G_UNLIKELY(node->is_watched) && walker->block->signature;
}

// --- builtins (builtin.c)
// What the lanes of a warp tell each other: shuffles and votes. Values begin with the first lane.
gboolean smb_walk_exchange(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes,
                           const void *const *arguments, void *out);
const void *smb_walk_builtin(Walker *walker, const Node *node, const Mask *mask);

// --- statements (execute.c)
// A condition turned all threads away: notes it, if it is the first that did. @find: where the values of a parameter begin, of thread 0.
void smb_walk_note_idle(SmbBlock *block, const SmbKernel *kernel, const Node *condition,
                        const char *verdict, const void *(*find)(gpointer, const Variable *),
                        gpointer data);
gboolean smb_walk_execute(Walker *walker, const Statement *statement, Mask *active);
const void *smb_walk_call(Walker *walker, const Node *node, const Mask *mask);

// --- memory (move.c)
// What a node does to memory, as the machine is told it.
Move smb_walk_make_move(const SmbKernel *kernel, const Node *node, gint site, SmbOpClass op_class);
// What a node says of the memory at @addresses: its place as a load or a store, or an atomic call.
gboolean smb_walk_load(Walker *walker, const Node *node, const Mask *mask, const guint64 *addresses,
                       void *out);
gboolean smb_walk_store(Walker *walker, const Node *node, const Mask *mask,
                        const guint64 *addresses, const void *value);
gboolean smb_walk_update(Walker *walker, const Node *node, Atomic atomic, const Mask *mask,
                         const void *const *operands, void *out);
