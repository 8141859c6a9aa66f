// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What calls of the driver's interface return that are wrong: contexts, modules, libraries, the linker, memory, arrays, virtual memory,
// green contexts, streams, launches and graphs.
// nvcc: -lcuda
#include "driver.h"

static void
tell(const char *call, CUresult result) {
  printf("%s: %s\n", call, result_name(result));
}
#define TELL(call) tell(#call, call)

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
static const char text[] =
    HEAD ".visible .global .align 4 .u32 count = 5;\n"
         ".visible .entry store(.param .u64 to, .param .u32 value) {\n"
         "  .reg .b32 %a; .reg .b64 %p;\n"
         "  ld.param.u64 %p, [to]; ld.param.u32 %a, [value]; st.global.u32 [%p], %a; ret;\n"
         "}\n";
static const char wrong[] = HEAD ".visible .entry store() { rat; }\n";
static const char unresolved[] =
    HEAD ".extern .func missing();\n.visible .entry store() { call missing; ret; }\n";
static const char nothing[] =
    "no image at all, but long enough for a header of any kind of file that there is";

static CUcontext context;
static CUmodule module;
static CUfunction function;
static CUdeviceptr memory;

static void
before_init() {
  int n = 0;
  CUdevice device;
  CUcontext none;
  TELL(cuDeviceGetCount(&n));
  TELL(cuDeviceGet(&device, 0));
  TELL(cuCtxGetCurrent(&none));
  TELL(cuMemAlloc(&memory, 64));
  TELL(cuInit(1));
  TELL(cuDriverGetVersion(nullptr));
  TELL(cuInit(0));
}

static void
devices() {
  CUdevice device;
  char name[8];
  int n = 0;
  size_t bytes;
  TELL(cuMemAlloc(&memory, 64));
  TELL(cuModuleLoadData(&module, text));
  TELL(cuDeviceGet(&device, 4));
  TELL(cuDeviceGet(nullptr, 0));
  TELL(cuDeviceGetName(nullptr, 8, 0));
  TELL(cuDeviceGetName(name, 8, 3));
  TELL(cuDeviceTotalMem(nullptr, 0));
  TELL(cuDeviceTotalMem(&bytes, 2));
  TELL(cuDeviceGetAttribute(&n, (CUdevice_attribute)0, 0));
  TELL(cuDeviceGetAttribute(&n, (CUdevice_attribute)9999, 0));
  TELL(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  TELL(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 7));
  TELL(cuDeviceGetByPCIBusId(&device, "nonsense"));
  TELL(cuDeviceGetByPCIBusId(&device, nullptr));
  TELL(cuDevicePrimaryCtxRelease(0));
  TELL(cuDevicePrimaryCtxRetain(nullptr, 0));
  TELL(cuDevicePrimaryCtxRetain(&context, 9));
  TELL(cuDevicePrimaryCtxSetFlags(0, 0xff00));
  TELL(cuDevicePrimaryCtxSetFlags(0, 3));
  unsigned flags;
  TELL(cuDevicePrimaryCtxGetState(0, nullptr, &n));
  TELL(cuDevicePrimaryCtxGetState(0, &flags, nullptr));
  TELL(cuDevicePrimaryCtxGetState(4, &flags, &n));
}

