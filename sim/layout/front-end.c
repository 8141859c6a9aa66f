// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/front-end.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/layout/tile-program.h"
#include "sim/machine/machine.h"

// What a program has besides. @requests: (element-type SmbTileRequest): by access
typedef struct {
  SmbProgram program;
  SmbTile *tile;
  GPtrArray *accesses;
  GPtrArray *requests;
} Layout;

static const char *const words[] = {"element", "shape", "layout", "access"};

enum {
  WORD_ELEMENT,
  WORD_SHAPE,
  WORD_LAYOUT,
  WORD_ACCESS,
};

// The next line that is neither empty nor a comment; FALSE: there is none. @notation: (out): it
static gboolean
next_line(const SmbSource *source, guint32 *at, SmbNotation *notation) {
  const char *text = smb_source_text(source);
  guint32 length = (guint32)smb_source_length(source);
  while (*at < length) {
    const char *end = memchr(text + *at, '\n', length - *at);
    *notation =
        (SmbNotation){.source = source, .at = *at, .end = end ? (guint32)(end - text) : length};
    *at = notation->end + 1;
    if (smb_notation_skip(notation) &&
        !(notation->end - notation->at >= 2 && strncmp(text + notation->at, "//", 2) == 0))
      return TRUE;
  }
  return FALSE;
}

// The word that a line begins with, with a space after it; G_N_ELEMENTS(words): another one.
static guint
take_keyword(SmbNotation *notation) {
  const char *text = smb_source_text(notation->source);
  guint word = 0;
  while (word < G_N_ELEMENTS(words)) {
    guint32 end = notation->at + (guint32)strlen(words[word]);
    if (end < notation->end &&
        strncmp(text + notation->at, words[word], strlen(words[word])) == 0 &&
        (text[end] == ' ' || text[end] == '\t')) {
      notation->at = end;
      break;
    }
    word++;
  }
  return word;
}

static gboolean
recognize_layout(SmbSource *source) {
  SmbNotation notation;
  guint32 at = 0;
  if (smb_source_bytes(source) || !next_line(source, &at, &notation))
    return FALSE;
  guint word = take_keyword(&notation);
  return word < WORD_ACCESS;
}

static void
free_layout(SmbProgram *program) {
  Layout *layout = (Layout *)program;
  smb_tile_free(layout->tile);
  g_ptr_array_unref(layout->accesses);
  g_ptr_array_unref(layout->requests);
  smb_program_clear(program);
  g_free(layout);
}

static gboolean
read_defaults(const Layout *layout, SmbNotation *notation, gboolean is_element,
              SmbTileDefaults *defaults, GError **error) {
  SmbTileDefaults found = {0};
  if (layout->tile)
    return smb_notation_fail(notation, notation->at, error, "expected the %s before the layout",
                             is_element ? "element" : "shape");
  smb_notation_skip(notation);
  guint32 at = notation->at;
  g_autofree char *word = smb_notation_word(notation);
  gboolean good = !smb_notation_skip(notation) && smb_tile_parse_shape(word, &found) &&
                  (is_element ? found.rank == 0 : found.rank > 0);
  if (!good)
    return smb_notation_fail(notation, at, error, "expected %s",
                             is_element ? "a type: " SMB_ELEMENT_TYPES : "a shape, as 64x64");
  if (found.rank > 0) {
    defaults->rank = found.rank;
    memcpy(defaults->extent, found.extent, sizeof defaults->extent);
  }
  defaults->element = found.element ? found.element : defaults->element;
  return TRUE;
}

static void
add_tile_array(Layout *layout, guint32 at) {
  SmbTile *tile = layout->tile;
  SmbLayout rows;
  SmbArray array = {.name = "tile",
                    .element = tile->element->c_name,
                    .element_bytes = tile->element->bytes,
                    .bytes = tile->bytes,
                    .tile = tile};
  if (smb_tile_rows(tile, &rows)) {
    array.tile = NULL;
    array.n_dimensions = tile->rank;
    for (guint i = 0; i < tile->rank; i++)
      array.dimension[i] = tile->extent[i];
    array.dimension[tile->rank - 1] += rows.pad;
    array.bytes += rows.pad * rows.element_bytes;
  } else {
    array.n_dimensions = 1;
    array.dimension[0] = tile->bytes / tile->element->bytes;
  }
  smb_source_locate(layout->program.source, at, &array.line, &array.column);
  const Region region = {.name = array.name, .space = SPACE_SHARED, .size = array.bytes};
  layout->program.static_shared = layout->program.dynamic_start = array.bytes;
  g_array_append_val(layout->program.arrays, array);
  g_array_append_val(layout->program.regions, region);
}

