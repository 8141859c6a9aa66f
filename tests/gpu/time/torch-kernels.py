# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What PyTorch launches for operations of the size of a layer. All inputs are made by the host, so that no kernel makes them.
#
#   torch-kernels.py dense      operations that touch the same memory whatever their inputs are
#   torch-kernels.py indexed    those whose addresses or branches depend on their inputs
import sys

import torch
import torch.nn.functional as F


def numbers(*shape, dtype=torch.float32):
    """Numbers that repeat, so that a capture of them is small."""
    count = 1
    for n in shape:
        count *= n
    return ((torch.arange(count) % 1021) / 1024 + 0.5).reshape(shape).to(dtype).cuda()


def indices(count, most):
    return ((torch.arange(count) * 2654435761 + 12345) % 2**31 % most).cuda()


def dense(x):
    w = numbers(4096)
    h = numbers(2048, 4096, dtype=torch.float16)
    image = numbers(16, 64, 56, 56)
    F.softmax(x, 1)
    F.log_softmax(h, 1)
    F.layer_norm(x, (4096,), w, w)
    F.layer_norm(h, (4096,), w.half(), w.half())
    F.gelu(x)
    F.silu(h)
    x + w
    x.sum(0)
    x.sum(1)
    x.mean()
    h.float()
    x.std(1)
    x.norm()
    x.argmax(1)
    x.max(0)
    x.cumsum(1)
    x[:512].cumsum(0)
    x.t().contiguous()
    h.t().contiguous()
    image.permute(0, 2, 3, 1).contiguous()
    x.flip(1)
    x.roll(100, 1)
    torch.cat((x, x[:1024]), 0)
    torch.where(x > 1, x, -x)
    x.tril()
    x.clamp(0.6, 1.2)
    F.batch_norm(image, None, None, training=True)
    F.group_norm(image, 8)
    F.max_pool2d(image, 3, 2)
    F.avg_pool2d(image, 2)
    F.interpolate(image, scale_factor=2, mode="bilinear")
    F.interpolate(image, scale_factor=2, mode="nearest")
    F.conv2d(image, numbers(64, 64, 3, 3), padding=1)
    F.conv2d(image, numbers(64, 1, 3, 3), padding=1, groups=64)
    F.conv2d(image.half(), numbers(64, 64, 1, 1, dtype=torch.float16))
    F.conv_transpose2d(image[:4], numbers(64, 32, 2, 2), stride=2)
    F.pixel_shuffle(image, 2)
    F.unfold(image[:4], 3)
    F.mse_loss(x, x * 0.5)
    F.dropout(x, 0.1)
    torch.rand(4 << 20, device="cuda")
    torch.fft.fft(numbers(4096, 1024))
    torch.fft.fft2(numbers(16, 512, 512))
    x[:1024, :1024].contiguous() @ x[:1024, 1024:2048].contiguous()
    torch.bmm(numbers(256, 64, 64), numbers(256, 64, 64))
    x @ w
    F.scaled_dot_product_attention(*(numbers(4, 8, 1024, 64, dtype=torch.float16) for _ in range(3)))
    torch.cdist(x[:1024, :256].contiguous(), x[:1024, :256].contiguous())


def indexed(x):
    torch.index_select(x, 0, indices(2048, 2048))
    torch.gather(x, 1, indices(1024 * 1024, 4096).reshape(1024, 1024))
    F.embedding(indices(4096, 2048), x)
    torch.zeros(2048, 1024, device="cuda").index_add_(0, indices(2048, 2048), x[:, :1024].contiguous())
    torch.zeros(65536, device="cuda").scatter_add_(0, indices(1 << 20, 65536), x.reshape(-1)[: 1 << 20])
    torch.bincount(indices(1 << 20, 1000))
    torch.histc(x, 64)
    x[:256].sort(1)
    x[:512, :1024].contiguous().sort(1)
    x[:512].topk(8, 1)
    x.masked_select(x > 1.4)
    F.cross_entropy(x, indices(2048, 4096))


{"dense": dense, "indexed": indexed}[sys.argv[1]](numbers(2048, 4096))
torch.cuda.synchronize()
