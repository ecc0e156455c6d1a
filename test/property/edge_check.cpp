#include "property/edge_check.hpp"

#include <algorithm>
#include <cmath>

#include <ulna/plan/plan.hpp>

#include "dynamics/rounding.hpp"
#include "emit/quantities.hpp"
#include "support/imagined_processor.hpp"
#include "support/random.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

using Real = Reference::Real;

template <class T>
constexpr bool kSingle = sizeof(T) == 4;

template <class T>
std::vector<T> in(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

}  // namespace

EdgeCheck::EdgeCheck(const Model& model, double snap, std::uint64_t seed, double far)
    : model_(model), snap_(snap), n_(model.nv()), merged_(snapped_model(model, snap)), reference_(merged_) {
  StateSampler(model, seed).next(q_, v_, a_);
  Random random(seed);
  for (std::size_t i = 0; i < n_; ++i) {
    const Joint& joint = model.joints()[model.independent()[i]];
    if (joint.type != JointType::prismatic) q_[i] += far * random.uniform(-1, 1);
    for (std::vector<double>* x : {&q_, &v_, &a_}) (*x)[i] = static_cast<float>((*x)[i]);
  }
  exact_.emplace(reference_, merged_, q_, v_, a_);
}

template <class T>
std::string EdgeCheck::judge(const char* by, const Results<T>& got, Worst& worst) const {
  const double roundoff = unit_roundoff(kSingle<T> ? Precision::single : Precision::full) / unit_roundoff(Precision::full);
  const auto differs = [&](const char* what, const std::vector<T>& have, const std::vector<Real>& wanted, const std::vector<double>& bound) -> std::string {
    double largest = 0;
    for (const Real x : wanted) largest = std::max(largest, static_cast<double>(std::abs(x)));
    for (std::size_t i = 0; i < have.size(); ++i) {
      const double difference = static_cast<double>(std::abs(static_cast<Real>(have[i]) - wanted[i])), allowed = verify_tolerance(n_) * roundoff * bound[i];
      if (difference > 0) {
        worst.of_terms = std::max(worst.of_terms, difference / allowed);
        if (&have != &got.a) worst.of_largest = std::max(worst.of_largest, difference / largest);
      }
      if (!(difference <= allowed))
        return cat(by, ", ", what, " by ", kSingle<T> ? "floats" : "doubles", ": number ", i, " is ", static_cast<double>(have[i]), " for ",
                   static_cast<double>(wanted[i]), ", off by ", difference, ", allowed ", allowed);
    }
    return {};
  };
  if (std::string fault = differs("torque", got.tau, exact_->tau, exact_->torque_bound); !fault.empty()) return fault;
  if (std::string fault = differs("M", got.M, exact_->M, mass_bound()); !fault.empty()) return fault;
  if (!holds_accelerations(kSingle<T>)) return {};
  if (std::string fault = differs("acceleration", got.a, {a_.begin(), a_.end()}, exact_->acceleration_bound); !fault.empty()) return fault;
  worst.residual = std::max(worst.residual, residual(got.a));
  return {};
}

template <class T>
std::string EdgeCheck::dynamics(const DynamicsOf<T>& made, Worst& worst) const {
  const std::vector<T> q = in<T>(q_), v = in<T>(v_), a = in<T>(a_);
  Results<T> got{std::vector<T>(n_), std::vector<T>(n_ * n_), std::vector<T>(n_)};
  made.inverse(q.data(), v.data(), a.data(), got.tau.data());
  made.mass(q.data(), got.M.data());
  made.forward(q.data(), v.data(), torques<T>().data(), got.a.data());
  // Where machine code can be made, it is what is tested.
  for (const Quantity task : {Quantity::inverse, Quantity::mass, Quantity::forward}) {
    const bool expected = made.instruction_set() != InstructionSet::none && (task != Quantity::forward || holds_accelerations(kSingle<T>));
    if (expected && !made.compiled(task)) return cat("there is no machine code of ", to_string(task), " in ", kSingle<T> ? "floats" : "doubles");
  }
  std::string fault = judge(made.instruction_set() == InstructionSet::none ? "templates" : "machine code", got, worst);
  return fault.empty() ? lanes(made, got.tau) : fault;
}

template <class T>
std::string EdgeCheck::dynamics(InstructionSet most, Worst& worst) const {
  DynamicsOptions options;
  options.snap = snap_;
  options.threads = 1;
  options.most = most;
  return dynamics(DynamicsOf<T>(model_, options), worst);
}

template <class T>
GenerateOptions EdgeCheck::options(const std::string& name, int test_states) const {
  GenerateOptions options;
  options.what = {"inverse", "mass", "forward"};
  options.real = kSingle<T> ? ulna::Real::single_precision : ulna::Real::double_precision;
  options.name = name;
  options.snap = snap_;
  options.test_states = holds_accelerations(kSingle<T>) ? test_states : 0;
  return options;
}

template <class T>
std::string EdgeCheck::programs(Worst& worst) const {
  const GeneratedRobot robot = prepare(model_, options<T>("r", 0));
  const auto run = [&](std::size_t k, const std::vector<T>& last) {
    std::vector<T> inputs = in<T>(q_);
    if (!last.empty()) {
      inputs.insert(inputs.end(), v_.begin(), v_.end());
      inputs.insert(inputs.end(), last.begin(), last.end());
    }
    return evaluated(robot.functions[k].program, inputs);
  };
  return judge("generated program", Results<T>{run(0, in<T>(a_)), run(1, {}), run(2, torques<T>())}, worst);
}

