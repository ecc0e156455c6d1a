// Compares the lines of an implementation with those of the formulation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <ulna/explain/explain.hpp>

#include "formulation/evaluator.hpp"
#include "formulation/trace.hpp"
#include "source/yaml.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"
#include "text/parse_number.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

/// One number of a line's value; null of JSON and nan are numbers that are not given.
std::optional<double> entry_of_line(std::string_view text, const Element& element, int line, Diagnostics& diagnostics) {
  if (is_nan(text) || text == "null") return kNotGiven;
  NumberProblem problem;
  const std::optional<double> value = parse_angle(text, problem);
  if (!value) diagnostics.error(line, element, problem.problem, problem.cure);
  return value;
}

void take_entries(const YamlNode& node, GivenLine& to, Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::sequence) {
    for (const YamlNode& item : node.items) take_entries(item, to, diagnostics);
  } else if (node.kind == YamlNode::Kind::scalar || node.kind == YamlNode::Kind::null) {
    const std::string text = node.kind == YamlNode::Kind::null ? "null" : node.text;
    if (const std::optional<double> value = entry_of_line(text, cat(to.symbol, " value"), node.line, diagnostics)) to.value.push_back(*value);
  } else if (node.kind == YamlNode::Kind::mapping) {
    diagnostics.error(node.line, cat(to.symbol, " value"), "it is a mapping", "write a number, a list, or a list of rows");
  }
}

