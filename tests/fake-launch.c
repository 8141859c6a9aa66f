// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Compiling and launching on the made-up GPU. An image is the text with its options; that it is CUDA C
// is for the parser of the kernel language to say, but for the text of gpu/probe.cu, which it is not.
#include "sim/arch/arch.h"
#include "tests/fake-impl.h"

#include <string.h>

enum {
  COMPILER_MISSING = -1,
  COMPILATION_FAILED = 6, // nvrtc.h: NVRTC_ERROR_COMPILATION
};

struct _SmbCudaFunction {
  char *entry;
  SmbArch *arch;
  FakeProbe *probe; // or
  SmbProgram *kernel;
  char *first; // of a kernel: what the buffers held at its first launch
};

// Takes what is told before the first #line away: the caller's own, for a compiler.
static const char *
skip_prelude(const char *text) {
  const char *line = g_str_has_prefix(text, "#line") ? text : strstr(text, "\n#line ");
  const char *end = line ? strchr(line + 1, '\n') : NULL;
  return end ? end + 1 : text;
}

// NULL: there is neither.
static SmbCudaFunction *
new_function(const char *entry, FakeProbe *probe, SmbProgram *kernel) {
  if (!probe && !kernel)
    return NULL;
  SmbCudaFunction *function = g_new0(SmbCudaFunction, 1);
  function->entry = g_strdup(entry);
  function->arch = smb_arch_load("sm_90", NULL);
  function->probe = probe;
  function->kernel = kernel;
  return function;
}

// Makes the function out of a text, or says what is wrong with it.
static SmbCudaFunction *
make_function(const char *text, const char *name, const char *entry, const char *const *options,
              char **log) {
  if (fake_is_probe(text))
    return new_function(entry, fake_probe_new(text, entry, log), NULL);
  const char *own = skip_prelude(text);
  g_autoptr(GBytes) code = g_bytes_new(own, strlen(own));
  return new_function(entry, NULL, fake_kernel_new(code, name, entry, options, log));
}

int
fake_compile(const SmbCudaSource *source, GBytes **image, char **symbol, char **log) {
  if (fake_machine()->fault == FAKE_NO_NVRTC) {
    *log = g_strdup("libnvrtc.so.13 not found");
    return COMPILER_MISSING;
  }
  if (fake_spoils(FAKE_COMPILE_ERROR, source->entry)) {
    *log = g_strdup_printf("%s(1): error: this is the fault of the made-up GPU", source->name);
    return COMPILATION_FAILED;
  }
  if (!g_strv_contains(source->options, "--gpu-architecture=sm_90")) {
    *log = g_strdup("the made-up GPU wants --gpu-architecture=sm_90");
    return COMPILATION_FAILED;
  }
  SmbCudaFunction *function =
      make_function(source->text, source->name, source->entry, source->options, log);
  if (!function)
    return COMPILATION_FAILED;
  fake_unload(function);
  g_autoptr(GVariant) parts = g_variant_ref_sink(
      g_variant_new("(sss^as)", source->text, source->name, source->entry, source->options));
  *image = g_variant_get_data_as_bytes(parts);
  *symbol = g_strdup(source->entry);
  return SMB_CUDA_SUCCESS;
}

// PTX, as the driver takes it: with a 0 at its end, which no other image of this machine begins like.
static gboolean
is_ptx(GBytes *image) {
  gsize length;
  const char *text = g_bytes_get_data(image, &length);
  return length > 0 && text[length - 1] == '\0' && strlen(text) == length - 1 &&
         strstr(text, ".version") != NULL;
}

// A cubin, which is a program of its own where it begins like one.
static gboolean
is_cubin(GBytes *image) {
  gsize length;
  const void *data = g_bytes_get_data(image, &length);
  return smb_source_is_object(data, length);
}

// Whether there is such a kernel in the text.
static gboolean
names_kernel(GBytes *code, const char *symbol) {
  g_autofree char *named = g_strdup_printf("%s(", symbol);
  gsize length;
  const char *text = g_bytes_get_data(code, &length);
  return g_strstr_len(text, (gssize)length, named) != NULL;
}

