// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/image/cubin.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/image/function.h"

// For the ELF header: flags that name the chip lie in another byte since toolkit 13 (ABI version 8).
enum {
  MACHINE_CUDA = 190,
  ABI_OF_TOOLKIT_13 = 8,
  CHIP_SHIFT_OF_TOOLKIT_13 = 8,
  FIRST_CHIP = 70, // the first whose instructions have 16 bytes
};

// Of symbols (processor-specific).
enum {
  TYPE_TEXTURE = 10,
  TYPE_SURFACE = 12,
  TYPE_VARIABLE = 13, // of a cubin that is not linked
};

// Of sections: in a cubin that is not linked, those without bytes have types of their own.
enum {
  SECTION_GLOBAL = 0x70000007, // .nv.global: zeros
  SECTION_SHARED = 0x7000000a,
};

enum {
  // Times the size of the file. Some sections are in the file twice, under two names; a file in which they overlap more
  // is a trap.
  MAX_OVERLAP = 4
};

// What reading needs: the cubin that is filled, the file, and what of the sections is not kept.
typedef struct {
  SmbCubin *cubin;
  Elf *elf;
  const guint8 *data;
  gsize size;
  GArray *headers;    // GElf_Shdr, as SmbCubin.sections
  GByteArray *others; // st_other, as SmbCubin.symbols
  guint64 names;      // bytes of the names so far
  GError **error;
} Reader;

gboolean
smb_cubin_recognize(GBytes *bytes) {
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  return size >= 20 && memcmp(data, ELFMAG, SELFMAG) == 0 &&
         (data[18] | data[19] << 8) == MACHINE_CUDA;
}

