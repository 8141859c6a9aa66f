// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies and fills of rows and boxes.
#include <cstring>

#include "../check.h"

enum {
  WIDTH = 100,
  HEIGHT = 7,
  DEPTH = 3
};

__global__ void
increase(unsigned char *p, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height)
    p[y * pitch + x]++;
}

static void
check_rows() {
  static unsigned char in[HEIGHT][WIDTH], out[HEIGHT][WIDTH];
  unsigned char *device;
  size_t pitch = 0;
  for (int i = 0; i < HEIGHT * WIDTH; i++)
    in[0][i] = (unsigned char)(i * 7);
  CHECK(cudaMallocPitch(&device, &pitch, WIDTH, HEIGHT));
  EXPECT(pitch >= WIDTH && pitch % 256 == 0);
  CHECK(cudaMemset2D(device, pitch, 0xee, pitch, HEIGHT));
  CHECK(cudaMemcpy2D(device, pitch, in, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
  increase<<<dim3(2, HEIGHT), 64>>>(device, pitch, WIDTH, HEIGHT);
  CHECK(cudaMemcpy2DAsync(out, WIDTH, device, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost, 0));
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < HEIGHT * WIDTH; i++)
    wrong += out[0][i] != (unsigned char)(i * 7 + 1);
  EXPECT(wrong == 0);
  unsigned char gap = 0;
  CHECK(cudaMemcpy(&gap, device + WIDTH, 1, cudaMemcpyDeviceToHost));
  EXPECT(gap == 0xee);
  FAILS(cudaErrorInvalidPitchValue,
        cudaMemcpy2D(device, 10, in, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
  FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(device, in, 10, (cudaMemcpyKind)17));
  FAILS(cudaErrorInvalidValue, cudaMemcpy(in, device, (size_t)1 << 40, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(device, in, 0, cudaMemcpyHostToDevice));
  CHECK(cudaFree(device));
}

static void
check_boxes() {
  static short in[DEPTH][HEIGHT][WIDTH], out[DEPTH][HEIGHT][WIDTH];
  cudaPitchedPtr device;
  cudaExtent extent = make_cudaExtent(WIDTH * sizeof(short), HEIGHT, DEPTH);
  for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
    in[0][0][i] = (short)(i * 3);
  CHECK(cudaMalloc3D(&device, extent));
  EXPECT(device.xsize == WIDTH * sizeof(short) && device.ysize == HEIGHT);
  CHECK(cudaMemset3D(device, 0x11, extent));
  cudaMemcpy3DParms to = {};
  to.srcPtr = make_cudaPitchedPtr(in, WIDTH * sizeof(short), WIDTH * sizeof(short), HEIGHT);
  to.dstPtr = device;
  to.dstPos = make_cudaPos(10 * sizeof(short), 1, 1);
  to.srcPos = make_cudaPos(20 * sizeof(short), 2, 0);
  to.extent = make_cudaExtent(30 * sizeof(short), 4, 2);
  to.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&to));
  cudaMemcpy3DParms from = {};
  from.srcPtr = device;
  from.dstPtr = make_cudaPitchedPtr(out, WIDTH * sizeof(short), WIDTH * sizeof(short), HEIGHT);
  from.extent = extent;
  from.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3DAsync(&from, 0));
  CHECK(cudaStreamSynchronize(0));
  int wrong = 0;
  for (int z = 0; z < DEPTH; z++)
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        bool inside = x >= 10 && x < 40 && y >= 1 && y < 5 && z >= 1;
        wrong += out[z][y][x] != (inside ? in[z - 1][y + 1][x + 10] : 0x1111);
      }
  EXPECT(wrong == 0);
  CHECK(cudaFree(device.ptr));
}

int
main() {
  check_rows();
  check_boxes();
  int *one, *other, value = 5;
  CHECK(cudaMalloc(&one, 4096));
  CHECK(cudaMalloc(&other, 4096));
  CHECK(cudaMemcpy(one, &value, sizeof value, cudaMemcpyDefault));
  CHECK(cudaMemcpyPeer(other, 0, one, 0, sizeof value));
  CHECK(cudaMemsetAsync(one, 0xff, 4096, 0));
  value = 0;
  CHECK(cudaMemcpy(&value, other, sizeof value, cudaMemcpyDefault));
  EXPECT(value == 5);
  CHECK(cudaMemcpy(&value, one + 1023, sizeof value, cudaMemcpyDefault));
  EXPECT(value == -1);
  CHECK(cudaFree(nullptr));
  CHECK(cudaFree(one));
  FAILS(cudaErrorInvalidValue, cudaFree(one));
  CHECK(cudaFree(other));
  return finish("copies");
}
