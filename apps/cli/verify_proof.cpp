#include "verify_proof.hpp"

#include <unistd.h>

#include <cstdio>

#include <ulna/verify/verify.hpp>

#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

void print(const ProofReport& r) {
  std::string_view title, citation;
  for (const Proof& proof : proofs())
    if (proof.id == r.proof) title = proof.title, citation = proof.citation;
  std::string text = cat("proof ", r.proof, ": ", title, "\n  ", citation, "\nrobot ", r.robot, " (", r.model_hash, "), ", r.samples, " states, seed ", r.seed,
                         "\nEach equation is computed by itself and compared with the line before it. Differences are relative to all that was rounded\n"
                         "on the way; ",
                         scientific(r.tolerance), " is allowed. Normal forms: ", r.symbolic, ".\n\n");
  Table table("lllrll");
  table.row({"equation", "from", "", "difference", "normal form", "says"});
  for (const ProofStep& step : r.steps)
    table.row({step.equation, step.from, step.agree ? "holds" : "DIFFERS", scientific(step.max_relative_difference),
               !step.same_normal_form   ? ""
               : *step.same_normal_form ? "the same"
                                        : "ANOTHER",
               step.says});
  text += table.text();
  text += "\nAs printed, where the print is wrong:\n";
  Table misprints("llrl");
  for (const Misprint& misprint : r.misprints)
    misprints.row({misprint.equation, misprint.differs ? "differs" : "does not show here", scientific(misprint.max_relative_difference), misprint.printed});
  text += misprints.text();
  text += r.agree() ? "\nThe proof holds.\n" : "\nTHE PROOF DOES NOT HOLD.\n";
  std::fputs(text.c_str(), stdout);
}

void print_json(const ProofReport& r) {
  Output out;
  Json json(out);
  json.begin_object();
  json.line().key("proof").value(r.proof);
  json.line().key("robot").value(r.robot);
  json.line().key("model_hash").value(r.model_hash);
  json.line().key("samples").value(r.samples);
  json.line().key("seed").value(std::to_string(r.seed));
  json.line().key("tolerance").value(r.tolerance);
  json.line().key("symbolic").value(r.symbolic);
  json.line().key("agree").value(r.agree());
  json.line().key("steps").begin_array();
  for (const ProofStep& step : r.steps) {
    json.line().begin_object().key("equation").value(step.equation).key("from").value(step.from);
    json.key("max_relative_difference").value(step.max_relative_difference).key("agree").value(step.agree);
    if (step.same_normal_form) json.key("same_normal_form").value(*step.same_normal_form);
    json.key("says").value(step.says).end_object();
  }
  json.end_array();
  json.line().key("misprints").begin_array();
  for (const Misprint& misprint : r.misprints) {
    json.line().begin_object().key("equation").value(misprint.equation).key("printed").value(misprint.printed);
    json.key("max_relative_difference").value(misprint.max_relative_difference).key("differs").value(misprint.differs).end_object();
  }
  json.end_array().end_object();
  json.finish();
}

}  // namespace

int run_proof(const Arguments& arguments) {
  for (const char* other : {"--out", "--against", "--peers", "--generated", "--wrench", "--base-velocity", "--base-acceleration"})
    if (arguments.has(other)) throw UsageError(cat("option ", other, " is about certificates, and --proof makes none"));
  ProofOptions options;
  options.samples = arguments.whole_number("--samples", options.samples, 1);
  options.seed = arguments.whole_number("--seed", options.seed, 0);
  options.snap = arguments.number("--snap").value_or(options.snap);
  const std::string proof = *arguments.value("--proof");
  const Robot robot = load_robot(arguments, true);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) options.progress = [&](double fraction) { std::fprintf(stderr, "\rproving: %d %%\033[K", static_cast<int>(100 * fraction)); };
  ProofReport report;
  try {
    report = prove(proof, robot.model, options);
  } catch (const std::invalid_argument& error) {
    throw UsageError(cat("option --proof: ", error.what()));
  }
  if (terminal) std::fprintf(stderr, "\r\033[K");
  if (arguments.has("--json"))
    print_json(report);
  else
    print(report);
  return report.agree() ? kDone : kAnswerNo;
}

}  // namespace ulna::cli
