#include "identify/condensed.hpp"

#include <algorithm>

#include "identify/random_states.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

std::optional<FrictionModel> friction_model(const std::string& name) {
  const FrictionModel coulomb{"coulomb", true, true, true};
  FrictionModel model = coulomb;
  model.name = name;
  if (name == "none") return FrictionModel{"none"};
  if (name == "viscous") return FrictionModel{"viscous", true, false, true};
  if (name == "coulomb") return coulomb;
  if (name == "asymmetric") return model.asymmetric = true, model;
  if (name == "stribeck") return model.stribeck = 0.1, model;
  if (name == "load") return model.load = true, model;
  if (name == "smooth") return model.smooth = 0.1, model;
  return {};
}

}  // namespace ULNA_API

namespace ulna::internal {

namespace {

/// A term of friction: its name, its unit for revolute and prismatic joints, the models that have it, and its value in the file.
struct TermRow {
  const char *name, *turning, *sliding;
  bool (*in)(const FrictionModel&);
  double (*given)(const Joint&);
};
bool has_sign(FrictionTerm term) {
  return term == FrictionTerm::coulomb || term == FrictionTerm::asymmetric || term == FrictionTerm::stribeck || term == FrictionTerm::load;
}
double none(const Joint&) { return 0; }
bool no_model(const FrictionModel&) { return false; }
/// By FrictionTerm.
constexpr TermRow kTerms[] = {
    {"rotor", "kg m^2", "kg", no_model, [](const Joint& j) { return j.gear * j.gear * j.rotor; }},
    {"viscous", "N m s/rad", "N s/m", [](const FrictionModel& m) { return m.viscous; }, [](const Joint& j) { return j.friction.viscous; }},
    {"coulomb", "N m", "N", [](const FrictionModel& m) { return m.coulomb; }, [](const Joint& j) { return j.friction.coulomb; }},
    {"offset", "N m", "N", [](const FrictionModel& m) { return m.offset; }, none},
    {"asymmetric", "N m s/rad", "N s/m", [](const FrictionModel& m) { return m.asymmetric; }, none},
    {"stribeck", "N m", "N", [](const FrictionModel& m) { return m.stribeck > 0; }, none},
    {"load", "", "", [](const FrictionModel& m) { return m.load; }, none},
    {"gain", "N m/A", "N/A", no_model, none},
};

}  // namespace

Columns::Columns(const Model& model, const Plan& plan, const BaseParameters& structure, const std::vector<FrictionModel>& models, bool rotors,
                 std::vector<double> speed, const std::vector<double>& gains)
    : model_(model), structure_(structure), n_(plan.sizes().nv), rotors_(rotors), speed_(std::move(speed)), entering_(n_), places_(n_) {
  for (const BaseParameter& one : structure.base) parameter_.push_back(one.terms[0].parameter);
  // Which rows a base column has entries in, by a few states.
  const std::size_t all = structure.parameters.size();
  std::vector<double> Y(n_ * all), largest(n_ * all, 0);
  RandomStates<double> state(model, plan, 24, {3, 3, 3});
  for (int s = 0; s < 12; ++s) {
    state.next();
    state.regressor(Y.data());
    for (std::size_t k = 0; k < Y.size(); ++k) largest[k] = std::max(largest[k], std::fabs(Y[k]));
  }
  for (std::size_t c = 0; c < parameter_.size(); ++c) {
    const double* column = largest.data() + n_ * parameter_[c];
    const double most = *std::max_element(column, column + n_);
    for (std::size_t k = 0; k < n_; ++k)
      if (column[k] > 1e-12 * most) entering_[k].push_back(c), places_[k].push_back(k + n_ * parameter_[c]);
  }
  const auto add = [&](FrictionTerm term, double part = 0, double smooth = 0) {
    for (const FrictionColumn& known : friction_)
      if (known.term == term && known.part == part && known.smooth == smooth) return;
    for (std::size_t k = 0; k < n_; ++k) {
      entering_[k].push_back(base() + friction_.size());
      friction_.push_back({term, k, part, smooth});
    }
  };
  if (rotors) add(FrictionTerm::rotor);
  for (const FrictionModel& one : models)
    for (std::size_t t = 0; t < std::size(kTerms); ++t)
      if (const auto term = static_cast<FrictionTerm>(t); kTerms[t].in(one))
        add(term, term == FrictionTerm::stribeck ? one.stribeck : 0, has_sign(term) ? one.smooth : 0);
  for (std::size_t k = 0; k < gains.size(); ++k) {
    if (!std::isnan(gains[k])) continue;
    entering_[k].push_back(base() + friction_.size());
    friction_.push_back({FrictionTerm::gain, k});
  }
}

std::vector<std::size_t> Columns::of(const FrictionModel& model) const {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < base(); ++c) out.push_back(c);
  for (std::size_t c = 0; c < friction_.size(); ++c) {
    const FrictionColumn& one = friction_[c];
    const bool always = one.term == FrictionTerm::rotor || one.term == FrictionTerm::gain;
    const bool has = always || kTerms[static_cast<std::size_t>(one.term)].in(model);
    if (has && (one.term != FrictionTerm::stribeck || model.stribeck == one.part) && (!has_sign(one.term) || model.smooth == one.smooth))
      out.push_back(base() + c);
  }
  // In the order that columns of this model alone have.
  std::stable_sort(out.begin() + static_cast<long>(base()), out.end(),
                   [&](std::size_t a, std::size_t b) { return friction_[a - base()].term < friction_[b - base()].term; });
  return out;
}

