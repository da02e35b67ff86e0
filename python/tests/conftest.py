# SPDX-License-Identifier: Apache-2.0
import pathlib

import pytest

#: The samples of the source tree.
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture
def samples() -> pathlib.Path:
    return SAMPLES
