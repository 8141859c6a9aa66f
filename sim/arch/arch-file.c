// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads an architecture from its .ini file, and refuses one that breaks a rule: with the file, the group,
// the key and the reason.
#include "sim/arch/arch-file.h"

#include <string.h>

#include "sim/arch/rule.h"
#include "sim/base/error.h"
#include "sim/base/key-file.h"

// An architecture may build on another one, that one on a third, no further.
enum {
  MAX_LIKE_DEPTH = 2
};

// One file being read; name and group say where an error is.
typedef struct {
  const char *name;
  gboolean is_user; // @name is a path, and errors have a line
  GKeyFile *keys;
  const char *group;
  SmbArch *arch;
  gboolean is_read[SMB_N_OPS][SMB_N_WIDTHS]; // whether a group of this file has the rule
  const char *text;
} Reader;

// Where a key is, for a message: "sm_90.ini", or "PATH:LINE:1" (transfer full).
static char *
find_key_place(const Reader *reader, const char *group, const char *key) {
  return reader->is_user
             ? g_strdup_printf("%s:%u:1", reader->name,
                               smb_key_file_line(reader->text, strlen(reader->text), group, key))
             : g_strconcat(reader->name, ".ini", NULL);
}

G_GNUC_PRINTF(4, 5)
static gboolean
fail_key(const Reader *reader, const char *key, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *place = find_key_place(reader, reader->group, key);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: [%s] %s: %s", place, reader->group, key,
                  reason);
}

static gboolean
has_key(const Reader *reader, const char *key) {
  return g_key_file_has_key(reader->keys, reader->group, key, NULL);
}

// A key of the file, and how its value is read into a guint: as one of @choices, by its index, or as a number from @min
// to @max. Without either it is read in its own way.
typedef struct {
  const char *name;
  guint min;
  guint max;
  const char *const *choices;
  gsize offset; // of the guint in the struct
} Key;

#define NUMBER(type, key, field, min, max)                                                         \
  { key, min, max, NULL, G_STRUCT_OFFSET(type, field) }
#define CHOICE(type, key, field, choices)                                                          \
  { key, 0, 0, choices, G_STRUCT_OFFSET(type, field) }

static const char *const evidence_names[] = {"measured", "documented", "assumed", "user", NULL};
static const char *const conflict_names[] = {"words",         "lanes", "addresses",
                                             "one-broadcast", "loop",  NULL};
static const char *const empty_names[] = {"free", "count", NULL};
static const char *const truth_names[] = {"no", "yes", NULL};
static const char *const atomics_names[] = {"words", "floats", "doubles", NULL};
static const char *const vendor_names[] = {"nvidia", "amd", NULL};

// Of the group [arch].
static const Key arch_keys[] = {
    {"like"},
    CHOICE(SmbArchInfo, "vendor", vendor, vendor_names),
    {"title"},
    {"aliases"},
    {"compute-capability"},
    NUMBER(SmbArchInfo, "lanes", lanes, 1, 1024),
    NUMBER(SmbArchInfo, "banks", banks, 1, 1024),
    NUMBER(SmbArchInfo, "bank-bytes", bank_bytes, 1, 1024),
    NUMBER(SmbArchInfo, "row-bytes", row_bytes, 1, 1 << 20),
    NUMBER(SmbArchInfo, "static-shared-bytes", static_shared_bytes, 1, 1 << 24),
    NUMBER(SmbArchInfo, "max-shared-bytes", max_shared_bytes, 1, 1 << 24),
    NUMBER(SmbArchInfo, "max-threads", max_threads, 1, 1024),
    NUMBER(SmbArchInfo, "global-segment-bytes", global_segment_bytes, 1, 4096),
    CHOICE(SmbArchInfo, "single-atomics", single_atomics, atomics_names),
    CHOICE(SmbArchInfo, "counts-increments", has_increment, truth_names),
    CHOICE(SmbArchInfo, "counts-instructions-apart", counts_instructions_apart, truth_names),
    {"instruction-source"},
    {"active-counter"},
    {"conflict-counter"},
    {"counter-note"},
    {"evidence"},
    {"source"},
    NUMBER(SmbArchInfo, "sm-shared-bytes", sm_shared_bytes, 1, 1 << 24),
    NUMBER(SmbArchInfo, "sm-warps", sm_warps, 1, 1024),
    NUMBER(SmbArchInfo, "sm-blocks", sm_blocks, 1, 1024),
    NUMBER(SmbArchInfo, "block-reserved-bytes", block_reserved_bytes, 0, 1 << 20),
    NUMBER(SmbArchInfo, "shared-unit-bytes", shared_unit_bytes, 1, 1 << 20),
    {"sm-source"},
};

