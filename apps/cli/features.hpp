// What of a model went into a result, and what the model has that did not.
#pragma once

#include <ulna/ulna.hpp>

#include "json.hpp"
#include "model_options.hpp"

namespace ulna::cli {

struct Features {
  std::vector<std::string> used;
  std::vector<std::string> unused;  // there, but not in this result
  std::vector<std::string> snapped_joints;
  double largest_snap = 0;
  std::vector<Lock> locks;
  bool maybe_free = false;              // see Robot
  std::vector<std::string> overridden;  // messages of the errors that --unchecked passed
};

Features collect_features(const Robot& robot, const Plan& plan, const Influences& influences, const Effects& effects, bool springs = false);

void write_features(Json& json, const Features& features);
/// One or two lines for people.
std::string features_text(const Features& features);

}  // namespace ulna::cli
