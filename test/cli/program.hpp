// Runs the installed program as a user would.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

struct Outcome {
  int status;       // exit status; -1 when it was killed by a signal
  std::string out;  // standard output
  std::string err;  // standard error
};

/// `arguments` is a piece of shell: quote what needs it.
Outcome ulna(const std::string& arguments, const std::string& input = "");
/// The same with --json; fails the test when the program does.
nlohmann::json ulna_json(const std::string& arguments);

/// A wrong call: status 2, nothing on standard output, and `piece` in the message.
void expect_refused(const std::string& arguments, const std::string& piece);

/// The most memory one run held at a time, its output thrown away.
long ulna_peak_kilobytes(const std::string& arguments);

/// A script in which $ULNA is the program.
Outcome shell(const std::string& script);

std::string text_of(const std::string& path);
bool has(const std::string& text, const std::string& piece);
/// The first `from`, which must be there.
std::string replaced(std::string text, const std::string& from, const std::string& to);
inline std::string in_quotes(const std::string& path) { return "'" + path + "'"; }

/// A URDF chain of equal links, for what grows with their number.
std::string chain_of(int joints);

/// A file that vanishes with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text);
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  std::string folder_;
  std::string path_;
};
