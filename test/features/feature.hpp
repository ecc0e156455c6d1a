// What may meet in one robot: features of robots and of what acts on them, the ways to compute, and which of them cannot meet.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/dynamics/quantity.hpp>

namespace ulna::test {

enum class Feature { mimic, loop, rotor, viscous, coulomb, payload, free_base, planar_base, locked, prismatic, far, wrench, base_motion };
inline constexpr std::size_t kFeatures = 13;
using Features = std::bitset<kFeatures>;

std::string_view to_string(Feature feature);
inline bool has(const Features& set, Feature feature) { return set[static_cast<std::size_t>(feature)]; }
std::string to_string(const Features& set);  // "mimic, payload"

/// Ways to a number.
enum class Path { templates, one, lanes, columns, single, generated, python, derivative, simulate, campaign };
inline constexpr std::size_t kPaths = 10;
std::string_view to_string(Path path);
std::string_view title(Path path);

/// Empty, or why no robot has both.
std::string_view cannot_meet(Feature a, Feature b);
/// Empty, or why a path does not compute this quantity of a robot with this feature.
std::string_view does_not_exist(Path path, Quantity quantity, Feature feature);

/// All sets of two features that can meet, then of three: in every round each of them once, in another order.
std::vector<Features> meeting(std::uint64_t round, std::size_t many);

/// How many robots were compared in each cell, path by path.
class Counts {
 public:
  void add(Path path, Quantity quantity, const Features& features);
  std::size_t of(Path path, Quantity quantity, Feature feature) const;
  /// Cells of the path that should exist and hold fewer robots than this, by name.
  std::string missing(Path path, std::size_t robots) const;
  /// Cells that hold robots although they are said not to exist.
  std::string unexpected(Path path) const;
  /// As Markdown: for each feature and path the fewest robots of any quantity, and how many quantities; what is not compared; the rarest pair of features.
  std::string tables() const;
  /// A line each: path, feature, quantity, robots; and pairs.
  void write(std::ostream& out) const;
  void read(std::istream& in);

 private:
  using Cell = std::array<std::size_t, kFeatures>;
  std::map<std::pair<Path, Quantity>, Cell> cells_;
  std::array<std::array<std::size_t, kFeatures>, kFeatures> pairs_{};
};

}  // namespace ulna::test
