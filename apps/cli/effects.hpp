// What acts on a robot besides its drives, as options say it; shared by all commands that compute with it.
#pragma once

#include <string>
#include <vector>

#include <ulna/formulation/reactions.hpp>
#include <ulna/ulna.hpp>

#include "command.hpp"

namespace ulna::cli {

/// --wrench
Option wrench_option();
/// --base-velocity and --base-acceleration
std::vector<Option> base_options();

/// A load, as every option says it: mass [kg], mass centre in the link's axes [m], inertia about the mass centre [kg m²].
struct Load {
  std::string link;
  ulna::Payload payload;
};
inline constexpr std::string_view kLoadForm = "LINK:m,x,y,z[,ixx,iyy,izz,ixy,ixz,iyz]";
/// Throws UsageError that names the option, for a link that there is not, too.
Load load_of(const Model& model, const std::string& text, const char* option);

/// --control
std::vector<JointControl> controls_of(const Arguments& arguments, const Model& model);
std::vector<Wrench> wrenches_of(const Arguments& arguments, const Model& model);
BaseMotion base_of(const Arguments& arguments);

/// Throws UsageError with the nearest name when there is none; `option` is where it was given.
std::size_t find_link(const Model& model, const std::string& name, const char* option);

}  // namespace ulna::cli
