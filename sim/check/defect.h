// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Defects that are found while a program runs, folded: those of one kind, at the same places of one kernel, are one with a count and its
// first example. Knows neither the machine nor a language.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
#define DEFECT(kind, name, tool, title) SMB_DEFECT_##kind,
#include "sim/check/defect.def"
#undef DEFECT
  SMB_N_DEFECTS
} SmbDefectKind;

/** smb_defect_name: Returns: (transfer none): "race-raw". */
const char *smb_defect_name(SmbDefectKind kind);
/** smb_defect_tool: Returns: (transfer none): the tool of Compute Sanitizer that reports the like: "racecheck". */
const char *smb_defect_tool(SmbDefectKind kind);
/** smb_defect_title: Returns: (transfer none): "race". */
const char *smb_defect_title(SmbDefectKind kind);

/** smb_defect_is_doubt: Returns: whether a right program may do this, so that it is a warning, and changes no exit status. */
gboolean smb_defect_is_doubt(SmbDefectKind kind);

/** SmbDefectCall: a call that was inlined. */
typedef struct {
  char *file;
  guint line;
} SmbDefectCall;

/**
 * SmbDefectPlace:
 * @file: (nullable)
 * @line: 0: not known
 * @text: (nullable): "scan.cu:12", or "0x120" of code without lines
 * @calls: (nullable) (element-type SmbDefectCall): those that it is inlined through, innermost first
 */
typedef struct {
  char *file;
  guint line;
  char *text;
  GArray *calls;
} SmbDefectPlace;

/** smb_defect_place_add_call: adds a call further out */
void smb_defect_place_add_call(SmbDefectPlace *place, const char *file, guint line);

/** smb_defect_place_calls: Returns: (transfer full): "scan.cu:40, scan.cu:52"; "" of what is not inlined */
char *smb_defect_place_calls(const SmbDefectPlace *place);

/**
 * SmbDefect: what was found, as it was first
 * @kernel: (nullable): the symbol of the kernel; %NULL: the host's
 * @place: where; the same line, inlined by other calls, is another place
 * @other: of a race: where the other access is; else empty
 * @array: (nullable): the shared array, or the function of the runtime that was called
 * @address: in global memory, or an offset in shared memory, or the number of an error
 * @block, @thread, @other_thread: with @has_thread, @has_other; of a race the second is the one that came first
 * @text: a sentence without a full stop
 * @count: how often
 * @launches: in how many launches
 */
typedef struct {
  SmbDefectKind kind;
  char *kernel;
  SmbDefectPlace place;
  SmbDefectPlace other;
  char *array;
  guint64 address;
  guint block[3];
  guint thread[3];
  guint other_thread[3];
  gboolean has_thread;
  gboolean has_other;
  char *text;
  guint64 count;
  guint64 launches;
} SmbDefect;

void smb_defect_free(SmbDefect *defect);

/** SmbDefects: in the order in which they were found. For one thread. */
typedef struct _SmbDefects SmbDefects;

SmbDefects *smb_defects_new(void);
void smb_defects_free(SmbDefects *defects);

guint smb_defects_n(const SmbDefects *defects);
/** smb_defects_n_doubts: Returns: how many of them are smb_defect_is_doubt() */
guint smb_defects_n_doubts(const SmbDefects *defects);
/** smb_defects_get: Returns: (transfer none): the defect @index */
const SmbDefect *smb_defects_get(const SmbDefects *defects, guint index);

/** smb_defects_put: @defect: (transfer full): is the last one of its own, whatever there is; lives as long as @defects */
void smb_defects_put(SmbDefects *defects, SmbDefect *defect);

/** smb_defects_remove: Frees one that was put there. */
void smb_defects_remove(SmbDefects *defects, SmbDefect *defect);

/** smb_defects_add: @defect: (transfer full): of a kind that was found at these places before only the count is taken; the launch is
 * the same */
void smb_defects_add(SmbDefects *defects, SmbDefect *defect);

/** smb_defects_merge: Takes all of @from: of the same launch, or with @is_launch of another one. @from: (transfer full) (nullable) */
void smb_defects_merge(SmbDefects *defects, SmbDefects *from, gboolean is_launch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbDefects, smb_defects_free)

G_END_DECLS