// Of the group of a rule.
static const Key rule_keys[] = {
    {"group"},
    CHOICE(SmbRuleText, "empty-groups", counts_empty, empty_names),
    CHOICE(SmbRuleText, "conflict", conflict, conflict_names),
    CHOICE(SmbRuleText, "source-lines", source_lines, truth_names),
    NUMBER(SmbRuleText, "banks", banks, 1, 1024),
    NUMBER(SmbRuleText, "unit-bytes", unit_bytes, 1, 4096),
    {"merged-group"},
    NUMBER(SmbRuleText, "merged-floor", merged_floor, 1, 64),
    NUMBER(SmbRuleText, "passes", passes, 0, 16),
    NUMBER(SmbRuleText, "floor", floor, 1, 64),
    NUMBER(SmbRuleText, "cycles-per-wavefront", cycles, 1, 16),
    {"evidence"},
    {"source"},
    {"disputed"},
    {"since"},
    {"lower-bound"},
    {"cycles-lower-bound"},
};

static gboolean
read_key_value(const Reader *reader, const Key *key, guint *value, GError **error) {
  g_autofree char *text = g_key_file_get_value(reader->keys, reader->group, key->name, NULL);
  guint64 number = 0;
  while (key->choices && key->choices[number] && strcmp(key->choices[number], text) != 0)
    number++;
  if (key->choices && !key->choices[number]) {
    g_autofree char *names = g_strjoinv(", ", (char **)key->choices);
    return fail_key(reader, key->name, error, "'%s' is none of: %s", text, names);
  }
  if (!key->choices && !g_ascii_string_to_unsigned(text, 10, key->min, key->max, &number, NULL))
    return fail_key(reader, key->name, error, "'%s' is not a number from %u to %u", text, key->min,
                    key->max);
  *value = (guint)number;
  return TRUE;
}

// Reads the numbers and choices of a group into a struct; what is absent stays as it is. Refuses a key that means
// nothing: misspelt, it would be a rule that is silently not there.
static gboolean
read_key_values(const Reader *reader, const Key *known, guint n, gpointer target, GError **error) {
  g_auto(GStrv) keys = g_key_file_get_keys(reader->keys, reader->group, NULL, NULL);
  for (guint i = 0; keys && keys[i]; i++) {
    g_autoptr(GString) names = g_string_new(NULL);
    guint k = 0;
    for (; k < n && strcmp(known[k].name, keys[i]) != 0; k++)
      g_string_append_printf(names, "%s%s", k ? ", " : "", known[k].name);
    if (k == n)
      return fail_key(reader, keys[i], error, "unknown key: expected one of %s", names->str);
    guint *value = (guint *)(gpointer)((char *)target + known[k].offset);
    if ((known[k].max || known[k].choices) && !read_key_value(reader, &known[k], value, error))
      return FALSE;
  }
  return TRUE;
}

static void
read_key_text(const Reader *reader, const char *key, const char **value) {
  g_autofree char *text = g_key_file_get_string(reader->keys, reader->group, key, NULL);
  if (text)
    *value = g_string_chunk_insert(reader->arch->strings, text);
}

const char *
smb_evidence_name(SmbEvidence evidence) {
  return evidence_names[evidence];
}

const char *
smb_conflict_name(SmbConflict conflict) {
  return conflict_names[conflict];
}

