#include "source/mjcf_defaults.hpp"

#include <algorithm>

#include "source/mjcf_schema.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

bool same_kind(std::string_view a, std::string_view b) { return a == b || (is_actuator(a) && is_actuator(b)); }

}  // namespace

void MjcfDefaults::read(const MjcfNode& top, MjcfFiles& files) {
  struct Open {
    MjcfNode node;
    std::string parent;  // empty: the outermost
  };
  std::vector<Open> open{{top, ""}};
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    if (files.stop(next.node)) return;
    const XmlElement element = next.node.element("<default>");
    expect_known(element, "default");
    std::string name = next.node.node.attribute("class").value();
    if (next.parent.empty()) {
      if (!name.empty()) main_ = name;
      name = main_;
    } else if (name.empty()) {
      element.error("a class inside another needs a name", "write <default class=\"...\">");
      continue;
    } else if (classes_.count(name) > 0) {
      element.error_at("class", cat("there is a class ", in_quotes(name), " already"), "give every class a name of its own, and write it once");
      continue;
    }
    Class& here = classes_[name];
    if (!next.parent.empty()) here.parent = next.parent, here.inherited = classes_[next.parent].elements.size();
    const std::size_t waiting = open.size();
    for (const MjcfNode& child : files.children(next.node)) {
      if (child.name() == "default")
        open.push_back({child, name});
      else
        here.elements.push_back(child), expect_known(child.element(cat("<default> ", tag_text(child.name()))), child.name());
    }
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(waiting), open.end());
  }
}

std::vector<std::string> MjcfDefaults::names() const {
  std::vector<std::string> out;
  for (const auto& [name, unused] : classes_) out.push_back(name);
  return out;
}

std::vector<MjcfNode> MjcfDefaults::chain(const MjcfNode& node, const std::string& class_name, std::string_view kind) const {
  std::vector<MjcfNode> out{node};
  auto found = classes_.find(class_name.empty() ? main_ : class_name);
  std::size_t known = found == classes_.end() ? 0 : found->second.elements.size();
  while (found != classes_.end()) {
    const Class& here = found->second;
    for (std::size_t i = known; i-- > 0;)
      if (same_kind(here.elements[i].name(), kind)) out.push_back(here.elements[i]);
    known = here.inherited;
    found = here.parent.empty() ? classes_.end() : classes_.find(here.parent);
  }
  return out;
}

MjcfElement::MjcfElement(const MjcfNode& node, Element label, const MjcfDefaults& defaults, const std::string& class_name, std::string_view kind)
    : label_(std::move(label)) {
  const std::string named = node.node.attribute("class").value();
  if (!defaults.has(named))
    node.element(label_).error_at("class", cat("there is no default class ", in_quotes(named)), cat("correct the name", did_you_mean(named, defaults.names())));
  chain_ = defaults.chain(node, named.empty() ? class_name : named, kind.empty() ? node.name() : kind);
}

XmlElement MjcfElement::element_at(const MjcfNode& node) const {
  return node.node == chain_.front().node ? node.element(label_) : node.element(cat("<default> ", tag_text(node.name())));
}

XmlElement MjcfElement::holder(const char* attribute) const {
  for (const MjcfNode& node : chain_)
    if (node.node.attribute(attribute)) return element_at(node);
  return own();
}

std::vector<double> MjcfElement::merged(const char* attribute, std::vector<double> fallback) const {
  for (auto node = chain_.rbegin(); node != chain_.rend(); ++node) {
    const std::vector<double> numbers = element_at(*node).numbers(attribute, 1, fallback.size());
    std::copy(numbers.begin(), numbers.end(), fallback.begin());
  }
  return fallback;
}

bool MjcfElement::has(const char* attribute) const {
  return std::any_of(chain_.begin(), chain_.end(), [&](const MjcfNode& node) { return static_cast<bool>(node.node.attribute(attribute)); });
}

std::string MjcfElement::nearest_of(const std::vector<const char*>& attributes) const {
  for (const MjcfNode& node : chain_)
    for (const char* attribute : attributes)
      if (node.node.attribute(attribute)) return attribute;
  return {};
}

std::string MjcfElement::text(const char* attribute, std::string_view fallback) const {
  const pugi::xml_attribute found = holder(attribute).node().attribute(attribute);
  return found ? std::string(found.value()) : std::string(fallback);
}

std::string MjcfElement::word(const char* attribute, const std::vector<std::string>& known) const {
  const XmlElement element = holder(attribute);
  if (!element.has(attribute)) return known.front();
  std::string value = element.node().attribute(attribute).value();
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  element.error_at(attribute, cat(attribute, " is ", in_quotes(value)), cat("write ", listed(known, "or"), did_you_mean(value, known)));
  return known.front();
}

}  // namespace ulna::internal
