// A free base: against the oracle, whose base is six joints that stand at zero, against closed forms, and by the laws of mechanics.
#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>
#include "dynamics/compute-inl.hpp"

#include "support/cases.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

constexpr std::size_t kBase = 6;

Vec3<double> three(const std::vector<double>& x, std::size_t first) { return {x[first], x[first + 1], x[first + 2]}; }

/// Joints as random_state() gives them, the base anywhere.
State free_state(const Model& model, Random& random) {
  State s = random_state(with_base(model, RootJoint::fixed), random);
  std::vector<double> q = random.numbers(7, -1, 1);
  q.insert(q.end(), s.q.begin(), s.q.end());
  normalize(model, q);
  const auto with = [&](const std::vector<double>& joints) {
    std::vector<double> all = random.numbers(kBase, -2, 2);
    all.insert(all.end(), joints.begin(), joints.end());
    return all;
  };
  return {q, with(s.v), with(s.a)};
}

Mat3<double> attitude(const std::vector<double>& q) {
  const Eigen::Quaterniond at(q[6], q[3], q[4], q[5]);
  const Eigen::Matrix3d R = at.toRotationMatrix();
  return {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
}

/// The robot at one instant as the oracle takes it: the world's axes turned into the root link's, so that gravity is turned, and the base's joints are at zero.
struct AsJoints {
  AsJoints(const Model& free, const State& s) : model(with_gravity(with_base_as_joints(free), tmul(attitude(s.q), free.gravity()))) {
    state.q.assign(kBase, 0);
    state.q.insert(state.q.end(), s.q.begin() + 7, s.q.end());
    state.v = swapped(s.v);
    state.a = swapped(s.a);
    // The turns come one after the other: w x (axes that the former have turned) is in the angular acceleration already.
    const Vec3<double> w = three(s.v, 0);
    state.a[3] -= w.y * w.z;
    state.a[4] += w.x * w.z;
    state.a[5] -= w.x * w.y;
  }
  /// Linear first, and back.
  template <class Numbers>
  static Numbers swapped(Numbers x) {
    for (std::size_t k = 0; k < 3; ++k) std::swap(x[k], x[k + 3]);
    return x;
  }
  static RealMatrix swapped_both(const RealMatrix& M) {
    Eigen::PermutationMatrix<Eigen::Dynamic> P(M.rows());
    P.setIdentity();
    for (int k = 0; k < 3; ++k) std::swap(P.indices()[k], P.indices()[k + 3]);
    return P * M * P;
  }
  Model model;
  State state;
};

template <class Body>
void for_each_free(const RandomOptions& options, Body body) {
  for_each_case(options, [&](const Model& fixed, const State&, Random& random) {
    const Model model = with_base(fixed, RootJoint::free);
    body(model, free_state(model, random), random);
  });
}

Eigen::MatrixXd matrix(Quantity quantity, const Plan& plan, const State& s, std::size_t rows) {
  Workspace ws(plan);
  Eigen::MatrixXd out(rows, plan.nv);
  compute(quantity, plan, ws, {s.q.data(), s.v.data()}, out.data());
  return out;
}

TEST(FreeBase, TorqueAndWrenchEqualTheOracle) {
  std::size_t cases = 0;
  for_each_free({.mimic = true}, [&](const Model& light, const State& s, Random& random) {
    const Model model = with_heavy_root(light);
    const AsJoints joints(model, s);
    ++cases;
    const Oracle oracle(joints.model, joints.state.q, joints.state.v, joints.state.a);
    const std::vector<double> wanted = AsJoints::swapped(doubles(oracle.torques()));
    const double cond = torque_condition(oracle);
    const Plan plan = make_plan(model);
    EXPECT_LT(relative_error(inverse_of(plan, s), wanted), tolerance(steps(model) + kBase, cond));
    EXPECT_LT(relative_error(inverse_of(make_plan(model, {.lumping = Lumping::none}), s), wanted), tolerance(steps(model) + kBase, cond));
    // With wrenches on any link, the root among them.
    std::vector<Wrench> wrenches = random_wrenches(model, random);
    wrenches.push_back({0, Axes::world, random.vector(5), random.vector(5)});
    Effects effects, theirs;
    effects.wrenches = wrenches;
    std::vector<Wrench> turned = wrenches;
    for (Wrench& wrench : turned) {
      wrench.link += kBase;
      if (wrench.axes == Axes::world) wrench.force = tmul(attitude(s.q), wrench.force), wrench.moment = tmul(attitude(s.q), wrench.moment);
    }
    theirs.wrenches = turned;
    const Oracle loaded(joints.model, joints.state.q, joints.state.v, joints.state.a, theirs);
    EXPECT_LT(relative_error(inverse_of(plan, s, effects), AsJoints::swapped(doubles(loaded.torques()))),
              tolerance(steps(model) + kBase, torque_condition(loaded)));
  });
  EXPECT_EQ(cases, kModels * kStates);
}

TEST(FreeBase, InertiaMatrixEqualsTheOracle) {
  for_each_free({.mimic = true}, [](const Model& light, const State& s, Random&) {
    const Model model = with_heavy_root(light);
    const AsJoints joints(model, s);
    const RealMatrix wanted = AsJoints::swapped_both(Oracle(joints.model, joints.state.q, joints.state.v, joints.state.a).mass_matrix());
    EXPECT_LT(relative_error(mass_of(make_plan(model), s.q), doubles(wanted)), tolerance(steps(model) + kBase));
  });
}

TEST(FreeBase, ForwardIsTheInverseByEitherMethod) {
  for_each_free({.most = 12, .mimic = true}, [](const Model& light, const State& s, Random& random) {
    const Model model = with_heavy_root(light);
    const Plan plan = make_plan(model);
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    Effects effects;
    effects.wrenches = wrenches;
    effects.friction = true;
    const std::vector<double> tau = inverse_of(plan, s, effects);
    const double cond = condition_number(mass_of(plan, s.q));
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
      if (plan.coupled && method == ForwardMethod::articulated) continue;
      EXPECT_LT(relative_error(forward_of(plan, s, tau, effects, method), s.a), tolerance(steps(model) + kBase, cond));
    }
  });
}

