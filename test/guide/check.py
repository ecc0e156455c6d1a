#!/usr/bin/env python3
"""Runs a chapter of the guide.

  check.py CHAPTER.md --examples examples --programs build/release/bin

- A block ```sh is run by sh in a folder of the chapter's own, in which files stay from block to block. It must end with status 0, or with N where the line
  before it is <!-- exit status N -->. `ulna` and the examples' programs are on the path.
- A block ```text after the line <!-- prints --> must be what the block before it printed to standard output. A line "…" stands for any lines.
- A block of any language after the line <!-- file NAME --> is written to that file of the folder.
- A block ```cpp after the line <!-- examples/NAME.cpp --> must be that file.
- A block ```python must be a session with ">>>", which python/tests/test_package.py runs.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def blocks(text):
    """(line number, the comment line before it, language, body) of each fenced block."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        opening = re.match(r"```(\w*)$", lines[at])
        if not opening:
            if lines[at].startswith("```"):
                sys.exit(f"line {at + 1}: a fence of another form than this script knows")
            at += 1
            continue
        end = at + 1
        while end < len(lines) and lines[end] != "```":
            end += 1
        if end == len(lines):
            sys.exit(f"line {at + 1}: the block does not end")
        comment = re.fullmatch(r"<!-- (.*) -->", lines[at - 1]) if at > 0 else None
        yield at + 1, comment.group(1) if comment else "", opening.group(1), "\n".join(lines[at + 1:end]) + "\n"
        at = end + 1


def same_output(expected, printed):
    pattern = "".join("(?:.*\n)*?" if line.strip() == "…\n".strip() else re.escape(line) for line in expected.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chapter")
    parser.add_argument("--examples", required=True)
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    programs = os.path.abspath(options.programs)
    faults, ran, compared = [], 0, 0
    with open(options.chapter, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory(prefix="ulna-guide-") as folder:
        environment = dict(os.environ, PATH=programs + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8")
        printed = None
        for line, comment, language, body in blocks(text):
            where = f"{options.chapter}:{line}"
            if comment.startswith("file "):
                with open(os.path.join(folder, comment.removeprefix("file ")), "w", encoding="utf-8") as file:
                    file.write(body)
            elif language == "sh":
                status = re.fullmatch(r"exit status (\d+)", comment)
                wanted = int(status.group(1)) if status else 0
                run = subprocess.run(["sh", "-eu", "-c", body], cwd=folder, env=environment, capture_output=True, text=True, timeout=250, check=False)
                printed = run.stdout
                ran += 1
                if run.returncode != wanted:
                    faults.append(f"{where}: ended with status {run.returncode}, not {wanted}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
            elif language == "cpp" and comment.startswith("examples/"):
                compared += 1
                with open(os.path.join(options.examples, comment.removeprefix("examples/")), encoding="utf-8") as file:
                    if file.read() != body:
                        faults.append(f"{where}: differs from {comment}")
            elif language in ("c", "xml"):
                faults.append(f"{where}: no test reads this block; write <!-- file NAME --> before it, and use the file")
            elif language == "cpp":
                faults.append(f"{where}: C++ that no test compiles; take it from examples/ and name the file in a comment before the block")
            elif language == "python" and not body.startswith(">>> "):
                faults.append(f"{where}: Python that no test runs; write it as a session with >>> and answers")
            elif language == "text" and comment == "prints":
                compared += 1
                if printed is None or not same_output(body, printed):
                    faults.append(f"{where}: the block before it printed:\n{printed}")
    for fault in faults:
        print(fault)
    print(f"{options.chapter}: {ran} blocks run, {compared} compared, {len(faults)} wrong")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