static gboolean
read_evidence(const Reader *reader, SmbEvidence *evidence, const char **source, GError **error) {
  static const Key key = {"evidence", .choices = evidence_names};
  guint choice = SMB_EVIDENCE_USER;
  if (reader->is_user) {
    if (has_key(reader, key.name) && !read_key_value(reader, &key, &choice, error))
      return FALSE;
    *evidence = SMB_EVIDENCE_USER;
    *source = reader->arch->info.name;
    read_key_text(reader, "source", source);
    return TRUE;
  }
  if (!has_key(reader, key.name))
    return fail_key(reader, key.name, error, "missing: expected measured, documented or assumed");
  if (!read_key_value(reader, &key, &choice, error))
    return FALSE;
  if (choice == SMB_EVIDENCE_USER)
    return fail_key(reader, key.name, error, "'user' is for files of the user's");
  *evidence = (SmbEvidence)choice;
  read_key_text(reader, "source", source);
  if (!*source)
    return fail_key(reader, "source", error, "missing: every rule says where it comes from");
  return TRUE;
}

static gboolean
check_geometry(const Reader *reader, GError **error) {
  const SmbArchInfo *info = &reader->arch->info;
  if (info->lanes != 32 && info->lanes != SMB_MAX_LANES)
    return fail_key(reader, "lanes", error, "%u: expected 32 or %d", info->lanes, SMB_MAX_LANES);
  if (!is_power_of_two(info->banks) || info->banks > SMB_MAX_BANKS)
    return fail_key(reader, "banks", error,
                    "%u: expected a power of two from 1 to %d: bits of the address choose the bank",
                    info->banks, SMB_MAX_BANKS);
  if (info->bank_bytes != 4 && info->bank_bytes != 8)
    return fail_key(reader, "bank-bytes", error, "%u: expected 4 or 8", info->bank_bytes);
  if (!is_power_of_two(info->row_bytes) || info->row_bytes < info->banks * info->bank_bytes)
    return fail_key(reader, "row-bytes", error, "%u: expected a power of two of at least %u",
                    info->row_bytes, info->banks * info->bank_bytes);
  if (info->global_segment_bytes != 32 && info->global_segment_bytes != 64 &&
      info->global_segment_bytes != 128)
    return fail_key(reader, "global-segment-bytes", error, "%u: expected 32, 64 or 128",
                    info->global_segment_bytes);
  if (info->static_shared_bytes == 0 || info->max_shared_bytes < info->static_shared_bytes)
    return fail_key(reader, "max-shared-bytes", error, "smaller than static-shared-bytes");
  return TRUE;
}

static gboolean
read_compute_capability(const Reader *reader, SmbArchInfo *info, GError **error) {
  // A file of the user's that is like another one may leave that as it is.
  if (reader->is_user && info->capability_major && !has_key(reader, "compute-capability"))
    return TRUE;
  info->capability_major = info->capability_minor = 0;
  if (info->vendor != SMB_VENDOR_NVIDIA && !has_key(reader, "compute-capability"))
    return TRUE;
  if (info->vendor != SMB_VENDOR_NVIDIA)
    return fail_key(reader, "compute-capability", error, "goes with vendor=nvidia");
  g_autofree char *capability =
      g_key_file_get_string(reader->keys, reader->group, "compute-capability", NULL);
  g_auto(GStrv) parts = g_strsplit(capability ? capability : "", ".", 2);
  guint64 numbers[2];
  for (guint i = 0; i < 2; i++) {
    if (g_strv_length(parts) != 2 ||
        !g_ascii_string_to_unsigned(parts[i], 10, 0, 99, &numbers[i], NULL))
      return fail_key(reader, "compute-capability", error, "expected MAJOR.MINOR");
  }
  info->capability_major = (guint)numbers[0];
  info->capability_minor = (guint)numbers[1];
  return TRUE;
}