template <class T>
void EdgeCheck::add_to(CompiledRobots& all, const std::string& name, int test_states) const {
  all.add(name, generate(model_, options<T>(name, test_states)));
}

template <class T>
std::string EdgeCheck::compiled(const CompiledRobots& all, const std::string& name, Worst& worst) const {
  auto* inverse = all.function<CompiledRobots::Inverse<T>>(name, "inverse");
  auto* forward = all.function<CompiledRobots::Inverse<T>>(name, "forward");
  auto* mass = all.function<CompiledRobots::Mass<T>>(name, "mass");
  auto* selftest = all.function<CompiledRobots::Selftest>(name, "selftest");
  if (inverse == nullptr || forward == nullptr || mass == nullptr || selftest == nullptr) return "generated C lacks a function";
  const std::vector<T> q = in<T>(q_), v = in<T>(v_), a = in<T>(a_);
  Results<T> got{std::vector<T>(n_), std::vector<T>(n_ * n_), std::vector<T>(n_)};
  inverse(q.data(), v.data(), a.data(), got.tau.data());
  mass(q.data(), got.M.data());
  forward(q.data(), v.data(), torques<T>().data(), got.a.data());
  if (std::string fault = judge("generated C", got, worst); !fault.empty()) return fault;
  return selftest() == 0 ? std::string() : "generated C fails its own test";
}

/// A row of M is what a torque is made of: its columns are measured by the largest, as torques are measured by all links together. (The first moment of a
/// link of 1e-12 kg on an arm of 1e9 kg may get lost.)
std::vector<double> EdgeCheck::mass_bound() const {
  const auto unit = [&](std::size_t k) {
    const Joint& joint = model_.joints()[model_.independent()[k]];
    return joint.type == JointType::prismatic && std::isfinite(joint.velocity) ? joint.velocity : 1;
  };
  std::vector<double> bound = exact_->mass_bound;
  for (std::size_t i = 0; i < n_; ++i) {
    double largest = 0;
    for (std::size_t j = 0; j < n_; ++j) largest = std::max(largest, bound[i + j * n_] * unit(j));
    for (std::size_t j = 0; j < n_; ++j) bound[i + j * n_] = largest / unit(j);
  }
  return bound;
}

bool EdgeCheck::holds_accelerations(bool single) const {
  if (!pivots_hold(exact_->M, n_, single ? Precision::single : Precision::full)) return false;
  if (!single) return true;
  const Plan plan = make_plan(model_, {.snap = snap_});
  const Rounding::Results by_floats = Rounding(plan, Precision::single).of(Quantity::forward, plan, q_, v_, torques<double>());
  return std::all_of(by_floats.error.begin(), by_floats.error.end(), [](double error) { return std::isfinite(error); });
}

template <class T>
double EdgeCheck::residual(const std::vector<T>& a) const {
  Real largest = 0, worst = 0;
  const std::vector<T> tau = torques<T>();
  for (std::size_t i = 0; i < n_; ++i) {
    Real sum = exact_->bias[i] - static_cast<Real>(tau[i]);
    largest = std::max({largest, std::abs(exact_->bias[i]), std::abs(static_cast<Real>(tau[i]))});
    for (std::size_t j = 0; j < n_; ++j) {
      const Real term = exact_->M[i * n_ + j] * static_cast<Real>(a[j]);
      sum += term;
      largest = std::max(largest, std::abs(term));
    }
    worst = std::max(worst, std::abs(sum));
  }
  return static_cast<double>(worst / largest);
}

/// The same state in all lanes but one, which has another: the same bits as one state.
template <class T>
std::string EdgeCheck::lanes(const DynamicsOf<T>& dynamics, const std::vector<T>& tau) const {
  const std::size_t width = dynamics.lanes();
  const std::vector<T> q = in<T>(q_), v = in<T>(v_), a = in<T>(a_);
  std::vector<T> Q(n_ * width), V(n_ * width), A(n_ * width), Tau(n_ * width);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t l = 0; l < width; ++l) {
      const T other = l + 1 == width ? T(0.5) : T(1);
      Q[i * width + l] = other * q[i], V[i * width + l] = other * v[i], A[i * width + l] = other * a[i];
    }
  dynamics.compute_lanes(Quantity::inverse, {Q.data(), V.data(), A.data()}, Tau.data(), 1);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t l = 0; l + 1 < width; ++l)
      if (Tau[i * width + l] != tau[i]) return cat("lane ", l, " of torque ", i, " is not that of one state");
  return {};
}

#define ULNA_EDGE_CHECK(T)                                                            \
  template std::string EdgeCheck::dynamics(const DynamicsOf<T>&, Worst&) const;       \
  template std::string EdgeCheck::dynamics<T>(InstructionSet, Worst&) const;          \
  template std::string EdgeCheck::programs<T>(Worst&) const;                          \
  template void EdgeCheck::add_to<T>(CompiledRobots&, const std::string&, int) const; \
  template std::string EdgeCheck::compiled<T>(const CompiledRobots&, const std::string&, Worst&) const
ULNA_EDGE_CHECK(double);
ULNA_EDGE_CHECK(float);
#undef ULNA_EDGE_CHECK

}  // namespace ulna::test
