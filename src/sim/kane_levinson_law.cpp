#include "sim/side_law.hpp"

#include <cmath>
#include <stdexcept>

#include "formulation/kane_stanford.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

namespace {

class KaneLevinsonLaw : public Law {
 public:
  KaneLevinsonLaw(const KaneLevinsonSettings& settings, const StanfordArm<double>& arm) : s_(settings), arm_(arm) {}

  void torque(double, const double* chain_q, const double* chain_v, const double*, double* tau) override {
    const std::array<double, 7> q = stanford_from_chain(chain_q), qd = stanford_from_chain(chain_v);
    std::array<double, 6> s{}, c{};
    for (std::size_t r = 2; r <= 5; ++r) {
      s[r] = std::sin(q[r]);
      c[r] = std::cos(q[r]);
    }
    const StanfordArm<double>& a = arm_;
    const auto k = [this](std::size_t r) { return s_.gains[r - 1]; };
    const auto away = [&](std::size_t r) { return q[r] - s_.target[r - 1]; };
    const double wrist = a.mE * a.L6 + a.mF * a.L3;  // first moment of hand and wrist about the wrist point
    std::array<double, 7> force{};
    force[1] = s_.first_drive ? -k(1) * away(1) - k(2) * qd[1] : 0;  // (128)
    force[2] =
        k(3) * away(2) + k(4) * qd[2] +
        a.g * (((a.mC + a.mD) * q[6] + a.mD * a.L5) * s[2] + wrist * (c[4] * s[2] + c[3] * s[4] * c[2]) + (a.mE + a.mF) * (q[6] + a.L2) * s[2]);  // (129)
    force[3] = k(5) * away(3) + k(6) * qd[3] - a.g * wrist * s[2] * s[3] * s[4];                                                                  // (130)
    force[4] = k(7) * away(4) + k(8) * qd[4] + a.g * wrist * (c[2] * s[4] + s[2] * c[3] * c[4]);                                                  // (131)
    force[5] = k(9) * away(5) + k(10) * qd[5];                                                                                                    // (132)
    force[6] = k(11) * away(6) + k(12) * qd[6] - a.g * (a.mC + a.mD + a.mE + a.mF) * c[2];                                                        // (133)
    stanford_forces_to_chain(force, tau);
  }

 private:
  KaneLevinsonSettings s_;
  StanfordArm<double> arm_;
};

}  // namespace

std::string why_no_stanford(const Model& model) { return fit_stanford(make_body_tree(model)).why_not; }

std::unique_ptr<Law> make_kane_levinson_law(const KaneLevinsonSettings& settings, const Model& model) {
  const StanfordFit fit = fit_stanford(make_body_tree(model));
  if (!fit.why_not.empty()) throw std::invalid_argument(cat("Kane and Levinson's law is for the Stanford arm: ", fit.why_not));
  return std::make_unique<KaneLevinsonLaw>(settings, fit.arm);
}

}  // namespace ulna::internal::sim
