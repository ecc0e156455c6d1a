// Ball joints: trees of them against the oracle, which knows joints of three coordinates by themselves; against MuJoCo and Pinocchio; by closed forms and laws.
#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>
#include "dynamics/compute-inl.hpp"
#include "model/describe.hpp"

#include "support/cases.hpp"
#include "support/difference.hpp"
#include "support/problems.hpp"

namespace ulna::test {
namespace {

constexpr RandomOptions kTrees{.most = 12, .mimic = true, .balls = true};

/// Robots that have a ball joint, in states of theirs.
template <class Body>
void for_each_tree(const RandomOptions& options, Body body) {
  int balls = 0;
  for_each_case(options, [&](const Model& model, const State& s, Random& random) {
    if (!model.has_balls()) return;
    ++balls;
    body(model, s, random);
  });
  EXPECT_GT(balls, 60);
}

TEST(Ball, TorquesEqualTheOracle) {
  for_each_tree(kTrees, [](const Model& model, const State& s, Random& random) {
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    Effects effects;
    effects.friction = true;
    effects.wrenches = wrenches;
    effects.base = random_base(random);
    const Oracle oracle(model, s.q, s.v, s.a, effects);
    const double bound = tolerance(steps(model), torque_condition(oracle));
    EXPECT_LT(relative_error(inverse_of(make_plan(model), s, effects), doubles(oracle.torques())), bound);
    EXPECT_LT(relative_error(inverse_of(make_plan(model, {.lumping = Lumping::none}), s, effects), doubles(oracle.torques())), bound);
  });
}

TEST(Ball, InertiaMatrixEqualsTheOracle) {
  for_each_tree(kTrees, [](const Model& model, const State& s, Random&) {
    EXPECT_LT(relative_error(mass_of(make_plan(model), s.q), doubles(Oracle(model, s.q, s.v, s.a).mass_matrix())), tolerance(steps(model)));
  });
}

TEST(Ball, ForwardIsTheInverseByEitherMethod) {
  for_each_tree(kTrees, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    Effects effects;
    effects.wrenches = wrenches;
    const std::vector<double> tau = inverse_of(plan, s, effects);
    const double cond = condition_number(mass_of(plan, s.q));
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
      if (plan.coupled && method == ForwardMethod::articulated) continue;
      EXPECT_LT(relative_error(forward_of(plan, s, tau, effects, method), s.a), tolerance(steps(model), cond));
    }
  });
}

// C v is what velocities ask for, and Ṁ - 2 C is skew: M at the ends of a short way along the motion.
TEST(Ball, CoriolisMatrixIsThatOfTheMotion) {
  for_each_tree({.most = 8, .balls = true, .friction = false}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const auto n = static_cast<Eigen::Index>(plan.nv);
    const std::vector<double> entries = numbers_of(Quantity::coriolis, plan, s), bias = numbers_of(Quantity::bias, plan, s),
                              gravity = numbers_of(Quantity::gravity, plan, s);
    const Eigen::Map<const Eigen::MatrixXd> C(entries.data(), n, n);
    const auto vector = [n](const std::vector<double>& x) { return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), n)); };
    const double size = std::max(1.0, (vector(bias) - vector(gravity)).cwiseAbs().maxCoeff());
    EXPECT_LT((C * vector(s.v) - vector(bias) + vector(gravity)).cwiseAbs().maxCoeff(), 1e-11 * size);
    constexpr double kStep = 1e-4;
    std::vector<double> before(plan.nq), after(plan.nq);
    integrate(model, s.q, s.v, -kStep, before), integrate(model, s.q, s.v, kStep, after);
    const Eigen::MatrixXd rate = (mass_of(plan, after) - mass_of(plan, before)) / (2 * kStep);
    EXPECT_LT((rate - C - C.transpose()).cwiseAbs().maxCoeff(), 1e-5 * std::max(1.0, C.cwiseAbs().maxCoeff()));
  });
}

