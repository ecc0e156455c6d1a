#pragma once
#include <memory>
#include <vector>

#include <ulna/verify/verify.hpp>
#include "verify/reference.hpp"

#include "verify/bounds.hpp"

namespace ulna::internal {

/// Laws that any right dynamics obeys, tested on the production path against derivatives of the reference's energy and inertia matrix.
class Laws {
 public:
  /// `reference` and `terms`, in the reference's own frames, of the robot alone, without loads. All must outlive this.
  Laws(const Model& model, const Reference& reference, const Terms& terms, double snap, const Effects& effects);
  ~Laws();

  /// One more state. Derivatives cost many recursions, so they are taken at every tenth state only. `alone`: of the robot alone; `loaded`: under the effects.
  void add(const Bounds& alone, const Bounds& loaded, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a);
  std::vector<LawCheck> result() const;

 private:
  class Tests;
  std::unique_ptr<Tests> tests_;
};

}  // namespace ulna::internal
