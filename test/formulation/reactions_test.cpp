// What joints transmit, against Newton's and Euler's laws for every body alone: its motion comes from places differentiated twice, not from any recursion.
#include <ulna/formulation/reactions.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <ulna/source/load.hpp>

#include "support/cases.hpp"
#include "support/difference.hpp"
#include "support/jet.hpp"

namespace ulna::test {
namespace {

struct JetPose {
  Jet R[3][3];
  Jet p[3];
};
JetPose operator*(const JetPose& A, const JetPose& B) {
  JetPose C;
  for (int i = 0; i < 3; ++i) {
    C.p[i] = A.p[i];
    for (int j = 0; j < 3; ++j) {
      C.p[i] = C.p[i] + A.R[i][j] * B.p[j];
      for (int k = 0; k < 3; ++k) C.R[i][j] = C.R[i][j] + A.R[i][k] * B.R[k][j];
    }
  }
  return C;
}
JetPose fixed_frame(const Pose<double>& X) {
  const Mat3<double>& R = X.R;
  return {{{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}}, {X.p.x, X.p.y, X.p.z}};
}
/// By q about or along a unit axis: Rodrigues.
JetPose moved(const Joint& joint, const Jet& q) {
  const double n[3] = {joint.axis.x, joint.axis.y, joint.axis.z};
  JetPose X = fixed_frame({});
  if (joint.type == JointType::prismatic) {
    for (int i = 0; i < 3; ++i) X.p[i] = q * n[i];
    return X;
  }
  const Jet s = sine(q), c = cosine(q), t = Jet(1) - c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) X.R[i][j] = (i == j ? c : Jet(0)) + t * (n[i] * n[j]);
  const int next[3] = {1, 2, 0};
  for (int k = 0; k < 3; ++k) {  // sin [n]x
    const int i = next[k], j = next[next[k]];
    X.R[j][i] = X.R[j][i] + s * n[k];
    X.R[i][j] = X.R[i][j] - s * n[k];
  }
  return X;
}

/// Rotated by a quaternion (x, y, z, w), with angular velocity and acceleration in the axes that it leads to.
JetPose rotating(const double* x, const double* w, const double* alpha) {
  const Mat3<double> R = rotation_of(Quaternion{x[0], x[1], x[2], x[3]});
  const auto cross_matrix = [](const double* a) { return Mat3<double>{0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0}; };
  const Mat3<double> W = cross_matrix(w), first = R * W, second = R * (W * W + cross_matrix(alpha));
  const auto entries = [](const Mat3<double>& A) { return std::array<double, 9>{A.xx, A.xy, A.xz, A.yx, A.yy, A.yz, A.zx, A.zy, A.zz}; };
  const auto value = entries(R), rate = entries(first), rate_of_rate = entries(second);
  JetPose X;
  for (std::size_t k = 0; k < 9; ++k) X.R[k / 3][k % 3] = {value[k], rate[k], rate_of_rate[k]};
  return X;
}
/// A base that moves: its velocity is in its own axes, its acceleration the classical one of its origin.
JetPose base_of(const Model& model, const State& s) {
  if (model.base() == RootJoint::fixed) return fixed_frame({});
  if (model.base() == RootJoint::planar) {
    Joint yaw;
    yaw.type = JointType::revolute;
    JetPose X = moved(yaw, {s.q[2], s.v[2], s.a[2]});
    for (int k = 0; k < 2; ++k) X.p[k] = {s.q[k], s.v[k], s.a[k]};
    return X;
  }
  JetPose X = rotating(&s.q[3], &s.v[0], &s.a[0]);
  for (int i = 0; i < 3; ++i) {
    X.p[i] = s.q[i];
    for (int j = 0; j < 3; ++j) X.p[i].d += X.R[i][j].x * s.v[3 + j], X.p[i].dd += X.R[i][j].x * s.a[3 + j];
  }
  return X;
}

Vec3<double> at(const Jet* x, double Jet::*part) { return {x[0].*part, x[1].*part, x[2].*part}; }
Mat3<double> at(const Jet (*R)[3], double Jet::*part) {
  return {R[0][0].*part, R[0][1].*part, R[0][2].*part, R[1][0].*part, R[1][1].*part, R[1][2].*part, R[2][0].*part, R[2][1].*part, R[2][2].*part};
}

struct Six {
  Vec3<double> f{}, n{};  // about the world's origin
};

/// Of each link: weight and wrenches less the rate of its momentum, and the frames of the joints at their motion. Results stand in `rest`.
struct Bodies {
  std::vector<Six> rest;
  std::vector<Pose<double>> X_WL, X_WM;  // links; joints' moving frames

