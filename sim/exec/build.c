// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What all decoders make code with, a step after the other.
#include "sim/exec/build.h"

static void
free_graph(gpointer data) {
  CodeGraph *graph = data;
  g_array_unref(graph->blocks);
  g_ptr_array_unref(graph->lists);
  g_free(graph);
}

void
smb_code_init(Code *code) {
  static const Region regions[N_FIXED_REGIONS] = {
      [REGION_SHARED] = {.name = "shared memory", .space = SPACE_SHARED, .is_dynamic = TRUE},
      [REGION_LOCAL] = {.name = "local memory", .space = SPACE_PRIVATE},
      [REGION_PARAMETERS] = {.name = "parameter space", .space = SPACE_CONSTANT},
      [REGION_GRID] = {.name = "the barrier of the grid",
                       .space = SPACE_GLOBAL,
                       .size = CODE_GRID_BYTES,
                       .contents = {.fill = SMB_FILL_ZEROS}},
      [REGION_VARIABLES] = {.name = "constant memory", .space = SPACE_CONSTANT},
  };
  g_array_append_vals(code->program.regions, regions, N_FIXED_REGIONS);
  code->program.tracks = code->program.may_repeat = TRUE;
  code->steps = g_array_new(FALSE, TRUE, sizeof(Step));
  code->entries = g_array_new(FALSE, TRUE, sizeof(CodeEntry));
  code->aliases = g_array_new(FALSE, FALSE, sizeof(CodeAlias));
  code->constants = smb_constants_new(code->program.lanes);
  code->n_predicates = 1; // PREDICATE_TRUE
  code->presets = g_array_new(FALSE, FALSE, sizeof(Preset));
  code->launch_words = g_array_new(FALSE, FALSE, sizeof(LaunchWord));
  code->places = g_array_new(FALSE, FALSE, sizeof(ParameterPlace));
  code->transfers = g_ptr_array_new_with_free_func(g_free);
  code->bulks = g_ptr_array_new_with_free_func(g_free);
  code->samplings = g_ptr_array_new_with_free_func(g_free);
  code->products = g_ptr_array_new_with_free_func(g_free);
  code->owned = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  code->bytes = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
  code->graphs = g_ptr_array_new_with_free_func(free_graph);
}

void
smb_code_clear(Code *code) {
  g_array_unref(code->steps);
  g_array_unref(code->entries);
  g_array_unref(code->aliases);
  smb_constants_free(code->constants);
  g_array_unref(code->presets);
  g_array_unref(code->launch_words);
  g_array_unref(code->places);
  g_ptr_array_unref(code->transfers);
  g_ptr_array_unref(code->bulks);
  g_ptr_array_unref(code->samplings);
  g_ptr_array_unref(code->products);
  g_ptr_array_unref(code->owned);
  g_ptr_array_unref(code->bytes);
  g_ptr_array_unref(code->graphs);
  smb_program_clear(&code->program);
}

Row
smb_code_new_rows(Code *code, guint n) {
  Row row = code->n_rows;
  code->n_rows += n;
  return row;
}

Predicate
smb_code_new_predicate(Code *code) {
  return code->n_predicates++;
}

Transfer *
smb_code_new_transfer(Code *code) {
  Transfer *transfer = g_new0(Transfer, 1);
  g_ptr_array_add(code->transfers, transfer);
  transfer->swap = NO_ROW;
  for (guint i = 0; i < TRANSFER_COMPONENTS; i++)
    transfer->data[i] = transfer->operands[i] = NO_ROW;
  return transfer;
}

Bulk *
smb_code_new_bulk(Code *code, SmbTraffic kind, guint quantum) {
  Bulk *bulk = g_new0(Bulk, 1);
  g_ptr_array_add(code->bulks, bulk);
  bulk->kind = kind;
  bulk->quantum = quantum;
  bulk->size = bulk->blocks = NO_ROW;
  bulk->atomic = ATOMIC_EXCHANGE;
  for (guint i = 0; i < SMB_TENSOR_SPATIAL; i++)
    bulk->tensor.offsets[i] = NO_ROW;
  return bulk;
}

