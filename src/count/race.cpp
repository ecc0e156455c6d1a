#include "count/race.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <ulna/verify/verify.hpp>

#include "count/counts.hpp"
#include "expr/minimise.hpp"
#include "expr/ready.hpp"
#include "formulation/evaluator.hpp"
#include "formulation/trace.hpp"
#include "jit/routine.hpp"
#include "text/message.hpp"
#include "verify/bounds.hpp"

namespace ulna::internal {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStates = 64;  // that calls go through, over and over
constexpr std::size_t kCompared = 4;
constexpr int kFewestRounds = 5;  // one may be preempted
constexpr double kRound = 2e-5;   // seconds that a round should last: much longer than reading the clock
// As in `ulna bench`, in parts of the terms that enter: a result is rounded some thousand times.
constexpr double kTolerance = 1e-10;

struct States {
  std::size_t n = 0, count = 0;
  std::vector<double> q, v, a, tau;

  InputsOf<double> inputs(Quantity quantity, std::size_t k) const { return {&q[k * n], &v[k * n], row_of(quantity).takes("tau") ? &tau[k * n] : &a[k * n]}; }
  std::vector<double> row(const std::vector<double>& x, std::size_t k) const {
    return {x.begin() + static_cast<std::ptrdiff_t>(k * n), x.begin() + static_cast<std::ptrdiff_t>((k + 1) * n)};
  }
};

std::vector<long double> wide(const std::vector<double>& x) { return {x.begin(), x.end()}; }

/// Random states; for a table-based formulation, the nearest nodes; none in which it has no answer.
States states_for(const Model& model, const Reference& reference, Evaluator<double>* evaluator, bool at_nodes) {
  States s;
  s.n = model.nv();
  StateSampler sampler(model, 1);
  std::vector<double> q, v, a;
  for (std::size_t tried = 0; s.count < kStates && tried < 10 * kStates; ++tried) {
    sampler.next(q, v, a);
    if (at_nodes) evaluator->to_node(q.data(), v.data(), a.data());
    if (evaluator != nullptr && !evaluator->why_not_here(q.data(), v.data(), a.data()).empty()) continue;
    std::vector<long double> tau(s.n);
    reference.torque(wide(q), wide(v), wide(a), tau);
    for (const auto& [to, from] : {std::pair{&s.q, &q}, {&s.v, &v}, {&s.a, &a}}) to->insert(to->end(), from->begin(), from->end());
    for (const long double t : tau) s.tau.push_back(static_cast<double>(t));
    ++s.count;
  }
  return s;
}

/// One way of one row, ready to be called.
struct Runner {
  RaceTime* to = nullptr;
  std::shared_ptr<const States> states;
  std::function<void(std::size_t first, std::size_t count)> sweep;
  std::size_t next = 0, calls = 1;
  double spent = 0;
  int rounds = 0;  // since the calls of a round became enough

  void run() {
    if (next + calls > states->count) next = 0;
    const Clock::time_point start = Clock::now();
    sweep(next, calls);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double ns = seconds / static_cast<double>(calls) * 1e9;
    if (!to->ns || ns < *to->ns) to->ns = ns;
    ++rounds;
    spent += seconds;
    next += calls;
    if (seconds < kRound && calls < states->count) calls = std::min(2 * calls, states->count), rounds = 0, to->ns.reset();
  }
};

class Racing {
 public:
  Racing(const Analysis& robot, const RaceOptions& options)
      : robot_(robot), options_(options), plan_(robot.plan()), reference_(robot.model()), set_(best_instruction_set()) {}

  Race run() {
    Race race{robot_.model().name(), robot_.model().nv()};
    if (plan_.coupled) race.why_not = "it has mimic joints, which the papers' equations do not have";
    if (race.joints == 0) race.why_not = "no joint moves";
    if (!race.why_not.empty()) return race;
    // Rows stay where they are: runners point to them.
    std::size_t most = 0;
    for (const Quantity quantity : formulated_quantities()) most += wanted(quantity) ? formulations().size() + 1 : 0;
    race.rows.reserve(most);
    for (const Quantity quantity : formulated_quantities()) {
      if (!wanted(quantity)) continue;
      for (const Formulation& row : formulations())
        if (row.gives(quantity) && goes_on()) add(race, row, quantity);
      if (goes_on()) add_shipped(race, quantity);
    }
    time_all();
    return race;
  }

