#!/usr/bin/env python3
"""tools/compatibility_page: docs/compatibility.md is what it makes of the rows; a row that changes, a new one and one that goes are seen."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder)
    for name in ("tools/compatibility_page", "test/source/compatibility.txt", "docs/compatibility.md"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    rows = copy / "test/source/compatibility.txt"
    text = rows.read_text(encoding="utf-8")

    def run(changed, *words):
        rows.write_text(changed, encoding="utf-8")
        return subprocess.run([sys.executable, copy / "tools/compatibility_page", *words], capture_output=True, check=False).returncode

    assert run(text, "--check") == 0, "run tools/compatibility_page"
    line = next(l for l in text.splitlines() if "| refused |" in l)
    for changed in (text.replace(line, line.replace("| refused |", "| warned |")), text.replace(line + "\n", ""), text.replace(line, line + "\n| new | robot | `<x/>` | noted | `a new element` |")):
        assert changed != text and run(changed, "--check") == 1
    assert run(text.replace(line + "\n", "")) == 0 and run(text, "--check") == 1 and run(text) == 0 and run(text, "--check") == 0
    assert (copy / "docs/compatibility.md").read_bytes() == (ROOT / "docs/compatibility.md").read_bytes()
    assert run(text, "--what") != 0
