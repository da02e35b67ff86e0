# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a kernel runs.

Python's own handler runs only when the main thread is back in Python code, which a long launch keeps it from. But the C
handler below it writes a byte to a file descriptor at once; a thread that reads there stops the launch, whose end lets
Python raise KeyboardInterrupt as always.
"""
import os
import signal
import socket
import threading
import time
from types import TracebackType
from typing import Any, Optional, Type

from ._library import lib

_lock = threading.Lock()
_writer: Optional[socket.socket] = None
_running: Any = None


def _watch(reader: socket.socket) -> None:
    while True:
        numbers = reader.recv(64)
        if not numbers:
            return
        if signal.SIGINT in numbers:
            _stop(_running)


def _stop(context: Any) -> None:
    """Until it ends: a launch that was just about to begin when the signal came does not see the first word."""
    while context is not None:
        with _lock:
            if _running is not context:
                return
            lib.ptxsim_stop(context)
        time.sleep(0.01)


def _start() -> socket.socket:
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    threading.Thread(target=_watch, args=(reader,), name="ptxsim-interrupt", daemon=True).start()
    return writer


def _forget() -> None:
    """A child of fork has no such thread."""
    global _writer
    _writer = None


os.register_at_fork(after_in_child=_forget)


class stoppable:
    """A with block in which Ctrl-C stops the context's launches; in other threads than the main one it does nothing."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._before = -1
        self._is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        global _writer, _running
        if not self._is_main:
            return
        if _writer is None:
            _writer = _start()
        _running = self._context
        self._before = signal.set_wakeup_fd(_writer.fileno(), warn_on_full_buffer=False)

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        global _running
        if not self._is_main:
            return
        signal.set_wakeup_fd(self._before)
        with _lock:
            _running = None
