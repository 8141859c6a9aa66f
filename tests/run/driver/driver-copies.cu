// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies and fills of the driver's interface in streams and between arrays; pools; what is said of memory, streams and functions; and
// functions that a program may call and that change nothing that it sees.
// nvcc: -lcuda
#include "driver.h"

#include <cudaProfiler.h>

#include <stdlib.h>
#include <unistd.h>

static CUcontext context;
static CUmodule module;
static CUfunction count, fill_kernel;
static CUdeviceptr a, b;
static CUstream stream, other;
static unsigned host[64], back[64];

static void
wait_for_stream() {
  CHECK(cuStreamSynchronize(stream));
}

static bool
is_back(unsigned first, unsigned step, unsigned n) {
  bool is = true;
  for (unsigned i = 0; i < n; i++)
    is = is && back[i] == first + step * i;
  memset(back, 0, sizeof back);
  return is;
}

static void
read_back(CUdeviceptr from) {
  wait_for_stream();
  CHECK(cuMemcpyDtoH(back, from, sizeof back));
}

static void
in_streams() {
  CHECK(cuMemcpyHtoDAsync(a, host, sizeof host, stream));
  CHECK(cuMemcpyDtoDAsync(b, a, sizeof host, stream));
  CHECK(cuMemcpyDtoHAsync(back, b, sizeof back, stream));
  wait_for_stream();
  EXPECT(is_back(0, 3, 64));
  CHECK(cuMemcpyAsync(b + 4, a, 128, stream));
  read_back(b);
  EXPECT(back[0] == 0 && back[1] == 0 && back[2] == 3 && back[33] == 99);
  CHECK(cuMemcpyPeerAsync(b, context, a, context, sizeof host, stream));
  read_back(b);
  EXPECT(is_back(0, 3, 64));
  CUdeviceptr to[2] = {b, b + 128}, from[2] = {a + 128, a};
  size_t sizes[2] = {128, 128}, first = 0;
  CUmemcpyAttributes how = {};
  how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  CHECK(cuMemcpyBatchAsync(to, from, sizes, 2, &how, &first, 1, stream));
  read_back(b);
  EXPECT(back[0] == 96 && back[31] == 189 && back[32] == 0 && back[63] == 93);
}

static void
fills() {
  CHECK(cuMemsetD16Async(b, 0x1234, 128, stream));
  read_back(b);
  EXPECT(is_back(0x12341234, 0, 64));
  CHECK(cuMemsetD2D8Async(b, 16, 0xff, 4, 4, stream));
  CHECK(cuMemsetD2D16Async(b + 4, 16, 0xabcd, 2, 4, stream));
  CHECK(cuMemsetD2D32Async(b + 8, 16, 7, 2, 4, stream));
  read_back(b);
  EXPECT(back[0] == 0xffffffff && back[1] == 0xabcdabcd && back[2] == 7 && back[3] == 7);
  EXPECT(back[12] == 0xffffffff && back[15] == 7 && back[16] == 0x12341234);
  CHECK(cuMemsetD2D16(b, 64, 1, 2, 2));
  read_back(b);
  EXPECT(back[0] == 0x10001 && back[16] == 0x10001 && back[1] == 0xabcdabcd);
}

static CUDA_MEMCPY2D
rows_of_a() {
  CUDA_MEMCPY2D two = {};
  two.srcMemoryType = two.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  two.srcDevice = a;
  two.dstDevice = b;
  two.srcPitch = 32;
  two.dstPitch = 16;
  two.WidthInBytes = 16;
  two.Height = 4;
  return two;
}

static void
boxes() {
  CUDA_MEMCPY2D two = rows_of_a();
  CHECK(cuMemsetD8(b, 0, 256));
  CHECK(cuMemcpy2DAsync(&two, stream));
  read_back(b);
  EXPECT(back[0] == 0 && back[3] == 9 && back[4] == 24 && back[15] == 81 && back[16] == 0);
  two.srcY = 1;
  CHECK(cuMemcpy2DUnaligned(&two));
  read_back(b);
  EXPECT(back[0] == 24 && back[15] == 105);
  CUDA_MEMCPY3D three = {};
  three.srcMemoryType = three.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  three.srcDevice = a;
  three.dstDevice = b;
  three.srcPitch = three.dstPitch = 16;
  three.srcHeight = three.dstHeight = 4;
  three.WidthInBytes = 8;
  three.Height = 2;
  three.Depth = 2;
  CHECK(cuMemsetD8(b, 0, 256));
  CHECK(cuMemcpy3DAsync(&three, stream));
  read_back(b);
  EXPECT(back[1] == 3 && back[2] == 0 && back[4] == 12 && back[16] == 48 && back[21] == 63);
  CUDA_MEMCPY3D_PEER peer = {};
  peer.srcMemoryType = peer.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  peer.srcDevice = a;
  peer.dstDevice = b;
  peer.srcContext = peer.dstContext = context;
  peer.srcPitch = peer.dstPitch = 16;
  peer.WidthInBytes = 16;
  peer.Height = 2;
  peer.Depth = 1;
  CHECK(cuMemcpy3DPeer(&peer));
  read_back(b);
  EXPECT(is_back(0, 3, 8));
  peer.srcDevice = a + 64;
  CHECK(cuMemcpy3DPeerAsync(&peer, stream));
  read_back(b);
  EXPECT(is_back(48, 3, 8));
}

