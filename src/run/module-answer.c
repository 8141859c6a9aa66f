// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/module-answer.h"

static void
add_kernel_answer(SmbPayload *answer, const SmbModuleKernel *kernel) {
  smb_payload_add_text(answer, kernel->symbol);
  smb_payload_add_number(answer, kernel->registers);
  smb_payload_add_number(answer, kernel->local_bytes);
  smb_payload_add_number(answer, kernel->shared_bytes);
  smb_payload_add_number(answer, kernel->parameter_bytes);
  smb_payload_add_number(answer, kernel->max_threads);
  for (guint i = 0; i < 3; i++)
    smb_payload_add_number(answer, kernel->cluster[i]);
  smb_payload_add_number(answer, kernel->names_references);
  smb_payload_add_number(answer, kernel->parameters->len);
  for (guint i = 0; i < kernel->parameters->len; i++) {
    SmbModuleParameter place = g_array_index(kernel->parameters, SmbModuleParameter, i);
    smb_payload_add_number(answer, place.offset);
    smb_payload_add_number(answer, place.bytes);
  }
}

static void
add_variable_answer(SmbPayload *answer, const SmbModuleVariable *variable) {
  smb_payload_add_text(answer, variable->name);
  smb_payload_add_number(answer, variable->bytes);
  smb_payload_add_number(answer, variable->is_constant);
  smb_payload_add_bytes(answer, variable->initial, variable->initial ? variable->bytes : 0);
  smb_payload_add_number(answer, variable->pointers->len);
  for (guint i = 0; i < variable->pointers->len; i++) {
    SmbModulePointer pointer = g_array_index(variable->pointers, SmbModulePointer, i);
    smb_payload_add_number(answer, pointer.offset);
    smb_payload_add_number(answer, pointer.variable);
    smb_payload_add_number(answer, pointer.addend);
  }
}

void
smb_module_answer(SmbPayload *answer, const SmbModule *module) {
  smb_payload_add_number(answer, module->kernels->len);
  for (guint i = 0; i < module->kernels->len; i++)
    add_kernel_answer(answer, g_ptr_array_index(module->kernels, i));
  smb_payload_add_number(answer, module->variables->len);
  for (guint i = 0; i < module->variables->len; i++)
    add_variable_answer(answer, &g_array_index(module->variables, SmbModuleVariable, i));
  smb_payload_add_number(answer, module->allocates);
  smb_payload_add_number(answer, module->references->len);
  for (guint i = 0; i < module->references->len; i++) {
    const SmbModuleReference *reference = &g_array_index(module->references, SmbModuleReference, i);
    smb_payload_add_text(answer, reference->name);
    smb_payload_add_number(answer, reference->is_surface);
  }
}
