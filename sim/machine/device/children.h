// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the device runtime (CUDA dynamic parallelism) keeps for a grid: what its threads have asked to be done, in the order of the calls,
// their parameters, streams and events, and the last error of each thread. Nothing of it runs here: who runs the grid does it when the
// grid has ended. For one thread: kernels that call the device runtime run block after block.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  SMB_WORK_LAUNCH,
  SMB_WORK_COPY,
  SMB_WORK_FILL,
} SmbWorkKind;

/** SmbWorkPlace: an end of a copy: where it begins, bytes from row to row, and rows from slice to slice */
typedef struct {
  guint64 address;
  guint64 pitch;
  guint64 height;
} SmbWorkPlace;

/**
 * SmbWork:
 * @is_tail: it is done when all other work of the grid has been done
 * @kernel: of a launch: its address
 * @parameters: of a launch: all of them
 * @to, @from: of a copy; @to also of a fill
 * @extent: bytes of a row, rows, slices
 * @value: of a fill: each byte
 */
typedef struct {
  SmbWorkKind kind;
  gboolean is_tail;
  guint64 kernel;
  guint32 grid[3];
  guint32 block[3];
  guint64 dynamic_bytes;
  GBytes *parameters;
  SmbWorkPlace to, from;
  guint64 extent[3];
  guint8 value;
} SmbWork;

/**
 * SmbQuestion: what only the process of the program knows.
 * @function: of its runtime, which is to answer
 * @kernel: (nullable): which of the numbers is the address of a kernel; %NULL: none
 * @numbers: (array length=n): its arguments
 */
typedef struct {
  const char *function;
  const guint64 *kernel;
  const guint64 *numbers;
  guint n;
} SmbQuestion;

/** SmbAsk: @answer: bytes that it gives. Returns: a cudaError */
typedef guint (*SmbAsk)(gpointer user, const SmbQuestion *question, GByteArray *answer);

typedef struct _SmbChildren SmbChildren;

/**
 * smb_children_new:
 * @address, @memory, @bytes: memory for parameters, where kernels and where this process have it
 * @ask: answers questions, with @user
 *
 * Returns: (transfer full)
 */
SmbChildren *smb_children_new(guint64 address, guchar *memory, guint64 bytes, SmbAsk ask,
                              gpointer user);
void smb_children_free(SmbChildren *children);

/** smb_children_begin: A grid begins: nothing was asked for yet. */
void smb_children_begin(SmbChildren *children);

/** smb_children_take_work: Returns: (transfer full) (element-type SmbWork): what the grid has asked for */
GArray *smb_children_take_work(SmbChildren *children);

// --- what threads ask for

guint smb_children_ask(const SmbChildren *children, const SmbQuestion *question,
                       GByteArray *answer);

/** smb_children_add: @work: (transfer full) */
void smb_children_add(SmbChildren *children, const SmbWork *work);

/** smb_children_n_tails: Returns: how much of the work of the grid waits for all of the rest */
guint64 smb_children_n_tails(const SmbChildren *children);
/** smb_children_set_most_tails: How much may, of this grid; 0: not known */
void smb_children_set_most_tails(SmbChildren *children, guint64 most);
guint64 smb_children_most_tails(const SmbChildren *children);

/**
 * smb_children_reserve: Memory for the parameters of a launch.
 * @work: (nullable): how it is configured, if that is known already
 * @bytes: of the parameters
 *
 * Returns: its address; 0: there is no room
 */
guint64 smb_children_reserve(SmbChildren *children, const SmbWork *work, guint64 bytes);

/**
 * smb_children_use: The memory of parameters is no longer used.
 * @work: (out): as it was reserved
 * @bytes: (out): the same
 *
 * Returns: whether it was reserved
 */
gboolean smb_children_use(SmbChildren *children, guint64 address, SmbWork *work, guint64 *bytes);

/** smb_children_text: Returns: the address of a text, which stays, by a number that stands for it; 0: there is no room */
guint64 smb_children_text(SmbChildren *children, guint64 number, const char *text);

/** smb_children_find_text: Returns: the same of one that was asked for before, or 0 */
guint64 smb_children_find_text(const SmbChildren *children, guint64 number);

/** A stream or an event of the grid. */
typedef enum {
  SMB_CHILD_STREAM,
  SMB_CHILD_EVENT,
} SmbChildHandle;

guint64 smb_children_make(SmbChildren *children, SmbChildHandle kind);
gboolean smb_children_has(const SmbChildren *children, SmbChildHandle kind, guint64 handle);

/** smb_children_set_error: The last error of a thread of the grid, by its number in it; 0: none */
void smb_children_set_error(SmbChildren *children, guint64 thread, guint error);
guint smb_children_error(const SmbChildren *children, guint64 thread);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbChildren, smb_children_free)

G_END_DECLS
