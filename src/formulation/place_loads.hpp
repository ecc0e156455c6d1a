// Wrenches on links and the motion of the root link, as the loads of the form in which a formulation describes the robot.
#pragma once

#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/plan/plan.hpp>

#include "formulation/loads.hpp"

namespace ulna::internal {

class LoadsInForm {
 public:
  /// `plan`: of the same robot; its bodies are the links of every form.
  LoadsInForm(const Plan& plan, const Prepared& prepared, Frames frames);

  /// At the coordinates q of the plan. Good until the next call. O(n) where a wrench is given in world axes, else by the number of wrenches.
  /// Where, and in which axes of it, loads of a body act.
  const Pose<double>& frame(std::size_t body) const { return X_BF_[body]; }
  Loads<double> at(const Plan& plan, const double* q, const Effects& effects);

 private:
  Pose<double> X_W0_;               // the form's base in the root link
  std::vector<Pose<double>> X_BF_;  // where the loads of each body act, and in which axes
  Workspace workspace_;
  std::vector<LinkLoad<double>> links_;
};

}  // namespace ulna::internal
