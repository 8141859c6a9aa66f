// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What names stand for, in blocks within blocks: an inner block may declare a name again, and forgets it at its end.
// A range %r<12> is one entry, whatever its length. Private to sim/ptx.
#pragma once

#include <glib.h>

typedef enum {
  PTX_MEANS_NOTHING,
  PTX_MEANS_REGISTER,
  PTX_MEANS_SYMBOL, // @where: a PtxWhere
  PTX_MEANS_LABEL,
  PTX_MEANS_TEXT, // of tables of texts: opcodes, interned strings
} PtxMeaningKind;

typedef struct {
  guint8 kind; // PtxMeaningKind
  guint8 where;
  guint32 index;
  guint32 depth; // of the block that declares it; 0: outermost
} PtxMeaning;

typedef struct _PtxNames PtxNames;

PtxNames *smb_ptx_names_new(void);
void smb_ptx_names_free(PtxNames *names);

// Into a block, and out of it again.
void smb_ptx_names_enter(PtxNames *names);
void smb_ptx_names_leave(PtxNames *names);

// Depth of the current block.
guint smb_ptx_names_depth(const PtxNames *names);

// Declares a name in the current block; @text stays where it is. The caller has looked that it is not declared there.
void smb_ptx_names_add(PtxNames *names, const char *text, gsize length, PtxMeaning meaning);

// Declares registers TEXT0, TEXT1, …, @count of them, with indices from @meaning.index on.
void smb_ptx_names_add_range(PtxNames *names, const char *text, gsize length, PtxMeaning meaning,
                             guint32 count);

// What a name stands for, in the innermost block that declares it. Digits at its end are a number of a range
// %r<12>, with or without zeros before it, as ptxas takes them.
PtxMeaning smb_ptx_names_find(const PtxNames *names, const char *text, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PtxNames, smb_ptx_names_free)
