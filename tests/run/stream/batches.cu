// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Batches of copies and of prefetches, copies of arrays by bytes and in streams, and between devices.
#include <cstring>

#include "../check.h"

enum {
  WIDTH = 32,
  HEIGHT = 6
};

static float in[HEIGHT][WIDTH], out[HEIGHT][WIDTH];

static void
check_arrays(cudaStream_t stream) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), found;
  cudaArray_t array, other;
  cudaArrayMemoryRequirements needs;
  CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
  CHECK(cudaMallocArray(&other, &format, WIDTH, HEIGHT));
  CHECK(cudaGetChannelDesc(&found, array));
  EXPECT(found.x == 32 && found.f == cudaChannelFormatKindFloat);
  (void)needs;
  CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, in, sizeof in[0], sizeof in[0], HEIGHT,
                                 cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpy2DFromArrayAsync(out, sizeof out[0], array, 0, 0, sizeof out[0], HEIGHT,
                                   cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(memcmp(in, out, sizeof in) == 0);
  memset(out, 0, sizeof out);
  CHECK(cudaMemcpyToArray(other, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyFromArray(out, other, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
  EXPECT(memcmp(in, out, sizeof in) == 0);
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(other));
}

static void
check_copies(cudaStream_t stream) {
  char *device, *pinned;
  CHECK(cudaMalloc(&device, 4096));
  CHECK(cudaMallocHost(&pinned, 4096));
  memset(pinned, 7, 4096);
  const void *from[] = {pinned, pinned + 100};
  void *to[] = {device, device + 1000};
  size_t bytes[] = {50, 60}, first = 0;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CHECK(cudaMemset(device, 1, 4096));
  CHECK(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 1, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(pinned, device, 4096, cudaMemcpyDefault));
  EXPECT(pinned[49] == 7 && pinned[50] == 1 && pinned[1000] == 7 && pinned[1060] == 1);
  CHECK(cudaMemset2DAsync(device, 64, 9, 16, 4, stream));
  CHECK(cudaMemset3DAsync(make_cudaPitchedPtr(device + 2048, 32, 32, 4), 8,
                          make_cudaExtent(8, 2, 2), stream));
  CHECK(cudaMemcpyPeerAsync(pinned, 0, device, 0, 4096, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(pinned[15] == 9 && pinned[16] != 9 && pinned[64 * 3] == 9);
  EXPECT(pinned[2048 + 128 + 32 + 7] == 8 && pinned[2048 + 64] != 8);
  cudaMemcpy3DPeerParms p = {};
  p.srcPtr = make_cudaPitchedPtr(device, 64, 64, 4);
  p.dstPtr = make_cudaPitchedPtr(device + 512, 64, 64, 4);
  p.extent = make_cudaExtent(16, 4, 1);
  CHECK(cudaMemcpy3DPeer(&p));
  CHECK(cudaMemcpy3DPeerAsync(&p, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(pinned, device, 4096, cudaMemcpyDefault));
  EXPECT(pinned[512 + 64 * 3 + 15] == 9);
  cudaMemcpy3DBatchOp box = {};
  box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
  box.src.op.ptr.ptr = device;
  box.src.op.ptr.rowLength = 64;
  box.src.op.ptr.layerHeight = 4;
  box.dst.op.ptr.ptr = pinned;
  box.dst.op.ptr.rowLength = 16;
  box.dst.op.ptr.layerHeight = 4;
  box.extent = make_cudaExtent(16, 4, 1);
  box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  memset(pinned, 0, 4096);
  CHECK(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(pinned[0] == 9 && pinned[63] == 9 && pinned[64] == 0);
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(pinned));
}

static void
check_managed(cudaStream_t stream) {
  char *managed;
  size_t size = 1 << 20, first = 0, sizes[2] = {sizeof(int), sizeof(int)};
  int mostly = -1, place = -1;
  void *answers[2] = {&mostly, &place};
  cudaMemRangeAttribute which[2] = {cudaMemRangeAttributeReadMostly,
                                    cudaMemRangeAttributeLastPrefetchLocation};
  cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMallocManaged(&managed, size));
  CHECK(cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachSingle));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachGlobal));
  CHECK(cudaStreamSynchronize(stream));
  void *ranges[] = {managed};
  CHECK(cudaMemPrefetchBatchAsync(ranges, &size, 1, &gpu, &first, 1, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemRangeGetAttributes(answers, sizes, which, 2, managed, size));
  EXPECT(mostly == 0 && place == 0);
  CHECK(cudaMemDiscardBatchAsync(ranges, &size, 1, 0, stream));
  CHECK(cudaMemDiscardAndPrefetchBatchAsync(ranges, &size, 1, &gpu, &first, 1, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(managed));
}

int
main() {
  cudaStream_t stream;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    in[0][i] = (float)i;
  CHECK(cudaStreamCreate(&stream));
  check_arrays(stream);
  check_copies(stream);
  check_managed(stream);
  return finish("batches");
}
