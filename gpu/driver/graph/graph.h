// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs: calls as nodes, and which ones each follows.
#pragma once

#include "gpu/driver/stream/call.h"

typedef struct Node {
  struct Graph *graph;
  Call call;
  struct Node **dependencies; // each once
  size_t n_dependencies;
  const struct Node *origin; // (nullable): that this one is a copy of
  bool is_disabled;          // in a graph that is executed
  struct DeviceNode
      *device; // (nullable): what kernels change it by (device-graph.h); the last copy owns it
  size_t mark; // of whoever goes through the graph
} Node;

// A reference that a graph has to an object of the program.
typedef struct Held {
  struct Held *next;
  struct UserObject *object;
  unsigned count;
} Held;

typedef struct Graph {
  Node **nodes; // in the order in which they were added
  size_t n_nodes, room;
  Held *held;
  bool is_part;                  // of a node, which it is freed with
  struct Condition **conditions; // whose handles were made for it
  size_t n_conditions;
  const struct Exec
      *exec; // (nullable): of one with conditions, what executes it; of a copy, that it is of
} Graph;

typedef struct Exec {
  Graph *graph;
  Node **order; // one in which nodes can run
  unsigned long long flags;
  uint64_t ticket;  // of its last launch
  bool is_uploaded; // kernels can launch it
  bool waits;       // a kernel has launched it, and it does not run yet
} Exec;

Graph *graph_new(void);
void graph_free(Graph *graph);
Graph *graph_copy(const Graph *graph);

// A node that follows others of the graph, and has taken the call. NULL: there is no memory.
Node *graph_add(Graph *graph, Call *call, Node *const *dependencies, size_t n);
void graph_remove(Node *node);

// That a node follows another. Returns whether it did not so far; whether it did.
bool node_follow(Node *node, Node *before);
bool node_unfollow(Node *node, const Node *before);
bool node_follows(const Node *node, const Node *before);

// The nodes in an order in which each follows what it has to. NULL: there is none, or no memory. The caller frees it.
Node **graph_sort(const Graph *graph);

cudaError_t graph_run(const Graph *graph);
cudaError_t exec_run(Exec *exec);
cudaError_t exec_run_nodes(const Exec *exec);
// Runs what kernels of the graph that this thread runs have launched, to be forgotten.
cudaError_t exec_run_launched(void);

// Whether functions of the host are called.
bool exec_calls_host(const Exec *exec);
void exec_set_ticket(Exec *exec, uint64_t ticket);

// The node of a graph that is executed that stands for one of the graph that it was made of. NULL: there is none.
Node *exec_find(const Exec *exec, const Node *node);

// What a program gives, and gets, as the parameters of a node.
cudaError_t node_make_kernel(Call *call, const cudaKernelNodeParams *parameters);
cudaError_t node_make_call(Call *call, cudaGraphNodeParams *parameters);

// The node does another call of the same kind, which is taken.
cudaError_t node_replace(Node *node, Call *call);

// Whether two graphs have the same form, node by node.
cudaGraphExecUpdateResultInfo graphs_compare(const Graph *own, const Graph *graph);

// Whether a graph cannot be copied, nor be part of another one, and is executed by one at a time: it has conditions, allocates, or has
// nodes that kernels change.
bool graph_is_single(const Graph *graph);

// Conditions of a graph, which its copies share; @begin: what they are at first.
bool conditions_hold_again(Graph *to, const Graph *from);
void conditions_drop_all(Graph *graph);
void conditions_begin(const Graph *graph);

// Whether a graph may have the node of a condition: it was made for it, or the graph is a body.
bool condition_is_of(uint64_t handle, const Graph *graph);

// Whether a graph has conditions (graph_is_single()).
bool graph_has_conditions(const Graph *graph);

// Whether a graph can be executed, as far as nodes with conditions say so: a result of cudaGraphInstantiateParams.
int conditions_check(const Graph *graph);

// References to objects of the program.
bool user_object_hold_again(Graph *to, const Graph *from);
void user_object_drop_all(Graph *graph);
