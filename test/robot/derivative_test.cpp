// Derivatives by the pass on expressions, with every feature of a robot, against differences in extended precision; and what is done about wrong ones.
#include "robot/derivative_case.hpp"

#include "support/allocations.hpp"
#include "support/geared.hpp"
#include "support/soak.hpp"
#include "support/tampered.hpp"

namespace ulna::test {
namespace {

DerivativeCase drawn(const Model& model, Quantity of, const std::string& by, Random& random, const Effects& effects = {}) {
  DerivativeCase c{model, of, by, effects};
  if (row_of(of).of_link || by == "payload") c.link = random.below(model.links().size());
  set_state(c, random);
  return c;
}

/// Two links that friction, viscous and dry, acts between: the file in which ∂a/∂q had friction's sign left out.
const char* const kCoulomb = R"(<robot name="coulomb">
<link name="base"/>
<link name="one"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/><inertia ixx="0.02" iyy="0.05" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="two"><inertial><origin xyz="0.2 0.1 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/><dynamics damping="0.3" friction="2"/></joint>
<joint name="b" type="continuous"><parent link="one"/><child link="two"/><origin xyz="0.6 0 0"/><axis xyz="0 1 0"/><dynamics friction="1.5"/></joint>
</robot>)";

Model coulomb_arm() { return parse(kCoulomb, "coulomb.urdf"); }

TEST(Derivative, FrictionHasItsSign) {
  Random random(1);
  Effects friction;
  friction.friction = true;
  for (const Quantity of : {Quantity::forward, Quantity::forward_derivatives, Quantity::inverse, Quantity::bias})
    for (const char* by : {"q", "v", "payload", "masses"}) expect_right(drawn(coulomb_arm(), of, by, random, friction), random);
}

/// At rest sign(0) = 0, as in Dynamics: what is left are the derivatives without friction, and viscous friction by v.
TEST(Derivative, AtRestCoulombFrictionIsZero) {
  Random random(2);
  for (const char* by : {"q", "payload", "masses", "tau"}) {
    DerivativeCase c = drawn(coulomb_arm(), Quantity::forward, by, random);
    c.v.assign(c.v.size(), 0);
    Derivative without = c.make(Product::matrix);
    const Numbers wanted = c(without);
    c.effects.friction = true;
    for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512}) {
      Derivative with = c.make(Product::matrix, most);
      expect_near(c(with), wanted, 1e-14);
    }
  }
}

/// No kernel leaves friction out: expressions, which have no sign, are refused.
TEST(Derivative, ExpressionsHaveNoFriction) {
  const Plan plan = make_plan(coulomb_arm());
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 2), v = graph.inputs("v", 2), a = graph.inputs("a", 2);
  std::vector<Expr> out(2);
  WorkspaceOf<Expr> ws(plan);
  EffectsOf<Expr> effects;
  effects.friction = true;
  EXPECT_THROW(kernel::compute(Quantity::inverse, plan, ws, {q.data(), v.data(), a.data()}, out.data(), effects), std::logic_error);
  EXPECT_THROW(kernel::compute(Quantity::forward, plan, ws, {q.data(), v.data(), a.data()}, out.data(), effects), std::logic_error);
}

TEST(Derivative, OfEveryQuantityOfAnArm) {
  Random random(3);
  const Model model = load("scara");
  for (const QuantityRow& row : quantities())
    for (const std::string_view input : row.inputs) expect_right(drawn(model, row.quantity, std::string(input), random), random);
}

TEST(Derivative, ByPayloadAndMasses) {
  Random random(4);
  for (const char* name : {"stanford", "ur5"})
    for (const Quantity of : {Quantity::inverse, Quantity::forward, Quantity::energy, Quantity::mass, Quantity::momentum})
      for (const char* by : {"payload", "masses"}) expect_right(drawn(load(name), of, by, random), random);
}

// A planar base moves by three joints, two of whose bodies are no links and have no mass to differentiate by.
TEST(Derivative, ByMassesOfLinksAlone) {
  Random random(5);
  const Model model = with_base(load("ur5"), RootJoint::planar);
  const Derivative d(model, {.of = Quantity::inverse, .by = "masses"});
  const std::vector<std::string> names{"mass.base", "mass.shoulder", "mass.upper_arm", "mass.forearm", "mass.wrist1", "mass.wrist2", "mass.wrist3"};
  EXPECT_EQ(d.column_names(), names);
  for (const Quantity of : {Quantity::inverse, Quantity::forward, Quantity::mass}) expect_right(drawn(model, of, "masses", random), random);
}

