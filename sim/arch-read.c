// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads an architecture from its .ini file, and refuses one that breaks a rule: with the file, the group,
// the key and the reason.
#include "sim/arch-read.h"

#include <string.h>

#include "sim/error.h"

// Virtual banks that a counter has room for: the banks of one lane group times the groups.
enum {
  MAX_VIRTUAL_BANKS = 32
};

// An architecture may build on another one, that one on a third, no further.
enum {
  MAX_LIKE_DEPTH = 2
};

// One file being read; name and group say where an error is.
typedef struct {
  const char *name;
  GKeyFile *keys;
  const char *group;
  SmbArch *arch;
  guint8 widths_read[SMB_N_OPS]; // those that a group of this file has a rule for, as a bit set
} Reader;

G_GNUC_PRINTF(4, 5)
static gboolean
fail(const Reader *reader, const char *key, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "%s.ini: [%s] %s: %s", reader->name, reader->group,
              key, reason);
  return FALSE;
}

static gboolean
has_key(const Reader *reader, const char *key) {
  return g_key_file_has_key(reader->keys, reader->group, key, NULL);
}

// Refuses a key that means nothing: misspelt, it would be a rule that is silently not there.
static gboolean
check_keys(const Reader *reader, const char *const *known, GError **error) {
  g_auto(GStrv) keys = g_key_file_get_keys(reader->keys, reader->group, NULL, NULL);
  for (guint i = 0; keys && keys[i]; i++) {
    if (g_strv_contains(known, keys[i]))
      continue;
    g_autofree char *names = g_strjoinv(", ", (char **)known);
    return fail(reader, keys[i], error, "no such key: expected one of %s", names);
  }
  return TRUE;
}

// A number of the file; an absent key leaves @value as it is.
static gboolean
read_number(const Reader *reader, const char *key, guint min, guint max, guint *value,
            GError **error) {
  if (!has_key(reader, key))
    return TRUE;
  g_autofree char *text = g_key_file_get_value(reader->keys, reader->group, key, NULL);
  guint64 number;
  if (!g_ascii_string_to_unsigned(text, 10, min, max, &number, NULL))
    return fail(reader, key, error, "'%s' is not a number from %u to %u", text, min, max);
  *value = (guint)number;
  return TRUE;
}

// One of the names of an enumeration; an absent key leaves @value as it is.
static gboolean
read_choice(const Reader *reader, const char *key, const char *const *choices, guint *value,
            GError **error) {
  if (!has_key(reader, key))
    return TRUE;
  g_autofree char *text = g_key_file_get_value(reader->keys, reader->group, key, NULL);
  for (guint i = 0; choices[i]; i++) {
    if (strcmp(choices[i], text) == 0) {
      *value = i;
      return TRUE;
    }
  }
  g_autofree char *names = g_strjoinv(", ", (char **)choices);
  return fail(reader, key, error, "'%s' is none of: %s", text, names);
}

static void
read_text(const Reader *reader, const char *key, const char **value) {
  g_autofree char *text = g_key_file_get_string(reader->keys, reader->group, key, NULL);
  if (text)
    *value = g_string_chunk_insert(reader->arch->strings, text);
}

static const char *const evidence_names[] = {"measured", "documented", "assumed", NULL};
static const char *const conflict_names[] = {"words",         "lanes", "addresses",
                                             "one-broadcast", "loop",  NULL};
static const char *const lane_group_names[] = {"warp", "half", "quarter", NULL};

const char *
smb_evidence_name(SmbEvidence evidence) {
  return evidence_names[evidence];
}

static gboolean
read_evidence(const Reader *reader, SmbEvidence *evidence, const char **source, GError **error) {
  guint choice = 0;
  if (!has_key(reader, "evidence"))
    return fail(reader, "evidence", error, "missing: expected measured, documented or assumed");
  if (!read_choice(reader, "evidence", evidence_names, &choice, error))
    return FALSE;
  *evidence = (SmbEvidence)choice;
  read_text(reader, "source", source);
  if (!*source)
    return fail(reader, "source", error, "missing: every rule says where it comes from");
  return TRUE;
}

