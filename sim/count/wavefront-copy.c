// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts copies from global memory by where their bytes come from, as Nsight Compute does (doc/model.md).
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

enum {
  LINE_SECTORS = SMB_SOURCE_LINE_BYTES / SMB_SOURCE_SECTOR_BYTES,
  HALF_BYTES = SMB_SOURCE_SECTOR_BYTES / 2,
};

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
find_banks(const SmbRequest *request, SmbLanes lanes) {
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

// Lanes of one group are not served together that write to one bank, or read from one, also the same word; those that write zeros
// read from none. A group takes as many wavefronts as the lane that meets the most of these, itself among them. @degree: the
// most that write to one bank.
static guint
count_group(const SmbRequest *request, SmbLanes lanes, guint *degree) {
  const Banks banks = find_banks(request, lanes);
  guint most = 0;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes), source = request->source[lane];
    SmbLanes writes = banks.writes[find_bank(request->offset[lane] / 4, request->width)];
    SmbLanes reads = source == SMB_SOURCE_NONE ? 0 : banks.reads[find_bank(source, request->width)];
    most = MAX(most, smb_lanes_count(writes | reads));
    *degree = MAX(*degree, smb_lanes_count(writes));
  }
  return most;
}

// --- by lines: past the first-level cache

// Bytes of one sector that go to one column of one row of shared memory: columns are as wide as sectors, rows as lines.
typedef struct {
  guint32 row;
  guint8 sector;
  guint8 column;
  guint8 halves;   // of the column that are written, as bits
  gboolean turned; // the halves of the sector become each other's in the column
} Way;

static Way
find_way(const SmbRequest *request, guint lane) {
  guint to = request->offset[lane] / HALF_BYTES, from = request->source[lane] * 4u / HALF_BYTES;
  return (Way){.row = request->offset[lane] / SMB_SOURCE_LINE_BYTES,
               .sector = from / 2 % LINE_SECTORS,
               .column = to / 2 % LINE_SECTORS,
               .halves = (guint8)(1 << to % 2),
               .turned = (from ^ to) & 1};
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
  }
  return n;
}

// The ways that are alike take as many wavefronts as the most of them leave one sector or come to one column.
static guint
count_round(const SmbRequest *request, SmbLanes lanes) {
  Way ways[SMB_MAX_LANES];
  guint wavefronts = 0;
  for (guint n = find_ways(request, lanes, ways), left = 0; n > 0; n = left) {
    guint of_sector[LINE_SECTORS] = {0}, of_column[LINE_SECTORS] = {0}, most = 0;
    Way first = ways[0];
    left = 0;
    for (guint i = 0; i < n; i++) {
      Way way = ways[i];
      if (!shares_pass(&first, &way)) {
        ways[left++] = way;
        continue;
      }
      of_sector[way.sector]++;
      of_column[way.column]++;
      most = MAX(most, MAX(of_sector[way.sector], of_column[way.column]));
    }
    wavefronts += most;
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
find_line(const SmbRequest *request, SmbLanes lanes) {
  guint line = request->source[smb_lanes_first(lanes)] / SMB_SOURCE_LINE_WORDS;
  SmbLanes same = 0;
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    same |= (SmbLanes)(request->source[lane] / SMB_SOURCE_LINE_WORDS == line) << lane;
  }
  return same;
}

// Line after line of the source, in rounds in which each lane reads other bytes.
static guint
count_lines(const SmbRequest *request, SmbLanes copies) {
  guint wavefronts = 0;
  while (copies) {
    SmbLanes lanes = find_line(request, copies);
    copies &= ~lanes;
    while (lanes) {
      SmbLanes round = find_round(request, lanes);
      wavefronts += count_round(request, round);
      lanes &= ~round;
    }
  }
  return wavefronts;
}

// --- both

static guint
count_bytes(const SmbRequest *request, SmbLanes lanes) {
  guint bytes = smb_lanes_count(lanes) * request->width;
  return (bytes + SMB_SOURCE_LINE_BYTES - 1) / SMB_SOURCE_LINE_BYTES;
}

// Past the first-level cache a request goes by lines, and by banks as well if a lane of it writes zeros.
SmbWavefronts
smb_count_copy(const SmbPlan *plan, const SmbRequest *request) {
  SmbWavefronts result = {0};
  SmbRequest active = *request;
  active.mask &= plan->lanes;
  SmbLanes zeros = smb_request_zeros(&active);
  gboolean by_lines = active.op == SMB_OP_CP_ASYNC_CG, by_banks = !by_lines || zeros;
  for (guint group = 0; group < plan->n_groups; group++) {
    guint turns = count_group(&active, active.mask & plan->groups[group], &result.degree);
    result.wavefronts += by_banks ? turns : 0;
  }
  result.ideal = by_banks ? count_bytes(&active, active.mask) : 0;
  if (by_lines) {
    SmbLanes copies = find_writers(&active, active.mask) & ~zeros;
    result.wavefronts += count_lines(&active, copies);
    result.ideal += count_bytes(&active, copies);
  }
  result.ideal = MIN(result.ideal, result.wavefronts);
  result.excess = result.wavefronts - result.ideal;
  result.cycles =
      result.wavefronts ? MAX(result.wavefronts * plan->cycles, (guint32)plan->floor) : 0;
  return result;
}

gboolean
smb_wavefronts_copy_is_known(const SmbArch *arch, const SmbRequest *request) {
  return request->has_source &&
         smb_arch_rule(arch, (SmbOp)request->op, request->width)->plan.source_lines;
}