/// Every quantity by everything that it can be differentiated by.
std::vector<std::pair<Quantity, std::string>> tasks() {
  std::vector<std::pair<Quantity, std::string>> all;
  for (const QuantityRow& row : quantities()) {
    for (const std::string_view input : row.inputs) all.emplace_back(row.quantity, input);
    all.emplace_back(row.quantity, "payload");
    all.emplace_back(row.quantity, "masses");
  }
  return all;
}

/// Trees of revolute and prismatic, mimic and fixed joints, with rotors, friction, wrenches, a payload, on every base; each task on robots of all of these.
TEST(Derivative, OfRandomRobotsWithAllFeatures) {
  const auto all = tasks();
  const std::uint64_t robots = so_many<std::uint64_t>(25, 3000);
  std::size_t next = 0;
  for (std::uint64_t seed = 1; seed <= robots; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Model model = random_model(seed, {.most = 5, .massless = false, .mimic = true});
    // A root link with mass, and a load in the hand.
    model = with_payload(model, model.links()[0].name, {3, {0.1, -0.2, 0.05}, {0.3, 0.4, 0.5, 0.01, -0.02, 0.03}});
    if (random.chance(0.5)) model = with_payload(model, model.links().back().name, {0.5, {0.1, 0, 0.05}, {0.01, 0.02, 0.02, 0, 0, 0}});
    const RootJoint bases[] = {RootJoint::fixed, RootJoint::planar, RootJoint::free};
    model = with_base(model, bases[seed % 3]);
    Effects effects;
    effects.rotor = random.chance(0.8);
    effects.friction = random.chance(0.8);
    std::vector<Wrench> wrenches;
    for (int k = random.integer(0, 2); k > 0; --k)
      wrenches.push_back({random.below(model.links().size()), random.chance(0.5) ? Axes::link : Axes::world, random.vector(20), random.vector(5)});
    effects.wrenches = wrenches;
    if (model.base() != RootJoint::free && random.chance(0.5)) effects.base = {random.vector(1), random.vector(1), random.vector(2), random.vector(2)};
    for (int k = 0; k < 6; ++k) {
      const auto& [of, by] = all[next++ % all.size()];
      expect_right(drawn(model, of, by, random, effects), random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Longer robots: their machine code is not refused either.
TEST(Derivative, OfLongRobotsIsCompiled) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  Random random(5);
  Effects friction;
  friction.friction = true;
  for (const char* name : {"panda", "humanoid-38", "torso"})
    for (const auto& [of, by] : {std::pair{Quantity::forward, "q"}, {Quantity::inverse, "q"}, {Quantity::forward, "masses"}, {Quantity::energy, "q"}})
      for (const Product product : {Product::matrix, Product::weights, Product::second}) {
        const DerivativeCase c = drawn(load(name), of, by, random, friction);
        if (product == Product::second && c.model.base() == RootJoint::free && c.by == "q") continue;
        const Derivative d = c.make(product);
        EXPECT_TRUE(d.compiled()) << c.name() << ": " << (d.refused() ? to_string(*d.refused()) : "");
      }
}

/// Gears and lead screws with large multipliers, whose angles are rounded coarsely; links of grams and of tonnes; joints on one line, which give zeros.
TEST(Derivative, OfUnusualRobotsIsCompiled) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  std::vector<Model> models;
  for (const char* leader : {"prismatic", "revolute", "continuous"})
    for (const char* multiplier : {"100", "1257", "-10000.1"}) models.push_back(geared(leader, multiplier));
  for (const double mass : {1e-3, 1e4}) models.push_back(with_payload(load("ur5"), load("ur5").links().back().name, {mass, {0.1, 0.2, 0.3}, {}}));
  for (const char* name : {"general-RRRRRRRR", "general-PPP", "general-P", "space-arm"}) models.push_back(load(name));
  Random random(12);
  Effects friction;
  friction.friction = true;
  for (const Model& model : models)
    for (const auto& [of, by] : tasks()) {
      if (row_of(of).columns == Dimension{.bodies = kBodyParameters} || !row_of(of).parts.empty()) continue;  // as the torques, but longer
      const DerivativeCase c = drawn(model, of, by, random, friction);
      for (const Product product : {Product::matrix, Product::weights, Product::second}) {
        if (product == Product::second && model.nv() > 10) continue;
        const Derivative d = c.make(product);
        EXPECT_TRUE(d.compiled()) << c.name() << ": " << (d.refused() ? to_string(*d.refused()) : "");
      }
    }
}

/// The numbers of a pose are those of Dynamics: R row by row, then the origin.
TEST(Derivative, OfAPoseIsRowByRow) {
  const Model model = load("planar-2r");
  const std::size_t tip = model.links().size() - 1;
  Derivative d(model, {.of = Quantity::pose, .by = "q", .product = Product::times, .link = tip});
  const Numbers q{0.3, 0.4}, x{1, 0};
  Numbers rate(12);
  d({q.data()}, {.x = x}, rate);
  // R = Rz(0.7) and p turn about z at unit rate: Ṙ = ẑ × R, row by row -sin -cos 0, cos -sin 0, 0 0 0.
  const double s = std::sin(0.7), c = std::cos(0.7);
  const Numbers wanted{-s, -c, 0, c, -s, 0, 0, 0, 0};
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(rate[k], wanted[k], 1e-14) << k;
  const Pose<double> X = Dynamics(model).pose(q, tip);
  EXPECT_NEAR(rate[9], -X.p.y, 1e-14);
  EXPECT_NEAR(rate[10], X.p.x, 1e-14);
}

/// An error in every program that is encoded.
jit::Tamper in_program(std::function<void(Program&)> change) {
  return {.program = [change](std::string_view, jit::Way, Program& program) { change(program); }};
}

/// Whether two programs of a case differ in states that can occur: increments of masses are always 0, and what guards results against bad states is 0 in good
/// ones.
bool case_differs(const DerivativeCase& c, const Program& a, const Program& b) {
  Random random(11);
  Evaluation run_a(a), run_b(b);
  const Sizes sizes = make_plan(c.model).sizes();
  std::size_t state = 0;
  for (std::size_t k = 0; k < row_of(c.of).inputs.size(); ++k) state += row_of(c.of).input_size(k, sizes);
  for (int k = 0; k < 20; ++k) {
    Numbers in = random.numbers(a.input_count(), -1, 1), x(a.results.size()), y(x.size());
    if (c.by == "masses") std::fill_n(in.begin() + static_cast<std::ptrdiff_t>(state), c.columns(), 0.0);
    run_a(in, x), run_b(in, y);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(std::fabs(x[i] - y[i]) <= 1e-10 * (largest(x) + 1e-12))) return true;
  }
  return false;
}

/// What it computes then is what it computes without machine code, to the bit.
void expect_refused(const DerivativeCase& c, Product product, Random& random) {
  Derivative d = c.make(product), templates = c.make(product, InstructionSet::none);
  ASSERT_TRUE(d.refused().has_value());
  EXPECT_GT(d.refused()->difference, 1);
  EXPECT_NE(to_string(*d.refused()).find("the machine code of " + std::string(to_string(c.of))), std::string::npos);
  EXPECT_FALSE(d.compiled());
  const bool weighted = product == Product::weights || product == Product::second, times = product == Product::times || product == Product::second;
  const Numbers x = random.numbers(times ? d.columns() : 0, -1, 1), y = random.numbers(weighted ? d.rows() : 0, -1, 1);
  EXPECT_EQ(c(d, x, y), c(templates, x, y));
}

TEST(DerivativeSelfCheck, AWrongSignIsRefused) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  Random random(6);
  Effects friction;
  friction.friction = true;
  std::size_t seen = 0, tried = 0;
  for (const auto& [of, by] : tasks()) {
    const DerivativeCase c = drawn(coulomb_arm(), of, by, random, friction);
    for (const Product product : {Product::matrix, Product::times, Product::weights, Product::second}) {
      std::size_t sums = 0;
      {
        const Tampered counting(in_program([&](const Program& program) { sums = sums_of(program); }));
        ASSERT_FALSE(c.make(product).refused().has_value());
      }
      const std::size_t step = so_many<std::size_t>(std::max<std::size_t>(sums / 4, 1), 1);
      for (std::size_t k = step / 2; k < sums; k += step) {
        SCOPED_TRACE(internal::cat(c.name(), ", product ", static_cast<int>(product), ", sum ", k));
        bool wrong = false;
        const Tampered errors(in_program([&](Program& program) {
          const Program right = program;
          change_sign(program, k);
          wrong = case_differs(c, right, program);
        }));
        ++tried;
        const bool refused = c.make(product).refused().has_value();
        EXPECT_TRUE(refused || !wrong);
        if (!wrong) continue;
        ++seen;
        expect_refused(c, product, random);
      }
    }
  }
  EXPECT_GT(2 * seen, tried);
}

