// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Texture and surface references of the driver's interface, which PTX declares. What they are at first, which values are refused, and what kernels find
// is what an H200 said (driver 580).
// nvcc: -lcuda
#include "driver.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "driver-references.h"

// What the header calls cuTexRefSetAddress2D is the third version.
extern "C" CUresult CUDAAPI cuTexRefSetAddress2D_v2(CUtexref, const CUDA_ARRAY_DESCRIPTOR *,
                                                    CUdeviceptr, size_t);

typedef std::vector<float> Floats;

static CUmodule module;
static CUdeviceptr out, memory, other_memory;
static CUarray sheet, picture, colors, row; // only the first one can be a surface

enum {
  WIDTH = 16,
  HEIGHT = 4,
};

static void
start(const char *name, float x, float y, unsigned n, unsigned threads, CUstream stream) {
  CUfunction kernel;
  void *arguments[] = {&out, &x, &y, &n};
  CHECK(cuModuleGetFunction(&kernel, module, name));
  CHECK(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, stream, arguments, 0));
}

// All four words of each thread, or the first one.
static std::vector<unsigned>
run_words(const char *name, float x, float y, unsigned n, unsigned threads) {
  std::vector<unsigned> words(4 * threads);
  start(name, x, y, n, threads, NULL);
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(words.data(), out, 16 * threads));
  return words;
}

static Floats
run(const char *name, float x, float y, unsigned n, unsigned threads) {
  std::vector<unsigned> words = run_words(name, x, y, n, threads);
  Floats first(threads);
  for (unsigned i = 0; i < threads; i++)
    memcpy(&first[i], &words[4 * i], 4);
  return first;
}

static Floats
run_four(const char *name, float x, float y) {
  std::vector<unsigned> words = run_words(name, x, y, 0, 1);
  Floats four(4);
  memcpy(four.data(), words.data(), 16);
  return four;
}

static CUtexref
texture(const char *name) {
  CUtexref found = NULL;
  CHECK(cuModuleGetTexRef(&found, module, name));
  return found;
}

static CUsurfref
surface(const char *name) {
  CUsurfref found = NULL;
  CHECK(cuModuleGetSurfRef(&found, module, name));
  return found;
}

// --- what there is

static void
names() {
  CUtexref found;
  CUsurfref found_surface;
  CUdeviceptr address;
  size_t bytes;
  CUfunction kernel;
  EXPECT(texture("image") == texture("image") && texture("image") != texture("second"));
  EXPECT(surface("sheet") == surface("sheet"));
  FAILS(NOT_FOUND, cuModuleGetTexRef(&found, module, "nothing"));
  FAILS(NOT_FOUND, cuModuleGetTexRef(&found, module, "plain"));
  FAILS(NOT_FOUND, cuModuleGetTexRef(&found, module, "sheet"));
  FAILS(NOT_FOUND, cuModuleGetTexRef(&found, module, "fetch"));
  FAILS(INVALID_VALUE, cuModuleGetTexRef(&found, module, NULL));
  FAILS(INVALID_VALUE, cuModuleGetTexRef(NULL, module, "image"));
  FAILS(INVALID_HANDLE, cuModuleGetTexRef(&found, NULL, "image"));
  FAILS(NOT_FOUND, cuModuleGetSurfRef(&found_surface, module, "image"));
  FAILS(INVALID_VALUE, cuModuleGetSurfRef(NULL, module, "sheet"));
  FAILS(INVALID_VALUE, cuModuleGetSurfRef(&found_surface, module, NULL));
  FAILS(INVALID_HANDLE, cuModuleGetSurfRef(&found_surface, NULL, "sheet"));
  FAILS(INVALID_VALUE, cuModuleGetGlobal(&address, &bytes, module, "image"));
  FAILS(INVALID_VALUE, cuModuleGetGlobal(&address, &bytes, module, "sheet"));
  FAILS(NOT_FOUND, cuModuleGetFunction(&kernel, module, "image"));
}

