// The extension module ulna._core. What people call is in the package's Python files; this hands arrays and texts to the C++ library and back.
#include <nanobind/nanobind.h>

#include <ulna/version.hpp>

#include "robot.hpp"

NB_MODULE(_core, m) {
  nanobind::set_leak_warnings(false);  // robots that live until the interpreter ends are no news to the user
  m.attr("version") = ULNA_VERSION;
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
