#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/compute-inl.hpp"

#include "dynamics/guarded.hpp"
#include "dynamics/sizes.hpp"
#include "dynamics/whole.hpp"

namespace ulna::internal::kernel {

ULNA_KERNELS(, double)
ULNA_KERNELS(, float)

}  // namespace ulna::internal::kernel

namespace ulna ULNA_API {

using namespace internal;

template <class T>
void compute(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<std::type_identity_t<T>>& in, Write<T> out, Given<T> effects,
             std::size_t stride) noexcept {
  switch (quantity) {
    case Quantity::inverse: return whole<Quantity::inverse>(plan, ws, in, out, effects, stride);
    case Quantity::bias: return whole<Quantity::inverse>(plan, ws, {in.q, in.v, nullptr}, out, effects, stride);
    case Quantity::gravity: return whole<Quantity::inverse>(plan, ws, {in.q, nullptr, nullptr}, out, {}, stride);
    case Quantity::mass: return whole<Quantity::mass>(plan, ws, in, out, effects, stride);
    case Quantity::forward: return whole<Quantity::forward>(plan, ws, in, out, effects, stride);
    case Quantity::inverse_derivatives: return whole<Quantity::inverse_derivatives>(plan, ws, in, out, effects, stride);
    case Quantity::forward_derivatives: return whole<Quantity::forward_derivatives>(plan, ws, in, out, effects, stride);
    default: return guarded_in_pieces(quantity, plan, ws, in, out, effects, stride);
  }
}

namespace {

/// The inputs' views, in the order of the row; throws when a size is wrong.
template <class T>
InputsOf<T> checked(Quantity quantity, const PlanOf<T>& plan, const WorkspaceOf<T>& ws, std::initializer_list<In<T>> views) {
  require_workspace(plan, ws);
  const T* data[3] = {};
  std::size_t k = 0;
  for (const In<T>& view : views) {
    require_size(plan, row_of(quantity).inputs[k].data(), view.size(), k == 0 ? plan.nq : plan.sizes().nv, k == 0 ? "nq" : "nv");
    data[k++] = view.data();
  }
  return {data[0], data[1], data[2]};
}

template <class T>
void to_vector(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, Out<T> out, Given<T> effects) {
  require_size(plan, row_of(quantity).symbol.data(), out.size(), plan.sizes().nv, "nv");
  require_wrenches(plan, effects.wrenches);
  compute(quantity, plan, ws, in, out.data(), effects);
}

template <class T>
void to_matrix(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, MatrixView<T> out, Given<T> effects) {
  const QuantityRow& row = row_of(quantity);
  const std::size_t rows = row.rows.of(plan.sizes()), columns = row.columns.of(plan.sizes());
  if (out.rows() != rows || out.cols() != columns)
    throw std::invalid_argument(
        cat(row.symbol, " is ", out.rows(), " x ", out.cols(), ", but robot ", in_quotes(plan.name),
            row.rows == kCoordinates && row.columns == kCoordinates ? cat(" has nv = ", plan.sizes().nv) : cat(" needs ", rows, " x ", columns)));
  compute(quantity, plan, ws, in, out.data(), effects, out.stride());
}

}  // namespace

template <class T>
void inverse_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Read<T> v, Read<T> a, Write<T> tau, Given<T> effects) noexcept {
  compute(Quantity::inverse, plan, ws, {q, v, a}, tau, effects);
}
template <class T>
void inverse_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau, Given<T> effects) {
  to_vector(Quantity::inverse, plan, ws, checked(Quantity::inverse, plan, ws, {q, v, a}), tau, effects);
}

template <class T>
void bias_forces(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Out<T> bias, Given<T> effects) {
  to_vector(Quantity::bias, plan, ws, checked(Quantity::bias, plan, ws, {q, v}), bias, effects);
}

template <class T>
void gravity_forces(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, Out<T> gravity) {
  to_vector(Quantity::gravity, plan, ws, checked(Quantity::gravity, plan, ws, {q}), gravity, {});
}

template <class T>
void mass_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Write<T> M, bool rotor) noexcept {
  compute(Quantity::mass, plan, ws, {q}, M, {.rotor = rotor});
}
template <class T>
void mass_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, MatrixView<std::type_identity_t<T>> M, bool rotor) {
  to_matrix<T>(Quantity::mass, plan, ws, checked(Quantity::mass, plan, ws, {q}), M, {.rotor = rotor});
}

template <class T>
void coriolis_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, MatrixView<std::type_identity_t<T>> C) {
  to_matrix<T>(Quantity::coriolis, plan, ws, checked(Quantity::coriolis, plan, ws, {q, v}), C, {});
}

template <class T>
void regressor(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> a, MatrixView<std::type_identity_t<T>> Y, Given<T> effects) {
  to_matrix<T>(Quantity::regressor, plan, ws, checked(Quantity::regressor, plan, ws, {q, v, a}), Y, effects);
}

