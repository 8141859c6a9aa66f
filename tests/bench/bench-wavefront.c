// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Requests per second of each counter on one core, one pattern and width at a time. The requests fit the
// second-level cache, so that the counter is timed and not the memory: the best of several runs.
#include <stdio.h>
#include <stdlib.h>

#include "sim/arch/arch.h"
#include "sim/count/wavefront.h"
#include "tests/oracle.h"
#include "tests/random-request.h"

enum {
  N_REQUESTS = 1024, // 400 KiB, and 20 KiB of results
  N_RUNS = 7,
  RUN_USEC = 60000,
  WINDOW_BYTES = 65536,
  MEMORY_BYTES = 232448, // of a block on an H200
};

typedef enum {
  PATTERN_UNIT,
  PATTERN_PADDED,
  PATTERN_RANDOM,
  PATTERN_BROADCAST,
  PATTERN_STRIDED,
  PATTERN_MIXED,
  N_PATTERNS
} Pattern;

static const char *const pattern_names[N_PATTERNS] = {"unit stride",    "padded column",
                                                      "random, 64 KiB", "one word",
                                                      "column (worst)", "all ops mixed"};

static void
fill_request(Pattern pattern, guint width, const SmbArch *arch, guint i, SmbRandom *random,
             SmbRequest *request) {
  if (pattern == PATTERN_MIXED) {
    random_request(random, arch, request);
    return;
  }
  request->op = SMB_OP_LD;
  request->width = (guint8)width;
  request->mask = 0xffffffffu;
  for (guint32 lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
    guint32 unit = pattern == PATTERN_UNIT     ? i + lane
                   : pattern == PATTERN_PADDED ? i + lane * 33
                   : pattern == PATTERN_RANDOM ? smb_random_below(random, WINDOW_BYTES / width)
                                               : i;
    request->offset[lane] = (pattern == PATTERN_STRIDED ? i % 8 + lane * 32 : unit) * width;
  }
}

// Counts all requests once. Returns something that depends on every result.
static guint64
count_all(const SmbArch *arch, guint counter, const SmbRequest *requests, SmbWavefronts *out) {
  guint64 sum = 0;
  if (counter < SMB_N_COUNTERS) {
    smb_wavefronts_count_span(arch, (SmbCounter)counter, requests, N_REQUESTS, out);
  } else if (counter == SMB_N_COUNTERS) {
    for (guint i = 0; i < N_REQUESTS; i++)
      out[i] = smb_wavefronts_count(arch, &requests[i]);
  } else {
    const Oracle *oracle = oracle_find(smb_arch_info(arch)->name);
    for (guint i = 0; i < N_REQUESTS; i++)
      out[i] = oracle_count(oracle, &requests[i]);
  }
  for (guint i = 0; i < N_REQUESTS; i += 64)
    sum += out[i].wavefronts + out[i].cycles;
  return sum;
}

// Requests per second, the best of N_RUNS.
static double
time_counter(const SmbArch *arch, guint counter, const SmbRequest *requests, SmbWavefronts *out,
             guint64 *check) {
  double best = 0;
  for (guint run = 0; run < N_RUNS; run++) {
    gint64 start = g_get_monotonic_time(), end;
    guint64 n = 0;
    do {
      *check += count_all(arch, counter, requests, out);
      n += N_REQUESTS;
      end = g_get_monotonic_time();
    } while (end - start < RUN_USEC);
    best = MAX(best, (double)n * 1e6 / (double)(end - start));
  }
  return best;
}

// Random requests made per second, the best of N_RUNS, and printed.
static void
time_patterns(SmbRequest *requests, guint64 *check) {
  printf("\nmillion random loads made a second on one core\n%6s\n", "bytes");
  for (guint w = 0; w < SMB_N_WIDTHS; w++) {
    guint width = smb_width(w);
    SmbRandom random = smb_random_new(1);
    double best = 0;
    for (guint run = 0; run < N_RUNS; run++) {
      gint64 start = g_get_monotonic_time(), end;
      guint64 n = 0;
      do {
        for (guint i = 0; i < N_REQUESTS; i++)
          smb_pattern_request(&random, SMB_NVIDIA_LANES, SMB_OP_LD, width, MEMORY_BYTES,
                              &requests[i]);
        n += N_REQUESTS;
        end = g_get_monotonic_time();
      } while (end - start < RUN_USEC);
      best = MAX(best, (double)n * 1e6 / (double)(end - start));
      *check += requests[run].mask;
    }
    printf("%6u %13.2f\n", width, best / 1e6);
  }
}

int
main(void) {
  static const char *const others[] = {"one call each", "oracle"};
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", &error);
  if (!arch) {
    fprintf(stderr, "%s\n", error->message);
    return EXIT_FAILURE;
  }
  g_autofree SmbRequest *requests = g_new0(SmbRequest, N_REQUESTS);
  g_autofree SmbWavefronts *out = g_new0(SmbWavefronts, N_REQUESTS);
  guint64 check = 0;

  printf(
      "million requests a second on one core: loads on sm_90, %d requests in cache, best of %d\n",
      N_REQUESTS, N_RUNS);
  printf("%-16s %6s", "pattern", "bytes");
  for (guint counter = 0; counter < SMB_N_COUNTERS + G_N_ELEMENTS(others); counter++)
    printf(" %13s", counter < SMB_N_COUNTERS ? smb_counter_name((SmbCounter)counter)
                                             : others[counter - SMB_N_COUNTERS]);
  printf("\n");
  for (guint pattern = 0; pattern < N_PATTERNS; pattern++) {
    for (guint width = 4; width <= (pattern == PATTERN_MIXED ? 4 : 16); width *= 2) {
      SmbRandom random = smb_random_new(1);
      for (guint i = 0; i < N_REQUESTS; i++)
        fill_request((Pattern)pattern, width, arch, i, &random, &requests[i]);
      printf("%-16s %6u", pattern_names[pattern], width);
      for (guint counter = 0; counter < SMB_N_COUNTERS + G_N_ELEMENTS(others); counter++) {
        if (counter < SMB_N_COUNTERS && !smb_counter_available((SmbCounter)counter))
          printf(" %13s", "-");
        else
          printf(" %13.2f", time_counter(arch, counter, requests, out, &check) / 1e6);
        fflush(stdout);
      }
      printf("\n");
    }
  }
  time_patterns(requests, &check);
  printf("(check %" G_GUINT64_FORMAT ")\n", check);
  return EXIT_SUCCESS;
}
