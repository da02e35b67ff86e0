# SPDX-License-Identifier: Apache-2.0
"""Counters, reports and checks."""
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
    assert "vecadd" in str(launch.report) and "<pre>" in launch.report._repr_html_()
    with pytest.raises(KeyError):
        launch.counters["nothing.of.that.name"]
    m.vecadd[33, 256](a, b, c, n)
    with pytest.raises(ptxsim.Error):
        launch.counters["launch.instructions"]


def test_without_counting_there_are_no_counters(samples):
    m = ptxsim.Module(samples / "vecadd.ptx")
    launch = m.vecadd[1, 32](None, None, None, 0)
    assert str(launch.report) == ""
    with pytest.raises(ptxsim.Error, match="count=True"):
        launch.counters["launch.instructions"]


def test_races_are_found_if_asked_for():
    a = np.zeros(1, np.uint32)
    ptxsim.Module(RACE).k[1, 64](a)
    with pytest.raises(ptxsim.KernelError, match="race") as info:
        ptxsim.Module(RACE, check="races").k[1, 64](a)
    assert info.value.kind == "finding"
    ptxsim.Module(RACE, check="races").k[1, 1](a)
    with pytest.raises(ValueError):
        ptxsim.Module(RACE, check="everything")
