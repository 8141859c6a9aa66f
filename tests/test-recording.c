// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/recording.h"

#include <check.h>
#include <string.h>

#include "sim/base/error.h"
#include "tests/suite.h"

#define OFFSETS                                                                                    \
  " 0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 "  \
  "120 124"
#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// A recording as smb_recording_to_json() writes it. No device ever said this.
static const char document[] =
    "{\n"
    "  \"schema_version\": 1,\n"
    "  \"program\": \"smembank 0.1.0\",\n"
    "  \"date\": \"2026-11-21T14:00:00Z\",\n"
    "  \"device\": {\"name\": \"Made \\\"up\\\"\", \"compute_capability\": \"9.0\", "
    "\"multiprocessors\": 132, \"driver\": null, \"cuda_driver\": \"13.0\", \"toolkit\": "
    "\"12.9\"},\n"
    "  \"arch\": \"sm_90\",\n"
    "  \"method\": \"by hand\",\n"
    "  \"counters\": {\"wavefronts_ld\": \"w.sum\", \"time_us\": \"t\"},\n"
    "  \"request_counter\": \"r.sum\",\n"
    "  \"kernels\": [\n"
    "    {\"kernel\": \"k\", \"shape\": \"square\", \"file\": \"k.cu\", \"block\": [32, 1, 1], "
    "\"grid\": [2147483647, 2, 1], \"defines\": [\"IPAD=1\", \"N\"], \"args\": [], "
    "\"dynamic_bytes\": 4096, \"measured\": {\"wavefronts_ld\": 32, \"ways_ld\": 1.25}, \"time\": "
    "{\"median_us\": 2.048, \"min_us\": 0.1, \"max_us\": 1e+20, \"launches\": 20}, \"buffers\": "
    "[{\"parameter\": \"out\", \"bytes\": 9007199254740993, \"sha256\": \"" DIGEST "\", "
    "\"equal\": 3, \"elements\": 4, \"difference\": \"out[3] is 7, the model says 3\"}], "
    "\"failure\": null},\n"
    "    {\"kernel\": \"f\", \"shape\": null, \"file\": \"f.cu\", \"block\": [1, 1, 1], \"grid\": "
    "[1, 1, 1], \"defines\": [], \"args\": [\"n=4\"], \"dynamic_bytes\": 0, \"measured\": {}, "
    "\"time\": null, \"buffers\": [], \"failure\": \"the launch timed out\"}\n"
    "  ],\n"
    "  \"requests\": [\n"
    "    {\"request\": \"ld 4 ffffffff" OFFSETS "\", \"wavefronts\": 1.03, \"cycles\": 1.07},\n"
    "    {\"request\": \"st 16 00000001" OFFSETS "\", \"cycles\": 0.30000000000000004, "
    "\"instruction\": \"st.volatile.v4.u32\"},\n"
    "    {\"request\": \"ldmatrix.x4 16 00000000" OFFSETS "\"}\n"
    "  ]\n"
    "}\n";

static SmbRecording *
parse(const char *text, GError **error) {
  return smb_recording_new_from_data("r.json", text, strlen(text), error);
}

START_TEST(test_round_trip) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbRecording) recording = parse(document, &error);
  ck_assert_msg(recording != NULL, "%s", error ? error->message : "");
  g_autofree char *text = smb_recording_to_json(recording);
  ck_assert_str_eq(text, document);
}
END_TEST

// The file that the tests of validate use is as the program writes it.
START_TEST(test_fixture) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path =
      g_build_filename(srcdir ? srcdir : ".", "tests", "data", "recording.json", NULL);
  g_autofree char *stored = NULL;
  g_autoptr(GError) error = NULL;
  ck_assert(g_file_get_contents(path, &stored, NULL, NULL));
  g_autoptr(SmbRecording) recording = parse(stored, &error);
  ck_assert_msg(recording != NULL, "%s", error ? error->message : "");
  g_autofree char *text = smb_recording_to_json(recording);
  ck_assert_str_eq(text, stored);
}
END_TEST