// Euler's equations about the mass centre, and Newton's: n = J dw + w x J w, f = m (a - g), moments about the link's origin.
TEST(FreeBase, ARigidBodyObeysEulersEquations) {
  Description d;
  d.name = "brick";
  d.base = RootJoint::free;
  Link brick;
  brick.name = "brick", brick.mass = 2, brick.com = {0.1, -0.2, 0.3}, brick.inertia = {0.5, 0.6, 0.9, 0.02, -0.03, 0.01};
  d.links = {brick};
  Diagnostics problems;
  const std::optional<Model> model = build(d, problems);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->nq(), 7u);
  EXPECT_EQ(model->nv(), 6u);
  Random random(3);
  const State s = free_state(*model, random);
  const Vec3<double> w = three(s.v, 0), dw = three(s.a, 0), a = three(s.a, 3), c = brick.com;
  const Vec3<double> g = tmul(attitude(s.q), Vec3<double>{0, 0, -9.81});
  const Vec3<double> force = 2.0 * (a + cross(dw, c) + cross(w, cross(w, c)) - g);
  const Vec3<double> moment = brick.inertia * dw + cross(w, brick.inertia * w) + cross(c, force);
  const Plan plan = make_plan(*model);
  const std::vector<double> tau = inverse_of(plan, s);
  EXPECT_LT(relative_error(tau, std::vector<double>{moment.x, moment.y, moment.z, force.x, force.y, force.z}), tolerance(1, 4));
  for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated})
    EXPECT_LT(relative_error(forward_of(plan, s, tau, {}, method), s.a), tolerance(6, condition_number(mass_of(plan, s.q))));
  // No force at all: it falls, and its mass centre with g.
  const std::vector<double> fall = forward_of(plan, s, std::vector<double>(6, 0.0));
  const Vec3<double> at_com = three(fall, 3) + cross(three(fall, 0), c) + cross(w, cross(w, c));
  EXPECT_LT(std::hypot(at_com.x - g.x, at_com.y - g.y, at_com.z - g.z), 1e-13);
}

