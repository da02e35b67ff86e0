# SPDX-License-Identifier: Apache-2.0
"""Counters, reports and checks."""
import html
import threading

import numpy as np
import pytest

import ptxsim

HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"

#: All threads store to one word.
RACE = HEAD + """.visible .entry k(.param .u64 a) {
  .reg .u64 %a; .reg .u32 %t;
  ld.param.u64 %a, [a];
  mov.u32 %t, %tid.x;
  st.global.u32 [%a], %t;
  ret;
}
"""


def test_counters_and_reports(samples):
    m = ptxsim.Module(samples / "vecadd.ptx", count=True)
    n = 8448
    a, b, c = (np.zeros(n, np.float32) for _ in range(3))
    launch = m.vecadd[33, 256](a, b, c, n)
    assert launch.counters["launch.instructions"] == launch.warp_instructions
    assert launch.counters["smsp__inst_executed.sum"] == launch.warp_instructions
    assert dict(launch.counters)["launch.blocks"] == 33
    assert list(launch.counters) == ptxsim.counter_names() and len(launch.counters) > 50
    with pytest.raises(KeyError):
        launch.counters["nothing.of.that.name"]
    # It keeps them when others run.
    other = m.vecadd[1, 32](a, b, c, 32)
    assert launch.counters["launch.blocks"] == 33 and other.counters["launch.blocks"] == 1


def test_a_report_has_every_form(samples):
    m = ptxsim.Module(samples / "transpose.ptx", count=True)
    out, matrix = np.zeros((64, 96), np.float32), np.zeros((96, 64), np.float32)
    report = m.naive[(2, 3), (32, 32)](out, matrix, 64, 96).report
    assert "sectors more than needed" in str(report)
    page = report.html()
    assert page.startswith("<!DOCTYPE html>") and "sectors more than needed" in page
    shown = report._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;') and html.unescape(shown).count(page) == 1
    assert report.json()["launches"][0]["kernel"] == "naive"
    assert report.csv().splitlines()[0].startswith("launch,")


def test_lines_are_records(samples):
    m = ptxsim.Module(samples / "lines.ptx", count=True)
    values, sums = 1 + 0.5 * np.arange(4096, dtype=np.float32), np.zeros(128, np.float32)
    launch = m.row_sums[4, 32](sums, values)
    conflicts = "shared.load.conflicts"
    for kind in ("ptx", "source", "instructions"):
        lines = launch.lines(kind)
        assert all(set(line) == set(lines[0]) for line in lines)
        assert sum(line[conflicts] for line in lines) == launch.counters[conflicts] == 2944
        assert [(line["file"], line["line"]) for line in lines] == sorted((line["file"], line["line"]) for line in lines)
    (load,) = [line for line in launch.lines() if line[conflicts]]
    text = (samples / "lines.ptx").read_text().splitlines()[load["line"] - 1]
    assert "ld.shared" in text and load["file"].endswith("lines.ptx") and load["source"] and load["source_line"]
    (load,) = [line for line in launch.lines("instructions") if line[conflicts]]
    assert load["text"].startswith("ld.shared")
    with pytest.raises(ValueError):
        launch.lines("sass")
    try:
        import pandas
    except ImportError:
        return
    table = pandas.DataFrame(launch.lines())
    assert table[conflicts].sum() == 2944


def test_records_outlive_their_modules(samples):
    m = ptxsim.Module(samples / "vecadd.ptx", count=True, context=ptxsim.Context())
    launch = m.vecadd[1, 32](None, None, None, 0)
    text = str(launch.report)
    m.unload()
    assert str(launch.report) == text and launch.counters["launch.blocks"] == 1
    with pytest.raises(ptxsim.Error, match="module has been freed"):
        launch.report.html()
    m.context.close()
    assert launch.counters["launch.blocks"] == 1


def test_without_counting_there_are_no_counters(samples):
    m = ptxsim.Module(samples / "vecadd.ptx")
    launch = m.vecadd[1, 32](None, None, None, 0)
    assert str(launch.report) == ""
    for look in (lambda: launch.counters["launch.instructions"], launch.report.html, launch.lines):
        with pytest.raises(ptxsim.Error, match="count=True"):
            look()