static gboolean
is_power_of_two(guint number) {
  return number != 0 && (number & (number - 1)) == 0;
}

static gboolean
check_geometry(const Reader *reader, GError **error) {
  const SmbArchInfo *info = &reader->arch->info;
  if (info->banks != 16 && info->banks != 32)
    return fail(reader, "banks", error, "%u: expected 16 or 32", info->banks);
  if (info->bank_bytes != 4 && info->bank_bytes != 8)
    return fail(reader, "bank-bytes", error, "%u: expected 4 or 8", info->bank_bytes);
  if (!is_power_of_two(info->row_bytes) || info->row_bytes < info->banks * info->bank_bytes)
    return fail(reader, "row-bytes", error, "%u: expected a power of two of at least %u",
                info->row_bytes, info->banks * info->bank_bytes);
  if (info->global_segment_bytes != 32 && info->global_segment_bytes != 128)
    return fail(reader, "global-segment-bytes", error, "%u: expected 32 or 128",
                info->global_segment_bytes);
  if (info->static_shared_bytes == 0 || info->max_shared_bytes < info->static_shared_bytes)
    return fail(reader, "max-shared-bytes", error, "smaller than static-shared-bytes");
  return TRUE;
}

static gboolean
read_capability(const Reader *reader, SmbArchInfo *info, GError **error) {
  g_autofree char *capability =
      g_key_file_get_string(reader->keys, reader->group, "compute-capability", NULL);
  g_auto(GStrv) parts = g_strsplit(capability ? capability : "", ".", 2);
  guint64 numbers[2];
  for (guint i = 0; i < 2; i++) {
    if (g_strv_length(parts) != 2 ||
        !g_ascii_string_to_unsigned(parts[i], 10, 0, 99, &numbers[i], NULL))
      return fail(reader, "compute-capability", error, "expected MAJOR.MINOR");
  }
  info->capability_major = (guint)numbers[0];
  info->capability_minor = (guint)numbers[1];
  return TRUE;
}

// What a multiprocessor holds: all of it is said, or nothing.
static gboolean
read_multiprocessor(const Reader *reader, SmbArchInfo *info, GError **error) {
  if (!read_number(reader, "sm-shared-bytes", 1, 1 << 24, &info->sm_shared_bytes, error) ||
      !read_number(reader, "sm-warps", 1, 1024, &info->sm_warps, error) ||
      !read_number(reader, "sm-blocks", 1, 1024, &info->sm_blocks, error) ||
      !read_number(reader, "block-reserved-bytes", 0, 1 << 20, &info->block_reserved_bytes,
                   error) ||
      !read_number(reader, "shared-unit-bytes", 1, 1 << 20, &info->shared_unit_bytes, error))
    return FALSE;
  read_text(reader, "sm-source", &info->sm_source);
  if (!info->sm_shared_bytes && !info->sm_warps && !info->sm_blocks && !info->shared_unit_bytes)
    return TRUE;
  if (!info->sm_shared_bytes || !info->sm_warps || !info->sm_blocks || !info->shared_unit_bytes)
    return fail(reader, "sm-shared-bytes", error,
                "goes with sm-warps, sm-blocks and shared-unit-bytes: not all are there");
  if (!info->sm_source)
    return fail(reader, "sm-source", error, "missing: every rule says where it comes from");
  if (info->sm_shared_bytes < info->max_shared_bytes + info->block_reserved_bytes)
    return fail(reader, "sm-shared-bytes", error, "%u: the largest block takes %u",
                info->sm_shared_bytes, info->max_shared_bytes + info->block_reserved_bytes);
  if (info->sm_warps * SMB_WARP_LANES < info->max_threads)
    return fail(reader, "sm-warps", error, "%u: the largest block has %u threads", info->sm_warps,
                info->max_threads);
  return TRUE;
}

