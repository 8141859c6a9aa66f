// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The files of devices: what is refused, with its line, and what a device has that is like another one.
#include <check.h>
#include <string.h>

#include <glib/gstdio.h>

#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "sim/time/chip.h"
#include "tests/suite.h"

static SmbArch *arch;
static SmbChip *chip;

static void
set_up(void) {
  arch = smb_arch_load("sm_90", NULL);
  chip = smb_chip_load("h200", arch, NULL);
  ck_assert(arch && chip);
}

static void
tear_down(void) {
  smb_chip_free(chip);
  smb_arch_unref(arch);
}

// The file of the H200 as "odd", with @to in place of @from: what is said of it.
static char *
find_complaint(const char *folder, const char *from, const char *to) {
  g_autoptr(GBytes) bytes = smb_data_load("devices/h200.ini", NULL);
  g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  g_autofree char *path = g_build_filename(folder, "devices", "odd.ini", NULL);
  g_auto(GStrv) parts = g_strsplit(text, from, -1);
  g_autofree char *odd = g_strjoinv(to, parts);
  g_autoptr(GError) error = NULL;
  ck_assert_uint_eq(g_strv_length(parts), 2);
  ck_assert(g_file_set_contents(path, odd, -1, NULL));
  g_setenv("SMEMBANK_DATADIR", folder, TRUE);
  g_autoptr(SmbChip) made = smb_chip_load("odd", arch, &error);
  g_unsetenv("SMEMBANK_DATADIR");
  g_unlink(path);
  ck_assert((made == NULL) == (error != NULL));
  return error ? g_strdup(error->message) : NULL;
}

// The line of the H200's file in which a text begins.
static guint
find_line_of(const char *text) {
  g_autoptr(GBytes) bytes = smb_data_load("devices/h200.ini", NULL);
  g_autofree char *file = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  const char *end = strstr(file, text);
  guint line = 1;
  for (const char *at = file; at < end; at++)
    line += *at == '\n';
  return line;
}

START_TEST(odd_numbers_have_a_line) {
  static const struct {
    const char *from, *to, *place, *complaint; // of the line that begins with PLACE; NULL: none
  } cases[] = {
      {"\nlogic=2\n", "\nlogic=2.5\n", NULL, NULL},
      {"\nlogic=2\n", "\nlogic=\n", "logic=", "[time] logic: expected a positive number"},
      {"\nlogic=2\n", "\nlogic=two\n", "logic=", "[time] logic: expected a positive number"},
      {"\nlogic=2\n", "\nlogic=nan\n", "logic=", "[time] logic: expected a positive number"},
      {"\nlogic=2\n", "\nlogic=-2\n", "logic=", "[time] logic: expected a positive number"},
      {"\nlogic=2\n", "\nlogic=2 cycles\n", "logic=", "[time] logic: expected a positive number"},
      {"\nlogic=2\n", "\n", "[time]", "[time] logic: missing: expected a positive number"},
      {"\nl2-wait=", "\nl2-wat=", "[time]", "[time] l2-wait: missing: expected a positive number"},
      {"\nl2-slices=", "\nl2-slices=9", "l2-slices=", "[time] l2-slices: expected 1 to 256"},
      {"\nqueue-entries=", "\nqueue-entries=0.",
       "queue-entries=", "[time] queue-entries: expected 1 to 64"},
      {"\nmultiprocessors=", "\nmultiprocessors=0.",
       "multiprocessors=", "[device] multiprocessors: expected 1 or more"},
      {"\nclock-khz=", "\nclock-hz=", "[device]",
       "[device] clock-khz: missing: expected a positive number"},
      {"\nfma-pipes=2", "\nfma-pipes=3", "fma-pipes=", "[time] fma-pipes: expected 1 to 2"},
      {"\ntitle=", "\nlike=h100\ntitle=", NULL, NULL},
      {"\ntitle=", "\nlike=h300\ntitle=", "title=",
       "[time] like: expected a device that has times"},
      {"\ntitle=", "\nlike=a100\ntitle=", "title=",
       "[time] like: devices/a100.ini:23: [time] like: expected a device that is not like another "
       "one"},
      {"\ntitle=", "\ntitl=", "[time]", "[time] title: missing: expected a text"},
  };
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  g_autofree char *devices = g_build_filename(folder, "devices", NULL);
  ck_assert_int_eq(g_mkdir(devices, 0700), 0);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *got = find_complaint(folder, cases[i].from, cases[i].to);
    g_autofree char *expected =
        cases[i].complaint ? g_strdup_printf("devices/odd.ini:%u: %s", find_line_of(cases[i].place),
                                             cases[i].complaint)
                           : NULL;
    ck_assert_pstr_eq(got, expected);
  }
  g_rmdir(devices);
  g_rmdir(folder);
}
END_TEST

