// States from the command line and from CSV files: what is read, what is refused, and that nothing is written before all of it is known to be good.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/program.hpp"

namespace {

void expect_file_refused(const std::string& csv, const std::string& piece) {
  SCOPED_TRACE(csv.substr(0, 200));
  const TemporaryFile file("states.csv", csv);
  const Outcome run = ulna("inverse planar-2r --csv --states '" + file.path() + "'");
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(piece), std::string::npos) << run.err;
}

TEST(States, ColumnsComeInAnyOrderAndAbsentOnesAreZero) {
  const TemporaryFile file("states.csv", "\xef\xbb\xbfv.elbow,t,\"q.shoulder\",a.shoulder\r\n0.5,0.00,0.1,0.2\r\n\r\n-1e-1,0.01, 3 ,0\r\n");
  const auto rows = ulna_json("inverse planar-2r --states '" + file.path() + "'");
  ASSERT_EQ(rows["tau"].size(), 2u);
  EXPECT_EQ(rows["tau"][0], ulna_json("inverse planar-2r --q 0.1,0 --v 0,0.5 --a 0.2,0")["tau"][0]);
  EXPECT_EQ(rows["tau"][1], ulna_json("inverse planar-2r --q 3,0 --v 0,-0.1")["tau"][0]);
}

// A joint's name may hold what CSV quotes: commas, and quotes, which are doubled.
TEST(States, NamesInQuotes) {
  const TemporaryFile model("odd.urdf", R"(<robot name="odd"><link name="a"/>
<link name="b"><inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="the &quot;first&quot;, so far" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>)");
  const TemporaryFile states("states.csv", "\"q.the \"\"first\"\", so far\"\n0.5\n");
  const std::string call = "gravity '" + model.path() + "' --csv --states '" + states.path() + "'";
  const Outcome run = ulna(call);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.substr(0, run.out.find('\n')), "\"gravity.the \"\"first\"\", so far\"");
  EXPECT_NEAR(std::stod(run.out.substr(run.out.find('\n') + 1)), -9.81 * std::cos(0.5), 1e-14);
}

TEST(States, StandardInputIsReadAndGivesTheSame) {
  const std::string csv = "q.shoulder,q.elbow\n0.1,0.2\n0.3,0.4\n";
  const TemporaryFile file("states.csv", csv);
  const Outcome from_file = ulna("gravity planar-2r --csv --states '" + file.path() + "'");
  const Outcome from_pipe = ulna("gravity planar-2r --csv --states -", csv);
  EXPECT_EQ(from_pipe.status, 0) << from_pipe.err;
  EXPECT_EQ(from_pipe.out, from_file.out);
  EXPECT_EQ(from_pipe.out.substr(0, from_pipe.out.find('\n')), "gravity.shoulder,gravity.elbow");
}

TEST(States, CsvAndJsonCarryTheSameNumbersToTheLastBit) {
  const std::string state = "--q 0.1,0.7 --v 1.1,-0.3 --a 0.123456789,2";
  const auto result = ulna_json("inverse planar-2r " + state)["tau"][0];
  const std::string csv = ulna("inverse planar-2r --csv " + state).out;
  const std::string row = csv.substr(csv.find('\n') + 1);
  EXPECT_EQ(std::stod(row), result[0].get<double>());
  EXPECT_EQ(std::stod(row.substr(row.find(',') + 1)), result[1].get<double>());
}

// The output of one command is the input of the next: headers fit.
TEST(States, InverseOfForwardThroughFiles) {
  const std::string states = "q.shoulder,q.elbow,v.shoulder,v.elbow,tau.shoulder,tau.elbow\n0.1,0.2,0.3,0.4,5,-6\n";
  const std::string a = ulna("forward planar-2r --csv --states -", states).out;
  const std::string all = "q.shoulder,q.elbow,v.shoulder,v.elbow," + a.substr(0, a.find('\n')) + "\n0.1,0.2,0.3,0.4," + a.substr(a.find('\n') + 1);
  const std::string tau = ulna("inverse planar-2r --csv --states -", all).out;
  EXPECT_EQ(tau.substr(0, tau.find('\n')), "tau.shoulder,tau.elbow");
  const std::string row = tau.substr(tau.find('\n') + 1);
  EXPECT_NEAR(std::stod(row), 5, 1e-13);
  EXPECT_NEAR(std::stod(row.substr(row.find(',') + 1)), -6, 1e-13);
}

