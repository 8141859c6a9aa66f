// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps within a warp: computation, exchange between lanes, branches, and reconvergence.
#pragma once

#include "sim/exec/unknown/order.h"

// --- what lanes compute (compute-step.c)

gboolean smb_step_compute(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_opaque(Exec *exec, const Step *step, SmbLanes lanes);
// Lists a shuffle, which another step computes.
gboolean smb_step_shuffle(Exec *exec, const Step *step, SmbLanes lanes);
// What the front end does itself (Code.foreign).
gboolean smb_step_text(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_nothing(Exec *exec, const Step *step, SmbLanes lanes);
// Doubts.
void smb_doubt_opaque(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);
void smb_doubt_shuffle(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);

// --- what lanes exchange (exchange-step.c)

// Lanes that name the same members, the row Compute.s[0], wait for them. With Step.argument, one such set continues at
// a time.
gboolean smb_step_gather(Exec *exec, const Step *step, SmbLanes lanes);
// Of a launch that is checked: reports those of @lanes that are not in @wanted, the mask of whom they wait for.
void smb_step_inspect_mask(Exec *exec, const Step *step, SmbLanes lanes, SmbLanes wanted);
// Lanes that run together meet: what they did before is seen by all of them.
gboolean smb_step_meet_lanes(Exec *exec, const Step *step, SmbLanes lanes);
// A computation of lanes that name the same members, the row Step.argument; NO_ROW: of those that run.
gboolean smb_step_exchange(Exec *exec, const Step *step, SmbLanes lanes);

// A product of matrices, Step.product, of all lanes together (product-step.c).
gboolean smb_step_product(Exec *exec, const Step *step, SmbLanes lanes);

// --- where they continue (branch.c, jump.c)

gboolean smb_step_branch(Exec *exec, const Step *step, SmbLanes lanes);
// All lanes branch if one has a true guard.
gboolean smb_step_branch_any(Exec *exec, const Step *step, SmbLanes lanes);
// The same if all of those that run have one.
gboolean smb_step_branch_all(Exec *exec, const Step *step, SmbLanes lanes);
// A branch if the lanes are all of those of the mask Compute.s[0] that live, or if they are not (Step.argument).
gboolean smb_step_branch_divided(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_switch(Exec *exec, const Step *step, SmbLanes lanes);
// To the address of code that the pair of rows Compute.s[0] holds, plus Step.argument: a branch, a call, a return.
gboolean smb_step_jump(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_call_address(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_return_to(Exec *exec, const Step *step, SmbLanes lanes);
// To Step.target, which returns by the pair of rows Compute.s[0], plus Step.argument; NO_ROW: not known by which one.
gboolean smb_step_call_code(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_exit(Exec *exec, const Step *step, SmbLanes lanes);
// Behind the last instruction of a function: fails.
gboolean smb_step_end(Exec *exec, const Step *step, SmbLanes lanes);

// --- where they reconverge (meeting.c)

// Step.argument: a barrier of convergence; with BARRIER_OF_CALL, one of the running call.
gboolean smb_step_arm(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_enter(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_sync(Exec *exec, const Step *step, SmbLanes lanes);
// YIELD, NANOSLEEP: other lanes of the warp run, and do not wait for these.
gboolean smb_step_give_way(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_break(Exec *exec, const Step *step, SmbLanes lanes);
// Which barrier a lane means by Step.argument.
guint smb_meeting_barrier(const Exec *exec, guint32 argument, guint lane);
// A doubt: those that wait there wait for these lanes no longer.
void smb_doubt_sync(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);
// What lanes recorded at the barrier goes to the row Compute.d, unless that is NO_ROW, or is forgotten, or comes from
// Compute.s[0].
gboolean smb_step_save_barrier(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_clear_barrier(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_restore_barrier(Exec *exec, const Step *step, SmbLanes lanes);

// --- calls (call.c)

gboolean smb_step_call(Exec *exec, const Step *step, SmbLanes lanes);
// Calls what the function pointer in Compute.s[0] points at; Step.argument: the shape of what is passed.
gboolean smb_step_call_pointer(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_return(Exec *exec, const Step *step, SmbLanes lanes);
// Step.argument bytes, or as many as the pair of rows Compute.s[1] says, unless that is NO_ROW, are used of each
// thread's stack, from Compute.s[0] on, an offset in REGION_LOCAL: fails if there are not as many. They hold nothing
// yet.
gboolean smb_step_reserve(Exec *exec, const Step *step, SmbLanes lanes);
// A function without a body here is called.
gboolean smb_step_missing(Exec *exec, const Step *step, SmbLanes lanes);

// --- textures and surfaces (texture-step.c): of a launch that is only counted nothing is known of what they find

gboolean smb_step_sample(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_surface(Exec *exec, const Step *step, SmbLanes lanes);
void smb_doubt_surface(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);

// --- the device's run-time system (runtime-call.c): arguments and results as runtime-function.def says

// Compute.d: the address of as many bytes as the pair of rows Compute.s[0] says, of Code.heap, that no
// thread of the block was given before; of a launch that is run, of the device's heap.
gboolean smb_step_allocate(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_free(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_condition(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_print(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_assert(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_trap(Exec *exec, const Step *step, SmbLanes lanes);
// Whether a function of a launch that is run for its results is called by a block that runs beside others: it does nothing, and the
// block ends (block_needs_order()).
gboolean smb_runtime_call_waits(const Exec *exec, SmbLanes lanes);
// Of a launch that is only counted: a piece of Code.heap. Pieces lie one behind the other, at multiples of 16 bytes; those of sizes that
// are not known are far apart.
guint64 smb_exec_give_piece(Exec *exec, gboolean is_known, guint64 bytes);
// Notes a fault of the first of these lanes, which end: others go on, as on a device, which stops them sometime.
gboolean smb_step_fault(Exec *exec, const Step *step, SmbLanes lanes, SmbFault fault,
                        const char *what);
// Another function of it, Step.callee.
gboolean smb_step_unsupported(Exec *exec, const Step *step, SmbLanes lanes);
// Compute.d: a word of the clock (Step.argument).
gboolean smb_step_clock(Exec *exec, const Step *step, SmbLanes lanes);
