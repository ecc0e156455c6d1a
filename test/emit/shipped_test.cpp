// What ships is what is verified: machine code and generated C have their rows in the certificate, and a deliberate error in either is seen there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include <ulna/emit/generate.hpp>
#include <ulna/ulna.hpp>

#include "emit/generated_c.hpp"
#include "emit/test_states.hpp"
#include "jit/tamper.hpp"
#include "support/geared.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

VerifyOptions with(const std::function<std::vector<std::shared_ptr<Implementation>>()>& implementations, std::size_t samples = 20) {
  VerifyOptions options;
  options.samples = samples;
  options.implementations = implementations;
  return options;
}

const FormulationCheck& row(const Certificate& c, const std::string& id, Quantity quantity) {
  const auto at = std::find_if(c.formulations.begin(), c.formulations.end(), [&](const FormulationCheck& f) { return f.id == id && f.quantity == quantity; });
  EXPECT_NE(at, c.formulations.end()) << id;
  return *at;
}

constexpr const char* kShipped[] = {"templates", "compiled-double", "compiled-float", "generated-c", "generated-c-float"};

TEST(Shipped, AgreesInAllQuantities) {
  for (const char* robot : {"planar-2r", "stanford", "panda", "torso"}) {
    if (!soaks() && robot == std::string("torso")) continue;
    SCOPED_TRACE(robot);
    const Model model = load(robot);
    const Certificate c = verify(model, with([&] { return shipped(model); }));
    EXPECT_TRUE(c.agree());
    const double tolerance = verify_tolerance(model.nv());
    for (const char* id : kShipped)
      for (const Quantity quantity : formulated_quantities()) {
        const FormulationCheck& check = row(c, id, quantity);
        EXPECT_TRUE(check.applies && check.agree) << id << ": " << check.why_not << check.max_relative_difference;
        EXPECT_EQ(check.tolerance, std::string(id).ends_with("float") ? std::ldexp(tolerance, 29) : tolerance) << id;
      }
    // Floats have rounding of floats: the row is not another one's.
    EXPECT_GT(row(c, "compiled-float", Quantity::inverse).max_relative_difference, 1e-10);
    EXPECT_GT(row(c, "generated-c-float", Quantity::inverse).max_relative_difference, 1e-10);
    EXPECT_LT(row(c, "compiled-double", Quantity::inverse).max_relative_difference, 1e-13);
  }
}

/// What is wrong with the machine code, as verify sees it: ids and quantities of the rows that differ.
std::vector<std::string> differing(const Model& model, jit::Tamper errors) {
  jit::tamper() = std::move(errors);
  const Certificate c = verify(model, with([&] { return shipped(model, {.generated = false}); }));
  jit::tamper() = {};
  std::vector<std::string> out;
  for (const FormulationCheck& f : c.formulations)
    if (f.applies && !f.agree) out.push_back(cat(f.id, " ", result_name(f.quantity)));
  EXPECT_EQ(c.agree(), out.empty());
  return out;
}

TEST(Shipped, AWrongSignInOneInstructionIsSeen) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const Model model = load("panda");
  for (const bool wrong_lanes : {false, true}) {
    const auto turned = [&](Quantity wrong) {
      return jit::Tamper{.program = [=](std::string_view task, jit::Way way, Program& program) {
        if (task != to_string(wrong) || (way != jit::Way::one) != wrong_lanes) return;
        for (std::size_t k = program.instructions.size() / 2;; ++k)
          if (program.instructions[k].op == Op::multiply_add || program.instructions[k].op == Op::add) {
            program.instructions[k].op = program.instructions[k].op == Op::add ? Op::subtract : Op::multiply_subtract;
            return;
          }
      }};
    };
    using Rows = std::vector<std::string>;
    EXPECT_EQ(differing(model, turned(Quantity::inverse)), (Rows{"compiled-double torque", "compiled-float torque"}));
    EXPECT_EQ(differing(model, turned(Quantity::mass)), (Rows{"compiled-double mass", "compiled-float mass"}));
    EXPECT_EQ(differing(model, turned(Quantity::coriolis)), (Rows{"compiled-double coriolis", "compiled-float coriolis"}));
    EXPECT_EQ(differing(model, turned(Quantity::gravity)), (Rows{"compiled-double gravity", "compiled-float gravity"}));
    EXPECT_EQ(differing(model, turned(Quantity::forward)), (Rows{"compiled-double acceleration", "compiled-float acceleration"}));
  }
  EXPECT_TRUE(differing(model, {}).empty());
}

