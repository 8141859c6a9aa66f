// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses: where each lane's address lies, whether it may be accessed, and the request that the warp
// makes of it.
#include "sim/machine/access/access.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/range.h"
#include "sim/base/text.h"
#include "sim/machine/check/checking.h"
#include "sim/machine/access/lanes.h"
#include "sim/machine/access/chunk.h"
#include "sim/machine/tensor-memory.h"

gboolean
smb_access_fail(SmbBlock *block, const Move *move, guint warp, guint lane, const char *problem) {
  g_autofree char *thread = smb_block_thread(block, warp, lane);
  const SmbSite *site = smb_program_site(block->program, move->site);
  g_autofree char *place = block->runtime && site->file ? smb_site_place(site) : NULL;
  if (block->check)
    smb_inspect_fault(block, move, warp, lane, problem);
  return smb_block_fail(block, move->place, "%s: %s, by %s%s%s", site->expression, problem, thread,
                        place ? ", at " : "", place ? place : "");
}

char *
smb_object_describe(const SmbBlock *block, const Object *object) {
  if (object->map)
    return g_strdup_printf("memory at 0x%" G_GINT64_MODIFIER "x", object->address);
  if (object->buffer < smb_program_n_parameters(block->program))
    return smb_program_describe_parameter(block->program, object->buffer);
  gboolean in_words = block->program->tracks && strchr(object->name, ' ');
  return in_words ? g_strdup(object->name) : g_strdup_printf("'%s'", object->name);
}

char *
smb_object_key(const SmbBlock *block, const Object *object) {
  return object->buffer < smb_program_n_parameters(block->program)
             ? smb_program_parameter_key(block->program, object->buffer)
             : g_strdup(object->name);
}

void
smb_access_fault(SmbBlock *block, SmbFault fault) {
  if (block->check)
    block->check->fault = fault;
  if (block->runtime && !block_needs_order(block))
    smb_runtime_fail(block->runtime, fault, NULL);
}

// A negative place is right if the pointer starts further inside its buffer.
static gboolean
hint_offset(const SmbBlock *block, const Object *object, gint64 byte) {
  g_autofree char *name = smb_object_key(block, object);
  const guint64 elements = (guint64)(((gint64)object->step - 1 - byte) / (gint64)object->step);
  return smb_hint(block->error, SMB_HINT_OFFSET, name, smb_number(elements).text);
}

// Where an access lies that no allocation has, or not all of it (transfer full).
static char *
describe_outside(const SmbBlock *block, guint64 address, guint width) {
  guint64 first = 0, end = G_MAXUINT64;
  gboolean has_map = block->map && !(address >> SMB_MEMORY_ADDRESS_BITS);
  if (has_map)
    smb_map_piece(block->map, address, &first, &end);
  if (has_map && smb_map_has(block->map, address) && address + width > end)
    return g_strdup_printf("the last %" G_GUINT64_FORMAT
                           " behind an allocation that ends at 0x%" G_GINT64_MODIFIER "x",
                           address + width - end, end);
  guint64 behind = address - first, before = end - address;
  if (address < SMB_MEMORY_LOWEST || MIN(behind, before) >> 40)
    return g_strdup("not near an allocation");
  gboolean is_behind = first > 0 && behind <= before;
  return g_strdup_printf("%" G_GUINT64_FORMAT " byte%s %s an allocation that %s at 0x%" //
                         G_GINT64_MODIFIER "x",
                         is_behind ? behind : before, smb_plural(is_behind ? behind : before),
                         is_behind ? "behind" : "before", is_behind ? "ends" : "begins",
                         is_behind ? first : end);
}

