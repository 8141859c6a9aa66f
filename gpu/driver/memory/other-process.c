// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gpu/driver/memory/other-process.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/initialized.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/stream/stream.h"

#define SHARE_MAGIC UINT64_C(0x6b6e61626d656d73)

enum {
  LAZY_PEER_ACCESS = 1, // cudaIpcMemLazyEnablePeerAccess, which has to be said
};

typedef struct Opened {
  struct Opened *next;
  Share share;
  ShareKind kind;
  void *block; // what is allocated for it
  char *pages; // in that
  unsigned uses;
} Opened;

_Static_assert(sizeof(Share) <= sizeof(cudaIpcHandle), "a share fits into a handle");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Opened *all_opened;
static bool is_used; // atomic: share_is_used()

Share
share_make(const void *address, size_t bytes) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)address - memory_base();
  uint64_t place = at / page * page;
  __atomic_store_n(&is_used, true, __ATOMIC_RELAXED);
  return (Share){SHARE_MAGIC,
                 (uint64_t)getpid(),
                 (uint64_t)memory_file(),
                 place,
                 (at - place + bytes + page - 1) / page * page,
                 at - place};
}

cudaIpcHandle
share_handle(const void *address, size_t bytes) {
  const Share share = share_make(address, bytes);
  cudaIpcHandle handle = {{0}};
  memcpy(&handle, &share, sizeof share);
  return handle;
}

bool
share_is_used(void) {
  return __atomic_load_n(&is_used, __ATOMIC_RELAXED);
}

bool
share_is_own(const Share *share) {
  return share->process == (uint64_t)getpid();
}

// Here, and in the command.
static bool
map_share(char *pages, const Share *from) {
  SmbPayload payload = {0};
  const uint64_t numbers[] = {(uintptr_t)pages - memory_base(), from->process, from->file,
                              from->place, from->bytes};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    smb_payload_add_number(&payload, numbers[i]);
  bool is_mapped = memory_map_file(pages, from->process, from->file, from->place, from->bytes) &&
                   client_ask(RUN_SHARE, &payload) == RUN_DONE;
  smb_payload_clear(&payload);
  return is_mapped;
}

static Opened *
open_pages(const Share *share) {
  __atomic_store_n(&is_used, true, __ATOMIC_RELAXED);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  Allocation block = {.bytes = share->bytes + page, .kind = INJECT_DEVICE, .is_hidden = true};
  Opened *made = calloc(1, sizeof *made);
  if (!made || !memory_allocate_as(&block)) {
    free(made);
    return NULL;
  }
  char *pages = (char *)((block.address + page - 1) / page * page);
  *made = (Opened){.share = *share, .block = (void *)block.address, .pages = pages};
  if (!map_share(pages, share)) {
    memory_drop(made->block);
    free(made);
    return NULL;
  }
  written_note(pages, share->bytes); // what others wrote is not known
  return made;
}

void *
share_open(const Share *share, ShareKind kind) {
  if (share->magic != SHARE_MAGIC)
    return NULL;
  pthread_mutex_lock(&lock);
  Opened *found = all_opened;
  while (found && (found->kind != kind || memcmp(&found->share, share, sizeof *share) != 0))
    found = found->next;
  if (!found && (found = open_pages(share)) != NULL) {
    found->kind = kind;
    found->next = all_opened;
    all_opened = found;
  }
  if (found)
    found->uses++;
  pthread_mutex_unlock(&lock);
  return found ? found->pages + share->offset : NULL;
}

bool
share_close(const void *address, ShareKind kind) {
  pthread_mutex_lock(&lock);
  Opened **at = &all_opened;
  while (*at && ((*at)->kind != kind || (*at)->pages + (*at)->share.offset != address))
    at = &(*at)->next;
  Opened *found = *at;
  if (found && --found->uses == 0) {
    Share own = share_make(found->pages, found->share.bytes);
    *at = found->next;
    map_share(found->pages, &own);
    memory_drop(found->block);
    free(found);
  }
  pthread_mutex_unlock(&lock);
  return found != NULL;
}

// --- as files

int
share_write(const Share *share) {
  int fd = memfd_create("smembank-share", MFD_CLOEXEC);
  if (fd >= 0 && pwrite(fd, share, sizeof *share, 0) == (ssize_t)sizeof *share)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

bool
share_read(int fd, Share *share) {
  return pread(fd, share, sizeof *share, 0) == (ssize_t)sizeof *share &&
         share->magic == SHARE_MAGIC;
}

// --- memory

// Of an address anywhere in what cudaMalloc() gave.
API cudaError_t
cudaIpcGetMemHandle(cudaIpcHandle *handle, void *address) {
  Allocation found;
  cudaError_t error = error_check();
  if (!error && (!handle || !memory_find(address, &found) || found.kind != INJECT_DEVICE ||
                 found.is_variable || found.is_hidden || found.is_mapped || found.pool))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *handle = share_handle((void *)found.address, found.bytes);
  return cudaSuccess;
}

API cudaError_t
cudaIpcOpenMemHandle(void **address, cudaIpcHandle handle, unsigned flags) {
  Share share;
  cudaError_t error = error_check();
  memcpy(&share, &handle, sizeof share);
  if (!error && (!address || flags != LAZY_PEER_ACCESS || share.magic != SHARE_MAGIC))
    error = cudaErrorInvalidValue;
  if (!error && share_is_own(&share))
    error = cudaErrorDeviceUninitialized;
  if (error)
    return error_return(error);
  *address = share_open(&share, SHARE_MEMORY);
  return error_return(*address ? cudaSuccess : cudaErrorMapBufferObjectFailed);
}

API cudaError_t
cudaIpcCloseMemHandle(void *address) {
  cudaError_t error = error_check();
  if (error)
    return error_return(error);
  queue_wait(queue_last());
  return error_return(share_close(address, SHARE_MEMORY) ? cudaSuccess : cudaErrorInvalidValue);
}

// --- events: what was asked of one and what has happened are words that its processes share

API cudaError_t
cudaIpcGetEventHandle(cudaIpcHandle *handle, cudaEvent_t event) {
  cudaError_t error = error_check();
  if (!error && (!handle || !handle_is(event, HANDLE_EVENT)))
    error = handle && event ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  if (!error && (!event->shared || event->is_opened))
    error = cudaErrorInvalidResourceHandle;
  if (error)
    return error_return(error);
  *handle = share_handle(event->shared, sizeof *event->shared);
  return cudaSuccess;
}

API cudaError_t
cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcHandle handle) {
  Share share;
  cudaError_t error = error_check();
  memcpy(&share, &handle, sizeof share);
  if (!error && !event)
    error = cudaErrorInvalidValue;
  if (!error && share.magic != SHARE_MAGIC)
    error = cudaErrorMapBufferObjectFailed;
  if (!error && share_is_own(&share))
    error = cudaErrorDeviceUninitialized;
  SharedEvent *shared = error ? NULL : share_open(&share, SHARE_EVENT);
  if (!error && !shared)
    error = cudaErrorMapBufferObjectFailed;
  error = error ? error : event_open(event, shared);
  return error_return(error);
}
