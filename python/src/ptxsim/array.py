# SPDX-License-Identifier: Apache-2.0
"""Arrays that stay in a context's memory between launches."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Union

import numpy as np

from ._library import ffi, lib
from .errors import check

if TYPE_CHECKING:
    from .context import Context

    Array = np.ndarray[Any, np.dtype[Any]]

#: What the caller's memory should be aligned to, in bytes (ptxsim_map).
ALIGNMENT = 16


def aligned_empty(shape: Union[int, Tuple[int, ...]], dtype: Any) -> Array:
    """A new array whose first byte is aligned for vector accesses of 64 bytes."""
    kind = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    room = np.empty(count * kind.itemsize + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + count * kind.itemsize].view(kind).reshape(shape)


def pointer_to(values: Array) -> Any:
    """To the first byte of a contiguous array. ctypes.data takes several times as long."""
    return ffi.cast("void *", ffi.from_buffer(values)) if values.nbytes else ffi.NULL


def name_memory(context: "Context", address: int, name: str) -> None:
    """What messages call the memory that begins at the address."""
    check(lib.ptxsim_name_memory(context._pointer, address, name.encode()))


class DeviceArray:
    """Elements in a context's global memory, at `address` until the array goes.

    The host sees the same bytes: `array.host` is a NumPy array over them, `numpy.asarray(array)` gives it too, and so
    does the buffer protocol of `memoryview(array.host)`. Nothing is copied either way.
    """

    def __init__(self, context: "Context", values: Array, name: Optional[str] = None) -> None:
        self.context = context
        #: The elements, as kernels see them.
        self.host = values
        address = ffi.new("uint64_t *")
        self._address = 0
        if values.nbytes:
            check(lib.ptxsim_map(context._pointer, pointer_to(values), values.nbytes, address))
            self._address = int(address[0])
            self._release = weakref.finalize(self, _release, context, values, self._address)
            name_memory(context, self._address, name or "array")

    @property
    def address(self) -> int:
        """Of the first element, in kernels; 0 of an array without elements."""
        return self._address

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.host.shape

    @property
    def dtype(self) -> "np.dtype[Any]":
        kind: "np.dtype[Any]" = self.host.dtype
        return kind

    @property
    def nbytes(self) -> int:
        return self.host.nbytes

    def get(self) -> Array:
        """A copy of the elements."""
        return self.host.copy()

    def set(self, values: Any) -> None:
        """Writes all elements."""
        self.host[...] = values

    def free(self) -> None:
        """Gives the memory back now; kernels that still use the address fail."""
        if self._address:
            self._release()
            self._address = 0

    def __len__(self) -> int:
        return len(self.host)

    def __getitem__(self, index: Any) -> Any:
        return self.host[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.host[index] = value

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        values = self.host if dtype is None else self.host.astype(dtype, copy=False)
        return values.copy() if copy else values

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return dict(self.host.__array_interface__)

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        """Version 3 of the interface, with the address that kernels see."""
        host = self.host.__array_interface__
        return {
            "shape": self.shape,
            "typestr": host["typestr"],
            "descr": host["descr"],
            "strides": None,
            "data": (self._address, False),
            "version": 3,
        }

    def __repr__(self) -> str:
        return f"<ptxsim.DeviceArray {self.dtype}{list(self.shape)} at {self._address:#x}>"


def _release(context: "Context", values: Array, address: int) -> None:
    """Holds the bytes as long as the context has them."""
    if not context.closed:
        lib.ptxsim_release(context._pointer, address)
