// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Modules that are loaded, whose images are sent once.
#include "gpu/inject/module.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Module {
  const void *handle;
  uint32_t number;
  struct Module *next;
} Module;

static Module *modules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread uint32_t loaded; // during the call; 0: none

void
module_begin(void) {
  loaded = 0;
}

void
module_loaded(uint32_t number) {
  loaded = number;
}

void
module_found(void *handle) {
  Module *module = loaded && handle ? malloc(sizeof *module) : NULL;
  if (!module)
    return;
  *module = (Module){.handle = handle, .number = loaded};
  loaded = 0;
  pthread_mutex_lock(&lock);
  module->next = modules;
  modules = module;
  pthread_mutex_unlock(&lock);
}

void
module_unloaded(uint32_t number) {
  pthread_mutex_lock(&lock);
  for (Module **link = &modules; *link;) {
    Module *module = *link;
    if (module->number == number) {
      *link = module->next;
      free(module);
    } else
      link = &module->next;
  }
  pthread_mutex_unlock(&lock);
}

uint32_t
module_number(const void *handle) {
  pthread_mutex_lock(&lock);
  const Module *module = modules;
  while (module && module->handle != handle)
    module = module->next;
  uint32_t number = module ? module->number : 0;
  pthread_mutex_unlock(&lock);
  return number;
}
