// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/prove-option.h"

static gboolean option_prove;

static const GOptionEntry entries[] = {
    {"prove", 0, 0, G_OPTION_ARG_NONE, &option_prove,
     "prove of each access that it is free of conflicts for all parameters and grids; the exit "
     "status is 1 if one is not",
     NULL},
    G_OPTION_ENTRY_NULL,
};
const SmbCliGroup smb_prove_group = {"Proof", entries};

gboolean
smb_prove_is_asked(void) {
  return option_prove;
}
