// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/dram/scatter.h"

#include <math.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/time/record/line-words.h"

enum {
  SECTOR_BYTES = 1 << SMB_SECTOR_SHIFT,
  ROW_LINES = 2, // of which DRAM opens the row once
  LINE_PAIRS = SMB_LINE_SECTORS / 2,
  ROW_PAIRS = ROW_LINES * LINE_PAIRS,
  MAX_RUN = 64,     // lines, of which the beginning is looked for
  MIN_MEETINGS = 6, // pairs of blocks that must have something in common, for a table
};

// How many more different ones than expected blocks may ask a table for. Where some places are asked for more often than others, two blocks have
// more in common than places are asked for again.
#define MOST_DISTINCT 2

// --- rows

double
smb_scatter_apart(double between, gboolean stores, const SmbChip *chip) {
  double near = stores ? chip->dram_write_together : chip->dram_read_together;
  double far = stores ? chip->dram_write_apart : chip->dram_read_apart;
  return MIN(1, log(MAX(1, between / near)) / log(far / near));
}

static guint
bits_of_line(GHashTable *table, gsize line) {
  return table ? GPOINTER_TO_UINT(g_hash_table_lookup(table, GSIZE_TO_POINTER(line))) : 0;
}

static gboolean
has_pair(GHashTable *loads, gsize pair) {
  return (bits_of_line(loads, pair / LINE_PAIRS) >> pair % LINE_PAIRS * 2 & 3) != 0;
}

// Pairs of sectors of a row, a bit each.
static guint
pairs_of_row(GHashTable *loads, gsize row) {
  guint pairs = 0;
  for (guint p = 0; p < ROW_PAIRS; p++)
    pairs |= has_pair(loads, row * ROW_PAIRS + p) ? 1u << p : 0;
  return pairs;
}

// The same of neighbours on both sides. What one of them loads is known. Of a whole line the other one is taken to be as far away: where that loads what is
// as far before one of the @own pairs, this one does what is behind it. Parts of a line by several blocks were not measured.
static guint
pairs_of_neighbours(GHashTable *loads, gsize row, guint own) {
  guint pairs = pairs_of_row(loads, row);
  const guint whole_line = (1u << LINE_PAIRS) - 1;
  for (guint x = 0; x < ROW_PAIRS; x++) {
    gboolean is_whole = (own >> x / LINE_PAIRS * LINE_PAIRS & whole_line) == whole_line;
    for (guint y = 0; is_whole && y < ROW_PAIRS; y++)
      pairs |= has_pair(loads, row * ROW_PAIRS + 2 * x - y) ? 1u << y : 0;
  }
  return pairs;
}

// How much longer these pairs of a row take than their bytes say. @others: pairs that all blocks ask for at the same time, of a
// row: DRAM opens it once for them. It takes a little longer for two pairs than for one.
static double
find_row_factor(guint own, double others, const SmbChip *chip) {
  double pairs = MAX(__builtin_popcount(own), MIN(others, ROW_PAIRS));
  double opened = 1 / (pairs < 2 ? chip->dram_rows : chip->dram_lines);
  return MAX(1, opened * chip->dram_read / (pairs * 2 * SECTOR_BYTES));
}

// The same of a row that neighbours may load some of: those that are near do so at the same time more often.
static double
find_shared_row_factor(const SmbNeighbour *loads, guint n, gsize row, double others,
                       const SmbChip *chip) {
  const guint own = pairs_of_row(loads[0].table, row);
  guint pairs = own;
  double factor = 0, shared = 0;
  for (guint i = 1; i < n && pairs < (1u << ROW_PAIRS) - 1; i++) {
    factor += (loads[i].apart - shared) * find_row_factor(pairs, others, chip);
    shared = loads[i].apart;
    pairs |= loads[i].table ? pairs_of_neighbours(loads[i].table, row, own) : 0;
  }
  return factor + (1 - shared) * find_row_factor(pairs, others, chip);
}

