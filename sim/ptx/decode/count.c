// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How many operands an instruction has, where the table of computing instructions (sim/ptx/instruction.h) does not say, and
// what the first one may be.
// Sources: PTX ISA 9.0, and what ptxas of CUDA 13.0 takes.
#include <string.h>

#include "sim/ptx/decode/decode.h"

// Forms of instructions: the name, and parts that the opcode has. The first that fits counts: they stand in the order in which
// the decoders look for these parts, which take for granted that the operands are there.
static const struct {
  const char *words;
  guint least, most;
} forms[] = {
    // control
    {"bra", 1, 1},
    {"brx", 2, 2},
    {"ret", 0, 0},
    {"exit", 0, 0},
    {"trap", 0, 0},
    {"brkpt", 0, 0},
    {"nanosleep", 1, 1},
    {"pmevent", 1, 1},
    {"setmaxnreg", 1, 1},
    {"griddepcontrol", 0, 0},
    {"alloca", 2, 3},
    {"stacksave", 1, 1},
    {"stackrestore", 1, 1},
    // barriers
    {"bar warp", 1, 1},
    {"bar red", 3, 4},
    {"bar arrive", 2, 2},
    {"bar sync", 1, 2},
    {"barrier cluster", 0, 0},
    {"barrier red", 3, 4},
    {"barrier arrive", 2, 2},
    {"barrier sync", 1, 2},
    {"membar", 0, 0},
    {"fence proxy::tensormap::generic acquire", 2, 2},
    {"fence tensormap::generic acquire", 2, 2},
    {"fence", 0, 0},
    {"mbarrier test_wait", 3, 3},
    {"mbarrier try_wait", 3, 4},
    {"mbarrier pending_count", 2, 2},
    {"mbarrier arrive_drop expect_tx", 3, 3},
    {"mbarrier arrive_drop noComplete", 3, 3},
    {"mbarrier arrive_drop", 2, 3},
    {"mbarrier arrive expect_tx", 3, 3},
    {"mbarrier arrive noComplete", 3, 3},
    {"mbarrier arrive", 2, 3},
    {"mbarrier init", 2, 2},
    {"mbarrier inval", 1, 1},
    {"mbarrier expect_tx", 2, 2},
    {"mbarrier complete_tx", 2, 2},
    // moves and addresses
    {"mov", 2, 2},
    {"cvta", 2, 2},
    {"isspacep", 2, 2},
    {"istypep", 2, 2},
    {"mapa", 3, 3},
    {"getctarank", 2, 2},
    // memory
    {"ld", 2, 2},
    {"ldu", 2, 2},
    {"st async", 2, 3},
    {"st bulk", 3, 3},
    {"st", 2, 2},
    {"atom cas", 4, 4},
    {"atom", 3, 3},
    {"red async", 2, 3},
    {"red", 2, 2},
    {"multimem", 2, 2},
    {"ldmatrix", 2, 2},
    {"stmatrix", 2, 2},
    {"prefetch", 1, 1},
    {"prefetchu", 1, 1},
    {"discard", 2, 2},
    {"applypriority", 2, 2},
    {"createpolicy fractional", 1, 2},
    {"createpolicy range", 4, 4},
    {"createpolicy cvt", 2, 2},
    {"tensormap replace", 2, 3},
    // copies
    {"cp mbarrier", 1, 1},
    {"cp bulk commit_group", 0, 0},
    {"cp bulk wait_group", 1, 1},
    {"cp bulk prefetch tensor", 1, 2},
    {"cp bulk prefetch", 2, 2},
    {"cp bulk tensor mbarrier::complete_tx::bytes", 3, 4},
    {"cp bulk tensor", 2, 2},
    {"cp bulk mbarrier::complete_tx::bytes", 4, 4},
    {"cp bulk", 3, 3},
    {"cp ca", 3, 4},
    {"cp cg", 3, 4},
    {"cp commit_group", 0, 0},
    {"cp wait_group", 1, 1},
    {"cp wait_all", 0, 0},
    // matrices
    {"wmma load", 2, 3},
    {"wmma store", 2, 3},
    {"wmma mma", 4, 4},
    {"wgmma fence", 0, 0},
    {"wgmma commit_group", 0, 0},
    {"wgmma wait_group", 1, 1},
    {"clusterlaunchcontrol", 2, 2},
    {"tcgen05 commit", 1, 1},
    {"tcgen05 alloc", 2, 2},
    {"tcgen05 cp", 2, 2},
    {"tcgen05 dealloc", 2, 2},
    {"tcgen05 ld", 2, 3},
    {"tcgen05 st", 2, 3},
    {"tcgen05 shift", 1, 1},
    {"tcgen05 relinquish_alloc_permit", 0, 0},
    {"tcgen05 wait::ld", 0, 0},
    {"tcgen05 wait::st", 0, 0},
    {"tcgen05 fence::before_thread_sync", 0, 0},
    {"tcgen05 fence::after_thread_sync", 0, 0},
    // computing instructions, of which there are forms that are not modelled
    {"add", 3, 3},
    {"sub", 3, 3},
    {"mul", 3, 3},
    {"fma", 4, 4},
    {"set and", 4, 4},
    {"set or", 4, 4},
    {"set xor", 4, 4},
    {"set", 3, 3},
    {"setp and", 4, 4},
    {"setp or", 4, 4},
    {"setp xor", 4, 4},
    {"setp", 3, 3},
    {"cvt rs", 3, 4},
    {"cvt pack", 3, 4},
    {"cvt", 2, 3},
    {"ex2", 2, 2},
    {"tanh", 2, 2},
};

