#include <unistd.h>

#include <filesystem>

#include <ulna/study/study.hpp>

#include "emit/probe.hpp"
#include "text/message.hpp"
#include "text/whole_file.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace fs = std::filesystem;

namespace {

bool holds_a_study(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "index.html", error) && fs::is_regular_file(folder / "report.json", error) &&
         fs::is_regular_file(folder / "certificate.json", error);
}

/// "study/" and "study" are one folder, and its neighbour must not be inside it.
fs::path plain(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path;
}

/// Removed with the object, unless it was renamed.
class Beside {
 public:
  explicit Beside(fs::path path) : path_(std::move(path)) {}
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  ~Beside() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

}  // namespace

std::string why_not_written(const std::string& folder, bool replace) {
  const fs::path path = plain(folder);
  std::error_code error;
  if (folder.empty() || path.empty() || path == "." || path == ".." || path == path.root_path()) return cat("cannot make a folder named ", in_quotes(folder));
  const fs::file_status status = fs::symlink_status(path, error);
  // It is written under a temporary name and then renamed.
  if (std::string reason = why_no_folder(fs::absolute(path, error).parent_path().string()); !reason.empty()) return reason;
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return cat(in_quotes(folder), " is there and is no folder");
  if (fs::is_empty(path, error)) return {};
  if (!replace) return cat("folder ", in_quotes(folder), " exists and is not empty; --force replaces a study");
  if (!holds_a_study(path))
    return cat("folder ", in_quotes(folder), " holds something else than a study, which is not replaced; name another folder, or remove it yourself");
  return {};
}

void write_study(const Study& study, const std::string& folder, bool replace) {
  if (const std::string reason = why_not_written(folder, replace); !reason.empty()) throw std::runtime_error(reason);
  const fs::path path = plain(folder);
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(cat("cannot write folder ", in_quotes(folder), ": ", why)); };
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) refuse(error.message());
  Beside fresh(path.string() + cat(".part-", getpid()));
  fs::remove_all(fresh.path(), error);
  fs::create_directory(fresh.path(), error);
  if (error) refuse(error.message());
  for (const StudyFile& file : study.files) {
    const fs::path to = fresh.path() / file.name;
    fs::create_directories(to.parent_path(), error);
    WholeFile out(to.string(), true, [&](const std::string& why) { refuse(cat(file.name, ": ", why)); });
    out.write(file.text);
    out.keep();
  }
  // The existing folder is moved aside first and restored when the rename fails.
  Beside before(path.string() + cat(".old-", getpid()));
  const bool was = fs::exists(path, error);
  if (was) {
    fs::rename(path, before.path(), error);
    if (error) {
      before.keep();
      refuse(error.message());
    }
  }
  fs::rename(fresh.path(), path, error);
  if (error) {
    const std::string why = error.message();
    if (was) fs::rename(before.path(), path, error);
    before.keep();
    refuse(why);
  }
  fresh.keep();
}

}  // namespace ULNA_API
