// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernel is PTX, which every driver compiles for its device when it is first needed.
#include "gpu/inject/digest.h"

#include <string.h>

#include "gpu/inject/protocol.h"

#define KERNEL "smembank_digest"

enum {
  THREADS = 256,
  MAX_CONTEXTS = 16,
  MAX_PIECES = 1 << 16, // in one call: 64 GiB
  PORTABLE = 1,         // CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTALLOC_DEVICEMAP, macros of cuda.h
  MAPPED = 2,
  WORD_BYTES = 16, // that a thread reads at once; addresses are multiples of it
};

// The constants of the mixing: odd numbers with bits all over.
#define STEP_1  UINT64_C(0x9e3779b97f4a7c15)
#define STEP_2  UINT64_C(0xc2b2ae3d27d4eb4f)
#define MIX_A_1 UINT64_C(0xbf58476d1ce4e5b9)
#define MIX_A_2 UINT64_C(0x94d049bb133111eb)
#define MIX_B_1 UINT64_C(0xff51afd7ed558ccd)
#define MIX_B_2 UINT64_C(0xc4ceb9fe1a85ec53)

// --- on the host

static uint64_t
mix_digest(uint64_t word, uint64_t first, uint64_t second) {
  word ^= word >> 32;
  word *= first;
  word ^= word >> 29;
  word *= second;
  return word ^ word >> 32;
}

static void
add_word(Digest *digest, uint64_t word) {
  digest->a += mix_digest(word, MIX_A_1, MIX_A_2);
  digest->b += mix_digest(word, MIX_B_1, MIX_B_2);
}

// Two words of 8 bytes are mixed with the number of both; bytes behind the last of them are words of their own.
Digest
digest_of(const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  Digest digest = {0};
  size_t whole = length / WORD_BYTES;
  for (size_t i = 0; i < whole; i++) {
    uint64_t words[2];
    memcpy(words, from + i * WORD_BYTES, sizeof words);
    add_word(&digest, words[0] + (i + 1) * STEP_1);
    add_word(&digest, words[1] + (i + 1) * STEP_2);
  }
  for (size_t i = whole * WORD_BYTES; i < length; i++)
    add_word(&digest, from[i] + (i + 1) * STEP_1 + STEP_2);
  return digest;
}

// --- on the device

// %rd: 1 address of the piece, 2 its bytes, 3 the words of 16 bytes, 4 index, 5 limit, 6 and 7 the sums, 10 and 11 what was read
#define MIX(word, sum, first, second)                                                              \
  "shr.u64 %t1, " word ", 32; xor.b64 %t1, %t1, " word "; mul.lo.u64 %t1, %t1, " first "; "        \
  "shr.u64 %t2, %t1, 29; xor.b64 %t1, %t1, %t2; mul.lo.u64 %t1, %t1, " second "; "                 \
  "shr.u64 %t2, %t1, 32; xor.b64 %t1, %t1, %t2; add.u64 " sum ", " sum ", %t1;\n"
#define ADD(word)                                                                                  \
  MIX(word, "%rd6", "0xbf58476d1ce4e5b9", "0x94d049bb133111eb")                                    \
  MIX(word, "%rd7", "0xff51afd7ed558ccd", "0xc4ceb9fe1a85ec53")
