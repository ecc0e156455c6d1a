// Generated C as an implementation to verify.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ulna/emit/generate.hpp>
#include <ulna/verify/verify.hpp>

#include "emit/quantities.hpp"

namespace ulna::internal {

/// The quantities that are generated to be verified, in doubles or floats, of a robot of so many joints.
GenerateOptions verified_code(bool single, double snap, std::size_t joints);

/// Source for verified_code(): prepared by prepare(), or by a test that has spoilt it.
using PrepareCode = std::function<GeneratedRobot(bool single)>;

/// One implementation in doubles and one in floats, compiled at the same time. One that cannot be prepared, compiled or loaded has a reason in place of
/// results. `waiting` as in ShippedOptions.
std::vector<std::shared_ptr<Implementation>> generated_c(const PrepareCode& prepare_code, const char* level, const std::function<void()>& waiting = {});

/// Part of shipped(), with its C compiled at this level of optimisation.
std::vector<std::shared_ptr<Implementation>> shipped_at(const Analysis& robot, const ShippedOptions& options, const char* level);

/// Both with this reason.
std::vector<std::shared_ptr<Implementation>> no_generated_c(const std::string& why_not);

}  // namespace ulna::internal
