// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Constants, and what is computed of them while a text is read: as operations.def of sim/exec/compute does when it runs.
// Private to CUDA C.
#pragma once

#include "sim/base/scalar.h"
#include "sim/cuda/tree/ast.h"

// The kind of number that a value of a scalar type, a pointer or an array is in a register.
SmbScalar smb_cuda_scalar(TypeKind kind);

// An integer cut to the width of a kind, and extended again.
gint64 smb_cuda_wrap(TypeKind kind, gint64 value);

// What a real becomes first that is to be an integer of a kind; its low bits are the result.
TypeKind smb_cuda_rounded_kind(TypeKind from, TypeKind to);

// Turn a node whose operands are constants into a constant (unless it divides by zero).
void smb_cuda_fold_cast(Node *node);
void smb_cuda_fold_binary(Node *node);
void smb_cuda_fold_unary(Node *node);
