// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Textures: of memory, of rows with a pitch, of arrays, layers, cubes and mipmaps; modes, filters and formats at coordinates that
// fall on texels, between them and outside; a sum of the bits of what is found for each, and errors of the calls.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

#include "../check.h"

enum Kind {
  FETCH,
  ONE,
  TWO,
  THREE,
  ONE_LAYERED,
  TWO_LAYERED,
  CUBE,
  TWO_LEVEL,
  GATHER,
  GRADIENT,
  N_KINDS
};

static const int N = 512;

// Coordinates in texels, scaled: on a grid of quarters, off it, and far outside.
__device__ static float
place(unsigned i, float scale) {
  unsigned x = i * 2654435761u >> 8;
  float on = (float)(int)(x % 200) * 0.25f - 20, off = (float)(x & 0xffff) * (1.0f / 1024) - 24;
  return (i % 16 == 0 ? on * 1000 : i % 2 ? on : off) * scale;
}

__global__ void
sample(Kind kind, cudaTextureObject_t texture, float scale, float4 *found) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = place(i, scale), y = place(i + 7, scale), z = place(i + 99, scale);
  int layer = (int)(i % 9) - 2;
  switch (kind) {
  case FETCH:
    found[i] = tex1Dfetch<float4>(texture, (int)(i % 40) - 4);
    break;
  case ONE:
    found[i] = tex1D<float4>(texture, x);
    break;
  case TWO:
    found[i] = tex2D<float4>(texture, x, y);
    break;
  case THREE:
    found[i] = tex3D<float4>(texture, x, y, z);
    break;
  case ONE_LAYERED:
    found[i] = tex1DLayered<float4>(texture, x, layer);
    break;
  case TWO_LAYERED:
    found[i] = tex2DLayered<float4>(texture, x, y, layer);
    break;
  case CUBE:
    found[i] = texCubemap<float4>(texture, x, y, z);
    break;
  case TWO_LEVEL:
    found[i] = tex2DLod<float4>(texture, x, y, (float)(i % 37) * 0.15f - 0.5f);
    break;
  case GATHER:
    found[i] = tex2Dgather<float4>(texture, x, y, 1);
    break;
  case GRADIENT:
    found[i] = tex2DGrad<float4>(texture, x, y, make_float2(y, x), make_float2(x, y));
    break;
  case N_KINDS:
    break;
  }
}

static uint32_t
sum_bits(const void *bytes, size_t length) {
  uint32_t sum = 2166136261u;
  for (size_t i = 0; i < length; i++)
    sum = (sum ^ ((const unsigned char *)bytes)[i]) * 16777619u;
  return sum;
}

// What is found in a texture.
static std::vector<float4>
look(Kind kind, cudaTextureObject_t texture, float scale) {
  static float4 *found;
  std::vector<float4> result(N);
  if (!found)
    CHECK(cudaMalloc(&found, N * sizeof *found));
  sample<<<N / 64, 64>>>(kind, texture, scale, found);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), found, N * sizeof *found, cudaMemcpyDeviceToHost));
  return result;
}

static void
tell(const char *name, Kind kind, cudaTextureObject_t texture, float scale) {
  std::vector<float4> found = look(kind, texture, scale);
  printf("%-28s %08x  %.9g %.9g %.9g\n", name, sum_bits(found.data(), N * sizeof(float4)),
         found[1].x, found[2].x, found[3].y);
}

// Bytes of numbers that are alike everywhere, in a format of up to 4 components.
static std::vector<unsigned char>
make_texels(const cudaChannelFormatDesc &format, size_t n) {
  size_t n_components = (format.x + format.y + format.z + format.w) / format.x * n;
  std::vector<unsigned char> bytes(n_components * format.x / 8);
  for (size_t i = 0; i < n_components; i++) {
    uint32_t word = (uint32_t)i * 2246822519u + 374761393u;
    word ^= word >> 15;
    float value = (float)(int16_t)(word * 3266489917u >> 16) * 0x1p-15f; // no bit is lost in a sum
    __half half = __float2half(value);
    if (format.f == cudaChannelFormatKindFloat && format.x == 32)
      memcpy(&bytes[4 * i], &value, 4);
    else if (format.f == cudaChannelFormatKindFloat)
      memcpy(&bytes[2 * i], &half, 2);
    else
      memcpy(&bytes[i * format.x / 8], &word, format.x / 8);
  }
  return bytes;
}

