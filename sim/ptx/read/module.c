// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A PTX file: its version, target and address size (PTX ISA 9.0, sections 11.1.1 to 11.1.3), then declarations in any
// order. What each of them declares is read by function.c and variable.c.
#include "sim/ptx/read/module.h"

#include <string.h>

#include "sim/ptx/read/read-impl.h"

// .version must come first (section 11.1.1).
gboolean
smb_ptx_recognize(const SmbSource *source) {
  static const char first[] = ".version";
  PtxLexer lexer;
  smb_ptx_lexer_init(&lexer, smb_source_text(source));
  return lexer.token.kind == PTX_TOKEN_DIRECTIVE && lexer.token.length == strlen(first) &&
         memcmp(lexer.text + lexer.token.start, first, strlen(first)) == 0;
}

static void
clear_opcode(gpointer data) {
  g_free((gpointer)((PtxOpcode *)data)->parts);
}

static PtxModule *
make_module(SmbSource *source) {
  PtxModule *module = g_new0(PtxModule, 1);
  module->source = smb_source_ref(source);
  module->address_bytes = 4; // PTX ISA, section 11.1.3: where .address_size does not say otherwise
  module->strings = g_string_chunk_new(1 << 16);
  module->files = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  module->opcodes = g_array_new(FALSE, FALSE, sizeof(PtxOpcode));
  g_array_set_clear_func(module->opcodes, clear_opcode);
  module->variables = smb_ptx_variables_new();
  module->functions = g_ptr_array_new_with_free_func((GDestroyNotify)smb_ptx_function_free);
  module->locs = g_array_new(FALSE, FALSE, sizeof(PtxLoc));
  return module;
}

void
smb_ptx_module_free(PtxModule *module) {
  g_ptr_array_unref(module->functions);
  g_array_unref(module->variables);
  g_array_unref(module->opcodes);
  g_array_unref(module->locs);
  g_hash_table_unref(module->files);
  g_string_chunk_free(module->strings);
  smb_source_unref(module->source);
  g_free(module);
}

// .version 8.7
static gboolean
read_ptx_version(PtxReader *reader) {
  if (!smb_ptx_accept_directive(reader, ".version"))
    return smb_ptx_fail_expected(reader, "'.version'");
  guint major = 0, minor = 0;
  const PtxToken token = reader->lexer.token;
  g_autofree char *text = g_strndup(smb_ptx_text(reader), token.length);
  const char *point = strchr(text, '.');
  if (token.kind != PTX_TOKEN_DOUBLE || !point || strlen(point) != 2 || token.length > 8 ||
      strspn(text, "0123456789.") != token.length)
    return smb_ptx_fail_expected(reader, "a version such as 8.7");
  major = (guint)g_ascii_strtoull(text, NULL, 10);
  minor = (guint)g_ascii_strtoull(point + 1, NULL, 10);
  reader->module->version = 10 * major + minor;
  smb_ptx_lex(&reader->lexer);
  return TRUE;
}

// .target sm_90a, debug
static gboolean
read_ptx_target(PtxReader *reader) {
  do {
    const PtxToken token = reader->lexer.token;
    const char *text = smb_ptx_text(reader);
    if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "a target such as sm_90"))
      return FALSE;
    if (!reader->module->target)
      reader->module->target = smb_ptx_intern(reader, text, token.length);
  } while (smb_ptx_accept(reader, ','));
  return TRUE;
}

// .address_size 64
static gboolean
read_address_size(PtxReader *reader) {
  const guint32 start = reader->lexer.token.start;
  guint32 bits;
  if (!smb_ptx_read_count(reader, &bits))
    return FALSE;
  reader->module->address_bytes = bits / 8;
  return bits == 32 || bits == 64 ||
         smb_ptx_fail(reader, start, "addresses of %u bits: expected 32 or 64", bits);
}

// .visible, .extern, …: which of them says that what follows is defined elsewhere.
static gboolean
accept_linkage(PtxReader *reader) {
  gboolean is_extern = FALSE;
  for (;;) {
    if (smb_ptx_accept_directive(reader, ".extern"))
      is_extern = TRUE;
    else if (!smb_ptx_accept_directive(reader, ".visible") &&
             !smb_ptx_accept_directive(reader, ".weak") &&
             !smb_ptx_accept_directive(reader, ".common"))
      return is_extern;
  }
}