TEST(States, AGapGivesGapsInItsWholeRow) {
  const auto result = ulna_json("gravity planar-2r --q 0.1,nan");
  EXPECT_EQ(result["gravity"][0], nlohmann::json::parse("[null, null]"));
  const Outcome csv = ulna("gravity planar-2r --csv --states -", "q.shoulder,q.elbow\n0,0\nnan,0\n0,0\n");
  EXPECT_EQ(csv.status, 0);
  std::vector<std::string> lines;
  std::istringstream in(csv.out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[2], "nan,nan");
  EXPECT_EQ(lines[1], lines[3]);
  EXPECT_EQ(lines[1].find("nan"), std::string::npos);
}

// C, Python and MATLAB do not agree on how NaN is written.
TEST(States, AGapMayBeWrittenAsOtherProgramsDo) {
  for (const std::string gap : {"NaN", "NAN", "+nan", "-nan", "\"NaN\"", " nan "}) {
    const Outcome file = ulna("gravity planar-2r --csv --states -", "q.shoulder,q.elbow\n0," + gap + "\n");
    EXPECT_EQ(file.status, 0) << gap << file.err;
    EXPECT_EQ(file.out, "gravity.shoulder,gravity.elbow\nnan,nan\n") << gap;
  }
  EXPECT_EQ(ulna("gravity planar-2r --csv --q 0,NaN").out, "gravity.shoulder,gravity.elbow\nnan,nan\n");
  expect_file_refused("q.shoulder\nnano\n", "'nano' is not a number");
  expect_file_refused("q.shoulder\n--nan\n", "'--nan' is not a number");
}

TEST(States, AnAngleThatIsTooLargeIsToldWhereItWasTyped) {
  const Outcome far = ulna("inverse panda --csv --q 0,1e7,0,0,0,0,0");
  EXPECT_EQ(far.status, 0);
  EXPECT_NE(far.err.find("ulna: note: the angle of joint 'joint2' is beyond 1.6471e+06 rad"), std::string::npos) << far.err;
  EXPECT_EQ(far.err.find("'joint1'"), std::string::npos) << far.err;
  for (const char* q : {"1.6e6,0,0,0,0,0,0", "nan,0,0,0,0,0,0"})
    EXPECT_EQ(ulna(std::string("inverse panda --csv --q ") + q).err.find("note"), std::string::npos) << q;
  EXPECT_EQ(ulna("inverse stanford --csv --q 0,1,1e7,0,0,0").err.find("note"), std::string::npos);  // metres
}

TEST(States, EmptyLinesBeforeTheHeaderAreSkippedAndCounted) {
  const std::string plain = ulna("inverse planar-2r --csv --states -", "q.shoulder,q.elbow\n1,2\n").out;
  for (const std::string& start : {std::string("\n"), std::string("\r\n \n"), std::string("\xef\xbb\xbf\n\n"), std::string(10000, '\n')}) {
    const Outcome run = ulna("inverse planar-2r --csv --states -", start + "q.shoulder,q.elbow\n1,2\n");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, plain);
  }
  expect_file_refused("\n\nq.shoulder\nx\n", ":4: error");
  expect_file_refused("\n\nq.shulder\n1\n", ":3: error");
  expect_file_refused("\n \r\n", "the file is empty");
}

// The first joint of the Panda is vertical: its angle enters no torque, and all are missing all the same. An angle beyond 1.6e6 rad is as bad as none.
TEST(States, AnAngleThatEntersNothingIsMissedEverywhere) {
  for (const std::string q : {"nan,0,0,0,0,0,0", "2e6,0,0,0,0,0,0", "0,0,0,0,0,0,-2e6"}) {
    SCOPED_TRACE(q);
    const std::pair<const char*, std::vector<const char*>> commands[] = {{"inverse", {"tau"}},
                                                                         {"forward", {"a"}},
                                                                         {"mass", {"M"}},
                                                                         {"bias", {"bias"}},
                                                                         {"gravity", {"gravity"}},
                                                                         {"coriolis", {"C"}},
                                                                         {"energy", {"kinetic", "potential"}},
                                                                         {"momentum", {"angular", "linear"}},
                                                                         {"pose", {"pose"}},
                                                                         {"jacobian", {"J"}}};
    for (const auto& [command, fields] : commands)
      for (const char* field : fields) {
        const auto result = ulna_json(std::string(command) + (std::string_view(command) == "jacobian" ? " panda --link link7 --q " : " panda --q ") + q);
        const std::string text = result[field].dump();
        EXPECT_EQ(text.find_first_of("0123456789"), std::string::npos) << command << " " << text;
        EXPECT_NE(text.find("null"), std::string::npos) << command;
      }
    const auto by_paper = ulna_json("inverse panda --formulation newton-euler --q " + q);
    EXPECT_EQ(by_paper["tau"].dump(), "[[null,null,null,null,null,null,null]]");
  }
  EXPECT_EQ(ulna_json("inverse panda --q 1,0,0,0,0,0,0 --v 0,0,0,0,0,0,nan")["tau"].dump(), "[[null,null,null,null,null,null,null]]");
  const Outcome mass = ulna("mass panda --csv --states -", "q.joint1,v.joint7\n1,nan\n");  // M takes q only
  EXPECT_EQ(mass.status, 0);
  EXPECT_EQ(mass.out.find("nan"), std::string::npos);
}

