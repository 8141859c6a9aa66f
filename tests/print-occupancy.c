// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Prints the resident blocks of an architecture for many sizes of blocks, to be compared with what a device
// says (tests/gpu/occupancy.cu): print-occupancy ARCH, a line "THREADS SHARED_BYTES BLOCKS" each.
#include <stdio.h>
#include <stdlib.h>

#include "sim/arch/arch.h"
#include "sim/arch/occupancy.h"

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = argc == 2 ? smb_arch_load(argv[1], &error) : NULL;
  if (!arch) {
    fprintf(stderr, "%s\n", error ? error->message : "usage: print-occupancy ARCH");
    return EXIT_FAILURE;
  }
  const SmbArchInfo *info = smb_arch_info(arch);
  for (guint threads = 1; threads <= info->max_threads; threads += threads < 34 ? 1 : 15) {
    for (guint bytes = 0; bytes <= info->max_shared_bytes; bytes += 508) {
      SmbOccupancy occupancy = smb_occupancy(arch, threads, bytes);
      printf("%u %u %u\n", threads, bytes, occupancy.blocks);
    }
    printf("%u %u %u\n", threads, info->max_shared_bytes,
           smb_occupancy(arch, threads, info->max_shared_bytes).blocks);
  }
  return EXIT_SUCCESS;
}
