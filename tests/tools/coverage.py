#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py BUILD [--least PERCENT] [--missing [WORD]]: lines and branches that tests have run, by folder.

Reads the counters of a build with --enable-gcov, by gcov. A source that is compiled several times (for vector widths, into
several libraries, as a template) counts once: a line has run if it has run in any of them. --missing lists the lines that
have not run, of files whose path contains WORD. Ends with status 1 if fewer lines have run than --least says.

Left out is what runs only when memory runs out, by this rule: the branch of an `if` whose condition asks whether an
allocation has failed (it calls an allocating function, or tests for NULL what one gave in the three lines before), or where
an arena's unwinding arrives; and lines that name the out-of-memory status or message. These paths have a test of their own,
which fails each allocation in turn (tests/unit/test_api_memory.c).
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

ALLOCATES = re.compile(r"\b(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf|open_memstream|mmap|"
                       r"aligned_alloc|posix_memalign|pthread_create|host_threads_do|session_open\w*|json_(object|array|"
                       r"string|pack|integer|deep_copy|dumps)\w*|\w*_(new|alloc|allocate|grow|try))\(")
UNWINDS = re.compile(r"\b(setjmp|SESSION_ENTER|[A-Z]+_ENTER)\(")
NAMED = re.compile(r"NO_MEMORY|no_memory|out_of_memory|OUT_OF_MEMORY|ENOMEM|out of memory|MEMORY_ALLOCATION")


def condition(lines, at):
    """The condition of the `if` at line `at` and the line where it ends; None: there is none."""
    start = re.search(r"\b(if|while) \(", lines[at])
    if not start:
        return None
    depth, text = 0, ""
    for k in range(at, min(at + 8, len(lines))):
        for c in lines[k][start.end() - 1 if k == at else 0:]:
            depth += (c == "(") - (c == ")")
            text += c
            if not depth:
                return text, k
    return None


def branch_lines(lines, after):
    """The lines of the statement after a condition's last line."""
    first = after + 1
    if lines[after].rstrip().endswith("{"):
        depth = 1
        for k in range(first, len(lines)):
            depth += lines[k].count("{") - lines[k].count("}")
            if depth <= 0:
                return range(first, k)
        return range(first, first)
    for k in range(first, min(first + 8, len(lines))):
        if lines[k].rstrip().endswith((";", "}")):
            return range(first, k + 1)
    return range(first, first)


def memory_lines(path):
    """Numbers of the lines that run only when memory runs out."""
    with open(path, encoding="utf-8", errors="replace") as f:
        lines = f.read().split("\n")
    left_out = set()
    for k, line in enumerate(lines):
        if NAMED.search(line):
            left_out.add(k + 1)
        found = condition(lines, k)
        if not found:
            continue
        text, last = found
        given = [re.search(r"(\w+)(\[\w+\])? = [^;]*", recent) for recent in lines[max(0, k - 3):k] if ALLOCATES.search(recent)]
        failed = any(g and re.search(r"!(\w+(->|\.))*" + g.group(1) + r"\b", text) for g in given)
        if failed or UNWINDS.search(text) or (ALLOCATES.search(text) and "!" in text):
            left_out.update(n + 1 for n in branch_lines(lines, last))
    return left_out


def counts_of(counters):
    found = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", os.path.basename(counters)],
                           cwd=os.path.dirname(counters), capture_output=True, text=True, check=False).stdout
    result = []
    for text in found.splitlines():
        report = json.loads(text)
        for file in report["files"]:
            path = os.path.join(report["current_working_directory"], file["file"])
            for line in file["lines"]:
                result.append((path, line["line_number"], line["count"], [b["count"] for b in line["branches"]]))
    return result


def collect(build, root):
    lines = collections.defaultdict(dict)
    branches = collections.defaultdict(dict)
    counters = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith(".gcno")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(counts_of, counters):
            for path, number, count, taken in result:
                name = os.path.relpath(os.path.realpath(path), root)
                if not re.match(r"(src|grammar)/", name) or not os.path.exists(os.path.join(root, name)):
                    continue
                lines[name][number] = lines[name].get(number, 0) + count
                old = branches[name].get(number, [])
                if len(old) == len(taken):
                    taken = [a + b for a, b in zip(old, taken)]
                elif len(old) > len(taken):
                    continue
                branches[name][number] = taken
    return lines, branches


def ranges(numbers):
    text, first = [], None
    for number, after in zip(numbers, numbers[1:] + [None]):
        first = number if first is None else first
        if after != number + 1:
            text.append(str(first) if first == number else f"{first}-{number}")
            first = None
    return " ".join(text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("build")
    arguments.add_argument("--least", type=float, default=0)
    arguments.add_argument("--missing", nargs="?", const="", default=None)
    options = arguments.parse_args()
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    lines, branches = collect(os.path.realpath(options.build), root)
    sums = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    for name in sorted(lines):
        left_out = memory_lines(os.path.join(root, name))
        kept = sorted(n for n in lines[name] if n not in left_out)
        missing = [n for n in kept if not lines[name][n]]
        ways = [way for n in kept for way in branches[name].get(n, [])]
        folder = name.split("/")[1] if name.startswith("src/") and name.count("/") > 1 else name.split("/")[0]
        for to in (folder, "all"):
            for k, more in enumerate([len(kept) - len(missing), len(kept), sum(w > 0 for w in ways), len(ways),
                                      len(lines[name]) - len(kept)]):
                sums[to][k] += more
        if options.missing is not None and missing and options.missing in name:
            print(f"{name}: {len(missing)} of {len(kept)}: {ranges(missing)}")
    print(f"{'folder':10} {'lines':>8} {'run':>8} {'':>7}   {'branches':>8} {'taken':>8} {'':>7}   out of memory")
    for folder in sorted(sums, key=lambda f: (f == "all", f)):
        run, count, taken, ways, out = sums[folder]
        print(f"{folder:10} {count:8} {run:8} {100 * run / max(1, count):6.1f}%   {ways:8} {taken:8} "
              f"{100 * taken / max(1, ways):6.1f}%   {out:8} left out")
    run, count = sums["all"][:2]
    return 1 if not count or 100 * run / count < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
