// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Handles that programs have: objects of a kind. One that is not there any more, or never was, is recognized.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  HANDLE_NONE,
  HANDLE_STREAM,
  HANDLE_EVENT,
  HANDLE_ARRAY,
  HANDLE_MIPMAP,
  HANDLE_POOL,
  HANDLE_GRAPH,
  HANDLE_NODE,
  HANDLE_EXEC,
  HANDLE_DEVICE_NODE,
  HANDLE_USER_OBJECT,
  HANDLE_LIBRARY,
  HANDLE_KERNEL,
  HANDLE_MODULE,
  HANDLE_CONTEXT,
  HANDLE_LINK,
  HANDLE_MEMORY,
  HANDLE_RESOURCES,
  HANDLE_GREEN,
  HANDLE_ENDED_CONTEXT,
  HANDLE_TEXTURE_REFERENCE,
  HANDLE_SURFACE_REFERENCE,
} HandleKind;

// An object of zeros. NULL: there is no memory.
void *handle_new(HandleKind kind, size_t bytes);

// Makes an object that is there already a handle.
bool handle_add(void *object, HandleKind kind);

bool handle_is(const void *object, HandleKind kind);

// It is no handle any more.
void handle_forget(const void *object);

// Forgets and frees it.
void handle_free(void *object);
