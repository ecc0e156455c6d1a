#include "check/nonsingular.hpp"

#include <algorithm>
#include <cstdint>

#include "dynamics/forward-inl.hpp"

#include "dynamics/pivots.hpp"

namespace ulna::internal {

namespace {

/// Pivots of M from the tips to the base; each is the inertia about a joint with all joints beyond it free. An unreliable one is skipped, as if the
/// joint were locked, so that one fault is named once. O(nv³): for robots with couplings, whose M may be full.
std::vector<Pivot> pivots_by_matrix(const Plan& plan, const std::vector<double>& q, bool rotor) {
  const std::size_t nv = plan.nv;
  Workspace ws(plan);
  std::vector<double> M(nv * nv);
  kernel::mass_matrix(plan, ws, q.data(), M.data(), nv, rotor);
  std::vector<Pivot> pivots(nv);
  for (std::size_t k = 0; k < nv; ++k) pivots[k].whole = M[k * nv + k];
  for_each_pivot(M.data(), nv, [&](std::size_t k, double pivot) {
    pivots[k].left = pivot;
    return pivots[k].reliable(nv);
  });
  return pivots;
}

/// Pivots of a free base: of its articulated inertia, with all joints free.
void base_pivots(const BodyState<double>& base, std::size_t nv, std::vector<Pivot>& pivots) {
  constexpr std::size_t n = kernel::kFreeV;
  double I[n * n];
  const Mat3<double> A = base.A.full(), C = base.C.full();
  const Mat3<double>& B = base.B;
  const Mat3<double> blocks[2][2] = {{A, B}, {B.transposed(), C}};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Mat3<double>& block = blocks[i / 3][j / 3];
      const double entries[] = {block.xx, block.xy, block.xz, block.yx, block.yy, block.yz, block.zx, block.zy, block.zz};
      I[i * n + j] = entries[3 * (i % 3) + j % 3];
    }
  const Sym3<double> J = base.composite.J();
  const double whole[] = {J.xx, J.yy, J.zz, base.composite.m, base.composite.m, base.composite.m};
  for_each_pivot(I, n, [&](std::size_t k, double pivot) {
    pivots[k] = {pivot, whole[k]};
    return pivots[k].reliable(nv);
  });
}

/// The same by articulated bodies, one coordinate a body, behind those of a free base. O(n), memory included: a workspace would hold a matrix.
std::vector<Pivot> pivots_by_bodies(const Plan& plan, const std::vector<double>& q, bool rotor) {
  const std::size_t n = plan.bodies.size(), first = plan.nv - n;
  std::vector<BodyState<double>> states(n);
  BodyState<double> base;
  kernel::begin_articulated(plan.lumped_base, base);
  base.composite = plan.lumped_base;
  for (std::size_t i = 0; i < n; ++i) {
    kernel::place(plan.bodies[i], states[i], q.data());
    kernel::begin_articulated(plan.bodies[i].lumped, states[i]);
    states[i].composite = plan.bodies[i].lumped;
  }
  std::vector<Pivot> pivots(plan.nv);
  for (std::size_t i = n; i-- > 0;) {
    const PlanBody<double>& body = plan.bodies[i];
    BodyState<double>& s = states[i];
    const double own = rotor ? body.rotor : 0;
    Pivot& pivot = pivots[first + i];
    pivot = {kernel::articulated_pivot(body, s) + own, (body.prismatic ? s.composite.m : s.composite.S.xx + s.composite.S.yy) + own};
    s.D_inverse = pivot.reliable(plan.nv) ? 1 / pivot.left : 0;
    if (kernel::bolted(plan, body)) continue;
    BodyState<double>& parent = body.parent == kNone ? base : states[body.parent];
    kernel::add_articulated(body, s, parent);
    parent.composite = parent.composite + kernel::to_parent(body, s, s.composite);
  }
  if (plan.free) base_pivots(base, plan.nv, pivots);
  return pivots;
}

/// A fixed sequence: the verdict on a file never changes.
class Configurations {
 public:
  std::vector<double> next(const Model& model) {  // where a free base is does not matter to M
    std::vector<double> q(model.nq());
    for (double& qi : q) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      qi = static_cast<double>(state_ >> 11) * 0x1p-53 * 2 - 1;
    }
    if (model.has_balls()) normalize(model, q);
    return q;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

Plan plan_as_written(const Model& model) { return make_plan(model, {.snap = 0, .lumping = Lumping::none}); }

std::vector<Pivot> pivots_at(const Plan& plan, const std::vector<double>& q, bool rotor, SingularityMethod method) {
  return (method == SingularityMethod::matrix || plan.coupled ? pivots_by_matrix : pivots_by_bodies)(plan, q, rotor);
}

}  // namespace

bool Pivot::reliable(std::size_t nv) const { return pivot_holds(left, whole, nv, std::numeric_limits<double>::epsilon() / 2); }

std::vector<Pivot> first_pivots(const Model& model, bool rotor, SingularityMethod method) {
  return pivots_at(plan_as_written(model), Configurations().next(model), rotor, method);
}

std::vector<std::size_t> singular_joints(const Model& model, bool rotor, SingularityMethod method) {
  const Plan plan = plan_as_written(model);
  const std::size_t nv = model.nv(), first = base_nv(model.base());
  std::vector<bool> singular(nv, true);
  Configurations configurations;
  const auto any_left = [&] { return std::find(singular.begin(), singular.end(), true) != singular.end(); };
  for (int attempt = 0; attempt < 3 && any_left(); ++attempt) {
    const std::vector<Pivot> pivots = pivots_at(plan, configurations.next(model), rotor, method);
    for (std::size_t k = 0; k < nv; ++k)
      if (pivots[k].reliable(nv)) singular[k] = false;
  }
  std::vector<std::size_t> joints;
  if (std::find(singular.begin(), singular.begin() + static_cast<std::ptrdiff_t>(first), true) != singular.begin() + static_cast<std::ptrdiff_t>(first))
    joints.push_back(kNone);
  for (std::size_t k = first; k < nv; ++k)
    if (singular[k] && (joints.empty() || joints.back() != model.independent()[k - first])) joints.push_back(model.independent()[k - first]);
  return joints;
}

}  // namespace ulna::internal
