# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""A notebook as a script: each cell begins with # %%, as editors and jupytext read it. The tests run it."""

# %% [markdown]
# A warp reads a column of a tile of 32 x 32 words, and of one whose rows are padded.

# %%
import numpy as np

import smembank

lanes = np.arange(32)
pads = np.arange(9)
offsets = lanes[None, :] * (32 + pads[:, None]) * 4
costs = smembank.count_many(offsets, width=4)
print("wavefronts by padding:", costs.wavefronts)

# %% [markdown]
# A whole kernel: which access conflicts?

# %%
TRANSPOSE = """
__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
kernel = smembank.Kernel("transpose.cu", text=TRANSPOSE, block=(32, 32), grid=(4, 4), args={"n": 128})
for access in smembank.analyze(kernel).accesses:
    sums = access.sums
    print(f"line {access.line}: {access.op} {access.expression}: {sums.max_degree}-way, {sums.excess} in excess")

# %% [markdown]
# Is global memory accessed in whole sectors?

# %%
for access in smembank.analyze(kernel).global_accesses:
    print(f"line {access.line}: {access.op} of {access.buffer}: {access.sums.segments} sectors, {access.sums.excess} in excess")

# %% [markdown]
# A layout without conflicts, and the positions of its elements.

# %%
(tile,) = smembank.search(kernel)
for layout in [tile.now, *tile.best]:
    print(f"{layout.kind}: {layout}: {layout.sums.wavefronts} wavefronts, {layout.bytes} bytes")
column = np.array([[tile.best[0].offset(lane * 32) for lane in range(32)]])
print("a column in it:", smembank.count_many(column).wavefronts[0], "wavefront")
