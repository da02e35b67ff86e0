# SPDX-License-Identifier: Apache-2.0
"""listing.py BUILD [MEGABYTES]: how long ptxsim disasm takes to list a large library's fat binary, and to print one kernel of it,
and how many instructions are decoded in a second, all in processor time. The library is the cubins of tests/sass, again and
again, stored as they are."""
import glob
import gzip
import os
import resource
import struct
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sass")


def write_library(path, size):
    """A fat binary's entry: kind 2 (cubin), bytes of the header and of what follows, the target."""
    entries = []
    for packed in sorted(glob.glob(os.path.join(TESTS, "cubins", "*.cubin.gz"))):
        with gzip.open(packed) as f:
            cubin = f.read()
        cubin += bytes(-len(cubin) % 8)
        entries.append(struct.pack("<HHIQIIIIQQQQ", 2, 0x101, 64, len(cubin), 0, 0, 0, 90, 0, 0, 0, 0) + cubin)
    once = b"".join(entries)
    times = size // len(once) + 1
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(once) * times))
        for _ in range(times):
            f.write(once)


def measure(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.count(b"\n")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, lines


def main():
    build, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    ptxsim = os.path.join(build, "ptxsim")
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "library.fatbin")
        write_library(library, size << 20)
        for what, words in (("list all images and kernels", ["--list"]), ("print the kernels of one name", ["--kernel", "fft2"])):
            seconds, lines = measure([ptxsim, "disasm", *words, library])
            print(f"{size} MB: {what}: {seconds:.2f} s, {lines} lines")
    listing = os.path.join(TESTS, "listings", "sm_90a.txt.gz")
    subprocess.run([os.path.join(build, "disasm-run"), "--speed", "--arch", "sm_90a", listing], check=True)


main()
