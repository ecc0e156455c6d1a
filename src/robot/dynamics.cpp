#include <cmath>
#include <ulna/robot/dynamics.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <ulna/check/check.hpp>

#include "jit/distinct.hpp"
#include "jit/order.hpp"
#include "model/link_named.hpp"
#include "robot/analysis_parts.hpp"
#include "robot/mass_form.hpp"
#include "robot/self_check.hpp"
#include "robot/state.hpp"
#include "robot/tamper.hpp"
#include "robot/templates.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

std::string to_string(const RefusedKernel& refused) {
  return cat("the machine code of ", to_string(refused.quantity), refused.lanes > 1 ? cat(" for ", refused.lanes, " states at a time") : "",
             " gives other results than the templates (",
             std::isfinite(refused.difference) ? cat(rounded(refused.difference), " times what rounding explains") : "a number that is not finite",
             "): the templates are used instead");
}

}  // namespace ULNA_API

namespace ulna::internal::jit {

Tamper& tamper() {
  thread_local Tamper errors;
  return errors;
}

namespace {

/// As it is, but in tests of the self-check.
Program tampered(const TaskProgram& task, bool lanes) {
  Program program = task.program;
  if (tamper().program) tamper().program(task.quantity, lanes, program);
  return program;
}

Encoded encoded(const TaskProgram& task, const Form& form) { return encode(tampered(task, form.lanes), form, task.alike); }

/// Equal results are written once, and copied where states are turned into columns, if no more than this part of them is left.
constexpr double kMostDistinct = 0.5;

/// Results of a state that a kernel turns into columns itself: with more, its code is too long for the processor's caches.
constexpr std::size_t kMostTurned = 512;

ConstantTable constants_of(const TaskProgram& task, const Form& form, std::vector<double> parameters, std::span<const ConstantPair> pairs) {
  if (tamper().parameters) tamper().parameters(task.quantity, form.lanes, parameters);
  return {task.program, form, parameters, pairs};
}

}  // namespace

Code::Code(Searches& searches, const DynamicsOptions& options, InstructionSet most, bool single_precision)
    : programs(searches, options, single_precision), set(most), single(single_precision) {
  std::vector<Encoded> functions;
  for (TaskProgram& task : programs.all) {
    auto start = std::chrono::steady_clock::now();  // what both functions need counts for the first
    task.program = ordered(form(false).has_fma() ? fused(task.program) : task.program);
    const Program& program = task.program;
    for (const bool lanes : {false, true}) {
      if (lanes) start = std::chrono::steady_clock::now();
      functions.push_back(encoded(task, form(lanes)));
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const Encoded& made = functions.back();
      pairs.push_back(made.pairs);
      present.push_back(made.code.empty() ? 0 : 1);
      if (made.code.empty()) continue;
      reports.push_back({task.quantity, task.link, lanes ? form(true).width() : 1, program.counts(), program.guards, program.angle_sums, program.fused(),
                         made.instructions, made.spills, made.code.size(), seconds});
    }
  }
  std::vector<Encoded> by_columns;
  for (std::size_t k = 0; k < programs.all.size(); ++k) {
    const TaskProgram& task = programs.all[k];
    if (present[2 * k + 1] == 0) continue;
    Distinct all = distinct(task.program);
    const TaskProgram fewer{task.quantity, task.link, task.variant, std::move(all.program), {}};
    if (all.rows.of.size() <= kMostTurned) {
      Form turning = form(true);
      turning.columns = true;
      Encoded made = encode_columns(tampered(fewer, true), turning, all.rows);
      if (!made.code.empty()) by_columns.push_back(std::move(made)), columns.push_back(k);
    }
    if (all.rows.count > kMostDistinct * static_cast<double>(all.rows.of.size())) continue;
    Encoded made = encoded(fewer, form(true));
    if (made.code.empty()) continue;
    functions.push_back(std::move(made));
    once.push_back({k, std::move(all.rows)});
  }
  std::move(by_columns.begin(), by_columns.end(), std::back_inserter(functions));
  std::vector<const Encoded*> pointers;
  for (const Encoded& function : functions) pointers.push_back(&function);
  memory.fill(pointers);
}

}  // namespace ulna::internal::jit

