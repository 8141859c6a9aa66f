// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What threads of a text ask for: requests of shared memory, a warp and a piece at a time.
#include "sim/arch/arch.h"
#include "sim/arch/rule.h"
#include "sim/cuda/lower/lower.h"
#include "sim/cuda/proof/impl.h"

WalkSpace
smb_walk_space(const Walk *walk, Term address) {
  const Sum *sum = smb_term_sum(walk->prover->terms, address);
  WalkSpace space = WALK_UNKNOWN;
  for (guint i = 0; i < sum->n; i++) {
    AtomKind kind = smb_terms_atom(walk->prover->terms, sum->parts[i].atom)->kind;
    if (kind == ATOM_SHARED || kind == ATOM_MEMORY) {
      if (space != WALK_UNKNOWN || sum->parts[i].factor != 1)
        return WALK_UNKNOWN;
      space = kind == ATOM_SHARED ? WALK_SHARED : WALK_OTHER;
    }
  }
  return space;
}

void
smb_walk_refuse(Walk *walk, gint site, const Term *address, const Term *active, const char *why) {
  gboolean elsewhere = TRUE;
  for (guint i = 0; i < walk->prover->n; i++)
    elsewhere = elsewhere && (!active[i] || smb_walk_space(walk, address[i]) == WALK_OTHER);
  if (!elsewhere && site >= 0 && !walk->quiet)
    smb_prover_refuse(walk->prover, (guint)site, why);
}

// Requests of an operation, in pieces of @width bytes.
static void
ask_warps(Walk *walk, gint site, SmbOp op, guint width, guint bytes, const Term *address,
          const Term *active) {
  guint lanes = smb_arch_info(walk->prover->arch)->lanes;
  const Atom base = {.kind = ATOM_SHARED};
  if (site < 0 || walk->quiet || walk->prover->proof->stopped)
    return;
  Term start = smb_term_atom(walk->prover->terms, &base);
  for (guint warp = 0; warp < walk->prover->n; warp += lanes) {
    SmbLanes mask = 0, other = 0;
    Term terms[SMB_MAX_LANES] = {0}, conditions[SMB_MAX_LANES] = {0};
    for (guint i = warp; i < MIN(warp + lanes, walk->prover->n); i++) {
      WalkSpace space = smb_walk_space(walk, address[i]);
      SmbLanes bit = (SmbLanes)1 << (i - warp);
      if (!active[i] || space == WALK_OTHER)
        continue;
      other |= space == WALK_UNKNOWN ? bit : 0;
      mask |= bit;
      conditions[i - warp] = active[i];
      terms[i - warp] = smb_term_add(walk->prover->terms, address[i], start, G_MAXUINT32);
    }
    if (other)
      smb_prover_refuse(walk->prover, (guint)site, "it is not known what a pointer points into");
    for (guint piece = 0; mask && !other && piece < bytes; piece += width) {
      SmbRequest request = {.mask = mask, .op = (guint8)op, .width = (guint8)width};
      Term moved[SMB_MAX_LANES] = {0};
      for (SmbLanes rest = mask; rest; rest &= rest - 1) {
        guint lane = smb_lanes_first(rest);
        moved[lane] = smb_term_add(walk->prover->terms, terms[lane],
                                   smb_term_constant(walk->prover->terms, piece), 1);
      }
      smb_prover_request(walk->prover, (guint)site, &request, moved, conditions);
    }
  }
}

void
smb_walk_access(Walk *walk, gint site, guint width, guint bytes, const Term *address,
                const Term *active) {
  gboolean loads = site >= 0 && smb_program_site(&walk->kernel->program, (guint)site)->op_class ==
                                    SMB_OP_CLASS_LOAD;
  ask_warps(walk, site, loads ? SMB_OP_LD : SMB_OP_ST, width, bytes, address, active);
}

void
smb_walk_atomic(Walk *walk, const Node *node, const Term *address, const Term *active) {
  const SmbArch *arch = walk->prover->arch;
  guint bytes = (guint)node->type->size;
  SmbOp op = smb_lowered_atomic_op(arch, node);
  gboolean is_single = op == SMB_OP_ATOM || op == SMB_OP_CAS || op == SMB_OP_RED_UNIFORM;
  if (is_single && smb_arch_rule(arch, op, bytes)->defined)
    ask_warps(walk, node->store_site, op, bytes, bytes, address, active);
  else
    smb_walk_refuse(walk, node->store_site, address, active, "it is an atomic that is a loop");
}
