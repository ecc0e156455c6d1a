#include "emit/along_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ulna/model/configuration.hpp>

#include "loop/dense.hpp"
#include "loop/multipliers.hpp"

namespace ulna::internal {

namespace {

double largest_of(const std::vector<double>& x) { return x.empty() ? 0 : *std::max_element(x.begin(), x.end()); }

}  // namespace

ClosedStates::ClosedStates(const Model& robot, std::uint64_t seed)
    : robot_(robot),
      loops_(Mechanism::of(robot)),
      plan_(make_plan(robot)),
      ws_(plan_),
      at_(row_of(Quantity::closure).size(plan_.sizes())),
      sampler_(without_loops(robot), seed) {
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
  for (const std::size_t k : independent) v.push_back(static_cast<float>(speeds[k])), a.push_back(static_cast<float>(accelerations[k]));
}

AlongLoops::AlongLoops(const Mechanism& loops, const Model& robot, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a)
    : loops_(loops), robot_(robot), n_(robot.nv_tree()), m_(robot.nv()), base_(base_nv(robot.base())), q_(q), v_(v), a_(a), motion_(motion(q, v, a)) {
  G_ = dependence(q);
  for (std::size_t k = 0; k < m_; ++k) {
    Real sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += std::abs(G_[i + k * n_]);
    reach_ = std::max(reach_, static_cast<double>(sum));
  }
  blur_ = 1 / std::clamp(loops.residual(q).singularity, 1e-6, 1.0);
}

double AlongLoops::speeds_size() const {
  double fastest = 0;
  for (const double x : v_) fastest = std::max(fastest, std::abs(x));
  return blur_ * reach_ * static_cast<double>(m_) * fastest;
}

AlongLoops::Motion AlongLoops::motion(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const {
  const ByMultipliers joints = inverse_by_multipliers(loops_, q.data() + base_nq(robot_.base()), v.data() + base_, a.data() + base_, {});
  const auto end = static_cast<std::ptrdiff_t>(base_);
  Motion all{{v.begin(), v.begin() + end}, {a.begin(), a.begin() + end}};
  all.v.insert(all.v.end(), joints.v.begin(), joints.v.end());
  all.a.insert(all.a.end(), joints.a.begin(), joints.a.end());
  return all;
}

AlongLoops::Numbers AlongLoops::dependence(const std::vector<double>& q) const {
  Numbers G;
  std::vector<double> unit(m_, 0), rest(m_, 0);
  for (std::size_t k = 0; k < m_; ++k) {
    unit[k] = 1;
    const Numbers column = motion(q, unit, rest).v;
    G.insert(G.end(), column.begin(), column.end());
    unit[k] = 0;
  }
  return G;
}

AlongLoops::Numbers AlongLoops::gathered(const Numbers& G, const Numbers& x) const {
  Numbers out(x.size() / n_ * m_, 0);
  for (std::size_t c = 0; c < x.size() / n_; ++c)
    for (std::size_t k = 0; k < m_; ++k)
      for (std::size_t i = 0; i < n_; ++i) out[k + c * m_] += G[i + k * n_] * x[i + c * n_];
  return out;
}

AlongLoops::Numbers AlongLoops::torque(const TreeTorque& of_tree, const std::vector<double>& q, const std::vector<double>& v,
                                       const std::vector<double>& a) const {
  const Motion at = motion(q, v, a);
  return gathered(dependence(q), of_tree(q, at.v, at.a));
}

Exact AlongLoops::derivatives(const TreeTorque& of_tree) const {
  constexpr Real kEighth[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280}, kSixth[] = {3.0L / 4, -3.0L / 20, 1.0L / 60, 0};
  Exact out;
  out.value.assign(2 * m_ * m_, 0);
  const Model tree = without_loops(robot_);
  const double step = std::min(1.0, 4 / blur_) / 64;
  for (std::size_t k = 0; k < m_; ++k) {
    Numbers eighth(m_, 0), sixth(m_, 0);
    for (int at = 1; at <= 4; ++at)
      for (const int side : {-1, 1}) {
        std::vector<double> q(q_.size()), along(n_);
        for (std::size_t i = 0; i < n_; ++i) along[i] = static_cast<double>(G_[i + k * n_]);
        integrate(tree, q_, along, side * at * step, q);
        loops_.close(q);
        const Numbers tau = torque(of_tree, q, v_, a_);
        for (std::size_t i = 0; i < m_; ++i) eighth[i] += side * kEighth[at - 1] * tau[i], sixth[i] += side * kSixth[at - 1] * tau[i];
      }
    for (std::size_t i = 0; i < m_; ++i) {
      out.value[i + k * m_] = eighth[i] / step;
      // Positions are doubles, and so are what closes them.
      const double rounded = 8 * std::numeric_limits<double>::epsilon() * blur_ * reach_ * static_cast<double>(std::abs(out.value[i + k * m_]));
      out.error = std::max(out.error, (static_cast<double>(std::abs(eighth[i] - sixth[i])) + rounded) / step);
    }
    // A quadratic form of v: no error but rounding.
    constexpr double kFaster = 0x1p-10;
    std::vector<double> faster = v_, slower = v_;
    faster[k] += kFaster, slower[k] -= kFaster;
    const Numbers more = torque(of_tree, q_, faster, a_), less = torque(of_tree, q_, slower, a_);
    for (std::size_t i = 0; i < m_; ++i) out.value[i + (m_ + k) * m_] = (more[i] - less[i]) / (2 * kFaster);
  }
  return out;
}

Exact AlongLoops::of(Quantity quantity, const Exact& tree, const Bounds& bounds, const TreeTorque& of_tree, const std::vector<double>& tau) const {
  // GᵀX G of a square matrix X.
  const auto projected = [&](const Numbers& X) {
    const Numbers left = gathered(G_, X);
    Numbers out(m_ * m_, 0);
    for (std::size_t k = 0; k < m_; ++k)
      for (std::size_t j = 0; j < n_; ++j)
        for (std::size_t i = 0; i < m_; ++i) out[i + k * m_] += left[i + j * m_] * G_[j + k * n_];
    return out;
  };
  double effort = largest_of(bounds.torque_bound);
  for (const Real x : of_tree(q_, v(), a())) effort = std::max(effort, static_cast<double>(std::abs(x)));  // friction, too
  const double torque_size = blur_ * reach_ * effort, mass_size = blur_ * reach_ * reach_ * largest_of(bounds.mass_bound);
  switch (quantity) {
    case Quantity::inverse:
    case Quantity::bias: return {torque(of_tree), blur_ * reach_ * tree.size};
    case Quantity::pose: return tree;
    case Quantity::closure: return {tree.value, blur_ * blur_ * tree.size};
    case Quantity::energy: return {tree.value, blur_ * tree.size};
    case Quantity::mass: return {projected(bounds.M), mass_size};
    case Quantity::jacobian: {
      Exact out{Numbers(6 * m_, 0), blur_ * reach_ * tree.size};
      for (std::size_t k = 0; k < m_; ++k)
        for (std::size_t j = 0; j < n_; ++j)
          for (std::size_t i = 0; i < 6; ++i) out.value[i + k * 6] += tree.value[i + j * 6] * G_[j + k * n_];
      return out;
    }
    case Quantity::coriolis: {
      // Gᵀ (C G + M Ġ): accelerations that speeds make are a quadratic form of them, and Ġ its mixed part.
      Exact out{projected(bounds.C), 0};
      const std::vector<double> rest(m_, 0);
      Numbers M_rates(n_ * m_, 0);
      double rates = 0;
      for (std::size_t k = 0; k < m_; ++k) {
        std::vector<double> more = v_, less = v_;
        more[k] += 1, less[k] -= 1;
        const Numbers up = motion(q_, more, rest).a, down = motion(q_, less, rest).a;
        for (std::size_t j = 0; j < n_; ++j) {
          const Real rate = (up[j] - down[j]) / 4;
          rates = std::max(rates, static_cast<double>(std::abs(rate)));
          for (std::size_t i = 0; i < n_; ++i) M_rates[i + k * n_] += bounds.M[i + j * n_] * rate;
        }
      }
      const Numbers more = gathered(G_, M_rates);
      for (std::size_t i = 0; i < more.size(); ++i) out.value[i] += more[i];
      out.size = blur_ * reach_ * (reach_ * largest_of(bounds.coriolis_bound) + static_cast<double>(n_) * rates * largest_of(bounds.mass_bound));
      return out;
    }
    case Quantity::forward:
    case Quantity::inverse_derivatives:
    case Quantity::forward_derivatives: break;
    default: return {gathered(G_, tree.value), blur_ * reach_ * tree.size};
  }
  const Numbers M = projected(bounds.M);
  Matrix<Real> as_matrix(m_, m_);
  as_matrix.entries = M;
  const Lu<Real> factors(std::move(as_matrix));
  Numbers inverse;
  for (std::size_t k = 0; k < m_; ++k) {
    Numbers unit(m_, 0);
    unit[k] = 1;
    const Numbers column = factors.solve(unit);
    inverse.insert(inverse.end(), column.begin(), column.end());
  }
  double most = 0, fastest = 0;  // of M⁻¹, by sums of rows; of a
  for (std::size_t i = 0; i < m_; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < m_; ++k) sum += static_cast<double>(std::abs(inverse[i + k * m_]));
    most = std::max(most, sum), fastest = std::max(fastest, std::abs(a_[i]));
  }
  const auto width = static_cast<double>(m_);
  if (quantity == Quantity::forward) {
    Exact out{{a_.begin(), a_.end()}, most * (torque_size + width * mass_size * fastest)};
    const Numbers exact = torque(of_tree);
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t k = 0; k < m_; ++k) out.value[i] += inverse[i + k * m_] * (tau[k] - exact[k]);
    return out;
  }
  Exact out = derivatives(of_tree);
  out.size = blur_ * reach_ * reach_ * (largest_of(bounds.derivatives_bound) + 4 * blur_ * effort);
  if (quantity == Quantity::inverse_derivatives) {
    out.value.insert(out.value.end(), M.begin(), M.end());
    return out;
  }
  Numbers a(3 * m_ * m_, 0);
  double largest = 0;
  for (std::size_t j = 0; j < 2 * m_; ++j)
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t k = 0; k < m_; ++k) a[i + j * m_] -= inverse[i + k * m_] * out.value[k + j * m_];
      largest = std::max(largest, static_cast<double>(std::abs(a[i + j * m_])));
    }
  std::copy(inverse.begin(), inverse.end(), a.begin() + static_cast<std::ptrdiff_t>(2 * m_ * m_));
  const double off = most * (torque_size + width * mass_size * fastest);  // of the accelerations that derivatives are taken at
  return {a, most * (out.size + width * mass_size * (largest + most + 4 * blur_ * off)), most * out.error};
}

}  // namespace ulna::internal