double *
smb_scatter_spans(const SmbBlockRecord *middle, const GPtrArray *blocks, guint n_sites) {
  double *spans = g_new0(double, n_sites + 1);
  g_autofree guint64 *first = g_new(guint64, n_sites + 1), *last = g_new0(guint64, n_sites + 1);
  memset(first, 0xff, (n_sites + 1) * sizeof *first);
  for (guint b = 0; b <= blocks->len; b++) {
    const SmbBlockRecord *block = b == 0 ? middle : g_ptr_array_index(blocks, b - 1);
    for (guint r = 0; r < block->requests->len; r++) {
      const SmbTimedRequest *request = &g_array_index(block->requests, SmbTimedRequest, r);
      for (guint i = 0; request->is_load && i < request->n; i++) {
        guint64 line = g_array_index(block->lines, SmbTimedLine, request->first + i).line;
        first[request->site] = MIN(first[request->site], line);
        last[request->site] = MAX(last[request->site], line);
      }
    }
  }
  // The first and the last of n places that are drawn at random are this much less apart than those of all.
  double n = blocks->len + 1.0, larger = blocks->len > 0 ? (n + 1) / (n - 1) : 0;
  for (guint s = 0; s < n_sites; s++)
    if (last[s] >= first[s])
      spans[s] = (double)(last[s] - first[s] + 1) * SMB_LINE_SECTORS / 2 * larger;
  return spans;
}

// Pairs of sectors of a row that blocks ask for at a site at the same time, if they ask for any between the first and the last one. Of random
// ones, these are the pairs that are on their way. Others are asked for in some order by all blocks, and come together.
static double *
find_crowds(const SmbBlockRecord *middle, const double *spans, const double *tables, double at_once,
            guint n_sites, const SmbChip *chip) {
  const double open = chip->multiprocessors * chip->open_bytes / (2 * SECTOR_BYTES);
  double *crowds = g_new0(double, n_sites + 1);
  for (guint r = 0; r < middle->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(middle->requests, SmbTimedRequest, r);
    for (guint i = 0; request->is_load && i < request->n; i++)
      crowds[request->site] +=
          __builtin_popcount(g_array_index(middle->lines, SmbTimedLine, request->first + i).news);
  }
  for (guint s = 0; s < n_sites; s++) {
    double asked = crowds[s] * at_once, together = tables[s] > 0 ? MIN(asked, open) : asked;
    crowds[s] = spans[s] > 0 ? together * ROW_PAIRS / spans[s] : 0;
  }
  return crowds;
}

double *
smb_scatter_rows(const SmbBlockRecord *middle, const SmbNeighbour *loads, guint n,
                 const double *spans, const double *tables, double at_once, guint n_sites,
                 const SmbChip *chip) {
  g_autofree double *crowds = find_crowds(middle, spans, tables, at_once, n_sites, chip);
  double *factors = g_new0(double, n_sites + 1);
  g_autofree double *counts = g_new0(double, n_sites + 1);
  for (guint r = 0; r < middle->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(middle->requests, SmbTimedRequest, r);
    for (guint i = 0; request->is_load && i < request->n; i++) {
      const SmbTimedLine *line = &g_array_index(middle->lines, SmbTimedLine, request->first + i);
      double news = __builtin_popcount(line->news), crowd = crowds[request->site];
      if (news == 0)
        continue;
      factors[request->site] +=
          news * find_shared_row_factor(loads, n, line->line / ROW_LINES, crowd, chip);
      counts[request->site] += news;
    }
  }
  for (guint s = 0; s < n_sites; s++)
    factors[s] = counts[s] > 0 ? factors[s] / counts[s] : 1;
  return factors;
}

// --- stores

static gboolean
is_one_run(guint32 words) {
  guint32 run = words ? words >> __builtin_ctz(words) : 0;
  return words && (run & (run + 1)) == 0;
}

