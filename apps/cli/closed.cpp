#include "closed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "table.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

namespace {

constexpr Quantity kClosedPrograms[] = {Quantity::inverse, Quantity::bias, Quantity::gravity, Quantity::mass, Quantity::forward, Quantity::energy};
constexpr Quantity kCompleted[] = {Quantity::pose, Quantity::jacobian, Quantity::momentum, Quantity::centroidal, Quantity::regressor};

bool among(std::span<const Quantity> some, Quantity quantity) { return std::find(some.begin(), some.end(), quantity) != some.end(); }

/// A state, closed: positions of all joints, speeds and accelerations of the independent ones.
struct ClosedState {
  std::vector<double> q, u, u_dot;
  Closure closure;
  bool gap = false;  // an input is not a number
};

ClosedState closed(const Mechanism& robot, const Dependents& dependents, const StateView& state) {
  ClosedState s;
  s.q.assign(state.q, state.q + robot.tree().nq());
  s.closure = dependents.given ? robot.close(s.q) : robot.assemble(s.q);
  s.gap = std::isnan(s.closure.residual);
  const auto gather = [&](const double* all) {
    std::vector<double> x(robot.mobility(), 0.0);
    if (all != nullptr)
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = all[robot.independent()[k]];
    for (const double value : x) s.gap = s.gap || !std::isfinite(value);
    return x;
  };
  s.u = gather(state.v);
  s.u_dot = gather(state.a);
  for (std::size_t k = 0; state.tau != nullptr && k < robot.nv(); ++k) s.gap = s.gap || !std::isfinite(state.tau[k]);
  return s;
}

std::optional<StateProblem> refusal(const Mechanism& robot, const Dependents& dependents, const StateView& state) {
  const ClosedState s = closed(robot, dependents, state);
  if (s.gap) return {};
  const ClosureProblem wrong = problem(s.closure, robot.loops());
  if (!wrong.what.empty()) return StateProblem{0, "", wrong.what, wrong.cure};
  return {};
}

}  // namespace

bool has_closed_program(Quantity quantity) { return among(kClosedPrograms, quantity); }
bool takes_loops(Quantity quantity) { return has_closed_program(quantity) || among(kCompleted, quantity); }

void close_loops(Setup& setup, Mechanism mechanism, const Arguments& arguments) {
  const std::string robot_name = in_quotes(setup.robot.model.name());
  if (arguments.has("--method")) throw UsageError(cat("option --method does not go with robot ", robot_name, ", which has loops (docs/loops.md)"));
  if (const std::optional<std::string> id = arguments.value("--formulation"); id && !formulation_named(*id).takes_loops)
    throw UsageError(cat("option --formulation: robot ", robot_name, " has loops, which only ", in_quotes(formulation_of_loops().id),
                         " takes; or open them with --loops ignore (docs/loops.md)"));
  setup.mechanism.emplace(std::move(mechanism));
  const Mechanism& robot = *setup.mechanism;
  setup.names = robot.independent_names();
  setup.dependents = std::make_unique<Dependents>(Dependents{robot.independent(), robot.dependent(), robot.reference()});
}

std::string make_closed_dynamics(Setup& setup) {
  if (setup.effects.friction) return "machine code of loops has no friction";
  try {
    setup.closed.emplace(*setup.mechanism, ClosedOptions{.rotor = setup.effects.rotor, .steps = 1});
  } catch (const std::invalid_argument& why) {
    return why.what();
  }
  if (setup.closed->compiled()) return {};
  setup.closed.reset();
  return "no machine code can be made here";
}

