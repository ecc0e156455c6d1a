// Default classes of MJCF: an attribute that an element does not have is that of its class, or of the class around it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "source/mjcf_files.hpp"

namespace ulna::internal {

class MjcfDefaults {
 public:
  /// Reads one <default> of the model, which may hold others. Several add up.
  void read(const MjcfNode& node, MjcfFiles& files);

  /// Whether there is a class of this name; the empty name is the outermost class.
  bool has(const std::string& name) const { return name.empty() || classes_.count(name) > 0; }
  std::vector<std::string> names() const;

  /// Elements that may carry an attribute of `node`, in the order in which they are asked: itself, then its class from the inside out.
  std::vector<MjcfNode> chain(const MjcfNode& node, const std::string& class_name) const;

 private:
  struct Class {
    std::string parent;  // empty: the outermost
    bool outermost = false;
    std::vector<MjcfNode> elements;  // <joint>, <geom>, …, of later <default>s last
  };
  std::map<std::string, Class> classes_;
  std::string main_ = "main";
};

/// An element with its defaults: each attribute is read where it stands, so that messages name that place.
class MjcfElement {
 public:
  MjcfElement(const MjcfNode& node, Element label, const MjcfDefaults& defaults, const std::string& class_name);

  const MjcfNode& node() const { return chain_.front(); }
  XmlElement own() const { return chain_.front().element(label_); }
  /// The element that carries the attribute; the element itself when none does.
  XmlElement holder(const char* attribute) const;
  bool has(const char* attribute) const;
  /// Of several attributes the one that stands nearest: in the element, else in the innermost class that has any; empty when none does.
  std::string nearest_of(const std::vector<const char*>& attributes) const;
  std::string text(const char* attribute, std::string_view fallback) const;
  double number(const char* attribute, double fallback) const { return holder(attribute).number(attribute, fallback); }
  double not_negative(const char* attribute, double fallback) const { return holder(attribute).not_negative(attribute, fallback); }
  Vec3<double> vector(const char* attribute, const Vec3<double>& fallback) const { return holder(attribute).vector(attribute, fallback); }
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const { return holder(attribute).numbers(attribute, least, most); }
  /// One of a few words.
  std::string word(const char* attribute, const std::vector<std::string>& known) const;

 private:
  std::vector<MjcfNode> chain_;
  Element label_;
};

}  // namespace ulna::internal
