#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the prices of src/native/costs.c to what compiling regions took.

    PTXSIM_NATIVE_DUMP=regions PTXSIM_CACHE=off build/ptxsim run --native=always FILE 2>>LOG    (golden-run likewise)
    tests/bench/costs.py LOG...

prints the table of prices, and the kernels that they miss by more than a factor of two. Logs of both widths (PTXSIM_VARIANT) belong
together, as there is one table; of several times that a region took the least counts. A kernel that has a log of its own counts four times.
Needs NumPy.
"""
import re
import sys

import numpy as np

PARTS = ('REGION INSN HALF LONG DOUBLE AFFINE HANDLER KNOWN TOGETHER ACCESS SHAPE OTHER ATOMIC SOME BRANCH LEFT_ROW MERGED_ROW '
         'DOUBLE_ROW').split()
SHORT_MS = 15  # a kernel that takes less does not matter


def read(path):
    """{(log, kernel): {region: (milliseconds, counts)}}; a kernel's regions stand together."""
    kernels, region, last, number = {}, None, None, 0
    for line in open(path, errors='replace'):
        if found := re.match(r'(\S+)_(\d+)_(\d+): instructions', line):
            region = (found[2], found[3])
            if found[1] != last:
                last, number = found[1], number + 1
        elif found := re.match(r' +([\d.]+) ms of processor time, .* of parts ([\d ]+)', line):
            regions = kernels.setdefault((path, last), {})
            counts = [int(word) for word in found[2].split()]
            key = region + tuple(counts)
            regions[key] = (min(float(found[1]), regions.get(key, (1e9,))[0]), counts)
    return kernels


class Fit:
    """Prices that make the logarithms of expected by measured times small: of whole kernels, and less so of regions."""

    def __init__(self, kernels):
        self.names = list(kernels)
        rows = [(k, *region) for k, name in enumerate(self.names) for region in kernels[name].values()]
        self.kernel = np.array([row[0] for row in rows])
        self.took = np.array([max(row[1], .01) for row in rows])
        self.counts = np.array([row[2] for row in rows], float)
        self.kernel_took = self.sums(self.took)
        paths = [path for path, _ in self.names]
        alone = np.array([4 if paths.count(path) == 1 else 1 for path in paths])
        self.weights = alone * np.minimum(1, self.kernel_took / SHORT_MS)

    def sums(self, of_regions):
        return np.bincount(self.kernel, of_regions, len(self.names))

    def ratios(self, prices):
        return self.sums(self.counts @ prices) / self.kernel_took

    def loss(self, prices):
        error = np.log(self.ratios(prices) + 1e-9)
        of_regions = np.log((self.counts @ prices + 1e-9) / self.took)
        return (self.weights * (error ** 2 + 8 * np.maximum(0, np.abs(error) - .6) ** 2)).sum() + (
            .3 * np.minimum(1, self.took / SHORT_MS) * of_regions ** 2).sum()

    def search(self, steps=12000):
        """Changes prices by chance and keeps what is better; they stay positive."""
        chance = np.random.default_rng(1)
        prices = np.full(len(PARTS), .5)
        for part in ('LEFT_ROW', 'MERGED_ROW', 'DOUBLE_ROW'):
            prices[PARTS.index(part)] = .02
        best, width = self.loss(prices), .6
        for step in range(steps):
            other = prices.copy()
            for part in chance.integers(len(PARTS), size=1 + (chance.random() < .3)):
                other[part] *= np.exp(chance.normal() * width)
            loss = self.loss(other)
            if loss < best:
                best, prices = loss, other
            if step % 2000 == 1999:
                width *= .65
        return prices


def main(paths):
    kernels = {}
    for path in paths:
        kernels.update(read(path))
    fit = Fit(kernels)
    prices = fit.search()
    for part, price in zip(PARTS, prices):
        print(f'\t[COST_{part}] = {price * 1000:.0f},')
    ratios = fit.ratios(prices)
    long = fit.kernel_took > SHORT_MS
    missed = [k for k in range(len(ratios)) if long[k] and not .5 <= ratios[k] <= 2]
    print(f'{long.sum()} kernels of more than {SHORT_MS} ms, of which {len(missed)} take less than half or more than twice as long as expected:')
    for k in sorted(missed, key=lambda k: -fit.kernel_took[k]):
        print(f'  {fit.names[k][0]} {fit.names[k][1]}: {fit.kernel_took[k]:.0f} ms, expected {ratios[k] * fit.kernel_took[k]:.0f}')


if __name__ == '__main__':
    main(sys.argv[1:])
