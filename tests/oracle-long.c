// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The long comparison: COUNT random requests with the SEED given, on every architecture in turn, each
// available counter against the oracle. Prints each mismatch and, at the end, what was compared.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "tests/oracle.h"
#include "tests/random-request.h"

enum {
  CHUNK = 4096,
  SHOWN_MISMATCHES = 20,
};

// What a chunk is counted in.
typedef struct {
  SmbRequest requests[CHUNK];
  SmbWavefronts want[CHUNK];
  SmbWavefronts got[CHUNK];
} Chunk;

static gboolean
parse_number(const char *text, guint64 *number) {
  return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, number, NULL);
}

// Compares @n requests on one architecture; adds the mismatches of any counter.
static void
compare_chunk(const SmbArch *arch, const char *name, SmbRandom *random, guint n, Chunk *chunk,
              guint64 *mismatches) {
  const Oracle *oracle = oracle_find(name);
  memset(chunk->requests, 0, sizeof chunk->requests);
  for (guint i = 0; i < n; i++) {
    random_request(random, arch, &chunk->requests[i]);
    chunk->want[i] = oracle_count(oracle, &chunk->requests[i]);
  }
  for (guint counter = 0; counter < SMB_N_COUNTERS; counter++) {
    if (!smb_counter_available((SmbCounter)counter))
      continue;
    smb_wavefronts_count_span(arch, (SmbCounter)counter, chunk->requests, n, chunk->got);
    for (guint i = 0; i < n; i++) {
      const SmbWavefronts *got = &chunk->got[i], *want = &chunk->want[i];
      if (memcmp(got, want, sizeof *got) == 0)
        continue;
      if ((*mismatches)++ >= SHOWN_MISMATCHES)
        continue;
      g_autofree char *line = format_request(&chunk->requests[i]);
      printf("%s %s: %s: %u %u %u %u %u, expected %u %u %u %u %u\n", name,
             smb_counter_name((SmbCounter)counter), line, got->wavefronts, got->ideal, got->excess,
             got->degree, got->cycles, want->wavefronts, want->ideal, want->excess, want->degree,
             want->cycles);
    }
  }
}

int
main(int argc, char **argv) {
  guint64 count = 100000000, seed = 1, mismatches = 0, done = 0;
  if (argc > 3 || (argc > 1 && !parse_number(argv[1], &count)) ||
      (argc > 2 && !parse_number(argv[2], &seed))) {
    fprintf(stderr, "usage: %s [COUNT [SEED]]\n", argv[0]);
    return 2;
  }
  g_auto(GStrv) names = smb_arch_list();
  guint n_names = g_strv_length(names);
  g_autofree Chunk *chunk = g_new0(Chunk, 1);
  SmbRandom random = smb_random_new(seed);

  for (guint turn = 0; done < count; turn++) {
    const char *name = names[turn % n_names];
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbArch) arch = smb_arch_load(name, &error);
    if (!arch) {
      fprintf(stderr, "%s\n", error->message);
      return 3;
    }
    guint n = (guint)MIN(count - done, (guint64)CHUNK);
    compare_chunk(arch, name, &random, n, chunk, &mismatches);
    done += n;
  }
  printf("seed %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " patterns, %" G_GUINT64_FORMAT
         " mismatches; counters:",
         seed, done, mismatches);
  for (guint counter = 0; counter < SMB_N_COUNTERS; counter++) {
    if (smb_counter_available((SmbCounter)counter))
      printf(" %s", smb_counter_name((SmbCounter)counter));
  }
  printf("\n");
  return mismatches ? 1 : 0;
}
