// CSV of another program, free bases, and the edges: what cannot be compared, and what is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <ulna/model/model.hpp>

#include "faults.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using internal::cat;
using internal::numbers_of;

TEST(ExplainNumbers, ColumnsByName) {
  const Model model = load("planar-2r");
  const std::vector<std::string> names = model.coordinate_names();
  Diagnostics diagnostics("b.csv");
  const std::string header = cat("t,q.", names[1], ",q.", names[0], ",tau.", names[0], ",M.", names[0], ".", names[1], "\n");
  const std::optional<Numbers> numbers = read_numbers(cat(header, "0,1,pi/2,3,4\n\n0.1,5,6,7,8\n"), model, diagnostics);
  ASSERT_TRUE(numbers) << to_string(diagnostics.all().at(0));
  EXPECT_EQ(numbers->states, 2u);
  EXPECT_EQ(numbers->q[0], std::acos(0.0));
  EXPECT_EQ(numbers->q[1], 1);
  EXPECT_EQ(numbers->v, std::vector<double>(4, 0.0));
  EXPECT_EQ(numbers->tau[2], 7);
  EXPECT_TRUE(std::isnan(numbers->tau[1]));
  EXPECT_EQ(numbers->mass[1], 4);
  EXPECT_TRUE(std::isnan(numbers->mass[0]));
}

TEST(ExplainNumbers, BadTablesAreRefused) {
  const Model model = load("planar-2r");
  const std::string name = model.coordinate_names()[0];
  const auto refused = [&](const std::string& text, int line, const std::string& piece) {
    Diagnostics diagnostics("b.csv");
    EXPECT_FALSE(read_numbers(text, model, diagnostics)) << text;
    const bool found = std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                                   [&](const Diagnostic& d) { return d.line == line && to_string(d).find(piece) != std::string::npos; });
    EXPECT_TRUE(found) << text << "\n" << (diagnostics.all().empty() ? "nothing said" : to_string(diagnostics.all()[0]));
  };
  refused("", 0, "it has no header");
  refused(cat("q.", name, ",tau.", name, "\n"), 0, "it has no rows");
  refused(cat("q.", name, "\n1\n"), 1, "there is nothing to compare");
  refused(cat("tau.", name, ",q.nobody\n1,2\n"), 1, "there is no coordinate 'nobody'");
  refused(cat("tau.", name, ",M.", name, ".nobody\n1,2\n"), 1, "it names no two coordinates");
  refused(cat("tau.", name, ",tau.", name, "\n1,2\n"), 1, "it is there twice");
  refused(cat("tau.", name, "\n1,2\n"), 2, "it has 2 cells, and the header 1");
  refused(cat("tau.", name, "\nx\n"), 2, "cell 1");
  refused(cat("tau.", name, "\n\"1\n"), 2, "a quotation mark is not closed");
}

TEST(ExplainNumbers, WhatNobodyCanNameIsLeft) {
  const Model model = load("panda");
  Numbers numbers = printed(model, {}, true, false, false);
  for (std::size_t i = 0; i < numbers.tau.size(); ++i) numbers.tau[i] += std::sin(7.0 * static_cast<double>(i * i));  // no mechanics
  const Explanation e = explain(model, numbers);
  EXPECT_FALSE(e.agree);
  EXPECT_GT(e.residual, 1e-3) << listing(e);
  EXPECT_LE(e.residual, e.before);
}

TEST(ExplainNumbers, RobotsOfOtherSizesAreRefused) {
  EXPECT_THROW(explain(load("panda"), load("ur5")), std::invalid_argument);
  Numbers numbers = printed(load("panda"), {}, true, false, false);
  EXPECT_THROW(explain(load("ur5"), numbers), std::invalid_argument);
  numbers.tau.clear();
  EXPECT_THROW(explain(load("panda"), numbers), std::invalid_argument);
}

