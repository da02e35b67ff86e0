# SPDX-License-Identifier: Apache-2.0
"""The debugger from Python."""
import numpy as np
import pytest

import ptxsim


def test_steps_and_registers(samples):
    with ptxsim.debug(samples / "saxpy.ptx") as d:
        assert d.position.reason == "entry" and d.position.function == "saxpy"
        first = d.position.line
        d.step(8)
        assert d.position.line == first + 8
        assert np.array_equal(d.registers["%tid.x"], np.arange(32))
        assert d.registers["%f1"].dtype == np.float32 and set(d.registers["%f1"]) == {2.5}
        assert d.registers.array().shape == (32, len(d.registers))
        with pytest.raises(KeyError):
            d.registers["%nothing"]
        d.reverse_step(8)
        assert d.position.line == first


def test_breakpoints_both_ways(samples):
    file = samples / "saxpy.ptx"
    line = next(k for k, text in enumerate(file.read_text().splitlines(), 1) if "fma.rn.f32" in text)
    with ptxsim.debug(file) as d:
        assert d.break_at(file, line) == [line]
        assert d.run().reason == "breakpoint" and d.position.line == line
        d.run()
        assert d.reverse_run().line == line
        assert "0" in d.evaluate("%laneid")
        assert "live" in d.command("info warps")
        d.break_at(file)
        assert d.run().reason == "end"
        assert "hold" in d.output
        with pytest.raises(ptxsim.Error):
            d.step()


def test_a_text_with_errors(tmp_path):
    bad = tmp_path / "bad.ptx"
    bad.write_text("//@ launch k()\n.version 7.0\n.target sm_75\nnonsense\n")
    with pytest.raises(ptxsim.Error):
        ptxsim.debug(bad)
