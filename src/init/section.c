// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/init/section.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "src/cli/words.h"
#include "src/project/key.h"
#include "src/project/line.h"
#include "src/target/target.h"

// What is known of a parameter, of any kind of code.
typedef struct {
  const char *type;
  const char *name;
  gboolean is_pointer;
} Parameter;

// A section that is being written.
typedef struct {
  SmbSections *sections;
  const SmbHost *host;
  const SmbHostLaunch *launch; // or NULL
  SmbSection *section;
} Section;

static void
section_free(SmbSection *section) {
  g_free(section->name);
  g_free(section->base);
  g_string_free(section->text, TRUE);
  g_free(section);
}

SmbSections *
smb_sections_new(const char *arch, GHashTable *folders, GHashTable *said, gboolean is_text) {
  SmbSections *sections = g_new0(SmbSections, 1);
  sections->arch = g_strdup(arch);
  sections->folders = g_hash_table_ref(folders);
  sections->said = g_hash_table_ref(said);
  sections->is_text = is_text;
  sections->list = g_ptr_array_new_with_free_func((GDestroyNotify)section_free);
  sections->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return sections;
}

void
smb_sections_free(SmbSections *sections) {
  if (!sections)
    return;
  g_free(sections->arch);
  g_hash_table_unref(sections->folders);
  g_hash_table_unref(sections->said);
  g_ptr_array_unref(sections->list);
  g_hash_table_unref(sections->names);
  g_free(sections);
}

char *
smb_sections_write(const SmbSections *sections) {
  GString *text = g_string_new(NULL);
  g_string_printf(text,
                  "# Kernels and how they are launched: 'smembank check' counts them all, and\n# "
                  "'smembank analyze --case NAME' one of them. A max-excess is what was counted\n# "
                  "when this was written: a check fails if a kernel gets worse.\n\n"
                  "# For all cases.\n[*]\narch = %s\n%s",
                  sections->arch,
                  g_str_has_prefix(sections->arch, "sm_") ? "# max-cost = 5 %\n"
                                                          : "# max-ways = 1\n");
  for (guint i = 0; i < sections->list->len; i++) {
    const SmbSection *section = sections->list->pdata[i];
    g_string_append_printf(text, "\n[%s]\n%s", section->name, section->text->str);
  }
  return g_string_free(text, FALSE);
}

// Says what is to be filled in, on one line.
G_GNUC_PRINTF(2, 3)
static void
write_open(Section *section, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *line = smb_text_show_line(text);
  g_string_append_printf(section->section->text, "# %s\n", line);
  section->section->is_open = TRUE;
}

// A value as GLib reads it again (Desktop Entry Specification, "Possible value types") (transfer full).
static char *
escape_value(const char *value) {
  static const struct {
    const char *plain, *escaped;
  } escapes[] = {{"\\", "\\\\"}, {"\n", "\\n"}, {"\r", "\\r"}, {"\t", "\\t"}};
  GString *text = g_string_new(value);
  for (guint i = 0; i < G_N_ELEMENTS(escapes); i++)
    g_string_replace(text, escapes[i].plain, escapes[i].escaped, 0);
  if (*text->str == ' ')
    g_string_replace(text, " ", "\\s", 1);
  return g_string_free(text, FALSE);
}

// A key with a value that is escaped. One with characters that are not shown, which a file of lines should not have either, is left to
// be filled in.
static void
write_escaped_key(Section *section, const char *key, const char *text) {
  g_autofree char *shown = smb_text_show(text);
  if (strcmp(shown, text) == 0)
    g_string_append_printf(section->section->text, "%s = %s\n", key, text);
  else
    write_open(section, "%s = ?  (its characters are not all shown: %s)", key, shown);
}

static void
write_section_key(Section *section, const char *key, const char *value) {
  g_autofree char *text = escape_value(value);
  write_escaped_key(section, key, text);
}

// @values: (element-type utf8)
static void
write_section_list(Section *section, const char *key, const GPtrArray *values) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint i = 0; i < values->len; i++) {
    g_autofree char *value = escape_value(values->pdata[i]);
    g_autoptr(GString) text = g_string_new(value);
    g_string_replace(text, ";", "\\;", 0);
    g_string_append_printf(list, "%s%s", i ? "; " : "", text->str);
  }
  write_escaped_key(section, key, list->str);
}

