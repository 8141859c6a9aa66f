// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts copies from global memory by where their bytes come from, as Nsight Compute does (doc/model.md).
#include "sim/arch/rule.h"
#include "sim/count/copy.h"
#include "sim/count/wavefront-impl.h"

enum {
  LINE_SECTORS = SMB_SOURCE_LINE_BYTES / SMB_SOURCE_SECTOR_BYTES,
  HALF_BYTES = SMB_SOURCE_SECTOR_BYTES / 2,
};

// --- what is noted besides the count, where it is asked for: @copy is NULL else

static guint
count_bytes(const SmbRequest *request, SmbLanes lanes) {
  guint bytes = smb_lanes_count(lanes) * request->width;
  return (bytes + SMB_SOURCE_LINE_BYTES - 1) / SMB_SOURCE_LINE_BYTES;
}

// Adds @n wavefronts, of which the first ones serve @lanes.
static void
add_copy_wavefronts(SmbCopy *copy, const SmbLanes *lanes, guint n) {
  for (guint i = 0; copy && i < n && copy->n < SMB_COPY_MAX_WAVEFRONTS; i++)
    copy->lanes[copy->n++] = lanes[i];
}

static void
note_part(SmbCopy *copy, guint line, SmbLanes lanes, guint wavefronts, guint ideal) {
  if (!copy || !wavefronts || copy->n_parts == SMB_COPY_MAX_WAVEFRONTS)
    return;
  copy->parts[copy->n_parts++] = (SmbCopyPart){
      .line = line,
      .lanes = lanes,
      .first = copy->n - MIN(copy->n, wavefronts),
      .wavefronts = wavefronts,
      .ideal = ideal,
  };
}

// A part is N-way if it takes N times the wavefronts that its bytes fill.
static guint
count_ways(guint wavefronts, guint ideal) {
  return ideal ? (wavefronts + ideal - 1) / ideal : 0;
}

// --- by banks: through the first-level cache, and zeros

// The lanes of a group, by bank of shared memory and of the source, which has as many: each is as wide as the access.
typedef struct {
  SmbLanes writes[SMB_SOURCE_LINE_WORDS];
  SmbLanes reads[SMB_SOURCE_LINE_WORDS];
} Banks;

static guint
find_bank(guint32 word, guint width) {
  return word * 4 / width % (SMB_SOURCE_LINE_BYTES / width);
}

static Banks
find_copy_banks(const SmbRequest *request, SmbLanes lanes) {
  Banks banks = {.writes = {0}};
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    SmbLanes one = (SmbLanes)1 << lane;
    banks.writes[find_bank(request->offset[lane] / 4, request->width)] |= one;
    if (request->source[lane] != SMB_SOURCE_NONE)
      banks.reads[find_bank(request->source[lane], request->width)] |= one;
  }
  return banks;
}

// The lanes that write to the bank of one, and those that read from its bank of the source.
static void
find_copy_conflicts(const SmbRequest *request, const Banks *banks, guint lane, SmbLanes *writes,
                    SmbLanes *reads) {
  guint source = request->source[lane];
  *writes = banks->writes[find_bank(request->offset[lane] / 4, request->width)];
  *reads = source == SMB_SOURCE_NONE ? 0 : banks->reads[find_bank(source, request->width)];
}

void
smb_request_meets(const SmbRequest *request, SmbLanes lanes, guint lane, SmbLanes *writes,
                  SmbLanes *reads) {
  const Banks banks = find_copy_banks(request, lanes);
  find_copy_conflicts(request, &banks, lane, writes, reads);
}

// Lanes of one group are not served together that write to one bank, or read from one, also the same word; those that
// write zeros read from none. A group takes as many wavefronts as the lane that meets the most of these, itself among
// them. @served: lanes that can be served together, first come, first served.
static guint
count_copy_group(const SmbRequest *request, SmbLanes lanes, SmbLanes *served) {
  const Banks banks = find_copy_banks(request, lanes);
  guint most = 0;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes), turn = 0;
    SmbLanes writes, reads;
    find_copy_conflicts(request, &banks, lane, &writes, &reads);
    most = MAX(most, smb_lanes_count(writes | reads));
    while (served && served[turn] & (writes | reads))
      turn++;
    if (served)
      served[turn] |= (SmbLanes)1 << lane;
  }
  return most;
}

// Group after group. @ways: (inout): of the group that is worst off
static guint
count_by_groups(const SmbPlan *plan, const SmbRequest *request, guint *ways, SmbCopy *copy) {
  guint wavefronts = 0;
  for (guint group = 0; group < plan->n_groups; group++) {
    SmbLanes lanes = request->mask & plan->groups[group], served[SMB_MAX_LANES + 1] = {0};
    guint turns = count_copy_group(request, lanes, copy ? served : NULL);
    guint ideal = count_bytes(request, lanes);
    *ways = MAX(*ways, count_ways(turns, ideal));
    wavefronts += turns;
    add_copy_wavefronts(copy, served, turns);
    note_part(copy, SMB_COPY_BANKS, lanes, turns, ideal);
  }
  return wavefronts;
}

