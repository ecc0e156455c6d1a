// PUMA 560 at one general state: torques, gravity, velocity torques, inertia matrix, hand pose and Jacobian.
// Source: SymPyBotics, sympybotics/tests/test_results.py, commit 5d4613abd9ca6563cad470d212a161f9cf98ad93 (C. D. Sousa, BSD-3-Clause); the values
// were computed there with P. Corke's Robotics Toolbox, without rotors and friction.
#include <numbers>

#include <ulna/source/load.hpp>

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

const State kState{{0.7504516826728697, 0.8395156106908136, 0.16851233582594916, 0.3849629637427072, 0.5252993946810777, 0.6701207256444748},
                   {0.24721855939629367, 0.9805915670454258, 0.9895299755642817, 0.7861135739668947, 0.273842245476577, 0.17182358900767503},
                   {0.707405815485141, 0.25295715193420953, 0.9763909835998361, 0.8412822676113918, 0.4867768296473465, 0.11480270540937143}};

/// What the source prints for one set of parameters.
struct Published {
  std::vector<double> tau, gravity, coriolis, M;
};

const Published kPuma{{0.986185688341252, 16.1055550633721, -6.54839494827661, 0.00626452648190803, -0.0208972707132494, 5.59805923645945e-05},
                      {1.0295354054077e-15, 16.8135891283022, -7.29033633567802, 0.00449992182015992, -0.026719893613902, 0},
                      {-0.240237883763956, -1.0843848843681, 0.365583586254475, -0.000123404998742911, 0.00359951257553373, 1.1075729558421e-05},
                      {2.05591694561963,     -0.607149114401804,    -0.0772414386669633,   0.00110264316988551,   0.000264135330891356, 2.74006873318143e-06,
                       -0.607149114401804,   2.00048563124708,      0.306870038373922,     -0.000227846077158843, 0.000780985328855223, 7.53260796283046e-06,
                       -0.0772414386669632,  0.306870038373922,     0.361368447500762,     -0.000267122764221431, 0.00156301630001611,  7.53260796283046e-06,
                       0.00110264316988551,  -0.000227846077158844, -0.000267122764221432, 0.00169083802882858,   1.45380752747483e-20, 3.4606953693396e-05,
                       0.000264135330891356, 0.000780985328855223,  0.00156301630001611,   2.33135442795155e-20,  0.00064216,           2.44929359829471e-21,
                       2.74006873318143e-06, 7.53260796283046e-06,  7.53260796283046e-06,  3.4606953693396e-05,   2.44929359829471e-21, 4e-05}};

const Published kMadeUp{{4.55384377546122, -18.3482765770679, -18.5150406032816, -3.48354572715293, -4.22434630683546, -8.50580534103007},
                        {-4.44089209850063e-16, -16.5628257742538, -23.0524142097215, -4.2536826692411, -8.37451830056579, -7.9940463468124},
                        {3.79031173486171, -6.37866680030809, 0.668430906458299, 0.0446113764650349, 2.68800462309735, -0.0871119983741941},
                        {2.80338554010218,   -0.884144436072495, -1.36196693847736,  0.914512998462046,   -0.799840112619873, -0.402048288616148,
                         -0.884144436072495, 5.09045072475534,   3.75033319331688,   -0.822003775709123,  2.00576876282064,   -0.136034063369629,
                         -1.36196693847736,  3.75033319331688,   3.69036945486662,   -0.784876338891255,  1.91719457979014,   0.0657267986145439,
                         0.914512998462046,  -0.822003775709123, -0.784876338891255, 1.86573777350968,    -1.06272697183618,  0.00496876753726561,
                         -0.799840112619873, 2.00576876282064,   1.91719457979014,   -1.06272697183618,   1.2083737144556,    -0.396167549434339,
                         -0.402048288616148, -0.136034063369629, 0.0657267986145439, 0.00496876753726561, -0.396167549434339, 0.162584017097791}};

const std::vector<double> kHandRotation{-0.655113870655343, -0.474277925274361, -0.588120962109346, 0.524340309498464, 0.275038163391149,
                                        -0.805866768463298, 0.543960528264717,  -0.836310025215453, 0.0685017183295358};  // row by row
