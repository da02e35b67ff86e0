# SPDX-License-Identifier: Apache-2.0
"""What launches cost from Python: PYTHONPATH=python/src python3 python/bench/launches.py

Times are the best of several rounds, of this thread's processor time, so that other work on the machine counts little.
"""
import time

import numpy as np
import ptxsim

EMPTY = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n\tret;\n}\n"


def best(call, rounds=20, calls=200):
    """Seconds of processor time for one call."""
    least = float("inf")
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(calls):
            call()
        least = min(least, (time.thread_time() - start) / calls)
    return least


def main():
    m, counted = ptxsim.Module(EMPTY), ptxsim.Module(EMPTY, count=True)
    kept, own = ptxsim.array(np.zeros(32, np.float32)), np.zeros(64, np.float32)
    # In place or not depends on where NumPy puts it; this part begins at a multiple of 16.
    own = own[-own.ctypes.data % 16 // 4 :][:32]
    bound = m.k[1, 32]
    big = np.zeros(25_000_000 + 4, np.float32)
    big = big[-big.ctypes.data % 16 // 4 :][:25_000_000]
    rows = [
        ("a launch of one block, with an array that stays", best(lambda: m.k[1, 32](kept, 7))),
        ("the same through a kernel with its shape, kept: f = m.k[1, 32]", best(lambda: bound(kept, 7))),
        ("the same with a NumPy array of 128 bytes", best(lambda: m.k[1, 32](own, 7))),
        ("the same with one of 100 MB, used in place", best(lambda: m.k[1, 32](big, 7))),
        ("a counted launch", best(lambda: counted.k[1, 32](kept, 7), 5, 50)),
        ("a counted launch with its report as text", best(lambda: str(counted.k[1, 32](kept, 7).report), 5, 50)),
        ("ptxsim.array of 100 MB: a copy", best(lambda: ptxsim.array(big), 3, 1)),
        ("context.map of 100 MB: no copy", best(lambda: ptxsim.default_context().map(big).free(), 5, 50)),
    ]
    for words, seconds in rows:
        print(f"{seconds * 1e6:12,.1f} us  {words}")


if __name__ == "__main__":
    main()
