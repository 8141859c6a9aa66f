// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What calls return that are wrong, each with the error that is left behind: graphs and their conditions, pools, arrays and textures,
// libraries, and handles for other processes. errors.cu has the rest of the runtime.
#include <cstdint>
#include <cstdio>
#include <cstring>

__global__ void
store(int *p) {
  *p = 3;
}
__global__ void
two(int *p, int value) {
  *p = value;
}
static int nothing;

static void
tell(const char *call, cudaError_t error) {
  cudaError_t peek = cudaPeekAtLastError(), last = cudaGetLastError(), again = cudaGetLastError();
  printf("%s: %s, left %s %s %s\n", call, cudaGetErrorName(error), cudaGetErrorName(peek),
         cudaGetErrorName(last), cudaGetErrorName(again));
}
#define TELL(call) tell(#call, call)

static void
none(void *) {
}

static void
nodes(int *p) {
  cudaGraph_t graph, other;
  cudaGraphNode_t kernel, copy, fill, empty, host, child, node;
  cudaGraphExec_t exec;
  int value = 7;
  void *arguments[] = {&p, &value};
  TELL(cudaGraphCreate(nullptr, 0));
  TELL(cudaGraphCreate(&graph, 0));
  TELL(cudaGraphCreate(&other, 0));
  cudaKernelNodeParams k = {};
  TELL(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  k.func = (void *)two;
  TELL(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  k.gridDim = dim3(1);
  k.blockDim = dim3(2048);
  k.kernelParams = arguments;
  TELL(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  k.blockDim = dim3(32);
  k.sharedMemBytes = 1 << 20;
  TELL(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  k.sharedMemBytes = 0;
  k.func = (void *)&nothing;
  TELL(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  k.func = (void *)two;
  TELL(cudaGraphAddKernelNode(&kernel, nullptr, nullptr, 0, &k));
  TELL(cudaGraphAddKernelNode(nullptr, graph, nullptr, 0, &k));
  TELL(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  TELL(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, p, nullptr, 4, cudaMemcpyHostToDevice));
  TELL(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, p, &value, 4, (cudaMemcpyKind)9));
  TELL(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, p, &value, 0, cudaMemcpyHostToDevice));
  TELL(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, p, &value, 4, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms c = {};
  TELL(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &c));
  cudaMemsetParams m = {};
  TELL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
  m.dst = p;
  m.elementSize = 3;
  m.width = m.height = 1;
  TELL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
  m.elementSize = 4;
  m.width = 0;
  TELL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
  m.width = 4;
  m.height = 2;
  m.pitch = 8;
  TELL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
  m.height = 1;
  TELL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
  cudaHostNodeParams h = {};
  TELL(cudaGraphAddHostNode(&host, graph, nullptr, 0, &h));
  h.fn = none;
  TELL(cudaGraphAddHostNode(&host, graph, nullptr, 0, &h));
  TELL(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  TELL(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, other));
  TELL(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddEventWaitNode(&node, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddEmptyNode(&node, other, &empty, 1));
  cudaGraphNode_t both[] = {empty, empty};
  TELL(cudaGraphAddEmptyNode(&node, graph, both, 2));
  // asking
  cudaGraphNodeType type;
  size_t n = 0;
  TELL(cudaGraphNodeGetType(nullptr, &type));
  TELL(cudaGraphNodeGetType(kernel, nullptr));
  TELL(cudaGraphKernelNodeGetParams(copy, &k));
  TELL(cudaGraphKernelNodeGetParams(kernel, nullptr));
  TELL(cudaGraphMemcpyNodeGetParams(kernel, &c));
  TELL(cudaGraphMemsetNodeGetParams(kernel, &m));
  TELL(cudaGraphHostNodeGetParams(kernel, &h));
  TELL(cudaGraphChildGraphNodeGetGraph(kernel, &other));
  cudaEvent_t event;
  TELL(cudaGraphEventRecordNodeGetEvent(kernel, &event));
  TELL(cudaGraphEventWaitNodeGetEvent(kernel, &event));
  TELL(cudaGraphGetNodes(graph, nullptr, nullptr));
  TELL(cudaGraphGetNodes(nullptr, nullptr, &n));
  TELL(cudaGraphGetRootNodes(graph, nullptr, nullptr));
  TELL(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, nullptr));
  TELL(cudaGraphGetEdges(graph, &node, nullptr, nullptr, &n));
  TELL(cudaGraphNodeFindInClone(&node, kernel, graph));
  // dependencies
  TELL(cudaGraphAddDependencies(graph, &kernel, &kernel, nullptr, 1));
  TELL(cudaGraphAddDependencies(graph, &kernel, &copy, nullptr, 1));
  TELL(cudaGraphAddDependencies(graph, &kernel, nullptr, nullptr, 1));
  TELL(cudaGraphAddDependencies(graph, nullptr, nullptr, nullptr, 0));
  TELL(cudaGraphRemoveDependencies(graph, &copy, &kernel, nullptr, 1));
  TELL(cudaGraphRemoveDependencies(graph, &empty, &host, nullptr, 1));
  // changing
  k.blockDim = dim3(0);
  TELL(cudaGraphKernelNodeSetParams(kernel, &k));
  k.blockDim = dim3(64);
  TELL(cudaGraphKernelNodeSetParams(copy, &k));
  TELL(cudaGraphKernelNodeSetParams(kernel, &k));
  cudaLaunchAttributeValue attribute = {};
  TELL(cudaGraphKernelNodeGetAttribute(copy, cudaLaunchAttributeCooperative, &attribute));
  TELL(cudaGraphKernelNodeSetAttribute(kernel, (cudaLaunchAttributeID)99, &attribute));
  TELL(cudaGraphKernelNodeCopyAttributes(kernel, copy));
  // executing
  TELL(cudaGraphInstantiate(nullptr, graph, 0));
  TELL(cudaGraphInstantiate(&exec, graph, 1 << 10));
  TELL(cudaGraphAddDependencies(graph, &copy, &kernel, nullptr, 1));
  TELL(cudaGraphInstantiate(&exec, graph, 0));
  TELL(cudaGraphRemoveDependencies(graph, &copy, &kernel, nullptr, 1));
  TELL(cudaGraphInstantiate(&exec, graph, 0));
  unsigned is_enabled = 0;
  unsigned long long flags = 0;
  TELL(cudaGraphExecGetFlags(exec, nullptr));
  TELL(cudaGraphExecGetFlags(nullptr, &flags));
  TELL(cudaGraphNodeSetEnabled(exec, empty, 0));
  TELL(cudaGraphNodeSetEnabled(exec, host, 0));
  TELL(cudaGraphNodeGetEnabled(exec, kernel, nullptr));
  TELL(cudaGraphNodeGetEnabled(exec, child, &is_enabled));
  k.func = (void *)store;
  TELL(cudaGraphExecKernelNodeSetParams(exec, copy, &k));
  TELL(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
  TELL(cudaGraphExecMemcpyNodeSetParams1D(exec, kernel, p, &value, 4, cudaMemcpyHostToDevice));
  TELL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, &value, p, 4, cudaMemcpyDeviceToHost));
  TELL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, p, &value, 0, cudaMemcpyHostToDevice));
  m.height = 2;
  TELL(cudaGraphExecMemsetNodeSetParams(exec, fill, &m));
  TELL(cudaGraphExecMemsetNodeSetParams(exec, kernel, &m));
  TELL(cudaGraphExecHostNodeSetParams(exec, host, nullptr));
  TELL(cudaGraphExecChildGraphNodeSetParams(exec, child, graph));
  TELL(cudaGraphExecEventRecordNodeSetEvent(exec, kernel, event));
  cudaGraphExecUpdateResultInfo info = {};
  TELL(cudaGraphExecUpdate(exec, other, &info));
  printf("result %d\n", info.result);
  TELL(cudaGraphExecUpdate(exec, nullptr, &info));
  TELL(cudaGraphExecUpdate(nullptr, graph, &info));
  TELL(cudaGraphLaunch(exec, nullptr));
  TELL(cudaGraphUpload(nullptr, nullptr));
  TELL(cudaDeviceSynchronize());
  TELL(cudaGraphDestroyNode(nullptr));
  TELL(cudaGraphDestroyNode(copy));
  TELL(cudaGraphDebugDotPrint(graph, nullptr, 0));
  TELL(cudaGraphDebugDotPrint(nullptr, "/tmp/none", 0));
  TELL(cudaGraphDebugDotPrint(graph, "/no-such-folder/none", 0));
  TELL(cudaGraphExecDestroy(exec));
  TELL(cudaGraphDestroy(graph));
}

