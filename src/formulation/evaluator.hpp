// What makes a row of the registry run: the formulation for one scalar, and the functions that make it from a robot.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>

#include <ulna/expr/expr.hpp>
#include <ulna/formulation/formulation.hpp>
#include "scalar/counted.hpp"
#include "scalar/exact.hpp"

#include "formulation/frames.hpp"
#include "formulation/kane_stanford.hpp"
#include "formulation/loads.hpp"
#include "formulation/paper_quantity.hpp"

namespace ulna::internal {

// Both throw std::logic_error.
[[noreturn]] void refuse_loads();
[[noreturn]] void not_given(Quantity quantity);

/// What loops make of the independent speeds: speeds and accelerations of the moving joints, and G of v = G u, joint by joint.
template <class T>
struct Completed {
  std::span<const T> v{}, a{}, G{};
};

/// One formulation on one robot for one scalar T. Vectors have one entry per moving joint (mimic joints free). Results are those of the rigid bodies
/// under gravity and loads: rotors and friction are added outside, except where the paper has them itself (`acceleration` takes tree.rotor in).
template <class T>
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// A quantity that the row does not list, and loads that it does not take, throw std::logic_error. No input may be null.
  virtual void compute(Quantity quantity, const InputsOf<T>& in, T* out, const Loads<T>& loads = {});
  // What papers give; compute() calls them.
  virtual void torque(const T* /*q*/, const T* /*v*/, const T* /*a*/, T* /*tau*/, const Loads<T>& = {}) { not_given(Quantity::inverse); }
  virtual void mass(const T* /*q*/, T* /*M*/) { not_given(Quantity::mass); }  // full and symmetric
  virtual void bias(const T* /*q*/, const T* /*v*/, T* /*bias*/, const Loads<T>& = {}) { not_given(Quantity::bias); }
  virtual void gravity(const T* /*q*/, T* /*G*/) { not_given(Quantity::gravity); }
  virtual void coriolis(const T* /*q*/, const T* /*v*/, T* /*C*/) { not_given(Quantity::coriolis); }  // column by column
  virtual void acceleration(const T* /*q*/, const T* /*v*/, const T* /*tau*/, T* /*a*/, const Loads<T>& = {}) { not_given(Quantity::forward); }

  /// Why it has no answer, or none that is right, in a state; torque() throws std::domain_error or std::out_of_range there. Empty where it has one.
  virtual std::string why_not_here(const T* /*q*/, const T* /*v*/, const T* /*a*/) { return {}; }
  /// Of the last call, on a robot with loops, by a formulation that takes them: there v, a and results are of the independent joints.
  virtual Completed<T> completed() const { return {}; }
  /// Moves the state to the nearest node of a table-based formulation: what the table is over.
  virtual void to_node(T* /*q*/, T* /*v*/, T* /*a*/) {}
  /// How far the torques of a state may be off, rounding aside; zeros but for a formulation that interpolates.
  virtual void error_bound(const T* /*q*/, const T* /*v*/, const T* /*a*/, double* /*bound*/) {}
  /// Of the last call, of a formulation that transmits: what the joint exerts on its link, where and in which axes loads act on it (LinkLoad).
  virtual LinkLoad<T> transmitted(std::size_t /*joint*/) const { return {}; }
  /// The quantities of the last call that the paper has a name for, as far as that call formed them; shown on Expr, for equations, and on
  /// double, for values.
  virtual void visit(const PaperVisitor<T>& /*shown*/) const {}
};

/// What a formulation without them says to loads.
template <class T>
void refuse(const Loads<T>& loads) {
  if (!loads.none()) refuse_loads();
}
/// Of a formulation that takes those on the links alone.
template <class T>
std::span<const LinkLoad<T>> on_links(const Loads<T>& loads) {
  if (loads.base) refuse_loads();
  return loads.links;
}

