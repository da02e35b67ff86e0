#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planted faults in CUDA C, each with a host program: which does ptxsim find, and where?

    whole_programs.py [--ptxsim build/ptxsim] [--how lines,programs] [--keep FOLDER] [--only RE] [--json FILE] FOLDER...

A folder has NAME.cu with a host program, and NAME.ptx with launch lines; lines of either say what is planted: `//! family F`,
`//! verdict TOOL: TEXT` (`clean`: nothing), `//! fault FILE:LINE...`, `//! other FILE:LINE...`. What is said of memory by `//! uninitialised
NAME`, `async NAME`, `free NAME`, `leak NAME` and `readback NAME` is made launch lines of.

Each program is run by launch lines (`ptxsim run --check`), and where that does not find its fault, or as --how says, compiled by
nvcc and run as a whole (`ptxsim exec --check`). A fault is found if the run ends with status 1, and a finding of a kind that fits its family
names a place of each line that the program has. Clean programs must raise nothing. Last line: N found, N missed, N false alarms; exit
status 1 if any is missed that EXPECTED does not name, or if there is an alarm."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

# What no tool can know of a program: docs/checks.md says why.
EXPECTED = {'g-struct-inner', 'g-suballocation', 'shared-carved'}

# The kinds of findings that fit a family.
KINDS = {
    'async': 'race|asynchronous operation misuse|deadlock|value that nothing has written',
    'cluster': 'barrier misuse|deadlock',
    'const': 'address out of bounds',
    'grid-sync': 'trap|illegal instruction|deadlock',
    'heap': 'address out of bounds|invalid free|null pointer',
    'init-.*': 'value that nothing has written|.* which nothing has written$',
    'lifetime': 'address out of bounds|memory that was freed|leak|.* leak: nothing frees|free .* is wrong|cudaFree|.* lies .* inside',
    'local': 'address out of bounds|stack overflow',
    'mbarrier': 'asynchronous operation misuse|barrier misuse|deadlock|race',
    'misaligned': 'misaligned address',
    'null': 'null pointer',
    'oob-.*|shared': 'address out of bounds',
    'race-.*': 'race',
    'space': 'null pointer|address out of bounds|store to read-only memory',
    'sync': 'barrier misuse|deadlock|illegal instruction|member mask leaves out an executing lane',
}


def tagged(tag, text):
    """The words of a line `//! TAG ...`."""
    found = re.search(r'^//! ' + tag + r' (.*)', text, re.M)
    return found.group(1).split() if found else []


def run(words, limit, **more):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, check=False, **more)
        return done.returncode, done.stdout.decode(errors='replace')
    except subprocess.TimeoutExpired as ended:
        return 'time-out', (ended.stdout or b'').decode(errors='replace')


def in_launch_lines(text):
    """What `//! ...` lines say of memory, as launch lines say it."""
    about = {tag: set(re.findall(r'^//! ' + tag + r' (\w+)', text, re.M)) for tag in ('uninitialised', 'async', 'free', 'leak')}
    lines, held = [], []
    for line in text.split('\n'):
        buffer = re.match(r'//@ buffer (\w+) (\w+\[[^\]]*\]) ?(.*)', line)
        said = re.match(r'//! (free|readback) (.*)', line)
        name = buffer and buffer.group(1)
        if name and any(name in names for names in about.values()):
            lines.append(f'//@ alloc {name} {buffer.group(2)}' + (' async' if name in about['async'] else ''))
            if name not in about['uninitialised']:
                lines.append(f'//@ fill {name} {buffer.group(3) or "zero"}')
            if name not in about['leak']:
                held.append(name)
        elif said:
            lines.append('//@ ' + ('free ' if said.group(1) == 'free' else 'read ') + said.group(2))
            if said.group(1) == 'free' and said.group(2) in held:
                held.remove(said.group(2))
        else:
            if line.startswith('.version'):
                lines += [f'//@ free {name}' for name in held]
            lines.append(line)
    return '\n'.join(lines)