Product *
smb_code_new_product(Code *code) {
  Product *product = g_new0(Product, 1);
  product->left = product->right = NO_MATRIX;
  g_ptr_array_add(code->products, product);
  return product;
}

TensorStep *
smb_code_new_tensor(Code *code) {
  TensorStep *tensor = g_new0(TensorStep, 1);
  g_ptr_array_add(code->products, tensor);
  return tensor;
}

Step *
smb_code_step(Code *code, guint32 number) {
  return &g_array_index(code->steps, Step, number);
}

void
smb_code_add(Code *code, Step *step) {
  step->compute.index = code->steps->len;
  g_array_append_vals(code->steps, step, 1);
}

static void
add_written(Code *code, Step *step, Written written) {
  if (!step->writes) {
    step->writes = g_array_new(FALSE, FALSE, sizeof(Written));
    g_ptr_array_add(code->owned, step->writes);
  }
  g_array_append_val(step->writes, written);
}

void
smb_code_writes_row(Code *code, Step *step, Row row, guint n) {
  add_written(code, step, (Written){.row = row, .n = n});
}

void
smb_code_writes_predicate(Code *code, Step *step, Predicate predicate) {
  add_written(code, step, (Written){.predicate = predicate});
}

// Loads and atomics of memory that other threads change meanwhile.
static StepOpcode
choose_opcode(const Step *step, gboolean has_arrivals) {
  const Transfer *transfer = step->transfer;
  if (step->opcode == STEP_ATOMIC)
    return smb_transfer_has_result(transfer) ? STEP_POLL_ATOMIC : STEP_ATOMIC;
  if (step->opcode != STEP_LOAD)
    return step->opcode;
  if (transfer->order != ORDER_WEAK)
    return STEP_POLL;
  return has_arrivals && transfer->window == WINDOW_SHARED &&
                 transfer->move.width == sizeof(guint32)
             ? STEP_TEST_ARRIVALS
             : STEP_LOAD;
}

// Whether what a request finds and leaves is the same in any order of threads, unless these race.
static gboolean
is_in_order(const Step *step) {
  return step->opcode == STEP_ATOMIC ? smb_atomic_is_commutative(&step->transfer->move)
                                     : step->transfer->order == ORDER_WEAK;
}

gboolean
smb_code_has(const Code *code, StepOpcode opcode) {
  for (guint i = 0; i < code->steps->len; i++) {
    if (g_array_index(code->steps, Step, i).opcode == opcode)
      return TRUE;
  }
  return FALSE;
}

// Runs of steps that only compute.
static void
count_computing(Code *code) {
  guint n = 0;
  for (guint i = code->steps->len; i-- > 0;) {
    Step *step = smb_code_step(code, i);
    gboolean computes = step->opcode == STEP_COMPUTE && step->guard == PREDICATE_TRUE &&
                        !(step->flags & STEP_COPIES);
    n = computes ? MIN(n + 1, G_MAXUINT16) : 0;
    step->n_computing = (guint16)n;
  }
}

// Whether copies are of boxes of tensors; @stores: those out of shared memory alone
static gboolean
has_box_copies(const Code *code, gboolean stores) {
  for (guint i = 0; i < code->steps->len; i++) {
    const Bulk *bulk = g_array_index(code->steps, Step, i).bulk;
    if (bulk && bulk->tensor.rank > 0 && !(stores && bulk->to))
      return TRUE;
  }
  return FALSE;
}

// Whether copies, or arrivals, name other blocks of the cluster by a mask, or the other one of a pair.
static gboolean
names_blocks(Code *code) {
  for (guint i = 0; i < code->steps->len; i++) {
    const Bulk *bulk = smb_code_step(code, i)->bulk;
    if (bulk && (bulk->blocks != NO_ROW || bulk->is_paired))
      return TRUE;
  }
  return FALSE;
}

