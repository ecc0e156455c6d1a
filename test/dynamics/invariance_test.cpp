// What must not change the dynamics: where the base points, how rigid parts are cut, how joints are numbered, which parameters are lumped.
#include <algorithm>
#include <map>
#include <numbers>

#include <ulna/model/model.hpp>

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

std::vector<double> pick(const std::vector<double>& values, const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  std::vector<double> out;
  for (const std::string& name : wanted) out.push_back(values.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())));
  return out;
}
State pick(const State& s, const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  return {pick(s.q, names, wanted), pick(s.v, names, wanted), pick(s.a, names, wanted)};
}

// Turning the base and gravity together is turning one's head.
TEST(Invariance, RotatingBaseAndGravityTogether) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Description plain = random_description(seed);
    Description turned = plain;
    Random random(seed + 1000);
    const Mat3<double> R = random.rotation();
    turned.gravity = R * plain.gravity;
    for (Description::JointEntry& entry : turned.joints)
      if (entry.parent == "link0") entry.joint.X_PF = Pose<double>{R, {}} * entry.joint.X_PF;
    const Model model = build(plain);
    const State s = random_state(model, random);
    const Oracle oracle(model, s.q, s.v, s.a);
    const Plan one = make_plan(model), two = make_plan(build(turned));
    EXPECT_LT(relative_error(inverse_of(one, s), inverse_of(two, s)), tolerance(steps(model), 2 * torque_condition(oracle)));
    EXPECT_LT(relative_error(mass_of(one, s.q), mass_of(two, s.q)), tolerance(steps(model)));
  }
}

/// The same robot with the child of every fixed joint welded into its parent, by the parallel-axis theorem.
Description welded(Description d) {
  for (std::size_t j = 0; j < d.joints.size();) {
    if (d.joints[j].joint.type != JointType::fixed) {
      ++j;
      continue;
    }
    const Description::JointEntry weld = d.joints[j];
    const Pose<double> X_PB = weld.joint.X_PF * weld.joint.X_MB;
    const auto by_name = [&](const std::string& name) { return std::find_if(d.links.begin(), d.links.end(), [&](const Link& l) { return l.name == name; }); };
    const Link child = *by_name(weld.child);
    Link& parent = *by_name(weld.parent);
    if (child.mass > 0) {
      Link sum = parent;
      const Vec3<double> c = X_PB.p + X_PB.R * child.com;
      sum.mass = parent.mass + child.mass;
      sum.com = (1 / sum.mass) * (parent.mass * parent.com + child.mass * c);
      sum.inertia = parent.inertia + congruence(X_PB.R, child.inertia);
      for (const auto& [m, at] : {std::pair{parent.mass, parent.com}, std::pair{child.mass, c}}) {
        const Vec3<double> r = at - sum.com;
        sum.inertia =
            sum.inertia +
            Sym3<double>{m * (r.y * r.y + r.z * r.z), m * (r.x * r.x + r.z * r.z), m * (r.x * r.x + r.y * r.y), -m * r.x * r.y, -m * r.x * r.z, -m * r.y * r.z};
      }
      sum.inertial = true;
      parent = sum;
    }
    d.joints.erase(d.joints.begin() + static_cast<std::ptrdiff_t>(j));
    for (Description::JointEntry& entry : d.joints)
      if (entry.parent == weld.child) {
        entry.parent = weld.parent;
        entry.joint.X_PF = X_PB * entry.joint.X_PF;
      }
    d.links.erase(by_name(weld.child));
    j = 0;
  }
  return d;
}

TEST(Invariance, WeldingFixedLinks) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Description cut = random_description(seed);
    const Model model = build(cut), whole = build(welded(cut));
    ASSERT_EQ(model.nv(), whole.nv());
    Random random(seed + 1000);
    const State s = random_state(model, random);
    const State t = pick(s, model.coordinate_names(), whole.coordinate_names());
    const std::vector<double> tau = pick(inverse_of(make_plan(model), s), model.coordinate_names(), whole.coordinate_names());
    EXPECT_LT(relative_error(tau, inverse_of(make_plan(whole), t)), tolerance(steps(model), 2 * torque_condition(Oracle(model, s.q, s.v, s.a))));
  }
}

