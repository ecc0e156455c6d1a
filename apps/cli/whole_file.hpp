// Files that options name: there whole or not at all.
#pragma once

#include <deque>
#include <filesystem>

#include "arguments.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

/// What commands that write files take: --force replaces files.
inline Option force_option() { return {"--force", "", "replace existing files"}; }

/// Throws UsageError that names the option.
struct WholeFile : internal::WholeFile {
  WholeFile(std::string_view option, const std::string& path, bool force)
      : internal::WholeFile(path, force, [option = std::string(option), path](const std::string& why) {
          throw UsageError(cat("option ", option, ": cannot write ", in_quotes(path), ": ", why));
        }) {}
};

/// The file that an option names, if it is given.
inline std::optional<WholeFile> file_of(const Arguments& arguments, std::string_view option) {
  if (const auto path = arguments.value(option)) return std::optional<WholeFile>(std::in_place, option, *path, arguments.has("--force"));
  return {};
}

/// Files of a folder that an option names, which is made: all of them, or none.
class WholeFolder {
 public:
  WholeFolder(std::string_view option, std::string path, bool force) : option_(option), path_(std::move(path)), force_(force) { make(path_); }
  ~WholeFolder() {
    files_.clear();
    std::error_code not_empty;
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) std::filesystem::remove(*folder, not_empty);
  }
  WholeFolder(const WholeFolder&) = delete;
  WholeFolder& operator=(const WholeFolder&) = delete;

  /// `name` may have folders of its own before it.
  WholeFile& file(const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(path_) / name;
    make(path.parent_path());
    return files_.emplace_back(option_, path.string(), force_);
  }
  void keep() {
    for (WholeFile& file : files_) file.written();  // on the disk, each of them, before one has its place
    for (WholeFile& file : files_) file.keep();
  }

 private:
  void make(const std::filesystem::path& folder) {
    std::error_code error;
    if (folder.empty() || std::filesystem::exists(folder, error)) return;
    make(folder.parent_path());
    if (std::filesystem::create_directory(folder, error)) made_.push_back(folder);
    if (error) throw UsageError(cat("option ", option_, ": cannot make the folder ", in_quotes(folder.string()), ": ", error.message()));
  }
  std::string option_, path_;
  std::vector<std::filesystem::path> made_{};  // which go again where nothing was put into them
  bool force_;
  std::deque<WholeFile> files_;
};

}  // namespace ulna::cli
