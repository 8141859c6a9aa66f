// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is not known while a block runs: why, and what happens to steps that depend on it. One policy holds for all of
// them (policy.c): a step is executed by the lanes of which it is known that they execute it, and what it could change
// in others is made unknown; or the run fails, if a count depends on it.
#pragma once

#include "sim/exec/exec.h"

// Why bits that a step produced are not known.
typedef struct {
  enum {
    CAUSE_NONE,
    CAUSE_CONTENTS, // nothing is known of what memory holds at @address
    CAUSE_ADDRESS,  // where it reads, or whether it is executed, is not known
    CAUSE_MEMORY,   // what it loads was stored by a thread, and not known itself
    CAUSE_OPAQUE,   // it is not modelled
  } kind;
  guint32 object;  // of the machine
  guint64 address; // a pointer of the machine
  guint32 origin;  // the step after it, + 1; 0: not known
} Cause;

// Where a step stored what is not known.
typedef struct {
  guint64 low, high; // pointers of the machine: from the first place to after the last one
  guint32 origin;    // of the first such value; 0: it stored none
} Stored;

/**
 * Unknown:
 * @causes: by step; after those of the words of parameters
 * @stored: by step
 * @storing: (element-type guint32): steps that have one, in the order of their first
 * @forgotten_origin: why memory at an unknown address became unknown, the first time
 * @skips: accesses at unknown addresses are reported, and do not end the run
 * @refusal: (nullable): why the run is refused when it has ended
 * @refused: where
 * @missing: (nullable) (element-type SmbHint): the contents that would have to be given; %NULL if none would do
 * @stretches: (nullable): by branch: what it decides, where that was asked (skip.c)
 */
struct _Unknown {
  Cause *causes;
  Stored *stored;
  GArray *storing;
  guint32 forgotten_origin;
  gboolean skips;
  char *refusal;
  guint32 refused;
  GArray *missing;
  GHashTable *stretches;
};

// @parameter_bytes: of the launch.
Unknown *smb_unknown_new(const Code *code, gsize parameter_bytes, gboolean skips);
void smb_unknown_free(Unknown *unknown);

// Why what a step produces is not known; the first cause is kept.
static inline void
smb_unknown_note(Exec *exec, const Step *step, Cause cause) {
  Cause *noted = &exec->unknown->causes[step_number(exec, step)];
  if (noted->kind == CAUSE_NONE)
    *noted = cause;
}

// The same of a byte of the parameters that has no value. Returns the origin.
guint32 smb_unknown_note_parameter(Exec *exec, gsize byte);

// Why bits of a row are not known, in words (transfer full). @hint: (out): what makes them known, to be cleared.
char *smb_unknown_explain(const Exec *exec, guint32 origin, SmbHint *hint);

// --- the policy

// A step whose guard is not known in the lanes @unknown; it is true in @lanes.
gboolean smb_unknown_guard(Exec *exec, const Step *step, SmbLanes lanes, SmbLanes unknown);
// A branch, or an exit, whose condition is not known: jumps over the steps that depend on it, if that changes no count.
gboolean smb_unknown_skip(Exec *exec, const Step *step, guint32 origin);
// Whether threads execute a step that is not only skipped is not known: fails.
gboolean smb_unknown_cannot_tell(Exec *exec, const Step *step, guint32 origin);
// FALSE, with an error, unless @n_rows from @row on are known in @lanes: @what ("the target of this jump") depends on
// them.
gboolean smb_unknown_check(Exec *exec, const Step *step, Row row, guint n_rows, SmbLanes lanes,
                           const char *what);
// Lanes access memory, perhaps shared, at an unknown address or under an unknown condition. The run continues, and is
// refused when it has ended unless it may leave such accesses out. @what: "the address".
void smb_unknown_uncounted(Exec *exec, const Step *step, SmbLanes lanes, const char *what,
                           guint32 origin);
// The same of global memory: the run continues, and is not refused.
void smb_unknown_unplaced(Exec *exec, const Transfer *transfer, SmbLanes lanes, const char *what,
                          guint32 origin);
// At the end of a run, however it ended: whether all was counted that has to be; else fails, with all contents that are
// missing.
gboolean smb_unknown_refuse(Exec *exec);
// Nothing is known any longer of what shared memory holds, since what a step does to it is not.
void smb_unknown_forget_shared(Exec *exec, const Step *step);

// What becomes unknown: for computations, and for steps that change only what they write (Step.writes).
void smb_doubt_compute(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);
void smb_doubt_writes(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);

// --- what lies between a branch and where its paths reconverge (skip.c)

typedef struct _Stretch Stretch;

// Of the branch at a step.
Stretch *smb_stretch_find(Exec *exec, guint32 branch);
// Its @i-th step, after which @i is one more; NULL: it has no more.
const Step *smb_stretch_next(const Exec *exec, const Stretch *stretch, guint32 *i);
// Whether a block of steps that begins with @first is part of it.
gboolean smb_stretch_has_block(const Stretch *stretch, guint32 first);
// What its steps write: registers, but for the predicate that is always true, and memory.
typedef struct {
  GArray *rows;       // Row
  GArray *predicates; // Predicate
  gboolean shared;    // some may store to shared memory
  gboolean elsewhere; // or to any other
} StretchWrites;

const StretchWrites *smb_stretch_writes(const Exec *exec, Stretch *stretch);
// Whether it calls a function of which it is not known which one it is.
gboolean smb_stretch_is_open(const Stretch *stretch);
// Marks it; returns whether it was marked.
gboolean smb_stretch_mark_ordered(Stretch *stretch);

// --- why what is loaded is not known (provenance.c)

// A step stores @bytes at each address, and something of them is not known. @origin: why; 0: all is known.
void smb_provenance_note(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses,
                         gsize bytes, guint32 origin);
// The same, of a step that stores to shared memory at @base + @offset.
void smb_provenance_note_shared(Exec *exec, const Step *step, SmbLanes lanes, const guint32 *base,
                                guint32 offset, guint32 origin);
// Another block begins.
void smb_provenance_forget(Exec *exec);
// Why what a step loads at an address is not known.
void smb_provenance_explain(Exec *exec, const Step *step, guint64 address);
// The same of the first of @lanes that loads something that is not known, of @bytes each, unless it was said already.
void smb_provenance_explain_lanes(Exec *exec, const Step *step, SmbLanes lanes,
                                  const guint64 *addresses, gsize bytes, const MarkedWords *words);
// The same of shared memory at @base + @offset.
void smb_provenance_explain_shared(Exec *exec, const Step *step, SmbLanes lanes,
                                   const guint32 *base, guint32 offset, const MarkedWords *words);
// Each component that a step loads from parameters has a cause of its own: which byte has no value.
void smb_provenance_explain_components(Exec *exec, const Step *step, SmbLanes lanes,
                                       const guint64 *addresses, const MarkedWords *words);