static void
contexts() {
  CUcontext other = nullptr;
  CUdevice device;
  unsigned version = 0, flags = 0;
  int least, greatest;
  size_t limit = 0;
  CUfunc_cache cache;
  unsigned long long id;
  TELL(cuCtxCreate(&context, nullptr, 0x7000, 0));
  TELL(cuCtxCreate(&context, nullptr, 0, 5));
  TELL(cuCtxCreate(nullptr, nullptr, 0, 0));
  TELL(cuCtxPopCurrent(&other));
  TELL(cuCtxGetDevice(&device));
  TELL(cuCtxSynchronize());
  TELL(cuCtxDestroy(nullptr));
  TELL(cuCtxCreate(&context, nullptr, 0, 0));
  TELL(cuCtxPushCurrent(nullptr));
  TELL(cuCtxGetCurrent(nullptr));
  TELL(cuCtxGetDevice(nullptr));
  TELL(cuCtxGetFlags(nullptr));
  TELL(cuCtxGetId(context, nullptr));
  TELL(cuCtxGetId(nullptr, &id));
  TELL(cuCtxGetApiVersion(context, nullptr));
  TELL(cuCtxGetApiVersion(nullptr, &version));
  TELL(cuCtxGetLimit(&limit, (CUlimit)99));
  TELL(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
  TELL(cuCtxSetLimit((CUlimit)99, 1));
  TELL(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t)1 << 40));
  TELL(cuCtxSetLimit(CU_LIMIT_SHMEM_SIZE, 1024));
  TELL(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2));
  TELL(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 500));
  TELL(cuCtxSetCacheConfig((CUfunc_cache)9));
  TELL(cuCtxGetCacheConfig(nullptr));
  TELL(cuCtxGetCacheConfig(&cache));
  TELL(cuCtxGetStreamPriorityRange(nullptr, &greatest));
  TELL(cuCtxGetStreamPriorityRange(&least, &greatest));
  TELL(cuCtxSetFlags(0x7000));
  TELL(cuCtxGetFlags(&flags));
  TELL(cuCtxEnablePeerAccess(context, 0));
  TELL(cuCtxEnablePeerAccess(nullptr, 0));
  TELL(cuCtxDisablePeerAccess(context));
  TELL(cuCtxDetach(nullptr));
}

static void
modules() {
  CUmodule other;
  CUdeviceptr address;
  size_t bytes;
  int n = 0;
  CUmoduleLoadingMode mode;
  TELL(cuModuleLoadData(nullptr, text));
  TELL(cuModuleLoadData(&module, nullptr));
  TELL(cuModuleLoadData(&module, nothing));
  TELL(cuModuleLoadData(&module, wrong));
  TELL(cuModuleLoadData(&module, unresolved));
  TELL(cuModuleLoadData(&module, ""));
  TELL(cuModuleLoadFatBinary(&module, nothing));
  TELL(cuModuleLoad(&module, "/no-such-file"));
  TELL(cuModuleLoad(&module, nullptr));
  TELL(cuModuleLoadDataEx(&module, text, 1, nullptr, nullptr));
  TELL(cuModuleLoadData(&module, text));
  TELL(cuModuleGetFunction(&function, module, "other"));
  TELL(cuModuleGetFunction(&function, module, nullptr));
  TELL(cuModuleGetFunction(nullptr, module, "store"));
  TELL(cuModuleGetFunction(&function, nullptr, "store"));
  TELL(cuModuleGetFunction(&function, module, "store"));
  TELL(cuModuleGetGlobal(&address, &bytes, module, "other"));
  TELL(cuModuleGetGlobal(&address, &bytes, module, nullptr));
  TELL(cuModuleGetGlobal(nullptr, nullptr, module, "count"));
  TELL(cuModuleGetGlobal(&address, nullptr, module, "count"));
  TELL(cuModuleGetLoadingMode(&mode));
  unsigned count;
  TELL(cuModuleGetFunctionCount(nullptr, module));
  TELL(cuModuleGetFunctionCount(&count, nullptr));
  TELL(cuModuleUnload(nullptr));
  TELL(cuFuncGetAttribute(&n, (CUfunction_attribute)99, function));
  TELL(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  TELL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
  TELL(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 8));
  TELL(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
  TELL(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
  TELL(cuFuncSetCacheConfig(function, (CUfunc_cache)9));
  TELL(cuFuncSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1));
  TELL(cuFuncGetModule(nullptr, function));
  TELL(cuFuncGetModule(&other, nullptr));
  const char *name;
  TELL(cuFuncGetName(nullptr, function));
  TELL(cuFuncGetName(&name, nullptr));
  size_t offset, size;
  TELL(cuFuncGetParamInfo(function, 0, nullptr, &size));
  TELL(cuFuncGetParamInfo(function, 2, &offset, &size));
  TELL(cuFuncGetParamInfo(function, 1, &offset, nullptr));
}

static void
libraries() {
  CUlibrary library;
  CUkernel kernel;
  CUdeviceptr address;
  CUmodule other;
  size_t bytes;
  void *unified;
  int n;
  TELL(cuLibraryLoadData(nullptr, text, 0, 0, 0, 0, 0, 0));
  TELL(cuLibraryLoadData(&library, nullptr, 0, 0, 0, 0, 0, 0));
  TELL(cuLibraryLoadData(&library, wrong, 0, 0, 0, 0, 0, 0));
  TELL(cuLibraryLoadFromFile(&library, "/no-such-file", 0, 0, 0, 0, 0, 0));
  TELL(cuLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0));
  TELL(cuLibraryGetKernel(&kernel, library, "other"));
  TELL(cuLibraryGetKernel(&kernel, library, nullptr));
  TELL(cuLibraryGetKernel(&kernel, library, "store"));
  TELL(cuLibraryGetModule(&other, nullptr));
  TELL(cuLibraryGetModule(nullptr, library));
  TELL(cuLibraryGetGlobal(&address, &bytes, library, "other"));
  TELL(cuLibraryGetManaged(&address, &bytes, library, "count"));
  TELL(cuLibraryGetUnifiedFunction(&unified, library, "store"));
  TELL(cuKernelGetFunction(nullptr, kernel));
  TELL(cuKernelGetFunction(&function, nullptr));
  TELL(cuKernelGetAttribute(&n, (CUfunction_attribute)99, kernel, 0));
  TELL(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 8));
  TELL(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 8, kernel, 0));
  TELL(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20, kernel, 0));
  TELL(cuKernelSetCacheConfig(kernel, (CUfunc_cache)9, 0));
  TELL(cuKernelGetParamInfo(kernel, 9, &bytes, &bytes));
  TELL(cuKernelGetLibrary(nullptr, kernel));
  TELL(cuLibraryUnload(nullptr));
}

