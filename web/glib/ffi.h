// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The names of libffi that GObject is compiled with. It calls handlers of signals with any arguments by them; nothing here has a
// signal with a handler, so web/absent.c ends the program where they are called.
#pragma once
#include <stddef.h>

typedef struct {
  size_t size;
} ffi_type;
typedef struct {
  int unused;
} ffi_cif;
typedef int ffi_arg, ffi_sarg, ffi_status;
enum {
  FFI_OK,
  FFI_DEFAULT_ABI,
};

extern ffi_type ffi_type_void, ffi_type_float, ffi_type_double, ffi_type_pointer;
extern ffi_type ffi_type_uint32, ffi_type_sint32, ffi_type_uint64, ffi_type_sint64;
#define ffi_type_uchar ffi_type_uint32
#define ffi_type_schar ffi_type_sint32
#define ffi_type_uint  ffi_type_uint32
#define ffi_type_sint  ffi_type_sint32
#define ffi_type_ulong ffi_type_uint32
#define ffi_type_slong ffi_type_sint32

ffi_status ffi_prep_cif(ffi_cif *cif, int abi, unsigned n, ffi_type *result, ffi_type **types);
void ffi_call(ffi_cif *cif, void (*function)(void), void *result, void **values);
