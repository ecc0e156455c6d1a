#include <ulna/formulation/reactions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/plan/plan.hpp>

#include "formulation/loads.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr LinkLoad<double> kNotKnown{{kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}};

std::string transmitting() {
  std::vector<std::string> ids;
  for (const Formulation& row : formulations())
    if (row.production || row.transmits) ids.emplace_back(row.id);
  return joined(ids);
}

}  // namespace

struct JointReactions::State {
  State(const Prepared& prepared, Quantity what, const Formulation& row) : model(prepared.given), quantity(what), bodies(prepared.size()) {
    plan = make_plan(model, {.snap = prepared.snap, .lumping = Lumping::none});
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      if (joint.type == JointType::fixed) continue;
      out.push_back({j, joint.type == JointType::ball ? Vec3<double>{} : joint.axis, {}, {}});
      behind.push_back(plan.links[joint.child].body);
      X_BM.push_back(plan.links[joint.child].X_BL * joint.X_MB.inverse());
    }
    if (row.production) {
      workspace.emplace(plan);
      opened = plan.opened();
      a.resize(plan.sizes().nv), tau.resize(plan.nv);
      return;
    }
    if (!row.transmits)
      throw std::invalid_argument(cat("formulation ", row.id, " does not have the wrenches that joints transmit; these do: ", transmitting()));
    on_model.emplace(row, quantity, prepared);
    tau.resize(prepared.model.nv());
  }

  /// The masses as they are: lumping moves them between links, which changes what joints transmit.
  void by_production(const InputsOf<double>& in, const Effects& effects) {
    InputsOf<double> motion = in;
    if (quantity == Quantity::forward) {
      ulna::compute(Quantity::forward, plan, *workspace, in, a.data(), effects);
      motion.last = a.data();
    } else if (quantity == Quantity::bias) {
      motion.last = nullptr;
    }
    Effects acting = effects;
    if (plan.closed()) {
      cut_loops(motion, effects);
      acting.wrenches = wrenches;
      motion.v = loops.data(), motion.last = loops.data() + plan.nv;
    }
    inverse_dynamics(opened, *workspace, motion.q, motion.v, motion.last, tau.data(), acting);
    const bool bad = std::any_of(tau.begin(), tau.end(), [](double x) { return std::isnan(x); });
    for (std::size_t i = 0; i < out.size(); ++i) {
      const BodyState<double>& body = workspace->bodies[behind[i]];
      set(i, bad ? kNotKnown : LinkLoad<double>{body.f_B, body.n_B}, {});
    }
  }

  /// Motion of the tree into `loops`, and what the joints that close it exert into `wrenches`.
  void cut_loops(InputsOf<double> motion, const Effects& effects) {
    const std::vector<double> rest(plan.sizes().nv, 0.0);
    if (motion.v == nullptr) motion.v = rest.data();
    if (motion.last == nullptr) motion.last = rest.data();
    loops.resize(row_of(Quantity::loop_motion).size(plan.sizes()));
    ulna::compute(Quantity::loop_motion, plan, *workspace, motion, loops.data(), effects);
    const auto pose_of = [&](std::size_t link) {
      std::array<double, 12> x{};
      ulna::compute(Quantity::pose, plan, *workspace, {motion.q, nullptr, nullptr, link}, x.data());
      return Pose<double>{{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
    };
    wrenches.assign(effects.wrenches.begin(), effects.wrenches.end());
    const double* w = loops.data() + 2 * plan.nv;
    for (const Loop& loop : model.loops()) {
      const Pose<double> X_WP = pose_of(loop.predecessor), X_WS = pose_of(loop.successor);
      const Mat3<double> R = X_WP.R * loop.X_PA.R * rotation_z_to(loop.axis);
      const Vec3<double> force = R * Vec3<double>{w[0], w[1], w[2]}, moment = R * Vec3<double>{w[3], w[4], w[5]}, at = X_WS.p + X_WS.R * loop.X_SB.p;
      wrenches.push_back({loop.successor, Axes::world, force, moment + cross(at - X_WS.p, force)});
      wrenches.push_back({loop.predecessor, Axes::world, -force, -(moment + cross(at - X_WP.p, force))});
      w += 6;
    }
  }

  /// From a load where `at` stands in body i, in its axes.
  void set(std::size_t i, const LinkLoad<double>& load, const Pose<double>& at) {
    const Vec3<double> f = at.R * load.F, n = at.R * load.N + cross(at.p - X_BM[i].p, f);
    out[i].force = tmul(X_BM[i].R, f);
    out[i].moment = tmul(X_BM[i].R, n);
  }

  Model model;
  Quantity quantity;
  std::size_t bodies;  // of the formulation: a base that moves is joints before the model's
  std::vector<JointReaction> out;
  Plan plan, opened;
  std::vector<std::size_t> behind;  // the plan's body behind the joint
  std::vector<Pose<double>> X_BM;   // the joint's frame in the plan's body
  std::vector<double> tau, a, loops;
  std::vector<Wrench> wrenches;
  std::optional<Workspace> workspace;          // of the production path
  std::optional<FormulationOnModel> on_model;  // of the others
};

JointReactions::JointReactions(const Prepared& robot, Quantity from, const Formulation& formulation)
    : state_(std::make_unique<State>(robot, from, formulation)) {}
JointReactions::JointReactions(JointReactions&&) noexcept = default;
JointReactions& JointReactions::operator=(JointReactions&&) noexcept = default;
JointReactions::~JointReactions() = default;

std::span<const JointReaction> JointReactions::compute(const InputsOf<double>& in, const Effects& effects, std::span<const JointControl> control) {
  State& s = *state_;
  std::vector<LinkLoad<double>> across(s.out.size());  // in the joints' frames
  for (const JointControl& one : control) {
    const auto at = std::find_if(s.out.begin(), s.out.end(), [&](const JointReaction& r) { return r.joint == one.joint; });
    if (at == s.out.end()) throw std::invalid_argument(cat("control: joint ", one.joint, " is none that moves"));
    const Joint& joint = s.model.joints()[one.joint];
    const Vec3<double>& driven = joint.type == JointType::prismatic ? one.force : one.moment;
    const bool ball = joint.type == JointType::ball;
    if (ball ? dot(driven, driven) > 0 : std::fabs(dot(driven, joint.axis)) > kKeptDigits * std::sqrt(dot(driven, driven)))
      throw std::invalid_argument(cat("control of joint ", in_quotes(joint.name), " has a ", ball ? "moment" : "part along the joint's axis",
                                      ", which is its drive's: give ", ball ? "it" : "that part", " as torque"));
    LinkLoad<double>& load = across[static_cast<std::size_t>(at - s.out.begin())];
    load.F = load.F + one.force, load.N = load.N + one.moment;
  }
  bool subtract = !control.empty();
  if (!s.on_model) {
    s.by_production(in, effects);
  } else {
    const std::size_t first = s.bodies - s.out.size();
    std::vector<LinkLoad<double>> loads;  // Nasser's f^c and n^c
    if (subtract && s.quantity == Quantity::forward) {
      loads.resize(s.bodies);
      for (std::size_t i = 0; i < s.out.size(); ++i) {
        const Vec3<double> force = s.X_BM[i].R * across[i].F;
        loads[first + i] = {force, s.X_BM[i].R * across[i].N + cross(s.X_BM[i].p, force)};
      }
      subtract = false;
    }
    s.on_model->set_control(loads);
    s.on_model->compute(s.quantity, in, s.tau.data(), effects);
    const bool bad = std::any_of(s.tau.begin(), s.tau.end(), [](double x) { return std::isnan(x); });
    for (std::size_t i = 0; i < s.out.size(); ++i) {
      const auto [load, at] = s.on_model->transmitted(first + i);
      s.set(i, bad ? kNotKnown : load, at);
    }
  }
  for (std::size_t i = 0; subtract && i < s.out.size(); ++i) {
    s.out[i].force = s.out[i].force - across[i].F;
    s.out[i].moment = s.out[i].moment - across[i].N;
  }
  return s.out;
}

}  // namespace ULNA_API
