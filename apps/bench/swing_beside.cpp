// The iterative LQR of examples/swing.hpp twice: on Ulna's derivatives and on Pinocchio's (computeABADerivatives), same algebra, same compiler and flags.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

#include <ulna/ulna.hpp>

#include "../../examples/swing.hpp"
#include "pinocchio.hpp"

namespace {

using swing::Joints;

/// As swing::Problem asks for it.
struct Pinocchio {
  explicit Pinocchio(const ulna::Model& robot) : model(ulna::bench::pinocchio_model(robot)), data(model) {}

  void forward(const double* q, const double* v, const double* tau, double* a) const {
    pinocchio::aba(model, data, map(q), map(v), map(tau), pinocchio::Convention::LOCAL);
    Eigen::Map<Joints>{a} = data.ddq;
  }
  void forward_derivatives(const double* q, const double* v, const double* tau, double* d) const {
    pinocchio::computeABADerivatives(model, data, map(q), map(v), map(tau));
    data.Minv.triangularView<Eigen::StrictlyLower>() = data.Minv.transpose().triangularView<Eigen::StrictlyLower>();
    Eigen::Map<Eigen::Matrix<double, swing::n, 3 * swing::n>>(d) << data.ddq_dq, data.ddq_dv, data.Minv;
  }
  void gravity(const double* q, double* tau) const { Eigen::Map<Joints>{tau} = pinocchio::computeGeneralizedGravity(model, data, map(q)); }

  static Eigen::Map<const Joints> map(const double* x) { return Eigen::Map<const Joints>(x); }

  pinocchio::Model model;
  mutable pinocchio::Data data;
};

}  // namespace

int main() {
  const ulna::Model model = ulna::load("panda");
  ulna::DynamicsOptions options;
  options.quantities.push_back(ulna::Quantity::forward_derivatives);
  options.threads = 1;
  const ulna::Dynamics dynamics(model, options);
  const Pinocchio pinocchio(model);
  // The best of some solves each, in turns.
  swing::Solution ours, theirs;
  for (int k = 0; k < 7; ++k) {
    const swing::Solution mine = swing::solve(dynamics), other = swing::solve(pinocchio);
    if (k == 0 || mine.seconds < ours.seconds) ours = mine;
    if (k == 0 || other.seconds < theirs.seconds) theirs = other;
  }
  double apart = 0;
  for (std::size_t t = 0; t < ours.x.size(); ++t) apart = std::max(apart, (ours.x[t] - theirs.x[t]).cwiseAbs().maxCoeff());
  std::cout << std::fixed << "            cost  iterations  us an iteration\n";
  for (const auto& [name, found] : {std::pair{"ulna     ", &ours}, {"pinocchio", &theirs}})
    std::cout << name << std::setprecision(3) << std::setw(9) << found->cost << std::setw(12) << found->iterations << std::setprecision(0) << std::setw(17)
              << 1e6 * found->seconds / found->iterations << '\n';
  std::cout << "the two motions are " << std::scientific << std::setprecision(1) << apart << " rad, rad/s apart at most\n";
  // Both stop where the cost is right to 1e-11, which leaves the motion open by about the square root of that.
  return std::abs(ours.cost - theirs.cost) < 1e-9 * ours.cost && apart < 1e-4 ? 0 : 1;
}
