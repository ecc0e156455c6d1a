// A workspace carries nothing from one call to the next, and no call allocates.
#include <functional>

#include "support/allocations.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

/// Everything the library computes, as one list of numbers each.
struct Call {
  const char* name;
  std::function<void(const Plan&, Workspace&, const State&, const Effects&, std::vector<double>&)> run;
};

VectorView<double> first(std::vector<double>& out, const Plan& plan) { return {out.data(), plan.nv}; }

std::vector<Call> every_call() {
  const auto n = [](const Plan& plan) { return plan.nv; };
  using Numbers = std::vector<double>;
  return {
      {"inverse", [](const Plan& p, Workspace& w, const State& s, const Effects& e, Numbers& out) { inverse_dynamics(p, w, s.q, s.v, s.a, first(out, p), e); }},
      {"inverse by pointer", [](const Plan& p, Workspace& w, const State& s, const Effects& e,
                                Numbers& out) { inverse_dynamics(p, w, s.q.data(), s.v.data(), s.a.data(), out.data(), e); }},
      {"bias", [](const Plan& p, Workspace& w, const State& s, const Effects& e, Numbers& out) { bias_forces(p, w, s.q, s.v, first(out, p), e); }},
      {"gravity", [](const Plan& p, Workspace& w, const State& s, const Effects&, Numbers& out) { gravity_forces(p, w, s.q, first(out, p)); }},
      {"mass", [n](const Plan& p, Workspace& w, const State& s, const Effects& e,
                   Numbers& out) { mass_matrix(p, w, s.q, MatrixView<double>(out.data(), n(p), n(p)), e.rotor); }},
      {"mass by pointer",
       [](const Plan& p, Workspace& w, const State& s, const Effects& e, Numbers& out) { mass_matrix(p, w, s.q.data(), out.data(), e.rotor); }},
      {"coriolis", [n](const Plan& p, Workspace& w, const State& s, const Effects&,
                       Numbers& out) { coriolis_matrix(p, w, s.q, s.v, MatrixView<double>(out.data(), n(p), n(p))); }},
      {"forward", [](const Plan& p, Workspace& w, const State& s, const Effects& e, Numbers& out) { forward_dynamics(p, w, s.q, s.v, s.a, first(out, p), e); }},
      {"forward by mass", [](const Plan& p, Workspace& w, const State& s, const Effects& e,
                             Numbers& out) { forward_dynamics(p, w, s.q, s.v, s.a, first(out, p), e, ForwardMethod::mass_matrix); }},
      {"forward by articulated bodies",
       [](const Plan& p, Workspace& w, const State& s, const Effects& e, Numbers& out) {
         if (!p.coupled) forward_dynamics(p, w, s.q, s.v, s.a, first(out, p), e, ForwardMethod::articulated);
       }},
      {"forward by pointer", [](const Plan& p, Workspace& w, const State& s, const Effects& e,
                                Numbers& out) { forward_dynamics(p, w, s.q.data(), s.v.data(), s.a.data(), out.data(), e); }},
      {"energy",
       [](const Plan& p, Workspace& w, const State& s, const Effects& e, Numbers& out) {
         const Energy energy_now = energy(p, w, s.q, s.v, e);
         out[0] = energy_now.kinetic + energy_now.potential;
       }},
      {"momentum",
       [](const Plan& p, Workspace& w, const State& s, const Effects& e, Numbers& out) {
         const Momentum m = momentum(p, w, s.q, s.v, e);
         out[0] = dot(m.angular, m.linear);
       }},
      {"pose", [](const Plan& p, Workspace& w, const State& s, const Effects&, Numbers& out) { out[0] = link_pose(p, w, s.q, p.links.size() - 1).p.x; }},
      {"regressor", [](const Plan& p, Workspace& w, const State& s, const Effects& e,
                       Numbers& out) { regressor(p, w, s.q, s.v, s.a, MatrixView<double>(out.data(), p.nv, kBodyParameters * p.sizes().bodies), e); }},
      {"jacobian", [n](const Plan& p, Workspace& w, const State& s, const Effects&,
                       Numbers& out) { jacobian(p, w, s.q, p.links.size() - 1, MatrixView<double>(out.data(), 6, n(p))); }},
  };
}

TEST(Workspace, CarriesNothingOver) {
  const std::vector<Call> calls = every_call();
  for_each_case({.most = 16, .mimic = true}, [&](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    const Effects plain, all{.friction = true, .base = random_base(random), .wrenches = wrenches};
    const std::size_t room = plan.nv * (plan.nv + 6 + kBodyParameters * plan.sizes().bodies) + 6;
    Workspace dirty(plan);
    std::vector<double> rubbish(room);
    for (int k = 0; k < 60; ++k) {
      const Call& before = calls[random.below(calls.size())];
      const Call& now = calls[random.below(calls.size())];
      const Effects& effects = random.chance(0.5) ? all : plain;
      before.run(plan, dirty, random_state(model, random), random.chance(0.5) ? all : plain, rubbish);
      std::vector<double> used(room, 0.0), fresh(room, 0.0);
      now.run(plan, dirty, s, effects, used);
      Workspace clean(plan);
      now.run(plan, clean, s, effects, fresh);
      EXPECT_EQ(used, fresh) << now.name << " after " << before.name;
    }
  });
}

