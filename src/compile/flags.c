// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compile/flags.h"

#include <string.h>

#include "sim/base/error.h"

// What the value of an option is.
typedef enum {
  SWITCH, // it has none
  DEFINE,
  UNDEFINE,
  FOLDER,
  SYSTEM_FOLDER,
  HEADER,
  STANDARD,
  NUMBER,
  TRUTH,
  WORD,
  ARCHITECTURE,
  TARGET,
  PTXAS,
  CUDAFE,
  HOST,
  TRUSTED,
  N_KINDS,
} Kind;

typedef struct {
  Kind kind;
  const char *names; // with a blank between
} Flag;

static const Flag table[] = {
#define NVCC_FLAG(kind, names) {kind, names},
#include "src/compile/flags.def"
#undef NVCC_FLAG
};

#define SAFE_NAME "[A-Za-z0-9_][A-Za-z0-9_-]*"
#define NAME_LIST SAFE_NAME "(," SAFE_NAME ")*"
#define CHIP      "(sm|compute|lto)_[0-9]{2,3}[af]?"

// What a value from a file looks like, or each part of a list; NULL: any value, or none.
static const char *const forms[N_KINDS] = {
    [HEADER] = "[A-Za-z0-9_./][A-Za-z0-9_./+-]*",
    [STANDARD] = "(c|gnu)[+][+][0-9a-z]{2}",
    [NUMBER] = "[0-9]{1,9}",
    [TRUTH] = "true|false",
    [WORD] = NAME_LIST,
    [ARCHITECTURE] = "(" CHIP "|native|all|all-major)(," CHIP ")*",
    [TARGET] = "(arch|code)=[][a-z0-9_,=]+",
    [PTXAS] = "-O[0-4]|-v|--verbose|-w|--disable-warnings|-Werror|--warning-as-error|"
              "--?(warn-spills|warn-on-spills|warn-lmem-usage|warn-on-local-memory-usage|"
              "warn-double-usage|warn-on-double-precision-use|suppress-stack-size-warning|"
              "device-debug|g|generate-line-info|lineinfo|disable-optimizer-constants|"
              "disable-optimizer-consts|extensible-whole-program|ewp)|"
              "--?(dlcm|def-load-cache|flcm|force-load-cache)=c[agsv]|"
              "--?(dscm|def-store-cache|fscm|force-store-cache)=(wb|cg|cs|wt)|"
              "--?(fmad|allow-expensive-optimizations)(=(true|false))?|true|false|"
              "--?(maxrregcount|opt-level|register-usage-level|regUsageLevel)(=[0-9]+)?|[0-9]+",
    [CUDAFE] =
        "--(diag_suppress|diag_warning|diag_error)=" SAFE_NAME "|--display_error_number|" SAFE_NAME,
    [HOST] =
        "-W[a-z0-9+-]+(=[a-z0-9]+)?|-pthread|-pedantic|-g|-O[0-3s]|-Ofast|-ansi|"
        "-f(PIC|pic|PIE|pie|openmp|permissive|fast-math|no-exceptions|no-rtti|no-strict-aliasing|"
        "strict-aliasing|no-math-errno|visibility=[a-z]+|visibility-inlines-hidden|"
        "diagnostics-color=[a-z]+)|-m(64|arch=[a-z0-9-]+|tune=[a-z0-9-]+|avx|avx2|fma|f16c)|"
        "-std=(c|gnu)[+][+][0-9a-z]{2}",
};

static gboolean
is_list(Kind kind) {
  return kind == PTXAS || kind == CUDAFE || kind == HOST;
}

static gboolean
is_for_preprocessor(Kind kind) {
  return kind == DEFINE || kind == UNDEFINE || kind == FOLDER || kind == SYSTEM_FOLDER;
}

// Options of a letter whose value may be in the same word.
static gboolean
is_joined_flag(Kind kind, const char *name) {
  return strlen(name) == 2 && (is_for_preprocessor(kind) || strcmp(name, "-O") == 0);
}

