// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs that kernels launch and change, from the thread that runs them.
#pragma once

#include "gpu/driver/graph/graph.h"

// What kernels have for a node that they can change.
typedef struct DeviceNode {
  Node *node; // of the graph that is executed, once there is one
} DeviceNode;

// Makes a node of a kernel one that kernels can change. NULL: there is no memory.
DeviceNode *device_node_make(Node *node);

// Whether kernels could launch the graph: a result of cudaGraphInstantiateParams, and the node that is in the way.
int device_graph_check(const Graph *graph, Node **node);

// The graph that the kernel to be launched is part of, if kernels can launch that one; else 0.
uint64_t device_graph_current(void);

// --- what a kernel asks for while it runs

cudaError_t device_graph_launch(Exec *exec, uint64_t stream);
cudaError_t device_node_set_parameter(DeviceNode *node, uint64_t offset, const void *bytes,
                                      uint64_t length);
cudaError_t device_node_set_grid(DeviceNode *node, dim3 grid);
cudaError_t device_node_enable(DeviceNode *node, bool is_enabled);
