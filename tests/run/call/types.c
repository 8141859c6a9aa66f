// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Prints sizes of types of CUDA's runtime and driver, and where their members are: of gpu/driver, or, with TOOLKIT, of the toolkit's headers.
#include <stddef.h>
#include <stdio.h>

#ifdef TOOLKIT
#  include <cuda.h>
#  include <cuda_runtime_api.h>
#  define STRUCT(name)         struct name
#  define MEMBER(ours, theirs) theirs
#else
#  include "gpu/driver/cu/driver-abi.h"
#  define STRUCT(name)         name
#  define MEMBER(ours, theirs) ours
#endif

#define SIZE(type)          printf("%s %zu\n", #type, sizeof(type))
#define PLACE(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member))
// Of the driver's, whose members may have other names here.
#define DRIVER(type, ours, theirs)                                                                 \
  printf("%s.%s %zu\n", #type, #theirs, offsetof(type, MEMBER(ours, theirs)))
#define NUMBER(name) printf("%s %d\n", #name, (int)(name))

static void
print_driver_types(void) {
  SIZE(CUDA_MEMCPY2D);
  DRIVER(CUDA_MEMCPY2D, dstXInBytes, dstXInBytes);
  DRIVER(CUDA_MEMCPY2D, dstPitch, dstPitch);
  SIZE(CUDA_MEMCPY3D);
  DRIVER(CUDA_MEMCPY3D, src.type, srcMemoryType);
  DRIVER(CUDA_MEMCPY3D, src.array, srcArray);
  DRIVER(CUDA_MEMCPY3D, src.height, srcHeight);
  DRIVER(CUDA_MEMCPY3D, dst.lod, dstLOD);
  DRIVER(CUDA_MEMCPY3D, dst.device, dstDevice);
  DRIVER(CUDA_MEMCPY3D, Depth, Depth);
  SIZE(CUlaunchConfig);
  DRIVER(CUlaunchConfig, block, blockDimX);
  DRIVER(CUlaunchConfig, hStream, hStream);
  DRIVER(CUlaunchConfig, numAttrs, numAttrs);
  SIZE(CUDA_KERNEL_NODE_PARAMS);
  DRIVER(CUDA_KERNEL_NODE_PARAMS, same.sharedMemBytes, sharedMemBytes);
  DRIVER(CUDA_KERNEL_NODE_PARAMS, same.extra, extra);
  DRIVER(CUDA_KERNEL_NODE_PARAMS, kern, kern);
  SIZE(CUgraphNodeParams);
  DRIVER(CUgraphNodeParams, memcpy.copyParams, memcpy.copyParams);
  DRIVER(CUgraphNodeParams, kernel.ctx, kernel.ctx);
  DRIVER(CUgraphNodeParams, reserved2, reserved2);
  SIZE(CUDA_ARRAY_DESCRIPTOR);
  SIZE(CUDA_ARRAY3D_DESCRIPTOR);
  DRIVER(CUDA_ARRAY3D_DESCRIPTOR, Flags, Flags);
  SIZE(CUDA_RESOURCE_DESC);
  DRIVER(CUDA_RESOURCE_DESC, res.linear.bytes, res.linear.sizeInBytes);
  DRIVER(CUDA_RESOURCE_DESC, res.pitch.pitch, res.pitch2D.pitchInBytes);
  DRIVER(CUDA_RESOURCE_DESC, flags, flags);
  SIZE(CUDA_TEXTURE_DESC);
  DRIVER(CUDA_TEXTURE_DESC, borderColor, borderColor);
  SIZE(CUdevprop);
  SIZE(CUctxCreateParams);
  DRIVER(CUctxCreateParams, cigParams, cigParams);
  SIZE(CUmemAllocationProp);
  DRIVER(CUmemAllocationProp, allocFlags, allocFlags);
  SIZE(CUarrayMapInfo);
  DRIVER(CUarrayMapInfo, subresource.miptail.size, subresource.miptail.size);
  DRIVER(CUarrayMapInfo, deviceBitMask, deviceBitMask);
  SIZE(CUDA_BATCH_MEM_OP_NODE_PARAMS);
  DRIVER(CUDA_BATCH_MEM_OP_NODE_PARAMS, flags, flags);
  SIZE(CUdeviceptr);
  NUMBER(CU_MEMORYTYPE_UNIFIED);
}

static void
print_graph_types(void) {
  SIZE(STRUCT(cudaKernelNodeParams));
  PLACE(STRUCT(cudaKernelNodeParams), extra);
  SIZE(STRUCT(cudaHostNodeParams));
  SIZE(STRUCT(cudaMemcpyNodeParams));
  SIZE(STRUCT(cudaGraphNodeParams));
  PLACE(STRUCT(cudaGraphNodeParams), kernel);
  PLACE(STRUCT(cudaGraphNodeParams), reserved2);
  PLACE(STRUCT(cudaGraphNodeParams), graph.ownership);
  PLACE(STRUCT(cudaGraphNodeParams), conditional.phGraph_out);
  SIZE(cudaGraphEdgeData);
  SIZE(cudaGraphExecUpdateResultInfo);
  SIZE(cudaGraphInstantiateParams);
  PLACE(cudaGraphInstantiateParams, result_out);
}

int
main(void) {
  SIZE(STRUCT(cudaMemcpy3DParms));
  PLACE(STRUCT(cudaMemcpy3DParms), kind);
  PLACE(STRUCT(cudaMemcpy3DParms), dstArray);
  PLACE(STRUCT(cudaMemcpy3DParms), extent);
  SIZE(STRUCT(cudaMemcpy3DPeerParms));
  PLACE(STRUCT(cudaMemcpy3DPeerParms), extent);
  SIZE(STRUCT(cudaMemsetParams));
  PLACE(STRUCT(cudaMemsetParams), elementSize);
  SIZE(STRUCT(cudaMemcpy3DBatchOp));
  PLACE(STRUCT(cudaMemcpy3DBatchOp), dst);
  PLACE(STRUCT(cudaMemcpy3DBatchOp), extent);
  SIZE(STRUCT(cudaChannelFormatDesc));
  SIZE(STRUCT(cudaResourceDesc));
  SIZE(STRUCT(cudaTextureDesc));
  PLACE(STRUCT(cudaTextureDesc), seamlessCubemap);
  SIZE(STRUCT(cudaResourceViewDesc));
  PLACE(STRUCT(cudaResourceViewDesc), lastLayer);
  SIZE(STRUCT(cudaPitchedPtr));
  SIZE(STRUCT(cudaArrayMemoryRequirements));
  SIZE(STRUCT(cudaArraySparseProperties));
  SIZE(STRUCT(cudaPointerAttributes));
  PLACE(STRUCT(cudaPointerAttributes), hostPointer);
  SIZE(STRUCT(cudaMemLocation));
  SIZE(STRUCT(cudaMemAccessDesc));
  SIZE(STRUCT(cudaMemPoolProps));
  PLACE(STRUCT(cudaMemPoolProps), maxSize);
  SIZE(STRUCT(cudaMemAllocNodeParams));
  PLACE(STRUCT(cudaMemAllocNodeParams), dptr);
  SIZE(STRUCT(cudaFuncAttributes));
  PLACE(STRUCT(cudaFuncAttributes), nonPortableClusterSizeAllowed);
  PLACE(STRUCT(cudaFuncAttributes), numRegs);
  SIZE(cudaLaunchAttributeValue);
  SIZE(cudaLaunchAttribute);
  PLACE(cudaLaunchAttribute, val);
  SIZE(cudaLaunchConfig_t);
  PLACE(cudaLaunchConfig_t, numAttrs);
  print_graph_types();
  print_driver_types();
  NUMBER(cudaErrorStreamCaptureImplicit);
  NUMBER(cudaErrorCooperativeLaunchTooLarge);
  NUMBER(cudaMemoryTypeManaged);
  NUMBER(cudaMemPoolAttrUsedMemHigh);
  NUMBER(cudaFuncAttributeClusterSchedulingPolicyPreference);
  NUMBER(cudaLaunchAttributeNvlinkUtilCentricScheduling);
  NUMBER(cudaGraphNodeTypeMemFree);
  NUMBER(cudaGraphCondTypeSwitch);
  NUMBER(cudaGraphInstantiateConditionalHandleUnused);
  NUMBER(cudaStreamCaptureModeRelaxed);
  NUMBER(cudaGraphExecUpdateErrorNotSupported);
  return 0;
}
