// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Whether a device computes what the host does: the kernels of tests/sass-sweep.py, which it leaves in its folder.
//
//   python3 tests/sass-sweep.py NVCC tests/sweep-values FOLDER --chips 90 --levels O3    (here; keep FOLDER)
//   nvcc -o sass-sweep tests/gpu/sass-sweep.cu -lcuda
//   ./sass-sweep FOLDER/sm_90.O3.manifest FOLDER/inputs FOLDER/expected FOLDER/sm_90.O3.cubin    (there)
//
// Prints a line for each kernel that differs, with its first difference, and the sum. FOLDER/sm_90.O3.cu says which function a kernel is.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

typedef std::vector<unsigned char> Bytes;
typedef unsigned long long Word;

static const size_t STRIDE = 16, MAX_COLUMNS = 16;

static void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  const char *name = "";
  cuGetErrorName(result, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(2);
}

static Bytes read_file(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(2);
  }
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

struct Format {
  const char *name;
  unsigned bytes, fraction;
};
static const Format formats[] = {{"f16", 2, 10}, {"bf16", 2, 7}, {"f32", 4, 23}, {"f64", 8, 52}, {"e5m2", 1, 2}};

static bool is_equal(const std::string &kind, Word slack, const unsigned char *x, const unsigned char *y, unsigned bytes) {
  for (const Format &format : formats) {
    if (kind != format.name)
      continue;
    for (unsigned i = 0; i < bytes; i += format.bytes) {
      Word a = 0, b = 0, sign = 1ull << (8 * format.bytes - 1), infinity = (sign - 1) >> format.fraction << format.fraction;
      memcpy(&a, x + i, format.bytes);
      memcpy(&b, y + i, format.bytes);
      bool nan = (a & ~sign) > infinity, other = (b & ~sign) > infinity;
      long long p = a & sign ? -(long long)(a & ~sign) : (long long)a, q = b & sign ? -(long long)(b & ~sign) : (long long)b;
      if (nan != other || (!nan && (Word)(p < q ? q - p : p - q) > slack))
        return false;
    }
    return true;
  }
  return memcmp(x, y, bytes) == 0;
}

static std::string digits(const unsigned char *bytes, unsigned n) {
  std::string text = "0x";
  char byte[3];
  while (n-- > 0) {
    snprintf(byte, sizeof byte, "%02x", bytes[n]);
    text += byte;
  }
  return text;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: sass-sweep MANIFEST INPUTS EXPECTED CUBIN\n");
    return 2;
  }
  Bytes inputs = read_file(argv[2]), expected = read_file(argv[3]), image = read_file(argv[4]);
  CUdevice device;
  CUcontext context;
  CUmodule module;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(cuModuleLoadData(&module, image.data()), argv[4]);
  std::ifstream manifest(argv[1]);
  std::string line, word;
  unsigned threads = 0;
  manifest >> word >> threads;
  CUdeviceptr in, out;
  Bytes found(threads * STRIDE * MAX_COLUMNS);
  check(cuMemAlloc(&in, inputs.size()), "cuMemAlloc");
  check(cuMemAlloc(&out, found.size()), "cuMemAlloc");
  check(cuMemcpyHtoD(in, inputs.data(), inputs.size()), "cuMemcpyHtoD");
  unsigned kernels = 0, different = 0;
  while (std::getline(manifest, line)) {
    std::istringstream words(line);
    std::string name, kind, columns, argument;
    Word slack, offset;
    unsigned vague, bytes;
    if (!(words >> name >> kind >> slack >> vague >> columns >> bytes >> offset))
      continue;
    std::vector<Bytes> values;
    while (words >> argument) { // "2=raw:00ff…"
      Bytes value;
      for (size_t i = argument.find(':') + 1; i + 1 < argument.size(); i += 2)
        value.push_back((unsigned char)strtoul(argument.substr(i, 2).c_str(), NULL, 16));
      values.push_back(value);
    }
    std::vector<void *> arguments = {&out, &in};
    for (Bytes &value : values)
      arguments.push_back(value.data());
    CUfunction function;
    check(cuModuleGetFunction(&function, module, name.c_str()), name.c_str());
    check(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, arguments.data(), NULL), name.c_str());
    check(cuCtxSynchronize(), name.c_str());
    check(cuMemcpyDtoH(found.data(), out, found.size()), "cuMemcpyDtoH");
    kernels++;
    if (kind == "none")
      continue;
    unsigned wrong = 0;
    std::istringstream list(columns);
    for (std::string column; std::getline(list, column, ',');)
      for (unsigned t = 0; t < threads; t++) {
        size_t at = strtoul(column.c_str(), NULL, 10) * threads + t;
        const unsigned char *x = &found[at * STRIDE], *y = &expected[offset + at * bytes];
        if (is_equal(kind, slack, x, y, bytes) || wrong++)
          continue;
        printf("%s: call %s, thread %u: %s, of the host %s\n", name.c_str(), column.c_str(), t, digits(x, bytes).c_str(),
               digits(y, bytes).c_str());
      }
    different += wrong > 0;
  }
  printf("%u kernels, %u of them differ from the host\n", kernels, different);
  return different > 0;
}
