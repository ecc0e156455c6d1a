// Leaving out terms: hand-made programs whose effects are known in closed form.
#include <ulna/expr/program.hpp>

#include <cmath>
#include <stdexcept>

using namespace ulna;

namespace {

Program one_output(const Graph& graph, const Expr& out, Fuse fuse = Fuse::no) {
  const std::vector<Expr> values{out};
  const OutputOf output{"y", values};
  return make_program(graph, std::span(&output, 1), fuse);
}

/// All corners of the cube [-1, 1]^n, again and again.
StateSource corners() {
  return [k = 0u](std::span<double> x) mutable {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (k >> i & 1u) != 0 ? 1 : -1;
    ++k;
  };
}

StateSource always(std::vector<double> state) {
  return [state = std::move(state)](std::span<double> x) { std::copy(state.begin(), state.end(), x.begin()); };
}

TEST(Drop, FindsTheOneTermThatDoesNotMatter) {
  for (const Fuse fuse : {Fuse::no, Fuse::yes}) {
    Graph graph;
    const std::vector<Expr> x = graph.inputs("x", 2);
    const Program program = one_output(graph, 10.0 * x[0] + 0.001 * x[1], fuse);
    ASSERT_EQ(program.fused(), fuse == Fuse::yes ? 1 : 0);
    const Dropped dropped = drop_insignificant(program, corners(), {.share = 0.001, .samples = 8});
    ASSERT_EQ(dropped.terms.size(), 1u);
    EXPECT_DOUBLE_EQ(dropped.largest[0], 10.001);
    EXPECT_DOUBLE_EQ(dropped.terms[0].worst, 0.001 / 10.001);
    EXPECT_DOUBLE_EQ(dropped.expected[0], 0.001 / 10.001);
    EXPECT_NEAR(dropped.changed[0], 0.001 / 10.001, 1e-15);
    EXPECT_EQ(dropped.program.counts(), (OperationCounts{.mul = 1}));
    EXPECT_EQ(program.counts(), (OperationCounts{.mul = 2, .add = 1}));
    EXPECT_EQ(formula(program, dropped.terms[0]), "0.001 * x[1]");
    EXPECT_EQ(dropped.terms[0].last_input, 1);
    EXPECT_EQ(dropped.terms[0].output, 0);
    EXPECT_EQ(dropped.terms[0].last_output, 0);
  }
}

TEST(Drop, LeavesATermThatMattersMore) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const Program program = one_output(graph, 10.0 * x[0] + 0.001 * x[1]);
  for (const double share : {0.0, 0.99 * 0.001 / 10.001}) {
    const Dropped dropped = drop_insignificant(program, corners(), {.share = share, .samples = 8});
    EXPECT_TRUE(dropped.terms.empty());
    EXPECT_EQ(dropped.program, program);
    EXPECT_EQ(dropped.changed[0], 0);
    EXPECT_EQ(dropped.expected[0], 0);
  }
}

// Ten terms of about 0.2 each beside 100: largest 102.055, so that 1 % of it holds the five smallest, 0.2011 to 0.2051, and no sixth.
TEST(Drop, EffectsAddUp) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 11);
  Expr sum = 100.0 * x[0];
  double largest = 100;
  for (int k = 1; k <= 10; ++k) {
    const double weight = 0.2 + 0.001 * k + 0.0001;
    sum = sum + weight * x[k];
    largest += weight;
  }
  const Program program = one_output(graph, sum);
  const Dropped dropped = drop_insignificant(program, corners(), {.share = 0.01, .samples = 2048});
  EXPECT_NEAR(dropped.largest[0], largest, 1e-12);
  ASSERT_EQ(dropped.terms.size(), 5u);
  EXPECT_NEAR(dropped.expected[0], (5 * 0.2001 + 0.015) / largest, 1e-15);
  EXPECT_NEAR(dropped.changed[0], dropped.expected[0], 1e-14);  // all at their worst in one corner
  EXPECT_EQ(dropped.program.counts().mul, program.counts().mul - 5);
  EXPECT_EQ(dropped.program.counts().add, program.counts().add - 5);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(dropped.terms[k].last_input, k + 1);
}

