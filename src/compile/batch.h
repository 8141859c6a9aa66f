// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Several forms of a text by one call of the compiler, which reads their headers once (sim/cuda/rewrite/forms.h). A kernel of the
// runtime's headers takes a second or two to compile, and its forms a tenth of that each.
#pragma once

#include "src/compile/compile.h"

typedef struct _SmbBatch SmbBatch;

/** smb_batch_new: Returns: (transfer full): no form yet. Forms are added before any is compiled */
SmbBatch *smb_batch_new(void);
/** smb_batch_ref: @batch: (nullable). Returns: (transfer full): the same, for one more owner */
SmbBatch *smb_batch_ref(SmbBatch *batch);
/** smb_batch_unref: @batch: (nullable): an owner has done with it */
void smb_batch_unref(SmbBatch *batch);

/** smb_batch_add: adds a form. Returns: its number, from 0 */
guint smb_batch_add(SmbBatch *batch, const char *text);

/** smb_batch_text: Returns: (transfer none): a form */
const char *smb_batch_text(const SmbBatch *batch, guint form);

/**
 * smb_batch_compile:
 * @compilation: how the form would be compiled alone; that of all forms has to be alike but for its text
 * @entry: (nullable): the kernel that is meant
 * @error: the forms do not compile together, which says nothing of one alone
 *
 * Compiles all forms when it is called for the first of them. May be called in several threads.
 *
 * Returns: (transfer full): the code of all forms; its @instance is the kernel of this one
 */
SmbCompiled *smb_batch_compile(SmbBatch *batch, guint form, const char *nvcc,
                               const SmbCompilation *compilation, const char *entry,
                               GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbBatch, smb_batch_unref)
