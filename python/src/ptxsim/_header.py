# SPDX-License-Identifier: Apache-2.0
"""From ptxsim.h to what cffi reads: declarations without comments, macros and linkage."""
import pathlib
import re

#: The public headers, in the order in which they need each other.
HEADERS = ("ptxsim.h", "ptxsim_observe.h", "ptxsim_script.h")


def all_declarations(folder: pathlib.Path) -> str:
    """Those of all public headers in a folder."""
    return "".join(declarations((folder / name).read_text()) for name in HEADERS)


def declarations(header: str) -> str:
    """The declarations of the text of ptxsim.h.

    Constants that are macros with a plain number stay as `#define`, which cffi understands.
    """
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    kept = []
    skipping = 0
    for line in text.splitlines():
        word = line.strip()
        if word.startswith("#if"):
            # Include guards, C++ and compilers' own: only the guard's inside is wanted.
            inside = word.startswith("#ifndef PTXSIM_")
            skipping += 0 if inside and not skipping else 1
            if inside and skipping == 0:
                kept.append("")
            continue
        if word.startswith("#endif"):
            skipping = max(0, skipping - 1)
            continue
        if skipping:
            continue
        if word.startswith("#"):
            if re.fullmatch(r"#define PTXSIM_\w+\s+\d+", word):
                kept.append(word)
            continue
        kept.append(line)
    return "\n".join(line for line in kept if line.strip()) + "\n"