const std::vector<double> kHandPosition{0.0540498757911011, -0.154761559833806, 0.568944734102513};
// 6 x 6 row by row, linear rows first as in the source
const std::vector<double> kHandJacobian{0.154761559833806,
                                        -0.416115317270121,
                                        -0.181051500179202,
                                        0,
                                        0,
                                        0,
                                        0.0540498757911011,
                                        -0.388002774727404,
                                        -0.16881975145483,
                                        0,
                                        0,
                                        0,
                                        -1.56125112837913e-17,
                                        -0.0660115669805396,
                                        -0.354377730397368,
                                        0,
                                        0,
                                        0,
                                        2.77555756156289e-17,
                                        0.681969181663071,
                                        0.681969181663071,
                                        -0.618588326585383,
                                        0.778592276991744,
                                        -0.588120962109346,
                                        1.04083408558608e-16,
                                        -0.731380909828662,
                                        -0.731380909828662,
                                        -0.576796808883883,
                                        -0.541217849732837,
                                        -0.805866768463298,
                                        1,
                                        5.72458747072346e-17,
                                        5.72458747072346e-17,
                                        0.533529683779323,
                                        0.317611878460765,
                                        0.0685017183295358};

// Of each link: Lxx Lxy Lxz Lyy Lyz Lzz about the link frame's origin, m c, m. Not those of any body; torques are linear in them.
const std::vector<std::vector<double>> kMadeUpParameters{
    {0.47804562306292275, 0.5871876506259908, 0.9487349009746813, 0.35387185413632094, 0.28071604959871554, 0.368556182617345, 0.24355010647230801,
     0.6753463418802456, 0.9728151452953864, 0.6620741264406734},
    {0.34669638996014096, 0.01593886435340608, 0.3521748260592804, 0.5384045845183812, 0.021600503502885116, 0.4654003203805651, 0.5202014161122065,
     0.33744920539722967, 0.052363297799702835, 0.07051826001770234},
    {0.7389222546505236, 0.771434543548951, 0.3652539269897015, 0.2603059367721896, 0.4310648491411889, 0.7071252186366607, 0.16320122542325732,
     0.44948421506462655, 0.48085540250421277, 0.08408482356412372},
    {0.923593157615906, 0.46852453511703684, 0.6670004526434297, 0.573634975268657, 0.12665814747855264, 0.3152822779549781, 0.21725524421221942,
     0.5727451645276381, 0.7984025459787872, 0.7630923700903489},
    {0.27670044727992893, 0.919667661316697, 0.8828363383223908, 0.3618378476984413, 0.20690997158181246, 0.8321536435628591, 0.556153477173109,
     0.3985225289975399, 0.7128303168401632, 0.433898343199971},
    {0.35116090526732047, 0.551636779637059, 0.03397585970570116, 0.28333059714010744, 0.4785548774382852, 0.16258401709779136, 0.8246056496848533,
     0.23027686557606952, 0.26655111443159285, 0.6087446254045791}};

// The source prints 15 digits of values that were rounded on the way.
constexpr double kDigits = 1e-12;

void expect_published(const Model& model, const Published& wanted) {
  const Plan plan = make_plan(model);
  const Effects bare{.rotor = false};
  Workspace ws(plan);
  std::vector<double> gravity(6), bias(6), coriolis;
  gravity_forces(plan, ws, kState.q, gravity);
  bias_forces(plan, ws, kState.q, kState.v, bias, bare);
  for (std::size_t k = 0; k < 6; ++k) coriolis.push_back(bias[k] - gravity[k]);
  EXPECT_LT(relative_error(inverse_of(plan, kState, bare), wanted.tau), kDigits);
  EXPECT_LT(relative_error(gravity, wanted.gravity), kDigits);
  EXPECT_LT(relative_error(coriolis, wanted.coriolis), kDigits * largest(gravity) / largest(wanted.coriolis));  // a difference
  EXPECT_LT(relative_error(mass_of(plan, kState.q, false), wanted.M), kDigits);
}

TEST(PumaReference, BuiltIn) { expect_published(load("puma560"), kPuma); }

