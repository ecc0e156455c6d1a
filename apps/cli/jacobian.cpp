#include <iterator>

#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

constexpr const char* kTwistRows[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

Result prepare_jacobian(Setup& setup, const Arguments& arguments) {
  if (!arguments.has("--link")) throw UsageError(cat("'ulna jacobian' needs --link NAME; 'ulna info ", arguments.positional().front(), "' lists the links"));
  const std::size_t link = chosen_links(setup, arguments).front();
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size();
  Result result;
  for (const char* row : kTwistRows)
    for (const std::string& name : names) result.headers.push_back(cat("J.", row, ".", name));
  result.fields = {{"J", 0, {6, n}}};
  result.lists = {{"rows", {std::begin(kTwistRows), std::end(kTwistRows)}}};
  result.labels = {{"link", setup.robot.model.links()[link].name}};
  result.links = {link};
  result.make = [&setup, link, n]() -> Compute {
    const auto write = [n](const double* J, double* row) {  // J is column by column
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t c = 0; c < n; ++c) *row++ = J[c * 6 + r];
    };
    return [&setup, link, n, write, J = std::vector<double>()](const StateBlock& s, double* rows) mutable {
      J.resize(6 * n * s.count);
      setup.dynamics->compute_batch(Quantity::jacobian, {s.columns(&StateBlock::q)}, {J.data(), 6 * n, s.count}, link);
      for (std::size_t k = 0; k < s.count; ++k) write(&J[6 * n * k], rows + 6 * n * k);
    };
  };
  result.text = [names, n](const double* J) {
    Table table("l" + std::string(n, 'r'));
    std::vector<std::string> head{"J"};
    head.insert(head.end(), names.begin(), names.end());
    table.row(head);
    for (std::size_t r = 0; r < 6; ++r) {
      std::vector<std::string> cells{kTwistRows[r]};
      for (std::size_t c = 0; c < n; ++c) cells.push_back(brief(J[r * n + c]));
      table.row(cells);
    }
    return table.text();
  };
  return result;
}

const Computation kJacobian{Quantity::jacobian, prepare_jacobian};

}  // namespace

Command jacobian_command() {
  return {"jacobian",
          "the geometric Jacobian of a link",
          "MODEL --link NAME [options]",
          "Computes the 6 x nv matrix that maps joint velocities to the velocity of a link: angular velocity first, then the\n"
          "velocity of the link's origin, both in the world's axes, which are those of a fixed root link. The columns of a free\n"
          "base belong to its velocities in its own axes, angular first.",
          evaluation_options(kJacobian) + std::vector<Option>{{"--link", "NAME", "the link"}},
          "ulna jacobian panda --link hand --q 0,0.5,0,-1.5,0,1.8,0",
          [](const Arguments& arguments) { return evaluate(arguments, kJacobian); }};
}

}  // namespace ulna::cli