static void
linker() {
  CUlinkState state;
  void *image;
  size_t bytes;
  TELL(cuLinkCreate(0, nullptr, nullptr, nullptr));
  TELL(cuLinkCreate(1, nullptr, nullptr, &state));
  TELL(cuLinkCreate(0, nullptr, nullptr, &state));
  TELL(cuLinkAddData(state, (CUjitInputType)99, (void *)text, sizeof text, "name", 0, nullptr,
                     nullptr));
  TELL(cuLinkAddData(state, CU_JIT_INPUT_PTX, nullptr, 10, "name", 0, nullptr, nullptr));
  TELL(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)text, 0, "name", 0, nullptr, nullptr));
  TELL(cuLinkAddData(nullptr, CU_JIT_INPUT_PTX, (void *)text, sizeof text, "name", 0, nullptr,
                     nullptr));
  TELL(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/no-such-file", 0, nullptr, nullptr));
  TELL(cuLinkAddFile(state, CU_JIT_INPUT_PTX, nullptr, 0, nullptr, nullptr));
  TELL(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, (void *)nothing, sizeof nothing, "name", 0, nullptr,
                     nullptr));
  TELL(cuLinkComplete(state, nullptr, &bytes));
  TELL(cuLinkComplete(nullptr, &image, &bytes));
  TELL(cuLinkDestroy(state));
  TELL(cuLinkDestroy(nullptr));
}

