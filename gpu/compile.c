// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/compile.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

#include <string.h>

#include "gpu/error.h"
#include "gpu/device-memory.h"

// What nvcc finds in headers of the host, and the kernel language has built in (doc/kernel-language.md).
// NVRTC has no headers; its own names (threadIdx, float4, atomicAdd) are there without any.
static const char prelude[] =
    "typedef signed char int8_t; typedef unsigned char uint8_t;\n"
    "typedef short int16_t; typedef unsigned short uint16_t;\n"
    "typedef int int32_t; typedef unsigned int uint32_t;\n"
    "typedef long long int64_t; typedef unsigned long long uint64_t;\n"
    "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint;\n"
    "typedef unsigned long ulong; namespace std {}\n"
    "#define INT_MAX 2147483647\n"
    "#define INT_MIN (-INT_MAX - 1)\n"
    "#define UINT_MAX 4294967295u\n"
    "#define FLT_MAX 3.402823466e+38f\n"
    "#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n"
    "#define DBL_MAX 1.7976931348623158e+308\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#define CUDART_INF_F __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "#define M_PI 3.14159265358979323846\n";

// The text without its #include lines, which the model ignores, but for those of what NVRTC has not built in and the
// kernel language has. A comment that begins there stays: it may continue.
static char *
drop_includes(const char *text, GError **error) {
  g_autoptr(GRegex) include = g_regex_new(
      "^[ \\t]*#[ \\t]*include[ \\t]*<(?!(?:cuda_fp16|cuda_bf16|cooperative_groups)\\.h>)"
      "[^>\\n]*>(?:[^/\\n]|/(?![*/]))*(?://.*)?",
      G_REGEX_MULTILINE, 0, error);
  return include ? g_regex_replace_literal(include, text, -1, 0, "", 0, error) : NULL;
}

// The options of the compiler. Products and sums are not fused, so that values can be compared with
// the model's, which rounds after each operator; no request of memory depends on it.
static GStrv
make_kernel_options(const char *architecture, const char *const *defines) {
  g_autoptr(GStrvBuilder) options = g_strv_builder_new();
  g_autofree char *target = g_strconcat("--gpu-architecture=", architecture, NULL);
  g_strv_builder_add_many(options, target, "--std=c++17", "--fmad=false", "--disable-warnings",
                          NULL);
  for (guint i = 0; defines[i]; i++) {
    g_autofree char *define = g_strconcat("-D", defines[i], NULL);
    g_strv_builder_add(options, define);
  }
  return g_strv_builder_end(options);
}

SmbCudaFunction *
smb_compile_source(const SmbCuda *cuda, const SmbCudaSource *source, gsize dynamic_bytes,
                   const char *refused, const char *what, GError **error) {
  g_autoptr(GBytes) image = NULL;
  g_autofree char *symbol = NULL, *log = NULL;
  SmbCudaFunction *function = NULL;
  if (cuda->compile(source, &image, &symbol, &log) != SMB_CUDA_SUCCESS) {
    g_autofree char *said = log ? smb_text_quote_source(log, FALSE) : NULL;
    smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COMPILE, "%s: %-s", refused,
             said ? said : "the compiler gave no reason");
    return NULL;
  }
  g_autofree char *said = NULL; // by the driver: of PTX that was made for a newer device
  int result = cuda->load(image, symbol, dynamic_bytes, &function, &said);
  return smb_gpu_check(cuda, result, what, error) ? function : NULL;
}

static gboolean
name_place(const GMatchInfo *match, GString *result, gpointer file) {
  g_autofree char *line = g_match_info_fetch(match, 1), *kind = g_match_info_fetch(match, 2);
  g_string_append_printf(result, "%s:%s: %s: ", (const char *)file, line, kind);
  return FALSE;
}

// What the driver says, with places as all messages have them: "ptxas application ptx input, line 12; error   : …".
static char *
name_places(const char *log, const char *file) {
  g_autoptr(GRegex) place =
      g_regex_new("^ptxas [^,\\n]*, line (\\d+); *(\\w+) *: *", G_REGEX_MULTILINE, 0, NULL);
  g_autofree char *valid = g_utf8_make_valid(log, -1);
  return g_strchomp(g_regex_replace_eval(place, valid, -1, 0, 0, name_place, (gpointer)file, NULL));
}

SmbCudaFunction *
smb_load_image(const SmbCuda *cuda, const char *file, GBytes *image, const char *symbol,
               gsize dynamic_bytes, GError **error) {
  gsize size;
  gconstpointer data = g_bytes_get_data(image, &size);
  g_autoptr(GBytes) aligned =
      g_bytes_new(data, size); // the numbers in a cubin are read where they are
  g_autofree char *log = NULL;
  SmbCudaFunction *function = NULL;
  int result = cuda->load(aligned, symbol, dynamic_bytes, &function, &log);
  if (result != SMB_CUDA_SUCCESS && log) {
    g_autofree char *placed = name_places(log, file);
    g_autofree char *said = smb_text_quote_source(placed, FALSE);
    smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COMPILE, "the driver rejects it: %-s", said);
    return NULL;
  }
  return smb_gpu_check(cuda, result, "load the kernel", error) ? function : NULL;
}

SmbCudaFunction *
smb_compile_kernel(const SmbCuda *cuda, const char *architecture, const char *file,
                   const char *text, const char *entry, const char *const *defines,
                   gsize dynamic_bytes, GError **error) {
  g_autofree char *bare = drop_includes(text, error);
  if (!bare)
    return NULL;
  g_autofree char *name = g_strescape(file, NULL);
  g_autofree char *whole = g_strdup_printf("%s#line 1 \"%s\"\n%s\n", prelude, name, bare);
  g_auto(GStrv) options = make_kernel_options(architecture, defines);
  SmbCudaSource source = {whole, file, entry, (const char *const *)options};
  return smb_compile_source(cuda, &source, dynamic_bytes, "the compiler rejects it",
                            "load the kernel", error);
}