TEST(Invariance, NumberingOfJoints) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Description one = random_description(seed, {.mimic = true});
    Description two = one;
    std::reverse(two.joints.begin(), two.joints.end());
    std::reverse(two.links.begin(), two.links.end());
    const Model first = build(one), second = build(two);
    const std::vector<std::string> from = first.coordinate_names(), to = second.coordinate_names();
    Random random(seed + 1000);
    const State s = random_state(first, random);
    const State t = pick(s, from, to);
    const Oracle oracle(first, s.q, s.v, s.a);
    const double cond = torque_condition(oracle);
    const std::vector<double> tau = pick(inverse_of(make_plan(first), s), from, to);
    EXPECT_LT(relative_error(tau, inverse_of(make_plan(second), t)), tolerance(steps(first), 2 * cond));
    const Eigen::MatrixXd M = mass_of(make_plan(first), s.q);
    const double kappa = condition_number(M) + oracle.torque_size() * inverted(M).norm() / largest(s.a);
    const std::vector<double> a = forward_of(make_plan(second), t, tau);
    EXPECT_LT(relative_error(a, t.a), tolerance(steps(first), 2 * kappa));
  }
}

// Lumping moves parameters, never torques. The bound is a promise of the library, not a matter of rounding analysis.
TEST(Invariance, Lumping) {
  constexpr double kPromised = 1e-12;
  for_each_case({.mimic = true}, [&](const Model& model, const State& s, Random& random) {
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    const Effects effects{.friction = true, .base = random_base(random), .wrenches = wrenches};
    const Plan plain = make_plan(model, {.lumping = Lumping::none});
    const Oracle oracle(model, s.q, s.v, s.a, effects);
    const std::vector<double> tau = inverse_of(plain, s, effects);
    const Eigen::MatrixXd M = mass_of(plain, s.q);
    const double kappa = condition_number(M) + oracle.torque_size() * inverted(M).norm() / largest(s.a);
    for (const Lumping lumping : {Lumping::szz, Lumping::jyy}) {
      const Plan plan = make_plan(model, {.lumping = lumping});
      EXPECT_LT(relative_error(inverse_of(plan, s, effects), tau), kPromised);
      EXPECT_LT(relative_error(inverse_of(plan, s, effects), tau), tolerance(steps(model), 2 * torque_condition(oracle)));
      EXPECT_LT(relative_error(mass_of(plan, s.q), M), kPromised);
      EXPECT_LT(relative_error(forward_of(plan, s, tau, effects), s.a), tolerance(steps(model), 2 * kappa));
      if (!plan.coupled) {
        EXPECT_LT(relative_error(forward_of(plan, s, tau, effects, ForwardMethod::articulated), s.a), tolerance(steps(model), 2 * kappa));
      }
      Workspace ws(plan);
      EXPECT_EQ(energy(plan, ws, s.q, s.v).kinetic, energy(plain, ws, s.q, s.v).kinetic) << "energy takes the model's own parameters";
    }
  });
}

TEST(Invariance, LumpedParametersVanishAsNamed) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed);
    for (const Lumping lumping : {Lumping::szz, Lumping::jyy})
      for (const PlanBody<double>& body : make_plan(model, {.lumping = lumping}).bodies) {
        if (body.prismatic) {
          EXPECT_EQ(body.lumped.S, Sym3<double>{});
          continue;
        }
        EXPECT_EQ(body.lumped.m, 0);
        EXPECT_EQ(body.lumped.h.z, 0);
        EXPECT_EQ(lumping == Lumping::szz ? body.lumped.S.zz : body.lumped.J().yy, 0);
      }
  }
}

// A mimic joint is a free joint with a constraint: M = Gᵀ M G, tau = Gᵀ tau, q = G r + q0.
TEST(Invariance, MimicIsProjectionOfTheFreeModel) {
  for_each_case({.fewest = 3, .mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Model free = with_free_mimics(model);
    const Eigen::MatrixXd G = coupling_matrix(model);
    const auto map = [](const std::vector<double>& x) { return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())); };
    const auto list = [](const Eigen::VectorXd& x) { return std::vector<double>(x.data(), x.data() + x.size()); };
    Eigen::VectorXd q0 = Eigen::VectorXd::Zero(free.nv());
    for (std::size_t k = 0; k < free.independent().size(); ++k) {
      const std::optional<Mimic>& mimic = model.joints()[free.independent()[k]].mimic;
      if (mimic) q0(static_cast<Eigen::Index>(k)) = mimic->offset;
    }
    const State full{list(G * map(s.q) + q0), list(G * map(s.v)), list(G * map(s.a))};
    const Effects effects{.friction = true, .base = random_base(random)};
    const std::vector<double> tau = inverse_of(make_plan(free), full, effects);
    const double cond = Oracle(free, full.q, full.v, full.a, effects).torque_size() * G.cwiseAbs().colwise().sum().maxCoeff();
    const std::vector<double> projected = list(G.transpose() * map(tau)), direct = inverse_of(make_plan(model), s, effects);
    EXPECT_LT(relative_error(direct, projected), tolerance(steps(model), cond / largest(direct)));
    const Eigen::MatrixXd M = G.transpose() * mass_of(make_plan(free), full.q) * G;
    const Eigen::MatrixXd size = G.cwiseAbs().transpose() * mass_of(make_plan(free), full.q).cwiseAbs() * G.cwiseAbs();
    EXPECT_LT(relative_error(mass_of(make_plan(model), s.q), M), tolerance(steps(model), size.maxCoeff() / M.maxCoeff()));
  });
}

