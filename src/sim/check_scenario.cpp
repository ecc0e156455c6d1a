#include <cmath>
#include <stdexcept>

#include <ulna/formulation/formulation.hpp>

#include "model/require_fixed_base.hpp"
#include "sim/formulation_forward.hpp"
#include "sim/kane_levinson_law.hpp"
#include "sim/system.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::sim::internal {

namespace {

void require(bool good, const std::string& message) {
  if (!good) throw std::invalid_argument(message);
}

void require_positive(const char* what, double value) { require(value > 0 && std::isfinite(value), cat("the ", what, " must be positive, but it is ", value)); }

}  // namespace

std::string why_no_loads(const Scenario& s) {
  if (s.formulation == production_path().id || (s.disturbances.empty() && !s.base.moves)) return {};
  std::vector<Wrench> wrenches;
  for (const Disturbance& d : s.disturbances) wrenches.push_back(d.wrench);
  Effects effects;
  effects.wrenches = wrenches;
  if (s.base.moves) effects.base.linear_acceleration.x = 1;  // in whatever way
  return why_no_loads(s.formulation, s.model, effects);
}

void check(const Scenario& s) {
  require_fixed_base(s.model, "a simulation");
  const std::size_t n = s.model.nv();
  require(n > 0, cat("robot ", in_quotes(s.model.name()), " has no joint that moves"));
  require_positive("duration", s.duration);
  require_positive("output step", s.output_step);
  constexpr double kMostRows = 1e7;  // gigabytes
  require(s.duration / s.output_step <= kMostRows, cat("the run would have ", s.duration / s.output_step, " rows, which is more than ", kMostRows,
                                                       ": make the duration shorter or the output step longer"));
  require(s.q.size() == n, cat("the initial q has ", s.q.size(), " entries, but the robot has ", n, " coordinates"));
  require(s.v.size() == n, cat("the initial v has ", s.v.size(), " entries, but the robot has ", n, " coordinates"));
  const std::vector<double> rates = turning_rates(make_plan(s.model));
  for (std::size_t i = 0; i < n; ++i) {
    require(std::isfinite(s.q[i]) && std::isfinite(s.v[i]), cat("the initial state of joint ", in_quotes(s.model.coordinate_names()[i]), " is not finite"));
    require(rates[i] * std::fabs(s.q[i]) <= kLargestAngle, cat("the initial angle of joint ", in_quotes(s.model.coordinate_names()[i]), " is ", s.q[i],
                                                               " rad; sine and cosine are exact up to ", kLargestAngle, " rad: take off whole turns"));
  }
  require(s.friction.smooth >= 0, cat("the smooth speed of friction must not be negative, but it is ", s.friction.smooth));
  for (const Disturbance& d : s.disturbances) {
    require(d.wrench.link < s.model.links().size(),
            cat("disturbance: link index ", d.wrench.link, " is out of range: the robot has ", s.model.links().size(), " links"));
    require(d.to > d.from, cat("disturbance: it ends at ", d.to, " s, which is not after its beginning at ", d.from, " s"));
  }
  for (const Payload& p : s.payloads) require(p.to > p.from, cat("payload: it is dropped at ", p.to, " s, which is not after it is taken at ", p.from, " s"));
  if (const std::string reason = why_no_loads(s); !reason.empty()) throw std::invalid_argument(cat("formulation ", s.formulation, ": ", reason));
  if (s.paper_columns)
    if (const std::string reason = why_no_stanford(s.model); !reason.empty())
      throw std::invalid_argument(cat("the paper's columns are for the Stanford arm: ", reason));
}

void check_formulation(const Scenario& s, ForwardModel& robot, const ReferenceMotion* reference) {
  if (robot.other_formulation() == nullptr) return;
  std::vector<double> q = s.q, v(q.size()), a(q.size());
  if (s.law.kind == LawKind::prescribed && reference != nullptr) {
    require(robot.why_no_torques().empty(), robot.why_no_torques());
    reference->at(0, q.data(), v.data(), a.data());
  }
  const std::string why = robot.why_not_here(q.data());
  require(why.empty(), cat("formulation ", s.formulation, " cannot begin at the initial q: ", why, "; begin elsewhere, or use another formulation"));
}

}  // namespace ulna::sim::internal

namespace ulna {
namespace sim ULNA_API {

Scenario with_formulation(const Scenario& scenario, const std::string& id) {
  Scenario changed = scenario;
  changed.formulation = formulation_named(id).id;
  // Made of templates to see whether it can be made: who runs the scenario makes the machine code.
  changed.dynamics = std::make_shared<const Dynamics>(changed.model, DynamicsOptions{.rotor = changed.rotor, .threads = 1, .most = InstructionSet::none});
  System system(changed);
  changed.dynamics = scenario.dynamics;
  return changed;
}

}  // namespace ULNA_API
}  // namespace ulna
