; SPDX-FileCopyrightText: the smembank authors
; SPDX-License-Identifier: MIT
;
; A generic pointer into shared memory, chosen lane by lane, wide integers, and a function that is not inlined.
; launch: --entry generic --block 32
; counts: load 1/2, store 2/6
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@a = internal addrspace(3) global [64 x i64] undef, align 8
@b = internal addrspace(3) global [64 x i64] undef, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define internal i64 @fetch(i64* %p, i32 %at) noinline {
  %q = getelementptr i64, i64* %p, i32 %at
  %v = load i64, i64* %q, align 8
  ret i64 %v
}

define void @generic(i64* %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %big = mul i64 %wide, 4294967297
  %pa = getelementptr [64 x i64], [64 x i64] addrspace(3)* @a, i32 0, i32 %t
  store i64 %big, i64 addrspace(3)* %pa, align 8
  %double = shl i32 %t, 1
  %pb = getelementptr [64 x i64], [64 x i64] addrspace(3)* @b, i32 0, i32 %double
  %turned = call i64 @llvm.bswap.i64(i64 %big)
  store i64 %turned, i64 addrspace(3)* %pb, align 8
  %odd = trunc i32 %t to i1
  %ga = addrspacecast [64 x i64] addrspace(3)* @a to i64*
  %gb = addrspacecast [64 x i64] addrspace(3)* @b to i64*
  %p = select i1 %odd, i64* %ga, i64* %gb
  %v = call i64 @fetch(i64* %p, i32 %t)
  %slot = getelementptr i64, i64* %out, i32 %t
  store i64 %v, i64* %slot, align 8
  ret void
}

declare i64 @llvm.bswap.i64(i64)

!nvvm.annotations = !{!0}
!0 = !{void (i64*)* @generic, !"kernel", i32 1}
