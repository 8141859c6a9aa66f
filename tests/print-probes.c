// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Prints one CUDA file with the probe of every instruction that a compute capability has, for a
// compiler: print-probes CAPABILITY FILE, the capability times 10, FILE as the place of gpu/probe.cu.
#include <stdio.h>
#include <stdlib.h>

#include "gpu/instruction.h"

int
main(int argc, char **argv) {
  if (argc != 3)
    return EXIT_FAILURE;
  guint64 capability = g_ascii_strtoull(argv[1], NULL, 10);
  // Each probe has constant memory of its own; there are 64 KiB for all.
  printf("#define UNROLL 2\n#define CONSTANT_BYTES 64\n");
  for (guint i = 0; i < smb_instruction_count(); i++) {
    const SmbInstruction *instruction = smb_instruction(i);
    if (instruction->capability > capability)
      continue;
    printf("namespace probe%u { // %s\n"
           "#define WHOLE_WARP %d\n"
           "#define ACCESS(a, l, v, g) %s\n"
           "#define probe_clock probe_clock%u\n"
           "#define probe_count probe_count%u\n"
           "#include \"%s\"\n"
           "#undef WHOLE_WARP\n"
           "#undef ACCESS\n"
           "#undef probe_clock\n"
           "#undef probe_count\n"
           "}\n",
           i, instruction->name, instruction->whole_warp, instruction->text, i, i, argv[2]);
  }
  return EXIT_SUCCESS;
}