  Bodies(const Model& model, const State& s) {
    std::vector<JetPose> links{base_of(model, s)};
    const std::vector<std::size_t> places = model.places();
    std::vector<std::size_t> place(model.joints().size()), speed(place);
    for (std::size_t k = model.independent().size(); k-- > 0;) {  // of a ball joint, listed three times, the first
      place[model.independent()[k]] = places[k];
      speed[model.independent()[k]] = base_nv(model.base()) + k;
    }
    EXPECT_EQ(model.nv_tree(), base_nv(model.base()) + model.independent().size());
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      const std::size_t i = joint.mimic ? joint.mimic->leader : j, k = speed[i];
      const double m = joint.mimic ? joint.mimic->multiplier : 1, offset = joint.mimic ? joint.mimic->offset : 0;
      JetPose X = fixed_frame({});
      if (joint.type == JointType::ball)
        X = rotating(&s.q[place[i]], &s.v[k], &s.a[k]);
      else if (joint.type != JointType::fixed)
        X = moved(joint, {m * s.q[place[i]] + offset, m * s.v[k], m * s.a[k]});
      const JetPose of_joint = links[joint.parent] * fixed_frame(joint.X_PF) * X;
      X_WM.push_back({at(of_joint.R, &Jet::x), at(of_joint.p, &Jet::x)});
      links.push_back(of_joint * fixed_frame(joint.X_MB));
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      const Link& link = model.links()[i];
      const JetPose& X = links[i];
      const JetPose c = X * fixed_frame({Mat3<double>::identity(), link.com});
      const Mat3<double> R = at(X.R, &Jet::x), S = at(X.R, &Jet::d) * R.transposed(), SS = at(X.R, &Jet::dd) * R.transposed();
      const Vec3<double> w{S.zy, S.xz, S.yx}, alpha{(SS.zy - SS.yz) / 2, (SS.xz - SS.zx) / 2, (SS.yx - SS.xy) / 2};
      const Sym3<double> I = congruence(R, link.inertia);
      const Vec3<double> f = link.mass * (model.gravity() - at(c.p, &Jet::dd)), com = at(c.p, &Jet::x);
      rest.push_back({f, cross(com, f) - (I * alpha + cross(w, I * w))});
      X_WL.push_back({R, at(X.p, &Jet::x)});
    }
  }
};

/// On every body that moves as one, the reactions, the weight and what acts sum to the rate of its momentum: the largest rest, relative to the largest load.
double worst(const Model& model, const State& s, std::span<const JointReaction> reactions, std::span<const Wrench> wrenches = {}) {
  Bodies bodies(model, s);
  double size = 1;
  const auto add = [&](std::size_t link, const Vec3<double>& f, const Vec3<double>& n) {
    bodies.rest[link].f = bodies.rest[link].f + f;
    bodies.rest[link].n = bodies.rest[link].n + n;
    size = std::max({size, std::sqrt(dot(f, f)), std::sqrt(dot(n, n))});
  };
  for (const JointReaction& r : reactions) {
    const Joint& joint = model.joints()[r.joint];
    const Pose<double>& X = bodies.X_WM[r.joint];
    const Vec3<double> f = X.R * r.force, n = X.R * r.moment + cross(X.p, f);
    add(joint.child, f, n);
    add(joint.parent, -f, -n);
  }
  for (const Wrench& w : wrenches) {
    const Pose<double>& X = bodies.X_WL[w.link];
    const bool world = w.axes == Axes::world;
    const Vec3<double> f = world ? w.force : X.R * w.force;
    add(w.link, f, (world ? w.moment : X.R * w.moment) + cross(X.p, f));
  }
  for (std::size_t j = model.joints().size(); j-- > 0;)  // what is fixed to a body belongs to it
    if (const Joint& joint = model.joints()[j]; joint.type == JointType::fixed) {
      add(joint.parent, bodies.rest[joint.child].f, bodies.rest[joint.child].n);
      bodies.rest[joint.child] = {};
    }
  double rest = 0;
  for (std::size_t i = 1; i < bodies.rest.size(); ++i) {
    std::size_t root = i;  // a body that is fixed to the base rests on it
    while (root != 0 && model.joints()[root - 1].type == JointType::fixed) root = model.joints()[root - 1].parent;
    if (root == 0) continue;  // its own equations are those of the base
    for (const Vec3<double>& x : {bodies.rest[i].f, bodies.rest[i].n}) rest = std::max(rest, std::sqrt(dot(x, x)));
  }
  return rest / size;
}

constexpr double kRounding = 1e-12;

