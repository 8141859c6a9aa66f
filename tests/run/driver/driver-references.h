// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A module in PTX whose kernels name textures and surfaces. Thread i of each, which is called with (out, x, y, n), leaves four words in out[i] of
// what it finds at (x + i, y), or at number n + i.
#pragma once

#define REFERENCE_KERNEL(name, instructions)                                                       \
  ".visible .entry " name "(.param .u64 out, .param .f32 x, .param .f32 y, .param .u32 n)\n{\n"    \
  "  .reg .b64 %d<4>;\n  .reg .b32 %n<3>, %r<4>;\n  .reg .f32 %x, %y, %i;\n"                       \
  "  ld.param.u64 %d1, [out];\n  cvta.to.global.u64 %d1, %d1;\n"                                   \
  "  ld.param.f32 %x, [x];\n  ld.param.f32 %y, [y];\n  ld.param.u32 %n1, [n];\n"                   \
  "  mov.u32 %n2, %tid.x;\n  mul.wide.u32 %d2, %n2, 16;\n  add.u64 %d1, %d1, %d2;\n"               \
  "  cvt.rn.f32.u32 %i, %n2;\n  add.f32 %x, %x, %i;\n  add.u32 %n1, %n1, %n2;\n"                   \
  "  mov.u32 %r0, 0;\n  mov.u32 %r1, 0;\n  mov.u32 %r2, 0;\n  mov.u32 %r3, 0;\n" instructions      \
  "  st.global.v4.b32 [%d1], {%r0, %r1, %r2, %r3};\n  ret;\n}\n"

#define FOUR "{%r0, %r1, %r2, %r3}"

static const char references_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .texref image;\n.global .texref second;\n.global .texref unbound;\n"
    ".global .surfref sheet;\n.global .surfref none;\n.visible .global .align 4 .u32 "
    "plain;\n" REFERENCE_KERNEL("fetch",
                                "  tex.1d.v4.f32.s32 " FOUR
                                ", [image, {%n1}];\n") REFERENCE_KERNEL("fetch_unbound",
                                                                        "  tex.1d.v4.f32.s32 " FOUR
                                                                        ", [unbound, {%n1}];\n")
        REFERENCE_KERNEL("plane_unbound",
                         "  tex.2d.v4.f32.f32 " FOUR
                         ", [unbound, {%x, %y}];\n") REFERENCE_KERNEL("line",
                                                                      "  tex.1d.v4.f32.f32 " FOUR
                                                                      ", [image, {%x}];\n")
            REFERENCE_KERNEL("plane",
                             "  tex.2d.v4.f32.f32 " FOUR
                             ", [image, {%x, %y}];\n") REFERENCE_KERNEL("plane_second",
                                                                        "  tex.2d.v4.f32.f32 " FOUR
                                                                        ", [second, {%x, %y}];\n")
                REFERENCE_KERNEL("levels", "  tex.level.2d.v4.f32.f32 " FOUR
                                           ", [image, {0f3F000000, 0f3F000000}], %x;\n")
                    REFERENCE_KERNEL("gather",
                                     "  tld4.r.2d.v4.f32.f32 " FOUR ", [image, {%x, %y}];\n")
                        REFERENCE_KERNEL("by_handle",
                                         "  mov.u64 %d3, image;\n  tex.2d.v4.f32.f32 " FOUR
                                         ", [%d3, {%x, %y}];\n")
                            REFERENCE_KERNEL(
                                "sizes",
                                "  txq.width.b32 %r0, [image];\n  txq.height.b32 %r1, [image];\n"
                                "  txq.width.b32 %r2, [unbound];\n  suq.width.b32 %r3, [none];\n")
                                REFERENCE_KERNEL("surface_sizes", "  suq.width.b32 %r0, [sheet];\n "
                                                                  " suq.height.b32 %r1, [sheet];\n")
                                    REFERENCE_KERNEL(
                                        "store", "  shl.b32 %n1, %n1, 2;\n  mov.b32 %r0, %x;\n"
                                                 "  sust.b.2d.b32.zero [sheet, {%n1, 1}], {%r0};\n"
                                                 "  suld.b.2d.b32.zero {%r1}, [sheet, {%n1, 0}];\n")
                                        REFERENCE_KERNEL(
                                            "store_nowhere",
                                            "  shl.b32 %n1, %n1, 2;\n  mov.b32 %r0, %x;\n"
                                            "  sust.b.2d.b32.trap [none, {%n1, 1}], {%r0};\n"
                                            "  suld.b.2d.b32.zero {%r1}, [none, {%n1, 0}];\n")
                                            REFERENCE_KERNEL("names_none", "  mov.u32 %r0, %n1;\n");
