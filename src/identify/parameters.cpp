#include <ulna/identify/identify.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "identify/random_states.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"

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
  require_no_balls(model, "identification");
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
  require_no_balls(model, "identification");
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
  require_no_balls(model, "identification");
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

// Base parameters.

namespace {

using Real = long double;
// A column that is a sum of others leaves rounding, some 1e-17 of its length; one that is not leaves far more than this.
constexpr Real kNothing = 1e-11L;
// A term this small against the others of its column is rounding.
constexpr Real kNoTerm = 1e-13L;
// And so is a column this short against the longest.
constexpr Real kNoColumn = 1e-15L;

// Beyond, it takes minutes.
constexpr std::size_t kMostBodies = 120;

/// Columns of the regressor in many states, each of length 1.
struct SampledColumns {
  std::vector<std::vector<Real>> of;
  std::vector<Real> length;
};

SampledColumns in_random_states(const Model& model, const Plan& plan) {
  const std::size_t n = plan.sizes().nv, columns = kBodyParameters * plan.sizes().bodies;
  const std::size_t states = 2 * columns / n + 8;
  SampledColumns Y{std::vector<std::vector<Real>>(columns), std::vector<Real>(columns)};
  for (std::vector<Real>& column : Y.of) column.reserve(states * n);
  std::vector<Real> out(n * columns);
  internal::RandomStates<Real> state(model, plan, 2026, {std::numbers::pi_v<Real>, 2, 4});
  for (std::size_t s = 0; s < states; ++s) {
    state.next();
    state.regressor(out.data());
    for (std::size_t c = 0; c < columns; ++c)
      Y.of[c].insert(Y.of[c].end(), out.begin() + static_cast<long>(c * n), out.begin() + static_cast<long>((c + 1) * n));
  }
  for (std::size_t c = 0; c < columns; ++c) {
    Real sum = 0;
    for (const Real x : Y.of[c]) sum += x * x;
    Y.length[c] = std::sqrt(sum);
    for (Real& x : Y.of[c]) x /= Y.length[c] == 0 ? 1 : Y.length[c];
  }
  return Y;
}

/// In the order in which columns are tried: those that the literature keeps first, so that the others become sums of them.
std::vector<std::size_t> preferred(const Plan& plan) {
  std::vector<std::size_t> kept, others;
  const std::size_t before = plan.free ? 1 : 0;
  for (std::size_t k = 0; k < kBodyParameters * before; ++k) kept.push_back(k);  // a free base keeps all
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    const Mat3<double> R = kernel::link_frame(plan, body).R;
    const double axis[] = {std::fabs(R.zx), std::fabs(R.zy), std::fabs(R.zz)};  // of the joint, in the link's axes
    const std::size_t along = static_cast<std::size_t>(std::max_element(axis, axis + 3) - axis);
    // Across the axis: J_yy where the axis is z or x, J_xx where it is y.
    const std::size_t across = along == 1 ? 0 : 1;
    for (std::size_t k = 0; k < kBodyParameters; ++k) {
      const bool mass = k == 0, on_axis = k == 1 + along, tensor = k >= 4;
      const bool dropped = body.prismatic ? tensor : mass || on_axis || k == 4 + across;
      (dropped ? others : kept).push_back(kBodyParameters * (before + i) + k);
    }
  }
  kept.insert(kept.end(), others.begin(), others.end());
  return kept;
}

Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// Gram-Schmidt, every column twice: columns that are left over are independent, of others it is known which sum they are.
struct Relations {
  std::vector<std::size_t> independent;  // columns, in the order found
  std::vector<std::size_t> dependent;    // columns that are sums, and not zero
  std::vector<std::vector<Real>> sum;    // of each dependent one: factors of the independent ones
  std::vector<std::size_t> zero;         // columns
};