// Two bodies on one axis through both mass centres, without weight and without a push from outside: an inner torque turns them against one another, and
// neither the angle that is common to their momentum nor the mass centre moves. Joint inertia is J1 J2 / (J1 + J2).
TEST(FreeBase, ATorqueInASpaceArmTurnsItsBaseTheOtherWay) {
  const Model model = parse(R"(<robot name="two">
    <link name="body"><inertial><mass value="5"/><inertia ixx="2" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="wheel"><inertial><mass value="1"/><inertia ixx="0.4" iyy="0.4" izz="0.6" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="turn" type="continuous"><parent link="body"/><child link="wheel"/><axis xyz="0 0 1"/></joint></robot>)",
                            "two.urdf", {.gravity = Vec3<double>{}, .base = RootJoint::free});
  const std::vector<double> a = forward_of(make_plan(model), {neutral(model), std::vector<double>(7, 0.0), {}}, {0, 0, 0, 0, 0, 0, 1.5});
  const double relative = 1.5 * (3 + 0.6) / (3 * 0.6), base = -1.5 / 3;
  EXPECT_LT(relative_error(a, std::vector<double>{0, 0, base, 0, 0, 0, relative}), 1e-15);
}

TEST(FreeBase, EnergyIsHalfOfVMVAndGravityItsSlope) {
  for_each_free({.most = 8, .mimic = true}, [](const Model& light, const State& s, Random&) {
    const Model model = with_heavy_root(light);
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const Energy e = energy(plan, ws, s.q, s.v);
    const Eigen::Map<const Eigen::VectorXd> v(s.v.data(), static_cast<Eigen::Index>(s.v.size()));
    EXPECT_NEAR(e.kinetic, v.dot(mass_of(plan, s.q) * v) / 2, tolerance(steps(model) + kBase) * e.kinetic);
    std::vector<double> g(plan.nv), to(plan.nq);
    gravity_forces(plan, ws, s.q, g);
    for (std::size_t k = 0; k < plan.nv; ++k) {
      std::vector<double> rate(plan.nv, 0.0);
      rate[k] = 1;
      const auto potential = [&](double t) {
        integrate(model, s.q, rate, t, to);
        return energy(plan, ws, to, s.v).potential;
      };
      const double h = 1e-3, slope = (8 * (potential(h) - potential(-h)) - (potential(2 * h) - potential(-2 * h))) / (12 * h);
      EXPECT_NEAR(g[k], slope, 1e-9 * (largest(g) + std::fabs(e.potential))) << k;
    }
  });
}