// What a multiprocessor holds: all of it is said, or nothing.
static gboolean
check_multiprocessor(const Reader *reader, const SmbArchInfo *info, GError **error) {
  if (!info->sm_shared_bytes && !info->sm_warps && !info->sm_blocks && !info->shared_unit_bytes)
    return TRUE;
  if (!info->sm_shared_bytes || !info->sm_warps || !info->sm_blocks || !info->shared_unit_bytes)
    return fail_key(reader, "sm-shared-bytes", error,
                    "goes with sm-warps, sm-blocks and shared-unit-bytes: not all are there");
  if (!info->sm_source)
    return fail_key(reader, "sm-source", error, "missing: every rule says where it comes from");
  if (info->sm_shared_bytes < info->max_shared_bytes + info->block_reserved_bytes)
    return fail_key(reader, "sm-shared-bytes", error, "%u: the largest block takes %u",
                    info->sm_shared_bytes, info->max_shared_bytes + info->block_reserved_bytes);
  if (info->sm_warps * info->lanes < info->max_threads)
    return fail_key(reader, "sm-warps", error, "%u: the largest block has %u threads",
                    info->sm_warps, info->max_threads);
  return TRUE;
}

static gboolean
check_instructions(const Reader *reader, const SmbArchInfo *info, GError **error) {
  return !info->counts_instructions_apart || info->instruction_source ||
         fail_key(reader, "instruction-source", error,
                  "missing: every rule says where it comes from");
}

static gboolean
read_info(Reader *reader, GError **error) {
  SmbArchInfo *info = &reader->arch->info;
  guint words = info->banks ? info->row_bytes / (info->banks * info->bank_bytes) : 1;
  reader->group = "arch";
  if (!read_key_values(reader, arch_keys, G_N_ELEMENTS(arch_keys), info, error))
    return FALSE;
  read_key_text(reader, "title", &info->title);
  read_key_text(reader, "aliases", &info->aliases);
  read_key_text(reader, "active-counter", &info->active_counter);
  read_key_text(reader, "conflict-counter", &info->conflict_counter);
  read_key_text(reader, "counter-note", &info->counter_note);
  read_key_text(reader, "sm-source", &info->sm_source);
  read_key_text(reader, "instruction-source", &info->instruction_source);
  if (!info->active_counter != !info->conflict_counter)
    return fail_key(reader, "active-counter", error, "goes with conflict-counter");
  if (!info->title && reader->is_user)
    info->title = "an architecture of the user's";
  if (!info->title)
    return fail_key(reader, "title", error, "missing");
  if (!read_compute_capability(reader, info, error))
    return FALSE;
  // Rows keep their length in words of each bank unless it is said.
  if (!has_key(reader, "row-bytes") && (has_key(reader, "banks") || has_key(reader, "bank-bytes")))
    info->row_bytes = words * info->banks * info->bank_bytes;
  if (!info->max_threads)
    return fail_key(reader, "max-threads", error, "missing");
  return check_geometry(reader, error) && check_instructions(reader, info, error) &&
         check_multiprocessor(reader, info, error) &&
         read_evidence(reader, &info->evidence, &info->source, error);
}

// "warp", "half", "quarter", or masks: "0x20 0x08 0x14".
static gboolean
read_split(const Reader *reader, const char *key, SmbSplit *split, GError **error) {
  static const char *const names[] = {"warp", "half", "quarter", NULL};
  g_autofree char *text = g_key_file_get_value(reader->keys, reader->group, key, NULL);
  g_auto(GStrv) words = g_strsplit(text ? text : "warp", " ", -1);
  *split = (SmbSplit){0};
  for (guint i = 0; words[0] && !words[1] && names[i]; i++) {
    split->halvings = (guint8)i;
    if (strcmp(words[0], names[i]) == 0)
      return TRUE;
  }
  split->halvings = 0;
  for (guint i = 0; words[i]; i++) {
    guint64 mask;
    gboolean hexadecimal = g_str_has_prefix(words[i], "0x");
    if (!g_ascii_string_to_unsigned(words[i] + 2 * hexadecimal, hexadecimal ? 16 : 10, 1,
                                    SMB_MAX_LANES - 1, &mask, NULL))
      return fail_key(
          reader, key, error,
          "'%s' is not a lane group: expected warp, half, quarter, or masks from 1 to 0x%x",
          words[i], SMB_MAX_LANES - 1);
    if (i == SMB_MAX_GROUP_MASKS)
      return fail_key(reader, key, error, "more than %d masks", SMB_MAX_GROUP_MASKS);
    split->masks[split->n_masks++] = (guint8)mask;
  }
  return split->n_masks > 0 || fail_key(reader, key, error, "empty: expected a lane group");
}

