// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/check.h"

#include "src/advise/text.h"
#include "src/analysis/heading.h"
#include "src/analysis/warning.h"
#include "src/out/csv.h"
#include "src/out/describe.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/target/target-json.h"

// An array, and what the swizzle does to it.
typedef struct {
  const SmbAdviseReport *report;
  SmbRewriteArray rewrite;
  guint64 needed_bytes; // up to the end of the last element, swizzled
  GArray *checks;       // SmbLayoutCheck
} Checked;

static void
checked_array_free(gpointer data) {
  Checked *checked = data;
  g_array_unref(checked->checks);
  g_free(checked);
}

static const char *
fault_name(SmbFault fault) {
  static const char *const names[] = {"none",   "misfit", "same",    "unswizzled", "no-bits",
                                      "target", "source", "too-few", "cancels"};
  return names[fault];
}

// "bit 7", "bits 2-6 and 9".
static void
append_bits(GString *text, guint64 bits) {
  g_string_append(text, !bits ? "no bit" : bits & (bits - 1) ? "bits " : "bit ");
  smb_describe_runs(text, bits);
}

static void
append_misfit(GString *text, const SmbLayoutCheck *check) {
  switch (check->fit) {
  case SMB_LAYOUT_FITS:
    break;
  case SMB_LAYOUT_OUTSIDE:
    g_string_append(text,
                    "a request accesses more than this array, so its layout cannot be changed");
    break;
  case SMB_LAYOUT_TORN:
    g_string_append_printf(
        text,
        "wrong width: the %u bytes of a lane would no longer be contiguous; M must be at least %u",
        check->width, check->needed_base);
    break;
  case SMB_LAYOUT_MISALIGNED:
    g_string_append_printf(text, "the %u bytes of a lane would no longer start at a multiple of %u",
                           check->width, check->width);
    break;
  }
}

// What the swizzle does not do for the lanes that still meet.
static void
append_fault(GString *text, const SmbLayoutCheck *check) {
  switch (check->fault) {
  case SMB_FAULT_NONE:
    g_string_append(text, check->original.excess ? "free of conflicts with it" : "has no conflict");
    return;
  case SMB_FAULT_MISFIT:
    append_misfit(text, check);
    return;
  case SMB_FAULT_SAME:
    g_string_append(text, "lanes queue for one word: no layout helps");
    return;
  case SMB_FAULT_UNSWIZZLED:
    g_string_append(text, "no swizzle: it changes nothing");
    return;
  case SMB_FAULT_NO_BITS:
    g_string_append(text,
                    "no bits of the offset choose the bank here: rows are padded, or an element "
                    "is not a power of two bytes");
    return;
  case SMB_FAULT_TARGET:
    g_string_append(text, "wrong bits: it changes ");
    append_bits(text, check->target_bits);
    g_string_append(text, " of the byte offset, and ");
    append_bits(text, check->bank_bits);
    g_string_append_printf(text, " choose the bank of %u-byte accesses", check->width);
    return;
  case SMB_FAULT_SOURCE:
    g_string_append(text, "wrong bits: it reads ");
    append_bits(text, check->source_bits);
    g_string_append(text, " of the byte offset, and the lanes that conflict differ in ");
    append_bits(text, check->lane_bits);
    return;
  case SMB_FAULT_TOO_FEW:
    g_string_append(text, "too few bits: the lanes that conflict differ in ");
    append_bits(text, check->lane_bits);
    g_string_append(text, " of the byte offset, of which it reads ");
    append_bits(text, check->read);
    if (check->unread) {
      g_string_append(text, " and not ");
      append_bits(text, check->unread);
    } else {
      g_string_append(text, ", and not all of them reach a bit that chooses the bank");
    }
    return;
  case SMB_FAULT_CANCELS:
    g_string_append(text, "it reads every bit in which the lanes that conflict differ (");
    append_bits(text, check->lane_bits);
    g_string_append(text, "), but the XOR cancels these differences");
    return;
  }
}

char *
smb_advise_check_explain(const SmbLayoutCheck *check) {
  GString *text = g_string_new(NULL);
  append_fault(text, check);
  return g_string_free(text, FALSE);
}

static const SmbSite *
find_checked_site(const Checked *checked, const SmbLayoutCheck *check) {
  return g_array_index(checked->report->analysis->accesses, SmbAccess, check->access).site;
}

