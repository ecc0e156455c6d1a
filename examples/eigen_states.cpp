// Eigen vectors and matrices go in and come out as they are. Ulna itself does not use Eigen.
#include <Eigen/Dense>
#include <iostream>

#include <ulna/ulna.hpp>

int main() {
  const ulna::Model model = ulna::load("panda");
  const ulna::Plan plan = ulna::make_plan(model);
  ulna::Workspace workspace(plan);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(plan.nq, 0.4), v = Eigen::VectorXd::Constant(plan.nv, -0.2), a = Eigen::VectorXd::Ones(plan.nv);
  Eigen::VectorXd tau(plan.nv), bias(plan.nv);
  Eigen::MatrixXd M(plan.nv, plan.nv);
  ulna::inverse_dynamics(plan, workspace, q, v, a, tau);
  ulna::bias_forces(plan, workspace, q, v, bias);
  ulna::mass_matrix(plan, workspace, q, M);
  std::cout << "tau = " << tau.transpose() << "\ntau - (M a + bias) has norm " << (tau - (M * a + bias)).norm() << '\n';
}