static gboolean
read_info(Reader *reader, GError **error) {
  static const char *const known[] = {"like",
                                      "title",
                                      "compute-capability",
                                      "banks",
                                      "bank-bytes",
                                      "row-bytes",
                                      "static-shared-bytes",
                                      "max-shared-bytes",
                                      "max-threads",
                                      "global-segment-bytes",
                                      "counts-increments",
                                      "evidence",
                                      "source",
                                      "sm-shared-bytes",
                                      "sm-warps",
                                      "sm-blocks",
                                      "block-reserved-bytes",
                                      "shared-unit-bytes",
                                      "sm-source",
                                      NULL};
  SmbArchInfo *info = &reader->arch->info;
  reader->group = "arch";
  if (!check_keys(reader, known, error))
    return FALSE;
  read_text(reader, "title", &info->title);
  if (!info->title)
    return fail(reader, "title", error, "missing");
  if (!read_capability(reader, info, error) ||
      !read_number(reader, "banks", 1, 32, &info->banks, error) ||
      !read_number(reader, "bank-bytes", 1, 8, &info->bank_bytes, error) ||
      !read_number(reader, "row-bytes", 1, 4096, &info->row_bytes, error) ||
      !read_number(reader, "static-shared-bytes", 1, 1 << 24, &info->static_shared_bytes, error) ||
      !read_number(reader, "max-shared-bytes", 1, 1 << 24, &info->max_shared_bytes, error) ||
      !read_number(reader, "max-threads", 1, 1024, &info->max_threads, error) ||
      !read_number(reader, "global-segment-bytes", 1, 4096, &info->global_segment_bytes, error))
    return FALSE;
  if (!info->max_threads)
    return fail(reader, "max-threads", error, "missing");
  static const char *const truths[] = {"no", "yes", NULL};
  guint has_increment = (guint)info->has_increment;
  if (!read_choice(reader, "counts-increments", truths, &has_increment, error))
    return FALSE;
  info->has_increment = has_increment != 0;
  return check_geometry(reader, error) && read_multiprocessor(reader, info, error) &&
         read_evidence(reader, &info->evidence, &info->source, error);
}

// Derives the plan of a rule from the geometry of the banks and checks that it is one. @group_key is
// what the file calls @group.
static gboolean
make_plan(const Reader *reader, const char *group_key, guint group, guint unit, guint conflict,
          guint passes, guint floor, guint cycles, SmbPlan *plan, GError **error) {
  const SmbArchInfo *info = &reader->arch->info;
  guint max_unit = info->banks * info->bank_bytes;
  if (!is_power_of_two(unit) || unit < info->bank_bytes || unit > max_unit)
    return fail(reader, "unit-bytes", error, "%u: expected a power of two from %u to %u bytes",
                unit, info->bank_bytes, max_unit);
  plan->unit_shift = (guint8)__builtin_ctz(unit);
  plan->bank_bits = (guint8)__builtin_ctz(info->banks * info->bank_bytes / unit);
  plan->row_shift = (guint8)__builtin_ctz(info->row_bytes);
  plan->group_shift = (guint8)(5 - group);
  plan->conflict = (guint8)conflict;
  plan->passes = (guint8)passes;
  plan->floor = (guint8)floor;
  plan->cycles = (guint8)cycles;
  if ((1u << plan->bank_bits) << group > MAX_VIRTUAL_BANKS)
    return fail(reader, group_key, error,
                "%u groups ask %u banks at once: more than the %d banks of a wavefront can tell",
                1u << group, 1u << plan->bank_bits, MAX_VIRTUAL_BANKS);
  return TRUE;
}

// The name of the first architecture that has the instruction: an architecture that exists.
static gboolean
read_since(const Reader *reader, const char **since, GError **error) {
  *since = NULL;
  read_text(reader, "since", since);
  if (*since && !smb_arch_exists(*since))
    return fail(reader, "since", error, "no architecture '%s'", *since);
  return TRUE;
}