// A kernel, a function or a variable, with its linkage (section 11.6).
static gboolean
read_ptx_declaration(PtxReader *reader) {
  gboolean is_extern = accept_linkage(reader);
  if (smb_ptx_accept_directive(reader, ".entry"))
    return smb_ptx_read_function(reader, TRUE);
  if (smb_ptx_accept_directive(reader, ".func"))
    return smb_ptx_read_function(reader, FALSE);
  if (smb_ptx_at_space(reader))
    return smb_ptx_read_variables(reader, reader->module->variables, PTX_WHERE_MODULE, is_extern);
  return smb_ptx_fail_expected(reader, "a declaration");
}

// Directives that may occur anywhere at the top level.
static gboolean
read_module_directive(PtxReader *reader) {
  static const struct {
    const char *name;
    gboolean (*read)(PtxReader *reader);
  } directives[] = {
      {".loc", smb_ptx_read_loc},           {".file", smb_ptx_read_file},
      {".section", smb_ptx_read_section},   {".target", read_ptx_target},
      {".alias", smb_ptx_read_alias},       {".pragma", smb_ptx_read_pragma},
      {".address_size", read_address_size},
  };
  for (guint i = 0; i < G_N_ELEMENTS(directives); i++) {
    if (smb_ptx_accept_directive(reader, directives[i].name))
      return directives[i].read(reader);
  }
  return read_ptx_declaration(reader);
}

// Names of inlined functions are texts of .debug_str, which follows the code.
static gboolean
read_module(PtxReader *reader) {
  smb_ptx_lexer_init(&reader->lexer, smb_source_text(reader->module->source));
  if (!read_ptx_version(reader))
    return FALSE;
  while (reader->lexer.token.kind != PTX_TOKEN_END) {
    if (!read_module_directive(reader))
      return FALSE;
  }
  smb_ptx_name_inlined(reader);
  return TRUE;
}

PtxModule *
smb_ptx_module_read(SmbSource *source, GError **error) {
  g_autoptr(PtxModule) module = make_module(source);
  g_autoptr(PtxNames) names = smb_ptx_names_new();
  g_autoptr(PtxNames) opcodes = smb_ptx_names_new();
  g_autoptr(PtxNames) strings = smb_ptx_names_new();
  g_autoptr(PtxNames) debug_labels = smb_ptx_names_new();
  g_autoptr(GPtrArray) interned = g_ptr_array_new();
  g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(PtxOperand));
  g_autoptr(GArray) pending = g_array_new(FALSE, FALSE, sizeof(PtxPending));
  g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(guint));
  g_autoptr(GArray) inlined = g_array_new(FALSE, FALSE, sizeof(PtxInlined));
  g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);
  g_autoptr(GByteArray) debug_text = g_byte_array_new();
  PtxReader reader = {
      .module = module,
      .error = error,
      .names = names,
      .opcodes = opcodes,
      .strings = strings,
      .interned = interned,
      .stack = stack,
      .pending = pending,
      .blocks = blocks,
      .loc = PTX_NONE,
      .places = places,
      .inlined = inlined,
      .debug_labels = debug_labels,
      .debug_text = debug_text,
  };
  return read_module(&reader) ? g_steal_pointer(&module) : NULL;
}

// Whether white space between two characters can be dropped.
static gboolean
can_join(char before, char after) {
  return strchr("([{!-@", before) || strchr(")]},:;", after);
}

char *
smb_ptx_instruction_text(const PtxModule *module, const PtxInstruction *instruction) {
  GString *text = g_string_new(NULL);
  const char *at = smb_source_text(module->source) + instruction->offset;
  guint32 line = 0;
  while (*at && *at != ';') {
    const char *next = smb_ptx_skip_space(at, &line);
    if (next == at)
      g_string_append_c(text, *at++);
    else if (text->len > 0 && *next && !can_join(text->str[text->len - 1], *next))
      g_string_append_c(text, ' ');
    at = MAX(at, next);
  }
  return g_string_free(text, FALSE);
}
