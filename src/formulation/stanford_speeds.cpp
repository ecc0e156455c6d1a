#include "formulation/stanford_speeds.hpp"

#include <algorithm>

#include "formulation/kane_stanford.hpp"

namespace ulna::internal {

namespace {

class StanfordSpeeds final : public OwnSpeeds {
 public:
  explicit StanfordSpeeds(const StanfordArm<double>& arm) : arm_(arm) {}

  void from_rates(const double* q, const double* v, double* u) override {
    place(q);
    stanford_speeds_from_rates(k_, stanford_from_chain(v));
    std::copy(k_.u.begin() + 1, k_.u.end(), u);
  }

  void to_rates(const double* q, const double* u, double* v) override {
    place(q, u);
    stanford_to_chain(stanford_rates_from_speeds(k_), v);
  }

  void derivatives(const double* q, const double* u, const double* tau, double* u_dot, double* a) override {
    place(q, u);
    stanford_Z(arm_, k_);
    stanford_X(arm_, k_);
    const std::array<double, 7> rates = stanford_accelerations(arm_, k_, stanford_forces_from_chain(tau));
    std::copy(rates.begin() + 1, rates.end(), u_dot);
    stanford_to_chain(stanford_joint_accelerations(k_, rates), a);
  }

  /// W_31; eq. 138.
  double constant(const double* q, const double* u) override {
    place(q, u);
    stanford_Z(arm_, k_);
    return stanford_W(arm_, k_)[31];
  }

 private:
  void place(const double* q) {
    stanford_place(stanford_from_chain(q), k_);
    refuse_singular_speeds(k_);
  }
  void place(const double* q, const double* u) {
    place(q);
    std::copy(u, u + 6, k_.u.begin() + 1);
  }

  StanfordArm<double> arm_;
  StanfordQuantities<double> k_;
};

}  // namespace

std::unique_ptr<OwnSpeeds> make_stanford_speeds(const Prepared& prepared) { return std::make_unique<StanfordSpeeds>(fit_stanford(prepared.forms().tree).arm); }

}  // namespace ulna::internal
