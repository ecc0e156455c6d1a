// What the writers of URDF and MJCF have in common.
#pragma once

#include <algorithm>

#include <ulna/model/model.hpp>

#include "text/message.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

inline std::string xml_number(double value) { return to_text(value + 0.0); }  // no -0
inline std::string xml_numbers(const Vec3<double>& v) { return cat(xml_number(v.x), " ", xml_number(v.y), " ", xml_number(v.z)); }

/// Whether a format can carry a name; an error where it cannot.
inline bool check_name(Diagnostics& diagnostics, const Element& element, const std::string& name, int line, std::string_view format) {
  const bool control = has_control_character(name);
  const bool blank = name.find_first_not_of(' ') == std::string::npos;
  if (!control && !blank && is_utf8(name)) return true;
  diagnostics.error(line, element,
                    blank     ? cat(format, " needs a name")
                    : control ? cat("the name holds a control character, which ", format, " cannot carry")
                              : std::string("the name is not UTF-8"),
                    "give it another name");
  return false;
}
/// The same of all names but those of loops.
inline bool check_names(Diagnostics& diagnostics, const Model& model, std::string_view format) {
  bool good = check_name(diagnostics, Element::robot(model.name()), model.name(), 0, format);
  for (const Link& link : model.links()) good = check_name(diagnostics, Element::link(link.name), link.name, link.line, format) && good;
  for (const Joint& joint : model.joints()) good = check_name(diagnostics, Element::joint(joint.name), joint.name, joint.line, format) && good;
  return good;
}

/// Friction beyond viscous, Coulomb and static.
inline bool has_further(const Friction& friction) {
  return std::any_of(further_friction().begin(), further_friction().end(), [&](const FrictionField& field) { return field.given(friction); });
}
inline constexpr const char *kViscousAndCoulomb = "the format has viscous and Coulomb friction only",
                            *kFurtherLeftOut = "other friction was left out: write URDF or a DH table, or keep it in a file for --friction-file";

/// Files mark the independent joints, which a reader then lists in the order of the tree.
inline void warn_of_order(Diagnostics& diagnostics, const Model& model, const char* format) {
  const std::vector<std::size_t> driven = model.driven();
  if (std::is_sorted(driven.begin(), driven.end())) return;
  diagnostics.warning(0, Element::robot(model.name()), cat(format, " cannot say in which order v lists the independent joints"),
                      "it is that of the tree when the file is loaded, unless --independent says otherwise");
}

}  // namespace ulna::internal
