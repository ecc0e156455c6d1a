// A study made in memory, and its page as a tree of elements.
#pragma once

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

#include <ulna/source/load.hpp>
#include <ulna/study/study.hpp>

namespace study_test {

/// Without a compiler and a clock, which take most of the time.
inline ulna::StudyOptions quick() {
  ulna::StudyOptions options;
  options.samples = 5;
  options.self_test = false;
  options.timing = false;
  return options;
}

struct Studied {
  explicit Studied(const ulna::Model& model, const ulna::StudyOptions& options = quick()) : study(ulna::study(model, options)) {
    report = nlohmann::json::parse(file("report.json"));
    // Between the tags of a script anything may stand; the rest is XML, too.
    page = file("index.html");
    for (std::size_t from = page.find("<script"); from != std::string::npos; from = page.find("<script", from + 1)) {
      const std::size_t begin = page.find('>', from) + 1, end = page.find("</script>", begin);
      scripts.push_back(page.substr(begin, end - begin));
      page.erase(begin, end - begin);
    }
    const pugi::xml_parse_result result = tree.load_string(page.c_str());
    well_formed = result ? "" : std::string(result.description()) + " at: " + page.substr(result.offset, 200);
    walk(tree);
  }

  const std::string& file(const std::string& name) const {
    for (const ulna::StudyFile& f : study.files)
      if (f.name == name) return f.text;
    throw std::runtime_error("the study has no file " + name);
  }
  bool has(const std::string& name) const {
    for (const ulna::StudyFile& f : study.files)
      if (f.name == name) return true;
    return false;
  }
  pugi::xml_node by_id(const std::string& id) const {
    return tree.find_node([&](const pugi::xml_node& node) { return id == node.attribute("id").value(); });
  }
  static std::string text_of(const pugi::xml_node& node) {
    std::string out = node.value();
    for (const pugi::xml_node& child : node.children()) out += text_of(child);
    return out;
  }
  std::string text() const { return text_of(tree.child("html").child("body")); }

  ulna::Study study;
  nlohmann::json report;
  std::string page;
  std::vector<std::string> scripts;
  pugi::xml_document tree;
  std::string well_formed;
  std::multiset<std::string> ids;
  std::set<std::string> elements, attributes, links;

 private:
  void walk(const pugi::xml_node& node) {
    if (node.type() == pugi::node_element) elements.insert(node.name());
    for (const pugi::xml_attribute& a : node.attributes()) {
      attributes.insert(a.name());
      const std::string name = a.name();
      if (name == "id") ids.insert(a.value());
      if (name == "href" || name == "src") links.insert(a.value());
    }
    for (const pugi::xml_node& child : node.children()) walk(child);
  }
};

}  // namespace study_test
