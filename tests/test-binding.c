// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The interface for other languages: each call as a binding makes it, and every error that one can cause.
#include "sim/binding/smembank.h"

#include <check.h>
#include <string.h>

#include "tests/suite.h"

enum {
  LANES = 32
};

static const char transpose[] =
    "__global__ void transpose(int *out, const int *in) {\n"
    "  __shared__ int tile[32][32];\n"
    "  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];\n"
    "  __syncthreads();\n"
    "  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
    "}\n";

static SmbKernelLaunch
make_case(const char *text) {
  return (SmbKernelLaunch){
      .path = "made.cu", .text = text, .length = strlen(text), .block = {32, 32}, .threads = 1};
}

static SmbModel *
load_model(const char *name) {
  SmbModel *model = NULL;
  ck_assert_int_eq(smb_model_new(name, &model, NULL), SMB_OK);
  ck_assert_ptr_nonnull(model);
  return model;
}

// What failed, and that its message has the words.
static void
expect(SmbStatus status, SmbStatus wanted, char *error, const char *words) {
  ck_assert_int_eq(status, wanted);
  ck_assert_ptr_nonnull(error);
  ck_assert_msg(strstr(error, words) != NULL, "'%s' is not in: %s", words, error);
  smb_free(error);
}

START_TEST(test_models) {
  SmbModel *model = load_model("sm_90");
  char *error = NULL;
  ck_assert_int_eq(smb_interface(), SMB_INTERFACE);
  ck_assert_uint_eq(smb_model_lanes(model), LANES);
  smb_model_free(model);
  model = NULL;
  smb_model_free(model);
  SmbStatus status = smb_model_new("sm_1", &model, &error);
  expect(status, SMB_WRONG_USAGE, error, "sm_1");
  ck_assert_ptr_null(model);
  ck_assert_int_eq(smb_model_new("sm_1", &model, NULL), SMB_WRONG_USAGE);
}
END_TEST

// A column of rows of 34 words, and the same with a lane more or less.
static void
fill_column(uint32_t *offsets, uint32_t pitch) {
  for (uint32_t lane = 0; lane < LANES; lane++)
    offsets[lane] = lane * pitch * 4;
}

START_TEST(test_count) {
  SmbModel *model = load_model("sm_90");
  uint32_t offsets[2][LANES];
  fill_column(offsets[0], 32);
  fill_column(offsets[1], 34);
  const uint64_t masks[] = {0xff, 0};
  SmbRequests requests = {.op = "ld", .width = 4, .n = 2, .lanes = LANES, .offsets = offsets[0]};
  SmbCost costs[2];
  ck_assert_int_eq(smb_requests_count(model, &requests, costs, NULL), SMB_OK);
  ck_assert_uint_eq(costs[0].wavefronts, 32);
  ck_assert_uint_eq(costs[0].degree, 32);
  ck_assert_uint_eq(costs[1].wavefronts, 2);
  ck_assert_uint_eq(costs[1].excess, 1);
  requests.masks = masks;
  ck_assert_int_eq(smb_requests_count(model, &requests, costs, NULL), SMB_OK);
  ck_assert_uint_eq(costs[0].wavefronts, 8);
  ck_assert_uint_eq(costs[1].wavefronts, 0);
  requests.n = 0;
  ck_assert_int_eq(smb_requests_count(model, &requests, costs, NULL), SMB_OK);
  smb_model_free(model);
}
END_TEST

