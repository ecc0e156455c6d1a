#!/usr/bin/env python3
"""tools/site: the project's pages become a site without faults, whose links all lead somewhere and which needs no network; and what it makes of small pages.

  site_test.py [NODE]    NODE runs the search
"""
import html.parser
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODE = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
loader = importlib.machinery.SourceFileLoader("site_tool", str(ROOT / "tools/site"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_tool", loader))
sys.dont_write_bytecode = True
loader.exec_module(tool)
VOID = {"meta", "link", "img", "input"}


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.ids, self.text, self.heads = [], [], set(), "", []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]
        self.ids.update(attributes[name] for name in ("id", "name") if name in attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        self.text += data


def project(files):
    """A root with these files."""
    folder = tempfile.TemporaryDirectory(prefix="ulna-site-")
    for name, text in {"README.md": "# Project\n", "docs/README.md": "# Pages\n\n## All\n\n[one](one.md)\n", **files}.items():
        path = pathlib.Path(folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def body(markdown, **files):
    with project({"docs/one.md": markdown, **files}) as folder:
        root = pathlib.Path(folder).resolve()
        site = tool.Site(root, root / "site")
        return tool.Page(root / "docs/one.md", site).body


class Site(unittest.TestCase):
    def test_the_projects_pages(self):
        with tempfile.TemporaryDirectory(prefix="ulna-site-") as folder:
            out = pathlib.Path(folder, "site")
            done = subprocess.run([sys.executable, "-B", ROOT / "tools/site", out], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages = {path: Reader(path.read_text(encoding="utf-8")) for path in out.rglob("*.html") if "api" not in path.parts}
            sources = list((ROOT / "docs").rglob("*.md"))
            self.assertEqual(len(pages), len(sources) + 3)
            for path, page in pages.items():
                for link in page.links:
                    self.assertFalse(link.startswith(("/", "file:")), link)
                    if link.startswith(("http:", "https:", "mailto:")):
                        continue
                    file, _, anchor = link.partition("#")
                    target = (path.parent / file).resolve() if file else path
                    self.assertTrue(target.exists(), f"{path}: {link}")
                    if anchor and target in pages:
                        self.assertIn(anchor, pages[target].ids, f"{path}: {link}")
                self.assertNotIn("```", page.text, path)
                self.assertNotRegex(page.text, r"\]\([\w./#-]+\.md", path)
            for name in ("style.css", "search.js"):  # nothing is fetched
                self.assertNotRegex((out / name).read_text(encoding="utf-8"), r"https?:|@import|fetch\(")
            sections = json.loads((out / "sections.js").read_text(encoding="utf-8").removeprefix("const ULNA_SECTIONS = ").rstrip(";\n"))
            for page, _, _, anchor, _ in sections:
                self.assertTrue(not anchor or anchor in pages[(out / page).resolve()].ids, (page, anchor))
            reached, todo = set(), [(out / "index.html").resolve()]
            while todo:
                path = todo.pop()
                if path in pages and path not in reached:
                    reached.add(path)
                    todo += [(path.parent / link.partition("#")[0]).resolve() for link in pages[path].links if ":" not in link]
            self.assertEqual(reached, set(pages))
            # Made anew over itself; never over another folder.
            self.assertEqual(subprocess.run([sys.executable, "-B", ROOT / "tools/site", out], capture_output=True, check=False).returncode, 0)
            other = pathlib.Path(folder, "other")
            other.mkdir()
            (other / "mine.txt").write_text("mine")
            self.assertNotEqual(subprocess.run([sys.executable, "-B", ROOT / "tools/site", other], capture_output=True, check=False).returncode, 0)
            self.assertEqual((other / "mine.txt").read_text(), "mine")
            if NODE:
                script = f"{(out / 'sections.js').read_text(encoding='utf-8')}\nconst find = require({json.dumps(str(out / 'search.js'))});\n" \
                         "console.log(JSON.stringify([find(ULNA_SECTIONS, 'sine cosine', 3), find(ULNA_SECTIONS, 'nosuchword', 3), find(ULNA_SECTIONS, '  ', 3), find(ULNA_SECTIONS, 'joint', 5)]));\n"
                pathlib.Path(folder, "try.js").write_text(script, encoding="utf-8")
                first, nothing, blank, many = json.loads(subprocess.run([NODE, str(pathlib.Path(folder, "try.js"))], capture_output=True, text=True, check=True).stdout)
                self.assertEqual((first[0]["page"], first[0]["anchor"]), ("dynamics.html", "sine-and-cosine"))
                self.assertEqual((nothing, blank, len(many)), ([], [], 5))

    def test_blocks(self):
        self.assertEqual(body("a <b> & `x<y`, **bold**, *slanted*, 2 * 3 * 4, \\*no\\*"),
                         "<p>a &lt;b&gt; &amp; <code>x&lt;y</code>, <b>bold</b>, <i>slanted</i>, 2 * 3 * 4, *no*</p>")
        self.assertEqual(body("```sh\nulna <x> # [no](link.md)\n\n  | no | table |\n```"), "<pre><code>ulna &lt;x&gt; # [no](link.md)\n\n  | no | table |</code></pre>")
        self.assertEqual(body("# One\n\n## One\n\n## One `two`, three"), '<h1 id="one">One</h1>\n<h2 id="one-1">One</h2>\n<h2 id="one-two-three">One <code>two</code>, three</h2>')
        self.assertEqual(body("| a | b |\n|---|--:|\n| `x|y`, p \\| q | [w](README.md#pages) |"),
                         '<div class="wide"><table><thead><tr><th>a</th><th style="text-align:right">b</th></tr></thead><tbody><tr><td><code>x|y</code>, p | q</td>'
                         '<td style="text-align:right"><a href="index.html#pages">w</a></td></tr></tbody></table></div>')
        self.assertEqual(body("- one\n  more\n  - inner\n- two\n\n  second\n\n1. first\n2. next\n\nafter"),
                         "<ul><li>one\nmore\n<ul><li>inner</li></ul></li><li>two\n<p>second</p></li></ul>\n<ol><li>first</li><li>next</li></ol>\n<p>after</p>")
        self.assertEqual(body("|x| is no table\nand goes on"), "<p>|x| is no table\nand goes on</p>")
        self.assertEqual(body("before<!-- a\nmark -->after\n\n<!-- block -->\ntext"), "<p>beforeafter</p>\n<p>text</p>")
        self.assertEqual(body("$m_{1} l_{c1}^2 \\tau$"), "<p><i>m<sub>1</sub> l<sub>c1</sub><sup>2</sup> τ</i></p>")
        self.assertIn('src="figures/x.svg"', body("![x](figures/x.svg)", **{"docs/figures/x.svg": "<svg/>"}))

    def test_faults_are_told(self):
        for text, said in [("[x](none.md)", "docs/one.md: 'none.md' leads nowhere"), ("[x](README.md#nothing)", "docs/README.md has no heading 'nothing'"),
                           ("```\nx", "docs/one.md: line 1: a block of code does not end"), ("| a |\n| b |", "docs/one.md: line 1: a table without a rule below its head"),
                           ("| a | b |\n|---|---|\n| c |", "docs/one.md: line 3: 1 cells in a table of 2 columns"), ("[x](../../outside)", "leads nowhere")]:
            with project({"docs/one.md": text}) as folder:
                root = pathlib.Path(folder).resolve()
                site = tool.Site(root, root / "site")
                site.write()
                self.assertTrue(any(said in fault for fault in site.faults), (text, site.faults))
                self.assertFalse((root / "site").exists())


if __name__ == "__main__":
    unittest.main()
