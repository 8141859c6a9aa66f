// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The errors of the library. It reports through GError and never prints or exits; the program turns
// a code into an exit status. The message says what is wrong. What to change is data, a hint, which each caller puts
// into its own words: the program names an option of the command line, a binding the argument of a function.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SMB_ERROR (smb_error_quark())

/**
 * SmbError:
 * @SMB_ERROR_USAGE: the caller asked for something that cannot be asked (a bad option value)
 * @SMB_ERROR_INPUT: a kernel, a trace or a data file is wrong; the message names the place
 */
typedef enum {
  SMB_ERROR_USAGE,
  SMB_ERROR_INPUT,
} SmbError;

GQuark smb_error_quark(void);

/**
 * SmbHintKind: what a caller can give, or change, so that an error or a warning goes away.
 *
 * In parentheses: what SmbHint.name and SmbHint.value are; those that are not mentioned are %NULL.
 *
 * @SMB_HINT_ARGUMENT: the value of a parameter (name: its name or number, "0+8" for its bytes from 8 on)
 * @SMB_HINT_FIELDS: or values of its fields (name: the same)
 * @SMB_HINT_BUFFER: the contents of a buffer (name: the parameter that points to it, or a variable)
 * @SMB_HINT_OFFSET: where in its buffer a pointer starts (name: the same; value: the fewest elements)
 * @SMB_HINT_BLOCK: the threads of a block
 * @SMB_HINT_DYNAMIC_BYTES: the size of dynamic shared memory (value: the bytes that suffice, or %NULL)
 * @SMB_HINT_ENTRY: which kernel of the file is meant
 * @SMB_HINT_INSTANCE: which instance of a template is meant (name: the form of its name, "k<N, M>")
 * @SMB_HINT_ARCH: the architecture (value: one that is possible, or %NULL)
 * @SMB_HINT_WAVE: lanes of a wave (value: another size)
 * @SMB_HINT_LIMIT: a limit (name: the member of SmbProgramLimits or SmbAnalysisOptions that holds it: "max_steps")
 * @SMB_HINT_NAMES: the text that names the parameters of compiled code (name: the file)
 * @SMB_HINT_UNKNOWN: leave what is unknown out of the count (SmbLaunch.skips_unknown)
 * @SMB_HINT_SMALLER: a smaller argument, which makes less work (name: of the parameter; value: what it has now)
 * @SMB_HINT_KERNELS: another built-in kernel (value: the names of all)
 */
typedef enum {
  SMB_HINT_NONE,
  SMB_HINT_ARGUMENT,
  SMB_HINT_FIELDS,
  SMB_HINT_BUFFER,
  SMB_HINT_OFFSET,
  SMB_HINT_BLOCK,
  SMB_HINT_DYNAMIC_BYTES,
  SMB_HINT_ENTRY,
  SMB_HINT_INSTANCE,
  SMB_HINT_ARCH,
  SMB_HINT_WAVE,
  SMB_HINT_LIMIT,
  SMB_HINT_NAMES,
  SMB_HINT_UNKNOWN,
  SMB_HINT_SMALLER,
  SMB_HINT_KERNELS,
} SmbHintKind;

/**
 * SmbHint:
 * @name: (nullable), @value: (nullable): see SmbHintKind
 * @line: the line of the message, from 0, that it belongs to
 */
typedef struct {
  SmbHintKind kind;
  char *name;
  char *value;
  guint line;
} SmbHint;

/** smb_hint_name: Returns: (transfer none): a kind of hint in one word, such as "dynamic_bytes" */
const char *smb_hint_name(SmbHintKind kind);

/** smb_hint_copy: Returns: a copy, to be released with smb_hint_clear(). */
SmbHint smb_hint_copy(const SmbHint *hint);
void smb_hint_clear(SmbHint *hint);

/** smb_hints_new: Returns: (transfer full) (element-type SmbHint): an empty list, which clears its hints */
GArray *smb_hints_new(void);

/** smb_hint: Adds a hint to the first line of an error of SMB_ERROR, if one is set. Returns: always %FALSE */
gboolean smb_hint(GError **error, SmbHintKind kind, const char *name, const char *value);

/**
 * smb_error_hint: Returns: (transfer none) (nullable): hint number @index of an error, from 0; %NULL if it has fewer
 */
const SmbHint *smb_error_hint(const GError *error, guint index);

/**
 * smb_error_add_hints: Copies the hints of @from to @error (nullable), which repeats its message from line @line on.
 */
void smb_error_add_hints(GError *error, const GError *from, guint line);

/** Sets an error of any domain; always returns %FALSE, for what fails to return. */
gboolean smb_fail(GError **error, GQuark domain, int code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/** Puts a text in front of the message of an error, if it is set. */
void smb_prefix_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbHint, smb_hint_clear)

G_END_DECLS