double Columns::friction(const FrictionColumn& column, const double* v, const double* a, const double* load) const {
  const double rate = v[column.coordinate], width = column.smooth * speed_[column.coordinate], side = width > 0 ? std::tanh(rate / width) : sign(rate);
  switch (column.term) {
    case FrictionTerm::rotor: return a[column.coordinate];
    case FrictionTerm::viscous: return rate;
    case FrictionTerm::coulomb: return side;
    case FrictionTerm::offset: return 1;
    case FrictionTerm::asymmetric: return rate * side;
    case FrictionTerm::stribeck: {
      const double unit = column.part * speed_[column.coordinate], x = unit > 0 ? rate / unit : 0;
      return side * std::exp(-x * x);
    }
    case FrictionTerm::load: return side * std::fabs(load[column.coordinate]);
    case FrictionTerm::gain: return 0;  // no torque
  }
  return 0;
}

double Columns::entry(std::size_t column, std::size_t coordinate, const double* Y, const double* v, const double* a, const double* load) const {
  return column < base() ? Y[coordinate + n_ * parameter_[column]] : friction(friction_[column - base()], v, a, load);
}

void Columns::links(const double* Y, const double* base_values, double* tau) const {
  for (std::size_t k = 0; k < n_; ++k) {
    double sum = 0;
    for (const std::size_t c : entering_[k]) {
      if (c >= base()) break;
      sum += Y[k + n_ * parameter_[c]] * base_values[c];
    }
    tau[k] = sum;
  }
}

bool Columns::never_negative(std::size_t column) const {
  if (column < base()) return false;
  const FrictionTerm term = friction_[column - base()].term;
  return term != FrictionTerm::offset && term != FrictionTerm::asymmetric;
}

Estimate Columns::named(std::size_t column) const {
  if (column < base()) {
    const BaseParameter& one = structure_.base[column];
    return {one.name, structure_.parameters[one.terms[0].parameter].unit, 0, 0, one.value};
  }
  const FrictionColumn& one = friction_[column - base()];
  const Joint& joint = model_.joints()[model_.driven()[one.coordinate]];
  const TermRow& term = kTerms[static_cast<std::size_t>(one.term)];
  return {cat(term.name, ".", joint.name), joint.type == JointType::prismatic ? term.sliding : term.turning, 0, 0, term.given(joint)};
}

}  // namespace ulna::internal
