// Generated code with a payload, friction and a wrench as an argument: it equals the library on random robots and built-in ones, in every language, and its
// sine and cosine are within 1 ulp.
#include <dlfcn.h>

#include <cstdlib>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "emit/generated.hpp"
#include "support/cases.hpp"
#include "support/folder.hpp"
#include "support/oracle.hpp"
#include "support/random_model.hpp"
#include "support/rubbing.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using support::Folder;

const Payload kLoad{1.5, {0.02, -0.03, 0.11}, {0.012, 0.015, 0.011, 0.001, -0.002, 0.0015}};

GenerateOptions loaded_options(const Model& model, const std::string& name) {
  GenerateOptions options;
  options.what = {"inverse", "bias", "forward", "mass"};
  options.name = name;
  options.friction = true;
  options.wrench_at = model.links().back().name;
  options.single_file = true;
  options.batch = true;
  options.test_states = 2;
  return options;
}

/// A shared object in the folder.
void* loaded(const Folder& folder, const std::string& name, const char* level = "-O0") {
  std::string output;
  EXPECT_EQ(folder.run(cat("gcc ", level, kStrict, "-shared -fPIC ", name, ".c -lm -o ", name, ".so"), &output), 0) << output;
  EXPECT_EQ(output, "");
  void* library = dlopen(folder.at(name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}
template <class F>
F* function(void* library, const std::string& name) {
  void* found = dlsym(library, name.c_str());
  EXPECT_NE(found, nullptr) << name;
  return reinterpret_cast<F*>(found);
}

using Under = void(const double*, const double*, const double*, const double*, double*);
using UnderMany = void(std::size_t, const double*, const double*, const double*, const double*, double*);

void expect_equal_to_the_library(const Model& bare, int states) {
  const Model model = with_payload(bare, bare.links().back().name, kLoad);
  const Folder folder;
  folder.write(generate(model, loaded_options(model, "robot")));
  void* library = loaded(folder, "robot");
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(function<int()>(library, "robot_selftest")(), 0);
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  Random random(5);
  const std::size_t n = model.nv();
  std::vector<double> qs, vs, as, ws_all, taus;
  for (int k = 0; k < states; ++k) {
    const State s = random_state(model, random);
    std::vector<double> w(6);
    for (double& x : w) x = random.uniform(-20, 20);
    const std::vector<Wrench> wrenches{{model.links().size() - 1, Axes::link, {w[0], w[1], w[2]}, {w[3], w[4], w[5]}}};
    Effects effects;
    effects.friction = true;
    effects.wrenches = wrenches;
    std::vector<double> tau(n), got(n), a(n);
    inverse_dynamics(plan, ws, s.q.data(), s.v.data(), s.a.data(), tau.data(), effects);
    const double size = Oracle(model, s.q, s.v, s.a, effects).torque_size();
    function<Under>(library, "robot_inverse")(s.q.data(), s.v.data(), s.a.data(), w.data(), got.data());
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(got[i], tau[i], 1e-13 * static_cast<double>(n + 1) * size) << "state " << k << ", joint " << i;
    // What is left over of the equations of motion.
    function<Under>(library, "robot_forward")(s.q.data(), s.v.data(), tau.data(), w.data(), a.data());
    inverse_dynamics(plan, ws, s.q.data(), s.v.data(), a.data(), got.data(), effects);
    const double condition = condition_number(mass_of(plan, s.q));
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(got[i], tau[i], 1e-13 * static_cast<double>(n + 1) * condition * size) << "state " << k << ", joint " << i;
    const auto append = [](std::vector<double>& to, const std::vector<double>& more) { to.insert(to.end(), more.begin(), more.end()); };
    append(qs, s.q), append(vs, s.v), append(as, s.a), append(ws_all, w);
    std::vector<double> alone(n);
    function<Under>(library, "robot_inverse")(s.q.data(), s.v.data(), s.a.data(), w.data(), alone.data());
    append(taus, alone);
  }
  // Many states at once: the same operations, so the same numbers.
  std::vector<double> many(taus.size());
  function<UnderMany>(library, "robot_inverse_batch")(static_cast<std::size_t>(states), qs.data(), vs.data(), as.data(), ws_all.data(), many.data());
  EXPECT_EQ(many, taus);
  dlclose(library);
}

TEST(LoadedC, EqualsTheLibraryOnBuiltInRobots) {
  for (const char* robot : {"panda", "stanford", "scara", "puma560"}) {
    SCOPED_TRACE(robot);
    expect_equal_to_the_library(load(robot), 11);
  }
}

// A few robots in the usual run; ULNA_ROBOTS for 200 ('make soak').
TEST(LoadedC, EqualsTheLibraryOnRandomRobots) {
  const std::uint64_t robots = std::getenv("ULNA_ROBOTS") != nullptr || soaks() ? 200 : 4;
  for (std::uint64_t seed = 1; seed <= robots; ++seed) {
    SCOPED_TRACE(seed);
    expect_equal_to_the_library(random_model(seed, {.most = 8, .massless = false, .mimic = seed % 2 == 0}), 3);
  }
}

// Stribeck curves, asymmetry, drag, offsets, smoothing and loads.
TEST(LoadedC, TheWholeLawOfFriction) {
  for (std::uint64_t seed = 1; seed <= (soaks() ? 100 : 4); ++seed) {
    SCOPED_TRACE(seed);
    expect_equal_to_the_library(with_whole_friction(random_model(seed, {.most = 6, .massless = false, .mimic = seed % 2 == 0, .rotor = false}), seed), 5);
  }
}

// What optimisers ask of code for CasADi has the slopes and the bends of the law in it.
TEST(LoadedC, TheWholeLawHasItsDerivatives) {
  const Model model = with_whole_friction(load("scara"), 5, {.load = false});
  const Folder folder;
  folder.write(generate(model, {.what = {"inverse"}, .name = "robot", .friction = true, .single_file = true, .target = "casadi"}));
  void* library = loaded(folder, "robot");
  ASSERT_NE(library, nullptr);
  using Derived = void(const double*, const double*, const double*, double*);
  using Reverse = void(const double*, const double*, const double*, const double*, double*);
  using Second = void(const double*, const double*, const double*, const double*, const double*, const double*, const double*, const double*, double*);
  const std::size_t n = model.nv();
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  Random random(5);
  for (int k = 0; k < 5; ++k) {
    State s = random_state(model, random);
    for (double& v : s.v) v += v > 0 ? 0.1 : -0.1;
    std::vector<double> d(3 * n * n), got(3 * n * n), product(3 * n), more(3 * n), less(3 * n);
    compute(Quantity::inverse_derivatives, plan, ws, {s.q.data(), s.v.data(), s.a.data()}, d.data(), {.friction = true});
    function<Derived>(library, "robot_plain_inverse_jacobian")(s.q.data(), s.v.data(), s.a.data(), got.data());
    for (std::size_t i = 0; i < d.size(); ++i) EXPECT_NEAR(got[i], d[i], 1e-11 * (1 + largest(d))) << i;
    // Along v, of a weighted sum: by differences of the first derivatives.
    const std::vector<double> w = random.numbers(n, -1, 1), way = random.numbers(n, -1, 1), none(n, 0.0);
    function<Second>(library, "robot_plain_inverse_reverse_forward")(s.q.data(), s.v.data(), s.a.data(), w.data(), none.data(), way.data(), none.data(),
                                                                     none.data(), product.data());
    const double h = 1e-5;
    for (const auto& [side, to] : {std::pair{h, &more}, {-h, &less}}) {
      State at = s;
      for (std::size_t i = 0; i < n; ++i) at.v[i] += side * way[i];
      function<Reverse>(library, "robot_plain_inverse_reverse")(at.q.data(), at.v.data(), at.a.data(), w.data(), to->data());
    }
    for (std::size_t i = 0; i < 3 * n; ++i) EXPECT_NEAR(product[i], (more[i] - less[i]) / (2 * h), 1e-5 * (1 + largest(product))) << i;
  }
  dlclose(library);
}

// Against another way to the same numbers: with every coefficient of friction doubled, friction is twice as large.
TEST(LoadedC, FrictionHasTheSignOfTheVelocity) {
  const Model model = load("scara");
  const Folder folder;
  GenerateOptions options{.what = {"inverse"}, .name = "robot"};
  options.single_file = true;
  options.friction = true;
  folder.write(generate(model, options));
  void* library = loaded(folder, "robot");
  ASSERT_NE(library, nullptr);
  auto* inverse = function<void(const double*, const double*, const double*, double*)>(library, "robot_inverse");
  const std::size_t n = model.nv();
  const std::vector<double> zero(n, 0);
  std::vector<double> rest(n), slow(n), back(n);
  inverse(zero.data(), zero.data(), zero.data(), rest.data());
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> v(n, 0);
    v[i] = 1e-9;
    inverse(zero.data(), v.data(), zero.data(), slow.data());
    v[i] = -1e-9;
    inverse(zero.data(), v.data(), zero.data(), back.data());
    const Joint& joint = model.joints()[model.independent()[i]];
    EXPECT_NEAR(slow[i] - rest[i], joint.friction.coulomb, 1e-8 * (1 + joint.friction.viscous)) << i;
    EXPECT_NEAR(rest[i] - back[i], joint.friction.coulomb, 1e-8 * (1 + joint.friction.viscous)) << i;
  }
  dlclose(library);
}

// One function for all tools: the table of a load gives the torques of the robot with this load.
TEST(RunTimeParameters, EqualTheLibrary) {
  for (const char* robot : {"panda", "scara", "torso"}) {
    SCOPED_TRACE(robot);
    const Model bare = load(robot);
    GenerateOptions options{.what = {"inverse", "mass"}, .name = "robot"};
    options.single_file = options.friction = true;
    options.parameters = {"payload"};
    options.test_states = 2;
    const Folder folder;
    const std::vector<GeneratedFile> files = generate(bare, options);
    folder.write(files);
    void* library = loaded(folder, "robot");
    ASSERT_NE(library, nullptr);
    EXPECT_EQ(function<int()>(library, "robot_selftest")(), 0);
    std::vector<double> table(1000);
    Random random(3);
    for (const double mass : {0.0, 1.0, 3.5}) {
      const Payload load{mass, {0.02, -0.03, 0.11}, {0.012 * mass, 0.015 * mass, 0.011 * mass, 0.001 * mass, -0.002 * mass, 0.0015 * mass}};
      const Sym3<double>& J = load.inertia;
      const double numbers[] = {mass, load.com.x, load.com.y, load.com.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
      function<void(const double*, double*)>(library, "robot_fold")(numbers, table.data());
      const Model model = with_payload(bare, bare.links().back().name, load);
      const Plan plan = make_plan(model);
      Workspace ws(plan);
      const State s = random_state(model, random);
      Effects effects;
      effects.friction = true;
      std::vector<double> tau(model.nv()), got(model.nv()), M(model.nv() * model.nv());
      inverse_dynamics(plan, ws, s.q.data(), s.v.data(), s.a.data(), tau.data(), effects);
      function<Under>(library, "robot_inverse")(s.q.data(), s.v.data(), s.a.data(), table.data(), got.data());
      const double size = Oracle(model, s.q, s.v, s.a, effects).torque_size();
      for (std::size_t i = 0; i < tau.size(); ++i) EXPECT_NEAR(got[i], tau[i], 1e-13 * static_cast<double>(tau.size() + 1) * size) << i;
      function<void(const double*, const double*, double*)>(library, "robot_mass")(s.q.data(), table.data(), M.data());
      const Eigen::MatrixXd wanted = mass_of(plan, s.q);
      for (std::size_t i = 0; i < M.size(); ++i)
        EXPECT_NEAR(M[i], wanted(static_cast<Eigen::Index>(i / tau.size()), static_cast<Eigen::Index>(i % tau.size())), 1e-13 * wanted.cwiseAbs().maxCoeff())
            << i;
    }
    dlclose(library);
  }
}

// Masses of all links, or all of their numbers; the self-tests are with others than the file's.
TEST(RunTimeParameters, PassTheirOwnTestInEveryLanguage) {
  for (const char* language : {"c", "cpp", "python", "matlab"})
    for (const char* parameters : {"masses", "all"}) {
      SCOPED_TRACE(cat(language, " ", parameters));
      GenerateOptions options{.what = {"inverse", "forward"}, .language = language, .name = "robot"};
      options.parameters = {parameters, "payload"};
      const Folder folder;
      folder.write(generate(load("scara"), options));
      const std::string python =
          std::system("python3 -c 'import numpy' > /dev/null 2>&1") == 0 ? "" : "PYTHONPATH='" ULNA_MODELS_DIR "/../test/emit/fake_numpy' ";
      const std::string what = language;
      const std::string command = what == "c"        ? cat("gcc", kStrict, "-DROBOT_SELFTEST_MAIN robot.c -lm -o t && ./t")
                                  : what == "cpp"    ? "c++ -std=c++11 -Wall -Wextra -pedantic -Werror -x c++ -DROBOT_SELFTEST_MAIN robot.hpp -o t && ./t"
                                  : what == "python" ? python + "python3 robot.py"
                                                     : "python3 '" ULNA_MODELS_DIR "/../test/emit/run_matlab.py' robot fold inverse forward";
      std::string output;
      EXPECT_EQ(folder.run(command, &output), 0) << output;
    }
}

class LoadedLanguages : public ::testing::TestWithParam<const char*> {};

TEST_P(LoadedLanguages, PassTheirOwnTest) {
  const std::string language = GetParam();
  enum class Rubs { usually, in_every_way, by_load };
  for (const auto& [robot, rubs] : {std::pair{"panda", Rubs::usually}, {"scara", Rubs::usually}, {"scara", Rubs::in_every_way}, {"scara", Rubs::by_load}}) {
    SCOPED_TRACE(cat(robot, " ", static_cast<int>(rubs)));
    const Model given = load(robot), bare = rubs == Rubs::usually ? given : with_whole_friction(given, 1, {.load = rubs == Rubs::by_load}),
                model = with_payload(bare, bare.links().back().name, kLoad);
    GenerateOptions options = loaded_options(model, "robot");
    options.batch = options.single_file = false;
    options.static_const = true;
    options.language = language;
    options.what = {"inverse", "forward", "inverse_derivatives", "forward_derivatives", "mass"};
    if (rubs == Rubs::by_load) options.what = {"inverse", "bias"};
    const Folder folder;
    const std::vector<GeneratedFile> files = generate(model, options);
    folder.write(files);
    std::string command;
    if (language == "cpp") command = "c++ -std=c++11 -Wall -Wextra -pedantic -Werror -O0 -x c++ -DROBOT_SELFTEST_MAIN robot.hpp -o t && ./t";
    if (language == "rust") {
      if (rustc().empty()) GTEST_SKIP() << "no compiler of Rust";
      command = rustc() + " -D warnings --test robot.rs -o t && ./t";
    }
    if (language == "python")
      command = std::system("python3 -c 'import numpy' > /dev/null 2>&1") == 0 ? "python3 robot.py"
                                                                               : "PYTHONPATH='" ULNA_MODELS_DIR "/../test/emit/fake_numpy' python3 robot.py";
    if (language == "matlab") command = cat("python3 '" ULNA_MODELS_DIR "/../test/emit/run_matlab.py' robot ", joined(options.what, " "));
    std::string output;
    EXPECT_EQ(folder.run(command, &output), 0) << output;
  }
}
INSTANTIATE_TEST_SUITE_P(, LoadedLanguages, ::testing::Values("cpp", "python", "rust", "matlab"),
                         [](const auto& language) { return std::string(language.param); });

// Against long doubles, on angles near and far, near multiples of a quarter turn and tiny; with and without fused multiplication, and by vectors.
class GeneratedTurn : public ::testing::TestWithParam<ulna::Real> {};
TEST_P(GeneratedTurn, IsWithinOneUlp) {
  const Folder folder;
  GenerateOptions options{.what = {"gravity"}, .real = GetParam(), .name = "robot"};
  options.single_file = options.batch = true;  // of which eight angles are, too
  const bool single = GetParam() == ulna::Real::single_precision;
  folder.write(generate(load("panda"), options));
  folder.write("trial.c", cat("#include \"robot.c\"\ntypedef ", single ? "float" : "double", " number;\nenum { digits = ", single ? 24 : 53, " };\n", R"(
#include <stdio.h>
#include <stdlib.h>
static double ulps(number got, long double wanted)
{
  int e;
  frexpl(wanted, &e);
  return (double)(fabsl(got - wanted) / ldexpl(1.0L, e - digits));
}
int main(void)
{
  double worst = 0;
  int k, i;
  srand(1);
  for (k = 0; k < 40000; ++k) {
    const double range = k % 4 == 0 ? 4 : k % 4 == 1 ? 100 : k % 4 == 2 ? 1.6e6 : 0.8;
    number x[8], s[8], c[8], s6[8], c6[8];
    for (i = 0; i < 8; ++i) {
      double y = (2.0 * rand() / RAND_MAX - 1) * range + 1e-10 * rand() / RAND_MAX;
      if (k % 16 == 5) y = floor(y) * 1.5707963267948966;
      if (k % 16 == 6) y = ldexp(y, -(rand() % 60));
      x[i] = (number)y;
    }
    robot_turn(x, s, c);
    robot_turn_6(x, s6, c6);
    for (i = 0; i < 8; ++i) {
      worst = fmax(worst, ulps(s[i], sinl(x[i])));
      worst = fmax(worst, ulps(c[i], cosl(x[i])));
      if (i < 6 && (s6[i] != s[i] || c6[i] != c[i])) worst = 100;
    }
  }
  printf("%.3f\n", worst);
  return !(worst > 0.4 && worst < 1);
}
)"));
  for (const char* build : {"gcc -O0 -std=gnu99", "gcc -O2 -std=gnu99", "gcc -O2 -march=native -ffp-contract=fast -std=gnu99"}) {
    SCOPED_TRACE(build);
    std::string output;
    EXPECT_EQ(folder.run(cat(build, " trial.c -lm -o trial && ./trial"), &output), 0) << output;
  }
}
INSTANTIATE_TEST_SUITE_P(, GeneratedTurn, ::testing::Values(ulna::Real::double_precision, ulna::Real::single_precision),
                         [](const auto& real) { return std::string(real.param == ulna::Real::single_precision ? "float" : "double"); });

void refused(const GenerateOptions& options, const std::string& says) {
  try {
    generate(load("panda"), options);
    ADD_FAILURE() << says;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

// What is refused is refused with the cure.
TEST(LoadedC, WrongOptions) {
  GenerateOptions options;
  options.wrench_at = "hnd";
  refused(options, "did you mean 'hand'?");
  options = {};
  options.prefix = "7up";
  refused(options, "does not begin an identifier");
  options = {};
  options.language = "matlab";
  options.single_file = true;
  refused(options, "one file for each function");
  options = {};
  options.language = "rust";
  options.batch = true;
  refused(options, "written in C");
  options = {};
  options.target = "casady";
  refused(options, "did you mean 'casadi'?");
  options = {};
  options.target = "casadi";
  options.real = ulna::Real::single_precision;
  refused(options, "in double precision");
  options.real = ulna::Real::double_precision;
  options.batch = true;
  refused(options, "CasADi calls functions with one state");
}

// What would change nothing is no silent wish.
TEST(LoadedC, OptionsWithoutEffect) {
  refused({.parameters_link = "hand"}, "a link for run-time parameters has no effect unless a payload is among them: add parameter payload");
  refused({.parameters = {"masses"}, .parameters_link = "hand"}, "add parameter payload, or leave it out");
  refused({.link = "hand"}, "add pose or jacobian, or leave it out");
  refused({.what = {"mass", "pose"}, .friction = true}, "friction has no effect on these quantities");
  refused({.what = {"mass", "gravity"}, .wrench_at = "hand"}, "a wrench has no effect on these quantities");
  refused({.single_file = true, .target = "fmi"}, "on a unit of FMI");
  refused({.link = "hand", .target = "fmi"}, "on a unit of FMI");
}

}  // namespace
}  // namespace ulna::test
