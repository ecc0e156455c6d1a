#include <ulna/formulation/formulation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/formulation/speeds.hpp>
#include <ulna/plan/plan.hpp>
#include "dynamics/joint-inl.hpp"

#include "dynamics/guard.hpp"
#include "dynamics/sizes.hpp"
#include "formulation/evaluator.hpp"
#include "formulation/kernel_quantities.hpp"
#include "formulation/place_loads.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

void leave_a_gap(double* results, std::size_t count) { std::fill(results, results + count, std::numeric_limits<double>::quiet_NaN()); }

bool has_mimics(const Model& model) {
  return std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) { return joint.mimic.has_value(); });
}

}  // namespace

std::string why_not(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (!formulation.gives(quantity)) {
    std::string list;
    for (const Quantity given : formulation.quantities) list += cat(list.empty() ? "" : ", ", result_name(given));
    return cat("it gives ", list, ", not ", result_name(quantity));
  }
  if (prepared.speeds && !formulation.takes_speeds) return "it computes in the rates of the joints; 'kane' takes generalized speeds of any choice";
  if (prepared.speeds && prepared.speeds->size() != prepared.size())
    return cat("the choice of speeds is of ", prepared.speeds->size(), " joints, and ", prepared.size(), " move");
  const RootJoint base = prepared.given.base();
  const bool balls = prepared.given.has_balls();
  if (formulation.production && (base == RootJoint::free || prepared.given.closed() || balls)) return {};  // the kernels themselves
  if (balls) return "it supports joints of one degree of freedom only, and the robot has ball joints";
  if (prepared.given.closed() && !formulation.takes_loops) return "it supports trees only, and the robot has loops";
  if (prepared.given.closed() && base == RootJoint::free) return "it supports loops on a fixed or planar base only";
  if (row_of(quantity).takes("tau") && has_mimics(prepared.model)) return "its accelerations do not take mimic joints";
  if (base != RootJoint::fixed && formulation.valid_at == ValidAt::table_nodes) return cat("its tables are over joints, and the base is ", to_string(base));
  // Gravity rotates relative to a free base; a formulation gets it as an acceleration of the ground.
  const bool weighs = row_of(quantity).influences.gravity && !(prepared.given.gravity() == Vec3<double>{});
  if (base == RootJoint::free && weighs && !formulation.takes_base)
    return cat("gravity rotates relative to a free base, and it takes no base that moves: ", formulation.why_no_loads);
  if (base == RootJoint::free && (quantity == Quantity::gravity || quantity == Quantity::coriolis))
    return cat("it takes a free base as joints, whose ", result_name(quantity), " is not that of the base");
  if (base == RootJoint::free && quantity == Quantity::bias && !formulation.gives(Quantity::mass))
    return "it takes a free base as joints, whose bias is not that of the base, and it gives no inertia matrix to convert one into the other";
  return formulation.why_not(prepared);
}

ActingLoads acting_loads(Quantity quantity, const Effects& effects) {
  const auto moves = [](const Vec3<double>& x) { return !(x == Vec3<double>{}); };
  const BaseMotion& base = effects.base;
  const Influences& enters = row_of(quantity).influences;
  return {enters.wrenches && !effects.wrenches.empty(),
          enters.base && (moves(base.angular_velocity) || moves(base.angular_acceleration) || moves(base.linear_acceleration))};
}

namespace {

bool takes(const Formulation& formulation, const ActingLoads& acting) {
  return (formulation.takes_wrenches || !acting.wrenches) && (formulation.takes_base || !acting.base);
}

/// Loads enter a formulation in its bodies' axes, where those fixed to a link and those fixed to the world look the same.
std::string why_not_derivatives(Quantity quantity, const ActingLoads& acting) {
  if (row_of(quantity).parts.empty() || !acting.wrenches) return {};
  return "derivatives under wrenches depend on whether these turn with the link; compute them without a formulation";
}

/// Which loads it does not take, and why.
std::string not_taken(const Formulation& formulation, const ActingLoads& acting) {
  const bool wrenches = acting.wrenches && !formulation.takes_wrenches, base = acting.base && !formulation.takes_base;
  return cat("it takes no ", wrenches && base ? "wrenches, and no base that moves" : wrenches ? "wrenches" : "base that moves", ": ", formulation.why_no_loads);
}

}  // namespace

