// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a text says of the parameters of a kernel, whatever the body has.
#include <check.h>
#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/program/inside.h"
#include "sim/program/kernel-type.h"
#include "sim/program/prototype.h"
#include "tests/suite.h"

// A body that the kernel language does not have: it is not read.
#define BODY "{ auto f = [&](int i) { return a[i]; }; throw f; }\n"

// Each has its part twice, in the same bytes.
#define TWICE(part, whole)        "union " whole " { " part " a, b; };\n"
#define FOUR_TIMES(a, b, c, d, e) TWICE(a, b) TWICE(b, c) TWICE(c, d) TWICE(d, e)

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
     "b long long 8 i64;"},
    // Functions, labels and static members have no place in a class; the values were compared with nvcc (offsets of 13,000 members).
    {"class Q { static const int N = 3; __device__ int f() { return x; } public: Q() = default; "
     "Q(int a) : x{a}, y() {}\n"
     " template <class T> T g(T t); int operator()(int i) const; using I = short; int x = 1; I "
     "y[N]; enum { A, B = 4 }; char z[B]; };\n"
     "__global__ void k(Q q) " BODY,
     NULL,
     "q Q 16 .x@0:4 .y[0]@4:2 .y[1]@6:2 .y[2]@8:2 .z[0]@10:1 .z[1]@11:1 .z[2]@12:1 .z[3]@13:1;"},
    // A derived class uses the padding at the end of its base, if that is not plain; an empty base takes nothing.
    {"struct E {}; struct P { int a; char b; }; struct N { int a; char b; N() {} };\n"
     "struct X : E, P { char c; }; struct Y : N { char c; alignas(16) int d; };\n"
     "__global__ void k(X x, Y y) " BODY,
     NULL, "x X 12 .a@0:4 .b@4:1 .c@8:1;y Y 32 .a@0:4 .b@4:1 .c@5:1 .d@16:4;"},
    {"template <class T, int N> struct V { V<T, N> *next; T *p; T v[N]; T &operator[](int i); };\n"
     "template <class T> __global__ void k(V<T, 2> v, V<V<char, 1>, 1> w) " BODY,
     "k<float>",
     "v V<float, 2> 24 .next@0* .p@8* .v[0]@16:4 .v[1]@20:4;w V<V<char, 1>, 1> 40 .next@0* .p@8* "
     ".v[0].next@16* .v[0].p@24* .v[0].v[0]@32:1;"},
    {"struct S { struct { int a; } in; struct { int b, c; }; int (*f)(int); std::pair<int, int> "
     "*p; int &r; };\n"
     "__global__ void k(S s) " BODY,
     NULL, "s S 40 .in.a@0:4 .b@4:4 .c@8:4 .f@16* .p@24* .r@32*;"},
    // What is laid out otherwise has its name alone, and a reason.
    {"struct F { int a : 3; }; union U { int a; virtual ~U(); }; struct G { virtual int f(); };\n"
     "struct C { int a = 0; char b; }; struct D : C { char c; };\n"
     "template <class T> struct T1 { T a; }; template <> struct T1<int> { char b; };\n"
     "__global__ void k(F f, U u, G g, D d, std::pair<int, G> p, T1<int> t, Unknown *q, int "
     "n) " BODY,
     NULL,
     "f F 0!;u U 0!;g G 0!;d D 0!;p pair<int,G> 0!;t T1<int> 0!;q unsigned char *8*1;n int 4 "
     "i32;"},
    // Members of a union are all at its start. One without a name is called by its place in what is around it.
    {"union U { float f; double d[2]; short *p; U() {} }; typedef union { int *a; float *b; } Q;\n"
     "struct S { char c; U u; union { int i; struct { short lo, hi; }; }; struct { int z; union { "
     "char w; int v; }; } in; alignas(16) union { int n; } last; Q q; };\n"
     "template <class T> union V { T a; char b[sizeof(T) + 1]; };\n"
     "__global__ void k(S s, U u, V<int> v) " BODY,
     NULL,
     "s S 64 .c@0:1 .u@8:16| .u.f@8:4 .u.d[0]@8:8 .u.d[1]@16:8 .u.p@8* +24@24:4| .i@24:4 .lo@24:2 "
     ".hi@26:2 .in.z@28:4 .in+4@32:4| .in.w@32:1 .in.v@32:4 .last@48:4| .last.n@48:4 .q@56*| "
     ".q.a@56* .q.b@56*;u U 16 @0:16| .f@0:4 .d[0]@0:8 .d[1]@8:8 .p@0*;v V<int> 8 @0:8| .a@0:4 "
     ".b[0]@0:1 .b[1]@1:1 .b[2]@2:1 .b[3]@3:1 .b[4]@4:1;"},
    // A union does not grow with its members: there is a bound.
    {FOUR_TIMES("int", "A", "B", "C", "D") FOUR_TIMES("D", "E", "F", "G", "H")
         FOUR_TIMES("H", "I", "J", "K", "L") FOUR_TIMES("L", "M", "N", "O", "P")
             TWICE("P", "Q") "union R { char c[32000]; char d[32000]; char e[32000]; };\n"
                             "__global__ void k(Q q, R r) " BODY,
     NULL, "q Q 0!;r R 32000!;"},
    {"struct A { alignas(32) union { int a; }; };\n__global__ void k(A a) " BODY, NULL, "a A 0!;"},
    // What is between members: labels, attributes, friends, initializers in brackets. Members of a class that has hidden ones are not plain.
    {"struct V { int x; }; struct B : public V { int y; };\n"
     "struct P { ; int x; private: int y; public: char z; }; struct R : P { char w; };\n"
     "struct I { int x = 3, y{4}; int z = (1, 2); friend struct V; "
     "template <class T> T f(T a) { return a; } "
     "operator int() const { return x; } I(int a) : x(a), y{a}, z((1, 2)) { } ~I() { } char c; };\n"
     "struct J : I { char d; };\n"
     "__global__ void k(B b, R r, J j) " BODY,
     NULL,
     "b B 8 .x@0:4 .y@4:4;r R 12 .x@0:4 .y@4:4 .z@8:1 .w@9:1;"
     "j J 16 .x@0:4 .y@4:4 .z@8:4 .c@12:1 .d@13:1;"},
    {"struct E {}; struct B : E { E inner[2]; int x; }; struct V { int x; }; struct W : virtual V "
     "{ "
     "int y; };\n"
     "struct P { int x; __attribute__((packed)) int y; }; struct Q { int x; } "
     "__attribute__((packed));\n"
     "struct Opaque; struct O { Opaque o; int y; }; struct alignas(3) A { int y; };\n"
     "struct N { int (*7)(int); int y; }; struct M { int; int y; }; struct D : O { int x; };\n"
     "__global__ void k(B b, W w, P p, Q q, O o, A a, N n, M m, D d, int last) " BODY,
     NULL, "b B 0!;w W 0!;p P 0!;q Q 0!;o O 0!;a A 0!;n N 0!;m M 4 .y@0:4;d D 0!;last int 4 i32;"},
    {"struct C { int x[3; int y; };\n__global__ void k(C c, int last) " BODY, NULL,
     "c C 0!;last int 4 i32;"},
    {"struct C { int f(int a { return 1; } int y; };\n__global__ void k(C c, int last) " BODY, NULL,
     "c C 0!;last int 4 i32;"},
    {"struct C { int x = (1; int y; };\n__global__ void k(C c, int last) " BODY, NULL,
     "c C 0!;last int 4 i32;"},
    {"struct C { C() : x{1 { } int x; };\n__global__ void k(C c, int last) " BODY, NULL, ""},
    {"struct C { using T = (int; int x; };\n__global__ void k(C c, int last) " BODY, NULL,
     "c C 0!;last int 4 i32;"},
    {"__global__ void k(int a) " BODY, "l", ""},
    // A parameter that is none; bases and members that are no types, or have no size or no name.
    {"__global__ void k(, int n) " BODY, NULL, ""},
    {"struct A : 3 { int a; }; struct B { int *; }; struct F; struct C { F f[2]; }; struct D { int "
     "a; } alignas(3);\n"
     "struct G { int a; } __align__(16);\n"
     "__global__ void k(A a, B b, C c, D d, G g, int last) " BODY,
     NULL, "a A 0!;b B 0!;c C 0!;d D 0!;g G 16 .a@0:4;last int 4 i32;"},
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
  g_string_append_printf(out, " %" G_GSIZE_FORMAT "%s", declared->bytes,
                         declared->unknown ? "!" : "");
  if (declared->is_number)
    g_string_append_printf(out, " %s", name_scalar(declared->scalar));
  for (guint i = 0; declared->members && i < declared->members->len; i++) {
    const SmbMember *member = &g_array_index(declared->members, SmbMember, i);
    g_string_append_printf(out, " %s@%" G_GSIZE_FORMAT, member->name, member->offset);
    if (member->is_pointer)
      g_string_append_c(out, '*');
    else
      g_string_append_printf(out, ":%" G_GSIZE_FORMAT, member->bytes);
    if (member->is_union)
      g_string_append_c(out, '|');
  }
  g_string_append_c(out, ';');
}

