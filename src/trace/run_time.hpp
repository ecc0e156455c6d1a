// Masses that are known only when the code runs: a load, masses of links, or all of their inertial parameters.
//
// Joint torques are linear in mass, first and second moments (m, h, S) of every link, and so is what lumping makes of them: the lumped numbers of a plan whose
// frames stay where they are are base + rates π. A function folds π into the table of those lumped numbers that change; programs take the table as an input.
#pragma once

#include <string>
#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/model/model.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna::internal {

/// What is known at run time only.
struct RunTimeInput {
  enum Kind {
    payload,  // 10 numbers of a load on the link: mass, mass centre, inertia about it (xx, yy, zz, xy, xz, yz), in the link's axes
    mass,     // the link's mass; mass centre and inertia about it stay
    body      // 10 numbers of the link itself, as of a load
  };
  Kind kind;
  std::size_t link;

  std::size_t size() const { return kind == mass ? 1 : 10; }
  std::string name() const;
};

/// Inputs by their names: "payload" (on `link`), "masses", "all". Throws std::invalid_argument for others, and where nothing can change.
std::vector<RunTimeInput> run_time_inputs(const Model& model, const std::vector<std::string>& names, std::size_t link);

class RunTimeTable {
 public:
  /// `lumped` gives the plan of the robot with more inertia on a link, lumped, always in the same frames: an addition of (m, h, S) in the link's axes.
  template <class Lumped>
  RunTimeTable(const Model& model, std::vector<RunTimeInput> inputs, const Lumped& lumped);

  std::size_t size() const { return rows_.size(); }
  /// The plan with elements of the table, graph inputs, in place of numbers.
  PlanOf<Expr> symbolic(const Plan& plan, const std::vector<Expr>& table) const;
  /// Inputs one signal after the other, output "table".
  Program fold(const Model& model) const;

 private:
  void add(const Plan& base, const std::vector<Plan>& changed);
  std::vector<RunTimeInput> inputs_;
  std::vector<std::size_t> links_;  // of `inputs_`, each once
  struct Row {
    std::size_t number;  // of the plan's lumped ones
    double base;
    std::vector<double> rates;  // by (m, h, S) of each of `links_`, ten each
  };
  std::vector<Row> rows_;
};

template <class Lumped>
RunTimeTable::RunTimeTable(const Model& model, std::vector<RunTimeInput> inputs, const Lumped& lumped) : inputs_(std::move(inputs)) {
  (void)model;
  for (const RunTimeInput& input : inputs_)
    if (links_.empty() || links_.back() != input.link) links_.push_back(input.link);
  std::vector<Plan> changed;
  for (const std::size_t link : links_)
    for (int k = 0; k < 10; ++k) {
      PseudoInertia<double> unit{};
      double* const numbers[] = {&unit.m, &unit.h.x, &unit.h.y, &unit.h.z, &unit.S.xx, &unit.S.yy, &unit.S.zz, &unit.S.xy, &unit.S.xz, &unit.S.yz};
      *numbers[k] = 1;
      changed.push_back(lumped(link, unit));
    }
  add(lumped(kNone, PseudoInertia<double>{}), changed);
}

}  // namespace ulna::internal
