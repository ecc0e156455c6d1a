// ulna bench as a user calls it. No time decides a test: those that are looked at come from programs that say a given number.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

using nlohmann::json;

namespace {

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr bool kOptimised = false;
#else
constexpr bool kOptimised = true;
#endif

/// Times of such a build mean nothing, and the program says so.
class Bench : public testing::Test {
 protected:
  void SetUp() override {
    if (!kOptimised) GTEST_SKIP() << "not an optimised build";
  }
};

std::filesystem::path program(const std::string& name) { return std::filesystem::path(ULNA_PROGRAM).parent_path() / name; }

/// Two kilograms on a rail: the inertia matrix is 2 everywhere.
constexpr const char* kSlider = R"(<robot name="slider"><link name="rail"/>
<link name="car"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="x" type="prismatic"><parent link="rail"/><child link="car"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
</robot>)";

/// A folder with a copy of the program, so that a test can choose what stands beside it.
class FolderWithLibraries {
 public:
  FolderWithLibraries() {
    for (const char* name : {"ulna", "ulna-bench"}) std::filesystem::copy_file(program(name), folder_ / name);
    std::ofstream(folder_ / "slider.urdf") << kSlider;
  }

  void add(const std::string& name, const std::string& script) const {
    const std::filesystem::path path = folder_ / ("ulna-bench-" + name);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0700);
  }
  /// A library that gives the inertia matrix of the slider as `mass`, and says that it took these times, one after the other.
  void add_library(const std::string& name, const std::string& mass, const std::string& times) const {
    add(name, "echo version 7\necho row 0 some mass one double 1\necho ready\nset -- " + times +
                  "\nwhile read word rest; do\n  if [ $word = time ]; then echo $1; shift; else\n    for k in 1 2 3 4 5 6 7 8; do echo " + mass +
                  "; done\n  fi\ndone");
  }

  struct Result {
    int status;
    json report;
    std::string err;
  };
  Result bench(const std::string& arguments) const {
    const Outcome run = text("--json " + arguments);
    return {run.status, json::parse(run.out, nullptr, false), run.err};
  }
  /// As people read it.
  Outcome text(const std::string& arguments) const { return run("bench", arguments); }
  Outcome run(const std::string& command, const std::string& arguments) const {
    const std::filesystem::path out = folder_ / "out", err = folder_ / "err";
    const int status = std::system((in_quotes((folder_ / "ulna").string()) + " " + command + " " + in_quotes((folder_ / "slider.urdf").string()) + " " +
                                    arguments + " > " + in_quotes(out.string()) + " 2> " + in_quotes(err.string()))
                                       .c_str());
    return {WEXITSTATUS(status), text_of(out), text_of(err)};
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

 private:
  static std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  support::Folder own_;
  std::filesystem::path folder_{own_.at("")};
};

json library_of(const json& report, const std::string& name) {
  for (const json& l : report["libraries"])
    if (l["library"] == name) return l;
  return {};
}

TEST_F(Bench, JsonHasThePromisedRows) {
  const json report = ulna_json("bench planar-2r --time 0.003 --library ulna");
  std::set<std::string> rows;
  for (const json& r : report["results"]) {
    SCOPED_TRACE(r.dump());
    EXPECT_EQ(r["robot"], "planar-2r");
    EXPECT_EQ(r["library"], "ulna");
    EXPECT_GT(r["ns"].get<double>(), 0);
    rows.insert(r["path"].get<std::string>() + " " + r["task"].get<std::string>() + " " + r["mode"].get<std::string>() + " " + r["real"].get<std::string>() +
                " " + std::to_string(r["threads"].get<int>()));
  }
  EXPECT_EQ(rows.size(), report["results"].size()) << "a row twice";
  std::vector<std::string> paths{"template", "generated-O2", "generated-native"};
  if (report["machine"]["instruction_set"] != "none") paths.emplace_back("kernel");
  for (const std::string& path : paths)
    for (const char* task : {"inverse", "mass", "forward"})
      for (const char* real : {"double", "float"})
        for (const char* mode : {"one", "batch"})
          for (const char* threads : {"1", "2"}) {
            const std::string row = path + " " + task + " " + mode + " " + real + " " + threads;
            EXPECT_EQ(rows.contains(row), std::string(mode) == "batch" || std::string(threads) == "1") << row;
          }
  for (const char* row : {"rk4 simulate one double 1", "rk4 simulate batch double 1", "rk4 simulate batch double 2"}) EXPECT_TRUE(rows.contains(row)) << row;
  for (const json& r : report["results"]) {
    if (r["task"] != "simulate") continue;
    // At 1 kHz a step is a millisecond: a million nanoseconds.
    EXPECT_NEAR(r["simulated_seconds_per_second"].get<double>() * r["ns"].get<double>(), 1e6, 1e-3) << r.dump();
  }
  EXPECT_EQ(report["comparisons"].size(), report["results"].size());
  for (const json& c : report["comparisons"]) {
    EXPECT_EQ(c["agree"], true) << c.dump();
    EXPECT_LE(c["difference"].get<double>(), c["tolerance"].get<double>());
  }
  EXPECT_FALSE(report["machine"]["processor"].get<std::string>().empty());
  EXPECT_GT(report["machine"]["cores"].get<int>(), 0);
}

