// What people run of Ulna, for verify(): the machine code of this computer and the generated C.
//
//   ulna::VerifyOptions options;
//   options.implementations = [&] { return ulna::shipped(model); };
//   const ulna::Certificate certificate = ulna::verify(model, options);
#pragma once

#include <memory>
#include <vector>

#include <ulna/robot/analysis.hpp>
#include <ulna/spatial/rounding.hpp>
#include <ulna/verify/verify.hpp>

namespace ulna {

struct ShippedOptions {
  double snap = kSnap;    // the same as verify()'s
  bool generated = true;  // generate C and compile it with the compiler of this computer
};

/// In C, code for more joints than this takes a compiler minutes.
inline constexpr int kMostGeneratedJoints = 64;

/// `compiled-double`, `compiled-float`: Dynamics and DynamicsF as they are without their own check, one state and lanes; what they leave to the templates is
/// noted. `generated-c`, `generated-c-float`: what generate() writes, compiled by cc, gcc or clang in a temporary folder and loaded; where this cannot be done,
/// the rows say why. Of the bias, all compute gravity, too.
std::vector<std::shared_ptr<Implementation>> shipped(const Analysis& robot, const ShippedOptions& options = {});

}  // namespace ulna
