// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the driver makes of the arguments of cuTensorMapEncode...: a line for each call, its arguments, the error, and the 128 bytes.
//
//   tensor-maps [COUNT]      after fixed calls, COUNT random ones (default 1000) of each function
//
// Lines: FUNCTION type rank address dims... / strides... / box or corners... / element strides... / interleave [mode] swizzle promotion
// fill = error [hexadecimal bytes]. Numbers are decimal but for the address. No kernel is run; the GPU is asked for its architecture only.
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char function; // T, I, W: Tiled, Im2col, Im2colWide
  int type, rank, interleave, mode, swizzle, promotion, fill;
  uint64_t address, dims[5], strides[5];
  uint32_t box[5], steps[5];
  int lower[3], upper[3];
  uint32_t channels, pixels;
} Call;

static uint64_t state = 20261128;

static uint64_t
draw(uint64_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % n;
}

static int bits_of[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};

static void
call(const Call *c) {
  CUtensorMap map __attribute__((aligned(64)));
  memset(&map, 0xa5, sizeof map);
  CUresult rc;
  void *address = (void *)(uintptr_t)c->address;
  if (c->function == 'T')
    rc = cuTensorMapEncodeTiled(&map, c->type, c->rank, address, (const cuuint64_t *)c->dims,
                                (const cuuint64_t *)c->strides, c->box, c->steps, c->interleave,
                                c->swizzle, c->promotion, c->fill);
  else if (c->function == 'I')
    rc = cuTensorMapEncodeIm2col(&map, c->type, c->rank, address, (const cuuint64_t *)c->dims,
                                 (const cuuint64_t *)c->strides, c->lower, c->upper, c->channels,
                                 c->pixels, c->steps, c->interleave, c->swizzle, c->promotion,
                                 c->fill);
  else
    rc = cuTensorMapEncodeIm2colWide(&map, c->type, c->rank, address, (const cuuint64_t *)c->dims,
                                     (const cuuint64_t *)c->strides, c->lower[0], c->upper[0],
                                     c->channels, c->pixels, c->steps, c->interleave, c->mode,
                                     c->swizzle, c->promotion, c->fill);
  printf("%c %d %d %llx", c->function, c->type, c->rank, (unsigned long long)c->address);
  int rank = c->rank < 1 ? 1 : c->rank > 5 ? 5 : c->rank;
  for (int i = 0; i < rank; i++)
    printf(" %llu", (unsigned long long)c->dims[i]);
  printf(" /");
  for (int i = 0; i + 1 < rank; i++)
    printf(" %llu", (unsigned long long)c->strides[i]);
  printf(" /");
  if (c->function == 'T')
    for (int i = 0; i < rank; i++)
      printf(" %u", c->box[i]);
  else {
    int n = c->function == 'W' ? 1 : rank > 2 ? rank - 2 : 0;
    for (int i = 0; i < n; i++)
      printf(" %d", c->lower[i]);
    for (int i = 0; i < n; i++)
      printf(" %d", c->upper[i]);
    printf(" %u %u", c->channels, c->pixels);
  }
  printf(" /");
  for (int i = 0; i < rank; i++)
    printf(" %u", c->steps[i]);
  printf(" / %d", c->interleave);
  if (c->function == 'W')
    printf(" %d", c->mode);
  printf(" %d %d %d = %d", c->swizzle, c->promotion, c->fill, rc);
  if (rc == CUDA_SUCCESS) {
    printf(" ");
    for (int i = 0; i < 128; i++)
      printf("%02x", ((unsigned char *)&map)[i]);
  }
  printf("\n");
}

static Call
plain(char function, int rank) {
  Call c = {.function = function,
            .type = 7,
            .rank = rank,
            .address = 0x7f0000001000,
            .channels = 32,
            .pixels = 64};
  uint64_t stride = 4096;
  for (int i = 0; i < 5; i++) {
    c.dims[i] = 64 + i;
    c.strides[i] = stride;
    stride *= 128;
    c.box[i] = i ? 4 : 8;
    c.steps[i] = 1;
  }
  for (int i = 0; i < 3; i++) {
    c.lower[i] = -1;
    c.upper[i] = -1;
  }
  if (function == 'W')
    c.swizzle = 3;
  return c;
}

// --- each argument by itself, each bit of each number; in the order in which they were recorded

static void
fixed_modes(char function, int rank) {
  Call c = plain(function, rank);
  for (int type = -1; type <= 16; type++) {
    c.type = type;
    call(&c);
  }
  c = plain(function, rank);
  for (int swizzle = -1; swizzle <= 7; swizzle++) {
    c.swizzle = swizzle;
    call(&c);
    for (int interleave = 0; interleave <= 3; interleave++) {
      c.interleave = interleave;
      call(&c);
    }
    c.interleave = 0;
  }
  c = plain(function, rank);
  for (int promotion = -1; promotion <= 4; promotion++) {
    c.promotion = promotion;
    call(&c);
  }
  c = plain(function, rank);
  for (int fill = -1; fill <= 2; fill++) {
    c.fill = fill;
    call(&c);
  }
  for (int mode = -1; mode <= 2; mode++) {
    c = plain(function, rank);
    c.mode = mode;
    call(&c);
  }
  for (int bit = 0; bit < 64; bit++) {
    c = plain(function, rank);
    c.address = 1ull << bit;
    call(&c);
  }
}