// An access to memory that is not allocated, of a launch that is run for its results.
static gboolean
fail_outside(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address) {
  static const char *const names[] = {[SMB_OP_CLASS_LOAD] = "load",
                                      [SMB_OP_CLASS_STORE] = "store",
                                      [SMB_OP_CLASS_ATOMIC] = "atomic"};
  g_autofree char *where = describe_outside(block, address, move->width);
  g_autofree char *problem =
      g_strdup_printf("illegal address: a%s %s of %u byte%s at 0x%" G_GINT64_MODIFIER "x, %s",
                      move->op_class == SMB_OP_CLASS_ATOMIC ? "n" : "", names[move->op_class],
                      move->width, smb_plural(move->width), address, where);
  return smb_access_fail(block, move, warp, lane, problem);
}

static gboolean
fail_bounds(SmbBlock *block, const Move *move, const Access *access, guint lane) {
  const Object *object = access_object(block, access, lane);
  gint64 byte = access->offset[lane] - (gint64)object->start;
  if (object->space == SPACE_SHARED && byte > G_MAXINT32 && byte <= G_MAXUINT32)
    byte -= G_GINT64_CONSTANT(1) << 32; // a sum of 32 bits that fell below 0
  g_autofree char *name = smb_object_describe(block, object), *problem = NULL;
  gboolean is_empty = object->space == SPACE_SHARED && object->size == 0;
  smb_access_fault(block, SMB_FAULT_ADDRESS);
  if (object->map && block->runtime)
    return fail_outside(block, move, access->warp, lane, object->address + (guint64)byte);
  if (is_empty)
    problem = g_strdup_printf("out of bounds: %s has no bytes", name);
  else if (object->step && access->offset[lane] < 0)
    problem = g_strdup_printf("out of bounds: byte %" G_GINT64_FORMAT " of %s", byte, name);
  else
    problem = g_strdup_printf(
        "out of bounds: byte %" G_GINT64_FORMAT " of %s, which has %" G_GSIZE_FORMAT " byte%s",
        byte, name, object->size - object->start, smb_plural(object->size - object->start));
  smb_access_fail(block, move, access->warp, lane, problem);
  if (is_empty)
    return smb_hint(block->error, SMB_HINT_DYNAMIC_BYTES, NULL, NULL);
  return object->step && access->offset[lane] < 0 && hint_offset(block, object, byte);
}

gboolean
smb_access_misalign(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 byte,
                    const char *of) {
  g_autofree char *place = of ? g_strdup_printf("byte %" G_GUINT64_FORMAT " of %s", byte, of)
                              : g_strdup_printf("the address 0x%" G_GINT64_MODIFIER "x", byte);
  g_autofree char *problem =
      g_strdup_printf("misaligned: %s is not a multiple of %u", place, move->align);
  smb_access_fault(block, SMB_FAULT_MISALIGNED);
  return smb_access_fail(block, move, warp, lane, problem);
}

static gboolean
fail_alignment(SmbBlock *block, const Move *move, const Access *access, guint lane,
               guint64 address) {
  const Object *object = access_object(block, access, lane);
  if (object->map)
    return smb_access_misalign(block, move, access->warp, lane, object->address + address, NULL);
  g_autofree char *of = object->space == SPACE_SHARED
                            ? g_strdup(smb_arch_say(block->arch, "shared memory"))
                            : smb_object_describe(block, object);
  return smb_access_misalign(block, move, access->warp, lane, address, of);
}

static Pattern
find_lane_pattern(const SmbBlock *block, SmbLanes mask, const LanePlaces *places) {
  if (places->differ == 0)
    return PATTERN_SAME;
  return places->stray == 0 && mask == block->all_lanes ? PATTERN_DENSE : PATTERN_ANY;
}

// The object that has an address, and where it begins; NULL if that is none, or other objects lie within.
static Object *
find_at_address(const SmbBlock *block, guint64 address, guint64 *start) {
  if (!block->map)
    return NULL;
  const MapVariable *variable = smb_map_variable(block->map, address);
  guint number = variable ? 0 : smb_map_find(block->map, address);
  const MapStretch *stretch = smb_map_stretch(block->map, number);
  *start = variable ? variable->address : stretch->address;
  if (variable)
    return &block->objects[variable->region];
  gboolean is_nothing = stretch->is_null || (block->runtime && stretch->is_blank);
  return is_nothing || stretch->has_variables ? NULL : &block->objects[block->n_numbered + number];
}