static void
batches() {
  CUDA_MEMCPY3D_BATCH_OP op = {};
  op.src.type = op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  op.src.op.ptr.ptr = a;
  op.dst.op.ptr.ptr = b;
  op.src.op.ptr.rowLength = op.dst.op.ptr.rowLength = 16;
  op.extent.width = 8;
  op.extent.height = 2;
  op.extent.depth = 1;
  op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  CHECK(cuMemsetD8(b, 0, 256));
  CHECK(cuMemcpy3DBatchAsync(1, &op, 0, stream));
  read_back(b);
  EXPECT(back[0] == 0 && back[1] == 3 && back[2] == 0 && back[4] == 12 && back[5] == 15);
}

static void
arrays() {
  CUDA_ARRAY_DESCRIPTOR d = {64, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
  CUarray first, second;
  CHECK(cuArrayCreate(&first, &d));
  CHECK(cuArrayCreate(&second, &d));
  CHECK(cuMemcpyHtoA(first, 0, host, sizeof host));
  CHECK(cuMemcpyAtoA(second, 0, first, 128, 128));
  CHECK(cuMemcpyAtoD(b, second, 0, 128));
  read_back(b);
  EXPECT(is_back(96, 3, 32));
  CHECK(cuMemcpyDtoA(second, 4, a, 64));
  CHECK(cuMemcpyAtoHAsync(back, second, 0, 128, stream));
  wait_for_stream();
  EXPECT(back[0] == 96 && back[1] == 0 && back[16] == 45 && back[17] == 147);
  CHECK(cuMemcpyHtoAAsync(second, 0, host, sizeof host, stream));
  CHECK(cuMemcpyAtoHAsync(back, second, 0, sizeof back, stream));
  wait_for_stream();
  EXPECT(is_back(0, 3, 64));
  CUsurfObject surface;
  CUDA_RESOURCE_DESC r = {}, r_got = {};
  CUDA_ARRAY3D_DESCRIPTOR s = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array;
  CHECK(cuArray3DCreate(&array, &s));
  r.resType = CU_RESOURCE_TYPE_ARRAY;
  r.res.array.hArray = array;
  CHECK(cuSurfObjectCreate(&surface, &r));
  CHECK(cuSurfObjectGetResourceDesc(&r_got, surface));
  EXPECT(r_got.resType == CU_RESOURCE_TYPE_ARRAY && r_got.res.array.hArray == array);
  CUtexObject texture;
  CUDA_TEXTURE_DESC t = {};
  CUDA_RESOURCE_VIEW_DESC v = {}, v_got = {};
  v.format = CU_RES_VIEW_FORMAT_UINT_1X32;
  v.width = v.height = 8;
  CHECK(cuTexObjectCreate(&texture, &r, &t, &v));
  CHECK(cuTexObjectGetResourceViewDesc(&v_got, texture));
  EXPECT(v_got.format == CU_RES_VIEW_FORMAT_UINT_1X32 && v_got.width == 8);
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuSurfObjectDestroy(surface));
  size_t width = 0;
  CHECK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 1, 0));
  EXPECT(width > 0);
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  CUDA_ARRAY_SPARSE_PROPERTIES sparse;
  CUmipmappedArray levels;
  CUarray plane;
  CHECK(cuMipmappedArrayCreate(&levels, &s, 3));
  FAILS(INVALID_VALUE, cuArrayGetSparseProperties(&sparse, first));
  FAILS(INVALID_VALUE, cuMipmappedArrayGetSparseProperties(&sparse, levels));
  FAILS(INVALID_VALUE, cuArrayGetMemoryRequirements(&needs, first, 0));
  FAILS(INVALID_VALUE, cuMipmappedArrayGetMemoryRequirements(&needs, levels, 0));
  FAILS(INVALID_VALUE, cuArrayGetPlane(&plane, first, 0));
  CHECK(cuMipmappedArrayDestroy(levels));
  CHECK(cuArrayDestroy(first));
  CHECK(cuArrayDestroy(second));
  CHECK(cuArrayDestroy(array));
}

