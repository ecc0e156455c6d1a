// Results of a bad state: the same arithmetic as in programs (src/expr/ready.hpp), around the kernels.
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

/// 0 for a valid state; NaN when an input is NaN, infinite, or an angle beyond kLargestAngle: 0 times a finite number is 0, times anything else NaN.
/// Added to every result, it leaves those of valid states unchanged, to the bit.
template <class T>
class Guard {
 public:
  /// Null inputs are zeros.
  Guard(const PlanOf<T>& plan, const T* q, const T* v = nullptr, const T* a = nullptr) {
    for (std::size_t k = 0; plan.free && k < base_nq(RootJoint::free); ++k) take(q[k]);
    for (const PlanBody<T>& body : plan.bodies) take(body.prismatic || body.ball > 0 ? q[body.q] : (body.multiplier * q[body.q]) * kOverflowsBeyond<T>);
    for (const std::size_t at : plan.quaternions) take(q[at + 3]);
    for (const T* in : {v, a})
      for (std::size_t k = 0; in != nullptr && k < plan.sizes().nv; ++k) take(in[k]);
  }
  void take(const BaseMotionOf<T>& base) {
    take(base.angular_velocity), take(base.linear_velocity), take(base.angular_acceleration), take(base.linear_acceleration);
  }
  void take(std::span<const T> numbers) {
    for (const T& x : numbers) take(x);
  }
  void take(std::span<const WrenchOf<T>> wrenches) {
    for (const WrenchOf<T>& wrench : wrenches) take(wrench.force), take(wrench.moment);
  }

  T operator()(const T& result) const { return result + (guard_ * guard_) * result; }  // squared: 0, not -0
  Vec3<T> operator()(const Vec3<T>& r) const { return {(*this)(r.x), (*this)(r.y), (*this)(r.z)}; }
  Pose<T> operator()(const Pose<T>& X) const {
    const auto& g = *this;
    return {{g(X.R.xx), g(X.R.xy), g(X.R.xz), g(X.R.yx), g(X.R.yy), g(X.R.yz), g(X.R.zx), g(X.R.zy), g(X.R.zz)}, g(X.p)};
  }
  /// `count` results, one after the other.
  void over(T* results, std::size_t count) const {
    for (std::size_t k = 0; k < count; ++k) results[k] = (*this)(results[k]);
  }
  /// Columns that lie `stride` apart.
  void over(T* results, std::size_t rows, std::size_t columns, std::size_t stride) const {
    for (std::size_t k = 0; k < columns; ++k) over(results + k * stride, rows);
  }

 private:
  void take(const T& x) { guard_ = guard_ * x; }
  void take(const Vec3<T>& x) { take(x.x), take(x.y), take(x.z); }

  T guard_ = T(0);
};

}  // namespace ulna::internal
