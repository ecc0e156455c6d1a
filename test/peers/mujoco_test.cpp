// MuJoCo: torques, inertia matrix and accelerations, rotors ("armature") included. It refuses bodies that cannot exist; those are skipped.
#ifdef ULNA_HAVE_MUJOCO
#include <cstring>
#include <memory>
#include <optional>

#include <mujoco/mujoco.h>
#include <Eigen/Dense>

#include "model/text.hpp"
#include "peers/robots.hpp"

namespace ulna::test {
namespace {

std::string text_of(const Vec3<double>& v) { return cat(v.x, " ", v.y, " ", v.z); }

/// A model as MJCF. Links without inertia between moving joints are left out and their joints given to the next body, which MuJoCo allows.
class Writer {
 public:
  explicit Writer(const Model& model) : model_(model) {
    out_ = cat("<mujoco><compiler angle='radian' boundmass='0' boundinertia='0' balanceinertia='false'/><size njmax='100' nconmax='10'/><option gravity='",
               text_of(model.gravity()), "'><flag contact='disable' limit='disable'/></option><worldbody>");
    children_of(0, {}, {});
    out_ += "</worldbody></mujoco>";
  }
  const std::string& text() const { return out_; }

 private:
  struct Pending {
    const Joint* joint;
    Pose<double> X_PM;  // at q = 0, in the frame of the body that MuJoCo knows as parent
  };

  bool is_bare(const Link& link) const { return link.mass == 0 && link.inertia == Sym3<double>{}; }

  /// Principal moments and axes are found here: with `fullinertia` MuJoCo finds them itself, and M was seen to be off by 1e-8.
  static std::string inertial(const Link& link) {
    const Sym3<double>& I = link.inertia;
    const Eigen::Matrix3d tensor = (Eigen::Matrix3d() << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz).finished();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
    Eigen::Matrix3d R = solver.eigenvectors();
    if (R.determinant() < 0) R.col(0) = -R.col(0);
    const Quaternion r = quaternion({R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)});
    const Eigen::Vector3d moments = solver.eigenvalues();
    return cat("<inertial pos='", text_of(link.com), "' quat='", r.w, " ", r.x, " ", r.y, " ", r.z, "' mass='", link.mass, "' diaginertia='", moments.x(), " ",
               moments.y(), " ", moments.z(), "'/>");
  }

  void children_of(int link, const Pose<double>& X_PL, const std::vector<Pending>& pending) {
    for (const Joint& joint : model_.joints()) {
      if (joint.parent != link) continue;
      std::vector<Pending> joints = pending;
      const Pose<double> X_PM = X_PL * joint.X_PF, X_PB = X_PM * joint.X_MB;
      if (joint.type != JointType::fixed) joints.push_back({&joint, X_PM});
      const Link& child = model_.links()[static_cast<std::size_t>(joint.child)];
      if (is_bare(child))
        children_of(joint.child, X_PB, joints);
      else
        body(joint.child, X_PB, joints);
    }
  }

  void body(int index, const Pose<double>& X_PB, const std::vector<Pending>& joints) {
    const Link& link = model_.links()[static_cast<std::size_t>(index)];
    const Quaternion r = quaternion(X_PB.R);
    out_ += cat("<body name='", link.name, "' pos='", text_of(X_PB.p), "' quat='", r.w, " ", r.x, " ", r.y, " ", r.z, "'>");
    out_ += inertial(link);
    for (const Pending& p : joints) {
      const Pose<double> X_BM = X_PB.inverse() * p.X_PM;
      out_ += cat("<joint name='", p.joint->name, "' type='", p.joint->type == JointType::prismatic ? "slide" : "hinge", "' pos='", text_of(X_BM.p), "' axis='",
                  text_of(X_BM.R * p.joint->axis), "' armature='", p.joint->gear * p.joint->gear * p.joint->rotor, "'/>");
    }
    children_of(index, {}, {});
    out_ += "</body>";
  }

