// C99 of a robot with loops: closure, inverse and forward dynamics, inertia matrix, with a test of itself.
#pragma once

#include <string>
#include <vector>

#include <ulna/emit/generate.hpp>
#include <ulna/export.hpp>
#include <ulna/loop/mechanism.hpp>

namespace ulna ULNA_API {

struct GenerateClosedOptions {
  std::vector<std::string> what{"inverse"};  // "inverse", "forward", "mass", "bias", "gravity", "energy"
  std::string name{};                        // of files and functions; empty: the model's, made into an identifier
  bool rotor = true;                         // Whether rotor inertia counts.
  std::size_t test_states = 4;               // in the self-test
};

/// NAME.h and NAME.c. NAME_close(q, steps) takes steps of Newton's method on the dependent positions of q; NAME_inverse(q, u, u_dot, tau) and its like take a
/// closed q. All return how far q is from being closed, or infinity where a pivot of the elimination, whose order is fixed, is too small to be trusted.
/// NAME_selftest() compares with multipliers in extended precision. Throws std::invalid_argument, with the cure.
std::vector<GeneratedFile> generate_closed(const Mechanism& robot, const GenerateClosedOptions& options = {});

}  // namespace ULNA_API