static void
mark_tensor_maps(Code *code) {
  for (guint i = 0; i < code->places->len; i++) {
    const ParameterPlace *place = &g_array_index(code->places, ParameterPlace, i);
    g_array_index(code->program.parameters, SmbParameter, i).is_tensor_map =
        place->bytes == SMB_TENSOR_MAP_BYTES;
  }
}

void
smb_code_finish(Code *code) {
  if (has_box_copies(code, FALSE))
    mark_tensor_maps(code);
  code->program.meets_cluster = code->maps_cluster || smb_code_has(code, STEP_CLUSTER_ARRIVE) ||
                                smb_code_has(code, STEP_CLUSTER_WAIT) || names_blocks(code);
  code->program.asks = smb_code_has(code, STEP_SERVICE);
  code->has_operands = smb_code_has(code, STEP_GROUP_PRODUCT) ||
                       smb_code_has(code, STEP_TENSOR_PRODUCT) || has_box_copies(code, TRUE);
  gboolean has_arrivals = smb_code_has(code, STEP_ARRIVE);
  for (guint i = 0; i < code->steps->len; i++) {
    Step *step = smb_code_step(code, i);
    const Transfer *transfer = step->transfer;
    if (step->kind != KIND_TRANSFER)
      continue;
    smb_step_bind(step, choose_opcode(step, has_arrivals));
    if (transfer->window != WINDOW_SHARED || transfer->is_cluster)
      continue;
    g_array_index(code->program.sites, SmbSite, transfer->move.site).is_shared = TRUE;
    if (transfer->address_rows <= 1 && is_in_order(step))
      step->flags |= STEP_DIRECT;
  }
  if (code->has_operands)
    smb_copied_mark(code);
  count_computing(code);
  code->program.polls = smb_code_has(code, STEP_POLL) || smb_code_has(code, STEP_POLL_ATOMIC);
}

void
smb_code_add_heap(Code *code) {
  Region heap = {.name = "the heap", .space = SPACE_GLOBAL, .size = SMB_ENDLESS_BYTES};
  if (code->heap)
    return;
  heap.contents.fill = SMB_FILL_UNKNOWN;
  g_array_append_val(code->program.regions, heap);
  code->heap = code->program.regions->len - 1;
}

void
smb_code_add_parameter(Code *code, const char *name, const char *type, ParameterPlace place,
                       gboolean is_pointer) {
  const SmbParameter parameter = {.name = name,
                                  .type = type,
                                  .is_pointer = is_pointer,
                                  .may_be_value = is_pointer,
                                  .stored_bytes = place.bytes,
                                  .is_unnamed = TRUE,
                                  .element = SMB_SCALAR_U8,
                                  .element_bytes = 1};
  g_array_append_val(code->program.parameters, parameter);
  g_array_append_val(code->places, place);
  code->parameter_bytes = MAX(code->parameter_bytes, place.offset + place.bytes);
}

// --- steps of an instruction

Step
smb_build_step(const Builder *builder, StepOpcode opcode) {
  Step step = {.place = builder->place, .guard = builder->guard, .unless = builder->unless};
  smb_step_bind(&step, opcode);
  return step;
}

void
smb_build_plain(const Builder *builder, StepOpcode opcode, guint32 argument) {
  Step step = smb_build_step(builder, opcode);
  step.argument = argument;
  smb_code_add(builder->code, &step);
}

void
smb_build_with(const Builder *builder, StepOpcode opcode, Row row, guint32 argument) {
  Step step = smb_build_step(builder, opcode);
  step.argument = argument;
  step.compute.s[0] = row;
  smb_code_add(builder->code, &step);
}

void
smb_build_branch(const Builder *builder, StepOpcode opcode, guint32 target) {
  Step step = smb_build_step(builder, opcode);
  step.target = target;
  smb_code_add(builder->code, &step);
}

void
smb_build_compute(const Builder *builder, const Compute *compute, gboolean is_among, Row members) {
  Step step = smb_build_step(builder, STEP_COMPUTE);
  step.compute = *compute;
  smb_compute_prepare(&step.compute);
  if (is_among && smb_compute_has_members(&step.compute)) {
    smb_step_bind(&step, STEP_EXCHANGE);
    step.argument = members;
  }
  smb_code_add(builder->code, &step);
}

