// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Machine code of tensor memory beside the PTX that ptxas 13.0 made it of: tests/data/sass/tensor.ptx has an instruction in each kernel,
// and forms of all fields (ptxas -arch=sm_100a makes the image). Both are run with steps that write down what they were given, in numbers. SMEMBANK_TENSOR_FORMS=FOLDER
// takes all pairs of NAME.ptx and NAME.cubin in a folder instead.
#include <check.h>
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/exec/exec.h"
#include "sim/exec/memory/memory.h"
#include "tests/sass-data.h"
#include "tests/suite.h"

enum {
  LANES = 32,
  WORDS = 256, // of the buffer: what is stored, and masks
  GIVEN = 64,  // the column that columns are given from
  HALF = 16,
};

// --- what steps were given

static GString *written;

static guint32
read_row(const Exec *exec, Row row, guint lane) {
  ck_assert(!row_lane_unknown(exec->warp->registers, row, lane));
  return row_values(exec->warp->registers, row)[lane];
}

static void
write_place(const Exec *exec, const char *name, const TensorPlace *place, guint lane) {
  guint32 base = place->base == NO_MATRIX ? 0 : read_row(exec, place->base, lane);
  g_string_append_printf(written, " %s[0x%x]", name, base + place->offset);
}

static void
write_pair(const Exec *exec, const char *name, Row row, guint lane) {
  g_string_append_printf(written, " %s=0x%x%08x", name, read_row(exec, row + 1, lane),
                         read_row(exec, row, lane));
}

// A half of a split move is a move.
static void
write_move(const Exec *exec, const Step *step, guint32 split, TensorHalf half) {
  const TensorMove *move = &step->tensor->move;
  TensorPlace place = move->place;
  place.offset += split;
  g_string_append_printf(written, "%s.%u.%u%s %u",
                         step->opcode == STEP_TENSOR_LOAD ? "load" : "store", (guint)move->spread,
                         (guint)half, move->packs ? ".packed" : "", move->n);
  write_place(exec, "", &place, 0);
  for (guint i = 0; i < move->n && step->opcode == STEP_TENSOR_STORE; i++)
    g_string_append_printf(written, " %x", read_row(exec, move->data[i], 0));
  g_string_append_c(written, '\n');
}

// What register i of lane t has loaded: i + 1000 * t, behind those that came before.
static gboolean
note_move(Exec *exec, const Step *step, SmbLanes lanes) {
  const TensorMove *move = &step->tensor->move;
  const SmbLanes first = ((SmbLanes)1 << HALF) - 1;
  if (!lanes)
    return TRUE;
  if (move->spread == TENSOR_16X32X2 && move->half == TENSOR_WARP) {
    write_move(exec, step, 0, TENSOR_FIRST_HALF);
    write_move(exec, step, move->split, TENSOR_SECOND_HALF);
  } else
    write_move(exec, step, 0, move->half);
  for (guint i = 0; i < move->n && step->opcode == STEP_TENSOR_LOAD; i++) {
    guint32 values[SMB_MAX_LANES];
    for (guint lane = 0; lane < SMB_MAX_LANES; lane++)
      values[lane] = i + 1000 * lane;
    smb_row_set_known(exec->warp->registers, move->data[i],
                      move->half == TENSOR_FIRST_HALF    ? lanes & first
                      : move->half == TENSOR_SECOND_HALF ? lanes & ~first
                                                         : lanes,
                      values);
  }
  return TRUE;
}

