#include "verify/implementations.hpp"

#include <algorithm>
#include <cmath>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// Of floats, over that of doubles.
double roundoff(bool single) { return single ? unit_roundoff(Precision::single) / unit_roundoff(Precision::full) : 1; }

std::vector<double> held(std::vector<double> numbers) {
  for (double& x : numbers) x = static_cast<float>(x);
  return numbers;
}

/// Accelerations put back into the equations: what is left of M a + bias - tau, over the size of its terms. What |M⁻¹| makes of rounding is no part of it, so
/// that an error shows among floats, too, where it would drown in that.
double residual(const Bounds& exact, const std::vector<double>& tau, const std::vector<double>& a) {
  const std::size_t n = tau.size();
  std::vector<double> left(n), bound = exact.torque_bound;
  for (std::size_t i = 0; i < n; ++i) {
    long double sum = exact.bias[i] - tau[i];
    for (std::size_t j = 0; j < n; ++j) {
      sum += exact.M[i * n + j] * a[j];
      bound[i] += exact.mass_bound[i + j * n] * std::abs(a[j]);
    }
    left[i] = static_cast<double>(sum);
  }
  return largest_difference(left, std::vector<long double>(n, 0), bound);
}

}  // namespace

ImplementationChecks::ImplementationChecks(const Model& model, const VerifyOptions& options) : plan_(make_plan(model, {.snap = options.snap})) {
  if (!options.implementations) return;
  const std::vector<std::shared_ptr<Implementation>> all = options.implementations();
  const Effects effects = options.effects();
  for (const Quantity quantity : formulated_quantities())
    for (const std::shared_ptr<Implementation>& it : all) {
      const double tolerance = verify_tolerance(std::max<std::size_t>(model.nv_tree(), 1)) * roundoff(it->single());
      FormulationCheck check{it->id(), quantity, false, it->why_not(quantity), 0, tolerance, false, {}, it->needs_compiler()};
      if (check.why_not.empty() && acting_loads(quantity, effects).any())
        check.why_not = "it is compiled without wrenches and base motion: the templates compute under them";
      check.applies = check.why_not.empty();
      if (check.applies) check.note = it->note(quantity);
      singles_ = singles_ || (check.applies && it->single());
      rows_.push_back({it, std::move(check)});
    }
}

/// Inertias of 1e-40 kg m² have no inverse among floats.
bool ImplementationChecks::floats_hold(Quantity quantity, const State& state) {
  if (plan_.closed()) return true;  // their bound is not known
  if (!floats_) floats_.emplace(plan_, Precision::single);
  const Rounding::Results& results = floats_->of(quantity, plan_, state.q, state.v, row_of(quantity).takes("tau") ? state.tau : state.a);
  return std::all_of(results.error.begin(), results.error.end(), [](double error) { return std::isfinite(error); });
}

void ImplementationChecks::compare(Row& row, const State& state) {
  const Bounds& exact = state.exact;
  double worst = 0;
  const auto run = [&](Quantity quantity) {
    const InputsOf<double> in{state.q.data(), state.v.data(), row_of(quantity).takes("tau") ? state.tau.data() : state.a.data()};
    const Bounds::Exact wanted = exact.of(quantity);
    row.implementation->run(quantity, in, [&](const std::vector<double>& got) {
      worst = std::max(worst, quantity == Quantity::forward ? residual(exact, state.tau, got) : largest_difference(got, wanted.value, wanted.bound));
    });
  };
  run(row.check.quantity);
  const bool in_doubt = worst > row.check.tolerance && row.implementation->single();
  if (in_doubt && row_of(row.check.quantity).takes("tau") && !pivots_hold(exact.M, state.v.size(), Precision::single))
    ++row.singular;
  else if (in_doubt && !floats_hold(row.check.quantity, state))
    ++row.beyond;
  else
    ++row.compared, row.check.max_relative_difference = std::max(row.check.max_relative_difference, worst);
}

void ImplementationChecks::add(const Reference& reference, const Terms& terms, const Bounds& exact, const std::vector<double>& q, const std::vector<double>& v,
                               const std::vector<double>& a) {
  const State state{exact, q, v, a, {exact.tau.begin(), exact.tau.end()}};
  for (Row& row : rows_)
    if (row.check.applies && !row.implementation->single()) compare(row, state);
  if (!singles_) return;
  const std::vector<double> qf = held(q), vf = held(v), af = held(a);
  const Bounds there(reference, terms, qf, vf, af);
  const State rounded_state{there, qf, vf, af, held({there.tau.begin(), there.tau.end()})};
  for (Row& row : rows_)
    if (row.check.applies && row.implementation->single()) compare(row, rounded_state);
}

std::vector<FormulationCheck> ImplementationChecks::rows(Quantity quantity) const {
  std::vector<FormulationCheck> out;
  for (const Row& row : rows_) {
    if (row.check.quantity != quantity) continue;
    out.push_back(row.check);
    FormulationCheck& check = out.back();
    if (row.beyond + row.singular > 0 && row.compared == 0) {
      check.applies = false;
      check.why_not = row.singular > 0 ? "not for floats: a pivot of M is rounding in floats" : "its numbers leave the range of floats in all of the states";
      check.note.clear();
      continue;
    }
    check.agree = check.applies && check.max_relative_difference <= check.tolerance;
    if (row.singular > 0)
      check.note += cat(check.note.empty() ? "" : "; ", "a pivot of M is rounding in floats in ", row.singular, " of the states, which were left out");
    if (row.beyond > 0)
      check.note += cat(check.note.empty() ? "" : "; ", "its numbers leave the range of floats in ", row.beyond, " of the states, which were left out");
  }
  return out;
}

}  // namespace ulna::internal
