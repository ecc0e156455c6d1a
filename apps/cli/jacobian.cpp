#include "command.hpp"
#include "evaluate.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

Result prepare_jacobian(Setup& setup, const Arguments& arguments) {
  if (!arguments.has("--link")) throw UsageError(cat("'ulna jacobian' needs --link NAME; 'ulna info ", arguments.positional().front(), "' lists the links"));
  const std::size_t link = chosen_links(setup, arguments).front();
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size();
  const std::vector<std::string> rows{"wx", "wy", "wz", "vx", "vy", "vz"};
  Result result;
  result.show_matrix("J", rows, names);
  result.lists = {{"rows", rows}};
  result.labels = {{"link", setup.robot.model.links()[link].name}};
  result.links = {link};
  result.make = [&setup, link, n]() -> Compute {
    return [&setup, link, n](const StateBlock& s, double* J) { setup.dynamics->jacobian_batch(s.columns(&StateBlock::q), link, {J, 6 * n, s.count}); };
  };
  result.make_errors = roundings(setup, {{Quantity::jacobian, link}});
  result.arrange(by_rows(0, 6, n));
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
