// Names for the quantities of a joint and its link: w3_x.
#pragma once

#include <utility>

#include <ulna/expr/expr.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

/// Calls name(NodeName, x) for every entry of a quantity.
template <class Name>
class JointNames {
 public:
  JointNames(Name name, std::size_t joint) : name_(std::move(name)), body_(joint + 1) {}

  template <class T>
  void operator()(const char* letter, const T& x, Component component = Component::none) const {
    name_(NodeName{letter, body_, component}, x);
  }
  template <class T>
  void operator()(const char* letter, const Vec3<T>& v) const {
    using enum Component;
    (*this)(letter, v.x, x), (*this)(letter, v.y, y), (*this)(letter, v.z, z);
  }
  template <class T>
  void operator()(const char* letter, const Sym3<T>& s) const {
    using enum Component;
    (*this)(letter, s.xx, xx), (*this)(letter, s.yy, yy), (*this)(letter, s.zz, zz);
    (*this)(letter, s.xy, xy), (*this)(letter, s.xz, xz), (*this)(letter, s.yz, yz);
  }
  template <class T>
  void operator()(const char* letter, const Mat3<T>& m) const {
    using enum Component;
    (*this)(letter, m.xx, xx), (*this)(letter, m.xy, xy), (*this)(letter, m.xz, xz);
    (*this)(letter, m.yx, yx), (*this)(letter, m.yy, yy), (*this)(letter, m.yz, yz);
    (*this)(letter, m.zx, zx), (*this)(letter, m.zy, zy), (*this)(letter, m.zz, zz);
  }

 private:
  Name name_;
  std::size_t body_;
};

}  // namespace ulna::internal
