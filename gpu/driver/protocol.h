// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a process under `smembank run` asks the command, over a Unix socket: frames and payloads as those of a capture
// (gpu/inject/protocol.h). Every request has one answer of the same kind, and a process has one request under way at a time. Before it answers a launch, the command
// may ask the process.
//
// Device memory is a file without a name (memfd) that both sides map: a launch reads and writes it in place, and only
// addresses travel.
#pragma once

#include <stdint.h>

#include "gpu/inject/protocol.h"

#define RUN_PROTOCOL 1

/** The variable of the environment that has the path of the socket. */
#define RUN_SOCKET "SMEMBANK_RUN_SOCKET"

typedef enum {
  RUN_HELLO =
      INJECT_N_KINDS, /* protocol, process, file descriptor of the memory in it, address and bytes of the memory;
                       answer: RunStatus, major and minor of the compute capability, bytes of shared memory of a block,
                       the most with opt-in, and of a multiprocessor, warps and blocks of a multiprocessor, shared memory that
                       each block takes in addition, and its unit, what facts.def lists, (name), bytes
                       of device memory, whether the program is checked, whether kernels are skipped */
  RUN_MODULE, /* its number, (fatbin or cubin); answer: RunStatus, (message), number of kernels, of each (symbol), registers,
                       local, static shared and parameter bytes, most threads, cluster that it requires (3 numbers), whether its code names
                       textures or surfaces, number of parameters, offset and bytes of each;
                       number of variables, of each (name), bytes, whether it is constant, (contents, or none: zeros),
                       number of pointers in them, of each its offset, the index of the variable it points at, and what is added;
                       whether kernels allocate memory of the heap; number of references, of each (name), whether it is a surface */
  RUN_UNLOAD, /* its number; answer: RunStatus */
  RUN_LAUNCH, /* whether the process goes on if the launch waits, whether it may begin before the launch before it has ended, module, (symbol), grid, block and cluster (3 numbers each), dynamic bytes, whether it is cooperative, stream,
                       (parameters), number of variables, of each (name), address and bytes; number of allocations, of each address,
                       bytes and InjectMemory; the same of memory of the host that is registered; number of ranges of it that lie
                       elsewhere in the memory, of each address, where, bytes; address and bytes of the heap, or zeros; number of textures and
                       surfaces, of each (SmbTexture); number of references of the module, of each (name), the number of its texture; the graph that the launch is part of, if kernels can launch that one, or 0;
                       answer: RunStatus, (message), (what printf wrote), (what failed assertions say); or RUN_WAITS, the number of the launch,
                       whether it changed memory since it waited before */
  RUN_RESUME, /* number of a launch that waits, whether nobody will write what it waits for; answer: as that of RUN_LAUNCH */
  RUN_WRITTEN, /* of a program that is checked: the descriptor of a file with a bit for each byte of the memory, the lowest of a byte
                       first: whether anything was written there since it was allocated; answer: RunStatus */
  RUN_FOUND,   /* the same: RunFound, (function), (text), number, bytes; answer: RunStatus */
  RUN_SHARE, /* of its own memory: where; of the process whose memory is there from now on: process, descriptor, where, bytes; answer:
                RunStatus */
  RUN_LINK, /* number of inputs, of each its kind (CUjitInputType) and (bytes); answer: RunStatus (RUN_NO_IMAGE: there is no compiler), (message),
                       (machine code) */
  RUN_QUESTION, /* of the command, while a launch is under way: (function), module, (symbol of the kernel that is meant, or nothing),
                       number of arguments, each; answer of the process: cudaError, (what the function gives) */
} RunKind;

/** What the library finds. The number is that of an error, or an address. */
typedef enum {
  RUN_FOUND_CALL, /* a call returned an error: its name */
  RUN_FOUND_COPY, /* bytes that nothing was written to were copied to the host, from an address: those of the copy */
  RUN_FOUND_LEAK, /* memory at an address was not freed when the program ended: by what it was allocated */
} RunFound;

/** How a request ended; numbers of the protocol, which the library makes errors of CUDA of. */
typedef enum {
  RUN_DONE,
  RUN_NO_IMAGE,    /* no code for this device */
  RUN_INVALID,     /* a request that makes no sense */
  RUN_ADDRESS,     /* the kernel accessed memory that is not allocated */
  RUN_FAILED,      /* the kernel failed otherwise */
  RUN_MISALIGNED,  /* the kernel accessed an address that is not a multiple of the width */
  RUN_ASSERT,      /* an assertion failed */
  RUN_INSTRUCTION, /* an instruction had operands that it does not take */
  RUN_WAITS,       /* its threads wait for what the program, or another launch, has to write */
} RunStatus;