/// Each number of the program off by a millionth.
TEST(DerivativeSelfCheck, AWrongConstantIsRefused) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  Random random(7);
  Effects friction;
  friction.friction = true;
  for (const auto& [of, by] : {std::pair{Quantity::forward, "q"}, {Quantity::forward, "payload"}, {Quantity::inverse, "q"}, {Quantity::energy, "q"}}) {
    const DerivativeCase c = drawn(coulomb_arm(), of, by, random, friction);
    std::size_t constants = 1, seen = 0;
    for (std::size_t k = 0; k < constants; ++k) {
      bool wrong = false;
      const Tampered errors(in_program([&](Program& program) {
        const Program right = program;
        constants = program.constants.size();
        program.constants[k] *= 1 + 1e-6;
        wrong = case_differs(c, right, program);
      }));
      EXPECT_TRUE(c.make(Product::matrix).refused().has_value() || !wrong) << c.name() << ": constant " << k;
      seen += wrong ? 1 : 0;
    }
    EXPECT_GT(seen, 2u) << c.name();
  }
}

/// Friction without its sign, as it was: an input that the program does not have.
TEST(DerivativeSelfCheck, FrictionWithoutASignIsRefused) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  Random random(8);
  Effects friction;
  friction.friction = true;
  const DerivativeCase c = drawn(coulomb_arm(), Quantity::forward, "q", random, friction);
  const Tampered wrong(in_program([](Program& program) {
    ASSERT_EQ(program.inputs.back().name, "side");
    const std::uint32_t first = static_cast<std::uint32_t>(program.input_count() - program.inputs.back().size), end = first + 2;
    const auto zero = static_cast<std::uint32_t>(program.first_constant());  // reads a constant in its place
    ASSERT_FALSE(program.constants.empty());
    for (Instruction& step : program.instructions)
      for (std::uint32_t* value : {&step.a, &step.b, &step.c})
        if (*value >= first && *value < end) *value = zero;
  }));
  expect_refused(c, Product::matrix, random);
}

