# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What an instruction takes that looks up a texture in the first-level cache: launches of the kernels of texture-unit.cu, by libcuda.so.1.
#
#   python3 texture-unit.py CUBIN          measures: writes lines 'name value unit how'
#   python3 texture-unit.py CUBIN ROW      only launches what a row is the difference of: a warm-up, "few", "more"; for `smembank run`
#
# Captures and cubins do not have textures: replay.py runs this file on the simulated device.
import ctypes
import sys

FLOAT, LINEAR_FILTER, CLAMP, ARRAY, LINEAR_MEMORY = 0x20, 1, 1, 0, 2
EXTENT = 1024
FEW, MORE = 64, 192  # turns of a kernel's loop

# Name -> kernel, how it is looked up, its last argument, threads, instructions of a turn, what they are.
ROWS = {
    "texture.words": ("sample", "words", 0, 1024, 8 * 32, "cycles/instruction", "32 warps look up words side by side, of an array"),
    "texture_latency.elements": ("follow_elements", "elements", 0, 32, 1, "cycles", "an element of memory, each of which says where the next one is"),
    "texture_latency.words": ("follow_words", "words", 1, 32, 1, "cycles", "a word of an array, the same"),
    "texture_latency.apart": ("follow_words", "words", 8, 32, 1, "cycles", "every eighth word of an array, the same"),
    "texture_latency.weighed": ("follow_weighed", "weighed", 0, 32, 1, "cycles", "16 bytes of an array, of four places that are weighed, the same"),
}

cuda = ctypes.CDLL("libcuda.so.1")
pointer, size, u32, f32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_float


class ArrayFormat(ctypes.Structure):
    _fields_ = [("width", size), ("height", size), ("format", u32), ("channels", u32)]


class LinearMemory(ctypes.Structure):
    _fields_ = [("at", ctypes.c_uint64), ("format", u32), ("channels", u32), ("bytes", size)]


class Place(ctypes.Union):
    _fields_ = [("array", pointer), ("linear", LinearMemory), ("reserved", ctypes.c_int * 32)]


class Resource(ctypes.Structure):
    _fields_ = [("kind", u32), ("place", Place), ("flags", u32)]


class Sampler(ctypes.Structure):
    _fields_ = [("address", u32 * 3), ("filter", u32), ("flags", u32), ("anisotropy", u32), ("mipmap_filter", u32), ("bias", f32), ("least", f32),
                ("most", f32), ("border", f32 * 4), ("reserved", ctypes.c_int * 12)]


class Stamps(ctypes.Structure):
    _fields_ = [("begin", ctypes.c_longlong), ("end", ctypes.c_longlong), ("sum", f32)]


class Copy2D(ctypes.Structure):
    _fields_ = [("from_x", size), ("from_y", size), ("from_kind", u32), ("from_host", pointer), ("from_device", ctypes.c_uint64), ("from_array", pointer),
                ("from_pitch", size), ("to_x", size), ("to_y", size), ("to_kind", u32), ("to_host", pointer), ("to_device", ctypes.c_uint64),
                ("to_array", pointer), ("to_pitch", size), ("bytes", size), ("height", size)]


def check(status):
    if status:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(name))
        sys.exit(f"texture-unit.py: {name.value}")


def zeros(length):
    at = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(at), size(length)))
    check(cuda.cuMemsetD8_v2(at, ctypes.c_ubyte(0), size(length)))
    return at


def array_of_zeros(channels):
    made, width = pointer(), EXTENT * 4 * channels
    form = ArrayFormat(EXTENT, EXTENT, FLOAT, channels)
    check(cuda.cuArrayCreate_v2(ctypes.byref(made), ctypes.byref(form)))
    copy = Copy2D(from_kind=2, from_device=zeros(width * EXTENT).value, from_pitch=width, to_kind=3, to_array=made, bytes=width, height=EXTENT)
    check(cuda.cuMemcpy2D_v2(ctypes.byref(copy)))
    return made


def texture(kind):
    resource, sampler, made = Resource(), Sampler(), ctypes.c_uint64()
    for i in range(3):
        sampler.address[i] = CLAMP
    sampler.filter = LINEAR_FILTER if kind == "weighed" else 0
    if kind == "elements":
        resource.kind = LINEAR_MEMORY
        resource.place.linear = LinearMemory(zeros(1 << 20).value, FLOAT, 1, 1 << 20)
    else:
        resource.kind = ARRAY
        resource.place.array = array_of_zeros(4 if kind == "weighed" else 1)
    check(cuda.cuTexObjectCreate(ctypes.byref(made), ctypes.byref(resource), ctypes.byref(sampler), None))
    return made


def start(cubin):
    device, context, module = ctypes.c_int(), pointer(), pointer()
    check(cuda.cuInit(0))
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(cuda.cuCtxSetCurrent(context))
    with open(cubin, "rb") as file:
        check(cuda.cuModuleLoadData(ctypes.byref(module), file.read()))
    return module


class Kernel:
    def __init__(self, module, entry, kind, last, threads):
        self.function, self.texture, self.last, self.threads = pointer(), texture(kind), f32(last), threads
        self.out = zeros(threads * ctypes.sizeof(Stamps))
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, entry.encode()))

    def span(self, turns):
        """Cycles from when the first thread begins to when the last one ends."""
        stamps = (Stamps * self.threads)()
        values = (self.out, self.texture, ctypes.c_int(turns), self.last)
        arguments = (pointer * 4)(*(ctypes.cast(ctypes.byref(value), pointer) for value in values))
        check(cuda.cuLaunchKernel(self.function, 1, 1, 1, self.threads, 1, 1, 0, None, arguments, None))
        check(cuda.cuMemcpyDtoH_v2(stamps, self.out, size(ctypes.sizeof(stamps))))
        return max(stamp.end for stamp in stamps) - min(stamp.begin for stamp in stamps)


def main(cubin, only=None):
    module = start(cubin)
    for name, (entry, kind, last, threads, of, unit, how) in ROWS.items():
        if only and name != only:
            continue
        kernel = Kernel(module, entry, kind, last, threads)
        kernel.span(FEW)
        turns = 1 if only else 4
        few, more = (min(kernel.span(n) for _ in range(turns)) for n in (FEW, MORE))
        if not only:
            print(f"{name:28} {(more - few) / (of * (MORE - FEW)):10.2f}  {unit:24} {how} [texture, of {of * (MORE - FEW)}]")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] and sys.argv[2] not in ROWS:
        sys.exit("usage: texture-unit.py CUBIN [ROW]")
    main(*sys.argv[1:])