static gboolean
fits_flag(const char *form, const char *value) {
  g_autofree char *whole = g_strdup_printf("^(?:%s)$", form);
  return g_regex_match_simple(whole, value, G_REGEX_DOLLAR_ENDONLY, 0);
}

static gboolean
may_have(Kind kind, const char *value) {
  // nvcc takes lists apart at commas, and the shell that it calls at blanks.
  g_auto(GStrv) parts = g_strsplit_set(value, is_list(kind) ? ", " : "\n", -1);
  if (kind == TRUSTED || (forms[kind] && !*value))
    return FALSE;
  for (guint i = 0; forms[kind] && parts[i]; i++) {
    gboolean is_gap = is_list(kind) && !*parts[i];
    if (!is_gap && !fits_flag(forms[kind], parts[i]))
      return FALSE;
  }
  return TRUE;
}

// What a word is: an option, and its value if that is in the same word.
typedef struct {
  Kind kind;
  const char *value;
} Word;

// Whether a word is the option @name, joined with its value or not.
static gboolean
read_flag_as(const char *word, Kind kind, const char *name, gboolean joined, Word *read) {
  gsize length = strlen(name);
  gboolean has_equals =
      kind != SWITCH && word[0] && g_str_has_prefix(word, name) && word[length] == '=';
  if (strcmp(word, name) == 0)
    *read = (Word){kind, NULL};
  else if (has_equals)
    *read = (Word){kind, word + length + 1};
  else if (joined && is_joined_flag(kind, name) && g_str_has_prefix(word, name))
    *read = (Word){kind, word + length};
  else
    return FALSE;
  return TRUE;
}

// Which option a word is; names that are longer come before those of a letter.
static gboolean
read_flag_word(const char *word, Word *read) {
  for (guint joined = 0; joined < 2; joined++) {
    for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
      g_auto(GStrv) names = g_strsplit(table[i].names, " ", -1);
      for (guint j = 0; names[j]; j++) {
        if (read_flag_as(word, table[i].kind, names[j], joined == 1, read))
          return TRUE;
      }
    }
  }
  return FALSE;
}

// Lists are taken apart as nvcc does: at commas that are not in quotes, nor behind a backslash, which goes.
static void
add_host_words(GStrvBuilder *words, Kind kind, const char *values) {
  static const char *const options[N_KINDS] = {
      [DEFINE] = "-D", [UNDEFINE] = "-U", [FOLDER] = "-I", [SYSTEM_FOLDER] = "-isystem"};
  g_autoptr(GString) word = g_string_new(options[kind]);
  char quote = '\0';
  for (const char *at = values; *at; at++) {
    if (*at == '\\' && at[1] == ',')
      g_string_append_c(word, *++at);
    else if (*at == ',' && !quote) {
      g_strv_builder_add(words, word->str);
      g_string_assign(word, options[kind]);
    } else {
      quote = *at != '"' ? quote : quote ? '\0' : '"';
      g_string_append_c(word, *at);
    }
  }
  g_strv_builder_add(words, word->str);
}

