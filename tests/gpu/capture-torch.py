# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Operations of PyTorch, 213 in three groups, forwards and mostly backwards, to capture on a GPU: capture-torch.py 1|2|3
import sys
import warnings

import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.manual_seed(3)
h, b = torch.float16, torch.bfloat16


def r(*shape, dt=torch.float32):
    """Random numbers."""
    return torch.randn(*shape, device="cuda", dtype=dt)


def ri(n, *shape):
    """Random whole numbers below n."""
    return torch.randint(0, n, shape, device="cuda")


def grad(f, *tensors):
    """f, and its gradient."""
    tensors = [t.clone().requires_grad_() for t in tensors]
    f(*tensors).float().sum().backward()


def adam():
    p = torch.nn.Parameter(r(1000))
    p.grad = r(1000)
    torch.optim.Adam([p], fused=True).step()


d = "cuda"
x, im, sq, v, iv = r(37, 515), r(2, 8, 19, 23), r(48, 48), r(5000), ri(1000, 3000)
xh = x.to(h)
spd = sq @ sq.t() + 48 * torch.eye(48, device=d)

NUMBERS = [
    lambda: x.softmax(1),
    lambda: x.softmax(0),
    lambda: xh.softmax(1),
    lambda: r(3, 9001).log_softmax(1),
    lambda: grad(lambda t: t.softmax(1) * x, x),
    lambda: grad(lambda t: t.log_softmax(0) * x, x),
    lambda: grad(lambda t: F.layer_norm(t, (515,)) * x, x),
    lambda: grad(lambda t, w, bb: F.layer_norm(t, (515,), w, bb) * x, x, r(515), r(515)),
    lambda: grad(lambda t: F.rms_norm(t, (515,)) * x, x),
    lambda: grad(lambda t: F.group_norm(t, 4) * im, im),
    lambda: grad(lambda t, w, bb: F.batch_norm(t, None, None, w, bb, True) * im, im, r(8), r(8)),
    lambda: grad(lambda t: F.instance_norm(t) * im, im),
    lambda: F.batch_norm(im.half().contiguous(memory_format=torch.channels_last), None, None, None, None, True),
    lambda: x.sum(),
    lambda: x.sum(0),
    lambda: x.sum(1),
    lambda: xh.sum(1),
    lambda: r(1000000).sum(),
    lambda: x.double().mean(0),
    lambda: x.prod(1),
    lambda: x.var(1),
    lambda: x.std(0),
    lambda: x.norm(dim=1),
    lambda: x.amax(0),
    lambda: x.argmax(1),
    lambda: x.argmin(0),
    lambda: x.max(1),
    lambda: x.min(),
    lambda: (x > 0).all(1),
    lambda: (x > 5).any(),
    lambda: x.logsumexp(1),
    lambda: x.median(1),
    lambda: ri(9, 20, 30).mode(1),
    lambda: x.kthvalue(7, 1),
    lambda: x.quantile(0.3),
    lambda: x.nansum(),
    lambda: (x > 0).count_nonzero(1),
    lambda: x.sort(1),
    lambda: x.sort(0, descending=True),
    lambda: v.sort(),
    lambda: r(200000).sort(),
    lambda: iv.sort(stable=True),
    lambda: xh.sort(1),
    lambda: r(3, 2000).sort(1),
    lambda: x.topk(5),
    lambda: r(2, 20000).topk(100),
    lambda: iv.argsort(),
    lambda: iv.unique(),
    lambda: iv.unique(return_counts=True, return_inverse=True),
    lambda: iv.sort()[0].unique_consecutive(),
    lambda: torch.searchsorted(v.sort()[0], x),
    lambda: torch.bucketize(x, v[:100].sort()[0]),
    lambda: x.msort(),
    lambda: x.cumsum(1),
    lambda: x.cumsum(0),
    lambda: r(100000).cumsum(0),
    lambda: x.cumprod(1),
    lambda: x.cummax(1),
    lambda: x.cummin(0),
    lambda: x.logcumsumexp(1),
    lambda: (x > 0.5).nonzero(),
    lambda: x[x > 0.3],
    lambda: x.clone().masked_scatter_(x > 0, r(40000)),
    lambda: torch.where(x > 0),
    lambda: iv.bincount(),
    lambda: ri(30, 4000).bincount(r(4000)),
    lambda: x.histc(20),
    lambda: x.histc(3000),
    lambda: x[ri(37, 50)],
    lambda: x.clone().index_add_(0, ri(37, 50), r(50, 515)),
    lambda: x.clone().index_put_((ri(37, 500), ri(515, 500)), r(500), accumulate=True),
    lambda: x.clone().scatter_add_(1, ri(515, 37, 515), x),
    lambda: x.clone().scatter_reduce_(1, ri(515, 37, 515), x, "amax"),
    lambda: x.gather(1, ri(515, 37, 99)),
    lambda: x.take(iv),
    lambda: x.index_select(1, ri(515, 40)),
    lambda: grad(lambda w: F.embedding(ri(1000, 333), w), r(1000, 64)),
    lambda: grad(lambda w: F.embedding_bag(ri(1000, 33, 5), w), r(1000, 64)),
    lambda: F.embedding_bag(ri(1000, 33, 5), r(1000, 64), mode="max"),
    lambda: x.t().contiguous(),
    lambda: r(9, 33, 65).permute(2, 0, 1).contiguous(),
    lambda: r(8, 64, 64).half().permute(2, 1, 0).contiguous(),
    lambda: torch.cat([x, x * 2], 1),
    lambda: torch.stack([x, x]),
    lambda: x.flip(1),
    lambda: x.roll(3, 1),
    lambda: x.tril(),
    lambda: x.repeat(2, 3),
    lambda: x.repeat_interleave(ri(4, 37), 0),
    lambda: torch.cdist(x, x),
    lambda: torch.pdist(x),
    lambda: torch.cross(r(40, 3), r(40, 3), dim=1),
    lambda: x.renorm(2, 0, 1.0),
    lambda: x.rot90(),
]
NETWORKS = [
    lambda: x @ x.t(),
    lambda: xh[:, :512] @ xh[:, :512].t(),
    lambda: xh @ xh.t(),
    lambda: torch.bmm(r(5, 33, 65), r(5, 65, 17)),
    lambda: torch.bmm(r(5, 64, 64, dt=h), r(5, 64, 128, dt=h)),
    lambda: x @ r(515),
    lambda: v @ v,
    lambda: torch.addmm(r(37), x, x.t()),
    lambda: torch.baddbmm(r(5, 33, 17), r(5, 33, 65), r(5, 65, 17)),
    lambda: torch.outer(v[:99], v[:88]),
    lambda: x.double() @ x.double().t(),
    lambda: sq.to(torch.complex64) @ sq.to(torch.complex64),
    lambda: r(256, 256, dt=b) @ r(256, 256, dt=b),
    lambda: r(512, 1024) @ r(1024, 384),
    lambda: torch._int_mm(ri(5, 64, 64).to(torch.int8), ri(5, 64, 64).to(torch.int8)),
    lambda: grad(lambda t, w, bb: F.linear(t, w, bb), x, r(99, 515), r(99)),
    lambda: grad(lambda t, w: F.linear(t, w), xh[:, :512], r(96, 512, dt=h)),
    lambda: grad(lambda t, w: F.conv2d(t, w, padding=1), im, r(16, 8, 3, 3)),
    lambda: F.conv2d(im, r(16, 8, 5, 5), stride=2),
    lambda: F.conv2d(im.half(), r(16, 8, 1, 1, dt=h)),
    lambda: grad(lambda t, w: F.conv2d(t, w, groups=8, padding=1), im, r(8, 1, 3, 3)),
    lambda: F.conv1d(r(2, 8, 100), r(16, 8, 7)),
    lambda: F.conv3d(r(1, 4, 9, 9, 9), r(8, 4, 3, 3, 3)),
    lambda: F.conv_transpose2d(im, r(8, 4, 3, 3), stride=2),
    lambda: F.conv2d(r(2, 64, 16, 16, dt=h).contiguous(memory_format=torch.channels_last), r(64, 64, 3, 3,
            dt=h).contiguous(memory_format=torch.channels_last), padding=1),
    lambda: F.conv2d(r(1, 3, 64, 64), r(64, 3, 7, 7), stride=2, padding=3),
    lambda: grad(lambda t: F.max_pool2d(t, 3, 2), im),
    lambda: grad(lambda t: F.avg_pool2d(t, 3), im),
    lambda: grad(lambda t: F.adaptive_avg_pool2d(t, (5, 7)), im),
    lambda: grad(lambda t: F.adaptive_max_pool2d(t, (5, 7)), im),
    lambda: grad(lambda t: F.max_pool2d(t, 2), im.contiguous(memory_format=torch.channels_last)),
    lambda: grad(lambda t: F.adaptive_avg_pool2d(t, (5, 7)), im.contiguous(memory_format=torch.channels_last)),
    lambda: F.fractional_max_pool2d(im, 2, output_size=(7, 7)),
    lambda: F.lp_pool2d(im, 2, 3),
    lambda: F.max_unpool2d(*F.max_pool2d(im, 2, return_indices=True), 2, output_size=(19, 23)),
    lambda: grad(lambda t: F.interpolate(t, scale_factor=1.7, mode="bilinear"), im),
    lambda: F.interpolate(im, scale_factor=2.3, mode="bicubic"),
    lambda: grad(lambda t: F.interpolate(t, size=(11, 9), mode="bilinear", antialias=True), im),
    lambda: F.interpolate(im, scale_factor=2),
    lambda: grad(lambda t: F.grid_sample(t, r(2, 9, 9, 2).tanh()), im),
    lambda: F.pixel_shuffle(im, 2),
    lambda: grad(lambda t: F.unfold(t, 3), im),
    lambda: F.pad(im, (2, 2, 1, 1), mode="reflect"),
    lambda: grad(lambda t: F.pad(t, (2, 2, 1, 1), mode="replicate"), im),
    lambda: F.scaled_dot_product_attention(r(2, 4, 100, 64, dt=h), r(2, 4, 100, 64, dt=h), r(2, 4, 100, 64, dt=h)),
    lambda: grad(lambda q, k, w: F.scaled_dot_product_attention(q, k, w, is_causal=True), r(1, 2, 130, 64, dt=b),
            r(1, 2, 130, 64, dt=b), r(1, 2, 130, 64, dt=b)),
    lambda: grad(lambda q, k, w: F.scaled_dot_product_attention(q, k, w), r(1, 2, 70, 32), r(1, 2, 70, 32), r(1, 2,
            70, 32)),
    lambda: F.scaled_dot_product_attention(r(2, 4, 100, 64, dt=h), r(2, 4, 100, 64, dt=h), r(2, 4, 100, 64, dt=h),
            attn_mask=r(100, 100, dt=h)),
    lambda: torch.nn.LSTM(32, 40).cuda()(r(6, 3, 32)),
    lambda: torch.nn.GRU(32, 40).cuda()(r(6, 3, 32)),
    lambda: torch.nn.LSTMCell(32, 40).cuda()(r(3, 32)),
    lambda: torch.nn.GRUCell(32, 40).cuda()(r(3, 32)),
    lambda: grad(lambda t: F.cross_entropy(t, ri(515, 37)), x),
    lambda: grad(lambda t: F.nll_loss(t, ri(8, 2, 19, 23)), im),
    lambda: grad(lambda t: F.ctc_loss(t.log_softmax(2), ri(19, 4, 11) + 1, torch.full((4,), 30), torch.full((4,),
            11)), r(30, 4, 20)),
    lambda: grad(lambda t: F.multi_margin_loss(t, ri(515, 37)), x),
    lambda: grad(lambda t: F.multilabel_margin_loss(t, ri(515, 37, 515)), x),
    lambda: F.binary_cross_entropy_with_logits(x, x.sigmoid()),
    lambda: F.kl_div(x.log_softmax(1), x.softmax(1)),
]
MATHEMATICS = [
    lambda: F.cosine_similarity(x, x * 2),
    lambda: F.triplet_margin_loss(x, x + 1, x - 1),
    lambda: F.huber_loss(x, x + 1),
    lambda: F.dropout(x, 0.3),
    lambda: F.gelu(x),
    lambda: F.glu(r(37, 514)),
    lambda: grad(lambda t, w: F.prelu(t, w), im, r(8)),
    lambda: F.rrelu(x, training=True),
    lambda: F.gumbel_softmax(x),
    lambda: x.softmax(1).multinomial(5),
    lambda: x.softmax(1).multinomial(9, True),
    lambda: torch.randperm(2000, device=d),
    lambda: torch.randperm(100000, device=d),
    lambda: torch.normal(x, 1.0),
    lambda: torch.poisson(x.abs()),
    lambda: torch._standard_gamma(x.abs() + 1),
    lambda: torch._sample_dirichlet(x.abs() + 1),
    lambda: torch.fft.fft(r(7, 96)),
    lambda: torch.fft.rfft2(r(3, 60, 50)),
    lambda: torch.fft.fftn(r(16, 16, 16)),
    lambda: torch.fft.fft(r(3, 1009)),
    lambda: torch.fft.fft(r(3, 512).double()),
    lambda: torch.fft.irfft(torch.fft.rfft(r(5, 4096))),
    lambda: torch.stft(v, 128, return_complex=True, window=torch.hann_window(128, device=d)),
    lambda: torch.linalg.inv(spd),
    lambda: torch.linalg.cholesky(spd),
    lambda: torch.linalg.lu(sq),
    lambda: torch.linalg.qr(sq),
    lambda: torch.linalg.svd(sq),
    lambda: torch.linalg.eigh(spd),
    lambda: torch.linalg.solve(spd, sq),
    lambda: torch.linalg.solve_triangular(spd.tril(), sq, upper=False),
    lambda: torch.linalg.inv(torch.stack([spd, spd * 2])),
    lambda: torch.linalg.det(sq),
    lambda: torch.linalg.cholesky(torch.stack([spd, spd * 2])),
    lambda: torch.linalg.matrix_exp(sq * 0.1),
    lambda: torch.linalg.householder_product(r(20, 10), r(10)),
    lambda: torch.linalg.ldl_factor(spd),
    lambda: torch.sparse.mm((x * (x > 1)).to_sparse_csr(), r(515, 20)),
    lambda: (x * (x > 1)).to_sparse().coalesce(),
    lambda: torch.sparse.sum((x * (x > 1)).to_sparse(), 0),
    lambda: (x * (x > 1)).to_sparse() + (x * (x < -1)).to_sparse(),
    lambda: (x * (x > 1)).to_sparse().to_dense(),
    lambda: torch.fake_quantize_per_channel_affine(x, r(37).abs(), ri(5, 37).int(), 0, 0, 255),
    adam,
    lambda: torch._foreach_norm([x, sq, v]),
    lambda: torch.nn.utils.clip_grad_norm_([torch.nn.Parameter(x)], 1.0),
    lambda: torch._foreach_add([x, v], 1.0),
    lambda: grad(lambda w, g: torch._weight_norm(w, g, 0), r(37, 515), r(37, 1)),
    lambda: torch.segment_reduce(x, "sum", lengths=torch.tensor([10, 20, 7], device=d)),
    lambda: torch.histc(iv.float(), 64),
    lambda: torch.kron(sq[:9, :9], sq[:7, :7]),
    lambda: sq.trace(),
    lambda: torch.diag_embed(x),
    lambda: torch.cov(x),
    lambda: spd.logdet(),
    lambda: torch.lcm(iv, iv + 1),
    lambda: torch.special.bessel_j0(x),
    lambda: torch.special.zeta(x.abs() + 2, 2.0),
    lambda: torch.special.gammainc(x.abs(), x.abs()),
]

for operation in (NUMBERS, NETWORKS, MATHEMATICS)[int(sys.argv[1]) - 1]:
    try:
        operation()
        torch.cuda.synchronize()
    except RuntimeError as error:
        print(str(error).split("\n", maxsplit=1)[0])
