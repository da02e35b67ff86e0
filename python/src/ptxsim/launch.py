# SPDX-License-Identifier: Apache-2.0
"""Launches that have run: what they did, and, of counted ones, what it cost."""
from __future__ import annotations

import html
import json
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Sequence

from ._library import ffi, lib, text
from .errors import Error

if TYPE_CHECKING:
    from .module import Kernel

_FORMATS = {"text": 0, "json": 1, "html": 2, "csv": 3}
_LINES = {"source": 0, "ptx": 1, "instructions": 2}

#: The library's counters in its order, filled at first use.
_names: List[str] = []


def counter_names() -> List[str]:
    """The names of all counters, in the order of docs/counters.md."""
    if not _names:
        _names.extend(text(lib.ptxsim_counter_name(k)) for k in range(lib.ptxsim_counter_count()))
    return list(_names)


class Watching:
    """What a module's launches are watched for."""

    def __init__(self, count: bool, checks: Sequence[str]) -> None:
        self.pointer = ffi.new("struct ptxsim_watching *")
        self.pointer.struct_size = ffi.sizeof("struct ptxsim_watching")
        self.pointer.count = count
        self._checks = ffi.new("char[]", ",".join(checks).encode())  # lives as long as what points to it
        self.pointer.checks = self._checks
        self.count = count
        self.wanted = count or bool(checks)


class Report:
    """The report of a counted launch, what costs most first: print it, or show it in a notebook, as the page that
    `ptxsim run --report html` writes. Each form is made when it is first asked for. Error: the launch was not counted, or
    its module has been unloaded; printed, it is empty then."""

    def __init__(self, launch: "Launch") -> None:
        self._launch = launch

    def _made(self, form: str) -> str:
        made = text(lib.ptxsim_record_report(self._launch._recorded(), _FORMATS[form]))
        if not made:
            raise Error(text(lib.ptxsim_last_error()))
        return made

    def __str__(self) -> str:
        try:
            return self._made("text")
        except Error:
            return ""

    def html(self) -> str:
        """A whole page, with the source beside its counts; it needs no other file and no network."""
        return self._made("html")

    def json(self) -> Dict[str, Any]:
        """The report as docs/report.schema.json describes it."""
        report: Dict[str, Any] = json.loads(self._made("json"))
        return report

    def csv(self) -> str:
        """A row for each counter of the launch, each instruction and each line."""
        return self._made("csv")

    def _repr_html_(self) -> str:
        # The page has styles and scripts of its own, which must not meet the notebook's.
        try:
            page = self.html()
        except Error as error:
            return f"<em>{html.escape(str(error))}</em>"
        return (
            f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
            'style="width: 100%; height: 40em; border: 1px solid #8888"></iframe>'
        )


class Counters(Mapping[str, float]):
    """Counters of a launch by their names in docs/counters.md or the profiler's: `launch.counters["shared.conflicts"]`.
    Iterating gives ptxsim's names. KeyError: no such counter. Error: the launch was not counted."""

    def __init__(self, launch: "Launch") -> None:
        self._launch = launch

    def __getitem__(self, name: str) -> float:
        value = ffi.new("double *")
        status = lib.ptxsim_record_counter(self._launch._recorded(), name.encode(), value)
        if status == lib.PTXSIM_ERROR_NOT_FOUND:
            raise KeyError(name)
        if status != lib.PTXSIM_OK:
            raise Error("the launch was not counted: make the module with count=True", status)
        return float(value[0])

    def __iter__(self) -> Iterator[str]:
        return iter(counter_names())

    def __len__(self) -> int:
        return len(counter_names())


class Launch:
    """A launch that has run: what it did, and how long it took. Of one in a stream, all of it is there once the stream has
    been synchronized; before, looking at it is an Error.

    blocks, warps, warp_instructions, thread_instructions, branches, divergent_branches: counts
    seconds: of host time; jobs: host threads that took part
    counters, report, lines(): of a module with count=True
    """

    blocks: int
    warps: int
    warp_instructions: int
    thread_instructions: int
    branches: int
    divergent_branches: int
    seconds: float
    jobs: int

    _COUNTS = ("blocks", "warps", "warp_instructions", "thread_instructions", "branches", "divergent_branches", "jobs")

    def __init__(self, kernel: "Kernel") -> None:
        self.kernel = kernel
        self._record: Any = None

    def _take(self, record: Any) -> None:
        """The launch has run; its record, or NULL: it is the context's last one."""
        stats = ffi.new("struct ptxsim_stats *")
        if record == ffi.NULL:
            lib.ptxsim_get_stats(self.kernel.module.context._pointer, stats)
        else:
            self._record = record
            self._free = weakref.finalize(self, lib.ptxsim_record_free, record)
            lib.ptxsim_record_stats(record, stats)
        for name in self._COUNTS:
            setattr(self, name, int(getattr(stats, name)))
        self.seconds = float(stats.seconds)

    def __getattr__(self, name: str) -> Any:
        # Only of what is not there yet.
        if name in self._COUNTS or name == "seconds":
            raise Error("the launch has not run: synchronize its stream first")
        raise AttributeError(name)

    def _recorded(self) -> Any:
        if self._record is None:
            self.jobs  # of a launch that has not run, this says so
            raise Error("the launch was not counted: make the module with count=True")
        return self._record

    @property
    def counters(self) -> Counters:
        return Counters(self)

    @property
    def report(self) -> Report:
        return Report(self)

    def lines(self, kind: str = "ptx") -> List[Dict[str, Any]]:
        """What each line that ran cost: one dict a line, by file and line, with counters that are 0 on all lines left out.
        `pandas.DataFrame(launch.lines())` makes a table of it.

        kind: "source" (of what the PTX was compiled from; needs .loc lines), "ptx", or "instructions"

        The dicts have `file`, `line`, `text` (of instructions), `source` and `source_line` (of PTX lines), `function` (that
        was inlined there), and the counters by their names. Error: the launch was not counted.
        """
        if kind not in _LINES:
            raise ValueError(f"lines are of kind 'source', 'ptx' or 'instructions', not {kind!r}")
        names, count = counter_names(), lib.ptxsim_counter_count()
        record, line = self._recorded(), ffi.new("struct ptxsim_line *")
        line.struct_size = ffi.sizeof("struct ptxsim_line")
        places: List[Dict[str, Any]] = []
        values: List[List[float]] = []
        while True:
            status = lib.ptxsim_record_line(record, _LINES[kind], len(places), line)
            if status == lib.PTXSIM_ERROR_NOT_FOUND:
                break
            if status != lib.PTXSIM_OK:
                raise Error(text(lib.ptxsim_last_error()), status)
            places.append(self._place(line, kind))
            values.append(ffi.unpack(line.counters, count))
        used = [k for k in range(count) if any(v[k] for v in values)]
        return [{**place, **{names[k]: v[k] for k in used}} for place, v in zip(places, values)]

    @staticmethod
    def _place(line: Any, kind: str) -> Dict[str, Any]:
        place: Dict[str, Any] = {"file": text(line.file), "line": int(line.line)}
        if kind == "instructions":
            place["text"] = text(line.text)
        if kind == "source":
            place["function"] = text(line.function)
        else:
            place["source"], place["source_line"] = text(line.source), int(line.source_line)
        return place

    def __repr__(self) -> str:
        if "blocks" not in self.__dict__:
            return f"<launch of {self.kernel.name} in a stream>"
        return (
            f"<launch of {self.kernel.name}: {self.blocks:,} blocks, "
            f"{self.warp_instructions:,} instructions by warps, {self.seconds * 1e3:.3g} ms>"
        )
