// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// In code, a reference is the number of a texture or surface, as an object is. The number is that of the reference as long as there is one; what is
// found by it is decided by each launch.
#include "gpu/driver/texture/texture-reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/handle.h"
#include "gpu/driver/texture/texture.h"

enum {
  FORMAT_FLOAT = 32, // CU_AD_FORMAT_FLOAT
};

// Numbers of objects are lower.
#define FIRST_NUMBER ((uint64_t)1 << 31)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Reference *references;
static uint64_t n_made;

// What it has at first was seen on an H200.
Reference *
reference_new(const Module *module, const char *name, bool is_surface) {
  Reference *made =
      handle_new(is_surface ? HANDLE_SURFACE_REFERENCE : HANDLE_TEXTURE_REFERENCE, sizeof *made);
  char *kept = made && name ? strdup(name) : NULL;
  if (!made || (name && !kept)) {
    handle_free(made);
    return NULL;
  }
  *made = (Reference){.module = module,
                      .name = kept,
                      .is_surface = is_surface,
                      .format = FORMAT_FLOAT,
                      .channels = 1,
                      .texel = {32, 0, 0, 0, cudaChannelFormatKindFloat}};
  for (unsigned i = 0; i < 3; i++)
    made->how.addressMode[i] = SMB_ADDRESS_CLAMP;
  pthread_mutex_lock(&lock);
  made->number = FIRST_NUMBER + n_made++;
  made->next = references;
  references = made;
  pthread_mutex_unlock(&lock);
  return made;
}

static void
unlink_reference(Reference **place) {
  Reference *reference = *place;
  *place = reference->next;
  free(reference->name);
  handle_free(reference);
}

void
reference_free(Reference *reference) {
  pthread_mutex_lock(&lock);
  for (Reference **place = &references; *place; place = &(*place)->next)
    if (*place == reference) {
      unlink_reference(place);
      break;
    }
  pthread_mutex_unlock(&lock);
}

Reference *
reference_find(const Module *module, const char *name, bool is_surface) {
  Reference *found = NULL;
  pthread_mutex_lock(&lock);
  for (Reference *one = references; one && !found; one = one->next)
    if (one->module == module && one->is_surface == is_surface && one->name &&
        strcmp(one->name, name) == 0)
      found = one;
  pthread_mutex_unlock(&lock);
  return found;
}

void
references_close(const Module *module) {
  pthread_mutex_lock(&lock);
  for (Reference **place = &references; *place;) {
    if ((*place)->module == module)
      unlink_reference(place);
    else
      place = &(*place)->next;
  }
  pthread_mutex_unlock(&lock);
}

void
references_forget(const void *array) {
  pthread_mutex_lock(&lock);
  for (Reference *one = references; one; one = one->next)
    if ((one->resource.resType == cudaResourceTypeArray &&
         one->resource.res.array.array == array) ||
        (one->resource.resType == cudaResourceTypeMipmappedArray &&
         one->resource.res.mipmap.mipmap == array))
      one->is_bound = false;
  pthread_mutex_unlock(&lock);
}

// --- launches

static size_t
count_references(const Module *module) {
  size_t n = 0;
  for (const Reference *one = references; one; one = one->next)
    n += one->module == module;
  return n;
}

SmbTexture *
references_take(const Module *module, size_t *n) {
  pthread_mutex_lock(&lock);
  SmbTexture *taken = calloc(count_references(module) + 1, sizeof *taken);
  *n = 0;
  for (const Reference *one = references; one && taken; one = one->next) {
    SmbTexture texture = {.handle = one->number};
    if (one->module == module && one->is_bound &&
        textures_describe(&one->resource, one->is_surface ? NULL : &one->texel, &one->how,
                          &texture))
      taken[(*n)++] = texture;
  }
  pthread_mutex_unlock(&lock);
  return taken;
}

void
references_add(SmbPayload *payload, const Module *module) {
  pthread_mutex_lock(&lock);
  smb_payload_add_number(payload, count_references(module));
  for (const Reference *one = references; one; one = one->next)
    if (one->module == module) {
      smb_payload_add_text(payload, one->name);
      smb_payload_add_number(payload, one->number);
    }
  pthread_mutex_unlock(&lock);
}
