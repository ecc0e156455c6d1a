// Bullet in double precision: forward dynamics by its articulated bodies. Its inverse dynamics are a library whose headers Debian does not package.
#include <Eigen/Eigenvalues>

#include <BulletDynamics/Featherstone/btMultiBody.h>

#include "subject.hpp"

namespace ulna::bench {

namespace {

btVector3 vector(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// Bullet's link frame: at the mass centre, along the principal axes.
struct Principal {
  double mass = 0;
  Eigen::Matrix3d R_BC = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_BC = Eigen::Vector3d::Zero(), moments = Eigen::Vector3d::Zero();
};

Principal principal(const PseudoInertia<double>& body) {
  if (!(body.m > 0)) throw Refused("a moving body without mass");
  Principal c;
  c.mass = body.m;
  c.p_BC = Eigen::Vector3d(body.h.x, body.h.y, body.h.z) / body.m;
  const Sym3<double> I = inertia_about_com(body);
  Eigen::Matrix3d tensor;
  tensor << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
  c.R_BC = solver.eigenvectors();
  if (c.R_BC.determinant() < 0) c.R_BC.col(0) = -c.R_BC.col(0);
  c.moments = solver.eigenvalues();
  return c;
}

/// Fixed joints merged; joint i of Bullet is body i of the plan.
std::unique_ptr<btMultiBody> multi_body(const Plan& plan) {
  auto out = std::make_unique<btMultiBody>(static_cast<int>(plan.nbody()), 1.0, btVector3(1, 1, 1), true, false);
  std::vector<Principal> frames;
  for (std::size_t i = 0; i < plan.nbody(); ++i) {
    const PlanBody<double>& b = plan.bodies[i];
    const Principal c = principal(b.inertia), p = b.parent == kNone ? Principal{} : frames[b.parent];
    Eigen::Matrix3d R_PB;
    R_PB << b.R_PB.xx, b.R_PB.xy, b.R_PB.xz, b.R_PB.yx, b.R_PB.yy, b.R_PB.yz, b.R_PB.zx, b.R_PB.zy, b.R_PB.zz;
    const Eigen::Quaterniond turn(Eigen::Matrix3d((p.R_BC.transpose() * R_PB * c.R_BC).transpose()));
    const btQuaternion to_this(turn.x(), turn.y(), turn.z(), turn.w());
    const btVector3 axis = vector(c.R_BC.transpose() * Eigen::Vector3d::UnitZ());
    const btVector3 to_pivot = vector(p.R_BC.transpose() * (Eigen::Vector3d(b.p_PB.x, b.p_PB.y, b.p_PB.z) - p.p_BC)),
                    to_centre = vector(c.R_BC.transpose() * c.p_BC);
    const int joint = static_cast<int>(i), parent = static_cast<int>(b.parent);  // kNone becomes -1, which is the base
    if (b.prismatic)
      out->setupPrismatic(joint, c.mass, vector(c.moments), parent, to_this, axis, to_pivot, to_centre, true);
    else
      out->setupRevolute(joint, c.mass, vector(c.moments), parent, to_this, axis, to_pivot, to_centre, true);
    frames.push_back(c);
  }
  out->finalizeMultiDof();
  out->setLinearDamping(0);
  out->setAngularDamping(0);
  return out;
}

class BulletWorker : public Worker<double> {
 public:
  BulletWorker(const Plan& plan, std::shared_ptr<const States<double>> states)
      : body_(multi_body(plan)), states_(std::move(states)), gravity_(plan.gravity.x, plan.gravity.y, plan.gravity.z) {
    for (const PlanBody<double>& b : plan.bodies) offsets_.push_back(b.offset);
  }

  void run(Job, std::size_t first, std::size_t count, double* out, std::size_t stride) override {
    const States<double>& s = *states_;
    const int n = body_->getNumLinks();
    for (std::size_t k = first; k < first + count; ++k, out += stride) {
      const std::size_t at = k * s.n;
      body_->clearForcesAndTorques();
      for (int i = 0; i < n; ++i) {
        const auto j = static_cast<std::size_t>(i);
        body_->setJointPos(i, s.q[at + j] + offsets_[j]);
        body_->setJointVel(i, s.v[at + j]);
        body_->addLinkForce(i, gravity_ * body_->getLinkMass(i));
        body_->addJointTorque(i, s.tau[at + j]);
      }
      // A step of no duration: the accelerations stay in the scratch memory, behind the joint torques and the six of the base.
      body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, numbers_, vectors_, matrices_, false, false, false);
      constexpr int kBase = 6;
      for (int i = 0; i < n; ++i) out[i] = numbers_[n + kBase + i];
    }
  }

 private:
  std::unique_ptr<btMultiBody> body_;
  std::shared_ptr<const States<double>> states_;
  btVector3 gravity_;
  std::vector<double> offsets_;
  btAlignedObjectArray<btScalar> numbers_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
};

Library make(const Inputs& inputs) {
  const int version = btGetVersion();
  Library library{"bullet", std::to_string(version / 100) + "." + std::to_string(version % 100), "", "as its package was built, double precision"};
  library.notes.emplace_back("forward dynamics only: its package has no headers of its inverse dynamics");
  const Plan plan = merged_plan(inputs, library);
  const auto states = std::make_shared<const States<double>>(placed(inputs.states, library.place));
  add_rows<double>(library, "articulated", Job::forward, [=] { return std::make_unique<BulletWorker>(plan, states); });
  return library;
}

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) { return ulna::bench::serve(argc, argv, ulna::bench::make); }