START_TEST(test_fields) {
  g_autoptr(SmbRecording) recording = parse(document, NULL);
  ck_assert_str_eq(recording->source, "r.json");
  ck_assert_str_eq(recording->gpu, "Made \"up\"");
  ck_assert_uint_eq(recording->capability_major, 9);
  ck_assert_uint_eq(recording->capability_minor, 0);
  ck_assert_ptr_null(recording->driver);
  ck_assert_str_eq(recording->counters[SMB_METRIC_WAVEFRONTS_LD], "w.sum");
  ck_assert_ptr_null(recording->counters[SMB_METRIC_WAVEFRONTS_ST]);
  ck_assert_uint_eq(recording->kernels->len, 2);
  const SmbRecordedKernel *kernel = recording->kernels->pdata[0];
  ck_assert_str_eq(kernel->defines[1], "N");
  ck_assert_double_eq(kernel->measured[SMB_METRIC_WAVEFRONTS_LD], 32);
  ck_assert_double_eq(kernel->measured[SMB_METRIC_WAVEFRONTS_ST], SMB_NOT_MEASURED);
  ck_assert_double_eq(kernel->times[SMB_CACHE_WARM].median, 2.048);
  ck_assert_double_eq(kernel->times[SMB_CACHE_WARM].max, 1e20);
  ck_assert_uint_eq(kernel->times[SMB_CACHE_WARM].n_launches, 20);
  ck_assert_double_eq(kernel->times[SMB_CACHE_COLD].median, SMB_NOT_MEASURED);
  const SmbRecordedBuffer *buffer = kernel->buffers->pdata[0];
  ck_assert(buffer->bytes == G_GUINT64_CONSTANT(9007199254740993));
  ck_assert_uint_eq(buffer->equal, 3);
  kernel = recording->kernels->pdata[1];
  ck_assert_ptr_null(kernel->shape);
  ck_assert_str_eq(kernel->failure, "the launch timed out");
  ck_assert_double_eq(kernel->times[SMB_CACHE_WARM].median, SMB_NOT_MEASURED);
  ck_assert_uint_eq(recording->requests->len, 3);
  const SmbRecordedRequest *requests = (SmbRecordedRequest *)(gpointer)recording->requests->data;
  ck_assert_uint_eq(requests[0].request.op, SMB_OP_LD);
  ck_assert_uint_eq(requests[0].request.offset[31], 124);
  ck_assert_double_eq(requests[0].wavefronts, 1.03);
  ck_assert_double_eq(requests[1].wavefronts, SMB_NOT_MEASURED);
  ck_assert_double_eq(requests[2].cycles, SMB_NOT_MEASURED);
  ck_assert_ptr_null(requests[0].instruction);
  ck_assert_str_eq(requests[1].instruction, "st.volatile.v4.u32");
  ck_assert_ptr_null(requests[2].instruction);
}
END_TEST

