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
  Packages(const LoadOptions& options, const std::string& file);

  /// The folder of a package, absolute; nothing where it is not found. First what the options name, then the package in which the file stands, those that the
  /// options have searched for, the environment's, and those around that of the file. Of several of one name the nearest to the file counts.
  std::optional<std::string> find(const std::string& name);
  /// Names that were found by search, for "did you mean".
  std::vector<std::string> names() const;

 private:
  void search(const std::string& folder, int depth);
  void search_environment();
  void find_own();
  std::size_t common(const std::string& path) const;  // how much of a path is that of the file, too

  const LoadOptions& options_;
  struct Found {
    std::string folder;
    int stage;  // in which it was found
  };
  std::string file_, own_;  // the file, and the package in which it stands
  std::map<std::string, Found> found_;
  int stage_ = 0;            // how much was searched
  std::size_t folders_ = 0;  // that were gone through
};

}  // namespace ulna::internal
