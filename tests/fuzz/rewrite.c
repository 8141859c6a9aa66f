// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The bytes choose a small valid kernel with a shared array, and a layout. Its text is rewritten for that
// layout; if the rewriting is not refused, the new kernel has to leave the same global memory, and each of its
// accesses has to take the wavefronts that the layout predicts: smb_proof_choose() finds what does not hold.
#include <string.h>

#include "sim/advise/array-use.h"
#include "sim/advise/proof.h"
#include "sim/arch/arch.h"
#include "tests/fuzz/targets.h"
#include "tests/rewrite-predict.h"

// What the input has not been asked for yet; an end without end of zeros.
typedef struct {
  const guint8 *data;
  gsize size;
} Choices;

// The shared array of the kernel, and its threads.
typedef struct {
  guint rows, columns; // rows: 0: one dimension
  guint dimensions;
  gboolean dynamic;
  guint threads;
} Shape;

static guint
choose(Choices *choices, guint n) {
  if (choices->size == 0)
    return 0;
  choices->size--;
  return *choices->data++ % n;
}

// A value that is not negative, whatever it is made of.
static void
append_value(GString *text, Choices *choices, gboolean in_loop) {
  static const char *const values[] = {
      "t",           "x",     "y",     "t / 2", "t * 2",  "t ^ 5",
      "(t & 3) * 8", "x + y", "x * 4", "t % 7", "31 - x", "0",
  };
  g_string_append(text, values[choose(choices, G_N_ELEMENTS(values))]);
  if (in_loop && choose(choices, 2))
    g_string_append(text, choose(choices, 2) ? " + i" : " + i * 4");
}

static void
append_index(GString *text, Choices *choices, guint length, gboolean in_loop) {
  g_string_append(text, "[(");
  append_value(text, choices, in_loop);
  g_string_append_printf(text, ") %% %u]", length);
}

static void
append_below(GString *text, Choices *choices, guint limit, gboolean in_loop) {
  g_string_append_c(text, '(');
  append_value(text, choices, in_loop);
  g_string_append_printf(text, ") %% %u", limit);
}

// An index of rows that are not declared: a multiple of one, and a rest that may reach into the next.
static void
append_row_index(GString *text, Choices *choices, const Shape *shape, gboolean in_loop) {
  guint columns = shape->columns, form = choose(choices, 4 + in_loop);
  g_string_append_c(text, '[');
  if (form == 0) {
    append_below(text, choices, columns, in_loop);
    g_string_append_printf(text, " + %u * (", columns);
    append_below(text, choices, shape->rows, in_loop);
    g_string_append(text, ")]");
    return;
  }
  g_string_append_c(text, '(');
  append_below(text, choices, shape->rows - (form == 2), in_loop);
  g_string_append(text, form == 3 ? " + 1) * " : ") * ");
  g_string_append_printf(text, form == 3 ? "%u - 1 - " : "%u + ", columns);
  if (form == 3)
    g_string_append_c(text, '(');
  append_below(text, choices, form == 2 ? 2 * columns : form == 4 ? columns - 3 : columns, in_loop);
  g_string_append(text, form == 3 ? ")]" : form == 4 ? " + i % 4]" : "]");
}

// An element of the array, in one of the forms that a kernel writes.
static void
append_element(GString *text, Choices *choices, const Shape *shape, gboolean in_loop) {
  guint form = choose(choices, 8);
  if (shape->dimensions == 1 && form == 0) {
    g_string_append(text, "reinterpret_cast<int4 *>(a)");
    append_index(text, choices, shape->rows * shape->columns / 4, in_loop);
    g_string_append(text, ".x");
    return;
  }
  if (shape->dimensions == 1 && form == 1) {
    g_string_append_printf(text, "(*(a + (t + %u) %% %u))", choose(choices, 64),
                           shape->rows * shape->columns);
    return;
  }
  g_string_append_c(text, 'a');
  if (shape->dimensions == 1 && form <= 4) {
    append_row_index(text, choices, shape, in_loop);
    return;
  }
  if (shape->dimensions == 1) {
    append_index(text, choices, shape->rows * shape->columns, in_loop);
    return;
  }
  append_index(text, choices, shape->rows, in_loop);
  append_index(text, choices, shape->columns, in_loop);
}

static void
append_store(GString *text, Choices *choices, const Shape *shape, gboolean in_loop) {
  static const char *const operators[] = {"=", "+=", "^="};
  append_element(text, choices, shape, in_loop);
  g_string_append_printf(text, " %s in[t] + %s;\n",
                         operators[choose(choices, G_N_ELEMENTS(operators))], in_loop ? "i" : "1");
}

