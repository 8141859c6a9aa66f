// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part of a launch as JSON, and back: of the program the places that the part has to do with, and what was counted
// there, by the tables of sums.c. Nothing that is read is trusted.
#include <string.h>

#include "sim/analysis/impl.h"
#include "sim/arch/arch.h"
#include "sim/count/instruction-counter.h"
#include "sim/machine/front-end.h"
#include "sim/trace/trace-line.h"

enum {
  MAX_SITES = 1 << 18, // for a kernel: its instructions
};

#define AT SMB_MEMBER_AT

// A number of 32 bits from 0 to @most: of an enumeration, or of a place.
#define NUMBER(name, Type, member, most)                                                           \
  { name, MEMBER_REQUIRED, SMB_MEMBER_MOST, AT(Type, member), NULL, NULL, most }
#define SMALL(name, Type, member) NUMBER(name, Type, member, G_MAXUINT32)
#define FLAG(name, Type, member)                                                                   \
  { name, MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Type, member) }
#define TEXT(name, Type, member)                                                                   \
  { name, MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Type, member) }
#define TEXT_IF(name, Type, member)                                                                \
  { name, MEMBER_ABSENT, SMB_MEMBER_KEPT, AT(Type, member) }
#define OF(name, Type, member, table)                                                              \
  { name, MEMBER_REQUIRED, NULL, NULL, AT(Type, member), NULL, &(table) }

static const SmbMember frame_members[] = {
    TEXT("file", SmbFrame, file),
    SMALL("line", SmbFrame, line),
};
static const SmbMembers frame_table = {SMB_MEMBERS(frame_members), sizeof(SmbFrame)};

static const SmbMember site_members[] = {
    NUMBER("site", PartSite, site, MAX_SITES - 1),
    TEXT_IF("file", PartSite, place.file),
    SMALL("line", PartSite, place.line),
    SMALL("column", PartSite, place.column),
    SMALL("offset", PartSite, place.offset),
    TEXT("expression", PartSite, place.expression),
    NUMBER("op_class", PartSite, place.op_class, SMB_N_OP_CLASSES - 1),
    NUMBER("width", PartSite, place.width, SMB_MAX_WIDTH),
    FLAG("no_rule", PartSite, place.no_rule),
    FLAG("may_merge", PartSite, place.may_merge),
    TEXT_IF("opcode", PartSite, place.opcode),
    SMALL("pc", PartSite, place.pc),
    OF("frames", PartSite, frames, frame_table),
    TEXT_IF("data_source", PartSite, data_source),
    FLAG("data_address", PartSite, data_address),
};

static void
clear_site(gpointer site) {
  g_clear_pointer(&((PartSite *)site)->frames, g_array_unref);
}

static const SmbMembers site_table = {SMB_MEMBERS(site_members), sizeof(PartSite), clear_site};

gboolean
smb_part_sites_equal(const PartSite *a, const PartSite *b) {
  return smb_members_equal(SMB_MEMBERS(site_members), a, b);
}

static const SmbMember warning_members[] = {
    NUMBER("kind", SmbAnalysisWarning, kind, SMB_WARNING_UNCOUNTED),
    SMALL("site", SmbAnalysisWarning, site),
    SMALL("other", SmbAnalysisWarning, other),
    {"block", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(SmbAnalysisWarning, block)},
    TEXT("message", SmbAnalysisWarning, message),
    {"hint", MEMBER_ABSENT, SMB_MEMBER_MOST, AT(SmbAnalysisWarning, hint.kind),
     .most = SMB_HINT_UNKNOWN},
    TEXT_IF("hint_name", SmbAnalysisWarning, hint.name),
    TEXT_IF("hint_value", SmbAnalysisWarning, hint.value),
};
static const SmbMembers warning_table = {SMB_MEMBERS(warning_members), sizeof(SmbAnalysisWarning)};

static const SmbMember idle_members[] = {
    SMALL("place", Sums, idle_place),
    SMALL("line", Sums, idle_line),
    SMALL("column", Sums, idle_column),
    SMALL("site", Sums, idle_site),
};
static const SmbMembers idle_table = {SMB_MEMBERS(idle_members)};

