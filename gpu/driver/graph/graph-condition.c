// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Conditions of graphs. A handle is the address of a word of the device's memory, which cudaGraphSetConditional() writes in kernels, and
// nodes with conditions read when they run.
#include <pthread.h>
#include <stdlib.h>

#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/graph/graph.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory.h"

typedef struct Condition {
  struct Condition *next;
  uint32_t *word;
  unsigned value; // at the beginning of each launch, if flags say so
  unsigned flags;
  unsigned uses;      // of graphs
  const Graph *graph; // that it was made for
  bool has_node;
} Condition;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Condition *conditions;

// --- of a graph and its copies

static Condition *
find_condition(uint64_t handle) {
  pthread_mutex_lock(&lock);
  Condition *found = conditions;
  while (found && (uintptr_t)found->word != handle)
    found = found->next;
  pthread_mutex_unlock(&lock);
  return found;
}

static bool
hold_condition(Graph *graph, Condition *condition) {
  Condition **more =
      realloc(graph->conditions, (graph->n_conditions + 1) * sizeof *graph->conditions);
  if (!more)
    return false;
  graph->conditions = more;
  graph->conditions[graph->n_conditions++] = condition;
  pthread_mutex_lock(&lock);
  condition->uses++;
  pthread_mutex_unlock(&lock);
  return true;
}

bool
conditions_hold_again(Graph *to, const Graph *from) {
  bool fits = true;
  for (size_t i = 0; fits && i < from->n_conditions; i++)
    fits = hold_condition(to, from->conditions[i]);
  return fits;
}

static void
release_condition(Condition *condition) {
  pthread_mutex_lock(&lock);
  bool is_last = --condition->uses == 0;
  Condition **at = &conditions;
  while (is_last && *at != condition)
    at = &(*at)->next;
  if (is_last)
    *at = condition->next;
  pthread_mutex_unlock(&lock);
  if (!is_last)
    return;
  memory_drop(condition->word);
  free(condition);
}

void
conditions_drop_all(Graph *graph) {
  for (size_t i = 0; i < graph->n_conditions; i++)
    release_condition(graph->conditions[i]);
  free(graph->conditions);
  graph->conditions = NULL;
  graph->n_conditions = 0;
}

API cudaError_t
cudaGraphConditionalHandleCreate(unsigned long long *handle, cudaGraph_t graph, unsigned value,
                                 unsigned flags) {
  cudaError_t error = error_check();
  if (!error && (!handle || !handle_is(graph, HANDLE_GRAPH) || flags > cudaGraphCondAssignDefault))
    error = cudaErrorInvalidValue;
  Condition *made = error ? NULL : calloc(1, sizeof *made);
  if (error || !made)
    return error_return(error ? error : cudaErrorMemoryAllocation);
  Allocation word = {.bytes = sizeof *made->word, .kind = INJECT_DEVICE, .is_hidden = true};
  *made = (Condition){
      .word = memory_allocate_as(&word), .value = value, .flags = flags, .graph = graph};
  if (!made->word || !hold_condition(graph, made)) {
    memory_drop(made->word);
    free(made);
    return error_return(cudaErrorMemoryAllocation);
  }
  pthread_mutex_lock(&lock);
  made->next = conditions;
  conditions = made;
  pthread_mutex_unlock(&lock);
  *handle = (uintptr_t)made->word;
  return cudaSuccess;
}

// --- nodes

bool
condition_is_of(uint64_t handle, const Graph *graph) {
  const Condition *condition = find_condition(handle);
  return condition && handle_is(graph, HANDLE_GRAPH) &&
         (graph->is_part || condition->graph == graph);
}

static bool
has_right_size(const cudaConditionalNodeParams *parameters) {
  switch (parameters->type) {
  case cudaGraphCondTypeIf:
    return parameters->size == 1 || parameters->size == 2;
  case cudaGraphCondTypeWhile:
    return parameters->size == 1;
  case cudaGraphCondTypeSwitch:
    return parameters->size > 0;
  }
  return false;
}

// A call with empty bodies, or with copies of those of another one.
static ConditionCall *
new_condition_call(uint64_t handle, cudaGraphConditionalNodeType type, unsigned size,
                   const ConditionCall *from) {
  ConditionCall *made = calloc(1, sizeof *made + size * sizeof *made->bodies);
  if (!made)
    return NULL;
  *made = (ConditionCall){.handle = handle, .type = type, .size = size};
  for (unsigned i = 0; i < size; i++) {
    made->bodies[i] = from ? graph_copy(from->bodies[i]) : graph_new();
    if (!made->bodies[i]) {
      condition_call_free(made);
      return NULL;
    }
    made->bodies[i]->is_part = true;
  }
  return made;
}

