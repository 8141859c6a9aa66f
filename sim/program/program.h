// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A program: one kernel, with what is known of it before it is launched, whatever language it was read
// from. A front end reads it (CUDA C: sim/cuda/cuda.h), once; sim/machine/block.h runs it, block by block. Everything
// else sees a program through this header only.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"
#include "sim/base/scalar.h"
#include "sim/base/source.h"

G_BEGIN_DECLS

/**
 * SmbProgramLimits: what a kernel may use before it is refused; 0 stands for the default.
 * @max_tokens: tokens after the expansion of macros
 * @max_depth: nesting of statements and expressions
 * @max_steps: statements that one block executes, each counted once however many lanes it has
 * @max_memory: bytes of local arrays, and bytes of written global memory, that are kept
 */
typedef struct {
  guint max_tokens;
  guint max_depth;
  guint64 max_steps;
  guint64 max_memory;
} SmbProgramLimits;

#define SMB_PROGRAM_MAX_TOKENS 1000000u
#define SMB_PROGRAM_MAX_DEPTH  200u
#define SMB_PROGRAM_MAX_STEPS  G_GUINT64_CONSTANT(1000000)
#define SMB_PROGRAM_MAX_MEMORY (G_GUINT64_CONSTANT(512) << 20)
/** What the limits may be at most: nesting takes stack, the rest memory. */
#define SMB_PROGRAM_LARGEST_DEPTH  2000u
#define SMB_PROGRAM_LARGEST_TOKENS 100000000u
#define SMB_PROGRAM_LARGEST_MEMORY (G_GUINT64_CONSTANT(1) << 40)

/** SmbFrame: a place in a source: of an instruction, or of a call that it was inlined through. */
typedef struct {
  const char *file;
  guint line;   /* from 1 */
  guint column; /* from 1, in bytes; 0: it is not known */
} SmbFrame;

/** SmbFrames: which of the places that an instruction was inlined through stands for it. */
typedef enum {
  SMB_FRAMES_OWN, /* the innermost one outside of libraries (smb_frame_is_own()); if there is none, the leaf */
  SMB_FRAMES_LEAF,  /* the innermost one */
  SMB_FRAMES_OUTER, /* the outermost one: in the kernel itself */
} SmbFrames;

/** Where a kernel touches memory: one access in the text, or one instruction, in one direction. */
typedef struct {
  const char *file;       /* of a file that the program's includes; else NULL */
  guint line;             /* from 1; 0 where the program has no text */
  guint column;           /* from 1, in bytes */
  guint32 offset;         /* byte offset into the source, or what the program has for one */
  const char *expression; /* the text of the access, such as "tile[threadIdx.y][x]" */
  SmbOpClass op_class;    /* load, store or atomic */
  guint width;            /* bytes that one lane asks for */
  /* which lanes ask for what is up to an assembler: its requests are not counted */
  gboolean no_rule;
  /* for compiled code: it asks for shared memory of the block, whatever its address is */
  gboolean is_shared;
  gboolean may_merge; /* a compiler may ask for more bytes at once: the count is an upper bound */
  /* for a text: in a loop whose bound the text says, no barrier within; not volatile, not behind #pragma unroll 1 */
  gboolean is_unrolled;
  const char *opcode; /* of compiled code, such as "ld.shared.v4.f32"; else NULL */
  guint32 pc; /* for compiled code: the line of the PTX, or the byte offset in the function */
  guint n_frames;
  const SmbFrame *frames; /* the calls that @file and @line are inlined through, innermost first */
} SmbSite;

/** A parameter of the kernel. */
typedef struct {
  const char *name;
  /* as C writes it: "const float *" says "float *"; of PTX ".u32", or "12 bytes" */
  const char *type;
  gboolean is_pointer;
  /* for a pointer: it is none if the launch gives it a value (8 bytes of compiled code) */
  gboolean may_be_value;
  gsize bytes; /* for a structure that the kernel has in constant memory: its size; else 0 */
  gsize
      stored_bytes; /* its size, if a launch can name its fields: of compiled code, and structures of numbers; else 0 */
  gboolean is_unnamed; /* its name was made up: messages ask for it by its number */
  SmbScalar element;   /* for a pointer: what its buffer holds */
  guint element_bytes; /* of what it points at, such as 16 of a float4; 1 of void */
  /* for compiled code whose text is known (sim/program/prototype.h): whether it is a number, and which; (nullable) (element-type
   * SmbMember): the members of a structure */
  gboolean is_number;
  SmbScalar scalar;
  const GArray *members;
  /* of compiled code that copies boxes of tensors: it has the size of a tensor map, and no members that a text says. It
   * needs no value: without one nothing is known of it */
  gboolean is_tensor_map;
  const char
      *unknown; /* (nullable): why its text does not say where the members of a structure are */
} SmbParameter;