static gboolean
read_rule(const Reader *reader, SmbOp op, guint width, GError **error) {
  SmbRule *rule = &reader->arch->rules[op][smb_width_index(width)];
  SmbRuleText *text = &reader->arch->texts[op][smb_width_index(width)];
  *text = (SmbRuleText){
      .conflict = SMB_CONFLICT_WORDS, .passes = 1, .floor = 1, .merged_floor = 1, .cycles = 1};
  text->group = g_string_chunk_insert_const(reader->arch->strings, reader->group);
  rule->source = rule->disputed = rule->since = NULL;
  rule->lower_bound = rule->cycles_lower_bound = NULL;
  if (!read_key_values(reader, rule_keys, G_N_ELEMENTS(rule_keys), text, error))
    return FALSE;
  if (!has_key(reader, "group") || !has_key(reader, "conflict"))
    return fail_key(reader, "group", error, "a rule needs 'group' and 'conflict'");
  if (!read_split(reader, "group", &text->split, error) ||
      !read_split(reader, "merged-group", &text->merged_split, error) ||
      !read_evidence(reader, &rule->evidence, &rule->source, error))
    return FALSE;
  read_key_text(reader, "disputed", &rule->disputed);
  read_key_text(reader, "since", &rule->since);
  if (rule->since && !smb_arch_exists(rule->since))
    return fail_key(reader, "since", error, "no architecture '%s'", rule->since);
  rule->merges = has_key(reader, "merged-group");
  if (!rule->merges && has_key(reader, "merged-floor"))
    return fail_key(reader, "merged-floor", error, "goes with 'merged-group', which is missing");
  if (text->conflict == SMB_CONFLICT_LOOP && has_key(reader, "merged-floor"))
    return fail_key(reader, "merged-floor", error, "a loop has one floor");
  read_key_text(reader, "lower-bound", &rule->lower_bound);
  read_key_text(reader, "cycles-lower-bound", &rule->cycles_lower_bound);
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
    return fail_key(reader, "", error, "unknown operation");
  if (!words[1])
    return fail_key(reader, "", error, "no width: expected such as [ld 4]");
  for (guint i = 1; words[i]; i++) {
    guint64 width;
    if (!g_ascii_string_to_unsigned(words[i], 10, 1, SMB_MAX_WIDTH, &width, NULL) ||
        !smb_op_has_width(op, (guint)width))
      return fail_key(reader, "", error, "'%s' is not a width of %s", words[i], words[0]);
    gboolean *is_read = &reader->is_read[op][smb_width_index((guint)width)];
    if (*is_read)
      return fail_key(reader, "", error, "a second rule for %s of %s bytes", words[0], words[i]);
    if (!read_rule(reader, op, (guint)width, error))
      return FALSE;
    *is_read = TRUE;
  }
  return TRUE;
}

// Makes the texts of a rule that was taken from @base the architecture's own.
static void
keep_rule(SmbArch *arch, SmbRule *rule, SmbRuleText *text, const char *base) {
  rule->evidence = arch->info.evidence;
  rule->source = arch->info.source;
  text->base = g_string_chunk_insert_const(arch->strings, base);
  const char **texts[] = {&rule->since, &rule->disputed, &rule->lower_bound,
                          &rule->cycles_lower_bound, &text->group};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (*texts[i])
      *texts[i] = g_string_chunk_insert_const(arch->strings, *texts[i]);
  }
}

