#!/usr/bin/env python3
"""links.py SOURCE: every link of README, CONTRIBUTING, CHANGELOG, docs/ and web/ leads to a file, and to a heading where it names one. Links to other hosts are not tried.
Every page of docs/ can be reached from docs/README.md. Every source file and folder that a page names in `code` exists; CHANGELOG, which tells of old ones, may name any."""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("apps", "cmake", "docs", "examples", "fuzz", "include", "models", "python", "scenarios", "src", "test", "tools", "web")
NAMED = re.compile(r"`((?:" + "|".join(FOLDERS) + r")/[\w./*-]+|[\w./*-]+\.[hc]pp)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


def without_code(text):
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page):
    """What GitHub makes of the headings."""
    found = {}
    names = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", page.read_text(encoding="utf-8")))
    for heading in re.findall(r"^#+ (.*?)\s*#*$", re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


def named_and_missing(root, page, names):
    """`dynamics/quantity.cpp` is src/dynamics/quantity.cpp; a name with NAME in it is the reader's own."""
    for word in dict.fromkeys(NAMED.findall(re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M))):
        path = word.rstrip("/")
        if "NAME" not in path and not (page.parent / path).exists() and not fnmatch.filter(names, path) and not fnmatch.filter(names, "*/" + path):
            yield f"{page.relative_to(root)}: there is no '{word}'"


def check(root):
    names = [str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*")]
    pages = [p for p in [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "web").glob("*.md"))] if p.exists()]
    faults, leads_to = [], {}
    for page in pages:
        targets = leads_to.setdefault(page, set())
        if page.name != "CHANGELOG.md":
            faults += named_and_missing(root, page, names)
        for groups in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
            link = groups[0] or groups[1]
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            where = f"{page.relative_to(root)}: '{link}'"
            if not target.exists():
                faults.append(f"{where} leads nowhere")
                continue
            targets.add(target)
            if anchor and target.suffix == ".md" and anchor not in anchors(target):
                faults.append(f"{where}: {target.relative_to(root)} has no heading '{anchor}'")
    seen, todo = set(), [root / "docs/README.md"]
    while todo:
        page = todo.pop()
        if page not in seen:
            seen.add(page)
            todo += [t for t in leads_to.get(page, ()) if t.suffix == ".md"]
    faults += [f"{page.relative_to(root)}: no way leads here from docs/README.md" for page in pages if root / "docs" in page.parents and page not in seen]
    return faults


found = check(ROOT)
print("\n".join(found) if found else "links: all lead somewhere")
sys.exit(1 if found else 0)
