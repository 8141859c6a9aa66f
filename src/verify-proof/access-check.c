// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The certificate of analyze --prove: each request is counted for all residues of what is not known, and what is claimed of its access has to
// follow. That the requests are those of the kernel is not checked here.
#include <string.h>

#include "src/out/json.h"
#include "src/verify-proof/check-impl.h"
#include "src/verify-proof/formula.h"
#include "src/verify-proof/recount.h"

enum {
  BANK_BYTES = 4,
  MAX_CASES = 1 << 20,
};

// A request of the certificate. @rule: by which its chip serves it; @modulus: (array): of each name; @class_of: (array): lanes whose places
// differ by constants; @steps: that a case takes: bytes of all @lanes
typedef struct {
  GStrv names;
  guint32 modulus[SMB_FORMULA_MAX_NAMES];
  guint n_names;
  SmbRecountRule rule;
  guint width;
  guint64 mask;
  SmbFormula *lanes[SMB_RECOUNT_LANES];
  guint class_of[SMB_RECOUNT_LANES];
  guint n_classes;
  guint64 steps;
} Asked;

// What is claimed of an access to be free of conflicts. @name: (nullable): the parameter that decides it, where its remainder by
// @modulus is one of @residues
typedef struct {
  gboolean is_free;
  guint max_degree;
  const char *name;
  guint32 modulus;
  JsonArray *residues;
} Claim;

static void
clear_asked_request(Asked *asked) {
  g_strfreev(asked->names);
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++)
    smb_formula_free(asked->lanes[lane]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Asked, clear_asked_request)

static gboolean
read_residue_names(JsonObject *request, Asked *asked) {
  JsonArray *residues = smb_json_get_array(request, "residues");
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  guint64 cases = 1;
  asked->n_names = smb_verify_length(residues);
  for (guint i = 0; i < asked->n_names; i++) {
    JsonObject *one = smb_verify_object(residues, i);
    const char *name = smb_json_get_text(one, "name");
    gint64 modulus = smb_json_get_number(one, "modulus");
    if (i == SMB_FORMULA_MAX_NAMES || !name || modulus < 1 || modulus > MAX_CASES / (gint64)cases ||
        modulus & (modulus - 1))
      return FALSE;
    asked->modulus[i] = (guint32)modulus;
    cases *= (guint64)modulus;
    g_strv_builder_add(names, name);
  }
  asked->names = g_strv_builder_end(names);
  return TRUE;
}

static gboolean
read_lane_formulas(JsonObject *request, Asked *asked) {
  JsonArray *lanes = smb_json_get_array(request, "lanes");
  const char *mask = smb_json_get_text(request, "mask");
  guint n = 0;
  asked->mask = mask ? g_ascii_strtoull(mask, NULL, 16) : 0;
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++) {
    if (!(asked->mask >> lane & 1))
      continue;
    JsonNode *node = n < smb_verify_length(lanes) ? json_array_get_element(lanes, n++) : NULL;
    const char *text = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    asked->lanes[lane] = text ? smb_formula_parse(text, (const char *const *)asked->names) : NULL;
    asked->steps += text ? strlen(text) : 0;
    if (!asked->lanes[lane])
      return FALSE;
  }
  return n > 0 && n == smb_verify_length(lanes) &&
         (asked->rule.givers == SMB_RECOUNT_LANES || asked->mask >> asked->rule.givers == 0);
}

static void
classify_asked(Asked *asked) {
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++) {
    guint before = 0;
    if (!asked->lanes[lane])
      continue;
    while (before < lane &&
           (!asked->lanes[before] || strcmp(smb_formula_rest(asked->lanes[before]),
                                            smb_formula_rest(asked->lanes[lane])) != 0))
      before++;
    asked->class_of[lane] = before < lane ? asked->class_of[before] : asked->n_classes++;
  }
}

// Whether the residues decide where each lane is in a row of the banks.
static gboolean
has_all_bits(const Asked *asked) {
  guint needed[SMB_FORMULA_MAX_NAMES] = {0};
  guint row_bits = (guint)g_bit_nth_lsf(asked->rule.banks * BANK_BYTES, -1);
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++) {
    if (asked->lanes[lane])
      smb_formula_need(asked->lanes[lane], row_bits, needed);
  }
  for (guint i = 0; i < asked->n_names; i++) {
    if (needed[i] > 31 || asked->modulus[i] >> needed[i] == 0)
      return FALSE;
  }
  return TRUE;
}

// Whether lanes that differ by what is not known may be taken to ask for different words, and lanes that may be idle to be active: neither
// makes conflicts fewer.
static gboolean
is_monotone_rule(const Asked *asked) {
  return asked->width <= BANK_BYTES && !asked->rule.pays_all;
}

// @op: that of the access
static gboolean
read_asked(JsonObject *request, const char *chip, const char *op, Asked *asked,
           SmbVerified *verified) {
  gint64 width = smb_json_get_number(request, "width");
  asked->width = (guint)CLAMP(width, 0, 17);
  asked->rule = smb_recount_rule(chip, smb_json_get_text(request, "op"), asked->width);
  if (g_strcmp0(asked->rule.access, op) != 0 || !read_residue_names(request, asked) ||
      !read_lane_formulas(request, asked)) {
    smb_verified_fail(verified, "a request cannot be read");
    return FALSE;
  }
  classify_asked(asked);
  if (!has_all_bits(asked))
    smb_verified_fail(verified, "the residues do not decide the banks");
  else if (asked->n_classes > 1 && !is_monotone_rule(asked))
    smb_verified_fail(verified, "its lanes differ by what is not known");
  else
    return TRUE;
  return FALSE;
}

