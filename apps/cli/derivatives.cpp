// ulna derivatives: of inverse or of forward dynamics, by positions, rates, and accelerations or torques.
#include <algorithm>

#include <ulna/sim/linearise.hpp>

#include "command.hpp"
#include "derivatives_by.hpp"
#include "evaluate.hpp"
#include "sim/variation.hpp"
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

/// A and B of the linearised motion, each row by row, and the eigenvalues of A.
Result linear_motion(Setup& setup, const Arguments&) {
  const Model& model = setup.robot.model;
  const std::vector<std::string> positions = sim::tangent_names(model), velocities = model.velocity_names(), efforts = model.effort_names();
  const std::size_t n = velocities.size(), width = 2 * n;
  std::vector<std::string> states;
  for (const std::string& name : positions) states.push_back("q." + name);
  for (const std::string& name : velocities) states.push_back("v." + name);
  Result result;
  result.fields = {{"A", 0, {width, width}}, {"B", width * width, {width, n}}, {"eigenvalues", width * width + width * n, {width, 2}}};
  for (const std::string& i : states)
    for (const std::string& j : states) result.headers.push_back(cat("A.", i, ".", j));
  for (const std::string& i : states)
    for (const std::string& j : efforts) result.headers.push_back(cat("B.", i, ".tau.", j));
  for (std::size_t k = 1; k <= width; ++k) result.headers.insert(result.headers.end(), {cat("eigenvalue", k, ".re"), cat("eigenvalue", k, ".im")});
  result.labels = {{"of", "motion"}};
  result.lists = {{"states", states}};
  result.text = [states, efforts, n, width](const double* numbers) {
    const auto matrix = [&](const char* name, const std::vector<std::string>& columns, const double* at) {
      Table table("l" + std::string(columns.size(), 'r'));
      std::vector<std::string> head{name};
      head.insert(head.end(), columns.begin(), columns.end());
      table.row(head);
      for (const std::string& state : states) {
        std::vector<std::string> cells{state};
        for (std::size_t j = 0; j < columns.size(); ++j) cells.push_back(brief(*at++));
        table.row(cells);
      }
      return table.text() + "\n";
    };
    Table values("lrr");
    values.row({"eigenvalue", "re [1/s]", "im [rad/s]"});
    for (std::size_t k = 0; k < width; ++k) {
      const double* at = numbers + width * width + width * n + 2 * k;
      values.row({cat(k + 1), brief(at[0]), brief(at[1])});
    }
    return matrix("A", states, numbers) + matrix("B", efforts, numbers + width * width) + values.text();
  };
  result.make = [&setup, n, width, free = model.base() == RootJoint::free]() -> Compute {
    return [compute = by_dynamics(setup, Quantity::forward_derivatives), n, width, free, d = std::vector<double>()](const StateBlock& block,
                                                                                                                    double* rows) mutable {
      d.resize(block.count * 3 * n * n);
      compute(block, d.data());
      for (std::size_t k = 0; k < block.count; ++k) {
        std::vector<double> A(width * width), B(width * n);
        sim::motion_matrices(block.at(k).v, &d[k * 3 * n * n], n, free, A.data(), B.data(), width);
        for (std::size_t i = 0; i < width; ++i)
          for (std::size_t j = 0; j < width; ++j) *rows++ = A[i + j * width];
        for (std::size_t i = 0; i < width; ++i)
          for (std::size_t j = 0; j < n; ++j) *rows++ = B[i + j * width];
        for (const std::complex<double>& value : sim::eigenvalues(A)) *rows++ = value.real(), *rows++ = value.imag();
      }
    };
  };
  return result;
}

const Computation kMotion{Quantity::forward_derivatives, linear_motion};
const Computation kInverse{Quantity::inverse_derivatives, by_parts<Quantity::inverse_derivatives>};
const Computation kForward{Quantity::forward_derivatives, by_parts<Quantity::forward_derivatives>};

int derivatives_main(const Arguments& arguments) {
  std::vector<std::string> known = differentiable();  // inverse is the first
  known.emplace_back("motion");
  const std::string of = arguments.choice("--of", known);
  bool by_expressions = of != "inverse" && of != "forward" && of != "motion";
  for (const Option& option : derivative_options()) {
    if (of == "motion" && arguments.has(option.name)) throw UsageError(cat("option ", option.name, " does not go with --of motion"));
    by_expressions = by_expressions || arguments.has(option.name);
  }
  if (by_expressions) return evaluate(arguments, {find_quantity(of)->quantity, derivatives_by});
  const bool forward = of != "inverse";
  if (forward && arguments.has("--a"))
    throw UsageError("option --a goes with --of inverse; derivatives of forward dynamics and of the motion are taken at torques: --tau");
  if (!forward && arguments.has("--tau"))
    throw UsageError("option --tau goes with --of forward and --of motion; derivatives of inverse dynamics are taken at accelerations: --a");
  return evaluate(arguments, of == "motion" ? kMotion : forward ? kForward : kInverse);
}

std::vector<Option> options() {
  std::vector<Option> all{{"--of", "inverse|forward|motion|QUANTITY",
                           "torques at the accelerations --a; accelerations at the torques --tau; A and B of the linearised motion there; or gravity, "
                           "energy, momentum, pose, jacobian and the like (default inverse)"}};
  all = all + derivative_options();
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
          "derivatives of torques or accelerations by positions, velocities, and accelerations or torques",
          "MODEL [options]",
          "Computes the derivatives of the torques tau = M(q) a + bias(q, v): the matrices d_q, d_v and d_a, of which d_a is M.\n"
          "With --of forward: d_q, d_v and d_tau of the accelerations, of which d_tau is the inverse of M. Rows are torques\n"
          "(accelerations), columns are coordinates.\n"
          "With --of motion: A and B of x' = A x + B u, where x are deviations of positions and velocities and u are deviations\n"
          "of torques. The eigenvalues of A say how the robot moves by itself while the torques are held.\n"
          "With any other quantity, or with --by, --times or --weights: the matrix d, or its product with a vector. d has a row\n"
          "for each number of the quantity (a matrix column by column; of a pose R row by row, then the origin) and a column for\n"
          "each number of the input. For a free base, the inputs are rotations and translations in its own axes.\n"
          "--friction on includes friction. The sign of each velocity, on which Coulomb friction depends, is held constant, with\n"
          "sign(0) = 0. A wrench stays fixed to the link or to the world, as it is given.",
          options(),
          "ulna derivatives planar-2r --q 0.3,0.4 --v 1,-2 --a 0.5,0.1\n"
          "    three 2 x 2 matrices",
          derivatives_main};
}

}  // namespace ulna::cli
