# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""libsmembank: where it is found, its structures and functions (smembank.h), and its errors."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import pathlib
from ctypes import POINTER, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Iterable, List, Optional, Sequence

# What this package was written for: SMB_INTERFACE of smembank.h.
INTERFACE = 1

# Where a wheel has the library.
BROUGHT = pathlib.Path(__file__).parent / "libsmembank.so.0"

OK, WRONG_USAGE, BAD_INPUT = 0, 2, 3


@dataclass(frozen=True)
class Hint:
    """What to give, or to change, so that an error or a warning goes away.

    kind: "argument", "fields", "buffer", "offset", "block", "dynamic_bytes", "entry", "instance", "arch", "limit", "smaller",
        "kernels" or "unknown": what to change, mostly a parameter of Kernel (SmbMessageHint of smembank.h says more)
    name: of the parameter, buffer or limit
    value: one that is right, where it is known
    """

    kind: str
    name: Optional[str] = None
    value: Optional[str] = None


class SmembankError(Exception):
    """Any error of this package. hints say what to give so that it goes away, where that is known."""

    hints: Sequence[Hint] = ()


class LibraryError(SmembankError, ImportError):
    """libsmembank is not found, or is of another version."""


class UsageError(SmembankError, ValueError):
    """Something was asked for that cannot be asked, such as an unknown architecture."""


class InputError(SmembankError, ValueError):
    """A kernel or a request is wrong, or a file cannot be read. The message begins with FILE:LINE:COLUMN where it is
    about a place in a text, and shows the line."""


class MessageHint(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("name", c_char_p),
        ("value", c_char_p),
    ]


class Requests(ctypes.Structure):
    _fields_ = [
        ("op", c_char_p),
        ("width", c_uint32),
        ("n", c_size_t),
        ("lanes", c_size_t),
        ("offsets", c_void_p),
        ("masks", c_void_p),
    ]


class Cost(ctypes.Structure):
    _fields_ = [
        ("wavefronts", c_uint32),
        ("ideal", c_uint32),
        ("excess", c_uint32),
        ("degree", c_uint32),
        ("cycles", c_uint32),
    ]


class KernelLaunch(ctypes.Structure):
    _fields_ = [
        ("path", c_char_p),
        ("text", c_char_p),
        ("length", c_size_t),
        ("entry", c_char_p),
        ("defines", POINTER(c_char_p)),
        ("folders", POINTER(c_char_p)),
        ("args", POINTER(c_char_p)),
        ("buffers", POINTER(c_char_p)),
        ("arrays", POINTER(c_char_p)),
        ("block", c_uint32 * 3),
        ("grid", c_uint32 * 3),
        ("dynamic_bytes", c_uint64),
        ("max_steps", c_uint64),
        ("threads", c_uint32),
        ("skips_unknown", c_uint32),
    ]


class Sums(ctypes.Structure):
    _fields_ = [
        ("requests", c_uint64),
        ("wavefronts", c_uint64),
        ("ideal", c_uint64),
        ("excess", c_uint64),
        ("cycles", c_uint64),
        ("max_degree", c_uint32),
    ]


