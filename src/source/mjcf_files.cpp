#include "source/mjcf_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "text/message.hpp"

namespace ulna::internal {

MjcfFiles::MjcfFiles(std::string_view text, const std::string& file, const ReadLimits& limits, ReadIncluded read_included, int in_line)
    : limits_(limits), read_included_(std::move(read_included)), bytes_(text.size()) {
  names_.insert(std::filesystem::path(file).lexically_normal().string());
  files_.emplace_back(text, file, in_line, limits);
}

MjcfNode MjcfFiles::root() {
  MjcfFile& main = files_.front();
  const pugi::xml_node node = main.xml.root();
  if (node && std::string_view(node.name()) == kMjcf.part) {
    main.diagnostics.error(main.xml.line(node), tag_text(node.name()), "this file is a part of a MuJoCo model, which another file includes",
                           "give the file that includes it, whose root element is <mujoco>");
    return {};
  }
  return {node, &main};
}

std::string MjcfFiles::path_of(const MjcfNode& node, const std::string& file) const {
  const auto beside = [&](const MjcfFile& other) { return (std::filesystem::path(other.diagnostics.file()).parent_path() / file).lexically_normal(); };
  std::error_code ignored;
  const std::filesystem::path first = beside(files_.front()), second = beside(*node.file);
  return (std::filesystem::exists(first, ignored) || !std::filesystem::exists(second, ignored) ? first : second).string();
}

std::optional<MjcfFiles::Named> MjcfFiles::read(const MjcfNode& node, const std::string& file, std::string& problem, std::string& cure) {
  if (!read_included_) {
    problem = cat("the model is a text without a folder, so the file ", in_quotes(file), " cannot be found"), cure = "load the model from its file";
    return {};
  }
  const std::string path = path_of(node, file);
  Diagnostics problems(path);
  std::optional<std::string> bytes = read_included_(path, problems);
  for (const Diagnostic& d : problems.all()) problem = cat("the file ", in_quotes(path), ": ", d.problem), cure = d.cure;
  if (!bytes) return {};
  return Named{path, *std::move(bytes)};
}

MjcfFile* MjcfFiles::include(const MjcfNode& node) {
  const XmlElement element = node.element("<include>");
  const std::optional<std::string> file = element.require_name("file");
  if (!file) return nullptr;
  if (!names_.insert(path_of(node, *file)).second) {
    element.error_at("file", cat("the file ", in_quotes(*file), " is included already"), "include every file once, as MuJoCo asks");
    return nullptr;
  }
  std::string problem, cure;
  const std::optional<Named> read_file = read(node, *file, problem, cure);
  if (!read_file) {
    element.error_at("file", problem, cure);
    return nullptr;
  }
  bytes_ += read_file->bytes.size();
  if (bytes_ > limits_.file_bytes) {
    element.error_at("file", cat("with this file the model has ", bytes_, " bytes, more than ", limits_.file_bytes), how_to_raise(&ReadLimits::file_bytes));
    return nullptr;
  }
  files_.emplace_back(read_file->bytes, read_file->path, node.main_line(), limits_);
  return &files_.back();
}

std::vector<MjcfNode> MjcfFiles::children(const MjcfNode& parent) {
  std::vector<MjcfNode> out;
  std::vector<MjcfNode> open;  // elements still to be visited, the next one last
  const auto push = [&](const pugi::xml_node& of, MjcfFile* file) {
    const std::size_t begin = open.size();
    for (const pugi::xml_node& node : of.children())
      if (node.type() == pugi::node_element) open.push_back({node, file});
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(begin), open.end());
  };
  push(parent.node, parent.file);
  while (!open.empty()) {
    const MjcfNode next = open.back();
    open.pop_back();
    if (next.name() != "include") {
      out.push_back(next);
    } else if (stop(next)) {
      break;
    } else {
      const auto [known, is_new] = included_.try_emplace(next.node.internal_object());
      if (is_new) known->second = include(next);
      if (MjcfFile* file = known->second) push(file->xml.root(), file);
    }
  }
  return out;
}

bool MjcfFiles::stop(const MjcfNode& at) { return too_many_problems(at.line(), at.file->diagnostics); }

void MjcfFiles::report(Diagnostics& diagnostics) {
  for (MjcfFile& file : files_) {
    file.context.unused.report(file.diagnostics);
    diagnostics.append(file.diagnostics);
  }
}

}  // namespace ulna::internal
