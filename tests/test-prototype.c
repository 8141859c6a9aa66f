// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a text says of the parameters of a kernel, whatever the body has.
#include <check.h>
#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/program/prototype.h"
#include "tests/suite.h"

// A body that the kernel language does not have: it is not read.
#define BODY "{ auto f = [&](int i) { return a[i]; }; throw f; }\n"

static const struct {
  const char *text, *entry, *expected; // "" of no prototype
} cases[] = {
    {"__global__ void k(float *a, const int n, double x, unsigned char) " BODY, NULL,
     "a float *8*4;n int 4 i32;x double 8 f64; unsigned char 1 u8;"},
    {"struct P { int lda; float *in; struct { short x[2]; } s; float2 v; };\n"
     "__global__ void k(P p, float4 *a) " BODY,
     NULL, "p P 32 .lda@0:4 .in@8* .s.x[0]@16:2 .s.x[1]@18:2 .v.x@24:4 .v.y@28:4;a float4 *8*16;"},
    {"template <class T, int N> __global__ void k(T *a, T b, int (*c)[N]) " BODY, "k<double, 4>",
     "a double *8*8;b double 8 f64;c int [4] *8*16;"},
    {"namespace n { __global__ void k(int a) {} }\n__global__ void l(long b) " BODY, "l",
     "b long 8 i64;"},
    {"struct Q { __device__ int f(); int x; };\n__global__ void k(Q q) " BODY, NULL, ""},
    {"__global__ void k(Unknown u) " BODY, NULL, ""},
    {"__global__ void k(int a) " BODY, "l", ""},
};

static const char *
name_scalar(SmbScalar scalar) {
  static const char *const names[] = {
      [SMB_SCALAR_U8] = "u8",
      [SMB_SCALAR_I32] = "i32",
      [SMB_SCALAR_I64] = "i64",
      [SMB_SCALAR_F64] = "f64",
  };
  return scalar < G_N_ELEMENTS(names) && names[scalar] ? names[scalar] : "?";
}

static void
write_declared(GString *out, const SmbDeclared *declared) {
  g_string_append_printf(out, "%s %s", declared->name, declared->type);
  if (declared->is_pointer) {
    g_string_append_printf(out, "%" G_GSIZE_FORMAT "*%u;", declared->bytes,
                           declared->element_bytes);
    return;
  }
  g_string_append_printf(out, " %" G_GSIZE_FORMAT, declared->bytes);
  if (declared->is_number)
    g_string_append_printf(out, " %s", name_scalar(declared->scalar));
  for (guint i = 0; declared->members && i < declared->members->len; i++) {
    const SmbMember *member = &g_array_index(declared->members, SmbMember, i);
    g_string_append_printf(out, " %s@%" G_GSIZE_FORMAT, member->name, member->offset);
    if (member->is_pointer)
      g_string_append_c(out, '*');
    else
      g_string_append_printf(out, ":%" G_GSIZE_FORMAT, member->bytes);
  }
  g_string_append_c(out, ';');
}

START_TEST(heads_of_kernels) {
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GBytes) text = g_bytes_new_static(cases[i].text, strlen(cases[i].text));
    g_autoptr(SmbSource) source = smb_source_new("k.cu", text, NULL);
    const SmbProgramOptions options = {.entry = cases[i].entry, .cuda_arch = 900, .lanes = 32};
    g_autoptr(GArray) prototype = smb_cuda_prototype(source, &options);
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint p = 0; prototype && p < prototype->len; p++)
      write_declared(out, &g_array_index(prototype, SmbDeclared, p));
    ck_assert_str_eq(out->str, cases[i].expected);
  }
}
END_TEST

Suite *
suite_prototype(void) {
  Suite *suite = suite_create("prototype");
  TCase *tcase = tcase_create("prototype");
  tcase_add_test(tcase, heads_of_kernels);
  suite_add_tcase(suite, tcase);
  return suite;
}
