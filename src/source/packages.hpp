// Where ROS packages are, for $(find NAME) of xacro files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ulna/source/load.hpp>

namespace ulna::internal {

class Packages {
 public:
  /// `file`: of the robot; the package in which it stands is known, too. Empty: files are not searched for.
  Packages(const LoadOptions& options, std::string file) : options_(options), file_(std::move(file)) {}

  /// The folder of a package, absolute; nothing where it is not found. First the options', by name and by search, then the environment's, then that of the file
  /// and those beside it.
  std::optional<std::string> find(const std::string& name);
  /// Names that were found by search, for "did you mean".
  std::vector<std::string> names() const;

 private:
  void search(const std::string& folder, int depth);
  void search_environment();
  void search_around_file();

  const LoadOptions& options_;
  std::string file_;
  std::map<std::string, std::string> found_;
  int stage_ = 0;            // how much was searched
  std::size_t folders_ = 0;  // that were gone through
};

}  // namespace ulna::internal
