// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What programs share that measure facts of a device: rows of text, and kernels in PTX that the driver compiles.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// --- machine code that no compiler writes; encodings of sm_70 to sm_90

struct Encoded {
  unsigned long long low, high;
};
enum {
  OPCODE_BITS = 12,
  GUARD_BITS = 4,
  CONTROL_BIT = 41,
  WAIT_BIT = 52,
  REUSE_BIT = 58,
  OPCODE_FFMA = 0x223,
  OPCODE_LDS = 0x984,
  GUARD_NONE = 7,
};

// For each instruction: @change may change it.
template <typename Change>
static void
edit_instructions(char *cubin, size_t bytes, Change change) {
  for (char *at = cubin; at + sizeof(Encoded) <= cubin + bytes; at += sizeof(Encoded)) {
    Encoded e;
    memcpy(&e, at, sizeof e);
    change(e, (unsigned)(e.low & ((1 << OPCODE_BITS) - 1)),
           (unsigned)(e.low >> OPCODE_BITS & ((1 << GUARD_BITS) - 1)));
    memcpy(at, &e, sizeof e);
  }
}
