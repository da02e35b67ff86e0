# SPDX-License-Identifier: Apache-2.0
"""Launches that run in order while the caller goes on."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from ._interrupt import stoppable
from ._library import ffi, lib
from .context import Context, default_context
from .errors import raise_launch

if TYPE_CHECKING:
    from .module import _Borrowed, _Bound


class Stream:
    """`kernel[grid, block, shared, stream](...)` gives a launch to the stream and returns at once. NumPy arrays that it
    was given must not be used before `synchronize`."""

    def __init__(self, context: Optional[Context] = None) -> None:
        self.context = context or default_context()
        self._pointer = lib.ptxsim_stream_create(self.context._pointer)
        if self._pointer == ffi.NULL:
            raise MemoryError("no memory for a stream")
        self._under_way: List[Tuple[Any, "_Borrowed", Any]] = []
        self._free = weakref.finalize(self, _free_stream, self.context, self._pointer)

    def _give(self, bound: "_Bound", borrowed: "_Borrowed", arguments: Any) -> None:
        launch: Any = bound._launch
        status = lib.ptxsim_stream_launch(self._pointer, bound.kernel._pointer, launch)
        if status != lib.PTXSIM_OK:
            borrowed.end()
            raise_launch(self.context._pointer, status)
        self._under_way.append((bound, borrowed, arguments))

    def wait(self, other: "Stream") -> None:
        """What is given from now on waits for all that was given to `other` so far."""
        lib.ptxsim_stream_wait(self._pointer, other._pointer)

    @property
    def done(self) -> bool:
        return bool(lib.ptxsim_stream_is_done(self._pointer))

    def synchronize(self) -> None:
        """Waits until all is done; raises what the first launch that failed would have raised."""
        with stoppable(self.context._pointer):
            status = lib.ptxsim_stream_synchronize(self._pointer)
        for _, borrowed, _ in self._under_way:
            borrowed.end()
        self._under_way.clear()
        if status != lib.PTXSIM_OK:
            raise_launch(self.context._pointer, status)


def _free_stream(context: Context, pointer: Any) -> None:
    if not context.closed:
        lib.ptxsim_stream_free(pointer)
