# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A Python program to capture on a GPU (capture.sh): PyTorch's kernels, and one that Triton compiles.
import torch
import triton
import triton.language as tl


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
print("done")
