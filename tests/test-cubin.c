// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the reader finds in cubins of tests/data/sass/parameters.cu, and that no cut or changed file hurts it.
#define _GNU_SOURCE // memmem()
#include <check.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/image/cubin.h"
#include "tests/suite.h"

static GBytes *
load(const char *chip) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/sass/parameters.%s.cubin", folder ? folder : ".", chip);
  GError *error = NULL;
  GBytes *bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, &error);
  ck_assert_msg(bytes, "%s", error ? error->message : "");
  return bytes;
}

static void
dump_function(const SmbCubin *cubin, const SmbCubinFunction *function, GString *out) {
  g_string_append_printf(out, "%s %s registers=%u local=%u",
                         function->is_kernel ? "kernel" : "function", function->name,
                         function->registers, function->local_bytes);
  if (function->is_kernel) {
    g_string_append_printf(
        out, " shared=%u/%u threads=%" G_GUINT64_FORMAT " block=%u,%u,%u cluster=%u,%u,%u",
        function->shared_bytes, function->reserved_shared, function->max_threads,
        function->required[0], function->required[1], function->required[2], function->cluster[0],
        function->cluster[1], function->cluster[2]);
    g_string_append_printf(
        out, " parameters=0x%x+%u bank=%s", function->parameter_base, function->parameter_bytes,
        g_array_index(cubin->sections, SmbCubinSection, function->constants).name);
  }
  for (guint i = 0; i < function->parameters->len; i++) {
    SmbCubinParameter parameter = g_array_index(function->parameters, SmbCubinParameter, i);
    g_string_append_printf(out, " %u:%u", parameter.offset, parameter.bytes);
  }
  g_string_append_c(out, '\n');
}

// Functions, variables and relocations.
static char *
dump(const SmbCubin *cubin) {
  GString *out = g_string_new(NULL);
  g_string_append_printf(out, "%s %u%s\n", cubin->target, cubin->chip,
                         cubin->is_linked ? "" : " not linked");
  for (guint i = 0; i < cubin->functions->len; i++)
    dump_function(cubin, g_ptr_array_index(cubin->functions, i), out);
  for (guint i = 0; i < cubin->symbols->len; i++) {
    const SmbCubinSymbol *symbol = &g_array_index(cubin->symbols, SmbCubinSymbol, i);
    if (symbol->kind == SMB_CUBIN_VARIABLE && symbol->section != 0)
      g_string_append_printf(out, "variable %s %s+%u %u\n", symbol->name,
                             g_array_index(cubin->sections, SmbCubinSection, symbol->section).name,
                             (guint)symbol->value, (guint)symbol->bytes);
  }
  for (guint i = 0; i < cubin->relocations->len; i++) {
    const SmbCubinRelocation *own = &g_array_index(cubin->relocations, SmbCubinRelocation, i);
    g_string_append_printf(
        out, "relocation %u %s+%u: %s+%d\n", own->type,
        g_array_index(cubin->sections, SmbCubinSection, own->section).name, (guint)own->offset,
        g_array_index(cubin->symbols, SmbCubinSymbol, own->symbol).name, (int)own->addend);
  }
  return g_string_free(out, FALSE);
}

// Of all chips.
#define VARIABLES                                                                                  \
  "variable table .nv.constant3+0 40\n"                                                            \
  "variable filled .nv.global.init+8 16\n"                                                         \
  "variable zeros .nv.global+0 16\n"                                                               \
  "variable pointer .nv.global.init+0 8\n"                                                         \
  "relocation 2 .nv.constant4+16: pointer+0\n"                                                     \
  "relocation 2 .nv.constant4+8: zeros+0\n"                                                        \
  "relocation 2 .nv.constant4+0: filled+0\n"                                                       \
  "relocation 4 .nv.global.init+0: filled+4\n"