// --- by lines: past the first-level cache

// Bytes of one sector that go to one column of one row of shared memory: columns are as wide as sectors, rows as lines.
typedef struct {
  guint32 row;
  guint8 sector;
  guint8 column;
  guint8 halves;   // of the column that are written, as bits
  gboolean turned; // the halves of the sector become each other's in the column
  SmbLanes lanes;
} Way;

static Way
find_way(const SmbRequest *request, guint lane) {
  guint to = request->offset[lane] / HALF_BYTES, from = request->source[lane] * 4u / HALF_BYTES;
  return (Way){.row = request->offset[lane] / SMB_SOURCE_LINE_BYTES,
               .sector = from / 2 % LINE_SECTORS,
               .column = to / 2 % LINE_SECTORS,
               .halves = (guint8)(1 << to % 2),
               .turned = (from ^ to) & 1,
               .lanes = (SmbLanes)1 << lane};
}

// Sectors that are half a line apart and columns that are half a row apart go together.
static gboolean
shares_pass(const Way *a, const Way *b) {
  return a->row == b->row && a->turned == b->turned && a->halves == b->halves &&
         ((a->sector ^ a->column ^ b->sector ^ b->column) & 1) == 0;
}

// The ways of lanes that read one line. Returns how many.
static guint
find_ways(const SmbRequest *request, SmbLanes lanes, Way *ways) {
  guint n = 0;
  for (; lanes; lanes &= lanes - 1) {
    Way way = find_way(request, smb_lanes_first(lanes));
    guint i = 0;
    while (i < n && (ways[i].row != way.row || ways[i].turned != way.turned ||
                     ways[i].sector != way.sector || ways[i].column != way.column))
      i++;
    if (i == n)
      ways[n++] = way;
    ways[i].halves |= way.halves;
    ways[i].lanes |= way.lanes;
  }
  return n;
}

// Deals ways that are alike to @n wavefronts, in each of which every sector and column has its own: there are as many
// as the most that leave one or come to one, which always do (D. Koenig, 1916). Returns whether the rest, from @i on,
// could be dealt.
static gboolean
deal_ways(const Way *const *ways, guint n_ways, guint i, guint n, const Way *dealt[][LINE_SECTORS],
          SmbLanes *served) {
  if (i == n_ways)
    return TRUE;
  const Way *way = ways[i];
  for (guint turn = 0; turn < n; turn++) {
    gboolean is_free = !dealt[turn][way->sector];
    for (guint sector = 0; sector < LINE_SECTORS; sector++)
      is_free = is_free && !(dealt[turn][sector] && dealt[turn][sector]->column == way->column);
    if (!is_free)
      continue;
    dealt[turn][way->sector] = way;
    served[turn] |= way->lanes;
    if (deal_ways(ways, n_ways, i + 1, n, dealt, served))
      return TRUE;
    dealt[turn][way->sector] = NULL;
    served[turn] &= ~way->lanes;
  }
  return FALSE;
}

static void
note_ways(SmbCopy *copy, const Way *const *ways, guint n_ways, guint n) {
  const Way *dealt[SMB_MAX_LANES][LINE_SECTORS] = {{NULL}};
  SmbLanes served[SMB_MAX_LANES] = {0};
  deal_ways(ways, n_ways, 0, n, dealt, served);
  add_copy_wavefronts(copy, served, n);
}

// The ways that are alike take as many wavefronts as the most of them leave one sector or come to one column.
static guint
count_round(const SmbRequest *request, SmbLanes lanes, SmbCopy *copy) {
  Way all[SMB_MAX_LANES];
  const Way *ways[SMB_MAX_LANES], *alike[SMB_MAX_LANES];
  guint wavefronts = 0, n = find_ways(request, lanes, all);
  for (guint i = 0; i < n; i++)
    ways[i] = &all[i];
  for (guint left = 0; n > 0; n = left) {
    guint of_sector[LINE_SECTORS] = {0}, of_column[LINE_SECTORS] = {0}, most = 0, n_alike = 0;
    const Way *first = ways[0];
    left = 0;
    for (guint i = 0; i < n; i++) {
      const Way *way = ways[i];
      if (!shares_pass(first, way)) {
        ways[left++] = way;
        continue;
      }
      alike[n_alike++] = way;
      of_sector[way->sector]++;
      of_column[way->column]++;
      most = MAX(most, MAX(of_sector[way->sector], of_column[way->column]));
    }
    wavefronts += most;
    if (copy)
      note_ways(copy, alike, n_alike, most);
  }
  return wavefronts;
}

