// Generalized speeds of a user's choice: the paper's from a file, absolute angles, and a message for every way a choice can be wrong.
#include <ulna/formulation/speeds.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>

#include "formulation/chosen_speeds.hpp"
#include "support/cases.hpp"
#include "support/difference.hpp"
#include "support/folder.hpp"

namespace ulna::test {
namespace {

/// Kane and Levinson's eqs 2 and 3 by 5 to 7, with the joints called as in their paper.
constexpr const char* kPaper = R"(description: Kane & Levinson 1983, eqs 2, 3, 5 to 7
where:
  s2: sin(q.q2)
  c2: cos(q.q2)
  s3: sin(q.q3)
  c3: cos(q.q3)
speeds:
  u1: s2*s3*v.q1 + c3*v.q2
  u2: c2*v.q1 + v.q3
  u3: -s2*c3*v.q1 + s3*v.q2
  u4: v.q4
  u5: v.q5
  u6: v.q6
)";

std::vector<double> torques(const Model& model, const State& s, std::shared_ptr<const Speeds> speeds) {
  Prepared prepared(model);
  prepared.speeds = std::move(speeds);
  FormulationOnModel kane(formulation_named("kane"), Quantity::inverse, prepared);
  std::vector<double> tau(model.nv());
  kane.compute(Quantity::inverse, {s.q.data(), s.v.data(), s.a.data()}, tau.data());
  return tau;
}

std::shared_ptr<const Speeds> of_text(const Model& model, const std::string& text) { return std::make_shared<const Speeds>(choose_speeds(model, text)); }

TEST(Speeds, ThePapersFromAFile) {
  const support::Folder folder;
  folder.write("stanford-speeds.yaml", kPaper);
  const Model model = load("stanford");
  const auto speeds = of_text(model, folder.at("stanford-speeds.yaml"));
  EXPECT_NE(speeds->singular_where().find("sin(q.q2)"), std::string::npos) << speeds->singular_where();
  const GeneralizedSpeeds<double> paper = stanford_speeds<double>();
  Random random(11);
  for (int k = 0; k < 50; ++k) {
    State s = random_state(model, random);
    if (std::fabs(std::sin(s.q[1])) < 0.2) continue;  // its speeds are singular where it is zero
    std::vector<double> u(6), expected(6), v(6);
    speeds->from_rates(s.q, s.v, u);
    speeds_from_rates<double>(paper, 6, s.q.data(), s.v.data(), nullptr, 0.0, expected.data(), nullptr);
    EXPECT_LT(relative_error(u, expected), 1e-15);
    speeds->to_rates(s.q, u, v);
    EXPECT_LT(relative_error(v, s.v), 1e-13);
    EXPECT_LT(relative_error(torques(model, s, speeds), inverse_of(make_plan(model), s)), 1e-12);
  }
}

// u = v rearranged and scaled, with terms that are free of rates: the torques of a motion do not depend on the choice.
TEST(Speeds, TorquesMassAndBiasOfEveryChoice) {
  struct Case {
    const char *model, *choice;
  };
  for (const auto& [id, choice] :
       {Case{"planar-2r", "u1 = v.shoulder, u2 = v.shoulder + v.elbow"}, Case{"planar-2r", "u1 = 3*v.elbow - q.elbow^2, u2 = (2 + cos(q.elbow))*v.shoulder"},
        Case{"planar-2r", "u1 = v.q1, u2 = v.q1 + v.q2"}, Case{"torso", "body-rates"}, Case{"puma560", "body-rates"}, Case{"panda", "joint-rates"},
        Case{"scara", "body-rates"}, Case{"stanford", "kane-stanford"}}) {
    SCOPED_TRACE(std::string(id) + ": " + choice);
    const Model model = load(id);
    const auto speeds = of_text(model, choice);
    Prepared prepared(model);
    prepared.speeds = speeds;
    Random random(4);
    State s = random_state(model, random);
    s.q[1] = 1.1;
    const std::size_t n = model.nv();
    EXPECT_LT(relative_error(torques(model, s, speeds), inverse_of(make_plan(model), s)), 1e-12);
    FormulationOnModel kane(formulation_named("kane"), Quantity::mass, prepared);
    std::vector<double> M(n * n), bias(n), expected(n);
    kane.compute(Quantity::mass, {s.q.data()}, M.data());
    const Eigen::MatrixXd of_plan = mass_of(make_plan(model), s.q);
    EXPECT_LT((Eigen::Map<Eigen::MatrixXd>(M.data(), static_cast<long>(n), static_cast<long>(n)) - of_plan).norm() / of_plan.norm(), 1e-12);
    kane.compute(Quantity::bias, {s.q.data(), s.v.data()}, bias.data());
    State rest = s;
    rest.a.assign(n, 0.0);
    EXPECT_LT(relative_error(bias, inverse_of(make_plan(model), rest)), 1e-12);
  }
}

// A mobile arm: the base's velocity in its own axes, where a wheel may slide in one direction only.
TEST(Speeds, OfAPlanarBaseInItsOwnAxes) {
  const Model model = with_base(load("servicer"), RootJoint::planar);
  std::string choice =
      "u1 = cos(q.\"base.yaw\")*v.\"base.x\" + sin(q.\"base.yaw\")*v.\"base.y\", u2 = cos(q.\"base.yaw\")*v.\"base.y\" - sin(q.\"base.yaw\")*v.\"base.x\", "
      "u3 = v.\"base.yaw\"";
  for (std::size_t k = 4; k <= 9; ++k) choice += ", u" + std::to_string(k) + " = v.q" + std::to_string(k);
  Random random(8);
  const State s = random_state(model, random);
  for (const std::string& name : {choice, std::string("body-rates"), std::string("joint-rates")}) {
    SCOPED_TRACE(name);
    const auto speeds = of_text(model, name);
    EXPECT_EQ(speeds->singular_where(), "");
    std::vector<double> u(9), v(9);
    speeds->from_rates(s.q, s.v, u);
    if (name == choice) {
      EXPECT_NEAR(u[0], std::cos(s.q[2]) * s.v[0] + std::sin(s.q[2]) * s.v[1], 1e-14);
    }
    speeds->to_rates(s.q, u, v);
    EXPECT_LT(relative_error(v, s.v), 1e-13);
    EXPECT_LT(relative_error(torques(model, s, speeds), inverse_of(make_plan(model), s)), 1e-12);
  }
}

// The inverse that equations and counts use, block by block, times A is one; blocks of one, two and three rates, and a larger one by elimination.
TEST(Speeds, InverseIsThatOfA) {
  struct Case {
    const char *model, *choice;
  };
  for (const auto& [id, choice] :
       {Case{"stanford", "kane-stanford"}, Case{"torso", "body-rates"},
        Case{"planar-3r", "u1 = v.wrist, u2 = v.elbow + 2*v.wrist, u3 = cos(q.elbow)*v.wrist + v.elbow - 3*v.shoulder"},
        Case{"planar-3r", "u1 = v.shoulder + cos(q.elbow)*v.elbow, u2 = 2*v.elbow - v.wrist*sin(q.wrist), u3 = v.wrist + 0.3*v.shoulder"},
        Case{"scara", "u1 = v.shoulder + v.elbow, u2 = v.elbow + 2*v.lift, u3 = v.lift*cos(q.elbow) + 3*v.tool, u4 = 0.5*v.tool - v.shoulder"}}) {
    SCOPED_TRACE(std::string(id) + ": " + choice);
    const Model model = load(id);
    const auto speeds = of_text(model, choice);
    const std::size_t n = speeds->size();
    Random random(9);
    const State s = random_state(model, random);
    std::vector<double> both(n * n + n), W(n * n);
    run_on<double>(speeds->chosen().values, s.q.data(), nullptr, n, both.data());
    run_on<double>(speeds->chosen().inverse, s.q.data(), nullptr, n, W.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0, size = 1;
        for (std::size_t k = 0; k < n; ++k) sum += both[i * n + k] * W[k * n + j], size += std::fabs(both[i * n + k] * W[k * n + j]);
        EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-13 * size);
      }
  }
}

