; SPDX-FileCopyrightText: the smembank authors
; SPDX-License-Identifier: MIT
;
; A loop with a switch, bytes, halves of words, odd widths, and an atomic.
; launch: --entry loops --block 32 --arg 1=8
; counts: load 15/15, store 9/9
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@bytes = internal addrspace(3) global [256 x i8] undef, align 4
@sum = internal addrspace(3) global i32 undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()

define void @loops(i32 addrspace(1)* %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %clear, label %loop
clear:
  store i32 0, i32 addrspace(3)* @sum, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ 0, %clear ], [ %more, %next ]
  %scaled = mul i32 %i, 32
  %at = add i32 %scaled, %t
  %p = getelementptr [256 x i8], [256 x i8] addrspace(3)* @bytes, i32 0, i32 %at
  %narrow = trunc i32 %at to i8
  store volatile i8 %narrow, i8 addrspace(3)* %p, align 1
  %kind = and i32 %i, 3
  switch i32 %kind, label %next [
    i32 0, label %even
    i32 1, label %odd
  ]
even:
  %e = load volatile i8, i8 addrspace(3)* %p, align 1
  br label %odd
odd:
  %o = load volatile i8, i8 addrspace(3)* %p, align 1
  %wide = sext i8 %o to i32
  %old = atomicrmw add i32 addrspace(3)* @sum, i32 %wide monotonic
  br label %next
next:
  %q = getelementptr [256 x i8], [256 x i8] addrspace(3)* @bytes, i32 0, i32 %scaled
  %again = load volatile i8, i8 addrspace(3)* %q, align 1
  %more = add i32 %i, 1
  %left = icmp slt i32 %more, %n
  br i1 %left, label %loop, label %done
done:
  call void @llvm.nvvm.barrier0()
  %all = load i32, i32 addrspace(3)* @sum, align 4
  %to = getelementptr i32, i32 addrspace(1)* %out, i32 %t
  store i32 %all, i32 addrspace(1)* %to, align 4
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{void (i32 addrspace(1)*, i32)* @loops, !"kernel", i32 1}