// The same for lanes that all access the object of the first of them, as most do. FALSE if some do not,
// or are not allowed to.
static gboolean
resolve_common(SmbBlock *block, const Move *move, SmbLanes mask, const guint64 *pointers,
               Access *access) {
  guint64 first = pointers[smb_lanes_first(mask)], number = first >> POINTER_OFFSET_BITS;
  gsize width = move->width;
  if (number > block->n_numbered)
    return FALSE;
  guint64 start = make_pointer((guint)number - 1, 0), all[SMB_MAX_LANES];
  Object *object =
      G_LIKELY(number) ? &block->objects[number - 1] : find_at_address(block, first, &start);
  if (!object || object->size < width)
    return FALSE;
  LanePlaces places = {
      .last = object->size - width, .width = (guint32)width, .first = first - start};
  if (mask != block->all_lanes) {
    // Lanes that are off touch what the first one does.
    for (guint lane = 0; lane < block->lanes; lane++)
      all[lane] = pointers[mask >> lane & 1 ? lane : smb_lanes_first(mask)];
    pointers = all;
  }
  block->place_loops->point(&places, block->lanes, pointers, start, (guint32)object->base,
                            access->offset, access->request.offset);
  if (places.outside >> 63 || places.low_bits & (move->align - 1))
    return FALSE;
  access->lanes[object->space] = mask;
  access->common = object;
  access->pattern = find_lane_pattern(block, mask, &places);
  return TRUE;
}

gboolean
smb_access_resolve_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes mask,
                          const guint32 *base, guint32 offset, Access *access) {
  Object *object = &block->objects[SHARED_OBJECT];
  gsize width = move->width;
  if (object->size < width || object->size > G_MAXINT32)
    return FALSE;
  block->work += WORK_OF_SHARED;
  memset(access->lanes, 0, sizeof access->lanes);
  access->warp = warp;
  access->common = object;
  access->lanes[SPACE_SHARED] = mask;
  LanePlaces places = {.last = object->size - width,
                       .width = (guint32)width,
                       .first = base[smb_lanes_first(mask)] + offset};
  block->place_loops->share(&places, block->lanes, mask, base, offset, access->request.offset);
  access->low = places.low;
  access->high = places.high;
  access->pattern = find_lane_pattern(block, mask, &places);
  return !(places.outside >> 63) && !(places.low_bits & (move->align - 1));
}

// The system's part of shared memory lies below the program's own, whatever a device does, as a number of 32 bits or as
// one below 0, and after it in what the machine keeps.
static gboolean
is_reserved_bytes(const SmbBlock *block, guint object, gint64 *offset, gsize width) {
  gint64 reserved = (gint64)block->reserved_bytes;
  gint64 below = *offset > G_MAXINT32 ? *offset - (G_GINT64_CONSTANT(1) << 32) : *offset;
  if (object != SHARED_OBJECT || below < -reserved || below + (gint64)width > 0)
    return FALSE;
  *offset = (gint64)block->reserved_start + reserved + below;
  return TRUE;
}

gboolean
smb_shared_find(const SmbBlock *block, guint64 address, gsize bytes, guint32 *offset) {
  if (smb_block_find(block, address) != SHARED_OBJECT)
    return FALSE;
  gint64 at = (gint64)(address - make_pointer(SHARED_OBJECT, 0));
  gboolean is_own = at >= 0 && smb_range_is_within((guint64)at, bytes, block->shared_bytes);
  if (!is_own && !is_reserved_bytes(block, SHARED_OBJECT, &at, bytes))
    return FALSE;
  *offset = (guint32)at;
  return TRUE;
}