static cudaArray_t
make_array(const cudaChannelFormatDesc &format, cudaExtent extent, unsigned flags) {
  cudaArray_t array;
  size_t width = extent.width, height = extent.height ? extent.height : 1,
         depth = extent.depth ? extent.depth : 1;
  std::vector<unsigned char> bytes = make_texels(format, width * height * depth);
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(bytes.data(), bytes.size() / height / depth, width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

static cudaTextureObject_t
make_texture(cudaArray_t array, const cudaTextureDesc &how) {
  cudaResourceDesc resource = {};
  cudaTextureObject_t texture = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

static cudaTextureDesc
describe(int mode, bool is_linear, bool is_normalized) {
  cudaTextureDesc how = {};
  for (int i = 0; i < 3; i++)
    how.addressMode[i] = (cudaTextureAddressMode)mode;
  how.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.normalizedCoords = is_normalized;
  how.borderColor[0] = 0.25f;
  how.borderColor[1] = -0.5f;
  how.borderColor[3] = 2;
  return how;
}

// All modes and filters of one array.
static void
tell_modes(const char *name, Kind kind, cudaExtent extent, unsigned flags) {
  static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
  cudaArray_t array = make_array(cudaCreateChannelDesc<float4>(), extent, flags);
  for (int mode = 0; mode < 4; mode++)
    for (int linear = 0; linear < 2; linear++)
      for (int normalized = 0; normalized < 2; normalized++) {
        char line[64];
        cudaTextureObject_t texture = make_texture(array, describe(mode, linear, normalized));
        snprintf(line, sizeof line, "%s %s%s%s", name, modes[mode], linear ? " linear" : "",
                 normalized ? " unit" : "");
        tell(line, kind, texture, normalized ? 1.0f / 19 : 1);
        CHECK(cudaDestroyTextureObject(texture));
      }
  CHECK(cudaFreeArray(array));
}

static void
tell_formats() {
  static const struct {
    const char *name;
    int bits, n;
    cudaChannelFormatKind kind;
    bool is_number;
  } formats[] = {{"half", 16, 4, cudaChannelFormatKindFloat, true},
                 {"float", 32, 1, cudaChannelFormatKindFloat, true},
                 {"float2", 32, 2, cudaChannelFormatKindFloat, true},
                 {"uchar4", 8, 4, cudaChannelFormatKindUnsigned, false},
                 {"schar", 8, 1, cudaChannelFormatKindSigned, false},
                 {"ushort2", 16, 2, cudaChannelFormatKindUnsigned, false},
                 {"short4", 16, 4, cudaChannelFormatKindSigned, false},
                 {"uint4", 32, 4, cudaChannelFormatKindUnsigned, false},
                 {"int", 32, 1, cudaChannelFormatKindSigned, false}};
  for (const auto &format : formats) {
    int b = format.bits, n = format.n;
    cudaArray_t array = make_array(
        cudaCreateChannelDesc(b, n > 1 ? b : 0, n > 2 ? b : 0, n > 3 ? b : 0, format.kind),
        make_cudaExtent(17, 11, 0), 0);
    char line[64];
    cudaTextureDesc how = describe(cudaAddressModeClamp, false, false);
    cudaTextureObject_t texture = make_texture(array, how);
    snprintf(line, sizeof line, "%s elements", format.name);
    tell(line, TWO, texture, 1);
    CHECK(cudaDestroyTextureObject(texture));
    how.readMode =
        !format.is_number && b < 32 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    bool is_signed_byte = b == 8 && format.kind == cudaChannelFormatKindSigned;
    how.filterMode = (format.is_number || b < 32) && !is_signed_byte ? cudaFilterModeLinear
                                                                     : cudaFilterModePoint;
    texture = make_texture(array, how);
    snprintf(line, sizeof line, "%s numbers", format.name);
    tell(line, TWO, texture, 1);
    how.filterMode = cudaFilterModePoint;
    how.sRGB = 1;
    cudaTextureObject_t decoded = make_texture(array, how);
    snprintf(line, sizeof line, "%s decoded", format.name);
    if (b == 8 && n == 4)
      tell(line, TWO, decoded, 1);
    CHECK(cudaDestroyTextureObject(decoded));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
  }
}

static void
tell_levels() {
  cudaMipmappedArray_t levels;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  CHECK(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(16, 8, 0), 9));
  for (unsigned i = 0; i < 5; i++) {
    cudaArray_t level;
    cudaExtent extent;
    CHECK(cudaGetMipmappedArrayLevel(&level, levels, i));
    CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    std::vector<unsigned char> bytes = make_texels(format, extent.width * extent.height);
    CHECK(cudaMemcpy2DToArray(level, 0, 0, bytes.data(), 16 * extent.width, 16 * extent.width,
                              extent.height, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  for (int linear = 0; linear < 2; linear++) {
    cudaTextureDesc how = describe(cudaAddressModeWrap, linear, true);
    cudaTextureObject_t texture;
    how.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapLevelBias = 0.25f;
    how.minMipmapLevelClamp = 0.3f;
    how.maxMipmapLevelClamp = 3.6f;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    tell(linear ? "levels linear" : "levels", TWO_LEVEL, texture, 1.0f / 19);
    tell(linear ? "first level linear" : "first level", TWO, texture, 1.0f / 19);
    CHECK(cudaDestroyTextureObject(texture));
  }
  CHECK(cudaFreeMipmappedArray(levels));
}

static void
tell_memory() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  std::vector<unsigned char> bytes = make_texels(format, 32 * 9);
  unsigned char *memory;
  size_t pitch;
  cudaResourceDesc resource = {};
  cudaTextureDesc how = describe(cudaAddressModeClamp, false, false);
  cudaTextureObject_t texture;
  CHECK(cudaMallocPitch(&memory, &pitch, 32 * 4, 9));
  CHECK(cudaMemcpy2D(memory, pitch, bytes.data(), 32 * 4, 32 * 4, 9, cudaMemcpyHostToDevice));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory, format, 32 * 4};
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  tell("memory", FETCH, texture, 1);
  CHECK(cudaDestroyTextureObject(texture));
  how.readMode = cudaReadModeNormalizedFloat;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  tell("memory numbers", FETCH, texture, 1);
  CHECK(cudaDestroyTextureObject(texture));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {memory, format, 32, 9, pitch};
  how = describe(cudaAddressModeWrap, true, true);
  how.readMode = cudaReadModeNormalizedFloat;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  tell("rows", TWO, texture, 1.0f / 19);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(memory));
}

// Each thread has a texture of its own.
__global__ void
choose(const cudaTextureObject_t *textures, float *found) {
  found[threadIdx.x] = tex1D<float>(textures[threadIdx.x % 3], threadIdx.x + 0.5f) +
                       tex2D<float>(textures[3], threadIdx.x, 0.5f);
}

static void
choose_textures() {
  cudaTextureObject_t textures[4], *list;
  cudaArray_t arrays[4];
  float *found, result[32], values[4][64];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  for (int i = 0; i < 4; i++) {
    for (int x = 0; x < 64; x++)
      values[i][x] = (float)(100 * i + x);
    CHECK(cudaMallocArray(&arrays[i], &format, 64, i == 3));
    CHECK(cudaMemcpy2DToArray(arrays[i], 0, 0, values[i], sizeof values[i], sizeof values[i], 1,
                              cudaMemcpyHostToDevice));
    textures[i] = make_texture(arrays[i], describe(cudaAddressModeClamp, false, false));
  }
  CHECK(cudaMalloc(&list, sizeof textures));
  CHECK(cudaMalloc(&found, sizeof result));
  CHECK(cudaMemcpy(list, textures, sizeof textures, cudaMemcpyHostToDevice));
  choose<<<1, 32>>>(list, found);
  CHECK(cudaMemcpy(result, found, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++)
    EXPECT(result[i] == (float)(i % 3 * 100 + i + 300 + i));
  for (int i = 0; i < 4; i++) {
    CHECK(cudaDestroyTextureObject(textures[i]));
    CHECK(cudaFreeArray(arrays[i]));
  }
}

static void
check_errors() {
  cudaResourceDesc resource = {}, asked;
  cudaTextureDesc how = describe(cudaAddressModeClamp, true, false), got;
  cudaArray_t array = make_array(cudaCreateChannelDesc<int>(), make_cudaExtent(8, 8, 0), 0);
  cudaTextureObject_t texture = 0, other = 0;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>(),
                        three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  size_t width = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  FAILS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  how.filterMode = cudaFilterModePoint;
  how.readMode = cudaReadModeNormalizedFloat;
  FAILS(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  how.readMode = cudaReadModeElementType;
  FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(nullptr, &resource, &how, nullptr));
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  CHECK(cudaCreateTextureObject(&other, &resource, &how, nullptr));
  EXPECT(texture != other);
  CHECK(cudaGetTextureObjectResourceDesc(&asked, texture));
  EXPECT(asked.resType == cudaResourceTypeArray && asked.res.array.array == array);
  CHECK(cudaGetTextureObjectTextureDesc(&got, texture));
  EXPECT(got.addressMode[1] == cudaAddressModeClamp && got.filterMode == cudaFilterModePoint);
  CHECK(cudaDestroyTextureObject(texture));
  FAILS(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&asked, texture));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroyTextureObject(other));
  CHECK(cudaFreeArray(array));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {nullptr, format, 64};
  FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  CHECK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, 0));
  EXPECT(width == 1u << 29);
  FAILS(cudaErrorInvalidChannelDescriptor, cudaDeviceGetTexture1DLinearMaxWidth(&width, &three, 0));
  FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &three, 8, 8));
  FAILS(cudaErrorInvalidValue,
        cudaMalloc3DArray(&array, &format, make_cudaExtent(16, 8, 6), cudaArrayCubemap));
}

int
main() {
  tell_memory();
  tell_modes("1D", ONE, make_cudaExtent(19, 0, 0), 0);
  tell_modes("2D", TWO, make_cudaExtent(19, 13, 0), 0);
  tell_modes("3D", THREE, make_cudaExtent(9, 7, 5), 0);
  tell_modes("1D layers", ONE_LAYERED, make_cudaExtent(19, 0, 5), cudaArrayLayered);
  tell_modes("2D layers", TWO_LAYERED, make_cudaExtent(19, 13, 5), cudaArrayLayered);
  tell_modes("cube", CUBE, make_cudaExtent(16, 16, 6), cudaArrayCubemap);
  tell_modes("gather", GATHER, make_cudaExtent(19, 13, 0), cudaArrayTextureGather);
  tell_modes("gradients", GRADIENT, make_cudaExtent(19, 13, 0), 0);
  tell_formats();
  tell_levels();
  choose_textures();
  check_errors();
  return finish("textures");
}