TEST(Shipped, AConstantOffByAMillionthIsSeen) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  const std::vector<std::string> found = differing(load("panda"), {.parameters = [](std::string_view task, jit::Way way, std::vector<double>& parameters) {
                                                     if (task == "inverse" && way == jit::Way::lanes) parameters[parameters.size() / 2] *= 1 + 1e-6;
                                                   }});
  // Among floats, too: machine code has the bits of its program.
  EXPECT_EQ(found, (std::vector<std::string>{"compiled-double torque", "compiled-float torque"}));
}

/// Generated code for the Panda with one constant of one quantity that is off by a millionth.
GeneratedRobot spoilt(bool single) {
  GeneratedRobot robot = prepare(load("panda"), verified_code(single, 1e-9, 7));
  std::vector<double>& constants = robot.functions.front().program.constants;
  constants[constants.size() / 2] *= 1 + 1e-6;
  return robot;
}

TEST(Shipped, AConstantOffByAMillionthInGeneratedCIsSeen) {
  const Certificate c = verify(load("panda"), with([] { return generated_c(spoilt, "-O0"); }));
  if (!row(c, "generated-c", Quantity::inverse).applies) GTEST_SKIP() << row(c, "generated-c", Quantity::inverse).why_not;
  EXPECT_FALSE(c.agree());
  EXPECT_FALSE(row(c, "generated-c", Quantity::inverse).agree);
  EXPECT_TRUE(row(c, "generated-c", Quantity::mass).agree);
}

TEST(Shipped, WithoutACompilerTheRowsSayWhy) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const Model model = load("planar-2r");
  const Certificate c = verify(model, with([&] { return shipped(model); }, 3));
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(c.agree());
  for (const Quantity quantity : formulated_quantities()) {
    EXPECT_FALSE(row(c, "generated-c", quantity).applies);
    EXPECT_EQ(row(c, "generated-c", quantity).why_not, "not checked: no C compiler was found (cc, gcc or clang)");
    EXPECT_TRUE(row(c, "compiled-double", quantity).applies);
  }
}

void expect_agreement(const Model& model) {
  const Certificate c = verify(model, with([&] { return shipped(model); }));
  for (const FormulationCheck& f : c.formulations)
    EXPECT_TRUE(!f.applies || f.agree) << f.id << " " << result_name(f.quantity) << ": " << f.max_relative_difference << " > " << f.tolerance;
  for (const LawCheck& law : c.laws) EXPECT_TRUE(law.holds) << law.id << ": " << law.worst << " > " << law.tolerance;
}

// A balanced wheel whose mass centre a CAD program left 1e-16 m next to the axis: plans drop that, and its weight is all of the torque.
TEST(Shipped, ABalancedWheelIsSound) {
  const Model wheel = parse(R"(<robot name="wheel"><link name="b"/>
    <link name="l"><inertial><origin xyz="0 1e-16 0"/><mass value="4"/><inertia ixx="0.5" iyy="0.4" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="b"/><child link="l"/><axis xyz="0.38 0.67 0.88"/></joint></robot>)",
                            "wheel.urdf");
  expect_agreement(wheel);
  GenerateOptions options;
  options.what = {"gravity", "bias"};
  for (const ulna::Real real : {ulna::Real::double_precision, ulna::Real::single_precision}) {
    options.real = real;
    EXPECT_NO_THROW(prepare(wheel, options));
  }
}

