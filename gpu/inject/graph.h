// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs: which kernels an executable graph launches. They are read when it is made of a graph, and followed when it is
// updated; the driver says nothing of them later.
#pragma once

#include "gpu/inject/record.h"

void graph_start(const InjectDriver *driver);

// An executable graph was made of, or updated from, a graph.
void graph_made(void *exec, void *graph);
void graph_destroyed(void *exec);

// What a kernel node launches was changed.
void graph_changed(void *exec, void *node, const CuKernelNodeParams *params);

// Something of it was changed, and it is not known what.
void graph_lost(void *exec);

// It is launched: its kernels that are wanted are recorded (record_is_open(): any were).
void graph_launched(void *exec, void *stream);