def test_launches_in_streams_are_watched(samples):
    m, stream = ptxsim.Module(samples / "vecadd.ptx", count=True), ptxsim.Stream()
    a, b, c = (np.ones(64, np.float32) for _ in range(3))
    launches = [m.vecadd[2, 32, 0, stream](a, b, c, n) for n in (64, 0)]
    stream.synchronize()
    assert [launch.counters["launch.blocks"] for launch in launches] == [2, 2]
    assert launches[0].warp_instructions > launches[1].warp_instructions
    assert set(c) == {2}
    plain = ptxsim.Module(samples / "vecadd.ptx").vecadd[2, 32, 0, stream](a, b, c, 64)
    if not stream.done:
        with pytest.raises(ptxsim.Error, match="synchronize"):
            plain.blocks
    stream.synchronize()
    assert plain.blocks == 2


def test_a_stream_tells_its_own_failure():
    context = ptxsim.Context()
    m, stream = ptxsim.Module(RACE, context=context, count=True), ptxsim.Stream(context)
    with pytest.raises(ptxsim.KernelError, match="null pointer"):
        m.k[1, 32](None)
    a = ptxsim.array(np.zeros(1, np.uint32))
    one, two = m.k[1, 32, 0, stream](np.zeros(0, np.uint32)), m.k[1, 32, 0, stream](0x1234)
    with pytest.raises(ptxsim.KernelError, match="null pointer") as info:
        stream.synchronize()
    assert info.value.launch is one and info.value.line == 8
    with pytest.raises(ptxsim.Error, match="synchronize"):
        two.blocks
    m.k[1, 32, 0, stream](0x1234)
    with pytest.raises(ptxsim.KernelError, match="0x1234"):
        stream.synchronize()
    del a


def test_faults_tell_allocations_and_counts():
    m = ptxsim.Module(HEAD + ".visible .entry k(.param .u64 out) { .reg .u64 %a; ld.param.u64 %a, [out];"
                      " st.global.u32 [%a+64], 1; ret; }\n", count=True)  # fmt: skip
    with pytest.raises(ptxsim.KernelError, match="nearest allocation: out,") as info:
        m.k[1, 1](np.zeros(12, np.uint32))
    error = info.value
    assert (error.allocation, error.allocation_size, error.allocation_distance) == ("out", 48, 16)
    assert error.address == error.allocation_base + 64 and not error.allocation_freed
    assert error.launch.counters["launch.instructions"] == 2
    kept = ptxsim.array(np.zeros(12, np.uint32), name="scores")
    with pytest.raises(ptxsim.KernelError) as info:
        m.k[1, 1](kept)
    assert info.value.allocation == "scores"
    address = kept.address + 16
    kept.free()
    with pytest.raises(ptxsim.KernelError) as info:
        m.k[1, 1](address - 64)
    assert info.value.allocation_freed


def test_two_threads_count_side_by_side(samples):
    failed = []

    def run(blocks, context):
        try:
            m = ptxsim.Module(samples / "vecadd.ptx", count=True, context=context)
            a = np.ones(4096, np.float32)
            for _ in range(20):
                c = np.zeros(4096, np.float32)
                launch = m.vecadd[blocks, 256](a, a, c, blocks * 256)
                assert launch.counters["launch.blocks"] == blocks and c.sum() == 2 * blocks * 256
                assert launch.report.json()["launches"][0]["grid"] == [blocks, 1, 1]
        except BaseException as error:
            failed.append(error)

    shared = ptxsim.Context()
    for contexts in ((ptxsim.Context(), ptxsim.Context()), (shared, shared)):
        threads = [threading.Thread(target=run, args=(4 + k, context)) for k, context in enumerate(contexts)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(120)
    assert not failed


def test_races_are_found_if_asked_for():
    a = np.zeros(1, np.uint32)
    ptxsim.Module(RACE).k[1, 64](a)
    with pytest.raises(ptxsim.KernelError, match="race") as info:
        ptxsim.Module(RACE, check="races").k[1, 64](a)
    assert info.value.kind == "finding" and len(info.value.findings) == 1 and "race" in info.value.findings[0]
    ptxsim.Module(RACE, check="races").k[1, 1](a)
    with pytest.raises(ValueError):
        ptxsim.Module(RACE, check="everything")