// A base that is carried along is a base on six joints that are driven so. Derivatives of x, y, z, yaw, pitch, roll at zero angles:
//   w = (v6, v5, v4),  alpha = (a6 - v4 v5, a5 + v4 v6, a4 - v5 v6).
TEST(Invariance, PrescribedBaseMotionIsSixMoreJoints) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Description fixed_base = random_description(seed);
    Description carried = fixed_base;
    const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    std::vector<Description::JointEntry> six;
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string parent = cat("carrier", k), child = k < 5 ? cat("carrier", k + 1) : "link0";
      six.push_back(joint(cat("base", k), k < 3 ? JointType::prismatic : JointType::revolute, parent, child, axes[k]));
      carried.links.insert(carried.links.begin() + static_cast<std::ptrdiff_t>(k), frame(parent));
    }
    carried.joints.insert(carried.joints.begin(), six.begin(), six.end());
    const Model model = build(fixed_base), moving = build(carried);
    Random random(seed + 1000);
    const State s = random_state(model, random);
    const std::vector<double> v = random.numbers(6, -2, 2), a = random.numbers(6, -3, 3);
    State t{{0, 0, 0, 0, 0, 0}, v, a};
    t.q.insert(t.q.end(), s.q.begin(), s.q.end());
    t.v.insert(t.v.end(), s.v.begin(), s.v.end());
    t.a.insert(t.a.end(), s.a.begin(), s.a.end());
    const BaseMotion base{{v[5], v[4], v[3]}, {v[0], v[1], v[2]}, {a[5] - v[3] * v[4], a[4] + v[3] * v[5], a[3] - v[4] * v[5]}, {a[0], a[1], a[2]}};
    const Effects effects{.base = base};
    const std::vector<double> all = inverse_of(make_plan(moving), t), tau = inverse_of(make_plan(model), s, effects);
    const std::vector<double> rest(all.begin() + 6, all.end());
    EXPECT_LT(relative_error(tau, rest), tolerance(steps(moving), 2 * torque_condition(Oracle(model, s.q, s.v, s.a, effects))));
    // And what moves with it: energy without gravity, momentum in the inertial frame that coincides with the base.
    const Plan p = make_plan(model), m = make_plan(moving);
    Workspace wp(p), wm(m);
    const double kinetic = energy(m, wm, t.q, t.v).kinetic;
    EXPECT_NEAR(energy(p, wp, s.q, s.v, effects).kinetic, kinetic, tolerance(steps(moving)) * kinetic);
  }
}

TEST(Invariance, FloatFollowsDouble) {
  for_each_case({.most = 12, .mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const PlanOf<float> small = plan.cast<float>();
    WorkspaceOf<float> ws(small);
    const std::vector<float> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), a(s.a.begin(), s.a.end());
    std::vector<float> tau(q.size()), back(q.size());
    inverse_dynamics(small, ws, q, v, a, tau);
    const State rounded{{q.begin(), q.end()}, {v.begin(), v.end()}, {a.begin(), a.end()}};
    const Oracle oracle(model, rounded.q, rounded.v, rounded.a);
    EXPECT_LT(relative_error(tau, inverse_of(plan, rounded)), tolerance<float>(steps(model), torque_condition(oracle)));
    Eigen::MatrixXf M(plan.nv, plan.nv);
    mass_matrix(small, ws, q, M);
    const Eigen::MatrixXd wanted = mass_of(plan, rounded.q);
    EXPECT_LT(relative_error(Eigen::MatrixXd(M.cast<double>()), wanted), tolerance<float>(steps(model)));
    const double kappa = condition_number(wanted) + oracle.torque_size() * inverted(wanted).norm() / largest(s.a);
    forward_dynamics(small, ws, q, v, tau, back);
    EXPECT_LT(relative_error(back, a), tolerance<float>(steps(model), kappa));
  });
}

}  // namespace
}  // namespace ulna::test