// A part of the document, what stands in its place, and the message.
static const char *const broken[][3] = {
    {document, "", "r.json: empty: expected JSON"},
    {document, "[]", "r.json: []: expected an object"},
    {document, "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", "r.json: nested more than 16 deep"},
    {document, "{'a': 1}", "r.json: ''' outside a string: not JSON"},
    {document, "{} // no", "r.json: '/' outside a string: not JSON"},
    {document, "\"\xff\"", "r.json: JSON data must be UTF-8 encoded"},
    {"\"schema_version\": 1", "\"schema_version\": 2",
     "r.json: schema_version: 2: expected 1, the version that this program reads"},
    {"\"schema_version\": 1", "\"schema_version\": \"1\"",
     "r.json: schema_version: \"1\": expected a whole number from 0"},
    {"  \"program\": \"smembank 0.1.0\",\n", "", "r.json: program: missing"},
    {"\"smembank 0.1.0\"", "null", "r.json: program: missing"},
    {"\"smembank 0.1.0\"", "[1, \"123456789 123456789 123456789 123456789\"]",
     "r.json: program: [1,\"123456789 123456789 123456789 123456…: expected a text"},
    {"\"smembank 0.1.0\"", "[\"123456789 12345678 12345678 12345678 é\"]",
     "r.json: program: [\"123456789 12345678 12345678 12345678 …: expected a text"},
    {"by hand", "by\\u001b[2J",
     "r.json: method: \"by\\u001b[2J\": expected a string without control characters"},
    {"\"program\"", "\"programme\"", "r.json: programme: no such member"},
    {"2026-11-21T14:00:00Z", "today",
     "r.json: date: \"today\": expected a date such as \"2026-11-21T14:00:00Z\""},
    {"\"2026-11-21T14:00:00Z\"", "2026", "r.json: date: 2026: expected a text"},
    {"\"sm_90\"", "90", "r.json: arch: 90: expected a text"},
    {"\"9.0\"", "\"9\"",
     "r.json: device.compute_capability: \"9\": expected a compute capability such as \"9.0\""},
    {"\"9.0\"", "\"-9.0\"",
     "r.json: device.compute_capability: \"-9.0\": expected a compute capability such as \"9.0\""},
    {"132", "-1",
     "r.json: device.multiprocessors: -1: expected a whole number from 1 to 2147483647"},
    {"\"13.0\"", "13.0", "r.json: device.cuda_driver: 13.0: expected a text"},
    {"\"w.sum\"", "1", "r.json: counters.wavefronts_ld: 1: expected a text"},
    {"[\n    {\"kernel\": \"k\"", "{}, \"k\": [{\"kernel\": \"k\"", "r.json: k: no such member"},
    {"\"kernel\": \"f\", ", "", "r.json: kernels[1].kernel: missing"},
    {"[32, 1, 1]", "[32, 1]",
     "r.json: kernels[0].block: [32,1]: expected an array of 3 whole numbers"},
    {"[32, 1, 1]", "[32, 1, 65]",
     "r.json: kernels[0].block[2]: 65: expected a whole number from 1 to 64"},
    {"2147483647, 2", "1, 65536",
     "r.json: kernels[0].grid[1]: 65536: expected a whole number from 1 to 65535"},
    {"2147483647, 2", "1.5, 2",
     "r.json: kernels[0].grid[0]: 1.5: expected a whole number from 1 to 2147483647"},
    {"[\"n=4\"]", "[\"n=4\", 5]", "r.json: kernels[1].args[1]: 5: expected a text"},
    {"[\"n=4\"]", "{}", "r.json: kernels[1].args: {}: expected an array of strings"},
    {"4096", "-4096", "r.json: kernels[0].dynamic_bytes: -4096: expected a whole number from 0"},
    {"\"ways_ld\"", "\"ways\"",
     "r.json: kernels[0].measured.ways: no such metric: expected one of wavefronts_ld, "
     "wavefronts_st, wavefronts_atom, cycles_ld, cycles_st, cycles_atom, instructions_ld, "
     "instructions_st, instructions_atom, "
     "sectors_ld, sectors_st, ways_ld, ways_st, values, time_us, time_cold_us"},
    {"\"ways_ld\"", "\"values\"",
     "r.json: kernels[0].measured: 'values' is not a count: values are in 'buffers', times in "
     "'time' and 'time_cold'"},
    {"\"ways_ld\"", "\"time_us\"",
     "r.json: kernels[0].measured: 'time_us' is not a count: values are in 'buffers', times in "
     "'time' and 'time_cold'"},
    {"1.25", "-1", "r.json: kernels[0].measured.ways_ld: -1: expected a number of at least 0"},
    {"1.25", "1e999",
     "r.json: kernels[0].measured.ways_ld: inf.0: expected a number of at least 0"},
    {"1.25", "true", "r.json: kernels[0].measured.ways_ld: true: expected a number of at least 0"},
    {"{\"wavefronts_ld\": 32, \"ways_ld\": 1.25}", "[]",
     "r.json: kernels[0].measured: []: expected an object"},
    {", \"launches\": 20", "", "r.json: kernels[0].time.launches: missing"},
    {DIGEST, "0123",
     "r.json: kernels[0].buffers[0].sha256: \"0123\": expected 64 hexadecimal digits in lower "
     "case"},
    {"\"" DIGEST "\"", "123", "r.json: kernels[0].buffers[0].sha256: 123: expected a text"},
    {"\"dynamic_bytes\": 0,", "\"dynamic_bytes\": 0, \"unknown\": 1,",
     "r.json: kernels[1].unknown: 1: expected a text"},
    {"\"dynamic_bytes\": 0,", "\"dynamic_bytes\": 0, \"unknown\": \"no\",",
     "r.json: kernels[1].unknown: \"no\": expected \"skip\""},
    {"\"elements\": 4", "\"elements\": 2",
     "r.json: kernels[0].buffers[0]: more elements are equal than there are"},
    {"\"buffers\": []", "\"buffers\": {}", "r.json: kernels[1].buffers: {}: expected an array"},
    {"ld 4", "lds 4",
     "r.json: requests[0].request: column 1: 'lds' is not an operation: expected one of ld, st, "
     "ld.generic, st.generic, cp.async.ca, cp.async.cg, atom, red.uniform, cas, atom.loop, "
     "ld.const, ldmatrix.x1, ldmatrix.x2, ldmatrix.x4, stmatrix.x1, stmatrix.x2, stmatrix.x4"},
    {"\"ld 4 ffffffff" OFFSETS "\"", "4", "r.json: requests[0].request: 4: expected a text"},
    {"00000001 0", "00000001 1",
     "r.json: requests[1].request: column 16: offset 1 of lane 0 is misaligned: expected a "
     "multiple of 16"},
    {"124\"}", "\"}",
     "r.json: requests[2].request: column 121: 31 offsets: expected one for each of 32 lanes"},
    {"124\"}", "124 = 1\"}",
     "r.json: requests[2].request: \"ldmatrix.x4 16 00000000 0 4 8 12 16 20 …: expected OP WIDTH "
     "MASK "
     "OFF0 … OFF31 and nothing else"},
    {"ldmatrix.x4 16 00000000" OFFSETS, " ",
     "r.json: requests[2].request: empty: expected OP WIDTH MASK OFF0 … OFF31"},
    {"\"st.volatile.v4.u32\"", "4", "r.json: requests[1].instruction: 4: expected a text"},
    {"\"cycles\": 1.07", "\"cycle\": 1.07", "r.json: requests[0].cycle: no such member"},
    {"\"sm_90\"", "\"sm_20\"",
     "r.json: requests[2].request: column 1: sm_20 has no rule for ldmatrix.x4 of 16 bytes"},
};

