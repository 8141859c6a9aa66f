// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Places of a kernel, and what a person should know of them: suspicious accesses, macros that the text lacks.
#pragma once

#include <json-glib/json-glib.h>

#include "src/target/target.h"

/** smb_analyze_describe_warning: Returns: (transfer full): what a warning says of its place */
char *smb_analyze_describe_warning(const SmbProgram *program, const SmbAnalysisWarning *warning);

/** smb_analyze_describe_idle: Returns: (transfer full): what SmbAnalysis.idle says of its place */
char *smb_analyze_describe_idle(const SmbAnalysis *analysis);

/**
 * smb_analyze_tell_warning:
 * @warnings: (element-type SmbAnalysisWarning)
 *
 * Returns: (transfer full) (nullable): the same for a reader, who is told once for each variable that it is read before it is
 *   written, for each copy that it is not waited for, and for each descriptor that does not fit a copy, with the number of places;
 *   %NULL of the other places
 */
char *smb_analyze_tell_warning(const SmbProgram *program, const GArray *warnings, guint index);

/** Writes a warning at a place, as compilers do: "FILE:LINE:COLUMN: warning: message". */
void smb_analyze_write_warning(const SmbProgram *program, const SmbSite *site, const char *message,
                               SmbSpool *out);

/** What else a person should know: suspicious accesses, macros that the text lacks. */
void smb_analyze_write_warnings(const SmbTarget *target, const SmbAnalysis *analysis,
                                SmbSpool *out);

/** Adds the member "warnings" to a result: what smb_analyze_write_warnings() writes, but unused macros. */
void smb_analyze_json_warnings(JsonBuilder *json, const SmbTarget *target,
                               const SmbAnalysis *analysis);

/** smb_analyze_site_file: Returns: (nullable) (transfer none): the file of a site: that of the program unless it says another;
 * %NULL of one that has no line */
const char *smb_analyze_site_file(const SmbProgram *program, const SmbSite *site);
