// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rows of the tables of accesses. A compiler makes many instructions of a line: those that are alike are one row.
#include "src/analysis/row.h"

// Sites of which instructions may be one row with others.
static gboolean
is_of_compiler(const SmbSite *site) {
  return site->opcode && site->file;
}

static guint
hash_site(gconstpointer key) {
  const SmbSite *site = key;
  return g_str_hash(site->opcode) * 31 + site->line;
}

// Whether instructions of two sites are one row.
static gboolean
are_of_one_line(gconstpointer a, gconstpointer b) {
  const SmbSite *one = a, *other = b;
  return one->line == other->line && one->op_class == other->op_class &&
         g_str_equal(one->file, other->file) && g_str_equal(one->opcode, other->opcode);
}

// The same of accesses to shared memory: to the same array.
static guint
hash_access(gconstpointer key) {
  return hash_site(((const SmbAccess *)key)->site);
}

static gboolean
are_of_one_array(gconstpointer a, gconstpointer b) {
  const SmbAccess *one = a, *other = b;
  return are_of_one_line(one->site, other->site) && g_strcmp0(one->array, other->array) == 0;
}

gboolean
smb_analyze_is_one_row(const SmbAccess *one, const SmbAccess *other) {
  return one->site == other->site ||
         (is_of_compiler(one->site) && is_of_compiler(other->site) && are_of_one_array(one, other));
}

// Where the row of a site is, by the @key that rows have; the next one, which @n counts, if it has none yet.
static guint
find_access_row(GHashTable *rows, const SmbSite *site, gconstpointer key, guint n) {
  gpointer found;
  if (!is_of_compiler(site))
    return n;
  if (g_hash_table_lookup_extended(rows, key, NULL, &found))
    return GPOINTER_TO_UINT(found);
  g_hash_table_insert(rows, (gpointer)key, GUINT_TO_POINTER(n));
  return n;
}

char *
smb_analyze_row_text(const SmbSite *site, guint n) {
  return n == 1 ? g_strdup(site->expression) : g_strdup_printf("%u × %s", n, site->opcode);
}

GArray *
smb_analyze_gather(const GArray *accesses, gboolean each) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(SmbAnalyzeRow));
  g_autoptr(GHashTable) counted = g_hash_table_new(hash_access, are_of_one_array);
  g_autoptr(GHashTable) others = g_hash_table_new(hash_access, are_of_one_array);
  for (guint i = 0; i < accesses->len; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    GHashTable *known = access->total.requests > 0 ? counted : others;
    guint at = each ? i : find_access_row(known, access->site, access, rows->len);
    if (at == rows->len) {
      SmbAnalyzeRow first = {.access = access};
      g_array_append_val(rows, first);
    }
    SmbAnalyzeRow *row = &g_array_index(rows, SmbAnalyzeRow, at);
    row->n++;
    smb_tally_add(&row->total, &access->total);
  }
  return rows;
}

const SmbAccess *
smb_analyze_row_worst(const GArray *accesses, const SmbAnalyzeRow *row) {
  const SmbAccess *worst = row->access;
  for (guint i = 0; i < accesses->len && row->n > 1; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    gboolean is_worse = access->total.excess > worst->total.excess;
    worst = is_worse && smb_analyze_is_one_row(row->access, access) ? access : worst;
  }
  return worst;
}

GArray *
smb_analyze_gather_global(const GArray *globals) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(SmbAnalyzeGlobalRow));
  g_autoptr(GHashTable) known = g_hash_table_new(hash_site, are_of_one_line);
  for (guint i = 0; i < globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(globals, SmbGlobalAccess, i);
    guint at = find_access_row(known, access->site, access->site, rows->len);
    if (at == rows->len) {
      SmbAnalyzeGlobalRow first = {.n = 1, .total = *access};
      g_array_append_val(rows, first);
      continue;
    }
    SmbAnalyzeGlobalRow *row = &g_array_index(rows, SmbAnalyzeGlobalRow, at);
    row->n++;
    row->total.requests += access->requests;
    row->total.segments += access->segments;
    row->total.ideal += access->ideal;
    row->total.bytes += access->bytes;
    row->total.uncounted += access->uncounted;
    row->total.max_segments = MAX(row->total.max_segments, access->max_segments);
  }
  return rows;
}

GArray *
smb_analyze_gather_traffic(const GArray *traffic) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(SmbAnalyzeTrafficRow));
  g_autoptr(GHashTable) known = g_hash_table_new(hash_site, are_of_one_line);
  for (guint i = 0; i < traffic->len; i++) {
    const SmbOtherTraffic *one = &g_array_index(traffic, SmbOtherTraffic, i);
    guint at = find_access_row(known, one->site, one->site, rows->len);
    if (at == rows->len) {
      SmbAnalyzeTrafficRow first = {.n = 1, .total = *one};
      g_array_append_val(rows, first);
      continue;
    }
    SmbAnalyzeTrafficRow *row = &g_array_index(rows, SmbAnalyzeTrafficRow, at);
    row->n++;
    row->total.executions += one->executions;
    row->total.unsized += one->unsized;
    row->total.bytes += one->bytes;
    row->total.packets += one->packets;
    row->total.ideal_packets += one->ideal_packets;
  }
  return rows;
}

const char *
smb_analyze_segment_name(const SmbArch *arch) {
  return smb_arch_info(arch)->global_segment_bytes == 32 ? "sectors" : "lines";
}

void
smb_analyze_add_tally(SmbTable *table, const SmbTally *tally) {
  SmbStyle style = tally->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_PLAIN, tally->requests);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->wavefronts);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->ideal);
  smb_table_number(table, style, tally->excess);
  smb_table_printf(table, style, "%u-way", tally->max_degree);
}

void
smb_analyze_add_global(SmbTable *table, const SmbGlobalAccess *access) {
  SmbStyle style = access->segments > access->ideal ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_PLAIN, access->requests);
  smb_table_number(table, SMB_STYLE_PLAIN, access->segments);
  smb_table_number(table, SMB_STYLE_PLAIN, access->ideal);
  smb_table_number(table, style, access->segments - access->ideal);
  smb_table_printf(table, access->uncounted ? SMB_STYLE_BAD : style, "%s%u",
                   access->uncounted ? "≥ " : "", access->max_segments);
}

void
smb_analyze_add_words(SmbTable *table, const SmbConstantAccess *access) {
  const SmbTally *tally = &access->total;
  SmbStyle style = tally->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_PLAIN, tally->requests);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->wavefronts);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->ideal);
  smb_table_number(table, style, tally->excess);
  smb_table_printf(table, access->uncounted ? SMB_STYLE_BAD : style, "%s%u",
                   access->uncounted ? "≥ " : "", tally->max_degree);
}

void
smb_analyze_describe_bytes(const SmbOtherTraffic *traffic, char *text, gsize size) {
  const char *least = smb_other_traffic_is_exact(traffic) ? "" : "≥ ";
  if (traffic->kind == SMB_TRAFFIC_SHUFFLE)
    g_strlcpy(text, "-", size);
  else if (traffic->unsized == traffic->executions)
    g_strlcpy(text, "not known", size);
  else
    g_snprintf(text, size, "%s%" G_GUINT64_FORMAT, least, traffic->bytes);
}
