// A UR5 picks something up: an extended Kalman filter finds its mass and mass centre, and the state, from joint angles and torques. The filter's matrices are
// derivatives of forward dynamics, by the state and by the payload.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>

#include <ulna/robot/derivative.hpp>
#include <ulna/ulna.hpp>

namespace {

constexpr int n = 6, kSize = 2 * n + 4;       // positions, rates, mass, mass centre
constexpr double dt = 1e-3, kEncoder = 1e-4;  // [s], [rad]
using Joints = Eigen::Matrix<double, n, 1>;
using State = Eigen::Matrix<double, 2 * n, 1>;
using Estimate = Eigen::Matrix<double, kSize, 1>;
using Covariance = Eigen::Matrix<double, kSize, kSize>;

/// The same noise on every machine: a sum of twelve uniform numbers has a variance of one.
double noise() {
  static std::uint64_t seed = 1;
  double sum = -6;
  for (int k = 0; k < 12; ++k) {
    seed = 6364136223846793005u * seed + 1442695040888963407u;
    sum += static_cast<double>(seed >> 11) * 0x1p-53;
  }
  return sum;
}

/// One step of the classic Runge-Kutta method.
State step(const ulna::Dynamics& robot, const State& x, const Joints& tau) {
  const auto rate = [&](const State& at) {
    State out;
    out.head<n>() = at.tail<n>();
    robot.forward(at.data(), at.data() + n, tau.data(), out.data() + n);
    return out;
  };
  const State a = rate(x), b = rate(x + dt / 2 * a), c = rate(x + dt / 2 * b), d = rate(x + dt * c);
  return x + dt / 6 * (a + 2 * b + 2 * c + d);
}

ulna::Payload payload(const Estimate& x) {
  ulna::Payload load;
  load.mass = std::max(x[2 * n], 0.01);
  load.com = {x[2 * n + 1], x[2 * n + 2], x[2 * n + 3]};
  return load;
}

}  // namespace

int main() {
  const ulna::Model model = ulna::load("ur5");
  const std::string& tool = model.links().back().name;
  ulna::DynamicsOptions options;
  options.quantities.push_back(ulna::Quantity::forward_derivatives);
  options.threads = 1;
  const ulna::Dynamics empty(model, options);
  ulna::Derivative by_payload(model, {.of = ulna::Quantity::forward, .by = "payload", .link = model.links().size() - 1});

  Estimate truth = Estimate::Zero();
  truth.tail<4>() << 2.5, 0.03, -0.02, 0.08;  // [kg], [m]
  const ulna::Dynamics loaded = empty.with_payload(tool, payload(truth));
  const auto holding = [&](const Estimate& x) { return loaded.with_parameters(with_payload(model, tool, payload(x))); };  // new numbers, the same machine code
  State x = State::Zero();
  x.head<n>() << 0, -1.2, 1.4, -0.5, 0.6, 0;
  const Joints home = x.head<n>();

  Estimate found = Estimate::Zero();
  found.head<n>() = home;
  found[2 * n] = 1;  // a guess
  Covariance P = Covariance::Zero(), Q = Covariance::Zero();
  P.diagonal() << Joints::Constant(1e-8), Joints::Constant(1e-6), 4, 0.01, 0.01, 0.01;
  Q.diagonal() << Joints::Constant(1e-12), Joints::Constant(1e-8), 1e-7, 1e-10, 1e-10, 1e-10;  // what the linearisation leaves out, too

  std::cout << std::fixed << "   t [s]  mass [kg]      x [m]      y [m]      z [m]\n";
  const auto show = [&](double t) {
    std::cout << std::setprecision(1) << std::setw(8) << t << std::setprecision(2);
    for (int k = 0; k < 4; ++k) std::cout << std::setw(11) << found[2 * n + k];
    std::cout << '\n';
  };
  show(0);
  for (int k = 1; k <= 3000; ++k) {
    // The drives follow a motion, with the torques of the empty robot and some feedback.
    const double t = k * dt;
    Joints want, rate, wanted, tau;
    for (int j = 0; j < n; ++j) {
      const double w = 1.5 + 0.7 * j;
      want[j] = home[j] + 0.4 * (1 - std::cos(w * t));
      rate[j] = 0.4 * w * std::sin(w * t);
      wanted[j] = 0.4 * w * w * std::cos(w * t) + 100 * (want[j] - x[j]) + 20 * (rate[j] - x[n + j]);
    }
    empty.inverse(x.data(), x.data() + n, wanted.data(), tau.data());
    x = step(loaded, x, tau);

    // Predict: the state moves, the payload stays.
    const ulna::Dynamics believed = holding(found);
    Joints a;
    Eigen::Matrix<double, n, 3 * n> d;
    Eigen::Matrix<double, n, 4> d_load;
    believed.forward_derivatives(found.data(), found.data() + n, tau.data(), d.data());
    by_payload({found.data(), found.data() + n, tau.data()}, {.payload = {found.data() + 2 * n, 4}}, {d_load.data(), 4 * n});
    Covariance F = Covariance::Identity();
    F.block<n, n>(0, n).diagonal().array() += dt;
    F.block<n, 2 * n>(n, 0) += dt * d.leftCols<2 * n>();
    F.block<n, 4>(n, 2 * n) = dt * d_load;
    found.head<2 * n>() = step(believed, found.head<2 * n>(), tau);
    P = F * P * F.transpose() + Q;

    // Correct by what the encoders say.
    Joints error;
    for (int j = 0; j < n; ++j) error[j] = x[j] + kEncoder * noise() - found[j];
    Eigen::Matrix<double, n, n> S = P.topLeftCorner<n, n>();
    S.diagonal().array() += kEncoder * kEncoder;
    const Eigen::Matrix<double, kSize, n> K = S.llt().solve(P.topRows<n>()).transpose();
    found += K * error;
    P -= K * P.topRows<n>();
    P = (0.5 * (P + P.transpose())).eval();
    if (k % 500 == 0) show(t);
  }
  std::cout << "truth   " << std::setprecision(2);
  for (int k = 0; k < 4; ++k) std::cout << std::setw(11) << truth[2 * n + k];
  const double sigmas = ((found - truth).tail<4>().cwiseAbs().array() / P.diagonal().tail<4>().array().sqrt()).maxCoeff();
  std::cout << '\n' << (sigmas < 4 ? "found within four of its own standard deviations" : "the filter is too sure of itself") << '\n';
  return sigmas < 4 ? 0 : 1;
}
