// Pinocchio's three algorithms for one scalar. Each scalar is compiled by itself: a minute or two of templates each.
#pragma once

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "pinocchio.hpp"

namespace ulna::bench {

template <class T>
class PinocchioWorker : public Worker<T> {
 public:
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using ModelT = pinocchio::ModelTpl<T>;

  PinocchioWorker(std::shared_ptr<const ModelT> model, std::shared_ptr<const States<T>> states, pinocchio::Convention convention)
      : model_(std::move(model)), data_(*model_), states_(std::move(states)), convention_(convention) {}

  void run(Job job, std::size_t first, std::size_t count, T* out, std::size_t stride) override {
    const auto n = static_cast<Eigen::Index>(states_->n);
    const auto at = [&](const std::vector<T>& x, std::size_t k) {
      const std::size_t size = &x == &states_->q ? states_->nq : states_->n;
      return Eigen::Map<const Vector>(x.data() + k * size, static_cast<Eigen::Index>(size));
    };
    // Results stand in its data already; they are copied only where they must stay.
    const bool keep = stride != 0;
    for (std::size_t k = first; k < first + count; ++k, out += stride) {
      switch (job) {
        case Job::inverse:
          pinocchio::rnea(*model_, data_, at(states_->q, k), at(states_->v, k), at(states_->a, k));
          if (keep) Eigen::Map<Vector>(out, n) = data_.tau;
          break;
        case Job::mass:
          // It computes one triangle; the other is copied as its manual says.
          pinocchio::crba(*model_, data_, at(states_->q, k), convention_);
          data_.M.template triangularView<Eigen::StrictlyLower>() = data_.M.transpose().template triangularView<Eigen::StrictlyLower>();
          if (keep) Eigen::Map<Matrix>(out, n, n) = data_.M;
          break;
        case Job::forward:
          pinocchio::aba(*model_, data_, at(states_->q, k), at(states_->v, k), at(states_->tau, k), convention_);
          if (keep) Eigen::Map<Vector>(out, n) = data_.ddq;
          break;
        case Job::derivatives:
          // Of M it computes one triangle here, too.
          pinocchio::computeRNEADerivatives(*model_, data_, at(states_->q, k), at(states_->v, k), at(states_->a, k));
          data_.M.template triangularView<Eigen::StrictlyLower>() = data_.M.transpose().template triangularView<Eigen::StrictlyLower>();
          if (keep) Eigen::Map<Matrix>(out, n, 3 * n) << data_.dtau_dq, data_.dtau_dv, data_.M;
          break;
        case Job::forward_derivatives:
          pinocchio::computeABADerivatives(*model_, data_, at(states_->q, k), at(states_->v, k), at(states_->tau, k));
          data_.Minv.template triangularView<Eigen::StrictlyLower>() = data_.Minv.transpose().template triangularView<Eigen::StrictlyLower>();
          if (keep) Eigen::Map<Matrix>(out, n, 3 * n) << data_.ddq_dq, data_.ddq_dv, data_.Minv;
          break;
        case Job::simulate: break;
      }
    }
  }

 private:
  std::shared_ptr<const ModelT> model_;
  pinocchio::DataTpl<T> data_;
  std::shared_ptr<const States<T>> states_;
  pinocchio::Convention convention_;
};

template <class T>
void add_pinocchio_rows(Library& library, const pinocchio::Model& model, const States<double>& states) {
  const auto model_t = std::make_shared<const pinocchio::ModelTpl<T>>(model.template cast<T>());
  const auto states_t = std::make_shared<const States<T>>(cast<T>(states));
  const auto add = [&](const char* path, Job job, pinocchio::Convention convention) {
    add_rows<T>(library, path, job, [=]() -> std::unique_ptr<Worker<T>> { return std::make_unique<PinocchioWorker<T>>(model_t, states_t, convention); });
  };
  // The recursion of Newton and Euler knows one convention only.
  add("local", Job::inverse, pinocchio::Convention::LOCAL);
  for (const Job job : kDerivatives) add("world", job, pinocchio::Convention::WORLD);
  for (const Job job : {Job::mass, Job::forward}) {
    add("local", job, pinocchio::Convention::LOCAL);
    add("world", job, pinocchio::Convention::WORLD);
  }
}

/// In files of their own; the second is not there in the build for comparison.
void add_pinocchio_float_rows(Library& library, const pinocchio::Model& model, const States<double>& states);

}  // namespace ulna::bench
