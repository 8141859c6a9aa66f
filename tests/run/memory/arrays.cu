// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays are allocated, described and copied.
#include <cstring>

#include "../check.h"

enum {
  WIDTH = 64,
  HEIGHT = 8
};

int
main() {
  static float in[HEIGHT][WIDTH], out[HEIGHT][WIDTH], part[2][4];
  for (int i = 0; i < HEIGHT * WIDTH; i++)
    in[0][i] = (float)i;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), found;
  EXPECT(format.x == 32 && format.y == 0 && format.f == cudaChannelFormatKindFloat);
  cudaArray_t array, other, box;
  CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
  CHECK(cudaMallocArray(&other, &format, WIDTH, HEIGHT));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], HEIGHT,
                            cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, sizeof in[0], HEIGHT));
  CHECK(cudaMemcpy2DFromArray(out, sizeof out[0], other, 0, 0, sizeof out[0], HEIGHT,
                              cudaMemcpyDeviceToHost));
  EXPECT(memcmp(in, out, sizeof in) == 0);
  CHECK(cudaMemcpy2DFromArray(part, sizeof part[0], array, 3 * sizeof(float), 5, sizeof part[0], 2,
                              cudaMemcpyDeviceToHost));
  EXPECT(part[0][0] == in[5][3] && part[1][3] == in[6][6]);
  FAILS(cudaErrorInvalidValue, cudaMemcpy2DFromArray(out, sizeof out[0], array, 0, 4, sizeof out[0],
                                                     HEIGHT, cudaMemcpyDeviceToHost));
  cudaExtent extent;
  unsigned flags = 9;
  CHECK(cudaArrayGetInfo(&found, &extent, &flags, array));
  EXPECT(found.x == 32 && extent.width == WIDTH && extent.height == HEIGHT && extent.depth == 0 &&
         flags == 0);
  CHECK(cudaMalloc3DArray(&box, &format, make_cudaExtent(WIDTH, 4, 2)));
  cudaMemcpy3DParms to = {};
  to.srcPtr = make_cudaPitchedPtr(in, sizeof in[0], WIDTH, 4);
  to.dstArray = box;
  to.extent = make_cudaExtent(WIDTH, 4, 2);
  to.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&to));
  memset(out, 0, sizeof out);
  cudaMemcpy3DParms from = {};
  from.srcArray = box;
  from.srcPos = make_cudaPos(0, 0, 1);
  from.dstPtr = make_cudaPitchedPtr(out, sizeof out[0], WIDTH, 4);
  from.extent = make_cudaExtent(WIDTH, 4, 1);
  from.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&from));
  EXPECT(out[0][0] == 256 && out[3][63] == 511 && out[4][0] == 0);
  // Levels of half the extent each.
  cudaMipmappedArray_t mipmap;
  cudaArray_t level;
  CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(WIDTH, HEIGHT, 0), 3));
  CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 2));
  CHECK(cudaArrayGetInfo(&found, &extent, &flags, level));
  EXPECT(extent.width == WIDTH / 4 && extent.height == HEIGHT / 4);
  CHECK(cudaMemcpy2DToArray(level, 0, 0, in, sizeof in[0], 64, 2, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DFromArray(part, sizeof part[0], level, 32, 0, sizeof part[0], 2,
                              cudaMemcpyDeviceToHost));
  EXPECT(part[0][0] == in[0][8] && part[1][3] == in[1][11]);
  FAILS(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mipmap, 3));
  CHECK(cudaFreeMipmappedArray(mipmap));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(other));
  CHECK(cudaFreeArray(box));
  CHECK(cudaFreeArray(nullptr));
  cudaGetLastError();
  return finish("arrays");
}
