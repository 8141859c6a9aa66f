// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/init/seen.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "sim/program/symbol.h"
#include "src/run/stand-in.h"

enum {
  MAX_OF_KERNEL = 8, // launches that are listed
  MAX_PARTS = 16,    // other files that a program may be made of
  MAX_RAW_BYTES = 64,
};

// --- values

typedef enum {
  VALUE_SIGNED,
  VALUE_UNSIGNED,
  VALUE_REAL,
  VALUE_RAW,
} ValueKind;

// What a type of a parameter says of its value, of types without a name of their own.
static ValueKind
find_value_kind(const char *type) {
  static const struct {
    const char *word;
    ValueKind kind;
  } kinds[] = {
      {"unsigned", VALUE_UNSIGNED}, {"bool", VALUE_UNSIGNED},     {"size_t", VALUE_UNSIGNED},
      {"uint", VALUE_UNSIGNED},     {"uint8_t", VALUE_UNSIGNED},  {"uint16_t", VALUE_UNSIGNED},
      {"uint32_t", VALUE_UNSIGNED}, {"uint64_t", VALUE_UNSIGNED}, {"float", VALUE_REAL},
      {"double", VALUE_REAL},       {"char", VALUE_SIGNED},       {"short", VALUE_SIGNED},
      {"int", VALUE_SIGNED},        {"long", VALUE_SIGNED},       {"int8_t", VALUE_SIGNED},
      {"int16_t", VALUE_SIGNED},    {"int32_t", VALUE_SIGNED},    {"int64_t", VALUE_SIGNED},
      {"ptrdiff_t", VALUE_SIGNED}};
  g_auto(GStrv) words = g_strsplit_set(type, " \t\n", -1);
  for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
    if (g_strv_contains((const char *const *)words, kinds[k].word))
      return kinds[k].kind;
  }
  return VALUE_RAW;
}

static char *
describe_whole(const guint8 *bytes, gsize n, gboolean is_signed) {
  guint64 value = 0;
  memcpy(&value, bytes, n);
  guint unused = 64 - 8 * (guint)n;
  return is_signed ? g_strdup_printf("%" G_GINT64_FORMAT, (gint64)(value << unused) >> unused)
                   : g_strdup_printf("%" G_GUINT64_FORMAT, value);
}

// A value as --arg takes it, or "" (transfer full). @raw: "raw:HEXBYTES"
static char *
describe_value(const char *type, const char *raw) {
  guint8 bytes[MAX_RAW_BYTES];
  const char *digits = raw + strlen("raw:");
  gsize n = strlen(digits) / 2;
  float single;
  double value;
  ValueKind kind = find_value_kind(type);
  if (n == 0 || n > sizeof bytes)
    return g_strdup("");
  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8)(g_ascii_xdigit_value(digits[2 * i]) << 4 |
                        g_ascii_xdigit_value(digits[2 * i + 1]));
  char *text = NULL;
  if (kind == VALUE_REAL && (n == sizeof single || n == sizeof value)) {
    memcpy(&single, bytes, sizeof single);
    if (n == sizeof value)
      memcpy(&value, bytes, sizeof value);
    else
      value = single;
    text = smb_text_real(value, n == sizeof single);
  } else if (kind != VALUE_RAW && kind != VALUE_REAL && n <= sizeof(guint64))
    text = describe_whole(bytes, n, kind == VALUE_SIGNED);
  return text ? text : g_strdup(raw);
}

// --- launches

// The kernel of a name that one of the files has, of the first that does.
static const SmbHostKernel *
find_host_kernel(const SmbHost *host, const char *const *files, const char *name) {
  for (guint f = 0; files[f]; f++) {
    for (guint i = 0; i < host->kernels->len; i++) {
      const SmbHostKernel *kernel = host->kernels->pdata[i];
      if (strcmp(kernel->name, name) == 0 && strcmp(kernel->file, files[f]) == 0)
        return kernel;
    }
  }
  return NULL;
}

// The arguments of a template, of what follows its "<"; commas between others of their brackets (transfer full).
static GPtrArray *
split_instance(const char *text) {
  GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
  const char *start = text;
  int depth = 0;
  for (const char *at = text; *at; at++) {
    gboolean is_end = depth == 0 && (*at == ',' || *at == '>');
    if (is_end) {
      g_ptr_array_add(parts, g_strstrip(g_strndup(start, (gsize)(at - start))));
      start = at + 1;
    }
    if (is_end && *at == '>')
      break;
    depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
  }
  return parts;
}

static char *
describe_dim3(const guint extent[3]) {
  return g_strdup_printf("dim3(%u, %u, %u)", extent[0], extent[1], extent[2]);
}