static void
expect_unbound(CUtexref reference) {
  CUdeviceptr address = 77;
  CUarray array;
  CUmipmappedArray mipmap;
  FAILS(INVALID_VALUE, cuTexRefGetAddress(&address, reference));
  EXPECT(address == 0);
  FAILS(INVALID_VALUE, cuTexRefGetArray(&array, reference));
  FAILS(INVALID_VALUE, cuTexRefGetMipmappedArray(&mipmap, reference));
}

static void
expect_format(CUtexref reference, CUarray_format format, int n) {
  CUarray_format found = (CUarray_format)0;
  int found_n = 0;
  CHECK(cuTexRefGetFormat(&found, &found_n, reference));
  EXPECT(found == format && found_n == n);
}

static void
defaults(CUtexref reference) {
  CUaddress_mode mode;
  CUfilter_mode filter;
  float bias = 77, low = 77, high = 77, color[4] = {77, 77, 77, 77};
  int most = 77;
  unsigned flags = 77;
  expect_unbound(reference);
  expect_format(reference, CU_AD_FORMAT_FLOAT, 1);
  for (int axis = 0; axis < 3; axis++) {
    CHECK(cuTexRefGetAddressMode(&mode, reference, axis));
    EXPECT(mode == CU_TR_ADDRESS_MODE_CLAMP);
  }
  FAILS(INVALID_VALUE, cuTexRefGetAddressMode(&mode, reference, 3));
  FAILS(INVALID_VALUE, cuTexRefGetAddressMode(&mode, reference, -1));
  CHECK(cuTexRefGetFilterMode(&filter, reference));
  EXPECT(filter == CU_TR_FILTER_MODE_POINT);
  CHECK(cuTexRefGetMipmapFilterMode(&filter, reference));
  EXPECT(filter == CU_TR_FILTER_MODE_POINT);
  CHECK(cuTexRefGetMipmapLevelBias(&bias, reference));
  CHECK(cuTexRefGetMipmapLevelClamp(&low, &high, reference));
  EXPECT(bias == 0 && low == 0 && high == 0);
  CHECK(cuTexRefGetMaxAnisotropy(&most, reference));
  EXPECT(most == 0);
  CHECK(cuTexRefGetBorderColor(color, reference));
  EXPECT(color[0] == 0 && color[3] == 0);
  CHECK(cuTexRefGetFlags(&flags, reference));
  EXPECT(flags == 0);
}

// --- what is refused