// Of @lanes that copy the same bytes to one row, and turn them alike, the highest.
static SmbLanes
find_round(const SmbRequest *request, SmbLanes lanes) {
  SmbLanes round = 0;
  while (lanes) {
    guint lane = smb_lanes_last(lanes);
    Way way = find_way(request, lane);
    gboolean is_taken = FALSE;
    for (SmbLanes rest = round; rest; rest &= rest - 1) {
      guint other = smb_lanes_first(rest);
      Way taken = find_way(request, other);
      is_taken |= request->source[other] == request->source[lane] && taken.row == way.row &&
                  taken.turned == way.turned;
    }
    round |= (SmbLanes)!is_taken << lane;
    lanes &= ~((SmbLanes)1 << lane);
  }
  return round;
}

// Of the lanes that write to one place the lowest one does.
static SmbLanes
find_writers(const SmbRequest *request, SmbLanes lanes) {
  SmbLanes writers = lanes;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    for (SmbLanes rest = writers & lanes & (lanes - 1); rest; rest &= rest - 1) {
      guint other = smb_lanes_first(rest);
      if (request->offset[other] == request->offset[lane])
        writers &= ~((SmbLanes)1 << other);
    }
  }
  return writers;
}

// The lanes that read the line of the lowest of @lanes.
static SmbLanes
find_source_line(const SmbRequest *request, SmbLanes lanes) {
  guint line = request->source[smb_lanes_first(lanes)] / SMB_SOURCE_LINE_WORDS;
  SmbLanes same = 0;
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    same |= (SmbLanes)(request->source[lane] / SMB_SOURCE_LINE_WORDS == line) << lane;
  }
  return same;
}

// Line after line of the source, in rounds in which each lane reads other bytes. @ways: (inout): of the line that is
// worst off
static guint
count_source_lines(const SmbRequest *request, SmbLanes copies, guint *ways, SmbCopy *copy) {
  guint all = 0;
  while (copies) {
    SmbLanes lanes = find_source_line(request, copies);
    guint line = request->source[smb_lanes_first(lanes)] / SMB_SOURCE_LINE_WORDS;
    guint wavefronts = 0, ideal = count_bytes(request, lanes);
    copies &= ~lanes;
    for (SmbLanes left = lanes; left;) {
      SmbLanes round = find_round(request, left);
      wavefronts += count_round(request, round, copy);
      left &= ~round;
    }
    *ways = MAX(*ways, count_ways(wavefronts, ideal));
    all += wavefronts;
    note_part(copy, line, lanes, wavefronts, ideal);
  }
  return all;
}

// --- both

// Past the first-level cache a request goes by lines, and by banks as well if a lane of it writes zeros.
static SmbWavefronts
count_copy(const SmbPlan *plan, const SmbRequest *request, SmbCopy *copy) {
  SmbWavefronts result = {0};
  SmbRequest active = *request;
  active.mask &= plan->lanes;
  SmbLanes zeros = smb_request_zeros(&active);
  gboolean by_lines = active.op == SMB_OP_CP_ASYNC_CG, by_banks = !by_lines || zeros;
  guint ways = 0;
  if (by_banks) {
    result.wavefronts = count_by_groups(plan, &active, &ways, copy);
    result.ideal = count_bytes(&active, active.mask);
  }
  if (by_lines) {
    SmbLanes copies = find_writers(&active, active.mask) & ~zeros;
    result.wavefronts += count_source_lines(&active, copies, &ways, copy);
    result.ideal += count_bytes(&active, copies);
  }
  result.ideal = MIN(result.ideal, result.wavefronts);
  result.degree = MAX(ways, count_ways(result.wavefronts, result.ideal));
  result.excess = result.wavefronts - result.ideal;
  result.cycles =
      result.wavefronts ? MAX(result.wavefronts * plan->cycles, (guint32)plan->floor) : 0;
  return result;
}

SmbWavefronts
smb_count_copy(const SmbPlan *plan, const SmbRequest *request) {
  return count_copy(plan, request, NULL);
}

SmbCopy
smb_request_copy(const SmbArch *arch, const SmbRequest *request) {
  SmbCopy copy = {.n = 0};
  count_copy(smb_wavefronts_plan(arch, request), request, &copy);
  return copy;
}

guint
smb_request_rows(const SmbRequest *request, SmbLanes lanes) {
  guint n = 0;
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint32 row = request->offset[smb_lanes_first(rest)] / SMB_SOURCE_LINE_BYTES;
    gboolean is_new = TRUE;
    for (SmbLanes before = lanes & ~rest; before; before &= before - 1)
      is_new = is_new && request->offset[smb_lanes_first(before)] / SMB_SOURCE_LINE_BYTES != row;
    n += is_new;
  }
  return n;
}

gboolean
smb_wavefronts_copy_is_known(const SmbArch *arch, const SmbRequest *request) {
  return request->has_source &&
         smb_arch_rule(arch, (SmbOp)request->op, request->width)->plan.source_lines;
}
