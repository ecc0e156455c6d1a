#include "identify/condensed.hpp"

#include <ulna/loop/mechanism.hpp>

#include "text/message.hpp"

namespace ulna::internal {

Regressors::Regressors(const Model& model, double snap)
    : plan_(make_plan(model, {.snap = snap, .lumping = Lumping::none})),
      dynamics_(model, {.snap = snap, .quantities = {Quantity::regressor}, .threads = 1}) {  // callers have their own threads
  if (plan_.closed()) {
    for (const Parameter& one : drive_parameters(model, snap))
      if (one.kind == ParameterKind::rotor && one.value != 0) drives_.push_back(one);
    return;
  }
  rotors_.resize(rows());
  for (const PlanBody<double>& body : plan_.bodies) rotors_[body.v] += body.multiplier * body.multiplier * body.rotor;
}

const double* Regressors::configurations(const Samples& samples, std::vector<double>& closed, std::size_t& bad) const {
  bad = samples.count;
  if (!plan_.closed()) return samples.q.data();
  closed.resize(samples.count * plan_.nq);
  bad = dynamics_.close_batch({samples.q.data(), rows(), samples.count}, {closed.data(), plan_.nq, samples.count});
  return closed.data();
}

const double* Regressors::closed(const Samples& samples, std::vector<double>& q) const {
  std::size_t bad = 0;
  const double* all = configurations(samples, q, bad);
  if (bad == samples.count) return all;
  const std::vector<double> at(samples.q.begin() + static_cast<std::ptrdiff_t>(bad * rows()),
                               samples.q.begin() + static_cast<std::ptrdiff_t>((bad + 1) * rows()));
  std::vector<double> one(plan_.nq);
  Closure closure;
  dynamics_.close_batch({at.data(), rows(), 1}, {one.data(), plan_.nq, 1}, &closure);
  const ClosureProblem wrong = problem(closure, dynamics_.model().loops());
  throw std::invalid_argument(cat("at t = ", rounded(samples.t.empty() ? 0 : samples.t[bad]), " s ", wrong.what, "; ", wrong.cure));
}

void Regressors::operator()(const Samples& samples, std::vector<double>& out) const {
  const std::size_t n = rows(), count = samples.count;
  out.resize(count * size());
  if (count == 0) return;
  std::vector<double> q;
  const MatrixView<const double> in[] = {{closed(samples, q), plan_.nq, count}, {samples.v.data(), n, count}, {samples.a.data(), n, count}};
  dynamics_.compute_batch(Quantity::regressor, in, {out.data(), size(), count});
}

void Regressors::rotors(const Samples& samples, std::vector<double>& out) const {
  const std::size_t n = rows();
  out.assign(samples.count * n, 0.0);
  if (!plan_.closed()) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = rotors_[k % n] * samples.a[k];
    return;
  }
  if (drives_.empty()) return;
  std::vector<double> q, columns(n * drives_.size());
  const double* all = closed(samples, q);
  Workspace ws(plan_);
  for (std::size_t s = 0; s < samples.count; ++s) {
    drive_columns(plan_, ws, drives_, all + s * plan_.nq, &samples.v[s * n], &samples.a[s * n], columns.data());
    for (std::size_t c = 0; c < drives_.size(); ++c)
      for (std::size_t k = 0; k < n; ++k) out[s * n + k] += drives_[c].value * columns[c * n + k];
  }
}

}  // namespace ulna::internal
