// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part of a launch as JSON has it: of the sites that it has to do with, the numbers and names. Numbers that make one
// value are an array. Private to sim/analysis/part*.c.
#pragma once

#include "sim/analysis/impl.h"
#include "sim/base/json-member.h"

/** A place that an instruction is inlined through. */
typedef struct {
  char *file;
  guint64 line;
} FrameRow;

/** SiteRow: SmbSite, with smb_launch_data_source() of it. */
typedef struct {
  guint64 site;
  char *file;
  guint64 line;
  guint64 column;
  guint64 offset;
  char *expression;
  guint64 op_class;
  guint64 width;
  gboolean no_rule;
  gboolean may_merge;
  char *opcode;
  guint64 pc;
  GPtrArray *frames;
  char *data_source;
  gboolean data_address;
} SiteRow;

/**
 * SharedRow: SmbAccess
 * @worst: (nullable): as a trace has it; %NULL: nothing is counted
 * @source: (nullable): SmbRequest.source of it
 * @loops: requests, loads, wavefronts of loads, swaps
 * @warps: for each warp that made requests its number, then what a tally has
 */
typedef struct {
  guint64 site;
  char *array;
  guint64 first_block;
  guint64 uncounted;
  guint64 no_source;
  guint64 lanes;
  char *worst;
  GArray *source;
  guint64 worst_block;
  guint64 worst_warp;
  GArray *loops;
  GArray *warps;
} SharedRow;

/** GlobalRow: SmbGlobalAccess; @numbers: requests, segments, ideal, most of a request, bytes. */
typedef struct {
  guint64 site;
  char *buffer;
  guint64 first_block;
  GArray *numbers;
} GlobalRow;

/** ConstantRow: SmbConstantAccess. */
typedef struct {
  guint64 site;
  char *variable;
  guint64 first_block;
  guint64 uncounted;
  GArray *tally;
} ConstantRow;

/** TrafficRow: SmbOtherTraffic. */
typedef struct {
  guint64 site;
  guint64 kind;
  guint64 executions;
  guint64 unsized;
  guint64 bytes;
} TrafficRow;

/** WarningRow: SmbAnalysisWarning. */
typedef struct {
  guint64 kind;
  guint64 site;
  guint64 other;
  guint64 block;
  char *message;
} WarningRow;

/** PartRow: SmbPart and its sums; @variants: (nullable) (element-type PartRow). */
struct _PartRow {
  guint64 blocks;
  gboolean in_order;
  gboolean misses_others;
  gboolean by_instruction; // counted as profilers do, per instruction (sim/count/instruction.h)
  char *irregular;
  char *idle;
  GArray *idle_place; // offset, line, column, site: as of Sums
  GStrv parameters;
  GPtrArray *sites;
  GPtrArray *shared;
  GPtrArray *global;
  GPtrArray *constant;
  GPtrArray *traffic;
  GPtrArray *warnings;
  GPtrArray *variants;
};

/** A row whose lists are empty, without @idle_place and @parameters, and lists for it. */
PartRow *smb_part_row_new(void);
GPtrArray *smb_frame_rows_new(void);
GPtrArray *smb_variant_rows_new(void);
void smb_part_row_free(PartRow *row);

void smb_part_row_write(const PartRow *row, GString *json);
PartRow *smb_part_row_read(const SmbPlace *place, JsonNode *node, GError **error);