// Two terms of 0.6 beside 100 that are never there at once: no state changes by more than 0.6 %, but what may be relied on is the sum, 1.2 %.
TEST(Drop, EffectsAddUpEvenWhenTheyDoNotMeet) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 3);
  const Program program = one_output(graph, 100.0 * x[0] + 0.6 * x[1] + 0.6 * x[2]);
  const auto in_turn = [k = 0u](std::span<double> state) mutable {
    const bool odd = k++ % 2 != 0;
    state[0] = 1;
    state[1] = odd ? 1 : 0;
    state[2] = odd ? 0 : 1;
  };
  EXPECT_EQ(drop_insignificant(program, in_turn, {.share = 0.01, .samples = 4}).terms.size(), 1u);
  EXPECT_EQ(drop_insignificant(program, in_turn, {.share = 0.012, .samples = 4}).terms.size(), 2u);
}

// A term may be dropped only if no output needs it: here x1 does not matter for y0, but is all of y1.
TEST(Drop, EveryOutputHasItsOwnShare) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 3);
  const Expr shared = x[1] + 0.001 * x[2];
  const std::vector<Expr> values{100.0 * x[0] + 0.01 * shared, shared};
  const OutputOf output{"y", values};
  const Program program = make_program(graph, std::span(&output, 1));
  const Dropped dropped = drop_insignificant(program, corners(), {.share = 0.0005, .samples = 8});
  ASSERT_EQ(dropped.terms.size(), 1u);  // 0.01 * shared in y0; 0.001 x2 is 0.001 of y1
  EXPECT_EQ(formula(program, dropped.terms[0]), "0.01 * (x[1] + 0.001 * x[2])");
  EXPECT_NEAR(dropped.changed[0], 0.01 * 1.001 / (100 + 0.01 * 1.001), 1e-15);
  EXPECT_EQ(dropped.changed[1], 0);
  const Dropped more = drop_insignificant(program, corners(), {.share = 0.0011, .samples = 8});
  EXPECT_EQ(more.terms.size(), 2u);
  EXPECT_EQ(more.program.counts(), (OperationCounts{.mul = 1}));
}

// Both halves of a small term go first, then the term as a whole: it is listed once, and its share is not spent twice.
TEST(Drop, ATermInsideADroppedTermCostsNothing) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 4);
  const Program program = one_output(graph, 100.0 * x[0] + 0.1 * x[3] * (x[1] + x[2]));
  const double largest = 100.2;
  const Dropped dropped = drop_insignificant(program, corners(), {.share = 0.25 / largest, .samples = 16});
  ASSERT_EQ(dropped.terms.size(), 1u);
  EXPECT_DOUBLE_EQ(dropped.expected[0], 0.2 / largest);
  EXPECT_EQ(dropped.program.counts(), (OperationCounts{.mul = 1}));
}

