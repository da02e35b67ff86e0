# SPDX-License-Identifier: Apache-2.0
"""Takes the version from configure.ac, and puts the C declarations of src/ptxsim.h beside the modules."""
import pathlib
import re
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "src" / "ptxsim"))
import _header  # noqa: E402  (a module of the package that needs nothing else of it)


def version() -> str:
    """That of the C library; a source archive of the package alone has it in PKG-INFO."""
    text = ROOT / "configure.ac"
    if text.exists():
        match = re.search(r"AC_INIT\(\[ptxsim\], \[([^]]+)\]", text.read_text())
        if match:
            return match[1]
    match = re.search(r"^Version: (.+)$", (HERE / "PKG-INFO").read_text(), re.M)
    assert match
    return match[1]


class BuildWithDeclarations(build_py):
    """Writes _interface.py, which `import ptxsim` reads in place of the header."""

    def run(self) -> None:
        super().run()
        target = pathlib.Path(self.build_lib) / "ptxsim" / "_interface.py"
        declarations = _header.all_declarations(ROOT / "src")
        self.mkpath(str(target.parent))
        target.write_text(f'"""The C declarations of ptxsim.h, written when the package was built."""\nCDEF = """{declarations}"""\n')


setup(version=version(), cmdclass={"build_py": BuildWithDeclarations})
