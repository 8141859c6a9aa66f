// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams that are captured: what they are asked becomes nodes of a graph.
#pragma once

#include "gpu/driver/stream/call.h"

// Makes a node of a call, which is taken, and which the next one on the stream follows.
cudaError_t capture_add(Stream *stream, Call *call);

// An event that stands for what the stream has done so far.
cudaError_t capture_record(Stream *stream, Event *event);

// The stream goes on after the event, in the capture of either.
cudaError_t capture_wait(Stream *stream, Event *event);

// A call that is not allowed while a stream is captured: the capture is lost. Returns @error, or that it was lost before.
cudaError_t capture_break(Stream *stream, cudaError_t error);
cudaError_t capture_break_id(uint64_t capture, cudaError_t error);

// Whether a call may be made that waits or allocates, while streams are captured; @is_legacy: it uses the legacy stream.
cudaError_t capture_check_unsafe(bool is_legacy);

// Whether the legacy stream may be used: a stream that waits for it may be captured.
cudaError_t capture_check_legacy(void);

// The stream is destroyed.
void capture_leave(Stream *stream);