static void
without_answer(CUtexref reference) {
  CUarray_format format = (CUarray_format)0;
  int n = 0;
  float level = 77;
  FAILS(INVALID_VALUE, cuTexRefGetAddress(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetArray(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetMipmappedArray(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetAddressMode(NULL, reference, 0));
  FAILS(INVALID_VALUE, cuTexRefGetFilterMode(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetMipmapFilterMode(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetMipmapLevelBias(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetMipmapLevelClamp(NULL, &level, reference));
  FAILS(INVALID_VALUE, cuTexRefGetMipmapLevelClamp(&level, NULL, reference));
  EXPECT(level == 77);
  FAILS(INVALID_VALUE, cuTexRefGetMaxAnisotropy(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetBorderColor(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefGetFlags(NULL, reference));
  FAILS(INVALID_VALUE, cuTexRefSetBorderColor(reference, NULL));
  FAILS(INVALID_VALUE, cuTexRefCreate(NULL));
  CHECK(cuTexRefGetFormat(&format, NULL, reference));
  CHECK(cuTexRefGetFormat(NULL, &n, reference));
  CHECK(cuTexRefGetFormat(NULL, NULL, reference));
  EXPECT(format == CU_AD_FORMAT_FLOAT && n == 1);
}

static void
without_reference() {
  float number;
  unsigned flags;
  CUarray array;
  FAILS(INVALID_HANDLE, cuTexRefGetFlags(&flags, NULL));
  FAILS(INVALID_HANDLE, cuTexRefGetArray(&array, NULL));
  FAILS(INVALID_HANDLE, cuTexRefGetMipmapLevelBias(&number, NULL));
  FAILS(INVALID_HANDLE, cuTexRefSetArray(NULL, NULL, CU_TRSA_OVERRIDE_FORMAT));
  FAILS(INVALID_HANDLE, cuTexRefSetMipmappedArray(NULL, NULL, CU_TRSA_OVERRIDE_FORMAT));
  FAILS(INVALID_HANDLE, cuTexRefSetAddress(NULL, NULL, memory, 0));
  FAILS(INVALID_HANDLE, cuTexRefSetFormat(NULL, CU_AD_FORMAT_FLOAT, 1));
  FAILS(INVALID_HANDLE, cuTexRefSetAddressMode(NULL, 0, CU_TR_ADDRESS_MODE_CLAMP));
  FAILS(INVALID_HANDLE, cuTexRefSetFilterMode(NULL, CU_TR_FILTER_MODE_POINT));
  FAILS(INVALID_HANDLE, cuTexRefSetMipmapFilterMode(NULL, CU_TR_FILTER_MODE_POINT));
  FAILS(INVALID_HANDLE, cuTexRefSetMipmapLevelBias(NULL, 0));
  FAILS(INVALID_HANDLE, cuTexRefSetMipmapLevelClamp(NULL, 0, 0));
  FAILS(INVALID_HANDLE, cuTexRefSetMaxAnisotropy(NULL, 1));
  FAILS(INVALID_HANDLE, cuTexRefSetFlags(NULL, 0));
  FAILS(INVALID_HANDLE, cuTexRefDestroy(NULL));
  FAILS(INVALID_HANDLE, cuSurfRefSetArray(NULL, sheet, 0));
  FAILS(INVALID_HANDLE, cuSurfRefGetArray(&array, NULL));
}

// Also what makes no sense is kept.
static void
settings(CUtexref reference) {
  CUaddress_mode mode;
  CUfilter_mode filter;
  float bias, low, high, color[4] = {1, 2, 3, 4}, found[4];
  int most;
  unsigned flags;
  FAILS(INVALID_VALUE, cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 3));
  FAILS(INVALID_VALUE, cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 5));
  CHECK(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 0));
  expect_format(reference, CU_AD_FORMAT_FLOAT, 0);
  CHECK(cuTexRefSetFormat(reference, (CUarray_format)0x55, 1));
  expect_format(reference, (CUarray_format)0x55, 1);
  CHECK(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 1));
  FAILS(INVALID_VALUE, cuTexRefSetAddressMode(reference, 3, CU_TR_ADDRESS_MODE_CLAMP));
  FAILS(INVALID_VALUE, cuTexRefSetAddressMode(reference, -1, CU_TR_ADDRESS_MODE_CLAMP));
  CHECK(cuTexRefSetAddressMode(reference, 0, (CUaddress_mode)4));
  CHECK(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_MIRROR));
  CHECK(cuTexRefSetAddressMode(reference, 1, CU_TR_ADDRESS_MODE_BORDER));
  CHECK(cuTexRefGetAddressMode(&mode, reference, 0));
  EXPECT(mode == CU_TR_ADDRESS_MODE_MIRROR);
  CHECK(cuTexRefGetAddressMode(&mode, reference, 1));
  EXPECT(mode == CU_TR_ADDRESS_MODE_BORDER);
  CHECK(cuTexRefSetFilterMode(reference, (CUfilter_mode)2));
  CHECK(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR));
  CHECK(cuTexRefGetFilterMode(&filter, reference));
  EXPECT(filter == CU_TR_FILTER_MODE_LINEAR);
  FAILS(INVALID_VALUE, cuTexRefSetMipmapFilterMode(reference, (CUfilter_mode)2));
  CHECK(cuTexRefSetMipmapFilterMode(reference, CU_TR_FILTER_MODE_LINEAR));
  CHECK(cuTexRefGetMipmapFilterMode(&filter, reference));
  EXPECT(filter == CU_TR_FILTER_MODE_LINEAR);
  CHECK(cuTexRefSetMipmapLevelBias(reference, 100));
  CHECK(cuTexRefGetMipmapLevelBias(&bias, reference));
  EXPECT(bias == 100);
  CHECK(cuTexRefSetMipmapLevelClamp(reference, 5, 2));
  CHECK(cuTexRefSetMipmapLevelClamp(reference, -3, 200));
  CHECK(cuTexRefGetMipmapLevelClamp(&low, &high, reference));
  EXPECT(low == -3 && high == 200);
  CHECK(cuTexRefSetMaxAnisotropy(reference, 17));
  CHECK(cuTexRefGetMaxAnisotropy(&most, reference));
  EXPECT(most == 17);
  CHECK(cuTexRefSetBorderColor(reference, color));
  CHECK(cuTexRefGetBorderColor(found, reference));
  EXPECT(memcmp(found, color, sizeof color) == 0);
  FAILS(INVALID_VALUE, cuTexRefSetFlags(reference, CU_TRSF_SEAMLESS_CUBEMAP));
  FAILS(INVALID_VALUE, cuTexRefSetFlags(reference, 0x80));
  CHECK(cuTexRefSetFlags(reference, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION));
  CHECK(cuTexRefGetFlags(&flags, reference));
  EXPECT(flags == CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
}

// --- what kernels find

static void
unbound() {
  EXPECT(run("fetch_unbound", 0, 0, 0, 2) == Floats({0, 0}));
  EXPECT(run("plane_unbound", 0, 0, 0, 2) == Floats({0, 0}));
  EXPECT(run_words("sizes", 0, 0, 0, 1) == std::vector<unsigned>({0, 0, 0, 0}));
  EXPECT(run_words("store_nowhere", 0, 0, 0, 1)[1] == 0);
}

static void
linear(CUtexref image) {
  CUdeviceptr address;
  size_t offset = 99;
  CHECK(cuTexRefSetAddress(&offset, image, memory, 256));
  EXPECT(offset == 0);
  EXPECT(run("fetch", 0, 0, 62, 4) == Floats({62, 63, 0, 0}));
  EXPECT(run_words("sizes", 0, 0, 0, 1) == std::vector<unsigned>({64, 0, 0, 0}));
  CHECK(cuTexRefSetFormat(image, CU_AD_FORMAT_FLOAT, 2));
  EXPECT(run("fetch", 0, 0, 30, 3) == Floats({60, 62, 0}));
  CHECK(cuTexRefSetFormat(image, CU_AD_FORMAT_FLOAT, 1));
  FAILS(INVALID_VALUE, cuTexRefSetAddress(NULL, image, memory + 16, 64));
  CHECK(cuTexRefSetAddress(&offset, image, memory + 16, 64));
  CHECK(cuTexRefGetAddress(&address, image));
  EXPECT(offset == 16 && address == memory);
  EXPECT(run("fetch", 0, 0, 18, 4) == Floats({18, 19, 0, 0}));
  CHECK(cuTexRefSetAddress(&offset, image, memory + 512, 64));
  CHECK(cuTexRefGetAddress(&address, image));
  EXPECT(offset == 0 && address == memory + 512);
  CHECK(cuTexRefSetAddress(NULL, image, memory, 66));
  EXPECT(run("fetch", 0, 0, 14, 4) == Floats({14, 15, 0, 0}));
  CHECK(cuTexRefSetAddress(NULL, image, memory, 0));
  EXPECT(run("fetch", 0, 0, 0, 2) == Floats({0, 0}));
  CHECK(cuTexRefSetAddress(&offset, image, 0, 64));
  FAILS(INVALID_VALUE, cuTexRefSetAddress(&offset, image, memory, (size_t)1 << 33));
}

static void
integers(CUtexref image) {
  CHECK(cuMemsetD8(other_memory, 51, 64));
  CHECK(cuTexRefSetFormat(image, CU_AD_FORMAT_UNSIGNED_INT8, 4));
  CHECK(cuTexRefSetAddress(NULL, image, other_memory, 64));
  EXPECT(run("fetch", 0, 0, 0, 2) == Floats({0.2f, 0.2f}));
  CHECK(cuTexRefSetFlags(image, CU_TRSF_READ_AS_INTEGER));
  EXPECT(run_words("fetch", 0, 0, 0, 1) == std::vector<unsigned>({51, 51, 51, 51}));
  CHECK(cuTexRefSetFlags(image, 0));
  CHECK(cuTexRefSetFormat(image, CU_AD_FORMAT_UNSIGNED_INT32, 1));
  EXPECT(run_words("fetch", 0, 0, 0, 1) == std::vector<unsigned>({0x33333333, 0, 0, 0}));
}

static void
rows(CUtexref image) {
  CUDA_ARRAY_DESCRIPTOR format = {WIDTH, HEIGHT, CU_AD_FORMAT_FLOAT, 1};
  CUdeviceptr address;
  CUarray array;
  FAILS(INVALID_VALUE, cuTexRefSetAddress2D(image, NULL, memory, 64));
  FAILS(INVALID_HANDLE, cuTexRefSetAddress2D(NULL, &format, memory, 64));
  CHECK(cuTexRefSetAddress2D(image, &format, memory, 64));
  CHECK(cuTexRefGetAddress(&address, image));
  EXPECT(address == memory);
  FAILS(INVALID_VALUE, cuTexRefGetArray(&array, image));
  expect_format(image, CU_AD_FORMAT_FLOAT, 1);
  CHECK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
  EXPECT(run("plane", 1, 1.5f, 0, 4) == Floats({16.5f, 17.5f, 18.5f, 19.5f}));
  EXPECT(run("by_handle", 1, 1.5f, 0, 2) == Floats({16.5f, 17.5f}));
  EXPECT(run_four("gather", 2, 2) == Floats({33, 34, 18, 17}));
  EXPECT(run_words("sizes", 0, 0, 0, 1) == std::vector<unsigned>({WIDTH, HEIGHT, 0, 0}));
  FAILS(INVALID_VALUE, cuTexRefSetAddress2D(image, &format, memory, 68));
  FAILS(INVALID_VALUE, cuTexRefSetAddress2D(image, &format, memory, 32));
  FAILS(INVALID_VALUE, cuTexRefSetAddress2D(image, &format, memory + 256, 64));
  CHECK(cuTexRefSetAddress2D(image, &format, memory, 96));
  FAILS(INVALID_VALUE, cuTexRefSetAddress2D_v2(image, &format, memory, 60));
  FAILS(INVALID_VALUE, cuTexRefSetAddress2D_v2(image, &format, memory + 16, 64));
  CHECK(cuTexRefSetAddress2D_v2(image, &format, memory, 68));
  CHECK(cuTexRefSetAddress2D_v2(image, &format, memory, 64));
  EXPECT(run("plane", 1, 1.5f, 0, 2) == Floats({16.5f, 17.5f}));
  format.Height = 100000;
  FAILS(INVALID_VALUE, cuTexRefSetAddress2D(image, &format, memory, 64));
}

static void
modes(CUtexref image) {
  CUarray array;
  const float border[4] = {1, 0, 0, 0};
  FAILS(INVALID_HANDLE, cuTexRefSetArray(image, NULL, CU_TRSA_OVERRIDE_FORMAT));
  FAILS(INVALID_VALUE, cuTexRefSetArray(image, sheet, 2));
  CHECK(cuTexRefSetArray(image, sheet, CU_TRSA_OVERRIDE_FORMAT));
  CHECK(cuTexRefGetArray(&array, image));
  EXPECT(array == sheet);
  CHECK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
  EXPECT(run("plane", 1, 1.5f, 0, 4) == Floats({100.5f, 101.5f, 102.5f, 103.5f}));
  CHECK(cuTexRefSetBorderColor(image, (float *)border));
  CHECK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_BORDER));
  EXPECT(run("plane", 14, 1.5f, 0, 4) == Floats({113.5f, 114.5f, 58, 1}));
  CHECK(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
  CHECK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_MIRROR));
  EXPECT(run("plane", 0.3125f, 0.375f, 0, 3) == Floats({104.5f, 110.5f, 104.5f}));
  CHECK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_WRAP));
  EXPECT(run("plane", 0.3125f, 0.375f, 0, 3) == Floats({104.5f, 104.5f, 104.5f}));
  CHECK(cuTexRefSetFlags(image, 0));
  EXPECT(run("plane", 15.5f, 0.375f, 0, 3) == Floats({15, 15, 15}));
  CHECK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_CLAMP));
}