static void
fixed_corners(char function, int rank, int i) {
  for (int value = -40000; value <= 40000; value += value > -300 && value < 300 ? 7 : 3000) {
    if (i + 2 >= rank)
      continue;
    Call c = plain(function, rank);
    c.lower[i] = value;
    call(&c);
    c = plain(function, rank);
    c.upper[i] = value;
    call(&c);
  }
}

static void
fixed_dimension(char function, int rank, int i) {
  Call c;
  for (int bit = 0; bit < 35; bit++) {
    c = plain(function, rank);
    c.dims[i] = 1ull << bit;
    call(&c);
    c.dims[i]++;
    call(&c);
  }
  for (int bit = 0; bit < 42 && i + 1 < rank; bit++) {
    c = plain(function, rank);
    c.strides[i] = 1ull << bit;
    call(&c);
  }
  for (int bit = 0; bit < 11; bit++) {
    c = plain(function, rank);
    c.type = 0;
    c.box[i] = 1u << bit;
    call(&c);
    c.box[i]--;
    call(&c);
  }
  for (uint32_t step = 0; step < 10; step++) {
    c = plain(function, rank);
    c.steps[i] = step;
    call(&c);
  }
  if (function != 'T')
    fixed_corners(function, rank, i);
}

static void
fixed_pixels(char function, int rank) {
  for (int bit = 0; bit < 12; bit++) {
    Call c = plain(function, rank);
    c.type = 0;
    c.swizzle = 0;
    c.channels = 1u << bit;
    call(&c);
    c.channels--;
    call(&c);
    c = plain(function, rank);
    c.pixels = 1u << bit;
    call(&c);
    c.pixels--;
    call(&c);
  }
}

static void
fixed(char function) {
  for (int rank = 0; rank <= 6; rank++) {
    Call c = plain(function, rank);
    call(&c);
  }
  for (int rank = function == 'T' ? 1 : 3; rank <= 5; rank++) {
    fixed_modes(function, rank);
    for (int i = 0; i < rank; i++)
      fixed_dimension(function, rank, i);
    if (function != 'T')
      fixed_pixels(function, rank);
  }
}

static void
random_call(char function) {
  int first = function == 'T' ? 1 : 3;
  Call c = plain(function, first + (int)draw(6 - first));
  c.type = (int)draw(draw(4) ? 13 : 16);
  c.address = draw(1ull << 47) & (draw(8) ? ~31ull : ~15ull);
  c.interleave = draw(3) ? 0 : (int)draw(3);
  c.swizzle = c.interleave == 2 && draw(8) ? 1 : (int)draw(draw(4) ? 4 : 7);
  c.promotion = (int)draw(4);
  c.fill = (int)draw(2);
  c.mode = (int)draw(2);
  uint64_t least = 0;
  for (int i = 0; i < 5; i++) {
    c.dims[i] = 1 + draw(1ull << draw(20));
    if (c.type >= 13 && !i)
      c.dims[i] = (c.dims[i] + 127) / 128 * 128;
    least = i == 0 ? (c.dims[0] * bits_of[c.type] + 7) / 8 : c.strides[i - 1] * c.dims[i];
    c.strides[i] = (least + (draw(2) ? draw(4096) : 0) + 31) / 32 * 32;
    if (!draw(12))
      c.strides[i] = draw(1ull << 41) & ~15ull;
    c.box[i] = 1 + draw(256);
    c.steps[i] = draw(2) ? 1 : 1 + draw(8);
  }
  int span = c.interleave ? 256 : c.swizzle == 0 ? 256 : 16 << (c.swizzle > 3 ? 3 : c.swizzle);
  uint32_t inner = (uint32_t)(16 * (1 + draw(span / 16)) * 8 / bits_of[c.type]);
  if (draw(8))
    c.box[0] = c.type >= 14 ? 128 : inner;
  if (c.type == 13)
    c.box[0] = 32 * (1 + draw(4));
  c.channels = c.box[0];
  c.pixels = 1 + draw(draw(8) ? 1024 : 1100);
  int range = c.rank == 3 || function == 'W' ? 300 : c.rank == 4 ? 120 : 15;
  for (int i = 0; i < 3; i++) {
    c.lower[i] = (int)draw(2 * range) - range;
    c.upper[i] = (int)draw(2 * range) - range;
  }
  call(&c);
}

int
main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1000, driver, major, minor;
  CUdevice device;
  CUcontext context;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context))
    return 1;
  cuDriverGetVersion(&driver);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  char name[100];
  cuDeviceGetName(name, sizeof name, device);
  printf("# %s, sm_%d%d, CUDA %d\n", name, major, minor, driver);
  for (const char *f = "TIW"; *f; f++) {
    fixed(*f);
    for (int i = 0; i < count; i++)
      random_call(*f);
  }
  return 0;
}
