# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as exceptions that print as the program prints them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NoReturn, Optional, Tuple

from ._library import ffi, lib, text

if TYPE_CHECKING:
    from .launch import Launch


def last_error() -> str:
    """The library's words for what failed last in this thread, without the name of the C function."""
    words = text(lib.ptxsim_last_error())
    return words.split(": ", 1)[-1]


class Error(Exception):
    """Any failure of the library. `status` is its number in ptxsim.h."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class CompileError(Error):
    """A text has errors. The message has all of them, with lines and carets."""


class LaunchError(Error):
    """A launch that was refused: its shape, its arguments or its shared memory."""


class KernelError(Error):
    """A kernel failed: an address out of bounds, a trap, a deadlock, a finding of a check.

    Attributes are None where the fault has no such thing.

    kind: what happened, e.g. "address out of bounds"
    cuda_error: what the CUDA driver would return, e.g. "CUDA_ERROR_ILLEGAL_ADDRESS"
    kernel, file, line, column: the instruction; lines and columns count from 1
    block, thread: coordinates (x, y, z)
    warp, lane: the warp in its block, the lane in its warp
    lanes: bit mask of all lanes of the warp that failed
    address, size, is_store: the access, in bytes
    allocation: the name of what the address lies in, lay in before it was freed, or is nearest to; "" if it has none
    allocation_base, allocation_size: its address and bytes
    allocation_distance: bytes from its end to an access behind it; negative: from its begin to one before; 0: within
    allocation_freed: it had been freed
    detail: what else the message says
    findings: the messages of a launch that ran to its end, one for each place
    launch: the launch, with counters up to the fault if its module counts; None if it did not begin
    """

    kind: str = ""
    cuda_error: str = ""
    kernel: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    block: Optional[Tuple[int, int, int]] = None
    thread: Optional[Tuple[int, int, int]] = None
    warp: Optional[int] = None
    lane: Optional[int] = None
    lanes: int = 0
    address: Optional[int] = None
    size: int = 0
    is_store: bool = False
    allocation: Optional[str] = None
    allocation_base: Optional[int] = None
    allocation_size: Optional[int] = None
    allocation_distance: Optional[int] = None
    allocation_freed: bool = False
    detail: str = ""
    findings: Tuple[str, ...] = ()
    launch: Optional[Launch] = None

    @classmethod
    def of(cls, message: str, status: int, fault: Any) -> "KernelError":
        """A fault as the library tells it (a struct ptxsim_fault), or None: nothing is known of it."""
        error = cls(message, status)
        if fault is None:
            return error
        error.kind = text(fault.kind)
        error.cuda_error = text(fault.cuda_error)
        error.kernel = text(fault.function) or None
        error.file = text(fault.file) or None
        if error.file:
            error.line, error.column = fault.line, fault.column
        if fault.lanes:
            x, y, z = fault.block
            error.block = (x, y, z)
            x, y, z = fault.thread
            error.thread = (x, y, z)
            error.warp, error.lane, error.lanes = fault.warp, fault.lane, fault.lanes
        if fault.size:
            error.address, error.size, error.is_store = fault.address, fault.size, bool(fault.is_store)
        if fault.allocation != ffi.NULL:
            error.allocation = text(fault.allocation)
            error.allocation_base, error.allocation_size = fault.allocation_base, fault.allocation_size
            error.allocation_distance = fault.allocation_distance
            error.allocation_freed = bool(fault.allocation_freed)
        error.detail = text(fault.detail)
        return error


def _findings(record: Any) -> Tuple[str, ...]:
    """What the checks found in a launch and the grids that it launched."""
    found: List[str] = []
    while record != ffi.NULL and lib.ptxsim_record_finding(record, len(found)) != ffi.NULL:
        found.append(text(lib.ptxsim_record_finding(record, len(found))))
    grids = 0
    while record != ffi.NULL and lib.ptxsim_record_grid(record, grids) != ffi.NULL:
        found.extend(_findings(lib.ptxsim_record_grid(record, grids)))
        grids += 1
    return tuple(found)


def _kernel_error(context: Any, launch: Launch, status: int) -> KernelError:
    fault = ffi.new("struct ptxsim_fault *")
    record = launch._record
    if record is None:
        known = lib.ptxsim_get_fault(context, fault) == lib.PTXSIM_OK
        error = KernelError.of(text(lib.ptxsim_message(context)), status, fault if known else None)
    else:
        known = lib.ptxsim_record_fault(record, fault) == lib.PTXSIM_OK
        error = KernelError.of(text(lib.ptxsim_record_message(record)), status, fault if known else None)
        error.findings = _findings(record)
        if error.findings:
            error.args = ("\n".join(error.findings),)
            error.kind = "finding"
    error.launch = launch
    return error


def raise_launch(context: Any, launch: Optional[Launch], status: int) -> NoReturn:
    """What a launch's status stands for; right after the call, in its thread."""
    message = last_error()
    if status == lib.PTXSIM_ERROR_FAULT and launch is not None:
        raise _kernel_error(context, launch, status)
    if status == lib.PTXSIM_ERROR_INTERRUPTED:
        raise KeyboardInterrupt
    if status == lib.PTXSIM_ERROR_MEMORY:
        raise MemoryError(message)
    if status == lib.PTXSIM_ERROR_SYNTAX:
        raise CompileError(message, status)
    raise LaunchError(message, status)


def check(status: int) -> None:
    """Raises for the status of the call before, if that is not PTXSIM_OK."""
    if status == lib.PTXSIM_OK:
        return
    if status == lib.PTXSIM_ERROR_MEMORY:
        raise MemoryError(last_error())
    if status == lib.PTXSIM_ERROR_FILE:
        raise OSError(last_error())
    raise Error(last_error(), status)
