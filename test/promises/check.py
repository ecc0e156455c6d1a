#!/usr/bin/env python3
"""Sentences of promise in README, docs, help and generated files: each stands in promises.txt with the tests that would fail if it were false.

    check.py [PROGRAM]          compare; with the program also the files that it generates
    check.py [PROGRAM] --new    print what promises.txt lacks, in its format

A sentence is taken for a promise when WORDS is found in it. That is a rule for finding them, not a definition: promises in other words may be listed, too. Fails
where a sentence is not listed, where a listed one no longer stands in its file, and where a named test does not exist. A sentence that WORDS finds but that promises
nothing has the reason in place of tests.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).with_name("promises.txt")

WORDS = re.compile(
    r"\b(?:never|always|guarantee\w*|promise\w*|bit for bit|byte for byte|same (?:bits|bytes|results|motion|numbers)|to the (?:bit|last bit)|last digit"
    r"|exactly|(?:is|are) exact|agrees?|within (?:the|its|their) limits|stays? within|as (?:MuJoCo|ROS|Pinocchio|Drake|MuJoCo's compiler) (?:does|do|reads)"
    r"|(?:is|are) (?:compared|verified|proved|tested|tried) (?:with|against|by|before|when)|(?:neither|nor|not|never) (?:allocates?|locks?|throws?|branch(?:es)?|crash(?:es)?)"
    r"|allocates nothing|nothing is written|to rounding|equals|results equal|whatever (?:the|it|n)|any number of|in every (?:state|call|case|run)|before (?:the first|anything|it is written)|in one run|without a (?:word|difference)"
    r"|conserves?|independent of|no difference|extended precision|on every machine|defaults of ROS)\b",
    re.IGNORECASE,
)

# The first page that anyone reads is held to more.
WORDS_OF = {"README.md": re.compile(WORDS.pattern + r"|\b(?:every|all|each|any|nothing|compares?|shortest|fewest|needs no)\b", re.IGNORECASE)}

PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for folder in ("docs", "docs/guide", "docs/formulations") for p in (ROOT / folder).glob("*.md"))]

# Comments and texts of generated files; the robots have what the texts depend on.
GENERATED = {
    "generated c": ["generate", "stanford", "--what", "inverse,forward,mass", "--batch", "--parameters", "payload"],
    "generated c of loops": ["generate", "four-bar", "--what", "inverse,forward"],
    "generated c of a free base": ["generate", "servicer", "--base", "free", "--wrench-at", "hand"],
    "generated c after MISRA": ["generate", "planar-2r", "--misra", "on", "--parameters", "all"],
    "generated fmi of a free base": ["generate", "servicer", "--base", "free", "--for", "fmi"],
    "generated cpp": ["generate", "planar-2r", "--lang", "cpp"],
    "generated python": ["generate", "planar-2r", "--lang", "python"],
    "generated matlab": ["generate", "planar-2r", "--lang", "matlab"],
    "generated rust": ["generate", "planar-2r", "--lang", "rust"],
    "generated casadi": ["generate", "planar-2r", "--for", "casadi"],
    "generated fmi": ["generate", "planar-2r", "--for", "fmi"],
}


def split(paragraph: str) -> list[str]:
    text = re.sub(r"\s+", " ", paragraph).strip()
    return [s for s in (s.strip() for s in re.split(r"(?<=[.!?:])\s+(?=[A-Z`\[*\"(])", text)) if s]


def prose(text: str) -> list[str]:
    """Sentences of Markdown, without headings and code; cells of tables apart."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "\n\n", text, flags=re.DOTALL)
    out: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        paragraph: list[str] = []
        for line in block.split("\n") + [""]:
            line = line.strip()
            starts = re.match(r"([-*]|\d+\.) ", line)
            if not line or starts or line.startswith(("|", "#")):
                out += split(" ".join(paragraph))
                paragraph = []
            if line.startswith("|"):
                for cell in line.strip("|").split("|"):
                    out += split(cell)
            elif not line.startswith("#"):
                paragraph.append(line[starts.end() :] if starts else line)
        out += split(" ".join(paragraph))
    return out


def help_texts(text: str) -> list[str]:
    """Sentences of docs/cli.md, whose blocks of code are the program's own pages; an option, a row of the overview and a list of shared options begin a new one."""
    out: list[str] = []
    for block in re.findall(r"```.*?\n(.*?)```", text, flags=re.DOTALL):
        for paragraph in re.split(r"\n\s*\n|\n(?=\s*--|    shared: |  [a-z]+  |[a-z]+: )", block):
            out += split(paragraph)
    return out


