// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/client.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/driver/kernel/question.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/memory/initialized.h"
#include "gpu/inject/channel.h"

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static Device device;
static bool has_device;

RunStatus
client_ask(RunKind kind, SmbPayload *payload) {
  pthread_mutex_lock(&asking);
  channel_send(kind, payload);
  uint64_t answered;
  while ((answered = channel_wait(payload)) == RUN_QUESTION) {
    question_answer(payload);
    channel_send(RUN_QUESTION, payload);
  }
  bool is_answered = answered == (uint64_t)kind;
  pthread_mutex_unlock(&asking);
  RunStatus status = is_answered ? (RunStatus)smb_payload_number(payload) : RUN_FAILED;
  return payload->failed ? RUN_FAILED : status;
}

static void
connect_once(void) {
  SmbPayload payload = {0};
  int fd = memory_start();
  if (fd < 0 || !channel_open(getenv(RUN_SOCKET)))
    return;
  smb_payload_add_number(&payload, RUN_PROTOCOL);
  smb_payload_add_number(&payload, (uint64_t)getpid());
  smb_payload_add_number(&payload, (uint64_t)fd);
  smb_payload_add_number(&payload, memory_base());
  smb_payload_add_number(&payload, memory_bytes());
  has_device = client_ask(RUN_HELLO, &payload) == RUN_DONE;
  unsigned *const parts[] = {
      &device.major,         &device.minor,          &device.block_shared,
      &device.opt_in_shared, &device.sm_shared,      &device.sm_warps,
      &device.sm_blocks,     &device.block_reserved, &device.shared_unit,
#define FACT(field, key) &device.facts.field,
#include "gpu/driver/device/facts.def"
#undef FACT
  };
  for (size_t i = 0; has_device && i < sizeof parts / sizeof *parts; i++)
    *parts[i] = (unsigned)smb_payload_number(&payload);
  size_t length = 0;
  const unsigned char *name = smb_payload_bytes(&payload, &length);
  if (length < sizeof device.name)
    memcpy(device.name, name, length);
  if (has_device)
    memory_set_device_bytes(smb_payload_number(&payload));
  bool is_checked = has_device && smb_payload_number(&payload);
  device.skips = has_device && smb_payload_number(&payload);
  has_device = has_device && !payload.failed;
  smb_payload_clear(&payload);
  if (is_checked && has_device)
    written_start();
}

const Device *
client_device(void) {
  pthread_once(&once, connect_once);
  return has_device ? &device : NULL;
}

bool
client_is_connected(void) {
  return __atomic_load_n(&has_device, __ATOMIC_ACQUIRE);
}
