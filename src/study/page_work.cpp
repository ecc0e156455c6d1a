#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "draw/charts.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

using html::number, html::text, html::whole;

std::string bars(const std::string& title, const std::vector<std::string>& kinds, const std::vector<draw::BarPanel>& panels, draw::BarScale scale,
                 const std::string& mark, double width) {
  const auto drawn = [&](double wide) { return draw::bar_chart(title, kinds, panels, draw::page_theme(), {}, scale, mark, wide); };
  return html::by_width(drawn(width), drawn(draw::kPhone));
}

std::string schedule_part(const StudyData& data) {
  if (data.schedules.empty() || data.schedules.front().graph.tasks().empty()) return {};
  const ScheduleData& s = data.schedules.front();
  const CriticalPath path = s.graph.critical_path();
  html::Rows rows;
  for (const Schedule& one : s.schedules)
    rows.push_back({whole(one.units), whole(one.steps), whole(s.graph.lower_bound(one.units)), cat(number(std::round(1000 * one.utilisation()) / 10), " %"),
                    number(one.speed_up())});
  rows.push_back({"∞", whole(path.steps), whole(path.steps), "–", number(static_cast<double>(s.graph.work()) / static_cast<double>(std::max(1L, path.steps)))});
  const std::string caption =
      cat("The best program for all torques on ", s.drawn.units,
          " units, each of which does one operation per step (the machine of Turney, Mudge &amp; Lee 1980, sec. 6). In the longest chain each operation waits "
          "for the one before: it takes ",
          path.steps, " steps, and ", s.enough, s.enough == 1 ? " unit is" : " units are", " enough to be as fast. Sines and cosines are taken as given. ",
          s.drawable ? draw::kBoxNumbers : "");
  const std::string numbers = html::table("rrrrr", {"units", "steps", "at least", "utilisation", "speed-up"}, rows);
  constexpr const char* kHeading = "How far the operations can go in parallel";
  if (!s.drawable) return html::section("schedule", kHeading, cat("<p>", caption, "</p>\n", numbers));
  constexpr std::size_t kMostOnPhone = 600;  // operations
  std::string first, others;
  for (const ScheduleData& one : data.schedules) {
    if (!one.drawable || one.graph.tasks().empty()) continue;
    const auto drawn = [&](draw::ScheduleWidth width) {
      return draw::schedule_svg(cat(data.model.name(), ": ", to_string(one.quantity), " on ", one.drawn.units, " units"),
                                cat(one.graph.work(), " operations in ", one.drawn.steps, " steps; longest chain ", one.graph.critical_path().steps), one.graph,
                                one.drawn, joints_of_tasks(one.program, one.graph), draw::page_theme(), width);
    };
    // A second drawing for telephones where it does not make the page large; others scroll.
    const bool phone = &one == &s && one.graph.tasks().size() <= kMostOnPhone;
    const std::string drawing = phone ? html::by_width(drawn(draw::ScheduleWidth::page), drawn(draw::ScheduleWidth::phone)) : drawn(draw::ScheduleWidth::page);
    if (&one == &s)
      first = drawing;
    else
      others += html::details(cat("The same for ", to_string(one.quantity)), cat("<div class=\"static\">", drawing, "</div>\n"));
  }
  return html::section("schedule", kHeading, html::figure("figure-schedule", first, caption, numbers, others));
}

