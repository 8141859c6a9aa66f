// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The outline of a file: what it declares outside functions, and where each declaration begins and ends.
// It is found by names and balanced brackets alone, so that a file may hold anything that the kernel
// does not reach. Private to the kernel language.
#pragma once

#include "sim/cuda/text/lex.h"

typedef enum {
  ITEM_OTHER,     // nothing that a kernel can name
  ITEM_FUNCTION,  // with its body
  ITEM_PROTOTYPE, // of a function
  ITEM_VARIABLE,  // one or several
  ITEM_TYPE,      // a name for a type, a structure or an enumeration
  ITEM_ASSERTION, // static_assert
} ItemKind;

typedef enum {
  ITEM_UNREAD,
  ITEM_READING,
  ITEM_READ,
} ItemState;

typedef struct {
  ItemKind kind;
  ItemState state;
  const char *name; // of a function, and where it stands
  const Token *name_at;
  Token *first; // of the declaration, behind the "<…>" of a template
  Token *begin; // "template", or @first
  const Token *last;
  Token *parameters; // of a template: the "<", or NULL
  guint number;      // from 0, in the order of the text
  gboolean is_kernel;
  gboolean is_device;         // or constexpr: callable from a kernel
  gboolean is_specialization; // of a template of the same name
  gboolean is_specialized;
  gpointer functions; // what was read (Function): the instances of a template
  gpointer instances; // of a class template, as far as they were read
  GArray *sites;      // guint: what the first instance read has, in the order of the text
} Item;

typedef struct {
  GPtrArray *items;       // Item
  GHashTable *names;      // name → GPtrArray of Item
  GHashTable *namespaces; // names of namespaces, and other names for them
} Outline;

// NULL with an error where a bracket has no counterpart.
Outline *smb_kernel_outline(const SmbSource *source, KernelPool *pool, Token *tokens,
                            GError **error);
void smb_kernel_outline_free(Outline *outline);

// The items that declare a name, in the order of the text, or NULL (transfer none).
const GPtrArray *smb_outline_find(const Outline *outline, const Token *name);

// Whether "name ::" may stand in front of a name: namespaces are not told apart.
gboolean smb_outline_is_namespace(const Outline *outline, const Token *name);