bool has_rotors(const Model& model) {
  return std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) { return joint.rotor != 0; });
}

std::string why_not(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const Effects& effects) {
  std::string reason = why_not(formulation, quantity, prepared);
  if (reason.empty() && quantity == Quantity::forward && !effects.rotor && !formulation.production && has_rotors(prepared.model))
    return "it always includes the rotors' inertia; leave rotors on, or use another formulation";
  const ActingLoads acting = acting_loads(quantity, effects);
  if (reason.empty()) reason = why_not_derivatives(quantity, acting);
  if (!reason.empty() || takes(formulation, acting)) return reason;
  std::vector<std::string> others;
  for (const Formulation& row : formulations())
    if (takes(row, acting) && why_not(row, quantity, prepared).empty()) others.emplace_back(row.id);
  return cat(not_taken(formulation, acting), "; these do: ", joined(others));
}

bool Formulation::has_loads() const {
  return std::any_of(quantities.begin(), quantities.end(), [](Quantity quantity) { return row_of(quantity).influences.wrenches; });
}

std::string Formulation::loads() const {
  if (!has_loads()) return {};
  if (!takes_wrenches && !takes_base) return "none";
  return cat(takes_wrenches ? "wrenches" : "", takes_wrenches && takes_base ? ", " : "", takes_base ? "base motion" : "");
}

}  // namespace ULNA_API

namespace ulna::internal {

std::string name_of(const std::string& symbol, std::string index) {
  const std::size_t accents = symbol.size() - symbol.find_last_not_of('\'') - 1;
  if (index.size() > 2 && index[1] == ',' && (index.size() == 3 || index[3] == '(')) index.erase(1, 1);  // as long as it stays unique
  return cat(symbol.substr(0, symbol.size() - accents), index, symbol.substr(symbol.size() - accents));
}
std::string result_symbol(const QuantityRow& row) { return row.takes("tau") ? "q''" : std::string(row.symbol); }

constexpr std::size_t kFreeQ = base_nq(RootJoint::free), kFreeV = base_nv(RootJoint::free);

/// A free base as six joints that stand at zero (with_base_as_joints), in axes that are the root link's at this instant. Translations first, then rotations.
class FreeBaseAsJoints {
 public:
  explicit FreeBaseAsJoints(const Model& given) : gravity_(given.gravity()), r_(given.nv()), v_(given.nv()), a_(given.nv()) {}

  void take(const double* q, const double* v, const double* third, bool forward) {
    const std::size_t n = r_.size();
    R_WB_ = rotation(q);
    std::fill(r_.begin(), r_.begin() + kFreeV, 0.0);
    for (std::size_t k = kFreeV; k < n; ++k) r_[k] = q[k - kFreeV + kFreeQ];
    for (std::size_t k = 0; k < n; ++k) v_[k] = v == nullptr ? 0 : v[swapped(k)];
    for (std::size_t k = 0; k < n; ++k) a_[k] = third == nullptr ? 0 : third[swapped(k)];
    if (!forward) add_turns(-1, a_.data() + 3);
  }

  const double* r() const { return r_.data(); }
  const double* v() const { return v_.data(); }
  const double* a() const { return a_.data(); }

