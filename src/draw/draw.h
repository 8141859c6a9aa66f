// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Drawing, as one struct of methods: a picture lays itself out once, in the units that the metrics give,
// and is drawn as cells of a terminal (src/draw/draw-text.c) or as SVG (src/draw/draw-svg.c). What a thing means
// travels with it as a mark; how that looks is the matter of the methods.
#pragma once

#include "sim/base/request.h"
#include "src/out/spool.h"

/** What a thing is. */
typedef enum {
  SMB_DRAW_TITLE, /* the line above */
  SMB_DRAW_HEAD,  /* the number of a bank */
  SMB_DRAW_LABEL, /* what a row is */
  SMB_DRAW_GRID,  /* a row of memory, before anything is asked of it; the lines between banks */
  SMB_DRAW_GAP,   /* rows were left out before this one */
  SMB_DRAW_WORD,  /* a word that lanes access */
  SMB_DRAW_REST,  /* a further word of the same lanes: wide accesses */
  SMB_DRAW_COUNT, /* a number of a bank */
  SMB_DRAW_KEY,   /* a sample in the legend */
  SMB_DRAW_NOTE,  /* a text in the legend */
} SmbDrawRole;

/** When a word is served, seen from the pass that is shown. */
typedef enum {
  SMB_DRAW_STILL, /* no pass is shown: all of the request at once */
  SMB_DRAW_NOW,
  SMB_DRAW_DONE,
  SMB_DRAW_WAITING,
} SmbDrawState;

/**
 * SmbDrawMark:
 * @group: lane group, from 0
 * @collides: its bank needs more than one pass
 * @bank: bank, or -1: of none
 * @offset: byte offset of the word in shared memory
 * @lanes: lanes that access it
 * @pass: (nullable) (array fixed-size=SMB_MAX_LANES): the pass of each lane
 * @title: (nullable): what it is, in words
 */
typedef struct {
  SmbDrawRole role;
  SmbDrawState state;
  guint group;
  gboolean collides;
  int bank;
  guint32 offset;
  SmbLanes lanes;
  const guint8 *pass;
  const char *title;
} SmbDrawMark;

/** A rectangle, from the upper left corner of the picture, in the units of the metrics. */
typedef struct {
  int x, y, width, height;
} SmbDrawBox;

/**
 * SmbDrawMetrics: what a picture lays itself out by; the unit is a cell of the terminal, or a pixel.
 * @character: advance of a character
 * @line: height of a line of text
 * @cell_width: width of a word; 0: the picture chooses by its text, and sets it
 * @cell_height: height of a word
 * @gap: height of a gap between rows that do not follow each other
 * @width: most width that a picture may have; 0: any. A picture that cannot be as narrow is as narrow as
 *   it can be
 * @plain: whether there is no colour to tell things apart
 */
typedef struct {
  int character;
  int line;
  int cell_width;
  int cell_height;
  int gap;
  int width;
  gboolean plain;
} SmbDrawMetrics;

typedef struct _SmbDraw SmbDraw;

/**
 * SmbDrawMethods:
 * @begin: says the size, before anything is drawn; @title is the picture in words
 * @open: what is drawn until @close is one thing: a word of memory, or the number of a bank
 * @box: a filled rectangle
 * @text: a text in a rectangle, of one line: numbers of banks and words in the middle, or at the right end where
 *   characters are the unit; labels at the right end; all else at the left
 * @line: a straight line
 * @finish: writes what was drawn: lines of text, or an <svg> element
 * @free: releases the drawing
 */
typedef struct {
  void (*begin)(SmbDraw *draw, int width, int height, const char *title);
  void (*open)(SmbDraw *draw, const SmbDrawMark *mark);
  void (*close)(SmbDraw *draw);
  void (*box)(SmbDraw *draw, SmbDrawBox box, const SmbDrawMark *mark);
  void (*text)(SmbDraw *draw, SmbDrawBox box, const char *text, const SmbDrawMark *mark);
  void (*line)(SmbDraw *draw, int x1, int y1, int x2, int y2, const SmbDrawMark *mark);
  void (*finish)(SmbDraw *draw, SmbSpool *out);
  void (*free)(SmbDraw *draw);
} SmbDrawMethods;

/** What every kind of drawing starts with. */
struct _SmbDraw {
  const SmbDrawMethods *methods;
  SmbDrawMetrics metrics;
};

/**
 * smb_draw_text_new:
 * @columns: width of the terminal
 * @colour: whether to colour; else marks are characters (ASCII)
 *
 * Returns: (transfer full): a drawing in cells of a terminal
 */
SmbDraw *smb_draw_text_new(guint columns, gboolean colour);

/**
 * smb_draw_svg_new:
 * @style: (nullable): CSS that is put into the picture, so that it stands alone; %NULL for a part of a page
 *   that has it
 *
 * Returns: (transfer full): a drawing in SVG. Words carry classes (g0…g3 by lane group, clash, now, done,
 *   wait) and data-bank, data-byte, data-lanes and data-passes (of each of these lanes).
 */
SmbDraw *smb_draw_svg_new(const char *style);

static inline void
smb_draw_free(SmbDraw *draw) {
  draw->methods->free(draw);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbDraw, smb_draw_free)
