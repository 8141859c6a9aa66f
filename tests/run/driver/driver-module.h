// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A module in PTX, of kernels for the programs of the driver's interface.
#pragma once

// scale(data, n, factor): data[i] *= factor. stray(address): writes there. fill(data): data[i] = i + first, through shared memory. count(): adds
// one to counter.
static const char module_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .const .align 4 .b8 first[4] = {7, 0, 0, 0};\n"
    ".visible .entry scale(.param .u64 data, .param .u32 n, .param .f32 factor)\n{\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<5>;\n  .reg .f32 %f<3>;\n  .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [data];\n  ld.param.u32 %r1, [n];\n  ld.param.f32 %f1, [factor];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r2, %r2, %r3, %r4;\n  setp.ge.u32 %p, %r2, %r1;\n  @%p bra END;\n"
    "  mul.wide.u32 %rd2, %r2, 4;\n  add.u64 %rd3, %rd1, %rd2;\n"
    "  ld.global.f32 %f2, [%rd3];\n  mul.f32 %f2, %f2, %f1;\n  st.global.f32 [%rd3], %f2;\n"
    "END:\n  ret;\n}\n"
    ".visible .entry fill(.param .u64 data)\n{\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<6>;\n  .shared .align 4 .b8 tile[256];\n"
    "  ld.param.u64 %rd1, [data];\n  cvta.to.global.u64 %rd1, %rd1;\n  mov.u32 %r1, %tid.x;\n"
    "  ld.const.u32 %r2, [first];\n  add.u32 %r2, %r2, %r1;\n"
    "  mov.u32 %r3, tile;\n  shl.b32 %r4, %r1, 2;\n  add.u32 %r3, %r3, %r4;\n"
    "  st.shared.u32 [%r3], %r2;\n  bar.sync 0;\n  ld.shared.u32 %r5, [%r3];\n"
    "  mul.wide.u32 %rd2, %r1, 4;\n  add.u64 %rd3, %rd1, %rd2;\n  st.global.u32 [%rd3], %r5;\n"
    "  ret;\n}\n"
    ".visible .entry stray(.param .u64 address)\n{\n"
    "  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  ld.param.u64 %rd1, [address];\n  mov.u32 %r1, 1;\n"
    "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n"
    ".visible .entry count()\n{\n"
    "  .reg .b32 %r<2>;\n  atom.global.add.u32 %r1, [counter], 1;\n  ret;\n}\n";