cudaError_t
condition_make(Call *call, cudaConditionalNodeParams *parameters) {
  Condition *condition = find_condition(parameters->handle);
  if (!condition || condition->has_node || !has_right_size(parameters))
    return cudaErrorInvalidValue;
  ConditionCall *made =
      new_condition_call(parameters->handle, parameters->type, parameters->size, NULL);
  if (!made)
    return cudaErrorMemoryAllocation;
  condition->has_node = true;
  *call = (Call){.kind = cudaGraphNodeTypeConditional, .condition = made};
  parameters->phGraph_out = made->bodies;
  return cudaSuccess;
}

ConditionCall *
condition_call_copy(const ConditionCall *from) {
  return new_condition_call(from->handle, from->type, from->size, from);
}

void
condition_call_free(ConditionCall *call) {
  for (unsigned i = 0; i < call->size; i++)
    graph_free(call->bodies[i]);
  free(call);
}

// --- what can be executed

bool
graph_has_conditions(const Graph *graph) {
  bool has = graph->n_conditions > 0;
  for (size_t i = 0; i < graph->n_nodes && !has; i++)
    has = graph->nodes[i]->call.kind == cudaGraphNodeTypeConditional;
  return has;
}

// Bodies have nothing that the host does, nor memory.
static bool
is_of_body(cudaGraphNodeType kind) {
  return kind == cudaGraphNodeTypeKernel || kind == cudaGraphNodeTypeMemcpy ||
         kind == cudaGraphNodeTypeMemset || kind == cudaGraphNodeTypeGraph ||
         kind == cudaGraphNodeTypeEmpty || kind == cudaGraphNodeTypeConditional;
}

static bool
has_only_of_bodies(const Graph *graph) {
  bool has = true;
  for (size_t i = 0; has && i < graph->n_nodes; i++) {
    const Call *call = &graph->nodes[i]->call;
    has = is_of_body(call->kind) &&
          (call->kind != cudaGraphNodeTypeGraph || has_only_of_bodies(call->child));
  }
  return has;
}

int
conditions_check(const Graph *graph) {
  int result = cudaGraphInstantiateSuccess;
  for (size_t i = 0; i < graph->n_conditions; i++)
    if (!graph->conditions[i]->has_node)
      return cudaGraphInstantiateConditionalHandleUnused;
  for (size_t i = 0; i < graph->n_nodes; i++) {
    const Call *call = &graph->nodes[i]->call;
    unsigned n = call->kind == cudaGraphNodeTypeConditional ? call->condition->size : 0;
    for (unsigned k = 0; !result && k < n; k++)
      result = has_only_of_bodies(call->condition->bodies[k])
                   ? conditions_check(call->condition->bodies[k])
                   : cudaGraphInstantiateInvalidStructure;
  }
  return result;
}

// --- running

void
conditions_begin(const Graph *graph) {
  for (size_t i = 0; i < graph->n_conditions; i++)
    if (graph->conditions[i]->flags & cudaGraphCondAssignDefault)
      *graph->conditions[i]->word = graph->conditions[i]->value;
  for (size_t i = 0; i < graph->n_nodes; i++) {
    const Call *call = &graph->nodes[i]->call;
    for (unsigned k = 0; call->kind == cudaGraphNodeTypeConditional && k < call->condition->size;
         k++)
      conditions_begin(call->condition->bodies[k]);
  }
}

// Where kernels are not run none of them ends a loop.
cudaError_t
condition_run(const ConditionCall *call) {
  const volatile uint32_t *word = (const uint32_t *)(uintptr_t)call->handle;
  cudaError_t error = cudaSuccess;
  switch (call->type) {
  case cudaGraphCondTypeIf:
    return *word             ? graph_run(call->bodies[0])
           : call->size == 2 ? graph_run(call->bodies[1])
                             : cudaSuccess;
  case cudaGraphCondTypeWhile:
    while (!error && *word && !error_sticky()) {
      error = graph_run(call->bodies[0]);
      if (client_device()->skips)
        break;
    }
    return error;
  case cudaGraphCondTypeSwitch:
    return *word < call->size ? graph_run(call->bodies[*word]) : cudaSuccess;
  }
  return cudaSuccess;
}
