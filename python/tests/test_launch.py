# SPDX-License-Identifier: Apache-2.0
"""Modules, launches, arguments and errors."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ptxsim

HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"

ADD = HEAD + """
.visible .entry add(.param .u64 a, .param .u32 n) {
  .reg .u64 %rd<3>; .reg .u32 %r<4>; .reg .pred %p;
  mov.u32 %r0, %tid.x;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd0, [a];
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd1, %rd0, %rd1;
  ld.global.u32 %r2, [%rd1];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%rd1], %r2;
  ret;
}
"""


def kernel_of(types, body):
    """A kernel that stores its arguments, one after the other, at the pointer that comes first."""
    params = ", ".join([".param .u64 out"] + [f".param {t} p{k}" for k, t in enumerate(types)])
    return ptxsim.Module(HEAD + f".visible .entry k({params}) {{ .reg .u64 %o; ld.param.u64 %o, [out];\n{body}\nret; }}\n").k


def test_a_sample_in_place(samples):
    m = ptxsim.Module(samples / "vecadd.ptx")
    n = 8448
    a, b, c = np.arange(n, dtype=np.float32), np.full(n, 0.5, np.float32), np.zeros(n, np.float32)
    launch = m.vecadd[33, 256](a, b, c, n)
    assert np.array_equal(c, a + b)
    assert (launch.blocks, launch.warp_instructions, launch.thread_instructions) == (33, 5808, 185856)


@pytest.mark.parametrize("shape", ["slice", "strided", "reversed", "misaligned"])
def test_arrays_that_cannot_be_used_in_place_are_written_back(shape):
    base = np.zeros(256, np.uint32)
    given = {"slice": base[4:36], "strided": base[::8], "reversed": base[31::-1], "misaligned": base[1:33]}[shape]
    given[:] = np.arange(32)
    ptxsim.Module(ADD).add[1, 32](given, 7)
    assert np.array_equal(given, np.arange(32) + 7)


def test_read_only_arrays_stay_as_they_are():
    a = np.arange(32, dtype=np.uint32)
    a.flags.writeable = False
    ptxsim.Module(ADD).add[1, 32](a, 7)
    assert np.array_equal(a, np.arange(32))


@pytest.mark.parametrize(
    "type_, value, dtype, expected",
    [
        (".u8", 200, np.uint8, 200), (".s8", -5, np.int8, -5), (".u16", 65535, np.uint16, 65535),
        (".s32", -(1 << 31), np.int32, -(1 << 31)), (".u32", -1, np.uint32, 0xFFFFFFFF),
        (".u64", (1 << 64) - 1, np.uint64, (1 << 64) - 1), (".s64", np.int64(-7), np.int64, -7),
        (".f32", 0.1, np.float32, np.float32(0.1)), (".f64", 0.1, np.float64, 0.1),
        (".f32", 3, np.float32, 3.0), (".u32", True, np.uint32, 1),
    ],
)  # fmt: skip
def test_numbers_by_the_declared_type(type_, value, dtype, expected):
    t = type_[1:]
    reg = {"u8": "u16", "s8": "s16"}.get(t, t)
    k = kernel_of([type_], f".reg .{reg} %v; ld.param.{t} %v, [p0]; st.global.{t} [%o], %v;")
    out = np.zeros(1, dtype)
    k[1, 1](out, value)
    assert out[0] == expected


def test_half_floats_go_as_their_bits():
    k = kernel_of([".b16"], ".reg .b16 %v; ld.param.b16 %v, [p0]; st.global.b16 [%o], %v;")
    out = np.zeros(1, np.float16)
    k[1, 1](out, int(np.float16(1.5).view(np.uint16)))
    assert out[0] == 1.5


def test_structs_as_bytes_and_structured_values():
    kind = np.dtype([("scale", "f4"), ("count", "u4"), ("big", "u8")])
    k = ptxsim.Module(
        HEAD + ".visible .entry k(.param .u64 out, .param .align 8 .b8 p[16]) { .reg .u64 %o; .reg .u32 %v;"
        " ld.param.u64 %o, [out]; ld.param.u32 %v, [p+4]; st.global.u32 [%o], %v; ret; }\n"
    ).k
    value = np.array([(1.5, 42, 7)], kind)[0]
    out = np.zeros(1, np.uint32)
    k[1, 1](out, value)
    assert out[0] == 42
    k[1, 1](out, bytes(range(16)))
    assert out[0] == 0x07060504
    with pytest.raises(TypeError, match="16 bytes"):
        k[1, 1](out, b"short")


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        ((1,), TypeError, "takes 2 arguments"),
        ((np.zeros(1, np.uint32), 1 << 33), OverflowError, "does not fit"),
        ((np.zeros(1, np.uint32), 1.5), TypeError, "not a whole number"),
        ((np.zeros(1, np.uint32), "x"), TypeError, "cannot be its value"),
    ],
)
def test_wrong_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        ptxsim.Module(ADD).add[1, 1](*arguments)


def test_wrong_shapes():
    add = ptxsim.Module(ADD).add
    with pytest.raises(TypeError):
        add[1]
    with pytest.raises(ptxsim.LaunchError):
        add[1, 1025](np.zeros(1025, np.uint32), 1)
    with pytest.raises(ValueError):
        add[(1, 2, 3, 4), 1]


def test_errors_of_texts_have_lines_and_carets(tmp_path):
    path = tmp_path / "bad.ptx"
    path.write_text(HEAD + ".visible .entry k() { ad.u32 %r1, 1, 2; ret; }\n")
    with pytest.raises(ptxsim.CompileError) as info:
        ptxsim.Module(path)
    assert "bad.ptx:4" in str(info.value) and "^" in str(info.value)
    with pytest.raises(FileNotFoundError):
        ptxsim.Module(tmp_path / "none.ptx")


def test_faults_by_their_parts():
    a = np.zeros(40, np.uint32)
    with pytest.raises(ptxsim.KernelError) as info:
        ptxsim.Module(ADD).add[1, 64](a, 1)
    error = info.value
    assert error.kind == "address out of bounds" and error.cuda_error == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert error.kernel == "add" and error.block == (0, 0, 0) and error.thread == (40, 0, 0)
    assert (error.warp, error.lane, error.size, error.is_store) == (1, 8, 4, False)
    assert "ld.global.u32" in str(error)


def test_a_null_pointer():
    with pytest.raises(ptxsim.KernelError):
        ptxsim.Module(ADD).add[1, 1](None, 1)


def test_arrays_that_stay():
    m = ptxsim.Module(ADD)
    a = ptxsim.array(np.arange(32, dtype=np.uint32))
    for _ in range(3):
        m.add[1, 32](a, 1)
    assert np.array_equal(a.get(), np.arange(32) + 3)
    assert a.__cuda_array_interface__["data"] == (a.address, False)
    assert np.shares_memory(np.asarray(a), a.host)
    assert memoryview(a.host).nbytes == a.nbytes == 128
    address = a.address
    a.free()
    with pytest.raises(ptxsim.KernelError):
        m.add[1, 32](address, 1)


def test_large_arrays_are_not_copied():
    a = ptxsim.array(np.zeros(32, np.uint32))
    big = np.zeros(25_000_000, np.uint32)
    context = ptxsim.default_context()
    mapped = context.map(big)
    ptxsim.Module(ADD).add[1, 32](mapped, 5)
    assert big[31] == 5 and big[32] == 0 and np.shares_memory(mapped.host, big)
    with pytest.raises(ValueError):
        context.map(big[::2])
    del a


def test_numpy_arrays_of_100_mb_are_used_in_place():
    """By the memory that the launch takes, and by the time."""
    import resource

    big = np.zeros(25_000_004, np.uint32)
    big = big[-big.ctypes.data % 16 // 4 :][:25_000_000]
    big[:] = 1
    m = ptxsim.Module(ADD)
    m.add[1, 32](big, 5)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.thread_time()
    for _ in range(10):
        m.add[1, 32](big, 5)
    assert time.thread_time() - start < 0.05
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert big[31] == 56 and big[32] == 1


def test_variables_of_a_module():
    m = ptxsim.Module(
        HEAD + ".visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
        ".visible .entry k() { .reg .u32 %r; ld.global.u32 %r, [table+4]; add.u32 %r, %r, 40;"
        " st.global.u32 [table], %r; ret; }\n"
    )
    table = m.variables["table"]
    assert list(table.read(np.uint32)) == [1, 2, 3, 4]
    table.write(np.array([0, 5], np.uint32))
    m.k[1, 1]()
    assert list(table.read(np.uint32)) == [45, 5, 3, 4]
    with pytest.raises(KeyError):
        m.variables["nothing"]


def test_modules_share_memory_and_may_have_equal_names():
    one, two = ptxsim.Module(ADD), ptxsim.Module(ADD.replace("add.u32 %r2", "sub.u32 %r2"))
    a = ptxsim.array(np.full(32, 10, np.uint32))
    one.add[1, 32](a, 3)
    two.add[1, 32](a, 1)
    assert set(a.get()) == {12}
    one.unload()
    two.add[1, 32](a, 1)
    assert set(a.get()) == {11}


def test_what_kernels_print():
    lines = []
    with ptxsim.Context() as context:
        context.on_print(lines.append)
        m = ptxsim.Module(
            HEAD + '.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n'
            '.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};\n'
            ".visible .entry k() { .reg .u64 %f; .reg .b32 %r; mov.u64 %f, text; cvta.global.u64 %f, %f;\n"
            "{ .param .b64 p0; .param .b64 p1; .param .b32 q; st.param.b64 [p0], %f; st.param.b64 [p1], 0;\n"
            "call.uni (q), vprintf, (p0, p1); } ret; }\n",
            context=context,
        )
        m.k[1, 2]()
        context.on_print(None)
    assert "".join(lines) == "hello\nhello\n"


def test_streams():
    m, stream = ptxsim.Module(ADD), ptxsim.Stream()
    a = np.zeros(32, np.uint32)
    for _ in range(10):
        m.add[1, 32, 0, stream](a, 1)
    stream.synchronize()
    assert set(a) == {10} and stream.done
    m.add[1, 64, 0, stream](a, 1)
    with pytest.raises(ptxsim.KernelError):
        stream.synchronize()


def test_options():
    m = ptxsim.Module(HEAD + ".visible .entry k() { L: bra L; }\n")
    with pytest.raises(ptxsim.KernelError):
        m.k.options(limit=1000)[1, 1]()


SPIN = HEAD + """.visible .entry spin(.param .u64 a) {
  .reg .u64 %i, %e; .reg .pred %p;
  mov.u64 %i, 0;
LOOP: add.u64 %i, %i, 1;
  setp.lt.u64 %p, %i, 0x7fffffffffff;
  @%p bra LOOP;
  ret;
}
"""


def test_two_contexts_run_side_by_side():
    """Each thread's kernel needs the other one to be under way: with Python's lock held this would hang."""
    started = [threading.Event(), threading.Event()]

    def run(k):
        with ptxsim.Context() as context:
            m = ptxsim.Module(ADD, context=context)
            started[k].set()
            started[1 - k].wait(30)
            for _ in range(50):
                a = np.zeros(1024, np.uint32)
                m.add[1, 1024](a, k)
                assert set(a) == {k}

    threads = [threading.Thread(target=run, args=(k,)) for k in (0, 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
        assert not t.is_alive()


def test_the_lock_is_released_while_a_kernel_runs():
    context = ptxsim.Context()
    m = ptxsim.Module(SPIN, context=context)
    failed = []

    def run():
        try:
            m.spin[1, 1](None)
        except KeyboardInterrupt:
            failed.append("stopped")

    t = threading.Thread(target=run)
    t.start()
    time.sleep(0.2)
    context.stop()
    t.join(30)
    assert failed == ["stopped"]


def test_ctrl_c_stops_a_launch(tmp_path):
    script = tmp_path / "spin.py"
    script.write_text(
        "import ptxsim, signal, sys\n"
        # What starts the tests may ignore the signal, and children inherit that.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"m = ptxsim.Module({SPIN!r})\n"
        "print('ready', flush=True)\n"
        "try:\n    m.spin[1, 1](None)\n"
        "except KeyboardInterrupt:\n    print('stopped'); sys.exit(7)\n"
    )
    child = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 7
        assert child.stdout.read() == "stopped\n"
    finally:
        child.kill()
        child.stdout.close()


def test_a_texture():
    m = ptxsim.Module(
        HEAD + ".visible .entry k(.param .u64 out, .param .u64 t) { .reg .u64 %o, %t; .reg .f32 %f<4>; .reg .s32 %x;\n"
        "ld.param.u64 %o, [out]; ld.param.u64 %t, [t]; mov.s32 %x, 2;\n"
        "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%t, {%x}]; st.global.f32 [%o], %f0; ret; }\n"
    )
    texels = ptxsim.array(np.array([1, 2, 3, 4], np.float32))
    texture = m.context.texture(texels)
    out = np.zeros(1, np.float32)
    m.k[1, 1](out, texture)
    assert out[0] == 3
