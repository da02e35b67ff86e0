# SPDX-License-Identifier: Apache-2.0
"""NVIDIA PTX kernels on ordinary computers, bit for bit as the hardware would run them.

    import numpy as np, ptxsim

    m = ptxsim.Module("saxpy.ptx")
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    launch = m.saxpy[4, 256](x, y, 2.0, 1000)        # y holds the result
    print(launch.warp_instructions)
"""
from typing import Any, Optional

from .array import DeviceArray
from .context import Context, Texture, default_context, version
from .debugger import Debugger, debug
from .errors import CompileError, Error, KernelError, LaunchError
from .launch import Counters, Launch, Report, counter_names
from .module import Attributes, Kernel, Module, Parameter, Variable
from .stream import Stream
from .tensor_map import TensorMap

__version__ = version()


def array(values: Any, dtype: Any = None, name: Optional[str] = None) -> DeviceArray:
    """A copy of the values, of any shape, in the default context's memory, where it stays until the array goes: see
    DeviceArray. `name`: what messages call it. MemoryError: there is no room."""
    return default_context().array(values, dtype, name)


__all__ = [
    "Attributes", "CompileError", "Context", "Counters", "Debugger", "DeviceArray", "Error", "Kernel", "KernelError", "Launch", "LaunchError",
    "Module", "Parameter", "Report", "Stream", "TensorMap", "Texture", "Variable", "array", "counter_names", "debug", "default_context", "version",
]  # fmt: skip