def comments(text: str) -> list[str]:
    """Sentences of comments, and of what a generated program prints."""
    out: list[str] = []
    found = re.findall(r"/\*.*?\*/|(?:^[ \t]*(?://|#|%)[^\n]*\n?)+|\"\"\".*?\"\"\"|\"[^\"\n]{12,}\"", text, flags=re.DOTALL | re.MULTILINE)
    for comment in found:
        lines = [re.sub(r"^\s*(?:/\*+|\*+/?|//[/!]*|#!?|%+)|\*/$", "", line).strip(' "') for line in comment.split("\n")]
        for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
            out += split(paragraph)
    return out


def generated(program: str, arguments: list[str]) -> list[str]:
    out: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, *arguments, "--out", folder + "/out"], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(arguments)} fails: {run.stderr}")
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    texts = [archive.read(name).decode("utf-8", "replace") for name in archive.namelist() if name.endswith((".c", ".h", ".xml", ".md"))]
            else:
                texts = [path.read_text(encoding="utf-8")] if path.is_file() else []
            for text in texts:
                out += prose(text) if path.suffix == ".md" else comments(text)
    return out


def found(program: str | None) -> dict[str, list[str]]:
    """All sentences, by place."""
    places = {page: prose((ROOT / page).read_text(encoding="utf-8")) for page in PAGES}
    places["docs/cli.md"] += help_texts((ROOT / "docs/cli.md").read_text(encoding="utf-8"))
    if program:
        for place, arguments in GENERATED.items():
            places[place] = generated(program, arguments)
    return places


def listed() -> dict[str, dict[str, tuple[list[str], str]]]:
    """Sentences of promises.txt, by place: tests, and the reason where there are none."""
    out: dict[str, dict[str, tuple[list[str], str]]] = {}
    place, sentence = "", ""
    for number, line in enumerate(LIST.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip() or line.startswith("# "):
            continue
        if line.startswith("## "):
            place = line[3:].strip()
            out[place] = {}
        elif line.startswith("  = "):
            out[place][sentence] = (line[4:].replace(",", " ").split(), "")
        elif line.startswith("  - "):
            out[place][sentence] = ([], line[4:].strip())
        elif line.startswith(" "):
            sys.exit(f"{LIST.name}:{number}: '  = Test.Name, Test.Name' or '  - reason' belongs here")
        else:
            sentence = line.strip()
            out[place][sentence] = ([], "")
    return out


def test_names() -> set[str]:
    names: set[str] = set()
    for path in (ROOT / "test").rglob("*.cpp"):
        for suite, name in re.findall(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            if not name.startswith("DISABLED_"):
                names.add(f"{suite}.{name}")
    for path in (ROOT / "test").rglob("CMakeLists.txt"):
        text = path.read_text(encoding="utf-8")
        names.update(re.findall(r"add_test\(\s*NAME\s+([\w.]+)", text))
        names.update(f"Guide.{p.stem}" for p in (ROOT / "docs/guide").glob("*.md")) if "Guide." in text else None
    for path in (ROOT / "python/tests").glob("test_*.py"):
        names.update(f"{path.stem}.{name}" for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
    return names


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--new"]
    program = arguments[0] if arguments else None
    places, known, names = found(program), listed(), test_names()
    problems: list[str] = []
    tested = idle = 0
    new: dict[str, list[str]] = {}
    for place, sentences in places.items():
        for sentence in dict.fromkeys(sentences):
            if WORDS_OF.get(place, WORDS).search(sentence) and sentence not in known.get(place, {}):
                new.setdefault(place, []).append(sentence)
    for place, sentences in known.items():
        if place not in places:
            if program or place not in GENERATED:
                problems.append(f"{place}: there is no such file")
            continue
        for sentence, (tests, reason) in sentences.items():
            if sentence not in places[place]:
                problems.append(f"{place}: no longer has the sentence '{sentence}': remove it from {LIST.name}, or correct it there")
            if not tests and not reason:
                problems.append(f"{place}: '{sentence}' has no test: add one, or withdraw the sentence")
            tested += bool(tests)
            idle += bool(reason)
            problems += [f"{place}: '{sentence}': there is no test {test}" for test in tests if test not in names]
    if "--new" in sys.argv:
        for place, sentences in new.items():
            print(f"## {place}")
            for sentence in sentences:
                print(f"{sentence}\n  = ")
        return 0
    for place, sentences in new.items():
        problems += [f"{place}: '{sentence}' promises something, but is not in {LIST.name}: name the tests that would fail if it were false" for sentence in sentences]
    print("\n".join(problems) if problems else f"{tested} promises, each with its tests; {idle} sentences that promise nothing")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