namespace ulna ULNA_API {

namespace {

constexpr std::size_t kMostThreads = 1024;

std::shared_ptr<jit::ThreadPool> make_pool(std::size_t threads) {
  if (threads > kMostThreads)
    throw std::invalid_argument(cat("the number of threads is ", threads, "; the most is ", kMostThreads, ", and 0 is for one per core"));
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::make_shared<jit::ThreadPool>(threads == 0 ? cores : threads);
}

const DynamicsOptions& checked(const Model& model, const DynamicsOptions& options) {
  for (const std::string& name : options.links) link_named(model, name);
  return options;
}

}  // namespace

template <class T>
DynamicsOf<T>::State::State(const Analysis& robot, const DynamicsOptions& wanted)
    : model(robot.model()),
      options(checked(model, wanted)),
      plan(robot.plan({.snap = wanted.snap}).template cast<T>()),
      code(robot.parts_->code_for(wanted, sizeof(T) == 4)),
      pool(make_pool(wanted.threads)) {
  if (code != nullptr) parameters = code->programs.parameters();
  bind();
  check(robot.plan({.snap = wanted.snap, .lumping = Lumping::none}));
}

template <class T>
DynamicsOf<T>::State::State(const Model& given, const DynamicsOptions& wanted, std::shared_ptr<const jit::Code> shared, std::vector<std::vector<double>> values,
                            std::shared_ptr<jit::ThreadPool> threads)
    : model(given),
      options(wanted),
      plan(make_plan(given, {.snap = wanted.snap}).template cast<T>()),
      code(std::move(shared)),
      parameters(std::move(values)),
      pool(std::move(threads)) {
  bind();
  check(make_plan(model, {.snap = wanted.snap, .lumping = Lumping::none}));
}

/// A kernel that is wrong for one state is not trusted with many, nor the other way round: the templates do the whole task.
template <class T>
void DynamicsOf<T>::State::check(const Plan& bare) {
  if (code == nullptr || !options.check) return;
  jit::SelfCheck right(model, bare, options, sizeof(T) == 4 ? Precision::single : Precision::full);
  for (const jit::TaskProgram& task : code->programs.all) {
    jit::Kernel& kernel = kernel_of(task.quantity, task.link);
    const double one = kernel.one == nullptr ? 0 : right.one<T>(task.quantity, task.link, kernel.one, kernel.one_constants);
    double lanes = kernel.lanes == nullptr ? 0 : right.lanes<T>(task.quantity, task.link, kernel.lanes, kernel.lanes_constants, width);
    if (kernel.columns != nullptr) lanes = std::fmax(lanes, right.columns<T>(task.quantity, task.link, kernel.columns, kernel.lanes_constants, width));
    if (kernel.once != nullptr) lanes = std::fmax(lanes, right.lanes<T>(task.quantity, task.link, kernel.once, kernel.lanes_constants, width, kernel.rows));
    if (one <= 1 && lanes <= 1) continue;
    if (!(one <= 1)) refused.push_back({task.quantity, task.link, 1, one});
    if (!(lanes <= 1)) refused.push_back({task.quantity, task.link, width, lanes});
    kernel = {};
  }
}

template <class T>
void DynamicsOf<T>::State::bind() {
  link_kernels.resize(model.links().size());
  transpose = jit::transpose_for<T>(set(), model.nv());
  transpose_q = jit::transpose_for<T>(set(), model.nq());
  width = jit::Form{set(), sizeof(T) == 4, true}.width();
  friction = options.friction && std::any_of(plan.bodies.begin(), plan.bodies.end(), [](const PlanBody<T>& b) { return b.viscous != 0 || b.coulomb != 0; });
  mass_entries = {jit::mass_entries(plan.mass_parents(), MassForm::packed), jit::mass_entries(plan.mass_parents(), MassForm::sparse)};
  if (model.closed()) {
    loops = std::make_shared<const Mechanism>(Mechanism::of(model));
    const std::vector<double> q = model.reference();
    const std::vector<T> at(q.begin(), q.end());
    std::vector<T> made(row_of(Quantity::closure).size(plan.sizes()));
    jit::by_templates<T>(plan, {}, Quantity::closure, {at.data()}, made.data());
    pivots.assign(made.end() - static_cast<std::ptrdiff_t>(plan.pivots()), made.end());
  }
  if (code == nullptr) return;
  tables.reserve(2 * code->programs.all.size());
  for (std::size_t k = 0; k < code->programs.all.size(); ++k) {
    const jit::TaskProgram& task = code->programs.all[k];
    jit::Kernel& kernel = kernel_of(task.quantity, task.link);
    const std::vector<double> none;
    const std::vector<double>& values = task.program.parameter_count() == 0 ? none : parameters[task.variant];
    for (const bool lanes : {false, true}) {
      const std::size_t function = 2 * k + (lanes ? 1 : 0);
      if (code->present[function] == 0) continue;
      tables.push_back(jit::constants_of(task, code->form(lanes), values, code->pairs[function]));
      (lanes ? kernel.lanes : kernel.one) = code->memory.function(function);
      (lanes ? kernel.lanes_constants : kernel.one_constants) = tables.back().bytes();
    }
  }
  for (std::size_t k = 0; k < code->once.size(); ++k) {
    const jit::Code::Once& once = code->once[k];
    jit::Kernel& kernel = kernel_of(code->programs.all[once.program].quantity, code->programs.all[once.program].link);
    kernel.once = code->memory.function(2 * code->programs.all.size() + k);
    kernel.rows = &once.rows;
  }
  for (std::size_t k = 0; k < code->columns.size(); ++k) {
    const jit::TaskProgram& task = code->programs.all[code->columns[k]];
    kernel_of(task.quantity, task.link).columns = code->memory.function(2 * code->programs.all.size() + code->once.size() + k);
  }
  const jit::Rows* all = kernels[static_cast<std::size_t>(Quantity::mass)].rows;
  for (std::size_t form = 0; form < mass_rows.size(); ++form) {
    std::vector<std::uint32_t> of;
    for (const auto& [row, column] : mass_entries[form]) {
      const std::size_t k = row + column * model.nv();
      of.push_back(all != nullptr ? all->of[k] : static_cast<std::uint32_t>(k));
    }
    mass_rows[form] = jit::rows_of(std::move(of), all != nullptr ? all->count : static_cast<std::uint32_t>(model.nv() * model.nv()));
  }
}

template <class T>
DynamicsOf<T>::DynamicsOf(const Model& model, const DynamicsOptions& options) : DynamicsOf(Analysis(model), options) {}
template <class T>
DynamicsOf<T>::DynamicsOf(const Analysis& robot, const DynamicsOptions& options) : state_(std::make_shared<const State>(robot, options)) {}
template <class T>
DynamicsOf<T>::DynamicsOf(std::shared_ptr<const State> state) : state_(std::move(state)) {}
template <class T>
DynamicsOf<T>::DynamicsOf(const DynamicsOf&) = default;
template <class T>
DynamicsOf<T>::DynamicsOf(DynamicsOf&&) noexcept = default;
template <class T>
DynamicsOf<T>& DynamicsOf<T>::operator=(const DynamicsOf&) = default;
template <class T>
DynamicsOf<T>& DynamicsOf<T>::operator=(DynamicsOf&&) noexcept = default;
template <class T>
DynamicsOf<T>::~DynamicsOf() = default;

template <class T>
const Model& DynamicsOf<T>::model() const {
  return state_->model;
}
template <class T>
std::size_t DynamicsOf<T>::nq() const {
  return state_->plan.nq;
}
template <class T>
std::size_t DynamicsOf<T>::nv() const {
  return state_->model.nv();
}
template <class T>
std::size_t DynamicsOf<T>::lanes() const {
  return state_->width;
}
template <class T>
std::size_t DynamicsOf<T>::threads() const {
  return state_->pool->threads();
}
template <class T>
InstructionSet DynamicsOf<T>::instruction_set() const {
  return state_->code == nullptr ? InstructionSet::none : state_->code->set;
}
template <class T>
bool DynamicsOf<T>::compiled(Quantity quantity, std::size_t link) const {
  const bool of_link = row_of(quantity).of_link;
  if (of_link && (link >= state_->link_kernels.size())) return false;
  const jit::Kernel& kernel = state_->kernel(quantity, of_link ? link : kNone);
  return kernel.one != nullptr && kernel.lanes != nullptr;
}
template <class T>
const std::vector<KernelReport>& DynamicsOf<T>::kernels() const {
  static const std::vector<KernelReport> none;
  return state_->code == nullptr ? none : state_->code->reports;
}
template <class T>
const std::vector<RefusedKernel>& DynamicsOf<T>::refused() const {
  return state_->refused;
}
template <class T>
std::size_t DynamicsOf<T>::memory() const {
  std::size_t sum = state_->code == nullptr ? 0 : state_->code->memory.size();
  for (const jit::ConstantTable& table : state_->tables) sum += table.size();
  return sum;
}
template <class T>
bool DynamicsOf<T>::shares_code(const DynamicsOf& other) const {
  return state_->code != nullptr && state_->code == other.state_->code;
}

template <class T>
DynamicsOf<T> DynamicsOf<T>::with_threads(std::size_t threads) const {
  const State& own = *state_;
  DynamicsOptions options = own.options;
  options.threads = threads;
  return DynamicsOf(std::make_shared<const State>(own.model, options, own.code, own.parameters, make_pool(threads)));
}

template <class T>
DynamicsOf<T> DynamicsOf<T>::with_parameters(const Model& changed) const {
  const State& own = *state_;
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(cat("the numbers of robot ", in_quotes(changed.name()), " do not fit robot ", in_quotes(own.model.name()), ": ", why));
  };
  if (changed.base() != own.model.base()) refuse(cat("its base is ", to_string(changed.base()), ", not ", to_string(own.model.base())));
  if (changed.joints().size() != own.model.joints().size()) refuse(cat("it has ", changed.joints().size(), " joints, not ", own.model.joints().size()));
  for (std::size_t k = 0; k < changed.joints().size(); ++k) {
    const Joint &to = changed.joints()[k], &from = own.model.joints()[k];
    if (to.name != from.name || to.type != from.type || to.parent != from.parent || to.mimic.has_value() != from.mimic.has_value() ||
        (to.mimic && to.mimic->leader != from.mimic->leader))
      refuse(cat("joint ", k + 1, " is ", in_quotes(to.name), ", a ", to_string(to.type), " joint, where there was ", in_quotes(from.name), ", a ",
                 to_string(from.type), " joint"));
  }
  if (own.code != nullptr)
    if (auto parameters = own.code->programs.parameters(changed, own.options))
      return DynamicsOf(std::make_shared<const State>(changed, own.options, own.code, *std::move(parameters), own.pool));
  return DynamicsOf(changed, own.options);
}

template <class T>
DynamicsOf<T> DynamicsOf<T>::with_payload(std::string_view link, const Payload& payload) const {
  return with_parameters(ulna::with_payload(model(), link, payload));
}

template class DynamicsOf<double>;
template class DynamicsOf<float>;

}  // namespace ULNA_API
