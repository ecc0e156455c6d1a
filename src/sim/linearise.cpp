#include <ulna/sim/linearise.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <deque>

#include <ulna/formulation/formulation.hpp>

#include "model/require_fixed_base.hpp"
#include "model/unit_quaternion.hpp"
#include "sim/integrator.hpp"
#include "sim/variation.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

LinearMotion linearise(const Dynamics& dynamics, VectorView<const double> q, VectorView<const double> v, VectorView<const double> tau, const Effects& effects) {
  require_no_balls(dynamics.model(), "a linearisation");
  const std::size_t n = dynamics.nv();
  const auto require = [&](const char* name, std::size_t got, std::size_t wanted) {
    if (got != wanted) throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(dynamics.model().name()), " has ", wanted));
  };
  require("q", q.size(), dynamics.nq());
  require("v", v.size(), n);
  require("tau", tau.size(), n);
  require_unit(dynamics.model(), q.data());
  std::vector<double> d(3 * n * n);
  dynamics.compute(Quantity::forward_derivatives, {q.data(), v.data(), tau.data()}, d.data(), effects);
  LinearMotion out{std::vector<double>(4 * n * n), std::vector<double>(2 * n * n)};
  motion_matrices(v.data(), d.data(), n, dynamics.model().base() == RootJoint::free, out.A.data(), out.B.data(), 2 * n);
  return out;
}

std::vector<std::string> tangent_names(const Model& model) {
  if (!model.closed() && model.base() != RootJoint::free) return model.position_names();
  return model.velocity_names();
}

namespace {

void require_smooth(const Scenario& s) {
  require_no_balls(s.model, "a linearisation along a run");
  const auto caught = [](const Payload& p) { return p.flight.has_value(); };
  if (s.control.period > 0) throw std::invalid_argument("a sampled law has no derivative: remove control to linearise the continuous law");
  if (!s.brakes.empty()) throw std::invalid_argument("deviations jump where a brake stops joints: remove the brakes");
  if (std::any_of(s.payloads.begin(), s.payloads.end(), caught)) throw std::invalid_argument("deviations jump where a payload is caught: remove its velocity");
  if (rubs_by_load(s)) throw std::invalid_argument("friction by load depends on the torques, and is not linearised: set 'load' of the joints to 0");
  if (s.friction.dry())
    throw std::invalid_argument("dry friction jumps at rest, and has no derivative there: give it a smooth speed (friction: {smooth: 0.01})");
}

/// From (0, y) to the end of the run: f at its stretches, `row` at its output times. `enter` is called where a stretch begins.
void go(const Scenario& scenario, System& system, Integrator& integrator, std::vector<double> y, const RunOptions& options,
        const std::function<void(double begin, double end)>& enter, const std::function<void(double t, const std::vector<double>& y)>& row) {
  const Multiples outputs(scenario.output_step);
  long next = 0;
  std::vector<double> at;
  for (std::size_t k = 0; k + 1 < system.breaks().size(); ++k) {
    const double begin = system.breaks()[k], end = system.breaks()[k + 1];
    enter(begin, end);
    integrator.restart(begin, y);
    if (k == 0) row(outputs(next++), y);
    while (integrator.end() < end) {
      integrator.step(end);
      y = integrator.state();
      if (!std::all_of(y.begin(), y.end(), [](double x) { return std::isfinite(x); }))
        throw Diverged(
            cat("the run diverged: at t = ", rounded(integrator.end()), " s a number is no longer finite; make the step smaller or check the law's gains"));
      for (; outputs(next) <= integrator.end(); ++next) {
        integrator.at(outputs(next), at);
        row(outputs(next), at);
      }
      if (options.go_on && !options.go_on(integrator.end())) return;
    }
  }
  if (!same_time(outputs(next - 1), scenario.duration, scenario.output_step)) row(scenario.duration, y);
}

IntegratorSettings explicit_of(IntegratorSettings settings) {
  if (settings.kind == IntegratorKind::implicit_midpoint) settings.kind = IntegratorKind::dormand_prince_5;
  return settings;
}

}  // namespace

std::vector<LinearRow> linearise(const Scenario& scenario, const RunOptions& options) {
  require_smooth(scenario);
  System system(scenario);
  if (system.own_speeds()) throw std::invalid_argument(cat("the formulation ", scenario.formulation, " has speeds of its own: linearise with 'ulna'"));
  Variation variation(scenario, system);
  const auto integrator = make_integrator(
      explicit_of(scenario.integrator), system.size(), [&](double t, const double* x, double* rate) { system.derivative(t, x, rate); }, nullptr,
      system.restores() ? Restore([&](double* x) { system.restore(x); }) : Restore());
  const std::size_t n = system.coordinates(), size = variation.size();
  std::vector<LinearRow> rows;
  std::vector<double> B;
  go(
      scenario, system, *integrator, system.initial(), options, [&](double begin, double end) { system.enter(begin, end); },
      [&](double t, const std::vector<double>& x) {
        LinearRow row;
        row.open = {std::vector<double>(4 * n * n), std::vector<double>(2 * n * n)};
        variation.linearise(t, x.data(), true, row.open.A.data(), row.open.B.data());
        row.t = t, row.q = variation.q(), row.v = variation.v(), row.tau = variation.tau();
        if (!system.prescribed()) {
          row.A.resize(size * size);
          B.resize(size * n);
          variation.linearise(t, x.data(), false, row.A.data(), B.data());
        }
        rows.push_back(std::move(row));
      });
  return rows;
}

