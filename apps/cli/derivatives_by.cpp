#include "derivatives_by.hpp"

#include <memory>

#include <ulna/robot/derivative.hpp>

#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

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

namespace {

const QuantityRow& asked(const Arguments& arguments) { return *find_quantity(arguments.value("--of").value_or("inverse")); }

/// Row names: those of torques where there is one a coordinate, else numbers.
std::vector<std::string> row_names(const Setup& setup, const QuantityRow& row, std::size_t rows) {
  if (row.rows == kCoordinates && row.columns == kOne) return setup.robot.model.velocity_names();
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= rows; ++i) names.push_back(cat(row.symbol, i));
  return names;
}

}  // namespace

Result derivatives_by(Setup& setup, const Arguments& arguments) {
  const QuantityRow& row = asked(arguments);
  for (const char* const input : {"v", "a", "tau"})
    if (arguments.has(cat("--", input)) && !row.takes(input)) throw UsageError(cat("option --", input, ": the ", row.title, " does not depend on ", input));
  DerivativeOptions options;
  options.of = row.quantity;
  options.by = arguments.value("--by").value_or("q");
  const bool times = arguments.has("--times"), weights = arguments.has("--weights");
  options.product = times && weights ? Product::second : times ? Product::times : weights ? Product::weights : Product::matrix;
  if (arguments.has("--payload") && options.by != "payload") throw UsageError("option --payload goes with --by payload");
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
    throw UsageError("option --link goes with --of pose, --of jacobian and --by payload");
  }
  options.effects = setup.effects;
  const auto make = [&setup, options, snap = snap_of(arguments)] {
    DerivativeOptions mine = options;
    mine.snap = snap;
    return std::make_shared<Derivative>(setup.robot.model, mine);
  };
  std::shared_ptr<Derivative> first;
  try {
    first = make();
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
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

}  // namespace ulna::cli