/// What a choice is refused with.
std::string refusal(const Model& model, const std::string& choice) {
  try {
    choose_speeds(model, choice);
  } catch (const SourceError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Speeds, EveryWayToBeWrong) {
  const Model arm = load("planar-2r");
  const auto expect = [&](const char* choice, const char* words) {
    const std::string message = refusal(arm, choice);
    EXPECT_NE(message.find(words), std::string::npos) << choice << "\n" << message;
  };
  expect("u1 = v.shoulder, u2 = v.elbw", "did you mean 'elbow'?");
  expect("u1 = v.shoulder, u2 = v.elbw", "column 25");
  expect("u1 = v.shoulder, u2 = elbow", "write v.elbow");
  expect("u1 = v.shoulder", "there are 1, and 2 joints move");
  expect("u1 = v.shoulder, u2 = 2*v.shoulder", "none of them contains the rate v.elbow");
  const std::string few = refusal(load("planar-3r"), "u1 = v.shoulder, u2 = 2*v.shoulder, u3 = v.shoulder + v.elbow + v.wrist");
  EXPECT_NE(few.find("there are fewer joints in them than speeds"), std::string::npos) << few;
  expect("u1 = v.shoulder + v.elbow, u2 = 2*v.shoulder + 2*v.elbow", "u1 and u2 do not determine");
  expect("u1 = v.shoulder*cos(q.elbow)^2 + v.elbow, u2 = v.shoulder*(1 - sin(q.elbow)^2) + v.elbow", "their determinant is zero at every q");
  expect("u1 = v.shoulder^2, u2 = v.elbow", "not linear in the rate v.shoulder");
  expect("u1 = v.shoulder, u1 = v.elbow", "defined twice");
  expect("pi = v.shoulder, u2 = v.elbow", "the number pi already");
  expect("u1 = (v.shoulder, u2 = v.elbow", "never closed");
  expect("u1 = v.shoulder v.elbow, u2 = v.elbow", "an operator is missing");
  expect("u1 = sine(q.elbow)*v.shoulder, u2 = v.elbow", "there is no function 'sine'");
  expect("u1 = v.shoulder/0, u2 = v.elbow", "divides by zero");
  expect("u1 = v.shoulder +, u2 = v.elbow", "the expression ends");
  expect("u1 = v.shoulder,", "'' defines no speed");
  expect("u1 = , u2 = v.elbow", "the expression ends");
  expect("no-such-file.yaml", "no-such-file.yaml");
  const support::Folder folder;
  folder.write("bad.yaml", "speeds:\n  u1: v.shoulder\n  u2: v.shoulder + v.ellbow\n");
  folder.write("list.yaml", "speeds: [v.shoulder]\n");
  const std::string bad = refusal(arm, folder.at("bad.yaml")), list = refusal(arm, folder.at("list.yaml"));
  EXPECT_NE(bad.find("bad.yaml:3: error: 'u2', column 22: there is no joint that moves called 'ellbow'"), std::string::npos) << bad;
  EXPECT_NE(list.find("list.yaml:1"), std::string::npos) << list;
  EXPECT_NE(refusal(load("four-bar"), "u1 = v.crank").find("loops"), std::string::npos);
  EXPECT_NE(refusal(with_base(load("servicer"), RootJoint::free), "u1 = v.q1").find("has a free base"), std::string::npos);
  EXPECT_THROW(choose_speeds(arm, "kane-stanford"), std::invalid_argument);
  std::vector<std::string> deep(2);
  deep[0] = "u1 = " + std::string(100000, '(') + "v.shoulder, u2 = v.elbow";
  EXPECT_NE(refusal(arm, deep[0]), "accepted");
}

// Singular where the paper says: sin q2 = 0.
TEST(Speeds, SingularStatesAreRefused) {
  const Model model = load("stanford");
  Prepared prepared(model);
  prepared.speeds = of_text(model, "kane-stanford");
  FormulationOnModel kane(formulation_named("kane"), Quantity::inverse, prepared);
  const std::vector<double> q(6, 0.0), v(6, 0.1);
  EXPECT_NE(kane.why_not_here(q.data()).find("cannot be solved for the joint rates"), std::string::npos);
  EXPECT_NE(kane.why_not_here(q.data()).find("sin(q.q2)"), std::string::npos) << kane.why_not_here(q.data());
  std::vector<double> rates(6);
  EXPECT_THROW(prepared.speeds->to_rates(q, v, rates), std::domain_error);
  std::vector<double> other = q;
  other[1] = 1;
  EXPECT_EQ(kane.why_not_here(other.data()), "");
}

// Beside a zero or a pole of A or B a motion is refused before its digits are lost: a speed alone in its block is never badly conditioned.
TEST(Speeds, WhatLeavesNoDigitsIsRefused) {
  const Model model = load("planar-2r");
  const Plan plan = make_plan(model);
  for (const char* choice : {"u1 = v.shoulder*sin(q.elbow), u2 = v.elbow", "u1 = v.shoulder/sin(q.elbow), u2 = v.elbow",
                             "u1 = v.shoulder, u2 = v.elbow + v.shoulder/sin(q.elbow)", "u1 = v.shoulder + 1/sin(q.elbow), u2 = v.elbow"}) {
    SCOPED_TRACE(choice);
    const auto speeds = of_text(model, choice);
    EXPECT_EQ(speeds->singular_where(), "where sin(q.elbow) is zero");
    Prepared prepared(model);
    prepared.speeds = speeds;
    FormulationOnModel kane(formulation_named("kane"), Quantity::inverse, prepared);
    for (const double elbow : {1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-100, 1e-200, 0.0}) {
      const State s{{0.4, elbow}, {1, 0.7}, {0.3, -0.2}};
      if (!kane.why_not_here(s.q.data(), s.v.data(), s.a.data()).empty()) {
        EXPECT_LT(elbow, 1e-4);
        continue;
      }
      EXPECT_GT(elbow, 1e-10);
      EXPECT_LT(relative_error(torques(model, s, speeds), inverse_of(plan, s)), 1e-6);
    }
  }
  EXPECT_EQ(of_text(model, "u1 = v.shoulder*tan(q.elbow), u2 = v.elbow")->singular_where(), "where sin(q.elbow) is zero, or cos(q.elbow) is zero");
}

// As written and reduced. In body rates a planar arm's partial angular velocities are constants, which saves what joint rates cost there.
TEST(Speeds, CountsDifferByChoice) {
  const Model model = load("planar-3r");
  const auto count = [&](const char* choice) {
    Prepared prepared(model);
    prepared.speeds = of_text(model, choice);
    return count_as_written(formulation_named("kane"), Quantity::inverse, prepared);
  };
  const AsWritten rates = count("joint-rates"), bodies = count("body-rates");
  EXPECT_NE(rates.find(kStanfordSpeeds), nullptr);
  EXPECT_EQ(rates.find(kStanfordSpeeds)->counts.mul, 0);
  EXPECT_EQ(bodies.find(kStanfordSpeeds)->counts.add, 3);  // u2 = v1 + v2, u3 = v1 + v2 + v3
  EXPECT_GT(rates.total.mul, 0);
  EXPECT_THROW(
      {
        Prepared prepared(model);
        prepared.speeds = of_text(model, "body-rates");
        count_as_written(formulation_named("lagrange"), Quantity::inverse, prepared);
      },
      std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