template <class T>
void inverse_derivatives(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> a, MatrixView<std::type_identity_t<T>> d, Given<T> effects) {
  require_wrenches(plan, effects.wrenches);
  to_matrix<T>(Quantity::inverse_derivatives, plan, ws, checked(Quantity::inverse_derivatives, plan, ws, {q, v, a}), d, effects);
}
template <class T>
void forward_derivatives(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> tau, MatrixView<std::type_identity_t<T>> d, Given<T> effects) {
  require_wrenches(plan, effects.wrenches);
  to_matrix<T>(Quantity::forward_derivatives, plan, ws, checked(Quantity::forward_derivatives, plan, ws, {q, v, tau}), d, effects);
}

template <class T>
void forward_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Read<T> v, Read<T> tau, Write<T> a, Given<T> effects) noexcept {
  compute(Quantity::forward, plan, ws, {q, v, tau}, a, effects);
}
template <class T>
void forward_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a, Given<T> effects, ForwardMethod method) {
  InputsOf<T> in = checked(Quantity::forward, plan, ws, {q, v, tau});
  if (method == ForwardMethod::articulated && plan.coupled)
    throw std::invalid_argument(cat("articulated bodies do not take mimic joints, which robot ", in_quotes(plan.name), " has; use ForwardMethod::mass_matrix"));
  in.method = method;
  to_vector(Quantity::forward, plan, ws, in, a, effects);
}

template <class T>
EnergyOf<T> energy(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Given<T> effects) {
  T out[2];
  compute(Quantity::energy, plan, ws, checked(Quantity::energy, plan, ws, {q, v}), out, effects);
  return {out[0], out[1]};
}

template <class T>
MomentumOf<T> momentum(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Given<T> effects) {
  T out[6];
  compute(Quantity::momentum, plan, ws, checked(Quantity::momentum, plan, ws, {q, v}), out, effects);
  return {{out[0], out[1], out[2]}, {out[3], out[4], out[5]}};
}

template <class T>
Pose<T> link_pose(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, std::size_t link) {
  InputsOf<T> in = checked(Quantity::pose, plan, ws, {q});
  require_link(plan, link);
  in.link = link;
  T x[12];
  compute(Quantity::pose, plan, ws, in, x);
  return {{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
}

template <class T>
void link_poses(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, VectorView<Pose<std::type_identity_t<T>>> poses) {
  checked(Quantity::pose, plan, ws, {q});
  require_size(plan, "poses", poses.size(), plan.links.size(), "links");
  kernel::place(plan, ws, q.data());
  kernel::place_in_world(plan, ws, q.data());
  const Guard<T> guard(plan, q.data());
  for (std::size_t link = 0; link < plan.links.size(); ++link) poses[link] = guard(kernel::link_pose(plan, ws, link));
}

template <class T>
void jacobian(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, std::size_t link, MatrixView<std::type_identity_t<T>> J) {
  InputsOf<T> in = checked(Quantity::jacobian, plan, ws, {q});
  require_link(plan, link);
  in.link = link;
  to_matrix<T>(Quantity::jacobian, plan, ws, in, J, {});
}

#define ULNA_INSTANTIATE(T)                                                                                                         \
  template void compute(Quantity, const PlanOf<T>&, WorkspaceOf<T>&, const InputsOf<T>&, Write<T>, Given<T>, std::size_t) noexcept; \
  template void inverse_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, Read<T>, Read<T>, Read<T>, Write<T>, Given<T>) noexcept;        \
  template void inverse_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, In<T>, Out<T>, Given<T>);                         \
  template void bias_forces(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, Out<T>, Given<T>);                                     \
  template void gravity_forces(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, Out<T>);                                                   \
  template void mass_matrix(const PlanOf<T>&, WorkspaceOf<T>&, Read<T>, Write<T>, bool) noexcept;                                   \
  template void mass_matrix(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, MatrixView<T>, bool);                                         \
  template void coriolis_matrix(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, MatrixView<T>);                                    \
  template void regressor(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, In<T>, MatrixView<T>, Given<T>);                         \
  template void inverse_derivatives(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, In<T>, MatrixView<T>, Given<T>);               \
  template void forward_derivatives(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, In<T>, MatrixView<T>, Given<T>);               \
  template void forward_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, Read<T>, Read<T>, Read<T>, Write<T>, Given<T>) noexcept;        \
  template void forward_dynamics(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, In<T>, Out<T>, Given<T>, ForwardMethod);          \
  template EnergyOf<T> energy(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, Given<T>);                                           \
  template MomentumOf<T> momentum(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, In<T>, Given<T>);                                       \
  template Pose<T> link_pose(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, std::size_t);                                                \
  template void link_poses(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, VectorView<Pose<T>>);                                          \
  template void jacobian(const PlanOf<T>&, WorkspaceOf<T>&, In<T>, std::size_t, MatrixView<T>);
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ULNA_API

namespace ulna::internal {

template <class T>
void guarded_in_pieces(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                       std::size_t stride) noexcept {
  guarded(quantity, plan, ws, in, out, effects, stride);
}
// Not of the interface: outside of the namespace that the shared library shows.
template void guarded_in_pieces(Quantity, const Plan&, Workspace&, const InputsOf<double>&, double*, const Effects&, std::size_t) noexcept;
template void guarded_in_pieces(Quantity, const PlanOf<float>&, WorkspaceOf<float>&, const InputsOf<float>&, float*, const EffectsOf<float>&,
                                std::size_t) noexcept;

}  // namespace ulna::internal