static gboolean fail_cubin(Reader *reader, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail_cubin(Reader *reader, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return smb_fail(reader->error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s", reader->cubin->name, text);
}

static gboolean
fail_at_section(Reader *reader, guint section, const char *what) {
  g_autofree char *name =
      g_utf8_make_valid(g_array_index(reader->cubin->sections, SmbCubinSection, section).name, -1);
  return fail_cubin(reader, "section %u '%s': %s", section, name, what);
}

// A name that the library found (NULL: it did not), in @kept; names may share bytes, but not without end.
static gboolean
keep_name(Reader *reader, const char *name, const char **kept) {
  *kept = "";
  if (!name)
    return fail_cubin(reader, "the name of a section or symbol is outside the file");
  reader->names += strlen(name);
  if (reader->names > MAX_OVERLAP * (guint64)reader->size)
    return fail_cubin(reader, "its names overlap");
  *kept = g_string_chunk_insert_const(reader->cubin->strings, name);
  return TRUE;
}

static gboolean
read_cubin_header(Reader *reader) {
  GElf_Ehdr header;
  SmbCubin *cubin = reader->cubin;
  if (!reader->elf || elf_kind(reader->elf) != ELF_K_ELF || !gelf_getehdr(reader->elf, &header))
    return fail_cubin(reader, "not a cubin: %s", reader->elf ? "no ELF header" : elf_errmsg(-1));
  if (header.e_machine != MACHINE_CUDA)
    return fail_cubin(reader, "an ELF file for machine %u: a cubin is for machine %u",
                      header.e_machine, MACHINE_CUDA);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail_cubin(reader, "a 32-bit or big-endian cubin: expected a 64-bit, little-endian one");
  guint shift = header.e_ident[EI_ABIVERSION] >= ABI_OF_TOOLKIT_13 ? CHIP_SHIFT_OF_TOOLKIT_13 : 0;
  cubin->chip = header.e_flags >> shift & 0xff;
  if (cubin->chip < FIRST_CHIP)
    return fail_cubin(reader, "machine code for sm_%u: expected sm_%u or later", cubin->chip,
                      FIRST_CHIP);
  cubin->is_linked = header.e_type != ET_REL;
  return TRUE;
}

static gboolean
has_bytes(const GElf_Shdr *header) {
  return header->sh_type != SHT_NOBITS && header->sh_type != SECTION_GLOBAL &&
         header->sh_type != SECTION_SHARED && header->sh_type != SHT_NULL;
}

static gboolean
read_section(Reader *reader, Elf_Scn *scn, size_t strings) {
  GElf_Shdr header;
  guint index = reader->headers->len;
  if (!gelf_getshdr(scn, &header))
    return fail_cubin(reader, "section %u: no header", index);
  SmbCubinSection section = {.bytes = header.sh_size};
  if (!keep_name(reader, elf_strptr(reader->elf, strings, header.sh_name), &section.name))
    return FALSE;
  g_array_append_val(reader->headers, header);
  g_array_append_val(reader->cubin->sections, section);
  if (header.sh_size > G_MAXUINT32)
    return fail_at_section(reader, index, "larger than 4 GiB");
  if (!has_bytes(&header))
    return TRUE;
  if (header.sh_offset > reader->size || header.sh_size > reader->size - header.sh_offset)
    return fail_at_section(reader, index, "beyond the end of the file");
  g_array_index(reader->cubin->sections, SmbCubinSection, index).data =
      reader->data + header.sh_offset;
  return TRUE;
}

static gboolean
read_sections(Reader *reader) {
  size_t n, strings;
  guint64 total = 0;
  if (elf_getshdrnum(reader->elf, &n) != 0 || elf_getshdrstrndx(reader->elf, &strings) != 0)
    return fail_cubin(reader, "no section table: %s", elf_errmsg(-1));
  for (size_t i = 0; i < n; i++) {
    Elf_Scn *scn = elf_getscn(reader->elf, i);
    if (!scn)
      return fail_cubin(reader, "section %" G_GSIZE_FORMAT ": %s", i, elf_errmsg(-1));
    if (!read_section(reader, scn, strings))
      return FALSE;
    if (g_array_index(reader->cubin->sections, SmbCubinSection, i).data)
      total += g_array_index(reader->cubin->sections, SmbCubinSection, i).bytes;
  }
  return n > 0 ? total <= MAX_OVERLAP * (guint64)reader->size ||
                     fail_cubin(reader, "its sections overlap")
               : fail_cubin(reader, "no sections");
}

static SmbCubinSymbolKind
find_symbol_kind(const GElf_Sym *symbol) {
  guint type = GELF_ST_TYPE(symbol->st_info);
  if (type == STT_FUNC)
    return SMB_CUBIN_FUNCTION;
  if (type == TYPE_TEXTURE || type == TYPE_SURFACE)
    return type == TYPE_TEXTURE ? SMB_CUBIN_TEXTURE : SMB_CUBIN_SURFACE;
  return type == STT_OBJECT || type == TYPE_VARIABLE ? SMB_CUBIN_VARIABLE : SMB_CUBIN_NONE;
}

// Variables that each file has of its own may have the same name in a file that was linked of several: all but the last one, which may
// be everybody's, get a number.
static void
tell_variables_apart(const Reader *reader) {
  const SmbCubin *cubin = reader->cubin;
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = cubin->symbols->len; i-- > 0;) {
    SmbCubinSymbol *symbol = &g_array_index(cubin->symbols, SmbCubinSymbol, i);
    const char *section = g_array_index(cubin->sections, SmbCubinSection, symbol->section).name;
    if (symbol->kind != SMB_CUBIN_VARIABLE || !symbol->section ||
        !(g_str_has_prefix(section, ".nv.global") || g_str_has_prefix(section, ".nv.constant3")))
      continue;
    g_autofree char *numbered = g_strdup_printf("%s@%u", symbol->name, i);
    if (g_hash_table_contains(seen, symbol->name))
      symbol->name = g_string_chunk_insert(cubin->strings, numbered);
    g_hash_table_add(seen, (gpointer)symbol->name);
  }
}

static gboolean
read_symbols(Reader *reader, guint section) {
  const SmbCubin *cubin = reader->cubin;
  const GElf_Shdr *header = &g_array_index(reader->headers, GElf_Shdr, section);
  Elf_Data *data = elf_getdata(elf_getscn(reader->elf, section), NULL);
  GElf_Sym symbol;
  if (!data)
    return fail_at_section(reader, section, elf_errmsg(-1));
  for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
    guint where = symbol.st_shndx < reader->headers->len ? symbol.st_shndx : 0;
    SmbCubinSymbol own = {NULL, find_symbol_kind(&symbol), where, symbol.st_value, symbol.st_size};
    if (!keep_name(reader, elf_strptr(reader->elf, header->sh_link, symbol.st_name), &own.name))
      return FALSE;
    const SmbCubinSection *in = &g_array_index(cubin->sections, SmbCubinSection, where);
    gsize bytes = in->bytes;
    // Before linking, shared memory has no size yet. Dynamic arrays have none at all, and begin where that of one of
    // the kernels ends: nvcc -G has those of all kernels in one section, as large as the smallest.
    gboolean is_dynamic = own.bytes == 0 && !in->data && own.kind == SMB_CUBIN_VARIABLE;
    gboolean is_placed = (cubin->is_linked && !is_dynamic) || own.kind == SMB_CUBIN_FUNCTION;
    if (where != 0 && own.kind != SMB_CUBIN_NONE && is_placed &&
        (own.value > bytes || own.bytes > bytes - own.value))
      return fail_cubin(reader, "symbol %d is beyond its section", i);
    g_array_append_val(cubin->symbols, own);
    g_byte_array_append(reader->others, &symbol.st_other, 1);
  }
  tell_variables_apart(reader);
  return TRUE;
}