/// C by its definition: ∫ r_i · ṙ_j dm over the oracle's links, r_j the field of velocities that the unit rate j gives, whose axes turn with the root link.
Eigen::MatrixXd coriolis_by_fields(const AsJoints& at, const std::vector<double>& rates) {
  const std::size_t n = rates.size();
  const Reals none(n, 0);
  Real fastest = 0;
  for (const double v : rates) fastest += std::fabs(v);
  const auto jacobians = [&](Real t, std::size_t link) {  // of the link's mass centre, in the root link's axes
    Reals q = reals(at.state.q);
    for (std::size_t k = kBase; k < n; ++k) q[k] += t * static_cast<Real>(rates[k]);
    const Oracle there(at.model, q, none, none);
    RealMatrix J = there.jacobian(link);
    const Vec3<double>& com = at.model.links()[link].com;
    const RealVector3 c = there.link(link).R_WL * RealVector3(com.x, com.y, com.z);
    for (Eigen::Index k = 0; k < J.cols(); ++k) J.block<3, 1>(3, k) += J.block<3, 1>(0, k).cross(c);
    return J;
  };
  const RealVector3 w(rates[3], rates[4], rates[5]);  // of the base: linear first here
  const Oracle now(at.model, reals(at.state.q), reals(rates), none);
  RealMatrix C = RealMatrix::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (std::size_t link = kBase; link < at.model.links().size(); ++link) {
    const Link& body = at.model.links()[link];
    const RealMatrix J = jacobians(0, link);
    RealMatrix dJ = derivative([&](Real t) { return RealMatrix(jacobians(t, link)); }, fastest);
    for (Eigen::Index k = 0; k < dJ.cols(); ++k) {
      dJ.block<3, 1>(0, k) += w.cross(RealVector3(J.block<3, 1>(0, k)));
      dJ.block<3, 1>(3, k) += w.cross(RealVector3(J.block<3, 1>(3, k)));
    }
    const Sym3<double>& I = body.inertia;
    RealMatrix3 tensor;
    tensor << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
    const RealMatrix3& R = now.link(link).R_WL;
    tensor = (R * tensor * R.transpose()).eval();
    const RealMatrix3 second = RealMatrix3::Identity() * (tensor.trace() / 2) - tensor;
    const RealVector3 own = J.topRows(3) * Eigen::Map<const Eigen::VectorXd>(rates.data(), static_cast<Eigen::Index>(n)).cast<Real>();
    const auto Jw = J.topRows(3), Jc = J.bottomRows(3);
    RealMatrix turned = second * Jw;
    for (Eigen::Index k = 0; k < turned.cols(); ++k) turned.col(k) = own.cross(RealVector3(turned.col(k))).eval();
    C += body.mass * Jc.transpose() * dJ.bottomRows(3) + Jw.transpose() * (tensor * dJ.topRows(3)) - Jw.transpose() * turned;
  }
  return doubles(AsJoints::swapped_both(C));
}

TEST(FreeBase, CoriolisMatrixIsThatOfItsFields) {
  for_each_free({.most = 6, .mimic = true}, [](const Model& light, const State& s, Random&) {
    const Model model = with_heavy_root(light);
    const AsJoints joints(model, s);
    const Eigen::MatrixXd C = matrix(Quantity::coriolis, make_plan(model), s, model.nv());
    const Eigen::MatrixXd wanted = coriolis_by_fields(joints, joints.state.v);
    EXPECT_LT(relative_error(C, wanted), 1e-11);
  });
}

// C v = inverse without weight, at accelerations that leave the numbers of v as they are: a base's linear one is w x v then.
TEST(FreeBase, CoriolisMatrixTimesVelocities) {
  for_each_free({.mimic = true}, [](const Model& light, const State& s, Random&) {
    const Model model = with_heavy_root(light);
    Plan plan = make_plan(model);
    const Eigen::MatrixXd C = matrix(Quantity::coriolis, plan, s, model.nv());
    plan.gravity = {};
    State steady{s.q, s.v, zeros(s.v)};
    const Vec3<double> more = cross(three(s.v, 0), three(s.v, 3));
    steady.a[3] = more.x, steady.a[4] = more.y, steady.a[5] = more.z;
    const Eigen::VectorXd product = C * Eigen::Map<const Eigen::VectorXd>(s.v.data(), static_cast<Eigen::Index>(s.v.size()));
    AsJoints joints(with_gravity(model, {}), steady);
    EXPECT_LT(relative_error(product, inverse_of(plan, steady)),
              tolerance(steps(model) + kBase, 4 * torque_condition(Oracle(joints.model, joints.state.q, joints.state.v, joints.state.a))));
  });
}

