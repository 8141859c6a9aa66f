// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/text/host.h"

#include <string.h>

#include "sim/cuda/text/host-impl.h"

void
smb_host_kernel_free(SmbHostKernel *kernel) {
  g_free(kernel->name);
  g_free(kernel->space);
  g_free(kernel->file);
  g_free(kernel->included);
  g_ptr_array_unref(kernel->parameters);
  g_clear_pointer(&kernel->templates, g_ptr_array_unref);
  g_free(kernel);
}

void
smb_host_launch_free(SmbHostLaunch *launch) {
  g_free(launch->kernel);
  g_free(launch->text);
  g_free(launch->file);
  g_clear_pointer(&launch->instance, g_ptr_array_unref);
  g_ptr_array_unref(launch->configuration);
  g_ptr_array_unref(launch->arguments);
  g_free(launch);
}

static void
value_free(SmbHostValue *value) {
  g_free(value->text);
  g_strfreev(value->parameters);
  g_free(value);
}

static void
scope_clear(SmbHostScope *scope) {
  g_free(scope->name);
}

SmbHost *
smb_host_new(void) {
  SmbHost *host = g_new0(SmbHost, 1);
  host->kernels = g_ptr_array_new_with_free_func((GDestroyNotify)smb_host_kernel_free);
  host->launches = g_ptr_array_new_with_free_func((GDestroyNotify)smb_host_launch_free);
  host->by_kernel =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
  host->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)value_free);
  host->scopes = g_array_new(FALSE, TRUE, sizeof(SmbHostScope));
  g_array_set_clear_func(host->scopes, (GDestroyNotify)scope_clear);
  host->structures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_array_set_size(host->scopes, SMB_HOST_NO_SCOPE + 1);
  return host;
}

void
smb_host_free(SmbHost *host) {
  if (!host)
    return;
  g_ptr_array_unref(host->kernels);
  g_hash_table_unref(host->by_kernel);
  g_ptr_array_unref(host->launches);
  g_hash_table_unref(host->values);
  g_array_unref(host->scopes);
  g_hash_table_unref(host->structures);
  g_free(host);
}

SmbHostLaunch *
smb_host_launch_new(const char *kernel, const char *file) {
  SmbHostLaunch *launch = g_new0(SmbHostLaunch, 1);
  launch->kernel = g_strdup(kernel);
  launch->text = g_strdup(file);
  launch->file = g_strdup(file);
  launch->configuration = g_ptr_array_new_with_free_func(g_free);
  launch->arguments = g_ptr_array_new_with_free_func(g_free);
  launch->was_seen = TRUE;
  return launch;
}

void
smb_host_replace_launches(SmbHost *host, const char *const *texts, GPtrArray *launches) {
  const SmbHostLaunch *first = launches->pdata[0];
  const GPtrArray *former = smb_host_launches(host, first->kernel);
  for (guint i = 0; i < launches->len; i++)
    g_ptr_array_add(host->launches, launches->pdata[i]);
  for (guint i = 0; former && i < former->len; i++) {
    const SmbHostLaunch *other = former->pdata[i];
    if (other->was_seen || !g_strv_contains(texts, other->text))
      g_ptr_array_add(launches, former->pdata[i]);
  }
  g_hash_table_replace(host->by_kernel, first->kernel, launches);
}

const GPtrArray *
smb_host_launches(const SmbHost *host, const char *kernel) {
  return g_hash_table_lookup(host->by_kernel, kernel);
}

guint
smb_host_add_scope(SmbHost *host, guint parent, const char *name) {
  SmbHostScope scope = {parent, g_strdup(name)};
  g_array_append_val(host->scopes, scope);
  return host->scopes->len - 1;
}

const SmbHostValue *
smb_host_find_value(const SmbHost *host, guint scope, const char *name) {
  while (scope != SMB_HOST_NO_SCOPE) {
    g_autofree char *key = smb_host_key(scope, name);
    const SmbHostValue *value = g_hash_table_lookup(host->values, key);
    if (value)
      return value;
    scope = g_array_index(host->scopes, SmbHostScope, scope).parent;
  }
  return g_hash_table_lookup(host->values, name);
}

const char *
smb_host_text(const SmbHost *host, const char *name) {
  const SmbHostValue *value = smb_host_find_value(host, SMB_HOST_NO_SCOPE, name);
  return value && !value->parameters ? value->text : NULL;
}
