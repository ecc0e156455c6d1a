// The Stanford arm of Kane & Levinson: every quantity of the paper, agreement with the production path, and which models count as this arm.
#include "formulation/kane_stanford.hpp"

#include <ulna/source/load.hpp>

#include "formulation/kane.hpp"
#include "formulation/rows.hpp"
#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

#include "formulation/kane_vectors.inc"

constexpr double kPi = 3.141592653589793;

std::array<double, 7> from_one(const std::vector<double>& x) {
  std::array<double, 7> y{};
  std::copy(x.begin(), x.end(), y.begin() + 1);
  return y;
}
template <class Array>
std::vector<double> drop_first(const Array& x) {
  return {x.begin() + 1, x.end()};
}

/// The vectors' state, with u from the rates.
StanfordQuantities<double> at_reference(const StanfordArm<double>& arm) {
  StanfordQuantities<double> k;
  stanford_place(from_one(kQ), k);
  stanford_speeds_from_rates(k, from_one(kQd));
  stanford_Z(arm, k);
  stanford_X(arm, k);
  return k;
}

// Each number by itself: nothing is hidden behind a larger neighbour. Values of this state are of size one and are sums of a few dozen terms.
void expect_each(const std::vector<double>& is, const std::vector<double>& expected, const char* letter) {
  ASSERT_EQ(is.size(), expected.size());
  double most = 0;
  for (std::size_t i = 0; i < is.size(); ++i) {
    most = std::max(most, std::abs(is[i] - expected[i]));
    EXPECT_NEAR(is[i], expected[i], tolerance(6) * std::max(1.0, std::abs(expected[i]))) << letter << "_" << i + 1;
  }
  ::testing::Test::RecordProperty(letter, std::to_string(most * 1e16) + "e-16");
}

TEST(KaneStanford, EveryQuantityOfThePaper) {
  const StanfordArm<double> arm;
  const StanfordQuantities<double> k = at_reference(arm);
  expect_each(drop_first(k.u), kU, "u");
  const std::array<double, 7> u_dot = stanford_speed_rates(k, from_one(kQd), from_one(kQdd));
  expect_each(drop_first(u_dot), kUdot, "u_dot");
  expect_each(drop_first(k.Z), kZ, "Z");
  std::vector<double> X;
  for (std::size_t r = 1; r <= 6; ++r) X.insert(X.end(), k.X[r].begin() + 1, k.X[r].end());
  expect_each(X, kX, "X");
  expect_each(drop_first(stanford_W(arm, k)), kW, "W");
  const std::array<double, 7> force = stanford_forces(k, u_dot);
  expect_each(drop_first(force), kForce, "force");
  // and back
  const std::array<double, 7> solved = stanford_accelerations(arm, k, force);
  std::vector<double> M(X);
  for (double& x : M) x = -x;
  const double cond = condition_number(Eigen::Map<Eigen::Matrix<double, 6, 6>>(M.data()));
  EXPECT_LT(relative_error(drop_first(solved), kUdot), tolerance(6, cond));
  EXPECT_LT(relative_error(drop_first(stanford_joint_accelerations(k, solved)), kQdd), tolerance(6, cond));
}

TEST(KaneStanford, GeneralKaneWithTheseSpeeds) {
  const StanfordArm<double> arm;
  const StanfordQuantities<double> k = at_reference(arm);
  const BodyTree<double> tree = make_body_tree(load("stanford"));
  KaneWorkspace<double> ws(tree);
  std::vector<double> q(6), M(36), bias(6), X, rest;
  stanford_to_chain(from_one(kQ), q.data());
  const GeneralizedSpeeds<double> speeds = stanford_speeds<double>();
  kane_mass(tree, ws, speeds, q.data(), 0.0, M.data());
  kane_bias(tree, ws, speeds, q.data(), kU.data(), 0.0, bias.data());
  for (std::size_t r = 1; r <= 6; ++r) {
    const double gravity = r < 5 ? k.Z[191 + r] : r == 6 ? k.Z[196] : 0;
    rest.push_back(-(k.Z[181 + r] + gravity));
    for (std::size_t j = 1; j <= 6; ++j) X.push_back(-k.X[r][j]);
  }
  EXPECT_LT(relative_error(M, X), tolerance(6));
  EXPECT_LT(relative_error(bias, rest), tolerance(6));
}

