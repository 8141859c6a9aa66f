// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Architectures and requests for other languages, and how errors are handed to them.
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/binding/impl.h"

int
smb_interface(void) {
  return SMB_INTERFACE;
}

// A message as a caller has it, a pointer to @text, and its hints in front of it.
typedef struct {
  GArray *hints; // SmbMessageHint
  GError *error; // which has their texts
  char text[];
} Message;

static Message *
message_of(const char *text) {
  return (Message *)(text - offsetof(Message, text));
}

SmbMessageHint
smb_message_hint_of(const SmbHint *hint) {
  return (SmbMessageHint){smb_hint_name(hint->kind), hint->name, hint->value};
}

// @error: (transfer full)
static char *
make_message(GError *error) {
  g_autofree char *text = smb_text_show(error->message);
  Message *message = g_malloc0(sizeof *message + strlen(text) + 1);
  message->error = error;
  message->hints = g_array_new(FALSE, FALSE, sizeof(SmbMessageHint));
  const SmbHint *hint;
  for (guint i = 0; (hint = smb_error_hint(error, i)); i++) {
    const SmbMessageHint shown = smb_message_hint_of(hint);
    g_array_append_val(message->hints, shown);
  }
  return strcpy(message->text, text);
}

void
smb_free(void *message) {
  if (!message)
    return;
  Message *whole = message_of(message);
  g_array_unref(whole->hints);
  g_error_free(whole->error);
  g_free(whole);
}

const SmbMessageHint *
smb_message_hint(const char *message, size_t index) {
  const GArray *hints = message_of(message)->hints;
  return index < hints->len ? &g_array_index(hints, SmbMessageHint, index) : NULL;
}

SmbStatus
smb_status_of(GError *failure, char **error) {
  if (!failure)
    return SMB_OK;
  SmbStatus status =
      g_error_matches(failure, SMB_ERROR, SMB_ERROR_USAGE) ? SMB_WRONG_USAGE : SMB_BAD_INPUT;
  if (error)
    *error = make_message(failure);
  else
    g_error_free(failure);
  return status;
}

SmbStatus
smb_model_new(const char *arch, SmbModel **model, char **error) {
  GError *failure = NULL;
  SmbArch *loaded = smb_arch_load(arch, &failure);
  if (loaded) {
    *model = g_new0(SmbModel, 1);
    (*model)->arch = loaded;
  }
  return smb_status_of(failure, error);
}

void
smb_model_free(SmbModel *model) {
  if (!model)
    return;
  smb_arch_unref(model->arch);
  g_free(model);
}

uint32_t
smb_model_lanes(const SmbModel *model) {
  return smb_arch_info(model->arch)->lanes;
}

// The kind of @requests is one that there is, of no more lanes than a warp has.
static gboolean
parse_kind(const SmbModel *model, const SmbRequests *requests, SmbOp *op, GError **error) {
  guint lanes = smb_arch_info(model->arch)->lanes;
  if (!smb_op_parse(requests->op, strlen(requests->op), op))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "unknown operation '%s': expected ld, st, atom, ldmatrix.x4, …", requests->op);
  if (requests->lanes > lanes)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "%" G_GSIZE_FORMAT " lanes: expected at most the %u of a warp", requests->lanes,
                    lanes);
  return smb_op_has_width(*op, requests->width) ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has no width of %u bytes", requests->op,
                  requests->width);
}

gboolean
smb_requests_get(const SmbModel *model, const SmbRequests *requests, size_t index,
                 SmbRequest *request, GError **error) {
  SmbOp op;
  if (!parse_kind(model, requests, &op, error))
    return FALSE;
  SmbLanes all = smb_lanes_below((guint)requests->lanes);
  memset(request, 0, sizeof *request);
  request->op = (guint8)op;
  request->width = (guint8)requests->width;
  request->mask = requests->masks ? requests->masks[index] : all;
  if (requests->lanes > 0)
    memcpy(request->offset, requests->offsets + index * requests->lanes,
           requests->lanes * sizeof *requests->offsets);
  if (request->mask & ~all)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "request %" G_GSIZE_FORMAT ": lane %u is active and has no offset", index,
                    smb_lanes_first(request->mask & ~all));
  if (smb_request_check(request, error) && smb_arch_check_request(model->arch, request, error))
    return TRUE;
  smb_prefix_error(error, "request %" G_GSIZE_FORMAT ": ", index);
  return FALSE;
}

SmbStatus
smb_requests_count(const SmbModel *model, const SmbRequests *requests, SmbCost *costs,
                   char **error) {
  GError *failure = NULL;
  for (size_t i = 0; i < requests->n; i++) {
    SmbRequest request;
    if (!smb_requests_get(model, requests, i, &request, &failure))
      break;
    SmbWavefronts cost = smb_wavefronts_count(model->arch, &request);
    costs[i] = (SmbCost){cost.wavefronts, cost.ideal, cost.excess, cost.degree, cost.cycles};
  }
  return smb_status_of(failure, error);
}