typedef struct _SmbProgram SmbProgram;

/**
 * SmbProgramOptions: how a program is read.
 * @entry: (nullable): which kernel of the source; %NULL if there is one only
 * @defines: (nullable) (array zero-terminated=1): "NAME=VALUE" or "NAME", which win over the file's
 * @folders: (nullable) (array zero-terminated=1): where included files are looked for, behind the folder
 *   of the file that includes them
 * @frames: which place a site of compiled code has, of those that it was inlined through
 * @compiled_from: (nullable): what the lines of compiled code call the file that the source is named after
 * @cuda_arch: value of __CUDA_ARCH__, such as 900 (smb_program_cuda_arch())
 * @processor: (nullable): what Clang calls a chip of AMD's, such as "gfx942" (smb_program_processor()); %NULL for
 *   NVIDIA's
 * @lanes: of a warp of the architecture that it is to run on; 0 stands for SMB_NVIDIA_LANES
 * @limits: what the kernel may use
 * @addresses: (nullable) (transfer none) (element-type utf8 guint64): of code that is run for its results: where variables of the
 *   module lie, by their names; pointers to functions are then those of the module, too
 */
typedef struct {
  const char *entry;
  const char *const *defines;
  const char *const *folders;
  SmbFrames frames;
  const char *compiled_from;
  guint cuda_arch;
  const char *processor;
  guint lanes;
  SmbProgramLimits limits;
  GHashTable *addresses;
} SmbProgramOptions;

/** What a source is: "text" of CUDA C, or compiled code: "ptx", …; %NULL: of no kind that is
 * known (transfer none). */
const char *smb_program_recognize(SmbSource *source);

/** What __CUDA_ARCH__ is on an architecture, such as 900. */
guint smb_program_cuda_arch(const SmbArch *arch);

/**
 * What Clang calls the chip of an architecture of AMD's, whatever its waves: "gfx1100"; %NULL: it is NVIDIA's (transfer
 * none).
 */
const char *smb_program_processor(const SmbArch *arch);

/**
 * smb_program_read:
 * @source: (transfer none): what it is read from; its contents tell in which language it is
 * @error: SMB_ERROR_INPUT with the place, the line and a caret; SMB_ERROR_USAGE for the entry and the
 *   definitions of @options
 *
 * Returns: (transfer full): the program, immutable; any thread may run it
 */
SmbProgram *smb_program_read(SmbSource *source, const SmbProgramOptions *options, GError **error);

/**
 * smb_program_read_again:
 * @source: (transfer none) (nullable): another text in the same language; %NULL for the program's own
 * @defines: (nullable): other definitions; %NULL for those that @program was read with
 * @error: as of smb_program_read()
 *
 * Returns: (transfer full): the kernel of the same name, read as @program was
 */
SmbProgram *smb_program_read_again(const SmbProgram *program, SmbSource *source,
                                   const char *const *defines, GError **error);

/** Another reference to it, and the end of one: the last of them frees it. */
SmbProgram *smb_program_ref(SmbProgram *program);
void smb_program_free(SmbProgram *program);

/** What was read: "text" for the text of CUDA C (transfer none). */
const char *smb_program_level(const SmbProgram *program);

/** Whether it is machine code, whose instructions are those that a profiler sees. */
gboolean smb_program_is_machine_code(const SmbProgram *program);

/** Name of the kernel (transfer none). */
const char *smb_program_name(const SmbProgram *program);

/** The kernel's name in compiled code, mangled (nullable) (transfer none): %NULL of a text that is compiled yet. */
const char *smb_program_symbol(const SmbProgram *program);

/** Where it was read from (nullable) (transfer none): a program may have no text. */
SmbSource *smb_program_source(const SmbProgram *program);

/** What messages call the file that it was read from (transfer none). */
const char *smb_program_file(const SmbProgram *program);

guint smb_program_n_sites(const SmbProgram *program);
const SmbSite *smb_program_site(const SmbProgram *program, guint index);

/**
 * SmbCodeLine: an instruction, in a disassembly.
 * @pc: as of SmbSite
 * @text: as a disassembler writes it
 * @file, @line: (nullable): which place of the source stands for it, as of SmbSite; %NULL, 0: it is not known
 * @frames: (nullable) (element-type SmbFrame): the calls that these are inlined through, innermost first
 */