// How many bytes a relocation changes: in code, the instruction that it is in.
static gsize
find_relocation_width(guint type) {
  return type == SMB_CUBIN_RELOCATE_64 || type == SMB_CUBIN_RELOCATE_GENERIC_64 ? 8 : 1;
}

// Adds a relocation of @section's; one without an addend (SHT_REL) has it where it is to be put.
static gboolean
add_relocation(Reader *reader, guint section, const GElf_Rela *rela, gboolean has_addend,
               GArray *list) {
  const SmbCubin *cubin = reader->cubin;
  SmbCubinRelocation own = {g_array_index(reader->headers, GElf_Shdr, section).sh_info,
                            rela->r_offset, (guint)GELF_R_TYPE(rela->r_info),
                            (guint)GELF_R_SYM(rela->r_info), rela->r_addend};
  const SmbCubinSection *changed = &g_array_index(cubin->sections, SmbCubinSection, own.section);
  gsize width = find_relocation_width(own.type);
  if (own.symbol >= cubin->symbols->len)
    return fail_at_section(reader, section, "a relocation refers to a symbol that does not exist");
  if (!changed->data || changed->bytes < width || own.offset > changed->bytes - width)
    return fail_at_section(reader, section, "a relocation is beyond its section");
  if (!has_addend && width == 8)
    memcpy(&own.addend, changed->data + own.offset, 8);
  g_array_append_val(list, own);
  return TRUE;
}

static gboolean
read_relocations(Reader *reader, guint section, GArray *list) {
  const GElf_Shdr *header = &g_array_index(reader->headers, GElf_Shdr, section);
  Elf_Data *data = elf_getdata(elf_getscn(reader->elf, section), NULL);
  gboolean has_addend = header->sh_type == SHT_RELA;
  if (header->sh_size == 0)
    return TRUE;
  if (!data)
    return fail_at_section(reader, section, elf_errmsg(-1));
  if (header->sh_info >= reader->headers->len)
    return fail_at_section(reader, section, "a relocation refers to a section that does not exist");
  GElf_Rela rela = {0};
  GElf_Rel rel;
  for (int i = 0;
       has_addend ? gelf_getrela(data, i, &rela) != NULL : gelf_getrel(data, i, &rel) != NULL;
       i++) {
    if (!has_addend)
      rela = (GElf_Rela){rel.r_offset, rel.r_info, 0};
    if (!add_relocation(reader, section, &rela, has_addend, list))
      return FALSE;
  }
  return TRUE;
}

// Where the relocations of a section go; NULL: they are not needed.
static GArray *
find_list(const Reader *reader, guint section) {
  guint changed = g_array_index(reader->headers, GElf_Shdr, section).sh_info;
  const char *name = changed < reader->headers->len
                         ? g_array_index(reader->cubin->sections, SmbCubinSection, changed).name
                         : "";
  if (strcmp(name, ".debug_line") == 0)
    return reader->cubin->line_relocations;
  gboolean is_debugging = g_str_has_prefix(name, ".debug_") || g_str_has_prefix(name, ".nv_debug_");
  return is_debugging ? NULL : reader->cubin->relocations;
}

// The sections of one kind: symbols first, which relocations name.
static gboolean
read_tables(Reader *reader) {
  const GArray *headers = reader->headers;
  for (guint i = 0; i < headers->len; i++) {
    if (g_array_index(headers, GElf_Shdr, i).sh_type != SHT_SYMTAB)
      continue;
    if (reader->cubin->symbols->len > 0)
      return fail_at_section(reader, i, "a second symbol table");
    if (!read_symbols(reader, i))
      return FALSE;
  }
  for (guint i = 0; i < headers->len; i++) {
    guint type = g_array_index(headers, GElf_Shdr, i).sh_type;
    GArray *list = type == SHT_REL || type == SHT_RELA ? find_list(reader, i) : NULL;
    if (list && !read_relocations(reader, i, list))
      return FALSE;
  }
  return TRUE;
}

// What the sections' headers say of code: sh_info (guint32), as SmbCubin.sections.
static GArray *
list_infos(const Reader *reader) {
  GArray *infos = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint i = 0; i < reader->headers->len; i++) {
    guint32 info = g_array_index(reader->headers, GElf_Shdr, i).sh_info;
    g_array_append_val(infos, info);
  }
  return infos;
}

static gboolean
read_cubin(Reader *reader) {
  if (!read_cubin_header(reader) || !read_sections(reader) || !read_tables(reader))
    return FALSE;
  g_autoptr(GArray) infos = list_infos(reader);
  return smb_cubin_add_functions(reader->cubin, infos, reader->others, reader->error);
}