char *
smb_sections_name(GHashTable *names, const char *base) {
  char *unique = g_strdup(base);
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(names, base));
  while (g_hash_table_contains(names, unique) || strcmp(unique, SMB_PROJECT_EVERY) == 0) {
    g_free(unique);
    unique = g_strdup_printf("%s-%u", base, ++number);
  }
  g_hash_table_replace(names, g_strdup(base), GUINT_TO_POINTER(MAX(number, 1)));
  if (strcmp(unique, base) != 0)
    g_hash_table_replace(names, g_strdup(unique), GUINT_TO_POINTER(1));
  return unique;
}

// A path as the project file has it: elsewhere than in the current folder it is absolute (transfer full).
static char *
describe_path(const char *path, const char *folder) {
  return folder ? g_canonicalize_filename(path, NULL) : g_strdup(path);
}

// What a file includes from elsewhere, and what @more (nullable) (element-type utf8) has of that.
static void
write_folders(Section *section, const char *file, const char *folder, const GPtrArray *more) {
  const char *const *folders = g_hash_table_lookup(section->sections->folders, file);
  g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; folders && folders[i]; i++)
    g_ptr_array_add(list, describe_path(folders[i], folder));
  for (guint i = 0; more && i < more->len; i++)
    g_ptr_array_add(list, g_strdup(more->pdata[i]));
  if (list->len)
    write_section_list(section, "include", list);
}

static void
begin_written_section(Section *section, const char *name, const char *file, const char *folder) {
  SmbSections *sections = section->sections;
  g_autofree char *shown = smb_text_show_line(name);
  section->section = g_new0(SmbSection, 1);
  section->section->base = g_strdelimit(g_strdup(shown), "[]", '_');
  section->section->name = smb_sections_name(sections->names, section->section->base);
  section->section->text = g_string_new(NULL);
  g_ptr_array_add(sections->list, section->section);
  g_autofree char *path = describe_path(file, folder);
  write_section_key(section, "file", path);
}

// The key of an extent: "32,8"; one that is not known is left to be filled in.
static void
write_extent(Section *section, const char *key, const char *expression) {
  guint64 extent[3];
  if (!smb_host_extent(section->host, section->launch, expression, extent) || !extent[0] ||
      !extent[1] || !extent[2]) {
    write_open(section, "%s = ?  (line %u of %s has '%s')", key, section->launch->line,
               section->launch->file, expression);
    return;
  }
  GString *value = g_string_new(NULL);
  g_string_append_printf(value, "%" G_GUINT64_FORMAT, extent[0]);
  if (extent[1] > 1 || extent[2] > 1)
    g_string_append_printf(value, ",%" G_GUINT64_FORMAT, extent[1]);
  if (extent[2] > 1)
    g_string_append_printf(value, ",%" G_GUINT64_FORMAT, extent[2]);
  write_section_key(section, key, value->str);
  g_string_free(value, TRUE);
}

static void
write_configuration(Section *section) {
  const GPtrArray *parts = section->launch->configuration;
  if (parts->len > 1)
    write_extent(section, "block", parts->pdata[1]);
  if (parts->len > 0)
    write_extent(section, "grid", parts->pdata[0]);
  guint64 bytes = 0;
  if (parts->len < 3)
    return;
  if (!smb_host_number(section->host, section->launch, parts->pdata[2], &bytes))
    write_open(section, "dynamic-bytes = ?  (line %u of %s has '%s')", section->launch->line,
               section->launch->file, (const char *)parts->pdata[2]);
  else if (bytes > 0)
    g_string_append_printf(section->section->text, "dynamic-bytes = %" G_GUINT64_FORMAT "\n",
                           bytes);
}