  const Model& model_;
  std::string out_;
};

struct Delete {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

class Peer {
 public:
  /// Empty, with MuJoCo's reason in `why`, when it refuses the model.
  static std::optional<Peer> of(const Model& model, std::string& why) {
    const std::string text = Writer(model).text();
    const auto vfs = std::make_unique<mjVFS>();
    mj_defaultVFS(vfs.get());
    mj_makeEmptyFileVFS(vfs.get(), "robot.xml", static_cast<int>(text.size()));
    std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "robot.xml")], text.data(), text.size());
    char error[1000] = "";
    Peer peer;
    peer.model_.reset(mj_loadXML("robot.xml", vfs.get(), error, sizeof error));
    mj_deleteVFS(vfs.get());
    why = error;
    if (!peer.model_) return {};
    peer.data_.reset(mj_makeData(peer.model_.get()));
    for (const std::string& name : model.coordinate_names())
      peer.place_.push_back(peer.model_->jnt_dofadr[mj_name2id(peer.model_.get(), mjOBJ_JOINT, name.c_str())]);
    return peer;
  }

  std::vector<double> inverse(const State& s) {
    set(s);
    mj_inverse(model_.get(), data_.get());
    return sorted(data_->qfrc_inverse);
  }
  Eigen::MatrixXd mass() {
    const int n = model_->nv;
    std::vector<double> full(static_cast<std::size_t>(n * n));
    mj_fullM(model_.get(), full.data(), data_->qM);
    Eigen::MatrixXd M(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M(i, j) = full[static_cast<std::size_t>(place_[static_cast<std::size_t>(i)] * n + place_[static_cast<std::size_t>(j)])];
    return M;
  }
  std::vector<double> forward(const State& s, const std::vector<double>& tau) {
    set(s);
    for (std::size_t k = 0; k < tau.size(); ++k) data_->qfrc_applied[place_[k]] = tau[k];
    mj_forward(model_.get(), data_.get());
    return sorted(data_->qacc);
  }

 private:
  void set(const State& s) {
    mj_resetData(model_.get(), data_.get());
    for (std::size_t k = 0; k < s.q.size(); ++k) {  // only hinges and slides: positions and speeds are numbered alike
      data_->qpos[place_[k]] = s.q[k];
      data_->qvel[place_[k]] = s.v[k];
      data_->qacc[place_[k]] = s.a[k];
    }
  }
  std::vector<double> sorted(const mjtNum* x) const {
    std::vector<double> out;
    for (const int k : place_) out.push_back(x[k]);
    return out;
  }

  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::vector<int> place_;  // where MuJoCo keeps each coordinate
};

class Mujoco : public ::testing::TestWithParam<std::string> {};

TEST_P(Mujoco, TorquesInertiaMatrixAndAccelerations) {
  const Model model = load(GetParam());
  const Plan plan = make_plan(model);
  std::string why;
  std::optional<Peer> peer = Peer::of(model, why);
  if (!peer) GTEST_SKIP() << "MuJoCo refuses " << GetParam() << ": " << why;
  for_each_state(model, [&](const State& s) {
    EXPECT_LT(relative_error(inverse_of(plan, s), peer->inverse(s)), peer_tolerance(model, s, {}));
    const Eigen::MatrixXd M = mass_of(plan, s.q);
    EXPECT_LT(relative_error(M, peer->mass()), 2 * tolerance(steps(model)));
    const std::vector<double> tau = inverse_of(plan, s);
    const double kappa = condition_number(M) + Oracle(model, s.q, s.v, s.a).torque_size() * M.inverse().norm() / largest(s.a);
    EXPECT_LT(relative_error(forward_of(plan, s, tau), peer->forward(s, tau)), 2 * tolerance(steps(model), kappa));
  });
}

INSTANTIATE_TEST_SUITE_P(Builtin, Mujoco, ::testing::ValuesIn(builtin_ids()), test_name);

}  // namespace
}  // namespace ulna::test
#endif
