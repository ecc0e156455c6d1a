#include <ulna/verify/verify.hpp>

#include <algorithm>
#include <stdexcept>

#include <ulna/dynamics/on_plan.hpp>
#include "verify/reference.hpp"

#include "dynamics/acting.hpp"
#include "text/message.hpp"
#include "verify/bounds.hpp"
#include "verify/implementations.hpp"
#include "verify/laws.hpp"
#include "verify/loop_states.hpp"
#include "verify/memory.hpp"
#include "verify/terms_in_frames.hpp"

namespace ulna ULNA_API {

using namespace internal;

double verify_tolerance(std::size_t n) { return rounding_tolerance(n); }

Effects VerifyOptions::effects() const {
  Effects effects;
  effects.wrenches = wrenches;
  effects.base = base;
  return effects;
}

bool Certificate::agree() const {
  return std::all_of(formulations.begin(), formulations.end(), [](const FormulationCheck& c) { return !c.applies || c.agree; }) &&
         std::all_of(laws.begin(), laws.end(), [](const LawCheck& c) { return c.holds; }) &&
         std::all_of(exact.begin(), exact.end(), [](const ExactCheck& c) { return c.holds; });
}

namespace {

/// The templates on the model itself: their accelerations take mimic joints, where a paper's equations have free ones, and they take loops.
struct OwnKernels {
  explicit OwnKernels(const Prepared& prepared) : plan(make_plan(prepared.given, {.snap = prepared.snap})), workspace(plan) {}
  Plan plan;
  Workspace workspace;
};

/// A formulation under test: its row of the certificate and the means to run it.
struct Candidate {
  FormulationCheck check;
  std::optional<FormulationOnModel> run;
  std::optional<OwnKernels> own;  // in place of `run`
  Frames frames = Frames::tree;
  const Formulation* row = nullptr;
  ValidAt valid_at = ValidAt::every_state;
  int singular = 0;  // states in which its own variables do not exist
};

std::vector<Candidate> candidates(const Prepared& prepared, const Effects& effects, double tolerance, std::uint64_t seed) {
  std::vector<Candidate> all;
  for (const Quantity quantity : formulated_quantities())
    for (const Formulation& row : formulations()) {
      if (!row.gives(quantity)) continue;
      Candidate candidate;
      // The production path is not the only thing of Ulna's here: what runs it is part of its name.
      const std::string id(row.production ? "templates" : row.id);
      if (row.production && (prepared.given.closed() || quantity == Quantity::forward || !row_of(quantity).parts.empty())) candidate.own.emplace(prepared);
      candidate.check = {id, quantity, false, candidate.own ? row.why_not(prepared) : why_not(row, quantity, prepared, effects), 0, tolerance, false};
      candidate.check.applies = candidate.check.why_not.empty();
      candidate.frames = row.frames;
      candidate.row = &row;
      candidate.valid_at = row.valid_at;
      if (row.valid_at == ValidAt::table_nodes && candidate.check.applies && prepared.size() != prepared.model.nv())
        candidate.check = {id, quantity, false, "its table is over free joints, and a mimic joint does not stop at the nodes", 0, tolerance, false};
      if (row.note != nullptr && candidate.check.applies) candidate.check.note = row.note(prepared, seed);
      if (candidate.check.applies && !candidate.own) candidate.run.emplace(row, quantity, prepared);
      all.push_back(std::move(candidate));
    }
  return all;
}

void worsen(FormulationCheck& check, double difference) { check.max_relative_difference = std::max(check.max_relative_difference, difference); }

void compare(Candidate& candidate, const Bounds& exact, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a,
             const std::vector<double>& tau, const Effects& effects) {
  const Quantity quantity = candidate.check.quantity;
  const InputsOf<double> in{q.data(), v.data(), row_of(quantity).takes("tau") ? tau.data() : a.data()};
  const Bounds::Exact wanted = exact.of(quantity, *candidate.row);
  std::vector<double> got(wanted.value.size());
  if (candidate.own)
    ulna::compute(quantity, candidate.own->plan, candidate.own->workspace, in, got.data(), effects);
  else
    candidate.run->compute(quantity, in, got.data(), effects);
  const double amplification = candidate.own ? 1 : candidate.run->amplification();
  worsen(candidate.check, largest_difference(got, wanted.value, wanted.bound, amplification));
}

}  // namespace

Certificate verify(const Model& model, const VerifyOptions& options) { return verify(Prepared(model, options.snap), options); }

Certificate verify(const Prepared& prepared, const VerifyOptions& options) {
  const Model& model = prepared.given;
  for (const Wrench& wrench : options.wrenches)
    if (wrench.link >= model.links().size())
      throw std::invalid_argument(
          cat("a wrench is on link ", wrench.link, ", but robot ", in_quotes(model.name()), " has ", model.links().size(), " links, counted from 0"));
  const Effects effects = options.effects();
  const bool loaded = acting_loads(Quantity::inverse, effects).any();
  if (const std::string reason = why_too_large(model, prepared); !reason.empty()) throw std::invalid_argument(reason);
  if (model.base() != RootJoint::fixed && acting_loads(Quantity::inverse, {.base = options.base}).base)
    throw std::invalid_argument(cat("the base of robot ", in_quotes(model.name()), " is ", to_string(model.base()), ", and its motion cannot be prescribed"));
  // The reference takes the model as the plan does: what snapping changes is not the formulations' doing. A planar base is joints to it.
  const Model& as_taken = model.base() == RootJoint::planar ? prepared.model : model;
  std::vector<Wrench> wrenches = options.wrenches;
  for (Wrench& wrench : wrenches) wrench.link += as_taken.links().size() - model.links().size();
  const Model merged = snapped_model(as_taken, prepared.snap);
  const Acting acting = on_bodies(as_taken, prepared.snap, wrenches, options.base);
  const Reference reference(merged, acting);
  const TermsInFrames terms(merged, prepared, acting);
  const Reference robot_alone(merged);
  const Terms alone(merged);
  const std::size_t n = model.nv();
  Certificate certificate{model.name(), model_hash(model), options.samples, options.seed, prepared.snap, {}, {}, {}, {}, options.base, loaded};
  for (const Wrench& wrench : options.wrenches) certificate.wrenches.push_back({model.links()[wrench.link].name, wrench});
  std::vector<Candidate> tested = candidates(prepared, effects, verify_tolerance(std::max<std::size_t>(model.nv_tree(), 1)), options.seed);

  ImplementationChecks shipped(model, options);
  Laws laws(model, robot_alone, alone, prepared.snap, effects);
  StateSampler sampler(model, options.seed);
  const Plan plan = make_plan(model, {.snap = prepared.snap});
  std::optional<LoopStates> closed;
  if (model.closed()) closed.emplace(model, plan, options.seed);
  std::vector<double> q, v, a, tau(n);
  certificate.samples = 0;
  for (std::size_t sample = 0; sample < options.samples && n > 0; ++sample) {
    if (options.progress) options.progress(static_cast<double>(sample) / static_cast<double>(options.samples));
    if (!closed)
      sampler.next(q, v, a);
    else if (!closed->next(q, v, a))
      continue;
    ++certificate.samples;
    const Bounds exact(reference, terms.in(Frames::tree), q, v, a);
    Bounds in_dh = exact, in_mdh = exact;
    in_dh.add(terms.in(Frames::dh), q, v, a);
    in_mdh.add(terms.in(Frames::mdh), q, v, a);
    for (std::size_t i = 0; i < n; ++i) tau[i] = static_cast<double>(exact.tau[i]);
    constexpr std::size_t kWitnesses = 3;
    if (certificate.witnesses.size() < kWitnesses) certificate.witnesses.push_back({q, v, a, tau});
    for (Candidate& candidate : tested) {
      if (!candidate.check.applies) continue;
      if (candidate.valid_at == ValidAt::table_nodes) {  // compared where it must be exact
        std::vector<double> q_node = q, v_node = v, a_node = a;
        candidate.run->to_node(q_node.data(), v_node.data(), a_node.data());
        Bounds there(reference, terms.in(Frames::tree), q_node, v_node, a_node);
        there.add(terms.in(candidate.frames), q_node, v_node, a_node);
        compare(candidate, there, q_node, v_node, a_node, tau, effects);
        continue;
      }
      try {
        compare(candidate, candidate.frames == Frames::dh ? in_dh : candidate.frames == Frames::mdh ? in_mdh : exact, q, v, a, tau, effects);
      } catch (const std::domain_error&) {
        ++candidate.singular;  // the formulation's own variables do not exist here
      }
    }
    shipped.add(reference, terms.in(Frames::tree), exact, q, v, a);
    std::optional<Bounds> unloaded;
    if (loaded) unloaded.emplace(robot_alone, alone, q, v, a);
    laws.add(unloaded ? *unloaded : exact, exact, q, v, a);
  }
  if (options.progress) options.progress(1);
  if (closed && certificate.samples == 0)
    throw std::invalid_argument(
        cat("none of ", options.samples, " states near the reference assembly of robot ", in_quotes(model.name()), " can be closed and is not singular"));
  for (Candidate& candidate : tested) {
    if (candidate.singular > 0) candidate.check.note += cat("its variables are singular in ", candidate.singular, " of the states, which were left out");
    candidate.check.agree = candidate.check.applies && candidate.check.max_relative_difference <= candidate.check.tolerance;
  }
  for (const Quantity quantity : formulated_quantities()) {
    for (Candidate& candidate : tested)
      if (candidate.check.quantity == quantity) certificate.formulations.push_back(std::move(candidate.check));
    for (FormulationCheck& row : shipped.rows(quantity)) certificate.formulations.push_back(std::move(row));
  }
  if (closed) certificate.loops = closed->seen(), certificate.formulations.push_back(closed->positions());
  certificate.laws = laws.result();
  if (options.exact) certificate.exact = verify_exact(prepared, {.seed = options.seed});
  return certificate;
}

}  // namespace ULNA_API