std::vector<GivenLine> lines_of_json(std::string_view text, Diagnostics& diagnostics) {
  std::vector<GivenLine> lines;
  std::optional<YamlNode> root = read_yaml(text, diagnostics, "a list of intermediates");
  if (!root) return lines;
  const YamlNode* list = &*root;
  for (const YamlNode::Entry& entry : root->entries)
    if (entry.key == "intermediates") list = &entry.value;
  if (list->kind != YamlNode::Kind::sequence) {
    diagnostics.error(list->line, "file", "it has no list of intermediates", "write [{\"symbol\": \"omega\", \"link\": 1, \"value\": [0, 0, 1]}, ...]");
    return lines;
  }
  for (const YamlNode& item : list->items) {
    GivenLine line{{}, {}, {}, item.line};
    const YamlNode* value = nullptr;
    for (const YamlNode::Entry& entry : item.entries) {
      if (entry.key == "symbol" || entry.key == "name") line.symbol = line.symbol.empty() || entry.key == "symbol" ? entry.value.text : line.symbol;
      if (entry.key == "link" && entry.value.kind == YamlNode::Kind::scalar) line.link = entry.value.text;
      if (entry.key == "value") value = &entry.value;
    }
    if (line.symbol.empty() || value == nullptr) {
      diagnostics.error(item.line, "intermediate", line.symbol.empty() ? "it has no symbol" : "it has no value", "give symbol, link and value");
      continue;
    }
    take_entries(*value, line, diagnostics);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<GivenLine> lines_of_csv(std::string_view text, Diagnostics& diagnostics) {
  std::vector<GivenLine> lines;
  std::optional<std::size_t> symbol, link, value;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view row = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (row.empty()) continue;
    std::vector<std::string> cells;
    if (!read_csv_cells(row, cells)) {
      diagnostics.error(number, "row", "a quotation mark is not closed", "close it");
      return lines;
    }
    if (!symbol) {
      const auto column = [&](const char* name) -> std::optional<std::size_t> {
        const auto at = std::find(cells.begin(), cells.end(), name);
        return at == cells.end() ? std::nullopt : std::optional<std::size_t>(at - cells.begin());
      };
      symbol = column("symbol"), link = column("link"), value = column("value");
      if (symbol && value) continue;
      diagnostics.error(number, "header", cat("there is no column ", symbol ? "value" : "symbol"), "begin with the line symbol,link,value");
      return lines;
    }
    if (cells.size() <= std::max(*symbol, *value)) {
      diagnostics.error(number, "row", "it has too few cells", "write a cell for each column of the header");
      continue;
    }
    GivenLine line{cells[*symbol], link && *link < cells.size() ? cells[*link] : "", {}, number};
    for (std::size_t k = *value; k < cells.size(); ++k) {
      std::string cell = cells[k];
      std::replace_if(
          cell.begin(), cell.end(), [](char c) { return c == ';' || c == '[' || c == ']' || c == ',' || c == '\t'; }, ' ');
      for (std::size_t from = cell.find_first_not_of(' '); from != std::string::npos;) {
        const std::size_t to = cell.find(' ', from);
        if (const std::optional<double> x = entry_of_line(cell.substr(from, to - from), line.symbol, number, diagnostics)) line.value.push_back(*x);
        from = to == std::string::npos ? to : cell.find_first_not_of(' ', to);
      }
    }
    lines.push_back(std::move(line));
  }
  if (!symbol) diagnostics.error(0, "file", "it has no header", "begin with the line symbol,link,value");
  return lines;
}

double largest_of(const std::vector<double>& x) {
  double most = 0;
  for (const double e : x) most = std::isnan(e) ? most : std::max(most, std::fabs(e));
  return most;
}

/// Axes of the formulation's frames, and of the base, in the root link; with what they are called.
struct NamedAxes {
  std::string name;
  Mat3<double> R;
};
Mat3<double> about_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c, -s, 0, s, c, 0, 0, 0, 1};
}
std::vector<NamedAxes> axes_of(const Formulation& formulation, const Prepared& prepared, const double* q) {
  std::vector<NamedAxes> axes;
  if (prepared.given.base() != RootJoint::fixed || prepared.given.closed() || prepared.given.nq() != prepared.size()) return axes;
  const auto rows = [&](const ChainRows<double>& chain, bool standard) {
    Mat3<double> R = chain.X_W0.R;
    axes.push_back({"frame 0", R});
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const DhRow<double>& row = chain.rows[i];
      const Mat3<double> Rz = about_z(row.theta + (row.prismatic ? 0 : q[i]));
      const Mat3<double> Rx{1, 0, 0, 0, row.cos_alpha, -row.sin_alpha, 0, row.sin_alpha, row.cos_alpha};
      R = standard ? R * (Rz * Rx) : R * (Rx * Rz);
      axes.push_back({cat("frame ", i + 1), R});
    }
  };
  if (formulation.frames == Frames::dh) rows(*prepared.forms().dh, true);
  if (formulation.frames == Frames::mdh) rows(*prepared.forms().mdh, false);
  std::vector<Mat3<double>> R_WB;
  for (std::size_t i = 0; formulation.frames == Frames::tree && i < prepared.size(); ++i) {
    const TreeBody<double>& body = prepared.forms().tree.bodies[i];
    const Mat3<double> before = body.parent == kNone ? body.R_PB : R_WB[body.parent] * body.R_PB;
    R_WB.push_back(body.prismatic ? before : before * about_z(q[i]));
    axes.push_back({cat("link ", i + 1), R_WB.back()});
    axes.push_back({cat("link ", i + 1, " at zero of its joint"), before});
  }
  axes.push_back({"the base", Mat3<double>::identity()});
  return axes;
}

/// Simple mistakes that lead from the right value of a line to the given one, each tested on the right value. Only those that fit are reported.
class Hints {
 public:
  Hints(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const InputsOf<double>& in, const LineExplanation& of, double tolerance)
      : formulation_(formulation), quantity_(quantity), prepared_(prepared), in_(in), of_(of), line_(of.lines[of.first]) {
    x_ = line_.right.value, y_ = line_.given;
    for (std::size_t k = 0; k < x_.size(); ++k)
      if (std::isnan(x_[k]) || std::isnan(y_[k])) x_[k] = y_[k] = 0;
    size_ = std::max(largest_of(x_), largest_of(y_));
    tolerance_ = tolerance * size_;
    for (std::size_t k = 0; k < x_.size(); ++k) difference_.push_back(y_[k] - x_[k]);
  }

  std::vector<std::string> find() {
    own_value();
    other_axes();
    other_line();
    terms();
    other_states();
    return std::move(found_);
  }

