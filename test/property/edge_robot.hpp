// Robots that lie near the edge: almost right angles, axes almost parallel, links almost massless, all scales in one robot, residues of a CAD program.
#pragma once

#include <cstdint>

#include <ulna/model/model.hpp>

namespace ulna::test {

/// What is near the edge in a robot.
struct Edge {
  bool angles = true;    // off from right ones by 10^-k, k = 1 … 16; axes likewise
  bool residues = true;  // of 1e-12 … 1e-40 in offsets, mass centres, products of inertia and angles
  bool scales = true;    // lengths from millimetres to kilometres, of three decades in one robot, masses of twelve, compact links, links next to massless
};

/// A robot, and what machine code made for it may be asked to take on.
struct EdgeCase {
  Description robot;
  Description changed;  // the same joints with links, rotors and some gaps between joints of other numbers of the same kind
  Payload payload;      // for the last link
};

/// The same robot for the same seed, everywhere: 2 to 7 joints, some of them sliding, some branches, rotors on some, some that follow another. Every body can
/// exist; of the robots, some few are singular in doubles.
EdgeCase edge_case(std::uint64_t seed, const Edge& edge = {});
inline Description edge_robot(std::uint64_t seed) { return edge_case(seed).robot; }

/// A chain of six or seven revolute joints as vendors write them, metres and kilograms of common arms, each right angle off by 10^-k.
EdgeCase almost_right_case(std::uint64_t seed);
inline Description almost_right_arm(std::uint64_t seed) { return almost_right_case(seed).robot; }

}  // namespace ulna::test
