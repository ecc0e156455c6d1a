// An Analysis gives what is made anew, and makes it once.
#include <gtest/gtest.h>

#include <thread>

#include <ulna/robot/analysis.hpp>
#include <ulna/source/load.hpp>

#include "jit/tamper.hpp"

namespace ulna::test {
namespace {

/// How many functions of machine code this thread has made.
class Encoded {
 public:
  Encoded() {
    jit::tamper().program = [this](auto&&...) { ++count; };
  }
  ~Encoded() { jit::tamper() = {}; }
  Encoded(const Encoded&) = delete;
  Encoded& operator=(const Encoded&) = delete;
  int count = 0;
};

TEST(Analysis, GivesWhatIsMadeAnew) {
  const Model model = load("panda");
  const Analysis robot(model);
  const Dynamics shared(robot), alone(model);
  for (const Quantity quantity : {Quantity::inverse, Quantity::mass}) {
    const Best once = find_best(model, quantity), &kept = robot.best(quantity);
    EXPECT_EQ(kept.counts, once.counts);
    EXPECT_EQ(kept.links, once.links);
    EXPECT_EQ(kept.program.instructions.size(), once.program.instructions.size());
  }
  const std::size_t n = model.nv();
  std::vector<double> q(n, 0.3), v(n, -0.7), a(n, 1.1), here(n), there(n);
  shared.inverse(q, v, a, here);
  alone.inverse(q, v, a, there);
  EXPECT_EQ(here, there);
  shared.forward(q, v, a, here);
  alone.forward(q, v, a, there);
  EXPECT_EQ(here, there);
}

TEST(Analysis, MakesEverythingOnce) {
  const Analysis robot(load("planar-2r")), copy = robot;
  EXPECT_EQ(&robot.plan(), &copy.plan());
  EXPECT_NE(&robot.plan(), &robot.plan({.lumping = Lumping::none}));
  EXPECT_EQ(&robot.best(Quantity::inverse), &copy.best(Quantity::inverse));
  EXPECT_NE(&robot.best(Quantity::inverse), &robot.best(Quantity::bias));
  EXPECT_NE(&robot.best(Quantity::inverse), &robot.best(Quantity::inverse, {.single = true}));
  EXPECT_EQ(&robot.dynamics(), &copy.dynamics());
  EXPECT_NE(&robot.dynamics(), &robot.dynamics({.rotor = false}));
}

TEST(Analysis, MachineCodeIsSharedByWhateverHasTheSameKernels) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code can be made here";
  const Encoded encoded;
  const Analysis robot(load("planar-2r"));
  const Dynamics first(robot);
  const int once = encoded.count;
  EXPECT_GT(once, 0);
  const Dynamics rubbing(robot, {.friction = true, .threads = 2});
  EXPECT_EQ(encoded.count, once);
  EXPECT_TRUE(rubbing.shares_code(first));
  const Dynamics other(robot, {.rotor = false});
  EXPECT_EQ(encoded.count, 2 * once);
  EXPECT_FALSE(other.shares_code(first));
}

TEST(Analysis, ThreadsThatAskAtOnceGetTheSame) {
  const Analysis robot(load("stanford"));
  std::vector<const Best*> found(4);
  std::vector<const Dynamics*> made(found.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < found.size(); ++k) threads.emplace_back([&, k] { found[k] = &robot.best(Quantity::inverse), made[k] = &robot.dynamics(); });
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k], found[0]);
    EXPECT_EQ(made[k], made[0]);
  }
}

TEST(Analysis, WhatFailedIsTriedAgain) {
  const Analysis robot(load("planar-2r"));
  for (int time = 0; time < 2; ++time) EXPECT_THROW(robot.dynamics({.links = {"nowhere"}}), std::invalid_argument);
  EXPECT_NO_THROW(robot.dynamics());
}

}  // namespace
}  // namespace ulna::test
