// The register allocation by itself: its steps, done one after the other on an imagined processor, give what the program gives. The imagined processor knows
// nothing of how the steps were found, and notices a register or slot that is read before it was written.
#include "jit/machine.hpp"

#include <map>
#include <set>

#include "random_program.hpp"

namespace ulna::test {
namespace {

using jit::Allocation;
using jit::Place;
using jit::Registers;
using jit::Step;

class Processor {
 public:
  Processor(const Program& program, const std::vector<double>& inputs)
      : program_(program), inputs_(inputs), evaluation_(program), results_(program.results.size(), NAN) {}

  std::vector<double> run(const Allocation& allocation, int registers) {
    registers_ = registers;
    for (const Step& step : allocation.early_steps) execute(step);
    for (std::size_t k = 0; k < allocation.angles.size(); ++k) {
      const double angle = angle_of(allocation, allocation.angles[k]);
      turns_[static_cast<int>(2 * k)] = std::sin(angle);
      turns_[static_cast<int>(2 * k + 1)] = std::cos(angle);
    }
    values_.clear();  // nothing is carried over in registers
    for (const Step& step : allocation.steps) execute(step);
    return results_;
  }

 private:
  double angle_of(const Allocation& allocation, int value) {
    if (value < program_.input_count()) return inputs_[static_cast<std::size_t>(value)];
    for (std::size_t j = 0; j < allocation.early.size(); ++j)
      if (program_.first_instruction() + allocation.early[j] == value) return early_.at(static_cast<int>(j));
    ADD_FAILURE() << "angle " << value << " is neither an input nor an early result";
    return NAN;
  }

  double read(const Place& place) {
    switch (place.kind) {
      case Place::reg: EXPECT_LT(place.index, registers_); return values_.at(place.index);
      case Place::input: return inputs_.at(static_cast<std::size_t>(place.index));
      case Place::constant: return evaluation_.fixed()[static_cast<std::size_t>(place.index)];
      case Place::turn: return turns_.at(place.index);
      case Place::early: return early_.at(place.index);
      default: return slots_.at(place.index);
    }
  }
  double in(int r) { return read({Place::reg, r}); }
  void write(int r, double x) {
    EXPECT_LT(r, registers_);
    values_[r] = x;
  }

  void execute(const Step& step) {
    const auto fuse = [&](double a, double b, double c) {
      return step.op == Op::multiply_add ? std::fma(a, b, c) : step.op == Op::multiply_subtract ? std::fma(a, b, -c) : std::fma(-a, b, c);
    };
    switch (step.kind) {
      case Step::load: return write(step.d, read(step.b));
      case Step::store: (step.b.kind == Place::early ? early_ : slots_)[step.b.index] = in(step.a); return;
      case Step::copy: return write(step.d, in(step.a));
      case Step::result: results_.at(static_cast<std::size_t>(step.output)) = step.negative ? -in(step.a) : in(step.a); return;
      case Step::binary: {
        const double a = in(step.a), b = read(step.b);
        return write(step.d, step.op == Op::add ? a + b : step.op == Op::subtract ? a - b : step.op == Op::multiply ? a * b : a / b);
      }
      case Step::fuse231: return write(step.d, fuse(in(step.a), read(step.b), in(step.d)));
      case Step::fuse213: return write(step.d, fuse(in(step.a), in(step.d), read(step.b)));
      case Step::fuse132: return write(step.d, fuse(in(step.d), read(step.b), in(step.a)));
    }
  }

  const Program& program_;
  const std::vector<double>& inputs_;
  Evaluation evaluation_;
  std::vector<double> results_;
  std::map<int, double> values_, slots_, early_, turns_;
  int registers_ = 0;
};

TEST(Allocate, StepsGiveWhatTheProgramGives) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Program program = random_program(seed, {.instructions = random.integer(40, 300),
                                                  .inputs = random.integer(3, 20),
                                                  .constants = random.integer(1, 30),
                                                  .angles = random.integer(0, 5),
                                                  .fused = random.chance(0.7)});
    const std::vector<double> inputs = random.numbers(static_cast<std::size_t>(program.input_count()), 0.5, 2);
    const std::vector<double> expected = evaluated(program, inputs);
    for (const int registers : {4, 5, 7, 15, 31}) {
      SCOPED_TRACE(registers);
      const Registers processor{.count = registers, .input_operands = random.chance(0.5), .patience = random.integer(0, 40)};
      const std::vector<double> got = Processor(program, inputs).run(jit::allocate(program, processor), registers);
      for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_TRUE(same(got[k], expected[k])) << "result " << k << ": " << got[k] << " for " << expected[k];
    }
  }
}

TEST(Allocate, MoreRegistersMeanFewerSpills) {
  long few = 0, many = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Program program = random_program(seed, {.instructions = 300, .fused = true});
    few += static_cast<long>(jit::allocate(program, {.count = 6}).spills);
    many += static_cast<long>(jit::allocate(program, {.count = 24}).spills);
  }
  EXPECT_GT(few, 2 * many);
}

TEST(Allocate, InputsThatMayNotBeOperandsAreLoaded) {
  const Program program = random_program(3, {.instructions = 100});
  for (const Step& step : jit::allocate(program, {.count = 8, .input_operands = false}).steps)
    EXPECT_TRUE(step.kind == Step::load || step.b.kind != Place::input);
}

TEST(Allocate, AngleOfASineIsRefused) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 1);
  const std::vector<Expr> result{sincos(sincos(q[0]).sin).cos};
  const OutputOf output{"y", result};
  EXPECT_THROW(jit::allocate(make_program(graph, {&output, 1}), {}), std::invalid_argument);
}

TEST(Fuse, KeepsEveryValue) {
  long fusions = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Program program = random_program(seed, {.instructions = 60, .angles = 2});
    const Program shorter = fused(program);
    fusions += shorter.fused();
    EXPECT_EQ(shorter.counts(), program.counts());
    Random random(seed);
    const std::vector<double> inputs = random.numbers(9, 0.5, 2);
    const std::vector<double> a = evaluated(program, inputs), b = evaluated(shorter, inputs);
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_TRUE(!(std::fabs(a[k]) < 1e6) || std::fabs(b[k] - a[k]) < 1e-6 * (1 + std::fabs(a[k]))) << b[k] << " for " << a[k];
  }
  EXPECT_GT(fusions, 200);
}

}  // namespace
}  // namespace ulna::test
