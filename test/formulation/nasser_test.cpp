// Nasser's inbound and outbound passes against numbers of an independent program, the paper's own check (a planar two-link arm), the production path and
// composite-ldl: chains and trees, moving base, actuator inertia, external and control loads.
#include "formulation/nasser.hpp"

#include <string_view>

#include <ulna/source/load.hpp>

#include "formulation/composite_ldl.hpp"
#include "formulation/support_nasser.hpp"
#include "support/planar_arm.hpp"

namespace ulna::test {
namespace {

struct TreeCase {
  std::string_view types;
  std::vector<int> parents;  // -1: the base
  std::vector<double> a, s, phi, theta, mass, com, inertia, q, v, tau, Ja, base, F, N, bare, balanced, printed;
};

const std::vector<TreeCase>& tree_cases() {
  static const std::vector<TreeCase> all{
#include "formulation/nasser_vectors.inc"
  };
  return all;
}

Vec3<double> three(const std::vector<double>& x, std::size_t i) { return {x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }

/// Standard frames as a tree: frame i of a branch's root link carries all its branches, and q stands for the whole variable.
BodyTree<double> tree_of(const TreeCase& c, bool actuators) {
  BodyTree<double> tree;
  const auto far_end = [&](std::size_t i) {  // frame i, as it stands in B_i
    const bool prismatic = c.types[i] == 'P';
    const Mat3<double> Rz = prismatic ? rotation_z(c.theta[i]) : Mat3<double>::identity();
    return Pose<double>{Rz * rotation_x(c.phi[i]), Rz * Vec3<double>{c.a[i], 0, prismatic ? 0 : c.s[i]}};
  };
  for (std::size_t i = 0; i < c.types.size(); ++i) {
    const auto parent = static_cast<std::size_t>(c.parents[i]);  // -1 becomes kNone
    const Pose<double> X_PB = parent == kNone ? Pose<double>{} : far_end(parent);
    const Pose<double> X_BF = far_end(i);
    const double* s = &c.inertia[6 * i];
    tree.bodies.push_back({parent, c.types[i] == 'P', X_PB.R, X_PB.p, c.mass[i], X_BF.p + X_BF.R * three(c.com, i),
                           congruence(X_BF.R, Sym3<double>{s[0], s[1], s[2], s[3], s[4], s[5]}), actuators ? c.Ja[i] : 0});
  }
  return tree;  // no gravity
}

TEST(Nasser, NumbersOfAnIndependentProgram) {
  ASSERT_EQ(tree_cases().size(), 3u);
  for (const TreeCase& c : tree_cases()) {
    SCOPED_TRACE(c.types);
    const std::size_t n = c.types.size();
    std::vector<LinkLoad<double>> on_links;
    for (std::size_t i = 0; i < n; ++i) {  // given in the frame before the joint
      const Mat3<double> R = c.types[i] == 'P' ? Mat3<double>::identity() : rotation_z(-c.q[i]);
      on_links.push_back({R * three(c.F, i), R * three(c.N, i)});
    }
    const Loads<double> loads{MovingBase<double>{three(c.base, 0), three(c.base, 1), three(c.base, 2)}, on_links};
    std::vector<double> a(n);
    Eigen::MatrixXd M(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    CompositeBodies<double, double>(tree_of(c, false)).mass(c.q.data(), M.data());
    const double bound = tolerance(n, condition_number(M));
    Nasser<double, double>(tree_of(c, false)).acceleration(c.q.data(), c.v.data(), c.tau.data(), a.data(), loads);
    EXPECT_LT(record("vectors, no actuators", relative_error(a, c.bare)), bound);
    Nasser<double, double>(tree_of(c, true)).acceleration(c.q.data(), c.v.data(), c.tau.data(), a.data(), loads);
    EXPECT_LT(record("vectors, M + diag(Ja)", relative_error(a, c.balanced)), bound);
    const BodyTree<double> tree = tree_of(c, true);
    CompositeLdl<double, double>(CompositeBodies<double, double>(tree), rotors(tree)).acceleration(c.q.data(), c.v.data(), c.tau.data(), a.data(), loads);
    EXPECT_LT(record("vectors, composite-ldl", relative_error(a, c.balanced)), bound);
    Nasser<double, double>(tree_of(c, true), NasserReaction::dropped).acceleration(c.q.data(), c.v.data(), c.tau.data(), a.data(), loads);
    EXPECT_LT(record("vectors, printed gamma", relative_error(a, c.printed)), bound);
  }
}

// "This model was verified analytically using a planar two-link manipulator": the textbook formulas (J. J. Craig 1986, ch. 6), with models/planar-2r.
TEST(Nasser, PlanarTwoLinkArm) {
  Nasser<double, double> nasser(make_body_tree(load("planar-2r")));
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> q = random.numbers(2, -3, 3), v = random.numbers(2, -4, 4), a = random.numbers(2, -4, 4);
    const auto [tau, M11, M12, M22, size] = PlanarArm(q, v, a);
    const double cond = (M11 + M22) * (M11 + M22) / (M11 * M22 - M12 * M12);  // at least that of M
    std::vector<double> out(2);
    nasser.acceleration(q.data(), v.data(), tau.data(), out.data());
    EXPECT_LT(record("planar 2R", relative_error(out, a)), tolerance(2, cond * std::max(1.0, size / (M22 * largest(a)))));
  }
}

/// Wrenches of the production path as loads at the mass centres. X_WB of each body by the tree alone.
std::vector<LinkLoad<double>> loads_of(const Plan& plan, const BodyTree<double>& tree, const std::vector<double>& q, std::span<const Wrench> wrenches) {
  std::vector<Mat3<double>> R_WB;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody<double>& b = tree.bodies[i];
    const Mat3<double> R_PB = b.prismatic ? b.R_PB : b.R_PB * rotation_z(q[i]);
    R_WB.push_back(b.parent == kNone ? R_PB : R_WB[b.parent] * R_PB);
  }
  std::vector<LinkLoad<double>> loads(tree.size());
  for (const Wrench& wrench : wrenches) {
    const PlanLink<double>& link = plan.links[wrench.link];
    if (link.body == kNone) continue;
    const auto i = link.body;
    const bool world = wrench.axes == Axes::world;
    const Vec3<double> f = world ? tmul(R_WB[i], wrench.force) : link.X_BL.R * wrench.force;
    const Vec3<double> n = world ? tmul(R_WB[i], wrench.moment) : link.X_BL.R * wrench.moment;
    loads[i].F = loads[i].F + f;
    loads[i].N = loads[i].N + n + cross(link.X_BL.p - tree.bodies[i].com, f);
  }
  return loads;
}

void compare(const char* what, const Model& model, const State& s, const Effects& effects) {
  const Plan plan = make_plan(model);
  const BodyTree<double> tree = make_body_tree(model);
  const std::vector<double> tau = inverse_of(plan, s, effects);
  const std::vector<LinkLoad<double>> on_links = loads_of(plan, tree, s.q, effects.wrenches);
  const Loads<double> loads{MovingBase<double>{effects.base.angular_velocity, effects.base.angular_acceleration, effects.base.linear_acceleration}, on_links};
  const double bound = tolerance(steps(model), acceleration_condition(model, s, effects));
  std::vector<double> a(s.q.size()), b(a);
  Nasser<double, double>(tree).acceleration(s.q.data(), s.v.data(), tau.data(), a.data(), loads);
  CompositeLdl<double, double>(CompositeBodies<double, double>(tree), rotors(tree)).acceleration(s.q.data(), s.v.data(), tau.data(), b.data(), loads);
  EXPECT_LT(record(what, relative_error(a, s.a) / bound), 1) << "nasser";
  EXPECT_LT(record("composite-ldl in the same tree_cases", relative_error(b, s.a) / bound), 1) << "composite-ldl";
  EXPECT_LT(relative_error(a, b), bound);
  EXPECT_LT(relative_error(a, forward_of(plan, s, tau, effects)), bound);
}

TEST(Nasser, TreesAtRestBase) {
  for_each_case({}, [](const Model& model, const State& s, Random&) { compare("trees: error / bound", model, s, {}); });
}

TEST(Nasser, TreesWithEveryEffect) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    compare("trees, every effect: error / bound", model, s, {.base = random_base(random), .wrenches = wrenches});
  });
}

