// The papers' derivations, executed: they hold, and a wrong sign in any one equation is found, and found there.
#include <gtest/gtest.h>

#include <set>

#include <ulna/ulna.hpp>
#include <ulna/verify/verify.hpp>

#include "scalar/dual.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"
#include "verify/link_integral.hpp"
#include "verify/proof_lines.hpp"

namespace ulna::test {
namespace {

ProofOptions numbers(std::size_t samples, std::uint64_t seed = 1) {
  ProofOptions options;
  options.samples = samples;
  options.seed = seed;
  options.symbolic = false;
  return options;
}

void expect_proof(const ProofReport& report) {
  EXPECT_FALSE(report.steps.empty());
  for (const ProofStep& step : report.steps)
    EXPECT_TRUE(step.agree) << report.proof << ", eq. " << step.equation << " from " << step.from << ": " << step.max_relative_difference << " > "
                            << report.tolerance << (step.same_normal_form == false ? ", other normal form" : "");
  EXPECT_TRUE(report.agree());
}

std::vector<std::string> all_proofs() {
  std::vector<std::string> ids;
  for (const Proof& proof : proofs()) ids.emplace_back(proof.id);
  return ids;
}

/// Nasser's lines with L⁻¹ in them, which are no polynomials.
bool rational(const std::string& equation) { return equation == "2.1.19.2" || equation == "2.1.12" || equation == "2.1.20"; }

class EveryProof : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Proof, EveryProof, ::testing::ValuesIn(all_proofs()));

TEST_P(EveryProof, HoldsOnBuiltinArms) {
  for (const char* robot : {"stanford", "puma560", "puma560-mdh", "ur5", "panda", "scara", "planar-2r", "space-arm"}) {
    SCOPED_TRACE(robot);
    const Model model = load(robot);
    if (why_not_proved(GetParam(), model).empty()) expect_proof(prove(GetParam(), model, numbers(5)));
  }
  for (const char* robot : {"stanford", "puma560"}) EXPECT_EQ(why_not_proved(GetParam(), load(robot)), "") << robot;
}

// Arbitrary axes, fixed joints in between, massless links, turning and sliding joints: DH frames are found for them first.
TEST_P(EveryProof, HoldsOnRandomChains) {
  RandomOptions random;
  random.branches = false;
  random.most = 8;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    expect_proof(prove(GetParam(), random_model(seed, random), numbers(1, seed)));
  }
}

// Equal normal forms on symbols: for every arm of such joints, whatever its numbers.
TEST_P(EveryProof, HoldsForEveryArmOfUpToThreeJoints) {
  for (const char* robot : {"general-R", "general-P", "general-RR", "general-RP", "general-PR", "general-PP", "general-RPR", "general-RRR"}) {
    if (!soaks() && robot == std::string("general-RRR")) continue;                         // as long as all others
    if (!soaks() && robot == std::string("general-RPR") && GetParam() == "lin") continue;  // squares of masses make its polynomials long
    SCOPED_TRACE(robot);
    ProofOptions options = numbers(1);
    options.symbolic = true;
    const ProofReport report = prove(GetParam(), load(robot), options);
    expect_proof(report);
    for (const ProofStep& step : report.steps) {
      if (rational(step.equation)) continue;
      EXPECT_EQ(step.same_normal_form, true) << step.equation;
    }
    EXPECT_NE(report.symbolic.find("every arm of joints"), std::string::npos) << report.symbolic;
  }
  ProofOptions options = numbers(1);
  options.symbolic = true;
  const ProofReport larger = prove(GetParam(), load("general-RRRR"), options);
  for (const ProofStep& step : larger.steps) EXPECT_FALSE(step.same_normal_form.has_value()) << step.equation;
  EXPECT_NE(larger.symbolic.find("3 joints"), std::string::npos) << larger.symbolic;
}

TEST_P(EveryProof, NamesEveryEquationOnce) {
  std::set<std::string> names;
  for (const ProofStep& step : prove(GetParam(), load("general-R"), numbers(1)).steps) EXPECT_TRUE(names.insert(step.equation).second) << step.equation;
}

// The last term of each equation in turn gets the wrong sign: that equation is named, and no other.
TEST_P(EveryProof, AWrongSignIsNamedByItsEquation) {
  const Model model = load("general-RRRR");
  const ProofReport right = prove(GetParam(), model, numbers(1));
  for (const ProofStep& wrong : right.steps) {
    const ProofReport report = proof::prove_spoiled(GetParam(), model, numbers(1), wrong.equation);
    EXPECT_FALSE(report.agree()) << wrong.equation;
    for (const ProofStep& step : report.steps)
      EXPECT_EQ(step.agree, step.equation != wrong.equation) << step.equation << " while " << wrong.equation << " is wrong";
  }
}
TEST_P(EveryProof, AWrongSignShowsInNormalForms) {
  const Model model = load("general-RR");
  ProofOptions options = numbers(1);
  options.symbolic = true;
  const std::vector<ProofStep> steps = prove(GetParam(), model, options).steps;
  for (std::size_t k = 0; k < steps.size(); k += 3) {  // every third: each takes an expansion of the whole
    const ProofStep& wrong = steps[k];
    if (GetParam() == "lin" && (wrong.equation == "27" || wrong.equation == "47")) continue;  // about three joints; shown on numbers of four
    const ProofReport report = proof::prove_spoiled(GetParam(), model, options, wrong.equation);
    for (const ProofStep& step : report.steps) {
      if (rational(step.equation)) continue;
      EXPECT_EQ(step.same_normal_form, step.equation != wrong.equation) << step.equation << " while " << wrong.equation << " is wrong";
    }
  }
}

