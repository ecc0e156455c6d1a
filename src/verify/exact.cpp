#include "verify/exact.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <ulna/spatial/spatial.hpp>

#include "formulation/evaluator.hpp"
#include "plan/reframe-inl.hpp"
#include "text/message.hpp"
#include "verify/exact_kernels.hpp"
#include "verify/exact_robot.hpp"

namespace ulna::internal {

double Theorems::chance_of(double degree) const { return std::fmin(1, zeros_ * std::fmax(degree, 1) / static_cast<double>(Residue::kPrime)); }

Theorems::Row& Theorems::row(const std::string& name, const std::string& note) {
  for (Row& row : rows_)
    if (row.name == name) return row;
  return rows_.emplace_back(Row{name, note});
}

void Theorems::equal(const std::string& name, const std::string& note, std::span<const Exact> got, std::span<const Exact> wanted) {
  Row& it = row(name, note);
  it.holds = it.holds && got.size() == wanted.size();
  for (std::size_t k = 0; k < std::min(got.size(), wanted.size()); ++k) {
    it.holds = it.holds && got[k] == wanted[k];
    it.degree = std::fmax(it.degree, (got[k] - wanted[k]).degree());
  }
}

void Theorems::fact(const std::string& name, const std::string& note, bool holds) {
  Row& it = row(name, note);
  it.holds = it.holds && holds;
}

double Theorems::chance() const {
  double largest = 0;
  for (const Row& row : rows_)
    if (const double chance = chance_of(row.degree); chance < 1) largest = std::fmax(largest, chance);
  return largest;
}

std::vector<ExactCheck> Theorems::checks(std::size_t trials) const {
  std::vector<ExactCheck> out;
  for (const Row& row : rows_) out.push_back({row.name, row.holds, trials, std::pow(chance_of(row.degree), static_cast<double>(trials)), row.note});
  return out;
}

namespace {

/// One of the forms of formulations, and the same robot in the form of the production path.
struct Side {
  ExactForm form;
  ExactKernels kernels;
};

ExactKernels lumped(PlanOf<Exact> plan, Lumping lumping) {
  find_aligned_axes(plan);
  lump<Exact>(plan, std::vector<LumpChoice>(plan.bodies.size(), LumpChoice{lumping}));
  return ExactKernels(std::move(plan));
}

template <class Form>
Side side_of(const Plan& like, const Form& form) {
  return {{form}, lumped(exact_plan(like, tree_of(form)), Lumping::szz)};
}

class Deciding {
 public:
  explicit Deciding(const Prepared& prepared)
      : prepared_(prepared),
        like_(make_plan(prepared.given.closed() ? prepared.given : with_free_mimics(prepared.model), {.snap = prepared.snap, .lumping = Lumping::none})),
        own_(make_plan(prepared.given, {.snap = prepared.snap, .lumping = Lumping::none})) {}

  void at_point(Theorems& theorems, std::uint64_t seed) {
    RandomResidues random(seed);
    const ExactState state(like_, random), own(own_, random);
    formulations_at(theorems, state);
    laws_at(theorems, own);
  }

 private:
  Side& side(Frames frames) {
    std::optional<Side>& it = sides_[static_cast<std::size_t>(frames)];
    if (it) return *it;
    const Forms& forms = prepared_.forms();
    switch (frames) {
      case Frames::tree: it = side_of(like_, exact_tree(forms.tree)); break;
      case Frames::dh: it = side_of(like_, exact_chain(*forms.dh)); break;
      case Frames::mdh: it = side_of(like_, exact_chain(*forms.mdh)); break;
      case Frames::stanford: it = side_of(like_, fit_stanford(forms.tree).arm.cast<Exact>()); break;
    }
    return *it;
  }

  void formulations_at(Theorems& theorems, const ExactState& state) {
    for (const Formulation& row : formulations()) {
      if (row.make_exact == nullptr) continue;
      for (const Quantity quantity : row.quantities) {
        if (!why_not(row, quantity, prepared_).empty()) continue;
        Side& by = side(row.frames);
        const bool forward = row_of(quantity).takes("tau");
        std::vector<Exact> tau, wanted;
        InputsOf<Exact> in = state.inputs();
        if (forward) tau = by.kernels(Quantity::inverse, in), in.last = tau.data(), wanted = state.a;
        if (!forward) wanted = by.kernels(quantity, in, false);
        std::vector<Exact> got(wanted.size());
        std::vector<Exact> q = state.q;
        if (prepared_.given.closed()) q = followers(by.kernels.plan(), state.q);
        in.q = q.data();
        if (forward && !divides([&] { (void)by.kernels(Quantity::forward, in); })) continue;  // M is singular everywhere
        if (!divides([&] { row.make_exact(by.form)->compute(quantity, in, got.data()); })) got.clear();
        theorems.equal(cat(row.id, ": ", result_name(quantity)), forward ? "accelerations of the production path's torques" : "as the production path has it",
                       got, wanted);
      }
    }
  }

