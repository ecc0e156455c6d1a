#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "formulation/rows.hpp"
#include "text/message.hpp"

namespace ulna::internal {

const Formulation& row_of(MakeRow make) {
  return formulations()[static_cast<std::size_t>(std::find(std::begin(kRows), std::end(kRows), make) - std::begin(kRows))];
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::string to_string(const GrowthOrder& growth) {
  std::string out;
  const auto factor = [&](const char* letter, int power) {
    if (power > 0) out += cat(out.empty() ? "" : " ", letter, power > 1 ? cat("^", power) : "");
  };
  factor("n", growth.joints);
  factor("d", growth.depth);
  return cat("O(", out.empty() ? "1" : out, ")");
}

bool Formulation::gives(Quantity quantity) const { return std::find(quantities.begin(), quantities.end(), quantity) != quantities.end(); }

std::string Formulation::cost() const {
  if (counts) return cat(counts->mul, " mul, ", counts->add, " add");
  return cat(to_string(growth), growth_of_mass ? cat(", mass ", to_string(*growth_of_mass)) : "", memory.empty() ? "" : cat(", tables ", memory));
}

Prepared::Prepared(const Model& m, double s) : given(m), model(with_base_as_joints(m)), snap(s) {
  if (model.has_balls()) {  // no form that the papers use
    forms_ = std::make_shared<const Forms>(Forms{{}, "the robot has ball joints", {}, {}});
    return;
  }
  Forms forms{make_body_tree(model, s), model.closed() ? "the robot has loops" : why_not_a_chain(model, s), {}, {}};
  if (forms.why_not_chain.empty()) {
    forms.dh = make_dh_chain(model, s);
    forms.mdh = make_mdh_chain(model, s);
  }
  forms_ = std::make_shared<const Forms>(std::move(forms));
}
Prepared::Prepared(const Model& m, double s, Forms forms)
    : given(m), model(with_base_as_joints(m)), snap(s), forms_(std::make_shared<const Forms>(std::move(forms))) {}
std::size_t Prepared::size() const { return forms_->tree.size(); }

const std::vector<Formulation>& formulations() {
  static const std::vector<Formulation> rows = [] {
    std::vector<Formulation> made;
    for (const MakeRow make : kRows) made.push_back(make());
    return made;
  }();
  return rows;
}

const std::vector<Quantity>& formulated_quantities() {
  static const std::vector<Quantity> all = [] {
    std::vector<Quantity> given;
    for (const QuantityRow& row : quantities())
      if (std::any_of(formulations().begin(), formulations().end(), [&](const Formulation& f) { return f.gives(row.quantity); })) given.push_back(row.quantity);
    return given;
  }();
  return all;
}

const Formulation* find_formulation(std::string_view id) {
  for (const Formulation& row : formulations())
    if (row.id == id) return &row;
  return nullptr;
}

const Formulation& formulation_named(std::string_view id) {
  if (const Formulation* row = find_formulation(id)) return *row;
  throw std::invalid_argument(there_is_no("formulation", id, names_of(formulations(), &Formulation::id)));
}
const Formulation& production_path() { return row_of(&ulna_row); }
const Formulation& formulation_of_loops() { return *std::find_if(formulations().begin(), formulations().end(), std::mem_fn(&Formulation::takes_loops)); }

}  // namespace ULNA_API