 private:
  /// No race without a paper's formulation.
  bool wanted(Quantity quantity) const {
    const auto races = [&](const Formulation& row) { return !row.production && row.gives(quantity); };
    return (options_.only.empty() || std::find(options_.only.begin(), options_.only.end(), quantity) != options_.only.end()) &&
           std::any_of(formulations().begin(), formulations().end(), races);
  }
  bool goes_on() const { return !options_.go_on || options_.go_on(); }

  void add(Race& race, const Formulation& formulation, Quantity quantity) {
    const Prepared prepared(robot_.model());
    RaceRow& row = race.rows.emplace_back();
    row.id = formulation.id;
    row.quantity = quantity;
    row.ours = formulation.production;
    row.own.why_not = row.compiled.why_not = ulna::why_not(formulation, quantity, prepared);
    if (!row.own.why_not.empty()) return;
    row.own.counts = count_as_written(formulation, quantity, prepared).total;
    std::shared_ptr<Evaluator<double>> evaluator = formulation.make_double(prepared);
    const auto states = std::make_shared<const States>(states_for(robot_.model(), reference_, evaluator.get(), formulation.valid_at == ValidAt::table_nodes));
    if (states->count < kStates) {
      row.own.why_not = row.compiled.why_not = "it has an answer in few states only";
      return;
    }
    prepare(row.own, quantity, states, formulation.amplification, true,
            [evaluator, quantity](const InputsOf<double>& in, double* out) { evaluator->compute(quantity, in, out); });
    add_compiled(row.compiled, formulation, quantity, states);
  }

  void add_compiled(RaceTime& to, const Formulation& formulation, Quantity quantity, const std::shared_ptr<const States>& states) {
    to.why_not = why_not_traced(formulation, quantity, Prepared(robot_.model()));
    if (!to.why_not.empty()) return;
    Program program = formulation_program(formulation, quantity, Prepared(robot_.model()));
    to.counts = program.counts();
    const auto code = std::make_shared<const jit::Routine>(jit::Source{to_string(quantity), std::move(program)}, set_, [&](const jit::Trial& trial) {
      to.difference = difference(quantity, *states, formulation.amplification, true,
                                 [&](const InputsOf<double>& in, double* out) { trial.function(in.q, in.v, in.last, out, trial.constants, 1); });
      return to.difference / kTolerance;
    });
    to.why_not = code->refused().empty() ? code->why_not() : differs(to);
    if (to.why_not.empty()) time(to, quantity, states, [code](const InputsOf<double>& in, double* out) { (*code)(in.q, in.v, in.last, out); });
  }

  void add_shipped(Race& race, Quantity quantity) {
    const Dynamics& dynamics = robot_.dynamics({.threads = 1});
    if (!dynamics.why_not_compiled(quantity).empty()) return;
    RaceRow& row = race.rows.emplace_back();
    row.id = "shipped";
    row.quantity = quantity;
    row.ours = true;
    row.own.why_not = "there is machine code of it alone";
    for (const KernelReport& kernel : dynamics.kernels())
      if (kernel.quantity == quantity && kernel.lanes == 1) row.compiled.counts = kernel.counts;
    prepare(row.compiled, quantity, std::make_shared<const States>(states_for(robot_.model(), reference_, nullptr, false)), nullptr, false,
            [&dynamics, quantity](const InputsOf<double>& in, double* out) { dynamics.compute(quantity, in, out); });
  }

