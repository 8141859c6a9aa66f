// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Conversions are those of the CUDA C++ Programming Guide, "Formatted Output": %[flags][width][.precision][size]type, with the flags
// '#' ' ' '0' '+' '-', widths and precisions that are digits, or a width that is an argument, the sizes h, l and ll, and the types
// "cdeEfgGaAiopsuxX" and '%'. What is none of these is printed as it is and asks for no argument, as an H200 does (driver 580):
// "%zu", "%.*f", "%5%" and "%Lf".
#include "sim/exec/warp/print-format.h"

#include <string.h>

#define UNKNOWN_TEXT "?"

typedef struct {
  const PrintSource *source;
  GString *printed;
  guint64 at; // of the next argument
  guint n;    // arguments so far
} Printing;

// One conversion, from its % on.
typedef struct {
  const char *end;    // behind its type
  gboolean has_width; // an argument
  guint n_long;       // l
  guint n_short;      // h
  char type;
} Conversion;

// The next argument. FALSE: it is not known.
static gboolean
take_argument(Printing *printing, gpointer value, gsize bytes) {
  const PrintSource *source = printing->source;
  guint64 at = (printing->at + bytes - 1) / bytes * bytes;
  printing->at = at + bytes;
  printing->n++;
  return smb_block_peek(source->block, source->warp, source->lane, source->arguments + at, value,
                        bytes);
}

// Reads what follows a %. FALSE: it is no conversion.
static gboolean
parse_conversion(const char *text, Conversion *conversion) {
  *conversion = (Conversion){.end = text + 1 + strspn(text + 1, "# 0+-")};
  conversion->has_width = *conversion->end == '*';
  conversion->end += conversion->has_width ? 1 : strspn(conversion->end, "0123456789");
  if (*conversion->end == '.')
    conversion->end += 1 + strspn(conversion->end + 1, "0123456789");
  for (; *conversion->end == 'h' || *conversion->end == 'l'; conversion->end++) {
    conversion->n_short += *conversion->end == 'h';
    conversion->n_long += *conversion->end == 'l';
  }
  conversion->type = *conversion->end;
  if (conversion->type == '\0' || !strchr("cdeEfFgGaAiopsuxX", conversion->type))
    return FALSE;
  conversion->end++;
  return conversion->n_long <= 2 && conversion->n_short <= 2 &&
         !(conversion->n_long && conversion->n_short);
}

// The flags, width and precision of a conversion, with a width that is an argument put in (transfer full).
static GString *
copy_flags(const char *text, const Conversion *conversion, gint32 width) {
  GString *copy = g_string_new(NULL);
  for (; text < conversion->end - 1; text++) {
    if (*text == '*')
      g_string_append_printf(copy, "%d", width);
    else if (*text != 'h' && *text != 'l')
      g_string_append_c(copy, *text);
  }
  return copy;
}

G_GNUC_BEGIN_IGNORE_DEPRECATIONS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static gboolean
print_real(Printing *printing, GString *flags, char type) {
  double value;
  if (!take_argument(printing, &value, sizeof value))
    return FALSE;
  g_string_append_c(flags, type);
  g_string_append_printf(printing->printed, flags->str, value);
  return TRUE;
}

static gboolean
print_integer(Printing *printing, GString *flags, const Conversion *conversion) {
  gboolean is_signed = conversion->type == 'd' || conversion->type == 'i';
  gint64 value = 0;
  if (!take_argument(printing, &value, conversion->n_long ? 8 : 4))
    return FALSE;
  if (!conversion->n_long)
    value = is_signed ? (gint32)value : (gint64)(guint32)value;
  if (conversion->n_short == 1)
    value = is_signed ? (gint16)value : (gint64)(guint16)value;
  if (conversion->n_short == 2)
    value = is_signed ? (gint8)value : (gint64)(guint8)value;
  g_string_append_printf(flags, "ll%c", conversion->type);
  g_string_append_printf(printing->printed, flags->str, (long long)value);
  return TRUE;
}

static gboolean
print_text(Printing *printing, GString *flags) {
  const PrintSource *source = printing->source;
  g_autoptr(GString) text = g_string_new(NULL);
  guint64 pointer;
  if (!take_argument(printing, &pointer, sizeof pointer))
    return FALSE;
  if (pointer == 0)
    g_string_append(text, "(null)");
  else if (!smb_block_peek_text(source->block, source->warp, source->lane, pointer, text))
    return FALSE;
  g_string_append_c(flags, 's');
  g_string_append_printf(printing->printed, flags->str, text->str);
  return TRUE;
}

static gboolean
print_pointer(Printing *printing, GString *flags) {
  guint64 pointer;
  if (!take_argument(printing, &pointer, sizeof pointer))
    return FALSE;
  g_string_append_c(flags, 'p');
  g_string_append_printf(printing->printed, flags->str, GSIZE_TO_POINTER(pointer));
  return TRUE;
}

static gboolean
print_character(Printing *printing, GString *flags) {
  gint32 value;
  if (!take_argument(printing, &value, sizeof value))
    return FALSE;
  if (value == 0) { // which ends no text here
    g_string_append_c(printing->printed, '\0');
    return TRUE;
  }
  g_string_append_c(flags, 'c');
  g_string_append_printf(printing->printed, flags->str, value);
  return TRUE;
}

#pragma GCC diagnostic pop
G_GNUC_END_IGNORE_DEPRECATIONS

static void
print_conversion(Printing *printing, const char *text, const Conversion *conversion) {
  gint32 width = 0;
  gboolean is_known = !conversion->has_width || take_argument(printing, &width, sizeof width);
  g_autoptr(GString) flags = copy_flags(text, conversion, width);
  if (strchr("eEfFgGaA", conversion->type))
    is_known = print_real(printing, flags, conversion->type) && is_known;
  else if (conversion->type == 's')
    is_known = print_text(printing, flags) && is_known;
  else if (conversion->type == 'p')
    is_known = print_pointer(printing, flags) && is_known;
  else if (conversion->type == 'c')
    is_known = print_character(printing, flags) && is_known;
  else
    is_known = print_integer(printing, flags, conversion) && is_known;
  if (!is_known)
    g_string_append(printing->printed, UNKNOWN_TEXT);
}

guint
smb_print_format(const PrintSource *source, const char *format, GString *printed) {
  Printing printing = {source, printed, 0, 0};
  for (const char *at = format; *at;) {
    gsize plain = strcspn(at, "%");
    Conversion conversion;
    g_string_append_len(printed, at, (gssize)plain);
    at += plain;
    if (*at == '\0')
      break;
    if (at[1] == '%') {
      g_string_append_c(printed, '%');
      at += 2;
    } else if (parse_conversion(at, &conversion)) {
      print_conversion(&printing, at, &conversion);
      at = conversion.end;
    } else
      g_string_append_c(printed, *at++);
  }
  return printing.n;
}
