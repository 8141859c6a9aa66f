// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// list WHAT: what the model knows. Each thing that can be listed is a row of the table of listers.
#include "sim/base/error.h"
#include "src/commands.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "sim/base/request.h"
#include "sim/measured/recording.h"
#include "sim/open/catalog.h"
#include "src/list/list.h"
#include "src/list/listing.h"

static gboolean option_verbose;

static const GOptionEntry options[] = {
    {"verbose", 'v', 0, G_OPTION_ARG_NONE, &option_verbose,
     "with 'archs': every rule, and what the columns mean", NULL},
    G_OPTION_ENTRY_NULL,
};

static gboolean
list_known_archs(SmbCli *cli, GError **error) {
  if (cli->n_arguments > 1)
    return smb_list_rules(cli, (const char *const *)cli->arguments + 1, option_verbose, error);
  if (!option_verbose)
    return smb_list_archs(cli, error);
  g_auto(GStrv) names = smb_arch_list();
  return smb_list_rules(cli, (const char *const *)names, TRUE, error);
}

// What an operation does and what its offsets mean.
static const char *const op_meanings[SMB_N_OPS] = {
    [SMB_OP_LD] = "load; an offset per lane",
    [SMB_OP_ST] = "store; an offset per lane",
    [SMB_OP_LD_GENERIC] = "load through a pointer to any memory; an offset per lane",
    [SMB_OP_ST_GENERIC] = "store through a pointer to any memory; an offset per lane",
    [SMB_OP_CP_ASYNC_CA] = "copy from global memory through L1; an offset per lane: where it goes",
    [SMB_OP_CP_ASYNC_CG] = "copy from global memory past L1; an offset per lane: where it goes",
    [SMB_OP_ATOM] = "atomic with a value per lane; an offset per lane",
    [SMB_OP_RED_UNIFORM] = "reduction of one compile-time constant; an offset per lane",
    [SMB_OP_CAS] = "compare and swap; an offset per lane",
    [SMB_OP_ATOM_LOOP] = "atomic that is a loop of loads and swaps; an offset per lane",
    [SMB_OP_LD_CONST] = "load of constant memory; an offset per lane",
    [SMB_OP_LDMATRIX_X1] = "load of one 8x8 matrix; lanes 0 to 7 give its rows of 16 bytes",
    [SMB_OP_LDMATRIX_X2] = "load of two 8x8 matrices; lanes 0 to 15 give their rows of 16 bytes",
    [SMB_OP_LDMATRIX_X4] = "load of four 8x8 matrices; each lane gives a row of 16 bytes",
    [SMB_OP_STMATRIX_X1] = "store of one 8x8 matrix; lanes 0 to 7 give its rows of 16 bytes",
    [SMB_OP_STMATRIX_X2] = "store of two 8x8 matrices; lanes 0 to 15 give their rows of 16 bytes",
    [SMB_OP_STMATRIX_X4] = "store of four 8x8 matrices; each lane gives a row of 16 bytes",
};

static gboolean
list_ops(SmbCli *cli, G_GNUC_UNUSED GError **error) {
  static const SmbListingColumn columns[] = {
      {"name", "name", SMB_LISTING_TEXT},
      {"class", "class", SMB_LISTING_TEXT},
      {"widths", "widths", SMB_LISTING_NUMBERS},
      {"address_lanes", "address lanes", SMB_LISTING_NUMBER},
      {"meaning", "meaning", SMB_LISTING_TEXT},
  };
  g_autoptr(SmbListing) listing = smb_listing_new("ops", columns, G_N_ELEMENTS(columns));
  for (guint op = 0; op < SMB_N_OPS; op++) {
    g_autoptr(GString) widths = g_string_new(NULL);
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      if (smb_op_has_width((SmbOp)op, smb_width(i)))
        g_string_append_printf(widths, "%s%u", widths->len ? " " : "", smb_width(i));
    }
    smb_listing_text(listing, smb_op_name((SmbOp)op));
    smb_listing_text(listing, smb_op_class_name(smb_op_class((SmbOp)op)));
    smb_listing_text(listing, widths->str);
    smb_listing_number(listing, MIN(smb_op_address_lanes((SmbOp)op), SMB_NVIDIA_LANES));
    smb_listing_text(listing, op_meanings[op]);
  }
  cli->format->write(cli, listing);
  return TRUE;
}

static gboolean
list_catalog(SmbCli *cli, GError **error) {
  if (cli->n_arguments > 1)
    return smb_list_entries(cli, cli->arguments[1], error);
  static const SmbListingColumn columns[] = {
      {"name", "name", SMB_LISTING_TEXT},
      {"shape", "shape", SMB_LISTING_TEXT},
      {"block", "block", SMB_LISTING_TEXT},
      {"shows", "what it shows", SMB_LISTING_TEXT},
  };
  g_autoptr(GPtrArray) catalog = smb_catalog_load(error);
  if (!catalog)
    return FALSE;
  g_autoptr(SmbListing) listing = smb_listing_new("kernels", columns, G_N_ELEMENTS(columns));
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = g_ptr_array_index(catalog, i);
    g_autofree char *block =
        g_strdup_printf("%u,%u,%u", entry->block[0], entry->block[1], entry->block[2]);
    smb_listing_text(listing, entry->name);
    smb_listing_text(listing, entry->shape);
    smb_listing_text(listing, block);
    smb_listing_text(listing, entry->shows);
  }
  cli->format->write(cli, listing);
  return TRUE;
}

