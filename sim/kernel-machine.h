// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The machine that runs a block: all its warps in lockstep, one statement at a time, under masks.
// A value is one array of all threads for each component: 4 bytes a thread, or 8 for wide types.
// Private to the kernel language.
#pragma once

#include "sim/kernel-ast.h"

// Which threads of the block, one word a warp.
typedef struct {
  guint32 warp[SMB_MAX_WARPS];
} Mask;

typedef enum {
  SPACE_SHARED,
  SPACE_PRIVATE, // a local array: each thread has its own
  SPACE_GLOBAL,
} Space;

// What a pointer points into: a shared variable, a local array or the buffer of a parameter.
typedef struct {
  const char *name;
  Space space;
  gsize base;       // in shared memory
  gsize size;       // bytes; of a buffer: as far as offsets go
  TypeKind element; // of a buffer: what its initial values are
  guint parameter;  // of a buffer
  guchar *bytes;    // private: [warp][word][lane][4], allocated when first touched
  guchar *set;      // private: whether a byte was written, 0 or 1
  gboolean written; // a buffer: by this block
} Object;

// A pointer is the number of its object, from 1, above a byte offset that may go astray both ways.
#define POINTER_OFFSET_BITS 48
#define POINTER_BIAS        (G_GUINT64_CONSTANT(1) << (POINTER_OFFSET_BITS - 1))

static inline guint64
make_pointer(guint object, gint64 offset) {
  return ((guint64)(object + 1) << POINTER_OFFSET_BITS) + POINTER_BIAS + (guint64)offset;
}

typedef struct _Shadow Shadow;   // kernel-race.c
typedef struct _Overlay Overlay; // kernel-global.c

// Temporary values, stacked: what an operator needed on the way to its result is freed with it.
typedef struct {
  GPtrArray *segments;
  guint segment;
  gsize used;
} Scratch;

struct _SmbBlock {
  const SmbProgram *kernel;
  const SmbArch *arch;
  const SmbSink *sink;
  gpointer user;
  SmbProgramLimits limits;
  guint dims[3]; // of the block
  guint grid[3];
  gsize shared_bytes;
  guint n_threads;
  guint n_warps;
  gboolean has_increment; // atomicAdd(p, 1) becomes its own instruction

  Mask launched;
  guint32 *thread[3];  // threadIdx, by thread
  guint32 *uniform[3]; // blockIdx
  guint32 *sizes[6];   // blockDim, gridDim
  void **locals;       // by slot; a vector's at its first slot
  Mask *locals_set;    // by slot: one for each component
  Object *objects;
  guint n_objects;
  guchar *shared;
  Shadow *shadow;
  Overlay *overlay;
  guint64 memory_used;
  Scratch scratch;

  // of the running block
  Mask exited;   // threads that returned from the kernel
  Mask returned; // from the function that runs
  Mask broken;   // out of the innermost loop
  Mask continued;
  guint calls;           // that surround this place
  const Statement *loop; // the innermost, or NULL
  const void *current;   // the old value of the assignment around
  guint64 steps;
  GError **error;
};

// --- masks
static inline gboolean
mask_any(const SmbBlock *block, const Mask *mask) {
  guint32 any = 0;
  for (guint w = 0; w < block->n_warps; w++)
    any |= mask->warp[w];
  return any != 0;
}

#define FOR_WARPS(block, mask, w)                                                                  \
  for (guint w = 0; w < (block)->n_warps; w++)                                                     \
    if ((mask)->warp[w])

// --- values (kernel-value.c)
static inline gsize
lane_bytes(const Type *type) {
  return type_is_wide(type) ? 8 : 4;
}
gsize value_stride(const SmbBlock *block, const Type *type); // bytes of one component
void *scratch_take(SmbBlock *block, const Type *type);       // room for a value
// Where the stack of temporaries ends; and back to there.
static inline Scratch
scratch_mark(const SmbBlock *block) {
  return block->scratch;
}
static inline void
scratch_release(SmbBlock *block, Scratch mark) {
  block->scratch = mark;
}
void blend(const SmbBlock *block, const Type *type, const Mask *mask, const void *from, void *to);