  /// From the reference, relative to the terms that enter. `bare`: its torques and masses have no rotors.
  template <class Call>
  double difference(Quantity quantity, const States& states, double (*amplification)(const double*), bool bare, const Call& call) const {
    const std::size_t n = states.n;
    std::vector<double> out(row_of(quantity).size({n, n, n}));
    double worst = 0;
    for (std::size_t k = 0; k < kCompared; ++k) {
      call(states.inputs(quantity, k), out.data());
      if (bare) add_rotors(quantity, states, k, out);
      const std::vector<double> q = states.row(states.q, k);
      const Bounds bounds(reference_, robot_.model(), q, states.row(states.v, k), states.row(states.a, k));
      const Bounds::Exact exact = bounds.of(quantity);
      const double off = largest_difference(out, exact.value, exact.bound, amplification == nullptr ? 1 : amplification(q.data()));
      if (!(off <= worst)) worst = off;  // NaN, too
    }
    return worst;
  }
  static std::string differs(const RaceTime& time) { return cat("it differs from the reference by ", time.difference, " of the terms that enter"); }

  /// Compares, and if that is well, puts it among what is timed.
  template <class Call>
  void prepare(RaceTime& to, Quantity quantity, const std::shared_ptr<const States>& states, double (*amplification)(const double*), bool bare,
               const Call& call) {
    to.difference = difference(quantity, *states, amplification, bare, call);
    if (to.difference <= kTolerance)
      time(to, quantity, states, call);
    else
      to.why_not = differs(to);
  }

  template <class Call>
  void time(RaceTime& to, Quantity quantity, const std::shared_ptr<const States>& states, const Call& call) {
    Runner& runner = runners_.emplace_back();
    runner.to = &to;
    runner.states = states;
    std::vector<double> out(row_of(quantity).size({states->n, states->n, states->n}));
    runner.sweep = [states, quantity, call, out](std::size_t first, std::size_t count) mutable {
      for (std::size_t k = first; k < first + count; ++k) call(states->inputs(quantity, k), out.data());
    };
  }

  void add_rotors(Quantity quantity, const States& s, std::size_t k, std::vector<double>& out) const {
    for (const PlanBody<double>& body : plan_.bodies) {
      if (quantity == Quantity::inverse) out[body.v] += body.rotor * s.a[k * s.n + body.v];
      if (quantity == Quantity::mass) out[body.v * (s.n + 1)] += body.rotor;
    }
  }

  void time_all() {
    for (bool left = true; left && goes_on();) {
      left = false;
      for (Runner& runner : runners_) {
        if (runner.spent >= options_.seconds && runner.rounds >= kFewestRounds) continue;
        runner.run();
        left = true;
      }
    }
  }

  const Analysis& robot_;
  const RaceOptions& options_;
  const Plan& plan_;
  Reference reference_;
  InstructionSet set_;
  std::vector<Runner> runners_;
};

void write_time(Json& json, const RaceTime& time) {
  json.begin_object();
  if (!time.why_not.empty()) json.fields("why_not", time.why_not);
  if (time.ns) json.fields("ns", *time.ns, "difference", time.difference);
  if (time.counts.mul + time.counts.add > 0) json.fields("counts", [&] { write_counts(json, time.counts); });
  json.end_object();
}

}  // namespace

bool Race::agree() const {
  const auto good = [](const RaceTime& time) { return time.difference <= kTolerance; };
  return std::all_of(rows.begin(), rows.end(), [&](const RaceRow& row) { return good(row.own) && good(row.compiled); });
}

Program formulation_program(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  const Trace traced = trace(formulation, quantity, prepared);
  const Minimised fewest = minimised(*traced.graph, traced.results);
  const OutputOf output{traced.output, fewest.results};
  return ready(make_program(*fewest.graph, {&output, 1}), turning_rates(make_plan(with_free_mimics(prepared.model))), Sine::limited, false);
}

Race run_race(const Analysis& robot, const RaceOptions& options) { return Racing(robot, options).run(); }

void write_race(Json& json, const Race& race) {
  json.begin_object().fields("robot", race.robot, "joints", static_cast<double>(race.joints));
  if (!race.why_not.empty()) json.fields("why_not", race.why_not);
  json.key("rows").lines(race.rows, [&](const RaceRow& row) {
    json.object(
        "formulation", row.id, "quantity", to_string(row.quantity), "own", [&] { write_time(json, row.own); }, "compiled",
        [&] { write_time(json, row.compiled); });
  });
  json.end_object();
}

}  // namespace ulna::internal
