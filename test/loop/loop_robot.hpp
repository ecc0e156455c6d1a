// A robot with loops by the templates, with what closes it: calls of one line for tests of laws and closed forms.
#pragma once

#include <limits>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>

namespace ulna::test {

class LoopRobot : public Mechanism {
 public:
  explicit LoopRobot(const Model& closed) : Mechanism(closed.closed() ? Mechanism::of(closed) : Mechanism(closed)), model_(closed), plan_(make_plan(closed)) {}
  LoopRobot(const Model& tree, const LoopDescription& loops) : LoopRobot(with_loops(tree, loops)) {}

  const Model& model() const { return model_; }

  void velocities(In q, In u, Out v) const { copy(motion(q, u, nothing(u)), 0, v); }
  void accelerations(In q, In u, In u_dot, Out a) const { copy(motion(q, u, u_dot), nv(), a); }
  void dependence(In q, MatrixView<double> G) const {
    for (std::size_t k = 0; k < mobility(); ++k) {
      std::vector<double> unit(mobility(), 0.0);
      unit[k] = 1;
      const std::vector<double> column = motion(q, unit, nothing(unit));
      for (std::size_t i = 0; i < nv(); ++i) G(i, k) = column[i];
    }
  }
  void gather(In q, In tau, Out at_independent) const {
    std::vector<double> G(nv() * mobility());
    dependence(q, {G.data(), nv(), mobility()});
    for (std::size_t k = 0; k < mobility(); ++k) {
      at_independent[k] = 0;
      for (std::size_t i = 0; i < nv(); ++i) at_independent[k] += MatrixView<double>(G.data(), nv(), mobility())(i, k) * tau[i];
    }
  }
  void inverse(In q, In u, In u_dot, Out tau, const Effects& effects = {}) const {
    by(Quantity::inverse, {q.data(), u.data(), u_dot.data()}, tau.data(), effects);
  }
  void bias(In q, In u, Out out, const Effects& effects = {}) const { by(Quantity::bias, {q.data(), u.data()}, out.data(), effects); }
  void gravity(In q, Out out) const { by(Quantity::gravity, {q.data()}, out.data(), {}); }
  void mass(In q, MatrixView<double> M, bool rotor = true) const { by(Quantity::mass, {q.data()}, M.data(), {.rotor = rotor}); }
  void forward(In q, In u, In tau, Out u_dot, const Effects& effects = {}) const {
    by(Quantity::forward, {q.data(), u.data(), tau.data()}, u_dot.data(), effects);
  }
  Energy energy(In q, In u, const Effects& effects = {}) const {
    double both[2];
    by(Quantity::energy, {q.data(), u.data()}, both, effects);
    return {both[0], both[1]};
  }
  struct Reaction {
    Vec3<double> force, moment;  // of the predecessor on the successor at Bo, in the axes of A
  };
  std::vector<Reaction> reactions(In q, In u, In u_dot, const Effects& effects = {}) const {
    std::vector<double> out(row_of(Quantity::loop_motion).size(plan_.sizes()));
    by(Quantity::loop_motion, {q.data(), u.data(), u_dot.data()}, out.data(), effects);
    std::vector<Reaction> reactions;
    const double* x = out.data() + 2 * nv();
    for (const Loop& loop : loops()) {
      const Mat3<double> turn = rotation_z_to(loop.axis);
      reactions.push_back({turn * Vec3<double>{x[0], x[1], x[2]}, turn * Vec3<double>{x[3], x[4], x[5]}});
      x += 6;
    }
    return reactions;
  }

 private:
  void by(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects) const {
    Workspace ws(plan_);
    compute(quantity, plan_, ws, in, out, effects);
  }
  std::vector<double> motion(In q, In u, In u_dot) const {
    std::vector<double> out(row_of(Quantity::loop_motion).size(plan_.sizes()));
    by(Quantity::loop_motion, {q.data(), u.data(), u_dot.data()}, out.data(), {});
    return out;
  }
  static void copy(const std::vector<double>& from, std::size_t first, Out to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[first + k];
  }
  static std::vector<double> nothing(In u) { return std::vector<double>(u.size(), 0.0); }

  Model model_;
  Plan plan_;
};

inline LoopRobot loop_robot(const char* id, const LoadOptions& options = {}) { return LoopRobot(load(id, options)); }

}  // namespace ulna::test