 private:
  bool equal(const std::vector<double>& a, const std::vector<double>& b) const {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!(std::fabs(a[k] - b[k]) <= tolerance_)) return false;
    return true;
  }
  void note(bool fits, const std::string& text) {
    if (fits && std::find(found_.begin(), found_.end(), text) == found_.end()) found_.push_back(text);
  }
  static std::vector<double> scaled(double factor, std::vector<double> x) {
    for (double& e : x) e *= factor;
    return x;
  }
  /// A rotation of a vector, or of a matrix.
  static std::vector<double> rotated(const Mat3<double>& R, const std::vector<double>& x, bool both) {
    if (x.size() == 3) {
      const Vec3<double> v = R * Vec3<double>{x[0], x[1], x[2]};
      return {v.x, v.y, v.z};
    }
    const Mat3<double> m{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, t = both ? R * (m * R.transposed()) : R * m;
    return {t.xx, t.xy, t.xz, t.yx, t.yy, t.yz, t.zx, t.zy, t.zz};
  }

  void own_value() {
    const std::size_t rows = line_.right.rows, columns = line_.right.columns;
    note(equal(y_, scaled(-1, x_)), "its sign is opposite: the value is minus the right one");
    for (const auto& [factor, words] : {std::pair{2.0, "twice the right value"},
                                        {0.5, "half the right value"},
                                        {180 / kPi, "the right value times 180/pi: degrees"},
                                        {-2.0, "minus twice the right value"},
                                        {-0.5, "minus half the right value"}})
      note(equal(y_, scaled(factor, x_)), cat("it is ", words));
    if (rows > 1 && rows == columns) {
      std::vector<double> t(x_.size());
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) t[i * columns + j] = x_[j * columns + i];
      note(equal(y_, t) && !equal(t, scaled(-1, x_)), "the matrix is transposed");
    }
    if (x_.size() == 6 && columns == 1)
      note(equal(y_, {x_[3], x_[4], x_[5], x_[0], x_[1], x_[2]}), "its halves are exchanged: linear stands over angular here");
    if (x_.size() == 3)
      for (const auto& order : {std::array<std::size_t, 3>{1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}})
        note(equal(y_, {x_[order[0]], x_[order[1]], x_[order[2]]}), "its components are exchanged");
    if (x_.size() < 2) return;
    std::string opposite;
    bool all = true;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (std::fabs(difference_[k]) <= tolerance_) continue;
      all = all && std::fabs(y_[k] + x_[k]) <= tolerance_;
      opposite += cat(opposite.empty() ? "" : ", ", k / line_.right.columns + 1, columns > 1 ? cat(",", k % columns + 1) : "");
    }
    note(all && !equal(y_, scaled(-1, x_)), cat("the sign of entry ", opposite, " is opposite"));
  }

  void other_axes() {
    if (x_.size() != 3 && !(line_.right.rows == 3 && line_.right.columns == 3)) return;
    const std::vector<NamedAxes> axes = axes_of(formulation_, prepared_, in_.q);
    // Of those pairs that fit, the line's own frame and its neighbours are the likely ones: the first is reported.
    for (const bool both : {true, false}) {
      if (both && x_.size() == 3) continue;
      for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t b = 0; b < axes.size(); ++b)
          if (a != b && equal(y_, rotated(axes[b].R.transposed() * axes[a].R, x_, both)) && !equal(y_, x_))
            return note(true, cat("it is the right value in other axes: taken from ", axes[a].name, " to ", axes[b].name));
    }
  }

  void other_line() {
    for (const ComparedLine& other : of_.lines)
      if (&other != &line_ && largest_of(other.right.value) > 0 && equal(y_, other.right.value)) return note(true, cat("it is the value of ", other.name));
  }

  /// Terms of the line that were left out, counted twice or have the wrong sign, in any of the axes.
  void terms() {
    const std::vector<NamedAxes> axes = axes_of(formulation_, prepared_, in_.q);
    const auto fits = [&](const std::vector<double>& term, const std::string& words) {
      if (largest_of(term) <= tolerance_) return false;
      for (const auto& [factor, what] : {std::pair{-1.0, " is left out"}, {1.0, " is added once too often"}, {-2.0, " has the wrong sign"}})
        if (equal(difference_, scaled(factor, term))) return note(true, cat("the term ", words, what)), true;
      return false;
    };
    for (const std::string& name : line_.inputs) {
      const auto at = std::find_if(of_.lines.begin(), of_.lines.end(), [&](const ComparedLine& other) { return other.name == name; });
      if (at == of_.lines.end() || at->right.value.size() != x_.size()) continue;
      if (fits(at->right.value, name) || x_.size() != 3) continue;
      for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t b = 0; b < axes.size(); ++b)
          if (a != b && fits(rotated(axes[b].R.transposed() * axes[a].R, at->right.value, false), cat(name, " (in other axes)"))) a = b = axes.size();
      // Not rotated: x stands in the place of R x.
      for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t b = 0; b < axes.size(); ++b) {
          std::vector<double> swapped = rotated(axes[b].R.transposed() * axes[a].R, at->right.value, false);
          for (std::size_t k = 0; k < 3; ++k) swapped[k] = at->right.value[k] - swapped[k];
          if (a != b && largest_of(swapped) > tolerance_ && equal(difference_, swapped)) {
            note(true, cat(name, " is added without its rotation from ", axes[a].name, " to ", axes[b].name));
            a = b = axes.size();
          }
        }
    }
  }

  /// The same line of another model or state.
  void other_states() {
    const std::size_t n = prepared_.given.nv();
    const bool free = prepared_.given.base() == RootJoint::free;
    const auto with = [&](const char* words, const Prepared& prepared, const InputsOf<double>& in) {
      if (!why_not(formulation_, quantity_, prepared).empty()) return;
      try {
        for (const Intermediate& other : intermediates(formulation_, quantity_, prepared, in))
          if (other.symbol == line_.right.symbol && other.link == line_.right.link) note(equal(y_, other.value) && !equal(x_, other.value), words);
      } catch (const std::domain_error&) {  // this state has no answer
      }
    };
    const auto gravity = [&](double factor) {
      Prepared changed(with_gravity(prepared_.given, factor * prepared_.given.gravity()), prepared_.snap);
      changed.accept_interpolation = prepared_.accept_interpolation;
      changed.speeds = prepared_.speeds;
      return changed;
    };
    with("it is the right value without gravity", gravity(0), in_);
    with("it is the right value with gravity the other way: gravity enters as an upward acceleration of the base", gravity(-1), in_);
    const std::vector<double> zero(std::max(n, prepared_.given.nq()), 0.0);
    InputsOf<double> other = in_;
    if (in_.v != nullptr) other.v = zero.data(), with("it is the right value at rest: terms of the rates are left out", prepared_, other);
    other = in_;
    if (in_.last != nullptr) other.last = zero.data(), with("it is the right value without the accelerations or drives", prepared_, other);
    if (free) return;
    for (const auto& [factor, words] : {std::pair{-1.0, "it is the right value for -q"},
                                        {180 / kPi, "it is the right value for q taken as degrees"},
                                        {kPi / 180, "it is the right value for q converted from degrees twice"}}) {
      const std::vector<double> q = scaled(factor, {in_.q, in_.q + prepared_.given.nq()});
      other = in_;
      other.q = q.data();
      with(words, prepared_, other);
    }
  }

  static constexpr double kPi = 3.14159265358979323846;
  const Formulation& formulation_;
  Quantity quantity_;
  const Prepared& prepared_;
  InputsOf<double> in_;
  const LineExplanation& of_;
  const ComparedLine& line_;
  std::vector<double> x_, y_, difference_;
  double size_ = 0, tolerance_ = 0;
  std::vector<std::string> found_;
};

