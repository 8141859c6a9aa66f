// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an assembler has not decided yet: where the lanes that a branch divides reconverge. A program that knows other
// ways, between which any assembler is likely to stay, is run in these, too; where the counts differ, they are a range.
#include <string.h>

#include "sim/analysis/impl.h"
#include "sim/machine/front-end.h"

static const SmbTally *
find_total(const SmbAnalysis *analysis, const SmbProgram *program, guint site) {
  static const SmbTally none = {0};
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->site == smb_program_site(program, site))
      return &access->total;
  }
  return &none;
}

typedef struct {
  guint64 least;
  guint64 most;
} Range;

static void
widen_range(Range *range, guint64 value) {
  range->least = MIN(range->least, value);
  range->most = MAX(range->most, value);
}

static void
add_meeting_warning(SmbAnalysis *analysis, guint site, const SmbAccess *access, char *message) {
  SmbAnalysisWarning warning = {SMB_WARNING_MEETING, site, site, access->worst_block, message};
  smb_warnings_note(analysis->warnings, &warning);
}

static void
note_irregular(SmbAnalysis *analysis, const char *irregular, guint site, const SmbAccess *access) {
  g_autofree char *message = g_strdup_printf("%s: the count is uncertain: the kernel %s, and it is "
                                             "not certain where diverged lanes reconverge",
                                             access->site->expression, irregular);
  add_meeting_warning(analysis, site, access, message);
}

// The warning that an access is not exact.
static void
note_range(SmbAnalysis *analysis, guint site, const SmbAccess *access, const Range *requests,
           const Range *wavefronts) {
  g_autofree char *message = g_strdup_printf(
      "%s: %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " requests and %" G_GUINT64_FORMAT
      " to %" G_GUINT64_FORMAT
      " wavefronts, depending on where the assembler lets diverged lanes reconverge",
      access->site->expression, requests->least, requests->most, wavefronts->least,
      wavefronts->most);
  add_meeting_warning(analysis, site, access, message);
}

static const SmbTally *
find_constant_tally(const SmbAnalysis *analysis, const SmbProgram *program, guint site) {
  static const SmbTally none = {0};
  for (guint i = 0; i < analysis->constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    if (access->site == smb_program_site(program, site))
      return &access->total;
  }
  return &none;
}

// Loads of constant memory whose counts differ are not exact.
static void
compare_variant_constants(SmbAnalysis *analysis, const SmbProgram *program,
                          const GPtrArray *variants) {
  for (guint i = 0; i < analysis->constants->len; i++) {
    SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    guint site = (guint)(access->site - smb_program_site(program, 0));
    gboolean differs = program->irregular != NULL;
    for (guint v = 0; v < variants->len; v++) {
      const SmbTally *total = find_constant_tally(g_ptr_array_index(variants, v), program, site);
      differs = differs || total->requests != access->total.requests ||
                total->wavefronts != access->total.wavefronts;
    }
    if (differs) {
      access->reason = "depends on where the assembler lets diverged lanes reconverge";
      access->hint.kind = SMB_HINT_NONE;
    }
  }
}

void
smb_variants_compare(SmbAnalysis *analysis, const SmbProgram *program, const GPtrArray *variants) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    guint site = (guint)(access->site - smb_program_site(program, 0));
    Range requests = {access->total.requests, access->total.requests};
    Range wavefronts = {access->total.wavefronts, access->total.wavefronts};
    for (guint v = 0; v < variants->len; v++) {
      const SmbTally *total = find_total(g_ptr_array_index(variants, v), program, site);
      widen_range(&requests, total->requests);
      widen_range(&wavefronts, total->wavefronts);
    }
    if (program->irregular)
      note_irregular(analysis, program->irregular, site, access);
    else if (requests.least < requests.most || wavefronts.least < wavefronts.most)
      note_range(analysis, site, access, &requests, &wavefronts);
    if (smb_access_is_copy(access)) // in no total that has a range
      continue;
    SmbTally *least = &analysis->least[access->site->op_class];
    SmbTally *most = &analysis->most[access->site->op_class];
    least->requests -= access->total.requests - requests.least;
    least->wavefronts -= access->total.wavefronts - wavefronts.least;
    most->requests += requests.most - access->total.requests;
    most->wavefronts += wavefronts.most - access->total.wavefronts;
  }
  compare_variant_constants(analysis, program, variants);
}