TEST(FreeBase, MomentumStaysWithoutWeight) {
  for_each_free({.most = 8, .rotor = false, .friction = false}, [](const Model& light, const State& s, Random& random) {
    const Model model = with_gravity(with_heavy_root(light), {});
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    std::vector<double> tau = random.numbers(plan.nv, -3, 3);
    std::fill(tau.begin(), tau.begin() + kBase, 0.0);
    const std::vector<double> a = forward_of(plan, s, tau);
    // v' of a base's linear velocity is the acceleration less w x v.
    std::vector<double> rate = a, q(plan.nq), v(plan.nv);
    const Vec3<double> more = cross(three(s.v, 0), three(s.v, 3));
    rate[3] -= more.x, rate[4] -= more.y, rate[5] -= more.z;
    const auto momentum_at = [&](double t) {
      // Along q' = v, v' = rate to second order in t: what is left out is of third, and even differences of it vanish.
      std::vector<double> mean(plan.nv);
      for (std::size_t k = 0; k < plan.nv; ++k) mean[k] = s.v[k] + rate[k] * t / 2, v[k] = s.v[k] + rate[k] * t;
      integrate(model, s.q, mean, t, q);
      const Momentum p = momentum(plan, ws, q, v);
      return std::vector<double>{p.angular.x, p.angular.y, p.angular.z, p.linear.x, p.linear.y, p.linear.z};
    };
    const double h = 1e-4;
    const std::vector<double> after = momentum_at(h), before = momentum_at(-h), now = momentum_at(0);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR((after[k] - before[k]) / (2 * h), 0, 1e-4 * (1 + largest(now)) * (1 + largest(a))) << k;
  });
}

TEST(FreeBase, JacobianIsTheVelocityOfALink) {
  for_each_free({.most = 10, .mimic = true}, [](const Model& light, const State& s, Random& random) {
    const Model model = with_heavy_root(light);
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const std::size_t link = random.below(model.links().size());
    Eigen::MatrixXd J(6, plan.nv);
    jacobian(plan, ws, s.q, link, J);
    const Eigen::VectorXd got = J * Eigen::Map<const Eigen::VectorXd>(s.v.data(), static_cast<Eigen::Index>(s.v.size()));
    const AsJoints joints(model, s);
    const Oracle oracle(joints.model, joints.state.q, joints.state.v, joints.state.a);
    const OracleLink& there = oracle.link(link + kBase);
    const Mat3<double> R = attitude(s.q);
    const auto world = [&](const RealVector3& x) { return R * Vec3<double>{static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])}; };
    const Vec3<double> w = world(there.w), v = world(there.v);
    EXPECT_LT(relative_error(got, std::vector<double>{w.x, w.y, w.z, v.x, v.y, v.z}), tolerance(steps(model) + kBase, 16));
    const Pose<double> X = link_pose(plan, ws, s.q, link);
    const Vec3<double> p = three(s.q, 0) + world(there.p_WL);
    EXPECT_LT(std::hypot(X.p.x - p.x, X.p.y - p.y, X.p.z - p.z), 1e-13 * static_cast<double>(1 + steps(model)));
  });
}

// About the mass centre, of bases of every kind: A v is the oracle's momentum, and its rate at constant numbers of v the rate of A, times v.
TEST(FreeBase, MomentumAboutTheMassCentre) {
  for (const RootJoint base : {RootJoint::free, RootJoint::fixed})
    for_each_free({.most = 8, .mimic = true}, [base](const Model& light, const State& all, Random&) {
      const Model model = with_base(with_heavy_root(light), base);
      const bool free = base == RootJoint::free;
      const Plan plan = make_plan(model);
      State s = all;
      if (!free) s = {{all.q.begin() + 7, all.q.end()}, {all.v.begin() + 6, all.v.end()}, {}};
      const std::vector<double> got = numbers_of(Quantity::centroidal, plan, s);
      const AsJoints joints(light, all);
      const Model bolted = free ? with_base_as_joints(model) : model;
      const State& at = free ? joints.state : s;
      const Oracle oracle(bolted, at.q, at.v, zeros(at.v));
      const Mat3<double> R = free ? attitude(s.q) : Mat3<double>::identity();
      const auto world = [&](const RealVector3& x) {
        return R * Vec3<double>{static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])};
      };
      const RealVector3 p = oracle.linear_momentum(), L = oracle.angular_momentum() - oracle.mass_centre().cross(p);
      const Vec3<double> com = world(oracle.mass_centre()) + (free ? three(s.q, 0) : Vec3<double>{}), linear = world(p), angular = world(L);
      const Vec3<double> velocity = (1 / model.mass()) * linear;
      const std::vector<double> wanted{com.x, com.y, com.z, velocity.x, velocity.y, velocity.z, angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
      for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(got[k], wanted[k], 1e-13 * static_cast<double>(1 + steps(model)) * (1 + largest(wanted))) << k;
      const auto A_at = [&](double t) {
        State there = s;
        integrate(model, s.q, s.v, t, there.q);
        return matrix(Quantity::centroidal_matrix, plan, there, 6);
      };
      const Eigen::Map<const Eigen::VectorXd> v(s.v.data(), static_cast<Eigen::Index>(s.v.size()));
      const Eigen::VectorXd Av = A_at(0) * v;
      for (Eigen::Index k = 0; k < 6; ++k)
        EXPECT_NEAR(Av[k], wanted[static_cast<std::size_t>(6 + k)], 1e-13 * static_cast<double>(1 + steps(model)) * (1 + largest(wanted)));
      const double h = 1e-3;
      const Eigen::VectorXd rate = (8 * (A_at(h) - A_at(-h)) - (A_at(2 * h) - A_at(-2 * h))) * v / (12 * h);
      double fastest = 1;
      for (const double x : s.v) fastest += std::fabs(x);
      for (Eigen::Index k = 0; k < 6; ++k)
        EXPECT_NEAR(got[static_cast<std::size_t>(12 + k)], rate[k], 1e-9 * (1 + largest(wanted)) * std::pow(fastest, 5)) << k;
    });
}

