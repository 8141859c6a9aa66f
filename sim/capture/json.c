// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The tables of members, from the innermost objects outwards.
#include "sim/capture/json.h"

#include <string.h>

#include "sim/base/json-member.h"
#include "sim/launch/launch.h"

#define AT(type, field) G_STRUCT_OFFSET(type, field)
#define MEMBERS(table)  table, G_N_ELEMENTS(table)

#define FORMAT "smembank capture"

enum {
  VERSION = 1,
  MAX_NESTING = 16,
};

// --- kinds of values

static gboolean
write_json_lines(GString *json, gconstpointer value) {
  return *(const GStrv *)value && smb_member_write_texts(json, value);
}

static gboolean
read_json_address(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  g_autofree char *text = NULL;
  if (!smb_member_words(place, node, &text, error))
    return FALSE;
  gboolean has_prefix = g_str_has_prefix(text, "0x") && g_ascii_isxdigit(text[2]);
  if (has_prefix && g_ascii_string_to_unsigned(text + 2, 16, 0, G_MAXUINT64, target, NULL))
    return TRUE;
  return smb_member_expected(place, node, error, "an address, 0x and hexadecimal digits");
}

static gboolean
write_json_address(GString *json, gconstpointer value) {
  g_string_append_printf(json, "\"0x%" G_GINT64_MODIFIER "x\"", *(const guint64 *)value);
  return TRUE;
}

static gboolean
read_json_bytes(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  GBytes **bytes = target;
  g_autofree char *text = NULL;
  if (!smb_member_words(place, node, &text, error))
    return FALSE;
  gsize n = strlen(text);
  if (n % 2 || n / 2 > SMB_CAPTURE_MAX_PARAMETER_BYTES ||
      strspn(text, "0123456789abcdefABCDEF") != n)
    return smb_member_expected(place, node, error,
                               "two hexadecimal digits for each byte, of 64 KiB at most");
  g_autofree guchar *data = g_malloc(n / 2 + 1);
  for (gsize i = 0; i < n / 2; i++)
    data[i] =
        (guchar)(g_ascii_xdigit_value(text[2 * i]) << 4 | g_ascii_xdigit_value(text[2 * i + 1]));
  g_clear_pointer(bytes, g_bytes_unref);
  *bytes = g_bytes_new_take(g_steal_pointer(&data), n / 2);
  return TRUE;
}

static gboolean
write_bytes(GString *json, gconstpointer value) {
  GBytes *bytes = *(GBytes *const *)value;
  gsize n = 0;
  const guchar *data = bytes ? g_bytes_get_data(bytes, &n) : NULL;
  g_string_append_c(json, '"');
  for (gsize i = 0; i < n; i++)
    g_string_append_printf(json, "%02x", data[i]);
  g_string_append_c(json, '"');
  return TRUE;
}

static gboolean
read_captured_grid(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = SMB_MAX_GRID_EXTENT;
  return smb_member_extents(place, node, max, target, error);
}

static gboolean
read_captured_block(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = SMB_MAX_BLOCK_EXTENT;
  return smb_member_extents(place, node, max, target, error);
}

static gboolean
write_cluster(GString *json, gconstpointer value) {
  return *(const guint *)value > 0 && smb_member_write_extents(json, value);
}

static const char *const kinds[] = {"device", "managed", "host", NULL};

// Hashes, of which null says that it is zeros.
static gboolean
read_hashes(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  GPtrArray **hashes = target;
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array of hashes");
  JsonArray *array = json_node_get_array(node);
  g_clear_pointer(hashes, g_ptr_array_unref);
  *hashes = smb_capture_variable_new_hashes();
  for (guint i = 0; i < json_array_get_length(array); i++) {
    SmbPlace element = {place, NULL, i};
    JsonNode *value = json_array_get_element(array, i);
    char *hash = NULL;
    if (!JSON_NODE_HOLDS_NULL(value) && !smb_member_words(&element, value, &hash, error))
      return FALSE;
    g_ptr_array_add(*hashes, hash);
  }
  return TRUE;
}

static gboolean
write_hashes(GString *json, gconstpointer value) {
  const GPtrArray *hashes = *(GPtrArray *const *)value;
  for (guint i = 0; hashes && i < hashes->len; i++) {
    const char *hash = hashes->pdata[i];
    g_string_append(json, i ? ", " : "[");
    g_string_append_printf(json, hash ? "\"%s\"" : "null", hash);
  }
  g_string_append(json, hashes ? (hashes->len ? "]" : "[]") : "");
  return hashes != NULL;
}

#define COUNT   smb_member_count, smb_member_write_count
#define NUMBER  smb_member_number, smb_member_write_number
#define LINES   smb_member_lines, write_json_lines
#define ADDRESS read_json_address, write_json_address

// --- objects

// An array of objects, each on a line of its own.
#define ROWS(table, Row) MEMBERS(table), sizeof(Row), .separator = ", ", .line = "\n  "