static void
memories() {
  CUdeviceptr address = 0, base;
  size_t bytes, pitch;
  char host[256] = {};
  void *q;
  TELL(cuMemAlloc(nullptr, 64));
  TELL(cuMemAlloc(&address, 0));
  TELL(cuMemAlloc(&address, (size_t)1 << 50));
  TELL(cuMemAlloc(&memory, 4096));
  TELL(cuMemAllocPitch(&address, &pitch, 64, 4, 3));
  TELL(cuMemAllocPitch(&address, &pitch, 0, 4, 4));
  TELL(cuMemAllocPitch(&address, nullptr, 64, 4, 4));
  TELL(cuMemAllocManaged(&address, 64, 0));
  TELL(cuMemAllocManaged(&address, 64, CU_MEM_ATTACH_SINGLE));
  TELL(cuMemAllocManaged(&address, 0, CU_MEM_ATTACH_GLOBAL));
  TELL(cuMemAllocHost(&q, 0));
  TELL(cuMemAllocHost(nullptr, 64));
  TELL(cuMemHostAlloc(&q, 64, 0x100));
  TELL(cuMemFree(0));
  TELL(cuMemFree(memory + 4));
  TELL(cuMemFree((CUdeviceptr)host));
  TELL(cuMemFreeHost(host));
  TELL(cuMemFreeHost(nullptr));
  TELL(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)host));
  TELL(cuMemGetAddressRange(nullptr, nullptr, memory));
  TELL(cuMemGetAddressRange(&base, &bytes, memory + 5000000));
  TELL(cuMemHostGetDevicePointer(&address, host, 0));
  TELL(cuMemHostGetFlags((unsigned *)host, host));
  TELL(cuMemHostRegister(host, 0, 0));
  TELL(cuMemHostRegister(nullptr, 64, 0));
  TELL(cuMemHostRegister(host, 64, 0x800));
  TELL(cuMemHostUnregister(host));
  TELL(cuMemcpyHtoD(memory, nullptr, 4));
  TELL(cuMemcpyHtoD(0, host, 4));
  TELL(cuMemcpyHtoD(0, host, 0));
  TELL(cuMemcpyDtoH(host, (CUdeviceptr)0x1000, 4));
  TELL(cuMemcpyHtoD(memory, host, 8192));
  TELL(cuMemcpyDtoD(memory, 0, 4));
  TELL(cuMemcpy(memory, (CUdeviceptr)host, 64));
  TELL(cuMemcpyPeer(memory, nullptr, memory + 64, context, 64));
  CUDA_MEMCPY2D two = {};
  TELL(cuMemcpy2D(nullptr));
  TELL(cuMemcpy2D(&two));
  two.srcMemoryType = CU_MEMORYTYPE_HOST;
  two.srcHost = host;
  two.srcPitch = 8;
  two.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  two.dstDevice = memory;
  two.dstPitch = 16;
  two.WidthInBytes = 16;
  two.Height = 2;
  TELL(cuMemcpy2D(&two));
  two.srcPitch = 16;
  TELL(cuMemcpy2D(&two));
  two.srcMemoryType = (CUmemorytype)9;
  TELL(cuMemcpy2D(&two));
  CUDA_MEMCPY3D three = {};
  TELL(cuMemcpy3D(nullptr));
  TELL(cuMemcpy3D(&three));
  TELL(cuMemsetD32(memory + 2, 0, 4));
  TELL(cuMemsetD16(memory + 1, 0, 4));
  TELL(cuMemsetD8(0, 0, 4));
  TELL(cuMemsetD8(memory, 0, 5000000));
  TELL(cuMemsetD2D32(memory, 4, 0, 4, 2));
  TELL(cuMemsetD2D8(memory, 4, 0, 8, 2));
  int n = 0;
  TELL(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
  TELL(cuPointerGetAttribute(&n, (CUpointer_attribute)99, memory));
  TELL(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  TELL(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
  TELL(cuPointerSetAttribute(&n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  TELL(cuPointerSetAttribute(&n, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)host));
  TELL(cuMemAdvise(memory, 64, CU_MEM_ADVISE_SET_READ_MOSTLY,
                   CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, {0}}));
  TELL(cuMemGetInfo(nullptr, &bytes));
}

static void
arrays() {
  CUarray array;
  CUmipmappedArray levels;
  CUDA_ARRAY_DESCRIPTOR a = {};
  CUDA_ARRAY3D_DESCRIPTOR b = {};
  TELL(cuArrayCreate(nullptr, &a));
  TELL(cuArrayCreate(&array, nullptr));
  TELL(cuArrayCreate(&array, &a));
  a.Format = CU_AD_FORMAT_FLOAT;
  a.Width = 8;
  a.NumChannels = 3;
  TELL(cuArrayCreate(&array, &a));
  a.NumChannels = 1;
  a.Format = (CUarray_format)0x77;
  TELL(cuArrayCreate(&array, &a));
  a.Format = CU_AD_FORMAT_FLOAT;
  TELL(cuArrayCreate(&array, &a));
  TELL(cuArrayGetDescriptor(nullptr, array));
  TELL(cuArrayGetDescriptor(&a, nullptr));
  TELL(cuArray3DGetDescriptor(&b, nullptr));
  b.Width = 8;
  b.Height = 4;
  b.Depth = 6;
  b.NumChannels = 1;
  b.Format = CU_AD_FORMAT_FLOAT;
  b.Flags = CUDA_ARRAY3D_CUBEMAP;
  TELL(cuArray3DCreate(&array, &b));
  b.Flags = 0x10000;
  TELL(cuArray3DCreate(&array, &b));
  b.Flags = 0;
  TELL(cuMipmappedArrayCreate(&levels, &b, 0));
  TELL(cuMipmappedArrayCreate(&levels, &b, 50));
  TELL(cuMipmappedArrayGetLevel(&array, levels, 9));
  TELL(cuMipmappedArrayDestroy(nullptr));
  TELL(cuArrayDestroy(nullptr));
  CUtexObject texture;
  CUsurfObject surface;
  CUDA_RESOURCE_DESC r = {};
  CUDA_TEXTURE_DESC t = {};
  TELL(cuTexObjectCreate(&texture, nullptr, &t, nullptr));
  TELL(cuTexObjectCreate(&texture, &r, &t, nullptr));
  r.resType = CU_RESOURCE_TYPE_LINEAR;
  r.res.linear.devPtr = memory + 4;
  r.res.linear.format = CU_AD_FORMAT_FLOAT;
  r.res.linear.numChannels = 1;
  r.res.linear.sizeInBytes = 64;
  TELL(cuTexObjectCreate(&texture, &r, &t, nullptr));
  r.res.linear.devPtr = memory;
  r.flags = 1;
  TELL(cuTexObjectCreate(&texture, &r, &t, nullptr));
  r.flags = 0;
  t.flags = 0x100;
  TELL(cuTexObjectCreate(&texture, &r, &t, nullptr));
  t.flags = 0;
  TELL(cuTexObjectCreate(&texture, &r, nullptr, nullptr));
  TELL(cuSurfObjectCreate(&surface, &r));
  TELL(cuTexObjectDestroy(0));
  TELL(cuSurfObjectDestroy(0));
}

static void
virtual_memory() {
  CUdeviceptr address;
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp p = {};
  CUmemAccessDesc access = {};
  size_t unit = 0;
  int descriptor;
  TELL(cuMemGetAllocationGranularity(nullptr, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  TELL(cuMemGetAllocationGranularity(&unit, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  TELL(cuMemGetAllocationGranularity(&unit, &p, (CUmemAllocationGranularity_flags)7));
  TELL(cuMemGetAllocationGranularity(&unit, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  TELL(cuMemAddressReserve(&address, 0, 0, 0, 0));
  TELL(cuMemAddressReserve(&address, 4096, 0, 0, 0));
  TELL(cuMemAddressReserve(nullptr, unit, 0, 0, 0));
  TELL(cuMemAddressReserve(&address, unit, 3, 0, 0));
  TELL(cuMemAddressReserve(&address, unit, 0, 0, 1));
  TELL(cuMemAddressReserve(&address, 2 * unit, 0, 0, 0));
  TELL(cuMemCreate(&handle, 4096, &p, 0));
  TELL(cuMemCreate(&handle, unit, &p, 5));
  TELL(cuMemCreate(&handle, 0, &p, 0));
  TELL(cuMemCreate(&handle, unit, nullptr, 0));
  TELL(cuMemCreate(&handle, unit, &p, 0));
  TELL(cuMemMap(address + 4096, unit, 0, handle, 0));
  TELL(cuMemMap(address, unit, 4096, handle, 0));
  TELL(cuMemMap(address, 2 * unit, 0, handle, 0));
  TELL(cuMemMap(address, unit, 0, handle, 1));
  TELL(cuMemMap(memory, unit, 0, handle, 0));
  TELL(cuMemSetAccess(address, unit, &access, 1));
  TELL(cuMemMap(address, unit, 0, handle, 0));
  TELL(cuMemMap(address, unit, 0, handle, 0));
  TELL(cuMemsetD8(address, 0, 16));
  TELL(cuMemSetAccess(address, unit, nullptr, 1));
  TELL(cuMemSetAccess(address, unit, &access, 0));
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = 4;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  TELL(cuMemSetAccess(address, unit, &access, 1));
  access.location.id = 0;
  TELL(cuMemSetAccess(address, 2 * unit, &access, 1));
  TELL(cuMemSetAccess(address, unit, &access, 1));
  unsigned long long flags;
  TELL(cuMemGetAccess(&flags, nullptr, address));
  TELL(cuMemGetAccess(&flags, &access.location, memory));
  TELL(cuMemGetAccess(&flags, &access.location, address + unit));
  TELL(cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                    0));
  TELL(cuMemExportToShareableHandle(&descriptor, handle, (CUmemAllocationHandleType)0, 0));
  TELL(cuMemImportFromShareableHandle(&handle, (void *)(long)-1,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  TELL(cuMemGetAllocationPropertiesFromHandle(nullptr, handle));
  TELL(cuMemRetainAllocationHandle(&handle, nullptr));
  TELL(cuMemRetainAllocationHandle(&handle, (void *)memory));
  TELL(cuMemAddressFree(address, 2 * unit));
  TELL(cuMemUnmap(address, 4096));
  TELL(cuMemUnmap(address + unit, unit));
  TELL(cuMemUnmap(address, unit));
  TELL(cuMemUnmap(address, unit));
  TELL(cuMemAddressFree(address, unit));
  TELL(cuMemAddressFree(address, 2 * unit));
  TELL(cuMemRelease(handle));
  TELL(cuMemRelease(0));
}

static void
parts() {
  CUdevResource all = {}, half[2] = {}, rest = {};
  CUdevResourceDesc description;
  CUgreenCtx green;
  CUstream stream;
  CUcontext from;
  unsigned n = 0;
  TELL(cuDeviceGetDevResource(0, nullptr, CU_DEV_RESOURCE_TYPE_SM));
  TELL(cuDeviceGetDevResource(6, &all, CU_DEV_RESOURCE_TYPE_SM));
  TELL(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_INVALID));
  TELL(cuDevSmResourceSplitByCount(half, &n, &all, &rest, 0, 8));
  TELL(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
  TELL(cuDevSmResourceSplitByCount(half, nullptr, &all, &rest, 0, 8));
  n = 1;
  TELL(cuDevSmResourceSplitByCount(half, &n, &all, &rest, 0, 4096));
  n = 1;
  TELL(cuDevSmResourceSplitByCount(half, &n, nullptr, &rest, 0, 8));
  n = 1;
  TELL(cuDevSmResourceSplitByCount(half, &n, &all, &rest, 0x100, 8));
  n = 1;
  TELL(cuDevSmResourceSplitByCount(half, &n, &all, &rest, 0, 8));
  TELL(cuDevResourceGenerateDesc(nullptr, half, 1));
  TELL(cuDevResourceGenerateDesc(&description, nullptr, 1));
  TELL(cuDevResourceGenerateDesc(&description, half, 1));
  TELL(cuGreenCtxCreate(nullptr, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  TELL(cuGreenCtxCreate(&green, description, 0, 0));
  TELL(cuGreenCtxCreate(&green, description, 3, CU_GREEN_CTX_DEFAULT_STREAM));
  TELL(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  TELL(cuCtxFromGreenCtx(nullptr, green));
  TELL(cuCtxFromGreenCtx(&from, nullptr));
  TELL(cuGreenCtxGetDevResource(green, nullptr, CU_DEV_RESOURCE_TYPE_SM));
  TELL(cuGreenCtxGetDevResource(nullptr, &all, CU_DEV_RESOURCE_TYPE_SM));
  TELL(cuGreenCtxStreamCreate(&stream, green, 0, 0));
  TELL(cuGreenCtxStreamCreate(&stream, nullptr, CU_STREAM_NON_BLOCKING, 0));
  TELL(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  TELL(cuStreamGetGreenCtx(stream, nullptr));
  TELL(cuGreenCtxRecordEvent(green, nullptr));
  TELL(cuGreenCtxWaitEvent(nullptr, nullptr));
  TELL(cuGreenCtxDestroy(nullptr));
}

static void
streams() {
  CUstream stream = nullptr;
  CUevent event, untimed;
  CUcontext of;
  float ms;
  TELL(cuStreamCreate(nullptr, 0));
  TELL(cuStreamCreate(&stream, 8));
  TELL(cuStreamCreate(&stream, 0));
  TELL(cuStreamGetCtx(stream, nullptr));
  TELL(cuStreamGetFlags(stream, nullptr));
  TELL(cuStreamDestroy(nullptr));
  TELL(cuEventCreate(nullptr, 0));
  TELL(cuEventCreate(&event, 0x100));
  TELL(cuEventCreate(&event, CU_EVENT_INTERPROCESS));
  TELL(cuEventCreate(&event, 0));
  TELL(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  TELL(cuEventElapsedTime(&ms, event, untimed));
  TELL(cuEventElapsedTime(&ms, event, event));
  TELL(cuEventRecord(nullptr, stream));
  TELL(cuEventQuery(nullptr));
  TELL(cuEventSynchronize(nullptr));
  TELL(cuEventDestroy(nullptr));
  TELL(cuStreamWaitEvent(stream, nullptr, 0));
  TELL(cuStreamWaitEvent(stream, event, 8));
  TELL(cuStreamAddCallback(stream, nullptr, nullptr, 0));
  TELL(cuLaunchHostFunc(stream, nullptr, nullptr));
  TELL(cuStreamWaitValue32(stream, memory + 1, 1, CU_STREAM_WAIT_VALUE_GEQ));
  TELL(cuStreamWriteValue32(stream, memory + 1, 1, 0));
  TELL(cuStreamWriteValue32(stream, 0, 1, 0));
  TELL(cuStreamWriteValue64(stream, memory + 4, 1, 0));
  TELL(cuStreamWaitValue32(stream, memory, 0, 0x40));
  CUstreamBatchMemOpParams op = {};
  op.operation = (CUstreamBatchMemOpType)77;
  TELL(cuStreamBatchMemOp(stream, 1, &op, 0));
  TELL(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL));
  TELL(cuStreamBeginCapture(stream, (CUstreamCaptureMode)9));
  TELL(cuStreamEndCapture(stream, nullptr));
  TELL(cuStreamGetPriority(stream, nullptr));
  TELL(cuStreamGetCtx(nullptr, &of));
}

static void
launches() {
  CUstream stream = nullptr;
  unsigned value = 7;
  void *arguments[] = {&memory, &value};
  TELL(cuModuleGetFunction(&function, module, "store"));
  TELL(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  TELL(cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  TELL(cuLaunchKernel(function, 1, 1, 1, 1, 0, 1, 0, stream, arguments, nullptr));
  TELL(cuLaunchKernel(function, 1, 1, 1, 1025, 1, 1, 0, stream, arguments, nullptr));
  TELL(cuLaunchKernel(function, 1, 65536, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  TELL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 1 << 20, stream, arguments, nullptr));
  TELL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  size_t bytes = 4;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  TELL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, extra));
  TELL(cuLaunchCooperativeKernel(function, 1 << 20, 1, 1, 1024, 1, 1, 0, stream, arguments));
  TELL(cuLaunchKernelEx(nullptr, function, arguments, nullptr));
  CUlaunchConfig config = {};
  TELL(cuLaunchKernelEx(&config, function, arguments, nullptr));
  TELL(cuFuncSetBlockShape(function, 0, 1, 1));
  TELL(cuFuncSetBlockShape(function, 2048, 1, 1));
  TELL(cuFuncSetSharedSize(function, 1 << 20));
  TELL(cuParamSetSize(function, 100000));
  TELL(cuParamSeti(function, 100000, 1));
  TELL(cuLaunch(nullptr));
  TELL(cuLaunchGrid(function, 0, 1));
  int n = 0;
  TELL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, nullptr, 32, 0));
  TELL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, function, 0, 0));
  TELL(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, function, 32, 0));
  TELL(cuOccupancyMaxPotentialBlockSize(nullptr, &n, function, nullptr, 0, 0));
  TELL(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 0, 32));
  TELL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, function, 32, 0, 0x100));
}

static void
graphs() {
  CUgraph graph, other;
  CUgraphNode node, second;
  CUgraphExec exec;
  TELL(cuGraphCreate(&graph, 1));
  TELL(cuGraphCreate(nullptr, 0));
  TELL(cuGraphCreate(&graph, 0));
  CUDA_KERNEL_NODE_PARAMS k = {};
  TELL(cuGraphAddKernelNode(&node, graph, nullptr, 0, nullptr));
  TELL(cuGraphAddKernelNode(&node, graph, nullptr, 0, &k));
  k.func = function;
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  TELL(cuGraphAddKernelNode(&node, graph, nullptr, 0, &k));
  k.gridDimX = 0;
  TELL(cuGraphAddKernelNode(&node, graph, nullptr, 0, &k));
  CUDA_MEMCPY3D c = {};
  TELL(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &c, nullptr));
  TELL(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &c, context));
  CUDA_MEMSET_NODE_PARAMS m = {};
  TELL(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &m, context));
  m.dst = memory;
  m.elementSize = 4;
  m.width = m.height = 1;
  TELL(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &m, nullptr));
  TELL(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &m, context));
  CUDA_BATCH_MEM_OP_NODE_PARAMS b = {};
  TELL(cuGraphAddBatchMemOpNode(&second, graph, nullptr, 0, &b));
  b.ctx = context;
  TELL(cuGraphAddBatchMemOpNode(&second, graph, nullptr, 0, &b));
  CUgraphNodeType type;
  TELL(cuGraphNodeGetType(nullptr, &type));
  TELL(cuGraphInstantiate(&exec, nullptr, 0));
  TELL(cuGraphInstantiate(&exec, graph, 0x100));
  TELL(cuGraphLaunch(nullptr, nullptr));
  TELL(cuGraphClone(&other, nullptr));
  TELL(cuGraphDestroyNode(nullptr));
  TELL(cuGraphExecDestroy(nullptr));
  TELL(cuGraphDestroy(nullptr));
}

