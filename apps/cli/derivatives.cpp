// ulna derivatives: of inverse or of forward dynamics, by positions, rates, and accelerations or torques.
#include <algorithm>

#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

/// The matrices that a row's columns fall into, each row by row.
template <Quantity quantity>
Result by_parts(Setup& setup, const Arguments&) {
  const QuantityRow& row = row_of(quantity);
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size(), parts = row.parts.size();
  Result result;
  for (std::size_t p = 0; p < parts; ++p) {
    result.fields.push_back({std::string(row.parts[p]), p * n * n, {n, n}});
    for (const std::string& i : names)
      for (const std::string& j : names) result.headers.push_back(cat(row.parts[p], ".", i, ".", j));
  }
  result.labels = {{"of", quantity == Quantity::inverse_derivatives ? "inverse" : "forward"}};
  result.text = [names, &row, n, parts](const double* numbers) {
    std::string text;
    for (std::size_t p = 0; p < parts; ++p) {
      Table table("l" + std::string(n, 'r'));
      std::vector<std::string> head{std::string(row.parts[p])};
      head.insert(head.end(), names.begin(), names.end());
      table.row(head);
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::string> cells{names[i]};
        for (std::size_t j = 0; j < n; ++j) cells.push_back(brief(numbers[(p * n + i) * n + j]));
        table.row(cells);
      }
      text += cat(p == 0 ? "" : "\n", table.text());
    }
    return text;
  };
  result.make = [&setup, n, parts]() -> Compute {
    return [compute = by_dynamics(setup, quantity), n, parts, columns = std::vector<double>(parts * n * n)](const StateBlock& states, double* rows) mutable {
      compute(states, rows);
      for (std::size_t k = 0; k < states.count * parts; ++k) {  // kernels write column by column
        double* const M = rows + k * n * n;
        columns.assign(M, M + n * n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) M[i * n + j] = columns[i + j * n];
      }
    };
  };
  return result;
}

const Computation kInverse{Quantity::inverse_derivatives, by_parts<Quantity::inverse_derivatives>};
const Computation kForward{Quantity::forward_derivatives, by_parts<Quantity::forward_derivatives>};

int run(const Arguments& arguments) {
  const bool forward = arguments.choice("--of", {"inverse", "forward"}) == "forward";
  if (forward && arguments.has("--a")) throw UsageError("option --a goes with --of inverse; derivatives of forward dynamics are taken at torques: --tau");
  if (!forward && arguments.has("--tau"))
    throw UsageError("option --tau goes with --of forward; derivatives of inverse dynamics are taken at accelerations: --a");
  return evaluate(arguments, forward ? kForward : kInverse);
}

std::vector<Option> options() {
  std::vector<Option> all{{"--of", "inverse|forward", "of the torques at accelerations --a, or of the accelerations at torques --tau (default inverse)"}};
  std::vector<Option> more = evaluation_options(kInverse);
  for (const Option& option : evaluation_options(kForward))
    if (std::none_of(more.begin(), more.end(), [&](const Option& known) { return known.name == option.name; })) {
      const auto after = std::find_if(more.begin(), more.end(), [](const Option& known) { return std::string_view(known.name) == "--states"; });
      more.insert(after, option);
    }
  return all + more;
}

}  // namespace

Command derivatives_command() {
  return {"derivatives",
          "derivatives of torques or of accelerations, by positions, rates, and accelerations or torques",
          "MODEL [options]",
          "Computes the matrices d_q, d_v and d_a of derivatives of the torques tau = M(q) a + bias(q, v), of which the last is M; or,\n"
          "with --of forward, d_q, d_v and d_tau of the accelerations, of which the last is the inverse of M. Rows belong to torques\n"
          "(accelerations), columns to coordinates. Viscous friction is in them where it is asked for; Coulomb friction has no\n"
          "derivative. Wrenches keep to the link or to the world, as they are given.",
          options(),
          "ulna derivatives planar-2r --q 0.3,0.4 --v 1,-2 --a 0.5,0.1\n"
          "    three 2 x 2 matrices",
          run};
}

}  // namespace ulna::cli
