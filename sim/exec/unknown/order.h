// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What depends on the order in which threads run (order.c).
#pragma once

#include "sim/exec/unknown/unknown.h"

// What a block whose signature is wanted, or that others follow, did to a global object.
enum {
  OBJECT_WRITTEN = 1,
  OBJECT_SCATTERED = 2, // written at places that depend on blockIdx
  OBJECT_ORDERED =
      4, // what it holds depends on the order of threads; also where no signature is wanted
  OBJECT_REACHED = 8, // another block of the cluster wrote there since they all met last
};

/**
 * Order:
 * @written: by object of the machine: OBJECT_WRITTEN, …
 * @ordered: something of the block depends on the order of threads
 * @follows: blocks see what earlier ones left
 * @wrote: that one, since lanes that poll looked last
 * @divides: lanes of a warp may be divided by how often some of them looked at what others change
 */
struct _Order {
  guint8 *written;
  gboolean ordered;
  gboolean follows;
  gboolean wrote;
  gboolean divides;
};

Order *smb_order_new(const SmbBlock *block);
void smb_order_free(Order *order);
// A block begins.
void smb_order_start(Exec *exec);
// What earlier blocks, and others while the block waited, have left depends on the order of blocks.
void smb_order_see_others(Exec *exec);
// The block wrote, by a plain store or an atomic, into shared memory of another block of its cluster; and: all of them have met.
void smb_order_reach_peers(Exec *exec);
void smb_order_meet_peers(Exec *exec);
// What the block leaves is seen by others.
void smb_order_leave(Exec *exec);

// The flags of what a load or an atomic finds: ROW_ORDER, if it does. After its access was made.
guint smb_order_found(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses);
// Before @step stores words: where it races with other stores, and leaves something else than they did.
void smb_order_disputes(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses,
                        const MarkedWords *words);
// @step stored, by a load's or an atomic's opposite, registers and at an address of @flags.
void smb_order_note_store(Exec *exec, const Step *step, guint flags, SmbLanes lanes,
                          const guint64 *addresses);
// Requests of @transfer are not exact, since @what of them ("the address") depends on it.
void smb_order_decides(Exec *exec, const Transfer *transfer, const char *what);
// Which requests are made depends on it, of all.
void smb_order_decides_all(Exec *exec);
// A step whose guard, or a branch whose target depends on it.
void smb_order_guards(Exec *exec, const Step *step);
// What is between a branch and where its paths reconverge is not exact, if the branch depends on it.
void smb_order_branches(Exec *exec, const Step *step);
