#include "mujoco_peer.hpp"

#include <algorithm>
#include <cstring>

#include <Eigen/Dense>

#include "programs/interface.hpp"

namespace ulna::peers {

namespace {

std::string text_of(const Vec3<double>& v) { return cat(v.x, " ", v.y, " ", v.z); }

/// A model as MJCF. Links without inertia between moving joints are left out and their joints given to the next body, which MuJoCo allows.
/// Joints and links bear their numbers as names, so that no name needs escaping.
class Writer {
 public:
  Writer(const Model& model, const std::string& more) : model_(model), written_(model.joints().size(), false) {
    out_ = cat("<mujoco><compiler angle='radian' boundmass='0' boundinertia='0' balanceinertia='false'/><size njmax='100' nconmax='10'/><option gravity='",
               text_of(model.gravity()), "'><flag contact='disable' limit='disable'/></option><worldbody>");
    if (model.base() == RootJoint::free)
      body(0, {}, {});
    else
      children_of(0, {}, {});
    out_ += "</worldbody>" + more + "</mujoco>";
  }
  const std::string& text() const { return out_; }

 private:
  struct Pending {
    std::size_t joint;
    Pose<double> X_PM;  // at q = 0, in the frame of the body that MuJoCo knows as parent
  };

  static bool is_bare(const Link& link) { return link.mass == 0 && link.inertia == Sym3<double>{}; }

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

  void children_of(std::size_t link, const Pose<double>& X_PL, const std::vector<Pending>& pending) {
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const Joint& joint = model_.joints()[j];
      if (joint.parent != link) continue;
      std::vector<Pending> joints = pending;
      const Pose<double> X_PM = X_PL * joint.X_PF, X_PB = X_PM * joint.X_MB;
      if (joint.type != JointType::fixed) joints.push_back({j, X_PM});
      const Link& child = model_.links()[joint.child];
      if (is_bare(child))
        children_of(joint.child, X_PB, joints);
      else
        body(joint.child, X_PB, joints);
    }
  }

  void body(std::size_t index, const Pose<double>& X_PB, const std::vector<Pending>& joints) {
    const Quaternion r = quaternion(X_PB.R);
    out_ += cat("<body name='", index, "' pos='", text_of(X_PB.p), "' quat='", r.w, " ", r.x, " ", r.y, " ", r.z, "'>");
    out_ += inertial(model_.links()[index]);
    if (index == 0) out_ += "<freejoint name='base'/>";
    for (const Pending& p : joints) {
      const Joint& joint = model_.joints()[p.joint];
      if (written_[p.joint]) throw Refused(cat("joint ", in_quotes(joint.name), " moves a link without mass that carries two others"));
      written_[p.joint] = true;
      const Pose<double> X_BM = X_PB.inverse() * p.X_PM;
      out_ += cat("<joint name='", p.joint, "' type='", joint.type == JointType::prismatic ? "slide" : "hinge", "' pos='", text_of(X_BM.p), "' axis='",
                  text_of(X_BM.R * joint.axis), "' armature='", joint.gear * joint.gear * joint.rotor, "'/>");
    }
    children_of(index, {}, {});
    out_ += "</body>";
  }

  const Model& model_;
  std::vector<bool> written_;  // of each joint
  std::string out_;
};

/// "Error: what is wrong; what to do\nwhere": where and what to do are about the MJCF text, which nobody sees.
std::string reason_of(std::string error) {
  constexpr std::string_view kPrefix = "Error: ";
  if (error.starts_with(kPrefix)) error.erase(0, kPrefix.size());
  return error.substr(0, error.find_first_of(";\n"));
}

}  // namespace