TEST_F(Bench, SingleCallsAreOfOneStateInDoubles) {
  const json report = ulna_json("bench planar-2r --time 0.003 --library ulna --single-calls");
  EXPECT_GT(report["results"].size(), 0u);
  for (const json& r : report["results"]) EXPECT_TRUE(r["mode"] == "one" && r["real"] == "double") << r.dump();
}

TEST_F(Bench, MachineCodeTellsItsCountsAndItsBound) {
  const json report = ulna_json("bench planar-2r --time 0.003 --library ulna --task inverse");
  if (report["machine"]["instruction_set"] == "none") GTEST_SKIP() << "no machine code here";
  const std::string instruction_set = report["machine"]["instruction_set"].get<std::string>();
  bool wide = false;
  for (const json& k : report["kernels"]) {
    EXPECT_GT(k["mul"].get<double>(), 0) << k.dump();
    EXPECT_LE(k["fused"].get<double>(), k["mul"].get<double>()) << k.dump();
    EXPECT_GT(k["bytes"].get<double>(), 0) << k.dump();
    wide = wide || k["lanes"].get<int>() > 1;
  }
  EXPECT_TRUE(wide);
  for (const json& r : report["results"]) {
    EXPECT_EQ(report["machine"]["register_bits"], instruction_set == "AVX-512" ? 512 : instruction_set == "AVX2" ? 256 : 128);
    const bool bounded = r["path"].get<std::string>().starts_with("kernel") && r["mode"] == "batch" && r["threads"] == 1;
    EXPECT_EQ(r.contains("of_bound"), bounded && report["machine"]["clock_ghz"].get<double>() > 0) << r.dump();
    EXPECT_EQ(r["task"], "inverse");
    for (const json& k : report["kernels"]) {
      if (!r.contains("of_bound") || k["task"] != "inverse" || k["real"] != r["real"] || k["lanes"] == 1) continue;
      // The bound is mul / (numbers in a register * pipes * clock).
      const json& machine = report["machine"];
      const double per_ns = machine["register_bits"].get<double>() / (r["real"] == "double" ? 64 : 32) * machine["multiply_pipes"].get<double>() *
                            machine["clock_ghz"].get<double>();
      const double mul = k["mul"].get<double>(), time = r["ns"].get<double>() * per_ns;
      EXPECT_NEAR(r["of_bound"].get<double>() * time, mul, 1e-9 * mul) << r.dump();
      EXPECT_NEAR(r["of_bound_with_sincos"].get<double>() * time, mul + (r["real"] == "double" ? 23 : 17) * k["sincos"].get<double>(), 1e-9 * time) << r.dump();
    }
  }
  ASSERT_EQ(report["latencies"].size(), 1u);
  EXPECT_GT(report["latencies"][0]["seconds"].get<double>(), 0);
}

TEST_F(Bench, OtherLibrariesAgreeWhereTheyWereBuilt) {
  for (const char* name : {"kdl", "mujoco", "bullet", "rbdl"}) {
    if (!std::filesystem::exists(program(std::string("ulna-bench-") + name))) continue;
    const json report = ulna_json(std::string("bench stanford torso --time 0.003 --batch 64 --library ") + name);
    std::set<std::string> robots;
    for (const json& c : report["comparisons"]) {
      EXPECT_EQ(c["agree"], true) << c.dump();
      robots.insert(c["robot"].get<std::string>());
    }
    EXPECT_EQ(robots.size(), 2u) << name;
    EXPECT_EQ(report["comparisons"].size(), report["results"].size()) << name;
  }
}