// What the functions are, by chip.
static const struct {
  const char *chip;
  const char *functions;
} found[] = {
    {"sm_75",
     "sm_75 75\n"
     "function $_Z3onePi$_Z5twicePi registers=7 local=0\n"
     "kernel _Z5large5LargePii registers=5 local=0 shared=0/0 threads=0 block=0,0,0 cluster=0,0,0 "
     "parameters=0x160+4116 bank=.nv.constant0._Z5large5LargePii 0:4100 4104:8 4112:4\n"
     "kernel _Z3onePi registers=7 local=0 shared=0/0 threads=0 block=0,0,0 cluster=0,0,0 "
     "parameters=0x160+8 bank=.nv.constant0._Z3onePi 0:8\n"
     "kernel _Z7severalPic5Mixedsf registers=14 local=0 shared=320/0 threads=128 block=0,0,0 "
     "cluster=0,0,0 parameters=0x160+64 bank=.nv.constant0._Z7severalPic5Mixedsf 0:8 8:1 16:40 "
     "56:2 60:4\n"},
    {"sm_90a", "sm_90a 90\n"
               "function $_Z3onePi$_Z5twicePi registers=0 local=0\n"
               "kernel _Z5large5LargePii registers=8 local=0 shared=1024/1024 threads=0 "
               "block=0,0,0 cluster=0,0,0 parameters=0x210+4116 "
               "bank=.nv.constant0._Z5large5LargePii 0:4100 4104:8 4112:4\n"
               "kernel _Z3onePi registers=10 local=0 shared=1024/1024 threads=0 block=0,0,0 "
               "cluster=2,1,1 parameters=0x210+8 bank=.nv.constant0._Z3onePi 0:8\n"
               "kernel _Z7severalPic5Mixedsf registers=13 local=0 shared=1344/1024 threads=128 "
               "block=0,0,0 cluster=0,0,0 parameters=0x210+64 "
               "bank=.nv.constant0._Z7severalPic5Mixedsf 0:8 8:1 16:40 56:2 60:4\n"},
    {"sm_120", "sm_120 120\n"
               "function $_Z3onePi$_Z5twicePi registers=0 local=0\n"
               "kernel _Z5large5LargePii registers=8 local=0 shared=1024/1024 threads=0 "
               "block=0,0,0 cluster=0,0,0 parameters=0x380+4116 "
               "bank=.nv.constant0._Z5large5LargePii 0:4100 4104:8 4112:4\n"
               "kernel _Z3onePi registers=10 local=0 shared=1024/1024 threads=0 block=0,0,0 "
               "cluster=2,1,1 parameters=0x380+8 bank=.nv.constant0._Z3onePi 0:8\n"
               "kernel _Z7severalPic5Mixedsf registers=13 local=0 shared=1344/1024 threads=128 "
               "block=0,0,0 cluster=0,0,0 parameters=0x380+64 "
               "bank=.nv.constant0._Z7severalPic5Mixedsf 0:8 8:1 16:40 56:2 60:4\n"},
};

START_TEST(everything_is_found) {
  g_autoptr(GBytes) bytes = load(found[_i].chip);
  GError *error = NULL;
  g_autoptr(SmbCubin) cubin = smb_cubin_read(bytes, "x.cubin", &error);
  ck_assert_msg(cubin, "%s", error ? error->message : "");
  g_autofree char *expected = g_strconcat(found[_i].functions, VARIABLES, NULL);
  g_autofree char *text = dump(cubin);
  ck_assert_str_eq(text, expected);
  ck_assert(smb_cubin_recognize(bytes));
  const SmbCubinFunction *one = smb_cubin_function(cubin, "_Z3onePi");
  ck_assert_str_eq(one->name, "_Z3onePi");
  ck_assert_ptr_null(smb_cubin_function(cubin, "one"));
  // Functions have addresses of their own, and what is none has 0.
  ck_assert_uint_gt(smb_cubin_function_address(cubin, "_Z3onePi"), 0);
  ck_assert_uint_ne(smb_cubin_function_address(cubin, "_Z3onePi"),
                    smb_cubin_function_address(cubin, "_Z5large5LargePii"));
  ck_assert_uint_eq(smb_cubin_function_address(cubin, "one"), 0);
  const SmbCubinSection *table = smb_cubin_section(cubin, ".nv.constant3");
  for (guint8 i = 0; i < 10; i++)
    ck_assert_uint_eq(table->data[4 * i], i + 1);
  ck_assert_ptr_null(smb_cubin_section(cubin, ".nv.global")->data);
  ck_assert_ptr_null(smb_cubin_section(cubin, ".nv"));
}
END_TEST

