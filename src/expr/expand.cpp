#include "expr/expand.hpp"

namespace ulna::internal {

void Expansion::add_to(Polynomial& sum, const Powers& powers, double coefficient) const {
  const auto [place, is_new] = sum.try_emplace(powers, coefficient);
  if (is_new) return;
  place->second += coefficient;
  if (std::fabs(place->second) <= limits_.zero) sum.erase(place);
}

Expansion::Expansion(const Graph& graph, std::size_t angles, const std::vector<std::pair<std::size_t, std::size_t>>& circles, const ExpansionLimits& limits)
    : graph_(graph),
      limits_(limits),
      first_input_(graph.parameter_count()),
      first_angle_(first_input_ + graph.input_count()),
      size_(first_angle_ + 2 * angles),
      angles_(angles),
      circles_(circles) {
  for (std::size_t k = first_angle_; k < size_; k += 2) circles_.emplace_back(k, k + 1);
}

std::optional<Polynomial> Expansion::operator()(const Expr& x) {
  if (x.is_number()) return x.is(0) ? Polynomial{} : Polynomial{{Powers(size_), x.number()}};
  if (!expand(x.node())) return {};
  Polynomial own = known_.at(x.node());
  if (x.negative())
    for (auto& [powers, coefficient] : own) coefficient = -coefficient;
  return own;
}

bool Expansion::expand(std::uint32_t node) {
  if (known_.contains(node)) return true;
  if (failed_) return false;
  std::optional<Polynomial> made = make(node);
  if (!made || made->size() > limits_.terms) {
    failed_ = true;
    return false;
  }
  remembered_ += made->size();
  known_.emplace(node, std::move(*made));
  return true;
}

Polynomial Expansion::atom(std::size_t index) const {
  Powers powers(size_);
  powers[index] = 1;
  return {{powers, 1.0}};
}

std::optional<Polynomial> Expansion::make(std::uint32_t index) {
  const Node node = graph_.nodes()[index];
  const std::size_t number = node.a;
  switch (node.operation) {
    case Operation::constant: return Polynomial{{Powers(size_), graph_.constants()[number]}};
    case Operation::parameter: return atom(number);
    case Operation::input: return atom(first_input_ + number);
    case Operation::sine:
    case Operation::cosine: {
      const Node angle = graph_.nodes()[number];
      if (angle.operation != Operation::input || angle.a >= angles_) return {};
      return atom(first_angle_ + 2 * angle.a + (node.operation == Operation::sine ? 1 : 0));
    }
    case Operation::divide: return {};
    default: break;
  }
  if (!expand(node.a) || !expand(node.b)) return {};
  const Polynomial &a = known_.at(node.a), &b = known_.at(node.b);
  if (node.operation == Operation::multiply) return product(a, b);
  work_ += (a.size() + b.size()) * size_;
  if (work_ > limits_.work) return {};
  Polynomial sum = a;
  for (const auto& [powers, coefficient] : b) add_to(sum, powers, node.operation == Operation::add ? coefficient : -coefficient);
  return sum;
}

std::optional<Polynomial> Expansion::product(const Polynomial& a, const Polynomial& b) {
  work_ += a.size() * b.size() * size_;
  if (work_ > limits_.work) return {};
  Polynomial out;
  for (const auto& [p, x] : a)
    for (const auto& [r, y] : b) {
      Powers powers = p;
      for (std::size_t k = 0; k < size_; ++k) powers[k] = static_cast<std::int8_t>(powers[k] + r[k]);
      add_reduced(out, powers, x * y, 0);
    }
  return out;
}

void Expansion::add_reduced(Polynomial& sum, Powers& powers, double coefficient, std::size_t k) const {
  for (; k < circles_.size(); ++k) {
    const auto [cosine, sine] = circles_[k];
    if (powers[sine] < 2) continue;
    Powers less = powers;
    less[sine] = static_cast<std::int8_t>(less[sine] - 2);
    Powers more = less;
    more[cosine] = static_cast<std::int8_t>(more[cosine] + 2);
    add_reduced(sum, less, coefficient, k);
    add_reduced(sum, more, -coefficient, k);
    return;
  }
  add_to(sum, powers, coefficient);
}

}  // namespace ulna::internal