typedef struct {
  guint32 pc;
  char *text;
  char *file;
  guint line;
  GArray *frames;
} SmbCodeLine;

void smb_code_line_free(SmbCodeLine *instruction);

/**
 * smb_program_instructions:
 *
 * Returns: (transfer full) (nullable) (element-type SmbCodeLine): those of the kernel, in their order; %NULL: its
 *   text shows what it does
 */
GPtrArray *smb_program_instructions(const SmbProgram *program);

/** Where a site stands: "line 12", "scan.cu:12", or "0x120" of one that has no line (transfer full). */
char *smb_site_place(const SmbSite *site);

/** Whether two sites stand in the same line of a file; a site without a line is like no other one. */
gboolean smb_site_shares_line(const SmbSite *site, const SmbSite *other);

/** Whether a file is the user's own, and none of a toolkit or of a library that is inlined everywhere. */
gboolean smb_frame_is_own(const SmbFrame *frame);

/**
 * smb_program_message:
 * @offset: of a site, or of another place that the program has
 * @text: what is to be said of that place
 *
 * Returns: (transfer full): as smb_source_message(); for a program without a text "FILE: NAME+0x120: text"
 */
char *smb_program_message(const SmbProgram *program, guint32 offset, const char *text);

/**
 * smb_program_site_message:
 * @text: what is to be said of @site
 *
 * As smb_program_message(), for the place of the source that an instruction has: "FILE:LINE:COLUMN: text", without the
 * line's text where that is not the program's own. A line whose column is not known is meant from its first.
 *
 * Returns: (transfer full): the message
 */
char *smb_program_site_message(const SmbProgram *program, const SmbSite *site, const char *text);

/** Whether a site is in @file, which may be the end of a path; (nullable): %NULL is every file. */
gboolean smb_program_site_is_in(const SmbProgram *program, const SmbSite *site, const char *file);

guint smb_program_n_parameters(const SmbProgram *program);
SmbParameter smb_program_parameter(const SmbProgram *program, guint index);

/** Whether a text is the name of a parameter, or its number. */
gboolean smb_program_is_parameter(const SmbProgram *program, guint index, const char *text);

/**
 * smb_program_parameter_key: Returns: (transfer full): the name of a parameter, or its number if the name is made up
 */
char *smb_program_parameter_key(const SmbProgram *program, guint index);

/** smb_program_describe_parameter: Returns: (transfer full): what messages call a parameter: "'in'"; of compiled code
 * "parameter 2 ('in')", without the name if it is only made of that of the kernel */
char *smb_program_describe_parameter(const SmbProgram *program, guint index);

/** Most dimensions of a __shared__ array. */
#define SMB_ARRAY_MAX_DIMENSIONS 3

/**
 * SmbArray: a __shared__ variable that the kernel uses, or a member of one that is a structure: "s.tile".
 * @name: its name
 * @element: type of an element, as C writes it: "float4"
 * @element_bytes: its size
 * @n_dimensions: 0 for a variable that is no array; of more than there may be, the outer ones are one
 * @dimension: elements, outermost first; for a dynamic array 0: the launch says how many
 * @base: byte offset in shared memory
 * @bytes: size of a static array; 0 of a dynamic one
 * @is_dynamic: whether it is extern: it has all dynamic shared memory, as every other such array has
 * @is_carved: whether it is a part of the dynamic one that a pointer names
 * @variable: (nullable): of a member: the variable
 * @inside: of a member: byte offset in the variable
 * @is_typed: of compiled code: whether a text says what it holds
 * @is_union: of compiled code: whether a text says that it is a union: bytes, which smb_program_array_of() divides
 * @least_scalar, @most_scalar: of a member of a union: bytes of the narrowest and of the widest value in it
 * @tile: (nullable): where each element lies (sim/layout/tile.h), if they do not lie row by row; @n_dimensions is 1 then
 * @line: where it is declared, from 1
 * @column: from 1, in bytes
 */
typedef struct {
  const char *name;
  const char *element;
  guint element_bytes;
  guint n_dimensions;
  guint64 dimension[SMB_ARRAY_MAX_DIMENSIONS];
  guint32 base;
  gsize bytes;
  gboolean is_dynamic;
  gboolean is_carved;
  const char *variable;
  gsize inside;
  gboolean is_typed;
  gboolean is_union;
  guint least_scalar;
  guint most_scalar;
  const struct _SmbTile *tile;
  guint line;
  guint column;
} SmbArray;

