; SPDX-FileCopyrightText: the smembank authors
; SPDX-License-Identifier: MIT
;
; Vectors of LLVM, a swizzle in shifts and logic, and an intrinsic for the thread.
; launch: --entry vectors --block 64
; counts: load 4/40, store 2/8
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x <4 x float>] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()

define void @vectors(float addrspace(1)* %out, <4 x float> addrspace(1)* %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr <4 x float>, <4 x float> addrspace(1)* %in, i32 %t
  %v = load <4 x float>, <4 x float> addrspace(1)* %from, align 16
  %row = lshr i32 %t, 3
  %place = xor i32 %t, %row
  %to = getelementptr [256 x <4 x float>], [256 x <4 x float>] addrspace(3)* @tile, i32 0, i32 %place
  store <4 x float> %v, <4 x float> addrspace(3)* %to, align 16
  call void @llvm.nvvm.barrier0()
  %rotated = call i32 @llvm.fshl.i32(i32 %t, i32 0, i32 2)
  %low = and i32 %rotated, 63
  %at = getelementptr [256 x <4 x float>], [256 x <4 x float>] addrspace(3)* @tile, i32 0, i32 %low
  %w = load <4 x float>, <4 x float> addrspace(3)* %at, align 16
  %a = extractelement <4 x float> %w, i32 1
  %next = xor i32 %place, 1
  %near = getelementptr [256 x <4 x float>], [256 x <4 x float>] addrspace(3)* @tile, i32 0, i32 %next
  %x = load <4 x float>, <4 x float> addrspace(3)* %near, align 16
  %b = extractelement <4 x float> %x, i32 2
  %sum = fadd float %a, %b
  %o = getelementptr float, float addrspace(1)* %out, i32 %t
  store float %sum, float addrspace(1)* %o, align 4
  ret void
}

declare i32 @llvm.fshl.i32(i32, i32, i32)

!nvvm.annotations = !{!0}
!0 = !{void (float addrspace(1)*, <4 x float> addrspace(1)*)* @vectors, !"kernel", i32 1}
