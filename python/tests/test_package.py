"""The package as people get it: doctests, types, size, a fresh environment."""

from __future__ import annotations

import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import venv

import pytest

import ulna

WHEEL = os.environ.get("ULNA_WHEEL", "")
needs_wheel = pytest.mark.skipif(not WHEEL, reason="ULNA_WHEEL does not name a wheel; tools/python test does")
MODULES = ["ulna", *(f"ulna.{m.name}" for m in pkgutil.iter_modules(ulna.__path__) if m.name != "_core")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    if name in ("ulna.jax", "ulna.torch"):
        pytest.importorskip(name.partition(".")[2])
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0
    if name not in ("ulna._drawing", "ulna.__main__", "ulna._convert", "ulna._errors", "ulna._results", "ulna._batched"):
        assert result.attempted > 0


def test_the_chapter_in_the_documentation(repository: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(repository / "docs" / "python.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 20 and result.failed == 0


CHAPTERS = sorted(p.name for p in (pathlib.Path(__file__).parents[2] / "docs" / "guide").glob("*.md") if p.name != "README.md")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_guide(repository: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, chapter: str) -> None:
    """Every chapter has Python beside C++, and it does what stands there."""
    monkeypatch.chdir(tmp_path)
    for name, body in re.findall(r"^<!-- file (\S+) -->\n```\w+\n(.*?)^```$", (repository / "docs" / "guide" / chapter).read_text(), re.S | re.M):
        pathlib.Path(name).write_text(body)
    result = doctest.testfile(str(repository / "docs" / "guide" / chapter), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 1 and result.failed == 0


def test_everything_public_is_documented() -> None:
    for name in ulna.__all__:
        thing = getattr(ulna, name)
        assert thing.__doc__, name
        if isinstance(thing, type) and thing.__module__.startswith("ulna"):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)) and not hasattr(tuple, member):
                    assert value.__doc__ or (thing, member) == (ulna.Robot, "name"), f"{name}.{member}"


# Every line is seen; the comments say how many errors it has.
WRONG = """import ulna
ulna.load('panda', mimic='perhaps')  # 1
dyn = ulna.Dynamics('panda')
x: int = dyn.inverse([0], [0], [0])  # 1
dyn.inverse("a", 1, 2)  # 3
dyn.mass(["0", "1"])  # 1
dyn.forward(None, 1j, {0.5})  # 3
dyn.pose([0.5], 3)  # 1
dyn.with_payload("hand", mass="heavy")  # 1
"""
RIGHT = """import numpy as np, ulna
dyn = ulna.Dynamics('panda')
q = np.zeros((5, 7))
for states in (q, q.astype(np.float32), np.zeros(7, dtype=int), q.T.copy().T, np.asfortranarray(q)):
    dyn.gravity(states, out=None)
dyn.inverse([0.1] * 7, (0,) * 7, range(7))
dyn.mass([[0.5] * 7, [1.0] * 7])
dyn.mass([np.float32(0.5)] * 7)
dyn.mass([q[0], q[1]])
dyn.with_payload("hand", 1, (0, 0, 0.1), np.eye(3)).with_payload("hand", 1.5, inertia=[0.1, 0.1, 0.1, 0, 0, 0])
"""


def test_types_are_right(repository: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The package and the examples in mypy's strict mode; wrong calls are seen, right ones are not."""
    pytest.importorskip("mypy")
    examples = sorted(p.stem for p in (repository / "python" / "examples").glob("*.py"))
    assert examples
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "right.py").write_text(RIGHT)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "--config-file", os.devnull, "--ignore-missing-imports", "-p", "ulna"]
    modules = [option for name in (*examples, "right", "wrong") for option in ("-m", name)]
    environment = {**os.environ, "MYPYPATH": f"{repository / 'python' / 'examples'}:{tmp_path}"}
    done = subprocess.run([*mypy, *modules], cwd=tmp_path, env=environment, capture_output=True, text=True)
    checked = re.search(r"checked (\d+) source files", done.stdout)
    assert checked and int(checked[1]) >= len(MODULES) + len(examples) + 3, done.stdout  # _core.pyi, right.py and wrong.py among them
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    expected = [["wrong.py", str(k)] for k, line in enumerate(WRONG.splitlines(), 1) if "  # " in line for _ in range(int(line.rpartition("# ")[2]))]
    assert len(expected) == 11 and [line.split(":")[:2] for line in errors] == expected, done.stdout


@pytest.mark.parametrize("example", sorted(p.name for p in (pathlib.Path(__file__).parents[1] / "examples").glob("*.py")))
def test_examples_run(repository: pathlib.Path, tmp_path: pathlib.Path, example: str) -> None:
    done = subprocess.run([sys.executable, str(repository / "python" / "examples" / example)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr


def test_import_loads_the_standard_library_and_ulna_alone() -> None:
    """NumPy, pandas and the like take tenths of a second; they are loaded when first used. At most 120 modules in all."""
    code = "import sys; before = set(sys.modules); import ulna; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    foreign = {name.split(".")[0] for name in loaded} - set(sys.stdlib_module_names) - {"ulna"}
    assert not foreign
    assert len(loaded) <= 120


@needs_wheel
def test_the_wheel_is_small() -> None:
    assert os.path.getsize(WHEEL) < 6_000_000


@needs_wheel
def test_the_module_needs_nothing_but_libc_and_shows_nothing() -> None:
    """ldd of the installed module; and the only symbol that others can see is the one that Python asks for."""
    module = str(importlib.import_module("ulna._core").__file__)
    libraries = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"libulna|libyaml|libpugixml|not found", libraries), libraries
    names = subprocess.run(["nm", "-D", "--defined-only", "--extern-only", module], capture_output=True, text=True, check=True).stdout.split("\n")
    assert [line.split()[-1] for line in names if line] == ["PyInit__core"]


@needs_wheel
def test_a_fresh_environment_runs_the_readme(repository: pathlib.Path, tmp_path: pathlib.Path) -> None:
    venv.create(tmp_path / "fresh")
    python = str(tmp_path / "fresh" / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]  # one of its own would take longer than all else here
    subprocess.run([*pip, "install", "-q", "--no-compile", WHEEL], check=True)
    (example,) = re.findall(r"^```python\n(.*?)^```", (repository / "README.md").read_text(), re.S | re.M)
    check = "\nimport numpy as np\nassert tau.shape == q.shape and np.allclose(M[0] @ a[0] + dyn.bias(q[0], v[0]), tau[0])\nprint(ulna.__file__)\n"
    environment = {k: x for k, x in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([python, "-c", example + check], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith(str(tmp_path))
    listed = subprocess.run([*pip, "list", "--format", "freeze"], capture_output=True, text=True, check=True).stdout
    packages = {line.split("==")[0].split(" ")[0].lower() for line in listed.splitlines()} - {"pip", "setuptools", "wheel"}
    assert packages == {"ulna", "numpy"}