START_TEST(heads_of_kernels) {
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GBytes) text = g_bytes_new_static(cases[i].text, strlen(cases[i].text));
    g_autoptr(SmbSource) source = smb_source_new("k.cu", text, NULL);
    const SmbProgramOptions options = {.entry = cases[i].entry, .cuda_arch = 900, .lanes = 32};
    g_autoptr(GArray) prototype = smb_cuda_prototype(source, &options, NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint p = 0; prototype && p < prototype->len; p++)
      write_declared(out, &g_array_index(prototype, SmbDeclared, p));
    ck_assert_msg(strcmp(out->str, cases[i].expected) == 0, "%s: %s", cases[i].text, out->str);
  }
}
END_TEST

// Shared variables: of bodies that the kernel language does not have, what declares them is read all the same.
static const struct {
  const char *text, *entry, *expected;
} shared_cases[] = {
    {"template <class T, int N> struct Tiles { T a[N][N + 1]; int n; struct { short b[4]; } in; "
     "};\n"
     "template <class T> __global__ void k(T *a) { constexpr int W = 16, N = W * 2; auto f = "
     "[&](int i) { return a[i]; };\n"
     " __shared__ Tiles<T, N> s; if (f(0)) { const int N = 8; __shared__ double d[N]; } __shared__ "
     "T e[N / 2][3]; throw f; }\n",
     "k<float>",
     "s 4236: s.a float @0 [32][33], s.n int @4224, s.in.b short @4228 [4];d 64: d double @0 [8];e "
     "192: e float @0 [16][3];"},
    // In functions that are called, and outside of them; not in those that nobody calls.
    {"__device__ int g(int &x) { __shared__ int own[4]; return own[x]; }\n"
     "__device__ int f(int &x) { static __shared__ int mine[8]; return mine[x] + g(x); }\n"
     "__device__ int h() { __shared__ int no[16]; return no[0]; }\n"
     "extern __shared__ float pool[]; __shared__ int2 other[3], unused[5];\n"
     "__global__ void k(int x) { new int; pool[f(x)] = other[x].x; }\n",
     NULL,
     "pool dynamic: pool float @0 [0];mine 32: mine int @0 [8];own 16: own int @0 [4];other 24: "
     "other int2 @0 [3];unused 40: unused int2 @0 [5];"},
    // Structures in an array are elements of it, unless they have arrays and are few.
    {"struct V { float x, y, z; }; struct S { float t[2][4]; }; struct M { char c[8]; };\n"
     "__global__ void k(int x) { new int; __shared__ V v[8]; alignas(16) __shared__ S s[2]; "
     "__shared__ M m[65]; }\n",
     NULL,
     "v 96: v V @0 [8];s 64: s[0].t float @0 [2][4], s[1].t float @32 [2][4];m 520: m M @0 [65];"},
    // A union is bytes, and has its members besides.
    {"struct A { float t[2][33]; int n; }; struct B { double d[8]; };\n"
     "union T { A a; B b; struct { int few[2]; } c[2]; }; struct S { int pre[4]; union { A a; B b; "
     "}; T t; union { int i; float f; } one; };\n"
     "__global__ void k(int x) { new int; __shared__ T t; __shared__ S s; alignas(16) __shared__ "
     "union { float x[4]; half2 y[4]; } u[2]; __shared__ union { char c; short s; } v[8]; union V "
     "{ "
     "int a[2][2]; }; __shared__ V w; }\n",
     NULL,
     "t 272: t unsigned char @0 [272]| t.a.t float @0 [2][33], t.a.n int @264, t.b.d double @0 "
     "[8], "
     "t.c[0].few int @0 [2], t.c[1].few int @8 [2];"
     "s 568: s.pre int @0 [4], s+16 unsigned char @16 [272]|, s.t unsigned char @288 [272]|, s.one "
     "unsigned char @560 [4]| s.a.t float @16 [2][33], s.a.n int @280, s.b.d double @16 [8], "
     "s.t.a.t float @288 [2][33], s.t.a.n int @552, s.t.b.d double @288 [8], s.t.c[0].few int @288 "
     "[2], s.t.c[1].few int @296 [2], s.one.i int @560, s.one.f float @560;"
     "u 32: u[0] unsigned char @0 [16]|, u[1] unsigned char @16 [16]| u[0].x float @0 [4], u[0].y "
     "half2 @0 [4], u[1].x float @16 [4], u[1].y half2 @16 [4];"
     "v 16: v union @0 [8];w 16: w unsigned char @0 [16]| w.a int @0 [2][2];"},
    // What cannot be read is left out.
    {"union U { float a[4]; F<3> b[4]; }; template <int N> struct L { typename F<N>::T t; };\n"
     "__global__ void k(int x) { __shared__ U u; __shared__ L<3> l; __shared__ typename Q<2>::T q; "
     "__shared__ float f[g(3)];\n"
     " __shared__ int good[2]; throw 1; }\n",
     NULL, "good 8: good int @0 [2];"},
};

