// MJCF as MuJoCo itself reads it: inertia matrix and torques of our reading against those of its compiler, for small files that use one feature each.
#ifdef ULNA_HAVE_MUJOCO
#include <cstring>
#include <memory>

#include <mujoco/mujoco.h>

#include "peers/robots.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

/// MuJoCo on a text.
class Compiled {
 public:
  explicit Compiled(const std::string& text) {
    const auto vfs = std::make_unique<mjVFS>();
    mj_defaultVFS(vfs.get());
    mj_makeEmptyFileVFS(vfs.get(), "robot.xml", static_cast<int>(text.size()));
    std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "robot.xml")], text.data(), text.size());
    char error[1000] = "";
    model_.reset(mj_loadXML("robot.xml", vfs.get(), error, sizeof error));
    mj_deleteVFS(vfs.get());
    if (!model_) throw std::runtime_error(error);
    data_.reset(mj_makeData(model_.get()));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (int j = 0; j < model_->njnt; ++j) out.emplace_back(mj_id2name(model_.get(), mjOBJ_JOINT, j));
    return out;
  }
  /// Hinges and slides alone, so positions and speeds are numbered alike.
  void put(const State& s) {
    std::copy(s.q.begin(), s.q.end(), data_->qpos);
    std::copy(s.v.begin(), s.v.end(), data_->qvel);
    mj_fwdPosition(model_.get(), data_.get());
    mj_fwdVelocity(model_.get(), data_.get());
  }
  Eigen::MatrixXd mass() const {
    std::vector<double> M(static_cast<std::size_t>(model_->nv * model_->nv));
    mj_fullM(model_.get(), M.data(), data_->qM);
    return square(M);
  }
  Eigen::VectorXd bias() const { return Eigen::Map<const Eigen::VectorXd>(data_->qfrc_bias, model_->nv); }

 private:
  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
};

constexpr std::string_view kDefaults = R"(
  <default>
    <joint armature="0.02" axis="0 1 0"/>
    <geom density="700" type="capsule"/>
    <default class="a"><joint pos="0.1 0 0.2" armature="0.3"/><geom type="box" euler="10 20 30"/>
      <default class="b"><joint type="slide" axis="1 0 1"/><geom mass="1.5"/></default></default>
    <default class="c"><geom type="ellipsoid" size="0.1 0.2 0.3"/></default>
  </default>)";

std::string arm(std::string_view compiler, std::string_view first, std::string_view second, std::string_view third) {
  return cat("<mujoco>", compiler, "<size njmax='100' nconmax='10'/><option gravity='0.5 1 -9'/>", kDefaults,
             "<worldbody><body name='one' pos='0 0 0.4' childclass='a'><joint name='j1'/>", first,
             "<body name='two' pos='0.3 0.1 0' euler='20 30 40'><joint name='j2' ref='0.3' axis='0.3 1 0'/><joint name='j3' class='b'/>", second,
             "<body name='three' pos='0 0.2 0.3' axisangle='1 2 3 50'><joint name='j4' class='main' pos='0.1 0.2 0.3'/>", third,
             "</body></body></body></worldbody></mujoco>");
}

