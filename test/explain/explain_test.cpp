// The bench: faults put into robots, one and two at a time. The cause must come first, with its place, and its edit must leave nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "faults.hpp"
#include "support/builtin.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

bool names_first(const Explanation& e, const std::string& kind, const std::string& where) {
  return !e.agree && !e.causes.empty() && e.causes[0].kind == kind && e.causes[0].where == where && e.causes[0].residual_after < 1e-9 &&
         !e.causes[0].edit.empty();
}

/// A fault that no torque feels (a link's inertia about an axis that it never turns about) is none.
bool is_felt(const Model& model, const Model& faulty) {
  const Explanation e = explain(model, faulty);
  return e.before > 1e-9;
}

TEST(Explain, NoFaultNoCause) {
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    SCOPED_TRACE(robot.id);
    const LoadResult loaded = try_load(std::string(robot.id), {.unchecked = true});
    const Model& model = *loaded.model;
    const Explanation e = explain(model, model);
    EXPECT_TRUE(e.agree);
    EXPECT_TRUE(e.causes.empty()) << listing(e);
    if (model.nq() != model.nv()) continue;  // conventions of a free base have tests of their own
    const Explanation by_numbers = explain(model, printed(model, {}, true, false, true));
    EXPECT_TRUE(by_numbers.agree) << listing(by_numbers);
    EXPECT_TRUE(by_numbers.causes.empty()) << listing(by_numbers);
  }
}

TEST(Explain, FaultsOfFilesOneAtATime) {
  int named = 0, all = 0;
  for (const Fault& fault : file_faults()) {
    SCOPED_TRACE(fault.robot + ": " + fault.name);
    Model model = load(fault.robot);
    if (fault.name == "fixed link turned")
      model = spoilt(model, {[](Description& d) {
                       Link tool;
                       tool.name = "gripper", tool.mass = 2, tool.com = {0.1, 0.02, 0.03}, tool.inertia = {0.02, 0.03, 0.025, 0.001, 0, 0};
                       Description::JointEntry entry;
                       entry.joint.name = "gripper_joint", entry.joint.X_PF = {rotation_rpy(0.4, 0.5, 0.6), {0.01, 0.02, 0.1}};
                       entry.parent = d.joints.back().child, entry.child = "gripper";
                       d.links.push_back(tool), d.joints.push_back(entry);
                     }});
    const Model faulty = spoilt(model, {fault.spoil});
    if (!is_felt(model, faulty)) continue;
    const Explanation e = explain(model, faulty);
    ++all;
    const bool good = names_first(e, fault.kind, fault.where);
    named += good;
    if (!good)
      std::printf("not named: %s, %s at %s\n%s", (fault.robot + ": " + fault.name).c_str(), fault.kind.c_str(), fault.where.c_str(), listing(e).c_str());
    EXPECT_LT(e.residual, 1e-9) << listing(e);
  }
  std::printf("faults of files, one at a time: %d of %d named first\n", named, all);
  EXPECT_GE(all, 70);
  EXPECT_GE(named, 0.95 * all);
}

TEST(Explain, FaultsOfFilesTwoAtATime) {
  const std::vector<Fault> faults = file_faults(), others = file_faults(true);
  int named = 0, all = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    for (const std::size_t step : {1u, 3u, 8u}) {
      const std::size_t k = i + step;
      if (k >= faults.size() || others[k].robot != faults[i].robot) continue;
      const Fault &one = faults[i], &two = others[k];
      if (one.where == two.where || one.name == "fixed link turned" || two.name == "fixed link turned" || two.name == "names exchanged") continue;
      SCOPED_TRACE(one.robot + ": " + one.name + " and " + two.name);
      const Model model = load(one.robot), faulty = spoilt(model, {one.spoil, two.spoil});
      if (!is_felt(model, spoilt(model, {one.spoil})) || !is_felt(model, spoilt(model, {two.spoil}))) continue;
      const Explanation e = explain(model, faulty);
      ++all;
      const auto has = [&](const Fault& f) {
        return std::any_of(e.causes.begin(), e.causes.end(), [&](const Cause& c) { return c.kind == f.kind && c.where == f.where && c.share > 0; });
      };
      const bool good = has(one) && has(two) && std::count_if(e.causes.begin(), e.causes.end(), [](const Cause& c) { return c.share > 0; }) == 2;
      named += good;
      if (!good) std::printf("not named: %s\n%s", (one.robot + ": " + one.name + " and " + two.name).c_str(), listing(e).c_str());
      EXPECT_LT(e.residual, 1e-9) << listing(e);
    }
  }
  std::printf("faults of files, two at a time: %d of %d named, both and nothing else\n", named, all);
  EXPECT_GE(all, 60);
  EXPECT_GE(named, 0.95 * all);
}

