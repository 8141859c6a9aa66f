// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The certificate of layout --find: the requests, as the elements that lanes move, the layout that was found, and of a proof by rank its
// subspaces.
#include "src/layout/report.h"
#include "src/out/json.h"

static void
write_moved_request(JsonBuilder *json, const SmbAccessRequest *made, guint element_bytes) {
  const SmbRequest *request = &made->request;
  g_autofree char *mask = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", (guint64)request->mask);
  smb_json_object(json, NULL);
  smb_json_text(json, "op", smb_op_name((SmbOp)request->op));
  smb_json_number(json, "width", request->width);
  smb_json_text(json, "mask", mask);
  smb_json_number(json, "times", (gint64)made->count);
  smb_json_array(json, "lanes");
  for (SmbLanes rest = request->mask; rest; rest &= rest - 1)
    smb_json_number(json, NULL, request->offset[smb_lanes_first(rest)] / element_bytes);
  json_builder_end_array(json);
  json_builder_end_object(json);
}

static void
write_vectors(JsonBuilder *json, const char *member, const guint32 *numbers, guint n) {
  smb_json_array(json, member);
  for (guint i = 0; i < n; i++)
    smb_json_number(json, NULL, numbers[i]);
  json_builder_end_array(json);
}

static void
write_found_layout(JsonBuilder *json, const SmbLayoutFound *found, const SmbLinearSearch *linear) {
  guint32 bases[SMB_LINEAR_MAX_BITS];
  smb_json_object(json, "layout");
  if (found->is_linear) {
    smb_linear_search_bases(linear, bases);
    write_vectors(json, "bases", bases, linear->bits);
  } else {
    smb_json_number(json, "pad", (gint64)found->layout.pad);
    smb_json_number(json, "bits", found->layout.bits);
    smb_json_number(json, "base", found->layout.base);
    smb_json_number(json, "shift", found->layout.shift);
  }
  json_builder_end_object(json);
}

static void
write_rank(JsonBuilder *json, const SmbLinearSearch *linear) {
  smb_json_number(json, "bits", linear->bits);
  smb_json_number(json, "row_bits", linear->row_bits);
  smb_json_number(json, "unit_bits", linear->unit_bits);
  smb_json_number(json, "empty", (gint64)linear->empty);
  smb_json_number(json, "least", (gint64)linear->least);
  write_vectors(json, "kernel", linear->kernel, linear->n_kernel);
  smb_json_array(json, "groups");
  for (guint i = 0; i < linear->groups->len; i++) {
    const SmbLinearGroup *group = &g_array_index(linear->groups, SmbLinearGroup, i);
    smb_json_object(json, NULL);
    smb_json_number(json, "weight", (gint64)group->weight);
    write_vectors(json, "basis", group->basis, group->n);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

void
smb_layout_certificate_json(JsonBuilder *json, const SmbLayoutFound *found,
                            const SmbLayoutOthers *others) {
  const SmbTile *tile = smb_layout_program_tile(others->target->kernel);
  const GArray *requests = others->analysis->requests;
  smb_json_object(json, "certificate");
  smb_json_text(json, "kind", found->what == SMB_LAYOUT_FIND_PAD ? "pad" : "swizzle");
  smb_json_number(json, "element_bytes", tile->element->bytes);
  smb_json_number(json, "elements", (gint64)tile->n);
  smb_json_number(json, "columns", (gint64)tile->extent[tile->rank - 1]);
  smb_json_array(json, "requests");
  for (guint i = 0; i < requests->len; i++)
    write_moved_request(json, &g_array_index(requests, SmbAccessRequest, i), tile->element->bytes);
  json_builder_end_array(json);
  write_found_layout(json, found, others->linear);
  if (g_strcmp0(found->by, "rank") == 0)
    write_rank(json, others->linear);
  json_builder_end_object(json);
}
