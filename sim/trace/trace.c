// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Cuts a stream into lines and the lines into batches; sim/trace/trace-line.c reads a line.
#include "sim/trace/trace.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/trace/trace-line.h"

// Bytes that are asked of the stream at once; more than the longest line.
enum {
  BUFFER_BYTES = 1 << 16
};

struct _SmbTraceReader {
  GInputStream *stream;
  char *name;
  SmbArch *arch;
  guint64 line;        // number of the last line
  guint64 n_requests;  // so far
  gboolean ended;      // the stream has no more
  gboolean in_comment; // the start of the buffer is the rest of a comment that is skipped
  gsize start;         // of what is not read yet
  gsize end;
  char buffer[BUFFER_BYTES + 1]; // one more: the last line may lack its line feed
};

SmbTraceReader *
smb_trace_reader_new(GInputStream *stream, const char *name, SmbArch *arch) {
  SmbTraceReader *reader = g_new(SmbTraceReader, 1);
  memset(reader, 0, G_STRUCT_OFFSET(SmbTraceReader, buffer));
  reader->stream = g_object_ref(stream);
  reader->name = g_strdup(name);
  reader->arch = smb_arch_ref(arch);
  return reader;
}

void
smb_trace_reader_free(SmbTraceReader *reader) {
  if (!reader)
    return;
  g_object_unref(reader->stream);
  g_free(reader->name);
  smb_arch_unref(reader->arch);
  g_free(reader);
}

// Editors of some systems begin a text with a byte order mark.
static void
skip_byte_order_mark(SmbTraceReader *reader) {
  static const char mark[] = "\xef\xbb\xbf";
  if (reader->line == 0 && reader->end - reader->start >= strlen(mark) &&
      memcmp(reader->buffer + reader->start, mark, strlen(mark)) == 0)
    reader->start += strlen(mark);
}

// Moves what is left to the front of the buffer and adds to it.
static gboolean
fill_buffer(SmbTraceReader *reader, GError **error) {
  gsize held = reader->end - reader->start;
  memmove(reader->buffer, reader->buffer + reader->start, held);
  reader->start = 0;
  reader->end = held;
  gssize got =
      g_input_stream_read(reader->stream, reader->buffer + held, BUFFER_BYTES - held, NULL, error);
  if (got < 0) {
    smb_prefix_error(error, "%s: ", reader->name);
    return FALSE;
  }
  reader->ended = got == 0;
  reader->end += (gsize)got;
  return TRUE;
}

// Ends a line that is longer than a request can be at its comment, or refuses it.
static gboolean
cut_comment(SmbTraceReader *reader, char *text, GError **error) {
  char *comment = memchr(text, '#', SMB_TRACE_MAX_LINE_BYTES);
  if (comment) {
    *comment = '\n';
    return TRUE;
  }
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s:%" G_GUINT64_FORMAT ": a line of more than %d bytes: not a trace",
                  reader->name, reader->line, SMB_TRACE_MAX_LINE_BYTES);
}

// Takes the line that ends at @end, which is a line feed or, if @comment_goes_on, is not there yet.
static gboolean
take_trace_line(SmbTraceReader *reader, char *end, gboolean comment_goes_on, const char **text,
                GError **error) {
  char *start = reader->buffer + reader->start;
  reader->start = (gsize)(end - reader->buffer) + !comment_goes_on;
  reader->in_comment = comment_goes_on;
  reader->line++;
  *text = start;
  return end - start <= SMB_TRACE_MAX_LINE_BYTES || cut_comment(reader, start, error);
}

// The next line, ended by a line feed, or NULL at the end of the stream.
static gboolean
read_trace_line(SmbTraceReader *reader, const char **text, GError **error) {
  for (;;) {
    char *start = reader->buffer + reader->start;
    char *end = reader->buffer + reader->end;
    char *feed = memchr(start, '\n', (gsize)(end - start));
    if (reader->in_comment) {
      reader->start = feed ? (gsize)(feed - reader->buffer) + 1 : reader->end;
      reader->in_comment = !feed;
      if (feed)
        continue;
    } else if (feed) {
      return take_trace_line(reader, feed, FALSE, text, error);
    } else if (end - start > SMB_TRACE_MAX_LINE_BYTES) {
      return take_trace_line(reader, end, TRUE, text, error);
    } else if (reader->ended && start < end) {
      *end = '\n';
      reader->end++;
      continue;
    }
    if (reader->ended) {
      *text = NULL;
      return TRUE;
    }
    if (!fill_buffer(reader, error))
      return FALSE;
    skip_byte_order_mark(reader);
  }
}

gboolean
smb_trace_reader_next(SmbTraceReader *reader, SmbTraceBatch *batch, GError **error) {
  batch->n = 0;
  while (batch->n < SMB_TRACE_BATCH_REQUESTS) {
    SmbTraceLine line = {reader->name, 0, NULL, reader->arch};
    gboolean found;
    if (!read_trace_line(reader, &line.text, error))
      return FALSE;
    if (!line.text)
      break;
    line.number = reader->line;
    if (!smb_trace_line_parse(&line, &batch->requests[batch->n], &batch->expected[batch->n], &found,
                              error))
      return FALSE;
    batch->lines[batch->n] = line.number;
    batch->n += found ? 1 : 0;
  }
  reader->n_requests += batch->n;
  if (reader->n_requests > 0)
    return TRUE;
  return smb_fail(
      error, SMB_ERROR, SMB_ERROR_INPUT,
      "%s: no request in it: expected lines of OP WIDTH MASK OFF0 … OFF%u [= WAVEFRONTS]",
      reader->name, smb_arch_info(reader->arch)->lanes - 1);
}

void
smb_trace_append_request(GString *text, const SmbRequest *request, guint n_lanes) {
  g_string_append_printf(text, "%s %u %0*" G_GINT64_MODIFIER "x", smb_op_name((SmbOp)request->op),
                         request->width, (int)n_lanes / 4, request->mask);
  for (guint lane = 0; lane < n_lanes; lane++)
    g_string_append_printf(text, " %u", request->offset[lane]);
}
