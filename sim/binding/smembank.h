/* SPDX-FileCopyrightText: the smembank authors
 * SPDX-License-Identifier: MIT
 *
 * smembank for other languages: count requests, count a kernel, search layouts. Plain C, without a type of GLib:
 * integers of fixed size, text in UTF-8, arrays with their length, handles whose insides are private.
 *
 * A function that can fail returns an SmbStatus and, of SMB_OK, its result in the argument before the last. Else
 * nothing but *error is set, if error is not NULL: a message, to be released with smb_free(); messages about a kernel
 * begin with FILE:LINE:COLUMN and show the line. What a handle returns belongs to it and lives as long. A handle may be
 * used by one thread at a time, an SmbModel by any number. Pointers may be NULL only where that is said.
 *
 * Structures and functions stay as they are for one value of SMB_INTERFACE; functions may be added.
 */
#ifndef SMEMBANK_H
#define SMEMBANK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a caller was written for; smb_interface() of the library that is loaded must return the same. */
#define SMB_INTERFACE 1

int smb_interface(void);

/** Whether a call succeeded; the numbers are the program's exit statuses. */
typedef enum {
  SMB_OK = 0,
  SMB_WRONG_USAGE = 2, /* something that cannot be asked, such as an unknown architecture */
  SMB_BAD_INPUT = 3,   /* a kernel or a request is wrong, or a file cannot be read */
} SmbStatus;

/** Releases a message; NULL is fine. */
void smb_free(void *message);

/**
 * SmbMessageHint: what to give, or to change, so that an error or a warning goes away; its message does not say so.
 * @kind, @name, @value: (nullable): what it is, and its text; name and value are NULL where none is mentioned
 *   "argument": args, for the parameter @name: a name or a number, or "0+8" for its bytes from 8 on
 *   "fields": or args for its fields, as "0+8"
 *   "buffer": buffers, for the parameter or variable @name
 *   "offset": buffers, for @name: the pointer starts at least @value elements inside it
 *   "block": block
 *   "dynamic_bytes": dynamic_bytes, to @value if that is known
 *   "entry": entry, to one of the kernels that the message lists
 *   "instance": entry, to an instance whose name is of the form @name
 *   "arch": the architecture, to @value if one is known that fits
 *   "limit": the limit @name, such as "max_steps"
 *   "smaller": the parameter @name, which is @value now: less of it makes less work
 *   "kernels": a built-in kernel: @value has the names of all
 *   "unknown": skips_unknown
 */
typedef struct {
  const char *kind;
  const char *name;
  const char *value;
} SmbMessageHint;

/**
 * smb_message_hint: hint number @index, from 0, of the message of an error; NULL beyond the last one. Of messages of
 * this library only, and as long as they are not released.
 */
const SmbMessageHint *smb_message_hint(const char *message, size_t index);

/* An architecture, and its requests. */

/** The rules of an architecture. */
typedef struct _SmbModel SmbModel;

/** smb_model_new: the rules of an architecture by its name, such as "sm_90" (smembank list archs). */
SmbStatus smb_model_new(const char *arch, SmbModel **model, char **error);
void smb_model_free(SmbModel *model);

/** Lanes of a warp: 32 or 64. */
uint32_t smb_model_lanes(const SmbModel *model);

/**
 * SmbRequests: warp requests of one kind, of which each may have lanes of its own.
 * @op: what is asked, as in traces: "ld", "st", "atom", "red.uniform", "cas", "ldmatrix.x4", …
 * @width: bytes of one lane: 1, 2, 4, 8, 12 or 16
 * @n: how many requests
 * @lanes: offsets of each request, at most smb_model_lanes(); further lanes access nothing
 * @offsets: n * lanes byte offsets in shared memory: of the first request from lane 0, then of the second, …
 * @masks: (nullable): n sets of active lanes, bit i is lane i; NULL: all @lanes are active
 */
typedef struct {
  const char *op;
  uint32_t width;
  size_t n;
  size_t lanes;
  const uint32_t *offsets;
  const uint64_t *masks;
} SmbRequests;

/**
 * SmbCost: what a request costs
 * @wavefronts: passes through the data stage of shared memory
 * @ideal: passes that it would need if no two words were in one bank
 * @excess: @wavefronts - @ideal
 * @degree: most distinct words that one group of lanes asks of one bank: N of an N-way conflict
 * @cycles: under saturation
 */
typedef struct {
  uint32_t wavefronts;
  uint32_t ideal;
  uint32_t excess;
  uint32_t degree;
  uint32_t cycles;
} SmbCost;