static const SmbMember part_members[] = {
    {"blocks", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(SmbPart, n_run)},
    FLAG("in_order", SmbPart, in_order),
    FLAG("misses_others", SmbPart, sums.misses_others),
    FLAG("by_instruction", SmbPart, by_instruction),
    TEXT_IF("irregular", SmbPart, irregular),
    TEXT_IF("assumed", SmbPart, assumed),
    {"idle", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(SmbPart, sums.idle)},
    OF("idle_place", SmbPart, sums, idle_table),
    {"parameters", MEMBER_REQUIRED, SMB_MEMBER_TEXTS, AT(SmbPart, parameters)},
    OF("sites", SmbPart, sites, site_table),
    // What comes after these is of the sites.
    {"shared", MEMBER_REQUIRED},
    {"global", MEMBER_REQUIRED},
    {"constant", MEMBER_REQUIRED},
    {"traffic", MEMBER_REQUIRED},
    {"warnings", MEMBER_REQUIRED},
    {"variants", MEMBER_ABSENT},
};

// --- writing

static void
write_worst_request(GString *json, const SmbAccess *access, guint lanes) {
  g_string_append(json, ",\"worst\":\"");
  smb_trace_append_request(json, &access->worst, lanes);
  g_string_append(json, access->worst.has_source ? "\",\"source\":" : "\"");
  for (guint lane = 0; access->worst.has_source && lane < lanes; lane++)
    g_string_append_printf(json, "%c%u", lane ? ',' : '[', access->worst.source[lane]);
  g_string_append(json, access->worst.has_source ? "]" : "");
}

static void
write_kind(GString *json, const Sums *sums, guint index, guint lanes) {
  const SumsKind *kind = &smb_sums_kinds[index];
  const char *before = "";
  g_string_append_printf(json, ",\"%s\":[", kind->rows);
  for (guint site = 0; site < sums->n_sites; site++) {
    gconstpointer element = smb_sums_find(sums, index, site);
    if (!element)
      continue;
    g_string_append_printf(json, "%s{\"site\":%u,", before, site);
    smb_members_write(json, kind->members, kind->n_members, element, ",");
    if (index == SUMS_SHARED && ((const SmbAccess *)element)->worst.width)
      write_worst_request(json, element, lanes);
    g_string_append_c(json, '}');
    before = ",";
  }
  g_string_append_c(json, ']');
}

static GArray *
copy_frames(const SmbSite *site) {
  GArray *frames = g_array_new(FALSE, TRUE, sizeof(SmbFrame));
  if (site->n_frames)
    g_array_append_vals(frames, site->frames, site->n_frames);
  return frames;
}

// The places that the sums and the warnings of a part have to do with.
static GArray *
list_sites(const Sums *sums, const SmbProgram *program, const SmbLaunch *launch) {
  GArray *sites = g_array_new(FALSE, TRUE, sizeof(PartSite));
  g_array_set_clear_func(sites, clear_site);
  g_autofree gboolean *is_used = g_new0(gboolean, sums->n_sites + 1);
  for (guint i = 0; i < sums->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(sums->warnings, SmbAnalysisWarning, i);
    is_used[warning->site] = is_used[warning->other] = TRUE;
  }
  if (sums->idle_site)
    is_used[sums->idle_site - 1] = TRUE;
  for (guint index = 0; index < sums->n_sites; index++) {
    PartSite site = {.site = index, .place = *smb_program_site(program, index)};
    for (guint kind = 0; kind < N_SUMS; kind++)
      is_used[index] = is_used[index] || smb_sums_find(sums, kind, index);
    if (!is_used[index])
      continue;
    site.data_source = smb_launch_data_source(launch, program, index, &site.data_address);
    site.frames = copy_frames(&site.place);
    g_array_append_val(sites, site);
  }
  return sites;
}

void
smb_part_write(const SmbPart *part, const SmbProgram *program, const SmbLaunch *launch,
               GString *json) {
  const Sums *sums = &part->sums;
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  for (guint i = 0; i < smb_program_n_parameters(program); i++)
    g_strv_builder_add(names, smb_program_parameter(program, i).name);
  g_auto(GStrv) parameters = g_strv_builder_end(names);
  g_autoptr(GArray) sites = list_sites(sums, program, launch);
  SmbPart written = *part;
  written.by_instruction = smb_program_is_machine_code(program);
  written.irregular = program->irregular;
  written.assumed = program->assumed;
  written.parameters = parameters;
  written.sites = sites;
  g_string_append_c(json, '{');
  smb_members_write(json, SMB_MEMBERS(part_members), &written, ",");
  for (guint kind = 0; kind < N_SUMS; kind++)
    write_kind(json, sums, kind, program->lanes);
  g_string_append(json, ",\"warnings\":");
  smb_members_write_value(json, &warning_table, &sums->warnings);
  for (guint i = 0; part->variants && i < part->variants->len; i++) {
    g_string_append(json, i ? "," : ",\"variants\":[");
    smb_part_write(g_ptr_array_index(part->variants, i), program, launch, json);
  }
  g_string_append(json, part->variants ? part->variants->len ? "]}" : ",\"variants\":[]}" : "}");
}