std::string timing_part(const StudyData& data) {
  if (data.timing.rows.empty()) return {};
  // One call in double precision is what is drawn first; the other ways to call unfold below.
  using Setting = std::tuple<std::string, std::string, int>;
  std::vector<Setting> settings{{"one", "double", 1}};
  html::Rows rows;
  for (const StudyTiming& t : data.timing.rows)
    if (const Setting own{t.mode, t.real, t.threads}; std::find(settings.begin(), settings.end(), own) == settings.end()) settings.push_back(own);
  std::string first, others;
  for (const Setting& setting : settings) {
    const auto& [mode, real, threads] = setting;
    std::vector<draw::BarPanel> panels;
    for (const auto& [task, title] :
         {std::pair<const char*, const char*>{"inverse", "Inverse dynamics"}, {"mass", "Inertia matrix"}, {"forward", "Forward dynamics"}}) {
      draw::BarPanel panel{cat(title, ", ns per state"), {}};
      std::vector<const StudyTiming*> timed;
      for (const StudyTiming& t : data.timing.rows)
        if (t.task == task && setting == Setting{t.mode, t.real, t.threads}) timed.push_back(&t);
      std::stable_sort(timed.begin(), timed.end(), [](const StudyTiming* a, const StudyTiming* b) { return a->ns < b->ns; });
      for (const StudyTiming* t : timed) {
        rows.push_back({t->task, text(t->library), text(t->path), t->mode, t->real, whole(t->threads), number(t->ns)});
        if (panel.rows.size() < 12) panel.rows.push_back({cat(t->library, ", ", t->path), {t->ns}, t->library == "ulna" && t->path == "kernel"});
      }
      if (!panel.rows.empty()) panels.push_back(std::move(panel));
    }
    if (panels.empty()) continue;
    const std::string drawing = bars("Time of one state", {"ns"}, panels);
    if (&setting == &settings.front())
      first = drawing;
    else
      others += html::details(cat(mode == "one" ? "one call" : text(mode), ", ", text(real), threads > 1 ? cat(", ", threads, " threads") : ""),
                              cat("<div class=\"static\">", drawing, "</div>\n"));
  }
  std::vector<std::string> notes;
  for (const std::string& note : data.timing.notes) notes.push_back(text(note));
  const std::string caption = cat(
      "Each bar is one call for one state in double precision on one core, the shortest of many repetitions. The axis is logarithmic. "
      "<em>kernel</em> is machine code that is made when the model is loaded, <em>template</em> the same algorithms as compiled C++, <em>generated</em> the "
      "C of this page. These are short measurements on a machine that may be busy; <code>ulna bench</code> measures with care.",
      data.timing.machine.empty() ? "" : cat(" Machine: ", text(data.timing.machine), "."));
  return html::section("timing", "How fast it is",
                       html::figure("figure-timing", first, caption,
                                    html::table("lllllrr", {"task", "library", "path", "mode", "real", "threads", "ns per state"}, rows), others) +
                           (notes.empty() ? "" : html::details("What was not timed", html::list(notes))));
}

std::string code_part(const StudyData& data) {
  if (data.c.empty()) return {};
  std::vector<std::string> files;
  for (const GeneratedFile& file : data.c)
    files.push_back(cat("<a href=\"c/", text(file.name), "\">c/", text(file.name), "</a>, ", whole(file.text.size()), " bytes"));
  const SelfTest& test = data.self_test;
  std::string out =
      cat("<p>The best programs as C99 to read and ship. The code needs nothing but <code>&lt;math.h&gt;</code>, allocates nothing and has no branches on "
          "data.</p>\n",
          html::list(files));
  out +=
      !test.ran ? cat("<p>Its self-test was not run: ", text(test.text), ".</p>\n")
      : test.passed
          ? cat("<p>It was compiled and run here, and compared itself with values of an independent recursion in extended precision: <strong class=\"good\">",
                text(test.text), "</strong>.</p>\n")
          : cat("<p><strong class=\"bad\">Its self-test failed:</strong> ", text(test.text), "</p>\n");
  // The declarations, which are what one calls.
  for (const GeneratedFile& file : data.c)
    if (file.name.ends_with(".h")) {
      const std::size_t most = std::min<std::size_t>(file.text.size(), 4000);
      out += html::details("The header", cat("<pre>", text_lines(file.text.substr(0, most)), "</pre>\n"));
    }
  return html::section("code", "C to ship", out);
}

}  // namespace ulna::internal
