# SPDX-License-Identifier: Apache-2.0
"""Launches that run in order while the caller goes on."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from ._interrupt import stoppable
from ._library import ffi, lib
from .context import Context, default_context
from .errors import check, raise_launch
from .launch import Launch

if TYPE_CHECKING:
    from .module import _Borrowed, _Bound


class Stream:
    """`kernel[grid, block, shared, stream](...)` gives a launch to the stream and returns at once. NumPy arrays that it
    was given must not be used before `synchronize`, which also completes the Launch that it returned."""

    def __init__(self, context: Optional[Context] = None) -> None:
        self.context = context or default_context()
        self._pointer = lib.ptxsim_stream_create(self.context._pointer)
        if self._pointer == ffi.NULL:
            raise MemoryError("no memory for a stream")
        #: What launches use, and where their records will be.
        self._under_way: List[Tuple["_Borrowed", Any, Any, Launch]] = []
        self._free = weakref.finalize(self, _free_stream, self.context, self._pointer, self._under_way)

    def _give(self, bound: "_Bound", borrowed: "_Borrowed", arguments: Any) -> Launch:
        record = ffi.new("ptxsim_record **")
        bound._launch.record = record
        status = lib.ptxsim_stream_launch(self._pointer, bound.kernel._pointer, bound._launch)
        if status != lib.PTXSIM_OK:
            borrowed.end()
            raise_launch(self.context._pointer, None, status)
        launch = Launch(bound.kernel)
        self._under_way.append((borrowed, arguments, record, launch))
        return launch

    def wait(self, other: "Stream") -> None:
        """What is given from now on waits for all that was given to `other` so far."""
        check(lib.ptxsim_stream_wait(self._pointer, other._pointer))

    @property
    def done(self) -> bool:
        return bool(lib.ptxsim_stream_is_done(self._pointer))

    def synchronize(self) -> None:
        """Waits until all is done; raises what the first launch that failed would have raised. What was given behind that one
        has not run."""
        with stoppable(self.context._pointer):
            status = lib.ptxsim_stream_synchronize(self._pointer)
        failed = _end(self._under_way)
        if status != lib.PTXSIM_OK:
            raise_launch(self.context._pointer, failed, status)


def _end(under_way: List[Tuple["_Borrowed", Any, Any, Launch]]) -> Optional[Launch]:
    """All has run: gives back what the launches used, and completes them. The first that failed, or None."""
    failed = None
    for borrowed, _, record, launch in under_way:
        borrowed.end()
        if record[0] != ffi.NULL:
            launch._take(record[0])
            if lib.ptxsim_record_status(record[0]) != lib.PTXSIM_OK:
                failed = failed or launch
    under_way.clear()
    return failed


def _free_stream(context: Context, pointer: Any, under_way: List[Tuple["_Borrowed", Any, Any, Launch]]) -> None:
    if not context.closed:
        lib.ptxsim_stream_free(pointer)
    _end(under_way)