// An array can be read as another format. Integers are filtered, too, if that is asked for.
static void
formats(CUtexref image) {
  CHECK(cuTexRefSetFormat(image, CU_AD_FORMAT_UNSIGNED_INT32, 1));
  EXPECT(run("plane", 1, 1.5f, 0, 2) == Floats({100.5f, 101.5f}));
  CHECK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT));
  EXPECT(run("plane", 1, 1.5f, 0, 2) == Floats({101, 102}));
  CHECK(cuTexRefSetFormat(image, CU_AD_FORMAT_UNSIGNED_INT8, 1));
  EXPECT(run("plane", 1, 1.5f, 0, 2) == Floats({0, 200 / 255.0f}));
  CHECK(cuTexRefSetArray(image, sheet, 0));
  expect_format(image, CU_AD_FORMAT_UNSIGNED_INT8, 1);
  CHECK(cuTexRefSetArray(image, colors, CU_TRSA_OVERRIDE_FORMAT));
  expect_format(image, CU_AD_FORMAT_UNSIGNED_INT8, 4);
  EXPECT(run("plane", 1, 1.5f, 0, 2) == Floats({68 / 255.0f, 72 / 255.0f}));
  CHECK(cuTexRefSetFlags(image, CU_TRSF_READ_AS_INTEGER));
  EXPECT(run_words("plane", 1, 1.5f, 0, 1) == std::vector<unsigned>({68, 69, 70, 71}));
  CHECK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
  EXPECT(run_words("plane", 1.25f, 1.5f, 0, 1) == std::vector<unsigned>({67, 68, 69, 70}));
  CHECK(cuTexRefSetFlags(image, 0));
  CHECK(cuTexRefSetArray(image, row, CU_TRSA_OVERRIDE_FORMAT));
  EXPECT(run("line", 1.25f, 0, 0, 2) == Floats({0.75f, 1.75f}));
  EXPECT(run_words("sizes", 0, 0, 0, 1) == std::vector<unsigned>({WIDTH, 1, 0, 0}));
}

