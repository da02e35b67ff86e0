# SPDX-License-Identifier: Apache-2.0
"""What stands in samples/python: notebooks, run by Jupyter where that is installed, else cell by cell here; scripts."""
import ast
import contextlib
import io
import json
import runpy

import pytest

from conftest import SAMPLES

NOTEBOOKS = sorted((SAMPLES / "python").glob("*.ipynb"))


def run_cell(source, names):
    """As a notebook does: the value of a last expression is shown."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def shown(value):
    html = getattr(value, "_repr_html_", None)
    return html() if html else repr(value)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    notebook = json.loads(path.read_text())
    assert notebook["nbformat"] == 4
    for cell in notebook["cells"]:
        assert cell["cell_type"] == "markdown" or not cell["outputs"], "outputs are not kept in the repository"
    try:
        import nbclient  # noqa: F401
        import nbformat
    except ImportError:
        names = {"__name__": "__main__"}
        output = []
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    output.append(shown(run_cell("".join(cell["source"]), names)))
    else:
        done = nbclient.NotebookClient(nbformat.reads(path.read_text(), 4), timeout=300).execute()
        output = [str(part) for cell in done.cells for part in cell.get("outputs", [])]
    assert any("sectors more than needed" in one for one in output)


def test_kernels_of_compilers(capsys):
    runpy.run_path(str(SAMPLES / "python" / "compilers.py"), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [
        "Triton, x + 0.5 x: [0.  1.5 3.  4.5 6. ]",
        "Numba, 1.5 x + 1:  [1.  2.5 4.  5.5 7. ]",
    ]
