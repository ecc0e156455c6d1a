// Which parameters of the robot its torques determine.
#include <ulna/identify/identify.hpp>

#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

std::string parameters_part(const StudyData& data) {
  constexpr std::size_t kMostBodies = 40;  // beyond, the table takes seconds and is too long to read
  if (data.model.nv() == 0 || data.model.sizes().bodies > kMostBodies) return {};
  const BaseParameters found = base_parameters(data.model, data.options.snap);
  html::Rows rows;
  for (const BaseParameter& one : found.base)
    rows.push_back({html::text(one.name), html::number(one.value), html::text(found.parameters[one.terms[0].parameter].unit), html::text(one.expression)});
  std::string inside =
      cat("<p>The moving bodies have ", html::whole(found.parameters.size()), " masses, first moments and inertias. Measured joint torques determine ",
          html::whole(found.base.size()), " sums of them, the <a href=\"https://doi.org/10.1109/70.56655\">base parameters</a>, and no more; ",
          html::whole(found.no_effect.size()),
          " change no torque at all. <code>ulna excite</code> makes a motion for measuring them, and <code>ulna identify</code> finds them from a log of that "
          "motion.</p>");
  inside += html::details("The base parameters and their values in this model", html::table("lrll", {"base parameter", "value", "unit", "is"}, rows));
  return html::section("parameters", "Which masses and inertias torques determine", inside);
}

}  // namespace ulna::internal