TEST(Nasser, EveryMixtureOfJoints) {
  for (int n = 1; n <= 5; ++n)
    for (int mixture = 0; mixture < 1 << n; ++mixture) {
      std::string id = "general-";
      for (int k = 0; k < n; ++k) id += (mixture >> k & 1) != 0 ? 'P' : 'R';
      if (id.find("PPPP") != std::string::npos) continue;  // a fourth slide in a row moves nothing that three do not
      SCOPED_TRACE(id);
      const Model model = load(id);
      Random random(static_cast<std::uint64_t>(100 * n + mixture));
      compare("general arms: error / bound", model, random_state(model, random), {.base = random_base(random)});
    }
}

TEST(Nasser, BuiltInRobots) {
  for (const char* id : {"torso", "humanoid-38", "space-arm", "puma560", "scara"}) {
    SCOPED_TRACE(id);
    const Model model = with_free_mimics(load(id));
    Random random(7);
    for (int k = 0; k < 10; ++k) {
      const State s = random_state(model, random);
      const std::vector<Wrench> wrenches = random_wrenches(model, random);
      compare("built-in robots: error / bound", model, s, {.base = random_base(random), .wrenches = wrenches});
    }
  }
}

// The paper's own numerical test was the Shuttle's arm against Walker & Orin. In free motion no torque acts: integrated for a while by Runge and Kutta's
// method, kinetic energy and the two ways of getting there stay the same.
TEST(Nasser, SpaceArmInFreeMotion) {
  const Model model = load("space-arm");
  const Plan plan = make_plan(model);
  const BodyTree<double> tree = make_body_tree(model);
  const std::size_t n = tree.size();
  Nasser<double, double> nasser(tree);
  CompositeLdl<double, double> composite(CompositeBodies<double, double>(tree), rotors(tree));
  const std::vector<double> none(n, 0.0);
  const auto rate = [&](const Eigen::VectorXd& y) {
    Eigen::VectorXd dy(y.size());
    const auto half = static_cast<Eigen::Index>(n);
    dy.head(half) = y.tail(half);
    nasser.acceleration(y.data(), y.data() + n, none.data(), dy.data() + n);
    std::vector<double> a(n);
    composite.acceleration(y.data(), y.data() + n, none.data(), a.data());
    const std::vector<double> q(y.data(), y.data() + n), v(y.data() + n, y.data() + 2 * n), b(dy.data() + n, dy.data() + 2 * n);
    EXPECT_LT(record("space-arm in free motion: error / bound", relative_error(a, b) / tolerance(n, acceleration_condition(model, {q, v, b}, {}))), 1);
    return dy;
  };
  Eigen::VectorXd y(2 * static_cast<Eigen::Index>(n));
  Random random(3);
  for (Eigen::Index k = 0; k < y.size(); ++k) y(k) = random.uniform(-0.1, 0.1) * (k < static_cast<Eigen::Index>(n) ? 10 : 1);
  const auto kinetic = [&] {
    Workspace ws(plan);
    return energy(plan, ws, std::vector<double>(y.data(), y.data() + n), std::vector<double>(y.data() + n, y.data() + 2 * n)).kinetic;
  };
  const double before = kinetic(), h = 0.02;
  for (int step = 0; step < 200; ++step) {
    const Eigen::VectorXd k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  // The method's own error is (h w)^5 / 120 a step for what changes at the rate w, here below half a radian a second.
  EXPECT_LT(record("space-arm, drift of the kinetic energy", std::abs(kinetic() - before) / before), 200 * std::pow(h * 0.5, 5) / 120);
}

// Gravity as an external force on every link, which the paper would allow, instead of a base acceleration.
TEST(Nasser, GravityAsExternalForce) {
  for_each_case({.most = 12}, [](const Model& model, const State& s, Random&) {
    const BodyTree<double> tree = make_body_tree(model);
    BodyTree<double> weightless = tree;
    weightless.gravity = {};
    std::vector<Wrench> none;
    std::vector<LinkLoad<double>> loads = loads_of(make_plan(model), tree, s.q, none);
    std::vector<Mat3<double>> R_WB;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const TreeBody<double>& b = tree.bodies[i];
      const Mat3<double> R_PB = b.prismatic ? b.R_PB : b.R_PB * rotation_z(s.q[i]);
      R_WB.push_back(b.parent == kNone ? R_PB : R_WB[b.parent] * R_PB);
      loads[i].F = b.mass * tmul(R_WB[i], tree.gravity);
    }
    std::vector<double> a(tree.size()), b(a);
    Nasser<double, double>(tree).acceleration(s.q.data(), s.v.data(), zeros(s.q).data(), a.data());
    Nasser<double, double>(weightless).acceleration(s.q.data(), s.v.data(), zeros(s.q).data(), b.data(), {{}, loads});
    EXPECT_LT(record("gravity as force: error / bound", relative_error(a, b) / tolerance(steps(model), acceleration_condition(model, {s.q, s.v, a}, {}))), 1);
  });
}

