"""tools/kernel_counts in a repository of three commits: a release, fewer instructions, more of them."""
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "kernel_counts"
TABLE = """| robot | task | numbers | AVX2: instructions | spills | bytes | NEON: instructions | spills | bytes |
|---|---|---|---|---|---|---|---|---|
| ur5 | inverse | one double | {} | 16 | 1947 | 487 | {} | 1948 |
"""

with tempfile.TemporaryDirectory() as folder:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test", "-c", "init.defaultBranch=main", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def run(*words: str) -> "tuple[int, str]":
        done = subprocess.run([sys.executable, TOOL, *words], cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def write(instructions: int, spills: int) -> None:
        table = pathlib.Path(folder, "test", "arm", "counts.txt")
        table.parent.mkdir(parents=True, exist_ok=True)
        table.write_text(TABLE.format(instructions, spills))

    git("init", "-q")
    write(372, 0)
    git("add", ".")
    git("commit", "-q", "-m", "a release")
    status, said = run()
    assert status == 0 and "no tag" in said, said
    git("tag", "v0.1.0")
    for instructions, spills, expected in [(372, 0, 0), (375, 0, 0), (300, 0, 0), (380, 0, 1), (372, 1, 1)]:
        write(instructions, spills)
        status, said = run()
        assert status == expected, (instructions, spills, said)
    assert "ur5, inverse, one double, NEON spills: 1, 0 in v0.1.0" in said, said
    status, said = run("--against", "nothing")
    assert status == 1 and "nothing" in said, said
    assert run("--what")[0] == 2
