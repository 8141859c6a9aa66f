// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/lower/lower.h"

#include <string.h>

#include "sim/cuda/lower/impl.h"
#include "sim/exec/lockstep.h"

// --- registers that hold something from the start

static void
preset(Lower *lower, guint special, guint32 argument, Row row) {
  const Preset preset = {(Special)special, argument, row};
  g_array_append_val(lower->code->presets, preset);
}

// Those of threadIdx and the like that are read.
static void
preset_specials(Lower *lower) {
  static const Special specials[] = {[SPECIAL_THREAD] = SPECIAL_TID,
                                     [SPECIAL_BLOCK] = SPECIAL_CTAID,
                                     [SPECIAL_BLOCK_DIM] = SPECIAL_NTID,
                                     [SPECIAL_GRID_DIM] = SPECIAL_NCTAID};
  for (guint i = 0; i < G_N_ELEMENTS(specials); i++) {
    for (guint axis = 0; axis < 3; axis++) {
      if (lower->is_read[i][axis])
        preset(lower, specials[i] + axis, 0, lower->specials[i][axis]);
    }
  }
}

static void
place_variables(Lower *lower) {
  const GPtrArray *locals = lower->kernel->locals;
  for (guint i = 0; i < G_N_ELEMENTS(lower->specials); i++) {
    for (guint axis = 0; axis < 3; axis++)
      lower->specials[i][axis] = smb_lower_take(lower, 1);
  }
  for (guint i = 0; i < locals->len; i++) {
    const Variable *variable = g_ptr_array_index(locals, i);
    lower->rows[i] = variable ? smb_lower_take(lower, value_rows(variable->type)) : NO_ROW;
    if (lower->asked[i])
      lower->flags[i] = smb_code_new_predicate(lower->code);
  }
}

// Parameters lie as words one behind the other.
static void
place_parameters(Lower *lower) {
  const Function *entry = lower->kernel->entry;
  guint32 offset = 0;
  for (guint i = 0; i < entry->n_parameters; i++) {
    const Variable *parameter = entry->parameters[i];
    for (guint n = 0; n < value_rows(parameter->type); n++) {
      preset(lower, SPECIAL_PARAMETER, offset, lower->rows[parameter->slot] + n);
      offset += sizeof(guint32);
    }
    smb_lower_mark_set(lower, parameter, 0, parameter->type);
  }
}

// --- passes

static void
clear(Lowered *lowered) {
  smb_code_clear(&lowered->code);
  g_ptr_array_unref(lowered->foreign);
  g_free(lowered->rows);
  memset(&lowered->code, 0, sizeof lowered->code);
}

static void
begin(Lowered *lowered) {
  const SmbProgram *program = &lowered->kernel->program;
  const SmbProgramOptions options = {.lanes = program->lanes};
  smb_program_init(&lowered->code.program, program->front_end, NULL, NULL, &options);
  smb_code_init(&lowered->code);
  lowered->code.module = lowered;
  lowered->code.text = smb_foreign_run;
  lowered->code.turned_away = smb_foreign_turned_away;
  lowered->foreign = g_ptr_array_new_with_free_func(g_free);
  lowered->rows = g_new0(Row, lowered->kernel->locals->len + 1);
}

static guint32
find_label(const Lower *lower, guint32 label) {
  return g_array_index(lower->labels, guint32, label);
}

static void
resolve_labels(const Lower *lower) {
  for (guint32 i = 0; i < lower->code->steps->len; i++) {
    Step *step = smb_code_step(lower->code, i);
    if (step->opcode != STEP_BRANCH)
      continue;
    step->target = find_label(lower, step->target);
    if (step->targets) {
      SwitchTarget *look = &g_array_index(step->targets, SwitchTarget, 0);
      look->step = find_label(lower, look->step);
    }
  }
}

