// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The other side: `smembank run`, which loads modules and runs kernels (protocol.h).
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/driver/protocol.h"
#include "gpu/inject/payload.h"

// What one device has that not all of its architecture have (data/devices).
typedef struct {
#define FACT(field, key) unsigned field;
#include "gpu/driver/device/facts.def"
#undef FACT
} Facts;

// What the device is, as the command says.
typedef struct {
  unsigned major, minor;        // compute capability
  unsigned block_shared;        // bytes of shared memory of a block
  unsigned opt_in_shared;       // with cudaFuncSetAttribute
  unsigned sm_shared;           // of a multiprocessor
  unsigned sm_warps, sm_blocks; // of a multiprocessor
  unsigned block_reserved;      // bytes of shared memory that each block takes in addition
  unsigned shared_unit;         // shared memory is given in multiples of it
  bool skips;                   // kernels are not run
  Facts facts;
  char name[256];
} Device;

// Connects, once. Returns NULL if no command listens: there is no device.
const Device *client_device(void);

// Whether that has been done, and there is a device.
bool client_is_connected(void);

// Sends a request, empties @payload, and waits for the answer, which replaces what @payload had. Returns the RunStatus that the
// answer begins with; RUN_FAILED if none came.
RunStatus client_ask(RunKind kind, SmbPayload *payload);
