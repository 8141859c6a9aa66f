// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The sites that requests of machine code may have in a replay: those of the program, and behind them one for each instruction of textures, which have none there.
#pragma once

#include "sim/program/program.h"

G_BEGIN_DECLS

/** smb_is_texture: Returns: whether an instruction, by its number, asks textures or surfaces */
gboolean smb_is_texture(const SmbProgram *program, guint32 number);

/** smb_number_texture_sites: Returns: (transfer full) (array): by the number of an instruction its site, if it is one of textures; behind the last one how many sites there are */
guint32 *smb_number_texture_sites(const SmbProgram *program);

/** smb_timed_sites: Returns: how many sites there are */
guint smb_timed_sites(const SmbProgram *program);

G_END_DECLS
