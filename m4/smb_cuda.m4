dnl SPDX-FileCopyrightText: the smembank authors
dnl SPDX-License-Identifier: MIT
dnl
dnl SMB_CUDA: --with-cuda=auto|no|DIR. Sets CUDA_CPPFLAGS and CUDA_LIBS (the static runtime), defines
dnl HAVE_CUDA, and leaves the outcome in smb_cuda. What was guessed and does not work is a warning;
dnl what was asked for and does not work is an error.
AC_DEFUN([SMB_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=auto|no|DIR], [the CUDA Toolkit to build the GPU side with])],
  [], [with_cuda=auto])
smb_cuda=no
CUDA_CPPFLAGS=
CUDA_LIBS=
AS_CASE([$with_cuda],
  [no], [smb_cuda_dirs=],
  [auto|yes], [smb_cuda_dirs="/usr/local/cuda /usr/lib/cuda /opt/cuda /usr"],
  [smb_cuda_dirs=$with_cuda])
for smb_dir in $smb_cuda_dirs; do
  for smb_lib in lib64 lib lib/x86_64-linux-gnu targets/x86_64-linux/lib; do
    AS_IF([test "$smb_cuda" = no && test -f "$smb_dir/include/cuda_runtime_api.h" &&
           test -f "$smb_dir/$smb_lib/libcudart_static.a"],
      [smb_cuda=$smb_dir
       CUDA_LIBS="$smb_dir/$smb_lib/libcudart_static.a -ldl -lrt -lpthread"])
  done
done
AS_IF([test "$smb_cuda" != no], [
  AS_IF([test "$smb_cuda" != /usr], [CUDA_CPPFLAGS="-isystem $smb_cuda/include"])
  smb_save_CPPFLAGS=$CPPFLAGS
  smb_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
  LIBS="$CUDA_LIBS $LIBS"
  AC_MSG_CHECKING([whether the CUDA runtime in $smb_cuda links])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cuda_runtime_api.h>]],
                                  [[int n; return (int)cudaGetDeviceCount(&n);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     smb_cuda=no])
  CPPFLAGS=$smb_save_CPPFLAGS
  LIBS=$smb_save_LIBS
])
AS_IF([test "$smb_cuda" != no],
  [AC_DEFINE([HAVE_CUDA], [1], [Define if the CUDA runtime is linked.])],
  [CUDA_CPPFLAGS=
   CUDA_LIBS=
   AS_CASE([$with_cuda],
     [no], [],
     [auto], [AC_MSG_WARN([no CUDA Toolkit found: the program is built without its GPU side])],
     [AC_MSG_ERROR([no usable CUDA Toolkit in $with_cuda: expected include/cuda_runtime_api.h and libcudart_static.a])])])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_LIBS])
])
