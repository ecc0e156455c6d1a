// The program's commands, for `ulna` and `python -m ulna`.
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "../../apps/cli/run.hpp"
#include "robot.hpp"

namespace ulna::python {

namespace {

/// Arguments without the program's name, as bytes: names of files need not be UTF-8. The exit status.
int run_program(const nb::list& arguments) {
  std::vector<std::string> words{"ulna"};
  for (const nb::handle argument : arguments) {
    const auto word = nb::cast<nb::bytes>(argument);
    words.emplace_back(word.c_str(), word.size());
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const nb::gil_scoped_release release;
  return cli::run(static_cast<int>(argv.size()), argv.data());
}

}  // namespace

void bind_program(nb::module_& m) { m.def("run_program", &run_program); }

}  // namespace ulna::python
