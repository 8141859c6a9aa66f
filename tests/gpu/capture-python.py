# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Python programs to capture on a GPU, by the names of what they use: torch (with Triton), cupy, jax.
import os
import sys

import numpy


def run_torch():
    """PyTorch's kernels, and one that Triton compiles."""
    import torch
    import triton
    import triton.language as tl

    # Triton finds the names that a kernel uses among those of its module.
    globals()["tl"] = tl

    @triton.jit
    def softmax(out, values, columns, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, BLOCK)
        mask = at < columns
        x = tl.load(values + row * columns + at, mask=mask, other=float("-inf"))
        x = tl.exp(x - tl.max(x, axis=0))
        tl.store(out + row * columns + at, x / tl.sum(x, axis=0), mask=mask)

    torch.manual_seed(1)
    x = torch.randn(64, 1000, device="cuda")
    y = torch.empty_like(x)
    softmax[(64,)](y, x, 1000, BLOCK=1024)
    a = torch.randn(128, 256, device="cuda", dtype=torch.float16)
    results = [
        torch.softmax(x, 1),
        torch.nn.functional.layer_norm(x, (1000,)),
        x.t().contiguous(),
        x.sort(dim=1).values,
        x.cumsum(1),
        x.sum(0),
        torch.bincount(torch.randint(0, 50, (4096,), device="cuda")),
        a @ a.t(),
        torch.nn.functional.conv2d(x.view(1, 1, 64, 1000), torch.randn(4, 1, 3, 3, device="cuda")),
        torch.nn.functional.embedding(torch.arange(16, device="cuda"), x),
    ]
    torch.cuda.synchronize()
    return len(results)


def run_cupy():
    """CuPy's kernels, and one of our own, which NVRTC compiles."""
    import cupy

    x = cupy.asarray(numpy.random.default_rng(1).random((64, 1000), dtype=numpy.float32))
    y = cupy.empty((1000, 64), dtype=numpy.float32)
    transpose = cupy.RawKernel(
        r"""extern "C" __global__ void turn(float *out, const float *in, int rows, int columns) {
          __shared__ float tile[32][32];
          int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
          if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
          __syncthreads();
          x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
          if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
        }""",
        "turn",
    )
    transpose((32, 2), (32, 32), (y, x, numpy.int32(64), numpy.int32(1000)))
    results = [
        cupy.sort(x, axis=1),
        cupy.cumsum(x),
        x.sum(0),
        x.max(1),
        cupy.histogram(x, bins=20)[0],
        cupy.argmin(x, axis=1),
        x @ x.T,
    ]
    cupy.cuda.Device().synchronize()
    return len(results)


def run_jax():
    """What XLA makes of some operations."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp

    x = jnp.asarray(numpy.random.default_rng(1).random((64, 1000), dtype=numpy.float32))

    @jax.jit
    def compute(x):
        return jax.nn.softmax(x, axis=1), jnp.sort(x, axis=1), jnp.cumsum(x, axis=1), x.T + 1, x.sum(0), x @ x.T

    return len(jax.block_until_ready(compute(x)))


for name in sys.argv[1:] or ["torch"]:
    print(name, globals()["run_" + name]())
