#include "sim/side_law.hpp"

#include <algorithm>

namespace ulna::internal::sim {

namespace {

/// Of each lane; nothing happens between calls.
class SideConstant : public Law {
 public:
  explicit SideConstant(std::vector<double> tau) : tau_(std::move(tau)) {}
  void torque(double, const double*, const double*, const double*, double* tau) override { std::copy(tau_.begin(), tau_.end(), tau); }

 private:
  std::vector<double> tau_;
};

/// Laws without memory that know one state at a time.
class OneByOne : public Law {
 public:
  OneByOne(std::vector<std::unique_ptr<Law>> laws, const Sizes& sizes, std::size_t lanes)
      : laws_(std::move(laws)), lanes_(lanes), q_(sizes.nq), v_(sizes.nv), tau_(sizes.nv) {}

  void torque(double t, const double* q, const double* v, const double*, double* tau) override {
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (l < laws_.size()) {
        for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = q[i * lanes_ + l];
        for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = v[i * lanes_ + l];
        laws_[l]->torque(t, q_.data(), v_.data(), nullptr, tau_.data());
      }
      for (std::size_t i = 0; i < tau_.size(); ++i) tau[i * lanes_ + l] = tau_[i];
    }
  }
  std::vector<double> breaks() const override { return laws_.front()->breaks(); }

 private:
  std::vector<std::unique_ptr<Law>> laws_;
  std::size_t lanes_;
  std::vector<double> q_, v_, tau_;
};

bool follows(LawKind kind) {
  return kind == LawKind::pd || kind == LawKind::pid || kind == LawKind::computed_torque || kind == LawKind::feedforward || kind == LawKind::prescribed;
}

}  // namespace

std::unique_ptr<Law> make_side_law(const std::vector<const Scenario*>& runs, std::size_t real, const std::vector<std::unique_ptr<ReferenceMotion>>& references,
                                   const Dynamics* like) {
  const Scenario& first = *runs.front();
  const Model& model = first.believed != nullptr ? first.believed->model() : first.model;
  const std::size_t n = model.nv(), lanes = runs.size();
  // Laws that do not follow a reference do not look at it, so the first one is good for all of them.
  const auto own = [&](const Scenario& run) { return make_law(run.law, model, first.rotor, references.empty() ? nullptr : references.front().get(), like); };
  if (lanes == 1) return own(first);
  if (follows(first.law.kind) && !references.empty()) {
    std::vector<const LawSettings*> settings;
    for (const Scenario* run : runs) settings.push_back(&run->law);
    std::vector<const ReferenceMotion*> motions;
    for (const std::unique_ptr<ReferenceMotion>& reference : references) motions.push_back(reference.get());
    std::unique_ptr<Law> law = make_following(settings, model, first.rotor, motions, like);
    return first.law.saturate ? saturated(std::move(law), model, lanes) : std::move(law);
  }
  std::vector<std::unique_ptr<Law>> laws;
  for (std::size_t l = 0; l < real; ++l) laws.push_back(own(*runs[l]));
  if (first.law.kind != LawKind::none && first.law.kind != LawKind::constant) return std::make_unique<OneByOne>(std::move(laws), model.sizes(), lanes);
  // The law is asked once for each lane, so that limits of torques are in it.
  const std::vector<double> nowhere(model.nq() * lanes, 0.0);
  std::vector<double> tau(n * lanes);
  OneByOne(std::move(laws), model.sizes(), lanes).torque(0, nowhere.data(), nowhere.data(), nullptr, tau.data());
  return std::make_unique<SideConstant>(std::move(tau));
}

}  // namespace ulna::internal::sim
