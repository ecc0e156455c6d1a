#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "programs/interface.hpp"
#include "robot.hpp"

namespace ulna::python {

namespace {

nb::dict generate_files(const RobotModel& robot, const std::vector<std::string>& what, const std::string& language, bool single, const std::string& name,
                        const std::string& formulation, const std::string& link, double snap, bool friction, const std::string& wrench_at, bool single_file,
                        const std::string& prefix, bool static_const, bool batch, const std::string& target, const std::vector<std::string>& parameters,
                        const std::string& parameters_link, bool misra) {
  GenerateOptions options;
  options.friction = friction;
  options.wrench_at = wrench_at;
  options.single_file = single_file;
  options.prefix = prefix;
  options.static_const = static_const;
  options.batch = batch;
  options.target = target;
  options.parameters = parameters;
  options.parameters_link = parameters_link;
  options.misra = misra;
  options.what = what;
  options.language = language;
  options.real = single ? ulna::Real::single_precision : ulna::Real::double_precision;
  options.name = name;
  options.formulation = formulation;
  options.link = link;
  options.snap = snap;
  std::vector<GeneratedFile> files;
  std::vector<std::string> warnings;
  options.warning = [&](const std::string& message) { warnings.push_back(message); };
  {
    const nb::gil_scoped_release release;
    files = generate(robot.analysis, options);
  }
  nb::dict out;
  for (const GeneratedFile& file : files) {
    if (target.starts_with("fmi"))
      out[text(file.name)] = nb::bytes(file.text.data(), file.text.size());
    else
      out[text(file.name)] = text(file.text);
  }
  for (const std::string& message : warnings)
    if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
  return out;
}

/// The entry of a short list that bears the name; throws with the nearest one.
template <class E>
E chosen(const char* what, const std::string& name, const std::vector<std::pair<std::string, E>>& all) {
  for (const auto& [known, value] : all)
    if (known == name) return value;
  const std::vector<std::string> names = names_of(all, &std::pair<std::string, E>::first);
  throw std::invalid_argument(cat(what, " is one of ", joined(names), ", not ", in_quotes(name), did_you_mean(name, names)));
}

nb::object equations_text(const RobotModel& robot, const std::vector<std::string>& what, const std::string& format, const std::string& form,
                          const std::string& formulation, const std::string& beside, const std::string& link, double snap, bool rotor) {
  std::vector<std::pair<std::string, Quantity>> quantities;
  for (const Quantity of : equation_quantities()) quantities.emplace_back(to_string(of), of);
  EquationOptions options;
  options.form =
      chosen<EquationForm>("form", form, {{"automatic", EquationForm::automatic}, {"closed", EquationForm::closed}, {"recursive", EquationForm::recursive}});
  options.formulation = formulation;
  options.link = link;
  options.snap = snap;
  options.rotor = rotor;
  const auto in_format = chosen<EquationFormat>(
      "format", format,
      {{"text", EquationFormat::text}, {"latex", EquationFormat::latex}, {"markdown", EquationFormat::markdown}, {"html", EquationFormat::html}});
  std::vector<Quantity> wanted;
  for (const std::string& name : what) wanted.push_back(chosen("what", name, quantities));
  std::string document;
  {
    const nb::gil_scoped_release release;
    std::vector<EquationSet> sets, others;
    EquationOptions other = options;
    other.formulation = beside;
    for (const Quantity of : wanted) {
      sets.push_back(make_equations(robot.analysis, of, options));
      if (!beside.empty()) others.push_back(make_equations(robot.analysis, of, other));
    }
    document = beside.empty() ? write_equations(robot.model, sets, in_format, snap) : write_equations_beside(robot.model, sets, others, in_format, snap);
  }
  return text(document);
}

}  // namespace

void bind_emit(nb::module_& m) {
  m.def("generate", &generate_files);
  m.def("equations", &equations_text);
  m.def("generated_languages", [] { return strings(generated_languages()); });
  m.def("generated_quantities", [] { return strings(generated_quantities()); });
}

}  // namespace ulna::python
