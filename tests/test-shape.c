// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays that are named in what PTX has as bytes.
#include <check.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/launch/buffer.h"
#include "sim/launch/launch.h"
#include "sim/launch/shape.h"
#include "src/cli/hint.h"
#include "tests/suite.h"

// Of shared memory: tile from byte 0 to 4096, odd from there to 4199, pool dynamic, from 4208.
static const char ptx[] = ".version 8.7\n.target sm_90\n.address_size 64\n"
                          ".extern .shared .align 16 .b8 pool[];\n"
                          ".visible .entry k() { .reg .b32 %r<4>; .shared .align 4 .b8 tile[4096]; "
                          ".shared .b8 odd[103];\n"
                          "mov.u32 %r1, pool; mov.u32 %r2, tile; mov.u32 %r3, odd; ret; }\n";
static const char text[] =
    "__global__ void k(int *out) { __shared__ int tile[4]; out[0] = tile[0]; }";

// @result: "NAME TYPE[…] BASE+BYTES" of each shape; or what is wrong
static const struct {
  const char *source, *shapes, *result;
} cases[] = {
    {ptx, "tile=32x32xf32", "tile float[32][32] 0+4096;"},
    {ptx, "tile", ""},
    {ptx, "tile=4x16x32xf16", "tile half[4][16][32] 0+4096;"},
    {ptx, "tile=100xi8", "tile char[100] 0+100;"},
    {ptx, "tile=f64", "tile double[512] 0+4096;"},
    {ptx, "tile=b128", "tile uint4[256] 0+4096;"},
    {ptx, "tile+1024=16x32xi32", "tile+1024 int[16][32] 1024+2048;"},
    {ptx, "tile+1=i16",
     "array 'tile+1=i16': it begins at byte 1 of shared memory, which is not a multiple of 2"},
    {ptx, "pool=8x8xbf16 tile=i64", "tile long[512] 0+4096;pool __nv_bfloat16[8][8] 4208+128;"},
    {ptx, "pool+512=16x8xf32 pool=64x4xf16",
     "pool half[64][4] 4208+512;pool+512 float[16][8] 4720+512;"},
    {ptx, "pool+508=16x8xf32 pool=64x4xf16", "arrays 'pool' and 'pool+508' overlap"},
    {ptx, "pool=16x17xf32",
     "array 'pool=16x17xf32': it takes 1088 bytes, and there are 1024 of dynamic shared memory; "
     "give the kernel dynamic shared memory with --dynamic-bytes 1088"},
    {ptx, "tile=1048576x1048576x1048576xb128",
     "array 'tile=1048576x1048576x1048576xb128': it takes 4294967295 bytes, and there are 4096"},
    {ptx, "tile+4096=i8", "array 'tile+4096=i8': it takes 1 byte, and there are 0"},
    {ptx, "tile+9999=i8", "array 'tile+9999=i8': it takes 1 byte, and there are 0"},
    {ptx, "odd+102=i8 odd=4xi8", "odd char[4] 4096+4;odd+102 char[1] 4198+1;"},
    {ptx, "tile+x=i8", "array 'tile+x=i8': expected a number of bytes after '+'"},
    {ptx, "tile=32x0xf32", "array 'tile=32x0xf32': expected a number from 1 to 1048576, not '0'"},
    {ptx, "tile=32x32",
     "array 'tile=32x32': expected NAME=ROWSxCOLUMNSxTYPE with b128, " SMB_BUFFER_TYPES " as TYPE"},
    {ptx, "tile=",
     "array 'tile=': expected NAME=ROWSxCOLUMNSxTYPE with b128, " SMB_BUFFER_TYPES " as TYPE"},
    {ptx, "tile=4x8xu32", "tile unsigned[4][8] 0+128;"},
    {ptx, "tile=1x2x3x4xf32", "array 'tile=1x2x3x4xf32': expected at most 3 dimensions"},
    {ptx, "tile=Swizzle<3,3,3>o(32,64):(64,1)xf16", "tile half[2048] 0+4096;"},
    {ptx, "tile+64=(8,33):(34,1)", "tile+64 float[271] 64+1084;"},
    {ptx, "tile=(33,64):(64,1)xf16",
     "array 'tile=(33,64):(64,1)xf16': it takes 4224 bytes, and there are 4096"},
    {ptx, "tile=(32,64:(64,1)xf16",
     "array:1:12: expected ')'\n    1 | tile=(32,64:(64,1)xf16\n      |            ^"},
    {ptx, "til=f32", "array 'til=f32': expected one of tile, odd, pool"},
    {ptx, "=f32", "array '=f32': expected one of tile, odd, pool"},
    {text, "tile=2x2xi32", "array 'tile=2x2xi32': k declares its arrays itself"},
    {".version 8.7\n.target sm_90\n.address_size 64\n.entry k() { ret; }", "tile=f32",
     "array 'tile=f32': the kernel uses no shared array"},
};