// A folder of recordings; a file starts with comments, and then with @header_lines lines of names.
typedef struct {
  const char *folder;
  const char *suffix;
  const char *kind;
  guint header_lines;
} RecordingFolder;

static const RecordingFolder recording_folders[] = {
    {"measured", ".txt", "requests", 0},
    {"measured", ".csv", "requests", 1},
    {"published", ".csv", "numbers", 1},
};

static gboolean
add_recording(SmbListing *listing, const RecordingFolder *folder, const char *name,
              GError **error) {
  g_autofree char *path = g_strconcat(folder->folder, "/", name, folder->suffix, NULL);
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  if (!bytes) {
    smb_prefix_error(error, "%s: ", path);
    return FALSE;
  }
  g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  const char *comment = NULL; // the first
  guint64 n = 0;
  for (guint i = 0; lines[i]; i++) {
    const char *line = g_strstrip(lines[i]);
    n += *line && *line != '#';
    if (*line == '#' && !comment)
      comment = g_strchug(lines[i] + 1);
  }
  smb_listing_text(listing, path);
  smb_listing_text(listing, folder->kind);
  smb_listing_number(listing, n - MIN(n, folder->header_lines));
  smb_listing_text(listing, comment);
  return TRUE;
}

// Recordings of kernels and requests, which say themselves what they are.
static gboolean
add_device_recordings(SmbListing *listing, GError **error) {
  g_autoptr(GPtrArray) recordings = smb_recording_load_all(error);
  for (guint i = 0; recordings && i < recordings->len; i++) {
    const SmbRecording *recording = g_ptr_array_index(recordings, i);
    const char *path = recording->source + strlen("data/");
    g_autofree char *description =
        g_strdup_printf("Measured by %s on an %s (compute capability %u.%u, CUDA %s), %.10s.",
                        recording->program, recording->gpu, recording->capability_major,
                        recording->capability_minor, recording->cuda_driver, recording->date);
    smb_listing_text(listing, path);
    smb_listing_text(listing, recording->kernels->len == 0    ? "requests"
                              : recording->requests->len == 0 ? "kernels"
                                                              : "kernels, requests");
    smb_listing_number(listing, recording->kernels->len + recording->requests->len);
    smb_listing_text(listing, description);
  }
  return recordings != NULL;
}

static gboolean
list_recordings(SmbCli *cli, GError **error) {
  static const SmbListingColumn columns[] = {
      {"file", "file", SMB_LISTING_TEXT},
      {"kind", "kind", SMB_LISTING_TEXT},
      {"entries", "entries", SMB_LISTING_NUMBER},
      {"description", "description", SMB_LISTING_TEXT},
  };
  g_autoptr(SmbListing) listing = smb_listing_new("recordings", columns, G_N_ELEMENTS(columns));
  for (guint i = 0; i < G_N_ELEMENTS(recording_folders); i++) {
    const RecordingFolder *folder = &recording_folders[i];
    g_auto(GStrv) names = smb_data_list(folder->folder, folder->suffix);
    for (guint j = 0; names[j]; j++) {
      if (!add_recording(listing, folder, names[j], error))
        return FALSE;
    }
  }
  if (!add_device_recordings(listing, error))
    return FALSE;
  cli->format->write(cli, listing);
  return TRUE;
}

static gboolean
list_launches(SmbCli *cli, GError **error) {
  if (cli->n_arguments > 1)
    return smb_list_launches(cli, cli->arguments[1], error);
  return smb_cli_usage_error(error, "expected FILE, the capture whose launches to list");
}

// What can be listed. @takes_name: whether a name, or a file, may follow.
typedef struct {
  const char *name;
  gboolean takes_name;
  gboolean (*list)(SmbCli *cli, GError **error);
} Lister;

// In the order of the listers.
#define LISTS "kernels|launches|archs|devices|ops|recordings"

static const Lister listers[] = {
    {"kernels", TRUE, list_catalog},   {"launches", TRUE, list_launches},
    {"archs", TRUE, list_known_archs}, {"devices", FALSE, smb_list_devices},
    {"ops", FALSE, list_ops},          {"recordings", FALSE, list_recordings},
};

static const SmbCliUsage usage = {
    .arguments = LISTS " [NAME]",
    .description =
        "Lists what there is.\n"
        "  kernels     the built-in kernels; with a FILE of compiled code, its own\n"
        "  launches    the launches of a capture, FILE\n"
        "  archs       the architectures; with a NAME, its rules and where they come from\n"
        "  devices     the GPUs of this machine, and what is missing to measure on them\n"
        "  ops         the operations of a trace\n"
        "  recordings  the counts from hardware that the model is checked against",
    .min_arguments = 1,
    .max_arguments = 2,
    .formats = smb_listing_formats,
    .example = "smembank list archs sm_90",
};

gboolean
smb_cmd_list(SmbCli *cli, GError **error) {
  guint choice = 0;

  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  if (!smb_cli_choice("argument", cli->arguments[0], LISTS, &choice, error))
    return FALSE;
  const Lister *lister = &listers[choice];
  if (cli->n_arguments > 1 && !lister->takes_name)
    return smb_cli_usage_error(error, "unexpected argument '%s' after '%s'", cli->arguments[1],
                               lister->name);
  if (option_verbose && lister->list != list_known_archs)
    return smb_cli_usage_error(error, "--verbose goes with 'archs'");
  return lister->list(cli, error);
}