static int
load_compiled(GBytes *image, const char *symbol, gsize dynamic_bytes, SmbCudaFunction **function,
              char **log) {
  static const char *const no_options[] = {NULL};
  gboolean is_text = !is_cubin(image);
  g_autofree char *problem = NULL;
  g_autoptr(GBytes) code = g_bytes_new_from_bytes(image, 0, g_bytes_get_size(image) - is_text);
  if (is_text && fake_spoils(FAKE_COMPILE_ERROR, symbol)) {
    *log = g_strdup("ptxas application ptx input, line 3; error   : this is the fault of the "
                    "made-up GPU\nptxas fatal   : Ptx assembly aborted due to errors");
    return FAKE_INVALID_PTX;
  }
  if (is_text && !names_kernel(code, symbol))
    return FAKE_SYMBOL_NOT_FOUND;
  if (dynamic_bytes > FAKE_SHARED_BYTES)
    return FAKE_INVALID_VALUE;
  *function = new_function(
      symbol, NULL, fake_kernel_new(code, "application ptx input", symbol, no_options, &problem));
  if (!*function && is_text)
    *log = g_strdup_printf("ptxas application ptx input, line 1; error   : %s", problem);
  return *function ? SMB_CUDA_SUCCESS : is_text ? FAKE_INVALID_PTX : FAKE_INVALID_IMAGE;
}

int
fake_load(GBytes *image, const char *symbol, gsize dynamic_bytes, SmbCudaFunction **function,
          char **log_of_ptx) {
  int error = fake_begin();
  if (error == SMB_CUDA_SUCCESS && (is_ptx(image) || is_cubin(image)))
    return load_compiled(image, symbol, dynamic_bytes, function, log_of_ptx);
  g_autoptr(GVariant) parts =
      g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE("(sssas)"), image, FALSE));
  g_autofree const char **options = NULL;
  g_autofree char *log = NULL;
  const char *text, *name, *entry;
  g_variant_get(parts, "(&s&s&s^a&s)", &text, &name, &entry, &options);
  if (error != SMB_CUDA_SUCCESS)
    return error;
  if (strcmp(symbol, entry) != 0 || dynamic_bytes > FAKE_SHARED_BYTES)
    return FAKE_INVALID_VALUE;
  *function = make_function(text, name, entry, (const char *const *)options, &log);
  return *function ? SMB_CUDA_SUCCESS : FAKE_INVALID_VALUE;
}

void
fake_unload(SmbCudaFunction *function) {
  if (!function)
    return;
  fake_probe_free(function->probe);
  smb_program_free(function->kernel);
  smb_arch_unref(function->arch);
  g_free(function->entry);
  g_free(function->first);
  g_free(function);
}

static gboolean
is_possible(const SmbCudaLaunch *launch) {
  static const guint block_limits[3] = SMB_MAX_BLOCK_EXTENT;
  static const guint grid_limits[3] = SMB_MAX_GRID_EXTENT;
  guint64 threads = 1;
  for (guint i = 0; i < 3; i++) {
    if (launch->block[i] < 1 || launch->block[i] > block_limits[i] || launch->grid[i] < 1 ||
        launch->grid[i] > grid_limits[i])
      return FALSE;
    threads *= launch->block[i];
  }
  return threads <= SMB_MAX_BLOCK_THREADS && launch->dynamic_bytes <= FAKE_SHARED_BYTES;
}

int
fake_launch(SmbCudaFunction *function, const SmbCudaLaunch *launch) {
  FakeCounts counts = {.of = {{0}}};
  int error = fake_begin_launch(function->entry);
  if (error != SMB_CUDA_SUCCESS)
    return error;
  if (!is_possible(launch))
    return FAKE_INVALID_CONFIGURATION;
  if (fake_machine()->hangs)
    return SMB_CUDA_SUCCESS;
  error = function->probe ? fake_probe_run(function->probe, launch, function->arch, &counts)
                          : fake_kernel_run(function->kernel, launch, function->arch,
                                            &function->first, &counts);
  if (error == SMB_CUDA_SUCCESS)
    fake_profiler_add(&counts);
  fake_end_launch(function->entry, error);
  return SMB_CUDA_SUCCESS;
}

// Whether what is overwritten drives all else out of the cache.
static gboolean
is_flushed(const SmbCudaTiming *timing) {
  gsize bytes;
  return timing->flush && fake_memory(timing->flush, &bytes) && bytes >= timing->flush_bytes &&
         timing->flush_bytes >= FAKE_L2_BYTES;
}

// The times are made up: what a kernel computes is the same in each launch, so none is run.
int
fake_time_launches(SmbCudaFunction *function, const SmbCudaLaunch *launch,
                   const SmbCudaTiming *timing) {
  for (guint i = 0; i < 2 * timing->n; i++) {
    double *time = i % 2 ? &timing->warm_us[i / 2] : &timing->cold_us[i / 2];
    int error =
        is_possible(launch) ? fake_begin_launch(function->entry) : FAKE_INVALID_CONFIGURATION;
    if (error != SMB_CUDA_SUCCESS)
      return error;
    *time = 2.5 + 0.25 * (i / 2 % 5) + (i % 2 == 0 && is_flushed(timing) ? FAKE_COLD_US : 0);
    fake_end_launch(function->entry, SMB_CUDA_SUCCESS);
  }
  return fake_begin();
}