TEST(Reactions, SumOnABodyIsTheRateOfItsMomentum) {
  for (const char* id : {"planar-2r", "stanford", "puma560", "panda", "shuttle-arm", "torso", "mini-cheetah", "humanoid-32"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    JointReactions reactions(Prepared(model), Quantity::inverse);
    Random random(42);
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(model, random);
      EXPECT_LT(worst(model, s, reactions.compute({s.q.data(), s.v.data(), s.a.data()})), kRounding);
    }
  }
}

TEST(Reactions, RandomTreesUnderWrenches) {
  for_each_case({.most = 12}, [](const Model& model, const State& s, Random& random) {
    const std::vector<Wrench> wrenches{{model.links().size() - 1, Axes::link, random.vector(20), random.vector(8)},
                                       {model.links().size() / 2, Axes::world, random.vector(20), random.vector(8)}};
    Effects effects;
    effects.wrenches = wrenches;
    JointReactions reactions(Prepared(model), Quantity::inverse);
    EXPECT_LT(worst(model, s, reactions.compute({s.q.data(), s.v.data(), s.a.data()}, effects), wrenches), 1e-11);
  });
}

TEST(Reactions, BallJointsAndBasesThatMove) {
  for (const bool balls : {false, true})
    for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free}) {
      RandomOptions options{.fewest = 3, .most = 7};
      options.balls = balls;
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Model model = with_base(random_model(seed, options), base);
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", base " << to_string(base) << ", balls " << model.has_balls());
        Random random(seed);
        const State s = random_state(model, random);
        const std::vector<Wrench> wrenches{{model.links().size() - 1, Axes::link, random.vector(20), random.vector(8)},
                                           {model.links().size() / 2, Axes::world, random.vector(20), random.vector(8)}};
        Effects effects;
        effects.wrenches = wrenches;
        JointReactions reactions(Prepared(model), Quantity::inverse);
        EXPECT_LT(worst(model, s, reactions.compute({s.q.data(), s.v.data(), s.a.data()}, effects), wrenches), 1e-11);
      }
    }
}

/// Of two lists, relative to the largest entry.
double difference(std::span<const JointReaction> a, std::span<const JointReaction> b) {
  double most = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (const auto& [x, y] : {std::pair{a[i].force, b[i].force}, std::pair{a[i].moment, b[i].moment}}) {
      const Vec3<double> d = x - y;
      most = std::max(most, std::sqrt(dot(d, d)));
      size = std::max(size, std::sqrt(dot(x, x)));
    }
  return most / size;
}

TEST(Reactions, EveryFormulationThatTransmits) {
  std::vector<std::string_view> seen;
  for (const char* id : {"stanford", "puma560", "panda", "scara", "shuttle-arm", "general-RPRRPR", "torso"}) {
    const Model model = load(id);
    const Prepared prepared(model);
    Random random(7);
    for (const Formulation& row : formulations()) {
      if (!row.transmits) continue;
      const Quantity quantity = row.gives(Quantity::inverse) ? Quantity::inverse : Quantity::forward;
      if (!why_not(row, quantity, prepared).empty()) continue;
      SCOPED_TRACE(std::string(id) + ", " + std::string(row.id));
      seen.push_back(row.id);
      JointReactions paper(prepared, quantity, row), production(prepared, Quantity::inverse);
      FormulationOnModel inverse(production_path(), Quantity::inverse, prepared);
      for (int k = 0; k < 3; ++k) {
        const State s = random_state(model, random);
        std::vector<double> tau(model.nv());
        inverse.compute(Quantity::inverse, {s.q.data(), s.v.data(), s.a.data()}, tau.data());
        const std::vector<double>& last = quantity == Quantity::forward ? tau : s.a;
        const std::span<const JointReaction> by_paper = paper.compute({s.q.data(), s.v.data(), last.data()});
        const std::vector<JointReaction> others(by_paper.begin(), by_paper.end());
        EXPECT_LT(worst(model, s, others), 1e-10);
        EXPECT_LT(difference(production.compute({s.q.data(), s.v.data(), s.a.data()}), others), 1e-10);
      }
    }
  }
  for (const char* id : {"newton-euler", "newton-euler-base", "modified-newton-euler", "nasser"})
    EXPECT_NE(std::find(seen.begin(), seen.end(), id), seen.end()) << id;
}

