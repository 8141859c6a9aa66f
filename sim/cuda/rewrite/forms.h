// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Forms of one text, beside each other in a text that a compiler reads once: what they include is parsed once for all.
//
// The directives of the first form come first, so that all files are included where no namespace is open. Then follow the forms, each
// in a namespace of its own and without its #include lines, in the state that macros have before the first line. extern "C" is
// extern "C++" there, since a function of C is the same in all namespaces.
//
// A text may mean something else there: it may name what it declares as ::name, or include a file that needs what is declared before.
// Then it mostly does not compile. Whoever relies on the result has the text as it is among the forms, and compares.
#pragma once

#include "sim/base/source.h"

G_BEGIN_DECLS

/**
 * smb_forms_beside:
 * @forms: (element-type SmbSource): at least one
 * @tail: a text that follows each form in its namespace, or ""
 * @kernel: (nullable): the name of the kernel that is meant: other kernels and functions of the host, unless they are templates, are only
 *   declared, as far as it is plain which these are; %NULL: nothing is left out
 *
 * Returns: (transfer full) (nullable): the text; %NULL: a form has no tokens of CUDA C
 */
char *smb_forms_beside(const GPtrArray *forms, const char *tail, const char *kernel);

/** smb_forms_space: Returns: (transfer full): the namespace of a form: "smembank_form_0" is that of the first */
char *smb_forms_space(guint form);

G_END_DECLS
