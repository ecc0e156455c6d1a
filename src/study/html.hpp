// Pieces of the page. Whatever comes from a model goes through text() or name().
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::internal::html {

inline std::string text(std::string_view any) { return xml_text(any); }
/// A name in whatever script, kept from turning the words around it about.
inline std::string name(std::string_view any) { return cat("<bdi>", text(any), "</bdi>"); }

/// Four digits, or a count.
std::string number(double value);
/// A number of operations, which a paper's polynomial may leave with a fraction: "116 281.5".
std::string count(double value);
/// "1.2e-15"
std::string small(double value);
std::string with_thin_spaces(const std::string& digits);
template <std::integral T>
std::string whole(T value) {
  return with_thin_spaces(std::to_string(value));
}

inline std::string good(std::string_view words) { return cat("<span class=\"good\">", words, "</span>"); }
inline std::string bad(std::string_view words) { return cat("<span class=\"bad\">", words, "</span>"); }

/// Cells of a table, which are HTML, row by row.
using Rows = std::vector<std::vector<std::string>>;

/// Layout of a table on a narrow screen. Tables of numbers alone scroll in any case.
enum class Narrow { cards, scrolls };
/// Columns: 'l' words, 'r' numbers. On a narrow screen the rows of a table that begins with words become cards.
std::string table(std::string_view columns, const std::vector<std::string>& head, const Rows& rows, const std::string& caption = {},
                  Narrow narrow = Narrow::cards);
/// <ul> of what is HTML.
std::string list(const std::vector<std::string>& items);
std::string details(const std::string& summary, const std::string& inside);
/// <figure id=…> with the drawing, the words below it, the numbers in a part that unfolds, and more such parts.
std::string figure(const std::string& id, const std::string& svg, const std::string& caption, const std::string& numbers, const std::string& more = {});
/// One of several views at a time, each with a name: buttons that need no script. On paper it is the one that is chosen.
struct View {
  std::string name;
  std::string inside;
};
std::string choice(const std::string& id, const std::string& of, const std::vector<View>& views);
/// Drawings side by side, as many as there is room for.
std::string charts(const std::vector<std::string>& drawings);
/// Of two drawings of the same thing the one that suits the width of the screen. On paper it is the wide one.
std::string by_width(const std::string& wide, const std::string& narrow);
/// Tables side by side, as many as there is room for.
std::string beside(const std::vector<std::string>& tables);
std::string section(const std::string& id, const std::string& heading, const std::string& inside);

/// A section with its place in the contents; left out where it is empty.
struct Part {
  const char *id, *label;
  std::string html;
};
/// The whole file. `title` is plain text, the rest is HTML: `heading` with what stands above and below it, what comes `before` the parts, elements at the
/// `end`.
struct Page {
  std::string title, above, heading, below, before, footer, end;
};
std::string page(const Page& page, const std::vector<Part>& parts);

}  // namespace ulna::internal::html
