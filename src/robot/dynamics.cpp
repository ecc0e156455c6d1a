#include <cmath>
#include <ulna/robot/dynamics.hpp>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include <ulna/check/check.hpp>

#include "model/link_named.hpp"
#include "robot/analysis_parts.hpp"
#include "robot/mass_form.hpp"
#include "robot/self_check.hpp"
#include "robot/state.hpp"
#include "robot/templates.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

std::string to_string(const RefusedKernel& refused) {
  return cat("the machine code of ", to_string(refused.quantity), refused.lanes > 1 ? cat(" for ", refused.lanes, " states at a time") : "",
             " gives other results than the templates (",
             std::isfinite(refused.difference) ? cat(rounded(refused.difference), " times what rounding explains") : "a number that is not finite",
             "): the templates are used instead");
}

}  // namespace ULNA_API

namespace ulna::internal::robot {

Code::Code(Searches& searches, const DynamicsOptions& options, InstructionSet most, bool single)
    : programs(searches, options, single, most),
      set(most),
      routines(std::make_shared<const jit::RoutineCode>(programs.sources(), set, single, jit::States::many)) {
  for (const jit::Made& made : routines->made()) {
    const TaskProgram& task = programs.all[made.source];
    const Program& program = routines->program(made.source);
    reports.push_back({task.quantity, task.link, made.width, program.counts(), program.guards, program.angle_sums, program.fused(), made.instructions,
                       made.spills, made.bytes, made.seconds});
    if (const jit::TreeSolve* solve = routines->solve(made.source)) {
      reports.back().counts.mul += solve->counts().mul, reports.back().counts.add += solve->counts().add;
      if (jit::Form{set, single}.has_fma()) reports.back().fused += solve->counts().add;
    }
  }
}

}  // namespace ulna::internal::robot

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr std::size_t kMostThreads = 1024;

/// The templates' plan, as make_plan() lumps it.
template <class T>
PlanOf<T> lumped(Plan bare) {
  lump(bare, PlanOptions().lumping);
  if constexpr (std::is_same_v<T, double>)
    return bare;
  else
    return bare.cast<T>();
}

std::shared_ptr<robot::ThreadPool> make_pool(std::size_t threads) {
  if (threads > kMostThreads)
    throw std::invalid_argument(cat("the number of threads is ", threads, "; the most is ", kMostThreads, ", and 0 is for one per core"));
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::make_shared<robot::ThreadPool>(threads == 0 ? cores : threads);
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
  bind(code == nullptr ? std::vector<std::vector<double>>() : code->programs.parameters(), robot.plan({.snap = wanted.snap, .lumping = Lumping::none}),
       nullptr);
}

template <class T>
DynamicsOf<T>::State::State(const Model& changed, const State& same, const Plan& bare, const std::vector<std::vector<double>>& parameters)
    : model(changed), options(same.options), plan(lumped<T>(bare)), code(same.code), pool(same.pool) {
  bind(parameters, bare, &same);
}

template <class T>
void DynamicsOf<T>::State::bind(const std::vector<std::vector<double>>& parameters, const Plan& bare, const State* same) {
  link_kernels.resize(model.links().size());
  transpose = jit::transpose_for<T>(set(), model.nv());
  transpose_q = jit::transpose_for<T>(set(), model.nq());
  width = jit::Form{set(), sizeof(T) == 4, true}.width();
  friction = options.friction && std::any_of(plan.bodies.begin(), plan.bodies.end(), [](const PlanBody<T>& b) { return b.friction.rubs(false); });
  if (model.closed()) {
    loops = std::make_shared<const Mechanism>(Mechanism::of(model));
    const std::vector<double> q = model.reference();
    const std::vector<T> at(q.begin(), q.end());
    std::vector<T> made(row_of(Quantity::closure).size(plan.sizes()));
    robot::by_templates<T>(plan, {}, Quantity::closure, {at.data()}, made.data());
    pivots.assign(made.end() - static_cast<std::ptrdiff_t>(plan.pivots()), made.end());
  }
  if (code == nullptr) return bind_mass(same);
  const bool passed = same != nullptr && same->refused.empty();  // with other numbers
  robot::SelfCheck right(model, bare, options, sizeof(T) == 4 ? Precision::single : Precision::full, passed);
  routines.reserve(code->programs.all.size());
  for (const robot::TaskProgram& task : code->programs.all) {
    const jit::Oracle oracle = [&](const jit::Trial& trial) { return right.difference<T>(task.quantity, task.link, trial); };
    const std::span<const double> values = task.variant == kNone ? std::span<const double>() : parameters[task.variant];
    const jit::Routine& routine = passed ? routines.emplace_back(same->routines[routines.size()], values, oracle)
                                         : routines.emplace_back(code->routines, routines.size(), values, oracle);
    (task.link == kNone ? kernels : link_kernels[task.link])[static_cast<std::size_t>(task.quantity)] = routine.kernel();
    for (const jit::Routine::Refused& most : routine.refused()) refused.push_back({task.quantity, task.link, most.width, most.difference});
  }
  bind_mass(same);
}