namespace {

/// A row of results by machine code; q is closed. False where that is not sure.
bool by_machine_code(const ClosedDynamics& fast, Quantity quantity, const ClosedState& s, const std::vector<double>& tau, double* out) {
  std::vector<double> q = s.q;
  switch (quantity) {
    case Quantity::inverse: return fast.inverse(q.data(), s.u.data(), s.u_dot.data(), out).sure;
    case Quantity::bias: return fast.bias(q.data(), s.u.data(), out).sure;
    case Quantity::gravity: return fast.gravity(q.data(), out).sure;
    case Quantity::mass: return fast.mass(q.data(), out).sure;
    case Quantity::forward: return fast.forward(q.data(), s.u.data(), tau.data(), out).sure;
    case Quantity::energy: return fast.energy(q.data(), s.u.data(), out).sure;
    default: return false;
  }
}

/// Torques at the independent joints.
std::vector<double> gathered(const Mechanism& robot, const ClosedState& s, const double* tau) {
  std::vector<double> at_independent(robot.mobility());
  if (tau != nullptr) robot.gather(s.q, {tau, robot.nv()}, at_independent);
  return at_independent;
}

}  // namespace

Result closed_result(const Setup& setup, Quantity quantity) {
  const Mechanism& robot = *setup.mechanism;
  const QuantityRow& row = row_of(quantity);
  const std::size_t m = robot.mobility(), r = robot.dependent().size();
  const std::vector<std::string> names = robot.independent_names(), passive = robot.dependent_names();
  const bool moves = row.takes("v"), accelerates = quantity == Quantity::inverse || quantity == Quantity::bias || quantity == Quantity::forward;
  Result result;
  std::size_t at = 0;
  const std::string symbol(row.symbol);
  if (quantity == Quantity::mass) {
    for (const std::string& i : names)
      for (const std::string& j : names) result.headers.push_back(cat(symbol, ".", i, ".", j));
    result.fields.push_back({symbol, at, {m, m}});
    at += m * m;
  } else if (quantity == Quantity::energy) {
    result.headers = {"kinetic", "potential"};
    result.fields = {{"kinetic", 0, {}}, {"potential", 1, {}}};
    at = 2;
  } else {
    for (const std::string& name : names) result.headers.push_back(cat(symbol, ".", name));
    result.fields.push_back({symbol, at, {m}});
    at += m;
  }
  const std::size_t first_passive = at;
  const auto add_passive = [&](const char* letter) {
    for (const std::string& name : passive) result.headers.push_back(cat(letter, ".", name));
    result.fields.push_back({letter, at, {r}, "passive"});
    at += r;
  };
  result.group_joints = passive;
  add_passive("q");
  if (moves) add_passive("v");
  if (accelerates) add_passive("a");
  result.headers.push_back("residual");
  result.fields.push_back({"residual", at, {}});
  const std::size_t residual = at++;
  const bool reacts = quantity == Quantity::inverse;
  const std::size_t first_reaction = at;
  std::vector<std::string> loops;
  for (const Loop& loop : robot.loops()) loops.push_back(loop.name);
  if (reacts) {
    for (const std::string& loop : loops)
      for (const char* part : {"fx", "fy", "fz", "nx", "ny", "nz"}) result.headers.push_back(cat("reaction.", loop, ".", part));
    result.fields.push_back({"reaction", at, {loops.size(), 6}});
    at += 6 * loops.size();
  }
  result.lists.push_back({"loops", loops});
  result.make_check = [&setup]() -> StateCheck { return [&setup](const StateView& state) { return refusal(*setup.mechanism, *setup.dependents, state); }; };
  const std::size_t size = at;
  result.make = [&setup, &robot, quantity, m, r, moves, accelerates, reacts, residual, first_passive, first_reaction, size]() -> Compute {
    return one_by_one(size, [=, &setup, &robot](const StateView& state, double* out) {
      const ClosedState s = closed(robot, *setup.dependents, state);
      if (s.gap) {
        std::fill(out, out + size, std::numeric_limits<double>::quiet_NaN());
        return;
      }
      std::vector<double> u_dot = s.u_dot;
      const bool made = setup.closed && by_machine_code(*setup.closed, quantity, s, gathered(robot, s, state.tau), out);
      if (made && quantity == Quantity::forward) u_dot.assign(out, out + m);
      if (!made) switch (quantity) {
          case Quantity::inverse: robot.inverse(s.q, s.u, s.u_dot, {out, m}, setup.effects); break;
          case Quantity::bias: robot.bias(s.q, s.u, {out, m}, setup.effects); break;
          case Quantity::gravity: robot.gravity(s.q, {out, m}); break;
          case Quantity::mass: robot.mass(s.q, {out, m, m}, setup.effects.rotor); break;
          case Quantity::forward:
            robot.forward(s.q, s.u, {state.tau, robot.nv()}, {out, m}, setup.effects);
            u_dot.assign(out, out + m);
            break;
          default: {
            const Energy energy = robot.energy(s.q, s.u, setup.effects);
            out[0] = energy.kinetic;
            out[1] = energy.potential;
          }
        }
      double* next = out + first_passive;
      const auto write = [&](const std::vector<double>& all) {
        for (const std::size_t k : robot.dependent()) *next++ = all[k];
      };
      write(s.q);
      std::vector<double> all(robot.nv());
      if (moves) robot.velocities(s.q, s.u, all), write(all);
      if (accelerates) robot.accelerations(s.q, s.u, u_dot, all), write(all);
      out[residual] = s.closure.residual;
      if (!reacts) return;
      next = out + first_reaction;
      for (const LoopReaction& reaction : robot.reactions(s.q, s.u, s.u_dot, setup.effects))
        for (const Vec3<double>& part : {reaction.force, reaction.moment}) *next++ = part.x, *next++ = part.y, *next++ = part.z;
    });
  };
  result.text = [=, &setup](const double* row_of_numbers) {
    std::string text;
    if (quantity == Quantity::mass) {
      Table table("l" + std::string(m, 'r'));
      std::vector<std::string> head{symbol};
      head.insert(head.end(), names.begin(), names.end());
      table.row(head);
      for (std::size_t i = 0; i < m; ++i) {
        std::vector<std::string> cells{names[i]};
        for (std::size_t j = 0; j < m; ++j) cells.push_back(brief(row_of_numbers[i * m + j]));
        table.row(cells);
      }
      text = table.text();
    } else if (quantity == Quantity::energy) {
      Table table("lrl");
      table.row({"kinetic", brief(row_of_numbers[0]), "J"});
      table.row({"potential", brief(row_of_numbers[1]), "J"});
      text = table.text();
    } else {
      Table table("lrl");
      table.row({"independent joint", symbol, ""});
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t coordinate = setup.mechanism->independent()[k];
        table.row({names[k], brief(row_of_numbers[k]), quantity == Quantity::forward ? acceleration_unit(setup, coordinate) : effort_unit(setup, coordinate)});
      }
      text = table.text();
    }
    Table table("lrrr");
    table.row({"dependent joint", "q", moves ? "v" : "", accelerates ? "a" : ""});
    for (std::size_t k = 0; k < r; ++k) {
      const double* first = row_of_numbers + first_passive + k;
      table.row({passive[k], brief(*first), moves ? brief(first[r]) : std::string(), accelerates ? brief(first[2 * r]) : std::string()});
    }
    return cat(text, "\n", table.text(), "\nloops closed to ", rounded(row_of_numbers[residual]), "\n");
  };
  return result;
}

