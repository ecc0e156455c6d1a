#include "jit/routine.hpp"

#include <chrono>
#include <optional>

#include "jit/bits.hpp"
#include "jit/layout.hpp"
#include "jit/order.hpp"
#include "jit/tamper.hpp"

namespace ulna::internal::jit {

Tamper& tamper() {
  thread_local Tamper errors;
  return errors;
}

namespace {

/// Equal results are written once, and copied by the transposition to columns, if at most this part of the results is distinct.
constexpr double kMostDistinct = 0.5;

/// Largest number of results that a kernel transposes to columns itself: with more, its code is too long for the processor's caches.
constexpr std::size_t kMostTransposed = 512;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// As it is, but in tests of the comparisons.
std::shared_ptr<const Program> tampered(std::string_view name, Way way, const std::shared_ptr<const Program>& program) {
  if (!tamper().program) return program;
  auto changed = std::make_shared<Program>(*program);
  tamper().program(name, way, *changed);
  return changed;
}

/// Likewise.
std::vector<double> tampered(std::string_view name, Way way, std::span<const double> parameters) {
  std::vector<double> changed(parameters.begin(), parameters.end());
  if (tamper().parameters) tamper().parameters(name, way, changed);
  return changed;
}

}  // namespace

RoutineCode::RoutineCode(std::vector<Source> sources, InstructionSet set, bool single, States states) : form_{set, single} {
  using Clock = std::chrono::steady_clock;
  const Form one = form_, lanes{set, single, true, states == States::own};
  std::vector<Encoded> encoded;
  sources_.reserve(sources.size());
  for (Source& source : sources) {
    Clock::time_point start = Clock::now();  // what all functions need counts for the first
    if (tamper().source) tamper().source(source.name, source.program);
    auto program = std::make_shared<const Program>(ordered(one.has_fma() ? fused(source.program) : source.program));
    source.program = {};
    Encoding& to = sources_.emplace_back(Encoding{source.name, program, {}, {}, source.solve});
    const auto add = [&](Way way, const Form& form, const std::shared_ptr<const Program>& of) {
      const std::shared_ptr<const Program> exact = tampered(source.name, way, of);
      Encoded made = way == Way::columns ? encode_columns(*exact, form, to.rows)
                                         : encode(*exact, form, way == Way::one ? std::span<const InputPair>(source.alike) : std::span<const InputPair>());
      if (made.code.empty()) return false;
      const bool has_constants = way == Way::one || way == Way::lanes;
      if (has_constants)
        made_.push_back({sources_.size() - 1, way, form.lanes ? form.width() : 1, made.instructions, made.spills, made.code.size(),
                         std::chrono::duration<double>(Clock::now() - start).count()});
      start = Clock::now();
      to.functions.push_back({way, form, has_constants ? exact : nullptr, made.pairs, {}, encoded.size()});
      if (has_constants) to.functions.back().places = constant_places(*exact);
      encoded.push_back(std::move(made));
      return true;
    };
    if (states != States::own) add(Way::one, one, program);
    if (states == States::one || !add(Way::lanes, lanes, program) || states == States::own || source.solve != nullptr) continue;
    Distinct all = distinct(*program);
    to.rows = std::move(all.rows);
    const auto fewer = std::make_shared<const Program>(std::move(all.program));
    if (to.rows.count <= kMostDistinct * static_cast<double>(to.rows.of.size())) add(Way::once, lanes, fewer);
    Form columns = lanes;
    columns.columns = true;
    if (to.rows.of.size() <= kMostTransposed) add(Way::columns, columns, fewer);
  }
  sines_ = std::make_shared<const Program>(sine_program());
  encoded.push_back(encode(*sines_, one));
  std::vector<const Encoded*> functions;
  for (const Encoded& function : encoded) functions.push_back(&function);
  functions_ = functions.size() - 1;
  memory_.fill(functions);
}

Routine::Routine(std::shared_ptr<const RoutineCode> code, std::size_t source, std::span<const double> parameters, const Oracle& oracle)
    : code_(std::move(code)), source_(source) {
  if (!code_->ok()) return;
  const ConstantTable sincos_table(*code_->sines_, code_->form_);
  const Trial sines{Way::one, 1, code_->memory_.function(code_->functions_), sincos_table.bytes(), nullptr, code_->sines_.get()};
  const Program& program = *encoding().program;
  const std::span<const double> used = program.parameter_count() > 0 ? parameters : std::span<const double>();
  std::optional<Bits<double>> bits;
  std::optional<Bits<float>> float_bits;
  if (code_->form_.single)
    float_bits.emplace(program, used, sines);
  else
    bits.emplace(program, used, sines);
  const auto are_bits_of = [&](const Trial& trial) { return bits ? bits->are_those_of(trial) : float_bits->are_those_of(trial); };
  compare(parameters, [&](const Trial& trial) { return are_bits_of(trial) ? oracle(whole(trial)) : kInfinity; });
}

Routine::Routine(const Routine& same, std::span<const double> parameters, const Oracle& oracle) : code_(same.code_), source_(same.source_) {
  if (!same.ok() || encoding().functions.front().way != Way::one) {
    *this = Routine(same.code_, same.source_, parameters, oracle);
    return;
  }
  double of_one = kInfinity;
  std::optional<Bits<double>> bits;
  std::optional<Bits<float>> float_bits;
  compare(
      parameters,
      [&](const Trial& trial) {
        if (trial.way == Way::one) {
          code_->form_.single ? void(float_bits.emplace(trial)) : void(bits.emplace(trial));
          return of_one = oracle(whole(trial));
        }
        if (trial.way != Way::lanes) return of_one;  // the same numbers, which lanes have compared
        return (bits ? bits->are_those_of(trial) : float_bits->are_those_of(trial)) ? of_one : kInfinity;
      },
      same.tables_.get());
}

Trial Routine::whole(Trial trial) const {
  if (finished_ == nullptr) return trial;
  const Form form{code_->form_.set, code_->form_.single, trial.way != Way::one};
  trial.function = finishing(form);
  trial.constants = &(*finished_)[form.lanes ? 1 : 0];
  trial.solve = encoding().solve.get();
  return trial;
}

void Routine::compare(std::span<const double> parameters, const std::function<double(const Trial&)>& difference_of, const Tables* same) {
  auto tables = same != nullptr ? std::make_shared<Tables>(*same) : std::make_shared<Tables>();
  if (encoding().solve != nullptr) finished_ = std::make_shared<FinishedTwo>();
  std::optional<Evaluation> fixed;
  const Program* of = nullptr;
  Kernel kernel;
  std::array<Refused, 2> worst{};  // of one state, and of lanes
  const Program& program = *encoding().program;
  const std::span<const double> used = program.parameter_count() > 0 ? parameters : std::span<const double>();
  for (const RoutineCode::Function& function : encoding().functions) {
    const bool many = function.way != Way::one;
    ConstantTable& table = (*tables)[many ? 1 : 0];
    if (function.program != nullptr && same == nullptr) {
      table = {*function.program, function.form, tampered(encoding().name, function.way, used), function.pairs};
    } else if (function.program != nullptr) {
      if (of != function.program.get() || tamper().parameters) fixed.emplace(*function.program, tampered(encoding().name, function.way, used));
      of = function.program.get();
      table.set(function.form, fixed->fixed(), function.places, function.pairs);
    }
    const KernelFunction made = code_->memory_.function(function.at);
    const void* constants = table.bytes();
    KernelFunction called = made;
    if (finished_ != nullptr) {
      Finished& finished = (*finished_)[many ? 1 : 0];
      finished = {made, constants, encoding().solve.get(), {}};
      for (std::size_t k = 0; k < encoding().program->inputs.size(); ++k) finished.inputs[k] = encoding().program->inputs[k].size;
      called = finishing(function.form), constants = &finished;
    }
    switch (function.way) {
      case Way::one: kernel.one = called, kernel.one_constants = constants; break;
      case Way::lanes: kernel.lanes = called, kernel.lanes_constants = constants; break;
      case Way::once: kernel.once = called, kernel.rows = &encoding().rows; break;
      case Way::columns: kernel.columns = called; break;
    }
    const std::size_t width = many ? function.form.width() : 1;
    const double difference = difference_of({function.way, width, made, table.bytes(), function.way == Way::once ? &encoding().rows : nullptr, &program, used});
    Refused& most = worst[many ? 1 : 0];
    most = {width, std::isnan(difference) ? kInfinity : std::fmax(most.difference, difference)};
  }
  tables_ = std::move(tables);
  for (const Refused& most : worst)
    if (most.difference > 1) refused_.push_back(most);
  // A program that fails for one state is not used for many, nor vice versa.
  if (refused_.empty()) kernel_ = kernel;
}

Routine::Routine(Source source, InstructionSet set, const Oracle& oracle) {
  if (set == InstructionSet::none) return;
  std::vector<Source> sources;
  sources.push_back(std::move(source));
  *this = Routine(std::make_shared<const RoutineCode>(std::move(sources), set, false, States::one), 0, {}, oracle);
}

std::string Routine::why_not() const {
  if (ok()) return {};
  if (code_ == nullptr) return "machine code may not be made here";
  if (encoding().functions.empty()) return "its program needs more memory for values than a kernel may take of the stack";
  if (!code_->ok()) return "no memory may be made executable here";
  return "its machine code gives other results";
}

std::size_t Routine::memory() const { return tables_ == nullptr ? 0 : (*tables_)[0].size() + (*tables_)[1].size(); }

void Routine::set_lane(ConstantTable& table, std::size_t lane, std::span<const double> parameters) const {
  const RoutineCode::Function& function = encoding().functions.front();
  table.set_lane(*function.program, function.form, lane, function.program->parameter_count() == 0 ? std::span<const double>() : parameters);
}

}  // namespace ulna::internal::jit
