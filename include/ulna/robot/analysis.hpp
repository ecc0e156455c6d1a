// Expensive results for one robot, computed on first use and shared by everything that works on the robot.
//
//   const ulna::Analysis robot(ulna::load("panda.urdf"));
//   ulna::generate(robot, {.what = {"inverse"}});           // searches for the fewest operations
//   const ulna::Dynamics dynamics(robot);                   // machine code of what that search found
//
// Functions that take an Analysis take a Model as well: an analysis of its own. Objects are cheap to copy, and copies share their results. Calls from
// several threads are safe: the first call computes a result, the others wait for it. Results equal those of a new analysis, bit for bit.
#pragma once

#include <memory>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/trace/best.hpp>

namespace ulna ULNA_API {

class Analysis {
 public:
  Analysis(Model model);  // NOLINT(google-explicit-constructor): a model is an analysis without results

  const Model& model() const;  // The robot.

  // References stay valid as long as the object, or a copy, exists.

  /// As make_plan() makes it.
  const Plan& plan(const PlanOptions& options = {}) const;
  /// As find_best() finds it.
  const Best& best(Quantity quantity, const SearchOptions& options = {}) const;
  /// Objects whose options differ in friction, threads and check only share their machine code.
  template <class T = double>
  const DynamicsOf<T>& dynamics(const DynamicsOptions& options = {}) const;

 private:
  template <class T>
  friend class DynamicsOf;
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace ULNA_API
