// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// As much of HIP as the kernels that tests/hip.sh compiles need, for clang without ROCm:
//   clang-14 -x hip --cuda-device-only --cuda-gpu-arch=gfx90a -nogpuinc -nogpulib -include names.h -S FILE
#pragma once
#define __global__                     __attribute__((global))
#define __device__                     __attribute__((device))
#define __shared__                     __attribute__((shared))
#define __constant__                   __attribute__((constant))
#define __launch_bounds__(n)           __attribute__((amdgpu_flat_work_group_size(1, n)))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

struct Index {
  unsigned x, y, z;
};
#define OF_EACH(name)                                                                              \
  (Index{__builtin_amdgcn_##name##_x(), __builtin_amdgcn_##name##_y(),                             \
         __builtin_amdgcn_##name##_z()})
#define threadIdx      OF_EACH(workitem_id)
#define blockIdx       OF_EACH(workgroup_id)
#define blockDim       OF_EACH(workgroup_size)
#define gridDim        (Index{OF_EACH(grid_size).x / blockDim.x, OF_EACH(grid_size).y / blockDim.y, 1})
#define hipThreadIdx_x threadIdx.x
#define hipBlockIdx_x  blockIdx.x
#define hipBlockDim_x  blockDim.x

struct float2 {
  float x, y;
} __attribute__((aligned(8)));
struct float4 {
  float x, y, z, w;
} __attribute__((aligned(16)));

static __device__ inline void
__syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static __device__ inline void
__syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

template <typename T>
static __device__ inline T
__ldg(const T *from) {
  return *from;
}