TEST_F(Bench, TheSmallestTimeOfManyTurnsIsKept) {
  const FolderWithLibraries folder;
  folder.add_library("pinocchio-clang", "2", "1000 500 700");
  folder.add_library("kdl", "2", "4000 3000 2000");
  const auto [status, report, err] = folder.bench("--time 0.06");
  EXPECT_EQ(status, 0) << err;
  ASSERT_EQ(report["results"].size(), 2u);
  EXPECT_EQ(report["results"][0]["library"], "pinocchio-clang");
  EXPECT_EQ(report["results"][0]["ns"], 500);
  EXPECT_EQ(report["results"][0]["times_pinocchio"], 1);
  EXPECT_EQ(report["results"][1]["library"], "kdl");
  EXPECT_EQ(report["results"][1]["ns"], 2000);
  EXPECT_EQ(report["results"][1]["times_pinocchio"], 0.25);
  EXPECT_EQ(report["results"][1]["path"], "some");
  EXPECT_EQ(library_of(report, "kdl")["version"], "7");
  EXPECT_NE(library_of(report, "mujoco")["why_not"].get<std::string>().find("not here"), std::string::npos);
}

TEST_F(Bench, TextHasTheTimesAndWhatWasNotTimed) {
  const FolderWithLibraries folder;
  folder.add_library("pinocchio-clang", "2", "1000 500 700");
  folder.add_library("kdl", "2", "4000 3000 2000");
  folder.add_library("mujoco", "2.000001", "1 1 1");
  const Outcome run = folder.text("--time 0.06 --task mass");
  EXPECT_EQ(run.status, 1) << run.err;  // one differs
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    const std::vector<std::string> cells{std::istream_iterator<std::string>(words), {}};
    if (cells.size() == 8 && cells[1] == "some") rows[cells[0]] = cells;
  }
  ASSERT_EQ(rows.size(), 2u) << run.out;
  EXPECT_EQ(rows["pinocchio-clang"], (std::vector<std::string>{"pinocchio-clang", "some", "one", "double", "1", rows["kdl"][5], "500", "1.00"}));
  EXPECT_EQ(rows["kdl"], (std::vector<std::string>{"kdl", "some", "one", "double", "1", rows["kdl"][5], "2000", "0.25"}));
  EXPECT_LT(run.out.find("  pinocchio-clang  some"), run.out.find("  kdl              some")) << "the fastest comes first";
  EXPECT_NE(run.out.find("  mujoco some DIFFERS in mass (one, double, 1 threads) by "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" and was not timed\n"), std::string::npos);
  EXPECT_NE(run.out.find("  kdl 7\n"), std::string::npos);  // its version
}

TEST_F(Bench, TextTellsTheCountsOfTheMachineCode) {
  const json report = ulna_json("bench planar-2r --time 0.003 --library ulna --task inverse,simulate");
  if (report["machine"]["instruction_set"] == "none") GTEST_SKIP() << "no machine code here";
  const std::string text = ulna("bench planar-2r --time 0.003 --library ulna --task inverse,simulate").out;
  EXPECT_EQ(text.find(report["machine"]["processor"].get<std::string>()), 0u);
  int found = 0;
  for (const json& k : report["kernels"]) {
    if (k["lanes"] == 1) continue;
    std::ostringstream line;  // up to the size of the code
    for (const char* key : {"lanes", "mul", "fused", "add", "div", "sincos", "spills"}) line << " " << k[key];
    std::istringstream lines(text);
    for (std::string got; std::getline(lines, got);) {
      std::istringstream words(got);
      std::string task, real, numbers, number;
      words >> task >> real;
      while (words >> number && numbers.size() < line.str().size()) numbers += " " + number;
      if (task == k["task"] && real == k["real"] && numbers == line.str()) ++found;
    }
  }
  EXPECT_EQ(found, std::count_if(report["kernels"].begin(), report["kernels"].end(), [](const json& k) { return k["lanes"] != 1; })) << text;
  EXPECT_GT(found, 0);
  EXPECT_NE(text.find("simulations, against plain steps on the templates: they end within "), std::string::npos);
  EXPECT_NE(text.find("from URDF text to the first torque: "), std::string::npos);
}

TEST_F(Bench, WhatDiffersIsToldAndNotTimed) {
  const FolderWithLibraries folder;
  folder.add_library("mujoco", "2", "10 10 10");
  folder.add_library("kdl", "2.000001", "1 1 1");
  const auto [status, report, err] = folder.bench("--time 0.06");
  EXPECT_EQ(status, 1);
  ASSERT_EQ(report["results"].size(), 1u);
  EXPECT_EQ(report["results"][0]["library"], "mujoco");
  ASSERT_EQ(report["comparisons"].size(), 2u);
  for (const json& c : report["comparisons"]) EXPECT_EQ(c["agree"], c["library"] == "mujoco") << c.dump();
  EXPECT_EQ(library_of(report, "kdl")["why_not"], "its results differ");
  for (const char* wrong : {"nan", "inf", "-2"}) {
    folder.add_library("kdl", wrong, "1 1 1");
    EXPECT_EQ(folder.bench("--time 0.06").status, 1) << wrong;
  }
}

