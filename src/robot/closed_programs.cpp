#include "robot/closed_programs.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "loop/mechanism_parts.hpp"
#include "verify/multipliers.hpp"

namespace ulna::internal {

namespace {

template <class P, class T>
std::vector<T> compute(ClosedTask task, const PlanOf<P>& plan, const EliminationOrder& order, bool rotor, const std::vector<T>& q, const std::vector<T>& u,
                       const std::vector<T>& last) {
  ClosedKernels<P, T> kernels(plan, order, q);
  std::vector<T> out;
  const auto append = [&](const std::vector<T>& more) { out.insert(out.end(), more.begin(), more.end()); };
  switch (task) {
    case ClosedTask::step: append(kernels.step()); break;
    case ClosedTask::inverse: {
      const std::vector<T> v = kernels.velocities(u);
      append(kernels.torques(v, kernels.accelerations(v, last), rotor));
      break;
    }
    case ClosedTask::forward: {
      const std::vector<T> v = kernels.velocities(u), none(u.size(), T(0));
      std::vector<T> right = kernels.torques(v, kernels.accelerations(v, none), rotor);
      for (std::size_t k = 0; k < right.size(); ++k) right[k] = last[k] - right[k];
      append(ClosedKernels<P, T>::solve_symmetric(kernels.mass(rotor), right));
      break;
    }
    case ClosedTask::mass: append(kernels.mass(rotor)); break;
    case ClosedTask::motion: {
      const std::vector<T> v = kernels.velocities(u);
      append(kernels.of_dependent(v));
      append(kernels.of_dependent(kernels.accelerations(v, last)));
      break;
    }
    case ClosedTask::bias: {
      const std::vector<T> v = kernels.velocities(u), none(u.size(), T(0));
      append(kernels.torques(v, kernels.accelerations(v, none), rotor));
      break;
    }
    case ClosedTask::gravity: append(kernels.gravity()); break;
    case ClosedTask::energy: append(kernels.energy(kernels.velocities(u), rotor)); break;
  }
  append(kernels.conditions());
  append(kernels.pivots());
  return out;
}

}  // namespace

std::size_t closed_results(const Mechanism& robot, ClosedTask task) {
  switch (task) {
    case ClosedTask::step: return robot.dependent().size();
    case ClosedTask::motion: return 2 * robot.dependent().size();
    case ClosedTask::mass: return robot.mobility() * robot.mobility();
    case ClosedTask::energy: return 2;
    default: return robot.mobility();
  }
}

std::vector<double> run_closed(const Mechanism& robot, const EliminationOrder& order, ClosedTask task, bool rotor, const std::vector<double>& q,
                               const std::vector<double>& u, const std::vector<double>& last) {
  return compute<double, double>(task, robot.parts().plan, order, rotor, q, u, last);
}

std::vector<long double> run_closed_extended(const Mechanism& robot, const EliminationOrder& order, ClosedTask task, bool rotor, const std::vector<double>& q,
                                             const std::vector<double>& u, const std::vector<double>& last) {
  using Numbers = std::vector<long double>;
  return compute<double, long double>(task, robot.parts().plan, order, rotor, Numbers(q.begin(), q.end()), Numbers(u.begin(), u.end()),
                                      Numbers(last.begin(), last.end()));
}

ClosedSample closed_sample(const Mechanism& robot, ClosedTask task, bool rotor, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  const std::size_t m = robot.mobility();
  const Effects effects{.rotor = rotor};
  ClosedSample s;
  for (double size = 0.3; size > 1e-3; size /= 2) {  // near enough to the reference that it can be closed
    s.q = robot.reference();
    for (const std::size_t k : robot.independent()) s.q[k] += size * uniform();
    const Closure closure = robot.assemble(s.q);
    if (closure.closed && closure.singularity > 0.02) break;
  }
  for (std::size_t k = 0; k < m; ++k) s.u.push_back(uniform()), s.last.push_back(2 * uniform());
  const std::vector<double> none(m, 0.0);
  const auto inverse = [&](const std::vector<double>& u, const std::vector<double>& u_dot) {
    ByMultipliers made = inverse_by_multipliers(robot, s.q.data(), u.data(), u_dot.data(), effects);
    s.scale = std::max(s.scale, made.tree_torque);
    return made;
  };
  switch (task) {
    case ClosedTask::forward: s.expected = forward_by_multipliers(robot, s.q.data(), s.u.data(), s.last.data(), effects); break;
    case ClosedTask::energy: {
      const EnergyOf<long double> energy = energy_by_multipliers(robot, s.q.data(), s.u.data(), effects);
      s.expected = {energy.kinetic, energy.potential};
      break;
    }
    case ClosedTask::mass: {  // a column is what a unit of acceleration takes
      const std::vector<long double> still = inverse(none, none).tau;
      s.expected.resize(m * m);
      for (std::size_t k = 0; k < m; ++k) {
        std::vector<double> unit = none;
        unit[k] = 1;
        const std::vector<long double> tau = inverse(none, unit).tau;
        for (std::size_t i = 0; i < m; ++i) s.expected[i * m + k] = tau[i] - still[i];
      }
      break;
    }
    case ClosedTask::motion: {
      const ByMultipliers made = inverse(s.u, s.last);
      for (const std::vector<long double>* all : {&made.v, &made.a})
        for (const std::size_t k : elimination_order(robot).columns) s.expected.push_back((*all)[k]);
      break;
    }
    default: s.expected = inverse(task == ClosedTask::gravity ? none : s.u, task == ClosedTask::inverse ? s.last : none).tau;
  }
  for (const long double x : s.expected) s.scale = std::max(s.scale, static_cast<double>(std::abs(x)));
  return s;
}

Program closed_program(const Mechanism& robot, const EliminationOrder& order, ClosedTask task, bool rotor) {
  Graph graph;
  const std::size_t m = robot.mobility();
  const std::vector<Expr> q = graph.inputs("q", robot.nv());
  const std::vector<Expr> u = takes_speeds(task) ? graph.inputs("u", m) : std::vector<Expr>{};
  const std::vector<Expr> last = takes_last(task) ? graph.inputs(task == ClosedTask::forward ? "tau" : "u_dot", m) : std::vector<Expr>{};
  const std::vector<Expr> out = compute<double, Expr>(task, robot.parts().plan, order, rotor, q, u, last);
  const OutputOf output{"out", out};
  return make_program(graph, {&output, 1});
}

}  // namespace ulna::internal
