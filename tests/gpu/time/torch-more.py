# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What PyTorch launches for operations that torch-kernels.py does not have. All inputs are made by the host.
#
#   torch-more.py dense | indexed | training
import sys

import torch
import torch.nn.functional as F


def numbers(*shape, dtype=torch.float32):
    """Numbers that repeat, so that a capture of them is small."""
    count = 1
    for n in shape:
        count *= n
    return ((torch.arange(count) % 509) / 512 + 0.25).reshape(shape).to(dtype).cuda()


def indices(count, most):
    return ((torch.arange(count) * 40503 + 977) % 2**31 % most).cuda()


def dense(x):
    h = numbers(4096, 2048, dtype=torch.bfloat16)
    image = numbers(8, 96, 56, 56)
    torch.sigmoid(x)
    torch.tanh(h)
    torch.pow(x, 2.5)
    torch.erf(x)
    torch.lerp(x, x, 0.3)
    torch.addcmul(x, x, x)
    x.prod(1)
    x.amin(0)
    x.logsumexp(1)
    x.cumprod(1)
    torch.logcumsumexp(x[:1024], 1)
    x.var(0)
    x.half()
    h.double()
    x.transpose(0, 1).contiguous()
    x.reshape(64, 64, 2048).permute(1, 0, 2).contiguous()
    x.reshape(64, 64, 2048).permute(2, 1, 0).contiguous()
    torch.stack((x, x), 2)
    x.repeat(2, 1)
    torch.rot90(x)
    x.triu(3)
    F.rms_norm(h, (2048,))
    F.softmax(h, 1)
    F.softmax(x, 0)
    F.glu(x)
    F.prelu(image, numbers(96))
    F.hardswish(h)
    F.instance_norm(image)
    F.adaptive_avg_pool2d(image, 7)
    F.adaptive_max_pool2d(image, 7)
    F.lp_pool2d(image, 2.0, 2)
    F.interpolate(image, scale_factor=2, mode="bicubic")
    F.pad(image, (1, 1, 1, 1), mode="reflect")
    F.fold(numbers(8, 96 * 4, 784), (56, 56), 2, stride=2)
    F.conv1d(numbers(16, 64, 4096), numbers(64, 1, 5), padding=2, groups=64)
    F.local_response_norm(image, 5)
    F.smooth_l1_loss(x, x * 0.5)
    F.cosine_similarity(x, x * 2, 1)
    F.pairwise_distance(x, x * 2)
    torch.linalg.vector_norm(x, 1, 1)
    torch.outer(x[0], x[1])
    torch.kron(x[:32, :32].contiguous(), x[:64, :64].contiguous())
    torch.roll(image, 3, 2)
    torch.diff(x)
    torch.eye(4096, device="cuda")
    torch.linspace(0, 1, 8 << 20, device="cuda")
    x.isnan().any()
    x.double().cumsum(0)
    F.scaled_dot_product_attention(*(numbers(2, 8, 1024, 64) for _ in range(3)))


def indexed(x):
    torch.take(x, indices(1 << 21, 1 << 23))
    x.index_copy(0, indices(1024, 4096), x[:1024])
    torch.zeros(4096, 2048, device="cuda").scatter_(1, indices(4096 * 512, 2048).reshape(4096, 512), x[:, :512].contiguous())
    torch.searchsorted(x[0].sort()[0], x[:512].contiguous())
    torch.bucketize(x, x[0].sort()[0])
    x[:512].kthvalue(5, 1)
    x[:256, :512].contiguous().median(1)
    F.one_hot(indices(8192, 512), 512)
    F.embedding_bag(indices(8192, 4096).reshape(1024, 8), x)
    F.grid_sample(numbers(8, 32, 64, 64), numbers(8, 64, 64, 2), align_corners=False)
    x.nonzero()
    x.flatten()[: 1 << 20].unique()
    torch.argsort(x[:64], dim=1)
    F.nll_loss(x, indices(4096, 2048))
    torch.repeat_interleave(x[:512], 4, 0)


def training(x):
    layer = torch.nn.LayerNorm(2048).cuda()
    y = layer(x.requires_grad_())
    y.sum().backward()
    z = F.gelu(x)
    z.backward(x.detach())
    image = numbers(8, 64, 56, 56).requires_grad_()
    F.max_pool2d(image, 2).sum().backward()
    torch.nn.BatchNorm2d(64).cuda()(image).sum().backward()
    torch.nn.GroupNorm(8, 64).cuda()(image).sum().backward()
    F.embedding(indices(4096, 4096), x).sum().backward()
    F.cross_entropy(x, indices(4096, 2048)).backward()
    p = torch.nn.Parameter(numbers(4096, 2048))
    p.grad = numbers(4096, 2048)
    torch.optim.Adam([p], fused=True).step()
    torch.optim.SGD([p], momentum=0.9).step()
    torch.nn.utils.clip_grad_norm_([p], 1.0)


{"dense": dense, "indexed": indexed, "training": training}[sys.argv[1]](numbers(4096, 2048))
torch.cuda.synchronize()
