# SPDX-License-Identifier: Apache-2.0
"""What compilers for Python make: recorded launches of Triton's and Numba's PTX, tensor maps, and the cost of a launch."""
import gzip
import pathlib
import struct
import time

import numpy as np
import pytest

import ptxsim

PACKS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"


def pack(name, kind):
    with gzip.open(PACKS / f"prog-{name}.{kind}.gz") as file:
        return file.read()


def cases(name):
    """The recorded launches, each a dict of its words, with its number of lines in the pack."""
    for line in pack(name, "cases").decode().splitlines():
        words = line.split()
        if words[:1] == ["case"]:
            yield dict(word.split("=", 1) for word in words[2:]) | {"name": words[1]}


def place(word):
    """ "inout@8192>0+4000": how, where in the pack's inputs, where in its outputs, bytes."""
    how, rest = word.split("@")
    at, size = rest.split("+")
    start, _, end = at.partition(">")
    return (how, None, int(start), int(size)) if how == "out" else (how, int(start), int(end) if end else None, int(size))


def arguments(case, inputs):
    """What Python passes: an array for each buffer, numbers as the bits of their parameter."""
    for word in case["args"].split(";"):
        if "@" in word:
            how, start, end, size = place(word)
            data = np.zeros(size, np.uint8)
            if start is not None:
                data[:] = np.frombuffer(inputs, np.uint8, size, start)
            yield data, end
        else:
            bits, value = word.split(":")
            yield (int(value, 16), int(bits[1:])), None


def launch(case, inputs):
    m = ptxsim.Module(pack(case["module"][len("prog-") : -len(".ptx")], "ptx").decode())
    kernel = m[case["entry"]]
    given, outputs = [], []
    for (value, end), parameter in zip(arguments(case, inputs), kernel.parameters):
        if isinstance(value, tuple):
            number = value[0]
            value = struct.unpack("f", struct.pack("I", number))[0] if parameter.type == "f32" else number
        given.append(value)
        if end is not None:
            outputs.append((value, end))
    grid, block = (tuple(int(n) for n in case[key].split(",")) for key in ("grid", "block"))
    kernel[grid, block, int(case["smem"])](*given)
    return outputs


def chosen():
    for name in ("numba", "triton"):
        for case in cases(name):
            if case["cmp"] == "exact":
                yield pytest.param(name, case, id=case["name"])


@pytest.mark.parametrize("name, case", chosen())
def test_recorded_launches(name, case):
    recorded = pack(name, "out")
    outputs = launch(case, pack(name, "in"))
    assert outputs
    for data, at in outputs:
        assert data.tobytes() == recorded[at : at + data.size]


TILE = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .align 64 .b8 map[128], .param .s32 x, .param .s32 y)
{
	.shared .align 128 .b8 s[1024];
	.shared .align 8 .b64 bar;
	.reg .b64 %a<4>, %m;
	.reg .b32 %r<8>;
	.reg .pred %p;
	ld.param.u64 %a1, [out];
	mov.b64 %m, map;
	cvta.param.u64 %m, %m;
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p, %r1, 0;
	@%p bra wait;
	mbarrier.init.shared::cta.b64 [bar], 1;
	fence.mbarrier_init.release.cluster;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
	mov.u32 %r2, s;
	mov.u32 %r3, bar;
	ld.param.u32 %r5, [x];
	ld.param.u32 %r6, [y];
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%m, {%r5, %r6}], [%r3];
wait:
	bar.sync 0;
ready:
	mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
	@!%p bra ready;
	mul.wide.u32 %a2, %r1, 4;
	add.u64 %a1, %a1, %a2;
	mov.u32 %r2, s;
	mad.lo.u32 %r2, %r1, 4, %r2;
	ld.shared.b32 %r4, [%r2];
	st.global.b32 [%a1], %r4;
	ret;
}
"""


def test_tensor_maps():
    image = ptxsim.array(np.arange(32 * 48, dtype=np.float32).reshape(32, 48))
    out = np.zeros((4, 16), np.float32)
    ptxsim.Module(TILE).k[1, 64](out, ptxsim.TensorMap(image, (4, 16)), 8, 3)
    assert (out == image.host[3:7, 8:24]).all()
    with pytest.raises(ValueError, match="no such tensor map: "):
        ptxsim.TensorMap(image, (4, 3))
    with pytest.raises(ValueError):
        ptxsim.TensorMap(ptxsim.array(np.zeros(4, np.complex64)), (4,))


def seconds_of(call, rounds=30, times=300):
    """Of this thread's processor time for a call, so that a busy machine does not count; the best of several rounds."""
    best = 1.0
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(times):
            call()
        best = min(best, (time.thread_time() - start) / times)
    return best


def test_a_tiny_launch_costs_as_little_as_some_calls_of_numpy():
    """A ratio within one run, since machines differ; it is about 8."""
    m = ptxsim.Module(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n\tret;\n}\n")
    x = np.zeros(32, np.float32)
    a = ptxsim.array(x)
    assert seconds_of(lambda: m.k[1, 32](a, 7)) < 20 * seconds_of(lambda: np.concatenate([x, x]).sum())
