# SPDX-License-Identifier: Apache-2.0
"""Contexts: memory and the modules in it, as on one GPU."""
from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, Union

import numpy as np

from ._library import ffi, lib, text
from .array import DeviceArray, aligned_empty
from .errors import Error, check, last_error

if TYPE_CHECKING:
    from .array import Array

Print = Callable[[str], None]


def version() -> str:
    """Of the C library: "0.2.0"."""
    return text(lib.ptxsim_version())


class Context:
    """Global memory, and modules that share it. Contexts share nothing: use one in each thread, and kernels of different
    threads run side by side; Python's lock is released while they run.

    device: "h200", "a100", "rtx4090", "t4", a target such as "sm_86", or None: each module is built for its own target.
    """

    def __init__(self, device: Optional[str] = None) -> None:
        chosen = ffi.NULL
        if device is not None:
            chosen = lib.ptxsim_device_find(device.encode())
            if chosen == ffi.NULL:
                raise ValueError(f"there is no device '{device}'")
        self._pointer = lib.ptxsim_context_create(chosen)
        if self._pointer == ffi.NULL:
            raise Error(last_error())
        self._print: Any = None
        self._close = weakref.finalize(self, lib.ptxsim_context_free, self._pointer)

    @property
    def closed(self) -> bool:
        return not self._close.alive

    def close(self) -> None:
        """Frees the context with all its memory and modules. No launch may be under way."""
        self._close()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # --- Memory

    def array(self, values: Any, dtype: Any = None, name: Optional[str] = None) -> DeviceArray:
        """A copy of the values, of any shape, in this context's memory. `name`: what messages call it. MemoryError: there is
        no room."""
        given = np.asarray(values, dtype=dtype)
        mine = aligned_empty(given.shape, given.dtype)
        mine[...] = given
        return DeviceArray(self, mine, name)

    def empty(
        self, shape: Union[int, Tuple[int, ...]], dtype: Any = np.float32, name: Optional[str] = None
    ) -> DeviceArray:
        """Room of that shape whose elements are anything."""
        return DeviceArray(self, aligned_empty(shape, dtype), name)

    def zeros(
        self, shape: Union[int, Tuple[int, ...]], dtype: Any = np.float32, name: Optional[str] = None
    ) -> DeviceArray:
        """Room of that shape whose elements are 0."""
        room = aligned_empty(shape, dtype)
        room[...] = np.zeros((), room.dtype)
        return DeviceArray(self, room, name)

    def map(self, values: Array, name: Optional[str] = None) -> DeviceArray:
        """The array's own bytes as global memory: kernels work in place and nothing is copied, whatever its size. ValueError:
        it is not contiguous, writeable and aligned to 16 bytes."""
        if not (values.flags.c_contiguous and values.flags.writeable and values.ctypes.data % 16 == 0):
            raise ValueError("map() takes a contiguous, writeable array that is aligned to 16 bytes; array() copies")
        return DeviceArray(self, values, name)

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes of global memory; the range must lie in one allocation."""
        room = ffi.new("uint8_t[]", size)
        check(lib.ptxsim_read(self._pointer, room, address, size))
        return bytes(ffi.buffer(room))

    def write(self, address: int, data: Any) -> None:
        """Writes the bytes of anything with a buffer; the range must lie in one allocation."""
        view = ffi.from_buffer(data)
        check(lib.ptxsim_write(self._pointer, address, view, len(view)))

    # --- What kernels print

    def on_print(self, function: Optional[Print]) -> None:
        """Calls `function` with what kernels print; None: it goes to standard output."""
        callback = ffi.NULL
        if function is not None:
            taker = function

            def take(_: Any, characters: Any, length: int) -> None:
                taker(ffi.buffer(characters, length)[:].decode("utf-8", "replace"))

            callback = ffi.callback("void(void *, const char *, size_t)", take)
        check(lib.ptxsim_set_print(self._pointer, callback, ffi.NULL))
        self._print = callback

    def stop(self) -> None:
        """Ends the launches that are running; for other threads."""
        lib.ptxsim_stop(self._pointer)

    # --- Textures

    def texture(
        self,
        data: DeviceArray,
        *,
        linear: bool = False,
        normalized_coordinates: bool = False,
        normalized_values: bool = False,
        address: Union[str, Tuple[str, ...]] = "clamp",
        border: Tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0),
    ) -> "Texture":
        """A texture or surface object over an array of 1 to 3 dimensions: (width), (height, width) or (depth, height,
        width), with one more of 2 or 4 at the end for channels if its length is 2 or 4 and there are at least two.

        address: "wrap", "mirror", "clamp" or "border", one for all dimensions or one each, x first.
        """
        return Texture(self, data, linear, normalized_coordinates, normalized_values, address, border)


_default: Optional[Context] = None
_default_lock = threading.Lock()


def default_context() -> Context:
    """The context that modules and arrays are made in if none is given."""
    global _default
    with _default_lock:
        if _default is None or _default.closed:
            _default = Context()
        return _default


class Texture:
    """A texture or surface object: pass it where a kernel takes its 64-bit handle."""

    _MODES = {"wrap": 0, "mirror": 1, "clamp": 2, "border": 3}
    _TEXELS = {"u": 0, "i": 1, "f": 2}

    def __init__(
        self,
        context: Context,
        data: DeviceArray,
        linear: bool,
        normalized_coordinates: bool,
        normalized_values: bool,
        address: Union[str, Tuple[str, ...]],
        border: Tuple[float, float, float, float],
    ) -> None:
        shape = list(data.shape)
        channels = shape.pop() if len(shape) >= 2 and shape[-1] in (2, 4) else 1
        if not 1 <= len(shape) <= 3 or data.dtype.kind not in self._TEXELS:
            raise ValueError(f"no texture has elements {data.dtype} of shape {data.shape}")
        modes = (address,) * 3 if isinstance(address, str) else tuple(address) + ("clamp",) * (3 - len(address))
        d = ffi.new("struct ptxsim_texture *")
        d.struct_size = ffi.sizeof("struct ptxsim_texture")
        d.data = data.address
        d.width = shape[-1]
        d.height = shape[-2] if len(shape) > 1 else 0
        d.depth = shape[-3] if len(shape) > 2 else 0
        d.channels = channels
        d.channel_bits = data.dtype.itemsize * 8
        d.texel = self._TEXELS[data.dtype.kind]
        d.linear = linear
        d.normalized_coordinates = normalized_coordinates
        d.normalized_values = normalized_values
        d.address = [self._MODES[mode] for mode in modes]
        d.border = list(border)
        d.highest_level = 15
        handle = ffi.new("uint64_t *")
        check(lib.ptxsim_texture_object(context._pointer, d, handle))
        #: What a kernel takes.
        self.handle = int(handle[0])
        self._data = data
        self._release = weakref.finalize(self, _release_texture, context, self.handle)


def _release_texture(context: Context, handle: int) -> None:
    if not context.closed:
        lib.ptxsim_release(context._pointer, handle)


__all__ = ["Context", "Texture", "default_context", "version", "Error", "raise_launch"]
