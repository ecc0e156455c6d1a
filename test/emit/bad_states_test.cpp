// Generated code: an input that is NaN, infinite, or an angle beyond 1.6e6 rad makes every result NaN; angles up to there keep their digits.
#include <gtest/gtest.h>

#include <cstdlib>

#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "support/folder.hpp"
#include "support/oracle.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using support::Folder;

/// A program in C or C++ that tries every function with every input made bad, and one after the other says what is not NaN.
std::string trial(const std::string& include, const std::string& prefix, const std::string& type, const Model& model) {
  const std::size_t n = model.nv();
  std::string out = cat("#include \"", include, "\"\n#include <math.h>\n#include <stdio.h>\nint main(void)\n{\n  static const int turns[] = {");
  for (const std::size_t j : model.independent()) out += model.joints()[j].type == JointType::prismatic ? "0, " : "1, ";
  out += cat("0};\n  ", type, " in[", 3 * n, "], out[", 10 * n * model.sizes().bodies + 6 * n + 12, "];\n  const ", type,
             " bad[] = {NAN, INFINITY, -INFINITY, 1.648e6f, -3e6f};\n  int i, k, b, failed = 0;\n");
  for (const std::string& what : generated_quantities()) {
    const QuantityRow& row = *find_quantity(what);
    std::string call = cat(prefix, what, "(in");
    for (std::size_t k = 1; k < row.inputs.size(); ++k) call += cat(", in + ", k * n);
    out += cat("  for (k = -1; k < ", row.inputs.size() * n, "; ++k)\n    for (b = 0; b < (k >= 0 && k < ", n,
               " && turns[k] ? 5 : 3); ++b) {\n      for (i = 0; i < ", 3 * n, "; ++i) in[i] = (", type, ")(0.1 + 0.37 * i - 0.05 * i * i);\n",
               "      if (k >= 0) in[k] = bad[b];\n      ", call, ", out);\n      for (i = 0; i < ", row.size(model.sizes()),
               "; ++i)\n        if (k < 0 ? !isfinite(out[i]) : !isnan(out[i])) {\n          printf(\"", what,
               ": input %d, bad number %d, result %d\\n\", k, b, i);\n          failed = 1;\n        }\n    }\n");
  }
  return out + "  return failed;\n}\n";
}

std::vector<GeneratedFile> files(const Model& model, const char* language, ulna::Real real = ulna::Real::double_precision, const std::string& name = "robot") {
  GenerateOptions options;
  options.what = generated_quantities();
  options.language = language;
  options.real = real;
  options.name = name;
  return generate(model, options);
}

std::vector<Model> trial_robots() {
  std::vector<Model> models{load("stanford"), random_model(3, {.most = 6, .mimic = true})};
  if (soaks()) models.push_back(load("panda")), models.push_back(random_model(5, {.most = 7}));
  return models;
}

TEST(BadStatesInC, MakeEveryResultNan) {
  for (const Model& model : trial_robots())
    for (const ulna::Real real : {ulna::Real::double_precision, ulna::Real::single_precision}) {
      const bool stanford = model.name() == "stanford", single = real == ulna::Real::single_precision;
      if (!soaks() && !stanford && single) continue;
      SCOPED_TRACE(model.name());
      const Folder folder;
      folder.write(files(model, "c", real));
      folder.write("trial.c", trial("robot.h", "robot_", real == ulna::Real::double_precision ? "double" : "float", model));
      for (const char* optimised : {"-O0", "-O2", "-O3 -march=native"}) {
        // Long functions, for which a compiler takes long: one robot at every level, and the others at one.
        if (!soaks() && optimised != std::string("-O2") && (!stanford || single)) continue;
        std::string output;
        ASSERT_EQ(folder.run(cat("gcc -std=c99 ", optimised, " robot.c trial.c -lm -o trial"), &output), 0) << output;
        EXPECT_EQ(folder.run("./trial", &output), 0) << output;
      }
    }
}

TEST(BadStatesInCpp, MakeEveryResultNan) {
  for (const Model& model : trial_robots()) {
    const Folder folder;
    folder.write(files(model, "cpp"));
    for (const char* type : {"double", "float"}) {  // one header for both
      SCOPED_TRACE(::testing::Message() << model.name() << " " << type);
      folder.write("trial.cpp", trial("robot.hpp", "robot::", type, model));
      std::string output;
      ASSERT_EQ(folder.run("c++ -std=c++11 -O1 trial.cpp -o trial", &output), 0) << output;
      EXPECT_EQ(folder.run("./trial", &output), 0) << output;
    }
  }
}

