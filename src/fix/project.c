// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fix/project.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/order.h"
#include "src/cli/hint.h"
#include "src/target/profile.h"

static void
free_fixed_case(SmbFixCase *one) {
  g_clear_pointer(&one->fix, smb_fix_free);
  g_clear_pointer(&one->target, smb_target_free);
  g_clear_pointer(&one->arch, smb_arch_unref);
  g_free(one->name);
  g_free(one->error);
  g_free(one);
}

void
smb_fix_project_free(SmbFixProject *all) {
  if (!all)
    return;
  g_ptr_array_unref(all->cases);
  g_ptr_array_unref(all->broken);
  g_ptr_array_unref(all->unmatched);
  smb_project_free(all->project);
  g_free(all->known);
  g_free(all);
}

// Opens all cases. Those that cannot be opened are told apart.
static void
open_cases(SmbFixProject *all, const SmbFixOpener *opener) {
  g_autoptr(GString) known = g_string_new(NULL);
  for (guint i = 0; i < all->project->cases->len; i++) {
    const SmbCase *one = all->project->cases->pdata[i];
    g_autoptr(GError) failure = NULL;
    SmbFixCase *opened = g_new0(SmbFixCase, 1);
    opened->name = g_strdup(one->name);
    opened->target = opener->open(opener->data, one, &opened->arch, &failure);
    if (opened->target)
      g_string_append_printf(known, "%s%s (%s)", known->len ? ", " : "", one->name,
                             opened->target->name);
    else
      opened->error = smb_cli_error_text(failure);
    g_ptr_array_add(opened->target ? all->cases : all->broken, opened);
  }
  all->known = g_strdup(known->str);
}

// The case that has the kernel of a launch; NULL: none has it, or with an error several have.
static SmbFixCase *
find_fixed_case(const SmbFixProject *all, const SmbProfileLaunch *launch, GError **error) {
  g_autoptr(GPtrArray) found = g_ptr_array_new(), names = g_ptr_array_new();
  for (guint i = 0; i < all->cases->len; i++) {
    SmbFixCase *one = all->cases->pdata[i];
    if (!smb_target_is_measured(one->target, launch->kernel))
      continue;
    g_ptr_array_add(found, one);
    g_ptr_array_add(names, one->name);
  }
  g_ptr_array_add(names, NULL);
  if (found->len < 2)
    return found->len ? found->pdata[0] : NULL;
  g_autofree char *list = smb_cli_list((const char *const *)names->pdata, " or ");
  smb_cli_usage_error(
      error, "%s:%u:1: the kernel '%s' is in several cases of %s: choose one with --case: %s",
      all->file, launch->line, launch->kernel, all->project->path, list);
  return NULL;
}

// Gives each case the first launch of its kernel, and notes kernels that none has.
static gboolean
match_launches(SmbFixProject *all, const SmbProfile *profile, GError **error) {
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < profile->launches->len; i++) {
    const SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    g_autoptr(GError) failure = NULL;
    if (!g_hash_table_add(seen, (gpointer)launch->kernel))
      continue;
    SmbFixCase *one = find_fixed_case(all, launch, &failure);
    if (failure) {
      g_propagate_error(error, g_steal_pointer(&failure));
      return FALSE;
    }
    if (!one)
      g_ptr_array_add(all->unmatched, (gpointer)launch);
    else if (!one->launch)
      one->launch = launch;
  }
  return TRUE;
}

// No kernel of the profile is one of a case.
static gboolean
fail_unmatched(const SmbFixProject *all, GError **error) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < all->unmatched->len; i++)
    g_string_append_printf(text, "%s'%s'", i ? ", " : "",
                           ((const SmbProfileLaunch *)all->unmatched->pdata[i])->kernel);
  g_string_append_printf(text, "; %s has %s", all->project->path,
                         *all->known ? all->known : "none");
  for (guint i = 0; i < all->broken->len; i++) {
    const SmbFixCase *one = all->broken->pdata[i];
    g_string_append_printf(text, "; case %s cannot be read: %.*s", one->name,
                           (int)strcspn(one->error, "\n"), one->error);
  }
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no case has its kernels: it has %s",
                  all->file, text->str);
}

static int
compare_cases(gconstpointer a, gconstpointer b) {
  const SmbFixCase *x = *(const SmbFixCase *const *)a, *y = *(const SmbFixCase *const *)b;
  guint64 own = x->fix ? x->fix->excess : 0, other = y->fix ? y->fix->excess : 0;
  return smb_order(y->fix != NULL, x->fix != NULL) ?: smb_order(other, own)
         ?: smb_order(x->launch->line, y->launch->line);
}

SmbFixProject *
smb_fix_project_new(SmbProject *project, const SmbProfile *profile, const char *file, guint number,
                    const SmbAdviseSearch *search, const SmbFixOpener *opener, GError **error) {
  g_autoptr(SmbFixProject) all = g_new0(SmbFixProject, 1);
  all->project = project;
  all->file = file;
  all->cases = g_ptr_array_new_with_free_func((GDestroyNotify)free_fixed_case);
  all->broken = g_ptr_array_new_with_free_func((GDestroyNotify)free_fixed_case);
  all->unmatched = g_ptr_array_new();
  open_cases(all, opener);
  if (!match_launches(all, profile, error))
    return NULL;
  for (guint i = all->cases->len; i > 0; i--) {
    if (!((const SmbFixCase *)all->cases->pdata[i - 1])->launch)
      g_ptr_array_remove_index(all->cases, i - 1);
  }
  if (all->cases->len == 0) {
    fail_unmatched(all, error);
    return NULL;
  }
  for (guint i = 0; i < all->cases->len; i++) {
    SmbFixCase *one = all->cases->pdata[i];
    g_autoptr(GError) failure = NULL;
    one->fix = smb_fix_new(one->target, one->arch, profile, file, number, search, &failure);
    one->error = failure ? smb_cli_error_text(failure) : NULL;
  }
  g_ptr_array_sort(all->cases, compare_cases);
  return g_steal_pointer(&all);
}

SmbExit
smb_fix_project_status(const SmbFixProject *all) {
  gboolean failed = all->unmatched->len > 0 && all->broken->len > 0;
  for (guint i = 0; i < all->cases->len; i++)
    failed = failed || !((const SmbFixCase *)all->cases->pdata[i])->fix;
  return failed ? SMB_EXIT_INPUT : SMB_EXIT_DONE;
}
