
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "effects.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "peers.hpp"
#include "programs/interface.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

/// What acted in every state, a line each.
std::string loads_text(const Certificate& c) {
  const auto three = [](const Vec3<double>& x) { return cat(x.x, ", ", x.y, ", ", x.z); };
  std::string text;
  for (const auto& [link, wrench] : c.wrenches)
    text += cat("In every state: force ", three(wrench.force), " N and moment ", three(wrench.moment), " N m on link ", in_quotes(link), ", in the ",
                wrench.axes == Axes::world ? "world's" : "link's", " axes.\n");
  if (c.base.angular_velocity != Vec3<double>{} || c.base.linear_velocity != Vec3<double>{})
    text += cat("In every state: the base turns at ", three(c.base.angular_velocity), " rad/s and moves at ", three(c.base.linear_velocity), " m/s.\n");
  if (c.base.angular_acceleration != Vec3<double>{} || c.base.linear_acceleration != Vec3<double>{})
    text += cat("In every state: the base accelerates by ", three(c.base.angular_acceleration), " rad/s² and ", three(c.base.linear_acceleration), " m/s².\n");
  return text;
}

/// Which states of a robot with loops were compared.
std::string loops_text(const Certificate::LoopStates& states) {
  std::string text = cat("\nIn ", states.far, " states drives have turned by up to ", Certificate::kWholeTurns, " whole turns; ", states.elsewhere,
                         " lie beyond a singular assembly from the reference, on another branch or circuit.\n");
  if (states.left_out > 0)
    text += cat(states.left_out, " states were left out: they cannot be closed, or are nearer to a singular assembly than ", Certificate::kNearSingular, ".\n");
  if (states.not_sure > 0) text += cat("In ", states.not_sure, " states a pivot of the kernels' elimination is small; they were left out.\n");
  return text;
}

/// Identities that were decided modulo a prime.
std::string exact_text(const std::vector<ExactCheck>& rows) {
  if (rows.empty()) return {};
  Table table("llrl");
  table.row({"modulo 2^61 - 1", "", "chance", ""});
  for (const ExactCheck& row : rows) table.row({row.name, row.holds ? "holds" : "FALSE", scientific(row.probability), row.note});
  return cat("Identities, decided at ", rows.front().trials, rows.front().trials == 1 ? " random point" : " random points",
             " without rounding; a false one would hold there with a probability of at most:\n", table.text(), "\n");
}

std::string certificate_text(const Certificate& c, const std::vector<PeerCheck>& peers, bool agree) {
  std::string text = cat(
      "robot ", c.robot, " (", c.model_hash, "), ", c.samples, c.loops ? " closed states, seed " : " states, seed ", c.seed, "\nDifferences are from ",
      c.loops ? "the tree's equations with multipliers, solved in extended precision, relative to the largest terms that enter and to the loops' condition.\n"
              : "a recursion in extended precision, relative to the largest terms that enter.\n",
      loads_text(c), "\n");
  Table table("lllrrl");
  table.row({"quantity", "formulation", "", "difference", "allowed", ""});
  std::string last;
  for (const FormulationCheck& f : c.formulations) {
    if (!f.applies) continue;
    const std::string quantity(result_name(f.quantity));
    table.row({quantity == last ? "" : quantity, f.id, f.agree ? "agrees" : "DIFFERS", scientific(f.max_relative_difference), scientific(f.tolerance), f.note});
    last = quantity;
  }
  text += table.text();
  if (c.loops) text += loops_text(*c.loops);
  bool heading = false;
  for (const FormulationCheck& f : c.formulations) {
    if (f.applies) continue;
    if (!heading) text += c.loaded ? "\nNot for this robot under these loads:\n" : "\nNot for this robot:\n";
    heading = true;
    text += cat("  ", f.id, " (", result_name(f.quantity), "): ", f.why_not, "\n");
  }
  text += "\n";
  Table laws("llrrl");
  laws.row({"law", "", "worst", "allowed", ""});
  for (const LawCheck& law : c.laws)
    laws.row({law.id, law.holds ? "holds" : "BROKEN", scientific(law.worst), law.tolerance == 0 ? "> 0" : scientific(law.tolerance), law.statement});
  text += laws.text() + "\n" + exact_text(c.exact);
  if (peers.empty())
    text += c.loops    ? "Other libraries are compared on trees only.\n"
            : c.loaded ? "Other libraries are compared without loads only.\n"
                       : "No other library to compare with was found next to the program.\n";
  Table others("lllrr");
  for (const PeerCheck& peer : peers)
    others.row({peer.name, peer.quantity,
                !peer.why_not.empty() ? cat("not compared: ", peer.why_not)
                : peer.agree          ? "agrees"
                                      : "DIFFERS",
                peer.why_not.empty() ? scientific(peer.max_relative_difference) : "", peer.why_not.empty() ? scientific(peer.tolerance) : ""});
  text += others.text();
  for (const PeerCheck& peer : peers)
    for (const std::string& cause : peer.causes) text += cat("  why ", peer.name, " differs: ", cause, "\n");
  text += agree ? "\nAll agree.\n" : "\nTHEY DO NOT AGREE.\n";
  return text;
}