// --- requests

static void
set_move(const Builder *builder, Transfer *transfer, SmbOpClass op_class, SmbOp op, guint width) {
  Move *move = &transfer->move;
  move->place = builder->place;
  move->site = builder->add_site ? builder->add_site(builder->decoder, op_class, width) : 0;
  move->op_class = op_class;
  move->op = op;
  move->width = width;
  move->align = width & -width;
  move->kind = SMB_SCALAR_U32;
  move->components = 1;
  move->reads = op_class != SMB_OP_CLASS_STORE;
}

static void
add_transfer(const Builder *builder, Step *step, const Transfer *transfer) {
  step->transfer = transfer;
  for (guint c = 0; c < transfer->n_components; c++) {
    if (transfer->move.op_class != SMB_OP_CLASS_STORE && transfer->data[c] != NO_ROW)
      smb_code_writes_row(builder->code, step, transfer->data[c], transfer->rows);
  }
  smb_code_add(builder->code, step);
}

Sampling *
smb_build_sampling(const Builder *builder, SamplingKind kind) {
  Sampling *sampling = g_new0(Sampling, 1);
  g_ptr_array_add(builder->code->samplings, sampling);
  sampling->kind = kind;
  sampling->handle = sampling->layer = sampling->level = NO_ROW;
  for (guint i = 0; i < G_N_ELEMENTS(sampling->coordinates); i++)
    sampling->coordinates[i] = sampling->gradients[i][0] = sampling->gradients[i][1] = NO_ROW;
  for (guint i = 0; i < G_N_ELEMENTS(sampling->data); i++)
    sampling->data[i] = NO_ROW;
  sampling->resident = sampling->missing = PREDICATE_TRUE;
  return sampling;
}

void
smb_build_sample(const Builder *builder, const Sampling *sampling) {
  gboolean is_surface = sampling->kind == SAMPLING_LOAD || sampling->kind == SAMPLING_STORE;
  Step step = smb_build_step(builder, is_surface ? STEP_SURFACE : STEP_SAMPLE);
  step.sampling = sampling;
  step.argument = sampling->kind == SAMPLING_STORE ? OPAQUE_GLOBAL : 0;
  for (guint i = 0; sampling->kind != SAMPLING_STORE && i < G_N_ELEMENTS(sampling->data); i++)
    if (sampling->data[i] != NO_ROW)
      smb_code_writes_row(builder->code, &step, sampling->data[i], 1);
  if (sampling->resident != PREDICATE_TRUE)
    smb_code_writes_predicate(builder->code, &step, sampling->resident);
  if (sampling->missing != PREDICATE_TRUE)
    smb_code_writes_predicate(builder->code, &step, sampling->missing);
  smb_code_add(builder->code, &step);
}

void
smb_build_product(const Builder *builder, Product *product, guint chip) {
  gboolean is_grouped = product->right != NO_MATRIX;
  Step step = smb_build_step(builder, is_grouped ? STEP_GROUP_PRODUCT : STEP_PRODUCT);
  guint n = smb_product_registers_of_sum(&product->form);
  smb_product_rule(&product->form, chip);
  if (smb_product_is_assumed(&product->form))
    builder->code->program.assumed = "mma (numbers of 4 and 6 bits, scales)";
  step.product = product;
  for (guint i = 0; i < n; i++)
    smb_code_writes_row(builder->code, &step, product->d[i], 1);
  smb_code_add(builder->code, &step);
}

Row
smb_build_tensor_allocate(const Builder *builder, Row columns, guint blocks) {
  Step step = smb_build_step(builder, STEP_TENSOR_ALLOCATE);
  step.argument = blocks;
  step.compute.s[0] = columns;
  step.compute.d = smb_code_new_rows(builder->code, 1);
  smb_code_writes_row(builder->code, &step, step.compute.d, 1);
  smb_code_add(builder->code, &step);
  return step.compute.d;
}

