// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
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

static unsigned char *
make_room(Payload *payload, size_t more) {
  if (payload->length + more > payload->room) {
    size_t room = 2 * (payload->length + more);
    unsigned char *bytes = realloc(payload->bytes, room);
    if (!bytes) {
      payload->failed = true;
      return NULL;
    }
    payload->bytes = bytes;
    payload->room = room;
  }
  payload->length += more;
  return payload->bytes + payload->length - more;
}

static void
append(Payload *payload, const void *bytes, size_t length) {
  unsigned char *to = make_room(payload, length);
  if (to && length > 0)
    memcpy(to, bytes, length);
}

void
payload_number(Payload *payload, uint64_t number) {
  append(payload, &number, sizeof number);
}

void
payload_bytes(Payload *payload, const void *bytes, size_t length) {
  payload_number(payload, length);
  append(payload, bytes, length);
}

void
payload_text(Payload *payload, const char *text) {
  payload_bytes(payload, text, strlen(text));
}

uint64_t
payload_read_number(Payload *payload) {
  uint64_t number = 0;
  if (payload->length - payload->at < sizeof number) {
    payload->failed = true;
    return 0;
  }
  memcpy(&number, payload->bytes + payload->at, sizeof number);
  payload->at += sizeof number;
  return number;
}

const char *
payload_read_text(Payload *payload, size_t *length) {
  uint64_t bytes = payload_read_number(payload);
  *length = 0;
  if (bytes > payload->length - payload->at) {
    payload->failed = true;
    return "";
  }
  const char *text = (const char *)payload->bytes + payload->at;
  payload->at += bytes;
  *length = bytes;
  return text;
}

void
payload_clear(Payload *payload) {
  free(payload->bytes);
  memset(payload, 0, sizeof *payload);
}

// What a process forks has no connection: it would talk into its parent's.
static void
forget(void) {
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
  pthread_atfork(NULL, NULL, forget);
  return true;
}

bool
channel_is_open(void) {
  return __atomic_load_n(&connection, __ATOMIC_RELAXED) >= 0;
}

static bool
write_all(const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t n = send(connection, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR)
      return false;
    done += n > 0 ? (size_t)n : 0;
  }
  return true;
}

static bool
read_all(void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t n = recv(connection, (char *)bytes + done, length - done, 0);
    if (n == 0 || (n < 0 && errno != EINTR))
      return false;
    done += n > 0 ? (size_t)n : 0;
  }
  return true;
}

void
channel_send(InjectKind kind, Payload *payload) {
  InjectFrame frame = {kind, payload->length};
  pthread_mutex_lock(&sending);
  if (channel_is_open() && (payload->failed || !write_all(&frame, sizeof frame) ||
                            !write_all(payload->bytes, payload->length)))
    forget();
  pthread_mutex_unlock(&sending);
  payload->length = 0;
  payload->failed = false;
}

bool
channel_receive(InjectKind kind, Payload *payload) {
  InjectFrame frame;
  payload->length = payload->at = 0;
  if (!channel_is_open())
    return false;
  if (!read_all(&frame, sizeof frame) || frame.kind != (uint64_t)kind ||
      frame.bytes > INJECT_MAX_FRAME) {
    forget();
    return false;
  }
  unsigned char *to = make_room(payload, frame.bytes);
  if (to && read_all(to, frame.bytes))
    return true;
  forget();
  return false;
}
