// ulna derivatives: of inverse or of forward dynamics, by positions, rates, and accelerations or torques.

#include "command.hpp"
#include "effects.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

/// The matrices that a row's columns fall into, each row by row.
template <Quantity quantity>
Result by_parts(Setup& setup, const Arguments&) {
  const QuantityRow& row = row_of(quantity);
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size();
  Result result;
  std::vector<std::size_t> from;
  for (std::size_t p = 0; p < row.parts.size(); ++p) {
    result.show_matrix(std::string(row.parts[p]), names, names);
    const std::vector<std::size_t> part = by_rows(p * n * n, n, n);
    from.insert(from.end(), part.begin(), part.end());
  }
  result.labels = {{"of", quantity == Quantity::inverse_derivatives ? "inverse" : "forward"}};
  result.make = [&setup] { return by_dynamics(setup, quantity); };
  result.make_errors = roundings(setup, {{quantity}});
  result.arrange(from);
  return result;
}

/// A and B of the linearised motion, each row by row, and the eigenvalues of A.
Result linear_motion(Setup& setup, const Arguments&) {
  const Model& model = setup.robot.model;
  require_no_balls(model, "the derivative of the motion");
  const std::vector<std::string> positions = sim::tangent_names(model), velocities = model.velocity_names(), efforts = model.effort_names();
  const std::size_t n = velocities.size(), width = 2 * n;
  std::vector<std::string> states;
  for (const std::string& name : positions) states.push_back("q." + name);
  for (const std::string& name : velocities) states.push_back("v." + name);
  Result result;
  result.show_matrix("A", states, states);
  Column inputs{"B", {width, n}, {}}, eigenvalues{"eigenvalues", {width, 2}, {}};
  for (const std::string& i : states)
    for (const std::string& j : efforts) inputs.headers.push_back(cat("B.", i, ".tau.", j));
  std::vector<std::string> counted;
  for (std::size_t k = 1; k <= width; ++k) {
    eigenvalues.headers.insert(eigenvalues.headers.end(), {cat("eigenvalue", k, ".re"), cat("eigenvalue", k, ".im")});
    counted.push_back(cat(k));
  }
  result.sheets.push_back(matrix_sheet("B", states, efforts, result.add(std::move(inputs))));
  result.sheets.push_back(matrix_sheet("eigenvalue", counted, {"re [1/s]", "im [rad/s]"}, result.add(std::move(eigenvalues))));
  result.labels = {{"of", "motion"}};
  result.lists = {{"states", states}};
  // The lower halves of A and B are derivatives; the upper ones are exact, and bounds of eigenvalues are unknown.
  std::vector<std::size_t> from(n * width, kNone);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < width; ++j) from.push_back(i + j * n);
  from.resize(from.size() + n * n, kNone);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) from.push_back(i + (width + j) * n);
  from.resize(result.size(), kNone);
  result.make_errors = gathered(roundings(setup, {{Quantity::forward_derivatives}}), 3 * n * n, from);
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

std::vector<std::string> differentiable() {
  std::vector<std::string> ids;
  for (const QuantityRow& row : quantities())
    if (row.parts.empty()) ids.emplace_back(row.id);  // derivatives of derivatives: Hessians times vectors are there for that
  return ids;
}

std::vector<Option> derivative_options() {
  return {
      {"--by", "q|v|a|tau|payload|masses",
       "one input; mass and mass centre of a payload on --link; or the masses of the moving bodies, whose mass centres stay (default q)"},
      {"--times", "x,...", "print the product of the derivatives with x, one number for each column, without the matrix"},
      {"--weights", "y,...", "print yᵀ times the derivatives, y having one number for each row; with --times: the Hessian of yᵀ times the quantity, times x"},
      {"--link", "NAME", "link of pose and jacobian, and of the payload"},
      {"--payload", "LINK:m,x,y,z", "with --by payload: the point mass that the link already holds (default none, at the origin of --link)"}};
}

const QuantityRow& asked(const Arguments& arguments) { return *find_quantity(arguments.value("--of").value_or("inverse")); }

/// Row names: those of torques where there is one a coordinate, else numbers.
std::vector<std::string> row_names(const Setup& setup, const QuantityRow& row, std::size_t rows) {
  if (row.rows == kCoordinates && row.columns == kOne) return setup.robot.model.velocity_names();
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= rows; ++i) names.push_back(cat(row.symbol, i));
  return names;
}

