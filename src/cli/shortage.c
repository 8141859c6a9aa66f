// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/cli/shortage.h"

#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/room.h"
#include "src/cli/cli.h"

enum {
  STACK_SHARE = 8, // the part of a limited address space that a stack may take
  SIGNAL_STACK_BYTES = 1 << 16,
  LEAST_BYTES =
      1
      << 21, // more than malloc() asks the system for at least (M_TOP_PAD, and 1 MiB in place of brk())
};

// A limit below that leaves no room for an arena of 64 MiB for each thread (malloc(3), M_ARENA_MAX).
#define ROOM_FOR_ARENAS (G_GUINT64_CONSTANT(4) << 30)

// Takes no memory.
G_NORETURN static void
end_without_memory(void) {
  static const char message[] =
      "smembank: out of memory (a limit on it, ulimit -v, may be too low; --max-memory bounds "
      "what a block of a kernel may take)\n";
  // There is no way to report that standard error cannot be written.
  if (write(STDERR_FILENO, message, strlen(message)) < 0)
    _exit(SMB_EXIT_INPUT);
  _exit(SMB_EXIT_INPUT);
}

// What GLib says before it aborts.
static void
take_shortage(const char *domain, GLogLevelFlags level, const char *message, gpointer data) {
  if (strstr(message, "failed to allocate"))
    end_without_memory();
  g_log_default_handler(domain, level, message, data);
}

// Where not even the message can be made, GLib calls itself until the stack is full; its threads abort without a log message
// (gthread-posix.c).
static void
take_fault(int number) {
  // cppcheck-suppress invalidFunctionArg // of an anonymous mapping, -1 is right
  void *room = mmap(NULL, LEAST_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    end_without_memory();
  munmap(room, LEAST_BYTES);
  signal(number, SIG_DFL); // and again, as if this had not been here
}

void
smb_shortage_prepare(void) {
  g_log_set_handler("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                    take_shortage, NULL);
#ifdef M_ARENA_MAX // of glibc
  if (smb_room_address_space() < ROOM_FOR_ARENAS)
    mallopt(M_ARENA_MAX, 1);
#endif
}

gsize
smb_shortage_stack_bytes(gsize wanted) {
  return MIN(wanted, smb_room_address_space() / STACK_SHARE);
}

void
smb_shortage_guard_stack(void) {
  if (smb_room_address_space() == G_MAXUINT64)
    return;
  stack_t stack = {.ss_sp = g_malloc(SIGNAL_STACK_BYTES), .ss_size = SIGNAL_STACK_BYTES};
  struct sigaction action = {.sa_handler = take_fault, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGABRT, &action, NULL);
}
