// Programs made ready to run: sines of sums keep their digits, and a bad input leaves no result a number.
#include "expr/ready.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace ulna::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> run(const Program& program, const std::vector<double>& inputs, const std::vector<double>& parameters = {}) {
  std::vector<double> out(program.results.size());
  Evaluation evaluation(program, parameters);
  evaluation(inputs, out);
  return out;
}
std::vector<std::uint64_t> bits(const std::vector<double>& x) {
  std::vector<std::uint64_t> to;
  for (const double number : x) to.push_back(std::bit_cast<std::uint64_t>(number));
  return to;
}
Program program_of(const Graph& graph, const std::vector<Expr>& results) {
  const OutputOf output{"out", results};
  return make_program(graph, {&output, 1});
}

/// Sine and cosine of q + c, q - c and c - q.
Program six_turns(Graph& graph, const Expr& q, const Expr& c) {
  const SinCos<Expr> sum = sincos(q + c), difference = sincos(q - c), opposite = sincos(c - q);
  return program_of(graph, {sum.sin, sum.cos, difference.sin, difference.cos, opposite.sin, opposite.cos});
}
std::vector<double> six_turns(long double q, long double c) {
  const auto d = [](long double x) { return static_cast<double>(x); };
  // By the addition theorems, in extended precision: q + c would be rounded there, too.
  const long double ss = sinl(q) * sinl(c), cc = cosl(q) * cosl(c), sc = sinl(q) * cosl(c), cs = cosl(q) * sinl(c);
  return {d(sc + cs), d(cc - ss), d(sc - cs), d(cc + ss), d(cs - sc), d(cc + ss)};
}

TEST(AngleSums, KeepTheDigitsOfAnglesFarFromZero) {
  for (const double c : {0.012, 0.66892253, 1.5707963267948966, 2.2142974, 3.1165978599708732, 4.51}) {
    for (const bool parameter : {false, true}) {
      Graph graph;
      const Expr q = graph.inputs("q", 1)[0], offset = parameter ? graph.parameters("c", 1)[0] : Expr(c);
      const Program program = six_turns(graph, q, offset), apart = with_angle_sums(program);
      const std::vector<double> parameters(parameter ? 1 : 0, c);
      EXPECT_EQ(apart.counts().mul, program.counts().mul);
      EXPECT_EQ(apart.counts().add, program.counts().add);
      EXPECT_GT(apart.angle_sums.mul, 0);
      EXPECT_EQ(apart.counts().sincos, 1);  // of q alone, where there were three
      double before = 0;
      for (const double angle : {0.0, -0.3, 2.9, -17.125, 1e4 + 0.1, -123456.789, 1e6, 1.6e6}) {
        const std::vector<double> expected = six_turns(angle, c), got = run(apart, {angle}, parameters), old = run(program, {angle}, parameters);
        for (std::size_t k = 0; k < expected.size(); ++k) {
          EXPECT_NEAR(got[k], expected[k], 5e-16) << angle << " " << c << " " << k;
          before = std::max(before, std::fabs(old[k] - expected[k]));
        }
      }
      EXPECT_GT(before, 1e-12);  // what the sum loses
    }
  }
}

TEST(AngleSums, LeaveProgramsWithoutThemAlone) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 2);
  // A sum of coordinates that no sine is taken of is no sum of angles.
  const Program program = program_of(graph, {sincos(q[0]).sin * sincos(q[1]).cos, q[0] + q[1]});
  EXPECT_EQ(with_angle_sums(program), program);
}

TEST(AngleSums, OfAnglesThatAreAddedUpKeepTheDigitsOfEach) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 3);
  const Expr two = q[0] + q[1];
  const SinCos<Expr> less = sincos(q[0] - q[1]), three = sincos(two + q[2]);
  const Program program = program_of(graph, {sincos(two).sin, sincos(two).cos, less.sin, less.cos, three.sin, three.cos, two});
  const Program apart = with_angle_sums(program);
  EXPECT_EQ(apart.counts().sincos, 3);  // of the coordinates alone
  EXPECT_EQ(program.counts().sincos, 3);
  double before = 0;
  for (const double far : {0.0, -17.125, 1e4 + 0.1, -123456.789, 1.6e6}) {
    const std::vector<double> angles{far + 0.3, 1.1 - far / 7, -0.8};
    // By the addition theorems, in extended precision.
    const long double sa = sinl(angles[0]), ca = cosl(angles[0]), sb = sinl(angles[1]), cb = cosl(angles[1]), sc = sinl(angles[2]), cc = cosl(angles[2]);
    const long double s2 = sa * cb + ca * sb, c2 = ca * cb - sa * sb;
    const long double expected[] = {s2, c2, sa * cb - ca * sb, ca * cb + sa * sb, s2 * cc + c2 * sc, c2 * cc - s2 * sc};
    const std::vector<double> got = run(apart, angles), old = run(program, angles);
    for (std::size_t k = 0; k < std::size(expected); ++k) {
      EXPECT_NEAR(got[k], static_cast<double>(expected[k]), 1e-15) << far << " " << k;
      before = std::max(before, std::fabs(old[k] - static_cast<double>(expected[k])));
    }
    EXPECT_EQ(got[6], angles[0] + angles[1]);
  }
  EXPECT_GT(before, 1e-12);  // what the sums lose
}

