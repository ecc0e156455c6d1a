#include "emit/loop_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::internal {

ClosedStates::ClosedStates(const Model& robot, std::uint64_t seed)
    : robot_(robot), plan_(make_plan(robot)), ws_(plan_), at_(row_of(Quantity::closure).size(plan_.sizes())), sampler_(without_loops(robot), seed) {
  compute(Quantity::closure, plan_, ws_, {robot_.reference().data()}, at_.data());
  pivots_.assign(at_.end() - static_cast<std::ptrdiff_t>(plan_.pivots()), at_.end());
}

bool ClosedStates::close(std::vector<double>& q) {
  constexpr int kSteps = 12;
  constexpr double kMet = 1e-14, kSound = 0.25;  // conditions [m, or rad]; pivots, of what they are at the reference
  double off = 1;
  for (int k = 0; k < kSteps && !(off <= kMet); ++k) {
    compute(Quantity::closure, plan_, ws_, {q.data()}, at_.data());
    off = 0;
    for (std::size_t i = plan_.nq; i + plan_.pivots() < at_.size(); ++i) off = std::max(off, std::abs(at_[i]));
    std::copy_n(at_.begin(), plan_.nq, q.begin());
  }
  const double* pivot = at_.data() + at_.size() - plan_.pivots();
  for (std::size_t k = 0; k < plan_.pivots(); ++k)
    if (!(pivot[k] * pivots_[k] > kSound * pivots_[k] * pivots_[k])) return false;
  return off <= 100 * kMet;  // of long arms that is rounding
}

void ClosedStates::next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
  constexpr double kFar = 0.3, kNear = 1e-3;  // steps from the reference [rad, m]
  std::vector<double> moved, speeds, accelerations;
  sampler_.next(moved, speeds, accelerations);
  const std::vector<double> reference = robot_.reference();
  const std::vector<std::size_t> independent = robot_.order().independent;
  const std::size_t base_v = base_nv(robot_.base()), base_q = base_nq(robot_.base());
  const auto begin = [&](double size) {
    q = reference;
    std::copy_n(moved.begin(), base_q, q.begin());
    for (const std::size_t k : independent) {
      const std::size_t at = k - base_v + base_q;
      if (k >= base_v) q[at] += size * std::clamp(moved[at] - reference[at], -1.0, 1.0);
    }
  };
  double size = kFar;
  for (begin(size); !close(q) && size > 0; begin(size)) size = size > kNear ? size / 2 : 0;  // near enough that it can be closed; the reference is closed
  v.clear(), a.clear();
  for (const std::size_t k : independent) v.push_back(speeds[k]), a.push_back(accelerations[k]);
}

}  // namespace ulna::internal
