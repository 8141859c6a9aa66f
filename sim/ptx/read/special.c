// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The special registers (PTX ISA 9.0, section 10).
#include <string.h>

#include "sim/ptx/read/read-impl.h"

typedef struct {
  const char *name;
  gboolean has_components;
} Special;

static const Special specials[] = {
    {"%tid", TRUE},
    {"%ntid", TRUE},
    {"%ctaid", TRUE},
    {"%nctaid", TRUE},
    {"%clusterid", TRUE},
    {"%nclusterid", TRUE},
    {"%cluster_ctaid", TRUE},
    {"%cluster_nctaid", TRUE},
    {"%cluster_ctarank", FALSE},
    {"%cluster_nctarank", FALSE},
    {"%is_explicit_cluster", FALSE},
    {"%laneid", FALSE},
    {"%warpid", FALSE},
    {"%nwarpid", FALSE},
    {"%smid", FALSE},
    {"%nsmid", FALSE},
    {"%gridid", FALSE},
    {"%lanemask_eq", FALSE},
    {"%lanemask_le", FALSE},
    {"%lanemask_lt", FALSE},
    {"%lanemask_ge", FALSE},
    {"%lanemask_gt", FALSE},
    {"%clock", FALSE},
    {"%clock_hi", FALSE},
    {"%clock64", FALSE},
    {"%globaltimer", FALSE},
    {"%globaltimer_lo", FALSE},
    {"%globaltimer_hi", FALSE},
    {"%reserved_smem_offset_begin", FALSE},
    {"%reserved_smem_offset_end", FALSE},
    {"%reserved_smem_offset_cap", FALSE},
    {"%reserved_smem_offset_0", FALSE},
    {"%reserved_smem_offset_1", FALSE},
    {"%total_smem_size", FALSE},
    {"%aggr_smem_size", FALSE},
    {"%dynamic_smem_size", FALSE},
    {"%current_graph_exec", FALSE},
};

// Families with a number: %envreg0 to %envreg31, %pm0 to %pm7 and %pm0_64 to %pm7_64.
static gboolean
is_numbered(const char *text, gsize length, const char *prefix, guint n, const char *suffix) {
  g_autofree char *copy = g_strndup(text, length);
  if (!g_str_has_prefix(copy, prefix) || !g_ascii_isdigit(copy[strlen(prefix)]))
    return FALSE;
  char *end;
  guint64 number = g_ascii_strtoull(copy + strlen(prefix), &end, 10);
  return number < n && strcmp(end, suffix) == 0;
}

gboolean
smb_ptx_is_special(const char *text, gsize length, gboolean *has_components) {
  *has_components = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(specials); i++) {
    if (strlen(specials[i].name) == length && memcmp(specials[i].name, text, length) == 0) {
      *has_components = specials[i].has_components;
      return TRUE;
    }
  }
  return is_numbered(text, length, "%envreg", 32, "") || is_numbered(text, length, "%pm", 8, "") ||
         is_numbered(text, length, "%pm", 8, "_64");
}
