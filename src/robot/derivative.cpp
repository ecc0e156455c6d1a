#include <ulna/robot/derivative.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include <ulna/dynamics/compute-inl.hpp>
#include <ulna/expr/program.hpp>
#include <ulna/plan/plan.hpp>

#include "expr/differentiate.hpp"
#include "expr/ready.hpp"
#include "formulation/compute_expr.hpp"
#include "jit/kernel.hpp"
#include "jit/order.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

namespace {

using Numbers = std::vector<Expr>;

/// What is differentiated by: numbers of the graph, and how they move with each column; no `moves` where column k is number k itself.
struct By {
  Numbers numbers;
  std::vector<Numbers> moves{};
  std::vector<std::string> names{};

  Numbers along(Graph& graph, const Numbers& outputs, const Numbers& x) const {
    if (moves.empty()) return internal::along(graph, outputs, numbers, x);
    Numbers directions(numbers.size());
    for (std::size_t k = 0; k < moves.size(); ++k)
      for (std::size_t i = 0; i < directions.size(); ++i) directions[i] = directions[i] + moves[k][i] * x[k];
    return internal::along(graph, outputs, numbers, directions);
  }
  Numbers transposed(Graph& graph, const Numbers& outputs, const Numbers& y) const {
    Numbers all = internal::transposed(graph, outputs, numbers, y);
    if (moves.empty()) return all;
    Numbers out(moves.size());
    for (std::size_t k = 0; k < moves.size(); ++k)
      for (std::size_t i = 0; i < all.size(); ++i) out[k] = out[k] + moves[k][i] * all[i];
    return out;
  }
  Numbers matrix(Graph& graph, const Numbers& outputs) const {
    if (moves.empty()) return differentiate(graph, outputs, numbers);
    Numbers J;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const Numbers column = internal::along(graph, outputs, numbers, moves[k]);
      J.insert(J.end(), column.begin(), column.end());
    }
    return J;
  }
};

/// A turn and a move of a free base in its own axes, then the joints: how the numbers of q follow.
std::vector<Numbers> tangents(const Numbers& q, std::size_t nv) {
  const Pose<Expr> X = kernel::base_pose(q.data());
  const Expr half(0.5), x = half * q[3], y = half * q[4], z = half * q[5], w = half * q[6], o(0);
  std::vector<Numbers> moves(nv, Numbers(q.size()));
  const Numbers turns[] = {{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}};
  const Vec3<Expr> axes[] = {{X.R.xx, X.R.yx, X.R.zx}, {X.R.xy, X.R.yy, X.R.zy}, {X.R.xz, X.R.yz, X.R.zz}};
  for (std::size_t k = 0; k < 3; ++k) {
    std::copy(turns[k].begin(), turns[k].end(), moves[k].begin() + 3);
    moves[3 + k][0] = axes[k].x, moves[3 + k][1] = axes[k].y, moves[3 + k][2] = axes[k].z;
  }
  for (std::size_t k = 6; k < nv; ++k) moves[k][k + 1] = Expr(1);
  return moves;
}

/// A point of mass m at c.
PseudoInertia<Expr> point(const Expr& m, const Vec3<Expr>& c) { return moved_along(PseudoInertia<Expr>{m, {}, {}}, c); }

EffectsOf<Expr> as_constants(const Effects& given, std::vector<WrenchOf<Expr>>& wrenches) {
  const auto three = [](const Vec3<double>& x) { return Vec3<Expr>{Expr(x.x), Expr(x.y), Expr(x.z)}; };
  for (const Wrench& w : given.wrenches) wrenches.push_back({w.link, w.axes, three(w.force), three(w.moment)});
  const BaseMotion& b = given.base;
  return {given.rotor,
          given.friction,
          {three(b.angular_velocity), three(b.linear_velocity), three(b.angular_acceleration), three(b.linear_acceleration)},
          wrenches};
}

}  // namespace

struct Derivative::Parts {
  DerivativeOptions options;
  std::size_t nq = 0, nv = 0, rows = 0, masses = 0;
  std::array<std::size_t, 3> inputs{};  // numbers of q, v and the last
  bool weighted = false, multiplied = false, loaded = false;
  std::vector<std::string> names;
  Program program;
  std::optional<Evaluation> interpreter;
  OperationCounts counts;
  jit::ConstantTable constants;
  jit::CodeMemory memory;
  std::vector<double> numbers;  // what the program is called with: q, v, last, masses or payload, x, y
  std::size_t first_parameter = 0;