// How far an access reaches in a tile whose shape is open.
static void
extend_shape(SmbTileDefaults *shape, const SmbTile *open, const SmbTileAccess *access) {
  gsize n = (gsize)access->n_warps * access->n_lanes * access->n_values;
  for (gsize i = 0; i < n; i++) {
    guint64 coordinate[SMB_TUPLE_MAX_RANK];
    if (access->element[i] == SMB_TILE_NONE)
      continue;
    smb_tile_coordinate(open, access->element[i], coordinate);
    for (guint d = 0; d < open->rank; d++)
      shape->extent[d] = MAX(shape->extent[d], coordinate[d] + 1);
  }
}

// The shape that all accesses behind a layout together ask for.
static gboolean
measure_shape(const Layout *layout, const SmbNotation *from, const SmbTile *open,
              SmbTileDefaults *shape, GError **error) {
  SmbNotation notation = *from;
  guint32 at = from->end + 1;
  shape->rank = open->rank;
  shape->extent[0] = shape->extent[1] = 1;
  while (next_line(from->source, &at, &notation)) {
    if (take_keyword(&notation) != WORD_ACCESS)
      continue;
    g_autoptr(SmbTileAccess) access =
        smb_tile_access_parse(&notation, open, layout->program.lanes, error);
    if (!access)
      return FALSE;
    extend_shape(shape, open, access);
  }
  return shape->extent[0] * shape->extent[1] <= SMB_TILE_MAX_ELEMENTS ||
         smb_notation_fail(from, from->at, error,
                           "the accesses ask for %" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT
                           " elements, and a tile has at most %u",
                           shape->extent[0], shape->extent[1], SMB_TILE_MAX_ELEMENTS);
}

// Whether all accesses after a layout are of 8x8 matrices, which have elements of 16 bits.
static gboolean
moves_matrices_alone(const SmbNotation *from) {
  SmbNotation notation = *from;
  guint32 at = from->end + 1;
  guint n = 0;
  while (next_line(from->source, &at, &notation)) {
    if (take_keyword(&notation) != WORD_ACCESS)
      continue;
    g_autofree char *name = smb_notation_word(&notation);
    if (!g_str_has_prefix(name, "ldmatrix.") && !g_str_has_prefix(name, "stmatrix."))
      return FALSE;
    n++;
  }
  return n > 0;
}

static gboolean
read_tile(Layout *layout, SmbNotation *notation, const SmbTileDefaults *defaults, GError **error) {
  if (layout->tile)
    return smb_notation_fail(notation, notation->at, error, "a second layout");
  smb_notation_skip(notation);
  SmbNotation again = *notation;
  SmbTileDefaults shape = *defaults;
  shape.may_be_open = TRUE;
  shape.assumed = moves_matrices_alone(notation) ? smb_element_find("f16") : NULL;
  layout->tile = smb_tile_parse(notation, &shape, error);
  if (layout->tile && layout->tile->is_open) {
    g_autoptr(SmbTile) open = g_steal_pointer(&layout->tile);
    if (!measure_shape(layout, &again, open, &shape, error))
      return FALSE;
    *notation = again;
    layout->tile = smb_tile_parse(notation, &shape, error);
    if (layout->tile)
      layout->tile->is_measured = TRUE;
  }
  if (layout->tile)
    add_tile_array(layout, again.at);
  return layout->tile != NULL;
}

// Whether the chip has the instruction.
static gboolean
check_chip(const Layout *layout, const SmbTileAccess *access, GError **error) {
  const SmbProgram *program = &layout->program;
  guint first = access->first_chip, last = access->last_chip;
  g_autofree char *name = g_strndup(access->text, strcspn(access->text, "."));
  if (first == 0 || (!program->processor && program->cuda_arch == 0))
    return TRUE;
  if (program->processor)
    return smb_source_error(program->source, access->at, error, "%s has no %s", program->processor,
                            name);
  gboolean has_it = program->cuda_arch >= first && (last == 0 || program->cuda_arch <= last);
  return has_it || smb_source_error(program->source, access->at, error, "sm_%u has no %s: sm_%u%s",
                                    program->cuda_arch / 10, name, first / 10,
                                    last ? " alone has it" : " and later chips have it");
}

