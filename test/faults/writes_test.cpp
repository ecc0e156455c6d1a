// Every write of a program fails once, and so does every fsync: files are there whole or not at all, a message says why, and the status is 2.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "faults/traced.hpp"
#include "support/folder.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

using support::Folder;

struct Call {
  std::vector<std::string> words;  // with "OUT" for what is written
  bool resumes = false;            // "--resume" goes on with what a failure has left
  std::size_t places = 8;          // of a fault that are tried; `make soak` tries 25 times as many
};

/// Files whose names begin with "out", those in folders too.
std::map<std::string, std::string> written_in(const Folder& folder) {
  std::map<std::string, std::string> files;
  const std::filesystem::path root = folder.at("");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().lexically_relative(root).string();
    if (!entry.is_regular_file() || !name.starts_with("out")) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[name] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

std::vector<std::string> words_of(const Call& call, const Folder& folder) {
  std::vector<std::string> words{ULNA_PROGRAM};
  for (const std::string& word : call.words) words.push_back(word.starts_with("OUT") ? folder.at("out" + word.substr(3)) : word);
  return words;
}

void prepare(const Folder& folder) {
  folder.write("s.yaml", "model: planar-2r\nduration: 0.05\nintegrator: {type: rk4, step: 0.001}\noutput: {step: 0.0001}\n");
  folder.write("c.yaml",
               "runs: 40\nscenario: {model: planar-2r, duration: 0.02, integrator: {type: rk4, step: 0.001}}\nvary: {mass.forearm: {uniform: [0.9, 1.1]}}\n");
  folder.write("d.yaml", "model: planar-2r\nrows: 3000\nquantities: [inverse, mass]\n");
}

/// Numbers that differ from run to run: times.
using Same = std::function<bool(const std::string& name, const std::string& a, const std::string& b)>;

void expect_whole_or_absent(
    const Call& call, const Same& same = [](const std::string&, const std::string& a, const std::string& b) { return a == b; }) {
  if (!possible()) GTEST_SKIP() << "programs cannot be traced here";
  const Folder clean;
  prepare(clean);
  const Traced all = run_traced(words_of(call, clean), clean.at(""), Fault::none, 0);
  ASSERT_EQ(all.status, 0) << all.messages;
  ASSERT_GT(all.calls, 0u);
  const std::map<std::string, std::string> whole = written_in(clean);
  ASSERT_FALSE(whole.empty());
  const Folder other;
  prepare(other);
  const Traced syncs = run_traced(words_of(call, other), other.at(""), Fault::no_sync, ~std::size_t{0});
  // A few places each, or all of them: the first, the last, and those between.
  const std::size_t most = so_many(call.places, 25 * call.places);
  for (const Fault fault : {Fault::no_space, Fault::input_output, Fault::part, Fault::no_sync}) {
    const std::size_t calls = fault == Fault::no_sync ? syncs.calls : all.calls;
    for (std::size_t k = 0; k < std::min(calls, most); ++k) {
      const std::size_t which = calls <= most ? k : k * (calls - 1) / (most - 1);
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " of call " + std::to_string(which) + " of " + std::to_string(calls));
      const Folder folder;
      prepare(folder);
      const Traced run = run_traced(words_of(call, folder), folder.at(""), fault, which);
      if (!run.spoilt) continue;  // threads do not always write alike
      for (const auto& [name, text] : written_in(folder)) {
        EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
        if (!call.resumes || whole.contains(name)) {
          ASSERT_TRUE(whole.contains(name)) << name;
          EXPECT_TRUE(same(name, text, whole.at(name))) << name << ": " << text.size() << " of " << whole.at(name).size() << " bytes";
        }
      }
      if (fault == Fault::part) {  // what is left is written by another call
        EXPECT_EQ(run.status, 0) << run.messages;
        EXPECT_EQ(written_in(folder).size(), whole.size());
        continue;
      }
      EXPECT_EQ(run.status, 2) << run.messages;
      const std::size_t there = written_in(folder).size();
      // All, where standard output failed. fsync comes a second time, as each file gets its place: what has its place by then stays.
      EXPECT_TRUE(call.resumes || fault == Fault::no_sync || there == 0 || there == whole.size()) << there << " files of " << whole.size();
      EXPECT_NE(run.messages.find("ulna"), std::string::npos);
      // The C library forgets the reason of a write that failed before the last.
      EXPECT_TRUE(run.messages.find("not all of it could be written") != std::string::npos ||
                  run.messages.find(fault == Fault::no_space ? "No space left" : "Input/output error") != std::string::npos)
          << run.messages;
      if (!call.resumes) continue;
      Call again = call;
      again.words.emplace_back("--resume");
      const Traced resumed = run_traced(words_of(again, folder), folder.at(""), Fault::none, 0);
      EXPECT_EQ(resumed.status, 0) << resumed.messages;
      for (const auto& [name, text] : written_in(folder)) {
        ASSERT_TRUE(whole.contains(name)) << name;
        EXPECT_TRUE(same(name, text, whole.at(name))) << name;
      }
    }
  }
}

TEST(FailingWrites, Generate) { expect_whole_or_absent({{"generate", "planar-2r", "--what", "inverse,mass,forward", "--batch", "--out", "OUT"}}); }
TEST(FailingWrites, Crate) { expect_whole_or_absent({{"generate", "planar-2r", "--lang", "rust", "--crate", "--out", "OUT"}}); }
TEST(FailingWrites, Equations) { expect_whole_or_absent({{"equations", "panda", "--what", "inverse,mass", "--html", "--out", "OUT"}}); }
TEST(FailingWrites, Simulate) { expect_whole_or_absent({{"simulate", "s.yaml", "--out", "OUT.csv"}}); }
TEST(FailingWrites, Excite) { expect_whole_or_absent({{"excite", "planar-2r", "--evaluations", "30", "--out", "OUT.csv"}}); }
TEST(FailingWrites, Dataset) { expect_whole_or_absent({{"dataset", "d.yaml", "--out", "OUT.csv"}}); }
// Of the race of tables by the clock, numbers differ from run to run; a page that ends is whole.
TEST(FailingWrites, Study) {
  expect_whole_or_absent({{"study", "planar-2r", "--bench", "off", "--self-test", "off", "--peers", "off", "--samples", "2", "--out", "OUT"}, false, 2},
                         [](const std::string& name, const std::string& a, const std::string& b) {
                           const auto whole = [&](const char* end) { return a.ends_with(end) && a.size() > b.size() - 1000; };
                           return a == b || (name.ends_with("index.html") && whole("</html>\n")) || (name.ends_with("report.json") && whole("}\n"));
                         });
}
// How long it took, and where, is in the summary.
TEST(FailingWrites, Campaign) {
  expect_whole_or_absent({{"campaign", "c.yaml", "--out", "OUT"}, true}, [](const std::string& name, const std::string& a, const std::string& b) {
    return a == b || (!a.empty() && !name.ends_with(".csv") && (a.back() == '\n' || a.back() == '>'));
  });
}

}  // namespace
}  // namespace ulna::test
