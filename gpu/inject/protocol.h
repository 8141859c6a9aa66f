// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a process under `smembank capture` tells the command that records it, over a Unix socket: frames, each a kind
// and the bytes of its payload. A payload is a sequence of numbers, each 8 bytes in the order of the machine, and of
// byte strings, each after its length. Both sides are of one build, on one machine.
//
// A process says HELLO; at any time IMAGE, of each module that is loaded, UNLOAD, KERNEL, of each kernel that it sees
// for the first time, which is answered by ANSWER, COUNT, and LOST. Launches are recorded one after another: LAUNCH,
// then VARIABLE, MEMORY, SAME and NOTE frames, and READY before it runs; after one or, of a graph, several of them, END for
// each, in their order. For a process that goes away in between, what is READY counts.
#pragma once

#include <stdint.h>

#define INJECT_PROTOCOL 3

/** Largest piece of memory in one frame, in bytes: a piece of the capture file, too. */
#define INJECT_FRAME_BYTES (1u << 20)

/** What is larger is no frame: an image has at most so many bytes. */
#define INJECT_MAX_FRAME (UINT64_C(1) << 30)

typedef enum {
  /* protocol, process, driver's version */
  INJECT_HELLO,
  /* module, (bytes) as the driver loaded it */
  INJECT_IMAGE,
  /* module */
  INJECT_UNLOAD,
  /* (symbol), module, or 0: it is not known */
  INJECT_KERNEL,
  /* to KERNEL: wanted, whether its image is known, number of parameters, offset and size of each,
     number of variables, (name) and whether it is constant of each */
  INJECT_ANSWER,
  /* (symbol), module or 0, number, grid, block and cluster (3 numbers each), dynamic bytes, whether it is
     cooperative, stream, launch of the graph or 0, node, device, (its name), capability major and minor,
     registers, static shared bytes, (parameters) */
  INJECT_LAUNCH,
  /* (name), address, (contents) */
  INJECT_VARIABLE,
  /* address and bytes of the allocation, its InjectMemory, offset, (contents, or none) */
  INJECT_MEMORY,
  /* address and bytes of the allocation, its InjectMemory, offset, bytes: they are those that the last MEMORY frame of this address had */
  INJECT_SAME,
  /* (what is not certain of the launch, in a sentence) */
  INJECT_NOTE,
  /* all is said that holds before the launch */
  INJECT_READY,
  /* whether it was timed, nanoseconds */
  INJECT_END,
  /* (symbol), launches seen since the previous report */
  INJECT_COUNT,
  /* (symbol), (why a launch of it was not recorded) */
  INJECT_LOST,
  INJECT_N_KINDS
} InjectKind;

typedef struct {
  uint64_t kind;
  uint64_t bytes; /* of the payload, which follows */
} InjectFrame;

typedef enum {
  INJECT_DEVICE,
  INJECT_MANAGED,
  INJECT_HOST,
} InjectMemory;

/** What the command tells the processes, in their environment. */
#define INJECT_SOCKET "SMEMBANK_CAPTURE_SOCKET" /* path of the socket */
#define INJECT_CUPTI  "SMEMBANK_CAPTURE_CUPTI"  /* path of CUPTI */
#define INJECT_BYTES                                                                               \
  "SMEMBANK_CAPTURE_BYTES" /* most memory that is recorded of a launch; 0: none */
#define INJECT_RANGE                                                                               \
  "SMEMBANK_CAPTURE_RANGE" /* FIRST LAST EVERY: which of the launches that match */