// Along its axis a joint transmits what its drive has left after the rotor; forward and inverse dynamics of one motion give the same reactions.
TEST(Reactions, TheDriveIsTheComponentAlongTheAxis) {
  const Model model = load("puma560");
  const Prepared prepared(model);
  Random random(3);
  const State s = random_state(model, random);
  const std::vector<double> tau = inverse_of(make_plan(model), s);
  JointReactions inverse(prepared, Quantity::inverse), forward(prepared, Quantity::forward);
  const std::span<const JointReaction> r = inverse.compute({s.q.data(), s.v.data(), s.a.data()});
  for (std::size_t i = 0; i < r.size(); ++i) {
    const Joint& joint = model.joints()[r[i].joint];
    EXPECT_NEAR(dot(r[i].moment, r[i].axis), tau[i] - joint.gear * joint.gear * joint.rotor * s.a[i], 1e-11);
  }
  EXPECT_LT(difference(r, forward.compute({s.q.data(), s.v.data(), tau.data()})), 1e-10);
}

// An actuator's load across a joint: nothing moves by it, the bearings take it, in Nasser's recursion as in the production path's sum.
TEST(Reactions, ControlLoadsAreTakenByTheBearings) {
  for (const char* id : {"puma560", "stanford", "torso"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    const Prepared prepared(model);
    Random random(5);
    const State s = random_state(model, random);
    const std::vector<double> tau = inverse_of(make_plan(model), s);
    JointReactions nasser(prepared, Quantity::forward, formulation_named("nasser")), production(prepared, Quantity::forward);
    const InputsOf<double> in{s.q.data(), s.v.data(), tau.data()};
    const std::span<const JointReaction> first = nasser.compute(in);
    const std::vector<JointReaction> before(first.begin(), first.end());
    std::vector<JointControl> control;
    for (std::size_t i = 0; i < before.size(); i += 2) {
      JointControl c{before[i].joint, random.vector(9), random.vector(4)};
      Vec3<double>& driven = model.joints()[c.joint].type == JointType::prismatic ? c.force : c.moment;
      driven = driven - dot(driven, before[i].axis) * before[i].axis;
      control.push_back(c);
    }
    const std::span<const JointReaction> with = nasser.compute(in, {}, control);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Vec3<double> f = i % 2 == 0 ? control[i / 2].force : Vec3<double>{}, n = i % 2 == 0 ? control[i / 2].moment : Vec3<double>{};
      const Vec3<double> df = before[i].force - f - with[i].force, dn = before[i].moment - n - with[i].moment;
      EXPECT_LT(std::sqrt(dot(df, df)) + std::sqrt(dot(dn, dn)), 1e-9);
    }
    EXPECT_LT(difference(with, production.compute(in, {}, control)), 1e-10);
    control.front().moment = control.front().force = before.front().axis;
    EXPECT_THROW(nasser.compute(in, {}, control), std::invalid_argument);
  }
}

// Passive joints of a closed chain transmit nothing along their axes; and what its joints on the base transmit is the rate of all momentum, because what closes
// its loops acts between links.
TEST(Reactions, OfClosedChains) {
  for (const char* id : {"four-bar", "five-bar"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    const Plan plan = make_plan(model);
    JointReactions reactions(Prepared(model), Quantity::inverse);
    const std::vector<double> q = model.reference(), v(model.nv(), 0.7), a(model.nv(), -1.3);
    const std::span<const JointReaction> r = reactions.compute({q.data(), v.data(), a.data()});
    double size = 0;
    for (const JointReaction& one : r) size = std::max(size, std::sqrt(dot(one.moment, one.moment)));
    for (const std::size_t k : model.dependent()) EXPECT_LT(std::fabs(dot(r[k].moment, r[k].axis)), 1e-10 * size) << k;
    Workspace workspace(plan);
    std::vector<double> motion(row_of(Quantity::loop_motion).size(plan.sizes()));
    compute(Quantity::loop_motion, plan, workspace, {q.data(), v.data(), a.data()}, motion.data());
    const auto n = static_cast<std::ptrdiff_t>(model.nv_tree());
    const Bodies bodies(model, {q, {motion.begin(), motion.begin() + n}, {motion.begin() + n, motion.begin() + 2 * n}});
    Vec3<double> f{}, moment{};
    for (std::size_t i = 1; i < bodies.rest.size(); ++i) f = f + bodies.rest[i].f, moment = moment + bodies.rest[i].n;
    for (const JointReaction& one : r) {
      if (model.joints()[one.joint].parent != 0) continue;
      const Pose<double>& X = bodies.X_WM[one.joint];
      const Vec3<double> force = X.R * one.force;
      f = f + force, moment = moment + X.R * one.moment + cross(X.p, force);
    }
    EXPECT_LT(std::sqrt(dot(f, f)) + std::sqrt(dot(moment, moment)), 1e-11 * (1 + size));
  }
}

TEST(Reactions, RefusesWhatDoesNotTransmit) {
  const Prepared prepared(load("panda"));
  try {
    JointReactions reactions(prepared, Quantity::inverse, formulation_named("lagrange"));
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("newton-euler"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ulna::test