// Derivatives by q are along the tangents that integrate() goes: of the oracle's torques, by central differences.
TEST(Ball, DerivativesEqualDifferencesOfTheOracle) {
  for_each_tree({.most = 6, .balls = true, .friction = false}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const auto n = static_cast<Eigen::Index>(plan.nv);
    const std::vector<double> all = numbers_of(Quantity::inverse_derivatives, plan, s);
    const Eigen::Map<const Eigen::MatrixXd> D(all.data(), n, 3 * n);
    const auto torques = [&](const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
      return Eigen::VectorXd(Oracle(model, q, v, a).torques().cast<double>());
    };
    constexpr double kStep = 1e-5;
    const double size = std::max(1.0, D.cwiseAbs().maxCoeff());
    for (Eigen::Index k = 0; k < n; ++k) {
      std::vector<double> way(plan.nv, 0.0), less(plan.nq), more(plan.nq), slower = s.v, faster = s.v;
      way[static_cast<std::size_t>(k)] = 1;
      integrate(model, s.q, way, -kStep, less), integrate(model, s.q, way, kStep, more);
      slower[static_cast<std::size_t>(k)] -= kStep, faster[static_cast<std::size_t>(k)] += kStep;
      EXPECT_LT((D.col(k) - (torques(more, s.v, s.a) - torques(less, s.v, s.a)) / (2 * kStep)).cwiseAbs().maxCoeff(), 1e-7 * size);
      EXPECT_LT((D.col(n + k) - (torques(s.q, faster, s.a) - torques(s.q, slower, s.a)) / (2 * kStep)).cwiseAbs().maxCoeff(), 1e-7 * size);
    }
    EXPECT_LT((D.rightCols(n) - mass_of(plan, s.q)).cwiseAbs().maxCoeff(), 1e-12 * size);
  });
}

// A free base is three slides along the world's axes and a ball: v of the one has the linear velocity in the root link's axes, of the other in the world's.
TEST(Ball, ThreeSlidesAndABallAreAFreeBase) {
  for_each_case({.most = 6, .balls = true}, [](const Model& light, const State&, Random& random) {
    const Model free = with_base(with_heavy_root(light), RootJoint::free);
    Description d = internal::describe(free);
    d.base = RootJoint::fixed;
    const std::string root = d.links[0].name, names[] = {"world", "at x", "at y", "at z"};
    for (std::size_t k = 0; k < 4; ++k) {
      Link link;
      link.name = names[k];
      d.links.push_back(link);
      Description::JointEntry entry;
      entry.parent = names[k], entry.child = k < 3 ? names[k + 1] : root;
      entry.joint.name = "base" + std::to_string(k);
      entry.joint.type = k < 3 ? JointType::prismatic : JointType::ball;
      entry.joint.axis = {k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 || k == 3 ? 1.0 : 0};
      d.joints.push_back(entry);
    }
    Diagnostics problems;
    const std::optional<Model> bolted = build(d, problems);
    ASSERT_TRUE(bolted) << listing(problems.all());
    ASSERT_EQ(bolted->nq(), free.nq());
    const State s = random_state(free, random);
    const Mat3<double> R = rotation_of(Quaternion{s.q[3], s.q[4], s.q[5], s.q[6]});
    const auto swapped = [&](const std::vector<double>& x) {
      std::vector<double> out = x;
      const Vec3<double> linear = R * Vec3<double>{x[3], x[4], x[5]};
      out[0] = linear.x, out[1] = linear.y, out[2] = linear.z, out[3] = x[0], out[4] = x[1], out[5] = x[2];
      return out;
    };
    const State other{s.q, swapped(s.v), swapped(s.a)};
    const std::vector<double> tau = swapped(inverse_of(make_plan(free), s));
    EXPECT_LT(relative_error(inverse_of(make_plan(*bolted), other), tau), 1e-11);
  });
}

// Euler: n = J dw + w x J w about the centre of a body that hangs by its mass centre, in its own axes, wherever it has turned.
TEST(Ball, ABodyOnItsMassCentreObeysEulersEquations) {
  Description d;
  d.name = "top";
  d.links = {Link{}, Link{}};
  d.links[0].name = "ground", d.links[1].name = "body";
  const Sym3<double> J{0.5, 0.6, 0.9, 0.02, -0.03, 0.01};
  d.links[1].mass = 2, d.links[1].inertia = J, d.links[1].com = {0.1, 0.2, -0.3};
  Description::JointEntry entry;
  entry.parent = "ground", entry.child = "body", entry.joint.name = "ball", entry.joint.type = JointType::ball;
  entry.joint.X_MB.p = {-0.1, -0.2, 0.3};
  d.joints = {entry};
  Diagnostics problems;
  const std::optional<Model> model = build(d, problems);
  ASSERT_TRUE(model);
  Random random(5);
  const State s = random_state(*model, random);
  const Vec3<double> w{s.v[0], s.v[1], s.v[2]}, dw{s.a[0], s.a[1], s.a[2]}, n = J * dw + cross(w, J * w);
  const std::vector<double> tau = inverse_of(make_plan(*model), s);
  EXPECT_LT(relative_error(tau, std::vector<double>{n.x, n.y, n.z}), 1e-14);
}

