# SPDX-License-Identifier: Apache-2.0
"""Modules of PTX, their kernels and variables, and launches."""
from __future__ import annotations

import os
import struct
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._interrupt import stoppable
from ._library import ffi, lib, text
from .array import ALIGNMENT, DeviceArray, aligned_empty, name_memory, pointer_to
from .context import Context, Texture, default_context
from .errors import CompileError, check, raise_launch
from .launch import Launch, Watching

if TYPE_CHECKING:
    from .array import Array
    from .stream import Stream

Shape = Union[int, Sequence[int]]

#: How Python's struct writes each type of a parameter.
_FORMATS = {
    "u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q",
    "b8": "B", "b16": "H", "b32": "I", "b64": "Q", "f16": "e", "f32": "f", "f64": "d",
}  # fmt: skip
_ASYNC = {"eager": 0, "strict": 1, "random": 2}
_CHECKS = {"races", "unwritten", "sync", "neighbours"}
_MORE_CHECKS = {"provenance", "nan", "denormals", "overflow", "plain-reads"}


def _three(shape: Shape, what: str) -> Tuple[int, int, int]:
    numbers = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if not 1 <= len(numbers) <= 3 or not all(0 <= int(n) < 1 << 32 for n in numbers):
        raise ValueError(f"{what} is one to three numbers, not {shape!r}")
    x, y, z = (tuple(int(n) for n in numbers) + (1, 1))[:3]
    return x, y, z


class Parameter:
    """One parameter of a kernel. size, offset: in bytes, in the parameter block; type: "u64", "f32", "b8" and so on."""

    def __init__(self, described: Any) -> None:
        self.name = text(described.name)
        self.type = text(described.type)
        self.size = int(described.size)
        self.offset = int(described.offset)
        self.is_pointer = bool(described.is_pointer)

    def __repr__(self) -> str:
        return f"<{self.type} {self.name}, {self.size} bytes at {self.offset}>"


class Attributes:
    """What a kernel needs: fields of struct ptxsim_attributes, e.g. shared_bytes, registers, max_threads."""

    def __init__(self, c: Any) -> None:
        self.shared_bytes = int(c.shared_bytes)
        self.constant_bytes = int(c.constant_bytes)
        self.local_bytes = int(c.local_bytes)
        self.registers = int(c.registers)
        self.max_threads = int(c.max_threads)
        self.param_bytes = int(c.param_bytes)
        self.required_threads: Tuple[int, ...] = tuple(c.required_threads)
        self.required_cluster: Tuple[int, ...] = tuple(c.required_cluster)