/** Number of __shared__ variables that the kernel and what it calls use. */
guint smb_program_n_arrays(const SmbProgram *program);

/** One of them, in the order of the text (transfer none). */
const SmbArray *smb_program_array(const SmbProgram *program, guint index);

/**
 * smb_program_array_at:
 * @offset: byte offset in shared memory
 *
 * Returns: (nullable) (transfer none): the array that holds the byte: of several dynamic ones the first
 */
const SmbArray *smb_program_array_at(const SmbProgram *program, guint32 offset);

/**
 * smb_program_array_of:
 * @offset: byte offset in shared memory
 * @width: bytes that a lane asks for there
 * @opcode: (nullable): as of SmbSite
 *
 * Returns: (nullable) (transfer none): as smb_program_array_at(), but of a union the member that is meant: the only one with values of
 *   that width there. The union if there are several, or none
 */
const SmbArray *smb_program_array_of(const SmbProgram *program, guint32 offset, guint width,
                                     const char *opcode);

/** Number of members of the unions in shared memory, and one of them, as an array of its own (transfer none). */
guint smb_program_n_views(const SmbProgram *program);
const SmbArray *smb_program_view(const SmbProgram *program, guint index);

/**
 * smb_program_view_named:
 * @variable: (out): the union, as an index of smb_program_array()
 *
 * Returns: (nullable) (transfer none): the member of a union of that name: "u.tile"
 */
const SmbArray *smb_program_view_named(const SmbProgram *program, const char *name,
                                       guint *variable);

/** smb_array_byte_name: Returns: (transfer full): what messages and options call a byte of a union: "u+136" */
char *smb_array_byte_name(const SmbArray *array, guint32 offset);

/** Bytes of the static __shared__ variables, each aligned to its type. */
gsize smb_program_static_shared(const SmbProgram *program);

/** smb_program_registers: Returns: of a thread, of machine code; 0 of other programs */
guint smb_program_registers(const SmbProgram *program);

/**
 * smb_program_own_block:
 * @block: (out): set if the kernel says which one it is
 *
 * Returns: whether the kernel says which block it is launched with: the one that it requires, or else as many threads
 *   as it has at most, side by side
 */
gboolean smb_program_own_block(const SmbProgram *program, guint block[3]);

/** The smallest grid that the kernel can be launched with: a block, or the cluster that it requires. */
void smb_program_own_grid(const SmbProgram *program, guint grid[3]);

/** Whether blocks must run one after another, because they meet in atomics on global memory. */
gboolean smb_program_is_serial(const SmbProgram *program);

/** Whether blocks wait for others of their cluster, or ask for their shared memory. */
gboolean smb_program_meets_cluster(const SmbProgram *program);

/** Whether threads call the device runtime, such as kernels that launch kernels do. */
gboolean smb_program_asks(const SmbProgram *program);

/** Whether threads may wait for what others write to memory: loads in an order, and atomics with a result. */
gboolean smb_program_polls(const SmbProgram *program);

/**
 * smb_program_evaluate:
 * @expression: integer expression over what the program defines, such as "(32 + IPAD) * 4"; a plain
 *   number for a program that defines nothing
 * @error: SMB_ERROR_USAGE
 *
 * May be called from several threads.
 */
gboolean smb_program_evaluate(const SmbProgram *program, const char *expression, gint64 *value,
                              GError **error);

/**
 * smb_program_device_code:
 *
 * Of a text: what a compiler is to be given, together with the same @defines, so that it compiles what is evaluated
 * here: functions of the host, kernels that were not chosen, and the definitions that @defines win over
 * are blanks. Lines and columns stay. For compiled code: all of it, as the driver takes it: PTX with a 0 after it, a
 * cubin.
 *
 * Returns: (transfer full) (nullable): %NULL for a program that neither takes anything of
 */
GBytes *smb_program_device_code(const SmbProgram *program);

/**
 * smb_program_argument:
 * @parameter: index of a scalar parameter
 * @arguments: (nullable) (array zero-terminated=1): as SmbLaunch.arguments
 * @error: SMB_ERROR_USAGE
 *
 * Returns: (transfer full): the bytes of the parameter's value
 */
GBytes *smb_program_argument(const SmbProgram *program, guint parameter,
                             const char *const *arguments, GError **error);

/** Names of the definitions that neither the text nor another macro mentions (transfer full). */
GStrv smb_program_unused_defines(const SmbProgram *program);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbProgram, smb_program_free)

G_END_DECLS
