// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the page's program is linked with and never comes to: other processes and their signals, captures once they are open, and handlers
// of GObject's signals. A call is a mistake, and ends the program.
'use strict';

const absent = [
  '__libelf_decompress_elf',
  'dlinfo', 'ffi_call', 'ffi_prep_cif', 'posix_spawnp', 'pthread_kill', 'signalfd', 'smb_capture_members_free', 'smb_capture_members_has',
  'smb_capture_members_image_name', 'smb_capture_members_launch_name', 'smb_capture_members_launch_number',
  'smb_capture_members_memory_name', 'smb_capture_members_names', 'smb_capture_members_read', 'smb_capture_members_unpack',
  'smb_capture_writer_bytes', 'smb_capture_writer_finish', 'smb_capture_writer_free', 'smb_capture_writer_image',
  'smb_capture_writer_is_in_place', 'smb_capture_writer_launch', 'smb_capture_writer_memory', 'smb_capture_writer_new',
];
// A function of its own text each: Emscripten prints them as declarations.
mergeInto(LibraryManager.library, Object.fromEntries(absent.map(name => [name, function() { abort('not in a browser'); }])));
