#include "sim/variation.hpp"

#include <algorithm>

#include <ulna/sim/linearise.hpp>

namespace ulna::internal::sim {

namespace {

// Differences of order six: f' = Σ w_k (f(k h) - f(-k h)) / h.
constexpr double kWeights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};

/// M(row, column) += factor [x]×
void add_cross(const Vec3<double>& x, double factor, std::size_t row, std::size_t column, double* M, std::size_t stride) {
  const double entries[3][3] = {{0, -x.z, x.y}, {x.z, 0, -x.x}, {-x.y, x.x, 0}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) M[row + i + (column + j) * stride] += factor * entries[i][j];
}

}  // namespace

void motion_matrices(const double* v, const double* d, std::size_t n, bool free, double* A, double* B, std::size_t stride) {
  for (std::size_t k = 0; k < n; ++k) {
    A[k + (n + k) * stride] = 1;
    std::copy(d + k * n, d + (k + 1) * n, A + n + k * stride);
    std::copy(d + (n + k) * n, d + (n + k + 1) * n, A + n + (n + k) * stride);
    std::copy(d + (2 * n + k) * n, d + (2 * n + k + 1) * n, B + n + k * stride);
  }
  if (!free) return;
  const Vec3<double> w{v[0], v[1], v[2]}, linear{v[3], v[4], v[5]};
  add_cross(w, -1, 0, 0, A, stride);
  add_cross(linear, -1, 3, 0, A, stride);
  add_cross(w, -1, 3, 3, A, stride);
  add_cross(linear, 1, n + 3, n, A, stride);
  add_cross(w, -1, n + 3, n + 3, A, stride);
}

Variation::Variation(const Scenario& scenario, System& system) : scenario_(scenario), system_(system), n_(system.coordinates()), memory_(0) {
  if (!system.prescribed()) {
    LawSettings settings = scenario.law;
    settings.saturate = false;
    reference_ = make_reference(scenario);
    law_ = make_law(settings, scenario.model, scenario.rotor, reference_.get(), system.robot().kernels());
    memory_ = law_->memory();
  }
  q_.resize(system.positions());
  moved_q_.resize(q_.size());
  for (std::vector<double>* each : {&v_, &a_, &tau_, &moved_v_, &direction_, &closing_}) each->resize(n_);
  limited_.resize(n_);
  effort_.assign(n_, std::numeric_limits<double>::infinity());
  const std::vector<std::size_t> joints = scenario.model.driven();
  for (std::size_t i = 0; i < joints.size() && scenario.law.saturate; ++i) effort_[n_ - joints.size() + i] = scenario.model.joints()[joints[i]].effort;
  state_.resize(memory_);
  moved_state_.resize(memory_);
  d_.resize(3 * n_ * n_);
  slope_.resize(n_ + memory_);
  answer_.resize(n_ + memory_);
}

/// Friction of a robot with loops is Gᵀ φ(G v), φ being each joint's own: δ(Gᵀ φ) = δGᵀ φ + Gᵀ φ' δ(G v). φ may be steep, and its slopes are exact; G is
/// smooth, and its derivatives along closed motions are differences.
void Variation::friction_of_loops(const std::function<void(std::size_t column, const double* torques)>& add) {
  ForwardModel& robot = system_.robot();
  const std::size_t all = scenario_.model.nv_tree();
  std::vector<double> speeds(all), phi(all), slopes(all), rates(all), torques(n_), moved(n_);
  std::copy_n(robot.joint_speeds(q_.data(), v_.data()), all, speeds.begin());
  system_.rubbing()->torques(speeds.data(), phi.data());
  system_.rubbing()->slopes(speeds.data(), slopes.data());
  const auto answer = [&] {  // -Gᵀ φ' times the rates
    for (std::size_t i = 0; i < all; ++i) rates[i] *= -slopes[i];
    robot.gather(q_.data(), rates.data(), torques.data());
  };
  for (std::size_t k = 0; k < n_; ++k) {
    std::fill(direction_.begin(), direction_.end(), 0.0);
    direction_[k] = 1;
    std::copy_n(robot.joint_speeds(q_.data(), direction_.data()), all, rates.begin());
    answer();
    add(n_ + k, torques.data());
    std::fill(rates.begin(), rates.end(), 0.0);
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (int step = 1; step <= 3; ++step)
      for (const double side : {1.0, -1.0}) {
        const double weight = side * kWeights[step - 1] / kLawStep;
        system_.move(q_, direction_, side * step * kLawStep, moved_q_);
        robot.gather(moved_q_.data(), phi.data(), moved.data());
        for (std::size_t i = 0; i < n_; ++i) slope_[i] -= weight * moved[i];
        const double* at = robot.joint_speeds(moved_q_.data(), v_.data());
        for (std::size_t i = 0; i < all; ++i) rates[i] += weight * at[i];
      }
    answer();
    for (std::size_t i = 0; i < n_; ++i) torques[i] += slope_[i];
    add(k, torques.data());
  }
}