// A constant as --arg takes it for a parameter of a type, or NULL (transfer full). Numbers stay as they are written.
static char *
get_constant(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
             const char *type) {
  if (launch->was_seen)
    return *expression ? g_strdup(expression) : NULL;
  g_autofree char *number = smb_host_constant(host, launch, expression, type);
  char *end = NULL;
  g_ascii_strtod(expression, &end);
  gsize length = (gsize)(end - expression);
  gboolean is_written = number && strpbrk(number, ".e") && length > 0 &&
                        strspn(end, "fF") == strlen(end) && !strpbrk(expression, "xX");
  return is_written ? g_strndup(expression, length) : g_steal_pointer(&number);
}

// The scalars that are known as one key, the others as comments.
static void
write_arguments(Section *section, const Parameter *parameters, guint n) {
  g_autoptr(GString) known = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    const Parameter *parameter = &parameters[i];
    const GPtrArray *given = section->launch ? section->launch->arguments : NULL;
    const char *text = given && i < given->len ? given->pdata[i] : NULL;
    g_autofree char *value =
        text ? get_constant(section->host, section->launch, text, parameter->type) : NULL;
    if (parameter->is_pointer)
      continue;
    if (value)
      g_string_append_printf(known, "%s%s=%s", known->len ? "; " : "", parameter->name, value);
    else if (text && *text)
      write_open(section, "arg: %s (%s) is unknown: the launch has '%s'", parameter->name,
                 parameter->type, text);
    else
      write_open(section, "arg: %s (%s) is unknown", parameter->name, parameter->type);
  }
  if (known->len)
    write_section_key(section, "arg", known->str);
}

// Whether the arguments of a template that a launch leaves out are their defaults, and do not follow from the kernel's arguments.
static gboolean
has_all_defaults(const SmbHostKernel *kernel) {
  for (guint i = 0; i < kernel->templates->len; i++) {
    const SmbHostTemplate *parameter = kernel->templates->pdata[i];
    g_autofree char *pattern = g_strdup_printf("\\b%s\\b", parameter->name);
    if (!parameter->value)
      return FALSE;
    for (guint j = 0; j < kernel->parameters->len; j++) {
      const SmbHostParameter *given = kernel->parameters->pdata[j];
      if (g_regex_match_simple(pattern, given->type, 0, 0))
        return FALSE;
    }
  }
  return kernel->templates->len > 0;
}

// The template arguments, numbers where they are known, and defaults where they are left out (transfer full). @is_open: (out): what
// one of them is is not known
static char *
describe_instance(const SmbHost *host, const SmbHostKernel *kernel, const SmbHostLaunch *launch,
                  gboolean *is_open) {
  GString *text = g_string_new(launch->kernel);
  guint n = 0;
  *is_open = FALSE;
  for (; launch->instance && n < launch->instance->len; n++) {
    const char *part = launch->instance->pdata[n];
    g_autofree char *value = get_constant(host, launch, part, "");
    *is_open |= !launch->was_seen && smb_host_is_open(host, launch, part);
    g_string_append_printf(text, "%s%s", n ? "," : "<", value ? value : part);
  }
  for (; kernel->templates && !launch->was_seen && !*is_open; n++) {
    g_autofree char *value = smb_host_default(host, kernel, launch, n);
    if (!value)
      break;
    g_string_append_printf(text, "%s%s", n ? "," : "<", value);
  }
  g_string_append_c(text, '>');
  return g_string_free(text, FALSE);
}

// Which kernel is meant.
static void
write_kernel_key(Section *section, const SmbHostKernel *kernel) {
  const SmbHostLaunch *launch = section->launch;
  gboolean is_default =
      launch && kernel->is_template && !launch->instance && has_all_defaults(kernel);
  if (launch && (launch->instance || is_default)) {
    gboolean is_open;
    g_autofree char *instance = describe_instance(section->host, kernel, launch, &is_open);
    if (is_open)
      write_open(section, "instance = ?  (line %u of %s has '%s')", launch->line, launch->file,
                 instance);
    else
      write_section_key(section, "instance", instance);
    return;
  }
  write_section_key(section, "entry", kernel->name);
  if (kernel->is_template)
    write_open(section, "instance = %s<?>  in place of entry: the arguments of the template",
               kernel->name);
}

