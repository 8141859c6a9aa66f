// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Lanes of one warp that name different members: tiles of 8, and those that have the same key. Each store goes to the byte that
// the answer says (tests/cli/members.sh).
// launch: --entry tiles --block 32
// launch: --entry keys --block 32
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(int *out) {
  __shared__ volatile unsigned char s[4096];
  int t = threadIdx.x;
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[tile.any(t == 11) ? 100 + t : t] = 1;
  s[(tile.ballot(t % 3 == 0) & 255) * 8 + t % 8] = 2;
  s[tile.all(t < 16) ? 200 + t : t] = 3;
  s[__popc(tile.match_any(t & 3)) * 100 + t] = 4;
  out[t] = 0;
}

extern "C" __global__ void keys(int *out) {
  __shared__ volatile unsigned char s[4096];
  int t = threadIdx.x;
  unsigned key = t % 5, members = __match_any_sync(0xffffffff, key);
  s[__reduce_add_sync(members, t)] = 1;
  s[__popc(__ballot_sync(members, t & 1)) * 32 + t] = 2;
  s[__reduce_max_sync(members, t * 7 % 32) * 32 + t] = 3;
  out[t] = 0;
}
