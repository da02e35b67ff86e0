# SPDX-License-Identifier: Apache-2.0
"""The debugger, forwards and backwards, for notebooks and tests."""
from __future__ import annotations

import base64
import os
import re
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np

from ._dap import Client
from .errors import Error

if TYPE_CHECKING:
    from .array import Array

_TYPES = {
    "u8": np.uint8, "s8": np.int8, "b8": np.uint8, "u16": np.uint16, "s16": np.int16, "b16": np.uint16,
    "u32": np.uint32, "s32": np.int32, "b32": np.uint32, "u64": np.uint64, "s64": np.int64, "b64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "pred": np.bool_,
}  # fmt: skip


class Position:
    """Where a warp stands: kernel or function, file and line, and why it stopped there: "entry", "breakpoint", "step",
    "exception", "pause", or "end" after the last launch."""

    def __init__(self, reason: str, text: str, frame: Optional[Dict[str, Any]]) -> None:
        self.reason = reason
        #: What the debugger says about the stop, e.g. the message of a fault.
        self.text = text
        self.function: Optional[str] = frame["name"] if frame else None
        self.line: Optional[int] = frame.get("line") if frame else None
        source = (frame or {}).get("source") or {}
        self.file: Optional[str] = source.get("path") or source.get("name")

    def __repr__(self) -> str:
        at = f" in {self.function} at {self.file}:{self.line}" if self.function else ""
        return f"<{self.reason}{at}>"


def _number(text: str, kind: Any) -> Any:
    """A value as the debugger prints it: 12, -3, 0x7f, 1.5, nan, true."""
    if kind is np.bool_:
        return text.split()[0] in ("1", "true")
    word = text.split()[0] if text.split() else "0"
    if np.issubdtype(kind, np.floating):
        return float.fromhex(word) if word.lower().startswith(("0x", "-0x")) else float(word)
    number = int(word, 0)
    info = np.iinfo(kind)
    if number > info.max:
        number -= 1 << info.bits
    return number % (1 << info.bits) if info.min == 0 else number


class Registers:
    """The registers of the warp in focus, as arrays of 32 lanes: `registers["%f1"]`."""

    def __init__(self, debugger: "Debugger") -> None:
        self._debugger = debugger

    def _list(self) -> List[Dict[str, Any]]:
        return self._debugger._scope("Registers")

    def __iter__(self) -> Iterator[str]:
        return iter([v["name"] for v in self._list()])

    def __len__(self) -> int:
        return len(self._list())

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __getitem__(self, name: str) -> Array:
        for v in self._list():
            if v["name"] == name:
                return self._lanes(v)
        # Special registers, also those of three parts (%tid.x).
        try:
            body = self._debugger._evaluate(name)
        except Error:
            raise KeyError(name) from None
        if not body.get("variablesReference"):
            raise KeyError(name)
        return self._lanes(body)

    def _lanes(self, variable: Dict[str, Any]) -> Array:
        kind = _TYPES.get(variable["type"].lstrip("."), np.uint64)
        lanes = self._debugger._variables(variable["variablesReference"])
        return np.array([_number(lane["value"], kind) for lane in lanes], kind)

    def array(self) -> Array:
        """All registers: lanes by registers, in their order, as float64."""
        return np.stack([self._lanes(v).astype(np.float64) for v in self._list()], axis=1)


