// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/mini-front.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/machine/machine.h"

typedef struct {
  SmbProgram program;
  const MiniOperation *operations; // static
  GArray *sites;                   // guint by operation: its site, if it has one
  GArray *places;                  // guint32 by operation: its line in the listing, or its number
} Mini;

// One warp's registers and the place of each lane.
typedef struct {
  gint32 registers[MINI_REGISTERS][SMB_MAX_LANES];
  SmbLanes unknown[MINI_REGISTERS];
  guint at[SMB_MAX_LANES];
  SmbLanes live;
} Warp;

typedef struct {
  SmbBlock *block;
  const Mini *mini;
  gint32 argument;
  Warp warps[SMB_MAX_WARPS];
} State;

static gboolean
recognize_nothing(G_GNUC_UNUSED SmbSource *source) {
  return FALSE;
}

static SmbProgram *
read_nothing(G_GNUC_UNUSED SmbSource *source, G_GNUC_UNUSED const SmbProgramOptions *options,
             GError **error) {
  g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "operations have no text to be read from");
  return NULL;
}

static void
free_mini(SmbProgram *program) {
  Mini *mini = (Mini *)program;
  g_array_unref(mini->sites);
  g_array_unref(mini->places);
  smb_program_clear(program);
  g_free(mini);
}

static gboolean
parse_argument(const SmbProgram *program, const char *const *arguments, gint32 *value,
               GError **error) {
  const char *text = smb_argument_find(arguments, program, 1);
  gint64 number = 0;
  if (text && !g_ascii_string_to_signed(text, 10, G_MININT32, G_MAXINT32, &number, error))
    return FALSE;
  *value = (gint32)number;
  return TRUE;
}

static gpointer
new_state(SmbBlock *block, const SmbLaunch *launch, GError **error) {
  State *state = g_new0(State, 1);
  state->block = block;
  state->mini = (const Mini *)block->program;
  if (parse_argument(block->program, launch->arguments, &state->argument, error))
    return state;
  g_free(state);
  return NULL;
}

static guint32
find_place(const State *state, guint at) {
  return g_array_index(state->mini->places, guint32, at);
}

// Takes the lanes whose addresses are not known from @lanes.
static gboolean
leave_out(State *state, guint w, guint at, SmbLanes *lanes) {
  const MiniOperation *operation = &state->mini->operations[at];
  SmbLanes unknown = *lanes & state->warps[w].unknown[operation->a];
  *lanes &= ~unknown;
  return !unknown || smb_block_unknown(state->block, g_array_index(state->mini->sites, guint, at),
                                       w, unknown, "the address is not known");
}

static gboolean
access_memory(State *state, guint w, guint at, SmbLanes lanes) {
  const MiniOperation *operation = &state->mini->operations[at];
  Warp *warp = &state->warps[w];
  if (!leave_out(state, w, at, &lanes))
    return FALSE;
  if (!lanes)
    return TRUE;
  guint64 base = operation->b >= MINI_BUFFER
                     ? smb_block_buffer(state->block, operation->b - MINI_BUFFER)
                     : make_pointer(operation->b, 0);
  guint64 addresses[SMB_MAX_LANES];
  for (guint lane = 0; lane < state->block->lanes; lane++)
    addresses[lane] = base + (guint64)(gint64)warp->registers[operation->a][lane];
  gboolean loads = operation->code == MINI_LOAD, adds = operation->code == MINI_ADD;
  Move move = {.place = find_place(state, at),
               .site = g_array_index(state->mini->sites, guint, at),
               .kind = SMB_SCALAR_I32,
               .components = 1,
               .width = 4,
               .align = 4,
               .atomic = ATOMIC_ADD};
  move.op_class = loads ? SMB_OP_CLASS_LOAD : adds ? SMB_OP_CLASS_ATOMIC : SMB_OP_CLASS_STORE;
  move.op = loads  ? SMB_OP_LD
            : adds ? smb_atomic_op(state->block->arch, ATOMIC_ADD, SMB_SCALAR_I32, FALSE)
                   : SMB_OP_ST;
  move.reads = move.op_class != SMB_OP_CLASS_STORE;
  gint32 *values = warp->registers[operation->d], before[SMB_MAX_LANES];
  if (loads)
    return smb_memory_load(state->block, &move, w, lanes, addresses, values, 0);
  if (adds)
    return smb_memory_atomic(state->block, &move, w, lanes, addresses, values, NULL, before);
  return smb_memory_store(state->block, &move, w, lanes, addresses, values, 0);
}

