// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads the file of a device.
#include "sim/time/chip.h"

#include <string.h>

#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/base/key-file.h"

#define FOLDER "devices"
#define DEVICE "device"
#define TIME   "time"

typedef struct {
  const char *key;
  gsize member; // a double of SmbChip
  double scale; // of what a device that is like another one has
} Number;

typedef struct {
  const char *path, *text;
  gsize length;
  GKeyFile *keys;
  const SmbChip *like; // whose numbers it has where it says nothing; NULL: it says all
  SmbChip *chip;       // which it fills
} DeviceFile;

// With where the key is, or its group if that lacks it.
static gboolean
refuse_key(const DeviceFile *file, const char *group, const char *key, const char *reason,
           GError **error) {
  guint line = smb_key_file_line(file->text, file->length, group, key);
  gboolean is_there = g_key_file_has_key(file->keys, group, key, NULL);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u: [%s] %s: %s%s", file->path, line,
                  group, key, is_there ? "" : "missing: ", reason);
}

// Positive numbers. What a file does not say is that of the device that it is like.
static gboolean
read_positive_numbers(const DeviceFile *file, const char *group, const Number *numbers, guint n,
                      GError **error) {
  for (guint i = 0; i < n; i++) {
    double *member = (double *)(gpointer)((char *)file->chip + numbers[i].member);
    if (file->like && !g_key_file_has_key(file->keys, group, numbers[i].key, NULL)) {
      *member = numbers[i].scale *
                *(const double *)(gconstpointer)((const char *)file->like + numbers[i].member);
      continue;
    }
    g_autoptr(GError) wrong = NULL;
    *member = g_key_file_get_double(file->keys, group, numbers[i].key, &wrong);
    if (wrong || !(*member > 0 && *member < 1e15))
      return refuse_key(file, group, numbers[i].key, "expected a positive number", error);
  }
  return TRUE;
}

static gboolean
read_rates(const DeviceFile *file, GError **error) {
  static const char *const rates[] = {
#define RATE(name, key, way, pipe) key,
#include "sim/program/rates.def"
#undef RATE
  };
  for (guint i = 0; i < SMB_N_RATES; i++) {
    const Number number = {rates[i], G_STRUCT_OFFSET(SmbChip, rate) + i * sizeof(double), 1};
    if (rates[i] && !read_positive_numbers(file, TIME, &number, 1, error))
      return FALSE;
  }
  return TRUE;
}

static double
dram_peak(const SmbChip *chip) {
  return chip->memory_clock_khz * chip->memory_bus_bits;
}

static gboolean
read_time_numbers(const DeviceFile *file, GError **error) {
  const SmbChip *chip = file->chip, *like = file->like ? file->like : chip;
  const double dram = dram_peak(chip) / dram_peak(like), l2 = chip->l2_bytes / like->l2_bytes;
  const Number numbers[] = {
#define NUMBER(member, key)      {key, G_STRUCT_OFFSET(SmbChip, member), 1},
#define DRAM_NUMBER(member, key) {key, G_STRUCT_OFFSET(SmbChip, member), dram},
#define L2_NUMBER(member, key)   {key, G_STRUCT_OFFSET(SmbChip, member), l2},
#include "sim/time/chip-numbers.def"
#undef NUMBER
  };
  return read_positive_numbers(file, TIME, numbers, G_N_ELEMENTS(numbers), error);
}

// What a device is itself, whatever it is like.
static gboolean
read_device_numbers(const DeviceFile *file, GError **error) {
  static const Number numbers[] = {
      {"multiprocessors", G_STRUCT_OFFSET(SmbChip, multiprocessors), 1},
      {"clock-khz", G_STRUCT_OFFSET(SmbChip, clock_khz), 1},
      {"memory-clock-khz", G_STRUCT_OFFSET(SmbChip, memory_clock_khz), 1},
      {"memory-bus-bits", G_STRUCT_OFFSET(SmbChip, memory_bus_bits), 1},
      {"l2-bytes", G_STRUCT_OFFSET(SmbChip, l2_bytes), 1},
  };
  DeviceFile own = *file;
  own.like = NULL;
  return read_positive_numbers(&own, DEVICE, numbers, G_N_ELEMENTS(numbers), error);
}

static gboolean
read_time_evidence(const DeviceFile *file, GError **error) {
  g_autofree char *word = g_key_file_get_string(file->keys, TIME, "evidence", NULL);
  for (guint e = SMB_EVIDENCE_MEASURED; e <= SMB_EVIDENCE_USER; e++) {
    file->chip->evidence = (SmbEvidence)e;
    if (g_strcmp0(word, smb_evidence_name(file->chip->evidence)) == 0)
      return TRUE;
  }
  return refuse_key(file, TIME, "evidence", "expected measured, documented, assumed or user",
                    error);
}

static gboolean
check_most(const DeviceFile *file, const char *key, double value, guint most, GError **error) {
  g_autofree char *reason = g_strdup_printf("expected 1 to %u", most);
  return (value >= 1 && value <= most) || refuse_key(file, TIME, key, reason, error);
}

