// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arithmetic of one warp: 32 values at once, as C defines it where it does, and as the hardware does
// it elsewhere (integers wrap; a shift by the width or more leaves zeros, or sign bits). Values of up
// to 32 bits lie in 4 bytes each, sign- or zero-extended; 64-bit values and pointers in 8.
// Private to the kernel language.
#pragma once

#include "sim/kernel-ast.h"

// out = a operator b. @kind is that of both operands, KIND_INT or higher; comparisons give 0 or 1 in
// 4 bytes each; shifts take a b of KIND_UINT.
void kernel_lanes_binary(Operator op, TypeKind kind, const void *a, const void *b, void *out);

// Lanes of @mask in which an integer division by @b is not defined.
guint32 kernel_lanes_division_faults(TypeKind kind, const void *b, guint32 mask);

// -a, ~a, !a
void kernel_lanes_unary(NodeKind operation, TypeKind kind, const void *a, void *out);

// min, max, abs, fmaf and their kin: the builtins of the groups COMMON, FLOAT, DOUBLE and BITS
// (kernel-builtin.c).
void kernel_lanes_builtin(Builtin builtin, TypeKind kind, const void *const *arguments, void *out);

// --- conversions and constants (kernel-convert.c)

// Conversion between arithmetic kinds; from pointers to bool as well.
void kernel_lanes_cast(TypeKind from, TypeKind to, const void *a, void *out);

// An integer cut to the width of a kind, and extended again.
gint64 kernel_wrap_integer(TypeKind kind, gint64 value);

// Turn a node whose operands are constants into a constant (unless it divides by zero).
void kernel_fold_cast(Node *node);
void kernel_fold_binary(Node *node);
void kernel_fold_unary(Node *node);

// Writes the value of a constant into 32 lanes.
void kernel_lanes_fill(const Node *constant, void *out);
