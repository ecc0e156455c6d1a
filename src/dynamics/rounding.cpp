#include "dynamics/rounding.hpp"

#include <limits>

#include <ulna/dynamics/forward-inl.hpp>
#include <ulna/dynamics/kinematics-inl.hpp>

#include "scalar/rounded.hpp"

namespace ulna {

double unit_roundoff(Precision precision) {
  return precision == Precision::single ? static_cast<double>(std::numeric_limits<float>::epsilon()) / 2 : std::numeric_limits<double>::epsilon() / 2;
}

template <class Real>
struct Rounding::Kernels {
  using T = Rounded<Real>;
  Kernels(const Plan& plan, bool rotor) : ws(plan) { effects.rotor = rotor; }

  const T* given(std::vector<T>& to, const std::vector<double>& from) {
    to.clear();
    for (const double x : from) to.push_back(T::exact(x));
    return from.empty() ? nullptr : to.data();
  }
  T* room(std::size_t size) {
    out.resize(size);
    return out.data();
  }
  const Results& finished(Results& to) const {
    to.value.clear(), to.error.clear();
    for (const T& x : out) to.value.push_back(x.value()), to.error.push_back(x.absolute_error());
    return to;
  }

  WorkspaceOf<T> ws;
  EffectsOf<T> effects;
  std::vector<T> q, v, a, out;
};

Rounding::Rounding(const Plan& plan, Precision precision, bool rotor) {
  if (precision == Precision::single)
    single_ = std::make_unique<Kernels<float>>(plan, rotor);
  else
    full_ = std::make_unique<Kernels<double>>(plan, rotor);
}
Rounding::~Rounding() = default;
Rounding::Rounding(Rounding&&) noexcept = default;

namespace {

/// f(kernels) in whichever precision is there.
template <class Full, class Single, class F>
void in(const Full& full, const Single& single, const F& f) {
  if (full != nullptr)
    f(*full);
  else
    f(*single);
}

std::size_t size(const Plan& plan) { return plan.nv; }

}  // namespace

const Rounding::Results& Rounding::torque(const Plan& plan, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  in(full_, single_, [&](auto& k) {
    kernel::inverse_dynamics(plan, k.ws, k.given(k.q, q), k.given(k.v, v), k.given(k.a, a), k.room(size(plan)), k.effects);
    k.finished(results_);
  });
  return results_;
}

const Rounding::Results& Rounding::mass(const Plan& plan, const std::vector<double>& q) {
  in(full_, single_, [&](auto& k) {
    kernel::mass_matrix(plan, k.ws, k.given(k.q, q), k.room(size(plan) * size(plan)), size(plan), k.effects.rotor);
    k.finished(results_);
  });
  return results_;
}

const Rounding::Results& Rounding::mass_inverse(const Plan& plan, const std::vector<double>& q) {
  in(full_, single_, [&](auto& k) {
    kernel::mass_inverse(plan, k.ws, k.given(k.q, q), k.room(size(plan) * size(plan)), size(plan), k.effects.rotor);
    k.finished(results_);
  });
  return results_;
}

const Rounding::Results& Rounding::acceleration(const Plan& plan, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& tau,
                                                ForwardMethod method) {
  const bool articulated = method == ForwardMethod::articulated || (method == ForwardMethod::automatic && plan.deep && !plan.coupled);
  in(full_, single_, [&](auto& k) {
    const auto *angles = k.given(k.q, q), *rates = k.given(k.v, v), *efforts = k.given(k.a, tau);
    if (articulated)
      kernel::forward_by_articulated_bodies(plan, k.ws, angles, rates, efforts, k.room(size(plan)), k.effects);
    else
      kernel::forward_by_mass(plan, k.ws, angles, rates, efforts, k.room(size(plan)), k.effects);
    k.finished(results_);
  });
  return results_;
}

const Rounding::Results& Rounding::pose(const Plan& plan, const std::vector<double>& q, std::size_t link) {
  in(full_, single_, [&](auto& k) {
    kernel::place(plan, k.ws, k.given(k.q, q));
    kernel::place_in_world(plan, k.ws);
    const auto X = kernel::link_pose(plan, k.ws, link);
    k.out = {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
    k.finished(results_);
  });
  return results_;
}

const Rounding::Results& Rounding::jacobian(const Plan& plan, const std::vector<double>& q, std::size_t link) {
  in(full_, single_, [&](auto& k) {
    kernel::place(plan, k.ws, k.given(k.q, q));
    kernel::place_in_world(plan, k.ws);
    kernel::jacobian(plan, k.ws, link, k.room(6 * size(plan)), 6);
    k.finished(results_);
  });
  return results_;
}

}  // namespace ulna
