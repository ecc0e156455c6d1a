#!/usr/bin/env python3
"""docs/papers.md names every numbered equation of the five papers, and nothing that is not there.

  papers_page_test.py PROGRAM

PROGRAM is `ulna`: it lists the formulations and tables, and runs every command of the page.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / 'docs/papers.md'
PROGRAM = str(pathlib.Path(sys.argv.pop()).resolve()) if len(sys.argv) > 1 else 'ulna'


def count(prefix, first, last):
    return [f'{prefix}{k}' for k in range(first, last + 1)]


def with_parts(number, parts):
    return [number] + count(number + '.', 1, parts)


# Numbers of the papers' equations, in their order.
NUMBERS = {
    'Turney, Mudge & Lee 1980': count('1.', 1, 28) + count('2.', 1, 11) + count('3.', 1, 21) + count('4.', 1, 34) + count('5.', 1, 2),
    'Hollerbach 1980': count('', 1, 18) + count('A', 1, 13) + count('B', 1, 5),
    'Kane & Levinson 1983': count('', 1, 138),
    'Nasser 1990': count('2.1.', 1, 2) + with_parts('2.1.3', 2) + ['2.1.4'] + with_parts('2.1.5', 3) + with_parts('2.1.6', 2) + with_parts('2.1.7', 6)
                   + count('2.1.', 8, 12) + with_parts('2.1.13', 3) + count('2.1.', 14, 18) + with_parts('2.1.19', 7) + ['2.1.20']
                   + count('2.2.', 1, 7) + count('2.3.', 1, 4) + count('A.1.', 1, 3) + count('A.2.', 1, 5),
    'Lin 1991': count('', 1, 67) + count('A', 1, 15),
}
SECTIONS = {
    'Turney, Mudge & Lee 1980': ['0', '1', '2', '3', '4', '5', '6', '7', '8', 'appendix'],
    'Hollerbach 1980': ['introduction', 'Uicker/Kahn', 'backward recursion', 'forward recursion', '3×3 matrices', 'Newton–Euler', 'configuration space', 'conclusion',
                        'appendix A', 'appendix B'],
    'Kane & Levinson 1983': ['1', '2', '3', 'appendix 1', 'appendix 2', 'appendix 3', 'appendix 4'],
    'Nasser 1990': ['1', '2.1.1', '2.1.2', '2.2', '2.3', '3.1, 3.2', '3.3', '4', 'appendix'],
    'Lin 1991': ['introduction', 'inertia matrix', 'bias', 'algorithm', 'conclusion', 'appendix'],
}


def rows(text):
    """paper -> its rows, each a list of five cells."""
    found, paper = {}, None
    for line in text.splitlines():
        if line.startswith('## '):
            paper = line[3:]
            found[paper] = []
        elif paper and line.startswith('| ') and not line.startswith('| section'):
            found[paper].append([cell.strip() for cell in line.strip().strip('|').split('|')])
    return found


def expand(cell, numbers):
    """'1–3, 5' -> ['1', '2', '3', '5'], along the paper's own order; a number that the paper does not have raises ValueError."""
    named = []
    for part in filter(None, (p.strip() for p in cell.split(','))):
        first, _, last = part.partition('–')
        named += numbers[numbers.index(first):numbers.index(last or first) + 1]
    return named


def missing_and_doubled(table, numbers):
    named = [number for row in table for number in expand(row[1], numbers)]
    return [n for n in numbers if n not in named], sorted({n for n in named if named.count(n) > 1})


def code(cell):
    return re.findall(r'`([^`]+)`', cell)


def file_of(name):
    """A file of the project that a cell names, or None where it names no file. A name without a folder is one of src/formulation."""
    if not re.fullmatch(r'[\w./-]+', name) or not ('/' in name or re.search(r'\.(hpp|cpp)$', name)):
        return None
    return ROOT / name if '/' in name else ROOT / 'src/formulation' / name