static void
write_shared_parts(GString *out, const GArray *parts) {
  for (guint i = 0; i < parts->len; i++) {
    const SmbArray *part = &g_array_index(parts, SmbArray, i);
    g_string_append_printf(out, "%s %s %s @%u", i > 0 ? "," : "", part->name, part->element,
                           part->base);
    for (guint d = 0; d < part->n_dimensions; d++)
      g_string_append_printf(out, "%s[%" G_GUINT64_FORMAT "]", d > 0 ? "" : " ",
                             part->dimension[d]);
    if (part->is_union)
      g_string_append_c(out, '|');
  }
}

static void
write_shared(GString *out, const SmbDeclaredShared *shared) {
  if (shared->is_dynamic)
    g_string_append_printf(out, "%s dynamic:", shared->name);
  else
    g_string_append_printf(out, "%s %" G_GSIZE_FORMAT ":", shared->name, shared->bytes);
  write_shared_parts(out, shared->parts);
  write_shared_parts(out, shared->views);
  g_string_append_c(out, ';');
}

START_TEST(shared_variables_of_kernels) {
  for (guint i = 0; i < G_N_ELEMENTS(shared_cases); i++) {
    const char *text = shared_cases[i].text;
    g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
    g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
    const SmbProgramOptions options = {
        .entry = shared_cases[i].entry, .cuda_arch = 900, .lanes = 32};
    g_autoptr(GArray) shared = NULL;
    g_autoptr(GArray) prototype = smb_cuda_prototype(source, &options, &shared);
    g_autoptr(GString) out = g_string_new(NULL);
    ck_assert_ptr_nonnull(prototype);
    for (guint k = 0; k < shared->len; k++)
      write_shared(out, &g_array_index(shared, SmbDeclaredShared, k));
    ck_assert_str_eq(out->str, shared_cases[i].expected);
  }
}
END_TEST

