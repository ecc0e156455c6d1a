// A Panda swings its arm over within a second, under torque limits: iterative LQR (Li & Todorov 2004) on derivatives of forward dynamics, whoever computes
// them.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <vector>

namespace swing {

constexpr int n = 7, kSteps = 100;
constexpr double dt = 0.01;
using Joints = Eigen::Matrix<double, n, 1>;
using State = Eigen::Matrix<double, 2 * n, 1>;  // positions, then rates
using StateMatrix = Eigen::Matrix<double, 2 * n, 2 * n>;
using InputMatrix = Eigen::Matrix<double, 2 * n, n>;
using Gain = Eigen::Matrix<double, n, 2 * n>;

/// Robot: forward(q, v, tau, a), forward_derivatives(q, v, tau, d) and gravity(q, tau), all on plain arrays, as ulna::Dynamics has them.
template <class Robot>
struct Problem {
  Robot dynamics;
  State start, goal;
  Joints limit;  // of the torques [N m]

  /// Rates first, then positions at the new rates.
  State next(const State& x, const Joints& u) const {
    Joints a;
    dynamics.forward(x.data(), x.data() + n, u.data(), a.data());
    State y;
    y.tail<n>() = x.tail<n>() + dt * a;
    y.head<n>() = x.head<n>() + dt * y.tail<n>();
    return y;
  }
  void linearise(const State& x, const Joints& u, StateMatrix& A, InputMatrix& B) const {
    Eigen::Matrix<double, n, 3 * n> d;  // by q, v and tau
    dynamics.forward_derivatives(x.data(), x.data() + n, u.data(), d.data());
    A.setIdentity();
    A.bottomRows<n>() += dt * d.leftCols<2 * n>();
    B.bottomRows<n>() = dt * d.rightCols<n>();
    A.topRows<n>() += dt * A.bottomRows<n>();
    B.topRows<n>() = dt * B.bottomRows<n>();
  }
  double cost(const std::vector<State>& x, const std::vector<Joints>& u) const {
    double sum = 0.5 * (x.back() - goal).dot(weight().asDiagonal() * (x.back() - goal));
    for (const Joints& torques : u) sum += 0.5 * kEffort * dt * torques.squaredNorm();
    for (std::size_t t = 0; t + 1 < x.size(); ++t) sum += 0.5 * kHaste * dt * x[t].tail<n>().squaredNorm();
    return sum;
  }
  static State weight() {
    State w;
    w << Joints::Constant(1000), Joints::Constant(100);
    return w;
  }
  static constexpr double kEffort = 1e-3;
  static constexpr double kHaste = 1;  // of rates: without it the arm would find a whirl that costs less effort, a different one every time
};

/// One iteration: linearise, go back for the gains, forward with the longest step that helps. Returns the cost.
template <class Robot>
double improve(const Problem<Robot>& p, std::vector<State>& x, std::vector<Joints>& u, double cost, double& firmness) {
  std::vector<Joints> k(kSteps);
  std::vector<Gain> K(kSteps);
  State Vx = p.weight().asDiagonal() * (x.back() - p.goal);
  StateMatrix Vxx = p.weight().asDiagonal();
  StateMatrix A;
  InputMatrix B;
  for (int t = kSteps; t-- > 0;) {
    p.linearise(x[t], u[t], A, B);
    const Joints Qu = Problem<Robot>::kEffort * dt * u[t] + B.transpose() * Vx;
    Eigen::Matrix<double, n, n> Quu = B.transpose() * Vxx * B;
    Quu.diagonal().array() += Problem<Robot>::kEffort * dt;
    const Gain Qux = B.transpose() * Vxx * A;
    Eigen::Matrix<double, n, n> firm = Quu;
    firm.diagonal() *= 1 + firmness;
    Joints step = -Qu;
    Gain gain = -Qux;
    for (int j = 0; j < n; ++j) {  // a torque at its limit that would go further stays there
      const bool held = (u[t][j] >= p.limit[j] && Qu[j] < 0) || (u[t][j] <= -p.limit[j] && Qu[j] > 0);
      if (!held) continue;
      firm.row(j).setZero();
      firm.col(j).setZero();
      firm(j, j) = 1;
      step[j] = 0;
      gain.row(j).setZero();
    }
    const Eigen::LLT<Eigen::Matrix<double, n, n>> factors(firm);
    k[t] = factors.solve(step);
    K[t] = factors.solve(gain);
    State Qx = A.transpose() * Vx;
    Qx.template tail<n>() += Problem<Robot>::kHaste * dt * x[t].template tail<n>();
    Vx = Qx + K[t].transpose() * (Quu * k[t] + Qu) + Qux.transpose() * k[t];
    Vxx = A.transpose() * Vxx * A + K[t].transpose() * Quu * K[t] + K[t].transpose() * Qux + Qux.transpose() * K[t];
    Vxx.diagonal().template tail<n>().array() += Problem<Robot>::kHaste * dt;
    Vxx = (0.5 * (Vxx + Vxx.transpose())).eval();
  }
  for (double part = 1; part > 1e-3; part /= 2) {
    std::vector<State> tried(x);
    std::vector<Joints> torques(u);
    for (int t = 0; t < kSteps; ++t) {
      torques[t] = (u[t] + part * k[t] + K[t] * (tried[t] - x[t])).cwiseMin(p.limit).cwiseMax(-p.limit);
      tried[t + 1] = p.next(tried[t], torques[t]);
    }
    const double now = p.cost(tried, torques);
    if (!(now < cost)) continue;
    x = std::move(tried);
    u = std::move(torques);
    firmness /= 4;
    return now;
  }
  firmness = std::max(4 * firmness, 1e-6);
  return cost;
}

struct Solution {
  double standing = 0, cost = 0;  // before and after
  int iterations = 0;
  double seconds = 0;
  double most = 0;  // torque, in parts of its limit
  std::vector<State> x;
  State miss;  // at the end
};

template <class Robot>
Solution solve(Robot robot) {
  Problem<Robot> p{std::move(robot), State::Zero(), State::Zero(), Joints::Constant(87)};
  p.limit.template tail<3>().setConstant(12);
  p.start.template head<n>() << 0, -0.8, 0, -2.4, 0, 1.6, 0.8;
  p.goal.template head<n>() << 2, 0.6, 0, -1.2, 0, 2.2, 0.8;

  std::vector<Joints> u(kSteps);
  Solution found;
  found.x = {p.start};
  for (int t = 0; t < kSteps; ++t) {  // begin with what holds the arm
    p.dynamics.gravity(found.x[t].data(), u[t].data());
    found.x.push_back(p.next(found.x[t], u[t]));
  }
  double firmness = 1e-6;
  found.cost = found.standing = p.cost(found.x, u);
  const auto start = std::chrono::steady_clock::now();
  for (double gain = 1; found.iterations < 200 && firmness < 1e6 && (gain == 0 || gain > 1e-11 * found.cost); ++found.iterations) {
    const double before = found.cost;
    found.cost = improve(p, found.x, u, before, firmness);
    gain = before - found.cost;  // 0: no step helped, the next is a firmer one
  }
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const Joints& torques : u) found.most = std::max(found.most, torques.cwiseQuotient(p.limit).cwiseAbs().maxCoeff());
  found.miss = found.x.back() - p.goal;
  return found;
}

}  // namespace swing
