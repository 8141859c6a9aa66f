// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/effort.h"
#include "tests/random-request.h"

#include "sim/arch/rule.h"
#include "sim/trace/trace.h"
#include "tests/random-arch.h"

enum {
  EMPTY_ONCE_IN = 64,
  MADE_UP = 20, // architectures
};

void
random_request(SmbRandom *random, const SmbArch *arch, SmbRequest *request) {
  SmbOp op;
  guint width;
  do {
    op = (SmbOp)smb_random_below(random, SMB_N_OPS);
    width = smb_width(smb_random_below(random, SMB_N_WIDTHS));
  } while (!smb_op_has_width(op, width) || !smb_arch_rule(arch, op, width)->defined);
  smb_pattern_request(random, smb_arch_info(arch)->lanes, op, width, 0, request);
  if (smb_random_below(random, EMPTY_ONCE_IN) == 0)
    request->mask = 0;
}

static void
check_requests(SmbRandom *random, const SmbArch *arch, guint n,
               void (*check)(const SmbArch *arch, const SmbRequest *request)) {
  for (guint i = 0; i < n; i++) {
    SmbRequest request;
    random_request(random, arch, &request);
    check(arch, &request);
  }
}

void
check_random_requests(guint64 seed, guint n,
                      void (*check)(const SmbArch *arch, const SmbRequest *request)) {
  g_auto(GStrv) names = smb_arch_list();
  SmbRandom random = smb_random_new(seed);
  n = effort(n);
  for (guint i = 0; names[i]; i++) {
    g_autoptr(SmbArch) arch = smb_arch_load(names[i], NULL);
    check_requests(&random, arch, n, check);
  }
  for (guint i = 0; i < MADE_UP; i++) {
    Oracle oracle;
    g_autoptr(SmbArch) arch = random_arch(&random, &oracle);
    check_requests(&random, arch, n, check);
  }
}

char *
format_request(const SmbRequest *request) {
  GString *text = g_string_new(NULL);
  smb_trace_append_request(text, request, smb_request_span(request));
  return g_string_free(text, FALSE);
}