// The first order: y = 100 z + f(s) with s = x + 0.001 w in one state; the effect of 0.001 w is |f'(s)| 0.001.
TEST(Drop, EffectsAreDerivatives) {
  const double x = 0.7, z = 1.3, w = 0.9, s = x + 0.001 * w;
  struct Case {
    const char* what;
    Expr (*f)(const Expr&);
    double value, derivative;
  };
  const Case cases[] = {
      {"sine", [](const Expr& e) { return sincos(e).sin; }, std::sin(s), std::cos(s)},
      {"cosine", [](const Expr& e) { return sincos(e).cos; }, std::cos(s), -std::sin(s)},
      {"reciprocal", [](const Expr& e) { return Expr(1) / e; }, 1 / s, -1 / (s * s)},
      {"square", [](const Expr& e) { return e * e; }, s * s, 2 * s},
      {"difference", [](const Expr& e) { return 3.0 - 2.5 * e; }, 3 - 2.5 * s, -2.5},
      {"quotient", [](const Expr& e) { return e / (e + 2.0); }, s / (s + 2), 2 / ((s + 2) * (s + 2))},
  };
  for (const Case& c : cases) {
    for (const Fuse fuse : {Fuse::no, Fuse::yes}) {
      SCOPED_TRACE(c.what);
      Graph graph;
      const std::vector<Expr> in = graph.inputs("x", 3);
      const Program program = one_output(graph, 100.0 * in[1] + c.f(in[0] + 0.001 * in[2]), fuse);
      const Dropped dropped = drop_insignificant(program, always({x, z, w}), {.share = 1e-4, .samples = 1});
      const double largest = 100 * z + c.value;
      EXPECT_NEAR(dropped.largest[0], largest, 1e-12);
      ASSERT_EQ(dropped.terms.size(), 1u);
      EXPECT_NEAR(dropped.terms[0].worst, std::abs(c.derivative) * 0.001 * w / largest, 1e-15);
    }
  }
}

// y = x0 + s (2 - s) at s = 1, where dy/ds = 0: to first order either half of s could go, in truth 1/4 and then all of the product would.
TEST(Drop, GivesBackWhatTheFirstOrderDoesNotSee) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 3);
  const Expr s = x[1] + x[2];
  const Program program = one_output(graph, x[0] + s * (2.0 - s));
  const Dropped dropped = drop_insignificant(program, always({1, 0.5, 0.5}), {.share = 0.01, .samples = 3});
  EXPECT_TRUE(dropped.terms.empty());
  EXPECT_EQ(dropped.program, program);
}

TEST(Drop, WhatIsPrecomputedIsLeftAlone) {
  Graph graph;
  const std::vector<Expr> p = graph.parameters("p", 2);
  const std::vector<Expr> x = graph.inputs("x", 1);
  const Program program = one_output(graph, (p[0] + p[1]) * x[0]);
  const std::vector<double> parameters{1, 1e-9};
  EXPECT_TRUE(drop_insignificant(program, corners(), {.samples = 2}, parameters).terms.empty());
  EXPECT_THROW(drop_insignificant(program, corners(), {.samples = 2}), std::invalid_argument);  // 2 parameters are missing
}

TEST(Drop, RefusesWhatMakesNoSense) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 2);
  const Program program = one_output(graph, x[0] + x[1]);
  for (const double share : {-0.01, 1.5, std::nan("")}) EXPECT_THROW(drop_insignificant(program, corners(), {.share = share}), std::invalid_argument) << share;
  EXPECT_THROW(drop_insignificant(program, corners(), {.samples = 0}), std::invalid_argument);
  const Program reciprocal = one_output(graph, Expr(1) / x[0] + x[1]);
  EXPECT_THROW(drop_insignificant(reciprocal, always({0, 1}), {.samples = 1}), std::invalid_argument);
}

TEST(Drop, FormulasAreReadable) {
  Graph graph;
  const std::vector<Expr> x = graph.inputs("x", 3);
  const Expr s = x[0] - (x[1] + 0.25 * x[2]);
  const Program program = one_output(graph, s * sincos(x[0] * x[1]).sin / (x[2] * s));
  const std::uint32_t result = program.results[0].value;
  EXPECT_EQ(formula(program, result, 200), "(x[0] - (x[1] + 0.25 * x[2])) * sin(x[0] * x[1]) / (x[2] * (x[0] - (x[1] + 0.25 * x[2])))");
  EXPECT_LE(formula(program, result, 30).size(), 30u);
  EXPECT_THROW(formula(program, program.value_count()), std::invalid_argument);
  EXPECT_THROW(formula(program, DroppedTerm{}), std::invalid_argument);
}

}  // namespace
