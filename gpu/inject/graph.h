// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs: which kernels an executable graph launches. They are read when it is made of a graph, and followed when it is
// updated; the driver says nothing of them later.
#pragma once

#include "gpu/inject/record.h"

void graph_start(const InjectDriver *driver);

// An executable graph was made of a graph.
void graph_made(void *exec, void *graph);
void graph_destroyed(void *exec);

// It does what another graph of the same form says.
void graph_updated(void *exec, void *graph);

// What a kernel node launches was changed, or all that a child graph does.
void graph_changed(void *exec, void *node, const CuKernelNodeParams *params);
void graph_child_changed(void *exec, void *node, void *graph);

// A node is left out of launches, or is in them again.
void graph_enabled(void *exec, void *node, bool is_on);

// It is launched: its kernels that are wanted are recorded (record_is_open(): any were), or told as lost.
void graph_launched(void *exec, void *stream);
