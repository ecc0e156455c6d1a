// The templates: an input that is NaN, infinite, or an angle beyond 1.6e6 rad makes every result NaN; wrenches and the base's motion are inputs, too.
#include <cmath>
#include <functional>

#include "support/cases.hpp"

namespace ulna::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

struct Inputs {
  State s;
  std::vector<double> tau;
  Wrench wrench;
  Effects effects;
};

/// A public function: what it takes, and all its results.
struct Function {
  const char* name;
  bool v, a, tau, base, wrench;
  std::function<std::vector<double>(const Plan&, const Inputs&)> results;
};

std::vector<double> numbers(const Pose<double>& X) { return {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z}; }

const std::vector<Function>& functions() {
  const auto vector = [](auto f) {
    return [f](const Plan& plan, const Inputs& in) {
      Workspace ws(plan);
      std::vector<double> out(plan.nv);
      f(plan, ws, in, out);
      return out;
    };
  };
  static const std::vector<Function> all{
      {"inverse_dynamics", true, true, false, true, true, vector([](const Plan& plan, Workspace& ws, const Inputs& in, std::vector<double>& out) {
         inverse_dynamics(plan, ws, in.s.q, in.s.v, in.s.a, out, in.effects);
       })},
      {"bias_forces", true, false, false, true, true,
       vector([](const Plan& plan, Workspace& ws, const Inputs& in, std::vector<double>& out) { bias_forces(plan, ws, in.s.q, in.s.v, out, in.effects); })},
      {"gravity_forces", false, false, false, false, false,
       vector([](const Plan& plan, Workspace& ws, const Inputs& in, std::vector<double>& out) { gravity_forces(plan, ws, in.s.q, out); })},
      {"forward_dynamics by mass", true, false, true, true, true, vector([](const Plan& plan, Workspace& ws, const Inputs& in, std::vector<double>& out) {
         forward_dynamics(plan, ws, in.s.q, in.s.v, in.tau, out, in.effects, ForwardMethod::mass_matrix);
       })},
      {"forward_dynamics by articulated bodies", true, false, true, true, true,
       vector([](const Plan& plan, Workspace& ws, const Inputs& in, std::vector<double>& out) {
         forward_dynamics(plan, ws, in.s.q, in.s.v, in.tau, out, in.effects, plan.coupled ? ForwardMethod::mass_matrix : ForwardMethod::articulated);
       })},
      {"mass_matrix", false, false, false, false, false,
       [](const Plan& plan, const Inputs& in) {
         const Eigen::MatrixXd M = mass_of(plan, in.s.q);
         return std::vector<double>(M.data(), M.data() + M.size());
       }},
      {"coriolis_matrix", true, false, false, false, false,
       [](const Plan& plan, const Inputs& in) {
         Workspace ws(plan);
         Eigen::MatrixXd C(plan.nv, plan.nv);
         coriolis_matrix(plan, ws, in.s.q, in.s.v, C);
         return std::vector<double>(C.data(), C.data() + C.size());
       }},
      {"energy", true, false, false, true, false,
       [](const Plan& plan, const Inputs& in) {
         Workspace ws(plan);
         const Energy e = energy(plan, ws, in.s.q, in.s.v, in.effects);
         return std::vector<double>{e.kinetic, e.potential};
       }},
      {"momentum", true, false, false, true, false,
       [](const Plan& plan, const Inputs& in) {
         Workspace ws(plan);
         const Momentum p = momentum(plan, ws, in.s.q, in.s.v, in.effects);
         return std::vector<double>{p.angular.x, p.angular.y, p.angular.z, p.linear.x, p.linear.y, p.linear.z};
       }},
      {"link_pose", false, false, false, false, false,
       [](const Plan& plan, const Inputs& in) {
         Workspace ws(plan);
         return numbers(link_pose(plan, ws, in.s.q, plan.links.size() / 2));
       }},
      {"link_poses", false, false, false, false, false,
       [](const Plan& plan, const Inputs& in) {
         Workspace ws(plan);
         std::vector<Pose<double>> poses(plan.links.size());
         link_poses(plan, ws, in.s.q, poses);
         std::vector<double> out;
         for (const Pose<double>& X : poses)
           for (const double x : numbers(X)) out.push_back(x);
         return out;
       }},
      {"regressor", true, true, false, true, false,
       [](const Plan& plan, const Inputs& in) {
         Workspace ws(plan);
         Eigen::MatrixXd Y(plan.nv, kBodyParameters * plan.sizes().bodies);
         regressor(plan, ws, in.s.q, in.s.v, in.s.a, Y, in.effects);
         return std::vector<double>(Y.data(), Y.data() + Y.size());
       }},
      {"jacobian", false, false, false, false, false,
       [](const Plan& plan, const Inputs& in) {
         Workspace ws(plan);
         Eigen::MatrixXd J(6, plan.nv);
         jacobian(plan, ws, in.s.q, plan.links.size() / 2, J);
         return std::vector<double>(J.data(), J.data() + J.size());
       }},
  };
  return all;
}

