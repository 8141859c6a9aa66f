// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which kernel of a module a name means.
#include <check.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/program/program.h"
#include "sim/program/symbol.h"
#include "tests/suite.h"

#define IN_NAMESPACE "_ZN2ns36_GLOBAL__N__89b8bf71_4_t_cu_271559c41fIfLj256EEEvPT_"

// The kernels of the module, as compilers mangle them; how they are demangled stands beside.
static const char *const kernels[] = {
    "plain",
    "_Z4fullPf",                  // full(float*)
    "_Z5scaleILi128ELb1EEvPf",    // void scale<128, true>(float*)
    "_Z5scaleILi256ELb1EEvPf",    // void scale<256, true>(float*)
    "_ZN2ns1gINS_2OpIiEEEEvPiT_", // void ns::g<ns::Op<int> >(int*, ns::Op<int>)
    IN_NAMESPACE,                 // void ns::(anonymous namespace)::f<float, 256u>(float*)
    "_ZN1a1hEPi",                 // a::h(int*)
    "_ZN1b1hEPi",                 // b::h(int*)
    "_ZN1b1hEPf",                 // b::h(float*)
    "_Z5inneri",                  // inner(int)
    "_ZN1a5innerEi",              // a::inner(int)
    "_ZN8__main__3addB2v1Ef",     // __main__::add[abi:v1](float)
    "_ZN1c1kIPFviEEEvT_",         // void c::k<void (*)(int)>(void (*)(int))
};

// @found: what is chosen; NULL: nothing, for @reason
static const struct {
  const char *entry, *found, *reason;
} cases[] = {
    {"plain", "plain", NULL},
    {"_Z4fullPf", "_Z4fullPf", NULL},
    {"full", "_Z4fullPf", NULL},
    {"full(float*)", "_Z4fullPf", NULL},
    {"full(float *)", "_Z4fullPf", NULL},
    {"full(int*)", NULL, "expected one of"},
    {"ful", NULL, "expected one of"},
    {"", NULL, "expected one of"},
    {"scale<128, true>", "_Z5scaleILi128ELb1EEvPf", NULL},
    {"scale<128,true>", "_Z5scaleILi128ELb1EEvPf", NULL},
    {" scale < 256,true >", "_Z5scaleILi256ELb1EEvPf", NULL},
    {"void scale<256, true>(float*)", "_Z5scaleILi256ELb1EEvPf", NULL},
    {"scale<256,true>(float*)", "_Z5scaleILi256ELb1EEvPf", NULL},
    {"scale<512,true>", NULL, "expected one of"},
    {"scale", NULL,
     "t.ptx has 2 kernels 'scale': 'scale<128, true>(float*)', 'scale<256, true>(float*)'"},
    {"g", "_ZN2ns1gINS_2OpIiEEEEvPiT_", NULL},
    {"ns::g", "_ZN2ns1gINS_2OpIiEEEEvPiT_", NULL},
    {"g<ns::Op<int>>", "_ZN2ns1gINS_2OpIiEEEEvPiT_", NULL},
    {"ns::g<ns::Op<int> >(int*, ns::Op<int>)", "_ZN2ns1gINS_2OpIiEEEEvPiT_", NULL},
    {"f<float,256>", IN_NAMESPACE, NULL},
    {"f<float,256u>", IN_NAMESPACE, NULL},
    {"ns::f<float, 256>", IN_NAMESPACE, NULL},
    {"(anonymous namespace)::f<float, 256u>(float*)", IN_NAMESPACE, NULL},
    {"ns::(anonymous namespace)::f", IN_NAMESPACE, NULL},
    {"h", NULL, "t.ptx has 3 kernels 'h': 'a::h(int*)', 'b::h(int*)', 'b::h(float*)'"},
    {"a::h", "_ZN1a1hEPi", NULL},
    {"b::h", NULL, "t.ptx has 2 kernels 'b::h': 'b::h(int*)', 'b::h(float*)'"},
    {"h(float*)", "_ZN1b1hEPf", NULL},
    {"b::h(float*)", "_ZN1b1hEPf", NULL},
    {"inner", "_Z5inneri", NULL}, // the name with nothing ahead of it
    {"a::inner", "_ZN1a5innerEi", NULL},
    {"add", "_ZN8__main__3addB2v1Ef", NULL},
    {"__main__::add", "_ZN8__main__3addB2v1Ef", NULL},
    {"k<void (*)(int)>", "_ZN1c1kIPFviEEEvT_", NULL},
    {"c::k", "_ZN1c1kIPFviEEEvT_", NULL},
    {NULL, NULL, "t.ptx has several kernels: 'plain', 'full(float*)', "},
};

