#include "emit/equations_formulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <ulna/plan/plan.hpp>

#include "formulation/kane_stanford.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"
#include "trace/inputs.hpp"
#include "trace/trace.hpp"

namespace ulna {

namespace {

/// Sines and cosines of joint angles are called by the joint, whatever constant is added to the coordinate.
void name_angles(Graph& graph) {
  const auto angle_of = [&](std::size_t index) {
    const auto at = [&](std::size_t k) { return graph.nodes()[k]; };
    Node node = at(index);
    if (node.operation == Operation::add || node.operation == Operation::subtract) {
      if (at(node.a).fixed != at(node.b).fixed) node = at(at(node.a).fixed ? node.b : node.a);
    }
    return node.operation == Operation::input ? node.a : kNoValue;
  };
  for (std::size_t k = 0; k < graph.nodes().size(); ++k) {
    const Node node = graph.nodes()[k];
    if (node.operation != Operation::sine && node.operation != Operation::cosine) continue;
    if (const std::uint32_t joint = angle_of(node.a); joint != kNoValue)
      graph.name(Expr(graph, static_cast<std::uint32_t>(k), false), cat(node.operation == Operation::sine ? "s" : "c", joint + 1));
  }
}

std::string known_ids() {
  std::string list;
  for (const std::string_view id : equation_formulations()) list += cat(list.empty() ? "" : ", ", id);
  return list;
}

/// Couplings of the joints and rotors, around the rigid bodies that papers treat: q = G r + q0, tau = Gᵀ tau, M = Gᵀ M G.
class Around {
 public:
  Around(const Plan& plan, SymbolTable& symbols, bool rotor) : plan_(plan) {
    for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
      const PlanBody<double>& body = plan.bodies[i];
      const bool scaled = std::fabs(body.multiplier) != 1;
      multiplier_.push_back(
          scaled ? symbols.symbol({"k", cat(i + 1), "", 0}, body.multiplier, "", cat("joint ", i + 1, " moves so many times coordinate ", body.q + 1))
                 : Expr(body.multiplier));
      offset_.push_back(symbols.symbol({"o", cat(i + 1), "", 0}, body.offset, body.prismatic ? "m" : "rad", cat("offset of joint ", i + 1)));
      rotor_.push_back(rotor ? symbols.rotor(i + 1, body.rotor, body.prismatic) : Expr(0));
    }
  }
  const std::vector<Expr>& rotors() const { return rotor_; }
  std::vector<Expr> coordinates(const std::vector<Expr>& q) const {
    std::vector<Expr> joints = rates(q);
    for (std::size_t i = 0; i < joints.size(); ++i) joints[i] = joints[i] + offset_[i];
    return joints;
  }
  std::vector<Expr> rates(const std::vector<Expr>& v) const {
    std::vector<Expr> joints;
    for (std::size_t i = 0; i < multiplier_.size() && !v.empty(); ++i) joints.push_back(multiplier_[i] * v[coordinate(i)]);
    return joints;
  }
  /// Of joint forces; `a` are the joints' accelerations, or none.
  std::vector<Expr> forces(const std::vector<Expr>& joints, const std::vector<Expr>& a) const {
    std::vector<Expr> out(plan_.nv);
    for (std::size_t i = 0; i < joints.size(); ++i)
      out[coordinate(i)] = out[coordinate(i)] + multiplier_[i] * (a.empty() ? joints[i] : joints[i] + rotor_[i] * a[i]);
    return out;
  }
  std::vector<Expr> mass(const std::vector<Expr>& joints) const {
    const std::size_t m = multiplier_.size(), n = plan_.nv;
    std::vector<Expr> out(n * n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        Expr& entry = out[coordinate(i) * n + coordinate(j)];
        entry = entry + multiplier_[i] * multiplier_[j] * (i == j ? joints[i * m + j] + rotor_[i] : joints[i * m + j]);
      }
    return out;
  }

 private:
  std::size_t coordinate(std::size_t joint) const { return plan_.bodies[joint].v; }
  const Plan& plan_;
  std::vector<Expr> multiplier_, offset_, rotor_;
};

}  // namespace

const SymbolicFormulation* symbolic_formulation(std::string_view id) {
  for (const auto& list : {formulations_on_standard_frames(), formulations_on_modified_frames(), formulations_on_trees(), formulations_of_the_stanford_arm()})
    for (const SymbolicFormulation& row : list)
      if (row.id == id) return &row;
  return nullptr;
}

std::vector<std::string_view> equation_formulations() {
  std::vector<std::string_view> ids;
  for (const Formulation& row : formulations())
    if (row.id == "ulna" || symbolic_formulation(row.id) != nullptr) ids.push_back(row.id);
  return ids;
}

std::vector<std::size_t> coordinate_numbers(std::string_view formulation, std::size_t n) {
  std::vector<std::size_t> numbers(n);
  for (std::size_t k = 0; k < n; ++k) numbers[k] = k + 1;
  if (formulation == "kane-stanford" && n == 6)
    for (std::size_t r = 1; r <= 6; ++r) numbers[kStanfordChain[r]] = r;
  return numbers;
}

LineOptions line_options(std::string_view formulation) {
  if (formulation == "kane-stanford") return {"V", true};  // Z are the paper's
  return {};
}

SymbolicTrace run_formulation(const Formulation& row, Quantity quantity, const Model& model, const EquationOptions& options) {
  const SymbolicFormulation* symbolic = symbolic_formulation(row.id);
  if (symbolic == nullptr)
    throw std::invalid_argument(
        cat("formulation ", row.id, " has no equations to write down: it decides by numbers of the state. There are those of ", known_ids()));
  const std::vector<Quantity>& given = formulated_quantities();
  if (std::find(given.begin(), given.end(), quantity) == given.end())
    throw std::invalid_argument(cat("formulation ", row.id, " does not give the ", to_string(quantity), ": write it without a formulation"));
  const Prepared prepared(model, options.snap);
  if (const std::string reason = why_not_traced(row, quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", row.id, " does not give the ", to_string(quantity), " of robot ", in_quotes(model.name()), ": ", reason));

  SymbolicTrace out;
  Graph& graph = *out.graph;
  PlanOptions plan_options;
  plan_options.snap = options.snap;
  const Plan plan = make_plan(model, plan_options);
  const GraphInputs in(graph, quantity, plan.nv);
  SymbolTable symbols(graph);
  const Around around(plan, symbols, options.rotor);
  const std::vector<Expr> q_joints = around.coordinates(in.q()), v_joints = around.rates(in.v());
  const std::vector<Expr> third_joints = quantity == Quantity::forward ? in.last() : around.rates(in.last());  // acceleration takes no couplings
  const std::size_t n = prepared.size();
  std::vector<Expr> results(row_of(quantity).size(n));
  const std::vector<Expr> none;
  symbolic->run({prepared, quantity, symbols, q_joints.data(), v_joints.data(), third_joints.data(),
                 quantity == Quantity::forward ? std::span<const Expr>(around.rotors()) : std::span<const Expr>(none), results.data()});
  name_angles(graph);
  switch (quantity) {
    case Quantity::inverse: out.results = around.forces(results, third_joints); break;
    case Quantity::bias: out.results = around.forces(results, {}); break;
    case Quantity::mass: out.results = upper_half(around.mass(results), plan.nv); break;
    default: out.results = std::move(results);
  }
  out.symbols = symbols.take();
  return out;
}

}  // namespace ulna
