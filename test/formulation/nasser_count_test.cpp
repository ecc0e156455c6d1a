// Nasser's printed 258N - 119 multiplications and 191N - 83 additions (sec. 3.3), for which he gives no scheme: every convention that his text allows is
// counted.
//
//   frames       twists general, of right angles, or zero; offsets a and d there or not (A.1.1, A.1.3)
//   links        full inertia tensors or principal ones; mass centres anywhere or on x
//   base         at rest, or moving (2.1.20 takes its motion as given)
//   counting     line by line, zeros of the structure aside; with equal expressions shared; reduced to the minimum
//   divisions    as multiplications, or apart
//   N            moving links, or these and the base
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "expr/minimise.hpp"
#include "formulation/counting.hpp"
#include "formulation/nasser.hpp"

namespace ulna::test {
namespace {

struct Convention {
  int twist = 0;  // general, right angles, zero
  bool a = true, d = true, full = true, anywhere = true, moving = false;
  int sharing = 0;  // as written, equal expressions shared, reduced

  std::string text() const {
    return std::string(twist == 0   ? "general"
                       : twist == 1 ? "right-angled"
                                    : "parallel") +
           (a ? ", a" : "") + (d ? ", d" : "") + (full ? ", full tensors" : "") + (anywhere ? ", centres anywhere" : "") + (moving ? ", moving base" : "") +
           (sharing == 0   ? ", as written"
            : sharing == 1 ? ", shared"
                           : ", reduced");
  }
};

/// Numbers, or symbols of the robot, by `make`.
template <class P, class Make>
BodyTree<P> chain(const Convention& how, std::size_t n, const Make& make) {
  const P o(0.0), one(1.0);
  BodyTree<P> tree;
  for (std::size_t i = 0; i < n; ++i) {
    TreeBody<P> body;
    body.parent = i == 0 ? kNone : i - 1;
    const P c = how.twist == 0 ? make() : how.twist == 1 ? o : one, s = how.twist == 0 ? make() : how.twist == 1 ? one : o;
    const bool first = i == 0;  // on the base frame
    body.R_PB = first ? Mat3<P>{one, o, o, o, one, o, o, o, one} : Mat3<P>{one, o, o, o, c, -s, o, s, c};
    const P a = how.a && !first ? make() : o, d = how.d && !first ? make() : o;
    body.p_PB = {a, -(s * d), c * d};
    body.mass = make();
    body.com = {make(), how.anywhere ? make() : o, how.anywhere ? make() : o};
    body.inertia = {make(), make(), make(), how.full ? make() : o, how.full ? make() : o, how.full ? make() : o};
    tree.bodies.push_back(body);
  }
  tree.gravity = {o, o, make()};
  return tree;
}

OperationCounts cost(const Convention& how, std::size_t n) {
  if (how.sharing == 0) {
    double next = 0.3;
    Nasser<double, Counted> nasser(chain<double>(how, n, [&] { return next += 0.137; }));
    CountedState s(n);
    Loads<Counted> loads;
    const auto vector = [] { return Vec3<Counted>{Counted::variable(0.3), Counted::variable(0.4), Counted::variable(0.5)}; };
    if (how.moving) loads.base = {vector(), vector(), vector()};
    return operations_of([&] { nasser.acceleration(s.q.data(), s.v.data(), s.tau.data(), s.out.data(), loads); });
  }
  Graph graph;
  std::vector<Expr> numbers = graph.parameters("p", 16 * n + 1);
  std::size_t next = 0;
  Nasser<Expr, Expr> nasser(chain<Expr>(how, n, [&] { return numbers[next++]; }));
  const std::vector<Expr> q = graph.inputs("q", n), v = graph.inputs("v", n), tau = graph.inputs("tau", n), b = graph.inputs("base", 9);
  std::vector<Expr> a(n);
  Loads<Expr> loads;
  if (how.moving) loads.base = {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}, {b[6], b[7], b[8]}};
  nasser.acceleration(q.data(), v.data(), tau.data(), a.data(), loads);
  if (how.sharing == 1) return count(graph, a);
  const Minimised reduced = minimised(graph, a);
  return count(*reduced.graph, reduced.results);
}

/// Slope and constant of what is linear from three joints on.
struct Line {
  long slope = 0, constant = 0;
  long at(long n) const { return slope * n + constant; }
};

TEST(NasserCount, NoConventionGivesThePrintedOne) {
  constexpr Line kMul{258, -119}, kAdd{191, -83};
  long nearest = 1 << 20;
  std::string which;
  int linear = 0;
  for (int twist = 0; twist < 3; ++twist)
    for (int bits = 0; bits < 32; ++bits)
      for (int sharing = 0; sharing < 3; ++sharing) {
        Convention how{twist, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0, sharing};
        OperationCounts at[3];
        for (std::size_t n = 3; n < 6; ++n) at[n - 3] = cost(how, n);
        for (const bool with_divisions : {true, false}) {
          const auto mul = [&](int k) { return at[k].mul + (with_divisions ? at[k].div : 0); };
          if (mul(2) - mul(1) != mul(1) - mul(0) || at[2].add - at[1].add != at[1].add - at[0].add) continue;
          ++linear;
          const Line our_mul{mul(1) - mul(0), mul(0) - 3 * (mul(1) - mul(0))}, our_add{at[1].add - at[0].add, at[0].add - 3 * (at[1].add - at[0].add)};
          for (const long base : {0, 1}) {  // N = n + base
            const Line mul_N{our_mul.slope, our_mul.constant - base * our_mul.slope}, add_N{our_add.slope, our_add.constant - base * our_add.slope};
            EXPECT_FALSE(mul_N.slope == kMul.slope && mul_N.constant == kMul.constant && add_N.slope == kAdd.slope && add_N.constant == kAdd.constant)
                << how.text();
            // What is left out at both ends (the last link's step, a base at rest) is more additions than the printed 83, unless all axes are parallel.
            if (how.twist != 2) {
              EXPECT_LE(add_N.constant, -92) << how.text();
            }
            const long off = std::labs(mul_N.slope - kMul.slope) + std::labs(mul_N.constant - kMul.constant) + std::labs(add_N.slope - kAdd.slope) +
                             std::labs(add_N.constant - kAdd.constant);
            if (off < nearest)
              nearest = off, which = how.text() + (base == 1 ? ", N with the base" : "") + (with_divisions ? "" : ", divisions apart") + ": " +
                                     std::to_string(mul_N.slope) + "N " + std::to_string(mul_N.constant) + ", " + std::to_string(add_N.slope) + "N " +
                                     std::to_string(add_N.constant);
          }
        }
      }
  RecordProperty("nearest", which);
  EXPECT_GT(linear, 100);
  EXPECT_GT(nearest, 0);
}

}  // namespace
}  // namespace ulna::test
