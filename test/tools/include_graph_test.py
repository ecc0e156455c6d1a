#!/usr/bin/env python3
"""tools/include_graph: what it says of this project, and that it sees each kind of fault in a small one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / 'tools/include_graph'
TABLE = '''
| `low/` | numbers | nothing |
| `middle/` | robots | low; pugixml |
| `high/` | pages | middle |
| `apps/cli/` | the program | all above |
'''


def run(root):
    done = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def verdict(files, table=TABLE):
    """Of a project with these files; low/number.hpp is installed, middle/robot.hpp is not."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {'docs/design.md': table, 'include/ulna/low/number.hpp': '', 'src/middle/robot.hpp': '#include <ulna/low/number.hpp>\n', **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return run(root)


class IncludeGraph(unittest.TestCase):
    def test_this_project(self):
        self.assertEqual(run(ROOT), (0, 'every include is as docs/design.md says\n'))

    def test_upward_is_right_however_far(self):
        self.assertEqual(verdict({'src/high/page.cpp': '#include <ulna/low/number.hpp>\n#include "middle/robot.hpp"\n#include <vector>\n'})[0], 0)

    def test_downward(self):
        status, text = verdict({'src/low/number.cpp': '// first line\n#include "middle/robot.hpp"\n'})
        self.assertEqual((status, text), (1, 'src/low/number.cpp:2: low/ includes middle/robot.hpp, but does not depend on middle/\n'))

    def test_an_installed_header_with_one_that_is_not(self):
        status, text = verdict({'include/ulna/high/page.hpp': '#include "middle/robot.hpp"\n'})
        self.assertEqual((status, text), (1, 'include/ulna/high/page.hpp:1: middle/robot.hpp is not installed\n'))

    def test_more_than_forty_headers(self):
        status, text = verdict({f'include/ulna/low/number{k}.hpp': '' for k in range(40)} | {'src/low/a.cpp': '#include <ulna/low/number.hpp>\n'})
        self.assertEqual((status, text), (1, 'include/: 41 headers are installed; there may be 40\n'))

    def test_an_example_with_a_header_that_is_not_installed(self):
        self.assertIn('middle/robot.hpp is not installed', verdict({'examples/first.cpp': '#include "middle/robot.hpp"\n'})[1])

    def test_a_program_with_a_private_header_other_than_its_interface(self):
        table = TABLE.replace('| `apps', '| `programs/` | the interface | all above |\n| `apps') + '| `python/` | the module | all above |\n'
        interface = {'src/programs/interface.hpp': '#include "middle/robot.hpp"\n'}
        for program in ('apps/cli/main.cpp', 'python/src/module.cpp'):
            right = {program: '#include <ulna/low/number.hpp>\n#include "programs/interface.hpp"\n'}
            self.assertEqual(verdict({**interface, **right}, table)[0], 0)
            for line in ('#include "middle/robot.hpp"', '#include <middle/robot.hpp>', '#include "../../src/middle/robot.hpp"'):
                status, text = verdict({**interface, program: line + '\n'}, table)
                self.assertEqual(status, 1)
                self.assertIn(f'{program}:1: ', text)
                self.assertIn('middle/robot.hpp is private; programs include programs/interface.hpp instead\n', text)

    def test_an_installed_header_that_opens_private_names(self):
        for line in ('using namespace internal;', '  using namespace ::ulna::internal;', 'namespace ulna { using namespace internal::jit; }', 'inline namespace internal {'):
            status, text = verdict({'include/ulna/high/page.hpp': f'// first line\n{line}\n'})
            self.assertEqual((status, text), (1, f'include/ulna/high/page.hpp:2: an installed header makes private names public: {line.strip()}\n'))
        self.assertEqual(verdict({'include/ulna/high/page.hpp': '// no using namespace internal\n', 'src/high/page.cpp': 'using namespace internal;\n#include "middle/robot.hpp"\n'})[0], 0)

    def test_an_installed_header_with_a_private_one_of_its_own_folder(self):
        self.assertIn('middle/robot.hpp is not installed', verdict({'include/ulna/middle/model.hpp': '#include "middle/robot.hpp"\n'})[1])

    def test_a_library_of_others_where_the_row_does_not_name_it(self):
        self.assertEqual(verdict({'src/middle/read.cpp': '#include <pugixml.hpp>\n'})[0], 0)
        self.assertEqual(verdict({'src/high/page.cpp': '#include <pugixml.hpp>\n'})[0], 1)

    def test_a_folder_that_is_not_in_the_table(self):
        self.assertIn('new/ is not in the table', verdict({'src/new/thing.cpp': ''})[1])

    def test_a_row_that_depends_on_one_below(self):
        self.assertEqual(verdict({}, '| `low/` | x | middle |\n| `middle/` | y | nothing |\n')[0], 1)

    def test_nothing_to_check(self):
        self.assertEqual(verdict({}, 'no table')[0], 1)


if __name__ == '__main__':
    unittest.main()
