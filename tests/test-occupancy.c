// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Resident blocks: against numbers worked out by hand from the published tables and, where a CUDA Toolkit
// is installed, against what its cuda_occupancy.h says of every architecture, for all sizes of blocks.
#include "sim/arch/occupancy.h"

#include <check.h>

#include "sim/arch/arch.h"
#include "tests/suite.h"

#if defined(__has_include)
#  if __has_include(<cuda_occupancy.h>)
#    include <cuda_occupancy.h>
#    define HAVE_CUDA_OCCUPANCY 1
#  endif
#endif

typedef struct {
  const char *arch;
  guint threads;
  guint shared_bytes;
  guint blocks;
  guint warps;
  guint64 taken;
  SmbOccupancyLimit limit;
} Case;

enum {
  KB = 1024
};

static const Case cases[] = {
    {"sm_90", 1024, 0, 2, 64, 1024, SMB_OCCUPANCY_WARPS},
    {"sm_90", 32, 0, 32, 32, 1024, SMB_OCCUPANCY_BLOCKS},
    {"sm_90", 64, 0, 32, 64, 1024, SMB_OCCUPANCY_BLOCKS},
    {"sm_90", 65, 0, 21, 63, 1024, SMB_OCCUPANCY_WARPS},
    {"sm_90", 256, 32 * 33 * 4, 8, 64, 5248, SMB_OCCUPANCY_WARPS},
    {"sm_90", 128, 48 * KB, 4, 16, 49 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_90", 256, 227 * KB, 1, 8, 228 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_90", 256, 227 * KB + 1, 0, 0, 228 * KB + 128, SMB_OCCUPANCY_SHARED},
    {"sm_90", 256, 113 * KB, 2, 16, 114 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_90", 256, 113 * KB + 1, 1, 8, 114 * KB + 128, SMB_OCCUPANCY_SHARED},
    {"sm_80", 128, 163 * KB, 1, 4, 164 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_80", 128, 16 * KB, 9, 36, 17 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_86", 128, 16 * KB, 5, 20, 17 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_86", 1024, 0, 1, 32, 1024, SMB_OCCUPANCY_WARPS},
    {"sm_86", 32, 0, 16, 16, 1024, SMB_OCCUPANCY_BLOCKS},
    {"sm_89", 32, 0, 24, 24, 1024, SMB_OCCUPANCY_BLOCKS},
    {"sm_75", 1024, 0, 1, 32, 0, SMB_OCCUPANCY_WARPS},
    {"sm_75", 32, 0, 16, 16, 0, SMB_OCCUPANCY_BLOCKS},
    {"sm_75", 32, 4097, 15, 15, 4352, SMB_OCCUPANCY_SHARED},
    {"sm_70", 128, 96 * KB, 1, 4, 96 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_70", 128, 32 * KB, 3, 12, 32 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_61", 128, 48 * KB, 2, 8, 48 * KB, SMB_OCCUPANCY_SHARED},
    {"sm_61", 128, 48 * KB + 1, 0, 0, 48 * KB + 256, SMB_OCCUPANCY_SHARED},
    {"sm_30_4B", 192, 0, 10, 60, 0, SMB_OCCUPANCY_WARPS},
    {"sm_30_8B", 32, 0, 16, 16, 0, SMB_OCCUPANCY_BLOCKS},
    {"sm_20", 192, 0, 8, 48, 0, SMB_OCCUPANCY_BLOCKS},
    {"sm_20", 256, 16 * KB + 1, 2, 16, 16 * KB + 128, SMB_OCCUPANCY_SHARED},
    {"sm_120", 1024, 0, 1, 32, 1024, SMB_OCCUPANCY_WARPS},
};

START_TEST(test_case) {
  const Case *c = &cases[_i];
  g_autoptr(SmbArch) arch = smb_arch_load(c->arch, NULL);
  SmbOccupancy got = smb_occupancy(arch, c->threads, c->shared_bytes);
  ck_assert(got.known);
  ck_assert_uint_eq(got.blocks, c->blocks);
  ck_assert_uint_eq(got.warps, c->warps);
  ck_assert_uint_eq(got.shared_bytes, c->taken);
  ck_assert_str_eq(smb_occupancy_limit_name(got.limit), smb_occupancy_limit_name(c->limit));
}
END_TEST

START_TEST(test_limits) {
  g_autoptr(SmbArch) tesla = smb_arch_load("sm_10", NULL);
  SmbOccupancy unknown = smb_occupancy(tesla, 32, 0);
  ck_assert(!unknown.known);
  ck_assert_str_eq(smb_occupancy_limit_name(unknown.limit), "unknown");
  // More threads than a block may have.
  g_autoptr(SmbArch) hopper = smb_arch_load("sm_90", NULL);
  SmbOccupancy too_many = smb_occupancy(hopper, 1025, 0);
  ck_assert_uint_eq(too_many.blocks, 0);
  ck_assert_str_eq(smb_occupancy_limit_name(too_many.limit), "warps");
}
END_TEST

#ifdef HAVE_CUDA_OCCUPANCY
// The toolkit's answer for a kernel of one register and one barrier that may have all the shared memory
// that a block can have; FALSE: it is older than the chip.
static gboolean
ask_toolkit(const SmbArchInfo *info, guint threads, guint shared_bytes, guint *blocks) {
  cudaOccDeviceProp device = {
      .computeMajor = (int)info->capability_major,
      .computeMinor = (int)info->capability_minor,
      .maxThreadsPerBlock = (int)info->max_threads,
      .maxThreadsPerMultiprocessor = (int)info->sm_warps * SMB_NVIDIA_LANES,
      .regsPerBlock = 65536,
      .regsPerMultiprocessor = 65536,
      .warpSize = SMB_NVIDIA_LANES,
      .sharedMemPerBlock = info->static_shared_bytes,
      .sharedMemPerMultiprocessor = info->sm_shared_bytes,
      .numSms = 1,
      .sharedMemPerBlockOptin = info->max_shared_bytes,
      .reservedSharedMemPerBlock = info->block_reserved_bytes,
  };
  cudaOccFuncAttributes function = {
      .maxThreadsPerBlock = (int)info->max_threads,
      .numRegs = 1,
      .partitionedGCConfig = PARTITIONED_GC_OFF,
      .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
      .maxDynamicSharedSizeBytes = info->max_shared_bytes,
      .numBlockBarriers = 1,
  };
  cudaOccDeviceState state = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT};
  cudaOccResult result;
  cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                                (int)threads, shared_bytes);
  if (status == CUDA_OCC_ERROR_UNKNOWN_DEVICE)
    return FALSE;
  ck_assert_msg(status == CUDA_OCC_SUCCESS, "%s: %u threads, %u bytes: cuda_occupancy.h: error %d",
                info->name, threads, shared_bytes, (int)status);
  *blocks = (guint)result.activeBlocksPerMultiprocessor;
  return TRUE;
}