static void
write_product(const Exec *exec, const TensorProduct *product, guint lane) {
  guint32 form = read_row(exec, product->form, lane);
  gboolean is_sparse = product->is_by_form ? smb_tensor_is_sparse_form(form) : product->is_sparse;
  TensorKind kind = product->is_by_form && product->kind == TENSOR_KIND_F16
                        ? smb_tensor_kind_of_form(form)
                        : product->kind;
  g_string_append_printf(written, "product.%u%s%s%s %u blocks, form 0x%x", (guint)kind,
                         is_sparse ? ".sparse" : "", product->is_stationary ? ".stationary" : "",
                         product->is_lost ? ".lost" : "", product->blocks, form);
  write_place(exec, "d", &product->d, lane);
  if (product->left == NO_MATRIX)
    write_place(exec, "a", &product->a, lane);
  else
    write_pair(exec, "a", product->left, lane);
  write_pair(exec, "b", product->right, lane);
  if (is_sparse)
    write_place(exec, "metadata", &product->metadata, lane);
  g_string_append_printf(written, ", adds %d",
                         (exec->warp->registers->predicates[product->adds] >> lane & 1) !=
                             (guint)product->adds_unless);
  if (product->masked != NO_MATRIX)
    write_pair(exec, "masked", product->masked, lane);
  for (guint i = 0; i < product->n_disabled; i++)
    g_string_append_printf(written, " -0x%x", read_row(exec, product->disabled[i], lane));
  g_string_append_printf(written, ", scaled %u, %u scales", product->scale, product->n_scales);
  if (product->n_scales) {
    write_place(exec, "of a", &product->scale_a, lane);
    write_place(exec, "of b", &product->scale_b, lane);
  }
}

// Each lane executes it, or one for the warp.
static gboolean
note_work(Exec *exec, const Step *step, SmbLanes lanes) {
  const TensorCopy *copy = &step->tensor->copy;
  if (step->argument == TENSOR_OF_WARP)
    lanes &= -lanes;
  FOR_LANES(lanes, lane) {
    if (step->opcode == STEP_TENSOR_PRODUCT)
      write_product(exec, &step->tensor->product, (guint)lane);
    else if (step->opcode == STEP_TENSOR_COPY) {
      g_string_append_printf(written, "copy.%u.%u.%u %u bytes", (guint)copy->rows, copy->unpacked,
                             copy->blocks, copy->bytes);
      write_place(exec, "", &copy->place, (guint)lane);
      write_pair(exec, "", copy->matrix, (guint)lane);
    } else {
      g_string_append(written, "shift");
      write_place(exec, "", &step->tensor->move.place, (guint)lane);
    }
    g_string_append_c(written, '\n');
  }
  return TRUE;
}

static gboolean
note_columns(Exec *exec, const Step *step, SmbLanes lanes) {
  guint32 values[SMB_MAX_LANES];
  if (!lanes)
    return TRUE;
  guint lane = smb_lanes_first(lanes);
  for (guint i = 0; i < SMB_MAX_LANES; i++)
    values[i] = GIVEN;
  if (step->opcode == STEP_TENSOR_ALLOCATE) {
    g_string_append_printf(written, "allocate %u\n", read_row(exec, step->compute.s[0], lane));
    smb_row_set_known(exec->warp->registers, step->compute.d, lanes, values);
  } else
    g_string_append_printf(written, "free %u from %u on\n",
                           read_row(exec, step->compute.s[1], lane),
                           read_row(exec, step->compute.s[0], lane) & 0xffff);
  return TRUE;
}

static gboolean
note_commit(Exec *exec, const Step *step, SmbLanes lanes) {
  gboolean is_each = step->opcode == STEP_MBARRIER_EACH;
  if (step->opcode == STEP_MBARRIER_ONCE || (is_each && step->argument & MBARRIER_OF_WARP))
    lanes &= -lanes;
  FOR_LANES(lanes, lane) {
    guint64 addresses[SMB_MAX_LANES];
    guint flags;
    guint32 origin;
    smb_transfer_addresses(exec, step->transfer, (SmbLanes)1 << lane, addresses, &flags, &origin);
    g_string_append_printf(written, "commit 0x%x", (guint32)addresses[lane]);
    if (is_each)
      g_string_append_printf(written, " of 0x%x",
                             read_row(exec, step->bulk->blocks, (guint)lane) & 0xffff);
    g_string_append_c(written, '\n');
  }
  return TRUE;
}