constexpr const char* kTree = R"(<mujoco model="balls">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0.3 -0.5 -9.7"/>
  <worldbody>
    <body name="trunk" pos="0.1 0.2 0.5" quat="0.9 0.1 -0.2 0.3">
      <joint name="slide" type="slide" axis="0 0.6 0.8"/>
      <joint name="waist" type="hinge" axis="0.3 0.4 0.86" pos="0.05 0.02 -0.1" armature="0.02" damping="0.3"/>
      <inertial pos="0.03 -0.02 0.05" mass="3" fullinertia="0.05 0.06 0.07 0.002 -0.003 0.004"/>
      <body name="arm" pos="0.2 0.1 0.3" quat="0.8 -0.3 0.2 0.1">
        <joint name="hip" type="ball" pos="0.01 -0.02 0.03" armature="0.013" damping="0.2"/>
        <inertial pos="0.02 0.03 -0.15" mass="1.5" fullinertia="0.02 0.025 0.012 0.001 0.002 -0.0015"/>
        <body name="fore" pos="0 0.02 -0.35" quat="0.7 0.1 0.5 -0.2">
          <joint name="knee" type="hinge" axis="0.1 0.9 -0.2"/>
          <inertial pos="0.01 0 -0.1" mass="0.9" fullinertia="0.01 0.011 0.004 0.0005 0.0002 -0.0003"/>
          <body name="hand" pos="0.02 -0.01 -0.25" quat="0.6 0.6 -0.2 0.3">
            <joint name="wrist" type="ball"/>
            <inertial pos="0.01 0.02 -0.05" mass="0.4" fullinertia="0.003 0.0025 0.002 0.0001 0.0002 -0.0003"/>
          </body>
        </body>
      </body>
      <body name="other" pos="-0.2 0.1 0.2">
        <joint name="shoulder" type="ball" pos="0 0 0.05"/>
        <inertial pos="0.1 0.02 -0.12" mass="1.1" fullinertia="0.02 0.015 0.012 0.001 0.001 -0.001"/>
      </body>
    </body>
  </worldbody>
</mujoco>
)";

// mujoco 4.0.0: mj_inverse, mj_fullM and mj_forward with the joints' damping at zero; pin 4.1.0 gives the same to 1e-13 (JointModelSpherical: rnea, crba, aba).
const std::vector<double> kQ{0.023643249400513433, 0.9009273926518706,  0.03863428912541081,  -0.28444761342737307, -0.7604953392326397,
                             0.5824463803000909,   0.6554051876408835,  0.006040744701525573, -0.2044718593700416,  0.9600756348561406,
                             -0.19081284937023396, -0.7838607228814927, -0.546158077948054,   -0.05053071495372729, 0.2910676345148258};
const std::vector<double> kV{-0.8924351838185167, -1.3573919648994925, 1.8797016528645303, 0.06427434219151484, -1.5365375501169187, 0.49395902215000165,
                             1.106732457369192,   0.45201320421216185, 1.6691908191636107, -1.8416284933431886, 0.11435705304008659, -0.1626564684583851};
const std::vector<double> kA{-2.6259025251007464, 0.8479690148362495,  2.1157970308839404, 0.5576461086257041, -1.4394153135766607, 2.0392891261884527,
                             0.05697528912905625, 0.06533330679919835, 1.518181246213067,  -2.112467785290261, 1.9177603147156619,  1.0997214360195429};
const std::vector<double> kTau{37.852647690707705,   -2.4941493030518376,  1.8720732948205212,   -5.654029384281464,
                               -2.293966341469707,   1.555138779693956,    -0.2150573519844987,  0.08927120839534788,
                               -0.01733089177035794, -0.48411743014322356, 0.015190005748514368, -0.23817319510538718};
