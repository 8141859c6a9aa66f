// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What async.cu, flow.cu, registers.cu and dispatch.cu share: a text stands FEW times in the loop of the kernel "few" and three times as often in that of "more". Each thread
// leaves when it began and ended, by clock64(). The difference of the two times has neither loop nor start.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "facts.h"

static const int iterations = 32;

struct Stamps {
  unsigned long long from, to, sum;
};
static CUdeviceptr out_memory, in_memory, to_memory;

// Returns: rows with this in their names are wanted; null: all are. Ends the program if it does not understand.
static const char *
read_words(const char *program, int count, char **words) {
  const char *only = nullptr;
  for (int w = 1; w < count; w++) {
    if (!strcmp(words[w], "--only") && w + 1 < count) {
      only = words[++w];
    } else if (!strcmp(words[w], "--cubins") && w + 1 < count) {
      cubin_folder = words[++w];
    } else if (!strcmp(words[w], "--ptx") && w + 1 < count) {
      ptx_folder = words[++w];
    } else {
      fprintf(stderr, "%s [--only NAME] [--cubins FOLDER] [--ptx FOLDER]\n", program);
      exit(2);
    }
  }
  return only;
}

// @part_bytes: of memory to read, and to write, for each block
static void
make_memories(int blocks, size_t part_bytes) {
  CHECK(cuMemAlloc(&out_memory, blocks * 1024 * sizeof(Stamps)));
  CHECK(cuMemAlloc(&in_memory, blocks * part_bytes));
  CHECK(cuMemAlloc(&to_memory, blocks * part_bytes));
  CHECK(cuMemsetD8(in_memory, 0, blocks * part_bytes));
  CHECK(cuMemsetD8(to_memory, 0, blocks * part_bytes));
}

// Cycles that the first @counted of the blocks took, on average. Threads that left nothing do not count.
static double
average_span(int blocks, int threads, int counted) {
  std::vector<Stamps> stamps(blocks * threads);
  CHECK(cuMemcpyDtoH(stamps.data(), out_memory, stamps.size() * sizeof(Stamps)));
  double sum = 0;
  for (int b = 0; b < counted; b++) {
    unsigned long long from = ~0ull, to = 0;
    for (int t = 0; t < threads; t++) {
      const Stamps &stamp = stamps[b * threads + t];
      if (stamp.to) {
        from = std::min(from, stamp.from);
        to = std::max(to, stamp.to);
      }
    }
    sum += (double)(to - from) / counted;
  }
  return sum;
}

// The fewest cycles that blocks take of a kernel whose parameters are memory for stamps, to read and to write, and how often it goes round.
static double
least_span(CUfunction function, int blocks, int threads) {
  int n = iterations;
  void *arguments[] = {&out_memory, &in_memory, &to_memory, &n};
  double least = 1e30;
  for (int turn = 0; turn < 4; turn++) {
    CHECK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuCtxSynchronize());
    if (turn)
      least = std::min(least, average_span(blocks, threads, blocks));
  }
  return least;
}

// The architecture of this device, which is made ready; with --ptx: sm_90.
static std::string
open_device(int blocks, size_t part_bytes) {
  if (ptx_folder)
    return "sm_90";
  CHECK_RT(cudaFree(nullptr));
  CHECK(cuInit(0));
  cudaDeviceProp properties;
  CHECK_RT(cudaGetDeviceProperties(&properties, 0));
  make_memories(blocks, part_bytes);
  return "sm_" + std::to_string(properties.major * 10 + properties.minor);
}

// Says what one of the copies of @r takes. @edit: what is changed of the machine code, if anything. @head: what stands before the kernels. A row has name, few, how; there are kernel_of(row, name, copies)
// and run(function, row), which returns the cycles of a launch.
template <typename Row>
static void
measure_copies(const Row &r, const std::string &head, const std::string &launch,
               void (*edit)(char *cubin, size_t bytes) = nullptr) {
  std::string ptx = head + kernel_of(r, "few", r.few) + kernel_of(r, "more", 3 * r.few),
              file = r.name;
  std::replace(file.begin(), file.end(), '.', '_');
  CUmodule module = module_of(ptx, file, edit);
  if (!module)
    return;
  CUfunction few, more;
  CHECK(cuModuleGetFunction(&few, module, "few"));
  CHECK(cuModuleGetFunction(&more, module, "more"));
  std::string how = r.how + " [" + std::to_string(r.threads) + " threads, " +
                    std::to_string(r.blocks) + " blocks, " + std::to_string(r.few) + " copies" +
                    launch + "]";
  say(r.name, (run(more, r) - run(few, r)) / (2.0 * r.few * iterations), "cycles", how.c_str());
  CHECK(cuModuleUnload(module));
}