// A copy of the cubin for sm_90a with some bytes put into it (transfer full).
static GBytes *
change(gsize at, const void *bytes, gsize n) {
  g_autoptr(GBytes) whole = load("sm_90a");
  gsize size;
  const guint8 *data = g_bytes_get_data(whole, &size);
  guint8 *copy = g_memdup2(data, size);
  ck_assert_uint_le(at + n, size);
  memcpy(copy + at, bytes, n);
  return g_bytes_new_take(copy, size);
}

// Flags of toolkits before 13 have the chip in their lowest byte.
START_TEST(chip_of_an_older_toolkit) {
  static const guint8 flags[] = {0x56, 0x05, 0x56, 0x00};
  g_autoptr(GBytes) newer = change(48, flags, 4);
  gsize size;
  guint8 *data = g_bytes_unref_to_data(g_steal_pointer(&newer), &size);
  data[8] = 7; // the version of the ABI
  g_autoptr(GBytes) older = g_bytes_new_take(data, size);
  g_autoptr(SmbCubin) cubin = smb_cubin_read(older, "x.cubin", NULL);
  ck_assert_uint_eq(cubin->chip, 86);
  ck_assert_str_eq(cubin->target, "sm_86");
}
END_TEST

static const struct {
  gsize at; // in the header of the file
  guint n;
  guint8 bytes[8];
  const char *message;
} wrong[] = {
    {0, 1, {0}, "x.cubin: not a cubin: no ELF header"},
    {18, 2, {62, 0}, "x.cubin: an ELF file for machine 62: a cubin is for machine 190"},
    {4, 1, {1}, "x.cubin: a 32-bit or big-endian cubin: expected a 64-bit, little-endian one"},
    {49, 1, {35}, "x.cubin: machine code for sm_35: expected sm_70 or later"},
    {40, 8, {0, 0, 0, 0, 1}, "x.cubin: no sections"},
    {62, 2, {0xff, 0xfe}, "x.cubin: the name of a section or symbol is outside the file"},
};