static gboolean
read_tile_access(Layout *layout, SmbNotation *notation, GError **error) {
  if (!layout->tile)
    return smb_notation_fail(notation, notation->at, error, "expected the layout before an access");
  SmbTileAccess *access =
      smb_tile_access_parse(notation, layout->tile, layout->program.lanes, error);
  if (!access)
    return FALSE;
  g_ptr_array_add(layout->accesses, access);
  if (!check_chip(layout, access, error))
    return FALSE;
  GArray *requests = smb_tile_access_requests(access, layout->tile, layout->program.source, error);
  if (!requests)
    return FALSE;
  g_ptr_array_add(layout->requests, requests);
  SmbSite site = {.offset = access->at,
                  .expression = access->text,
                  .op_class = smb_op_class(access->op),
                  .width = requests->len ? g_array_index(requests, SmbTileRequest, 0).request.width
                                         : layout->tile->element->bytes};
  smb_source_locate(layout->program.source, access->at, &site.line, &site.column);
  g_array_append_val(layout->program.sites, site);
  guint threads = access->n_warps * access->n_lanes;
  layout->program.required_block[0] = MAX(layout->program.required_block[0], threads);
  return TRUE;
}

static gboolean
read_lines(Layout *layout, GError **error) {
  const SmbSource *source = layout->program.source;
  SmbTileDefaults defaults = {0};
  SmbNotation notation;
  guint32 at = 0;
  while (next_line(source, &at, &notation)) {
    guint32 start = notation.at;
    guint word = take_keyword(&notation);
    gboolean good = word == WORD_LAYOUT   ? read_tile(layout, &notation, &defaults, error)
                    : word == WORD_ACCESS ? read_tile_access(layout, &notation, error)
                    : word < WORD_LAYOUT
                        ? read_defaults(layout, &notation, word == WORD_ELEMENT, &defaults, error)
                        : smb_notation_fail(&notation, start, error,
                                            "expected layout, access, element or shape");
    if (!good)
      return FALSE;
  }
  guint32 end = (guint32)MAX(smb_source_length(source), 1) - 1;
  return layout->accesses->len > 0 ||
         smb_source_error(source, end, error, "expected an access: access row");
}

static SmbProgram *
read_layout(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  Layout *layout = g_new0(Layout, 1);
  smb_program_init(&layout->program, &smb_layout_front_end, source, smb_source_name(source),
                   options);
  layout->program.name = "layout";
  layout->program.may_be_dynamic = TRUE;
  layout->program.required_block[1] = layout->program.required_block[2] = 1;
  layout->accesses = g_ptr_array_new_with_free_func((GDestroyNotify)smb_tile_access_free);
  layout->requests = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  if (read_lines(layout, error))
    return &layout->program;
  free_layout(&layout->program);
  return NULL;
}

static gpointer
new_layout_state(SmbBlock *block, G_GNUC_UNUSED const SmbLaunch *launch,
                 G_GNUC_UNUSED GError **error) {
  return block;
}

static void
free_nothing(G_GNUC_UNUSED gpointer state) {
}

static gboolean
make_access(SmbBlock *block, guint site, const GArray *requests) {
  const SmbSite *place = smb_program_site(block->program, site);
  for (guint i = 0; i < requests->len; i++) {
    const SmbTileRequest *made = &g_array_index(requests, SmbTileRequest, i);
    g_autoptr(GError) reason = NULL;
    if (!smb_arch_check_request(block->arch, &made->request, &reason))
      return smb_block_fail(block, place->offset, "%s", reason->message);
    if (block->sink->shared)
      block->sink->shared(block->user, site, made->warp, "tile", &made->request);
  }
  return TRUE;
}

static gboolean
run_accesses(gpointer state) {
  SmbBlock *block = state;
  const Layout *layout = (const Layout *)block->program;
  for (guint i = 0; i < layout->requests->len; i++) {
    if (!make_access(block, i, layout->requests->pdata[i]))
      return FALSE;
  }
  return TRUE;
}

static GBytes *
make_no_argument(G_GNUC_UNUSED const SmbProgram *program, G_GNUC_UNUSED guint parameter,
                 G_GNUC_UNUSED const char *const *arguments, G_GNUC_UNUSED GError **error) {
  g_assert_not_reached(); // it has no parameter
}

const SmbFrontEnd smb_layout_front_end = {
    .level = "layout",
    .steps = "accesses",
    .recognizes = recognize_layout,
    .read = read_layout,
    .free = free_layout,
    .state_new = new_layout_state,
    .state_free = free_nothing,
    .run = run_accesses,
    .argument = make_no_argument,
};

const SmbTile *
smb_layout_program_tile(const SmbProgram *program) {
  return program->front_end == &smb_layout_front_end ? ((const Layout *)program)->tile : NULL;
}

const GPtrArray *
smb_layout_program_accesses(const SmbProgram *program) {
  g_return_val_if_fail(program->front_end == &smb_layout_front_end, NULL);
  return ((const Layout *)program)->accesses;
}
