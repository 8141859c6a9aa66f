// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch.h"

#include <string.h>

#include "sim/data.h"
#include "sim/error.h"

// Virtual banks that a counter has room for: the banks of one lane group times the groups.
enum {
  MAX_VIRTUAL_BANKS = 32
};

// An architecture may build on another one, that one on a third, no further.
enum {
  MAX_LIKE_DEPTH = 2
};

struct _SmbArch {
  gatomicrefcount references;
  SmbArchInfo info;
  SmbRule rules[SMB_N_OPS][SMB_N_WIDTHS];
  GStringChunk *strings;
};

// One file being read; name and group say where an error is.
typedef struct {
  const char *name;
  GKeyFile *keys;
  const char *group;
  SmbArch *arch;
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

// A number of the file; an absent key leaves @value as it is.
static gboolean
read_number(const Reader *reader, const char *key, guint max, guint *value, GError **error) {
  if (!has_key(reader, key))
    return TRUE;
  g_autofree char *text = g_key_file_get_value(reader->keys, reader->group, key, NULL);
  guint64 number;
  if (!g_ascii_string_to_unsigned(text, 10, 1, max, &number, NULL))
    return fail(reader, key, error, "'%s' is not a number from 1 to %u", text, max);
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
static const char *const conflict_names[] = {"words", "lanes", "addresses", "one-broadcast", NULL};
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
read_info(Reader *reader, GError **error) {
  SmbArchInfo *info = &reader->arch->info;
  reader->group = "arch";
  read_text(reader, "title", &info->title);
  if (!info->title)
    return fail(reader, "title", error, "missing");
  g_autofree char *capability =
      g_key_file_get_string(reader->keys, "arch", "compute-capability", NULL);
  g_auto(GStrv) parts = g_strsplit(capability ? capability : "", ".", 2);
  guint64 numbers[2];
  for (guint i = 0; i < 2; i++) {
    if (g_strv_length(parts) != 2 ||
        !g_ascii_string_to_unsigned(parts[i], 10, 0, 99, &numbers[i], NULL))
      return fail(reader, "compute-capability", error, "expected MAJOR.MINOR");
  }
  info->capability_major = (guint)numbers[0];
  info->capability_minor = (guint)numbers[1];
  if (!read_number(reader, "banks", 32, &info->banks, error) ||
      !read_number(reader, "bank-bytes", 8, &info->bank_bytes, error) ||
      !read_number(reader, "row-bytes", 4096, &info->row_bytes, error) ||
      !read_number(reader, "static-shared-bytes", 1 << 24, &info->static_shared_bytes, error) ||
      !read_number(reader, "max-shared-bytes", 1 << 24, &info->max_shared_bytes, error) ||
      !read_number(reader, "max-threads", 1024, &info->max_threads, error) ||
      !read_number(reader, "global-segment-bytes", 4096, &info->global_segment_bytes, error))
    return FALSE;
  if (!info->max_threads)
    return fail(reader, "max-threads", error, "missing");
  static const char *const truths[] = {"no", "yes", NULL};
  guint has_increment = (guint)info->has_increment;
  if (!read_choice(reader, "counts-increments", truths, &has_increment, error))
    return FALSE;
  info->has_increment = has_increment != 0;
  return check_geometry(reader, error) &&
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

static gboolean
read_rule(const Reader *reader, SmbOp op, guint width, GError **error) {
  SmbRule *rule = &reader->arch->rules[op][smb_width_index(width)];
  guint group = 0, merged_group = 0, conflict = SMB_CONFLICT_WORDS;
  guint unit = MAX(width, reader->arch->info.bank_bytes);
  guint passes = 1, floor = 1, merged_floor = 1, cycles = 1;
  guint lanes = smb_op_address_lanes(op);

  rule->source = NULL;
  if (!has_key(reader, "group") || !has_key(reader, "conflict"))
    return fail(reader, "group", error, "a rule needs 'group' and 'conflict'");
  if (!read_choice(reader, "group", lane_group_names, &group, error) ||
      !read_choice(reader, "merged-group", lane_group_names, &merged_group, error) ||
      !read_choice(reader, "conflict", conflict_names, &conflict, error) ||
      !read_number(reader, "unit-bytes", 4096, &unit, error) ||
      !read_number(reader, "passes", 16, &passes, error) ||
      !read_number(reader, "floor", 64, &floor, error) ||
      !read_number(reader, "merged-floor", 64, &merged_floor, error) ||
      !read_number(reader, "cycles-per-wavefront", 16, &cycles, error) ||
      !read_evidence(reader, &rule->evidence, &rule->source, error))
    return FALSE;
  read_text(reader, "since", &rule->since);
  if (!make_plan(reader, "group", group, unit, conflict, passes, floor, cycles, &rule->plan, error))
    return FALSE;
  rule->plan.lanes = lanes == SMB_WARP_LANES ? 0xffffffffu : (1u << lanes) - 1u;
  rule->merges = has_key(reader, "merged-group");
  rule->merged = rule->plan;
  if (rule->merges && !make_plan(reader, "merged-group", merged_group, unit, conflict, passes,
                                 merged_floor, cycles, &rule->merged, error))
    return FALSE;
  rule->defined = TRUE;
  return TRUE;
}

// A group "[ld 1 2 4]" is the rule of one operation in the widths that follow it.
static gboolean
read_rules(Reader *reader, const char *group, GError **error) {
  g_auto(GStrv) words = g_strsplit(group, " ", -1);
  SmbOp op;
  reader->group = group;
  if (!words[0] || !smb_op_parse(words[0], strlen(words[0]), &op))
    return fail(reader, "", error, "no operation of that name");
  if (!words[1])
    return fail(reader, "", error, "no width: expected such as [ld 4]");
  for (guint i = 1; words[i]; i++) {
    guint64 width;
    if (!g_ascii_string_to_unsigned(words[i], 10, 1, SMB_MAX_WIDTH, &width, NULL) ||
        !is_power_of_two((guint)width) || !(smb_op_widths(op) & (guint)width))
      return fail(reader, "", error, "'%s' is not a width of %s", words[i], words[0]);
    if (!read_rule(reader, op, (guint)width, error))
      return FALSE;
  }
  return TRUE;
}

static SmbArch *load_arch(const char *name, guint depth, GError **error);

// Takes everything from the architecture that this one is like; the evidence becomes its own.
static gboolean
inherit(Reader *reader, guint depth, GError **error) {
  g_autofree char *base_name = g_key_file_get_string(reader->keys, "arch", "like", NULL);
  if (!base_name)
    return TRUE;
  reader->group = "arch";
  if (depth >= MAX_LIKE_DEPTH)
    return fail(reader, "like", error, "'%s' is one architecture too many", base_name);
  g_autoptr(SmbArch) base = load_arch(base_name, depth + 1, error);
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
    }
  }
  return TRUE;
}

static SmbArch *
read_arch(const char *name, const char *text, gsize length, guint depth, GError **error) {
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

  Reader reader = {name, keys, "arch", arch};
  if (!inherit(&reader, depth, error) || !read_info(&reader, error))
    return NULL;
  g_auto(GStrv) groups = g_key_file_get_groups(keys, NULL);
  for (guint i = 0; groups[i]; i++) {
    if (strcmp(groups[i], "arch") != 0 && !read_rules(&reader, groups[i], error))
      return NULL;
  }
  return g_steal_pointer(&arch);
}

SmbArch *
smb_arch_new_from_data(const char *name, const char *text, GError **error) {
  return read_arch(name, text, strlen(text), 0, error);
}

static gboolean
is_known(const char *name) {
  g_auto(GStrv) names = smb_data_list("archs", ".ini");
  return g_strv_contains((const char *const *)names, name);
}

static SmbArch *
load_arch(const char *name, guint depth, GError **error) {
  if (!is_known(name)) {
    g_auto(GStrv) names = smb_data_list("archs", ".ini");
    g_autofree char *list = g_strjoinv(", ", names);
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE, "no architecture '%s': expected one of %s", name,
                list);
    return NULL;
  }
  g_autofree char *path = g_strdup_printf("archs/%s.ini", name);
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  if (!bytes)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return read_arch(name, text ? text : "", length, depth, error);
}

