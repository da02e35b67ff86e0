# SPDX-License-Identifier: Apache-2.0
"""The pytest plug-in, run as a user runs it."""
import os
import shutil
import subprocess
import sys

BAD = """//@ let n = 4
//@ buffer a u32[n] const 1
//@ launch k(a)
//@ expect a[i] = 2
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a) { ret; }
"""


def run(folder, *words):
    # -p: an installed package is found by its entry point; from the tree it is named.
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "ptxsim.pytest_plugin", "-q", *words, str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=dict(os.environ),
    )  # fmt: skip


def test_collects_passes_and_fails(tmp_path, samples):
    shutil.copy(samples / "vecadd.ptx", tmp_path)
    (tmp_path / "bad.ptx").write_text(BAD)
    (tmp_path / "plain.ptx").write_text(".version 7.0\n")
    done = run(tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "bad.ptx" in done.stdout and "a[i] = 2" in done.stdout
    assert done.returncode == 1


def test_architectures(tmp_path, samples):
    shutil.copy(samples / "vecadd.ptx", tmp_path)
    done = run(tmp_path, "--ptxsim-arch=sm_80,sm_90")
    assert "2 passed" in done.stdout, done.stdout


def test_the_fixture(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "def test_it(ptxsim_device):\n    a = ptxsim_device.zeros(4)\n    assert a.address and not a.get().any()\n"
    )
    assert "1 passed" in run(tmp_path).stdout