class _Borrowed:
    """Host arrays that are global memory for the time of one launch."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._addresses: List[int] = []
        self._copies: List[Tuple[Array, Array]] = []
        self._held: List[Any] = []

    def address_of(self, given: Array, name: str) -> int:
        """Where the kernel finds the array; one that cannot be used in place is copied, and written back by `end`. Messages
        call it by the name."""
        values = given
        flags = given.flags
        pointer = pointer_to(given) if flags.c_contiguous else None
        if pointer is None or not flags.writeable or int(ffi.cast("uintptr_t", pointer)) % ALIGNMENT:
            values = aligned_empty(given.shape, given.dtype)
            values[...] = given
            pointer = pointer_to(values)
            if flags.writeable:
                self._copies.append((given, values))
        if not values.nbytes:
            return 0
        address = ffi.new("uint64_t *")
        check(lib.ptxsim_map(self._context._pointer, pointer, values.nbytes, address))
        self._held.append(values)
        self._addresses.append(int(address[0]))
        name_memory(self._context, self._addresses[-1], name)
        return self._addresses[-1]

    def end(self) -> None:
        for address in self._addresses:
            lib.ptxsim_release(self._context._pointer, address)
        for given, values in self._copies:
            given[...] = values
        self._addresses.clear()
        self._copies.clear()
        self._held.clear()


def _struct_bytes(value: Any, parameter: Parameter) -> bytes:
    data = value.tobytes() if isinstance(value, (np.ndarray, np.void, np.generic)) else bytes(value)
    if len(data) != parameter.size:
        raise TypeError(f"parameter '{parameter.name}' has {parameter.size} bytes, but {len(data)} were given")
    return data


class Kernel:
    """A kernel of a module: `kernel[grid, block](arguments...)` launches it and waits for its end.

    Between the brackets stand grid and block, each a number or up to three, x first; then, if wanted, the bytes of dynamic
    shared memory, and a stream, with which the launch does not wait: what it returns is known once the stream has been
    synchronized. Arguments are, by the declared type of each parameter:

    - NumPy arrays, for pointers: the kernel works on their own bytes if they are contiguous, writeable and aligned to 16
      bytes, else on a copy that is written back
    - arrays and textures of this package; None for a null pointer; a number as an address
    - numbers, converted as the parameter is declared; one that does not fit is an OverflowError
    - structs as bytes, NumPy values of the same size (structured dtypes), or tensor maps

    `kernel.options(...)` gives a kernel with other choices for its launches.
    """

    def __init__(self, module: "Module", pointer: Any, options: Optional[Dict[str, Any]] = None) -> None:
        self.module = module
        self._pointer = pointer
        self.name = text(lib.ptxsim_function_name(pointer))
        self._options = dict(options or {})
        described = ffi.new("struct ptxsim_param *")
        self.parameters: List[Parameter] = []
        for k in range(lib.ptxsim_function_param_count(pointer)):
            check(lib.ptxsim_function_param(pointer, k, described))
            self.parameters.append(Parameter(described))
        self._bytes = max([p.offset + p.size for p in self.parameters], default=0)

    @property
    def attributes(self) -> Attributes:
        """What it needs; compiles it if that has not been done."""
        c = ffi.new("struct ptxsim_attributes *")
        status = lib.ptxsim_function_attributes(self._pointer, c)
        if status == lib.PTXSIM_ERROR_SYNTAX:
            raise CompileError(self.module.diagnostics, status)
        check(status)
        return Attributes(c)

    def options(
        self,
        *,
        cluster: Optional[Shape] = None,
        jobs: Optional[int] = None,
        limit: Optional[int] = None,
        cooperative: Optional[bool] = None,
        asynchronous: Optional[str] = None,
        seed: Optional[int] = None,
    ) -> "Kernel":
        """The same kernel with other choices.

        cluster: blocks in a cluster; jobs: host threads, 0 for as many as are sensible; limit: of warp instructions;
        cooperative: all blocks at once; asynchronous: when asynchronous copies take effect: "eager", "strict" or
        "random", the latter with a seed.
        """
        given = {"cluster": cluster, "jobs": jobs, "limit": limit, "cooperative": cooperative,
                 "asynchronous": asynchronous, "seed": seed}  # fmt: skip
        return Kernel(self.module, self._pointer, {**self._options, **{k: v for k, v in given.items() if v is not None}})

    def __getitem__(self, shape: Any) -> Callable[..., Any]:
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 4:
            raise TypeError("write kernel[grid, block], kernel[grid, block, shared] or kernel[grid, block, shared, stream]")
        return _Bound(self, *shape)

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(p.type + ' ' + p.name for p in self.parameters)})>"


class _Bound:
    """A kernel with its shape: call it with the arguments."""

    _launch: Any

    def __init__(self, kernel: Kernel, grid: Shape, block: Shape, shared: int = 0, stream: Optional["Stream"] = None):
        o = kernel._options
        self.kernel = kernel
        self._stream = stream
        self._context = kernel.module.context
        c: Any = ffi.new("struct ptxsim_launch *")
        self._launch = c
        c.struct_size = ffi.sizeof("struct ptxsim_launch")
        c.grid = _three(grid, "a grid")
        c.block = _three(block, "a block")
        c.cluster = _three(o["cluster"], "a cluster") if "cluster" in o else (0, 0, 0)
        c.shared_bytes = int(shared or 0)
        c.jobs = o.get("jobs", 0)
        c.instruction_limit = o.get("limit", 0)
        c.cooperative = bool(o.get("cooperative", False))
        setattr(c, "async", _ASYNC[o.get("asynchronous", "strict")])
        c.async_seed = o.get("seed", 0)
        c.arg_count = len(kernel.parameters)
        self._block = ffi.new("uint8_t[]", max(kernel._bytes, 1))
        self._args = ffi.new("const void *[]", max(len(kernel.parameters), 1))
        for k, p in enumerate(kernel.parameters):
            self._args[k] = self._block + p.offset
        c.args = self._args
        self._room = ffi.buffer(self._block)
        self._watching: Watching = kernel.module._watching
        c.watching = self._watching.pointer
        self._record = ffi.new("ptxsim_record **") if self._watching.wanted else None
        c.record = self._record if self._record is not None else ffi.NULL

    def _put(self, p: Parameter, value: Any, borrowed: _Borrowed) -> None:
        plain = _FORMATS.get(p.type)
        if plain is None or struct.calcsize(plain) != p.size:
            self._room[p.offset : p.offset + p.size] = _struct_bytes(value, p)
            return
        if isinstance(value, DeviceArray):
            value = value.address
        elif isinstance(value, np.ndarray) and value.ndim:
            value = borrowed.address_of(value, p.name)
        elif isinstance(value, Texture):
            value = value.handle
        elif value is None:
            value = 0
        try:
            if plain in "efd":
                number: Any = float(value)
            else:
                number = int(value)
                if number != value:
                    raise TypeError(f"parameter '{p.name}' is .{p.type}, and {value!r} is not a whole number")
                # Bits and unsigned numbers take negative ones as the machine does: as their two's complement.
                if number < 0 and plain.isupper():
                    number += 1 << 8 * p.size
            struct.pack_into(plain, self._room, p.offset, number)
        except struct.error:
            raise OverflowError(f"{value!r} does not fit parameter '{p.name}', which is .{p.type}") from None
        except (TypeError, ValueError) as error:
            if isinstance(error, TypeError) and str(error).startswith("parameter"):
                raise
            raise TypeError(f"parameter '{p.name}' is .{p.type}: {type(value).__name__} cannot be its value") from None

    def __call__(self, *arguments: Any) -> Launch:
        kernel, context = self.kernel, self._context
        if len(arguments) != len(kernel.parameters):
            raise TypeError(f"{kernel.name} takes {len(kernel.parameters)} arguments, {len(arguments)} were given")
        borrowed = _Borrowed(context)
        if self._stream is not None:
            for p, value in zip(kernel.parameters, arguments):
                self._put(p, value, borrowed)
            return self._stream._give(self, borrowed, arguments)
        launch = Launch(kernel)
        try:
            for p, value in zip(kernel.parameters, arguments):
                self._put(p, value, borrowed)
            with stoppable(context._pointer):
                status = lib.ptxsim_launch(context._pointer, kernel._pointer, self._launch)
            # The record, or else the fault, before another thread launches in the context.
            launch._take(self._record[0] if self._record is not None else ffi.NULL)
        finally:
            borrowed.end()
        if status != lib.PTXSIM_OK:
            raise_launch(context._pointer, launch, status)
        return launch


class Variable:
    """A variable of a module: its address and its bytes."""

    def __init__(self, module: "Module", name: str) -> None:
        address, size = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        if lib.ptxsim_variable(module._pointer, name.encode(), address, size) != lib.PTXSIM_OK:
            raise KeyError(f"the module has no variable '{name}'")
        self._context = module.context
        self.name = name
        self.address = int(address[0])
        #: Bytes.
        self.size = int(size[0])

    def read(self, dtype: Any = np.uint8) -> Array:
        """A copy of the elements."""
        return np.frombuffer(self._context.read(self.address, self.size), dtype=dtype).copy()

    def write(self, values: Any) -> None:
        """From the first byte on; may be shorter than the variable."""
        data = np.ascontiguousarray(values)
        if data.nbytes > self.size:
            raise ValueError(f"'{self.name}' has {self.size} bytes, not {data.nbytes}")
        self._context.write(self.address, data.tobytes())


class _Variables(Mapping[str, Variable]):
    def __init__(self, module: "Module") -> None:
        self._module = module

    def __getitem__(self, name: str) -> Variable:
        return Variable(self._module, name)

    def __iter__(self) -> Iterator[str]:
        raise TypeError("the variables of a module cannot be listed, only looked up by name")

    def __len__(self) -> int:
        raise TypeError("the variables of a module cannot be counted, only looked up by name")


class Module:
    """One or more texts of PTX (or of Fermi's SASS), linked and ready to run.

    source: a path, or the text itself (it has a line end), or several of both
    arch: the target to model ("sm_90"); None: the context's device, else the text's own
    context: whose memory it uses; None: the default one
    lazy: compile a kernel when it is first asked for
    check: True, or some of "races", "unwritten", "sync" and "neighbours", which True means, and "provenance", "nan",
        "denormals", "overflow" and "plain-reads", with commas between: launches fail with what is found
    count: count instructions, lanes and memory accesses, for `launch.counters` and `launch.report`

    Kernels are attributes (`module.saxpy`) and items (`module["scale<float>"]`, by the name in C++, too). Raises
    CompileError with all messages.
    """

    def __init__(
        self,
        source: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]],
        *,
        arch: Optional[str] = None,
        context: Optional[Context] = None,
        lazy: bool = False,
        check: Union[bool, str] = False,
        count: bool = False,
    ) -> None:
        wanted = _CHECKS if check is True else {word.strip() for word in (check or "").split(",") if word.strip()}
        if wanted - _CHECKS - _MORE_CHECKS:
            words = ", ".join(sorted(_CHECKS | _MORE_CHECKS))
            raise ValueError(f"check is True, or some of {words} with commas between, not {check!r}")
        self._watching = Watching(bool(count), sorted(wanted))
        self.context = context or default_context()
        self._pointer = lib.ptxsim_module_create(self.context._pointer)
        if self._pointer == ffi.NULL:
            raise MemoryError("no memory for a module")
        self._free = weakref.finalize(self, _free_module, self.context, self._pointer)
        self._kernels: Dict[str, Kernel] = {}
        #: Variables at module scope, by name.
        self.variables = _Variables(self)
        for one in [source] if isinstance(source, (str, os.PathLike)) else source:
            self._add(one)
        build = ffi.new("struct ptxsim_build *")
        build.struct_size = ffi.sizeof("struct ptxsim_build")
        name = ffi.new("char[]", arch.encode()) if arch else ffi.NULL
        build.arch = name
        build.lazy = lazy
        self._check(lib.ptxsim_module_build(self._pointer, build))

    def _add(self, source: Union[str, "os.PathLike[str]"]) -> None:
        if isinstance(source, str) and "\n" in source:
            data = source.encode()
            status = lib.ptxsim_module_add_text(self._pointer, b"<text>", data, len(data))
        else:
            path = os.fsencode(source)
            if not os.path.exists(path):
                raise FileNotFoundError(os.fsdecode(path))
            status = lib.ptxsim_module_add_file(self._pointer, path)
        self._check(status)

    def _check(self, status: int) -> None:
        if status == lib.PTXSIM_ERROR_SYNTAX:
            raise CompileError(self.diagnostics, status)
        check(status)

    @property
    def diagnostics(self) -> str:
        """Errors and warnings so far, as a compiler prints them; "" if there are none."""
        return text(lib.ptxsim_module_diagnostics(self._pointer))

    @property
    def kernels(self) -> List[Kernel]:
        count = lib.ptxsim_function_count(self._pointer)
        return [self[text(lib.ptxsim_function_name(lib.ptxsim_get_function(self._pointer, k)))] for k in range(count)]

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            pointer = lib.ptxsim_find_function(self._pointer, name.encode())
            if pointer == ffi.NULL:
                raise KeyError(f"the module has no kernel '{name}', or several")
            self._kernels[name] = Kernel(self, pointer)
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def bind_texture(self, name: str, texture: Texture) -> None:
        """Sets a .texref, .samplerref or .surfref variable."""
        check(lib.ptxsim_bind_texture(self._pointer, name.encode(), texture.handle))

    def unload(self) -> None:
        """Frees the module with its variables. None of its launches may be under way."""
        self._free()


def _free_module(context: Context, pointer: Any) -> None:
    if not context.closed:
        lib.ptxsim_module_free(pointer)
