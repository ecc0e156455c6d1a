// What the rows of the three tables have in common. M is one of Albus, Raibert, HornRaibert: a method and its sums.
#pragma once

#include <array>
#include <stdexcept>
#include <type_traits>

#include "formulation/counting.hpp"
#include "formulation/evaluator.hpp"
#include "formulation/torque_table.hpp"
#include "text/message.hpp"

namespace ulna::internal {

inline double number(double x) { return x; }
inline double number(float x) { return static_cast<double>(x); }
inline double number(const Counted& x) { return x.value(); }
template <class T>
T looked_up(double x) {
  if constexpr (std::is_same_v<T, Counted>)
    return Counted::variable(x);  // a number of the table, never a part of the structure
  else
    return static_cast<T>(x);
}

/// The table is in double precision for every T, and filled at the first call.
template <class M, class T>
class TableEvaluator final : public Evaluator<T> {
 public:
  explicit TableEvaluator(const Prepared& prepared)
      : chain_(*prepared.forms().dh), table_(M::method(), table_grid(M::method(), prepared)), accepts_(prepared.accept_interpolation) {}

  std::string why_not_here(const T* q, const T* v, const T* a) override {
    const State s(q, v, a, table_.joints());
    try {
      if (at_node(s) || accepts_) return {};  // first: it throws outside of the table in either case
    } catch (const std::out_of_range& outside) {
      return outside.what();
    }
    std::string node;
    for (const double x : nearest_node(table_.grid(), s.all.data())) node += cat(node.empty() ? "" : ",", x);
    return cat("it is table-based and exact at grid nodes only, and this state lies between them; the nearest node is ", node,
               table_.method().groups() > 1 ? cat(" (", table_.method().over, ")") : "");
  }

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads) override {
    refuse(loads);
    const State s(q, v, a, table_.joints());
    if (!accepts_ && !at_node(s)) throw std::domain_error(cat("formulation ", M::method().id, ": ", why_not_here(q, v, a)));
    if (!table_.filled()) table_.fill(chain_);
    entries_.clear();
    for (const double x : table_.at(s.q(), s.v(), s.a(), Reading::interpolated, rounding())) entries_.push_back(looked_up<T>(x));
    M::sums(table_.joints(), entries_.data(), v, a, tau);
  }

  void visit(const PaperVisitor<T>& shown) const override {
    if constexpr (std::is_same_v<T, double>) M::visit(table_.joints(), entries_.data(), PaperQuantities<T>(shown));
  }

  void to_node(T* q, T* v, T* a) override {
    const std::size_t n = table_.joints();
    const std::vector<double> node = nearest_node(table_.grid(), State(q, v, a, n).all.data());
    T* const groups[] = {q, v, a};
    for (std::size_t i = 0; i < node.size(); ++i) groups[i / n][i % n] = looked_up<T>(node[i]);
  }

  void error_bound(const T* q, const T* v, const T* a, double* bound) override {
    if (!table_.filled()) table_.fill(chain_);
    const State s(q, v, a, table_.joints());
    table_.error_bound(s.q(), s.v(), s.a(), bound, rounding());
  }

 private:
  struct State {
    State(const T* q, const T* v, const T* a, std::size_t joints) : n(joints) {
      for (const T* group : {q, v, a})
        for (std::size_t i = 0; i < n; ++i) all.push_back(number(group[i]));
    }
    const double* q() const { return all.data(); }
    const double* v() const { return all.data() + n; }
    const double* a() const { return all.data() + 2 * n; }
    std::size_t n;
    std::vector<double> all;
  };
  static constexpr double rounding() { return std::is_same_v<T, float> ? 0x1p-23 : 0x1p-52; }
  bool at_node(const State& s) const { return table_.at_node(s.q(), s.v(), s.a(), rounding()); }

  DhChain<double> chain_;
  TorqueTable table_;
  bool accepts_;
  std::vector<T> entries_;
};

/// At the node where a state is: what the table would hold there, and the sums behind the look-up.
template <class M, class T>
class AtNode final : public Evaluator<T> {
 public:
  explicit AtNode(const DhChain<T>& chain) : source_(chain), rest_(chain.size(), T(0)), numbers_(M::method().entries(chain.size())) {}

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>&) override {
    std::size_t first = 0;
    fill<0>(q, v, a, first);
    if (M::method().parts.size() > 1) fill<1>(q, v, a, first);
    M::sums(source_.joints, numbers_.data(), v, a, tau);
  }

 private:
  template <std::size_t part>
  void fill(const T* q, const T* v, const T* a, std::size_t& first) {
    const TablePart& row = M::method().parts[part];
    M::template node<part>(source_, q, row.groups > 1 ? v : rest_.data(), row.groups > 2 ? a : rest_.data(), numbers_.data() + first);
    first += row.entries(source_.joints);
  }

  TableSourceOf<T> source_;
  std::vector<T> rest_, numbers_;
};

/// What the table costs, and what its interpolation errs.
std::string table_note(const TableMethod& method, const Prepared& prepared, std::uint64_t seed);

/// All but title, citation, growth, and why it takes no loads.
template <class M>
Formulation table_row() {
  Formulation row{};
  row.id = M::method().id;
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, prismatic";
  row.topologies = "serial chains whose table fits";
  row.memory = std::array{"O(k^n)", "O(k^2n)", "O(k^3n)"}[M::method().groups() - 1];
  row.frames = Frames::dh;
  row.valid_at = ValidAt::table_nodes;
  row.why_not = [](const Prepared& prepared) { return why_no_table(M::method(), prepared); };
  row.note = [](const Prepared& prepared, std::uint64_t seed) { return table_note(M::method(), prepared, seed); };
  // The look-up is not counted, so no table is filled for it.
  row.count = [](Quantity, const Prepared& prepared) -> AsWritten {
    CountedState s(prepared.size());
    const std::size_t n = s.q.size();
    const std::vector<Counted> numbers = counted_state(M::method().entries(n), 0.3, 0.01);
    return {operations_of([&] { M::sums(n, numbers.data(), s.v.data(), s.a.data(), s.out.data()); }), {}};
  };
  // Not for expressions: finding the cell compares numbers.
  row.make_double = [](const Prepared& robot) -> std::unique_ptr<Evaluator<double>> { return std::make_unique<TableEvaluator<M, double>>(robot); };
  row.make_float = [](const Prepared& robot) -> std::unique_ptr<Evaluator<float>> { return std::make_unique<TableEvaluator<M, float>>(robot); };
  row.make_counted = [](const Prepared& robot) -> std::unique_ptr<Evaluator<Counted>> { return std::make_unique<TableEvaluator<M, Counted>>(robot); };
  row.make_exact = [](const ExactForm& form) -> std::unique_ptr<Evaluator<Exact>> {
    return std::make_unique<AtNode<M, Exact>>(std::get<DhChain<Exact>>(form.of));
  };
  return row;
}

}  // namespace ulna::internal
