// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The legend of a bank map, and its lines of text. Only what appears in the map is explained.
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "src/draw/bank-map-impl.h"

#include <string.h>

// Where the next entry goes.
typedef struct {
  Layout *layout;
  int x;
} Flow;

static int
most_width(const Layout *layout) {
  return MAX(layout->width, layout->draw->metrics.width);
}

void
smb_bank_map_paint_text(Layout *layout, const char *text, const SmbDrawMark *mark) {
  SmbDraw *draw = layout->draw;
  gsize most = (gsize)(most_width(layout) / draw->metrics.character);
  while (*text) {
    gsize length = strlen(text);
    if (length > most) {
      for (length = most; length > 0 && text[length] != ' ';)
        length--;
      length = length ? length : most;
    }
    g_autofree char *line = g_strndup(text, length);
    SmbDrawBox box = {0, layout->y, most_width(layout), draw->metrics.line};
    if (layout->paints)
      draw->methods->text(draw, box, line, mark);
    layout->y += draw->metrics.line;
    text += length + (text[length] == ' ');
  }
  layout->y += draw->metrics.line / 2 + (draw->metrics.line == 1);
}

// One entry: a sample and what it means; without a @label, that of a word. Entries stand side by side as long as
// there is room.
static void add_legend(Flow *flow, SmbDrawMark mark, const char *label, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static void
add_legend(Flow *flow, SmbDrawMark mark, const char *label, const char *format, ...) {
  Layout *layout = flow->layout;
  SmbDraw *draw = layout->draw;
  const SmbDrawMetrics *metrics = &draw->metrics;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *lanes = label ? NULL : smb_bank_map_label(mark.lanes);
  int text_x = metrics->cell_width + metrics->character;
  int width = text_x + (int)strlen(text) * metrics->character;
  if (flow->x > 0 && flow->x + width > most_width(layout)) {
    flow->x = 0;
    layout->y += metrics->line;
  }
  if (layout->paints) {
    int inset = metrics->character > 1;
    SmbDrawMark note = {.role = SMB_DRAW_NOTE, .bank = -1};
    SmbDrawBox sample = {flow->x, layout->y + 2 * inset, metrics->cell_width,
                         metrics->cell_height - 4 * inset};
    SmbDrawBox words = {flow->x + text_x, layout->y, width - text_x, metrics->line};
    if (mark.role == SMB_DRAW_KEY)
      draw->methods->box(draw, sample, &mark);
    draw->methods->text(draw, sample, label ? label : lanes, &mark);
    draw->methods->text(draw, words, text, &note);
  }
  flow->x += width + 3 * metrics->character;
}

// A sample of a word, in the state that most words of the picture are in.
static SmbDrawMark
sample(const Layout *layout, SmbLanes lanes) {
  return (SmbDrawMark){.role = SMB_DRAW_KEY,
                       .state = layout->pass < 0 ? SMB_DRAW_STILL : SMB_DRAW_NOW,
                       .group = smb_plan_group(layout->map->plan, smb_lanes_first(lanes)),
                       .lanes = lanes,
                       .bank = -1};
}

// What several lanes do with one word.
static const char *const sharing[] = {
    [SMB_CONFLICT_WORDS] = "share the word",
    [SMB_CONFLICT_ONE_BROADCAST] = "share the word",
    [SMB_CONFLICT_LANES] = "queue up for the word",
    [SMB_CONFLICT_ADDRESSES] = "write parts of the word",
    [SMB_CONFLICT_LOOP] = "compete for the word",
};

// What the numbers in the words are.
static void
explain_labels(Flow *flow) {
  const Layout *layout = flow->layout;
  const SmbBankMap *map = layout->map;
  SmbLanes alone = 0, shared = 0;
  gboolean rest = FALSE;
  for (guint i = 0; i < map->words->len; i++) {
    const SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    SmbLanes lanes = word->lanes;
    if (layout->pass >= 0)
      lanes &= map->passes.lanes[layout->pass];
    gboolean several = (lanes & (lanes - 1)) != 0;
    alone = alone || several ? alone : lanes;
    shared = shared || !several ? shared : lanes;
    rest |= lanes && smb_bank_map_is_rest(map, word);
  }
  if (alone)
    add_legend(flow, sample(layout, alone), NULL,
               layout->pass < 0 ? "lane %u accesses the word" : "lane %u is served",
               smb_lanes_first(alone));
  if (shared)
    add_legend(flow, sample(layout, shared), NULL, "lane %u and others %s", smb_lanes_first(shared),
               sharing[map->plan->conflict]);
  if (rest && layout->draw->metrics.character == 1) {
    SmbDrawMark mark = sample(layout, alone ? alone : shared);
    mark.role = SMB_DRAW_REST;
    add_legend(flow, mark, "=", "the same lane in the next bank");
  }
}

// The colours of the lane groups.
static void
explain_groups(Flow *flow) {
  const Layout *layout = flow->layout;
  const SmbBankMap *map = layout->map;
  guint n_groups = smb_plan_n_groups(map->plan);
  if (layout->draw->metrics.plain || n_groups == 1)
    return;
  for (guint group = 0; group < n_groups; group++) {
    SmbLanes lanes = smb_plan_group_lanes(map->plan, group);
    SmbDrawMark mark = sample(layout, lanes & -lanes);
    g_autoptr(GString) text = g_string_new(NULL);
    mark.state = SMB_DRAW_STILL;
    smb_describe_lanes(text, lanes);
    if (smb_request_lanes(&map->request) & lanes)
      add_legend(flow, mark, NULL, "%s", text->str);
  }
}

static void
explain_states(Flow *flow) {
  const Layout *layout = flow->layout;
  const SmbBankMap *map = layout->map;
  static const struct {
    SmbDrawState state;
    const char *text;
  } states[] = {{SMB_DRAW_DONE, "served before"}, {SMB_DRAW_WAITING, "waits"}};
  SmbLanes lanes[] = {0, 0, 0, 0}, colliding = 0; // of the first word of each state
  for (guint i = 0; i < map->words->len; i++) {
    const SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    SmbDrawState state = smb_bank_map_state(map, layout->pass, word->lanes);
    lanes[state] = lanes[state] ? lanes[state] : word->lanes;
    colliding = word->collides && !colliding ? word->lanes : colliding;
  }
  for (guint i = 0; i < G_N_ELEMENTS(states); i++) {
    SmbLanes of_state = lanes[states[i].state];
    if (!of_state)
      continue;
    SmbDrawMark mark = sample(layout, of_state);
    mark.state = states[i].state;
    add_legend(flow, mark, NULL, "%s", states[i].text);
  }
  if (colliding && layout->pass < 0 && !layout->crowded) {
    SmbDrawMark mark = sample(layout, colliding);
    mark.collides = TRUE;
    add_legend(flow, mark, layout->draw->metrics.plain ? "" : NULL, "%s needs more than one %s",
               !map->passes.is_copy                    ? "its bank"
               : map->request.op == SMB_OP_CP_ASYNC_CG ? "its line of the source"
                                                       : "its lane group",
               smb_describe_turn(map->plan));
  }
}

// What a line of text says better than a sample.
static void
explain_rule(Layout *layout) {
  const SmbBankMap *map = layout->map;
  SmbDrawMark mark = {.role = SMB_DRAW_NOTE, .bank = -1};
  guint row_bytes = 1u << map->plan->row_shift;
  guint groups = smb_plan_n_groups(map->plan);
  g_autoptr(GString) text = g_string_new(NULL);
  if (map->words->len == 0)
    return;
  g_string_append_printf(text, "%s: how many distinct ones %s accesses in a bank%s.",
                         map->plan->conflict == SMB_CONFLICT_ADDRESSES ? "addresses" : "words",
                         groups > 1 ? smb_vendor_say(layout->map->plan->vendor, "one lane group")
                                    : smb_vendor_say(layout->map->plan->vendor, "the warp"),
                         groups > 1 ? ", at most" : "");
  if (layout->crowded && map->cost.excess)
    g_string_append_printf(text, " !: needs more than one %s.", smb_describe_turn(map->plan));
  if (row_bytes > map->n_banks * map->bank_bytes)
    g_string_append_printf(
        text,
        smb_vendor_say(layout->map->plan->vendor,
                       " Words of one bank in one range of %u bytes share a wavefront."),
        row_bytes);
  if (map->plan->conflict == SMB_CONFLICT_LOOP)
    g_string_append(text, " A round is a load and a swap.");
  else if (map->passes.wavefronts > 1 && map->passes.n > 0)
    g_string_append_printf(
        text, smb_vendor_say(layout->map->plan->vendor, " Each pass takes %u wavefronts."),
        map->passes.wavefronts);
  smb_bank_map_paint_text(layout, text->str, &mark);
  layout->y -= layout->draw->metrics.line / 2 + (layout->draw->metrics.line == 1);
}

void
smb_bank_map_paint_legend(Layout *layout) {
  Flow flow = {layout, 0};
  SmbDrawMark gap = {.role = SMB_DRAW_GAP, .bank = -1};
  explain_labels(&flow);
  explain_groups(&flow);
  explain_states(&flow);
  if (layout->gaps)
    add_legend(&flow, gap, layout->draw->metrics.gap ? "...." : "~", "rows left out: not accessed");
  if (flow.x > 0)
    layout->y += layout->draw->metrics.line;
  explain_rule(layout);
}
