# SPDX-License-Identifier: Apache-2.0
"""pytest collects .ptx and .sass files that have `//@` launches: each expectation that does not hold, and each kernel that
fails, fails its file's test with the message and the place.

    pytest --ptxsim-arch sm_80,sm_90 kernels/

runs each file once for each architecture. The fixture `ptxsim_device` is a context of its own for a test.
"""
from __future__ import annotations

import pathlib
import subprocess
import xml.etree.ElementTree as xml
from typing import Any, Iterator, List, Optional, Tuple

import pytest

SUFFIXES = (".ptx", ".sass")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxsim")
    group.addoption("--ptxsim-arch", default="", metavar="sm_XX,...", help="architectures to run .ptx files for")
    group.addoption("--ptxsim-check", action="store_true", help="look for races and unwritten memory, too")
    group.addoption("--no-ptxsim", action="store_true", help="do not collect .ptx and .sass files")


def _has_launches(path: pathlib.Path) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as text:
            return any(line.lstrip().startswith("//@") for line in text)
    except OSError:
        return False


def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector) -> Optional[pytest.Collector]:
    if file_path.suffix not in SUFFIXES or parent.config.getoption("no_ptxsim") or not _has_launches(file_path):
        return None
    collector: pytest.Collector = PtxFile.from_parent(parent, path=file_path)
    return collector


class PtxFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        names: List[str] = [a for a in self.config.getoption("ptxsim_arch").split(",") if a]
        for arch in names or [""]:
            yield PtxItem.from_parent(self, name=f"launches[{arch}]" if arch else "launches", arch=arch)


class Failed(Exception):
    """The expectations or kernels that failed."""


class PtxItem(pytest.Item):
    def __init__(self, *, arch: str, **others: Any) -> None:
        super().__init__(**others)
        self.arch = arch

    def runtest(self) -> None:
        from ._dap import program

        words = [program(), "test", "--junit", str(self.path)]
        if self.arch:
            words.append(f"--arch={self.arch}")
        if self.config.getoption("ptxsim_check"):
            words.append("--check")
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode == 0:
            return
        raise Failed(self._messages(done) or done.stderr.strip() or f"ptxsim ended with status {done.returncode}")

    @staticmethod
    def _messages(done: "subprocess.CompletedProcess[str]") -> str:
        try:
            cases = xml.fromstring(done.stdout)
        except xml.ParseError:
            return ""
        found = []
        for case in cases.iter("testcase"):
            for node in case:
                if node.tag in ("failure", "error"):
                    message = (node.text or node.get("message") or "").strip()
                    found.append(f"{case.get('classname')}: {case.get('name')}: {message}")
        return "\n".join(found)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> Tuple[Any, Optional[int], str]:
        return self.path, None, f"{self.path.name} {self.name}"


@pytest.fixture
def ptxsim_device() -> Iterator[Any]:
    """A context of its own, closed behind the test."""
    import ptxsim

    with ptxsim.Context() as context:
        yield context
