# SPDX-License-Identifier: Apache-2.0
"""libptxsim, loaded once: `lib` and `ffi`."""
import os
import pathlib
from typing import Any, Iterator, List

import cffi

from . import _header

#: The first number of the interface that this package was written for.
API_MAJOR = 1


def _tree() -> pathlib.Path:
    return pathlib.Path(__file__).resolve().parents[3]


def _declarations() -> str:
    try:
        from ._interface import CDEF  # made when the package is built

        return str(CDEF)
    except ImportError:
        return _header.all_declarations(_tree() / "src")


def _candidates() -> Iterator[str]:
    named = os.environ.get("PTXSIM_LIBRARY")
    if named:
        yield named
        return
    built = _tree() / "build" / ".libs" / "libptxsim.so"
    if (_tree() / "src" / "ptxsim.h").exists() and built.exists():
        yield str(built)
    yield f"libptxsim.so.{API_MAJOR}"
    yield "libptxsim.so"


def _open(ffi: Any) -> Any:
    tried: List[str] = []
    for name in _candidates():
        try:
            return ffi.dlopen(name)
        except OSError as error:
            tried.append(f"{name}: {error}")
    raise ImportError("libptxsim.so was not found; install it or set PTXSIM_LIBRARY:\n  " + "\n  ".join(tried))


ffi: Any = cffi.FFI()  # its stubs do not know the fields of structs
ffi.cdef(_declarations())
lib = _open(ffi)


def text(pointer: Any) -> str:
    """A string of the library; "" for NULL."""
    if pointer == ffi.NULL:
        return ""
    characters: bytes = ffi.string(pointer)
    return characters.decode("utf-8", "replace")