def faults_of_places(cell):
    """Files that are not there, and names in brackets behind a file that are not in it."""
    faults = []
    for name, inside in re.findall(r'`([^`]+)`(?: \(([^)]*)\))?', cell):
        file = file_of(name)
        if file is None:
            continue
        if not file.exists():
            faults.append(f'{name}: there is no such file')
        else:
            faults += [f'{name}: it has no {part}' for part in code(inside) if not re.search(rf'\b{re.escape(part)}\b', file.read_text())]
    return faults


class PapersPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = PAGE.read_text(encoding='utf-8')
        cls.rows = rows(cls.text)
        cls.tests = {f'{suite}.{test}' for file in (ROOT / 'test').rglob('*.cpp') for suite, name in re.findall(r'TEST(?:_F|_P)?\((\w+), (\w+)\)', file.read_text()) for test in (name, '*')}

    def run_program(self, arguments):
        with tempfile.TemporaryDirectory(prefix='ulna-papers-') as folder:  # for what a command writes
            return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False)

    def test_the_rules_see_faults(self):
        numbers = count('', 1, 4)
        self.assertEqual(missing_and_doubled([['', '1–2'], ['', '2, 4']], numbers), (['3'], ['2']))
        with self.assertRaises(ValueError):
            expand('3–5', numbers)
        self.assertEqual(faults_of_places('`lin.hpp` (`form_entries`, `form_eta`), `lim.hpp`'), ['lin.hpp: it has no form_eta', 'lim.hpp: there is no such file'])

    def test_every_section_and_equation_is_named_once(self):
        self.assertEqual(list(self.rows), list(NUMBERS))
        for paper, table in self.rows.items():
            for row in table:
                self.assertEqual(len(row), 5, row)
            self.assertEqual(missing_and_doubled(table, NUMBERS[paper]), ([], []), paper)
            named = {row[0] for row in table}
            self.assertEqual([s for s in SECTIONS[paper] if s not in named], [], paper)

    def test_only_closed_loops_are_missing(self):
        for table in self.rows.values():
            for row in table:
                if not code(row[4]):
                    self.assertRegex(' '.join(row), r'closed (loops|kinematic chains)')
                    self.assertTrue(row[3].startswith('not implemented'), row)
                else:
                    self.assertNotIn('not implemented', ' '.join(row))

    def test_every_row_has_a_command(self):
        for table in self.rows.values():
            self.assertEqual([row[:3] for row in table if not any(part.startswith('ulna ') for part in code(row[4]))], [])

    def test_files_and_what_they_hold_exist(self):
        faults = [fault for table in self.rows.values() for row in table for fault in faults_of_places(row[3])]
        self.assertEqual(faults, [])

    def test_pages_and_formulations_exist(self):
        listed = {row['id'] for row in json.loads(self.run_program(['formulations', '--json']).stdout)['formulations']}
        for target in re.findall(r'\]\(([^)]+)\)', self.text):
            self.assertTrue((PAGE.parent / target).exists(), target)
        for name, target in re.findall(r'\[([^\]]+)\]\(formulations/([^)]+)\.md\)', self.text):
            self.assertEqual(name, target)
            self.assertIn(name, listed)
        self.assertEqual(sorted(listed - set(re.findall(r'\(formulations/([^)]+)\.md\)', self.text))), [])  # and none is left out

    def test_tests_exist_and_commands_end_well(self):
        ran = {}
        for table in self.rows.values():
            for row in table:
                for shown in code(row[4]):
                    if not shown.startswith('ulna '):
                        self.assertIn(shown, self.tests)
                    elif shown not in ran:
                        ran[shown] = self.run_program(shlex.split(shown)[1:])
                        self.assertEqual(ran[shown].returncode, 0, f'{shown}\n{ran[shown].stderr}')
                        self.assertTrue(ran[shown].stdout.strip(), shown)
        self.assertGreater(len(ran), 30)


if __name__ == '__main__':
    unittest.main()
