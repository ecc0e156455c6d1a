#include "draw/charts.hpp"

#include <algorithm>

#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::internal::draw {

namespace {

struct Kind {
  const char* name;
  const char* fill;
  const char* ink;  // of the number in the box
};
// Okabe and Ito's colours, which people with any kind of colour vision can distinguish; the contrast of the ink is above 4.5 on each.
constexpr std::array<Kind, 4> kKinds{{{"multiplication", "#0072b2", "#ffffff"},
                                      {"addition or subtraction", "#e69f00", "#1c1c1c"},
                                      {"division", "#8a2a6b", "#ffffff"},
                                      {"sine with cosine", "#00684b", "#ffffff"}}};

std::size_t kind_of(Op op) {
  switch (op) {
    case Op::multiply: return 0;
    case Op::divide: return 2;
    case Op::sine:
    case Op::cosine: return 3;
    default: return 1;
  }
}

std::string box(long x, long y, long width, long height) { return cat("M", x, " ", y, "h", width, "v", height, "h-", width, "z"); }
std::string styled_words(long x, long y, const char* style, const std::string& text) {
  return cat("<text x=\"", x, "\" y=\"", y, "\"", style, ">", xml_text(text), "</text>\n");
}

}  // namespace

std::string schedule_svg(const std::string& title, const std::string& note, const TaskGraph& graph, const Schedule& schedule,
                         const std::vector<std::size_t>& joints, const Theme& theme, ScheduleWidth of) {
  // All in pixels. Small boxes without numbers where there are very many.
  const bool small = graph.tasks().size() > 4000;
  const bool phone = of == ScheduleWidth::phone;
  const long cell = small ? 6 : 18, most = phone ? (small ? 50 : 16) : small ? 180 : 60;
  const long panels = (schedule.steps + most - 1) / most, columns = panels == 0 ? 0 : (schedule.steps + panels - 1) / panels;
  const long margin = phone ? 4 : 24, head = phone ? 156 : 118, axis = 34;
  std::size_t units = 0;
  for (const Placement& p : schedule.placements) units = std::max(units, p.unit + 1);
  const long used = static_cast<long>(units);
  const bool numbered = !small && !joints.empty();
  const long labels = small ? 40 : 60;
  const long panel_height = used * cell + axis;
  const long width = std::max<long>(2 * margin + labels + columns * cell, phone ? 364 : 940);
  const long height = head + panels * panel_height + margin - 10;

  std::array<std::string, kKinds.size()> boxes, numbers;
  std::string outlines;
  std::vector<bool> critical(graph.tasks().size(), false);
  for (const std::uint32_t k : graph.critical_path().tasks) critical[k] = true;
  for (std::size_t k = 0; k < graph.tasks().size(); ++k) {
    const Task& task = graph.tasks()[k];
    const Placement& place = schedule.placements[k];
    // A long task goes on in the next panel.
    for (long from = place.start, end = place.start + task.steps; from < end;) {
      const long panel = from / columns, to = std::min(end, (panel + 1) * columns);
      const long x = margin + labels + (from - panel * columns) * cell, y = head + panel * panel_height + static_cast<long>(place.unit) * cell;
      boxes[kind_of(task.op)] += box(x, y, (to - from) * cell - 1, cell - 1);
      if (critical[k]) outlines += box(x, y, (to - from) * cell - 1, cell - 1);
      if (numbered && from == place.start)
        numbers[kind_of(task.op)] += cat("<text x=\"", x + ((to - from) * cell - 1) / 2, "\" y=\"", y + 13, "\">", joints[k] + 1, "</text>");
      from = to;
    }
  }

  // The rules are for this drawing alone, also where it stands in a page.
  std::string out =
      cat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"schedule\" viewBox=\"0 0 ", width, " ", height, "\" width=\"", width, "\" height=\"", height,
          "\" data-cell=\"", cell, "\" data-left=\"", margin + labels, "\" data-top=\"", head, "\" data-columns=\"", columns, "\" data-panel=\"", panel_height,
          "\" role=\"img\" aria-label=\"", xml_text(title), "\">\n<title>", xml_text(title), "</title>\n<desc>", xml_text(note), "</desc>\n");
  out += cat("<style>.schedule text { font-family: \"DejaVu Sans\", Verdana, Arial, sans-serif; font-size: 13px; fill: ", theme.ink,
             "; } .schedule .head { font-size: 18px; font-weight: bold; } .schedule .note { fill: ", theme.muted,
             "; } .schedule .axis { font-size: 11px; fill: ", theme.muted,
             "; } .schedule .mid { text-anchor: middle; } .schedule .end { text-anchor: end; } .schedule .in text { font-size: 11px; text-anchor: middle; "
             "fill: inherit; } .schedule .on { fill: none; stroke: ",
             theme.chain, "; stroke-width: 2; }</style>\n");
  if (!theme.ground.empty())
    out += cat("<rect x=\"1\" y=\"1\" width=\"", width - 2, "\" height=\"", height - 2, "\" rx=\"12\" fill=\"", theme.ground,
               "\" stroke=\"#d5dade\" stroke-width=\"1.5\"/>\n");
  out += styled_words(margin, 36, " class=\"head\"", title) + styled_words(margin, 57, " class=\"note\"", note);

  // Legend: the kinds that occur, then the outline; on a telephone below each other.
  long x = margin, y = 74;
  const auto next = [&](std::size_t letters) {
    if (phone)
      y += 20;
    else
      x += 22 + 15 * static_cast<long>(letters) / 2 + 24;
  };
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (boxes[k].empty()) continue;
    out += cat("<path fill=\"", kKinds[k].fill, "\" d=\"", box(x, y, 15, 15), "\"/>\n") + styled_words(x + 22, y + 12, "", kKinds[k].name);
    next(std::string_view(kKinds[k].name).size());
  }
  out += cat("<path class=\"on\" d=\"", box(x, y, 15, 15), "\"/>\n") + styled_words(x + 22, y + 12, "", "on the longest chain");
  if (numbered && !theme.ground.empty()) out += styled_words(margin, 107, " class=\"note\"", kBoxNumbers);

  // Idle units show as grey; under each panel the steps, from 1.
  for (long panel = 0; panel < panels; ++panel) {
    const long top = head + panel * panel_height, left = margin + labels, shown = std::min(columns, schedule.steps - panel * columns);
    out += cat("<path fill=\"", theme.idle, "\" d=\"", box(left - 1, top - 1, shown * cell + 1, used * cell + 1), "\"/>\n");
    for (std::uint32_t unit = 0; unit < used; ++unit)
      if (!small || unit % 4 == 0)
        out += styled_words(left - 8, top + unit * cell + (small ? 8 : 13), " class=\"axis end\"", cat(unit == 0 || !small ? "unit " : "", unit + 1));
    // The first and the last step of a panel, and round ones that do not crowd them.
    const long every = small ? 30 : 5, room = small ? 6 : 2, first = panel * columns + 1, last = panel * columns + shown;
    for (long step = first; step <= last; ++step)
      if (step == first || step == last || (step % every == 0 && step - first >= room && last - step >= room))
        out +=
            styled_words(left + (step - first) * cell + cell / 2, top + used * cell + 14, " class=\"axis mid\"", step == 1 ? "step 1" : std::to_string(step));
  }
  for (std::size_t k = 0; k < kKinds.size(); ++k)
    if (!boxes[k].empty()) out += cat("<path fill=\"", kKinds[k].fill, "\" d=\"", boxes[k], "\"/>\n");
  if (!outlines.empty()) out += cat("<path class=\"on\" d=\"", outlines, "\"/>\n");
  for (std::size_t k = 0; k < kKinds.size(); ++k)
    if (!numbers[k].empty()) out += cat("<g class=\"in\" fill=\"", kKinds[k].ink, "\">", numbers[k], "</g>\n");
  return out + "</svg>\n";
}

}  // namespace ulna::internal::draw
