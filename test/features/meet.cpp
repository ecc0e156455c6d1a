#include "features/meet.hpp"

#include <cstdio>
#include <fstream>

#include <ulna/source/load.hpp>

#include "support/arm.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

std::uint64_t seed_of(Path path, std::uint64_t k) { return 1'000'000 * (1 + static_cast<std::uint64_t>(path)) + k; }

std::string failure(const Comparing& comparing, const Drawn& drawn) {
  Counts ignored;
  try {
    return comparing.check(drawn, ignored);
  } catch (const std::exception& e) {
    return cat("throws: ", e.what());
  }
}

/// Fewer features, then fewer joints: of some seeds each, the first that fails, too.
Drawn smallest(const Comparing& comparing, Drawn drawn) {
  DrawOptions options = comparing.drawing;
  const auto search = [&](const Features& features) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
      if (const std::optional<Drawn> smaller = draw(seed, features, options); smaller && !failure(comparing, *smaller).empty()) return smaller;
    return std::optional<Drawn>();
  };
  for (bool again = true; again;) {
    again = false;
    for (std::size_t k = 0; k < kFeatures && !again; ++k) {
      Features fewer = drawn.features;
      if (!fewer[k] || fewer.count() == 1) continue;
      if (std::optional<Drawn> smaller = search(fewer.reset(k))) drawn = *std::move(smaller), again = true;
    }
  }
  for (options.most = 1; options.most < static_cast<int>(drawn.description.joints.size()); ++options.most)
    if (std::optional<Drawn> smaller = search(drawn.features)) return *std::move(smaller);
  return drawn;
}

std::string report(const Comparing& comparing, const Drawn& drawn, const std::string& fault) {
  const Drawn small = smallest(comparing, drawn);
  const std::string file = cat("features_failure_", to_string(comparing.path)), what = failure(comparing, small);
  Diagnostics diagnostics;
  const std::optional<std::string> urdf = write_urdf(build(small.description), diagnostics);
  if (urdf) std::ofstream(file + ".urdf") << *urdf;
  const std::string text = cat(what, "\n  ", small.text());
  std::ofstream(file + ".txt") << text << "\n";
  return cat(fault, "\n  ", drawn.text(), "\nsmallest that fails (", file, ".urdf, .txt): ", text, "\n");
}

}  // namespace

Counts& counted() {
  static Counts all;
  return all;
}

std::string compare(const Comparing& comparing) {
  Counts& counts = counted();
  std::size_t drawn_robots = 0, refused = 0, bad = 0;
  constexpr std::size_t kMany = 64;
  std::string faults;
  // Five robots have twelve or thirteen features together: a cell fills in five times its robots, some of which are refused.
  const std::size_t most = 30 * comparing.robots + 4 * kMany;
  constexpr std::size_t kReports = 3;
  const bool goes_on = soaks();  // past robots that fail, to count those that do not
  const auto enough = [&] { return drawn_robots >= most || (bad >= kReports && !goes_on) || counts.missing(comparing.path, comparing.robots).empty(); };
  for (std::uint64_t round = 0; !enough(); ++round)
    for (const Features& features : meeting(round + 100 * static_cast<std::uint64_t>(comparing.path), kMany)) {
      if (drawn_robots % 8 == 0 && enough()) break;
      if (bad >= kReports && !goes_on) break;
      const std::uint64_t seed = seed_of(comparing.path, ++drawn_robots);
      if (!comparing.refuses(features).empty()) {
        ++refused;
        continue;
      }
      const std::optional<Drawn> drawn = draw(seed, features, comparing.drawing);
      if (!drawn) continue;
      std::string fault;
      try {
        fault = comparing.check(*drawn, counts);
      } catch (const std::exception& e) {
        fault = cat("throws: ", e.what());
      }
      if (!fault.empty())
        faults +=
            ++bad <= kReports ? report(comparing, *drawn, fault) : cat(fault.substr(0, fault.find('\n')), "; seed ", seed, ": ", to_string(features), "\n");
    }
  const std::string missing = counts.missing(comparing.path, comparing.robots);
  if (!missing.empty() && (faults.empty() || goes_on)) faults += cat("cells with fewer than ", comparing.robots, " robots:\n", missing);
  std::printf("%s: %zu robots, %zu of them fail\n", std::string(to_string(comparing.path)).c_str(), drawn_robots - refused, bad);
  return faults + counts.unexpected(comparing.path);
}

}  // namespace ulna::test
