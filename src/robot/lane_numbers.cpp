#include "robot/lane_numbers.hpp"

#include "robot/self_check.hpp"

namespace ulna::internal {

LaneCode::LaneCode(const Model& model, bool rotor) : options_{.rotor = rotor, .quantities = {Quantity::forward}} {
  const InstructionSet set = best_instruction_set();
  if (set == InstructionSet::none || model.nv() == 0) return;
  Searches searches(model);
  std::vector<robot::TaskProgram>& all = programs_.emplace(searches, options_, false).all;
  if (all.empty()) return;
  const std::vector<double> values = programs_->parameters()[all.front().variant];
  robot::SelfCheck right(model, searches.bare(options_.snap), options_, Precision::full);
  routine_ = {std::make_shared<const jit::RoutineCode>(programs_->sources(), set, false, jit::States::own), 0, values,
              [&](const jit::Trial& trial) { return right.difference<double>(Quantity::forward, kNone, trial); }};
}

LaneNumbers::LaneNumbers(std::shared_ptr<const LaneCode> code) : code_(std::move(code)) {
  if (code_ == nullptr || !code_->ok()) throw std::invalid_argument("there is no machine code for lanes");
  constants_ = code_->routine_.lane_constants();
}

bool LaneNumbers::set(std::size_t lane, const Model& model) {
  const robot::Programs& programs = *code_->programs_;
  const std::optional<std::vector<double>> values = programs.parameters(programs.all.front().variant, model, code_->options_);
  if (values) code_->routine_.set_lane(constants_, lane, *values);
  return values.has_value();
}

}  // namespace ulna::internal
