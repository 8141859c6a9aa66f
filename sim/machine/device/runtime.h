// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a launch that is run for its results has besides its memory: the device's printf, its heap, its clock, and the fault that
// ends it. A launch that is only counted has none (SmbLaunch.runtime is %NULL): what these functions return is not known then.
// Where there is one, all memory that is allocated is known, and an access outside of it is a fault. For any thread.
#pragma once

#include <glib.h>

#include "sim/machine/device/children.h"

G_BEGIN_DECLS

typedef struct _SmbHeap SmbHeap;

/**
 * smb_heap_new:
 * @address, @bytes: the memory that pieces are given of
 *
 * Returns: (transfer full): the heap of a process, which outlives its launches
 */
SmbHeap *smb_heap_new(guint64 address, guint64 bytes);
void smb_heap_free(SmbHeap *heap);

/** smb_heap_take: Returns: the address of @bytes, at a multiple of 16; 0: there is no room */
guint64 smb_heap_take(SmbHeap *heap, guint64 bytes);

/** smb_heap_give: Returns: whether a piece that was taken begins there, which is free again; or it is 0 */
gboolean smb_heap_give(SmbHeap *heap, guint64 address);

/** smb_heap_left: @address: (out): of the first piece that was taken and not given back. Returns: bytes of all of these */
guint64 smb_heap_left(SmbHeap *heap, guint64 *address);

typedef enum {
  SMB_HEAP_ELSEWHERE, /* not in the heap */
  SMB_HEAP_USED,      /* in one piece that was taken */
  SMB_HEAP_FREE,      /* not so */
} SmbHeapPlace;

/** smb_heap_find: Returns: where bytes lie, to the byte */
SmbHeapPlace smb_heap_find(SmbHeap *heap, guint64 address, guint64 bytes);

/** What a kernel did that ends its context. */
typedef enum {
  SMB_FAULT_NONE,
  SMB_FAULT_ADDRESS,    /* it accessed what is not allocated */
  SMB_FAULT_MISALIGNED, /* it accessed an address that is not a multiple of its width */
  SMB_FAULT_ASSERT,
  SMB_FAULT_INSTRUCTION, /* an instruction had operands that it does not take */
  SMB_FAULT_TRAP,        /* __trap(), or what a device stops at otherwise */
} SmbFault;

typedef struct _SmbRuntime SmbRuntime;

/**
 * smb_runtime_new:
 * @heap: (nullable) (transfer none): %NULL: there is no room for anything
 *
 * Returns: (transfer full): that of one launch
 */
SmbRuntime *smb_runtime_new(SmbHeap *heap);
void smb_runtime_free(SmbRuntime *runtime);

/** smb_runtime_heap: Returns: (nullable) (transfer none) */
SmbHeap *smb_runtime_heap(const SmbRuntime *runtime);

/** smb_runtime_set_graph: @graph: of the process, that kernels can launch, which the launch is part of; 0: none */
void smb_runtime_set_graph(SmbRuntime *runtime, guint64 graph);
guint64 smb_runtime_graph(const SmbRuntime *runtime);

/**
 * smb_runtime_set_children: What the device runtime keeps (sim/machine/device/children.h).
 * @children: (transfer none) (nullable): outlives @runtime; %NULL: its functions are not there
 */
void smb_runtime_set_children(SmbRuntime *runtime, SmbChildren *children);
SmbChildren *smb_runtime_children(const SmbRuntime *runtime);

/**
 * SmbOutsider:
 * @user: as given
 * @moved: whether the launch has changed its memory since the last call
 *
 * What no thread of a launch writes, somebody else may: the program that launched it, or another launch. Called when all threads wait.
 * Returns: whether they look again; not: nobody writes
 */
typedef gboolean (*SmbOutsider)(gpointer user, gboolean moved);

/** smb_runtime_set_outsider: @outsider: (nullable) (scope forever): %NULL: there is nobody, as at first */
void smb_runtime_set_outsider(SmbRuntime *runtime, SmbOutsider outsider, gpointer user);
gboolean smb_runtime_has_outsider(const SmbRuntime *runtime);
/** smb_runtime_wait: Calls it. Returns: what it does, or %FALSE */
gboolean smb_runtime_wait(const SmbRuntime *runtime, gboolean moved);

/** smb_runtime_print: Adds to what printf wrote, and to what failed assertions say. */
void smb_runtime_print(SmbRuntime *runtime, const char *text, gsize length);
void smb_runtime_complain(SmbRuntime *runtime, const char *text);

/** smb_runtime_output, smb_runtime_complaints: Returns: (transfer none): all of it, in the order in which blocks and their threads ran */
const GString *smb_runtime_output(const SmbRuntime *runtime);
const GString *smb_runtime_complaints(const SmbRuntime *runtime);

/** smb_runtime_fail: @message: (nullable): in words, with its place. The first fault of a launch counts. */
void smb_runtime_fail(SmbRuntime *runtime, SmbFault fault, const char *message);

/** smb_runtime_fault: @message: (out) (optional) (nullable): as said. Returns: the fault */
SmbFault smb_runtime_fault(const SmbRuntime *runtime, const char **message);

/** SmbApproximate: What was computed by a rule that was not compared with a device, and another one might have given something else. */
typedef enum {
  SMB_APPROXIMATE_PRODUCTS = 1 << 0,  /* of matrices */
  SMB_APPROXIMATE_FUNCTIONS = 1 << 1, /* of the multi-function unit, such as tanh.approx */
  SMB_APPROXIMATE_FILTERS = 1 << 2,   /* of textures */
  SMB_APPROXIMATE_LEVELS = 1 << 3,    /* of mipmaps, by gradients */
} SmbApproximate;

/** smb_runtime_approximate: Something of that kind was. */
void smb_runtime_approximate(SmbRuntime *runtime, SmbApproximate what);
/** smb_runtime_approximated: Returns: what was, bits of #SmbApproximate */
guint smb_runtime_approximated(const SmbRuntime *runtime);

/** smb_runtime_time: Returns: the clock of the device, in ticks: the latest that was reached */
guint64 smb_runtime_time(SmbRuntime *runtime);
/**
 * smb_runtime_reach: The clock is at least at @ticks from now on.
 * @beside: from when smb_runtime_settle() is called: blocks that run beside each other all begin at the same time
 */
void smb_runtime_reach(SmbRuntime *runtime, guint64 ticks, gboolean beside);
/** smb_runtime_settle: Blocks that ran beside each other have ended. @counts: whether what they did does */
void smb_runtime_settle(SmbRuntime *runtime, gboolean counts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbHeap, smb_heap_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRuntime, smb_runtime_free)

G_END_DECLS