// A program that asks where the system's part lies means it; any other is out of bounds there. A device does not
// notice.
static void
warn_reserved(SmbBlock *block, const Move *move, guint warp, guint lane, gint64 offset) {
  if (smb_tensor_memory_is_partition(block, (gsize)offset, move->width))
    return;
  gboolean is_told =
      block->sink->warn && smb_shadow_is_news(block, SMB_WARNING_RESERVED, move->site, move->site);
  if (block->program->reaches_reserved || (!is_told && !block->check))
    return;
  gint64 end = (gint64)(block->reserved_start + block->reserved_bytes);
  g_autofree char *thread = smb_block_thread(block, warp, lane);
  g_autofree char *message = g_strdup_printf(
      "out of bounds: byte %" G_GINT64_FORMAT " of shared memory, in the %" G_GSIZE_FORMAT
      " bytes below it that are reserved for the system (a device does not report this), by %s",
      offset - end, block->reserved_bytes, thread);
  if (block->check)
    smb_inspect_fault(block, move, warp, lane, message);
  if (is_told)
    block->sink->warn(block->user, SMB_WARNING_RESERVED, move->site, move->site, message);
}

// The object that a lane's pointer points into, and the offset in it; NULL if it points into none. An access that
// crosses the end of a variable is taken to be in the memory next to it, whose contents are unknown; a store there
// makes everything else unknown.
static const Object *
find_named(SmbBlock *block, const Move *move, guint64 pointer, guint *number, gint64 *offset) {
  *number = smb_block_find(block, pointer);
  gboolean has_number = pointer >> POINTER_OFFSET_BITS != 0;
  if (!has_number && block->map && !block->runtime &&
      smb_map_span(block->map, pointer, move->width) < move->width) {
    *number = block->n_numbered + smb_map_find(block->map, pointer);
    if (move->op_class != SMB_OP_CLASS_LOAD)
      smb_words_mark_unknown(block);
  }
  // A parameter that is a value has a number, and no memory; nor has what is next to null.
  if (*number >= (has_number ? block->n_numbered : block->n_objects) ||
      !block->objects[*number].name)
    return NULL;
  const Object *object = &block->objects[*number];
  guint64 start = has_number ? make_pointer(*number, 0) : object->address;
  *offset = (gint64)(pointer - start);
  return object;
}

static gboolean
fail_pointer(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 pointer) {
  smb_access_fault(block, SMB_FAULT_ADDRESS);
  if (block->runtime)
    return fail_outside(block, move, warp, lane, pointer);
  if (pointer == 0)
    return smb_access_fail(block, move, warp, lane, "a null pointer");
  if (!block->map || pointer >= SMB_MEMORY_LOWEST)
    return smb_access_fail(block, move, warp, lane, "a pointer that points to nothing");
  g_autofree char *problem =
      g_strdup_printf("a null pointer, plus %" G_GUINT64_FORMAT " bytes", pointer);
  return smb_access_fail(block, move, warp, lane, problem);
}

// The object and offset of each lane, one after the other.
static gboolean
resolve_lanes(SmbBlock *block, const Move *move, guint warp, SmbLanes mask,
              const guint64 *addresses, Access *access) {
  gsize width = move->width;
  FOR_LANES(mask, lane) {
    guint number = 0;
    gint64 offset = 0;
    const Object *object = find_named(block, move, addresses[lane], &number, &offset);
    if (!object)
      return fail_pointer(block, move, warp, lane, addresses[lane]);
    gboolean outside = offset < 0 || !smb_range_is_within((guint64)offset, width, object->size);
    if (outside && is_reserved_bytes(block, number, &offset, width)) {
      warn_reserved(block, move, warp, lane, offset);
      outside = FALSE;
    }
    access->object[lane] = number;
    access->offset[lane] = offset;
    if (outside)
      return fail_bounds(block, move, access, lane);
    guint64 address = object->base + (guint64)offset;
    if (address % move->align != 0) {
      return fail_alignment(block, move, access, lane, address);
    }
    access->lanes[object->space] |= (SmbLanes)1 << lane;
    if (object->space == SPACE_SHARED)
      access->request.offset[lane] = (guint32)address;
  }
  return TRUE;
}