// Lead screws and gears: what follows turns many times as far, and its angle is a product that is rounded.
TEST(Shipped, ScrewsAndGearsAreSound) {
  for (const char* leader : {"prismatic", "revolute"})
    for (const char* multiplier : {"-100.1", "1257", "12345.6"}) {
      SCOPED_TRACE(cat(leader, " ", multiplier));
      const Model model = geared(leader, multiplier);
      expect_agreement(model);
      GenerateOptions options;
      options.what = {"inverse", "mass", "gravity", "coriolis", "forward", "pose", "jacobian"};
      options.link = "l2";
      for (const ulna::Real real : {ulna::Real::double_precision, ulna::Real::single_precision}) {
        options.real = real;
        EXPECT_NO_THROW(prepare(model, options));
      }
    }
}

// Floats have no inverse of this M in some states: no fault of the code, and said as what it is.
TEST(Shipped, APivotThatIsRoundingInFloatsIsTold) {
  const Model model = load(ULNA_ROBOTS_DIR "/heavy_tip.urdf");
  const Certificate c = verify(model, with([&] { return shipped(model); }));
  for (const FormulationCheck& f : c.formulations) EXPECT_TRUE(!f.applies || f.agree) << f.id << " " << result_name(f.quantity) << f.max_relative_difference;
  const FormulationCheck& check = row(c, "generated-c-float", Quantity::forward);
  const std::string said = check.note + check.why_not;
  EXPECT_TRUE(said.find("no C compiler") != std::string::npos || said.find("a pivot of M is rounding in floats") != std::string::npos) << said;
  GenerateOptions options;
  options.what = {"forward"};
  EXPECT_NO_THROW(prepare(model, options));
  options.real = ulna::Real::single_precision;
  try {
    prepare(model, options);
    FAIL() << "written";
  } catch (const std::invalid_argument& refused) {
    EXPECT_NE(std::string(refused.what()).find("a pivot of its inertia matrix is rounding in floats"), std::string::npos) << refused.what();
    EXPECT_NE(std::string(refused.what()).find("generate it in double precision"), std::string::npos) << refused.what();
  }
}

// A program that would fail its own self-test is not written.
TEST(Generate, IsTriedBeforeItIsWritten) {
  GenerateOptions options;
  options.what = generated_quantities();
  for (const ulna::Real real : {ulna::Real::double_precision, ulna::Real::single_precision}) {
    options.real = real;
    GeneratedRobot robot = prepare(load("panda"), options);
    for (Generated& made : robot.functions) {
      SCOPED_TRACE(made.what());
      EXPECT_FALSE(first_miss(made, real));
      Generated wrong = made;
      // Accelerations by floats are allowed what |M⁻¹| makes of rounding, which is a lot.
      for (double& constant : wrong.program.constants) constant *= real == ulna::Real::single_precision ? 2 : 1 + 1e-6;
      EXPECT_TRUE(first_miss(wrong, real));
      EXPECT_THROW(require_passed(wrong, "panda", options), std::invalid_argument);
    }
  }
}

TEST(Generate, OneConstantOffByAMillionthIsSeen) {
  GenerateOptions options;
  const GeneratedRobot robot = prepare(load("panda"), options);
  for (std::size_t k = 0; k < robot.functions.front().program.constants.size(); ++k) {
    Generated wrong = robot.functions.front();
    double& constant = wrong.program.constants[k];
    if (constant == 0 || std::fabs(constant) > 1e300) continue;  // of the guard, which does nothing in good states
    const std::size_t value = wrong.program.first_constant() + k;
    if (std::none_of(wrong.program.instructions.begin(), wrong.program.instructions.end(),
                     [value](const Instruction& step) { return step.a == value || step.b == value || step.c == value; }))
      continue;  // an angle whose sine and cosine took its place
    constant *= 1 + 1e-6;
    EXPECT_TRUE(first_miss(wrong, options.real)) << "constant " << k << ", " << constant;
  }
}

}  // namespace
}  // namespace ulna::test