// What compiled code has of variables of a text with one name: it is told what lies there if all of that size are declared alike.
#define PTX_OF_S                                                                                   \
  ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"                         \
  ".shared .align 4 .b8 s[32]; .reg .b32 %r<2>; mov.u32 %r1, 0; st.shared.u32 [s], %r1; ret; }\n"
#define F(declaration) "__device__ int f(int i) { __shared__ " declaration "; return s[0]; }\n"
#define K(declaration)                                                                             \
  "__global__ void k(int x) { new int; __shared__ " declaration "; s[f(0)]; }\n"

static const struct {
  const char *text, *expected;
} homonyms[] = {
    {F("int s[8]") K("int s[8]"), " s int @0 [8]"},
    {F("int s[7]") K("int s[8]"), " s int @0 [8]"},
    {F("int s[8]") K("float s[8]"), " s char @0 [32]"},
    {F("int s[8]") K("int s[2][4]"), " s char @0 [32]"},
    {F("int s[4][2]") K("int s[2][4]"), " s char @0 [32]"},
    {"struct P { int a[4], b[4]; }; struct Q { int a[4], c[4]; };\n" F("P s") K("Q s"),
     " s char @0 [32]"},
    {"union U { int a[8]; float b[8]; }; union V { int a[8]; short b[16]; };\n" F("U s") K("U s"),
     " s unsigned char @0 [32]| s.a int @0 [8], s.b float @0 [8]"},
    {"union U { int a[8]; float b[8]; }; union V { int a[8]; short b[16]; };\n" F("U s") K("V s"),
     " s char @0 [32]"},
};

