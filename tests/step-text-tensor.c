// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps of textures as text, and those of tensor memory: numbers of SamplingKind, Boundary, TensorSpread, TensorRows and TensorKind.
#include "tests/step-text-impl.h"

// " of HANDLE [X, Y, Z], layer L, level L, by X/Y …"; of a store, what is stored
void
step_text_add_sampling(GString *text, const Code *code, const Sampling *sampling) {
  g_string_append_printf(text, ".%u.%u", (guint)sampling->kind, sampling->component);
  if (sampling->width)
    g_string_append_printf(text, ".b%u.%u", 8 * sampling->width, (guint)sampling->boundary);
  step_text_add_product_rows(text, code, " of ", 1, &sampling->handle);
  for (guint i = 0; i < 3 && sampling->coordinates[i] != NO_ROW; i++)
    step_text_add_product_rows(text, code, i ? ", " : " at ", 1, &sampling->coordinates[i]);
  if (sampling->layer != NO_ROW)
    step_text_add_product_rows(text, code, ", layer ", 1, &sampling->layer);
  if (sampling->level != NO_ROW)
    step_text_add_product_rows(text, code, ", level ", 1, &sampling->level);
  for (guint i = 0; i < 3 && sampling->gradients[i][0] != NO_ROW; i++)
    step_text_add_product_rows(text, code, i ? ", " : ", by ", 2, sampling->gradients[i]);
  for (guint i = 0; i < 4 && sampling->kind == SAMPLING_STORE && sampling->data[i] != NO_ROW; i++)
    step_text_add_product_rows(text, code, i ? " " : " = ", 1, &sampling->data[i]);
}

static void
add_tensor_place(GString *text, const Code *code, const TensorPlace *place) {
  g_string_append(text, "tensor[");
  if (place->base != NO_MATRIX)
    step_text_add_rows(text, code, place->base, 1);
  if (place->offset || place->base == NO_MATRIX)
    g_string_append_printf(text, "%s0x%x", place->base == NO_MATRIX ? "" : " + ", place->offset);
  g_string_append(text, "]");
}

// Of a load, the registers first.
static void
add_tensor_move(GString *text, const Code *code, const TensorMove *move, gboolean loads) {
  g_string_append_printf(text, ".%u%s", (guint)move->spread, move->packs ? ".packed" : "");
  if (move->half != TENSOR_WARP)
    g_string_append(text, move->half == TENSOR_FIRST_HALF ? ".first" : ".second");
  if (move->split)
    g_string_append_printf(text, ".split%u", move->split);
  if (loads)
    step_text_add_product_rows(text, code, " ", move->n, move->data);
  g_string_append(text, loads ? " = " : " ");
  add_tensor_place(text, code, &move->place);
  if (!loads)
    step_text_add_product_rows(text, code, " = ", move->n, move->data);
}

void
step_text_add_scales(GString *text, const Code *code, const Product *product) {
  const ProductScale *a = &product->scale_a, *b = &product->scale_b;
  const Row rows[] = {a->data, a->byte, a->lane, b->data, b->byte, b->lane};
  if (!product->form.scales)
    return;
  step_text_add_product_rows(text, code, ", scales ", G_N_ELEMENTS(rows), rows);
  g_string_append_printf(text, " of %u%s", product->form.scales,
                         product->form.has_fine_scales ? ", fine" : "");
}

static void
add_tensor_product(GString *text, const Code *code, const TensorProduct *product) {
  g_string_append_printf(text, ".%u.%u%s%s ", (guint)product->kind, product->blocks,
                         product->is_stationary ? ".stationary" : "",
                         product->is_by_form ? ".by-form" : "");
  add_tensor_place(text, code, &product->d);
  g_string_append(text, " = ");
  if (product->left == NO_MATRIX)
    add_tensor_place(text, code, &product->a);
  else
    step_text_add_rows(text, code, product->left, 2);
  g_string_append(text, ", ");
  step_text_add_rows(text, code, product->right, 2);
  if (product->is_sparse) {
    g_string_append(text, ", sparse ");
    add_tensor_place(text, code, &product->metadata);
  }
  g_string_append(text, ", form ");
  step_text_add_rows(text, code, product->form, 1);
  g_string_append(text, ", adds ");
  step_text_add_predicate(text, product->adds, product->adds_unless);
  if (product->n_disabled)
    step_text_add_product_rows(text, code, ", without ", product->n_disabled, product->disabled);
  if (product->masked != NO_MATRIX)
    step_text_add_product_rows(text, code, ", masked ", 2,
                               (const Row[]){product->masked, product->masked + 1});
  if (product->scale)
    g_string_append_printf(text, ", scaled %u", product->scale);
  if (product->n_scales) {
    g_string_append_printf(text, ", %u scales ", product->n_scales);
    add_tensor_place(text, code, &product->scale_a);
    g_string_append_c(text, ' ');
    add_tensor_place(text, code, &product->scale_b);
  }
  g_string_append(text, product->is_lost ? ", unknown" : "");
}

static void
add_tensor_copy(GString *text, const Code *code, const TensorCopy *copy) {
  g_string_append_printf(text, ".%u.%u ", (guint)copy->rows, copy->blocks);
  add_tensor_place(text, code, &copy->place);
  g_string_append(text, " = ");
  step_text_add_rows(text, code, copy->matrix, 2);
  g_string_append_printf(text, ", %u bytes", copy->bytes);
  if (copy->unpacked)
    g_string_append_printf(text, " of %u bits", copy->unpacked);
}

void
step_text_add_tensor(GString *text, const Code *code, const Step *step) {
  const TensorStep *tensor = step->tensor;
  if (step->argument == TENSOR_OF_WARP)
    g_string_append(text, ".once");
  if (step->opcode == STEP_TENSOR_LOAD || step->opcode == STEP_TENSOR_STORE)
    add_tensor_move(text, code, &tensor->move, step->opcode == STEP_TENSOR_LOAD);
  else if (step->opcode == STEP_TENSOR_COPY)
    add_tensor_copy(text, code, &tensor->copy);
  else if (step->opcode == STEP_TENSOR_PRODUCT)
    add_tensor_product(text, code, &tensor->product);
  else {
    g_string_append_c(text, ' ');
    add_tensor_place(text, code, &tensor->move.place);
  }
}

// Columns that are given, or taken back.
void
step_text_add_tensor_columns(GString *text, const Code *code, const Step *step) {
  gboolean gives = step->opcode == STEP_TENSOR_ALLOCATE;
  if (gives && step->argument == 2)
    g_string_append(text, ".pair");
  g_string_append_c(text, ' ');
  step_text_add_rows(text, code, gives ? step->compute.d : step->compute.s[0], 1);
  g_string_append(text, gives ? " = columns " : ", columns ");
  step_text_add_rows(text, code, step->compute.s[gives ? 0 : 1], 1);
}