TEST(Derivative, BadStatesAreNaNByEitherWay) {
  const Model model = coulomb_arm();
  for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512})
    for (const char* by : {"q", "payload"}) {
      Derivative d(model, {.of = Quantity::forward, .by = by, .link = 1, .most = most});
      const double nan = std::nan(""), good[] = {0.1, 0.2}, bad[][2] = {{nan, 0.2}, {0.1, 1 / 0.0}}, far[] = {2e6, 0.1};
      Numbers out(d.size());
      const auto expect_nan = [&](const double* q, const double* v, const double* tau, const Numbers& load = {}) {
        out.assign(out.size(), 0);
        d({q, v, tau}, {.payload = load}, out);
        for (const double x : out) EXPECT_TRUE(std::isnan(x));
      };
      for (const double* wrong : {bad[0], bad[1]}) expect_nan(wrong, good, good), expect_nan(good, wrong, good), expect_nan(good, good, wrong);
      expect_nan(far, good, good);
      if (d.options().by == "payload") expect_nan(good, good, good, {1, nan, 0, 0});
    }
}

TEST(Derivative, CallsAllocateNothing) {
  Random random(9);
  Effects friction;
  friction.friction = true;
  for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512})
    for (const char* by : {"q", "payload", "masses"})
      for (const RootJoint base : {RootJoint::fixed, RootJoint::free}) {
        const DerivativeCase c = drawn(with_base(load("servicer"), base), Quantity::forward, by, random, friction);
        Derivative d = c.make(Product::matrix, most);
        Numbers out(d.size());
        const long before = allocations();
        d({c.q.data(), c.v.data(), c.last.data()}, {.payload = c.payload}, out);
        EXPECT_EQ(allocations(), before);
      }
}

