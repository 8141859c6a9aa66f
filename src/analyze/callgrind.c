// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze in the format of Callgrind (Valgrind manual, "Callgrind Format Specification"), which callgrind_annotate and KCachegrind
// open: the counts of each line of the source, of machine code of each instruction. The debug information of an instruction says where it
// was inlined, not the names of the functions: a function that was inlined is called after the place of the call. Of a text that was
// compiled, the compiled code is what is counted.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "src/analysis/row.h"
#include "src/analyze/report.h"

enum {
  WAVEFRONTS,
  IDEAL,
  EXCESS,
  REQUESTS,
  SEGMENTS,
  N_EVENTS
};

typedef struct {
  guint64 of[N_EVENTS];
} Costs;

// A function: the kernel, or what was inlined at a place.
typedef struct {
  char *file;
  char *name;
  GPtrArray *lines; // of itself: Line
  GPtrArray *calls; // of others: Call
} Function;

// What an instruction or a line costs.
typedef struct {
  const SmbSite *site;
  Costs costs;
} Line;

// What one place calls, inlined, and what that costs.
typedef struct {
  Function *to;
  guint from_line, to_line;
  guint32 from_pc;
  guint64 count;
  Costs costs;
} Call;

typedef struct {
  const SmbProgram *program;
  gboolean has_pc;
  GPtrArray *functions;
  Costs total;
} Profile;

static void
free_callgrind_function(gpointer data) {
  Function *function = data;
  g_free(function->file);
  g_free(function->name);
  g_ptr_array_unref(function->lines);
  g_ptr_array_unref(function->calls);
  g_free(function);
}

static void
add_callgrind_costs(Costs *to, const Costs *more) {
  for (guint e = 0; e < N_EVENTS; e++)
    to->of[e] += more->of[e];
}

// The function of that name whose text is in @file; @name: (transfer full).
static Function *
get_routine(const Profile *profile, const char *file, char *name) {
  for (guint i = 0; i < profile->functions->len; i++) {
    Function *function = profile->functions->pdata[i];
    if (strcmp(function->file, file) == 0 && strcmp(function->name, name) == 0) {
      g_free(name);
      return function;
    }
  }
  Function *function = g_new(Function, 1);
  *function = (Function){g_strdup(file), name, g_ptr_array_new_with_free_func(g_free),
                         g_ptr_array_new_with_free_func(g_free)};
  g_ptr_array_add(profile->functions, function);
  return function;
}

static void
add_callgrind_call(Function *from, Function *to, const SmbFrame *frame, const SmbSite *site,
                   guint to_line, const Costs *costs) {
  Call *call = NULL;
  for (guint i = 0; i < from->calls->len && !call; i++) {
    Call *other = from->calls->pdata[i];
    if (other->to == to && other->from_line == frame->line)
      call = other;
  }
  if (!call) {
    call = g_new0(Call, 1);
    *call = (Call){to, frame->line, to_line, site->pc, 0, {{0}}};
    g_ptr_array_add(from->calls, call);
  }
  call->count += costs->of[REQUESTS];
  add_callgrind_costs(&call->costs, costs);
}

// Adds what @site costs to its function, and to the calls through which it was inlined.
static void
add_callgrind_site(Profile *profile, const SmbSite *site, const Costs *costs) {
  const char *file = site->file ? site->file : smb_program_file(profile->program);
  Function *function = NULL;
  guint line = site->line;
  for (guint i = 0; i <= site->n_frames; i++) {
    const SmbFrame *frame = i < site->n_frames ? &site->frames[i] : NULL;
    g_autofree char *base = frame ? g_path_get_basename(frame->file) : NULL;
    Function *outer = get_routine(profile, i == 0 ? file : site->frames[i - 1].file,
                                  frame ? g_strdup_printf("inlined at %s:%u", base, frame->line)
                                        : g_strdup(smb_program_name(profile->program)));
    if (function)
      add_callgrind_call(outer, function, &site->frames[i - 1], site, line, costs);
    else
      g_ptr_array_add(outer->lines, g_memdup2(&(Line){site, *costs}, sizeof(Line)));
    line = i == 0 ? site->line : site->frames[i - 1].line;
    function = outer;
  }
  add_callgrind_costs(&profile->total, costs);
}

static Profile
make_profile(const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = smb_analyze_judged(report);
  const SmbProgram *program = smb_analyze_judged_target(report)->kernel;
  Profile profile = {.program = program,
                     .has_pc = smb_program_is_machine_code(program),
                     .functions = g_ptr_array_new_with_free_func(free_callgrind_function)};
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    const SmbTally *total = &access->total;
    const Costs costs = {{total->wavefronts, total->ideal, total->excess, total->requests, 0}};
    add_callgrind_site(&profile, access->site, &costs);
  }
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    const Costs costs = {{[SEGMENTS] = access->segments}};
    add_callgrind_site(&profile, access->site, &costs);
  }
  return profile;
}

static void
write_costs(const Profile *profile, SmbSpool *out, guint32 pc, guint line, const Costs *costs) {
  if (profile->has_pc)
    smb_spool_printf(out, "0x%x ", pc);
  smb_spool_printf(out, "%u", line);
  for (guint e = 0; e < N_EVENTS; e++)
    smb_spool_printf(out, " %" G_GUINT64_FORMAT, costs->of[e]);
  smb_spool_puts(out, "\n");
}

static void
write_function(const Profile *profile, SmbSpool *out, const Function *function) {
  smb_spool_printf(out, "\nfl=%s\nfn=%s\n", function->file, function->name);
  for (guint i = 0; i < function->lines->len; i++) {
    const Line *line = function->lines->pdata[i];
    write_costs(profile, out, line->site->pc, line->site->line, &line->costs);
  }
  for (guint i = 0; i < function->calls->len; i++) {
    const Call *call = function->calls->pdata[i];
    smb_spool_printf(out, "cfi=%s\ncfn=%s\ncalls=%" G_GUINT64_FORMAT, call->to->file,
                     call->to->name, call->count);
    if (profile->has_pc)
      smb_spool_printf(out, " 0x%x", call->from_pc);
    smb_spool_printf(out, " %u\n", call->to_line);
    write_costs(profile, out, call->from_pc, call->from_line, &call->costs);
  }
}

void
smb_analyze_write_callgrind(SmbCli *cli, gconstpointer result) {
  const SmbAnalyzeReport *report = result;
  const char *segments = smb_analyze_segment_name(cli->arch);
  Profile profile = make_profile(report);
  smb_spool_printf(cli->out,
                   "# callgrind format\nversion: 1\ncreator: smembank\ncmd: %s\n"
                   "desc: Architecture: %s\npositions: %s\n"
                   "events: %s Ideal Excess Requests %c%s\n",
                   report->target->name, smb_arch_info(cli->arch)->name,
                   profile.has_pc ? "instr line" : "line", smb_arch_say(cli->arch, "Wavefronts"),
                   g_ascii_toupper(*segments), segments + 1);
  for (guint i = 0; i < profile.functions->len; i++)
    write_function(&profile, cli->out, profile.functions->pdata[i]);
  smb_spool_puts(cli->out, "\ntotals:");
  for (guint e = 0; e < N_EVENTS; e++)
    smb_spool_printf(cli->out, " %" G_GUINT64_FORMAT, profile.total.of[e]);
  smb_spool_puts(cli->out, "\n");
  g_ptr_array_unref(profile.functions);
}
