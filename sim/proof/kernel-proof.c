// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/machine/front-end.h"
#include "sim/proof/decide.h"
#include "sim/proof/prover.h"

enum {
  MAX_SEEN = 20000,
  MAX_EXAMPLES = 4, // of an access
};

Term
smb_prover_fresh(SmbProver *prover, guint32 place) {
  const Atom atom = {ATOM_UNKNOWN, ++prover->n_fresh, {0}, place};
  return smb_term_atom(prover->terms, &atom);
}

gboolean
smb_prover_has_any(const SmbProver *prover, const Term *active) {
  for (guint i = 0; i < prover->n; i++) {
    if (active[i])
      return TRUE;
  }
  return FALSE;
}

// "line 12" of a text, "0x1d0" of machine code.
static char *
describe_proof_place(const SmbProver *prover, guint32 place) {
  guint line, column;
  if (!prover->program->source)
    return g_strdup_printf("0x%x", place);
  smb_source_locate(prover->program->source, place, &line, &column);
  return g_strdup_printf("line %u", line);
}

void
smb_prover_stop(SmbProver *prover, guint32 place, const char *why) {
  if (prover->proof->stopped)
    return;
  prover->proof->stopped = why;
  prover->proof->stopped_at = place ? describe_proof_place(prover, place) : NULL;
}

// The number of an access among those that were reached.
static guint
find_proved_access(SmbProver *prover, guint site) {
  GPtrArray *sites = prover->proof->sites;
  for (guint i = 0; i < sites->len; i++) {
    if (((const SmbProvedSite *)sites->pdata[i])->site == site)
      return i;
  }
  SmbProvedSite *proved = g_new0(SmbProvedSite, 1);
  proved->site = site;
  g_ptr_array_add(sites, proved);
  return sites->len - 1;
}

static SmbProvedSite *
find_proved_site(SmbProver *prover, guint site) {
  guint access = find_proved_access(prover, site);
  return prover->proof->sites->pdata[access];
}

void
smb_prover_refuse(SmbProver *prover, guint site, const char *why) {
  SmbProvedSite *proved = find_proved_site(prover, site);
  proved->verdict = SMB_PROOF_STOPPED;
  if (!proved->reason)
    proved->reason = why;
}

// --- expressions of the certificate

static void append_term(const SmbProver *prover, GString *out, Term term);

static char *
name_atom(const SmbProver *prover, guint32 number) {
  static const char axes[] = "xyz";
  const Atom *atom = smb_terms_atom(prover->terms, number);
  if (atom->kind == ATOM_PARAMETER)
    return g_strdup(smb_program_parameter(prover->program, (guint)atom->key).name);
  if (atom->kind == ATOM_BLOCK || atom->kind == ATOM_GRID)
    return g_strdup_printf("%s_%c", atom->kind == ATOM_BLOCK ? "blockIdx" : "gridDim",
                           axes[atom->key]);
  g_autofree char *at = describe_proof_place(prover, atom->place);
  return g_strdup_printf("%s_%u_%s", atom->kind == ATOM_COUNTER ? "count" : "value", number,
                         g_strdelimit(at, " ", '_'));
}

static void
append_atom(const SmbProver *prover, GString *out, guint32 number) {
  static const char *const operators[] = {
      [ATOM_MUL] = "*", [ATOM_AND] = "&", [ATOM_OR] = "|", [ATOM_XOR] = "^", [ATOM_SHR] = ">>"};
  const Atom *atom = smb_terms_atom(prover->terms, number);
  if (atom->kind < ATOM_MUL) {
    g_autofree char *name = name_atom(prover, number);
    g_string_append(out, name);
    return;
  }
  g_string_append_c(out, '(');
  append_term(prover, out, atom->operand[0]);
  g_string_append_printf(out, " %s ", operators[atom->kind]);
  append_term(prover, out, atom->operand[1]);
  g_string_append_c(out, ')');
}