/// sin q2 of a state in chain order; results near its zeros lose digits as 1/sin².
double loss(const State& s) { return 1 / (std::sin(s.q[1]) * std::sin(s.q[1])); }

struct Worst {
  double torque = 0, acceleration = 0;  // relative errors where |sin q2| > 0.1
};

Worst expect_production(const Model& model, std::uint64_t seed, int states) {
  const Prepared prepared(model);
  const Formulation row = kane_stanford_row();
  EXPECT_EQ(row.why_not(prepared), "");
  const auto kane = row.make_double(prepared);
  const Plan plan = make_plan(model);
  Effects rigid;
  rigid.rotor = false;
  Random random(seed);
  Worst worst;
  for (int i = 0; i < states; ++i) {
    const State s = random_state(model, random);
    const std::vector<double> tau = random.numbers(6, -20, 20);
    std::vector<double> x(6), a(6);
    kane->torque(s.q.data(), s.v.data(), s.a.data(), x.data());
    kane->acceleration(s.q.data(), s.v.data(), tau.data(), a.data());
    const double torque = relative_error(x, inverse_of(plan, s, rigid));
    const double acceleration = relative_error(a, forward_of(plan, s, tau));
    const double cond = torque_condition(Oracle(model, s.q, s.v, s.a, rigid));
    EXPECT_LT(torque, tolerance(6, cond * loss(s))) << "state " << i << ", q2 = " << s.q[1];
    EXPECT_LT(acceleration, tolerance(6, condition_number(mass_of(plan, s.q)) * loss(s))) << "state " << i << ", q2 = " << s.q[1];
    if (loss(s) > 100) continue;
    worst.torque = std::max(worst.torque, torque);
    worst.acceleration = std::max(worst.acceleration, acceleration);
  }
  return worst;
}

TEST(KaneStanford, EqualsTheProductionPath) {
  const Worst worst = expect_production(load("stanford"), 1, 2000);
  EXPECT_LT(worst.torque, 1e-12);
  RecordProperty("torque", std::to_string(worst.torque * 1e16) + "e-16");
  RecordProperty("acceleration", std::to_string(worst.acceleration * 1e16) + "e-16");
}

/// The arm with other numbers, in link frames and base axes of its own: joint axes as given, link frames turned and displaced behind each joint.
Description another(std::uint64_t seed, bool rotors) {
  Random random(seed);
  const auto some = [&](double low, double high) { return random.uniform(low, high); };
  Description arm;
  arm.links.push_back(frame("base"));
  const Mat3<double> R_WN = random.rotation();  // the paper's n1, n2, n3 in the base's axes
  arm.gravity = R_WN * Vec3<double>{0, -some(1, 20), 0};
  const double L1 = some(-0.3, 0.3), L2 = some(0.2, 1), L3 = some(-0.3, 0.3), L4 = some(-0.5, 0.5), L5 = some(0.2, 1), L6 = some(-0.3, 0.3);
  // From the base to the first axis, then at q = 0 in the paper's axes: where each joint's frame lies, and each mass centre.
  const Vec3<double> foot = random.vector(1);
  const double rise = some(-0.2, 0.2);  // of the first frame's origin above A*
  const std::array<Vec3<double>, 6> at{Vec3<double>{0, rise, 0}, {some(-0.2, 0.2), L4, 0},      {some(-1, 1), some(-1, 1), some(-1, 1)},
                                       {L1, some(0, 1), 0},      {some(-0.2, 0.2), L4 + L2, 0}, {L1, some(0, 1), 0}};
  const std::array<Vec3<double>, 6> com{Vec3<double>{0, 0, 0}, {L1, L4, 0}, {L1, L4, 0}, {L1, L4 + L5, 0}, {L1, L4 + L2 + L6, 0}, {L1, L4 + L2 + L3, 0}};
  Pose<double> X_NP{R_WN.transposed(), tmul(R_WN, -foot)};  // the parent link's frame, from A* in the paper's axes
  for (std::size_t i = 0; i < 6; ++i) {
    Description::JointEntry entry;
    entry.joint.name = cat("j", i);
    entry.joint.type = i == 2 ? JointType::prismatic : JointType::revolute;
    const Pose<double> X_NF{random.rotation(), at[i]};
    const Vec3<double> n = i == 1 || i == 4 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    entry.joint.X_PF = X_NP.inverse() * X_NF;
    entry.joint.axis = tmul(X_NF.R, n);
    entry.joint.X_MB = {random.rotation(), random.vector(0.3)};
    if (rotors) entry.joint.rotor = some(0.01, 0.5), entry.joint.gear = some(1, 2);
    const Pose<double> X_NB = X_NF * entry.joint.X_MB, X_BN = X_NB.inverse();
    const double x = some(0.01, 0.1), y = some(0.01, 0.1), z = some(0.01, 0.1);
    Link link = body(cat("link", i), some(0.5, 5), X_BN.p + X_BN.R * com[i], congruence(X_BN.R, Sym3<double>{y + z, x + z, x + y, 0, 0, 0}));
    entry.parent = arm.links.back().name;
    entry.child = link.name;
    arm.joints.push_back(entry);
    arm.links.push_back(link);
    X_NP = X_NB;
  }
  return arm;
}