/// The law's torques and the rates of its memory.
void Variation::ask(double t, const double* q, const double* v, const double* memory, double* out) {
  law_->torque(system_.inside(t), q, v, memory, out);
  law_->memory_rate(system_.inside(t), q, v, out + n_);
}

void Variation::linearise(double t, const double* state, bool held, double* A, double* B) {
  const std::size_t size = held ? 2 * n_ : this->size();
  std::fill(A, A + size * size, 0.0);
  std::fill(B, B + size * n_, 0.0);
  const System::Instant now = system_.at(t, state);
  std::copy(now.q, now.q + q_.size(), q_.begin());
  std::copy(now.v, now.v + n_, v_.begin());
  std::copy(now.a, now.a + n_, a_.begin());
  std::copy(now.tau, now.tau + n_, tau_.begin());
  ForwardModel& robot = system_.robot();
  const double* friction = system_.friction_at(q_.data(), v_.data());
  for (std::size_t i = 0; i < n_; ++i) closing_[i] = tau_[i] - friction[i];
  robot.derivatives(q_.data(), v_.data(), closing_.data(), d_.data(), system_.base_at(t), system_.wrenches());
  motion_matrices(v_.data(), d_.data(), n_, system_.free_base(), A, B, size);
  const auto add_torques = [&](std::size_t column, const double* torques) {
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t i = 0; i < n_ && torques[k] != 0; ++i) A[n_ + i + column * size] += B[n_ + i + k * size] * torques[k];
  };
  if (scenario_.model.closed() && scenario_.friction.on) friction_of_loops(add_torques);
  const bool each = scenario_.friction.on && !scenario_.model.closed();  // by its own rate alone
  if (each) system_.rubbing()->slopes(v_.data(), closing_.data());
  for (std::size_t k = 0; k < n_ && each; ++k) {
    std::fill(slope_.begin(), slope_.end(), 0.0);
    slope_[k] = -closing_[k];
    add_torques(n_ + k, slope_.data());
  }
  if (held) return;
  const double* memory = state + q_.size() + n_;
  std::copy(memory, memory + memory_, state_.begin());
  ask(t, q_.data(), v_.data(), memory, answer_.data());
  for (std::size_t i = 0; i < n_; ++i) limited_[i] = std::abs(answer_[i]) > effort_[i];
  for (std::size_t column = 0; column < size; ++column) {
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (int k = 1; k <= 3; ++k)
      for (const double side : {1.0, -1.0}) {
        const double step = side * k * kLawStep;
        moved_q_ = q_, moved_v_ = v_, moved_state_ = state_;
        if (column < n_) {
          std::fill(direction_.begin(), direction_.end(), 0.0);
          direction_[column] = 1;
          system_.move(q_, direction_, step, moved_q_);
        } else if (column < 2 * n_) {
          moved_v_[column - n_] += step;
        } else {
          moved_state_[column - 2 * n_] += step;
        }
        ask(t, moved_q_.data(), moved_v_.data(), moved_state_.data(), answer_.data());
        for (std::size_t i = 0; i < slope_.size(); ++i) slope_[i] += side * kWeights[k - 1] / kLawStep * answer_[i];
      }
    for (std::size_t i = 0; i < n_; ++i)
      if (limited_[i]) slope_[i] = 0;
    add_torques(column, slope_.data());
    for (std::size_t m = 0; m < memory_; ++m) A[2 * n_ + m + column * size] = slope_[n_ + m];
  }
}

void Variation::excess(double t, const Variation& at, double* torques, double* rates) {
  ask(t, at.q_.data(), at.v_.data(), at.state_.data(), answer_.data());
  system_.closing_torques(t, at.q_.data(), at.v_.data(), at.a_.data(), closing_.data());
  for (std::size_t i = 0; i < n_; ++i) torques[i] = (at.limited_[i] ? 0 : answer_[i]) - closing_[i];
  std::copy(answer_.begin() + static_cast<std::ptrdiff_t>(n_), answer_.end(), rates);
}

}  // namespace ulna::internal::sim