// A planar base feels the part of a free one's wrench that lies in its plane.
TEST(FreeBase, APlanarBaseIsAFreeOneThatStaysInItsPlane) {
  for_each_free({.most = 8, .mimic = true}, [](const Model& light, const State& s, Random& random) {
    const Model free = with_heavy_root(light), planar = with_base(free, RootJoint::planar);
    EXPECT_EQ(planar.nq(), planar.independent().size() + 3);
    const double yaw = random.uniform(-3, 3), c = std::cos(yaw), sn = std::sin(yaw);
    State in_plane = s;
    const std::vector<double> at{s.q[0], s.q[1], yaw}, v = random.numbers(3, -2, 2), a = random.numbers(3, -2, 2);
    const double base[] = {s.q[0], s.q[1], 0, 0, 0, std::sin(yaw / 2), std::cos(yaw / 2)};
    std::copy(std::begin(base), std::end(base), in_plane.q.begin());
    const auto six = [&](const std::vector<double>& x) { return std::vector<double>{0, 0, x[2], c * x[0] + sn * x[1], -sn * x[0] + c * x[1], 0}; };
    const auto put = [&](std::vector<double>& to, const std::vector<double>& from) { std::copy(from.begin(), from.end(), to.begin()); };
    put(in_plane.v, six(v));
    put(in_plane.a, six(a));
    const auto with = [&](const std::vector<double>& three_numbers, const std::vector<double>& all, std::size_t first) {
      std::vector<double> out = three_numbers;
      out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
      return out;
    };
    const State plane{with(at, s.q, 7), with(v, s.v, 6), with(a, s.a, 6)};
    const std::vector<double> wrench = inverse_of(make_plan(free), in_plane), got = inverse_of(make_plan(planar), plane);
    std::vector<double> wanted{c * wrench[3] - sn * wrench[4], sn * wrench[3] + c * wrench[4], wrench[2]};
    wanted = with(wanted, wrench, 6);
    EXPECT_LT(relative_error(got, wanted), tolerance(steps(free) + kBase, 8));
    EXPECT_EQ(make_plan(planar).links.size(), planar.links().size());
  });
}