/// As in the file; null for none.
nlohmann::json loads_of(const Certificate& c) {
  if (!c.loaded) return {};
  StringSink written;
  Json json(written);
  write_loads(json, c);
  return nlohmann::json::parse(written.text());
}

/// Is what a kept certificate says still so? Prints what is not; true when all is.
bool still_true(const std::string& path, const Model& model, const Certificate& now) {
  std::ifstream file(path);
  if (!file) throw UsageError(cat("option --against: cannot read ", in_quotes(path)));
  const nlohmann::json then = nlohmann::json::parse(file, nullptr, false);
  if (then.is_discarded() || !then.is_object() || !then.contains("model_hash") || !then.contains("formulations") || !then.contains("witnesses"))
    throw UsageError(cat("option --against: ", in_quotes(path), " is not a certificate that 'ulna verify --out' wrote"));
  bool same = true;
  const auto differs = [&](const std::string& what) {
    std::printf("%s: %s\n", path.c_str(), what.c_str());
    same = false;
  };
  try {
    if (then["model_hash"] != now.model_hash)
      differs(cat("the certificate is for another model: its hash is ", then["model_hash"].get<std::string>(), ", this one's ", now.model_hash));
    if (then.value("loads", nlohmann::json()) != loads_of(now)) differs("the certificate is of other loads: give the same --wrench and --base options");
    for (const nlohmann::json& was : then["formulations"]) {
      if (!was["applies"].get<bool>()) continue;
      const std::string id = was["id"].get<std::string>(), quantity = was["quantity"].get<std::string>();
      const std::string called = id == production_path().id ? "templates" : id;  // as version 0.1 had it
      const auto is = std::find_if(now.formulations.begin(), now.formulations.end(),
                                   [&](const FormulationCheck& row) { return row.id == called && result_name(row.quantity) == quantity; });
      const bool found = is != now.formulations.end();
      // A computer without a compiler cannot check; that is no change of the robot.
      if (found && !is->applies && is->needs_compiler)
        std::printf("%s: %s (%s) agreed then; now %s\n", path.c_str(), id.c_str(), quantity.c_str(), is->why_not.c_str());
      else if (!found || !is->applies || !is->agree)
        differs(cat("formulation ", id, " (", quantity, ") agreed then and does not now"));
    }
    if (then.contains("exact")) {
      const std::vector<ExactCheck> rows = now.exact.empty() ? verify_exact(Prepared(model, now.snap), {.seed = now.seed}) : now.exact;
      for (const nlohmann::json& was : then["exact"]) {
        const std::string name = was["name"].get<std::string>();
        const auto is = std::find_if(rows.begin(), rows.end(), [&](const ExactCheck& row) { return row.name == name; });
        if (was["holds"].get<bool>() && (is == rows.end() || !is->holds)) differs(cat("the identity ", in_quotes(name), " held then and does not now"));
      }
    }
    std::size_t k = 0;
    const double tolerance = verify_tolerance(std::max<std::size_t>(1, model.nv()));
    for (const nlohmann::json& was : then["witnesses"]) {
      const auto tau = was["tau"].get<std::vector<double>>();
      if (k >= now.witnesses.size() || tau.size() != now.witnesses[k].tau.size()) break;
      double largest = 0, worst = 0;
      for (std::size_t i = 0; i < tau.size(); ++i) {
        largest = std::max(largest, std::abs(tau[i]));
        worst = std::max(worst, std::abs(tau[i] - now.witnesses[k].tau[i]));
      }
      if (worst > tolerance * largest) differs(cat("torques of witness ", k + 1, " have changed by ", rounded(worst), " of ", rounded(largest)));
      ++k;
    }
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(cat("option --against: ", in_quotes(path), " is damaged: ", error.what()));
  }
  if (same) std::printf("%s: still true\n", path.c_str());
  return same;
}

