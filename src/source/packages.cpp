#include "source/packages.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pugixml.hpp>
#include <system_error>

#include "text/words.hpp"

namespace ulna::internal {

namespace {

namespace fs = std::filesystem;

/// The name that a package.xml states; empty where it states none.
std::string package_name(const fs::path& file) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  std::error_code failed;
  if (!fs::is_regular_file(file, failed) || fs::file_size(file, failed) > kLargest || failed) return {};
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return {};
  return std::string(trimmed(document.child("package").child_value("name")));
}

std::vector<std::string> folders_of(const char* variable) {
  std::vector<std::string> out;
  const char* value = std::getenv(variable);
  for (std::string_view rest = value == nullptr ? "" : value; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::string absolute_path(const fs::path& path) {
  std::error_code failed;
  const fs::path out = fs::absolute(path, failed);
  return (failed ? path : out).lexically_normal().string();
}

}  // namespace

void Packages::search(const std::string& folder, int depth) {
  constexpr int kDeepest = 6;
  constexpr std::size_t kMostFolders = 20'000;
  if (++folders_ > kMostFolders) return;
  const fs::path manifest = fs::path(folder) / "package.xml";
  if (const std::string name = package_name(manifest); !name.empty()) {
    const std::string path = absolute_path(folder);
    const auto [found, is_new] = found_.try_emplace(name, Found{path, stage_});
    if (!is_new && found->second.stage == stage_ && common(path) > common(found->second.folder)) found->second.folder = path;
    return;  // packages hold no packages
  }
  if (depth == kDeepest) return;
  std::error_code failed;
  std::vector<fs::path> inside;
  for (auto entry = fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    std::error_code unknown;
    if (entry->is_directory(unknown) && entry->path().filename().string().front() != '.' && inside.size() < kMostFolders) inside.push_back(entry->path());
  }
  std::sort(inside.begin(), inside.end());  // the same package on every machine
  for (const fs::path& path : inside) search(path.string(), depth + 1);
}

void Packages::search_environment() {
  for (const std::string& folder : folders_of("ROS_PACKAGE_PATH")) search(folder, 0);
  for (const std::string& prefix : folders_of("AMENT_PREFIX_PATH")) search(prefix + "/share", 4);
}

std::size_t Packages::common(const std::string& path) const {
  return static_cast<std::size_t>(std::mismatch(path.begin(), path.end(), file_.begin(), file_.end()).first - path.begin());
}

void Packages::find_own() {
  for (fs::path folder = fs::path(file_).parent_path(); folder.has_relative_path() && own_.empty(); folder = folder.parent_path())
    if (const std::string name = package_name(folder / "package.xml"); !name.empty()) {
      own_ = folder.string();
      found_.try_emplace(name, Found{own_, stage_});
    }
}

Packages::Packages(const LoadOptions& options, const std::string& file) : options_(options), file_(file.empty() ? file : absolute_path(file)) {}

std::optional<std::string> Packages::find(const std::string& name) {
  for (const auto& [known, folder] : options_.packages)
    if (known == name) return absolute_path(folder);
  while (true) {
    if (const auto found = found_.find(name); found != found_.end()) return found->second.folder;
    if (stage_ == 5) return {};
    ++stage_;
    const fs::path beside = fs::path(own_).parent_path();
    if (stage_ == 1) find_own();
    if (stage_ == 2)
      for (const std::string& folder : options_.package_paths) search(folder, 0);
    if (stage_ == 3) search_environment();
    if (stage_ == 4 && !own_.empty()) search(beside.string(), 5);
    if (stage_ == 5 && !own_.empty() && beside.has_relative_path()) search(beside.parent_path().string(), 3);
  }
}

std::vector<std::string> Packages::names() const {
  std::vector<std::string> out;
  for (const auto& [name, unused] : options_.packages) out.push_back(name);
  for (const auto& [name, unused] : found_) out.push_back(name);
  return out;
}

}  // namespace ulna::internal