// humanoid-38 has the same base as six joints: x, y, z, then yaw, pitch, roll. With the angles' rates as velocities of the pelvis, both are one robot.
TEST(FreeBase, OfTheHumanoidIsWhatItsSixJointsAre) {
  const Model joints = load("humanoid-38"), free = load("humanoid-32", {.base = RootJoint::free});
  ASSERT_EQ(free.nv(), joints.nv());
  Random random(38);
  for (int k = 0; k < 5; ++k) {
    const State s = random_state(joints, random);
    const Oracle oracle(joints, s.q, s.v, s.a);
    const OracleLink& pelvis = oracle.link(*joints.find_link("pelvis"));
    Eigen::Quaternion<Real> at(pelvis.R_WL);
    at.normalize();
    const RealMatrix3 R = pelvis.R_WL;
    const RealVector3 w = R.transpose() * pelvis.w, v = R.transpose() * pelvis.v, dw = R.transpose() * pelvis.alpha, a = R.transpose() * pelvis.a;
    const auto number = [](Real x) { return static_cast<double>(x); };
    State f;
    for (const Real x : {pelvis.p_WL[0], pelvis.p_WL[1], pelvis.p_WL[2], at.x(), at.y(), at.z(), at.w()}) f.q.push_back(number(x));
    for (Eigen::Index i = 0; i < 3; ++i) f.v.push_back(number(w[i])), f.a.push_back(number(dw[i]));
    for (Eigen::Index i = 0; i < 3; ++i) f.v.push_back(number(v[i])), f.a.push_back(number(a[i]));
    f.q.insert(f.q.end(), s.q.begin() + 6, s.q.end());
    f.v.insert(f.v.end(), s.v.begin() + 6, s.v.end());
    f.a.insert(f.a.end(), s.a.begin() + 6, s.a.end());
    const std::vector<double> got = inverse_of(make_plan(free), f), wanted = doubles(oracle.torques());
    // The slides feel the force along the world's axes.
    const Vec3<double> force = attitude(f.q) * three(got, 3);
    const std::vector<double> slides{force.x, force.y, force.z};
    const double size = oracle.torque_size();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(slides[i], wanted[i], 1e-13 * size);
    EXPECT_NEAR(got[0], wanted[5], 1e-13 * size);  // roll turns about x of the pelvis
    for (std::size_t i = 6; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-13 * size) << i;
  }
}

TEST(FreeBase, IntegrateAndDifferenceAreInverse) {
  for_each_free({.most = 5, .mimic = true}, [](const Model& model, const State& s, Random& random) {
    const State other = free_state(model, random);
    std::vector<double> v(model.nv()), q(model.nq());
    difference(model, s.q, other.q, v);
    EXPECT_LE(std::hypot(v[0], v[1], v[2]), std::numbers::pi + 1e-12);
    integrate(model, s.q, v, 1, q);
    if (q[3] * other.q[3] + q[4] * other.q[4] + q[5] * other.q[5] + q[6] * other.q[6] < 0)  // both are the same attitude
      for (std::size_t k = 3; k < 7; ++k) q[k] = -q[k];
    EXPECT_LT(relative_error(q, other.q), 1e-14);
    // Two half steps are one step: velocities are constant in the root link's axes.
    std::vector<double> half(model.nq()), twice(model.nq());
    integrate(model, s.q, s.v, 0.35, half);
    integrate(model, half, s.v, 0.35, twice);
    integrate(model, s.q, s.v, 0.7, q);
    EXPECT_LT(relative_error(q, twice), 1e-14);
    // Small steps, where the series are.
    for (const double dt : {1e-9, 1e-5, 1e-3, 6e-3}) {
      integrate(model, s.q, s.v, dt, q);
      difference(model, s.q, q, v);
      for (std::size_t k = 0; k < model.nv(); ++k) EXPECT_NEAR(v[k] / dt, s.v[k], 1e-15 * 4 / dt) << dt;
    }
  });
}

TEST(FreeBase, NoIntegrationFromAQuaternionOfAnotherLength) {
  const Model model = with_base(load("planar-2r"), RootJoint::free);
  std::vector<double> q = neutral(model), v(model.nv()), to(model.nq());
  q[6] = 1 + 9e-7;
  integrate(model, q, v, 1, to);
  EXPECT_NEAR(to[6], 1, 1e-15);
  q[6] = 1 - 3e-6;
  const std::vector<double> unit = neutral(model);
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing is thrown";
  };
  const std::string wanted = "the quaternion of the base has length 1 - 3e-06, not 1; divide it by its length, or check its order";
  EXPECT_EQ(message([&] { integrate(model, q, v, 1, to); }), "q: " + wanted);
  EXPECT_EQ(message([&] { difference(model, q, unit, v); }), "q0: " + wanted);
  EXPECT_EQ(message([&] { difference(model, unit, q, v); }), "q1: " + wanted);
}