// What the clock has room for.
static gboolean
check_room(const DeviceFile *file, GError **error) {
  const SmbChip *chip = file->chip;
  if (!check_most(file, "queue-entries", chip->queue_entries, SMB_MAX_QUEUE, error) ||
      !check_most(file, "l2-slices", chip->l2_slices, SMB_MAX_SLICES, error) ||
      !check_most(file, "fma-pipes", chip->fma_pipes, SMB_MAX_FMA_PIPES, error))
    return FALSE;
  return chip->multiprocessors >= 1 ||
         refuse_key(file, DEVICE, "multiprocessors", "expected 1 or more", error);
}

static gboolean
read_time_text(const DeviceFile *file, const char *key, char **text, GError **error) {
  *text = g_key_file_get_string(file->keys, TIME, key, NULL);
  return *text || refuse_key(file, TIME, key, "expected a text", error);
}

static gboolean
fill_chip(const DeviceFile *file, GError **error) {
  SmbChip *chip = file->chip;
  chip->arch = g_key_file_get_string(file->keys, DEVICE, "arch", NULL);
  chip->error = g_key_file_get_double(file->keys, TIME, "error", NULL);
  chip->error_of = g_key_file_get_string(file->keys, TIME, "error-of", NULL);
  return read_time_text(file, "title", &chip->title, error) &&
         read_time_text(file, "source", &chip->source, error) && read_time_evidence(file, error) &&
         read_rates(file, error) && read_device_numbers(file, error) &&
         read_time_numbers(file, error) && check_room(file, error);
}

static SmbChip *read_times(const char *name, const char *arch, gboolean may_be_like,
                           GError **error);

// The device that a file says it is like. %NULL without an error: it says none.
static gboolean
read_like(const DeviceFile *file, gboolean may_be_like, SmbChip **like, GError **error) {
  g_autofree char *name = g_key_file_get_string(file->keys, TIME, "like", NULL);
  if (!name)
    return TRUE;
  if (!may_be_like)
    return refuse_key(file, TIME, "like", "expected a device that is not like another one", error);
  g_autoptr(GError) wrong = NULL;
  *like = read_times(name, NULL, FALSE, &wrong);
  if (wrong)
    return refuse_key(file, TIME, "like", wrong->message, error);
  return *like || refuse_key(file, TIME, "like", "expected a device that has times", error);
}

// A device of @arch (nullable: of any) that has times; NULL without an error: it is of another one, or has none.
static SmbChip *
read_times(const char *name, const char *arch, gboolean may_be_like, GError **error) {
  g_autofree char *path = smb_data_find(FOLDER, name, ".ini");
  g_autoptr(GBytes) bytes = path ? smb_data_load(path, error) : NULL;
  if (!bytes)
    return NULL;
  DeviceFile file = {.path = path};
  file.text = g_bytes_get_data(bytes, &file.length);
  g_autoptr(GKeyFile) keys = smb_key_file_load(path, file.text, file.length, error);
  g_autofree char *of = keys ? g_key_file_get_string(keys, DEVICE, "arch", NULL) : NULL;
  if (!keys || (arch && g_strcmp0(of, arch) != 0) || !g_key_file_has_group(keys, TIME))
    return NULL;
  file.keys = keys;
  g_autoptr(SmbChip) like = NULL;
  if (!read_like(&file, may_be_like, &like, error))
    return NULL;
  g_autoptr(SmbChip) chip = g_atomic_rc_box_new0(SmbChip);
  chip->name = g_strdup(name);
  file.like = like;
  file.chip = chip;
  return fill_chip(&file, error) ? g_steal_pointer(&chip) : NULL;
}

SmbChip *
smb_chip_load(const char *name, const SmbArch *arch, GError **error) {
  g_auto(GStrv) names = smb_data_list(FOLDER, ".ini");
  for (guint i = 0; names[i]; i++) {
    if (name && g_ascii_strcasecmp(name, names[i]) != 0)
      continue;
    GError *wrong = NULL;
    SmbChip *chip = read_times(names[i], smb_arch_info(arch)->name, TRUE, &wrong);
    if (wrong)
      g_propagate_error(error, wrong);
    if (chip || wrong)
      return chip;
    if (name) {
      smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "the times of a device '%s' are not known on %s",
               name, smb_arch_info(arch)->name);
      return NULL;
    }
  }
  if (name) {
    g_autofree char *known = g_strjoinv(", ", names);
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "no device '%s': expected one of %s", name, known);
  }
  return NULL;
}

gboolean
smb_chip_is_measured(const SmbChip *chip) {
  return chip->evidence == SMB_EVIDENCE_MEASURED || chip->evidence == SMB_EVIDENCE_USER;
}

double
smb_chip_packet_cycles(const SmbChip *chip, guint op_class, guint packets) {
  enum {
    NARROW_PACKETS = 8, // of a store: more than these follow each other faster
  };
  switch (op_class) {
  case SMB_OP_CLASS_LOAD:
    return chip->peer_load;
  case SMB_OP_CLASS_STORE:
    return packets > NARROW_PACKETS ? chip->peer_store_wide : chip->peer_store;
  default:
    return chip->peer_atomic;
  }
}

static void
clear_chip(gpointer data) {
  SmbChip *chip = data;
  g_free(chip->name);
  g_free(chip->title);
  g_free(chip->arch);
  g_free(chip->source);
  g_free(chip->error_of);
}

SmbChip *
smb_chip_ref(SmbChip *chip) {
  return chip ? g_atomic_rc_box_acquire(chip) : NULL;
}

void
smb_chip_free(SmbChip *chip) {
  if (chip)
    g_atomic_rc_box_release_full(chip, clear_chip);
}