  /// Gravity as the ground's acceleration: what the form has for gravity less what it is in these axes. Wrenches in these axes, on links behind the base's.
  Effects effects(const Effects& given) {
    Effects now = given;
    now.base = {};
    now.base.linear_acceleration = gravity_ - tmul(R_WB_, gravity_);
    wrenches_.assign(given.wrenches.begin(), given.wrenches.end());
    for (Wrench& wrench : wrenches_) {
      wrench.link += kFreeV;
      if (wrench.axes != Axes::world) continue;
      wrench.force = tmul(R_WB_, wrench.force);
      wrench.moment = tmul(R_WB_, wrench.moment);
    }
    now.wrenches = wrenches_;
    return now;
  }

  /// Results of the joints as those of the base.
  void give(const QuantityRow& row, double* out) {
    const std::size_t n = r_.size();
    const auto swap_three = [](double* x, std::size_t stride) {
      for (std::size_t k = 0; k < 3; ++k) std::swap(x[k * stride], x[(k + 3) * stride]);
    };
    if (row.quantity == Quantity::forward) add_turns(1, out + 3);
    if (!row.is_matrix()) return swap_three(out, 1);
    for (std::size_t column = 0; column < n; ++column) swap_three(out + column * n, 1);
    for (std::size_t line = 0; line < n; ++line) swap_three(out + line, n);
  }

 private:
  static std::size_t swapped(std::size_t k) { return k < 3 ? k + 3 : k < kFreeV ? k - 3 : k; }
  static Mat3<double> rotation(const double* q) {
    const double x = q[3], y = q[4], z = q[5], w = q[6];
    return {w * w + x * x - y * y - z * z, 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w),          w * w - x * x + y * y - z * z,
            2 * (y * z - x * w),           2 * (x * z - y * w), 2 * (y * z + x * w), w * w - x * x - y * y + z * z};
  }
  /// The rotations about x, y and z are in series, so that the angular acceleration has more terms than their accelerations.
  void add_turns(double sign, double* accelerations) const {
    const double x = v_[3], y = v_[4], z = v_[5];
    accelerations[0] += sign * y * z;
    accelerations[1] -= sign * x * z;
    accelerations[2] += sign * x * y;
  }

  Vec3<double> gravity_;
  Mat3<double> R_WB_;
  std::vector<double> r_, v_, a_;
  std::vector<Wrench> wrenches_;
};

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

struct FormulationOnModel::State {
  State(const Formulation& row, const Prepared& prepared)
      : formulation(row),
        plan(make_plan(prepared.model, {.snap = prepared.snap})),
        nv(prepared.model.nv()),
        evaluator(prepared.given.has_balls() ? nullptr : row.make_double(prepared)),
        loads(plan, prepared, row.frames),
        q(plan.bodies.size()),
        v(q),
        a(q),
        out(3 * q.size() * q.size()) {
    const RootJoint base = prepared.given.base();
    links_before = base_nv(base);
    kernels_only = row.production && (base == RootJoint::free || prepared.given.closed() || prepared.given.has_balls());
    if (!row.production && base != RootJoint::free) return;
    given_plan = make_plan(prepared.given, {.snap = prepared.snap});
    if (row.production)
      workspace.emplace(*given_plan);
    else
      free.emplace(prepared.given);
  }

  /// Whether the kernels themselves compute it: on a free base, with loops, and accelerations without rotors, which the evaluator always has.
  bool by_kernels(const QuantityRow& row, const Effects& effects) const { return kernels_only || (workspace && row.takes("tau") && !effects.rotor); }

  Formulation formulation;
  Plan plan;  // with the plan.bodies, rotors and friction of every moving joint
  std::size_t nv;
  std::unique_ptr<Evaluator<double>> evaluator;
  LoadsInForm loads;
  std::vector<double> q, v, a, out;       // of the moving joints
  std::vector<LinkLoad<double>> control;  // Loads::control
  std::size_t links_before = 0;           // that a base which moves has put before the model's
  std::vector<Wrench> moved;              // wrenches on links behind those
  std::optional<Plan> given_plan;         // for the kernels, and of a model whose base is free
  std::optional<FreeBaseAsJoints> free;
  std::optional<Workspace> workspace;  // of the kernels
  bool kernels_only = false;           // support a free base, loops and ball joints