static char *
describe(const GArray *shapes) {
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < shapes->len; i++) {
    const SmbShape *shape = &g_array_index(shapes, SmbShape, i);
    g_string_append_printf(out, "%s %s", shape->array.name, shape->array.element);
    for (guint d = 0; d < shape->array.n_dimensions; d++)
      g_string_append_printf(out, "[%" G_GUINT64_FORMAT "]", shape->array.dimension[d]);
    g_string_append_printf(out, " %u+%" G_GSIZE_FORMAT ";", shape->array.base, shape->array.bytes);
  }
  return g_string_free(out, FALSE);
}

START_TEST(test_shapes) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new_static(cases[_i].source, strlen(cases[_i].source));
  g_autoptr(SmbSource) source = smb_source_new("k", bytes, &error);
  const SmbProgramOptions options = {.entry = NULL};
  g_autoptr(SmbProgram) program = smb_program_read(source, &options, &error);
  ck_assert_msg(program != NULL, "%s", error ? error->message : "");
  g_auto(GStrv) texts = g_strsplit(cases[_i].shapes, " ", -1);
  g_autoptr(GArray) shapes = smb_shapes_parse((const char *const *)texts, program, 1024, &error);
  g_autofree char *found = shapes ? describe(shapes) : smb_cli_error_text(error);
  ck_assert_str_eq(found, cases[_i].result);
  ck_assert(shapes || g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
}
END_TEST

// Dynamic shared memory that pointers of a text divide is divided alike in what a compiler makes of it.
START_TEST(test_shapes_of_text) {
  static const char divided[] =
      "__global__ void k(float *out, int n) { extern __shared__ char raw[]; float *a = (float "
      "*)raw; "
      "double *b = (double *)(a + 2 * n); a[0] = n; b[0] = n; out[0] = a[0] + b[0]; }";
  static const char *const arguments[] = {"n=64", NULL};
  const SmbProgramOptions options = {.entry = NULL};
  g_autoptr(GBytes) text_bytes = g_bytes_new_static(divided, strlen(divided));
  g_autoptr(GBytes) code_bytes = g_bytes_new_static(ptx, strlen(ptx));
  g_autoptr(SmbSource) text_source = smb_source_new("k.cu", text_bytes, NULL);
  g_autoptr(SmbSource) code_source = smb_source_new("k.ptx", code_bytes, NULL);
  g_autoptr(SmbProgram) kernel = smb_program_read(text_source, &options, NULL);
  g_autoptr(SmbProgram) code = smb_program_read(code_source, &options, NULL);
  ck_assert(kernel && code);
  const SmbLaunch launch = {
      .block = {32, 1, 1}, .grid = {1, 1, 1}, .dynamic_bytes = 1024, .arguments = arguments};
  g_autoptr(GArray) parts = smb_program_carved_arrays(kernel, &launch);
  g_autoptr(GArray) shapes = smb_shapes_of(parts, kernel, code);
  g_autofree char *found = describe(shapes);
  ck_assert_str_eq(found, "a float[0] 4208+512;b double[0] 4720+512;");
  g_autoptr(GArray) none = smb_shapes_of(NULL, kernel, code);
  ck_assert_uint_eq(none->len, 0);
}
END_TEST

Suite *
suite_shape(void) {
  Suite *suite = suite_create("shape");
  TCase *tests = tcase_create("shape");
  tcase_add_loop_test(tests, test_shapes, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tests, test_shapes_of_text);
  suite_add_tcase(suite, tests);
  return suite;
}
