// Everything about one robot in one folder: a page to read, and the data behind it.
//
//   const ulna::Model model = ulna::load("my_arm.urdf");
//   ulna::write_study(ulna::study(model), "my_arm-study");        // open my_arm-study/index.html
//
// What needs other programs (libraries to compare with and to time) comes in through functions, so that this library starts none but the C compiler.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/analysis.hpp>
#include <ulna/spatial/spatial.hpp>
#include <ulna/verify/verify.hpp>

namespace ulna ULNA_API {

/// The time of one state by one way through one library.
struct StudyTiming {
  std::string library, path;
  std::string task;  // "inverse", "mass" or "forward"
  std::string mode;  // "one": one call; "batch": many states in one call
  std::string real;  // "double" or "float"
  std::size_t threads = 1;
  double ns = 0;
};

struct StudyTimings {  // Times, and what was not timed.
  std::vector<StudyTiming> rows{};
  std::vector<std::string> notes{};  // what was left out, and why
  std::string machine{};
};

/// One step of a study.
struct StudyStep {
  std::string name;    // "verify"
  std::string result;  // in a few words
  double seconds = 0;
  bool good = true;  // false: something that should hold does not
};

/// The caller cancelled the study.
struct StudyInterrupted : std::runtime_error {
  StudyInterrupted() : std::runtime_error("interrupted; nothing was written") {}
};

struct StudyOptions {                            // What a study does.
  std::string source{};                          // what the model was loaded from, for the page; empty: its file
  std::vector<Diagnostic> diagnostics{};         // of loading, with advice (LoadOptions::advise); empty: the model is checked anew
  std::size_t samples = 0;                       // states of the certificate; 0: by the size of the robot
  std::uint64_t seed = 1;                        // Of the random states.
  double snap = kSnap;                           // Angles this near to a quarter turn are exact [rad].
  bool self_test = true;                         // compile the generated C, where there is a compiler, and let it test itself
  bool timing = true;                            // Whether times are taken.
  std::function<void(const StudyStep&)> done{};  // called after each step, on the calling thread
  std::function<bool()> go_on{};                 // called on the calling thread, regularly; false ends the study by StudyInterrupted
  std::function<std::vector<PeerCheck>(const Model&, const VerifyOptions&)> ask_peers{};  // Other libraries to compare with.
  std::function<StudyTimings(const Model&)> time_peers{};  // in place of the study's own short timing; nothing in it: that one all the same
};

struct StudyFile {   // A file of a study.
  std::string name;  // may have a folder: "c/panda.c"
  std::string text;
};

struct Study {  // A study, ready to be written.
  std::string robot;
  std::vector<StudyStep> steps;
  std::vector<StudyFile> files;  // index.html is the first
  bool good = true;              // every step was
};

/// Seconds for an arm. Robots of many joints are studied in less detail, as the page states. Throws StudyInterrupted.
Study study(const Analysis& robot, const StudyOptions& options = {});

/// Writes to a temporary folder, then renames it: the result is whole or absent. Throws std::runtime_error when it exists and is not empty; with `replace` a
/// folder that holds a study is replaced, and nothing else ever is.
void write_study(const Study& study, const std::string& folder, bool replace = false);

/// Empty when write_study() would accept the folder; else why not. To be called before the study.
std::string why_not_written(const std::string& folder, bool replace);

}  // namespace ULNA_API
