# SPDX-License-Identifier: Apache-2.0
"""A client of `ptxsim dap`: the Debug Adapter Protocol over the pipes of a child process."""
import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Callable, Dict, List, Optional

from .errors import Error

Message = Dict[str, Any]


def program() -> str:
    """The ptxsim program: $PTXSIM, the one of the source tree that this package lies in, or the one on the path."""
    named = os.environ.get("PTXSIM")
    if named:
        return named
    tree = pathlib.Path(__file__).resolve().parents[3]
    built = tree / "build" / "ptxsim"
    if (tree / "src" / "ptxsim.h").exists() and built.exists():
        return str(built)
    found = shutil.which("ptxsim")
    if not found:
        raise FileNotFoundError("the program 'ptxsim' was not found; install it or set PTXSIM")
    return found


class Client:
    def __init__(self) -> None:
        self._child = subprocess.Popen(
            [program(), "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._number = 0
        self._events: List[Message] = []
        #: Called with the body of each output event.
        self.on_output: Callable[[Message], None] = lambda body: None

    def _receive(self) -> Message:
        out = self._child.stdout
        assert out
        length = 0
        for line in iter(out.readline, b"\r\n"):
            if not line:
                raise Error("the debugger has ended")
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: Message = json.loads(out.read(length))
        if message["type"] == "event" and message["event"] == "output":
            self.on_output(message["body"])
        return message

    def send(self, command: str, arguments: Optional[Message] = None) -> int:
        self._number += 1
        text = json.dumps(
            {"seq": self._number, "type": "request", "command": command, "arguments": arguments or {}}
        ).encode()
        pipe = self._child.stdin
        assert pipe
        pipe.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        pipe.flush()
        return self._number

    def answer(self, number: int) -> Message:
        while True:
            message = self._receive()
            if message["type"] == "event":
                self._events.append(message)
            elif message["request_seq"] == number:
                if not message["success"]:
                    raise Error(message.get("message", "the debugger refused") or "the debugger refused")
                body: Message = message.get("body") or {}
                return body

    def request(self, command: str, **arguments: Any) -> Message:
        return self.answer(self.send(command, arguments))

    def event(self, *names: str) -> Message:
        """The next event of one of these names."""
        while True:
            for k, message in enumerate(self._events):
                if message["event"] in names:
                    return self._events.pop(k)
            message = self._receive()
            if message["type"] == "event":
                self._events.append(message)

    def close(self) -> None:
        child = self._child
        if child.poll() is None:
            try:
                self.send("disconnect")
                if child.stdin:
                    child.stdin.close()
                child.wait(5)
            except (OSError, subprocess.TimeoutExpired):
                child.kill()
                child.wait()
        if child.stdout:
            child.stdout.close()