/** smb_requests_count: what each of @requests costs; @costs has room for n. The message of a wrong one names its
 * number, from 0. */
SmbStatus smb_requests_count(const SmbModel *model, const SmbRequests *requests, SmbCost *costs,
                             char **error);

/* A kernel and its launch. */

/**
 * SmbKernelLaunch: zeros stand for what the program does without an option.
 * @path: a file of CUDA C (the subset of doc/kernel-language.md; nothing is compiled here), PTX or machine code
 * @text: (nullable): @length bytes to be read in place of the file, which messages call @path
 * @entry: (nullable): the kernel, of a file that has several
 * @defines: (nullable): macros, "NAME" or "NAME=VALUE"; NULL ends this and each of the next lists
 * @folders: (nullable): of included files
 * @args: (nullable): values of parameters, by name or number: "n=1024"
 * @buffers: (nullable): contents of buffers, by the parameter or variable: "in=zeros", "in=iota:i32", "in=FILE",
 *   "in=@16"
 * @arrays: (nullable): shapes of arrays of compiled code: "tile=64x64xf16"
 * @block, @grid: in x, y, z, where 0 stands for 1; all 0: the block that the kernel itself names, or else one warp; one
 *   block, or the cluster that the kernel requires
 * @dynamic_bytes: dynamic shared memory
 * @max_steps: statements that a block may execute
 * @threads: blocks that are run at once; 0: as many as there are processors. The counts are the same for any number
 * @skips_unknown: not 0: requests at addresses that are not known are left out and reported; else they are errors
 */
typedef struct {
  const char *path;
  const char *text;
  size_t length;
  const char *entry;
  const char *const *defines;
  const char *const *folders;
  const char *const *args;
  const char *const *buffers;
  const char *const *arrays;
  uint32_t block[3];
  uint32_t grid[3];
  uint64_t dynamic_bytes;
  uint64_t max_steps;
  uint32_t threads;
  uint32_t skips_unknown;
} SmbKernelLaunch;

/**
 * SmbSums: over requests; @max_degree is their highest. Of machine code, @wavefronts are those that profilers count per
 * * instruction (doc/model.md).
 */
typedef struct {
  uint64_t requests;
  uint64_t wavefronts;
  uint64_t ideal;
  uint64_t excess;
  uint64_t cycles;
  uint32_t max_degree;
} SmbSums;

/**
 * SmbAccessCounts: one access to shared memory, in one direction, over the whole grid.
 * @file: (nullable): the file that has the line; NULL if that is not known
 * @line, @column: from 1; 0: it is not known
 * @expression: the access, as the text has it, or the instruction
 * @array: (nullable): the shared array that it accesses
 * @op: "load", "store" or "atomic"
 * @width: bytes of one lane
 * @opcode: (nullable): of compiled code
 * @pc: of compiled code: the line of the PTX, or the byte offset in the function
 * @is_copy: whether it is a copy from global memory (cp.async), which is in no total
 * @exact: whether hardware makes just these requests, if it runs what was read (a compiler may still change the
 *   accesses of a text or of PTX); if it is 0, @reason says why it may make others
 * @depends_on_data: whether they are those of made-up contents of memory, which the launch does not give
 * @uncounted: requests that are not in @sums, because their addresses are not known
 */
typedef struct {
  const char *file;
  uint32_t line;
  uint32_t column;
  const char *expression;
  const char *array;
  const char *op;
  uint32_t width;
  const char *opcode;
  uint32_t pc;
  uint32_t is_copy;
  uint32_t exact;
  const char *reason;
  uint32_t depends_on_data;
  uint64_t uncounted;
  SmbSums sums;
} SmbAccessCounts;

/**
 * SmbGlobalCounts: one access to global memory, in one direction, over the whole grid; its place is said as that of
 * SmbAccessCounts.
 * @buffer: the parameter whose buffer it accesses
 * @requests: of warps
 * @segments: sectors of 32 bytes, or lines of 128, as of smb_counts_segment_bytes(), over all requests
 * @ideal: segments if the bytes of each request lay side by side
 * @excess: @segments - @ideal
 * @bytes: that active lanes access, each its own
 * @max_segments: most of one request
 * @uncounted: requests of which it is not known where they go, or whether they are made
 */
typedef struct {
  const char *file;
  uint32_t line;
  uint32_t column;
  const char *expression;
  const char *buffer;
  const char *op;
  uint32_t width;
  const char *opcode;
  uint32_t pc;
  uint64_t requests;
  uint64_t segments;
  uint64_t ideal;
  uint64_t excess;
  uint64_t bytes;
  uint32_t max_segments;
  uint64_t uncounted;
} SmbGlobalCounts;

