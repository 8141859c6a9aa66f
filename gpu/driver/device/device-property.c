// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the device is: attributes, one by one (attributes.def), and all in one structure (properties.def).
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/memory/memory.h"

#define PROPERTY(type, name, value)    type name;
#define PROPERTIES(type, name, n, ...) type name[n];
#define PROPERTY_12(type, name, value) PROPERTY(type, name, value)
#define PROPERTY_13(type, name, value)
#define PADDING(n_12, n_13) int reserved[n_12];
typedef struct {
#include "gpu/driver/device/properties.def"
} Properties12;
#undef PROPERTY_12
#undef PROPERTY_13
#undef PADDING
#define PROPERTY_12(type, name, value)
#define PROPERTY_13(type, name, value) PROPERTY(type, name, value)
#define PADDING(n_12, n_13)            int reserved[n_13];
typedef struct {
#include "gpu/driver/device/properties.def"
} Properties13;
#undef PROPERTY
#undef PROPERTIES
#undef PROPERTY_12
#undef PROPERTY_13
#undef PADDING

_Static_assert(sizeof(Properties12) == 1032, "as CUDA 12 has it");
_Static_assert(sizeof(Properties13) == 1008, "as CUDA 13 has it");

typedef struct {
  int number;
  unsigned value;
} Attribute;

enum {
#define ATTRIBUTE(name, number, value) ATTRIBUTE_##name,
#include "gpu/driver/device/attributes.def"
#undef ATTRIBUTE
  N_ATTRIBUTES
};

static void
list_attributes(const Device *D, Attribute attributes[N_ATTRIBUTES]) {
  const Attribute all[] = {
#define ATTRIBUTE(name, number, value) {number, (unsigned)(value)},
#include "gpu/driver/device/attributes.def"
#undef ATTRIBUTE
  };
  memcpy(attributes, all, sizeof all);
}

static cudaError_t
check_device(const void *answer, int device) {
  cudaError_t error = error_check_device();
  return error         ? error
         : !answer     ? cudaErrorInvalidValue
         : device != 0 ? cudaErrorInvalidDevice
                       : cudaSuccess;
}

API cudaError_t
cudaDeviceGetAttribute(int *value, int attribute, int device) {
  Attribute attributes[N_ATTRIBUTES];
  cudaError_t error = check_device(value, device);
  if (error)
    return error_keep(error);
  list_attributes(client_device(), attributes);
  for (int i = 0; i < N_ATTRIBUTES; i++)
    if (attributes[i].number == attribute) {
      *value = (int)attributes[i].value;
      return cudaSuccess;
    }
  return error_keep(cudaErrorInvalidValue);
}

#define A(name)                     attributes[ATTRIBUTE_##name].value
#define PROPERTY(type, name, value) filled->name = (type)(value);
#define PROPERTIES(type, name, n, ...)                                                             \
  {                                                                                                \
    const type values[n] = {__VA_ARGS__};                                                          \
    memcpy(filled->name, values, sizeof values);                                                   \
  }
#define PADDING(n_12, n_13)

static void
fill_12(Properties12 *filled, const Attribute *attributes) {
#define PROPERTY_12(type, name, value) PROPERTY(type, name, value)
#define PROPERTY_13(type, name, value)
  memset(filled, 0, sizeof *filled);
#include "gpu/driver/device/properties.def"
  memcpy(filled->name, client_device()->name, sizeof filled->name);
#undef PROPERTY_12
#undef PROPERTY_13
}

static void
fill_13(Properties13 *filled, const Attribute *attributes) {
#define PROPERTY_12(type, name, value)
#define PROPERTY_13(type, name, value) PROPERTY(type, name, value)
  memset(filled, 0, sizeof *filled);
#include "gpu/driver/device/properties.def"
  memcpy(filled->name, client_device()->name, sizeof filled->name);
}

static cudaError_t
take_properties(void *properties, int device, bool is_12) {
  Attribute attributes[N_ATTRIBUTES];
  cudaError_t error = check_device(properties, device);
  if (error)
    return error_keep(error);
  list_attributes(client_device(), attributes);
  if (is_12)
    fill_12(properties, attributes);
  else
    fill_13(properties, attributes);
  return cudaSuccess;
}

#if CUDART_MAJOR == 12
API cudaError_t
cudaGetDeviceProperties_v2(void *properties, int device) {
  return take_properties(properties, device, true);
}

// What programs call that were compiled before CUDA 12 has fewer members, which are the first ones of CUDA 12.
API cudaError_t
cudaGetDeviceProperties(void *properties, int device) {
  Properties12 all;
  cudaError_t error = take_properties(&all, device, true);
  if (!error)
    memcpy(properties, &all, offsetof(Properties12, hostRegisterSupported));
  return error;
}
#else
API cudaError_t
cudaGetDeviceProperties(void *properties, int device) {
  return take_properties(properties, device, false);
}
#endif

// The one that there is comes closest to what is wanted.
API cudaError_t
cudaChooseDevice(int *device, const void *properties) {
  cudaError_t error = check_device(properties ? device : NULL, 0);
  if (!error)
    *device = 0;
  return error_keep(error);
}
