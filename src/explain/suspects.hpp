// Possible faults, and edits that undo them.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explain/comparison.hpp"

namespace ulna::internal {

// --- Edits of a link's mass, mass centre and inertia, named by the fault.

constexpr double kSame = 1e-10;  // of numbers, of lengths in metres and of entries of rotations
inline double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

/// Number to number within ten digits: what two files print of the same number.
bool same(double a, double b, double scale);
bool same(const Vec3<double>& a, const Vec3<double>& b, double scale);
bool same(const Sym3<double>& a, const Sym3<double>& b);

/// The edits that give link `index` of A the mass, mass centre and inertia of `other`, which is in A's link frame.
std::vector<Edit> compare_link(std::size_t index, const Link& link, const Link& other);

/// Inertias that a wrong program could compute from this link's, with their description: about the link's origin, products with the other sign, …
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

// --- Possible faults of a model or of a program that reads it, tested on the numbers.

/// A possible fault with parameters to be fitted: torques are linear in x of change(trial, x).
struct Family {
  std::string kind, where;
  std::size_t count;                                                                 // numbers
  std::function<void(Trial&, const std::vector<double>&)> change;                    // by so much
  std::function<std::vector<Edit>(const Trial&, const std::vector<double>&)> edits;  // what it amounts to
};
/// Whether two of them set the same number: then only one can be meant.
bool overlap(const Family& a, const Family& b);

/// Change of the predicted torques per unit of each parameter: exact, because they are linear in it. Empty where the trial is no robot then.
std::vector<std::vector<double>> columns_of(const Comparison& comparison, const Family& family, const Trial& at, const std::vector<double>& predicted);

/// A possible fault with parameters in which torques are not linear: the zero of a joint, a mass centre. Fitted from a few starts.
struct Curved {
  std::string kind, where;
  std::vector<std::vector<double>> starts;
  std::function<void(Trial&, const std::vector<double>&)> set;
  std::function<Edit(const std::vector<double>&)> edit;
};

class Suspects {
 public:
  Suspects(const Comparison& comparison, const Model& model);

  /// A fault without parameters: a slip that either happened or not.
  std::vector<Edit> slips(const Trial& at) const;
  /// Rotors, damping and friction left out, of all joints; what MJCF has besides.
  std::vector<Edit> left_out(const Trial& at) const;
  std::vector<Family> families(const Trial& at) const;
  std::vector<Curved> curved(const Trial& at) const;

 private:
  const std::string& name_of(std::size_t coordinate) const { return model_.joints()[model_.independent()[coordinate]].name; }
  std::vector<std::size_t> breadth_first() const;

  const Comparison& comparison_;
  const Model& model_;
  std::vector<bool> moves_;  // of each link
};

}  // namespace ulna::internal