  /// Throws where the formulation does not take what acts.
  void check(const ActingLoads& acting, const Effects& effects) const {
    if (!takes(formulation, acting)) throw std::invalid_argument(cat("formulation ", formulation.id, ": ", not_taken(formulation, acting)));
    if (acting.wrenches) require_wrenches(plan, effects.wrenches);
  }

  /// False when the state is bad: then results are NaN, and the formulation, which may refuse NaN, is not called.
  bool expand(const double* r, const double* rates, const double* third, const Influences& enters = {}, const Effects& effects = {}) {
    for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
      const PlanBody<double>& c = plan.bodies[i];
      const double way = c.multiplier * r[c.v];
      q[i] = (c.prismatic || c.offset == 0 ? way : less_whole_turns(way)) + c.offset;
      if (plan.closed()) continue;
      v[i] = rates == nullptr ? 0 : c.multiplier * rates[c.v];
      a[i] = third == nullptr ? 0 : c.multiplier * third[c.v];
    }
    for (std::size_t k = 0; plan.closed() && k < nv; ++k) v[k] = rates == nullptr ? 0 : rates[k], a[k] = third == nullptr ? 0 : third[k];
    Guard<double> guard(plan, r, rates, third);
    if (enters.base) guard.take(effects.base);
    if (enters.wrenches) guard.take(effects.wrenches);
    return !std::isnan(guard(0.0));
  }
  double friction(std::size_t i) const { return kernel::friction(plan.bodies[i], v[i]); }

  /// Results of a robot with loops, and what rotors and friction of all joints add to them, through G.
  void add_drives(const QuantityRow& row, const Effects& effects, double* results) const {
    const Completed<double> all = evaluator->completed();
    std::copy_n(out.begin(), row.is_matrix() ? nv * nv : nv, results);
    for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
      const PlanBody<double>& body = plan.bodies[i];
      const double* G = &all.G[i * nv];
      const double rotor = effects.rotor ? body.rotor : 0;
      const double torque = row.is_matrix() ? 0 : rotor * all.a[i] + (effects.friction ? kernel::friction(body, all.v[i]) : 0);
      for (std::size_t k = 0; k < nv; ++k) {
        for (std::size_t l = 0; row.is_matrix() && l < nv; ++l) results[k + l * nv] += G[k] * rotor * G[l];
        if (!row.is_matrix()) results[k] += G[k] * torque;
      }
    }
  }
};

