# SPDX-License-Identifier: Apache-2.0
"""Kernels that Triton and Numba compiled, launched on NumPy arrays: how the PTX of a compiler for Python is called.

python3 compilers.py, where the package ptxsim is installed. triton_add.ptx is what Triton makes of its vector addition
with blocks of 512 elements, numba_axpy.ptx what Numba makes of `y[i] = a * x[i] + y[i]`.
"""
import pathlib

import numpy as np

import ptxsim

HERE = pathlib.Path(__file__).parent


def triton_add(n: int) -> np.ndarray:
    """Triton's parameters are the function's, without the constants, and behind them two pointers to scratch memory."""
    x, y, out = (np.arange(n, dtype=np.float32) * k for k in (1.0, 0.5, 0.0))
    kernel = ptxsim.Module(HERE / "triton_add.ptx")["k_add"]
    kernel[-(-n // 512), 128](x, y, out, n, 0, 0)
    assert np.array_equal(out, x + y)
    return out


def numba_array(a: np.ndarray) -> tuple:
    """An array of Numba is many parameters: two for its owner, the number of elements and the bytes of one, the data, then
    shape and strides."""
    return (0, 0, a.size, a.itemsize, a, *a.shape, *a.strides)


def numba_axpy(n: int) -> np.ndarray:
    """Numba mangles types into the name; a module with one kernel needs none."""
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    (kernel,) = ptxsim.Module(HERE / "numba_axpy.ptx").kernels
    kernel[-(-n // 128), 128](1.5, *numba_array(x), *numba_array(y))
    assert np.array_equal(y, np.float32(1.5) * x + 1)
    return y


if __name__ == "__main__":
    print("Triton, x + 0.5 x:", triton_add(1000)[:5])
    print("Numba, 1.5 x + 1: ", numba_axpy(900)[:5])
