#include "beside.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

namespace fs = std::filesystem;

PrivateFolder::PrivateFolder() {
  std::error_code missing;
  const fs::path parent = fs::temp_directory_path(missing);
  if (missing) throw std::runtime_error("there is no folder for temporary files; set TMPDIR (ulna verify --peers off needs none)");
  std::string pattern = (parent / "ulna-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error(cat("cannot make the folder ", in_quotes(pattern), ": ", std::strerror(errno)));
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(cat("cannot write ", in_quotes(path)));
}

std::optional<std::string> program_beside(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const fs::path& folder : {self.parent_path(), self.parent_path() / "../libexec/ulna"}) {
    const std::string path = (folder / name).string();
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

Model without_rotors(const Model& model) {
  Description d{model.name(), model.file(), model.base(), model.gravity(), model.links(), {}};
  const auto link_name = [&](std::size_t link) { return model.links()[link].name; };
  for (const Joint& joint : model.joints()) {
    Description::JointEntry entry{joint, link_name(joint.parent), link_name(joint.child), {}};
    entry.joint.rotor = 0;
    entry.joint.gear = 1;
    if (joint.mimic) entry.leader = model.joints()[joint.mimic->leader].name;
    d.joints.push_back(std::move(entry));
  }
  Diagnostics ignored;
  return *build(d, ignored);
}

}  // namespace ulna::cli