static void
append_term(const SmbProver *prover, GString *out, Term term) {
  const Sum *sum = smb_term_sum(prover->terms, term);
  g_string_append_printf(out, "(%d", (gint32)sum->constant);
  for (guint i = 0; i < sum->n; i++) {
    g_string_append_printf(out, " + %d * ", (gint32)sum->parts[i].factor);
    append_atom(prover, out, sum->parts[i].atom);
  }
  g_string_append_c(out, ')');
}

// Adds what a sum is made of and is not known, each once.
static void
collect_unknown(const SmbProver *prover, Term term, GHashTable *seen, GArray *found) {
  const Sum *sum = smb_term_sum(prover->terms, term);
  for (guint i = 0; i < sum->n; i++) {
    const Atom *atom = smb_terms_atom(prover->terms, sum->parts[i].atom);
    if (!g_hash_table_add(seen, GUINT_TO_POINTER(sum->parts[i].atom)))
      continue;
    if (atom->kind < ATOM_MUL)
      g_array_append_val(found, sum->parts[i].atom);
    for (guint k = 0; atom->kind >= ATOM_MUL && k < 2; k++)
      collect_unknown(prover, atom->operand[k], seen, found);
  }
}

// What no bank depends on: all of it has one remainder, by 1.
static GArray *
find_irrelevant(const SmbProver *prover, const SmbRequest *request, const Term *terms,
                const Decision *decision) {
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  GArray *found = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint i = 0; i < decision->n_leaves; i++)
    g_hash_table_add(seen, GUINT_TO_POINTER((guint32)decision->leaves[i].atom));
  for (SmbLanes rest = request->mask; rest; rest &= rest - 1)
    collect_unknown(prover, terms[smb_lanes_first(rest)], seen, found);
  return found;
}

static void
certify(SmbProver *prover, guint site, const SmbRequest *request, const Term *terms,
        const Decision *decision) {
  SmbProvedRequest *proved = g_new0(SmbProvedRequest, 1);
  g_autoptr(GStrvBuilder) lanes = g_strv_builder_new(), names = g_strv_builder_new();
  gboolean has_base = decision->n_leaves && decision->leaves[0].atom < 0;
  for (SmbLanes rest = request->mask; rest; rest &= rest - 1) {
    Term term = terms[smb_lanes_first(rest)];
    g_autoptr(GString) text = g_string_new(NULL);
    if (has_base)
      g_string_append_printf(text, "(%d + 1 * base)",
                             (gint32)smb_term_sum(prover->terms, term)->constant);
    else
      append_term(prover, text, term);
    g_strv_builder_add(lanes, text->str);
  }
  g_autoptr(GArray) others = find_irrelevant(prover, request, terms, decision);
  proved->moduli = g_new0(guint, decision->n_leaves + others->len + 1);
  for (guint i = 0; i < decision->n_leaves; i++) {
    g_autofree char *name =
        has_base ? g_strdup("base") : name_atom(prover, (guint32)decision->leaves[i].atom);
    g_strv_builder_add(names, name);
    proved->moduli[i] = 1u << decision->leaves[i].bits;
  }
  for (guint i = 0; !has_base && i < others->len; i++) {
    g_autofree char *name = name_atom(prover, g_array_index(others, guint32, i));
    g_strv_builder_add(names, name);
    proved->moduli[decision->n_leaves + i] = 1;
  }
  proved->access = find_proved_access(prover, site);
  proved->op = (SmbOp)request->op;
  proved->width = request->width;
  proved->mask = request->mask;
  proved->lanes = g_strv_builder_end(lanes);
  proved->names = g_strv_builder_end(names);
  proved->degree = decision->worst.degree;
  proved->n_bad = decision->n_bad;
  g_ptr_array_add(prover->proof->requests, proved);
}

// --- what follows for a site