TEST(FreeBase, OtherConventionsAreTranslated) {
  const Model model = with_heavy_root(with_base(random_model(4), RootJoint::free));
  Random random(4);
  const State s = free_state(model, random);
  const Mat3<double> R = attitude(s.q);
  const auto put = [](double* to, const Vec3<double>& x) { to[0] = x.x, to[1] = x.y, to[2] = x.z; };
  const Vec3<double> w = three(s.v, 0), v = three(s.v, 3), dw = three(s.a, 0), a = three(s.a, 3);
  using C = BaseConvention;
  {  // MuJoCo: w x y z; linear velocity in the world, angular in the body, linear first
    double q[7] = {s.q[0], s.q[1], s.q[2], s.q[6], s.q[3], s.q[4], s.q[5]}, six[6], acceleration[6];
    put(six, R * v), put(six + 3, w), put(acceleration, R * a), put(acceleration + 3, dw);
    to_ulna({C::Quaternion::wxyz, C::Axes::mixed, C::Order::linear}, q, six, acceleration, nullptr);
    EXPECT_LT(relative_error(std::vector<double>(q, q + 7), std::vector<double>(s.q.begin(), s.q.begin() + 7)), 1e-16);
    EXPECT_LT(relative_error(std::vector<double>(six, six + 6), std::vector<double>(s.v.begin(), s.v.begin() + 6)), 1e-15);
    EXPECT_LT(relative_error(std::vector<double>(acceleration, acceleration + 6), std::vector<double>(s.a.begin(), s.a.begin() + 6)), 1e-15);
  }
  {  // Pinocchio: linear first, spatial acceleration, all in the body
    double q[7], six[6], acceleration[6];
    std::copy_n(s.q.begin(), 7, q);
    put(six, v), put(six + 3, w), put(acceleration, a - cross(w, v)), put(acceleration + 3, dw);
    to_ulna({C::Quaternion::xyzw, C::Axes::local, C::Order::linear, C::Acceleration::spatial}, q, six, acceleration, nullptr);
    EXPECT_LT(relative_error(std::vector<double>(acceleration, acceleration + 6), std::vector<double>(s.a.begin(), s.a.begin() + 6)), 1e-15);
  }
}

TEST(FreeBase, FloatsAgreeWithDoubles) {
  for_each_free({.most = 12, .mimic = true}, [](const Model& light, const State& s, Random&) {
    const Model model = with_heavy_root(light);
    const PlanOf<float> plan = make_plan(model).cast<float>();
    WorkspaceOf<float> ws(plan);
    const auto in = [](const std::vector<double>& x) { return std::vector<float>(x.begin(), x.end()); };
    std::vector<float> tau(plan.nv);
    inverse_dynamics(plan, ws, in(s.q), in(s.v), in(s.a), tau);
    const AsJoints joints(model, s);
    const double cond = torque_condition(Oracle(joints.model, joints.state.q, joints.state.v, joints.state.a));
    EXPECT_LT(relative_error(tau, inverse_of(make_plan(model), s)), tolerance<float>(steps(model) + kBase, 4 * cond));
  });
}

// NaN in any number of the state, the position of the base among them, makes every result NaN.
TEST(FreeBase, ABadNumberIsSeenEverywhere) {
  const Model model = with_heavy_root(with_base(random_model(9, {.most = 6}), RootJoint::free));
  const Plan plan = make_plan(model);
  Random random(9);
  const State good = free_state(model, random);
  for (std::size_t k = 0; k < 7; ++k) {
    State bad = good;
    bad.q[k] = std::numeric_limits<double>::quiet_NaN();
    for (const double x : inverse_of(plan, bad)) EXPECT_TRUE(std::isnan(x)) << k;
    for (const double x : numbers_of(Quantity::mass, plan, bad)) EXPECT_TRUE(std::isnan(x)) << k;
  }
}

}  // namespace
}  // namespace ulna::test
