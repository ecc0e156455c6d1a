// The registry: every formulation is a file and a row. Command line, tests, counts and benches loop over the rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/formulation/frames.hpp>
#include <ulna/scalar/counted.hpp>
#include <ulna/spatial/rounding.hpp>

namespace ulna {

/// Which form of a robot a formulation computes in: its frames are where it takes moments, and what rounding is relative to.
enum class Frames { tree, dh, mdh };

/// A model in every form a formulation may ask for, made once.
struct Prepared {
  explicit Prepared(const Model& model, double snap = kSnap);
  Model model;
  double snap;
  BodyTree<double> tree;
  std::string why_not_chain;  // empty: dh and mdh are there
  std::optional<DhChain<double>> dh;
  std::optional<MdhChain<double>> mdh;
  bool accept_interpolation = false;  // of a formulation that looks its numbers up: compute between the nodes of its table, too

  std::size_t size() const { return tree.size(); }
};

/// One formulation on one robot for one scalar T. Vectors have one entry per moving joint (mimic joints free). Results are those of the rigid bodies
/// under gravity: rotors and friction are added outside, except where the paper has them itself (`acceleration` takes tree.rotor in).
template <class T>
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// A quantity that the row does not list throws std::logic_error. No input may be null.
  virtual void compute(Quantity quantity, const InputsOf<T>& in, T* out);

  /// Why it has no answer, or none that is right, in a configuration; compute() throws std::domain_error or std::out_of_range there. Empty where it has one.
  virtual std::string why_not_here(const T* q);
  /// How far the torques of a state may be off, rounding aside; zeros but for a formulation that interpolates.
  virtual void error_bound(const T* q, const T* v, const T* a, double* bound);

  // What papers give; compute() calls them.
  virtual void torque(const T* q, const T* v, const T* a, T* tau);
  virtual void mass(const T* q, T* M);  // full and symmetric
  virtual void bias(const T* q, const T* v, T* bias);
  virtual void acceleration(const T* q, const T* v, const T* tau, T* a);
};

struct Formulation {
  std::string_view id;
  std::string_view title;
  std::string_view citation;
  std::vector<Quantity> quantities;
  std::string_view joints;      // which joints it takes, in words
  std::string_view topologies;  // which trees it takes, in words
  std::string_view cost;        // how its cost grows with the number of joints: "O(n)"
  Frames frames = Frames::tree;
  bool from_base = false;       // measures all points from the base, so that rounding is relative to moments about it
  bool interpolates = false;    // looks its numbers up in a table that is right at its nodes: see Prepared::accept_interpolation
  bool carries_drives = false;  // passes a drive's force and its rotor's reaction through the links, where they cancel but for rounding

  /// How much the formulation's own variables blow up rounding in the configuration q (moving joints); null for not at all.
  double (*amplification)(const double* q) = nullptr;
  /// Empty when it takes the model; else the property it lacks.
  std::string (*why_not)(const Prepared&);
  // One maker per pair (P, T); null where the formulation does not run on that scalar.
  std::unique_ptr<Evaluator<double>> (*make_double)(const Prepared&);
  std::unique_ptr<Evaluator<float>> (*make_float)(const Prepared&);
  std::unique_ptr<Evaluator<Counted>> (*make_counted)(const Prepared&);
  std::unique_ptr<Evaluator<Expr>> (*make_expr)(const Prepared&);  // see ulna/trace/trace.hpp

  bool gives(Quantity quantity) const;
};

/// All rows, in the order of the papers; `ulna`, the production path, last.
const std::vector<Formulation>& formulations();
const Formulation* find_formulation(std::string_view id);
/// The same, but throws std::invalid_argument, with the nearest id, when there is none.
const Formulation& formulation_named(std::string_view id);
/// What any of them gives.
const std::vector<Quantity>& formulated_quantities();

// For rows: E<P, T> is an Evaluator<T> that is made from a Prepared.
template <template <class, class> class E, class P, class T>
std::unique_ptr<Evaluator<T>> make_evaluator(const Prepared& prepared) {
  return std::make_unique<E<P, T>>(prepared);
}
/// Scalars that have a value at hand: for rows that look at the state.
template <template <class, class> class E>
void set_number_makers(Formulation& row) {
  row.make_double = &make_evaluator<E, double, double>;
  row.make_float = &make_evaluator<E, float, float>;
  row.make_counted = &make_evaluator<E, double, Counted>;
}
template <template <class, class> class E>
void set_makers(Formulation& row) {
  set_number_makers<E>(row);
  row.make_expr = &make_evaluator<E, double, Expr>;
}

// What most rows answer to why_not.
std::string takes_any_tree(const Prepared&);
std::string takes_chains(const Prepared& prepared);

}  // namespace ulna