// Once through the kernel. @asked: variables that are read where it is not known that they are set. Returns: whether there are more of
// them now.
static gboolean
run_pass(Lowered *lowered, guint8 *asked, guint8 *in_memory, GHashTable *deciding,
         gboolean *refused) {
  guint n = lowered->kernel->locals->len, n_objects = lowered->kernel->objects->len;
  g_autofree Row *arrays = g_new0(Row, n_objects + 1);
  g_autofree guint *elements = g_new0(guint, n_objects + 1);
  g_autoptr(GHashTable) decides = g_hash_table_new(NULL, NULL);
  g_autoptr(GPtrArray) rolled = g_ptr_array_new();
  g_autofree guint8 *fixed = g_new0(guint8, n + 1);
  g_autofree guint8 *recent = g_new0(guint8, n + 1);
  g_autofree gint64 *numbers = g_new0(gint64, n + 1);
  g_autofree Predicate *flags = g_new0(Predicate, n + 1);
  g_autoptr(GArray) labels = g_array_new(FALSE, FALSE, sizeof(guint32));
  begin(lowered);
  Lower lower = {.kernel = lowered->kernel,
                 .code = &lowered->code,
                 .rows = lowered->rows,
                 .asked = asked,
                 .n_slots = n,
                 .arrays = arrays,
                 .elements = elements,
                 .in_memory = in_memory,
                 .rolled = rolled,
                 .deciding = deciding,
                 .decides = decides,
                 .fixed = fixed,
                 .recent = recent,
                 .numbers = numbers,
                 .flags = flags,
                 .labels = labels,
                 .counted = NO_STEP,
                 .current = NO_ROW,
                 .foreign = lowered->foreign};
  place_variables(&lower);
  smb_lower_place_arrays(&lower);
  g_autofree guint8 *is_set = g_new0(guint8, lower.n_slots + 1);
  lower.is_set = is_set;
  place_parameters(&lower);
  smb_lower_statement(&lower, lowered->kernel->entry->body);
  Step end = {.argument = 0};
  smb_lower_add(&lower, &end, STEP_EXIT, lowered->kernel->entry->start);
  preset_specials(&lower);
  *refused = lower.is_refused;
  if (!lower.is_refused)
    resolve_labels(&lower);
  GHashTableIter each;
  gpointer loop;
  g_hash_table_iter_init(&each, decides);
  while (g_hash_table_iter_next(&each, &loop, NULL))
    g_hash_table_add(deciding, loop);
  return lower.asks_more;
}

Lowered *
smb_lower(const SmbKernel *kernel, GError **error) {
  Lowered *lowered = g_new0(Lowered, 1);
  g_autofree guint8 *asked = g_new0(guint8, kernel->locals->len + 1);
  g_autofree guint8 *in_memory = g_new0(guint8, kernel->objects->len + 1);
  g_autoptr(GHashTable) deciding = g_hash_table_new(NULL, NULL);
  lowered->kernel = kernel;
  gboolean is_refused, again = run_pass(lowered, asked, in_memory, deciding, &is_refused);
  while (!is_refused && again) {
    clear(lowered);
    again = run_pass(lowered, asked, in_memory, deciding, &is_refused);
  }
  if (!is_refused)
    return lowered;
  smb_source_error(
      kernel->program.source, kernel->entry->start, error,
      "'%s' has too many steps: expected at most %u, with functions wherever they are called",
      kernel->entry->name, MAX_STEPS);
  smb_lowered_free(lowered);
  return NULL;
}

void
smb_lowered_free(Lowered *lowered) {
  if (!lowered)
    return;
  clear(lowered);
  g_free(lowered);
}

// --- a block

// The words of a parameter that is a value.
static gboolean
append_value(GByteArray *words, SmbBlock *block, const Variable *parameter, guint number,
             const SmbLaunch *launch, GError **error) {
  const Type *type = parameter->type, *component = smb_type_component(type);
  g_autoptr(GBytes) bytes = smb_program_argument(block->program, number, launch->arguments, error);
  if (!bytes)
    return FALSE;
  const guchar *memory = g_bytes_get_data(bytes, NULL);
  SmbScalar scalar = smb_cuda_scalar(component->kind);
  for (guint c = 0; c < smb_type_components(type); c++) {
    gint64 whole;
    double real;
    smb_scalar_decode(scalar, memory + c * component->size, &whole, &real);
    guint64 bits = smb_lower_bits(scalar, whole, real);
    g_byte_array_append(words, (const guint8 *)&bits, type_rows(type) * sizeof(guint32));
  }
  return TRUE;
}

gpointer
smb_lowered_new_state(const Lowered *lowered, SmbBlock *block, const SmbLaunch *launch,
                      GError **error) {
  const Function *entry = lowered->kernel->entry;
  GByteArray *words = g_byte_array_new();
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < entry->n_parameters; i++) {
    gboolean is_pointer = entry->parameters[i]->type->kind == KIND_POINTER;
    guint64 pointer = is_pointer ? smb_block_buffer(block, i) : 0;
    if (is_pointer)
      g_byte_array_append(words, (const guint8 *)&pointer, sizeof pointer);
    else
      ok = append_value(words, block, entry->parameters[i], i, launch, error);
  }
  g_autoptr(GBytes) parameters = g_byte_array_free_to_bytes(words);
  return ok ? smb_lockstep_new(block, &lowered->code, parameters) : NULL;
}
