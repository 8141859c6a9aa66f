// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/validate/record.h"

#include <check.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/suite.h"

static SmbRecording *
read_text(const char *text, SmbHolds *holds, GError **error) {
  g_autoptr(GInputStream) memory =
      g_memory_input_stream_new_from_data(text, (gssize)strlen(text), NULL);
  g_autoptr(GInputStream) stream = g_buffered_input_stream_new(memory);
  ck_assert(smb_record_look(G_BUFFERED_INPUT_STREAM(stream), holds, NULL));
  return smb_record_read(stream, "r.json", error);
}

START_TEST(test_look) {
  static const struct {
    const char *text;
    SmbHolds holds;
  } cases[] = {{"{", SMB_HOLDS_RECORDING},
               {" \n\t{}", SMB_HOLDS_RECORDING},
               {"", SMB_HOLDS_TRACE},
               {"  ", SMB_HOLDS_TRACE},
               {"ld 4", SMB_HOLDS_TRACE},
               {"# {", SMB_HOLDS_TRACE},
               {"[{}]", SMB_HOLDS_TRACE},
               {"\n//\n", SMB_HOLDS_KERNEL},
               {" .version 8.0", SMB_HOLDS_KERNEL}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    SmbHolds holds;
    g_autoptr(GError) error = NULL;
    ck_assert_ptr_null(read_text(cases[i].text, &holds, &error));
    ck_assert_msg(g_str_has_prefix(error->message, "r.json:"), "%s", error->message);
    ck_assert_msg(holds == cases[i].holds, "'%s'", cases[i].text);
  }
}
END_TEST

// What is written can be read; a file that cannot be written is an error, and nothing is left there. The
// recording has a failure: it replaces no file.
START_TEST(test_write) {
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "r.json", NULL);
  g_autofree char *wrong = g_build_filename(folder, "none", "r.json", NULL);
  g_autofree char *fixture = g_build_filename(g_getenv("srcdir") ? g_getenv("srcdir") : ".",
                                              "tests", "data", "recording.json", NULL);
  g_autofree char *stored = NULL, *written = NULL;
  g_autoptr(GError) error = NULL;
  SmbHolds holds;
  ck_assert(g_file_get_contents(fixture, &stored, NULL, NULL));
  g_autoptr(SmbRecording) recording = read_text(stored, &holds, &error);
  ck_assert_msg(recording != NULL, "%s", error ? error->message : "");
  ck_assert_int_eq(holds, SMB_HOLDS_RECORDING);
  g_autoptr(SmbSpool) messages = smb_spool_new();
  g_autoptr(SmbFiles) files = smb_files_new();
  SmbCli cli = {.command = "validate", .messages = messages, .files = files};
  const SmbOutFile *file = smb_files_open(files, "--record", path, NULL);
  ck_assert(smb_record_write(&cli, recording, file, NULL));
  ck_assert(g_file_get_contents(path, &written, NULL, NULL));
  ck_assert_str_eq(written, stored);
  ck_assert(g_file_set_contents(path, "kept", -1, NULL));
  ck_assert(smb_record_write(&cli, recording, file, NULL));
  g_autofree char *kept = NULL;
  ck_assert(g_file_get_contents(path, &kept, NULL, NULL));
  ck_assert_str_eq(kept, "kept");
  GString *said = smb_spool_take(messages, NULL);
  ck_assert_ptr_nonnull(strstr(said->str, "was kept as it was: 1 of 5 launches failed"));
  g_string_free(said, TRUE);
  ck_assert_ptr_null(smb_out_file_new("--record", wrong, &error));
  ck_assert_ptr_nonnull(strstr(error->message, wrong));
  ck_assert_int_eq(g_remove(path), 0);
  ck_assert_int_eq(g_rmdir(folder), 0);
}
END_TEST

Suite *
suite_record(void) {
  TCase *cases = tcase_create("record");
  tcase_add_test(cases, test_look);
  tcase_add_test(cases, test_write);
  Suite *suite = suite_create("record");
  suite_add_tcase(suite, cases);
  return suite;
}
