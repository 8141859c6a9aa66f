// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Recording launches: before a launch runs, the device becomes idle and the memory that the launch can reach is sent;
// after it has run, its time. One launch of a process is recorded at a time; other wanted launches wait for it.
#pragma once

#include "gpu/inject/kernel.h"
#include "gpu/inject/memory.h"

typedef struct {
  Kernel *kernel;
  unsigned grid[3];
  unsigned block[3];
  unsigned cluster[3]; // zeros: none
  unsigned dynamic_bytes;
  bool is_cooperative;
  void *stream;
  const unsigned char *parameters; // their bytes
  size_t parameter_bytes;
  unsigned long number; // of those that match, in its process, from 1
} Launch;

// What is recorded, as the command said.
typedef struct {
  uint64_t memory_bytes; // most of a launch; 0: none
  unsigned long first, last, every;
} RecordOptions;

void record_start(const InjectDriver *driver, const InjectCupti *cupti,
                  const RecordOptions *options);

// The number of a launch that matches, which is the next one; whether it is one of those that are recorded.
bool record_chooses(unsigned long *number);

// From here to record_end() nothing else is recorded. Returns whether the device came to rest, and launches may be
// recorded; else one of @kernel is lost, and nothing is begun.
bool record_begin(const Kernel *kernel);

// A launch of a kernel, or of what @symbol says in words, cannot be recorded. @why: in words that follow "was not
// recorded: ".
void record_drop(const char *symbol, const char *why);

// Where a launch is in a graph, and what of memory is not as it will be then.
typedef struct {
  unsigned long graph; // launches of graphs with this one, from 1; 0: it is not of a graph
  unsigned long node;  // its number there, from 1
  Reach *others;   // (nullable): what other nodes of the graph reach, which run before or beside it
  bool all_spoilt; // other nodes may write anything
} Place;

void record_launch(const Launch *launch, const Place *place);

// All launches since record_begin() have been started: waits for them, and sends how long each took, in their order.
void record_end(void);

// Whether this thread is between the two.
bool record_is_open(void);

// Whether what is launched into a stream is taken down in place of being run.
bool record_is_capturing(void *stream);