// --- reading

// A part that is read, and where.
typedef struct {
  const SmbPlace *place;
  JsonObject *object;
  const SmbArch *arch;
  SmbPart *part;
  const gboolean *is_listed; // by site
} Reading;

static gboolean
check_site(const Reading *reading, const SmbPlace *place, guint site, GError **error) {
  return (site < reading->part->sums.n_sites && reading->is_listed[site]) ||
         smb_member_fail(place, error, "a place that no part of a launch has");
}

static gboolean
read_request_source(const SmbPlace *place, JsonNode *node, SmbRequest *request, GError **error) {
  guint numbers[SMB_MAX_LANES];
  SmbMember lanes[SMB_MAX_LANES];
  guint n = JSON_NODE_HOLDS_ARRAY(node) ? json_array_get_length(json_node_get_array(node)) : 0;
  const SmbMembers of = {lanes, MIN(n, SMB_MAX_LANES)};
  for (guint lane = 0; lane < of.n; lane++)
    lanes[lane] = (SmbMember){.offset = lane * sizeof *numbers, .most = G_MAXUINT16};
  if (!smb_members_read_value(place, node, &of, numbers, error))
    return FALSE;
  request->has_source = TRUE;
  for (guint lane = 0; lane < of.n; lane++)
    request->source[lane] = (guint16)numbers[lane];
  return TRUE;
}

static gboolean
read_worst(const Reading *reading, const SmbPlace *row, JsonObject *object, SmbAccess *access,
           GError **error) {
  const SmbPlace place = {row, "worst", 0}, of_source = {row, "source", 0};
  JsonNode *node = json_object_get_member(object, "worst");
  JsonNode *source = json_object_get_member(object, "source");
  g_autofree char *words = NULL;
  if (!smb_member_words(&place, node, &words, error))
    return FALSE;
  g_autofree char *text = g_strconcat(words, "\n", NULL);
  const SmbTraceLine line = {NULL, 1, text, reading->arch};
  gint64 expected;
  gboolean found = FALSE;
  g_autoptr(GError) failure = NULL;
  if (!smb_trace_line_parse(&line, &access->worst, &expected, &found, &failure))
    return smb_member_fail(&place, error, "'%s': %s", words, failure->message);
  if (!found || strchr(words, '\n'))
    return smb_member_expected(&place, node, error, "a request");
  if (source && !read_request_source(&of_source, source, &access->worst, error))
    return FALSE;
  access->worst_cost = smb_wavefronts_count(reading->arch, &access->worst);
  if (reading->part->by_instruction)
    access->worst_cost =
        smb_wavefronts_by_instruction(reading->arch, &access->worst, &access->worst_cost);
  return TRUE;
}

// What warps counted is there if and only if there is a request.
static gboolean
read_part_request(const Reading *reading, const SmbPlace *place, JsonNode *node, SmbAccess *access,
                  GError **error) {
  JsonObject *object = json_node_get_object(node);
  gboolean has_worst = json_object_has_member(object, "worst"), has_warps = FALSE;
  for (guint w = 0; w < SMB_MAX_WARPS; w++)
    has_warps = has_warps || access->warps[w].requests;
  if (has_worst != has_warps)
    return smb_member_fail(place, error, "numbers of requests that no part of a launch has");
  return !has_worst || read_worst(reading, place, object, access, error);
}

