// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A flat list of things with the same facts about each, written once for all formats: a table, an
// array of JSON objects, or rows of CSV.
#pragma once

#include <glib.h>

#include "sim/arch/words.h"
#include "src/cli/cli.h"

/** What the cells of a column hold. */
typedef enum {
  SMB_LISTING_TEXT,
  SMB_LISTING_NUMBER,
  SMB_LISTING_NUMBERS, /* whole numbers with a space between: an array in JSON */
} SmbListingKind;

/** @key: name in JSON and CSV; @header: name in text, or NULL: text does without. */
typedef struct {
  const char *key;
  const char *header;
  SmbListingKind kind;
} SmbListingColumn;

typedef struct _SmbListing SmbListing;

/**
 * smb_listing_new:
 * @key: (transfer none): static: the member of a JSON document that is the list
 * @columns: (transfer none): static
 *
 * Returns: (transfer full): an empty list
 */
SmbListing *smb_listing_new(const char *key, const SmbListingColumn *columns, guint n_columns);
void smb_listing_free(SmbListing *listing);

/** Adds the next cell of the row, of any kind; NULL is an absent value. */
void smb_listing_text(SmbListing *listing, const char *text);

/** Adds the next cell of the row: a whole number. */
void smb_listing_number(SmbListing *listing, guint64 number);

/** smb_listing_set_note: @note: (transfer none): static: sentences that text has after the table */
void smb_listing_set_note(SmbListing *listing, const char *note);

/** smb_listing_set_vendor: @vendor: in whose words headers and notes are written, of this list and those behind it */
void smb_listing_set_vendor(SmbListing *listing, SmbVendor vendor);

/** smb_listing_set_next: @next: (transfer full): a list that text has after this one */
void smb_listing_set_next(SmbListing *listing, SmbListing *next);

/** The formats of a list: their writers take an SmbListing. */
extern const SmbFormat smb_listing_formats[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbListing, smb_listing_free)
