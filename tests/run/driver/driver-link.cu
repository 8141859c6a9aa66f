// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's linker: several inputs, one in a file, functions and variables of one that another uses, and what cannot be linked.
// nvcc: -lcuda
#include "driver.h"

#include <stdlib.h>
#include <unistd.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static const char twice[] = HEAD
    ".visible .global .align 4 .u32 calls = 5;\n"
    ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
    "  .reg .b32 %a; .reg .b64 %p;\n"
    "  mov.u64 %p, calls; atom.global.add.u32 %a, [%p], 1;\n"
    "  ld.param.b32 %a, [x]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret;\n"
    "}\n";

static const char plus[] = HEAD
    ".visible .func (.param .b32 r) plus(.param .b32 x) {\n"
    "  .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 3; st.param.b32 [r], %a; ret;\n"
    "}\n";

static const char kernel[] = HEAD
    ".extern .global .align 4 .u32 calls;\n"
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".extern .func (.param .b32 r) plus(.param .b32 x);\n"
    ".visible .entry apply(.param .u64 to) {\n"
    "  .reg .b32 %a; .reg .b64 %p, %q, %o;\n"
    "  ld.param.u64 %p, [to]; mov.u32 %a, %tid.x; mul.wide.u32 %o, %a, 4; add.u64 %p, %p, %o;\n"
    "  { .param .b32 x, r; st.param.b32 [x], %a; call (r), plus, (x); ld.param.b32 %a, [r]; }\n"
    "  { .param .b32 x, r; st.param.b32 [x], %a; call (r), twice, (x); ld.param.b32 %a, [r]; }\n"
    "  st.global.u32 [%p], %a; ret;\n"
    "}\n";

static CUlinkState link_state;
static char errors[4096];
static CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
static void *values[2];

static void
begin_link() {
  values[0] = errors;
  values[1] = (void *)sizeof errors;
  CHECK(cuLinkCreate(2, options, values, &link_state));
}

static CUresult
add_text(const char *text, const char *name) {
  return cuLinkAddData(link_state, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, name, 0, NULL,
                       NULL);
}

static void
add_file(const char *text) {
  char path[] = "/tmp/smembank-link-XXXXXX";
  int fd = mkstemp(path);
  EXPECT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  CHECK(cuLinkAddFile(link_state, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
  unlink(path);
}

static void
several() {
  CUmodule module;
  CUfunction function;
  CUdeviceptr results, calls;
  void *image = NULL, *arguments[] = {&results};
  size_t bytes = 0;
  unsigned found[32], n_calls = 0;
  begin_link();
  CHECK(add_text(twice, "twice.ptx"));
  add_file(plus);
  CHECK(add_text(kernel, "kernel.ptx"));
  CHECK(cuLinkComplete(link_state, &image, &bytes));
  EXPECT(image && bytes > 0 && errors[0] == '\0');
  FAILS(INVALID_VALUE, add_text(plus, "late.ptx"));
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(link_state));
  CHECK(cuModuleGetFunction(&function, module, "apply"));
  CHECK(cuMemAlloc(&results, sizeof found));
  CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  CHECK(cuMemcpyDtoH(found, results, sizeof found));
  CHECK(cuModuleGetGlobal(&calls, &bytes, module, "calls"));
  EXPECT(bytes == sizeof n_calls);
  CHECK(cuMemcpyDtoH(&n_calls, calls, sizeof n_calls));
  printf("%u %u %u, %u calls\n", found[0], found[1], found[31], n_calls);
  CHECK(cuMemFree(results));
  CHECK(cuModuleUnload(module));
}

static void
refused() {
  void *image;
  size_t bytes;
  begin_link();
  CHECK(add_text(twice, "twice.ptx"));
  CHECK(add_text(kernel, "kernel.ptx"));
  FAILS(INVALID_SOURCE, cuLinkComplete(link_state, &image, &bytes));
  EXPECT(strstr(errors, "plus") != NULL);
  CHECK(cuLinkDestroy(link_state));
  begin_link();
  CHECK(add_text(twice, "twice.ptx"));
  add_text(twice, "again.ptx"); // a device says it here already
  FAILS(INVALID_SOURCE, cuLinkComplete(link_state, &image, &bytes));
  EXPECT(strstr(errors, "twice") != NULL);
  CHECK(cuLinkDestroy(link_state));
  begin_link();
  FAILS(INVALID_IMAGE, add_text("no code", "nothing.ptx"));
  FAILS(INVALID_IMAGE, cuLinkAddData(link_state, CU_JIT_INPUT_CUBIN, (void *)twice, sizeof twice,
                                     "twice.cubin", 0, NULL, NULL));
  FAILS(FILE_NOT_FOUND,
        cuLinkAddFile(link_state, CU_JIT_INPUT_PTX, "/no/such.ptx", 0, NULL, NULL));
  CHECK(cuLinkDestroy(link_state));
}

int
main() {
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  several();
  refused();
  CHECK(cuCtxDestroy(context));
  return finish("driver-link");
}