START_TEST(test_broken) {
  const char *at = strstr(document, broken[_i][0]);
  ck_assert_ptr_nonnull(at);
  g_autofree char *text = g_strdup_printf("%.*s%s%s", (int)(at - document), document, broken[_i][1],
                                          at + strlen(broken[_i][0]));
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(parse(text, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_str_eq(error->message, broken[_i][2]);
}
END_TEST

// The words are json-glib's, the place is ours to tell.
START_TEST(test_syntax) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(parse("{\"schema_version\": 1,\n\"program\" 2}", &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_msg(g_str_has_prefix(error->message, "r.json:2:"), "%s", error->message);
}
END_TEST

// An architecture that is not known; the names of those that are change.
START_TEST(test_unknown_arch) {
  g_auto(GStrv) parts = g_strsplit(document, "sm_90", 2);
  g_autofree char *text = g_strjoinv("sm_999", parts);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(parse(text, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert(g_str_has_prefix(error->message, "r.json: arch: no architecture 'sm_999': expected"));
}
END_TEST

// A new recording has nothing in it, and of a new kernel nothing is measured.
START_TEST(test_new) {
  g_autoptr(SmbRecording) recording = smb_recording_new();
  g_ptr_array_add(recording->kernels, smb_recorded_kernel_new());
  const SmbRecordedKernel *kernel = recording->kernels->pdata[0];
  for (guint i = 0; i < SMB_N_METRICS; i++)
    ck_assert_double_eq(kernel->measured[i], SMB_NOT_MEASURED);
  g_ptr_array_add(kernel->buffers, smb_recorded_buffer_new("out", 4, g_strdup(DIGEST)));
  g_autofree char *text = smb_recording_to_json(recording);
  ck_assert_ptr_nonnull(strstr(text,
                               "\"measured\": {}, \"time\": null, \"buffers\": [{\"parameter\": "
                               "\"out\", \"bytes\": 4,"));
}
END_TEST

// Many requests are read within the time that Check gives a test.
START_TEST(test_many) {
  enum {
    N = 10000
  };
  g_autoptr(SmbRecording) one = parse(document, NULL);
  SmbRecordedRequest request = g_array_index(one->requests, SmbRecordedRequest, 0);
  for (guint i = 0; i < N; i++) {
    request.cycles = i / 7.0;
    g_array_append_val(one->requests, request);
  }
  g_autofree char *text = smb_recording_to_json(one);
  g_autoptr(SmbRecording) many = parse(text, NULL);
  ck_assert_uint_eq(many->requests->len, N + 3);
  ck_assert_double_eq(g_array_index(many->requests, SmbRecordedRequest, N + 2).cycles,
                      (N - 1) / 7.0);
}
END_TEST

// What comes with the library can be read, and is as it is written.
START_TEST(test_load_all) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) recordings = smb_recording_load_all(&error);
  ck_assert_msg(recordings != NULL, "%s", error ? error->message : "");
  for (guint i = 0; i < recordings->len; i++) {
    const SmbRecording *recording = recordings->pdata[i];
    ck_assert(g_str_has_prefix(recording->source, "data/measured/"));
    ck_assert(recording->kernels->len + recording->requests->len > 0);
  }
}
END_TEST

Suite *
suite_recording(void) {
  TCase *cases = tcase_create("recording");
  tcase_add_test(cases, test_round_trip);
  tcase_add_test(cases, test_fixture);
  tcase_add_test(cases, test_fields);
  tcase_add_loop_test(cases, test_broken, 0, G_N_ELEMENTS(broken));
  tcase_add_test(cases, test_syntax);
  tcase_add_test(cases, test_unknown_arch);
  tcase_add_test(cases, test_new);
  tcase_add_test(cases, test_many);
  tcase_add_test(cases, test_load_all);
  Suite *suite = suite_create("recording");
  suite_add_tcase(suite, cases);
  return suite;
}