MujocoPeer::MujocoPeer(const Model& model, const std::string& more) : free_(model.base() == RootJoint::free) {
  if (model.base() == RootJoint::planar) throw Refused("a planar base");
  if (free_ && model.links().front().mass == 0) throw Refused("a free base without mass");
  for (const Joint& joint : model.joints())
    if (joint.mimic) throw Refused("mimic joints");
  const std::string text = Writer(model, more).text();
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "robot.xml", static_cast<int>(text.size()));
  std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "robot.xml")], text.data(), text.size());
  char error[1000] = "";
  model_.reset(mj_loadXML("robot.xml", vfs.get(), error, sizeof error));
  mj_deleteVFS(vfs.get());
  if (!model_) throw Refused(reason_of(error));
  data_.reset(mj_makeData(model_.get()));
  if (free_) place_ = {3, 4, 5, 0, 1, 2};  // angular, linear
  for (const std::size_t j : model.independent()) {
    const int id = mj_name2id(model_.get(), mjOBJ_JOINT, std::to_string(j).c_str());
    if (id < 0) throw Refused(cat("joint ", in_quotes(model.joints()[j].name), " moves nothing that has mass"));
    place_.push_back(static_cast<std::size_t>(model_->jnt_dofadr[id]));
  }
}

std::string MujocoPeer::version() { return mj_versionString(); }

std::vector<double> MujocoPeer::torques(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  mj_resetData(model_.get(), data_.get());
  put_position(q);
  put(data_->qvel, v, q);
  put(data_->qacc, a, q);
  mj_inverse(model_.get(), data_.get());
  return sorted(data_->qfrc_inverse, q);
}

std::vector<double> MujocoPeer::mass(const std::vector<double>& q) {
  mj_resetData(model_.get(), data_.get());
  put_position(q);
  mj_fwdPosition(model_.get(), data_.get());
  const std::size_t n = place_.size();
  std::vector<double> full(n * n), M(n * n);
  mj_fullM(model_.get(), full.data(), data_->qM);
  // Its rows, then, of what came out, its columns: M = Tᵀ M' T, T turns our velocities into MuJoCo's.
  std::vector<double> half(n * n), column(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) column[i] = full[i * n + j];
    const std::vector<double> own = sorted(column.data(), q);
    for (std::size_t i = 0; i < n; ++i) half[i * n + j] = own[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double> own = sorted(half.data() + i * n, q);
    std::copy(own.begin(), own.end(), M.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  return M;
}

std::vector<double> MujocoPeer::accelerations(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& tau) {
  mj_resetData(model_.get(), data_.get());
  put_position(q);
  put(data_->qvel, v, q);
  put(data_->qfrc_applied, tau, q);
  mj_forward(model_.get(), data_.get());
  return sorted(data_->qacc, q);
}

/// Hinges and slides have one number each; a free base has seven of q and six of v, so that what comes behind it stands one further.
void MujocoPeer::put_position(const std::vector<double>& q) const {
  const std::size_t base_q = free_ ? 7 : 0, base_v = free_ ? 6 : 0;
  for (std::size_t k = base_q; k < q.size(); ++k) data_->qpos[place_[k - base_q + base_v] + base_q - base_v] = q[k];
  if (!free_) return;
  const double numbers[] = {q[0], q[1], q[2], q[6], q[3], q[4], q[5]};
  std::copy_n(numbers, 7, data_->qpos);
}

/// Velocities, accelerations and torques alike: linear numbers of a free base are in the world's axes.
void MujocoPeer::put(mjtNum* x, const std::vector<double>& values, const std::vector<double>& q) const {
  for (std::size_t k = 0; k < values.size(); ++k) x[place_[k]] = values[k];
  if (!free_) return;
  const mjtNum turn[] = {q[6], q[3], q[4], q[5]}, linear[] = {x[0], x[1], x[2]};
  mju_rotVecQuat(x, linear, turn);
}

std::vector<double> MujocoPeer::sorted(const mjtNum* x, const std::vector<double>& q) const {
  std::vector<double> out;
  for (const std::size_t k : place_) out.push_back(x[k]);
  if (!free_) return out;
  const mjtNum back[] = {q[6], -q[3], -q[4], -q[5]};
  mju_rotVecQuat(out.data() + 3, x, back);
  return out;
}

}  // namespace ulna::peers
