// What may be wrong with a model or with a program that reads it: everything that is tried on the numbers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "explain/comparison.hpp"

namespace ulna::internal {

/// Something that may be wrong, with numbers to be found: change(trial, x) is linear in x as far as torques go.
struct Family {
  std::string kind, where;
  std::size_t count;                                                                 // numbers
  std::function<void(Trial&, const std::vector<double>&)> change;                    // by so much
  std::function<std::vector<Edit>(const Trial&, const std::vector<double>&)> edits;  // what it amounts to
};
/// Whether two of them set the same number: then only one can be meant.
bool overlap(const Family& a, const Family& b);

/// Something that may be wrong, with numbers in which torques are not linear: the zero of a joint, a mass centre. Fitted from a few starts.
struct Curved {
  std::string kind, where;
  std::vector<std::vector<double>> starts;
  std::function<void(Trial&, const std::vector<double>&)> set;
  std::function<Edit(const std::vector<double>&)> edit;
};

class Suspects {
 public:
  Suspects(const Comparison& comparison, const Model& model);

  /// What takes no numbers: a slip that either happened or not.
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