class Debugger:
    """Files with `//@` launches, or with a launch given by options as those of `ptxsim run` (`["--kernel", "k"]`), under
    the debugger. It stops before the first instruction. Use it in a with block, or close() it."""

    def __init__(
        self, source: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]], *options: str
    ) -> None:
        files = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        self._client = Client()
        #: What kernels printed and the debugger told so far.
        self.output = ""
        self._client.on_output = self._take_output
        self._thread = 0
        self._frames: List[Dict[str, Any]] = []
        self.position: Position
        try:
            self._start([os.fspath(f) for f in files], list(options))
        except BaseException:
            self.close()
            raise

    def _take_output(self, body: Dict[str, Any]) -> None:
        self.output += body.get("output", "")

    def _start(self, files: List[str], options: List[str]) -> None:
        c = self._client
        c.request("initialize", adapterID="ptxsim", linesStartAt1=True, columnsStartAt1=True)
        try:
            c.request("launch", program=files, args=options, stopOnEntry=True)
        except Error as error:
            raise Error((self.output or str(error)).strip()) from None
        c.event("initialized")
        c.request("configurationDone")
        self._stopped()

    def __enter__(self) -> "Debugger":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session and its program."""
        self._client.close()

    # --- Moving

    def _stopped(self) -> Position:
        event = self._client.event("stopped", "terminated", "exited")
        self._frames = []
        if event["event"] != "stopped":
            self.position = Position("end", "", None)
            return self.position
        body = event["body"]
        self._thread = body.get("threadId", self._thread)
        self._frames = self._client.request("stackTrace", threadId=self._thread)["stackFrames"]
        text = body.get("text") or body.get("description") or ""
        self.position = Position(body["reason"], text, self._frames[0] if self._frames else None)
        return self.position

    def _move(self, command: str, **arguments: Any) -> Position:
        if self.position.reason == "end":
            raise Error("the last launch has ended")
        self._client.request(command, threadId=self._thread, **arguments)
        return self._stopped()

    def step(self, count: int = 1) -> Position:
        """`count` instructions of the warp on."""
        for _ in range(count):
            self._move("stepIn", granularity="instruction")
        return self.position

    def reverse_step(self, count: int = 1) -> Position:
        """`count` instructions of the warp back."""
        for _ in range(count):
            self._move("stepBack", granularity="instruction")
        return self.position

    def next(self) -> Position:
        """To the next line, over calls."""
        return self._move("next")

    def finish(self) -> Position:
        """Out of the function."""
        return self._move("stepOut")

    def run(self) -> Position:
        """On to the next breakpoint, fault, or the end."""
        return self._move("continue")

    def reverse_run(self) -> Position:
        """Back to the breakpoint before, or the beginning."""
        return self._move("reverseContinue")

    # --- Stopping

    def break_at(self, file: Union[str, "os.PathLike[str]"], *lines: int, condition: Optional[str] = None) -> List[int]:
        """Sets the breakpoints of a file, in place of those that it had: the lines that they came to stand at."""
        points: List[Dict[str, Any]] = [{"line": n, **({"condition": condition} if condition else {})} for n in lines]
        body = self._client.request(
            "setBreakpoints", source={"path": os.path.abspath(os.fspath(file))}, breakpoints=points
        )
        for point in body["breakpoints"]:
            if not point["verified"]:
                raise Error(point.get("message", "no instruction is there"))
        return [point["line"] for point in body["breakpoints"]]

    # --- Looking

    def _variables(self, reference: int) -> List[Dict[str, Any]]:
        found: List[Dict[str, Any]] = self._client.request("variables", variablesReference=reference)["variables"]
        return found

    def _scope(self, name: str) -> List[Dict[str, Any]]:
        if not self._frames:
            raise Error("nothing stands anywhere: the last launch has ended")
        scopes = self._client.request("scopes", frameId=self._frames[0]["id"])["scopes"]
        for scope in scopes:
            if scope["name"] == name:
                return self._variables(scope["variablesReference"])
        return []

    @property
    def registers(self) -> Registers:
        return Registers(self)

    def evaluate(self, expression: str) -> str:
        """An expression of the debugger's, as it prints it: "%r1 + 1", "[%rd4]", "threadIdx.x"."""
        return str(self._evaluate(expression)["result"])

    def _evaluate(self, expression: str, context: str = "watch") -> Dict[str, Any]:
        frame = {"frameId": self._frames[0]["id"]} if self._frames else {}
        return self._client.request("evaluate", expression=expression, context=context, **frame)

    def command(self, line: str) -> str:
        """A command of the debugger's prompt, and what it prints: "info warps", "who wrote %r3"."""
        return str(self._evaluate(line, "repl").get("result", ""))

    def memory(self, name: str, dtype: Any = np.uint8, count: int = 1, offset: int = 0) -> Array:
        """Elements of a variable of shared, local, parameter, global or constant memory, or at a reference such as
        "global:0:0:0:0x7f0002000000"; `offset` in bytes."""
        reference = name
        if not re.match(r"\w+:\d+:\d+:\d+:", name):
            reference = self._reference(name)
        kind = np.dtype(dtype)
        body = self._client.request(
            "readMemory", memoryReference=reference, offset=offset, count=count * kind.itemsize
        )
        data = base64.b64decode(body.get("data", ""))
        if len(data) < count * kind.itemsize:
            raise Error(f"only {len(data)} of {count * kind.itemsize} bytes can be read there")
        return np.frombuffer(data, kind, count)

    def _reference(self, name: str) -> str:
        for scope in ("Shared memory", "Local memory", "Parameters", "Global and constant memory"):
            for v in self._scope(scope):
                if v["name"] == name and "memoryReference" in v:
                    return str(v["memoryReference"])
        raise KeyError(name)


def debug(source: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]], *options: str) -> Debugger:
    """Debugs files with `//@` launches; options are those of `ptxsim run`: see Debugger."""
    return Debugger(source, *options)