// Whether what is said of mergeable requests makes sense beside the rest of the rule.
static gboolean
check_merge(const Reader *reader, const SmbRule *rule, GError **error) {
  if (!rule->merges)
    return !has_key(reader, "merged-floor") ||
           fail(reader, "merged-floor", error, "goes with 'merged-group', which is not there");
  if (rule->plan.lanes != 0xffffffffu)
    return fail(reader, "merged-group", error, "no pairs of lanes: only %d of them give an address",
                __builtin_popcount(rule->plan.lanes));
  if (rule->plan.conflict == SMB_CONFLICT_LOOP && has_key(reader, "merged-floor"))
    return fail(reader, "merged-floor", error, "a loop has one floor");
  if (rule->merged.group_shift > rule->plan.group_shift)
    return TRUE;
  return fail(reader, "merged-group", error, "'%s' is not wider than the group, '%s'",
              lane_group_names[5 - rule->merged.group_shift],
              lane_group_names[5 - rule->plan.group_shift]);
}

static gboolean
read_rule(const Reader *reader, SmbOp op, guint width, GError **error) {
  SmbRule *rule = &reader->arch->rules[op][smb_width_index(width)];
  guint group = 0, merged_group = 0, conflict = SMB_CONFLICT_WORDS;
  guint unit = MAX(width, reader->arch->info.bank_bytes);
  guint passes = 1, floor = 1, merged_floor = 1, cycles = 1;
  guint lanes = smb_op_address_lanes(op);

  rule->source = rule->lower_bound = rule->cycles_lower_bound = NULL;
  if (!has_key(reader, "group") || !has_key(reader, "conflict"))
    return fail(reader, "group", error, "a rule needs 'group' and 'conflict'");
  if (!read_choice(reader, "group", lane_group_names, &group, error) ||
      !read_choice(reader, "merged-group", lane_group_names, &merged_group, error) ||
      !read_choice(reader, "conflict", conflict_names, &conflict, error) ||
      !read_number(reader, "unit-bytes", 1, 4096, &unit, error) ||
      !read_number(reader, "passes", 0, 16, &passes, error) ||
      !read_number(reader, "floor", 1, 64, &floor, error) ||
      !read_number(reader, "merged-floor", 1, 64, &merged_floor, error) ||
      !read_number(reader, "cycles-per-wavefront", 1, 16, &cycles, error) ||
      !read_evidence(reader, &rule->evidence, &rule->source, error))
    return FALSE;
  if (!read_since(reader, &rule->since, error) ||
      !make_plan(reader, "group", group, unit, conflict, passes, floor, cycles, &rule->plan, error))
    return FALSE;
  rule->plan.lanes = lanes == SMB_WARP_LANES ? 0xffffffffu : (1u << lanes) - 1u;
  rule->merges = has_key(reader, "merged-group");
  rule->merged = rule->plan;
  if (rule->merges && !make_plan(reader, "merged-group", merged_group, unit, conflict, passes,
                                 merged_floor, cycles, &rule->merged, error))
    return FALSE;
  if (!check_merge(reader, rule, error))
    return FALSE;
  read_text(reader, "lower-bound", &rule->lower_bound);
  read_text(reader, "cycles-lower-bound", &rule->cycles_lower_bound);
  rule->defined = TRUE;
  return TRUE;
}

