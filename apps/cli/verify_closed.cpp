#include "verify_closed.hpp"

#include <cstdio>

#include "command.hpp"
#include "effects.hpp"
#include "json.hpp"
#include "study/closed_check.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

int verify_closed(const Arguments& arguments, const Mechanism& robot) {
  for (const char* option : {"--out", "--against", "--proof", "--base-velocity", "--base-acceleration", "--peers", "--generated", "--snap"})
    if (arguments.has(option))
      throw UsageError(cat("option ", option, " does not go with robot ", in_quotes(robot.tree().name()), ", which has loops (docs/loops.md)"));
  const std::size_t samples = arguments.whole_number("--samples", 1000, 1);
  const std::size_t seed = arguments.whole_number("--seed", 1, 0);
  const std::vector<Wrench> wrenches = wrenches_of(arguments, robot.tree());
  Effects effects;
  effects.wrenches = wrenches;
  const ulna::internal::ClosedCheck check = ulna::internal::check_closed(robot, samples, seed, effects);
  if (check.used == 0)
    throw UsageError(
        cat("none of ", samples, " states near the reference assembly of robot ", in_quotes(robot.tree().name()), " can be closed and is not singular"));
  const bool agree = check.agree();
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    json.begin_object().line().key("robot").value(robot.tree().name()).line().key("samples").value(check.used).line().key("seed").value(seed);
    json.line().key("far").value(check.far).key("elsewhere").value(check.elsewhere);
    json.line().key("left_out").value(check.left_out).line().key("not_sure").value(check.unsure).line().key("reference").value("multipliers");
    json.line().key("formulations").begin_array();
    for (const ulna::internal::ClosedCheckRow& row : check.rows)
      json.line()
          .begin_object()
          .key("id")
          .value(row.id)
          .key("quantity")
          .value(row.quantity)
          .key("applies")
          .value(true)
          .key("agree")
          .value(row.agree)
          .key("difference")
          .value(row.difference)
          .key("allowed")
          .value(row.allowed)
          .end_object();
    json.end_array().line().key("agree").value(agree);
    json.end();
  } else {
    std::string text = cat("robot ", robot.tree().name(), ", ", check.used, " closed states, seed ", seed,
                           "\nDifferences are from the tree's equations with multipliers, solved in extended precision.\n\n");
    Table table("lllrr");
    table.row({"quantity", "formulation", "", "difference", "allowed"});
    for (const ulna::internal::ClosedCheckRow& row : check.rows)
      table.row({row.quantity, row.id, row.agree ? "agrees" : "DIFFERS", scientific(row.difference), scientific(row.allowed)});
    text += table.text();
    text += cat("\nIn ", check.far, " states drives have turned by up to ", ulna::internal::kWholeTurns, " whole turns; ", check.elsewhere,
                " lie beyond a singular assembly from the reference, on another branch or circuit.\n");
    if (check.left_out > 0)
      text += cat("\n", check.left_out, " states were left out: they cannot be closed, or are nearer to a singular assembly than ",
                  ulna::internal::kNearSingular, ".\n");
    if (check.unsure > 0) text += cat("\nIn ", check.unsure, " states machine code was not sure of a pivot, and said so.\n");
    text += agree ? "\nAll agree.\n" : "\nTHEY DO NOT AGREE.\n";
    std::fputs(text.c_str(), stdout);
  }
  return agree ? kDone : kAnswerNo;
}

}  // namespace ulna::cli