namespace {

/// Changes a parameter of the scenario that is not in its initial state. False where there is none of this name.
bool change(Scenario& s, const std::string& name, double by) {
  if (std::vector<double>* gains = name == "kp" ? &s.law.kp : name == "kd" ? &s.law.kd : name == "ki" ? &s.law.ki : nullptr) {
    for (double& gain : *gains) gain += by;
    return !gains->empty();
  }
  if (name == "payload.mass" && !s.payloads.empty()) {
    s.payloads.front().mass += by;
    return true;
  }
  const std::string axes[] = {"gravity.x", "gravity.y", "gravity.z"};
  const auto axis = std::find(std::begin(axes), std::end(axes), name);
  if (axis == std::end(axes)) return false;
  Vec3<double> g = s.model.gravity();
  (name.back() == 'x' ? g.x : name.back() == 'y' ? g.y : g.z) += by;
  s.model = with_gravity(s.model, g);
  return true;
}

/// One column: how it enters the initial state, and the equations.
struct Column {
  std::string name;
  std::size_t start = kNone;  // of the deviations at the beginning
  std::size_t torque = kNone;
  std::function<void(Scenario& scenario, double by)> change{};  // of what enters f; none where nothing does
  double step = kLawStep;
};

/// Six runs' equations for one column, with numbers on either side of the scenario's: their differences are of order six, and exact where f is linear.
class Sides {
 public:
  Sides(const Scenario& scenario, const Column& column, std::size_t n, std::size_t memory) : step_(column.step), torques_(n), rates_(memory) {
    for (int k = 1; k <= 3; ++k)
      for (const double side : {1.0, -1.0}) {
        scenarios_.push_back(scenario);
        column.change(scenarios_.back(), side * k * step_);
        systems_.emplace_back(scenarios_.back());
        variations_.emplace_back(scenarios_.back(), systems_.back());
        weights_.push_back(side * (k == 1 ? 45.0 : k == 2 ? -9.0 : 1.0) / (60 * step_));
      }
  }
  void enter(double begin, double end) {
    for (System& system : systems_) system.enter(begin, end);
  }
  /// Derivatives of the torques in excess and of the memory's rates.
  void slopes(double t, const Variation& at, double* torques, double* rates) {
    std::fill(torques, torques + torques_.size(), 0.0);
    std::fill(rates, rates + rates_.size(), 0.0);
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      variations_[k].excess(t, at, torques_.data(), rates_.data());
      for (std::size_t i = 0; i < torques_.size(); ++i) torques[i] += weights_[k] * torques_[i];
      for (std::size_t i = 0; i < rates_.size(); ++i) rates[i] += weights_[k] * rates_[i];
    }
  }

 private:
  double step_;
  std::deque<Scenario> scenarios_;  // others point to them
  std::deque<System> systems_;
  std::deque<Variation> variations_;
  std::vector<double> weights_, torques_, rates_;
};

std::vector<Column> columns_of(const Scenario& scenario, const std::vector<std::string>& by) {
  const Model& model = scenario.model;
  const std::size_t n = model.nv();
  const std::vector<std::string> positions = tangent_names(model), velocities = model.velocity_names(), efforts = model.effort_names();
  const bool begins_at_q = scenario.reference.kind != ReferenceKind::none && scenario.reference.from.empty();
  std::vector<Column> columns, known;
  for (std::size_t k = 0; k < n; ++k) {
    Column column{"q." + positions[k], k};
    if (begins_at_q)
      column.change = [k](Scenario& s, double step) {
        std::vector<double> direction(s.model.nv_tree(), 0.0), to(s.q.size());
        direction[s.model.order().independent[k]] = 1;  // dependent positions are closed where the run begins
        integrate(s.model, s.q, direction, step, to);
        s.q = to;
      };
    known.push_back(std::move(column));
  }
  for (std::size_t k = 0; k < n; ++k) known.push_back({"v." + velocities[k], n + k});
  for (std::size_t k = 0; k < n; ++k) known.push_back({"tau." + efforts[k], kNone, k});
  for (const char* const name : {"kp", "kd", "ki", "payload.mass", "gravity.x", "gravity.y", "gravity.z"}) {
    Scenario tried = scenario;
    if (!change(tried, name, 0)) continue;
    Column column{name, kNone, kNone, [name](Scenario& s, double step) { change(s, name, step); }};
    if (std::string_view(name) == "payload.mass") column.step = scenario.payloads.front().mass / 4;  // torques are linear in it; it stays positive
    known.push_back(std::move(column));
  }
  for (const std::string& name : by) {
    bool found = false;
    for (const Column& column : known) {
      if (column.name != name && !(name.size() == 1 && column.name.starts_with(name + "."))) continue;
      columns.push_back(column);
      found = true;
    }
    if (found) continue;
    std::vector<std::string> names{"q", "v"};
    for (const Column& column : known) names.push_back(column.name);
    throw std::invalid_argument(
        there_is_no("sensitivity by", name, names,
                    "; there are q, v, q.JOINT, v.JOINT, tau.JOINT, gravity.x, and what the law and the payload have of kp, kd, ki, payload.mass"));
  }
  return columns;
}

}  // namespace