// What stands beside the quotes is a part of the cell: none of it may be dropped in silence.
TEST(States, ACellIsInQuotesAsAWholeOrIsNoNumber) {
  for (const char* cell : {"\"1\"9", "\"1\" 9", "\"1\"e5", "\"1\"\"2\"", "\"1\"nan", "\"1\"\"\"", "\"\"1", "\"1\"\"2", "\"1\"\""}) {
    expect_file_refused(std::string("q.shoulder,q.elbow\n0,0\n") + cell + ",2\n", ":3: error: ");
    expect_file_refused(std::string("q.elbow,q.shoulder\n0,0\n2,") + cell + "\r\n", ":3: error: ");
  }
  expect_file_refused("q.shoulder,q.elbow\n\"1\"9,2\n", ":2: error: column 'q.shoulder': '\"1\"9' is not a number");
  expect_file_refused("t,q.elbow\n\"1\"9,2\n", ":2: error: column 't': '\"1\"9' is not a number");
  const std::string plain = ulna("inverse planar-2r --csv --states -", "q.shoulder,q.elbow\n1,2\n").out;
  for (const char* row : {"\"1\",\"2\"\r", "\"1\" ,2", "\" 1 \"\t,\"2\" "})
    EXPECT_EQ(ulna("inverse planar-2r --csv --states -", std::string("q.shoulder,q.elbow\n") + row + "\n").out, plain) << row;
}

TEST(States, BadFilesAreRefusedWithLineAndColumn) {
  expect_file_refused("", "the file is empty");
  expect_file_refused(
      "q.shoulder,q.elbw\n1,2\n",
      ":1: error: column 'q.elbw': no coordinate of this robot has that name; headers are q.NAME, v.NAME, a.NAME, tau.NAME with the joints of 'ulna "
      "info'; did you mean 'q.elbow'?");
  expect_file_refused("q.shoulder,q.shoulder\n1,2\n", "stands twice");
  expect_file_refused("tau.shoulder\n1\n", "no column says anything this command uses");
  expect_file_refused("q.shoulder\n1\nabc\n", ":3: error: column 'q.shoulder': 'abc'");
  expect_file_refused("q.shoulder\n1\n\n\n5cm\n", ":5: error");
  expect_file_refused("q.shoulder;q.elbow\n1;2\n", "no coordinate");
  expect_file_refused("q.shoulder,q.elbow\n1,5,2,5\n", ":2: error: this row has 4 cells, but the header has 2");
  expect_file_refused("q.shoulder,q.elbow\n1\n", "this row has 1 cell, but");
  expect_file_refused("q.shoulder\ninf\n", "inf");
  expect_file_refused("q.shoulder\n1e999\n", "1e999");
  expect_file_refused("q.shoulder,q.elbow\n1,\n", "the cell is empty");
  expect_file_refused("q.shoulder\n\"1\n", "not closed");
  expect_file_refused("\"q.shoulder\n1\n", "not closed");
  expect_file_refused(std::string("q.shoulder\n1\0002\n", 15), ":2: error");
}

TEST(States, AllProblemsAreReportedUpToALimit) {
  const Outcome some = ulna("gravity planar-2r --states -", "q.shoulder\nx\n1\ny\n");
  EXPECT_NE(some.err.find("standard input:2: error"), std::string::npos) << some.err;
  EXPECT_NE(some.err.find("standard input:4: error"), std::string::npos) << some.err;
  std::string many = "q.shoulder\n";
  for (int i = 0; i < 1000; ++i) many += "x\n";
  const Outcome cut = ulna("gravity planar-2r --states -", many);
  EXPECT_LT(std::count(cut.err.begin(), cut.err.end(), '\n'), 30);
  EXPECT_NE(cut.err.find("more than 20 problems"), std::string::npos);
}

// A bad cell in the last of many rows: not one result may come out before it is found.
TEST(States, NothingIsWrittenBeforeTheLastRowIsKnownToBeGood) {
  std::string csv = "q.shoulder,q.elbow\n";
  for (int i = 0; i < 20000; ++i) csv += "0.5,0.25\n";
  for (const char* format : {"--csv", "--json", ""}) {
    const Outcome good = ulna(std::string("gravity planar-2r --states - ") + format, csv);
    EXPECT_EQ(good.status, 0);
    EXPECT_GT(good.out.size(), 100000u);
    const Outcome bad = ulna(std::string("gravity planar-2r --states - ") + format, csv + "0.5,oops\n");
    EXPECT_EQ(bad.status, 2);
    EXPECT_EQ(bad.out, "");
    EXPECT_NE(bad.err.find(":20002: error"), std::string::npos) << bad.err;
  }
}