// The neighbour that stores the word ahead of those that the block stores in a line and in the lines before it, without a gap. The next one then goes on
// behind them, wherever either begins. NULL: none does.
static const SmbNeighbour *
find_predecessor(const SmbNeighbour *stored, guint n, gsize line) {
  GHashTable *own = stored[0].table;
  guint32 words = bits_of_line(own, line);
  for (guint i = 0; i < MAX_RUN && is_one_run(words) && words & 1; i++) {
    guint32 before = bits_of_line(own, line - 1);
    if (!(before >> (SMB_LINE_WORDS - 1)))
      break;
    words = before;
    line--;
  }
  if (!is_one_run(words))
    return NULL;
  gsize ahead = line * SMB_LINE_WORDS + (guint)__builtin_ctz(words) - 1;
  for (guint i = 1; i < n; i++)
    if (bits_of_line(stored[i].table, ahead / SMB_LINE_WORDS) >> ahead % SMB_LINE_WORDS & 1)
      return &stored[i];
  return NULL;
}

// What is stored of a line: all of it, if what a neighbour stores is next to what the block does, since the next one does as well.
static guint32
complete_line(guint32 own, const SmbNeighbour *stored, guint n, gsize line) {
  for (gsize other = line - 1; own && other <= line + 1; other++) {
    guint32 words = 0;
    for (guint i = 1; i < n; i++)
      words |= bits_of_line(stored[i].table, other);
    gint distance = ((gint)(other - line) * SMB_LINE_WORDS + __builtin_ctz(words | 1u << 31)) -
                    __builtin_ctz(own);
    if (words & ~(other == line ? own : 0) && ABS(distance) <= __builtin_popcount(own))
      return G_MAXUINT32;
  }
  return own;
}

// How much longer a line takes than the bytes of its sectors say, of which @loaded have to be loaded first, as do sectors of the line beside it in
// the row (@shares_row). To write a part of a line takes as long as to open a row, and longer after a load. A line takes longer if that beside it in the
// row is not written at that time; @alone: how often it is not. @turns: nothing else is loaded that DRAM would take turns with
static double
find_line_factor(guint sectors, guint loaded, gboolean shares_row, double alone, gboolean turns,
                 const SmbChip *chip) {
  double bytes = __builtin_popcount(sectors) * (double)SECTOR_BYTES / chip->dram_write_alone;
  double least = 1 / (loaded ? chip->dram_written_lines : chip->dram_rows);
  double whole = loaded && turns ? bytes * chip->dram_write_alone / chip->dram_write : bytes;
  double written = sectors == (1 << SMB_LINE_SECTORS) - 1 ? whole : MAX(whole, least);
  if (!loaded)
    written += alone * MAX(0, 1 / chip->dram_alone_lines - written);
  double opened = 1 / chip->dram_rows / (shares_row ? 2 : 1);
  double read =
      loaded ? MAX(__builtin_popcount(loaded) * SECTOR_BYTES / chip->dram_read, opened) : 0;
  return sectors ? (written + read) / bytes : 1;
}

// How often the line beside one in its row is not written at the same time. One of two neighbours stands for both.
static double
find_alone(const SmbNeighbour *stored, guint n, gsize line) {
  const gsize beside = line ^ 1, opposite = 2 * line - beside;
  for (guint i = 0; i < n; i++)
    if (bits_of_line(stored[i].table, beside) || (i && bits_of_line(stored[i].table, opposite)))
      return stored[i].apart;
  return 1;
}

// The same of a line that is stored to. The row that its sectors are loaded from is opened for both of its lines.
static double
find_store_factor(const SmbNeighbour *stored, guint n, GHashTable *loads, gsize line,
                  const SmbChip *chip) {
  const SmbNeighbour *predecessor = find_predecessor(stored, n, line);
  double alone = MIN(find_alone(stored, n, line), predecessor ? predecessor->apart : 1);
  guint32 words = predecessor ? G_MAXUINT32
                              : complete_line(bits_of_line(stored[0].table, line), stored, n, line);
  guint32 other = bits_of_line(stored[0].table, line ^ 1);
  guint sectors = smb_sectors_of_words(words, FALSE),
        loaded = sectors & ~smb_sectors_of_words(words, TRUE) & ~bits_of_line(loads, line);
  guint next = smb_sectors_of_words(other, FALSE) & ~smb_sectors_of_words(other, TRUE) &
               ~bits_of_line(loads, line ^ 1);
  gboolean turns = !loads || g_hash_table_size(loads) == 0;
  return find_line_factor(sectors, loaded, next != 0, alone, turns, chip);
}

