// What is expensive about one robot, made when first asked for and kept: everything that works on the robot shares it.
//
//   const ulna::Analysis robot(ulna::load("panda.urdf"));
//   ulna::generate(robot, {.what = {"inverse"}});           // searches for the fewest operations
//   const ulna::Dynamics dynamics(robot);                   // machine code of what that search found
//
// Functions that take an Analysis take a Model as well: an analysis that nobody else has part in. Objects are cheap to copy, and copies share. Several threads
// may ask at once; whoever asks first makes what is asked for, the others wait for it. Results are those of a robot that is analysed anew, bit for bit.
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
  Analysis(Model model);  // NOLINT(google-explicit-constructor): a model is an analysis that has not begun

  const Model& model() const;  // The robot.

  // References stay good as long as the object, or a copy, is there.

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
