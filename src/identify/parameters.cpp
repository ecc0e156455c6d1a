#include <ulna/identify/identify.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "identify/random_states.hpp"
#include "text/cat.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

struct Word {
  const char *name, *unit;
};
constexpr std::array kWords{Word{"m", "kg"},        Word{"h_x", "kg m"},    Word{"h_y", "kg m"},    Word{"h_z", "kg m"},    Word{"J_xx", "kg m^2"},
                            Word{"J_yy", "kg m^2"}, Word{"J_zz", "kg m^2"}, Word{"J_xy", "kg m^2"}, Word{"J_xz", "kg m^2"}, Word{"J_yz", "kg m^2"}};

/// Of each body of a plan.
std::vector<std::size_t> moving_joints(const Model& model) {
  std::vector<std::size_t> joints;
  for (std::size_t j = 0; j < model.joints().size(); ++j)
    if (model.joints()[j].type != JointType::fixed) joints.push_back(j);
  return joints;
}

}  // namespace

std::vector<Parameter> body_parameters(const Model& model, double snap) {
  const Plan plan = make_plan(model, {.snap = snap, .lumping = Lumping::none});
  std::vector<Parameter> out;
  for (std::size_t i = 0; i < plan.sizes().bodies; ++i) {
    std::array<double, kBodyParameters> values{};
    kernel::parameters(plan, i, values.data());
    const bool root = plan.free && i == 0;
    const std::size_t link = root ? 0 : plan.bodies[plan.free ? i - 1 : i].link;
    const std::string name = link == kNone ? cat("base.", i == 0 ? "x" : "y") : model.links()[link].name;
    for (std::size_t k = 0; k < kWords.size(); ++k) out.push_back({cat(kWords[k].name, ".", name), kWords[k].unit, values[k], ParameterKind::body, i});
  }
  return out;
}

std::vector<Parameter> drive_parameters(const Model& model, double snap) {
  const Plan plan = make_plan(model, {.snap = snap, .lumping = Lumping::none});
  const std::vector<std::size_t> joints = moving_joints(model);
  const std::size_t first = plan.bodies.size() - joints.size();  // behind those of a planar base
  std::vector<Parameter> out;
  const auto each = [&](const char* name, const char* turning, const char* sliding, ParameterKind kind, double (*value)(const PlanBody<double>&)) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const PlanBody<double>& body = plan.bodies[first + i];
      out.push_back({cat(name, ".", model.joints()[joints[i]].name), body.prismatic ? sliding : turning, value(body), kind, first + i});
    }
  };
  each("rotor", "kg m^2", "kg", ParameterKind::rotor, [](const PlanBody<double>& b) { return b.rotor; });
  each("viscous", "N m s/rad", "N s/m", ParameterKind::viscous, [](const PlanBody<double>& b) { return b.friction.viscous; });
  each("coulomb", "N m", "N", ParameterKind::coulomb, [](const PlanBody<double>& b) { return b.friction.coulomb; });
  const std::vector<std::size_t> driven = model.driven();
  for (std::size_t k = 0; k < driven.size(); ++k) {
    const Joint& joint = model.joints()[driven[k]];
    out.push_back({cat("offset.", joint.name), joint.type == JointType::prismatic ? "N" : "N m", 0, ParameterKind::offset, base_nv(model.base()) + k});
  }
  return out;
}

void drive_columns(const Plan& plan, Workspace& ws, std::span<const Parameter> drives, const double* q, const double* v, const double* a,
                   double* out) noexcept {
  const std::size_t n = plan.sizes().nv;
  for (std::size_t k = 0; k < n * drives.size(); ++k) out[k] = 0;
  if (plan.closed()) {  // speeds and accelerations of all joints; torques gathered
    kernel::resolve_loops(plan, ws, q);
    v = kernel::complete_speeds(plan, ws, v);
    a = kernel::complete_accelerations(plan, ws, v, a);
  }
  for (std::size_t c = 0; c < drives.size(); ++c) {
    const Parameter& drive = drives[c];
    if (drive.kind == ParameterKind::offset) {
      out[drive.index + n * c] = 1;
      continue;
    }
    const PlanBody<double>& body = plan.bodies[drive.index];
    const double rate = body.multiplier * v[body.v];
    const double torque = body.multiplier * (drive.kind == ParameterKind::rotor     ? body.multiplier * a[body.v]
                                             : drive.kind == ParameterKind::viscous ? rate
                                                                                    : sign(rate));
    if (!plan.closed()) {
      out[body.v + n * c] = torque;
      continue;
    }
    for (double& x : ws.closed.x) x = 0;
    ws.closed.x[body.v] = torque;
    kernel::gather(plan, ws.closed, ws.closed.x.data(), out + n * c);
  }
}

std::vector<std::size_t> without_effect(const Model& model, double snap) {
  constexpr int kStates = 6;
  constexpr double kNothing = 1e-12;  // of the largest entry: rounding
  const Plan plan = make_plan(model, {.snap = snap, .lumping = Lumping::none});
  const std::size_t n = plan.sizes().nv, columns = kBodyParameters * plan.sizes().bodies;
  std::vector<double> Y(n * columns), largest(columns, 0);
  internal::RandomStates<double> state(model, plan, 23, {3, 3, 3});
  for (int s = 0; s < kStates; ++s) {
    state.next();
    state.regressor(Y.data());
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t k = 0; k < n; ++k) largest[c] = std::fmax(largest[c], std::fabs(Y[k + c * n]));
  }
  std::vector<std::size_t> out;
  const double most = columns == 0 ? 0 : *std::max_element(largest.begin(), largest.end());
  for (std::size_t c = 0; c < columns; ++c)
    if (largest[c] <= kNothing * most) out.push_back(c);
  return out;
}

}  // namespace ULNA_API
