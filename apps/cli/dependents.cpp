#include "dependents.hpp"

#include <numeric>

namespace ulna::cli {

void refuse_for_loops(const Model& model, const Arguments& arguments) {
  if (!model.closed()) return;
  const std::string robot = in_quotes(model.name());
  if (arguments.has("--method")) throw UsageError(cat("option --method cannot be combined with robot ", robot, ", which has loops (docs/loops.md)"));
  if (const std::optional<std::string> id = arguments.value("--formulation"); id && !formulation_named(*id).takes_loops)
    throw UsageError(cat("option --formulation: robot ", robot, " has loops, which only ", in_quotes(formulation_of_loops().id),
                         " takes; or open them with --loops ignore (docs/loops.md)"));
}

Closing::Closing(const Setup& setup) : setup_(setup), order_(setup.robot.model.order()), independent_positions_(setup.robot.model.independent_positions()) {
  one_.nq = setup.robot.model.nq(), one_.nv = setup.robot.model.nv_tree(), one_.count = 1;
}

/// Sets closed_.q; returns the first state that has a problem.
std::size_t Closing::positions(const StateBlock& read, Closure& worst) {
  closed_.q.resize(read.nq * read.count);
  MatrixView<const double> given = read.columns(&StateBlock::q);
  if (!setup_.dependents->given) {
    alone_.clear();
    for (std::size_t k = 0; k < read.count; ++k)
      for (const std::size_t i : independent_positions_) alone_.push_back(read.q[k * read.nq + i]);
    given = {alone_.data(), independent_positions_.size(), read.count};
  }
  return setup_.dynamics->close_batch(given, {closed_.q.data(), read.nq, read.count}, &worst);
}

std::optional<StateProblem> Closing::problem(const StateView& state) {
  one_.q.assign(state.q, state.q + one_.nq);
  Closure worst;
  if (positions(one_, worst) == 1) return {};
  const ClosureProblem wrong = ulna::problem(worst, setup_.robot.model.loops());
  return StateProblem{0, "", wrong.what, wrong.cure};
}

const StateBlock& Closing::close(const StateBlock& read) {
  Closure unused;
  const std::size_t m = order_.independent.size(), count = read.count;
  closed_.nq = read.nq, closed_.nv = m, closed_.count = count;
  positions(read, unused);
  for (const auto part : {&StateBlock::v, &StateBlock::a, &StateBlock::tau}) {
    const std::vector<double>& all = read.*part;
    (closed_.*part).clear();
    if (all.empty()) continue;
    for (std::size_t k = 0; k < count; ++k)
      for (const std::size_t i : order_.independent) (closed_.*part).push_back(all[k * read.nv + i]);
  }
  for (std::size_t k = 0; k < count && !read.tau.empty(); ++k) {  // drives of dependent joints
    const double* tau = read.tau.data() + k * read.nv;
    const std::vector<std::size_t>& dependent = setup_.dependents->dependent;
    if (std::all_of(dependent.begin(), dependent.end(), [&](std::size_t i) { return tau[i] == 0; })) continue;
    std::vector<double> motion(row_of(Quantity::loop_motion).size(setup_.plan.sizes())), unit(m, 0.0), rest(m, 0.0);
    for (std::size_t j = 0; j < m; ++j) {  // Gᵀ tau: column j of G is the motion of all joints at a unit speed of this one
      unit[j] = 1;
      setup_.dynamics->compute(Quantity::loop_motion, {closed_.q.data() + k * read.nq, unit.data(), rest.data()}, motion.data());
      unit[j] = 0;
      double& sum = closed_.tau[k * m + j] = 0;
      for (std::size_t i = 0; i < read.nv; ++i) sum += motion[i] * tau[i];
    }
  }
  const std::size_t size = row_of(Quantity::closure).size(setup_.plan.sizes()), tests = size - read.nq - setup_.plan.pivots();
  tests_.resize(size * count);
  const MatrixView<const double> q = closed_.columns(&StateBlock::q);
  setup_.dynamics->compute_batch(Quantity::closure, {&q, 1}, {tests_.data(), size, count});
  residuals_.assign(count, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < tests; ++i) residuals_[k] = std::max(residuals_[k], std::abs(tests_[k * size + read.nq + i]));
    for (const auto part : {&StateBlock::q, &StateBlock::v, &StateBlock::a, &StateBlock::tau})
      for (std::size_t i = 0; !(closed_.*part).empty() && i < closed_.size(part); ++i)
        if (!std::isfinite((closed_.*part)[k * closed_.size(part) + i])) residuals_[k] = std::numeric_limits<double>::quiet_NaN();
  }
  return closed_;
}

