// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where things are: sections of code, one behind the other, from 0 on; variables in global and constant memory, each a
// region of its own; shared arrays. Shared memory begins at 0 here, behind what the system has of it since sm_90.
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/range.h"
#include "sim/exec/runtime-function.h"
#include "sim/image/kept-text.h"
#include "sim/program/symbol.h"
#include "sim/sass/decode/decode.h"

enum {
  DYNAMIC_ALIGN = 16, // of dynamic shared memory
};

// For a thread: a file may say more, which no device has (512 KiB, CUDA C++ Programming Guide, Compute Capabilities).
#define MAX_STACK_BYTES (1u << 31)

static const SmbCubinSection *
get_decoder_section(const SassDecoder *decoder, guint index) {
  return &g_array_index(decoder->cubin->sections, SmbCubinSection, index);
}

static const SmbCubinSymbol *
get_symbol(const SassDecoder *decoder, guint index) {
  return &g_array_index(decoder->cubin->symbols, SmbCubinSymbol, index);
}

static guint64
align_sass_offset(guint64 offset, guint64 align) {
  return (offset + align - 1) / align * align;
}

// --- code

// Where the next section goes.
static guint32
end_of_code(const SassDecoder *decoder) {
  const GArray *sections = decoder->sections;
  const SassSection *last =
      sections->len ? &g_array_index(sections, SassSection, sections->len - 1) : NULL;
  return last ? last->base + last->bytes : 0;
}

const SassSection *
smb_sass_placed(const SassDecoder *decoder, guint index) {
  guint place = GPOINTER_TO_UINT(g_hash_table_lookup(decoder->placed, GUINT_TO_POINTER(index)));
  return place ? &g_array_index(decoder->sections, SassSection, place - 1) : NULL;
}

static gboolean
add_section(SassDecoder *decoder, guint index) {
  const SmbCubinSection *section = get_decoder_section(decoder, index);
  guint32 base = end_of_code(decoder);
  if (smb_sass_placed(decoder, index))
    return TRUE;
  if (!section->data || section->bytes % SASS_BYTES || section->bytes > G_MAXINT32 - base)
    return smb_fail(decoder->error, SMB_ERROR, SMB_ERROR_INPUT, "%s: section %s: expected code",
                    decoder->program->file, section->name);
  const SassSection added = {index, base, (guint32)section->bytes, section->data};
  g_array_append_val(decoder->sections, added);
  g_hash_table_insert(decoder->placed, GUINT_TO_POINTER(index),
                      GUINT_TO_POINTER(decoder->sections->len));
  return TRUE;
}