static void
write_swizzle_table(SmbCli *cli, const Checked *checked) {
  g_autoptr(SmbTable) table = smb_table_new("line>|op|access|bytes>|ideal>|now>|with it>|why");
  smb_table_wrap(table);
  for (guint i = 0; i < checked->checks->len; i++) {
    const SmbLayoutCheck *check = &g_array_index(checked->checks, SmbLayoutCheck, i);
    const SmbSite *site = find_checked_site(checked, check);
    g_autofree char *why = smb_advise_check_explain(check);
    gboolean bad = check->fit != SMB_LAYOUT_FITS || check->cost.excess > 0;
    smb_table_place(table, site);
    smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_class_name(site->op_class));
    smb_table_cell(table, SMB_STYLE_PLAIN, site->expression);
    smb_table_number(table, SMB_STYLE_PLAIN, check->width);
    smb_table_number(table, SMB_STYLE_PLAIN, check->original.ideal);
    smb_table_number(table, SMB_STYLE_PLAIN, check->original.wavefronts);
    if (check->fit == SMB_LAYOUT_FITS)
      smb_table_number(table, bad ? SMB_STYLE_BAD : SMB_STYLE_GOOD, check->cost.wavefronts);
    else
      smb_table_cell(table, SMB_STYLE_BAD, "-");
    smb_table_cell(table, SMB_STYLE_PLAIN, why);
  }
  smb_table_write(table, cli->out, cli->colour);
}

