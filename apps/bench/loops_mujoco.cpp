// MuJoCo's forward dynamics with equality constraints. They are soft: accelerations give way by 1 - d of what a constraint must do, d its impedance, which is
// set to 0.9999; and they know nothing of J̇ v, so that it is compared at rest.
#include <algorithm>
#include <cstdlib>

#include "loops.hpp"
#include "mujoco_peer.hpp"
#include "programs/interface.hpp"

namespace ulna::bench {

namespace {

class MujocoLoops : public LoopPeer {
 public:
  explicit MujocoLoops(const Mechanism& robot)
      : points_(loop_points(robot)), peer_(robot.tree(), equalities(robot)), model_(mj_copyModel(nullptr, peer_.raw())) {
    // Where the points are in both bodies: its reader knows one, and takes the other from where the bodies stand at q = 0, which need not be closed.
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const double data[] = {points_[k].p_P.x, points_[k].p_P.y, points_[k].p_P.z, points_[k].p_S.x, points_[k].p_S.y, points_[k].p_S.z};
      std::copy(std::begin(data), std::end(data), model_->eq_data + k * mjNEQDATA);
    }
    data_ = mj_makeData(model_);
  }
  ~MujocoLoops() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  std::string version() const override { return peers::MujocoPeer::version(); }
  bool at_rest() const override { return true; }
  void forward(const double* q, const double* v, const double* tau) override {
    for (std::size_t k = 0; k < peer_.place().size(); ++k) {
      const std::size_t at = peer_.place()[k];
      data_->qpos[at] = q[k], data_->qvel[at] = v[k], data_->qfrc_applied[at] = tau[k];
    }
    mj_forward(model_, data_);
  }
  double acceleration(std::size_t coordinate) const override { return data_->qacc[peer_.place()[coordinate]]; }

 private:
  static std::string equalities(const Mechanism& robot) {
    const auto body = [&](std::size_t link) {
      const Link& l = robot.tree().links()[link];
      if (link == 0) return std::string("world");
      if (l.mass == 0) throw std::runtime_error("a link without mass closes a loop");
      return std::to_string(link);
    };
    std::string text = "<equality>";
    for (const LoopPoint& point : loop_points(robot))
      text += cat("<connect body1='", body(point.predecessor), "' body2='", body(point.successor), "' anchor='0 0 0' solimp='0.9999 0.9999 0.001 0.5 2'/>");
    return text + "</equality>";
  }

  std::vector<LoopPoint> points_;
  peers::MujocoPeer peer_;
  mjModel* model_;
  mjData* data_;
};

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) {
  mju_user_warning = [](const char*) {};
  mju_user_error = [](const char* text) {
    std::fprintf(stderr, "%s\n", text);
    std::_Exit(1);
  };
  return ulna::bench::serve_loops(argc, argv, [](const ulna::Mechanism& robot) { return std::make_unique<ulna::bench::MujocoLoops>(robot); });
}
