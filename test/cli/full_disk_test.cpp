// A disk that is full and memory that ends: a message and status 2, whatever command it was, and nothing half-written.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

namespace {

using support::Folder;

/// A piece of shell with the program in it as $ULNA.

TEST(FullDisk, EveryCommandNoticesThatItsOutputIsLost) {
  const Folder folder;
  folder.write("s.yaml", "model: planar-2r\nduration: 0.02\n");
  folder.write("c.yaml", "runs: 3\nscenario: {model: planar-2r, duration: 0.02, integrator: {type: rk4}}\n");
  folder.write("d.yaml", "model: planar-2r\nrows: 5\nquantities: [inverse]\n");
  ASSERT_EQ(ulna("excite planar-2r --evaluations 30 --out " + folder.at("log.csv")).status, 0);
  const std::map<std::string, std::string> calls{
      {"models", ""},
      {"info", "panda"},
      {"lint", "panda"},
      {"convert", "panda --to dh"},
      {"inverse", "panda"},
      {"forward", "panda"},
      {"mass", "panda"},
      {"bias", "panda"},
      {"gravity", "panda"},
      {"coriolis", "panda"},
      {"energy", "panda"},
      {"momentum", "panda"},
      {"centroidal", "panda"},
      {"pose", "panda"},
      {"derivatives", "planar-2r"},
      {"explain", "planar-2r planar-2r"},
      {"jacobian", "panda --link hand"},
      {"regressor", "panda"},
      {"parameters", "planar-2r"},
      {"excite", "planar-2r --evaluations 30"},
      {"identify", "planar-2r " + folder.at("log.csv")},
      {"doctor", "planar-2r " + folder.at("log.csv")},
      {"formulations", ""},
      {"verify", "planar-2r --samples 2 --peers off"},
      {"tables", ""},
      {"count", "planar-2r"},
      {"schedule", "planar-2r"},
      {"speeds", "planar-2r"},
      {"generate", "planar-2r --out " + folder.at("code") + " --force"},
      {"equations", "planar-2r"},
      {"simulate", folder.at("s.yaml")},
      {"torques", folder.at("s.yaml")},
      {"campaign", folder.at("c.yaml") + " --resume --out " + folder.at("campaign")},
      {"dataset", folder.at("d.yaml") + " --force --out " + folder.at("d.csv")},
      {"bench", "planar-2r --task inverse --library ulna --time 0.01"},
      {"study", "planar-2r --bench off --self-test off --peers off --samples 2 --force --out " + folder.at("study")},
  };
  // The overview lists the commands; none may be missing here.
  std::istringstream overview(ulna("--help").out);
  std::string line;
  std::size_t listed = 0;
  while (std::getline(overview, line) && line != "Commands:") continue;
  while (std::getline(overview, line) && !line.empty()) {
    if (!line.starts_with("  ")) continue;  // the name of a group
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_TRUE(calls.contains(name)) << name;
    ++listed;
  }
  EXPECT_EQ(listed, calls.size());
  for (const auto& [command, arguments] : calls)
    for (const std::string format : {"", " --json"}) {
      if (command == "convert" && !format.empty()) continue;
      if ((command == "study" || command == "bench" || command == "tables") && !format.empty()) continue;  // slow, and no other way than the rest
      SCOPED_TRACE(command + format);
      const Outcome run = shell("(\"$ULNA\" " + command + " " + arguments + format + " > /dev/full)");
      EXPECT_EQ(run.status, 2);
      EXPECT_NE(run.err.find("ulna: cannot write the result to standard output: "), std::string::npos) << run.err;
    }
  for (const std::string words : {"--help", "--version", "help info", "info --help"})
    EXPECT_EQ(shell("(\"$ULNA\" " + words + " > /dev/full)").status, 2) << words;
}

// The disk fills while a file is written: status 2, and neither the file nor a part of it stays. (A limit of the file's size stands for the full disk.)
TEST(FullDisk, FilesAreThereWholeOrNotAtAll) {
  const Folder folder;
  folder.write("s.yaml", "model: planar-2r\nduration: 2\n");
  for (const std::string& call :
       {"simulate " + folder.at("s.yaml") + " --out " + folder.at("run.csv"), "torques " + folder.at("s.yaml") + " --out " + folder.at("t.csv"),
        "schedule panda --svg " + folder.at("s.svg"), "equations panda --out " + folder.at("e.txt"), "generate panda --out " + folder.at("code"),
        "verify planar-2r --samples 5 --peers off --out " + folder.at("v.json")}) {
    SCOPED_TRACE(call);
    EXPECT_EQ(shell("trap '' XFSZ; ulimit -f 1; \"$ULNA\" " + call + " > /dev/null").status, 2);
  }
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.at("")))
    if (entry.is_regular_file()) ++left;
  EXPECT_EQ(left, 1u) << "the scenario";
}

TEST(Memory, EndsWithAMessage) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need all addresses";
#endif
  const TemporaryFile file("chain.urdf", chain_of(400));
  const std::string chain = "'" + file.path() + "'";
  for (const std::string& call : {"mass " + chain + " --compiled on", "inverse " + chain + " --compiled on", "count " + chain,
                                  "generate " + chain + " --what forward --out /tmp/ulna-never"})
    for (const int kilobytes : {20000, 30000}) {
      SCOPED_TRACE(call + " " + std::to_string(kilobytes));
      const Outcome run = shell("ulimit -v " + std::to_string(kilobytes) + "; \"$ULNA\" " + call);
      EXPECT_EQ(run.status, 2);
      EXPECT_EQ(run.err.rfind("ulna: out of memory; ", 0), 0u) << run.err;
    }
}

TEST(Study, LooksWhetherItCanWriteBeforeItWorks) {
  for (const std::string command : {"study", "generate"}) {
    const Outcome run = ulna(command + " panda --out /proc/study");
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err.rfind("ulna: option --out: cannot write in folder '/proc': ", 0), 0u) << run.err;  // the first line: no step was done
  }
}

TEST(Limit, OfGeneratedMatrices) {
  const Folder folder;
  folder.write("chain.urdf", chain_of(500));
  const std::string chain = folder.at("chain.urdf");
  for (const std::string what : {"mass", "forward", "energy"})
    expect_refused("generate " + chain + " --what " + what + " --out " + folder.at("code"),
                   "125250 nonzero entries, more than the 100000 allowed; raise the limit");
  expect_refused("generate panda --what mass --limit entries=10 --out " + folder.at("code"), "28 nonzero entries, more than the 10 allowed");
  EXPECT_EQ(ulna("generate panda --what mass --limit entries=28 --out " + folder.at("code")).status, 0);
}

}  // namespace