/// "1, 3" and "[1,3]" as "1,3".
std::string plain_index(std::string index) {
  std::erase_if(index, [](char c) { return c == ' ' || c == '[' || c == ']'; });
  return index;
}

/// "Z" of "Z12": what a difference is relative to is the largest of its kind.
std::string letter_of(const std::string& symbol) { return symbol.substr(0, symbol.find_first_of("0123456789")); }

std::string shape_of(const Intermediate& line) {
  if (line.value.size() == 1) return "a number";
  return line.columns == 1 ? cat("a vector of ", line.rows) : cat("a matrix of ", line.rows, " x ", line.columns);
}

}  // namespace

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::optional<std::vector<GivenLine>> read_lines(std::string_view text, Diagnostics& diagnostics) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool json = begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[');
  std::vector<GivenLine> lines = json ? lines_of_json(text, diagnostics) : lines_of_csv(text, diagnostics);
  if (lines.empty() && !diagnostics.has_errors()) diagnostics.error(0, "file", "it has no lines", "write one for each quantity: symbol,link,value");
  if (diagnostics.has_errors()) return {};
  return lines;
}

std::optional<LineExplanation> explain_lines(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const InputsOf<double>& in,
                                             const std::vector<GivenLine>& given, Diagnostics& diagnostics, double tolerance) {
  LineExplanation out;
  std::map<std::string, std::size_t> by_name, by_parts;
  std::map<std::string, double> sizes;
  std::vector<std::string> symbols;
  for (Intermediate& right : intermediates(formulation, quantity, prepared, in)) {
    by_name.emplace(right.name(), out.lines.size());
    by_parts.emplace(cat(right.symbol, " ", right.link), out.lines.size());
    double& size = sizes[letter_of(right.symbol)];
    size = std::max(size, largest_of(right.value));
    if (symbols.empty() || std::find(symbols.begin(), symbols.end(), right.symbol) == symbols.end()) symbols.push_back(right.symbol);
    ComparedLine line{right.name(), std::move(right), {}, 0, true, {}};
    out.lines.push_back(std::move(line));
  }
  for (const GivenLine& line : given) {
    const std::string link = plain_index(line.link);
    const auto found = [](const std::map<std::string, std::size_t>& names, const std::string& name) {
      const auto at = names.find(name);
      return at == names.end() ? kNone : at->second;
    };
    std::size_t at = found(by_parts, cat(line.symbol, " ", link));
    if (at == kNone) at = found(by_name, name_of(line.symbol, link));
    if (at == kNone) {
      const bool known = std::find(symbols.begin(), symbols.end(), line.symbol) != symbols.end();
      std::vector<std::string> names = symbols, links;
      for (const ComparedLine& one : out.lines) {
        if (one.right.symbol == line.symbol) links.push_back(one.right.link);
        names.push_back(one.name);
      }
      diagnostics.error(line.line, cat("symbol ", in_quotes(line.symbol)),
                        known ? cat("formulation ", formulation.id, " has it of ", joined(links), ", not of ", link.empty() ? "no link" : in_quotes(link))
                              : cat("formulation ", formulation.id, " does not have it in the ", result_name(quantity)),
                        known ? "correct the link" : cat("it has ", joined(symbols), did_you_mean(line.symbol, names)));
      continue;
    }
    ComparedLine& compared = out.lines[at];
    if (!compared.given.empty()) {
      diagnostics.error(line.line, cat("symbol ", in_quotes(compared.name)), "it is there twice", "keep one of them");
      continue;
    }
    if (line.value.size() != compared.right.value.size()) {
      diagnostics.error(line.line, cat("symbol ", in_quotes(compared.name)), cat("it has ", line.value.size(), " numbers, and is ", shape_of(compared.right)),
                        "write its entries row by row");
      continue;
    }
    compared.given = line.value;
    const double largest = sizes[letter_of(compared.right.symbol)], size = largest == 0 ? 1 : largest;
    for (std::size_t k = 0; k < line.value.size(); ++k)
      if (!std::isnan(line.value[k]) && !std::isnan(compared.right.value[k]))
        compared.difference = std::max(compared.difference, std::fabs(line.value[k] - compared.right.value[k]) / size);
    compared.agrees = compared.difference <= tolerance;
  }
  if (diagnostics.has_errors()) return {};
  const auto first = std::find_if(out.lines.begin(), out.lines.end(), [](const ComparedLine& line) { return !line.agrees; });
  if (first == out.lines.end()) return out;
  out.first = static_cast<std::size_t>(first - out.lines.begin());
  if (why_not_traced(formulation, quantity, prepared).empty()) {
    std::map<std::string, std::vector<std::string>> inputs;
    for (TracedLine& line : trace_lines(formulation, quantity, prepared)) inputs.emplace(std::move(line.name), std::move(line.inputs));
    for (ComparedLine& line : out.lines)
      if (const auto found = inputs.find(line.name); found != inputs.end()) line.inputs = found->second;
  }
  out.hints = Hints(formulation, quantity, prepared, in, out, tolerance).find();
  return out;
}

}  // namespace ULNA_API
