#include "emit/probe.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "text/message.hpp"

namespace ulna::internal {

namespace fs = std::filesystem;

std::string why_no_folder(const std::string& folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  while (there.has_relative_path() && !fs::exists(there, error)) there = there.parent_path();
  if (!fs::is_directory(there, error)) return cat("cannot make a folder there: ", in_quotes(there.string()), " is not a folder");
  std::string probe = (there / ".ulna-XXXXXX").string();
  if (mkdtemp(probe.data()) == nullptr) return cat("cannot write in folder ", in_quotes(there.string()), ": ", std::strerror(errno), "; name another one");
  rmdir(probe.c_str());
  return {};
}

}  // namespace ulna::internal
