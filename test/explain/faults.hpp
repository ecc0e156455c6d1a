// Faults that are put into robots on purpose, each with the cause that must be named.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ulna/explain/explain.hpp>
#include <ulna/source/load.hpp>

#include "explain/comparison.hpp"
#include "model/describe.hpp"

namespace ulna::test {

/// A fault in a file: what it does to the description, and how it must be called.
struct Fault {
  std::string name, robot, kind, where;
  std::function<void(Description&)> spoil;
};

/// At least one of every kind that a file can have, on robots of several shapes.
/// The second time elsewhere.
std::vector<Fault> file_faults(bool second = false);

/// A fault of a program: what it does to a trial, which knows how programs read their vectors; with the quantities it prints.
struct ProgramFault {
  std::string name, robot, kind, where;
  std::function<void(internal::Trial&)> spoil;
  bool torque = true, gravity = false, mass = false;
};
std::vector<ProgramFault> program_faults(bool second = false);

Link& link_of(Description& d, const std::string& name);
Joint& joint_of(Description& d, const std::string& name);
Model spoilt(const Model& model, const std::vector<std::function<void(Description&)>>& faults);
/// Thirty random ones.
Numbers some_states(const Model& model);
/// What the faulty program would have printed.
Numbers printed(const Model& model, const std::vector<std::function<void(internal::Trial&)>>& faults, bool torque, bool gravity, bool mass);
/// The causes, for messages.
std::string listing(const Explanation& e);

}  // namespace ulna::test
