// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What requests of the shared memory of other blocks send, beside what Nsight Compute counted on an H200 (2026-11-28) of 256 such requests of
// 32 lanes, divided by 256: l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_ld, l1tex__m_l1tex2xbar_write_bytes_mem_dshared of stores / 32, and
// l1tex__t_sectors_pipe_lsu_mem_dshared_op_atom.
#include <check.h>

#include "sim/count/peer-packets.h"
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
      smb_peer_packets(cases[_i].op_class, G_MAXUINT32, cases[_i].width, addresses).packets,
      cases[_i].packets);
}
END_TEST

// Lanes that are not active ask for nothing, and one whose bytes are in two sectors for both.
START_TEST(counts_active_lanes) {
  guint64 addresses[SMB_MAX_LANES] = {[1] = 64, [2] = 48};
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_LOAD, 2, 4, addresses).packets, 1);
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_LOAD, 0, 4, addresses).packets, 0);
  addresses[2] = 56;
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_LOAD, 4, 16, addresses).packets, 2);
}
END_TEST

// As few as the bytes take, each once, but for atomics; of a copy in bulk, what it has.
START_TEST(counts_ideal) {
  guint64 same[SMB_MAX_LANES] = {0}, apart[SMB_MAX_LANES] = {0};
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    apart[lane] = lane * 128;
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_LOAD, G_MAXUINT32, 4, same).ideal, 1);
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_LOAD, G_MAXUINT32, 4, apart).ideal, 4);
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_STORE, G_MAXUINT32, 16, apart).ideal, 16);
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_ATOMIC, G_MAXUINT32, 4, same).ideal, 4);
  ck_assert_uint_eq(smb_peer_packets(SMB_OP_CLASS_LOAD, 1, 1000, same).packets, 32);
}
END_TEST

Suite *
suite_peer_packets(void) {
  Suite *suite = suite_create("peer-packets");
  TCase *tcase = tcase_create("peer-packets");
  tcase_add_loop_test(tcase, counts_packets, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, counts_active_lanes);
  tcase_add_test(tcase, counts_ideal);
  suite_add_tcase(suite, tcase);
  return suite;
}
