// A Panda swings its arm over within a second, under torque limits: iterative LQR (Li & Todorov 2004) on derivatives of forward dynamics.
#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <vector>

#include <ulna/ulna.hpp>

namespace {

constexpr int n = 7, kSteps = 100;
constexpr double dt = 0.01;
using Joints = Eigen::Matrix<double, n, 1>;
using State = Eigen::Matrix<double, 2 * n, 1>;  // positions, then rates
using StateMatrix = Eigen::Matrix<double, 2 * n, 2 * n>;
using InputMatrix = Eigen::Matrix<double, 2 * n, n>;
using Gain = Eigen::Matrix<double, n, 2 * n>;

struct Problem {
  ulna::Dynamics dynamics;
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
    return sum;
  }
  static State weight() {
    State w;
    w << Joints::Constant(1000), Joints::Constant(100);
    return w;
  }
  static constexpr double kEffort = 1e-3;
};

/// One iteration: linearise, go back for the gains, forward with the longest step that helps. Returns the cost.
double improve(const Problem& p, std::vector<State>& x, std::vector<Joints>& u, double cost, double& firmness) {
  std::vector<Joints> k(kSteps);
  std::vector<Gain> K(kSteps);
  State Vx = p.weight().asDiagonal() * (x.back() - p.goal);
  StateMatrix Vxx = p.weight().asDiagonal();
  StateMatrix A;
  InputMatrix B;
  for (int t = kSteps; t-- > 0;) {
    p.linearise(x[t], u[t], A, B);
    const Joints Qu = Problem::kEffort * dt * u[t] + B.transpose() * Vx;
    Eigen::Matrix<double, n, n> Quu = B.transpose() * Vxx * B;
    Quu.diagonal().array() += Problem::kEffort * dt;
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
    const State Qx = A.transpose() * Vx;
    Vx = Qx + K[t].transpose() * (Quu * k[t] + Qu) + Qux.transpose() * k[t];
    Vxx = A.transpose() * Vxx * A + K[t].transpose() * Quu * K[t] + K[t].transpose() * Qux + Qux.transpose() * K[t];
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

}  // namespace

int main() {
  ulna::DynamicsOptions options;
  options.forward_derivatives = true;  // compiled, too
  Problem p{ulna::Dynamics(ulna::load("panda"), options), State::Zero(), State::Zero(), Joints::Constant(87)};
  p.limit.tail<3>().setConstant(12);
  p.start.head<n>() << 0, -0.8, 0, -2.4, 0, 1.6, 0.8;
  p.goal.head<n>() << 2, 0.6, 0, -1.2, 0, 2.2, 0.8;

  std::vector<Joints> u(kSteps);
  std::vector<State> x{p.start};
  for (int t = 0; t < kSteps; ++t) {  // begin with what holds the arm
    p.dynamics.gravity(x[t].data(), u[t].data());
    x.push_back(p.next(x[t], u[t]));
  }
  double cost = p.cost(x, u), firmness = 1e-6;
  std::cout << "standing still costs " << std::fixed << std::setprecision(1) << cost << '\n';
  const auto start = std::chrono::steady_clock::now();
  int iterations = 0;
  for (double before = 2 * cost; iterations < 200 && (before - cost > 1e-6 * cost || firmness > 1e-3); ++iterations) {
    before = cost;
    cost = improve(p, x, u, cost, firmness);
    if (firmness > 1e6) break;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double most = 0;
  for (const Joints& torques : u) most = std::max(most, torques.cwiseQuotient(p.limit).cwiseAbs().maxCoeff());
  std::cout << "the swing costs " << cost << ", its largest torque is " << std::setprecision(0) << 100 * most << " % of the limit\n"
            << "it ends " << std::setprecision(3) << (x.back() - p.goal).head<n>().norm() << " rad from the goal, at " << (x.back() - p.goal).tail<n>().norm()
            << " rad/s\n";
  std::cerr << iterations << " iterations, " << std::setprecision(0) << 1e6 * seconds / iterations << " us each\n";
}