// A file is read in pieces by several threads. Whatever line a piece begins or ends in, results, their order and the lines of messages are those of one file.
TEST(States, PiecesMakeOneFile) {
  std::string csv = "q.shoulder,t,q.elbow\n";
  std::vector<std::string> rows;
  for (int i = 0; i < 30000; ++i) {
    const std::string q = std::to_string(0.0001 * i) + std::string(i % 37, '0');  // lines of many lengths
    rows.push_back(i % 11 == 0 ? "\"" + q + "\",0, +0.5 \r" : i % 13 == 0 ? q + "e0,\"1\",5e-1" : q + ",0,0.5");
    csv += rows.back() + (i % 17 == 0 ? "\n\n" : "\n");
  }
  csv.pop_back();  // nor need the last line be ended
  const TemporaryFile file("states.csv", csv);
  for (const std::string compiled : {"on", "off"}) {
    const Outcome all = ulna("gravity planar-2r --csv --compiled " + compiled + " --states '" + file.path() + "'");
    ASSERT_EQ(all.status, 0) << all.err;
    std::string parts = "gravity.shoulder,gravity.elbow\n";
    for (std::size_t from = 0; from < rows.size(); from += 1000) {
      std::string some = "q.shoulder,t,q.elbow\n";
      for (std::size_t i = from; i < from + 1000; ++i) some += rows[i] + "\n";
      const std::string out = ulna("gravity planar-2r --csv --compiled " + compiled + " --states -", some).out;
      parts += out.substr(out.find('\n') + 1);
    }
    EXPECT_TRUE(all.out == parts);
  }
  const Outcome text = ulna("gravity planar-2r --states '" + file.path() + "'");
  EXPECT_NE(text.out.find("\nstate 30000\n"), std::string::npos);
  EXPECT_EQ(ulna_json("gravity planar-2r --states '" + file.path() + "'")["gravity"].size(), 30000u);

  std::size_t line = 1, at = 0;
  const std::size_t bad = csv.find("\n2.9");
  for (; at <= bad; ++at) line += csv[at] == '\n' ? 1u : 0u;
  const Outcome refused = ulna("gravity planar-2r --states -", csv.substr(0, at) + "x" + csv.substr(at));
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err.rfind("standard input:" + std::to_string(line) + ": error: column 'q.shoulder': 'x2.9", 0), 0u) << refused.err;
}

// A line that is longer than a piece is whole, and one that is longer than allowed is told with its number.
TEST(States, LinesLongerThanAPiece) {
  const std::string digits(300000, '0');
  const std::string csv = "q.shoulder,q.elbow\n0.5,0.25\n0.5" + digits + ",0.25\n0.5,0.25" + digits + "\n0.5,0.25\n";
  const TemporaryFile file("states.csv", csv);
  const auto rows = ulna_json("gravity planar-2r --states '" + file.path() + "'")["gravity"];
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) EXPECT_EQ(row, rows[0]);
  expect_refused("gravity planar-2r --limit line-bytes=200000 --states '" + file.path() + "'", ":3: error: this line is longer than 200000 bytes");
}

TEST(States, MissingFileAndFolder) {
  const Outcome missing = ulna("gravity planar-2r --states /nowhere/states.csv");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("/nowhere/states.csv: error: No such file"), std::string::npos) << missing.err;
  EXPECT_NE(ulna("gravity planar-2r --states .").err.find("directory"), std::string::npos);
}

TEST(States, MemoryDoesNotGrowWithTheirNumber) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps what was freed";
#endif
  const auto rows = [](int count) {
    std::string csv = "q.shoulder,q.elbow,v.shoulder,v.elbow,a.shoulder,a.elbow\n";
    for (int i = 0; i < count; ++i) csv += "0.123456789,0.987654321,1.23456789,-1.98765432,0.5,0.25\n";
    return csv;
  };
  // The smaller file, too, has a piece for every thread.
  const TemporaryFile few("few.csv", rows(40000)), many("many.csv", rows(400000));
  for (const std::string format : {"--csv", "--json"}) {
    const std::string call = "inverse planar-2r " + format + " --states ";
    // The text of the larger file has 22 MB, its numbers 19 MB, its results 6 MB: holding any of them would show.
    EXPECT_LT(ulna_peak_kilobytes(call + "'" + many.path() + "'"), ulna_peak_kilobytes(call + "'" + few.path() + "'") + 2000);
  }
}

}  // namespace