// The car of the slider (2 kg) goes straight on under its force, which is 2 a. A program that says so agrees; one that forgets the last step does not. The
// states are those of the sampler, read back from the file that the program is given.
TEST_F(Bench, SimulationsAreComparedToo) {
  if (std::system("python3 -c 'import struct' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const auto script = [](const char* seconds) {
    return std::string("echo row 0 rk4 simulate one double 1\necho ready\nwhile read word row count rest; do\n  if [ $word = time ]; then echo 1000; else\n") +
           "python3 - $1 " + seconds +
           " <<'END'\nimport struct, sys\ndata = open(sys.argv[1] + '/states', 'rb').read()\nnq, n, count = struct.unpack('QQQ', data[:24])\n" +
           "x = struct.unpack('%dd' % (4 * n * count), data[24:])\nt = float(sys.argv[2])\nfor s in range(8):\n  k = s * 3 // 7\n" +
           "  q, v, a = x[k], x[count + k], x[3 * count + k] / 2\n  print(repr(q + v * t + a * t * t / 2), repr(v + a * t))\nEND\n  fi\ndone";
  };
  const FolderWithLibraries folder;
  folder.add("mujoco", script("0.2"));
  folder.add("kdl", script("0.199"));
  const auto [status, report, err] = folder.bench("--time 0.06 --task simulate");
  EXPECT_EQ(status, 1) << err;
  ASSERT_EQ(report["results"].size(), 1u) << report.dump();
  EXPECT_EQ(report["results"][0]["library"], "mujoco");
  EXPECT_EQ(report["results"][0]["states"], 4);
  EXPECT_EQ(report["results"][0]["times_mujoco"], 1);
  EXPECT_NEAR(report["results"][0]["simulated_seconds_per_second"].get<double>(), 1000, 1e-9);
  EXPECT_EQ(library_of(report, "kdl")["why_not"], "its results differ");
}

TEST_F(Bench, AStudyTakesItsTimes) {
  const FolderWithLibraries folder;
  folder.add_library("ulna", "2", "30 20 25");
  folder.add_library("mujoco", "2", "100 90 95");
  folder.add_library("kdl", "2.000001", "1 1 1");
  const Outcome run = folder.run("study", "--samples 3 --self-test off --out " + in_quotes(folder.at("study")));
  ASSERT_EQ(run.status, 0) << run.err;
  std::map<std::string, double> times;
  const json report = json::parse(::text_of(folder.at("study/report.json")));
  for (const json& row : report["timing"]) {
    EXPECT_EQ(row["path"], "some");
    EXPECT_EQ(row["task"], "mass");
    times[row["library"]] = row["ns"];
  }
  EXPECT_EQ(times, (std::map<std::string, double>{{"ulna", 20}, {"mujoco", 90}}));
  const std::string page = ::text_of(folder.at("study/index.html"));
  EXPECT_TRUE(has(page, "<li>kdl, some, mass: its results differ, so it was not timed</li>"));
  EXPECT_TRUE(has(page, "<li>rbdl (ulna-bench-rbdl): not here; "));
}

TEST_F(Bench, AFailingLibraryIsNotOurFailure) {
  const FolderWithLibraries folder;
  folder.add_library("mujoco", "2", "10 10 10");
  folder.add("kdl", "kill -SEGV $$");
  folder.add("bullet", "echo 'no such robot' >&2\nexit 3");
  folder.add_library("rbdl", "2 2", "1 1 1");
  folder.add_library("pinocchio-gcc", "2", "1");  // then silent: 'echo' of nothing
  const auto [status, report, err] = folder.bench("--time 0.06");
  EXPECT_EQ(status, 0) << err;
  ASSERT_EQ(report["results"].size(), 1u);
  EXPECT_EQ(library_of(report, "kdl")["why_not"], "it was ended by signal 11");
  EXPECT_EQ(library_of(report, "bullet")["why_not"], "no such robot");
  EXPECT_EQ(library_of(report, "rbdl")["why_not"], "its answer is not of the form agreed on");
  EXPECT_EQ(library_of(report, "pinocchio-gcc")["why_not"], "its answer is not of the form agreed on");
}

TEST_F(Bench, NothingToTimeIsAnError) {
  const FolderWithLibraries folder;
  const auto [status, report, err] = folder.bench("--library kdl");
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(report.is_discarded());
  EXPECT_NE(err.find("ulna-bench-kdl"), std::string::npos) << err;
  EXPECT_NE(err.find("make bench"), std::string::npos) << err;
}

TEST_F(Bench, DrawingHasABarForEachLibrary) {
  const TemporaryFile svg("bars.svg", "");
  ulna_json("bench planar-2r --time 0.003 --library ulna --task mass --force --svg " + in_quotes(svg.path()));
  std::ifstream file(svg.path());
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str().find("<svg"), 0u);
  EXPECT_NE(text.str().find("Ulna, generated C"), std::string::npos);
  EXPECT_NE(text.str().find("planar-2r"), std::string::npos);
  EXPECT_EQ(text.str().find("KDL"), std::string::npos);
}

