// The kernels, and formulations of the registry, run on symbols.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include <ulna/formulation/speeds.hpp>
#include <ulna/plan/plan.hpp>

#include "emit/equations_steps.hpp"
#include "emit/symbols.hpp"
#include "formulation/evaluator.hpp"
#include "formulation/kane_stanford.hpp"
#include "formulation/kernel_quantities.hpp"
#include "formulation/trace.hpp"
#include "text/message.hpp"
#include "trace/compute_expr.hpp"
#include "trace/inputs.hpp"
#include "trace/joint_names.hpp"

namespace ulna::internal {

namespace {

void name_kernel_quantities(Graph& graph, const WorkspaceOf<Expr>& ws, Quantity what, const std::vector<std::size_t>& angles) {
  for (std::size_t i = 0; i < ws.bodies.size(); ++i) {
    const BodyState<Expr>& s = ws.bodies[i];
    const JointNames name([&graph](const NodeName& known, const Expr& x) { graph.name(x, known); }, i);
    graph.name(s.sincos.sin, NodeName{"s", angles[i]});
    graph.name(s.sincos.cos, NodeName{"c", angles[i]});
    if (row_of(what).lumps) continue;
    name("R0", s.X_WB.R);
    name("p0", s.X_WB.p);
    if (what == Quantity::energy) name("w", s.w_WB_B), name("v", s.v_WBo_B);
  }
  if (!row_of(what).lumps) return;
  show_kernel(ws, what, [&graph](const PaperSymbol& symbol, const PaperIndex& index, const auto& x) {
    const JointNames name([&graph](const NodeName& known, const Expr& entry) { graph.name(entry, known); }, index.first - 1);
    name(cat(symbol.letter, symbol.above).c_str(), x);
  });
}

/// Of a robot with loops: G, and rates and accelerations of dependent coordinates, which are q with dots.
void name_dependence(SymbolicTrace& out, const PlanOf<Expr>& plan, const WorkspaceOf<Expr>& ws, const std::vector<std::size_t>& coordinates,
                     bool accelerations) {
  const std::size_t n = plan.nv, base = plan.free ? base_nv(RootJoint::free) : 0;
  const auto name = [&](const Expr& x, const EquationMark& mark) {
    if (x.is_number()) return;
    out.marks[mark.text()] = mark;
    out.graph->name(x, NodeName{mark.text()});
  };
  for (const std::size_t i : plan.order.columns) {
    const std::string number = cat(coordinates[i - base]);
    for (std::size_t k = 0; k < plan.order.independent.size(); ++k)
      if (const std::size_t by = plan.order.independent[k]; by >= base) name(ws.closed.G[i + k * n], {"G", cat(number, ",", coordinates[by - base]), "", 0});
    name(ws.closed.v[i], {"q", number, "", 1});
    if (accelerations) name(ws.closed.a[i], {"q", number, "", 2});  // else they are scratch
  }
}

/// Torques of a robot with loops with G written out: v_tree = G v, a_tree = G a + γ, tau = Gᵀ tau_tree.
void by_dependence(Quantity what, const PlanOf<Expr>& plan, WorkspaceOf<Expr>& ws, const InputsOf<Expr>& in, Expr* out, const EffectsOf<Expr>& effects) {
  ClosedSpaceOf<Expr>& s = ws.closed;
  const std::size_t n = plan.nv, m = plan.order.independent.size();
  kernel::resolve_loops(plan, ws, in.q);
  kernel::dependence(plan, s);
  const auto times_G = [&](const Expr* x, std::size_t i) {
    Expr sum(0);
    for (std::size_t k = 0; k < m; ++k) sum = sum + s.G[i + k * n] * x[k];
    return sum;
  };
  const bool moves = what != Quantity::gravity;
  if (moves) {
    for (std::size_t i = 0; i < n; ++i) s.v[i] = times_G(in.v, i);
    const Expr* none = nullptr;
    kernel::complete_accelerations(plan, ws, s.v.data(), none);
    for (std::size_t i = 0; i < n && what == Quantity::inverse; ++i) s.a[i] = s.a[i] + times_G(in.last, i);
  }
  const PlanOf<Expr> tree = plan.opened();
  std::vector<Expr> x(n);
  kernel::compute(moves ? Quantity::inverse : what, tree, ws, InputsOf<Expr>{in.q, s.v.data(), s.a.data()}, x.data(), effects);
  for (std::size_t k = 0; k < m; ++k) {
    out[k] = Expr(0);
    for (std::size_t i = 0; i < n; ++i) out[k] = out[k] + s.G[i + k * n] * x[i];
  }
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

/// The form that the formulation needs. Rotors go into forms that have them: a paper that gives accelerations includes them itself.
SymbolicForm with_symbols(const Formulation& row, const Prepared& prepared, SymbolTable& symbols, std::span<const Expr> rotors) {
  const Forms& forms = prepared.forms();
  switch (row.frames) {
    case Frames::dh: return {with_symbols(*forms.dh, symbols)};
    case Frames::mdh: return {with_symbols(*forms.mdh, symbols)};
    case Frames::stanford: {
      StanfordArm<Expr> arm = with_symbols(fit_stanford(forms.tree).arm, symbols);
      for (std::size_t r = 1; r <= 6 && !rotors.empty(); ++r) arm.rotor[r] = rotors[kStanfordChain[r]];
      return {arm};
    }
    case Frames::tree: break;
  }
  BodyTree<Expr> tree = with_symbols(forms.tree, symbols);
  for (std::size_t i = 0; i < rotors.size(); ++i) tree.bodies[i].rotor = rotors[i];
  return {std::move(tree)};
}

/// The entries of M on and above its diagonal, row by row.
std::vector<Expr> upper_half(const std::vector<Expr>& M, std::size_t n) {
  std::vector<Expr> half;
  for (std::size_t i = 0; i < n; ++i)
    half.insert(half.end(), M.begin() + static_cast<std::ptrdiff_t>(i * n + i), M.begin() + static_cast<std::ptrdiff_t>(i * n + n));
  return half;
}

}  // namespace

SymbolicTrace run_kernel(const Plan& numbers, Quantity what, std::size_t link, bool rotor, Masses masses, const std::vector<std::size_t>& coordinates) {
  SymbolicTrace out;
  Graph& graph = *out.graph;
  const std::size_t n = numbers.sizes().nv;
  const QuantityRow& row = row_of(what);
  const GraphInputs in(graph, what, numbers.sizes());
  SymbolTable symbols(graph);
  const PlanOf<Expr> plan =
      masses == Masses::lumped && row.lumps ? with_lumped_symbols(numbers, symbols) : with_body_symbols(numbers, symbols, row.of_link ? link : kNone);
  WorkspaceOf<Expr> ws(plan);
  EffectsOf<Expr> effects;
  effects.rotor = rotor;
  std::vector<Expr>& results = out.results;
  results.resize(row.size(numbers.sizes()));
  if (plan.closed() && (what == Quantity::inverse || what == Quantity::bias || what == Quantity::gravity))
    by_dependence(what, plan, ws, in.of(link), results.data(), effects);
  else
    kernel::compute(what, plan, ws, in.of(link), results.data(), effects);
  if (plan.closed()) name_dependence(out, plan, ws, coordinates, what == Quantity::inverse || what == Quantity::bias);
  if (row.symmetric) results = upper_half(results, n);
  // Sines and cosines go by the coordinate; where joints share one, by the joint.
  std::vector<std::size_t> angles;
  for (std::size_t i = 0; i < numbers.bodies.size(); ++i)
    angles.push_back(numbers.coupled ? i + 1 : coordinates[numbers.bodies[i].q - base_nq(numbers.free ? RootJoint::free : RootJoint::fixed)]);
  name_kernel_quantities(graph, ws, what, angles);
  out.symbols = symbols.take();
  return out;
}

const Formulation* paper_of(std::string_view formulation) {
  const Formulation* row = find_formulation(formulation);
  return row != nullptr && row->make_symbolic != nullptr ? row : nullptr;
}

std::string_view frames_in_words(Frames frames) {
  switch (frames) {
    case Frames::dh:
      return "The robot is described by a standard Denavit-Hartenberg table, whatever frames its file has: from frame i-1 to frame i by theta and d along z, "
             "then by a and alpha along x. Frame i stands at the far end of link i";
    case Frames::mdh:
      return "The robot is described by a modified Denavit-Hartenberg table, whatever frames its file has: from frame i-1 to frame i by alpha and a along x, "
             "then by theta and d along z. Frame i stands on the axis of joint i";
    case Frames::stanford:
      return "Letters, numbers and frames are the paper's, and so are those of the coordinates; joint forces have the model's signs, of which all but the "
             "first are opposite to the paper's. Entries of Z that are not listed equal one that is, or nothing needs them";
    case Frames::tree: break;
  }
  return "Vectors and tensors of a link are in axes that stand at its joint, z along the joint's axis";
}

std::vector<std::size_t> coordinate_numbers(const Formulation* paper, const Model& model) {
  const std::vector<std::string> names = model.coordinate_names();
  if (paper != nullptr && paper->numbering.size() == names.size()) return paper->numbering;
  std::vector<std::size_t> counted(names.size()), named;
  std::iota(counted.begin(), counted.end(), 1);
  for (const std::string& name : names)
    for (const std::size_t number : counted)
      if (name == cat("q", number)) named.push_back(number);
  return std::is_permutation(named.begin(), named.end(), counted.begin(), counted.end()) ? named : counted;
}

LineOptions line_options(const Formulation* paper) {
  if (paper != nullptr && paper->written_out) return {"V", true};  // Z may be the paper's
  return {};
}

SymbolicTrace run_formulation(const Formulation& row, Quantity quantity, const Analysis& robot, const EquationOptions& options,
                              std::vector<PaperQuantity<Expr>>* shown_too) {
  if (row.make_symbolic == nullptr)
    throw std::invalid_argument(cat("formulation ", row.id, " has no equations to write down: it decides by numbers of the state. There are those of ",
                                    joined(names_of(equation_formulations(), [](std::string_view id) { return id; }))));
  const std::vector<Quantity>& given = formulated_quantities();
  if (std::find(given.begin(), given.end(), quantity) == given.end())
    throw std::invalid_argument(cat("formulation ", row.id, " does not give the ", to_string(quantity), ": write it without a formulation"));
  Prepared prepared(robot.model(), options.snap);
  prepared.speeds = options.speeds;
  if (const std::string reason = why_not_traced(row, quantity, prepared); !reason.empty())
    throw std::invalid_argument(
        cat("formulation ", row.id, " does not give the ", to_string(quantity), " of robot ", in_quotes(robot.model().name()), ": ", reason));

  SymbolicTrace out;
  Graph& graph = *out.graph;
  const Plan& plan = robot.plan({.snap = options.snap});
  const GraphInputs in(graph, quantity, plan.sizes());
  SymbolTable symbols(graph);
  const Around around(plan, symbols, options.rotor);
  const std::vector<Expr> q_joints = around.coordinates(in.q()), v_joints = around.rates(in.v());
  const std::vector<Expr> third_joints = row_of(quantity).takes("tau") ? in.last() : around.rates(in.last());  // acceleration takes no couplings
  const std::size_t n = prepared.size();
  std::vector<Expr> results(row_of(quantity).size({n, n, n}));
  const bool has_rotors = row_of(quantity).takes("tau") || options.speeds;  // in itself; no couplings then
  SymbolicForm form = with_symbols(row, prepared, symbols, has_rotors ? std::span<const Expr>(around.rotors()) : std::span<const Expr>());
  form.speeds = options.speeds;
  const std::unique_ptr<Evaluator<Expr>> evaluator = row.make_symbolic(form);
  evaluator->compute(quantity, {q_joints.data(), v_joints.data(), third_joints.data()}, results.data());
  if (shown_too != nullptr) evaluator->visit([&](const PaperQuantity<Expr>& one) { shown_too->push_back(one); });
  if (options.speeds) {
    out.results = quantity == Quantity::mass ? upper_half(results, plan.nv) : std::move(results);
  } else
    switch (quantity) {
      case Quantity::inverse: out.results = around.forces(results, third_joints); break;
      case Quantity::bias: out.results = around.forces(results, {}); break;
      case Quantity::mass: out.results = upper_half(around.mass(results), plan.nv); break;
      default: out.results = std::move(results);
    }
  out.symbols = symbols.take();
  const std::vector<std::size_t> numbers = coordinate_numbers(&row, robot.model());
  EquationSet inputs;
  inputs.what = quantity, inputs.numbers = inputs.speeds = numbers;
  inputs.own_speeds = speed_marks(options);
  name_quantities([&](const PaperVisitor<Expr>& shown) { evaluator->visit(shown); }, input_marks(inputs), numbers, out);
  return out;
}

std::vector<EquationMark> speed_marks(const EquationOptions& options) {
  std::vector<EquationMark> marks;
  if (options.speeds)
    for (const std::string& name : options.speeds->names()) {
      const std::size_t end = std::min(name.find_first_of("0123456789_"), name.size());
      marks.push_back({name.substr(0, end), name.substr(std::min(end + (end < name.size() && name[end] == '_' ? 1 : 0), name.size())), "", 0});
    }
  return marks;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::vector<std::string_view> equation_formulations() {
  std::vector<std::string_view> ids;
  for (const Formulation& row : formulations())
    if (row.production || row.make_symbolic != nullptr) ids.push_back(row.id);
  return ids;
}

}  // namespace ULNA_API
