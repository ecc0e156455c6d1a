#include "source/mjcf_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

MjcfFiles::MjcfFiles(std::string_view text, const std::string& file, const ReadLimits& limits, ReadIncluded read_included)
    : limits_(limits), read_included_(std::move(read_included)), bytes_(text.size()) {
  names_.insert(std::filesystem::path(file).lexically_normal().string());
  files_.emplace_back(text, file, 0, limits);
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

MjcfFile* MjcfFiles::include(const MjcfNode& node) {
  const XmlElement element = node.element("<include>");
  const std::optional<std::string> file = element.require_name("file");
  if (!file) return nullptr;
  if (!read_included_) {
    element.error(cat("the model is a text without a folder, so the file ", in_quotes(*file), " cannot be found"), "load the model from its file");
    return nullptr;
  }
  // By the folder of the main file, as MuJoCo has it; else by that of the file that includes.
  const auto beside = [&](const MjcfFile& other) { return (std::filesystem::path(other.diagnostics.file()).parent_path() / *file).lexically_normal(); };
  std::error_code ignored;
  const std::filesystem::path first = beside(files_.front()), second = beside(*node.file);
  const std::string path = (std::filesystem::exists(first, ignored) || !std::filesystem::exists(second, ignored) ? first : second).string();
  if (!names_.insert(path).second) {
    element.error_at("file", cat("the file ", in_quotes(*file), " is included already"), "include every file once, as MuJoCo asks");
    return nullptr;
  }
  Diagnostics problems(path);
  const std::optional<std::string> text = read_included_(path, problems);
  if (!text) {
    for (const Diagnostic& d : problems.all()) element.error_at("file", cat("the included file ", in_quotes(path), ": ", d.problem), d.cure);
    return nullptr;
  }
  bytes_ += text->size();
  if (bytes_ > limits_.file_bytes) {
    element.error_at("file", cat("with this file the model has ", bytes_, " bytes, more than ", limits_.file_bytes), how_to_raise(&ReadLimits::file_bytes));
    return nullptr;
  }
  files_.emplace_back(*text, path, node.main_line(), limits_);
  return &files_.back();
}

std::vector<MjcfNode> MjcfFiles::children(const MjcfNode& parent) {
  std::vector<MjcfNode> out;
  std::vector<MjcfNode> open;  // elements still to be looked at, the next one last
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
    } else if (MjcfFile* file = include(next)) {
      push(file->xml.root(), file);
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
