// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What Debian's static GIO calls and Debian has no static library of, or none that is wanted: libmount, for lists of mounted disks, and
// libselinux, for labels of files that are copied. smembank asks GIO for resources and streams only, so nothing comes here; what does
// is a mistake, and ends the program.

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
