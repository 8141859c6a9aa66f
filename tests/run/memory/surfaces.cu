// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Surfaces: reading and writing arrays by bytes, in all shapes and widths and outside of them, copies between arrays and memory, and
// what a texture finds of what a surface wrote. The last kernel accesses a byte that is not there.
#include <cstdint>
#include <cstring>
#include <vector>

#include "../check.h"

static const int WIDTH = 12, HEIGHT = 5, DEPTH = 3;

struct Place {
  int x, y, z;
};

// From inside to outside, in elements.
__device__ static Place
place(unsigned i) {
  return {(int)(i % 17) - 2, (int)(i / 17 % 9) - 2, (int)(i / 153 % 7) - 2};
}

template <typename Element, cudaSurfaceBoundaryMode MODE>
__global__ void
read_two(cudaSurfaceObject_t surface, Element *found) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Place at = place(i);
  found[i] = surf2Dread<Element>(surface, at.x * (int)sizeof(Element), at.y, MODE);
}

template <cudaSurfaceBoundaryMode MODE>
__global__ void
read_more(int shape, cudaSurfaceObject_t surface, int *found) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Place at = place(i);
  found[i] = shape == 0   ? surf1Dread<int>(surface, at.x * 4, MODE)
             : shape == 1 ? surf3Dread<int>(surface, at.x * 4, at.y, at.z, MODE)
             : shape == 2 ? surf2DLayeredread<int>(surface, at.x * 4, at.y, at.z, MODE)
             : shape == 3 ? surf1DLayeredread<int>(surface, at.x * 4, at.z, MODE)
                          : surfCubemapread<int>(surface, at.x * 4, at.y, at.z, MODE);
}

template <typename Element>
__global__ void
write_two(cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = threadIdx.y;
  Element value;
  memset(&value, x * 16 + y + 1, sizeof value);
  surf2Dwrite(value, surface, (x - 1) * (int)sizeof value, y, cudaBoundaryModeZero);
}

__global__ void
write_more(cudaSurfaceObject_t volume, cudaSurfaceObject_t layers, cudaSurfaceObject_t line) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, value = x + 100 * y + 10000 * z;
  surf3Dwrite(value, volume, x * 4, y, z);
  surf2DLayeredwrite(-value, layers, x * 4, y, z);
  if (y == 0 && z == 0)
    surf1Dwrite(value, line, x * 4, cudaBoundaryModeClamp);
}

