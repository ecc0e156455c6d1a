// The state of a free base as another program may write it: which way is chosen by options, and what Ulna computes with is made of it. Quaternions of ball
// joints have an order, too.
#pragma once

#include <atomic>
#include <optional>

#include <ulna/model/model.hpp>

#include "arguments.hpp"
#include "state_rows.hpp"

namespace ulna::cli {

/// --quaternion, and --base-axes, --base-order, --acceleration where the command reads what they are about.
std::vector<Option> base_state_options(const StateParts& parts);

/// Converts states that are read to Ulna's conventions, and checks their quaternions. For several threads at once.
class BaseState {
 public:
  /// Throws UsageError for options that exclude each other, or need a moving base.
  BaseState(const Arguments& arguments, const Model& model);

  bool turns() const { return !quaternions_.empty(); }  // whether q has quaternions
  /// Columns of a file carry their names, so the orders of --quaternion and --base-order are those of lists on the command line (`listed`). Says what is wrong
  /// with the quaternion.
  std::optional<StateProblem> translate(const StateView& state, bool listed) const;
  /// Reports quaternions that were normalised, if there were any.
  void tell() const;

 private:
  const Model& model_;
  bool free_;
  std::vector<std::size_t> quaternions_;
  BaseConvention convention_;
  mutable std::atomic<std::size_t> normalised_ = 0;
  mutable std::atomic<double> farthest_ = 0;
  mutable std::atomic<std::size_t> whose_ = 0;  // a place of q
};

}  // namespace ulna::cli