START_TEST(shared_variables_of_one_name) {
  const char *text = homonyms[_i].text;
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  g_autoptr(GBytes) code = g_bytes_new_static(PTX_OF_S, strlen(PTX_OF_S));
  g_autoptr(SmbSource) compiled = smb_source_new("k.ptx", code, NULL);
  const SmbProgramOptions options = {.cuda_arch = 900, .lanes = 32};
  g_autoptr(SmbProgram) program = smb_program_read(compiled, &options, NULL);
  ck_assert_ptr_nonnull(program);
  GArray *shared = NULL;
  g_autoptr(GArray) prototype = smb_cuda_prototype(source, &options, &shared);
  ck_assert_ptr_nonnull(prototype);
  smb_program_set_shared(program, shared);
  g_autoptr(GString) out = g_string_new(NULL);
  write_shared_parts(out, program->arrays);
  write_shared_parts(out, program->views);
  ck_assert_str_eq(out->str, homonyms[_i].expected);
}
END_TEST

static const struct {
  const char *symbol, *text;
  gboolean agrees;
} symbols[] = {
    {"_Z1kPfiP6float4", "float *a, int n, float4 *b", TRUE},
    {"_Z1kPfi", "float *a, unsigned n", FALSE},
    {"_Z1kPfi", "float *a, int n, int m", FALSE},
    {"_Z1kPfi", "float a, int n", FALSE},
    {"_Z1kPKfx", "const float *__restrict__ a, long n", TRUE},
    {"_Z1kN1n1PE4ModePFivE", "P p, Mode m, int (*f)()",
     TRUE}, // what cannot be read agrees with anything
    {"_Z1k1PS_", "P p, P q", TRUE},
    {"_Z1k1QS_", "P p, P q", FALSE},
    {"_Z1kILi3EEv1PSt4pairIiiE", "P p, std::pair<int, int> q", TRUE},
    {"k", "int n", TRUE}, // extern "C"
    {"_Z1kv", "", TRUE},
    {"_Z1kv", "int n", FALSE},
};

START_TEST(kernels_that_are_the_same) {
  for (guint i = 0; i < G_N_ELEMENTS(symbols); i++) {
    g_autofree char *text =
        g_strconcat("struct P { int a; };\n__global__ void k(", symbols[i].text, ") " BODY, NULL);
    g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
    g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
    const SmbProgramOptions options = {.cuda_arch = 900, .lanes = 32};
    g_autoptr(GArray) prototype = smb_cuda_prototype(source, &options, NULL);
    ck_assert_ptr_nonnull(prototype);
    ck_assert_msg(smb_signature_agrees(symbols[i].symbol, prototype) == symbols[i].agrees, "%s: %s",
                  symbols[i].symbol, symbols[i].text);
  }
}
END_TEST

Suite *
suite_prototype(void) {
  Suite *suite = suite_create("prototype");
  TCase *tcase = tcase_create("prototype");
  tcase_add_test(tcase, heads_of_kernels);
  tcase_add_test(tcase, shared_variables_of_kernels);
  tcase_add_loop_test(tcase, shared_variables_of_one_name, 0, G_N_ELEMENTS(homonyms));
  tcase_add_test(tcase, kernels_that_are_the_same);
  suite_add_tcase(suite, tcase);
  return suite;
}
