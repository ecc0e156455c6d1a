#!/usr/bin/env python3
"""Code asks a formulation for its facts, never for its name: no id of the registry, and none of a printed table, is compared with outside the files of its list."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def ids():
    rows = [m for file in (ROOT / 'src/formulation').glob('*.cpp') for m in re.findall(r'(?:row\.id = |paper_row<[^()]*>\()"([^"]+)"', file.read_text())]
    return rows, re.findall(r'\btable\(\s*"([^"]+)"', (ROOT / 'src/count/published.cpp').read_text())


def comparisons(text, names):
    """Lines that compare something with one of the names, or look a formulation up by one."""
    name = '"(?:' + '|'.join(map(re.escape, names)) + ')"'
    fault = re.compile(rf'[=!]= ?{name}|{name} ?[=!]=|(?:find_formulation|formulation_named)\({name}')
    return [line.strip() for line in text.splitlines() if fault.search(line)]


class FormulationIds(unittest.TestCase):
    def test_lists_are_found(self):
        rows, tables = ids()
        self.assertIn('lin', rows)
        self.assertIn('ulna', rows)
        self.assertTrue({'turney-1', 'hollerbach-2', 'lin-frames', 'kane'} <= set(tables), tables)
        self.assertEqual(len(rows), len(set(rows)))

    def test_faults_are_seen(self):
        for line in ['if (row.id == "lin") return;', 'if ("lin" != id)', 'const Formulation* row = find_formulation("lin");', 'formulation_named("lin").cost()']:
            self.assertEqual(comparisons(line, ['ulna', 'lin']), [line])
        self.assertEqual(comparisons('out.push_back({"lin", row.id == other.id});', ['lin']), [])

    def test_this_project(self):
        rows, tables = ids()
        faults = []
        for top in ('src', 'apps', 'python/src', 'include'):
            for file in sorted((ROOT / top).rglob('*.[ch]pp')):
                if not file.is_relative_to(ROOT / 'src/formulation'):
                    faults += [f'{file.relative_to(ROOT)}: {line}' for line in comparisons(file.read_text(), rows + tables)]
        # In a benchmark "ulna" is a library among others.
        self.assertEqual([fault for fault in faults if not re.search('library [=!]= "ulna"', fault)], [])


if __name__ == '__main__':
    unittest.main()