static void
graph_memory(int *p) {
  cudaGraph_t graph, clone;
  cudaGraphNode_t node, release;
  cudaGraphExec_t exec, again;
  cudaMemAllocNodeParams a = {};
  TELL(cudaGraphCreate(&graph, 0));
  TELL(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &a));
  a.poolProps.allocType = cudaMemAllocationTypePinned;
  a.poolProps.location = {cudaMemLocationTypeDevice, 7};
  a.bytesize = 64;
  TELL(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &a));
  a.poolProps.location = {cudaMemLocationTypeDevice, 0};
  a.bytesize = 0;
  TELL(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &a));
  a.bytesize = 64;
  TELL(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &a));
  TELL(cudaGraphAddMemFreeNode(&release, graph, nullptr, 0, nullptr));
  TELL(cudaGraphAddMemFreeNode(&release, graph, &node, 1, p));
  TELL(cudaGraphAddMemFreeNode(&release, graph, nullptr, 0, a.dptr));
  TELL(cudaGraphAddMemFreeNode(&release, graph, &node, 1, a.dptr));
  TELL(cudaGraphClone(&clone, graph));
  TELL(cudaGraphDestroyNode(node));
  TELL(cudaGraphInstantiate(&exec, graph, 0));
  TELL(cudaGraphInstantiate(&again, graph, 0));
  TELL(cudaFree(a.dptr));
  TELL(cudaGraphLaunch(exec, 0));
  TELL(cudaGraphLaunch(exec, 0));
  TELL(cudaDeviceSynchronize());
  TELL(cudaFree(a.dptr));
  unsigned long long value = 0;
  TELL(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)77, &value));
  TELL(cudaDeviceGetGraphMemAttribute(5, cudaGraphMemAttrUsedMemCurrent, &value));
  TELL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
  value = 1;
  TELL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
  TELL(cudaDeviceGraphMemTrim(9));
  TELL(cudaGraphExecDestroy(exec));
}

