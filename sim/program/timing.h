// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an instruction of machine code says of its own time: ptxas writes into it when the next one may be issued, and what has to
// be complete before. Private to the library.
//
// Sources: the bits are those of the documents of maxas and of "Analyzing Modern NVIDIA GPU cores" (arXiv 2503.20481, section 4);
// tests/test-timing.c compares them with code whose schedule is known.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
#define RATE(name, key, way, pipe) SMB_RATE_##name,
#include "sim/program/rates.def"
#undef RATE
  SMB_N_RATES,
} SmbRate;

enum {
  SMB_TIMING_BYTES = 16,          // of an instruction, since sm_70
  SMB_N_BOARDS = 6,               // scoreboards of a warp
  SMB_GROUP_BOARD = SMB_N_BOARDS, // of its products of a warpgroup
  SMB_N_ALL_BOARDS,
  SMB_NO_BOARD = 7,
  SMB_REGISTER_BANKS = 2, // even and odd registers
  SMB_SLOT_C = 2,         // places for a register that it reads: A, B, C,
  SMB_SLOT_C_UPPER = 3,   // and the second one of C, where that has 64 bits
  SMB_REGISTER_SLOTS = 4,
  SMB_NO_REGISTER = 255,
  SMB_MAX_SENT = 8, // registers that go through the queue with an instruction
};

/**
 * SmbTiming: of one instruction
 * @rate: SmbRate
 * @stall: cycles until the warp's next instruction may be issued, 0 to 15
 * @gives_way: others may go first, even if the next instruction is ready
 * @write_board: the scoreboard that is open until its results are there; SMB_NO_BOARD: none
 * @read_board: the same, until its operands have been read
 * @waits: a bit for each scoreboard that must not be open when it is issued
 * @sends: registers of each lane that it sends to what sub-partitions share: those of its address, and of what it stores
 * @reads: the register that it reads in each place, if that takes time of a bank: SMB_NO_REGISTER: none
 * @sent: a bit for the bank of each register of 32 bits that goes through the queue with it, in the order in which they are read; @n_sent: how many;
 *   @sent_late: cycles from its issue until the first of them is read, if nothing is in its way
 * @keeps: a bit for each place whose register is kept for a later instruction (".reuse")
 * @writes: a bit for each bank of the registers of its result; 0: none
 * @turns: how many times its result occupies those banks: 128 bits are written by 64
 * @is_strong: a load of what others may have changed: it passes the first-level cache by
 * @is_real: of an atomic, that its numbers are real ones; @is_swap: that it compares and swaps
 * @board, @open: of SMB_RATE_WAIT: it waits until no more than @open instructions hold @board open; SMB_NO_BOARD: none. Of
 *   SMB_RATE_TENSOR_GROUP: SMB_GROUP_BOARD, if a group of products ends with it
 * @repeats: how many times as long as its rate says it occupies its pipe
 * @lines: of SMB_RATE_TENSOR_GROUP: lines of 128 bytes that four warps read together from shared memory
 * @has_late_rows: of SMB_RATE_TENSOR_DOUBLE: 16 rows, of which half come later
 * @has_left: of SMB_RATE_TENSOR_GROUP: A is in registers
 */
typedef struct {
  guint8 rate;
  guint8 stall;
  guint8 gives_way;
  guint8 write_board;
  guint8 read_board;
  guint8 waits;
  guint8 sends;
  guint8 reads[SMB_REGISTER_SLOTS];
  guint8 sent;
  guint8 n_sent;
  guint8 sent_late;
  guint8 keeps;
  guint8 writes;
  guint8 turns;
  guint8 is_strong;
  guint8 is_real;
  guint8 is_swap;
  guint8 board;
  guint8 open;
  guint8 repeats;
  guint8 lines;
  guint8 has_late_rows;
  guint8 has_left;
} SmbTiming;

G_END_DECLS
