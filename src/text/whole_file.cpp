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

constexpr const char* kThere = "it is there already; --force replaces it";
constexpr const char* kLost = "not all of it could be written";
constexpr const char* kEnding = ".tmp";  // campaigns clear away what a killed program has left of this name

/// What new files may be read by. There is no way to ask but to set it, and no other thread of ours may ask meanwhile.
mode_t new_file_mode() {
  static std::mutex asking;
  const std::lock_guard lock(asking);
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// So that the new name, too, outlives a loss of power. Folders that cannot be opened are left as they are.
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
  beside_ = path_ + ".XXXXXX" + kEnding;
  const int number = mkstemps(beside_.data(), static_cast<int>(std::strlen(kEnding)));  // a name that nobody has, readable by nobody else
  if (number < 0) refuse(std::strerror(errno));
  file_ = fdopen(number, "wb");
}

WholeFile::~WholeFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(beside_.c_str());
}

void WholeFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) refuse(std::strerror(errno));
}

const std::string& WholeFile::written() {
  errno = 0;
  if (std::ferror(file_) != 0 || std::fflush(file_) != 0 || (fsync(fileno(file_)) != 0 && errno != EINVAL)) refuse(errno == 0 ? kLost : std::strerror(errno));
  return beside_;
}

void WholeFile::keep() {
  errno = 0;
  const bool written =
      std::ferror(file_) == 0 && std::fflush(file_) == 0 && fchmod(fileno(file_), new_file_mode()) == 0 && (fsync(fileno(file_)) == 0 || errno == EINVAL);
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  // link() fails where a file has come there meanwhile; rename() would replace it. File systems without links are left with a look before.
  bool placed = written && closed;
  std::string why = errno == 0 ? kLost : std::strerror(errno);
  if (placed && replace_) {
    placed = std::rename(beside_.c_str(), path_.c_str()) == 0;
    why = std::strerror(errno);
  } else if (placed) {
    placed = link(beside_.c_str(), path_.c_str()) == 0;
    why = errno == EEXIST ? kThere : std::strerror(errno);
    if (!placed && errno != EEXIST && access(path_.c_str(), F_OK) != 0) placed = std::rename(beside_.c_str(), path_.c_str()) == 0;
  }
  std::remove(beside_.c_str());
  if (!placed) refuse(why);
  sync_folder(path_);
}

void WholeFile::refuse(const std::string& why) const {
  refuse_(why);
  throw std::runtime_error(why);  // nobody was told
}

}  // namespace ulna::internal