const SassSection *
smb_sass_section_at(const SassDecoder *decoder, guint32 address) {
  guint low = 0, high = decoder->sections->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    const SassSection *section = &g_array_index(decoder->sections, SassSection, middle);
    if (address - section->base < section->bytes)
      return section;
    if (address < section->base)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static gboolean
is_code(const SmbCubinSection *section) {
  return g_str_has_prefix(section->name, ".text.");
}

// Whether what a relocation changes is needed: constants and variables, and sections of code that are. Of a module that is run, any
// kernel may have left a pointer to a function.
static gboolean
is_needed_section(const SassDecoder *decoder, guint section) {
  if (decoder->addresses)
    return TRUE;
  for (guint i = 0; i < decoder->sections->len; i++)
    if (g_array_index(decoder->sections, SassSection, i).section == section)
      return TRUE;
  return !is_code(get_decoder_section(decoder, section));
}

static gboolean
is_launched(const SmbCubinRelocation *relocation) {
  return relocation->type == SMB_CUBIN_RELOCATE_LAUNCH_64 ||
         relocation->type == SMB_CUBIN_RELOCATE_LAUNCH_LOW_32 ||
         relocation->type == SMB_CUBIN_RELOCATE_LAUNCH_HIGH_32;
}

// Whether code that a relocation leads to belongs to the program: not of kernels that it launches, and of functions that are
// provided.
static gboolean
leads_into_code(const SassDecoder *decoder, const SmbCubinRelocation *relocation) {
  const SmbCubinSymbol *symbol = get_symbol(decoder, relocation->symbol);
  return symbol->kind == SMB_CUBIN_FUNCTION && symbol->section && !is_launched(relocation) &&
         is_code(get_decoder_section(decoder, symbol->section)) && !smb_provided_find(symbol->name);
}

// The kernel's section, and those of functions whose addresses are taken.
static gboolean
add_sections(SassDecoder *decoder) {
  const SmbCubin *cubin = decoder->cubin;
  if (!add_section(decoder, decoder->kernel->section))
    return FALSE;
  for (guint known = 0; known < decoder->sections->len;) {
    known = decoder->sections->len;
    for (guint i = 0; i < cubin->relocations->len; i++) {
      const SmbCubinRelocation *relocation =
          &g_array_index(cubin->relocations, SmbCubinRelocation, i);
      if (leads_into_code(decoder, relocation) && is_needed_section(decoder, relocation->section) &&
          !add_section(decoder, get_symbol(decoder, relocation->symbol)->section))
        return FALSE;
    }
  }
  return TRUE;
}

// The address of a function; of one that is elsewhere one behind all code, where there is none.
static guint64
find_function_address(SassDecoder *decoder, const SmbCubinSymbol *symbol) {
  const SassSection *section = symbol->section ? smb_sass_placed(decoder, symbol->section) : NULL;
  if (section) {
    decoder->code->points_at_code = TRUE;
    return section->base + symbol->value;
  }
  guint found;
  if (!g_ptr_array_find_with_equal_func(decoder->missing, symbol->name, g_str_equal, &found)) {
    found = decoder->missing->len;
    g_ptr_array_add(decoder->missing, (gpointer)symbol->name);
  }
  return end_of_code(decoder) + (guint64)found * SASS_BYTES;
}

// --- variables

static void put_addresses(SassDecoder *decoder, guint section, guint64 first, GByteArray *bytes);

static gboolean
is_zero_data(const guint8 *data, gsize bytes) {
  for (gsize i = 0; i < bytes; i++) {
    if (data[i])
      return FALSE;
  }
  return TRUE;
}

// What a variable holds at first. Zeros may as well be what nobody wrote there: the host says so, or nobody.
static SmbContents
find_symbol_contents(SassDecoder *decoder, const SmbCubinSymbol *symbol) {
  const SmbCubinSection *section = get_decoder_section(decoder, symbol->section);
  if (!section->data || !smb_range_is_within(symbol->value, symbol->bytes, section->bytes))
    return (SmbContents){.fill = SMB_FILL_UNKNOWN};
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_append(bytes, section->data + symbol->value, (guint)symbol->bytes);
  g_ptr_array_add(decoder->code->bytes, bytes);
  put_addresses(decoder, symbol->section, symbol->value, bytes);
  if (is_zero_data(bytes->data, bytes->len))
    return (SmbContents){.fill = SMB_FILL_UNKNOWN};
  return (SmbContents){.fill = SMB_FILL_BYTES, .bytes = bytes->data, .length = bytes->len};
}

// The region of a variable in global or constant memory; 0: it is none.
static guint32
find_symbol_region(SassDecoder *decoder, guint index) {
  const SmbCubinSymbol *symbol = get_symbol(decoder, index);
  const SmbCubinSection *section = get_decoder_section(decoder, symbol->section);
  gpointer known;
  gboolean global = g_str_has_prefix(section->name, ".nv.global");
  if (!symbol->section || (!global && !g_str_has_prefix(section->name, ".nv.constant3")))
    return 0;
  if (g_hash_table_lookup_extended(decoder->regions, symbol, NULL, &known))
    return GPOINTER_TO_UINT(known);
  Region region = {
      .name = symbol->name, .space = global ? SPACE_GLOBAL : SPACE_CONSTANT, .size = symbol->bytes};
  g_array_append_val(decoder->program->regions, region);
  guint32 added = decoder->program->regions->len - 1;
  g_hash_table_insert(decoder->regions, (gpointer)symbol, GUINT_TO_POINTER(added));
  const SmbContents contents = find_symbol_contents(decoder, symbol);
  g_array_index(decoder->program->regions, Region, added).contents = contents;
  return added;
}

// What a pointer to a function is in all kernels of a module that is run, where it is known; 0: it is not.
static guint64
find_module_address(SassDecoder *decoder, const SmbCubinSymbol *symbol) {
  const SassSection *section = symbol->section ? smb_sass_placed(decoder, symbol->section) : NULL;
  guint64 address = decoder->addresses && section && symbol->kind == SMB_CUBIN_FUNCTION
                        ? smb_cubin_function_address(decoder->cubin, symbol->name)
                        : 0;
  const CodeAlias alias = {address, section ? section->base + symbol->value : 0};
  for (guint i = 0; address && i < decoder->code->aliases->len; i++) {
    if (g_array_index(decoder->code->aliases, CodeAlias, i).address == address)
      return address;
  }
  if (address)
    g_array_append_val(decoder->code->aliases, alias);
  return address;
}

// What a symbol stands for, if that is something the code can have the address of. @is_pointer: it may leave the launch.
static gboolean
find_address(SassDecoder *decoder, guint index, gboolean is_pointer, guint64 *address) {
  const SmbCubinSymbol *symbol = get_symbol(decoder, index);
  guint32 region = find_symbol_region(decoder, index);
  const guint64 *known =
      region && decoder->addresses ? g_hash_table_lookup(decoder->addresses, symbol->name) : NULL;
  *address = known ? *known : region ? make_pointer(region, 0) : 0;
  if (region)
    return TRUE;
  if (symbol->kind != SMB_CUBIN_FUNCTION && symbol->section)
    return FALSE;
  guint64 place = find_function_address(decoder, symbol);
  *address = is_pointer ? find_module_address(decoder, symbol) : 0;
  *address = *address ? *address : place;
  return TRUE;
}

// The same of a relocation: a kernel that is launched has the address of the module's.
static gboolean
find_relocated(SassDecoder *decoder, const SmbCubinRelocation *relocation, gboolean is_pointer,
               guint64 *address) {
  if (!is_launched(relocation))
    return find_address(decoder, relocation->symbol, is_pointer, address);
  *address =
      smb_cubin_function_address(decoder->cubin, get_symbol(decoder, relocation->symbol)->name);
  return *address != 0;
}

// Puts addresses into a copy of what a section holds from @first on.
static void
put_addresses(SassDecoder *decoder, guint section, guint64 first, GByteArray *bytes) {
  const GArray *relocations = decoder->cubin->relocations;
  for (guint i = 0; i < relocations->len; i++) {
    const SmbCubinRelocation *relocation = &g_array_index(relocations, SmbCubinRelocation, i);
    guint64 at = relocation->offset - first, address;
    if (relocation->section != section || relocation->offset < first ||
        !smb_range_is_within(at, sizeof address, bytes->len) ||
        !find_relocated(decoder, relocation, relocation->addend == 0, &address))
      continue;
    address += (guint64)relocation->addend;
    memcpy(bytes->data + at, &address, sizeof address);
  }
}

// --- addresses in code

// The section, with what a relocation puts into its instruction: the call of an address is read as one of 32 bits.
static gboolean
put_into_code(SassDecoder *decoder, GByteArray *code, const SmbCubinRelocation *relocation) {
  guint64 address;
  guint type = relocation->type;
  gboolean calls = type == SMB_CUBIN_RELOCATE_CALL || type == SMB_CUBIN_RELOCATE_CALL_90;
  gboolean launched = is_launched(relocation);
  gboolean high = type == SMB_CUBIN_RELOCATE_HIGH_32 || type == SMB_CUBIN_RELOCATE_LAUNCH_HIGH_32;
  if ((!calls && !high && !launched && type != SMB_CUBIN_RELOCATE_LOW_32) ||
      relocation->offset % SASS_BYTES ||
      !smb_range_is_within(relocation->offset, SASS_BYTES, code->len) ||
      !find_relocated(decoder, relocation, !calls && relocation->addend == 0, &address))
    return smb_fail(decoder->error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: '%s' is not linked yet (compiled with nvcc -rdc=true): link it with nvcc "
                    "-dlink, or compile without -rdc",
                    decoder->program->file, decoder->kernel->name);
  address += (guint64)relocation->addend;
  guint32 word = GUINT32_TO_LE((guint32)(address >> (high ? 32 : 0)));
  memcpy(code->data + relocation->offset + 4, &word, sizeof word);
  return TRUE;
}

// Sections that have addresses in their code are copied.
static gboolean
put_addresses_into_code(SassDecoder *decoder) {
  const GArray *relocations = decoder->cubin->relocations;
  for (guint s = 0; s < decoder->sections->len; s++) {
    SassSection *section = &g_array_index(decoder->sections, SassSection, s);
    GByteArray *code = NULL;
    for (guint i = 0; i < relocations->len; i++) {
      const SmbCubinRelocation *relocation = &g_array_index(relocations, SmbCubinRelocation, i);
      if (relocation->section != section->section)
        continue;
      if (!code) {
        code = g_byte_array_new();
        g_byte_array_append(code, section->code, section->bytes);
        g_ptr_array_add(decoder->code->bytes, code);
        section->code = code->data;
      }
      if (!put_into_code(decoder, code, relocation))
        return FALSE;
    }
  }
  return TRUE;
}

// --- banks

const SassBank *
smb_sass_bank(SassDecoder *decoder, guint bank) {
  SassBank *found = &decoder->banks[bank % SASS_BANKS];
  const SmbCubin *cubin = decoder->cubin;
  g_autofree char *own = g_strdup_printf(".nv.constant%u.%s", bank, decoder->kernel->name);
  g_autofree char *common = g_strdup_printf(".nv.constant%u", bank);
  if (found->is_made)
    return found;
  found->is_made = TRUE;
  const SmbCubinSection *section = smb_cubin_section(cubin, own);
  section = section ? section : smb_cubin_section(cubin, common);
  if (!section || !section->data)
    return found;
  found->bytes = g_byte_array_new();
  g_byte_array_append(found->bytes, section->data, (guint)section->bytes);
  g_ptr_array_add(decoder->code->bytes, found->bytes);
  guint index = (guint)(section - &g_array_index(cubin->sections, SmbCubinSection, 0));
  put_addresses(decoder, index, 0, found->bytes);
  return found;
}

static gint
compare_pieces(gconstpointer a, gconstpointer b) {
  const BankPiece *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

// The variables in constant memory; without their names all of it is one.
static GArray *
make_variables(SassDecoder *decoder) {
  GArray *pieces = g_array_new(FALSE, FALSE, sizeof(BankPiece));
  for (guint i = 0; i < decoder->cubin->symbols->len; i++) {
    const SmbCubinSymbol *symbol = get_symbol(decoder, i);
    if (symbol->kind != SMB_CUBIN_VARIABLE || !symbol->section ||
        !g_str_has_prefix(get_decoder_section(decoder, symbol->section)->name, ".nv.constant3"))
      continue;
    const BankPiece piece = {symbol->value, symbol->bytes, find_symbol_region(decoder, i)};
    g_array_append_val(pieces, piece);
  }
  g_array_sort(pieces, compare_pieces);
  return pieces;
}

const GArray *
smb_sass_bank_pieces(SassDecoder *decoder, guint bank) {
  SassBank *found = &decoder->banks[bank % SASS_BANKS];
  const SassBank *section = smb_sass_bank(decoder, bank);
  if (found->pieces || !section->bytes)
    return found->pieces;
  found->pieces = bank == SASS_BANK_VARIABLES ? make_variables(decoder)
                                              : g_array_new(FALSE, FALSE, sizeof(BankPiece));
  g_ptr_array_add(decoder->code->owned, found->pieces);
  if (found->pieces->len == 0) {
    Region region = {.name = "constant memory", .space = SPACE_CONSTANT};
    region.size = section->bytes->len;
    region.contents = (SmbContents){
        .fill = SMB_FILL_BYTES, .bytes = section->bytes->data, .length = section->bytes->len};
    g_array_append_val(decoder->program->regions, region);
    const BankPiece piece = {0, region.size, decoder->program->regions->len - 1};
    g_array_append_val(found->pieces, piece);
  }
  return found->pieces;
}

gboolean
smb_sass_has_variables(SassDecoder *decoder) {
  const GArray *pieces = smb_sass_bank_pieces(decoder, SASS_BANK_VARIABLES);
  if (pieces && !decoder->code->variables) {
    Region *region = &g_array_index(decoder->program->regions, Region, REGION_VARIABLES);
    region->size = smb_sass_bank(decoder, SASS_BANK_VARIABLES)->bytes->len;
    region->contents = (SmbContents){.fill = SMB_FILL_UNKNOWN};
    decoder->code->variables = pieces;
  }
  return pieces != NULL;
}

// --- shared memory

// An array of bytes.
static void
add_image_array(SassDecoder *decoder, const char *name, guint64 base, guint64 bytes,
                gboolean is_dynamic) {
  const SmbArray array = {.name = name,
                          .element = "char",
                          .element_bytes = 1,
                          .n_dimensions = 1,
                          .dimension = {bytes},
                          .base = (guint32)base,
                          .bytes = bytes,
                          .is_dynamic = is_dynamic};
  g_array_append_val(decoder->program->arrays, array);
}

// Arrays of the text that the image was assembled from, if it keeps that: linking forgets their names.
static void
add_kept_arrays(SassDecoder *decoder) {
  const SmbCubin *cubin = decoder->cubin;
  g_autoptr(GArray) arrays =
      smb_kept_arrays(cubin, decoder->kernel->name, decoder->program->static_shared);
  for (guint i = 0; i < arrays->len; i++) {
    const SmbKeptArray *array = &g_array_index(arrays, SmbKeptArray, i);
    g_autofree char *plain = smb_symbol_demangle(array->name, TRUE);
    add_image_array(decoder, g_string_chunk_insert_const(cubin->strings, plain), array->offset,
                    array->bytes, FALSE);
  }
}

// Arrays that the image names; if it names none, static memory is one array. What is dynamic comes after it, whether or not the
// kernel asks for any.
static void
add_image_arrays(SassDecoder *decoder) {
  const SmbCubin *cubin = decoder->cubin;
  SmbProgram *program = decoder->program;
  g_autofree char *name = g_strdup_printf(".nv.shared.%s", decoder->kernel->name);
  for (guint i = 0; i < cubin->symbols->len; i++) {
    const SmbCubinSymbol *symbol = get_symbol(decoder, i);
    if (symbol->kind == SMB_CUBIN_VARIABLE && symbol->section && symbol->bytes > 0 &&
        symbol->value >= decoder->reserved_shared &&
        strcmp(get_decoder_section(decoder, symbol->section)->name, name) == 0)
      add_image_array(decoder, symbol->name, symbol->value - decoder->reserved_shared,
                      symbol->bytes, FALSE);
  }
  if (program->arrays->len == 0)
    add_kept_arrays(decoder);
  if (program->arrays->len == 0 && program->static_shared > 0)
    add_image_array(decoder, "shared", 0, program->static_shared, FALSE);
  g_autofree char *dynamic = smb_kept_dynamic(cubin, decoder->kernel->name);
  g_autofree char *plain = dynamic ? smb_symbol_demangle(dynamic, TRUE) : NULL;
  add_image_array(decoder, plain ? g_string_chunk_insert_const(cubin->strings, plain) : "dynamic",
                  program->dynamic_start, 0, TRUE);
}

gboolean
smb_sass_lay_out(SassDecoder *decoder) {
  SmbProgram *program = decoder->program;
  const SmbCubinFunction *kernel = decoder->kernel;
  if (!add_sections(decoder))
    return FALSE;
  decoder->reserved_shared = kernel->reserved_shared;
  program->static_shared =
      kernel->shared_bytes - MIN(kernel->shared_bytes, kernel->reserved_shared);
  program->dynamic_start = align_sass_offset(program->static_shared, DYNAMIC_ALIGN);
  decoder->stack_bytes =
      (guint32)MIN(align_sass_offset(kernel->local_bytes, 16) + CODE_STACK_BYTES, MAX_STACK_BYTES);
  g_array_index(program->regions, Region, REGION_SHARED).size = program->dynamic_start;
  g_array_index(program->regions, Region, REGION_LOCAL).size = decoder->stack_bytes;
  add_image_arrays(decoder);
  if (decoder->addresses) // of a module that is run, any kernel may have left one
    smb_sass_has_variables(decoder);
  return put_addresses_into_code(decoder);
}
