#include "draw/svg_pen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::internal::draw {

namespace {

constexpr std::array kDashes{"", "7 3", "10 3 2 3", "2 2", "12 2 2 2 2 2"};

}  // namespace

const Theme& file_theme() {
  // Colours distinct for people with and without full colour vision, and dark enough for text on white.
  static const Theme theme{
      "#ffffff", "#000000", "#444",    "#d9d9d9",
      "#eeeeee", "#e9ecef", "#d4002a", {"#0067a8", "#c04f00", "#00805c", "#a8417f", "#8a6d00", "#6a3fc4", "#7a4a2b", "#b3202c", "#2b8aa8", "#5d6b78"}};
  return theme;
}

const Theme& page_theme() {
  static const Theme theme{
      "",
      "var(--ink)",
      "var(--muted)",
      "var(--rule)",
      "var(--rule)",
      "var(--rule)",
      "var(--accent)",
      {"var(--series-1)", "var(--series-2)", "var(--series-3)", "var(--series-4)", "var(--series-5)", "var(--series-6)", "var(--series-7)", "var(--series-8)"}};
  return theme;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string power_of_ten(int power) {
  constexpr std::array kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (power < 0 && power > -4) return cat("0.", std::string(static_cast<std::size_t>(-power - 1), '0'), "1");
  if (power >= 0 && power < 5) return std::to_string(static_cast<long>(std::lround(std::pow(10, power))));
  std::string digits;
  for (const char c : std::to_string(power)) digits += c == '-' ? "⁻" : kRaised[static_cast<std::size_t>(c - '0')];
  return "10" + digits;
}

std::string svg_begin(double width, double height, const std::string& title, const Theme& theme, double letters) {
  std::string out = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", text_of(width), " ", text_of(height), "\" width=\"", text_of(width),
                        "\" height=\"", text_of(height), "\" role=\"img\" aria-label=\"", xml_text(title), "\" font-family=\"sans-serif\" font-size=\"",
                        text_of(letters), "\" fill=\"", theme.ink, "\">\n<title>", xml_text(title), "</title>\n");
  if (!theme.ground.empty()) out += cat("<rect width=\"", text_of(width), "\" height=\"", text_of(height), "\" fill=\"", theme.ground, "\"/>\n");
  return out;
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return cat("<line x1=\"", text_of(x1), "\" y1=\"", text_of(y1), "\" x2=\"", text_of(x2), "\" y2=\"", text_of(y2), "\" ", style, "/>\n");
}

std::string rect(double x, double y, double width, double height, const std::string& style) {
  return cat("<rect x=\"", text_of(x), "\" y=\"", text_of(y), "\" width=\"", text_of(width), "\" height=\"", text_of(height), "\" ", style, "/>\n");
}

std::string words(double x, double y, const std::string& style, const std::string& text) {
  return cat("<text x=\"", text_of(x), "\" y=\"", text_of(y), "\" ", style, ">", xml_text(text), "</text>\n");
}

std::string plot_begin(const Frame& f) {
  return cat("<g class=\"plot\" data-of=\"", xml_text(f.of), "\" data-left=\"", text_of(f.left), "\" data-top=\"", text_of(f.top), "\" data-width=\"",
             text_of(f.width), "\" data-height=\"", text_of(f.height), "\" data-from=\"", f.from, "\" data-to=\"", f.to, "\" data-low=\"", f.low,
             "\" data-high=\"", f.high, f.logarithmic ? "\" data-scale=\"log\">\n" : "\">\n");
}

Look look_of(std::size_t k, const Theme& theme) { return {theme.colours[k % theme.colours.size()], kDashes[k / theme.colours.size() % kDashes.size()]}; }

std::string axes(const Frame& f, const std::string& title, const std::vector<Tick>& rows, const std::vector<Tick>& columns, const std::string& along,
                 const Theme& theme) {
  std::string out = words(f.left, f.top - 12, "font-weight=\"bold\"", title);
  const std::string muted = cat(" fill=\"", theme.muted, "\""), middle = "text-anchor=\"middle\"" + muted;
  for (const Tick& y : rows) {
    out += line(f.left, y.at, f.left + f.width, y.at, cat("stroke=\"", theme.rule, "\""));
    out += words(f.left - 8, y.at + 4, "text-anchor=\"end\"" + muted, y.label);
  }
  for (const Tick& x : columns) {
    out += line(x.at, f.top, x.at, f.top + f.height, cat("stroke=\"", theme.faint, "\""));
    out += words(x.at, f.top + f.height + 17, middle, x.label);
  }
  return out + words(f.left + f.width / 2, f.top + f.height + 35, middle, along);
}

std::string curves(const Frame& f, const std::vector<Curve>& all) {
  constexpr double kSpacing = 13.5;
  std::vector<double> wanted;
  for (const Curve& c : all)
    if (!c.hidden) wanted.push_back(c.end_y);
  const std::vector<double> placed = spread(wanted, kSpacing, f.top, f.top + f.height);
  const double label = f.left + f.width + 22;
  std::string out;
  std::size_t next = 0;
  for (const Curve& c : all) {
    const double at = c.hidden ? c.end_y : placed[next++];
    out += cat("<g class=\"curve\" data-row=\"", xml_text(c.row), c.hidden ? "\" visibility=\"hidden\">\n" : "\">\n", c.before, "<polyline points=\"", c.points,
               "\" fill=\"none\" stroke=\"", c.look.colour, "\" stroke-width=\"", text_of(c.width), "\"",
               c.look.dashes.empty() ? "" : cat(" stroke-dasharray=\"", c.look.dashes, "\""), "/>\n", c.after);
    out += line(c.end_x + 2, c.end_y, label - 4, at,
                cat("stroke=\"", c.look.colour, "\" stroke-width=\"0.7\" stroke-opacity=\"0.6\"", c.dotted ? " stroke-dasharray=\"1 4\"" : ""));
    out += words(label, at + 4, cat("fill=\"", c.look.colour, "\"", c.bold ? " font-weight=\"bold\"" : ""), c.label) + kGroupEnd;
  }
  return out;
}

std::vector<double> spread(const std::vector<double>& wanted, double spacing, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  // Neighbours that are too close join to a block around the mean of where its labels want to be.
  struct Block {
    double sum = 0;  // of (wanted - offset in the block)
    std::size_t count = 0;
  };
  std::vector<Block> blocks;
  const auto start = [&](const Block& b) {
    const double length = spacing * static_cast<double>(b.count - 1);
    return std::max(low, std::min(b.sum / static_cast<double>(b.count), high - length));
  };
  for (const std::size_t k : order) {
    blocks.push_back({wanted[k], 1});
    while (blocks.size() > 1) {
      Block& above = blocks[blocks.size() - 2];
      const Block& last = blocks.back();
      const double length = spacing * static_cast<double>(above.count);
      if (start(last) >= start(above) + length) break;
      above.sum += last.sum - length * static_cast<double>(last.count);
      above.count += last.count;
      blocks.pop_back();
    }
  }
  std::vector<double> placed(wanted.size());
  std::size_t next = 0;
  for (const Block& b : blocks)
    for (std::size_t k = 0; k < b.count; ++k) placed[order[next++]] = start(b) + spacing * static_cast<double>(k);
  return placed;
}

}  // namespace ulna::internal::draw
