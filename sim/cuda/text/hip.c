// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// HIP: the same language. What it calls otherwise are macros here; functions on a whole wave, which have no mask there, are
// built in (sim/cuda/parse/call.c).
// Sources: HIP's documentation (C++ language extensions), and Clang's of the AMDGPU builtins.
#include "sim/cuda/text/macro-impl.h"

static const char names[] =
    "#define hipThreadIdx_x threadIdx.x\n"
    "#define hipThreadIdx_y threadIdx.y\n"
    "#define hipThreadIdx_z threadIdx.z\n"
    "#define hipBlockIdx_x blockIdx.x\n"
    "#define hipBlockIdx_y blockIdx.y\n"
    "#define hipBlockIdx_z blockIdx.z\n"
    "#define hipBlockDim_x blockDim.x\n"
    "#define hipBlockDim_y blockDim.y\n"
    "#define hipBlockDim_z blockDim.z\n"
    "#define hipGridDim_x gridDim.x\n"
    "#define hipGridDim_y gridDim.y\n"
    "#define hipGridDim_z gridDim.z\n"
    "#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];\n"
    "#define HIP_DYNAMIC_SHARED_ATTRIBUTE\n"
    "#define HIP_KERNEL_NAME(...) __VA_ARGS__\n"
    "#define __builtin_amdgcn_workitem_id_x() threadIdx.x\n"
    "#define __builtin_amdgcn_workitem_id_y() threadIdx.y\n"
    "#define __builtin_amdgcn_workitem_id_z() threadIdx.z\n"
    "#define __builtin_amdgcn_workgroup_id_x() blockIdx.x\n"
    "#define __builtin_amdgcn_workgroup_id_y() blockIdx.y\n"
    "#define __builtin_amdgcn_workgroup_id_z() blockIdx.z\n"
    "#define __builtin_amdgcn_workgroup_size_x() blockDim.x\n"
    "#define __builtin_amdgcn_workgroup_size_y() blockDim.y\n"
    "#define __builtin_amdgcn_workgroup_size_z() blockDim.z\n"
    "#define __builtin_amdgcn_grid_size_x() (gridDim.x * blockDim.x)\n"
    "#define __builtin_amdgcn_grid_size_y() (gridDim.y * blockDim.y)\n"
    "#define __builtin_amdgcn_grid_size_z() (gridDim.z * blockDim.z)\n"
    "#define __builtin_amdgcn_wavefrontsize() warpSize\n"
    "#define __builtin_amdgcn_s_barrier() __syncthreads()\n"
    "#define __builtin_amdgcn_wave_barrier() __syncwarp()\n"
    "#define __builtin_amdgcn_fence(order, ...) __threadfence_block()\n"
    "#define __builtin_amdgcn_s_waitcnt(counts) __threadfence_block()\n"
    "#define __builtin_amdgcn_sched_barrier(mask) __threadfence_block()\n"
    "#define __builtin_amdgcn_sched_group_barrier(mask, size, id) __threadfence_block()\n"
    "#define __builtin_amdgcn_iglp_opt(kind) __threadfence_block()\n"
    "#define __builtin_amdgcn_s_setprio(priority) __threadfence_block()\n"
    "#define __builtin_nontemporal_load(from) (*(from))\n"
    "#define __builtin_nontemporal_store(value, to) (*(to) = (value))\n"
    "#define unsafeAtomicAdd(to, value) atomicAdd((to), (value))\n"
    "#define safeAtomicAdd(to, value) atomicAdd((to), (value))\n"
    "#define _Float16 __half\n"
    "#define __hip_bfloat16 __nv_bfloat16\n"
    "#define __builtin_amdgcn_readfirstlane(value) "
    "__builtin_amdgcn_readlane((value), __ffsll(__activemask()) - 1)\n"
    "#define __builtin_amdgcn_ds_bpermute(address, value) "
    "__shfl((int)(value), (int)((unsigned)(address) / 4))\n"
    "#define __lane_id() ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % "
    "warpSize)\n"
    "#define __builtin_amdgcn_mbcnt_lo(mask, sum) "
    "(__popcll((mask) & 0xffffffffull & ((1ull << __lane_id()) - 1)) + (sum))\n"
    "#define __builtin_amdgcn_mbcnt_hi(mask, sum) "
    "(__popcll(((unsigned long long)(mask) << 32) & ((1ull << __lane_id()) - 1)) + (sum))\n";

gboolean
smb_kernel_macros_add_hip(KernelMacros *macros, GError **error) {
  if (macros->is_hip)
    return TRUE;
  macros->is_hip = TRUE;
  Token *tokens = smb_macros_lex(macros, names, error);
  return tokens && smb_kernel_macros_run(macros, tokens, error);
}

gboolean
smb_kernel_macros_is_hip(const KernelMacros *macros) {
  return macros->is_hip;
}