TEST(Explain, FaultsOfProgramsOneAtATime) {
  int named = 0, all = 0;
  for (const ProgramFault& fault : program_faults()) {
    SCOPED_TRACE(fault.robot + ": " + fault.name);
    const Model model = load(fault.robot);
    const Explanation e = explain(model, printed(model, {fault.spoil}, fault.torque, fault.gravity, fault.mass));
    if (e.agree) continue;
    ++all;
    const bool good = names_first(e, fault.kind, fault.where);
    named += good;
    if (!good)
      std::printf("not named: %s, %s at %s\n%s", (fault.robot + ": " + fault.name).c_str(), fault.kind.c_str(), fault.where.c_str(), listing(e).c_str());
    EXPECT_LT(e.residual, 1e-9) << listing(e);
  }
  std::printf("faults of programs, one at a time: %d of %d named first\n", named, all);
  EXPECT_GE(all, 40);
  EXPECT_GE(named, 0.95 * all);
}

// Many programs know neither rotors nor friction: that must not hide a fault.
TEST(Explain, FaultsOfProgramsWithoutRotorsAndFriction) {
  const Model model = load("puma560");
  const auto bare = [](internal::Trial& t) {
    for (Description::JointEntry& e : t.robot.joints) e.joint.rotor = e.joint.friction.viscous = e.joint.friction.coulomb = 0;
  };
  const Explanation alone = explain(model, printed(model, {bare}, true, false, false));
  EXPECT_EQ(alone.causes.size(), 2u) << listing(alone);  // its file has rotors and damping
  EXPECT_LT(alone.residual, 1e-9) << listing(alone);
  const std::string link = model.links()[model.joints()[model.independent()[2]].child].name;
  const std::vector<std::pair<std::string, std::function<void(internal::Trial&)>>> faults{
      {"mass", [&](internal::Trial& t) { link_of(t.robot, link).mass *= 1.2; }},
      {"coriolis", [](internal::Trial& t) { t.velocity_terms = 0; }},
      {"joint-sign", [](internal::Trial& t) { t.coordinates.sign[1] = -1; }},
      {"gravity",
       [](internal::Trial& t) {
         t.robot.gravity = {1, 2, -9};
       }},
  };
  for (const auto& [kind, fault] : faults) {
    SCOPED_TRACE(kind);
    const Explanation e = explain(model, printed(model, {bare, fault}, true, false, false));
    EXPECT_TRUE(std::any_of(e.causes.begin(), e.causes.end(), [&](const Cause& c) { return c.kind == kind && c.share > 0; })) << listing(e);
    EXPECT_LT(e.residual, 1e-9) << listing(e);
  }
}

TEST(Explain, FaultsOfProgramsTwoAtATime) {
  const std::vector<ProgramFault> faults = program_faults(), others = program_faults(true);
  int named = 0, all = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const std::size_t k = i + 4;
    if (k >= faults.size() || others[k].robot != faults[i].robot || faults[i].kind == others[k].kind || !faults[i].torque || !others[k].torque) continue;
    const ProgramFault &one = faults[i], &two = others[k];
    SCOPED_TRACE(one.robot + ": " + one.name + " and " + two.name);
    const Model model = load(one.robot);
    // A fault that no torque feels is none.
    const auto is_felt_alone = [&](const ProgramFault& fault) {
      const internal::Comparison comparison(model, printed(model, {fault.spoil}, true, false, false));
      return comparison.residual({describe(model), internal::Coordinates(model.independent().size())}) > ExplainOptions{}.tolerance;
    };
    if (!is_felt_alone(one) || !is_felt_alone(two)) continue;
    const Explanation e = explain(model, printed(model, {one.spoil, two.spoil}, true, false, false));
    ++all;
    const auto has = [&](const ProgramFault& f) {
      return std::any_of(e.causes.begin(), e.causes.end(), [&](const Cause& c) {
        // Where another link's parameters do the same to every torque, both are said.
        const auto as_well = [&](const std::string& also) { return also.starts_with(internal::cat(f.kind, " of ", f.where, ":")); };
        return c.share > 0 && ((c.kind == f.kind && c.where == f.where) || std::any_of(c.also.begin(), c.also.end(), as_well));
      });
    };
    const bool good = has(one) && has(two) && e.residual < 1e-9;
    named += good;
    if (!good) std::printf("not named: %s\n%s", (one.robot + ": " + one.name + " and " + two.name).c_str(), listing(e).c_str());
  }
  std::printf("faults of programs, two at a time: %d of %d named\n", named, all);
  EXPECT_GE(all, 20);
  EXPECT_GE(named, 0.95 * all);
}

}  // namespace
}  // namespace ulna::test
