// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Nodes of graphs that kernels change. The process has the graphs, and does what is asked for at once.
#include "sim/exec/service/service.h"

#include <string.h>

enum {
  PIECE = 8, // bytes of a parameter that go with one question
};

// An element of an array of updates (cudaGraphKernelNodeUpdate in driver_types.h).
typedef struct {
  guint64 node;
  guint32 field;
  union {
    guint32 grid[3];
    struct {
      guint64 value, offset, bytes;
    } parameter;
    guint32 is_enabled;
  };
} NodeUpdate;

enum {
  UPDATE_GRID = 1, // NodeUpdate.field (cudaGraphKernelNodeField)
  UPDATE_PARAMETER,
  UPDATE_ENABLED,
};

G_STATIC_ASSERT(sizeof(NodeUpdate) == 40);

// What a question is asked with, instead of the arguments of the call.
static guint
ask_of_node(const Service *service, const char *function, const guint64 *numbers, guint n) {
  g_autoptr(GByteArray) answer = g_byte_array_new();
  Service asked = *service;
  memcpy(asked.values, numbers, n * sizeof *numbers);
  asked.n = n;
  return smb_service_question(&asked, function, G_MAXUINT, answer);
}

// Sets bytes of the parameters of a node's kernel. FALSE: the thread has ended; *@error: what the process says.
static gboolean
set_parameter(Service *service, guint64 node, guint64 offset, guint64 value, guint64 bytes,
              guint *error) {
  *error = 0;
  for (guint64 i = 0; i < bytes && !*error; i += PIECE) {
    guint64 word = 0, n = MIN(PIECE, bytes - i);
    if (!smb_service_take(service, value + i, &word, n, "what a parameter is set to"))
      return FALSE;
    const guint64 numbers[] = {node, offset + i, n, word};
    *error = ask_of_node(service, "cudaGraphKernelNodeSetParam", numbers, G_N_ELEMENTS(numbers));
  }
  return TRUE;
}

// node, offset, value, bytes
gboolean
smb_service_node_parameter(Service *service) {
  const guint64 *values = service->values;
  guint error;
  if (!set_parameter(service, values[0], values[1], values[2], values[3], &error))
    return FALSE;
  service->result = error;
  return TRUE;
}

static gboolean
apply_update(Service *service, const NodeUpdate *update, guint *error) {
  const guint64 grid[] = {update->node, update->grid[0], update->grid[1], update->grid[2]};
  const guint64 enabled[] = {update->node, update->is_enabled & G_MAXUINT8};
  *error = SERVICE_INVALID_VALUE;
  if (update->field == UPDATE_PARAMETER)
    return set_parameter(service, update->node, update->parameter.offset, update->parameter.value,
                         update->parameter.bytes, error);
  if (update->field == UPDATE_GRID)
    *error = ask_of_node(service, "cudaGraphKernelNodeSetGridDim", grid, G_N_ELEMENTS(grid));
  else if (update->field == UPDATE_ENABLED)
    *error = ask_of_node(service, "cudaGraphKernelNodeSetEnabled", enabled, G_N_ELEMENTS(enabled));
  return TRUE;
}

// updates, their number
gboolean
smb_service_node_updates(Service *service) {
  guint error = 0;
  guint64 at = service->values[0], n = service->values[1];
  for (guint64 i = 0; i < n && !error; i++) {
    NodeUpdate update;
    if (!smb_service_take(service, at + i * sizeof update, &update, sizeof update,
                          "an update of a node") ||
        !apply_update(service, &update, &error))
      return FALSE;
  }
  service->result = error;
  return TRUE;
}
