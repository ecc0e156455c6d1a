#include "whole_file.hpp"

#include "arguments.hpp"
#include "model/text.hpp"

namespace ulna::cli {

WholeFile::WholeFile(std::string_view option, const std::string& path)
    : option_(option), path_(path), beside_(path + ".part"), file_(std::fopen(beside_.c_str(), "wb")) {
  if (file_ == nullptr) refuse();
}

WholeFile::~WholeFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(beside_.c_str());
}

void WholeFile::keep() {
  const bool written = std::ferror(file_) == 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (written && closed && std::rename(beside_.c_str(), path_.c_str()) == 0) return;
  std::remove(beside_.c_str());
  refuse();
}

void WholeFile::refuse() const { throw UsageError(cat("option ", option_, ": cannot write ", in_quotes(path_))); }

}  // namespace ulna::cli