static gboolean
note_fence(Exec *exec, const Step *step, SmbLanes lanes) {
  (void)exec;
  if (lanes && (step->argument == FENCE_PERMIT || step->argument == FENCE_TENSOR_STORES))
    g_string_append_printf(written, "fence %u\n", step->argument);
  return TRUE;
}

static void
watch_steps(Code *code) {
  for (guint i = 0; i < code->steps->len; i++) {
    Step *step = &g_array_index(code->steps, Step, i);
    gboolean commits = (step->argument & MBARRIER_ACTION) == MBARRIER_COMMIT;
    switch ((guint)step->opcode) {
    case STEP_TENSOR_LOAD:
    case STEP_TENSOR_STORE:
      step->run = note_move;
      break;
    case STEP_TENSOR_COPY:
    case STEP_TENSOR_SHIFT:
    case STEP_TENSOR_PRODUCT:
      step->run = note_work;
      break;
    case STEP_TENSOR_ALLOCATE:
    case STEP_TENSOR_FREE:
      step->run = note_columns;
      break;
    case STEP_MBARRIER:
    case STEP_MBARRIER_ONCE:
    case STEP_MBARRIER_EACH:
      step->run = commits ? note_commit : step->run;
      break;
    case STEP_FENCE:
      step->run = note_fence;
      break;
    default:
      break;
    }
  }
}

// --- runs

static GBytes *
make_words(void) {
  guint32 *words = g_new(guint32, WORDS);
  for (guint i = 0; i < WORDS; i++)
    words[i] = 0x10000 * (i + 1) + i;
  return g_bytes_new_take(words, WORDS * sizeof *words);
}

// What steps of a kernel are given, and then what it leaves in its buffer (transfer full).
static char *
run_kernel(SmbSource *source, const char *name, const char *form, guint count) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) words = make_words();
  SmbBuffer buffer = {.name = (char *)"0",
                      .contents = {.fill = SMB_FILL_BYTES,
                                   .bytes = g_bytes_get_data(words, NULL),
                                   .length = WORDS * sizeof(guint32)}};
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_ptr_array_add(buffers, &buffer);
  g_autofree char *described = g_strdup_printf("4=%s", form);
  g_autofree char *counted = g_strdup_printf("5=%u", count);
  const char *const arguments[] = {"1=0x40",
                                   "2=0x1122334455667788",
                                   "3=0x99aabbccddeeff00",
                                   described,
                                   counted,
                                   "6=0x60",
                                   "7=0x80",
                                   "8=0x90",
                                   "9=0xa0",
                                   "10=0x3",
                                   NULL};
  SmbLaunch launch = {
      .block = {LANES, 1, 1}, .grid = {1, 1, 1}, .arguments = arguments, .buffers = buffers};
  g_autoptr(SmbArch) arch = smb_arch_load("sm_100", &error);
  SmbProgramOptions program_options = {
      .entry = name, .cuda_arch = smb_program_cuda_arch(arch), .lanes = LANES};
  SmbProgram *program = smb_program_read(source, &program_options, &error);
  ck_assert_msg(program != NULL, "%s: %s", name, error ? error->message : "");
  watch_steps((Code *)(gpointer)program);
  written = g_string_new(NULL);
  g_autoptr(SmbGlobal) global = smb_global_new(program, &launch);
  SmbAnalysisOptions options = {.threads = 1, .global = global};
  SmbAnalysis *analysis = smb_analysis_run(program, arch, &launch, &options, &error);
  ck_assert_msg(analysis != NULL, "%s: %s", name, error ? error->message : "");
  for (guint i = 0; i < WORDS; i++) {
    guint32 word = 0;
    smb_global_read(global, 0, i * sizeof word, &word, sizeof word);
    g_string_append_printf(written, " %x", word);
  }
  smb_analysis_free(analysis);
  smb_program_free(program);
  return g_string_free(written, FALSE);
}

