#include "verify/loop_states.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/dynamics/on_plan.hpp>

#include "loop/continuation.hpp"

namespace ulna::internal {

namespace {

// Positions are known to a rounding of metres and radians over the distance to the nearest singular assembly.
constexpr double kPositions = 1e-10;
// One in this many states is followed in small steps, too.
constexpr std::size_t kFollowed = 40;
// Of the pivots at the reference assembly: smaller ones lose digits that other orders of elimination keep.
constexpr double kSoundPivot = 1e-2;

}  // namespace

LoopStates::LoopStates(const Model& model, const Plan& plan, std::uint64_t seed)
    : model_(model),
      plan_(plan),
      ws_(plan),
      loops_(Mechanism::of(model)),
      turns_(periodic(plan)),
      sampler_(without_loops(model), seed),
      random_(seed),
      positions_{"continuation", Quantity::closure, true, {}, 0, kPositions, true} {
  pivots_ = pivots(model.reference());
}

std::vector<double> LoopStates::pivots(const std::vector<double>& q) {
  std::vector<double> out(row_of(Quantity::closure).size(plan_.sizes()));
  compute(Quantity::closure, plan_, ws_, {q.data()}, out.data());
  return {out.end() - static_cast<std::ptrdiff_t>(plan_.pivots()), out.end()};
}

bool LoopStates::next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
  std::vector<double> of_tree, rates, accelerations;
  sampler_.next(of_tree, rates, accelerations);
  const std::size_t base_q = base_nq(model_.base()), base_v = base_nv(model_.base());
  const bool far = sample_ % 2 == 1, guessed = sample_ % 4 >= 2;
  q = model_.reference();
  std::copy_n(of_tree.begin(), base_q, q.begin());
  v.clear(), a.clear();
  for (const std::size_t i : plan_.order.independent) {
    const bool of_base = i < base_v;
    v.push_back(of_base ? rates[i] : 2 * uniform()), a.push_back(of_base ? accelerations[i] : 5 * uniform());
    if (of_base) continue;
    const Joint& joint = model_.joints()[model_.independent()[i - base_v]];
    double& at = q[plan_.position_of(i)];
    at += (joint.type == JointType::prismatic ? 0.05 : 0.7) * uniform();
    if (joint.lower < joint.upper) at = std::clamp(at, joint.lower, joint.upper);
    if (far && turns_[i]) at += 2 * std::numbers::pi * std::round(Certificate::kWholeTurns * uniform());
  }
  ++sample_;
  if (!close(q, guessed)) return false;
  seen_.far += far ? 1 : 0;
  return true;
}

bool LoopStates::close(std::vector<double>& q, bool guessed) {
  const std::vector<std::size_t>& dependent = plan_.order.columns;
  if (guessed)
    for (const std::size_t i : dependent) q[plan_.position_of(i)] += turns_[i] ? std::numbers::pi * uniform() : 0;
  Closure closure = guessed ? loops_.close(q) : loops_.assemble(q);
  if (guessed) closure.crossed = false;  // a random guess stands for no circuit
  if (!closure.closed || closure.crossed || closure.singularity < Certificate::kNearSingular) {
    ++seen_.left_out;
    return false;
  }
  const std::vector<double> here = pivots(q);
  bool negative = false;
  for (std::size_t k = 0; k < here.size(); ++k) {
    if (!(std::fabs(here[k]) > kSoundPivot * std::fabs(pivots_[k]))) {
      ++seen_.not_sure;
      return false;
    }
    negative = negative != (here[k] * pivots_[k] < 0);
  }
  seen_.elsewhere += negative ? 1 : 0;
  if (!guessed && sample_ % kFollowed < 2) follow(q, closure.singularity);
  return true;
}

void LoopStates::follow(const std::vector<double>& to, double singularity) {
  constexpr double kStep = 0.01;
  const std::size_t base_q = base_nq(model_.base()), base_v = base_nv(model_.base());
  const std::vector<double> from = model_.reference();
  std::vector<double> way(from.size(), 0.0), q = from;
  double longest = 0;
  for (const std::size_t i : plan_.order.independent) {
    if (i < base_v) continue;
    const std::size_t k = plan_.position_of(i);
    way[k] = turns_[i] ? std::remainder(to[k] - from[k], 2 * std::numbers::pi) : to[k] - from[k];
    longest = std::max(longest, std::abs(way[k]));
  }
  const int steps = 1 + static_cast<int>(longest / kStep);
  for (int step = 1; step <= steps; ++step) {
    for (const std::size_t i : plan_.order.independent)
      if (i >= base_v) q[plan_.position_of(i)] = from[plan_.position_of(i)] + way[plan_.position_of(i)] * step / steps;
    std::copy_n(to.begin(), base_q, q.begin());
    const Closure closure = loops_.close(q);
    if (!closure.closed || closure.crossed) return;
  }
  double apart = 0;
  for (const std::size_t i : plan_.order.columns) {
    const std::size_t k = plan_.position_of(i);
    apart = std::max(apart, std::abs(turns_[i] ? std::remainder(to[k] - q[k], 2 * std::numbers::pi) : to[k] - q[k]));
  }
  positions_.max_relative_difference = std::max(positions_.max_relative_difference, apart * singularity);
  positions_.agree = positions_.max_relative_difference <= positions_.tolerance;
}

}  // namespace ulna::internal