// Takes everything from the architecture that this one is like; the evidence becomes its own.
static gboolean
inherit(Reader *reader, guint depth, GError **error) {
  g_autofree char *base_name = g_key_file_get_string(reader->keys, "arch", "like", NULL);
  if (!base_name)
    return TRUE;
  reader->group = "arch";
  if (depth >= MAX_LIKE_DEPTH)
    return fail_key(reader, "like", error, "'%s' is one architecture too many", base_name);
  g_autoptr(SmbArch) base = smb_arch_load_like(base_name, depth + 1, error);
  if (!base) {
    g_autofree char *place = find_key_place(reader, "arch", "like");
    smb_prefix_error(error, "%s: [arch] like: ", place);
    if (error && g_error_matches(*error, SMB_ERROR, SMB_ERROR_USAGE))
      (*error)->code = SMB_ERROR_INPUT; // the file asks for an unknown one, not the caller
    return FALSE;
  }
  SmbArch *arch = reader->arch;
  const char *name = arch->info.name;
  arch->info = base->info;
  arch->info.name = name;
  arch->info.base = g_string_chunk_insert_const(arch->strings, base_name);
  arch->info.title = arch->info.aliases = NULL;
  arch->info.source = NULL;
  const char **texts[] = {&arch->info.sm_source, &arch->info.instruction_source,
                          &arch->info.active_counter, &arch->info.conflict_counter,
                          &arch->info.counter_note};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (*texts[i])
      *texts[i] = g_string_chunk_insert_const(arch->strings, *texts[i]);
  }
  if (!read_evidence(reader, &arch->info.evidence, &arch->info.source, error))
    return FALSE;
  memcpy(arch->rules, base->rules, sizeof arch->rules);
  memcpy(arch->texts, base->texts, sizeof arch->texts);
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++)
      keep_rule(arch, &arch->rules[op][i], &arch->texts[op][i], base->info.name);
  }
  return TRUE;
}

// The plans of all rules, once all of the file is read.
static gboolean
make_rules(Reader *reader, GError **error) {
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      const SmbRuleText *text = &reader->arch->texts[op][i];
      g_autoptr(GError) reason = NULL;
      if (!reader->arch->rules[op][i].defined ||
          smb_arch_make_plans(reader->arch, (SmbOp)op, smb_width(i), &reason))
        continue;
      g_autofree char *key = g_strndup(reason->message, strcspn(reason->message, ":"));
      g_autofree char *place = find_key_place(reader, text->group, key);
      if (!text->base)
        return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: [%s] %s", place, text->group,
                        reason->message);
      reader->group = "arch";
      return fail_key(reader, "like", error, "the rule [%s] of %s does not fit: %s", text->group,
                      text->base, reason->message);
    }
  }
  return TRUE;
}

SmbArch *
smb_arch_read(const char *name, gboolean is_user, const char *text, gsize length, guint depth,
              GError **error) {
  g_autofree char *file = is_user ? g_strdup(name) : g_strconcat(name, ".ini", NULL);
  g_autofree char *whole = g_strndup(text, length);
  g_autoptr(GKeyFile) keys = smb_key_file_load(file, text, length, error);
  if (!keys)
    return NULL;
  g_autoptr(SmbArch) arch = g_new0(SmbArch, 1);
  g_atomic_ref_count_init(&arch->references);
  arch->strings = g_string_chunk_new(512);
  arch->info.name = g_string_chunk_insert(arch->strings, name);

  Reader reader = {
      .name = name, .is_user = is_user, .keys = keys, .group = "arch", .arch = arch, .text = whole};
  arch->info.lanes = SMB_NVIDIA_LANES;
  if (!inherit(&reader, depth, error) || !read_info(&reader, error))
    return NULL;
  g_auto(GStrv) groups = g_key_file_get_groups(keys, NULL);
  for (guint i = 0; groups[i]; i++) {
    if (strcmp(groups[i], "arch") != 0 && !read_rules(&reader, groups[i], error))
      return NULL;
  }
  return make_rules(&reader, error) ? g_steal_pointer(&arch) : NULL;
}