// --- expressions (kernel-evaluate.c)
// The value of a node for the threads of @mask, or NULL with an error. Valid until what is taken
// from the scratch before it is released.
const void *evaluate(SmbBlock *block, const Node *node, const Mask *mask);
// Threads of @mask for which a condition holds.
gboolean evaluate_condition(SmbBlock *block, const Node *node, const Mask *mask, Mask *holds);

// --- assignments (kernel-assign.c)
const void *evaluate_assignment(SmbBlock *block, const Node *node, const Mask *mask);
// Reading a variable that a thread never set is an error: hardware would read what a register holds.
// @local: its node; @component: of a vector
gboolean check_set(SmbBlock *block, const Node *local, guint component, const Mask *mask);

// --- builtins (kernel-builtin.c)
const void *evaluate_builtin(SmbBlock *block, const Node *node, const Mask *mask);

// --- statements (kernel-execute.c)
gboolean execute(SmbBlock *block, const Statement *statement, Mask *active);
const void *call_function(SmbBlock *block, const Node *node, const Mask *mask);
// Sets the error to a message at a place of the source. Always FALSE.
G_GNUC_PRINTF(3, 4)
gboolean block_fail(SmbBlock *block, guint32 offset, const char *format, ...);
// "thread (3,0,0)" or "thread 3" (transfer full)
char *describe_thread(const SmbBlock *block, guint warp, guint lane);

// --- local arrays (kernel-private.c)
// The arrays of these threads have no values any more.
void private_forget(const SmbBlock *block, const Object *object, const Mask *mask);

// --- memory (kernel-memory.c, kernel-atomic.c)
gboolean memory_load(SmbBlock *block, const Node *node, const Mask *mask, const guint64 *addresses,
                     void *out);
gboolean memory_store(SmbBlock *block, const Node *node, const Mask *mask, const guint64 *addresses,
                      const void *value);
gboolean memory_atomic(SmbBlock *block, const Node *node, const Mask *mask,
                       const guint64 *addresses, const void *const *operands, void *out);

// --- scalar parameters (kernel-argument.c)
// The text of NAME=VALUE, or NULL; the last one counts.
const char *argument_find(const char *const *arguments, const char *name);
// Reads a value as a constant of the parameter's type; NULL is an error too.
gboolean argument_parse(const SmbProgram *kernel, const Variable *parameter, const char *text,
                        Node *constant, GError **error);

// --- global memory (kernel-global.c)
Overlay *overlay_new(SmbGlobal *global, gboolean reads_through);
void overlay_free(Overlay *overlay);
void overlay_commit(Overlay *overlay); // what the block wrote becomes global memory
void overlay_clear(Overlay *overlay);
gsize overlay_bytes(const Overlay *overlay);
void overlay_read(Overlay *overlay, const Object *object, guint64 offset, guchar *bytes,
                  gsize length);
void overlay_write(Overlay *overlay, Object *object, guint64 offset, const guchar *bytes,
                   gsize length);
// Bytes of a buffer that nobody wrote: element i reads as i.
void initial_bytes(TypeKind element, guint64 offset, guchar *bytes, gsize length);

// --- races (kernel-race.c)
Shadow *shadow_new(const SmbProgram *kernel, gsize shared_bytes);
void shadow_free(Shadow *shadow);
void shadow_start_block(Shadow *shadow);
void shadow_barrier(Shadow *shadow);
// @reads: whether the access uses what it finds; an exchange whose result is dropped does not.
void shadow_access(SmbBlock *block, guint site, guint warp, const char *array,
                   const SmbRequest *request, SmbOpClass op_class, gboolean reads);
