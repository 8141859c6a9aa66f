// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What programs share that measure facts of a device: rows of text, and kernels in PTX that the driver compiles.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    CUresult result_ = (call);                                                                     \
    if (result_) {                                                                                 \
      const char *text_ = "";                                                                      \
      cuGetErrorString(result_, &text_);                                                           \
      fprintf(stderr, "%s: %s\n", #call, text_);                                                   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
#define CHECK_RT(call)                                                                             \
  do {                                                                                             \
    cudaError_t result_ = (call);                                                                  \
    if (result_) {                                                                                 \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result_));                             \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

// Where to leave what was compiled, and what would be.
static const char *cubin_folder, *ptx_folder;

static void
say(const std::string &name, double value, const char *unit, const char *how) {
  printf("%-28s %10.2f  %-24s %s\n", name.c_str(), value, unit, how);
  fflush(stdout);
}

static std::string
with(std::string text, char what, int number) {
  std::string digits = std::to_string(number);
  for (size_t at; (at = text.find(what)) != std::string::npos;)
    text.replace(at, 1, digits);
  return text;
}

// @edit: what is changed of the machine code, if anything.
static CUmodule
module_of(const std::string &ptx, const std::string &name,
          void (*edit)(char *cubin, size_t bytes) = nullptr) {
  char errors[8192] = "";
  if (ptx_folder) {
    FILE *file = fopen((std::string(ptx_folder) + "/" + name + ".ptx").c_str(), "w");
    if (file) {
      fputs(ptx.c_str(), file);
      fclose(file);
    }
    return nullptr;
  }
  CUlinkState link;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {errors, (void *)sizeof errors};
  void *cubin;
  size_t bytes;
  CHECK(cuLinkCreate(2, options, values, &link));
  if (cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx.c_str(), ptx.size() + 1, name.c_str(), 0,
                    nullptr, nullptr) ||
      cuLinkComplete(link, &cubin, &bytes)) {
    fprintf(stderr, "%s: not compiled: %s\n", name.c_str(), errors);
    cuLinkDestroy(link);
    return nullptr;
  }
  if (edit)
    edit((char *)cubin, bytes);
  if (cubin_folder) {
    FILE *file = fopen((std::string(cubin_folder) + "/" + name + ".cubin").c_str(), "wb");
    if (file) {
      fwrite(cubin, 1, bytes, file);
      fclose(file);
    }
  }
  CUmodule module;
  CHECK(cuModuleLoadData(&module, cubin));
  cuLinkDestroy(link);
  return module;
}
