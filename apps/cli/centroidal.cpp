#include <iterator>

#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

constexpr const char* kRows[] = {"angular.x", "angular.y", "angular.z", "linear.x", "linear.y", "linear.z"};
constexpr std::size_t kNumbers = 18;  // of the quantity without its matrices

Result prepare_centroidal(Setup& setup, const Arguments&) {
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size();
  const double mass = setup.robot.model.mass();
  if (!(mass > 0)) throw UsageError("the robot has no mass, and so no mass centre");
  Result result;
  for (const char* part : {"com", "velocity"})
    for (const char* axis : {"x", "y", "z"}) result.headers.push_back(cat(part, ".", axis));
  result.headers.insert(result.headers.end(), std::begin(kRows), std::end(kRows));
  for (const char* row : kRows) result.headers.push_back(cat("A_rate_v.", row));
  for (const char* row : kRows)
    for (const std::string& name : names) result.headers.push_back(cat("A.", row, ".", name));
  for (const char* axis : {"x", "y", "z"})
    for (const std::string& name : names) result.headers.push_back(cat("com_jacobian.", axis, ".", name));
  result.fields = {{"com", 0, {3}},
                   {"com_velocity", 3, {3}},
                   {"angular", 6, {3}},
                   {"linear", 9, {3}},
                   {"A_rate_v", 12, {6}},
                   {"A", kNumbers, {6, n}},
                   {"com_jacobian", kNumbers + 6 * n, {3, n}}};
  result.lists = {{"rows", {std::begin(kRows), std::end(kRows)}}, {"columns", names}};
  const std::size_t size = kNumbers + 9 * n;
  result.make = [&setup, size, n, mass]() -> Compute {
    return one_by_one(size, [&setup, n, mass, A = std::vector<double>(6 * n)](const StateView& state, double* row) mutable {
      setup.dynamics->compute(Quantity::centroidal, inputs(state), row);
      setup.dynamics->compute(Quantity::centroidal_matrix, inputs(state), A.data());
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t c = 0; c < n; ++c) row[kNumbers + r * n + c] = A[c * 6 + r];
      for (std::size_t k = 0; k < 3 * n; ++k) row[kNumbers + 6 * n + k] = row[kNumbers + 3 * n + k] / mass;
    });
  };
  result.text = [names, n](const double* row) {
    Table table("lrrrl");
    const auto line = [&](const char* what, const double* x, const char* unit) { table.row({what, brief(x[0]), brief(x[1]), brief(x[2]), unit}); };
    line("mass centre", row, "m");
    line("its velocity", row + 3, "m/s");
    line("angular momentum", row + 6, "N m s");
    line("linear momentum", row + 9, "N s");
    line("dA/dt v, angular", row + 12, "N m");
    line("dA/dt v, linear", row + 15, "N");
    Table matrix("l" + std::string(n, 'r'));
    std::vector<std::string> head{"A"};
    head.insert(head.end(), names.begin(), names.end());
    matrix.row(head);
    for (std::size_t r = 0; r < 6; ++r) {
      std::vector<std::string> cells{kRows[r]};
      for (std::size_t c = 0; c < n; ++c) cells.push_back(brief(row[kNumbers + r * n + c]));
      matrix.row(cells);
    }
    return cat(table.text(), "\n", matrix.text());
  };
  return result;
}

const Computation kCentroidal{Quantity::centroidal, prepare_centroidal};

}  // namespace

Command centroidal_command() {
  return {"centroidal",
          "mass centre, and momentum about it",
          "MODEL [options]",
          "Computes, in the world's axes: the mass centre of all links, its velocity and its Jacobian; the momentum about it;\n"
          "the matrix A that maps velocities to this momentum (angular rows first); and dA/dt v. The rate of the momentum is A\n"
          "dv/dt + dA/dt v; for a free base, dv/dt is the spatial acceleration. The world's axes are those of a fixed root\n"
          "link.",
          evaluation_options(kCentroidal),
          "ulna centroidal space-arm --base free --v 0,0,0.1,0,0,0,0.01,0.02,0,0,0,0,0",
          [](const Arguments& arguments) { return evaluate(arguments, kCentroidal); }};
}

}  // namespace ulna::cli
