// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams and events of a grid. Work is done in the order of the calls, whatever its stream, so that what a stream waits for has been done:
// only handles are kept.
#include "sim/exec/service/service.h"

enum {
  // Handles that stand for streams (driver_types.h, cuda_device_runtime_api.h)
  STREAM_DEFAULT = 0,
  STREAM_LEGACY = 1,
  STREAM_PER_THREAD = 2,
  STREAM_TAIL_LAUNCH = 3,
  STREAM_FIRE_AND_FORGET = 4,
  // Flags that they may be made with; an event must not measure time
  STREAM_NON_BLOCKING = 1,
  EVENT_BLOCKING_SYNC = 1,
  EVENT_DISABLE_TIMING = 2,
};

gboolean
smb_service_is_stream(const Service *service, guint64 stream, gboolean *is_tail) {
  *is_tail = stream == STREAM_TAIL_LAUNCH;
  return stream <= STREAM_FIRE_AND_FORGET ||
         smb_children_has(service->children, SMB_CHILD_STREAM, stream);
}

static gboolean
make_handle(Service *service, SmbChildHandle kind, gboolean are_flags_right) {
  if (!are_flags_right)
    return smb_service_return(service, SERVICE_INVALID_VALUE);
  guint64 handle = smb_children_make(service->children, kind);
  return smb_service_put(service, service->values[0], &handle, sizeof handle);
}

// A device takes what was destroyed as if it were still there.
static gboolean
destroy_handle(Service *service, SmbChildHandle kind) {
  gboolean is_there = smb_children_has(service->children, kind, service->values[0]);
  return smb_service_return(service, is_there ? 0 : SERVICE_INVALID_VALUE);
}

// A call with an event and a stream, not one of those that kernels are launched into only.
static gboolean
check_both(Service *service, guint64 event, guint64 stream) {
  gboolean is_tail;
  gboolean are_there = smb_children_has(service->children, SMB_CHILD_EVENT, event) &&
                       smb_service_is_stream(service, stream, &is_tail) && !is_tail &&
                       stream != STREAM_FIRE_AND_FORGET;
  return smb_service_return(service, are_there ? 0 : SERVICE_INVALID_VALUE);
}

gboolean
smb_service_stream_create(Service *service) {
  return make_handle(service, SMB_CHILD_STREAM, service->values[1] <= STREAM_NON_BLOCKING);
}

gboolean
smb_service_stream_destroy(Service *service) {
  return destroy_handle(service, SMB_CHILD_STREAM);
}

gboolean
smb_service_stream_wait(Service *service) {
  return check_both(service, service->values[1], service->values[0]);
}

gboolean
smb_service_event_create(Service *service) {
  return make_handle(service, SMB_CHILD_EVENT,
                     (service->values[1] | EVENT_BLOCKING_SYNC) ==
                         (EVENT_DISABLE_TIMING | EVENT_BLOCKING_SYNC));
}

gboolean
smb_service_event_record(Service *service) {
  return check_both(service, service->values[0], service->values[1]);
}

gboolean
smb_service_event_destroy(Service *service) {
  return destroy_handle(service, SMB_CHILD_EVENT);
}