static void
append_statement(GString *text, Choices *choices, const Shape *shape) {
  switch (choose(choices, 6)) {
  case 0:
    g_string_append_printf(text, "  for (unsigned i = 0; i < %u; i++)\n    ", choose(choices, 5));
    append_store(text, choices, shape, TRUE);
    return;
  case 1:
    g_string_append_printf(text, "  if (t < %u)\n    ", choose(choices, 80));
    append_store(text, choices, shape, FALSE);
    return;
  case 2:
    g_string_append(text, "  v += ");
    append_element(text, choices, shape, FALSE);
    g_string_append(text, ";\n");
    return;
  case 3:
    g_string_append(text, "  __syncthreads();\n");
    return;
  case 4:
    g_string_append(text, "  ");
    append_element(text, choices, shape, FALSE);
    g_string_append(text, "++;\n");
    return;
  default:
    g_string_append(text, "  ");
    append_store(text, choices, shape, FALSE);
  }
}

static void
append_declaration(GString *text, Choices *choices, const Shape *shape) {
  static const char *const aligned[] = {"", "__align__(16) "};
  if (shape->dynamic)
    g_string_append(text, "  extern __shared__ int a[];\n");
  else if (shape->dimensions == 1)
    g_string_append_printf(text, "  __shared__ %sint a[%u];\n", aligned[choose(choices, 2)],
                           shape->rows * shape->columns);
  else
    g_string_append_printf(text, "  __shared__ int a[%u][%u];\n", shape->rows, shape->columns);
}

static char *
make_kernel(Choices *choices, Shape *shape) {
  static const guint lengths[] = {32, 16, 8, 64, 33, 24, 4};
  shape->rows = lengths[choose(choices, G_N_ELEMENTS(lengths))];
  shape->columns = lengths[choose(choices, G_N_ELEMENTS(lengths))];
  shape->dimensions = 1 + choose(choices, 2);
  shape->dynamic = shape->dimensions == 1 && choose(choices, 2);
  shape->threads = 32 * (1 + choose(choices, 4));
  GString *text = g_string_new("__global__ void k(int *out, const int *in) {\n"
                               "  unsigned t = threadIdx.x, x = t % 32, y = t / 32;\n"
                               "  int v = 0;\n");
  append_declaration(text, choices, shape);
  guint n = 1 + choose(choices, 5);
  for (guint i = 0; i < n; i++)
    append_statement(text, choices, shape);
  g_string_append(text, "  __syncthreads();\n  out[t] = v + ");
  append_element(text, choices, shape, FALSE);
  g_string_append(text, ";\n}\n");
  return g_string_free(text, FALSE);
}

static SmbProgram *
read_kernel(const char *text) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, &error);
  SmbProgram *kernel =
      source ? smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, &error) : NULL;
  if (!kernel)
    g_error("a valid kernel is refused: %s\n%s", error->message, text);
  return kernel;
}

// Another layout for the array. A row may become longer, and one of an array of one dimension another one.
static void
choose_layout(Choices *choices, const Shape *shape, SmbRewriteArray *array) {
  array->to = array->from;
  if (shape->dimensions == 1 && choose(choices, 2))
    array->to.columns = shape->columns;
  else if (shape->dimensions == 2 && shape->columns % 4 == 0 && choose(choices, 2))
    array->to.columns = array->from.columns / (choose(choices, 2) ? 2 : 4);
  array->to.pad = choose(choices, 9);
  array->to.bits = choose(choices, 6);
  array->to.base = choose(choices, 5);
  array->to.shift = (gint)array->to.bits + (gint)choose(choices, 4);
  if (choose(choices, 2))
    array->to.shift = -array->to.shift;
}

static void
check_rewriting(const SmbOriginal *original, const SmbRewriteArray *array, const char *text) {
  g_autofree guint64 *wavefronts = rewrite_predict(original, array);
  if (!wavefronts || smb_rewrite_bytes(array) > smb_arch_info(original->arch)->static_shared_bytes)
    return;
  g_autoptr(SmbProof) proof = smb_proof_choose(original, array, wavefronts);
  if (proof->failure && proof->edits)
    g_error("pad %u, Swizzle<%u,%u,%d>: %s\n%s\n%s", (guint)array->to.pad, array->to.bits,
            array->to.base, array->to.shift, proof->failure, text, proof->text);
}

void
fuzz_rewrite(const guint8 *data, gsize size) {
  Choices choices = {data, size};
  Shape shape;
  g_autofree char *text = make_kernel(&choices, &shape);
  g_autoptr(SmbProgram) kernel = read_kernel(text);
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  gsize bytes = (gsize)4 * shape.rows * shape.columns;
  SmbLaunch launch = {{shape.threads, 1, 1}, {1, 1, 1}, shape.dynamic ? bytes : 0, NULL, NULL};
  g_autoptr(SmbGlobal) global = smb_global_new(kernel, &launch);
  SmbAnalysisOptions options = {.global = global, .keep_requests = TRUE, .threads = 1};
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(kernel, arch, &launch, &options, &error);
  if (!analysis)
    g_error("a valid kernel does not run: %s\n%s", error->message, text);
  SmbOriginal original = {kernel, arch, launch, &options, analysis, global};
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(kernel, NULL, analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  SmbLayout from = smb_array_use_layout(use, 0);
  SmbRewriteArray array = {use->array, use->bytes, from, from};
  choose_layout(&choices, &shape, &array);
  check_rewriting(&original, &array, text);
}