/// Written under a temporary name, then renamed: a certificate is whole or absent.
void keep(WholeFile file, const Certificate& c, const std::vector<PeerCheck>& peers, bool agree) {
  Output out(file.stream());
  Json json(out);
  write_certificate(json, c, peers, agree);
  json.finish();
  out.flush();
  file.keep();
}

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
  JsonOutput json;
  json.line_fields("proof", r.proof, "robot", r.robot, "model_hash", r.model_hash, "samples", r.samples, "seed", std::to_string(r.seed), "tolerance",
                   r.tolerance, "symbolic", r.symbolic, "agree", r.agree());
  json.line().key("steps").begin_array();
  for (const ProofStep& step : r.steps) {
    json.line().begin_object();
    json.fields("equation", step.equation, "from", step.from, "max_relative_difference", step.max_relative_difference, "agree", step.agree);
    if (step.same_normal_form) json.fields("same_normal_form", *step.same_normal_form);
    json.fields("says", step.says).end_object();
  }
  json.end_array();
  json.list("misprints", r.misprints, [&](const Misprint& misprint) {
    json.object("equation", misprint.equation, "printed", misprint.printed, "max_relative_difference", misprint.max_relative_difference, "differs",
                misprint.differs);
  });
  json.end_object().finish();
}

int run_proof(const Arguments& arguments) {
  for (const char* other : {"--exact", "--out", "--against", "--peers", "--generated", "--wrench", "--base-velocity", "--base-acceleration"})
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
  arguments.has("--json") ? print_json(report) : print(report);
  return report.agree() ? kDone : kAnswerNo;
}

