#include <iterator>
#include <numeric>

#include "command.hpp"
#include "evaluate.hpp"

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
  const std::vector<std::string> axes{"x", "y", "z"}, rows{std::begin(kRows), std::end(kRows)};
  result.add_list("com", "com", axes);
  result.add_list("com_velocity", "velocity", axes);
  result.add_list("angular", "angular", axes);
  result.add_list("linear", "linear", axes);
  result.add_list("A_rate_v", "A_rate_v", rows);
  const Sheet A = matrix_sheet("A", rows, names, result.add_matrix("A", rows, names));
  result.add_matrix("com_jacobian", axes, names);
  result.lists = {{"rows", rows}, {"columns", names}};
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
  std::vector<std::size_t> from = by_rows(kNumbers, 6, n);  // the mass centre's Jacobian is not shown
  from.insert(from.begin(), kNumbers, 0);
  std::iota(from.begin(), from.begin() + kNumbers, 0);
  from.resize(size, kNone);
  result.make_errors = gathered(roundings(setup, {{Quantity::centroidal}, {Quantity::centroidal_matrix}}), kNumbers + 6 * n, from);
  result.sheets = {{{},
                    {{{"mass centre"}, {0, 1, 2}, "m"},
                     {{"its velocity"}, {3, 4, 5}, "m/s"},
                     {{"angular momentum"}, {6, 7, 8}, "N m s"},
                     {{"linear momentum"}, {9, 10, 11}, "N s"},
                     {{"dA/dt v, angular"}, {12, 13, 14}, "N m"},
                     {{"dA/dt v, linear"}, {15, 16, 17}, "N"}}},
                   A};
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