// Two fingers, of which one follows the other: as Ulna reads them, and as programs do that know no mimics.
TEST(Explain, UnequalCoordinatesNameTheJointsAndTheSwitch) {
  const auto link = [](const char* name) {
    return cat("<link name='", name, "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>");
  };
  const auto joint = [](const char* name, const char* child, const char* more) {
    return cat("<joint name='", name, "' type='prismatic'><parent link='base'/><child link='", child,
               "'/><axis xyz='0 1 0'/><limit lower='0' upper='1' effort='1' velocity='1'/>", more, "</joint>");
  };
  const std::string text =
      cat("<robot name='g'><link name='base'/>", link("l"), link("r"), joint("left", "l", ""), joint("right", "r", "<mimic joint='left'/>"), "</robot>");
  const LoadOptions free{.mimic = MimicPolicy::ignore};
  const Model coupled = parse(text, "g.urdf"), open = parse(text, "g.urdf", free);
  const auto why = [](const Model& a, const Model& b) -> std::string {
    try {
      explain(a, b);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "comparable";
  };
  EXPECT_EQ(why(coupled, open), "A has 1 coordinate and B has 2; joint 'right' follows another in A: --a-mimic ignore (LoadOptions::mimic) frees it");
  EXPECT_EQ(why(open, coupled), "A has 2 coordinates and B has 1; joint 'right' follows another in B: --b-mimic ignore (LoadOptions::mimic) frees it");
  EXPECT_NE(why(with_base(open, RootJoint::free), coupled).find("the base of A is free and that of B fixed: --b-base free"), std::string::npos);
  EXPECT_EQ(why(open, open), "comparable");
  Diagnostics problems;
  const std::optional<Model> held = with_locked(open, {{"left", 0}}, problems);
  ASSERT_TRUE(held);
  EXPECT_EQ(why(open, *held), "A has 2 coordinates and B has 1; joint 'left' moves in A alone: --a-lock NAME (LoadOptions::locks) holds it");
  const LoadResult told = try_parse(text, "g.urdf");
  EXPECT_NE(to_string(told.diagnostics.at(0))
                .find("the robot has 1 coordinate, and 2 in programs that leave it out, as Pinocchio does by default; "
                      "ignore mimics to make it a free joint (--mimic ignore, LoadOptions::mimic)"),
            std::string::npos)
      << to_string(told.diagnostics.at(0));
}

// The papers' own case: another order of joints alone is no disagreement of torques by name.
TEST(ExplainNumbers, OrderOfFilesAloneIsListedApart) {
  const Model torso = load("torso");
  const Model turned = spoilt(torso, {[](Description& d) { std::reverse(d.joints.begin(), d.joints.end()); }});
  ASSERT_NE(torso.coordinate_names(), turned.coordinate_names());
  const Explanation e = explain(torso, turned);
  EXPECT_TRUE(e.agree) << listing(e);
  ASSERT_EQ(e.causes.size(), 1u) << listing(e);
  EXPECT_EQ(e.causes[0].kind, "joint-order");
  EXPECT_EQ(e.causes[0].share, 0);
}

// A format has its own frames, and merges links: the same robot has no cause.
TEST(ExplainNumbers, OtherFormatsOfOneRobot) {
  for (const std::string id : {"panda", "stanford", "ur5", "scara", "iiwa14"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    Diagnostics told_by_writer;
    LoadOptions options;
    options.gravity = model.gravity();
    options.unchecked = true;
    const LoadResult mjcf = try_parse(*write_mjcf(model, told_by_writer), "b.xml", options),
                     urdf = try_parse(*write_urdf(model, told_by_writer), "b.urdf", options);
    for (const LoadResult* other : {&mjcf, &urdf}) {
      ASSERT_TRUE(other->model);
      const Explanation e = explain(model, *other->model);
      EXPECT_TRUE(e.agree) << listing(e);
      // And with a fault, that one is named alone, whatever the frames are.
      const std::string link = model.links()[model.joints()[model.independent()[2]].child].name;
      const Model faulty = spoilt(*other->model, {[&](Description& d) { link_of(d, link).mass *= 1.5; }});
      const Explanation one = explain(model, faulty);
      ASSERT_FALSE(one.causes.empty());
      EXPECT_EQ(one.causes[0].kind, "mass") << listing(one);
      EXPECT_EQ(one.causes[0].where, link) << listing(one);
      EXPECT_LT(one.causes[0].residual_after, 1e-9) << listing(one);
    }
  }
}

TEST(ExplainNumbers, AQuaternionOfAnotherLengthIsRefusedWithIt) {
  const Model model = with_base(load("planar-2r"), RootJoint::free);
  Diagnostics good("n.csv"), bad("n.csv");
  EXPECT_TRUE(read_numbers("q.base.qw,q.base.qx,tau.base.fz\n0.6,0.8,98.1\n", model, good)) << good.all().size();
  EXPECT_TRUE(read_numbers("q.base.qw,q.base.qx,tau.base.fz\n0.7071,0.7071,98.1\n", model, good)) << good.all().size();
  EXPECT_FALSE(read_numbers("q.base.qw,q.base.qx,tau.base.fz\n0.6,0.81,98.1\n", model, bad));
  EXPECT_NE(listing(bad).find("n.csv:2: error: row: the quaternion of the base has length 1.00802, not 1"), std::string::npos) << listing(bad);
  Numbers direct = *read_numbers("q.base.qw,q.base.qx,tau.base.fz\n0.6,0.8,98.1\n", model, good);
  direct.q[6] = 0.61;
  EXPECT_THROW(explain(model, direct), std::invalid_argument);
}

TEST(ExplainNumbers, AFreeBase) {
  const Model model = with_base(load("ur5"), RootJoint::free);
  const std::string root = model.links()[0].name, tip = model.links().back().name;
  EXPECT_TRUE(explain(model, model).agree);
  // The root's own inertia is felt now.
  const Model heavier = spoilt(model, {[&](Description& d) { link_of(d, root).mass += 2; }});
  const Explanation e = explain(model, heavier);
  ASSERT_FALSE(e.causes.empty()) << listing(e);
  EXPECT_EQ(e.causes[0].where, root);
  EXPECT_LT(e.residual, 1e-9) << listing(e);
}

TEST(ExplainNumbers, ConventionsOfAFreeBase) {
  const Model model = with_base(load("ur5"), RootJoint::free);
  const Numbers ours = numbers_of(model, some_states(model));
  using Base = BaseConvention;
  const std::vector<std::pair<Base, std::string>> cases{
      {{.quaternion = Base::Quaternion::wxyz}, "the quaternion w first"},
      {{.order = Base::Order::linear}, "linear before angular"},
      {{.axes = Base::Axes::world}, "velocities in the world's axes"},
      {{.acceleration = Base::Acceleration::spatial}, "the spatial acceleration, not the classical one"},
  };
  for (const auto& [convention, words] : cases) {
    SCOPED_TRACE(words);
    // What a program prints that takes these states for its own: the torques of the states as it understands them, in its own axes.
    Numbers theirs = ours;
    const std::size_t nq = model.nq(), nv = model.nv();
    for (std::size_t s = 0; s < theirs.states; ++s) {
      std::vector<double> q(theirs.q.begin() + static_cast<std::ptrdiff_t>(s * nq), theirs.q.begin() + static_cast<std::ptrdiff_t>((s + 1) * nq));
      std::vector<double> v(theirs.v.begin() + static_cast<std::ptrdiff_t>(s * nv), theirs.v.begin() + static_cast<std::ptrdiff_t>((s + 1) * nv));
      std::vector<double> a(theirs.a.begin() + static_cast<std::ptrdiff_t>(s * nv), theirs.a.begin() + static_cast<std::ptrdiff_t>((s + 1) * nv));
      to_ulna(convention, q.data(), v.data(), a.data(), nullptr);
      Numbers one;
      one.states = 1, one.q = q, one.v = v, one.a = a;
      const std::vector<double> tau = numbers_of(model, one).tau;
      for (std::size_t k = 0; k < nv; ++k) theirs.tau[s * nv + k] = k < 6 ? std::nan("") : tau[k];  // the joints' torques alone
    }
    const Explanation e = explain(model, theirs);
    ASSERT_FALSE(e.agree);
    ASSERT_FALSE(e.causes.empty()) << listing(e);
    EXPECT_EQ(e.causes[0].kind, "base-frame") << listing(e);
    const bool said = e.causes[0].to.words == words || std::any_of(e.causes[0].also.begin(), e.causes[0].also.end(),
                                                                   [&](const std::string& also) { return also.find(words) != std::string::npos; });
    EXPECT_TRUE(said) << listing(e);
    EXPECT_LT(e.residual, 1e-9);
  }
}

}  // namespace
}  // namespace ulna::test