static void
conditions() {
  cudaGraph_t graph, other;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle handle, second;
  cudaGraphNodeParams n = {};
  TELL(cudaGraphCreate(&graph, 0));
  TELL(cudaGraphCreate(&other, 0));
  TELL(cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0));
  TELL(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
  TELL(cudaGraphConditionalHandleCreate(&handle, graph, 0, 5));
  TELL(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
  TELL(cudaGraphConditionalHandleCreate(&second, graph, 1, 0));
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, nullptr));
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  n.type = cudaGraphNodeTypeConditional;
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  n.conditional.handle = handle;
  n.conditional.type = cudaGraphCondTypeWhile;
  n.conditional.size = 2;
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  n.conditional.type = cudaGraphCondTypeIf;
  n.conditional.size = 3;
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  n.conditional.size = 0;
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  n.conditional.type = (cudaGraphConditionalNodeType)7;
  n.conditional.size = 1;
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  n.conditional.type = cudaGraphCondTypeIf;
  TELL(cudaGraphAddNode(&node, other, nullptr, nullptr, 0, &n));
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  cudaGraph_t body = n.conditional.phGraph_out[0];
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  TELL(cudaGraphInstantiate(&exec, graph, 0));
  n.conditional.handle = second;
  TELL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &n));
  cudaHostNodeParams h = {none, nullptr};
  cudaGraphNode_t inside;
  TELL(cudaGraphAddHostNode(&inside, body, nullptr, 0, &h));
  TELL(cudaGraphInstantiate(&exec, graph, 0));
  TELL(cudaGraphDestroy(body));
  TELL(cudaGraphClone(&other, graph));
  TELL(cudaGraphDestroy(graph));
}