int verify_main(const Arguments& arguments) {
  if (arguments.has("--proof")) return run_proof(arguments);
  if (arguments.has("--against")) arguments.refuse({"--out", "--json"}, "with --against, which compares and writes no certificate");
  VerifyOptions options;
  options.samples = arguments.whole_number("--samples", 1000, 1);
  options.seed = arguments.whole_number("--seed", 1, 0);
  options.snap = arguments.number("--snap").value_or(options.snap);
  const Robot robot = load_robot(arguments, true);
  options.wrenches = wrenches_of(arguments, robot.model);
  options.base = base_of(arguments);
  options.exact = arguments.has("--exact");
  const Analysis analysis(robot.model);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  int shown = -1;
  if (terminal)
    options.progress = [&](double fraction) {
      const int percent = static_cast<int>(100 * fraction);
      if (percent != shown) std::fprintf(stderr, "\rverifying %s: %d %%\033[K", robot.model.name().c_str(), shown = percent);
    };
  const bool generated = arguments.on_off("--generated", true);
  options.implementations = [&] { return shipped(analysis, {.snap = options.snap, .generated = generated}); };
  const Certificate certificate = verify(Prepared(analysis.model(), options.snap), options);
  const bool ask = arguments.on_off("--peers", true) && !certificate.loaded && !certificate.loops;
  const std::vector<PeerCheck> peers = ask ? ask_peers(robot.model, options) : std::vector<PeerCheck>{};
  if (terminal) std::fprintf(stderr, "\r\033[K");
  bool agree = certificate.agree();
  for (const PeerCheck& peer : peers) agree = agree && (!peer.why_not.empty() || peer.agree);

  if (const auto path = arguments.value("--against")) return still_true(*path, robot.model, certificate) && agree ? kDone : kAnswerNo;
  if (const auto path = arguments.value("--out")) keep(WholeFile("--out", *path, arguments.has("--force")), certificate, peers, agree);
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    write_certificate(json, certificate, peers, agree);
    json.finish();
  } else {
    std::fputs(certificate_text(certificate, peers, agree).c_str(), stdout);
  }
  return agree ? kDone : kAnswerNo;
}

}  // namespace

Command verify_command() {
  return {"verify",
          "whether all formulations, the compiled and generated code, the laws of mechanics and other libraries agree on a model",
          "MODEL [options]",
          "Runs every formulation that takes the model on random states within the joint limits, and also the C++\n"
          "templates, the machine code of this computer in doubles and floats, and the generated C if there is a compiler.\n"
          "Compares each with a recursion in extended precision, tests the laws of mechanics, and compares other libraries that\n"
          "were found when Ulna was built. Differences are relative to the largest terms that enter a result. The allowed\n"
          "difference follows from the number of links, the unit roundoff and, for accelerations, the inverse of M. Exit status\n"
          "0 when all agree, 1 when not.\n"
          "With --wrench, --base-velocity or --base-acceleration, these loads act in every state. What supports them is\n"
          "compared under them; for the others, the reason is printed.\n"
          "With --exact, the equations are also decided as identities modulo the prime 2^61 - 1, where nothing is rounded: every\n"
          "formulation, the laws, lumping, the moves of the search and the programs that machine code is made of (docs/exact.md).\n"
          "With --proof, a paper's derivation is run instead: every numbered equation is computed by itself and compared with\n"
          "the one before it, on numbers and, for up to three joints, on symbols. 'turney' is the equivalence of Lagrange's\n"
          "equations and Newton and Euler's recursion (Turney, Mudge & Lee 1980, secs 2 and 4), 'hollerbach' is appendices A\n"
          "and B of Hollerbach 1980, 'kane' leads from particles to Kane's dynamical equations (Kane & Levinson 1983), 'lin'\n"
          "from forces of composite bodies to H and b (Lin 1991), 'nasser' from Newton's and Euler's laws to A* and B*\n"
          "(Nasser 1990).",
          std::vector<Option>{{"--samples", "N", "number of states (default 1000; 20 with --proof)"},
                              {"--seed", "S", "seed of the states (default 1)"},
                              {"--out", "FILE", "write the certificate to this file (JSON)"},
                              {"--against", "FILE", "check whether an earlier certificate still holds for this model"},
                              {"--exact", "", "decide the equations as identities modulo a prime, too: nothing is rounded"},
                              {"--proof", "NAME", "run a paper's derivation, equation by equation: turney, hollerbach, kane, lin or nasser"},
                              {"--peers", "on|off", "compare with other libraries, too (default on)"},
                              {"--generated", "on|off", "compile the generated C and compare it, too (default on)"},
                              {"--json", "", "print one JSON object and nothing else"}} +
              std::vector<Option>{wrench_option()} + base_options() + model_options() + std::vector<Option>{snap_option()},
          "ulna verify stanford --samples 100",
          verify_main};
}

}  // namespace ulna::cli