static SmbProgram *
read_kernel(const char *entry, guint n, GError **error) {
  g_autoptr(GString) text = g_string_new(".version 8.7\n.target sm_90\n.address_size 64\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, ".visible .entry %s(.param .u32 k%u) { ret; }\n", kernels[i], i);
  g_autoptr(GBytes) bytes = g_bytes_new(text->str, text->len);
  g_autoptr(SmbSource) source = smb_source_new("t.ptx", bytes, error);
  const SmbProgramOptions options = {.entry = entry};
  return smb_program_read(source, &options, error);
}

START_TEST(test_choice) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbProgram) program = read_kernel(cases[_i].entry, G_N_ELEMENTS(kernels), &error);
  if (!cases[_i].found) {
    ck_assert_msg(!program && strstr(error->message, cases[_i].reason), "'%s': %s", cases[_i].entry,
                  program ? "found" : error->message);
    ck_assert_int_eq(error->code, SMB_ERROR_USAGE);
    return;
  }
  ck_assert_msg(program != NULL, "'%s': %s", cases[_i].entry, error ? error->message : "");
  // Each kernel is known by its parameter.
  g_autofree char *parameter = g_strdup(smb_program_parameter(program, 0).name);
  guint64 number = g_ascii_strtoull(parameter + 1, NULL, 10);
  ck_assert_str_eq(kernels[number], cases[_i].found);
}
END_TEST

// Names of which a quote would show the same beginning are told without it, and without what they have in common.
START_TEST(test_long_names) {
  static const char *const apart[] = {
      "_ZN9namespace4long4that2is10DeviceScanINS1_1AEEEvPKfS5_S5_Pf",
      "_ZN9namespace4long4that2is10DeviceSortINS1_1AEEEvPKfS5_S5_Pf"};
  static const char *const alike[] = {
      "_ZN9namespace4long4that2is10DeviceScanINS1_1AEEEvPKfS5_S5_Pf",
      "_ZN9namespace4long4that2is10DeviceScanINS1_1BEEEvPKfS5_S5_Pf"};
  g_autoptr(GPtrArray) symbols = g_ptr_array_new();
  g_autoptr(GError) error = NULL, other = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(apart); i++)
    g_ptr_array_add(symbols, (gpointer)apart[i]);
  ck_assert_int_eq(smb_symbol_choose(symbols, NULL, "a.out", &error), -1);
  ck_assert_str_eq(error->message, "a.out has several kernels: "
                                   "'DeviceScan', 'DeviceSort'");
  ck_assert_int_eq(smb_symbol_choose(symbols, "DeviceSort", "a.out", &other), 1);
  g_ptr_array_set_size(symbols, 0);
  for (guint i = 0; i < G_N_ELEMENTS(alike); i++)
    g_ptr_array_add(symbols, (gpointer)alike[i]);
  ck_assert_int_eq(smb_symbol_choose(symbols, NULL, "a.out", &other), -1);
  ck_assert_msg(strstr(other->message, "'DeviceScan<…that::A>(") &&
                    strstr(other->message, "'DeviceScan<…that::B>("),
                "%s", other->message);
}
END_TEST

// One kernel needs no name; none is a text that is wrong.
START_TEST(test_few) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbProgram) one = read_kernel(NULL, 1, &error);
  ck_assert_msg(one != NULL, "%s", error ? error->message : "");
  ck_assert_ptr_null(read_kernel(NULL, 0, &error));
  ck_assert_str_eq(error->message, "t.ptx: no kernel (.entry) in this PTX");
  ck_assert_int_eq(error->code, SMB_ERROR_INPUT);
}
END_TEST

Suite *
suite_ptx_entry(void) {
  Suite *suite = suite_create("ptx-entry");
  TCase *tests = tcase_create("ptx-entry");
  tcase_add_loop_test(tests, test_choice, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tests, test_few);
  tcase_add_test(tests, test_long_names);
  suite_add_tcase(suite, tests);
  return suite;
}