Sensitivity sensitivity(const Scenario& scenario, const std::vector<std::string>& by, const RunOptions& options) {
  require_smooth(scenario);
  if (scenario.formulation != production_path().id)
    throw std::invalid_argument(cat("sensitivities are those of the production path, but the formulation is ", scenario.formulation, ": use 'ulna'"));
  if (scenario.law.kind == LawKind::prescribed)
    throw std::invalid_argument("the motion is prescribed, so that nothing changes it: use the law computed-torque");
  const std::vector<Column> columns = columns_of(scenario, by);
  Scenario shared = scenario;  // all equations by one machine code
  if (shared.dynamics == nullptr) shared.dynamics = std::make_shared<const Dynamics>(shared.model, DynamicsOptions{.rotor = shared.rotor, .threads = 1});
  System system(shared);
  Variation variation(shared, system);
  const std::size_t n = system.coordinates(), size = variation.size(), count = columns.size(), own = system.size();
  std::vector<std::unique_ptr<Sides>> sides;
  for (const Column& column : columns) sides.push_back(column.change ? std::make_unique<Sides>(shared, column, n, size - 2 * n) : nullptr);

  // y = (the run's own numbers, the deviations column by column)
  std::vector<double> A(size * size), B(size * n), torques(n), rates(size - 2 * n);
  const auto f = [&](double t, const double* y, double* rate) {
    variation.linearise(t, y, false, A.data(), B.data());
    for (std::size_t c = 0; c < count; ++c) {
      const double* x = y + own + c * size;
      double* dx = rate + own + c * size;
      std::fill(dx, dx + size, 0.0);
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t i = 0; i < size; ++i) dx[i] += A[i + j * size] * x[j];
      const auto push = [&](std::size_t k, double torque) {
        for (std::size_t i = 0; i < n; ++i) dx[n + i] += B[n + i + k * size] * torque;
      };
      if (columns[c].torque != kNone) push(columns[c].torque, 1);
      if (!sides[c]) continue;
      sides[c]->slopes(t, variation, torques.data(), rates.data());
      for (std::size_t k = 0; k < n; ++k) push(k, torques[k]);
      for (std::size_t m = 0; m < rates.size(); ++m) dx[2 * n + m] += rates[m];
    }
    system.derivative(t, y, rate);
  };
  const auto integrator = make_integrator(explicit_of(shared.integrator), own + count * size, f, nullptr,
                                          system.restores() ? Restore([&](double* y) { system.restore(y); }) : Restore());
  std::vector<double> y = system.initial();
  y.resize(own + count * size);
  for (std::size_t c = 0; c < count; ++c)
    if (columns[c].start != kNone) y[own + c * size + columns[c].start] = 1;

  Sensitivity out;
  for (const std::string& name : tangent_names(shared.model)) out.rows.push_back("q." + name);
  for (const std::string& name : shared.model.velocity_names()) out.rows.push_back("v." + name);
  for (const Column& column : columns) out.columns.push_back(column.name);
  go(
      shared, system, *integrator, std::move(y), options,
      [&](double begin, double end) {
        system.enter(begin, end);
        for (const auto& side : sides)
          if (side) side->enter(begin, end);
      },
      [&](double t, const std::vector<double>& row) {
        const auto begin = row.begin();
        const auto at = [&](std::size_t k) { return begin + static_cast<std::ptrdiff_t>(k); };
        out.t.push_back(t);
        out.q.insert(out.q.end(), begin, at(system.positions()));
        out.v.insert(out.v.end(), at(system.positions()), at(system.positions() + n));
        for (std::size_t c = 0; c < count; ++c) out.S.insert(out.S.end(), at(own + c * size), at(own + c * size + 2 * n));
      });
  return out;
}

std::vector<std::complex<double>> eigenvalues(const std::vector<double>& matrix) {
  const auto n = static_cast<Eigen::Index>(std::llround(std::sqrt(static_cast<double>(matrix.size()))));
  if (static_cast<std::size_t>(n * n) != matrix.size()) throw std::invalid_argument(cat("eigenvalues: ", matrix.size(), " numbers are no square matrix"));
  if (!std::all_of(matrix.begin(), matrix.end(), [](double x) { return std::isfinite(x); }))
    return std::vector<std::complex<double>>(static_cast<std::size_t>(n), {std::nan(""), std::nan("")});
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(Eigen::Map<const Eigen::MatrixXd>(matrix.data(), n, n), false);
  const Eigen::VectorXcd& found = solver.eigenvalues();
  std::vector<std::complex<double>> out(found.begin(), found.end());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag(); });
  return out;
}

}  // namespace ULNA_API
}  // namespace ulna