TEST(KaneStanford, OtherNumbersInOtherFrames) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    expect_production(unchecked(another(seed, seed % 2 == 0)), seed, 50);
  }
}

TEST(KaneStanford, MasslessBodies) {
  Description arm = another(3, true);
  for (const std::size_t i : {1u, 2u, 4u}) {  // A, B, D
    arm.links[i].mass = 0;
    arm.links[i].com = {};
  }
  arm.links[5].inertia = {};
  expect_production(unchecked(arm), 4, 50);
}

TEST(KaneStanford, RecognisesTheArm) {
  const StanfordFit fit = fit_stanford(make_body_tree(load("stanford")));
  ASSERT_EQ(fit.why_not, "");
  const StanfordArm<double>&a = fit.arm, paper;
  const auto fields = [](const StanfordArm<double>& x) {
    return std::vector<double>{x.L1, x.L2, x.L3, x.L4, x.L5, x.L6, x.mA, x.mB, x.mC, x.mD, x.mE, x.mF, x.A1, x.A2, x.A3, x.B1,
                               x.B2, x.B3, x.C1, x.C2, x.C3, x.D1, x.D2, x.D3, x.E1, x.E2, x.E3, x.F1, x.F2, x.F3, x.g};
  };
  EXPECT_LT(relative_error(fields(a), fields(paper)), tolerance(6));
}

TEST(KaneStanford, SaysWhichPropertyIsMissing) {
  const auto why = [](const BodyTree<double>& tree) { return fit_stanford(tree).why_not; };
  const BodyTree<double> good = make_body_tree(load("stanford"));
  const std::string start = "not the Stanford arm of Kane & Levinson: ";
  EXPECT_EQ(why(make_body_tree(load("general-RRR"))), start + "it has the joints RRPRRR, this model RRR");
  EXPECT_NE(why(make_body_tree(load("general-RRPRRR"))), "");
  const auto changed = [&](auto change) {
    BodyTree<double> tree = good;
    change(tree);
    return why(tree);
  };
  using Tree = BodyTree<double>;
  EXPECT_EQ(changed([](Tree& t) { t.bodies[5].parent = 3; }), start + "its joints form one chain");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[1].p_PB.x = 0.01; }), start + "the axis of joint 2 meets that of joint 1");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[3].p_PB.x = 0.01; }), start + "the axis of joint 4 meets that of joint 2");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[4].p_PB.x = 0.01; }), start + "the axis of joint 5 meets that of joint 4");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[5].p_PB.x = 0.01; }), start + "the axis of joint 6 is that of joint 4 at q = 0");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[0].com.x = 0.01; }), start + "the mass centre of body A (joint 1) lies on its joint's axis");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[2].com.z = 0.01; }),
            start + "the mass centre of body C (joint 3) lies at q = 0 where the axes of joints 2 and 4 meet");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[4].com.z = 0.01; }), start + "the mass centre of body E (joint 5) lies at q = 0 on the axis of joint 4");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[3].inertia.xy = 1e-5; }),
            start + "the principal axes of body D (joint 4) are parallel to joint axes 1 and 2 at q = 0");
  EXPECT_EQ(changed([](Tree& t) { t.gravity.x = 1; }), start + "gravity acts along the axis of joint 1");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[4].R_PB = rotation_x(0.1) * t.bodies[4].R_PB; }),
            start + "at q = 0 the axis of joint 5 is that of joint 2 in direction");
  EXPECT_EQ(changed([](Tree& t) { t.bodies[1].R_PB = rotation_x(0.1) * t.bodies[1].R_PB; }), start + "its first two joint axes are at right angles");
  EXPECT_EQ(changed([](Tree& t) { t.gravity = {}; }), "");
}