  void trace(const Model& model);
  void compile();
};

void Derivative::Parts::trace(const Model& model) {
  const QuantityRow& row = row_of(options.of);
  const Plan plan = make_plan(model, {.snap = options.snap, .lumping = row.lumps ? Lumping::szz : Lumping::none});
  const Sizes sizes = plan.sizes();
  nq = sizes.nq, nv = sizes.nv, rows = row.size(sizes);
  for (std::size_t k = 0; k < row.inputs.size(); ++k) inputs[k] = row.input_size(k, sizes);
  const bool by_masses = options.by == "masses";
  loaded = options.by == "payload";
  weighted = options.product == Product::weights || options.product == Product::second;
  multiplied = options.product == Product::times || options.product == Product::second;
  if (!by_masses && !loaded && !row.takes(options.by)) {
    std::vector<std::string> known{"masses", "payload"};
    for (const std::string_view input : row.inputs) known.emplace_back(input);
    throw std::invalid_argument(
        cat(there_is_no("derivative of the " + std::string(row.title) + " by", options.by, known), "; there are ", listed(known, "and")));
  }
  if ((row.of_link || loaded) && options.link >= model.links().size())
    throw std::invalid_argument(cat("derivatives of the ", row.title, " by ", options.by, " need a link: give one of the ", model.links().size()));
  if (plan.free && options.by == "q" && options.product == Product::second)
    throw std::invalid_argument("second derivatives by q are for bases that do not turn freely: tangents of a free base change with q");

  Graph graph;
  const std::size_t state = inputs[0] + inputs[1] + inputs[2];
  const std::size_t parameters = loaded ? 4 : by_masses ? plan.bodies.size() : 0;
  const std::size_t columns = loaded ? 4 : by_masses ? plan.bodies.size() : nv;
  first_parameter = state;
  numbers.assign(state + parameters + (multiplied ? columns : 0) + (weighted ? rows : 0), 0.0);
  const Numbers all = graph.inputs("x", numbers.size());
  const auto part = [&](std::size_t first, std::size_t count) {
    return Numbers(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  const Numbers q = part(0, inputs[0]), v = part(inputs[0], inputs[1]), last = part(inputs[0] + inputs[1], inputs[2]), own = part(state, parameters);

  // Torques are linear in masses and moments, and what is lumped stays so: a body's change is added to what it has.
  PlanOf<Expr> symbolic = plan.cast<Expr>();
  By by;
  if (loaded) {
    const PlanLink<double>& link = plan.links[options.link];
    const Vec3<Expr> c = link.X_BL.R.cast<Expr>() * Vec3<Expr>{own[1], own[2], own[3]} + link.X_BL.p.cast<Expr>();
    const PseudoInertia<Expr> more = point(own[0], c);
    if (link.body == kNone) {
      symbolic.base = symbolic.base + more, symbolic.lumped_base = symbolic.lumped_base + more;
    } else {
      PlanBody<Expr>& body = symbolic.bodies[link.body];
      body.inertia = body.inertia + more, body.lumped = body.lumped + more;
      body.flat = false;
    }
    by = {own, {}, {"payload.mass", "payload.x", "payload.y", "payload.z"}};
  } else if (by_masses) {
    by.numbers = own;
    for (std::size_t k = 0; k < plan.bodies.size(); ++k) {
      const PseudoInertia<double>& I = plan.bodies[k].inertia;
      const Vec3<double> c = I.m > 0 ? (1 / I.m) * I.h : Vec3<double>{};
      const PseudoInertia<Expr> more = point(own[k], c.cast<Expr>());
      PlanBody<Expr>& body = symbolic.bodies[k];
      body.inertia = body.inertia + more, body.lumped = body.lumped + more;
      body.flat = false;
      by.names.push_back("mass." + (plan.bodies[k].link == kNone ? cat("base", k + 1) : model.links()[plan.bodies[k].link].name));
    }
  } else {
    by.numbers = options.by == "q" ? q : options.by == "v" ? v : last;
    if (options.by == "q" && plan.free) by.moves = tangents(q, nv);
    by.names = model.velocity_names();
  }
  names = by.names;

  std::vector<WrenchOf<Expr>> wrenches;
  const EffectsOf<Expr> effects = as_constants(options.effects, wrenches);
  WorkspaceOf<Expr> ws(plan);
  Numbers results(rows);
  const auto data = [](const Numbers& x) { return x.empty() ? nullptr : x.data(); };
  kernel::compute(options.of, symbolic, ws, {data(q), data(v), data(last), options.link}, results.data(), effects);
  const Numbers x = part(state + parameters, multiplied ? columns : 0), y = part(numbers.size() - (weighted ? rows : 0), weighted ? rows : 0);
  switch (options.product) {
    case Product::matrix: results = by.matrix(graph, results); break;
    case Product::times: results = by.along(graph, results, x); break;
    case Product::weights: results = by.transposed(graph, results, y); break;
    case Product::second: results = by.along(graph, by.transposed(graph, results, y), x); break;
  }
  const OutputOf output{"d", results};
  program = ready(make_program(graph, {&output, 1}), turning_rates(plan), Sine::limited, false);
  counts = program.counts();
}

void Derivative::Parts::compile() {
  interpreter.emplace(program);
  const jit::Form form{.set = best_instruction_set(options.most)};
  if (form.set == InstructionSet::none) return;
  const Program written = jit::ordered(form.has_fma() ? fused(program) : program);
  const jit::Encoded made = jit::encode(written, form);
  if (made.code.empty()) return;
  constants = jit::ConstantTable(written, form);
  const std::array<const jit::Encoded*, 1> functions{&made};
  memory.fill(functions);
}

Derivative::Derivative(const Model& model, const DerivativeOptions& options) : parts_(std::make_unique<Parts>()) {
  parts_->options = options;
  parts_->trace(model);
  parts_->compile();
}
Derivative::~Derivative() = default;
Derivative::Derivative(Derivative&&) noexcept = default;
Derivative& Derivative::operator=(Derivative&&) noexcept = default;

const DerivativeOptions& Derivative::options() const { return parts_->options; }
std::size_t Derivative::rows() const { return parts_->rows; }
std::size_t Derivative::columns() const { return parts_->names.size(); }
const std::vector<std::string>& Derivative::column_names() const { return parts_->names; }
std::size_t Derivative::size() const { return parts_->program.results.size(); }
const OperationCounts& Derivative::counts() const { return parts_->counts; }
bool Derivative::compiled() const { return parts_->memory.ok(); }

void Derivative::operator()(const InputsOf<double>& in, const Vectors& vectors, VectorView<double> out) {
  Parts& p = *parts_;
  const auto require = [](const char* name, std::size_t got, std::size_t wanted) {
    if (got != wanted) throw std::invalid_argument(cat("derivative: ", name, " has ", got, " entries, but must have ", wanted));
  };
  require("x", vectors.x.size(), p.multiplied ? columns() : 0);
  require("y", vectors.y.size(), p.weighted ? p.rows : 0);
  if (vectors.payload.size() != 0) require("payload", vectors.payload.size(), p.loaded ? 4 : 0);
  require("the result", out.size(), size());
  double* to = p.numbers.data();
  const double* const states[] = {in.q, in.v, in.last};
  for (std::size_t k = 0; k < 3; ++k) {
    if (states[k] == nullptr)
      std::fill_n(to, p.inputs[k], 0.0);
    else
      std::copy_n(states[k], p.inputs[k], to);
    to += p.inputs[k];
  }
  if (p.loaded) {
    std::fill_n(to, 4, 0.0);
    std::copy_n(vectors.payload.data(), vectors.payload.size(), to);
    to += 4;
  } else if (p.options.by == "masses") {
    to += columns();  // zeros: derivatives are taken at the masses that there are
  }
  to = std::copy_n(vectors.x.data(), vectors.x.size(), to);
  std::copy_n(vectors.y.data(), vectors.y.size(), to);
  if (p.memory.ok())
    p.memory.function(0)(p.numbers.data(), nullptr, nullptr, out.data(), p.constants.bytes(), 1);
  else
    (*p.interpreter)(p.numbers, {out.data(), out.size()});
}

}  // namespace ULNA_API