START_TEST(errors_of_the_header) {
  g_autoptr(GBytes) bytes = change(wrong[_i].at, wrong[_i].bytes, wrong[_i].n);
  GError *error = NULL;
  ck_assert_ptr_null(smb_cubin_read(bytes, "x.cubin", &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, wrong[_i].message);
  g_clear_error(&error);
}
END_TEST

// What a header of the file or of a section says that cannot be: counts and sizes without end, sections that are their
// own names.
enum {
  HEADER_BYTES = 64, // of a section
  SECTIONS_AT = 40,  // in the file's header: u64, where the sections' headers are
  N_SECTIONS = 60,   // u16
  NAMES = 62,        // u16: the section of their names
  FLAGS_OF = 8,      // in a section's header: u64
  OFFSET_OF = 24,    // u64
  SIZE_OF = 32,      // u64
  LINK_OF = 40,      // u32
  INFO_OF = 44,      // u32
};

static const struct {
  guint section; // 0 with @at below 64: the file's header
  guint at;
  guint n;
  guint64 value;
  const char *message;
} traps[] = {
    {0, SECTIONS_AT, 8, 64, "x.cubin: the name of a section or symbol is outside the file"},
    {0, SECTIONS_AT, 8, 14070, "x.cubin: no sections"},
    {0, N_SECTIONS, 2, 0xfeff, "x.cubin: no sections"},
    {0, NAMES, 2, 3, "x.cubin: the name of a section or symbol is outside the file"},
    {0, NAMES, 2, 0xffff, "x.cubin: the name of a section or symbol is outside the file"},
    {1, FLAGS_OF, 8, 0x800, "x.cubin: the name of a section or symbol is outside the file"},
    {3, LINK_OF, 4, 3, "x.cubin: the name of a section or symbol is outside the file"},
    {3, SIZE_OF, 8, G_GUINT64_CONSTANT(1) << 62, "x.cubin: section 3 '.symtab': larger than 4 GiB"},
    {16, INFO_OF, 4, 0xffffffff,
     "x.cubin: section 16 '.rela.nv.global.init': a relocation refers to a section that does not "
     "exist"},
    {16, 4, 4, 2, "x.cubin: section 16 '.rela.nv.global.init': a second symbol table"},
    {21, SIZE_OF, 8, 17, "x.cubin: symbol 16 is beyond its section"},
    {21, 4, 4, 8, "x.cubin: '$_Z3onePi$_Z5twicePi': its code is outside the file"},
    {21, OFFSET_OF, 8, -G_GUINT64_CONSTANT(8),
     "x.cubin: section 21 '.text._Z3onePi': beyond the end of the file"},
};

static void
put_number(guint8 *at, guint64 value, guint n) {
  for (guint i = 0; i < n; i++, value >>= 8)
    at[i] = value & 0xff;
}

static guint64
get_number(const guint8 *at, guint n) {
  guint64 number = 0;
  for (guint i = n; i-- > 0;)
    number = number << 8 | at[i];
  return number;
}

// Takes @data.
static void
check_refused(guint8 *data, gsize size, const char *message) {
  g_autoptr(GBytes) bytes = g_bytes_new_take(data, size);
  GError *error = NULL;
  ck_assert_ptr_null(smb_cubin_read(bytes, "x.cubin", &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, message);
  g_clear_error(&error);
}

START_TEST(traps_of_headers) {
  gsize size;
  guint8 *data = g_bytes_unref_to_data(load("sm_90a"), &size);
  guint64 header = get_number(data + SECTIONS_AT, 8) + traps[_i].section * HEADER_BYTES;
  put_number(data + (traps[_i].section ? header : 0) + traps[_i].at, traps[_i].value, traps[_i].n);
  check_refused(data, size, traps[_i].message);
}
END_TEST

// Sections that are all of the file, each.
START_TEST(sections_overlap) {
  gsize size;
  guint8 *data = g_bytes_unref_to_data(load("sm_90a"), &size);
  guint8 *headers = data + get_number(data + SECTIONS_AT, 8);
  for (guint i = 4; i < 9; i++) {
    put_number(headers + i * HEADER_BYTES + OFFSET_OF, 0, 8);
    put_number(headers + i * HEADER_BYTES + SIZE_OF, size, 8);
  }
  check_refused(data, size, "x.cubin: its sections overlap");
}
END_TEST

// A parameter whose number would take half a MiB for the list of them all.
START_TEST(parameters_without_end) {
  static const guint8 parameter[] = {4, 0x17, 12, 0};
  gsize size;
  guint8 *data = g_bytes_unref_to_data(load("sm_90a"), &size);
  guint8 *info =
      data +
      get_number(data + get_number(data + SECTIONS_AT, 8) + 10 * HEADER_BYTES + OFFSET_OF, 8);
  while (memcmp(info, parameter, sizeof parameter) != 0)
    info += 4;
  put_number(info + 8, 0xffff, 2);
  check_refused(data, size, "x.cubin: '.nv.info._Z3onePi': a parameter is missing or out of range");
}
END_TEST

// A function that ends within an instruction.
START_TEST(cut_instruction) {
  enum {
    SYMBOLS = 3,       // .symtab
    SYMBOL_BYTES = 24, // of a symbol
    BYTES_OF = 16,     // in a symbol: u64
  };
  gsize size;
  guint8 *data = g_bytes_unref_to_data(load("sm_90a"), &size);
  guint64 header = get_number(data + SECTIONS_AT, 8) + SYMBOLS * HEADER_BYTES;
  guint8 *bytes = data + get_number(data + header + OFFSET_OF, 8) + 16 * SYMBOL_BYTES + BYTES_OF;
  put_number(bytes, get_number(bytes, 8) - 8, 8);
  check_refused(data, size,
                "x.cubin: '$_Z3onePi$_Z5twicePi': its code is not a whole number of instructions");
}
END_TEST

// The size of blocks that a kernel is launched with, in place of the largest one: EIATTR_REQNTID and EIATTR_MAX_THREADS of cuobjdump -elf.
START_TEST(required_block) {
  static const guint8 most[] = {4, 5, 12, 0, 128, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  gsize size;
  guint8 *data = g_bytes_unref_to_data(load("sm_90a"), &size);
  guint8 *info = memmem(data, size, most, sizeof most);
  ck_assert_ptr_nonnull(info);
  info[1] = 0x10;
  put_number(info + 8, 3, 4);
  g_autoptr(GBytes) bytes = g_bytes_new_take(data, size);
  g_autoptr(SmbCubin) cubin = smb_cubin_read(bytes, "x.cubin", NULL);
  const SmbCubinFunction *several = smb_cubin_function(cubin, "_Z7severalPic5Mixedsf");
  ck_assert_uint_eq(several->required[0], 128);
  ck_assert_uint_eq(several->required[1], 3);
  ck_assert_uint_eq(several->required[2], 1);
  ck_assert_uint_eq(several->max_threads, 0);
}
END_TEST

// Reads what may be wrong: all that is found can be looked at, or there is an error with the file's name.
static gboolean
try_reading(GBytes *bytes) {
  GError *error = NULL;
  g_autoptr(SmbCubin) cubin = smb_cubin_read(bytes, "x.cubin", &error);
  ck_assert(!cubin == !!error);
  if (error) {
    ck_assert(g_str_has_prefix(error->message, "x.cubin: "));
    g_clear_error(&error);
    return FALSE;
  }
  guint sum = 0;
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    for (guint b = 0; b < function->bytes; b++)
      sum += function->code[b];
  }
  for (guint i = 0; i < cubin->sections->len; i++) {
    const SmbCubinSection *section = &g_array_index(cubin->sections, SmbCubinSection, i);
    for (gsize b = 0; section->data && b < section->bytes; b++)
      sum += section->data[b];
  }
  g_free(dump(cubin));
  return sum > 0;
}

// What is cut is not read, unless it is only the table of segments, which nothing here needs, that is cut off.
START_TEST(cut_anywhere) {
  g_autoptr(GBytes) whole = load("sm_75");
  guint n_read = 0;
  for (gsize n = 0; n < g_bytes_get_size(whole); n++) {
    gsize size;
    g_autoptr(GBytes) part = g_bytes_new(g_bytes_get_data(whole, &size), n);
    n_read += try_reading(part);
  }
  ck_assert_uint_eq(n_read, 4 * 56);
}
END_TEST

START_TEST(changed_anywhere) {
  g_autoptr(GRand) random = g_rand_new_with_seed(11);
  g_autoptr(GBytes) whole = load("sm_90a");
  gsize size;
  const guint8 *data = g_bytes_get_data(whole, &size);
  guint n_read = 0;
  for (guint i = 0; i < 4000; i++) {
    guint8 *copy = g_memdup2(data, size);
    for (guint n = 1 + i % 4; n > 0; n--)
      copy[g_rand_int_range(random, 0, (gint32)size)] = (guint8)g_rand_int(random);
    g_autoptr(GBytes) bytes = g_bytes_new_take(copy, size);
    n_read += try_reading(bytes);
  }
  ck_assert_uint_gt(n_read, 1000);
  ck_assert_uint_lt(n_read, 4000);
}
END_TEST

Suite *
suite_cubin(void) {
  Suite *suite = suite_create("cubin");
  TCase *tests = tcase_create("cubin");
  tcase_add_loop_test(tests, everything_is_found, 0, G_N_ELEMENTS(found));
  tcase_add_test(tests, chip_of_an_older_toolkit);
  tcase_add_loop_test(tests, errors_of_the_header, 0, G_N_ELEMENTS(wrong));
  tcase_add_loop_test(tests, traps_of_headers, 0, G_N_ELEMENTS(traps));
  tcase_add_test(tests, sections_overlap);
  tcase_add_test(tests, parameters_without_end);
  tcase_add_test(tests, cut_instruction);
  tcase_add_test(tests, required_block);
  tcase_add_test(tests, cut_anywhere);
  tcase_add_test(tests, changed_anywhere);
  suite_add_tcase(suite, tests);
  return suite;
}
