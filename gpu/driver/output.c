// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/output.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *bytes;
  size_t length;
} Text;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Text printed, complaints;

static void
add_text(Text *text, SmbPayload *answer) {
  size_t length;
  const unsigned char *bytes = smb_payload_bytes(answer, &length);
  char *longer = length > 0 ? realloc(text->bytes, text->length + length) : NULL;
  if (!longer)
    return;
  memcpy(longer + text->length, bytes, length);
  *text = (Text){longer, text->length + length};
}

void
output_keep(SmbPayload *answer) {
  pthread_mutex_lock(&lock);
  add_text(&printed, answer);
  add_text(&complaints, answer);
  pthread_mutex_unlock(&lock);
}

static void
write_text(Text *text, FILE *file) {
  if (text->length > 0)
    fwrite(text->bytes, 1, text->length, file);
  free(text->bytes);
  *text = (Text){NULL, 0};
}

void
output_write(void) {
  pthread_mutex_lock(&lock);
  write_text(&printed, stdout);
  write_text(&complaints, stderr);
  pthread_mutex_unlock(&lock);
}