// "arch=compute_80,code=sm_80" is for sm_80.
static void
note_architecture(SmbFlags *flags, const char *value) {
  g_autoptr(GRegex) chip = g_regex_new(".*[^a-z](?:sm|compute|lto)_([0-9]+[af]?)", 0, 0, NULL);
  g_autofree char *padded = g_strconcat("=", value, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  if (!g_regex_match(chip, padded, 0, &match))
    return;
  g_autofree char *number = g_match_info_fetch(match, 1);
  g_free(flags->architecture);
  flags->architecture = g_strconcat("sm_", number, NULL);
}

static void
note_foreign(SmbFlags *flags, const char *word) {
  if (!flags->foreign)
    flags->foreign = g_strdup(word);
}

// Takes the option that begins at a word. Returns how many words it has.
static guint
take_option(SmbFlags *flags, char *const *words, GStrvBuilder *nvcc, GStrvBuilder *host) {
  Word read = {SWITCH, NULL};
  gboolean known = read_flag_word(words[0], &read);
  gboolean is_apart = known && read.kind != SWITCH && !read.value;
  const char *value = is_apart ? words[1] : read.value;
  gboolean is_whole = known && (read.kind == SWITCH || value);
  if (!is_whole || (value && !may_have(read.kind, value)))
    note_foreign(flags, words[0]);
  if (known && value && (read.kind == ARCHITECTURE || read.kind == TARGET))
    note_architecture(flags, value);
  if (is_whole && is_for_preprocessor(read.kind)) {
    add_host_words(host, read.kind, value);
  } else {
    g_strv_builder_add(nvcc, words[0]);
    if (is_apart && value)
      g_strv_builder_add(nvcc, value);
  }
  return is_apart && value ? 2 : 1;
}

SmbFlags *
smb_flags_parse(const char *text, GError **error) {
  g_autoptr(SmbFlags) flags = g_new0(SmbFlags, 1);
  g_autoptr(GStrvBuilder) nvcc = g_strv_builder_new(), host = g_strv_builder_new();
  g_autoptr(GError) failure = NULL;
  if (text && !g_shell_parse_argv(text, NULL, &flags->typed, &failure) &&
      !g_error_matches(failure, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "--nvcc '%s': %s", text, failure->message);
    return NULL;
  }
  if (!flags->typed)
    flags->typed = g_new0(char *, 1);
  for (guint i = 0; flags->typed[i];)
    i += take_option(flags, &flags->typed[i], nvcc, host);
  flags->nvcc = g_strv_builder_end(nvcc);
  flags->host = g_strv_builder_end(host);
  return g_steal_pointer(&flags);
}

void
smb_flags_free(SmbFlags *flags) {
  if (!flags)
    return;
  g_strfreev(flags->typed);
  g_strfreev(flags->nvcc);
  g_strfreev(flags->host);
  g_free(flags->foreign);
  g_free(flags->architecture);
  g_free(flags);
}

gboolean
smb_flags_has(const SmbFlags *flags, const char *const *beginnings) {
  for (guint i = 0; flags->typed[i]; i++) {
    for (guint j = 0; beginnings[j]; j++) {
      if (g_str_has_prefix(flags->typed[i], beginnings[j]))
        return TRUE;
    }
  }
  return FALSE;
}

gboolean
smb_flags_set_macros(const SmbFlags *flags) {
  static const char *const options[] = {
      "-D", "-U", "-include", "--define-macro", "--undefine-macro", "--pre-include", NULL};
  return smb_flags_has(flags, options);
}

gboolean
smb_flags_name_architecture(const SmbFlags *flags) {
  static const char *const options[] = {"-arch", "--gpu-architecture", "-gencode",
                                        "--generate-code", NULL};
  return smb_flags_has(flags, options);
}

// Of several -gencode options, of a list "code=[sm_90,compute_90]", or all that there are.
gboolean
smb_flags_name_several(const SmbFlags *flags) {
  static const char *const all[] = {"-arch=all", "--gpu-architecture=all", NULL};
  guint n = 0;
  for (guint i = 0; flags->typed[i]; i++) {
    const char *word = flags->typed[i], *list = g_strrstr(word, "code=");
    gboolean is_own = list && (list == word || strchr("-=,", list[-1]));
    const char *comma = is_own ? strchr(list, ',') : NULL;
    n += g_str_has_prefix(word, "-gencode") || g_str_has_prefix(word, "--generate-code");
    if (comma && !g_str_has_prefix(comma, ",arch="))
      return TRUE;
  }
  return n > 1 || smb_flags_has(flags, all);
}

gboolean
smb_flags_check_file(const char *text, GError **error) {
  g_autoptr(SmbFlags) flags = smb_flags_parse(text, error);
  if (!flags)
    return FALSE;
  return !flags->foreign ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "'%s' is not among the options that a file may give to nvcc: --trust on the "
                  "command line allows it",
                  flags->foreign);
}