static void
pools(int *p) {
  cudaMemPool_t pool = nullptr, standard = nullptr, opened = nullptr;
  cudaMemPoolProps props = {};
  void *q = nullptr;
  TELL(cudaMemPoolCreate(&pool, nullptr));
  TELL(cudaMemPoolCreate(nullptr, &props));
  TELL(cudaMemPoolCreate(&pool, &props));
  props.allocType = cudaMemAllocationTypePinned;
  TELL(cudaMemPoolCreate(&pool, &props));
  props.location = {cudaMemLocationTypeDevice, 3};
  TELL(cudaMemPoolCreate(&pool, &props));
  props.location = {cudaMemLocationTypeDevice, 0};
  props.handleTypes = (cudaMemAllocationHandleType)64;
  TELL(cudaMemPoolCreate(&pool, &props));
  props.handleTypes = cudaMemHandleTypeNone;
  TELL(cudaMemPoolCreate(&pool, &props));
  TELL(cudaDeviceGetDefaultMemPool(&standard, 0));
  TELL(cudaDeviceGetDefaultMemPool(&standard, 4));
  TELL(cudaDeviceGetDefaultMemPool(nullptr, 0));
  TELL(cudaDeviceSetMemPool(0, nullptr));
  TELL(cudaDeviceSetMemPool(2, pool));
  TELL(cudaMemPoolDestroy(standard));
  TELL(cudaMemPoolDestroy(nullptr));
  uint64_t value = 5;
  TELL(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value));
  TELL(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)99, &value));
  TELL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
  TELL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
  TELL(cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrUsedMemHigh, &value));
  TELL(cudaMemPoolTrimTo(nullptr, 0));
  cudaMemAccessDesc access = {};
  TELL(cudaMemPoolSetAccess(pool, &access, 1));
  access.location = {cudaMemLocationTypeDevice, 4};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  TELL(cudaMemPoolSetAccess(pool, &access, 1));
  access.location = {cudaMemLocationTypeDevice, 0};
  access.flags = cudaMemAccessFlagsProtNone;
  TELL(cudaMemPoolSetAccess(pool, &access, 1));
  access.flags = cudaMemAccessFlagsProtReadWrite;
  TELL(cudaMemPoolSetAccess(pool, &access, 1));
  TELL(cudaMemPoolSetAccess(nullptr, &access, 1));
  cudaMemAccessFlags flags;
  cudaMemLocation where = {cudaMemLocationTypeDevice, 9};
  TELL(cudaMemPoolGetAccess(&flags, pool, &where));
  TELL(cudaMemPoolGetAccess(nullptr, pool, &where));
  TELL(cudaMallocFromPoolAsync(nullptr, 64, pool, 0));
  TELL(cudaMallocFromPoolAsync(&q, 0, pool, 0));
  TELL(cudaMallocFromPoolAsync(&q, 64, nullptr, 0));
  TELL(cudaMallocFromPoolAsync(&q, (size_t)1 << 50, pool, 0));
  TELL(cudaMallocFromPoolAsync(&q, 64, pool, 0));
  TELL(cudaMallocAsync(nullptr, 64, 0));
  TELL(cudaFreeAsync(p + 1, 0));
  TELL(cudaFreeAsync((char *)q + 8, 0));
  int descriptor = -1;
  TELL(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor,
                                          0));
  TELL(cudaMemPoolExportToShareableHandle(&descriptor, nullptr,
                                          cudaMemHandleTypePosixFileDescriptor, 0));
  cudaMemPoolPtrExportData data = {};
  TELL(cudaMemPoolExportPointer(&data, q));
  TELL(cudaMemPoolExportPointer(&data, nullptr));
  TELL(cudaMemPoolExportPointer(&data, p));
  TELL(cudaMemPoolImportPointer(&q, pool, &data));
  TELL(cudaMemPoolImportFromShareableHandle(&opened, (void *)(long)descriptor,
                                            cudaMemHandleTypePosixFileDescriptor, 0));
  TELL(cudaMemPoolDestroy(pool));
}