const std::vector<double> kMass{6.8999999999999995,
                                0.041772705577981274,
                                0.5660851278822348,
                                0.5241846169334182,
                                0.1964884545446375,
                                0.283913702054708,
                                -0.048316035753391995,
                                0.19313807232197033,
                                0.02771606741760837,
                                0.28160765030041995,
                                -0.1195325722333196,
                                0.05092198167826861,
                                -0.049490253555753386,
                                0.07159928823875372,
                                0.09154008791635211,
                                0.176341659392459,
                                0.011510174064149255,
                                0.041404017243702344,
                                0.014153077470857539,
                                -0.018568319997672073,
                                0.04563232534639248,
                                -0.014634928375617346,
                                0.002554414386057903,
                                -0.0034816063643686944,
                                0.0020883394325560316,
                                0.0030683107861967486,
                                -0.004373085903447167,
                                0.00416000000000001,
                                -0.00972998670354584,
                                -0.008956751279705358,
                                -0.005600833065663314,
                                -0.005406699548771775,
                                -0.003684109880082644,
                                0.00043751517138735784,
                                1.9999999999994198e-05,
                                0.003540000000000004,
                                -0.006818980356541786,
                                -0.004271129643038718,
                                -0.003846301967350447,
                                -0.004060137823282317,
                                -0.0005858767132838351,
                                -0.0031749399420898856,
                                0.0004000000000000041,
                                0.00010000000000000726,
                                0.0022000000000000092,
                                -0.04255315649379475,
                                0.04067412949767063,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.05223000000000011,
                                -0.15010037756217412,
                                0.053857787940143766,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                -0.001200000000000024,
                                0.057790000000000084,
                                -0.04269013647425271,
                                0.01549710428441451,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.0,
                                0.019700000000000047,
                                0.0027399999999999994,
                                0.023440000000000082};  // row by row up to the diagonal
// pin 4.1.0, computeRNEADerivatives: by q, then by v, columns hip.y and wrist.x.
const std::vector<double> kByHipY{-1.9156014128017589,
                                  -0.6193245334960236,
                                  1.2701973771048767,
                                  2.8484806557389604,
                                  0.8095702761825603,
                                  1.2425517432453939,
                                  -0.12434960798526934,
                                  -0.1100413214992105,
                                  -0.06918110776777077,
                                  0.0,
                                  0.0,
                                  0.0};
const std::vector<double> kByWristX{0.14054306526469967,
                                    -0.0600890384117788,
                                    0.0863412916377423,
                                    -0.1153462613506878,
                                    -0.10240726123089083,
                                    -0.04782001329708506,
                                    -0.11090340314109659,
                                    -0.044229319571292613,
                                    -0.028349066207074114,
                                    0.0,
                                    0.0,
                                    0.0};
const std::vector<double> kByRateOfHipY{0.17923965723474938,
                                        0.3902044414749432,
                                        0.6532821639070292,
                                        -0.22139833864925107,
                                        -0.22242634673814804,
                                        -0.062072209787435495,
                                        0.015571201719850603,
                                        0.003594213161832188,
                                        0.002871274914239604,
                                        0.0,
                                        0.0,
                                        0.0};
const std::vector<double> kByRateOfWristX{0.024565813873211745,
                                          0.003434967100419333,
                                          0.01868294263854852,
                                          -0.002595091611637061,
                                          -0.01416473877599387,
                                          0.008149823144243435,
                                          0.00014742146530143801,
                                          0.0018734532567929235,
                                          -0.004838089555600573,
                                          0.0,
                                          0.0,
                                          0.0};

TEST(Ball, NumbersOfMujocoAndPinocchio) {
  const LoadResult loaded = try_parse(kTree, "tree.xml");
  ASSERT_TRUE(loaded.model) << listing(loaded.diagnostics);
  const Model& model = *loaded.model;
  const Plan plan = make_plan(model);
  const State s{kQ, kV, kA};
  EXPECT_LT(relative_error(inverse_of(plan, s), kTau), 1e-13);
  const Eigen::MatrixXd M = mass_of(plan, kQ);
  for (Eigen::Index i = 0, k = 0; i < M.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j, ++k) EXPECT_NEAR(M(i, j), kMass[static_cast<std::size_t>(k)], 1e-13);
  for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated})
    EXPECT_LT(relative_error(forward_of(plan, s, kTau, {}, method), kA), 1e-12);
  const std::vector<double> D = numbers_of(Quantity::inverse_derivatives, plan, s);
  const auto column = [&](std::size_t k) { return std::vector<double>(&D[k * plan.nv], &D[k * plan.nv] + plan.nv); };
  EXPECT_LT(relative_error(column(3), kByHipY), 1e-12);
  EXPECT_LT(relative_error(column(6), kByWristX), 1e-12);
  EXPECT_LT(relative_error(column(plan.nv + 3), kByRateOfHipY), 1e-12);
  EXPECT_LT(relative_error(column(plan.nv + 6), kByRateOfWristX), 1e-12);
}