TEST(KaneStanford, SingularStatesAreRefused) {
  const auto kane = kane_stanford_row().make_double(Prepared(load("stanford")));
  std::vector<double> zero(6, 0.0), out(6);
  for (const double q2 : {0.0, kPi, -kPi, 1e-9}) {
    const std::vector<double> q{0.1, q2, 0.1, 0.1, 0.1, 0.1};
    EXPECT_THROW(kane->torque(q.data(), zero.data(), zero.data(), out.data()), std::domain_error);
    EXPECT_THROW(kane->acceleration(q.data(), zero.data(), zero.data(), out.data()), std::domain_error);
  }
}

TEST(KaneStanford, MomentumAboutTheVertical) {
  const Model model = load("stanford");
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const StanfordArm<double> arm;
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    State s = random_state(model, random);
    s.q[1] = random.uniform(0.2, 2.9);
    StanfordQuantities<double> k;
    stanford_place(stanford_from_chain(s.q.data()), k);
    stanford_speeds_from_rates(k, stanford_from_chain(s.v.data()));
    stanford_Z(arm, k);
    const Vec3<double> H = momentum(plan, ws, s.q, s.v).angular;
    EXPECT_NEAR(stanford_W(arm, k)[31], H.z, tolerance(6, loss(s)) * std::sqrt(dot(H, H)));
  }
}

// With tau_1 = 0 and any other forces W_31 keeps its value. Integrated in the paper's own variables: eqs 8-11 and 118-123.
TEST(KaneStanford, MomentumIsKept) {
  const StanfordArm<double> arm;
  using Vector = std::array<double, 7>;
  const auto at = [&](const Vector& q, const Vector& u) {
    StanfordQuantities<double> k;
    stanford_place(q, k);
    k.u = u;
    stanford_Z(arm, k);
    stanford_X(arm, k);
    return k;
  };
  const auto slope = [&](double t, const Vector& q, const Vector& u) {
    const StanfordQuantities<double> k = at(q, u);
    Vector force = stanford_forces(at(q, {}), {});  // holds the arm against gravity
    force[1] = 0;
    force[2] += std::sin(t), force[3] += 0.01, force[4] += 0.02 * std::cos(t), force[5] += 0.001, force[6] -= 2 * t;
    return std::pair{Vector{0, k.Z[1], k.Z[2], k.Z[3], u[4], u[5], u[6]}, stanford_accelerations(arm, k, force)};
  };
  const auto step = [](const Vector& x, double h, const Vector& d) {
    Vector y = x;
    for (std::size_t r = 1; r <= 6; ++r) y[r] += h * d[r];
    return y;
  };
  Vector q{0, 0, kPi / 2, 0, 0, 0, 0}, u{};
  StanfordQuantities<double> start;
  stanford_place(q, start);
  stanford_speeds_from_rates(start, Vector{0, 0.3, 0.1, -0.2, 0.1, 0.4, 0.05});
  u = start.u;
  const double before = stanford_W(arm, at(q, u))[31];
  constexpr double h = 1e-3;
  for (int i = 0; i < 500; ++i) {  // Runge-Kutta of order four
    const double t = i * h;
    const auto [q1, u1] = slope(t, q, u);
    const auto [q2, u2] = slope(t + h / 2, step(q, h / 2, q1), step(u, h / 2, u1));
    const auto [q3, u3] = slope(t + h / 2, step(q, h / 2, q2), step(u, h / 2, u2));
    const auto [q4, u4] = slope(t + h, step(q, h, q3), step(u, h, u3));
    for (std::size_t r = 1; r <= 6; ++r) {
      q[r] += h / 6 * (q1[r] + 2 * q2[r] + 2 * q3[r] + q4[r]);
      u[r] += h / 6 * (u1[r] + 2 * u2[r] + 2 * u3[r] + u4[r]);
    }
  }
  EXPECT_GT(std::abs(before), 0.1);
  EXPECT_NEAR(stanford_W(arm, at(q, u))[31], before, 1e-10);  // truncation of the integrator: h^4
  RecordProperty("drift", std::to_string((stanford_W(arm, at(q, u))[31] - before) * 1e12) + "e-12");
}

