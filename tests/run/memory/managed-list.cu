// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A list in managed memory that host and device both change, and a grid that waits for all its blocks.
#include <cooperative_groups.h>

#include "../check.h"

struct Item {
  Item *next;
  int value, rounds;
};

__global__ void
change(Item *item) {
  for (; item; item = item->next)
    item->value = 2 * item->value + (int)threadIdx.x;
}

__global__ void
rounds(int *counts, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int i = 0; i < n; i++) {
    int other = counts[(grid.thread_rank() + 1) % grid.size()];
    grid.sync();
    counts[grid.thread_rank()] += other;
    grid.sync();
  }
}

int
main() {
  Item *first = nullptr;
  for (int i = 0; i < 20; i++) {
    Item *item;
    CHECK(cudaMallocManaged(&item, sizeof *item));
    *item = {first, i, 0};
    first = item;
  }
  change<<<1, 1>>>(first);
  CHECK(cudaDeviceSynchronize());
  Item *extra = new Item(*first);
  EXPECT(extra->value == 38);
  first->next->value = 1000;
  change<<<1, 1>>>(first);
  CHECK(cudaDeviceSynchronize());
  int sum = 0;
  for (Item *item = first; item; item = item->next)
    sum += item->value;
  EXPECT(sum == 4 * 190 - 4 * 18 + 2000);
  delete extra;
  while (first) {
    Item *next = first->next;
    CHECK(cudaFree(first));
    first = next;
  }
  enum {
    BLOCKS = 12,
    THREADS = 64,
    ALL = BLOCKS * THREADS
  };
  static int expected[ALL], before[ALL];
  int *counts, n = 3, wrong = 0;
  CHECK(cudaMallocManaged(&counts, ALL * sizeof *counts));
  for (int i = 0; i < ALL; i++)
    counts[i] = expected[i] = i % 10;
  void *arguments[] = {&counts, &n};
  CHECK(cudaLaunchCooperativeKernel(rounds, dim3(BLOCKS), dim3(THREADS), arguments, 0, 0));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < n; round++) {
    for (int i = 0; i < ALL; i++)
      before[i] = expected[i];
    for (int i = 0; i < ALL; i++)
      expected[i] += before[(i + 1) % ALL];
  }
  for (int i = 0; i < ALL; i++)
    wrong += counts[i] != expected[i];
  EXPECT(wrong == 0);
  CHECK(cudaFree(counts));
  return finish("managed-list");
}