Result derivatives_by(Setup& setup, const Arguments& arguments) {
  const QuantityRow& row = asked(arguments);
  for (const char* const input : {"v", "a", "tau"})
    if (arguments.has(cat("--", input)) && !row.takes(input)) throw UsageError(cat("option --", input, ": the ", row.title, " does not depend on ", input));
  DerivativeOptions options;
  options.of = row.quantity;
  options.by = arguments.value("--by").value_or("q");
  const bool times = arguments.has("--times"), weights = arguments.has("--weights");
  options.product = times && weights ? Product::second : times ? Product::times : weights ? Product::weights : Product::matrix;
  if (arguments.has("--payload") && options.by != "payload") throw UsageError("option --payload needs --by payload");
  std::vector<double> held;  // the payload's numbers
  if (const auto text = arguments.value("--payload")) {
    const Load load = load_of(setup.robot.model, *text, "--payload");
    const Vec3<double>& c = load.payload.com;
    held = {load.payload.mass, c.x, c.y, c.z};
    if (load.payload.inertia != Sym3<double>{}) throw UsageError("option --payload of derivatives is a point mass: LINK:m,x,y,z");
    if (arguments.has("--link") && *arguments.value("--link") != load.link) throw UsageError("options --link and --payload name two links");
    options.link = find_link(setup.robot.model, load.link, "--payload");
  } else if (row.of_link || options.by == "payload") {
    if (!arguments.has("--link"))
      throw UsageError(
          cat("derivatives of the ", row.title, " by ", options.by, " need --link NAME; 'ulna info ", arguments.positional().front(), "' lists the links"));
    options.link = chosen_links(setup, arguments).front();
  } else if (arguments.has("--link")) {
    throw UsageError("option --link needs --of pose, --of jacobian or --by payload");
  }
  options.effects = setup.effects;
  const auto make = [&setup, options, snap = snap_of(arguments)] {
    DerivativeOptions mine = options;
    mine.snap = snap;
    return std::make_shared<Derivative>(setup.robot.model, mine);
  };
  const std::shared_ptr<Derivative> first = make();
  const std::size_t rows = first->rows(), columns = first->columns();
  const std::vector<double> x = arguments.numbers("--times", columns).value_or(std::vector<double>()),
                            y = arguments.numbers("--weights", rows).value_or(std::vector<double>());
  const std::vector<std::string> across = first->column_names(), down = row_names(setup, row, rows);
  Result result;
  result.labels = {{"of", std::string(row.id)}, {"by", options.by}};
  result.lists = {{"rows", down}, {"columns", across}};
  if (options.product == Product::matrix) {
    result.show_matrix("d", down, across);
  } else {
    const std::vector<std::string>& names = options.product == Product::times ? down : across;
    result.add_list("d", "d", names);
    Sheet& sheet = result.sheets.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) sheet.lines.push_back({{names[i]}, {i}});
  }
  result.make = [make, x, y, held, rows, columns, matrix = options.product == Product::matrix]() -> Compute {
    const std::shared_ptr<Derivative> d = make();
    const std::size_t size = d->size();
    return one_by_one(size, [d, x, y, held, rows, columns, matrix, J = std::vector<double>(size)](const StateView& state, double* out) mutable {
      InputsOf<double> in = inputs(state);
      (*d)(in, {x, y, held}, J);
      for (std::size_t i = 0; i < rows && matrix; ++i)
        for (std::size_t j = 0; j < columns; ++j) *out++ = J[i + j * rows];
      if (!matrix) std::copy(J.begin(), J.end(), out);
    });
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
    if (of == "motion" && arguments.has(option.name)) throw UsageError(cat("option ", option.name, " cannot be combined with --of motion"));
    by_expressions = by_expressions || arguments.has(option.name);
  }
  if (by_expressions) return evaluate(arguments, {find_quantity(of)->quantity, derivatives_by});
  const bool forward = of != "inverse";
  if (forward && arguments.has("--a"))
    throw UsageError("option --a applies to --of inverse; derivatives of forward dynamics and of the motion are taken at torques: --tau");
  if (!forward && arguments.has("--tau"))
    throw UsageError("option --tau applies to --of forward and --of motion; derivatives of inverse dynamics are taken at accelerations: --a");
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
