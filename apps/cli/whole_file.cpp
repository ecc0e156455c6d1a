#include "whole_file.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

namespace {

constexpr const char* kThere = "it is there already; --force replaces it";

}  // namespace

Option force_option() { return {"--force", "", "replace files that are there already"}; }

WholeFile::WholeFile(std::string_view option, const std::string& path, bool force) : option_(option), path_(path), force_(force) {
  struct stat there {};
  const bool exists = lstat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse("it is a folder");
  if (exists && !force_) refuse(kThere);
  beside_ = path_ + ".XXXXXX";
  const int number = mkstemp(beside_.data());  // a name that nobody has, readable by nobody else
  if (number < 0) refuse(std::strerror(errno));
  file_ = fdopen(number, "wb");
}

WholeFile::~WholeFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(beside_.c_str());
}

const std::string& WholeFile::written() {
  if (std::fflush(file_) != 0) refuse(std::strerror(errno));
  return beside_;
}

void WholeFile::keep() {
  const mode_t mask = umask(0);  // the only way to ask for it
  umask(mask);
  errno = 0;
  const bool written = std::ferror(file_) == 0 && std::fflush(file_) == 0 && fchmod(fileno(file_), 0666 & ~mask) == 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  // link() fails where a file has come there meanwhile; rename() would replace it. File systems without links are left with a look before.
  bool placed = written && closed;
  std::string why = errno == 0 ? "not all of it could be written" : std::strerror(errno);
  if (placed && force_) {
    placed = std::rename(beside_.c_str(), path_.c_str()) == 0;
    why = std::strerror(errno);
  } else if (placed) {
    placed = link(beside_.c_str(), path_.c_str()) == 0;
    why = errno == EEXIST ? kThere : std::strerror(errno);
    if (!placed && errno != EEXIST && access(path_.c_str(), F_OK) != 0) placed = std::rename(beside_.c_str(), path_.c_str()) == 0;
  }
  std::remove(beside_.c_str());
  if (!placed) refuse(why);
}

void WholeFile::refuse(const std::string& why) const { throw UsageError(cat("option ", option_, ": cannot write ", in_quotes(path_), ": ", why)); }

}  // namespace ulna::cli
