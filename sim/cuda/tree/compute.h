// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How what CUDA C computes is said to the machine's arithmetic; and constants, which are computed by it as
// lanes that are all alike. Private to CUDA C.
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/machine/arith.h"

// The kind of number that a value of a scalar type, a pointer or an array is in a register.
SmbScalar smb_cuda_scalar(TypeKind kind);

ArithBinary smb_cuda_binary(Operator op);
ArithUnary smb_cuda_unary(const Node *node);

// What the machine has for a builtin: an ArithFunction, or an Atomic.
guint smb_cuda_builtin_operation(Builtin builtin);

// An integer cut to the width of a kind, and extended again.
gint64 smb_cuda_wrap(TypeKind kind, gint64 value);

// Turn a node whose operands are constants into a constant (unless it divides by zero).
void smb_cuda_fold_cast(Node *node);
void smb_cuda_fold_binary(Node *node);
void smb_cuda_fold_unary(Node *node);

// Writes the value of a constant into all lanes of a warp, which has so many.
void smb_cuda_fill(const Node *constant, guint n_lanes, void *out);

// Makes a node of a scalar type the constant that lane 0 holds.
void smb_cuda_take(Node *node, const void *lanes);