TEST(BenchCall, MistakesNameTheNearestWord) {
  expect_refused("bench planar-2r --library pinochio-clang", "did you mean 'pinocchio-clang'?");
  expect_refused("bench planar-2r --library ulna,mujoko", "did you mean 'mujoco'?");
  expect_refused("bench planar-2r --library zzz", "there are ulna, pinocchio-clang");
  expect_refused("bench planar-2r --task invers", "did you mean 'inverse'?");
  expect_refused("bench planar-2r --time 0", "option --time");
  expect_refused("bench planar-2r --batch 17", "option --batch");
  expect_refused("bench planar-2r --batch 32 --single-calls", "option --batch has no effect with --single-calls");
  expect_refused("bench --formulations stanford --single-calls", "option --single-calls is for other libraries");
  expect_refused("bench", "MODEL");
}

TEST(BenchCall, WithoutItsProgramItSaysWhereThatComesFrom) {
  const support::Folder folder;
  std::filesystem::copy_file(ULNA_PROGRAM, folder.at("ulna"));
  for (const char* words : {"bench panda", "bench --help", "help bench", "bench panda --no-such-option"}) {
    const Outcome run = shell("PATH=/nowhere " + in_quotes(folder.at("ulna")) + " " + words);
    EXPECT_EQ(run.status, 2) << words;
    EXPECT_EQ(run.out, "") << words;
    EXPECT_EQ(run.err, "ulna: cannot start ulna-bench: it is neither next to ulna nor on the PATH; 'make build' makes it, and 'make install' installs it\n")
        << words;
  }
  // On the PATH it is found, too, and answers as the one beside ulna does.
  const Outcome found = shell("PATH=" + in_quotes(program("").string()) + " " + in_quotes(folder.at("ulna")) + " bench --help");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(found.out, ulna("bench --help").out);
}

TEST(BenchCall, ABuildWithoutOptimisationIsRefused) {
  if (kOptimised) GTEST_SKIP() << "an optimised build";
  expect_refused("bench planar-2r --time 0.01", "optimisation");
}

TEST_F(Bench, ARobotThatStandsStillIsRefused) {
  const TemporaryFile file("still.urdf", "<robot name='still'><link name='base'/></robot>");
  expect_refused("bench " + in_quotes(file.path()), "nothing to time");
}

TEST_F(Bench, FormulationsAgainstEachOther) {
  const support::Folder folder;
  const json out = ulna_json("bench --formulations stanford general-RR general-RRR --task inverse --time 1e-5 --plot " + folder.at("p"));
  ASSERT_EQ(out["races"].size(), 3u);
  EXPECT_EQ(out["races"][1]["joints"], 2);
  EXPECT_FALSE(out["machine"]["processor"].get<std::string>().empty());
  bool seen = false;
  for (const json& row : out["races"][0]["rows"]) {
    EXPECT_EQ(row["quantity"], "inverse");
    if (row["formulation"] != "newton-euler") continue;
    seen = true;
    EXPECT_GT(row["own"]["ns"].get<double>(), 0);
    EXPECT_GT(row["own"]["counts"]["mul"].get<int>(), row["compiled"]["counts"]["mul"].get<int>());
  }
  EXPECT_TRUE(seen);
  for (const char* name : {"race-stanford.svg", "race-growth.svg"}) {
    std::ifstream file(folder.at(std::string("p/") + name));
    const std::string svg{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(svg.find("newton-euler"), std::string::npos) << name;
    EXPECT_NE(svg.find(out["machine"]["processor"].get<std::string>()), std::string::npos) << name;
  }
  const Outcome text = ulna("bench --formulations planar-2r --task mass --time 1e-5");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("walker-orin"), std::string::npos) << text.out;
  expect_refused("bench --formulations stanford --library rbdl", "option --library is for other libraries, not for --formulations");
  expect_refused("bench --formulations stanford --svg x.svg", "use --plot DIR");
  expect_refused("bench stanford --plot x", "option --plot is for --formulations");
  expect_refused("bench --formulations stanford --task simulate", "with --formulations there are inverse, mass");
}

}  // namespace