SmbArch *
smb_arch_load(const char *name, GError **error) {
  return load_arch(name, 0, error);
}

static int
compare_capability(gconstpointer a, gconstpointer b) {
  const char *names[2] = {*(const char *const *)a, *(const char *const *)b};
  guint64 numbers[2];
  for (guint i = 0; i < 2; i++) {
    const char *digits = strpbrk(names[i], "0123456789");
    numbers[i] = digits ? g_ascii_strtoull(digits, NULL, 10) : G_MAXUINT64;
  }
  if (numbers[0] != numbers[1])
    return numbers[0] < numbers[1] ? -1 : 1;
  return strcmp(names[0], names[1]);
}

GStrv
smb_arch_list(void) {
  GStrv names = smb_data_list("archs", ".ini");
  qsort(names, g_strv_length(names), sizeof *names, compare_capability);
  return names;
}

SmbArch *
smb_arch_ref(SmbArch *arch) {
  g_atomic_ref_count_inc(&arch->references);
  return arch;
}

void
smb_arch_unref(SmbArch *arch) {
  if (!arch || !g_atomic_ref_count_dec(&arch->references))
    return;
  g_string_chunk_free(arch->strings);
  g_free(arch);
}

const SmbArchInfo *
smb_arch_info(const SmbArch *arch) {
  return &arch->info;
}

const SmbRule *
smb_arch_rule(const SmbArch *arch, SmbOp op, guint width) {
  return &arch->rules[op][smb_width_index(width)];
}

gboolean
smb_arch_check_request(const SmbArch *arch, const SmbRequest *request, GError **error) {
  if (smb_arch_rule(arch, (SmbOp)request->op, request->width)->defined)
    return TRUE;
  g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "%s has no rule for %s of %u bytes",
              arch->info.name, smb_op_name((SmbOp)request->op), request->width);
  return FALSE;
}
