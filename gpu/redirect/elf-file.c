// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gpu/redirect/elf-file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_inside(const ElfFile *file, uint64_t offset, uint64_t bytes) {
  return offset <= file->n_bytes && bytes <= file->n_bytes - offset;
}

static bool
read_elf_header(ElfFile *file) {
  const Elf64_Ehdr *header = (const void *)file->bytes;
  if (file->n_bytes < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof *file->sections ||
      header->e_phentsize != sizeof *file->segments ||
      header->e_shoff % _Alignof(Elf64_Shdr) != 0 || header->e_phoff % _Alignof(Elf64_Phdr) != 0 ||
      !is_inside(file, header->e_shoff, header->e_shnum * sizeof *file->sections) ||
      !is_inside(file, header->e_phoff, header->e_phnum * sizeof *file->segments))
    return false;
  file->segments = (const void *)(file->bytes + header->e_phoff);
  file->n_segments = header->e_phnum;
  file->sections = (const void *)(file->bytes + header->e_shoff);
  file->n_sections = header->e_shnum;
  file->machine = header->e_machine;
  return true;
}

bool
elf_file_open(ElfFile *file, const char *path) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  void *bytes = MAP_FAILED;
  *file = (ElfFile){.bytes = NULL};
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0)
    close(fd);
  if (bytes == MAP_FAILED)
    return false;
  file->bytes = bytes;
  file->n_bytes = (size_t)status.st_size;
  if (read_elf_header(file))
    return true;
  elf_file_close(file);
  return false;
}

void
elf_file_close(ElfFile *file) {
  if (file->bytes)
    munmap((void *)(uintptr_t)file->bytes, file->n_bytes);
  file->bytes = NULL;
}

// What a section holds, if it ends with a zero byte, as a table of names does.
static const char *
find_elf_names(const ElfFile *file, size_t index, size_t *n_bytes) {
  if (index >= file->n_sections)
    return NULL;
  const Elf64_Shdr *section = &file->sections[index];
  if (section->sh_type == SHT_NOBITS || section->sh_size == 0 ||
      !is_inside(file, section->sh_offset, section->sh_size) ||
      file->bytes[section->sh_offset + section->sh_size - 1] != '\0')
    return NULL;
  *n_bytes = section->sh_size;
  return (const char *)file->bytes + section->sh_offset;
}

bool
elf_file_has_segment(const ElfFile *file, uint32_t type) {
  for (size_t i = 0; i < file->n_segments; i++)
    if (file->segments[i].p_type == type)
      return true;
  return false;
}

bool
elf_file_has_section(const ElfFile *file, const char *name) {
  const Elf64_Ehdr *header = (const void *)file->bytes;
  size_t n_bytes;
  const char *names = find_elf_names(file, header->e_shstrndx, &n_bytes);
  for (size_t i = 0; names && i < file->n_sections; i++)
    if (file->sections[i].sh_name < n_bytes && strcmp(names + file->sections[i].sh_name, name) == 0)
      return true;
  return false;
}

ElfSymbols
elf_file_symbols(const ElfFile *file, uint32_t type) {
  ElfSymbols symbols = {NULL, 0, NULL, 0};
  for (size_t i = 0; i < file->n_sections; i++) {
    const Elf64_Shdr *section = &file->sections[i];
    if (section->sh_type != type || section->sh_entsize != sizeof *symbols.symbols ||
        section->sh_offset % _Alignof(Elf64_Sym) != 0 ||
        !is_inside(file, section->sh_offset, section->sh_size))
      continue;
    symbols.names = find_elf_names(file, section->sh_link, &symbols.n_names);
    if (!symbols.names)
      continue;
    symbols.symbols = (const void *)(file->bytes + section->sh_offset);
    symbols.n = section->sh_size / sizeof *symbols.symbols;
    break;
  }
  return symbols;
}

const char *
elf_symbol_name(const ElfSymbols *symbols, const Elf64_Sym *symbol) {
  return symbol->st_name < symbols->n_names ? symbols->names + symbol->st_name : "";
}

bool
elf_symbol_is_function(const Elf64_Sym *symbol) {
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
         symbol->st_shndx < SHN_LORESERVE && symbol->st_value != 0;
}

const Elf64_Sym *
elf_symbol_find(const ElfSymbols *symbols, const char *name, bool is_defined) {
  for (size_t i = 0; i < symbols->n; i++) {
    const Elf64_Sym *symbol = &symbols->symbols[i];
    bool is_wanted = is_defined ? elf_symbol_is_function(symbol) : symbol->st_shndx == SHN_UNDEF;
    if (is_wanted && strcmp(elf_symbol_name(symbols, symbol), name) == 0)
      return symbol;
  }
  return NULL;
}