// Of a launch that is checked: looks at the lanes behind the first one that failed, of which some may fail as it does.
static void
count_faults(SmbBlock *block, const Move *move, guint warp, SmbLanes mask, const guint64 *addresses,
             Access *access) {
  GError **first = block->error;
  SmbLanes behind = mask & ~smb_lanes_below(block->check->failed_lane + 1);
  FOR_LANES(behind, lane) {
    g_autoptr(GError) error = NULL;
    block->error = &error;
    resolve_lanes(block, move, warp, (SmbLanes)1 << lane, addresses, access);
  }
  block->error = first;
}

gboolean
smb_access_resolve(SmbBlock *block, const Move *move, guint warp, SmbLanes mask,
                   const guint64 *addresses, Access *access) {
  access->warp = warp;
  memset(access->lanes, 0, sizeof access->lanes);
  access->common = NULL;
  access->pattern = PATTERN_ANY;
  access->low = 1;
  access->high = 0;
  block->work += WORK_OF_ACCESS;
  if (resolve_common(block, move, mask, addresses, access))
    return TRUE;
  block->work += (guint64)WORK_OF_LANE * smb_lanes_count(mask);
  if (resolve_lanes(block, move, warp, mask, addresses, access))
    return TRUE;
  if (block->check)
    count_faults(block, move, warp, mask, addresses, access);
  return FALSE;
}

// An atomic of 16 bits asks for the words that they are in.
static guint
asked_width(const Move *move) {
  return move->op_class == SMB_OP_CLASS_ATOMIC ? MAX(move->width, 4) : move->width;
}

// Whether the architecture has a rule for what the warp asks of shared memory.
static gboolean
check_rule(SmbBlock *block, const Move *move) {
  g_autoptr(GError) reason = NULL;
  if (move->width > SMB_MAX_WIDTH)
    return smb_block_fail(block, move->place,
                          "%s: an access to shared memory cannot be %u bytes wide",
                          smb_program_site(block->program, move->site)->expression, move->width);
  if (G_LIKELY(smb_arch_rule(block->arch, move->op, asked_width(move))->defined))
    return TRUE;
  smb_arch_check_rule(block->arch, move->op, asked_width(move), &reason);
  return smb_block_fail(block, move->place, "%s: %s",
                        smb_program_site(block->program, move->site)->expression, reason->message);
}

// A program that computes with plain addresses has one object for all of shared memory.
const char *
smb_access_array(const SmbBlock *block, const Access *access, guint lane, guint32 offset) {
  if (block->reserved_bytes && offset >= block->reserved_start)
    return "reserved";
  const SmbArray *array =
      block->program->tracks ? smb_program_array_at(block->program, offset) : NULL;
  return array ? array->name : access_object(block, access, lane)->name;
}

// Where a copy comes from: the lines of its source, by their order, and the word of each lane. Buffers begin with a
// line.
static void
set_sources(SmbRequest *request, const guint64 *sources) {
  guint64 lines[SMB_MAX_LANES];
  guint n = 0;
  request->has_source = sources != NULL;
  if (!sources)
    return;
  FOR_LANES(request->mask, lane) {
    if (sources[lane] == MOVE_NO_SOURCE) {
      request->source[lane] = SMB_SOURCE_NONE;
      continue;
    }
    guint64 line = sources[lane] / SMB_SOURCE_LINE_BYTES;
    guint word = (guint)(sources[lane] % SMB_SOURCE_LINE_BYTES / 4), i = 0;
    while (i < n && lines[i] != line)
      i++;
    if (i == n)
      lines[n++] = line;
    request->source[lane] = (guint16)(SMB_SOURCE_LINE_WORDS * i + word);
  }
}

