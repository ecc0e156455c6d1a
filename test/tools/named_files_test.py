#!/usr/bin/env python3
"""A file that a comment names exists, and every place that states the version states the same one."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = re.compile(r'(?<![\w./<$*{}-])((?:[\w.-]+/)*[\w-]+\.(?:hpp|cpp|cmake|py|md))\b(?!\()')


FOLDERS = ('apps', 'bench', 'cmake', 'docs', 'examples', 'fuzz', 'include', 'python', 'src', 'test', 'tools', 'web')


def all_files():
    return [p.relative_to(ROOT).as_posix() for folder in FOLDERS for p in (ROOT / folder).rglob('*') if p.is_file()] + [p.name for p in ROOT.glob('*.*')]


def named(text):
    """Names of files in the comments of C++; addresses of pages elsewhere are left out."""
    comments = [line.partition('//')[2] for line in text.splitlines() if '//' in line and '://' not in line]
    return [name for comment in comments for name in NAME.findall(comment)]


def ends_of(path):
    parts = path.split('/')
    return {'/'.join(parts[k:]) for k in range(len(parts))}


class NamedFiles(unittest.TestCase):
    def test_names_are_seen(self):
        self.assertEqual(named('int a;  // see robot/state.hpp\n// https://a.org/b.py\nx = "c.cpp";'), ['robot/state.hpp'])

    def test_they_exist(self):
        files = all_files()
        known = set().union(*map(ends_of, files))
        folders = {part for file in files for part in file.split('/')[:-1]}
        missing = [(file, name) for file in files if re.match(r'(apps|bench|examples|fuzz|include|src|test)/.*\.[ch]pp$', file)
                   for name in named((ROOT / file).read_text()) if name not in known and ('/' not in name or name.split('/')[0] in folders)]
        self.assertEqual(missing, [])

    def test_the_version_is_one(self):
        def first(file, pattern):
            return re.search(pattern, (ROOT / file).read_text(), re.M)[1]
        version = first('CMakeLists.txt', r'project\(ulna VERSION ([\d.]+)')
        self.assertEqual(first('pyproject.toml', r'^version = "([\d.]+)"'), version)
        self.assertEqual(first('CITATION.cff', r'^version: ([\d.]+)'), version)
        self.assertEqual(first('CHANGELOG.md', r'^## ([\d.]+)'), version)
        self.assertEqual(first('packaging/vcpkg/ulna/vcpkg.json', r'"version": "([\d.]+)"'), version)


if __name__ == '__main__':
    unittest.main()