// What the assembler was called with says sm_90a; the flags do not.
static char *
find_assembled_target(const SmbCubin *cubin) {
  const SmbCubinSection *note = smb_cubin_section(cubin, ".note.nv.tkinfo");
  g_autofree char *plain = g_strdup_printf("sm_%u", cubin->chip);
  g_autofree char *option = g_strconcat("-arch ", plain, NULL);
  gsize length = strlen(option);
  for (gsize i = 0; note && note->data && i + length < note->bytes; i++) {
    char last = (char)note->data[i + length];
    if (memcmp(note->data + i, option, length) == 0)
      return g_ascii_islower(last) ? g_strdup_printf("%s%c", plain, last) : g_steal_pointer(&plain);
  }
  return g_steal_pointer(&plain);
}

static void
free_cubin_function(gpointer data) {
  SmbCubinFunction *function = data;
  g_array_unref(function->parameters);
  g_free(function);
}

SmbCubin *
smb_cubin_read(GBytes *bytes, const char *name, GError **error) {
  g_autoptr(SmbCubin) cubin = g_new0(SmbCubin, 1);
  cubin->name = g_strdup(name);
  cubin->bytes = g_bytes_ref(bytes);
  cubin->strings = g_string_chunk_new(4096);
  cubin->sections = g_array_new(FALSE, FALSE, sizeof(SmbCubinSection));
  cubin->symbols = g_array_new(FALSE, FALSE, sizeof(SmbCubinSymbol));
  cubin->relocations = g_array_new(FALSE, FALSE, sizeof(SmbCubinRelocation));
  cubin->line_relocations = g_array_new(FALSE, FALSE, sizeof(SmbCubinRelocation));
  cubin->functions = g_ptr_array_new_with_free_func(free_cubin_function);
  Reader reader = {.cubin = cubin, .error = error};
  elf_version(EV_CURRENT);
  reader.data = g_bytes_get_data(bytes, &reader.size);
  // It is not written to: nothing is updated.
  reader.elf = elf_memory((char *)reader.data, reader.size);
  reader.headers = g_array_new(FALSE, FALSE, sizeof(GElf_Shdr));
  reader.others = g_byte_array_new();
  gboolean is_read = read_cubin(&reader);
  elf_end(reader.elf);
  g_array_unref(reader.headers);
  g_byte_array_unref(reader.others);
  if (!is_read)
    return NULL;
  cubin->target = find_assembled_target(cubin);
  return g_steal_pointer(&cubin);
}

void
smb_cubin_free(SmbCubin *cubin) {
  if (!cubin)
    return;
  g_ptr_array_unref(cubin->functions);
  g_array_unref(cubin->sections);
  g_array_unref(cubin->symbols);
  g_array_unref(cubin->relocations);
  g_array_unref(cubin->line_relocations);
  g_string_chunk_free(cubin->strings);
  g_bytes_unref(cubin->bytes);
  g_free(cubin->name);
  g_free(cubin->target);
  g_free(cubin);
}

static gpointer
parse_source(SmbSource *source, const char *name, GError **error) {
  return smb_cubin_read(smb_source_bytes(source), name ? name : smb_source_name(source), error);
}

static void
free_cubin(gpointer cubin) {
  smb_cubin_free(cubin);
}

const SmbCubin *
smb_cubin_of(SmbSource *source, const char *name, GError **error) {
  return smb_source_parsed(source, parse_source, name, free_cubin, error);
}

SmbCubin *
smb_cubin_share(const SmbCubin *cubin, const char *name) {
  SmbCubin *share = g_new0(SmbCubin, 1);
  share->name = g_strdup(name);
  share->chip = cubin->chip;
  share->target = g_strdup(cubin->target);
  share->is_linked = cubin->is_linked;
  share->sections = g_array_ref(cubin->sections);
  share->symbols = g_array_ref(cubin->symbols);
  share->relocations = g_array_ref(cubin->relocations);
  share->line_relocations = g_array_ref(cubin->line_relocations);
  share->functions = g_ptr_array_ref(cubin->functions);
  share->bytes = g_bytes_ref(cubin->bytes);
  share->strings = g_string_chunk_new(4096);
  return share;
}

const SmbCubinSection *
smb_cubin_section(const SmbCubin *cubin, const char *name) {
  for (guint i = 0; i < cubin->sections->len; i++) {
    const SmbCubinSection *section = &g_array_index(cubin->sections, SmbCubinSection, i);
    if (strcmp(section->name, name) == 0)
      return section;
  }
  return NULL;
}

const SmbCubinFunction *
smb_cubin_function(const SmbCubin *cubin, const char *name) {
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    if (strcmp(function->name, name) == 0)
      return function;
  }
  return NULL;
}

// No memory of a process lies there, nor code of a kernel.
#define FUNCTIONS_BASE 0x40000000u

enum {
  FUNCTION_STEP = 16,
};

guint64
smb_cubin_function_address(const SmbCubin *cubin, const char *name) {
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    if (strcmp(function->name, name) == 0)
      return FUNCTIONS_BASE + (guint64)FUNCTION_STEP * i;
  }
  return 0;
}