// What an operation without memory gives all lanes of the warp.
static void
compute(const State *state, guint w, const MiniOperation *operation, gint32 *out) {
  const Warp *warp = &state->warps[w];
  const gint32 *a = warp->registers[operation->a % MINI_REGISTERS];
  const gint32 *b = warp->registers[operation->b % MINI_REGISTERS];
  const gint32 *c = warp->registers[operation->c % MINI_REGISTERS];
  guint n = state->block->lanes;
  if (operation->code == MINI_THREAD)
    memcpy(out, state->block->thread[operation->a] + w * n, n * sizeof *out);
  for (guint i = 0; operation->code != MINI_THREAD && i < n; i++) {
    guint32 sum = (guint32)a[i] * (guint32)b[i] + (guint32)c[i];
    out[i] = operation->code == MINI_SET    ? (gint32)operation->a
             : operation->code == MINI_ARG  ? state->argument
             : operation->code == MINI_LESS ? a[i] < b[i]
                                            : (gint32)sum;
  }
}

// The lanes in which the result of a computation is not known.
static SmbLanes
find_unknown(const Warp *warp, const MiniOperation *operation) {
  if (operation->code != MINI_MAD && operation->code != MINI_LESS)
    return 0;
  return warp->unknown[operation->a] | warp->unknown[operation->b] |
         (operation->code == MINI_MAD ? warp->unknown[operation->c] : 0);
}

// Takes the lanes that are farthest behind through their operation.
static gboolean
step(State *state, guint w, guint at, SmbLanes lanes) {
  const MiniOperation *operation = &state->mini->operations[at];
  Warp *warp = &state->warps[w];
  gint32 out[SMB_MAX_LANES];
  if (!smb_block_step(state->block, find_place(state, at)))
    return FALSE;
  FOR_LANES(lanes, lane) {
    warp->at[lane] = at + 1;
  }
  switch (operation->code) {
  case MINI_END:
    warp->live &= ~lanes;
    state->block->exited.warp[w] |= lanes;
    return TRUE;
  case MINI_SKIP:
    FOR_LANES(lanes, lane) {
      warp->at[lane] = warp->registers[operation->a][lane] ? at + 1 : operation->b;
    }
    return TRUE;
  case MINI_LOAD:
  case MINI_STORE:
  case MINI_ADD:
    return access_memory(state, w, at, lanes);
  case MINI_UNKNOWN:
    FOR_LANES(lanes, lane) {
      SmbLanes known = !!warp->registers[operation->a][lane];
      warp->registers[operation->d][lane] = warp->registers[operation->b][lane];
      warp->unknown[operation->d] |= (known ^ 1) << lane;
    }
    return TRUE;
  case MINI_BARRIER:
    g_assert_not_reached();
  case MINI_THREAD:
  case MINI_SET:
  case MINI_ARG:
  case MINI_MAD:
  case MINI_LESS:
    compute(state, w, operation, out);
    warp->unknown[operation->d] =
        (warp->unknown[operation->d] & ~lanes) | (find_unknown(warp, operation) & lanes);
    FOR_LANES(lanes, lane) {
      warp->registers[operation->d][lane] = out[lane];
    }
    return TRUE;
  }
  g_assert_not_reached();
}

// Runs a warp until each lane has ended or waits at a barrier.
static gboolean
run_warp(State *state, guint w) {
  Warp *warp = &state->warps[w];
  for (;;) {
    guint first = G_MAXUINT;
    SmbLanes lanes = 0;
    FOR_LANES(warp->live, lane) {
      if (state->mini->operations[warp->at[lane]].code == MINI_BARRIER || warp->at[lane] > first)
        continue;
      lanes = warp->at[lane] < first ? (SmbLanes)1 << lane : lanes | (SmbLanes)1 << lane;
      first = warp->at[lane];
    }
    if (!lanes)
      return TRUE;
    if (!step(state, w, first, lanes))
      return FALSE;
  }
}

// All that are at the first barrier of any lane go on behind it.
static gboolean
pass_barrier(State *state, gboolean *any) {
  Mask arrived = {{0}};
  guint at = G_MAXUINT;
  for (guint w = 0; w < state->block->n_warps; w++) {
    FOR_LANES(state->warps[w].live, lane) {
      at = MIN(at, state->warps[w].at[lane]);
    }
  }
  *any = at != G_MAXUINT;
  for (guint w = 0; w < state->block->n_warps; w++) {
    FOR_LANES(state->warps[w].live, lane) {
      if (state->warps[w].at[lane] != at)
        continue;
      arrived.warp[w] |= (SmbLanes)1 << lane;
      state->warps[w].at[lane]++;
    }
  }
  return !*any || smb_block_barrier(state->block, find_place(state, at), "the barrier", &arrived);
}