// The residues of the only parameter that some have no conflicts for, whatever the others are; FALSE: there are two, or none.
static gboolean
restrict_parameter(const SmbProver *prover, SmbProvedSite *proved, const Decision *decision) {
  gint which = -1;
  guint shift = 0;
  for (guint i = 0; i < decision->n_leaves; i++) {
    const Leaf *leaf = &decision->leaves[i];
    if (leaf->atom < 0 ||
        smb_terms_atom(prover->terms, (guint32)leaf->atom)->kind != ATOM_PARAMETER)
      continue;
    if (which >= 0)
      return FALSE;
    which = (gint)i;
  }
  if (which < 0)
    return FALSE;
  const Leaf *leaf = &decision->leaves[which];
  guint parameter = (guint)smb_terms_atom(prover->terms, (guint32)leaf->atom)->key;
  if (proved->free && proved->parameter != parameter)
    return FALSE;
  for (gint i = 0; i < which; i++)
    shift += decision->leaves[i].bits;
  guint modulus = MAX(proved->modulus, 1u << leaf->bits);
  g_autofree guint8 *is_free = g_new(guint8, modulus);
  for (guint r = 0; r < modulus; r++)
    is_free[r] = !proved->free || proved->free[r % proved->modulus];
  for (guint i = 0; i < decision->bad->len; i++) {
    guint residue = i >> shift & ((1u << leaf->bits) - 1);
    for (guint r = residue; decision->bad->data[i] && r < modulus; r += 1u << leaf->bits)
      is_free[r] = FALSE;
  }
  g_free(proved->free);
  proved->free = g_steal_pointer(&is_free);
  proved->modulus = modulus;
  proved->parameter = parameter;
  return memchr(proved->free, TRUE, modulus) != NULL;
}

// Adds the parameters of some residues, unless none is named.
static void
add_example(const SmbProver *prover, SmbProvedSite *proved, const Decision *decision,
            guint32 residues) {
  SmbProofExample example = {.n = 0};
  for (guint i = 0; i < decision->n_leaves; i++) {
    const Leaf *leaf = &decision->leaves[i];
    const Atom *atom = leaf->atom < 0 ? NULL : smb_terms_atom(prover->terms, (guint32)leaf->atom);
    if (atom && atom->kind == ATOM_PARAMETER && example.n < SMB_PROOF_EXAMPLE_PARAMETERS) {
      example.parameter[example.n] = (guint)atom->key;
      example.modulus[example.n] = 1u << leaf->bits;
      example.residue[example.n++] = residues & ((1u << leaf->bits) - 1);
    }
    residues >>= leaf->bits;
  }
  if (!proved->examples)
    proved->examples = g_array_new(FALSE, FALSE, sizeof(SmbProofExample));
  if (example.n > 0 && proved->examples->len < MAX_EXAMPLES)
    g_array_append_val(proved->examples, example);
}

// The first residues with conflicts, and the last ones.
static void
add_examples(const SmbProver *prover, SmbProvedSite *proved, const Decision *decision) {
  guint first = 0, last = decision->bad->len - 1;
  while (!decision->bad->data[first])
    first++;
  while (!decision->bad->data[last])
    last--;
  add_example(prover, proved, decision, first);
  if (last > first)
    add_example(prover, proved, decision, last);
}

// What is only said of words of 4 bytes, by NVIDIA's rules: fewer lanes, or lanes that ask for the same, have no more conflicts.
static gboolean
is_monotone(const SmbProver *prover, guint width) {
  return width <= 4 && smb_arch_info(prover->arch)->vendor == SMB_VENDOR_NVIDIA;
}

static const char *
find_proof_obstacle(const SmbProver *prover, const SmbRequest *request, const Term *terms,
                    const Term *active) {
  guint first = smb_lanes_first(request->mask);
  Terms *all = prover->terms;
  if (is_monotone(prover, request->width))
    return NULL;
  for (SmbLanes rest = request->mask; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    if (active[lane] != active[first])
      return "which of its lanes are active is not known, and it is wide";
    if (!smb_term_is_constant(all, smb_term_add(all, terms[lane], terms[first], G_MAXUINT32)))
      return "its lanes differ by what is not known, and it is wide";
  }
  return NULL;
}