/// A paper's class A<P, T> as an evaluator, with whatever of torque(q, v, a, tau), mass(q, M), bias(q, v, bias), gravity(q, G), coriolis_coefficients(q, D),
/// acceleration(q, v, tau, a), why_not_here(q) and visit(shown) it has. A class with set_configuration(q) is placed by it, and leaves q out of the others. One
/// that takes loads has a further argument: of type Loads<T>, or those on the links alone.
template <class A, class T>
class EvaluatorOf final : public Evaluator<T> {
 public:
  template <class Form>
  explicit EvaluatorOf(const Form& form) : paper_(form) {}

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads) override {
    if constexpr (requires { paper_.torque(q, v, a, tau, loads); })
      paper_.torque(q, v, a, tau, loads);
    else if constexpr (requires { paper_.torque(q, v, a, tau, loads.links); })
      paper_.torque(q, v, a, tau, on_links(loads));
    else if constexpr (requires { paper_.torque(q, v, a, tau); })
      refuse(loads), paper_.torque(q, v, a, tau);
    else
      Evaluator<T>::torque(q, v, a, tau, loads);
  }
  void mass(const T* q, T* M) override {
    if constexpr (requires { paper_.set_configuration(q), paper_.mass(M); })
      paper_.set_configuration(q), paper_.mass(M);
    else if constexpr (requires { paper_.mass(q, M); })
      paper_.mass(q, M);
    else
      Evaluator<T>::mass(q, M);
  }
  void bias(const T* q, const T* v, T* bias, const Loads<T>& loads) override {
    if constexpr (requires { paper_.set_configuration(q), paper_.bias(v, bias); })
      refuse(loads), paper_.set_configuration(q), paper_.bias(v, bias);
    else if constexpr (requires { paper_.bias(q, v, bias, loads); })
      paper_.bias(q, v, bias, loads);
    else if constexpr (requires { paper_.bias(q, v, bias, loads.links); })
      paper_.bias(q, v, bias, on_links(loads));
    else if constexpr (requires { paper_.bias(q, v, bias); })
      refuse(loads), paper_.bias(q, v, bias);
    else
      Evaluator<T>::bias(q, v, bias, loads);
  }
  void gravity(const T* q, T* G) override {
    if constexpr (requires { paper_.set_configuration(q), paper_.gravity(G); })
      paper_.set_configuration(q), paper_.gravity(G);
    else if constexpr (requires { paper_.gravity(q, G); })
      paper_.gravity(q, G);
    else
      Evaluator<T>::gravity(q, G);
  }
  /// C_ij = Σ_k D_ikj v_k, D_ikj at (i n + k) n + j: the same for k and j exchanged, so the coefficients are Christoffel symbols.
  void coriolis(const T* q, const T* v, T* C) override {
    if constexpr (requires(T * D) { paper_.coriolis_coefficients(q, D), paper_.size(); }) {
      const std::size_t n = paper_.size();
      std::vector<T> D(n * n * n);
      paper_.coriolis_coefficients(q, D.data());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          T sum = T(0);
          for (std::size_t k = 0; k < n; ++k) sum = sum + D[(i * n + k) * n + j] * v[k];
          C[i + j * n] = sum;
        }
    } else {
      Evaluator<T>::coriolis(q, v, C);
    }
  }
  void acceleration(const T* q, const T* v, const T* tau, T* a, const Loads<T>& loads) override {
    if constexpr (requires { paper_.acceleration(q, v, tau, a, loads); })
      paper_.acceleration(q, v, tau, a, loads);
    else if constexpr (requires { paper_.acceleration(q, v, tau, a); })
      refuse(loads), paper_.acceleration(q, v, tau, a);
    else
      Evaluator<T>::acceleration(q, v, tau, a, loads);
  }
  std::string why_not_here(const T* q, const T*, const T*) override {
    if constexpr (requires { paper_.why_not_here(q); }) return paper_.why_not_here(q);
    return {};
  }
  Completed<T> completed() const override {
    if constexpr (requires { paper_.completed(); }) return paper_.completed();
    return {};
  }
  LinkLoad<T> transmitted(std::size_t joint) const override {
    if constexpr (requires { paper_.transmitted(joint); }) return paper_.transmitted(joint);
    return {};
  }
  void visit(const PaperVisitor<T>& shown) const override {
    if constexpr ((std::is_same_v<T, Expr> || std::is_same_v<T, double>)&&requires { paper_.visit(shown); }) paper_.visit(shown);
  }

 private:
  A paper_;
};

