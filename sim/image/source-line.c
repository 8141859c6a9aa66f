// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The format: DWARF 2 to 4, "6.2 Line Number Information". Its extension was found by comparing what nvcc 13 writes
// with what the toolkit's disassembler prints of it.
#include "sim/image/source-line.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"

// Opcodes of a line program.
enum {
  COPY = 1,
  ADVANCE_ADDRESS = 2,
  ADVANCE_LINE = 3,
  SET_FILE = 4,
  ADD_CONSTANT_ADDRESS = 8,
  FIXED_ADVANCE_ADDRESS = 9,
  // Behind a zero and a length.
  END_SEQUENCE = 1,
  SET_ADDRESS = 2,
  INLINED_CALL =
      0x90, // NVIDIA: the row of the call in its sequence, from 1 (0: none); the function's name
};

enum {
  FIRST_VERSION = 2,
  LAST_VERSION = 4,
  FIRST_VERSION_WITH_WIDE = 4, // has one byte more in its header
};

// Of all paths together, in bytes: each has its folder once more.
enum {
  MAX_PATHS = 64 << 20
};

// What holds from an address on.
typedef struct {
  guint64 address; // byte offset in the section
  guint32 line;
  guint32 file;    // index in SmbLines.files, from 1; 0: unknown
  guint32 context; // index of the call's row in SmbLines.rows, from 1; 0: it is not inlined
} Row;

// Rows of one piece of code, by address.
typedef struct {
  guint section;
  guint64 end; // of the code
  guint first; // of SmbLines.rows
  guint n;
} Sequence;

struct _SmbLines {
  GArray *rows;      // Row
  GArray *sequences; // Sequence
  GPtrArray *files;  // paths
};

// A unit's header.
typedef struct {
  guint min_instruction; // bytes that an address advances by, times what opcodes say
  gint line_base;
  guint line_range;
  guint opcode_base;
  const guint8 *lengths; // of the operands of standard opcodes, from 1 on
  guint first_file;      // index of its first file in SmbLines.files
  guint n_files;
} Unit;

// The bytes of the section, and where reading is; what reads beyond @end gets zeros and leaves a mark.
typedef struct {
  SmbLines *lines;
  const SmbCubin *cubin;
  const SmbCubinSection *section;
  GHashTable *relocations; // byte offset in the section to SmbCubinRelocation
  gsize at;
  gsize end;     // of the unit
  guint64 paths; // bytes of them
  gboolean is_beyond;
  GError **error;
} Reader;

static gboolean
fail_lines(Reader *reader, const char *what) {
  return smb_fail(reader->error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s: section '%s', byte 0x%" G_GSIZE_MODIFIER "x: %s", reader->cubin->name,
                  reader->section->name, reader->at, what);
}

static guint64
read_dwarf_number(Reader *reader, guint n) {
  guint64 number = 0;
  if (reader->end - reader->at < n) {
    reader->is_beyond = TRUE;
    reader->at = reader->end;
    return 0;
  }
  for (guint i = n; i-- > 0;)
    number = number << 8 | reader->section->data[reader->at + i];
  reader->at += n;
  return number;
}