START_TEST(test_toolkit) {
  g_auto(GStrv) names = smb_arch_list();
  for (guint i = 0; names[i]; i++) {
    g_autoptr(SmbArch) arch = smb_arch_load(names[i], NULL);
    const SmbArchInfo *info = smb_arch_info(arch);
    guint want;
    if (info->capability_major < 3 || !ask_toolkit(info, 1, 0, &want)) {
      ck_assert_str_ne(names[i], SMB_DEFAULT_ARCH);
      continue; // older or newer than the toolkit knows
    }
    for (guint threads = 1; threads <= 1024; threads += threads < 34 ? 1 : 31) {
      for (guint bytes = 0; bytes <= info->max_shared_bytes + 512; bytes += 124) {
        ck_assert(ask_toolkit(info, threads, bytes, &want));
        guint got = smb_occupancy(arch, threads, bytes).blocks;
        ck_assert_msg(got == want, "%s: %u threads, %u bytes: %u blocks, not %u", names[i], threads,
                      bytes, got, want);
      }
    }
  }
}
END_TEST
#endif

Suite *
suite_occupancy(void) {
  Suite *suite = suite_create("occupancy");
  TCase *tcase = tcase_create("occupancy");
  tcase_add_loop_test(tcase, test_case, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_limits);
#ifdef HAVE_CUDA_OCCUPANCY
  tcase_add_test(tcase, test_toolkit);
#endif
  suite_add_tcase(suite, tcase);
  return suite;
}
