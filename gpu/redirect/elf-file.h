// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The sections and symbols of an ELF file of 64 bits. What a file says of itself is checked: a damaged one has no
// symbols.
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const unsigned char *bytes; // mapped
  size_t n_bytes;
  const Elf64_Shdr *sections;
  size_t n_sections;
  const Elf64_Phdr *segments;
  size_t n_segments;
  uint16_t machine; // EM_X86_64
} ElfFile;

typedef struct {
  const Elf64_Sym *symbols;
  size_t n;
  const char *names;
  size_t n_names; // bytes, the last of which ends a name
} ElfSymbols;

// Returns whether it could be read.
bool elf_file_open(ElfFile *file, const char *path);
void elf_file_close(ElfFile *file);

// Whether there is a segment of a type (PT_INTERP: the loader starts it).
bool elf_file_has_segment(const ElfFile *file, uint32_t type);
bool elf_file_has_section(const ElfFile *file, const char *name);

// The table of symbols of a type (SHT_SYMTAB, SHT_DYNSYM); an empty one if there is none.
ElfSymbols elf_file_symbols(const ElfFile *file, uint32_t type);

const char *elf_symbol_name(const ElfSymbols *symbols, const Elf64_Sym *symbol);

// Whether it is a function that the file has.
bool elf_symbol_is_function(const Elf64_Sym *symbol);

// The symbol called @name, which is a function of the file if @is_defined, and one that it imports otherwise; NULL if there is none.
const Elf64_Sym *elf_symbol_find(const ElfSymbols *symbols, const char *name, bool is_defined);
