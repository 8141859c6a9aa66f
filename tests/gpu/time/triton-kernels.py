# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Kernels that Triton compiles, each large enough to fill a GPU, whose time is measured: copies, norms, softmax, products,
# attention, scans, sorts, transpositions, by 1 to 8 warps and 1 to 4 stages.
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, z, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + i, tl.load(x + i) + tl.load(y + i))


@triton.jit
def softmax(x, y, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + i, e / tl.sum(e, 0))


@triton.jit
def norm(x, y, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    v = v - tl.sum(v, 0) / N
    tl.store(y + i, v / tl.sqrt(tl.sum(v * v, 0) / N + 1e-5))


@triton.jit
def product(a, b, c, K, am, bk, cm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a = a + m[:, None] * am + k[None, :]
    at_b = b + k[:, None] * bk + n[None, :]
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for done in range(0, K, BK):
        sum += tl.dot(tl.load(at_a), tl.load(at_b), input_precision=PRECISION)
        at_a += BK
        at_b += BK * bk
    tl.store(c + m[:, None] * cm + n[None, :], sum)


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
        score = tl.dot(rows, keys) * scale
        now = tl.maximum(most, tl.max(score, 1))
        p = tl.exp(score - now[:, None])
        old = tl.exp(most - now)
        total = total * old + tl.sum(p, 1)
        values = tl.load(v + base + column[:, None] * D + d[None, :])
        sum = sum * old[:, None] + tl.dot(p.to(tl.float16), values)
        most = now
    tl.store(out + base + row[:, None] * D + d[None, :], (sum / total[:, None]).to(tl.float16))


@triton.jit
def scan(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


@triton.jit
def sort(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.sort(tl.load(x + i)))


@triton.jit
def transpose(x, y, N, M, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    tile = tl.load(x + r[:, None] * M + c[None, :])
    tl.store(y + c[:, None] * N + r[None, :], tl.trans(tile))


@triton.jit
def sum_columns(x, y, N, M, B: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0) * C + tl.arange(0, C)
    total = tl.zeros((C,), tl.float32)
    for r in range(0, N, B):
        total += tl.sum(tl.load(x + (r + tl.arange(0, B))[:, None] * M + c[None, :]), 0)
    tl.store(y + c, total)


def numbers(*shape, dtype=torch.float32):
    """Numbers that repeat, so that a capture of them is small; made by the host, so that no kernel makes them."""
    count = 1
    for n in shape:
        count *= n
    return ((torch.arange(count) % 1024) / 1024 + 0.5).reshape(shape).to(dtype).cuda()


x, y, z = numbers(4096, 4096), numbers(4096, 4096), numbers(4096, 4096)
for B, warps in ((1024, 4), (4096, 8), (256, 1)):
    add[(8 * 2**20 // B,)](x, y, z, B=B, num_warps=warps)
for N, warps in ((1024, 4), (4096, 8), (512, 1)):
    softmax[(8 * 2**20 // N,)](x, z, N=N, num_warps=warps)
    norm[(8 * 2**20 // N,)](x, z, N=N, num_warps=warps)
for B, warps in ((1024, 4), (4096, 8)):
    scan[(4 * 2**20 // B,)](x, z, B=B, num_warps=warps)
sort[(1024,)](x, z, B=512, num_warps=4)
sort[(1024,)](x, z, B=256, num_warps=2)
for B, warps in ((32, 4), (64, 4), (128, 8)):
    transpose[(4096 // B, 4096 // B)](x, z, 4096, 4096, B=B, num_warps=warps)
sum_columns[(4096 // 16,)](x, z, 2048, 4096, B=32, C=16, num_warps=4)
half_a, half_b = numbers(2048, 2048, dtype=torch.float16), numbers(2048, 2048, dtype=torch.float16)
for BM, BN, BK, warps, stages in ((64, 64, 32, 4, 3), (128, 64, 32, 4, 4), (32, 32, 32, 2, 1), (64, 64, 64, 4, 2), (32, 128, 32, 4, 3)):
    M = 1024 if BM == 32 else 1536
    product[(M // BM, 1536 // BN)](half_a, half_b, z, 1024, 2048, 2048, 4096, BM=BM, BN=BN, BK=BK, PRECISION="tf32",
                                   num_warps=warps, num_stages=stages)
for BM, BN, BK, warps, stages, precision in ((64, 64, 16, 4, 1, "ieee"), (64, 64, 32, 4, 3, "tf32"), (32, 32, 32, 4, 2, "ieee")):
    product[(1024 // BM, 1024 // BN)](x, y, z, 512, 4096, 4096, 4096, BM=BM, BN=BN, BK=BK, PRECISION=precision,
                                      num_warps=warps, num_stages=stages)
q, k, v, out = (numbers(16, 1024, 64, dtype=torch.float16) for _ in range(4))
for B, warps in ((64, 4), (32, 2), (128, 8)):
    attention[(1024 // B, 16)](q, k, v, out, 1024, 0.1, D=64, B=B, num_warps=warps)
torch.cuda.synchronize()