#define NUMBER(to, index, step)                                                                    \
  "add.u64 " to ", " index ", 1; mul.lo.u64 " to ", " to ", " step ";\n"

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry " KERNEL "(.param .u64 base, .param .u64 bytes, .param .u64 out) {\n"
    ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<16>; .reg .b64 %t<3>;\n"
    ".shared .align 8 .b64 sums[2];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; cvt.u64.u32 %rd4, %r2;\n"
    "mul.wide.u32 %rd8, %r1, 1048576;\n"
    "ld.param.u64 %rd1, [base]; add.u64 %rd1, %rd1, %rd8;\n"
    "ld.param.u64 %rd2, [bytes]; sub.u64 %rd2, %rd2, %rd8; min.u64 %rd2, %rd2, 1048576;\n"
    "shr.u64 %rd3, %rd2, 4; mov.u64 %rd6, 0; mov.u64 %rd7, 0;\n"
    "setp.ne.u32 %p, %r2, 0; @%p bra READY;\n"
    "st.shared.u64 [sums], %rd6; st.shared.u64 [sums+8], %rd6;\n"
    "READY: bar.sync 0;\n"
    "WORDS: setp.ge.u64 %p, %rd4, %rd3; @%p bra TAIL;\n"
    "shl.b64 %rd8, %rd4, 4; add.u64 %rd8, %rd1, %rd8; ld.global.v2.u64 {%rd10, %rd11}, "
    "[%rd8];\n" NUMBER("%rd12", "%rd4",
                       "0x9e3779b97f4a7c15") "add.u64 %rd10, %rd10, %rd12;\n" ADD("%rd10")
        NUMBER("%rd12", "%rd4", "0xc2b2ae3d27d4eb4f") "add.u64 %rd11, %rd11, %rd12;\n" ADD(
            "%rd11") "add.u64 %rd4, %rd4, 256; bra WORDS;\n"
                     "TAIL: cvt.u64.u32 %rd4, %r2; shl.b64 %rd8, %rd3, 4; add.u64 %rd4, %rd4, "
                     "%rd8;\n"
                     "BYTES: setp.ge.u64 %p, %rd4, %rd2; @%p bra DONE;\n"
                     "add.u64 %rd8, %rd1, %rd4; ld.global.u8 %rd10, [%rd8];\n" NUMBER(
                         "%rd12", "%rd4",
                         "0x9e3779b97f4a7c15") "add.u64 %rd10, %rd10, %rd12;\n"
                                               "add.u64 %rd10, %rd10, 0xc2b2ae3d27d4eb4f;\n" ADD(
                                                   "%rd10") "add.u64 %rd4, %rd4, 256; bra BYTES;\n"
                                                            "DONE: red.shared.add.u64 [sums], "
                                                            "%rd6; red.shared.add.u64 [sums+8], "
                                                            "%rd7; bar.sync 0;\n"
                                                            "setp.ne.u32 %p, %r2, 0; @%p bra END;\n"
                                                            "ld.shared.u64 %rd10, [sums]; "
                                                            "ld.shared.u64 %rd11, [sums+8];\n"
                                                            "ld.param.u64 %rd8, [out]; "
                                                            "mul.wide.u32 %rd9, %r1, 16; add.u64 "
                                                            "%rd8, %rd8, %rd9;\n"
                                                            "st.global.v2.u64 [%rd8], {%rd10, "
                                                            "%rd11};\n"
                                                            "END: ret;\n}\n";

// What a context has of it; one that failed is not tried again.
typedef struct {
  void *context;
  void *function;
  void *stream;
  Digest *results; // memory of the host that the device writes to
} Device;

static Device devices[MAX_CONTEXTS];
static size_t n_devices;
static __thread bool is_busy;

bool
digest_is_busy(void) {
  return is_busy;
}

bool
digest_is_kernel(const char *name) {
  return strcmp(name, KERNEL) == 0;
}

static void
prepare_device(const InjectDriver *driver, Device *device) {
  void *module = NULL, *results = NULL;
  if (!driver->load_module || !driver->get_function || !driver->launch || !driver->create_stream ||
      !driver->synchronize_stream || !driver->allocate_host ||
      driver->load_module(&module, ptx) != CU_SUCCESS ||
      driver->create_stream(&device->stream, CU_STREAM_NON_BLOCKING) != CU_SUCCESS ||
      driver->allocate_host(&results, MAX_PIECES * sizeof(Digest), PORTABLE | MAPPED) != CU_SUCCESS)
    return;
  device->results = results;
  if (driver->get_function(&device->function, module, KERNEL) != CU_SUCCESS)
    device->function = NULL;
}

// Of the context of this thread; NULL: it has none, or there are too many.
static Device *
find_digest_device(const InjectDriver *driver) {
  void *context = NULL;
  if (driver->get_context(&context) != CU_SUCCESS || !context)
    return NULL;
  for (size_t i = 0; i < n_devices; i++)
    if (devices[i].context == context)
      return &devices[i];
  if (n_devices == MAX_CONTEXTS)
    return NULL;
  Device *device = &devices[n_devices++];
  device->context = context;
  prepare_device(driver, device);
  return device;
}

const Digest *
digest_on_device(const InjectDriver *driver, uint64_t address, uint64_t bytes) {
  uint64_t pieces = (bytes + INJECT_FRAME_BYTES - 1) / INJECT_FRAME_BYTES;
  if (bytes == 0 || address % WORD_BYTES != 0 || pieces > MAX_PIECES)
    return NULL;
  is_busy = true;
  Device *device = find_digest_device(driver);
  bool done = false;
  if (device && device->function) {
    uint64_t out = (uintptr_t)device->results;
    void *parameters[] = {&address, &bytes, &out};
    done = driver->launch(device->function, (unsigned)pieces, 1, 1, THREADS, 1, 1, 0,
                          device->stream, parameters, NULL) == CU_SUCCESS &&
           driver->synchronize_stream(device->stream) == CU_SUCCESS;
  }
  is_busy = false;
  return done ? device->results : NULL;
}
