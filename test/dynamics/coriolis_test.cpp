// The Coriolis matrix: what the textbook has, what the oracle's torques are bilinear in, and the laws that make it the one of Christoffel symbols.
#include <ulna/source/load.hpp>

#include "support/cases.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

template <class T = double>
Eigen::MatrixXd coriolis_of(const PlanOf<T>& plan, const std::vector<double>& q, const std::vector<double>& v) {
  WorkspaceOf<T> ws(plan);
  const std::vector<T> at(q.begin(), q.end()), rate(v.begin(), v.end());
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> C(plan.nv, plan.nv);
  coriolis_matrix(plan, ws, at, rate, C);
  return C.template cast<double>();
}

/// C(v) w is what is bilinear in v and w of the torques of velocities: a quarter of what v + w needs more than v - w. Christoffel symbols are symmetric, so no
/// other matrix has that for all w. Gravity is in both and cancels.
Eigen::MatrixXd oracle_coriolis(const Model& model, const State& s) {
  const Eigen::Index n = static_cast<Eigen::Index>(s.q.size());
  RealMatrix C(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    std::vector<double> more = s.v, less = s.v;
    more[static_cast<std::size_t>(j)] += 1;
    less[static_cast<std::size_t>(j)] -= 1;
    C.col(j) = (Oracle(model, s.q, more, zeros(s.q)).torques() - Oracle(model, s.q, less, zeros(s.q)).torques()) / 4;
  }
  return doubles(C);
}

/// How much cancels: the sizes of the oracle's terms, over the largest entry.
double condition(const Model& model, const State& s, const Eigen::MatrixXd& C) {
  std::vector<double> fast = s.v;
  for (double& v : fast) v = std::fabs(v) + 1;
  return C.size() == 0 ? 1 : Oracle(model, s.q, fast, zeros(s.q)).torque_size() / std::max(C.cwiseAbs().maxCoeff(), 1e-300);
}

// Two links in a plane (Spong, Hutchinson & Vidyasagar 2006, sec. 7.3): with h = -m2 l1 lc2 sin q2, C = [h v2, h (v1 + v2); -h v1, 0].
TEST(Coriolis, PlanarArmAsInTheTextbook) {
  const Plan plan = make_plan(load("planar-2r"));  // m2 = 4 kg, l1 = 1 m, lc2 = 0.4 m
  for (const double q2 : {-2.0, 0.0, 0.4, 1.5}) {
    const double v1 = 0.7, v2 = -1.3, h = -4.0 * 1.0 * 0.4 * std::sin(q2);
    const Eigen::MatrixXd C = coriolis_of(plan, {0.3, q2}, {v1, v2});
    const Eigen::Matrix2d wanted{{h * v2, h * (v1 + v2)}, {-h * v1, 0}};
    EXPECT_LT((C - wanted).cwiseAbs().maxCoeff(), tolerance(2) * 4) << q2 << "\n" << C;
  }
}

// A mass that slides along an arm that turns: r = (d + q2) along the arm, M = diag(I + m r², m), so C = m r [v2, v1; -v1, 0].
TEST(Coriolis, TurningArmWithASlide) {
  Description d;
  d.name = "slide";
  Link base, arm, load;
  base.name = "base", arm.name = "arm", load.name = "load";
  arm.mass = 1, arm.inertia = {0.1, 0.1, 0.1};
  load.mass = 3, load.inertia = {0.2, 0.2, 0.2};
  d.links = {base, arm, load};
  Description::JointEntry turn, slide;
  turn.joint.name = "turn", turn.joint.type = JointType::revolute, turn.joint.axis = {0, 0, 1}, turn.parent = "base", turn.child = "arm";
  slide.joint.name = "slide", slide.joint.type = JointType::prismatic, slide.joint.axis = {1, 0, 0}, slide.joint.X_PF.p = {0.5, 0, 0};
  slide.parent = "arm", slide.child = "load";
  d.joints = {turn, slide};
  Diagnostics problems;
  const std::optional<Model> model = build(d, problems);
  ASSERT_TRUE(model);
  const double q2 = 0.3, v1 = 1.1, v2 = -0.6, mr = 3 * (0.5 + q2);
  const Eigen::MatrixXd C = coriolis_of(make_plan(*model), {0.9, q2}, {v1, v2});
  const Eigen::Matrix2d wanted{{mr * v2, mr * v1}, {-mr * v1, 0}};
  EXPECT_LT((C - wanted).cwiseAbs().maxCoeff(), tolerance(2) * 4) << C;
}

// Trees, slides, mimic joints, fixed links.
TEST(Coriolis, EqualsOracle) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const Eigen::MatrixXd C = oracle_coriolis(model, s);
    const double cond = condition(model, s, C);
    EXPECT_LT(relative_error(coriolis_of(plan, s.q, s.v), C), tolerance(steps(model), cond));
    EXPECT_LT(relative_error(coriolis_of(plan.cast<float>(), s.q, s.v), C), tolerance<float>(steps(model), cond));
  });
}

