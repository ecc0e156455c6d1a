#include "robot/lane_numbers.hpp"

#include <stdexcept>

#include "robot/self_check.hpp"
#include "robot/state.hpp"

namespace ulna::internal {

struct LaneCode::Parts {
  Parts(const Model& model, bool rotor, InstructionSet set) : searches(model), options{.rotor = rotor}, code(searches, options, set, false) {}

  Searches searches;
  DynamicsOptions options;
  jit::Code code;  // for its programs
  const jit::TaskProgram* task = nullptr;
  std::vector<double> values;
  jit::Form form;
  jit::CodeMemory memory;
};

struct LaneNumbers::Table {
  jit::ConstantTable constants;
  jit::KernelFunction function;
};

LaneCode::LaneCode(const Model& model, bool rotor) {
  const InstructionSet set = best_instruction_set();
  if (set == InstructionSet::none || model.nv() == 0) return;
  auto p = std::make_unique<Parts>(model, rotor, set);
  for (const jit::TaskProgram& task : p->code.programs.all)
    if (task.quantity == Quantity::forward) p->task = &task;
  if (p->task == nullptr) return;
  p->form = p->code.form(true);
  p->form.own = true;
  if (p->task->program.parameter_count() > 0) p->values = p->code.programs.parameters()[p->task->variant];
  const jit::Encoded made = jit::encode(p->task->program, p->form);
  if (made.code.empty()) return;
  const jit::Encoded* all[] = {&made};
  p->memory.fill(all);
  if (!p->memory.ok()) return;
  const jit::ConstantTable table(p->task->program, p->form, p->values);
  jit::SelfCheck right(model, p->searches.bare(p->options.snap), p->options, Precision::full);
  if (right.lanes<double>(Quantity::forward, kNone, p->memory.function(0), table.bytes(), p->form.width()) <= 1) parts_ = std::move(p);
}
LaneCode::~LaneCode() = default;

bool LaneCode::ok() const { return parts_ != nullptr; }

LaneNumbers::LaneNumbers(std::shared_ptr<const LaneCode> code) : code_(std::move(code)) {
  if (code_ == nullptr || !code_->ok()) throw std::invalid_argument("there is no machine code for lanes");
  const LaneCode::Parts& p = *code_->parts_;
  table_ = std::make_unique<Table>(Table{jit::ConstantTable(p.task->program, p.form, p.values), p.memory.function(0)});
}
LaneNumbers::~LaneNumbers() = default;

bool LaneNumbers::set(std::size_t lane, const Model& model) {
  const LaneCode::Parts& p = *code_->parts_;
  const std::optional<std::vector<double>> values = p.code.programs.parameters(p.task->variant, model, p.options);
  if (!values) return false;
  table_->constants.set_lane(p.task->program, p.form, lane, p.values.empty() ? p.values : *values);
  return true;
}

void LaneNumbers::forward(const double* q, const double* v, const double* tau, double* a) const noexcept {
  table_->function(q, v, tau, a, table_->constants.bytes(), 1);
}

}  // namespace ulna::internal
