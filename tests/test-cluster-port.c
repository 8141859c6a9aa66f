// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What requests of the shared memory of other blocks send, beside what Nsight Compute counted on an H200 (2026-11-28) of 256 such requests of
// 32 lanes, divided by 256: l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_ld, l1tex__m_l1tex2xbar_write_bytes_mem_dshared of stores / 32, and
// l1tex__t_sectors_pipe_lsu_mem_dshared_op_atom.
#include <check.h>

#include "sim/time/replay/cluster-port.h"
#include "tests/suite.h"

static const struct {
  SmbOpClass op_class;
  guint stride, width; // bytes
  guint packets;
} cases[] = {
    {SMB_OP_CLASS_LOAD, 0, 4, 1},     {SMB_OP_CLASS_LOAD, 4, 4, 4},
    {SMB_OP_CLASS_LOAD, 8, 4, 8},     {SMB_OP_CLASS_LOAD, 16, 4, 16},
    {SMB_OP_CLASS_LOAD, 32, 4, 32},   {SMB_OP_CLASS_LOAD, 128, 4, 32},
    {SMB_OP_CLASS_LOAD, 16, 16, 16},  {SMB_OP_CLASS_LOAD, 64, 16, 32},
    {SMB_OP_CLASS_STORE, 0, 4, 1},    {SMB_OP_CLASS_STORE, 4, 4, 4},
    {SMB_OP_CLASS_STORE, 8, 4, 16},   {SMB_OP_CLASS_STORE, 16, 4, 32},
    {SMB_OP_CLASS_STORE, 32, 4, 32},  {SMB_OP_CLASS_STORE, 128, 4, 32},
    {SMB_OP_CLASS_ATOMIC, 0, 4, 32},  {SMB_OP_CLASS_ATOMIC, 4, 4, 4},
    {SMB_OP_CLASS_ATOMIC, 8, 4, 8},   {SMB_OP_CLASS_ATOMIC, 16, 4, 16},
    {SMB_OP_CLASS_ATOMIC, 32, 4, 32}, {SMB_OP_CLASS_ATOMIC, 128, 4, 32},
};

START_TEST(counts_packets) {
  guint64 addresses[SMB_MAX_LANES] = {0};
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    addresses[lane] = 1024 + lane * cases[_i].stride;
  ck_assert_uint_eq(
      smb_cluster_port_count(cases[_i].op_class, G_MAXUINT32, cases[_i].width, addresses),
      cases[_i].packets);
}
END_TEST

// Lanes that are not active ask for nothing, and one whose bytes are in two sectors for both.
START_TEST(counts_active_lanes) {
  guint64 addresses[SMB_MAX_LANES] = {[1] = 64, [2] = 48};
  ck_assert_uint_eq(smb_cluster_port_count(SMB_OP_CLASS_LOAD, 2, 4, addresses), 1);
  ck_assert_uint_eq(smb_cluster_port_count(SMB_OP_CLASS_LOAD, 0, 4, addresses), 0);
  addresses[2] = 56;
  ck_assert_uint_eq(smb_cluster_port_count(SMB_OP_CLASS_LOAD, 4, 16, addresses), 2);
}
END_TEST

Suite *
suite_cluster_port(void) {
  Suite *suite = suite_create("cluster-port");
  TCase *tcase = tcase_create("cluster-port");
  tcase_add_loop_test(tcase, counts_packets, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, counts_active_lanes);
  suite_add_tcase(suite, tcase);
  return suite;
}
