// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// All code of a kernel as steps, section by section and function by function, with the control flow of each
// function for whoever has to know what a branch decides. Where lanes reconverge is written in the code.
#include <string.h>

#include "sim/base/error.h"
#include "sim/sass/decode/decode.h"

enum {
  MAX_STEPS = 1 << 22
};

// One instruction of the code.
typedef struct {
  Going going;
  gboolean is_conditional;
  gboolean leads; // a block
  guint32 target; // of a branch, or the index of a return: an instruction
  guint32 step;   // its first one
} Place;

typedef struct {
  SassDecoder *decoder;
  GArray *places;  // Place, by address
  GArray *starts;  // guint32: where functions begin; sorted, the end of all code last
  GArray *returns; // SassReturn: by what each function returns; NO_ROW: there are several, or none
} Flow;

static void
sass_flow_clear(Flow *flow) {
  g_clear_pointer(&flow->places, g_array_unref);
  g_clear_pointer(&flow->starts, g_array_unref);
  g_clear_pointer(&flow->returns, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Flow, sass_flow_clear)

static Place *
get_place(const Flow *flow, guint32 index) {
  return &g_array_index(flow->places, Place, index);
}

// Whether a branch may continue instead: by its guard, by a predicate among its operands, or by what other lanes do.
static gboolean
is_conditional(const SassInstruction *instruction) {
  const SassOperand *first = &instruction->operands[0];
  return sass_has(instruction, PART_DIV) || sass_has(instruction, PART_CONV) ||
         sass_has(instruction, PART_ANY) || instruction->guard != SASS_PT ||
         (instruction->n_operands > 0 && smb_sass_is_predicate(first) &&
          (first->number != SASS_PT || first->is_inverted));
}

static void
read_sass_instruction(const SassDecoder *decoder, const SassSection *section, guint32 offset,
                      SassInstruction *instruction) {
  smb_sass_read(decoder->chip, section->code + offset, section->base + offset, instruction);
}

// Where blocks begin: functions, targets, and what is behind an instruction that may go elsewhere.
static void
find_sass_leaders(Flow *flow) {
  SassDecoder *decoder = flow->decoder;
  for (guint s = 0; s < decoder->sections->len; s++) {
    const SassSection *section = &g_array_index(decoder->sections, SassSection, s);
    for (guint32 offset = 0; offset < section->bytes; offset += SASS_BYTES) {
      guint32 at = (section->base + offset) / SASS_BYTES;
      SassInstruction instruction;
      read_sass_instruction(decoder, section, offset, &instruction);
      smb_sass_note_tensor_load(decoder, &instruction);
      Place *place = get_place(flow, at);
      place->going = smb_sass_going(&instruction);
      place->is_conditional = is_conditional(&instruction);
      for (guint i = 0; i < instruction.n_operands; i++) {
        guint64 target = (guint64)instruction.operands[i].value / SASS_BYTES;
        if (instruction.operands[i].kind != SASS_TARGET || target >= flow->places->len)
          continue;
        get_place(flow, (guint32)target)->leads = TRUE;
        place->target = (guint32)target;
      }
      if (place->going != GOES_ON && at + 1 < flow->places->len)
        get_place(flow, at + 1)->leads = TRUE;
    }
  }
  for (guint i = 0; i + 1 < flow->starts->len; i++)
    get_place(flow, g_array_index(flow->starts, guint32, i))->leads = TRUE;
}

static gint
compare_instruction_numbers(gconstpointer a, gconstpointer b) {
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
  return (x > y) - (x < y);
}

// Numbers in order, each once.
static void
sort_numbers(GArray *numbers) {
  guint n = 0;
  g_array_sort(numbers, compare_instruction_numbers);
  for (guint i = 0; i < numbers->len; i++) {
    guint32 number = g_array_index(numbers, guint32, i);
    if (n == 0 || g_array_index(numbers, guint32, n - 1) != number)
      g_array_index(numbers, guint32, n++) = number;
  }
  g_array_set_size(numbers, n);
}

// Functions are where symbols are; a section may begin with one that has none.
static void
add_start(Flow *flow, guint32 address) {
  guint32 start = address / SASS_BYTES;
  g_array_append_val(flow->starts, start);
}

static void
find_sass_functions(Flow *flow) {
  const SassDecoder *decoder = flow->decoder;
  guint32 end = 0;
  for (guint i = 0; i < decoder->sections->len; i++) {
    const SassSection *section = &g_array_index(decoder->sections, SassSection, i);
    end = section->base + section->bytes;
    add_start(flow, section->base);
  }
  for (guint i = 0; i < decoder->cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(decoder->cubin->functions, i);
    const SassSection *section = smb_sass_placed(decoder, function->section);
    if (section && function->offset < section->bytes)
      add_start(flow, section->base + function->offset);
  }
  add_start(flow, end);
  sort_numbers(flow->starts);
  g_array_set_size(flow->places, end / SASS_BYTES);
}

// --- steps

// What is after the last instruction of a function, where nothing should come, and the steps of the returns: each
// of these is a block of its own. *@first: the first one.
static void
add_returns(SassDecoder *decoder, guint32 *first) {
  static const SassInstruction none;
  decoder->instruction = &none;
  decoder->builder.guard = PREDICATE_TRUE;
  decoder->builder.unless = FALSE;
  Step end = smb_sass_step(decoder, STEP_END);
  smb_code_add(decoder->code, &end);
  *first = decoder->code->steps->len;
  for (guint i = 0; i < decoder->returns->len; i++) {
    const SassReturn *wanted = &g_array_index(decoder->returns, SassReturn, i);
    Step step = smb_sass_step(decoder, STEP_RETURN_TO);
    step.compute.s[0] = wanted->row;
    step.argument = wanted->base;
    smb_code_add(decoder->code, &step);
  }
}

// Jumps to returns lead to their steps from here on; the rest is resolved when all code is decoded.
static void
resolve_returns(Flow *flow, guint first_jump, guint32 first_return) {
  SassDecoder *decoder = flow->decoder;
  for (guint i = first_jump; i < decoder->jumps->len; i++) {
    const SassJump *jump = &g_array_index(decoder->jumps, SassJump, i);
    Step *step = smb_code_step(decoder->code, jump->step);
    if (!jump->returns)
      continue;
    step->target = first_return + jump->target;
    get_place(flow, step->place / SASS_BYTES)->target = jump->target;
  }
}

// The function, by its number, that an instruction is in.
static guint
find_function_of(const Flow *flow, guint32 index) {
  guint i = 0;
  while (i + 2 < flow->starts->len && g_array_index(flow->starts, guint32, i + 1) <= index)
    i++;
  return i;
}

// nvcc -G calls functions that have no body here by their addresses, too ("CALL.ABS" of __assertfail): these are
// entries, which a call of an address finds.
static gboolean
calls_missing(const SassDecoder *decoder, Step *step, guint32 address) {
  if (step->opcode != STEP_CALL_CODE || address / SASS_BYTES >= decoder->code->entries->len)
    return FALSE;
  smb_step_bind(step, STEP_CALL_ADDRESS);
  step->compute.s[0] = smb_constants_add(decoder->code->constants, address, 2);
  return TRUE;
}

// Once the step of every instruction is known: targets of branches and calls. A call also gets the register in which
// its function finds where to return to.
static gboolean
resolve_jumps(Flow *flow) {
  SassDecoder *decoder = flow->decoder;
  for (guint i = 0; i < decoder->jumps->len; i++) {
    const SassJump *jump = &g_array_index(decoder->jumps, SassJump, i);
    Step *step = smb_code_step(decoder->code, jump->step);
    guint32 index = jump->target / SASS_BYTES;
    if (jump->returns)
      continue;
    decoder->builder.place = step->place;
    if (jump->target % SASS_BYTES == 0 && index >= flow->places->len &&
        calls_missing(decoder, step, jump->target))
      continue;
    if (jump->target % SASS_BYTES || index >= flow->places->len)
      return smb_sass_refuse(decoder, "a branch to 0x%x, which is not an address of code",
                             jump->target);
    step->target = get_place(flow, index)->step;
    if (step->opcode != STEP_CALL_CODE)
      continue;
    const SassReturn *by = &g_array_index(flow->returns, SassReturn, find_function_of(flow, index));
    step->compute.s[0] = by->row;
    step->argument = by->base;
  }
  return TRUE;
}

// --- the graph

// The number of the block that an instruction begins, among those of its function; SMB_FLOW_EXIT: it is in another one.
static guint32
find_block(const GArray *blocks, const Flow *flow, guint32 index, guint32 first, guint32 end) {
  guint32 step = get_place(flow, index)->step;
  for (guint32 low = 0, high = blocks->len; index >= first && index < end && low < high;) {
    guint32 middle = low + (high - low) / 2;
    guint32 at = g_array_index(blocks, SmbFlowBlock, middle).first;
    if (at == step)
      return middle;
    if (at < step)
      low = middle + 1;
    else
      high = middle;
  }
  return SMB_FLOW_EXIT;
}

static GArray *
find_successors(const Flow *flow, const GArray *blocks, guint32 last, guint32 first, guint32 end,
                guint32 n_blocks) {
  GArray *successors = g_array_new(FALSE, FALSE, sizeof(guint32));
  const Place *place = get_place(flow, last);
  guint32 leaves = SMB_FLOW_EXIT;
  if (place->going == BRANCHES) {
    guint32 target = find_block(blocks, flow, place->target, first, end);
    g_array_append_val(successors, target);
  } else if (place->going == RETURNS) {
    guint32 target = n_blocks + place->target;
    g_array_append_val(successors, target);
  } else if (place->going == JUMPS) { // anywhere
    for (guint32 i = 0; i < n_blocks; i++)
      g_array_append_val(successors, i);
  } else if (place->going == ENDS)
    g_array_append_val(successors, leaves);
  if (place->going == GOES_ON || place->is_conditional) {
    guint32 next = last + 1 < end ? find_block(blocks, flow, last + 1, first, end) : SMB_FLOW_EXIT;
    g_array_append_val(successors, next);
  }
  return successors;
}

// Blocks of the steps from @first_step on, then one for each return.
static void
add_graph(Flow *flow, guint32 first, guint32 end, guint32 first_step, guint32 first_return) {
  Code *code = flow->decoder->code;
  CodeGraph *graph = g_new0(CodeGraph, 1);
  GArray *blocks = graph->blocks = g_array_new(FALSE, TRUE, sizeof(SmbFlowBlock));
  g_autoptr(GArray) lasts = g_array_new(FALSE, FALSE, sizeof(guint32));
  graph->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  for (guint32 i = first; i < end; i++) {
    const SmbFlowBlock block = {.first = get_place(flow, i)->step};
    if (!get_place(flow, i)->leads && i > first)
      continue;
    g_array_append_val(blocks, block);
    if (i > first) {
      guint32 last = i - 1;
      g_array_append_val(lasts, last);
    }
  }
  guint32 last = end - 1, n = blocks->len;
  g_array_append_val(lasts, last);
  for (guint32 b = 0; b < n; b++) {
    SmbFlowBlock *block = &g_array_index(blocks, SmbFlowBlock, b);
    GArray *successors =
        find_successors(flow, blocks, g_array_index(lasts, guint32, b), first, end, n);
    block->end = b + 1 < n ? g_array_index(blocks, SmbFlowBlock, b + 1).first : first_return;
    block->n_successors = successors->len;
    block->successors = (const guint32 *)(gpointer)successors->data;
    block->flow = successors->len > 1 ? SMB_FLOW_DIVERGENT : SMB_FLOW_NEXT;
    g_ptr_array_add(graph->lists, successors);
  }
  for (guint32 i = first_return; i < code->steps->len; i++) {
    const SmbFlowBlock block = {.first = i, .end = i + 1, .flow = SMB_FLOW_RETURN};
    g_array_append_val(blocks, block);
  }
  // What is ahead of the first instruction of the kernel.
  const SmbFlowBlock begin = {.first = first_step, .end = get_place(flow, first)->step};
  g_array_append_val(blocks, begin);
  g_ptr_array_add(code->graphs, graph);
}

static gboolean
decode_function(Flow *flow, guint32 first, guint32 end, guint32 first_step) {
  SassDecoder *decoder = flow->decoder;
  guint first_jump = decoder->jumps->len;
  guint32 passed = 0; // instructions that have no step yet
  g_array_set_size(decoder->returns, 0);
  for (guint32 i = first; i < end; i++) {
    SassInstruction instruction;
    guint32 address = i * SASS_BYTES;
    const SassSection *section = smb_sass_section_at(decoder, address);
    read_sass_instruction(decoder, section, address - section->base, &instruction);
    guint32 step = get_place(flow, i)->step = decoder->code->steps->len;
    smb_sass_add_timing(decoder, &instruction, section->code + (address - section->base));
    if (!smb_sass_decode(decoder, &instruction, address))
      return FALSE;
    passed++;
    if (step < decoder->code->steps->len) {
      smb_code_step(decoder->code, step)->begins = passed;
      passed = 0;
    }
    if (decoder->code->steps->len > MAX_STEPS)
      return smb_sass_refuse(decoder, "the kernel is too long: more than %u steps", MAX_STEPS);
  }
  guint32 first_return;
  add_returns(decoder, &first_return);
  resolve_returns(flow, first_jump, first_return);
  const SassReturn none = {NO_ROW, 0}, *only = (const SassReturn *)decoder->returns->data;
  g_array_append_val(flow->returns, *(decoder->returns->len == 1 ? only : &none));
  add_graph(flow, first, end, first_step, first_return);
  return TRUE;
}

// What addresses of code stand for: instructions, then functions that have no body here.
static void
add_code_entries(const Flow *flow) {
  SassDecoder *decoder = flow->decoder;
  GArray *entries = decoder->code->entries;
  for (guint32 i = 0; i < flow->places->len; i++) {
    const CodeEntry entry = {.step = get_place(flow, i)->step};
    g_array_append_val(entries, entry);
  }
  for (guint i = 0; i < decoder->missing->len; i++) {
    const char *name = g_ptr_array_index(decoder->missing, i);
    const CodeEntry entry = {.step = smb_sass_add_provided(decoder, name), .name = name};
    g_array_append_val(entries, entry);
  }
}

// --- calls

// Whether a function can be called again before it returns: then where lanes reconverge is not known well.
static gboolean
is_recursive(const Flow *flow) {
  const SassDecoder *decoder = flow->decoder;
  guint n = flow->starts->len - 1;
  g_autofree guint8 *calls = g_new0(guint8, (gsize)n * n);
  for (guint i = 0; i < decoder->jumps->len; i++) {
    const SassJump *jump = &g_array_index(decoder->jumps, SassJump, i);
    const Step *step = smb_code_step(decoder->code, jump->step);
    if (step->opcode == STEP_CALL_CODE)
      calls[find_function_of(flow, step->place / SASS_BYTES) * n +
            find_function_of(flow, jump->target / SASS_BYTES)] = TRUE;
  }
  for (guint via = 0; via < n; via++) {
    for (guint i = 0; i < n; i++) {
      for (guint j = 0; calls[i * n + via] && j < n; j++)
        calls[i * n + j] |= calls[via * n + j];
    }
  }
  for (guint i = 0; i < n; i++) {
    if (calls[i * n + i])
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_sass_decode_code(SassDecoder *decoder) {
  g_auto(Flow) flow = {.decoder = decoder,
                       .places = g_array_new(FALSE, TRUE, sizeof(Place)),
                       .starts = g_array_new(FALSE, FALSE, sizeof(guint32)),
                       .returns = g_array_new(FALSE, FALSE, sizeof(SassReturn))};
  find_sass_functions(&flow);
  if (flow.places->len == 0)
    return smb_fail(decoder->error, SMB_ERROR, SMB_ERROR_INPUT, "%s: '%s' has no code",
                    decoder->program->file, decoder->kernel->name);
  find_sass_leaders(&flow);
  smb_sass_begin(decoder);
  for (guint i = 0; i + 1 < flow.starts->len; i++) {
    guint32 first = g_array_index(flow.starts, guint32, i);
    guint32 first_step = i == 0 ? 0 : decoder->code->steps->len;
    if (!decode_function(&flow, first, g_array_index(flow.starts, guint32, i + 1), first_step))
      return FALSE;
  }
  add_code_entries(&flow);
  if (!resolve_jumps(&flow))
    return FALSE;
  if (is_recursive(&flow))
    decoder->program->irregular = "has a function that calls itself";
  return TRUE;
}
