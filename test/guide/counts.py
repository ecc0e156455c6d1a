#!/usr/bin/env python3
"""counts.py SOURCE: does tools/counts_page see a count that the program does not give, and one that is in no mark? On a page and a program of its own."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """#!/usr/bin/env python3
import json, sys
count = {"mul": 7, "add": 5}
if sys.argv[1] == "tables":
    out = {"tables": [{"entries": [{"name": "A total", "mul": {"polynomial": "27n + 46", "printed": "27n + 42"}, "add": {"polynomial": "24n - 1", "printed": "27n + 41"}}]}]}
elif "--drop" in sys.argv:
    out = {"before": count, "after": {"mul": 6, "add": 4}, "saved": {"mul": 1, "add": 1}}
elif sys.argv[1] == "schedule":
    out = {"operations": count, "critical_path": {"mul": 2, "add": 3}}
else:
    best = {**count, "guards": {"mul": 1, "add": 2}, "short_rotations": {"mul": 6, "add": 8}, "steps": []}
    out = {"best": {"inverse": best}, "formulations": [{"id": "kane", "quantity": "torque", "as_written": {"mul": 70, "add": 50}}]}
print(json.dumps(out))
"""
PAGE = """The arm takes <!-- count arm inverse -->7 multiplications and 5 additions<!-- -->, guards <!-- count guards arm inverse -->1 and 2<!-- -->,
<!-- count written arm kane torque -->70/50<!-- --> as written; <!-- count ours t A_total -->27n + 46 mul, 24n − 1 add<!-- --> for <!-- count printed t A_total -->27n + 42 and 27n + 41<!-- -->.
<!-- count in code after arm 1%: 6 mul, 4 add -->
<!-- count in code chain arm: 2 mul, 3 add -->
```
6 mul, 4 add and 2 mul, 3 add
```
"""

with tempfile.TemporaryDirectory(prefix="ulna-counts-") as folder:
    copy = pathlib.Path(folder)
    for name in ("tools", "docs"):
        (copy / name).mkdir()
    shutil.copy(pathlib.Path(sys.argv[1]) / "tools/counts_page", copy / "tools")
    tool = (copy / "tools/counts_page").read_text(encoding="utf-8")  # its list of sentences is of other pages
    program, page = copy / "program", copy / "docs/page.md"
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    (copy / "README.md").write_text("\n", encoding="utf-8")

    def check(text, *words):
        page.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", copy / "tools/counts_page", program, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    assert check(PAGE, "--check") == (0, ""), check(PAGE, "--check")
    for old, new, said in [
        ("7 multiplications", "8 multiplications", "differ"),
        ("1 and 2<", "1 and 3<", "differ"),
        ("70/50", "70/51", "differ"),
        ("27n + 46", "27n + 44", "differ"),
        ("27n + 41<", "27n + 40<", "differ"),
        ("<!-- count in code chain arm: 2 mul, 3 add -->", "<!-- count in code chain arm: 2 mul, 4 add -->", "differ"),
        ("The arm", "In all 12 mul, 13 add. The arm", "outside of marks: 12 mul, 13 add"),
        ("The arm", "In all 12n + 3 multiplications\nand 13 additions. The arm", "outside of marks"),
        ("<!-- count in code chain arm: 2 mul, 3 add -->\n", "", "outside of marks: 2 mul, 3 add"),
        ("1 and 2<", "one and two<", "two formulas"),
    ]:
        assert old in PAGE
        status, output = check(PAGE.replace(old, new, 1), "--check")
        assert status == 1 and said in output, f"'{old}' became '{new}': {status} {output}"
    wrong = PAGE.replace("7 multiplications", "8 multiplications").replace("2 mul, 3 add", "9 mul, 9 add")
    assert check(wrong)[0] == 0 and page.read_text(encoding="utf-8") == PAGE, page.read_text(encoding="utf-8")
