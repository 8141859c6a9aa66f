// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is called in the program and the library of `make static`, and neither the static libraries of Debian nor an old C library have.

#include <sys/syscall.h>
#include <unistd.h>

// libmount, for lists of mounted disks, libselinux, for labels of files that are copied, and what GIO asks name servers with. smembank asks
// GIO for resources and streams only, so nothing comes here; what does is a mistake, and ends the program.
#define ABSENT(name)                                                                               \
  void name(void);                                                                                 \
  void name(void) {                                                                                \
    __builtin_trap();                                                                              \
  }

ABSENT(fgetfilecon_raw)
ABSENT(freecon)
ABSENT(getfilecon_raw)
ABSENT(is_selinux_enabled)
ABSENT(lgetfilecon_raw)
ABSENT(setfilecon_raw)

ABSENT(mnt_free_iter)
ABSENT(mnt_free_table)
ABSENT(mnt_fs_get_fstype)
ABSENT(mnt_fs_get_options)
ABSENT(mnt_fs_get_root)
ABSENT(mnt_fs_get_source)
ABSENT(mnt_fs_get_target)
ABSENT(mnt_fs_strdup_options)
ABSENT(mnt_get_builtin_optmap)
ABSENT(mnt_get_fstab_path)
ABSENT(mnt_has_regular_mtab)
ABSENT(mnt_new_iter)
ABSENT(mnt_new_table)
ABSENT(mnt_optstr_get_flags)
ABSENT(mnt_table_next_fs)
ABSENT(mnt_table_parse_fstab)
ABSENT(mnt_table_parse_mtab)

ABSENT(dn_expand)
ABSENT(res_nquery)

// glibc has it since 2.34, and GLib calls it before it starts a program, if the C library that it was compiled with has it. Linux has it
// since 5.9; where it has not, this fails with ENOSYS, and GLib closes one by one.
int close_range(unsigned first, unsigned last, int flags);

int
close_range(unsigned first, unsigned last, int flags) {
  return (int)syscall(SYS_close_range, first, last, flags);
}

// glibc has two versions of each of these: those since 2.29 do not tell matherr() of errors, and compute the same. The older ones are asked
// for, which the linker leads these functions to (--wrap).
#ifdef __x86_64__
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif
#define OLDER(name, parameters, arguments)                                                         \
  double older_##name parameters;                                                                  \
  __asm__(".symver older_" #name "," #name "@" OLDEST);                                            \
  double __wrap_##name parameters;                                                                 \
  double __wrap_##name parameters {                                                                \
    return older_##name arguments;                                                                 \
  }

OLDER(exp, (double x), (x))
OLDER(exp2, (double x), (x))
OLDER(log, (double x), (x))
OLDER(log2, (double x), (x))
OLDER(pow, (double x, double y), (x, y))
