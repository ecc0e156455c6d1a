// The regressor: torques of the oracle are linear in the bodies' parameters, and these are the factors.
#include <ulna/source/load.hpp>
#include "dynamics/regressor-inl.hpp"

#include "support/cases.hpp"

namespace ulna::test {
namespace {

template <class T = double>
Eigen::MatrixXd regressor_of(const PlanOf<T>& plan, const State& s, const EffectsOf<T>& effects = {}) {
  WorkspaceOf<T> ws(plan);
  const auto cast = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> Y(plan.nv, kBodyParameters * plan.sizes().bodies);
  regressor(plan, ws, cast(s.q), cast(s.v), cast(s.a), Y, effects);
  return Y.template cast<double>();
}

Eigen::VectorXd torques_of(const Oracle& oracle) { return oracle.torques().cast<double>(); }

Eigen::VectorXd parameters_of(const Plan& plan) {
  Eigen::VectorXd pi(kBodyParameters * plan.sizes().bodies);
  for (std::size_t i = 0; i < plan.sizes().bodies; ++i) kernel::parameters(plan, i, pi.data() + kBodyParameters * i);
  return pi;
}

/// What rounding is relative to, row by row: the terms that a torque is the sum of.
double largest_terms(const Eigen::MatrixXd& Y, const Eigen::VectorXd& pi) { return (Y.cwiseAbs() * pi.cwiseAbs()).maxCoeff(); }

// A pendulum that turns about y; gravity is along -z.
TEST(Regressor, PendulumByHand) {
  const Model model = parse(R"(<robot name="p"><link name="base"/><link name="rod"><inertial><mass value="2"/><origin xyz="0.3 0 -0.5"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>)",
                            "p.urdf");
  const double q = 0.4, v = 1.3, a = -0.7, g = 9.81;
  const Eigen::MatrixXd Y = regressor_of(make_plan(model), {{q}, {v}, {a}});
  Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(1, 10);
  // The point x of the link stands at (x cos q, -x sin q) in the plane of x and z, so its weight asks for -g x cos q about y; z stands at (sin q, cos q).
  wanted(0, 1) = -g * std::cos(q);
  wanted(0, 3) = -g * std::sin(q);
  wanted(0, 5) = a;
  EXPECT_LT((Y - wanted).cwiseAbs().maxCoeff(), 1e-14) << Y;
}

// Trees, slides, mimic joints, fixed links, frames anywhere: templates in both precisions against the oracle.
TEST(Regressor, TimesParametersAreTheOraclesTorques) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model, {.lumping = Lumping::none});
    const Eigen::VectorXd pi = parameters_of(plan);
    const Eigen::VectorXd tau = torques_of(Oracle(model, s.q, s.v, s.a, {.rotor = false}));
    const Eigen::MatrixXd Y = regressor_of(plan, s);
    const double size = std::max(largest_terms(Y, pi), 1e-300);
    EXPECT_LT((Y * pi - tau).cwiseAbs().maxCoeff() / size, tolerance(steps(model)));
    EXPECT_LT((regressor_of(plan.cast<float>(), s) * pi - tau).cwiseAbs().maxCoeff() / size, tolerance<float>(steps(model)));
    // On a base that moves, and from any plan: masses do not matter, nor how they are lumped.
    const Effects moving{.rotor = false, .friction = false, .base = random_base(random), .wrenches = {}};
    const Eigen::MatrixXd on_base = regressor_of(make_plan(model), s, moving);
    EXPECT_LT((on_base * pi - torques_of(Oracle(model, s.q, s.v, s.a, moving))).cwiseAbs().maxCoeff() / std::max(largest_terms(on_base, pi), 1e-300),
              tolerance(steps(model)));
  });
}

// Column by column: a load on one body changes the torques by that body's columns times the load's parameters. Ten loads that are independent test ten columns.
TEST(Regressor, ColumnsAreWhatALoadAdds) {
  for_each_case({.most = 8, .mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model, {.lumping = Lumping::none});
    const Eigen::MatrixXd Y = regressor_of(plan, s);
    const Eigen::VectorXd before = parameters_of(plan);
    const Eigen::VectorXd tau = torques_of(Oracle(model, s.q, s.v, s.a));
    for (const PlanBody<double>& body : plan.bodies)
      for (int k = 0; k < 10; ++k) {
        Link load;
        set_random_inertia(load, random);
        const Model loaded = with_payload(model, model.links()[body.link].name, {load.mass, load.com, load.inertia});
        const Plan changed = make_plan(loaded, {.lumping = Lumping::none});
        const Eigen::VectorXd more = parameters_of(changed) - before, wanted = torques_of(Oracle(loaded, s.q, s.v, s.a)) - tau;
        const double size = largest_terms(Y, parameters_of(changed)) + largest_terms(Y, before) + tau.cwiseAbs().maxCoeff();
        EXPECT_LT((Y * more - wanted).cwiseAbs().maxCoeff() / size, tolerance(steps(model)));
      }
  });
}

TEST(Regressor, SaysBothSizesOfAWrongMatrix) {
  const Plan plan = make_plan(load("planar-2r"));
  Workspace ws(plan);
  Eigen::MatrixXd Y(2, 3);
  const std::vector<double> q{0, 0};
  try {
    regressor(plan, ws, q, q, q, Y);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "Y is 2 x 3, but robot 'planar-2r' needs 2 x 20");
  }
}

}  // namespace
}  // namespace ulna::test
