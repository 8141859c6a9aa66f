// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Findings: what a result has to say about places in files, for tools that show such places: code scanning, annotations of a
// pull request, code quality.
#pragma once

#include <json-glib/json-glib.h>

#include "src/out/spool.h"

/** How much a finding matters; the most first. */
typedef enum {
  SMB_LEVEL_ERROR,
  SMB_LEVEL_WARNING,
  SMB_LEVEL_NOTE,
} SmbLevel;

/** Kinds of findings: finding-rules.def. */
typedef enum {
#define RULE(id, name, level, severity, title, description) SMB_FINDING_##id,
#include "src/finding/finding-rules.def"
#undef RULE
  SMB_N_FINDINGS
} SmbFindingKind;

/** What there is to know about a rule. */
typedef struct {
  const char *name; /* stable */
  SmbLevel level;
  const char *severity; /* as GitLab calls it */
  const char *title;
  const char *description;
} SmbFindingRule;

/**
 * SmbFinding:
 * @file: (nullable): where it is: as it was given, and once they are finished as of smb_repository_path()
 * @line: from 1; 0: it has none
 * @column: from 1, in bytes; 0: it has none
 * @subject: what it is about, which stays when lines are added above it: "transpose: load of tile[x][y]"
 * @message: a sentence without a full stop
 * @cost: what sorts findings of a level: wavefronts in excess
 * @fingerprint: stays when lines are added above it, and differs from that of every other finding
 */
typedef struct {
  SmbFindingKind kind;
  char *file;
  guint line;
  guint column;
  char *subject;
  char *message;
  guint64 cost;
  char *fingerprint;
} SmbFinding;

/** smb_finding_rule: Returns: (transfer none): what there is to know about a kind */
const SmbFindingRule *smb_finding_rule(SmbFindingKind kind);

/** smb_level_name: Returns: (transfer none): "error", "warning" or "note" */
const char *smb_level_name(SmbLevel level);

/** smb_findings_new: Returns: (transfer full) (element-type SmbFinding): none yet */
GPtrArray *smb_findings_new(void);

/**
 * smb_findings_add:
 * @file: as the user or a compiler calls it; (nullable): the finding has no line then
 * @finding: (transfer none): @kind, @line, @column and @cost of it are taken
 * @subject: (transfer full)
 * @message: (transfer full)
 */
void smb_findings_add(GPtrArray *findings, const char *file, const SmbFinding *finding,
                      char *subject, char *message);

/** Adds the member "findings", of findings that are not finished. */
void smb_findings_json(JsonBuilder *json, const GPtrArray *findings);

/** Adds the findings that smb_findings_json() wrote: @result is the document. @of: what begins their subjects. */
void smb_findings_add_json(GPtrArray *findings, JsonNode *result, const char *of);

/** Finds their places in a repository; sorts them: errors first, then the costliest; gives each its fingerprint. */
void smb_findings_finish(GPtrArray *findings);

/**
 * smb_repository_path:
 * @file: a file
 *
 * Returns: (transfer full): its path in the git repository that it is in; of one that is in none, or does not exist, as it
 *   was given
 */
char *smb_repository_path(const char *file);

/** SmbFindingsFormat: a form of findings; SmbFormat.methods of a command that writes them. */
typedef struct {
  void (*write)(const GPtrArray *findings, SmbSpool *out);
} SmbFindingsFormat;

/** SARIF 2.1.0 (OASIS), which code scanning reads. */
extern const SmbFindingsFormat smb_findings_sarif;

/** GitHub's workflow commands, which become annotations; it shows ten of a level in a step. */
extern const SmbFindingsFormat smb_findings_github;

/** GitLab's code quality report. */
extern const SmbFindingsFormat smb_findings_gitlab;