void
smb_prover_request(SmbProver *prover, guint site, SmbRequest *request, const Term *terms,
                   const Term *active) {
  struct {
    guint site;
    guint op;
    guint width;
    SmbLanes mask;
    Term terms[SMB_MAX_LANES];
  } key;
  memset(&key, 0, sizeof key);
  key.site = site;
  key.op = request->op;
  key.width = request->width;
  key.mask = request->mask;
  memcpy(key.terms, terms, sizeof key.terms);
  GBytes *bytes = g_bytes_new(&key, sizeof key);
  const char *obstacle = find_proof_obstacle(prover, request, terms, active);
  if (obstacle)
    smb_prover_refuse(prover, site, obstacle);
  if (!g_hash_table_add(prover->seen, bytes) || obstacle)
    return;
  if (g_hash_table_size(prover->seen) > MAX_SEEN) {
    smb_prover_stop(prover, 0, "there are too many different requests");
    return;
  }
  Decision decision;
  SmbProvedSite *proved = find_proved_site(prover, site);
  smb_decide(prover->terms, prover->arch, request, terms, &decision);
  if (decision.failure) {
    smb_prover_refuse(prover, site, decision.failure);
    return;
  }
  proved->requests++;
  proved->degree = MAX(proved->degree, decision.worst.degree);
  certify(prover, site, request, terms, &decision);
  if (decision.n_bad && proved->verdict != SMB_PROOF_STOPPED) {
    gboolean is_restricted = restrict_parameter(prover, proved, &decision);
    add_examples(prover, proved, &decision);
    proved->verdict =
        is_restricted && proved->verdict != SMB_NOT_FREE ? SMB_PROVED_FOR : SMB_NOT_FREE;
  }
  g_byte_array_unref(decision.bad);
}

static void
free_site(gpointer data) {
  SmbProvedSite *site = data;
  g_free(site->free);
  g_clear_pointer(&site->examples, g_array_unref);
  g_free(site);
}

static void
free_request(gpointer data) {
  SmbProvedRequest *request = data;
  g_strfreev(request->lanes);
  g_strfreev(request->names);
  g_free(request->moduli);
  g_free(request);
}

SmbKernelProof *
smb_kernel_proof_new(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch) {
  if (!program->front_end->prove)
    return NULL;
  SmbKernelProof *proof = g_new0(SmbKernelProof, 1);
  proof->sites = g_ptr_array_new_with_free_func(free_site);
  proof->requests = g_ptr_array_new_with_free_func(free_request);
  g_autoptr(Terms) terms = smb_terms_new();
  g_autoptr(GHashTable) seen =
      g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  SmbProver prover = {.program = program,
                      .arch = arch,
                      .launch = launch,
                      .proof = proof,
                      .terms = terms,
                      .block = {launch->block[0], launch->block[1], launch->block[2]},
                      .n = launch->block[0] * launch->block[1] * launch->block[2],
                      .n_fresh = 16,
                      .seen = seen};
  program->front_end->prove(&prover);
  // What was decided before need not be all that an access asks for.
  for (guint i = 0; proof->stopped && i < proof->sites->len; i++)
    smb_prover_refuse(&prover, ((SmbProvedSite *)proof->sites->pdata[i])->site,
                      "the proof has ended");
  return proof;
}

void
smb_kernel_proof_free(SmbKernelProof *proof) {
  g_ptr_array_unref(proof->sites);
  g_ptr_array_unref(proof->requests);
  g_free(proof->stopped_at);
  g_free(proof);
}

SmbProofVerdict
smb_kernel_proof_verdict(const SmbKernelProof *proof) {
  SmbProofVerdict worst = proof->stopped ? SMB_PROOF_STOPPED : SMB_PROVED;
  for (guint i = 0; i < proof->sites->len; i++) {
    const SmbProvedSite *site = proof->sites->pdata[i];
    worst = MAX(worst, site->verdict);
  }
  return worst;
}