static void
fill(CUarray array, const void *from, size_t row_bytes, size_t n_rows) {
  CUDA_MEMCPY2D copy;
  memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  copy.srcPitch = row_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = row_bytes;
  copy.Height = n_rows;
  CHECK(cuMemcpy2D(&copy));
}

static void
levels(CUtexref image) {
  const CUDA_ARRAY3D_DESCRIPTOR given = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray mipmap, found;
  CUarray level;
  CHECK(cuMipmappedArrayCreate(&mipmap, &given, 4));
  for (unsigned i = 0; i < 4; i++) {
    CHECK(cuMipmappedArrayGetLevel(&level, mipmap, i));
    fill(level, Floats(64, 10.0f * (i + 1)).data(), (8 >> i) * 4, 8 >> i);
  }
  FAILS(INVALID_HANDLE, cuTexRefSetMipmappedArray(image, NULL, CU_TRSA_OVERRIDE_FORMAT));
  CHECK(cuTexRefSetMipmappedArray(image, mipmap, CU_TRSA_OVERRIDE_FORMAT));
  CHECK(cuTexRefGetMipmappedArray(&found, image));
  EXPECT(found == mipmap);
  FAILS(INVALID_VALUE, cuTexRefGetArray(&level, image));
  EXPECT(run("levels", 0, 0, 0, 3) == Floats({10, 10, 10}));
  CHECK(cuTexRefSetMipmapLevelClamp(image, 0, 10));
  EXPECT(run("levels", 0, 0, 0, 5) == Floats({10, 20, 30, 40, 40}));
  CHECK(cuTexRefSetMipmapFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
  EXPECT(run("levels", 0.5f, 0, 0, 4) == Floats({15, 25, 35, 40}));
  CHECK(cuTexRefSetMipmapLevelBias(image, 1));
  EXPECT(run("levels", 0.5f, 0, 0, 4) == Floats({25, 35, 40, 40}));
  CHECK(cuTexRefSetMipmapLevelClamp(image, 1, 2));
  EXPECT(run("levels", 0.5f, 0, 0, 3) == Floats({25, 30, 30}));
  CHECK(cuMipmappedArrayDestroy(mipmap));
}

static void
surfaces() {
  CUtexref image = texture("second");
  CUsurfref written = surface("sheet");
  CUarray found;
  FAILS(INVALID_VALUE, cuSurfRefGetArray(&found, written));
  FAILS(INVALID_VALUE, cuSurfRefGetArray(NULL, written));
  FAILS(INVALID_VALUE, cuSurfRefSetArray(written, picture, 0));
  FAILS(INVALID_VALUE, cuSurfRefSetArray(written, sheet, 1));
  FAILS(INVALID_HANDLE, cuSurfRefSetArray(written, NULL, 0));
  CHECK(cuSurfRefSetArray(written, sheet, 0));
  CHECK(cuSurfRefGetArray(&found, written));
  EXPECT(found == sheet);
  EXPECT(run_words("surface_sizes", 0, 0, 0, 1) == std::vector<unsigned>({WIDTH, HEIGHT, 0, 0}));
  CHECK(cuTexRefSetArray(image, sheet, CU_TRSA_OVERRIDE_FORMAT));
  EXPECT(run_four("store", 7, 0)[1] == 0);
  run("store", 14, 0, 14, 4); // two of them beyond the end
  EXPECT(run("plane_second", 0.5f, 1.5f, 0, 3) == Floats({7, 101, 102}));
  EXPECT(run("plane_second", 13.5f, 1.5f, 0, 3) == Floats({113, 14, 15}));
}

// --- when it is looked at

static std::atomic<bool> may_go;

static void CUDA_CB
wait_here(void *) {
  while (!may_go)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

static float
first_found() {
  float found = 0;
  CHECK(cuMemcpyDtoH(&found, out, sizeof found));
  return found;
}

static void
order() {
  CUtexref image = texture("second");
  CUstream stream;
  CUgraph graph;
  CUfunction kernel;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuTexRefSetArray(image, sheet, CU_TRSA_OVERRIDE_FORMAT));
  CHECK(cuLaunchHostFunc(stream, wait_here, NULL));
  start("plane_second", 1.5f, 2.5f, 0, 1, stream);
  CHECK(cuTexRefSetArray(image, picture, CU_TRSA_OVERRIDE_FORMAT));
  may_go = true;
  CHECK(cuStreamSynchronize(stream));
  EXPECT(first_found() == 201);
  EXPECT(run("plane_second", 1.5f, 2.5f, 0, 1) == Floats({5201}));
  float x = 0, y = 0;
  unsigned n = 0;
  void *arguments[] = {&out, &x, &y, &n};
  CHECK(cuModuleGetFunction(&kernel, module, "plane_second"));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  FAILS(STREAM_CAPTURE_UNSUPPORTED,
        cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0));
  FAILS(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
  CHECK(cuStreamDestroy(stream));
}

static void
ends() {
  CUtexref made, image = texture("image");
  CUfunction kernel;
  CHECK(cuTexRefCreate(&made));
  CHECK(cuModuleGetFunction(&kernel, module, "plane"));
  CHECK(cuTexRefSetArray(image, picture, CU_TRSA_OVERRIDE_FORMAT));
  CHECK(cuTexRefSetAddress(NULL, made, memory, 256));
  CHECK(cuParamSetTexRef(kernel, CU_PARAM_TR_DEFAULT, image));
  CHECK(cuParamSetTexRef(kernel, CU_PARAM_TR_DEFAULT, made));
  FAILS(INVALID_HANDLE, cuParamSetTexRef(kernel, CU_PARAM_TR_DEFAULT, NULL));
  FAILS(INVALID_HANDLE, cuParamSetTexRef(NULL, CU_PARAM_TR_DEFAULT, image));
  FAILS(INVALID_VALUE, cuParamSetTexRef(kernel, CU_PARAM_TR_DEFAULT, texture("unbound")));
  CHECK(cuTexRefDestroy(made));
  CHECK(cuArrayDestroy(picture));
  expect_unbound(image);
  CHECK(cuTexRefDestroy(texture("second")));
  FAILS(NOT_FOUND, cuModuleGetTexRef(&made, module, "second"));
}

static CUarray
make_array(size_t height, CUarray_format format, unsigned n, unsigned flags) {
  const CUDA_ARRAY3D_DESCRIPTOR given = {WIDTH, height, 0, format, n, flags};
  CUarray array = NULL;
  CHECK(cuArray3DCreate(&array, &given));
  return array;
}

static void
prepare() {
  Floats numbers(2048), cells(WIDTH * HEIGHT);
  std::vector<unsigned char> bytes(4 * WIDTH * HEIGHT);
  for (size_t i = 0; i < numbers.size(); i++)
    numbers[i] = (float)i;
  for (size_t i = 0; i < bytes.size(); i++)
    bytes[i] = (unsigned char)i;
  CHECK(cuMemAlloc(&out, 1024));
  CHECK(cuMemAlloc(&memory, 8192));
  CHECK(cuMemAlloc(&other_memory, 8192));
  CHECK(cuMemcpyHtoD(memory, numbers.data(), 8192));
  sheet = make_array(HEIGHT, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
  picture = make_array(HEIGHT, CU_AD_FORMAT_FLOAT, 1, 0);
  colors = make_array(HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
  row = make_array(0, CU_AD_FORMAT_FLOAT, 1, 0);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    cells[i] = (float)(i % WIDTH + 100 * (i / WIDTH));
  fill(sheet, cells.data(), 4 * WIDTH, HEIGHT);
  fill(row, cells.data(), 4 * WIDTH, 1);
  for (float &cell : cells)
    cell += 5000;
  fill(picture, cells.data(), 4 * WIDTH, HEIGHT);
  fill(colors, bytes.data(), 4 * WIDTH, HEIGHT);
}

int
main() {
  CUcontext context;
  CUtexref made;
  FAILS(NOT_INITIALIZED, cuTexRefCreate(&made));
  CHECK(cuInit(0));
  FAILS(INVALID_CONTEXT, cuTexRefCreate(&made));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, references_text));
  prepare();
  names();
  CHECK(cuTexRefCreate(&made));
  defaults(made);
  CUtexref image = texture("image");
  defaults(image);
  without_answer(image);
  without_reference();
  settings(made);
  CHECK(cuTexRefDestroy(made));
  unbound();
  linear(image);
  integers(image);
  rows(image);
  modes(image);
  formats(image);
  levels(image);
  surfaces();
  order();
  ends();
  CHECK(cuModuleUnload(module));
  return finish("driver-references");
}