void
smb_build_tensor_free(const Builder *builder, Row address, Row columns, const Transfer *site) {
  Step step = smb_build_step(builder, STEP_TENSOR_FREE);
  step.transfer = site;
  step.compute.s[0] = address;
  step.compute.s[1] = columns;
  smb_code_add(builder->code, &step);
}

static void
add_tensor_step(const Builder *builder, StepOpcode opcode, const TensorStep *tensor,
                const Transfer *site, guint32 argument) {
  Step step = smb_build_step(builder, opcode);
  step.argument = argument;
  step.tensor = tensor;
  step.transfer = site;
  for (guint i = 0; opcode == STEP_TENSOR_LOAD && i < tensor->move.n; i++)
    smb_code_writes_row(builder->code, &step, tensor->move.data[i], 1);
  smb_code_add(builder->code, &step);
}

void
smb_build_tensor(const Builder *builder, StepOpcode opcode, const TensorStep *tensor,
                 const Transfer *site) {
  add_tensor_step(builder, opcode, tensor, site, TENSOR_OF_LANES);
}

void
smb_build_tensor_of_warp(const Builder *builder, StepOpcode opcode, const TensorStep *tensor,
                         const Transfer *site) {
  add_tensor_step(builder, opcode, tensor, site, TENSOR_OF_WARP);
}

void
smb_build_shuffle(const Builder *builder) {
  Step step = smb_build_step(builder, STEP_SHUFFLE);
  Transfer *transfer = smb_code_new_transfer(builder->code);
  set_move(builder, transfer, SMB_OP_CLASS_LOAD, SMB_OP_LD, 4);
  step.transfer = transfer;
  smb_code_add(builder->code, &step);
}

void
smb_build_access(const Builder *builder, Transfer *transfer, gboolean loads, gboolean is_generic) {
  Step step = smb_build_step(builder, loads ? STEP_LOAD : STEP_STORE);
  set_move(builder, transfer, loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
           loads        ? is_generic ? SMB_OP_LD_GENERIC : SMB_OP_LD
           : is_generic ? SMB_OP_ST_GENERIC
                        : SMB_OP_ST,
           transfer->bytes * transfer->n_components);
  add_transfer(builder, &step, transfer);
}

void
smb_build_atomic(const Builder *builder, Transfer *transfer, const AtomicAccess *access) {
  Step step = smb_build_step(builder, access->is_cast ? STEP_CAST : STEP_ATOMIC);
  set_move(builder, transfer, SMB_OP_CLASS_ATOMIC, SMB_OP_ATOM, access->width);
  transfer->move.atomic = access->atomic;
  transfer->move.kind = access->kind;
  transfer->move.components = access->width / (guint)smb_scalar_bytes(access->kind);
  transfer->move.reads = access->is_used || access->atomic != ATOMIC_EXCHANGE;
  if (access->is_cast) {
    step.compute.d = access->done;
    step.compute.p = access->done_p;
    if (access->done != NO_ROW)
      smb_code_writes_row(builder->code, &step, access->done, 1);
    if (access->done_p != PREDICATE_TRUE)
      smb_code_writes_predicate(builder->code, &step, access->done_p);
  }
  add_transfer(builder, &step, transfer);
}

void
smb_build_matrix(const Builder *builder, Transfer *transfer, gboolean loads, guint n,
                 guint values) {
  static const SmbOp ops[][2] = {[1] = {SMB_OP_STMATRIX_X1, SMB_OP_LDMATRIX_X1},
                                 [2] = {SMB_OP_STMATRIX_X2, SMB_OP_LDMATRIX_X2},
                                 [4] = {SMB_OP_STMATRIX_X4, SMB_OP_LDMATRIX_X4}};
  Step step = smb_build_step(builder, loads ? STEP_LOAD_MATRIX : STEP_STORE_MATRIX);
  set_move(builder, transfer, loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE, ops[n][loads],
           SMB_MAX_WIDTH);
  step.argument = values;
  if (values > MATRIX_TRANSPOSED)
    builder->code->program.assumed = "ldmatrix and stmatrix (numbers of 8 bits and fewer)";
  add_transfer(builder, &step, transfer);
}