Relations relations(const SampledColumns& Y, const std::vector<std::size_t>& order) {
  Relations out;
  const Real longest = *std::max_element(Y.length.begin(), Y.length.end());
  std::vector<std::vector<Real>> Q, R;  // R[k]: column k of the triangle, over independent ones
  for (const std::size_t c : order) {
    if (Y.length[c] <= kNoColumn * longest) {
      out.zero.push_back(c);
      continue;
    }
    std::vector<Real> x = Y.of[c], r(Q.size(), 0);
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < Q.size(); ++k) {
        const Real part = dot(Q[k], x);
        if (part == 0) continue;
        r[k] += part;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] -= part * Q[k][i];
      }
    const Real left = std::sqrt(dot(x, x));
    if (left > kNothing) {
      for (Real& e : x) e /= left;
      r.push_back(left);
      Q.push_back(std::move(x));
      R.push_back(std::move(r));
      out.independent.push_back(c);
      continue;
    }
    out.dependent.push_back(c);
    out.sum.push_back(std::move(r));  // in the axes of Q; solved below, when all of R is there
  }
  for (std::vector<Real>& r : out.sum) {
    r.resize(R.size(), 0);
    for (std::size_t k = R.size(); k-- > 0;) {
      r[k] /= R[k][k];
      for (std::size_t i = 0; i < k; ++i) r[i] -= R[k][i] * r[k];
    }
  }
  return out;
}

/// Rounding of the last digits taken off: 0.99999999999999998 is 1.
double clean(Real x) {
  const double whole = static_cast<double>(std::round(x));
  return std::fabs(x - static_cast<Real>(whole)) < kNoTerm ? whole : static_cast<double>(x);
}

std::string written(const std::vector<BaseParameter::Term>& terms, const std::vector<Parameter>& parameters) {
  std::string text;
  for (const BaseParameter::Term& term : terms) {
    const double size = std::fabs(term.factor);
    text += text.empty() ? (term.factor < 0 ? "-" : "") : (term.factor < 0 ? " - " : " + ");
    if (size != 1) text += cat(size, " ");
    text += parameters[term.parameter].name;
  }
  return text;
}

}  // namespace

std::vector<double> BaseParameters::of(const std::vector<double>& values) const {
  std::vector<double> out;
  for (const BaseParameter& one : base) {
    double sum = 0;
    for (const BaseParameter::Term& term : one.terms) sum += term.factor * values[term.parameter];
    out.push_back(sum);
  }
  return out;
}

BaseParameters base_parameters(const Model& model, double snap) {
  require_no_balls(model, "identification");
  const Plan plan = make_plan(model, {.snap = snap, .lumping = Lumping::none});
  BaseParameters out;
  out.parameters = body_parameters(model, snap);
  if (out.parameters.empty()) return out;
  if (plan.sizes().bodies > kMostBodies)
    throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has ", plan.sizes().bodies, " moving bodies; base parameters are found of up to ",
                                    kMostBodies, ", because the work grows with the third power"));
  const SampledColumns Y = in_random_states(model, plan);
  const Relations found = relations(Y, preferred(plan));
  for (const std::size_t c : found.independent) out.base.push_back({out.parameters[c].name, {}, 0, {{c, 1}}});
  for (std::size_t d = 0; d < found.dependent.size(); ++d)
    for (std::size_t k = 0; k < found.independent.size(); ++k) {
      if (std::fabs(found.sum[d][k]) < kNoTerm) continue;
      // Columns were made of length 1.
      out.base[k].terms.push_back({found.dependent[d], clean(found.sum[d][k] * Y.length[found.dependent[d]] / Y.length[found.independent[k]])});
    }
  std::sort(out.base.begin(), out.base.end(), [](const BaseParameter& a, const BaseParameter& b) { return a.terms[0].parameter < b.terms[0].parameter; });
  std::vector<double> values;
  for (const Parameter& one : out.parameters) values.push_back(one.value);
  const std::vector<double> sums = out.of(values);
  for (std::size_t k = 0; k < out.base.size(); ++k) {
    std::sort(out.base[k].terms.begin() + 1, out.base[k].terms.end(), [](const auto& a, const auto& b) { return a.parameter < b.parameter; });
    out.base[k].expression = written(out.base[k].terms, out.parameters);
    out.base[k].value = sums[k];
  }
  out.no_effect = found.zero;
  out.only_in_sums = found.dependent;
  std::sort(out.no_effect.begin(), out.no_effect.end());
  std::sort(out.only_in_sums.begin(), out.only_in_sums.end());
  return out;
}

}  // namespace ULNA_API
