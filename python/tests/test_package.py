# SPDX-License-Identifier: Apache-2.0
"""The package as others get it: installed by pip without a network, written for Python 3.9, typed and documented."""
import ast
import importlib.util
import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import ptxsim

FOLDER = pathlib.Path(__file__).resolve().parents[1]
SOURCES = sorted((FOLDER / "src" / "ptxsim").glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_oldest_python_reads_it(path):
    ast.parse(path.read_text(), feature_version=(3, 9))


def test_types_are_strict():
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "src/ptxsim"],
        cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


#: What the name and the type say in full.
PLAIN = {"shape", "dtype", "nbytes", "done", "closed", "kernels", "counters", "report", "registers"}


def test_everything_public_is_documented():
    missing = []
    for name in ptxsim.__all__:
        thing = getattr(ptxsim, name)
        if not inspect.getdoc(thing):
            missing.append(name)
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if not member.startswith("_") and member not in PLAIN and inspect.isfunction(function):
                if not function.__doc__:
                    missing.append(f"{name}.{member}")
    assert not missing


def test_pip_installs_it_without_a_network(tmp_path):
    for needed in ("pip", "venv", "setuptools", "wheel"):
        if not importlib.util.find_spec(needed):
            pytest.skip(f"this Python has no {needed}")
    # pip leaves what it builds beside the sources.
    tree = tmp_path / "tree"
    shutil.copytree(FOLDER, tree / "python", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    shutil.copy(FOLDER.parent / "configure.ac", tree)
    (tree / "src").mkdir()
    for header in (FOLDER.parent / "src").glob("ptxsim*.h"):
        shutil.copy(header, tree / "src")
    venv = tmp_path / "venv"
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    if subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(venv)], **quiet).returncode:
        pytest.skip("this Python makes no venv")
    python = str(venv / "bin" / "python")
    words = ["-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", "--no-deps", str(tree / "python")]
    done = subprocess.run([python, *words], **quiet)
    assert done.returncode == 0, done.stdout
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    code = "import ptxsim; print(ptxsim.__file__, ptxsim.array([1, 2]).nbytes)"
    done = subprocess.run([python, "-c", code], cwd=tmp_path, env=plain, **quiet)
    assert done.returncode == 0 and done.stdout.startswith(str(venv)), done.stdout
    assert done.stdout.split()[-1] == "16"
