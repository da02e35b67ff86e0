# SPDX-License-Identifier: Apache-2.0
"""Tensor maps: what cp.async.bulk.tensor goes by."""
from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np

from ._library import ffi, lib, text
from .array import DeviceArray

#: Types by their numbers in tensormap.replace (PTX ISA 9.7.9.28).
_TYPES = {"uint8": 0, "uint16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5, "float16": 6, "float32": 7, "float64": 9}
_NAMED = {"f32.ftz": 8, "bf16": 10, "tf32": 11, "tf32.ftz": 12}
_INTERLEAVE = {None: 0, 16: 1, 32: 2}
_SWIZZLE = {None: 0, 32: 1, 64: 2, 128: 3}


class TensorMap:
    """The 128 bytes that cuTensorMapEncodeTiled makes: pass it where a kernel takes a `const __grid_constant__ CUtensorMap`.

    tensor: whose elements are copied; its last axis is the innermost, and its shape and strides are the map's
    box: elements that a copy moves along each axis, in the array's order
    steps: every how-manieth element is copied along each axis; 1 for all
    type: of the elements, where the array's dtype does not say it: "bf16", "tf32", "tf32.ftz", "f32.ftz"
    interleave: None, 16 or 32 bytes; swizzle: None, 32, 64 or 128 bytes
    fill_nan: what lies outside of the tensor reads as NaN, else as 0

    ValueError: the driver would refuse the map, and why.
    """

    def __init__(
        self,
        tensor: DeviceArray,
        box: Sequence[int],
        *,
        steps: Union[int, Sequence[int]] = 1,
        type: Union[str, None] = None,
        interleave: Union[int, None] = None,
        swizzle: Union[int, None] = None,
        fill_nan: bool = False,
    ) -> None:
        host = tensor.host
        rank = host.ndim
        if not 1 <= rank <= 5 or len(box) != rank:
            raise ValueError(f"a tensor map has 1 to 5 axes, and a box of as many numbers, not {rank} and {len(box)}")
        if interleave not in _INTERLEAVE or swizzle not in _SWIZZLE:
            raise ValueError("interleave is None, 16 or 32; swizzle is None, 32, 64 or 128")
        kind = _NAMED.get(type or "", _TYPES.get(host.dtype.name if type is None else "", None))
        if kind is None:
            raise ValueError(f"no tensor map has elements {type or host.dtype}")
        every = [steps] * rank if isinstance(steps, (int, np.integer)) else list(steps)
        m: Any = ffi.new("struct ptxsim_tensor_map *")
        m.struct_size = ffi.sizeof("struct ptxsim_tensor_map")
        m.address = tensor.address
        m.type, m.rank = kind, rank
        for k in range(5):
            m.box[k] = m.element_strides[k] = 1
        for k in range(rank):
            axis = rank - 1 - k
            m.dims[k] = host.shape[axis]
            m.box[k] = int(box[axis])
            m.element_strides[k] = int(every[axis])
            if k:
                m.strides[k - 1] = host.strides[axis]
        m.interleave, m.swizzle = _INTERLEAVE[interleave], _SWIZZLE[swizzle]
        m.fills_nan = fill_nan
        room, why = ffi.new("uint8_t[128]"), ffi.new("const char **")
        if lib.ptxsim_tensor_map(m, room, why) != lib.PTXSIM_OK:
            raise ValueError(f"no such tensor map: {text(why[0])}")
        self._bytes = bytes(ffi.buffer(room))
        self._tensor = tensor

    def __bytes__(self) -> bytes:
        return self._bytes

    def __repr__(self) -> str:
        return f"<tensor map of {self._tensor!r}>"