// The architecture of a kernel, if it is not that of the project.
static void
write_other_arch(Section *section, const SmbHostKernel *kernel) {
  if (kernel->is_hip != g_str_has_prefix(section->sections->arch, "gfx"))
    write_section_key(section, "arch", kernel->is_hip ? SMB_HIP_ARCH : SMB_DEFAULT_ARCH);
}

static void
write_text_key(Section *section) {
  if (section->sections->is_text)
    g_string_append(section->section->text, SMB_TEXT_OPTION " = true\n");
}

static void
write_section_kernel(SmbSections *sections, const SmbHost *host, const SmbHostKernel *kernel,
                     const SmbHostLaunch *launch, const char *folder) {
  Section section = {sections, host, launch, NULL};
  begin_written_section(&section, kernel->name, kernel->file, folder);
  write_folders(&section, kernel->file, folder, NULL);
  write_other_arch(&section, kernel);
  write_text_key(&section);
  write_kernel_key(&section, kernel);
  if (launch)
    write_configuration(&section);
  else
    write_open(&section, "block = ?  grid = ?  (no launch was found)");
  g_autofree Parameter *parameters = g_new0(Parameter, kernel->parameters->len);
  for (guint i = 0; i < kernel->parameters->len; i++) {
    const SmbHostParameter *parameter = kernel->parameters->pdata[i];
    parameters[i] = (Parameter){parameter->type, parameter->name, parameter->is_pointer};
  }
  write_arguments(&section, parameters, kernel->parameters->len);
  if (launch && launch->n_more > 0)
    g_string_append_printf(section.section->text,
                           "# %u more launches of it differ in the same ways\n", launch->n_more);
}

// --- what the lines of a text say

// The values that a line gives to an option (transfer full) (element-type utf8); "true" for one that takes none.
static GPtrArray *
list_said_values(const SmbCase *said, const char *name) {
  GPtrArray *values = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *option = g_strconcat("--", name, NULL);
  for (guint i = 0; said->words[i]; i++) {
    const char *rest = said->words[i] + strlen(option);
    if (g_str_has_prefix(said->words[i], option) && (*rest == '=' || !*rest))
      g_ptr_array_add(values, g_strdup(*rest ? rest + 1 : "true"));
  }
  return values;
}

// Each option once, where the line has it first.
static void
write_said_options(Section *section, const SmbCase *said) {
  g_autoptr(GHashTable) written = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add(written, g_strdup("include"));
  for (guint i = 0; said->words[i]; i++) {
    char *name = g_strndup(said->words[i] + 2, strcspn(said->words[i] + 2, "="));
    const GOptionEntry *key = smb_key_find(name);
    if (!g_hash_table_add(written, name))
      continue;
    g_autoptr(GPtrArray) values = list_said_values(said, key->long_name);
    if (key->arg == G_OPTION_ARG_STRING_ARRAY)
      write_section_list(section, key->long_name, values);
    else
      write_section_key(section, key->long_name, values->pdata[values->len - 1]);
  }
}

static void
write_said(SmbSections *sections, const SmbHostKernel *kernel, const SmbCase *said,
           const char *folder) {
  Section section = {.sections = sections};
  const char *const *words = (const char *const *)said->words;
  g_autoptr(GPtrArray) includes = list_said_values(said, "include");
  begin_written_section(&section, said->name ? said->name : kernel->name, kernel->file, folder);
  write_folders(&section, kernel->file, folder, includes);
  if (!smb_words_find(words, "arch"))
    write_other_arch(&section, kernel);
  if (!smb_words_has(words, SMB_TEXT_OPTION))
    write_text_key(&section);
  if (!smb_words_find(words, "entry") && !smb_words_find(words, "instance"))
    write_kernel_key(&section, kernel);
  write_said_options(&section, said);
}

// The cases that lines say of a kernel. FALSE: none does.
static gboolean
add_said(SmbSections *sections, const SmbHostKernel *kernel, const char *folder) {
  const GPtrArray *all =
      kernel->included ? NULL : g_hash_table_lookup(sections->said, kernel->file);
  g_autofree char *name = g_strconcat(kernel->space, kernel->name, NULL);
  g_autoptr(GPtrArray) said = all ? smb_cases_of_kernel(all, name) : NULL;
  for (guint i = 0; said && i < said->len; i++)
    write_said(sections, kernel, said->pdata[i], folder);
  return said && said->len > 0;
}

