#include "robot/lane_numbers.hpp"

#include <stdexcept>

#include "robot/programs.hpp"
#include "robot/self_check.hpp"

namespace ulna::internal {

struct LaneCode::Parts {
  Parts(const Model& model, bool rotor) : searches(model), options{.rotor = rotor, .quantities = {Quantity::forward}}, programs(searches, options, false) {}

  Searches searches;
  DynamicsOptions options;
  jit::Programs programs;  // of forward dynamics, if any
  jit::Routine routine;
};

struct LaneNumbers::Table {
  jit::ConstantTable constants;
  jit::KernelFunction function;
};

LaneCode::LaneCode(const Model& model, bool rotor) {
  const InstructionSet set = best_instruction_set();
  if (set == InstructionSet::none || model.nv() == 0) return;
  auto p = std::make_unique<Parts>(model, rotor);
  if (p->programs.all.empty()) return;
  const std::vector<double> values = p->programs.parameters()[p->programs.all.front().variant];
  jit::SelfCheck right(model, p->searches.bare(p->options.snap), p->options, Precision::full);
  p->routine = {std::make_shared<const jit::RoutineCode>(jit::sources_of(p->programs), set, false, jit::States::own), 0, values,
                [&](const jit::Trial& trial) { return right.difference<double>(Quantity::forward, kNone, trial); }};
  if (p->routine.ok()) parts_ = std::move(p);
}
LaneCode::~LaneCode() = default;

bool LaneCode::ok() const { return parts_ != nullptr; }

LaneNumbers::LaneNumbers(std::shared_ptr<const LaneCode> code) : code_(std::move(code)) {
  if (code_ == nullptr || !code_->ok()) throw std::invalid_argument("there is no machine code for lanes");
  const jit::Routine& routine = code_->parts_->routine;
  table_ = std::make_unique<Table>(Table{routine.lane_constants(), routine.kernel().lanes});
}
LaneNumbers::~LaneNumbers() = default;

bool LaneNumbers::set(std::size_t lane, const Model& model) {
  const LaneCode::Parts& p = *code_->parts_;
  const std::optional<std::vector<double>> values = p.programs.parameters(p.programs.all.front().variant, model, p.options);
  if (!values) return false;
  p.routine.set_lane(table_->constants, lane, *values);
  return true;
}

void LaneNumbers::forward(const double* q, const double* v, const double* tau, double* a) const noexcept {
  table_->function(q, v, tau, a, table_->constants.bytes(), 1);
}

}  // namespace ulna::internal