START_TEST(test_wrong_requests) {
  SmbModel *model = load_model("sm_90"), *old = load_model("sm_10");
  const uint32_t offsets[2 * LANES] = {[LANES] = 2};
  const uint64_t masks[] = {0, 1ull << 40};
  const struct {
    const SmbModel *model;
    SmbRequests requests;
    SmbStatus status;
    const char *words;
  } cases[] = {
      {model, {"take", 4, 1, LANES, offsets, NULL}, SMB_WRONG_USAGE, "'take'"},
      {model, {"ld", 3, 1, LANES, offsets, NULL}, SMB_WRONG_USAGE, "no width of 3 bytes"},
      {model, {"ld", 4, 1, 33, offsets, NULL}, SMB_WRONG_USAGE, "33 lanes"},
      {model, {"ld", 4, 2, LANES, offsets, NULL}, SMB_BAD_INPUT, "request 1: "},
      {model, {"ld", 4, 2, LANES, offsets, masks}, SMB_BAD_INPUT, "request 1: lane 40"},
      {old, {"ldmatrix.x4", 16, 1, LANES, offsets, NULL}, SMB_BAD_INPUT, "ldmatrix.x4"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SmbCost costs[2];
    char *error = NULL;
    SmbStatus status = smb_requests_count(cases[i].model, &cases[i].requests, costs, &error);
    expect(status, cases[i].status, error, cases[i].words);
  }
  smb_model_free(model);
  smb_model_free(old);
}
END_TEST

START_TEST(test_case) {
  SmbModel *model = load_model("sm_90");
  const SmbKernelLaunch launch = make_case(transpose);
  SmbCounts *counts = NULL;
  ck_assert_int_eq(smb_kernel_count(model, &launch, &counts, NULL), SMB_OK);
  ck_assert_str_eq(smb_counts_kernel(counts), "transpose");
  ck_assert_str_eq(smb_counts_level(counts), "text");
  ck_assert_uint_eq(smb_counts_shared_bytes(counts), 4096);
  ck_assert_uint_eq(smb_counts_n_accesses(counts), 2);
  const SmbAccessCounts *load = smb_counts_access(counts, 1);
  ck_assert_str_eq(load->file, "made.cu");
  ck_assert_uint_eq(load->line, 5);
  ck_assert_str_eq(load->expression, "tile[threadIdx.x][threadIdx.y]");
  ck_assert_str_eq(load->array, "tile");
  ck_assert_str_eq(load->op, "load");
  ck_assert_uint_eq(load->width, 4);
  ck_assert_uint_eq(load->exact, 1);
  ck_assert_uint_eq(load->sums.requests, 32);
  ck_assert_uint_eq(load->sums.wavefronts, 1024);
  ck_assert_uint_eq(load->sums.max_degree, 32);
  ck_assert_uint_eq(smb_counts_total(counts, "load")->excess, 992);
  ck_assert_uint_eq(smb_counts_total(counts, "store")->excess, 0);
  ck_assert_ptr_null(smb_counts_total(counts, "lode"));
  ck_assert_uint_eq(smb_counts_n_warnings(counts), 0);
  ck_assert_ptr_null(smb_counts_warning(counts, 0));
  ck_assert_ptr_null(smb_counts_access(counts, 2));
  smb_counts_free(counts);
  smb_counts_free(NULL);
  smb_model_free(model);
}
END_TEST

// The same launch, of memory that is not shared.
START_TEST(test_other_memory) {
  SmbModel *model = load_model("sm_90");
  SmbKernelLaunch launch = make_case("__constant__ float w[64];\n"
                                     "__global__ void k(float *out, const float *in) {\n"
                                     "  float v = in[threadIdx.x * 2] + w[threadIdx.x / 4];\n"
                                     "  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1);\n"
                                     "}\n");
  launch.block[0] = 32;
  launch.block[1] = 1;
  SmbCounts *counts = NULL;
  ck_assert_int_eq(smb_kernel_count(model, &launch, &counts, NULL), SMB_OK);
  ck_assert_uint_eq(smb_counts_segment_bytes(counts), 32);
  ck_assert_uint_eq(smb_counts_n_globals(counts), 2);
  const SmbGlobalCounts *load = smb_counts_global(counts, 0);
  ck_assert_str_eq(load->file, "made.cu");
  ck_assert_str_eq(load->buffer, "in");
  ck_assert_str_eq(load->op, "load");
  ck_assert_uint_eq(load->line, 3);
  ck_assert_uint_eq(load->segments, 8);
  ck_assert_uint_eq(load->excess, 4);
  ck_assert_uint_eq(load->bytes, 128);
  ck_assert_uint_eq(smb_counts_global_total(counts, "load")->max_segments, 8);
  ck_assert_uint_eq(smb_counts_global_total(counts, "store")->excess, 0);
  ck_assert_ptr_null(smb_counts_global_total(counts, "lode"));
  ck_assert_ptr_null(smb_counts_global(counts, 2));
  ck_assert_uint_eq(smb_counts_n_constants(counts), 1);
  ck_assert_str_eq(smb_counts_constant(counts, 0)->variable, "w");
  ck_assert_uint_eq(smb_counts_constant(counts, 0)->sums.wavefronts, 8);
  ck_assert_uint_eq(smb_counts_constant_total(counts)->excess, 7);
  ck_assert_ptr_null(smb_counts_constant(counts, 1));
  ck_assert_uint_eq(smb_counts_n_traffic(counts), 1);
  ck_assert_str_eq(smb_counts_traffic(counts, 0)->kind, "shuffle");
  ck_assert_uint_eq(smb_counts_traffic(counts, 0)->has_wavefronts, 1);
  ck_assert_uint_eq(smb_counts_traffic(counts, 0)->wavefronts, 1);
  ck_assert_ptr_null(smb_counts_traffic(counts, 1));
  smb_counts_free(counts);
  smb_model_free(model);
}
END_TEST

// What is suspicious of a kernel, and of a launch that does not say its block.
START_TEST(test_warnings) {
  SmbModel *model = load_model("sm_90");
  SmbKernelLaunch launch = make_case("__global__ void k(int *out, int n) {\n"
                                     "  __shared__ int s[64];\n"
                                     "  if (n > 0)\n"
                                     "    out[threadIdx.x] = s[threadIdx.x];\n"
                                     "}\n");
  const char *const none[] = {"n=0", NULL}, *const some[] = {"n=1", NULL};
  launch.block[0] = launch.block[1] = 0;
  launch.args = some;
  SmbCounts *counts = NULL;
  ck_assert_int_eq(smb_kernel_count(model, &launch, &counts, NULL), SMB_OK);
  ck_assert_uint_eq(smb_counts_n_warnings(counts), 2);
  ck_assert_str_eq(smb_counts_warning(counts, 0)->kind, "unset");
  ck_assert_uint_eq(smb_counts_warning(counts, 0)->line, 4);
  ck_assert_str_eq(smb_counts_warning(counts, 0)->expression, "s[threadIdx.x]");
  ck_assert_str_eq(smb_counts_warning(counts, 1)->kind, "block");
  ck_assert_ptr_null(smb_counts_warning(counts, 1)->expression);
  smb_counts_free(counts);
  launch.args = none;
  launch.block[0] = 32;
  ck_assert_int_eq(smb_kernel_count(model, &launch, &counts, NULL), SMB_OK);
  ck_assert_uint_eq(smb_counts_n_warnings(counts), 1);
  ck_assert_str_eq(smb_counts_warning(counts, 0)->kind, "idle");
  ck_assert_uint_eq(smb_counts_warning(counts, 0)->line, 3);
  smb_counts_free(counts);
  smb_model_free(model);
}
END_TEST

static void
expect_case(const SmbModel *model, const SmbKernelLaunch *launch, SmbStatus status,
            const char *words) {
  SmbCounts *counts = NULL;
  SmbLayouts *layouts = NULL;
  const SmbSearch search = {0};
  char *error = NULL;
  SmbStatus got = smb_kernel_count(model, launch, &counts, &error);
  expect(got, status, error, words);
  ck_assert_ptr_null(counts);
  error = NULL;
  got = smb_kernel_search(model, launch, &search, &layouts, &error);
  expect(got, status, error, words);
  ck_assert_ptr_null(layouts);
}

START_TEST(test_wrong_cases) {
  SmbModel *model = load_model("sm_90");
  const char *const texts[] = {"nothing", NULL}, *const shape[] = {"tile=2x2xf16", NULL};
  SmbKernelLaunch launch = make_case("__global__ void k() {\n  int i = ;\n}\n");
  expect_case(model, &launch, SMB_BAD_INPUT, "made.cu:2:11: ");
  launch = make_case("");
  launch.path = "no such file";
  launch.text = NULL;
  expect_case(model, &launch, SMB_BAD_INPUT, "no such file");
  launch = make_case("\177ELF is not a cubin");
  expect_case(model, &launch, SMB_BAD_INPUT, "made.cu: ");
  launch = make_case(transpose);
  launch.entry = "other";
  expect_case(model, &launch, SMB_WRONG_USAGE, "other");
  launch = make_case(transpose);
  launch.args = texts;
  expect_case(model, &launch, SMB_WRONG_USAGE, "nothing");
  launch = make_case(transpose);
  launch.buffers = texts;
  expect_case(model, &launch, SMB_WRONG_USAGE, "nothing");
  launch = make_case(transpose);
  launch.arrays = shape;
  expect_case(model, &launch, SMB_WRONG_USAGE, "tile");
  launch = make_case(transpose);
  launch.dynamic_bytes = 1ull << 40;
  expect_case(model, &launch, SMB_WRONG_USAGE, "1099511627776 bytes");
  launch = make_case(transpose);
  launch.block[2] = 32;
  expect_case(model, &launch, SMB_WRONG_USAGE, "1024");
  launch = make_case(transpose);
  launch.max_steps = 1;
  expect_case(model, &launch, SMB_BAD_INPUT, "made.cu:");
  smb_model_free(model);
  model = load_model("gfx942");
  launch = make_case(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n");
  expect_case(model, &launch, SMB_WRONG_USAGE, "is compiled for chips of NVIDIA");
  smb_model_free(model);
}
END_TEST

START_TEST(test_search) {
  SmbModel *model = load_model("sm_90");
  const SmbKernelLaunch launch = make_case(transpose);
  SmbSearch search = {.array = "tile", .keep = 2};
  SmbLayouts *layouts = NULL;
  ck_assert_int_eq(smb_kernel_search(model, &launch, &search, &layouts, NULL), SMB_OK);
  ck_assert_uint_eq(smb_layouts_n_arrays(layouts), 1);
  const SmbSearchedArray *array = smb_layouts_array(layouts, 0);
  ck_assert_str_eq(array->name, "tile");
  ck_assert_uint_gt(array->searched, 1000);
  ck_assert_uint_gt(array->ties, 1);
  const SmbFoundLayout *now = smb_layouts_layout(layouts, 0);
  ck_assert_str_eq(now->kind, "now");
  ck_assert_uint_eq(now->columns, 32);
  ck_assert_uint_eq(now->sums.wavefronts, 1056);
  ck_assert_uint_eq(array->n_layouts, 1 + 3 * 2);
  const SmbFoundLayout *best = smb_layouts_layout(layouts, 1);
  ck_assert_str_eq(best->kind, "swizzle"); // it takes no more memory
  ck_assert_uint_eq(best->sums.wavefronts, 64);
  ck_assert_uint_eq(best->bytes, 4096);
  ck_assert_ptr_null(smb_layouts_layout(layouts, array->n_layouts));
  ck_assert_ptr_null(smb_layouts_array(layouts, 1));
  smb_layouts_free(layouts);
  search = (SmbSearch){.kinds = SMB_SEARCH_PAD};
  ck_assert_int_eq(smb_kernel_search(model, &launch, &search, &layouts, NULL), SMB_OK);
  best = smb_layouts_layout(layouts, 1);
  ck_assert_str_eq(best->kind, "pad");
  ck_assert_uint_eq(best->pad, 1);
  ck_assert_uint_eq(best->bytes, 4224);
  smb_layouts_free(layouts);
  smb_layouts_free(NULL);
  smb_model_free(model);
}
END_TEST

// An access that asks for two arrays at once keeps both as they are.
START_TEST(test_search_mixed) {
  SmbModel *model = load_model("sm_90");
  const SmbKernelLaunch launch = make_case("__global__ void k(int *out) {\n"
                                           "  __shared__ int a[1024], b[1024];\n"
                                           "  int *p = threadIdx.x & 1 ? a : b;\n"
                                           "  p[threadIdx.y * 32 + threadIdx.x] = 0;\n"
                                           "}\n");
  const SmbSearch search = {0};
  SmbLayouts *layouts = NULL;
  ck_assert_int_eq(smb_kernel_search(model, &launch, &search, &layouts, NULL), SMB_OK);
  ck_assert_uint_eq(smb_layouts_n_arrays(layouts), 2);
  ck_assert_uint_eq(smb_layouts_array(layouts, 0)->n_layouts, 0);
  ck_assert_uint_eq(smb_layouts_array(layouts, 1)->n_layouts, 0);
  ck_assert_ptr_null(smb_layouts_layout(layouts, 0));
  smb_layouts_free(layouts);
  smb_model_free(model);
}
END_TEST

// More different requests than are kept: a part of them would say nothing.
START_TEST(test_search_too_many) {
  SmbModel *model = load_model("sm_90");
  SmbKernelLaunch launch = make_case("__global__ void k(int *out) {\n"
                                     "  __shared__ int s[4096];\n"
                                     "  for (int i = 0; i < 64; i++)\n"
                                     "    for (int j = 0; j < 4096; j++)\n"
                                     "      s[(threadIdx.x * i + j) & 4095] = 0;\n"
                                     "}\n");
  launch.block[1] = 1;
  launch.max_steps = 10000000;
  const SmbSearch search = {0};
  SmbLayouts *layouts = NULL;
  char *error = NULL;
  SmbStatus status = smb_kernel_search(model, &launch, &search, &layouts, &error);
  expect(status, SMB_BAD_INPUT, error, "k makes more than 131072 different requests");
  ck_assert_ptr_null(layouts);
  smb_model_free(model);
}
END_TEST

START_TEST(test_wrong_searches) {
  SmbModel *model = load_model("sm_90");
  const SmbKernelLaunch launch = make_case(transpose);
  const struct {
    SmbSearch search;
    SmbStatus status;
    const char *words;
  } cases[] = {
      {{.array = "tilt"}, SMB_WRONG_USAGE, "array 'tilt': expected one of tile"},
      {{.kinds = 8}, SMB_WRONG_USAGE, "kinds 0x8"},
      {{.keep = 1001}, SMB_WRONG_USAGE, "1001 layouts"},
      {{.row = 1 << 21}, SMB_WRONG_USAGE, "rows of 2097152 elements"},
      {{.max_counts = 1}, SMB_BAD_INPUT, "the search for 'tile' was given up"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SmbLayouts *layouts = NULL;
    char *error = NULL;
    SmbStatus status = smb_kernel_search(model, &launch, &cases[i].search, &layouts, &error);
    expect(status, cases[i].status, error, cases[i].words);
    ck_assert_ptr_null(layouts);
  }
  smb_model_free(model);
}
END_TEST

// Requests of an array that no kernel is known of: the same as those of the transpose.
START_TEST(test_search_requests) {
  SmbModel *model = load_model("sm_90");
  uint32_t offsets[LANES];
  fill_column(offsets, 32);
  const SmbRequests requests = {"ld", 4, 1, LANES, offsets, NULL};
  const SmbPresentLayout now = {.element_bytes = 4, .columns = 32};
  const SmbSearch search = {.kinds = SMB_SEARCH_PAD, .array = "tile"};
  SmbLayouts *layouts = NULL;
  ck_assert_int_eq(smb_requests_search(model, &requests, &now, &search, &layouts, NULL), SMB_OK);
  ck_assert_str_eq(smb_layouts_array(layouts, 0)->name, "tile");
  ck_assert_uint_eq(smb_layouts_layout(layouts, 0)->sums.wavefronts, 32);
  ck_assert_uint_eq(smb_layouts_layout(layouts, 0)->bytes, 4096);
  ck_assert_uint_eq(smb_layouts_layout(layouts, 1)->pad, 1);
  ck_assert_uint_eq(smb_layouts_layout(layouts, 1)->sums.wavefronts, 1);
  smb_layouts_free(layouts);
  smb_model_free(model);
}
END_TEST

START_TEST(test_wrong_request_searches) {
  SmbModel *model = load_model("sm_90");
  const uint32_t offsets[LANES] = {4092};
  const SmbRequests good = {"ld", 4, 1, LANES, offsets, NULL},
                    constant = {"ld.const", 4, 1, LANES, offsets, NULL},
                    unknown = {"take", 4, 1, LANES, offsets, NULL},
                    many = {"ld", 4, 1 << 20, LANES, offsets, NULL};
  const struct {
    SmbRequests requests;
    SmbPresentLayout now;
    const char *words;
  } cases[] = {
      {unknown, {4, 32, 0, 0}, "'take'"},
      {constant, {4, 32, 0, 0}, "not of shared memory"},
      {many, {4, 32, 0, 0}, "1048576 requests"},
      {good, {0, 32, 0, 0}, "elements of 0 bytes"},
      {good, {4, 1 << 30, 0, 0}, "rows of 1073741824 elements"},
      {good, {4, 0, 1, 0}, "padding of an array without rows"},
      {good, {4, 32, 0, 2048}, "an array of 2048 bytes"},
      {good, {4, 32, 0, 1 << 20}, "an array of 1048576 bytes"},
      {good, {4, 32, 0, 4098}, "whole elements"},
  };
  const SmbSearch search = {0}, wrong = {.kinds = 8};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SmbLayouts *layouts = NULL;
    char *error = NULL;
    SmbStatus status =
        smb_requests_search(model, &cases[i].requests, &cases[i].now, &search, &layouts, &error);
    expect(status, SMB_WRONG_USAGE, error, cases[i].words);
    ck_assert_ptr_null(layouts);
  }
  SmbLayouts *layouts = NULL;
  char *error = NULL;
  const SmbPresentLayout now = {.element_bytes = 4};
  SmbStatus status = smb_requests_search(model, &good, &now, &wrong, &layouts, &error);
  expect(status, SMB_WRONG_USAGE, error, "kinds 0x8");
  smb_model_free(model);
}
END_TEST

Suite *
suite_binding(void) {
  Suite *suite = suite_create("binding");
  TCase *tests = tcase_create("binding");
  tcase_add_test(tests, test_models);
  tcase_add_test(tests, test_count);
  tcase_add_test(tests, test_wrong_requests);
  tcase_add_test(tests, test_case);
  tcase_add_test(tests, test_other_memory);
  tcase_add_test(tests, test_warnings);
  tcase_add_test(tests, test_wrong_cases);
  tcase_add_test(tests, test_search);
  tcase_add_test(tests, test_search_mixed);
  tcase_add_test(tests, test_search_too_many);
  tcase_add_test(tests, test_wrong_searches);
  tcase_add_test(tests, test_search_requests);
  tcase_add_test(tests, test_wrong_request_searches);
  suite_add_tcase(suite, tests);
  return suite;
}