  /// Of every moving joint, mimics among them.
  std::vector<Exact> followers(const PlanOf<Exact>& plan, const std::vector<Exact>& q) const {
    std::vector<Exact> all;
    for (const PlanBody<Exact>& body : plan.bodies) all.push_back(body.multiplier * q[body.q] + body.offset);
    return all;
  }

  void laws_at(Theorems& theorems, const ExactState& state) {
    if (laws_.empty())
      for (const Lumping lumping : {Lumping::szz, Lumping::none, Lumping::jyy, Lumping::jxx})
        laws_.push_back(lumped(exact_plan(own_, prepared_.given, prepared_.snap), lumping));
    ExactKernels& robot = laws_.front();
    const InputsOf<Exact> in = state.inputs();
    const std::size_t n = own_.sizes().nv;
    const Exact zero(0);
    const auto times = [&](const std::vector<Exact>& matrix, const std::vector<Exact>& x, std::size_t first = 0) {
      std::vector<Exact> y(n, zero);
      for (std::size_t j = 0; j < x.size(); ++j)
        for (std::size_t i = 0; i < n; ++i) y[i] = y[i] + matrix[first + i + j * n] * x[j];
      return y;
    };
    const auto plus = [&](std::vector<Exact> x, const std::vector<Exact>& y) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + y[i];
      return x;
    };
    const auto dot = [&](const std::vector<Exact>& x, const std::vector<Exact>& y) {
      Exact sum(0);
      for (std::size_t i = 0; i < x.size(); ++i) sum = sum + x[i] * y[i];
      return sum;
    };
    const std::vector<Exact> tau = robot(Quantity::inverse, in), M = robot(Quantity::mass, in), bias = robot(Quantity::bias, in),
                             gravity = robot(Quantity::gravity, in), C = robot(Quantity::coriolis, in);
    const auto law = [&](const char* name, const char* note, const std::vector<Exact>& got, const std::vector<Exact>& wanted) {
      theorems.equal(name, note, got, wanted);
    };

    constexpr const char* kLumpings[] = {"", "lumping: parameters as they are", "lumping: m, h_z, J_yy to the parent", "lumping: m, h_z, J_xx to the parent"};
    for (std::size_t k = 1; k < laws_.size(); ++k)
      for (const Quantity quantity : {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::coriolis})
        theorems.equal(kLumpings[k], "torques, M, bias and C do not change", laws_[k](quantity, in), robot(quantity, in));

    law("torque = M a + bias", "", plus(times(M, state.a), bias), tau);
    // C v is with a = 0 as the rates of v's numbers; the acceleration of a free base's origin has w x v besides (coriolis-inl.hpp).
    const auto three = [](const std::vector<Exact>& x, std::size_t first) { return Vec3<Exact>{x[first], x[first + 1], x[first + 2]}; };
    const Vec3<Exact> rotated = own_.free ? cross(three(state.v, 0), three(state.v, 3)) : Vec3<Exact>{};
    std::vector<Exact> moving = bias;
    if (own_.free) moving = plus(times(M, {rotated.x, rotated.y, rotated.z}, 3 * n), bias);
    law("C v = bias - gravity", own_.free ? "the rates of v being zero" : "", plus(times(C, state.v), gravity), moving);
    // Along v; of a free base in its own axes.
    std::vector<Exact> way(own_.nq, zero);
    for (std::size_t k = 0; k < n; ++k) {
      const std::vector<Exact> t = robot.tangent(in.q, k);
      for (std::size_t i = 0; i < way.size(); ++i) way[i] = way[i] + t[i] * state.v[k];
    }
    InputsOf<Exact> along;
    along.q = way.data();
    std::vector<Exact> both(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) both[i + j * n] = C[i + j * n] + C[j + i * n];
    law("dM/dt - 2 C skew-symmetric", "M along v by dual numbers", robot.rate(Quantity::mass, in, along), both);

    std::vector<Exact> v_rate = state.a;
    if (own_.free) {
      v_rate[3] = v_rate[3] - rotated.x, v_rate[4] = v_rate[4] - rotated.y, v_rate[5] = v_rate[5] - rotated.z;
    }
    const std::vector<Exact> power = robot.rate(Quantity::energy, in, {way.data(), v_rate.data()});
    law("d(T + V)/dt = torque . v", "energies by dual numbers", {power[0] + power[1]}, {dot(tau, state.v)});
    law("T = v . M v / 2", "", {robot(Quantity::energy, in)[0] * Exact(2)}, {dot(state.v, times(M, state.v))});