// Kernels of a text, by the names of their entries.
static GPtrArray *
list_kernels(GBytes *ptx) {
  GPtrArray *kernels = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *text = g_strndup(g_bytes_get_data(ptx, NULL), g_bytes_get_size(ptx));
  g_auto(GStrv) pieces = g_strsplit(text, ".entry ", -1);
  for (guint i = 1; pieces[i]; i++)
    g_ptr_array_add(kernels, g_strndup(pieces[i], strcspn(pieces[i], "(")));
  return kernels;
}

// Instruction descriptors, whose bit 2 says that A is sparse, and whose format that A has numbers of tf32.
static const char *
choose_form(const char *name) {
  gboolean is_sparse = strstr(name, "_sp_") != NULL;
  return strstr(name, "tf32") ? is_sparse ? "0x8100914" : "0x8100910"
         : is_sparse          ? "0x8100014"
                              : "0x8100010";
}

static void
compare_forms(GBytes *ptx, GBytes *image, guint least) {
  static const guint counts[] = {32, 64};
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) text = smb_source_new_any("forms.ptx", ptx, &error);
  g_autoptr(SmbSource) code = smb_source_new_any("forms.cubin", image, &error);
  ck_assert_msg(!error, "%s", error ? error->message : "");
  g_autoptr(GPtrArray) kernels = list_kernels(ptx);
  g_autoptr(GString) wrong = g_string_new(NULL);
  for (guint i = 0; i < kernels->len; i++) {
    const char *name = g_ptr_array_index(kernels, i);
    // machine code traps where columns are given back that it was not given
    gboolean is_trap = g_str_has_prefix(name, "f_dealloc");
    for (guint k = 0; k < G_N_ELEMENTS(counts) && !is_trap; k++) {
      guint count =
          g_str_has_suffix(name, "_if") ? k + 6 : counts[k]; // it is executed if that is 7
      g_autofree char *of_text = run_kernel(text, name, choose_form(name), count);
      g_autofree char *of_code = run_kernel(code, name, choose_form(name), count);
      ck_assert_msg(strchr(of_text, '\n') || strstr(name, "fence") || count == 6, "%s: nothing",
                    name);
      if (strcmp(of_text, of_code) != 0)
        g_string_append_printf(wrong, "\n%s, PTX:\n%.300s\nmachine code:\n%.300s", name, of_text,
                               of_code);
    }
  }
  ck_assert_msg(wrong->len == 0, "%.4000s", wrong->str);
  ck_assert_uint_ge(kernels->len, least);
}

START_TEST(test_forms) {
  g_autoptr(GBytes) ptx = sass_data_read("tensor.ptx"), image = sass_data_read("tensor.cubin");
  compare_forms(ptx, image, 100);
}
END_TEST

START_TEST(test_more_forms) {
  const char *folder = g_getenv("SMEMBANK_TENSOR_FORMS");
  g_autoptr(GDir) files = folder ? g_dir_open(folder, 0, NULL) : NULL;
  for (const char *name; files && (name = g_dir_read_name(files));) {
    char *text, *code;
    gsize n_text, n_code;
    if (!g_str_has_suffix(name, ".ptx"))
      continue;
    g_autofree char *ptx = g_build_filename(folder, name, NULL);
    g_autofree char *stem = g_strndup(ptx, strlen(ptx) - strlen(".ptx"));
    g_autofree char *cubin = g_strconcat(stem, ".cubin", NULL);
    ck_assert(g_file_get_contents(ptx, &text, &n_text, NULL));
    ck_assert(g_file_get_contents(cubin, &code, &n_code, NULL));
    g_autoptr(GBytes) of_text = g_bytes_new_take(text, n_text);
    g_autoptr(GBytes) of_code = g_bytes_new_take(code, n_code);
    compare_forms(of_text, of_code, 1);
  }
}
END_TEST

Suite *
suite_sass_tensor(void) {
  Suite *suite = suite_create("sass-tensor");
  TCase *tcase = tcase_create("sass-tensor");
  tcase_set_timeout(tcase, 600);
  tcase_add_test(tcase, test_forms);
  tcase_add_test(tcase, test_more_forms);
  suite_add_tcase(suite, tcase);
  return suite;
}
