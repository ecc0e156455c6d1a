// One random robot in one state: the reference there, and whether formulations, machine code and generated code agree with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/verify/verify.hpp>

#include "text/message.hpp"
#include "verify/bounds.hpp"
#include "verify/terms_in_frames.hpp"

namespace ulna::test {

/// One state of a robot, the reference there in extended precision, and what differs from it.
class Comparison {
 public:
  explicit Comparison(const Model& model) : model_(model), n_(model.nv()), snapped_(snapped_model(model, kSnap)), reference_(snapped_) {
    StateSampler(model, 7).next(q_, v_, a_);
    exact_.emplace(reference_, snapped_, q_, v_, a_);
    for (const long double t : exact_->tau) tau_.push_back(static_cast<double>(t));
  }

  /// Empty when every formulation that takes the robot agrees. Tables are exact at their nodes only, and have tests of their own.
  std::string formulations() const {
    const Prepared prepared(model_, kSnap);
    const TermsInFrames terms(snapped_, prepared);
    Bounds in_dh = *exact_, in_mdh = *exact_;
    in_dh.add(terms.in(Frames::dh), q_, v_, a_);
    in_mdh.add(terms.in(Frames::mdh), q_, v_, a_);
    for (const Quantity quantity : ulna::formulated_quantities())
      for (const Formulation& row : ulna::formulations()) {
        if (!row.gives(quantity) || row.valid_at == ValidAt::table_nodes || !why_not(row, quantity, prepared).empty()) continue;
        FormulationOnModel run(row, quantity, prepared);
        std::vector<double> got(row_of(quantity).size({n_, n_}));
        const Bounds& exact = row.frames == Frames::dh ? in_dh : row.frames == Frames::mdh ? in_mdh : *exact_;
        std::string fault;
        try {
          run.compute(quantity, {q_.data(), v_.data(), row_of(quantity).takes("tau") ? tau_.data() : a_.data()}, got.data());
          const Bounds::Exact wanted = exact.of(quantity, row);
          fault = differs(got, wanted.value, wanted.bound, run.amplification());
        } catch (const std::domain_error&) {  // the formulation's own variables do not exist in this state
        }
        if (!fault.empty()) return cat(row.id, ", ", result_name(quantity), ": ", fault);
      }
    return {};
  }

  /// The largest difference so far, as a share of what is allowed.
  double used() const { return used_; }

  std::string machine_code() const {
    const Dynamics dynamics(model_, {.threads = 1});
    if (!dynamics.refused().empty()) return to_string(dynamics.refused().front());
    std::vector<double> tau(n_), M(n_ * n_), a(n_);
    dynamics.inverse(q_, v_, a_, tau);
    dynamics.mass(q_, {M.data(), n_, n_});
    dynamics.forward(q_, v_, tau_, a);
    const std::string fault = differ(tau, M, a);
    return fault.empty() ? fault : "machine code: " + fault;
  }

  /// Functions of generated C.
  using Inverse = void(const double* q, const double* v, const double* a, double* tau);
  using Mass = void(const double* q, double* M);
  std::string generated(Inverse* inverse, Mass* mass, Inverse* forward) const {
    std::vector<double> tau(n_), M(n_ * n_), a(n_);
    inverse(q_.data(), v_.data(), a_.data(), tau.data());
    mass(q_.data(), M.data());
    forward(q_.data(), v_.data(), tau_.data(), a.data());
    const std::string fault = differ(tau, M, a);
    return fault.empty() ? fault : "generated C: " + fault;
  }

 private:
  static constexpr double kSnap = 1e-9;

  /// Allowed is what verify() allows: 8 roundings for each link, of the terms that enter a result in the formulation's own frames. An error of algebra is
  /// larger by ten orders.
  std::string differs(const std::vector<double>& got, const std::vector<long double>& wanted, const std::vector<double>& bound, double amplification) const {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double allowed = verify_tolerance(n_) * amplification * bound[i];
      const double difference = std::abs(static_cast<double>(got[i] - wanted[i]));
      if (difference > 0 && allowed > 0) used_ = std::max(used_, difference / allowed);
      if (!(difference <= allowed))
        return cat("number ", i, " is ", got[i], " for ", static_cast<double>(wanted[i]), ", off by ", static_cast<double>(got[i] - wanted[i]), ", allowed ",
                   allowed);
    }
    return {};
  }

  std::string differ(const std::vector<double>& tau, const std::vector<double>& M, const std::vector<double>& a) const {
    for (const std::string& fault : {differs(tau, exact_->tau, exact_->torque_bound, 1), differs(M, exact_->M, exact_->mass_bound, 1),
                                     differs(a, {a_.begin(), a_.end()}, exact_->acceleration_bound, 1)})
      if (!fault.empty()) return fault;
    return {};
  }

  mutable double used_ = 0;
  const Model& model_;
  std::size_t n_;
  Model snapped_;
  Reference reference_;
  std::vector<double> q_, v_, a_, tau_;
  std::optional<Bounds> exact_;
};

}  // namespace ulna::test