TEST(Workspace, NoCallAllocates) {
  const std::vector<Call> calls = every_call();
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed, {.mimic = seed % 2 == 0});
    const Plan plan = make_plan(model);
    Random random(seed);
    const State s = random_state(model, random);
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    const Effects effects{.friction = true, .base = random_base(random), .wrenches = wrenches};
    Workspace ws(plan);
    std::vector<double> out(plan.nv * (plan.nv + 6 + kBodyParameters * plan.sizes().bodies) + 6);
    std::vector<Pose<double>> poses(model.links().size());
    for (const Call& call : calls) {
      const long before = allocations();
      call.run(plan, ws, s, effects, out);
      EXPECT_EQ(allocations() - before, 0) << call.name;
    }
    const long before = allocations();
    link_poses(plan, ws, s.q, poses);
    EXPECT_EQ(allocations() - before, 0) << "link_poses";
  }
  const long before = allocations();
  ::operator delete(::operator new(1));
  EXPECT_EQ(allocations() - before, 1) << "the counter itself does not count";
}

/// The message of the std::invalid_argument that `call` must throw.
template <class F>
std::string refusal(F call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Sizes, WrongOnesAreRefusedWithBothNumbers) {
  const Model model = random_model(2, {.fewest = 5, .most = 5});
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  std::vector<double> five(5), four(4);
  Eigen::MatrixXd M(5, 5), wide(5, 4), J(6, 5), tall(7, 5);
  std::vector<Pose<double>> poses(1);
  const auto expect = [](const std::string& message, const std::string& what, const std::string& got, const std::string& wanted) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_NE(message.find(got), std::string::npos) << message;
    EXPECT_NE(message.find(wanted), std::string::npos) << message;
    EXPECT_NE(message.find("random-2"), std::string::npos) << "the robot is not named: " << message;
  };
  expect(refusal([&] { inverse_dynamics(plan, ws, four, five, five, five); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { inverse_dynamics(plan, ws, five, four, five, five); }), "v has 4", "4", "nv = 5");
  expect(refusal([&] { inverse_dynamics(plan, ws, five, five, four, five); }), "a has 4", "4", "nv = 5");
  expect(refusal([&] { inverse_dynamics(plan, ws, five, five, five, four); }), "tau has 4", "4", "nv = 5");
  expect(refusal([&] { bias_forces(plan, ws, four, five, five); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { bias_forces(plan, ws, five, four, five); }), "v has 4", "4", "nv = 5");
  expect(refusal([&] { bias_forces(plan, ws, five, five, four); }), "bias has 4", "4", "nv = 5");
  expect(refusal([&] { gravity_forces(plan, ws, four, five); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { gravity_forces(plan, ws, five, four); }), "gravity has 4", "4", "nv = 5");
  expect(refusal([&] { mass_matrix(plan, ws, four, M); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { mass_matrix(plan, ws, five, wide); }), "M is 5 x 4", "4", "nv = 5");
  expect(refusal([&] { forward_dynamics(plan, ws, four, five, five, five); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { forward_dynamics(plan, ws, five, four, five, five); }), "v has 4", "4", "nv = 5");
  expect(refusal([&] { forward_dynamics(plan, ws, five, five, four, five); }), "tau has 4", "4", "nv = 5");
  expect(refusal([&] { forward_dynamics(plan, ws, five, five, five, four); }), "a has 4", "4", "nv = 5");
  expect(refusal([&] { energy(plan, ws, four, five); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { energy(plan, ws, five, four); }), "v has 4", "4", "nv = 5");
  expect(refusal([&] { momentum(plan, ws, four, five); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { momentum(plan, ws, five, four); }), "v has 4", "4", "nv = 5");
  expect(refusal([&] { link_pose(plan, ws, four, 0); }), "q has 4", "4", "nq = 5");
  const std::string links = std::to_string(plan.links.size());
  expect(refusal([&] { link_poses(plan, ws, five, poses); }), "poses has 1", "1", "links = " + links);
  expect(refusal([&] { jacobian(plan, ws, four, 0, J); }), "q has 4", "4", "nq = 5");
  expect(refusal([&] { jacobian(plan, ws, five, 0, tall); }), "J is 7 x 5", "7", "6 x 5");
  expect(refusal([&] { link_pose(plan, ws, five, plan.links.size()); }), "link index " + links, links, links + " links");
  expect(refusal([&] { jacobian(plan, ws, five, plan.links.size(), J); }), "link index " + links, links, links + " links");
  const std::vector<Wrench> wrenches{{plan.links.size(), Axes::link, {}, {}}};
  expect(refusal([&] { inverse_dynamics(plan, ws, five, five, five, five, {.wrenches = wrenches}); }), "link index " + links, links, links + " links");
  expect(refusal([&] { bias_forces(plan, ws, five, five, five, {.wrenches = wrenches}); }), "link index " + links, links, links + " links");
  expect(refusal([&] { forward_dynamics(plan, ws, five, five, five, five, {.wrenches = wrenches}); }), "link index " + links, links, links + " links");
}

TEST(Sizes, WorkspaceOfAnotherModelIsRefused) {
  const Plan three = make_plan(random_model(1, {.fewest = 3, .most = 3})), five = make_plan(random_model(2, {.fewest = 5, .most = 5}));
  Workspace ws(three);
  std::vector<double> x(5);
  const std::string message = refusal([&] { inverse_dynamics(five, ws, x, x, x, x); });
  EXPECT_NE(message.find("made for 3 bodies and nv = 3"), std::string::npos) << message;
  EXPECT_NE(message.find("has 5 and nv = 5"), std::string::npos) << message;
}

}  // namespace
}  // namespace ulna::test
