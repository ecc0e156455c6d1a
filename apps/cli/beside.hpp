// Programs next to ulna that get a robot in files: other libraries, to compare with and to time.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>

namespace ulna::cli {

/// A folder of our own that vanishes with the object.
class PrivateFolder {
 public:
  PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  std::string path() const { return path_.string(); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_file(const std::string& path, const std::string& text);

/// In the folder of the running ulna, as in a build tree, or where the installation puts it.
std::optional<std::string> program_beside(const std::string& name);

/// What became of a program: its wait status, or nothing when it took too long; and what it printed.
struct ProgramRun {
  std::optional<int> status;
  std::string out, err;
};
/// Waits for its end, as long as `limit`. Standard input is empty; `folder` holds what it prints. Throws std::runtime_error when it cannot be started.
ProgramRun run_program(const std::vector<std::string>& words, const PrivateFolder& folder, std::chrono::seconds limit);
std::string first_line(const std::string& text);

/// The same robot with bare joints. Nothing else changes, so the joints keep their order.
Model without_rotors(const Model& model);

}  // namespace ulna::cli
