// Pinocchio's constrained forward dynamics, from its headers alone.
#include <cmath>

#include <pinocchio/algorithm/constrained-dynamics.hpp>

#include "loops.hpp"
#include "pinocchio.hpp"

namespace ulna::bench {

namespace {

class PinocchioLoops : public LoopPeer {
 public:
  explicit PinocchioLoops(const Mechanism& robot)
      : model_(pinocchio_model(robot.tree())), data_(model_), place_(pinocchio_places(robot.tree(), model_)), q_(model_.nq), v_(model_.nv), tau_(model_.nv) {
    for (const LoopPoint& point : loop_points(robot)) {
      const auto [first, X_first] = body_of(robot.tree(), point.predecessor);
      const auto [second, X_second] = body_of(robot.tree(), point.successor);
      const pinocchio::SE3 P(Eigen::Matrix3d::Identity(), Eigen::Vector3d(point.p_P.x, point.p_P.y, point.p_P.z));
      const pinocchio::SE3 S(Eigen::Matrix3d::Identity(), Eigen::Vector3d(point.p_S.x, point.p_S.y, point.p_S.z));
      constraints_.emplace_back(pinocchio::CONTACT_3D, model_, first, X_first * P, second, X_second * S, pinocchio::LOCAL);
      constraint_data_.emplace_back(constraints_.back());
    }
    pinocchio::initConstraintDynamics(model_, data_, constraints_, constraint_data_);
  }

  std::string version() const override { return "Pinocchio " PINOCCHIO_VERSION; }
  bool at_rest() const override { return false; }
  void forward(const double* q, const double* v, const double* tau) override {
    for (std::size_t k = 0; k < place_.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(place_[k]);
      q_[at] = q[k], v_[at] = v[k], tau_[at] = tau[k];
    }
    pinocchio::constraintDynamics(model_, data_, q_, v_, tau_, constraints_, constraint_data_, settings_);
  }
  double acceleration(std::size_t coordinate) const override {
    const double a = data_.ddq[static_cast<Eigen::Index>(place_[coordinate])];
    if (!std::isfinite(a)) throw std::runtime_error("its accelerations are not finite: links without mass close a loop");
    return a;
  }

 private:
  /// The joint that moves a link, and where the link is in its frame.
  std::pair<pinocchio::JointIndex, pinocchio::SE3> body_of(const Model& model, std::size_t link) const {
    Pose<double> X{};
    for (std::size_t at = link;;) {
      const Joint* up = nullptr;
      for (const Joint& joint : model.joints())
        if (joint.child == at) up = &joint;
      if (up != nullptr && up->type == JointType::fixed) {
        X = up->X_PF * up->X_MB * X;
        at = up->parent;
        continue;
      }
      if (up != nullptr) X = up->X_MB * X;
      Eigen::Matrix3d R;
      R << X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz;
      return {up == nullptr ? 0 : model_.getJointId(up->name), pinocchio::SE3(R, Eigen::Vector3d(X.p.x, X.p.y, X.p.z))};
    }
  }

  pinocchio::Model model_;
  pinocchio::Data data_;
  std::vector<std::size_t> place_;
  Eigen::VectorXd q_, v_, tau_;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pinocchio::RigidConstraintModel) constraints_;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pinocchio::RigidConstraintData) constraint_data_;
  pinocchio::ProximalSettings settings_{1e-10, 1e-9, 10};
};

}  // namespace

std::unique_ptr<LoopPeer> pinocchio_loops(const Mechanism& robot) { return std::make_unique<PinocchioLoops>(robot); }

}  // namespace ulna::bench
