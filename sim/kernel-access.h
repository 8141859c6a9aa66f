// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One warp's access to memory: what loads, stores and atomics share. Private to the machine.
#pragma once

#include "sim/kernel-machine.h"

// Split by the memory it goes to.
typedef struct {
  guint warp;
  guint32 lanes[3]; // by Space
  guint object[SMB_WARP_LANES];
  gint64 offset[SMB_WARP_LANES]; // into the object
  Object *common;                // that all lanes touch, or NULL
  SmbRequest request;            // of the lanes in shared memory
} Access;

// --- where it goes (kernel-access.c)

// Finds the object and offset of each lane and checks bounds and alignment.
gboolean access_resolve(SmbBlock *block, const Node *node, guint warp, guint32 mask,
                        const guint64 *addresses, Access *access);

// Reports the access as the requests that the warp makes of shared and of global memory.
void access_report(SmbBlock *block, const Node *node, gint site, Access *access, SmbOp op,
                   SmbOpClass op_class);

// Says what is wrong with it, for one lane. Always FALSE.
gboolean access_fail(SmbBlock *block, const Node *node, guint warp, guint lane,
                     const char *problem);

// --- local arrays (kernel-private.c)
gboolean private_read_lane(SmbBlock *block, const Node *node, const Access *access, guint lane,
                           guchar *bytes);
gboolean private_write_lane(SmbBlock *block, const Node *node, const Access *access, guint lane,
                            const guchar *bytes);
// Of lanes that all touch a 32-bit word of one array.
gboolean private_load_words(SmbBlock *block, const Node *node, const Access *access, guint32 mask,
                            guint32 *words);
gboolean private_store_words(SmbBlock *block, const Node *node, const Access *access, guint32 mask,
                             const guint32 *words);

// --- the bytes of one lane (kernel-memory.c)
gboolean memory_read_lane(SmbBlock *block, const Node *node, const Access *access, guint lane,
                          guchar *bytes);
gboolean memory_write_lane(SmbBlock *block, const Node *node, const Access *access, guint lane,
                           const guchar *bytes);
// Bytes of memory as the value of one thread.
void memory_decode(TypeKind kind, const guchar *bytes, void *values, guint thread);