// The launch as a text would have it (transfer full); @plain: its name without namespaces and parameters. NULL: the files have no such
// kernel, or (with @error) the capture is damaged.
static SmbHostLaunch *
make_seen_launch(const SmbHost *host, const SmbCapture *capture, const SmbCaptureLaunch *captured,
                 const char *const *files, GError **error) {
  g_autofree char *plain = smb_symbol_demangle(captured->kernel, TRUE);
  g_autofree char *name = g_strndup(plain, strcspn(plain, "<("));
  const SmbHostKernel *kernel = find_host_kernel(host, files, name);
  g_autoptr(SmbSource) code = kernel ? smb_capture_code(capture, captured, error) : NULL;
  SmbCaptureLoaded *loaded = code ? smb_capture_load(capture, captured, code, error) : NULL;
  if (!loaded)
    return NULL;
  SmbHostLaunch *launch = smb_host_launch_new(name, kernel->file);
  const char *instance = strchr(plain, '<');
  if (instance && kernel->is_template)
    launch->instance = split_instance(instance + 1);
  g_ptr_array_add(launch->configuration, describe_dim3(captured->grid));
  g_ptr_array_add(launch->configuration, describe_dim3(captured->block));
  g_ptr_array_add(launch->configuration,
                  g_strdup_printf("%" G_GUINT64_FORMAT, captured->dynamic_bytes));
  for (guint i = 0; i < kernel->parameters->len && loaded->arguments[i]; i++) {
    const SmbHostParameter *parameter = kernel->parameters->pdata[i];
    const char *raw = strchr(loaded->arguments[i], '=') + 1;
    g_ptr_array_add(launch->arguments,
                    parameter->is_pointer ? g_strdup("") : describe_value(parameter->type, raw));
  }
  smb_capture_loaded_free(loaded);
  return launch;
}

// What makes launches of a kernel different, in words of its own (transfer full).
static char *
make_seen_key(const SmbHostLaunch *launch) {
  const GPtrArray *const lists[] = {launch->instance, launch->configuration, launch->arguments};
  GString *key = g_string_new(launch->kernel);
  for (guint l = 0; l < G_N_ELEMENTS(lists); l++) {
    for (guint i = 0; lists[l] && i < lists[l]->len; i++)
      g_string_append_printf(key, "|%s", (const char *)lists[l]->pdata[i]);
    g_string_append_c(key, ';');
  }
  return g_string_free(key, FALSE);
}

// Adds a launch (transfer full) that is unlike those before it.
static void
add_seen_launch(GHashTable *seen, GPtrArray *names, GHashTable *keys, SmbHostLaunch *launch) {
  GPtrArray *launches = g_hash_table_lookup(seen, launch->kernel);
  char *key = make_seen_key(launch);
  gboolean is_new = g_hash_table_add(keys, key);
  if (!launches) {
    launches = g_ptr_array_new();
    g_hash_table_insert(seen, launch->kernel, launches);
    g_ptr_array_add(names, launch->kernel);
  }
  if (is_new && launches->len < MAX_OF_KERNEL) {
    g_ptr_array_add(launches, launch);
    return;
  }
  ((SmbHostLaunch *)launches->pdata[launches->len - 1])->n_more += is_new;
  smb_host_launch_free(launch);
}

static gboolean
add_seen(SmbHost *host, const SmbCapture *capture, const char *const *files, GError **error) {
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  g_autoptr(GError) failure = NULL;
  for (guint i = 0; i < smb_capture_n_launches(capture) && !failure; i++) {
    SmbHostLaunch *launch =
        make_seen_launch(host, capture, smb_capture_launch(capture, i), files, &failure);
    if (launch)
      add_seen_launch(seen, names, keys, launch);
  }
  for (guint i = 0; i < names->len; i++)
    smb_host_replace_launches(host, files, g_hash_table_lookup(seen, names->pdata[i]));
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  return !error || !*error;
}

// A program, and up to so many of the texts that are none, which it may be made of together (transfer container).
static GPtrArray *
list_parts(const GPtrArray *texts, const char *program, const SmbArch *arch) {
  GPtrArray *files = g_ptr_array_new();
  g_ptr_array_add(files, (gpointer)program);
  for (guint i = 0; i < texts->len && files->len <= MAX_PARTS; i++) {
    const char *file = texts->pdata[i];
    if (g_str_has_suffix(file, ".cu") && !smb_stand_in_is_program(file, arch))
      g_ptr_array_add(files, texts->pdata[i]);
  }
  g_ptr_array_add(files, NULL);
  return files;
}

// All folders of the files (transfer full).
static GStrv
list_searched(const char *const *files, GHashTable *folders) {
  g_autoptr(GStrvBuilder) all = g_strv_builder_new();
  for (guint i = 0; files[i]; i++)
    g_strv_builder_addv(all, g_hash_table_lookup(folders, files[i]));
  return g_strv_builder_end(all);
}

gboolean
smb_seen_read(SmbCli *cli, SmbHost *host, const GPtrArray *texts, guint program,
              GHashTable *folders, GError **error) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, error);
  g_autoptr(SmbStandIn) stand_in = NULL;
  const char *file = texts->pdata[program];
  if (!arch)
    return FALSE;
  if (!smb_stand_in_is_program(file, arch))
    return TRUE;
  g_autoptr(GPtrArray) parts = list_parts(texts, file, arch);
  const char *const *files = (const char *const *)parts->pdata, *const alone[] = {file, NULL};
  g_auto(GStrv) searched = list_searched(files, folders);
  if (!smb_stand_in_run(cli, files, arch, (const char *const *)searched, FALSE, &stand_in, error))
    return FALSE;
  if (!stand_in)
    return TRUE;
  g_autoptr(SmbCapture) capture = smb_capture_open(stand_in->path, error);
  return capture && add_seen(host, capture, stand_in->n_files > 1 ? files : alone, error);
}