namespace {

/// A matrix of the tree, row by row, whose columns (or rows) belong to its coordinates.
struct TreeMatrix {
  std::size_t rows = 0, cols = 0;
  bool by_columns = false;
};

}  // namespace

Result completed_result(const Setup& setup, Quantity quantity, Result tree) {
  const Mechanism& robot = *setup.mechanism;
  const std::size_t n = robot.nv(), m = robot.mobility(), r = robot.dependent().size(), tree_size = tree.headers.size();
  const QuantityRow& row = row_of(quantity);
  const bool jacobian = quantity == Quantity::jacobian, regressor = quantity == Quantity::regressor, moves = row.takes("v"), accelerates = row.takes("a");
  const TreeMatrix matrix = jacobian ? TreeMatrix{6, n, true} : regressor ? TreeMatrix{n, tree_size / n, false} : TreeMatrix{};
  Result result = tree;
  if (matrix.rows > 0) {
    result.headers.clear();
    for (std::size_t i = 0; i < (jacobian ? 6 : m); ++i)
      for (std::size_t j = 0; j < (jacobian ? m : matrix.cols); ++j)
        result.headers.push_back(tree.headers[(jacobian ? i : robot.independent()[i]) * matrix.cols + (jacobian ? robot.independent()[j] : j)]);
    result.fields.front().shape = jacobian ? std::vector<std::size_t>{6, m} : std::vector<std::size_t>{m, matrix.cols};
  }
  const std::size_t own = result.headers.size();
  result.group_joints = robot.dependent_names();
  const auto add_passive = [&](const char* letter) {
    result.fields.push_back({letter, result.headers.size(), {r}, "passive"});
    for (const std::string& name : robot.dependent_names()) result.headers.push_back(cat(letter, ".", name));
  };
  add_passive("q");
  if (moves) add_passive("v");
  if (accelerates) add_passive("a");
  result.fields.push_back({"residual", result.headers.size(), {}});
  result.headers.emplace_back("residual");
  result.make_check = [&setup]() -> StateCheck { return [&setup](const StateView& state) { return refusal(*setup.mechanism, *setup.dependents, state); }; };
  const std::size_t size = result.headers.size();
  result.make = [=, &setup, &robot, make = tree.make]() -> Compute {
    return one_by_one(size, [=, &setup, &robot, compute = make(), whole = std::vector<double>(tree_size)](const StateView& state, double* out) mutable {
      const ClosedState s = closed(robot, *setup.dependents, state);
      if (s.gap) return std::fill_n(out, size, std::numeric_limits<double>::quiet_NaN()), void();
      StateBlock block;
      block.nq = robot.tree().nq(), block.nv = n, block.count = 1;
      block.q = s.q;
      if (moves) block.v.resize(n), robot.velocities(s.q, s.u, block.v);
      if (accelerates) block.a.resize(n), robot.accelerations(s.q, s.u, s.u_dot, block.a);
      compute(block, whole.data());
      if (jacobian) {
        std::vector<double> G(n * m);
        robot.dependence(s.q, {G.data(), n, m});
        for (std::size_t i = 0; i < 6; ++i)
          for (std::size_t k = 0; k < m; ++k) {
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j) sum += whole[i * n + j] * MatrixView<double>(G.data(), n, m)(j, k);
            out[i * m + k] = sum;
          }
      } else if (regressor) {
        std::vector<double> column(n), at_independent(m);
        for (std::size_t c = 0; c < matrix.cols; ++c) {
          for (std::size_t i = 0; i < n; ++i) column[i] = whole[i * matrix.cols + c];
          robot.gather(s.q, column, at_independent);
          for (std::size_t k = 0; k < m; ++k) out[k * matrix.cols + c] = at_independent[k];
        }
      } else {
        std::copy(whole.begin(), whole.end(), out);
      }
      double* next = out + own;
      for (const std::vector<double>* part : {&block.q, &block.v, &block.a})
        if (!part->empty())
          for (const std::size_t k : robot.dependent()) *next++ = (*part)[k];
      *next = s.closure.residual;
    });
  };
  result.text = [=, headers = result.headers, tree_text = tree.text](const double* numbers) {
    std::string text;
    if (matrix.rows == 0) {
      text = tree_text(numbers);
    } else {
      Table table("lr");
      for (std::size_t k = 0; k < own; ++k) table.row({headers[k], brief(numbers[k])});
      text = table.text();
    }
    Table table("lr");
    for (std::size_t k = own; k < size; ++k) table.row({headers[k], k + 1 == size ? rounded(numbers[k]) : brief(numbers[k])});
    return cat(text, "\n", table.text());
  };
  return result;
}

}  // namespace ulna::cli
