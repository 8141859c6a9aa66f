// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What runs the blocks of a launch: made once, with the parameters and a set of registers for each warp.
#include "sim/exec/exec.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/exec/sync/sync.h"
#include "sim/machine/check/checking.h"

// Memory at addresses is called as the field or the parameter that points there.
static void
name_memory(const Exec *exec) {
  const Code *code = exec->code;
  const guint8 *bytes = exec->parameters.bytes;
  for (guint i = 0; i < exec->parameters.fields->len; i++) {
    const SmbField *field = &g_array_index(exec->parameters.fields, SmbField, i);
    smb_block_name_memory(exec->block, field->address, field->name);
  }
  for (guint p = 0; exec->block->map && p < code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(code->places, ParameterPlace, p);
    const char *name = g_array_index(code->program.parameters, SmbParameter, p).name;
    guint64 address;
    for (gsize at = 0; at + sizeof address <= place->bytes; at += sizeof address) {
      memcpy(&address, bytes + place->offset + at, sizeof address);
      smb_block_name_memory(exec->block, address, name);
    }
  }
}

// Which parameters without a value are assumed to be pointers, since they have 8 bytes (transfer full).
static char *
describe_pointers(const SmbProgram *program, const SmbLaunch *launch) {
  g_autoptr(GString) list = g_string_new(NULL);
  guint n = 0;
  for (guint p = 0; p < smb_program_n_parameters(program); p++) {
    SmbParameter parameter = smb_program_parameter(program, p);
    if (smb_launch_is_pointer(launch, program, p) && parameter.may_be_value &&
        !smb_launch_buffer(launch, parameter.name, p))
      g_string_append_printf(list, "%s%u", n++ > 0 ? ", " : "", p);
  }
  return n == 0
             ? g_strdup("")
             : g_strdup_printf(" Assumed to be pointers, since they have no value: parameter%s %s",
                               smb_plural(n), list->str);
}

void
smb_exec_make_warps(Exec *exec) {
  SmbBlock *block = exec->block;
  const Code *code = exec->code;
  exec->warps = g_new0(Warp, block->n_warps);
  block->state_bytes = 2 * sizeof(guint32) * code->n_rows * block->lanes * block->n_warps;
  for (guint w = 0; w < block->n_warps; w++) {
    Warp *warp = &exec->warps[w];
    warp->registers = smb_registers_new(code->constants, code->n_rows, code->n_predicates, block);
    warp->splits = smb_splits_new(code->barriers);
    warp->calls = g_array_new(FALSE, TRUE, sizeof(guint32));
  }
}

void
smb_exec_free_warps(Exec *exec) {
  for (guint w = 0; w < exec->block->n_warps; w++) {
    smb_registers_free(exec->warps[w].registers);
    smb_splits_free(exec->warps[w].splits);
    g_array_unref(exec->warps[w].calls);
  }
  g_free(exec->warps);
}

gpointer
smb_exec_new(SmbBlock *block, const SmbLaunch *launch, GError **error) {
  const Code *code = (const Code *)block->program;
  Parameters parameters = {.bytes = NULL};
  if (!smb_parameters_set(&parameters, code, block, launch, error)) {
    smb_parameters_clear(&parameters);
    return NULL;
  }
  Exec *exec = g_new0(Exec, 1);
  exec->block = block;
  exec->code = code;
  exec->steps = &g_array_index(code->steps, Step, 0);
  exec->pointers = describe_pointers(&code->program, launch);
  exec->unknown = smb_unknown_new(code, parameters.length, launch->skips_unknown);
  exec->order = smb_order_new(block);
  exec->sync = smb_sync_new(code, block->n_warps);
  exec->parameters = parameters;
  Object *object = &block->objects[REGION_PARAMETERS];
  object->contents =
      (SmbContents){.fill = SMB_FILL_BYTES, .bytes = parameters.bytes, .length = parameters.length};
  object->marks = parameters.marks;
  smb_exec_set_launch_words(exec);
  name_memory(exec);
  smb_exec_make_warps(exec);
  exec->copied = smb_copied_rows_new(code, block->n_warps);
  if (block->check) {
    block->check->asks_polls = smb_spin_polls;
    block->check->polls_user = exec;
  }
  return exec;
}

void
smb_exec_free(gpointer data) {
  Exec *exec = data;
  smb_exec_free_warps(exec);
  g_free(exec->launch_words);
  g_free(exec->pointers);
  smb_parameters_clear(&exec->parameters);
  smb_unknown_free(exec->unknown);
  smb_order_free(exec->order);
  smb_sync_free(exec->sync);
  smb_copied_rows_free(exec->copied);
  g_free(exec);
}