__global__ void
look(cudaTextureObject_t texture, int *found) {
  found[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<int>(texture, threadIdx.x, threadIdx.y);
}

__global__ void
read_outside(cudaSurfaceObject_t surface, int *found, int x) {
  *found = surf2Dread<int>(surface, x, 0);
}

static uint32_t
sum_bits(const void *bytes, size_t length) {
  uint32_t sum = 2166136261u;
  for (size_t i = 0; i < length; i++)
    sum = (sum ^ ((const unsigned char *)bytes)[i]) * 16777619u;
  return sum;
}

static cudaArray_t
make_array(const cudaChannelFormatDesc &format, cudaExtent extent, unsigned flags) {
  cudaArray_t array;
  size_t element = (format.x + format.y + format.z + format.w) / 8;
  size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
  std::vector<unsigned char> bytes(extent.width * height * depth * element);
  for (size_t i = 0; i < bytes.size(); i++)
    bytes[i] = (unsigned char)(i * 131 + i / 251);
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(bytes.data(), extent.width * element, extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

static cudaSurfaceObject_t
make_surface(cudaArray_t array) {
  cudaResourceDesc resource = {};
  cudaSurfaceObject_t surface = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

// The bytes of an array.
static std::vector<unsigned char>
take(cudaArray_t array, size_t element, cudaExtent extent) {
  size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
  std::vector<unsigned char> bytes(extent.width * height * depth * element);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr(bytes.data(), extent.width * element, extent.width, height);
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  return bytes;
}

static void *
allocate_found() {
  static void *found;
  if (!found)
    CHECK(cudaMalloc(&found, 1024 * 16));
  return found;
}

template <typename Element>
static void
tell_width(const char *name, const cudaChannelFormatDesc &format) {
  static unsigned char result[1024 * 16];
  cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, 0);
  cudaArray_t array = make_array(format, extent, 0);
  cudaSurfaceObject_t surface = make_surface(array);
  Element *found = (Element *)allocate_found();
  read_two<Element, cudaBoundaryModeZero><<<8, 128>>>(surface, found);
  CHECK(cudaMemcpy(result, found, 1024 * sizeof(Element), cudaMemcpyDeviceToHost));
  uint32_t zero = sum_bits(result, 1024 * sizeof(Element));
  read_two<Element, cudaBoundaryModeClamp><<<8, 128>>>(surface, found);
  CHECK(cudaMemcpy(result, found, 1024 * sizeof(Element), cudaMemcpyDeviceToHost));
  uint32_t clamp = sum_bits(result, 1024 * sizeof(Element));
  write_two<Element><<<1, dim3(WIDTH, HEIGHT)>>>(surface);
  CHECK(cudaDeviceSynchronize());
  size_t element = (format.x + format.y + format.z + format.w) / 8;
  std::vector<unsigned char> bytes = take(array, element, extent);
  printf("%-8s zero %08x clamp %08x written %08x\n", name, zero, clamp,
         sum_bits(bytes.data(), bytes.size()));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
}

static void
tell_shapes() {
  static const struct {
    const char *name;
    cudaExtent extent;
    unsigned flags;
  } shapes[] = {{"1D", {12, 0, 0}, 0},
                {"3D", {12, 5, 3}, 0},
                {"2D layers", {12, 5, 3}, cudaArrayLayered},
                {"1D layers", {12, 0, 3}, cudaArrayLayered},
                {"cube", {5, 5, 6}, cudaArrayCubemap}};
  static int result[1024];
  int *found = (int *)allocate_found(), number = 0;
  for (const auto &shape : shapes) {
    cudaArray_t array = make_array(cudaCreateChannelDesc<int>(), shape.extent, shape.flags);
    cudaSurfaceObject_t surface = make_surface(array);
    read_more<cudaBoundaryModeZero><<<8, 128>>>(number, surface, found);
    CHECK(cudaMemcpy(result, found, sizeof result, cudaMemcpyDeviceToHost));
    uint32_t zero = sum_bits(result, sizeof result);
    read_more<cudaBoundaryModeClamp><<<8, 128>>>(number++, surface, found);
    CHECK(cudaMemcpy(result, found, sizeof result, cudaMemcpyDeviceToHost));
    printf("%-10s zero %08x clamp %08x\n", shape.name, zero, sum_bits(result, sizeof result));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
  }
}

static void
check_writes() {
  cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t volume = make_array(format, extent, 0),
              layers = make_array(format, extent, cudaArrayLayered);
  cudaArray_t line = make_array(format, make_cudaExtent(8, 0, 0), 0);
  write_more<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>(make_surface(volume), make_surface(layers),
                                                make_surface(line));
  CHECK(cudaDeviceSynchronize());
  std::vector<unsigned char> a = take(volume, 4, extent), b = take(layers, 4, extent);
  std::vector<unsigned char> c = take(line, 4, make_cudaExtent(8, 0, 0));
  for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++) {
    int value = i % WIDTH + 100 * (i / WIDTH % HEIGHT) + 10000 * (i / WIDTH / HEIGHT);
    EXPECT(((int *)a.data())[i] == value);
    EXPECT(((int *)b.data())[i] == -value);
  }
  for (int i = 0; i < 7; i++)
    EXPECT(((int *)c.data())[i] == i);
  CHECK(cudaFreeArray(volume));
  CHECK(cudaFreeArray(layers));
  CHECK(cudaFreeArray(line));
}

// What a surface wrote, a texture of a copy finds.
static void
check_copy() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = make_array(format, make_cudaExtent(WIDTH, HEIGHT, 0), 0), copy;
  cudaSurfaceObject_t surface = make_surface(array);
  cudaResourceDesc resource = {}, asked = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  int *found = (int *)allocate_found(), result[WIDTH * HEIGHT];
  write_two<int><<<1, dim3(WIDTH, HEIGHT)>>>(surface);
  CHECK(cudaGetSurfaceObjectResourceDesc(&asked, surface));
  EXPECT(asked.res.array.array == array);
  CHECK(cudaMallocArray(&copy, &format, WIDTH, HEIGHT));
  CHECK(cudaMemcpy2DArrayToArray(copy, 0, 0, array, 0, 0, WIDTH * 4, HEIGHT,
                                 cudaMemcpyDeviceToDevice));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = copy;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  look<<<1, dim3(WIDTH, HEIGHT)>>>(texture, found);
  CHECK(cudaMemcpy(result, found, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    EXPECT(i % WIDTH == WIDTH - 1 ||
           result[i] == 0x01010101 * ((i % WIDTH + 1) * 16 + i / WIDTH + 1));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  FAILS(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(&asked, surface));
  CHECK(cudaFreeArray(copy));
  CHECK(cudaFreeArray(array));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {found, format, 64};
  FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &resource));
}

int
main() {
  tell_width<unsigned char>("8 bits", cudaCreateChannelDesc<unsigned char>());
  tell_width<unsigned short>("16 bits", cudaCreateChannelDesc<unsigned short>());
  tell_width<float>("32 bits", cudaCreateChannelDesc<float>());
  tell_width<uint2>("64 bits", cudaCreateChannelDesc<uint2>());
  tell_width<float4>("128 bits", cudaCreateChannelDesc<float4>());
  tell_width<uchar4>("4 of 8", cudaCreateChannelDesc<uchar4>());
  tell_width<float2>("of float", cudaCreateChannelDesc<float>());
  tell_shapes();
  check_writes();
  check_copy();
  cudaSurfaceObject_t surface =
      make_surface(make_array(cudaCreateChannelDesc<int>(), make_cudaExtent(WIDTH, HEIGHT, 0), 0));
  read_outside<<<1, 1>>>(surface, (int *)allocate_found(), 4 * WIDTH - 4);
  CHECK(cudaDeviceSynchronize());
  read_outside<<<1, 1>>>(surface, (int *)allocate_found(), 4 * WIDTH);
  FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  return finish("surfaces");
}
