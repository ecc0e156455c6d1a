"""What the tests share: the command line to compare with, and robots."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import site
import subprocess
import sys
from typing import Any, Callable

import hypothesis
import pytest

# The same examples in every run, and nothing kept of them.
hypothesis.settings.register_profile("ulna", database=None, derandomize=True)
hypothesis.settings.load_profile("ulna")
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("ULNA_PROGRAM", REPOSITORY / "build" / "release" / "bin" / "ulna"))


# Pinocchio is in an environment of its own where tools/setup --peers was called; packages of this one come first.
if importlib.util.find_spec("pinocchio") is None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site.addsitedir(os.environ.get("ULNA_PEERS_SITE", str(REPOSITORY / "build" / "peers" / "lib" / version / "site-packages")))


def pytest_configure(config: pytest.Config) -> None:
    # Some built-in robots warn when they load; tests about warnings ask for them.
    config.addinivalue_line("filterwarnings", "ignore::ulna.SourceWarning")


@pytest.fixture(scope="session")
def cli() -> Callable[..., Any]:
    """Runs the program with --json and returns what it says: an independent path through the same library."""
    if not PROGRAM.exists():
        pytest.skip(f"there is no program at {PROGRAM} to compare with")

    def run(*arguments: str, json_wanted: bool = True, expect: int = 0) -> Any:
        done = subprocess.run([str(PROGRAM), *arguments, *(["--json"] if json_wanted else [])], capture_output=True, text=True, timeout=300)
        assert done.returncode == expect, done.stderr
        return json.loads(done.stdout) if json_wanted else done.stdout

    return run


@pytest.fixture(scope="session")
def repository() -> pathlib.Path:
    return REPOSITORY
