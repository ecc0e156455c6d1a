#include <algorithm>

#include <ulna/identify/identify.hpp>

#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

/// Columns of the result: those of bodies that change a torque, then those of the drives.
struct Shown {
  std::vector<Parameter> parameters;
  std::vector<std::size_t> bodies;  // columns of the quantity
  std::vector<Parameter> drives;
};

Shown shown(const Setup& setup, double snap) {
  Shown out;
  const std::vector<Parameter> all = body_parameters(setup.robot.model, snap);
  const std::vector<std::size_t> none = without_effect(setup.robot.model, snap);
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (std::binary_search(none.begin(), none.end(), c)) continue;
    out.bodies.push_back(c);
    out.parameters.push_back(all[c]);
  }
  out.drives = drive_parameters(setup.robot.model, snap);
  out.parameters.insert(out.parameters.end(), out.drives.begin(), out.drives.end());
  return out;
}

Result prepare_regressor(Setup& setup, const Arguments& arguments) {
  const Shown columns = shown(setup, snap_of(arguments));
  const std::vector<std::string> efforts = setup.robot.model.effort_names();  // those of a free base among them
  const std::size_t n = efforts.size(), count = columns.parameters.size();
  Result result;
  std::vector<std::string> names, units;
  std::vector<double> values;
  for (const Parameter& one : columns.parameters) names.push_back(one.name), units.push_back(one.unit), values.push_back(one.value);
  result.add_matrix("Y", efforts, names);
  result.lists = {{"columns", names}, {"units", units}};
  result.numbers = {{"values", values}};
  result.make = [&setup, columns, n, count]() -> Compute {
    return [&setup, columns, n, count, bodies = by_dynamics(setup, Quantity::regressor), Y = std::vector<double>(), drives = std::vector<double>(),
            ws = Workspace(setup.plan)](const StateBlock& states, double* rows) mutable {
      const std::size_t size = row_of(Quantity::regressor).size(setup.plan.sizes()), first = columns.bodies.size();
      Y.resize(states.count * size);
      drives.resize(n * (count - first));
      bodies(states, Y.data());
      for (std::size_t k = 0; k < states.count; ++k) {
        const StateView state = states.at(k);
        drive_columns(setup.plan, ws, columns.drives, state.q, state.v, state.a, drives.data());
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t c = 0; c < count; ++c)
            rows[(k * n + i) * count + c] = c < first ? Y[k * size + i + n * columns.bodies[c]] : drives[i + n * (c - first)];
      }
    };
  };
  std::vector<std::size_t> from;  // nothing is added up for the columns of the drives
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < count; ++c) from.push_back(c < columns.bodies.size() ? i + n * columns.bodies[c] : kNone);
  result.make_errors = gathered(roundings(setup, {{Quantity::regressor}}), row_of(Quantity::regressor).size(setup.plan.sizes()), from);
  Sheet& sheet = result.sheets.emplace_back(Sheet{{"parameter", "value"}, {}});  // a parameter a line, because there are many of them
  sheet.head.insert(sheet.head.end(), efforts.begin(), efforts.end());
  for (std::size_t c = 0; c < count; ++c) {
    Sheet::Line& line = sheet.lines.emplace_back(Sheet::Line{{names[c], brief(values[c])}, {}});
    for (std::size_t i = 0; i < n; ++i) line.numbers.push_back(i * count + c);
  }
  return result;
}

const Computation kRegressor{Quantity::regressor, prepare_regressor};

}  // namespace

Command regressor_command() {
  return {"regressor",
          "what each parameter of the robot adds to the torques: tau = Y(q, v, a) pi",
          "MODEL [options]",
          "Computes Y(q, v, a) in tau = Y pi: joint torques are linear in the parameters pi. The columns are m, h_x, h_y, h_z,\n"
          "J_xx, J_yy, J_zz, J_xy, J_xz, J_yz of each moving body: mass, first moments and inertia tensor, about the origin and\n"
          "in the axes of the link that its joint carries, including links that are fixed to this one. Columns that are zero in\n"
          "every state are left out. Further columns are the rotor (gear² times the rotor's inertia), viscous and Coulomb\n"
          "friction of every joint, and an offset of every torque. JSON has the names in 'columns' and the model's values in\n"
          "'values': Y times these values gives the torques, with friction.",
          evaluation_options(kRegressor),
          "ulna regressor planar-2r --q 0.3,0.4 --v 1,-2 --a 0,1\n"
          "    what masses, moments and inertias of a planar arm add to its two torques",
          [](const Arguments& arguments) { return evaluate(arguments, kRegressor); }};
}

}  // namespace ulna::cli
