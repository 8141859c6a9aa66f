// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "gpu/cuda.h"

#include <dlfcn.h>

#include "gpu/symbols.h"

// The functions that are called, by their names without "nvrtc" (nvrtc.h of CUDA 12 and 13).
typedef struct {
  int (*CreateProgram)(void **program, const char *text, const char *name, int n_headers,
                       const char *const *headers, const char *const *names);
  int (*DestroyProgram)(void **program);
  int (*AddNameExpression)(void *program, const char *name);
  int (*CompileProgram)(void *program, int n_options, const char *const *options);
  int (*GetProgramLogSize)(void *program, size_t *size);
  int (*GetProgramLog)(void *program, char *log);
  int (*GetLoweredName)(void *program, const char *name, const char **lowered);
  int (*GetCUBINSize)(void *program, size_t *size);
  int (*GetCUBIN)(void *program, char *image);
  int (*GetPTXSize)(void *program, size_t *size);
  int (*GetPTX)(void *program, char *image);
  const char *(*GetErrorString)(int result);
} Nvrtc;

#define SYMBOL(name)                                                                               \
  { "nvrtc" #name, G_STRUCT_OFFSET(Nvrtc, name) }

static gboolean
find_symbols(Nvrtc *nvrtc, char **log) {
  static const SmbSymbol symbols[] = {
      SYMBOL(CreateProgram),  SYMBOL(DestroyProgram), SYMBOL(AddNameExpression),
      SYMBOL(CompileProgram), SYMBOL(GetProgramLog),  SYMBOL(GetProgramLogSize),
      SYMBOL(GetLoweredName), SYMBOL(GetCUBINSize),   SYMBOL(GetCUBIN),
      SYMBOL(GetPTXSize),     SYMBOL(GetPTX),         SYMBOL(GetErrorString)};
  gpointer handle = smb_cuda_open_library(SMB_CUDA_NVRTC, log);
  if (!handle)
    return FALSE;
  const char *missing = smb_symbols_find(handle, symbols, G_N_ELEMENTS(symbols), nvrtc);
  if (missing)
    *log = g_strdup_printf("NVRTC has no %s", missing);
  return !missing;
}

static void
take_log(const Nvrtc *nvrtc, void *program, int result, char **log) {
  size_t size = 0;
  if (nvrtc->GetProgramLogSize(program, &size) == 0 && size > 1) {
    *log = g_malloc0(size);
    nvrtc->GetProgramLog(program, *log);
    g_strchomp(*log);
  } else if (result != 0) {
    *log = g_strdup(nvrtc->GetErrorString(result));
  }
}

// Machine code, or PTX where no machine code was made.
static int
take_compiled_image(const Nvrtc *nvrtc, void *program, GBytes **image) {
  size_t size = 0;
  gboolean is_ptx = nvrtc->GetCUBINSize(program, &size) != 0 || size == 0;
  int result = is_ptx ? nvrtc->GetPTXSize(program, &size) : 0;
  if (result != 0)
    return result;
  char *bytes = g_malloc0(size);
  result = is_ptx ? nvrtc->GetPTX(program, bytes) : nvrtc->GetCUBIN(program, bytes);
  *image = g_bytes_new_take(bytes, size);
  return result;
}

// The options of @source, and where the headers of the toolkit lie that NVRTC belongs to: CUDA 13 has the ones of
// the C++ library in a folder of their own.
static GStrv
make_nvrtc_options(const Nvrtc *nvrtc, const SmbCudaSource *source) {
  static const char *const folders[] = {"../include", "../include/cccl"};
  g_autoptr(GStrvBuilder) options = g_strv_builder_new();
  Dl_info library;
  g_strv_builder_addv(options, (const char **)source->options);
  if (dladdr(*(void *const *)&nvrtc->CreateProgram, &library) && library.dli_fname) {
    g_autofree char *here = g_path_get_dirname(library.dli_fname);
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
      g_autofree char *option = g_strdup_printf("--include-path=%s/%s", here, folders[i]);
      g_strv_builder_add(options, option);
    }
  }
  return g_strv_builder_end(options);
}

static int
compile_program(const Nvrtc *nvrtc, void *program, const SmbCudaSource *source, GBytes **image,
                char **symbol, char **log) {
  const char *lowered = NULL;
  g_auto(GStrv) options = make_nvrtc_options(nvrtc, source);
  int result = nvrtc->AddNameExpression(program, source->entry);
  if (result == 0)
    result =
        nvrtc->CompileProgram(program, (int)g_strv_length(options), (const char *const *)options);
  take_log(nvrtc, program, result, log);
  if (result == 0)
    result = nvrtc->GetLoweredName(program, source->entry, &lowered);
  if (result == 0)
    result = take_compiled_image(nvrtc, program, image);
  if (result == 0)
    *symbol = g_strdup(lowered);
  else if (!*log)
    *log = g_strdup(nvrtc->GetErrorString(result));
  return result;
}

int
smb_nvrtc_compile(const SmbCudaSource *source, GBytes **image, char **symbol, char **log) {
  Nvrtc nvrtc;
  void *program = NULL;
  if (!find_symbols(&nvrtc, log))
    return -1;
  int result = nvrtc.CreateProgram(&program, source->text, source->name, 0, NULL, NULL);
  if (result != 0) {
    *log = g_strdup(nvrtc.GetErrorString(result));
    return result;
  }
  result = compile_program(&nvrtc, program, source, image, symbol, log);
  if (result != 0)
    g_clear_pointer(image, g_bytes_unref);
  nvrtc.DestroyProgram(&program);
  return result;
}
