# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Kernels that Triton compiles, to capture on a GPU: products and attention with their pipelines of copies, norms, scans,
# sorts, transposes, histograms, gathers, by 1 to 8 warps.
import torch
import triton
import triton.language as tl

torch.manual_seed(1)


@triton.jit
def product(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a = a + m[:, None] * am + k[None, :] * ak
    at_b = b + k[:, None] * bk + n[None, :] * bn
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for done in range(0, K, BK):
        x = tl.load(at_a, mask=(m[:, None] < M) & (k[None, :] + done < K), other=0.0)
        y = tl.load(at_b, mask=(k[:, None] + done < K) & (n[None, :] < N), other=0.0)
        sum += tl.dot(x, y)
        at_a += BK * ak
        at_b += BK * bk
    tl.store(c + m[:, None] * cm + n[None, :] * cn, sum, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, out, n, scale, D: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    base = tl.program_id(1) * n * D
    rows = tl.load(q + base + row[:, None] * D + d[None, :])
    most = tl.full((B,), float("-inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    sum = tl.zeros((B, D), tl.float32)
    for j in range(0, n, B):
        column = j + tl.arange(0, B)
        keys = tl.load(k + base + column[None, :] * D + d[:, None])
        values = tl.load(v + base + column[:, None] * D + d[None, :])
        scores = tl.dot(rows, keys) * scale
        larger = tl.maximum(most, tl.max(scores, 1))
        p = tl.exp(scores - larger[:, None])
        factor = tl.exp(most - larger)
        total = total * factor + tl.sum(p, 1)
        sum = sum * factor[:, None] + tl.dot(p.to(values.dtype), values)
        most = larger
    tl.store(out + base + row[:, None] * D + d[None, :], (sum / total[:, None]).to(tl.float16))


@triton.jit
def norm(x, y, N, B: tl.constexpr):
    i = tl.arange(0, B)
    values = tl.load(x + tl.program_id(0) * N + i, mask=i < N, other=0.0)
    centred = tl.where(i < N, values - tl.sum(values, 0) / N, 0.0)
    tl.store(y + tl.program_id(0) * N + i, centred / tl.sqrt(tl.sum(centred * centred, 0) / N + 1e-5), mask=i < N)


@triton.jit
def scan(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


@triton.jit
def sort(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.sort(tl.load(x + i)))


@triton.jit
def transpose(x, y, N: tl.constexpr, M: tl.constexpr):
    tile = tl.load(x + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])
    tl.store(y + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], tl.trans(tile))


@triton.jit
def reduce(x, largest, sums, N: tl.constexpr, M: tl.constexpr):
    tile = tl.load(x + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])
    tl.store(largest + tl.arange(0, N), tl.argmax(tile, 1))
    tl.store(sums + tl.arange(0, M), tl.sum(tile, 0))


@triton.jit
def histogram(x, y, B: tl.constexpr, K: tl.constexpr):
    tl.store(y + tl.arange(0, K), tl.histogram(tl.load(x + tl.arange(0, B)), K))


@triton.jit
def gather(x, index, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.gather(tl.load(x + i), tl.load(index + i), 0))


def run_product(a, b, BM, BN, BK, warps, stages):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty(M, N, device="cuda")
    product[(triton.cdiv(M, BM), triton.cdiv(N, BN))](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        BM=BM, BN=BN, BK=BK, num_warps=warps, num_stages=stages)


for dtype in (torch.float16, torch.float32, torch.float8_e4m3fn):
    for M, N, K in ((128, 128, 128), (100, 72, 96)):
        a, b, c = ((torch.randn(*shape, device="cuda") * 2).to(dtype) for shape in ((M, K), (K, N), (N, K)))
        for tile in ((64, 64, 32, 4, 3), (32, 32, 32, 2, 1), (128, 128, 32, 8, 4), (16, 64, 64, 4, 2)):
            run_product(a, b, *tile)
        run_product(a, c.t(), 64, 64, 32, 4, 3)
for D in (32, 128):
    for B in (32, 64, 128):
        q, k, v = (torch.randn(2, 256, D, device="cuda", dtype=torch.float16) for _ in range(3))
        attention[(256 // B, 2)](q, k, v, torch.empty_like(q), 256, 0.1, D=D, B=B, num_warps=4 if B < 128 else 8)
x = torch.randn(16, 4096, device="cuda")
y, z, n = torch.empty_like(x), torch.empty_like(x), torch.empty(16 * 4096, device="cuda", dtype=torch.int32)
index = torch.randint(0, 64, (1024,), device="cuda", dtype=torch.int32)
for warps in (1, 4):
    norm[(16,)](x, y, 1000, B=1024, num_warps=warps)
    norm[(4,)](x, y, 4000, B=4096, num_warps=warps)
    for B in (64, 512):
        scan[(4,)](x, y, B=B, num_warps=warps)
        sort[(4,)](x, y, B=B, num_warps=warps)
    for N, M in ((32, 32), (64, 128), (16, 256)):
        transpose[(1,)](x, y, N=N, M=M, num_warps=warps)
        transpose[(1,)](x.half(), y.half(), N=N, M=M, num_warps=warps)
        reduce[(1,)](x, n, z, N=N, M=M, num_warps=warps)
    histogram[(1,)](index, n, B=1024, K=64, num_warps=warps)
    gather[(1,)](x, index, y, N=256, num_warps=warps)
torch.cuda.synchronize()