/**
 * SmbConstantCounts: one load of constant memory that computes where; its place is said as that of SmbAccessCounts.
 * @variable: (nullable): the variable, or the parameters of the kernel; NULL if no request is counted
 * @exact, @reason, @uncounted: as of SmbAccessCounts
 * @sums: its distinct words, served one after the other, are wavefronts
 */
typedef struct {
  const char *file;
  uint32_t line;
  uint32_t column;
  const char *expression;
  const char *variable;
  uint32_t width;
  const char *opcode;
  uint32_t pc;
  uint32_t exact;
  const char *reason;
  uint64_t uncounted;
  SmbSums sums;
} SmbConstantCounts;

/**
 * SmbTrafficCounts: an instruction that uses shared memory and makes no request that is counted, such as a shuffle or a
 * bulk copy; in no total.
 * @kind: what it does, as smembank analyze calls it
 * @executions: by a warp
 * @bytes: of shared memory that they move
 * @unsized: of them, those of which it is not known how many bytes they move
 * @wavefronts: that they take, if @has_wavefronts: there is a rule for it
 * @exact: whether hardware executes it just as often
 */
typedef struct {
  const char *file;
  uint32_t line;
  uint32_t column;
  const char *expression;
  const char *opcode;
  uint32_t pc;
  const char *kind;
  uint64_t executions;
  uint64_t bytes;
  uint64_t unsized;
  uint64_t wavefronts;
  uint32_t has_wavefronts;
  uint32_t exact;
} SmbTrafficCounts;

/**
 * SmbKernelWarning: something that makes a count doubtful, or the kernel.
 * @kind: "race", "pending", "unset", "reserved", "descriptor", "loop", "merge", "data", "order", "meeting", "timing", "uncounted",
 *   "idle" or "block"
 * @line, @column: as of SmbAccessCounts
 * @expression: (nullable): the access that it is about
 * @message: in words
 */
typedef struct {
  const char *kind;
  uint32_t line;
  uint32_t column;
  const char *expression;
  const char *message;
} SmbKernelWarning;

/** What a kernel costs. */
typedef struct _SmbCounts SmbCounts;

/** smb_kernel_count: runs a launch and counts its accesses to memory, as smembank analyze does. */
SmbStatus smb_kernel_count(const SmbModel *model, const SmbKernelLaunch *launch, SmbCounts **counts,
                           char **error);
void smb_counts_free(SmbCounts *counts);

/** The kernel's name. */
const char *smb_counts_kernel(const SmbCounts *counts);

/** What was read: "text" of CUDA C, "ptx", "sass", or "layout" of lines as doc/layout.md describes them. */
const char *smb_counts_level(const SmbCounts *counts);

/** Shared memory of a block, static and dynamic, in bytes. */
uint64_t smb_counts_shared_bytes(const SmbCounts *counts);

/** The accesses that were executed, in the order of the text; NULL beyond the last one. */
size_t smb_counts_n_accesses(const SmbCounts *counts);
const SmbAccessCounts *smb_counts_access(const SmbCounts *counts, size_t index);

/** The sums of all accesses of an @op: "load", "store", "atomic"; NULL of another. */
const SmbSums *smb_counts_total(const SmbCounts *counts, const char *op);

/** Bytes of a segment of global memory: 32 or 128. */
uint32_t smb_counts_segment_bytes(const SmbCounts *counts);

/** The accesses to global memory, in the order of the text; NULL beyond the last one. */
size_t smb_counts_n_globals(const SmbCounts *counts);
const SmbGlobalCounts *smb_counts_global(const SmbCounts *counts, size_t index);

/** The sums of all accesses to global memory of an @op, of which only the numbers are set; NULL of another. */
const SmbGlobalCounts *smb_counts_global_total(const SmbCounts *counts, const char *op);

/** The loads of constant memory, in the order of the text; NULL beyond the last one. None where the architecture has no
 * rule for them. */
size_t smb_counts_n_constants(const SmbCounts *counts);
const SmbConstantCounts *smb_counts_constant(const SmbCounts *counts, size_t index);

/** Their sums. */
const SmbSums *smb_counts_constant_total(const SmbCounts *counts);

/** Other instructions that use shared memory, in the order of the text; NULL beyond the last one. */
size_t smb_counts_n_traffic(const SmbCounts *counts);
const SmbTrafficCounts *smb_counts_traffic(const SmbCounts *counts, size_t index);