static void
others() {
  void *p;
  CUdriverProcAddressQueryResult found;
  const char *name = "before";
  TELL(cuGetErrorName((CUresult)12345, &name));
  printf("name %s\n", name ? name : "null");
  TELL(cuGetErrorString((CUresult)12345, &name));
  TELL(cuGetProcAddress("cuNothing", &p, 13000, 0, &found));
  printf("found %d\n", found);
  TELL(cuGetProcAddress("cuMemPoolCreate", &p, 11000, 0, &found));
  printf("found %d\n", found);
  TELL(cuGetProcAddress("cuMemPoolCreate", &p, 11000, 0, nullptr));
  int n;
  TELL(cuDeviceCanAccessPeer(&n, 0, 5));
  TELL(cuDeviceCanAccessPeer(nullptr, 0, 0));
  TELL(cuDeviceGetP2PAttribute(&n, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
  CUmemoryPool pool;
  CUmemPoolProps props = {};
  TELL(cuMemPoolCreate(&pool, &props));
  TELL(cuMemPoolDestroy(nullptr));
  TELL(cuMemAllocAsync(nullptr, 64, 0));
  TELL(cuMemFreeAsync(0, 0));
  TELL(cuMemFreeAsync(memory + 4, 0));
  TELL(cuCtxDestroy(context));
  TELL(cuCtxSynchronize());
}

int
main() {
  before_init();
  devices();
  contexts();
  modules();
  libraries();
  linker();
  memories();
  arrays();
  virtual_memory();
  parts();
  streams();
  launches();
  graphs();
  others();
  return 0;
}
