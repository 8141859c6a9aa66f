// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Prints sizes of types of CUDA's runtime, and where their members are: of gpu/driver, or, with TOOLKIT, of the toolkit's headers.
#include <stddef.h>
#include <stdio.h>

#ifdef TOOLKIT
#  include <cuda_runtime_api.h>
#  define STRUCT(name) struct name
#else
#  include "gpu/driver/abi-graph.h"
#  define STRUCT(name) name
#endif

#define SIZE(type)          printf("%s %zu\n", #type, sizeof(type))
#define PLACE(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member))
#define NUMBER(name)        printf("%s %d\n", #name, (int)(name))

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
  SIZE(STRUCT(cudaPitchedPtr));
  SIZE(STRUCT(cudaArrayMemoryRequirements));
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
  SIZE(STRUCT(cudaKernelNodeParams));
  PLACE(STRUCT(cudaKernelNodeParams), extra);
  SIZE(STRUCT(cudaHostNodeParams));
  SIZE(STRUCT(cudaMemcpyNodeParams));
  SIZE(STRUCT(cudaGraphNodeParams));
  PLACE(STRUCT(cudaGraphNodeParams), kernel);
  PLACE(STRUCT(cudaGraphNodeParams), reserved2);
  PLACE(STRUCT(cudaGraphNodeParams), graph.ownership);
  SIZE(cudaGraphEdgeData);
  SIZE(cudaGraphExecUpdateResultInfo);
  SIZE(cudaGraphInstantiateParams);
  PLACE(cudaGraphInstantiateParams, result_out);
  NUMBER(cudaErrorStreamCaptureImplicit);
  NUMBER(cudaErrorCooperativeLaunchTooLarge);
  NUMBER(cudaMemoryTypeManaged);
  NUMBER(cudaMemPoolAttrUsedMemHigh);
  NUMBER(cudaFuncAttributeClusterSchedulingPolicyPreference);
  NUMBER(cudaLaunchAttributeNvlinkUtilCentricScheduling);
  NUMBER(cudaGraphNodeTypeMemFree);
  NUMBER(cudaStreamCaptureModeRelaxed);
  NUMBER(cudaGraphExecUpdateErrorNotSupported);
  return 0;
}