/** The warnings, in the order of the text; NULL beyond the last one. */
size_t smb_counts_n_warnings(const SmbCounts *counts);
const SmbKernelWarning *smb_counts_warning(const SmbCounts *counts, size_t index);

/** What would make warning number @index go away; NULL if nothing is known. */
const SmbMessageHint *smb_counts_warning_hint(const SmbCounts *counts, size_t index);

/* Other layouts of shared arrays. */

/** What is searched: rows padded, elements swizzled (CuTe's Swizzle<B,M,S>), or both; bits. */
typedef enum {
  SMB_SEARCH_PAD = 1,
  SMB_SEARCH_SWIZZLE = 2,
  SMB_SEARCH_BOTH = 4,
} SmbSearchKinds;

/**
 * SmbSearch: zeros stand for the defaults.
 * @array: (nullable): the name of the array; NULL: every array that is used
 * @kinds: SmbSearchKinds; 0: all
 * @keep: how many of the best of each kind are wanted, at most 1000; 0: one
 * @row: of an array of one dimension: elements of a row, at most 2^20
 * @max_counts: requests that are counted before a search fails; 0: 2^29, which takes about a minute
 */
typedef struct {
  const char *array;
  uint32_t kinds;
  uint32_t keep;
  uint64_t row;
  uint64_t max_counts;
} SmbSearch;

/**
 * SmbFoundLayout: element n lies at place m = n with its bits swizzled, in rows of @columns elements that @pad more
 * follow.
 * @kind: "now", "pad", "swizzle" or "both"
 * @element_bytes: of one element
 * @bits, @base, @shift: B, M and S of the swizzle; @bits 0: none
 * @bytes: of the array in it
 * @sums: what the requests of the array cost in it
 */
typedef struct {
  const char *kind;
  uint32_t element_bytes;
  uint64_t columns;
  uint64_t pad;
  uint32_t bits;
  uint32_t base;
  int32_t shift;
  uint64_t bytes;
  SmbSums sums;
} SmbFoundLayout;

/**
 * SmbSearchedArray:
 * @name: of the array
 * @searched: layouts that were tried
 * @unfit: of them, those that would split or misalign a vector access, or need more shared memory than a block has
 * @ties: layouts that take as few wavefronts as the best, itself included
 * @first, @n_layouts: its layouts, by the index of smb_layouts_layout(): the first is the present one; the others, if
 *   there are any, come in their order: fewest wavefronts, then fewest bytes. None at all: requests ask for several
 *   arrays at once, so that it has no layout of its own
 */
typedef struct {
  const char *name;
  uint64_t searched;
  uint64_t unfit;
  uint64_t ties;
  size_t first;
  size_t n_layouts;
} SmbSearchedArray;

/** What was found. */
typedef struct _SmbLayouts SmbLayouts;

/** smb_kernel_search: the best layouts of shared arrays of a launch, by the requests of the text as it is:
 * loads that a compiler would merge, and whether the kernel can be rewritten, are left to smembank advise. */
SmbStatus smb_kernel_search(const SmbModel *model, const SmbKernelLaunch *launch,
                            const SmbSearch *search, SmbLayouts **layouts, char **error);

/**
 * SmbPresentLayout: how an array lies that begins at offset 0 and is not swizzled.
 * @element_bytes: of one element
 * @columns: elements of a row without padding; 0: it is one row
 * @pad: elements that follow each row and hold nothing
 * @bytes: of the array; 0: as many as the requests reach, in whole rows
 */
typedef struct {
  uint32_t element_bytes;
  uint64_t columns;
  uint64_t pad;
  uint64_t bytes;
} SmbPresentLayout;

/** smb_requests_search: as smb_kernel_search(), for an array of which only its @requests are known; @row is not used,
 * and @array is what it is called. */
SmbStatus smb_requests_search(const SmbModel *model, const SmbRequests *requests,
                              const SmbPresentLayout *now, const SmbSearch *search,
                              SmbLayouts **layouts, char **error);
void smb_layouts_free(SmbLayouts *layouts);

/** The arrays, in the order of the text; NULL beyond the last one. */
size_t smb_layouts_n_arrays(const SmbLayouts *layouts);
const SmbSearchedArray *smb_layouts_array(const SmbLayouts *layouts, size_t index);

/** A layout; NULL beyond the last one of the last array. */
const SmbFoundLayout *smb_layouts_layout(const SmbLayouts *layouts, size_t index);

#ifdef __cplusplus
}
#endif

#endif
