// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies from global memory: how they are served, and which lanes of one wait for each other.
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "sim/count/copy.h"
#include "src/explain/words.h"
#include "src/out/describe.h"

enum {
  MAX_LISTED = 4, // wavefronts of which the lanes are listed
};

gboolean
smb_explain_is_copy(const SmbExplanation *e) {
  return e->plan->source_lines && e->request.has_source;
}

static gboolean
is_by_lines(const SmbExplanation *e) {
  return e->request.op == SMB_OP_CP_ASYNC_CG;
}

const SmbCopyPart *
smb_explain_worst_part(const SmbCopy *copy) {
  const SmbCopyPart *worst = NULL;
  for (guint i = 0; i < copy->n_parts; i++) {
    const SmbCopyPart *part = &copy->parts[i];
    if (part->wavefronts > part->ideal &&
        (!worst || part->wavefronts - part->ideal > worst->wavefronts - worst->ideal))
      worst = part;
  }
  return worst;
}

void
smb_explain_append_copy_rule(GString *text, const SmbExplanation *e) {
  guint n_banks = SMB_SOURCE_LINE_BYTES / e->request.width;
  if (is_by_lines(e)) {
    g_string_append_printf(
        text,
        " A copy of %s per lane that bypasses L1 (.cg) is served one %d-byte line of its source at "
        "a time. A line needs one wavefront if its %d-byte sectors land in one %d-byte row of "
        "shared memory, each in columns of its own. Every further row adds one. So does a sector "
        "whose column is taken, whose halves are swapped while those of others are not, or that "
        "moves from an even column to an odd one while others do not.",
        smb_count(e->request.width, "byte").text, SMB_SOURCE_LINE_BYTES, SMB_SOURCE_SECTOR_BYTES,
        SMB_SOURCE_LINE_BYTES);
    return;
  }
  g_string_append_printf(
      text,
      " Lanes that write to one bank take turns, and so do lanes that read from one bank of the "
      "source (its address / %u, modulo %u), even on the same word.",
      e->request.width, n_banks);
}

// "lanes 0-3, then 4-7, and so on"
static void
append_copy_turns(GString *text, const SmbCopy *copy, const SmbCopyPart *part) {
  guint shown = 0;
  for (guint i = part->first; i < part->first + part->wavefronts && shown < MAX_LISTED; i++) {
    if (!copy->lanes[i])
      continue;
    g_string_append(text, shown++ ? ", then " : ": first ");
    smb_describe_lanes(text, copy->lanes[i]);
  }
  g_string_append(text, part->wavefronts > MAX_LISTED ? ", and so on." : ".");
}

static void
tell_line(GString *text, const SmbExplanation *e, const SmbCopy *copy, const SmbCopyPart *part) {
  guint rows = smb_request_rows(&e->request, part->lanes);
  g_string_append(text, " The line that ");
  smb_describe_lanes(text, part->lanes);
  g_string_append_printf(text, " %s takes %s instead of %u",
                         part->lanes & (part->lanes - 1) ? "read" : "reads",
                         smb_count(part->wavefronts, "wavefront").text, part->ideal);
  if (rows > 1)
    g_string_append_printf(text, ", since it goes to %s of shared memory",
                           smb_count(rows, "row").text);
  else
    g_string_append(text, ", since its sectors go to columns that cannot be written together");
  append_copy_turns(text, copy, part);
}

// The lane that meets the most others.
static void
tell_group(GString *text, const SmbExplanation *e, const SmbCopy *copy, const SmbCopyPart *part) {
  guint most = 0;
  SmbLanes writes = 0, reads = 0;
  for (SmbLanes rest = part->lanes; rest; rest &= rest - 1) {
    SmbLanes to, from;
    smb_request_meets(&e->request, part->lanes, smb_lanes_first(rest), &to, &from);
    if (smb_lanes_count(to | from) > most) {
      most = smb_lanes_count(to | from);
      writes = to;
      reads = from;
    }
  }
  g_string_append_c(text, ' ');
  gsize start = text->len;
  if (writes & (writes - 1)) {
    smb_describe_lanes(text, writes);
    g_string_append(text, " write to one bank");
  }
  if (reads & (reads - 1)) {
    g_string_append(text, text->len > start ? ", and " : "");
    smb_describe_lanes(text, reads);
    g_string_append(text, " read from one bank of the source");
  }
  text->str[start] = g_ascii_toupper(text->str[start]);
  g_string_append_printf(text, ", which takes %s instead of %u",
                         smb_count(part->wavefronts, "wavefront").text, part->ideal);
  append_copy_turns(text, copy, part);
}

// What is in excess though no part of it has conflicts.
static void
append_waste(GString *text, const SmbExplanation *e) {
  guint bytes = smb_lanes_count(smb_request_lanes(&e->request)) * e->request.width;
  gboolean lines = is_by_lines(e);
  g_string_append_printf(text,
                         " No %s has conflicts. There is excess because %s: the request moves %s, "
                         "which would fit into %s.",
                         lines ? "line" : "lane group",
                         lines ? "lines are only partly read"
                               : "lane groups are only partly active",
                         smb_count(bytes, "byte").text, smb_count(e->cost.ideal, "wavefront").text);
}

char *
smb_explain_copy_meeting(const SmbExplanation *e) {
  SmbCopy copy = smb_request_copy(e->arch, &e->request);
  const SmbCopyPart *worst = smb_explain_worst_part(&copy);
  guint lines = smb_request_source_lines(&e->request);
  GString *text = g_string_new(NULL);
  g_string_append_printf(
      text, "The lanes read %s of the source, which take%s %s; without conflicts %s %u.",
      smb_count(lines, "line").text, lines == 1 ? "s" : "",
      smb_count(e->cost.wavefronts, smb_arch_say(e->arch, "wavefront")).text,
      lines == 1 ? "it takes" : "they take", e->cost.ideal);
  if (worst && worst->line == SMB_COPY_BANKS)
    tell_group(text, e, &copy, worst);
  else if (worst)
    tell_line(text, e, &copy, worst);
  else if (e->cost.excess)
    append_waste(text, e);
  return g_string_free(text, FALSE);
}
