// Edits of a link's mass, mass centre and inertia, called by what may have gone wrong.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "explain/trial.hpp"

namespace ulna::internal {

constexpr double kSame = 1e-10;  // of numbers, of lengths in metres and of entries of rotations
inline double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

/// Number to number within ten digits: what two files print of the same number.
bool same(double a, double b, double scale);
bool same(const Vec3<double>& a, const Vec3<double>& b, double scale);
bool same(const Sym3<double>& a, const Sym3<double>& b);

/// The edits that give link `index` of A the mass, mass centre and inertia of `other`, which is in A's link frame.
std::vector<Edit> compare_link(std::size_t index, const Link& link, const Link& other);

/// Inertias that a wrong program could have made of this link's, with the words: about the link's origin, products with the other sign, …
struct InertiaFault {
  std::string kind, words;
  Sym3<double> inertia;
};
std::vector<InertiaFault> inertia_faults(const Link& link);

std::vector<double> numbers(const Vec3<double>& v);
std::vector<double> numbers(const Sym3<double>& s);  // xx, yy, zz, xy, xz, yz
std::vector<double> numbers(const Pose<double>& X);  // x, y, z, roll, pitch, yaw
std::string text_of(const Vec3<double>& v);
std::string text_of(const Sym3<double>& s);

}  // namespace ulna::internal
