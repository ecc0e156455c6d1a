#include "text/whole_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <stdexcept>

namespace ulna::internal {

namespace {

constexpr const char* kThere = "it exists; --force replaces it";
constexpr const char* kLost = "not all of it could be written";
constexpr const char* kEnding = ".tmp";  // campaigns remove files of this name that a killed program left

/// Permissions of new files. The umask can only be read by setting it, so no other thread of ours may do so meanwhile.
mode_t new_file_mode() {
  static std::mutex asking;
  const std::lock_guard lock(asking);
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// So that the new name, too, survives a power failure. Folders that cannot be opened are skipped.
void sync_folder(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int folder = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

}  // namespace

WholeFile::WholeFile(std::string path, bool replace, Refuse refused) : path_(std::move(path)), replace_(replace), refuse_(std::move(refused)) {
  struct stat there {};
  const bool exists = lstat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse("it is a folder");
  if (exists && !replace_) refuse(kThere);
  temporary_ = path_ + ".XXXXXX" + kEnding;
  const int number = mkstemps(temporary_.data(), static_cast<int>(std::strlen(kEnding)));  // a name that nobody has, readable by nobody else
  if (number < 0) refuse(std::strerror(errno));
  file_ = fdopen(number, "wb");
}

WholeFile::~WholeFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void WholeFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) refuse(std::strerror(errno));
}

const std::string& WholeFile::written() {
  errno = 0;
  if (std::ferror(file_) != 0 || std::fflush(file_) != 0 || (fsync(fileno(file_)) != 0 && errno != EINVAL)) refuse(errno == 0 ? kLost : std::strerror(errno));
  return temporary_;
}

void WholeFile::keep() {
  errno = 0;
  const bool written =
      std::ferror(file_) == 0 && std::fflush(file_) == 0 && fchmod(fileno(file_), new_file_mode()) == 0 && (fsync(fileno(file_)) == 0 || errno == EINVAL);
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  // link() fails where a file has come there meanwhile; rename() would replace it. File systems without links get a check before.
  bool placed = written && closed;
  std::string why = errno == 0 ? kLost : std::strerror(errno);
  if (placed && replace_) {
    placed = std::rename(temporary_.c_str(), path_.c_str()) == 0;
    why = std::strerror(errno);
  } else if (placed) {
    placed = link(temporary_.c_str(), path_.c_str()) == 0;
    why = errno == EEXIST ? kThere : std::strerror(errno);
    if (!placed && errno != EEXIST && access(path_.c_str(), F_OK) != 0) placed = std::rename(temporary_.c_str(), path_.c_str()) == 0;
  }
  std::remove(temporary_.c_str());
  if (!placed) refuse(why);
  sync_folder(path_);
}

void WholeFile::refuse(const std::string& why) const {
  refuse_(why);
  throw std::runtime_error(why);  // keep() was not called
}

}  // namespace ulna::internal
