#include <ulna/dynamics/kinematics-inl.hpp>
#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/guard.hpp"
#include "dynamics/sizes.hpp"

namespace ulna {

template <class T>
EnergyOf<T> energy(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Given<T> effects) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_size(plan, "v", v.size(), plan.nv, "nv");
  const EnergyOf<T> E = kernel::energy(plan, ws, q.data(), v.data(), effects);
  const Guard<T> guard = Guard<T>(plan, q.data(), v.data()).take(effects.base);
  return {guard(E.kinetic), guard(E.potential)};
}

template <class T>
MomentumOf<T> momentum(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Given<T> effects) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_size(plan, "v", v.size(), plan.nv, "nv");
  const MomentumOf<T> p = kernel::momentum(plan, ws, q.data(), v.data(), effects.base);
  const Guard<T> guard = Guard<T>(plan, q.data(), v.data()).take(effects.base);
  return {guard(p.angular), guard(p.linear)};
}

template <class T>
Pose<T> link_pose(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, std::size_t link) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_link(plan, link);
  kernel::place(plan, ws, q.data());
  kernel::place_in_world(plan, ws);
  return Guard<T>(plan, q.data())(kernel::link_pose(plan, ws, link));
}

template <class T>
void link_poses(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, VectorView<Pose<std::type_identity_t<T>>> poses) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_size(plan, "poses", poses.size(), plan.links.size(), "links");
  kernel::place(plan, ws, q.data());
  kernel::place_in_world(plan, ws);
  const Guard<T> guard(plan, q.data());
  for (std::size_t link = 0; link < plan.links.size(); ++link) poses[link] = guard(kernel::link_pose(plan, ws, link));
}

template <class T>
void jacobian(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, std::size_t link, MatrixView<std::type_identity_t<T>> J) {
  require_workspace(plan, ws);
  require_size(plan, "q", q.size(), plan.nq, "nq");
  require_link(plan, link);
  if (J.rows() != 6 || J.cols() != plan.nv)
    throw std::invalid_argument(cat("J is ", J.rows(), " x ", J.cols(), ", but robot ", in_quotes(plan.name), " needs 6 x ", plan.nv));
  kernel::place(plan, ws, q.data());
  kernel::place_in_world(plan, ws);
  kernel::jacobian(plan, ws, link, J.data(), J.stride());
  Guard<T>(plan, q.data()).over(J.data(), 6, plan.nv, J.stride());
}

#define ULNA_INSTANTIATE(T)                                                                   \
  template EnergyOf<T> energy(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, Given<T>);     \
  template MomentumOf<T> momentum(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, Given<T>); \
  template Pose<T> link_pose(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, std::size_t);                  \
  template void link_poses(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, VectorView<Pose<T>>);    \
  template void jacobian(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, std::size_t, MatrixView<T>);
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ulna
