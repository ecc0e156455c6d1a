// RBDL, where it is installed.
#include <rbdl/rbdl.h>

#include "subject.hpp"

namespace ulna::bench {

namespace {

namespace rbd = RigidBodyDynamics;
using rbd::Math::VectorNd;
using Vectors = std::vector<VectorNd>;

/// RBDL's vectors own their memory, so the states are put into such vectors beforehand.
struct RbdlStates {
  explicit RbdlStates(const States<double>& s) {
    const std::pair<const std::vector<double>&, Vectors&> parts[] = {{s.q, q}, {s.v, v}, {s.a, a}, {s.tau, tau}};
    for (const auto& [from, to] : parts)
      for (std::size_t k = 0; k < s.count; ++k) to.emplace_back(Eigen::Map<const Eigen::VectorXd>(from.data() + k * s.n, static_cast<Eigen::Index>(s.n)));
  }
  Vectors q{}, v{}, a{}, tau{};
};

/// Fixed joints merged, so that no link is without mass.
std::unique_ptr<rbd::Model> rbdl_model(const Plan& plan) {
  auto out = std::make_unique<rbd::Model>();
  out->gravity = rbd::Math::Vector3d(plan.gravity.x, plan.gravity.y, plan.gravity.z);
  std::vector<unsigned> id;
  for (const PlanBody<double>& b : plan.bodies) {
    const Sym3<double> I = inertia_about_com(b.inertia);
    rbd::Math::Matrix3d tensor, E;
    tensor << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
    // Its transforms turn from the parent's axes to the body's.
    E << b.R_PB.xx, b.R_PB.yx, b.R_PB.zx, b.R_PB.xy, b.R_PB.yy, b.R_PB.zy, b.R_PB.xz, b.R_PB.yz, b.R_PB.zz;
    const double m = b.inertia.m, per = m > 0 ? 1 / m : 0;
    const rbd::Body body(m, rbd::Math::Vector3d(b.inertia.h.x * per, b.inertia.h.y * per, b.inertia.h.z * per), tensor);
    const rbd::Joint joint(b.prismatic ? rbd::JointTypePrismatic : rbd::JointTypeRevolute, rbd::Math::Vector3d(0, 0, 1));
    const rbd::Math::SpatialTransform X(E, rbd::Math::Vector3d(b.p_PB.x, b.p_PB.y, b.p_PB.z));
    id.push_back(out->AddBody(b.parent == kNone ? 0 : id[b.parent], X, joint, body));
  }
  return out;
}

class RbdlWorker : public Worker<double> {
 public:
  RbdlWorker(const Plan& plan, std::shared_ptr<const RbdlStates> states)
      : model_(rbdl_model(plan)), states_(std::move(states)), result_(VectorNd::Zero(plan.nv)), M_(rbd::Math::MatrixNd::Zero(plan.nv, plan.nv)) {}

  void run(Job job, std::size_t first, std::size_t count, double* out, std::size_t stride) override {
    const RbdlStates& s = *states_;
    for (std::size_t k = first; k < first + count; ++k, out += stride) {
      if (job == Job::mass) {
        // Entries between branches are not written; they are zero from the start.
        rbd::CompositeRigidBodyAlgorithm(*model_, s.q[k], M_);
        std::copy(M_.data(), M_.data() + M_.size(), out);
        continue;
      }
      if (job == Job::inverse)
        rbd::InverseDynamics(*model_, s.q[k], s.v[k], s.a[k], result_);
      else
        rbd::ForwardDynamics(*model_, s.q[k], s.v[k], s.tau[k], result_);
      std::copy(result_.data(), result_.data() + result_.size(), out);
    }
  }

 private:
  std::unique_ptr<rbd::Model> model_;
  std::shared_ptr<const RbdlStates> states_;
  VectorNd result_;
  rbd::Math::MatrixNd M_;
};

Library make(const Inputs& inputs) {
  const int version = rbdl_get_api_version();
  Library library{"rbdl", std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 255) + "." + std::to_string(version & 255), "",
                  "as it was installed"};
  const Plan plan = merged_plan(inputs, library);
  States<double> sorted = placed(inputs.states, library.place);
  for (std::size_t k = 0; k < sorted.q.size(); ++k) sorted.q[k] += plan.bodies[k % sorted.n].offset;
  const auto states = std::make_shared<const RbdlStates>(sorted);
  for (const Job job : kJobs)
    add_rows<double>(library, job == Job::forward ? "articulated" : "library", job, [=] { return std::make_unique<RbdlWorker>(plan, states); });
  return library;
}

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) { return ulna::bench::serve(argc, argv, ulna::bench::make); }