// Parts that come with operands of their own.
static const struct {
  const char *part;
  guint operands;
} additions[] = {
    {"L2::cache_hint", 1},
    {"multicast::cluster", 1},
    {"cp_mask", 1},
    {"ignore_oob", 2},
};

// Whether an opcode has all words of a form: the first is its name.
static gboolean
is_form(const PtxDecoder *decoder, const char *words) {
  gsize length = strcspn(words, " ");
  if (strncmp(decoder->parts[0], words, length) != 0 || decoder->parts[0][length])
    return FALSE;
  while (words[length]) {
    words += length + 1;
    length = strcspn(words, " ");
    g_autofree char *part = g_strndup(words, length);
    if (!smb_ptx_has_part(decoder, part))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_ptx_check_count(PtxDecoder *decoder, guint least, guint most) {
  guint n = decoder->instruction->n_operands;
  if (n >= least && n <= most)
    return TRUE;
  g_autofree char *range =
      least == most ? g_strdup_printf("%u", most) : g_strdup_printf("%u or %u", least, most);
  return smb_ptx_refuse(decoder, "%s has %s operand%s, not %u", smb_ptx_opcode(decoder), range,
                        most == 1 ? "" : "s", n);
}

// The first operand is what is written, or where, but of those that take a number there, or what they call. No instruction
// writes a special register, and only mov reads one (ptxas).
static gboolean
check_first(PtxDecoder *decoder) {
  static const char *const readers[] = {"bar",       "barrier", "brx",        "call",
                                        "nanosleep", "pmevent", "setmaxnreg", "cp",
                                        "wgmma",     "tcgen05", NULL};
  const PtxOperand *first = smb_ptx_operand(decoder, 0);
  if (first->kind == PTX_OPERAND_SPECIAL)
    return smb_ptx_refuse(decoder, "'%s' is a special register, which cannot be written",
                          first->text);
  gboolean is_value = first->kind == PTX_OPERAND_INTEGER || first->kind == PTX_OPERAND_SINGLE ||
                      first->kind == PTX_OPERAND_DOUBLE || first->kind == PTX_OPERAND_SYMBOL;
  return !is_value || g_strv_contains(readers, decoder->parts[0]) ||
         smb_ptx_refuse(decoder, "expected a register or an address as the first operand");
}

gboolean
smb_ptx_check_operands(PtxDecoder *decoder) {
  guint more = 0;
  for (guint i = 0; i < G_N_ELEMENTS(additions); i++)
    more += smb_ptx_has_part(decoder, additions[i].part) ? additions[i].operands : 0;
  for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
    if (is_form(decoder, forms[i].words))
      return smb_ptx_check_count(decoder, forms[i].least + more, forms[i].most + more) &&
             check_first(decoder);
  }
  return check_first(decoder);
}
