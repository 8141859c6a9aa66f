// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels that launch kernels: a launch is configured, which gives memory for its parameters, the thread fills that in, and launches. The
// process says whether the configuration is possible.
#include "sim/exec/service/service.h"

#include <string.h>

enum {
  KERNEL_PARAMETER_BYTES =
      32764, // at most (CUDA C++ Programming Guide, "__global__ Function Parameters")
};

// The configuration in the values from @first on, of the kernel in value 0. Returns the error, or 0.
static guint
take_child_configuration(Service *service, guint first, SmbWork *work, guint64 *parameter_bytes) {
  g_autoptr(GByteArray) answer = g_byte_array_new();
  Service asked = *service;
  *work = (SmbWork){.kind = SMB_WORK_LAUNCH, .kernel = service->values[0]};
  for (guint i = 0; i < 3; i++) {
    work->grid[i] = (guint32)service->values[first + i];
    work->block[i] = (guint32)service->values[first + 3 + i];
    asked.values[1 + i] = work->grid[i];
    asked.values[4 + i] = work->block[i];
  }
  work->dynamic_bytes = asked.values[7] = service->values[first + 6];
  asked.n = 8;
  guint error = smb_service_question(&asked, "cudaLaunchDevice", 0, answer);
  if (!error && answer->len == sizeof *parameter_bytes)
    memcpy(parameter_bytes, answer->data, sizeof *parameter_bytes);
  return error;
}

// Says the error of a configuration; a device reads what a pointer to no kernel points at.
static gboolean
return_configuration(Service *service, guint error) {
  if (error == SERVICE_INVALID_FUNCTION)
    return smb_service_fail(service, SMB_FAULT_ADDRESS, "launches what is no kernel: at",
                            service->values[0]);
  return smb_service_return(service, error);
}

static gboolean
give_buffer(Service *service, const SmbWork *work, guint64 bytes) {
  service->result = smb_children_reserve(service->children, work, bytes);
  if (!service->result)
    smb_children_set_error(service->children, service->thread, SERVICE_OUT_OF_RESOURCES);
  return TRUE;
}

// kernel, grid, block, dynamic bytes: memory for the parameters, or NULL
gboolean
smb_service_configure(Service *service) {
  SmbWork work;
  guint64 bytes = 0;
  guint error = take_child_configuration(service, 1, &work, &bytes);
  if (!error)
    return give_buffer(service, &work, bytes);
  gboolean goes_on = return_configuration(service, error);
  service->result = 0;
  return goes_on;
}

// alignment, bytes: the same of a launch that is configured later
gboolean
smb_service_reserve(Service *service) {
  if (service->values[1] > KERNEL_PARAMETER_BYTES) {
    smb_service_return(service, SERVICE_INVALID_VALUE);
    service->result = 0;
    return TRUE;
  }
  return give_buffer(service, NULL, service->values[1]);
}

// Whether as many tail launches wait for the end of the grid as may (cudaLimitDevRuntimePendingLaunchCount). Others need not wait.
static gboolean
is_tail_full(Service *service) {
  enum {
    LIMIT_PENDING = 4, // cudaLimit
  };
  guint64 most = smb_children_most_tails(service->children);
  if (most == 0) {
    g_autoptr(GByteArray) answer = g_byte_array_new();
    Service asked = *service;
    asked.values[1] = LIMIT_PENDING;
    asked.n = 2;
    smb_service_question(&asked, "cudaDeviceGetLimit", G_MAXUINT, answer);
    if (answer->len == sizeof most)
      memcpy(&most, answer->data, sizeof most);
    smb_children_set_most_tails(service->children, MAX(most, 1));
  }
  return smb_children_n_tails(service->children) >= most;
}

static gboolean
add_child_launch(Service *service, guint64 buffer, guint64 stream, const SmbWork *configured,
                 guint64 wanted) {
  SmbWork work = {.kind = SMB_WORK_LAUNCH};
  guint64 bytes = 0;
  g_autofree guchar *parameters = NULL;
  gboolean is_tail;
  if (!smb_service_is_stream(service, stream, &is_tail))
    return smb_service_return(service, SERVICE_INVALID_VALUE);
  if ((buffer || !configured) && !smb_children_use(service->children, buffer, &work, &bytes))
    return smb_service_return(service, SERVICE_INVALID_VALUE);
  if (is_tail && is_tail_full(service))
    return smb_service_return(service, SERVICE_TOO_MANY_PENDING);
  if (configured)
    work = *configured;
  wanted = configured ? wanted : bytes;
  parameters = g_malloc0(wanted + 1);
  if (MIN(bytes, wanted) > 0 && !smb_service_take(service, buffer, parameters, MIN(bytes, wanted),
                                                  "what is passed to a kernel"))
    return FALSE;
  work.is_tail = is_tail;
  work.parameters = g_bytes_new(parameters, wanted);
  smb_children_add(service->children, &work);
  return smb_service_return(service, 0);
}

// memory of parameters, stream
gboolean
smb_service_launch(Service *service) {
  return add_child_launch(service, service->values[0], service->values[1], NULL, 0);
}

// kernel, memory of parameters, grid, block, dynamic bytes, stream
gboolean
smb_service_launch_whole(Service *service) {
  SmbWork work;
  guint64 bytes = 0;
  guint error = take_child_configuration(service, 2, &work, &bytes);
  if (error)
    return return_configuration(service, error);
  return add_child_launch(service, service->values[1], service->values[9], &work, bytes);
}

// --- errors

gboolean
smb_service_peek_error(Service *service) {
  service->result = smb_children_error(service->children, service->thread);
  return TRUE;
}

gboolean
smb_service_last_error(Service *service) {
  smb_service_peek_error(service);
  smb_children_set_error(service->children, service->thread, 0);
  return TRUE;
}

// The name of an error, or what it means, as the process says it.
gboolean
smb_service_text(Service *service) {
  gboolean is_name = g_str_has_suffix(service->provided->name, "Name");
  guint64 number = service->values[0] << 1 | is_name;
  service->result = smb_children_find_text(service->children, number);
  if (service->result)
    return TRUE;
  g_autoptr(GByteArray) answer = g_byte_array_new();
  smb_service_question(service, is_name ? "cudaGetErrorName" : "cudaGetErrorString", G_MAXUINT,
                       answer);
  g_byte_array_append(answer, (const guint8 *)"", 1);
  service->result = smb_children_text(service->children, number, (const char *)answer->data);
  return TRUE;
}
