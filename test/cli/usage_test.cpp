// A wrong call names the right one, ends with status 2, and writes nothing to standard output.
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace {

TEST(Usage, WrongCallsNameTheNearestRightOne) {
  expect_refused("invers panda", "did you mean 'inverse'?");
  expect_refused("inverse panda --gravty 0,0,0", "did you mean '--gravity'?");
  expect_refused("inverse pandda", "did you mean 'panda'?");
  expect_refused("inverse ./panda.urdf", "no such file");
  expect_refused("frobnicate", "'ulna --help' lists them");
  expect_refused("inverse", "needs a MODEL");
  expect_refused("inverse panda stanford", "'stanford' follows it");
  expect_refused("models pum560", "did you mean 'puma560'?");
  expect_refused("pose panda --link hnd", "did you mean 'hand'?");
  expect_refused("inverse panda --lock joint8", "did you mean 'joint1'?");
  expect_refused("inverse panda --wrench hnd:1,2,3,4,5,6@link", "did you mean 'hand'?");
}

TEST(Usage, WrongValuesSayWhatTheOptionTakes) {
  expect_refused("inverse panda --q 1,2", "option --q has 2 entries, but robot 'panda' has nq = 7");
  expect_refused("inverse panda --v 1,2,3", "nv = 7");
  expect_refused("inverse panda --q", "needs a value");
  expect_refused("inverse panda --q --v 1", "needs a value");
  expect_refused("inverse panda --q 1,2,3,4,5,6,x", "'x'");
  expect_refused("inverse panda --q 1,2,3,4,5,6,", "missing between commas");
  expect_refused("inverse panda --q 1,2,3,4,5,6,inf", "inf");
  expect_refused("inverse panda --gravity 0,0", "takes 3 numbers, but 2 are given");
  expect_refused("inverse panda --friction yes", "takes on or off, not 'yes'");
  expect_refused("inverse panda --mimic maybe", "takes honour or ignore, not 'maybe'");
  expect_refused("inverse panda --snap -1", "from 0 to 0.1");
  expect_refused("inverse panda --wrench hand:1,2,3@link", "takes 6 numbers");
  expect_refused("inverse panda --wrench hand:1,2,3,4,5,6", "form");
  expect_refused("inverse panda --wrench hand:1,2,3,4,5,6@hand", "@link or @world");
  expect_refused("inverse panda --lock joint1=a", "'a'");
  expect_refused("inverse panda --lock =1", "needs the name of a joint");
  expect_refused("inverse panda --lock joint1 --lock joint1", "locked twice");
  expect_refused("inverse panda --json --csv", "exclude each other");
  expect_refused("inverse panda --json --json", "given twice");
  expect_refused("inverse panda --json=1", "takes no value");
  expect_refused("inverse panda --q 0,0,0,0,0,0,0 --states x.csv", "exclude each other");
  expect_refused("jacobian panda", "needs --link NAME");
  expect_refused("forward panda --method fast", "takes auto, mass or articulated, not 'fast'");
  expect_refused("gravity panda --wrench hand:1,2,3,4,5,6@link", "has no option '--wrench'");
}

TEST(Usage, EveryCommandHasAPage) {
  for (const std::string command :
       {"models",    "info",       "lint",   "inverse",  "forward",      "mass",   "bias",    "gravity", "coriolis", "energy",   "momentum", "pose", "jacobian",
        "regressor", "parameters", "excite", "identify", "formulations", "verify", "convert", "count",   "tables",   "schedule", "generate", "study"}) {
    SCOPED_TRACE(command);
    const Outcome page = ulna(command + " --help");
    EXPECT_EQ(page.status, 0);
    EXPECT_EQ(page.err, "");
    for (const char* part : {"NAME\n", "SYNOPSIS\n", "DESCRIPTION\n", "OPTIONS\n", "EXAMPLE\n    ulna ", "EXIT STATUS\n"})
      EXPECT_NE(page.out.find(part), std::string::npos) << part;
    EXPECT_EQ(ulna("help " + command).out, page.out);
  }
  EXPECT_EQ(ulna("--help").status, 0);
  EXPECT_EQ(ulna("").status, 2);
  EXPECT_EQ(ulna("--version").out.rfind("ulna 0.", 0), 0u);
}

// The example of a page is a command that works.
TEST(Usage, ExamplesOnThePagesRun) {
  for (const std::string command : {"models", "info",     "inverse",   "forward",    "mass",         "bias",   "gravity", "coriolis", "energy", "momentum",
                                    "pose",   "jacobian", "regressor", "parameters", "formulations", "verify", "convert", "count",    "tables", "schedule"}) {
    const std::string page = ulna(command + " --help").out;
    const std::size_t start = page.find("EXAMPLE\n    ulna ") + std::string("EXAMPLE\n    ulna ").size();
    std::string example = page.substr(start, page.find('\n', start) - start);
    example = example.substr(0, example.find(" >"));
    SCOPED_TRACE(example);
    EXPECT_EQ(ulna(example).status, 0);
  }
}

}  // namespace