TEST(BadStates, MakeEveryResultNan) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = random_model(seed, {.most = 8, .mimic = seed % 3 == 0});
    const Plan plan = make_plan(model);
    Random random(seed);
    Inputs sound;
    sound.s = random_state(model, random);
    sound.tau = random.numbers(sound.s.q.size(), -5, 5);
    sound.effects.friction = seed % 2 == 0;
    sound.wrench = {model.links().size() - 1, seed % 2 == 0 ? Axes::world : Axes::link, random.vector(3), random.vector(3)};
    for (const Function& function : functions()) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " " << function.name);
      const auto run = [&](const std::function<void(Inputs&)>& change) {
        Inputs in = sound;
        change(in);
        in.effects.wrenches = {&in.wrench, function.wrench ? std::size_t{1} : std::size_t{0}};
        return function.results(plan, in);
      };
      for (const double x : run([](Inputs&) {})) ASSERT_TRUE(std::isfinite(x));
      const auto bad = [&](const char* what, const std::function<void(Inputs&)>& change) {
        for (const double x : run(change)) EXPECT_TRUE(std::isnan(x)) << what;
      };
      for (const double number : {kNan, kInfinity, -kInfinity}) {
        for (std::size_t k = 0; k < sound.s.q.size(); ++k) {
          bad("q", [&](Inputs& in) { in.s.q[k] = number; });
          if (function.v) bad("v", [&](Inputs& in) { in.s.v[k] = number; });
          if (function.a) bad("a", [&](Inputs& in) { in.s.a[k] = number; });
          if (function.tau) bad("tau", [&](Inputs& in) { in.tau[k] = number; });
        }
        if (function.base) {
          bad("angular velocity", [&](Inputs& in) { in.effects.base.angular_velocity.x = number; });
          bad("linear velocity", [&](Inputs& in) { in.effects.base.linear_velocity.y = number; });
          bad("angular acceleration", [&](Inputs& in) { in.effects.base.angular_acceleration.z = number; });
          bad("linear acceleration", [&](Inputs& in) { in.effects.base.linear_acceleration.x = number; });
        }
        if (function.wrench) {
          bad("force", [&](Inputs& in) { in.wrench.force.z = number; });
          bad("moment", [&](Inputs& in) { in.wrench.moment.y = number; });
        }
      }
      for (std::size_t k = 0; k < sound.s.q.size(); ++k) {
        if (model.joints()[model.independent()[k]].type == JointType::prismatic) continue;
        bad("angle", [&](Inputs& in) { in.s.q[k] = 1.648e6; });
        if (plan.coupled) continue;
        for (const double x : run([&](Inputs& in) { in.s.q[k] = -1.647e6; })) EXPECT_TRUE(std::isfinite(x));
      }
    }
  }
}

}  // namespace
}  // namespace ulna::test