static const SmbMember piece_members[] = {
    {"offset", MEMBER_REQUIRED, COUNT, AT(SmbCapturePiece, offset)},
    {"bytes", MEMBER_REQUIRED, COUNT, AT(SmbCapturePiece, bytes)},
    {"memory", MEMBER_NULL, SMB_MEMBER_WORDS, AT(SmbCapturePiece, hash)},
};
static const SmbMembers pieces = {ROWS(piece_members, SmbCapturePiece),
                                  .clear = smb_capture_piece_clear};

static const SmbMember memory_members[] = {
    {"address", MEMBER_REQUIRED, ADDRESS, AT(SmbCaptureMemory, address)},
    {"bytes", MEMBER_REQUIRED, COUNT, AT(SmbCaptureMemory, bytes)},
    {"kind", MEMBER_REQUIRED, .offset = AT(SmbCaptureMemory, kind), .words = kinds},
    {"pieces", MEMBER_REQUIRED, .offset = AT(SmbCaptureMemory, pieces), .of = &pieces},
};
static const SmbMembers memory = {ROWS(memory_members, SmbCaptureMemory)};

static const SmbMember variable_members[] = {
    {"name", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureVariable, name)},
    {"address", MEMBER_REQUIRED, ADDRESS, AT(SmbCaptureVariable, address)},
    {"bytes", MEMBER_REQUIRED, COUNT, AT(SmbCaptureVariable, bytes)},
    {"memory", MEMBER_ABSENT, read_hashes, write_hashes, AT(SmbCaptureVariable, hashes)},
};
static const SmbMembers variables = {ROWS(variable_members, SmbCaptureVariable)};

static const SmbMember kernel_members[] = {
    {"kernel", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureKernel, kernel)},
    {"launches", MEMBER_REQUIRED, COUNT, AT(SmbCaptureKernel, launches)},
    {"recorded", MEMBER_REQUIRED, COUNT, AT(SmbCaptureKernel, recorded)},
    {"nanoseconds", MEMBER_NULL, NUMBER, AT(SmbCaptureKernel, nanoseconds)},
};

static const SmbCaptureKernel blank_kernel = {.nanoseconds = -1};
static const SmbMembers kernels = {ROWS(kernel_members, SmbCaptureKernel), .blank = &blank_kernel};

static const SmbMember device_members[] = {
    {"index", MEMBER_REQUIRED, COUNT, AT(SmbCaptureLaunch, device)},
    {"name", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureLaunch, device_name)},
};
static const SmbMember graph_members[] = {
    {"launch", MEMBER_REQUIRED, COUNT, AT(SmbCaptureLaunch, graph_launch)},
    {"node", MEMBER_REQUIRED, COUNT, AT(SmbCaptureLaunch, graph_node)},
};

// Objects in the object of a launch, whose values are its own.
static const SmbMembers device = {MEMBERS(device_members), .is_object = TRUE, .separator = ", "};
static const SmbMembers graph = {MEMBERS(graph_members), .is_object = TRUE, .separator = ", "};

static gboolean
read_graph(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  ((SmbCaptureLaunch *)target)->is_in_graph = TRUE;
  return smb_members_read_value(place, node, &graph, target, error);
}

static gboolean
write_graph(GString *json, gconstpointer value) {
  if (((const SmbCaptureLaunch *)value)->is_in_graph)
    smb_members_write_value(json, &graph, value);
  return ((const SmbCaptureLaunch *)value)->is_in_graph;
}

static const SmbMember launch_members[] = {
    {"number", MEMBER_REQUIRED, COUNT, AT(SmbCaptureLaunch, number)},
    {"launch", MEMBER_REQUIRED, COUNT, AT(SmbCaptureLaunch, launch)},
    {"process", MEMBER_REQUIRED, COUNT, AT(SmbCaptureLaunch, process)},
    {"stream", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureLaunch, stream)},
    {"graph", MEMBER_NULL, read_graph, write_graph, 0},
    {"kernel", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureLaunch, kernel)},
    {"image", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureLaunch, image)},
    {"arch", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureLaunch, arch)},
    {"device", MEMBER_REQUIRED, .of = &device},
    {"driver", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureLaunch, driver)},
    {"grid", MEMBER_REQUIRED, read_captured_grid, smb_member_write_extents,
     AT(SmbCaptureLaunch, grid)},
    {"block", MEMBER_REQUIRED, read_captured_block, smb_member_write_extents,
     AT(SmbCaptureLaunch, block)},
    {"cluster", MEMBER_NULL, read_captured_grid, write_cluster, AT(SmbCaptureLaunch, cluster)},
    {"dynamic_bytes", MEMBER_REQUIRED, COUNT, AT(SmbCaptureLaunch, dynamic_bytes)},
    {"cooperative", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(SmbCaptureLaunch, is_cooperative)},
    {"time", MEMBER_REQUIRED, NUMBER, AT(SmbCaptureLaunch, time)},
    {"nanoseconds", MEMBER_NULL, NUMBER, AT(SmbCaptureLaunch, nanoseconds)},
    {"parameters", MEMBER_REQUIRED, read_json_bytes, write_bytes, AT(SmbCaptureLaunch, parameters)},
    {"variables", MEMBER_REQUIRED, .offset = AT(SmbCaptureLaunch, variables), .of = &variables},
    {"memory", MEMBER_REQUIRED, .offset = AT(SmbCaptureLaunch, memory), .of = &memory},
    {"notes", MEMBER_REQUIRED, LINES, AT(SmbCaptureLaunch, notes)},
};