// What the papers print instead, where it is wrong (and what is not: nothing here differs by rounding).
TEST_P(EveryProof, MisprintsDiffer) {
  const ProofReport report = prove(GetParam(), load("puma560"), numbers(3));
  EXPECT_FALSE(report.misprints.empty());
  for (const Misprint& misprint : report.misprints) {
    EXPECT_TRUE(misprint.differs) << misprint.equation;
    EXPECT_GT(misprint.max_relative_difference, 1e-5) << misprint.equation;
  }
}

TEST(Proof, CoversTheEquationsOfThePapers) {
  const auto covers = [](const char* proof, const std::vector<std::string>& numbers_of_paper) {
    std::set<std::string> seen;
    for (const ProofStep& step : prove(proof, load("general-R"), numbers(1)).steps)
      for (const std::string& name : {step.equation, step.from}) seen.insert(name.substr(0, name.find_first_of(" ,")));
    for (const std::string& number : numbers_of_paper) EXPECT_TRUE(seen.contains(number)) << proof << " " << number;
  };
  std::vector<std::string> turney, hollerbach, lin, nasser;
  for (int k = 1; k <= 34; ++k) turney.push_back("4." + std::to_string(k));
  for (int k = 1; k <= 13; ++k) hollerbach.push_back("A" + std::to_string(k));
  for (int k = 1; k <= 5; ++k) hollerbach.push_back("B" + std::to_string(k));
  for (const int k : {1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19}) lin.push_back(std::to_string(k));
  for (int k = 20; k <= 58; ++k) lin.push_back(std::to_string(k));
  for (int k = 65; k <= 67; ++k) lin.push_back(std::to_string(k));
  for (const char* k : {"1", "2", "3", "4", "5", "6", "7", "12", "13", "19", "20"}) nasser.push_back(std::string("2.1.") + k);
  covers("lin", lin);
  covers("nasser", nasser);
  covers("kane",
         {"9", "13", "23", "28", "44", "77", "78", "79", "85", "87", "88", "89", "90", "93", "96", "98", "99", "104", "105", "106", "110", "111", "117"});
  covers("turney", turney);
  covers("hollerbach", hollerbach);
}

TEST(Proof, IsDeterministic) {
  const ProofReport a = prove("turney", load("scara"), numbers(2)), b = prove("turney", load("scara"), numbers(2));
  for (std::size_t k = 0; k < a.steps.size(); ++k) EXPECT_EQ(a.steps[k].max_relative_difference, b.steps[k].max_relative_difference);
}

TEST(Proof, SaysWhyItDoesNotHoldForARobot) {
  EXPECT_NE(why_not_proved("turney", load("torso")).find("serial chains"), std::string::npos);
  RandomOptions random;
  random.mimic = true;
  random.branches = false;
  random.fewest = random.most = 12;
  EXPECT_NE(why_not_proved("turney", random_model(4, random)).find("mimics another"), std::string::npos);
  EXPECT_NE(why_not_proved("hollerbach", load("general-" + std::string(33, 'R'))).find("33 joints are too many, 32 are allowed"), std::string::npos);
  EXPECT_THROW(prove("turney", load("torso"), numbers(1)), std::invalid_argument);
  try {
    why_not_proved("turny", load("scara"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("turney"), std::string::npos) << error.what();
  }
}

// Moments have all that an integral of something quadratic needs: particles give the same.
TEST(Proof, IntegralsOverALinkAreSumsOverItsParticles) {
  Random random(7);
  proof::LinkMoments<double> link{0, {}, {}};
  std::vector<std::pair<double, Vec3<double>>> particles;
  for (int k = 0; k < 9; ++k) {
    const double m = random.uniform(0.1, 2);
    const Vec3<double> d{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    particles.emplace_back(m, d);
    link.m += m;
    link.first = link.first + m * d;
    link.second = link.second + Mat3<double>{m * d.x * d.x, m * d.x * d.y, m * d.x * d.z, m * d.y * d.x, m * d.y * d.y,
                                             m * d.y * d.z, m * d.z * d.x, m * d.z * d.y, m * d.z * d.z};
  }
  const Vec3<double> w{0.3, -1.2, 0.7};
  const auto f = [&](const Vec3<double>& d) { return 2.5 - dot(w, d) + dot(cross(w, d), cross(w, d)) + d.x * d.z; };
  double sum = 0;
  for (const auto& [m, d] : particles) sum += m * f(d);
  EXPECT_NEAR(proof::integral(link, f), sum, 1e-13 * sum);
}

// x sin x has the second derivative 2 cos x - x sin x.
TEST(Proof, DualsOfDualsHaveSecondDerivatives) {
  const double x = 0.8;
  const Dual<Dual<double>> at{{x, 1}, {1, 0}}, product = at * sincos(at).sin;
  EXPECT_NEAR(product.value.value, x * std::sin(x), 1e-15);
  EXPECT_NEAR(product.value.rate, std::sin(x) + x * std::cos(x), 1e-15);
  EXPECT_NEAR(product.rate.rate, 2 * std::cos(x) - x * std::sin(x), 1e-15);
}

}  // namespace
}  // namespace ulna::test