void
smb_build_copy(const Builder *builder, Transfer *to, Transfer *from, guint width,
               gboolean is_past_cache) {
  Step step = smb_build_step(builder, STEP_COPY);
  set_move(builder, to, SMB_OP_CLASS_STORE, is_past_cache ? SMB_OP_CP_ASYNC_CG : SMB_OP_CP_ASYNC_CA,
           width);
  set_move(builder, from, SMB_OP_CLASS_LOAD, SMB_OP_LD, width);
  step.transfer = to;
  step.source = from;
  smb_code_add(builder->code, &step);
}

// --- shared memory apart from requests

enum {
  MBARRIER_BYTES = 8
};

Transfer *
smb_build_apart(const Builder *builder, SmbOpClass op_class, guint width) {
  Transfer *transfer = smb_code_new_transfer(builder->code);
  set_move(builder, transfer, op_class, SMB_OP_LD, width);
  return transfer;
}

Transfer *
smb_build_end(const Builder *builder, const Transfer *site, SmbOpClass op_class) {
  Transfer *transfer = smb_code_new_transfer(builder->code);
  transfer->move = site->move;
  transfer->move.op_class = op_class;
  transfer->move.reads = op_class == SMB_OP_CLASS_LOAD;
  if (op_class == SMB_OP_CLASS_ATOMIC)
    transfer->move.width = transfer->move.align = MBARRIER_BYTES;
  return transfer;
}

Step
smb_build_bulk(const Builder *builder, StepOpcode opcode, const Transfer *site, const Bulk *bulk) {
  Step step = smb_build_step(builder, opcode);
  step.transfer = site;
  step.bulk = bulk;
  step.compute.d = step.compute.s[0] = step.compute.s[1] = NO_ROW;
  return step;
}

void
smb_build_mbarrier(const Builder *builder, StepOpcode opcode, Transfer *at, guint action,
                   Row number, Row phase, Row state) {
  Step step = smb_build_bulk(builder, opcode, at, NULL);
  set_move(builder, at, SMB_OP_CLASS_ATOMIC, SMB_OP_LD, MBARRIER_BYTES);
  step.argument = action;
  step.compute.s[0] = number;
  step.compute.s[1] = phase;
  step.compute.d = state;
  if (state != NO_ROW)
    smb_code_writes_row(builder->code, &step, state, 2);
  smb_code_add(builder->code, &step);
}

void
smb_build_mbarrier_each(const Builder *builder, Transfer *at, guint action, Row blocks) {
  Bulk *bulk = smb_code_new_bulk(builder->code, SMB_TRAFFIC_BARRIER, MBARRIER_BYTES);
  bulk->blocks = blocks;
  Step step = smb_build_bulk(builder, STEP_MBARRIER_EACH, at, bulk);
  set_move(builder, at, SMB_OP_CLASS_ATOMIC, SMB_OP_LD, MBARRIER_BYTES);
  step.argument = action;
  smb_code_add(builder->code, &step);
}

void
smb_build_mbarrier_wait(const Builder *builder, Transfer *at, guint how, Row phase, Predicate p) {
  Step step = smb_build_bulk(builder, STEP_MBARRIER_WAIT, at, NULL);
  set_move(builder, at, SMB_OP_CLASS_LOAD, SMB_OP_LD, MBARRIER_BYTES);
  step.argument = how;
  step.compute.s[0] = phase;
  step.compute.p = p;
  smb_code_writes_predicate(builder->code, &step, p);
  smb_code_add(builder->code, &step);
}

// --- where threads meet

void
smb_build_barrier(const Builder *builder, const ThreadBarrier *barrier) {
  Step step = smb_build_step(builder, STEP_BARRIER);
  step.argument = barrier->action;
  step.compute.s[0] = barrier->number;
  step.compute.s[1] = barrier->threads;
  step.compute.in[0] = barrier->in;
  step.compute.modifiers = barrier->is_negated ? MODIFIER_NOT_IN : 0;
  step.compute.d = barrier->d;
  step.compute.p = barrier->p;
  smb_code_add(builder->code, &step);
}
