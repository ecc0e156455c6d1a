// MuJoCo: by the parts of its pipeline that a task needs, and by the whole calls, which do more (constraints, sensors, transmissions).
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "mujoco_peer.hpp"
#include "subject.hpp"

namespace ulna::bench {

namespace {

class MujocoWorker : public Worker<double> {
 public:
  MujocoWorker(std::shared_ptr<const peers::MujocoPeer> peer, std::shared_ptr<const States<double>> states, bool parts)
      : peer_(std::move(peer)), data_(mj_makeData(peer_->raw())), states_(std::move(states)), parts_(parts) {}
  ~MujocoWorker() override { mj_deleteData(data_); }

  void run(Job job, std::size_t first, std::size_t count, double* out, std::size_t stride) override {
    const States<double>& s = *states_;
    const auto put = [&](const std::vector<double>& from, std::size_t k, mjtNum* to) {
      const std::size_t size = &from == &s.q ? s.nq : s.n;
      std::copy_n(from.data() + k * size, size, to);
    };
    for (std::size_t k = first; k < first + count; ++k, out += stride) {
      put(s.q, k, data_->qpos);
      if (job == Job::mass) {
        mass(out);
        continue;
      }
      put(s.v, k, data_->qvel);
      if (job == Job::inverse) {
        put(s.a, k, data_->qacc);
        inverse(out);
      } else {
        forward(s.tau.data() + k * s.n, out);
      }
    }
  }

 private:
  void mass(double* out) {
    const mjModel* m = peer_->raw();
    mj_kinematics(m, data_);
    mj_comPos(m, data_);
    mj_crb(m, data_);
    mj_fullM(m, out, data_->qM);
  }

  void inverse(double* out) {
    const mjModel* m = peer_->raw();
    if (!parts_) {
      mj_inverse(m, data_);
      std::copy_n(data_->qfrc_inverse, states_->n, out);
      return;
    }
    mj_kinematics(m, data_);
    mj_comPos(m, data_);
    mj_comVel(m, data_);
    mj_rne(m, data_, 1, out);
  }

  void forward(const double* tau, double* out) {
    const mjModel* m = peer_->raw();
    if (!parts_) {
      std::copy_n(tau, states_->n, data_->qfrc_applied);
      mj_forward(m, data_);
      std::copy_n(data_->qacc, states_->n, out);
      return;
    }
    mj_kinematics(m, data_);
    mj_comPos(m, data_);
    mj_crb(m, data_);
    mj_factorM(m, data_);
    mj_comVel(m, data_);
    mj_rne(m, data_, 0, data_->qfrc_bias);
    for (std::size_t i = 0; i < states_->n; ++i) data_->qfrc_smooth[i] = tau[i] - data_->qfrc_bias[i];
    mj_solveM(m, data_, out, data_->qfrc_smooth, 1);
  }

  std::shared_ptr<const peers::MujocoPeer> peer_;
  mjData* data_;
  std::shared_ptr<const States<double>> states_;
  bool parts_;
};

/// mj_step with its Runge-Kutta integrator, everything switched off that an arm without contacts does not need.
class MujocoSimulation : public Worker<double> {
 public:
  MujocoSimulation(const peers::MujocoPeer& peer, std::shared_ptr<const States<double>> states)
      : model_(mj_copyModel(nullptr, peer.raw())), states_(std::move(states)) {
    model_->opt.integrator = mjINT_RK4;
    model_->opt.timestep = kSimulatedStep;
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_CLAMPCTRL |
                                mjDSBL_WARMSTART | mjDSBL_ACTUATION | mjDSBL_SENSOR;
    data_ = mj_makeData(model_);
  }
  ~MujocoSimulation() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void run(Job, std::size_t first, std::size_t count, double* out, std::size_t stride) override {
    const States<double>& s = *states_;
    for (std::size_t k = first; k < first + count; ++k, out += stride) {
      std::copy_n(s.q.data() + k * s.n, s.n, data_->qpos);
      std::copy_n(s.v.data() + k * s.n, s.n, data_->qvel);
      std::copy_n(s.tau.data() + k * s.n, s.n, data_->qfrc_applied);
      data_->time = 0;
      for (int step = 0; step < kSimulatedSteps; ++step) mj_step(model_, data_);
      std::copy_n(data_->qpos, s.n, out);
      std::copy_n(data_->qvel, s.n, out + s.n);
    }
  }

 private:
  mjModel* model_;
  mjData* data_;
  std::shared_ptr<const States<double>> states_;
};

/// Three numbers turned by the quaternion x, y, z, w in q[3] to q[6], or back.
void turn(const double* q, bool back, double* x) {
  const double sign = back ? -1 : 1;
  const mjtNum by[] = {q[6], sign * q[3], sign * q[4], sign * q[5]}, from[] = {x[0], x[1], x[2]};
  mju_rotVecQuat(x, from, by);
}

/// States as it takes them, and its results as ours. Its free joint: quaternion w, x, y, z; linear numbers of v, a and tau in the world's axes.
States<double> mujoco_states(const Inputs& inputs, Library& library) {
  if (inputs.model.base() == RootJoint::fixed) return placed(inputs.states, library.place);
  const std::size_t n = inputs.states.n, nq = inputs.states.nq;
  States<double> own = inputs.states;
  for (std::size_t k = 0; k < own.count; ++k)
    for (std::vector<double>* part : {&own.v, &own.a, &own.tau}) turn(&own.q[k * nq], false, &(*part)[k * n + 3]);
  own = placed(own, library.place);
  for (std::size_t k = 0; k < own.count; ++k) std::rotate(&own.q[k * nq + 3], &own.q[k * nq + 6], &own.q[k * nq + 7]);
  // Results are in our order by then. M = Tᵀ M' T: rows, then columns.
  library.settle = [q = inputs.states.q, n, nq](Job job, std::size_t k, double* result) {
    const double* at = &q[k * nq];
    if (job != Job::mass) return turn(at, true, result + 3);
    for (std::size_t i = 0; i < n; ++i) turn(at, true, result + i * n + 3);
    for (std::size_t j = 0; j < n; ++j) {
      double column[] = {result[3 * n + j], result[4 * n + j], result[5 * n + j]};
      turn(at, true, column);
      for (std::size_t i = 0; i < 3; ++i) result[(3 + i) * n + j] = column[i];
    }
  };
  return own;
}

Library make(const Inputs& inputs) {
  const auto peer = std::make_shared<const peers::MujocoPeer>(inputs.model);
  Library library{"mujoco", peers::MujocoPeer::version(), "", "as its package was built"};
  library.place.assign(peer->place().begin(), peer->place().end());
  const auto states = std::make_shared<const States<double>>(mujoco_states(inputs, library));
  for (const Job job : kJobs)
    for (const bool parts : {true, false}) {
      if (job == Job::mass && !parts) continue;
      add_rows<double>(library, parts ? "parts" : "whole", job, [=] { return std::make_unique<MujocoWorker>(peer, states, parts); });
    }
  if (!peer->free_base()) add_rows<double>(library, "rk4", Job::simulate, [=] { return std::make_unique<MujocoSimulation>(*peer, states); });
  return library;
}

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) {
  // By default MuJoCo writes a log file into the current folder.
  mju_user_warning = [](const char*) {};
  mju_user_error = [](const char* text) {
    std::fprintf(stderr, "%s\n", text);
    std::_Exit(1);
  };
  return ulna::bench::serve(argc, argv, ulna::bench::make);
}