static gboolean
read_kind(const Reading *reading, guint index, GError **error) {
  const SumsKind *kind = &smb_sums_kinds[index];
  const SmbPlace place = {reading->place, kind->rows, 0};
  JsonNode *rows = json_object_get_member(reading->object, kind->rows);
  if (!JSON_NODE_HOLDS_ARRAY(rows))
    return smb_member_expected(&place, rows, error, "an array");
  for (guint i = 0; i < json_array_get_length(json_node_get_array(rows)); i++) {
    static const SmbMember key[] = {{"site", MEMBER_REQUIRED, .most = MAX_SITES - 1}};
    const SmbPlace row = {&place, NULL, i};
    JsonNode *node = json_array_get_element(json_node_get_array(rows), i);
    guint site = 0;
    if (!smb_members_pick(&row, node, SMB_MEMBERS(key), &site, error) ||
        !check_site(reading, &row, site, error))
      return FALSE;
    gpointer element = smb_sums_element(&reading->part->sums, index, site);
    memset(element, 0, kind->size);
    if (!smb_members_read(&row, node, kind->members, kind->n_members, element, error) ||
        (index == SUMS_SHARED && !read_part_request(reading, &row, node, element, error)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_warnings(const Reading *reading, GError **error) {
  const SmbPlace place = {reading->place, "warnings", 0};
  JsonNode *node = json_object_get_member(reading->object, place.name);
  g_autoptr(GArray) warnings = NULL;
  if (!smb_members_read_value(&place, node, &warning_table, &warnings, error))
    return FALSE;
  for (guint i = 0; i < warnings->len; i++) {
    const SmbPlace row = {&place, NULL, i};
    const SmbAnalysisWarning *warning = &g_array_index(warnings, SmbAnalysisWarning, i);
    if (!check_site(reading, &row, warning->site, error) ||
        !check_site(reading, &row, warning->other, error))
      return FALSE;
    smb_warnings_note(reading->part->sums.warnings, warning);
  }
  return TRUE;
}

static SmbPart *read_json_part(const SmbPlace *place, JsonNode *node, const SmbArch *arch,
                               GError **error);

static gboolean
read_variants(const Reading *reading, GError **error) {
  const SmbPlace place = {reading->place, "variants", 0};
  JsonNode *node = json_object_get_member(reading->object, place.name);
  if (!node)
    return TRUE;
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(&place, node, error, "an array");
  JsonArray *array = json_node_get_array(node);
  reading->part->variants = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    const SmbPlace element = {&place, NULL, i};
    SmbPart *variant =
        read_json_part(&element, json_array_get_element(array, i), reading->arch, error);
    if (!variant)
      return FALSE;
    g_ptr_array_add(reading->part->variants, variant);
  }
  return TRUE;
}

// What is counted of the sites that a part lists.
static gboolean
read_sums(Reading *reading, GError **error) {
  SmbPart *part = reading->part;
  guint n_sites = 0;
  for (guint i = 0; i < part->sites->len; i++)
    n_sites = MAX(n_sites, g_array_index(part->sites, PartSite, i).site + 1);
  smb_sums_init(&part->sums, n_sites);
  g_autofree gboolean *is_listed = g_new0(gboolean, n_sites + 1);
  for (guint i = 0; i < part->sites->len; i++) {
    PartSite *site = &g_array_index(part->sites, PartSite, i);
    is_listed[site->site] = TRUE;
    site->place.frames = (const SmbFrame *)(gpointer)site->frames->data;
    site->place.n_frames = site->frames->len;
  }
  reading->is_listed = is_listed;
  for (guint kind = 0; kind < N_SUMS; kind++) {
    if (!read_kind(reading, kind, error))
      return FALSE;
  }
  return (part->sums.idle_site == 0 ||
          check_site(reading, reading->place, part->sums.idle_site - 1, error)) &&
         read_warnings(reading, error);
}

static SmbPart *
read_json_part(const SmbPlace *place, JsonNode *node, const SmbArch *arch, GError **error) {
  g_autoptr(SmbPart) part = g_new0(SmbPart, 1);
  if (!smb_members_read(place, node, SMB_MEMBERS(part_members), part, error))
    return NULL;
  Reading reading = {place, json_node_get_object(node), arch, part, NULL};
  return read_sums(&reading, error) && read_variants(&reading, error) ? g_steal_pointer(&part)
                                                                      : NULL;
}

SmbPart *
smb_part_read(const char *name, JsonNode *node, const SmbArch *arch, GError **error) {
  g_autoptr(GStringChunk) texts = g_string_chunk_new(1024);
  const SmbPlace document = {NULL, name, 0, texts}, place = {&document, "shard.counts", 0};
  SmbPart *part = read_json_part(&place, node, arch, error);
  if (part)
    part->texts = g_steal_pointer(&texts);
  return part;
}
