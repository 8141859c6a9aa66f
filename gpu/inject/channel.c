// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The socket to the recording command: whole frames, under a lock, and silence once it is closed.
#include "gpu/inject/channel.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connection = -1;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

// What a process forks has no connection: it would talk into its parent's.
static void
drop_connection(void) {
  if (connection >= 0)
    close(connection);
  connection = -1;
}

bool
channel_open(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!path || strlen(path) >= sizeof address.sun_path)
    return false;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return false;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    close(fd);
    return false;
  }
  connection = fd;
  pthread_atfork(NULL, NULL, drop_connection);
  return true;
}

bool
channel_is_open(void) {
  return __atomic_load_n(&connection, __ATOMIC_RELAXED) >= 0;
}

static bool
write_channel(const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t n = send(connection, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR)
      return false;
    done += n > 0 ? (size_t)n : 0;
  }
  return true;
}

static bool
read_channel(void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t n = recv(connection, (char *)bytes + done, length - done, 0);
    if (n == 0 || (n < 0 && errno != EINTR))
      return false;
    done += n > 0 ? (size_t)n : 0;
  }
  return true;
}

void
channel_send(uint64_t kind, SmbPayload *payload) {
  InjectFrame frame = {kind, payload->length};
  pthread_mutex_lock(&sending);
  if (channel_is_open() && (payload->failed || !write_channel(&frame, sizeof frame) ||
                            !write_channel(payload->bytes, payload->length)))
    drop_connection();
  pthread_mutex_unlock(&sending);
  payload->length = 0;
  payload->failed = false;
}

uint64_t
channel_wait(SmbPayload *payload) {
  InjectFrame frame;
  payload->length = payload->at = 0;
  if (!channel_is_open())
    return 0;
  if (!read_channel(&frame, sizeof frame) || frame.bytes > INJECT_MAX_FRAME) {
    drop_connection();
    return 0;
  }
  unsigned char *to = smb_payload_make_room(payload, frame.bytes);
  if (to && read_channel(to, frame.bytes))
    return frame.kind;
  drop_connection();
  return 0;
}

bool
channel_receive(uint64_t kind, SmbPayload *payload) {
  uint64_t received = channel_wait(payload);
  if (received && received != kind)
    drop_connection();
  return received == kind;
}