template <class T>
void DynamicsOf<T>::State::bind_mass(const State* same) {
  const jit::Rows* all = kernels[static_cast<std::size_t>(Quantity::mass)].rows;
  if (same != nullptr && same->mass->kernel == all) {
    mass = same->mass;
    return;
  }
  robot::MassForms forms{all, {robot::mass_entries(plan.mass_parents(), MassForm::packed), robot::mass_entries(plan.mass_parents(), MassForm::sparse)}, {}};
  for (std::size_t form = 0; code != nullptr && form < forms.rows.size(); ++form) {
    std::vector<std::uint32_t> of;
    for (const auto& [row, column] : forms.entries[form]) {
      const std::size_t k = row + column * model.nv();
      of.push_back(all != nullptr ? all->of[k] : static_cast<std::uint32_t>(k));
    }
    forms.rows[form] = jit::rows_of(std::move(of), all != nullptr ? all->count : static_cast<std::uint32_t>(model.nv() * model.nv()));
  }
  mass = std::make_shared<const robot::MassForms>(std::move(forms));
}

template <class T>
auto DynamicsOf<T>::State::kernels_for_wrench(std::size_t link) const -> const Kernels& {
  const Kernels& own = link_kernels[link];
  if (code == nullptr || own[static_cast<std::size_t>(Quantity::jacobian)].lanes != nullptr) return own;
  const std::lock_guard lock(other_links->mutex);
  std::shared_ptr<const State>& other = other_links->made[link];
  if (other == nullptr) {
    DynamicsOptions of_link = options;
    of_link.quantities = {Quantity::pose, Quantity::jacobian};
    of_link.links = {model.links()[link].name};
    of_link.threads = 1;
    other = std::make_shared<const State>(Analysis(model), of_link);
  }
  return other->link_kernels[link];
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
  std::size_t sum = state_->code == nullptr ? 0 : state_->code->routines->size();
  for (const jit::Routine& routine : state_->routines) sum += routine.memory();
  return sum;
}
template <class T>
bool DynamicsOf<T>::shares_code(const DynamicsOf& other) const {
  return state_->code != nullptr && state_->code == other.state_->code;
}

template <class T>
DynamicsOf<T> DynamicsOf<T>::with_threads(std::size_t threads) const {
  auto other = std::make_shared<State>(*state_);
  other->options.threads = threads;
  other->pool = make_pool(threads);
  return DynamicsOf(std::move(other));
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
  if (own.code != nullptr) {
    const Plan bare = make_plan(changed, {.snap = own.options.snap, .lumping = Lumping::none});
    if (const auto parameters = own.code->programs.parameters(bare)) return DynamicsOf(std::make_shared<const State>(changed, own, bare, *parameters));
  }
  return DynamicsOf(changed, own.options);
}

template <class T>
DynamicsOf<T> DynamicsOf<T>::with_payload(std::string_view link, const Payload& payload) const {
  return with_parameters(ulna::with_payload(model(), link, payload));
}

template class DynamicsOf<double>;
template class DynamicsOf<float>;

}  // namespace ULNA_API