static void
tell_shared(SmbBlock *block, const Move *move, const char *array, const Access *access) {
  const SmbRequest *request = &access->request;
  SmbRequest words;
  if (G_UNLIKELY(asked_width(move) != move->width)) {
    words = *request;
    words.width = (guint8)asked_width(move);
    FOR_LANES(request->mask, lane) {
      words.offset[lane] &= ~(guint32)(words.width - 1);
    }
    request = &words;
  }
  block->sink->shared(block->user, move->site, access->warp, array, request);
}

guint
smb_constant_bytes(guint element_bytes, guint n_elements) {
  return n_elements > 1 ? 4 : MIN(element_bytes, 8);
}

// A request for each instruction that the load becomes.
static void
tell_constant(const SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes) {
  enum {
    OBJECT_SHIFT = 16, // variables are apart: all of them have 64 KiB
  };
  const char *name = access_object(block, access, smb_lanes_first(lanes))->name;
  guint width = MIN(move->width, move->constant_bytes);
  if (!smb_arch_rule(block->arch, SMB_OP_LD_CONST, width)->defined)
    return;
  for (guint at = 0; at < move->width; at += width) {
    SmbRequest request = {.mask = lanes, .op = SMB_OP_LD_CONST, .width = (guint8)width};
    FOR_LANES(lanes, lane) {
      guint32 object = access->common ? 0 : access->object[lane];
      request.offset[lane] = (object << OBJECT_SHIFT) + (guint32)access->offset[lane] + at;
    }
    block->sink->constant(block->user, move->site, name, &request);
  }
}

static void
tell_local(const SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes) {
  guint64 offsets[SMB_MAX_LANES] = {0};
  FOR_LANES(lanes, lane) {
    offsets[lane] = (guint64)access->offset[lane];
  }
  block->sink->local(block->user, move->site, access->warp, lanes, move->width, offsets);
}

gboolean
smb_access_report(SmbBlock *block, const Move *move, Access *access) {
  SmbLanes shared = access->lanes[SPACE_SHARED], global = access->lanes[SPACE_GLOBAL];
  if (block->signature)
    smb_signature_access(block, move, access);
  if (shared) {
    if (!check_rule(block, move))
      return FALSE;
    guint first = smb_lanes_first(shared);
    const char *array = smb_access_array(block, access, first, access->request.offset[first]);
    access->request.mask = shared;
    access->request.op = (guint8)move->op;
    access->request.width = (guint8)move->width;
    set_sources(&access->request, move->sources);
    if (block->sink->shared)
      tell_shared(block, move, array, access);
    if (G_UNLIKELY(block->chunks) && move->op_class != SMB_OP_CLASS_LOAD)
      smb_chunk_clear_access(block, access, move->width);
    if (block->sink->warn)
      smb_shadow_access(block, move, access);
    else if (block->check && block->pending)
      smb_pending_check(block, move, access);
  }
  if (global && block->sink->global && !move->is_surface) {
    guint64 addresses[SMB_MAX_LANES];
    const char *name = access_object(block, access, smb_lanes_first(global))->name;
    guint64 start = access->common ? access->common->address : 0;
    if (access->common)
      EACH_LANE(block->lanes, addresses[lane] = start + (guint64)access->offset[lane];)
    else
      memset(addresses, 0, sizeof addresses);
    FOR_LANES(access->common ? 0 : global, lane) {
      addresses[lane] = access_object(block, access, lane)->address + (guint64)access->offset[lane];
    }
    block->sink->global(block->user, move->site, access->warp, name, global, move->width,
                        addresses);
  }
  if (G_UNLIKELY(access->lanes[SPACE_PRIVATE] && block->sink->local))
    tell_local(block, move, access, access->lanes[SPACE_PRIVATE]);
  if (G_UNLIKELY(move->constant_bytes && access->lanes[SPACE_CONSTANT]) && block->sink->constant)
    tell_constant(block, move, access, access->lanes[SPACE_CONSTANT]);
  return TRUE;
}