static gboolean
run(gpointer data) {
  State *state = data;
  memset(state->warps, 0, sizeof state->warps);
  for (guint w = 0; w < state->block->n_warps; w++)
    state->warps[w].live = state->block->launched.warp[w];
  for (gboolean any = TRUE; any;) {
    for (guint w = 0; w < state->block->n_warps; w++) {
      if (!run_warp(state, w))
        return FALSE;
    }
    if (!pass_barrier(state, &any))
      return FALSE;
  }
  return TRUE;
}

static GBytes *
make_argument(const SmbProgram *program, G_GNUC_UNUSED guint parameter,
              const char *const *arguments, GError **error) {
  gint32 value;
  return parse_argument(program, arguments, &value, error) ? g_bytes_new(&value, sizeof value)
                                                           : NULL;
}

static const SmbFrontEnd mini_front_end = {
    .level = "mini",
    .steps = "operations",
    .recognizes = recognize_nothing,
    .read = read_nothing,
    .free = free_mini,
    .state_new = new_state,
    .state_free = g_free,
    .run = run,
    .argument = make_argument,
};

static void
add_region(Mini *mini, const char *name, gsize base, gsize bytes, guint line) {
  Region region = {.name = name, .space = SPACE_SHARED, .base = base, .size = bytes};
  SmbArray array = {.name = name,
                    .element = "int",
                    .element_bytes = 4,
                    .n_dimensions = 1,
                    .dimension = {bytes / 4},
                    .base = (guint32)base,
                    .bytes = bytes,
                    .line = line,
                    .column = line ? 1 : 0};
  g_array_append_val(mini->program.regions, region);
  g_array_append_val(mini->program.arrays, array);
}

// The byte of a listing at which a line begins, from 0.
static guint32
find_line(const SmbSource *listing, guint line) {
  const char *text = smb_source_text(listing), *at = text;
  for (; line > 0; line--)
    at = strchr(at, '\n') + 1;
  return (guint32)(at - text);
}

static void
add_operation(Mini *mini, guint at, const SmbSource *listing) {
  const MiniOperation *operation = &mini->operations[at];
  guint32 place = listing ? find_line(listing, at) : at;
  g_array_append_val(mini->sites, mini->program.sites->len);
  g_array_append_val(mini->places, place);
  if (!operation->text)
    return;
  SmbSite site = {.offset = place, .expression = operation->text, .width = 4};
  site.op_class = operation->code == MINI_LOAD    ? SMB_OP_CLASS_LOAD
                  : operation->code == MINI_STORE ? SMB_OP_CLASS_STORE
                                                  : SMB_OP_CLASS_ATOMIC;
  site.opcode = operation->opcode;
  site.pc = !operation->opcode ? 0 : listing ? at + 1 : at * 16;
  if (listing)
    smb_source_locate(listing, place, &site.line, &site.column);
  if (operation->n_frames > 0) {
    site.file = operation->frames[0].file;
    site.line = operation->frames[0].line;
    site.frames = operation->frames + 1;
    site.n_frames = operation->n_frames - 1;
  }
  g_array_append_val(mini->program.sites, site);
}

SmbProgram *
mini_program_new(const MiniOperation *operations, gsize tile_bytes, gsize rest_bytes,
                 SmbSource *listing, guint lanes, SmbFrames frames) {
  const SmbProgramOptions options = {.cuda_arch = 900, .lanes = lanes, .frames = frames};
  static const SmbParameter parameters[] = {
      {.name = "out",
       .type = "int *",
       .is_pointer = TRUE,
       .element = SMB_SCALAR_I32,
       .element_bytes = 4},
      {.name = "n", .type = "int"},
  };
  Mini *mini = g_new0(Mini, 1);
  smb_program_init(&mini->program, &mini_front_end, listing,
                   listing ? smb_source_name(listing) : "mini.bin", &options);
  mini->program.name = "mini";
  mini->operations = operations;
  mini->sites = g_array_new(FALSE, FALSE, sizeof(guint));
  mini->places = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_array_append_vals(mini->program.parameters, parameters, G_N_ELEMENTS(parameters));
  add_region(mini, "tile", 0, tile_bytes, listing != NULL);
  add_region(mini, "rest", tile_bytes, rest_bytes, listing != NULL);
  mini->program.static_shared = mini->program.dynamic_start = tile_bytes + rest_bytes;
  guint at = 0;
  do
    add_operation(mini, at, listing);
  while (operations[at++].code != MINI_END);
  smb_program_choose_frames(&mini->program);
  return &mini->program;
}