// FALSE: lanes would be misaligned: no launch has these values. Lanes of different classes are taken to ask for different words.
static gboolean
count_case(const Asked *asked, const guint32 *values, SmbRecount *count) {
  guint64 address[SMB_RECOUNT_LANES] = {0};
  guint row_bytes = asked->rule.banks * BANK_BYTES;
  guint alignment = asked->width == 12 ? BANK_BYTES : asked->width;
  for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++) {
    if (!asked->lanes[lane])
      continue;
    guint32 constant = smb_formula_constant(asked->lanes[lane]);
    guint32 low = smb_formula_evaluate(asked->lanes[lane], values) - constant;
    address[lane] = ((guint64)asked->class_of[lane] << 34) + ((guint64)1 << 32) + low % row_bytes +
                    (guint64)(gint64)(gint32)constant;
    if (address[lane] % alignment)
      return FALSE;
  }
  *count = smb_recount(&asked->rule, asked->width, asked->mask, address);
  return TRUE;
}

// Whether the claim is that there are no conflicts where names have these values.
static gboolean
claim_is_free(const Claim *claim, const Asked *asked, const guint32 *values) {
  guint name = 0;
  if (!claim->is_free || !claim->name)
    return claim->is_free;
  while (name < asked->n_names && strcmp(asked->names[name], claim->name) != 0)
    name++;
  if (name == asked->n_names)
    return TRUE;
  guint32 common = MIN(asked->modulus[name], claim->modulus);
  for (guint i = 0; i < smb_verify_length(claim->residues); i++) {
    if (smb_verify_number(claim->residues, i) % common == values[name] % common)
      return TRUE;
  }
  return FALSE;
}

static void
verify_request(JsonObject *request, const Claim *claim, const Asked *asked, SmbVerified *verified) {
  guint32 values[SMB_FORMULA_MAX_NAMES] = {0};
  guint most = 0, name;
  gint64 n_bad = 0;
  guint64 steps = asked->steps + smb_verify_length(claim->residues);
  do {
    SmbRecount count = {0, 0, 0};
    gboolean is_real = count_case(asked, values, &count);
    gboolean is_bad = is_real && count.wavefronts > count.ideal;
    verified->cases++;
    n_bad += is_bad;
    most = MAX(most, count.degree);
    if (is_bad && claim_is_free(claim, asked, values))
      smb_verified_fail(verified, "it has conflicts in a case of which there are said to be none");
    for (name = 0; name < asked->n_names && ++values[name] == asked->modulus[name]; name++)
      values[name] = 0;
  } while (name < asked->n_names && smb_verified_spend(verified, steps));
  verified->requests++;
  if (most > claim->max_degree || most != smb_json_get_number(request, "max_degree"))
    smb_verified_fail(verified, "it takes %u ways", most);
  if (n_bad != smb_json_get_number(request, "residues_with_conflicts"))
    smb_verified_fail(verified, "it has conflicts in %" G_GINT64_FORMAT " cases", n_bad);
}

static Claim
read_claim(JsonObject *access, const char *verdict) {
  return (Claim){.is_free = g_str_has_prefix(verdict, "proved"),
                 .max_degree = (guint)smb_json_get_number(access, "max_degree"),
                 .name = smb_json_get_text(access, "parameter"),
                 .modulus = (guint32)MAX(smb_json_get_number(access, "modulus"), 1),
                 .residues = smb_json_get_array(access, "residues")};
}

static void
verify_access(JsonObject *access, guint number, const char *chip, JsonArray *certificate,
              SmbVerified *verified) {
  const char *verdict = smb_json_get_text(access, "verdict");
  const char *op = smb_json_get_text(access, "op");
  const Claim claim = read_claim(access, verdict ? verdict : "");
  verified->open = g_strcmp0(verdict, "not proved") == 0 ? "nothing is claimed" : NULL;
  for (guint i = 0; !verified->open && i < smb_verify_length(certificate); i++) {
    JsonObject *request = smb_verify_object(certificate, i);
    g_auto(Asked) asked = {.width = 0};
    if (!smb_verified_spend(verified, 1))
      return;
    if (request && smb_json_get_number(request, "access") == number &&
        read_asked(request, chip, op ? op : "", &asked, verified))
      verify_request(request, &claim, &asked, verified);
  }
  if (!verified->open && verified->requests == 0)
    smb_verified_fail(verified, "the certificate has no request of it");
}

static const char *
say_member(JsonObject *object, const char *member) {
  const char *text = smb_json_get_text(object, member);
  return text ? text : "?";
}

void
smb_verify_accesses(JsonObject *result, JsonObject *proof, SmbVerification *all) {
  JsonArray *accesses = smb_json_get_array(proof, "accesses");
  JsonArray *certificate = smb_json_get_array(proof, "certificate");
  const char *chip = smb_json_get_text(smb_json_get_object(result, "arch"), "name");
  for (guint i = 0; i < smb_verify_length(accesses); i++) {
    JsonObject *access = smb_verify_object(accesses, i);
    const char *condition = access ? smb_json_get_text(access, "condition") : NULL;
    if (!access)
      continue;
    SmbVerified *one = smb_verified_add(
        all, g_strdup_printf("line %" G_GINT64_FORMAT ", %s of %s: %s%s%s",
                             smb_json_get_number(access, "line"), say_member(access, "op"),
                             say_member(access, "expression"), say_member(access, "verdict"),
                             condition ? ": " : "", condition ? condition : ""));
    if (smb_recount_knows(chip))
      verify_access(access, i, chip, certificate, one);
    else
      one->open = "the rules of its chip are not known here";
  }
}