class Program:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-4]
        with open(path, encoding='utf-8') as file:
            text = file.read()
        self.text = in_launch_lines(text)
        self.family = tagged('family', text)[0]
        self.is_clean = tagged('verdict', text)[0] == 'clean:'
        self.fault = tagged('fault', text)
        self.other = tagged('other', text)

    def judge(self, status, text):
        """One of clean, found, missed, false alarm, and what is wrong."""
        if status not in (0, 1):
            return 'missed', f'status {status}'
        if self.is_clean:
            return ('clean', '') if status == 0 else ('false alarm', '')
        if status == 0:
            return 'missed', ''
        kinds = next(kinds for family, kinds in KINDS.items() if re.fullmatch(family, self.family))
        told = [x for x in re.split(r'\n(?=\S)', text) if re.match(r'(?:\w+: |\S+:\d+: )?(?:' + kinds + ')', x)]
        if not told:
            return 'missed', 'by another kind'
        named = [set(re.findall(r'([\w.-]+\.cu:\d+)', x)) for x in told]
        for places in named:
            if (not self.fault or places & set(self.fault)) and (not self.other or places & set(self.other)):
                return 'found', ''
        if set().union(*named) & set(self.fault + self.other):
            return 'found', 'one place of two'
        return 'missed', 'elsewhere'


def compiled(program, options):
    """The host program, made anew where it is older than its source; None: nvcc refuses it."""
    made = os.path.join(options.keep, program.name)
    source = program.path[:-4] + '.cu'
    if not os.path.exists(made) or os.path.getmtime(made) < os.path.getmtime(source):
        words = ['nvcc', '-cudart', 'shared', '-lineinfo', '-std=c++17', '-gencode',
                 f'arch={options.arch.replace("sm", "compute")},code={options.arch.replace("sm", "compute")}']
        status, text = run(words + ['-o', made, source], 600)
        if status != 0:
            print(text, file=sys.stderr)
            return None
    return made


def by_launch_lines(program, options):
    # The file has the name of the program, as places are named by it.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, program.name + '.ptx')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(program.text)
        return run([options.ptxsim, 'run', '--quiet', '--limit=50000000', '--check', path], options.limit)


def as_a_whole(program, options):
    made = compiled(program, options)
    return run([options.ptxsim, 'exec', '--quiet', '--check', made], options.limit) if made else ('not compiled', '')


def try_program(program, options):
    """By each way until one finds the fault; clean ones by all."""
    for how in options.how.split(','):
        status, text = (by_launch_lines if how == 'lines' else as_a_whole)(program, options)
        verdict, why = program.judge(status, text)
        if verdict in ('found', 'false alarm'):
            break
    return {'name': program.name, 'family': program.family, 'verdict': verdict, 'why': why, 'how': how, 'text': text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--ptxsim', default='build/ptxsim')
    parser.add_argument('--keep', help='the folder where compiled programs stay')
    parser.add_argument('--how', default='lines,programs', help='by launch lines, as whole programs, or first one, then the other')
    parser.add_argument('--arch', default='sm_90a')
    parser.add_argument('--only', default='', help='programs whose name matches')
    parser.add_argument('--limit', type=float, default=60)
    parser.add_argument('--json')
    parser.add_argument('folder', nargs='+')
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        options.keep = options.keep or scratch
        for folder in options.folder:
            for path in sorted(glob.glob(os.path.join(folder, '*.ptx'))):
                program = Program(path)
                if not re.search(options.only, program.name):
                    continue
                result = try_program(program, options)
                results.append(result)
                if result['why'] or result['verdict'] not in ('found', 'clean'):
                    first = result['text'].strip().split('\n')[0][:120]
                    print(f"{result['verdict']:12} {result['why']:18} {result['how']:9} {result['name']}: {first}", flush=True)
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump(results, file, indent=1)
    count = {verdict: sum(r['verdict'] == verdict for r in results) for verdict in ('found', 'missed', 'false alarm')}
    surprising = [r['name'] for r in results if r['verdict'] == 'missed' and r['name'] not in EXPECTED]
    print(f"{count['found']} found, {count['missed']} missed, {count['false alarm']} false alarms")
    sys.exit(1 if surprising or count['false alarm'] else 0)


main()