/// Three angles and a slide, two rates. The second angle enters nothing, the third and the slide only some results, the slide once below a fraction.
struct Mixed {
  Mixed() {
    q = graph.inputs("q", 4), v = graph.inputs("v", 2);
    const SinCos<Expr> a = sincos(q[0]), c = sincos(q[2] + 0.25);
    program =
        program_of(graph, {a.sin * v[0] + c.cos, Expr(2) / (Expr(3) + q[3] * q[3]) + a.cos * c.sin, -(v[1] * a.sin), Expr(0), Expr(-4), a.cos, q[3] * v[1]});
  }
  Graph graph;
  std::vector<Expr> q, v;
  Program program;
  const std::vector<double> rates{1, 1, 1, 0};
};

TEST(Guards, MakeEveryResultNanWhereAnInputIsBad) {
  const Mixed mixed;
  for (const Sine sine : {Sine::limited, Sine::exact}) {
    const Program program = ready(mixed.program, mixed.rates, sine, false);
    const std::vector<double> sound{0.3, -0.8, 1.1, 0.5, -0.2, 0.7};
    for (std::size_t k = 0; k < sound.size(); ++k) {
      std::vector<double> bad_ones{kNan, kInfinity, -kInfinity};
      if (k < 3) bad_ones.insert(bad_ones.end(), {1.648e6, -1.648e6, 1e300});
      for (const double bad : bad_ones) {
        std::vector<double> inputs = sound;
        inputs[k] = bad;
        for (const double x : run(program, inputs)) EXPECT_TRUE(std::isnan(x)) << "input " << k << " = " << bad;
      }
      std::vector<double> inputs = sound;
      inputs[k] = k < 3 ? -1.647e6 : 1e150;
      for (const double x : run(program, inputs)) EXPECT_TRUE(std::isfinite(x)) << "input " << k;
    }
  }
}

TEST(Guards, LeaveSoundResultsAsTheyAreToTheBit) {
  const Mixed mixed;
  const Program apart = with_angle_sums(mixed.program);
  Random random(3);
  for (const Sine sine : {Sine::limited, Sine::exact}) {
    const Program program = guarded(apart, mixed.rates, sine, false);
    EXPECT_EQ(program.counts(), apart.counts());
    EXPECT_EQ(mixed.program.counts().mul, program.counts().mul);
    EXPECT_EQ(mixed.program.counts().add, program.counts().add);
    EXPECT_GT(program.guards.mul, 0);
    for (int k = 0; k < 200; ++k) {
      std::vector<double> inputs(6);
      for (double& x : inputs) x = random.uniform(-4, 4);
      if (k < 8) inputs[4] = inputs[5] = k % 2 == 0 ? 0.0 : -0.0, inputs[0] = k % 4 < 2 ? 0.0 : -0.0;  // results that are 0 and -0
      EXPECT_EQ(bits(run(program, inputs)), bits(run(apart, inputs)));
    }
  }
}

// Of a tree every result carries its own branch alone; many inputs go in several chains.
TEST(Guards, OfManyInputs) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 70), v = graph.inputs("v", 70);
  std::vector<Expr> results;
  for (std::size_t k = 0; k < 70; ++k) results.push_back(sincos(q[k]).sin * v[k]);
  const Program program = guarded(program_of(graph, results), std::vector<double>(70, 1), Sine::limited, false);
  for (std::size_t bad = 0; bad < 140; ++bad) {
    std::vector<double> inputs(140, 1e250);  // whose products would overflow
    for (std::size_t k = 0; k < 70; ++k) inputs[k] = 0.01 * static_cast<double>(k);
    for (const double x : run(program, inputs)) EXPECT_TRUE(std::isfinite(x));
    inputs[bad] = kInfinity;
    for (const double x : run(program, inputs)) EXPECT_TRUE(std::isnan(x)) << bad;
  }
}

// One over infinity is 0, a number like any other.
TEST(Guards, SeeAnInfinityUnderAFraction) {
  Graph graph;
  const Expr q = graph.inputs("q", 1)[0];
  const Program program = guarded(program_of(graph, {Expr(2) / (Expr(3) + q * q)}), std::vector<double>{0}, Sine::limited, false);
  EXPECT_EQ(run(program, {1})[0], 0.5);
  for (const double bad : {kInfinity, -kInfinity, kNan}) EXPECT_TRUE(std::isnan(run(program, {bad})[0])) << bad;
}

// A coupled joint may be out of range before the one that leads it.
TEST(Guards, KnowHowFarCoupledJointsTurn) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 1), v = graph.inputs("v", 1);
  const Program program = program_of(graph, {sincos(q[0]).sin * v[0], q[0] * v[0]});
  for (const Sine sine : {Sine::limited, Sine::exact}) {
    const Program ready_one = ready(program, std::vector<double>{3}, sine, false);
    for (const double x : run(ready_one, {0.99 * kLargestAngle / 3, 1})) EXPECT_TRUE(std::isfinite(x));
    for (const double x : run(ready_one, {1.01 * kLargestAngle / 3, 1})) EXPECT_TRUE(std::isnan(x));
  }
}

}  // namespace
}  // namespace ulna::test
