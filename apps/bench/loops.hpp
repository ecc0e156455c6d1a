// What timing programs of robots with loops share. `ulna bench` calls one as
//
//   ulna-bench-loops-NAME ROBOT LOOP_FILE INDEPENDENT STATES
//
// the first three as --loops and --independent have them (empty: none). STATES begins with the number of states and the seconds to time them for; then a line a
// state: q and v of all joints of the tree, closed, and torques of the independent ones. It answers with its name and version; "moving", or "at rest" where it
// must be compared with v = 0; accelerations of the independent joints at every eighth state; and the least time of one state [ns]. All one a line.
#pragma once

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>

namespace ulna::bench {

/// A library that computes forward dynamics with loops.
class LoopPeer {
 public:
  virtual ~LoopPeer() = default;
  virtual std::string version() const = 0;
  virtual bool at_rest() const = 0;
  /// q, v and tau of all joints of the tree.
  virtual void forward(const double* q, const double* v, const double* tau) = 0;
  /// Of a coordinate of the tree, after forward().
  virtual double acceleration(std::size_t coordinate) const = 0;
};

/// A point of a loop's joint, in the axes of the two links, that both must share.
struct LoopPoint {
  std::size_t predecessor, successor;  // links
  Vec3<double> p_P, p_S;
};

/// Points that hold a loop together; those libraries have no joints that close loops. A plane mechanism needs one for a hinge.
inline std::vector<LoopPoint> loop_points(const Mechanism& robot) {
  std::vector<LoopPoint> points;
  std::size_t hinges = 0;
  for (const Loop& loop : robot.loops()) hinges += loop.type == LoopType::revolute ? 1 : 0;
  const bool plane = robot.redundant() >= 2 * hinges;
  for (const Loop& loop : robot.loops()) {
    const auto add = [&](const Vec3<double>& away) {
      points.push_back({loop.predecessor, loop.successor, loop.X_PA.p + loop.X_PA.R * away, loop.X_SB.p + loop.X_SB.R * away});
    };
    if (loop.type != LoopType::spherical && loop.type != LoopType::revolute) throw std::runtime_error("loops that are no hinges or balls");
    add({});
    if (loop.type == LoopType::revolute && !plane) add(0.1 * loop.axis);
  }
  return points;
}

inline int serve_loops(int argc, char** argv, const std::function<std::unique_ptr<LoopPeer>(const Mechanism&)>& make) {
  try {
    if (argc != 5) throw std::runtime_error("it is called by 'ulna bench'");
    LoadOptions options;
    options.loop_file = argv[2];
    std::istringstream names(argv[3]);
    for (std::string name; std::getline(names, name, ',');) options.independent.push_back(name);
    const Mechanism robot = Mechanism::of(load(argv[1], options));
    for (const Joint& joint : robot.tree().joints())
      if (joint.rotor != 0) throw std::runtime_error("rotors");
    const std::size_t n = robot.nv(), m = robot.mobility();
    std::ifstream file(argv[4]);
    std::size_t count = 0;
    double seconds = 0;
    file >> count >> seconds;
    std::vector<double> q(count * n), v(count * n), tau(count * n, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < n; ++i) file >> q[k * n + i];
      for (std::size_t i = 0; i < n; ++i) file >> v[k * n + i];
      for (std::size_t i = 0; i < m; ++i) file >> tau[k * n + robot.independent()[i]];
    }
    if (!file) throw std::runtime_error("the states cannot be read");
    const std::unique_ptr<LoopPeer> peer = make(robot);
    std::printf("%s\n%s\n", peer->version().c_str(), peer->at_rest() ? "at rest" : "moving");
    const std::vector<double> still(n, 0.0);
    for (std::size_t k = 0; k < count; k += 8) {
      peer->forward(&q[k * n], peer->at_rest() ? still.data() : &v[k * n], &tau[k * n]);
      for (std::size_t i = 0; i < m; ++i) std::printf("%s%.17g", i == 0 ? "" : " ", peer->acceleration(robot.independent()[i]));
      std::printf("\n");
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    double least = std::numeric_limits<double>::infinity();
    do {
      const auto begin = Clock::now();
      for (std::size_t k = 0; k < count; ++k) peer->forward(&q[k * n], &v[k * n], &tau[k * n]);
      least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / static_cast<double>(count));
    } while (Clock::now() < end);
    std::printf("%.17g\n", least);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 3;
  }
}

}  // namespace ulna::bench
