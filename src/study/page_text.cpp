#include <algorithm>

#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

using html::text;

namespace {

struct Paper {
  const char* mark;  // in citations of formulations
  const char* full;
};
constexpr Paper kPapers[] = {
    {"Kane",
     "T. R. Kane, D. A. Levinson: The use of Kane’s dynamical equations in robotics. <cite>The International Journal of Robotics Research</cite> 2 (3), 1983, "
     "pp. 3–21."},
    {"Hollerbach",
     "J. M. Hollerbach: A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity. <cite>IEEE "
     "Transactions on "
     "Systems, Man, and Cybernetics</cite> SMC-10 (11), 1980, pp. 730–736."},
    {"Turney",
     "J. L. Turney, T. N. Mudge, C. S. G. Lee: Equivalence of two formulations for robot arm dynamics. Systems Engineering Laboratory, University of Michigan, "
     "1980."},
    {"Lin", "S.-K. Lin: A new composite body method for manipulator dynamics. <cite>Journal of Robotic Systems</cite> 8 (2), 1991, pp. 197–219."},
    {"Nasser",
     "M. G. Nasser: Recursive Newton–Euler formulation of manipulator dynamics. Lockheed Engineering &amp; Sciences Company, 1990, NASA document N90-29862."},
    {"Luh",
     "J. Y. S. Luh, M. W. Walker, R. P. C. Paul: On-line computational scheme for mechanical manipulators. <cite>Trans. ASME, Journal of Dynamic Systems, "
     "Measurement, and "
     "Control</cite> 102, 1980, pp. 69–76."},
    {"Orin",
     "M. W. Walker, D. E. Orin: Efficient dynamic computer simulation of robotic mechanisms. <cite>ASME Journal of Dynamic Systems, Measurement, and "
     "Control</cite> 104, 1982, pp. "
     "205–211."},
    {"Horn", "B. K. P. Horn, M. H. Raibert: Configuration space control. <cite>The Industrial Robot</cite>, June 1978, pp. 69–73."},
    {"Renaud", "M. Renaud, in: <cite>Dynamics of Multibody Systems</cite>, 1986, pp. 201–212."},
    {"Fijany", "A. Fijany, A. K. Bejczy, in: <cite>IEEE International Conference on Robotics and Automation</cite>, 1989, pp. 1366–1373."},
    {"Featherstone",
     "R. Featherstone: The calculation of robot dynamics using articulated-body inertias. <cite>The International Journal of Robotics Research</cite> 2 (1), "
     "1983, pp. 13–30."}};

}  // namespace

std::string text_lines(const std::string& lines) {
  std::string out;
  for (std::size_t from = 0; from <= lines.size();) {
    const std::size_t to = std::min(lines.find('\n', from), lines.size());
    out += text(lines.substr(from, to - from)) + (to < lines.size() ? "\n" : "");
    from = to + 1;
  }
  return out;
}

std::string equations_part(const StudyData& data, std::size_t most) {
  if (data.equations.empty()) return {};
  constexpr const char* kHeading = "The equations of motion";
  constexpr const char* kFiles = "<a href=\"equations.html\">equations.html</a> and, for a paper, <a href=\"equations.tex\">equations.tex</a>";
  std::vector<std::string> prefixes;
  for (std::size_t k = 0; k < data.equations.size(); ++k) prefixes.push_back(k == 0 ? "" : cat(to_string(data.equations[k].what), "-"));
  // All of them, or the torques alone, or none.
  for (std::size_t count = data.equations.size(); count > 0; --count) {
    std::string out = cat("<p>The robot’s lengths, masses and inertias are symbols. Each symbol links to its definition. ",
                          count < data.equations.size() ? "More equations are in " : "The same equations are in ", kFiles, ".</p>\n",
                          equations_fragment(data.model, {data.equations.data(), count},
                                             {prefixes.begin(), prefixes.begin() + static_cast<std::ptrdiff_t>(count)}, data.options.snap));
    if (out.size() > most) continue;
    if (!data.paper.empty())
      out += html::details("The same equations as Kane and Levinson wrote them: Z<sub>1</sub> to Z<sub>196</sub>",
                           equations_fragment(data.model, data.paper, std::vector<std::string>(data.paper.size(), "kane-"), data.options.snap));
    return html::section("equations", kHeading, out);
  }
  return html::section("equations", kHeading,
                       cat("<p>The equations of the torques alone have ", data.equations.front().definitions.size() + data.equations.front().results.size(),
                           " lines, which is too long for this page. They are in ", kFiles, ".</p>\n"));
}

std::string citations_part(const StudyData& data) {
  std::string out =
      "<p>The formulations on this page come from these papers. If you use one in your work, please cite its paper, and Ulna if it helped.</p>\n<ul "
      "class=\"cite\">\n";
  std::vector<bool> used(std::size(kPapers), false);
  html::Rows rows;
  for (const Formulation& f : formulations()) {
    const bool counted =
        std::any_of(data.counts.rows.begin(), data.counts.rows.end(), [&](const CountRow& row) { return row.formulation == &f && row.why_not.empty(); });
    if (!counted) continue;
    rows.push_back({std::string(f.id), text(f.title), text(f.citation)});
    for (std::size_t k = 0; k < std::size(kPapers); ++k) used[k] = used[k] || f.citation.find(kPapers[k].mark) != std::string_view::npos;
  }
  for (std::size_t k = 0; k < std::size(kPapers); ++k)
    if (used[k]) out += cat("<li>", kPapers[k].full, "</li>\n");
  out += "<li>The Ulna authors: Ulna, manipulator dynamics in C++20. Software, BSD-3-Clause.</li>\n</ul>\n";
  out += html::details("Which formulation comes from which paper", html::table("lll", {"formulation", "", "from"}, rows));
  return html::section("cite", "How to cite", out);
}

std::string files_part(const StudyData& data) {
  html::Rows rows;
  const auto row = [&](const char* file, const char* what) { rows.push_back({cat("<a href=\"", file, "\">", file, "</a>"), what}); };
  row("report.json", "everything that this page shows");
  row("certificate.json", "the certificate, for <code>ulna verify --against</code>");
  row("counts.json", "operation counts, as <code>ulna count --json</code> prints them");
  row("schedule.json", "the unit and the step of each operation");
  if (data.motion) row("motion.csv", "the simulated motion");
  if (data.reference) row("torques.csv", "the reference motion, its torques and their shares");
  if (!data.equations.empty()) {
    row("equations.tex", "the equations as LaTeX");
    row("equations.html", "the equations as a page of their own");
  }
  html::Rows steps;
  for (const StudyStep& step : data.steps) steps.push_back({step.name, text(step.result), html::number(step.seconds)});
  std::string out = html::table("ll", {"file", "what is in it"}, rows);
  if (!data.left_out.empty()) {
    std::vector<std::string> sentences;
    for (const std::string& sentence : data.left_out) sentences.push_back(text(sentence));
    out += "<h3>What was left out</h3>\n" + html::list(sentences);
  }
  return html::section("files", "The data behind this page",
                       out + html::details("How this page was made", html::table("llr", {"step", "result", "seconds"}, steps)));
}

}  // namespace ulna::internal
