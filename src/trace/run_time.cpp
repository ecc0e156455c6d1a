#include "trace/run_time.hpp"

#include <algorithm>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// The lumped numbers of a plan, in a fixed order.
template <class P>
std::vector<P*> lumped_numbers(PlanOf<P>& plan) {
  std::vector<P*> all;
  const auto add = [&](PseudoInertia<P>& I) {
    for (P* x : {&I.m, &I.h.x, &I.h.y, &I.h.z, &I.S.xx, &I.S.yy, &I.S.zz, &I.S.xy, &I.S.xz, &I.S.yz}) all.push_back(x);
  };
  if (plan.free) add(plan.lumped_base);
  for (PlanBody<P>& body : plan.bodies) add(body.lumped);
  return all;
}
std::vector<double> values_of(Plan plan) {
  std::vector<double> values;
  for (const double* x : lumped_numbers(plan)) values.push_back(*x);
  return values;
}

/// (m, h, S) of a body with mass, mass centre and inertia about it.
std::vector<Expr> moments(const Expr& m, const std::vector<Expr>& c, const std::vector<Expr>& J) {
  const Expr half(0.5);
  std::vector<Expr> h{m * c[0], m * c[1], m * c[2]};
  return {m,
          h[0],
          h[1],
          h[2],
          half * (J[1] + J[2] - J[0]) + h[0] * c[0],
          half * (J[0] + J[2] - J[1]) + h[1] * c[1],
          half * (J[0] + J[1] - J[2]) + h[2] * c[2],
          h[0] * c[1] - J[3],
          h[0] * c[2] - J[4],
          h[1] * c[2] - J[5]};
}
std::vector<Expr> numbers(std::initializer_list<double> values) {
  std::vector<Expr> all;
  for (const double x : values) all.emplace_back(x);
  return all;
}
std::vector<Expr> moments(const Link& link) {
  const Sym3<double>& J = link.inertia;
  return moments(Expr(link.mass), numbers({link.com.x, link.com.y, link.com.z}), numbers({J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}));
}

}  // namespace

std::string RunTimeInput::name() const {
  if (kind == payload) return "payload";
  return cat(kind == mass ? "mass_" : "body_", link);
}

std::vector<RunTimeInput> run_time_inputs(const Model& model, const std::vector<std::string>& names, std::size_t link) {
  const std::vector<std::string> known{"payload", "masses", "all"};
  std::vector<RunTimeInput> inputs;
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw std::invalid_argument(cat(there_is_no("run-time parameter", name, known), "; there are payload, masses and all"));
  const auto requested = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  for (std::size_t k = 0; k < model.links().size(); ++k) {
    const bool moves = k > 0 || model.base() != RootJoint::fixed;  // a fixed root has no effect
    if (moves && model.links()[k].mass != 0 && requested("all"))
      inputs.push_back({RunTimeInput::body, k});
    else if (moves && model.links()[k].mass != 0 && requested("masses"))
      inputs.push_back({RunTimeInput::mass, k});
    if (k == link && requested("payload")) inputs.push_back({RunTimeInput::payload, k});
  }
  if (inputs.empty())
    throw std::invalid_argument(cat("no link of robot ", in_quotes(model.name()), " has a mass that moves: there are no parameters of the run time"));
  return inputs;
}

void RunTimeTable::add(const Plan& base, const std::vector<Plan>& changed) {
  const std::vector<double> before = values_of(base);
  std::vector<std::vector<double>> rates;
  for (const Plan& plan : changed) {
    std::vector<double> column = values_of(plan);
    double largest = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const double rounding = 64 * std::numeric_limits<double>::epsilon() * (std::fabs(column[i]) + std::fabs(before[i]));
      column[i] -= before[i];
      if (std::fabs(column[i]) <= rounding) column[i] = 0;
      largest = std::max(largest, std::fabs(column[i]));
    }
    for (double& x : column)
      if (std::fabs(x) <= 64 * std::numeric_limits<double>::epsilon() * largest) x = 0;
    rates.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    Row row{i, before[i], {}};
    for (const std::vector<double>& column : rates) row.rates.push_back(column[i]);
    if (std::any_of(row.rates.begin(), row.rates.end(), [](double x) { return x != 0; })) rows_.push_back(std::move(row));
  }
}

PlanOf<Expr> RunTimeTable::symbolic(const Plan& plan, const std::vector<Expr>& table) const {
  PlanOf<Expr> to = plan.cast<Expr>();
  const std::vector<Expr*> all = lumped_numbers(to);
  for (std::size_t k = 0; k < rows_.size(); ++k) *all[rows_[k].number] = table[k];
  for (PlanBody<Expr>& body : to.bodies) body.flat = body.lumped.S.zz.is(0);
  return to;
}

Program RunTimeTable::fold(const Model& model) const {
  Graph graph;
  std::vector<std::vector<Expr>> changes(links_.size(), std::vector<Expr>(10, Expr(0)));
  for (const RunTimeInput& input : inputs_) {
    const std::vector<Expr> x = graph.inputs(input.name(), input.size());
    const Link& link = model.links()[input.link];
    std::vector<Expr>& change = changes[static_cast<std::size_t>(std::find(links_.begin(), links_.end(), input.link) - links_.begin())];
    std::vector<Expr> more;
    if (input.kind == RunTimeInput::mass)
      more = moments(x[0] - Expr(link.mass), numbers({link.com.x, link.com.y, link.com.z}), numbers({0, 0, 0, 0, 0, 0}));
    else
      more = moments(x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]});
    const std::vector<Expr> own = input.kind == RunTimeInput::body ? moments(link) : std::vector<Expr>(10, Expr(0));
    for (std::size_t k = 0; k < 10; ++k) change[k] = change[k] + (more[k] - own[k]);
  }
  std::vector<Expr> table;
  for (const Row& row : rows_) {
    Expr sum(row.base);
    for (std::size_t k = 0; k < row.rates.size(); ++k) sum = sum + row.rates[k] * changes[k / 10][k % 10];
    table.push_back(sum);
  }
  const OutputOf output{"table", table};
  return make_program(graph, {&output, 1});
}

}  // namespace ulna::internal