Result with_dependents(const Setup& setup, Quantity quantity, Result inner) {
  const Model& model = setup.robot.model;
  const QuantityRow& row = row_of(quantity);
  const std::vector<std::size_t>& dependent = setup.dependents->dependent;
  const std::size_t m = model.nv(), n = model.nv_tree(), r = dependent.size(), own = inner.size();
  const bool moves = row.takes("v"), forward = quantity == Quantity::forward;
  const bool accelerates = row.takes("a") || forward || quantity == Quantity::bias, reacts = quantity == Quantity::inverse && !setup.springs;
  std::vector<std::string> names, loops;
  for (const std::size_t k : dependent) names.push_back(without_loops(model).velocity_names()[k]);
  for (const Loop& loop : model.loops()) loops.push_back(loop.name);

  Result result = inner;
  Sheet sheet{{"dependent joint"}, {}};
  for (const std::string& name : names) sheet.lines.push_back({{name}, {}});
  for (const char* letter : {"q", "v", "a"}) {
    if ((*letter == 'v' && !moves) || (*letter == 'a' && !accelerates)) continue;
    const std::size_t first = result.add_list(letter, letter, names, "passive");
    sheet.head.emplace_back(letter);
    for (std::size_t k = 0; k < r; ++k) sheet.lines[k].numbers.push_back(first + k);
  }
  result.sheets.push_back(std::move(sheet));
  result.residual = result.add({"residual", {}, {"residual"}});
  if (reacts) {
    Column reaction{"reaction", {loops.size(), 6}, {}};
    for (const std::string& loop : loops)
      for (const char* part : {"fx", "fy", "fz", "nx", "ny", "nz"}) reaction.headers.push_back(cat("reaction.", loop, ".", part));
    result.add(std::move(reaction));
  }
  result.group_joints = names;
  result.lists.push_back({"loops", loops});

  const bool derived = quantity == Quantity::forward_derivatives;
  result.make_check = [&setup, other = inner.make_check, derived]() -> StateCheck {
    return [closing = std::make_shared<Closing>(setup), own_check = other ? other() : StateCheck{}, &setup, derived](const StateView& state) {
      std::optional<StateProblem> wrong = closing->problem(state);
      for (const std::size_t k : setup.dependents->dependent)
        if (derived && state.tau != nullptr && state.tau[k] != 0)
          wrong = StateProblem{0, "", "torques act at passive joints, whose share at the drives changes with q: derivatives do not have it",
                               "give torques of the independent joints alone"};
      return wrong || !own_check ? wrong : own_check(state);
    };
  };
  const std::size_t size = result.size();
  result.make = [=, &setup, &model, &dependent, make = inner.make]() -> Compute {
    return [=, &setup, &model, &dependent, compute = make(), motion_of = by_dynamics(setup, Quantity::loop_motion), closing = std::make_shared<Closing>(setup),
            results = std::vector<double>(), motion = std::vector<double>()](const StateBlock& read, double* rows) mutable {
      const StateBlock& states = closing->close(read);
      results.resize(own * states.count);
      compute(states, results.data());
      const std::size_t motions = row_of(Quantity::loop_motion).size(setup.plan.sizes());
      if (moves) {
        StateBlock moving = states;
        moving.tau.clear();
        moving.a.resize(m * states.count);
        for (std::size_t k = 0; forward && k < states.count; ++k) std::copy_n(results.data() + k * own, m, moving.a.data() + k * m);
        motion.resize(motions * states.count);
        motion_of(moving, motion.data());
      }
      for (std::size_t k = 0; k < states.count; ++k) {
        double* out = rows + k * size;
        if (std::isnan(closing->residuals()[k])) {
          std::fill_n(out, size, std::numeric_limits<double>::quiet_NaN());
          continue;
        }
        out = std::copy_n(results.data() + k * own, own, out);
        const double* v = motion.data() + k * motions;
        for (const std::size_t i : dependent) *out++ = states.q[k * states.nq + i + (states.nq - n)];
        for (std::size_t i = 0; moves && i < r; ++i) *out++ = v[dependent[i]];
        for (std::size_t i = 0; accelerates && i < r; ++i) *out++ = v[n + dependent[i]];
        *out++ = closing->residuals()[k];
        if (!reacts) continue;
        v += 2 * n;
        for (const Loop& loop : model.loops())
          for (const int part : {0, 1}) {
            (void)part;
            const Vec3<double> x = rotation_z_to(loop.axis) * Vec3<double>{v[0], v[1], v[2]};  // as the file has the axes of A
            *out++ = x.x, *out++ = x.y, *out++ = x.z;
            v += 3;
          }
      }
    };
  };
  if (!inner.make_errors) return result;
  std::vector<std::size_t> from(own);  // rounding of dependent joints is unknown
  std::iota(from.begin(), from.end(), 0);
  from.resize(size, kNone);
  const auto of_closed = [&setup, make = inner.make_errors]() -> Compute {
    return [compute = make(), closing = std::make_shared<Closing>(setup)](const StateBlock& read, double* rows) { compute(closing->close(read), rows); };
  };
  result.make_errors = gathered(of_closed, own, from);
  return result;
}

}  // namespace ulna::cli
