// `Derivative` of every quantity by every input, by masses and by a load, against differences of the reference in extended precision.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/robot/derivative.hpp>
#include <ulna/verify/verify.hpp>

#include "features/expected.hpp"
#include "features/meet.hpp"
#include "support/arm.hpp"
#include "text/message.hpp"
#include "verify/bounds.hpp"

namespace ulna::test {
namespace {

using Vector = Truth::Vector;

struct Weighted {
  int k;
  Real weight;
};
constexpr Weighted kEighth[] = {{1, 672}, {2, -168}, {3, 32}, {4, -3}};  // over 840 h

/// d f / dt at 0, of eighth order.
template <class F>
Vector difference(F f, Real h) {
  Vector out;
  for (const auto& [k, weight] : kEighth)
    for (const int sign : {1, -1}) {
      const Vector there = f(sign * k * h);
      out.resize(there.size(), 0);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += sign * weight * there[i] / (840 * h);
    }
  return out;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double y : x) most = std::max(most, y);
  return most;
}

std::string differs(const Drawn& drawn, const Expected& expected, Quantity quantity, const std::string& by) {
  const QuantityRow& row = row_of(quantity);
  Truth truth = expected.truth();
  const std::size_t nv = truth.nv();
  DerivativeOptions options;
  options.of = quantity;
  options.by = by;
  options.effects = drawn.effects();
  options.snap = drawn.snap;
  if (row.of_link) options.link = drawn.link;
  if (by == "payload") options.link = *drawn.loaded().find_link(drawn.description.links.back().name);
  Derivative derivative(drawn.loaded(), options);
  const Vector q = truth.near(), v = wide(expected.v()), last = wide(row.takes("tau") ? expected.tau() : expected.a());
  truth.hold_signs(v);
  InputsOf<double> in;
  in.q = expected.q().data();
  in.v = expected.v().data();
  in.last = row.takes("tau") ? expected.tau().data() : expected.a().data();
  if (row.of_link) in.link = drawn.link;
  std::vector<double> got(derivative.size());
  const double load[] = {0.75, 0.125, -0.0625, 0.25};
  derivative(in, {.payload = by == "payload" ? std::span<const double>(load) : std::span<const double>()}, got);

  const std::size_t rows = derivative.rows(), columns = derivative.columns();
  std::vector<Vector> wanted;
  if (by == "q" || by == "v" || by == "a" || by == "tau") {
    for (std::size_t j = 0; j < nv; ++j) {
      Vector unit(nv, 0), rest(nv, 0);
      unit[j] = 1;
      wanted.push_back(difference(
          [&](Real t) {
            Vector v_there = v, last_there = last;
            if (by == "v") v_there[j] += t;
            if (by == "a" || by == "tau") last_there[j] += t;
            return truth.value(quantity, by == "q" ? truth.reference().along(q, unit, rest, t) : q, v_there, last_there);
          },
          quantity == Quantity::coriolis ? 0x1p-6L : 0x1p-10L));  // C of a free base is a difference itself
    }
  } else {  // the robot changes: by masses of merged bodies, or a point on a link
    Description plain = drawn.apart();
    const Model merged = internal::snapped_model(build(plain), drawn.snap);
    const auto of = [&](const Description& d) { return Truth(drawn, d, expected.q()).value(quantity, q, v, last); };
    if (by == "payload") {
      const auto loaded = [&](double m, double x, double y, double z) {
        Description d = plain;
        Link link;
        link.name = "the point";
        link.mass = m, link.com = {x, y, z};
        d.links.push_back(link);
        Description::JointEntry entry;
        entry.joint.name = "to the point";
        entry.parent = drawn.description.links.back().name, entry.child = link.name;
        d.joints.push_back(entry);
        return of(d);
      };
      // Steps are powers of two, so that a load with a step is a double that was not rounded.
      const double m = load[0], x = load[1], y = load[2], z = load[3];
      constexpr Real h = 0x1p-10L;
      const auto plus = [](double number, Real t) { return number + static_cast<double>(t); };
      wanted.push_back(difference([&](Real t) { return loaded(plus(m, t), x, y, z); }, h));
      wanted.push_back(difference([&](Real t) { return loaded(m, plus(x, t), y, z); }, h));
      wanted.push_back(difference([&](Real t) { return loaded(m, x, plus(y, t), z); }, h));
      wanted.push_back(difference([&](Real t) { return loaded(m, x, y, plus(z, t)); }, h));
    }
  }
  if (wanted.size() != columns) return cat(row.id, " by ", by, ": ", columns, " columns for ", wanted.size());

  // A derivative is made of the terms of the quantity, each with a factor of a rate, a lever or an axis more, some of them twice; where M is divided by, its
  // condition comes in.
  const Expected::Number& value = expected.of(quantity);
  double factor = 4 * (1 + std::abs(load[0]));
  if (row.takes("tau") || quantity == Quantity::mass_inverse) {
    const std::vector<double>& M = expected.of(Quantity::mass).bound;
    const std::vector<Real>& inverse = expected.of(Quantity::mass_inverse).value;
    double condition = 0;
    for (const double x : M) condition = std::max(condition, x);
    double most = 0;
    for (const Real x : inverse) most = std::max(most, static_cast<double>(std::abs(x)));
    factor *= 1 + static_cast<double>(nv) * condition * most;
  }
  const double rounding = verify_tolerance(std::max(nv, drawn.description.joints.size()));
  double scale = largest(value.bound);
  if (by == "v") {  // a term that vanishes with a rate has a derivative that does not: its size is that at rates of 1
    State moving{expected.q(), expected.v(), expected.a()};
    for (double& rate : moving.v) rate = std::copysign(std::abs(rate) + 1, rate);
    scale = std::max(scale, largest(Expected(drawn, moving).of(quantity).bound));
  }
  for (std::size_t j = 0; j < columns; ++j) {
    double largest_entry = 0;
    for (const Real x : wanted[j]) largest_entry = std::max(largest_entry, static_cast<double>(std::abs(x)));
    for (std::size_t i = 0; i < rows; ++i) {
      const double allowed = rounding * factor * (scale + largest_entry);
      const double off = std::abs(static_cast<double>(static_cast<Real>(got[i + j * rows]) - wanted[j][i]));
      if (!(off <= allowed))
        return cat("d ", row.id, " / d ", by, ": row ", i, ", column ", j, " is ", got[i + j * rows], " for ", static_cast<double>(wanted[j][i]), ": off by ",
                   off, ", allowed ", allowed);
    }
  }
  return {};
}

TEST(Features, MeetInDerivative) {
  EXPECT_EQ(compare({.path = Path::derivative,
                     .drawing = {.most = 3},
                     .robots = so_many<std::size_t>(1, 100),
                     .refuses = [](const Features& f) { return std::string(has(f, Feature::loop) ? "not of robots with loops" : ""); },
                     .check =
                         [](const Drawn& drawn, Counts& counts) {
                           const Expected expected(drawn, drawn.states[0]);
                           Random random(drawn.seed);
                           for (const QuantityRow& row : quantities()) {
                             std::vector<std::string> by(row.inputs.begin(), row.inputs.end());
                             if (!row.of_link && row.quantity != Quantity::regressor) by.push_back("payload");
                             if (!row.parts.empty() || row.quantity == Quantity::regressor) by = {by[random.below(by.size())]};  // large ones by one thing each
                             for (const std::string& one : by)
                               if (std::string fault = differs(drawn, expected, row.quantity, one); !fault.empty()) return fault;
                             counts.add(Path::derivative, row.quantity, drawn.features);
                           }
                           return std::string();
                         }}),
            "");
}

}  // namespace
}  // namespace ulna::test