START_TEST(devices_are_checked) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) old = smb_arch_load("sm_75", NULL);
  ck_assert_ptr_null(smb_chip_load("h300", arch, &error));
  ck_assert_str_eq(
      error->message,
      "no device 'h300': expected one of a100, a6000, b200, b300, gb10, h100, h200, orin, "
      "rtx3090, rtx4090, rtx5090, t4, thor");
  g_clear_error(&error);
  ck_assert_ptr_null(smb_chip_load("h100", old, &error));
  ck_assert_str_eq(error->message, "the times of a device 'h100' are not known on sm_75");
  g_clear_error(&error);
  g_autoptr(SmbArch) older = smb_arch_load("sm_61", NULL);
  ck_assert_ptr_null(smb_chip_load(NULL, older, &error));
  ck_assert_ptr_null(error);
  g_autoptr(SmbChip) first = smb_chip_load(NULL, arch, &error);
  ck_assert_str_eq(first->title, "H100");
}
END_TEST

// Each architecture whose machine code is counted has a device. One that nobody has measured says so, has what documents say of it, and is else like
// one that was measured: what DRAM does by its bandwidth, what the second-level cache keeps by its size.
START_TEST(documented_devices_are_like_measured_ones) {
  static const struct {
    const char *arch, *title;
    double fma_pipes,
        dram_read; // the H200's, by the bandwidths that are stated: 4.814 TB/s, and that of the device
    gboolean is_measured;
  } devices[] = {
      {"sm_75", "T4", 1, 320e9, FALSE},        {"sm_80", "A100", 1, 2039e9, FALSE},
      {"sm_86", "RTX A6000", 2, 768e9, FALSE}, {"sm_87", "Orin", 2, 204.8e9, FALSE},
      {"sm_89", "RTX 4090", 2, 1008e9, FALSE}, {"sm_90", "H100", 2, 0, TRUE},
      {"sm_100", "B200", 2, 7672e9, FALSE},    {"sm_103", "B300", 2, 7672e9, FALSE},
      {"sm_110", "Thor", 2, 273e9, FALSE},     {"sm_120", "RTX 5090", 2, 1792e9, FALSE},
      {"sm_121", "GB10", 2, 273e9, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(devices); i++) {
    GError *error = NULL;
    g_autoptr(SmbArch) its = smb_arch_load(devices[i].arch, NULL);
    g_autoptr(SmbChip) device = smb_chip_load(NULL, its, &error);
    ck_assert_msg(!error, "%s", error ? error->message : "");
    ck_assert_str_eq(device->title, devices[i].title);
    ck_assert_int_eq(smb_chip_is_measured(device), devices[i].is_measured);
    ck_assert_double_eq(device->fma_pipes, devices[i].fma_pipes);
    ck_assert_int_eq(device->error > 0, devices[i].is_measured);
    if (devices[i].is_measured)
      continue;
    double stated = chip->dram_read / 4.814e12 * devices[i].dram_read;
    ck_assert_double_eq_tol(device->dram_read / stated, 1, 0.002);
    ck_assert_double_eq_tol(device->l2_dirty / device->l2_bytes, chip->l2_dirty / chip->l2_bytes,
                            1e-9);
    ck_assert_double_eq(device->barrier_latency, chip->barrier_latency);
  }
}
END_TEST

Suite *
suite_chip(void) {
  Suite *suite = suite_create("chip");
  TCase *tcase = tcase_create("chip");
  tcase_add_unchecked_fixture(tcase, set_up, tear_down);
  tcase_add_test(tcase, devices_are_checked);
  tcase_add_test(tcase, documented_devices_are_like_measured_ones);
  tcase_add_test(tcase, odd_numbers_have_a_line);
  suite_add_tcase(suite, tcase);
  return suite;
}