TEST(KaneStanford, OtherScalars) {
  const Prepared prepared(load("stanford"));
  const Formulation row = kane_stanford_row();
  const auto exact = row.make_double(prepared);
  const auto coarse = row.make_float(prepared);
  const auto counted = row.make_counted(prepared);
  Random random(9);
  for (int i = 0; i < 50; ++i) {
    State s = random_state(prepared.model, random);
    s.q[1] = random.uniform(0.3, 2.8);
    std::vector<double> tau(6), a(6);
    std::vector<float> q, v, b, tau_float(6), a_float(6);
    std::vector<Counted> Q, V, B, tau_counted(6), a_counted(6);
    for (std::size_t k = 0; k < 6; ++k) {
      q.push_back(static_cast<float>(s.q[k])), v.push_back(static_cast<float>(s.v[k])), b.push_back(static_cast<float>(s.a[k]));
      Q.push_back(Counted::variable(s.q[k])), V.push_back(Counted::variable(s.v[k])), B.push_back(Counted::variable(s.a[k]));
    }
    exact->torque(s.q.data(), s.v.data(), s.a.data(), tau.data());
    exact->acceleration(s.q.data(), s.v.data(), s.a.data(), a.data());
    coarse->torque(q.data(), v.data(), b.data(), tau_float.data());
    coarse->acceleration(q.data(), v.data(), b.data(), a_float.data());
    counted->torque(Q.data(), V.data(), B.data(), tau_counted.data());
    counted->acceleration(Q.data(), V.data(), B.data(), a_counted.data());
    const double cond = torque_condition(Oracle(prepared.model, s.q, s.v, s.a));
    EXPECT_LT(relative_error(tau, tau_float), tolerance<float>(6, cond * loss(s)));
    EXPECT_LT(relative_error(a, a_float), tolerance<float>(6, condition_number(mass_of(make_plan(prepared.model), s.q)) * loss(s)));
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(tau[k], tau_counted[k].value());
      EXPECT_EQ(a[k], a_counted[k].value());
    }
  }
}

// The paper claims 646 multiplications and 394 additions. With its corrected equations, operations between constants left out, they are 638 and 400
// (divisions counted as multiplications), u and its derivative being given.
TEST(KaneStanford, OperationCounts) {
  // Parameters of which none is one and no two are equal: what happens to vanish for the paper's numbers (D2 - D3) is counted.
  const StanfordArm<double> arm = fit_stanford(make_body_tree(unchecked(another(1, false)))).arm;
  StanfordQuantities<Counted> k;
  std::array<Counted, 7> q, u, u_dot;
  for (std::size_t r = 1; r <= 6; ++r) q[r] = Counted::variable(0.7), u[r] = Counted::variable(0.3), u_dot[r] = Counted::variable(0.2);
  stanford_place(q, k);
  stanford_speeds_from_rates(k, u);
  const auto counted = [](auto body) {
    operation_counts() = {};
    body();
    const OperationCounts n = operation_counts();
    return std::pair{n.mul + n.div, n.add};
  };
  using Pair = std::pair<long, long>;
  EXPECT_EQ(counted([&] { stanford_speeds_from_rates(k, u); }), Pair(7, 3));
  EXPECT_EQ(counted([&] { stanford_Z(arm, k); }), Pair(478 + 4, 264));
  EXPECT_EQ(counted([&] { stanford_X(arm, k); }), Pair(121, 99));
  EXPECT_EQ(counted([&] { stanford_forces(k, u_dot); }), Pair(28 + 7, 22 + 15));
}

}  // namespace
}  // namespace ulna::test