static void
pools() {
  CUmemPoolProps props = {};
  CUmemoryPool pool, was, standard, opened;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemAccess_flags flags;
  cuuint64_t value = 1 << 20;
  CUdeviceptr p, q;
  int descriptor = -1;
  CUmemPoolPtrExportData data;
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = access.location;
  props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CHECK(cuMemPoolCreate(&pool, &props));
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
  value = 0;
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
  EXPECT(value == 1 << 20);
  CHECK(cuMemPoolSetAccess(pool, &access, 1));
  CHECK(cuMemPoolGetAccess(&flags, pool, &access.location));
  EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK(cuMemAllocFromPoolAsync(&p, 4096, pool, stream));
  CHECK(cuMemcpyHtoDAsync(p, host, sizeof host, stream));
  wait_for_stream();
  CHECK(cuMemPoolExportToShareableHandle(&descriptor, pool,
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CHECK(cuMemPoolExportPointer(&data, p));
  CHECK(cuMemPoolImportFromShareableHandle(&opened, (void *)(long)descriptor,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  close(descriptor);
  if (cuMemPoolImportPointer(&q, opened, &data) == CUDA_SUCCESS)
    CHECK(cuMemFree(q));
  CHECK(cuMemFreeAsync(p, stream));
  wait_for_stream();
  CHECK(cuMemGetDefaultMemPool(&standard, &access.location, CU_MEM_ALLOCATION_TYPE_PINNED));
  CHECK(cuMemGetMemPool(&was, &access.location, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT(was == standard);
  CHECK(cuMemSetMemPool(&access.location, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
  CHECK(cuMemGetMemPool(&was, &access.location, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT(was == pool);
  CHECK(cuMemSetMemPool(&access.location, CU_MEM_ALLOCATION_TYPE_PINNED, standard));
  CHECK(cuMemPoolDestroy(pool));
}

static void
managed() {
  CUdeviceptr m;
  CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  int mostly = 0, last = 0;
  CHECK(cuMemAllocManaged(&m, 1 << 16, CU_MEM_ATTACH_GLOBAL));
  memset((void *)m, 0, 1 << 16);
  CHECK(cuMemAdvise(m, 1 << 16, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
  CHECK(cuMemPrefetchAsync(m, 1 << 16, device, 0, stream));
  wait_for_stream();
  CHECK(cuMemRangeGetAttribute(&mostly, sizeof mostly, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m,
                               1 << 16));
  EXPECT(mostly == 1);
  void *answers[] = {&mostly, &last};
  size_t sizes[] = {sizeof mostly, sizeof last}, first = 0, bytes = 1 << 16;
  CUmem_range_attribute asked[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                   CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
  CHECK(cuMemRangeGetAttributes(answers, sizes, asked, 2, m, 1 << 16));
  EXPECT(mostly == 1 && last == 0);
  CHECK(cuMemAdvise(m, 1 << 16, CU_MEM_ADVISE_UNSET_READ_MOSTLY, device));
  CHECK(cuMemPrefetchBatchAsync(&m, &bytes, 1, &device, &first, 1, 0, stream));
  CHECK(cuMemDiscardBatchAsync(&m, &bytes, 1, 0, stream));
  CHECK(cuMemDiscardAndPrefetchBatchAsync(&m, &bytes, 1, &device, &first, 1, 0, stream));
  wait_for_stream();
  CHECK(cuStreamAttachMemAsync(stream, m, 0, CU_MEM_ATTACH_SINGLE));
  wait_for_stream();
  CHECK(cuMemFree(m));
}

static void
said_of_streams() {
  CUdevice device = 9;
  unsigned long long one = 0, two = 0;
  CUstreamAttrValue value = {};
  CHECK(cuStreamGetDevice(stream, &device));
  EXPECT(device == 0);
  CHECK(cuStreamGetId(stream, &one));
  CHECK(cuStreamGetId(other, &two));
  EXPECT(one != two);
  value.syncPolicy = CU_SYNC_POLICY_SPIN;
  CHECK(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  CHECK(cuStreamCopyAttributes(other, stream));
  value.syncPolicy = CU_SYNC_POLICY_AUTO;
  CHECK(cuStreamGetAttribute(other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  EXPECT(value.syncPolicy == CU_SYNC_POLICY_SPIN);
  CHECK(cuStreamWriteValue64(stream, b, 77, 0));
  CHECK(cuStreamWaitValue64(stream, b, 77, CU_STREAM_WAIT_VALUE_EQ));
  wait_for_stream();
}

static void
said_of_functions() {
  unsigned n = 0;
  CUfunction functions[8];
  CUlibrary library;
  CUkernel kernels[8];
  int blocks = 0, size = 0, clusters = 0;
  CUfunctionLoadingState state;
  CHECK(cuModuleGetFunctionCount(&n, module));
  CHECK(cuModuleEnumerateFunctions(functions, n, module));
  EXPECT(n == 4);
  CHECK(cuFuncLoad(count));
  CHECK(cuFuncIsLoaded(&state, count));
  EXPECT(state == CU_FUNCTION_LOADING_STATE_LOADED);
  CHECK(cuLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0));
  CHECK(cuLibraryGetKernelCount(&n, library));
  CHECK(cuLibraryEnumerateKernels(kernels, n, library));
  EXPECT(n == 4);
  CHECK(cuLibraryUnload(library));
  CHECK(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &size, count, NULL, 0, 0,
                                                  CU_OCCUPANCY_DEFAULT));
  EXPECT(blocks > 0 && size == 1024);
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = 2;
  cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  CUlaunchConfig config = {};
  config.gridDimX = 8;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 64;
  CHECK(cuOccupancyMaxPotentialClusterSize(&size, count, &config));
  EXPECT(size == 8);
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK(cuOccupancyMaxActiveClusters(&clusters, count, &config));
  EXPECT(clusters > 0);
  CHECK(cuFuncSetBlockShape(fill_kernel, 64, 1, 1));
  CHECK(cuParamSetSize(fill_kernel, 8));
  CHECK(cuParamSetv(fill_kernel, 0, &b, 8));
  CHECK(cuLaunchGridAsync(fill_kernel, 1, 1, stream));
  read_back(b);
  EXPECT(is_back(7, 1, 64));
}

static void
processes() {
  CUipcMemHandle memory;
  CUipcEventHandle event_handle;
  CUevent event, opened;
  CUdeviceptr p;
  CHECK(cuIpcGetMemHandle(&memory, a));
  // the process that has it may not open it
  EXPECT(cuIpcOpenMemHandle(&p, memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS);
  EXPECT(cuIpcCloseMemHandle(a) != CUDA_SUCCESS);
  CHECK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  CHECK(cuIpcGetEventHandle(&event_handle, event));
  EXPECT(cuIpcOpenEventHandle(&opened, event_handle) != CUDA_SUCCESS);
  CHECK(cuEventDestroy(event));
}

static void
notify(CUasyncNotificationInfo *, void *, CUasyncCallbackHandle) {
}

static void
log_line(void *, CUlogLevel, char *, size_t) {
}

// What changes nothing that a program sees.
static void
quiet() {
  CUasyncCallbackHandle callback;
  CUlogsCallbackHandle log;
  CUlogIterator at = 0;
  CUsharedconfig banks;
  CUdevprop properties;
  CUcontext same;
  char bus[32], text[64];
  size_t bytes = sizeof text;
  CUdevice device = 7;
  CHECK(cuDeviceRegisterAsyncNotification(0, notify, NULL, &callback));
  CHECK(cuDeviceUnregisterAsyncNotification(0, callback));
  CHECK(cuLogsRegisterCallback(log_line, NULL, &log));
  CHECK(cuLogsCurrent(&at, 0));
  CHECK(cuLogsDumpToMemory(&at, text, &bytes, 0));
  char path[] = "/tmp/smembank-log-XXXXXX";
  close(mkstemp(path));
  CHECK(cuLogsDumpToFile(NULL, path, 0));
  remove(path);
  CHECK(cuLogsUnregisterCallback(log));
  CHECK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  CHECK(cuCtxGetSharedMemConfig(&banks));
  CHECK(cuFuncSetSharedMemConfig(count, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
  CHECK(cuCtxResetPersistingL2Cache());
  CHECK(cuProfilerStart());
  CHECK(cuProfilerStop());
  CHECK(cuDeviceGetProperties(&properties, 0));
  EXPECT(properties.maxThreadsPerBlock == 1024 && properties.SIMDWidth == 32);
  CHECK(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
  CHECK(cuDeviceGetByPCIBusId(&device, bus));
  EXPECT(device == 0);
  CHECK(cuCtxAttach(&same, 0));
  EXPECT(same == context);
  CHECK(cuCtxDetach(same));
  CHECK(cuDevicePrimaryCtxReset(0));
}

int
main() {
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  CHECK(cuModuleLoadData(&module, module_text));
  CHECK(cuModuleGetFunction(&count, module, "count"));
  CHECK(cuModuleGetFunction(&fill_kernel, module, "fill"));
  CHECK(cuMemAlloc(&a, 256));
  CHECK(cuMemAlloc(&b, 256));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamCreate(&other, CU_STREAM_DEFAULT));
  for (unsigned i = 0; i < 64; i++)
    host[i] = 3 * i;
  in_streams();
  fills();
  boxes();
  batches();
  arrays();
  pools();
  managed();
  said_of_streams();
  said_of_functions();
  processes();
  quiet();
  return finish("driver-copies");
}
