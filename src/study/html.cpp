#include "study/html.hpp"

#include <cmath>
#include <cstdio>

#include <ulna/version.hpp>

#include "study/page_parts.hpp"

namespace ulna::internal::html {

namespace {

/// A hyphen is no minus sign.
std::string with_minus(std::string digits) {
  if (!digits.empty() && digits[0] == '-') digits = "\xe2\x88\x92" + digits.substr(1);
  return digits;
}

}  // namespace

std::string number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : value > 0 ? "∞" : "\xe2\x88\x92∞";
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.4g", std::abs(value) < 5e-13 ? 0.0 : value);
  return with_minus(digits);
}

std::string count(double value) {
  const double whole = std::floor(value + 1e-9), rest = value - whole;
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.0f", whole);
  std::string out = with_thin_spaces(digits);
  if (rest > 1e-6) {
    std::snprintf(digits, sizeof digits, "%.2f", rest);
    std::string tail(digits + 1);  // ".50"
    while (tail.back() == '0') tail.pop_back();
    out += tail;
  }
  return out;
}

std::string small(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.1e", value);
  return value == 0 ? "0" : with_minus(digits);
}

std::string with_thin_spaces(const std::string& digits) {
  std::string out;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && digits.size() > 4 && (digits.size() - k) % 3 == 0) out += "\xe2\x80\xaf";  // a narrow space
    out += digits[k];
  }
  return out;
}

namespace {

/// What a cell of the column is called on a card: words without elements.
std::string plain(const std::string& head) {
  std::string out;
  bool inside = false;
  for (const char c : head) {
    if (c == '<') inside = true;
    if (!inside) out += c == '"' ? std::string("&quot;") : std::string(1, c);
    if (c == '>') inside = false;
  }
  return out;
}

}  // namespace

std::string table(std::string_view columns, const std::vector<std::string>& head, const Rows& rows, const std::string& caption, Narrow narrow) {
  const auto kind = [&](std::size_t k) { return k < columns.size() && columns[k] == 'r' ? " class=\"r\"" : ""; };
  const bool cards = narrow == Narrow::cards && !columns.empty() && columns[0] == 'l' && head.size() > 2;
  std::string out = cat("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table", cards ? " class=\"cards\"" : "", ">\n");
  if (!caption.empty()) out += cat("<caption>", caption, "</caption>\n");
  out += "<thead><tr>";
  for (std::size_t k = 0; k < head.size(); ++k) out += cat("<th scope=\"col\"", kind(k), ">", head[k], "</th>");
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k)
      out += cat("<td", kind(k), cards && k < head.size() && k > 0 ? cat(" data-label=\"", plain(head[k]), "\"") : "", ">", row[k], "</td>");
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string list(const std::vector<std::string>& items) {
  std::string out = "<ul>\n";
  for (const std::string& item : items) out += cat("<li>", item, "</li>\n");
  return out + "</ul>\n";
}

std::string details(const std::string& summary, const std::string& inside) {
  return cat("<details><summary>", summary, "</summary>\n", inside, "</details>\n");
}

std::string figure(const std::string& id, const std::string& svg, const std::string& caption, const std::string& numbers, const std::string& more) {
  return cat("<figure id=\"", id, "\">\n<div class=\"static\">", svg, "</div>\n<figcaption>", caption, "</figcaption>\n",
             numbers.empty() ? "" : details("Numbers", numbers), more, "</figure>\n");
}

constexpr std::size_t kStyledViews = 10;  // of a choice, that page_style() has a rule for

std::string choice(const std::string& id, const std::string& of, const std::vector<View>& views) {
  if (views.size() == 1) return views.front().inside;
  std::string out = cat("<fieldset class=\"choice\" id=\"", id, "\"><legend>", of, "</legend>\n");
  for (std::size_t k = 0; k < views.size(); ++k)
    out += cat("<input type=\"radio\" name=\"", id, "\" id=\"", id, "-", k + 1, "\"", k == 0 ? " checked=\"checked\"" : "", "/><label for=\"", id, "-", k + 1,
               "\">", views[k].name, "</label>\n");
  for (const View& view : views) out += cat("<div>\n", view.inside, "</div>\n");
  if (views.size() > kStyledViews) {
    out += "<style>";
    for (std::size_t k = kStyledViews + 1; k <= views.size(); ++k)
      out += cat(k > kStyledViews + 1 ? ", " : "", "#", id, " > input:nth-of-type(", k, "):checked ~ div:nth-of-type(", k, ")");
    out += " { display: block; }</style>\n";
  }
  return out + "</fieldset>\n";
}

std::string charts(const std::vector<std::string>& drawings) {
  std::string out = "<div class=\"charts\">\n";
  for (const std::string& drawing : drawings) out += cat("<div class=\"chart\">", drawing, "</div>\n");
  return out + "</div>\n";
}

std::string by_width(const std::string& wide, const std::string& narrow) {
  return cat("<div class=\"for-wide\">", wide, "</div>\n<div class=\"for-narrow\">", narrow, "</div>\n");
}

std::string beside(const std::vector<std::string>& tables) {
  std::string out = "<div class=\"beside\">\n";
  for (const std::string& one : tables) out += cat("<div>", one, "</div>\n");
  return out + "</div>\n";
}

std::string section(const std::string& id, const std::string& heading, const std::string& inside) {
  return cat("<section id=\"", id, "\" aria-labelledby=\"", id, "-heading\">\n<h2 id=\"", id, "-heading\">", heading, "</h2>\n", inside, "</section>\n");
}

std::string page(const Page& page, const std::vector<Part>& parts) {
  std::string out =
      cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\"/>\n<meta name=\"generator\" content=\"ulna ",
          ULNA_VERSION, "\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>", text(page.title), "</title>\n<style>", page_style(),
          "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n<p class=\"kicker\">", page.above, ", by Ulna ",
          ULNA_VERSION, "</p>\n<h1>", page.heading, "</h1>\n<p class=\"lead\">", page.below,
          "</p>\n</header>\n<nav class=\"contents\" aria-label=\"On this page\"><ol>\n");
  for (const Part& part : parts)
    if (!part.html.empty()) out += cat("<li><a href=\"#", part.id, "\">", part.label, "</a></li>\n");
  out += cat("</ol></nav>\n<main id=\"content\">\n", page.before);
  for (const Part& part : parts) out += part.html;
  return cat(out, "</main>\n<footer><p>", page.footer, "</p></footer>\n", page.end, "</body>\n</html>\n");
}

}  // namespace ulna::internal::html