static void
arrays(int *p) {
  cudaArray_t array = nullptr, layered = nullptr;
  cudaMipmappedArray_t levels = nullptr;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(),
                        odd = {24, 0, 0, 0, cudaChannelFormatKindFloat},
                        three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
  cudaExtent extent;
  unsigned flags = 0;
  TELL(cudaMallocArray(nullptr, &f, 8, 8));
  TELL(cudaMallocArray(&array, nullptr, 8, 8));
  TELL(cudaMallocArray(&array, &odd, 8, 8));
  TELL(cudaMallocArray(&array, &three, 8, 8));
  TELL(cudaMallocArray(&array, &f, 0, 8));
  TELL(cudaMallocArray(&array, &f, 1 << 20, 8));
  TELL(cudaMallocArray(&array, &f, 8, 1 << 20));
  TELL(cudaMallocArray(&array, &f, 8, 8, 1 << 12));
  TELL(cudaMalloc3DArray(&array, &f, make_cudaExtent(8, 8, 8), cudaArrayCubemap));
  TELL(cudaMalloc3DArray(&array, &f, make_cudaExtent(8, 4, 6), cudaArrayCubemap));
  TELL(cudaMalloc3DArray(&array, &f, make_cudaExtent(8, 8, 6),
                         cudaArrayCubemap | cudaArrayTextureGather));
  TELL(cudaMalloc3DArray(&array, &f, make_cudaExtent(8, 0, 6), 0));
  TELL(cudaMalloc3DArray(&array, &f, make_cudaExtent(8, 0, 4096), cudaArrayLayered));
  TELL(cudaMalloc3DArray(&array, &f, make_cudaExtent(32768, 8, 8), 0));
  TELL(cudaMalloc3DArray(&layered, &f, make_cudaExtent(8, 8, 3), cudaArrayLayered));
  TELL(cudaMallocArray(&array, &f, 8, 8));
  TELL(cudaMallocMipmappedArray(&levels, &f, make_cudaExtent(8, 8, 0), 0));
  TELL(cudaMallocMipmappedArray(&levels, &f, make_cudaExtent(8, 8, 0), 9));
  cudaArray_t level;
  TELL(cudaGetMipmappedArrayLevel(&level, levels, 0));
  TELL(cudaGetMipmappedArrayLevel(&level, levels, 4));
  TELL(cudaGetMipmappedArrayLevel(&level, nullptr, 0));
  TELL(cudaArrayGetInfo(&f, &extent, &flags, nullptr));
  TELL(cudaArrayGetInfo(nullptr, nullptr, nullptr, array));
  TELL(cudaArrayGetPlane(&level, array, 0));
  TELL(cudaArrayGetPlane(&level, array, 3));
  cudaArraySparseProperties sparse;
  cudaArrayMemoryRequirements needs;
  TELL(cudaArrayGetSparseProperties(&sparse, array));
  TELL(cudaArrayGetMemoryRequirements(&needs, array, 0));
  TELL(cudaMemcpy2DToArray(array, 0, 0, p, 32, 33, 8, cudaMemcpyDeviceToDevice));
  TELL(cudaMemcpy2DToArray(array, 4, 0, p, 32, 32, 8, cudaMemcpyDeviceToDevice));
  TELL(cudaMemcpy2DToArray(array, 0, 1, p, 32, 32, 8, cudaMemcpyDeviceToDevice));
  TELL(cudaMemcpy2DToArray(array, 0, 0, p, 16, 32, 8, cudaMemcpyDeviceToDevice));
  TELL(cudaMemcpy2DToArray(nullptr, 0, 0, p, 32, 32, 8, cudaMemcpyDeviceToDevice));
  TELL(cudaMemcpy2DFromArray(p, 32, array, 0, 0, 32, 9, cudaMemcpyDeviceToDevice));
  TELL(cudaMemcpy2DFromArray(p, 32, array, 0, 0, 32, 8, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms copy = {};
  TELL(cudaMemcpy3D(nullptr));
  TELL(cudaMemcpy3D(&copy));
  copy.srcArray = array;
  copy.dstArray = layered;
  copy.extent = make_cudaExtent(8, 8, 1);
  copy.kind = cudaMemcpyDeviceToDevice;
  TELL(cudaMemcpy3D(&copy));
  copy.dstPos.z = 3;
  TELL(cudaMemcpy3D(&copy));
  copy.dstPos.z = 0;
  copy.dstPtr = make_cudaPitchedPtr(p, 32, 8, 8);
  TELL(cudaMemcpy3D(&copy));
  TELL(cudaFreeArray(nullptr));
  TELL(cudaFreeMipmappedArray(nullptr));
}

static void
textures(int *p) {
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>();
  cudaTextureObject_t object;
  cudaSurfaceObject_t surface;
  cudaResourceDesc r = {};
  cudaTextureDesc t = {};
  TELL(cudaMallocArray(&array, &i, 8, 8));
  TELL(cudaCreateTextureObject(&object, nullptr, &t, nullptr));
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.resType = (cudaResourceType)9;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  TELL(cudaCreateTextureObject(nullptr, &r, &t, nullptr));
  TELL(cudaCreateTextureObject(&object, &r, nullptr, nullptr));
  t.filterMode = cudaFilterModeLinear;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  t.filterMode = cudaFilterModePoint;
  t.readMode = cudaReadModeNormalizedFloat;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  t.readMode = cudaReadModeElementType;
  t.addressMode[0] = (cudaTextureAddressMode)8;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  t.addressMode[0] = cudaAddressModeWrap;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  t.addressMode[0] = cudaAddressModeClamp;
  t.maxAnisotropy = 99;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  t.maxAnisotropy = 0;
  cudaResourceViewDesc view = {};
  TELL(cudaCreateTextureObject(&object, &r, &t, &view));
  view.format = cudaResViewFormatFloat4;
  TELL(cudaCreateTextureObject(&object, &r, &t, &view));
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p;
  r.res.linear.desc = f;
  r.res.linear.sizeInBytes = 0;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.res.linear.sizeInBytes = 64;
  r.res.linear.devPtr = (char *)p + 4;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.res.linear.devPtr = nullptr;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.res.linear.devPtr = p;
  r.res.linear.sizeInBytes = (size_t)1 << 40;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.res.linear.sizeInBytes = 64;
  TELL(cudaCreateTextureObject(&object, &r, &t, &view));
  r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = p;
  r.res.pitch2D.desc = f;
  r.res.pitch2D.width = 8;
  r.res.pitch2D.height = 8;
  r.res.pitch2D.pitchInBytes = 36;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.res.pitch2D.pitchInBytes = 16;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  r.res.pitch2D.pitchInBytes = 32;
  r.res.pitch2D.width = 0;
  TELL(cudaCreateTextureObject(&object, &r, &t, nullptr));
  TELL(cudaDestroyTextureObject(0));
  TELL(cudaGetTextureObjectResourceDesc(&r, 0));
  TELL(cudaGetTextureObjectTextureDesc(&t, 0));
  r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  TELL(cudaCreateSurfaceObject(&surface, &r));
  TELL(cudaCreateSurfaceObject(nullptr, &r));
  TELL(cudaCreateSurfaceObject(&surface, nullptr));
  r.res.array.array = nullptr;
  TELL(cudaCreateSurfaceObject(&surface, &r));
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p;
  TELL(cudaCreateSurfaceObject(&surface, &r));
  TELL(cudaDestroySurfaceObject(0));
  TELL(cudaGetSurfaceObjectResourceDesc(&r, 0));
  size_t n = 0;
  TELL(cudaDeviceGetTexture1DLinearMaxWidth(&n, nullptr, 0));
  TELL(cudaDeviceGetTexture1DLinearMaxWidth(&n, &f, 8));
}

static void
libraries() {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel;
  void *address;
  size_t bytes;
  unsigned n = 0;
  static const char empty[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry none() { ret; }\n";
  static const char wrong[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry none() { rat; }\n";
  TELL(cudaLibraryLoadData(nullptr, empty, 0, 0, 0, 0, 0, 0));
  TELL(cudaLibraryLoadData(&library, nullptr, 0, 0, 0, 0, 0, 0));
  TELL(cudaLibraryLoadData(&library, wrong, 0, 0, 0, 0, 0, 0));
  TELL(cudaLibraryLoadFromFile(&library, "/no-such-file", 0, 0, 0, 0, 0, 0));
  TELL(cudaLibraryLoadFromFile(&library, nullptr, 0, 0, 0, 0, 0, 0));
  TELL(cudaLibraryLoadData(&library, empty, 0, 0, 0, 0, 0, 0));
  TELL(cudaLibraryGetKernel(&kernel, library, "other"));
  TELL(cudaLibraryGetKernel(&kernel, library, nullptr));
  TELL(cudaLibraryGetKernel(nullptr, library, "none"));
  TELL(cudaLibraryGetKernel(&kernel, nullptr, "none"));
  TELL(cudaLibraryGetKernel(&kernel, library, "none"));
  TELL(cudaLibraryGetGlobal(&address, &bytes, library, "none"));
  TELL(cudaLibraryGetGlobal(&address, &bytes, library, nullptr));
  TELL(cudaLibraryGetManaged(&address, &bytes, library, "none"));
  TELL(cudaLibraryGetUnifiedFunction(&address, library, "none"));
  TELL(cudaLibraryGetKernelCount(&n, nullptr));
  TELL(cudaLibraryGetKernelCount(nullptr, library));
  TELL(cudaLibraryEnumerateKernels(nullptr, 1, library));
  TELL(cudaLibraryEnumerateKernels(&kernel, 0, library));
  TELL(cudaKernelSetAttributeForDevice(kernel, (cudaFuncAttribute)99, 1, 0));
  TELL(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20,
                                       0));
  TELL(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64, 4));
  TELL(cudaLibraryUnload(nullptr));
  TELL(cudaLibraryUnload(library));
}

static void
processes(int *p) {
  cudaIpcMemHandle_t memory = {};
  cudaIpcEventHandle_t event = {};
  cudaEvent_t timed, shared;
  void *q = nullptr, *managed;
  int host = 0;
  TELL(cudaIpcGetMemHandle(&memory, nullptr));
  TELL(cudaIpcGetMemHandle(&memory, &host));
  TELL(cudaMallocManaged(&managed, 64));
  TELL(cudaIpcGetMemHandle(&memory, managed));
  TELL(cudaIpcOpenMemHandle(&q, memory, cudaIpcMemLazyEnablePeerAccess));
  TELL(cudaIpcGetMemHandle(&memory, p));
  TELL(cudaIpcOpenMemHandle(&q, memory, 0));
  TELL(cudaIpcOpenMemHandle(&q, memory, cudaIpcMemLazyEnablePeerAccess));
  TELL(cudaIpcOpenMemHandle(nullptr, memory, cudaIpcMemLazyEnablePeerAccess));
  TELL(cudaIpcCloseMemHandle(nullptr));
  TELL(cudaIpcCloseMemHandle(p));
  TELL(cudaEventCreate(&timed));
  TELL(cudaIpcGetEventHandle(&event, timed));
  TELL(cudaIpcGetEventHandle(&event, nullptr));
  TELL(cudaEventCreateWithFlags(&shared, cudaEventInterprocess));
  TELL(cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming));
  TELL(cudaIpcOpenEventHandle(nullptr, event));
  TELL(cudaIpcOpenEventHandle(&timed, event));
}

static void
others(int *p) {
  cudaUserObject_t object = nullptr;
  cudaGraph_t graph;
  cudaStream_t stream;
  cudaStreamAttrValue value = {};
  TELL(cudaGraphCreate(&graph, 0));
  TELL(cudaStreamCreate(&stream));
  TELL(cudaUserObjectCreate(&object, nullptr, none, 0, cudaUserObjectNoDestructorSync));
  TELL(cudaUserObjectCreate(&object, nullptr, none, 1, 0));
  TELL(cudaUserObjectCreate(&object, nullptr, nullptr, 1, cudaUserObjectNoDestructorSync));
  TELL(cudaUserObjectCreate(nullptr, nullptr, none, 1, cudaUserObjectNoDestructorSync));
  TELL(cudaUserObjectCreate(&object, nullptr, none, 1, cudaUserObjectNoDestructorSync));
  TELL(cudaUserObjectRetain(object, 0));
  TELL(cudaUserObjectRetain(nullptr, 1));
  TELL(cudaUserObjectRelease(object, 0));
  TELL(cudaGraphRetainUserObject(graph, object, 0, 0));
  TELL(cudaGraphRetainUserObject(graph, object, 1, 9));
  TELL(cudaGraphRetainUserObject(nullptr, object, 1, 0));
  TELL(cudaGraphReleaseUserObject(graph, object, 1));
  TELL(cudaStreamGetAttribute(stream, (cudaStreamAttrID)99, &value));
  TELL(cudaStreamSetAttribute(stream, (cudaStreamAttrID)99, &value));
  TELL(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
  value.syncPolicy = (cudaSynchronizationPolicy)9;
  TELL(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
  TELL(cudaStreamCopyAttributes(stream, nullptr));
  int priority = 0;
  unsigned flags = 0;
  unsigned long long id = 0;
  TELL(cudaStreamGetPriority(stream, nullptr));
  TELL(cudaStreamGetFlags(stream, nullptr));
  TELL(cudaStreamGetId(stream, nullptr));
  TELL(cudaStreamGetId(nullptr, &id));
  TELL(cudaStreamCreateWithPriority(&stream, 0, 100));
  TELL(cudaStreamGetPriority(stream, &priority));
  printf("priority %d\n", priority);
  TELL(cudaStreamCreateWithPriority(&stream, 9, 0));
  TELL(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachSingle));
  TELL(cudaStreamAttachMemAsync(stream, nullptr, 0, cudaMemAttachSingle));
  cudaStreamCaptureStatus status;
  TELL(cudaStreamIsCapturing(stream, nullptr));
  TELL(cudaStreamIsCapturing(stream, &status));
  TELL(cudaStreamGetCaptureInfo(stream, nullptr));
  TELL(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, 0));
  TELL(cudaStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  TELL(cudaGetDriverEntryPoint("cuNothing", &function, 0, &found));
  printf("found %d, null %d\n", found, function == nullptr);
  TELL(cudaGetDriverEntryPointByVersion("cuMemPoolCreate", &function, 11010, 0, &found));
  printf("found %d, null %d\n", found, function == nullptr);
  TELL(cudaGetDriverEntryPoint("cuInit", &function, 77, &found));
}

int
main() {
  int *p;
  cudaMalloc(&p, 4096);
  nodes(p);
  graph_memory(p);
  conditions();
  pools(p);
  arrays(p);
  textures(p);
  libraries();
  processes(p);
  others(p);
  return 0;
}