    std::vector<Exact> linear = times(robot(Quantity::regressor, in), robot.parameters());
    linear = plus(linear, rotors(robot, in));
    law("Y pi = torque", "the regressor times the parameters of the links, and rotors", linear, tau);

    InputsOf<Exact> driven = in;
    driven.last = tau.data();
    divides([&] {
      for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
        if (method == ForwardMethod::articulated && (own_.coupled || own_.closed())) continue;
        driven.method = method;
        law(method == ForwardMethod::articulated ? "forward(inverse(a)) = a, articulated bodies" : "forward(inverse(a)) = a, inertia matrix", "",
            robot(Quantity::forward, driven), state.a);
      }
      std::vector<Exact> unit(n * n, zero), product(n * n);
      const std::vector<Exact> W = robot(Quantity::mass_inverse, in);
      for (std::size_t j = 0; j < n; ++j) {
        unit[j * (n + 1)] = Exact(1);
        const std::vector<Exact> column = times(M, {W.begin() + static_cast<std::ptrdiff_t>(j * n), W.begin() + static_cast<std::ptrdiff_t>((j + 1) * n)});
        std::copy(column.begin(), column.end(), product.begin() + static_cast<std::ptrdiff_t>(j * n));
      }
      law("M times its inverse = 1", "", product, unit);
    });
    if (own_.closed()) return;  // derivatives of closed motions are made of dual numbers themselves
    derivatives(theorems, robot, Quantity::inverse_derivatives, Quantity::inverse, in, "derivatives of the torque");
    driven.method = ForwardMethod::mass_matrix;
    divides([&] { derivatives(theorems, robot, Quantity::forward_derivatives, Quantity::forward, driven, "derivatives of the acceleration"); });
  }

  /// What rotors need of each coordinate.
  std::vector<Exact> rotors(ExactKernels& robot, const InputsOf<Exact>& in) {
    const std::size_t n = own_.sizes().nv;
    std::vector<Exact> sum(n, Exact(0)), a(in.last, in.last + n), G;
    if (own_.closed()) G = robot.dependence(in.q), a = robot.tree_accelerations(in);
    for (const PlanBody<Exact>& body : robot.plan().bodies) {
      const Exact torque = body.multiplier * body.multiplier * body.rotor * a[body.v];
      if (!own_.closed()) sum[body.v] = sum[body.v] + torque;
      for (std::size_t k = 0; own_.closed() && k < n; ++k) sum[k] = sum[k] + G[body.v + k * own_.nv] * torque;
    }
    return sum;
  }

  /// All columns by dual numbers.
  void derivatives(Theorems& theorems, ExactKernels& robot, Quantity derivative, Quantity of, const InputsOf<Exact>& in, const char* name) {
    const std::size_t n = own_.sizes().nv;
    const std::vector<Exact> got = robot(derivative, in);
    std::vector<Exact> wanted;
    for (std::size_t part = 0; part < 3; ++part)
      for (std::size_t k = 0; k < n; ++k) {
        std::vector<Exact> unit(n, Exact(0));
        unit[k] = Exact(1);
        if (part == 0) unit = robot.tangent(in.q, k);
        InputsOf<Exact> rates;
        (part == 0 ? rates.q : part == 1 ? rates.v : rates.last) = unit.data();
        const std::vector<Exact> column = robot.rate(of, in, rates);
        wanted.insert(wanted.end(), column.begin(), column.end());
      }
    theorems.equal(name, "by dual numbers", got, wanted);
  }

  /// Whether f divides by no zero.
  template <class F>
  static bool divides(const F& f) {
    try {
      f();
      return true;
    } catch (const std::domain_error&) {
      return false;
    }
  }

  const Prepared& prepared_;
  Plan like_, own_;
  std::optional<Side> sides_[4];
  std::vector<ExactKernels> laws_;
};

}  // namespace

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::vector<ExactCheck> verify_exact(const Prepared& prepared, const ExactOptions& options) {
  if (prepared.given.nv() == 0) return {};
  Denominators::here().clear();
  Deciding robot(prepared);
  std::optional<ExactPrograms> programs;
  if (options.programs) programs.emplace(prepared.given, prepared.snap);
  Theorems theorems(prepared.given.quaternions().empty() ? 2 : 4);
  std::size_t trials = 0;
  do {
    robot.at_point(theorems, options.seed * options.most_trials + trials);
    if (programs) programs->decide(theorems, ~(options.seed * options.most_trials + trials));
    ++trials;
  } while (trials < options.most_trials && std::pow(theorems.chance(), static_cast<double>(trials)) > options.certainty);
  return theorems.checks(trials);
}

std::vector<ExactCheck> verify_exact(const Model& model, const ExactOptions& options) { return verify_exact(Prepared(model), options); }

}  // namespace ULNA_API
