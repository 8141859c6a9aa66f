// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Bytes of global memory that a launch has accessed, for the next one, which may begin before it has ended (PTX ISA, "griddepcontrol").
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** SmbTrailKind: READ: after its block has let the next launch begin */
typedef enum {
  SMB_TRAIL_WRITTEN,
  SMB_TRAIL_READ
} SmbTrailKind;

/** SmbTrail: for any thread. */
typedef struct _SmbTrail SmbTrail;

/** smb_trail_new: @kernel: the symbol of the kernel */
SmbTrail *smb_trail_new(const char *kernel);
/** smb_trail_ref: @trail: (nullable) */
SmbTrail *smb_trail_ref(SmbTrail *trail);
/** smb_trail_unref: @trail: (nullable) */
void smb_trail_unref(SmbTrail *trail);

/** smb_trail_kernel: Returns: (transfer none): its symbol */
const char *smb_trail_kernel(const SmbTrail *trail);

void smb_trail_add(SmbTrail *trail, SmbTrailKind kind, guint64 address, gsize length);

/** smb_trail_has: Returns: whether one of the bytes was accessed so */
gboolean smb_trail_has(const SmbTrail *trail, SmbTrailKind kind, guint64 address, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTrail, smb_trail_unref)

G_END_DECLS