// Control loads: along the joint they are tau; across it the joint's reaction takes them, on both links, so that nothing changes.
TEST(Nasser, ControlLoads) {
  for_each_case({.most = 12}, [](const Model& model, const State& s, Random& random) {
    const BodyTree<double> tree = make_body_tree(model);
    const std::size_t n = tree.size();
    const std::vector<double> tau = inverse_of(make_plan(model), s);
    std::vector<double> part = random.numbers(n, -5, 5), rest(n), a(n);
    std::vector<LinkLoad<double>> control(n);
    for (std::size_t i = 0; i < n; ++i) {
      control[i] = {random.vector(5), random.vector(5)};
      (tree.bodies[i].prismatic ? control[i].F.z : control[i].N.z) = part[i];
      rest[i] = tau[i] - part[i];
    }
    Nasser<double, double>(tree).acceleration(s.q.data(), s.v.data(), rest.data(), a.data(), {.control = control});
    const double bound = tolerance(steps(model), 2 * acceleration_condition(model, s, {}) * (1 + 10 / std::max(1.0, largest(tau))));
    EXPECT_LT(record("control loads: error / bound", relative_error(a, s.a) / bound), 1);
  });
}

TEST(Nasser, FloatAndCountedGiveTheSame) {
  for_each_case({.most = 12}, [](const Model& model, const State& s, Random&) {
    const BodyTree<double> tree = make_body_tree(model);
    const std::vector<double> tau = inverse_of(make_plan(model), s);
    std::vector<double> a(tree.size());
    Nasser<double, double>(tree).acceleration(s.q.data(), s.v.data(), tau.data(), a.data());
    const auto on = [&]<class T>(T (*make)(double)) {
      std::vector<T> q, v, t, out(tree.size());
      for (std::size_t i = 0; i < tree.size(); ++i) q.push_back(make(s.q[i])), v.push_back(make(s.v[i])), t.push_back(make(tau[i]));
      using P = std::conditional_t<std::is_same_v<T, Counted>, double, T>;
      Nasser<P, T>(tree.cast<P>()).acceleration(q.data(), v.data(), t.data(), out.data());
      return out;
    };
    std::vector<double> counted;
    for (const Counted& x : on(+[](double x) { return Counted::variable(x); })) counted.push_back(x.value());
    EXPECT_EQ(relative_error(counted, a), 0);  // operations it leaves out are exact ones
    const std::vector<float> single = on(+[](double x) { return static_cast<float>(x); });
    const double bound = tolerance<float>(steps(model), acceleration_condition(model, s, {}));
    EXPECT_LT(record("float: error / bound", relative_error(single, a) / bound), 1);
  });
}

// Linear in the number of joints, as docs/formulations/nasser.md says. The paper claims 258 N - 119 and 191 N - 83 and does not say for which frames.
TEST(Nasser, CostsAreLinear) {
  for (long n = 3; n <= 8; ++n) {
    Nasser<double, Counted> nasser(make_body_tree(load("general-" + std::string(n, 'R'))));
    std::vector<Counted> x(nasser.size(), Counted::variable(0.3)), a(nasser.size());
    operation_counts() = {};
    nasser.acceleration(x.data(), x.data(), x.data(), a.data());
    EXPECT_EQ(operation_counts(), (OperationCounts{.mul = 330 * n - 378, .add = 261 * n - 328, .div = n, .sincos = n}))
        << operation_counts().mul << " " << operation_counts().add;
  }
}

}  // namespace
}  // namespace ulna::test