TEST(PumaReference, MadeUpParameters) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const std::vector<Row> rows{
      {.alpha = kQuarter}, {.a = 0.4318}, {.a = 0.0203, .d = 0.15005, .alpha = -kQuarter}, {.d = 0.4318, .alpha = kQuarter}, {.alpha = -kQuarter}, {}};
  Description arm;
  arm.name = "made-up";
  for (std::size_t i = 0; i < 6; ++i) {
    Row row = rows[i];
    const std::vector<double>& p = kMadeUpParameters[i];
    const double m = p[9];
    const Vec3<double> c{p[6] / m, p[7] / m, p[8] / m};
    // From the frame's origin to the mass centre: I = L - m (c.c E - c cᵀ).
    row.link = body("", m, c,
                    {p[0] - m * (c.y * c.y + c.z * c.z), p[3] - m * (c.x * c.x + c.z * c.z), p[5] - m * (c.x * c.x + c.y * c.y), p[1] + m * c.x * c.y,
                     p[2] + m * c.x * c.z, p[4] + m * c.y * c.z});
    append(arm, true, row);
  }
  expect_published(unchecked(arm), kMadeUp);
}

TEST(PumaReference, HandPoseAndJacobian) {
  const Model model = load("puma560");
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const std::size_t hand = model.links().size() - 1;
  const Pose<double> X = link_pose(plan, ws, kState.q, hand);
  EXPECT_LT(relative_error(std::vector<double>{X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz}, kHandRotation), kDigits);
  EXPECT_LT(relative_error(std::vector<double>{X.p.x, X.p.y, X.p.z}, kHandPosition), kDigits);
  Eigen::MatrixXd J(6, 6);
  jacobian(plan, ws, kState.q, hand, J);
  std::vector<double> rows;  // linear first
  for (const Eigen::Index row : {3, 4, 5, 0, 1, 2})
    for (Eigen::Index k = 0; k < 6; ++k) rows.push_back(J(row, k));
  EXPECT_LT(relative_error(rows, kHandJacobian), kDigits);
}

// Armstrong, Khatib & Burdick 1986 print five gravity constants, g1...g5 = -37.2, -8.44, 1.02, 0.249, -0.0282 N m; they follow from their link table
// with g = 9.8 (models/puma560-mdh/SOURCE.md). The torques below are these constants times what the frames of the modified DH table give.
TEST(PumaReference, ArmstrongsGravityConstants) {
  const Model model = with_gravity(load("puma560-mdh"), {0, 0, -9.8});
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  // From the link table: g1 = -g (m2 x2 + (m3 + m4 + m5 + m6) a2) and so on, so that three printed digits do not blur the comparison.
  const double g = 9.8, m3 = 4.8, m4 = 0.82, m5 = 0.34, m6 = 0.09, a2 = 0.4318, a3 = -0.0203, d4 = 0.4331;
  const double g1 = -g * ((m3 + m4 + m5 + m6) * a2 + 17.4 * 0.068), g2 = g * (-m3 * 0.070 - (m4 + m5 + m6) * d4 + m4 * 0.019), g3 = g * 17.4 * 0.006;
  const double g4 = -g * (m4 + m5 + m6) * a3, g5 = -g * m6 * 0.032;
  const auto near = [](double ours, double printed, double half_a_digit) { EXPECT_NEAR(ours, printed, half_a_digit); };
  near(g1, -37.2, 0.05);
  near(g2, -8.44, 0.01);  // -8.4456: the paper rounded something before
  near(g3, 1.02, 0.005);
  near(g4, 0.249, 0.0005);
  near(g5, -0.0282, 0.00005);
  Random random(560);
  for (int k = 0; k < 20; ++k) {
    SCOPED_TRACE(k);
    const std::vector<double> q = random.numbers(6, -3, 3);
    const double s23 = std::sin(q[1] + q[2]), c23 = std::cos(q[1] + q[2]), s4 = std::sin(q[3]), c4 = std::cos(q[3]), s5 = std::sin(q[4]), c5 = std::cos(q[4]);
    const double wrist = g4 * c23 + g2 * s23 + g5 * (s23 * c5 + c23 * c4 * s5);
    const std::vector<double> wanted{0, g1 * std::cos(q[1]) + g3 * std::sin(q[1]) + wrist, wrist, -g5 * s23 * s4 * s5, g5 * (c23 * s5 + s23 * c4 * c5), 0};
    std::vector<double> gravity(6);
    gravity_forces(plan, ws, q, gravity);
    EXPECT_LT(relative_error(gravity, wanted), tolerance(6, 40 / largest(wanted)));
  }
}

}  // namespace
}  // namespace ulna::test
