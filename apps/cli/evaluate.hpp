// What all commands that compute share: load, plan, run over the states, print as text, CSV or JSON.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/ulna.hpp>

#include "features.hpp"
#include "results.hpp"
#include "states.hpp"

namespace ulna::cli {

/// Everything one evaluation needs, made once and shared by all threads.
struct Setup {
  Robot robot;
  Plan plan;
  Effects effects;
  std::vector<Wrench> wrenches;                 // effects.wrenches views this
  std::vector<std::string> names;               // of the joints that move
  std::shared_ptr<const Speeds> speeds = {};    // of the formulation
  bool springs = false;                         // and gravity compensation act
  bool loaded = false;                          // something acts besides the drives: wrenches, a base that moves
  std::optional<Dynamics> dynamics = {};        // unless a formulation of the papers computes a tree
  std::unique_ptr<Dependents> dependents = {};  // of a robot with loops
};

/// One state after the other, `size` results each. F takes a StateView and where its row begins.
template <class F>
Compute one_by_one(std::size_t size, F f) {
  return [size, f = std::move(f)](const StateBlock& states, double* rows) mutable {
    for (std::size_t k = 0; k < states.count; ++k) f(states.at(k), rows + k * size);
  };
}

/// A state in the form of a quantity's row.
inline InputsOf<double> inputs(const StateView& state) { return {state.q, state.v, state.tau != nullptr ? state.tau : state.a}; }

/// By Dynamics, under what acts on the robot.
Compute by_dynamics(const Setup& setup, Quantity quantity, ForwardMethod method = ForwardMethod::automatic);

/// How far rounding may take the numbers of quantities, one after the other.
struct RoundedQuantity {
  Quantity quantity;
  std::size_t link = kNone;
};
MakeCompute roundings(const Setup& setup, const std::vector<RoundedQuantity>& quantities);

/// What a command computes; what it reads and which options it takes follow from the quantity's row.
struct Computation {
  Quantity quantity;
  Result (*prepare)(Setup&, const Arguments&);
};

/// Whether there is a formulation of a paper to choose for it.
bool given_by_papers(Quantity quantity);

/// Whether the wrenches that joints transmit are available with it.
bool transmits(Quantity quantity);

std::vector<Option> evaluation_options(const Computation& computation);
int evaluate(const Arguments& arguments, const Computation& computation);

/// Numbers of v, a and tau.
inline std::size_t nv(const Setup& setup) { return setup.robot.model.nv(); }
/// How many of them are the base's.
inline std::size_t base_size(const Setup& setup) { return base_nv(setup.robot.model.base()); }

/// N m for a turning, N for a sliding coordinate; likewise with other endings. Coordinates count the base's.
std::string effort_unit(const Setup& setup, std::size_t coordinate);
std::string acceleration_unit(const Setup& setup, std::size_t coordinate);

/// The result of a command that yields one number per coordinate: `name` has those of the joints, `base_name` those of a base that moves.
struct PerCoordinate {
  std::string name, base_name;
  std::vector<std::string> (Model::*names)() const;
  std::string (*unit)(const Setup&, std::size_t);
};
Result per_coordinate(const Setup& setup, const PerCoordinate& what);

/// The formulation that --formulation names, ready to run on one thread; null when none is named.
std::shared_ptr<FormulationOnModel> chosen_formulation(const Setup& setup, const Arguments& arguments, Quantity quantity);

/// Which states that formulation takes; for Result::make_check.
std::function<StateCheck()> formulation_check(const Setup& setup, const Arguments& arguments, Quantity quantity);

/// The link that --link names, or all of them.
std::vector<std::size_t> chosen_links(const Setup& setup, const Arguments& arguments);

}  // namespace ulna::cli