std::vector<std::string> files() {
  constexpr std::string_view kDegrees = "<compiler angle='degree'/>";
  constexpr std::string_view kCapsule = "<geom class='main' size='0.05 0.2' pos='0.1 0 0' zaxis='1 2 1'/>";
  constexpr std::string_view kBox = "<geom size='0.1 0.2 0.15' pos='0 0.1 0'/>";
  constexpr std::string_view kEllipsoid = "<geom class='c' pos='0 0 0.2' xyaxes='1 1 0 -1 2 1'/>";
  constexpr std::string_view kCylinder = "<geom type='cylinder' size='0.1' fromto='0 0 0 0.1 0.2 0.4'/>";
  constexpr std::string_view kSphere = "<geom class='main' type='sphere' size='0.12' mass='2' pos='0.2 0 0'/>";
  constexpr std::string_view kFull = "<inertial pos='0.1 0 0.05' mass='1.2' fullinertia='0.3 0.25 0.2 0.02 0.01 -0.03'/>";
  constexpr std::string_view kDiagonal = "<inertial pos='0 0.1 0' mass='0.8' diaginertia='0.1 0.15 0.12' euler='30 40 50'/>";
  return {arm(kDegrees, kCapsule, kBox, kEllipsoid),
          arm(kDegrees, kCylinder, kSphere, kBox),
          arm(kDegrees, kFull, kDiagonal, kSphere),
          arm("<compiler angle='radian' eulerseq='zyx'/>", kDiagonal, kEllipsoid, kCapsule),
          arm("<compiler angle='degree' eulerseq='XYZ'/>", kBox, kDiagonal, kFull),
          arm("<compiler angle='degree' eulerseq='zXy'/>", kDiagonal, kDiagonal, kDiagonal),
          arm("<compiler inertiafromgeom='true'/>", cat(kFull, kCapsule), cat(kDiagonal, kBox), kSphere),
          arm("<compiler settotalmass='5'/>", kCapsule, kFull, kSphere),
          arm("<compiler boundmass='1' boundinertia='0.2'/>", kCapsule, kDiagonal, kFull),
          arm("<compiler inertiagrouprange='0 1'/>", cat(kCapsule, "<geom size='1 1 1' group='3'/>"), kBox, kSphere),
          arm(kDegrees, cat(kCapsule, kCylinder), cat(kBox, kSphere), cat(kEllipsoid, "<geom size='1 1 1' mass='0'/>"))};
}

TEST(Mjcf, SmallFilesAsMujocoReadsThem) {
  const std::vector<std::string> all = files();
  int compared = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(cat("file ", i, ": ", all[i]));
    std::unique_ptr<Compiled> mujoco;
    try {
      mujoco = std::make_unique<Compiled>(all[i]);
    } catch (const std::runtime_error& why) {
      ADD_FAILURE() << "MuJoCo refuses it: " << why.what();
      continue;
    }
    const Model model = parse(all[i], "robot.xml");
    ASSERT_EQ(model.coordinate_names(), mujoco->names());
    const Plan plan = make_plan(model);
    for_each_state(model, [&](State s) {
      mujoco->put(s);
      // Principal axes that MuJoCo 2 finds itself have eight digits (`fullinertia`, several geoms); the rest agrees to rounding.
      const double tolerance = 2e-7;
      EXPECT_LT(relative_error(mass_of(plan, s.q), mujoco->mass()), tolerance);
      s.a.assign(s.a.size(), 0);
      const std::vector<double> bias = inverse_of(plan, s);
      EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(bias.data(), static_cast<Eigen::Index>(bias.size())) - mujoco->bias()).cwiseAbs().maxCoeff(),
                tolerance * mujoco->bias().cwiseAbs().maxCoeff());
    });
    ++compared;
  }
  EXPECT_EQ(compared, 11);
}

// What we write, MuJoCo reads to the same robot.
TEST(Mjcf, WhatIsWrittenMujocoReads) {
  for (const std::string id : {"panda", "ur5", "scara", "stanford", "planar-3r", "iiwa14", "space-arm"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    Diagnostics diagnostics;
    const std::optional<std::string> text = write_mjcf(model, diagnostics);
    ASSERT_TRUE(text);
    Compiled mujoco(*text);
    ASSERT_EQ(model.coordinate_names(), mujoco.names());
    const Plan plan = make_plan(model, {.snap = 0});
    for_each_state(model, [&](const State& s) {
      mujoco.put(s);
      EXPECT_LT(relative_error(mass_of(plan, s.q), mujoco.mass()), 1e-12);
    });
  }
}

}  // namespace
}  // namespace ulna::test
#endif
