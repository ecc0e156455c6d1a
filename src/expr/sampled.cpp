#include "expr/sampled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace ulna::internal {

namespace {
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kMargin = 8;  // of bounds of first order
}  // namespace

void Sampled::extend() {
  const std::vector<Node>& nodes = graph_.nodes();
  for (std::size_t k = values_.size(); k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    Values here;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const auto of = [&](std::uint32_t operand) { return values_[operand][place]; };
      double value = 0, error = 0;
      switch (node.operation) {
        case Operation::constant: value = graph_.constants()[node.a]; break;
        case Operation::input:
        case Operation::parameter: {  // any numbers serve, if they are the same in every call
          std::mt19937_64 random(0x9e3779b97f4a7c15u * (k + 1) + place);
          value = std::uniform_real_distribution<double>(0.3, 1.3)(random) * (random() % 2 == 0 && node.operation == Operation::input ? -1 : 1);
          break;
        }
        case Operation::sine:
        case Operation::cosine: {
          const Bounded a = of(node.a);
          value = node.operation == Operation::sine ? std::sin(a.value) : std::cos(a.value);
          error = a.error;
          break;
        }
        default: {
          const Bounded a = of(node.a), b = of(node.b);
          const double x = std::fabs(a.value), y = std::fabs(b.value);
          switch (node.operation) {
            case Operation::add: value = a.value + b.value, error = a.error + b.error; break;
            case Operation::subtract: value = a.value - b.value, error = a.error + b.error; break;
            case Operation::multiply: value = a.value * b.value, error = x * b.error + y * a.error; break;
            default: value = a.value / b.value, error = a.error / y + std::fabs(value) * b.error / y;
          }
        }
      }
      here[place] = {value, error + kEpsilon * std::fabs(value)};
    }
    values_.push_back(here);
    if (std::isfinite(here[0].value)) by_size_.emplace(std::fabs(here[0].value), static_cast<std::uint32_t>(k));
  }
}

double Sampled::value(const Expr& x, std::size_t place) {
  if (x.is_number()) return x.number();
  extend();
  const double value = values_[x.node()][place].value;
  return x.negative() ? -value : value;
}

Expr Sampled::simplest(const Expr& x) {
  if (x.is_number()) return x;
  extend();
  const Values& own = values_[x.node()];
  const auto all = [&](const auto& agree) {
    for (std::size_t place = 0; place < kPlaces; ++place)
      if (!agree(own[place], place)) return false;
    return true;
  };
  for (const double number : {0.0, 1.0, -1.0})
    if (all([&](const Bounded& b, std::size_t) { return std::fabs(b.value - number) <= kMargin * b.error; }))
      return Expr(x.negative() && number != 0 ? -number : number);
  const double size = std::fabs(own[0].value), reach = 2 * kMargin * own[0].error;
  std::uint32_t earliest = x.node();
  double sign = 1;
  for (auto other = by_size_.lower_bound(size - reach); other != by_size_.end() && other->first <= size + reach; ++other) {
    if (other->second >= earliest) continue;
    const Values& theirs = values_[other->second];
    for (const double s : {1.0, -1.0})
      if (all([&](const Bounded& b, std::size_t place) { return std::fabs(b.value - s * theirs[place].value) <= kMargin * (b.error + theirs[place].error); }))
        earliest = other->second, sign = s;
  }
  if (earliest == x.node()) return x;
  return Expr(*x.graph(), earliest, x.negative() != (sign < 0));
}

}  // namespace ulna::internal