static const SmbMember end_members[] = {
    {"status", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbCaptureEnd, status)},
    {"kernels", MEMBER_REQUIRED, .offset = AT(SmbCaptureEnd, kernels), .of = &kernels},
};

// The object of the file's header, which also says what it is.
typedef struct {
  char *format;
  guint64 version;
  SmbCaptureHeader header;
} Front;

static const SmbMember front_members[] = {
    {"format", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(Front, format)},
    {"version", MEMBER_REQUIRED, COUNT, AT(Front, version)},
    {"program", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(Front, header.program)},
    {"command", MEMBER_REQUIRED, LINES, AT(Front, header.command)},
    {"started", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(Front, header.started)},
    {"memory_limit", MEMBER_REQUIRED, COUNT, AT(Front, header.memory_limit)},
};

// --- texts

static JsonNode *
parse(const char *name, GBytes *json, GError **error) {
  gsize length;
  const char *text = g_bytes_get_data(json, &length);
  if (text && !memchr(text, '\0', length) && g_utf8_validate_len(text, length, NULL))
    return smb_json_parse(name, text, length, MAX_NESTING, error);
  smb_member_fail(&(SmbPlace){NULL, name, 0}, error, "expected JSON, in UTF-8");
  return NULL;
}

// Another version may have other members: it is looked for first.
static gboolean
check_version(const SmbPlace *place, JsonNode *root, GError **error) {
  JsonObject *object = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  JsonNode *format = object ? json_object_get_member(object, "format") : NULL;
  JsonNode *version = object ? json_object_get_member(object, "version") : NULL;
  guint64 number = VERSION;
  g_autofree char *text = NULL;
  if (!format || !version)
    return TRUE; // which of them is missing is reported with the others
  if (!smb_member_words(&(SmbPlace){place, "format", 0}, format, &text, error) ||
      !smb_member_count(&(SmbPlace){place, "version", 0}, version, &number, error))
    return FALSE;
  if (strcmp(text, FORMAT) != 0)
    return smb_member_expected(&(SmbPlace){place, "format", 0}, format, error, "\"" FORMAT "\"");
  return number == VERSION || smb_member_fail(place, error,
                                              "a capture of version %" G_GUINT64_FORMAT
                                              ": this program reads version %d",
                                              number, VERSION);
}

SmbCaptureHeader *
smb_capture_header_from_json(const char *name, GBytes *json, GError **error) {
  const SmbPlace place = {NULL, name, 0};
  g_autoptr(JsonNode) root = parse(name, json, error);
  Front front = {0};
  gboolean is_read = root && check_version(&place, root, error) &&
                     smb_members_read(&place, root, MEMBERS(front_members), &front, error);
  g_autoptr(SmbCaptureHeader) header = g_memdup2(&front.header, sizeof front.header);
  g_free(front.format);
  return is_read ? g_steal_pointer(&header) : NULL;
}

SmbCaptureLaunch *
smb_capture_launch_from_json(const char *name, GBytes *json, GError **error) {
  const SmbPlace place = {NULL, name, 0};
  g_autoptr(JsonNode) root = parse(name, json, error);
  g_autoptr(SmbCaptureLaunch) launch = smb_capture_launch_new();
  if (!root || !smb_members_read(&place, root, MEMBERS(launch_members), launch, error) ||
      !smb_capture_launch_check(launch, name, error))
    return NULL;
  return g_steal_pointer(&launch);
}

SmbCaptureEnd *
smb_capture_end_from_json(const char *name, GBytes *json, GError **error) {
  const SmbPlace place = {NULL, name, 0};
  g_autoptr(JsonNode) root = parse(name, json, error);
  g_autoptr(SmbCaptureEnd) end = smb_capture_end_new(NULL);
  if (!root || !smb_members_read(&place, root, MEMBERS(end_members), end, error))
    return NULL;
  return g_steal_pointer(&end);
}

static GString *
write_capture_object(const SmbMember *members, guint n, gconstpointer object) {
  GString *json = g_string_new("{");
  smb_members_write(json, members, n, object, ",\n ");
  g_string_append(json, "}\n");
  return json;
}

GString *
smb_capture_header_to_json(const SmbCaptureHeader *header) {
  const Front front = {(char *)FORMAT, VERSION, *header};
  return write_capture_object(MEMBERS(front_members), &front);
}

GString *
smb_capture_launch_to_json(const SmbCaptureLaunch *launch) {
  return write_capture_object(MEMBERS(launch_members), launch);
}

GString *
smb_capture_end_to_json(const SmbCaptureEnd *end) {
  return write_capture_object(MEMBERS(end_members), end);
}