double *
smb_scatter_stores(const SmbBlockRecord *middle, const SmbNeighbour *stored, guint n,
                   GHashTable *loads, guint n_sites, const SmbChip *chip) {
  double *factors = g_new0(double, n_sites + 1);
  g_autofree double *counts = g_new0(double, n_sites + 1);
  for (guint r = 0; r < middle->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(middle->requests, SmbTimedRequest, r);
    if (!request->is_store || request->is_local)
      continue;
    for (guint i = 0; i < request->n; i++) {
      const SmbTimedLine *line = &g_array_index(middle->lines, SmbTimedLine, request->first + i);
      double sectors = __builtin_popcount(line->sectors);
      // What an atomic changes has been loaded as a whole.
      factors[request->site] +=
          sectors * (request->is_load ? find_line_factor(line->sectors, 0, FALSE, 0, FALSE, chip)
                                      : find_store_factor(stored, n, loads, line->line, chip));
      counts[request->site] += sectors;
    }
  }
  for (guint s = 0; s < n_sites; s++)
    factors[s] = counts[s] > 0 ? factors[s] / counts[s] : 1;
  return factors;
}

// --- tables

// What all blocks ask for at a site.
typedef struct {
  guint64 first, last; // lines
  guint64 asked;       // pairs of sectors
  gboolean is_load, is_store;
} Reach;

static Reach *
find_reaches(const GPtrArray *blocks, guint n_sites) {
  Reach *reaches = g_new0(Reach, n_sites + 1);
  for (guint b = 0; b < blocks->len; b++) {
    const SmbBlockRecord *block = g_ptr_array_index(blocks, b);
    for (guint r = 0; r < block->requests->len; r++) {
      const SmbTimedRequest *request = &g_array_index(block->requests, SmbTimedRequest, r);
      Reach *reach = &reaches[request->site];
      for (guint i = 0; !request->is_local && i < request->n; i++) {
        const SmbTimedLine *line = &g_array_index(block->lines, SmbTimedLine, request->first + i);
        reach->first = reach->asked ? MIN(reach->first, line->line) : line->line;
        reach->last = MAX(reach->last, line->line);
        reach->asked += (guint)__builtin_popcount(smb_sector_pairs(line->sectors));
        reach->is_load = request->is_load;
        reach->is_store = request->is_store;
      }
    }
  }
  return reaches;
}

// Whether the smaller one of two numbers is more than half of the other one.
static gboolean
differ_little(guint64 a, guint64 b) {
  return 2 * MIN(a, b) > MAX(a, b);
}

static gboolean
are_of_one_table(const Reach *a, const Reach *b) {
  guint64 from = MAX(a->first, b->first), to = MIN(a->last, b->last);
  guint64 longest = MAX(a->last - a->first, b->last - b->first);
  return a->is_load == b->is_load && a->is_store == b->is_store &&
         differ_little(a->asked, b->asked) && to > from && differ_little(to - from, longest);
}

guint32 *
smb_scatter_groups(const GPtrArray *blocks, guint n_sites) {
  guint32 *groups = g_new0(guint32, n_sites + 1);
  g_autofree Reach *reaches = find_reaches(blocks, n_sites);
  for (guint s = 0; s < n_sites; s++) {
    guint of = 0;
    while (of < s && !(groups[of] == of && are_of_one_table(&reaches[of], &reaches[s])))
      of++;
    groups[s] = of;
  }
  return groups;
}

// What blocks have in common at the sites of a group.
typedef struct {
  double asked;    // pairs of sectors, of all blocks
  double distinct; // of these
  double products; // of what two blocks ask for, of all pairs of blocks
  double common;   // that two blocks ask for, the same
  guint meetings;  // pairs of blocks that have any in common
  guint now;       // in common, of the blocks that are looked at
} Common;