class AccessCounts(ctypes.Structure):
    _fields_ = [
        ("file", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("expression", c_char_p),
        ("array", c_char_p),
        ("op", c_char_p),
        ("width", c_uint32),
        ("opcode", c_char_p),
        ("pc", c_uint32),
        ("is_copy", c_uint32),
        ("exact", c_uint32),
        ("reason", c_char_p),
        ("depends_on_data", c_uint32),
        ("uncounted", c_uint64),
        ("sums", Sums),
    ]


class GlobalCounts(ctypes.Structure):
    _fields_ = [
        ("file", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("expression", c_char_p),
        ("buffer", c_char_p),
        ("op", c_char_p),
        ("width", c_uint32),
        ("opcode", c_char_p),
        ("pc", c_uint32),
        ("requests", c_uint64),
        ("segments", c_uint64),
        ("ideal", c_uint64),
        ("excess", c_uint64),
        ("bytes", c_uint64),
        ("max_segments", c_uint32),
        ("uncounted", c_uint64),
    ]


class ConstantCounts(ctypes.Structure):
    _fields_ = [
        ("file", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("expression", c_char_p),
        ("variable", c_char_p),
        ("width", c_uint32),
        ("opcode", c_char_p),
        ("pc", c_uint32),
        ("exact", c_uint32),
        ("reason", c_char_p),
        ("uncounted", c_uint64),
        ("sums", Sums),
    ]


class TrafficCounts(ctypes.Structure):
    _fields_ = [
        ("file", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("expression", c_char_p),
        ("opcode", c_char_p),
        ("pc", c_uint32),
        ("kind", c_char_p),
        ("executions", c_uint64),
        ("bytes", c_uint64),
        ("unsized", c_uint64),
        ("wavefronts", c_uint64),
        ("has_wavefronts", c_uint32),
        ("exact", c_uint32),
    ]


class KernelWarning(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("expression", c_char_p),
        ("message", c_char_p),
    ]


class Search(ctypes.Structure):
    _fields_ = [
        ("array", c_char_p),
        ("kinds", c_uint32),
        ("keep", c_uint32),
        ("row", c_uint64),
        ("max_counts", c_uint64),
    ]


class FoundLayout(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("element_bytes", c_uint32),
        ("columns", c_uint64),
        ("pad", c_uint64),
        ("bits", c_uint32),
        ("base", c_uint32),
        ("shift", c_int32),
        ("bytes", c_uint64),
        ("sums", Sums),
    ]


class SearchedArray(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("searched", c_uint64),
        ("unfit", c_uint64),
        ("ties", c_uint64),
        ("first", c_size_t),
        ("n_layouts", c_size_t),
    ]


class PresentLayout(ctypes.Structure):
    _fields_ = [
        ("element_bytes", c_uint32),
        ("columns", c_uint64),
        ("pad", c_uint64),
        ("bytes", c_uint64),
    ]


# Result and arguments of each function that is called; a message is released, so it is no c_char_p.
_MESSAGE = POINTER(c_void_p)
_HANDLE = POINTER(c_void_p)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "smb_free": (None, [c_void_p]),
    "smb_message_hint": (POINTER(MessageHint), [c_void_p, c_size_t]),
    "smb_model_new": (c_int, [c_char_p, _HANDLE, _MESSAGE]),
    "smb_model_free": (None, [c_void_p]),
    "smb_model_lanes": (c_uint32, [c_void_p]),
    "smb_requests_count": (c_int, [c_void_p, POINTER(Requests), c_void_p, _MESSAGE]),
    "smb_kernel_count": (c_int, [c_void_p, POINTER(KernelLaunch), _HANDLE, _MESSAGE]),
    "smb_counts_free": (None, [c_void_p]),
    "smb_counts_kernel": (c_char_p, [c_void_p]),
    "smb_counts_level": (c_char_p, [c_void_p]),
    "smb_counts_shared_bytes": (c_uint64, [c_void_p]),
    "smb_counts_n_accesses": (c_size_t, [c_void_p]),
    "smb_counts_access": (POINTER(AccessCounts), [c_void_p, c_size_t]),
    "smb_counts_total": (POINTER(Sums), [c_void_p, c_char_p]),
    "smb_counts_segment_bytes": (c_uint32, [c_void_p]),
    "smb_counts_n_globals": (c_size_t, [c_void_p]),
    "smb_counts_global": (POINTER(GlobalCounts), [c_void_p, c_size_t]),
    "smb_counts_global_total": (POINTER(GlobalCounts), [c_void_p, c_char_p]),
    "smb_counts_n_constants": (c_size_t, [c_void_p]),
    "smb_counts_constant": (POINTER(ConstantCounts), [c_void_p, c_size_t]),
    "smb_counts_constant_total": (POINTER(Sums), [c_void_p]),
    "smb_counts_n_traffic": (c_size_t, [c_void_p]),
    "smb_counts_traffic": (POINTER(TrafficCounts), [c_void_p, c_size_t]),
    "smb_counts_n_warnings": (c_size_t, [c_void_p]),
    "smb_counts_warning": (POINTER(KernelWarning), [c_void_p, c_size_t]),
    "smb_counts_warning_hint": (POINTER(MessageHint), [c_void_p, c_size_t]),
    "smb_kernel_search": (c_int, [c_void_p, POINTER(KernelLaunch), POINTER(Search), _HANDLE, _MESSAGE]),
    "smb_requests_search": (
        c_int,
        [c_void_p, POINTER(Requests), POINTER(PresentLayout), POINTER(Search), _HANDLE, _MESSAGE],
    ),
    "smb_layouts_free": (None, [c_void_p]),
    "smb_layouts_n_arrays": (c_size_t, [c_void_p]),
    "smb_layouts_array": (POINTER(SearchedArray), [c_void_p, c_size_t]),
    "smb_layouts_layout": (POINTER(FoundLayout), [c_void_p, c_size_t]),
}


def find_library() -> str:
    """The library's file: what the environment variable SMEMBANK_LIBRARY says, or else the one in this package, which a wheel has, or else
    the one that is installed."""
    brought = str(BROUGHT) if BROUGHT.exists() else None
    named = os.environ.get("SMEMBANK_LIBRARY") or brought or ctypes.util.find_library("smembank")
    if not named:
        raise LibraryError(
            "libsmembank is not found: install it (package libsmembank0, or make install and ldconfig), or set "
            "SMEMBANK_LIBRARY to the path of libsmembank.so"
        )
    return named


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded once, when it is first needed."""
    path = find_library()
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise LibraryError(f"{path}: {error}") from error
    try:
        interface = loaded.smb_interface()
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise LibraryError(f"{path}: is no libsmembank that this package knows: {error}") from error
    if interface != INTERFACE:
        raise LibraryError(
            f"{path}: has version {interface} of the interface, and this package was written for {INTERFACE}"
        )
    return loaded


def call(name: str, *arguments: Any) -> None:
    """Calls a function that can fail, whose last argument is the message; raises what it says."""
    message = c_void_p()
    status = getattr(library(), name)(*arguments, ctypes.byref(message))
    if status == OK:
        return
    text = decode(ctypes.cast(message, c_char_p).value) or "unknown error"
    error = UsageError(text) if status == WRONG_USAGE else InputError(text)
    error.hints = message_hints(message)
    library().smb_free(message)
    raise error


def make_hint(hint: Any) -> Hint:
    """A hint from the structure."""
    return Hint(decode_text(hint.kind), decode(hint.name), decode(hint.value))


def message_hints(message: c_void_p) -> List[Hint]:
    """The hints of an error's message, before it is released."""
    hints: List[Hint] = []
    while True:
        found = library().smb_message_hint(message, len(hints))
        if not found:
            return hints
        hints.append(make_hint(found.contents))


class Handle:
    """What the library returned, released when nothing refers to it any more."""

    def __init__(self, pointer: c_void_p, release: str) -> None:
        self.pointer = pointer
        self._release = getattr(library(), release)

    def __del__(self) -> None:
        self._release(self.pointer)


@functools.lru_cache(maxsize=None)
def model(arch: str) -> Handle:
    """The rules of an architecture."""
    pointer = c_void_p()
    call("smb_model_new", encode(arch), ctypes.byref(pointer))
    return Handle(pointer, "smb_model_free")


def encode(text: str) -> bytes:
    """Text for the library, which ends at the first zero byte."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise UsageError(f"{text!r}: expected text without a zero byte")
    return data


def encode_optional(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else encode(text)


def decode(text: Optional[bytes]) -> Optional[str]:
    return None if text is None else text.decode("utf-8", "replace")


def decode_text(text: Optional[bytes]) -> str:
    """As decode(), of what is never absent."""
    return decode(text) or ""


def encode_list(texts: Iterable[str]) -> Any:
    """An array of texts that NULL ends."""
    encoded = [encode(text) for text in texts]
    return (c_char_p * (len(encoded) + 1))(*encoded, None)


def bounded(name: str, value: int, bits: int) -> int:
    """A number that the library takes in so many bits: ctypes would cut off others."""
    number = int(value)
    if not 0 <= number < 1 << bits:
        raise UsageError(f"{name} {value}: expected a number from 0 to {(1 << bits) - 1}")
    return number