/// The form that a formulation needs.
template <class P>
using AnyForm = std::variant<BodyTree<P>, DhChain<P>, MdhChain<P>, StanfordArm<P>>;
struct SymbolicForm {  // with symbols for the robot's numbers
  AnyForm<Expr> of;
  std::shared_ptr<const Speeds> speeds{};  // Prepared::speeds
};
struct ExactForm {
  AnyForm<Exact> of;
};

// What most rows answer to why_not.
std::string takes_any_tree(const Prepared&);
std::string takes_chains(const Prepared& prepared);
std::string takes_stanford(const Prepared& prepared);

// What the forms are called, where a robot has them, and which robots have one.
template <template <class> class F>
struct FormOf;
template <>
struct FormOf<BodyTree> {
  static constexpr Frames frames = Frames::tree;
  static constexpr std::string_view topologies = "any tree";
  static constexpr auto why_not = &takes_any_tree;
  static BodyTree<double> in(const Prepared& prepared) { return prepared.forms().tree; }
};
template <>
struct FormOf<DhChain> {
  static constexpr Frames frames = Frames::dh;
  static constexpr std::string_view topologies = "serial chains";
  static constexpr auto why_not = &takes_chains;
  static DhChain<double> in(const Prepared& prepared) { return *prepared.forms().dh; }
};
template <>
struct FormOf<MdhChain> {
  static constexpr Frames frames = Frames::mdh;
  static constexpr std::string_view topologies = "serial chains";
  static constexpr auto why_not = &takes_chains;
  static MdhChain<double> in(const Prepared& prepared) { return *prepared.forms().mdh; }
};
template <>
struct FormOf<StanfordArm> {
  static constexpr Frames frames = Frames::stanford;
  static constexpr std::string_view topologies = "the Stanford arm; lengths, masses, inertias and g are free";
  static constexpr auto why_not = &takes_stanford;
  static StanfordArm<double> in(const Prepared& prepared) { return fit_stanford(prepared.forms().tree).arm; }
};

/// For rows that need more of a robot than a form: E<P, T> is an Evaluator<T>.
template <template <class, class> class E, class P, class T>
std::unique_ptr<Evaluator<T>> make_evaluator(const Prepared& robot) {
  return std::make_unique<E<P, T>>(robot);
}

/// A row with what makes it run and which robots it takes: A<P, T> is the paper's class, made from an F<P>. Its text is compiled for five pairs of scalars.
template <template <class, class> class A, template <class> class F>
Formulation paper_row(std::string_view id) {
  using Form = FormOf<F>;
  Formulation row{};
  row.id = id;
  row.joints = "revolute and prismatic";
  row.frames = Form::frames;
  row.topologies = Form::topologies;
  row.why_not = Form::why_not;
  row.transmits = requires(const A<double, double>& paper) { paper.transmitted(0); };
  row.make_double = [](const Prepared& robot) -> std::unique_ptr<Evaluator<double>> {
    return std::make_unique<EvaluatorOf<A<double, double>, double>>(Form::in(robot));
  };
  row.make_float = [](const Prepared& robot) -> std::unique_ptr<Evaluator<float>> {
    return std::make_unique<EvaluatorOf<A<float, float>, float>>(Form::in(robot).template cast<float>());
  };
  row.make_counted = [](const Prepared& robot) -> std::unique_ptr<Evaluator<Counted>> {
    return std::make_unique<EvaluatorOf<A<double, Counted>, Counted>>(Form::in(robot));
  };
  row.make_expr = [](const Prepared& robot) -> std::unique_ptr<Evaluator<Expr>> {
    return std::make_unique<EvaluatorOf<A<Expr, Expr>, Expr>>(Form::in(robot).template cast<Expr>());
  };
  row.make_symbolic = [](const SymbolicForm& form) -> std::unique_ptr<Evaluator<Expr>> {
    return std::make_unique<EvaluatorOf<A<Expr, Expr>, Expr>>(std::get<F<Expr>>(form.of));
  };
  row.make_exact = [](const ExactForm& form) -> std::unique_ptr<Evaluator<Exact>> {
    return std::make_unique<EvaluatorOf<A<Exact, Exact>, Exact>>(std::get<F<Exact>>(form.of));
  };
  return row;
}

}  // namespace ulna::internal
