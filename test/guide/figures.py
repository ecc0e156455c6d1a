#!/usr/bin/env python3
"""figures.py SOURCE: does tools/benchmarks_page see a figure that was changed, and put a new run into the pages? On a copy."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])


def run(copy, *words):
    return subprocess.run([sys.executable, "-B", copy / "tools/benchmarks_page", *words], capture_output=True, text=True, check=False)


def edited(copy, name, old, new):
    """What --check says of a page in which `old` was replaced; the page is put back."""
    page = copy / name
    before = page.read_text(encoding="utf-8")
    assert old in before, f"{name} has no '{old}'"
    page.write_text(before.replace(old, new, 1), encoding="utf-8")
    done = run(copy, "--check")
    page.write_text(before, encoding="utf-8")
    return done


with tempfile.TemporaryDirectory(prefix="ulna-figures-") as folder:
    copy = pathlib.Path(folder)
    (copy / "tools").mkdir()
    shutil.copy(source / "tools/benchmarks_page", copy / "tools")
    shutil.copy(source / "README.md", copy)
    shutil.copytree(source / "docs", copy / "docs")
    data = json.loads((copy / "docs/figures/benchmarks.json").read_text(encoding="utf-8"))
    assert run(copy, "--check").returncode == 0

    panda = min(r["ns"] for r in data["bench"]["results"] if (r["robot"], r["library"], r["task"], r["mode"]) == ("panda", "ulna", "inverse", "one"))
    shown = f"{panda:.0f} ns"
    for name, old, new in [
        ("README.md", f"ulna -->{shown}", f"ulna -->{panda + 3:.0f} ns"),
        ("README.md", f"torques of a Panda | {panda:.0f}", f"torques of a Panda | {panda + 3:.0f}"),
        ("README.md", "## Two commands", "A Panda takes 12 ns.\n\n## Two commands"),
        ("README.md", "  take <!-- figure panda inverse ulna", "  take\n  <!-- figure panda inverse ulna"),
        ("docs/benchmarks.md", "| **Ulna**, machine code | ", "| **Ulna**, machine code | 1"),
        ("docs/benchmarks.md", "| MuJoCo, one arm | ", "| MuJoCo, one arm | 1"),
        ("docs/count.md", "figure panda first-torque", "figure panther first-torque"),
        ("docs/dynamics.md", "| inverse | ", "| inverse | 1"),
        ("docs/python.md", "| inverse, float64 | ", "| inverse, float64 | 1"),
        ("docs/figures/benchmarks.svg", f">{panda:.1f}</text>", ">0.7</text>"),
    ]:
        done = edited(copy, name, old, new)
        assert done.returncode == 1 and name in done.stderr, f"{name}: '{old}' became '{new}', and --check said {done.returncode} {done.stderr}"

    # A new run replaces figures of the old one; one that cannot be read changes nothing.
    (copy / "worst.txt").write_text("arm, 9 calls of each; SSE2\n\n| ns | median | slowest |\n|---|--:|--:|\n| inverse | 123 | 4567 |\n", encoding="utf-8")
    assert run(copy, "--take", f"worst_case={copy / 'worst.txt'}").returncode == 0 and run(copy, "--check").returncode == 0
    assert "arm, 9 calls of each; SSE2:\n\n| ns | median | slowest |\n|---|--:|--:|\n| inverse | 123 | 4567 |\n<!-- figures worst-case: end" in (copy / "docs/dynamics.md").read_text(encoding="utf-8")
    python = {**data["python"], "package": {"import_ms": 21.4, "wheel_bytes": 1234567}}
    (copy / "python.json").write_text(json.dumps(python), encoding="utf-8")
    assert run(copy, "--take", f"python={copy / 'python.json'}").returncode == 0
    assert "Importing takes 21 ms, the wheel has 1.23 MB." in (copy / "docs/python.md").read_text(encoding="utf-8")
    # Times of another run than the drawing's.
    for row in data["bench"]["results"]:
        row["ns"] *= 1.37
    (copy / "bench.json").write_text(json.dumps(data["bench"]), encoding="utf-8")
    before = (copy / "docs/figures/benchmarks.json").read_text(encoding="utf-8")
    done = run(copy, "--take", f"bench={copy / 'bench.json'}")
    assert done.returncode == 1 and "benchmarks.svg" in done.stderr
    assert (copy / "docs/figures/benchmarks.json").read_text(encoding="utf-8") == before
print("figures: all seen")
