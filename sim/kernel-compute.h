// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How what CUDA C computes is said to the machine's arithmetic; and constants, which are computed by it as
// lanes that are all alike. Private to CUDA C.
#pragma once

#include "sim/kernel-ast.h"
#include "sim/machine-arith.h"

// The kind of number that a value of a scalar type, a pointer or an array is in a register.
SmbScalar kind_scalar(TypeKind kind);

ArithBinary operator_arith(Operator op);
ArithUnary node_arith(const Node *node);

// What the machine has for a builtin: an ArithFunction, or an Atomic.
guint builtin_operation(Builtin builtin);

// An integer cut to the width of a kind, and extended again.
gint64 kernel_wrap_integer(TypeKind kind, gint64 value);

// Turn a node whose operands are constants into a constant (unless it divides by zero).
void kernel_fold_cast(Node *node);
void kernel_fold_binary(Node *node);
void kernel_fold_unary(Node *node);

// Writes the value of a constant into all lanes of a warp.
void kernel_lanes_fill(const Node *constant, void *out);
