// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions of the runtime that no other program here calls: attributes of buses, logs, notifications, older copies of arrays, nodes that
// allocate, and what a resource view was.
#include <cstring>
#include <unistd.h>

#include "../check.h"

static void
notify(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {
}

static void
log_line(void *, cudaLogLevel, char *, size_t) {
}

__global__ void
nothing() {
}

static void
device() {
  cudaAsyncCallbackHandle_t callback;
  cudaSharedMemConfig banks = cudaSharedMemBankSizeEightByte;
  unsigned capabilities[1] = {99};
  cudaAtomicOperation operation = cudaAtomicOperationIntegerAdd;
  int value = 0;
  CHECK(cudaDeviceRegisterAsyncNotification(0, notify, nullptr, &callback));
  CHECK(cudaDeviceUnregisterAsyncNotification(0, callback));
  CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
  CHECK(cudaDeviceGetSharedMemConfig(&banks));
  EXPECT(banks == cudaSharedMemBankSizeFourByte);
  CHECK(cudaFuncSetSharedMemConfig(nothing, cudaSharedMemBankSizeFourByte));
  CHECK(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                           cudaFlushGPUDirectRDMAWritesToOwner));
  CHECK(cudaDeviceGetHostAtomicCapabilities(capabilities, &operation, 1, 0));
  FAILS(cudaErrorInvalidDevice,
        cudaDeviceGetP2PAtomicCapabilities(capabilities, &operation, 1, 0, 1));
  FAILS(cudaErrorInvalidDevice,
        cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
}

static void
logs() {
  cudaLogsCallbackHandle callback;
  cudaLogIterator at = 0;
  char text[64];
  size_t bytes = sizeof text;
  char path[] = "/tmp/smembank-log-XXXXXX";
  close(mkstemp(path));
  CHECK(cudaLogsRegisterCallback(log_line, nullptr, &callback));
  CHECK(cudaLogsCurrent(&at, 0));
  CHECK(cudaLogsDumpToMemory(&at, text, &bytes, 0));
  CHECK(cudaLogsDumpToFile(nullptr, path, 0));
  CHECK(cudaLogsUnregisterCallback(callback));
  remove(path);
}

static void
arrays() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
  cudaArray_t first, second;
  unsigned host[64], back[64] = {};
  for (unsigned i = 0; i < 64; i++)
    host[i] = 5 * i;
  CHECK(cudaMallocArray(&first, &format, 64));
  CHECK(cudaMallocArray(&second, &format, 64));
  CHECK(cudaMemcpyToArrayAsync(first, 0, 0, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyArrayToArray(second, 0, 0, first, 0, 0, sizeof host));
  CHECK(cudaMemcpyFromArrayAsync(back, second, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  EXPECT(memcmp(host, back, sizeof host) == 0);
  cudaArrayMemoryRequirements needs;
  cudaArraySparseProperties sparse;
  cudaMipmappedArray_t levels;
  CHECK(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(8, 8, 0), 4));
  FAILS(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, first));
  FAILS(cudaErrorInvalidValue, cudaMipmappedArrayGetSparseProperties(&sparse, levels));
  FAILS(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&needs, first, 0));
  FAILS(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(&needs, levels, 0));
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  cudaResourceViewDesc view = {}, got = {};
  cudaTextureObject_t texture;
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  view.format = cudaResViewFormatUnsignedInt1;
  view.width = view.height = 8;
  view.lastMipmapLevel = 2;
  how.maxMipmapLevelClamp = 3;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, &view));
  CHECK(cudaGetTextureObjectResourceViewDesc(&got, texture));
  EXPECT(got.format == cudaResViewFormatUnsignedInt1 && got.lastMipmapLevel == 2);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeMipmappedArray(levels));
  CHECK(cudaFreeArray(first));
  CHECK(cudaFreeArray(second));
}

static void
memory() {
  cudaGraph_t graph;
  cudaGraphNode_t allocate, release;
  cudaMemAllocNodeParams given = {}, got = {};
  void *freed = nullptr;
  cudaMemPool_t pool, was;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  given.poolProps.allocType = cudaMemAllocationTypePinned;
  given.poolProps.location = here;
  given.bytesize = 512;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &given));
  CHECK(cudaGraphAddMemFreeNode(&release, graph, &allocate, 1, given.dptr));
  CHECK(cudaGraphMemAllocNodeGetParams(allocate, &got));
  CHECK(cudaGraphMemFreeNodeGetParams(release, &freed));
  EXPECT(got.bytesize == 512 && got.dptr == given.dptr && freed == given.dptr);
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaDeviceGetMemPool(&was, 0));
  CHECK(cudaMemPoolCreate(&pool, &given.poolProps));
  CHECK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
  CHECK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, was));
  CHECK(cudaMemPoolDestroy(pool));
}

int
main() {
  device();
  logs();
  arrays();
  memory();
  return finish("small-calls");
}