TEST(Coriolis, TimesRatesIsBiasLessGravity) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const Eigen::MatrixXd C = coriolis_of(plan, s.q, s.v);
    Plan weightless = plan;
    weightless.gravity = {};
    const std::vector<double> bias = inverse_of(weightless, {s.q, s.v, zeros(s.a)});
    const Eigen::Map<const Eigen::VectorXd> v(s.v.data(), static_cast<Eigen::Index>(s.v.size()));
    const Eigen::VectorXd product = C * v;
    EXPECT_LT(relative_error(product, bias), tolerance(steps(model), 2 * condition(model, s, product)));
  });
}

// dM/dt = C + Cᵀ, so dM/dt - 2 C is skew-symmetric; M is the oracle's.
TEST(Coriolis, WithItsTransposeIsTheRateOfM) {
  for_each_case({.most = 8, .mimic = true}, [](const Model& model, const State& s, Random&) {
    const Eigen::MatrixXd C = coriolis_of(make_plan(model), s.q, s.v);
    Real rate = 0;
    for (const double v : s.v) rate += std::fabs(v);
    const RealMatrix Mdot = derivative(
        [&](Real t) {
          Reals q = reals(s.q);
          for (std::size_t k = 0; k < q.size(); ++k) q[k] += t * static_cast<Real>(s.v[k]);
          return RealMatrix(Oracle(model, q, reals(zeros(s.q)), reals(zeros(s.q))).mass_matrix());
        },
        rate);
    const Eigen::MatrixXd sum = C + C.transpose();
    EXPECT_LT(relative_error(sum, doubles(Mdot)), tolerance(steps(model), condition(model, s, sum)) + difference_tolerance<Real>());
  });
}

// Christoffel symbols are symmetric in the two joints that move: C(v) w = C(w) v.
TEST(Coriolis, IsSymmetricInTheTwoMotions) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const auto vector = [](const std::vector<double>& x) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    const Eigen::VectorXd one = coriolis_of(plan, s.q, s.v) * vector(s.a), other = coriolis_of(plan, s.q, s.a) * vector(s.v);
    std::vector<double> both;
    for (std::size_t k = 0; k < s.v.size(); ++k) both.push_back(std::fabs(s.v[k]) + std::fabs(s.a[k]));
    EXPECT_LT(relative_error(one, other), tolerance(steps(model), 2 * condition(model, {s.q, both, s.a}, one)));
  });
}

TEST(Coriolis, OfARobotAtRestIsZeroAndRotorsDoNotMatter) {
  const Model model = random_model(5, {.mimic = true});
  Plan plan = make_plan(model);
  Random random(5);
  const State s = random_state(model, random);
  EXPECT_EQ(coriolis_of(plan, s.q, zeros(s.v)).cwiseAbs().maxCoeff(), 0);
  const Eigen::MatrixXd C = coriolis_of(plan, s.q, s.v);
  for (PlanBody<double>& body : plan.bodies) body.rotor = 7;
  EXPECT_EQ(coriolis_of(plan, s.q, s.v), C);
}

TEST(Coriolis, SaysBothSizesOfAWrongMatrix) {
  const Plan plan = make_plan(load("planar-2r"));
  Workspace ws(plan);
  Eigen::MatrixXd C(2, 3);
  const std::vector<double> q{0, 0};
  try {
    coriolis_matrix(plan, ws, q, q, C);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "C is 2 x 3, but robot 'planar-2r' has nv = 2");
  }
}

// The rows of the table are in the order of the enum, and every one can be found by its id and computed.
TEST(Quantities, RowsAreWhatTheySay) {
  const Model model = load("planar-2r");
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const double q[] = {0.3, 0.4}, v[] = {1, -2}, a[] = {0.5, 0.1};
  ASSERT_EQ(quantities().size(), kQuantities - kOfLoops);
  for (std::size_t k = 0; k < quantities().size(); ++k) {
    const QuantityRow& row = quantities()[k];
    SCOPED_TRACE(row.id);
    EXPECT_EQ(static_cast<std::size_t>(row.quantity), k);
    EXPECT_EQ(find_quantity(row.id), &row);
    EXPECT_EQ(&row_of(row.quantity), &row);
    for (const std::string_view words : {row.id, row.result, row.title, row.symbol, row.meaning}) EXPECT_FALSE(words.empty());
    ASSERT_FALSE(row.inputs.empty());
    EXPECT_EQ(row.inputs[0], "q");
    EXPECT_TRUE(row.inputs.size() < 2 || row.inputs[1] == "v");
    EXPECT_TRUE(!row.symmetric || (row.is_matrix() && row.rows == kCoordinates));
    // It writes what its row says, and not one number more.
    std::vector<double> out(row.size(plan.sizes()) + 1, 1234.5);
    compute(row.quantity, plan, ws, {q, v, a, row.of_link ? 2 : kNone}, out.data());
    EXPECT_EQ(out.back(), 1234.5);
    for (std::size_t i = 0; i + 1 < out.size(); ++i) EXPECT_TRUE(std::isfinite(out[i]) && out[i] != 1234.5) << i;
  }
  EXPECT_EQ(find_quantity("torque"), nullptr);
}

}  // namespace
}  // namespace ulna::test