// The access that is left with the most excess wavefronts, and who meets where.
static void
write_swizzle_worst(SmbCli *cli, const Checked *checked) {
  const SmbLayoutCheck *worst = NULL;
  for (guint i = 0; i < checked->checks->len; i++) {
    const SmbLayoutCheck *check = &g_array_index(checked->checks, SmbLayoutCheck, i);
    if (check->fit == SMB_LAYOUT_FITS && check->cost.excess > (worst ? worst->cost.excess : 0))
      worst = check;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  if (!worst || !smb_describe_meeting(text, checked->report->arch, &worst->worst))
    return;
  const SmbSite *site = find_checked_site(checked, worst);
  g_autofree char *place = smb_site_place(site);
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap_printf(cli->out, "With it, in the %s at %s, %s.", smb_op_class_name(site->op_class),
                       place, text->str);
}

// A swizzle of an array that is no whole number of its blocks moves elements beyond the end.
static void
write_needed(SmbCli *cli, const Checked *checked) {
  if (checked->needed_bytes <= checked->rewrite.bytes)
    return;
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap_printf(
      cli->out, "It moves elements of %s beyond its end: %s bytes are needed, and there are %s.",
      checked->rewrite.array->name, smb_number(checked->needed_bytes).text,
      smb_number(checked->rewrite.bytes).text);
}

// What the writers take. @all: of Checked; @name: of the swizzle
typedef struct {
  const SmbAdviseReport *report;
  const GPtrArray *all;
  const char *name;
} CheckReport;

static void
write_swizzle_text(SmbCli *cli, gconstpointer result) {
  const CheckReport *written = result;
  const SmbAdviseReport *report = written->report;
  const GPtrArray *all = written->all;
  smb_analyze_write_careful_heading(cli, report->target, report->analysis, NULL);
  if (all->len == 0) {
    smb_advise_write_nothing(cli, report);
    return;
  }
  for (guint i = 0; i < all->len; i++) {
    const Checked *checked = g_ptr_array_index(all, i);
    g_autofree char *declaration = smb_advise_declare(checked->rewrite.array);
    g_autofree char *index = smb_rewrite_describe(&checked->rewrite);
    smb_spool_printf(cli->out, "%s%s of %s: %s\n\n", i ? "\n" : "", written->name, declaration,
                     index);
    write_swizzle_table(cli, checked);
    write_swizzle_worst(cli, checked);
    write_needed(cli, checked);
  }
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap(
      cli->out,
      "Swizzle<B,M,S> works on the numbers of elements, row by row, of the array as declared and "
      "indexed now. If the kernel's indices already have a swizzle, it would be applied twice.");
}

static void
write_json_check(JsonBuilder *json, const Checked *checked, const SmbLayoutCheck *check) {
  const SmbSite *site = find_checked_site(checked, check);
  g_autofree char *why = smb_advise_check_explain(check);
  smb_json_object(json, NULL);
  smb_json_number(json, "line", site->line);
  smb_json_number(json, "column", site->column);
  smb_json_text(json, "op", smb_op_class_name(site->op_class));
  smb_json_text(json, "expression", site->expression);
  smb_json_number(json, "width", check->width);
  smb_json_boolean(json, "fits", check->fit == SMB_LAYOUT_FITS);
  smb_json_tally_object(json, "now", &check->original);
  smb_json_tally_object(json, "swizzled", check->fit == SMB_LAYOUT_FITS ? &check->cost : NULL);
  smb_json_text(json, "fault", fault_name(check->fault));
  smb_json_text(json, "why", why);
  json_builder_end_object(json);
}

static void
write_swizzle_json(SmbCli *cli, gconstpointer result) {
  const CheckReport *written = result;
  const SmbAdviseReport *report = written->report;
  const GPtrArray *all = written->all;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_target(json, report->target, report->analysis->shared_bytes);
  smb_json_arch(json, report->arch);
  smb_json_text(json, "check", written->name);
  smb_json_array(json, "arrays");
  for (guint i = 0; i < all->len; i++) {
    const Checked *checked = g_ptr_array_index(all, i);
    g_autofree char *index = smb_rewrite_describe(&checked->rewrite);
    smb_json_object(json, NULL);
    smb_json_text(json, "name", checked->rewrite.array->name);
    smb_json_text(json, "index", index);
    smb_json_number(json, "bytes", (gint64)checked->rewrite.bytes);
    smb_json_number(json, "needed_bytes", (gint64)checked->needed_bytes);
    smb_json_array(json, "accesses");
    for (guint j = 0; j < checked->checks->len; j++)
      write_json_check(json, checked, &g_array_index(checked->checks, SmbLayoutCheck, j));
    json_builder_end_array(json);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_analyze_json_warnings(json, report->target, report->analysis);
  smb_json_end(json, cli->out);
}

static void
write_swizzle_csv(SmbCli *cli, gconstpointer result) {
  const GPtrArray *all = ((const CheckReport *)result)->all;
  SmbCsv csv = smb_csv_begin(cli->out, "array,line,column,op,expression,width,wavefronts,"
                                       "ideal_wavefronts,swizzled_wavefronts,fault,why");
  for (guint i = 0; i < all->len; i++) {
    const Checked *checked = g_ptr_array_index(all, i);
    for (guint j = 0; j < checked->checks->len; j++) {
      const SmbLayoutCheck *check = &g_array_index(checked->checks, SmbLayoutCheck, j);
      const SmbSite *site = find_checked_site(checked, check);
      g_autofree char *why = smb_advise_check_explain(check);
      smb_csv_text(&csv, checked->rewrite.array->name);
      SMB_CSV_NUMBERS(&csv, site->line, site->column);
      smb_csv_text(&csv, smb_op_class_name(site->op_class));
      smb_csv_text(&csv, site->expression);
      SMB_CSV_NUMBERS(&csv, check->width, check->original.wavefronts, check->original.ideal);
      smb_csv_number_if(&csv, check->fit == SMB_LAYOUT_FITS, check->cost.wavefronts);
      smb_csv_text(&csv, fault_name(check->fault));
      smb_csv_text(&csv, why);
      smb_csv_end_row(&csv);
    }
  }
}

const SmbFormat smb_advise_check_formats[] = {{"text", write_swizzle_text, NULL},
                                              {"json", write_swizzle_json, NULL},
                                              {"csv", write_swizzle_csv, NULL},
                                              {NULL, NULL, NULL}};

static guint64
find_needed_bytes(const SmbRewriteArray *rewrite) {
  guint element = rewrite->from.element_bytes;
  guint64 needed = 0, n;
  for (gsize at = 0; at + element <= rewrite->bytes; at += element) {
    if (smb_layout_find(&rewrite->from, at, &n))
      needed = MAX(needed, smb_layout_place(&rewrite->to, n) + element);
  }
  return needed;
}

static Checked *
check_array_swizzle(const SmbAdviseReport *report, const SmbArrayUse *use,
                    const SmbAdviseSearch *asked, const SmbLayout *swizzle) {
  const SmbLayout *tile = report->target->tile;
  SmbLayout from = tile ? *tile : smb_array_use_layout(use, smb_advise_row(asked, use->array));
  SmbLayout to = from;
  to.bits = swizzle->bits;
  to.base = swizzle->base;
  to.shift = swizzle->shift;
  Checked *checked = g_new0(Checked, 1);
  checked->report = report;
  checked->rewrite = (SmbRewriteArray){use->array, use->bytes, from, to};
  checked->needed_bytes = find_needed_bytes(&checked->rewrite);
  checked->checks = smb_layout_check(report->arch, use, &from, &to);
  return checked;
}

gboolean
smb_advise_check(SmbCli *cli, const SmbAdviseReport *report, const GPtrArray *arrays,
                 const SmbAdviseSearch *asked, const char *swizzle, GError **error) {
  SmbLayout parsed = {0};
  if (!smb_layout_parse_swizzle(swizzle, &parsed, error))
    return FALSE;
  g_autofree char *name =
      g_strdup_printf("Swizzle<%u,%u,%d>", parsed.bits, parsed.base, parsed.shift);
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(checked_array_free);
  for (guint i = 0; i < arrays->len; i++)
    g_ptr_array_add(all, check_array_swizzle(report, g_ptr_array_index(arrays, i), asked, &parsed));
  const CheckReport result = {report, all, name};
  cli->format->write(cli, &result);
  return TRUE;
}
