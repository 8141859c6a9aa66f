// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An architecture: how many banks shared memory has, how addresses fall into them, and by which rule
// each operation is served. Architectures are data (data/archs/VENDOR/*.ini); every rule carries the evidence
// for it. What is here was validated when it was read, so that counting cannot fail.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"

G_BEGIN_DECLS

/** Architecture that is meant when none is named. */
#define SMB_DEFAULT_ARCH "sm_90"

/** The same for files of HIP (smb_host_is_hip()). */
#define SMB_HIP_ARCH "gfx942"

/** Who makes the chips; what things are called depends on it (sim/arch/words.h). */
typedef enum {
  SMB_VENDOR_NVIDIA,
  SMB_VENDOR_AMD,
} SmbVendor;

/** Which atomics on shared memory are one instruction, each with what is above it; the others are loops. */
typedef enum {
  SMB_SINGLE_WORDS, /* all on 32-bit integers; exchange and compare-and-swap (in what nvcc makes for sm_75 to sm_120) */
  SMB_SINGLE_FLOATS, /* those on 64-bit integers and on floats (ds_add_u64, ds_add_f32, as Clang makes them of HIP) */
  SMB_SINGLE_DOUBLES, /* and on doubles (ds_add_f64: CDNA 2 and later, in their ISA documents and in what LLVM makes) */
} SmbSingleAtomics;

/** How well a rule is known. */
typedef enum {
  SMB_EVIDENCE_MEASURED,   /* a recording shows it: counts, or which lanes conflict */
  SMB_EVIDENCE_DOCUMENTED, /* the vendor's documents say so */
  SMB_EVIDENCE_ASSUMED,    /* inferred; the source says from what */
  SMB_EVIDENCE_USER,       /* a file of the user's says so */
} SmbEvidence;

/** Plain facts of an architecture; all strings are owned by it. */
typedef struct {
  const char *name; /* "sm_90"; of a file of the user's, its path */
  /* (nullable): the architecture that it is like, of those that come with the program */
  const char *base;
  const char *title; /* "Hopper (H100, H200)" */
  /* (nullable): names that smb_arch_load() takes for it, with spaces between */
  const char *aliases;
  guint vendor;           /* SmbVendor */
  guint capability_major; /* compute capability; 0.0 of other vendors' */
  guint capability_minor;
  guint lanes;               /* of a warp: 32 or 64 */
  guint banks;               /* 1, 2, 4, … or 64; a rule may have its own number */
  guint bank_bytes;          /* bytes of one bank that successive addresses fill: 4 or 8 */
  guint row_bytes;           /* bytes that all banks together serve in one wavefront */
  guint static_shared_bytes; /* most static shared memory of a block */
  guint max_shared_bytes;    /* most shared memory of a block, opted in */
  guint max_threads;         /* most threads of a block */
  /* unit of a global request: a 32-byte sector, or a line of 64 or 128 bytes */
  guint global_segment_bytes;
  guint single_atomics;   /* SmbSingleAtomics */
  gboolean has_increment; /* atomicAdd(p, 1) with its result dropped is red.uniform, not atom */
  /* a profiler's counter per instruction has rules of its own */
  gboolean counts_instructions_apart;
  /* (nullable): where those come from (sim/count/instruction-counter.h) */
  const char *instruction_source;
  /* (nullable): what the vendor's profiler calls the wavefronts, of AMD's chips cycles */
  const char *active_counter;
  const char *conflict_counter; /* (nullable): and the excess */
  const char *counter_note;     /* (nullable): what is known to be wrong with these counters */
  SmbEvidence evidence;         /* of the geometry above */
  const char *source;
  guint sm_shared_bytes; /* shared memory of a multiprocessor; 0: this and the rest is not known */
  guint sm_warps;        /* most resident warps of a multiprocessor */
  guint sm_blocks;       /* most resident blocks of a multiprocessor */
  guint block_reserved_bytes; /* shared memory that a block takes in addition to its own */
  guint shared_unit_bytes;    /* shared memory is given to blocks in multiples of it */
  const char *sm_source;      /* where these five come from */
} SmbArchInfo;

/**
 * smb_arch_load:
 * @name: such as "sm_90", or one of the aliases of an architecture, in any case: "hopper"
 * @error: SMB_ERROR_USAGE for an unknown name (the message lists the known ones), SMB_ERROR_INPUT for
 *   a file that breaks a rule
 *
 * Returns: (transfer full): the architecture, to be released with smb_arch_unref()
 */
SmbArch *smb_arch_load(const char *name, GError **error);

/**
 * smb_arch_new_from_data:
 * @name: the name that it gets
 * @text: the text of an .ini file
 * @error: SMB_ERROR_INPUT, naming @name, the group and the key
 *
 * Reads an architecture as smb_arch_load() does from its file. A file that says `like = NAME` takes
 * all it does not say from that one.
 *
 * Returns: (transfer full): the architecture
 */
SmbArch *smb_arch_new_from_data(const char *name, const char *text, GError **error);

/**
 * smb_arch_load_file:
 * @path: a file of the user's, of the same form; what it says needs no evidence and no source: that is the user's word
 * @error: SMB_ERROR_INPUT, "PATH:LINE:1: reason"; a file error
 *
 * Returns: (transfer full): the architecture, whose name is @path and all of whose rules are SMB_EVIDENCE_USER
 */
SmbArch *smb_arch_load_file(const char *path, GError **error);

/**
 * smb_arch_load_wave:
 * @name: as smb_arch_load() takes it
 * @lanes: lanes of a warp, 32 or 64; 0: as many as it has
 * @error: as smb_arch_load(), and SMB_ERROR_USAGE if its warps never have so many
 *
 * An architecture that has both is two: NAME, with the usual number, and NAME_wave64 or NAME_wave32.
 *
 * Returns: (transfer full): the architecture whose warps have @lanes
 */
SmbArch *smb_arch_load_wave(const char *name, guint lanes, GError **error);

/**
 * smb_arch_list: Returns: (transfer full): the names of all architectures, NVIDIA's first, each vendor's oldest first.
 */
GStrv smb_arch_list(void);

/** Takes a reference; references may be taken and released in any thread. */
SmbArch *smb_arch_ref(SmbArch *arch);
void smb_arch_unref(SmbArch *arch);

/** Plain facts (transfer none). */
const SmbArchInfo *smb_arch_info(const SmbArch *arch);

/** Warps of a block of so many threads; the last one may lack lanes. */
guint smb_arch_warps(const SmbArch *arch, guint threads);

/** The rule for an operation in a width that it has (transfer none); may be undefined. */
const SmbRule *smb_arch_rule(const SmbArch *arch, SmbOp op, guint width);

/** "measured", "documented", "assumed" or "user" (transfer none). */
const char *smb_evidence_name(SmbEvidence evidence);

/**
 * smb_arch_check_rule:
 * @error: SMB_ERROR_INPUT, with the names of the architecture and the rule
 *
 * Returns: whether @arch has the operation in that width
 */
gboolean smb_arch_check_rule(const SmbArch *arch, SmbOp op, guint width, GError **error);

/**
 * smb_arch_check_request:
 * @arch: an architecture
 * @request: a request that passed smb_request_check()
 * @error: SMB_ERROR_INPUT
 *
 * Returns: whether @arch has the operation in that width, and the lanes that are active
 */
gboolean smb_arch_check_request(const SmbArch *arch, const SmbRequest *request, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbArch, smb_arch_unref)

G_END_DECLS
