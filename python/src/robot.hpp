// A robot as the Python package holds it, and how its problems look there.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/analysis.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::python {

namespace nb = nanobind;

/// Model itself has no default constructor and many friends; this is what Python owns.
struct RobotModel {
  RobotModel(Model read, std::vector<Diagnostic> told) : analysis(std::move(read)), diagnostics(std::move(told)) {}

  Analysis analysis;                    // everything that is asked of the robot shares it
  std::vector<Diagnostic> diagnostics;  // of loading: warnings, and what was passed unchecked
  const Model& model = analysis.model();

  /// What closes its loops, made when first asked for. Needs the GIL.
  const Mechanism& loops() const {
    if (loops_ == nullptr) loops_ = std::make_shared<const Mechanism>(Mechanism::of(model));
    return *loops_;
  }

 private:
  mutable std::shared_ptr<const Mechanism> loops_;
};

nb::object text(std::string_view value);
nb::list strings(const std::vector<std::string>& values);
nb::list problems(const std::vector<Diagnostic>& diagnostics);
nb::dict counts(const OperationCounts& counts);

/// Runs pending signal handlers; throws what they raise (KeyboardInterrupt). Needs the GIL.
void check_signals();

void bind_robot(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_derivatives(nb::module_& m);
void bind_verify(nb::module_& m);
void bind_count(nb::module_& m);
void bind_emit(nb::module_& m);
void bind_identify(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_simulate(nb::module_& m);
void bind_study(nb::module_& m);
void bind_program(nb::module_& m);
void bind_campaign(nb::module_& m);

}  // namespace ulna::python
