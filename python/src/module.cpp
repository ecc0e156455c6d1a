// The extension module ulna._core. What people call is in the package's Python files; this hands arrays and texts to the C++ library and back.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <ulna/version.hpp>

#include <exception>
#include <stdexcept>

#include "robot.hpp"
#include "words.hpp"

namespace {

/// What the library refuses, in Python's words.
void refuse(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const std::invalid_argument& refused) {
    PyErr_SetString(PyExc_ValueError, ulna::python::python_words(refused.what()).c_str());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  nanobind::register_exception_translator(&refuse);
  nanobind::set_leak_warnings(false);  // robots that live until the interpreter ends are no news to the user
  m.attr("version") = ULNA_VERSION;
  m.def("words", &ulna::python::python_words, nanobind::arg("message"));
  ulna::python::bind_robot(m);
  ulna::python::bind_dynamics(m);
  ulna::python::bind_derivatives(m);
  ulna::python::bind_verify(m);
  ulna::python::bind_explain(m);
  ulna::python::bind_count(m);
  ulna::python::bind_emit(m);
  ulna::python::bind_identify(m);
  ulna::python::bind_simulate(m);
  ulna::python::bind_study(m);
  ulna::python::bind_program(m);
  ulna::python::bind_campaign(m);
}
