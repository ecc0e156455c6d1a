#include "robot_file.hpp"

#include <algorithm>
#include <vector>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/source/load.hpp>

namespace ulna::fuzz {

void robot_file(std::string_view text, const std::string& name) {
  constexpr std::size_t kLargest = 1 << 16;  // libFuzzer's inputs are smaller; the limits of large files have tests of their own
  if (text.size() > kLargest) return;
  LoadOptions options;
  options.advise = true;
  const LoadResult loaded = try_parse(text, name, options);
  const auto lines = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  bool errors = false;
  for (const Diagnostic& d : loaded.diagnostics) {
    errors = errors || d.severity == Severity::error;
    promise(d.line >= 0 && d.line <= lines, "a message names a line of the file");
    promise(!d.problem.empty(), "a message says what is wrong");
    const std::string said = to_string(d);
    promise(std::none_of(said.begin(), said.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }), "a message is one clean line");
  }
  promise(errors != loaded.model.has_value(), "a model, or errors");
  if (!loaded.model) return;
  const Model& model = *loaded.model;
  promise(model.joints().size() + 1 == model.links().size(), "a tree");

  const Plan plan = make_plan(model);
  Workspace workspace(plan);
  const std::vector<double> v(model.nv(), 0.25);
  std::vector<double> q = neutral(model), torques(v.size()), accelerations(v.size());
  integrate(model, std::vector(q), v, 1, q);
  inverse_dynamics(plan, workspace, q, v, v, torques);
  forward_dynamics(plan, workspace, q, v, torques, accelerations);

  Diagnostics problems;
  const std::optional<std::string> written = write_urdf(model, problems), mjcf = write_mjcf(model, problems);
  const bool ball = std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) { return joint.type == JointType::ball; });
  promise(written.has_value() == (mjcf.has_value() && !ball), "URDF has no ball joints; else both formats or none");
  if (!mjcf) return;         // a name that XML cannot carry
  options.unchecked = true;  // rounding of a rotated tensor may break a law that was kept to the last digit
  if (written) {
    const LoadResult again = try_parse(*written, "again.urdf", options);
    promise(again.model.has_value(), "what was written can be read");
    promise(again.model->joints().size() == model.joints().size() && again.model->nv() == model.nv(), "with the same joints");
  }
  if (const std::optional<std::string> sdf = write_sdf(model, problems)) {  // none of a robot with loops
    const LoadResult sdf_again = try_parse(*sdf, "again.sdf", options);
    promise(sdf_again.model.has_value(), "what was written as SDFormat can be read");
    promise(sdf_again.model->independent().size() == model.independent().size(), "with as many coordinates");
  }
  options.limits.xml_depth = 1 << 20;  // a chain of bodies is as deep as it is long
  const LoadResult mjcf_again = try_parse(*mjcf, "again.mjcf", options);
  promise(mjcf_again.model.has_value(), "what was written as MJCF can be read");
  promise(mjcf_again.model->coordinate_names() == model.coordinate_names(), "with the same coordinates");
}

}  // namespace ulna::fuzz