// A group "[ld 1 2 4]" is the rule of one operation in the widths that follow it.
static gboolean
read_rules(Reader *reader, const char *group, GError **error) {
  static const char *const known[] = {"group",
                                      "conflict",
                                      "unit-bytes",
                                      "merged-group",
                                      "merged-floor",
                                      "passes",
                                      "floor",
                                      "cycles-per-wavefront",
                                      "evidence",
                                      "source",
                                      "since",
                                      "lower-bound",
                                      "cycles-lower-bound",
                                      NULL};
  g_auto(GStrv) words = g_strsplit(group, " ", -1);
  SmbOp op;
  reader->group = group;
  if (!words[0] || !smb_op_parse(words[0], strlen(words[0]), &op))
    return fail(reader, "", error, "no operation of that name");
  if (!words[1])
    return fail(reader, "", error, "no width: expected such as [ld 4]");
  if (!check_keys(reader, known, error))
    return FALSE;
  for (guint i = 1; words[i]; i++) {
    guint64 width;
    if (!g_ascii_string_to_unsigned(words[i], 10, 1, SMB_MAX_WIDTH, &width, NULL) ||
        !is_power_of_two((guint)width) || !(smb_op_widths(op) & (guint)width))
      return fail(reader, "", error, "'%s' is not a width of %s", words[i], words[0]);
    if (reader->widths_read[op] & width)
      return fail(reader, "", error, "a second rule for %s of %s bytes", words[0], words[i]);
    if (!read_rule(reader, op, (guint)width, error))
      return FALSE;
    reader->widths_read[op] |= (guint8)width;
  }
  return TRUE;
}

// Takes everything from the architecture that this one is like; the evidence becomes its own.
static gboolean
inherit(Reader *reader, guint depth, GError **error) {
  g_autofree char *base_name = g_key_file_get_string(reader->keys, "arch", "like", NULL);
  if (!base_name)
    return TRUE;
  reader->group = "arch";
  if (depth >= MAX_LIKE_DEPTH)
    return fail(reader, "like", error, "'%s' is one architecture too many", base_name);
  g_autoptr(SmbArch) base = smb_arch_load_like(base_name, depth + 1, error);
  if (!base) {
    g_prefix_error(error, "%s.ini: [arch] like: ", reader->name);
    if (error && g_error_matches(*error, SMB_ERROR, SMB_ERROR_USAGE))
      (*error)->code = SMB_ERROR_INPUT; // the file asks for an unknown one, not the caller
    return FALSE;
  }
  SmbArch *arch = reader->arch;
  const char *name = arch->info.name;
  arch->info = base->info;
  arch->info.name = name;
  arch->info.title = NULL;
  arch->info.source = NULL;
  if (base->info.sm_source)
    arch->info.sm_source = g_string_chunk_insert_const(arch->strings, base->info.sm_source);
  if (!read_evidence(reader, &arch->info.evidence, &arch->info.source, error))
    return FALSE;
  memcpy(arch->rules, base->rules, sizeof arch->rules);
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      SmbRule *rule = &arch->rules[op][i];
      rule->evidence = arch->info.evidence;
      rule->source = arch->info.source;
      if (rule->since)
        rule->since = g_string_chunk_insert_const(arch->strings, rule->since);
      if (rule->lower_bound)
        rule->lower_bound = g_string_chunk_insert_const(arch->strings, rule->lower_bound);
      if (rule->cycles_lower_bound)
        rule->cycles_lower_bound =
            g_string_chunk_insert_const(arch->strings, rule->cycles_lower_bound);
    }
  }
  return TRUE;
}

SmbArch *
smb_arch_read(const char *name, const char *text, gsize length, guint depth, GError **error) {
  g_autoptr(GKeyFile) keys = g_key_file_new();
  g_autoptr(GError) parse_error = NULL;
  if (!g_key_file_load_from_data(keys, text, length, G_KEY_FILE_NONE, &parse_error)) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "%s.ini: %s", name, parse_error->message);
    return NULL;
  }
  g_autoptr(SmbArch) arch = g_new0(SmbArch, 1);
  g_atomic_ref_count_init(&arch->references);
  arch->strings = g_string_chunk_new(512);
  arch->info.name = g_string_chunk_insert(arch->strings, name);

  Reader reader = {name, keys, "arch", arch, {0}};
  if (!inherit(&reader, depth, error) || !read_info(&reader, error))
    return NULL;
  g_auto(GStrv) groups = g_key_file_get_groups(keys, NULL);
  for (guint i = 0; groups[i]; i++) {
    if (strcmp(groups[i], "arch") != 0 && !read_rules(&reader, groups[i], error))
      return NULL;
  }
  return g_steal_pointer(&arch);
}
