#include <ulna/count/as_written.hpp>

#include <algorithm>
#include <stdexcept>

#include <ulna/formulation/on_model.hpp>

#include "count/counting.hpp"
#include "count/hollerbach_3x3_printed.hpp"
#include "count/stanford_count.hpp"
#include "formulation/fijany_bejczy.hpp"
#include "formulation/horn_raibert.hpp"
#include "formulation/lin.hpp"
#include "formulation/renaud.hpp"
#include "formulation/walker_orin.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna {

namespace {

using namespace composite_body;

/// A state of n joints, and room for every result.
struct State {
  std::vector<Counted> q, v, a, tau, out, M;
  explicit State(std::size_t n)
      : q(counted_state(n, 0.31, 0.17)), v(counted_state(n, 0.2, 0.11)), a(counted_state(n, 0.4, 0.07)), tau(counted_state(n, 1.3, 0.9)), out(n), M(n * n) {}
};

/// Most rows: the evaluator's own text is the paper's.
AsWritten by_evaluator(const Formulation& formulation, Quantity quantity, const Prepared& prepared, State& s) {
  const std::unique_ptr<Evaluator<Counted>> evaluator = formulation.make_counted(prepared);
  const InputsOf<Counted> in{s.q.data(), s.v.data(), quantity == Quantity::forward ? s.tau.data() : s.a.data()};
  return {operations_of([&] { evaluator->compute(quantity, in, s.M.data()); }), {}};
}

/// In modified frames every addition that sets the joints is one to q, and every multiplication makes an entry of a rotation or, of a sliding joint,
/// a displacement.
void add_setting(AsWritten& counts, const OperationCounts& setting, bool entries_in_total) {
  const OperationCounts entries{setting.mul, 0, 0, 0}, offsets{0, setting.add, 0, 0};
  counts.parts.push_back({kRotationEntries, entries, entries_in_total});
  counts.parts.push_back({kJointOffsets, offsets, false});
  if (entries_in_total) counts.total = sum(counts.total, entries);
  counts.total.sincos = setting.sincos;
}

/// Lin's article counts an inertia matrix alone without the entries of the rotations, which the bias needs anyway.
template <class Method>
AsWritten mass_by(Method method, State& s) {
  const OperationCounts setting = operations_of([&] { method.set_configuration(s.q.data()); });
  AsWritten counts;
  counts.total = operations_of([&] { method.mass(s.M.data()); });
  add_setting(counts, setting, false);
  return counts;
}
/// The same in frames that are not modified ones: entries and offsets cannot be told apart.
AsWritten mass_by_walker_orin(const Prepared& prepared, State& s) {
  WalkerOrin<double, Counted> method(prepared.tree);
  const OperationCounts setting = operations_of([&] { method.set_configuration(s.q.data()); });
  AsWritten counts;
  counts.total = operations_of([&] { method.mass(s.M.data()); });
  counts.total.sincos = setting.sincos;
  counts.parts.push_back({kRotationEntries, {setting.mul, setting.add, setting.div, 0}, false});
  return counts;
}

AsWritten bias_by_lin(const Prepared& prepared, State& s) {
  Lin<double, Counted> method(*prepared.mdh);
  const OperationCounts setting = operations_of([&] { method.set_configuration(s.q.data()); });
  const OperationCounts mass = operations_of([&] { method.mass(s.M.data()); });
  const OperationCounts both = operations_of([&] { method.mass_and_bias(s.v.data(), s.M.data(), s.out.data()); });
  AsWritten counts;
  counts.total = operations_of([&] { method.bias(s.v.data(), s.out.data()); });
  add_setting(counts, setting, true);
  const OperationCounts entries{setting.mul, 0, 0, 0}, with_entries = sum(both, entries);
  counts.parts.push_back({kMassAndBias, with_entries, false});
  counts.parts.push_back({kBeyondMass, difference(with_entries, mass), false});
  return counts;
}

AsWritten torque_by_table(State& s) {
  const std::size_t n = s.q.size();
  const std::vector<Counted> G = counted_state(n, 0.3, 0.01), J = counted_state(n * n, 0.3, 0.01), C = counted_state(n * n * n, 0.3, 0.01);
  return {operations_of([&] { configuration_space_torque(n, G.data(), J.data(), C.data(), s.v.data(), s.a.data(), s.out.data()); }), {}};
}

}  // namespace

const CountedPart* AsWritten::find(std::string_view label) const {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const CountedPart& part) { return part.label == label; });
  return found == parts.end() ? nullptr : &*found;
}

AsWritten count_as_written(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (const std::string reason = why_not(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(
        cat("formulation ", formulation.id, " cannot be counted for the ", result_name(quantity), " of robot ", in_quotes(prepared.model.name()), ": ", reason));
  if (formulation.make_counted == nullptr) throw std::invalid_argument(cat("formulation ", formulation.id, " does not run on numbers that count"));
  State s(prepared.size());
  const std::string_view id = formulation.id;
  if (id == "lin") return quantity == Quantity::mass ? mass_by(Lin<double, Counted>(*prepared.mdh), s) : bias_by_lin(prepared, s);
  if (id == "renaud") return mass_by(Renaud<double, Counted>(*prepared.mdh), s);
  if (id == "fijany-bejczy") return mass_by(FijanyBejczy<double, Counted>(*prepared.mdh), s);
  if (id == "walker-orin") return mass_by_walker_orin(prepared, s);
  if (id == "horn-raibert") return torque_by_table(s);  // the look-up is not counted, so no table is filled for it
  if (id == "kane-stanford") {
    const StanfordArm<double> arm = fit_stanford(prepared.tree).arm;
    return quantity == Quantity::inverse ? count_stanford_torque(arm) : count_stanford_acceleration(arm);
  }
  AsWritten counts = by_evaluator(formulation, quantity, prepared, s);
  if (id == "hollerbach-3x3") {
    const bool slides = std::any_of(prepared.dh->rows.begin(), prepared.dh->rows.end(), [](const DhRow<double>& row) { return row.prismatic; });
    if (!slides) {  // the paper's 3x3 form has revolute joints only
      OperationCounts printed = operations_of([&] { hollerbach::torque_3x3_as_printed(*prepared.dh, s.q.data(), s.v.data(), s.a.data(), s.out.data()); });
      printed.sincos = 0;
      counts.parts.push_back({kAsPrinted, printed, false});
    }
  }
  return counts;
}

}  // namespace ulna
