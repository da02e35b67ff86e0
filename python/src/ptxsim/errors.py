# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as exceptions that print as the program prints them."""
from typing import Any, List, NoReturn, Optional, Tuple

from ._library import ffi, lib, text


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
    address, size, is_store: the access in bytes
    detail: what else the message says
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
    detail: str = ""

    @classmethod
    def of(cls, context: Any, status: int) -> "KernelError":
        """The last launch's fault in a context (a cffi pointer)."""
        error = cls(text(lib.ptxsim_message(context)), status)
        fault = ffi.new("struct ptxsim_fault *")
        if lib.ptxsim_get_fault(context, fault) != lib.PTXSIM_OK:
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
        error.detail = text(fault.detail)
        return error

    @classmethod
    def findings(cls, context: Any, status: int) -> "KernelError":
        """What the checks found in a launch that ran to its end."""
        found: List[str] = []
        while True:
            one = lib.ptxsim_finding(context, len(found))
            if one == ffi.NULL:
                break
            found.append(text(one))
        error = cls("\n".join(found), status)
        error.kind = "finding"
        return error


def raise_launch(context: Any, status: int) -> NoReturn:
    """What a launch's status stands for."""
    if status == lib.PTXSIM_ERROR_FAULT:
        if lib.ptxsim_finding(context, 0) != ffi.NULL:
            raise KernelError.findings(context, status)
        raise KernelError.of(context, status)
    if status == lib.PTXSIM_ERROR_INTERRUPTED:
        raise KeyboardInterrupt
    message = text(lib.ptxsim_message(context)) or text(lib.ptxsim_status_text(status))
    if status == lib.PTXSIM_ERROR_MEMORY:
        raise MemoryError(message)
    raise LaunchError(message, status)


def check(status: int, what: str) -> None:
    """Raises for a status that is not PTXSIM_OK."""
    if status == lib.PTXSIM_OK:
        return
    message = f"{what}: {text(lib.ptxsim_status_text(status))}"
    if status == lib.PTXSIM_ERROR_MEMORY:
        raise MemoryError(message)
    raise Error(message, status)