// LEB128, of @is_signed or not; bits beyond 64 are lost.
static guint64
read_leb(Reader *reader, gboolean is_signed) {
  guint64 number = 0;
  guint shift = 0;
  guint8 byte;
  do {
    byte = (guint8)read_dwarf_number(reader, 1);
    if (shift < 64)
      number |= (guint64)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  if (is_signed && shift < 64 && (byte & 0x40))
    number |= ~(guint64)0 << shift;
  return number;
}

// A text that a zero ends; "": there is none, or it is cut.
static const char *
read_dwarf_text(Reader *reader) {
  const char *text = (const char *)reader->section->data + reader->at;
  gsize length = strnlen(text, reader->end - reader->at);
  if (length == reader->end - reader->at) {
    reader->is_beyond = TRUE;
    reader->at = reader->end;
    return "";
  }
  reader->at += length + 1;
  return text;
}

// The folders of a unit, and its files.
static void
read_unit_files(Reader *reader, Unit *unit) {
  g_autoptr(GPtrArray) folders = g_ptr_array_new();
  const char *text;
  while (*(text = read_dwarf_text(reader)))
    g_ptr_array_add(folders, (gpointer)text);
  unit->first_file = reader->lines->files->len;
  while (*(text = read_dwarf_text(reader))) {
    guint64 folder = read_leb(reader, FALSE);
    read_leb(reader, FALSE); // when it was changed
    read_leb(reader, FALSE); // its size
    char *path = folder == 0 || folder > folders->len || *text == '/'
                     ? g_strdup(text)
                     : g_build_filename(g_ptr_array_index(folders, folder - 1), text, NULL);
    g_ptr_array_add(reader->lines->files, path);
    reader->paths += strlen(path);
    if (reader->paths > MAX_PATHS)
      return;
  }
  unit->n_files = reader->lines->files->len - unit->first_file;
}

// The header behind length and version; reading is at the program then.
static gboolean
read_unit_header(Reader *reader, guint version, Unit *unit) {
  guint64 length = read_dwarf_number(reader, 4);
  gsize program = reader->at + length;
  if (length > reader->end - reader->at)
    return fail_lines(reader, "a header is larger than its unit");
  unit->min_instruction = (guint)read_dwarf_number(reader, 1);
  if (version >= FIRST_VERSION_WITH_WIDE)
    read_dwarf_number(reader, 1);
  read_dwarf_number(reader, 1); // whether rows are statements at first
  unit->line_base = (gint8)read_dwarf_number(reader, 1);
  unit->line_range = (guint)read_dwarf_number(reader, 1);
  unit->opcode_base = (guint)read_dwarf_number(reader, 1);
  unit->lengths = reader->section->data + reader->at;
  if (unit->line_range == 0 || unit->opcode_base == 0 ||
      reader->end - reader->at < unit->opcode_base - 1)
    return fail_lines(reader, "an invalid header");
  reader->at += unit->opcode_base - 1;
  if (reader->at < program)
    read_unit_files(reader, unit);
  if (reader->paths > MAX_PATHS)
    return fail_lines(reader, "the names of its files are too long");
  if (reader->is_beyond || reader->at > program)
    return fail_lines(reader, "a list of files is truncated");
  reader->at = program;
  return TRUE;
}

// The registers of a line program. @base: of the code in its section.
typedef struct {
  const Unit *unit;
  guint section;
  guint64 base;
  guint64 address;
  guint64 file;
  guint64 line;
  guint64 context; // from 1, in the sequence
  guint first;     // row of the sequence
} State;

static void
reset(State *state, const SmbLines *lines) {
  *state = (State){.unit = state->unit, .file = 1, .line = 1, .first = lines->rows->len};
}

static void
add_line_row(Reader *reader, const State *state) {
  guint n = reader->lines->rows->len - state->first;
  gboolean has_file = state->file > 0 && state->file <= state->unit->n_files;
  Row row = {.address = state->base + state->address,
             .line = (guint32)MIN(state->line, (guint64)G_MAXUINT32),
             .file = has_file ? state->unit->first_file + (guint32)state->file : 0,
             .context = state->context > 0 && state->context <= n
                            ? state->first + (guint32)state->context
                            : 0};
  g_array_append_val(reader->lines->rows, row);
}

static gboolean
end_sequence(Reader *reader, State *state) {
  const GArray *rows = reader->lines->rows;
  Sequence sequence = {state->section, state->base + state->address, state->first,
                       rows->len - state->first};
  for (guint i = 1; i < sequence.n; i++) {
    if (g_array_index(rows, Row, sequence.first + i).address <
        g_array_index(rows, Row, sequence.first + i - 1).address)
      return fail_lines(reader, "the addresses of lines go backwards");
  }
  if (sequence.section != 0 && sequence.n > 0)
    g_array_append_val(reader->lines->sequences, sequence);
  reset(state, reader->lines);
  return TRUE;
}

// The address that is put at @offset of this section: that of a function.
static void
set_row_address(Reader *reader, State *state, gsize offset, guint64 value) {
  const SmbCubin *cubin = reader->cubin;
  state->address = state->base = 0;
  state->section = 0;
  const SmbCubinRelocation *own =
      g_hash_table_lookup(reader->relocations, GSIZE_TO_POINTER(offset));
  if (own) {
    const SmbCubinSymbol *symbol = &g_array_index(cubin->symbols, SmbCubinSymbol, own->symbol);
    state->section = symbol->section;
    state->base = symbol->value;
    value = (guint64)own->addend;
  }
  state->address = value;
}

static gboolean
run_extended(Reader *reader, State *state) {
  guint64 length = read_leb(reader, FALSE);
  gsize start = reader->at;
  if (length == 0 || length > reader->end - start)
    return fail_lines(reader, "an opcode is larger than its unit");
  switch (read_dwarf_number(reader, 1)) {
  case END_SEQUENCE:
    if (!end_sequence(reader, state))
      return FALSE;
    break;
  case SET_ADDRESS:
    if (length - 1 > 8)
      return fail_lines(reader, "an address is larger than 8 bytes");
    set_row_address(reader, state, start + 1, read_dwarf_number(reader, (guint)length - 1));
    break;
  case INLINED_CALL:
    state->context = read_leb(reader, FALSE);
    break;
  default: // not needed
    break;
  }
  reader->at = start + length;
  return TRUE;
}

static void
advance_address(State *state, guint64 n) {
  state->address += n * state->unit->min_instruction;
}

static gboolean
run_standard(Reader *reader, State *state, guint opcode) {
  const Unit *unit = state->unit;
  switch (opcode) {
  case COPY:
    add_line_row(reader, state);
    break;
  case ADVANCE_ADDRESS:
    advance_address(state, read_leb(reader, FALSE));
    break;
  case ADVANCE_LINE:
    state->line += read_leb(reader, TRUE);
    break;
  case SET_FILE:
    state->file = read_leb(reader, FALSE);
    break;
  case ADD_CONSTANT_ADDRESS:
    advance_address(state, (255 - unit->opcode_base) / unit->line_range);
    break;
  case FIXED_ADVANCE_ADDRESS:
    state->address += read_dwarf_number(reader, 2);
    break;
  default: // not needed: as many operands as the header says
    for (guint i = 0; i < unit->lengths[opcode - 1]; i++)
      read_leb(reader, FALSE);
    break;
  }
  return TRUE;
}

static gboolean
run_program(Reader *reader, const Unit *unit) {
  State state = {.unit = unit};
  reset(&state, reader->lines);
  while (reader->at < reader->end) {
    guint opcode = (guint)read_dwarf_number(reader, 1);
    if (opcode >= unit->opcode_base) {
      advance_address(&state, (opcode - unit->opcode_base) / unit->line_range);
      state.line += (guint64)unit->line_base + (opcode - unit->opcode_base) % unit->line_range;
      add_line_row(reader, &state);
    } else if (!(opcode == 0 ? run_extended(reader, &state)
                             : run_standard(reader, &state, opcode))) {
      return FALSE;
    }
    if (reader->is_beyond)
      return fail_lines(reader, "a line program is truncated");
  }
  return TRUE;
}

static gboolean
read_units(Reader *reader) {
  gsize size = reader->section->bytes;
  while (reader->at < size) {
    reader->end = size;
    guint64 length = read_dwarf_number(reader, 4);
    if (reader->is_beyond || length > size - reader->at)
      return fail_lines(reader, "a unit is larger than its section");
    reader->end = reader->at + length;
    guint version = (guint)read_dwarf_number(reader, 2);
    Unit unit = {0};
    if (version >= FIRST_VERSION && version <= LAST_VERSION &&
        (!read_unit_header(reader, version, &unit) || !run_program(reader, &unit)))
      return FALSE;
    reader->at = reader->end;
  }
  return TRUE;
}

// By section, then by address; of two of the same place the first comes last, which is the one that is found.
static gint
compare_sequences(gconstpointer a, gconstpointer b, gpointer data) {
  const Row *rows = data;
  const Sequence *x = a, *y = b;
  gint order = smb_order(x->section, y->section);
  order = order ? order : smb_order(rows[x->first].address, rows[y->first].address);
  return order ? order : smb_order(y->first, x->first);
}

SmbLines *
smb_lines_read(const SmbCubin *cubin, GError **error) {
  g_autoptr(SmbLines) lines = g_new0(SmbLines, 1);
  lines->rows = g_array_new(FALSE, FALSE, sizeof(Row));
  lines->sequences = g_array_new(FALSE, FALSE, sizeof(Sequence));
  lines->files = g_ptr_array_new_with_free_func(g_free);
  Reader reader = {.lines = lines,
                   .cubin = cubin,
                   .section = smb_cubin_section(cubin, ".debug_line"),
                   .relocations = g_hash_table_new(NULL, NULL),
                   .error = error};
  for (guint i = 0; i < cubin->line_relocations->len; i++) {
    SmbCubinRelocation *own = &g_array_index(cubin->line_relocations, SmbCubinRelocation, i);
    g_hash_table_insert(reader.relocations, GSIZE_TO_POINTER(own->offset), own);
  }
  gboolean is_read = !reader.section || !reader.section->data || read_units(&reader);
  g_hash_table_unref(reader.relocations);
  g_array_sort_with_data(lines->sequences, compare_sequences, lines->rows->data);
  return is_read ? g_steal_pointer(&lines) : NULL;
}

void
smb_lines_free(SmbLines *lines) {
  if (!lines)
    return;
  g_array_unref(lines->rows);
  g_array_unref(lines->sequences);
  g_ptr_array_unref(lines->files);
  g_free(lines);
}

// The last row at an address, or before it; NULL: it is not in this code.
static const Row *
find_line_row(const SmbLines *lines, const Sequence *sequence, guint64 address) {
  const Row *rows = &g_array_index(lines->rows, Row, sequence->first);
  if (address >= sequence->end)
    return NULL;
  guint low = 0, high = sequence->n;
  while (high - low > 1) {
    guint middle = (low + high) / 2;
    if (rows[middle].address <= address)
      low = middle;
    else
      high = middle;
  }
  return &rows[low];
}

// The last sequence of a section that begins at an offset or before it; NULL: there is none.
static const Sequence *
find_sequence(const SmbLines *lines, guint section, guint64 offset) {
  guint low = 0, high = lines->sequences->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    const Sequence *sequence = &g_array_index(lines->sequences, Sequence, middle);
    guint64 start = g_array_index(lines->rows, Row, sequence->first).address;
    if (sequence->section < section || (sequence->section == section && start <= offset))
      low = middle + 1;
    else
      high = middle;
  }
  const Sequence *found = low ? &g_array_index(lines->sequences, Sequence, low - 1) : NULL;
  return found && found->section == section ? found : NULL;
}

guint
smb_lines_find(const SmbLines *lines, guint section, guint64 offset, SmbLineFrame *frames) {
  const Sequence *sequence = find_sequence(lines, section, offset);
  const Row *row = sequence ? find_line_row(lines, sequence, offset) : NULL;
  guint n = 0;
  while (row && row->file != 0 && n < SMB_LINES_MAX_FRAMES) {
    frames[n++] = (SmbLineFrame){g_ptr_array_index(lines->files, row->file - 1), row->line};
    row = row->context ? &g_array_index(lines->rows, Row, row->context - 1) : NULL;
  }
  return n;
}