TEST(Ball, NamesAndSizes) {
  const Model model = *try_parse(kTree, "tree.xml").model;
  EXPECT_EQ(model.nq(), 15u);
  EXPECT_EQ(model.nv(), 12u);
  EXPECT_EQ(model.position_names(), (std::vector<std::string>{"slide", "waist", "hip.x", "hip.y", "hip.z", "hip.w", "knee", "wrist.x", "wrist.y", "wrist.z",
                                                              "wrist.w", "shoulder.x", "shoulder.y", "shoulder.z", "shoulder.w"}));
  EXPECT_EQ(model.velocity_names(), (std::vector<std::string>{"slide", "waist", "hip.x", "hip.y", "hip.z", "knee", "wrist.x", "wrist.y", "wrist.z",
                                                              "shoulder.x", "shoulder.y", "shoulder.z"}));
  EXPECT_EQ(model.quaternions(), (std::vector<std::size_t>{2, 7, 11}));
  EXPECT_EQ(with_base(model, RootJoint::free).quaternions(), (std::vector<std::size_t>{3, 9, 14, 18}));
  EXPECT_EQ(make_plan(model).sizes(), model.sizes());
  EXPECT_EQ(neutral(model), (std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(Ball, IntegrateGoesWhereDifferencePoints) {
  for_each_tree({.balls = true}, [](const Model& fixed, const State&, Random& random) {
    for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free}) {
      const Model model = with_base(fixed, base);
      const State s = random_state(model, random);
      std::vector<double> q(model.nq()), v(model.nv());
      integrate(model, s.q, s.v, 0.5, q);
      difference(model, s.q, q, v);
      for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(v[k], 0.5 * s.v[k], 1e-12);
      EXPECT_NEAR(normalize(model, q), 1, 1e-14);
    }
  });
}

// A quarter turn about the child's y, seen from the parent: x goes to -z.
TEST(Ball, QuaternionsTurnTheChildIntoTheParent) {
  const Model model =
      *try_parse("<mujoco><worldbody><body name='a'><joint name='j' type='ball'/><geom size='0.1'/></body></worldbody></mujoco>", "a.xml").model;
  std::vector<double> q = neutral(model), to(4);
  integrate(model, q, std::vector<double>{0, std::acos(-1.0) / 2, 0}, 1, to);
  EXPECT_NEAR(to[1], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(to[3], std::sqrt(0.5), 1e-15);
  const Plan plan = make_plan(model);
  const std::vector<double> X = numbers_of(Quantity::pose, plan, {to, {}, {}}, *model.find_link("a"));
  EXPECT_NEAR(X[0], 0, 1e-15);
  EXPECT_NEAR(X[6], -1, 1e-15);
}

TEST(Ball, WhatHasNoMeaningIsRefused) {
  const Model model = *try_parse(kTree, "tree.xml").model;
  std::vector<double> q = kQ, to(q.size());
  q[3] += 0.1;
  EXPECT_THROW(integrate(model, q, kV, 1, to), std::invalid_argument);
  Diagnostics locked;
  EXPECT_FALSE(with_locked(model, {{"hip", 0}}, locked));
  EXPECT_NE(listing(locked.all()).find("a single value cannot lock"), std::string::npos);
  Description d = internal::describe(model);
  for (Description::JointEntry& entry : d.joints)
    if (entry.joint.name == "knee") entry.joint.mimic = Mimic{kNone, 1, 0}, entry.leader = "hip";
  Diagnostics coupled;
  EXPECT_FALSE(build(d, coupled));
  EXPECT_NE(listing(coupled.all()).find("has no angle that could be followed"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