TEST(BadStatesInPython, MakeEveryResultOfTheirStateNan) {
  if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const bool numpy = std::system("python3 -c 'import numpy' > /dev/null 2>&1") == 0;
  const Model model = load("stanford");
  const Folder folder;
  folder.write(files(model, "python"));
  folder.write("trial.py", R"(import math
import robot
import numpy as np
inputs = {"inverse": 3, "mass": 1, "bias": 2, "gravity": 1, "coriolis": 2, "regressor": 3, "forward": 3, "energy": 2, "pose": 1, "jacobian": 1,
          "inverse_derivatives": 3, "forward_derivatives": 3}
matrices = {"mass": (6, 6), "coriolis": (6, 6), "regressor": (6, 60), "inverse_derivatives": (6, 18), "forward_derivatives": (6, 18)}
for what, count in inputs.items():
    for k in range(6 * count):
        for bad in [math.nan, math.inf, -math.inf] + ([1.648e6] if k in (0, 1, 3, 4, 5) else []):
            states = [[[0.1 + 0.3 * i + 0.02 * j * i for j in range(3)] for i in range(6)] for _ in range(count)]
            states[k // 6][k % 6][1] = bad  # of three states the second
            result = getattr(robot, what)(*[np.array(x) for x in states])
            if what in matrices:
                rows, columns = matrices[what]
                assert not hasattr(np, "ndarray") or result.shape == (rows, columns, 3), (what, result.shape)
                result = result.reshape((rows * columns, 3))
            for row in range(result.shape[0]):
                numbers = [result[row][j] for j in range(3)]
                assert math.isfinite(numbers[0]) and math.isnan(numbers[1]) and math.isfinite(numbers[2]), (what, k, bad, row, numbers)
)");
  std::string output;
  const std::string path = numpy ? "" : "PYTHONPATH='" ULNA_MODELS_DIR "/../test/emit/fake_numpy' ";
  EXPECT_EQ(folder.run(path + "python3 -W ignore trial.py", &output), 0) << output;
}

TEST(BadStatesInRust, MakeEveryResultNan) {
  if (std::system("rustc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no rustc";
  const Model model = load("panda");
  const Folder folder;
  folder.write(files(model, "rust"));
  folder.write("trial.rs", R"(mod robot;
fn main() {
    for k in 0..21 {
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1.648e6] {
            let mut x = [0.3f64; 21];
            x[k] = bad;
            if k >= 7 && bad == 1.648e6 { continue; }
            let q: &[f64; 7] = x[0..7].try_into().unwrap();
            let v: &[f64; 7] = x[7..14].try_into().unwrap();
            let a: &[f64; 7] = x[14..21].try_into().unwrap();
            assert!(robot::inverse(q, v, a).iter().all(|t| t.is_nan()));
            assert!(robot::forward(q, v, a).iter().all(|t| t.is_nan()));
            if k < 7 { assert!(robot::mass(q).iter().all(|t| t.is_nan()) && robot::pose(q).iter().all(|t| t.is_nan())); }
        }
    }
}
)");
  std::string output;
  ASSERT_EQ(folder.run("rustc --edition 2021 -O trial.rs -o trial", &output), 0) << output;
  EXPECT_EQ(folder.run("./trial", &output), 0) << output;
}

// The Panda's last frame is turned by the search: its angle must not be rounded at the size of ten thousand rad before the sine is taken.
TEST(AnglesFarFromZero, KeepTheirDigitsInC) {
  const Model model = load("panda");
  for (const ulna::Real real : {ulna::Real::double_precision, ulna::Real::single_precision}) {
    const bool single = real == ulna::Real::single_precision;
    const Folder folder;
    GenerateOptions options;
    options.real = real;
    options.name = "robot";
    folder.write(generate(model, options));
    const std::string type = single ? "float" : "double";
    folder.write("far.c", cat("#include \"robot.h\"\n#include <stdio.h>\nint main(void)\n{\n  double x[21];\n  ", type,
                              " in[21], tau[7];\n  int i;\n  while (fread(x, sizeof x, 1, stdin) == 1) {\n    for (i = 0; i < 21; ++i) in[i] = (", type,
                              ")x[i];\n    robot_inverse(in, in + 7, in + 14, tau);\n    for (i = 0; i < 7; ++i) x[i] = tau[i];\n"
                              "    fwrite(x, sizeof(double), 7, stdout);\n  }\n  return 0;\n}\n"));
    std::string output;
    ASSERT_EQ(folder.run("gcc -std=c99 -O2 robot.c far.c -lm -o far", &output), 0) << output;
    for (const double size : {1e4, 1e6}) {
      Random random(11);
      State s = random_state(model, random);
      for (double& q : s.q) q = random.uniform(-size, size);
      s.q[6] = size;
      std::string bytes;
      for (std::vector<double>* part : {&s.q, &s.v, &s.a})
        for (double& x : *part) {
          if (single) x = static_cast<double>(static_cast<float>(x));
          bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
        }
      folder.write("in", bytes);
      ASSERT_EQ(folder.run("./far < in", &output), 0);
      ASSERT_EQ(output.size(), 7 * sizeof(double));
      const Oracle oracle(model, s.q, s.v, s.a);
      const double eps = single ? static_cast<double>(std::numeric_limits<float>::epsilon()) : std::numeric_limits<double>::epsilon();
      for (std::size_t k = 0; k < 7; ++k)
        EXPECT_NEAR(reinterpret_cast<const double*>(output.data())[k], doubles(oracle.torques())[k], 8 * eps * oracle.torque_size()) << type << " " << size;
    }
  }
}

}  // namespace
}  // namespace ulna::test