FormulationOnModel::FormulationOnModel(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (const std::string reason = why_not(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", formulation.id, " does not take robot ", in_quotes(prepared.model.name()), ": ", reason));
  state_ = std::make_unique<State>(formulation, prepared);
}
FormulationOnModel::FormulationOnModel(FormulationOnModel&&) noexcept = default;
FormulationOnModel& FormulationOnModel::operator=(FormulationOnModel&&) noexcept = default;
FormulationOnModel::~FormulationOnModel() = default;

double FormulationOnModel::amplification() const {
  const Formulation& row = state_->formulation;
  return row.amplification == nullptr ? 1 : row.amplification(state_->q.data());
}

void FormulationOnModel::compute(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects) {
  State& s = *state_;
  const QuantityRow& row = row_of(quantity);
  if (s.by_kernels(row, effects)) return ulna::compute(quantity, *s.given_plan, *s.workspace, in, out, effects);
  if (s.free) {
    const std::size_t inputs = row.inputs.size();
    const double *v = inputs > 1 ? in.v : nullptr, *last = inputs > 2 ? in.last : nullptr;
    const Guard<double> guard(*s.given_plan, in.q, v, last);
    if (std::isnan(guard(0.0))) return leave_a_gap(out, row.size({s.nv, s.nv, s.plan.bodies.size()}));
    s.free->take(in.q, v, last, quantity == Quantity::forward);
    compute_joints(quantity, {s.free->r(), s.free->v(), s.free->a()}, out, s.free->effects(effects));
    if (quantity == Quantity::bias) {  // a base that does not accelerate: the joints that stand for it do
      std::vector<double> M(s.nv * s.nv);
      compute_joints(Quantity::mass, {s.free->r()}, M.data(), effects);
      for (std::size_t k = 3; k < kFreeV; ++k)
        for (std::size_t i = 0; i < s.nv; ++i) out[i] += M[i + k * s.nv] * s.free->a()[k];
    }
    return s.free->give(row, out);
  }
  if (s.links_before == 0 || effects.wrenches.empty()) return compute_joints(quantity, in, out, effects);
  Effects behind = effects;
  s.moved.assign(effects.wrenches.begin(), effects.wrenches.end());
  for (Wrench& wrench : s.moved) wrench.link += s.links_before;
  behind.wrenches = s.moved;
  compute_joints(quantity, in, out, behind);
}

void FormulationOnModel::compute_joints(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects) {
  State& s = *state_;
  const QuantityRow& row = row_of(quantity);
  const std::size_t n = s.plan.bodies.size(), size = row.size({s.nv, s.nv, s.plan.bodies.size()}), inputs = row.inputs.size();
  const ActingLoads acting = acting_loads(quantity, effects);
  s.check(acting, effects);
  if (const std::string reason = why_not_derivatives(quantity, acting); !reason.empty())
    throw std::invalid_argument(cat("formulation ", s.formulation.id, ": ", reason));
  if (effects.friction && s.plan.loaded && row.influences.friction)
    throw std::invalid_argument(cat("formulation ", s.formulation.id, ": it has no friction that depends on loads"));
  if (!s.expand(in.q, inputs > 1 ? in.v : nullptr, inputs > 2 ? in.last : nullptr, row.influences, effects)) return leave_a_gap(out, size);
  const auto friction = [&](std::size_t i) { return effects.friction ? s.friction(i) : 0.0; };
  const bool forward = row.takes("tau");
  if (forward)
    for (std::size_t i = 0; i < n; ++i) s.a[i] = in.last[s.plan.bodies[i].v] - friction(i);
  Loads<double> loads = acting.any() ? s.loads.at(s.plan, in.q, effects) : Loads<double>{};
  loads.control = s.control;
  s.evaluator->compute(quantity, {s.q.data(), s.v.data(), s.a.data()}, s.out.data(), loads);
  if (s.plan.closed()) return s.add_drives(row, effects, out);
  std::fill(out, out + size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const PlanBody<double>& c = s.plan.bodies[i];
    if (quantity == Quantity::forward) {
      out[c.v] = s.out[i];
    } else if (!row.parts.empty()) {  // side by side: by positions, rates, and accelerations or torques
      for (std::size_t part = 0; part < 3; ++part)
        for (std::size_t j = 0; j < n; ++j) {
          const PlanBody<double>& d = s.plan.bodies[j];
          double value = s.out[i + (j + part * n) * n];
          if (part == 2 && !forward && i == j && effects.rotor) value += c.rotor;
          const auto slope = [&](const PlanBody<double>& body) { return kernel::friction_slope(body.friction, kernel::joint_rate(s.plan, body, in.v)); };
          if (part == 1 && effects.friction) value += forward ? -slope(d) * s.out[i + (j + 2 * n) * n] : i == j ? slope(c) : 0;
          out[c.v + (d.v + part * s.nv) * s.nv] += c.multiplier * d.multiplier * value;
        }
    } else if (row.is_matrix()) {
      for (std::size_t j = 0; j < n; ++j) {
        const PlanBody<double>& d = s.plan.bodies[j];
        const double rotor = quantity == Quantity::mass && effects.rotor && i == j ? c.rotor : 0.0;
        out[c.v + d.v * s.nv] += c.multiplier * d.multiplier * (s.out[i + j * n] + rotor);
      }
    } else {
      const double rotor = quantity == Quantity::inverse && effects.rotor ? c.rotor * s.a[i] : 0.0;
      out[c.v] += c.multiplier * (s.out[i] + rotor + friction(i));
    }
  }
}

void FormulationOnModel::set_control(std::span<const LinkLoad<double>> control) { state_->control.assign(control.begin(), control.end()); }
std::pair<LinkLoad<double>, Pose<double>> FormulationOnModel::transmitted(std::size_t body) const {
  return {state_->evaluator->transmitted(body), state_->loads.frame(body)};
}

namespace {

Intermediate intermediate_of(const PaperQuantity<double>& shown, const Formulation& formulation) {
  Intermediate line{symbol_of(shown.symbol), shown.symbol.equation, index_of(shown.index), shown.symbol.meaning, shown.rows, shown.columns, shown.entries};
  if (formulation.written_out) line.symbol = line.name(), line.link.clear();
  return line;
}

}  // namespace

std::string Intermediate::name() const { return name_of(symbol, link); }

std::vector<Intermediate> intermediates(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const InputsOf<double>& in,
                                        const Effects& effects) {
  FormulationOnModel on_model(formulation, quantity, prepared);
  const QuantityRow& row = row_of(quantity);
  const std::size_t n = prepared.given.nv();
  std::vector<double> results(row.size({n, n, prepared.size()}));
  if (const std::string reason = on_model.why_not_here(in.q, in.v, in.last); !reason.empty())
    throw std::domain_error(cat("formulation ", formulation.id, " has no right answer in this state: ", reason));
  on_model.compute(quantity, in, results.data(), effects);
  std::vector<Intermediate> all;
  if (std::any_of(results.begin(), results.end(), [](double x) { return std::isnan(x); })) return all;
  const FormulationOnModel::State& s = *on_model.state_;
  const PaperVisitor<double> take = [&](const PaperQuantity<double>& shown) {
    if (!std::all_of(shown.entries.begin(), shown.entries.end(), [](double x) { return std::isnan(x); })) all.push_back(intermediate_of(shown, formulation));
  };
  if (s.by_kernels(row, effects))
    show_kernel(*s.workspace, quantity, PaperQuantities<double>(take));
  else
    s.evaluator->visit(take);
  if (row.is_matrix() && row.parts.empty()) {
    std::vector<double> by_rows;
    for (std::size_t k = 0; k < n * n; ++k) by_rows.push_back(results[k / n + k % n * n]);
    all.push_back({result_symbol(row), "", "", "result", n, n, by_rows});
  }
  for (std::size_t i = 0; !row.is_matrix() && i < n; ++i) all.push_back({result_symbol(row), "", cat(i + 1), "result", 1, 1, {results[i]}});
  return all;
}

std::string FormulationOnModel::why_not_here(const double* q, const double* v, const double* a) {
  State& s = *state_;
  if (s.kernels_only) return {};
  if (s.free) {
    s.free->take(q, v, a, false);
    q = s.free->r(), v = s.free->v(), a = s.free->a();
  }
  if (!s.expand(q, v, a)) return {};
  return s.evaluator->why_not_here(s.q.data(), s.v.data(), s.a.data());
}

void FormulationOnModel::to_node(double* q, double* v, double* a) { state_->evaluator->to_node(q, v, a); }

void FormulationOnModel::error_bound(const double* q, const double* v, const double* a, double* bound) {
  State& s = *state_;
  if (!s.expand(q, v, a)) return leave_a_gap(bound, s.nv);
  std::fill(s.out.begin(), s.out.end(), 0.0);
  s.evaluator->error_bound(s.q.data(), s.v.data(), s.a.data(), s.out.data());
  std::fill(bound, bound + s.nv, 0.0);
  for (std::size_t i = 0; i < s.plan.bodies.size(); ++i) bound[s.plan.bodies[i].v] += std::abs(s.plan.bodies[i].multiplier) * s.out[i];
}

}  // namespace ULNA_API
