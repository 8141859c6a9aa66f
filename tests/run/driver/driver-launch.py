# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A launch as compilers in Python make it: machine code in memory, loaded and launched by libcuda.so.1 through ctypes.
import ctypes
import sys

cuda = ctypes.CDLL('libcuda.so.1')
pointer = ctypes.c_void_p
size = ctypes.c_size_t


def check(status):
    if status:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(name))
        sys.exit(f'failed: {name.value}')


device, context = ctypes.c_int(), pointer()
check(cuda.cuInit(0))
check(cuda.cuDeviceGet(ctypes.byref(device), 0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
check(cuda.cuCtxSetCurrent(context))

image = open(sys.argv[1], 'rb').read()
module, kernel, source, target = pointer(), pointer(), pointer(), pointer()
check(cuda.cuModuleLoadData(ctypes.byref(module), image))
check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b'copy'))
check(cuda.cuMemAlloc_v2(ctypes.byref(source), size(128)))
check(cuda.cuMemAlloc_v2(ctypes.byref(target), size(128)))
numbers = (ctypes.c_int * 32)(*range(32))
check(cuda.cuMemcpyHtoD_v2(source, numbers, size(128)))
arguments = (pointer * 2)(*(ctypes.cast(ctypes.byref(a), pointer) for a in (target, source)))
check(cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, arguments, None))
check(cuda.cuMemcpyDtoH_v2(numbers, target, size(128)))
print(list(numbers) == [i ^ 1 for i in range(32)])
