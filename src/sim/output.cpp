#include <ulna/sim/simulate.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ulna/formulation/formulation.hpp>

#include "formulation/kane_stanford.hpp"
#include "sim/base_state.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

double Audit::relative_difference() const {
  constexpr double kLeast = 1e-3;
  double most = 0, worst = 0;
  for (const double scale : difference_scale) most = std::max(most, scale);
  for (std::size_t i = 0; i < difference.size(); ++i) {
    if (difference[i] == 0) continue;
    const double relative = difference[i] / std::max(difference_scale[i], kLeast * most);
    if (!(relative <= worst)) worst = relative;  // NaN, too
  }
  return worst;
}

std::vector<std::string> column_names(const Scenario& scenario) {
  std::vector<std::string> names{"t"};
  const Model& model = scenario.model;
  for (const std::string& name : model.position_names()) names.push_back("q." + name);
  const Model tree = without_loops(model);
  for (const char* part : {"v.", "a."})
    for (const std::string& name : tree.velocity_names()) names.push_back(part + name);
  for (const std::string& name : tree.effort_names()) names.push_back("tau." + name);
  if (scenario.paper_columns) names.insert(names.end(), {"tau1", "tau2", "tau3", "tau4", "tau5", "sigma"});
  if (const ConstantOfMotion own = formulation_named(scenario.formulation).constant; !own.symbol.empty()) names.emplace_back(own.symbol);
  return names;
}

std::vector<double> of_all_joints(const Model& model, const std::vector<double>& values) {
  if (!model.closed()) return values;
  const std::vector<std::size_t> places = model.order().independent;
  const std::size_t n = places.size(), all = model.nv_tree();
  std::vector<double> out(values.size() / n * all, 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) out[k / n * all + places[k % n]] = values[k];
  return out;
}

void row_values(const Scenario& scenario, const Trajectory& r, std::size_t row, std::vector<double>& values) {
  if (row >= r.rows()) throw std::invalid_argument(cat("row ", row, " is out of range: there are ", r.rows()));
  const std::size_t n = r.size;
  values.assign(1, r.t[row]);
  values.insert(values.end(), &r.q[row * r.positions], &r.q[row * r.positions] + r.positions);
  const std::size_t all = scenario.model.nv_tree();
  for (const std::vector<double>* part : {r.joint_v.empty() ? &r.v : &r.joint_v, r.joint_a.empty() ? &r.a : &r.joint_a})
    values.insert(values.end(), &(*part)[row * all], &(*part)[row * all] + all);
  const std::vector<double> tau = of_all_joints(scenario.model, {&r.tau[row * n], &r.tau[row * n] + n});
  values.insert(values.end(), tau.begin(), tau.end());
  if (scenario.paper_columns) {
    const std::array<double, 7> force = stanford_forces_from_chain(&r.tau[row * n]);
    values.insert(values.end(), force.begin() + 1, force.end());
  }
  if (!r.constant.empty()) values.push_back(r.constant[row]);
}

namespace {

bool slides(const Model& model, std::size_t joint) { return model.joints()[joint].type == JointType::prismatic; }

/// Whether a number of v belongs to a translation. A free base has angular numbers first, a planar one x, y and yaw.
bool linear(const Model& model, std::size_t number) {
  const std::size_t base = base_nv(model.base());
  if (number >= base) return slides(model, model.driven()[number - base]);
  return model.base() == RootJoint::free ? number >= 3 : number < 2;
}

}  // namespace

std::string position_unit(const Model& model, std::size_t number) {
  const std::size_t base = base_nq(model.base());
  if (number >= base) {
    const std::vector<std::size_t> places = model.places();
    const auto found = std::find(places.begin(), places.end(), number);
    if (found == places.end()) return "1";  // w of a ball joint
    const Joint& joint = model.joints()[model.independent()[static_cast<std::size_t>(found - places.begin())]];
    return joint.type == JointType::ball ? "1" : joint.type == JointType::prismatic ? "m" : "rad";
  }
  return model.base() == RootJoint::free ? (number < 3 ? "m" : "1") : number < 2 ? "m" : "rad";
}
std::string velocity_unit(const Model& model, std::size_t number) { return linear(model, number) ? "m/s" : "rad/s"; }
std::string effort_unit(const Model& model, std::size_t number) { return linear(model, number) ? "N" : "N m"; }

Tracking tracking_of(const Scenario& scenario, const Trajectory& trajectory) {
  const std::unique_ptr<ReferenceMotion> reference = make_reference(scenario);
  if (reference == nullptr) return {};
  const std::vector<std::size_t> driven = internal::sim::driven_positions(scenario.model);
  const std::size_t n = driven.size();
  std::vector<double> q(n), v(n), a(n);
  Tracking result{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    reference->at(trajectory.t[row], q.data(), v.data(), a.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double error = std::abs(q[i] - trajectory.q[row * trajectory.positions + driven[i]]);
      result.peak[i] = std::max(result.peak[i], error);
      result.rms[i] += error * error;
    }
  }
  for (double& sum : result.rms) sum = trajectory.rows() > 0 ? std::sqrt(sum / static_cast<double>(trajectory.rows())) : 0;
  return result;
}

}  // namespace ULNA_API
}  // namespace ulna