/// Those that have a kernel of their own, under wrenches, a base that moves, rotors and friction.
TEST(Derivative, AgreesWithTheKernels) {
  Random random(10);
  for (const char* name : {"puma560", "torso", "iiwa14"}) {
    const Model model = load(name);
    const std::size_t n = model.nv();
    const std::vector<Wrench> wrenches{{model.links().size() - 1, Axes::link, {1, 2, 3}, {0.1, 0.2, 0.3}}, {2, Axes::world, {-3, 1, 2}, {0.5, -0.2, 0.3}}};
    const Effects effects{true, true, {{0.1, 0.2, 0.3}, {}, {0.4, -0.2, 0.1}, {1, 0, -1}}, wrenches};
    const Dynamics dynamics(model);
    for (const auto& [of, whole] : {std::pair{Quantity::inverse, Quantity::inverse_derivatives}, {Quantity::forward, Quantity::forward_derivatives}}) {
      DerivativeCase c = drawn(model, of, "q", random, effects);
      Numbers d(3 * n * n);
      dynamics.compute(whole, {c.q.data(), c.v.data(), c.last.data()}, d.data(), effects);
      for (std::size_t k = 0; k < 3; ++k) {
        c.by = row_of(of).inputs[k];
        Derivative derivative = c.make(Product::matrix);
        expect_near(c(derivative), Numbers(d.begin() + static_cast<std::ptrdiff_t>(k * n * n), d.begin() + static_cast<std::ptrdiff_t>((k + 1) * n * n)),
                    1e-11);
      }
    }
  }
}

TEST(Derivative, WrongCallsSayWhy) {
  const Model model = load("planar-2r");
  EXPECT_THROW(Derivative(model, {.of = Quantity::gravity, .by = "v"}), std::invalid_argument);
  EXPECT_THROW(Derivative(model, {.of = Quantity::pose, .by = "q"}), std::invalid_argument);
  EXPECT_THROW(Derivative(model, {.of = Quantity::inverse, .by = "payload"}), std::invalid_argument);
  const std::vector<Wrench> nowhere{{model.links().size(), Axes::link, {1, 0, 0}, {}}};
  EXPECT_THROW(Derivative(model, {.of = Quantity::inverse, .by = "q", .effects = {.wrenches = nowhere}}), std::invalid_argument);
  const Model free = with_base(load("servicer"), RootJoint::free);
  EXPECT_THROW(Derivative(free, {.of = Quantity::energy, .by = "q", .product = Product::second}), std::invalid_argument);
  EXPECT_THROW(Derivative(free, {.of = Quantity::inverse, .by = "q", .effects = {.base = {{1, 0, 0}, {}, {}, {}}}}), std::invalid_argument);
  Derivative d(model, {.of = Quantity::gravity, .by = "q", .product = Product::times});
  const Numbers q{0.1, 0.2};
  Numbers out(2);
  EXPECT_THROW(d({q.data()}, {}, out), std::invalid_argument);
  EXPECT_THROW(d({q.data()}, {.x = q, .y = q}, out), std::invalid_argument);
}

/// Wrenches may be gone when the object is called.
TEST(Derivative, KeepsItsWrenches) {
  const Model model = load("planar-2r");
  std::vector<Wrench> wrenches{{model.links().size() - 1, Axes::world, {3, 4, 0}, {}}};
  const Numbers q{0.1, 0.2}, zero(2);
  Numbers before(4), after(4);
  Derivative d(model, {.of = Quantity::inverse, .by = "q", .effects = {.wrenches = wrenches}, .most = InstructionSet::none});
  d({q.data(), zero.data(), zero.data()}, {}, before);
  wrenches.assign(1, {});
  wrenches = {};
  d({q.data(), zero.data(), zero.data()}, {}, after);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace ulna::test
