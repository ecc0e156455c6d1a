// Joints of which a Model has no kind, as several that it has, one after the other.
#pragma once

#include <string_view>
#include <vector>

#include <ulna/model/model.hpp>

namespace ulna::internal {

/// One joint of a series: NAME and its suffix, and what it does.
Joint part_of_series(const Joint& whole, std::string_view suffix, JointType type, const Vec3<double>& axis);

/// `whole`'s links with these joints between them, which stand in its place: links without mass, which are added to `links`, carry each the next.
std::vector<Description::JointEntry> in_series(const Description::JointEntry& whole, std::vector<Description::JointEntry> parts, std::vector<Link>& links);

/// The same with joints that nothing leads.
std::vector<Description::JointEntry> in_series(const Description::JointEntry& whole, const std::vector<Joint>& parts, std::vector<Link>& links);

}  // namespace ulna::internal