// A file and the name of a kernel (transfer full).
static char *
make_owner_key(const char *file, const char *name) {
  return g_strjoin("\n", file, name, NULL);
}

// Which files have kernels of which names, themselves or by what they include (transfer full).
static GHashTable *
find_owners(const SmbHost *host) {
  GHashTable *owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *kernel = host->kernels->pdata[i];
    g_hash_table_add(owners, make_owner_key(kernel->file, kernel->name));
    if (kernel->included)
      g_hash_table_add(owners, make_owner_key(kernel->included, kernel->name));
  }
  return owners;
}

static gboolean
is_owner(GHashTable *owners, const char *file, const char *name) {
  g_autofree char *key = make_owner_key(file, name);
  return g_hash_table_contains(owners, key);
}

// The launches of a kernel (transfer container): those of texts that have no kernel of its name may be of any.
static GPtrArray *
find_own_launches(const SmbHost *host, GHashTable *owners, const SmbHostKernel *kernel) {
  const GPtrArray *launches = smb_host_launches(host, kernel->name);
  GPtrArray *own = g_ptr_array_new();
  for (guint i = 0; launches && i < launches->len; i++) {
    const SmbHostLaunch *launch = launches->pdata[i];
    gboolean is_own =
        strcmp(launch->text, kernel->file) == 0 || g_strcmp0(launch->file, kernel->included) == 0;
    if (is_own || !(is_owner(owners, launch->text, kernel->name) ||
                    is_owner(owners, launch->file, kernel->name)))
      g_ptr_array_add(own, launches->pdata[i]);
  }
  return own;
}

void
smb_sections_add_host(SmbSections *sections, const SmbHost *host, const char *folder) {
  g_autoptr(GHashTable) owners = find_owners(host);
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *kernel = host->kernels->pdata[i];
    if (add_said(sections, kernel, folder))
      continue;
    g_autoptr(GPtrArray) launches = find_own_launches(host, owners, kernel);
    for (guint j = 0; j < launches->len; j++)
      write_section_kernel(sections, host, kernel, launches->pdata[j], folder);
    // What a header has besides is no kernel of the text.
    if (!launches->len && !kernel->included)
      write_section_kernel(sections, host, kernel, NULL, folder);
  }
}

// The launch of a kernel by its plain name, without template arguments; NULL: none.
static const SmbHostLaunch *
find_section_launch(const SmbHost *host, const char *name) {
  g_autofree char *plain = g_strndup(name, strcspn(name, "<("));
  const GPtrArray *launches = smb_host_launches(host, plain);
  return launches ? launches->pdata[0] : NULL;
}

static void
write_section_entry(SmbSections *sections, const SmbHost *host, const char *file,
                    const SmbEntry *entry, const char *folder) {
  Section section = {sections, host, find_section_launch(host, entry->name), NULL};
  begin_written_section(&section, entry->name, file, folder);
  write_section_key(&section, "entry", entry->symbol);
  if (section.launch)
    write_configuration(&section);
  else if (entry->block[0] == 0)
    write_open(&section, "block = ?  grid = ?  (no launch was found)");
  g_autofree Parameter *parameters = g_new0(Parameter, entry->parameters->len);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < entry->parameters->len; i++) {
    const SmbEntryItem *item = &g_array_index(entry->parameters, SmbEntryItem, i);
    g_ptr_array_add(names, g_strdup_printf("%u", i));
    parameters[i] =
        (Parameter){item->type ? item->type : "unknown type", names->pdata[i], item->is_pointer};
  }
  write_arguments(&section, parameters, entry->parameters->len);
}

void
smb_sections_add_entries(SmbSections *sections, const SmbHost *host, const char *file,
                         const SmbEntries *entries, const char *folder) {
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < entries->entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    // A file has a kernel once for each architecture.
    if (g_hash_table_add(seen, (gpointer)entry->symbol))
      write_section_entry(sections, host, file, entry, folder);
  }
}
