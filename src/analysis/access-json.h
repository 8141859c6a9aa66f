// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses in JSON: what results that are of accesses have in common.
#pragma once

#include "src/analysis/compiled-count.h"
#include "src/analysis/launch-time.h"
#include "src/out/json.h"

/** Adds members that say where a site is, and what. @key: (nullable): what @array is called; of traffic, which has none and
 * no width, NULL */
void smb_analyze_json_place(JsonBuilder *json, const SmbProgram *program, const SmbSite *site,
                            const char *key, const char *array);

/** Adds members that say which access to shared memory it is, and what it takes. */
void smb_analyze_json_access(JsonBuilder *json, const SmbProgram *program, const SmbAccess *access);

/** Adds the member "accesses". @by_warp: with what each warp takes. @beside: (nullable): what is compiled of a text; @time: (nullable): of
 * that, or of the code: with what the conflicts of each access cost */
void smb_analyze_json_accesses(JsonBuilder *json, const SmbProgram *program,
                               const SmbAnalysis *analysis, gboolean by_warp,
                               const SmbCompiledCount *beside, const SmbLaunchTime *time);

/** Adds the member "compiled": what a compiler makes of @text, or why that is not known; nothing without @compiled (nullable).
 * @only: (nullable): an access of the text: of what is compiled, what its line has become (smb_compiled_count_line()). @time: (nullable): of what is compiled */
void smb_analyze_json_compiled(JsonBuilder *json, const SmbProgram *text,
                               const SmbCompiledCount *compiled, gboolean by_warp,
                               const SmbAccess *only, const SmbLaunchTime *time);