// Pairs of sectors that a block asks for, by group: a hash of both → the group, from 1. @sizes: (out): by group
static GHashTable *
collect_pairs(const SmbBlockRecord *block, const guint32 *groups, guint *sizes) {
  GHashTable *pairs = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint r = 0; r < block->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(block->requests, SmbTimedRequest, r);
    for (guint i = 0; !request->is_local && i < request->n; i++) {
      const SmbTimedLine *line = &g_array_index(block->lines, SmbTimedLine, request->first + i);
      for (guint rest = smb_sector_pairs(line->sectors); rest; rest &= rest - 1) {
        guint32 group = groups[request->site];
        guint64 key = 0;
        smb_hash_mix(&key, group + 1);
        smb_hash_mix(&key, line->line * SMB_LINE_SECTORS + (guint)__builtin_ctz(rest));
        if (g_hash_table_insert(pairs, GSIZE_TO_POINTER(key), GUINT_TO_POINTER(group + 1)))
          sizes[group]++;
      }
    }
  }
  return pairs;
}

static void
compare_pairs(GHashTable *some, GHashTable *others, Common *common) {
  GHashTableIter iter;
  gpointer key, group;
  g_hash_table_iter_init(&iter, some);
  while (g_hash_table_iter_next(&iter, &key, &group)) {
    if (g_hash_table_contains(others, key))
      common[GPOINTER_TO_UINT(group) - 1].now++;
  }
}

// How many of what a block asks for no block before has asked for.
static void
count_distinct_pairs(GHashTable *all, GHashTable *some, Common *common) {
  GHashTableIter iter;
  gpointer key, group;
  g_hash_table_iter_init(&iter, some);
  while (g_hash_table_iter_next(&iter, &key, &group))
    common[GPOINTER_TO_UINT(group) - 1].distinct += g_hash_table_add(all, key);
}

// How many of @size places @asked random ones are.
static double
count_different(double size, double asked) {
  return size * (1 - exp(-asked / size));
}

// The size of a table of which so many random places are as many different ones.
static double
find_table_size(double asked, double distinct) {
  enum {
    STEPS = 60
  };
  double least = distinct, most = asked * asked;
  for (guint i = 0; i < STEPS; i++) {
    double size = sqrt(least * most);
    if (count_different(size, asked) < distinct)
      least = size;
    else
      most = size;
  }
  return least;
}

// It is by chance that blocks have something in common if several do, and if all together ask for about as many as so many random ones are: not
// if they share a part and have another of their own, or if only neighbours share.
static double
find_table(const Common *common) {
  if (common->meetings < MIN_MEETINGS)
    return 0;
  double expected = count_different(common->products / common->common, common->asked);
  return common->distinct <= MOST_DISTINCT * expected
             ? find_table_size(common->asked, common->distinct)
             : 0;
}

double *
smb_scatter_tables(const GPtrArray *blocks, const guint32 *groups, guint n_sites) {
  g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
  g_autoptr(GHashTable) all = g_hash_table_new(g_direct_hash, g_direct_equal);
  g_autofree guint *sizes = g_new0(guint, (gsize)blocks->len * (n_sites + 1));
  g_autofree Common *common = g_new0(Common, n_sites + 1);
  double *tables = g_new0(double, n_sites + 1);
  for (guint b = 0; b < blocks->len; b++) {
    GHashTable *set =
        collect_pairs(g_ptr_array_index(blocks, b), groups, &sizes[b * (n_sites + 1)]);
    count_distinct_pairs(all, set, common);
    g_ptr_array_add(sets, set);
  }
  for (guint a = 0; a < sets->len; a++) {
    const guint *of_a = &sizes[a * (n_sites + 1)];
    for (guint s = 0; s < n_sites; s++)
      common[s].asked += of_a[s];
    for (guint b = a + 1; b < sets->len; b++) {
      compare_pairs(g_ptr_array_index(sets, a), g_ptr_array_index(sets, b), common);
      for (guint s = 0; s < n_sites; s++) {
        common[s].products += (double)of_a[s] * sizes[b * (n_sites + 1) + s];
        common[s].common += common[s].now;
        common[s].meetings += common[s].now > 0;
        common[s].now = 0;
      }
    }
  }
  for (guint s = 0; s < n_sites; s++)
    tables[s] = find_table(&common[groups[s]]);
  return tables;
}
