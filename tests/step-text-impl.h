// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Parts of the text of a step. Private to tests/step-text*.c.
#pragma once

#include "tests/step-text.h"

void step_text_add_rows(GString *text, const Code *code, Row row, guint n);
void step_text_add_predicate(GString *text, Predicate predicate, gboolean is_negated);
void step_text_add_product_rows(GString *text, const Code *code, const char *before, guint n,
                                const Row *rows);
// Those of a product in registers, if it has some.
void step_text_add_scales(GString *text, const Code *code, const Product *product);
// Where a texture or a surface is asked.
void step_text_add_sampling(GString *text, const Code *code, const Sampling *sampling);
void step_text_add_tensor(GString *text, const Code *code, const Step *step);
void step_text_add_tensor_columns(GString *text, const Code *code, const Step *step);
